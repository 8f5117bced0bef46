"""Claims: each predicate on made-up numbers, and the thesis's claims on the thesis's own numbers."""

import math

import pytest

from antbench import cells, claims, runs
from antbench.cells import Estimate
from thesis_run import RUN_ID, made_row, seeds_row, write_run


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


H, E, T, F, U = claims.HOLDS, claims.EXCEEDED, claims.TIE, claims.FAILS, claims.UNDECIDED


@pytest.mark.parametrize("value, text", [(0.09998, "0.100"), (9.998, "10.0"), (0.5, "0.500"), (2345.6, "2346"), (0, "0")])
def test_a_number_has_three_digits(value, text):
    assert claims.short(value) == text


@pytest.mark.parametrize(
    "predicate, threshold, values, verdict",
    [
        (claims.up_to, "82", (10, 82, 50), H),
        (claims.up_to, "82", (10, 186, 50), E),
        (claims.up_to, "82", (10, 20, 50), F),
        (claims.up_to, "82", (10, 74.5, 50), U),
        (claims.average, "2", (1, 3), H),
        (claims.average, "2", (1, 4), E),
        (claims.average, "2", (1, 2), F),
        (claims.average, "2", (1.5, 2.13), U),
        (claims.around, "5", (4.5, 5.5), H),
        (claims.around, "5", (5, 9), E),
        (claims.around, "5", (3, 5), F),
        (claims.from_to, "4 8.5", (4, 6, 8.5), H),
        (claims.from_to, "4 8.5", (11, 39), E),
        (claims.from_to, "4 8.5", (3, 20), F),
        (claims.all_above, "1", (1.1, 2), H),
        (claims.all_above, "1", (1.2, 0.9), F),
        (claims.all_above, "1", (1.01, 0.99), T),
        (claims.all_above, "1", (1.2, 1.005), U),
        (claims.all_below, "1", (0.3, 0.9), H),
        (claims.all_below, "1", (0.3, 1.2), F),
        (claims.all_below, "1", (0.99, 1.01), T),
        (claims.all_below, "1", (0.5, 0.995), U),
        (claims.all_within, "1.05", (0.98, 1.03), H),
        (claims.all_within, "1.05", (1, 2), F),
        (claims.all_within, "1.05", (1, 1.045), U),
        (claims.most_below, "1", (0.9, 0.95, 1.3), H),
        (claims.most_below, "1", (0.9, 1.2, 1.3), F),
        (claims.most_below, "1", (0.9, 0.999, 1.3), U),
        (claims.smallest_at, "case1", (2, 1, 3), H),
        (claims.smallest_at, "case1", (1, 2, 3), F),
        (claims.smallest_at, "case1", (1, 1.01, 3), T),
        (claims.falls_after, "case1", (1, 5, 4, 3), H),
        (claims.falls_after, "case1", (1, 5, 4, 4.5), F),
        (claims.falls_after, "case1", (1, 5, 4), U),
        (claims.grows, "", (1, 2, 3), H),
        (claims.grows, "", (1, 3, 2), F),
        (claims.grows, "", (1, 1.005), U),
        (claims.spread_at_most, "1.1", (1, 1.05), H),
        (claims.spread_at_most, "1.1", (1, 1.2), F),
        (claims.spread_at_most, "1.1", (1, 1.1), U),
    ],
)
def test_predicates(predicate, threshold, values, verdict):
    """Intervals of 1 % either way decide."""
    assert predicate(cases(*values, spread=0.01), threshold)[0] == verdict


@pytest.mark.parametrize("predicate", claims.PREDICATES)
def test_without_an_interval_nothing_is_decided(predicate):
    """One sample, or one run's quality: 4343 ms measured once is no proof of anything."""
    vague = [claims.Case(f"case{i}", Estimate(value)) for i, value in enumerate((2.0, 1.0, 3.0))]
    threshold = {"smallest_at": "case1", "falls_after": "case0", "from_to": "1 3"}
    assert claims.PREDICATES[predicate](vague, threshold.get(predicate, "1.5"))[0] == U


