"""make time-to-target: its statistics, and a figure of two easy goals."""

import csv
import math
import os
import subprocess
import sys

import pytest

from antbench.show import plots
from antbench.tools import time_to_target
from support.commands import ROOT, environment_of


def call(*arguments, **options):
    environment = environment_of()
    return subprocess.run(
        [sys.executable, ROOT / "scripts/antbench", "time-to-target", *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        **options,
    )


def test_an_exponential_distribution_is_found_again():
    times = [0.5 - 2.0 * math.log(1 - (i + 0.5) / 400) for i in range(400)]
    shift, mean = time_to_target.shifted_exponential(time_to_target.probabilities(times, 400))
    assert shift == pytest.approx(0.5, abs=0.02) and mean == pytest.approx(2.0, rel=0.02)


def test_runs_that_do_not_arrive_count():
    points = time_to_target.probabilities([3.0, 1.0, 2.0], 10)
    assert points == [(1.0, 0.05), (2.0, 0.15), (3.0, 0.25)]
    assert time_to_target.quantile(points, 0.25) == 3.0 and time_to_target.quantile(points, 0.5) is None
    assert time_to_target.shifted_exponential(points) is None


def test_no_time_is_below_the_clocks_step():
    assert time_to_target.probabilities([0.0, 0.0, 2.0], 3) == [(1e-6, 1 / 6), (1e-6, 0.5), (2.0, 5 / 6)]


def test_a_figure(tmp_path):
    """u200 is searched until it arrives; the shortest tour of u3, which is found at once, is longer than the goal."""
    done = call("u200:12", "u3:0", "--runs", 4, "--seconds", 50, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert {"csv", "dat", "figure-time-to-target.pdf", *plots.TERMINALS} == {
        path.name.removeprefix("time-to-target.") for path in tmp_path.iterdir()
    }
    rows = list(csv.DictReader((tmp_path / "time-to-target.csv").open()))
    assert [row["seed"] for row in rows] == ["1", "2", "3", "4"] * 2
    arrived, late = rows[:4], rows[4:]
    assert all(
        0 < int(row["length"]) <= int(row["target"]) == math.floor(0.7124 * math.sqrt(200) * 1e6 * 1.12)
        for row in arrived
    )
    assert all(row["length"] == "" for row in late) and all(len(row["cpu_s"].partition(".")[2]) > 3 for row in arrived)
    assert "u200, 12 % above: 4 of 4 runs reached it" in done.stdout
    assert "u3, 0 % above: 0 of 4 runs reached it; quartiles of their cpu_s: later, later, later" in done.stdout


def rows_of(times):
    return [{"cpu_s": time, "length": 1} for time in times]


@pytest.mark.parametrize(
    "times", [[0.0] * 4, [0.25] * 4, [0.5], [0.0, 1e-6, 3.0, 3.0]], ids=["none", "one", "one run", "some"]
)
def test_any_times_are_drawn(times, tmp_path):
    time_to_target.draw({"some": rows_of(times)}, len(times), "cpu_s", tmp_path)
    assert (tmp_path / "figure-time-to-target.pdf").stat().st_size > 0


def test_nobody_arrives(tmp_path):
    """No figure, not even one of before, and an exit code."""
    (tmp_path / "time-to-target.svg").write_text("old")
    done = call("u3:0", "--runs", 2, "--out", tmp_path)
    assert done.returncode == 1
    assert done.stderr == "time-to-target: no run reached its goal; try longer --seconds or an easier goal\n"
    assert [path.name for path in tmp_path.iterdir()] == ["time-to-target.csv"]


@pytest.mark.skipif("TSPLIB_DIR" not in os.environ, reason="needs the files of TSPLIB")
def test_an_optimum_that_is_found_at_once_is_known(tmp_path):
    assert time_to_target.goal("burma14:0", tmp_path) == ("burma14", 0.0, 3323)


@pytest.mark.parametrize(
    "goal, message",
    [
        ("u200", 'expected INSTANCE:PERCENT, got "u200"'),
        ("absent.tsp:1", "antbench solve: absent.tsp: no such file"),
        ("c200:1", "c200: its optimum is not known"),
    ],
)
def test_goals_that_cannot_be(goal, message, tmp_path):
    done = call(goal, "--out", tmp_path)
    assert done.returncode == 2 and done.stderr == f"{message}\n"
