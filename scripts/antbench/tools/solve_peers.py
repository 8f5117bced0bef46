"""make solve-peers: compares `antbench solve` with solvers by others, for equal seconds of CPU time on this machine.

The peers are no part of this project: `python3 -m venv DIR; DIR/bin/pip install fast-tsp elkai ortools numpy; make
solve-peers PYTHON=DIR/bin/python`. Peers that are not installed are left out. elkai is LKH 3. Its row "quadrants" has
lists by quadrants and no ascent, because LKH begins to look at the clock after its ascent. OR-tools searches by guided
local search, as its guide recommends for routes. It begins from a first tour of its own choice, and from Christofides'.

Each run is a process with one thread. Its seconds begin when it has the cities or the matrix of distances. A library
gives all programs a clock that counts the CPU time of the process. So other programs on the machine matter little.
--wall leaves the library out. fast-tsp takes no seed, and draws one per run. All tours are checked here.

FACO (Skinderowicz 2022) is a program: `make solve-peers PEERS=DIR`, with its checkout in DIR. It limits iterations, not
time. So it runs for longer than the seconds, and tells when it found its best tours. One seed on one thread gives the
same tours each time, so a second run with fewer iterations has the tour of the seconds. Its seconds begin when it has
read the file and built a k-d tree. They count its lists of near cities, first tours and iterations, but not a few ms
between the last two. It has one processor, because it makes a first tour per processor. It writes its tour only as a
drawing, so its cities are found again by their places. It takes 64 cities or more.
"""

import argparse
import csv
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from antbench.data.command import OK, ROOT, SKIPPED, WORK, BadInput, new_file

PROGRAM = ROOT / "build/bin/antbench"
INSTANCES = ["pr1002", "pr2392"]
COLUMNS = ["instance", "program", "seconds", "seed", "took_s", "length", "above_percent"]
CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int counts = clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME ? CLOCK_PROCESS_CPUTIME_ID : clock;
    return (int)syscall(SYS_clock_gettime, counts, now);
}
"""
FAST_TSP_MOST = 65535  # the longest distance that it takes
FACO = "FocusedACO/faco"  # in the folder of checkouts
FACO_SOURCE = "https://github.com/RSkinderowicz/FocusedACO"
FACO_FIRST = 100  # iterations of its first run
FACO_MORE = 1.3  # part of the seconds that the next run should take
FACO_ROUNDS = 1e-4  # part of a length that its drawing and its way of rounding may change
FACO_FEWEST = 64  # with fewer cities its own choice is no ants


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


def matrix(at):
    return [[distance(a, b) for b in at] for a in at]


def checked(at, tour):
    """The length of a tour, computed again."""
    if sorted(tour) != list(range(len(at))):
        raise BadInput(f"no tour of {len(at)} cities")
    return sum(distance(at[a], at[b]) for a, b in zip(tour, tour[1:] + tour[:1]))


def fast_tsp(at, seconds, seed):
    """None if a distance is too long for it."""
    import fast_tsp

    distances = matrix(at)
    if max(map(max, distances)) > FAST_TSP_MOST:
        return lambda: None
    return lambda: fast_tsp.find_tour(distances, duration_seconds=seconds)


def lkh(at, seconds, seed, options=""):
    """elkai's own functions take no limit of time, so this calls what they call."""
    from elkai import _elkai

    nodes = "".join(f"{i} {x!r} {y!r}\n" for i, (x, y) in enumerate(at, 1))
    problem = f"TYPE : TSP\nDIMENSION : {len(at)}\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n{nodes}"
    parameters = f"RUNS = 1\nSEED = {seed}\nTIME_LIMIT = {seconds}\n{options}PROBLEM_FILE = :stdin:\n"
    return lambda: [city - 1 for city in _elkai.solve_problem(parameters, problem)]


def lkh_quadrants(at, seconds, seed):
    return lkh(at, seconds, seed, "CANDIDATE_SET_TYPE = QUADRANT\nSUBGRADIENT = NO\n")


def route(at, seconds, seed, first="AUTOMATIC"):
    """OR-tools' routing solver: None if it found no tour."""
    from ortools.constraint_solver import pywrapcp
    from ortools.constraint_solver import routing_enums_pb2 as enums

    manager = pywrapcp.RoutingIndexManager(len(at), 1, 0)
    model = pywrapcp.RoutingModel(manager)
    model.SetArcCostEvaluatorOfAllVehicles(model.RegisterTransitMatrix(matrix(at)))
    limits = pywrapcp.DefaultRoutingSearchParameters()
    limits.first_solution_strategy = getattr(enums.FirstSolutionStrategy, first)
    limits.local_search_metaheuristic = enums.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    limits.time_limit.FromMilliseconds(round(1000 * seconds))

    def search():
        found = model.SolveWithParameters(limits)
        tour, index = [], model.Start(0)
        while found and not model.IsEnd(index):
            tour.append(manager.IndexToNode(index))
            index = found.Value(model.NextVar(index))
        return tour or None

    return search


