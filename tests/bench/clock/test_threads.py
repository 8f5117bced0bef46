"""Before samples, the threads of each CPU program settle (base/threads.h), as many as its parallel regions have: another
number would make OpenMP end threads, or start them, while the program is timed."""

import functools
import itertools
import os
import re
import subprocess

import pytest

from antbench.data import plans
from support.commands import CORES, PROGRAM, ROOT, drive, environment_of, implementations, told

LARGE = {"psystem/cpu-bits": "2^21"}  # input where it has several threads


@functools.cache
def rows():
    """{CPU implementation: a driver, the name of a timed row of all cores, and an input}"""
    found = {}
    for driver in sorted({line.split("\t")[0] for line in told("--tables").splitlines()[1:]}):
        plan = drive("--backend", "cpu", "--profile", "smoke", "--dry-run", driver=driver).stdout
        for row in filter(plans.is_timed, plans.rows(plan)):
            if f"threads={CORES}" in row["params"].split(";"):
                found.setdefault(row["implementation"], (driver, f"{row['table']}/{row['row']}", row["instance"]))
    return found


@functools.cache
def function_of_settling():
    """The offset of the empty region's function in the program."""
    symbols = subprocess.run(["nm", PROGRAM], capture_output=True, text=True, check=True).stdout
    [offset] = re.findall(r"^([0-9a-f]+) t time_region\._omp_fn\.0$", symbols, re.MULTILINE)
    return int(offset, 16)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("regions") / "regions.so"
    subprocess.run(["gcc", "-shared", "-fPIC", ROOT / "tests/fake_system/regions.c", "-o", path, "-ldl"], check=True)
    return path


def settled(library, implementation, folder):
    """[(threads that settled, threads of the region behind)] of a run."""
    driver, row, instance = rows()[implementation]
    options = ["--rows", row, "--instances", LARGE.get(implementation, instance)]
    environment = environment_of(alone=False, LD_PRELOAD=str(library), REGIONS=str(folder / "regions"))
    done = subprocess.run(
        [PROGRAM, driver, *options, "--backend", "cpu", "--profile", "smoke", "--out", folder / "run"],
        cwd=ROOT,
        env={**environment, "OMP_WAIT_POLICY": "passive"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = folder / "regions"
    regions = [(int(line.split()[0], 16), int(line.split()[1])) for line in found.read_text().splitlines()]
    for (function, threads), (next_function, behind) in itertools.pairwise(regions):
        if function == function_of_settling() != next_function:
            yield threads, behind or CORES


def others():
    """Implementations with other threads than OpenMP's, or with one, or on several machines."""
    return implementations(have=["one-thread"]) | implementations(have=["several"]) | OF_OPENCV


OF_OPENCV = {"canny/opencv", "convolution/opencv", "convolution/opencv-separable"}


@pytest.mark.skipif(CORES == 1, reason="needs two cores")
@pytest.mark.skipif("clang" in os.environ.get("CC", ""), reason="reads the regions of GNU OpenMP")
@pytest.mark.parametrize("implementation", sorted(implementations(backend="cpu") - others()))
def test_as_many_threads_settle_as_regions_have(library, implementation, tmp_path):
    found = list(settled(library, implementation, tmp_path))
    assert found and all(threads == behind for threads, behind in found)


@pytest.mark.parametrize("implementation", sorted(OF_OPENCV & implementations(backend="cpu")))
def test_threads_of_a_library_do_not(library, implementation, tmp_path):
    (tmp_path / "regions").touch()
    assert list(settled(library, implementation, tmp_path)) == []
