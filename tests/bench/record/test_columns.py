"""docs/guide/columns.md and outputs.md have every column of every file, in its order, and no other."""

import json
import re

import pytest

from antbench.data import runs
from antbench.show import compare, gains, report, site, times
from support.commands import ROOT, drive

TEXT = "\n".join((ROOT / f"docs/guide/{page}.md").read_text(encoding="utf-8") for page in ("columns", "outputs"))


def documented(heading):
    """[(column, the other cells)] of the table below a heading."""
    body = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert body, heading
    return [(found[1], found[2].split(" | ")) for found in re.finditer(r"^\| `(\w+)` \| (.*) \|$", body, re.M)]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What the program itself writes."""
    out = tmp_path_factory.mktemp("run") / "run"
    done = drive("--instances", "u20", "--runs", 1, "--iterations", 1, "--processes", 1, "--backend", "cpu",
                 "--implementations", "tsp/acotsp-seq", "--out", out, "--quiet")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize("file, known", [("table-*.csv", runs.HEADER), ("samples.csv", runs.SAMPLES_HEADER)])
def test_a_runs_columns(run, file, known):
    (path,) = run.glob(file)
    written = path.read_text().splitlines()[0].split(",")
    found = documented(file)
    assert [name for name, _ in found] == written == known


def test_the_members_of_meta_json(run):
    meta = json.loads((run / "meta.json").read_text())
    assert {name for name, _ in documented("meta.json")} == set(meta)
    assert {name for name, _ in documented("machine, of meta.json")} == set(meta["machine"])


@pytest.mark.parametrize(
    "heading, columns",
    [
        ("results/published/*.csv", runs.PUBLISHED_HEADER),
        ("build/report/tables.csv", report.CSV_HEADER),
        ("build/site/history.csv", site.CSV_HEADER),
        ("build/gpus/times.csv", times.CSV_HEADER),
        ("build/gpus/gains.csv", gains.CSV_HEADER),
        ('make compare ARGS="--csv FILE"', compare.COLUMNS[len(runs.KEY) :]),
    ],
)
def test_other_files(heading, columns):
    assert [name for name, _ in documented(heading)] == list(columns)


def test_everything_is_described():
    rows = [cells for heading in re.findall(r"^## (.*)$", TEXT, re.M) for _, cells in documented(heading)]
    assert len(rows) > 100 and all(cells[-1].strip() for cells in rows)