def route_from_christofides(at, seconds, seed):
    return route(at, seconds, seed, "CHRISTOFIDES")


# {program: (its module, what makes a search of it)}
PEERS = {
    "fast-tsp": ("fast_tsp", fast_tsp),
    "LKH 3": ("elkai", lkh),
    "LKH 3, quadrants": ("elkai", lkh_quadrants),
    "OR-tools": ("ortools.constraint_solver", route),
    "OR-tools, Christofides": ("ortools.constraint_solver", route_from_christofides),
}


def search_here(program, path, seconds, seed):
    """Prints [seconds of CPU that a search took, tour]: the process of one run."""
    search = PEERS[program][1](cities(Path(path)), float(seconds), int(seed))
    begin = time.process_time()
    tour = search()
    print(json.dumps([time.process_time() - begin, tour]))


def is_installed(module):
    """Asked of another process, so that no peer is loaded into this one."""
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == OK


def peer(program, path, at, seconds, seed, environment):
    """(seconds that it took, length), and no length without a tour."""
    call = f"import sys; from {__name__} import search_here; search_here(*sys.argv[1:])"
    command = [sys.executable, "-c", call, program, path, str(seconds), str(seed)]
    path_of_modules = f"{ROOT / 'scripts'}:{environment.get('PYTHONPATH', '')}"
    done = subprocess.run(command, capture_output=True, text=True, env=environment | {"PYTHONPATH": path_of_modules})
    if done.returncode != OK:
        raise BadInput(f"{program}: {(done.stderr.strip().splitlines() or ['it failed'])[-1]}")
    took, tour = json.loads(done.stdout.splitlines()[-1])
    return took, tour and checked(at, tour)


def solve(path, at, seconds, seed, environment):
    """(seconds that it took, length) for antbench solve."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "x.tour"
        limits = ["--quiet", "--seconds", str(seconds), "--seed", str(seed), "--threads", "1", "--out", out]
        done = subprocess.run([PROGRAM, "solve", path, *limits], capture_output=True, text=True, env=environment)
        if done.returncode != OK:
            raise BadInput(done.stderr.strip())
        numbers = out.read_text().partition("TOUR_SECTION")[2].partition("-1")[0].split()
    took = float(re.search(r"([\d.]+) s of CPU", done.stdout)[1])
    return took, checked(at, [int(city) - 1 for city in numbers])


def faco(program, path, at, seconds, seed, environment):
    """(seconds that it took, length) of the tour that it has at the seconds."""
    if len(at) < FACO_FEWEST:
        return 0, None
    iterations = FACO_FIRST
    while True:
        begin, took, found, tour = run_faco(program, path, at, iterations, seed, environment)
        if took >= seconds:
            break
        iterations = round(FACO_MORE * iterations * seconds / took)
    in_time = [each for each in found if begin + each[1] <= seconds]
    if len(in_time) < len(found):
        iterations = in_time[-1][0] + 1 if in_time else 0
        *_, tour = run_faco(program, path, at, iterations, seed, environment)
    length = checked(at, tour)
    if in_time and abs(length - in_time[-1][2]) > FACO_ROUNDS * length:
        raise BadInput(f"{program}: {path}: it found {in_time[-1][2]}, and {length} when repeated; leave out PEERS=DIR")
    return max(seconds, begin), length


def run_faco(program, path, at, iterations, seed, environment):
    """(seconds before its first iteration, seconds in all, [(iteration, seconds since the first one, length)] of its
    best tours, the last tour)."""
    with tempfile.TemporaryDirectory() as folder:
        limits = ["--iterations", str(iterations), "--seed", str(seed), "--threads", "1", "--results-dir", folder]
        done = subprocess.run(
            [program, "--problem", path.resolve(), *limits],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment | {"OMP_NUM_THREADS": "1"},
            preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
        )
        results, drawings = ([*Path(folder).glob(f"*.{kind}")] for kind in ("json", "svg"))
        if done.returncode != OK or not results or not drawings:
            last = (done.stdout + done.stderr).strip().rpartition("\n")[2].strip()
            raise BadInput(f"{program}: no tour of {path}, exit code {done.returncode}: {last}; leave out PEERS=DIR")
        told = json.loads(results[0].read_text())
        tour = drawn_tour(at, drawings[0].read_text())
    lists, (search,) = told["nn and backup lists calc time"], told["executions"]
    times, lengths = search["best sol cost times"], search["best sol cost values"]
    # It does not write numbers of iterations with equal gaps: these begin with 0.
    gap = search.get("best sol cost recorded every ith iter", 1)
    when = search.get("best sol cost iterations", range(0, gap * len(times), gap))
    begin = lists + search["initial solutions build time"]
    return begin, lists + search["execution time"], [*zip(when, times, lengths, strict=True)], tour


def drawn_tour(at, drawing):
    """The tour of FACO's drawing: 1000 wide, mirrored, rounded to 6 digits. It begins with the last city."""
    import numpy as np

    places = np.array(at) - np.min(at, axis=0)
    places *= 1000 / places[:, 0].max()
    places[:, 0] = 1000 - places[:, 0]
    near, tour = 1e-5 * places.max(), []
    for point in re.search(r'points="([^"]*)"', drawing)[1].split()[1:]:
        gaps = np.abs(places - [float(x) for x in point.split(",")]).sum(axis=1)
        city = int(gaps.argmin())
        if not gaps[city] < near:
            raise BadInput(f"FACO: its drawing has a point {point} where no city is left")
        places[city] = math.inf
        tour.append(city)
    return tour


