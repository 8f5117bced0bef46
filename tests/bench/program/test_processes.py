"""A row measured by several fresh processes, end to end: what they leave together, and what becomes of them when they,
or the run that they belong to, are killed."""

import json
import os
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from scipy import stats

from antbench.data import runs
from support.commands import PROGRAM, ROOT, drive, environment_of, one_line, rows_of, samples_of
from support.fake_system import preload

SMALL = [
    "--instances",
    "u40",
    "--backend",
    "cpu",
    "--profile",
    "thesis",
    "--runs",
    5,
    "--iterations",
    3,
    "--time-budget",
    0,
]


def run_of(out, processes, *more):
    done = drive(*SMALL, *more, "--processes", processes, "--out", out)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    out = tmp_path_factory.mktemp("three") / "run"
    return out, run_of(out, 3)


def kept(row):
    """The samples of each process that count: on a busy machine some do not."""
    return [samples[~np.isnan(samples)] for samples in runs.processes(row)]


def test_each_row_is_timed_by_every_process(three):
    run = runs.load_run(three[0])
    for row in (row for _, row in run.rows.iterrows() if row["samples"] > 0):
        assert row["processes"] == 3 and [len(samples) for samples in kept(row)] == [6, 6, 3]
    assert {sample["process"] for sample in samples_of(run.path)} == {"1", "2", "3"}


def test_the_interval_is_of_the_means_of_the_processes(three):
    rows = [row for _, row in runs.load_run(three[0]).rows.iterrows() if row["samples"] > 0]
    assert rows
    for row in rows:
        means = [np.mean(samples) for samples in kept(row)]
        half = stats.t.interval(0.95, 2, 0, np.std(means, ddof=1) / 3**0.5)[1] / np.mean(means)
        low, high = np.mean(means) * np.exp([-half, half])
        assert row["mean_ms"] == pytest.approx(np.mean(means), rel=1e-6)
        assert (row["ci95_lo_ms"], row["ci95_hi_ms"]) == pytest.approx((low, high), rel=1e-5, abs=1e-6)
        assert row["status"] == "noisy" or (high - low) / 2 / np.mean(means) <= 0.05 and row["status"] == "ok"
        mean, low, high, n = runs.mean_interval(row)
        assert (mean, low, high, n) == (row["mean_ms"], row["ci95_lo_ms"], row["ci95_hi_ms"], 3)


def test_the_runs_are_those_of_one_process(three, tmp_path):
    """The processes share the seeds: the same five runs, whichever process made them."""
    run_of(tmp_path / "one", 1)
    tours = [
        {(row["row"], row["params"]): row["quality_runs"] for row in rows_of(out) if row["scope"] == "iteration"}
        for out in (three[0], tmp_path / "one")
    ]
    assert tours[0] == tours[1] and all(len(text.split()) == 5 for text in tours[0].values())


def test_the_shares_are_gone_and_meta_tells_of_them(three):
    out, done = three
    assert sorted(path.name for path in out.iterdir()) == ["meta.json", "samples.csv", "table-3.3.csv"]
    meta = json.loads((out / "meta.json").read_text())
    assert meta["complete"] and meta["exit_code"] == 0 and meta["options"]["processes"] == 3
    assert len(meta["processes"]) == 3 and all(each["involuntary_switches"] >= 0 for each in meta["processes"])
    ended = [each["ended_utc"] for each in meta["processes"]]
    assert ended == sorted(ended)
    assert "3 processes in turn" in done.stderr and "process 3 of 3: [1/" in done.stderr
    assert done.stdout.count("3.3: Ant System") == 1, "one set of tables, of them all"


