"""The gate on results of other harnesses: files as Google Benchmark and nvbench write them, with planted slowdowns."""

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import antbench
from antbench.data import harness
from antbench.data.command import BadInput, CannotMeasure
from antbench.gate import gate, gate_rates

ROOT = Path(__file__).resolve().parents[3]
REAL = (
    ROOT / "tests/data/gate"
)  # unchanged and slower: processes of Google Benchmark 1.7.1, as tests/data/gate/rows.cpp
ROWS = {"sort/1000": 5e3, "sort/10000": 4e5, "sum": 35.0, "find<int, 4>/64": 1.5}  # median in ns


def google(path, random, rows=ROWS, slower={}, repetitions=5, edit=lambda found: None):
    """Writes what a process of Google Benchmark measured. Processes differ by 0.5 %, repetitions by as much."""
    benchmarks = []
    for name, ns in rows.items():
        start = ns * slower.get(name, 1) * np.exp(random.normal(0, 0.005))
        for i, each in enumerate(start * np.exp(random.normal(0, 0.005, repetitions))):
            of = {"name": name, "run_name": name, "run_type": "iteration", "repetition_index": i, "threads": 1}
            benchmarks.append({**of, "real_time": each, "cpu_time": 0.9 * each, "time_unit": "ns"})
        mean = {"name": f"{name}_mean", "run_name": name, "run_type": "aggregate", "aggregate_name": "mean"}
        benchmarks.append({**mean, "real_time": ns, "cpu_time": ns, "time_unit": "ns"})
    context = {"host_name": "runner", "num_cpus": 4, "executable": "build/bench", "library_build_type": "release"}
    found = {"context": context, "benchmarks": benchmarks}
    edit(found)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(found))


def nvbench(path, random, slower=1.0, samples=0, edit=lambda found: None):
    """Writes what a process of nvbench measured: three states, one of them skipped; with --jsonbin if `samples`."""
    states = []
    for i, seconds in enumerate((12e-6 * slower, 340e-6)):
        mean = seconds * np.exp(random.normal(0, 0.003))
        told = {"nv/cold/time/cpu/mean": mean + 5e-6, "nv/cold/time/gpu/mean": mean, "nv/batch/time/gpu/mean": mean}
        summaries = [
            {"tag": tag, "name": "Time", "data": [{"name": "value", "type": "float64", "value": repr(float(value))}]}
            for tag, value in told.items()
        ]
        if samples:
            times = (mean * np.exp(random.normal(0, 0.01, samples + i))).astype("<f4")
            file = path.parent / f"{path.name}-bin" / f"{i}.bin"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(times.tobytes())
            data = [("filename", "string", f"anywhere/{path.name}-bin/{i}.bin"), ("size", "int64", str(len(times)))]
            data = [dict(zip(("name", "type", "value"), each)) for each in data]
            summaries.append({"tag": harness.SAMPLES, "name": "Samples Times File", "data": data})
        states.append({"name": f"Device=0 N=2^{i + 10}", "device": 0, "summaries": summaries, "is_skipped": False})
    skipped = {
        "name": "Device=0 N=2^30",
        "device": 0,
        "summaries": None,
        "is_skipped": True,
        "skip_reason": "too large",
    }
    found = {
        "meta": {"argv": ["./bench", "--json", "x"], "version": {"nvbench": {"string": "0.1.0", "git_sha": "66212f1"}}},
        "devices": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
        "benchmarks": [{"name": "copy", "index": 0, "devices": [0], "axes": [], "states": [*states, skipped]}],
    }
    edit(found)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(found))


@pytest.fixture
def sides(tmp_path):
    """Writes seven processes per side, BASE's unchanged: sides(write, slower=...) is (BASE, NEW)."""

    def write(write, processes=7, edit=lambda found: None, **of_new):
        random = np.random.default_rng(1)
        for i in range(processes):
            write(tmp_path / f"base/{i}.json", random)
            write(tmp_path / f"new/{i}.json", random, edit=edit, **of_new)
        return str(tmp_path / "base"), str(tmp_path / "new")

    return write


@pytest.fixture
def judged(capsys):
    """Calls the gate: (exit code, stdout)."""

    def call(*arguments):
        code = gate.main([str(each) for each in arguments])
        return code, capsys.readouterr().out

    return call


