"""Claims: each predicate on made-up numbers, sentences and their cases, and the thesis's claims on the thesis's own
numbers."""

import math
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from antbench.data import cells, runs, spread
from antbench.data.cells import Estimate
from antbench.show import claims, predicates
from antbench.show.predicates import PREDICATES, Case
from thesis_run import RUN_ID, made_row, quality_row, seeds_row, write_run


@pytest.fixture(scope="module")
def thesis(tmp_path_factory):
    folder = write_run(tmp_path_factory.mktemp("runs") / "thesis")
    return cells.choose(str(folder))[0]


def cases(*values, spread=0.0, n=3):
    names = [f"case{i}" for i in range(len(values))]
    return [
        Case(name, Estimate(value, value * (1 - spread), value * (1 + spread), n=n))
        for name, value in zip(names, values)
    ]


H, E, T, F, U = predicates.HOLDS, predicates.EXCEEDED, predicates.TIE, predicates.FAILS, predicates.UNDECIDED


@pytest.mark.parametrize(
    "value, text", [(0.09998, "0.100"), (9.998, "10.0"), (0.5, "0.500"), (2345.6, "2346"), (0, "0")]
)
def test_a_number_has_three_digits(value, text):
    assert claims.short(value) == text


@pytest.mark.parametrize(
    "predicate, threshold, values, verdict",
    [
        ("up_to", "82", (10, 82, 50), H),
        ("up_to", "82", (10, 186, 50), E),
        ("up_to", "82", (10, 20, 50), F),
        ("up_to", "82", (10, 74.5, 50), U),
        ("average", "2", (1, 3), H),
        ("average", "2", (1, 4), E),
        ("average", "2", (1, 2), F),
        ("average", "2", (1.5, 2.13), U),
        ("around", "5", (4.5, 5.5), H),
        ("around", "5", (5, 9), E),
        ("around", "5", (3, 5), F),
        ("from_to", "4 8.5", (4, 6, 8.5), H),
        ("from_to", "4 8.5", (11, 39), E),
        ("from_to", "4 8.5", (3, 20), F),
        ("from_to", "1 9", (0.92, 3), F),  # slower is not from 1 to 9 times faster
        ("from_to", "1 9", (0.99, 3), H),
        ("between", "0.95 1.05", (0.98, 1.03), H),
        ("between", "0.95 1.05", (1, 2), F),
        ("between", "0.95 1.05", (0.5, 1), F),
        ("between", "0.95 1.05", (1, 1.045), U),
        ("all_above", "1", (1.1, 2), H),
        ("all_above", "1", (1.2, 0.9), F),
        ("all_above", "1", (1.01, 0.99), T),
        ("all_above", "1", (1.2, 1.005), T),
        ("all_above", "1", (1.2, 1.025), U),  # a tie, or above it
        ("all_above", "1", (1.2, 0.975), U),  # a tie, or below it
        ("all_above", "1", (1.04, 1.2), H),
        ("all_above", "1", (0.985, 1.04, 1.2), T),  # none fails, and one case is a tie
        ("all_above", "1", (0.985, 1.025, 1.015), T),  # 1.025 may be above 1.03, which changes nothing
        ("all_above", "1", (0.985, 0.975, 1.2), U),  # 0.975 may be below 0.971
        ("all_above", "1", (1.025, 1.028), U),
        ("all_below", "1", (0.3, 0.9), H),
        ("all_below", "1", (0.3, 1.2), F),
        ("all_below", "1", (0.99, 1.01), T),
        ("all_below", "1", (0.5, 0.995), T),
        ("all_below", "1", (0.5, 0.975), U),
        ("all_below", "1", (1.015, 0.95, 0.5), T),
        ("all_below", "1", (1.015, 0.975, 0.5), T),  # 0.975 may be below 0.971, which changes nothing
        ("all_below", "1", (1.015, 1.025, 0.5), U),
        ("most_below", "1", (0.9, 0.95, 1.3), H),
        ("most_below", "1", (0.9, 1.2, 1.3), F),
        ("most_below", "1", (0.9, 0.999, 1.3), U),
        ("most_above", "1", (1.1, 1.2, 0.5), H),
        ("most_above", "1", (0.9, 0.8, 1.3), F),
        ("smallest_at", "case1", (2, 1, 3), H),
        ("smallest_at", "case1", (1, 2, 3), F),
        ("smallest_at", "case1", (1, 1.01, 3), T),
        ("falls_after", "case1", (1, 5, 4, 3), H),
        ("falls_after", "case1", (1, 5, 4, 4.5), F),
        ("falls_after", "case1", (1, 5, 4), U),
        ("grows", "", (1, 2, 3), H),
        ("grows", "", (1, 3, 2), F),
        ("grows", "", (0.49, 0.43, 0.84, 1.46, 1.89), H),  # one step down is no end of a trend
        ("grows", "", (1, 1.005), U),
        ("grows", "", (1, 1.001, 0.999, 1.002, 2), U),  # a last value above the first is none
        ("spread_at_most", "1.1", (1, 1.05), H),
        ("spread_at_most", "1.1", (1, 1.2), F),
        ("spread_at_most", "1.1", (1, 1.1), U),
    ],
)
def test_predicates(predicate, threshold, values, verdict):
    """Intervals of 1 % either way decide."""
    assert PREDICATES[predicate](cases(*values, spread=0.01), threshold)[0] == verdict


def test_a_rise_after_a_fall_is_shown_where_it_is():
    found = cases(1, 5, 4, 6, 3, spread=0.01)
    assert PREDICATES["falls_after"](found, "case1") == (F, [found[2], found[3]])
    assert PREDICATES["falls_after"](found[:3] + found[4:], "case1") == (H, [found[1], found[4]])


def test_the_deepest_fall_is_shown_where_nothing_grows():
    found = cases(4, 3.9, 2, 3, 5, spread=0.01)
    assert PREDICATES["grows"](found, "") == (F, [found[0], found[2]])
    assert PREDICATES["grows"](found[2:], "") == (H, [found[2], found[4]])


