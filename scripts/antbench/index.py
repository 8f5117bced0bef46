"""INDEX.md: what is behind each row of each table. `make index`.

Nothing here is kept by hand: rows come from the table layouts (report/tables.csv), from the stored runs and from what
the drivers say they would measure, files from the drivers' list of implementations.
"""
import argparse
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from antbench import command, runs
from antbench.command import ROOT, BadInput

LAYOUT = ROOT / "report/tables.csv"
LAYOUT_HEADER = ["table", "row", "label", "implementation", "instance", "params"]
INDEX = ROOT / "INDEX.md"
OF_THE_INSTANCE = ("ants", "threads", "stage")  # parameters that do not tell rows of a table apart


@dataclass
class Entry:
    """One row of a table."""
    implementation: str = ""                    # id, "" where the sources' numbers stand alone
    instances: list = field(default_factory=list)
    params: list = field(default_factory=list)  # "protocol=as", each once


# ---- What there is ----

def drivers():
    """{"table_3_3": its path} of the drivers that are built."""
    found = {path.name: path for path in sorted((ROOT / "build/bin").glob("table_*")) if path.is_file()}
    if not found:
        raise BadInput("build/bin: no driver is built: make build")
    return found


def ask(driver, *arguments):
    """The lines of tab-separated values that a driver prints."""
    done = subprocess.run([driver, *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != command.OK:
        raise BadInput(f"{driver} {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[:200]}")
    return [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]


def implementations(driver_paths):
    """{id: (file, description)}."""
    listed = {}
    for path in driver_paths.values():
        for id_, _, file, _, description in ask(path, "--list")[1:]:
            listed[id_] = file, description
    return listed


def measured(driver_paths):
    """{table: {row: Entry}} and {table: driver}: from the stored runs, and of tables without one from dry runs."""
    tables, driver_of = defaultdict(dict), {}
    for path in runs.find_runs(runs.RESULTS / "reference"):
        run = runs.load_run(path)
        for row in run.rows.to_dict("records"):
            if row["scope"] != "setup":
                driver_of[row["table"]] = run.meta["program"]
                add(tables[row["table"]], row["row"], row["implementation"], row["instance"], row["params"])
    stored = set(tables)
    for name, path in driver_paths.items():
        for table, _, implementation, _, params, *_ in ask(path, "--dry-run", "--profile", "thesis"):
            driver_of.setdefault(table, name)
            if table not in stored:
                add(tables[table], implementation.partition("/")[2], implementation, "", params)
    return tables, driver_of


def add(rows, name, implementation, instance, params):
    entry = rows.setdefault(name, Entry())
    entry.implementation = entry.implementation or implementation
    if instance and instance not in entry.instances:
        entry.instances.append(instance)
    for pair in filter(None, params.split(";")):
        if pair.partition("=")[0] not in OF_THE_INSTANCE and pair not in entry.params:
            entry.params.append(pair)


def add_layouts(tables, known):
    """Rows that a table's layout has, with its parameters; refuses one that names no implementation."""
    if not LAYOUT.exists():
        return
    for line, cells in runs.read_lines(LAYOUT, LAYOUT_HEADER):
        if cells["implementation"] and cells["implementation"] not in known:
            raise BadInput(f"{LAYOUT.relative_to(ROOT)}:{line}: no implementation {cells['implementation']}")
        if cells["row"] not in tables[cells["table"]]:
            add(tables[cells["table"]], cells["row"], cells["implementation"], cells["instance"], cells["params"])


# ---- INDEX.md ----

def by_number(table):
    """Sorts "3.3" before "F3.9" before "4.1"."""
    return [int(number) for number in re.findall(r"\d+", table)], table


def heading(table):
    return f"Figure {table[1:]}" if table.startswith("F") else f"Table {table}"


def target_of(driver):
    return "bench-" + driver.removeprefix("table_").replace("_", ".")


def link(path):
    return f"[{path}]({path})"


def table_lines(table, rows, driver, listed):
    yield f"## {heading(table)}"
    yield ""
    published = f"results/published/table-{table}.csv"
    command_ = f"`make {target_of(driver)}`" if driver else "drawn from other tables' rows"
    yield f"Command: {command_}" + (f" · driver: {link(f'bench/{driver}.c')}" if driver else "") + (
        f" · published: {link(published)}" if (ROOT / published).exists() else "")
    yield ""
    yield "| row | implementation | file | parameters | data | command |"
    yield "|---|---|---|---|---|---|"
    for name, entry in rows.items():
        file = link(listed[entry.implementation][0]) if entry.implementation in listed else ""
        only = f'`make {target_of(driver)} ARGS="--implementations {entry.implementation}"`' if driver and file else ""
        cells = name, entry.implementation, file, " ".join(entry.params), " ".join(entry.instances), only
        yield "| " + " | ".join(cells) + " |"
    yield ""


def make_index():
    """The text of INDEX.md."""
    built = drivers()
    listed = implementations(built)
    tables, driver_of = measured(built)
    add_layouts(tables, listed)
    lines = ["# Index", "", "What is behind each row of each table. Written by `make index`; do not edit.", ""]
    for table in sorted(tables, key=by_number):
        lines += table_lines(table, tables[table], driver_of.get(table), listed)
    used = {entry.implementation for rows in tables.values() for entry in rows.values()}
    unused = [f"- {id_}: {link(file)}, {description}" for id_, (file, description) in listed.items() if id_ not in used]
    if unused:
        lines += ["## In no table", "", *unused, ""]
    return "\n".join(lines)


def dangling(text):
    """What the index names and does not exist: files, and targets of the Makefile."""
    targets = set(re.findall(r"^([\w.-]+):", (ROOT / "Makefile").read_text(), re.M))
    files = [path for path in re.findall(r"\]\(([^)]+)\)", text) if not (ROOT / path).exists()]
    return sorted(set(files + [name for name in re.findall(r"`make ([\w.-]+)", text) if name not in targets]))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench.index", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where INDEX.md is stale")
    options = parser.parse_args(arguments)
    text = make_index()
    if broken := dangling(text):
        print(f"INDEX.md: there is no {', '.join(broken)}", file=sys.stderr)
        return command.ERROR
    if not options.check:
        INDEX.write_text(text, encoding="utf-8")
    elif not INDEX.exists() or INDEX.read_text(encoding="utf-8") != text:
        print("INDEX.md is stale: make index", file=sys.stderr)
        return command.ERROR
    return command.OK


if __name__ == "__main__":
    command.run(lambda: main(sys.argv[1:]))
