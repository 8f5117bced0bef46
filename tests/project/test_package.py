"""The Python package: installed offline into an environment of its own, its command works without the source tree."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from support.commands import PROGRAM, ROOT, environment_of

PARTS = ("scripts/antbench", "report", "results/published", "results/contributed")
FILES = ("pyproject.toml", "README.md", "LICENSE", "VERSION", "instances/catalogue.csv", "bench/registry.def")
# The stored run that docs/guide/python.md loads, and the one that it is the BASE of.
NAME = re.search(r'load\("(.+?)"\)', (ROOT / "docs/guide/python.md").read_text())[1]
OTHER = re.search(r'regress\(".+?", "(.+?)"\)', (ROOT / "docs/guide/python.md").read_text())[1]
STORED = [f"results/reference/{name}" for name in (NAME, OTHER)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """antbench-results as pip installs it from a source tree with two stored runs, which is gone then."""
    folder = tmp_path_factory.mktemp("package")
    for part in (*PARTS, *STORED):
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
    assert done.returncode == 0 and NAME in done.stdout, done.stderr
    done = call(results, tmp_path, "results-check")
    assert done.returncode == 0 and ", 0 broken" in done.stdout, done.stdout + done.stderr


def test_it_reports_into_the_current_folder(results, tmp_path):
    done = call(results, tmp_path, "claims")
    assert done.returncode == 0 and "thesis" in done.stdout, done.stderr
    done = call(results, tmp_path, "report")
    assert done.returncode == 0 and "NVIDIA H200" in done.stdout, done.stderr
    assert "§6.5.2" in (tmp_path / "build/report/index.html").read_text()


@pytest.mark.parametrize("name, told", [("index", "needs the source tree"), ("ab", "needs the program")])
def test_what_needs_more_says_so(results, tmp_path, name, told):
    done = call(results, tmp_path, name)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and told in done.stderr


def python(results, folder, text):
    """What a program in Python prints that uses the package, with the program of this tree."""
    environment = environment_of(ANTBENCH=str(PROGRAM))
    environment.pop("PYTHONPATH", None)
    arguments = [results.parent / "python", "-c", f"import sys, antbench\n{text}"]
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_python_loads_a_run_with_units(results, tmp_path):
    assert python(results, tmp_path, f"""
print("pandas" in sys.modules)
run = antbench.load("{NAME}")
timed = run.rows[run.rows["samples"] > 0].iloc[0]
kept = run.samples[run.samples["line"] == timed["line"]]["ms"].dropna()
print(len(kept) == timed["samples"], abs(kept.median() / timed["median_ms"] - 1) < 1e-6)
print(run.rows.attrs["units"]["median_ms"], run.samples.attrs["units"]["ms"], run.rows.attrs["units"]["power_w"])
print(run.meta["run_id"][0] == timed["run_id"], run.meta["build.commit"][0][:7])
""") == ["False", "True True", "ms ms W", "True " + NAME.split("Z-")[1][:7]]  # fmt: skip


def test_python_judges_a_run(results, tmp_path):
    assert python(results, tmp_path, f"""
gate = antbench.regress("{NAME}", "{OTHER}")
print(gate.verdict, gate.code, 0 < gate.rows["change"].abs().max() < 0.5, "same" in set(gate.rows["verdict"]))
""") == ["same 0 True True"]  # fmt: skip


def test_python_measures(results, tmp_path):
    """Two rows with the program of this tree, from another folder; then two builds, which name their programs."""
    options = ["--profile", "smoke", "--iterations", "2", "--backend", "cpu"]
    assert python(results, tmp_path, f"""
