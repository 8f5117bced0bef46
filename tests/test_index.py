"""INDEX.md is up to date, and the index refuses what does not exist."""

from collections import defaultdict

import pytest

from antbench import index
from antbench.command import BadInput


@pytest.fixture(scope="module")
def listed():
    return index.implementations(index.drivers())


def test_the_index_is_up_to_date():
    """`make index` writes it."""
    assert index.INDEX.read_text(encoding="utf-8") == index.make_index()


def test_nothing_dangles():
    assert index.dangling(index.make_index()) == []
    assert index.dangling("[a](kernels/none.cu) `make bench-9.9` [b](README.md) `make test`") == [
        "bench-9.9",
        "kernels/none.cu",
    ]


def test_every_implementation_is_in_the_index(listed):
    text = index.make_index()
    assert listed and all(id_ in text and file in text for id_, (file, _) in listed.items())


@pytest.mark.parametrize(
    "line, message",
    [
        ("3.3,a,3.3,ds-roulette,tsp/ds-roulet,d198,", "report/tables.csv:2: no implementation tsp/ds-roulet"),
        ("3.3,a,3.3,ds-rulette,tsp/ds-roulette,d198,", "report/tables.csv:2: table 3.3 has no row ds-rulette; it has "),
        (
            "3.3,a,3.3,ds-roulette,tsp/i-roulette,d198,",
            "report/tables.csv:2: row 3.3 ds-roulette is tsp/ds-roulette, not tsp/i-roulette",
        ),
    ],
)
def test_a_layout_of_what_does_not_exist_is_refused(listed, tmp_path, monkeypatch, line, message):
    layout = tmp_path / "report/tables.csv"
    layout.parent.mkdir()
    layout.write_text(f"layout,label,table,row,implementation,instance,params\n{line}\n")
    monkeypatch.setattr(index, "LAYOUT", layout)
    monkeypatch.setattr(index, "ROOT", tmp_path)
    tables, _ = index.measured()
    with pytest.raises(BadInput) as error:
        index.add_layouts(tables, listed)
    assert str(error.value).startswith(message)


def test_rows_of_a_pattern_and_of_tables_without_a_run(tmp_path, monkeypatch, listed):
    layout = tmp_path / "tables.csv"
    layout.write_text(
        "layout,label,table,row,implementation,instance,params\n"
        "4.2,both,4.2,cand-block-{x},tsp/cand-block-compress,d198,\n"
        "9.9,new,9.9,later,later/later,x,\n"
    )
    monkeypatch.setattr(index, "LAYOUT", layout)
    monkeypatch.setattr(index, "ROOT", tmp_path)
    tables = defaultdict(dict)
    tables["4.2"] = {"cand-block-compress": index.Entry("tsp/cand-block-compress"), "other": index.Entry("tsp/other")}
    index.add_layouts(tables, listed)
    assert tables["4.2"]["cand-block-compress"].labels == ["4.2: both"] and tables["4.2"]["other"].labels == []
    assert tables["9.9"]["later"].implementation == "later/later"
