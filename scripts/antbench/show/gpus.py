"""Times by row over many GPUs: published, stored, contributed and yours; one table and one figure per table of times.

A cell is the mean time in ms of a row on one instance. A column is a GPU. report/layouts.csv and tables.csv list the
tables. report/cards.csv tells which GPU a published number belongs to. A CPU's times are left out. The mark OTHER_CODE
stands on a time whose code differs from the chosen GPU's time in the same line. A figure has a panel per row.
"""

import fnmatch
import math
import re
from dataclasses import dataclass

from antbench.data import cells, hardware, layouts, machines, runs
from antbench.data.command import BadInput
from antbench.show import plots

OTHER_CODE = "≠"
BESIDE = re.compile(r", beside a \w+'s$")  # suffix of a column that tables.csv has once per published GPU
PANELS = 9  # most panels of a figure: the rows that most GPUs have
ACROSS, KEYS_ACROSS = 3, 4  # number of panels, and of the legend's entries, that stand side by side
PANEL_WIDTH, PANEL_HEIGHT, HEAD, KEY_LINE = 380, 196, 40, 24  # pixels; HEAD contains one line of the legend
NAMES, NAME_LETTER = 32, 6.6  # pixels below a panel, and more of them for each letter of the longest slanted name


@dataclass(frozen=True)
class Gpu:
    """A column: a measured GPU with its runs, or a published GPU."""

    label: str
    published: str = ""  # the source, such as "thesis", for a GPU of report/cards.csv
    source: object = None  # the cells.Source of a measured GPU

    @property
    def whose(self):
        return self.published or "measured"

    @property
    def name(self):
        """The name without its source: "GTX 580"."""
        return self.label.removesuffix(f" ({self.published})")

    @property
    def hardware(self):
        return (
            hardware.of_device(cells.newest_with_gpu(self.source.runs).device)
            if self.source
            else hardware.of_card(self.name)
        )


# ---- Which GPUs ----


def measured_gpus(named=()):
    """A Gpu for each kind of GPU in each store, or for each run or machine that the user names."""
    if named:
        return of_sources(with_gpu(name) for name in named)
    yours, *others = runs.stores()
    return of_sources(source for root in (*others, yours) for source in in_store(root))


def with_gpu(name):
    """The Source of a run or machine."""
    found = [run for run in runs.load_runs(name) if run.device]
    if not found:
        raise BadInput(f"{name}: no run on a GPU")
    return cells.Source(found)


def in_store(root):
    """A Source for each kind of GPU in a folder of runs. A stored kind is judged as on its pages."""
    groups, found = {}, runs.load_below(root)
    for run in found:
        if run.device:
            groups.setdefault(runs.device_name(run), []).append(run)
    elsewhere = found if root == runs.RESULTS / "reference" else ()
    return [cells.Source(group, elsewhere) for group in groups.values()]


def contributed():
    return in_store(runs.RESULTS / "contributed")


def of_sources(sources):
    """A Gpu for each machine that has one. Equal names are told apart by store, or else by number."""
    sources = [source for source in sources if any(run.device for run in source.runs)]
    labels = [source.label + in_brackets(cells.whose_is(source), ("contributed", "yours")) for source in sources]
    numbers = [1 + labels[:i].count(label) for i, label in enumerate(labels)]
    return [
        Gpu(f"{label} {number}" if labels.count(label) > 1 else label, source=source)
        for label, number, source in zip(labels, numbers, sources)
    ]


def in_brackets(whose, told=("contributed",)):
    """The suffix " (contributed)" of a machine's name, if this word is to be told; else ""."""
    return f" ({whose})" if whose in told else ""


def published_gpus():
    """A Gpu for each GPU and source of report/cards.csv."""
    return list(
        dict.fromkeys(
            Gpu(f"{card['card']} ({card['source']})", card["source"]) for card in cells.read_layout("cards.csv")
        )
    )


def card_line(published_id):
    """The line of report/cards.csv for a published number; None for a CPU's time, a length or a ratio."""
    cards = cells.read_layout("cards.csv")
    return next((card for card in cards if fnmatch.fnmatch(published_id, card["published"])), None)


def card_of(published_id):
    """The label of a published number's GPU; None if it has none."""
    card = card_line(published_id)
    return card and f"{card['card']} ({card['source']})"


def chosen(gpus):
    """The GPU that the others are compared with: one of yours, else a stored one, else a contributed one.

    Among several it is the GPU with the most drivers, then the one measured last. None without a measured GPU.
    """

    def rank(gpu):
        with_gpu = [run for run in gpu.source.runs if run.device]
        given = {"contributed": 0, "stored": 1}.get(cells.whose_is(gpu.source), 2)
        return given, len({run.driver for run in with_gpu}), max(run.started for run in with_gpu)

    return max((gpu for gpu in gpus if gpu.source), key=rank, default=None)


# ---- Which code ----


def is_of_other_code(estimate, reference):
    """True unless two times are known to be of the same kernels, measured in the same profile.

    The profile decides how many iterations a mean covers. Binaries for two kinds of GPU differ even if built from one
    commit, so then the commit counts.
    """
    if not estimate or not reference:
        return False
    return versions(estimate, machines.code_of) != versions(reference, machines.code_of) and versions(
        estimate, clean_commit
    ) != versions(reference, clean_commit)


def versions(estimate, of_row):
    return {
        (of_row(row), row["run"].profile if row["scope"] in ("iteration", "stage") else "") for row in estimate.rows
    }


def clean_commit(row):
    """The commit of a row's program; the run's name if the tree had changes or the commit is unknown."""
    build = row["run"].meta.get("build", {})
    return row["run_id"] if build.get("dirty") else build.get("commit") or row["run_id"]


# ---- Tables ----


