"""antbench solve, end to end: its tours measured by a reader of TSPLIB that shares nothing with the program's."""

import csv
import errno
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.commands import NO_INPUTS, PROGRAM, ROOT, environment_of, one_line
from support.distances import RULES

sys.path.insert(0, str(ROOT / "tests/faults"))

from inject import PRELOADED  # noqa: E402

TSPLIB = os.environ.get("TSPLIB_DIR")


def solve(*arguments, cwd, tsplib=NO_INPUTS, **options):
    return subprocess.run(
        [PROGRAM, "solve", *map(str, arguments)],
        cwd=cwd,
        env=environment_of(tsplib),
        capture_output=True,
        text=True,
        timeout=60,
        **options,
    )


# ---- The checker ----


def tour_of(path):
    """The cities of a .tour, from 1, each once."""
    words = path.read_text().split()
    begin = words.index("TOUR_SECTION") + 1
    cities = [int(word) for word in words[begin : words.index("-1", begin)]]
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
        nodes = {
            int(node[0]): (float(node[1]), float(node[2]))
            for node in map(str.split, body.splitlines())
            if len(node) == 3
        }
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
    path.write_text(
        "\n".join(
            [
                "TYPE : TSP",
                f"DIMENSION : {len(points)}",
                f"EDGE_WEIGHT_TYPE : {kind}",
                "NODE_COORD_SECTION",
                *lines,
                "EOF\n",
            ]
        )
    )
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


@pytest.mark.parametrize(
    "points, length",
    [
        ([(1, 1)], 0),
        ([(0, 0), (3, 4)], 10),
        ([(0, 0), (3, 4), (3, 0)], 12),
        ([(0, 0), (3, 4), (3, 0), (0, 4)], 14),
        ([(7, 7)] * 2, 0),
        ([(7, 7)] * 500, 0),
        ([(0, 0), (3, 4)] * 100, 10),
        ([(x, 0) for x in range(1000)], 1998),
    ],
    ids=["one", "two", "three", "four", "twice", "one place", "two places", "a line"],
)
def test_instances_with_one_answer(points, length, tmp_path):
    path = write(tmp_path / "few.tsp", "EUC_2D", points)
    result = solve(path, "--seconds", 5, "--target", length, cwd=tmp_path)
    assert checked(result, instance_of(path), tmp_path / "few.tour") == length
    assert float(told(result, "time").split()[0]) < 5


def test_a_matrix_of_zeros(tmp_path):
    (tmp_path / "zero.tsp").write_text(
        "TYPE: TSP\nDIMENSION: 30\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
        "EDGE_WEIGHT_SECTION\n" + "0 " * 900 + "\nEOF\n"
    )
    result = solve("zero.tsp", cwd=tmp_path)
    assert checked(result, lambda a, b: 0, tmp_path / "zero.tour") == 0 and float(told(result, "time").split()[0]) < 5


def test_many_cities_take_no_matrix(tmp_path):
    """100,000 of them: their distances would take 40 GB. It ends when the tour is better than the curve it begins with."""
    result = solve("u100000", "--seconds", 50, "--target", 281_000_000, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (
        told(result, "instance") == "u100000, 100000 cities, EUC_2D, generated"
        and len(tour_of(tmp_path / "u100000.tour")) == 100000
    )
    assert float(told(result, "gap").split()[0]) < 25


@pytest.mark.skipif(not TSPLIB, reason="needs the files of TSPLIB")
@pytest.mark.parametrize("name", ["gr17", "bays29", "att48", "ulysses22", "berlin52", "st70", "kroA100"])
def test_the_optimum_ends_the_search(name, tmp_path):
    result = solve(name, "--seconds", 20, cwd=tmp_path, tsplib=TSPLIB)
    checked(result, instance_of(Path(TSPLIB) / f"{name}.tsp"), tmp_path / f"{name}.tour")
    assert told(result, "gap") == "0 %, the optimum" and float(told(result, "time").split()[0]) < 20


@pytest.mark.skipif(not TSPLIB, reason="needs the files of TSPLIB")
@pytest.mark.parametrize(
    "name, optimum", [("pr2392", 378032), ("pr1002", 259045), ("a280", 2579), ("att48", 10628), ("bays29", 2020)]
)
def test_the_checker_knows_the_optima(name, optimum):
    folder = Path(TSPLIB)
    words = (folder / f"{name}.opt.tour").read_text().split()
    begin = words.index("TOUR_SECTION") + 1
    assert (
        length_by(instance_of(folder / f"{name}.tsp"), [int(word) for word in words[begin : words.index("-1", begin)]])
        == optimum
    )


def test_a_target_ends_the_search(tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(500))
    result = solve(path, "--seconds", 50, "--target", 20000, cwd=tmp_path)
    assert checked(result, instance_of(path), tmp_path / "x.tour") <= 20000


def test_or_opt_alone_is_worse(tmp_path):
    """Where no move is left. The target is above both, so that the search ends there, whatever the time."""
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(5000))

    def length(moves):
        result = solve(path, "--seconds", 0, "--target", 55000, "--moves", moves, "--threads", 1, cwd=tmp_path)
        assert " 0 kicks" in result.stdout
        return checked(result, instance_of(path), tmp_path / "x.tour")

    assert length("3-opt") < length("or-opt")


