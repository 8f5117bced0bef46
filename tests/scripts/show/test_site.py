"""make site: all GPUs, stored and contributed, each row's history, and that no link leads nowhere."""

import csv
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from test_own_page import dead_links
from test_pages import read, without_pictures

from antbench.data import cells, code, runs, share
from antbench.show import pages, site
from support.figures import without_gnuplot
from thesis_run import DEVICE, RUN_ID, made_row, write_run

pytest.importorskip("jinja2")
LATER = "geforce-gtx-580/20160901T000000Z-1111111"
GIVEN = "nvidia-h100-80gb-hbm3/20260101T000000Z-abcdef1"
REPOSITORY = "https://example.org/someone/antbench"


def write_later(folder):
    """A second run of the stored GPU: DS-Roulette takes 1.5 ms instead of 1.16 ms on d198, and another time on pr1002."""
    times = {"d198": 1.5, "pr1002": 30.0}
    rows = [made_row("3.3", "ds-roulette", x, ms, "protocol=as-best", run_id=LATER) for x, ms in times.items()]
    path = write_run(folder / LATER, rows)
    meta = json.loads((path / "meta.json").read_text())
    meta |= {"run_id": LATER, "started_utc": "2016-09-01T00:00:00Z", "ended_utc": "2016-09-01T00:01:00Z"}
    meta["build"]["commit"] = "1111111"
    (path / "meta.json").write_text(json.dumps(meta))


