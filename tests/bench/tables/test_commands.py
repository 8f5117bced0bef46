"""The drivers of Ant System, end to end: files, exit codes, and what becomes of a run that is killed, cut short or fed
rubbish."""

import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time

import pytest

from antbench.data import runs, validate
from support.commands import (
    CORES,
    HEADER,
    PLANTED,
    PROGRAM,
    ROOT,
    SAMPLES_HEADER,
    TIMES,
    drive,
    environment_of,
    implementations,
    one_line,
    params_of,
    planned,
    rows_of,
    samples_of,
    table_of,
    told,
    write_tsp,
)
from support.copies import listed_by_git

HAS_GPU = drive("--backend", "cuda", "--dry-run", "--instances", "u30").returncode == 0
SMALL = ["--instances", "u40", "--runs", 2, "--iterations", 3, "--backend"]


def run_small(driver, out):
    cpu = drive(*SMALL, "cpu", "--out", out, driver=driver)
    assert cpu.returncode == 0, cpu.stderr
    return out, cpu


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    return run_small("3.3", tmp_path_factory.mktemp("small") / "run")


@pytest.fixture(scope="module")
def candidates_run(tmp_path_factory):
    return run_small("4.2", tmp_path_factory.mktemp("candidates") / "run")


@pytest.mark.parametrize("fixture, table", [("small_run", "table-3.3.csv"), ("candidates_run", "table-4.2.csv")])
def test_files_of_a_run(fixture, table, request):
    out, result = request.getfixturevalue(fixture)
    assert sorted(p.name for p in out.iterdir()) == ["meta.json", "samples.csv", table]
    assert (out / table).read_text().splitlines()[0] == HEADER
    assert (out / "samples.csv").read_text().splitlines()[0] == SAMPLES_HEADER
    meta = json.loads((out / "meta.json").read_text())
    assert meta["complete"] is True and meta["exit_code"] == 0
    assert meta["schema"] == validate.SCHEMA and meta["devices"] == []
    assert meta["inputs"][0]["name"] == "u40" and len(meta["inputs"][0]["sha256"]) == 64
    assert "seed 1" in result.stderr and str(out) in result.stdout


@pytest.mark.parametrize("fixture, driver", [("small_run", "3.3"), ("candidates_run", "4.2")])
def test_the_scripts_read_a_run(fixture, driver, request):
    run = runs.load_run(request.getfixturevalue(fixture)[0])
    assert (run.driver, run.devices) == (driver, [])
    assert run.meta["command_line"][:2] == [str(PROGRAM), driver]
    assert all(len(run.samples(row)) == row["samples"] for _, row in run.rows.iterrows() if row["samples"] > 0)
    assert {sample["process"] for sample in samples_of(run.path)} == {"1"}


@pytest.mark.parametrize("fixture, driver", [("small_run", "3.3"), ("candidates_run", "4.2")])
def test_cpu_rows_are_timed_and_verified(fixture, driver, request):
    iterations = [row for row in rows_of(request.getfixturevalue(fixture)[0]) if row["scope"] == "iteration"]
    keys = ["table", "row", "implementation", "params"]
    plan = planned(*SMALL, "cpu", driver=driver)
    assert plan and [[row[key] for key in keys] for row in iterations] == [[row[key] for key in keys] for row in plan]
    for row in iterations:
        assert row["status"] in ("ok", "noisy", "few") and row["backend"] == "cpu"
        # A column of Table 4.1 that Table 3.3 has measured is run once.
        assert float(row["mean_ms"]) > 0 and int(row["samples"]) == (3 if row["table"] == "4.1" else 6)
        assert row["verify_metric"] == "valid-tours" and float(row["verify_value"]) == 40
        lengths = [float(length) for length in row["quality_runs"].split()]
        assert len(lengths) == int(row["samples"]) // 3, "a best tour of each complete run"
        assert min(lengths) == float(row["quality_best"])
        assert sum(lengths) / len(lengths) == pytest.approx(float(row["quality_mean"]))
        assert float(row["bytes"]) == 12 * 40**2