THRESHOLDS = {"smallest_at": "case1", "falls_after": "case0", "from_to": "1 3", "between": "1 3"}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_without_an_interval_nothing_is_decided(predicate):
    """One sample, or one run's quality: 4343 ms measured once is no proof of anything."""
    vague = [Case(f"case{i}", Estimate(value)) for i, value in enumerate((2.0, 1.0, 3.0))]
    assert PREDICATES[predicate](vague, THRESHOLDS.get(predicate, "1.5"))[0] == U


@pytest.mark.parametrize("predicate", PREDICATES)
def test_an_open_interval_decides_nothing(predicate):
    """Quotients of times one of which may as well be 0."""
    vague = [Case(f"case{i}", Estimate(value, 0, math.inf)) for i, value in enumerate((2.0, 1.0, 3.0))]
    assert PREDICATES[predicate](vague, THRESHOLDS.get(predicate, "1.5"))[0] == U
    assert claims.with_interval(Estimate(2.0, 0, math.inf, n=3)) == "2.00 (open, n 3)"
    assert claims.why_undecided({}, vague[:1]) == "an open interval: the interval of a part reaches 0 at case0"


def measured_on(*values):
    """A case measured on a machine for each number, with the interval for one more machine."""
    logs = {f"machine{i}": math.log(value) for i, value in enumerate(values)}
    center, half = spread.for_one_more(list(logs.values()))
    ends = (math.exp(center + step) for step in (0, -half, half))
    return Case("case0", Estimate(*ends, n=len(values), machines=len(values), by_machine=logs))


def test_endless_machines_that_differ_alike_have_the_normal_interval():
    case = measured_on(1.0, 1.02, 1.04, 1.01).of_endless
    logs = np.log([1.0, 1.02, 1.04, 1.01])
    half = 1.96 * logs.std(ddof=1)
    assert case.measured.low == pytest.approx(math.exp(logs.mean() - half), rel=1e-4)
    assert case.measured.high == pytest.approx(math.exp(logs.mean() + half), rel=1e-4)


@pytest.mark.parametrize(
    "case, differs",
    [
        (measured_on(0.96, 0.98, 1.0), True),  # below 0.971 on one machine, above on another
        (measured_on(0.976, 0.98, 0.984), False),  # three machines only: more of them are surely above 0.971
        (Case("case0", Estimate(1.02, 0.9, 1.1, n=10)), False),  # more runs narrow the interval of runs
        (Case("case0", Estimate(1.02)), False),  # without an interval
        (Case("case0", Estimate(1.02, 0, math.inf, n=3)), False),
    ],
)
def test_machines_differ_only_if_more_of_them_would_not_decide(case, differs):
    assert PREDICATES["all_above"]([case], "1")[0] == U
    assert predicates.machines_differ("all_above", [case], "1", lambda chance: chance <= 0.05) == differs


def test_the_smallest_is_shown_with_its_best_rival():
    verdict, deciding = PREDICATES["smallest_at"](cases(2, 1, 3, spread=0.01), "case1")
    assert verdict == H and [case.name for case in deciding] == ["case1", "case0"]


def test_machines_do_not_differ_where_there_are_too_few_cases():
    """One step down is no trend, whatever the machines are."""
    found = [replace(measured_on(2.0, 2.02, 2.01), name="case0"), replace(measured_on(1.0, 1.02, 1.01), name="case1")]
    assert PREDICATES["falls_after"](found, "case0")[0] == U
    assert not predicates.machines_differ("falls_after", found, "case0", lambda chance: chance <= 0.05)


def test_quotients_of_cases_are_of_endless_machines_too():
    """On three machines, one of twelve: the three that both share count."""
    few, many = measured_on(1.00, 1.01, 0.99), measured_on(*(1.07 + 0.001 * i for i in range(12)))
    quotient = cells.divide(many.of_endless.measured, few.of_endless.measured)
    logs = [many.measured.by_machine[name] - log for name, log in few.measured.by_machine.items()]
    assert math.log(quotient.high / quotient.value) == pytest.approx(1.96 * np.std(logs, ddof=1), rel=1e-3)


