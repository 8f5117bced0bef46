"""Of how many iterations a row is the mean: part of the row, told in headings, and the same for all rows of a table."""

import csv
import math

import numpy as np
import pytest

from antbench.data import cells, plausible, runs
from antbench.data.command import BadInput
from antbench.show import readme
from antbench.tools import drift
from support.commands import drive, rows_of, samples_of
from thesis_run import made_row, write_run

REFERENCE = runs.RESULTS / "reference"
H100 = REFERENCE / "nvidia-h100-80gb-hbm3"
TABLE_33, FRONTIER = H100 / "20261126T104056Z-c8d43aae-3.3", H100 / "20261126T155952Z-31bcaa5c-frontier"
JSC_3, KTH_8 = H100 / "20261126T112154Z-c8d43aae-jsc-3", H100 / "20261128T025216Z-03881adb-kth-8"


def row_of(run, table, name, instance, **params):
    found = [row for row in run.records if (row["table"], row["row"], row["instance"]) == (table, name, instance)]
    return next(row for row in found if all(runs.param(row, key) == value for key, value in params.items()))


@pytest.fixture(scope="module")
def stored():
    return runs.load_run(TABLE_33)


@pytest.mark.parametrize("table, row, stage, expected", [
    ("3.3", "race", None, 91), ("3.4", "race", "construct", 91),
    ("3.3", "ds-roulette", None, 5), ("3.4", "ds-roulette", "update", 5),
    ("3.3", "i-roulette", None, 2), ("3.3", "copy", None, 0),
])  # fmt: skip
def test_a_row_says_how_many_iterations_a_run_had(stored, table, row, stage, expected):
    if row == "copy":
        found = next(each for each in stored.records if each["scope"] == "setup")
    else:
        found = row_of(stored, table, row, "pr2392", protocol="as-best", **({"stage": stage} if stage else {}))
    assert runs.iterations(found) == expected


def test_the_first_iterations_of_each_run(stored):
    """d198 has two or three runs in some processes: 1000 samples."""
    row = row_of(stored, "3.3", "race", "d198", protocol="as-best")
    times = {}
    for sample in csv.DictReader(runs.content(TABLE_33 / "samples.csv.xz").decode().splitlines()):
        if int(sample["line"]) == row["line"] and not sample["discard_reason"]:
            times.setdefault(sample["process"], []).append((int(sample["number"]), float(sample["ms"])))
    of_first = [[ms for number, ms in each if number % 100 < 20] for each in times.values()]
    expected = sum(sum(each) / len(each) for each in of_first) / len(of_first)
    cut = runs.of_first(row, 20)
    assert sorted(map(len, times.values())) == [*[100] * 4, 200, 200, 200]
    assert cut["mean_ms"] == pytest.approx(expected, rel=1e-9) and cut["samples"] == 200
    assert runs.iterations(cut) == 20 and cut["mean_ms"] > 1.19 * row["mean_ms"]
    assert runs.of_first(row, 100) is row


def test_discarded_samples_keep_their_places(stored, monkeypatch):
    """As if the first iteration of all processes was late."""
    row = row_of(stored, "3.3", "ds-roulette", "pr2392", protocol="as-best")
    late = [np.array([math.nan, *samples[1:]]) for samples in runs.processes(row)]
    monkeypatch.setattr(runs, "processes", lambda _: late)
    assert math.isnan(runs.of_first(row, 1)["mean_ms"]) and runs.of_first(row, 2)["samples"] == 7


def test_numbers_beside_each_other_are_over_the_same_iterations():
    source = cells.Source([runs.load_run(TABLE_33), runs.load_run(FRONTIER)])
    addresses = [f"{row}/pr2392?protocol=as-best" for row in ("frontier/race", "3.3/race", "3.3/ds-roulette")]
    found = [cells.look_up(source, address) for address in addresses]
    assert [each.iterations for each in found] == [20, 91, 5]
    first = cells.common_iterations(found)
    cut = [cells.look_up(source, address, first=first) for address in addresses]
    assert first == 20 and [each.iterations for each in cut] == [20, 20, 5]
    assert cut[1].value == pytest.approx(cut[0].value, rel=0.02) and found[1].value < 0.9 * cut[1].value
    assert cells.told_iterations(cut, first) == "the first 20 iterations (5 in rows that reached their time limit)"
    assert cells.told_iterations(cut[:2], first) == "the first 20 iterations"


def test_a_page_says_how_many_its_numbers_are_of():
    measured = readme.Measured([runs.load_run(TABLE_33), runs.load_run(FRONTIER)])
    text = " ".join(measured.ms(f"{row}/pr2392?protocol=as-best") for row in ("frontier/race", "3.3/race"))
    assert measured.iterations() == "the first 20 iterations" and measured.marked(text).split()[1].startswith("1.18")
    alike = readme.Measured([runs.load_run(JSC_3)])
    assert alike.marked(alike.ms("jsc-3/bits/2^13")) == "0.00618" and alike.iterations() == ""


def test_no_page_prints_a_median_as_the_number_of_a_row():
    """In place of means two of eight tables had them."""
    run = runs.load_run(KTH_8)
    row = row_of(run, "kth-9", "cpu-registers-all", "random-256")
    assert row["mean_ms"] > 20 * row["median_ms"]
    measured = readme.Measured([run])
    assert measured.marked(measured.ms("kth-9/cpu-registers-all/random-256")) == "~1.3 (median 0.0085)"
    assert not [path for path in readme.TEMPLATES.iterdir() if "median_ms" in path.read_text()]