def test_quality_is_of_complete_runs_alone(tmp_path):
    """One run is cut short by the budget, and its tours do not count."""
    result = drive(
        "--instances",
        "u300",
        "--runs",
        1000,
        "--iterations",
        7,
        "--time-budget",
        0.3,
        "--backend",
        "cpu",
        "--profile",
        "thesis",
        "--implementations",
        "tsp/cpu-rejection",
        "--out",
        tmp_path / "run",
    )
    assert result.returncode == 0, result.stderr
    for row in (row for row in rows_of(tmp_path / "run") if row["scope"] == "iteration"):
        assert row["stop_reason"] == "budget"
        assert len(row["quality_runs"].split()) == int(row["samples"]) // 7


def test_tours_are_judged_without_timing(tmp_path):
    """All runs in one process of however many, with the seeds and the tours of timed ones."""
    asked = [
        "--instances",
        "u20",
        "--runs",
        3,
        "--iterations",
        7,
        "--backend",
        "cpu",
        "--implementations",
        "tsp/cpu-rejection",
        "--set",
        "protocol=as",
        "--time-budget",
        0,
    ]
    judged = drive(*asked, "--processes", 2, "--out", tmp_path / "judged", driver="jpdc-9")
    timed = drive(*asked, "--out", tmp_path / "timed")
    assert judged.returncode == timed.returncode == 0, judged.stderr + timed.stderr
    [row] = rows_of(tmp_path / "judged")
    expected = next(row for row in rows_of(tmp_path / "timed") if row["scope"] == "iteration")
    names = [
        "status",
        "stop_reason",
        "scope",
        "samples",
        "processes",
        "verify_metric",
        "verify_value",
        "quality_metric",
    ]
    assert [row[name] for name in names] == [
        "ok",
        "count",
        "quality",
        "",
        "",
        "valid-tours",
        "60",
        "best-tour-after-7-iterations",
    ]
    for name in ("quality_metric", "quality_runs", "quality_best", "quality_mean"):
        assert row[name] == expected[name]
    assert len(row["quality_runs"].split()) == 3 and not samples_of(tmp_path / "judged")


def test_no_run_is_begun_past_the_budget(tmp_path):
    result = drive(
        "--instances",
        "u60",
        "--runs",
        1000,
        "--iterations",
        7,
        "--time-budget",
        0.1,
        "--backend",
        "cpu",
        "--processes",
        3,
        "--out",
        tmp_path / "run",
        driver="jpdc-9",
    )
    [row] = rows_of(tmp_path / "run")
    assert result.returncode == 0 and row["stop_reason"] == "budget" and row["status"] == "ok"
    assert 1 <= len(row["quality_runs"].split()) < 1000 or "are too many to list" in row["note"]


def test_more_runs_than_their_qualities_fit(tmp_path):
    result = drive(
        "--instances",
        "u20",
        "--runs",
        400,
        "--iterations",
        1,
        "--time-budget",
        0,
        "--backend",
        "cpu",
        "--profile",
        "thesis",
        "--implementations",
        "tsp/acotsp-seq",
        "--out",
        tmp_path / "run",
    )
    assert result.returncode == 0, result.stderr
    for row in (row for row in rows_of(tmp_path / "run") if row["scope"] == "iteration"):
        assert (row["samples"], row["quality_runs"]) == ("400", "") and float(row["quality_best"]) > 0
        assert "400 runs are too many to list" in row["note"]


def test_the_printed_tables(small_run):
    """One line for each row of the table file, with the mean; below it the median where it is not near the mean, the published
    time and the tours where there are."""
    printed = small_run[1].stdout.splitlines()
    for row in (row for row in rows_of(small_run[0]) if row["scope"] == "iteration"):
        [at] = [
            i
            for i, line in enumerate(printed)
            if line.split()[:3] == [row["row"], "iteration:", row["params"].partition(";")[0]]
        ]
        assert float(printed[at].split()[-1]) == pytest.approx(float(row["mean_ms"]), abs=0.0006, rel=0.001)
        median = float(row["median_ms"])
        if abs(float(row["mean_ms"]) / median - 1) > 0.05:
            at += 1
            name, value = printed[at].split()
            assert name == "median" and float(value) == pytest.approx(median, abs=0.0006, rel=0.001)
        assert printed[at + 1].split()[0] == row["quality_metric"]
    for table in ("3.3", "3.4"):
        assert any(line.startswith(f"{table}: Ant System, time of ") for line in printed)
    assert not any(line.startswith("F3.9") for line in printed), "there is nothing to see of it"