def random_cases(count, seed=1):
    """Lists of four cases, about as large as 1.1 or larger, with lopsided intervals."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        below, above = 1 + random.uniform(0.001, 0.05, (2, 4)) * random.choice([0.1, 1], 4)
        values = 1.1 * np.exp(random.normal(random.choice([0, 0.1]), random.choice([0.01, 0.05, 0.5]), 4))
        made = zip(values, values / below, values * above)
        yield [Case(f"case{i}", Estimate(*each, n=3)) for i, each in enumerate(made)]


@pytest.mark.parametrize("predicate", PREDICATES)
def test_wider_intervals_only_ever_leave_it_undecided(predicate):
    """Nothing may gain a verdict by noise, in all cases or in some."""
    random, threshold = np.random.default_rng(2), THRESHOLDS.get(predicate, "1.1")
    for found in random_cases(400):
        verdicts = [
            PREDICATES[predicate]([case.missing_in(share) for case in found], threshold)[0]
            for share in (0.5, 0.05, 0.01, 0.001, 1e-6)
        ]
        decided = [verdict for verdict in verdicts if verdict != U]
        assert verdicts == decided + [U] * (len(verdicts) - len(decided)) and len(set(decided)) <= 1, found
        wider = [case.missing_in(share) for case, share in zip(found, random.choice([0.05, 0.03, 1e-3], 4))]
        assert PREDICATES[predicate](wider, threshold)[0] in (verdicts[1], U), found


@pytest.mark.parametrize("predicate", PREDICATES)
def test_an_undecided_verdict_names_a_number_that_a_shown_interval_crosses(predicate):
    line = {"predicate": predicate, "threshold": THRESHOLDS.get(predicate, "1.1")}
    undecided = 0
    for found in random_cases(400):
        verdict, deciding = PREDICATES[predicate](found, line["threshold"])
        if verdict == U:
            undecided += 1
            crossed = predicates.crossed(predicate, deciding, line["threshold"])
            compares = not hasattr(PREDICATES[predicate], "bounds")
            assert compares == (crossed is None) or predicate.startswith("most_"), found
            told = claims.why_undecided(line, deciding)
            assert told.startswith("an interval crosses ") == (crossed is not None)
            assert not crossed or any(case.measured.low <= crossed[0] <= case.measured.high for case in deciding)
    assert undecided > 5


@pytest.mark.parametrize(
    "predicate, threshold, values, note",
    [
        ("all_above", "1", (0.975, 1.2), "an interval crosses 0.971, below which the sentence fails"),
        ("all_above", "1", (1.025, 1.028), "an interval crosses 1.03, up to which it is a tie"),
        ("all_below", "1", (1.025, 0.5), "an interval crosses 1.03, above which the sentence fails"),
        ("up_to", "82", (10, 74.5, 50), "an interval crosses 74.5, below which the sentence fails"),
        ("up_to", "20", (22, 5), "an interval crosses 22, above which it is exceeded"),
        ("between", "0.95 1.05", (1, 1.045), "an interval crosses 1.05, above which the sentence fails"),
        ("most_below", "1", (0.9, 0.999, 1.3), "an interval crosses 1"),
        ("spread_at_most", "1.1", (1, 1.1), "an interval crosses 1.1, above which the sentence fails"),
        ("falls_after", "case1", (1, 5, 4), "too few cases differ clearly"),
    ],
)
def test_a_note_names_the_number_and_what_lies_beyond(predicate, threshold, values, note):
    verdict, deciding = PREDICATES[predicate](cases(*values, spread=0.01), threshold)
    assert verdict == U
    assert claims.why_undecided({"predicate": predicate, "threshold": threshold}, deciding) == note


@pytest.mark.parametrize(
    "predicate, value, note",
    [
        ("all_above", 1.035, "an interval crosses 1"),
        ("all_above", 1.028, "an interval crosses 1.03, up to which it is a tie"),
        ("all_below", 0.965, "an interval crosses 1"),
        ("all_below", 0.972, "an interval crosses 0.971, down to which it is a tie"),
    ],
)
def test_a_note_names_the_number_that_a_narrower_interval_must_not_cross(predicate, value, note):
    """Intervals of 4 % cross both the limit and the end of a tie. The value says which of them decides."""
    verdict, deciding = PREDICATES[predicate](cases(value, spread=0.04), "1")
    assert verdict == U and claims.why_undecided({"predicate": predicate, "threshold": "1"}, deciding).startswith(note)


def test_a_tie_shows_the_case_that_makes_it_one():
    wide, tied, clear = (Case(name, Estimate(*each, n=3)) for name, each in {
        "256": (1.02, 0.998, 1.04), "4096": (1.0228, 1.0184, 1.0272), "1024": (1.05, 1.04, 1.05)}.items())  # fmt: skip
    verdict, deciding = PREDICATES["all_above"]([wide, tied, clear], "1")
    assert verdict == T and deciding == [tied, clear]


def test_what_is_none_is_neither_more_nor_less_than_none():
    for predicate, others in (("all_above", (1.0, 0.0)), ("all_below", (-1.0, 0.0))):
        assert PREDICATES[predicate](cases(*others), "0")[0] == F


def test_a_tie_shows_the_tied_case_and_an_end_of_the_others():
    for predicate, values in (("all_above", (1.2, 0.985, 1.04)), ("all_below", (0.5, 1.015, 0.9))):
        deciding = PREDICATES[predicate](cases(*values, spread=0.01), "1")[1]
        assert [case.value for case in deciding] == sorted([values[0], values[1]])


def test_every_predicate_is_used_and_has_words():
    used = {line["predicate"] for line in cells.read_layout("cases.csv")}
    assert used - set(claims.UNTESTED) == set(PREDICATES) == set(predicates.WORDS)
    assert set(predicates.BY_ONE) <= set(predicates.FINAL) <= set(PREDICATES)


# ---- Many tests ----


def test_an_interval_that_misses_less_often_is_wider():
    """Student's of three processes: 9.92 standard errors in place of 4.30."""
    wide = predicates.widened(Estimate(1.0, math.exp(-0.1), math.exp(0.1), n=3), 0.01)
    assert math.log(wide.high) == pytest.approx(0.1 * 9.925 / 4.303, rel=1e-3) == -math.log(wide.low)
    assert predicates.widened(Estimate(0.0, -1.0, 1.0, n=3), 0.01).high == pytest.approx(9.925 / 4.303, rel=1e-3)


def test_the_chance_of_a_verdict_is_what_its_interval_leaves():
    """1.2 is 2 half intervals above 1: of three processes 8.6 standard errors."""
    half = math.log(1.2) / 2
    (case,) = cases(1.2)
    case = Case(case.name, Estimate(1.2, 1.2 * math.exp(-half), 1.2 * math.exp(half), n=3))
    verdict, _, chance = predicates.chance("all_above", [case], "1")
    assert verdict == H and chance == pytest.approx(2 * predicates.special.stdtr(2, -2 * 4.3027), rel=1e-3)
    one, two = (predicates.chance("all_below", [case] * count, "1") for count in (1, 2))
    assert two[0] == F and two[2] == pytest.approx(2 * one[2], rel=1e-3), "any of several may do it by chance"
    assert predicates.chance("all_above", cases(1.2), "1")[2] is None, "what was counted is not of chance"


def test_of_many_tests_what_chance_alone_decides_is_left_undecided():
    assert predicates.kept_below([0.001, 0.04]) == 0.04
    assert predicates.kept_below([0.001, 0.04] + [1.0] * 8) == 0.001
    assert predicates.kept_below([]) == 0
    made = [claims.Test({}, H, 1, chance=chance) for chance in (0.001, 0.04)]
    assert [test.verdict for test in claims.judge_together(made)] == [H, H]
    others = [claims.Test({}, U, 1, chance=1.0)] * 8
    judged = claims.judge_together(made + others)
    assert [test.verdict for test in judged[:2]] == [H, U] and "too likely in 10 tests" in judged[1].reason


