"""scripts/antbench_check.py under ReFrame, by its local scheduler: a table in profile smoke, without references and beside some
that are far above what it takes, others far below."""

import csv
import os
import shutil
import subprocess

import pytest

from support.commands import ROOT, environment_of, rows_of

REFRAME = os.environ.get("REFRAME") or shutil.which("reframe")
pytestmark = pytest.mark.skipif(not REFRAME, reason="ReFrame is not installed (pip install reframe-hpc)")
ROWS = "3.3/cpu-rejection*/u30?protocol=as"


def check(folder, **more):
    """ReFrame's exit code, what it said, and the run that its job left."""
    settings = {
        "profile": "smoke",
        "options": f"--backend,cpu,--rows,{ROWS}",
        "references": folder / "references",
        **more,
    }
    done = subprocess.run(
        [
            REFRAME,
            "-c",
            ROOT / "scripts/antbench_check.py",
            "-n",
            r"%driver=3\.3$",
            "--prefix",
            folder,
            "--keep-stage-files",
            "-r",
            "--performance-report",
            *(f"--setvar={name}={value}" for name, value in settings.items()),
        ],
        cwd=folder,
        env=environment_of(HOME=str(folder)),
        capture_output=True,
        text=True,
        timeout=100,
    )
    return done.returncode, done.stdout + done.stderr, next((folder / "stage").glob("*/*/*/*/run"), None)


def store(folder, run):
    """The run as a reference, its rows taking 50 times as long and a 50th in turns; the rows that are too slow for it."""
    rows = [row for row in rows_of(run) if row["median_ms"]]
    for i, row in enumerate(rows):
        row["median_ms"] = float(row["median_ms"]) * (0.02 if i % 2 else 50)
    target = folder / "a-gpu/20260101T000000Z-0000000"
    target.mkdir(parents=True)
    with open(target / "table-3.3.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return [f"{row['table']}/{row['row']}/{row['instance']}?{row['params']}#{row['scope']}" for row in rows[1::2]]


def test_a_table_against_references(tmp_path):
    code, said, run = check(tmp_path)
    assert code == 0, said
    assert all(f"{row['row']}/{row['instance']}" in said for row in rows_of(run) if row["median_ms"])
    slow = store(tmp_path / "references", run)
    code, said, _ = check(tmp_path)
    assert slow and code == 1
    assert all(f" {name}=" in said for name in slow) and said.count(" ms, expected ") == len(slow)


def test_a_run_that_fails_is_a_failure(tmp_path):
    code, said, run = check(tmp_path, options="--device,99,--backend,cuda")
    assert code == 1 and run is None and "the run is not complete" in said
