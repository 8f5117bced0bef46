"""The 95 % interval of a time that also holds on another machine of its kind.

Rows that several machines measured with the same code are one result: the mean of the machines' means, on a logarithmic
scale. With three or more machines the interval is Student's for one more machine, t sqrt(1 + 1/k) s. A quotient or a
sum of such rows is taken on each machine, before the machines' mean (antbench.data.cells).

Three hosts tell little of how much hosts differ. So the variance of a CPU's row joins the variances that rows of its kind
have on all other hosts that are known (Smyth 2004, antbench.data.inference.prior_of). Its own hosts are left out there,
since what is slow on a host in one row is slow in others. If fewer than MIN_ROWS rows are left, nothing joins.

With one or two machines it is the interval of the processes, widened in quadrature. It is widened by the difference of
two machines that 95 % of the pairs do not exceed. Pairs are of the same kind of row: same backend, same scope, and both
above or both below 50 us. Of a CPU, both are of one core or both of several. Of a GPU, both have the CPU's part of the
work in their time or both do not. If fewer than MIN_ROWS rows of this kind are known, rows of any time count. If these
are too few, the interval is not widened and holds on the one machine.
"""

import itertools
import math
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
from scipy import special

from antbench.data import inference, machines, runs

ENOUGH = 3  # fewest machines that give an interval of their own
MIN_ROWS = 10  # fewest rows measured by several machines that tell how much machines differ in a kind
SHORT_MS = 0.05
ONE_CORE, ALL_CORES, WITH_CPU = "one core", "all cores", "with the CPU's part"
MISSES = 0.05  # share of misses of an interval
ENDLESS = -1.0  # in place of a share of misses, the interval of endless machines
LARGEST = 300.0  # largest step of a logarithm; exp() overflows at about 700
UNKNOWN = (0.0, 0.0)  # a variance that counts for no degrees of freedom


@dataclass(frozen=True)
class Result:
    value: float  # ms
    low: float
    high: float
    n: int  # number of machines if they give the interval, else of processes, or of one process's samples
    rows: tuple
    machines: int
    widened: bool = False
    span: tuple = ()  # the least and the largest mean per machine, for a CPU's row on several hosts
    by_machine: dict = field(default_factory=dict)  # logarithm of the mean on each machine, from ENOUGH machines on
    of_hosts: tuple = ()  # (degrees of freedom, variance) of hosts beyond the row's own; () for a GPU alone


class Known:
    """What the rows of a kind tell of how much machines differ, on logarithms.

    `difference` is the difference of two machines that 95 % of pairs do not exceed. Rows of the same few machines differ
    alike, and a further machine differs otherwise. So the quantile counts as one of Student's distribution with one degree
    of freedom less than there are machines.
    """

    def __init__(self, logs):
        self.logs = logs  # for each row {machine: logarithm of its mean}
        self.machines = frozenset(itertools.chain.from_iterable(self.logs))
        self.of_others = {}
        pairs = [abs(a - b) for each in self.logs for a, b in itertools.combinations(each.values(), 2)]
        few = special.stdtrit(len(self.machines) - 1, 0.975) / special.ndtri(0.975)
        self.difference = float(np.quantile(pairs, 0.95)) * few

    def without(self, own):
        """(degrees of freedom, variance) of the machines that are not among `own`."""
        own = self.machines.intersection(own)
        if own not in self.of_others:
            rows = [[log for machine, log in each.items() if machine not in own] for each in self.logs]
            rows = [np.array(logs) for logs in rows if len(logs) > 1]
            found = UNKNOWN
            if len(rows) >= MIN_ROWS:
                df, variance = inference.prior_of(
                    *map(np.array, zip(*((row.var(ddof=1), len(row) - 1) for row in rows)))
                )
                found = min(df, len(self.machines - own) - 1.0), variance
            self.of_others[own] = found
        return self.of_others[own]


def kind_of(row):
    """What rows that differ alike share. Hosts differ more in rows of all cores, since other work takes some of them.

    They also differ more in a GPU's rows whose time includes the CPU's part of the work.
    """
    one = runs.param(row, "threads") == "1" and runs.param(row, "ranks") in (None, "1")
    of_cpu = ONE_CORE if one else ALL_CORES
    of_gpu = WITH_CPU if runs.has_cpu_time(row) else ""
    return row["backend"], of_gpu if row["backend"] == "cuda" else of_cpu, row["scope"], row["mean_ms"] < SHORT_MS


def of_any_time(kind):
    return kind[:-1]


def processor_of(row):
    """What a row ran on: the GPU's name, or for a row of a CPU its host's CPU and the threads that may be used."""
    run = row["run"]
    if row["backend"] == "cuda":
        return runs.device_name(run)
    machine = run.meta.get("machine", {})
    return f"{machine.get('cpu') or 'unknown'}, {machine.get('usable_cores') or '?'} threads"


