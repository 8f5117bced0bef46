"""make list-runs: lists every run, yours, contributed and stored, by the name that RUN= takes.

TABLE=3.3 lists the runs of a table. Only meta.json and the table file are read; `make results-check` checks the
samples.
"""

import argparse
import sys

import pandas as pd

from antbench.data import command, runs
from antbench.data.command import BadInput


def described(run):
    """The line of a run."""
    return {
        "run": str(runs.name_of(run.path)),
        "whose": runs.store_of(run) or "elsewhere",
        "measured on": runs.device_name(run),
        "tables": " ".join(run.rows["table"].unique()),
        "profile": run.profile,
        "commit": runs.commit_of(run),
        "date": run.started[:16].replace("T", " "),
        "rows": str(len(run.rows)) + ("" if run.meta["complete"] else ", unfinished"),
    }


def listed(paths, tables=()):
    """([a line per run, oldest first], [the faults of runs that cannot be read])."""
    lines, broken = [], []
    for path in paths:
        try:
            run = runs.load_run(path)
        except BadInput as error:
            broken.append(str(error))
            continue
        if not tables or {runs.table_name(table) for table in tables} & set(run.rows["table"]):
            lines.append(described(run))
    return lines, broken


def as_text(lines):
    """Columns of text, each as wide as its widest cell."""
    cells = [list(lines[0]), *(list(line.values()) for line in lines)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results list-runs", description=__doc__.splitlines()[0])
    parser.add_argument("run", nargs="?", help="a folder of runs, or a machine (default: all in results/)")
    parser.add_argument("--table", action="append", default=[], help="only runs of this table; may be repeated")
    parser.add_argument("--csv", action="store_true", help="as CSV")
    options = parser.parse_args(arguments)
    lines, broken = listed(
        runs.find_runs(*([runs.resolve(options.run)] if options.run else runs.stores())), options.table
    )
    if lines:
        print(pd.DataFrame(lines).to_csv(index=False).rstrip() if options.csv else as_text(lines))
    for error in broken:
        print(error, file=sys.stderr)
    if not lines and not broken:
        of = f" of table {' or '.join(options.table)}" if options.table else ""
        print(f"no run{of} found; " + ("antbench --tables lists all tables" if of else "make bench-all measures one"))
        return command.SKIPPED
    return command.USAGE if broken else command.OK
