"""Every verdict on the stored runs is held: one that changes fails here until somebody says why."""

import csv

import pytest

pytest.importorskip("jinja2")

from antbench.data import cells  # noqa: E402
from antbench.data.command import ERROR, OK, BadInput  # noqa: E402
from antbench.show import claims, readme, verdicts  # noqa: E402


def test_no_verdict_has_changed_without_a_reason():
    """`make verdicts REASON="why"` acknowledges what has."""
    assert verdicts.changes(claims.held(readme.verdicts()), claims.history()) == {}


def test_every_line_has_a_verdict_a_date_and_a_reason():
    lines = cells.read_layout("verdicts.csv")
    assert all(line["verdict"] and line["reason"] and len(line["date"]) == 10 for line in lines)
    of_name = claims.history()
    assert all([line["date"] for line in each] == sorted(line["date"] for line in each) for each in of_name.values())
    stated = [each[-1]["verdict"].split(" (")[0] for each in of_name.values()]
    assert set(stated) <= {*claims.KINDS, verdicts.GONE}


@pytest.fixture
def report(tmp_path, monkeypatch):
    """A folder with a history of two verdicts, and the verdicts of now, to change."""
    (tmp_path / "verdicts.csv").write_text("id,verdict,date,reason\na,holds,2026-01-01,new\nb,fails,2026-01-01,new\n")
    now = {"a": "holds", "b": "fails"}
    monkeypatch.setattr(cells, "REPORT", tmp_path)
    monkeypatch.setattr(claims, "history", lambda folder=tmp_path, read=claims.history: read(folder))
    monkeypatch.setattr(claims, "held", lambda _: now)
    monkeypatch.setattr(readme, "verdicts", list)
    return now


def lines_of(report_folder):
    return list(csv.reader(report_folder.open()))


def test_what_has_not_changed_needs_no_reason(report, tmp_path):
    before = (tmp_path / "verdicts.csv").read_text()
    assert verdicts.main([]) == OK == verdicts.main(["--reason", "none"])
    assert (tmp_path / "verdicts.csv").read_text() == before


@pytest.mark.parametrize("change, told", [
    ({"a": "holds so far (3 of 8 cases)"}, ["a", "holds so far (3 of 8 cases)"]),
    ({"c": "not measured yet"}, ["c", "not measured yet"]),
    ({"b": None}, ["b", "gone"]),
])  # fmt: skip
def test_a_change_fails_until_it_is_acknowledged(change, told, report, tmp_path, capsys):
    report.update(change)
    for name in [name for name, verdict in change.items() if verdict is None]:
        del report[name]
    assert verdicts.main([]) == ERROR and "make verdicts REASON=" in capsys.readouterr().out
    assert verdicts.main(["--reason", "a run, with more cases"]) == OK
    (*_, last) = lines_of(tmp_path / "verdicts.csv")
    assert last[:2] == told and last[3] == "a run, with more cases"
    assert verdicts.main([]) == OK, "the last verdict is the one that holds"


def test_a_reason_is_one_line(report):
    with pytest.raises(BadInput, match="in one line"):
        verdicts.main(["--reason", "a\nb"])


def test_the_page_counts_sentences_and_shows_their_history(thesis_report):
    page = (thesis_report / "claims.html").read_text(encoding="utf-8")
    sentences = cells.read_layout("claims.csv")
    assert f"Of {len(sentences)} published sentences" in page and page.count('<tr id="claim-') == len(sentences)
    rows = dict(part.split('"', 1) for part in page.split('<tr id="claim-')[1:])
    for name, lines in claims.history().items():
        if name in rows:
            assert all(f"{line['date']}: {line['verdict']}" in rows[name].replace("&#39;", "'") for line in lines), name
    assert "as fast as the source" in rows["cpu-82x"] and "acotsp-seq (CPU) 1.0 times" in rows["cpu-82x"]
    assert (
        rows["kth-adaptive"].count('class="reading"') == 2 and 'data-verdict="not measured yet"' in rows["kth-adaptive"]
    )
    assert "At most one verdict in twenty rests on chance" in page