@pytest.mark.parametrize("values, differs", [((1.045, 1.08, 1.115), True), ((1.06, 1.08, 1.1), False)])
def test_endless_machines_must_decide_in_spite_of_chance_too(values, differs):
    """Above 1 on endless machines by 2.4 and 4.2 standard deviations.

    Of 20 tests the second best may have a chance of 0.005, which is 2.8 standard deviations.
    """
    case = measured_on(*values)
    line = {"predicate": "all_above", "threshold": "1"}
    assert PREDICATES["all_above"]([case.of_endless], "1")[0] == H
    made = [claims.Test({}, H, 1, chance=1e-6), claims.Test(line, U, 1, (case,), chance=1.0)]
    made += [claims.Test({}, U, 1, chance=1.0)] * 18
    assert claims.judge_together(made)[1].differs == differs


def test_of_random_verdicts_one_in_twenty_at_most_is_kept():
    """Ratios that are 1, tested for more and for less than 1 by three processes each."""
    random = np.random.default_rng(7)
    logs = random.normal(0, 0.01, (2000, 3))
    found = [Estimate(math.exp(a), math.exp(a - h), math.exp(a + h), n=3)
             for a, h in zip(logs.mean(1), 4.303 * logs.std(1, ddof=1) / 3**0.5)]  # fmt: skip
    chances = [predicates.chance("between", [Case("x", each)], "1.000000001 9")[2] for each in found]
    limit = predicates.kept_below(chances)
    assert sum(chance <= 0.05 for chance in chances) > 60, "each alone would do so by chance"
    assert sum(chance <= limit for chance in chances) <= 2


# ---- Sentences ----


def of(verdict, found=1, n_cases=1):
    return claims.Test({"reading": ""}, verdict, n_cases, tuple(cases(*[1] * found)))


@pytest.mark.parametrize("tests, verdict", [
    ([of(H), of(F)], F),
    ([of(F, 1, 3), of(H, 3, 3)], F),
    ([of(H), of(U)], U),
    ([of(H), of(E)], E),
    ([of(H), of(T), of(E)], T),
    ([of(H, 3, 8)], "holds so far (3 of 8 cases)"),
    ([of(E, 2, 2), of(H, 3, 8)], "holds so far (5 of 10 cases)"),
    ([of(H, 2, 2), of(claims.NOT_MEASURED, 0, 2)], "holds so far (2 of 4 cases)"),
    ([of(T, 1, 2)], U),
    ([of(claims.NOT_MEASURED, 0, 3)] * 2, claims.NOT_MEASURED),
    ([of(claims.CANNOT, 0, 1)], claims.CANNOT),
    ([replace(of(E), own="its own table: 6.1"), of(H)], "not borne out by its own table (here: exceeded)"),
])  # fmt: skip
def test_a_sentence_is_what_all_its_tests_leave(tests, verdict):
    assert claims.Reading("", tuple(tests)).verdict == verdict


def test_every_sentence_is_tested_and_every_test_is_of_a_sentence():
    sentences, lines = cells.read_layout("claims.csv"), cells.read_layout("cases.csv")
    names = [sentence["id"] for sentence in sentences]
    assert len(set(names)) == len(names) and {line["id"] for line in lines} == set(names)
    assert len({line["test"] for line in lines}) == len(lines)
    quotes = [
        (sentence["source"], sentence["section"], sentence["quote"]) for sentence in sentences if sentence["quote"]
    ]
    assert len(set(quotes)) == len(quotes), "one sentence is one claim"
    for sentence in sentences:
        assert sentence["quote"] or sentence["note"], sentence["id"]
    for line in lines:
        assert line["needs"] and (line["claim"] or line["predicate"] in claims.UNTESTED), line["test"]
        assert not line["own_over"] or line["over"], line["test"]


def test_no_certainty_is_constructed():
    """What cannot come out otherwise is no test: the same draws in both, a picture without grey edges."""
    tested = [line["top"] + line["over"] for line in cells.read_layout("cases.csv")]
    unfair = ("agreement-same-seeds", "F6.6/", "/warp-{x}-uncached")
    assert not [top for top in tested if any(name in top for name in unfair)]


def judged(source):
    """{name of a line of cases.csv: its Test}."""
    return {
        test.line["test"]: test for v in claims.judge_all(source) for reading in v.readings for test in reading.tests
    }


def test_the_thesis_claims_what_its_tables_say(thesis):
    """Of its own times none fails, but for sentences that its tables contradict (results/published/NOTES.md)."""
    found = {name: test.verdict for name, test in judged(thesis).items()}
    fail = {name for name, verdict in found.items() if verdict == F}
    assert fail == {"colour-10x"}
    holding = (
        "cpu-82x i-roulette-8x construct-majority i-roulette-loses i-roulette-0.2 ds-roulette-large candidates-18x "
        "compression compression-worsens warp-beats-block edges-150x hysteresis-4 hysteresis-10"
    )
    assert {found[name] for name in holding.split()} == {H}
    sentences = {verdict.claim["id"]: verdict for verdict in claims.judge_all(thesis)}
    assert sentences["cpu-82x"].kind == H and sentences["opencv-20x"].kind == H


def own_tables():
    """{test: what contradicts it} in the source's own table, which no run changes."""
    lines = cells.read_layout("cases.csv")
    told = {line["test"]: claims.contradiction(line, cells.members(line["set"])) for line in lines if line["set"]}
    return {name: text for name, text in told.items() if text}


def test_what_a_source_says_is_held_against_its_own_table():
    assert set(own_tables()) == {
        "colour-10x",
        "colour-up-to-5x",
        "jsc-sat-baseline",
        "jsc-sat-15x",
        "jsc-grouped-baseline",
        "jsc-grouped-15x",
        "jsc-sat-1.4x",
        "jsc-sat-14",
        "jsc-sat-8",
        "jsc-sat-orders",
    }
    assert own_tables()["colour-10x"] == "its own table: 4.9 to 6.1"
    assert own_tables()["jsc-sat-8"] == "its own table: the least at 16"
    assert "79 to 92 on the C1060" in own_tables()["jsc-sat-baseline"]


