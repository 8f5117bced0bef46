"""A run as Google Benchmark writes it: what its own compare.py asks of a file, and that the numbers are the run's."""

import json

import pytest

from antbench.data import runs
from antbench.data.command import BadInput
from antbench.tools import export
from thesis_run import made_row, quality_row, write_run

STORED = str(max((runs.RESULTS / "reference").glob("*/*/table-jpdc-4.csv")).parent)  # the newest


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "run.json"
    assert export.main([STORED, "--out", str(path)]) == 0
    return json.loads(path.read_text())


def test_every_timed_row_has_its_processes_and_aggregates(document):
    (run,) = runs.load_runs(STORED)
    rows = [row for row in run.rows.to_dict("records") if row["samples"] > 0]
    entries = {}
    for entry in document["benchmarks"]:
        entries.setdefault(entry["run_name"], []).append(entry)
    assert len(entries) == len(rows) > 10
    for row, of_row in zip(rows, entries.values()):
        repetitions = [entry for entry in of_row if entry["run_type"] == "iteration"]
        aggregates = {entry["aggregate_name"]: entry for entry in of_row if entry["run_type"] == "aggregate"}
        assert [entry["repetition_index"] for entry in repetitions] == list(range(int(row["processes"])))
        assert sum(entry["iterations"] for entry in repetitions) == row["samples"]
        assert set(aggregates) == ({"mean", "median", "stddev", "cv"} if row["processes"] > 1 else set())
        if aggregates:
            assert aggregates["mean"]["real_time"] == pytest.approx(1e6 * row["mean_ms"], rel=1e-6)
            assert 0 <= aggregates["cv"]["real_time"] < row["processes"] ** 0.5, "a share"
            assert aggregates["cv"]["aggregate_unit"] == "percentage"
    assert any(entry["run_type"] == "aggregate" for entry in document["benchmarks"])


def test_it_has_what_compare_py_asks_for(document):
    assert document["context"]["json_schema_version"] == 1 and document["context"]["host_name"] == ""
    needed = {
        "name",
        "family_index",
        "per_family_instance_index",
        "run_name",
        "run_type",
        "repetitions",
        "threads",
        "iterations",
    }
    assert all(needed | {"real_time", "cpu_time", "time_unit"} <= entry.keys() for entry in document["benchmarks"])
    names = [entry["name"] for entry in document["benchmarks"] if entry["run_type"] == "aggregate"]
    assert len(names) == len(set(names))
    assert any(entry.get("bytes_per_second", 0) > 1e9 for entry in document["benchmarks"])


def test_compare_py_which_prints_whole_units_prints_digits(document):
    """And it pairs entries of one unit alone: a row has the same in every run."""
    times = [entry for entry in document["benchmarks"] if entry.get("aggregate_name") not in ("stddev", "cv")]
    printed = [f"{entry['real_time']:14.0f}" for entry in times]
    assert min(len(text.strip()) for text in printed) >= 3 and min(entry["real_time"] for entry in times) < 1e6
    assert {entry["time_unit"] for entry in document["benchmarks"]} == {"ns"}


def test_a_run_without_times_is_an_error(tmp_path):
    run = write_run(tmp_path / "run", [quality_row("3.3", "ds-roulette", "d198", "", "protocol=as-best")])
    with pytest.raises(BadInput, match="no timed row"):
        export.main([str(run)])


def test_one_process_has_no_aggregates(tmp_path, capsys):
    run = write_run(tmp_path / "run", [made_row("3.3", "ds-roulette", "d198", 1.0, "protocol=as-best")])
    assert export.main([str(run)]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["benchmarks"]
    assert entry["name"] == "3.3/ds-roulette/d198/iteration/protocol=as-best"
    assert entry["real_time"] == pytest.approx(1e6, rel=0.1)
    with pytest.raises(BadInput, match="/none/x: No such file"):
        export.main([str(run), "--out", str(tmp_path / "none/x")])
