"""The Python package: installed offline into an environment of its own, its command works without the source tree."""

import shutil
import subprocess
import sys

import pytest

from support.commands import ROOT, environment_of

PARTS = ("scripts/antbench", "report", "results/published", "results/contributed")
FILES = ("pyproject.toml", "README.md", "LICENSE", "VERSION", "instances/catalogue.csv", "bench/registry.def")
STORED = "results/reference/nvidia-h200/20261123T184130Z-eb036f1-6.5"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """antbench-results as pip installs it from a source tree with one stored run, which is gone then."""
    folder = tmp_path_factory.mktemp("package")
    for part in (*PARTS, STORED):
        shutil.copytree(ROOT / part, folder / "tree" / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "tree" / name)
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder / "venv"], check=True)
    pip = [folder / "venv/bin/pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*pip, folder / "tree"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(folder / "tree")
    return folder / "venv/bin/antbench-results"


def call(results, folder, *arguments):
    environment = environment_of()
    environment.pop("PYTHONPATH", None)
    return subprocess.run([results, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def test_it_lists_and_checks_the_runs_that_it_has(results, tmp_path):
    done = call(results, tmp_path, "list-runs")
    assert done.returncode == 0 and STORED.partition("reference/")[2] in done.stdout, done.stderr
    done = call(results, tmp_path, "results-check")
    assert done.returncode == 0 and ", 0 broken" in done.stdout, done.stdout + done.stderr


def test_it_reports_into_the_current_folder(results, tmp_path):
    done = call(results, tmp_path, "claims")
    assert done.returncode == 0 and "thesis" in done.stdout, done.stderr
    done = call(results, tmp_path, "report")
    assert done.returncode == 0 and "NVIDIA H200" in done.stdout, done.stderr
    assert "Table 6.5.2" in (tmp_path / "build/report/index.html").read_text()


@pytest.mark.parametrize("name, told", [("index", "needs the source tree"), ("ab", "needs the program")])
def test_what_needs_more_says_so(results, tmp_path, name, told):
    done = call(results, tmp_path, name)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and told in done.stderr
