"""scripts/bench_all and scripts/check_gpu, with a program in the place of antbench that leaves its arguments in a file."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """#!/bin/bash
[ "$1" = --tables ] && { printf 'driver\\tprogram\\tfile\\ttable\\n3.3\\tp\\tf\\t3.3\\n3.3\\tp\\tf\\t3.4\\n5.1\\tp\\tf\\t5.1\\n'; exit; }
[ "$2" = --help ] && { [ "$1" = 5.1 ] && echo "  --save DIR"; exit; }
[ "${@: -1}" = --dry-run ] && { echo "4 rows, about ${ABOUT-30 s}"; exit; }
echo "$@" >> "$1"
"""
SANITIZER = """#!/bin/bash
[ "$1 $3 $4" = "--tool --error-exitcode 99" ] || exit 98
[ "$2" = "$BROKEN" ] && { echo "an error that $2 found"; exit 99; }
shift 4
exec "$@"
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path):
    """Copies of the scripts beside a program of two drivers, of which the second has images."""
    (tmp_path / "scripts").mkdir()
    for script in ("bench_all", "check_gpu"):
        shutil.copy(ROOT / "scripts" / script, tmp_path / "scripts")
    write(tmp_path / "build/bin/antbench", PROGRAM)
    write(tmp_path / "build/bin/tests/tsp_choices", "#!/bin/bash\n[ $1 = cuda ]\n")
    return tmp_path


def run(folder, script, *arguments, **environment):
    return subprocess.run([folder / "scripts" / script, *arguments], capture_output=True, text=True, cwd="/",
                          env=dict(os.environ, **environment))


# ---- bench_all ----


def test_every_driver_runs_once_in_a_folder_of_its_own(folder):
    assert run(folder, "bench_all", "some where", "", "--quiet").returncode == 0
    assert (folder / "3.3").read_text() == "3.3 --out some where/3.3 --quiet\n"
    assert (folder / "5.1").read_text() == "5.1 --out some where/5.1 --quiet\n"


@pytest.mark.parametrize("rows, expected", [("3.4/race", "3.3"), ("F9/*,5.1/seq?x=3", "5.1"), ("*/seq", "3.3 5.1"),
                                            ("?x=3", "3.3 5.1"), ("3.*/seq/d198", "3.3")])
@pytest.mark.parametrize("option", ["--rows {}", "--rows={}"])
def test_a_driver_without_the_rows_is_left_out(folder, rows, expected, option):
    done = run(folder, "bench_all", "", "", *option.format(rows).split())
    assert done.returncode == 0 and f"{len(expected.split())} drivers" in done.stderr
    assert {path.name for path in folder.glob("?.?")} == set(expected.split())


def test_rows_of_no_table_are_wrong_usage(folder):
    done = run(folder, "bench_all", "", "", "--rows", "9.9/seq")
    assert done.returncode == 2 and "no table is called 9.9" in done.stderr


def test_images_are_saved_where_there_are_any(folder):
    assert run(folder, "bench_all", "", "pictures").returncode == 0
    assert ((folder / "3.3").read_text(), (folder / "5.1").read_text()) == ("3.3\n", "5.1 --save pictures/5.1\n")


@pytest.mark.parametrize("ends, worst", [
    (["exit 0", "exit 0"], 0), (["exit 4", "exit 1"], 4), (["exit 1", "exit 4"], 4), (["exit 2", "exit 1"], 1),
    (["exit 5", "exit 3"], 3), (["exit 77", "exit 2"], 2), (["exit 77", "exit 0"], 0), (["exit 77", "exit 77"], 77),
    (["kill -SEGV $$", "exit 0"], 1), (["exit 42", "exit 0"], 1),
])
def test_the_worst_exit_code_is_the_answer_and_every_driver_runs(folder, ends, worst):
    write(folder / "build/bin/antbench", PROGRAM + f"[ $1 = 3.3 ] && {{ {ends[0]}; }}\n{ends[1]}\n")
    assert run(folder, "bench_all", "", "").returncode == worst
    assert (folder / "3.3").exists() and (folder / "5.1").exists()


def told(folder, *options, **environment):
    done = run(folder, "bench_all", "", "", *options, **environment)
    assert done.returncode == 0 and done.stdout == ""
    return done.stderr.splitlines()


@pytest.mark.parametrize("about, total, half", [
    ("30 s", "1 min", "30 s"), ("10 s", "20 s", "10 s"), ("2 min (100 s)", "4 min", "2 min"), ("4 s or more", "8 s", "4 s"),
    ("2 h 1 min or more (7201 s)", "4 h 1 min", "2 h 1 min"), ("unknown", "0 s", "0 s"),
])  # fmt: skip
def test_how_long_it_will_take_is_told_before_and_while_it_lasts(folder, about, total, half):
    """Resumed, when nothing is known of how the estimates hold: the rest is what was estimated."""
    assert told(folder, "--resume", ABOUT=about) == [
        f"bench-all: 2 drivers, about {total}",
        f"bench-all: 3.3 ended with 0, 1 of 2, about {half} left",
        "bench-all: 5.1 ended with 0, 2 of 2",
    ]


