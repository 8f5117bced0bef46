"""make plots: the figures of the thesis, ours beside the published ones, as SVG and PNG, and as PDF for papers.

report/figures.csv lists the curves of figures, report/montages.csv the montages of saved images, and report/history.csv
the rows over commits. roofline.py has the rooflines. report/figures/<figure>.gp says how a figure looks. This program
writes the numbers into <figure>.dat and calls gnuplot.
"""

import argparse
import html
import math
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from antbench.data import cells, command, machines, spread, validate
from antbench.data.command import ERROR, OK, ROOT, SKIPPED, WORK, BadInput, new_file, new_path, write_file
from antbench.show import claims, roofline

TERMINALS = {
    "svg": 'svg size {0},{1} dynamic enhanced font "Helvetica,14" background "white"',
    "png": 'pngcairo size {0},{1} enhanced font "Helvetica,14" background "white"',
}
PHONE = "phone.svg"  # the figure at half the width, for a report on a narrow screen
TERMINALS[PHONE] = 'svg size {0},{1} dynamic enhanced font "Helvetica,12" background "white"'
WIDTH, HEIGHT, KEY_LINE = 760, 390, 27  # pixels: a figure, and each line of the key below it
PHONE_WIDTH = 380
MANY, HALF = 6, 36  # number of curves from which the key has two columns; most characters of a label there
ACROSS = 42  # characters that fit below the axis of a narrow figure
# For papers, in inches: as wide as a column of a page with two, or as its text. The title is left to the paper.
PAPER = 'pdfcairo size {0:.3f}in,{1:.3f}in enhanced fontscale 0.5 font "Helvetica,12"'  # 8 pt
COLUMN, PAGE = 3.4, 7.0
PAPER_HEIGHT, PAPER_KEY_LINE = 2.4, 0.15  # inches: a figure of curves, and each line of the key below it
NARROW = 18  # most characters of labels that stand side by side
ONE_POINT = re.compile(r"Warning: empty [xy] range")  # gnuplot widens the axis of a figure with one point
DRAWN_BY = re.compile(r"<title>Gnuplot</title>\s*<desc>[^<]*</desc>")
GAP, ROW_LABEL, COLUMN_LABEL = 3, 72, 64  # pixels of a montage: around each image, beside it and above it
PICTURES = ROOT / "results/pictures"  # what `make pictures` writes
MAP = "-edges.png"
TILES = 512, 1024  # pixels: least and largest side of an image, so that few of a map's lines fall between pixels


class NotDrawn(Exception):
    """gnuplot ended with an error. The text is one line: "Figure 3.7: what gnuplot says"."""


@dataclass(frozen=True)
class Series:
    label: str
    style: int  # line style of report/figures/common.gp: tens for the source (0 for published), ones for the kind
    points: list  # (position on the x axis, its name, Estimate)


STACKED = {"thesis-3.4"}  # figures of bars that consist of an iteration's stages
STAGES = 2  # stages per bar: kinds 1 and 2 belong to a source's first bar, 3 and 4 to its second
BAR = 0.26  # width of a bar, where two names are 1 apart

# ---- Curves ----


def series_of(line, sources, alone, all_sources):
    """The curves of one line of figures.csv: one if it is published, else one per source.

    A machine that is `alone` in a figure is not named.
    """
    members = list(cells.lines_of(line["set"], all_sources))
    is_published = line["top"].startswith("=")
    for order, source in enumerate(sources[:1] if is_published else sources, start=1):
        found = [(x, name, cells.quotient(source, line["top"], line["over"], name)) for x, name in enumerate(members)]
        points = of_same_hosts([point for point in found if point[2]])
        tens = 0 if is_published else order
        if points:
            label = line["label"] if is_published or alone else label_of(line["label"], source, points)
            yield Series(label, 10 * tens + int(line["style"]), points)


def of_same_hosts(points):
    """The points of a curve on the hosts that measured them all, if a CPU has a part in it.

    Points of fewer than three hosts are left out. If fewer than three hosts measured the others, or if that keeps fewer
    points, the curve is the largest group of points that the same hosts measured.
    """
    if not any(claims.of_cpu(found) for *_, found in points):
        return points
    known = [point for point in points if point[2].by_machine]
    common = set.intersection(*(set(found.by_machine) for *_, found in known)) if known else ()
    groups = {}
    for point in points:
        hosts = frozenset(machines.machine_of(row["run"], "cpu") for row in point[2].rows if row["backend"] == "cpu")
        groups.setdefault(hosts, []).append(point)
    largest = max(groups.values(), key=len)
    if len(known) < len(largest) or len(common) < spread.ENOUGH:
        return largest
    return [(x, name, cells.on_machines(found, common)) for x, name, found in known]


