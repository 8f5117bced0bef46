"""make site: a folder for GitHub Pages, build/site: the report of all GPUs, stored and contributed, and each row's history.

The pages of `make report` are here, too; their drawings are files. The history of a table has a row per row of the table and
a column per run of one machine. Links to files of the checkout lead to the repository, at this commit. They lead to the
checkout itself if its remote `origin` has no public address.
"""

import argparse
import csv
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from antbench.data import cells, code, command, layouts, machines, rows, runs
from antbench.data.command import ERROR, OK, WORK, BadInput, new_file, write_file
from antbench.show import gpus, pages, printing, report

HISTORY = "history"  # folder of the histories' pages
CSV_HEADER = (
    "machine,table,row,instance,backend,params,scope,run_id,started,commit,measured_on,ms,ci95_lo_ms,ci95_hi_ms,n,"
    "iterations,status,code"
).split(",")
SAFE = re.compile(r"[A-Za-z0-9][\w.-]{0,40}", re.ASCII)  # a table's name that may be a file's
FEW = math.log(1.1)  # the height of a trend is a ratio of 1.1 at least, so that noise looks flat
WIDTH, HEIGHT, EDGE = 60, 20, 3  # of a trend's drawing
# Bytes of a page of history: what its lines may have, about what each line has, and each of its cells.
MOST, OF_LINE, OF_CELL = 150_000, 420, 85


@dataclass(frozen=True, eq=False)
class Line:
    """A row of one machine over the runs of its table."""

    row: dict  # as the newest run has it
    cells: list  # the cells.Estimate of each run; without a number if the run does not have the row
    changed: set  # the numbers of the runs whose code is another than at the time before

    @property
    def params(self):
        """What tells the row from others of its name."""
        scope = self.row["scope"] if self.row["scope"] != "iteration" else ""
        return " ".join(filter(None, [report.told_apart(self.row["params"]), scope]))

    @property
    def times(self):
        """[(number of the run, ms)] of the runs that have the row."""
        return [(i, each.value) for i, each in enumerate(self.cells) if each]

    @property
    def change(self):
        """From the oldest time to the newest, in %; None for a single time."""
        times = [value for _, value in self.times]
        return (round(100 * (times[-1] / times[0] - 1), 1) or 0.0) if len(times) > 1 else None  # no -0.0

    @property
    def points(self):
        """ "x,y" of each time: runs stand at equal distances, times on a logarithmic scale; [] for a single time."""
        logs = [math.log(value) for _, value in self.times]
        if len(logs) < 2:
            return []
        middle, span = (min(logs) + max(logs)) / 2, max(max(logs) - min(logs), FEW)
        across, down = (WIDTH - 2 * EDGE) / (len(self.cells) - 1), HEIGHT - 2 * EDGE
        return [
            f"{EDGE + across * i:.0f},{HEIGHT / 2 - down * (log - middle) / span:.1f}"
            for (i, _), log in zip(self.times, logs)
        ]


# ---- History ----


def timed(source):
    """{table: {key of a row: its rows in the runs of a machine, the oldest first}}."""
    found = {}
    for run in source.runs:
        for row in run.records if run.profile != "smoke" else ():
            if row["status"] in runs.MEASURED and row["mean_ms"] > 0:
                key = tuple(row[name] for name in runs.KEY)
                found.setdefault(row["table"], {}).setdefault(key, []).append(row)
    return found


def histories(source, m):
    """[{table, title, runs, rows, parts}] of the m-th machine, in the order of report/rows.csv.

    Tables that this tree no longer has come last. A run from others may name its tables as it likes.
    """
    found, known = timed(source), list(dict.fromkeys(row.table for row in rows.measured()))
    gone = sorted(table for table in found if table not in known and SAFE.fullmatch(table))
    return [history(table, list(found[table].values()), m) for table in [*known, *gone] if table in found]


