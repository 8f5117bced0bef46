"""How much unchanged code varies between processes on a machine, and what the gate makes of it.

Rows are of a kind: a backend, a scope and whether a row takes less than SHORT_US, such as "cuda iteration" or "cuda
stage under 50 us". Rows as short as a launch vary by more percent. The kind "cuda all rows together" is the median row
of a gate with MANY rows or more, judged as one row.

`make calibrate` measures the same code in processes that take turns. It keeps how much processes of a usual row of a
kind differ, and how much rows of the kind differ in this: a variance and its degrees of freedom. In a gate both count
beside a row's own variance (antbench.data.inference). So a few unsteady rows widen their own limits, not the limits of
their kind. A row of a kind without a calibration cannot fail a build.
"""

import json
import math
from pathlib import Path

import numpy as np

from antbench.data import inference, runs, validate
from antbench.data.command import BadInput
from antbench.data.inference import STATISTICS, log_statistics, matched

SCHEMA = 4
SHORT_US = 50
MANY = 20  # fewest rows that are judged together
TOGETHER = "all rows together"
OF_LEAST_TOGETHER = 1 / 3  # least slowdown of all rows together, as a share of a single row's
ENOUGH = 6  # fewest processes from which a kind is calibrated
FILE = "calibration.json"


def kind_of(row, ms):
    """The kind of a row that takes `ms`."""
    return f"{row['backend']} {row['scope']}" + (f" under {SHORT_US} us" if 1e3 * ms < SHORT_US else "")


def path_for(run):
    """The calibration of the machine that measured `run`: yours if there is one, else the stored one."""
    slug = runs.machine_slug(run.meta.get("machine", {}).get("name", ""))
    yours = runs.yours() / slug / FILE
    stored = runs.RESULTS / "reference" / slug / FILE
    return stored if stored.exists() and not yours.exists() else yours


class Calibration:
    """What is known of a machine's kinds; empty without a file. `lack` and `remedy` are said of a kind not known.

    Nothing is known of rows with less than `fewest` processes on a side.
    """

    def __init__(self, kinds=None, path=None, lack="not calibrated here", remedy="make calibrate", fewest=1):
        self.kinds, self.path, self.lack, self.remedy, self.fewest = kinds or {}, path, lack, remedy, fewest

    def knows(self, kind, processes):
        """True if a row of this kind, with so many processes per side, may be slower."""
        return kind in self.kinds and processes >= self.fewest

    def limits(self, kind, sizes, least, p, squares=None):
        """For each statistic the change, as a logarithm, from which it is not chance (inference.limit); at least
        `least`.

        It is inf if unknown. Without `squares` it is the limit of a usual row of the kind.
        """
        floor = math.log1p(least)
        if not self.knows(kind, min(sizes)):
            return np.full(len(STATISTICS), floor)
        prior = self.kinds[kind]["prior"]
        known = [prior[name] or {"df": 1, "spread_percent": math.nan} for name in STATISTICS]
        spread = np.log1p(np.array([each["spread_percent"] for each in known]) / 100)
        found = inference.limit(sizes, squares, (np.array([each["df"] for each in known]), spread**2), p)
        return np.where(np.isnan(found), math.inf, np.maximum(floor, found))


def read(path):
    try:
        found = json.loads(validate.bytes_of(Path(path), validate.LARGEST_JSON))
        assert found["schema"] == SCHEMA
        kinds = found["kinds"]
        for of_kind in kinds.values():
            assert set(of_kind["prior"]) == set(STATISTICS)
            assert all(each is None or each["df"] > 0 <= each["spread_percent"] for each in of_kind["prior"].values())
        return Calibration(kinds, path)
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise BadInput(f"{path}:1: not a calibration of this version; make calibrate makes a new one") from None


# ---- Making one ----


def observations(measured):
    """{kind: array of processes x rows x statistics, logarithms} from runs of one driver, oldest first.

    Only rows that every process of every run has are taken.
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
    """The function that prepares a kind's rows for a comparison: it combines them to one row, or keeps each."""
    return inference.together if kind.endswith(TOGETHER) else lambda base, new: (base, new)


def all_rows(of_drivers):
    """The observations for the kinds of all rows together: of each driver, and of all drivers as one."""
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
            values[:, :, STATISTICS.index("p95")] = np.nan  # few rows have a 95th percentile
        if each:
            together_[f"{backend} {TOGETHER}"] = each
    return together_


def describe(values_of_driver, kind=""):
    """The entry of a kind in the calibration file, from the observations of each driver that has such rows."""
    form, n_rows = form_of(kind), [values.shape[1] for values in values_of_driver]
    formed = [form(values, values)[0] for values in values_of_driver]
    variances = np.concatenate([values.var(axis=0, ddof=1) for values in formed])
    df = np.concatenate([np.full(values.shape[1], len(values) - 1) for values in formed])
    return {
        "rows": int(max(n_rows) if kind.endswith(TOGETHER) else sum(n_rows)),
        "processes": min(map(len, values_of_driver)),
        "prior": {name: prior(variances[:, i], df) for i, name in enumerate(STATISTICS)},
    }


def prior(variances, df, few=inference.MOST_PRIOR_DF):
    """What these variances say of another row's variance, NaN where a row has no tail; None if no row has one.

    `few` is the degrees of freedom that they count for if there are too few rows.
    """
    known = ~np.isnan(variances)
    if not known.any():
        return None  # no row has enough samples for a 95th percentile
    of, variance = inference.prior_of(variances[known], df[known])
    if of == 0:  # too few rows
        of, variance = few, variances[known].mean()
    return {"df": float(f"{of:.3g}"), "spread_percent": float(f"{100 * math.expm1(math.sqrt(variance)):.3g}")}
