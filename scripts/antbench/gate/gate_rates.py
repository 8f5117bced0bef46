"""How often the gate is right, by stored runs of unchanged code: the tables of docs/log/gate.md.

    python3 scripts/antbench gate-rates RUN...
    python3 scripts/antbench gate-rates --quality RUN...

RUNs are processes that took turns. Of a kind's processes, as many as the gates need are drawn, and the others say what
the gate knows of the kind: never those that it judges. That is done PARTITIONS times. Gates are drawn from whole processes,
as they are, with all of their rows: none is on both sides or twice on one. A gate that measures again has other processes
then, where there are enough; else the same ones, dealt out anew. Some gates are of code all rows of which are slower by a
known amount.

With --quality, gates are drawn whose rows' qualities vary as those of the RUNs' rows do, each by its own spread.
"""

import argparse
from dataclasses import replace

import numpy as np

from antbench.data import command, inference, runs
from antbench.data.command import BadInput
from antbench.gate import calibrate, calibration, regress

PARTITIONS, DRAWS = 10, 200  # gates of each
OTHERS = 2  # processes that say how much a kind varies, at least
QUALITY_DRAWS = 400
QUALITY_RUNS = (3, 10)
LEAST = 0.03
PLANTED = (0.0, 0.02, 0.05, 0.10)


def gates(n, processes, random):
    """(BASE, NEW), twice, of DRAWS gates, each processes x DRAWS: which of n processes they are."""
    orders = [random.permuted(np.tile(np.arange(n), (DRAWS, 1)), axis=1).T for _ in range(2)]
    order = orders[0] if n >= 4 * processes else np.concatenate([order[: 2 * processes] for order in orders])
    return order[: 4 * processes].reshape(2, 2, processes, DRAWS)


def rates(values, rules, processes, random, kind):
    """For each of PLANTED, once and confirmed: draws x rows, whether a row is called slower."""
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
    """What inference.compare says of each gate if NEW's processes all take so much longer."""
    return [tuple(each + np.log1p(planted) for each in one) for one in compared]


def judged(values_of_driver, rows, processes, kind=""):
    """For each of PLANTED, once and confirmed: the share of gates with an alarm (0), or the mean share of gates that find a
    row. The gates have so many rows; None where there are too few processes for them."""
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
    """Yields (kind, k, what is judged of it); at the end, the alarms of gates of all kinds together."""
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
    parser = argparse.ArgumentParser(prog="antbench-results gate-rates", description=__doc__.splitlines()[0])
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
    print(
        "| processes a side | kind | rows | "
        + " | ".join(f"{n}, once | confirmed" for n in ["false alarms", *names])
        + " |"
    )
    print("|--:|---|--:|" + 2 * len(PLANTED) * "--:|")
    for kind, k, numbers in table(groups, options.processes):
        shown = [f"{100 * number:.2f} %" for number in numbers] + 2 * len(PLANTED) * [""]
        print(f"| {k} | {kind} | {rows.get(kind, '')} | {' | '.join(shown[: 2 * len(PLANTED)])} |", flush=True)
    return command.OK