def test_a_speed_up_says_what_has_moved(tmp_path):
    """Times of d198 in Table 3.3: 48.37 and 1.16 ms."""
    times = (("acotsp-seq", 4.837), ("ds-roulette", 0.116))
    rows = [made_row("3.3", row, "d198", ms, "protocol=as-best") for row, ms in times]
    found = judged(source_of(rows, tmp_path))
    assert found["cpu-82x"].moved == ("acotsp-seq (CPU) 10 times", "ds-roulette (GPU) 10 times")
    slower = [{**rows[0]}, made_row("3.3", "ds-roulette", "d198", 0.058, "protocol=as-best")]
    moved = judged(source_of(slower, tmp_path / "faster"))["cpu-82x"].moved
    assert moved[1] == "ds-roulette (GPU) 20 times"


NOISE = """noise-salt-and-pepper-tuned noise-salt-and-pepper-planes noise-salt-and-pepper-fixed noise-salt-and-pepper-sobel
noise-gaussian-tuned noise-gaussian-planes noise-gaussian-fixed noise-gaussian-sobel no-noise constant-fixed constant-tuned
constant-gaussian constant-photographs falter-photographs constant-lena falter-lena falter-lena-sobel""".split()


def test_claims_of_noise_are_decided_by_seeds_and_pictures(thesis):
    """Ten seeds have an interval; F without noise is exact; a case is a picture and a level."""
    found = judged(thesis)
    assert {name for name in found if name.startswith(("noise-", "constant-", "falter-"))} == set(NOISE) - {"no-noise"}
    assert {found[name].verdict for name in NOISE} == {H}
    assert found["noise-gaussian-planes"].measured == "1.45 (1.44 to 1.46, n 10) at shapes-512 with level=20"
    assert found["constant-tuned"].measured == "0.944 (0.941 to 0.948, n 10) at shapes-512"
    assert found["no-noise"].measured == "1.12 at shapes-512"
    assert found["falter-photographs"].measured == "1.39 (1.38 to 1.39, n 10) at lena with level=20"
    assert len(cells.sets()["noisy"]) == 6 and len(cells.sets()["noisy-photographs"]) == 10
    (noise,) = [verdict for verdict in claims.judge_all(thesis) if verdict.claim["id"] == "noise"]
    assert [reading.kind for reading in noise.readings] == 6 * [H]


def test_one_picture_that_says_otherwise_decides(tmp_path):
    def over_canny(value, n=10):
        params = "noise=gaussian;level=40;tuning=best"
        rows = [
            seeds_row(row, picture, params, value if (row, picture) == ("canny-opencv", "ramp-512") else 0.6, n=n)
            for row in ("colour-edge", "canny-opencv")
            for picture in ("shapes-512", "ramp-512", "shapes-512-2")
        ]
        return judged(source_of(rows, tmp_path / f"{value}-{n}"))["noise-gaussian-tuned"]

    contradicted = over_canny(0.7)
    assert contradicted.verdict == F and "ramp-512 with level=40" in contradicted.measured
    missing = over_canny(0.6)
    assert missing.verdict == U and missing.reason.startswith("tie so far; without shapes-512?level=20")
    assert over_canny(0.7, n=1).verdict == U, "one seed has no interval"


def test_a_test_has_the_deciding_case_with_interval_n_and_runs(thesis):
    test = judged(thesis)["cpu-82x"]
    assert test.measured == "82.3 (82.1 to 82.5, n 100) at pr1002"
    assert test.threshold == "the largest is near 82" and [run.run_id for run in test.runs] == [RUN_ID]
    (sentence,) = [verdict for verdict in claims.judge_all(thesis) if verdict.claim["id"] == "cpu-82x"]
    assert sentence.measured.startswith("holds: 82.3 (82.1 to 82.5, n 100) at pr1002; holds: 8.52 ")
    first, second = sentence.tested
    assert first.endswith(": an iteration. Holds: 82.3 (82.1 to 82.5, n 100) at pr1002")
    assert second.startswith("The speed-up of DS-Roulette over I-Roulette ") and " Holds: 8.52 " in second


def test_a_claim_without_its_rows_says_what_it_needs(thesis):
    verdict = {v.claim["id"]: v for v in claims.judge_all(thesis)}
    assert verdict["task-parallel"].verdict == claims.NOT_MEASURED
    assert verdict["task-parallel"].reason == "needs Table 4.2 on CPU and GPU: no row 4.2 cand-thread d198"
    assert verdict["uchida"].verdict == claims.CANNOT
    assert verdict["uchida"].reason == "missing: the kernels of Uchida et al., which the thesis does not describe"


def source_of(rows, tmp_path):
    return cells.choose(str(write_run(tmp_path / "run", rows)))[0]


def claim_of(rows, tmp_path, name):
    return {v.claim["id"]: v for v in claims.judge_all(source_of(rows, tmp_path))}[name]


def test_a_contradicted_claim_fails(tmp_path):
    """From 4 to 8.5 times: one case is enough."""
    rows = [made_row("3.4", row, "d198", ms, f"protocol=as-best;stage={stage}", "stage")
            for row, ms in (("i-roulette", 1.0), ("ds-roulette", 1.25)) for stage in ("choice", "construct")]  # fmt: skip
    verdict = claim_of(rows, tmp_path, "construct-majority")
    assert verdict.verdict == F
    test = judged(source_of(rows, tmp_path / "again"))["i-roulette-construct"]
    assert test.verdict == F and test.measured.startswith("0.800 (0.798 to 0.802, n 100) at d198")
    assert test.reason == "without a280, lin318, pcb442, rat783, pr1002, nrw1379, pr2392"


def test_a_part_of_the_cases_holds_so_far_and_fails_nothing(tmp_path):
    def rows(ms):
        times = (("acotsp-seq", ms), ("i-roulette", 8.5), ("ds-roulette", 1.0))
        return [
            made_row("3.3", row, name, each, "protocol=as-best") for name in ("d198", "a280") for row, each in times
        ]

    holds = claim_of(rows(82), tmp_path / "holds", "cpu-82x")
    assert holds.verdict == "holds so far (4 of 16 cases)" and holds.kind == claims.SO_FAR
    small = judged(source_of(rows(20), tmp_path / "small"))["cpu-82x"]
    assert small.verdict == U and small.reason.startswith("fails so far; without lin318"), "the largest may be missing"
    assert judged(source_of(rows(200), tmp_path / "large"))["cpu-82x"].verdict == E, "no case can change that"


