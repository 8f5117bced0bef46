"""The regression gate: exit codes on small stored runs, and how often it is right on made-up ones."""

import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from antbench.data import command, inference, runs
from antbench.gate import calibrate, calibration, gate_rates, gate_report, history, regress, rerun, sides
from support.settle import settle
from synthetic_runs import Machine, made_run
from thesis_run import made_row as thesis_row
from thesis_run import write_run

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests/data/runs"
GPU = ["--backend", "cuda"]
KINDS = ("cuda iteration", "cuda stage", "cuda stage under 50 us", "cpu iteration")


def steady(spread_percent=0.1, kinds=KINDS):
    """A calibration by which rows of these kinds hardly vary."""
    prior = dict.fromkeys(inference.STATISTICS, {"df": 100.0, "spread_percent": spread_percent})
    return dict.fromkeys(kinds, {"rows": 5, "processes": 10, "prior": prior})


def change_rows(run, change):
    """Rewrites a run's table: change(cells) alters a row's cells, and drops the row by returning False."""
    table = run / "table-3.3.csv"
    header, *lines = table.read_text().splitlines()
    changed = [header]
    for text in lines:
        cells = dict(zip(runs.HEADER, text.split(",")))
        if change(cells) is not False:
            changed.append(",".join(cells.values()))
    table.write_text("\n".join(changed) + "\n")


def change_meta(run, change):
    meta = json.loads((run / "meta.json").read_text())
    change(meta)
    (run / "meta.json").write_text(json.dumps(meta))


def slow_down(run, row, factor):
    """Makes every sample of the rows so named take `factor` times as long."""

    def scale(cells):
        if cells["row"] == row:
            cells.update({name: repr(float(cells[name]) * factor) for name in runs.TIMES if cells[name]})

    change_rows(run, scale)
    lines = [text.split(",") for text in (run / "samples.csv").read_text().splitlines()]
    for cells in lines:
        if cells[1] == row:
            cells[7] = f"{float(cells[7]) * factor:.7g}"
    (run / "samples.csv").write_text("\n".join(map(",".join, lines)) + "\n")


def spoil(row, **new_cells):
    """A change of the rows so named into ones that have no times."""

    def change(cells):
        if cells["row"] == row:
            gone = [*runs.TIMES, "published_ms", "samples", "processes", "iterations", "discarded"]
            cells.update(dict.fromkeys(gone, ""), **new_cells)

    return change


def drop_samples(run, row):
    lines = (run / "samples.csv").read_text().splitlines()
    (run / "samples.csv").write_text("\n".join(text for text in lines if text.split(",")[1] != row) + "\n")


@pytest.fixture(autouse=True)
def known(tmp_path, monkeypatch):
    """A calibration of the machine of NEW, and not of the one that runs the tests."""
    monkeypatch.setattr(runs, "RESULTS", tmp_path / "results")
    path = tmp_path / "results/runs/made-up/calibration.json"
    calibrate.keep(path, {"schema": calibration.SCHEMA, "kinds": steady()})
    return path


@pytest.fixture
def base(tmp_path):
    return Path(shutil.copytree(DATA / "newer", tmp_path / "base"))


@pytest.fixture
def new(tmp_path):
    """The same run again, of other code."""
    copy = Path(shutil.copytree(DATA / "newer", tmp_path / "new"))
    change_meta(copy, lambda meta: meta["build"].update(kernels={"kernels/tsp/colony.cu": "0"}, executable_sha256="0"))
    change_meta(copy, lambda meta: meta["machine"].update(name="Made up"))
    return copy


@pytest.fixture
def gate(capsys):
    """The gate as CI calls it, but in this process: (returncode, stdout, stderr)."""

    def call(*arguments):
        with pytest.raises(SystemExit) as end:
            command.run(lambda: regress.main([str(argument) for argument in arguments]))
        out = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, end.value.code, out.out, out.err)

    return call


# ---- Exit codes ----


def test_the_command_ends_with_the_exit_code(base, new, known):
    """The script itself, which CI calls."""
    slow_down(new, "ds-roulette", 1.2)
    for arguments, code in (([base, new, "--calibration", known], command.REGRESSION), (["nowhere"], command.USAGE)):
        done = subprocess.run([ROOT / "scripts/regress", *arguments], cwd=base, capture_output=True)
        assert done.returncode == code, done.stderr


@pytest.mark.parametrize("percent, code", [(0, 0), (2, 0), (-10, 0), (4, 3), (10, 3)])
def test_planted_slowdowns(base, new, percent, code, gate):
    slow_down(new, "ds-roulette", 1 + percent / 100)
    done = gate(base, new)
    assert done.returncode == code, done.stderr
    assert ("slower" in done.stdout.splitlines()[-1]) == (code == command.REGRESSION)


def test_a_real_change_is_found_as_it_was(gate, known):
    """Between the two stored runs the step of ds-roulette became shorter; golden numbers."""
    options = [*GPU, "--allow", "options", "--allow", "driver", "--calibration", known]
    done = gate(DATA / "newer", DATA / "older", *options)
    assert done.returncode == command.REGRESSION
    names = [
        "slower       3.4 ds-roulette d198 tsp/ds-roulette cuda protocol=as-best;ants=198;stage=construct stage: ",
        "slower       3.3 ds-roulette d198 tsp/ds-roulette cuda protocol=as-best;ants=198 iteration: ",
    ]
    told = ["median 0.1861 -> 0.2171 ms, +16.7 %", "median 0.1988 -> 0.2295 ms, +15.4 %"]
    assert done.stdout.splitlines()[:2] == [a + b for a, b in zip(names, told)]
    assert done.stdout.splitlines()[-1].startswith("slower: 2 slower, 2 same")
    back = gate(DATA / "older", DATA / "newer", *options)
    assert back.stdout.splitlines()[-1].startswith("no regression shown: 2 faster, 2 same")


def test_wrong_output_outranks_slower(base, new, gate):
    slow_down(new, "ds-roulette", 1.2)
    change_rows(new, spoil("i-roulette-warp", status="wrong", note="city 3 twice"))
    drop_samples(new, "i-roulette-warp")
    done = gate(base, new)
    assert done.returncode == command.WRONG
    assert done.stdout.startswith("wrong        3.3 i-roulette-warp") and "city 3 twice" in done.stdout


@pytest.mark.parametrize("status", sides.FAILED)
def test_a_row_that_has_no_time_any_more_is_inconclusive(base, new, status, gate):
    change_rows(new, spoil("i-roulette-warp", status=status, note="because"))
    drop_samples(new, "i-roulette-warp")
    done = gate(base, new)
    assert done.returncode == command.INCONCLUSIVE and f"({status}: because)" in done.stdout


def test_missing_rows(base, new, gate):
    """They are reported, but only those that NEW was asked for make the gate inconclusive."""
    drop_samples(new, "ds-roulette")
    change_rows(new, lambda cells: cells["row"] != "ds-roulette")
    done = gate(base, new)
    assert done.returncode == command.INCONCLUSIVE
    assert done.stdout.splitlines()[-1] == "inconclusive: 3 missing, 2 same, 2 as good"
    change_meta(new, lambda meta: meta["options"].update(implementations=["tsp/acotsp-seq", "tsp/i-roulette-warp"]))
    done = gate(base, new)
    assert done.returncode == command.OK
    assert done.stdout.splitlines()[-1] == "no regression shown: 2 same, 2 as good, 3 not asked for"
    for pattern, code in (("tsp/[ai]*", command.OK), ("tsp/*roulette", command.INCONCLUSIVE)):
        change_meta(new, lambda meta: meta["options"].update(implementations=[pattern]))
        assert gate(base, new).returncode == code, pattern
    asked = (
        ("3.3/[ai]*", command.OK),
        ("?protocol=as", command.OK),
        ("3.4", command.INCONCLUSIVE),
        ("3.3/ds-*/d198", command.INCONCLUSIVE),
    )
    for rows, code in asked:
        change_meta(new, lambda meta: meta["options"].update(implementations=None, rows=[rows]))
        assert gate(base, new).returncode == code, rows
    change_meta(new, lambda meta: meta["options"].update(rows=["3.3/ds-*"]))  # their stages come with them
    assert gate(base, new).stdout.splitlines()[-1] == "inconclusive: 3 missing, 2 same, 2 as good"