def test_a_planted_slowdown_of_a_tenth_is_found_and_reported(sides, judged, tmp_path):
    base, new = sides(google, slower={"sum": 1.1})
    code, told = judged(base, new, "--junit", tmp_path / "x.xml", "--summary", tmp_path / "x.md")
    assert code == 3 and re.search(r"^slower +sum gbench real: .* \+\d\d?\.\d %$", told, re.M), told
    assert told.endswith("slower: 1 slower, 3 same\n")
    assert [
        case.get("name") for case in xml.parse(tmp_path / "x.xml").iter("testcase") if case.find("failure") is not None
    ] == ["sum gbench real"]
    assert "| slower | sum gbench real |" in (tmp_path / "x.md").read_text()


def test_unchanged_code_passes_and_says_what_would_have_been_found(sides, judged):
    code, told = judged(*sides(google))
    assert code == 0 and told.endswith("no regression shown: 4 same\n")
    assert told.count("more would have been seen") > 4
    found = re.search(
        r"1000 gates of these processes, dealt out again: (\S+) % call .* and find|(\S+) % of rows 10 % slower", told
    )
    assert float(found[2]) > 95, told


@pytest.mark.parametrize("options, code", [([], 3), (["--threshold", "20"], 0)])
def test_the_cpu_time_is_judged_if_asked_for(sides, judged, options, code):
    def slow_cpu(found):
        for each in found["benchmarks"]:
            each["cpu_time"] *= 1.15

    base, new = sides(google, edit=slow_cpu)
    assert judged(base, new)[0] == 0
    assert judged(base, new, "--time", "cpu", *options)[0] == code


def test_rows_that_one_side_has(sides, judged):
    def rename(found):
        for each in found["benchmarks"]:
            each["run_name"] = {"sum": "mean"}.get(each["run_name"], each["run_name"])

    code, told = judged(*sides(google, edit=rename))
    assert code == 5 and "missing      sum gbench real" in told and "1 missing, 3 same, 1 new" in told


def test_a_new_row_alone_passes(sides, judged):
    code, told = judged(*sides(google, rows={**ROWS, "more": 7.0}))
    assert code == 0 and "4 same, 1 new" in told


def failing(found):
    for each in found["benchmarks"]:
        if each["run_name"] == "sum":
            each.update(error_occurred=True, error_message="wrong sum: 3, not 4", real_time=0.0)


def test_an_error_is_wrong_unless_both_sides_have_it(sides, judged):
    base, new = sides(google, edit=failing)
    code, told = judged(base, new)
    assert code == 4 and re.search(r"^wrong +sum gbench real \(wrong sum: 3, not 4\)$", told, re.M)
    code, told = judged(new, shutil.copytree(new, f"{new}-copy"))
    assert code == 0 and "3 same, 1 not timed" in told


@pytest.mark.parametrize("of_base, of_new, code", [(1, 1, 5), (2, 2, 5), (2, 7, 5), (7, 2, 5), (3, 3, 3)])
@pytest.mark.parametrize("program", ["build/bench", "build/other"])
def test_a_row_of_fewer_than_three_processes_is_never_slower(sides, judged, of_base, of_new, code, program):
    """Though other rows of its kind have seven, and each process has eight samples; also if its program has no more."""
    base, new = sides(google, repetitions=8)
    for side, processes, ns in ((base, of_base, 1e5), (new, of_new, 1.3e5)):
        for i in range(processes):
            of_few = Path(side, f"few-{i}.json")
            rows, random = {"few": ns}, np.random.default_rng(i)
            google(of_few, random, rows, repetitions=8, edit=lambda found: found["context"].update(executable=program))
    found, told = judged(base, new)
    assert found == code and told.count("few gbench real") == 1
    assert re.search(rf"^{'slower' if code == 3 else 'inconclusive'} +few gbench real", told, re.M)
    assert f"gbench real: {3 if code == 3 else 7} processes per side; limits of a usual row: " in told


def test_a_lost_process_is_told(sides, judged):
    base, new = sides(google)
    found = json.loads(Path(new, "3.json").read_text())
    found["benchmarks"] = [each for each in found["benchmarks"] if each["run_name"] != "sum"]
    Path(new, "3.json").write_text(json.dumps(found))
    code, told = judged(base, new)
    assert code == 5 and "6 of 7 processes of NEW" in told
    Path(new, "3.json").unlink()  # a whole process less is no reason
    assert judged(base, new)[0] == 0


@pytest.mark.parametrize("processes, code", [(1, 5), (2, 5), (3, 3)])
def test_few_processes_cannot_fail(sides, judged, processes, code):
    found, told = judged(*sides(google, processes, slower={"sum": 1.5}))
    assert found == code
    assert code == 3 or "not judged by fewer than 3 processes per side" in told


