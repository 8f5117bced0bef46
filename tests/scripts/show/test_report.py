"""The report: cells against hand-made numbers, and the pages against what they must not be without."""

import csv
import fnmatch
import html
import html.parser
import json
import math
import re
import shlex
import shutil
from collections import defaultdict
from types import SimpleNamespace

import pytest

from antbench.data import cells, code, layouts, runs
from antbench.data import rows as known_rows
from antbench.data.command import ROOT, BadInput
from antbench.show import printing, report
from thesis_run import CPU, DEVICE, RUN_ID, UNTIMED, all_rows, made_row, quality_row, seeds_row, write_run

pytest.importorskip("jinja2")


@pytest.fixture
def thesis(thesis_report):
    return thesis_report


def source_of(tmp_path, rows):
    return cells.choose(str(write_run(tmp_path / "run", rows)))[0]


def test_addresses_are_spelled_and_refused():
    assert cells.parse("3.4/ds-roulette/d198|u198?protocol=as;stage=choice+construct#quality") == cells.Address(
        "3.4",
        ("ds-roulette",),
        ("d198", "u198"),
        (("protocol", ("as",)), ("stage", ("choice", "construct"))),
        "quality",
    )
    with pytest.raises(BadInput, match="no address of a cell"):
        cells.parse("3.4/ds-roulette")
    assert cells.parse("3.3/cpu-rejection-1,cpu-blocks-1/d198").rows == ("cpu-rejection-1", "cpu-blocks-1")
    with pytest.raises(BadInput, match="asks for the quality of several rows"):
        cells.parse("3.3/cpu-rejection-1,cpu-blocks-1/d198#quality")


def test_of_several_rows_each_instance_has_its_fastest(tmp_path):
    times = (
        ("cpu-rejection-all", "d198", 2.0),
        ("cpu-blocks-all", "d198", 3.0),
        ("cpu-rejection-all", "a280", 5.0),
        ("cpu-blocks-all", "a280", 4.0),
    )
    alone = [made_row("3.3", "cpu-blocks-all", "lin318", 6.0, "protocol=as-best")]
    source = source_of(tmp_path, [made_row("3.3", row, x, ms, "protocol=as-best") for row, x, ms in times] + alone)
    found = {
        x: cells.look_up(source, "3.3/cpu-rejection-all,cpu-blocks-all/{x}?protocol=as-best", x)
        for x in ("d198", "a280", "lin318", "pcb442")
    }
    assert [found[x].value for x in ("d198", "a280", "lin318")] == [2, 4, 6]
    assert [found[x].rows[0]["row"] for x in ("d198", "a280", "lin318")] == [
        "cpu-rejection-all",
        "cpu-blocks-all",
        "cpu-blocks-all",
    ]
    assert found["pcb442"].reason == "no row 3.3 cpu-rejection-all pcb442"


def test_the_fastest_cpu_of_the_report_is_the_faster_of_both(tmp_path):
    """Table 3.3, its speed-ups and Figure 3.7 ask for it in the same way."""
    (column,) = [each for each in layouts.columns()["3.3"] if each["label"] == "fastest CPU, all cores"]
    assert column["names"] == ["cpu-rejection-all", "cpu-blocks-all"]
    times = (("cpu-rejection-all", 2.0), ("cpu-blocks-all", 3.0), ("ds-roulette", 1.0))
    source = source_of(tmp_path, [made_row("3.3", row, "d198", ms, "protocol=as-best") for row, ms in times])
    asked = [each for each in layouts.columns()["3.3-speedup"] if each["label"] == "over the fastest CPU"]
    assert [cells.quotient(source, layouts.address(each), each["over"], "d198").value for each in asked] == [2]
    (shown,) = [
        line for line in cells.read_layout("figures.csv") if line["figure"] == "3.7" and "fastest CPU" in line["label"]
    ]
    assert cells.quotient(source, shown["top"], shown["over"], "d198").value == 2


def test_stages_are_summed_and_their_errors_too(tmp_path):
    source = source_of(
        tmp_path,
        [
            made_row("3.4", "ds-roulette", "d198", ms, f"stage={stage}", "stage")
            for stage, ms in (("choice", 3.0), ("construct", 4.0))
        ],
    )
    found = cells.look_up(source, "3.4/ds-roulette/d198?stage=choice+construct")
    assert found.value == 7
    half = math.log(cells.look_up(source, "3.4/ds-roulette/d198?stage=construct").high / 4)
    assert 7 * math.log(found.high / 7) == pytest.approx(4 * half * 1.25)
    assert found.low * found.high == pytest.approx(7 * 7)