def rows_of(columns):
    """{address of a row: (its label, the addresses of its published numbers)}. Columns beside several cards are one
    row.
    """
    found = {}
    for column in columns:
        if not column["quantity"] and not column["over"]:
            label, published = found.setdefault(layouts.address(column), (BESIDE.sub("", column["label"]), []))
            published += [column["published"]] if column["published"] else []
    return found


def number(gpu, address, published, name):
    """(the time of a cell on one GPU, the id of the published number or "")."""
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
    """The times of one layout; None if fewer than two GPUs have any. GPUs and rows without a number are left out."""
    lines, held_against = [], chosen(gpus)
    sources = [gpu.source for gpu in gpus if gpu.source]
    for address, (label, published) in rows_of(columns).items():
        for name in cells.lines_of(layout["set"], sources):
            found = [number(gpu, address, published, name) for gpu in gpus]
            if any(estimate for estimate, _ in found):
                lines.append(
                    {
                        "row": label,
                        "address": address.replace("{x}", name),
                        "line": name,
                        "cells": [estimate for estimate, _ in found],
                        "ids": [id_ for _, id_ in found],
                    }
                )
    keep = [i for i in range(len(gpus)) if any(line["cells"][i] for line in lines)]
    if len(keep) < 2:
        return None
    marks = machines.Marks([[line["cells"][i].sources for line in lines] for i in range(len(gpus))])
    for line in lines:
        reference = next((each for gpu, each in zip(gpus, line["cells"]) if gpu is held_against), None)
        line["other_code"] = [
            is_of_other_code(each, reference) if gpu.source else False for gpu, each in zip(gpus, line["cells"])
        ]
        line["marks"] = [
            marks.of(i, each.sources) + (OTHER_CODE if line["other_code"][i] else "")
            for i, each in enumerate(line["cells"])
        ]
    shown = [
        {**line, **{name: [line[name][i] for i in keep] for name in ("cells", "ids", "marks", "other_code")}}
        for line in lines
    ]
    legend = marks.legend()
    if any(any(line["other_code"]) for line in shown):
        legend.append(
            f"{OTHER_CODE} of other code than {held_against.label}'s in its line: kernel or profile differ, or are unknown"
        )
    return {**layout, "gpus": [gpus[i] for i in keep], "lines": shown, "legend": legend}


def tables(gpus, chosen=()):
    """{layout: its table}, for all layouts of times or for the chosen ones."""
    written, columns = layouts.layouts(), layouts.columns()
    chosen = [runs.table_name(name) for name in chosen]
    for name in chosen:
        if name not in written:
            meant = runs.nearest(name, list(written))
            raise BadInput(f"{name}: no such table" + (f"; did you mean {meant}?" if meant else ""))
    made = {
        name: table(layout, columns[name], gpus)
        for name, layout in written.items()
        if layout["unit"] == "ms" and (not chosen or name in chosen)
    }
    return {name: each for name, each in made.items() if each}


# ---- Figures ----


def panels(made):
    """[(row, [Series of each GPU])] in the table's order: at most PANELS rows, the ones that most GPUs have."""
    places = {name: x for x, name in enumerate(dict.fromkeys(line["line"] for line in made["lines"]))}
    found = {}
    for line in made["lines"]:
        for i, estimate in enumerate(line["cells"]):
            if estimate:
                found.setdefault(line["row"], {}).setdefault(i, []).append(
                    (places[line["line"]], line["line"], estimate)
                )
    best = sorted(found, key=lambda row: -len(found[row]))[:PANELS]
    shown = [(row, i, points) for row in found if row in best for i, points in sorted(found[row].items())]
    curves = plots.closed_up(
        [plots.Series(made["gpus"][i].label, style(made["gpus"], i), points) for _, i, points in shown]
    )
    of_rows = {}
    for (row, *_), curve in zip(shown, curves):
        of_rows.setdefault(row, []).append(curve)
    return list(of_rows.items())


def style(gpus, i):
    """The style of a GPU's curve. Published GPUs are dashed with open marks. Each GPU has its own colour."""
    is_measured = gpus[i].source is not None
    return 10 * is_measured + 1 + sum((gpu.source is not None) == is_measured for gpu in gpus[:i]) % 8


def draw(made, out):
    """Draws the figure of a table, gpus-<layout>, and returns the SVG's path."""
    figure, shown = f"gpus-{made['layout']}", panels(made)
    every = [series for _, of_row in shown for series in of_row]
    plots.write_data(out / f"{figure}.dat", every)
    known = {series.label: series.style for series in every}
    across = min(ACROSS, len(shown))
    down, head = -(-len(shown) // across), HEAD + KEY_LINE * (-(-len(known) // KEYS_ACROSS) - 1)
    longest = max(len(name) for series in every for _, name, _ in series.points)
    panel = PANEL_HEIGHT + math.ceil(NAMES + NAME_LETTER * longest)
    variables = {
        "panels": len(shown),
        "places": len({place for series in every for place, *_ in series.points}),
        "across": across,
        "down": down,
        "head_pixels": f"{head}.0",
        "panel_pixels": f"{panel}.0",
        "plot_pixels": PANEL_HEIGHT,
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
    size = PANEL_WIDTH * across, panel * down + head
    paper = plots.as_wide_as(plots.COLUMN if across == 1 else plots.PAGE, *size)
    plots.gnuplot(figure, out, assignments, size, "gpus", paper=paper)
    return out / f"{figure}.svg"


def smallest(series):
    """The smallest value of a curve's points."""
    return min(point.value for *_, point in series.points)


def array(name, values):
    """The assignments of an array in gnuplot's language."""
    values = list(values)
    return {f"array {name}[{len(values)}]": f"[{', '.join(map(str, values))}]"}
