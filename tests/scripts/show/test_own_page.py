"""The page of one's own run, without a GPU too, and that no link of a page leads nowhere."""

import json
import re
from urllib.parse import unquote

import pytest

from antbench.data import cells, runs
from antbench.show import claims, report
from support.figures import without_gnuplot
from thesis_run import DEVICE, made_row, write_run

pytest.importorskip("jinja2")
OWN = "AMD EPYC"
STORED_RUN, OWN_RUN = "geforce-gtx-580/20150901T000000Z-0000000", "amd-epyc/20260901T000000Z-0000000"


def host_row(table, row, instance, params="", **more):
    """A row that was verified on the host backend."""
    none = dict.fromkeys([*runs.TIMES, "samples", "processes", "discarded", "own samples"], "")
    note = "verified on the host backend, not timed"
    told = {"backend": "host", "device": OWN, "note": note, "verify_metric": "valid-tours", "verify_value": 5}
    return made_row(table, row, instance, 1, params, "functional", **{**none, **told, **more})


def own_rows():
    """What a run without a GPU has of Tables 3.3 and 6.1, and of one that is verified on a formula that it does not show."""
    best = "protocol=as-best;ants=25"
    return [
        made_row("3.3", "acotsp-seq", "d198", 4.0, "protocol=as-best;threads=1", device=OWN),
        host_row("3.3", "ds-roulette", "d198", best),
        host_row("3.3", "race", "d198", best, status="unsupported", note="needs more memory"),
        host_row("3.3", "ds-roulette", "pcb442", best),
        host_row("3.3", "i-roulette", "d198", "protocol=as;ants=25"),
        made_row("6.1", "opencv-1", "lena", 1.0, scope="kernel", device=OWN),
        host_row("6.1", "colour-edge", "lena", "sigma=0"),
        host_row("jsc-3", "tiled", "2^6"),
    ]


def write_own(folder):
    """Such a run, of a machine without a GPU, newer than the stored one."""
    path = write_run(folder / OWN_RUN, [{**row, "run_id": OWN_RUN} for row in own_rows()])
    meta = json.loads((path / "meta.json").read_text())
    machine = {**meta["machine"], "name": OWN, "cpu": OWN}
    times = {"started_utc": "2026-09-01T00:00:00Z", "ended_utc": "2026-09-01T00:01:00Z"}
    meta |= {"run_id": OWN_RUN, "devices": [], "machine": machine, **times}
    (path / "meta.json").write_text(json.dumps(meta))
    return path


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder results/: a stored run of a GPU, and one's own without."""
    folder = tmp_path_factory.mktemp("results")
    write_run(folder / "reference" / STORED_RUN)
    write_own(folder / "runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "RESULTS", folder)
        patch.setattr(cells, "RESULTS", folder)
        without_gnuplot(patch)
        yield folder


@pytest.fixture(scope="module")
def page(results, tmp_path_factory):
    out = tmp_path_factory.mktemp("page")
    assert report.main(["--out", str(out)]) == 0
    return out


def section(page, begin, end):
    return page.split(begin, 1)[1].split(end, 1)[0]


def row_of(html, name):
    """The cells of a line, their texts."""
    (line,) = re.findall(rf'<tr><th scope="row" class="name">{name}</th>(.*?)</tr>', html, re.S)
    return [re.sub(r"<[^>]+>", " ", cell).strip() for cell in re.findall(r"<td>(.*?)</td>", line, re.S)]


# ---- Which runs are shown ----


def test_ones_own_run_comes_first_and_the_stored_one_beside_it(results):
    own, stored = cells.choose()
    assert (own.device, own.has_gpu) == (OWN, False) and (stored.device, stored.has_gpu) == (DEVICE, True)
    assert cells.on_gpu([own, stored]) is stored and cells.on_gpu([own]) is own


def test_ones_own_run_on_a_gpu_is_shown_alone(results, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "yours", lambda: tmp_path)
    (stored,) = cells.choose()
    assert stored.runs[0].path.is_relative_to(results / "reference")
    write_run(tmp_path / STORED_RUN)
    (own,) = cells.choose()
    assert own.runs[0].path.is_relative_to(tmp_path)


# ---- The page ----


def test_the_page_is_titled_by_ones_own_machine_and_begins_with_it(page):
    html, text = ((page / name).read_text(encoding="utf-8") for name in ("index.html", "report.md"))
    assert f"<title>antbench: {OWN}</title>" in html and f"<h1>antbench: {OWN}</h1>" in html
    assert f"beside {DEVICE} (stored runs)" in html and "No GPU took part here" in html
    order = [html.index(f'<section id="{id_}">') for id_ in ("own", "gains", "claims", "fastest", "tables", "figures")]
    assert order == sorted(order)
    assert text.startswith(f"# antbench: {OWN}\n")
    order = [text.index(f"## {title}\n") for title in (f"Tables: {OWN}", f"Claims: {DEVICE}", f"Tables: {DEVICE}")]
    assert order == sorted(order)


def test_claims_are_judged_on_the_gpu(page, capsys):
    assert f"<h1>Claims: {DEVICE}</h1>" in (page / "claims.html").read_text(encoding="utf-8")
    assert f"published sentences, on {DEVICE}:" in (page / "index.html").read_text(encoding="utf-8")
    assert claims.main([]) == 0 and f" published sentences on {DEVICE}: " in capsys.readouterr().out


def test_what_was_verified_says_so_in_its_cell(page):
    own = (page / "tables/3.3.html").read_text(encoding="utf-8")
    table = section(own, 'id="table-1-3.3"', "</table>")
    columns = [re.sub(r"<[^>]+>", "", column) for column in re.findall(r'<th scope="col">(.*?)</th>', table)]
    assert columns == ["ACOTSP-style, 1 core", "DS-Roulette"]
    assert [cell.split()[0] for cell in row_of(table, "d198")] == ["4.00", "verified,"]
    assert row_of(table, "pcb442")[1].startswith("verified, not timed") and "7.79" in row_of(table, "pcb442")[1]
    assert "not measured yet" not in own
    text = section((page / "report.md").read_text(encoding="utf-8"), "### Table 3.3: ", "\n###")
    assert "| d198 | 48.37 | 4.00 | 12.1 | 1.16 | verified, not timed | – |" in text


def test_what_has_nothing_is_left_out_and_named_in_one_line(page):
    own = section((page / "index.html").read_text(encoding="utf-8"), '<section id="own">', "</section>")
    block = section((page / "tables/3.3.html").read_text(encoding="utf-8"), 'id="table-1-3.3"', "</div>\n<div")
    told = (
        "Left out, since nothing of them was measured: instance a280, lin318, rat783, pr1002, nrw1379, pr2392 · column "
    )
    (line,) = (line for line in block.splitlines() if told in line)
    assert all(f"“{label}”" in line for label in ("race", "I-Roulette", "fastest CPU, 1 core"))
    listed = re.findall(r'href="tables/(.*?)\.html"', own)
    assert "6.1" in listed and "4.2" not in listed and "3.3-speedup" not in listed
    (missing,) = re.findall(r'<p class="missing">Without times on this machine: (.*?)</p>', own)
    (verified,) = re.findall(r'<p class="missing">Verified on smaller inputs, not timed: (.*?)</p>', own)
    assert "Table 4.2" in missing and "JSC, Table 3" not in missing
    assert (
        verified
        == "JSC, Table 3: P systems for SAT, 256 literals, on CPU and GPU (ms) (<code>make bench-jsc-3</code>)."
    )


def test_the_files_beside_the_page_say_it_too(page):
    text = (page / "tables.csv").read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith(f"{OWN},3.3,d198,DS-Roulette,"))
    assert ',,,,,ok,"verified, not timed",' in line
    assert r"d198 & 1.16 & {verified} & {--} \\" in (page / "latex/table-3-3.tex").read_text().splitlines()