def test_a_run_tells_how_many_there_were(tmp_path):
    """A row that has no time for more takes one sample, and six where its line says so."""
    done = drive("--instances", "u20", "--profile", "quick", "--iterations", 6, "--runs", 1, "--processes", 1, "--time-budget", "0.000000001",
                 "--implementations", "tsp/acotsp-seq,tsp/cpu-rejection", "--out", tmp_path / "run")  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "run")
    assert {row["iterations"] for row in rows if row["row"] == "acotsp-seq"} == {"6"}
    assert {row["iterations"] for row in rows if row["row"] == "cpu-rejection-1" and row["samples"]} == {"1"}
    assert "; mean in ms of the first 6 iterations, or the named metric" in " ".join(done.stdout.split())
    lines = done.stdout.splitlines()
    beside = [
        lines[i + 1].split()
        for i, line in enumerate(lines)
        if line.startswith("cpu-rejection-1") and "protocol=as-best" in line
    ]
    assert beside and beside[0] == ["iterations", "1"]
    assert not [
        i for i, line in enumerate(lines) if line.startswith("acotsp-seq") and lines[i + 1].startswith("  iterations")
    ]
    runs.load_run(tmp_path / "run").processes


def test_more_iterations_than_can_be_counted_are_refused(tmp_path):
    counts = ("--processes", 1, "--runs", 2148, "--iterations", 1000000)
    done = drive("--instances", "u20", "--profile", "smoke", *counts, "--out", tmp_path / "run")
    assert done.returncode == 2 and "--runs 2148 of --iterations 1000000: expected at most 2147483647" in done.stderr
    assert not (tmp_path / "run").exists()


def test_more_iterations_than_samples_are_refused(tmp_path):
    drive(
        "--instances",
        "u20",
        "--rows",
        "3.3/acotsp-seq?protocol=as",
        "--iterations",
        3,
        "--runs",
        1,
        "--processes",
        1,
        "--out",
        tmp_path / "run",
    )
    [path] = (tmp_path / "run").glob("table-*.csv")
    numbers = {sample["number"] for sample in samples_of(tmp_path / "run")}
    head, *lines = path.read_text().splitlines()
    at = head.split(",").index("iterations")
    assert numbers == {"0", "1", "2"} and {line.split(",")[at] for line in lines} == {"3"}
    changed = [",".join([*cut[:at], "4", *cut[at + 1 :]]) for cut in (line.split(",") for line in lines)]
    path.write_text("\n".join([head, *changed]).replace("after-3-iterations", "after-4-iterations") + "\n")
    with pytest.raises(BadInput, match="iterations is 4, but a process has 3 samples at most"):
        _ = runs.load_run(tmp_path / "run").processes


@pytest.mark.parametrize("scope, count, metric, fault", [
    ("iteration", 100, "best-tour-after-100-iterations", None), ("stage", 8, "", None), ("kernel", math.nan, "", None),
    ("kernel", 8, "", "iterations is 8, but rows of scope kernel have no iterations"),
    ("iteration", 50, "best-tour-after-100-iterations", "iterations is 50, but a run has 100"),
    ("iteration", 0, "", "iterations is 0, but a run has 1 or more"),
])  # fmt: skip
def test_what_a_row_cannot_say_of_its_iterations(scope, count, metric, fault):
    assert plausible.iterations_fault({"scope": scope, "iterations": count, "quality_metric": metric}) == fault


def test_drift_is_told_for_each_kernel(capsys):
    name = "nvidia-h100-80gb-hbm3/20261126T104056Z-c8d43aae-3.3"
    assert drift.main([name, "--rows", "3.3/race/pr2392?protocol=as-best"]) == 0
    assert "| 3.3/race | pr2392 | protocol=as-best ants=2392 | 91 | 1.046 | +18.5 % |" in capsys.readouterr().out
    assert drift.main([name, "--backend", "cuda", "--by-row"]) == 0
    assert "| tsp/race | " in capsys.readouterr().out
    with pytest.raises(BadInput, match="no row of these runs has timed iterations"):
        drift.main([name, "--rows", "3.3/nobody"])


def test_rows_of_a_smoke_test_do_not_cut_the_others(tmp_path):
    source = cells.Source([runs.load_run(write_run(tmp_path / "run", [made_row("3.3", "race", "d198", 1.0)]))])
    [row] = source.rows.to_dict("records")
    assert cells.common_iterations([cells.Estimate(1.0, rows=(row,))]) == 100


@pytest.mark.parametrize("low, value, high, told", [
    (0.0485, 0.0489, 0.0493, "2.2 % under"), (0.0499, 0.0511, 0.0523, "undecided (2.2 % over)"), (0.0513, 0.0515, 0.0517, "3.0 % over"),
    (0.049, 0.0499, 0.051, "undecided (0.20 % under)"), (float("nan"), 0.04, float("nan"), "20 % under"),
])  # fmt: skip
def test_a_goal_is_judged_by_the_number_that_is_printed(low, value, high, told):
    assert readme.judged(cells.Estimate(value, low, high), 0.05) == told