@pytest.mark.parametrize("asked, code", [
    ("d198", command.INCONCLUSIVE),
    ("/some/where/d198.tsp", command.INCONCLUSIVE),
    ("pr1002", command.INCONCLUSIVE),
    ("a280", command.OK),
])  # fmt: skip
def test_an_input_is_asked_for_by_its_name_its_file_or_what_it_stands_in_for(base, new, asked, code, gate):
    for side in (base, new):
        change_rows(side, lambda cells: cells.update(note="generated stand-in for pr1002"))
        change_meta(side, lambda meta: meta["options"].update(instances=[asked]))
    drop_samples(new, "ds-roulette")
    change_rows(new, lambda cells: cells["row"] != "ds-roulette")
    assert gate(base, new).returncode == code


NO_QUALITY = dict.fromkeys(("quality_metric", "quality_best", "quality_mean", "quality_runs"), "")


def test_few_samples_are_inconclusive(base, new, gate):
    """Five samples of one process cannot be told from noise, however large the change."""
    for run in (base, new):
        lines = (run / "samples.csv").read_text().splitlines()
        (run / "samples.csv").write_text(
            "\n".join(text for text in lines if text.split(",")[6] in {"number", *"01234"}) + "\n"
        )
        change_rows(settle(run), lambda cells: cells.update(iterations="5", **NO_QUALITY))
    slow_down(new, "ds-roulette", 1.5)
    done = gate(base, new)
    assert done.returncode == command.INCONCLUSIVE and "fewer than 6 samples" in done.stdout


def change_samples(run, row, change):
    """Rewrites the samples of the rows so named: change(list of ms) -> list; their numbers stay."""
    lines = [text.split(",") for text in (run / "samples.csv").read_text().splitlines()]
    of_row = [cells for cells in lines[1:] if cells[1] == row]
    for line in {cells[2] for cells in of_row}:
        mine = [cells for cells in of_row if cells[2] == line]
        for cells, ms in zip(mine, change([float(cells[7]) for cells in mine])):
            cells[7] = f"{ms:.7g}"
    (run / "samples.csv").write_text("\n".join(map(",".join, lines)) + "\n")


@pytest.mark.parametrize(
    "change",
    [
        lambda ms: [2 * x if i % 5 in (0, 1) else x for i, x in enumerate(ms)],  # +40 % of the mean
        lambda ms: [3 * x if i % 3 == 0 else x for i, x in enumerate(ms)],  # +67 %
        lambda ms: [2 * x if i >= 0.55 * len(ms) else x for i, x in enumerate(ms)],  # +45 %
        lambda ms: [2 * x if i % 10 == 0 else x for i, x in enumerate(ms)],  # +10 %, and the tail
    ],
)
def test_slowdowns_of_the_mean_and_the_tail_are_found(base, new, change, gate):
    """Whose medians hardly move."""
    change_samples(new, "ds-roulette", change)
    settle(new)
    done = gate(base, new, *GPU)
    assert done.returncode == command.REGRESSION
    assert "mean" in done.stdout.splitlines()[0] or "p95" in done.stdout.splitlines()[0]


# ---- Processes that failed ----


def side_of_shares(n, change=lambda i, row: row, numbers=None, planned=None):
    """A Side of n processes, each a share, whose rows 0 and 1 `change` alters, or drops."""
    numbers = list(numbers or range(1, n + 1))
    found = []
    for i in numbers:
        run = made_run({line: [np.ones(20)] for line in range(2)}, f"{i:03}", process=i, processes=planned or n)
        run.meta["build"]["executable_sha256"] = "one"
        rows = [row for row in (change(i, row) for row in runs.records_of(run.rows)) if row]
        object.__setattr__(run, "rows", pd.DataFrame(rows, columns=run.rows.columns))
        found.append(run)
    return sides.Side(found)


def failed_in(which, status):
    def change(i, row):
        if row["line"] == 0 and i in which:
            row.update(status=status, samples=float("nan"), note="because")
        return row

    return change


def verdicts_of(base, new):
    judgements = regress.judge(base, new, regress.Rules(known=calibration.Calibration(steady())))
    return regress.exit_code(judgements), {j.row["row"]: (j.verdict, j.reason) for j in judgements}


@pytest.mark.parametrize("is_base", [True, False])
@pytest.mark.parametrize("status", sides.FAILED)
@pytest.mark.parametrize("which", [(2,), (1, 2, 3), (4,), (1,)])
def test_a_process_that_failed_makes_its_row_inconclusive(which, status, is_base):
    """Whichever process it was, on whichever side."""
    both = [side_of_shares(4, failed_in(which, status)), side_of_shares(4)]
    code, told = verdicts_of(*(both if is_base else reversed(both)))
    label = "BASE" if is_base else "NEW"
    assert code == command.INCONCLUSIVE and told["row-1"][0] == "same"
    assert told["row-0"] == ("inconclusive", f"{4 - len(which)} of 4 processes of {label}; {label}: {status} because")


@pytest.mark.parametrize("which", [(1,), (3,), (4,), (1, 2, 3, 4)])
def test_wrong_in_any_process_is_wrong(which):
    code, told = verdicts_of(side_of_shares(4), side_of_shares(4, failed_in(which, "wrong")))
    assert code == command.WRONG and told["row-0"] == ("wrong", "because")


@pytest.mark.parametrize("is_base", [True, False])
def test_rows_and_processes_that_are_not_there_are_counted(is_base):
    def in_order(*both):
        return verdicts_of(*(both if is_base else reversed(both)))

    def dropped(i, row):
        return row if row["line"] or i == 2 else None

    label = "BASE" if is_base else "NEW"
    code, told = in_order(side_of_shares(4, dropped), side_of_shares(4))
    assert code == command.INCONCLUSIVE and told["row-0"] == ("inconclusive", f"1 of 4 processes of {label}")
    six = side_of_shares(6, numbers=[1, 2, 3, 5, 6, 7], planned=7)
    code, told = in_order(six, side_of_shares(7))
    assert code == command.INCONCLUSIVE
    assert told["row-0"] == told["row-1"] == ("inconclusive", f"6 of 7 processes of {label}")
    assert any(
        f"{label} 6 of 7 processes" in line
        for line in sides.counts(*((six, side_of_shares(7)) if is_base else (side_of_shares(7), six)))
    )
    whole = sides.Side([made_run({line: [np.ones(20)] * 6 for line in range(2)})])
    whole.runs[0].meta["processes"] = [{}] * 7
    code, told = in_order(whole, sides.Side([made_run({line: [np.ones(20)] * 7 for line in range(2)})]))
    assert code == command.INCONCLUSIVE and told["row-0"] == ("inconclusive", f"6 of 7 processes of {label}")