def test_more_files_of_a_side(sides, judged):
    base, new = sides(google, slower={"sum": 1.1})
    files = [[f"{side}/{i}.json" for i in range(7)] for side in (base, new)]
    code, told = judged(files[0][0], files[1][0], "--also-base", *files[0][1:], "--also-new", *files[1][1:])
    assert code == 3 and "7 processes per side" in told


def test_another_version_of_the_harness_is_not_alike(sides, judged):
    base, new = sides(
        google, slower={"sum": 1.1}, edit=lambda found: found["context"].update(library_build_type="debug")
    )
    code, told = judged(base, new)
    assert code == 5 and "not alike: different harness" in told and "3 slower" not in told
    assert judged(base, new, "--allow", "harness")[0] == 3


def test_another_device_is_refused(sides, judged):
    base, new = sides(google, slower={"sum": 1.1}, edit=lambda found: found["context"].update(num_cpus=8))
    with pytest.raises(BadInput, match="different devices: .*--allow devices"):
        judged(base, new)
    assert judged(base, new, "--allow", "devices")[0] == 3


@pytest.mark.parametrize("samples", [0, 40])
def test_nvbench_means_and_samples(sides, judged, samples):
    base, new = sides(nvbench, slower=1.1, samples=samples)
    if samples:
        for i in range(7):
            nvbench(Path(base, f"{i}.json"), np.random.default_rng(i), samples=samples)
    code, told = judged(base, new)
    assert code == 3 and re.search(r"^slower +copy nvbench N=2\^10 gpu: ", told, re.M), told
    assert "1 slower, 1 same, 1 not timed" in told
    assert ("p95" in re.search("limits of a usual row.*", told)[0]) == bool(samples)
    assert judged(base, shutil.copytree(base, f"{base}-copy"))[0] == 0


def test_a_state_that_new_skips_is_inconclusive(sides, judged):
    def skip(found):
        found["benchmarks"][0]["states"][0].update(summaries=None, is_skipped=True, skip_reason="no memory")

    code, told = judged(*sides(nvbench, edit=skip))
    assert code == 5 and "skipped: no memory" in told


def test_a_state_of_the_cpu_alone(tmp_path):
    def of_cpu(found):
        for state in found["benchmarks"][0]["states"][:2]:
            del state["device"]
            state["summaries"] = [{**state["summaries"][0], "tag": "nv/cpu_only/time/cpu/mean"}]

    nvbench(tmp_path / "x/0.json", np.random.default_rng(1), edit=of_cpu)
    rows = [row for row, _ in harness.load(tmp_path / "x/0.json", "real").rows]
    assert [(row["scope"], row["device"]) for row in rows[:2]] == 2 * [("cpu", "CPU")]


# ---- Files that are no results ----


def aggregates_only(found):
    found["benchmarks"] = [each for each in found["benchmarks"] if each["run_type"] == "aggregate"]


def twice(found):
    found["benchmarks"] += [each for each in found["benchmarks"] if each["run_name"] == "sum"]


def changed(**members):
    return lambda found: found["benchmarks"][0].update(members)


@pytest.mark.parametrize(
    "edit, told",
    [
        (aggregates_only, "sort/1000 has aggregates only, .* without --benchmark_report_aggregates_only"),
        (twice, "several benchmarks are named sum"),
        (changed(run_name="a\x1b[31m"), "control character"),
        (changed(real_time=0.0), "expected above 0"),
        (changed(real_time=float("nan")), "expected above 0"),
        (changed(time_unit="fortnight"), "no result of Google Benchmark or nvbench"),
        (lambda found: found.update(benchmarks=[]), "holds no benchmark"),
        (lambda found: found.pop("context"), "no result of Google Benchmark or nvbench"),
    ],
)
def test_a_file_that_is_no_result_is_one_line(sides, judged, edit, told):
    with pytest.raises(BadInput, match=told) as error:
        judged(*sides(google, edit=edit))
    assert re.match(r"\S*/new/0\.json:1: ", str(error.value)) and "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "[1]", '{"a": ', '{"devices": [], "benchmarks": 7}', "\xff"])
def test_any_other_file_is_one_line(tmp_path, judged, text):
    (tmp_path / "x.json").write_text(text, encoding="latin-1")
    with pytest.raises(BadInput, match=r"x\.json:1: "):
        judged(tmp_path / "x.json", tmp_path / "x.json")


def test_an_empty_folder_and_lost_samples(sides, judged, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="no file"):
        judged(tmp_path / "empty", tmp_path / "empty")
    base, new = sides(nvbench, samples=40)
    file = Path(new, "0.json-bin/1.bin")
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(BadInput, match="expected 41 times, found 40"):
        judged(base, new)


