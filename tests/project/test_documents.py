"""Every command that a document tells a reader to run is one: targets, variables, options and files exist, what the
program would measure can be planned, and what reads runs is done here. test_learn.py does those of docs/guide/learn.md,
test_install.py `make install`, CI itself (`.ci/run`) `make deps test results-check bench-all`."""

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from antbench import __main__ as results
from antbench.data import command
from support import documents
from support.commands import HANGS_S, PROGRAM, ROOT, environment_of, write_tsp
from support.copies import listed_by_git
from thesis_run import write_run

DOCUMENTS = [
    *(ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))),
    *(*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"),
]
COMMANDS = list(dict.fromkeys(command for path in DOCUMENTS for command in documents.commands(path)))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TOOLS = ("git", "cd", "sed", "echo", "sudo", "tar")
ASSIGNMENT = re.compile(r"(\w+)=(.*)", re.S)


def words(command):
    """(assignments, the other words): a placeholder of a whole command, <MHz>, is a word."""
    parts = shlex.split(command.replace("<", "").replace(">", "") if " > " not in command else command)
    assigned = dict(ASSIGNMENT.fullmatch(part).groups() for part in parts if ASSIGNMENT.fullmatch(part))
    return assigned, [part for part in parts if not ASSIGNMENT.fullmatch(part)]


def of(*first):
    found = [command for command in COMMANDS if words(command)[1][0] in first]
    assert found, f"no document has a command of {first}"
    return found


def test_commands_are_found_in_documents():
    assert {"make deps bench-all", "make deps test", "make NVCC= build", ".ci/run"} <= set(COMMANDS) and len(
        COMMANDS
    ) > 40