def test_what_the_first_process_alone_measures_is_not_missed():
    def setup(i, row):
        row.update(scope="setup" if row["line"] == 0 else row["scope"])
        return row if i == 1 or row["line"] else None

    assert verdicts_of(side_of_shares(4, setup), side_of_shares(4, setup))[0] == command.OK


def test_qualities_are_paired_by_their_seeds():
    """Though the first process of NEW is not there."""

    def quality(i, row):
        row.update(quality_metric="best-tour-after-100-iterations", quality_runs=f"{100 * i} {100 * (i + 4)}")
        return row

    base, new = side_of_shares(4, quality), side_of_shares(3, quality, numbers=[2, 3, 4], planned=4)
    judgements = [j for j in regress.judge(base, new, regress.Rules()) if j.is_quality]
    assert {(j.verdict, j.change) for j in judgements} == {("as good", 0)}


# ---- All rows together ----


def judged_together(slower, known=True, seed=7):
    random = np.random.default_rng(seed)
    machine = Machine(random, n_rows=calibration.MANY + 5)
    kinds = calibrate.observations([[machine.measure(16)]])
    kind = f"cuda {calibration.TOGETHER}"
    described = {kind: calibration.describe(kinds[kind], kind)} if known else {}
    rules = regress.Rules(known=calibration.Calibration({**steady(spread_percent=90), **described}))
    base, new = (machine.measure(7, dict.fromkeys(range(machine.n_rows), each)) for each in (0, slower))
    judgements = regress.judge(*(sides.Side([each]) for each in (base, new)), rules)
    return judgements, rules


@pytest.mark.parametrize("slower, verdict", [(0.02, "slower"), (0, "same")])
def test_all_rows_two_percent_slower_is_found(slower, verdict):
    """No row of which is slower by itself."""
    judgements, _ = judged_together(slower)
    (of_all,) = [j for j in judgements if j.is_together]
    assert of_all.verdict == verdict and not any(j.verdict == "slower" for j in judgements if not j.is_together)
    assert regress.exit_code(judgements) == (command.REGRESSION if slower else command.OK)
    if slower:
        assert re.fullmatch(r"(1\.[89]|2\.[01]) % slower", gate_report.sentence(of_all))
        assert of_all.name == "all rows together cuda"


def test_all_rows_together_take_a_calibration():
    assert not any(j.is_together for j in judged_together(0.02, known=False)[0])


def test_all_rows_are_measured_again_together():
    judgements, rules = judged_together(0.02)
    asked = []

    def measure(rows, processes):
        asked.extend(row["row"] for row in rows)
        raise command.BadInput("no program")

    told = regress.confirm(judgements, measure, rules, 7)
    assert sorted(asked) == sorted(j.row["row"] for j in judgements if not j.is_together)
    assert [j.verdict for j in told if j.is_together] == ["inconclusive"]


def test_few_processes_say_what_they_can_find(base, new, gate, known):
    calibrate.keep(known, {"schema": calibration.SCHEMA, "kinds": steady(spread_percent=3)})
    told = gate(base, new).stderr
    assert re.search(
        r"1 processes per side miss a slowdown of a usual row below 16.7 % of cpu iteration, 16.7 % of cuda", told
    )


# ---- Quality ----


def test_tours_twice_as_long_are_worse_output(base, new, gate):

    def double(cells):
        if cells["row"] == "ds-roulette" and cells["quality_mean"]:
            cells["quality_runs"] = " ".join(str(2 * int(tour)) for tour in cells["quality_runs"].split())
            cells.update({name: str(2 * float(cells[name])) for name in ("quality_best", "quality_mean")})

    change_rows(new, double)
    done = gate(base, new)
    assert done.returncode == command.WRONG, done.stdout
    assert done.stdout.startswith("worse        3.3 ds-roulette") and "best-tour" in done.stdout.splitlines()[0]
    assert done.stdout.splitlines()[-1].startswith("WORSE OUTPUT: 1 worse, ")
    assert sum(line.startswith("worse ") for line in done.stdout.splitlines()) == 1, "a row is told once"


def quality_side(pairs, which):
    """A Side whose row i has the metric pairs[i][0] and the runs pairs[i][which]."""
    qualities = {i: (pair[0], pair[which]) for i, pair in enumerate(pairs)}
    return sides.Side([made_run(dict.fromkeys(qualities, [np.ones(30)]), str(which), qualities)])


def judged(pairs):
    """{row: verdict on its quality}, for (metric, runs of BASE, runs of NEW)."""
    found = regress.judge(quality_side(pairs, 1), quality_side(pairs, 2), regress.Rules())
    return {j.row["row"]: j.verdict for j in found if j.is_quality}


def test_a_quality_that_is_worse_is_told_from_chance():
    tours = "best-tour-after-100-iterations"
    verdicts = judged(
        [
            ("f", "0.9", "0"),
            ("agreement", "0.99 0.98 0.99", "0 0 0"),
            (tours, "100 102 101", "101 102 100"),
            (tours, "100 102 101", "110 112 111"),
            (tours, "100 102 101", "90 92 91"),
            ("f", "0.9", "0.88"),
            ("thickness", "1", "2"),
        ]
    )
    assert verdicts == {
        "row-0": "worse",
        "row-1": "worse",
        "row-2": "as good",
        "row-3": "worse",
        "row-4": "as good",
        "row-5": "as good",
    }


def test_tours_that_differ_by_chance_are_not_worse():
    random, wrong = np.random.default_rng(1), 0
    for _ in range(100):
        tours = [" ".join(f"{x:.1f}" for x in random.normal(100, 1.2, 4)) for _ in range(40)]
        pairs = [("best-tour-after-100-iterations", *both) for both in zip(tours[::2], tours[1::2])]
        wrong += "worse" in judged(pairs).values()
    assert wrong <= 3


@pytest.mark.parametrize("n_runs, most", [(3, 0.015), (10, 0.015)])
def test_rows_whose_runs_vary_by_their_own_amount_are_seldom_worse(n_runs, most):
    """Some rows vary a hundred times as much as others."""
    random = np.random.default_rng(1)
    rows = [("best-tour-after-100-iterations", spread) for spread in np.exp(random.uniform(-8, -3, 60))]
    worse, inconclusive = gate_rates.quality_alarms(rows, n_runs, random)
    assert worse <= most and inconclusive <= 0.05


def test_a_quality_after_other_iterations_is_not_compared():
    old = quality_side([("best-tour-after-100-iterations", "100")], 1)
    new = quality_side([("best-tour-after-5-iterations", "", "100")], 2)
    (quality,) = [j for j in regress.judge(old, new, regress.Rules()) if j.is_quality]
    assert quality.verdict == "inconclusive"


# ---- Conditions ----


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda meta: meta["inputs"][0].update(sha256="0" * 64), "different files d198"),
        (lambda meta: meta["options"].update(seed=2), "different seed: 1 and 2"),
        (lambda meta: meta["options"].update(iterations=10), "different iterations: default and 10"),
        (lambda meta: meta["options"].update(profile="thesis"), "different profile: quick and thesis"),
        (lambda meta: meta["build"].update(dirty=True), "NEW was built from a changed tree"),
        (lambda meta: meta["devices"][0].update(driver="1.2"), "different driver"),
        (lambda meta: meta["devices"][0].update(power_limit_w=300), "different power limit"),
    ],
)
def test_what_was_not_measured_alike_is_inconclusive(base, new, change, said, gate):
    change_meta(new, change)
    done = gate(base, new)
    assert done.returncode == command.INCONCLUSIVE and f"not alike: {said}" in done.stdout.replace("3.3: ", "")
    slow_down(new, "ds-roulette", 1.2)
    assert gate(base, new).returncode == command.INCONCLUSIVE
    kinds = ("input", "options", "driver", "dirty")
    assert gate(base, new, *(word for kind in kinds for word in ("--allow", kind))).returncode == command.REGRESSION


