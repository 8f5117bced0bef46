"""What papers need: figures as PDF without titles, and tables that LaTeX takes."""

import re
import shutil
import subprocess

import pytest

from antbench.data import cells, runs
from antbench.show import gpus, latex, plots, report
from thesis_run import made_row, write_run

pytest.importorskip("jinja2")
STORED = runs.load_below(runs.RESULTS / "reference")
needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")


def has_latex():
    asked = ["kpsewhich", "siunitx.sty", "booktabs.sty"]
    return (
        shutil.which("pdflatex") and subprocess.run(asked, capture_output=True, check=False).stdout.count(b".sty") == 2
    )


@pytest.fixture(scope="module")
def thesis(tmp_path_factory):
    return cells.choose(str(write_run(tmp_path_factory.mktemp("runs") / "thesis")))


def drawn(figure, sources, out, monkeypatch, terminal=None):
    if terminal:
        monkeypatch.setattr(plots, "PAPER", terminal)
    monkeypatch.setattr(plots, "TERMINALS", {})
    out.mkdir()
    assert plots.draw_curves(figure, sources, out, cells.read_layout("figures.csv"))
    return out / f"{plots.paper_name(figure)}.pdf"


@needs_gnuplot
def test_a_figure_for_a_paper_is_a_pdf_as_wide_as_a_column(thesis, tmp_path, monkeypatch):
    """And of a name that LaTeX takes; its text is of 8 points, as it is."""
    path = drawn("3.7", thesis, tmp_path / "out", monkeypatch)
    assert path.name == "figure-3-7.pdf" and path.read_bytes().startswith(b"%PDF-")
    if shutil.which("pdfinfo"):
        size = re.search(r"Page size: +([\d.]+) x ([\d.]+)", subprocess.check_output(["pdfinfo", path], text=True))
        assert float(size[1]) == pytest.approx(3.4 * 72, abs=1) and float(size[2]) < 3.4 * 72
    assert re.search(r'fontscale 0.5 font "\w+,12"', plots.PAPER), "which gnuplot draws at 8 points"


@needs_gnuplot
@pytest.mark.skipif(not shutil.which("pdftotext"), reason="no pdftotext (poppler-utils)")
@pytest.mark.parametrize("figure", ["3.7", "4.5", "6.5-gaussian", "6.5-lena", "5.6-share"])
def test_none_of_its_words_is_cut_off(figure, thesis, tmp_path, monkeypatch):
    words = subprocess.check_output(
        ["pdftotext", "-bbox", drawn(figure, thesis, tmp_path / "out", monkeypatch), "-"], text=True
    )
    width, height = map(float, re.search(r'page width="([\d.]+)" height="([\d.]+)"', words).groups())
    edges = re.findall(r'xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)<', words)
    outside = [word for *edge, word in edges if not inside(*map(float, edge), width, height)]
    assert len(edges) > 15 and outside == []


def inside(left, top, right, bottom, width, height):
    return left >= 0 and top >= -1 and right <= width and bottom <= height + 1  # a line's height has room for accents


@needs_gnuplot
def test_it_has_no_title_and_its_key_follows_the_labels(thesis, tmp_path, monkeypatch):
    svg = 'svg size {0},{1} enhanced font "Helvetica,9"'  # in place of PDF, to read what is where
    text = drawn("6.5-gaussian", thesis, tmp_path / "out", monkeypatch, svg.replace("{0},{1}", "340,350")).read_text()
    assert "standard deviation" in text and "Figure 6.5" not in text
    key = [
        float(found[1])
        for found in re.finditer(
            r"translate\(([\d.]+),([\d.]+)\)[^>]*>\s*<text>(?:<tspan[^>]*>)?[^<]*(?:tuned|fixed|planes on)", text
        )
    ]
    assert len(key) == 7 and len(set(key)) == 1  # seven long entries, one below the other


def test_the_key_has_two_columns_where_all_labels_are_short():
    assert [plots.key_rows(labels) for labels in (["short"] * 7, ["l" * 40] * 7, ["a", "b"], [])] == [4, 7, 2, 0]


def test_every_template_of_curves_leaves_its_title_to_the_paper():
    for path in (cells.REPORT / "figures").glob("*.gp"):
        text = path.read_text(encoding="utf-8")
        has_title = re.search(r"^set title \"", text, re.M)
        leaves = 'exists("paper")) { unset title }' in text or "curves.gp" in text or "bars.gp" in text
        assert not has_title or leaves, path.name


# ---- Tables ----


def test_numbers_of_a_column():
    assert [
        latex.number(0.19812),
        latex.number(float("nan")),
        latex.number(5.0, unsure=True),
        latex.number(13988.0, "length"),
    ] == [*("0.198", "{--}", "{$\\sim$}5.00", "13988")]
    assert (
        latex.column_type(["7.60", "1688", "{--}", "{$\\sim$}0.0433"])
        == "S[table-format=4.4,table-space-text-pre={$\\sim$}]"
    )
    assert latex.column_type(["{--}"]) == "S[table-format=1.0]"


