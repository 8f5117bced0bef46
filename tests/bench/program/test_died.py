"""A kernel that ends the program by a signal is a wrong row: named, exit code 4, and the other rows go on."""

import csv
import json
import os
import re
import subprocess

import pytest

from support.commands import PLANTED

SMOKE = "--profile smoke --runs 1 --iterations 1 --backend host".split()
ROWS = ["--implementations", "tsp/ds-roulette,tsp/i-roulette", "--instances", "u11,u13,u12"]


def rows_of(out):
    with open(out / "table-3.3.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_signal_is_a_wrong_row(tmp_path, quiet):
    out = tmp_path / "out"
    command = [PLANTED, "3.3", *SMOKE, *ROWS, "--seed", "1", "--out", str(out), *quiet]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 4, done
    rows = rows_of(out)
    keys = [tuple(row[name] for name in ("table", "row", "instance", "params")) for row in rows]
    assert len(set(keys)) == len(keys)
    wrong = {row["instance"]: row["note"] for row in rows if row["status"] == "wrong"}
    assert set(wrong) == {"u11", "u12", "u13"}
    for name in ("u11", "u13"):
        assert "ended the program by signal 11 (Segmentation fault)" in wrong[name]
    others = [row for row in rows if row["implementation"] == "tsp/i-roulette"]
    assert {row["instance"] for row in others} == {"u11", "u12", "u13"}
    assert all(row["status"] == "ok" for row in others)
    assert "tsp/ds-roulette: wrong: " in done.stderr and "6 rows failed, such as 3.3 ds-roulette u1" in done.stderr
    meta = json.loads((out / "meta.json").read_text())
    assert meta["complete"] and meta["exit_code"] == 4


def test_where_rows_are_only_verified_it_is_an_error_and_tried_again(tmp_path):
    """A program beside it may have used up the memory. By itself, in the run that times the rows, it is wrong."""
    command = [PLANTED, "3.3", *SMOKE, *ROWS, "--seed", "1"]
    for name, more in (("verified", ["--verify"]), ("timed", ["--verified", tmp_path / "verified"])):
        done = subprocess.run([*command, *more, "--out", tmp_path / name], capture_output=True, text=True, timeout=120)
        assert done.returncode == 4, done
    verified, timed = ({row["instance"]: row for row in rows_of(tmp_path / name) if row["implementation"] == "tsp/ds-roulette"}
                       for name in ("verified", "timed"))  # fmt: skip
    assert {name: row["status"] for name, row in verified.items()} == {"u11": "error", "u12": "wrong", "u13": "error"}
    assert {name: row["status"] for name, row in timed.items()} == {"u11": "wrong", "u12": "wrong", "u13": "wrong"}
    assert "ended the program by signal 11" in timed["u11"]["note"] and timed["u12"]["note"] == verified["u12"]["note"]


HEAP = ["--implementations", "tsp/ds-roulette,tsp/i-roulette", "--instances", "u15,u20", "--seed", "1", "--quiet"]


def test_a_kernel_may_overwrite_the_heap(tmp_path):
    """The run's folder is there, which the program needs to start again."""
    command = [PLANTED, "3.3", *SMOKE, *HEAP, "--out", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 4, done
    rows = {(row["row"], row["instance"]): row for row in rows_of(tmp_path / "out") if row["table"] == "3.3"}
    assert re.search("ended the program by signal (6|11) ", rows["ds-roulette", "u15"]["note"])
    assert {key: row["status"] for key, row in rows.items()} == {
        ("ds-roulette", "u15"): "wrong",
        ("ds-roulette", "u20"): "wrong",
        ("i-roulette", "u15"): "ok",
        ("i-roulette", "u20"): "ok",
    }


def test_what_cannot_start_again_names_its_row(tmp_path):
    source = "#include <errno.h>\nint execve(void) { errno = EACCES; return -1; }\n"
    library = tmp_path / "no_execve.so"
    subprocess.run(["gcc", "-fno-builtin", "-shared", "-xc", "-", "-o", library], input=source, text=True, check=True)
    command = [PLANTED, "3.3", *SMOKE, *HEAP, "--instances", "u15", "--processes", "1", "--out", tmp_path / "out"]
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode in (-6, -11), done  # the heap may end where it is overwritten
    told = "antbench 3.3: 3.3 ds-roulette u15 tsp/ds-roulette ended the program by signal"
    assert done.stderr.startswith(f"{told} {-done.returncode}, and ")
    assert done.stderr.count("\n") == 1
