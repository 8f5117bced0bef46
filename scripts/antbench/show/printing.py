"""Prints numbers for the report and the documents, and fills templates with them."""

import functools
import re

from antbench.data import cells, machines, rows, runs, validate
from antbench.data.command import BadInput, as_code, as_markdown
from antbench.show import claims

TEMPLATES = cells.REPORT / "templates"
NUMBER = re.compile(r"-?[\d.]+(e[+-]?\d+)?")


def number(value, unit=""):
    """A number with three significant digits; tours as whole numbers; a dash for None."""
    if value != value:
        return "–"
    return claims.apart(f"{value:.0f}") if unit == "length" else claims.short(value)


def measured_text(measured, unit):
    """A cell's number; the sign † marks a stand-in's."""
    text = number(measured.value, unit) if unit == "length" else claims.in_table(measured)
    return text + ("†" if measured and measured.instance else "")


def printed(published_id):
    """A published number with the digits that the source prints."""
    row = cells.published_rows().get(published_id)
    return claims.apart(f"{row['value']:.{int(row['digits'])}f}") if row else "–"


def interval(measured):
    """The details of a number: its interval, the stand-in that was measured, or the reason for its absence."""
    if not measured:
        return "" if measured.reason.startswith("no row") else measured.reason
    instead = f"of {measured.instance}" if measured.instance else ""
    iterations = f"{measured.iterations} iteration{'s' * (measured.iterations > 1)}" if measured.iterations else ""
    return ", ".join(filter(None, (claims.interval(measured), median_beside(measured), iterations, instead)))


def median_beside(measured):
    """ "median 0.099" for a time of one row whose mean is far above its median; else ""."""
    if not measured or not measured.rows or measured.value != measured.rows[0]["mean_ms"]:
        return ""
    median = measured.rows[0]["median_ms"]
    return f"median {claims.short(median, 2)}" if measured.value > (1 + validate.APART) * median else ""


def status(measured):
    """The worst status among the rows of a number; "" without rows."""
    worst_first = ("wrong", "error", "timeout", "unsupported", "skipped", "noisy", "few", "ok")
    found = {row["status"] for row in measured.rows}
    return next((name for name in worst_first if name in found), "")


def as_cell(text):
    """A text for a spreadsheet, which must not take it for a formula."""
    return f"'{text}" if text[:1] in validate.FORMULA and text and not NUMBER.fullmatch(text) else text


def figure_name(name):
    """A figure's name for a reader: "3.7" -> "Figure 3.7", "thesis-3.4" -> "Table 3.4"."""
    told = rows.title(f"F{name}" if name[0].isdigit() else name.removeprefix("thesis-"))
    return told[0].upper() + told[1:]


def left_out(table):
    """The parts that a table lacks, in words: "instance a280, nrw1379 · column “tiling, T = 21”"."""
    lines, columns = table["left_out"]
    told = [f"{table['line']} {', '.join(lines)}"] if lines else []
    return " · ".join(told + ([f"column {', '.join(f'“{label}”' for label in columns)}"] if columns else []))


def stand_ins_in(table):
    """What the sign † stands for in a table."""
    lines = table["lines"]
    found = [line["name"] for line in lines if line["stand_in"]]
    for line in lines:
        found += [cell["measured"].instance for cell in line["cells"] if cell["measured"] and cell["measured"].instance]
    return list(dict.fromkeys(found))


def jinja(folder, page=False, finalize=None):
    """The environment for the templates of a folder."""
    try:
        import jinja2
    except ModuleNotFoundError:
        raise BadInput("python3-jinja2 is not installed; make deps installs it") from None
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=page,
        finalize=finalize,
        undefined=jinja2.StrictUndefined,
    )


@functools.cache
def templates(of_pages):
    """The environment of report/templates/, which compiles each template once; `of_pages`: HTML, else Markdown."""
    environment = jinja(TEMPLATES, of_pages, None if of_pages else as_markdown)
    environment.filters.update(
        status=status,
        number=number,
        measured_text=measured_text,
        printed=printed,
        interval=interval,
        figure_name=figure_name,
        left_out=left_out,
        stand_ins_in=stand_ins_in,
        code=as_code,
        commit=runs.commit_of,
        machine_name=machines.name_of,
    )
    return environment


def render(template, values):
    """A filled template of report/templates/: HTML, or Markdown."""
    return templates(template.endswith(".html.j2")).get_template(template).render(values)