def write_archive(folder, scratch):
    """What a contributor gives: one file."""
    data = Path(__file__).resolve().parents[2] / "data/runs/newer"
    run = Path(shutil.copytree(data, scratch))
    meta = json.loads((run / "meta.json").read_text())
    old_id, meta["run_id"], meta["complete"], meta["options"]["profile"] = meta["run_id"], GIVEN, True, "quick"
    (run / "meta.json").write_text(json.dumps(meta))
    (run / "table-3.3.csv").write_text((run / "table-3.3.csv").read_text().replace(old_id, GIVEN))
    assert share.main([str(run), "--out", str(folder)]) == 0


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """(the folder results/ of a stored GPU with two runs and a contributed archive, its site)."""
    folder = tmp_path_factory.mktemp("site")
    results = folder / "results"
    write_run(results / "reference" / RUN_ID)
    write_later(results / "reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "RESULTS", results)
        patch.setattr(cells, "RESULTS", results)
        patch.setattr(code, "repository", lambda: "")
        without_gnuplot(patch)
        write_archive(results / "contributed", folder / "given")
        assert site.main(["--out", str(folder / "out")]) == 0
        yield results, folder / "out"


def row_of(text, *names):
    """The cells of the first row with these texts."""
    found = (
        line for line in text.splitlines() if line.startswith("<tr>") and all(f">{name}<" in line for name in names)
    )
    return re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", next(found))


# ---- All GPUs ----


def test_a_visitors_first_questions_come_first_and_a_contributed_gpu_stands_beside_the_stored_one(built):
    page, table = read(built[1] / "index.html"), read(built[1] / "tables/3.3.html")
    assert re.findall(r'<section id="(\w+)">', page)[:4] == ["gains", "claims", "fastest", "tables"]
    gains = page.split('<section id="gains">')[1].split("</section>")[0]
    assert "How many times as fast as the GTX 580?" in gains
    assert f"{DEVICE}, NVIDIA H100 80GB HBM3 (contributed)." in page and "CONTRIBUTING.md" in page
    assert "NVIDIA H100 80GB HBM3 (contributed) <a" in table and "H100 (contributed)" in table
    with open(built[1] / "tables.csv", newline="", encoding="utf-8") as file:
        assert {row["machine"] for row in csv.DictReader(file)} == {DEVICE, "NVIDIA H100 80GB HBM3 (contributed)"}


def test_no_verdict_rests_on_what_was_contributed(built):
    claims = read(built[1] / "index.html").split('<section id="claims">')[1].split("</section>")[0]
    assert "GTX 580" in claims and "H100" not in claims


def test_the_run_of_an_archive_leads_to_the_archive(built):
    results, out = built
    page = read(out / "runs-2.html")
    (name,) = [path.name for path in (results / "contributed").iterdir()]
    assert name == "nvidia-h100-80gb-hbm3-20260101T000000Z-abcdef1.tar.gz" and f">{name}</a>" in page


def test_your_own_runs_are_left_out(built, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "yours", lambda: tmp_path / "runs")
    shutil.copytree(built[0] / "reference", tmp_path / "runs")
    assert {run.path.is_relative_to(tmp_path) for source in site.all_gpus() for run in source.runs} == {False}


# ---- History ----


def test_a_row_has_its_time_in_each_run_by_date_and_commit(built):
    page = read(built[1] / "history/1-3.3.html")
    heads = re.findall(r'<th scope="col">(\d{4}-\d\d-\d\d) <a href="(.*?)">(\w+)</a>', page)
    assert heads == [
        ("2015-09-01", f"../runs-1.html#run-{RUN_ID}", "0000000"),
        ("2016-09-01", f"../runs-1.html#run-{LATER}", "1111111"),
    ]
    _, _, parameters, trend, change, first, second = row_of(page, "ds-roulette", "d198")
    assert parameters == "<small>protocol=as-best</small>" and "<b>1.16</b>" in first and "<b>1.50</b>≠" in second
    assert change == "<b>+29.3</b>"
    (points,) = re.findall(r'<polyline points="(.*?)"/>', trend)
    (x, y), (to_x, to_y) = (map(float, point.split(",")) for point in points.split())
    assert (x, to_x) == (3, 57) and y == 17 and to_y == 3  # up is slower, over the whole height
    once = row_of(page, "ds-roulette", "a280")
    assert "polyline" not in once[3] and once[4] == once[6] == ""
    assert 'Run by run: <a href="../history/1-3.3.html">' in read(built[1] / "tables/3.3.html")


def test_the_numbers_of_a_history_are_in_a_file(built):
    with open(built[1] / "history.csv", newline="", encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if (row["row"], row["instance"]) == ("ds-roulette", "d198")]
    of_thesis = [
        row for row in found if row["machine"] == DEVICE and (row["table"], row["scope"]) == ("3.3", "iteration")
    ]
    assert [(row["started"][:4], row["commit"], row["ms"]) for row in of_thesis] == [
        ("2015", "0000000", "1.16"), ("2016", "1111111", "1.5"),
    ]  # fmt: skip
    assert all(float(row["ci95_lo_ms"]) < float(row["ms"]) < float(row["ci95_hi_ms"]) for row in of_thesis)
    given = [row for row in found if row["machine"].endswith("(contributed)")]
    assert given and all(row["commit"].endswith(", unverified") for row in given)


def test_noise_looks_flat():
    flat = site.Line({}, [cells.Estimate(1.0), cells.Estimate(), cells.Estimate(1.001)], set())
    assert flat.points == ["3,10.1", "57,9.9"] and flat.change == 0.1
    assert site.Line({}, [cells.Estimate(1.0), cells.Estimate(0.9999)], set()).change == 0
    assert site.Line({}, [cells.Estimate(), cells.Estimate(1.0)], set()).points == []


def test_a_run_from_others_names_no_file(built, monkeypatch):
    (found,) = [run for run in site.all_gpus()[0].runs if run.run_id == LATER]
    names = ["3.3", "gone-2", "../../x", "/etc/x", "x" * 300]
    monkeypatch.setattr(site, "timed", lambda source: {name: {(): [found.records[0]]} for name in names})
    pages_of = [part["page"] for each in site.histories(None, 3) for part in each["parts"]]
    assert pages_of == ["3-3.3", "3-gone-2"]


def test_a_history_of_many_runs_is_divided_and_no_page_is_too_large(built, tmp_path):
    (found,) = [run for run in site.all_gpus()[0].runs if run.run_id == LATER]
    days = [replace(found, meta={**found.meta, "started_utc": f"2017-01-01T00:00:{i}Z"}) for i in range(10, 50)]
    of_rows = [[{**found.records[0], "row": f"a-row-of-this-name-{i}", "run": run} for run in days] for i in range(100)]
    made = site.history("3.3", of_rows, 1)
    assert len(made["runs"]) == 40 and made["rows"] == 100 == sum(len(part["lines"]) for part in made["parts"])
    site.write_histories({"every": [{"device": DEVICE, "histories": [made]}]}, tmp_path)
    pages_there = {path.stem: path for path in (tmp_path / "history").iterdir()}
    assert set(pages_there) == {"1-3.3", "1-3.3-2", "1-3.3-3"}
    assert all(path.stat().st_size < pages.MOST for path in pages_there.values())
    assert "a-row-of-this-name-99" in read(pages_there["1-3.3-3"])
    assert all(f'href="{name}.html"' in read(path) for name in pages_there for path in pages_there.values())


# ---- Pages and links ----


def test_every_link_leads_somewhere(built):
    assert dead_links(built[1]) == set()


def test_pages_are_small_and_their_pictures_are_files(built):
    for path in built[1].rglob("*.html"):
        assert "data:image" not in read(path) and path.stat().st_size < pages.MOST, path.name
    shown = {name for path in built[1].rglob("*.html") for name in re.findall(r"figures/([^\"\s]+)", read(path))}
    assert shown == {path.name for path in (built[1] / "figures").iterdir()} and shown


def test_the_site_of_the_stored_runs_leads_to_the_repository(tmp_path, monkeypatch):
    """Links to files of the tree are addresses at a commit that has these files."""
    monkeypatch.setattr(runs, "RESULTS", runs.ROOT / "results")
    monkeypatch.setattr(cells, "RESULTS", runs.ROOT / "results")
    monkeypatch.setattr(code, "repository", lambda: REPOSITORY)
    without_gnuplot(monkeypatch)
    assert site.main(["--out", str(tmp_path / "out")]) == 0
    assert dead_links(tmp_path / "out") == set()
    pages_there = list((tmp_path / "out").rglob("*.html"))
    assert len(pages_there) > 130 and max(len(without_pictures(read(path))) for path in pages_there) < pages.MOST
    links = {link for path in pages_there for link in re.findall(r'href="([^"#]+)', read(path))}
    of_tree = {unquote(link) for link in links if link.startswith(REPOSITORY)}
    stored = list((runs.ROOT / "results/reference").glob("*/*/meta.json"))
    assert len(of_tree) > len(stored) > 0 and not any(link.startswith("../../") for link in links)
    blobs = dict(re.fullmatch(rf"{REPOSITORY}/blob/(\w+)/(.*)", link).groups()[::-1] for link in of_tree)
    assert [file for file, commit in blobs.items() if code.git("cat-file", "-e", f"{commit}:{file}") is None] == []
