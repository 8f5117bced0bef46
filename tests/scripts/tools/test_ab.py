"""make ab: two rows or two builds in turns, and one answer."""

import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

from antbench.data import inference, selector
from antbench.data.command import BadInput
from antbench.gate import rerun, sides
from antbench.tools import ab
from support.commands import PROGRAM, ROOT, environment_of
from synthetic_runs import made_run

TINY = ["--profile", "smoke", "--iterations", "2", "--backend", "cpu"]


def side_of(processes, **options):
    """A Side of one run whose first row was measured so, line 0 of Table 3.3."""
    return sides.Side([made_run({0: [np.array(samples, dtype=float) for samples in processes]}, **options)])


def answer_of(a, b, threshold=0.03):
    of_a, of_b = (ab.rows_of(side_of(processes)) for processes in (a, b))
    return ab.answer(*of_a, *of_b, threshold)


# ---- What is said ----


@pytest.mark.parametrize("b, verdict, code", [
    ([1.10, 1.11, 1.09, 1.10], "slower", 3), ([0.90, 0.91, 0.89, 0.90], "faster", 0),
    ([1.00, 1.005, 0.995, 1.00], "same", 0), ([1.0, 1.3, 0.8, 1.0], "undecided", 5),
    ([1.011, 1.010, 1.012, 1.011], "slower", 3),  # by less than the threshold: it is slower all the same
])  # fmt: skip
def test_the_verdict_follows_from_the_interval(b, verdict, code):
    a = [[1.0, 1.0], [1.001, 1.001], [0.999, 0.999], [1.0, 1.0]]
    found = answer_of(a, [[ms, ms] for ms in b])
    assert found.verdict == verdict and ab.exit_code([], [found]) == code
    assert (found.ratio, found.low, found.high) == inference.process_ratio(
        *[list(map(np.array, side)) for side in (a, [[ms] for ms in b])]
    )


def test_what_would_have_been_seen_is_told_from_none():
    """A B that takes so much longer, and varies as much, is just called slower."""
    a, b = ([[ms] for ms in side] for side in ([1.0, 1.01, 0.99], [1.002, 1.012, 0.992]))
    first = answer_of(a, b)
    assert first.verdict != "slower" and first.seen > 0.01
    for factor, verdict in ((1.001, "slower"), (0.999, "undecided")):
        scaled = [[ms / first.ratio * (1 + first.seen) * factor] for (ms,) in b]
        assert answer_of(a, scaled, threshold=0.001).verdict == verdict


def test_the_unit_is_the_process():
    """A thousand samples of each of two processes say no more than their two means."""
    few, many = ([[ms] * n for ms in (1.0, 1.1)] for n in (1, 1000))
    a, b = answer_of(few, few), answer_of(many, many)
    assert (a.low, a.high) == pytest.approx((b.low, b.high)) and a.high - a.low > 0.1


def test_the_line():
    line = str(ab.Answer("3.3 race pr1002", 1.0, 1.25, 1.25, 1.2, 1.3, 7, 0.03))
    assert line == (
        "3.3 race pr1002: B is slower: B takes 25.0 % more time than A (95 % interval +20.0 to +30.0 %), 1.25 ms and 1 ms; "
        "7 processes each; a difference of 4.1 % would have been seen"
    )
    assert "cannot say: B takes 0.50 % less time" in str(ab.Answer("x", 1.0, 0.995, 0.995, 0.9, 1.1, 7, 0.03))


def test_wrong_output_comes_first():
    a, b = (ab.rows_of(side_of([[1.0], [1.0]])) for _ in "ab")
    assert ab.exit_code([*a, *b], [ab.answer(*a, *b, 0.03)]) == 0
    b[0].row["status"] = "wrong"
    assert ab.exit_code([*a, *b], [ab.answer(*a, *b, 0.03)]) == 4
    assert ab.exit_code([*a], []) == 77


# ---- Turns ----


def test_the_side_that_is_first_changes_every_time(monkeypatch, tmp_path):
    turns = []
    monkeypatch.setattr(
        rerun,
        "share",
        lambda arguments, root, out, i: turns.append((out.parent.name, i)) or [made_run({0: [np.array([1.0])]})],
    )
    commands = ([("3.3", tmp_path, ["x"])], [("3.3", tmp_path, ["x"])])
    a, b = rerun.in_turns(commands, 3, "build/ab/now", ("a", "b"))
    assert turns == [("a", 1), ("b", 1), ("b", 2), ("a", 2), ("a", 3), ("b", 3)]
    assert [len(each.processes) for each in ab.rows_of(a) + ab.rows_of(b)] == [3, 3]


