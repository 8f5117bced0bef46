"""make time-to-target: the time that `antbench solve` takes to find a tour of a given length, over many seeds.

It draws a time-to-target plot (Aiex, Resende and Ribeiro 2002, 2007). The i-th shortest of N times stands against the
probability (i - 1/2) / N, beside a shifted exponential distribution with the same quartiles. Seconds are CPU time
summed over threads, so that other work on the machine does not matter. --wall takes seconds of the clock.
"""

import argparse
import csv
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from antbench.data.command import ERROR, OK, ROOT, WORK, BadInput, new_file
from antbench.show import plots

PROGRAM = ROOT / "build/bin/antbench"
GOALS = ["pr2392:1", "pr1002:0.5", "u13509:3", "u100000:6"]
STEP = 1e-6  # seconds; the least that `antbench solve` prints, and above 0 for the logarithmic axis
COLUMNS = ["instance", "above_percent", "target", "threads", "seed", "seconds", "cpu_s", "length"]


def solve(name, folder, *options):
    """The program's output as {name: value}. Its tour goes to the folder."""
    command = [PROGRAM, "solve", name, "--quiet", "--out", folder / "last.tour", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != OK:
        raise BadInput(done.stderr.strip())
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def goal(text, folder):
    """(instance, percent above, target) of "pr2392:1", above the optimum. For uniform cities it is 0.7124 sqrt(n A)."""
    found = re.fullmatch(r"(.+):(\d+(?:\.\d+)?)", text)
    if not found:
        raise BadInput(f'expected INSTANCE:PERCENT, got "{text}"')
    told = solve(found[1], folder, "--seconds", 0.01, "--threads", 1)
    name, cities = re.match(r"(.+), (\d+) cit", told["instance"]).groups()
    gap = told.get("gap", "")
    if gap == "0 %, the optimum":
        shortest = int(told["length"])
    elif optimum := re.search(r"optimum, (\d+)$", gap):
        shortest = int(optimum[1])
    elif "0.7124" in gap:
        shortest = 0.7124 * math.sqrt(int(cities)) * 1e6
    else:
        raise BadInput(f"{name}: its optimum is not known")
    return (
        name if "generated in place" in told["instance"] else found[1],
        float(found[2]),
        math.floor(shortest * (1 + float(found[2]) / 100)),
    )


def measure(instance, above, target, options, folder):
    """A row per seed, without a length if time ran out."""
    for seed in range(1, options.runs + 1):
        told = solve(
            instance,
            folder,
            "--seed",
            seed,
            "--target",
            target,
            "--seconds",
            options.seconds,
            "--threads",
            options.threads,
        )
        seconds, cpu_s = re.match(r"([\d.]+) s, ([\d.]+) s of CPU", told["time"]).groups()
        length = int(told["length"])
        yield dict(
            zip(
                COLUMNS,
                [
                    Path(instance).stem,
                    above,
                    target,
                    options.threads,
                    seed,
                    float(seconds),
                    float(cpu_s),
                    length if length <= target else "",
                ],
            )
        )


def probabilities(times, runs):
    """[(time, probability)] of the runs that reached the goal."""
    return [(max(time, STEP), (i + 0.5) / runs) for i, time in enumerate(sorted(times))]


def quantile(points, probability):
    """The time of the first point with this probability; None if too few runs reached the goal."""
    return next((time for time, reached in points if reached >= probability), None)


def shifted_exponential(points):
    """(shift, mean beyond it) of the distribution with the points' quartiles; None without points or if the shift is
    negative.
    """
    low, high = quantile(points, 0.25), quantile(points, 0.75)
    if low is None or high is None:
        return None
    q_low, q_high = -math.log(0.75), -math.log(0.25)
    mean = (high - low) / (q_high - q_low)
    return max(low - mean * q_low, 0.0), mean


def curve_of(fit, points):
    """[(time, probability)] of the fitted distribution, over the range of the points' times."""
    shift, mean = fit
    first, last = points[0][0], points[-1][0]
    times = [first * (last / first) ** (k / 50) for k in range(51)]
    return [(time, 1 - math.exp(-(time - shift) / mean)) for time in times if mean > 0 and time > shift]


def draw(groups, runs, column, out):
    """The path of the figure of {label: rows}, and a line for each label; None if no run reached its goal."""
    blocks = []
    for old in out.glob("*time-to-target.*"):
        if old.suffix != ".csv":
            old.unlink()
    for label, rows in groups.items():
        points = probabilities([row[column] for row in rows if row["length"] != ""], runs)
        fit = shifted_exponential(points)
        blocks += [(label, points), ("", curve_of(fit, points) if fit else [])]
        quartiles = ", ".join(
            "later" if time is None else f"{time:.3g}" for time in (quantile(points, p) for p in (0.25, 0.5, 0.75))
        )
        print(f"{label}: {len(points)} of {runs} runs reached it; quartiles of their {column}: {quartiles}")
    times = [time for _, points in blocks for time, _ in points]
    if not times:
        print("time-to-target: no run reached its goal; try longer --seconds or an easier goal", file=sys.stderr)
        return None
    data = out / "time-to-target.dat"
    with new_file(data) as file:
        for label, points in blocks:
            file.write(
                f'"{label}"\n'
                + "".join(f"{time:.6g} {probability:.6g}\n" for time, probability in points or [(math.nan, math.nan)])
                + "\n\n"
            )
    what = "seconds" if column == "seconds" else "seconds of CPU time"
    ends = f"low={min(times) / 1.5:.6g}; high={max(times) * 1.5:.6g}"  # a range even if all times are equal
    plots.gnuplot(
        "time-to-target",
        out,
        f"blocks={len(blocks)}; data={plots.quoted(data)}; what={plots.quoted(what)}; {ends}",
        (plots.WIDTH, plots.HEIGHT + plots.KEY_LINE * len(groups)),
    )
    return out / "time-to-target.svg"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results time-to-target", description=__doc__.splitlines()[0])
    parser.add_argument(
        "goals", nargs="*", default=GOALS, metavar="INSTANCE:PERCENT", help=f"default {' '.join(GOALS)}"
    )
    parser.add_argument("--runs", type=int, default=25, metavar="N", help="seeds (default 25)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument(
        "--seconds", type=float, default=60, metavar="S", help="time after which a run is given up (default 60)"
    )
    parser.add_argument("--wall", action="store_true", help="count seconds of the clock, not of the CPU")
    parser.add_argument("--out", type=Path, default=WORK / "build/plots", metavar="DIR", help="default build/plots")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    groups = {}
    with tempfile.TemporaryDirectory() as tours:
        for instance, above, target in [goal(text, Path(tours)) for text in options.goals]:
            label = f"{Path(instance).stem}, {above:g} % above"
            groups[label] = list(measure(instance, above, target, options, Path(tours)))
    with new_file(options.out / "time-to-target.csv") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for rows in groups.values() for row in rows)
    drawn = plots.attempt(draw, groups, options.runs, "seconds" if options.wall else "cpu_s", options.out)
    return OK if drawn and any(row["length"] != "" for rows in groups.values() for row in rows) else ERROR
