"""How much unchanged code varies between processes on a machine, for each kind of rows, and what the gate makes of it.

A kind is a backend and a scope: "cuda iteration". From processes that measured the same code (`make calibrate`), each
row's deviation from its mean over the processes is taken; all rows of a process stay together, since they shift together.
Gates of k processes a side are then drawn from these, and the threshold of a kind is what the largest
deviation of any of its rows stays under in nearly all of them: in RATES["once"] of the gates it would not, or, where
rows found slower are measured a second time, in RATES["confirmed"]. So the threshold holds for all rows of the kind
together. A row that is of no calibrated kind cannot fail a build.
"""

import json
import math
from pathlib import Path

import numpy as np

from antbench import runs
from antbench.command import BadInput
from antbench.inference import STATISTICS, log_statistics

SCHEMA = 2
RATES = {"once": 0.002, "confirmed": 0.01}  # of a kind; a gate of all drivers has five on a GPU
PROCESSES = (1, 2, 3, 5, 10)  # a side
ENOUGH = 5  # processes that tell which rows vary most
DRAWS = 4000
SEED = 1
FILE = "calibration.json"


def kind_of(row):
    return f"{row['backend']} {row['scope']}"


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


def deviations(measured):
    """{kind: (rows, array of processes x rows x statistics)} of the rows of runs of one driver, unchanged.

    Only rows that every process of every run has.
    """
    keys, seen = {}, set()
    for index, rows in enumerate(measured):
        for row in rows.to_dict("records"):
            of_row = runs.processes(row) if row["samples"] > 0 else []
            for process, samples in enumerate(of_row):
                seen.add((index, process))
                kept = samples[~np.isnan(samples)]
                keys.setdefault((kind_of(row), *(row[name] for name in runs.KEY)), {})[index, process] = kept
    found = {}
    for (kind, *key), of_process in keys.items():
        if of_process.keys() == seen:
            n = min(map(len, of_process.values()))
            values = np.array([log_statistics(of_process[which][:n]) for which in sorted(seen)])
            found.setdefault(kind, []).append((tuple(key), values))
    return {
        kind: ([key for key, _ in of_kind], centred(np.stack([values for _, values in of_kind], axis=1)))
        for kind, of_kind in found.items()
    }


def centred(values):
    """Deviations from the mean over processes, as large as those of independent processes."""
    n = len(values)
    return (values - values.mean(axis=0)) * math.sqrt(n / (n - 1))


def drawn(effects, processes, draws, random):
    """Differences NEW - BASE of unchanged code, draws x rows x statistics: `processes` a side, of random sign.

    Of ENOUGH processes each is drawn as a whole, so that a row that varies more than others does so here too. Of fewer,
    what all rows of a process have in common is drawn from a normal distribution, and the rest of each row from all rows
    of the kind: two or three processes do not tell which row varies most.
    """
    found = np.zeros((draws, *effects.shape[1:]))
    if len(effects) >= ENOUGH:
        for _ in range(2 * processes):
            chosen = random.integers(len(effects), size=draws)
            found += effects[chosen] * random.choice([-1.0, 1.0], size=(draws, 1, 1))
        return found / processes
    common = np.nan_to_num(np.nanmean(np.nan_to_num(effects), axis=1, keepdims=True))
    rest = (effects - common).reshape(-1, effects.shape[2])
    for _ in range(2 * processes):
        chosen = random.integers(len(rest), size=found.shape[:2])
        found += rest[chosen] * random.choice([-1.0, 1.0], size=(*found.shape[:2], 1))
        found += np.sqrt(np.square(common).mean(axis=0)) * random.normal(size=(draws, 1, 1))
    return found / processes


def describe(effects_of_driver):
    """The entry of a kind, from the deviations of each driver that has rows of it."""
    random = np.random.default_rng(SEED)
    every = np.concatenate([e.reshape(-1, len(STATISTICS)) for e in effects_of_driver])
    sd = np.sqrt(np.nansum(np.square(every), axis=0) / np.maximum((~np.isnan(every)).sum(axis=0), 1))
    sd = np.where(sd == 0, 1e-4, sd)  # a tail that nobody has, a clock that never moved
    tables = {name: {} for name in RATES}
    for k in PROCESSES:
        worst = [np.nanmax(np.abs(drawn(e, k, DRAWS, random)) / sd, axis=(1, 2)) for e in effects_of_driver]
        for name, rate in RATES.items():
            limit = max(np.quantile(of_driver, 1 - rate) for of_driver in worst)
            tables[name][str(k)] = percents(np.expm1(limit * sd))
    return {
        "rows": int(sum(e.shape[1] for e in effects_of_driver)),
        "processes": int(min(e.shape[0] for e in effects_of_driver)),
        "sd_percent": percents(sd),
        "threshold_percent": tables,
    }


def percents(values):
    return {name: float(f"{100 * value:.3g}") for name, value in zip(STATISTICS, values)}
