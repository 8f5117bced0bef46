"""antbench solve, end to end: its tours measured by a reader of TSPLIB that shares nothing with the program's."""
import errno
import math
import os
import random
import resource
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.commands import PROGRAM, ROOT, environment_of, one_line

INJECT = ROOT / "build/faults/inject.so"
TSPLIB = os.environ.get("TSPLIB_DIR")


def solve(*arguments, cwd, tsplib="/nonexistent", **options):
    return subprocess.run([PROGRAM, "solve", *map(str, arguments)], cwd=cwd, env=environment_of(tsplib), capture_output=True,
                          text=True, timeout=60, **options)


# ---- The checker ----

def minutes(x):
    """TSPLIB's DDD.MM in radians."""
    return 3.141592 * (int(x) + 5.0 * (x - int(x)) / 3.0) / 180.0


def geo(a, b):
    (lat_a, lon_a), (lat_b, lon_b) = map(minutes, a), map(minutes, b)
    q1, q2, q3 = math.cos(lon_a - lon_b), math.cos(lat_a - lat_b), math.cos(lat_a + lat_b)
    return int(6378.388 * math.acos(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)) + 1.0)


def att(a, b):
    exact = math.sqrt(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / 10.0)
    return int(exact + 0.5) + (int(exact + 0.5) < exact)


RULES = {
    "EUC_2D": lambda a, b: int(math.hypot(a[0] - b[0], a[1] - b[1]) + 0.5),
    "CEIL_2D": lambda a, b: math.ceil(math.hypot(a[0] - b[0], a[1] - b[1])),
    "MAN_2D": lambda a, b: int(abs(a[0] - b[0]) + abs(a[1] - b[1]) + 0.5),
    "MAX_2D": lambda a, b: max(int(abs(a[0] - b[0]) + 0.5), int(abs(a[1] - b[1]) + 0.5)),
    "ATT": att,
    "GEO": geo,
}


def tour_of(path):
    """The cities of a .tour, from 1, each once."""
    words = path.read_text().split()
    begin = words.index("TOUR_SECTION") + 1
    cities = [int(word) for word in words[begin:words.index("-1", begin)]]
    assert sorted(cities) == list(range(1, len(cities) + 1)) and words[-1] == "EOF"
    assert f"DIMENSION : {len(cities)}\n" in path.read_text()
    return cities


def length_by(distance, tour):
    return sum(distance(tour[i - 1], tour[i]) for i in range(len(tour))) if len(tour) > 1 else 0