row = "3.3/cpu-rejection-1/u150?protocol=as;ants="
found = antbench.ab(row + "4", row + "120", processes=3, options={options})
(of,) = found.rows
print(found.code, found.unlike, of.verdict, of.low < of.ratio < of.high, of.processes, of.a_ms < of.b_ms)
import os
os.environ["ANTBENCH"] = "/nonexistent"
found = antbench.ab("{ROOT}", "{ROOT}", rows="3.3/cpu-rejection-1/u60?protocol=as", processes=2, options={options})
print(*(of.processes for of in found.rows))
""") == ["3 () slower True 3 True", "2"]  # fmt: skip
    assert list((tmp_path / "build/ab").glob("*/a/3.3/process-3/meta.json"))


def test_python_solves(results, tmp_path):
    assert python(results, tmp_path, """
import math, random
random.seed(1)
xy = [(random.random(), random.random()) for _ in range(200)]
found = antbench.solve(xy, seconds=0.3, threads=1)
length = sum(math.dist(xy[a], xy[b]) for a, b in zip(found.tour, found.tour[1:] + found.tour[:1]))
print(sorted(found.tour) == list(range(200)), abs(found.length / length - 1) < 1e-6, found.length < 13, found.unit)
print(antbench.solve([(0, 0), (90, 0), (0, 90)], 0.1, metric="geo").unit)
bounded = antbench.solve([(0, 0), (4, 0), (4, 3), (0, 3)], seconds=0.1, bound=True)
print(found.bound, 13.9 < bounded.bound <= bounded.length == 14)
""") == ["True True True the unit of the coordinates", "km", "None True"]  # fmt: skip


def test_the_guide_runs(results, tmp_path):
    """The shortest tour of a rectangle's corners is its border, from any of them."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/guide/python.md").read_text(), re.M | re.S)
    lines = python(results, tmp_path, code)
    assert lines[0].split() == ["row", "instance", "mean_ms"]
    assert re.fullmatch(r"\[\d, \d, \d, \d\] 14\.0 the unit of the coordinates", lines[-1])
    assert any(line.startswith("same 0 ") for line in lines)
    assert any(line.startswith("slower ") for line in lines)


def test_the_notebook_runs(results, tmp_path):
    """Its cells run in their order, in one program. It has no outputs, so nothing of a machine is in it."""
    notebook = json.loads((ROOT / "docs/python.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["nbformat"] == 4 and len(cells) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    code = "\n".join("".join(cell["source"]) for cell in cells)
    assert all(f"antbench.{name}(" in code for name in ("load", "regress", "ab", "solve"))
    lines = python(results, tmp_path, f"{code}\nprint(gate.code, found.code, sorted(tour.tour) == list(range(100)))")
    assert re.fullmatch(r"slower: [\d.]+ \([\d.]+ to [\d.]+\), \d+ processes of each", lines[0])
    assert lines[1:] == ["0 3 True"]


@pytest.mark.parametrize("call, error", [
    ("load('nowhere')", "nowhere: no run there; "),
    ("solve([(0, 0), (1,)])", "xy: expected two numbers per city"),
    ("solve([(0, 0), (1, float('nan'))])", "antbench solve: stdin:3: column 2"),
    ("solve([(0, 0), (1, 1), (1, 0)], seconds=0)", "seconds: expected a number above 0"),
    ("solve([(0, 0), (1, 1), (1, 0)], metric='taxi')", "antbench solve: --metric"),
    ("solve([(0, 0)], program='/nonexistent')", "/nonexistent: No such file or directory"),
    ("regress('x', 'y', threshold=0)", "threshold: expected a percentage above 0"),
    ("ab('x', 'y', threshold=0)", "--threshold: expected a percentage above 0"),
    ("ab('3.3/rase/u60', 'y')", "antbench 3.3: --rows 3.3/rase/u60: there is no such row here"),
    ("ab('3.3/race/u60', 'y', program='/nonexistent')", "/nonexistent: not built; make build builds it"),
])  # fmt: skip
def test_python_raises_one_line(results, tmp_path, call, error):
    (line,) = python(results, tmp_path, f"""
try:
    antbench.{call}
except antbench.BadInput as error:
    print(error)
""")  # fmt: skip
    assert line.startswith(error)