def test_a_verified_row_is_no_time_to_claims_and_figures(results):
    own, _ = cells.choose()
    found = cells.look_up(own, "3.3/ds-roulette/d198?protocol=as-best")
    assert not found and found.reason == cells.VERIFIED
    assert not cells.quotient(own, "3.3/acotsp-seq/d198?protocol=as-best", "3.3/ds-roulette/d198?protocol=as-best")
    for address in (
        "3.3/ds-roulette/a280",
        "3.3/ds-roulette/d198#quality",
        "3.3/race/d198",
        "3.3/ds-roulette/d198?stage=choice",
    ):
        assert cells.look_up(own, address).reason.startswith("no row 3.3 ")
    assert cells.look_up(own, "6.1/colour-edge/lena?scope=kernel").reason == cells.VERIFIED


def test_a_page_of_such_a_run_alone(results, tmp_path):
    assert report.main(["--run", str(results / "runs"), "--out", str(tmp_path)]) == 0
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert f"<title>antbench: {OWN}</title>" in html and DEVICE not in html and '<section id="own">' not in html


# ---- Links ----


def dead_links(page):
    """Those of all pages that lead nowhere: to no element of a page, or to no file."""
    html = {path.resolve(): path.read_text(encoding="utf-8") for path in page.rglob("*.html")}
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in html.items()}
    links = [(path, link) for path, text in html.items() for link in re.findall(r'\b(?:href|src)="([^"]+)"', text)]
    assert len(links) > 100
    links += [
        (path, link) for path in page.glob("*.md") for link in re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8"))
    ]
    return {link for path, link in links if not re.match(r"(https?|data):", link) and is_dead(path, link, ids)}


def is_dead(path, link, ids):
    name, _, place = link.partition("#")
    there = (path.parent / unquote(name)).resolve() if name else path
    return not there.exists() or bool(place) and unquote(place) not in ids[there]


def test_every_link_leads_somewhere(page):
    assert dead_links(page) == set()


def test_every_link_of_the_page_of_the_stored_runs_leads_somewhere(stored_report):
    """Claims on tours take a CPU's of any stored machine: that run is not on the page."""
    assert dead_links(stored_report) == set()
    html = (stored_report / "claims.html").read_text(encoding="utf-8")
    assert re.search(r'<a href="runs-1\.html#run-nvidia-h100-80gb-hbm3/', html)