def environment_of(folder, wall):
    """The environment of a run: with the clock of CPU time, built into the folder, or with the clock on the wall."""
    if wall:
        return dict(os.environ)
    clock = Path(folder) / "cpu_clock.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", clock, "-xc", "-"], input=CLOCK, text=True, check=True)
    return os.environ | {"LD_PRELOAD": str(clock)}


def measure(name, options, programs, environment):
    """A row per time, seed and program; programs take turns. programs: {name: what runs it}."""
    path = find(name)
    at = cities(path)
    optimum = optima().get(path.stem)
    for seconds in options.seconds:
        for seed in range(1, options.seeds + 1):
            for program, run in programs.items():
                took, length = run(path, at, seconds, seed, environment)
                above = f"{100 * (length / optimum - 1):.3f}" if length and optimum else ""
                yield dict(zip(COLUMNS, [path.stem, program, seconds, seed, f"{took:.2f}", length or "", above]))


def optima():
    """{name: length of a shortest tour}, from the catalogue."""
    with open(ROOT / "instances/catalogue.csv", newline="", encoding="utf-8") as file:
        return {row["name"]: int(row["optimum"]) for row in csv.DictReader(file) if row["optimum"].isdigit()}


def write_csv(path, measured):
    with new_file(path) as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(measured)


def faco_of(folder):
    """FACO's program in a folder of checkouts, or None."""
    if not folder.is_dir():
        raise BadInput(f"PEERS={folder}: no such folder; expected a folder with a checkout of {FACO_SOURCE}")
    program = folder.resolve() / FACO
    if os.access(program, os.X_OK):
        return program
    print(
        f"solve-peers: FACO is left out: {program}: no such program; cd {folder}; git clone {FACO_SOURCE}; "
        "make -C FocusedACO",
        file=sys.stderr,
    )
    return None


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results solve-peers", description=__doc__.splitlines()[0])
    parser.add_argument("instances", nargs="*", default=INSTANCES, help=f"default {' '.join(INSTANCES)}")
    parser.add_argument(
        "--seconds",
        type=lambda text: [float(x) for x in text.split(",")],
        default=[1.0, 10.0],
        metavar="S,S",
        help="default 1,10",
    )
    parser.add_argument("--out", type=Path, default=WORK / "build/solve-peers.csv", metavar="FILE")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="runs of each program (default 5)")
    parser.add_argument("--peers", type=Path, metavar="DIR", help=f"folder with the checkout of FACO, DIR/{FACO}")
    parser.add_argument("--wall", action="store_true", help="count seconds of the clock, not of the CPU")
    options = parser.parse_args(arguments)
    peers = {program: partial(peer, program) for program, (module, _) in PEERS.items() if is_installed(module)}
    if options.peers and (program := faco_of(options.peers)):
        peers["FACO"] = partial(faco, program)
    if not peers:
        print(
            "solve-peers: no peer is installed: python3 -m venv DIR; DIR/bin/pip install fast-tsp elkai ortools numpy; "
            "make solve-peers PYTHON=DIR/bin/python",
            file=sys.stderr,
        )
        return SKIPPED
    options.out.parent.mkdir(parents=True, exist_ok=True)
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        environment = environment_of(folder, options.wall)
        for name in options.instances:
            for row in measure(name, options, {"antbench solve": solve} | peers, environment):
                measured.append(row)
                write_csv(options.out, measured)
                above = row["above_percent"] and f", {row['above_percent']} % above the optimum"
                print(
                    f"{row['instance']:10} {row['program']:24} {row['took_s']:>6} s: {row['length'] or 'no tour'}{above}",
                    flush=True,
                )
    print_means(measured)
    return OK


def print_means(measured):
    """Prints a line per instance, time and program: the mean of the seeds, where each has a tour and there is an
    optimum."""
    groups = {}
    for row in measured:
        groups.setdefault((row["instance"], row["program"], row["seconds"]), []).append(row["above_percent"])
    for (instance, program, seconds), above in groups.items():
        if all(above):
            mean = statistics.mean(map(float, above))
            print(f"mean of {len(above)}: {instance} {program}, {seconds:g} s: {mean:.3f} %")