def test_a_stand_in_has_its_own_name_and_meets_nothing_published(tmp_path):
    """The table of a machine without TSPLIB files: no d198, no published number, no ratio, and a legend."""
    tours = dict(quality_metric="best-tour-after-100-iterations", quality_best=13798713, quality_mean=13798713)
    source = source_of(tmp_path, [made_row("3.3", "ds-roulette", "u198", 2.0, "protocol=as-best", **tours)])
    assert cells.look_up(source, "3.3/ds-roulette/d198").reason == "no row 3.3 ds-roulette d198"
    assert not cells.quotient(source, "3.3/ds-roulette/{x}#quality", "=thesis-3.2/optimum/{x}", "d198")
    assert not cells.quotient(source, "3.3/ds-roulette/{x}#quality", "=thesis-3.2/optimum/{x}", "u198")
    (made,) = [table for table in report.tables_of(source)[0] if table["layout"] == "3.3"]
    of_line = {line["name"]: line for line in made["lines"]}
    assert list(of_line) == ["u198"] and of_line["u198"]["stand_in"] and "d198" in made["left_out"][0]
    assert not any(cell["published"] or cell["ratio"] for cell in of_line["u198"]["cells"])
    out = tmp_path / "out"
    assert report.main(["--run", str(tmp_path / "run"), "--out", str(out)]) == 0
    for page in ("tables/3.3.html", "report.md"):
        text = (out / page).read_text(encoding="utf-8")
        assert "† marks a stand-in" in text and "u198†" in text


def test_another_picture_is_marked_and_meets_nothing_published(tmp_path):
    source = source_of(tmp_path, [made_row("5.1", "warp-128", "shapes-512", 2.0, scope="run")])
    found = cells.look_up(source, "5.1/warp-128/lena|shapes-512")
    assert (found.value, found.instance) == (2.0, "shapes-512")
    assert cells.divide(cells.Estimate(6.5, 6.5, 6.5), found).reason.startswith("shapes-512 is a stand-in")


def test_two_instances_are_not_divided(tmp_path):
    rows = [
        made_row("5.1", "seq", "lena", 6.0, scope="run"),
        made_row("5.1", "warp-128", "shapes-512", 2.0, scope="run"),
    ]
    found = cells.quotient(source_of(tmp_path, rows), "5.1/seq/lena|shapes-512", "5.1/warp-128/lena|shapes-512")
    assert found.reason == "only one of the two was measured on shapes-512"


def test_tours_after_other_numbers_of_iterations_are_not_shown(tmp_path):
    """5 iterations of profile smoke are not the 100 of Table 3.2."""
    tours = dict(quality_best=18000, quality_mean=18000)
    rows = [
        made_row("3.3", row, "d198", 1.0, quality_metric=f"best-tour-after-{n}-iterations", iterations=n, **tours)
        for row, n in (("five", 5), ("hundred", 100))
    ]
    source = source_of(tmp_path, rows)
    assert cells.look_up(source, "3.3/five/d198#quality").reason == "after 5 iterations, not 100"
    assert cells.look_up(source, "3.3/five/d198#best").reason == "after 5 iterations, not 100"
    assert cells.look_up(source, "3.3/hundred/d198#best").value == 18000


def test_each_table_has_the_iterations_of_its_source(tmp_path):
    """Figure 9 of JPDC looks at tours after 1000 iterations, not 100."""
    rows = [
        made_row(
            "jpdc-F9",
            row,
            "d198",
            1.0,
            quality_metric=f"best-tour-after-{n}-iterations",
            quality_best=18000,
            quality_mean=18000,
            iterations=n,
        )  # fmt: skip
        for row, n in (("hundred", 100), ("thousand", 1000))
    ]
    source = source_of(tmp_path, rows)
    assert cells.look_up(source, "jpdc-F9/hundred/d198#quality").reason == "after 100 iterations, not 1000"
    assert cells.look_up(source, "jpdc-F9/thousand/d198#quality").value == 18000


def tours_side_by_side():
    """{layout or figure: the tables whose tours it shows}, and of each claim."""
    found = defaultdict(set)
    for layout, columns in layouts.columns().items():
        found[layout] |= {column["table"] for column in columns if column["quantity"] in cells.TOURS}
    for name, key in (("figures.csv", "figure"), ("cases.csv", "test")):
        for line in cells.read_layout(name):
            asked = [cells.parse(text) for part in ("top", "over") for text in line[part].split() if text[0] != "="]
            found[name, line[key]] |= {address.table for address in asked if address.quantity in cells.TOURS}
    return found


