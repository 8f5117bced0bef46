"""make profile: a row under Nsight Compute. There is no GPU here: ncu is tests/fake_ncu/ncu, which prints an iteration in
the form of ncu 2025.3 and with numbers of an H100, and the program is a script that leaves a run of that GPU."""

import csv
import os

import pytest

from antbench.data import command, runs
from antbench.data.command import BadInput
from antbench.show import roofline
from antbench.tools import profile
from support.commands import ROOT

RUN = runs.RESULTS / "reference/nvidia-h100-80gb-hbm3/20261126T104056Z-c8d43aae-3.3"
ROW = "3.3/ds-roulette/pr1002?protocol=as-best"
PROGRAM = """#!/bin/bash
printf '%s\\n' "$*" >> "$FAKE_NCU/started"
[ ! -f "$FAKE_NCU/program_ends" ] || exit "$(cat "$FAKE_NCU/program_ends")"
cp -R "$FAKE_RUN" "${@: -1}"
"""

HEAD = '"ID","Kernel Name",' + ",".join(f'"{metric}"' for metric in profile.METRICS)
UNITS = '"","","ns","byte","byte","%","%","%","%"'
STALLS = ',"smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"'


def made(*lines, units=UNITS, stalls=()):
    head = HEAD + "".join(STALLS.format(why) for why in stalls)
    return "\n".join(["==PROF== Connected to process 1", head, units + ',"inst"' * len(stalls), *lines, ""])


