"""Claims: each predicate on made-up numbers, and the thesis's claims on the thesis's own numbers."""

import pytest

from antbench import cells, claims
from antbench.cells import Estimate
from thesis_run import made_row, write_run

# What the thesis's own numbers contradict, or what it has no numbers for (results/published/NOTES.md).
UNTESTED_THERE = {
    "tours-match",
    "shared-exhausted",
    "task-parallel",
    "candidates-32",
    "candidates-quality",
    "jpdc-21x",
    "jpdc-update-20x",
    "jpdc-128",
}


@pytest.fixture(scope="module")
def thesis(tmp_path_factory):
    folder = write_run(tmp_path_factory.mktemp("runs") / "thesis")
    return cells.choose(str(folder))[0]


def cases(*values, spread=0.0):
    names = [f"case{i}" for i in range(len(values))]
    return [
        claims.Case(name, Estimate(value, value * (1 - spread), value * (1 + spread)))
        for name, value in zip(names, values)
    ]


@pytest.mark.parametrize(
    "predicate, threshold, holding, failing",
    [
        (claims.best_at_least, "82", (10, 82, 50), (10, 81, 50)),
        (claims.all_at_least, "1", (1, 2), (2, 0.99)),
        (claims.all_at_most, "1", (0.3, 1), (0.3, 1.01)),
        (claims.most_at_most, "1", (0.9, 0.95, 1.3), (0.9, 1.2, 1.3)),
        (claims.from_to, "4 8.5", (4, 6, 8.5), (3.9, 8.5)),
        (claims.from_to, "4 8.5", (9, 20), (4, 8.4)),
        (claims.all_between, "0.95 1.05", (0.95, 1.05), (0.95, 1.06)),
        (claims.largest_at, "case1", (1, 3, 2), (3, 1, 2)),
        (claims.smallest_at, "case1", (2, 1, 3), (1, 2, 3)),
        (claims.falls_after, "case1", (1, 5, 4, 3), (1, 5, 4, 4.5)),
        (claims.grows, "", (1, 2, 3), (1, 3, 2)),
        (claims.spread_at_most, "1.1", (1, 1.05, 1.1), (1, 1.2)),
    ],
)
def test_predicates(predicate, threshold, holding, failing):
    assert predicate(cases(*holding), threshold)[0]
    assert not predicate(cases(*failing), threshold)[0]


def test_every_predicate_in_the_list_is_tested_and_used():
    used = {claim["predicate"] for claim in cells.read_layout("claims.csv")}
    assert used == set(claims.PREDICATES)


def test_growth_forgives_what_the_intervals_explain():
    assert claims.grows(cases(1, 3, 2.9, 4, spread=0.1), "")[0]
    assert not claims.grows(cases(1, 3, 2.9, 4, spread=0.001), "")[0]


def test_the_thesis_claims_what_its_tables_say(thesis):
    verdicts = {verdict.claim["id"]: verdict for verdict in claims.judge_all(thesis)}
    assert {name for name, v in verdicts.items() if v.verdict == claims.UNTESTED} == UNTESTED_THERE
    assert {name for name, v in verdicts.items() if v.verdict == claims.FAILS} == set()


def test_a_verdict_has_the_deciding_case_with_its_interval(thesis):
    verdict = {v.claim["id"]: v for v in claims.judge_all(thesis)}["cpu-82x"]
    assert verdict.measured == "82.3 (82.1 to 82.5) at pr1002"
    assert verdict.threshold == "best at least 82"


def test_a_claim_without_its_rows_says_what_it_needs(thesis):
    verdict = {v.claim["id"]: v for v in claims.judge_all(thesis)}["task-parallel"]
    assert verdict.reason == "needs Table 4.2 on CPU and GPU: no row 4.2 cand-thread d198"


def test_a_contradicted_claim_fails(tmp_path):
    rows = [
        made_row("3.3", "i-roulette", "d198", 1.0, "protocol=as-best"),
        made_row("3.3", "ds-roulette", "d198", 1.25, "protocol=as-best"),
    ]
    source = cells.choose(str(write_run(tmp_path / "run", rows)))[0]
    verdict = {v.claim["id"]: v for v in claims.judge_all(source)}["i-roulette-4-8x"]
    assert verdict.verdict == claims.FAILS
    assert verdict.measured.startswith("0.800 (0.798 to 0.802) at d198")
    assert verdict.reason == "without a280, lin318, pcb442, rat783, pr1002, nrw1379, pr2392"


def test_rows_of_the_host_backend_are_never_used(tmp_path):
    rows = [
        made_row("3.3", "i-roulette", "d198", 1.0, "protocol=as-best", backend="host", device="host"),
        made_row("3.3", "ds-roulette", "d198", 1.0, "protocol=as-best"),
    ]
    source = cells.choose(str(write_run(tmp_path / "run", rows)))[0]
    assert {v.verdict for v in claims.judge_all(source) if v.claim["id"] == "i-roulette-4-8x"} == {claims.UNTESTED}


def test_a_run_that_tests_no_claim_is_skipped(tmp_path, capsys):
    folder = write_run(tmp_path / "run", [made_row("9.9", "other", "d198", 1.0)])
    assert claims.main(["--run", str(folder)]) == 77
    assert f"0 holds, 0 fails, {len(cells.read_layout('claims.csv'))} not testable here" in capsys.readouterr().out
