"""The program on a system whose clock and scheduler do what a test wants (tests/fake_system), whatever the machine does."""

import functools
import os
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "fake_system/fake_system.c"


@functools.cache
def library():
    """The folder of fake_system.so; it ends with this process."""
    folder = tempfile.TemporaryDirectory(prefix="antbench-fake-system-")
    command = ["gcc", "-D_GNU_SOURCE", "-I", SOURCE.parent.parent.parent, "-shared", "-fPIC", SOURCE, "-ldl"]
    subprocess.run([*command, "-o", f"{folder.name}/fake_system.so"], check=True)
    return folder


def preloaded(**fake):
    """What of the environment makes a program see such a system."""
    # LD_PRELOAD is divided at spaces, LD_LIBRARY_PATH is not. A test may have a library of its own there.
    folders = [library().name, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {"LD_PRELOAD": "fake_system.so", "LD_LIBRARY_PATH": ":".join(folders), **fake}


def alone():
    """What of the environment makes a program see no other thread: else it looks for half a second how many there are."""
    return {} if "LD_PRELOAD" in os.environ else preloaded(FAKE_ALONE="1")


def preload(monkeypatch, step_ms=0.01, slice_ms=0.0, every=0, tells=True):
    """From here on in this test each look at the clock takes step_ms, each `every`-th slice_ms more, in which the program
    waits for a core; tells: whether the system says so."""
    for name, value in preloaded(FAKE_SYSTEM=f"{step_ms} {slice_ms} {every} {tells:d}").items():
        monkeypatch.setenv(name, value)
