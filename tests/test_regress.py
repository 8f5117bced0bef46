"""The regression gate: exit codes on small stored runs, and how often it is right on made-up ones."""

import hashlib
import json
import os
import shutil
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
import pytest

from antbench import calibrate, command, inference, regress, runs
from antbench.command import BadInput
from synthetic_runs import Machine

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests/data/runs"
GPU = ["--backend", "cuda"]
THRESHOLD = 0.05


def change_rows(run, change):
    """Rewrites a run's table: change(cells) alters a row's cells, and drops the row by returning False."""
    table = run / "table-3.3.csv"
    header, *lines = table.read_text().splitlines()
    changed = [header]
    for text in lines:
        cells = dict(zip(runs.SCHEMAS["1"][0], text.split(",")))
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
            cells.update({name: repr(float(cells[name]) * factor) for name in ("median_ms", "mean_ms")})

    change_rows(run, scale)
    lines = [text.split(",") for text in (run / "samples.csv").read_text().splitlines()]
    for cells in lines:
        if cells[1] == row:
            cells[4] = f"{float(cells[4]) * factor:.7g}"
    (run / "samples.csv").write_text("\n".join(map(",".join, lines)) + "\n")


def spoil(row, **new_cells):
    """A change of the rows so named into ones that have no times."""

    def change(cells):
        if cells["row"] == row:
            cells.update({name: "" for name in [*runs.TIMES, "published_ms"]}, samples="", **new_cells)

    return change


def drop_samples(run, row):
    lines = (run / "samples.csv").read_text().splitlines()
    (run / "samples.csv").write_text("\n".join(text for text in lines if text.split(",")[1] != row) + "\n")


@pytest.fixture(autouse=True)
def no_calibration(tmp_path, monkeypatch):
    """Whatever was calibrated on the machine that runs the tests."""
    monkeypatch.setattr(runs, "RESULTS", tmp_path / "results")


@pytest.fixture
def base(tmp_path):
    return Path(shutil.copytree(DATA / "newer", tmp_path / "base"))


@pytest.fixture
def new(tmp_path):
    """The same run again, of other code, on a machine that is not calibrated."""
    copy = Path(shutil.copytree(DATA / "newer", tmp_path / "new"))
    change_meta(copy, lambda meta: meta["build"].update(device_code_sha256="0", executable_sha256="0"))
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


def test_the_command_ends_with_the_exit_code(base, new):
    """The script itself, which CI calls."""
    slow_down(new, "ds-roulette", 1.2)
    for arguments, code in (([base, new], command.REGRESSION), (["nowhere"], command.USAGE)):
        done = subprocess.run([ROOT / "scripts/regress", *arguments], cwd=base, capture_output=True)
        assert done.returncode == code, done.stderr


@pytest.mark.parametrize("percent, code", [(0, 0), (3, 0), (-10, 0), (7, 3), (10, 3)])
def test_planted_slowdowns(base, new, percent, code, gate):
    slow_down(new, "ds-roulette", 1 + percent / 100)
    done = gate(base, new)
    assert done.returncode == code, done.stderr
    assert ("slower" in done.stdout.splitlines()[-1]) == (code == command.REGRESSION)


def test_a_real_change_is_found_as_it_was(gate):
    """Between the two stored runs the step of ds-roulette became shorter; golden numbers."""
    done = gate(DATA / "newer", DATA / "older", *GPU)
    assert done.returncode == command.REGRESSION
    assert done.stdout.splitlines()[:2] == [
        "slower       3.4 ds-roulette d198 tsp/ds-roulette cuda protocol=as-best;ants=198;stage=construct stage: "
        "0.1861 -> 0.2171 ms, +16.7 %, p 3e-07",
        "slower       3.3 ds-roulette d198 tsp/ds-roulette cuda protocol=as-best;ants=198 iteration: "
        "0.1988 -> 0.2295 ms, +15.4 %, p 3e-07",
    ]
    assert done.stdout.splitlines()[-1] == "slower: 2 slower, 2 same"
    assert gate(DATA / "older", DATA / "newer", *GPU).stdout.splitlines()[-1] == "no regression: 2 faster, 2 same"


