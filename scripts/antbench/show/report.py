"""make report: pages with every table, figure and claim: build/report/index.html; also Markdown, CSV and LaTeX.

index.html answers a visitor's first questions and leads to a page per table (antbench.show.pages). The pages contain
figures, style and script, so that they work without a network. Their content stands in report/. layouts.csv and
tables.csv define the tables. figures.csv, fastest.csv, history.csv, claims.csv, cases.csv, verdicts.csv and templates/
define the rest.
"""

import argparse
import base64
import csv
import math
import re
import shlex
from datetime import datetime
from pathlib import Path

from antbench.data import cells, code, command, layouts, machines, runs, share, validate
from antbench.data.command import ERROR, OK, SKIPPED, WORK, new_file, write_file
from antbench.show import claims, fastest, gains, gpus, latex, pages, plots, printing, roofline, stands

GRID_END = "at the end of its grid"  # part of the note of a row whose best parameters may lie beyond the grid
PLAIN = re.compile(r"[\w./,=:+^-]+")  # characters that a shell leaves unchanged
CSV_HEADER = (
    "machine,layout,line,column,unit,published,measured,ci95_lo,ci95_hi,iterations,ratio,status,reason,instance,run_id,"
    "published_id"
).split(",")


# ---- Tables ----


def cell(column, name, source, unit, first=math.inf):
    """One cell: the published number, ours and their ratio. For times the ratio tells how much faster ours is."""
    measured = cells.quotient(source, layouts.address(column), column["over"], name, first)
    published_id = column["published"].replace("{x}", name)
    published = cells.look_up(source, published_id) if published_id else cells.Estimate()
    ratio = cells.divide(*((published, measured) if unit == "ms" else (measured, published)))
    return {
        "measured": measured,
        "published": published,
        "ratio": ratio,
        "published_id": published_id.lstrip("=") if published else "",
        "status": printing.status(measured),
        "verified": measured.reason == cells.VERIFIED and not column["over"],
    }


def says_something(found):
    """True if one of these cells has a number of ours, or a kernel that was verified but not timed."""
    return any(cell["measured"] or cell["verified"] for cell in found)


def table(layout, columns, source):
    """A table in the form that the templates take; None if nothing of it was measured.

    Lines and columns without a measurement are left out, and named.
    """
    names = list(cells.lines_of(layout["set"], [source]))
    every = [
        cells.quotient(source, layouts.address(column), column["over"], name) for column in columns for name in names
    ]
    first = cells.common_iterations(every)
    lines = [
        {
            "name": name,
            "stand_in": cells.is_stand_in(name, layout["set"]),
            "cells": [cell(column, name, source, layout["unit"], first) for column in columns],
        }
        for name in names
    ]
    kept = [line for line in lines if says_something(line["cells"])]
    if not kept:
        return None
    every = [cell for line in kept for cell in line["cells"]]
    marks = machines.Marks([[cell["measured"].sources for cell in every]])
    for each in every:
        each["mark"] = marks.of(0, each["measured"].sources)
    of_column = [[line["cells"][i] for line in kept] for i in range(len(columns))]
    keep = [i for i, found in enumerate(of_column) if says_something(found)]
    absent = [line["name"] for line in lines if line not in kept and not line["stand_in"]]
    return {
        **layout,
        "command": layouts.command(layout, columns),
        "legend": marks.legend(),
        "iterations": cells.told_iterations([cell["measured"] for cell in every], first),
        "columns": [heading(columns[i], of_column[i]) for i in keep],
        "lines": [{**line, "cells": [line["cells"][i] for i in keep]} for line in kept],
        "left_out": (absent, [column["label"] for i, column in enumerate(columns) if i not in keep]),
    }


def heading(column, found):
    """The heading of a column."""
    return {"label": column["label"], "published": any(cell["published"] for cell in found), "code": code_of(found)}


def code_of(found):
    """The place of the code behind a column, from its newest run; None if several implementations are behind it."""
    rows = [row for cell in found for row in cell["measured"].rows]
    if len({row["implementation"] for row in rows}) != 1:
        return None
    return code.of_row(max(rows, key=lambda row: row["run"].started))


