"""How a row's mean depends on the number of iterations: the tables of docs/log/iterations.md.

    python3 scripts/antbench drift RUN [--rows TABLE/ROW/INPUT]

For each timed row it prints the mean of the first 1, 2, 8, 20 and 50 iterations over the mean of all. With --by-row
it prints a line per implementation: the least and the largest ratio over the rows with complete runs.
"""

import argparse

from antbench.data import command, runs, selector
from antbench.data.command import BadInput
from antbench.show import claims

FIRST = (1, 2, 8, 20, 50)


def changes(row):
    """{k: the mean of the first k iterations over the mean of all, less 1}."""
    return {k: runs.of_first(row, k)["mean_ms"] / row["mean_ms"] - 1 for k in FIRST if k < runs.iterations(row)}


def percent(change):
    return f"{100 * change:+.1f} %" if change == change else "–"


def of_rows(rows):
    yield "row", "input", "params", "iterations", "mean, ms", *(f"first {k}" for k in FIRST)
    for row in rows:
        found = changes(row)
        told = (percent(found[k]) if k in found else "" for k in FIRST)
        name, params = f"{row['table']}/{row['row']}", row["params"].replace(";", " ")
        yield name, row["instance"], params, str(runs.iterations(row)), claims.short(row["mean_ms"], 4), *told


def by_row(rows):
    yield "implementation", "rows", "iterations", *(f"first {k}" for k in FIRST)
    found = {}
    for row in filter(runs.complete_iterations, rows):
        found.setdefault(row["implementation"], []).append(row)
    for implementation, of_it in sorted(found.items()):
        each = [changes(row) for row in of_it]
        told = []
        for k in FIRST:
            values = sorted(one[k] for one in each if k in one and one[k] == one[k])
            told.append(" to ".join(dict.fromkeys(percent(value) for value in (values[:1] + values[-1:]))))
        counts = sorted({runs.iterations(row) for row in of_it})
        yield implementation, str(len(of_it)), " to ".join(map(str, dict.fromkeys((counts[0], counts[-1])))), *told


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results drift", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a run or a folder of runs")
    parser.add_argument("--rows", default="", help="TABLE/ROW/INPUT?name=value: these alone")
    parser.add_argument("--backend", help="only rows of this backend: cuda or cpu")
    parser.add_argument("--by-row", action="store_true", help="print a line per implementation")
    options = parser.parse_args(arguments)
    wanted = selector.parse(options.rows) if options.rows else None
    rows = [
        row
        for name in options.runs
        for run in runs.load_runs(name)
        for row in run.records
        if row["scope"] == "iteration" and runs.iterations(row) and options.backend in (None, row["backend"])
    ]
    rows = [row for row in rows if wanted is None or wanted.means(row)]
    if not rows:
        raise BadInput("no row of these runs has timed iterations")
    head, *lines = by_row(rows) if options.by_row else of_rows(rows)
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for line in lines:
        print(f"| {' | '.join(line)} |")
    return command.OK
