"""INDEX.md: what is behind each row of each table. `make index`.

Nothing here is kept by hand: rows come from the stored runs and the report's layouts (report/tables.csv), files and
commands from what the drivers say of themselves.
"""

import argparse
import csv
import fnmatch
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field

from antbench import command, runs
from antbench.command import ROOT, BadInput

LAYOUT = ROOT / "report/tables.csv"
INDEX = ROOT / "INDEX.md"


@dataclass
class Entry:
    """One row of a table."""

    implementation: str  # id, "" where the sources' numbers stand alone
    instances: list = field(default_factory=list)
    params: list = field(default_factory=list)  # "protocol=as", each once

    labels: list = field(default_factory=list)  # "3.3: DS-Roulette": layout and name in the report

    def add_label(self, label):
        self.labels += [label] if label not in self.labels else []

    def add(self, instance, params):
        self.instances += [instance] if instance and instance not in self.instances else []
        self.params += [pair for pair in params if pair and pair not in self.params]


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


def measured():
    """({table: {row: Entry}}, {table: driver}) of the stored runs."""
    tables, driver_of = defaultdict(dict), {}
    for path in runs.find_runs(runs.RESULTS / "reference"):
        run = runs.load_run(path)
        for row in run.rows.to_dict("records"):
            if row["scope"] != "setup":
                driver_of[row["table"]] = run.meta["program"]
                entry = tables[row["table"]].setdefault(row["row"], Entry(row["implementation"]))
                entry.add(row["instance"], telling(row["params"], row["backend"]))
    return tables, driver_of


def add_drivers(driver_of, driver_paths):
    """The drivers of tables that no stored run has."""
    for name, path in driver_paths.items():
        for table, *_ in ask(path, "--dry-run"):
            driver_of.setdefault(table, name)


def telling(params, backend):
    """The parameters that are neither the instance's nor the machine's: those that tell rows of a table apart."""
    told_elsewhere = ("ants", "stage", "threads") if backend == "cpu" else ("ants", "stage")
    return [pair for pair in params.split(";") if pair and pair.partition("=")[0] not in told_elsewhere]


def add_layouts(tables, known):
    """What the report calls each row; and the rows of tables of which no run is stored yet."""
    stored = {table: list(rows) for table, rows in tables.items()}
    with open(LAYOUT, newline="", encoding="utf-8") as file:
        for line, cells in enumerate(csv.DictReader(file), start=2):
            place = f"{LAYOUT.relative_to(ROOT)}:{line}"
            table, row, implementation = cells["table"], cells["row"], cells["implementation"]
            expect_implementation(place, implementation, known)
            names = fnmatch.filter(stored.get(table, [row]), row.replace("{x}", "*"))
            if not names:
                raise BadInput(f"{place}: table {table} has no row {row}; it has {' '.join(stored[table])}")
            for name in names:
                entry = tables[table].setdefault(name, Entry(implementation))
                if entry.implementation != implementation:
                    raise BadInput(f"{place}: row {table} {name} is {entry.implementation}, not {implementation}")
                entry.add_label(f"{cells['layout']}: {cells['label']}")


def expect_implementation(place, implementation, known):
    """Refuses an unknown name of an operation that some driver measures; others wait for their driver."""
    operation = implementation.partition("/")[0]
    if implementation not in known and any(id_.startswith(operation + "/") for id_ in known):
        raise BadInput(f"{place}: no implementation {implementation}")


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
    published = f"results/published/thesis-{table}.csv"
    command_ = f"`make {target_of(driver)}`" if driver else "no driver measures it yet"
    yield (
        f"Command: {command_}"
        + (f" · driver: {link(f'bench/{driver}.c')}" if driver else "")
        + (f" · published: {link(published)}" if (ROOT / published).exists() else "")
    )
    yield ""
    yield "| row | in the report | implementation | file | parameters | data | command |"
    yield "|---|---|---|---|---|---|---|"
    for name, entry in rows.items():
        file = link(listed[entry.implementation][0]) if entry.implementation in listed else ""
        only = f'`make {target_of(driver)} ARGS="--implementations {entry.implementation}"`' if driver and file else ""
        cells = (
            name,
            "; ".join(entry.labels),
            entry.implementation,
            file,
            " ".join(entry.params),
            " ".join(entry.instances),
            only,
        )
        yield "| " + " | ".join(cells) + " |"
    yield ""


def make_index():
    """The text of INDEX.md."""
    built = drivers()
    listed = implementations(built)
    tables, driver_of = measured()
    add_drivers(driver_of, built)
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
