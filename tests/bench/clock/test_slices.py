"""Time that others take from a process is seen, by what the system tells and by the shape of the samples. A clock and a
scheduler of the tests' own (tests/fake_system): nothing here depends on how busy the machine is."""

import json
import re

import numpy as np
import pytest

from antbench.data import runs, validate
from antbench.data.command import BadInput
from support.commands import ROOT, drive, rows_of, samples_of
from support.fake_system import preload

ROW = ["--rows", "3.3/acotsp-seq/u20?protocol=as", "--profile", "smoke", "--iterations", "500"]
FAR = re.compile(r"\d+ of \d+ samples take over 3 times as long as most: they raise the mean by \d+ %")


def measure(out, *more, processes=1):
    """The rows of 3.3 and 3.4; their statistics and statuses are as Python has them."""
    done = drive(*ROW, *more, "--processes", processes, "--out", out)
    assert done.returncode == 0, done.stderr
    assert runs.load_run(out).processes
    return rows_of(out)


def whole(rows):
    [row] = [row for row in rows if row["scope"] == "iteration"]
    return row


def test_slices_that_each_process_has_are_not_precise(tmp_path, monkeypatch):
    """Their means agree, and so does the median."""
    preload(monkeypatch, slice_ms=0.4, every=37, tells=False)
    row = whole(measure(tmp_path / "run", "--until-precise", "5%", processes=2))
    half = (float(row["ci95_hi_ms"]) - float(row["ci95_lo_ms"])) / 2
    assert half < 0.05 * float(row["mean_ms"]) and float(row["mean_ms"]) > 1.3 * float(row["median_ms"])
    assert (row["status"], row["stop_reason"], row["processes"]) == ("noisy", "budget", "20")
    assert FAR.fullmatch(row["note"]) and row["waited"] == "" and row["discarded"] == "0"


def test_slices_that_the_system_tells_of_are_taken_again(tmp_path, monkeypatch):
    preload(monkeypatch, slice_ms=0.4, every=37)
    row = whole(rows := measure(tmp_path / "run"))
    assert int(row["discarded"]) == 5 * int(row["samples"])
    assert {sample["discard_reason"] for sample in samples_of(tmp_path / "run")} == {"", "preempted"}
    assert row["status"] == "noisy" and 0.3 < float(row["waited"]) < 0.7
    assert row["note"].endswith(f"the CPU's threads waited {100 * float(row['waited']):.0f} % of the time for a core")
    assert {(each["waited"], each["status"]) for each in rows} == {(row["waited"], "noisy")}, (
        "its stages are parts of it"
    )


def test_few_waits_are_noise_by_themselves(tmp_path, monkeypatch):
    """Though no sample is three times as long as another."""
    preload(monkeypatch, slice_ms=0.03, every=37)
    row = whole(measure(tmp_path / "run"))
    assert row["status"] == "noisy" and re.fullmatch(
        r"the CPU's threads waited \d+ % of the time for a core", row["note"]
    )


@pytest.mark.parametrize("processes", [1, 3])
def test_without_slices_all_is_well(tmp_path, monkeypatch, processes):
    preload(monkeypatch)
    rows = measure(tmp_path / "run", *(["--until-precise", "1%"] if processes > 1 else []), processes=processes)
    assert {(row["status"], row["waited"], row["discarded"], row["note"].replace("generated", "")) for row in rows} == {
        ("ok", "0", "0", whole(rows)["note"].replace("generated", ""))
    }
    assert "samples" not in whole(rows)["note"] and whole(rows)["processes"] == {1: "1", 3: "6"}[processes]


@pytest.mark.parametrize("tells", [True, False])
def test_meta_says_what_the_system_tells(tmp_path, monkeypatch, tells):
    preload(monkeypatch, tells=tells)
    measure(tmp_path / "run")
    machine = json.loads((tmp_path / "run/meta.json").read_text())["machine"]
    assert (machine["tells_run_queue"], machine["tells_steal"]) == (tells, tells)


# ---- The rule in Python ----


def test_both_have_the_same_limits():
    text = "".join((ROOT / f"bench/{name}.h").read_text() for name in ("row/stats", "row/judge"))
    limits = {name: float(value) for name, value in re.findall(r"^#define AB_(\w+) ([\d.]+)$", text, re.M)}
    assert limits == {name: getattr(validate, name) for name in ("FAR", "RAISED", "APART", "NOISY", "WAITED")}


@pytest.mark.parametrize("samples, wholes, raised, apart", [
    ([[1, 1, 13.2, 1, 1], [1, 1, 1, 1, 13.2], [13.2, 1, 1, 1, 1]], None, 2.44, 0),
    ([[13, 13, 13, 1, 1]], None, 7.2, 1 / 13 - 1),
    ([[1, 1, 1, 2.9, 2.9, 2.9, 1]], None, 0, 12.7 / 7 - 1),
    ([[0.02, 0.001, 0.001, 0.001]], [[1.02, 1, 1, 1.001]], 0, 1.00525 / 1.0005 - 1),
    ([[0.1, 0.1, 12.3, 0.1]], [[1, 1, 13.2, 1]], 30.5, 0),
])  # fmt: skip
def test_the_shape_is_that_of_the_program(samples, wholes, raised, apart):
    """The cases of tests/bench/row/test_stats.c."""
    arrays = [[np.array(of_process) for of_process in each] for each in (samples, wholes or samples)]
    assert validate.shape(*arrays) == (pytest.approx(raised, abs=1e-12), pytest.approx(apart, abs=1e-12))


@pytest.mark.parametrize("every, slice_ms, tells, status", [
    (31, 0.01, True, "ok"), (31, 0.05, True, "noisy"), (31, 0.06, False, "ok"), (31, 0.07, False, "noisy"), (700, 0.1, True, "ok"),
    (700, 5, True, "noisy"),
])  # fmt: skip
def test_python_judges_as_the_program_does(tmp_path, monkeypatch, every, slice_ms, tells, status):
    preload(monkeypatch, slice_ms=slice_ms, every=every, tells=tells)
    assert {row["status"] for row in measure(tmp_path / "run", processes=2)} == {status}


def test_a_status_that_the_samples_do_not_have_is_refused(tmp_path, monkeypatch):
    preload(monkeypatch, slice_ms=0.4, every=37, tells=False)
    measure(tmp_path / "run")
    [table] = (tmp_path / "run").glob("table-*.csv")
    text = table.read_text()
    table.write_text(text.replace(",noisy,", ",ok,"))
    with pytest.raises(BadInput, match=r"table-3.3.csv:2: status is ok, but its samples give noisy"):
        assert runs.load_run(tmp_path / "run").processes