def test_stages_add_up_to_iterations(small_run):
    rows, samples = rows_of(small_run[0]), samples_of(small_run[0])
    line_of = {(row["row"], row["params"]): line for line, row in enumerate(rows, start=2)}
    stages = {"choice", "construct", "update"}
    for row in (r for r in rows if r["scope"] == "iteration"):

        def times(params):
            return [float(s["ms"]) for s in kept(samples) if int(s["line"]) == line_of[row["row"], params]]

        parts = [times(f"{row['params']};stage={stage}") for stage in stages]
        assert [pytest.approx(sum(p), rel=1e-5) for p in zip(*parts)] == times(row["params"])
        assert times(row["params"]) and sum(times(row["params"])) / 6 == pytest.approx(float(row["mean_ms"]), rel=1e-5)


def test_candidate_sets_are_rows_of_their_own(candidates_run):
    rows = rows_of(candidates_run[0])
    setup = {row["params"]: row for row in rows if row["scope"] == "setup"}
    assert set(setup) == {"nn=20", "nn=32"}
    for row in setup.values():
        assert (row["row"], row["implementation"]) == ("candidate-set", "tsp/candidate-set")
        assert (row["verify_metric"], float(row["verify_value"])) == ("valid-sets", 40)
        assert row["status"] in ("ok", "noisy", "few") and float(row["mean_ms"]) > 0
    have_sets = implementations("tsp", "cpu", have=["candidates"])
    iterations = [row for row in rows if row["scope"] == "iteration"]
    assert all(("nn" in params_of(row)) == (row["implementation"] in have_sets) for row in iterations)
    sizes = {row["row"]: params_of(row).get("nn") for row in iterations}
    assert [sizes[row] for row in ("acotsp-seq", "acotsp-seq-nn", "acotsp-seq-nn-32", "cpu-vectors-nn-1")] == [
        None,
        "20",
        "32",
        "32",
    ]


def test_candidate_sets_of_a_small_instance(tmp_path):
    """Sets hold no more than the other cities: 9 of 10."""
    result = drive(
        "--instances",
        write_tsp(tmp_path / "ten.tsp", 10),
        "--runs",
        1,
        "--iterations",
        1,
        "--out",
        tmp_path / "run",
        driver="4.2",
    )
    assert result.returncode == 0, result.stderr
    rows = [row for row in rows_of(tmp_path / "run") if "nn=" in row["params"]]
    assert rows and all("nn=9" in row["params"].split(";") for row in rows)
    assert len([row for row in rows if row["scope"] == "setup"]) == 1


@pytest.mark.parametrize(
    "driver, table, traits",
    [("3.3", "3.3", {"lack": ["candidates"]}), ("4.2", "4.2", {"have": ["candidates"], "lack": ["several"]})],
)
def test_host_rows_are_verified_and_not_timed(driver, table, traits, tmp_path):
    """Every kernel of one GPU without candidate sets stands in Table 3.3, every one with them in Table 4.2."""
    result = drive(*SMALL, "host", "--out", tmp_path / "run", driver=driver)
    assert result.returncode == 0, result.stderr
    rows = [row for row in rows_of(tmp_path / "run") if row["scope"] != "setup"]
    assert {row["implementation"] for row in rows if row["table"] == table} == implementations("tsp", "host", **traits)
    for row in rows:
        assert (row["status"], row["scope"], row["backend"]) == ("ok", "functional", "host")
        assert all(row[name] == "" for name in TIMES) and row["samples"] == ""
        assert float(row["verify_value"]) == 40


def test_one_seed_gives_one_result(small_run, tmp_path):
    assert drive(*SMALL, "cpu", "--out", tmp_path / "same").returncode == 0
    assert drive(*SMALL, "cpu", "--seed", 9, "--out", tmp_path / "other").returncode == 0

    def best(directory):
        return [row["quality_best"] for row in rows_of(directory)]

    assert best(tmp_path / "same") == best(small_run[0]) != best(tmp_path / "other")


