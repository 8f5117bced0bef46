"""The pages of the report: how large they are, in which order they answer, that every row is on one, and their addresses."""

import csv
import html
import json
import re
import shutil
import subprocess

import pytest

from antbench.data import cells, layouts, runs
from antbench.show import fastest, pages, printing

pytest.importorskip("jinja2")


@pytest.fixture
def stored(stored_report):
    return stored_report


def read(path):
    return path.read_text(encoding="utf-8")


def without_pictures(text):
    return re.sub(r'data:image/[^"\s]+', "", text)


# ---- Size and order ----


def test_no_page_is_larger_than_its_bound_before_pictures(stored):
    sizes = {path.name: len(without_pictures(read(path)).encode()) for path in stored.rglob("*.html")}
    assert len(sizes) > 50 and {name: size for name, size in sizes.items() if size > pages.MOST} == {}


def test_what_a_visitor_asks_first_comes_first(stored):
    found = re.findall(r'<section id="(\w+)">', read(stored / "index.html"))
    assert found == ["gains", "claims", "fastest", "tables", "figures", "machines"]


def test_the_rest_is_folded(stored):
    page = read(stored / "index.html")
    assert not re.search(r"<details[^>]* open", page)
    for section in ("tables", "figures"):
        inside = page.split(f'<section id="{section}">')[1].split("</section>")[0]
        unfolded = re.sub(r"<details.*?</details>", "", inside, flags=re.S)
        assert "<li" not in unfolded and "<figure" not in unfolded and "<li" in inside + "<li" * (section == "figures")
    assert "<tr data-verdict" not in re.sub(r"<details.*?</details>", "", page, flags=re.S)


def test_the_stored_h100_stands_beside_the_stored_h200(stored):
    page, table = read(stored / "index.html"), read(stored / "tables/5.1.html")
    for section in ("gains", "claims", "fastest"):
        inside = page.split(f'<section id="{section}">')[1].split("</section>")[0]
        assert "H200" in inside and re.search(r"<th[^>]*>(on the )?H100</th>", inside), section
    gpu_by_gpu = table.split('id="gpus-5.1"')[1]
    assert 'id="table-1-5.1"' in table and 'id="table-2-5.1"' in table
    assert all(f'<th class="group">{gpu}</th>' in gpu_by_gpu for gpu in ("H200", "H100", "GTX 580 (thesis)"))
    with open(stored / "tables.csv", newline="", encoding="utf-8") as file:
        assert {line["machine"] for line in csv.DictReader(file)} == {"NVIDIA H200", "NVIDIA H100 80GB HBM3"}


# ---- Every row is reachable ----


def test_every_number_of_the_tables_is_on_a_page_that_the_first_one_leads_to(stored):
    listed = set(re.findall(r'<a href="tables/([^"]+)\.html"', read(stored / "index.html")))
    assert listed == {path.stem for path in (stored / "tables").glob("*.html")}
    with open(stored / "tables.csv", newline="", encoding="utf-8") as file:
        wanted = {(row["machine"], row["layout"], row["line"]) for row in csv.DictReader(file)}
    shown = {place for layout in listed for place in lines_of(stored, layout)}
    assert len(wanted) > 300 and wanted - shown == set()


def lines_of(stored, layout):
    text = read(stored / f"tables/{layout}.html")
    for block in re.split(r'<div class="block" id="table-\d+-', text)[1:]:
        device = re.search(r"<h2[^>]*>(.*?)(?: \(stored runs\))? <a", block)[1]
        for name in re.findall(r'<tr><th scope="row" class="name">(.*?)†?</th>', block.split("</table>")[0]):
            yield device, layout, html.unescape(name)


def test_every_sentence_and_every_run_is_reachable(stored):
    page, evidence = read(stored / "index.html"), read(stored / "claims.html")
    sentences = {line["id"] for line in cells.read_layout("claims.csv")}
    assert set(re.findall(r'href="claims.html#claim-([^"]+)"', page)) == sentences
    assert set(re.findall(r'<tr id="claim-([^"]+)"', evidence)) == sentences
    for m, device in ((1, "nvidia-h100-80gb-hbm3"), (2, "nvidia-h200")):
        there = {path.name for path in (runs.ROOT / "results/reference" / device).iterdir() if path.is_dir()}
        shown = {name.partition("/")[2] for name in re.findall(r'id="run-([^"]+)"', read(stored / f"runs-{m}.html"))}
        assert shown == there and f'href="runs-{m}.html"' in page


def test_the_filter_of_the_first_page_knows_lines_and_columns(stored):
    words = dict(re.findall(r'<li id="table-(.*?)" data-words="(.*?)"', read(stored / "index.html")))
    assert "pr2392" in words["3.3"] and "DS-Roulette" in words["3.3"] and "pr2392" not in words["6.1"]


