r"""make report: the report's tables for papers, in LaTeX with booktabs and siunitx, in build/report/latex/.

table-3-3.tex is for \input in a table or table* of a paper. A further machine's
file ends with the machine's name. gpus-3-3.tex has the times of many GPUs. tables.tex is a document of all tables and
shows the preamble that they need.

A table consists of several tabulars, each at most as wide as a column of a page with two. Published rows have one
tabular each, with the numbers measured here beside them. TeX puts as many tabulars side by side as fit. The sign ~
marks a noisy number, and one of few samples; tables.csv has all intervals.
"""

import re
import textwrap
import unicodedata

from antbench.data import cells, runs
from antbench.data.command import write_file
from antbench.show import claims, gpus, plots

SPECIAL = {
    **{char: rf"\{char}" for char in "&%$#_{}"},
    **{
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    },
    **{
        "×": r"$\times$",
        "†": r"\textdagger{}",
        "§": r"\S{}",
        "–": "--",
        "…": r"\dots{}",
        "±": r"$\pm$",
        "≠": r"$\neq$",
        "·": r"$\cdot$",
    },
    **{"\u202f": r"\,", "⁻": "$^{-}$", **{char: f"$^{i}$" for i, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}},
}
WIDEST = 52  # most characters in a tabular: 8 pt type in a column of 230 pt
GAP = 1.5  # characters that fit into the space between two columns
UNEQUAL = r"\neq"  # in a formula
HEADING = 12  # least characters per line of a heading
BEGIN = r"{\footnotesize\setlength{\tabcolsep}{3pt}\setlength{\lineskip}{2ex}\setlength{\lineskiplimit}{2ex}%"
BESIDE = "\\hspace{2em plus 1em}%\n"  # space between tabulars, where TeX may end a line
END = r"\par}"
PREAMBLE = r"""% All tables of `make report`, by pdflatex; \input{table-3-3} in a table or a table* is what a paper of yours needs of
% it, with these packages.
\documentclass{article}
\usepackage[a4paper,margin=16mm]{geometry}
\usepackage{booktabs,siunitx}
\newcommand{\titled}[2]{\noindent\textbf{#1}\nopagebreak\par\smallskip\noindent\input{#2}\bigskip}
\begin{document}
\raggedright
"""


def escaped(text):
    return "".join(SPECIAL.get(char, char) for char in text)


# ---- Numbers ----


def number(value, unit="", unsure=False, digits=3):
    """A cell for a column S of siunitx: digits, perhaps after a ~ in braces, or a dash in braces."""
    if value != value:
        return "{--}"
    digits = f"{value:.0f}" if unit == "length" else claims.short(value, digits)
    return ("{$\\sim$}" if unsure else "") + digits.replace("\u202f", "")  # siunitx sets thousands apart


def printed(published_id):
    row = cells.published_rows().get(published_id)
    return f"{row['value']:.{int(row['digits'])}f}" if row else "{--}"


def is_unsure(estimate):
    return any(row["status"] in ("noisy", "few") for row in estimate.rows)


def column_type(texts):
    """The column type S with as many digits before and after the point as its widest numbers have."""
    parts = [re.sub(r"\{.*?\}+\$?\}?", "", text).lstrip("-").partition(".") for text in texts]
    before, behind = (max((len(part[i]) for part in parts), default=0) for i in (0, 2))
    space = r",table-space-text-pre={$\sim$}" if any(r"\sim" in text for text in texts) else ""
    marks = [
        len(mark.replace(UNEQUAL, "m")) for text in texts for mark in re.findall(r"\{\$\^\{([\w\\]+)\}\$\}$", text)
    ]
    space += f",table-space-text-post={{$^{{{'m' * max(marks)}}}$}}" if marks else ""  # m is the widest letter
    return f"S[table-format={max(before, 1)}.{behind}{space}]"


def width_of(texts):
    """The characters of a column's widest number."""
    return max((len(re.sub(r"\\sim|[{}$^]", "", text)) for text in texts), default=0)


# ---- Tables ----


def wrapped(label, width):
    return textwrap.wrap(label, max(width, HEADING), break_long_words=False)


def stacked(label, width):
    """A heading, broken into lines of about `width` characters."""
    lines = [escaped(line) for line in wrapped(label, width)] or [""]
    return lines[0] if len(lines) == 1 else r"\shortstack{" + r"\\".join(lines) + "}"