def test_wrong_output_outranks_slower(base, new, gate):
    slow_down(new, "ds-roulette", 1.2)
    change_rows(new, spoil("i-roulette", status="wrong", note="city 3 twice"))
    drop_samples(new, "i-roulette")
    done = gate(base, new)
    assert done.returncode == command.WRONG
    assert done.stdout.startswith("wrong        3.3 i-roulette") and "city 3 twice" in done.stdout


@pytest.mark.parametrize("status", regress.FAILED)
def test_a_row_that_has_no_time_any_more_is_inconclusive(base, new, status, gate):
    change_rows(new, spoil("i-roulette", status=status, note="because"))
    drop_samples(new, "i-roulette")
    done = gate(base, new)
    assert done.returncode == command.INCONCLUSIVE and f"({status}: because)" in done.stdout


def test_missing_rows(base, new, gate):
    """They are reported, but only those that NEW was asked for make the gate inconclusive."""
    drop_samples(new, "ds-roulette")
    change_rows(new, lambda cells: cells["row"] != "ds-roulette")
    done = gate(base, new)
    assert done.returncode == command.INCONCLUSIVE
    assert done.stdout.splitlines()[-1] == "inconclusive: 3 missing, 2 same"
    change_meta(new, lambda meta: meta["options"].update(implementations=["tsp/acotsp-seq", "tsp/i-roulette"]))
    done = gate(base, new)
    assert done.returncode == command.OK
    assert done.stdout.splitlines()[-1] == "no regression: 2 same, 3 not asked for"


def test_few_samples_are_inconclusive(base, new, gate):
    """Five samples cannot be told from noise, however large the change."""
    for run in (base, new):
        lines = (run / "samples.csv").read_text().splitlines()
        (run / "samples.csv").write_text(
            "\n".join(text for text in lines if text.split(",")[3] in {"i", *"01234"}) + "\n"
        )
        change_rows(run, lambda cells: cells.update(samples="5"))
    slow_down(new, "ds-roulette", 1.5)
    done = gate(base, new)
    assert done.returncode == command.INCONCLUSIVE and "too few" in done.stdout


def test_what_cuda_events_cannot_resolve_is_no_change(base, new, gate):
    """A stage of 8 us that takes 5.5 % longer does so by less than half a microsecond."""

    def only_the_update(cells):
        return "stage=update" in cells["params"]

    for run in (base, new):
        change_rows(run, only_the_update)
        lines = (run / "samples.csv").read_text().splitlines()
        of_it = [text.replace(",5,", ",2,", 1) for text in lines if text.startswith("3.4,ds-roulette,5,")]
        (run / "samples.csv").write_text("\n".join([lines[0], *of_it]) + "\n")
    slow_down(new, "ds-roulette", 1.055)
    assert gate(base, new).stdout.splitlines()[-1] == "no regression: 1 same"
    slow_down(new, "ds-roulette", 1.02)
    assert gate(base, new).returncode == command.REGRESSION


def test_rows_of_another_profile_are_not_missing(base, new, gate):
    change_rows(new, lambda cells: cells["row"] != "acotsp-seq")
    lines = (new / "samples.csv").read_text().splitlines()
    kept = [text.split(",") for text in lines if not text.startswith("3.3,acotsp-seq")]
    for cells in kept[1:]:
        cells[2] = str(int(cells[2]) - 1)
    (new / "samples.csv").write_text("\n".join(map(",".join, kept)) + "\n")
    assert gate(base, new).returncode == command.INCONCLUSIVE
    change_meta(base, lambda meta: meta["options"].update(profile="thesis"))
    assert gate(base, new).stdout.splitlines()[-1] == "no regression: 4 same, 1 not asked for"


