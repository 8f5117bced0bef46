"""Where the program finds its data and leaves its results, whatever the current directory is."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from antbench.data import runs
from support.commands import PROGRAM, ROOT, drive, environment_of, one_line, planned, rows_of, write_tsp

ONCE = ["--runs", 1, "--iterations", 1, "--backend", "cpu"]
IMPLEMENTATION = {"3.3": "tsp/acotsp-seq", "4.2": "tsp/acotsp-seq-nn"}


@pytest.fixture
def root(tmp_path):
    """A copy of what the program reads of the project."""
    copy = tmp_path / "project"
    for folder in ("instances", "images", "results/published"):
        (copy / folder).mkdir(parents=True)
        for file in (ROOT / folder).glob("*.csv"):
            shutil.copy(file, copy / folder)
    return copy


@pytest.fixture
def elsewhere(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere"


@pytest.mark.parametrize("driver", ["3.3", "4.2"])
def test_a_file_of_tsplib_dir_and_a_name_of_the_catalogue(driver, tmp_path):
    """mine is a file that no catalogue has; of eil51 there is no file, but a stand-in of its size."""
    (tmp_path / "tsplib").mkdir()
    path = write_tsp(tmp_path / "tsplib/mine.tsp", 25)
    result = drive(
        "--instances",
        "mine,eil51",
        *ONCE,
        "--implementations",
        IMPLEMENTATION[driver],
        "--out",
        tmp_path / "run",
        driver=driver,
        tsplib=path.parent,
    )
    assert result.returncode == 0, result.stderr
    rows = [row for row in rows_of(tmp_path / "run") if row["scope"] == "iteration"]
    assert {(row["instance"], row["size"]) for row in rows} == {("mine", "25"), ("u51", "51")}
    assert {row["instance"] for row in rows if "generated stand-in for eil51" in row["note"]} == {"u51"}
    assert "u51: generated stand-in for eil51" in result.stdout
    inputs = {given["name"]: given["path"] for given in json.loads((tmp_path / "run/meta.json").read_text())["inputs"]}
    assert inputs == {"mine": str(path), "u51": "generated"}


def test_a_file_of_tsplib_dir_takes_the_place_of_a_stand_in(tmp_path):
    write_tsp(tmp_path / "eil51.tsp", 51)
    rows = planned("--instances", "eil51", "--backend", "cpu", tsplib=tmp_path)
    assert {row["instance"] for row in rows} == {"eil51"}


def test_a_misspelt_file_is_found_too(tmp_path):
    write_tsp(tmp_path / "mine.tsp", 25)
    result = drive("--instances", "mime", tsplib=tmp_path)
    assert result.returncode == 2 and "mine" in one_line(result)


def test_from_another_directory(elsewhere):
    """The catalogue, the published numbers, and what --out names are found. A stand-in and a protocol that the thesis did not
    measure have no number of its."""
    write_tsp(elsewhere.parent / "a280.tsp", 25)
    result = drive(
        "--instances",
        "a280,d198",
        *ONCE,
        "--implementations",
        "tsp/acotsp-seq",
        "--out",
        "run",
        cwd=elsewhere,
        tsplib=elsewhere.parent,
    )
    assert result.returncode == 0, result.stderr
    rows = [row for row in rows_of(elsewhere / "run") if row["scope"] == "iteration"]
    assert {
        (row["instance"], row["params"].split(";")[0], row["published_id"], row["published_ms"]) for row in rows
    } == {
        ("a280", "protocol=as-best", "thesis-3.3/acotsp-seq/a280", "123.13"),
        ("a280", "protocol=as", "", ""),
        ("u198", "protocol=as-best", "", ""),
        ("u198", "protocol=as", "", ""),
    }
    assert "results: run\n" in result.stdout
    assert sorted(path.name for path in elsewhere.iterdir()) == ["run"]


def test_images_from_another_directory(elsewhere):
    rows = planned("--profile", "smoke", driver="5.1", cwd=elsewhere)
    assert {row["instance"] for row in rows} == {row["instance"] for row in planned("--profile", "smoke", driver="5.1")}


def test_without_out_results_are_the_projects(root, elsewhere):
    def measure(*more):
        result = drive("--instances", "u20", *ONCE, *more, root=root, cwd=elsewhere)
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()[-1].removeprefix("results: ")

    directory = measure()
    [run] = (root / "results/runs").glob("*/*")
    assert (
        directory == str(run)
        and json.loads((run / "meta.json").read_text())["run_id"] == f"{run.parent.name}/{run.name}"
    )
    assert {row["instance"] for row in rows_of(run)} == {"u20"}
    assert measure("--resume") == directory, "the newest run of this machine"
    assert list(elsewhere.iterdir()) == []


def test_runs_that_begin_at_once_have_folders_of_their_own(root, elsewhere):
    """Of one driver and of several, without --out: each keeps all its rows, and its run_id says where it lies."""
    drivers = {"3.3": IMPLEMENTATION["3.3"], "4.2": IMPLEMENTATION["4.2"]}
    commands = [
        [
            PROGRAM,
            driver,
            "--instances",
            "u20",
            *map(str, ONCE),
            "--processes",
            "1",
            "--implementations",
            drivers[driver],
        ]
        for driver in ("3.3", "4.2") * 10
    ]
    environment = environment_of(ANTBENCH_ROOT=str(root))
    running = [
        subprocess.Popen(
            each, cwd=elsewhere, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for each in commands
    ]
    ended = [(*process.communicate(), process.returncode) for process in running]
    assert [(code, err) for _, err, code in ended if code != 0] == []
    said = [Path(out.splitlines()[-1].removeprefix("results: ")) for out, _, _ in ended]
    found = list((root / "results/runs").glob("*/*"))
    assert len(found) == len(commands) and set(said) == set(found)
    for run, command in zip(said, commands):
        meta = json.loads((run / "meta.json").read_text())
        assert meta["complete"] and meta["command_line"][1] == command[1] and rows_of(run)
        assert meta["run_id"] == f"{run.parent.name}/{run.name}"
    assert len({json.loads((run / "meta.json").read_text())["run_id"] for run in found}) == len(found)
    assert {Path(path) for path in runs.find_runs(root / "results/runs")} == set(found)


def test_a_root_without_data_is_an_error(elsewhere):
    result = drive("--instances", "u20", *ONCE, "--quiet", root=elsewhere)
    assert result.returncode == 1 and f"{elsewhere}/" in one_line(result)
