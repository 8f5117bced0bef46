"""make index: writes INDEX.md, which shows what is behind each row, and the other files made from the program.

All of these files are generated. report/rows.csv and report/driver_sets.csv list what the program's drivers measure.
report/peers.csv lists what antbench.tools.peers runs. INDEX.md joins them with the stored runs and the report's
layouts. README.md and pages of docs/ get results of the stored runs (antbench.show.readme).
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field

from antbench.data import cells, command, layouts, rows, runs
from antbench.data.command import ROOT, BadInput, write_file
from antbench.show import readme
from antbench.tools import peers

PROGRAM = ROOT / "build/bin" / runs.PROGRAM
INDEX = ROOT / "INDEX.md"
ROWS, SETS, PEERS = cells.REPORT / "rows.csv", cells.REPORT / "driver_sets.csv", cells.REPORT / "peers.csv"
TABLES_HEADER = ["driver", "program", "file", "table", "heading", "published"]
LIST_HEADER = ["id", "backend", "file", "traits", "source", "description"]
NOT_MEASURED = "not measured yet"


# ---- What there is ----


def ask(option):
    """What the program prints with this option."""
    if not PROGRAM.exists():
        raise BadInput(f"build/bin/{PROGRAM.name}: not built; make build builds it")
    done = subprocess.run([PROGRAM, option], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != command.OK:
        sys.stderr.write(done.stderr)  # each line whole
        above = "; its message is above" if done.stderr else ""
        raise BadInput(f"{PROGRAM.name} {option} ended with {done.returncode}{above}")
    return done.stdout


def table_of(text, header, option):
    """The lines of a text of tab-separated values with this header, as dictionaries."""
    lines = [line.split("\t") for line in text.splitlines()]
    if not lines or lines[0] != header or any(len(line) != len(header) for line in lines):
        raise BadInput(f"{PROGRAM.name} {option}: expected lines of {' '.join(header)}")
    return [dict(zip(header, line)) for line in lines[1:]]


def tables():
    """{table: its line of `antbench --tables`}, in the program's order."""
    listed = table_of(ask("--tables"), TABLES_HEADER, "--tables")
    return {runs.table_name(line["table"]): line for line in listed}


def implementations():
    """{id: its line of `antbench --list`}."""
    return {line["id"]: line for line in table_of(ask("--list"), LIST_HEADER, "--list")}


@dataclass
class Entry:
    """A line of rows.csv, or a row that is in stored runs only."""

    row: str
    implementation: str
    driver: str = ""
    params: str = ""
    instances: list = field(default_factory=list)  # instances that stored runs have
    labels: list = field(default_factory=list)  # "3.3: DS-Roulette": layout and name in the report


def entries(known):
    """{table: {(row, implementation): Entry}}: first what the drivers measure, then what is in stored runs only."""
    found = defaultdict(dict)
    for row in known:
        params = row.params.replace("|", ",").replace(";", " ")
        found[row.table].setdefault(
            (row.row, row.implementation), Entry(row.row, row.implementation, row.driver, params)
        )
    for of_run in runs.load_below(runs.RESULTS / "reference"):
        timed = of_run.rows[of_run.rows["scope"] != "setup"]
        for table, name, implementation, instance in timed[["table", "row", "implementation", "instance"]].values:
            entry = found[table].setdefault(key_of(table, name, implementation, known), Entry(name, implementation))
            entry.instances += [instance] if instance not in entry.instances else []
    for layout, columns in layouts.columns(known).items():
        for column in columns:
            add_label(found, column, f"{layout}: {column['label']}", known)
    return found


def key_of(table, name, implementation, known):
    """The key of the line of rows.csv that a row belongs to; the row's own key if there is no such line."""
    line = rows.find(table, name, known)
    return (line[0].row if line else name), implementation