def test_different_devices_are_refused_unless_asked_for(base, new, gate):
    change_rows(new, lambda cells: cells.update(device="GeForce") if cells["backend"] == "cuda" else None)
    done = gate(base, new)
    assert done.returncode == command.USAGE
    assert done.stderr.startswith("different devices: BASE has cuda rows of NVIDIA H100 80GB HBM3, NEW of GeForce")
    assert gate(base, new, "--allow-different-devices").stdout.splitlines()[-1] == "no regression: 5 same"


def test_profiles_with_too_few_iterations_are_refused(base, new, gate):
    change_meta(new, lambda meta: meta["options"].update(profile="smoke"))
    assert gate(base, new).stderr.startswith("different profiles: BASE is quick, NEW is smoke")


def test_nothing_matched(base, new, gate):
    change_rows(new, lambda cells: cells.update(table="9.9"))
    change_meta(new, lambda meta: meta.update(program="table_9_9"))
    done = gate(base, new)
    assert (done.returncode, done.stdout) == (command.USAGE, "") and done.stderr.startswith("nothing matched")
    done = gate(base, new, "--backend", "host")
    assert done.returncode == command.USAGE and done.stderr.endswith("no rows of backend host\n")


@pytest.mark.parametrize(
    "damage",
    [
        lambda run: (run / "table-3.3.csv").write_text(""),
        lambda run: (run / "table-3.3.csv").write_text((run / "table-3.3.csv").read_text()[:-20]),
        lambda run: (run / "meta.json").unlink(),
        lambda run: (run / "samples.csv").unlink(),
        lambda run: change_rows(run, lambda cells: cells.update(schema="2") if cells["row"] == "ds-roulette" else None),
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
    slow_down(new, "ds-roulette", 1.2)
    done = gate(base, new)
    assert done.returncode == command.REGRESSION
    assert done.stdout.splitlines()[0].endswith("(same code, different time: noise or the machine)")


def test_summary_and_junit(base, new, tmp_path, gate):
    slow_down(new, "ds-roulette", 1.2)
    drop_samples(new, "acotsp-seq")
    change_rows(new, spoil("acotsp-seq", status="timeout", note="a | b"))
    gate(base, new, "--summary", tmp_path / "gate.md", "--junit", tmp_path / "gate.xml")
    summary = (tmp_path / "gate.md").read_text().splitlines()
    assert summary[0] == "## Regression gate: slower: 3 slower, 1 inconclusive, 1 same"
    rows = [line for line in summary if line.startswith("| slower") or line.startswith("| inconclusive")]
    assert len(rows) == 4 and all(line.replace("\\|", "").count("|") == 8 for line in rows)
    suite = xml.parse(tmp_path / "gate.xml").getroot()
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "5",
        "failures": "3",
        "skipped": "1",
    }
    assert len(suite.findall("testcase")) == 5 and "+20.0 %" in suite.find("testcase/failure").get("message")
    assert suite.find("testcase/skipped").get("message") == "inconclusive: timeout: a | b"


# ---- Measuring again ----


def confirmed(base, new, measure):
    base, new = (runs.best_rows(runs.load_runs(path)) for path in (base, new))
    judgements = regress.confirm(regress.judge(base, new, THRESHOLD), base, measure, THRESHOLD)
    return regress.exit_code(judgements), {j.row["row"]: j for j in judgements}["ds-roulette"]


def test_a_second_measurement_decides(base, new, tmp_path):
    slow_down(new, "ds-roulette", 1.2)
    first_time = runs.best_rows(runs.load_runs(base))
    assert confirmed(base, new, lambda rows: runs.best_rows(runs.load_runs(new)))[0] == command.REGRESSION
    code, judgement = confirmed(base, new, lambda rows: first_time)
    assert (code, judgement.verdict, judgement.reason) == (command.OK, "unconfirmed", "+0.0 % when measured again")
    wrong = first_time.assign(status=np.where(first_time["row"] == "ds-roulette", "wrong", "ok"))
    assert confirmed(base, new, lambda rows: wrong)[0] == command.WRONG
    incomplete = first_time[first_time["row"] != "ds-roulette"]
    assert confirmed(base, new, lambda rows: incomplete)[0] == command.INCONCLUSIVE


def test_what_cannot_be_measured_again_is_inconclusive(base, new, gate):
    slow_down(new, "ds-roulette", 1.2)
    done = gate(base, new, "--rerun")
    assert done.returncode == command.INCONCLUSIVE
    assert "could not be measured again: build/bin/table_3_3 is not" in done.stdout


@pytest.fixture
def driver(tmp_path, monkeypatch, new):
    """A stand-in for a driver: it knows one implementation and copies NEW to the directory after --out."""
    program = tmp_path / "build/bin/antbench"
    program.parent.mkdir(parents=True)
    program.write_text(f"""#!/bin/bash
[ "$1" = --list ] && {{ printf 'id\\tbackend\\ntsp/ds-roulette\\tcuda\\ntsp/i-roulette\\tcuda\\n'; exit; }}
echo "$*" > {tmp_path}/called
while [ $# -gt 1 ]; do [ "$1" = --out ] && mkdir -p "$2" && cp {new}/* "$2"; shift; done
""")
    program.chmod(0o755)
    monkeypatch.setattr(regress, "ROOT", tmp_path)
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    change_meta(new, lambda meta: meta["build"].update(executable_sha256=digest))
    change_meta(new, lambda meta: meta["options"].update(time_budget_s="none", runs=3, set=["rho=0.3", "ants=20,40"]))
    change_meta(new, lambda meta: meta.update(command_line=["build/bin/antbench", "3.3", "--profile", "quick"]))
    return tmp_path / "called"


def test_the_recorded_command_is_run_again_for_the_slower_rows(base, new, driver, capsys):
    slow_down(new, "ds-roulette", 1.2)
    assert regress.main([str(base), str(new), "--rerun", *GPU]) == command.REGRESSION
    called = driver.read_text().split(" --out ")[0]
    assert called == (
        "3.3 --quiet --profile quick --backend auto --device 0 --runs 3 --time-budget 0 --seed 1 "
        "--instances d198 --implementations tsp/ds-roulette --set rho=0.3 --set ants=20,40"
    )
    assert "confirmed by a second measurement" in capsys.readouterr().out


# ---- Calibration ----


def test_an_unsteady_machine_is_inconclusive(base, new, tmp_path, capsys):
    slow_down(new, "ds-roulette", 1.2)
    path = regress.calibration_file(runs.load_run(new))
    assert path == tmp_path / "results/runs/made-up/calibration.json"

    def gate_after(once, threshold_percent=5):
        calibrate.keep(
            path,
            {
                "threshold_percent": threshold_percent,
                "false_positive_rate": {
                    "cuda iteration": {"once": once, "confirmed": 0},
                    "cuda stage": {"once": 0.5, "confirmed": 0.5},
                },
            },
        )
        return regress.main([str(base), str(new)])

    assert gate_after(0.05) == command.REGRESSION
    assert gate_after(0.06) == command.INCONCLUSIVE
    assert "6 % of the gates on cuda iteration rows here are false alarms" in capsys.readouterr().out
    with pytest.raises(BadInput, match="calibrated for a threshold of 8 %: make calibrate THRESHOLD=5"):
        gate_after(0, 8)
    assert regress.main([str(base), str(new), "--calibration", str(path), "--threshold", "9"]) == command.REGRESSION
    path.write_text("{}")
    with pytest.raises(BadInput, match="not a calibration"):
        regress.main([str(base), str(new)])
    with pytest.raises(BadInput, match="nowhere: No such file"):
        regress.main([str(base), str(new), "--calibration", "nowhere"])


def test_false_positive_rates():
    """One of four runs was slow as a whole: 3 of the 12 pairs have it for NEW; no second measurement agrees."""
    machine = Machine(np.random.default_rng(3), n_rows=5)
    tables = [machine.measure() for _ in range(3)] + [machine.measure({0: 0.2})]
    once, twice = calibrate.false_alarms(tables, THRESHOLD)
    assert len(once) == 12 and len(twice) == 24
    assert calibrate.rates(once, twice, ["cpu stage", "cuda iteration"]) == {
        "cpu stage": {"once": 0, "confirmed": 0},
        "cuda iteration": {"once": 3 / 12, "confirmed": 0},
    }


def test_calibrate_runs_a_driver_against_itself(tmp_path, monkeypatch, driver, new, capsys):
    monkeypatch.setattr(calibrate, "ROOT", tmp_path)
    assert calibrate.main(["--repetitions", "3"]) == command.OK
    kept = json.loads(regress.calibration_file(runs.load_run(new)).read_text())
    nothing = {"once": 0, "confirmed": 0}
    assert kept["false_positive_rate"] == dict.fromkeys(("cpu iteration", "cuda iteration", "cuda stage"), nothing)
    assert kept["threshold_percent"] == 5
    assert sorted(os.listdir(tmp_path / "build/calibrate/3.3")) == ["1", "2", "3"]
    assert "cuda stage: 0 % of gates at 5 % are false alarms" in capsys.readouterr().out


# ---- How often it is right ----


def gates(n, slower, seed, n_rows=10):
    """n gates on machines of their own: (how many found row 0 slower, how many found another row slower)."""
    random = np.random.default_rng(seed)
    found = false = 0
    for _ in range(n):
        machine = Machine(random, n_rows)
        judged = regress.judge(machine.measure(), machine.measure({0: slower} if slower else None), THRESHOLD)
        found += judged[0].verdict == "slower"
        false += any(j.verdict == "slower" for j in judged[1:])
    return found, false


def test_under_one_percent_of_gates_are_false_alarms():
    assert sum(gates(200, 0, seed=1)) < 2


def test_slowdowns_of_ten_percent_are_found():
    assert gates(200, 0.10, seed=2, n_rows=5)[0] > 190


def test_small_slowdowns():
    """3 % is under the threshold; 5 % is on it, and is found half of the time."""
    assert gates(50, 0.03, seed=3, n_rows=3)[0] <= 2
    assert 10 <= gates(50, 0.05, seed=4, n_rows=3)[0] <= 40


# ---- Statistics ----


def test_holm():
    assert inference.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert inference.holm([]).size == 0


def test_samples_are_matched_by_number():
    nan = np.nan
    a, b = inference.matched(np.array([1, nan, 3, 4]), np.array([5, 6, nan, 8, 9]))
    assert (a.tolist(), b.tolist()) == ([1, 4], [5, 8])


def test_batches():
    assert inference.batch_medians(np.arange(100.0)).tolist() == list(np.arange(2.0, 100, 5))
    assert len(inference.batch_medians(np.arange(39.0))) == 19 and len(inference.batch_medians(np.arange(7.0))) == 7


def test_correlated_samples_are_not_taken_for_independent():
    """Of runs of one speed whose samples wander, some 5 % may differ at 5 %; sample for sample, most would."""
    random = np.random.default_rng(5)

    def wandering():
        return 1 + np.repeat(random.normal(0, 0.01, 20), 50) + random.normal(0, 0.001, 1000)

    differ = [inference.difference_p(wandering(), wandering()) < 0.05 for _ in range(300)]
    assert np.mean(differ) <= 0.09


def test_the_interval_of_a_ratio_holds_the_ratio():
    random = np.random.default_rng(6)
    held = 0
    for _ in range(200):
        ratio, low, high = inference.ratio_interval(random.lognormal(0, 0.1, 200), 1.1 * random.lognormal(0, 0.1, 200))
        held += low <= 1.1 <= high
        assert low < ratio < high
    assert 180 <= held <= 199
    assert np.isnan(inference.ratio_interval(np.ones(5), np.ones(5))[1])