def tables_of(source):
    """(the tables with at least one measurement, the titles of the others)."""
    found, missing = [], []
    columns = layouts.columns()
    for name, layout in layouts.layouts().items():
        made = table(layout, columns[name], source)
        found.append(made) if made else missing.append(
            {
                **layout,
                "command": layouts.command(layout, columns[name]),
                "verified": were_verified(columns[name], source),
            }
        )
    return found, missing


def were_verified(columns, source):
    """True if rows of a table of times were verified on a smaller instance, which the table does not show."""
    of_times = [column for column in columns if not column["quantity"] and not column["over"]]
    places = {(column["table"], name) for column in of_times for name in column["names"]}
    return any(place[:2] in places and is_verified(found) for place, found in source.verified.items())


def is_verified(found):
    return any(row["status"] in runs.MEASURED for row in found)


# ---- Around the tables ----


def seconds(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").timestamp()


def minutes(of_run):
    """The duration of a run; None if it was interrupted."""
    ended = of_run.meta.get("ended_utc")
    return (seconds(ended) - seconds(of_run.started)) / 60 if ended else None


def command_of(of_run):
    """The make command that repeats a run, without its output folder."""
    options = of_run.meta["command_line"][2:]
    given, rest = {}, []
    while options:
        name, _, value = options.pop(0).partition("=")
        takes_value = not value and options and not options[0].startswith("--")
        given[name] = value or (options.pop(0) if takes_value else "")
    rest = [
        part
        for name, value in given.items()
        if name not in ("--out", "--profile", "--resume", "--save", "--verified")
        for part in (name, value)
        if part
    ]
    # make expands $ too.
    given = (
        f' ARGS="{" ".join(rest)}"'
        if all(map(PLAIN.fullmatch, rest))
        else f" ARGS={shlex.quote(shlex.join(rest).replace('$', '$$'))}"
    )
    return f"make {shlex.quote(f'bench-{of_run.driver}')} PROFILE={shlex.quote(of_run.profile)}" + (
        given if rest else ""
    )


def describe(of_run):
    """The machine and the program of one run, for the table of runs."""
    machine, build = of_run.meta.get("machine", {}), of_run.meta.get("build", {})
    place = runs.place_of(of_run.path.resolve())
    return {
        "id": of_run.run_id,
        "place": str(place),
        "files": files_of(place),
        "program": of_run.meta.get("program", ""),
        "profile": of_run.profile,
        "started": of_run.started.replace("T", " ").rstrip("Z"),
        "minutes": minutes(of_run),
        "gpu": "; ".join(map(describe_gpu, of_run.devices)) or "none",
        "cpu": machines.processors_of(of_run.meta),
        "os": machine.get("os", ""),
        "commit": runs.commit_of(of_run),
        "nvcc": build.get("nvcc", ""),
        "cc": build.get("cc", ""),
        "command": command_of(of_run),
    }


def files_of(place):
    """The names of a run's files; of its archive, if it lies in one."""
    if not place.is_dir():
        return [place.name]
    return sorted(each.name for each in place.iterdir() if each.suffix in (".csv", ".json", ".xz"))


def describe_gpu(device):
    def known(name):
        value = device.get(name)
        return "?" if value is None else f"{value:.0f}" if isinstance(value, float) else value

    ecc = {True: "on", False: "off", None: "?"}[device.get("ecc")]
    return (
        f"{device['name']}, {known('sm_count')} SMs at {known('clock_mhz')} MHz, driver {known('driver')}, "
        f"power limit {known('power_limit_w')} W, ECC {ecc}"
    )


def problems(source):
    """Rows with a problem and its reason; rows with the same problem are combined."""
    grouped = {}
    for _, row in source.rows.iterrows():
        status = GRID_END if row["status"] == "ok" and GRID_END in row["note"] else row["status"]
        if status != "ok":
            grouped.setdefault((status, row["table"], row["row"]), []).append((row, reason_of(row)))
    return [
        {
            "status": status,
            "table": table,
            "row": name,
            "where": [
                {"instance": row["instance"], "params": told_apart(row["params"]), "reason": reason}
                for row, reason in rows
            ],
        }
        for (status, table, name), rows in sorted(grouped.items())
    ]


def reason_of(row):
    if row["status"] == "noisy":
        value, low, high = runs.own_interval(row)
        error = (high - low) / 2 / value
        return row["note"] if error <= validate.NOISY else f"±{error:.0%}"
    return row["note"] or (f"{row['samples']:.0f} samples" if row["status"] == "few" else "no reason given")


def told_apart(params):
    """The parameters of a row that do not follow from the instance or the machine."""
    return " ".join(pair for pair in params.split(";") if not pair.startswith(("ants=", "threads=")))


def picture(path):
    """The bytes of a drawing."""
    content = path.read_bytes()
    if path.suffix == ".svg":  # half of gnuplot's groups are empty
        content = re.sub(rb"\s+", b" ", re.sub(rb"<g[^>]*>\s*</g>", b"", content))
    return content


def data_uri(path, folder=""):
    """A drawing within a page. Every page has the same address of it, whatever its folder."""
    kind = {".svg": "image/svg+xml", ".png": "image/png"}[path.suffix]
    return f"data:{kind};base64,{base64.b64encode(picture(path)).decode()}"


def captions():
    """{figure: its caption}, from the titles of the templates and montages."""
    return {row["figure"]: row["caption"] for row in cells.read_layout("captions.csv")}


def figures(sources, out, images, uri):
    """The drawn figures: number, caption and picture. Montages are PNG, others SVG, which stays sharp in print."""
    drawn = plots.draw_all(sources, out, plots.image_folders(sources, images))
    montages = {line["figure"] for line in cells.read_layout("montages.csv")}
    return [
        {
            "figure": name,
            "caption": captions()[name],
            "failed": seen is None,
            "seen": seen,
            "wide": name in montages,
            "file": f"figures/{name}.svg",
            "uri": uri(out / f"{name}.{'png' if name in montages else 'svg'}") if seen else "",
            "phone": uri(out / f"{name}.{plots.PHONE}") if seen and name not in montages else "",
        }
        for name, seen in sorted(drawn.items())
    ]


# ---- Output ----


def write_csv(path, shown):
    """Every cell of every table, a line each."""
    with new_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CSV_HEADER)
        for machine in shown:
            for made in machine["tables"]:
                for line in made["lines"]:
                    for column, entry in zip(made["columns"], line["cells"]):
                        writer.writerow(
                            printing.as_cell(text)
                            for text in [
                                machine["device"],
                                made["layout"],
                                line["name"],
                                column["label"],
                                made["unit"],
                                *csv_numbers(entry),
                                entry["status"],
                                entry["measured"].reason,
                                entry["measured"].instance,
                                " ".join(dict.fromkeys(row["run_id"] for row in entry["measured"].rows)),
                                entry["published_id"],
                            ]
                        )


