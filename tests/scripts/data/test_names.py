"""Names of stored rows (report/names.csv): each is one of today, or is listed as gone."""

import csv

import pytest

from antbench.data import code, rows, runs

STORED = runs.RESULTS / "reference", runs.RESULTS / "contributed"


def lines():
    with runs.NAMES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def stored():
    """(table, row, implementation) of each stored row of a kernel, under today's names."""
    found = {
        (row["table"], row["row"], row["implementation"])
        for run in runs.load_below(*STORED)
        for row in run.records
        if not row["implementation"].startswith("device/")  # limits of the GPU, which the harness measures
    }
    assert len(found) > 400
    return found


def is_gone(row, implementation):
    gone = [(line["then"], line["row_then"]) for line in lines() if not line["now"]]
    return (implementation, "") in gone or (implementation, row) in gone


def test_each_stored_row_is_one_of_today_or_gone():
    today = {(row.table, name, row.implementation) for row in rows.measured() for name in row.names()}
    unknown = [key for key in stored() if key not in today and not is_gone(*key[1:])]
    assert sorted(unknown) == []


def test_each_line_names_what_was_stored_and_what_is_there():
    """A line that no stored row needs is wrong, or is old."""
    today = code.files("").keys()
    then = {(row["row_then"], row["implementation_then"]) for run in runs.load_below(*STORED) for row in run.records}
    for line in lines():
        assert any(implementation == line["then"] for _, implementation in then), line
        assert not line["now"] or line["now"] in today, line
        assert line["now"] or line["row_then"] or line["then"] not in today, line


@pytest.mark.parametrize(
    "then, now",
    [
        (("tsp/cpu-best", "cpu-best-all"), ("tsp/cpu-rejection", "cpu-rejection-all")),
        (("tsp/cpu-best", "tsp-cpu-best-threads-2"), ("tsp/cpu-rejection", "tsp-cpu-rejection-threads-2")),
        (("tsp/cpu-best-nn", "cpu-best-nn-1"), ("tsp/cpu-vectors-nn", "cpu-vectors-nn-1")),
        (("psystem/cpu-best", "cpu-best-1"), ("psystem/cpu-bits", "cpu-bits-1")),
        (("canny/word-runs", "canny-runs"), ("canny/runs", "canny-runs")),
        (("tsp/race", "race"), ("tsp/race", "race")),
    ],
)
def test_a_row_keeps_its_published_number_under_its_new_name(then, now):
    cells = {"implementation": then[0], "row": then[1], "params": "", "published_id": "x", "published_ms": "1"}
    found = runs.named_today(cells)
    assert (found["implementation"], found["row"], found["published_id"]) == (*now, "x")


def test_code_is_found_by_the_name_of_its_commit():
    """At the commit of a stored run the file of tsp/cpu-rejection had another name."""
    row = next(
        row for run in runs.load_below(STORED[0]) for row in run.records if row["implementation_then"] == "tsp/cpu-best"
    )
    found = code.of_row(row)
    at_commit = code.files(found["commit"])
    assert found["file"] == at_commit.get("tsp/cpu-best", code.files("")["tsp/cpu-rejection"])
    assert row["implementation"] == "tsp/cpu-rejection"
