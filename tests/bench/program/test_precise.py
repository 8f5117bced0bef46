"""--until-precise: processes are added until each row's interval is as narrow as was asked, or there are ten times as many."""

import json
import signal
import subprocess
import time

import pytest

from support.commands import PROGRAM, ROOT, drive, environment_of, one_line, rows_of, samples_of
from support.fake_system import preload

TINY = ["--rows", "3.3/acotsp-seq/u20?protocol=as", "--profile", "smoke", "--iterations", "3"]


def measure(tmp_path, *arguments, processes=2):
    done = drive(*arguments, "--processes", processes, "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    return done, {(row["table"], row["row"], row["params"]): row for row in rows_of(tmp_path / "run")}


def error_of(row):
    return (float(row["ci95_hi_ms"]) - float(row["ci95_lo_ms"])) / 2 / float(row["mean_ms"])


def test_the_budget_ends_what_cannot_be_precise(tmp_path):
    done, rows = measure(tmp_path, *TINY, "--until-precise", "0.0001%")
    assert {(row["stop_reason"], row["processes"]) for row in rows.values()} == {("budget", "20")}
    assert "2 to 20 processes in turn" in done.stderr and "process 20 of 20: " in done.stderr
    assert {int(sample["process"]) for sample in samples_of(tmp_path / "run")} == set(range(1, 21))
    meta = json.loads((tmp_path / "run/meta.json").read_text())
    assert meta["options"]["until_precise"] == 0.000001 and len(meta["processes"]) == 20
    assert not list((tmp_path / "run").glob("process-*"))


def test_what_is_precise_is_not_measured_again(tmp_path):
    """Each row ends by itself."""
    measure(tmp_path, "--instances", "u20,u60", "--rows", "3.3/acotsp-seq?protocol=as", "--profile", "smoke", "--iterations", "20",
            "--until-precise", "5%", processes=3)  # fmt: skip
    own = [row for row in rows_of(tmp_path / "run") if row["table"] == "3.3"]
    assert len(own) == 2
    for row in own:
        assert 6 <= int(row["processes"]) <= 30
        assert (row["status"] == "ok") == (row["stop_reason"] == "converged")
        assert row["status"] == "noisy" or error_of(row) <= 0.05
        if row["stop_reason"] == "budget":
            assert row["processes"] == "30"
    stages = [row for row in rows_of(tmp_path / "run") if row["table"] == "3.4"]
    assert stages and all(
        row["processes"] in {each["processes"] for each in own if each["instance"] == row["instance"]} for row in stages
    )


def test_it_ends_where_the_rows_are_precise(tmp_path, monkeypatch):
    preload(monkeypatch)
    _, rows = measure(tmp_path, *TINY, "--until-precise", "99.9%", processes=4)
    assert {row["stop_reason"] for row in rows.values()} == {"converged"}
    assert {row["processes"] for row in rows.values()} == {"8"}, "a round of four more"


def test_a_profile_of_one_process_takes_three(tmp_path):
    done = subprocess.run([PROGRAM, "3.3", *TINY, "--until-precise", "99", "--out", tmp_path / "run"], cwd=ROOT, env=environment_of(),
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0 and "3 to 30 processes in turn" in done.stderr
    assert all(6 <= int(row["processes"]) <= 30 for row in rows_of(tmp_path / "run"))


def test_an_interrupted_run_goes_on(tmp_path):
    arguments = [*TINY, "--until-precise", "0.0001%", "--processes", "2", "--out", str(tmp_path / "run")]
    run = subprocess.Popen([PROGRAM, "3.3", *arguments], cwd=ROOT, env=environment_of(), stderr=subprocess.DEVNULL)
    for _ in range(1200):
        if (tmp_path / "run/process-4/samples.csv").exists():
            break
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)
    run.wait(timeout=60)
    begun = json.loads((tmp_path / "run/process-1/meta.json").read_text())["started_utc"]
    done = drive(*arguments, "--resume")
    assert done.returncode == 0, done.stderr
    assert {(row["stop_reason"], row["processes"]) for row in rows_of(tmp_path / "run")} == {("budget", "20")}
    processes = json.loads((tmp_path / "run/meta.json").read_text())["processes"]
    assert len(processes) == 20 and processes[0]["started_utc"] == begun


@pytest.mark.parametrize("arguments, expected", [
    (["--until-precise", "0%"], '--until-precise: expected a percentage between 0 and 100, such as 1%, got "0%"'),
    (["--until-precise", "100"], '--until-precise: expected a percentage between 0 and 100, such as 1%, got "100"'),
    (["--until-precise", "1%%"], '--until-precise: expected a percentage between 0 and 100, such as 1%, got "1%%"'),
    (["--until-precise", "nan"], '--until-precise: expected a percentage between 0 and 100, such as 1%, got "nan"'),
    (["--until-precise", "1%", "--processes", 1], "--until-precise: needs 2 processes or more, because the interval is computed from them"),
    (["--until-precise", "1%", "--processes", 2, "--process", 21, "--out", "x"],
     "--process 21: needs --out DIR and --processes 21 or more"),
    (["--lock-clocks", "fast"], '--lock-clocks: expected MHz, base or none, got "fast"'),
    (["--lock-clocks", "0"], '--lock-clocks: expected MHz, base or none, got "0"'),
])  # fmt: skip
def test_wrong_values_are_exit_2(arguments, expected):
    more = [] if "--processes" in arguments else ["--processes", 3]
    done = drive("--dry-run", *arguments, *more)
    assert (done.returncode, one_line(done)) == (2, f"antbench 3.3: {expected}")
