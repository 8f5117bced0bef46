"""ab --decide: its interval holds wherever it stops, and it stops where every row is decided."""

import math

import numpy as np
import pytest
from scipy import stats

from antbench.data import inference
from antbench.data.command import ROOT, BadInput
from antbench.gate import rerun
from antbench.tools import ab, decide_rates
from synthetic_runs import made_run

SEVEN_PROCESSES = "nvidia-h100-80gb-hbm3/20261126T112718Z-c8d43aae-jsc-1"
SMALL = 4000  # simulated sequences; a share of 0.01 then has a standard error of 0.0016


# ---- The interval ----


@pytest.mark.parametrize("n, m", [(3, 3), (7, 7), (20, 20), (4, 9)])
def test_at_the_limit_the_bayes_factor_is_1_of_error(n, m):
    """The Bayes factor is the ratio of Student's densities, with and without the prior's deviation."""
    t, wider = inference.at_any_time(n, m), math.sqrt(1 + inference.EFFECT**2 / (1 / n + 1 / m))
    density = [stats.t.pdf(t, n + m - 2, scale=scale) for scale in (wider, 1)]
    assert density[0] / density[1] == pytest.approx(1 / inference.ERROR)


def test_two_processes_of_each_decide_nothing():
    assert inference.at_any_time(2, 2) == math.inf
    a, b = ([np.array([ms]) for ms in side] for side in ([1.0, 1.0], [2.0, 2.0]))
    assert inference.process_ratio(a, b, inference.at_any_time) == (2.0, 0.0, math.inf)


def test_the_interval_is_at_most_twice_students():
    assert all(1.6 < inference.at_any_time(n, n) / inference.at_end(n, n) < 2 for n in range(3, 21))


def test_the_interval_holds_at_all_numbers_of_processes_together():
    """At most 5 % of sequences of 30 pairs ever leave the true ratio out; of Student's intervals, many more do."""
    random = np.random.default_rng(1)
    a, b = random.normal(0, 0.01, (2, 30, SMALL))
    left_out = {}
    for errors in (inference.at_any_time, inference.at_end):
        ratios = [inference.mean_ratio(a[:n], b[:n], errors) for n in range(2, 31)]
        left_out[errors] = np.mean(np.any([(low > 1) | (high < 1) for _, low, high in ratios], axis=0))
    assert left_out[inference.at_any_time] < 0.05 < 0.15 < left_out[inference.at_end]


# ---- Its rates ----


def simulated(spread, slower=0.0):
    """Verdicts and pairs of SMALL rows whose processes vary by `spread`."""
    a, b = np.random.default_rng(2).normal(0, spread, (2, ab.MOST, SMALL))
    return decide_rates.decided(a, b + math.log1p(slower), range(2, ab.MOST + 1), inference.at_any_time)


def test_it_errs_seldom_and_takes_few_pairs():
    verdicts, taken = simulated(0.01)
    assert np.mean((verdicts == "slower") | (verdicts == "faster")) < 0.03 and np.mean(verdicts == "same") > 0.96
    assert 3 <= taken.min() and taken.mean() < ab.PROCESSES
    verdicts, taken = simulated(0.01, slower=0.05)
    assert np.mean(verdicts == "slower") > 0.99 and taken.mean() < 4
    verdicts, taken = simulated(0.10)
    assert np.mean(verdicts == "undecided") > 0.9 and taken.max() == ab.MOST


def test_processes_of_a_stored_row_are_dealt_out_once_each():
    processes = np.arange(16.0)[:, np.newaxis]
    a, b = decide_rates.dealt(processes, np.random.default_rng(1))
    assert a.shape == b.shape == (8, decide_rates.DRAWS)
    assert (np.sort(np.concatenate([a, b]), axis=0) == processes).all() and len(np.unique(a, axis=1).T) > 100


def test_processes_in_their_order_take_turns():
    a, b = decide_rates.dealt(np.arange(7.0)[:, np.newaxis] * [1, 10])
    assert a.tolist() == [[0, 0], [3, 30], [4, 40]] and b.tolist() == [[1, 10], [2, 20], [5, 50]]


def test_stored_processes():
    """Code that has not changed is seldom slower, and 10 % is found."""
    kinds = list(decide_rates.stored([SEVEN_PROCESSES]))
    *_, decide, fixed = decide_rates.table(kinds, ab.MOST)
    assert decide[:3] == ("all", "243", "--decide, at most 3") and fixed[2] == "fixed, 3"
    slower, faster, *_, found, wrong, pairs = (float(cell.removesuffix(" %")) for cell in decide[3:])
    assert slower + faster < 3 and found > 85 and wrong < 1 and pairs == 3


def test_the_documented_rates_are_these():
    text = (ROOT / "docs/log/gate.md").read_text(encoding="utf-8")
    lines = decide_rates.table(list(decide_rates.simulated()), ab.MOST)
    assert [line for line in lines if f"| {' | '.join(line)} |" not in text] == []


# ---- The turns ----


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """A function that runs ab --decide on processes whose means are given, and returns (number of turns, exit code)."""

    def run(a, b, *options, status="ok"):
        turns = []

        def share(arguments, root, out, process):
            turns.append(out.parent.name)
            made = made_run({row: [np.array([ms(process)])] for row, ms in enumerate({"a": a, "b": b}[turns[-1]])})
            made.rows["status"] = status
            return [made]

        monkeypatch.setattr(rerun, "share", share)
        monkeypatch.setattr(ab, "prepare", lambda *_: ((None, None), ([("3.3", tmp_path, ["x"])],) * 2))
        code = ab.main(["x", "y", "--decide", *options])
        return len(turns) / 2, code

    return run


def steady(ms):
    """A row whose processes vary by 0.1 %."""
    return lambda process: ms * (1 + 0.001 * (-1) ** process)


def wild(process):
    """A row of three modes."""
    return (0.6, 1.0, 1.6)[process % 3]


@pytest.mark.parametrize("b, pairs, code, told", [
    ([steady(1.2)], 3, 3, "B is slower: B takes 20.0 % more time"), ([steady(0.9)], 3, 0, "B is faster"),
    ([steady(1.0001)], 3, 0, "the same within 3.0 %"), ([wild], 20, 5, "cannot say"),
])  # fmt: skip
def test_it_stops_where_it_knows(measured, capsys, b, pairs, code, told):
    assert measured([steady(1.0)], b) == (pairs, code)
    out, err = capsys.readouterr()
    assert told in out and f"; {pairs} processes each; " in out
    end = ", all rows are decided" if code != 5 else ""
    assert err.splitlines()[-1] == f"ab: {pairs} of at most 20 processes of each{end}"


def test_one_open_row_goes_on_and_the_limit_holds(measured, capsys):
    assert measured([steady(1.0), steady(1.0)], [steady(1.2), wild], "--processes", "6") == (6, 3)
    assert "slower in 1, the same in 0, and nothing can be said in 1" in capsys.readouterr().out


def test_a_wrong_output_ends_it(measured):
    assert measured([wild], [wild], status="wrong") == (2, 4)


def test_without_it_the_number_is_fixed():
    options, others = ab.parse(["x", "y", "--backend", "cpu"])
    assert (options.most, options.decide, others) == (7, False, ["--backend", "cpu"])
    assert ab.parse(["x", "y", "--decide"])[0].most == 20 and ab.parse(["x", "y", "--processes", "9"])[0].most == 9
    with pytest.raises(BadInput, match="--processes: expected 3 or more, "):
        ab.parse(["x", "y", "--decide", "--processes", "2"])
