r"""The tables of the report for papers: LaTeX, with booktabs and siunitx, into build/report/latex/. `make report`
writes them.

table-3-3.tex is a tabular, for \input into a table of one's own; those of a further machine have its name behind, and
gpus-3-3.tex has the times of many GPUs. tables.tex is a document of them all, which says what a preamble needs. How far
a number is certain stands in tables.csv: here ~ marks one that is noisy, or of few samples.
"""

import re

from antbench import cells, claims, plots, runs

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
        "·": r"$\cdot$",
    },
    **{"\u202f": r"\,", "⁻": "$^{-}$", **{char: f"$^{i}$" for i, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}},
}
PREAMBLE = r"""% All tables of `make report`, by pdflatex; \input{table-3-3} is what a paper of yours needs of it, with these packages.
\documentclass{article}
\usepackage[a4paper,landscape,margin=15mm]{geometry}
\usepackage{booktabs,graphicx,siunitx}
% A table that is wider than the text is made as wide.
\newsavebox{\tablebox}
\newcommand{\fitted}[1]{\sbox{\tablebox}{\input{#1}}%
  \ifdim\wd\tablebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\tablebox}}\else\usebox{\tablebox}\fi}
\begin{document}
"""


def escaped(text):
    return "".join(SPECIAL.get(char, char) for char in text)


# ---- Numbers ----


def number(value, unit="", unsure=False):
    """What a column S of siunitx takes: digits, a ~ in braces before them, or a dash in braces."""
    if value != value:
        return "{--}"
    digits = f"{value:.0f}" if unit == "length" else claims.short(value)
    return ("{$\\sim$}" if unsure else "") + digits.replace("\u202f", "")  # thousands are siunitx's to set apart


def printed(published_id):
    row = cells.published_rows().get(published_id)
    return f"{row['value']:.{int(row['digits'])}f}" if row else "{--}"


def is_unsure(estimate):
    return any(row["status"] in ("noisy", "few") for row in estimate.rows)


def column_type(texts):
    """S with as many digits before and behind the point as its widest numbers have."""
    parts = [re.sub(r"\{.*?\}", "", text).lstrip("-").partition(".") for text in texts]
    before, behind = (max((len(part[i]) for part in parts), default=0) for i in (0, 2))
    mark = r",table-space-text-pre={$\sim$}" if any(r"\sim" in text for text in texts) else ""
    return f"S[table-format={max(before, 1)}.{behind}{mark}]"


# ---- Tables ----


def tabular(names, groups, lines):
    """The text of a tabular: `names` head its first columns, groups = [(label, [heading of each column])], a line's cells follow its names."""
    columns = list(zip(*(line[len(names) :] for line in lines)))
    spec = "l" * len(names) + "".join(map(column_type, columns))
    rows = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
    if any(any(headings) for _, headings in groups):
        above = [rf"\multicolumn{{{len(headings)}}}{{c}}{{{escaped(label)}}}" for label, headings in groups]
        ends, at = [], len(names)
        for _, headings in groups:
            ends.append(rf"\cmidrule(lr){{{at + 1}-{at + len(headings)}}}")
            at += len(headings)
        rows += [" & ".join([*[""] * len(names), *above]) + r" \\", "".join(ends)]
        heads = [heading for _, headings in groups for heading in headings]
    else:
        heads = [label for label, _ in groups]
    rows.append(" & ".join([*map(escaped, names), *(f"{{{escaped(head)}}}" for head in heads)]) + r" \\")
    rows.append(r"\midrule")
    for line in lines:
        rows.append(" & ".join([*map(escaped, line[: len(names)]), *line[len(names) :]]) + r" \\")
    return "\n".join([*rows, r"\bottomrule", r"\end{tabular}", ""])


def of_table(table):
    """A table of the report."""
    unit = table["unit"]
    faster = "faster" if unit == "ms" else "ratio"
    lines = []
    for line in table["lines"]:
        found = [line["name"] + ("†" if line["stand_in"] else "")]
        for column, cell in zip(table["columns"], line["cells"]):
            own = number(cell["measured"].value, unit, is_unsure(cell["measured"]))
            found += [printed(cell["published_id"]), own, number(cell["ratio"].value)] if column["published"] else [own]
        lines.append(found)
    compared = any(column["published"] for column in table["columns"])
    headings = {True: ["published", "ours", faster], False: ["ours"] if compared else [""]}
    groups = [(column["label"], headings[bool(column["published"])]) for column in table["columns"]]
    return tabular([table["line"]], groups, lines)


def of_gpus(table):
    """A table over many GPUs (antbench.gpus)."""
    lines = [
        [line["row"], line["line"]]
        + [
            printed(id_) if id_ else number(found.value, "ms", is_unsure(found))
            for found, id_ in zip(line["cells"], line["ids"])
        ]
        for line in table["lines"]
    ]
    return tabular(["row", table["line"]], [(gpu.label, [""]) for gpu in table["gpus"]], lines)


def write(machines, many, out):
    """All tables of all machines, and those over many GPUs."""
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
        (out / f"{name}.tex").write_text(f"% {caption}\n% \\usepackage{{booktabs,siunitx}}\n{text}", encoding="utf-8")
        body.append(
            f"\\begin{{table}}[p]\n\\centering\n\\caption{{{escaped(caption)}}}\\label{{{name}}}\n\\fitted{{{name}}}\n\\end{{table}}\n\\clearpage\n"
        )
    (out / "tables.tex").write_text(PREAMBLE + "".join(body) + "\\end{document}\n", encoding="utf-8")
