"""What papers need: figures as PDF without titles, and tables that LaTeX takes."""

import re
import shutil
import subprocess

import pytest

from antbench import cells, gpus, latex, plots, report
from thesis_run import made_row, write_run

pytest.importorskip("jinja2")
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
def test_a_figure_for_a_paper_is_a_pdf_of_a_name_that_latex_takes(thesis, tmp_path, monkeypatch):
    path = drawn("3.7", thesis, tmp_path / "out", monkeypatch)
    assert path.name == "figure-3-7.pdf" and path.read_bytes().startswith(b"%PDF-")


@needs_gnuplot
def test_it_has_no_title_and_its_key_takes_a_quarter_at_most(thesis, tmp_path, monkeypatch):
    svg = 'svg size {0},{1} enhanced font "Helvetica,9"'  # in place of PDF, to read what is where
    text = drawn("6.5-gaussian", thesis, tmp_path / "out", monkeypatch, svg.replace("{0},{1}", "760,500")).read_text()
    assert "standard deviation" in text and "Figure 6.5" not in text
    key = [
        float(found[1])
        for found in re.finditer(
            r"translate\(([\d.]+),([\d.]+)\)[^>]*>\s*<text><tspan[^>]*>[^<]*(?:tuned|fixed|planes on)", text
        )
    ]
    assert len(key) == 7 and len(set(key)) == 2  # seven entries in two columns


def test_the_room_of_the_key_follows_its_columns(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        plots, "call_gnuplot", lambda figure, terminal, path, variables, template: asked.append((terminal, variables))
    )
    size = plots.WIDTH, plots.HEIGHT + 7 * plots.KEY_LINE
    plots.paper("3.7", tmp_path, "", size, None, ["short"] * 7)
    plots.paper("3.7", tmp_path, "", size, None, ["l" * 60] * 7)
    heights = [float(re.search(r"in,([\d.]+)in", terminal)[1]) / plots.INCHES for terminal, _ in asked]
    assert heights == pytest.approx([plots.HEIGHT + 4 * plots.KEY_LINE, plots.HEIGHT + 7 * plots.KEY_LINE], abs=0.5)
    assert [re.search(r"key_rows=(\d)", variables)[1] for _, variables in asked] == ["4", "7"]


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


def test_a_table_has_the_numbers_of_the_report(thesis):
    (table,) = (table for table in report.tables_of(thesis[0])[0] if table["layout"] == "3.3")
    text = latex.of_table(table)
    (line,) = (line for line in text.splitlines() if line.startswith("d198 &"))
    texts = line.removesuffix(r" \\").split(" & ")
    assert texts[1] == "48.37" and len(texts) == 1 + sum(3 if column["published"] else 1 for column in table["columns"])
    assert text.count("S[table-format=") == len(texts) - 1
    assert r"\multicolumn{3}{c}{DS-Roulette}" in text and r"\cmidrule(lr){2-4}" in text


def test_a_page_leaves_its_tables_for_latex(tmp_path):
    run = write_run(tmp_path / "run", [made_row("3.3", "ds-roulette", "d198", 1.0, "protocol=as-best")])
    out = tmp_path / "out"
    (out / "latex").mkdir(parents=True)
    (out / "latex/table-old.tex").write_text("")
    assert report.main(["--run", str(run), "--out", str(out)]) == 0
    assert {path.name for path in (out / "latex").iterdir()} >= {"table-3-3.tex", "gpus-3-3.tex", "tables.tex"}
    assert not (out / "latex/table-old.tex").exists()


@pytest.mark.skipif(
    not has_latex(), reason="no pdflatex with siunitx and booktabs (texlive-latex-recommended, texlive-science)"
)
def test_latex_takes_every_table(thesis, tmp_path):
    machines = [{"tables": report.tables_of(source)[0], "device": "A & B_C"} for source in thesis]
    many = gpus.tables(gpus.published_gpus() + gpus.of_sources(thesis))
    latex.write(machines, many.values(), tmp_path)
    done = subprocess.run(
        ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-draftmode", "tables.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    log = (tmp_path / "tables.log").read_text(errors="replace")
    assert done.returncode == 0 and "Missing character" not in log, log[-3000:]
    assert len(list(tmp_path.glob("*.tex"))) > 20
