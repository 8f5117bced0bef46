"""Several ranks of MPI: tests/kernels/tsp/test_team.c as several processes, and scripts/ranks end to end, on the host backend
and the CPU baselines; and over two machines, as Open MPI takes them to be. It lets root, and more ranks than cores, only where the environment
says so."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from support.commands import ROOT, drive, environment_of, one_line, rows_of

RANKS = ROOT / "scripts/ranks"
MPI = ROOT / "build/bin/antbench-mpi"
HERE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_NUM_THREADS": "1",
}
with_mpi = pytest.mark.skipif(
    not MPI.exists() or not shutil.which("mpirun"),
    reason="Open MPI is not installed (make deps), or what needs it is not built (make build)",
)


def start(command, **more):
    return subprocess.Popen(
        list(map(str, command)),
        cwd=ROOT,
        env=environment_of(**HERE, **more),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(process):
    out, err = process.communicate(timeout=100)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def ranks(n, *arguments, **more):
    return finish(start([RANKS, n, *arguments], **more))


@with_mpi
@pytest.mark.parametrize("n", [2, 4])
def test_works_of_several_processes(n):
    done = finish(start(["mpirun", "--quiet", "--bind-to", "none", "-n", n, ROOT / "build/bin/tests/test_team_mpi"]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[==========] 7 test(s) run." in done.stdout + done.stderr


@with_mpi
def test_rows_of_several_ranks(tmp_path):
    done = ranks(
        2,
        "scaling",
        "--profile",
        "smoke",
        "--quiet",
        "--out",
        tmp_path / "run",
        "--rows",
        "scaling/cpu-*?protocol=as,scaling/split-2?protocol=as-best",
    )
    assert done.returncode == 0, done.stderr
    rows = {(row["row"], row["scope"], row["params"].rpartition("stage=")[2]): row for row in rows_of(tmp_path / "run")}
    of = {
        row: next(line for key, line in rows.items() if key[:2] == (row, "iteration"))
        for row in ("cpu-split-1", "cpu-split-2", "cpu-split-4", "cpu-islands-1", "cpu-islands-2")
    }
    assert of["cpu-split-1"]["quality_runs"] == of["cpu-split-2"]["quality_runs"] == of["cpu-islands-1"]["quality_runs"]
    assert (
        of["cpu-split-4"]["status"] == "unsupported" and "needs 4 ranks, and there are 2" in of["cpu-split-4"]["note"]
    )
    assert {stage for row, scope, stage in rows if (row, scope) == ("cpu-split-2", "stage")} == {
        "choice",
        "construct",
        "update",
        "reduce",
    }
    assert any(
        key[0] == "split-2" and line["backend"] == "host" and line["status"] == "ok" for key, line in rows.items()
    )


def workers_of(launcher):
    """The process ids of ranks after the first."""
    found = []
    for process in os.listdir("/proc"):
        try:
            environment = open(f"/proc/{process}/environ", "rb").read().split(b"\0") if process.isdigit() else []
            if b"ANTBENCH_TEST_RANKS=%d" % launcher in environment and any(
                line.startswith(b"OMPI_COMM_WORLD_RANK=") and not line.endswith(b"=0") for line in environment
            ):
                found.append(int(process))
        except OSError:
            continue
    return found


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


@with_mpi
@pytest.mark.parametrize("driver, row, inputs, scope", [("scaling", "cpu-split-2", "u198", "iteration")])
def test_a_rank_that_dies_ends_the_run(driver, row, inputs, scope, tmp_path):
    mark = f"{os.getpid()}{len(driver)}"
    table = tmp_path / f"run/table-{driver}.csv"
    run = [driver, "--backend", "cpu", "--instances", inputs, "--rows", f"{driver}/{row}", "--runs", 2, "--quiet"]
    process = start(
        [RANKS, 2, *run, "--iterations", 100000, "--time-budget", 1, "--out", tmp_path / "run"],
        ANTBENCH_TEST_RANKS=mark,
    )
    wait_for(lambda: table.exists() and f",{scope}," in table.read_text())
    os.kill(wait_for(lambda: workers_of(int(mark)))[0], signal.SIGKILL)
    done = finish(process)
    assert done.returncode == 1
    assert one_line(done) == (
        "ranks: a rank was lost (signal 9); finished rows are kept, and the same command with --resume goes on"
    )
    before = rows_of(tmp_path / "run")
    assert any(row["scope"] == scope for row in before)
    wait_for(lambda: not workers_of(int(mark)))


@with_mpi
def test_what_open_mpi_says_of_a_lost_ranks_memory_is_left_out(tmp_path):
    launcher = tmp_path / "launcher"
    launcher.write_text("#!/bin/sh\necho '[vm:1] Read -1, expected 78804, errno = 3' >&2\necho other >&2\nexit 137\n")
    launcher.chmod(0o755)
    done = finish(start([RANKS, 2, "3.3"], LAUNCHER=str(launcher)))
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "other",
        "ranks: a rank was lost (signal 9); finished rows are kept, and the same command with --resume goes on",
    ]


@with_mpi
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on(tmp_path, number):
    """Ctrl-C reaches all of a terminal's programs, a scheduler's SIGTERM the first."""
    mark = f"{os.getpid()}{int(number)}"
    process = start(
        [
            RANKS,
            2,
            "scaling",
            "--backend",
            "cpu",
            "--instances",
            "u198",
            "--rows",
            "scaling/cpu-split-2",
            "--iterations",
            100000,
            "--time-budget",
            100,
            "--quiet",
            "--out",
            tmp_path / "run",
        ],
        ANTBENCH_TEST_RANKS=mark,
    )
    wait_for(lambda: (tmp_path / "run/meta.json").exists() and workers_of(int(mark)))
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    done = finish(process)
    assert done.returncode == 130
    assert one_line(done) == "ranks: interrupted; finished rows are kept, and the same command with --resume goes on"
    wait_for(lambda: not workers_of(int(mark)))


@pytest.mark.parametrize("driver, row", [("scaling", "cpu-split-2"), ("scaling", "cpu-islands-2")])
def test_without_mpi_a_row_of_several_ranks_says_so(driver, row, tmp_path):
    done = drive(
        "--profile",
        "smoke",
        "--backend",
        "cpu",
        "--rows",
        f"{driver}/{row}",
        "--out",
        tmp_path / "run",
        "--quiet",
        driver=driver,
    )
    assert done.returncode == 77
    found = [row for row in rows_of(tmp_path / "run") if row["scope"] != "setup"]
    assert found and all(row["status"] == "unsupported" and "scripts/ranks 2" in row["note"] for row in found)


# What mpirun starts on another machine, in the place of ssh: a daemon of Open MPI here, with a folder of its own for its files
# and its ranks' shared memory, so that ranks of different "machines" have nothing but TCP.
AGENT = """#!/bin/sh
here={folder}/$1 && mkdir -p "$here" && shift
TMPDIR=$here OMPI_MCA_btl_vader_backing_directory=$here exec sh -c "$*"
"""


@pytest.fixture
def machines():
    """LAUNCHER for two machines, of so many ranks each. Its folder has a short name: there are sockets in it."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="ranks") as folder:
        agent = Path(folder) / "agent"
        agent.write_text(AGENT.format(folder=folder))
        agent.chmod(0o755)
        yield lambda each: f"mpirun --quiet --bind-to none --host one:{each},two:{each} --mca plm_rsh_agent {agent}"