def test_a_whole_table_that_is_missing_is_missed(base, new, gate, tmp_path):
    """A run of another driver that NEW has no run of."""
    shutil.copytree(base, tmp_path / "both/3.3")
    other = Path(shutil.copytree(base, tmp_path / "both/4.2"))
    change_meta(other, lambda meta: meta.update(program="table_4_2"))
    change_rows(other, lambda cells: cells.update(table="9" + cells["table"]))
    samples = (other / "samples.csv").read_text()
    (other / "samples.csv").write_text(re.sub(r"^3\.", "93.", samples, flags=re.M))
    done = gate(tmp_path / "both", new)
    assert done.returncode == command.INCONCLUSIVE and "5 missing" in done.stdout.splitlines()[-1]


def test_different_devices_are_refused_unless_asked_for(base, new, gate):
    change_rows(new, lambda cells: cells.update(device="GeForce") if cells["backend"] == "cuda" else None)
    done = gate(base, new)
    assert done.returncode == command.USAGE
    assert done.stderr.startswith("different devices: BASE has cuda rows of NVIDIA H100 80GB HBM3, NEW of GeForce")
    assert gate(base, new, "--allow-different-devices").returncode == command.OK


def test_nothing_matched(base, new, gate):
    change_rows(new, lambda cells: cells.update(instance="made", quality_reference=""))
    done = gate(base, new)
    assert (done.returncode, done.stdout) == (command.USAGE, "") and done.stderr.startswith(
        "BASE and NEW have no row in common"
    )
    done = gate(base, new, "--backend", "host")
    assert done.returncode == command.USAGE and done.stderr.endswith("no rows of backend host\n")


@pytest.mark.parametrize(
    "damage",
    [
        lambda run: (run / "table-3.3.csv").write_text(""),
        lambda run: (run / "table-3.3.csv").write_text((run / "table-3.3.csv").read_text()[:-20]),
        lambda run: (run / "meta.json").unlink(),
        lambda run: (run / "samples.csv").unlink(),
        lambda run: change_rows(run, lambda cells: cells.update(schema="4") if cells["row"] == "ds-roulette" else None),
        lambda run: change_rows(run, lambda cells: cells.update(device="X") if cells["row"] == "ds-roulette" else None),
    ],
)
def test_bad_files_are_one_line_and_exit_code_2(base, new, damage, gate):
    damage(new)
    done = gate(base, new)
    assert (done.returncode, done.stdout) == (command.USAGE, "")
    assert len(done.stderr.splitlines()) == 1 and str(new) in done.stderr


@pytest.mark.parametrize("arguments", [[], ["--threshold", "0", "a"], ["--treshold", "3", "a"], [""]])
def test_wrong_usage(arguments, gate):
    assert gate(*arguments).returncode == command.USAGE


# ---- What it writes ----


def test_same_code_is_said(base, new, gate):
    shutil.copy(base / "meta.json", new / "meta.json")
    change_meta(new, lambda meta: meta["machine"].update(name="Made up"))
    slow_down(new, "ds-roulette", 1.2)
    done = gate(base, new)
    assert done.returncode == command.REGRESSION
    assert done.stdout.splitlines()[0].endswith("(same code, different time: noise, or the machine)")


def test_summary_and_junit(base, new, tmp_path, gate):
    slow_down(new, "ds-roulette", 1.2)
    drop_samples(new, "acotsp-seq")
    change_rows(new, spoil("acotsp-seq", status="timeout", note="a | b", quality_mean="17450", quality_runs=""))
    gate(base, new, "--summary", tmp_path / "gate.md", "--junit", tmp_path / "gate.xml")
    summary = (tmp_path / "gate.md").read_text().splitlines()
    assert summary[0] == "## Regression gate: slower: 3 slower, 1 inconclusive, 1 same, 3 as good"
    rows = [line for line in summary if line.startswith("| slower") or line.startswith("| inconclusive")]
    assert len(rows) == 4 and all(line.replace("\\|", "").count("|") == 10 for line in rows)
    suite = xml.parse(tmp_path / "gate.xml").getroot()
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "8",
        "failures": "3",
        "skipped": "1",
    }
    assert len(suite.findall("testcase")) == 8 and "+20.0 %" in suite.find("testcase/failure").get("message")
    assert suite.find("testcase/skipped").get("message") == "inconclusive: timeout: a | b"


def test_what_no_xml_may_hold_is_left_out(base, new, gate, tmp_path, monkeypatch):
    judged = regress.judge
    monkeypatch.setattr(
        regress,
        "judge",
        lambda *a: [replace(j, reason="<x> \x00\x1b[1m \ufffe", verdict="inconclusive") for j in judged(*a)],
    )
    gate(base, new, "--junit", tmp_path / "gate.xml")
    told = xml.parse(tmp_path / "gate.xml").find(".//skipped").get("message")
    assert "<x> ??[1m ?" in told


# ---- Processes ----


def test_same_says_what_would_have_been_seen(base, new, gate, tmp_path):
    done = gate(base, new, *GPU, "--junit", tmp_path / "gate.xml")
    same = [line for line in done.stdout.splitlines() if line.startswith("same")]
    assert len(same) == 4 and all(re.search(r"; -?\d\.\d % more would have been seen$", line) for line in same)
    assert "more would have been seen" in xml.parse(tmp_path / "gate.xml").find(".//system-out").text


def known_of(machine):
    """Of ten processes."""
    kinds = calibrate.observations([[machine.measure(10)]])
    return calibration.Calibration({kind: calibration.describe(values, kind) for kind, values in kinds.items()})


def side_of_processes(tmp_path, name, ms):
    """Processes of 20 samples each."""
    (tmp_path / name).mkdir()
    return sides.Side([run_of_processes(tmp_path / name, [[each] * 20 for each in ms])])


@pytest.mark.parametrize(
    "base, new, verdict",
    [
        ([1, 1.01, 0.99, 1, 1], [1.05, 1.06, 1.05, 1.04, 1.06], "slower"),
        ([1, 1, 1.1, 1, 1], [1.05, 1.05, 1.05, 1.05, 1.05], "slower"),  # one process of BASE is not itself
        ([1, 1, 4, 1, 1], [1.05, 1.05, 1.05, 1.05, 1.05], "unsteady"),  # or by so much that nothing can be said
        ([1, 1, 1, 1, 1], [1, 1, 4, 1, 3], "same"),  # or two of NEW
        ([1, 1, 1, 1, 1], [1, 4, 4, 1, 4], "unsteady"),  # or most
        ([1, 3, 1, 4, 2], [3, 2, 4, 3, 1], "unsteady"),
        ([1, 1, 1, 1, 1], [0.9, 0.91, 0.9, 0.9, 0.9], "faster"),
        ([1, 1, 1, 1, 1], [0.9, 0.9, 0.9, 1.1, 1.1], "unsteady"),  # perhaps faster
        ([1, 1.2, 1, 1.3, 1.1], [1.2, 1.1, 1.3, 1.25, 1.3], "unsteady"),  # perhaps slower
        ([1, 1.01, 0.99, 1, 1], [1.02, 1.02, 1.02, 1.02, 1.02], "same"),  # by less than the threshold
        ([1], [1.05, 1.06, 1.05], "slower"),
    ],
)
def test_slower_is_what_all_processes_are(tmp_path, base, new, verdict):
    """By the median of the processes, by more than they vary, and all of NEW over three quarters of BASE."""
    both = (side_of_processes(tmp_path, name, ms) for name, ms in (("base", base), ("new", new)))
    (judgement,) = regress.judge(*both, regress.Rules(known=calibration.Calibration(steady())))
    assert judgement.verdict == verdict