def tabular(names, columns, above=""):
    """The text of a tabular: names = (heading of the first column, its cells); columns = [(heading, cells)].

    `above` is a heading over all columns.
    """
    spec = "l" + "".join(column_type(found) for _, found in columns)
    rows = [rf"\begin{{tabular}}[t]{{{spec}}}", r"\toprule"]
    if above:
        width = sum(width_of(found) + GAP for _, found in columns)
        heading = stacked(above, int(width))
        rows.append(rf" & \multicolumn{{{len(columns)}}}{{c}}{{{heading}}} \\ \cmidrule(l){{2-{len(columns) + 1}}}")
    heads = [f"{{{stacked(heading, width_of(found))}}}" for heading, found in columns]
    rows += [" & ".join([stacked(names[0], max(map(len, names[1]))), *heads]) + r" \\", r"\midrule"]
    rows += [
        " & ".join([escaped(name), *line]) + r" \\" for name, *line in zip(names[1], *(found for _, found in columns))
    ]
    return "\n".join([*rows, r"\bottomrule", r"\end{tabular}"])


def packed(names, columns, above=""):
    """Tabulars of these columns, each at most WIDEST characters wide."""
    room = WIDEST - max(map(len, [*wrapped(names[0], HEADING), *names[1]]))
    groups, left = [], 0.0
    for heading, found in columns:
        needed = max([width_of(found), *map(len, wrapped(heading, width_of(found)))]) + GAP
        if not groups or needed > left:
            groups.append([])
            left = room
        groups[-1].append((heading, found))
        left -= needed
    return [tabular(names, group, above) for group in groups]


def beside(tabulars):
    """The text of a file with these tabulars."""
    return "\n".join([BEGIN, BESIDE.join(tabulars) + END, ""])


def of_table(table):
    """A table of the report: first the published rows with the numbers measured here, then the other rows."""
    unit = table["unit"]
    names = table["line"], [line["name"] + ("†" if line["stand_in"] else "") for line in table["lines"]]
    compared, alone = [], []
    for column, *found in zip(table["columns"], *(line["cells"] for line in table["lines"])):
        ours = [own(cell, unit) for cell in found]
        if column["published"]:
            published = [printed(cell["published_id"]) for cell in found]
            ratios = "faster" if unit == "ms" else "ratio", [measured(cell["ratio"], "") for cell in found]
            compared += packed(names, [("published", published), ("ours", ours), ratios], column["label"])
        else:
            alone.append((column["label"], ours))
    means = [f"Means of {table['iterations']}"] if table["iterations"] else []
    return with_legend(beside(compared + packed(names, alone)), [*means, *table["legend"]])


def own(cell, unit):
    return "{verified}" if cell["verified"] else measured(cell["measured"], unit) + raised(cell["mark"])


def measured(estimate, unit="ms"):
    """A number as in the report (claims.in_table)."""
    if estimate.span and unit != "length":
        return f"{{{claims.span(estimate)}}}"
    unsure = is_unsure(estimate)
    return number(estimate.value, unit, unsure, min(3, claims.digits_of(estimate)) if unsure else 3)


def raised(mark):
    """A cell's mark as a superscript."""
    return f"{{$^{{{plain(mark).replace(gpus.OTHER_CODE, UNEQUAL)}}}$}}" if mark else ""


def plain(mark):
    """A mark's letters as TeX has them: "ᵃ" is "a"."""
    return unicodedata.normalize("NFKC", mark)


def with_legend(text, legend):
    """A file's text, followed by the runs of its marks."""
    told = [escaped(plain(line[: line.index(" ")]) + line[line.index(" ") :]) for line in legend]
    return text + (rf"{{\footnotesize\raggedright\sloppy {'; '.join(told)}\par}}" + "\n" if told else "")


def of_gpus(table):
    """A table over many GPUs (antbench.show.gpus): one or more tabulars per row."""
    rows = {}
    for line in table["lines"]:
        found = [
            printed(id_) if id_ else measured(each) + raised(mark)
            for each, id_, mark in zip(line["cells"], line["ids"], line["marks"])
        ]
        rows.setdefault(line["row"], []).append((line["line"], found))
    tabulars = []
    for label, lines in rows.items():
        columns = zip((gpu.label for gpu in table["gpus"]), zip(*(found for _, found in lines)))
        tabulars += packed((table["line"], [name for name, _ in lines]), list(columns), label)
    return with_legend(beside(tabulars), table["legend"])


def write(machines, many, out):
    """Writes all tables of all machines, and the tables over many GPUs."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.tex"):
        old.unlink()
    texts = {}  # {name of the file: (caption, text)}
    for i, machine in enumerate(machines):
        for table in machine["tables"]:
            name = plots.paper_name(table["layout"], "table") + (
                f"-{runs.machine_slug(machine['device'])}" if i else ""
            )
            texts[name] = f"{table['title']}: {machine['device']}", of_table(table)
    for table in many:
        texts[plots.paper_name(table["layout"], "gpus")] = f"{table['title']}, by GPU", of_gpus(table)
    body = []
    for name, (caption, text) in texts.items():
        write_file(out / f"{name}.tex", f"% {caption}\n% \\usepackage{{booktabs,siunitx}}\n{text}")
        body.append(f"\\titled{{{escaped(caption)}}}{{{name}}}\n")
    write_file(out / "tables.tex", PREAMBLE + "".join(body) + "\\end{document}\n")
