"""docs/tail_rings.py: its tables and its counts against probabilities that are computed."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from support.commands import ROOT, write_tsp

PROGRAM = ROOT / "docs/tail_rings.py"
N, NEAR, ANTS, SIGMAS = 14, 5, 200_000, 5


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("tail_rings", PROGRAM)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def weights():
    made = np.random.default_rng(3).random((N, N)) ** 3
    np.fill_diagonal(made, 0)
    return made


@pytest.fixture(scope="module")
def near(weights):
    """Light and heavy cities, as the nearest are not always the heaviest."""
    return np.argsort((np.arange(N) * 5 - np.arange(N)[:, None] * 3) % 17 + 99 * np.eye(N), axis=1)[:, :NEAR]


def far_of(weights, near):
    far = weights.copy()
    far[np.arange(N)[:, None], near] = 0
    return far


def is_near(count, trials, share):
    return abs(count - trials * share) < SIGMAS * np.sqrt(trials * share * (1 - share))


def test_a_table_draws_each_city_by_its_weight(program, weights, near):
    far = far_of(weights, near)
    threshold, alias = program.alias_table(far)
    drawn = threshold.copy()
    for row in range(N):
        np.add.at(drawn[row], alias[row], 1 - threshold[row])
    assert np.allclose(drawn / N, far / far.sum(1, keepdims=True), atol=1e-6)


def test_first_steps_ring_and_choose_as_computed(program, weights, near):
    far, total = far_of(weights, near), weights.sum(1)
    tours, count = program.walk(weights, near, ANTS, np.random.default_rng(1), steps=2)
    first = weights / total[:, None] / N  # the probability of a first and a second city
    without = total[None, :] - weights.T  # of what is unvisited at the second, given the first
    tails = far.sum(1)
    rate = without + far.T  # the tail's rate has the first city, too, if it is far
    assert is_near(count["tail"], 2 * ANTS, ((tails / total).mean() + (first * tails / rate).sum()) / 2)
    assert is_near(count["first ring visited"], ANTS, (first * far.T / rate).sum())
    found = np.zeros((N, N, N))
    np.add.at(found, tuple(tours[:, :3].T), 1)
    share = first[:, :, None] * weights[None] / without[:, :, None]
    share[np.arange(N), :, np.arange(N)] = 0
    assert np.isclose(share.sum(), 1)
    assert all(is_near(*each) for each in zip(found.sum(0).ravel(), [ANTS] * N * N, share.sum(0).ravel()) if each[2])
    assert not found[share == 0].any()


def test_whole_tours_have_each_city_once(program, weights, near):
    tours, count = program.walk(weights, near, 500, np.random.default_rng(2))
    assert (np.sort(tours, axis=1) == np.arange(N)).all()
    decided = count["first ring visited"] + count["near clock rings"] + count["wheel"]
    assert 0 < count["wheel"] < count["first ring visited"] < count["tail"] and decided < 2 * count["tail"]


def test_it_prints_the_iterations_that_are_asked_for(tmp_path):
    command = [sys.executable, PROGRAM, write_tsp(tmp_path / "x.tsp", 60), "--iterations", "3", "--print", "1,3"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split(" | ")[:2] for line in lines[1:]] == [["as-best", "1"], ["as-best", "3"]]
    assert all(0 <= float(number) <= 100 for line in lines[1:] for number in line.split(" | ")[2:])
