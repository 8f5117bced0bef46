"""The real commands, end to end: files, exit codes, and what becomes of a run that is killed, cut short or fed rubbish."""
import json
import os
import resource
import shutil
import signal
import subprocess
import time

import pytest

from support import commands
from support.commands import HEADER, ROOT, TIMES, one_line, rows_of, samples_of, table_of

DRIVER = ROOT / "build/bin/table_3_3"
CANDIDATES = ROOT / "build/bin/table_4_2"
HAS_GPU = subprocess.run([DRIVER, "--backend", "cuda", "--dry-run", "--instances", "u30"],
                         cwd=ROOT, capture_output=True).returncode == 0


def drive(*arguments, driver=DRIVER, **options):
    return commands.drive(driver, *arguments, **options)


SMALL = ["--instances", "u40", "--runs", 2, "--iterations", 3, "--backend"]


def run_small(driver, out):
    cpu = drive(*SMALL, "cpu", "--out", out, driver=driver)
    assert cpu.returncode == 0, cpu.stderr
    return out, cpu


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    return run_small(DRIVER, tmp_path_factory.mktemp("small") / "run")


@pytest.fixture(scope="module")
def candidates_run(tmp_path_factory):
    return run_small(CANDIDATES, tmp_path_factory.mktemp("candidates") / "run")


@pytest.mark.parametrize("fixture, table", [("small_run", "table-3.3.csv"), ("candidates_run", "table-4.2.csv")])
def test_files_of_a_run(fixture, table, request):
    out, result = request.getfixturevalue(fixture)
    assert sorted(p.name for p in out.iterdir()) == ["meta.json", "samples.csv", table]
    assert (out / table).read_text().splitlines()[0] == HEADER
    meta = json.loads((out / "meta.json").read_text())
    assert meta["complete"] is True and meta["exit_code"] == 0
    assert meta["inputs"][0]["name"] == "u40" and len(meta["inputs"][0]["sha256"]) == 64
    assert "seed 1" in result.stderr and str(out) in result.stdout


@pytest.mark.parametrize("fixture, n_rows", [("small_run", 8), ("candidates_run", 12)])  # CPU columns, two protocols
def test_cpu_rows_are_timed_and_verified(fixture, n_rows, request):
    iterations = [row for row in rows_of(request.getfixturevalue(fixture)[0]) if row["scope"] == "iteration"]
    assert len(iterations) == n_rows
    for row in iterations:
        assert row["status"] in ("ok", "noisy") and row["backend"] == "cpu"
        # A column of Table 4.1 that Table 3.3 has measured is run once.
        assert float(row["mean_ms"]) > 0 and int(row["samples"]) == (3 if row["table"] == "4.1" else 6)
        assert row["verify_metric"] == "valid-tours" and float(row["verify_value"]) == 40
        assert float(row["quality_best"]) <= float(row["quality_mean"])


def test_stages_add_up_to_iterations(small_run):
    rows, samples = rows_of(small_run[0]), samples_of(small_run[0])
    line_of = {(row["row"], row["params"]): line for line, row in enumerate(rows, start=2)}
    stages = {"choice", "construct", "update"}
    for row in (r for r in rows if r["scope"] == "iteration"):
        def times(params):
            return [float(s["ms"]) for s in samples if int(s["line"]) == line_of[row["row"], params]]
        parts = [times(f"{row['params']};stage={stage}") for stage in stages]
        assert [pytest.approx(sum(p), rel=1e-5) for p in zip(*parts)] == times(row["params"])
        assert sum(times(row["params"])) / 6 == pytest.approx(float(row["mean_ms"]), rel=1e-5)


