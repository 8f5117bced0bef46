"""antbench solve --svg, --animation and --geojson: what is drawn is the tour that is written, whatever the file is called."""

import errno
import json
import math
import re
import resource
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from test_solve import instance_of, length_by, scattered, solve, tour_of, write

from support.commands import PROGRAM, ROOT, environment_of, one_line

sys.path.insert(0, str(ROOT / "tests/faults"))

from inject import PRELOADED  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
CAPITALS = [("Berlin", 52.5, 13.4), ("Bern", 46.9, 7.4), ("Oslo", 59.9, 10.8), ("Rome", 41.9, 12.5)]


def draw(path, *arguments, cwd, **options):
    return solve(path, "--seconds", 0.1, "--quiet", *arguments, cwd=cwd, **options)


def points_of(text):
    return [tuple(map(float, pair.split())) for pair in text.strip("MZ").split("L")]


def drawing_of(path):
    """(corners of the tour, centres of the dots, the page's width and height, the texts) of an SVG."""
    root = ElementTree.fromstring(path.read_bytes())
    [tour] = root.iter(SVG + "path")
    assert re.fullmatch(r"M[\d. L]+Z", tour.get("d"))
    dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.iter(SVG + "circle")]
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (left, top) == (0, 0)
    [title], [text] = root.iter(SVG + "title"), root.iter(SVG + "text")
    assert title.text == text.text
    return points_of(tour.get("d")), dots, (width, height), title.text


def csv_of(path, cities, header="name,lat,lon"):
    path.write_text("\n".join([header, *(",".join(map(str, city)) for city in cities), ""]))
    return path


# ---- SVG ----


@pytest.mark.parametrize("stretch", [1, 4, 0.25])
def test_a_drawing_is_the_tour_with_one_scale_for_both_axes(tmp_path, stretch):
    places = [(x, y * stretch) for x, y in scattered(50)]
    path = write(tmp_path / "some.tsp", "EUC_2D", places)
    done = draw(path, "--svg", "some.svg", cwd=tmp_path)
    assert done.returncode == 0 and "svg: some.svg\n" in done.stdout
    corners, dots, (width, height), caption = drawing_of(tmp_path / "some.svg")
    order = [places[city - 1] for city in tour_of(tmp_path / "some.tour")]
    left, top = min(x for x, _ in places), max(y for _, y in places)
    spans = max(x for x, _ in places) - left, top - min(y for _, y in places)
    scale = 1000 / max(spans)
    shift = corners[0][0] - (order[0][0] - left) * scale
    for (x, y), (page_x, page_y) in [*zip(order, corners, strict=True), *zip(places, dots, strict=True)]:
        assert page_x == pytest.approx(shift + (x - left) * scale, abs=0.02)
        assert page_y == pytest.approx(20 + (top - y) * scale, abs=0.02)  # larger y is up
        assert 19.9 <= page_x <= width - 19.9 and 19.9 <= page_y <= height - 49.9
    assert height == pytest.approx(70 + spans[1] * scale, abs=0.02)
    assert caption == f"some.tsp: length {re.search('length: (.*)', done.stdout)[1]} by EUC_2D"


@pytest.mark.parametrize("n, dots", [(1, 1), (2, 2), (2000, 2000), (2001, 0)])
def test_few_cities_are_dots(tmp_path, n, dots):
    path = write(tmp_path / "some.tsp", "EUC_2D", scattered(n))
    assert draw(path, "--svg", "x.svg", cwd=tmp_path).returncode == 0
    corners, drawn, *_ = drawing_of(tmp_path / "x.svg")
    assert (len(corners), len(drawn)) == (n, dots)


def test_cities_in_one_place_or_on_one_line(tmp_path):
    for places in ([(5, 5)] * 4, [(0, 0), (3, 0), (9, 0)], [(0, 7), (0, 9)]):
        assert draw(write(tmp_path / "x.tsp", "EUC_2D", places), "--svg", "x.svg", cwd=tmp_path).returncode == 0
        corners, _, (width, height), _ = drawing_of(tmp_path / "x.svg")
        assert all(math.isfinite(x) and 0 < x < width and 0 < y < height for x, y in corners)


