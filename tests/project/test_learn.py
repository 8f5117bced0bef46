"""docs/guide/learn.md, done literally in a copy: each command runs, ends as it says, and prints what is quoted below it."""

import re
import subprocess
import sys

import pytest

from support import documents
from support.commands import HANGS_S, ROOT, environment_of
from support.copies import copy_tree

LEARN = ROOT / "docs/guide/learn.md"
# The copy of the tests stands for the one that the reader makes; what is on a GPU is told so.
OF_THE_COPY = [
    "git worktree add --detach ../antbench-learn",
    "cd ../antbench-learn",
    "cd -",
    "git worktree remove --force ../antbench-learn",
]
GPU = "# on a GPU"
EXIT_CODE = re.compile(r"# exit code (\d)")

pytestmark = pytest.mark.slow


def steps():
    """[(command, its exit code, what is quoted of what it prints)], without those that need a GPU or make the copy."""
    found, last = [], None
    for block in documents.blocks(LEARN):
        if block.kind == "text":
            last[2].extend(block.lines)
        elif block.lines[0] != GPU:
            for line in block.lines:
                if line not in OF_THE_COPY:
                    code = EXIT_CODE.search(line)
                    last = (line, int(code[1]) if code else 0, [])
                    found.append(last)
    return found


def test_what_is_left_out_is_in_the_document():
    lines = [line for block in documents.blocks(LEARN) if block.kind == "sh" for line in block.lines]
    assert set(OF_THE_COPY) <= set(lines) and lines.count(GPU) == 1


def comparable(text):
    """Whichever block is the first to fail says so."""
    return " ".join(re.sub(r"block \d+", "block N", text).split())


@pytest.mark.skipif(
    not (ROOT / "build/bin/antbench").exists() or not (ROOT / ".git").exists(), reason="not built here, or no git"
)
def test_every_exercise_does_what_it_says(tmp_path):
    copy_tree(tmp_path, ("gen", "obj"))
    environment = environment_of(alone=False, PYTHON=sys.executable)
    todo = steps()
    assert len(todo) > 15 and sum(bool(quoted) for *_, quoted in todo) > 7
    for line, code, quoted in todo:
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=HANGS_S
        )
        said = done.stdout + done.stderr
        assert done.returncode == code, f"{line}\n{said}"
        missing = [text for text in quoted if comparable(text) not in comparable(said)]
        assert not missing, f"{line}\n{missing}\n{said}"


def test_the_drawing_is_that_of_the_numbers(tmp_path):
    subprocess.run(
        [sys.executable, "docs/ds_step.py", "0.62", "0.35", tmp_path / "step.svg"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    assert (tmp_path / "step.svg").read_text() == (ROOT / "docs/ds-roulette-step.svg").read_text()


def test_two_wheels_are_one():
    """The exercise's own step chooses in proportion: a city's share of all u and v is that of its weight."""
    sys.path.insert(0, str(ROOT / "docs"))
    import ds_step

    n = 230
    grid = [(i + 0.5) / n for i in range(n)]
    chosen = [ds_step.step(u, v) for u in grid for v in grid]
    for city, weight in enumerate(ds_step.WEIGHTS):
        times = sum(found[3] * ds_step.SIZE + found[5] == city for found in chosen)
        assert times / n**2 == pytest.approx(weight / sum(ds_step.WEIGHTS), abs=0.005)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["0", "0.5"], "argument U: 0 is no number above 0 and at most 1"),
        (["0.5", "1.5"], "argument V: 1.5 is no number above 0"),
        (["2", "x"], "argument U: 2 is no number above 0"),
        (["0.5", "x"], "argument V: x is no number above 0"),
        (["nan"], "argument U: nan is no number above 0"),
        (["0.5", "0.5", "x.svg", "y"], "unrecognized arguments: y"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments, message):
    done = subprocess.run([sys.executable, ROOT / "docs/ds_step.py", *arguments], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("usage: ds_step.py") and message in done.stderr


def test_a_drawing_that_cannot_be_written(tmp_path):
    file = tmp_path / "nowhere/x.svg"
    done = subprocess.run(
        [sys.executable, ROOT / "docs/ds_step.py", "0.5", "0.5", file], capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr == f"ds_step: {file}: No such file or directory\n"
