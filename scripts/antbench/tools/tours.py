"""make draw-tours: draws tours of DS-Roulette, I-Roulette and race on a GPU, and their length by iteration and by time.

It writes tours.svg, tours.png, tours.csv and the tours in TSPLIB's format to build/tours/. A length is the mean of 10
runs in which every ant deposits. The time is the number of iterations times the mean time of one in Table 3.3, from the
runs that `make report` shows. Without such a row there is no curve by time. If the folder has all runs already, they
are drawn again, for which no GPU is needed.
"""

import argparse
import csv
import shutil
import subprocess
from pathlib import Path

from antbench.data import cells
from antbench.data.command import OK, ROOT, SKIPPED, WORK, BadInput, new_file, shown
from antbench.show import plots

PROGRAM = ROOT / "build/bin/antbench"
RUNGS = {
    "ds-roulette": "DS-Roulette",
    "i-roulette-warp": "I-Roulette",
    "race": "race",
}  # {row: its name in the drawing}
ITERATIONS = 1, 2, 5, 10, 20, 50, 100
COLUMNS = ["row", "iterations", "length", "runs", "iteration_ms"]
SIZE = 1000, 760  # pixels of the drawing


def table_of(out, iterations):
    return out / f"run-{iterations}/table-frontier-tours.csv"


def measure(instance, iterations, out):
    """Runs of so many iterations, into a folder of `out`, and their tours."""
    command = [PROGRAM, "frontier-tours", "--backend", "cuda", "--quiet", "--instances", instance]
    rows = ",".join(f"frontier-tours/{row}?protocol=as" for row in RUNGS)
    folders = ["--out", table_of(out, iterations).parent, "--save", out]
    options = ["--rows", rows, "--iterations", str(iterations), "--runs", "10", *folders]
    done = subprocess.run([*command, *options], capture_output=True, text=True, cwd=ROOT)
    if done.returncode != OK:
        raise BadInput(f"antbench frontier-tours: {done.stderr.strip()}")


def lengths(table):
    """{row: (mean length, runs)}"""
    with open(table, encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if row["row"] in RUNGS and row["scope"] == "quality"]
    return {row["row"]: (float(row["quality_mean"]), len(row["quality_runs"].split())) for row in found}


def iteration_ms(source, instance):
    """{row: the mean time of an iteration on the GPU}, for rows with a time."""
    found = {row: cells.look_up(source, f"3.3/{row}/{instance}?protocol=as") for row in RUNGS}
    return {row: at.value for row, at in found.items() if at and source.has_gpu}


def read_tour(path):
    """The cities of a TSPLIB tour, numbered from 0."""
    words = path.read_text(encoding="utf-8").split("TOUR_SECTION")[1].split()
    return [int(word) - 1 for word in words[: words.index("-1")]]


def write_data(path, by_iteration, times, tours, cities):
    """The blocks for tours.gp: each closed tour, then each rung by iteration, then each timed rung by time."""
    blocks = []
    for row, name in RUNGS.items():
        order = tours[row]
        blocks.append((name, [cities[city] for city in [*order, order[0]]]))
    of_row = {row: [(k, found[row][0]) for k, found in by_iteration.items()] for row in RUNGS}
    blocks += [(RUNGS[row], points) for row, points in of_row.items()]
    blocks += [(RUNGS[row], [(k * times[row], length) for k, length in of_row[row]]) for row in times]
    with new_file(path) as file:
        for name, points in blocks:
            file.write(f'"{name}"\n' + "".join(f"{x:g} {y:g}\n" for x, y in points) + "\n\n")


def draw(out, instance, by_iteration, times, device):
    """tours.svg and tours.png, from the tours that were saved in `out`."""
    with open(out / f"{instance}-cities.csv", encoding="utf-8") as file:
        cities = [(float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
    last = max(by_iteration)
    tours = {row: read_tour(out / f"{instance}-{row}-as-{last}.tour") for row in RUNGS}
    write_data(out / "tours.dat", by_iteration, times, tours, cities)
    styles = {"ds-roulette": 12, "i-roulette-warp": 13, "race": 11}
    lines = " ".join(str(styles[row]) for row in RUNGS)
    timed = " ".join(str(styles[row]) for row in times)
    variables = f"data={plots.quoted(out / 'tours.dat')}; styles='{lines}'; timed='{timed}'; n_timed={len(times)}; "
    variables += f"instance={plots.quoted(instance)}; device={plots.quoted(device)}; iterations={last}"
    for kind in ("svg", "png"):
        plots.call_gnuplot("tours", plots.TERMINALS[kind].format(*SIZE), out / f"tours.{kind}", variables, None)


def write_csv(path, by_iteration, times):
    with new_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for k, found in by_iteration.items():
            for row, (length, runs) in found.items():
                writer.writerow([row, k, f"{length:.10g}", runs, f"{times[row]:.6g}" if row in times else ""])


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results tours", description=__doc__.splitlines()[0])
    cells.add_options(parser)
    parser.add_argument("--instance", default="pr1002", help="TSPLIB instance with coordinates (default: pr1002)")
    parser.add_argument("--out", type=Path, default=WORK / "build/tours")
    options = parser.parse_args(arguments)
    source, out = cells.on_gpu(cells.chosen(options)), options.out.resolve()
    missing = [k for k in ITERATIONS if not table_of(out, k).exists()]
    if missing and not shutil.which("nvidia-smi"):
        print("tours: no GPU here; these kernels need one")
        return SKIPPED
    out.mkdir(parents=True, exist_ok=True)
    for k in missing:
        measure(options.instance, k, out)
    by_iteration = {k: lengths(table_of(out, k)) for k in ITERATIONS}
    times = iteration_ms(source, options.instance)
    write_csv(out / "tours.csv", by_iteration, times)
    draw(out, options.instance, by_iteration, times, source.label)
    print(f"{shown(out)}/tours.svg, tours.png, tours.csv")
    return OK
