"""The tables of the report: report/layouts.csv lists the tables, tables.csv their columns.

A column takes what the drivers say of its row (report/rows.csv). An empty `label` is the row's label. An empty
`published` of a time is the row's published number; "-" means no number. The row "*" stands for all rows of a table
without a line of their own, so that a new kernel has a column before any run has it. The label "-" hides a row.
"cpu-rejection-all,cpu-blocks-all" shows the fastest of these rows, line by line. A table that neither tables.csv nor
figures.csv names gets a layout of its own: all its rows, on all inputs that they are measured on.
"""

import itertools

from antbench.data import cells, rows, runs
from antbench.data.command import BadInput

NOT_SHOWN = "-"


def written():
    """{name: line of layouts.csv}, in the order of the file."""
    return {layout["layout"]: layout for layout in cells.read_layout("layouts.csv")}


def layouts(known=None):
    """The layouts of layouts.csv, then one for each table that no file names."""
    known = rows.measured() if known is None else known
    return written() | {table: own_layout(table, known) for table in unwritten(known)}


def unwritten(known):
    """The tables that no report file names. A table with the stages of another table's rows does not count."""
    named = {runs.table_name(column["table"]) for column in cells.read_layout("tables.csv")} | written().keys()
    drawn = [line[name] for line in cells.read_layout("figures.csv") for name in ("top", "over")]
    named |= {cells.parse(text).table for text in drawn if text and not text.startswith("=")}
    lines = {}
    for row in known:
        lines.setdefault(row.table, set()).add((row.driver, row.row, row.implementation, row.params))
    stages = {table for other, table in itertools.combinations(lines, 2) if lines[table] <= lines[other]}
    stages |= {table for table in lines if table.endswith("-stages")}  # of several tables' rows
    return [table for table in lines if table not in named | stages]


def own_layout(table, known):
    measured_on = " ".join(dict.fromkeys(name for row in rows.of_table(table, known) for name in row.instances.split()))
    title = f"{rows.title(table)} (ms)"
    return {"layout": table, "set": measured_on, "line": "instance", "unit": "ms", "profile": "", "title": title}


def own_columns(table, known):
    """A column for each row of a table, and for each value of a parameter that has several.

    Rows with the same label are told apart by their names.
    """
    line = {**dict.fromkeys(("label", "quantity", "over", "published"), ""), "table": table, "instance": "{x}"}
    of_table = rows.of_table(table, known)
    labels = [row.label for row in of_table]
    for row in of_table:
        for chosen in row.choices():
            asked = ";".join(f"{name}={value}" for name, value in chosen.items())
            column = {**line, "row": rows.put_in(row.row, chosen), "params": asked}
            completed = complete("report/rows.csv", column, "", known)
            told = [column["row"]] if row.label and labels.count(row.label) > 1 else []
            told += [f"{name}={value}" for name, value in chosen.items() if f"{{{name}}}" not in row.label]
            yield {**completed, "label": ", ".join([completed["label"], *told])}


def columns(known=None):
    """{layout: its columns}: lines of tables.csv, completed, each with `names`, the rows of its table."""
    known = rows.measured() if known is None else known
    found = {name: [] for name in written()}
    path = cells.REPORT / "tables.csv"
    for line, column in enumerate(cells.read_layout("tables.csv"), start=2):
        if column["layout"] not in found:
            raise BadInput(f"{path}:{line}: no layout {column['layout']}; there are {' '.join(found)}")
        column["table"] = runs.table_name(column["table"])
        found[column["layout"]].append((f"{path}:{line}", column))
    made = {name: list(of_layout(placed, written()[name]["set"], known)) for name, placed in found.items()}
    return made | {table: list(own_columns(table, known)) for table in unwritten(known)}


def of_layout(placed, set_name, known):
    """The columns that are shown, in their order."""
    named = [complete(place, column, set_name, known) for place, column in placed if column["row"] != "*"]
    taken = {(column["table"], name) for column in named for name in column["names"]}
    waiting = iter(named)
    for place, column in placed:
        if column["row"] == "*":
            yield from (complete(place, each, set_name, known) for each in any_other(place, column, taken, known))
        else:
            completed = next(waiting)
            if completed["label"] != NOT_SHOWN:
                yield completed


def any_other(place, column, taken, known):
    """A column for each row without a line of its own. {x} is the instance, or the parameter in the row's name."""
    of_table = rows.of_table(column["table"], known)
    if not of_table:
        rows.expect(place, column["table"], "*", known)
    in_name = "{x}" not in column["instance"] + column["params"]
    for row in of_table:
        swept = rows.PARAMETER.findall(row.row)
        names = {(row.table, name) for name in row.names()}
        if len(swept) == in_name and not names & taken:
            taken |= names
            yield {**column, "row": rows.put_in(row.row, dict.fromkeys(swept, "{x}"))}


def complete(place, column, set_name, known):
    """A line of tables.csv with what rows.csv says of its row."""
    names = column["row"].split(",")
    if "{x}" in column["row"]:
        names = [name.replace("{x}", x) for name in names for x in cells.sets()[set_name]]
    row, values = [rows.expect(place, column["table"], name, known) for name in names][0]
    if "{x}" in column["row"]:
        values = dict.fromkeys(values, "{x}")
    is_time = not column["quantity"] and not column["over"]
    published = f"={row.published}/{column['instance']}" if row.published and is_time else ""
    return {
        **column,
        "names": names,
        "label": column["label"] or rows.put_in(row.label or row.row, values),
        "published": {"": rows.put_in(published, values), "-": ""}.get(column["published"], column["published"]),
        "driver": row.driver,
    }


def address(column):
    """The cell address that a line of tables.csv spells."""
    conditions = f"?{column['params']}" if column["params"] else ""
    quantity = f"#{column['quantity']}" if column["quantity"] else ""
    return f"{column['table']}/{column['row']}/{column['instance']}{conditions}{quantity}"


def command(layout, of_layout):
    """The command that measures a table."""
    profile = f" PROFILE={layout['profile']}" if layout["profile"] else ""
    energy = ' ARGS="--energy 1"' if any(column["quantity"] == "energy" for column in of_layout) else ""
    return f"make bench-{of_layout[0]['driver']}{profile}{energy}"
