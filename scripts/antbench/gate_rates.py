"""How often the gate is right, by stored runs of unchanged code: the tables of docs/ci.md.

    PYTHONPATH=scripts python3 -m antbench.gate_rates RUN...

Gates are drawn as for a calibration (antbench.calibration.drawn), one process after another, and judged by the gate's own
limits and test. Where a kind of row was measured by several groups of runs, each group is judged by the limits of the
others; where there is one group alone, by its own, and the table says so.
"""

import argparse
import sys

import numpy as np
from scipy import stats

from antbench import calibrate, calibration, command, inference
from antbench.regress import ALPHA

DRAWS = 2000
LEAST = 0.03
PLANTED = (0.05, 0.10)


def sides_of(effects, processes, draws, random):
    """Processes of unchanged code, draws x 2 * processes x rows x statistics."""
    one_each = [calibration.drawn(effects, 1, draws, random) / np.sqrt(2) for _ in range(2 * processes)]
    return np.stack(one_each, axis=1)


def over(base, new, sd, limits, share, planted):
    """Whether the gate calls each row slower, draws x rows."""
    change, error, df = inference.compare(np.moveaxis(base, 1, 0), np.moveaxis(new, 1, 0), sd, paired=False)
    change = change + np.log1p(planted)
    p = stats.t.sf(change / error, df)
    significant = (p < ALPHA) if share == 1 else True
    return ((change >= share * limits) & significant).any(axis=2)


def rates(effects, described, processes, random):
    """{"alarm once", "alarm confirmed", then what is planted: the share of its rows that are found and confirmed}."""
    known = calibration.Calibration({"kind": described})
    sd = known.sd("kind")
    first, second = (np.nan_to_num(sides_of(effects, processes, DRAWS, random)) for _ in range(2))
    halves = [(both[:, :processes], both[:, processes:]) for both in (first, second)]
    limits = {c: known.thresholds("kind", processes, LEAST, c) for c in (False, True)}
    once = over(*halves[0], sd, limits[False], 1, 0).any(axis=1).mean()
    twice = (over(*halves[0], sd, limits[True], 1, 0) & over(*halves[1], sd, limits[True], 0.5, 0)).any(axis=1).mean()
    found = {
        planted: (over(*halves[0], sd, limits[True], 1, planted) & over(*halves[1], sd, limits[True], 0.5, planted)).mean()
        for planted in PLANTED
    }
    return {"once": once, "confirmed": twice, **found}


def table(groups, processes):
    """Yields (kind, k, rates, whether judged by other groups' limits)."""
    of_kind = {}
    for group in groups:
        for kind, (_, effects) in calibration.deviations([run.rows for run in group]).items():
            of_kind.setdefault(kind, []).append(effects)
    for kind, found in sorted(of_kind.items()):
        if not kind.startswith("cuda"):
            continue
        described = [
            calibration.describe([e for j, e in enumerate(found) if j != i] or found) for i in range(len(found))
        ]
        for k in processes:
            random = np.random.default_rng(k)
            each = [rates(effects, known, k, random) for effects, known in zip(found, described)]
            yield kind, k, {name: float(np.mean([one[name] for one in each])) for name in each[0]}, len(found) > 1


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench.gate_rates", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="runs of unchanged code")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 3, 5, 10])
    options = parser.parse_args(arguments)
    groups = list(calibrate.groups_of(options.runs).values())
    print("| kind | processes a side | false alarms of gates, once | confirmed | 5 % found | 10 % found | limits of |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for kind, k, found, others in table(groups, options.processes):
        numbers = " | ".join(f"{100 * value:.2f} %" if i < 2 else f"{100 * value:.1f} %" for i, value in enumerate(found.values()))
        print(f"| {kind} | {k} | {numbers} | {'other runs' if others else 'the same runs'} |", flush=True)
    return command.OK


if __name__ == "__main__":
    command.run(lambda: main(sys.argv[1:]))