def test_candidate_sets_are_rows_of_their_own(candidates_run):
    rows = rows_of(candidates_run[0])
    setup = {row["params"]: row for row in rows if row["scope"] == "setup"}
    assert set(setup) == {"nn=20", "nn=32"}
    for row in setup.values():
        assert (row["row"], row["implementation"]) == ("candidate-set", "tsp/candidate-set")
        assert (row["verify_metric"], float(row["verify_value"])) == ("valid-sets", 40)
        assert row["status"] in ("ok", "noisy") and float(row["mean_ms"]) > 0
    sizes = {row["row"]: [p for p in row["params"].split(";") if p.startswith("nn=")]
             for row in rows if row["scope"] == "iteration"}
    assert sizes == {"acotsp-seq": [], "acotsp-seq-nn": ["nn=20"], "acotsp-seq-nn-32": ["nn=32"],
                     "acotsp-omp-nn": ["nn=20"], "cpu-best-nn-1": ["nn=32"], "cpu-best-nn-all": ["nn=32"]}


def test_candidate_sets_of_a_small_instance(tmp_path):
    """Sets hold no more than the other cities: 9 of 10."""
    result = drive("--instances", write_tsp(tmp_path / "ten.tsp", 10), "--runs", 1, "--iterations", 1, "--out",
                   tmp_path / "run", driver=CANDIDATES)
    assert result.returncode == 0, result.stderr
    rows = [row for row in rows_of(tmp_path / "run") if "nn=" in row["params"]]
    assert rows and all("nn=9" in row["params"].split(";") for row in rows)
    assert len([row for row in rows if row["scope"] == "setup"]) == 1


@pytest.mark.parametrize("driver, implementations", [
    (DRIVER, {"tsp/i-roulette", "tsp/ds-roulette"}),
    (CANDIDATES, {"tsp/i-roulette", "tsp/ds-roulette", "tsp/cand-thread", "tsp/cand-block", "tsp/cand-block-compress"}),
])
def test_host_rows_are_verified_and_not_timed(driver, implementations, tmp_path):
    result = drive(*SMALL, "host", "--out", tmp_path / "run", driver=driver)
    assert result.returncode == 0, result.stderr
    rows = [row for row in rows_of(tmp_path / "run") if row["scope"] != "setup"]
    assert {row["implementation"] for row in rows} == implementations
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
    result = drive("--instances", "d198", "--runs", 1, "--iterations", 1, "--implementations", "tsp/cpu-best", "--out",
                   tmp_path / "run")
    assert result.returncode == 0
    assert "u198 is a generated stand-in for d198" in result.stdout
    assert {row["instance"] for row in rows_of(tmp_path / "run")} == {"u198"}
    assert "generated stand-in for d198" in rows_of(tmp_path / "run")[0]["note"]


LONG = ["--backend", "cpu", "--instances", "u200,u250,u300", "--runs", 1, "--iterations", 40, "--time-budget", 60,
        "--implementations"]