def test_coordinates_may_be_as_large_or_small_as_a_table_may_have_them(tmp_path):
    for unit in (1e150, 1e-300):
        path = csv_of(tmp_path / "x.csv", [(f"{x * unit}", f"{y * unit}") for x, y in scattered(9)], "x,y")
        done = draw(path, "--svg", "x.svg", cwd=tmp_path)
        if done.returncode == 2:  # a table has a limit
            continue
        corners, *_ = drawing_of(tmp_path / "x.svg")
        assert max(x for x, _ in corners) - min(x for x, _ in corners) > 100


def test_degrees_are_drawn_as_on_a_map(tmp_path):
    """In the middle a degree to the east is as much shorter than one to the north as it is on the Earth."""
    path = csv_of(tmp_path / "x.csv", [("a", 59, 10), ("b", 61, 10), ("c", 61, 14), ("d", 59, 14)])
    assert draw(path, "--svg", "x.svg", cwd=tmp_path).returncode == 0
    _, dots, _, caption = drawing_of(tmp_path / "x.svg")
    (a, b, c, d) = dots
    assert a[1] > b[1] and a[0] < d[0] and a[0] == b[0] and b[1] == c[1]
    assert (d[0] - a[0]) / (a[1] - b[1]) == pytest.approx(2 * math.cos(math.radians(60)), rel=1e-3)
    assert re.fullmatch(r"x\.csv: length [\d.]+ km", caption)


def test_cities_on_both_sides_of_the_180th_meridian_lie_together(tmp_path):
    path = csv_of(tmp_path / "x.csv", [("Suva", -18, 178), ("Apia", -14, -172), ("Auckland", -37, 175)])
    assert draw(path, "--svg", "x.svg", cwd=tmp_path).returncode == 0
    _, (suva, apia, auckland), *_ = drawing_of(tmp_path / "x.svg")
    assert auckland[0] < suva[0] < apia[0] and apia[1] < suva[1] < auckland[1]


