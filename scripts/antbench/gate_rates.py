"""How often the gate is right, by stored runs of unchanged code: the tables of docs/ci.md.

    PYTHONPATH=scripts python3 -m antbench.gate_rates RUN...
    PYTHONPATH=scripts python3 -m antbench.gate_rates --quality RUN...

RUNs are processes that took turns. Gates are drawn from one half of them, as for a calibration
(antbench.calibration.gates), and judged as the gate does and by the limits that the other half gives; then the other
way round. Some are of code all rows of which are slower by a known amount.

With --quality, gates are drawn whose rows' qualities vary as those of the RUNs' rows do, each by its own spread.
"""

import argparse
import sys

import numpy as np

from antbench import calibrate, calibration, command, inference, regress, runs
from antbench.command import BadInput

DRAWS = 2000
QUALITY_DRAWS = 400
QUALITY_RUNS = (3, 10)
LEAST = 0.03
PLANTED = (0.0, 0.02, 0.05, 0.10)


def over(gate, limits, planted):
    """Whether the gate calls each row slower, draws x rows, if NEW's all take so much longer."""
    base, new = gate
    return (inference.surely(*inference.compare(base, new + np.log1p(planted))) >= limits).any(axis=2)


def rates(values, described, processes, random, kind):
    """For each of PLANTED, once and confirmed: draws x rows, whether a row is called slower."""
    known = calibration.Calibration({kind: described})
    least = LEAST * (calibration.OF_LEAST_TOGETHER if kind.endswith(calibration.TOGETHER) else 1)
    once, confirmed = (known.thresholds(kind, processes, least, c) for c in (False, True))
    form, found = calibration.form_of(kind), {}
    for both in calibration.gates(values, processes, DRAWS, random):
        first, second = (form(*gate) for gate in both)
        for planted in PLANTED:
            found.setdefault((planted, "once"), []).append(over(first, once, planted))
            twice = over(first, confirmed, planted) & over(second, confirmed, planted)
            found.setdefault((planted, "confirmed"), []).append(twice)
    return {name: np.concatenate(batches) for name, batches in found.items()}


def judged(values_of_driver, others, processes, kind=""):
    """For each of PLANTED, once and confirmed: the share of gates with an alarm (0), or the mean share of gates that find a
    row."""
    described = calibration.describe(others, [processes], kind)
    random = np.random.default_rng(processes)
    each = [rates(values, described, processes, random, kind) for values in values_of_driver]
    return np.array(
        [
            np.any([found[name].any(axis=1) for found in each], axis=0).mean()
            if name[0] == 0
            else np.concatenate([found[name] for found in each], axis=1).mean()
            for name in each[0]
        ]
    )


def halves(values_of_driver):
    """Of the processes, every other one: what changed meanwhile is in both."""
    return [values[::2] for values in values_of_driver], [values[1::2] for values in values_of_driver]


def table(groups, processes):
    """Yields (kind, k, what is judged of it); at the end, the alarms of gates of all kinds together."""
    found = sorted(calibrate.observations(groups).items())
    kinds = {kind: halves(values) for kind, values in found if kind.startswith("cuda")}
    for k in processes:
        passed = np.ones(2)
        for kind, (one, other) in kinds.items():
            numbers = np.mean([judged(one, other, k, kind), judged(other, one, k, kind)], axis=0)
            passed *= 1 - numbers[:2]
            yield kind, k, numbers
        yield "all kinds", k, 1 - passed


# ---- Quality ----


def spreads(loaded):
    """{driver: [(metric, standard deviation of a row's runs)]}: of each row where it has the most runs."""
    most = {}
    for run in loaded:
        for row in run.records:
            values, metric = runs.quality_of_runs(row), regress.metric_of(row)
            key = (run.driver, *(row[name] for name in runs.KEY))
            if regress.direction(metric) is not None and len(values) > max(2, len(most.get(key, ("", ()))[1])):
                most[key] = metric, values
    found = {}
    for (driver, *_), (metric, values) in most.items():
        of = np.log(values) if metric.startswith("best-tour") else np.array(values)
        found.setdefault(driver, []).append((metric, of.std(ddof=1)))
    return found


def quality_alarms(rows, n, random):
    """Shares of QUALITY_DRAWS gates of unchanged code, n runs a side: with a row that is worse, inconclusive."""
    found = []
    for _ in range(QUALITY_DRAWS):
        drawn = [(metric, random.normal(0, spread, (2, n))) for metric, spread in rows]
        pairs = [quality_of(metric, *both) for metric, both in drawn]
        p_values = regress.worse_p(pairs)
        corrected = inference.holm(p_values)
        verdicts = {each.judge(p, q).verdict for each, p, q in zip(pairs, p_values, corrected)}
        found.append([verdict in verdicts for verdict in ("worse", "inconclusive")])
    return np.mean(found, axis=0)


def quality_of(metric, base, new):
    """Of one row; tours vary by their logarithm."""
    level = np.exp if metric.startswith("best-tour") else np.asarray
    return regress.Quality({}, metric, metric, level(base), level(new))


def print_quality_rates(loaded):
    print("| driver | rows | runs a side | gates with a row worse | inconclusive |")
    print("|---|--:|--:|--:|--:|")
    for driver, rows in sorted(spreads(loaded).items()):
        for n in QUALITY_RUNS:
            alarms = quality_alarms(rows, n, np.random.default_rng(n))
            shown = " | ".join(f"{100 * alarm:.1f} %" for alarm in alarms)
            print(f"| {driver} | {len(rows)} | {n} | {shown} |", flush=True)


# ---- The program ----


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench.gate_rates", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="runs of unchanged code")
    parser.add_argument("--processes", type=int, nargs="+", default=[3, 5, 7])
    parser.add_argument("--quality", action="store_true", help="of the qualities")
    options = parser.parse_args(arguments)
    if options.quality:
        print_quality_rates([run for name in options.runs for run in runs.load_runs(name)])
        return command.OK
    groups = calibrate.groups_of(options.runs).values()
    found = calibrate.observations(groups)
    rows = {kind: sum(values.shape[1] for values in of_drivers) for kind, of_drivers in found.items()}
    rows.update({kind: values[-1].shape[1] for kind, values in found.items() if kind.endswith(calibration.TOGETHER)})
    if not rows:
        raise BadInput(f"nothing there was timed by {calibration.ENOUGH} processes of one code")
    names = [f"{100 * planted:g} % found" for planted in PLANTED[1:]]
    print("| processes a side | kind | rows | " + " | ".join(f"{n}, once | confirmed" for n in ["false alarms", *names]) + " |")
    print("|--:|---|--:|" + 2 * len(PLANTED) * "--:|")
    for kind, k, numbers in table(groups, options.processes):
        shown = [f"{100 * number:.2f} %" for number in numbers] + 2 * len(PLANTED) * [""]
        print(f"| {k} | {kind} | {rows.get(kind, '')} | {' | '.join(shown[: 2 * len(PLANTED)])} |", flush=True)
    return command.OK


if __name__ == "__main__":
    command.run(lambda: main(sys.argv[1:]))
