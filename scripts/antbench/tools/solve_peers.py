"""make solve-peers: compares `antbench solve` with OR-tools' routing solver for equal seconds on this machine.

OR-tools comes from PyPI and is no part of this project: `python3 -m venv DIR; DIR/bin/pip install ortools; make
solve-peers PYTHON=DIR/bin/python`. It runs with one thread. It searches by guided local search, as its guide recommends
for routes. It begins from a first tour of its own choice, and from Christofides' tour. Its seconds begin when it has
the matrix of all distances. antbench solve has one thread too. All tours are checked here.
"""

import argparse
import csv
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from antbench.data.command import OK, ROOT, SKIPPED, WORK, BadInput, new_file

PROGRAM = ROOT / "build/bin/antbench"
INSTANCES = ["pr1002", "pr2392"]
COLUMNS = ["instance", "program", "seconds", "took_s", "length", "above_percent"]
FIRST = {"OR-tools": "AUTOMATIC", "OR-tools, Christofides": "CHRISTOFIDES"}


def find(name):
    """The file of an instance, found as antbench finds it."""
    folder = Path(os.environ.get("TSPLIB_DIR") or ROOT / "instances/tsplib")
    path = Path(name) if "/" in name or name.endswith(".tsp") else folder / f"{name}.tsp"
    if not path.is_file():
        raise BadInput(f"{path}: no such file; make instances downloads it, or set TSPLIB_DIR=DIR")
    return path


def cities(path):
    """[(x, y)] of a TSPLIB file with EUC_2D distances."""
    text = path.read_text(errors="replace")
    lines = text.partition("NODE_COORD_SECTION")[2].partition("EOF")[0].splitlines()[1:]
    if not re.search(r"^EDGE_WEIGHT_TYPE\s*:\s*EUC_2D\s*$", text, re.M) or not lines:
        raise BadInput(f"{path}: expected EUC_2D with coordinates")
    try:
        return [(float(x), float(y)) for _, x, y in (line.split() for line in lines if line.strip())]
    except ValueError:
        raise BadInput(f"{path}: expected a number and two coordinates per city") from None


def distance(a, b):
    return int(math.hypot(a[0] - b[0], a[1] - b[1]) + 0.5)


def checked(at, tour):
    """The length of a tour, computed again."""
    if sorted(tour) != list(range(len(at))):
        raise BadInput(f"no tour of {len(at)} cities")
    return sum(distance(at[a], at[b]) for a, b in zip(tour, tour[1:] + tour[:1]))


def solve(path, at, seconds):
    """(seconds that it took, length) for antbench solve."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "x.tour"
        limits = ["--quiet", "--seconds", str(seconds), "--threads", "1", "--out", out]
        done = subprocess.run([PROGRAM, "solve", path, *limits], capture_output=True, text=True)
        if done.returncode != OK:
            raise BadInput(done.stderr.strip())
        numbers = out.read_text().partition("TOUR_SECTION")[2].partition("-1")[0].split()
    took = float(re.search(r"^time: ([\d.]+) s", done.stdout, re.M)[1])
    return took, checked(at, [int(city) - 1 for city in numbers])


def route(pywrapcp, enums, first, matrix, at, seconds):
    """(seconds that it took, length) for OR-tools' routing solver; no length if it found no tour."""
    manager = pywrapcp.RoutingIndexManager(len(at), 1, 0)
    model = pywrapcp.RoutingModel(manager)
    model.SetArcCostEvaluatorOfAllVehicles(model.RegisterTransitMatrix(matrix))
    limits = pywrapcp.DefaultRoutingSearchParameters()
    limits.first_solution_strategy = getattr(enums.FirstSolutionStrategy, first)
    limits.local_search_metaheuristic = enums.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    limits.time_limit.FromMilliseconds(round(1000 * seconds))
    found = model.SolveWithParameters(limits)
    took = model.solver().WallTime() / 1000
    if not found:
        return took, None
    tour, index = [], model.Start(0)
    while not model.IsEnd(index):
        tour.append(manager.IndexToNode(index))
        index = found.Value(model.NextVar(index))
    return took, checked(at, tour)


def measure(name, seconds_of_each, ortools):
    """A row per program and time."""
    path = find(name)
    at = cities(path)
    optimum = optima().get(path.stem)
    matrix = [[distance(a, b) for b in at] for a in at]
    for seconds in seconds_of_each:
        runs = {"antbench solve": solve(path, at, seconds)}
        runs |= {program: route(*ortools, first, matrix, at, seconds) for program, first in FIRST.items()}
        for program, (took, length) in runs.items():
            above = f"{100 * (length / optimum - 1):.2f}" if length and optimum else ""
            yield dict(zip(COLUMNS, [path.stem, program, seconds, f"{took:.2f}", length or "", above]))


def optima():
    """{name: length of a shortest tour}, from the catalogue."""
    with open(ROOT / "instances/catalogue.csv", newline="", encoding="utf-8") as file:
        return {row["name"]: int(row["optimum"]) for row in csv.DictReader(file) if row["optimum"].isdigit()}


def load():
    """OR-tools' two modules, or None."""
    try:
        from ortools.constraint_solver import pywrapcp, routing_enums_pb2
    except ImportError:
        return None
    return pywrapcp, routing_enums_pb2


def write_csv(path, measured):
    with new_file(path) as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(measured)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results solve-peers", description=__doc__.splitlines()[0])
    parser.add_argument("instances", nargs="*", default=INSTANCES, help=f"default {' '.join(INSTANCES)}")
    parser.add_argument(
        "--seconds",
        type=lambda text: [float(x) for x in text.split(",")],
        default=[1.0, 10.0, 60.0],
        metavar="S,S",
        help="default 1,10,60",
    )
    parser.add_argument("--out", type=Path, default=WORK / "build/solve-peers.csv", metavar="FILE")
    options = parser.parse_args(arguments)
    ortools = load()
    if not ortools:
        print(
            "solve-peers: OR-tools is not installed: python3 -m venv DIR; DIR/bin/pip install ortools; make solve-peers "
            "PYTHON=DIR/bin/python",
            file=sys.stderr,
        )
        return SKIPPED
    options.out.parent.mkdir(parents=True, exist_ok=True)
    measured = []
    for name in options.instances:
        for row in measure(name, options.seconds, ortools):
            measured.append(row)
            write_csv(options.out, measured)
            above = row["above_percent"] and f", {row['above_percent']} % above the optimum"
            print(
                f"{row['instance']:10} {row['program']:24} {row['took_s']:>6} s: {row['length'] or 'no tour'}{above}",
                flush=True,
            )
    return OK
