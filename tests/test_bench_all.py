"""scripts/bench_all with the one program that holds all drivers."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """#!/bin/bash
[ "$1" = --tables ] && { printf 'driver\\tprogram\\n3.3\\ttable_3_3\\n3.3\\ttable_3_3\\n5.1\\ttable_5_1\\n'; exit; }
[ "$2" = --help ] && { [ "$1" = 5.1 ] && echo "  --save DIR"; exit; }
echo "$@" > "$1"
"""


@pytest.fixture
def folder(tmp_path):
    """A copy of scripts/bench_all beside a program that leaves its arguments in a file for each driver."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "build/bin").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/bench_all", tmp_path / "scripts")
    (tmp_path / "build/bin/antbench").write_text(PROGRAM)
    (tmp_path / "build/bin/antbench").chmod(0o755)
    return tmp_path


def test_every_driver_runs_once_in_a_folder_of_its_own(folder):
    assert subprocess.run([folder / "scripts/bench_all", "some where", "", "--quiet"]).returncode == 0
    assert (folder / "3.3").read_text() == "3.3 --out some where/3.3 --quiet\n"
    assert (folder / "5.1").read_text() == "5.1 --out some where/5.1 --quiet\n"


def test_images_are_saved_where_there_are_any(folder):
    assert subprocess.run([folder / "scripts/bench_all", "", "pictures"]).returncode == 0
    assert ((folder / "3.3").read_text(), (folder / "5.1").read_text()) == ("3.3\n", "5.1 --save pictures/5.1\n")


@pytest.mark.parametrize("codes, worst", [((1, 4), 4), ((77, 0), 0), ((2, 77), 2), ((139, 0), 1)])
def test_the_worst_exit_code_is_the_answer(folder, codes, worst):
    program = folder / "build/bin/antbench"
    program.write_text(PROGRAM + f"[ $1 = 3.3 ] && exit {codes[0]}\nexit {codes[1]}\n")
    assert subprocess.run([folder / "scripts/bench_all", "", ""]).returncode == worst
    assert (folder / "5.1").exists()
