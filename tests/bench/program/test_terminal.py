"""What a driver prints on a terminal: tables and progress of at most 100 columns, and one line where there is no
GPU."""

import re

import pytest

from support.commands import drive

WIDTH = 100
CPU = ["--backend", "cpu", "--runs", 1, "--iterations", 1]
MANY = "u20,u21,u22,u23,u24,u25,u1000"


def lines_of(text):
    """{table: [its parts, each a list of lines]} of what a driver prints."""
    found, table = {}, None
    for block in text.strip().split("\n\n"):
        first, *lines = block.splitlines()
        if "; mean in ms" in " ".join(block.split()):
            table = first.partition(":")[0]
            of_heading = next(i for i, line in enumerate(lines) if line.startswith("row "))
            found.setdefault(table, []).append(lines[of_heading:])
        elif table and first.split()[0] == table:
            found[table].append([first, *lines])
    return found


def test_tables_of_many_inputs_are_parts_of_at_most_100_columns(tmp_path):
    done = drive(
        "--instances", MANY, *CPU, "--implementations", "tsp/acotsp-seq,tsp/cpu-rejection", "--out", "run", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert max(map(len, (done.stdout + done.stderr).splitlines())) <= WIDTH
    parts = lines_of(done.stdout)["3.3"]
    assert [part[0].split()[2:] for part in parts] == [["u20", "u21", "u22"], ["u23", "u24", "u25", "u1000"]]
    for heading, *lines in parts:
        assert lines and {len(line) for line in lines} == {len(heading)}, "columns do not move"
        assert [line.split()[0] for line in lines if not line.startswith(" ")][:3] == [
            "acotsp-seq",
            "cpu-rejection-1",
            "cpu-rejection-all",
        ]


def test_a_row_of_many_parameters_has_a_line_of_its_own(tmp_path):
    """No column moves by the length of a name, and no line is longer."""
    done = drive(
        "--instances",
        "shapes-37x29,shapes-64,shapes-100x90",
        *CPU,
        "--rows",
        "F5.5",
        "--out",
        "run",
        cwd=tmp_path,
        driver="5.1",
    )
    assert done.returncode == 0, done.stderr
    assert max(map(len, (done.stdout + done.stderr).splitlines())) <= WIDTH
    [[heading, *lines]] = lines_of(done.stdout)["F5.5"]
    assert heading.split()[2:] == ["shapes-37x29", "shapes-64", "~apes-100x90"]
    assert {len(line) for line in lines if re.fullmatch(r"[\d.]+|-", line.split()[-1])} == {len(heading)}


@pytest.mark.parametrize("more", [[], ["--processes", 3], ["--dry-run"]])
def test_a_machine_without_a_gpu_is_told_once(more, tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = drive(
        "--instances",
        "u20",
        "--runs",
        3,
        "--iterations",
        1,
        *more,
        "--implementations",
        "tsp/cpu-rejection,tsp/ds-roulette",
        "--out",
        tmp_path / "run",
    )
    notes = [line for line in done.stderr.splitlines() if "GPU" in line or "CUDA" in line or "NVIDIA" in line]
    assert done.returncode == 0 and len(notes) == 1 and "insufficient" not in notes[0]
    assert notes[0].startswith("antbench 3.3: note: ") and notes[0].endswith(
        ": kernels are verified on the CPU, not timed"
    )