def test_text_of_a_run_is_no_command_of_latex():
    assert latex.escaped(r"\input{x} 5 % & $a_b^2$ #~ 10⁻⁶ × <") == (
        r"\textbackslash{}input\{x\} 5 \% \& \$a\_b\textasciicircum{}2\$ \#\textasciitilde{} 10$^{-}$$^6$ $\times$ \textless{}"
    )


def tabulars(text):
    """[(its headings, {name of a line: its cells})] of a file."""
    found = []
    for body in re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.S):
        lines = [line.removesuffix(r" \\").split(" & ") for line in body.splitlines() if line.endswith(r" \\")]
        heads, *numbers = (line for line in lines if "multicolumn" not in line[1])
        found.append((heads, {name: cells_ for name, *cells_ in numbers}))
    return found


def test_a_table_has_the_numbers_of_the_report(thesis):
    """What was published in tabulars of its own, each beside ours; all else together."""
    (table,) = (table for table in report.tables_of(thesis[0])[0] if table["layout"] == "3.3")
    text = latex.of_table(table)
    found = tabulars(text)
    published = [heads for heads, _ in found if "{published}" in heads]
    compared = [column for column in table["columns"] if column["published"]]
    assert published == [["instance", "{published}", "{ours}", "{faster}"]] * len(compared)
    assert found[0][1]["d198"] == ["48.37", "48.4", "1.00"]
    assert all(text.count(rf"\multicolumn{{3}}{{c}}{{{label}}}") == 1 for label in ("DS-Roulette", "I-Roulette"))
    assert r"\cmidrule(l){2-4}" in text and text.count("S[table-format=") == sum(len(heads) - 1 for heads, _ in found)


def test_a_wide_table_is_several_narrow_ones_and_no_two_columns_have_one_name(tmp_path):
    """Table 3.3 of the stored runs had 17 columns, 730 points wide, three of them named "faster"."""
    stored = cells.Source(cells.of_kind(cells.fullest_with_gpu(STORED), STORED))
    for table in report.tables_of(stored)[0]:
        found = tabulars(latex.of_table(table))
        assert sum(len(heads) - 1 for heads, _ in found) == sum(
            3 if column["published"] else 1 for column in table["columns"]
        )
        for heads, lines in found:
            assert len(heads) == len(set(heads)) and len(lines) == len(table["lines"]), table["layout"]
    (wide,) = (table for table in report.tables_of(stored)[0] if table["layout"] == "3.3")
    assert max(len(heads) for heads, _ in tabulars(latex.of_table(wide))) <= 6


def test_a_page_leaves_its_tables_for_latex(tmp_path):
    run = write_run(tmp_path / "run", [made_row("3.3", "ds-roulette", "d198", 1.0, "protocol=as-best")])
    out = tmp_path / "out"
    (out / "latex").mkdir(parents=True)
    (out / "latex/table-old.tex").write_text("")
    assert report.main(["--run", str(run), "--out", str(out)]) == 0
    assert {path.name for path in (out / "latex").iterdir()} >= {"table-3-3.tex", "gpus-3-3.tex", "tables.tex"}
    assert not (out / "latex/table-old.tex").exists()


needs_latex = pytest.mark.skipif(
    not has_latex(), reason="no pdflatex with siunitx and booktabs (texlive-latex-recommended, texlive-science)"
)


def set_by_latex(folder, name):
    """The log of a document that has no error."""
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-draftmode", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = (folder / name).with_suffix(".log").read_text(errors="replace")
    assert done.returncode == 0 and "Missing character" not in log, log[-3000:]
    return log


@needs_latex
def test_latex_takes_every_table_and_none_is_too_wide(tmp_path):
    stored = cells.Source(cells.of_kind(cells.fullest_with_gpu(STORED), STORED))
    machines = [{"tables": report.tables_of(stored)[0], "device": "A & B_C"}]
    many = gpus.tables(gpus.published_gpus() + gpus.of_sources([stored]))
    latex.write(machines, many.values(), tmp_path)
    assert r"Overfull \hbox" not in set_by_latex(tmp_path, "tables.tex")
    names = [path.stem for path in sorted(tmp_path.glob("*.tex")) if path.stem != "tables"]
    assert len(names) > 20
    inputs = [rf"\noindent\input{{{name}}}" for name in names]
    begin = r"\documentclass[twocolumn]{article} \usepackage{booktabs,siunitx} \begin{document}"
    (tmp_path / "article.tex").write_text("\n".join([begin, *inputs, r"\end{document}"]))
    assert r"Overfull \hbox" not in set_by_latex(tmp_path, "article.tex")