def test_a_ratio_of_ratios_tells_a_gain_from_a_gain(tmp_path):
    """KTH §5: what improves 5 × 5 by more than 3 × 3, by more for larger images."""
    sides = cells.sets()["kth-sides"]

    def rows(gains):
        for side, gain in zip(sides, gains):
            for table, row, ms in (("kth-8", "naive", 2.0 * gain), ("kth-9", "naive", 2.0),
                                   ("kth-8", "tiling", 2.0), ("kth-9", "tiling", 2.0),
                                   ("kth-8", "shared-constant", 2.0), ("kth-9", "shared-constant", 2.0)):  # fmt: skip
                yield made_row(table, row, f"random-{side}", ms, scope="kernel")

    grows = claim_of(list(rows((1.1, 1.2, 1.5, 1.8, 2.0))), tmp_path / "grows", "kth-improvements-3")
    assert grows.verdict == H and "1.100 (" in grows.measured and "2.00 (" in grows.measured
    assert claim_of(list(rows((2.0, 1.8, 1.5, 1.2, 1.1))), tmp_path / "falls", "kth-improvements-3").verdict == F


def test_adaptive_tiling_is_read_both_ways(tmp_path):
    """The report measured T = 21; its equations give another T here."""
    rungs = {
        "naive": 9,
        "shared": 8,
        "shared-constant": 7,
        "separable": 6,
        "tiling-separable": 3,
        "tiling": 2,
        "adaptive-tiling": 4,
    }
    rows = [made_row(table, row, f"random-{side}", ms / (1 + i / 9 if "tiling" in row and table == "kth-8" else 1), scope="kernel")
            for table in ("kth-8", "kth-9") for row, ms in rungs.items() for i, side in enumerate(cells.sets()["kth-sides"])]  # fmt: skip
    verdict = claim_of(rows, tmp_path, "kth-adaptive")
    assert [reading.name[:6] for reading in verdict.readings] == ["T = 21", "T by t"]
    found = {test.line["test"]: test.verdict for reading in verdict.readings for test in reading.tests}
    assert [found[f"kth-t21-{part}"] for part in ("5", "3", "grows")] == [H, H, H]
    assert [found[f"kth-by-gpu-{part}"] for part in ("5", "3", "grows")] == [F, H, H]


def test_no_more_workers_than_cities_stand_against_128(tmp_path):
    rows = [made_row("jpdc-3", f"i-roulette-{workers}", name, ms, f"protocol=as;workers={workers};stage=construct", "stage")
            for name in cells.sets()["tsp-candidates"] for workers, ms in ((64, 3.0), (128, 2.0), (256, 1.0 if name == "d198" else 2.5))]  # fmt: skip
    verdict = claim_of(rows, tmp_path, "jpdc-128")
    assert verdict.verdict == H and len(verdict.tests) == 4


def rows_of(name, top, over):
    """Rows with these values at the two addresses of a test, in all of its cases."""
    (line,) = [line for line in cells.read_layout("cases.csv") if line["test"] == name]
    for x in cells.members(line["set"]):
        for text, value in ((line["top"], top), (line["over"], over)):
            for address in [cells.parse(each.replace("{x}", x)) for each in text.split()]:
                params = ";".join(f"{condition}={values[0]}" for condition, values in address.conditions)
                place = (address.table, address.rows[-1], address.instances[0])
                if address.quantity == "quality":
                    seeds = " ".join(f"{value * (1 + 0.002 * (-1) ** i):.6g}" for i in range(10))
                    made = quality_row(*place, value, params)
                    yield {**made, "quality_best": value * 1.002, "quality_runs": seeds}
                elif address.quantity == "count":
                    yield {**quality_row(*place, value, params), "quality_metric": params.removeprefix("metric=")}
                else:
                    yield made_row(*place, value, params, "stage" if "stage=" in params else "kernel")