# ---- Tables of coordinates ----


def on_globe(a, b):
    """km between two (latitude, longitude), by the angle between vectors."""

    def vector(at):
        up, along = map(math.radians, at)
        return math.cos(up) * math.cos(along), math.cos(up) * math.sin(along), math.sin(up)

    (ax, ay, az), (bx, by, bz) = vector(a), vector(b)
    cross = math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    return 6371.0088 * math.atan2(cross, ax * bx + ay * by + az * bz)


def table(path, header, points):
    """A table of points that are named by their numbers, in a third column."""
    path.write_text(header + "".join(f"{x!r},{y!r},city {i}\n" for i, (x, y) in enumerate(points)))
    return path


def checked_table(result, path, header, points, distance, unit):
    """The length, which is that of the rows in their order: each once, as it was, the first one first."""
    assert result.returncode == 0, result.stderr
    rows = path.read_text().removeprefix(header).splitlines()
    order = [int(row.rpartition(" ")[2]) for row in rows]
    assert rows == [f"{points[i][0]!r},{points[i][1]!r},city {i}" for i in order]
    assert sorted(order) == list(range(len(points))) and order[0] == 0
    length = length_by(lambda a, b: distance(points[a], points[b]), order)
    number, _, said = told(result, "length").partition(" ")
    assert said == unit and float(number) == pytest.approx(length, rel=1e-6, abs=1e-9 * max(map(abs, sum(points, ()))))
    assert "optimum" not in result.stdout and "gap" not in result.stdout
    return length


