"""make draw-tours: tours as --save writes them, and the drawing of three of them."""

import csv
import math
import re
import shutil
import subprocess

import pytest

from antbench.tools import tours

needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")


def square(side):
    """Cities on the border of a square, and an order that goes around it."""
    ring = [(x, 0) for x in range(side)] + [(side, y) for y in range(side)]
    ring += [(side - x, side) for x in range(side)] + [(0, side - y) for y in range(side)]
    return ring, list(range(len(ring)))


def test_a_saved_tour_is_the_best_of_the_first_run(tmp_path):
    options = ["--instances", "u30", "--rows", "3.2-beta/cpu-blocks-2?protocol=as", "--iterations", "3", "--runs", "2"]
    command = [tours.PROGRAM, "3.2", "--quiet", *options, "--save", tmp_path / "save", "--out", tmp_path / "run"]
    assert subprocess.run(command, capture_output=True).returncode == 0
    (row,) = csv.DictReader(open(tmp_path / "run/table-3.2.csv", encoding="utf-8"))
    with open(tmp_path / "save/u30-cities.csv", encoding="utf-8") as file:
        cities = [(float(line["x"]), float(line["y"])) for line in csv.DictReader(file)]
    order = tours.read_tour(tmp_path / "save/u30-cpu-blocks-2-as-3.tour")
    assert sorted(order) == list(range(30)) == list(range(len(cities)))
    length = sum(round(math.dist(cities[a], cities[b])) for a, b in zip(order, order[1:] + order[:1]))
    assert length == float(row["quality_runs"].split()[0])


def save_tours(folder, iterations):
    cities, order = square(5)
    (folder / "s20-cities.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in cities))
    for row in tours.RUNGS:
        body = "\n".join(str(city + 1) for city in order)
        (folder / f"s20-{row}-as-{iterations}.tour").write_text(f"NAME : x\nTOUR_SECTION\n{body}\n-1\nEOF\n")


def drawn_from(tmp_path, times):
    save_tours(tmp_path, 10)
    found = {k: {row: (30.0 - k, 10) for row in tours.RUNGS} for k in (1, 10)}
    tours.draw(tmp_path, "s20", found, times, "H200")
    tours.write_csv(tmp_path / "tours.csv", found, times)
    return (tmp_path / "tours.dat").read_text().strip().split("\n\n\n")


@needs_gnuplot
def test_tours_are_closed_and_only_measured_times_are_drawn(tmp_path):
    blocks = drawn_from(tmp_path, {"race": 0.5})
    assert len(blocks) == 3 + 3 + 1
    first = blocks[0].splitlines()
    assert first[0] == '"DS-Roulette"' and first[1] == first[-1] and len(first) == 1 + 20 + 1
    assert blocks[6].splitlines() == ['"race"', "0.5 29", "5 20"]
    lines = (tmp_path / "tours.csv").read_text().splitlines()
    assert "race,10,20,10,0.5" in lines and "ds-roulette,10,20,10," in lines
    drawn = (tmp_path / "tours.svg").read_text()
    assert "time (ms, H200)" in drawn and (tmp_path / "tours.png").stat().st_size > 5000


@needs_gnuplot
def test_without_times_there_is_no_axis_of_time(tmp_path):
    assert len(drawn_from(tmp_path, {})) == 6
    assert not re.search(r"time \(ms", (tmp_path / "tours.svg").read_text())


def test_without_a_gpu_it_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tours.shutil, "which", lambda name: None)
    assert tours.main(["--out", str(tmp_path / "out")]) == 77 and "no GPU here" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


@needs_gnuplot
def test_runs_that_are_there_are_drawn_without_a_gpu(tmp_path, monkeypatch):
    which = shutil.which
    monkeypatch.setattr(tours.shutil, "which", lambda name: None if name == "nvidia-smi" else which(name))
    save_tours(tmp_path, max(tours.ITERATIONS))
    for k in tours.ITERATIONS:
        tours.table_of(tmp_path, k).parent.mkdir()
        lines = [f"{row},quality,{5000 - k},5001 4999\n" for row in tours.RUNGS]
        tours.table_of(tmp_path, k).write_text("row,scope,quality_mean,quality_runs\n" + "".join(lines))
    assert tours.main(["--instance", "s20", "--out", str(tmp_path)]) == 0
    assert "race,50,4950,2," in (tmp_path / "tours.csv").read_text()
    assert (tmp_path / "tours.svg").exists()
