"""A program that prints what tests/data/program/ has, and a report/ folder that goes with it."""

import shlex
import shutil
from pathlib import Path

import pytest

from antbench.data import cells, layouts, rows
from antbench.tools import index

DATA = Path(__file__).resolve().parent / "data/program"
COLUMNS = "layout,label,table,row,instance,params,quantity,over,published\n"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """The program, asked by antbench.tools.index."""
    path = tmp_path / "antbench"
    path.write_text(f"#!/bin/bash\ncat {shlex.quote(str(DATA))}/${{1#--}}.*\n")
    path.chmod(0o755)
    monkeypatch.setattr(index, "PROGRAM", path)
    return path


@pytest.fixture
def report_folder(tmp_path, monkeypatch):
    """A folder report/ with what `make index` writes of the recorded program, and one layout for each table."""
    folder = tmp_path / "report"
    folder.mkdir()
    shutil.copy(DATA / "rows.csv", folder / "rows.csv")
    shutil.copy(DATA / "sets.csv", folder / "driver_sets.csv")
    (folder / "sets.csv").write_text("set,members\nfew,d198\n")
    (folder / "layouts.csv").write_text(
        "layout,set,line,unit,profile,title\n3.3,tsp,instance,ms,thesis,Table 3.3\n5.1,blocks,threads,ms,,Table 5.1\n"
    )
    (folder / "figures.csv").write_text("figure,set,style,label,top,over\n")
    (folder / "tables.csv").write_text(COLUMNS + "3.3,,3.3,ds-roulette,{x},protocol=as-best,,,\n5.1,,5.1,*,lena,,,,\n")
    for module in (cells, rows):
        monkeypatch.setattr(module, "REPORT", folder)
    for name in ("ROWS", "SETS"):
        monkeypatch.setattr(index, name, folder / getattr(index, name).name)
    monkeypatch.setattr(cells, "read_layout", lambda name, folder=folder: READ_LAYOUT(name, folder))
    forget()
    yield folder
    forget()


READ_LAYOUT = cells.read_layout


def forget():
    """What is read once only."""
    cells.sets.cache_clear()
    cells.iterations.cache_clear()
    rows.measured.cache_clear()


def columns_of(folder, *lines):
    """The columns that these lines of tables.csv make, of the first layout that has any."""
    (folder / "tables.csv").write_text(COLUMNS + "".join(line + "\n" for line in lines))
    return next(found for found in layouts.columns().values() if found)