def start_and_kill(driver, arguments, out, n_rows):
    """Starts a long run and kills it with SIGKILL once n_rows rows stand in its table."""
    environment = dict(os.environ, TSPLIB_DIR="/nonexistent")
    process = subprocess.Popen([driver, *map(str, arguments), "--out", out], cwd=ROOT, env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(6000):
        if list(out.glob("table-*.csv")) and table_of(out).read_text().count("\n") > n_rows:
            break
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()


def comparable(row):
    """A row without its times and its run."""
    drop = set(TIMES) | {"run_id", "status"}
    return {key: value for key, value in row.items() if key not in drop}


@pytest.mark.parametrize("driver, implementations", [
    (DRIVER, "tsp/acotsp-seq,tsp/cpu-best"), (CANDIDATES, "tsp/acotsp-seq-nn,tsp/cpu-best-nn"),
])
def test_a_killed_run_keeps_its_rows_and_resumes(driver, implementations, tmp_path):
    unbroken, broken, arguments = tmp_path / "unbroken", tmp_path / "broken", [*LONG, implementations]
    assert drive(*arguments, "--out", unbroken, driver=driver).returncode == 0
    start_and_kill(driver, arguments, broken, 9)
    kept = table_of(broken).read_text().splitlines()
    assert len(kept) >= 10 and json.loads((broken / "meta.json").read_text())["complete"] is False
    refused = drive(*arguments, "--out", broken, driver=driver)
    assert refused.returncode == 2 and "--resume" in refused.stderr
    resumed = drive(*arguments, "--out", broken, "--resume", driver=driver)
    assert resumed.returncode == 0, resumed.stderr
    assert table_of(broken).read_text().splitlines()[:9] == kept[:9]
    assert [comparable(r) for r in rows_of(broken)] == [comparable(r) for r in rows_of(unbroken)]
    assert len(samples_of(broken)) == len(samples_of(unbroken))


def planted_drivers(folder, codes):
    """A copy of scripts/bench_all beside drivers that leave their arguments in a file and exit with these codes."""
    (folder / "scripts").mkdir()
    (folder / "build/bin").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/bench_all", folder / "scripts")
    for table, code in codes.items():
        driver = folder / f"build/bin/table_{table}"
        driver.write_text(f'#!/bin/bash\necho "$@" > {table}\n{code}\n')
        driver.chmod(0o755)


@pytest.mark.parametrize("codes, worst", [
    (["exit 0", "exit 0"], 0), (["exit 4", "exit 1"], 4), (["exit 2", "exit 1"], 1), (["exit 77", "exit 2"], 2),
    (["exit 77", "exit 0"], 0), (["exit 77", "exit 77"], 77), (["kill -SEGV $$", "exit 0"], 1),
])
def test_bench_all_runs_every_driver(tmp_path, codes, worst):
    planted_drivers(tmp_path, {"3_3": codes[0], "4_2": codes[1]})
    for out, options in (("some where", "--out some where/{} --quiet\n"), ("", "--quiet\n")):
        done = subprocess.run([tmp_path / "scripts/bench_all", out, "", "--quiet"], stderr=subprocess.DEVNULL)
        assert done.returncode == worst
        assert [(tmp_path / table).read_text() for table in ("3_3", "4_2")] == [options.format("3.3"), options.format("4.2")]


def test_bench_all_saves_images_where_there_are_any(tmp_path):
    planted_drivers(tmp_path, {"3_3": "exit 0", "5_1": "exit 0"})
    (tmp_path / "build/bin/table_5_1").write_text(
        '#!/bin/bash\n[ "$1" = --help ] && { echo "  --save DIR"; exit; }\necho "$@" > 5_1\n')
    assert subprocess.run([tmp_path / "scripts/bench_all", "", "pictures"]).returncode == 0
    assert ((tmp_path / "3_3").read_text(), (tmp_path / "5_1").read_text()) == ("\n", "--save pictures/5.1\n")


def test_resuming_with_other_parameters_is_refused(small_run):
    out, _ = small_run
    result = drive(*SMALL, "cpu", "--seed", 2, "--out", out, "--resume")
    assert result.returncode == 2 and "seed" in one_line(result)


def test_full_disk(tmp_path):
    """A write that fails, here for a limit on the size of files, ends the run with one line and keeps what was written."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
    out = tmp_path / "run"
    result = drive(*SMALL, "cpu", "--quiet", "--out", out, preexec_fn=limit)
    assert result.returncode == 1
    assert "File too large" in one_line(result) and str(out) in one_line(result)
    table = (out / "table-3.3.csv").read_text()
    assert table.endswith("\n") and all(row["status"] for row in rows_of(out))
    resumed = drive(*SMALL, "cpu", "--quiet", "--out", out, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert len([r for r in rows_of(out) if r["scope"] == "iteration"]) == 8


def test_unwritable_out(tmp_path):
    (tmp_path / "file").write_text("")
    result = drive(*SMALL, "cpu", "--quiet", "--out", tmp_path / "file" / "run")
    assert result.returncode == 1 and "Not a directory" in one_line(result)


@pytest.mark.parametrize("arguments, expected", [
    (["--frobnicate"], "--frobnicate"),
    (["--instances", "d199"], "d198"),
    (["--implementations", "tsp/ds-rulette"], "tsp/ds-roulette"),
    (["--runs", "x"], "--runs"),
    (["--profile", "quik"], "quick"),
    (["--backend", "cpu", "--implementations", "tsp/ds-roulette"], "nothing to measure"),
])
def test_wrong_usage_is_exit_2(arguments, expected):
    result = drive(*arguments)
    assert result.returncode == 2 and expected in one_line(result)


def write_tsp(path, n, lines=None):
    points = "".join(f"{i + 1} {i * 7 % 13} {i * 5 % 11}\n" for i in range(n if lines is None else lines))
    path.write_text(f"NAME: {path.stem}\nTYPE: TSP\nDIMENSION: {n}\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n{points}"
                    + ("EOF\n" if lines is None else ""))
    return path


@pytest.mark.parametrize("n, lines, expected", [
    (10, 4, "bad.tsp:"),
    (1, None, "a tour needs at least 2 cities, this instance has 1"),
])
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
        result = drive("--instances", path, "--runs", 1, "--iterations", 2, "--backend", backend, "--out",
                       tmp_path / f"{backend}{n}")
        assert result.returncode == 0, result.stderr
        assert all(row["status"] in ("ok", "noisy") for row in rows_of(tmp_path / f"{backend}{n}"))


def test_instance_too_large_for_a_rung(tmp_path):
    """I-Roulette has no more than 32 tiles of 128 cities: its row says so, and the others go on."""
    result = drive("--instances", "u4100", "--backend", "host", "--implementations", "tsp/i-roulette", "--quiet", "--out",
                   tmp_path / "run")
    assert result.returncode == 77
    assert {row["status"] for row in rows_of(tmp_path / "run")} == {"unsupported"}
    assert "needs n <= 4096" in rows_of(tmp_path / "run")[0]["note"]


@pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU")
def test_no_gpu_is_exit_77(tmp_path):
    result = drive("--backend", "cuda", "--instances", "u30", "--out", tmp_path / "run")
    assert result.returncode == 77 and "CUDA" in one_line(result)


def test_list_and_dry_run():
    lines = drive("--list").stdout.splitlines()
    assert lines[0].split("\t") == ["id", "backend", "file", "source", "description"]
    for line in lines[1:]:
        assert (ROOT / line.split("\t")[2]).is_file()
    assert {"tsp/acotsp-seq", "tsp/acotsp-omp", "tsp/cpu-best", "tsp/i-roulette", "tsp/ds-roulette"} <= {
        line.split("\t")[0] for line in lines[1:]}
    dry = drive("--dry-run", "--profile", "smoke")
    assert dry.returncode == 0 and "rows, about" in dry.stdout.splitlines()[-1]


def test_wrong_output_is_exit_4(tmp_path):
    """The driver, linked with a DS-Roulette that visits a city twice (tests/planted_driver)."""
    environment = dict(os.environ, TSPLIB_DIR="/nonexistent")
    result = subprocess.run([ROOT / "build/bin/tests/table_3_3_planted", "--backend", "host", "--instances", "u30", "--out",
                             tmp_path / "run"], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 4
    by_implementation = {row["implementation"]: row for row in rows_of(tmp_path / "run")}
    assert by_implementation["tsp/i-roulette"]["status"] == "ok"
    wrong = by_implementation["tsp/ds-roulette"]
    assert wrong["status"] == "wrong" and "visited twice" in wrong["note"]
    assert all(wrong[name] == "" for name in TIMES)


def test_make_help_lists_every_public_target():
    text = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    for target in ("all", "help", "deps", "build", "test", "instances", "images", "bench-3.3", "bench-4.2",
                   "bench-5.1", "bench-all", "clean", "check-gpu"):
        assert f"make {target} " in text
