"""make gpus: times by row over many GPUs, published, stored, contributed and yours, a table and a figure for each table.

A cell is one row of a table on one instance, a column one GPU: its mean time in ms. Which tables there are and what stands in
them is said in report/layouts.csv and tables.csv, which published number is of which GPU in report/cards.csv; a CPU's times
are in none of them. Writes build/gpus/: times.csv and, for each table that two GPUs have, a figure with a panel for
each row.
"""

import argparse
import csv
import fnmatch
import math
import re
from dataclasses import dataclass
from pathlib import Path

from antbench import cells, layouts, plots, report, runs
from antbench.command import ERROR, OK, ROOT, SKIPPED, BadInput, run

WHOSE = {"runs": "yours", "contributed": "contributed", "reference": ""}  # what stands behind a GPU's name
BESIDE = re.compile(r", beside a \w+'s$")  # of a column that tables.csv has once for each published GPU
CSV_HEADER = ["table", "row", "line", "gpu", "source", "ms", "ci95_lo_ms", "ci95_hi_ms", "n", "status", "instance", "run_id", "published_id"]
PANELS = 9  # of a figure at most: the rows that most GPUs have
ACROSS, KEYS_ACROSS = 3, 4  # how many panels, and how many entries of the legend, stand side by side
PANEL_WIDTH, PANEL_HEIGHT, HEAD, KEY_LINE = 380, 280, 40, 24  # pixels; HEAD has one line of the legend


@dataclass(frozen=True)
class Gpu:
    """A column: a GPU with its runs, or one that only a publication has."""

    label: str
    published: str = ""  # the source, "thesis", where it is one of report/cards.csv
    source: object = None  # cells.Source

    @property
    def whose(self):
        return self.published or "measured"


# ---- Which GPUs ----


def measured_gpus(named=()):
    """A Gpu for each kind of GPU in each store, or for each run or machine that is named."""
    if named:
        groups = {("", name): [run for run in runs.load_runs(name) if run.device] for name in named}
    else:
        groups = {}
        for root in reversed(runs.stores()):
            for run in filter(lambda run: run.device, map(runs.load_run, runs.find_runs(root))):
                groups.setdefault((root.name, runs.device_name(run)), []).append(run)
    found = []
    for (store, name), of_gpu in groups.items():
        if not of_gpu:
            raise BadInput(f"{name}: no run on a GPU")
        source = cells.Source(of_gpu)
        whose = WHOSE.get(store, "")
        found.append(Gpu(f"{source.label} ({whose})" if whose else source.label, source=source))
    labels = [gpu.label for gpu in found]
    return [
        Gpu(f"{gpu.label} {1 + labels[:i].count(gpu.label)}" if labels.count(gpu.label) > 1 else gpu.label, source=gpu.source)
        for i, gpu in enumerate(found)
    ]


def published_gpus():
    """A Gpu for each GPU and source of report/cards.csv."""
    return list(dict.fromkeys(Gpu(f"{card['card']} ({card['source']})", card["source"]) for card in cells.read_layout("cards.csv")))


def card_of(published_id):
    """The label of the GPU that a published number is of; None for a CPU's, a length, a ratio."""
    cards = cells.read_layout("cards.csv")
    return next((f"{card['card']} ({card['source']})" for card in cards if fnmatch.fnmatch(published_id, card["published"])), None)


# ---- Tables ----


def rows_of(columns):
    """{address of a row: (its label, the addresses of its published numbers)}: columns beside several cards are one row."""
    found = {}
    for column in columns:
        if not column["quantity"] and not column["over"]:
            label, published = found.setdefault(report.address(column), (BESIDE.sub("", column["label"]), []))
            published += [column["published"]] if column["published"] else []
    return found


def number(gpu, address, published, name):
    """(the time of a cell on one GPU, its published id or "")."""
    if gpu.source:
        found = cells.look_up(gpu.source, address, name)
        of_cpu = any(row["backend"] != "cuda" for row in found.rows)
        return (cells.Estimate(reason="of a CPU") if of_cpu else found), ""
    for text in published:
        published_id = text.replace("{x}", name).lstrip("=")
        if card_of(published_id) == gpu.label and published_id in cells.published_rows():
            return cells.look_up(None, f"={published_id}"), published_id
    return cells.Estimate(), ""


def table(layout, columns, gpus):
    """The times of one layout, or None where fewer than two GPUs have any: GPUs and rows without a number are left out."""
    lines = []
    sources = [gpu.source for gpu in gpus if gpu.source]
    for address, (label, published) in rows_of(columns).items():
        for name in cells.lines_of(layout["set"], sources):
            found = [number(gpu, address, published, name) for gpu in gpus]
            if any(estimate for estimate, _ in found):
                lines.append({"row": label, "line": name, "cells": [estimate for estimate, _ in found], "ids": [id_ for _, id_ in found]})
    keep = [i for i in range(len(gpus)) if any(line["cells"][i] for line in lines)]
    if len(keep) < 2:
        return None
    shown = [{**line, **{name: [line[name][i] for i in keep] for name in ("cells", "ids")}} for line in lines]
    return {**layout, "gpus": [gpus[i] for i in keep], "lines": shown}


def tables(gpus, chosen=()):
    """The table of each layout of times, or of those chosen, by name: {layout: table}."""
    written, columns = layouts.layouts(), layouts.columns()
    chosen = [runs.table_name(name) for name in chosen]
    for name in chosen:
        if name not in written:
            meant = runs.nearest(name, list(written))
            raise BadInput(f"{name}: no such table" + (f"; did you mean {meant}?" if meant else ""))
    made = {name: table(layout, columns[name], gpus) for name, layout in written.items() if layout["unit"] == "ms" and (not chosen or name in chosen)}
    return {name: each for name, each in made.items() if each}


