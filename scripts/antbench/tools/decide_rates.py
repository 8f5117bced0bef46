"""How often ab --decide is right: the tables of docs/log/gate.md.

    python3 scripts/antbench decide-rates RUN...
    python3 scripts/antbench decide-rates

RUNs are processes of unchanged code that took turns. They are dealt out to A and B at random, each to one side and once.
With --in-order neighbours are a pair. So a row has half as many pairs as processes. B's processes take longer by a known
share. --decide looks at the pairs one after the other. For comparison, ab without it looks once, at the same threshold.
Without RUNs, means of processes are drawn from the distributions of precise-rates.
"""

import argparse

import numpy as np

from antbench.data import command, inference
from antbench.data.command import BadInput
from antbench.gate import calibrate, calibration
from antbench.tools import ab, precise_rates

DRAWS, ROWS = 200, 20_000  # deals per stored row; simulated rows
SEED = 1
PLANTED = (0.0, 0.03, 0.05, 0.10)
MEAN = inference.STATISTICS.index("mean")


def decided(a, b, looks, errors, threshold=ab.Options.threshold / 100):
    """(verdict, number of pairs) of each row at the first of `looks` that decides, else at the last.

    A and B are arrays of processes x rows, logarithms.
    """
    ratios = [inference.mean_ratio(a[:pairs], b[:pairs], errors) for pairs in looks]
    verdicts = np.array([inference.verdict(low, high, threshold) for _, low, high in ratios])
    first = np.append(verdicts[:-1] != "undecided", np.ones_like(verdicts[:1], dtype=bool), axis=0).argmax(axis=0)
    return np.take_along_axis(verdicts, first[np.newaxis], axis=0)[0], np.array(looks)[first]


def dealt(values, random=None):
    """A and B of DRAWS deals of an array of processes x rows, or of one deal in their order if nothing is random.

    They are arrays of pairs x all deals' rows. The side that begins changes every time.
    """
    n, pairs = len(values), len(values) // 2
    orders = np.arange(n)[np.newaxis] if random is None else random.permuted(np.tile(np.arange(n), (DRAWS, 1)), axis=1)
    turns = orders[:, : 2 * pairs].reshape(-1, pairs, 2)
    turns[:, 1::2] = turns[:, 1::2, ::-1]
    return [values[turns[:, :, side].T].reshape(pairs, -1) for side in (0, 1)]


def stored(names, in_order=False):
    """Yields (kind, number of rows, [(A, B)])."""
    groups = calibrate.groups_of(names).values()
    for kind, of_drivers in sorted(calibrate.observations(groups).items()):
        if not kind.endswith(calibration.TOGETHER):
            found = [dealt(each[:, :, MEAN], None if in_order else np.random.default_rng(SEED)) for each in of_drivers]
            yield kind, sum(each.shape[1] for each in of_drivers), found


def simulated():
    for name, (draw, _) in precise_rates.DISTRIBUTIONS.items():
        random = np.random.default_rng(SEED)
        yield name, ROWS, [tuple(np.log(draw(random, (ab.MOST, ROWS))) for _ in "ab")]


def rates(sides, looks, errors):
    """Text cells. Of unchanged code: the shares that are called slower, faster and the same, and the pairs taken.

    Of each slowdown: the share that is found, the share that is called the same or faster, and the pairs taken.
    """
    for planted in PLANTED:
        found = [decided(a, b + np.log1p(planted), looks, errors) for a, b in sides]
        verdicts, taken = (np.concatenate(each) for each in zip(*found))
        slower, faster, same = (100 * np.mean(verdicts == name) for name in ("slower", "faster", "same"))
        shares = (slower, faster + same) if planted else (slower, faster, same)
        yield from (*(f"{share:.2f} %" for share in shares), f"{taken.mean():.1f}")


def table(of_kinds, most):
    """Lines of text cells: for each kind one of --decide and one of a fixed number of pairs. The last kind is all."""
    everything = "all", sum(rows for _, rows, _ in of_kinds), [each for *_, sides in of_kinds for each in sides]
    for kind, rows, sides in [*of_kinds, everything]:
        pairs = min(len(a) for a, _ in sides)
        rules = (
            (f"--decide, at most {min(pairs, most)}", range(2, min(pairs, most) + 1), inference.at_any_time),
            (f"fixed, {min(pairs, ab.PROCESSES)}", [min(pairs, ab.PROCESSES)], inference.at_end),
        )
        for name, looks, errors in rules:
            yield kind, str(rows), name, *rates(sides, looks, errors)


# ---- The program ----


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results decide-rates", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", metavar="RUN", help="runs of unchanged code; none: simulated processes")
    parser.add_argument("--processes", type=int, default=ab.MOST, metavar="N", help=f"at most; default {ab.MOST}")
    parser.add_argument("--in-order", action="store_true", help="deal the processes out once, as they took turns")
    options = parser.parse_args(arguments)
    of_kinds = list(stored(options.runs, options.in_order) if options.runs else simulated())
    if not of_kinds:
        raise BadInput(f"no row of these runs was timed by {calibration.ENOUGH} processes of the same code")
    names = [f"{100 * planted:g} %: {name}" for planted in PLANTED[1:] for name in ("found", "same or faster", "pairs")]
    header = ["kind", "rows", "rule", "unchanged: slower", "faster", "same", "pairs", *names]
    print(f"| {' | '.join(header)} |\n|---|--:|---|{(len(header) - 3) * '--:|'}")
    for line in table(of_kinds, options.processes):
        print(f"| {' | '.join(line)} |", flush=True)
    return command.OK