UNIT = "in the unit of the coordinates"
SHAPES = {
    "scattered": lambda draw, n: [(draw.random(), draw.random()) for _ in range(n)],
    "one place": lambda draw, n: [(0.3, 0.7)] * n,
    "two places": lambda draw, n: [(0.25 + i % 2 / 2, 0.5) for i in range(n)],
    "a line": lambda draw, n: [(draw.random(), 0.5) for _ in range(n)],
    "doubled": lambda draw, n: [((i // 3 * 37 % 101) / 101, (i // 3 * 53 % 103) / 103) for i in range(n)],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale, shift", [(1e-6, 0), (1, 0), (1, -7e6), (1000, 0), (1e9, 1e9)])
def test_lengths_on_a_plane(shape, scale, shift, tmp_path):
    draw = random.Random(scale)
    for n in (1, 2, 3, 4, 5, 8, 60):
        points = [(shift + scale * x, shift + scale * y) for x, y in SHAPES[shape](draw, n)]
        path = table(tmp_path / "some.csv", "x,y,name\n", points)
        result = solve(path, "--seconds", 0.02, "--quiet", cwd=tmp_path)
        assert told(result, "instance").endswith("on a plane") and told(result, "tour") == "some.tour.csv"
        checked_table(result, tmp_path / "some.tour.csv", "x,y,name\n", points, math.dist, UNIT)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "place",
    [(-90, 180, -180, 360), (52.4, 0.2, 13.1, 0.5), (-18, 2, 178, 2), (89, 1, -180, 360)],
    ids=["globe", "town", "to the 180th meridian", "pole"],
)
def test_lengths_on_the_globe(shape, place, tmp_path):
    south, high, west, wide = place
    draw = random.Random(south)
    for n in (1, 2, 3, 4, 5, 8, 60):
        points = [(south + high * x, west + wide * y) for x, y in SHAPES[shape](draw, n)]
        path = table(tmp_path / "some.csv", "Lat,LNG,name\n", points)
        result = solve(path, "--seconds", 0.02, "--quiet", cwd=tmp_path)
        assert told(result, "instance").endswith("on a sphere of radius 6371.0088 km")
        checked_table(result, tmp_path / "some.tour.csv", "Lat,LNG,name\n", points, on_globe, "km")


def test_a_table_of_any_unit_has_the_same_tour(tmp_path):
    points = [(x / 1024, y / 1024) for x, y in scattered(100, side=1024)]
    tours = []
    for scale in (2.0**-10, 1, 2.0**20):
        path = table(tmp_path / "some.csv", "", [(scale * x, scale * y) for x, y in points])
        solve(path, "--threads", 1, "--target", 9.0 * scale, "--seconds", 30, "--out", "some.tour", cwd=tmp_path)
        tours.append(tour_of(tmp_path / "some.tour"))
    assert (
        tours[0] == tours[1] == tours[2]
        and length_by(lambda a, b: math.dist(points[a - 1], points[b - 1]), tours[0]) <= 9.0
    )


def test_the_metric_is_what_is_asked_for(tmp_path):
    points = [(50 + x / 100, 7 + y / 100) for x, y in scattered(30)]
    for header, options, distance, unit in [
        ("lat,lon,name\n", ["--metric", "plane"], math.dist, UNIT),
        ("", ["--metric", "geo"], on_globe, "km"),
        ("x,y,name\n", ["--metric", "geo"], lambda a, b: on_globe(a[::-1], b[::-1]), "km"),
        ("", [], math.dist, UNIT),
    ]:
        path = table(tmp_path / "some.csv", header, points)
        result = solve(path, *options, "--seconds", 0.02, "--quiet", "--out", "rows.csv", cwd=tmp_path)
        checked_table(result, tmp_path / "rows.csv", header, points, distance, unit)


def test_a_table_as_a_tour_of_tsplib(tmp_path):
    points = scattered(300)
    table(tmp_path / "places.csv", "x,y,name\n", points)
    result = solve("places.csv", "--seconds", 0.2, "--quiet", "--out", "my tour.txt", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    length = length_by(lambda a, b: math.dist(points[a - 1], points[b - 1]), tour_of(tmp_path / "my tour.txt"))
    assert f"COMMENT : length {told(result, 'length')}, antbench" in (tmp_path / "my tour.txt").read_text()
    assert told(result, "length") == f"{length:.9g} {UNIT}"


def test_no_length_is_the_optimum_where_that_is_unknown(tmp_path):
    """TSPLIB's rule rounds all of these distances to 0, and is told of; a table's are real."""
    path = write(tmp_path / "unit.tsp", "EUC_2D", [(x / 3000, y / 3000) for x, y in scattered(50)])
    result = solve(path, "--seconds", 0.1, cwd=tmp_path)
    assert told(result, "length") == "0" and "gap" not in result.stdout
    assert "EUC_2D rounds distances to whole numbers" in result.stderr
    (tmp_path / "unit.csv").write_text("".join(f"{x / 3000},{y / 3000}\n" for x, y in scattered(50)))
    result = solve("unit.csv", "--seconds", 0.1, cwd=tmp_path)
    assert float(told(result, "length").split()[0]) > 1 and "whole numbers" not in result.stderr
    assert (
        "rounds" not in solve(write(tmp_path / "x.tsp", "EUC_2D", scattered(50)), "--seconds", 0.1, cwd=tmp_path).stderr
    )


def test_stdin_and_stdout(tmp_path):
    """Of a table rows, of TSPLIB's file a tour; what is said goes to stderr."""
    points = scattered(40)
    text = table(tmp_path / "some.csv", "x,y,name\n", points).read_text()
    result = solve("-", "--seconds", 0.02, "--quiet", cwd=tmp_path, input=text)
    assert sorted(result.stdout.splitlines()) == sorted(text.splitlines()) and result.stdout.startswith("x,y,name\n")
    assert "instance: stdin, 40 cities, on a plane\n" in result.stderr and "tour: stdout\n" in result.stderr
    result = solve("-", "--seconds", 0.02, "--out", "rows.csv", cwd=tmp_path, input=text)
    checked_table(result, tmp_path / "rows.csv", "x,y,name\n", points, math.dist, UNIT)
    text = write(tmp_path / "some.tsp", "MAN_2D", points).read_text()
    result = solve("-", "--seconds", 0.02, "--out", "-", cwd=tmp_path, input=text)
    (tmp_path / "some.tour").write_text(result.stdout)
    length = length_by(instance_of(tmp_path / "some.tsp"), tour_of(tmp_path / "some.tour"))
    assert f"\nlength: {length}\n" in result.stderr
    assert one_line(solve("-", cwd=tmp_path, input="")) == "antbench solve: stdin:1: the file is empty"
    assert (
        one_line(solve("-", cwd=tmp_path, input="1,2\n3,x\n"))
        == 'antbench solve: stdin:2: column 2: expected a number, got "x"'
    )


def test_a_full_stdout_is_one_line(tmp_path):
    write(tmp_path / "x.tsp", "EUC_2D", scattered(40))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [PROGRAM, "solve", "x.tsp", "--seconds", "0.02", "--quiet", "--out", "-"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert (
        done.returncode == 1
        and done.stderr.splitlines()[-1] == "antbench: cannot write to stdout: No space left on device"
    )


def test_files_of_the_current_folder_need_no_folder(tmp_path):
    points = scattered(20)
    text = write(tmp_path / "mine.txt", "EUC_2D", points).read_text()
    assert told(solve("mine.txt", "--seconds", 0.02, cwd=tmp_path), "instance") == "mine.txt, 20 cities, EUC_2D"
    table(tmp_path / "list.txt", "", points)
    assert told(solve("list.txt", "--seconds", 0.02, cwd=tmp_path), "instance") == "list.txt, 20 cities, on a plane"
    (tmp_path / "a.atsp").write_text(text.replace("TYPE : TSP", "TYPE : ATSP"))
    assert one_line(solve("a.atsp", cwd=tmp_path)) == 'antbench solve: a.atsp:1: TYPE must be TSP, not "ATSP"'


def test_an_instance_is_not_overwritten(tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(20))
    (tmp_path / "link").symlink_to("x.tsp")
    before = path.read_text()
    for out in ("x.tsp", "link"):
        assert (
            one_line(solve("x.tsp", "--out", out, cwd=tmp_path))
            == f"antbench solve: --out {out}: this is the instance itself; name another file"
        )
    assert path.read_text() == before


def test_links_are_not_followed(tmp_path):
    write(tmp_path / "x.tsp", "EUC_2D", scattered(20))
    (tmp_path / "victim").write_text("precious\n")
    for name in ("x.tour.new", "x.tour"):
        (tmp_path / name).symlink_to("victim")
    assert solve("x.tsp", "--seconds", 0.02, cwd=tmp_path).returncode == 0
    assert (tmp_path / "victim").read_text() == "precious\n" and not (tmp_path / "x.tour").is_symlink()
    assert len(tour_of(tmp_path / "x.tour")) == 20


def test_solvers_at_once_tear_no_tour(tmp_path):
    names = ["u400", "u401", "u402", "u403"]
    for _ in range(5):
        with ThreadPoolExecutor() as all_of_them:
            done = list(
                all_of_them.map(
                    lambda name: solve(name, "--seconds", 0.02, "--threads", 1, "--out", "x.tour", cwd=tmp_path), names
                )
            )
        assert all(result.returncode == 0 for result in done), [result.stderr for result in done]
        assert f"u{len(tour_of(tmp_path / 'x.tour'))}" in names
    assert [path.name for path in tmp_path.iterdir()] == ["x.tour"]


# ---- Bounds ----

with open(ROOT / "instances/catalogue.csv", newline="", encoding="utf-8") as file:
    CATALOGUE = {row["name"]: int(row["optimum"]) for row in csv.DictReader(file) if row["optimum"].isdigit()}


def bound_of(result):
    """The bound, and what the program says of it."""
    number, _, said = told(result, "bound").partition(", ")
    return float(number), said


@pytest.mark.skipif(not TSPLIB, reason="needs the files of TSPLIB")
@pytest.mark.parametrize("name", CATALOGUE)
def test_no_bound_is_above_the_optimum(name, tmp_path):
    """The search ends at once, so that the bound, not the tour, is tried. The
    potentials of gr17 stop early."""
    path = Path(TSPLIB) / f"{name}.tsp"
    if not path.is_file():
        pytest.skip(f"no {name}")
    optimum = CATALOGUE[name]
    result = solve(path, "--bound", "--target", 10**9, "--threads", 1, "--quiet", cwd=tmp_path)
    length = checked(result, instance_of(path), tmp_path / f"{name}.tour")
    bound, said = bound_of(result)
    assert (0.95 if name == "gr17" else 0.98) * optimum <= bound <= optimum
    if length > bound:
        assert float(re.search(r"at most ([\d.]+) % above", said)[1]) == pytest.approx(
            100 * (length / bound - 1), abs=0.01
        )
    else:
        assert said == "so the tour is the shortest" and length == optimum


@pytest.mark.parametrize("header, distance", [("x,y,name\n", math.dist), ("lat,lon,name\n", on_globe)])
def test_the_bound_of_a_table_has_its_unit(header, distance, tmp_path):
    """Four corners and the middle of the sides: the way around them is the shortest."""
    points = [(0.0, 0.0), (0.0, 1.0), (0.0, 2.0), (1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (2.0, 0.0), (1.0, 0.0)]
    path = table(tmp_path / "some.csv", header, points)
    result = solve(path, "--bound", "--seconds", 0.1, "--quiet", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    bound, said = bound_of(result)
    around = length_by(distance, points)
    assert 0.999 * around <= bound <= around and said.startswith("so the tour is at most 0.0")


def test_a_bound_that_takes_too_long_is_none(tmp_path):
    """The steps end with the time, even if what comes before them has taken all of it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = solve("u20000", "--bound", "--seconds", 0.01, "--threads", 1, "--quiet", cwd=tmp_path)
    assert result.returncode == 0 and told(result, "bound") == "none in 0.01 s; try longer --seconds"
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 3


# ---- What ends it early ----


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_gives_the_best_so_far(how, tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(1000))
    process = subprocess.Popen(
        [PROGRAM, "solve", path, "--seconds", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "s: " in process.stderr.readline()  # it is under way
    process.send_signal(how)
    output, errors = process.communicate(timeout=10)
    result = subprocess.CompletedProcess([], process.returncode, output, errors)
    checked(result, instance_of(path), tmp_path / "x.tour")
    assert "(interrupted)" in told(result, "time")


def test_nohup_stays(tmp_path):
    """What ignores SIGHUP from its start, as nohup has it, goes on."""
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(1000))
    process = subprocess.Popen(
        [PROGRAM, "solve", path, "--seconds", "3"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert "s: " in process.stderr.readline()
    process.send_signal(signal.SIGHUP)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0 and re.search(r"^time: ([3-9]|\d\d)[\d.]* s, ", output, re.M), output


def test_a_kill_leaves_a_tour(tmp_path):
    """Written after a second, as a whole, and again and again."""
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(1000))
    (tmp_path / "x.tour").write_text("mine\n")
    process = subprocess.Popen([PROGRAM, "solve", path, "--seconds", "100"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    while (tmp_path / "x.tour").read_text() == "mine\n" and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, "it is written before the end"
    process.kill()
    process.wait()
    assert len(tour_of(tmp_path / "x.tour")) == 1000


def test_a_full_disk_keeps_the_old_tour(tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(1000))
    (tmp_path / "x.tour").write_text("mine\n")

    def fill():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    result = solve(path, "--seconds", 0.2, "--quiet", cwd=tmp_path, preexec_fn=fill)
    assert result.returncode == 1 and one_line(result) == "antbench solve: x.tour: File too large"
    assert (tmp_path / "x.tour").read_text() == "mine\n" and sorted(p.name for p in tmp_path.iterdir()) == [
        "x.tour",
        "x.tsp",
    ]


@pytest.mark.parametrize(
    "out, message",
    [
        ("nowhere/x.tour", "nowhere/x.tour: No such file or directory"),
        (".", ".: not a regular file"),
        ("/dev/full", "/dev/full: not a regular file"),
    ],
)
def test_output_that_cannot_be_written_is_said_first(out, message, tmp_path):
    path = write(tmp_path / "x.tsp", "EUC_2D", scattered(100))
    begin = time.monotonic()
    result = solve(path, "--seconds", 30, "--out", out, cwd=tmp_path)
    assert result.returncode == 1 and one_line(result) == f"antbench solve: {message}" and time.monotonic() - begin < 20


def fault(folder, into, at, how):
    """A small run whose `at`-th call of a kind fails (tests/faults/inject.c); and how many such calls it has made."""
    (folder / "x.tour").write_text("mine\n")
    environment = environment_of(
        **PRELOADED, INJECT_INTO=into, INJECT_AT=str(at), INJECT_HOW=str(how), INJECT_COUNT=str(folder / "count")
    )
    done = subprocess.run(
        [PROGRAM, "solve", "x.tsp", "--seconds", "0.01", "--threads", "1", "--quiet"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done, (folder / "x.tour").read_text()


@pytest.mark.parametrize(
    "into, hows", [("memory", [errno.ENOMEM]), ("files", [errno.ENOSPC, "before", "half", "after"])]
)
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
            assert (done.returncode, len(lines)) in [(0, 0), (1, 1)] or (
                done.returncode == -9 and isinstance(how, str)
            ), (at, how, lines)
            assert done.returncode != 0 or tour != "mine\n", (at, how)
            assert into != "memory" or not lines or "memory" in lines[0], (at, lines)


# ---- Usage ----


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "expected an instance (antbench solve --help)"),
        (["u50", "u60"], 'expected one instance, got "u50" and "u60"'),
        (["u50", "--second", "3"], "unknown option --second; did you mean --seconds?"),
        (["u50", "--seconds"], "--seconds: expected S"),
        (["u50", "--seconds", "soon"], '--seconds: expected a number of seconds (0: no limit), got "soon"'),
        (["u50", "--threads", "0"], '--threads: expected a whole number from 1 to 1024, got "0"'),
        (["u50", "--seconds", "0x10"], '--seconds: expected a number of seconds (0: no limit), got "0x10"'),
        (["u50", "--target", "-1"], '--target: expected a length, got "-1"'),
        (["u50", "--target", "nan"], '--target: expected a length, got "nan"'),
        (["u50", "--out", ""], '--out: expected a file, got ""'),
        (["u50", "--metric", "miles"], '--metric: expected geo or plane, got "miles"'),
        (["u50", "--metric", "geo"], "u50: --metric is for a table of coordinates, and this is generated"),
        (
            ["u50", "--out", "x.csv"],
            "--out x.csv: only the tour of a CSV file can be written as CSV; name a file NAME.tour",
        ),
        (["u50", "--moves", "2-opt"], '--moves: expected 3-opt or or-opt, got "2-opt"'),
        (["u50", "--quiet=yes"], "--quiet takes no value"),
        (["absent.tsp"], "absent.tsp: no such file"),
        (["u99999999"], "a generated instance has 1 to 10000000 cities, not 99999999"),
    ],
)
def test_wrong_usage(arguments, message, tmp_path):
    result = solve(*arguments, cwd=tmp_path)
    assert result.returncode == 2 and one_line(result) == f"antbench solve: {message}"
    assert list(tmp_path.iterdir()) == []


def test_broken_files_are_named_with_their_line(tmp_path):
    (tmp_path / "x.tsp").write_text(
        "TYPE: TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 zero 0\n"
    )
    (tmp_path / "x.csv").write_text("1,2\n3,4,5\n")
    assert one_line(solve("x.tsp", cwd=tmp_path)) == 'antbench solve: x.tsp:6: expected a number, got "zero"'
    assert one_line(solve("x.csv", cwd=tmp_path)) == "antbench solve: x.csv:2: expected 2 cells, as above, got 3"


def test_help(tmp_path):
    result = solve("--help", cwd=tmp_path)
    assert (
        result.returncode == 0 and result.stdout.startswith("antbench solve: ") and "--target LENGTH" in result.stdout
    )
    assert max(map(len, result.stdout.splitlines())) <= 100
    top = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True)
    assert "antbench solve INSTANCE" in top.stdout


def test_seconds_may_begin_with_a_point(tmp_path):
    assert solve("u50", "--seconds", ".1", "--quiet", cwd=tmp_path).returncode == 0
