"""The program on a system whose clock and scheduler do what a test wants (tests/fake_system), whatever the machine does."""

import subprocess

from support.commands import ROOT


def preload(folder, monkeypatch, step_ms=0.01, slice_ms=0.0, every=0, tells=True):
    """From here on in this test each look at the clock takes step_ms, each `every`-th slice_ms more, in which the program
    waits for a core; tells: whether the system says so."""
    with_library(folder, monkeypatch)
    monkeypatch.setenv("FAKE_SYSTEM", f"{step_ms} {slice_ms} {every} {tells:d}")


def alone(folder, monkeypatch):
    """From here on in this test a program sees no other thread. It would look for half a second how many there are, and
    so would each process of a run."""
    with_library(folder, monkeypatch)
    monkeypatch.setenv("FAKE_ALONE", "1")


def with_library(folder, monkeypatch):
    library = folder / "fake_system.so"
    if not library.exists():
        source = ROOT / "tests/fake_system/fake_system.c"
        subprocess.run(
            ["gcc", "-D_GNU_SOURCE", "-I", ROOT, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True
        )
    monkeypatch.setenv("LD_PRELOAD", library.name)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))  # LD_PRELOAD is divided at spaces, this is not
