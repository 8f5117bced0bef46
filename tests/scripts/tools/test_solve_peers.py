"""make solve-peers: with modules in the place of the peers' that visit cities as they are numbered, and without them.
In FACO's place is a script with iterations of 1 ms. Its iteration 3 finds one tour, and iteration 40 a better one.
"""

import csv
import re
import statistics
import subprocess
import sys

import pytest

from support.commands import ROOT, environment_of

SQUARE = """NAME: square
TYPE: TSP
DIMENSION: 4
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0 0
2 10 10
3 10 0
4 0 10
EOF
"""
PYWRAPCP = """
from types import SimpleNamespace as made

class RoutingIndexManager:
    def __init__(self, n, vehicles, depot): self.n = n
    def IndexToNode(self, index): return TOUR[index]

class RoutingModel:
    def __init__(self, manager): self.n = manager.n
    def RegisterTransitMatrix(self, matrix): assert [len(row) for row in matrix] == [self.n] * self.n
    def SetArcCostEvaluatorOfAllVehicles(self, evaluator): pass
    def SolveWithParameters(self, limits):
        assert limits.local_search_metaheuristic == "gls"
        return made(Value=lambda index: index + 1) if limits.ms == 20 else None
    def solver(self): return made(WallTime=lambda: 25)
    def Start(self, vehicle): return 0
    def IsEnd(self, index): return index == self.n
    def NextVar(self, index): return index

def DefaultRoutingSearchParameters():
    limits = made()
    limits.time_limit = made(FromMilliseconds=lambda ms: setattr(limits, "ms", ms))
    return limits
"""
ENUMS = """
from types import SimpleNamespace as made
FirstSolutionStrategy = made(AUTOMATIC=0, CHRISTOFIDES=1)
LocalSearchMetaheuristic = made(GUIDED_LOCAL_SEARCH="gls")
"""
FAST_TSP = """
import time
def find_tour(distances, duration_seconds):
    begin, kept = time.monotonic(), time.process_time()
    while time.monotonic() - begin < duration_seconds: pass
    assert abs(time.process_time() - kept - duration_seconds) < 0.005, "the clock is not the CPU's"
    return TOUR
"""
ELKAI = """
def solve_problem(parameters, problem):
    assert "TIME_LIMIT = 0.0" in parameters and "SEED = 1\\n" in parameters and "DIMENSION : 4\\n" in problem
    return [1, 2, 3, 4] if "QUADRANT" in parameters else [1, 3, 2, 4]
"""
LINE = SQUARE.partition("1 0 0")[0].replace("4", "64") + "".join(f"{i} {i} 7\n" for i in range(1, 65)) + "EOF\n"
FACO = """
import json, os, sys, time
from pathlib import Path

options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
print(options["--iterations"], options["--seed"], file=open(Path(__file__).parent / "calls", "a"))
if "DIMENSION: 64" not in Path(options["--problem"]).read_text():
    sys.exit("other cities")
if (os.environ["OMP_NUM_THREADS"], options["--threads"], len(os.sched_getaffinity(0))) != ("1", "1", 1):
    sys.exit("more than one thread")
if abs(time.time() - time.process_time()) > 0.005:
    sys.exit("the clock is not the CPU's")
found = [i for i in (3, 40) if i < int(options["--iterations"])]
tour = [*range(64)]
if len(found) < 2:
    tour[30], tour[32] = 32, 30
points = " ".join(f"{1000 - 1000 * city / 63:g},0" for city in [tour[-1], *tour][:POINTS])
search = {
    "initial solutions build time": 0.001,
    "execution time": 0.002 + 0.001 * int(options["--iterations"]),
    "best sol cost times": [0.001 * i for i in found],
    "best sol cost values": [130.0, 126.0][:len(found)],
    "best sol cost iterations": found,
}
folder = Path(options["--results-dir"])
(folder / "line.svg").write_text(f'<polyline stroke="black" points="{points}"/>')
(folder / "faco.json").write_text(json.dumps({"nn and backup lists calc time": 0.002, "executions": [search]}))
"""