@pytest.mark.parametrize("command", COMMANDS)
def test_a_shell_can_read_it(command):
    done = subprocess.run(["bash", "-n", "-c", re.sub(r"<(\w+)>", r"\1", command)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", of("make"))
def test_what_is_given_to_make_is_used(command):
    assigned, _ = words(command)
    unknown = [
        name for name in assigned if not re.search(rf"\$\((call as_word,\$\()?{name}[):]|\b{name} := ", MAKEFILE)
    ]
    assert not unknown, f"the Makefile has no {unknown}"


def test_make_knows_the_targets():
    targets = dict.fromkeys(target for command in of("make") for target in words(command)[1][1:] if target != "bench-X")
    assert "bench-X" in "".join(COMMANDS) and "build" in targets
    given = {name: "x" for command in of("make") for name in words(command)[0] if name not in ("NVCC", "ARGS")}
    arguments = ["NVCC=", f"PYTHON={sys.executable}", *(f"{name}={value}" for name, value in given.items())]
    for target in targets:  # one after the other, so that the message names it
        if re.search(rf"^{re.escape(target)}:", MAKEFILE, re.M) or target.startswith("bench-"):
            continue
        done = subprocess.run(["make", "-n", *arguments, target], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, f"make {target}: {done.stderr}"


def planned(tmp_path):
    """[(driver, arguments)] of the program, by itself or under make."""
    (tmp_path / "FILE.cnf").write_text("p cnf 2 1\n1 -2 0\n")
    write_tsp(tmp_path / "FILE.tsp", 20)
    (tmp_path / "FILE.csv").write_text("name,lat,lon\nBerlin,52.5,13.4\nBern,46.9,7.4\nOslo,59.9,10.8\n")
    for told in of(PROGRAM.relative_to(ROOT).as_posix()):
        yield [str(tmp_path / part) if part.startswith(("FILE.", "tour.")) else part for part in words(told)[1][1:]]
    for told in of("make"):
        assigned, (_, *targets) = words(told)
        for target in targets:
            if target.startswith("bench-") and target not in ("bench-all", "bench-peers", "bench-X"):
                profile = ["--profile", assigned["PROFILE"]] if "PROFILE" in assigned else []
                yield [target.removeprefix("bench-"), *profile, *shlex.split(assigned.get("ARGS", ""))]


@pytest.mark.skipif(not PROGRAM.exists(), reason="not built here")
def test_the_program_would_do_it(tmp_path):
    """Or could not for want of a GPU; rungs that the reader writes first are not in the registry here."""
    for arguments in planned(tmp_path):
        arguments = [argument.replace("/mine", "/ds-roulette") for argument in arguments]
        plan = [] if {"--help", "--list"} & set(arguments) else ["--dry-run"]
        if arguments[0] == "solve" and plan:  # which has no plan, but can be short
            plan = ["--seconds", "0.1", "--out", str(tmp_path / "x.tour")]
        finds = arguments[0] == "doctor"  # which measures nothing, and may find something
        plan = [] if finds else plan
        done = subprocess.run(
            [PROGRAM, *arguments, *plan], cwd=ROOT, env=environment_of(), capture_output=True, text=True
        )
        needs_gpu = done.returncode == command.SKIPPED and "cuda" in arguments
        fine = (command.OK, command.INCONCLUSIVE) if finds else (command.OK,)
        assert needs_gpu or (done.returncode in fine and done.stdout), f"{arguments}: {done.stderr}"


@functools.cache
def help_of(*script):
    environment = dict(os.environ, PYTHON=sys.executable)
    return subprocess.run([*script, "--help"], cwd=ROOT, env=environment, capture_output=True, text=True).stdout


def test_scripts_have_the_options():
    asked = [command for command in COMMANDS if re.match(r"scripts/|python3 ", command)]
    assert len(asked) > 5
    for command in asked:
        _, (first, *rest) = words(command)
        options = [word for word in rest if word.startswith("--")]
        if rest[:1] == ["scripts/antbench"]:
            assert rest[1] in results.COMMANDS, command
            shown = [sys.executable, *rest[:2]]
        else:
            file = rest[0] if first == "python3" else first
            assert (ROOT / file).is_file(), command
            shown = [ROOT / file]
        if options:
            assert [option for option in options if option not in help_of(*shown)] == [], command


def test_all_else_is_there():
    for command in COMMANDS:
        first = words(command)[1][0]
        if first.startswith("build/bin/tests/"):
            assert (
                re.search(rf"{re.escape(first)}|STAT_TESTS", MAKEFILE)
                and len(list((ROOT / "tests").rglob(f"{first.rpartition('/')[2]}.c"))) == 1
            )
        elif first.startswith(".ci/"):
            assert os.access(ROOT / first, os.X_OK)
        else:
            assert first in ("make", "python3", *TOOLS) or first.startswith(("scripts/", "build/bin/antbench")), command


# ---- What reads runs ----

READ_RUNS = (
    "help",
    "plots",
    "report",
    "claims",
    "list-runs",
    "gpus",
    "compare",
    "results-check",
    "share",
    "export",
    "regress",
)
STORED = "results/reference/nvidia-h100-80gb-hbm3/20261126T104056Z-c8d43aae-3.3"
NOT_CALIBRATED = ("regress", f"Error {command.INCONCLUSIVE}")  # nobody has calibrated that machine


FIRST, SECOND = (f"geforce-gtx-580/2015090{day}T000000Z-0000000" for day in (1, 2))  # yours


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """What git has, with three runs: two of the thesis's machine, as yours, and a stored one."""
    path = tmp_path_factory.mktemp("tree")
    for name in listed_by_git():
        if not name.startswith("results/reference/") or name.startswith(STORED):
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, path / name)
    for run in (FIRST, SECOND):
        write_run(path / "results/runs" / run)
    return path


def first_with(target):
    """The first command of the documents that has the target, without its other targets; a placeholder is a run."""
    told = next(command for command in of("make") if target in words(command)[1][1:])
    run = {"B": SECOND, "NEW": SECOND}  # the other side is FIRST
    given = [
        f"{name}={run.get(name, FIRST) if value in ('RUN', 'DIR') else value}" for name, value in words(told)[0].items()
    ]
    return ["make", f"PYTHON={sys.executable}", *given, target]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no git, which lists the files")
@pytest.mark.parametrize("target", READ_RUNS)
def test_what_reads_runs_is_done(tree, target):
    told = first_with(target)
    done = subprocess.run(told, cwd=tree, capture_output=True, text=True, timeout=HANGS_S)
    refused, why = NOT_CALIBRATED
    assert done.returncode == 0 or target == refused and why in done.stderr, f"{told}: {done.stdout}{done.stderr}"
    assert done.stdout.strip()


def test_ci_does_the_rest():
    assert "make deps test results-check\nmake bench-all" in (ROOT / ".ci/run").read_text()
