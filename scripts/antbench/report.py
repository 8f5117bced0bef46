"""make report: one page with every table, figure and claim, build/report/index.html, also as report.md and tables.csv.

The page needs no network: figures are inside. What it says and how stands in report/: layouts.csv and tables.csv
(tables), figures.csv, claims.csv, templates/.
"""

import argparse
import base64
import csv
import shlex
from datetime import datetime
from pathlib import Path

from antbench import cells, claims, plots
from antbench.command import OK, ROOT, SKIPPED, BadInput, run

TEMPLATES = cells.REPORT / "templates"
CSV_HEADER = (
    "machine,layout,line,column,unit,published,measured,ci95_lo,ci95_hi,ratio,status,reason,instance,run_id,"
    "published_id"
).split(",")


# ---- Tables ----


def address(column):
    """The cell address that a line of tables.csv spells."""
    conditions = f"?{column['params']}" if column["params"] else ""
    quantity = f"#{column['quantity']}" if column["quantity"] else ""
    return f"{column['table']}/{column['row']}/{column['instance']}{conditions}{quantity}"


def cell(column, name, source, unit):
    """One cell: the published number, ours and how they relate. For times the ratio says how much faster ours is."""
    measured = cells.quotient(source, address(column), column["over"], name)
    published_id = column["published"].replace("{x}", name)
    published = cells.look_up(source, published_id) if published_id else cells.Estimate()
    ratio = cells.divide(*((published, measured) if unit == "ms" else (measured, published)))
    return {
        "measured": measured,
        "published": published,
        "ratio": ratio,
        "published_id": published_id.lstrip("=") if published else "",
        "status": status(measured),
    }


def status(measured):
    """The worst status among the rows of a number; "" where there is none."""
    found = {row["status"] for row in measured.rows}
    return next(
        (name for name in ("wrong", "error", "timeout", "unsupported", "skipped", "noisy", "ok") if name in found), ""
    )


def table(layout, columns, source):
    """A table as the templates want it, or None where no cell of it was measured."""
    names = cells.sets()[layout["set"]]
    lines = [
        {"name": name, "cells": [cell(column, name, source, layout["unit"]) for column in columns]} for name in names
    ]
    lines = [line for line in lines if any(cell["measured"] or cell["published"] for cell in line["cells"])]
    if not any(cell["measured"] for line in lines for cell in line["cells"]):
        return None
    keep = [
        i
        for i in range(len(columns))
        if any(line["cells"][i]["measured"] or line["cells"][i]["published"] for line in lines)
    ]
    shown = [
        {"label": columns[i]["label"], "published": any(line["cells"][i]["published"] for line in lines)} for i in keep
    ]
    return {
        **layout,
        "columns": shown,
        "lines": [{**line, "cells": [line["cells"][i] for i in keep]} for line in lines],
    }


def tables_of(source):
    """(the tables that were measured, the titles of the others)."""
    columns = cells.read_layout("tables.csv")
    found, missing = [], []
    for layout in cells.read_layout("layouts.csv"):
        made = table(layout, [column for column in columns if column["layout"] == layout["layout"]], source)
        found.append(made) if made else missing.append(layout)
    return found, missing


# ---- Around the tables ----