def test_what_is_said_to_be_seen_is_seen(tmp_path):
    """NEW, all of it slower by the least that would have been seen, and by less."""
    rules = regress.Rules(known=calibration.Calibration(steady()))
    base, new = [1, 1.02, 0.97, 1.01, 1], [1, 0.98, 1.01, 1, 1.02]
    old = side_of_processes(tmp_path, "base", base)
    (judgement,) = regress.judge(old, side_of_processes(tmp_path, "new", new), rules)
    assert judgement.verdict == "same" and 0.03 < judgement.seen < 0.05
    for i, (more, verdict) in enumerate(((0.001, "slower"), (-0.001, "same"))):
        slower = [ms * (1 + judgement.seen + more) for ms in new]
        (judged_,) = regress.judge(old, side_of_processes(tmp_path, f"slower-{i}", slower), rules)
        assert judged_.verdict == verdict


def test_unchanged_processes_are_seldom_apart():
    """However a row varies: by a fifth from process to process, and now and then it is three times as slow."""
    random = np.random.default_rng(2)
    base, new = random.normal(0, 0.2, (2, 7, 50_000)) + np.log(3) * (random.random((2, 7, 50_000)) < 0.1)
    assert np.mean(inference.surely(*inference.compare(base, new)) > 0) < 1 / 95


def run_of_processes(tmp_path, processes):
    """A run of one row, whose processes have these samples."""
    values = [(process, *each) for process, of in enumerate(processes, start=1) for each in enumerate(of)]
    row = thesis_row("3.3", "ds-roulette", "d198", 2.0, samples=len(values), iterations=max(map(len, processes)))
    folder = write_run(tmp_path / "run", [row])
    lines = [f"3.3,ds-roulette,2,{process},1,{i},{number},{ms}," for i, (process, number, ms) in enumerate(values)]
    (folder / "samples.csv").write_text("\n".join([",".join(runs.SAMPLES_HEADER), *lines]) + "\n")
    return runs.load_run(settle(folder))


def test_the_processes_of_one_run_are_told_apart(tmp_path):
    run = run_of_processes(tmp_path, [(1, 1), (3, 3, 3)])
    assert [list(samples) for samples in run.processes[2]] == [[1, 1], [3, 3, 3]]
    (measured,) = sides.Side([run]).measured(runs.KEY).values()
    assert [len(samples) for samples in measured.processes] == [2, 3]


def test_a_run_of_several_processes_calibrates(tmp_path):
    """As several runs of one process do; fewer than six processes say nothing."""
    for folder in ("six", "one"):
        (tmp_path / folder).mkdir()
    six = run_of_processes(tmp_path / "six", [(1, 1), (1.1, 1.1, 1.1), (0.9, 0.9), (1, 1), (1, 1), (1, 1)])
    (group,) = calibrate.groups_of([six.path]).values()
    (values,) = calibrate.observations([group])["cuda iteration"]
    assert values.shape[:2] == (6, 1) and values[2, 0, 0] < values[0, 0, 0] < values[1, 0, 0]
    (group,) = calibrate.groups_of([run_of_processes(tmp_path / "one", [(1, 1)]).path]).values()
    assert calibrate.observations([group]) == {}


def test_what_is_short_is_a_kind_of_its_own():
    row = {"backend": "cuda", "scope": "stage"}
    assert [calibration.kind_of(row, ms) for ms in (0.049, 0.05)] == ["cuda stage under 50 us", "cuda stage"]


@pytest.mark.parametrize("n, together_", [(8, 8), (4, 4)])
def test_gates_are_drawn_of_whole_processes(n, together_):
    """None is on both sides; measured again with other processes where there are as many."""
    both = gate_rates.gates(n, 2, np.random.default_rng(1))
    assert both.shape == (2, 2, 2, gate_rates.DRAWS) and set(both.ravel()) == set(range(n))
    for i in range(gate_rates.DRAWS):
        assert all(len(set(gate[:, :, i].ravel())) == 4 for gate in both)
        assert len(set(both[..., i].ravel())) == together_


def described_as(spreads, processes=16, seed=3):
    """What is known of a kind whose rows' processes differ by so much."""
    values = np.random.default_rng(seed).normal(0, 1, (processes, len(spreads), 3)) * np.array(spreads)[:, None]
    return calibration.Calibration({"kind": calibration.describe([values])})


def test_a_calibration_is_what_a_usual_row_varies_by():
    known_ = described_as([0.01] * 300).kinds["kind"]
    assert known_["rows"] == 300 and known_["processes"] == 16
    assert known_["prior"]["median"]["spread_percent"] == pytest.approx(1, rel=0.15)
    assert known_["prior"]["median"]["df"] == inference.MOST_PRIOR_DF
    mixed = described_as([0.001, 0.002, 0.004, 0.01, 0.02, 0.05] * 50).kinds["kind"]["prior"]["mean"]
    assert mixed["df"] < 1.5 and 0.2 < mixed["spread_percent"] < 1


def test_a_row_that_varies_more_widens_its_own_limit_alone():
    """A few rows take 4 % more or less from seed to seed: the other 242 do not pay for that."""
    known_ = described_as([0.002] * 242 + [0.04] * 5)
    sizes, p = (7, 7), (regress.ALPHA / 247) ** 0.5
    steady_, unsteady = (
        known_.limits("kind", sizes, 0.03, p, inference.squares(*np.random.default_rng(5).normal(0, spread, (2, 7, 3))))
        for spread in (0.002, 0.04)
    )
    assert (steady_ == math.log1p(0.03)).all() and (unsteady > 0.045).all()


def test_a_limit_is_what_normal_processes_are_seldom_over():
    """By Student's t; the rank is not asked here. As often as p says, or somewhat less."""
    base, new = np.random.default_rng(6).normal(0, 0.02, (2, 7, 200_000))
    limits = inference.limit((7, 7), inference.squares(base, new), (1e-6, 0.01), 0.01)
    assert 0.004 < np.mean(inference.compare(base, new)[0] > limits) < 0.01


def test_the_limits_of_a_gate_are_those_of_all_its_rows():
    """More rows, higher limits; lower where a row has to be over its limit twice."""
    of_kind = described_as([0.02] * 30)
    rules = [regress.Rules(0.01, of_kind, confirmed, n) for n, confirmed in ((1, False), (200, False), (200, True))]
    of_one, of_many, twice = (each.limits("kind", (5, 5))[0] for each in rules)
    assert of_many > of_one > np.log1p(0.01) and of_many > twice > np.log1p(0.01)


def test_rates_are_of_processes_that_the_limits_are_not_of():
    random = np.random.default_rng(3)
    values = random.normal(0, 0.01, (20, 30, 3)) + random.normal(0, 0.01, (20, 1, 1))
    alarms_once, confirmed, *found = gate_rates.judged([values], 30, 3)
    assert alarms_once < 0.01 and confirmed < 0.01
    assert found[0] < found[2] < found[4] and found[1] < found[3] < found[5]
    assert gate_rates.judged([values[:7]], 30, 3) is None