# ---- Figures ----


def panels(made):
    """[(row, [Series of each GPU])]: the rows that most GPUs have, at most PANELS, in the table's order."""
    places = {name: x for x, name in enumerate(dict.fromkeys(line["line"] for line in made["lines"]))}
    found = {}
    for line in made["lines"]:
        for i, estimate in enumerate(line["cells"]):
            if estimate:
                found.setdefault(line["row"], {}).setdefault(i, []).append((places[line["line"]], line["line"], estimate))
    best = sorted(found, key=lambda row: -len(found[row]))[:PANELS]
    return [
        (row, [plots.Series(made["gpus"][i].label, style(made["gpus"], i), points) for i, points in sorted(found[row].items())])
        for row in found
        if row in best
    ]


def style(gpus, i):
    """Published ones dashed with open marks, measured ones not; each of either has its own colour."""
    is_measured = gpus[i].source is not None
    return 10 * is_measured + 1 + sum((gpu.source is not None) == is_measured for gpu in gpus[:i]) % 8


def draw(made, out):
    """The figure of a table, gpus-<layout>."""
    figure, shown = f"gpus-{made['layout']}", panels(made)
    every = [series for _, of_row in shown for series in of_row]
    plots.write_data(out / f"{figure}.dat", every)
    known = {series.label: series.style for series in every}
    across = min(ACROSS, len(shown))
    down, head = -(-len(shown) // across), HEAD + KEY_LINE * (-(-len(known) // KEYS_ACROSS) - 1)
    variables = {
        "panels": len(shown),
        "places": len({line["line"] for line in made["lines"]}),
        "across": across,
        "down": down,
        "head_pixels": f"{head}.0",
        "panel_pixels": PANEL_HEIGHT,
        "panel_width": PANEL_WIDTH,
        "low": 10 ** math.floor(math.log10(min(smallest(series) for series in every))),
        "high": 10 ** math.ceil(math.log10(max(point.value for series in every for *_, point in series.points))),
        "keys": len(known),
        "counts": plots.quoted(" ".join(str(len(of_row)) for _, of_row in shown)),
        "styles": plots.quoted(" ".join(str(series.style) for series in every)),
        "data": plots.quoted(out / f"{figure}.dat"),
        **array("panel", [plots.quoted(row) for row, _ in shown]),
        **array("key_label", map(plots.quoted, known)),
        **array("key_style", known.values()),
    }
    assignments = "; ".join(f"{name}={value}" for name, value in variables.items())
    plots.gnuplot(figure, out, assignments, (PANEL_WIDTH * across, PANEL_HEIGHT * down + head), "gpus")


def smallest(series):
    """Of a curve's points."""
    return min(point.value for *_, point in series.points)


def array(name, values):
    """gnuplot's assignments of an array."""
    values = list(values)
    return {f"array {name}[{len(values)}]": f"[{', '.join(map(str, values))}]"}


# ---- Telling ----


def as_text(made):
    """A table for a terminal."""
    head = ["row", made["line"], *(gpu.label for gpu in made["gpus"])]
    lines = [head] + [[line["row"], line["line"], *map(time, line["cells"], line["ids"])] for line in made["lines"]]
    widths = [max(map(len, column)) for column in zip(*lines)]
    aligned = ["  ".join([*map(str.ljust, line[:2], widths), *map(str.rjust, line[2:], widths[2:])]) for line in lines]
    return "\n".join([made["title"], *aligned])


def time(estimate, published_id=""):
    """As printed where it was published; else ~ before one that is noisy, or of few samples, † behind that of a stand-in."""
    if published_id:
        return report.printed(published_id)
    unsure = "~" if report.status(estimate) in ("noisy", "few") else ""
    return f"{unsure}{report.number(estimate.value)}{'†' if estimate and estimate.instance else ''}"


def write_csv(path, made):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CSV_HEADER)
        for each in made.values():
            for line in each["lines"]:
                for gpu, estimate, published_id in zip(each["gpus"], line["cells"], line["ids"]):
                    if estimate:
                        numbers = ["" if value != value else f"{value:.6g}" for value in (estimate.value, estimate.low, estimate.high)]
                        told = [report.status(estimate), estimate.instance, " ".join(estimate.run_ids), published_id]
                        cells_of_line = [each["layout"], line["row"], line["line"], gpu.label, gpu.whose, *numbers, estimate.n or "", *told]
                        writer.writerow(map(report.as_cell, map(str, cells_of_line)))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="gpus", description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="append", default=[], help="of this table alone, 3.3; may be repeated (default: all)")
    parser.add_argument("--run", action="append", default=[], help="this run or machine beside the published ones; may be repeated (default: all)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/gpus")
    options = parser.parse_args(arguments)
    gpus = published_gpus() + measured_gpus(options.run)
    for gpu in gpus:
        for of_run in gpu.source.runs if gpu.source else ():
            _ = of_run.processes  # which checks them
    made, out = tables(gpus, options.table), options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("gpus-*"):
        old.unlink()
    for each in made.values():
        print(as_text(each), end="\n\n")
    if not made:
        print("no table of which two GPUs have times")
        return SKIPPED
    write_csv(out / "times.csv", made)
    try:
        for each in made.values():
            draw(each, out)
    except FileNotFoundError:
        raise BadInput("gnuplot is not installed: make deps") from None
    except RuntimeError as error:
        print(error)
        return ERROR
    print(f"{plots.shown(out)}/times.csv, gpus-{', gpus-'.join(made)} (SVG, PNG)")
    return OK


if __name__ == "__main__":
    run(main)