def test_tours_of_different_numbers_of_iterations_are_never_side_by_side():
    of_tours = {row.table for row in known_rows.measured() if row.implementation.startswith("tsp/")}
    shown = [{cells.iterations()[table] for table in tables & of_tours} for tables in tours_side_by_side().values()]
    assert {50, 100, 1000} == set().union(*shown)
    assert all(len(numbers) <= 1 for numbers in shown)


def test_a_row_that_could_not_run_gives_its_reason(tmp_path):
    row = made_row("3.3", "ds-roulette", "d198", 1.0, status="unsupported", note="needs n <= 100")
    source = source_of(tmp_path, [{**row, **UNTIMED}])
    assert cells.look_up(source, "3.3/ds-roulette/d198").reason == "unsupported: needs n <= 100"


def test_a_quotient_has_no_interval_where_a_part_has_none():
    exact, vague = cells.Estimate(2.0, 2.0, 2.0), cells.Estimate(4.0)
    assert cells.divide(vague, exact).value == 2 and cells.divide(vague, exact).low != cells.divide(vague, exact).low


def test_a_quotient_by_what_is_exact_has_the_interval_of_its_part():
    exact, measured = cells.Estimate(2.0, 2.0, 2.0), cells.Estimate(4.0, 1.0, 7.0)
    found, inverse = cells.divide(measured, exact), cells.divide(exact, measured)
    assert (found.low, found.high) == pytest.approx((0.5, 3.5))
    assert (inverse.low, inverse.high) == pytest.approx((2 / 7, 2.0))


@pytest.mark.parametrize("low", [0.0, -1.0])
def test_a_quotient_is_open_where_the_interval_of_a_part_reaches_0(low):
    exact, vague = cells.Estimate(2.0, 1.9, 2.1), cells.Estimate(4.0, low, 8.0 - low)
    for found in (cells.divide(vague, exact), cells.divide(exact, vague)):
        assert found and (found.low, found.high) == (0, math.inf)


def test_an_interval_reaches_below_the_smallest_sample_and_not_below_0(tmp_path):
    """Three processes that differ much say little of the mean of others."""
    row = made_row("3.3", "acotsp-omp", "d198", 1.0, processes=3, min_ms=0.9, ci95_lo_ms=0.2, ci95_hi_ms=4.1)
    found = cells.look_up(source_of(tmp_path, [row]), "3.3/acotsp-omp/d198")
    assert (found.low, found.high, found.n) == (0.2, 4.1, 3)


def test_relative_errors_of_a_quotient_add_in_quadrature():
    top, bottom = cells.Estimate(6.0, 6.0 / 1.03, 6.0 * 1.03), cells.Estimate(2.0, 2.0 / 1.04, 2.0 * 1.04)
    assert cells.divide(top, bottom).high == pytest.approx(3 * 1.05, rel=1e-3)
    assert cells.divide(bottom, top).low == pytest.approx(1 / 3 / 1.05, rel=1e-3)


def test_a_rate_is_pixels_by_time(tmp_path):
    source = source_of(tmp_path, [made_row("6.1", "npp", "shapes-1024", 0.5, size=1024**2)])
    found = cells.look_up(source, "6.1/npp/shapes-1024#rate")
    assert found.value == pytest.approx(2097.152) and found.low < found.value < found.high


def test_bandwidth_is_a_share_of_the_copy_of_the_run(tmp_path):
    of_copy = dict(implementation="device/copy", bytes=8e6, mean_ms=3.0, max_ms=9.0)
    copy = made_row("6.1", "copy", "8 MiB", 2.0, "bytes=4000000", "setup", **of_copy)
    detector = made_row("6.1", "npp", "lena", 0.5, scope="kernel", bytes=1e6)
    found = cells.look_up(source_of(tmp_path, [detector, copy]), "6.1/npp/lena?scope=kernel#bandwidth")
    assert found.value == pytest.approx((1e6 / 0.5) / (8e6 / 3.0)) and found.low != found.low


def test_bandwidth_without_a_copy_or_without_bytes_has_a_reason(tmp_path):
    detector = made_row("6.1", "npp", "lena", 0.5, scope="kernel", bytes=1e6)
    found = cells.look_up(source_of(tmp_path / "a", [detector]), "6.1/npp/lena#bandwidth")
    assert found.reason == f"no row device/copy in the run {RUN_ID}"
    copy = made_row("6.1", "copy", "8 MiB", 2.0, "bytes=4000000", "setup", implementation="device/copy", bytes=8e6)
    found = cells.look_up(source_of(tmp_path / "b", [{**detector, "bytes": ""}, copy]), "6.1/npp/lena#bandwidth")
    assert found.reason == "no bytes or no time"