@pytest.mark.parametrize(
    "name, shown",
    [
        ("a&b<c>\"'].csv", "a&b<c>\"'].csv"),
        ("]]><script>.csv", "]]><script>.csv"),
        ("Zürich 東京.csv", "Zürich 東京.csv"),
        ("a\ufffeb.csv", "a???b.csv"),
    ],
)
def test_whatever_a_file_is_called_the_drawing_is_valid(tmp_path, name, shown):
    path = csv_of(tmp_path / name, CAPITALS)
    done = draw(path, "--svg", "x.svg", "--geojson", "x.json", "--out", "x", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert drawing_of(tmp_path / "x.svg")[3].startswith(f"{shown}: length ")
    named = json.loads((tmp_path / "x.json").read_bytes())["properties"]["name"]
    assert named == shown.removesuffix(".csv")


# ---- The search as a moving drawing ----


def film_of(path):
    """[(seconds, length, the cities from 1 in the order of the tour, delay of the loop in s)] and the loop's seconds."""
    root = ElementTree.fromstring(path.read_bytes())
    cities = {(dot.get("cx"), dot.get("cy")): i for i, dot in enumerate(root.iter(SVG + "circle"), start=1)}
    frames = [group for group in root.iter(SVG + "g") if group.get("class").startswith("frame")]
    assert [group.get("class") for group in frames] == ["frame"] * (len(frames) - 1) + ["frame last"]
    found = []
    for group in frames:
        [line], [text] = group.iter(SVG + "path"), group.iter(SVG + "text")
        seconds, length = re.fullmatch(r"([\d.]+) s: length ([\d.]+)(?: km)?", text.text).groups()
        tour = [cities[tuple(pair.split())] for pair in line.get("d").strip("MZ").split("L")]
        delay = re.fullmatch(r"animation-delay: (-[\d.]+)s", group.get("style"))[1]
        found.append((float(seconds), float(length), tour, float(delay)))
    [_, style] = [element.text for element in root.iter(SVG + "style")]
    assert "prefers-reduced-motion: reduce" in style
    return found, float(re.search(r"animation: turn ([\d.]+)s infinite", style)[1])


def test_an_animation_has_the_best_tours_in_the_order_of_finding(tmp_path):
    path = write(tmp_path / "some.tsp", "EUC_2D", scattered(300, 10**4))
    done = draw(path, "--animation", "x.svg", cwd=tmp_path)
    assert done.returncode == 0 and "animation: x.svg\n" in done.stdout
    frames, loop_s = film_of(tmp_path / "x.svg")
    assert 10 < len(frames) <= 40
    seconds, lengths, tours, delays = zip(*frames)
    assert list(seconds) == sorted(seconds) and list(lengths) == sorted(set(lengths), reverse=True)
    distance = instance_of(path)
    for length, tour in zip(lengths, tours):
        assert sorted(tour) == list(range(1, 301)) and length_by(distance, tour) == length
    last = tour_of(tmp_path / "some.tour")
    assert tours[-1] == last and f"length: {lengths[-1]:.0f}\n" in done.stdout
    assert loop_s == pytest.approx(0.25 * (len(frames) - 1) + 3)
    assert delays == pytest.approx([0.25 * i - loop_s for i in range(len(frames))])


def test_an_animation_leaves_the_search_as_it_is(tmp_path):
    path = write(tmp_path / "some.tsp", "EUC_2D", scattered(200, 10**4))
    told = []
    for more in ([], ["--animation", "x.svg"]):
        done = solve(path, "--seconds", 0, "--threads", 1, "--target", "1.1e5", "--quiet", *more, cwd=tmp_path)
        assert done.returncode == 0
        told.append(((tmp_path / "some.tour").read_text(), re.search(r"\d+ kicks", done.stdout)[0]))
    assert told[0] == told[1]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_cities_do_not_move(tmp_path, n):
    assert draw(csv_of(tmp_path / "x.csv", CAPITALS[:n]), "--animation", "x.svg", cwd=tmp_path).returncode == 0
    [(_, length, tour, _)], loop_s = film_of(tmp_path / "x.svg")
    assert sorted(tour) == list(range(1, n + 1)) and loop_s == 3 and (length > 0) == (n > 1)


def test_an_animation_has_a_largest_size(tmp_path):
    path = write(tmp_path / "some.tsp", "EUC_2D", scattered(5000, 10**6))
    assert draw(path, "--animation", "x.svg", cwd=tmp_path).returncode == 0
    assert (tmp_path / "x.svg").stat().st_size < 4e6
    path = write(tmp_path / "more.tsp", "EUC_2D", scattered(5001, 10**6))
    done = solve(path, "--seconds", 50, "--animation", "y.svg", cwd=tmp_path)
    assert done.returncode == 2 and not (tmp_path / "y.svg").exists()
    assert one_line(done) == (
        "antbench solve: --animation: more has 5001 cities, but 5000 can move at most; --svg draws its last tour"
    )


# ---- GeoJSON ----


def kilometres(a, b):
    """Between two positions, by another formula than the program's (of the haversine)."""
    (along, up), (to_along, to_up) = ([math.radians(value) for value in place] for place in (a, b))
    h = math.sin((up - to_up) / 2) ** 2 + math.cos(up) * math.cos(to_up) * math.sin((along - to_along) / 2) ** 2
    return 2 * 6371.0088 * math.asin(math.sqrt(h))


def feature_of(path):
    feature = json.loads(path.read_text())
    assert set(feature) == {"type", "properties", "geometry"} and feature["type"] == "Feature"
    assert set(feature["geometry"]) == {"type", "coordinates"} and set(feature["properties"]) == {"name", "length_km"}
    return feature["geometry"]["type"], feature["geometry"]["coordinates"], feature["properties"]


def test_a_tour_on_the_earth_is_a_closed_line(tmp_path):
    path = csv_of(tmp_path / "capitals.csv", CAPITALS)
    done = draw(path, "--geojson", "x.json", cwd=tmp_path)
    assert done.returncode == 0 and "geojson: x.json\n" in done.stdout
    kind, line, properties = feature_of(tmp_path / "x.json")
    assert kind == "LineString" and line[0] == line[-1] and len(line) == len(CAPITALS) + 1
    assert sorted(map(tuple, line[1:])) == sorted((longitude, latitude) for _, latitude, longitude in CAPITALS)
    assert properties["name"] == "capitals"
    length = sum(map(kilometres, line, line[1:]))
    assert properties["length_km"] == pytest.approx(length, rel=1e-9)
    names = {(longitude, latitude): name for name, latitude, longitude in CAPITALS}
    rows = [row.split(",")[0] for row in (tmp_path / "capitals.tour.csv").read_text().splitlines()[1:]]
    order = [names[tuple(place)] for place in line[:-1]]
    turned = order[order.index(rows[0]) :] + order[: order.index(rows[0])]
    assert turned == rows


@pytest.mark.parametrize("n", [1, 2])
def test_the_fewest_cities_are_a_line_too(tmp_path, n):
    path = csv_of(tmp_path / "x.csv", CAPITALS[:n])
    assert draw(path, "--geojson", "x.json", cwd=tmp_path).returncode == 0
    kind, line, _ = feature_of(tmp_path / "x.json")
    assert kind == "LineString" and len(line) == n + 1 and line[0] == line[-1]


@pytest.mark.parametrize(
    "cities, pieces",
    [
        ([("a", 0, 170), ("b", 10, -170), ("c", 20, 170)], 3),
        ([("a", 0, 180), ("b", 10, -180), ("c", 20, 170)], 3),
        ([("a", 0, 180), ("b", 10, 179), ("c", 20, 170)], 1),
    ],
)
def test_a_line_is_cut_at_the_180th_meridian(tmp_path, cities, pieces):
    """As RFC 7946 says (3.1.9)."""
    assert draw(csv_of(tmp_path / "x.csv", cities), "--geojson", "x.json", cwd=tmp_path).returncode == 0
    kind, lines, _ = feature_of(tmp_path / "x.json")
    assert kind == ("LineString" if pieces == 1 else "MultiLineString")
    lines = [lines] if pieces == 1 else lines
    assert len(lines) == pieces and lines[0][0] == lines[-1][-1]
    for line in lines:
        assert len(line) >= 2 and all(abs(a[0] - b[0]) <= 180 for a, b in zip(line, line[1:]))
        assert all(abs(along) <= 180 and abs(up) <= 90 for along, up in line)
    for line, following in zip(lines, lines[1:]):
        assert abs(line[-1][0]) == 180 and following[0] == [-line[-1][0], line[-1][1]]
    if cities[0][2] == 170:
        assert sorted({line[0][1] for line in lines[1:]}) == [5, 15]  # half way


def test_tsplibs_degrees_and_minutes_are_degrees(tmp_path):
    path = write(tmp_path / "some.tsp", "GEO", [(16.47, 96.10), (-14.05, -23.31), (20.09, 92.54)])
    done = draw(path, "--geojson", "x.json", "--svg", "x.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    kind, line, properties = feature_of(tmp_path / "x.json")
    found = sorted((round(along, 6), round(up, 6)) for along, up in line[1:])
    assert kind == "LineString" and found == [(-23.516667, -14.083333), (92.9, 20.15), (96.166667, 16.783333)]
    assert properties["length_km"] == int(re.search(r"length: (\d+)", done.stdout)[1])


# ---- Refusals ----


EXPLICIT = "TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3\nEOF\n"


def test_what_cannot_be_drawn_is_refused_before_the_search(tmp_path):
    (tmp_path / "matrix.tsp").write_text(EXPLICIT)
    write(tmp_path / "plane.tsp", "EUC_2D", scattered(9))
    csv_of(tmp_path / "plane.csv", scattered(9), "x,y")
    for path, option, said in (
        ("matrix.tsp", "--svg", "--svg: matrix has distances alone, and no coordinates to draw"),
        ("matrix.tsp", "--animation", "--animation: matrix has distances alone, and no coordinates to draw"),
        ("matrix.tsp", "--geojson", "--geojson: matrix has no latitudes and longitudes"),
        ("plane.tsp", "--geojson", "--geojson: plane has no latitudes and longitudes"),
        ("plane.csv", "--geojson", "--geojson: plane has no latitudes and longitudes"),
    ):
        done = solve(tmp_path / path, "--seconds", 50, option, "x", cwd=tmp_path)
        assert done.returncode == 2 and one_line(done).startswith(f"antbench solve: {said}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["matrix.tsp", "plane.csv", "plane.tsp"]


@pytest.mark.parametrize(
    "arguments, code, said",
    [
        (["--svg", "-"], 2, '--svg: expected a file, got "-"'),
        (["--animation", "-"], 2, '--animation: expected a file, got "-"'),
        (["--svg", "y", "--animation", "y"], 2, "--animation y: --svg writes this file; name another one"),
        (["--animation", "nowhere/x.svg"], 1, "nowhere/x.svg: No such file or directory"),
        (["--geojson", ""], 2, '--geojson: expected a file, got ""'),
        (["--svg", "x.csv"], 2, "--svg x.csv: this is the instance itself; name another file"),
        (["--geojson", "./x.csv"], 2, "--geojson ./x.csv: this is the instance itself; name another file"),
        (["--svg", "x.tour.csv"], 2, "--svg x.tour.csv: --out writes this file; name another one"),
        (["--svg", "y", "--geojson", "y"], 2, "--geojson y: --svg writes this file; name another one"),
        (["--svg", "nowhere/x.svg"], 1, "nowhere/x.svg: No such file or directory"),
        (["--geojson", "/dev/full"], 1, "/dev/full: not a regular file"),
    ],
)
def test_a_place_for_a_drawing_is_checked_before_the_search(tmp_path, arguments, code, said):
    path = csv_of(tmp_path / "x.csv", CAPITALS)
    before = path.read_text()
    done = solve("./x.csv", "--seconds", 50, *arguments, cwd=tmp_path)
    assert (done.returncode, one_line(done)) == (code, f"antbench solve: {said}")
    assert path.read_text() == before and [each.name for each in tmp_path.iterdir()] == ["x.csv"]


def test_a_drawing_that_does_not_fit_leaves_the_old_one(tmp_path):
    """The tour, which is smaller, is written."""
    path = write(tmp_path / "some.tsp", "EUC_2D", scattered(2000, 10**6))
    (tmp_path / "x.svg").write_text("the old one")
    done = draw(path, "--svg", "x.svg", cwd=tmp_path,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)))  # fmt: skip
    assert done.returncode == 1 and one_line(done) == "antbench solve: x.svg: File too large"
    assert (tmp_path / "x.svg").read_text() == "the old one" and len(tour_of(tmp_path / "some.tour")) == 2000
    assert sorted(each.name for each in tmp_path.iterdir()) == ["some.tour", "some.tsp", "x.svg"]


def test_a_link_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "x.svg").symlink_to("precious")
    assert draw(csv_of(tmp_path / "x.csv", CAPITALS), "--svg", "x.svg", cwd=tmp_path).returncode == 0
    assert (tmp_path / "precious").read_text() == "precious" and not (tmp_path / "x.svg").is_symlink()
    drawing_of(tmp_path / "x.svg")


