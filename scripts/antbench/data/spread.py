"""The 95 % interval of a time that holds on another machine of its kind.

The rows that several machines measured of one code are one result: the mean of the machines' means on a logarithmic
scale. From three machines on the interval is Student's for one machine more, t sqrt(1 + 1/k) s. Of one or two it is that
of the processes, widened, in quadrature, by how far two machines differ in 95 % of the pairs of its kind of row: backend, scope, under
50 us or not. Where fewer than MIN_ROWS such rows are known it is that of the processes on one machine.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from antbench.data import machines, runs

ENOUGH = 3  # machines, for an interval of their own
MIN_ROWS = 10  # that two machines or more measured, for a kind's difference to be known
SHORT_MS = 0.05


@dataclass(frozen=True)
class Result:
    value: float  # ms
    low: float
    high: float
    n: int  # processes, or samples of one; machines where they give the interval
    rows: tuple
    machines: int
    widened: bool = False
    span: tuple = ()  # the least and the largest mean of a machine, of a CPU's row on several hosts


def kind_of(row):
    return row["backend"], row["scope"], row["mean_ms"] < SHORT_MS


def identity(row, code_of=machines.code_of):
    """What rows of one result share: nothing but the machine differs. A profile decides how many iterations a mean is of."""
    profile = row["run"].profile if row["scope"] in ("iteration", "stage") else ""
    return (*(row[name] for name in runs.KEY), runs.device_name(row["run"]), code_of(row), profile)


def grouped(rows, code_of=machines.code_of):
    """{identity: {machine: its rows}} of the rows that were timed."""
    found = {}
    for row in rows:
        if row["status"] in runs.MEASURED and row["mean_ms"] > 0:
            of_machine = found.setdefault(identity(row, code_of), {})
            of_machine.setdefault(machines.machine_of(row["run"], row["backend"]), []).append(row)
    return found


def log_means(of_machines):
    """The mean of each machine."""
    return np.array([np.mean([math.log(row["mean_ms"]) for row in rows]) for rows in of_machines.values()])


def differences(groups):
    """{kind of row: by how much two machines differ at most in 95 % of pairs, as a logarithm}.

    Rows of the same few machines differ alike, and a third machine otherwise: the quantile counts as one of Student's
    with as many degrees of freedom as there are machines.
    """
    known = {}
    for of_machines in groups:
        if len(of_machines) > 1:
            first = next(iter(of_machines.values()))[0]
            known.setdefault(kind_of(first), []).append(of_machines)
    return {kind: difference(rows) for kind, rows in known.items() if len(rows) >= MIN_ROWS}


def difference(rows):
    """Of rows of one kind, each {machine: its rows}."""
    pairs = [abs(a - b) for each in rows for a, b in itertools.combinations(log_means(each), 2)]
    n_machines = len({machine for each in rows for machine in each})
    few = special.stdtrit(n_machines, 0.975) / special.ndtri(0.975)
    return float(np.quantile(pairs, 0.95)) * few


def result(row, of_machines, known):
    """The Result of `row` and of the rows of its identity, where `known` are the differences."""
    mean, low, high, n = runs.mean_interval(row)
    between = known.get(kind_of(row))
    k = len(of_machines)
    if k < ENOUGH and between is None:
        return Result(mean, low, high, n, (row,), 1)
    logs = log_means(of_machines)
    center = float(logs.mean())
    if k >= ENOUGH:
        half = special.stdtrit(k - 1, 0.975) * logs.std(ddof=1) * math.sqrt(1 + 1 / k)
    else:
        half = math.hypot(math.log(high / low) / 2, between * math.sqrt((1 + 1 / k) / 2))
    return Result(
        math.exp(center),
        math.exp(center - half),
        math.exp(center + half),
        k if k >= ENOUGH else n,
        (row, *(each for rows in of_machines.values() for each in rows if each is not row)),
        k,
        k < ENOUGH,
        (math.exp(logs.min()), math.exp(logs.max())) if row["backend"] == "cpu" and k > 1 else (),
    )
