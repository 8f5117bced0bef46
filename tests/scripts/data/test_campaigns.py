"""What campaigns measure is kept line by line, and docs/faults.md is made of it."""

import subprocess
import sys

import pytest

from antbench.data import campaigns
from antbench.data.command import ROOT, BadInput
from antbench.show import readme
from antbench.tools import campaigns as command

AT = "abc1234", "2026-11-24"
MADE = (
    "planted",
    [("X9", "tests", "tsp", "yes", "test_ties: [  FAILED  ] a, b"), ("X10", "tests", "tsp", "yes", "passes")],
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(campaigns, "FOLDER", tmp_path / "faults")
    return tmp_path


def test_a_line_replaces_the_older_one_alone(folder):
    campaigns.keep(*MADE, AT)
    campaigns.keep(
        "planted",
        [("X10", "tests", "tsp", "yes", "test_a"), ("X10", "driver", "tsp", "yes", "passes")],
        ("new+", AT[1]),
    )
    lines = [(line["fault"], line["asked"], line["answer"], line["commit"]) for line in campaigns.read("planted")]
    assert lines == [
        ("X9", "tests", "test_ties: [  FAILED  ] a, b", "abc1234"),
        ("X10", "driver", "passes", "new+"),
        ("X10", "tests", "test_a", "new+"),
    ]
    assert [path.name for path in campaigns.FOLDER.iterdir()] == ["planted.csv"]


def test_campaigns_beside_each_other_lose_no_line(folder):
    one = (
        "import sys; from antbench.data import campaigns as c; from pathlib import Path; c.FOLDER = Path(sys.argv[1]);"
    )
    one += "[c.keep('fuzzed', [(f'{sys.argv[2]}{i}', 1, 1, 0)], ('a', 'b')) for i in range(20)]"
    begun = [
        subprocess.Popen([sys.executable, "-c", one, str(campaigns.FOLDER), name], cwd=ROOT / "scripts")
        for name in "ab"
    ]
    assert [each.wait() for each in begun] == [0, 0]
    assert len(campaigns.read("fuzzed")) == 40


def test_another_header_is_refused(folder):
    campaigns.FOLDER.mkdir()
    (campaigns.FOLDER / "fuzzed.csv").write_text("reader,inputs\npng,1\n")
    with pytest.raises(BadInput, match="its header must be reader,inputs,parts,found,commit,date"):
        campaigns.read("fuzzed")


def test_the_page_is_made_of_the_lines(folder, monkeypatch):
    page = folder / "faults.md"
    page.write_text("before\n<!-- generated: campaigns -->\nold\n<!-- end -->\nbehind\n")
    monkeypatch.setattr(command, "PAGE", page)
    (folder / "found.csv").write_text("png,200000,82,0\ncnf,1000,12,1\n")
    assert command.main(["fuzzed", str(folder / "found.csv")]) == 0
    text = page.read_text()
    assert "| png | 200,000 | 82 | 0 |" in text and "| together | 201,000 | | 1 |" in text
    assert text.startswith("before\n") and text.endswith("\nbehind\n") and "\nold\n" not in text
    assert {line["commit"] for line in campaigns.read("fuzzed")} == {campaigns.now()[0]}


def test_lines_of_another_shape_are_refused(folder):
    (folder / "found.csv").write_text("png,200000\n")
    with pytest.raises(BadInput, match="found.csv: a line of 4 cells is expected, not png,200000"):
        command.main(["fuzzed", str(folder / "found.csv")])


def test_planted_faults_are_counted_by_what_was_asked():
    patches = {path.stem: campaigns.head_of(path) for path in (ROOT / campaigns.PATCHES).glob("*.patch")}
    lines = [("C1", "tests", "canny", "yes", "passes"), ("C3", "tests", "canny", "yes", "test_canny: a")]
    lines += [
        ("C3", "driver", "canny", "yes", "passes"),
        ("C9", "driver", "canny", "no", "exit 4"),
        ("gone", *MADE[1][0][1:]),
    ]
    campaigns.keep("planted", lines, AT)
    canny = next(line for line in campaigns.planted() if line["operation"] == "canny")
    assert canny["tests"] == {"asked": 2, "caught": 1, "passed": ["C1"]}
    assert canny["driver"] == {"asked": 1, "caught": 0, "passed": ["C3"]}
    assert canny["wrongly"] == ["C9"] and canny["equivalent"] == 1
    together = campaigns.planted()[-1]
    assert together["real"] + together["equivalent"] == len(patches) and together["tests"]["asked"] == 2


def test_the_page_of_the_tree_is_what_its_results_say(monkeypatch):
    monkeypatch.undo()
    text = command.PAGE.read_text(encoding="utf-8")
    assert readme.filled(text, readme.templates(command.PAGE.parent)) == text
