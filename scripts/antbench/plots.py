"""make plots: the figures of the thesis, ours beside the published, as SVG and PNG.

What is in a figure stands in report/figures.csv (curves) and report/montages.csv (saved images), how it looks in
report/figures/<figure>.gp. This program writes the numbers into <figure>.dat and calls gnuplot.
"""
import argparse
import subprocess
from dataclasses import dataclass
from pathlib import Path

from antbench import cells
from antbench.command import ERROR, OK, ROOT, SKIPPED, BadInput, run

TERMINALS = {
    "svg": 'svg size {0},{1} dynamic enhanced font "Helvetica,14" background "white"',
    "png": 'pngcairo size {0},{1} enhanced font "Helvetica,14" background "white"',
}
WIDTH, HEIGHT, KEY_LINE = 760, 390, 27  # pixels: a figure, and each line of its key below
TILE, ROW_LABEL, COLUMN_LABEL = (
    260,
    36,
    32,
)  # pixels: an image of a montage with its gap, and the labels beside and above


@dataclass(frozen=True)
class Series:
    label: str
    style: int  # line style of report/figures/common.gp: tens for the source (0 published), ones for the kind
    points: list  # (position on the x axis, its name, Estimate)


# ---- Curves ----


def series_of(line, sources):
    """The curves of one line of figures.csv: one if it is published, else one for each source."""
    members = cells.sets()[line["set"]]
    is_published = line["top"].startswith("=")
    for order, source in enumerate(sources[:1] if is_published else sources, start=1):
        found = [(x, name, cells.quotient(source, line["top"], line["over"], name)) for x, name in enumerate(members)]
        points = [point for point in found if point[2]]
        tens = 0 if is_published else order
        label = line["label"] if is_published else label_of(line["label"], source)
        if points:
            yield Series(label, 10 * tens + int(line["style"]), points)


def label_of(label, source):
    return source.label if label == "measured" else f"{label}, {source.label}"


def figure_series(figure, sources, lines):
    return [
        series
        for line in lines
        if line["figure"] == figure
        for series in series_of(line, sources)
    ]


def write_data(path, series):
    """One block per curve, its label first: x, name of x, value, low, high."""
    with open(path, "w", encoding="utf-8") as file:
        for curve in series:
            file.write(f'"{curve.label}"\n')
            for x, name, point in curve.points:
                low, high = (point.low, point.high) if point.low == point.low else (point.value, point.value)
                file.write(f"{x} {name} {point.value:.9g} {low:.9g} {high:.9g}\n")
            file.write("\n\n")


def draw_curves(figure, sources, out, lines):
    """True, or False where nothing of the figure but published numbers is there."""
    series = figure_series(figure, sources, lines)
    if not any(curve.style >= 10 for curve in series):
        return False
    write_data(out / f"{figure}.dat", series)
    styles = " ".join(str(curve.style) for curve in series)
    gnuplot(
        figure,
        out,
        f"series={len(series)}; styles='{styles}'; data='{out}/{figure}.dat'",
        (WIDTH, HEIGHT + KEY_LINE * len(series)),
    )
    return True


def gnuplot(figure, out, variables, size, template=None):
    """Runs a template once for each terminal."""
    for kind, terminal in TERMINALS.items():
        options = terminal.format(*size)
        setup = f"set terminal {options}; set output '{out}/{figure}.{kind}'; {variables}"
        done = subprocess.run(
            ["gnuplot", "-e", setup, f"report/figures/{template or figure}.gp"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        if done.returncode or done.stderr:
            raise RuntimeError(f"gnuplot, figure {figure}: {done.stderr.strip()}")


# ---- Montages of saved images ----


def find_image(names, folders):
    return next((folder / name for name in names.split("|") for folder in folders if (folder / name).is_file()), None)


def draw_montage(figure, folders, out, lines):
    """True, or False where no image of the figure is there."""
    tiles = [(line, find_image(line["file"], folders)) for line in lines if line["figure"] == figure]
    if not any(path for _, path in tiles):
        return False
    rows = list(dict.fromkeys(line["line"] for line, _ in tiles))
    columns = list(dict.fromkeys(line["column"] for line, _ in tiles))
    with open(out / f"{figure}.tiles.gp", "w", encoding="utf-8") as file:
        for line, path in tiles:
            file.write(
                f"row = {rows.index(line['line'])}; column = {columns.index(line['column'])}; "
                f"row_label = '{line['line']}'; column_label = '{line['column']}'; "
                f"image = '{path or ''}'; load 'report/figures/tile.gp'\n"
            )
    left = ROW_LABEL if any(rows) else 0
    width, height = left + TILE * len(columns), COLUMN_LABEL + TILE * len(rows)
    gnuplot(
        figure,
        out,
        f"rows={len(rows)}; columns={len(columns)}; tiles='{out}/{figure}.tiles.gp'; "
        f"left={left / width}; top={1 - COLUMN_LABEL / height}; gap_x={3 / width}; gap_y={3 / height}",
        (width, height),
        "montage",
    )
    return True


# ---- All figures ----


def draw_all(sources, out, folders=()):
    """{figure: True if it was drawn}, one line printed for each, in the order of their numbers."""
    out.mkdir(parents=True, exist_ok=True)
    curves, montages = cells.read_layout("figures.csv"), cells.read_layout("montages.csv")
    drawn = {}
    for figure in sorted({line["figure"] for line in curves}):
        drawn[figure] = draw_curves(figure, sources, out, curves)
    for figure in sorted({line["figure"] for line in montages}):
        drawn[figure] = draw_montage(figure, folders, out, montages)
    for figure in sorted(drawn):
        missing = "images" if any(line["figure"] == figure for line in montages) else "rows"
        print(
            f"Figure {figure}: {shown(out)}/{figure}.svg, .png"
            if drawn[figure]
            else f"Figure {figure}: no {missing} in the runs of {', '.join(source.device for source in sources)}"
        )
    return drawn


def shown(path):
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def image_folders(sources, images):
    """Where saved images are sought: the folder that the user names, then images/ of each run."""
    return ([Path(images).resolve()] if images else []) + [
        run.path.resolve() / "images" for source in sources for run in source.runs
    ]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="plots", description=__doc__.splitlines()[0])
    cells.add_options(parser)
    parser.add_argument(
        "--images", default="", help="folder of the images that the drivers saved (default: images/ of the runs)"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build/plots")
    options = parser.parse_args(arguments)
    sources = cells.choose(options.run, options.also)
    try:
        drawn = draw_all(sources, options.out.resolve(), image_folders(sources, options.images))
    except FileNotFoundError:
        raise BadInput("gnuplot is not installed: make deps") from None
    except RuntimeError as error:
        print(error)
        return ERROR
    return OK if any(drawn.values()) else SKIPPED


if __name__ == "__main__":
    run(main)