@pytest.mark.parametrize("name, top, over, verdict", [
    ("evaporate-rows", 2.0, 1.0, H), ("evaporate-rows", 1.0, 2.0, F),
    ("memory-cached", 1.5, 1.0, H), ("memory-cached", 1.0, 1.0, T), ("memory-cached", 1.0, 1.1, F),
    ("edge-update-share", 0.05, 1.0, H), ("edge-update-share", 0.5, 1.0, F),
    ("original-aco", 0.99, 0.95, H), ("original-aco", 0.8, 0.95, F),
    ("fewer-iterations", 0.97, 0.96, H), ("fewer-iterations", 0.7, 0.96, F),
    ("maps-match", 0.97, 0.96, H), ("maps-match", 0.7, 0.96, F),
    ("thicker-edges", 1.5, 1.3, H), ("thicker-edges", 1.3, 1.5, F),
    ("tiles-2-3x", 2.5, 1.0, H), ("tiles-2-3x", 1.0, 1.0, F),
    ("fewer-changes-sobel", 9.0, 3.0, H), ("fewer-changes-canny", 2.0, 3.0, F),
    ("match-canny", 0.95, 1.0, H), ("match-canny", 0.5, 1.0, F),
    ("thicker-than-canny", 2.0, 1.5, H), ("thicker-than-canny", 1.5, 2.0, F),
    ("jpdc-16-ants", 1.2, 1.0, H), ("jpdc-16-ants", 0.8, 1.0, F),
    ("jsc-2.56x", 1.0, 2.0, H), ("jsc-2.56x", 2.0, 1.0, F),
    ("jsc-grouped-15x", 15.5, 1.0, H), ("jsc-grouped-15x", 6.0, 1.0, F),
    ("idle-lanes", 1.2, 1.0, H), ("idle-lanes", 1.0, 1.2, F),
    ("jpdc-loads", 2.01, None, H), ("jpdc-loads", 1.0, None, F), ("jpdc-loads", 2.1, None, F),
    ("jpdc-loads-tiles", 0.0078, None, H), ("jpdc-loads-tiles", 0.005, None, F),
    ("jpdc-loads-half", 0.0039, None, H), ("jpdc-loads-half", 0.0025, None, F),
    ("jpdc-loads-halved", 0.0039, 0.0078, H), ("jpdc-loads-halved", 0.0078, 0.0078, E),
    ("jsc-sat-17", 2.9e9, None, H), ("jsc-sat-17", 4.6e9, None, F),
    ("jsc-sat-18", 6e9, None, H), ("jsc-sat-18", 2.9e9, None, F),
    ("jsc-sat-sync", 2.0, 1.0, H), ("jsc-sat-sync", 3.0, 1.0, E), ("jsc-sat-sync", 1.2, 1.0, F),
    ("jsc-grouped-sync", 2.1, 1.0, H), ("jsc-grouped-sync", 1.0, 1.0, F),
    ("jsc-sat-small", 0.9, 1.0, H), ("jsc-sat-small", 1.2, 1.0, F),
    ("kth-transpose", 1.2, 1.0, H), ("kth-transpose", 1.0, 1.2, F),
    ("kth-idle-5", 1.2, 1.0, H), ("kth-idle-3", 1.0, 1.2, F),
    ("tours-match-as", 1.0, 1.0, H), ("tours-shorter-beta", 1.0, 1.0, F), ("candidates-beat-as", 0.9, 1.0, H),
    ("ds-roulette-small", 5.0, 1.0, H), ("ds-roulette-small", 20.0, 1.0, F),
    ("compression-worsens", 2.0, 2.0, T), ("kth-t21-filter", 1.0, 1.0, T),
    ("jpdc-2.36x", 2.36, 1.0, H), ("jpdc-2.36x", 0.9, 1.0, F),
])  # fmt: skip
def test_what_is_not_measured_yet_works_once_it_is(name, top, over, verdict, tmp_path):
    # A row that stands in both addresses is made once.
    rows = {(row["table"], row["row"], row["instance"], row["params"]): row for row in rows_of(name, top, over)}
    source = source_of(list(rows.values()), tmp_path)
    (line,) = [line for line in cells.read_layout("cases.csv") if line["test"] == name]
    assert claims.examine(line, source).verdict == verdict
    other = source_of([made_row("9.9", "other", "d198", 1.0)], tmp_path / "without")
    assert claims.examine(line, other).verdict == claims.NOT_MEASURED


def test_the_shared_memory_of_a_block_is_that_of_the_kernel_with_most():
    assert cells.shared({"shared_bytes": "1024 19136"}).value == 19136
    assert not cells.shared({}) and not cells.shared({"shared_bytes": ""})


def test_the_figures_have_the_tiling_that_the_report_measured():
    drawn = {
        (line["figure"], address)
        for line in cells.read_layout("figures.csv")
        for address in (line["top"], line["over"])
    }
    for table in "89":
        assert {
            (f"kth-F{table}", f"kth-{table}/tiling/random-{{x}}"),
            (f"kth-F{table}-time", f"kth-{table}/tiling/random-{{x}}"),
        } <= drawn


def not_all_of_canny(share, verify=0):
    maps = {
        "size": 512**2,
        "verify_metric": "mismatched-pixels",
        "verify_value": verify,
        "quality_metric": "mismatch-share",
    }
    return [made_row("6.1", f"canny-h{passes}", picture, 1.0, f"hysteresis={passes}", "kernel", **maps,
                     quality_best=value, quality_mean=value)
            for picture in cells.sets()["images"] for passes, value in ((4, share), (10, share / 10))]  # fmt: skip


def test_what_few_passes_miss_is_read_from_all_of_canny(tmp_path):
    """Verification holds them to as many passes of the same rules, and finds 0."""
    source = source_of(not_all_of_canny(0.001), tmp_path)
    assert cells.look_up(source, "6.1/canny-h4/lena?scope=kernel#mismatch").value == 0.001
    assert judged(source)["hysteresis-4"].verdict == H == judged(source)["hysteresis-10"].verdict
    sufficient = judged(source_of(not_all_of_canny(0.0), tmp_path / "sufficient"))["hysteresis-4"]
    assert sufficient.verdict == F
    verified = [{**row, "quality_metric": "", "quality_best": "", "quality_mean": ""} for row in not_all_of_canny(0.0)]
    assert judged(source_of(verified, tmp_path / "verified"))["hysteresis-4"].verdict == claims.NOT_MEASURED


def test_stored_maps_that_are_not_complete_differ_from_canny():
    """On any machine: how far a map is from all of Canny's is a matter of its rules."""
    source = cells.choose("nvidia-h200", ())[0]
    source = cells.Source(source.runs, runs.load_below(runs.RESULTS / "reference"))
    for picture in cells.sets()["images"]:
        assert cells.look_up(source, f"6.1/canny-h4/{picture}?scope=kernel#mismatch").value > 0
    assert cells.look_up(source, "6.1/canny-h10/lena?scope=kernel#mismatch").value == pytest.approx(13 / 512**2)


def test_a_stored_machine_that_is_named_is_judged_as_on_its_pages(tmp_path, monkeypatch):
    """And a run, or a folder of other runs, by itself."""
    monkeypatch.chdir(runs.RESULTS)
    stored = runs.load_below(runs.RESULTS / "reference")
    of_h200 = [run for run in stored if runs.device_name(run) == "NVIDIA H200"]
    named, shown = cells.choose("reference/nvidia-h200")[0], cells.Source(of_h200, stored)
    assert [each.verdict for each in claims.judge_all(named)] == [each.verdict for each in claims.judge_all(shown)]
    assert sum(map(len, named.of_any_machine.values())) == sum(map(len, shown.of_any_machine.values())), "none twice"
    run = next(run for run in of_h200 if run.driver == "3.2")
    for name in ("one", "another"):
        shutil.copytree(run.path, tmp_path / name)
    for name in (run.path, tmp_path):
        known = cells.choose(str(name))[0].of_any_machine
        assert {row["run_id"] for rows in known.values() for row in rows} == {run.run_id}


