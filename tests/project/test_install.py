"""What make install leaves: the main job from another directory, the commands that measure, the manual page, completion,
--version, and all gone again."""

import json
import os
import re
import shutil
import subprocess

import pytest

from support import fake_system
from support.commands import PROGRAM, ROOT

STORED = "nvidia-h100-80gb-hbm3/20261126T104056Z-c8d43aae-3.3"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if shutil.which("help2man"):
        with open(ROOT / "build/antbench.1", "w") as page:
            subprocess.run([ROOT / "scripts/manual", ROOT / PROGRAM], stdout=page, check=True)
    prefix = tmp_path_factory.mktemp("a folder") / "usr"
    done = subprocess.run([ROOT / "scripts/install", prefix], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return prefix


def call(command, cwd, *arguments, code=0):
    environment = {**os.environ, **fake_system.alone()}
    done = subprocess.run([command, *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_the_main_job_from_another_directory(prefix, tmp_path):
    """Measure, list, check, compare with a kept run: nothing of it is written to the installed folders."""
    before = sorted(prefix.rglob("*"))
    few = ["--instances", "u20", "--runs", 1, "--iterations", 6, "--processes", 1, "--backend", "cpu"]
    said = call(prefix / "bin/antbench", tmp_path, "3.3", *few)
    (run,) = (tmp_path / "results/runs").glob("*/*")
    assert f"results: ./{run.relative_to(tmp_path)}" in said or f"results: {run.relative_to(tmp_path)}" in said
    name = str(run.relative_to(tmp_path / "results/runs"))
    results = prefix / "bin/antbench-results"
    assert name in call(results, tmp_path, "list-runs", name)
    assert STORED in call(results, tmp_path, "list-runs", STORED)
    assert "1 runs, 0 broken" in call(results, tmp_path, "results-check", name)
    assert "cells of both" in call(results, tmp_path, "compare", name, shutil.copytree(run, tmp_path / "copy"))
    call(prefix / "bin/antbench", tmp_path, "3.3", *few, "--resume")
    assert sorted(prefix.rglob("*")) == before


def test_the_published_numbers_and_kept_runs_are_found(prefix, tmp_path):
    said = call(prefix / "bin/antbench-results", tmp_path, "gpus", "--table", "3.4", "--run", STORED)
    assert "GTX 580 (thesis)" in said and "H100" in said and (tmp_path / "build/gpus/times.csv").is_file()


FEW = ["--backend", "cpu", "--runs", "1", "--iterations", "6"]


def test_every_table_is_measured_into_the_current_directory(prefix, tmp_path):
    before = sorted(prefix.rglob("*"))
    rows = ["--rows", "3.3/acotsp-seq/d198", "--processes", 1, *FEW]
    results = prefix / "bin/antbench-results"
    call(results, tmp_path, "bench-all", *rows)
    assert [path.name for path in (tmp_path / "results/runs").glob("*/*/table-*.csv")] == ["table-3.3.csv"]
    environment = {**os.environ, "OUT": "mine"}
    subprocess.run(
        [results, "bench-all", *map(str, rows)], cwd=tmp_path, env=environment, check=True, capture_output=True
    )
    assert (tmp_path / "mine/3.3/meta.json").is_file()
    assert sorted(prefix.rglob("*")) == before


def test_ab_calibrate_and_time_to_target_measure_with_the_installed_program(prefix, tmp_path):
    before = sorted(prefix.rglob("*"))
    results = prefix / "bin/antbench-results"
    few = [*FEW, "--processes", "2"]
    two = ["3.3/acotsp-seq/u20", "3.3/cpu-blocks-1/u20"]
    done = subprocess.run([results, "ab", *two, *few], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (0, 3, 5) and "2 processes each" in done.stdout, done.stderr
    said = call(
        results,
        tmp_path,
        "calibrate",
        "--driver",
        "3.3",
        "--repetitions",
        6,
        "--",
        *FEW,
        "--rows",
        "3.3/acotsp-seq/u20",
    )
    (kept,) = (tmp_path / "results/runs").glob("*/calibration.json")
    assert f"kept in {kept}" in said
    done = subprocess.run([results, "time-to-target", "c200:1"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "c200: its optimum is not known\n"), "which antbench solve says"
    assert {path.name for path in (tmp_path / "build").iterdir()} >= {"ab", "calibrate"}
    assert "ROW" in call(results, tmp_path, "profile", "--help")
    assert sorted(prefix.rglob("*")) == before


def test_it_is_not_large(prefix):
    """It has what is stored, samples compressed, and 5 MB; the program has no symbols of a debugger."""
    share = [path for path in (prefix / "share").rglob("*") if path.is_file() and not path.is_symlink()]
    assert not [path for path in share if path.name == "samples.csv"]
    stored = sum(path.stat().st_size for path in (ROOT / "results/reference").rglob("*") if path.is_file())
    assert sum(path.stat().st_size for path in share) < stored + 5e6
    sections = subprocess.run(["readelf", "-S", prefix / "lib/antbench/antbench"], capture_output=True, text=True)
    assert ".debug_info" not in sections.stdout


def test_wrong_commands_say_how(prefix, tmp_path):
    results = prefix / "bin/antbench-results"
    assert call(results, tmp_path, "--help").startswith("usage: antbench-results COMMAND")
    for command, told in (("reprot", "there is no command reprot"), ("index", "needs the source tree")):
        done = subprocess.run([results, command], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2 and told in done.stderr and done.stderr.count("\n") == 1
    done = subprocess.run([ROOT / "scripts/install", "relative"], capture_output=True, text=True)
    assert done.returncode == 2 and "PREFIX must be a path from the root" in done.stderr


def test_it_can_be_moved_and_removed(prefix, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(prefix, moved, symlinks=True)
    assert "u20" in call(moved / "bin/antbench", tmp_path, "3.3", "--dry-run", "--backend", "cpu", "--instances", "u20")
    call(ROOT / "scripts/install", tmp_path, "--remove", moved)
    assert not [path for path in moved.rglob("*") if path.is_file() or path.is_symlink()]


# ---- --version ----


def test_the_version():
    said = call(PROGRAM, ROOT, "--version")
    assert re.fullmatch(r"antbench \d+\.\d+\.\d+\S* \(commit \w+( with local changes)?\), .+\n", said)
    assert said == call(PROGRAM, ROOT, "4.2", "--version")


def test_the_version_is_that_of_the_tag_or_else_of_the_file(tmp_path):
    tree = tmp_path / "tree"
    (tree / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/build_info", tree / "scripts")
    (tree / "VERSION").write_text("1.2.3\n")

    def version():
        return re.search(r'AB_VERSION "(.*)"', call("scripts/build_info", tree, "gcc", "", "", "", "", "", "", ""))[1]

    assert version() == "1.2.3"
    git = ["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *command], check=True)
    assert version() == "1.2.3"
    subprocess.run([*git, "tag", "v2.0.0"], check=True)
    subprocess.run([*git, "tag", "-am", "the newest 2", "v2"], check=True)
    assert version() == "2.0.0"
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "b"], check=True)
    assert re.fullmatch(r"2\.0\.0-1-g[0-9a-f]+", version())


def test_versions_agree():
    version = (ROOT / "VERSION").read_text().strip()
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(rf"^## {re.escape(version)}$", (ROOT / "CHANGELOG.md").read_text(), re.M)


def test_a_run_says_the_version(tmp_path):
    call(PROGRAM, ROOT, "3.3", "--instances", "u20", "--runs", 1, "--iterations", 1, "--processes", 1, "--backend", "cpu",
         "--implementations", "tsp/acotsp-seq", "--out", tmp_path / "run", "--quiet")  # fmt: skip
    meta = json.loads((tmp_path / "run/meta.json").read_text())
    assert meta["build"]["version"] == call(PROGRAM, ROOT, "--version").split()[1]


# ---- The manual page and completion ----


def tables():
    return [line.split("\t")[0] for line in call(PROGRAM, ROOT, "--tables").splitlines()[1:]]


needs_help2man = pytest.mark.skipif(not shutil.which("help2man"), reason="no help2man")


@needs_help2man
def test_the_manual_has_every_table_option_and_parameter(prefix):
    page = (prefix / "share/man/man1/antbench.1").read_text().replace("\\-", "-").replace("\\fR", "")
    helps = [
        call(PROGRAM, ROOT, "--help"),
        *(call(PROGRAM, ROOT, table, "--help") for table in dict.fromkeys(tables())),
    ]
    for text in helps:
        for option in re.findall(r"^  (?:antbench )?(--[a-z-]+)", text, re.M):
            assert re.search(rf"^(antbench )?\\fB{re.escape(option)}( |$)", page, re.M), option
        for parameter in re.findall(r"^  ([a-z][a-z0-9-]*)  +\S", text.partition("\nparameters of")[2], re.M):
            assert f".TP\n{parameter}\n" in page, parameter
    assert all(f".TP\nantbench {table}\n" in page for table in dict.fromkeys(tables()))
    for code in ("0", "2", "4", "77"):
        assert f"\n.B {code}\n" in page


@needs_help2man
@pytest.mark.skipif(not shutil.which("groff"), reason="no groff")
def test_the_manual_is_set_without_a_warning(prefix):
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", prefix / "share/man/man1/antbench.1"], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == "" and "EXIT STATUS" in re.sub(".\x08", "", done.stdout)


def completions(prefix, *words):
    """What bash offers for the last of these words."""
    script = f"""source '{prefix}/share/bash-completion/completions/antbench'
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        _antbench "$1" "${{!#}}" "${{@: -2:1}}"
        printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(
        ["bash", "-c", script, "bash", PROGRAM, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_tables_options_and_their_values(prefix):
    assert set(completions(prefix, "")) == {*tables(), "--list", "--tables", "--rows", "--sets", "--version"}
    assert sorted(completions(prefix, "jsc-")) == ["jsc-1", "jsc-3", "jsc-4", "jsc-5", "jsc-5.2"]
    assert completions(prefix, "3.3", "--ru") == ["--runs"]
    assert "--save" in completions(prefix, "6.1", "--") and "--save" not in completions(prefix, "jsc-3", "--")
    assert completions(prefix, "3.3", "--profile", "") == ["smoke", "quick", "thesis"]
    assert completions(prefix, "3.3", "--backend", "=", "cu") == ["cuda"]
    assert completions(prefix, "3.3", "--set", "rh") == ["rho="] and completions(prefix, "3.3", "--set", "l2") == [
        "l2="
    ]
    assert completions(prefix, "3.3", "--implementations", "tsp/data-rw-") == ["tsp/data-rw-warp"]
    assert completions(prefix, "3.3", "--implementations", "tsp/i-roulette,tsp/data-rw-") == [
        "tsp/i-roulette,tsp/data-rw-warp"
    ]
    assert completions(prefix, "3.3", "--rows", "3.4/ds-roulette,3.3/race-") == ["3.4/ds-roulette,3.3/race-each"]
    assert (
        set(completions(prefix, "5.1", "--rows", "5.1/warp"))
        == {"5.1/warp-*", "5.1/warp-128", "5.1/warp-apart-128", "5.1/warp-all-lanes-128"}
        and completions(prefix, "3.3", "--rows", "5.1") == []
    )