def label_of(label, source, points):
    """A label with the device it was measured on: the GPU, or the CPU if no GPU took part in any point."""
    backends = {row["backend"] for *_, point in points for row in point.rows}
    machine = source.cpu_label if backends == {"cpu"} else source.label
    return machine if label == "measured" else f"{label}, {machine}"


def figure_series(figure, sources, lines):
    of_figure = [line for line in lines if line["figure"] == figure]
    alone = len(sources) == 1 and not any(line["top"].startswith("=") for line in of_figure)
    curves = [series for line in of_figure for series in series_of(line, sources, alone, sources)]
    return closed_up(told_apart(curves, sources))


def told_apart(series, sources):
    """The curves. If yours and stored ones have one label, it says whose they are: the hardware has the same name."""
    words = ["", *map(cells.whose_is, sources)]  # by the tens of a style; a published curve has none
    whose = [words[curve.style // 10] for curve in series]
    owners = {}
    for curve, word in zip(series, whose):
        owners.setdefault(curve.label, set()).add(word)
    return [
        replace(curve, label=f"{curve.label} ({word})") if word and len(owners[curve.label]) > 1 else curve
        for curve, word in zip(series, whose)
    ]


def closed_up(series):
    """The curves without the places that no curve has a point at."""
    places = {x: place for place, x in enumerate(sorted({x for curve in series for x, *_ in curve.points}))}
    return [replace(curve, points=[(places[x], *point) for x, *point in curve.points]) for curve in series]


def quoted(text):
    """A text as a string of gnuplot's.

    In single quotes only a quote is special. A text with a quote is in double quotes, with all characters but letters
    as octal numbers. Doubled single quotes are not used, because gnuplot 5.4 misreads them at the beginning.
    """
    text = str(text)
    if not validate.is_text(text):
        raise BadInput(f"{text!r}: a name must not have control characters")
    if "'" not in text:
        return f"'{text}'"
    return '"' + "".join(chr(b) if chr(b).isalpha() and b < 128 else f"\\{b:03o}" for b in text.encode()) + '"'


def write_data(path, series):
    """Writes one block per curve: first its label, then lines of x, name of x, value, low, high.

    A point without an interval, or with an open one, has its value as both ends. Points are numbered by their place
    among the names that any curve has a point at, so a stand-in has a place of its own. An empty line interrupts the
    drawn curve where it lacks a point that another curve has.
    """
    places = sorted({x for curve in series for x, *_ in curve.points})
    with new_file(path) as file:
        for curve in series:
            label = curve.label.replace('"', "'")
            file.write(f'"{label}"\n')
            before = None
            for x, name, point in curve.points:
                if before is not None and places.index(x) > places.index(before) + 1:
                    file.write("\n")
                before = x
                low, high = (point.low, point.high) if math.isfinite(point.high) else (point.value, point.value)
                file.write(f"{x} {name} {point.value:.9g} {low:.9g} {high:.9g}\n")
            file.write("\n\n")


def draw_curves(figure, sources, out, lines):
    """Draws a figure of curves and describes it in words; "" if it would show published numbers only."""
    series = figure_series(figure, sources, lines)
    if not any(curve.style >= 10 for curve in series):
        return ""
    absent = list(absent_curves(figure, sources, lines))
    if absent:
        print(f"Figure {figure}: no rows for {'; '.join(absent)}")
    if figure in STACKED:
        series = [curve for curve in stacked(series) if curve.points]
    draw_series(figure, series, out)
    return in_words(figure, series)


def stacked(series):
    """Each stage as a part of its bar, from `low` to `high` in % of the iteration. Bars without all stages are left
    out.
    """
    bars = {}
    for curve in series:
        bars.setdefault((curve.style // 10, (curve.style % 10 - 1) // STAGES), []).append(curve)
    for number, stages in enumerate(bars.values()):
        of_name = [{name: point.value for _, name, point in curve.points} for curve in stages]
        bottom, shift = {}, (number - (len(bars) - 1) / 2) * BAR
        for curve, values in zip(stages, of_name):
            points = []
            for x, name, point in curve.points:
                if len(stages) < STAGES or any(name not in each for each in of_name):
                    continue
                low = bottom.get(name, 0.0)
                bottom[name] = low + 100 * values[name] / sum(each[name] for each in of_name)
                points.append((x + shift, name, replace(point, value=bottom[name] - low, low=low, high=bottom[name])))
            yield replace(curve, points=points)


def draw_series(figure, series, out):
    write_data(out / f"{figure}.dat", series)
    styles = " ".join(str(curve.style) for curve in series)
    names = {name for curve in series for _, name, _ in curve.points}
    crowded = "; crowded=1" if sum(len(name) + 2 for name in names) > ACROSS else ""
    beside = len(series) > MANY and max(len(curve.label) for curve in series) <= HALF
    lines = math.ceil(len(series) / 2) if beside else len(series)
    gnuplot(
        figure,
        out,
        f"series={len(series)}; styles={quoted(styles)}; data={quoted(out / f'{figure}.dat')}{crowded}; "
        f"lines_of_key={lines}",
        (WIDTH, HEIGHT + KEY_LINE * lines),
        labels=[curve.label for curve in series],
    )


def in_words(figure, series):
    """The axes of a figure and the ends of each curve, in words."""
    text = "\n".join((cells.REPORT / f"figures/{name}.gp").read_text(encoding="utf-8") for name in ("common", figure))
    said = " by ".join(re.findall(rf'^set {axis}label "(.*)"', text, re.M)[-1] for axis in "yx")
    return f"{said}. " + "; ".join(f"{curve.label}: {ends(curve.points)}" for curve in series) + "."


def ends(points):
    low, high = (pick(points, key=lambda point: point[2].value) for pick in (min, max))
    at = [f"{claims.short(point.value)} at {name}" for _, name, point in (low, high)]
    return at[0] if low is high else f"from {at[0]} to {at[1]}"


def absent_curves(figure, sources, lines):
    """For each source that has any curve of the figure, the labels of the curves that it has no point of."""
    measured = [line for line in lines if line["figure"] == figure and not line["top"].startswith("=")]
    for source in sources:
        absent = [line["label"] for line in measured if not list(series_of(line, [source], True, sources))]
        if 0 < len(absent) < len(measured):
            yield ", ".join(absent) + (f" ({source.device})" if len(sources) > 1 else "")


def gnuplot(figure, out, variables, size, template=None, labels=(), paper=None):
    """Runs a template once for each terminal. For a phone, images keep their size.

    `labels` are the lines of the key that `size` has room for. `paper` is (width, height) in inches. A warning of
    gnuplot is printed once, and drawing goes on.
    """
    warnings = []
    for kind, terminal in TERMINALS.items():
        if kind != PHONE:
            warnings += call_gnuplot(figure, terminal.format(*size), out / f"{figure}.{kind}", variables, template)
        elif not template:
            narrow = TERMINALS[PHONE].format(PHONE_WIDTH, HEIGHT + KEY_LINE * len(labels) if labels else size[1])
            warnings += call_gnuplot(figure, narrow, out / f"{figure}.{PHONE}", f"phone=1; {variables}", template)
    rows = key_rows(labels)
    terminal = PAPER.format(*(paper or (COLUMN, PAPER_HEIGHT + PAPER_KEY_LINE * rows)))
    pdf = out / f"{paper_name(figure)}.pdf"
    warnings += call_gnuplot(figure, terminal, pdf, f"paper=1; key_rows={rows}; {variables}", template)
    for warning in dict.fromkeys(warnings):
        print(f"Figure {figure}: gnuplot: {warning}", file=sys.stderr)


def key_rows(labels):
    """The number of lines in a paper's key. Two labels stand side by side if all are short."""
    return math.ceil(len(labels) / 2) if len(labels) > 2 and max(map(len, labels)) <= NARROW else len(labels)


def as_wide_as(inches, width, height):
    """The size in inches of a figure with so many pixels."""
    return inches, inches * height / width


def paper_name(figure, kind="figure"):
    """The name of a file and label in LaTeX, without dots: "3.7" -> "figure-3-7"."""
    return f"{kind}-{figure.replace('.', '-')}"


ENDS = b"</svg>", b"IEND\xaeB`\x82", b"%%EOF"  # last bytes of a whole SVG, PNG and PDF


def call_gnuplot(figure, terminal, path, variables, template):
    """Draws one file and returns gnuplot's warnings. No other function runs gnuplot."""
    with new_path(path) as new:
        options = f"set terminal {terminal}; set output {quoted(new)}; {variables}"
        command = ["gnuplot", "-e", options, f"report/figures/{template or figure}.gp"]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        except FileNotFoundError:
            raise BadInput("gnuplot is not installed; make deps installs it") from None
        said = [line.strip() for line in done.stderr.splitlines() if line.strip() and not ONE_POINT.search(line)]
        if done.returncode:
            raise NotDrawn(f"Figure {figure}: gnuplot: {' '.join(said)}")
        # gnuplot ends with 0 all the same.
        if not new.is_file() or not new.read_bytes().rstrip().endswith(ENDS):
            raise NotDrawn(f"Figure {figure}: gnuplot has not written all of {path}: is the disk full?")
    return said


def attempt(draw, *arguments):
    """The result of a function that draws; None if gnuplot fails. The error is printed, and other figures are drawn."""
    try:
        return draw(*arguments)
    except NotDrawn as error:
        print(error, file=sys.stderr)
        return None


# ---- History ----

HISTORY = "history"


def history_series(source):
    """For each row of history.csv its time at each commit that this machine measured, relative to the first commit."""
    commits = {}
    for of_run in source.runs:
        commits.setdefault(of_run.meta.get("build", {}).get("commit", "unknown"), []).append(of_run)
    versions = [(commit, cells.Source(of_commit)) for commit, of_commit in commits.items()]
    for line in cells.read_layout("history.csv"):
        found = [(x, commit, cells.look_up(version, line["top"])) for x, (commit, version) in enumerate(versions)]
        points = [point for point in found if point[2]]
        if len(points) > 1:
            first = points[0][2].value
            yield Series(
                line["label"], 10 + int(line["style"]), [(x, name, scaled(at, first)) for x, name, at in points]
            )


def scaled(found, unit):
    return replace(found, value=found.value / unit, low=found.low / unit, high=found.high / unit)


def draw_history(source, out):
    """Draws a figure of times over commits and describes it; "" if no row was measured at two commits."""
    series = list(history_series(source))
    if series:
        draw_series(HISTORY, series, out)
    return in_words(HISTORY, series) if series else ""


# ---- Montages of saved images ----


MOST_PIXELS = 1 << 22  # of a picture of a montage: of a larger one gnuplot takes GiB


def pixels_of(path):
    """(width, height) of a PNG, as its first 24 bytes have it; (0, 0) of any other file."""
    with open(path, "rb") as file:
        head = file.read(24)
    is_png = len(head) == 24 and head.startswith(b"\x89PNG\r\n\x1a\n")
    return (int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")) if is_png else (0, 0)


def is_picture(path):
    return path.is_file() and 0 < math.prod(pixels_of(path)) <= MOST_PIXELS


def find_image(names, folders):
    return next((folder / name for name in names.split("|") for folder in folders if is_picture(folder / name)), None)


def with_images(tiles, name):
    """The rows (name "line") or columns of a montage with at least one image, in their order."""
    filled = {line[name] for line, path in tiles if path}
    return [label for label in dict.fromkeys(line[name] for line, _ in tiles) if label in filled]


def tile_of(paths):
    """The side of a tile in pixels: the width of the widest image."""
    widest = max(pixels_of(path)[0] for path in paths)
    return min(max(widest, TILES[0]), TILES[1])


def stored_for(figure, sources):
    """The folder of stored pictures, if a run measured what the figure shows. Most runs save no images."""
    table = figure if figure.startswith("kth") else f"F{figure.split('-')[0]}"
    return [PICTURES] if any((source.rows["table"] == table).any() for source in sources) else []


def draw_montage(figure, folders, out, lines):
    """Draws a montage and describes it; "" without images. Rows and columns without images are left out."""
    tiles = [(line, find_image(line["file"], folders)) for line in lines if line["figure"] == figure]
    if not any(path and path.name.endswith(MAP) for _, path in tiles):
        return ""  # no computed image is there
    rows, columns = (with_images(tiles, name) for name in ("line", "column"))
    if rows:
        told = [f"{line['line']} {line['column']}".strip() for line, path in tiles if not path]
        if told:
            print(f"Figure {figure}: no image of {', '.join(told)}")
    tiles = [(line, path) for line, path in tiles if line["line"] in rows and line["column"] in columns]
    if not tiles:
        return ""
    with new_file(out / f"{figure}.tiles.gp") as file:
        for line, path in tiles:
            file.write(
                f"row = {rows.index(line['line'])}; column = {columns.index(line['column'])}; "
                f"row_label = {quoted(line['line'])}; column_label = {quoted(line['column'])}; "
                f"image = {quoted(path or '')}; load 'report/figures/tile.gp'\n"
            )
    side = tile_of(path for _, path in tiles if path) + 2 * GAP
    left = ROW_LABEL if any(rows) else 0
    width, height = left + side * len(columns), COLUMN_LABEL + side * len(rows)
    gnuplot(
        figure,
        out,
        f"rows={len(rows)}; columns={len(columns)}; tiles={quoted(out / f'{figure}.tiles.gp')}; "
        f"left={left / width}; top={1 - COLUMN_LABEL / height}; gap_x={GAP / width}; gap_y={GAP / height}",
        (width, height),
        "montage",
        paper=as_wide_as(PAGE if len(columns) > 2 else COLUMN, width, height),
    )
    beside = ", ".join(filter(None, columns)) or "one image"
    return f"Images side by side: {beside}" + (f"; one below the other: {', '.join(rows)}." if any(rows) else ".")


# ---- Rooflines ----

ROOFLINES = {"roofline": roofline.with_roof, "kth-F5": roofline.of_kth}  # {figure: function that supplies its blocks}


def draw_roofline(figure, source, out):
    """Draws a roofline and describes it; "" if no row has operations or the GPU's limits are unknown."""
    limits = roofline.roof(source)
    blocks = ROOFLINES[figure](roofline.points(source), limits) if limits else []
    if blocks:
        data = out / f"{figure}.dat"
        roofline.write_data(data, blocks)
        size, labels = (WIDTH, HEIGHT + KEY_LINE * len(blocks)), [label for label, _ in blocks]
        gnuplot(figure, out, f"blocks={len(blocks)}; data={quoted(data)}", size, labels=labels)
    labels = ", ".join(block[0] for block in blocks)
    return f"GFLOPS by operations per byte, both logarithmic, under the roof of this GPU: {labels}." if blocks else ""


# ---- All figures ----


def draw_all(sources, out, folders=()):
    """{figure: its description}: "" without any row or image, None if gnuplot failed. One line is
    printed per figure.
    """
    out.mkdir(parents=True, exist_ok=True)
    curves, montages = cells.read_layout("figures.csv"), cells.read_layout("montages.csv")
    for figure in {line["figure"] for line in curves + montages} | ROOFLINES.keys() | {HISTORY}:
        left = [
            f"{figure}.{kind}" for kind in (*TERMINALS, "dat", "tiles.gp")
        ]  # a figure of another machine would look like one of this machine
        for name in (*left, f"{paper_name(figure)}.pdf"):
            (out / name).unlink(missing_ok=True)
    drawn = {}
    for figure in sorted({line["figure"] for line in curves}):
        drawn[figure] = attempt(draw_curves, figure, sources, out, curves)
    for figure in sorted({line["figure"] for line in montages}):
        drawn[figure] = attempt(draw_montage, figure, [*folders, *stored_for(figure, sources)], out, montages)
    drawn |= {figure: attempt(draw_roofline, figure, cells.on_gpu(sources), out) for figure in ROOFLINES}
    drawn[HISTORY] = attempt(draw_history, cells.on_gpu(sources), out)
    for figure, seen in drawn.items():
        if seen:
            describe(out / f"{figure}.svg", f"Figure {figure}", seen)
    for figure in sorted(figure for figure, seen in drawn.items() if seen is not None):
        missing = "images" if any(line["figure"] == figure for line in montages) else "rows"
        print(
            f"Figure {figure}: {command.shown(out)}/{figure}.svg, .png, {paper_name(figure)}.pdf"
            if drawn[figure]
            else f"Figure {figure}: no {missing} in the runs of {', '.join(source.device for source in sources)}"
        )
    return drawn


def describe(path, title, seen):
    """Writes a figure's description into the SVG, in place of gnuplot's own."""
    said = f"<title>{html.escape(title)}</title>\n<desc>{html.escape(seen)}</desc>"
    text = path.read_text(encoding="utf-8")
    write_file(path, DRAWN_BY.sub(lambda _: said, text, count=1))


def image_folders(sources, images):
    """The folders to search for saved images: the user's folder and its subfolders, then images/ of each run."""
    named = Path(images).resolve() if images else None
    if named and not named.is_dir():
        raise BadInput(f"{images}: no such folder of images")
    beside_runs = [run.path.resolve() / "images" for source in sources for run in source.runs]
    return ([named, *sorted(path for path in named.iterdir() if path.is_dir())] if named else []) + beside_runs


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results plots", description=__doc__.splitlines()[0])
    cells.add_options(parser)
    parser.add_argument(
        "--images",
        default="",
        help="folder that SAVE= wrote images to, or a folder of such folders (default: images/ of the runs)",
    )
    parser.add_argument("--out", type=Path, default=WORK / "build/plots")
    options = parser.parse_args(arguments)
    sources = cells.chosen(options)
    drawn = draw_all(sources, options.out.resolve(), image_folders(sources, options.images))
    return exit_code(drawn.values())


def exit_code(seen):
    """ERROR if gnuplot failed, SKIPPED if nothing was drawn, else OK."""
    seen = list(seen)
    return ERROR if None in seen else OK if any(seen) else SKIPPED
