"""How often the interval of --until-precise holds the mean: simulated, with the rule and the interval of the program."""

import numpy as np
import pytest

from antbench.data import runs, validate
from antbench.data.command import ROOT
from antbench.tools import precise_rates


def test_one_more_round_holds_the_mean_more_often():
    found = {}
    for name, (draw, mean) in precise_rates.DISTRIBUTIONS.items():
        found[name] = [
            precise_rates.rates(draw, mean, again, np.random.default_rng(1), rows=4000)[0]
            for again in (0, precise_rates.LEAST)
        ]
    assert found["vary by 1 %"][1] > 0.93 > found["vary by 1 %"][0]
    assert found["vary by 2 %"][1] > found["vary by 2 %"][0] + 0.02
    slow = [both for name, both in found.items() if name.startswith("one in ten")]
    assert all(before + 0.1 < after < 0.65 for before, after in slow), "that is told, not hidden"


def test_the_rule_is_the_programs():
    """Narrow from the third process on, but for the fifth: done at once at the third; with a round of three more at the
    sixth, where it is narrow as it was at the third."""
    half = np.array([[0, 9, 1, 1, 9, 1, 1, 1, 1, 1]]) / 100 / 2
    low, high, mean = 1 - half, 1 + half, np.ones_like(half)
    assert precise_rates.processes_taken(low, high, mean, 0).tolist() == [3]
    assert precise_rates.processes_taken(low, high, mean, 3).tolist() == [6]
    assert precise_rates.processes_taken(low, high + 1, mean, 3).tolist() == [10]


def test_its_intervals_are_the_programs():
    means = np.random.default_rng(2).normal(1, 0.02, (1, 7))
    low, high = precise_rates.intervals(means)
    for n in (2, 3, 7):
        found = validate.summary([np.array([mean]) for mean in means[0, :n]])
        assert (low[0, n - 1], high[0, n - 1]) == (
            pytest.approx(found["ci95_lo_ms"]),
            pytest.approx(found["ci95_hi_ms"]),
        )


def test_the_documented_rates_are_these():
    text = (ROOT / "docs/log/coverage.md").read_text(encoding="utf-8")
    assert [line for line in precise_rates.table() if f"| {' | '.join(line)} |" not in text] == []


def test_no_interval_of_a_time_reaches_0():
    stored = [row for run in runs.load_below(runs.RESULTS / "reference") for row in run.records if row["mean_ms"] > 0]
    for row in stored:
        _, low, high, _ = runs.mean_interval(row)
        assert not low <= 0 and not high < low
    assert len(stored) > 1000