def csv_numbers(entry):
    values = (
        entry["published"].value,
        entry["measured"].value,
        entry["measured"].low,
        entry["measured"].high,
        entry["measured"].iterations or math.nan,
        entry["ratio"].value,
    )
    return ["" if value != value else f"{value:.6g}" for value in values]


def machine_values(source):
    found, missing = tables_of(source)
    return {
        "stand_ins": list(dict.fromkeys(name for table in found for name in printing.stand_ins_in(table))),
        "has_verified": any(cell["verified"] for table in found for line in table["lines"] for cell in line["cells"]),
        "device": source.device + gpus.in_brackets(cells.whose_is(source)),
        "has_gpu": source.has_gpu,
        "ahead": False,  # a claim is judged on one machine, and this number may be of another
        "whose": cells.whose_is(source),
        "label": label_of(source),
        "tables": found,
        "missing": missing,
        "runs": [describe(of_run) for of_run in source.runs],
        "problems": problems(source),
        "roof": roofline.roof(source),
        "points": roofline.points(source),
        "histories": [],
    }


def label_of(source):
    return source.label + gpus.in_brackets(cells.whose_is(source))


def not_among(sources, others):
    """The other Sources without those that have a run of `sources`."""
    shown = {run.path.resolve() for source in sources for run in source.runs}
    return [source for source in others if not any(run.path.resolve() in shown for run in source.runs)]