def add_label(found, column, label, known):
    for name in column["names"]:
        row, _ = rows.find(column["table"], name, known)
        labels = found[column["table"]][row.row, row.implementation].labels
        labels += [label] if label not in labels else []


# ---- INDEX.md ----


def link(path):
    return f"[{path}]({path})"


def table_lines(table, found, told, listed):
    """The section of a table. `told` is its line of --tables, or None for a table of stored runs only."""
    yield f"## {rows.title(table)}" + (f": {told['heading']}" if told and told["heading"] else "")
    yield ""
    yield " · ".join(about(told)) if told else "No driver measures it any more."
    yield ""
    yield "| row | in the report | implementation | file | parameters | data | command |"
    yield "|---|---|---|---|---|---|---|"
    for entry in found.values():
        known = listed.get(entry.implementation)
        only = f'`make bench-{entry.driver} ARGS="--implementations {entry.implementation}"`'
        line = (
            entry.row,
            "; ".join(entry.labels),
            entry.implementation,
            link(known["file"]) if known else "",
            entry.params,
            " ".join(entry.instances) or NOT_MEASURED,
            only if known and entry.driver else "",
        )
        yield "| " + " | ".join(line) + " |"
    yield ""


def about(told):
    yield f"Command: `make bench-{told['driver']}`"
    yield f"driver: {link(told['file'])}"
    if told["published"]:
        yield f"published: {link('results/published/' + told['published'] + '.csv')}"


def make_index(known):
    """The text of INDEX.md."""
    told, listed, found = {**tables(), **peers.table()}, implementations(), entries(known)
    lines = ["# Index", "", "What is behind each row of each table. Written by `make index`; do not edit.", ""]
    for table in [*told, *sorted(found.keys() - told.keys())]:
        if not found[table]:  # the table uses the rows of another, as Table 3.2 does
            continue
        lines += table_lines(table, found[table], told.get(table), listed)
    used = {entry.implementation for of_table in found.values() for entry in of_table.values()}
    unused = [
        f"- {id_}: {link(line['file'])}, {line['description']}" for id_, line in listed.items() if id_ not in used
    ]
    if unused:
        lines += ["## In no table", "", *unused, ""]
    return "\n".join(lines)


def dangling(text, drivers):
    """The files and make targets that the index names and that do not exist. There is a bench-% for each driver."""
    targets = set(re.findall(r"^([\w.%-]+):", (ROOT / "Makefile").read_text(), re.M))
    if "bench-%" in targets:
        targets |= {f"bench-{driver}" for driver in drivers}
    files = [path for path in re.findall(r"\]\(([^)]+)\)", text) if not (ROOT / path).exists()]
    return sorted(set(files + [name for name in re.findall(r"`make ([\w.-]+)", text) if name not in targets]))


# ---- The program ----


def read(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def update(texts, check):
    """Writes the files that differ, or only names them."""
    stale = [path for path, text in texts.items() if read(path) != text]
    for path in stale if not check else ():
        write_file(path, texts[path])
    return stale


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results index", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file is stale")
    check = parser.parse_args(arguments).check
    told = {ROWS: ask("--rows"), SETS: ask("--sets"), PEERS: peers.as_csv(rows.HEADER)}
    known = rows.parse(told[ROWS], f"{PROGRAM.name} --rows") + rows.parse(told[PEERS], PEERS)
    stale = update(told, check)
    if not (check and stale):  # the other files are made from these
        cells.sets.cache_clear()
        cells.iterations.cache_clear()
        rows.measured.cache_clear()
        text = make_index(known)
        if broken := dangling(text, {row.driver for row in known}):
            print(f"INDEX.md: there is no {', '.join(broken)}", file=sys.stderr)
            return command.ERROR
        stale += update({INDEX: text, **readme.generate({page: read(page) for page in readme.PAGES})}, check)
    if check and stale:
        print(f"{', '.join(path.name for path in stale)}: stale; make index writes them", file=sys.stderr)
        return command.ERROR
    return command.OK