def test_a_tail_that_no_row_had_is_not_calibrated():
    """Rows of fewer than 20 samples when it was calibrated, and of more in the gate."""
    values = np.random.default_rng(4).normal(0, 0.01, (6, 3, 3))
    values[:, :, 2] = np.nan
    limits = calibration.Calibration({"kind": calibration.describe([values])}).limits("kind", (5, 5), 0.03, 0.001)
    assert np.isfinite(limits).tolist() == [True, True, False]


def test_runs_of_one_side_are_of_one_program_and_one_way(base, new, tmp_path, gate):
    done = gate(base, base, "--also-new", new)
    assert done.returncode == command.USAGE and "differ in program" in done.stderr
    again = Path(shutil.copytree(new, tmp_path / "again"))
    first = Path(shutil.copytree(base, tmp_path / "first"))
    assert gate(base, new, "--also-base", first, "--also-new", again).returncode == command.OK


ITSELF = "is in BASE and in NEW, so it would be judged against itself; name another BASE or NEW"


@pytest.mark.parametrize(
    "arguments",
    [
        "base base",
        "base folder/../base",
        "link base --allow-different-devices",
        "folder folder/again",
        "base folder --also-new link",
        "base folder --also-base folder/again",
    ],
)
def test_a_run_is_not_judged_against_itself(gate, base, tmp_path, monkeypatch, arguments):
    """Not even as one process of several, or by another name."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(base, "folder/again")
    Path("link").symlink_to(base)
    assert gate("base", "folder").returncode == command.OK
    done = gate(*arguments.split())
    assert (done.returncode, done.stdout) == (command.USAGE, "")
    assert done.stderr.endswith(f": {ITSELF}\n") and done.stderr.count("\n") == 1


def test_base_is_not_the_newest_run_that_is_meant(gate, base, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "yours", lambda: tmp_path)
    done = gate(base)
    assert (done.returncode, done.stderr) == (command.USAGE, f"{base}: {ITSELF}\n")
    with pytest.raises(command.BadInput, match=ITSELF):
        regress.judge_runs(base, base)


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([""], "BASE is missing: type make regress BASE=RUN NEW=RUN"),
        (["--history", ""], "RUNS is missing: type make regress-history RUNS=FOLDER"),
    ],
)
def test_what_is_missing_is_named(gate, arguments, said):
    done = gate(*arguments)
    assert (done.returncode, done.stderr) == (command.USAGE, said + "\n")


def test_a_newest_run_that_is_not_there_is_said_to_be_new(gate, base, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "yours", lambda: tmp_path / "none")
    done = gate(base)
    assert (done.returncode, done.stderr) == (
        command.USAGE,
        "NEW is not named, so your newest run is meant: no run found; make bench-all measures one\n",
    )


# ---- Measuring again ----


def confirmed(base, new, measure):
    base, new = (sides.side([path]) for path in (base, new))
    rules = regress.Rules(known=calibration.Calibration(steady()), confirmed=True)
    judgements = regress.confirm(regress.judge(base, new, rules), measure, rules, 1)
    return regress.exit_code(judgements), {j.row["row"]: j for j in judgements if not j.is_quality}["ds-roulette"]


def test_a_second_measurement_of_both_decides(base, new):
    slow_down(new, "ds-roulette", 1.2)
    first, second = sides.side([base]), sides.side([new])
    assert confirmed(base, new, lambda rows, n: (first, second))[0] == command.REGRESSION
    code, judgement = confirmed(base, new, lambda rows, n: (first, first))
    assert (code, judgement.verdict, judgement.reason) == (command.OK, "unconfirmed", "measured again +0.0 %, same")
    code, judgement = confirmed(base, new, lambda rows, n: (second, second))  # a lucky BASE is cleared too
    assert (code, judgement.verdict) == (command.OK, "unconfirmed")


def test_output_that_is_wrong_when_measured_again_is_wrong(base, new, tmp_path):
    slow_down(new, "ds-roulette", 1.2)
    wrong = Path(shutil.copytree(new, tmp_path / "wrong-again"))
    change_rows(wrong, spoil("ds-roulette", status="wrong", note="city 3 twice"))
    drop_samples(wrong, "ds-roulette")
    first, second = sides.side([base]), sides.side([wrong])
    code, judgement = confirmed(base, new, lambda rows, n: (first, second))
    assert (code, judgement.verdict) == (command.WRONG, "wrong")


def test_what_cannot_be_measured_again_is_inconclusive(base, new, gate):
    slow_down(new, "ds-roulette", 1.2)
    done = gate(base, new, "--rerun")
    assert done.returncode == command.INCONCLUSIVE
    assert "could not be measured again" in done.stdout and "build/bin/antbench is not" in done.stdout


@pytest.fixture
def driver(tmp_path, base, new):
    """A stand-in for a driver in two checkouts: it knows two implementations and copies its side to --out."""
    for name, side in (("base-root", base), ("new-root", new)):
        program = tmp_path / name / "build/bin/antbench"
        program.parent.mkdir(parents=True)
        program.write_text(f"""#!/bin/bash
[ "$1" = --list ] && {{ printf 'id\\tbackend\\ntsp/ds-roulette\\tcuda\\ntsp/i-roulette\\tcuda\\n'; exit; }}
echo "{name} $*" >> {tmp_path}/called
while [ $# -gt 1 ]; do case $1 in --out) out=$2 ;; --process) process=$2 ;; esac; shift; done
[ -n "$out" ] && mkdir -p "$out/process-$process" && cp {side}/* "$out/process-$process"
""")
        program.chmod(0o755)
        digest = hashlib.sha256(program.read_bytes()).hexdigest()
        change_meta(side, lambda meta, digest=digest: meta["build"].update(executable_sha256=digest))
        change_meta(
            side, lambda meta: meta["options"].update(time_budget_s="none", runs=3, set=["rho=0.3", "ants=20,40"])
        )
        change_meta(
            side,
            lambda meta: meta["options"].update(
                rows=["3.3/[d]s-*/d198?protocol=as+as-best", "3.3/i-roulette"], lock_clocks="base"
            ),
        )
        change_meta(side, lambda meta: meta.update(command_line=["build/bin/antbench", "3.3", "--profile", "quick"]))
    return tmp_path / "called"


@pytest.fixture
def roots(tmp_path):
    return ["--base-root", str(tmp_path / "base-root"), "--new-root", str(tmp_path / "new-root")]


def test_both_sides_are_measured_again_by_their_own_commands(base, new, driver, roots, capsys):
    """Of the rows that were asked for, only what means a slower one: the program refuses a row that it has not."""
    slow_down(new, "ds-roulette", 1.2)
    assert regress.main([str(base), str(new), "--rerun", *roots, *GPU]) == command.REGRESSION
    called = [re.sub(" --out [^ ]*", "", line) for line in driver.read_text().splitlines() if "--list" not in line]
    options = (
        "3.3 --quiet --profile quick --backend auto --device 0 --runs 3 --time-budget 0 --lock-clocks base --seed 2 --instances d198 "
        "--implementations tsp/ds-roulette --rows 3.3/[d]s-*/d198?protocol=as+as-best --set rho=0.3 --set ants=20,40 --processes 1 --process 1"
    )
    assert called == [f"base-root {options}", f"new-root {options}"]
    assert "confirmed by a second measurement of both" in capsys.readouterr().out


def test_a_file_of_the_users_is_measured_again(base, new, driver, tmp_path):
    change_meta(base, lambda meta: meta["options"].update(instances=["a280", "/some/where/d198.tsp"]))
    programs = rerun.Programs(sides.side([base]), sides.side([new]), tmp_path / "base-root", tmp_path / "new-root")
    programs.measure([row for row in sides.side([new]).rows.to_dict("records") if row["row"] == "ds-roulette"], 1)
    of_base, of_new = driver.read_text().splitlines()
    assert " --instances /some/where/d198.tsp " in of_base and " --instances d198 " in of_new


