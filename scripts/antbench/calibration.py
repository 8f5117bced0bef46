"""How much unchanged code varies between processes on a machine, for each kind of rows, and what the gate makes of it.

A kind is a backend, a scope and whether a row takes less than SHORT_US: "cuda iteration", "cuda stage under 50 us".
What is so short that launching it takes as long varies by more percent than what is not. "cuda all rows together" is the
median row of a gate of MANY rows or more, as one row.

From processes that took turns measuring the same code (`make calibrate`), gates are drawn: each process of BASE and of
NEW is one of them, as it is, with all of its rows. None is on both sides or twice on one, so that of n processes n / 2 a
side are drawn at most; a gate of more has the limits of so many, which are higher than its own would be. The limit of a
kind is what no row that seems slower (antbench.inference) is over in all but RATE of such gates; where rows found slower
are measured a second time, what no row is over both times in all but RATE. So the limit holds for all rows of the kind
together. Where the rank alone keeps to RATE, this would be 0, which the processes are too few to say. So no limit is below
what one row in twenty differs by in such gates, up or down (USUAL). A row of no calibrated kind cannot fail a build.
"""

import json
import math
from pathlib import Path

import numpy as np

from antbench import runs
from antbench.command import BadInput
from antbench.inference import STATISTICS, compare, log_statistics, matched, surely, together

SCHEMA = 3
SHORT_US = 50
RATE = 0.001  # of a kind; a gate of all drivers has ten on a GPU
USUAL = 0.95  # of the changes of single rows, which a limit is not below
MANY = 20  # rows that are judged together, at least
TOGETHER = "all rows together"
OF_LEAST_TOGETHER = 1 / 3  # of the least slowdown of a row that counts
PROCESSES = (1, 2, 3, 5, 7, 10)  # a side; a gate of others has the limits of the next fewer
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
    yours = runs.yours() / slug / FILE
    stored = runs.RESULTS / "reference" / slug / FILE
    return stored if stored.exists() and not yours.exists() else yours


class Calibration:
    """What is known of a machine; of nothing where there is no file."""

    def __init__(self, kinds=None, path=None):
        self.kinds, self.path = kinds or {}, path

    def knows(self, kind):
        return kind in self.kinds

    def thresholds(self, kind, processes, least, confirmed):
        """The change of each statistic, a logarithm, that is no chance any more; inf where that is not known."""
        floor = np.full(len(STATISTICS), math.log1p(least))
        if kind not in self.kinds:
            return floor
        table = self.kinds[kind]["threshold_percent"]["confirmed" if confirmed else "once"]
        k = max((k for k in map(int, table) if k <= max(processes, 1)), default=1)
        percent = [math.inf if table[str(k)][name] is None else table[str(k)][name] for name in STATISTICS]
        return np.maximum(floor, np.log1p(np.array(percent) / 100))


def read(path):
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        assert found["schema"] == SCHEMA
        kinds = found["kinds"]
        for of_kind in kinds.values():
            assert all(
                set(each) == set(STATISTICS)
                for table in of_kind["threshold_percent"].values()
                for each in table.values()
            )
        return Calibration(kinds, path)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise BadInput(f"{path}:1: not a calibration of this version: make calibrate") from None


# ---- Making one ----


def observations(measured):
    """{kind: array of processes x rows x statistics, logarithms} of runs of one driver, unchanged, oldest first.

    Only rows that every process of every run has.
    """
    rows, seen = {}, set()
    for index, of_run in enumerate(measured):
        for row in of_run.to_dict("records"):
            for process, samples in enumerate(runs.processes(row) if row["samples"] > 0 else []):
                seen.add((index, process))
                rows.setdefault(tuple(row[name] for name in runs.KEY), (row, {}))[1][index, process] = samples
    found = {}
    for row, of_process in rows.values():
        if of_process.keys() == seen:
            [processes] = matched([of_process[which] for which in sorted(seen)])
            values = np.array([log_statistics(samples) for samples in processes])
            if not np.isnan(values[:, 0]).any():
                found.setdefault(kind_of(row, math.exp(np.median(values[:, 0]))), []).append(values)
    return {kind: np.stack(of_kind, axis=1) for kind, of_kind in found.items()}


