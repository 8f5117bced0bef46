"""--lock-clocks: the GPU's clock is held while a run lasts, by the fake NVML of tests/fake_nvml, and free however the run ends."""

import json
import os
import signal
import subprocess
import time

import pytest

from support import fake_nvml
from support.commands import PROGRAM, ROOT, WITH_GPU, drive, environment_of, one_line

ROW = ["--rows", "3.3/acotsp-seq/u30?protocol=as", "--profile", "smoke", "--iterations", "2"]
LONG = [
    "--rows",
    "3.3/acotsp-seq/u300?protocol=as",
    "--profile",
    "thesis",
    "--runs",
    "1000",
    "--time-budget",
    "0",
    "--processes",
    "1",
]
BASE = "locked 4294901761 4294901761\n"


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """The file that says what becomes of the clock."""
    fake_nvml.put_first(tmp_path, monkeypatch)
    monkeypatch.setenv("FAKE_CLOCK", str(tmp_path / "clock"))
    return tmp_path / "clock"


def lock_of(out):
    return json.loads((out / "meta.json").read_text())["clock_lock"]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_holds_the_clock_once(clock, tmp_path, processes):
    done = drive(*ROW, "--lock-clocks", "1410", "--processes", processes, "--out", tmp_path / "run", program=WITH_GPU)
    assert done.returncode == 0, done.stderr
    assert clock.read_text() == "locked 1410 1410\nfree\n"
    assert lock_of(tmp_path / "run") == {"locked": True, "reason": None}
    assert json.loads((tmp_path / "run/meta.json").read_text())["options"]["lock_clocks"] == 1410


def test_nothing_is_locked_where_nothing_is_asked_or_measured(clock, tmp_path):
    assert drive(*ROW, "--out", tmp_path / "run", program=WITH_GPU).returncode == 0
    assert drive(*ROW, "--lock-clocks", "base", "--dry-run", program=WITH_GPU).returncode == 0
    assert lock_of(tmp_path / "run") is None and not clock.exists()


def test_what_is_not_permitted_is_one_line_and_recorded(clock, tmp_path, monkeypatch):
    monkeypatch.delenv("FAKE_CLOCK")
    done = drive(*ROW, "--lock-clocks", "base", "--quiet", "--out", tmp_path / "run", program=WITH_GPU)
    assert done.returncode == 0
    assert (
        one_line(done)
        == "antbench 3.3: note: --lock-clocks: the GPU's clock is not locked: NVML says: Insufficient Permissions"
    )
    assert lock_of(tmp_path / "run") == {"locked": False, "reason": "NVML says: Insufficient Permissions"}


@pytest.mark.parametrize("backend", ["cpu", "auto"])
def test_without_a_gpu(tmp_path, monkeypatch, backend):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = drive(*ROW, "--lock-clocks", "base", "--backend", backend, "--out", tmp_path / "run", program=PROGRAM)
    assert done.returncode == 0
    assert "the GPU's clock is not locked: the backend chosen uses no GPU" in done.stderr
    assert lock_of(tmp_path / "run") == {"locked": False, "reason": "the backend chosen uses no GPU"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_the_clock_is_free_after_a_signal(clock, tmp_path, number):
    run = subprocess.Popen([WITH_GPU, "3.3", *LONG, "--lock-clocks", "base", "--quiet", "--out", tmp_path / "run"],
                           cwd=ROOT, env=environment_of(), stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        wait_for(lambda: (tmp_path / "run/samples.csv").exists())
        assert clock.read_text() == BASE
        run.send_signal(number)
        assert run.wait(timeout=60) == -number
    finally:
        run.kill()
    wait_for(lambda: clock.read_text() == BASE + "free\n")


def test_the_terminal_does_not_reach_the_keeper(clock, tmp_path):
    """A signal to all of the program's process group, as Ctrl-C is."""
    run = subprocess.Popen([WITH_GPU, "3.3", *LONG, "--lock-clocks", "base", "--quiet", "--out", tmp_path / "run"],
                           cwd=ROOT, env=environment_of(), stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    wait_for(lambda: (tmp_path / "run/samples.csv").exists())
    os.killpg(run.pid, signal.SIGKILL)
    assert run.wait(timeout=60) == -signal.SIGKILL
    wait_for(lambda: clock.read_text() == BASE + "free\n")


def wait_for(condition, seconds=60):
    for _ in range(seconds * 20):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


def test_resuming_with_another_clock_is_refused(clock, tmp_path):
    arguments = [*ROW, "--out", tmp_path / "run"]
    assert drive(*arguments, "--lock-clocks", "base", program=WITH_GPU).returncode == 0
    refused = drive(*arguments, "--resume", program=WITH_GPU)
    assert refused.returncode == 2 and 'options.lock_clocks was "base" and is now null' in one_line(refused)
