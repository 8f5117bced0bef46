"""What the drivers measure: report/rows.csv, as `antbench --rows` prints it and `make index` keeps it.

A line is one row of a table or several. The row warp-{block} with the parameter block=64|128 stands for warp-64 and
warp-128. A new kernel has a line before any run has it. report/peers.csv lists in the same form what
antbench.tools.peers runs.
"""

import csv
import functools
import io
import itertools
import re
from dataclasses import dataclass

from antbench.data import runs
from antbench.data.cells import REPORT
from antbench.data.command import BadInput

HEADER = ["driver", "table", "row", "implementation", "instances", "params", "label", "published", "iterations"]
SOURCES = {"jpdc": "JPDC", "jsc": "JSC", "kth": "KTH"}  # of tables; tables without a source are the thesis's
FIGURES = {("jpdc", "7"), ("kth", "8"), ("kth", "9"), ("kth", "10")}  # whose tables of numbers have no F in their names
TITLE = re.compile(r"(?:([a-z]+)-)?(F?)([\d.]*)-?(.*)")  # of a table: source, figure or not, number, rest
PARAMETER = re.compile(r"\{([^}]+)\}")


@dataclass(frozen=True)
class Row:
    """A line of rows.csv."""

    driver: str  # "3.3" for `make bench-3.3`
    table: str
    row: str  # the name; it has a parameter in braces if it stands for several rows
    implementation: str
    instances: str  # names of instances or of sets, separated by spaces
    params: str
    label: str
    published: str  # id of its published numbers up to the instance; "" if nothing was published
    iterations: str  # number per run in profile thesis, as in the source

    def names(self):
        """{name of a row: {parameter in the name: its value}}."""
        swept = PARAMETER.findall(self.row)
        values = [self.values(parameter) for parameter in swept]
        combinations = [dict(zip(swept, chosen)) for chosen in itertools.product(*values)]
        return {put_in(self.row, chosen): chosen for chosen in combinations}

    def choices(self):
        """[{parameter: one of its values}] for the parameters that have several values."""
        several = [pair.partition("=")[0] for pair in self.params.split(";") if "|" in pair]
        return [dict(zip(several, chosen)) for chosen in itertools.product(*map(self.values, several))]

    def values(self, parameter):
        """block=64|128 -> ["64", "128"]."""
        pairs = dict(pair.partition("=")[::2] for pair in self.params.split(";"))
        if parameter not in pairs:
            raise BadInput(f"report/rows.csv: row {self.row} of table {self.table} has no parameter {parameter}")
        return pairs[parameter].split("|")


def put_in(text, values):
    """Fills {parameter} in a row's name, label or published id."""
    return PARAMETER.sub(lambda found: values.get(found[1], found[0]), text)


def parse(text, place):
    """The Rows of a CSV file's text."""
    lines = list(csv.reader(io.StringIO(text)))
    if not lines or lines[0] != HEADER:
        raise BadInput(f"{place}:1: expected the header {','.join(HEADER)}")
    found = []
    for line, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(HEADER):
            raise BadInput(f"{place}:{line}: expected {len(HEADER)} cells, got {len(cells)}")
        row = Row(**{**dict(zip(HEADER, cells)), "table": runs.table_name(cells[1])})
        found.append(row)
        row.names()  # raises BadInput for a parameter that the row lacks
    return found


@functools.cache
def measured():
    """All Rows of report/rows.csv and report/peers.csv."""
    path, beside = REPORT / "rows.csv", REPORT / "peers.csv"
    try:
        found = parse(path.read_text(encoding="utf-8"), path)
        return found + (parse(beside.read_text(encoding="utf-8"), beside) if beside.exists() else [])
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}: make index writes it") from None


def title(table):
    """A table's name for a reader: "3.3" -> "Table 3.3", "F3.9" -> "Figure 3.9", "kth-8-cold" -> "KTH, Figure 8, cold".

    A number with more parts than the source's tables have is a section's: "5.4.3" -> "§5.4.3". A table without a source
    has no number: "improve-25" -> "improve, 25".
    """
    source, figure, number, rest = TITLE.fullmatch(table).groups()
    if source and source not in SOURCES:
        return table.replace("-", ", ", 1).replace("-", " ")
    of_section = number.count(".") > (0 if source else 1)
    kind = "Figure " if figure or (source, number) in FIGURES else "§" if of_section else "Table "
    numbered = f"{kind}{number}" if number else ""
    return ", ".join(filter(None, (SOURCES.get(source, source), numbered, rest.replace("-", " "))))


def of_table(table, known):
    return [row for row in known if row.table == table]


def find(table, name, known):
    """(the Row that `name` belongs to, the values of the parameters in the name), or None. A line with this very name
    comes first.
    """
    candidates = of_table(table, known)
    for row in sorted(candidates, key=lambda row: row.row != name):
        if name in row.names():
            return row, row.names()[name]
    return None


def expect(place, table, name, known):
    """As find(), but an unknown table or row is an error that lists the known ones."""
    if not of_table(table, known):
        raise BadInput(f"{place}: no table {table}; there are {' '.join(dict.fromkeys(row.table for row in known))}")
    found = find(table, name, known)
    if not found:
        there = " ".join(dict.fromkeys(row.row for row in of_table(table, known)))
        raise BadInput(f"{place}: table {table} has no row {name}; it has {there}")
    return found
