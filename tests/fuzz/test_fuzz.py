"""Every reader of files is fed what libFuzzer makes, as many inputs each time, where there is clang: `make fuzz`."""

import os
import re
import shutil
import subprocess

import pytest

from support.commands import ROOT

RUNS = 3000  # for each reader: 10 seconds of a core in all


@pytest.mark.skipif(not shutil.which("clang"), reason="clang, which has libFuzzer, is not installed")
def test_readers_stand_what_libfuzzer_makes():
    seeded = {**os.environ, "SEED": "1"}
    done = subprocess.run(
        ["scripts/fuzz", str(RUNS)], env=seeded, cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    readers = sorted(path.name for path in (ROOT / "tests/corpus").iterdir())
    told = dict(re.findall(r"^(\w+): (\d+) inputs read, \d+ parts reached, nothing found$", done.stdout, re.M))
    assert sorted(told) == readers and all(int(count) >= RUNS for count in told.values())