def stored_beside(sources):
    """The Source of each stored GPU that is not shown already."""
    return not_among(sources, gpus.in_store(runs.RESULTS / "reference"))


def many_gpus(sources, out, uri):
    """{layout: table} over published GPUs, shown GPUs and contributed ones. It has a figure if two were measured."""
    measured = gpus.of_sources([*sources, *not_among(sources, gpus.contributed())])
    made = gpus.tables(gpus.published_gpus() + measured)
    for each in made.values():
        drawn = sum(gpu.source is not None for gpu in each["gpus"]) > 1
        path = plots.attempt(gpus.draw, each, out) if drawn else ""
        each["failed"], each["uri"] = path is None, uri(path, pages.TABLES) if path else ""
    return made


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results report", description=__doc__.splitlines()[0])
    cells.add_options(parser)
    parser.add_argument("--images", default="", help="folder that SAVE= wrote images to, or a folder of such folders")
    parser.add_argument("--out", type=Path, default=WORK / "build/report")
    options = parser.parse_args(arguments)
    sources, out = cells.chosen(options), options.out.resolve()
    beside = [] if options.run else stored_beside(sources)
    (out / "figures").mkdir(parents=True, exist_ok=True)
    values = page_values(sources, beside, out / "figures", options.images)
    pages.write(values, out)
    write_file(out / "report.md", printing.render("report.md.j2", values))
    write_csv(out / "tables.csv", values["every"])
    latex.write(values["machines"], values["many"], out / "latex")
    named = ", ".join(machine["device"] for machine in values["every"])
    print(f"{command.shown(out)}/index.html, stands.html, report.md, tables.csv, latex/: {named}")
    if any(drawn["failed"] for drawn in values["figures"] + values["many"]):
        return ERROR
    return OK if any(machine["tables"] for machine in values["machines"]) else SKIPPED


def page_values(sources, beside, drawings, images="", uri=data_uri):
    """The values for the templates.

    `beside` are GPUs that stand beside the sources in tables and, unless they are contributed, in verdicts. `drawings`
    is a folder for drawings. `uri` gives the address of a drawing for the pages of a folder.
    """
    every, judged = [machine_values(source) for source in [*sources, *beside]], cells.on_gpu(sources)
    every[0]["ahead"] = judged is not sources[0]
    verdicts = claims.judge_all(judged)
    others = [(other.label, claims.judge_all(other)) for other in beside if cells.whose_is(other) != "contributed"]
    many = many_gpus([*sources, *beside], drawings, uri)
    measured = [source for source in [*sources, *beside] if source.has_gpu] or sources
    return {
        "machines": every[: len(sources)],
        "every": every,
        "judged": judged.device,
        "judged_label": judged.label,
        "verdicts": verdicts,
        "behind": {run: (i, machines.details_of(run)) for run, i in claims.numbered_runs(verdicts).items()},
        "tally": claims.tally(verdicts),
        "kinds": claims.KINDS,
        "interval_note": claims.INTERVAL_NOTE,
        "tested_together": claims.TESTED_TOGETHER,
        "history": claims.history(),
        "figures": figures(sources, drawings, images, uri),
        "gains": gains.as_values(gains.gains(many)),
        "gains_beside": gains.beside(many),
        "fastest": fastest.tasks(measured),
        "fastest_on": list(map(label_of, measured)),
        "many": list(many.values()),
        "contributed": share.contributed(),
        "chapters": stands.values(judged, verdicts, others),
        "other_tallies": [(label, stands.tallies(theirs)) for label, theirs in others],
        "site": False,
    }
