"""scripts/bench_pairs, with checkouts whose programs leave their arguments in a file."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(0o755)


def commit(checkout):
    """Makes a commit and returns its hash."""
    git = ["git", "-C", checkout, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "a change"], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def build(checkout, of_commit):
    write(checkout / "build/bin/antbench", f"echo 'antbench 1.0 (commit {of_commit[:8]} with local changes), nvcc'\n")


@pytest.fixture
def checkouts(tmp_path):
    for name in ("base", "new"):
        checkout = tmp_path / name
        write(checkout / "scripts/bench_all", f'echo "{name} $1 ${{@:3}}" >> {tmp_path}/called\nexit ${{CODE:-0}}\n')
        subprocess.run(["git", "init", "-q", checkout], check=True)
        build(checkout, commit(checkout))
    return tmp_path


def pairs(folder, *arguments, base="base", new="new", out="out", n=2, **environment):
    return subprocess.run(
        [ROOT / "scripts/bench_pairs", base, new, out, str(n), *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
    )


def test_rows_without_times_are_measured_by_the_first_process(tmp_path):
    checkout = tmp_path / "checkout"
    for name in ("scripts", "build"):
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).symlink_to(ROOT / name)
    rows = "3.2-beta/cpu-blocks-2,3.3/acotsp-seq/u20"
    options = ["--profile", "smoke", "--backend", "cpu", "--time-budget", "0.02", "--quiet", "--rows", rows]
    done = pairs(tmp_path, *options, base=checkout, new=checkout, PYTHON=sys.executable, HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    for side in ("base", "new"):
        found = sorted(
            str(path.parent.relative_to(tmp_path / "out" / side)) for path in tmp_path.glob(f"out/{side}/**/meta.json")
        )
        assert found == ["3.2/process-1", "3.3/process-1", "3.3/process-2"]


def test_the_side_that_begins_changes(checkouts):
    done = pairs(checkouts, "--rows", "3.3/race", n=3)
    assert done.returncode == 0
    told = [f"bench_pairs: {side}, process {i} of 3" for i, sides in enumerate(("BASE NEW", "NEW BASE", "BASE NEW"), 1)
            for side in sides.split()]  # fmt: skip
    assert done.stderr.splitlines() == told
    options = "--rows 3.3/race --processes 3 --process"
    assert (checkouts / "called").read_text().splitlines() == [
        f"{side} {checkouts}/out/{side} {options} {i}"
        for side, i in (("base", 1), ("new", 1), ("new", 2), ("base", 2), ("base", 3), ("new", 3))
    ]


@pytest.mark.parametrize("code, ends, processes", [(0, 0, 4), (4, 0, 4), (1, 1, 1), (77, 77, 1)])
def test_wrong_output_alone_does_not_end_it(checkouts, code, ends, processes):
    assert pairs(checkouts, CODE=str(code)).returncode == ends
    assert len((checkouts / "called").read_text().splitlines()) == processes


def test_a_program_older_than_its_checkout_is_refused(checkouts):
    old = (checkouts / "new/build/bin/antbench").read_text().split("commit ")[1][:8]
    new = commit(checkouts / "new")
    done = pairs(checkouts)
    program = "new/build/bin/antbench"
    assert (done.returncode, done.stderr, done.stdout) == (
        2,
        f"bench_pairs: NEW: {program} is of commit {old}, and new of {new[:8]}; make build builds it\n",
        "",
    )
    assert not (checkouts / "called").exists()
    build(checkouts / "new", new)
    assert pairs(checkouts).returncode == 0


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"n": 0}, "N=0: not a whole number from 1 on"),
        ({"n": "--profile"}, "N=--profile: not a whole number from 1 on"),
        ({"base": "bsae"}, "BASE: bsae/build/bin/antbench is not built; make build builds it"),
        ({"out": "called"}, "{folder}/called: a file is there, no folder"),
    ],
)
def test_wrong_usage_is_one_line(checkouts, wrong, said):
    (checkouts / "called").touch()
    done = pairs(checkouts, **wrong)
    assert (done.returncode, done.stderr) == (2, f"bench_pairs: {said.format(folder=checkouts)}\n")