def test_they_take_turns(base, new, driver, tmp_path):
    programs = rerun.Programs(sides.side([base]), sides.side([new]), tmp_path / "base-root", tmp_path / "new-root")
    programs.measure([row for row in sides.side([new]).rows.to_dict("records") if row["row"] == "ds-roulette"], 3)
    called = [(line.split("-root")[0], line.split()[-1]) for line in driver.read_text().splitlines()]
    assert called == [("base", "1"), ("new", "1"), ("new", "2"), ("base", "2"), ("base", "3"), ("new", "3")]
    assert all(" --processes 3 " in line for line in driver.read_text().splitlines())


@pytest.mark.parametrize(
    "change",
    [
        lambda meta: meta["options"].update(profile="quick --save /etc"),
        lambda meta: meta["options"].update(set=["rho=0.3 --save"]),
        lambda meta: meta["options"].update(rows=["3.3/race --save"]),
        lambda meta: meta["options"].update(lock_clocks="base;true"),
        lambda meta: meta["options"].update(backend="--help"),
        lambda meta: meta["options"].update(runs="3;true"),
        lambda meta: meta["options"].update(instances=["-x/d198"]),
        lambda meta: meta.update(command_line=["build/bin/$(true)", "3.3"]),
        lambda meta: meta.update(command_line=["build/bin/evil.sh"], program="/some/where/evil.sh"),
    ],
)
def test_nothing_strange_gets_into_a_command(base, new, driver, roots, change, gate):
    slow_down(new, "ds-roulette", 1.2)
    for side in (base, new):
        change_meta(side, change)
    done = gate(base, new, "--rerun", *roots, *GPU)
    told = {command.INCONCLUSIVE: "its meta.json", command.USAGE: "not the description of a run: "}
    assert told[done.returncode] in done.stdout + done.stderr and not driver.exists()


# ---- Calibration ----


def test_a_kind_that_is_not_calibrated_cannot_fail_a_build(base, new, known, gate):
    slow_down(new, "ds-roulette", 1.5)
    calibrate.keep(known, {"schema": calibration.SCHEMA, "kinds": steady(kinds=("cuda stage under 50 us",))})
    done = gate(base, new)
    assert done.returncode == command.REGRESSION and "cuda iteration rows are not calibrated here" in done.stdout
    known.unlink()
    done = gate(base, new)
    assert done.returncode == command.INCONCLUSIVE and "not calibrated: no limit is known" in done.stdout


@pytest.mark.parametrize("slower, said", [(range(10), "10 of 10 rows"), (range(9), ""), ((), "")])
def test_rows_that_are_slower_together_are_told_though_none_is_calibrated(slower, said, known, monkeypatch, capsys):
    """All rows 12 % slower were as many times "inconclusive", and nothing said what a reader saw at once."""
    known.unlink()
    machine = Machine(np.random.default_rng(3), n_rows=10)
    both = {"base": machine.measure(5), "new": machine.measure(5, dict.fromkeys(slower, 0.12), "2027")}
    monkeypatch.setattr(sides, "side", lambda names, backend: sides.Side([both[names[0]]]))
    assert regress.main(["base", "new"]) == (5 if slower else 0)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("slower together: ")]
    expected = (
        rf"slower together: {said} take 3 % longer or more, 1[12]\.\d % in the median, though none .* is judged slower"
    )
    assert re.fullmatch(expected, *told) if said else not told


def test_the_limit_of_a_kind_is_its_calibration(base, new, known, gate):
    slow_down(new, "ds-roulette", 1.08)
    assert gate(base, new).returncode == command.REGRESSION
    calibrate.keep(known, {"schema": calibration.SCHEMA, "kinds": steady(spread_percent=2)})
    assert gate(base, new).returncode == command.OK
    for text in ("{}", "[]", '{"kinds": {"cuda iteration": {}}}'):
        known.write_text(text)
        assert "not a calibration" in gate(base, new).stderr
    assert gate(base, new, "--calibration", "nowhere").stderr == "nowhere: No such file or directory\n"


def test_calibrate_runs_every_driver_and_keeps_what_it_found(tmp_path, monkeypatch, driver, new, known, capsys):
    monkeypatch.setattr(calibrate, "ROOT", tmp_path / "new-root")
    known.unlink()
    assert calibrate.main(["--driver", "3.3", "--repetitions", "6"]) == command.OK
    kept = calibration.read(known)
    assert set(kept.kinds) == set(KINDS) and kept.kinds["cuda iteration"]["processes"] == 6
    assert sorted(os.listdir(tmp_path / "new-root/build/calibrate/3.3")) == [f"process-{i}" for i in range(1, 7)]
    out = capsys.readouterr().out
    assert re.search(r"cuda stage under 50 us: 1 row, 6 processes; .* %; fewer than 3 rows do not tell", out)
    calibrate.report({"cuda kernel": {**kept.kinds["cuda iteration"], "rows": 3}}, known)
    assert re.match(
        "cuda kernel: 3 rows, 6 processes; medians of a usual row differ by [^ ]+ %\n", capsys.readouterr().out
    )
    # Of the same processes, as a shell lists them, it makes the same.
    again = tmp_path / "again.json"
    processes = sorted((tmp_path / "new-root/build/calibrate/3.3").iterdir())
    assert calibrate.main(["--calibration", str(again), "--from", *map(str, processes)]) == command.OK
    assert calibration.read(again).kinds == kept.kinds


def test_more_processes_have_narrower_limits():
    known_ = known_of(Machine(np.random.default_rng(4)))
    limits = [known_.limits("cuda iteration", (k, k), 1e-6, 1e-4)[0] for k in (1, 2, 3, 5, 7, 10)]
    assert sorted(limits, reverse=True) == limits and limits[0] > 5 * limits[-1]


# ---- How often it is right ----


def gates(n, slower, seed, n_rows=10, processes=3):
    """n gates on machines of their own: (how many found row 0 slower, how many found another row slower)."""
    random = np.random.default_rng(seed)
    found = false = 0
    for i in range(n):
        if i % 20 == 0:
            machine = Machine(random, n_rows)
            rules = regress.Rules(known=known_of(machine))
        base, new = (sides.Side([machine.measure(processes, each)]) for each in ({}, {0: slower}))
        judged_ = regress.judge(base, new, rules)
        found += judged_[0].verdict == "slower"
        false += any(j.verdict == "slower" for j in judged_[1:])
    return found, false


def test_under_one_percent_of_gates_are_false_alarms():
    assert sum(gates(200, 0, seed=1)) < 2


def test_slowdowns_of_five_percent_are_found():
    assert gates(100, 0.05, seed=2, n_rows=5)[0] >= 95


def test_slowdowns_of_ten_percent_are_found_by_two_processes():
    """One process a side says nothing of how its row varies: what its kind says finds them in most machines alone."""
    assert gates(100, 0.10, seed=3, n_rows=5, processes=2)[0] >= 99


def test_rates_of_stored_runs_follow_the_gates_own_rule():
    """What docs/guide/ci.md says comes from here: a kind that hardly varies gives no alarm, and all is found."""
    machine = Machine(np.random.default_rng(5), 3)
    machine.median_ms[:] = 1.0
    groups = [[machine.measure(16)]]
    (of_kind, together) = gate_rates.table(groups, [3])
    assert of_kind[:2] == ("cuda iteration", 3) and (of_kind[2][:2] < 0.01).all() and (of_kind[2][4:] > 0.99).all()
    assert together[0] == "all kinds" and together[2] == pytest.approx(of_kind[2][:2])