def test_a_table_that_is_no_longer_shown_has_no_page(stored, tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/gone.html").write_text("old")
    machine = {"tables": [], "runs": [], "points": [], "problems": []}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(printing, "render", lambda *_: "")
        pages.write({"many": [], "every": [machine], "figures": []}, tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*.html")) == [
        "claims.html",
        "index.html",
        "runs-1.html",
        "stands.html",
    ]


def test_tables_and_figures_stand_with_their_source():
    names = ["3.3", "jpdc-4", "jsc-F2", "kth-F8", "6.5-lena", "frontier", "scaling", "3.3-energy"]
    assert [pages.source_of(name) for name in names] == [
        "The thesis", "JPDC", "JSC", "KTH", "The thesis", "This project", "This project", "The thesis",
    ]  # fmt: skip
    found = pages.grouped([{"layout": name} for name in layouts.layouts()], "layout")
    assert [source for source, _ in found] == ["The thesis", "JPDC", "JSC", "KTH", "This project"]


# ---- Nothing is wider than its page ----


def test_what_is_wide_scrolls_within_its_page(stored):
    """Tables, and figures that keep their width on a phone, stand in .scroll."""
    style = (printing.TEMPLATES / "style.css").read_text(encoding="utf-8")
    assert re.search(r"\.scroll \{ overflow-x: auto", style) and "figure.wide img { min-width" in style
    for path in stored.rglob("*.html"):
        text = read(path)
        assert text.count("<table") == text.count('<div class="scroll"><table'), path.name
        wide = re.findall(r'<figure[^>]*class="wide[^>]*>(.{40})', text, re.S)
        assert all('<div class="scroll"><img' in begin for begin in wide), path.name
        assert 'name="viewport" content="width=device-width' in text, path.name


# ---- The fastest ----


def test_the_fastest_is_the_least_of_its_candidates_and_the_others_are_quotients_of_it(stored):
    source = cells.Source([run for run in runs.load_below(runs.RESULTS / "reference") if "H100" in str(run.device)])
    (task,) = [each for each in fastest.tasks([source]) if each["task"].startswith("Ant System over all cities")]
    (line,) = [each for each in task["lines"] if each["input"] == "pr2392"]
    found, slower = line["machines"][0]["fastest"], line["machines"][0]["source"]
    assert found.label == "race of clocks, ours" and slower.label == "DS-Roulette"
    assert (
        slower.slower.value == pytest.approx(slower.measured.value / found.measured.value) and slower.slower.value > 5
    )
    assert found.measured.iterations == slower.measured.iterations or task["iterations"]


def test_every_candidate_of_the_fastest_is_a_row():
    for line in cells.read_layout("fastest.csv"):
        for part in fastest.PARTS:
            if line[part]:
                address = cells.parse(line[part].replace("{x}", cells.members(line["set"])[0]))
                for row in address.rows:
                    fastest.rows.expect("fastest.csv", address.table, row, fastest.rows.measured())


# ---- Addresses ----

ADDRESS = printing.TEMPLATES / "address.js"
NONE = {"at": "", "filter": "", "sort": "", "order": "", "verdict": "", "intervals": ""}


@pytest.fixture
def javascript():
    """The value of an expression in address.js's functions."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no node: apt-get install nodejs")

    def value(expression, *given):
        program = f"{ADDRESS.read_text(encoding='utf-8')}; console.log(JSON.stringify(({expression})(...{json.dumps(given)})))"
        done = subprocess.run([node, "-e", program], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return value


@pytest.mark.parametrize(
    "hash_, state",
    [
        ("", {}),
        ("#", {}),
        ("#figure-3.7", {"at": "figure-3.7"}),
        ("#?filter=pr1002", {"filter": "pr1002"}),
        ("#sentences?verdict=not+measured+yet", {"at": "sentences", "verdict": "not measured yet"}),
        ("#?sort=CPU%2C+1+core&order=down&intervals=1", {"sort": "CPU, 1 core", "order": "down", "intervals": "1"}),
        ("#a?filter=what%3F", {"at": "a", "filter": "what?"}),
        ("#%E0%A4?filter=%E0&unknown=1", {"at": "%E0%A4", "filter": "\ufffd"}),
    ],
)
def test_an_address_is_read(javascript, hash_, state):
    assert javascript("parseAddress", hash_) == {**NONE, **state}


@pytest.mark.parametrize(
    "state, hash_",
    [
        ({}, "#"),
        ({"at": "figure-3.7"}, "#figure-3.7"),
        ({"filter": "2^13 ant & bee"}, "#?filter=2%5E13+ant+%26+bee"),
        ({"at": "claims", "sort": "race", "order": "down"}, "#claims?sort=race&order=down"),
    ],
)
def test_an_address_is_written_short_and_read_again(javascript, state, hash_):
    assert javascript("writeAddress", {**NONE, **state}) == hash_
    assert javascript("parseAddress", hash_) == {**NONE, **state}


def test_a_filter_asks_for_every_word(javascript):
    assert javascript("matches", "PR1002 canny", "Canny of pr1002") and not javascript("matches", "a b", "only a")


@pytest.mark.parametrize("text, number", [("~1\u202f234.5×", 1234.5), ("0.0662", 0.0662), ("–", None), ("d198", None)])
def test_a_cell_has_its_number(javascript, text, number):
    assert javascript("numberIn", text) == number


@pytest.mark.parametrize("down, order", [(False, ["b", "a", "none"]), (True, ["a", "b", "none"])])
def test_cells_without_a_number_come_last(javascript, down, order):
    cells_ = "(down) => ordered([{value: NaN, text: 'none'}, {value: 10, text: 'a'}, {value: 9, text: 'b'}], down).map(c => c.text)"
    assert javascript(cells_, down) == order


def test_text_is_sorted_as_text(javascript):
    found = "() => ordered([{value: NaN, text: 'd1291'}, {value: NaN, text: 'd198'}], false).map(c => c.text)"
    assert javascript(found) == ["d198", "d1291"]


def test_the_address_needs_nothing_of_the_page():
    assert not re.search(r"document|window|location|history", re.sub(r"//.*", "", ADDRESS.read_text(encoding="utf-8")))