def history(table, of_rows, m):
    """The history of one table. A part has the lines of a page."""
    layout = layouts.written().get(table)
    of_runs = sorted({row["run"] for each in of_rows for row in each}, key=lambda run: (run.started, run.run_id))
    lines = [line(each, of_runs) for each in of_rows]
    count = max(1, MOST // (OF_LINE + OF_CELL * len(of_runs)))
    names = [f"{m}-{table}" + f"-{i // count + 1}" * (i > 0) for i in range(0, len(lines), count)]
    parts = [(name, lines[i * count : (i + 1) * count]) for i, name in enumerate(names)]
    return {
        "table": table,
        "title": layout["title"] if layout else rows.title(table),
        "runs": of_runs,
        "rows": len(lines),
        "parts": [{"page": name, "lines": of_part, "words": words_of(of_part)} for name, of_part in parts],
    }


def line(found, of_runs):
    """A Line of a row's records; its times are means over the same first iterations."""
    first = cells.common_iterations([cells.Estimate(rows=tuple(found))])
    of_run = {row["run"]: row for row in found}
    changed = {of_runs.index(row["run"]) for before, row in zip(found, found[1:]) if version(before) != version(row)}
    times = [cells.mean_time(of_run[run], first) if run in of_run else cells.Estimate() for run in of_runs]
    return Line(found[-1], times, changed)


def version(row):
    return machines.code_of(row), row["run"].profile


def words_of(lines):
    """The names of rows and inputs, for the filter of the list."""
    return " ".join(dict.fromkeys(line.row[name] for name in ("row", "instance") for line in lines))


# ---- Writing ----


def write_histories(values, out):
    folder = out / HISTORY
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.html"):
        old.unlink()
    for m, machine in enumerate(values["every"], start=1):
        for each in machine["histories"]:
            for part in each["parts"]:
                shown = {"machine": machine, "m": m, "history": each, "part": part, "other_code": gpus.OTHER_CODE}
                pages.page(folder / f"{part['page']}.html", "history.html.j2", {**values, **shown})


def write_csv(path, every):
    """Every time of every run, a line each."""
    with new_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CSV_HEADER)
        for machine in every:
            for each in machine["histories"]:
                for part in each["parts"]:
                    for found in part["lines"]:
                        for _, estimate in zip(each["runs"], found.cells):
                            if estimate:
                                writer.writerow(map(printing.as_cell, csv_line(machine["device"], estimate)))


def csv_line(device, estimate):
    (row,) = estimate.rows
    run = row["run"]
    numbers = ["" if value != value else f"{value:.6g}" for value in (estimate.value, estimate.low, estimate.high)]
    return [
        device,
        *(row[name] for name in ("table", "row", "instance", "backend", "params", "scope")),
        run.run_id,
        run.started,
        runs.commit_of(run),
        machines.name_of(run),
        *numbers,
        str(estimate.n or ""),
        str(estimate.iterations or ""),
        row["status"],
        machines.code_of(row)[:12],
    ]


def tree():
    """The address of this commit's files; "" if it is not known."""
    head = (code.git("rev-parse", "HEAD") or "").strip()
    return f"{code.repository()}/blob/{head}" if code.repository() and head else ""


def all_gpus():
    """The Sources: the stored GPU with the most tables first, then the other stored ones and the contributed ones."""
    stored = runs.load_below(runs.RESULTS / "reference")
    fullest = cells.fullest_with_gpu(stored)
    if not fullest:
        raise BadInput(f"{runs.RESULTS / 'reference'}: no run on a GPU, which a site begins with")
    first = cells.Source(cells.of_kind(fullest, stored), stored)
    return [first, *report.stored_beside([first]), *gpus.contributed()]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results site", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=WORK / "build/site")
    out = parser.parse_args(arguments).out.resolve()
    sources, drawings = all_gpus(), out / "figures"
    for run in (run for source in sources for run in source.runs):
        _ = run.processes  # reading the samples checks them
    drawings.mkdir(parents=True, exist_ok=True)
    linked = set()

    def uri(path, folder=""):
        write_file(path, report.picture(path))
        linked.add(path)
        return os.path.relpath(path, out / folder)

    values = report.page_values(sources[:1], sources[1:], drawings, uri=uri) | {"site": True, "tree": tree()}
    for m, (machine, source) in enumerate(zip(values["every"], sources), start=1):
        machine["histories"] = histories(source, m)
    pages.write(values, out)
    write_histories(values, out)
    report.write_csv(out / "tables.csv", values["every"])
    write_csv(out / "history.csv", values["every"])
    for path in set(drawings.iterdir()) - linked:
        path.unlink()
    named = ", ".join(machine["device"] for machine in values["every"])
    print(f"{command.shown(out)}/index.html: {named}")
    if not values["tree"]:
        print("links to code and runs lead to this checkout: its remote `origin` has no public address")
    return ERROR if any(drawn["failed"] for drawn in values["figures"] + values["many"]) else OK
