"""Running the program and reading what it leaves, for the end-to-end tests."""

import csv
import os
import re
import subprocess
from pathlib import Path

from antbench.data import runs
from support import fake_system

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build/bin/antbench"
PLANTED = (
    ROOT / "build/bin/tests/antbench_planted"
)  # with a DS-Roulette that is wrong, and a Canny by other rules for NPP's
WITH_GPU = ROOT / "build/bin/tests/antbench_with_gpu"  # that believes in a GPU: for --dry-run
HEADER, SAMPLES_HEADER = (",".join(columns) for columns in (runs.HEADER, runs.SAMPLES_HEADER))
TIMES = runs.TIMES
CORES = len(os.sched_getaffinity(0))
NO_INPUTS = Path(__file__).parent  # a folder without inputs
HANGS_S = 3600  # what takes so long hangs: no slow disk or busy machine makes it so


def environment_of(tsplib=NO_INPUTS, images=NO_INPUTS, alone=True, **more):
    """For the program; alone: it sees no other thread, whatever else runs here."""
    seen = fake_system.alone() if alone else {}
    return {**os.environ, **seen, "TSPLIB_DIR": str(tsplib), "IMAGES_DIR": str(images), **more}


def drive(
    *arguments, driver="3.3", program=PROGRAM, tsplib=NO_INPUTS, images=NO_INPUTS, root=None, cwd=ROOT, **options
):
    """Runs a driver where no TSPLIB file and no image can be found, unless `tsplib`, `images` or `root` says where; in one
    process, unless the arguments name another number."""
    if "--processes" not in arguments:
        arguments = (*arguments, "--processes", 1)
    environment = environment_of(tsplib, images, **({"ANTBENCH_ROOT": str(root)} if root else {}))
    return subprocess.run(
        [program, driver, *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


def told(*arguments, **options):
    """What the program prints, where it must succeed."""
    done = subprocess.run([PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def implementations(operation=None, backend=None, have=(), lack=()):
    """The ids that --list has of an operation and a backend, with all of these traits and none of those."""
    listed = list(csv.DictReader(told("--list").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    return {
        line["id"]
        for line in listed
        if operation in (None, line["id"].partition("/")[0])
        and backend in (None, line["backend"])
        and set(have) <= set(line["traits"].split())
        and not set(lack) & set(line["traits"].split())
    }


def planned(*arguments, **options):
    """The rows that a --dry-run lists."""
    done = drive("--dry-run", *arguments, **options)
    assert done.returncode == 0, done.stderr
    *lines, about, seconds = done.stdout.splitlines()
    assert "rows, about" in about and re.fullmatch(r"seconds\t\d+", seconds)
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def table_of(directory):
    """The one table file of a run."""
    [table] = directory.glob("table-*.csv")
    return table


def rows_of(directory):
    with open(table_of(directory), newline="") as file:
        return list(csv.DictReader(file))


def samples_of(directory):
    with open(directory / "samples.csv", newline="") as file:
        return list(csv.DictReader(file))


def params_of(row):
    """{name: value} of a row's parameters."""
    return dict(pair.partition("=")[::2] for pair in row["params"].split(";"))


def one_line(result):
    """The only line on stderr."""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


def write_tsp(path, n, lines=None):
    """A TSPLIB file of n cities; with `lines`, of so many of them, and cut off after."""
    points = "".join(f"{i + 1} {i * 7 % 13} {i * 5 % 11}\n" for i in range(n if lines is None else lines))
    path.write_text(
        f"NAME: {path.stem}\nTYPE: TSP\nDIMENSION: {n}\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n{points}"
        + ("EOF\n" if lines is None else "")
    )
    return path