def test_the_rest_is_corrected_by_what_it_took(folder):
    write(folder / "build/bin/antbench", PROGRAM + "sleep 2.1\n")
    before, between, _ = told(folder, ABOUT="1 s")
    assert before.endswith("about 2 s") and int(between.split()[-3]) >= 2  # of which 1 s was estimated
    write(folder / "build/bin/antbench", PROGRAM)
    assert told(folder, ABOUT="59 s")[1].endswith("about 0 s left")


@pytest.mark.parametrize("option", ["--quiet", "--dry-run", "--process=2", "--list"])
def test_nothing_is_estimated_where_nobody_waits_for_all(folder, option):
    assert run(folder, "bench_all", "", "", option).stderr == ""


def test_the_estimate_is_of_what_is_asked_for(folder):
    """The program is asked with the options that it will run with."""
    write(folder / "build/bin/antbench", PROGRAM.replace("about ${ABOUT-30 s}", "about $# s"))
    assert told(folder)[0].endswith(" about 4 s") and told(folder, "--profile", "smoke")[0].endswith(" about 8 s")


@pytest.mark.parametrize("script", ["bench_all", "check_gpu"])
def test_without_a_program_or_a_driver(folder, script):
    write(folder / "bin/compute-sanitizer", SANITIZER)
    path = f"{folder}/bin:{os.environ['PATH']}"
    write(folder / "build/bin/antbench", "#!/bin/bash\n")
    done = run(folder, script, "", "", PATH=path)
    assert (done.returncode, done.stderr.strip().endswith("build/bin/antbench --tables lists no driver")) == (1, True)
    (folder / "build/bin/antbench").unlink()
    done = run(folder, script, "", "", PATH=path)
    assert (done.returncode, done.stderr.strip().endswith("build/bin/antbench is not built: make build")) == (1, True)


# ---- check_gpu ----


def check(folder, broken=""):
    write(folder / "bin/compute-sanitizer", SANITIZER)
    return run(folder, "check_gpu", PATH=f"{folder}/bin:{os.environ['PATH']}", BROKEN=broken)


def test_every_driver_runs_under_every_tool(folder):
    done = check(folder)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [f"check-gpu: {tool} {driver}: clean"
                                        for tool in ("memcheck", "racecheck", "initcheck", "synccheck")
                                        for driver in ("3.3", "5.1")] + ["check-gpu: choices: in proportion"]
    for driver, inputs in (("3.3", "u60,u300"), ("5.1", "shapes-37x29,shapes-150x70")):
        lines = (folder / driver).read_text().splitlines()
        assert len(lines) == 4
        assert all(
            line.startswith(f"{driver} --backend cuda --profile smoke --processes 1 --instances {inputs} ")
            for line in lines
        )


@pytest.mark.parametrize("place, environment", [
    ("home/bin", {"CUDA_HOME": "home"}), ("build/cuda-toolkit/nvidia/cu13/bin", {}),
])
def test_the_tool_is_found_off_the_path(folder, place, environment):
    """By its place in the toolkit, or in what make deps installs: with /usr/local/cuda as it is not."""
    script = folder / "scripts/check_gpu"
    script.write_text(script.read_text().replace("/usr/local/cuda", "/nonexistent"))
    environment = {
        "PATH": without_sanitizer(folder),
        **{name: str(folder / value) for name, value in environment.items()},
    }
    done = run(folder, "check_gpu", **environment)
    assert done.returncode == 77 and "make deps installs it" in done.stderr
    write(folder / place / "compute-sanitizer", SANITIZER)
    assert run(folder, "check_gpu", **environment).returncode == 0


def without_sanitizer(folder):
    """A PATH with what the script calls, and nothing else."""
    (folder / "tools").mkdir()
    for tool in ("bash", "dirname", "awk", "mktemp", "rm", "grep", "head", "tail"):
        (folder / "tools" / tool).symlink_to(shutil.which(tool))
    return str(folder / "tools")


def test_what_a_tool_reports_is_told(folder):
    done = check(folder, broken="racecheck")
    assert done.returncode == 1
    assert "check-gpu: racecheck 3.3: exit code 99" in done.stderr and "an error that racecheck found" in done.stderr
    assert "check-gpu: synccheck 5.1: clean" in done.stdout


def test_choices_out_of_proportion_are_told(folder):
    write(folder / "build/bin/tests/tsp_choices", "#!/bin/bash\necho ok 1\necho not ok 2 - biased\nexit 1\n")
    done = check(folder)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["check-gpu: choices: exit code 1", "not ok 2 - biased"]


def test_without_a_gpu_nothing_is_checked(folder):
    write(folder / "build/bin/antbench", PROGRAM + "echo 'no CUDA device'\nexit 77\n")
    done = check(folder)
    assert (done.returncode, done.stdout) == (77, "no CUDA device\n")