def test_stand_ins_are_named(tmp_path):
    result = drive(
        "--instances",
        "d198",
        "--runs",
        1,
        "--iterations",
        1,
        "--implementations",
        "tsp/cpu-rejection",
        "--out",
        tmp_path / "run",
    )
    assert result.returncode == 0
    assert "u198: generated stand-in for d198; its file was not found (make instances" in result.stdout
    assert {row["instance"] for row in rows_of(tmp_path / "run")} == {"u198"}
    assert "generated stand-in for d198" in rows_of(tmp_path / "run")[0]["note"]


LONG = [
    "--processes",
    1,
    "--backend",
    "cpu",
    "--instances",
    "u60,u80,u100",
    "--runs",
    1,
    "--iterations",
    40,
    "--time-budget",
    6,
    "--implementations",
]


def start_and_kill(driver, arguments, out, n_rows):
    """Starts a long run and kills it with SIGKILL once n_rows rows stand in its table."""
    process = subprocess.Popen(
        [PROGRAM, driver, *map(str, arguments), "--out", out],
        cwd=ROOT,
        env=environment_of(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(6000):
        if list(out.glob("table-*.csv")) and table_of(out).read_text().count("\n") > n_rows:
            break
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()


def kept(samples):
    """Those that count: on a busy machine some do not, and are taken again."""
    return [sample for sample in samples if not sample["discard_reason"]]


def comparable(row):
    """A row without its times, what is told of them, and its run."""
    drop = set(TIMES) | {"run_id", "status", "discarded", "waited", "note"}
    return {key: value for key, value in row.items() if key not in drop}


@pytest.mark.parametrize(
    "driver, chosen", [("3.3", "tsp/acotsp-seq,tsp/cpu-rejection"), ("4.2", "tsp/acotsp-seq-nn,tsp/cpu-vectors-nn")]
)
def test_a_killed_run_keeps_its_rows_and_resumes(driver, chosen, tmp_path):
    unbroken, broken, arguments = tmp_path / "unbroken", tmp_path / "broken", [*LONG, chosen]
    assert drive(*arguments, "--out", unbroken, driver=driver).returncode == 0
    start_and_kill(driver, arguments, broken, 9)
    lines = table_of(broken).read_text().splitlines()
    n_kept = table_of(broken).read_text().count("\n")  # whole lines
    assert len(lines) >= 10 and json.loads((broken / "meta.json").read_text())["complete"] is False
    refused = drive(*arguments, "--out", broken, driver=driver)
    assert refused.returncode == 2 and "--resume" in refused.stderr
    resumed = drive(*arguments, "--out", broken, "--resume", driver=driver)
    assert resumed.returncode == 0, resumed.stderr
    assert set(lines[:9]) <= set(table_of(broken).read_text().splitlines())
    assert [comparable(r) for r in rows_of(broken)] == [comparable(r) for r in rows_of(unbroken)]
    assert len(kept(samples_of(broken))) == len(kept(samples_of(unbroken)))
    of_process = {process: {(int(each["line"]), int(each["turn"])) for each in samples_of(broken) if each["process"] == process}
                  for process in "12"}  # fmt: skip
    assert n_kept - 4 <= len(of_process["1"]) < n_kept  # up to three stages were kept whose iteration was not
    assert max(turn for _, turn in of_process["1"]) <= min(
        turn for _, turn in of_process["2"]
    )  # what its row has set up
    assert of_process["1"] | of_process["2"] == {
        (int(each["line"]), int(each["turn"])) for each in samples_of(unbroken)
    }
    assert len(json.loads((broken / "meta.json").read_text())["resumed_utc"]) == 1
    assert {sample["process"] for sample in samples_of(unbroken)} == {"1"}


@pytest.mark.parametrize(
    "by, processes", [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 2), (signal.SIGHUP, 1)]
)
def test_an_interrupted_run_says_how_it_goes_on(by, processes, tmp_path):
    """It ends by the signal, so that a shell knows; a process of it ends with it, and says nothing."""
    out = tmp_path / "run"
    command = [
        PROGRAM,
        "3.3",
        *map(str, SMALL),
        "cpu",
        "--iterations",
        "100000",
        "--processes",
        str(processes),
        "--out",
        out,
    ]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment_of(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while "writing to" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(by)
    said = process.communicate()[1].splitlines()
    assert process.returncode == -by
    # A process that is writing the line of a row when it ends may come after.
    assert f"antbench 3.3: interrupted; to continue, add --out {out} --resume to the command" in said[-2:]
    assert json.loads((out / "meta.json").read_text())["complete"] is False


def test_resuming_with_other_parameters_is_refused(small_run):
    out, _ = small_run
    result = drive(*SMALL, "cpu", "--seed", 2, "--out", out, "--resume")
    assert result.returncode == 2 and "seed" in one_line(result)


def test_full_disk(tmp_path, small_run):
    """A write that fails, here for a limit on the size of files, ends the run with one line and keeps what was written."""
    most = (small_run[0] / "meta.json").stat().st_size + 500  # it fits; the table and the samples do not

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    out = tmp_path / "run"
    result = drive(*SMALL, "cpu", "--quiet", "--out", out, preexec_fn=limit)
    assert result.returncode == 1
    assert "File too large" in one_line(result) and str(out) in one_line(result)
    table = (out / "table-3.3.csv").read_text()
    assert table.endswith("\n") and all(row["status"] for row in rows_of(out))
    resumed = drive(*SMALL, "cpu", "--quiet", "--out", out, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    iterations = [[row for row in rows_of(run) if row["scope"] == "iteration"] for run in (out, small_run[0])]
    assert len(iterations[0]) == len(iterations[1]) > 0


def test_unwritable_out(tmp_path):
    (tmp_path / "file").write_text("")
    result = drive(*SMALL, "cpu", "--quiet", "--out", tmp_path / "file" / "run")
    assert result.returncode == 1 and "Not a directory" in one_line(result)


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["--frobnicate"], "--frobnicate"),
        (["--instances", "d199"], "d198"),
        (["--implementations", "tsp/ds-rulette"], "tsp/ds-roulette"),
        (["--runs", "x"], "--runs"),
        (["--profile", "quik"], "quick"),
        (["--backend", "cpu", "--implementations", "tsp/ds-roulette"], "nothing to measure"),
    ],
)
def test_wrong_usage_is_exit_2(arguments, expected):
    result = drive(*arguments)
    assert result.returncode == 2 and expected in one_line(result)
    assert one_line(result).startswith("antbench 3.3: ")