ITERATION = made(
    '"0","choice_info","5,600","1,394,400","18,496,800","41","30","69","100","1.00","8.00","0.80"',
    '"1","wait_for_ns","30,016","0","512","0","0","3","100","1.00","0.00","0.10"',
    '"2","ds_roulette","2,210,016","3,933,800","3,907,280,000","20","61","45","75","1.00","1.10","1.05"',
    '"3","evaporate","5,120","2,560","13,148,160","39","24","53","100","1.00","5.00","0.90"',
    '"4","deposit_best","13,216","19,536","1,702,800","3","7","37","100","1.00","9.00","0.50"',
    stalls=("selected", "long_scoreboard", "wait"),
)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A folder of what the fake ncu and program do; ncu is on PATH."""
    (tmp_path / "antbench").write_text(PROGRAM)
    (tmp_path / "antbench").chmod(0o755)
    (tmp_path / "csv").write_text(ITERATION)
    monkeypatch.setenv("PATH", f"{ROOT / 'tests/fake_ncu'}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_NCU", str(tmp_path))
    monkeypatch.setenv("FAKE_RUN", str(RUN))
    return tmp_path


def ran(machine, row=ROW, *more):
    return profile.main([row, "--program", str(machine / "antbench"), "--out", str(machine / "out"), *more])


# ---- The command ----


def test_a_row_is_measured_then_profiled(machine, capsys):
    assert ran(machine, ROW, "--", "--seed", "7") == command.OK
    measured, profiled = (machine / "started").read_text().splitlines()
    common = "3.3 --backend cuda --profile quick --processes 1 --seed 7 --rows "
    assert measured == f"{common}{ROW} --out {machine}/out/run"
    assert (
        profiled == f"{common}3.3/ds-roulette/pr1002?protocol=as-best;ants=1002 --quiet --out {machine}/out/under-ncu-1"
    )
    asked, shown = (machine / "asked").read_text().splitlines()
    assert (
        "--profile-from-start off" in asked
        and "--clock-control none" in asked
        and f"--import {machine}/out/report-1.ncu-rep" in shown
    )
    said = capsys.readouterr().out
    assert said.startswith(
        "on NVIDIA H100 80GB HBM3, commit c8d43aae\n\n3.3/ds-roulette/pr1002?protocol=as-best;ants=1002: 2.25 ms, "
    )
    assert "at least 12.0 MB to move: 0.00404 ms at a copy's speed, 0.2 % of what was measured" in said
    assert "of the 2981 GB/s that a copy reads and writes here" in said


def test_every_row_that_is_meant_is_profiled_by_itself(machine):
    assert ran(machine, "3.3/*roulette/d198") == command.OK
    started = (machine / "started").read_text().splitlines()
    rows = [line.partition("--rows ")[2].split()[0] for line in started[1:]]
    assert rows == sorted(set(rows), key=rows.index) and len(rows) == 4
    assert {row.partition(";")[0] for row in rows} == {
        f"3.3/{name}/d198?protocol={protocol}"
        for name in ("ds-roulette", "i-roulette")
        for protocol in ("as", "as-best")
    }


def test_the_numbers_are_kept(machine):
    ran(machine)
    with open(machine / "out/kernels.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    kernels = profile.kernels(profile.launches(ITERATION))
    assert [line["name"] for line in lines] == [kernel.name for kernel in kernels]
    assert [float(line["ms"]) for line in lines] == [kernel.ms for kernel in kernels]
    assert all(line["row"].startswith("3.3/ds-roulette/pr1002?") for line in lines)


@pytest.mark.parametrize("ends", [command.SKIPPED, command.WRONG, command.USAGE])
def test_where_the_program_fails_that_is_the_answer(machine, ends):
    (machine / "program_ends").write_text(str(ends))
    assert ran(machine) == ends and not (machine / "asked").exists()


def test_without_permission_it_says_what_to_do(machine, capsys):
    (machine / "says").write_text(
        "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n==WARNING== No kernels were profiled.\n"
    )
    (machine / "ends").write_text("0")
    assert ran(machine) == command.SKIPPED
    assert "may not read the GPU's counters (ERR_NVGPUCTRPERM)" in capsys.readouterr().err


def test_another_error_of_ncu_is_told(machine):
    (machine / "says").write_text("==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n\n")
    (machine / "ends").write_text("9")
    with pytest.raises(
        BadInput, match="ncu ended with 9 and no report: ==ERROR== Failed to initialize the profiler: LibraryNotLoaded"
    ):
        ran(machine)


def test_a_row_without_kernels(machine, capsys):
    (machine / "says").write_text("==WARNING== No kernels were profiled.\n")
    (machine / "ends").write_text("0")
    assert ran(machine) == command.OK and "no kernel: ncu does not profile copies" in capsys.readouterr().out


def test_where_ncu_is_looked_for(machine, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setattr(profile, "PLACES", (f"{tmp_path}/nsight-compute/*/ncu",))
    assert (
        ran(machine) == command.SKIPPED
        and "no ncu on PATH" in capsys.readouterr().err
        and not (machine / "started").exists()
    )
    for version in ("2024.3.2", "2025.1.1", "2025.3.0"):
        (tmp_path / "nsight-compute" / version).mkdir(parents=True)
        (tmp_path / "nsight-compute" / version / "ncu").symlink_to(ROOT / "tests/fake_ncu/ncu")
    assert profile.find_ncu() == f"{tmp_path}/nsight-compute/2025.3.0/ncu"
    (tmp_path / "home/bin").mkdir(parents=True)
    (tmp_path / "home/bin/ncu").symlink_to(ROOT / "tests/fake_ncu/ncu")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    assert profile.find_ncu() == f"{tmp_path}/home/bin/ncu"


@pytest.mark.parametrize("row, expected", [
    ("", "ROW is missing: type make profile ROW=3.3/ds-roulette/pr1002"), ("3.33/x/y", "3.33/x/y: no such table; did you mean 3.3?"),
    ("/ds-roulette", "no such table; a row is 3.3/ds-roulette/pr1002"),
])  # fmt: skip
def test_what_is_no_row_is_said(machine, row, expected):
    with pytest.raises(BadInput) as error:
        ran(machine, row)
    assert expected in str(error.value)


def test_a_row_that_no_gpu_ran(machine, capsys):
    assert ran(machine, "3.3/acotsp-seq/d198") == command.SKIPPED
    assert "3.3/acotsp-seq/d198 was not timed on a GPU here" in capsys.readouterr().err


# ---- ncu's CSV ----


def test_launches_of_a_kernel_are_one_line():
    text = made('"0","a","1,000,000","3,000","100","10","20","30","40","1","6","2","1"', '"1","b","5,000,000","0","0","0","0","0","0","1","1","0","0"',
                '"2","wait_for_ns","9,000,000","0","0","0","0","0","0","1","1","0","0"',
                '"3","a","3,000,000","1,000","300","50","40","10","80","2","2","2","0"',
                stalls=("selected", "long_scoreboard", "barrier", "wait"))  # fmt: skip
    b, a = profile.kernels(profile.launches(text))
    assert (b.name, b.launches, b.ms) == ("b", 1, 5.0) and (a.name, a.launches, a.ms) == ("a", 2, 4.0)
    assert (a.dram_bytes, a.l2_bytes) == (4000, 400)
    assert (a.l2_share, a.issue, a.occupancy, a.most_occupancy) == (40, 35, 15, 70), "weighted by time"
    waits = {"selected": 1.75, "long_scoreboard": 3.0, "barrier": 2.0, "wait": 0.25}
    assert a.stalls == tuple(
        (why, pytest.approx(100 * waits[why] / 7)) for why in ("long_scoreboard", "barrier", "wait")
    )


def test_cells_of_a_line():
    kernel = profile.Kernel(
        "k", 3, 2.0, 4e9, 1e9, 12.4, 61.0, 0.44, 50.0, (("a", 45.0), ("b", 20.0), ("c", 9.0), ("d", 8.0))
    )
    assert profile.line_of(kernel, 8.0, 4000.0) == (
        "k", "3", "2.00", "25 %", "61 %", "2000", "50 %", "500", "12 %", "0.4 % of 50 %", "a 45 %, b 20 %, c 9 %",
    )  # fmt: skip


@pytest.mark.parametrize("text, expected", [
    ("ncu: command not found\n", "lacks the lines of headings and units"), (made().replace("dram__bytes.sum", "x"), "does not know dram__bytes.sum"),
    (made(units=UNITS.replace("byte", "Mbyte")), "unknown units: 'ns', 'Mbyte'"),
])  # fmt: skip
def test_another_csv_is_refused(text, expected):
    with pytest.raises(BadInput, match=expected):
        profile.launches(text)


def test_what_ncu_cannot_tell_is_a_dash():
    (kernel,) = profile.kernels(profile.launches(made('"0","a","1","0","0","n/a","n/a","n/a","n/a"')))
    assert profile.line_of(kernel, 1.0, 1.0)[4] == "–" and kernel.stalls == ()


def test_the_csv_of_an_h100():
    """As ncu 2025.3.1 wrote it of DS-Roulette's iteration on pr1002, without what it tells of the device."""
    found = profile.kernels(profile.launches((ROOT / "tests/data/ncu.csv").read_text()))
    assert [kernel.name for kernel in found] == ["ds_roulette", "deposit_best", "choice_info", "evaporate"]
    assert all(kernel.launches == 1 for kernel in found) and 2.0 < found[0].ms < 2.6
    assert [why for why, _ in found[0].stalls[:3]] == ["long_scoreboard", "wait", "barrier"]
    assert all(50 < sum(share for _, share in kernel.stalls) < 100 for kernel in found)
    assert all(0 < kernel.occupancy <= kernel.most_occupancy < 100.1 and 0 < kernel.issue < 100 for kernel in found)
    copy = roofline.limits_of(runs.load_run(RUN))["copy"]
    assert all(kernel.dram_bytes / kernel.ms < copy for kernel in found), "no more than a copy moves"