@with_mpi
def test_two_machines_have_the_tours_of_one(machines, tmp_path):
    found = []
    for place, launcher in (("one", {}), ("two", {"LAUNCHER": machines(2)})):
        done = ranks(
            4,
            "scaling",
            "--profile",
            "smoke",
            "--quiet",
            "--out",
            tmp_path / place,
            "--rows",
            "scaling/cpu-*-4?protocol=as,scaling/split-4?protocol=as-best",
            **launcher,
        )
        assert done.returncode == 0, done.stderr
        found.append(
            {
                row["row"]: (row["quality_runs"], row["verify_value"], row["status"] == "unsupported")
                for row in rows_of(tmp_path / place)
                if row["row"].endswith("-4") and row["scope"] != "stage"
            }
        )
    assert found[0] == found[1] and found[0].keys() == {"cpu-split-4", "cpu-islands-4", "split-4"}
    assert all(verified and not unsupported for _, verified, unsupported in found[0].values())


@with_mpi
def test_a_machine_that_is_lost_ends_the_run(machines, tmp_path):
    """The daemon on the second, which goes with its ranks."""
    mark = f"{os.getpid()}9"
    table = tmp_path / "run/table-scaling.csv"
    process = start(
        [
            RANKS,
            2,
            "scaling",
            "--backend",
            "cpu",
            "--instances",
            "u198",
            "--rows",
            "scaling/cpu-split-2",
            "--runs",
            2,
            "--quiet",
            "--iterations",
            100000,
            "--time-budget",
            1,
            "--out",
            tmp_path / "run",
        ],
        ANTBENCH_TEST_RANKS=mark,
        LAUNCHER=machines(1),
    )
    wait_for(lambda: table.exists() and ",iteration," in table.read_text())
    worker = wait_for(lambda: workers_of(int(mark)))[0]
    daemon = int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(daemon, signal.SIGKILL)
    done = finish(process)
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if line.startswith("ranks: ")]
    assert said == [
        "ranks: a machine or a rank was lost (exit code 205 of mpirun); finished rows are kept, and the same "
        "command with --resume goes on"
    ], done.stderr
    assert any(row["scope"] == "iteration" for row in rows_of(tmp_path / "run"))
    wait_for(lambda: not workers_of(int(mark)))