def instance_of(path):
    """What gives the distance of two cities, from 1, of a TSPLIB file with coordinates or a full or a lower matrix."""
    header, _, body = path.read_text().partition("_SECTION")
    fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in header.splitlines())}
    if fields["EDGE_WEIGHT_TYPE"] != "EXPLICIT":
        nodes = {int(node[0]): (float(node[1]), float(node[2])) for node in map(str.split, body.splitlines()) if len(node) == 3}
        rule = RULES[fields["EDGE_WEIGHT_TYPE"]]
        return lambda a, b: rule(nodes[a], nodes[b])
    numbers = [int(word) for word in body.split("DISPLAY_DATA_SECTION")[0].split() if word.isdigit()]
    n = int(fields["DIMENSION"])
    if fields["EDGE_WEIGHT_FORMAT"] == "FULL_MATRIX":
        return lambda a, b: numbers[(a - 1) * n + b - 1]
    assert fields["EDGE_WEIGHT_FORMAT"] == "LOWER_DIAG_ROW"
    return lambda a, b: numbers[max(a, b) * (max(a, b) - 1) // 2 + min(a, b) - 1]


def told(result, name):
    [line] = [line for line in result.stdout.splitlines() if line.startswith(f"{name}: ")]
    return line.removeprefix(f"{name}: ")


def checked(result, distance, tour):
    """The length, which is what the program says and what the checker finds."""
    assert result.returncode == 0, result.stderr
    length = length_by(distance, tour_of(tour))
    assert told(result, "length") == str(length) and f"length {length}," in tour.read_text()
    return length


def write(path, kind, points):
    lines = [f"{i} {x} {y}" for i, (x, y) in enumerate(points, 1)]
    path.write_text("\n".join(["TYPE : TSP", f"DIMENSION : {len(points)}", f"EDGE_WEIGHT_TYPE : {kind}", "NODE_COORD_SECTION", *lines,
                               "EOF\n"]))
    return path


def scattered(n, side=1000, seed=1):
    draw = random.Random(seed)
    return [(draw.randrange(side), draw.randrange(side)) for _ in range(n)]


# ---- Tours ----

@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("threads", [1, 2])
def test_every_kind_of_distance(kind, threads, tmp_path):
    points = [(x / 7.0, y / 6.0) for x, y in scattered(200)] if kind == "GEO" else scattered(200)
    path = write(tmp_path / "some.tsp", kind, points)
    result = solve(path, "--seconds", 0.2, "--threads", threads, "--quiet", cwd=tmp_path)
    assert result.stderr == "" and told(result, "tour") == "some.tour"
    assert told(result, "instance") == f"some, 200 cities, {kind}"
    length = checked(result, instance_of(path), tmp_path / "some.tour")
    assert length < length_by(instance_of(path), list(range(1, 201))) / 4


def test_coordinates_as_csv(tmp_path):
    points = scattered(300)
    (tmp_path / "places.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in points))
    result = solve("places.csv", "--seconds", 0.2, "--quiet", "--out", "my tour.txt", cwd=tmp_path)
    checked(result, lambda a, b: RULES["EUC_2D"](points[a - 1], points[b - 1]), tmp_path / "my tour.txt")


@pytest.mark.parametrize("points, length", [
    ([(1, 1)], 0), ([(0, 0), (3, 4)], 10), ([(0, 0), (3, 4), (3, 0)], 12), ([(0, 0), (3, 4), (3, 0), (0, 4)], 14),
    ([(7, 7)] * 2, 0), ([(7, 7)] * 500, 0), ([(0, 0), (3, 4)] * 100, 10), ([(x, 0) for x in range(1000)], 1998),
], ids=["one", "two", "three", "four", "twice", "one place", "two places", "a line"])
def test_instances_with_one_answer(points, length, tmp_path):
    path = write(tmp_path / "few.tsp", "EUC_2D", points)
    result = solve(path, "--seconds", 5, "--target", length, cwd=tmp_path)
    assert checked(result, instance_of(path), tmp_path / "few.tour") == length
    assert float(told(result, "time").split()[0]) < 5


def test_a_matrix_of_zeros(tmp_path):
    (tmp_path / "zero.tsp").write_text("TYPE: TSP\nDIMENSION: 30\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
                                       "EDGE_WEIGHT_SECTION\n" + "0 " * 900 + "\nEOF\n")
    result = solve("zero.tsp", cwd=tmp_path)
    assert checked(result, lambda a, b: 0, tmp_path / "zero.tour") == 0 and float(told(result, "time").split()[0]) < 5


def test_many_cities_take_no_matrix(tmp_path):
    """100,000 of them: their distances would take 40 GB."""
    result = solve("u100000", "--seconds", 2, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert told(result, "instance") == "u100000, 100000 cities, EUC_2D, generated" and len(tour_of(tmp_path / "u100000.tour")) == 100000
    assert float(told(result, "gap").split()[0]) < 25, "better than the curve that it begins with"


@pytest.mark.skipif(not TSPLIB, reason="needs the files of TSPLIB")
@pytest.mark.parametrize("name", ["gr17", "bays29", "att48", "ulysses22", "berlin52", "st70", "kroA100"])
def test_the_optimum_ends_the_search(name, tmp_path):
    result = solve(name, "--seconds", 20, cwd=tmp_path, tsplib=TSPLIB)
    checked(result, instance_of(Path(TSPLIB) / f"{name}.tsp"), tmp_path / f"{name}.tour")
    assert told(result, "gap") == "0 %, the optimum" and float(told(result, "time").split()[0]) < 20


@pytest.mark.skipif(not TSPLIB, reason="needs the files of TSPLIB")
@pytest.mark.parametrize("name, optimum", [("pr2392", 378032), ("pr1002", 259045), ("a280", 2579), ("att48", 10628), ("bays29", 2020)])
def test_the_checker_knows_the_optima(name, optimum):
    folder = Path(TSPLIB)
    words = (folder / f"{name}.opt.tour").read_text().split()
    begin = words.index("TOUR_SECTION") + 1
    assert length_by(instance_of(folder / f"{name}.tsp"), [int(word) for word in words[begin:words.index("-1", begin)]]) == optimum


def test_a_target_ends_the_search(tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(500))
    result = solve(path, "--seconds", 50, "--target", 20000, cwd=tmp_path)
    assert checked(result, instance_of(path), tmp_path / "x.tour") <= 20000


def test_or_opt_alone_is_worse(tmp_path):
    """Both at the same time, so that what else the machine does slows them alike."""
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(20_000))

    def length(moves):
        return int(told(solve(path, "--seconds", 0.5, "--moves", moves, "--threads", 1, "--out", f"{moves}.tour",
                              cwd=tmp_path), "length"))

    with ThreadPoolExecutor() as both:
        three_opt, or_opt = both.map(length, ("3-opt", "or-opt"))
    assert three_opt < or_opt


# ---- What ends it early ----

@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_gives_the_best_so_far(how, tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(1000))
    process = subprocess.Popen([PROGRAM, "solve", path, "--seconds", "0"], cwd=tmp_path, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert "s: " in process.stderr.readline()  # it is under way
    process.send_signal(how)
    output, errors = process.communicate(timeout=10)
    result = subprocess.CompletedProcess([], process.returncode, output, errors)
    checked(result, instance_of(path), tmp_path / "x.tour")
    assert "(interrupted)" in told(result, "time")


def test_a_kill_leaves_a_tour(tmp_path):
    """Written every ten seconds; here the old one stays, and no half of a new one."""
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(1000))
    (tmp_path / "x.tour").write_text("mine\n")
    process = subprocess.Popen([PROGRAM, "solve", path, "--seconds", "100"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    process.kill()
    process.wait()
    assert (tmp_path / "x.tour").read_text() == "mine\n"


def test_a_full_disk_keeps_the_old_tour(tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(1000))
    (tmp_path / "x.tour").write_text("mine\n")

    def fill():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    result = solve(path, "--seconds", 0.2, "--quiet", cwd=tmp_path, preexec_fn=fill)
    assert result.returncode == 1 and one_line(result) == "antbench solve: x.tour.new: File too large"
    assert (tmp_path / "x.tour").read_text() == "mine\n" and sorted(p.name for p in tmp_path.iterdir()) == ["x.tour", "x.tsp"]


@pytest.mark.parametrize("out, message", [
    ("nowhere/x.tour", "nowhere/x.tour: No such file or directory"),
    (".", ".: not a regular file"),
    ("/dev/full", "/dev/full: not a regular file"),
])
def test_output_that_cannot_be_written_is_said_first(out, message, tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(100))
    begin = time.monotonic()
    result = solve(path, "--seconds", 30, "--out", out, cwd=tmp_path)
    assert result.returncode == 1 and one_line(result) == f"antbench solve: {message}" and time.monotonic() - begin < 20


def fault(folder, into, at, how):
    """A small run whose `at`-th call of a kind fails (tests/faults/inject.c); and how many such calls it has made."""
    (folder / "x.tour").write_text("mine\n")
    environment = environment_of(LD_PRELOAD=str(INJECT), INJECT_INTO=into, INJECT_AT=str(at), INJECT_HOW=str(how),
                                 INJECT_COUNT=str(folder / "count"))
    done = subprocess.run([PROGRAM, "solve", "x.tsp", "--seconds", "0.01", "--threads", "1", "--quiet"], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=60)
    return done, (folder / "x.tour").read_text()


@pytest.mark.parametrize("into, hows", [("memory", [errno.ENOMEM]), ("files", [errno.ENOSPC, "before", "half", "after"])])
def test_calls_that_fail_cost_no_tour(into, hows, tmp_path):
    """The old tour or the new one, whole; and one line of what failed."""
    write(tmp_path / "x.tsp", "EUC_2D", scattered(40))
    fault(tmp_path, into, 0, errno.EIO)
    calls = int((tmp_path / "count").read_text().split()[0])
    assert calls > 10
    for how in hows:
        for at in sorted({*range(1, calls + 1, 1 + calls // 30), *range(max(calls - 10, 1), calls + 1)}):
            done, tour = fault(tmp_path, into, at, how)
            lines = done.stderr.splitlines()
            assert tour == "mine\n" or tour.endswith("-1\nEOF\n"), (at, how)
            assert (done.returncode, len(lines)) in [(0, 0), (1, 1)] or (done.returncode == -9 and isinstance(how, str)), (at, how, lines)
            assert done.returncode != 0 or tour != "mine\n", (at, how)
            assert into != "memory" or not lines or "memory" in lines[0], (at, lines)


# ---- Usage ----

@pytest.mark.parametrize("arguments, message", [
    ([], "which instance? (antbench solve --help)"),
    (["u50", "u60"], 'one instance at a time, not "u50" and "u60"'),
    (["u50", "--second", "3"], "unknown option --second; did you mean --seconds?"),
    (["u50", "--seconds"], "--seconds: expected S"),
    (["u50", "--seconds", "soon"], '--seconds: expected a number of seconds (0: no limit), got "soon"'),
    (["u50", "--threads", "0"], '--threads: expected a whole number from 1 to 1024, got "0"'),
    (["u50", "--target", "-1"], '--target: expected a whole number from 0 to 9223372036854775807, got "-1"'),
    (["u50", "--moves", "2-opt"], '--moves: expected or-opt or 3-opt, got "2-opt"'),
    (["u50", "--quiet=yes"], "--quiet takes no value"),
    (["absent.tsp"], "absent.tsp: no such file"),
    (["u99999999"], "a generated instance has 1 to 10000000 cities, not 99999999"),
])
def test_wrong_usage(arguments, message, tmp_path):
    result = solve(*arguments, cwd=tmp_path)
    assert result.returncode == 2 and one_line(result) == f"antbench solve: {message}"
    assert list(tmp_path.iterdir()) == []


def test_broken_files_are_named_with_their_line(tmp_path):
    (tmp_path / "x.tsp").write_text("TYPE: TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 zero 0\n")
    (tmp_path / "x.csv").write_text("1,2\n3,4,5\n")
    assert one_line(solve("x.tsp", cwd=tmp_path)) == 'antbench solve: x.tsp:6: expected a number, got "zero"'
    assert one_line(solve("x.csv", cwd=tmp_path)) == 'antbench solve: x.csv:2: expected "x,y", got 3 cells'


def test_help(tmp_path):
    result = solve("--help", cwd=tmp_path)
    assert result.returncode == 0 and result.stdout.startswith("antbench solve: ") and "--target LENGTH" in result.stdout
    top = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True)
    assert "antbench solve INSTANCE" in top.stdout


def test_small_units_are_told_of(tmp_path):
    (tmp_path / "unit.csv").write_text("".join(f"{x / 1000},{y / 1000}\n" for x, y in scattered(50)))
    assert "rounded to whole numbers" in solve("unit.csv", "--seconds", 0.1, cwd=tmp_path).stderr
    assert "rounded" not in solve(write(tmp_path / "x.tsp", "EUC_2D", scattered(50)), "--seconds", 0.1, cwd=tmp_path).stderr
