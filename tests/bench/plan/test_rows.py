"""--rows: which rows are planned and measured, and what is said where none is meant."""

import json

import pytest

from support.commands import WITH_GPU, drive, implementations, one_line, params_of, planned, rows_of

ON_CPU = ["--backend", "cpu"]


def names(rows, *columns):
    return [tuple(row[name] for name in columns or ("table", "row", "instance")) for row in rows]


def test_a_row_is_measured_alone(tmp_path):
    """On an input that profile smoke has not, and of the protocols the one that is named."""
    done = drive("--profile", "smoke", "--runs", 1, "--iterations", 1, *ON_CPU, "--rows", "3.3/cpu-rejection-1/u60?protocol=as",
                 "--out", tmp_path / "run")  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "run")
    assert set(names(rows)) == {("3.3", "cpu-rejection-1", "u60"), ("3.4", "cpu-rejection-1", "u60")}
    assert {params_of(row)["protocol"] for row in rows} == {"as"}
    meta = json.loads((tmp_path / "run/meta.json").read_text())
    assert meta["options"]["rows"] == ["3.3/cpu-rejection-1/u60?protocol=as"]
    assert meta["options"]["instances"] == ["u60"] == [each["name"] for each in meta["inputs"]]


def test_patterns_and_parts_left_out():
    everything = planned(*ON_CPU)
    one_core = planned(*ON_CPU, "--rows", "3.3/cpu-*-1")
    assert one_core == [row for row in everything if row["row"] in ("cpu-rejection-1", "cpu-blocks-1")] and one_core
    assert planned(*ON_CPU, "--rows", "3.3") == everything
    assert planned(*ON_CPU, "--rows", "3.4/cpu-*-1") == one_core  # whose stages those are
    large = planned(*ON_CPU, "--rows", "//*1002,/acotsp-seq/*2")
    assert large == [
        row
        for row in everything
        if row["instance"] == "u1002" or (row["row"] == "acotsp-seq" and row["instance"].endswith("2"))
    ]
    assert planned(*ON_CPU, "--rows", "//pr1002") == planned(*ON_CPU, "--instances", "pr1002")


def test_conditions():
    blocks = planned("--backend", "host", "--rows", "?block=64+128", driver="5.1")
    everything = planned("--backend", "host", driver="5.1")
    assert blocks and blocks == [row for row in everything if params_of(row).get("block") in ("64", "128")]
    assert {params_of(row)["block"] for row in blocks} == {"64", "128"}
    assert planned(*ON_CPU, "--rows", "?scope=iteration;backend=cpu") == planned(*ON_CPU)


@pytest.mark.skipif(not implementations(backend="cuda"), reason="built without CUDA")
def test_on_a_gpu():
    rows = planned("--rows", "F3.9/ds-roulette/pr1002?carveout=50+100", program=WITH_GPU)
    assert names(rows, "table", "row", "backend") == 2 * [("F3.9", "ds-roulette", "cuda")]
    assert [params_of(row)["carveout"] for row in rows] == ["50", "100"]


def test_a_row_keeps_its_name_where_set_gives_it_another():
    rows = planned(*ON_CPU, "--rows", "3.3/cpu-rejection-all/u60?protocol=as", "--set", "threads=2")
    assert names(rows) == [("3.3", "tsp-cpu-rejection-threads-2", "u60")]


def test_instances_come_first():
    rows = planned(*ON_CPU, "--instances", "u30,u40", "--rows", "3.3/acotsp-seq/u40,3.3/cpu-rejection-1/u30")
    assert {row[1:] for row in names(rows)} == {("acotsp-seq", "u40"), ("cpu-rejection-1", "u30")}


def test_a_run_of_several_processes(tmp_path):
    done = drive("--profile", "smoke", "--iterations", 2, *ON_CPU, "--rows", "3.3/acotsp-seq/u30?protocol=as", "--processes", 2,
                 "--out", tmp_path / "run")  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "run")
    assert {row["processes"] for row in rows} == {"2"} and {row["row"] for row in rows} == {"acotsp-seq"}


@pytest.mark.parametrize(
    "rows, expected",
    [
        ("3.3/rase", "--rows 3.3/rase: there is no such row here; did you mean 3.3/race? (--dry-run lists the rows)"),
        ("3.3/race,9.9", "--rows 9.9: there is no such row here (--dry-run lists the rows)"),
        ("3.3/race?block=1", "--rows 3.3/race?block=1: there is no such row here (--dry-run lists the rows)"),
        (
            "3.3/race?protocl=as",
            "--rows 3.3/race?protocl=as: there is no such row here; did you mean protocol? (--dry-run lists the rows)",
        ),
        (
            "?nn=32;bakend=cpu",
            "--rows ?nn=32;bakend=cpu: there is no such row here; did you mean backend? (--dry-run lists the rows)",
        ),
        ("3.3/race?", '--rows: expected TABLE/ROW/INPUT?NAME=VALUE;..., such as 3.3/race/pr1002, got "3.3/race?"'),
        ("3.3/race,3.3/race", "--rows: 3.3/race is named twice"),
        ("3.3/race,", "--rows: a name is empty"),
        (
            "3.3/race/pr1003x",
            '--rows: instance "pr1003x": not in the catalogue, and no such file here, in $TSPLIB_DIR or '
            'instances/tsplib; did you mean "pr1002"?',
        ),
    ],
)
def test_what_names_no_row_is_exit_2(rows, expected):
    done = drive("--dry-run", "--backend", "host", "--rows", rows)
    assert (done.returncode, one_line(done)) == (2, f"antbench 3.3: {expected}")


def test_resuming_with_other_rows_is_refused(tmp_path):
    arguments = [
        "--profile",
        "smoke",
        "--iterations",
        1,
        *ON_CPU,
        "--instances",
        "u30",
        "--out",
        tmp_path / "run",
        "--rows",
    ]
    assert drive(*arguments, "3.3/acotsp-seq").returncode == 0
    refused = drive(*arguments, "3.3/cpu-rejection-1", "--resume")
    assert refused.returncode == 2 and "cannot be resumed: options.rows was " in one_line(refused)