def test_a_stand_in_tests_no_claim(tmp_path):
    rows = [made_row("3.3", row, "u198", 1.0, "protocol=as-best") for row in ("i-roulette", "ds-roulette")]
    assert claim_of(rows, tmp_path, "cpu-82x").verdict == claims.NOT_MEASURED


def tours(row, runs_, ms, **more):
    lengths = [int(length) for length in runs_.split()]
    return made_row("3.3", row, "d198", ms, "protocol=as-best", quality_metric="best-tour-after-100-iterations",
                    size=1, quality_runs=runs_, quality_best=min(lengths),
                    quality_mean=sum(lengths) / len(lengths), **more)  # fmt: skip


@pytest.mark.parametrize("row", ["acotsp-omp", "race"])
def test_tours_of_elsewhere_count_and_their_times_do_not(row, tmp_path):
    """A tour is as long on any CPU and on any GPU."""
    here = runs.load_run(write_run(tmp_path / "here", [tours("ds-roulette", "100 101 99 100", 1.0)]))
    there = runs.load_run(write_run(tmp_path / "there", [tours(row, "110 111 109 110", 1.0)]))
    source = cells.Source([here], [there])
    address = f"3.3/{row}/d198?protocol=as-best"
    assert cells.look_up(source, address + "#quality").value == 110
    assert not cells.look_up(source, address)


def test_your_own_tours_of_a_gpu_come_before_stored_ones_of_more_runs(tmp_path):
    """Its kernel may be another one."""
    here = runs.load_run(
        write_run(tmp_path / "here", [tours("race", "100 102", 1.0), tours("acotsp-omp", "100 102", 1.0)])
    )
    there = runs.load_run(
        write_run(tmp_path / "there", [tours("race", "90 91 92", 1.0), tours("acotsp-omp", "90 91 92", 1.0)])
    )
    source = cells.Source([here], [there])
    found = [cells.look_up(source, f"3.3/{row}/d198?protocol=as-best#quality").value for row in ("race", "acotsp-omp")]
    assert found == [101, 91]


def test_of_equally_good_tours_the_machine_shown_is_named_first(tmp_path):
    """Otherwise a page on one GPU would name a run of another one, only because it is newer."""
    here, there = [runs.load_run(write_run(tmp_path / name, [tours("acotsp-omp", "100 102", 1.0)])) for name in "ab"]
    there.meta["started_utc"] = "2099-01-01T00:00:00Z"
    found = cells.look_up(cells.Source([here], [there]), "3.3/acotsp-omp/d198?protocol=as-best#quality")
    assert [row["run"].path for row in found.rows] == [here.path]


def test_of_a_cpu_the_row_with_most_samples_is_taken_of_the_newest_programs(tmp_path):
    few = write_run(tmp_path / "newer", [made_row("3.3", "acotsp-seq", "d198", 1.0, samples=5)])
    many = write_run(tmp_path / "older", [made_row("3.3", "acotsp-seq", "d198", 2.0, samples=50)])
    pair = [runs.load_run(many), runs.load_run(few)]
    assert runs.best_rows(pair)["median_ms"].tolist() == [2.0]
    pair[1].meta["started_utc"] = "2099-01-01T00:00:00Z"
    pair[1].meta["build"]["cpu_code_sha256"] = "other programs"
    assert runs.best_rows(pair)["median_ms"].tolist() == [1.0], "a faster host takes more samples"
    on_gpu = runs.load_run(write_run(tmp_path / "gpu", [made_row("3.3", "ds-roulette", "d198", 3.0)]))
    on_gpu.meta["started_utc"] = "2100-01-01T00:00:00Z"
    on_gpu.meta["build"]["cpu_code_sha256"] = "of no row of a CPU"
    assert sorted(runs.best_rows([*pair, on_gpu])["median_ms"]) == [1.0, 3.0]


def test_rows_of_the_host_backend_are_never_used(tmp_path):
    rows = [
        made_row("3.3", "i-roulette", "d198", 1.0, "protocol=as-best", backend="host", device="host"),
        made_row("3.3", "ds-roulette", "d198", 1.0, "protocol=as-best"),
    ]
    assert judged(source_of(rows, tmp_path))["i-roulette-8x"].verdict == claims.NOT_MEASURED


def test_a_run_that_tests_no_claim_is_skipped(tmp_path, capsys):
    folder = write_run(tmp_path / "run", [made_row("9.9", "other", "d198", 1.0)])
    assert claims.main(["--run", str(folder)]) == 77
    assert capsys.readouterr().out.startswith(f"{len(cells.read_layout('claims.csv'))} published sentences on ")


def test_each_number_of_a_run_is_in_the_list_at_the_end(capsys):
    assert claims.main(["--run", "nvidia-h100-80gb-hbm3"]) == 0
    verdicts, listed = capsys.readouterr().out.split("\nRuns:\n")
    assert [int(line.split()[0]) for line in listed.splitlines()] == list(range(1, len(listed.splitlines()) + 1))
    lines = re.findall(r"^ +runs: ([\d, ]+(?:\n +[\d, ]+)*)$", verdicts, re.M)
    used = {int(number) for line in lines for number in re.findall(r"\d+", line)}
    assert used == set(range(1, len(listed.splitlines()) + 1))
    (one,) = (text for text in verdicts.split("\nholds: ") if text.startswith("compression,"))
    numbers = re.findall(r"\d+", re.search(r"\n +runs: ([\d, \n]+)", one)[1])
    drivers = {listed.splitlines()[int(number) - 1].split()[1].rpartition("-")[2] for number in numbers}
    assert drivers == {"4.2"}


def test_the_freedom_of_hosts_counts_in_a_chance():
    """Three machines have 2 degrees of freedom, and the hosts 4: Student's t has 6."""
    of = Estimate(1, math.exp(-0.1), math.exp(0.1), n=3, by_machine={"a": 0.0, "b": 0.1, "c": -0.1}, of_hosts=(4, 0.01))
    wider = predicates.widened(of, 0.01)
    assert math.log(wider.high) == pytest.approx(0.1 * stats.t.ppf(0.995, 6) / stats.t.ppf(0.975, 6), rel=1e-3)