def test_what_begins_in_one_second_has_a_folder_of_its_own(monkeypatch, tmp_path):
    places = []
    monkeypatch.setattr(
        rerun, "share", lambda arguments, root, out, i: places.append(out) or [made_run({0: [np.array([1.0])]})]
    )
    for _ in range(3):
        rerun.in_turns(([("3.3", tmp_path, ["x"])], [("3.3", tmp_path, ["x"])]), 1, "build/ab/now", ("a", "b"))
    assert [str(path.relative_to(tmp_path / "build/ab")) for path in places] == [
        f"{folder}/{side}/3.3" for folder in ("now", "now-2", "now-3") for side in "ab"
    ]


# ---- Rows ----


def command_of(text, *options):
    _, ((driver, root, arguments),) = ab.command_of(text, [*TINY, *options])
    assert root == ROOT and arguments[:3] == [str(PROGRAM), driver, "--quiet"]
    return driver, arguments[3 + len(TINY) + len(options) :]


@pytest.mark.parametrize("text, driver, expected", [
    ("3.3/cpu-rejection-1/u60", "3.3", ["--rows", "3.3/cpu-rejection-1/u60"]),
    ("3.4/cpu-rejection-1/u60?stage=update;protocol=as", "3.3", ["--rows", "3.4/cpu-rejection-1/u60?protocol=as"]),
    ("3.3/cpu-rejection-1/u60?protocol=as;ants=7", "3.3", ["--set", "ants=7", "--rows", "3.3/cpu-rejection-1/u60?protocol=as"]),
    ("3.3/cpu-rejection-all/u60?threads=3;ants=7", "3.3", ["--set", "threads=3", "--set", "ants=7", "--rows", "3.3/cpu-rejection-all/u60"]),
    ("thesis-3.3/cpu-rejection-1/u60?backend=cpu", "3.3", ["--rows", "3.3/cpu-rejection-1/u60?backend=cpu"]),
])  # fmt: skip
def test_what_no_row_has_is_set(text, driver, expected):
    assert command_of(text) == (driver, expected)


@pytest.mark.parametrize("text, error", [
    ("3.3", '"3.3" names no row: expected TABLE/ROW/INPUT?name=value;..., such as 3.3/race/pr1002, or the root of a built checkout'),
    ("nowhere/at/all/", '"nowhere/at/all/" names no row'),
    ("33/race", "33/race: there is no table 33; did you mean 3.3?"),
    ("3.3/rase/u60", "antbench 3.3: --rows 3.3/rase/u60: there is no such row here"),
    ("3.3/acotsp-seq/u60?antz=3", "antbench 3.3: --set antz=3: no row here has this parameter"),
    ("3.3/acotsp-seq/u60?ants=0", "antbench 3.3: ants must be a whole number"),
])  # fmt: skip
def test_what_names_no_row(text, error):
    with pytest.raises(BadInput, match=re.escape(error)):
        ab.command_of(text, ["--profile", "smoke"])


@pytest.mark.parametrize("arguments, error", [
    (["ab", "3.3/race/u60", ""], "B is missing: type make ab A=3.3/ds-roulette/pr1002 B=3.3/race/pr1002, or A=DIR B=DIR"),
    (["ab", "", ""], "A and B are missing: type make ab A=3.3/ds-roulette/pr1002 B=3.3/race/pr1002, or A=DIR B=DIR"),
    (["compare", "nvidia-h200", ""], "B is missing: type make compare A=RUN B=RUN"),
    (["profile", ""], "ROW is missing: type make profile ROW=3.3/ds-roulette/pr1002"),
])  # fmt: skip
def test_what_is_missing_is_named(arguments, error):
    command = [sys.executable, ROOT / "scripts/antbench", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment_of(), capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip().removeprefix(f"antbench-results {arguments[0]}: ")) == (2, error)


def run(a, b, *options, root=ROOT, processes=4):
    return subprocess.run([sys.executable, ROOT / "scripts/antbench", "ab", a, b, "--processes", str(processes), *options], cwd=root,
                          env=environment_of(), capture_output=True, text=True)  # fmt: skip


def test_two_rows_of_one_build(tmp_path):
    """With thirty times as many ants an iteration takes longer, whatever else this machine does."""
    few, many = ("3.3/cpu-rejection-1/u150?protocol=as;ants=4", "3.3/cpu-rejection-1/u150?protocol=as;ants=120")
    done = run(few, many, *TINY)
    assert done.returncode == 3, done.stdout + done.stderr
    (line,) = done.stdout.splitlines()
    assert line.startswith(
        "3.3 cpu-rejection-1 u150 cpu protocol=as;ants=4;threads=1 : protocol=as;ants=120;threads=1: B is slower: B takes "
    )
    assert "; 4 processes each; " in line
    assert "ab: 4 of 4 processes of each" in done.stderr
    done = run(many, few, *TINY)
    assert done.returncode == 0 and "B is faster: B takes " in done.stdout
    done = run(few, "3.4/cpu-rejection-1/u150?protocol=as;stage=update", *TINY)
    assert done.returncode == 2 and "have no row that is alike" in done.stderr