def identity(row, code_of=machines.code_of):
    """What rows of one result share: they differ in the machine only.

    The profile is a part of it, since it decides how many iterations a mean counts. So is the CPU's part in the time of
    a GPU row.
    """
    profile = row["run"].profile if row["scope"] in ("iteration", "stage") else ""
    return (*(row[name] for name in runs.KEY), processor_of(row), code_of(row), profile, runs.has_cpu_time(row))


def grouped(rows, code_of=machines.code_of):
    """{identity: {machine: its rows}} of the timed rows."""
    found = {}
    for row in rows:
        if row["status"] in runs.MEASURED and row["mean_ms"] > 0:
            of_machine = found.setdefault(identity(row, code_of), {})
            of_machine.setdefault(machines.machine_of(row["run"], row["backend"]), []).append(row)
    return found


def log_means(of_machines):
    """The mean of each machine, as a logarithm."""
    return np.array([log_mean(rows) for rows in of_machines.values()])


def log_mean(rows):
    logs = [math.log(row["mean_ms"]) for row in rows]
    return logs[0] if len(logs) == 1 else fmean(logs)  # fmean() of one is slow, and mostly there is one


def by_machine(of_machines):
    """{machine: logarithm of its mean}. A CPU and the GPU beside it are one machine if their host is known."""
    rows = {}
    for row in itertools.chain.from_iterable(of_machines.values()):
        rows.setdefault(machines.machine_of(row["run"]), []).append(row)
    return {machine: log_mean(each) for machine, each in rows.items()}


def for_one_more(logs, misses=MISSES, of_hosts=()):
    """(the mean of the machines' logarithms, half of Student's interval for one more machine).

    `of_hosts` is (degrees of freedom, variance) of other hosts. With ENDLESS for `misses` it is the interval if endless
    machines differed like these.
    """
    n = len(logs)
    more, variance = of_hosts or UNKNOWN
    df = n - 1 + more
    deviation = math.sqrt((more * variance + (n - 1) * np.var(logs, ddof=1)) / df)
    if misses == ENDLESS:
        steps = -special.ndtri(MISSES / 2)
    else:
        steps = -special.stdtrit(df, misses / 2) * math.sqrt(1 + 1 / n)
    return float(np.mean(logs)), min(LARGEST, float(steps * deviation))


def differences(groups):
    """{kind of row, or kind of any time: Known}."""
    return differences_of(kinds_and_logs(groups))


def kinds_and_logs(groups):
    """For each row {machine: (kind of row, logarithm of its mean)}."""
    return [{machine: (kind_of(rows[0]), log_mean(rows)) for machine, rows in each.items()} for each in groups]


def differences_of(of_rows):
    """differences(), from kinds_and_logs()."""
    known = {}
    for of_machines in of_rows:
        if len(of_machines) > 1:
            kind, _ = next(iter(of_machines.values()))
            logs = {machine: log for machine, (_, log) in of_machines.items()}
            for each in (kind, of_any_time(kind)):
                known.setdefault(each, []).append(logs)
    return {kind: Known(logs) for kind, logs in known.items() if len(logs) >= MIN_ROWS}


def of_kind(row, known):
    """What is Known of a row's kind, or else of rows of any time; None if too little."""
    return known.get(kind_of(row), known.get(of_any_time(kind_of(row))))


def of_other_hosts(row, own, between):
    """(degrees of freedom, variance) of hosts that are not among a row's `own`; () for a row of a GPU alone."""
    if row["backend"] == "cpu" and between:
        return between.without(own)
    return UNKNOWN if row["backend"] == "cpu" or runs.has_cpu_time(row) else ()


def result(row, of_machines, known):
    """The Result of `row` and of all rows with its identity; `known`: differences()."""
    mean, low, high, n = runs.mean_interval(row)
    between = of_kind(row, known)
    k = len(of_machines)
    if k < ENOUGH and between is None:
        return Result(mean, low, high, n, (row,), 1)
    logs, of_hosts = log_means(of_machines), of_other_hosts(row, of_machines, between)
    if k >= ENOUGH:
        center, half = for_one_more(logs, of_hosts=of_hosts)
    else:
        center = float(logs.mean())
        half = math.hypot(math.log(high / low) / 2, between.difference * math.sqrt((1 + 1 / k) / 2))
    return Result(
        math.exp(center),
        math.exp(center - half),
        math.exp(center + half),
        k if k >= ENOUGH else n,
        (row, *(each for rows in of_machines.values() for each in rows if each is not row)),
        k,
        k < ENOUGH,
        (math.exp(logs.min()), math.exp(logs.max())) if row["backend"] == "cpu" and k > 1 else (),
        by_machine(of_machines) if k >= ENOUGH else {},
        of_hosts,
    )