def test_a_mismatch_is_a_share_of_the_pixels(tmp_path):
    rows = [
        made_row(
            "6.1", "npp", "lena", 0.5, "hysteresis=all", size=1000, verify_metric="mismatched-pixels", verify_value=5
        ),
        made_row("6.1", "other", "lena", 0.5, size=1000, verify_metric="worst-error", verify_value=5),
    ]
    source = source_of(tmp_path, rows)
    assert cells.look_up(source, "6.1/npp/lena#mismatch").value == 0.005
    assert cells.look_up(source, "6.1/other/lena#mismatch").reason == "not compared with all of Canny"


def test_the_quality_of_each_run_gives_an_interval(tmp_path):
    quality = dict(quality_metric="best-tour-after-100-iterations", quality_best=100, quality_mean=102)
    row = made_row("3.3", "a", "d198", 1.0, quality_runs="100 104 102", **quality)
    found = cells.look_up(source_of(tmp_path, [row]), "3.3/a/d198#quality")
    assert found.value == 102 and found.low == pytest.approx(102 - 4.303 * 2 / 3**0.5, rel=1e-4)


def test_rows_of_scope_setup_are_in_no_table(tmp_path):
    rows = [made_row("4.2", "set", "d198", 3.0, scope="setup"), made_row("4.2", "set", "d198", 1.0, "nn=32")]
    source = source_of(tmp_path, rows)
    assert (
        cells.look_up(source, "4.2/set/d198").value == 1
        and cells.look_up(source, "4.2/set/d198?scope=setup").value == 3
    )


def test_too_few_samples_are_shown_and_marked(tmp_path):
    few = made_row("3.3", "ds-roulette", "d198", 1.0, status="few", samples=2, ci95_lo_ms="", ci95_hi_ms="")
    source = source_of(tmp_path, [few])
    found = cells.look_up(source, "thesis-3.3/ds-roulette/d198")
    assert found.value == 1 and printing.status(found) == "few"
    assert report.problems(source)[0]["where"][0]["reason"] == "2 samples"


def test_every_gpu_of_a_run_is_described(tmp_path):
    run = runs.load_run(write_run(tmp_path / "run", [made_row("3.3", "a", "d198", 1.0)]))
    run.meta["devices"] *= 2
    assert report.describe(run)["gpu"].count(DEVICE) == 2
    assert report.describe(run)["command"] == 'make bench-3.3 PROFILE=thesis ARGS="--backend cuda"'
    run.meta["command_line"] += ["--instances", "a b$(touch x)`y`.tsp"]
    assert shlex.split(report.describe(run)["command"])[3] == "ARGS=--backend cuda --instances 'a b$$(touch x)`y`.tsp'"


def test_a_quotient_by_nothing_has_a_reason_instead_of_a_value():
    found = cells.divide(cells.Estimate(0.9), cells.Estimate(0.0))
    assert not found and found.reason == "divided by 0"


def test_lines_without_any_number_are_left_out(tmp_path):
    source = source_of(tmp_path, [made_row("6.1", "npp", "shapes-1024", 0.5, scope="kernel", size=1024**2)])
    (sizes,) = (table for table in report.tables_of(source)[0] if table["layout"] == "6.1-sizes")
    assert [line["name"] for line in sizes["lines"]] == ["1024"]


def test_the_ratio_says_how_much_faster_times_are_and_how_much_more_all_else_is(tmp_path):
    source = source_of(
        tmp_path,
        [
            made_row("3.3", "i-roulette", "d198", 3.8, "protocol=as-best"),  # published: 7.60
            made_row("3.3", "ds-roulette", "d198", 1.16, "protocol=as-best"),
        ],
    )
    columns = {(name, column["label"]): column for name, found in layouts.columns().items() for column in found}
    time = report.cell(columns["3.3", "I-Roulette"], "d198", source, "ms")
    speedup = report.cell(columns["3.3-speedup", "over I-Roulette"], "d198", source, "x")  # published: 6.56
    assert time["ratio"].value == pytest.approx(2)
    assert speedup["ratio"].value == pytest.approx(3.8 / 1.16 / 6.56)


def test_every_published_cell_of_the_layouts_exists():
    known, columns = cells.published_rows(), layouts.columns()
    for name, layout in layouts.layouts().items():
        for column in columns[name]:
            cells.parse(layouts.address(column).replace("{x}", "x"))
            found = [column["published"].replace("{x}", x).lstrip("=") in known for x in cells.members(layout["set"])]
            # The sources have n.a. where a parameter did not run there.
            complete = all(found) if layout["line"] == "instance" else any(found)
            assert not column["published"] or complete, column


