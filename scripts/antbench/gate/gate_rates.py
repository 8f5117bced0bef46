"""How often the gate is right, from stored runs of unchanged code: the tables of docs/log/gate.md.

RUNs are processes that took turns. Some of a kind's processes are drawn for the gates. The others calibrate the gates,
so that no gate judges a process it was calibrated with. This is repeated PARTITIONS times. A gate consists of whole
processes with all of their rows, each on one side only. A gate that measures again gets other processes if there are
enough, else the same ones in a new order. Some gates get code that is slower in all rows by a known amount.

With --quality the gates' rows have random qualities, with the spread of the RUNs' rows.
"""

import argparse
from dataclasses import replace

import numpy as np

from antbench.data import command, inference, runs
from antbench.data.command import BadInput
from antbench.gate import calibrate, calibration, regress

PARTITIONS, DRAWS = 10, 200  # divisions of the processes; gates per division
OTHERS = 2  # fewest processes that calibrate a kind
QUALITY_DRAWS = 400
QUALITY_RUNS = (3, 10)
LEAST = 0.03
PLANTED = (0.0, 0.02, 0.05, 0.10)


def gates(n, processes, random):
    """The indices of the processes in DRAWS gates: (BASE, NEW) of the first and of the second measurement.

    Each is an array of `processes` x DRAWS.
    """
    orders = [random.permuted(np.tile(np.arange(n), (DRAWS, 1)), axis=1).T for _ in range(2)]
    order = orders[0] if n >= 4 * processes else np.concatenate([order[: 2 * processes] for order in orders])
    return order[: 4 * processes].reshape(2, 2, processes, DRAWS)


def rates(values, rules, processes, random, kind):
    """{(slowdown, "once" or "confirmed"): array of draws x rows, true if a row is called slower}
    for each of PLANTED.
    """
    form, found = calibration.form_of(kind), {}
    measured = [form(*(values[side] for side in gate)) for gate in gates(len(values), processes, random)]
    compared = [inference.compare(*gate) for gate in measured]
    for planted in PLANTED:
        for name, times in (("once", 1), ("confirmed", 2)):
            of = replace(rules, confirmed=times == 2)
            limits = [of.limits(kind, (processes, processes), inference.squares(*gate)) for gate in measured[:times]]
            slower = [inference.surely(*one) >= limit for one, limit in zip(shifted(compared, planted), limits)]
            found[planted, name] = np.all([each.any(axis=2) for each in slower], axis=0)
    return found


def shifted(compared, planted):
    """The result of inference.compare for each gate if all of NEW's processes take longer by `planted`."""
    return [tuple(each + np.log1p(planted) for each in one) for one in compared]


def judged(values_of_driver, rows, processes, kind=""):
    """A rate for each of PLANTED, once and confirmed; None if there are too few processes.

    For slowdown 0 it is the share of gates with an alarm, else the mean share of gates that find a row. Each gate has
    `rows` rows.
    """
    n = min(map(len, values_of_driver))
    if n < 2 * processes + OTHERS:
        return None
    found = []
    for partition in range(PARTITIONS):
        random = np.random.default_rng((processes, partition))
        drawn, others = np.split(random.permutation(n), [(4 if n >= 4 * processes + OTHERS else 2) * processes])
        known = calibration.Calibration(
            {kind: calibration.describe([values[others] for values in values_of_driver], kind)}
        )
        rules = regress.Rules(LEAST, known, rows=rows)
        found.append([rates(values[drawn], rules, processes, random, kind) for values in values_of_driver])
    return np.array([np.mean([share(name, each) for each in found]) for name in found[0][0]])


def share(name, of_drivers):
    slower = [found[name] for found in of_drivers]
    return np.any([each.any(axis=1) for each in slower], axis=0).mean() if name[0] == 0 else np.hstack(slower).mean()


def table(groups, processes):
    """Yields (kind, number of processes, its rates), and at the end the alarms of gates of all kinds together."""
    kinds = {kind: values for kind, values in sorted(calibrate.observations(groups).items()) if kind.startswith("cuda")}
    single = {kind: values for kind, values in kinds.items() if not kind.endswith(calibration.TOGETHER)}
    rows = sum(values.shape[1] for of_drivers in single.values() for values in of_drivers)
    for k in processes:
        numbers = {kind: judged(values, rows, k, kind) for kind, values in kinds.items()}
        numbers = {kind: each for kind, each in numbers.items() if each is not None}
        yield from ((kind, k, each) for kind, each in numbers.items())
        if numbers:
            yield "all kinds", k, 1 - np.prod([1 - each[:2] for each in numbers.values()], axis=0)


# ---- Quality ----


def spreads(loaded):
    """{driver: [(metric, standard deviation over a row's runs)]}, each row from the run in which it
    has the most runs.
    """
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
    """The shares of QUALITY_DRAWS gates of unchanged code with a row that is worse, and with an inconclusive one.

    Each side has `n` runs.
    """
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
    """The Quality of a row with these values; tours' lengths are given as logarithms."""
    level = np.exp if metric.startswith("best-tour") else np.asarray
    return regress.Quality({}, metric, metric, level(base), level(new))


def print_quality_rates(loaded):
    print("| driver | rows | runs per side | gates with a row worse | inconclusive |")
    print("|---|--:|--:|--:|--:|")
    for driver, rows in sorted(spreads(loaded).items()):
        for n in QUALITY_RUNS:
            alarms = quality_alarms(rows, n, np.random.default_rng(n))
            shown = " | ".join(f"{100 * alarm:.1f} %" for alarm in alarms)
            print(f"| {driver} | {len(rows)} | {n} | {shown} |", flush=True)


# ---- The program ----


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results gate-rates", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="runs of unchanged code")
    parser.add_argument("--processes", type=int, nargs="+", default=[3, 5, 7])
    parser.add_argument("--quality", action="store_true", help="rates for qualities, not for times")
    options = parser.parse_args(arguments)
    if options.quality:
        print_quality_rates([run for name in options.runs for run in runs.load_runs(name)])
        return command.OK
    groups = calibrate.groups_of(options.runs).values()
    found = calibrate.observations(groups)
    rows = {kind: sum(values.shape[1] for values in of_drivers) for kind, of_drivers in found.items()}
    rows.update({kind: values[-1].shape[1] for kind, values in found.items() if kind.endswith(calibration.TOGETHER)})
    if not rows:
        raise BadInput(f"no row of these runs was timed by {calibration.ENOUGH} processes of the same code")
    names = [f"{100 * planted:g} % found" for planted in PLANTED[1:]]
    print(
        "| processes per side | kind | rows | "
        + " | ".join(f"{n}, once | confirmed" for n in ["false alarms", *names])
        + " |"
    )
    print("|--:|---|--:|" + 2 * len(PLANTED) * "--:|")
    for kind, k, numbers in table(groups, options.processes):
        shown = [f"{100 * number:.2f} %" for number in numbers] + 2 * len(PLANTED) * [""]
        print(f"| {k} | {kind} | {rows.get(kind, '')} | {' | '.join(shown[: 2 * len(PLANTED)])} |", flush=True)
    return command.OK
