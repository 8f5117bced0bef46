"""Wrong arguments to any script end with its usage or one line, and never with a traceback or an error of the shell."""

import os
import subprocess
import sys

import pytest

from antbench.__main__ import COMMANDS
from support.commands import ROOT

RESULTS = "scripts/antbench"
CALLS = [
    (sys.executable, RESULTS, name, "--no-such-option") for name in sorted({*COMMANDS} - {"bench-all"})
] + [  # which has the options of the drivers
    (sys.executable, RESULTS),
    (sys.executable, RESULTS, "reprot"),
    (sys.executable, "docs/ds_step.py", "2", "x"),
    (sys.executable, "images/tiff_to_png.py"),
    (sys.executable, "images/tiff_to_png.py", "absent.csv", "."),
    ("images/fetch", "--no-such-option"),
    ("instances/fetch", "--no-such-option"),
    ("scripts/bench_all", "one"),
    ("scripts/build_info",),
    ("scripts/fetch",),
    ("scripts/fetch", "absent.csv"),
    ("scripts/fuzz", "many"),
    ("scripts/fuzz", "1", "absent"),
    ("scripts/install", "here"),
    ("scripts/ranks", "many"),
    ("scripts/regress",),
]


@pytest.mark.parametrize(
    "call", CALLS, ids=lambda call: " ".join(part for part in call if part not in (sys.executable,))
)
def test_wrong_arguments_are_told_of(call):
    if any(part.startswith("images/") for part in call):
        pytest.importorskip("PIL")
    environment = dict(os.environ, PYTHON=sys.executable)
    done = subprocess.run(
        call, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    lines = done.stderr.splitlines()
    assert done.returncode in (1, 2), done
    assert lines and (len(lines) == 1 or "usage:" in done.stderr), done.stderr
    assert "Traceback" not in done.stderr and "unbound variable" not in done.stderr and ": line " not in done.stderr


def test_a_python_without_the_packages_is_told_in_a_line():
    """-S leaves out all packages that are installed."""
    command = [sys.executable, "-S", ROOT / "scripts/antbench", "coverage"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{sys.executable} has no " in done.stderr and "`make deps` installs it" in done.stderr
