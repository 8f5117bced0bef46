"""docs/stands.md: what stands of each chapter, and why what changed did, with numbers of the stored runs."""

import functools
import math

import pytest

from antbench.data import cells
from antbench.data.command import ROOT
from antbench.show import readme, report, stands

pytest.importorskip("jinja2")

WHY = [line for line in cells.read_layout("stands.csv") if line["kind"] == "why"]


@functools.cache
def page():
    """The chapters of the stored runs."""
    return stands.of_stored(readme.stored(), readme.evidence(), readme.verdicts())


@pytest.fixture
def texts(monkeypatch):
    """Puts lines in the place of stands.csv."""

    def put(*lines):
        named = [dict(zip(("chapter", "kind", "only_if", "text"), ("thesis-3", "why", *line))) for line in lines]
        monkeypatch.setattr(stands.cells, "read_layout", lambda name: named)

    return put


def test_every_claim_is_in_one_chapter():
    claims = cells.read_layout("claims.csv")
    found = {
        claim["id"]: [chapter["chapter"] for chapter in stands.chapters() if stands.is_of(claim, chapter)]
        for claim in claims
    }
    assert {id_: chapters for id_, chapters in found.items() if len(chapters) != 1} == {}
    assert sorted(v["id"] for chapter in page() for v in chapter["verdicts"]) == sorted(claim["id"] for claim in claims)


def test_tours_of_all_machines_count_for_the_gpus_beside(monkeypatch):
    """A tour is as long on any GPU."""
    beside = []
    monkeypatch.setattr(stands.claims, "judge_all", lambda source: beside.append(source) or [])
    stands.of_stored(readme.stored(), readme.evidence(), readme.verdicts())
    assert beside and all(each.of_any_machine.keys() == readme.evidence().of_any_machine.keys() for each in beside)


def test_a_section_is_not_another_that_begins_alike():
    chapter = {"source": "JPDC", "sections": ["§5.1"]}
    of = [
        section
        for section in ("§5.1", "§5.1.2", "§5.1.4, §7", "§5.12", "§5.2")
        if stands.is_of({"source": "JPDC", "section": section}, chapter)
    ]
    assert of == ["§5.1", "§5.1.2", "§5.1.4, §7"]
    assert not stands.is_of({"source": "JSC", "section": "§5.1"}, chapter)


def test_every_sentence_is_of_a_chapter_and_true_of_the_stored_runs():
    """One whose condition the stored runs no longer bear out is to be written anew."""
    shown = {chapter["chapter"]: chapter["why"] for chapter in page()}
    expected = {name: sum(line["chapter"] == name for line in WHY) for name in shown}
    assert {name: len(texts) for name, texts in shown.items()} == expected and sum(expected.values()) == len(WHY)
    assert all(chapter["found"] and chapter["why"] and chapter["verdicts"] for chapter in page())


@pytest.mark.parametrize("line", WHY, ids=[line["text"][:40] for line in WHY])
def test_every_reason_has_a_number_and_a_condition(line):
    assert "{{" in line["text"] and line["only_if"]


def test_every_chapter_has_a_figure():
    for chapter in stands.chapters():
        assert (ROOT / f"docs/figure-{chapter['figure']}.png").exists() and chapter["figure"] in report.captions()


def test_the_numbers_are_those_of_the_runs_and_the_source():
    numbers = stands.Numbers(readme.evidence())
    asked = "=thesis-3.3/ds-roulette/{x}", "3.3/ds-roulette/{x}?protocol=as-best", "tsp"
    ours = {
        x: numbers.source.find(cells.parse(f"3.3/ds-roulette/{x}?protocol=as-best")).value for x in cells.members("tsp")
    }
    ratios = {x: cells.published_rows()[f"thesis-3.3/ds-roulette/{x}"]["value"] / ms for x, ms in ours.items()}
    assert numbers.least(*asked) == pytest.approx(min(ratios.values())) and numbers.most(*asked) == pytest.approx(
        max(ratios.values())
    )
    assert numbers.mean(*asked) == pytest.approx(math.prod(ratios.values()) ** (1 / 8))
    assert numbers.at(*asked, "pr2392") == pytest.approx(ratios["pr2392"])
    assert numbers.span(*asked) == "5.8 to 84"
    assert numbers.span("=thesis-5.1/warp-128/512x512", "", "lena") == "6.53"
    assert numbers.device("sm_count") == 132 and round(numbers.bandwidth) == 3352


RATIO = "'3.3/i-roulette/{x}?protocol=as-best', '3.3/ds-roulette/{x}?protocol=as-best', 'd198'"


def test_a_sentence_is_left_out_where_it_is_not_true_or_a_number_is_missing(texts):
    texts(
        (f"least({RATIO}) > 2", f"more: {{{{ two(least({RATIO})) }}}}"),
        (f"least({RATIO}) > 3", "not so"),
        ("", "{{ span('3.3/nobody/{x}', '', 'tsp') }} of nobody"),
        ("at('3.3/ds-roulette/{x}?protocol=as-best', '', 'd198', 'pr1002') > 0", "a case that is not asked for"),
        ("device('nothing') > 0", "a number that the driver does not tell"),
    )
    assert list(stands.sentences("thesis-3", "why", stands.Numbers(readme.evidence()))) == ["more: 2.1"]


def test_a_machine_without_a_gpu_has_reasons_of_pictures_alone():
    """The study of noise runs on the CPU. All other reasons are of times on a GPU."""
    cpu = [run for run in readme.stored() if not run.device]
    found = {chapter["chapter"]: chapter["why"] for chapter in stands.values(cells.Source(cpu), []) if chapter["why"]}
    assert list(found) == ["thesis-6"]
    assert [why.partition(" noise")[0] for why in found["thesis-6"]] == ["Under salt-and-pepper", "Under Gaussian"]


def test_another_verdict_on_another_gpu_stands_behind():
    mine = {"id": "a", "kind": "holds"}
    others = [
        ("H100", {"a": {"kind": "fails"}}),
        ("H200", {"a": {"kind": "holds"}}),
        ("B200", {"a": {"kind": "not measured yet"}}),
        ("L4", {}),
    ]
    assert stands.differing(mine, others) == [("H100", "fails")]
    behind = {gpu for chapter in page() for verdict in chapter["verdicts"] for gpu, _ in verdict["elsewhere"]}
    assert behind == {"H200"}


def test_the_page_has_every_sentence():
    text = (ROOT / "docs/stands.md").read_text(encoding="utf-8")
    for claim in cells.read_layout("claims.csv"):
        assert not claim["quote"] or f"“{claim['quote'].replace('|', '/')}” ({claim['section']})" in text
    assert f"on the {readme.evidence().label}:" in text


def test_the_report_has_a_page_of_it(thesis_report):
    """Of a GTX 580 that measured the thesis's own numbers: nothing moved."""
    page = (thesis_report / "stands.html").read_text(encoding="utf-8")
    assert page.count("<section id=") == len(stands.chapters()) and 'href="stands.html"' in (
        thesis_report / "index.html"
    ).read_text(encoding="utf-8")
    assert page.count('<span class="verdict') == len(cells.read_layout("claims.csv"))
    assert "{{" not in page and "on the NVIDIA GeForce GTX 580" in page
    assert "The CPU moved further than the GPU" not in page and "Figure 3.7." in page