def test_a_counter_may_be_no_number_and_a_fit_is_no_row(sides, judged):
    fit = {"name": "sum_BigO", "run_name": "sum_of", "run_type": "aggregate", "aggregate_name": "BigO"}

    def edit(found):
        found["benchmarks"][0]["rate"] = float("inf")
        found["benchmarks"].append(fit)

    assert judged(*sides(google, edit=edit))[0] == 0


# ---- How often it errs ----


def made(random, n, rows=6):
    """Processes of unchanged code as some machines have them: one in ten takes a fifth longer in all of its rows."""
    spread, found = random.uniform(0.002, 0.03, rows), []
    for i in range(n):
        levels = np.exp(random.normal(0, spread)) * (1.2 if random.random() < 0.1 else 1)
        of = [
            (harness.made_row("gbench", f"row {j}", "", "real", "here"), ms * np.ones(1)) for j, ms in enumerate(levels)
        ]
        process = harness.Process(Path(f"{i}"), "bench", "1", of)
        for row, _ in of:
            row["run"] = process
        found.append(process)
    return found


@pytest.mark.parametrize("rows, gates", [(1, 150), (2, 150), (6, 150), (25, 40)])
def test_unchanged_code_seldom_fails(rows, gates):
    random, alarms = np.random.default_rng(rows), 0
    for _ in range(gates):
        processes = made(random, 14, rows)
        judgements, _ = gate.judge(gate.Side(processes[:7]), gate.Side(processes[7:]), 0.001)
        alarms += any(j.verdict == "slower" for j in judgements)
    assert alarms <= gates / 50  # 1 % of gates is what the gate allows


def test_all_rows_together_find_two_percent():
    random = np.random.default_rng(3)
    base, new = made(random, 7, 40), [gate.slowed(each, 0.02) for each in made(random, 7, 40)]
    steady = [replace(each, rows=[(row, 1 + 0.2 * (ms % 0.05)) for row, ms in each.rows]) for each in (*base, *new)]
    slower = [gate.slowed(each, 0.02) for each in steady[7:]]
    verdicts = {j.name: j.verdict for j in gate.judge(gate.Side(steady[:7]), gate.Side(slower), 0.03)[0]}
    assert verdicts.pop("all rows together gbench") == "slower" and set(verdicts.values()) == {"same"}


def test_what_it_says_of_its_errors_is_what_gates_show(monkeypatch):
    """The rates that gates tell of themselves have the mean that gates of other processes of the machine show."""
    monkeypatch.setattr(gate, "GATES", 50)
    monkeypatch.setattr(gate, "ROUNDS", 1)
    pool, told = made(np.random.default_rng(4), 40 + 8 * 14, rows=3), []
    for drawn in (pool[i : i + 14] for i in range(40, len(pool), 14)):
        told.append(gate.rates(*gate.judge(gate.Side(drawn[:7]), gate.Side(drawn[7:]), 0.03)))
    shown = gate.rates_of_unchanged(pool[:40], 0.03, 7)
    assert np.mean([each[0.0] for each in told]) <= 0.02 and shown[0.0] <= 0.04
    for planted in (0.02, 0.05, 0.10):
        assert abs(np.mean([each[planted] for each in told]) - shown[planted]) < 0.15


# ---- Real processes ----


@pytest.fixture
def real(tmp_path):
    """The folders base, unchanged and slower, with seven files of Google Benchmark each."""
    for name, of_side in json.loads((REAL / "google.json").read_text()).items():
        (tmp_path / name).mkdir()
        for i, found in enumerate(of_side, start=1):
            (tmp_path / name / f"process-{i}.json").write_text(json.dumps(found))
    return tmp_path


def test_real_processes_of_unchanged_and_of_slower_code(real, judged):
    code, told = judged(real / "base", real / "unchanged", "--time", "cpu")
    assert code == 0 and told.endswith("no regression shown: 4 same\n")
    code, told = judged(real / "base", real / "slower", "--time", "cpu")
    assert code == 3 and told.endswith("slower: 2 slower, 1 unsteady, 1 same\n")
    assert re.findall(r"^slower +(\S+)", told, re.M) == ["poly/1000", "poly/100000"]