def test_kernels_without_a_gpu_are_not_timed(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = run("3.3/ds-roulette/u30", "3.3/race/u30", "--profile", "smoke")
    assert done.returncode == 77 and "nothing was timed" in done.stdout


# ---- Builds ----


@pytest.fixture
def builds(tmp_path):
    """Two checkouts with a program that writes down when it measured."""
    for name in ("before", "after"):
        program = tmp_path / name / "build/bin/antbench"
        program.parent.mkdir(parents=True)
        log = shlex.quote(str(tmp_path / "log"))
        program.write_text(
            f'#!/bin/bash\n[[ " $* " == *" --process "* ]] && echo {name} "${{@: -1}}" >> {log}\nexec {shlex.quote(str(PROGRAM))} "$@"\n'
        )
        program.chmod(0o755)
    return tmp_path


def test_two_builds(builds):
    done = run(
        "before",
        "after",
        "--rows",
        "3.3/acotsp-seq/u20?protocol=as,3.4/cpu-rejection-1/u20?protocol=as",
        *TINY,
        root=builds,
        processes=3,
    )
    assert done.returncode in (0, 3, 5), done.stderr
    lines = done.stdout.splitlines()
    assert (
        len(lines) == 3 and lines[-1].startswith("B is ") and all("; 3 processes each; " in line for line in lines[:-1])
    )
    assert {line.split()[1] for line in lines[:-1]} == {"acotsp-seq", "cpu-rejection-1"}
    assert (builds / "log").read_text().split() == "before 1 after 1 after 2 before 2 before 3 after 3".split()


def test_what_is_not_measured_alike_is_said(monkeypatch, capsys):
    """Another file of the same name: B is slower, but nothing follows from that."""
    measured = [side_of([[1.0], [1.01], [0.99]]), side_of([[2.0], [2.01], [1.99]])]
    for side, digest in zip(measured, ("a", "b")):
        side.runs[0].meta["inputs"] = [{"name": "d198", "sha256": digest}]
    monkeypatch.setattr(ab, "prepare", lambda *_: ((None, None), ([1], [1])))
    monkeypatch.setattr(rerun, "in_turns", lambda *_: measured)
    assert ab.main(["x", "y"]) == 5
    told = capsys.readouterr()
    assert "not alike: different files d198" in told.out and "ab: measures all rows of 1 driver;" in told.err
    measured[1].runs[0].meta["inputs"] = measured[0].runs[0].meta["inputs"]
    assert ab.main(["x", "y", "--rows", "3.3/race"]) == 3
    assert "measures all rows" not in capsys.readouterr().err


@pytest.mark.parametrize("arguments, error", [
    (["x", "y", "--rows", "3.3/race"], "--rows: expected two builds"),
    ([str(ROOT), "/nowhere", "--rows", "3.3/race"], "/nowhere: no build/bin/antbench there; A and B name two built"),
    (["/nowhere", str(ROOT)], "/nowhere: no build/bin/antbench there; A and B name two built checkouts, or two rows"),
    (["x", "y", "--processes", "1"], "--processes: expected 2 or more"),
    (["x", "y", "--threshold", "0"], "--threshold: expected a percentage above 0"),
])  # fmt: skip
def test_wrong_options(arguments, error, capsys):
    with pytest.raises((BadInput, SystemExit)) as raised:
        ab.main(arguments)
    assert error in str(raised.value) + capsys.readouterr().err


def test_selectors_are_read_as_the_program_reads_them():
    row = {"table": "3.3", "row": "race", "instance": "u1002", "backend": "cuda", "scope": "iteration", "note": "generated stand-in for pr1002",
           "params": "protocol=as-best;ants=1002;block=128"}  # fmt: skip
    for text in (
        "3.3/race/u1002",
        "3.3/race/pr1002",
        "thesis-3.3/race",
        "?block=64+128",
        "//*1002",
        "3.3/[a-r]ace",
        "?block=1*;scope=iteration",
    ):
        assert selector.parse(text).means(row), text
    for text in (
        "3.4/race",
        "3.3/rac",
        "?block=12",
        "?rho=*",
        "?block=128;protocol=as",
        "3.3/race/*198",
        "?backend=host",
    ):
        assert not selector.parse(text).means(row), text
    for text in ("", "3.3/race?", "?block", "3.3/race/a/b", "?block=64;"):
        with pytest.raises(BadInput, match="names no row"):
            selector.parse(text)
