"""The fake NVML of tests/fake_nvml in the place of a driver's."""

import os
import subprocess

from support.commands import ROOT


def put_first(folder, monkeypatch):
    """From here on in this test, programs find it, as `folder`/libnvidia-ml.so.1."""
    library = folder / "libnvidia-ml.so.1"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, ROOT / "tests/fake_nvml/fake_nvml.c"], check=True)
    others = filter(None, [os.environ.get("LD_LIBRARY_PATH")])
    monkeypatch.setenv("LD_LIBRARY_PATH", ":".join([str(folder), *others]))