def call(folder, *arguments, tour="[0, 1, 2, 3]"):
    if tour:
        (folder / "ortools/constraint_solver").mkdir(parents=True, exist_ok=True)
        for name in ("__init__.py", "constraint_solver/__init__.py"):
            (folder / "ortools" / name).touch()
        (folder / "ortools/constraint_solver/pywrapcp.py").write_text(f"TOUR = {tour}\n{PYWRAPCP}")
        (folder / "ortools/constraint_solver/routing_enums_pb2.py").write_text(ENUMS)
        (folder / "fast_tsp.py").write_text(f"TOUR = {tour}\n{FAST_TSP}")
        (folder / "elkai").mkdir(exist_ok=True)
        (folder / "elkai/__init__.py").touch()
        (folder / "elkai/_elkai.py").write_text(ELKAI)
    (folder / "square.tsp").write_text(SQUARE)
    environment = environment_of(PYTHONPATH=f"{folder}:{ROOT / 'scripts'}")
    return subprocess.run(
        [sys.executable, ROOT / "scripts/antbench", "solve-peers", *map(str, arguments), "--out", folder / "peers.csv"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_lengths_of_all(tmp_path):
    done = call(tmp_path, tmp_path / "square.tsp", "--seconds", "0.02,0.03", "--seeds", 1)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "peers.csv").open()))
    lengths = {(row["program"], row["seconds"]): row["length"] for row in rows}
    assert lengths["antbench solve", "0.02"] == lengths["antbench solve", "0.03"] == "40"
    assert lengths["OR-tools", "0.02"] == lengths["OR-tools, Christofides", "0.02"] == "48"  # 14 + 10 + 14 + 10
    assert lengths["fast-tsp", "0.03"] == "48"
    assert lengths["LKH 3", "0.02"] == "40" and lengths["LKH 3, quadrants", "0.02"] == "48"
    assert lengths["OR-tools", "0.03"] == "" and re.search(r"^square +OR-tools +0\.\d\d s: no tour$", done.stdout, re.M)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"tour": "[0, 1, 2, 2]"}, "no tour of 4 cities"),
        ({"instance": "nowhere.tsp"}, "nowhere.tsp: no such file; make instances downloads it, or set TSPLIB_DIR=DIR"),
    ],
)
def test_what_is_wrong_is_one_line(change, message, tmp_path):
    done = call(
        tmp_path,
        change.get("instance", tmp_path / "square.tsp"),
        "--seconds",
        "0.02",
        tour=change.get("tour", "[0, 1, 2, 3]"),
    )
    assert done.returncode == 2 and done.stderr == f"{message}\n"


def test_without_peers(tmp_path):
    done = call(tmp_path, tour="")
    assert done.returncode == 77 and done.stderr.startswith("solve-peers: no peer is installed: ")


def faco(folder, points=65):
    """Puts the script in FACO's place, and an instance of 64 cities on a line beside it."""
    program = folder / "FocusedACO/faco"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nPOINTS = {points}\n{FACO}")
    program.chmod(0o755)
    (folder / "line.tsp").write_text(LINE)


def test_faco_has_the_tour_of_the_seconds(tmp_path):
    faco(tmp_path)
    files = [tmp_path / "line.tsp", tmp_path / "square.tsp"]
    done = call(tmp_path, *files, "--seconds", "0.001,0.02,0.2", "--seeds", 1, "--peers", tmp_path, tour="")
    assert done.returncode == 0, done.stderr
    rows = [row for row in csv.DictReader((tmp_path / "peers.csv").open()) if row["program"] == "FACO"]
    line = [("0.00", "130"), ("0.02", "130"), ("0.20", "126")]
    assert [(row["took_s"], row["length"]) for row in rows] == [*line, *[("0.00", "")] * 3]  # it takes no 4 cities
    calls = (tmp_path / "FocusedACO/calls").read_text().splitlines()
    assert calls == ["100 1", "0 1", "100 1", "4 1", "100 1", "250 1"]  # iterations, seed


def test_a_tour_of_faco_without_a_city(tmp_path):
    faco(tmp_path, points=64)
    done = call(tmp_path, tmp_path / "line.tsp", "--seconds", "0.02", "--peers", tmp_path, tour="")
    assert done.returncode == 2 and done.stderr == "no tour of 64 cities\n"


def test_a_folder_without_faco(tmp_path):
    done = call(tmp_path, "--peers", tmp_path, tour="")
    assert done.returncode == 77 and f"FACO is left out: {tmp_path}/FocusedACO/faco: no such program" in done.stderr
    done = call(tmp_path, "--peers", tmp_path / "none", tour="")
    assert done.returncode == 2 and done.stderr.startswith(f"PEERS={tmp_path}/none: no such folder; ")


def test_the_log_has_the_means_of_its_rows():
    """docs/log/solve.md, from docs/log/solve-peers.csv: columns are programs, lines an instance and its seconds."""
    section = (ROOT / "docs/log/solve.md").read_text().partition("### Beside FACO and OR-tools too\n")[2]
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.partition("\n### ")[0].splitlines()
        if line.startswith("|")
    ]
    header, _, *lines = lines
    with open(ROOT / "docs/log/solve-peers.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {f"{row['instance']}, {float(row['seconds']):g} s" for row in rows} == {line[0] for line in lines}
    for line in lines:
        for program, said in zip(header[1:], line[1:], strict=True):
            of = [
                row
                for row in rows
                if row["program"] == program and f"{row['instance']}, {float(row['seconds']):g} s" == line[0]
            ]
            if not all(row["above_percent"] for row in of):
                assert said == "no tour"
                continue
            above = statistics.mean(float(row["above_percent"]) for row in of)
            took, limit = statistics.mean(float(row["took_s"]) for row in of), float(of[0]["seconds"])
            late = f" ({took:.1f} s)" if took > 1.1 * limit else ""
            assert said == f"{above:.3f} %{late}"
