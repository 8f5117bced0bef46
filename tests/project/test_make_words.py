"""What a user gives to make is text: no variable of the Makefile, and no name of a target, becomes a command of a shell."""

import os
import re
import shlex
import subprocess

import pytest

from support.commands import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
SEVERAL = {"ARGS"}  # several words, as `make help` says
OF_MAKE = {"MAKE", "MAKEFILE_LIST"}
TARGETS = re.findall(r"^([a-z][a-z0-9.%-]*):.*##", MAKEFILE, re.M)
# A shell would run `touch planted` where any of this is not in single quotes; make gives $ for $$.
HOSTILE = "a\"b;touch${IFS}planted;\\'c`touch${IFS}planted`$(touch${IFS}planted)&&touch|touch"


def given():
    """The variables that the Makefile refers to and does not set itself, but perhaps by ?=: all that a user may set."""
    used = set(re.findall(r"\$[({]([A-Z][A-Z_]*)[):}]", MAKEFILE))
    own = set(re.findall(r"^\s*(?:override )?([A-Z][A-Z_]*)\s*:?=", MAKEFILE, re.M))
    return sorted(used - own - OF_MAKE - SEVERAL)


def printed(target, text):
    """What make would run, where all variables are this text."""
    given_text = [f"{name}={text.replace('$', '$$')}" for name in given()]
    command = ["make", "-n", "MAKE=true", "NVCC=", *given_text, target.replace("%", text)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120).stdout


def words(text):
    lexer = shlex.shlex(text.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    return list(lexer)


def test_there_are_many_variables_and_targets():
    assert {"THRESHOLD", "RANKS", "RUNS", "RUN", "JOBS", "N", "A", "PREFIX", "NPP_HOME"} <= set(given())
    assert {"regress", "fuzz", "bench-%", "ab", "results-check"} <= set(TARGETS)


def test_no_variable_that_a_user_may_set_is_set_by_the_makefile():
    """Else a user's value would take its place everywhere, and without one the user's command would get the Makefile's."""
    settable = re.findall(r"^([A-Z][A-Z0-9_]*)\s*\?=", MAKEFILE, re.M)
    assert len(settable) > 20 and set(settable) <= {*given(), *SEVERAL}


def test_a_variable_that_is_not_given_is_empty():
    command = ["make", "-n", "MAKE=true", "NVCC=", "check-gpu"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    [command] = [line for line in told.stdout.splitlines() if line.endswith("scripts/check_gpu")]
    assert {"ID=", "TOOLS=", "DRIVERS="} < set(shlex.split(command))


@pytest.mark.parametrize("target", TARGETS)
def test_a_variable_is_one_word(target):
    told = printed(target, HOSTILE)
    assert not (ROOT / "planted").exists()
    found = words("\n".join(line for line in told.splitlines() if "touch" in line))
    assert not [word for word in found if word.startswith("touch")], told
    assert all(HOSTILE in word for word in found if "touch" in word), told


def test_each_variable_reaches_some_command_or_none():
    """The text is seen at all: of the variables that a command takes, each arrives whole."""
    told = "".join(printed(target, HOSTILE) for target in ("regress", "fuzz", "ab", "export", "uninstall"))
    found = words("\n".join(line for line in told.splitlines() if "touch" in line))
    assert found.count(HOSTILE) >= 12


def test_the_check_sees_what_is_no_word():
    assert "touch${IFS}planted" in words(f"run --threshold {HOSTILE[3:]}")
    assert "touch${IFS}planted" in words(f'run "{HOSTILE}""')
    assert words(f"run {shlex.quote(HOSTILE)}") == ["run", HOSTILE]