@pytest.mark.parametrize("predicate", claims.PREDICATES)
def test_an_open_interval_decides_nothing(predicate):
    """Quotients of times one of which may as well be 0."""
    vague = [claims.Case(f"case{i}", Estimate(value, 0, math.inf)) for i, value in enumerate((2.0, 1.0, 3.0))]
    threshold = {"smallest_at": "case1", "falls_after": "case0", "from_to": "1 3"}
    assert claims.PREDICATES[predicate](vague, threshold.get(predicate, "1.5"))[0] == U
    assert claims.with_interval(Estimate(2.0, 0, math.inf, n=3)) == "2.00 (open, n 3)"
    assert claims.why_undecided(vague[:1]) == "an open interval: that of a part reaches 0 at case0"


def test_every_predicate_is_used_and_has_words():
    used = {claim["predicate"] for claim in cells.read_layout("claims.csv")}
    assert used - {claims.NO_PREDICATE} == set(claims.PREDICATES) == set(claims.WORDS)


def test_every_claim_has_a_sentence_and_what_it_lacks():
    lines = cells.read_layout("claims.csv")
    assert len({line["id"] for line in lines}) == len(lines)
    for line in lines:
        assert line["quote"] or line["claim"], line["id"]
        assert line["needs"] and (line["claim"] or line["predicate"] == claims.NO_PREDICATE), line["id"]


def test_no_certainty_is_constructed():
    """What cannot come out otherwise is no test: the same draws in both, a picture without grey edges."""
    tested = [line["top"] + line["over"] for line in cells.read_layout("claims.csv")]
    assert not [top for top in tested if "agreement-same-seeds" in top or "F6.6/" in top or "uncached" in top]


def test_the_thesis_claims_what_its_tables_say(thesis):
    """Of its own times none fails, but for two sentences that its tables contradict (results/published/NOTES.md)."""
    verdicts = {verdict.claim["id"]: verdict.verdict for verdict in claims.judge_all(thesis)}
    assert {name for name, v in verdicts.items() if v == claims.FAILS} == {"colour-10x", "compression-worsens"}
    holding = (
        "cpu-82x i-roulette-8x construct-majority i-roulette-loses i-roulette-0.2 ds-roulette-large candidates-18x"
    )
    assert {verdicts[name] for name in holding.split()} == {claims.HOLDS}


NOISE = """noise-salt-and-pepper-tuned noise-salt-and-pepper-planes noise-salt-and-pepper-fixed noise-salt-and-pepper-sobel
noise-gaussian-tuned noise-gaussian-planes noise-gaussian-fixed noise-gaussian-sobel no-noise constant-fixed constant-tuned
constant-photographs falter-photographs""".split()


def test_claims_of_noise_are_decided_by_seeds_and_pictures(thesis):
    """Ten seeds have an interval; F without noise is exact; a case is a picture and a level."""
    found = {verdict.claim["id"]: verdict for verdict in claims.judge_all(thesis)}
    assert {name for name in found if name.startswith(("noise-", "constant-", "no-noise", "falter-"))} == set(NOISE)
    assert {found[name].verdict for name in NOISE} == {claims.HOLDS}
    assert found["noise-gaussian-planes"].measured == "1.45 (1.44 to 1.46, n 10) at shapes-512 with level=20"
    assert found["constant-tuned"].measured == "0.944 (0.941 to 0.948, n 10) at shapes-512"
    assert found["no-noise"].measured == "1.12 at shapes-512"
    assert found["falter-photographs"].measured == "1.39 (1.38 to 1.39, n 10) at lena with level=20"
    assert len(cells.sets()["noisy"]) == 6 and len(cells.sets()["noisy-photographs"]) == 10


def test_one_picture_that_says_otherwise_decides(tmp_path):
    def claim(value, n=10):
        params = "noise=gaussian;level=40;tuning=best"
        rows = [seeds_row(row, picture, params, value if (row, picture) == ("canny-gpu", "ramp-512") else 0.6, n=n)
                for row in ("colour-edge", "canny-gpu") for picture in ("shapes-512", "ramp-512", "shapes-512-2")]
        folder = tmp_path / f"{value}-{n}"
        return claim_of(rows, folder, "noise-gaussian-tuned")

    contradicted = claim(0.7)
    assert contradicted.verdict == F and "ramp-512 with level=40" in contradicted.measured
    assert claim(0.6).verdict == T
    assert claim(0.7, n=1).verdict == U, "one seed has no interval"