DRAWN = "x.svg", "move.svg", "x.json"


def fault(folder, into, at, how):
    """A small run whose `at`-th call of a kind fails (tests/faults/inject.c)."""
    for name in DRAWN:
        (folder / name).write_text("mine\n")
    environment = environment_of(
        **PRELOADED, INJECT_INTO=into, INJECT_AT=str(at), INJECT_HOW=str(how), INJECT_COUNT=str(folder / "count")
    )
    files = [part for option, name in zip(("--svg", "--animation", "--geojson"), DRAWN) for part in (option, name)]
    arguments = ["--seconds", "0.01", "--threads", "1", "--quiet", *files]
    return subprocess.run(
        [PROGRAM, "solve", "x.csv", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "into, hows", [("memory", [errno.ENOMEM]), ("files", [errno.ENOSPC, "before", "half", "after"])]
)
def test_calls_that_fail_cost_no_drawing(into, hows, tmp_path):
    """The old drawing or the new one, whole; and one line of what failed."""
    csv_of(tmp_path / "x.csv", CAPITALS)
    fault(tmp_path, into, 0, errno.EIO)
    calls = int((tmp_path / "count").read_text().split()[0])
    assert calls > 10
    for how in hows:
        for at in range(max(calls - 30, 1), calls + 1):
            done = fault(tmp_path, into, at, how)
            svg, moving, line = ((tmp_path / name).read_text() for name in DRAWN)
            assert all(each == "mine\n" or each.endswith("</svg>\n") for each in (svg, moving)), (at, how)
            assert line == "mine\n" or json.loads(line), (at, how)
            lines = done.stderr.splitlines()
            killed = done.returncode == -9 and isinstance(how, str)
            assert killed or (done.returncode, len(lines)) in [(0, 0), (1, 1)], (at, how, lines)
            assert done.returncode != 0 or "mine\n" not in (svg, moving, line), (at, how)
            assert killed or not list(tmp_path.glob("*.new-*")), (at, how)
            for left in tmp_path.glob("*.new-*"):
                left.unlink()