def gates(values, processes, draws, random):
    """Yields gates of unchanged code in batches: ((BASE, NEW), both measured again).

    Each side is an array of processes x draws x rows x statistics.
    """
    for _ in range(draws // BATCH):
        yield tuple(tuple(values[side] for side in sides(len(values), processes, random)) for _ in range(2))


def sides(n, processes, random):
    """Which of n processes are BASE's and NEW's, in BATCH gates: as many as there are, each as often as the others."""
    order, half = random.permuted(np.tile(np.arange(n), (BATCH, 1)), axis=1).T, n // 2
    again = np.arange(processes) % half
    return order[:half][again], order[half : 2 * half][again]


def largest(values, processes, random, form):
    """Of DRAWS gates: the largest change that any row surely has, the largest that one has both times, and every change."""
    once, twice, every = [], [], []
    for both in gates(values, processes, DRAWS, random):
        compared = [compare(*form(*gate)) for gate in both]
        first, second = (surely(*each) for each in compared)
        once.append(first.max(axis=1))
        twice.append(np.minimum(first, second).max(axis=1))
        every.append(np.abs(compared[0][0]))
    return {"once": np.concatenate(once), "confirmed": np.concatenate(twice), "every": np.concatenate(every)}


def as_it_is(base, new):
    return base, new


def form_of(kind):
    """How a kind's rows are compared: all as one, or each."""
    return together if kind.endswith(TOGETHER) else as_it_is


def all_rows(of_drivers):
    """What `observations` of each driver are for the kinds of all rows together: of each driver and of all of them."""
    found = {}
    for of_driver in of_drivers:
        for kind, values in of_driver.items():
            found.setdefault(kind.split()[0], {}).setdefault(id(of_driver), []).append(values)
    together_ = {}
    for backend, by_driver in found.items():
        n = min(len(values) for each in by_driver.values() for values in each)
        each = [np.concatenate([values[:n] for values in driver], axis=1) for driver in by_driver.values()]
        each = [values.copy() for values in (*each, np.concatenate(each, axis=1)) if values.shape[1] >= MANY]
        for values in each:
            values[:, :, STATISTICS.index("p95")] = np.nan  # which few rows have
        if each:
            together_[f"{backend} {TOGETHER}"] = each
    return together_


def describe(values_of_driver, of_processes=PROCESSES, kind=""):
    """The entry of a kind, from the observations of each driver that has rows of it."""
    # A tail that no row has is not known.
    unknown = np.all([np.isnan(values).all(axis=(0, 1)) for values in values_of_driver], axis=0)
    tables = {"once": {}, "confirmed": {}}
    for k in of_processes:
        random = np.random.default_rng((SEED, k))
        of_drivers = [largest(values, k, random, form_of(kind)) for values in values_of_driver]
        every = np.concatenate([of_driver["every"].reshape(-1, len(STATISTICS)) for of_driver in of_drivers])
        usual = np.array([np.quantile(known, USUAL) if len(known) else 0.0 for known in map(without_nan, every.T)])
        for name, table in tables.items():
            limits = np.quantile(np.max([of_driver[name] for of_driver in of_drivers], axis=0), 1 - RATE, axis=0)
            limits = np.maximum(limits, usual)
            table[str(k)] = percents(np.where(unknown, np.nan, np.expm1(limits)))
    return {
        "rows": int(max(values.shape[1] for values in values_of_driver))
        if kind.endswith(TOGETHER)
        else int(sum(values.shape[1] for values in values_of_driver)),
        "processes": min(map(len, values_of_driver)),
        "threshold_percent": tables,
    }


def without_nan(values):
    return values[~np.isnan(values)]


def percents(values):
    return {name: None if np.isnan(value) else float(f"{100 * value:.3g}") for name, value in zip(STATISTICS, values)}
