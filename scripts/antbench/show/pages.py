"""The pages of `make report`: index.html, and a page for each table, each machine and each list of sentences.

A page has at most MOST bytes apart from its pictures. page.js sorts, filters and shows intervals, and keeps its state
in the address (address.js). Without JavaScript the page shows everything.
"""

import functools
import os
from urllib.parse import quote

from antbench.data import layouts, rows
from antbench.data.command import ROOT, write_file
from antbench.show import printing

MOST = 200_000  # most bytes of a page without its embedded pictures
FIRST_FIGURE = "3.7"  # the figure that is open on the first page
SOURCES = {"": "The thesis", **rows.SOURCES}
OURS = "This project"
TABLES = "tables"  # folder of the tables' pages


# ---- Groups ----


def source_of(name):
    """The source of a table or figure: "The thesis", "JPDC" and so on, or this project."""
    source = rows.TITLE.fullmatch(name)[1] or ""
    numbered = any(character.isdigit() for character in name.partition("-")[0])
    return SOURCES[source] if source in rows.SOURCES or numbered else OURS


def grouped(items, name):
    """[(source, its items)] in the order of SOURCES; this project comes last."""
    found = {source: [] for source in [*SOURCES.values(), OURS]}
    for item in items:
        found[source_of(item[name])].append(item)
    return [(source, of_source) for source, of_source in found.items() if of_source]


def shown_tables(values):
    """[{layout, title, machines, many, words, of_rows}] for the page of each table, in the order of layouts.csv.

    `of_rows` are the tables of runs that its columns are taken from.
    """
    many, columns = {table["layout"]: table for table in values["many"]}, layouts.columns()
    found = []
    for name, layout in layouts.layouts().items():
        of_machines = [
            {"m": m, **machine, "table": table}
            for m, machine in enumerate(values["every"], start=1)
            for table in machine["tables"]
            if table["layout"] == name
        ]
        if of_machines or name in many:
            tables = [each["table"] for each in of_machines]
            of_rows = list(dict.fromkeys(column["table"] for column in columns[name]))
            found.append(
                {
                    **layout,
                    "machines": of_machines,
                    "many": many.get(name),
                    "words": words_of(tables),
                    "of_rows": of_rows,
                }
            )
    return found


def words_of(tables):
    """The names of lines and columns, for the filter on the first page."""
    lines = (line["name"] for table in tables for line in table["lines"])
    columns = (column["label"] for table in tables for column in table["columns"])
    return " ".join(dict.fromkeys([*lines, *columns]))


# ---- Links ----


def linked(place, out, tree=""):
    """A link from the page in `out` to a place: an address, or a file or folder relative to the checkout's root.

    `tree` is the address of the checkout's root for pages that lie elsewhere.
    """
    if "://" in place:
        return place
    return f"{tree}/{quote(os.path.relpath(ROOT / place, ROOT))}" if tree else quote(os.path.relpath(ROOT / place, out))


def run_places(values):
    """{run: the address of its place on a page}."""
    return {
        of_run["id"]: f"runs-{m}.html#run-{of_run['id']}"
        for m, machine in enumerate(values["every"], start=1)
        for of_run in machine["runs"]
    }


# ---- Writing ----


def write(values, out):
    """Writes all pages, and removes the pages of tables that are no longer shown."""
    tables = shown_tables(values)
    places = run_places(values)
    values = {
        **values,
        "table_groups": grouped(tables, "layout"),
        "figure_groups": grouped([each for each in values["figures"] if is_folded(each)], "figure"),
        "first_figure": next((each for each in values["figures"] if each["uri"] and not is_folded(each)), None),
        "link_to_run": lambda of_run: (
            places.get(of_run.run_id) or linked(str(of_run.path.resolve()), out, values.get("tree", ""))
        ),
    }
    folder = out / TABLES
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.html"):
        old.unlink()
    for name in ("index", "claims", "stands"):
        page(out / f"{name}.html", f"{name}.html.j2", values)
    for m, machine in enumerate(values["every"], start=1):
        of_machine = {**values, "machine": machine, "m": m}
        page(out / f"runs-{m}.html", "runs.html.j2", of_machine)
        if machine["points"] or machine["problems"]:
            page(out / f"rows-{m}.html", "rows.html.j2", of_machine)
    for table in tables:
        page(folder / f"{table['layout']}.html", "table.html.j2", {**values, "shown": table})


def is_folded(figure):
    return bool(figure["uri"]) and figure["figure"] != FIRST_FIGURE


def page(path, template, values):
    link = functools.partial(linked, out=path.parent, tree=values.get("tree", ""))
    write_file(path, printing.render(template, {**values, "link": link}))