@pytest.mark.parametrize(
    "driver, asked, expected",
    [
        ("3.3", "tsp/cand-block", "tsp/cand-block: no row of driver 3.3 has this implementation; driver 4.2 has it"),
        ("jsc-3", "psystem/reference", "psystem/reference: no row of driver jsc-3 has this implementation; no driver has "
         "it: add a line to a table (docs/guide/adding.md)"),
        ("3.3", "tsp/cand-*", "nothing to measure: no row matches"),
        ("3.3", "tsp/cand-block,tsp/cpu-rejection", "nothing to measure: no row matches"),
    ],
)  # fmt: skip
def test_an_implementation_that_no_row_has(driver, asked, expected):
    result = drive("--backend", "host", "--implementations", asked, driver=driver)
    assert result.returncode == 2
    assert one_line(result).startswith(f"antbench {driver}: {expected}")


@pytest.mark.parametrize(
    "n, lines, expected", [(10, 4, "bad.tsp:"), (1, None, "a tour needs at least 2 cities, this instance has 1")]
)
def test_broken_instances_are_exit_2(tmp_path, n, lines, expected):
    path = write_tsp(tmp_path / "bad.tsp", n, lines)
    result = drive("--instances", path, "--out", tmp_path / "run", "--quiet")
    assert result.returncode == 2 and expected in one_line(result)
    assert not (tmp_path / "run").exists()


def test_empty_instance_file(tmp_path):
    (tmp_path / "empty.tsp").write_bytes(b"")
    result = drive("--instances", tmp_path / "empty.tsp", "--out", tmp_path / "run", "--quiet")
    assert result.returncode == 2 and "empty.tsp" in one_line(result)


@pytest.mark.parametrize("backend", ["cpu", "host"])
def test_two_and_three_cities(tmp_path, backend):
    for n in (2, 3):
        path = write_tsp(tmp_path / f"n{n}.tsp", n)
        result = drive(
            "--instances",
            path,
            "--runs",
            1,
            "--iterations",
            2,
            "--backend",
            backend,
            "--out",
            tmp_path / f"{backend}{n}",
        )
        assert result.returncode == 0, result.stderr
        assert all(row["status"] in ("ok", "noisy", "few") for row in rows_of(tmp_path / f"{backend}{n}"))