def test_a_run_and_the_report_know_the_same_published_number():
    """A run has it from its driver. The report has it from there too, but where report/tables.csv names another."""
    known, stored = cells.published_rows(), runs.load_below(runs.RESULTS / "reference")
    rows = [row for run in stored for row in runs.records_of(run.rows) if row["published_id"]]
    assert len(rows) > 700 and all(float(row["published_ms"]) == known[row["published_id"]]["value"] for row in rows)
    with open(cells.REPORT / "tables.csv", newline="", encoding="utf-8") as file:
        named = {column["published"].lstrip("=").replace("{x}", "*") for column in csv.DictReader(file)} - {""}
    same = 0
    for table in report.tables_of(cells.Source(stored))[0]:
        for cell in [cell for line in table["lines"] for cell in line["cells"] if cell["published_id"]]:
            if any(fnmatch.fnmatch(cell["published_id"], pattern) for pattern in named):
                continue
            of_runs = {row["published_id"] for row in cell["measured"].rows} - {""}
            assert of_runs <= {cell["published_id"]}, table["title"]
            same += len(of_runs)
    assert same > 100


def test_the_csv_has_every_published_time_and_its_ratio(thesis):
    with open(thesis / "tables.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    shown = {row["published_id"]: row for row in rows if row["published_id"]}
    published = runs.published()
    measured = {row["table"] for row in all_rows()}
    assert measured >= {"3.3", "3.4", "4.1", "4.2", "5.1", "6.1"}
    expected = published[(published["source"] == "thesis") & published["table"].isin(measured)]
    missing = set(expected["id"]) - set(shown) - {"thesis-5.1/speedup-cpu/512x512"}
    assert missing == set()
    for name, row in shown.items():
        assert row["unit"] == "length" or row["ratio"] == "" or float(row["ratio"]) == pytest.approx(1, rel=0.01), name


def test_the_page_is_whole_and_needs_no_network(thesis):
    pages = [path.read_text(encoding="utf-8") for path in sorted(thesis.rglob("*.html"))]
    page = "".join(pages)
    for needed in (
        DEVICE,
        CPU,
        RUN_ID,
        "97\u202f850.65",
        "1979.31",
        "82.3 (82.1 to 82.5, n 100) at pr1002",
        "not testable",
        "make bench-3.3 PROFILE=thesis ARGS=",
        "3.5 minutes",
        "Figure 3.7.",
    ):
        assert needed in page, needed
    loaded = re.sub(r'<a href="https://[^"]*"', "", page)  # a reader may follow a link to the code
    assert not re.search(r"https?://|@import|url\(", loaded) and ' src="data:' in page
    for text in pages:
        balance = Balance()
        balance.feed(text)
        assert balance.open == []


class Balance(html.parser.HTMLParser):
    """The elements that were opened and not closed."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.open += [tag] if tag not in ("meta", "img", "br", "input", "source") else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_picture_says_in_words_what_is_to_be_seen(thesis):
    page = (thesis / "index.html").read_text(encoding="utf-8")
    (said,) = re.findall(r'id="figure-3\.7".*?alt="([^"]*)"', page, re.S)
    assert said.startswith(
        "time on CPU / time on GPU by TSPLIB instance. over 1 core, GTX 580 (thesis): from 41.7 at d198 to 82.3 at pr1002;"
    )
    alone, same = cells.Estimate(2.0), [(0, "a", cells.Estimate(3.0)), (1, "b", cells.Estimate(20000.0))]
    assert (
        report.plots.ends([(0, "a", alone)]) == "2.00 at a"
        and report.plots.ends(same) == "from 3.00 at a to 20\u202f000 at b"
    )


@pytest.mark.parametrize(
    "value, text",
    [
        (0, "0"),
        (0.0, "0"),
        (0.0581, "0.0581"),
        (1, "1.00"),
        (11.49, "11.5"),
        (1234.5, "1234"),
        (9999.6, "10\u202f000"),
        (-17586, "-17\u202f586"),
    ],
)
def test_numbers_have_one_format(value, text):
    assert printing.number(value) == text


def test_published_numbers_keep_their_digits():
    assert (
        printing.printed("thesis-3.3/acotsp-seq/pr2392") == "97\u202f850.65"
        and printing.printed("thesis-3.3/none") == "–"
    )


def test_what_is_told_of_a_number():
    assert printing.interval(cells.Estimate(2.0, 1.9, 2.1, n=3)) == "1.90 to 2.10, n 3"
    assert printing.interval(cells.Estimate(2.0, 1.9, 2.1, instance="u198")) == "1.90 to 2.10, of u198"
    assert (
        printing.interval(cells.Estimate(2.0)) == ""
        and printing.interval(cells.Estimate(2.0, 0, math.inf, n=3)) == "open, n 3"
    )
    assert printing.interval(cells.Estimate(reason="timeout: 600 s")) == "timeout: 600 s"
    assert printing.interval(cells.Estimate(reason="no row 3.3 x d198")) == ""


def test_columns_lead_to_their_code_at_the_commit_of_the_run(monkeypatch):
    """A file has moved since, or an implementation has another name: what counts is that commit's registry."""
    run = runs.load_run(runs.RESULTS / "reference/nvidia-h100-80gb-hbm3/20261126T155952Z-31bcaa5c-frontier")
    row = next(row for _, row in run.rows.iterrows() if row["implementation"] == "tsp/ds-roulette")
    before = {"tsp/ds-roulette": "kernels/old.cu"}
    monkeypatch.setattr(code, "files", lambda commit: before if commit == "31bcaa5c" else {})
    for (remote, there), url in (
        (("https://example.org/a/b", True), "https://example.org/a/b/blob/31bcaa5c/kernels/old.cu"),
        (("https://example.org/a/b", False), ""),
        (("", True), ""),
    ):
        monkeypatch.setattr(code, "repository", lambda remote=remote: remote)
        monkeypatch.setattr(code, "is_there", lambda file, commit, there=there: there)
        assert code.of_row(row) == {"file": "kernels/old.cu", "commit": "31bcaa5c", "url": url}
    monkeypatch.setattr(code, "files", lambda commit: {})
    assert code.of_row(row) is None


def test_a_file_is_there_at_a_commit_that_git_knows():
    """A contributed run may name any commit: no link leads to one that is unknown here."""
    assert code.is_there("README.md", "HEAD") and not code.is_there("no-such-file", "HEAD")
    assert not code.is_there("README.md", "0000000") and not code.is_there("README.md", "--help")


def test_every_implementation_has_its_file():
    named = {row.implementation for row in known_rows.measured()}
    assert not {name for name in named if name not in code.files("") and not name.startswith(("device/", "peer/"))}
    assert all((code.ROOT / file).is_file() for file in code.files("").values())
    assert code.files("no such commit") == code.files("")


@pytest.mark.parametrize(
    "remote, found",
    [
        ("git@example.org:a/b.git", "https://example.org/a/b"),
        ("https://user:token@example.org/a/b.git", "https://example.org/a/b"),
        ("ssh://git@example.org/a/b", "https://example.org/a/b"),
        ("/srv/git/b.git", ""),
        ("", ""),
    ],
)
def test_a_repository_is_found_where_others_can_read_it(monkeypatch, remote, found):
    code.repository.cache_clear()
    monkeypatch.setattr(code, "git", lambda *_: remote + "\n")
    assert code.repository() == found
    code.repository.cache_clear()


def test_the_history_of_a_machine_is_relative_to_its_first_commit(tmp_path, thesis_commits):
    sources = cells.choose(str(thesis_commits))
    (curve,) = report.plots.history_series(sources[0])
    assert [(name, point.value) for _, name, point in curve.points] == [("aaaaaaa", 1), ("bbbbbbb", pytest.approx(1.5))]
    own = cells.look_up(cells.Source([runs.load_run(thesis_commits / "bbbbbbb")]), "3.3/ds-roulette/pr1002")
    assert curve.points[1][2].high == pytest.approx(own.high / 2) and own.high > 3
    said = report.plots.draw_history(sources[0], tmp_path)
    assert (
        "DS-Roulette, pr1002: from 1.00 at aaaaaaa to 1.50 at bbbbbbb" in said and (tmp_path / "history.svg").is_file()
    )


@pytest.fixture
def thesis_commits(tmp_path):
    for commit, started, ms in (("aaaaaaa", "2026-01-01T00:00:00Z", 2.0), ("bbbbbbb", "2026-01-02T00:00:00Z", 3.0)):
        row = made_row("3.3", "ds-roulette", "pr1002", ms, "protocol=as-best")
        path = write_run(tmp_path / "machine" / commit, [row])
        meta = json.loads((path / "meta.json").read_text())
        meta["build"]["commit"], meta["started_utc"] = commit, started
        (path / "meta.json").write_text(json.dumps(meta))
    return tmp_path / "machine"


def test_the_markdown_tables_are_rectangular(thesis):
    lines = (thesis / "report.md").read_text(encoding="utf-8").splitlines()
    for above, below in zip(lines, lines[1:]):
        if above.startswith("|") and below.startswith("|"):
            assert above.count("|") == below.count("|"), below


def test_each_table_says_of_how_many_iterations_its_means_are(thesis):
    """Those of runs and kernels are alike."""
    text = (thesis / "report.md").read_text(encoding="utf-8")
    iterations, runs_alike = ((thesis / f"tables/{name}.html").read_text(encoding="utf-8") for name in ("3.3", "6.1"))
    assert "Means of the first 100 iterations." in text and "Means of the first 100 iterations." in iterations
    assert "Means" not in text[text.index("Table 6.1: edge detectors") :].partition("Again: ")[0]
    assert "Means of" not in runs_alike and ", 100 iterations</span>" in iterations
    with open(thesis / "tables.csv", newline="", encoding="utf-8") as file:
        told = {(line["layout"], line["iterations"]) for line in csv.DictReader(file) if line["measured"]}
    assert ("3.3", "100") in told and {count for layout, count in told if layout in ("5.1", "6.1")} == {""}


def test_noisy_and_unsupported_rows_are_listed_with_their_reasons(tmp_path):
    rows = [
        made_row("3.3", "acotsp-seq", "d198", 10.0, status="noisy", ci95_lo_ms=9.0, ci95_hi_ms=11.0),
        made_row(
            "3.3",
            "cpu-rejection-1",
            "d198",
            10.0,
            status="noisy",
            note="the CPU's threads waited 9 % of the time for a core",
        ),
        {**made_row("3.3", "ds-roulette", "d198", 1.0, status="unsupported", note="needs n <= 100"), **UNTIMED},
    ]
    found = report.problems(source_of(tmp_path, rows))
    assert [(p["status"], p["row"], p["where"][0]["reason"]) for p in found] == [
        ("noisy", "acotsp-seq", "±10%"),
        ("noisy", "cpu-rejection-1", "the CPU's threads waited 9 % of the time for a core"),
        ("unsupported", "ds-roulette", "needs n <= 100"),
    ]


def test_rows_whose_best_may_lie_beyond_the_grid_are_listed(tmp_path):
    note = "sigma=5;threshold=10; at the end of its grid"
    rows = [
        {**seeds_row("sobel", "shapes-512", "noise=gaussian;level=20;tuning=best", 0.5), "note": note},
        {
            **seeds_row("sobel", "shapes-512", "noise=gaussian;level=40;tuning=best", 0.4),
            "note": "sigma=4;threshold=20",
        },
    ]
    (found,) = report.problems(source_of(tmp_path, rows))
    assert (found["status"], found["row"]) == ("at the end of its grid", "sobel")
    assert [where["reason"] for where in found["where"]] == [note]


def test_a_name_that_is_no_run_is_one_line(tmp_path):
    with pytest.raises(BadInput, match="no run there"):
        report.main(["--run", str(tmp_path / "nothing"), "--out", str(tmp_path / "out")])


# What means something to one of Markdown, HTML, LaTeX, gnuplot, a shell, make or a spreadsheet.
STRANGE = [
    "<script>alert(1)</script> a|b `c`",
    "[x](javascript:alert(1))",
    "![x](http://example.org/x.png) and www.example.org",
    r"\input{a} ^{b}_{c} @d {/Times=99 e}",
    r"""a'; system "touch gone"; b = 'c" """,
    "*emphasis* _also_ \\| cell",
    "%s $(touch gone) `touch gone` $$HOME {{ 7 * 7 }}",
]
LINK = re.compile(r"(?<!\\)\]\(|https?://|www\.|(?<![\\*])\*(?!\*)|(?<!\\)_")


def test_text_from_a_run_is_text_everywhere(tmp_path):
    """No tag, no link, no cell and no formula of it in the page, the Markdown and the CSV."""
    for strange in STRANGE:
        rows = [
            made_row("3.3", "acotsp-seq", "d198", 1.0, "protocol=as-best"),
            {**quality_row("3.3", "ds-roulette", "d198", "", "protocol=as-best"), "status": "error", "note": strange},
        ]
        out = tmp_path / "out"
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        assert report.main(["--run", str(write_run(tmp_path / "run", rows)), "--out", str(out)]) == 0
        page = "".join(path.read_text() for path in out.rglob("*.html"))
        markdown = (out / "report.md").read_text()
        assert strange.strip() in html.unescape(page)
        assert "<script>alert" not in page + markdown
        (told,) = (line for line in markdown.splitlines() if line.startswith("| error |"))
        text = html.unescape(re.sub(r"\\(.)", r"\1", told))
        assert strange.strip().replace("`", "'").replace("|", "/") in text.replace("|", "/")
        assert not LINK.search(told) and len(re.findall(r"(?<!\\)\|", told)) == 5, told
    told = [printing.as_cell(text) for text in ("=HYPERLINK(1)", "+x", "@x", "-x", "-1.5", "1e-9", "", "x")]
    assert told == ["'=HYPERLINK(1)", "'+x", "'@x", "'-x", "-1.5", "1e-9", "", "x"]


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_a_strange_name_of_a_gpu_is_text_everywhere(tmp_path, capsys):
    """In the report and in make gpus: every figure is drawn, and shows the name as it is."""
    names = r"\input{a}^_@b", """'; system "touch gone" #[x](http://a.b)<c>"""
    folders = [write_run(tmp_path / str(i), name=name) for i, name in enumerate(names)]
    out = tmp_path / "out"
    assert report.main(["--run", str(folders[0]), "--also", str(folders[1]), "--out", str(out)]) == 0
    told = capsys.readouterr().err
    assert all("difficulty fitting plot titles into key" in line for line in told.splitlines()), told
    page = "".join(path.read_text() for path in out.rglob("*.html"))
    markdown = (out / "report.md").read_text()
    assert "<c>" not in page + markdown and not re.search(r"(?<!\\)\]\((javascript|http)", markdown)
    drawn = html.unescape(re.sub(r"<[^>]*>", "", (out / "figures/3.7.svg").read_text())).replace("\xa0", " ")
    for name in names:
        assert f"over 1 core, {name}".replace('"', "'") in drawn
    tex = "".join(path.read_text() for path in (out / "latex").glob("*.tex"))
    assert r"\input{a}" not in re.sub("^%.*", "", tex, flags=re.M) and not (ROOT / "gone").exists()


@pytest.mark.parametrize(
    "hidden",
    [
        "\u202e",
        "\u2028",
        "\u2029",
        "\u2066",
        "\u200f",
        "\u061c",
        "\x9b",
        "\x85",
        "\x1b",
        "\u200b",
        "\u200d",
        "\u2060",
        "\ufeff",
        "\xad",
    ],
)
def test_a_name_that_turns_or_breaks_a_line_is_refused(tmp_path, hidden):
    """Of a device, as of an instance; the message shows it escaped."""
    run = write_run(tmp_path / "device", name=f"GPU {hidden}001H")
    for path in (run, write_run(tmp_path / "instance", [made_row("3.3", "ds-roulette", f"d{hidden}198", 1.0)])):
        with pytest.raises(BadInput) as refused:
            report.main(["--run", str(path), "--out", str(tmp_path / "out")])
        assert hidden not in str(refused.value) and (
            "control character" in str(refused.value) or "device" in str(refused.value)
        )


def test_a_smoke_test_does_not_shorten_a_line(tmp_path):
    """It counts where nothing else is there."""
    told = [{"iterations": count, "quality_metric": f"best-tour-after-{count}-iterations"} for count in (5, 100)]
    rows = [
        made_row("3.3", "race", "d198", 1.0, quality_best=9, quality_mean=9, quality_runs="9", **more) for more in told
    ]
    found = []
    for row, profile in zip(rows, ("smoke", "thesis")):
        (run,) = runs.load_runs(write_run(tmp_path / profile, [row]))
        run.meta["options"]["profile"] = profile
        found.append(cells.Estimate(1.0, rows=(run.records[0],)))
    assert cells.common_iterations(found) == 100 and cells.common_iterations(found[:1]) == 5


def test_a_condition_without_a_value_finds_rows_without_the_parameter():
    conditions = cells.parse("scaling-stages/split-2/pr2392?protocol=as;stage=reduce;each=").conditions
    strong, weak = (
        {"scope": "stage", "backend": "cuda", "params": f"protocol=as;ranks=2{more};stage=reduce"}
        for more in ("", ";each=1")
    )
    assert cells.is_meant(strong, conditions) and not cells.is_meant(weak, conditions)


def test_a_stand_in_stands_where_a_machine_lacks_the_file():
    both, without = SimpleNamespace(instances={"d1291", "u1291"}), SimpleNamespace(instances={"u1291"})
    assert list(cells.lines_of("d1291", [both])) == ["d1291"]
    assert list(cells.lines_of("d1291", [both, without])) == ["d1291", "u1291"]