def test_profiles_have_their_number_of_processes(tmp_path):
    """But no more than the user wants runs."""
    for profile, more, processes in (
        ("smoke", [], "1"),
        ("quick", [], "3"),
        ("thesis", [], "7"),
        ("quick", ["--runs", "2"], "2"),
    ):
        out = tmp_path / f"{profile}-{processes}"
        done = subprocess.run(
            [
                PROGRAM,
                "3.3",
                "--instances",
                "u12",
                "--backend",
                "cpu",
                "--profile",
                profile,
                "--iterations",
                "1",
                "--quiet",
                "--implementations",
                "tsp/cpu-rejection",
                *more,
                "--out",
                out,
            ],
            cwd=ROOT,
            env=environment_of(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert {row["processes"] for row in rows_of(out)} == {processes}


def test_what_is_not_timed_is_measured_once(tmp_path):
    """The share of the second process has times alone."""
    arguments = ["--backend", "cpu", "--instances", "shapes-128", "--profile", "smoke", "--processes", 2]
    for process in (1, 2):
        done = drive(*arguments, "--process", process, "--out", tmp_path, driver="5.1")
        assert done.returncode == 0 and done.stdout == "", done.stderr
    first, second = ({row["scope"] for row in rows_of(tmp_path / f"process-{i}")} for i in (1, 2))
    assert "quality" in first and second == {"run"}


def test_a_later_process_without_times_has_nothing_to_do(tmp_path):
    arguments = ["--backend", "cpu", "--instances", "u12", "--profile", "smoke", "--processes", 2]
    for process in (1, 2):
        done = drive(*arguments, "--process", process, "--out", tmp_path, driver="3.2")
        assert done.returncode == 0 and done.stdout == "", done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["process-1"]
    done = drive(*arguments, "--rows", "3.2-beta/none", "--process", 2, "--out", tmp_path, driver="3.2")
    assert done.returncode == 2 and "there is no such row here" in one_line(done)


def test_a_run_is_complete_before_it_is_printed(tmp_path):
    """So a reader that leaves, such as head, costs nothing."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [PROGRAM, "3.3", *map(str, SMALL), "--processes", "2", "--out", tmp_path / "run"]
    done = subprocess.run(command, cwd=ROOT, env=environment_of(), stdout=writing, timeout=120)
    os.close(writing)
    meta = json.loads((tmp_path / "run/meta.json").read_text())
    assert done.returncode != 0 and meta["complete"] and len(meta["processes"]) == 2
    assert not list((tmp_path / "run").glob("process-*"))


def test_rows_that_nobody_times_need_no_processes(tmp_path):
    done = drive("--instances", "u12", "--backend", "host", "--processes", 3, "--out", tmp_path / "run")
    assert done.returncode == 0 and "processes" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    "more", [["--process", 2], ["--process", 4, "--processes", 3], ["--process", 1, "--processes", 3]]
)
def test_a_process_belongs_to_a_run_of_several(more, tmp_path):
    done = drive(*SMALL, *more, *(["--out", tmp_path] if 4 in more else []))
    assert done.returncode == 2 and "--process" in one_line(done)


def test_samples_among_others_threads_are_taken_again(tmp_path, monkeypatch):
    """While the budget lasts; the row is measured all the same. Others' time slices are those of a system of the tests' own."""
    preload(monkeypatch, slice_ms=5, every=37)
    done = drive(
        "--instances",
        "u150",
        "--backend",
        "cpu",
        "--implementations",
        "tsp/acotsp-seq",
        "--profile",
        "thesis",
        "--runs",
        2,
        "--iterations",
        50,
        "--time-budget",
        20,
        "--out",
        tmp_path / "run",
    )
    assert done.returncode == 0, done.stderr
    reasons = [sample["discard_reason"] for sample in samples_of(tmp_path / "run")]
    assert reasons.count("preempted") >= 50 and set(reasons) == {"", "preempted"}
    for row in (row for row in rows_of(tmp_path / "run") if row["scope"] == "iteration"):
        assert row["samples"] == "100" and len(row["quality_runs"].split()) == 2, "the same two runs as without others"
        assert int(row["discarded"]) % 50 == 0


# ---- Ending early ----

LONG = [
    PROGRAM,
    "3.3",
    "--instances",
    "u120,u150",
    "--backend",
    "cpu",
    "--profile",
    "thesis",
    "--runs",
    "3",
    "--iterations",
    "40",
    "--time-budget",
    "0",
    "--implementations",
    "tsp/acotsp-seq",
    "--processes",
    "3",
    "--quiet",
]


def started(out):
    return subprocess.Popen(
        [*LONG, "--out", out],
        cwd=ROOT,
        env=environment_of(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_rows(process, share, n):
    deadline = time.monotonic() + 60
    while not (share.exists() and len(share.read_text().splitlines()) > n):
        assert process.poll() is None, "it ended too early"
        assert time.monotonic() < deadline
        time.sleep(0.005)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def test_a_killed_run_keeps_what_its_processes_have(tmp_path):
    out = tmp_path / "run"
    process = started(out)
    wait_for_rows(process, out / "process-2/table-3.3.csv", 1)
    [child] = children_of(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    deadline = time.monotonic() + 20
    while os.path.exists(f"/proc/{child}") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{child}"), "a process outlives its run"
    kept = [sample["ms"] for sample in samples_of(out / "process-1")]
    found = runs.find_runs(tmp_path)
    assert [path.name for path in found] == ["process-1", "process-2"], "a run is seen through its shares until it ends"
    assert runs.load_run(found[0]).rows["processes"].max() == 1
    assert one_line(subprocess.run([*LONG, "--out", out], cwd=ROOT, capture_output=True, text=True)).count("--resume")
    done = subprocess.run(
        [*LONG, "--out", out, "--resume"], cwd=ROOT, env=environment_of(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in out.iterdir()) == ["meta.json", "samples.csv", "table-3.3.csv"]
    assert [sample["ms"] for sample in samples_of(out) if sample["process"] == "1"] == kept
    assert {row["processes"] for row in rows_of(out)} == {"3"} and runs.find_runs(tmp_path) == [out]
    # Resumed once more, there is nothing left to do.
    before = (out / "table-3.3.csv").read_text()
    again = subprocess.run(
        [*LONG, "--out", out, "--resume"], cwd=ROOT, env=environment_of(), capture_output=True, text=True
    )
    assert again.returncode == 0 and (out / "table-3.3.csv").read_text() == before
    assert len(json.loads((out / "meta.json").read_text())["processes"]) == 3


def test_a_process_that_dies_ends_the_run_in_one_line(tmp_path):
    out = tmp_path / "run"
    process = started(out)
    wait_for_rows(process, out / "process-1/table-3.3.csv", 1)
    [child] = children_of(process.pid)
    os.kill(child, signal.SIGSEGV)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.strip().splitlines()[-1] == "antbench 3.3: process 1 of 3: ended by signal 11 (Segmentation fault)"
    assert not json.loads((out / "meta.json").read_text())["complete"]


def test_a_broken_share_is_named_with_its_line(tmp_path):
    out = tmp_path / "run"
    process = started(out)
    wait_for_rows(process, out / "process-2/table-3.3.csv", 1)
    process.kill()
    process.communicate()
    table = out / "process-1/table-3.3.csv"
    table.write_text(table.read_text().replace(",ok,", ",fine,").replace(",noisy,", ",fine,"))
    done = subprocess.run(
        [*LONG, "--out", out, "--resume"], cwd=ROOT, env=environment_of(), capture_output=True, text=True
    )
    assert done.returncode == 2 and 'process-1/table-3.3.csv:2: unknown status "fine"' in done.stderr
    shutil.rmtree(out)