@pytest.mark.parametrize("n", ["0", "-1", "two", ""])
def test_not_a_number_of_ranks(n):
    done = ranks(n, "scaling")
    assert done.returncode == 2 and "usage: scripts/ranks N" in one_line(done)


@with_mpi
@pytest.mark.skipif(os.geteuid() != 0, reason="Open MPI lets anybody but root")
@pytest.mark.parametrize("given", [{}, {"OMPI_ALLOW_RUN_AS_ROOT": "1"}])
def test_root_is_told_what_to_type(given):
    """As in every container. What it says is what helps, by make too."""
    environment = {name: value for name, value in environment_of(**HERE).items() if not name.startswith("OMPI_ALLOW")}
    done = subprocess.run(
        [RANKS, "2", "scaling", "--dry-run"], env={**environment, **given}, capture_output=True, text=True
    )
    assert done.returncode == 2 and one_line(done) == (
        "ranks: Open MPI does not run as root; if you mean it: export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    )
    said = done.stderr.partition("export ")[2]
    command = f"export {said.strip()}; scripts/ranks 2 scaling --dry-run --instances u30"
    done = subprocess.run(command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "rows, about" in done.stdout, done.stderr


@with_mpi
def test_more_ranks_than_there_is_room_for_are_one_line():
    environment = {**environment_of(**HERE), "OMPI_MCA_rmaps_base_oversubscribe": "0"}
    done = subprocess.run([RANKS, "500", "scaling", "--dry-run"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and one_line(done).startswith(
        "ranks: Open MPI starts no 500 processes here; more than cores: export"
    )


@with_mpi
def test_an_error_of_antbench_is_the_only_line(tmp_path):
    done = ranks(2, "scaling", "--quiet", "--instances", "u30", "--out", "/proc/run")
    assert done.returncode == 1 and one_line(done).startswith("antbench scaling: /proc/run: ")


def test_no_launcher():
    done = ranks(2, "scaling", LAUNCHER="there-is-none")
    assert done.returncode == 77 and one_line(done) == "ranks: there is no there-is-none: make deps installs Open MPI"


@with_mpi
def test_mpi_starts_the_processes_itself(tmp_path):
    done = ranks(1, "scaling", "--processes", 3, "--out", tmp_path / "run")
    assert done.returncode == 2 and "--processes: under MPI" in one_line(done)
