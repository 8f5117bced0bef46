"""make gpus: how many times as fast your GPU, or a stored one, is as each published card, and times by row over many GPUs.

It prints the tables of antbench.show.gains and antbench.show.gpus, and writes them to build/gpus/gains.csv and
times.csv, with a figure per table.
"""

import argparse
import csv
from pathlib import Path

from antbench.data import command, machines
from antbench.data.command import SKIPPED, WORK, new_file
from antbench.show import gains, gpus, plots, printing

CSV_HEADER = [
    "table",
    "row",
    "line",
    "gpu",
    "source",
    "ms",
    "ci95_lo_ms",
    "ci95_hi_ms",
    "n",
    "iterations",
    "status",
    "instance",
    "run_id",
    "published_id",
    "code",
]


def as_text(made):
    """A table for a terminal."""
    head = ["row", made["line"], *(gpu.label for gpu in made["gpus"])]
    lines = [head] + [
        [line["row"], line["line"], *map(time, line["cells"], line["ids"], line["marks"])] for line in made["lines"]
    ]
    widths = [max(map(len, column)) for column in zip(*lines)]
    aligned = ["  ".join([*map(str.ljust, line[:2], widths), *map(str.rjust, line[2:], widths[2:])]) for line in lines]
    return "\n".join([made["title"], *aligned, *made["legend"]])


def time(estimate, published_id="", mark=""):
    """A time as text: a published one as printed; else with ~ if noisy or of few samples, and † for a stand-in.

    The mark of its runs follows if they differ from the column's main runs.
    """
    if published_id:
        return printing.printed(published_id)
    return printing.measured_text(estimate, "ms") + mark


def write_csv(path, made):
    with new_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CSV_HEADER)
        for each in made.values():
            for line in each["lines"]:
                for gpu, estimate, published_id in zip(each["gpus"], line["cells"], line["ids"]):
                    if estimate:
                        numbers = [
                            "" if value != value else f"{value:.6g}"
                            for value in (estimate.value, estimate.low, estimate.high)
                        ]
                        told = [printing.status(estimate), estimate.instance, " ".join(estimate.run_ids), published_id]
                        code = " ".join(sorted({machines.code_of(row)[:12] for row in estimate.rows}))
                        cells_of_line = [
                            each["layout"],
                            line["row"],
                            line["line"],
                            gpu.label,
                            gpu.whose,
                            *numbers,
                            estimate.n or "",
                            estimate.iterations or "",
                            *told,
                            code,
                        ]
                        writer.writerow(map(printing.as_cell, map(str, cells_of_line)))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results gpus", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--table", action="append", default=[], help="show this table only, such as 3.3; may be repeated (default: all)"
    )
    parser.add_argument(
        "--run",
        action="append",
        default=[],
        help="show this run or machine beside the published ones; may be repeated (default: all)",
    )
    parser.add_argument("--out", type=Path, default=WORK / "build/gpus")
    options = parser.parse_args(arguments)
    chosen = gpus.published_gpus() + gpus.measured_gpus(options.run)
    for gpu in chosen:
        for of_run in gpu.source.runs if gpu.source else ():
            _ = of_run.processes  # reading the samples checks them
    made, out = gpus.tables(chosen, options.table), options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in (*out.glob("gpus-*"), *out.glob("figure-gpus-*"), *out.glob("gains.csv")):
        old.unlink()
    if not made:
        print("no table has times of two GPUs")
        return SKIPPED
    if found := gains.gains(made):
        print(gains.as_text(found), end="\n\n")
        gains.write_csv(out / "gains.csv", found)
    for each in made.values():
        print(as_text(each), end="\n\n")
    write_csv(out / "times.csv", made)
    drawn = {f"gpus-{name}": plots.attempt(gpus.draw, each, out) for name, each in made.items()}
    print(
        f"{command.shown(out)}/{'gains.csv, ' if found else ''}times.csv, {', '.join(name for name, path in drawn.items() if path)} (SVG, PNG, PDF)"
    )
    return plots.exit_code(drawn.values())
