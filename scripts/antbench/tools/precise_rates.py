"""How often the interval of --until-precise contains the true mean, by simulation: the table of docs/log/coverage.md.

    python3 scripts/antbench precise-rates

Processes' means are drawn from DISTRIBUTIONS. A row stops by the rule of bench/program/processes.h, with the interval
of bench/row/stats.h. For comparison, a second rule stops at once, and a third takes a fixed number of processes.
"""

import argparse

import numpy as np

from antbench.data import command, validate

ROWS = 20_000
SEED = 1
LEAST, MOST = 3, 30  # numbers of processes per row
WITHIN = 0.01


def normal(share):
    """Means that vary by this share."""
    return lambda random, shape: random.normal(1, share, shape)


def slow(share, of=0.1, longer=0.2):
    """Means of which some are longer, while the others vary by `spread`."""
    return lambda random, shape: random.normal(1, share, shape) * (1 + longer * (random.random(shape) < of))


# {description: (function that draws the means of processes, their true mean)}
DISTRIBUTIONS = {
    "vary by 0.5 %": (normal(0.005), 1),
    "vary by 1 %": (normal(0.01), 1),
    "vary by 2 %": (normal(0.02), 1),
    "one in ten takes 20 % longer, the others vary by 0.3 %": (slow(0.003), 1.02),
    "one in ten takes 20 % longer, the others vary by 1 %": (slow(0.01), 1.02),
}


def intervals(means):
    """(low, high) of the first 1, 2, 3 ... processes of each row, rows x processes each; NaN for one process."""
    n = np.arange(1, means.shape[1] + 1)
    mean = means.cumsum(axis=1) / n
    squares = np.maximum((means**2).cumsum(axis=1) - n * mean**2, 0)
    t = np.array([np.nan, *map(validate.student, n[:-1])])
    with np.errstate(divide="ignore", invalid="ignore"):
        half = t * np.sqrt(squares / (n - 1) / n) / mean
    return mean * np.exp(-half), mean * np.exp(half)


def processes_taken(low, high, mean, again, within=WITHIN, least=LEAST):
    """The number of processes per row: its interval is narrow, and was narrow `again` processes before."""
    narrow = (high - low) / 2 / mean <= within
    narrow[:, : least - 1] = False
    done = narrow.copy()
    done[:, :again] = False
    done[:, again:] &= narrow[:, : narrow.shape[1] - again]
    return np.where(done.any(axis=1), done.argmax(axis=1) + 1, done.shape[1])


def rates(draw, true_mean, again, random, rows=ROWS):
    """(share of rows whose interval contains the mean, mean number of processes, share of rows with the most
    processes).
    """
    means = draw(random, (rows, MOST))
    low, high = intervals(means)
    taken = processes_taken(low, high, means.cumsum(axis=1) / np.arange(1, MOST + 1), again)
    at = np.arange(rows), taken - 1
    return np.mean((low[at] <= true_mean) & (true_mean <= high[at])), taken.mean(), np.mean(taken == MOST)


def fixed(draw, true_mean, processes, random, rows=ROWS):
    """The share of rows whose interval of so many processes contains the mean."""
    low, high = intervals(draw(random, (rows, processes)))
    return np.mean((low[:, -1] <= true_mean) & (true_mean <= high[:, -1]))


# ---- The program ----


def table():
    """Lines of text cells."""
    for name, (draw, mean) in DISTRIBUTIONS.items():
        told = []
        for again in (0, LEAST):
            inside, taken, most = rates(draw, mean, again, np.random.default_rng(SEED))
            told += [f"{100 * inside:.1f} %", f"{taken:.1f}", f"{100 * most:.0f} %"]
        every = [fixed(draw, mean, n, np.random.default_rng(SEED)) for n in (LEAST, MOST)]
        yield name, *told[3:], *told[:2], *(f"{100 * share:.1f} %" for share in every)


def main(arguments=None):
    argparse.ArgumentParser(prog="antbench-results precise-rates", description=__doc__.splitlines()[0]).parse_args(
        arguments
    )
    print(
        "| processes | interval holds the mean | processes taken | rows that took all "
        f"| without the last {LEAST}: holds | taken | {LEAST} processes: holds | {MOST} |"
    )
    print("|---|" + 7 * "--:|")
    for line in table():
        print(f"| {' | '.join(line)} |")
    return command.OK
