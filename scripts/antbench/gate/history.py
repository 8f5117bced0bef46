"""make regress-history RUNS="RUN ...": finds where times changed over the runs of one machine.

A gate compares two versions, so a loss of 2 % per commit passes every time. Here each row is a series: the logarithm of
each process's median, in the order of time. E-divisive means (Matteson and James, JASA 2014) find its change points, as
in MongoDB's and Apache Otava's tools. A segment is split where the energy distance of its two sides is largest. The
split is a change point if permutations of the segment seldom have so large a distance. Both parts are then split
likewise.
"""

import numpy as np

from antbench.data import command, runs
from antbench.data.command import BadInput
from antbench.gate.calibration import kind_of

PERMUTATIONS = 499
ALPHA = 0.01
SHORTEST = 3  # fewest processes on either side of a change point
ENOUGH = 8  # fewest processes for which a permutation can be rare enough
SEED = 1
TIE = 1e-9  # share of a distance: a permutation within both sides has the same distance, but for rounding


def energies(values):
    """The scaled energy distance between the two sides of each possible split; -inf if a side is too short."""
    n = len(values)
    distances = np.abs(values[:, None] - values[None, :])
    sums = distances.cumsum(axis=0).cumsum(axis=1)  # sums[i, j]: sum over the first i + 1 rows and j + 1 columns
    found = np.full(n, -np.inf)
    k = np.arange(SHORTEST, n - SHORTEST + 1)
    left = sums[k - 1, k - 1]
    between = sums[k - 1, n - 1] - left
    right = sums[n - 1, n - 1] - left - 2 * between
    distance = 2 * between / (k * (n - k)) - left / k**2 - right / (n - k) ** 2
    found[k] = distance * k * (n - k) / n
    return found


def change_points(values, random=None):
    """The indices at which a new level begins, in order."""
    random = random or np.random.default_rng(SEED)
    if len(values) < max(ENOUGH, 2 * SHORTEST):
        return []
    found = energies(values)
    k = int(found.argmax())
    least = found[k] * (1 - TIE)
    as_large = sum(energies(random.permutation(values)).max() >= least for _ in range(PERMUTATIONS))
    if (as_large + 1) / (PERMUTATIONS + 1) > ALPHA:
        return []
    left = change_points(values[:k], random)
    return [*left, k, *(k + later for later in change_points(values[k:], random))]


def series_of(loaded, backend):
    """{row: [(run, kind, log of a process's median)]}, oldest first."""
    found = {}
    for run in sorted(loaded, key=lambda run: run.started):
        for row in run.records:
            if row["samples"] > 0 and row["backend"] != "host" and backend in (None, row["backend"]):
                of_row = found.setdefault(tuple(row[name] for name in [*runs.KEY, "device"]), [])
                for samples in runs.processes(row):
                    kept = samples[~np.isnan(samples)]
                    if len(kept):
                        median = np.median(kept)
                        of_row.append((run, kind_of(row, median), float(np.log(median))))
    return found


def expect_one_machine(loaded):
    """Refuses runs of several machines or profiles. Two GPUs of one model differ by 1 %."""
    profiles = sorted({run.profile for run in loaded})
    if len(profiles) > 1:
        raise BadInput(f"runs of the profiles {', '.join(profiles)}; expected runs of one profile")
    found = sorted({runs.device_name(run) for run in loaded})
    if len(found) > 1:
        raise BadInput(f"runs of several machines: {', '.join(found)}; expected runs of one machine")


def levels(values, points):
    """[(first index, mean)] of each level."""
    begins = [0, *points]
    return [(begin, float(values[begin:end].mean())) for begin, end in zip(begins, [*points, len(values)])]


def main(names, options):
    loaded = {run.path.resolve(): run for name in names for run in runs.load_runs(name)}.values()
    expect_one_machine(loaded)
    least, slower, judged = np.log1p(options.threshold / 100), 0, 0
    for key, of_row in sorted(series_of(loaded, options.backend).items()):
        if len(of_row) < ENOUGH:
            continue
        judged += 1
        values = np.array([value for *_, value in of_row])
        found = levels(values, change_points(values))
        if len(found) > 1 and max(level for _, level in found) - min(level for _, level in found) >= least:
            is_slower = found[-1][1] - min(level for _, level in found) >= least
            slower += is_slower
            print(
                f"{'slower' if is_slower else 'changed':8} {' '.join(part for part in key if part)}: {told(found, of_row)}"
            )
    print(
        f"{judged} rows of {len(loaded)} runs: {slower} are now slower than before by {options.threshold:g} % or more"
        if judged
        else f"no row was measured by {ENOUGH} processes: too few for a history"
    )
    return (command.REGRESSION if slower else command.OK) if judged else command.INCONCLUSIVE


def told(found, of_row):
    """The levels in words: "0.200 ms, from 9c3ef10 0.211 ms (+5.2 %)"."""
    parts = []
    for i, (begin, level) in enumerate(found):
        if i == 0:
            parts.append(f"{np.exp(level):.4g} ms")
        else:
            build = of_row[begin][0].meta.get("build", {})
            change = 100 * np.expm1(level - found[i - 1][1])
            parts.append(f"from {build.get('commit', 'unknown')} {np.exp(level):.4g} ms ({change:+.1f} %)")
    return ", ".join(parts)