def test_a_verdict_has_the_deciding_case_with_interval_n_and_runs(thesis):
    verdict = {v.claim["id"]: v for v in claims.judge_all(thesis)}["cpu-82x"]
    assert verdict.measured == "82.3 (82.1 to 82.5, n 100) at pr1002"
    assert verdict.threshold == "the largest is near 82" and [run.run_id for run in verdict.runs] == [RUN_ID]


def test_a_claim_without_its_rows_says_what_it_needs(thesis):
    verdict = {v.claim["id"]: v for v in claims.judge_all(thesis)}
    assert verdict["task-parallel"].reason == "needs Table 4.2 on CPU and GPU: no row 4.2 cand-thread d198"
    assert verdict["uchida"].reason == "missing: the kernels of Uchida et al."


def claim_of(rows, tmp_path, name):
    source = cells.choose(str(write_run(tmp_path / "run", rows)))[0]
    return {v.claim["id"]: v for v in claims.judge_all(source)}[name]


def test_a_contradicted_claim_fails(tmp_path):
    rows = [
        made_row("3.3", "i-roulette", "d198", 1.0, "protocol=as-best"),
        made_row("3.3", "ds-roulette", "d198", 1.25, "protocol=as-best"),
    ]
    verdict = claim_of(rows, tmp_path, "i-roulette-8x")
    assert verdict.verdict == claims.FAILS
    assert verdict.measured.startswith("0.800 (0.798 to 0.802, n 100) at d198")
    assert verdict.reason == "without a280, lin318, pcb442, rat783, pr1002, nrw1379, pr2392"


def test_a_stand_in_tests_no_claim(tmp_path):
    rows = [made_row("3.3", row, "u198", 1.0, "protocol=as-best") for row in ("i-roulette", "ds-roulette")]
    assert claim_of(rows, tmp_path, "i-roulette-8x").verdict == claims.UNTESTED


def test_tours_of_a_cpu_elsewhere_count_and_their_times_do_not(tmp_path):
    def tours(row, runs_, ms):
        return made_row("3.3", row, "d198", ms, "protocol=as-best", quality_metric="best-tour-after-100-iterations",
                        size=1, quality_runs=runs_,
                        quality_best=min(map(int, runs_.split())), quality_mean=int(runs_.split()[0]))  # fmt: skip

    here = runs.load_run(write_run(tmp_path / "here", [tours("ds-roulette", "100 101 99 100", 1.0)]))
    there = runs.load_run(write_run(tmp_path / "there", [tours("acotsp-omp", "110 111 109 110", 1.0)]))
    source = cells.Source([here], [there])
    address = "3.3/acotsp-omp/d198?protocol=as-best"
    assert cells.look_up(source, address + "#quality").value == 110
    assert not cells.look_up(source, address)


def test_of_a_cpu_the_row_with_most_samples_is_taken(tmp_path):
    few = write_run(tmp_path / "newer", [made_row("3.3", "acotsp-seq", "d198", 1.0, samples=5)])
    many = write_run(tmp_path / "older", [made_row("3.3", "acotsp-seq", "d198", 2.0, samples=50)])
    best = runs.best_rows([runs.load_run(many), runs.load_run(few)])
    assert best["median_ms"].tolist() == [2.0]


def test_rows_of_the_host_backend_are_never_used(tmp_path):
    rows = [
        made_row("3.3", "i-roulette", "d198", 1.0, "protocol=as-best", backend="host", device="host"),
        made_row("3.3", "ds-roulette", "d198", 1.0, "protocol=as-best"),
    ]
    source = cells.choose(str(write_run(tmp_path / "run", rows)))[0]
    assert {v.verdict for v in claims.judge_all(source) if v.claim["id"] == "i-roulette-8x"} == {claims.UNTESTED}


def test_a_run_that_tests_no_claim_is_skipped(tmp_path, capsys):
    folder = write_run(tmp_path / "run", [made_row("9.9", "other", "d198", 1.0)])
    assert claims.main(["--run", str(folder)]) == 77
    assert f"{len(cells.read_layout('claims.csv'))} cannot be tested here" in capsys.readouterr().out
