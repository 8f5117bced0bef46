"""What `make index` writes is up to date, and the index refuses what does not exist."""

import pytest

from antbench.data import command, rows
from antbench.data.command import BadInput
from antbench.show import readme
from antbench.tools import index
from recorded import DATA, columns_of, program, report_folder  # noqa: F401

needs_program = pytest.mark.skipif(not index.PROGRAM.exists(), reason="build/bin/antbench is not built")


@needs_program
def test_everything_that_is_generated_is_up_to_date():
    """`make index` writes it."""
    assert index.main(["--check"]) == command.OK


@needs_program
def test_every_implementation_is_in_the_index():
    text = index.INDEX.read_text(encoding="utf-8")
    listed = index.implementations()
    assert listed
    missing = [f"{id_} ({line['file']})" for id_, line in listed.items() if id_ not in text or line["file"] not in text]
    assert not missing, f"make index writes what INDEX.md lacks: {', '.join(missing)}"


def test_the_stored_index_has_every_row():
    text = index.INDEX.read_text(encoding="utf-8")
    assert all(f"| {row.row} |" in text and row.implementation in text for row in rows.measured())
    assert index.dangling(text, {row.driver for row in rows.measured()}) == []


@pytest.fixture
def files(report_folder, program, tmp_path, monkeypatch):
    """INDEX.md, README.md and results.md beside the report/ of the recorded program."""
    monkeypatch.setattr(index, "INDEX", tmp_path / "INDEX.md")
    monkeypatch.setattr(readme, "PAGES", (tmp_path / "README.md", tmp_path / "results.md"))
    monkeypatch.setattr(readme, "generate", lambda texts: dict.fromkeys(texts, "results\n"))
    monkeypatch.setattr(index, "dangling", lambda text, drivers: [])
    return tmp_path


def test_all_files_are_written_and_checked(files, capsys):
    assert index.main([]) == command.OK and index.main(["--check"]) == command.OK
    assert (files / "report/rows.csv").read_text() == (DATA / "rows.csv").read_text()
    assert (files / "report/driver_sets.csv").read_text() == (DATA / "sets.csv").read_text()
    for name in ("INDEX.md", "README.md", "results.md", "report/rows.csv", "report/driver_sets.csv"):
        text = (files / name).read_text()
        (files / name).write_text(text + "\n")
        assert index.main(["--check"]) == command.ERROR
        assert capsys.readouterr().err == f"{name.rpartition('/')[2]}: stale; make index writes them\n"
        assert (files / name).read_text() == text + "\n"
        (files / name).write_text(text)


def lines_of(text, section):
    """{row: cells} of a section of the index."""
    table = text.split(f"## {section}")[1].split("## ")[0]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    return {line[0]: line for line in lines}


def test_a_row_that_no_run_has_is_listed(files):
    columns_of(files / "report", "3.3,,3.3,*,{x},protocol=as-best,,,")
    index.main([])
    text = (files / "INDEX.md").read_text()
    assert "## Table 3.3: time per iteration\n\nCommand: `make bench-3.3` · driver: " in text
    found = lines_of(text, "Table 3.3")
    assert found["mine"][1:3] == ["3.3: mine", "tsp/mine"] and found["mine"][5] == "not measured yet"
    assert found["mine"][6] == '`make bench-3.3 ARGS="--implementations tsp/mine"`'
    assert found["ds-roulette"][4] == "protocol=as-best,as" and found["ds-roulette"][5].startswith("d198 a280 ")
    assert "## JPDC, Table 4: pheromone update" in text and "published/jpdc-4.csv" in text
    assert "- other/unused: [baselines/edges/sobel.c]" in text.split("## In no table")[1]


def test_rows_of_a_pattern_are_one_line(files):
    index.main([])
    found = lines_of((files / "INDEX.md").read_text(), "Table 5.1")
    assert found["warp-{block}"][4] == "block=64,128" and found["warp-{block}"][5] == "lena"
    assert "shapes-512" in found["warp-128"][5]  # its own line comes before the pattern
    assert found["mine-{block}"][5] == "not measured yet"


def test_rows_that_no_driver_measures_any_more_stay(files):
    index.main([])
    text = (files / "INDEX.md").read_text()
    assert lines_of(text, "Table 3.3")["cpu-rejection-1"][5].startswith("d198")
    assert "## Figure 6.6\n\nNo driver measures it any more." in text


def test_a_layout_of_what_does_not_exist_is_refused(files):
    (files / "report/tables.csv").write_text(
        "layout,label,table,row,instance,params,quantity,over,published\n3.3,,3.3,ds-rulette,{x},,,,\n"
    )
    with pytest.raises(BadInput, match="tables.csv:2: table 3.3 has no row ds-rulette; it has acotsp-seq ds-roulette"):
        index.main([])


def test_a_program_that_says_something_else_is_refused(program, tmp_path, capsys):
    program.write_text("#!/bin/bash\necho id\n")
    with pytest.raises(BadInput, match="antbench --list: expected lines of id backend"):
        index.implementations()
    said = f"antbench: {'long ' * 100}line\nantbench: no such option\n"
    program.write_text(f"#!/bin/bash\nprintf '%s' '{said}' >&2\nexit 2\n")
    with pytest.raises(BadInput, match="^antbench --tables ended with 2; its message is above$"):
        index.tables()
    assert capsys.readouterr().err == said
    program.write_text("#!/bin/bash\nkill -KILL $$\n")
    with pytest.raises(BadInput, match="^antbench --tables ended with -9$"):
        index.tables()
    program.unlink()
    with pytest.raises(BadInput, match="build/bin/antbench: not built; make build builds it"):
        index.tables()


def test_what_dangles(tmp_path, monkeypatch):
    text = "[a](kernels/none.cu) `make bench-9.9` `make bench-3.3` [b](README.md) `make test`"
    (tmp_path / "README.md").write_text("")
    (tmp_path / "Makefile").write_text("test: build\nbench-%: build\n")
    monkeypatch.setattr(index, "ROOT", tmp_path)
    assert index.dangling(text, {"3.3"}) == ["bench-9.9", "kernels/none.cu"]
    (tmp_path / "Makefile").write_text("test: build\nbench-3.3: build\n")
    assert index.dangling(text, {"3.3", "9.9"}) == ["bench-9.9", "kernels/none.cu"]
