"""How often the gate is right, by stored runs of unchanged code: the table of docs/ci.md.

    PYTHONPATH=scripts python3 -m antbench.gate_rates RUN...

RUNs are processes that took turns. Gates are drawn from one half of them, as for a calibration
(antbench.calibration.gates), and judged as the gate does and by the limits that the other half gives; then the other
way round. Some are of code all rows of which are slower by a known amount.
"""

import argparse
import sys

import numpy as np

from antbench import calibrate, calibration, command, inference
from antbench.command import BadInput

DRAWS = 2000
LEAST = 0.03
PLANTED = (0.05, 0.10)


def over(gate, limits, planted):
    """Whether the gate calls each row slower, draws x rows, if NEW's all take so much longer."""
    base, new = gate
    return (inference.surely(*inference.compare(base, new + np.log1p(planted))) >= limits).any(axis=2)


def rates(values, described, processes, random):
    """For each of "once", "confirmed" and what is planted: draws x rows, whether a row is called slower."""
    known = calibration.Calibration({"kind": described})
    once, confirmed = (known.thresholds("kind", processes, LEAST, c) for c in (False, True))
    found = {name: [] for name in ("once", "confirmed", *PLANTED)}
    for first, second in calibration.gates(values, processes, DRAWS, random):
        found["once"].append(over(first, once, 0))
        for name, planted in (("confirmed", 0), *((planted, planted) for planted in PLANTED)):
            found[name].append(over(first, confirmed, planted) & over(second, confirmed, planted))
    return {name: np.concatenate(batches) for name, batches in found.items()}


def judged(values_of_driver, others, processes):
    """Shares: of gates with an alarm, once and confirmed; of each of PLANTED found; of rows where 99 % of the last is."""
    described, random = calibration.describe(others, [processes]), np.random.default_rng(processes)
    each = [rates(values, described, processes, random) for values in values_of_driver]
    alarms = [np.any([of_driver[name].any(axis=1) for of_driver in each], axis=0) for name in ("once", "confirmed")]
    found = [np.concatenate([of_driver[planted] for of_driver in each], axis=1).mean(axis=0) for planted in PLANTED]
    return [*(alarm.mean() for alarm in alarms), *(of_rows.mean() for of_rows in found), (found[-1] >= 0.99).mean()]


def halves(values_of_driver):
    """Of the processes, those of before and those of after."""
    cuts = [(values, len(values) // 2) for values in values_of_driver]
    return [values[:cut] for values, cut in cuts], [values[cut:] for values, cut in cuts]


def table(groups, processes):
    """Yields (kind, k, what is judged of it); at the end, the alarms of gates of all kinds together."""
    found = sorted(calibrate.observations(groups).items())
    kinds = {kind: halves(values) for kind, values in found if kind.startswith("cuda")}
    for k in processes:
        passed = np.ones(2)
        for kind, (before, after) in kinds.items():
            numbers = np.mean([judged(before, after, k), judged(after, before, k)], axis=0)
            passed *= 1 - numbers[:2]
            yield kind, k, numbers
        yield "all together", k, 1 - passed


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench.gate_rates", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="runs of unchanged code")
    parser.add_argument("--processes", type=int, nargs="+", default=[3, 5, 7])
    options = parser.parse_args(arguments)
    groups = calibrate.groups_of(options.runs).values()
    found = calibrate.observations(groups)
    rows = {kind: sum(values.shape[1] for values in of_drivers) for kind, of_drivers in found.items()}
    if not rows:
        raise BadInput(f"nothing there was timed by {calibration.ENOUGH} processes of one code")
    print("| processes a side | kind | rows | false alarms of gates, once | confirmed ", end="")
    print("| 5 % found | 10 % found | rows with 10 % in 99 % |")
    print("|--:|---|--:|--:|--:|--:|--:|--:|")
    for kind, k, numbers in table(groups, options.processes):
        shown = [f"{100 * number:.2f} %" for number in numbers]
        print(f"| {k} | {kind} | {rows.get(kind, '')} | {' | '.join([*shown, '', '', ''][:5])} |", flush=True)
    return command.OK


if __name__ == "__main__":
    command.run(lambda: main(sys.argv[1:]))