def test_two_inputs_of_one_name_are_refused(tmp_path):
    """Rows are told apart by the name: the second would never be measured."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_tsp(tmp_path / folder / "x.tsp", 5)
    paths = [str(tmp_path / folder / "x.tsp") for folder in ("a", "b")]
    result = drive("--instances", ",".join(paths), "--dry-run")
    assert result.returncode == 2 and f"{paths[0]} and {paths[1]} are both called x in the results" in one_line(result)
    result = drive("--instances", "d198,u198", "--dry-run")
    assert result.returncode == 2 and "d198 and u198 are both called u198 in the results" in one_line(result)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--list"],
        ["--help"],
        ["--tables"],
        ["--rows"],
        ["--sets"],
        ["3.3", "--help"],
        ["3.3", "--version"],
        ["3.3", "--dry-run", "--quiet", "--instances", "u30"],
    ],
)
def test_a_full_stdout_is_exit_1(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *arguments], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stderr.endswith("antbench: cannot write to stdout: No space left on device\n")


@pytest.mark.parametrize("closed", ["0", "1", "2", "12", "012"])
def test_closed_streams_are_not_taken_for_files(closed, tmp_path):
    """The first file that is opened would get the number of one, and what is printed."""
    result = drive(
        "--instances",
        "u20",
        "--runs",
        1,
        "--iterations",
        1,
        "--backend",
        "cpu",
        "--implementations",
        "tsp/acotsp-seq",
        "--out",
        tmp_path / "run",
        preexec_fn=lambda: [os.close(int(fd)) for fd in closed],
    )
    assert result.returncode == 0 and len(runs.load_run(tmp_path / "run").rows) == 8
    assert len(kept(samples_of(tmp_path / "run"))) == 8


def test_a_table_of_a_strange_name_is_one_clean_line():
    result = drive(driver="x\ny\x1b[1m")
    assert result.returncode == 2 and one_line(result).startswith("antbench: there is no table x?y?[1m ")


def test_instance_too_large_for_a_rung(tmp_path):
    """I-Roulette has no more than 32 tiles of 128 cities: its row says so, and the others go on."""
    result = drive(
        "--instances",
        "u4100",
        "--backend",
        "host",
        "--implementations",
        "tsp/i-roulette",
        "--quiet",
        "--out",
        tmp_path / "run",
        "--profile",
        "thesis",
    )
    assert result.returncode == 77
    assert {row["status"] for row in rows_of(tmp_path / "run")} == {"unsupported"}
    assert "needs n <= 4096" in rows_of(tmp_path / "run")[0]["note"]


def test_instance_too_large_for_the_host_backend(tmp_path):
    """Two ants look at 2 n^2 cities: the row says what the profile allows, and takes no time in the plan either."""
    too_large = "needs more than the 500000 steps that profile quick allows on the host backend"
    options = ("--instances", "u20,u800,u8000", "--backend", "host", "--implementations", "tsp/ds-roulette")
    result = drive(*options, "--quiet", "--out", tmp_path / "run", "--processes", 1)
    assert result.returncode == 0
    assert {
        (row["instance"], row["status"], row["note"])
        for row in rows_of(tmp_path / "run")
        if row["row"] == "ds-roulette" and row["table"] == "3.3"
    } >= {("u800", "skipped", too_large + "; --profile thesis allows more"), ("u8000", "skipped", too_large)}
    assert {row["instance"] for row in rows_of(tmp_path / "run") if row["status"] == "ok"} == {"u20"}
    plan = [line.split("\t") for line in drive(*options, "--dry-run").stdout.splitlines() if "u800" in line]
    assert plan and {line[-1] for line in plan} == {"0 s"}


@pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU")
def test_no_gpu_is_exit_77(tmp_path):
    result = drive("--backend", "cuda", "--instances", "u30", "--out", tmp_path / "run")
    assert result.returncode == 77 and one_line(result).startswith("antbench 3.3: --backend cuda: ")


def test_list():
    for arguments in (["--list"], ["3.3", "--list"]):
        lines = told(*arguments).splitlines()
        assert lines[0].split("\t") == ["id", "backend", "file", "traits", "source", "description"]
        for line in lines[1:]:
            assert (ROOT / line.split("\t")[2]).is_file() and len(line.split("\t")) == 6
    of_driver = {line.split("\t")[0] for line in lines[1:]}
    assert of_driver == implementations("tsp") and of_driver < implementations()
    assert {"tsp/acotsp-seq", "tsp/cpu-rejection", "tsp/ds-roulette"} <= implementations("tsp", lack=["candidates"])


def test_a_dry_run_is_what_is_measured():
    plan = planned("--profile", "smoke", "--backend", "host")
    assert {row["implementation"] for row in plan} == implementations("tsp", "host", lack=["candidates"])
    assert {(row["table"], row["scope"], row["instance"]) for row in plan} == {
        ("3.3", "functional", instance) for instance in ("u198", "u442")
    }


def test_a_table_that_there_is_not():
    result = drive(driver="5.11")
    assert result.returncode == 2 and one_line(result) == (
        "antbench: there is no table 5.11; did you mean 5.1? (antbench --help lists them)"
    )


def test_a_table_of_a_driver_with_another_name():
    for table, driver in (("3.4", "3.3"), ("F3.9", "3.3"), ("kth-9", "kth-8")):
        result = drive(driver=table)
        assert result.returncode == 2 and one_line(result) == (
            f"antbench: table {table} is one of driver {driver}: type antbench {driver} or make bench-{driver}"
        )


def test_help_names_every_driver_and_a_drivers_help_its_parameters():
    drivers = {line.split("\t")[0] for line in told("--tables").splitlines()[1:]}
    assert drivers and all(f"antbench {driver} " in told("--help") for driver in drivers)
    for driver in drivers:
        text = told(driver, "--help")
        assert text == told(f"thesis-{driver}", "--help")
        assert f"usage: antbench {driver} [options]" in text and "\n  threads " in text and "\n  l2 " in text


def test_wrong_output_is_exit_4(tmp_path):
    """The program, linked with a DS-Roulette that visits a city twice (tests/planted_driver)."""
    result = drive("--backend", "host", "--instances", "u30", "--out", tmp_path / "run", program=PLANTED)
    assert result.returncode == 4
    by_implementation = {row["implementation"]: row for row in rows_of(tmp_path / "run")}
    assert by_implementation["tsp/i-roulette"]["status"] == "ok"
    assert "failed, such as 3.3 ds-roulette u30 tsp/ds-roulette: wrong: " in result.stderr.splitlines()[-1]
    wrong = by_implementation["tsp/ds-roulette"]
    assert wrong["status"] == "wrong" and "visited twice" in wrong["note"]
    assert all(wrong[name] == "" for name in TIMES)


def make(*arguments):
    done = subprocess.run(["make", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8"])  # where letters from a to z lack some of English, if installed
def test_make_help_lists_every_public_target(locale, monkeypatch):
    monkeypatch.setenv("LC_ALL", locale)
    text = make("help")
    for target in (
        "all",
        "help",
        "deps",
        "build",
        "test",
        "fuzz",
        "instances",
        "images",
        "bench-%",
        "bench-all",
        "plots",
        "report",
        "claims",
        "results-check",
        "compare",
        "regress",
        "calibrate",
        "index",
        "clean",
        "check-gpu",
    ):
        assert f"make {target} " in text
    assert "bench-3.3" in text


@pytest.mark.parametrize(
    "folder", sorted({path.partition("/")[0] for path in listed_by_git() if path[0] != "." and "/" in path})
)
def test_make_of_a_folder_is_never_nothing(folder):
    """`make bench` is bench-all; of a folder that is no target that is said."""
    done = subprocess.run(
        ["make", "--no-print-directory", "NVCC=", "-n", folder], cwd=ROOT, capture_output=True, text=True
    )
    assert "Nothing to be done" not in done.stdout + done.stderr
    if folder == "bench":
        assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith("scripts/bench_all ")
    elif done.returncode:
        assert f"make {folder}: a folder has this name" in done.stderr and "make help lists all" in done.stderr


@pytest.mark.parametrize(
    "target, driver", [("bench-3.3", "3.3"), ("bench-thesis-3.3", "thesis-3.3"), ("bench-6.1", "6.1")]
)
def test_make_bench_is_one_rule_for_every_driver(target, driver):
    last = make(
        "--no-print-directory", "-n", target, "PROFILE=smoke", "OUT=some", "RESUME=1", "ARGS=--quiet"
    ).splitlines()[-1]
    assert shlex.split(last) == [
        "build/bin/antbench",
        driver,
        "--profile",
        "smoke",
        "--out",
        "some",
        "--resume",
        "--quiet",
    ]
    strange = "it's $$(touch x) `y`"  # a shell's $ is make's too
    last = make("--no-print-directory", "-n", target, f"SAVE={strange}").splitlines()[-1]
    assert shlex.split(last)[-2:] == ["--save", strange.replace("$$", "$")]


@pytest.mark.parametrize("iterations, statuses", [(5, {"few"}), (6, {"ok", "noisy"})])
def test_a_row_without_an_interval_is_few(tmp_path, iterations, statuses):
    """Six samples are the fewest whose order gives a 95 % interval of the median."""
    result = drive(
        "--instances",
        "u60",
        "--backend",
        "cpu",
        "--runs",
        1,
        "--iterations",
        iterations,
        "--implementations",
        "tsp/cpu-rejection",
        "--out",
        tmp_path / "run",
    )
    assert result.returncode == 0, result.stderr
    rows = [row for row in rows_of(tmp_path / "run") if row["scope"] == "iteration"]
    assert rows and {row["status"] for row in rows} <= statuses
    assert all((row["ci95_lo_ms"] == "") == (iterations < 6) for row in rows)


def test_a_headline_row_has_an_interval_whatever_it_costs(tmp_path):
    result = drive(
        "--instances",
        "u300",
        "--backend",
        "cpu",
        "--runs",
        1,
        "--iterations",
        20,
        "--time-budget",
        0.01,
        "--implementations",
        "tsp/acotsp-seq",
        "--out",
        tmp_path / "run",
    )
    assert result.returncode == 0, result.stderr
    assert {row["samples"] for row in rows_of(tmp_path / "run")} == {"6"}


@pytest.mark.skipif(CORES == 1, reason="needs two cores")
@pytest.mark.parametrize(
    "variables, threads",
    [({"OMP_PROC_BIND": "true"}, CORES), ({"OMP_PLACES": "threads"}, CORES), ({"OMP_THREAD_LIMIT": "1"}, 1)],
)
def test_rows_of_all_cores_say_how_many_they_use(tmp_path, variables, threads):
    """Where OpenMP binds the first thread at the start, it would have one processor."""
    row = ["--rows", "kth-8/cpu-registers-all,kth-8/opencv-all", "--instances", "random-256", "--runs", "1"]
    done = subprocess.run(
        [PROGRAM, "kth-8", *row, "--profile", "smoke", "--backend", "cpu", "--out", tmp_path / "run"],
        cwd=ROOT,
        env=environment_of(**variables),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    meta = json.loads((tmp_path / "run/meta.json").read_text())
    assert [row["params"].split("threads=")[1] for row in rows_of(tmp_path / "run")] == [str(threads)] * 2
    assert meta["machine"]["usable_cores"] == CORES


def test_a_busy_machine_is_said_and_threads_wait_politely(tmp_path):
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        time.sleep(0.5)
        environment = {
            name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
        }
        small = ["--instances", "u30", "--backend", "cpu", "--runs", "1", "--iterations", "2"]
        result, untimed = (
            subprocess.run(
                [PROGRAM, "3.3", *small, "--implementations", "tsp/acotsp-omp", "--out", tmp_path / name, *more],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
            )
            for name, more in (("run", []), ("verified", ["--verify"]))
        )
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert result.returncode == 0 and "other threads are running on this machine" in result.stderr
    assert untimed.returncode == 0 and "other threads" not in untimed.stderr
    meta = json.loads((tmp_path / "run/meta.json").read_text())
    assert meta["machine"]["omp_wait_policy"] == "passive" and meta["machine"]["other_threads"] >= 2
    assert meta["involuntary_switches"] >= 0