def seconds(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").timestamp()


def minutes(of_run):
    """How long a run took; None where it was interrupted."""
    ended = of_run.meta.get("ended_utc")
    return (seconds(ended) - seconds(of_run.started)) / 60 if ended else None


def command_of(of_run):
    """The make command that repeats a run: without the folder that it was written to."""
    program, *options = of_run.meta["command_line"]
    target = Path(program).name.replace("table_", "bench-").replace("_", ".")
    given, rest = {}, []
    while options:
        name, _, value = options.pop(0).partition("=")
        takes_value = not value and options and not options[0].startswith("--")
        given[name] = value or (options.pop(0) if takes_value else "")
    rest = [
        part
        for name, value in given.items()
        if name not in ("--out", "--profile", "--resume", "--save")
        for part in (name, value)
        if part
    ]
    return f"make {target} PROFILE={of_run.profile}" + (f' ARGS="{shlex.join(rest)}"' if rest else "")


def describe(of_run):
    """What one run was measured on, for the table of runs."""
    machine, build = of_run.meta.get("machine", {}), of_run.meta.get("build", {})
    device = of_run.device
    gpu = (
        (
            f"{device['name']}, {device['sm_count']} SMs at {device['clock_mhz']} MHz, driver {device['driver']}, "
            f"power limit {device['power_limit_w']:.0f} W, ECC {'on' if device['ecc'] else 'off'}"
        )
        if device
        else "none"
    )
    return {
        "id": of_run.run_id,
        "program": of_run.meta.get("program", ""),
        "profile": of_run.profile,
        "started": of_run.started.replace("T", " ").rstrip("Z"),
        "minutes": minutes(of_run),
        "gpu": gpu,
        "cpu": f"{machine.get('cpu', '')}, {machine.get('usable_cores', '?')} cores",
        "os": machine.get("os", ""),
        "commit": build.get("commit", "") + (" (changed)" if build.get("dirty") else ""),
        "nvcc": build.get("nvcc", ""),
        "cc": build.get("cc", ""),
        "command": command_of(of_run),
    }


def problems(source):
    """Rows that are not what one would like: each with its reason, those of the same kind together."""
    grouped = {}
    for _, row in source.rows.iterrows():
        if row["status"] == "ok":
            continue
        spread = (row["ci95_hi_ms"] - row["ci95_lo_ms"]) / 2 / row["median_ms"] if row["median_ms"] else 0
        reason = f"±{spread:.0%}" if row["status"] == "noisy" else row["note"] or "no reason given"
        grouped.setdefault((row["status"], row["table"], row["row"]), []).append((row, reason))
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


def told_apart(params):
    """The parameters that do not follow from the instance and the machine."""
    return " ".join(pair for pair in params.split(";") if not pair.startswith(("ants=", "threads=")))


def data_uri(path):
    kind = {".svg": "image/svg+xml", ".png": "image/png"}[path.suffix]
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def captions():
    """{figure: what is to be seen}, from the titles of the templates and the montages."""
    return {row["figure"]: row["caption"] for row in cells.read_layout("captions.csv")}


def figures(sources, out, images):
    """The drawn figures: number, caption and picture. Montages are PNG, the others SVG, which stays sharp in print."""
    drawn = plots.draw_all(sources, out, plots.image_folders(sources, images))
    montages = {line["figure"] for line in cells.read_layout("montages.csv")}
    return [
        {
            "figure": name,
            "caption": captions()[name],
            "missing": not done,
            "wide": name in montages,
            "file": f"figures/{name}.svg",
            "uri": data_uri(out / f"{name}.{'png' if name in montages else 'svg'}") if done else "",
        }
        for name, done in sorted(drawn.items())
    ]


# ---- Numbers as text ----


def number(value, unit=""):
    """Three digits that count; tours as whole numbers, thousands apart; a dash for none."""
    if value != value:
        return "–"
    if unit == "length":
        return f"{value:,.0f}".replace(",", "\u202f")
    return claims.short(value)


def printed(published_id):
    """A published number with the digits that were printed."""
    row = cells.published_rows().get(published_id)
    return f"{row['value']:.{int(row['digits'])}f}" if row else "–"


# ---- Output ----


def render(template, values):
    try:
        import jinja2
    except ModuleNotFoundError:
        raise BadInput("python3-jinja2 is not installed: make deps") from None
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=template.endswith(".html.j2"),
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(number=number, printed=printed, interval=claims.with_interval)
    return environment.get_template(template).render(values)


def write_csv(path, machines):
    """Every cell of every table, a line each."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CSV_HEADER)
        for machine in machines:
            for made in machine["tables"]:
                for line in made["lines"]:
                    for column, entry in zip(made["columns"], line["cells"]):
                        writer.writerow(
                            [
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
        entry["ratio"].value,
    )
    return ["" if value != value else f"{value:.6g}" for value in values]


def machine_values(source):
    found, missing = tables_of(source)
    return {
        "device": source.device,
        "label": source.label,
        "tables": found,
        "missing": missing,
        "runs": [describe(of_run) for of_run in source.runs],
        "problems": problems(source),
    }


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="report", description=__doc__.splitlines()[0])
    cells.add_options(parser)
    parser.add_argument("--images", default="", help="folder of saved images, or of such folders, as SAVE= leaves it")
    parser.add_argument("--out", type=Path, default=ROOT / "build/report")
    options = parser.parse_args(arguments)
    sources, out = cells.choose(options.run, options.also), options.out.resolve()
    machines = [machine_values(source) for source in sources]
    values = {
        "machines": machines,
        "verdicts": claims.judge_all(sources[0]),
        "kinds": (claims.HOLDS, claims.FAILS, claims.UNTESTED),
        "figures": figures(sources, out / "figures", options.images),
    }
    for template, name in (("index.html.j2", "index.html"), ("report.md.j2", "report.md")):
        (out / name).write_text(render(template, values), encoding="utf-8")
    write_csv(out / "tables.csv", machines)
    print(f"{plots.shown(out)}/index.html, report.md, tables.csv: {sources[0].device}")
    return OK if any(machine["tables"] for machine in machines) else SKIPPED


if __name__ == "__main__":
    run(main)