# ---- History ----


def series(levels, noise=0.004, seed=1):
    """A run a level, in the order of time."""
    random = np.random.default_rng(seed)
    of_runs = [np.full(20, np.exp(level + random.normal(0, noise))) for level in levels]
    return [made_run({0: [samples]}, f"{i:04}") for i, samples in enumerate(of_runs)]


def changes(loaded):
    ((_, of_row),) = history.series_of(loaded, None).items()
    return history.change_points(np.array([value for *_, value in of_row]))


def test_a_step_of_five_percent_is_dated():
    assert changes(series([0] * 8 + [0.048] * 8)) == [8]


def test_a_creep_of_five_percent_a_commit_is_found():
    """4.9 % a commit, which a gate of neighbours passes where its limit is 5 %."""
    assert changes(series(0.048 * np.arange(12)))
    assert changes(series(np.repeat(0.048 * np.arange(5), 3)))


def test_where_nothing_changed_nothing_is_found():
    assert sum(bool(changes(series([0] * 20, seed=seed))) for seed in range(40)) <= 2
    assert history.change_points(np.array([0.0, 1, 0, 1, 0, 1, 0])) == []


def store(monkeypatch, loaded):
    """Makes these the runs that are loaded, whatever the name."""
    for i, run in enumerate(loaded):
        object.__setattr__(run, "path", Path(f"run-{i}"))
    monkeypatch.setattr(runs, "load_runs", lambda name: loaded)


def test_the_history_of_runs(monkeypatch, capsys):
    loaded = series([0] * 6 + [0.05] * 6)
    store(monkeypatch, loaded)
    assert regress.main(["somewhere", "--history"]) == command.REGRESSION
    out = capsys.readouterr().out
    assert out.startswith("slower   3.3 row-0 d198") and "1 rows of 12 runs: 1 are now slower" in out
    monkeypatch.setattr(runs, "load_runs", lambda name: loaded[:5])
    assert regress.main(["somewhere", "--history"]) == command.INCONCLUSIVE


def test_what_was_won_and_partly_lost_again_is_slower(monkeypatch):
    """The last level is held against the fastest one, not against the first."""
    loaded = series([0] * 8 + [-0.1] * 8 + [-0.04] * 12)
    store(monkeypatch, loaded)
    assert regress.main(["somewhere", "--history"]) == command.REGRESSION


def test_your_own_calibration_comes_before_the_stored_one(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "RESULTS", tmp_path / "both")
    run = made_run({0: [np.full(20, 1.0)]}, "1")
    machine = runs.machine_slug(run.meta["machine"]["name"])
    yours, stored = (tmp_path / "both" / store / machine / calibration.FILE for store in ("runs", "reference"))
    for path in (yours, stored):
        path.parent.mkdir(parents=True)
        path.touch()
    assert calibration.path_for(run) == yours
    yours.unlink()
    assert calibration.path_for(run) == stored


def test_a_row_that_is_gone_is_no_test_that_passed(base):
    gone = regress.Judgement(sides.side([base]).rows.to_dict("records")[0], "missing")
    assert gate_report.junit([gone], []).getroot().get("skipped") == "1"


def test_rows_that_are_inconclusive_do_not_count_among_all_together():
    row = {"backend": "cuda"}
    steady_ones = [regress.Judgement(row, "same", values=([np.zeros(5)] * 3, [np.zeros(5)] * 3)) for _ in range(20)]
    open_ones = [
        regress.Judgement(row, "inconclusive", values=([np.zeros(5)] * 3, [np.ones(5)] * 3)) for _ in range(21)
    ]
    assert regress.rows_together(steady_ones + open_ones, "cuda") == steady_ones


@pytest.mark.parametrize("processes, few", [(2, True), (3, False)])
def test_two_processes_of_few_samples_are_too_few(processes, few):
    assert regress.too_few([np.ones(5)] * processes, [np.ones(5)] * 3) is few


@pytest.mark.parametrize("reason, planned", [("converged", 5), ("budget", 7)])
def test_a_row_that_did_not_converge_lacks_processes(reason, planned):
    run = made_run({0: [np.full(20, 1.0)]}, "1")
    run.meta["options"] = {"until_precise": 0.01, "processes": 7}
    assert sides.planned_by(run, {"stop_reason": reason, "processes": 5}) == planned


def test_a_few_very_bad_tours_are_worse():
    """Four of ten seeds lose 35 %. Their median loses nothing."""
    row, length = {"backend": "cuda"}, np.full(10, 1000.0)
    longer = length * np.array([1.0] * 6 + [1.35] * 4)
    quality = regress.Quality(row, "best-tour-after-100-iterations", "best-tour-after-100-iterations", length, longer)
    assert quality.judge(1e-4, 1e-4).verdict == "worse"


# ---- Statistics ----


def test_holm():
    assert inference.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert inference.holm([]).size == 0


def test_samples_are_matched_by_number():
    """All processes of both sides are left with the iterations that all of them kept."""
    base, new = inference.matched([np.arange(5.0), np.arange(4.0)], [np.arange(9.0)])
    assert [len(samples) for samples in (*base, *new)] == [4, 4, 4]
    late = np.array([np.nan, 1, 2, 3, np.nan, 5, 6, 7, 8, 9, 10, 11])
    base, new = inference.matched([late, np.arange(12.0)], [np.arange(11.0)])
    assert [samples.tolist() for samples in (*base, *new)] == 3 * [[1, 2, 3, 5, 6, 7, 8, 9, 10]]


def first_is_slow(late_in, n=20):
    """Three processes whose first iteration takes twice as long, and is marked late in some of them."""
    drift = np.r_[2.0, np.linspace(1.2, 1, n - 1)]
    return [np.r_[np.nan, drift[1:]] if i in late_in else drift for i in range(3)]


@pytest.mark.parametrize("late_in", [(0, 1, 2), (0,), (1, 2)])
def test_a_late_mark_makes_no_slowdown(late_in):
    """A run against itself without its late marks: the very same times."""
    base, new = (sides.Side([made_run({0: first_is_slow(late)}, "1")]) for late in (late_in, ()))
    rules = regress.Rules(least=0.001, known=calibration.Calibration(steady(spread_percent=1e-6)))
    for one, other in ((base, new), (new, base)):
        (judgement,) = regress.judge(one, other, rules)
        assert judgement.verdict == "same" and judgement.change == 0


def test_calibration_takes_the_same_iterations_of_all_processes():
    processes = [first_is_slow((1,))[i % 2] for i in range(6)]
    (values,) = calibration.observations([made_run({0: processes}).rows]).values()
    assert np.ptp(values[:, 0, :2], axis=0) == pytest.approx(0)


def test_batches():
    assert inference.batch_medians(np.arange(100.0)).tolist() == list(np.arange(2.0, 100, 5))
    assert len(inference.batch_medians(np.arange(39.0))) == 19 and len(inference.batch_medians(np.arange(7.0))) == 7


def test_the_interval_of_a_ratio_holds_the_ratio():
    random = np.random.default_rng(6)
    held = 0
    for _ in range(200):
        ratio, low, high = inference.ratio_interval(random.lognormal(0, 0.1, 200), 1.1 * random.lognormal(0, 0.1, 200))
        held += low <= 1.1 <= high
        assert low < ratio < high
    assert 180 <= held <= 199
    assert np.isnan(inference.ratio_interval(np.ones(5), np.ones(5))[1])
