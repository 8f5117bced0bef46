"""How much unchanged code varies between processes on a machine, for each kind of rows, and what the gate makes of it.

A kind is a backend, a scope and whether a row takes less than SHORT_US: "cuda iteration", "cuda stage under 50 us".
What is so short that launching it takes as long varies by more percent than what is not. "cuda all rows together" is the
median row of a gate of MANY rows or more, as one row.

Processes that took turns measuring the same code (`make calibrate`) say by how much processes of a usual row of a kind
differ, and how much rows of the kind differ in that: the variance and its degrees of freedom that count beside a row's own
in a gate (antbench.data.inference). So a few rows that vary by much widen their own limits, not those of their kind. A row of
no calibrated kind cannot fail a build.
"""

import json
import math
from pathlib import Path

import numpy as np

from antbench.data import inference, runs
from antbench.data.command import BadInput
from antbench.data.inference import STATISTICS, log_statistics, matched

SCHEMA = 4
SHORT_US = 50
MANY = 20  # rows that are judged together, at least
TOGETHER = "all rows together"
OF_LEAST_TOGETHER = 1 / 3  # of the least slowdown of a row that counts
ENOUGH = 6  # processes below which nothing is said of a kind
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

    def limits(self, kind, sizes, least, p, squares=None):
        """The change of each statistic, a logarithm, that is no chance any more (inference.limit): `least` at least.

        inf where that is not known. Of a usual row of the kind where squares are None.
        """
        floor = math.log1p(least)
        if kind not in self.kinds:
            return np.full(len(STATISTICS), floor)
        prior = self.kinds[kind]["prior"]
        known = [prior[name] or {"df": 1, "spread_percent": math.nan} for name in STATISTICS]
        spread = np.log1p(np.array([each["spread_percent"] for each in known]) / 100)
        found = inference.limit(sizes, squares, (np.array([each["df"] for each in known]), spread**2), p)
        return np.where(np.isnan(found), math.inf, np.maximum(floor, found))


def read(path):
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        assert found["schema"] == SCHEMA
        kinds = found["kinds"]
        for of_kind in kinds.values():
            assert set(of_kind["prior"]) == set(STATISTICS)
            assert all(each is None or each["df"] > 0 <= each["spread_percent"] for each in of_kind["prior"].values())
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
        for row in runs.records_of(of_run):
            for process, samples in enumerate(runs.processes(row) if row["samples"] > 0 else []):
                seen.add((index, process))
                rows.setdefault(tuple(row[name] for name in runs.KEY), (row, {}))[1][index, process] = samples
    found = {}
    for row, of_process in rows.values():
        if of_process.keys() == seen:
            [processes] = matched([of_process[which] for which in sorted(seen)])
            values = log_statistics(processes)
            if not np.isnan(values[:, 0]).any():
                found.setdefault(kind_of(row, math.exp(np.median(values[:, 0]))), []).append(values)
    return {kind: np.stack(of_kind, axis=1) for kind, of_kind in found.items()}


def form_of(kind):
    """How a kind's rows are compared: all as one, or each."""
    return inference.together if kind.endswith(TOGETHER) else lambda base, new: (base, new)


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


def describe(values_of_driver, kind=""):
    """The entry of a kind, from the observations of each driver that has rows of it."""
    form, n_rows = form_of(kind), [values.shape[1] for values in values_of_driver]
    formed = [form(values, values)[0] for values in values_of_driver]
    variances = np.concatenate([values.var(axis=0, ddof=1) for values in formed])
    df = np.concatenate([np.full(values.shape[1], len(values) - 1) for values in formed])
    return {
        "rows": int(max(n_rows) if kind.endswith(TOGETHER) else sum(n_rows)),
        "processes": min(map(len, values_of_driver)),
        "prior": {name: prior(variances[:, i], df) for i, name in enumerate(STATISTICS)},
    }


def prior(variances, df):
    """What rows of these variances, NaN where a row has no tail, say of another; None where no row has one."""
    known = ~np.isnan(variances)
    if not known.any():
        return None  # a tail that no row has
    of, variance = inference.prior_of(variances[known], df[known])
    if of == 0:  # of too few rows
        of, variance = inference.MOST_PRIOR_DF, variances[known].mean()
    return {"df": float(f"{of:.3g}"), "spread_percent": float(f"{100 * math.expm1(math.sqrt(variance)):.3g}")}
