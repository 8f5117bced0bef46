"""make time-to-target: its statistics, and a figure of two easy goals."""
import csv
import math
import subprocess
import sys

import pytest

from antbench import plots, time_to_target
from support.commands import ROOT, environment_of


def call(*arguments, **options):
    environment = environment_of(PYTHONPATH=str(ROOT / "scripts"))
    return subprocess.run(
        [sys.executable, "-m", "antbench.time_to_target", *map(str, arguments)],
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


def test_a_figure(tmp_path):
    done = call("u200:12", "u300:0", "--runs", 4, "--seconds", 0.3, "--out", tmp_path)
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
    assert all(row["length"] == "" and float(row["seconds"]) >= 0.3 for row in late), "few cities have a boundary"
    assert "u200, 12 % above: 4 of 4 runs arrived" in done.stdout
    assert "u300, 0 % above: 0 of 4 runs arrived; quartiles of their cpu_s: later, later, later" in done.stdout


@pytest.mark.parametrize("goal, message", [
    ("u200", 'expected INSTANCE:PERCENT, got "u200"'),
    ("absent.tsp:1", "antbench solve: absent.tsp: no such file"),
    ("c200:1", "c200: its optimum is not known"),
])
def test_goals_that_cannot_be(goal, message, tmp_path):
    done = call(goal, "--out", tmp_path)
    assert done.returncode == 2 and done.stderr == f"{message}\n"