def test_unchanged_processes_alone_say_how_often_a_gate_errs(real, judged, monkeypatch):
    monkeypatch.setattr(gate, "GATES", 20)
    code, told = judged(real / "base", "--also-base", real / "unchanged", "--processes", 3, "--time", "cpu")
    assert code == 0 and told.startswith("20 gates of 3 of 14 processes per side: 0.0 % call")
    monkeypatch.setattr(gate_rates, "PLANTED", (0.0, 0.5))
    code, told = judged(real / "base", "--also-base", real / "unchanged", "--processes", 3, "--time", "cpu", "--rerun")
    assert code == 0 and "0.0 % call" in told and told.endswith("100 % of rows 50 % slower\n")
    with pytest.raises(BadInput, match="14 processes; gates of 8 per side need 16 or more"):
        judged(real / "base", "--also-base", real / "unchanged", "--processes", 8)


# ---- Measuring in turns ----


def test_it_measures_both_sides_in_turns(real, judged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f'echo {name} >> order; cp {name}/process-$PROCESS.json "$OUT"' for name in ("base", "slower")]
    commands = ["--base-command", lines[0], "--new-command", lines[1], "--time", "cpu"]
    code, told = judged("a", "b", *commands)
    assert code == 3 and "2 slower" in told
    order = (tmp_path / "order").read_text().split()
    assert order[:6] == ["base", "slower", "slower", "base", "base", "slower"] and len(order) == 14
    with pytest.raises(BadInput, match="a: holds results already"):
        judged("a", "b", *commands)
    code, told = judged("c", "d", *commands, "--rerun")
    assert code == 3 and told.count("confirmed by a second measurement of both") == 2
    assert len((tmp_path / "order").read_text().split()) == 14 + 28


def test_what_is_slower_once_is_unconfirmed(real, judged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    now = 'cp "$(case $OUT in *again*) echo unchanged ;; *) echo slower ;; esac)/process-$PROCESS.json" "$OUT"'
    base = 'cp base/process-$PROCESS.json "$OUT"'
    code, told = judged("a", "b", "--base-command", base, "--new-command", now, "--time", "cpu", "--rerun")
    assert code == 0 and "2 unconfirmed" in told


@pytest.mark.parametrize("line, told", [("exit 7", "ended with 7 as process 1"), ("true", "did not write \\$OUT")])
def test_a_command_that_fails_is_one_line(judged, tmp_path, line, told):
    with pytest.raises(CannotMeasure, match=told) as error:
        judged(tmp_path / "a", tmp_path / "b", "--base-command", line, "--new-command", line)
    assert error.value.code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        "base base",
        "base link",
        "base/0.json base/../base/0.json",
        "base base/0.json",
        "base new --also-new link/3.json",
        "base new --also-base new/3.json --allow devices",
    ],
)
def test_a_file_is_not_judged_against_itself(sides, judged, tmp_path, monkeypatch, arguments):
    sides(google)
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("base")
    with pytest.raises(
        BadInput, match=r"\d.json: is in BASE and in NEW, so it would be judged against itself; name "
    ) as error:
        judged(*arguments.split())
    assert error.value.code == 2
    with pytest.raises(BadInput, match="judged against itself"):
        antbench.gate("base", ["new", "base/0.json"])


@pytest.mark.parametrize("folders", ["gs gs", "gs ./gs", "gs link", "gs gs/new", "link/base gs"])
def test_both_sides_are_not_measured_in_one_folder(judged, tmp_path, monkeypatch, folders):
    """It is said before anything is measured."""
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("gs")
    with pytest.raises(BadInput, match="gs.*: BASE and NEW share this folder; name two folders") as error:
        judged(*folders.split(), "--base-command", "touch started", "--new-command", "touch started")
    assert error.value.code == 2 and not Path("started").exists() and not Path("gs").exists()


# ---- From Python, and as a command ----


def test_from_python(real, sides):
    from antbench.gate import gate as room  # an import from the room leaves the function what it is

    assert room is gate
    found = antbench.gate(real / "base", real / "slower", time="cpu")
    assert (found.verdict, found.code, found.unlike) == ("slower", 3, ())
    assert found.rows.set_index("row")["verdict"]["poly/1000"] == "slower"
    files = sorted((real / "unchanged").iterdir())
    assert antbench.gate(real / "base", map(str, files), time="cpu").code == 0
    with pytest.raises(antbench.BadInput, match="threshold"):
        antbench.gate(real / "base", files, threshold=0)


def test_the_command_from_another_folder(real):
    def call(*arguments):
        line = [sys.executable, ROOT / "scripts/antbench", "gate", *arguments]
        return subprocess.run(line, cwd=real, capture_output=True, text=True)

    done = call("base", "slower", "--time", "cpu")
    assert done.returncode == 3 and "2 slower" in done.stdout and done.stderr == ""
    done = call("base", "no")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    done = call("base", "slower", "--rerun")
    assert done.returncode == 2 and "--rerun needs --base-command" in done.stderr
