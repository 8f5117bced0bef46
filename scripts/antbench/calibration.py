"""How much unchanged code varies between processes on a machine, for each kind of rows, and what the gate makes of it.

A kind is a backend, a scope and whether a row takes less than SHORT_US: "cuda iteration", "cuda stage under 50 us". What is
so short that launching it takes as long varies by more percent than what is not.

From processes that took turns measuring the same code (`make calibrate`), gates are drawn: some of the processes, as they
are, with all of their rows, are BASE, others NEW. The limit of a kind is what the largest change of any of its rows stays
under in all but RATE of such gates; where rows found slower are measured a second time, what no row is over both times
in all but RATE. So the limit holds for all rows of the kind together. A row that is of no calibrated kind cannot fail a
build.
"""

import json
import math
from pathlib import Path

import numpy as np

from antbench import runs
from antbench.command import BadInput
from antbench.inference import STATISTICS, compare, log_statistics

SCHEMA = 3
SHORT_US = 50
RATE = 0.001  # of a kind; a gate of all drivers has nine on a GPU
PROCESSES = (1, 2, 3, 5, 10)  # a side; a gate of others has the limits of the next fewer
ENOUGH = 6  # processes below which nothing is said of a kind
DRAWS, BATCH = 4000, 100
SEED = 1
FILE = "calibration.json"


def kind_of(row, ms):
    """Of a row that takes so long."""
    return f"{row['backend']} {row['scope']}" + (f" under {SHORT_US} us" if 1e3 * ms < SHORT_US else "")


def path_for(run):
    """Where `make calibrate` leaves what it found of the machine that measured `run`, else what is stored of it."""
    slug = runs.machine_slug(run.meta.get("machine", {}).get("name", ""))
    yours = runs.RESULTS / "runs" / slug / FILE
    stored = runs.RESULTS / "reference" / slug / FILE
    return stored if stored.exists() and not yours.exists() else yours


class Calibration:
    """What is known of a machine; of nothing where there is no file."""

    def __init__(self, kinds=None, path=None):
        self.kinds, self.path = kinds or {}, path

    def knows(self, kind):
        return kind in self.kinds

    def sd(self, kind):
        """Of the logarithms of a process's statistics; None where the kind is not known."""
        if kind not in self.kinds:
            return None
        return np.array([self.kinds[kind]["sd_percent"][name] / 100 for name in STATISTICS])

    def thresholds(self, kind, processes, least, confirmed):
        """The change of each statistic, on a logarithmic scale, that is no chance any more."""
        floor = np.full(len(STATISTICS), math.log1p(least))
        if kind not in self.kinds:
            return floor
        table = self.kinds[kind]["threshold_percent"]["confirmed" if confirmed else "once"]
        k = max((k for k in map(int, table) if k <= max(processes, 1)), default=1)
        return np.maximum(floor, np.log1p([table[str(k)][name] / 100 for name in STATISTICS]))


def read(path):
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        kinds = found["kinds"]
        for of_kind in kinds.values():
            assert set(of_kind["sd_percent"]) == set(STATISTICS)
            assert all(set(each) == set(STATISTICS) for table in of_kind["threshold_percent"].values() for each in table.values())
        return Calibration(kinds, path)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise BadInput(f"{path}:1: not a calibration of this version: make calibrate") from None


# ---- Making one ----


def observations(measured):
    """{kind: array of processes x rows x statistics, logarithms} of the rows of runs of one driver, unchanged, oldest first.

    Only rows that every process of every run has.
    """
    rows, seen = {}, set()
    for index, of_run in enumerate(measured):
        for row in of_run.to_dict("records"):
            for process, samples in enumerate(runs.processes(row) if row["samples"] > 0 else []):
                seen.add((index, process))
                kept = samples[~np.isnan(samples)]
                rows.setdefault(tuple(row[name] for name in runs.KEY), (row, {}))[1][index, process] = kept
    found = {}
    for row, of_process in rows.values():
        if of_process.keys() == seen:
            n = min(map(len, of_process.values()))
            values = np.array([log_statistics(of_process[which][:n]) for which in sorted(seen)])
            found.setdefault(kind_of(row, math.exp(np.median(values[:, 0]))), []).append(values)
    return {kind: np.stack(of_kind, axis=1) for kind, of_kind in found.items()}


def gates(values, processes, draws, random):
    """Yields gates of unchanged code in batches: ((BASE, NEW), both measured again), each processes x draws x rows x statistics.

    No process is on both sides. The second time it is others, as far as there are others.
    """
    n = len(values)
    for _ in range(draws // BATCH):
        order = random.permuted(np.tile(np.arange(n), (BATCH, 1)), axis=1)
        sides = [order[:, first : first + processes] for first in (0, processes, n - 2 * processes, n - processes)]
        base, new, base_again, new_again = (np.moveaxis(values[side], 1, 0) for side in sides)
        yield (base, new), (base_again, new_again)


def largest(values, sd, processes, random):
    """The largest change of any row in DRAWS gates, in units of sd, and the largest that some row has both times."""
    once, twice = [], []
    for both in gates(values, processes, DRAWS, random):
        first, second = (np.fmax.reduce(compare(*gate, sd=None, paired=False)[0] / sd, axis=2) for gate in both)
        once.append(first.max(axis=1))
        twice.append(np.minimum(first, second).max(axis=1))
    return {"once": np.concatenate(once), "confirmed": np.concatenate(twice)}


def spread(values_of_driver):
    """The standard deviation of processes, over all rows of a kind."""
    variances = np.concatenate([values.var(axis=0, ddof=1) for values in values_of_driver])
    sd = np.sqrt(np.nansum(variances, axis=0) / np.maximum((~np.isnan(variances)).sum(axis=0), 1))
    return np.maximum(sd, 1e-4)  # a tail that nobody has, a clock that never moved


def describe(values_of_driver):
    """The entry of a kind, from the observations of each driver that has rows of it."""
    random = np.random.default_rng(SEED)
    sd, n = spread(values_of_driver), min(map(len, values_of_driver))
    tables = {"once": {}, "confirmed": {}}
    for k in [k for k in PROCESSES if 2 * k <= n]:
        of_drivers = [largest(values, sd, k, random) for values in values_of_driver]
        for name, table in tables.items():
            limit = np.quantile(np.max([of_driver[name] for of_driver in of_drivers], axis=0), 1 - RATE)
            table[str(k)] = percents(np.expm1(max(limit, 0) * sd))
    return {
        "rows": int(sum(values.shape[1] for values in values_of_driver)),
        "processes": n,
        "sd_percent": percents(sd),
        "threshold_percent": tables,
    }


def percents(values):
    return {name: float(f"{100 * value:.3g}") for name, value in zip(STATISTICS, values)}
