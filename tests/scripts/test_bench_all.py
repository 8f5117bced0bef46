"""scripts/bench_all and scripts/check_gpu, with a program in the place of antbench that leaves its arguments in a file."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from antbench.data import runs
from antbench.tools import bench_all
from support.commands import WITH_GPU

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = r"""#!/bin/bash
[ "$1" = --tables ] && { printf 'driver\tprogram\tfile\ttable\n3.3\tp\tf\t3.3\n3.3\tp\tf\t3.4\n5.1\tp\tf\t5.1\n'; exit; }
[ "$2" = --help ] && { [ "$1" = 5.1 ] && echo "files of \$IMAGES_DIR --save DIR"; exit 0; }
[ "$1" = doctor ] && { [ -z "$DOCTOR" ] || echo "$DOCTOR" "$@"; exit ${ILL-0}; }
[ "$2 ${@: -1}" = "--instances --dry-run" ] && printf "$1\t%b\n" "one\tu60\tmine/a\tcuda" "two\tu60\tmine/a\tcuda" "one\tu300\tmine/a\tcuda" "seq\tu60\tmine/cpu\tcpu"
[ "${@: -1}" = --dry-run ] && { printf "4 rows\nseconds\t${ABOUT-30}\n"; echo "antbench $1: note: no GPU" >&2; exit; }
echo "$@" >> "$1"
if [ "${@: -2:1}" = --out ]; then
    mkdir -p "${@: -1}"
    printf "row,scope,status\\na,end_to_end,ok\\n${ROWS-b,end_to_end,unsupported\\n}" > "${@: -1}/table-$1.csv"
fi
"""
# A program that says and leaves what a driver does.
RUNNING = (
    PROGRAM
    + r"""
mkdir -p "runs/$1"
echo "antbench $1: note: no GPU" >&2
echo "[0/3] seed 1, writing to runs/$1" >&2
echo "[1/3] $1/seq/d198 threads=1: ok 1 ms (median of 10), ETA 1 s" >&2
echo 'table,row,status,note' > "runs/$1/table-$1.csv"
[ "$ONLY" ] || printf '3.3,a,ok,\n3.3,b,noisy,\n3.3,c,few,\n' >> "runs/$1/table-$1.csv"
printf '3.3,d,timeout,\n3.3,e,unsupported,"needs 2 ranks, and there is 1"\n' >> "runs/$1/table-$1.csv"
echo '{"complete": true}' > "runs/$1/meta.json"
echo "a table of $1"
"""
)
FAILING = (
    RUNNING
    + r"""
[ "$1" = 5.1 ] || exit 0
echo '{"complete": false}' > "runs/$1/meta.json"
printf '3.3,f,wrong,\n3.3,g,error,\n' >> "runs/$1/table-$1.csv"
echo "antbench $1: samples.csv: No space left on device" >&2
echo "antbench $1: process 2 of 3: ended with exit code 1 before it was done" >&2
exit 1
"""
)
INTERRUPTED = (
    RUNNING.replace("true", "false")
    + r"""
for name in INT TERM; do trap "echo antbench $1: interrupted >&2; trap - $name; kill -$name $$" $name; done
touch ready
while :; do sleep 0.05; done
"""
)
SANITIZER = """#!/bin/bash
[ "$1 $3 $4" = "--tool --error-exitcode 99" ] || exit 98
[ "$2" = "$BROKEN" ] && { echo "an error that $2 found"; exit 99; }
[ $2 = racecheck ] && echo ${*:5:2} >> workers
shift 4
[ $1 = --racecheck-num-workers ] && shift 2
[ $1 = --kernel-name ] && { echo "$2 ${*: -1}" >> ours; shift 2; }
exec "$@"
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path):
    """Copies of the scripts beside a program of two drivers, of which the second has images."""
    shutil.copytree(
        ROOT / "scripts/antbench", tmp_path / "scripts/antbench", ignore=shutil.ignore_patterns("__pycache__")
    )
    for script in ("bench_all", "check_gpu"):
        shutil.copy(ROOT / "scripts" / script, tmp_path / "scripts" / script)
    write(tmp_path / "build/bin/antbench", PROGRAM)
    for test in ("tsp_choices", "tsp_cities"):
        write(tmp_path / "build/bin/tests" / test, "#!/bin/bash\n[ $1 = cuda ]\n")
    fault = tmp_path / "tests/planted/gpu_faults/G1.patch"
    write(fault, "what: a fault\ngpu: 3.3 --instances u90 --set block=32\n--- a/x\n+++ b/x\n")
    return tmp_path


def run(folder, script, *arguments, **environment):
    return subprocess.run(
        [folder / "scripts" / script, *arguments],
        capture_output=True,
        text=True,
        cwd="/",
        env={**os.environ, "V": "", **environment},
    )


# ---- bench_all ----


def test_every_driver_runs_once_in_a_folder_of_its_own(folder):
    assert run(folder, "bench_all", "some where", "", "--quiet").returncode == 0
    assert (folder / "3.3").read_text() == "3.3 --out some where/3.3 --quiet\n"
    assert (folder / "5.1").read_text() == "5.1 --out some where/5.1 --quiet\n"


@pytest.mark.parametrize(
    "rows, expected",
    [
        ("3.4/race", "3.3"),
        ("F9/*,5.1/seq?x=3", "5.1"),
        ("*/seq", "3.3 5.1"),
        ("?x=3", "3.3 5.1"),
        ("3.*/seq/d198", "3.3"),
    ],
)
@pytest.mark.parametrize("option", ["--rows {}", "--rows={}"])
def test_a_driver_without_the_rows_is_left_out(folder, rows, expected, option):
    done = run(folder, "bench_all", "", "", *option.format(rows).split())
    assert done.returncode == 0 and f"{len(expected.split())} drivers" in done.stderr
    assert {path.name for path in folder.glob("?.?")} == set(expected.split())


def test_rows_of_no_table_are_wrong_usage(folder):
    done = run(folder, "bench_all", "", "", "--rows", "9.9/seq")
    assert (done.returncode, done.stderr) == (
        2,
        "bench-all: --rows: there is no such table (build/bin/antbench --tables lists them)\n",
    )


def test_a_driver_hears_of_its_own_rows_alone(folder):
    """It would refuse those of others."""
    assert (
        run(folder, "bench_all", "", "", "--rows", "3.4/race,5.1", "--seed", "2", "--rows=5.1/seq,3.3").returncode == 0
    )
    assert (folder / "3.3").read_text() == "3.3 --rows 3.4/race --seed 2 --rows 3.3\n"
    assert (folder / "5.1").read_text() == "5.1 --rows 5.1 --seed 2 --rows 5.1/seq\n"


def test_images_are_saved_where_there_are_any(folder):
    assert run(folder, "bench_all", "", "pictures").returncode == 0
    assert ((folder / "3.3").read_text(), (folder / "5.1").read_text()) == ("3.3\n", "5.1 --save pictures/5.1\n")


@pytest.mark.parametrize(
    "ends, worst",
    [
        (["exit 0", "exit 0"], 0),
        (["exit 4", "exit 1"], 4),
        (["exit 1", "exit 4"], 4),
        (["exit 2", "exit 1"], 1),
        (["exit 5", "exit 3"], 3),
        (["exit 77", "exit 2"], 2),
        (["exit 77", "exit 0"], 0),
        (["exit 77", "exit 77"], 77),
        (["kill -SEGV $$", "exit 0"], 1),
        (["exit 42", "exit 0"], 1),
    ],
)
def test_the_worst_exit_code_is_the_answer_and_every_driver_runs(folder, ends, worst):
    write(folder / "build/bin/antbench", PROGRAM + f"[ $1 = 3.3 ] && {{ {ends[0]}; }}\n{ends[1]}\n")
    assert run(folder, "bench_all", "", "").returncode == worst
    assert (folder / "3.3").exists() and (folder / "5.1").exists()


def told(folder, *options, **environment):
    done = run(folder, "bench_all", "", "", *options, **environment)
    assert done.returncode == 0
    note, *lines = done.stderr.splitlines()
    assert note == "bench-all: no GPU"
    return lines


@pytest.mark.parametrize("about, total, half", [
    ("30", "1 min", "30 s"), ("10", "20 s", "10 s"), ("100", "4 min", "2 min"), ("3541", "1 h 59 min", "1 h 0 min"),
    ("7201", "4 h 1 min", "2 h 1 min"), ("inf", "unknown", "unknown"),
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
    before, between, _ = told(folder, ABOUT="1")
    assert before.endswith("about 2 s") and int(between.split()[-3]) >= 2  # of which 1 s was estimated
    write(folder / "build/bin/antbench", PROGRAM)
    assert told(folder, ABOUT="59")[1].endswith(" left")


@pytest.mark.parametrize("option", ["--quiet", "--dry-run", "--process=2", "--list"])
def test_nothing_is_estimated_where_nobody_waits_for_all(folder, option):
    done = run(folder, "bench_all", "", "", option)
    assert (done.stdout, done.stderr.replace("antbench 3.3: note: no GPU\nantbench 5.1: note: no GPU\n", "")) in (
        ("", ""),
        ("4 rows\nseconds\t30\n" * 2, ""),
    )


def test_the_estimate_is_of_what_is_asked_for(folder):
    """The program is asked with the options that it will run with."""
    write(folder / "build/bin/antbench", PROGRAM.replace("${ABOUT-30}", "$#"))
    assert told(folder)[0].endswith(" about 4 s") and told(folder, "--profile", "smoke")[0].endswith(" about 8 s")


def test_a_table_at_the_end_has_every_driver(folder):
    write(folder / "build/bin/antbench", RUNNING)
    done = run(folder, "bench_all", "", "", "--profile", "smoke")
    assert done.returncode == 0 and [line.partition(",")[0] for line in done.stderr.splitlines()] == [
        "bench-all: no GPU",
        "bench-all: 2 drivers",
        "bench-all: 3.3 ended with 0",
        "bench-all: 5.1 ended with 0",
    ]
    assert [line.split()[:8] for line in done.stdout.splitlines()] == [
        [],
        ["driver", "exit", "ok", "noisy", "few", "skipped", "wrong", "error"],
        ["3.3", "0", "1", "1", "1", "2", "0", "0"],
        ["5.1", "0", "1", "1", "1", "2", "0", "0"],
        ["all", "0", "2", "2", "2", "4", "0", "0"],
        ["next:", "make", "report"],
    ]
    of_table = done.stdout.splitlines()[1:5]
    assert len({len(line) for line in of_table}) == 1


def test_what_went_wrong_and_what_to_type_next(folder):
    write(folder / "build/bin/antbench", FAILING)
    done = run(folder, "bench_all", "some where", "", "--profile", "smoke", "--resume")
    assert done.returncode == 1 and "bench-all: 5.1 ended with 1, 2 of 2" in done.stderr
    table, _, rest = done.stdout.partition("\n\n")
    assert [line.split()[:8] for line in table.splitlines()][2:] == [
        ["3.3", "0", "1", "1", "1", "2", "0", "0"],
        ["5.1", "1", "1", "1", "1", "2", "1", "1"],
        ["all", "1", "2", "2", "2", "4", "1", "1"],
    ]
    assert rest.splitlines() == [
        "5.1: samples.csv: No space left on device",
        "    again: build/bin/antbench 5.1 --out runs/5.1 --resume --profile smoke",
        "next: make report RUN='some where'",
    ]


@pytest.mark.parametrize("how, code, why, again", [
    ("kill -SEGV $$", 1, "3.3, 5.1: ended with SEGV and said nothing", True),
    ("exit 42", 1, "3.3, 5.1: ended with 42 and said nothing", True),
    ("echo antbench $1: no such file >&2; exit 2", 2, "3.3, 5.1: no such file", True),
    ("echo antbench $1: --backend cuda: no NVIDIA driver is installed >&2; exit 77", 77,
     "3.3, 5.1: --backend cuda: no NVIDIA driver is installed", False),
])  # fmt: skip
def test_drivers_that_fail_alike_stand_together(folder, how, code, why, again):
    write(folder / "build/bin/antbench", PROGRAM + how + "\n")
    done = run(folder, "bench_all", "", "")
    assert done.returncode == code
    assert done.stdout.partition("\n\n")[2].splitlines() == [why] + ["    again: build/bin/antbench 3.3"] * again


def test_where_nothing_could_run_a_row_says_why(folder):
    write(folder / "build/bin/antbench", RUNNING + "exit 77\n")
    done = run(folder, "bench_all", "", "", "--rows", "5.1", ONLY="1")
    assert done.returncode == 77
    assert done.stdout.splitlines()[-1] == "5.1: nothing could run: needs 2 ranks, and there is 1"


def test_a_note_of_a_row_is_not_why_a_program_was_killed(folder):
    write(folder / "build/bin/antbench", RUNNING + "kill -SEGV $$\n")
    done = run(folder, "bench_all", "", "", "--rows", "5.1", ONLY="1")
    assert done.stdout.splitlines()[-2] == "5.1: ended with SEGV and said nothing"


def test_v_shows_every_row_and_a_note_once(folder):
    write(folder / "build/bin/antbench", RUNNING)
    quiet, loud = run(folder, "bench_all", "", ""), run(folder, "bench_all", "", "", V="1")
    rows = [
        "[1/3] 3.3/seq/d198 threads=1: ok 1 ms (median of 10), ETA 1 s",
        "[1/3] 5.1/seq/d198 threads=1: ok 1 ms (median of 10), ETA 1 s",
    ]
    assert [line for line in loud.stderr.splitlines() if line.startswith("[1/3]")] == rows
    assert "[1/3]" not in quiet.stderr and "a table of" not in quiet.stdout
    assert loud.stdout.splitlines()[:2] == ["a table of 3.3", "a table of 5.1"] and loud.stdout.endswith(quiet.stdout)
    assert [done.stderr.count("no GPU") for done in (quiet, loud)] == [1, 1]


def test_no_line_is_longer_than_100_columns(folder):
    write(folder / "build/bin/antbench", PROGRAM + "echo antbench $1: $(printf 'word %.0s' {1..60}) >&2; exit 1\n")
    done = run(folder, "bench_all", "", "")
    assert max(map(len, (done.stdout + done.stderr).splitlines())) <= 100
    assert done.stdout.count("word") == 60


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_interrupted_ends_with_its_table(folder, number):
    """The driver that runs hears of it, whoever the signal was sent to; those after it do not run."""
    write(folder / "build/bin/antbench", INTERRUPTED)
    process = subprocess.Popen(
        [folder / "scripts/bench_all", "", ""],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    )
    while not (folder / "ready").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == -number and (folder / "5.1").exists() is False
    assert out.splitlines()[2].split()[:5] == ["3.3", number.name.removeprefix("SIG"), "1", "1", "1"]
    assert out.splitlines()[4:] == [
        "3.3: interrupted",
        "    again: build/bin/antbench 3.3 --out runs/3.3 --resume",
        "not run: 5.1",
        "next: make report",
    ]


# A program whose drivers have one row each, of the scope and the backend in $ROW_OF_3.3 and so on, and tell when they run.
MIXED = r"""#!/bin/bash
[ "$1" = --tables ] && { printf 'driver\tprogram\tfile\ttable\n'; printf '%s\tp\tf\tt\n' $DRIVERS; exit; }
[ "$2" = --help ] && exit
[ "$1" = doctor ] && exit
row=$(tr ' ' '\n' <<< "$ROWS" | grep "^$1:")
IFS=: read -r _ scope backend <<< "$row"
[ "${@: -1}" = --dry-run ] && { printf "table\trow\tscope\tbackend\n3.3\ta\t$scope\t$backend\n1 row\nseconds\t30\n"; exit; }
out=$(grep -oP -- '--out \K\S+' <<< "$*"); how=$(grep -oP -- '--\Kverif(y|ied)' <<< "$*") || how=run
echo "begin $1 $how $OMP_WAIT_POLICY" >> told
[ "$WAIT_FOR" ] && [ $how != verified ] && for i in {1..1000}; do
    [ $(grep -c begin told) -ge $WAIT_FOR ] && break; sleep 0.01
done
[ $how = verify ] && { mkdir -p "$out"; echo "{\"complete\": ${COMPLETE-true}}" > "$out/meta.json"; }
[ $how != verified ] || [ -e "$(grep -oP -- '--verified \K\S+' <<< "$*")/meta.json" ] || how="nothing verified"
echo "end $1 $how" >> told
echo "tables of $1"
"""


def turns(folder, rows, gpu="Default, 81559", **environment):
    """What drivers of these rows tell, and what bench-all says at their ends, where `gpu` is one of two GPUs."""
    write(folder / "build/bin/antbench", environment.pop("program", MIXED))
    write(folder / "bin/nvidia-smi", f"#!/bin/bash\nprintf 'Default, 81559\\n{gpu}\\n'\n")
    environment |= {"PATH": f"{folder}/bin:{os.environ['PATH']}", "OMP_WAIT_POLICY": "active"}
    drivers = " ".join(row.partition(":")[0] for row in rows.split())
    options = environment.pop("options", [])
    done = run(folder, "bench_all", "", "", *options, ROWS=rows, DRIVERS=drivers, V="1", **environment)
    assert done.returncode == 0
    ended = [line.split()[1] for line in done.stderr.splitlines() if " ended with 0, " in line]
    return (folder / "told").read_text().splitlines(), ended, done


def test_what_takes_no_times_comes_first_and_at_the_same_time(folder):
    """Each of the three waits for the other ones to begin."""
    rows = "3.2:quality:cuda 3.3:iteration:cuda jpdc-9:quality:cuda 5.1:iteration:cpu"
    told_, ended, done = turns(folder, rows, WAIT_FOR="3")
    assert sorted(told_[:3]) == ["begin 3.2 run passive", "begin 3.3 verify passive", "begin jpdc-9 run passive"]
    assert sorted(told_[3:6]) == ["end 3.2 run", "end 3.3 verify", "end jpdc-9 run"]
    assert told_[6:] == ["begin 3.3 verified active", "end 3.3 verified", "begin 5.1 run active", "end 5.1 run"]
    lines = done.stderr.splitlines()
    assert ended == ["3.2", "jpdc-9", "3.3", "5.1"] and lines[0] == "bench-all: 4 drivers, about 1 min"
    assert any(line.startswith("bench-all: 1 of the others have verified their rows, about") for line in lines)
    assert sorted(line for line in done.stdout.splitlines() if line.startswith("tables of")) == [
        "tables of 3.2", "tables of 3.3", "tables of 3.3", "tables of 5.1", "tables of jpdc-9",
    ]  # fmt: skip
    assert [line.split()[0] for line in done.stdout.splitlines() if " 0 " in line] == [*ended, "all"]


def test_what_several_at_once_take_tells_nothing_of_the_others(folder):
    """A first turn of 2 s, estimated as nearly none, leaves the estimates of the others as they are."""
    slow_at_first = MIXED.replace('echo "begin', '[ $how = verified ] || sleep 2\necho "begin')
    slow_at_first = slow_at_first.replace("seconds\\t30", "seconds\\t$([[ $* == *--verify* ]] && echo 0.01 || echo 30)")
    _, _, done = turns(folder, "3.3:iteration:cuda 4.2:stage:cuda", program=slow_at_first)
    lines = done.stderr.splitlines()
    assert lines[0] == "bench-all: 2 drivers, about 1 min"
    assert "bench-all: 2 of the others have verified their rows, about 1 min left" in lines
    [of_all] = [line for line in done.stdout.splitlines() if line.startswith("all ")]
    assert 2 <= int(of_all.split()[-2]) < 30, "from begin to end: both drivers together took no second"


def test_a_driver_of_nearly_no_time_tells_nothing_of_the_rest(folder):
    """It takes a second longer than 0.1 s, and the others 59 s as estimated."""
    rising = PROGRAM.replace("${ABOUT-30}", '$([ "$1" = 3.3 ] && echo 0.1 || echo 59)')
    write(folder / "build/bin/antbench", rising + "[ $1 != 3.3 ] || sleep 1.1\n")
    assert told(folder)[:2] == [
        "bench-all: 2 drivers, about 1 min",
        "bench-all: 3.3 ended with 0, 1 of 2, about 59 s left",
    ]


def test_a_driver_whose_verification_ended_early_verifies_itself(folder):
    told_, ended, done = turns(folder, "3.3:iteration:cuda 4.2:stage:cuda", COMPLETE="false")
    assert told_[4:] == ["begin 3.3 run active", "end 3.3 run", "begin 4.2 run active", "end 4.2 run"]
    assert ended == ["3.3", "4.2"] and "bench-all: 0 of the others have verified their rows" in done.stderr
    said = " ".join(done.stderr.split())
    for driver in ended:
        assert f"bench-all: {driver} verifies its rows later: --verify ended with 0: ended with 0" in said


def test_a_small_gpu_has_fewer_programs_at_once(folder):
    rows = "3.3:iteration:cuda 4.2:stage:cuda 5.1:iteration:cuda"
    told_, _, _ = turns(folder, rows, gpu="Default, 8192", WAIT_FOR="2")
    first = [" ".join(line.split()[:2]) for line in told_[:6]]
    assert sorted(first[:2]) == ["begin 3.3", "begin 4.2"] and first[2].startswith("end ")


@pytest.mark.parametrize("rows, gpu, options", [
    ("3.2:quality:cpu jpdc-9:quality:cpu", "Default, 81559", []),
    ("3.3:iteration:cpu 4.2:stage:cpu", "Default, 81559", []),
    ("3.3:iteration:cuda 3.2:quality:cpu", "Default, 81559", []),
    ("3.3:stage:cuda 3.2:quality:cuda", "Default, 6144", []),
    ("3.3:iteration:cuda 3.2:quality:cuda", "Exclusive_Process, 81559", []),
    ("3.3:iteration:cuda 3.2:quality:cuda", "Default, 81559", ["--resume"]),
])  # fmt: skip
def test_others_run_alone(folder, rows, gpu, options):
    """On a CPU they would only take each other's cores. A GPU may refuse a second program, or have no memory for it.
    A run that is resumed may have verified its rows."""
    first, second = (row.partition(":")[0] for row in rows.split())
    told_, ended, _ = turns(folder, rows, gpu, options=options)
    assert told_ == [f"begin {first} run active", f"end {first} run", f"begin {second} run active", f"end {second} run"]
    assert ended == [first, second]


def test_what_the_user_names_as_verified_is_not_verified_before(folder):
    told_, _, _ = turns(folder, "3.3:iteration:cuda 4.2:stage:cuda", options=["--verified", "there"])
    assert [line.split()[:2] for line in told_] == [["begin", "3.3"], ["end", "3.3"], ["begin", "4.2"], ["end", "4.2"]]


def test_all_that_run_at_the_same_time_hear_of_an_interruption(folder):
    rows = "3.2:quality:cuda jpdc-9:quality:cuda"
    trap = """trap 'echo "interrupted $1" >> told; trap - TERM; kill $$' TERM\n"""
    endless = MIXED.replace('echo "begin', trap + 'echo "begin')
    endless = endless.replace('echo "end $1 $how" >> told', "while :; do sleep 0.05; done")
    write(folder / "build/bin/antbench", endless)
    write(folder / "bin/nvidia-smi", "#!/bin/bash\necho Default, 81559\n")
    environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "ROWS": rows, "DRIVERS": "3.2 jpdc-9"}
    process = subprocess.Popen(
        [folder / "scripts/bench_all", "", ""],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        text=True,
    )
    told_ = folder / "told"
    while not told_.exists() or told_.read_text().count("begin") < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.terminate()
    out, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert {"interrupted 3.2", "interrupted jpdc-9"} < set(told_.read_text().splitlines())
    assert [line.split()[:2] for line in out.splitlines()[2:4]] == [["3.2", "TERM"], ["jpdc-9", "TERM"]]


@pytest.mark.parametrize("name", ["OUT", "SAVE"])
def test_a_file_where_a_folder_is_expected_is_told_before_anything_runs(folder, name):
    (folder / "file").touch()
    done = run(folder, "bench_all", *("file" if name == each else "" for each in ("OUT", "SAVE")))
    assert (done.returncode, done.stderr) == (2, f"bench-all: {name}=file: not a folder\n")
    assert not (folder / "3.3").exists()


# ---- The doctor ----


def test_the_doctor_speaks_first_of_the_machine_that_the_drivers_will_see(folder):
    options = ["--seed", "2", "--device", "1", "--lock-clocks=base", "--backend", "cpu", "--profile", "smoke"]
    done = run(folder, "bench_all", "some where", "", *options, DOCTOR="doctor: 3 ok", ILL="5")
    assert done.returncode == 0  # what it finds does not end the measurement
    assert " ".join(done.stderr.split()).startswith(
        "bench-all: doctor: 3 ok doctor --brief --out some where --device 1 --lock-clocks=base --backend cpu bench-all:"
    )
    assert "doctor" not in run(folder, "bench_all", "", "", "--dry-run", DOCTOR="doctor: 3 ok").stderr


@pytest.mark.parametrize(
    "doctor, expected",
    [
        (
            "echo antbench doctor: --device: expected a number >&2; exit 2",
            "antbench doctor: --device: expected a number",
        ),
        ("kill -SEGV $$", "doctor: ended with SEGV"),
        ("echo something else", None),
    ],
)
def test_a_doctor_that_fails_is_a_line(folder, doctor, expected):
    text = PROGRAM.replace('[ "$1" = doctor ] && {', f'[ "$1" = doctor ] && {{ {doctor}; exit;')
    write(folder / "build/bin/antbench", text)
    done = run(folder, "bench_all", "", "")
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == f"bench-all: {expected or 'no GPU'}"


def test_the_columns_have_every_status():
    assert sorted(status for of in bench_all.COLUMNS.values() for status in of) == sorted(runs.STATUSES)


@pytest.mark.parametrize("script", ["bench_all", "check_gpu"])
def test_without_a_program_or_a_driver(folder, script):
    write(folder / "bin/compute-sanitizer", SANITIZER)
    path = f"{folder}/bin:{os.environ['PATH']}"
    write(folder / "build/bin/antbench", "#!/bin/bash\n")
    done = run(folder, script, "", "", PATH=path)
    assert (done.returncode, done.stderr.strip().endswith("build/bin/antbench --tables lists no driver")) == (1, True)
    (folder / "build/bin/antbench").unlink()
    done = run(folder, script, "", "", PATH=path)
    assert (done.returncode, done.stderr.strip().endswith("build/bin/antbench is not built; make build builds it")) == (
        1,
        True,
    )


# ---- check_gpu ----


def check(folder, broken="", **environment):
    write(folder / "bin/compute-sanitizer", SANITIZER)
    return run(folder, "check_gpu", PATH=f"{folder}/bin:{os.environ['PATH']}", BROKEN=broken, **environment)


def test_every_driver_runs_under_every_tool(folder):
    slow = ("racecheck", "initcheck")
    done = check(folder)
    assert done.returncode == 0
    said = [re.sub(r"\(\d+ s\)$", "(1 s)", line) for line in done.stdout.splitlines()]
    assert said[0] == "check-gpu: verification 3.3: clean, 2 rows, 1 unsupported (1 s)"
    assert sorted(said[1:]) == sorted(
        [
            f"check-gpu: {tool} {driver}{row}: clean, 2 rows, 1 unsupported (1 s)"
            for tool in ("memcheck", "racecheck", "initcheck", "synccheck")
            for driver in ("3.3", "5.1")
            for row in ((f" {driver}/one", f" {driver}/two") if tool in slow else ("",))
        ]
        + [f"check-gpu: {test}: in proportion" for test in ("tsp_choices", "tsp_cities")]
    )
    [planted, *lines] = (folder / "3.3").read_text().splitlines()
    assert planted.startswith("3.3 --instances u90 --set block=32 --backend cuda ")
    for driver, inputs in (("3.3", "u60,u300"), ("5.1", "shapes-37x29,shapes-150x70")):
        lines = lines if driver == "3.3" else (folder / driver).read_text().splitlines()
        begins = f"{driver} --instances {inputs} %s--backend cuda --profile smoke --processes 1 "
        assert [line.startswith(begins % "--verify ") for line in lines].count(True) == 1, "synccheck"
        assert [line.startswith(begins % "") for line in lines].count(True) == 1, "memcheck sees the timing too"
        for row in ("one", "two"):
            begin = begins % f"--rows {driver}/{row} --verify %s"
            assert [line.startswith(begin % "--brief ") for line in lines].count(True) == 1, "racecheck has less to do"
            assert [line.startswith(begin % "") for line in lines].count(True) == 1, "initcheck"


def test_initcheck_of_cudnn_sees_our_kernels_alone(folder):
    write(folder / "build/bin/antbench", PROGRAM.replace(r"two\tu60\tmine/a", r"two\tu60\tconvolution/cudnn"))
    source = folder / "kernels/convolution/cudnn.cu"
    write(source, "static __global__ void widen(plane from)\n{\n}\n")
    done = check(folder, DRIVERS="3.3")
    assert done.returncode == 0
    said = [line.split(": clean")[0][11:] for line in done.stdout.splitlines() if "3.3/two: clean" in line]
    assert sorted(said) == ["initcheck 3.3 3.3/two", "racecheck 3.3 3.3/two"]
    [seen] = (folder / "ours").read_text().splitlines()
    assert seen.startswith("kernel_substring=widen ")
    write(source, "")
    done = check(folder, DRIVERS="3.3")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "check-gpu: kernels/convolution/cudnn.cu has no kernel"


def test_a_check_says_how_many_rows_it_ran(folder):
    assert "check-gpu: memcheck 3.3: clean, 1 row (" in check(folder, ROWS="").stdout
    leaves_none = '[ "$1" = 3.3 ] || rm "${@: -1}/table-5.1.csv"\nexit 0\n'
    write(folder / "build/bin/antbench", PROGRAM + leaves_none)
    done = check(folder)
    assert done.returncode == 1 and "check-gpu: memcheck 5.1: exit code 0\n" in done.stderr
    assert done.stderr.splitlines()[-1] == "check-gpu: 6 of 15 checks failed"


def test_a_kernel_a_tool_and_a_driver_may_be_chosen(folder):
    """A kernel is checked by the drivers that have rows of it."""
    has_not = "[[ $* == *tsp/mine*--dry-run* && $1 == 5.1 ]] && exit 2\n"
    write(folder / "build/bin/antbench", PROGRAM.replace('[ "${@', has_not + '[ "${@', 1))
    said = [
        line for line in check(folder, ID="tsp/mine", TOOLS="initcheck memcheck").stdout.splitlines() if "3.3" in line
    ]
    assert sorted(line.split(": clean")[0] for line in said) == [
        f"check-gpu: {what}"
        for what in (
            "initcheck 3.3 tsp/mine 3.3/one",
            "initcheck 3.3 tsp/mine 3.3/two",
            "memcheck 3.3 tsp/mine",
            "verification 3.3",
        )
    ]
    assert not (folder / "5.1").exists()
    assert all("--implementations tsp/mine" in line for line in (folder / "3.3").read_text().splitlines()[1:])
    done = check(folder, ID="tsp/mine", DRIVERS="5.1")
    assert (done.returncode, "check-gpu: no driver has rows of tsp/mine" in done.stderr) == (2, True)
    assert "racecheck 5.1 5.1/one: clean" in check(folder, DRIVERS="5.1").stdout


def test_the_choices_of_the_kernel_alone_are_judged(folder):
    write(folder / "build/bin/tests/tsp_choices", "#!/bin/bash\n[ $ANTBENCH_ONLY = tsp/mine ]\n")
    write(folder / "build/bin/tests/tsp_cities", "#!/bin/bash\nexit 77\n")
    done = check(folder, ID="tsp/mine", TOOLS="memcheck")
    said = done.stdout.splitlines()
    assert done.returncode == 0 and "check-gpu: tsp_choices: in proportion" in said
    assert "check-gpu: tsp_cities: judges nothing of tsp/mine" in said
    assert "tsp_cities: exit code 77" in check(folder, TOOLS="memcheck").stderr


def test_a_driver_that_fails_to_list_its_rows_is_told(folder):
    fails = "[[ $* == *--dry-run* && $1 == 5.1 ]] && { echo 'a bad file' >&2; exit 1; }\n"
    write(folder / "build/bin/antbench", PROGRAM.replace('[ "${@', fails + '[ "${@', 1))
    done = check(folder, ID="tsp/mine")
    assert (done.returncode, done.stderr) == (1, "check-gpu: 5.1 --dry-run: exit code 1: a bad file\n")


def test_every_driver_has_kernels_for_the_inputs_of_its_checks(folder):
    """Of the real program, as it is on a GPU; nothing runs."""
    only = '#!/bin/bash\nfor each in --tables --help --dry-run; do [[ $* == *$each* ]] && exec $with_gpu "$@"; done\n'
    write(folder / "build/bin/antbench", only.replace("$with_gpu", str(WITH_GPU)) + PROGRAM)
    done = check(folder, TOOLS="memcheck")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("check-gpu: memcheck ") == len(list(ROOT.glob("bench/tables/*/table_*.c")))


def test_a_driver_that_lists_no_row_is_told(folder):
    write(folder / "build/bin/antbench", PROGRAM.replace("tcuda", "thost"))
    done = check(folder)
    assert (done.returncode, done.stderr) == (1, "check-gpu: 3.3 --dry-run lists no row of the GPU\n")


def is_running(pid):
    """False also for a process that has ended and is not collected yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_runs_on_after_an_interruption(folder, number):
    write(folder / "build/bin/antbench", PROGRAM + "[[ $* == *u90* ]] || { echo $$ > pid; mv pid ready; sleep 300; }\n")
    write(folder / "bin/compute-sanitizer", SANITIZER)
    process = subprocess.Popen(
        [folder / "scripts/check_gpu"],
        env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "BROKEN": ""},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (folder / "ready").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(timeout=60) == 130
    pid, end = (folder / "ready").read_text().strip(), time.monotonic() + 20
    while is_running(pid):  # the signal needs a moment
        assert time.monotonic() < end, "the program runs on"
        time.sleep(0.01)


def test_a_fault_that_a_gpu_alone_shows_is_told(folder):
    write(folder / "build/bin/antbench", PROGRAM + "[[ $* == *u90* ]] && { echo 'a wrong step'; exit 4; }\nexit 0\n")
    done = check(folder)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "check-gpu: verification 3.3: exit code 4",
        "a wrong step",
        "check-gpu: 1 of 15 checks failed",
    ]


@pytest.mark.parametrize(
    "place, environment", [("home/bin", {"CUDA_HOME": "home"}), ("build/cuda-toolkit/nvidia/cu13/bin", {})]
)
def test_the_tool_is_found_off_the_path(folder, place, environment):
    """By its place in the toolkit, or in what make deps installs: with /usr/local/cuda as it is not."""
    script = folder / "scripts/check_gpu"
    script.write_text(script.read_text().replace("/usr/local/cuda", "/nonexistent"))
    environment = {
        "PATH": without_sanitizer(folder),
        **{name: str(folder / value) for name, value in environment.items()},
    }
    done = run(folder, "check_gpu", **environment)
    assert done.returncode == 77 and "no NVIDIA driver is installed" in done.stderr
    write(folder / "tools/nvidia-smi", "#!/bin/bash\n")
    done = run(folder, "check_gpu", **environment)
    assert done.returncode == 77 and "make deps installs it" in done.stderr
    write(folder / place / "compute-sanitizer", SANITIZER)
    assert run(folder, "check_gpu", **environment).returncode == 0


def without_sanitizer(folder):
    """A PATH with what the script calls, and nothing else."""
    (folder / "tools").mkdir()
    for tool in ("bash", "dirname", "awk", "mktemp", "rm", "grep", "head", "mkdir", "sed", "tail", "touch", "wc"):
        (folder / "tools" / tool).symlink_to(shutil.which(tool))
    (folder / "tools/python3").symlink_to(sys.executable)
    return str(folder / "tools")


def test_what_a_tool_reports_is_told(folder):
    done = check(folder, broken="racecheck")
    assert done.returncode == 1
    assert (
        "check-gpu: racecheck 3.3 3.3/two: exit code 99" in done.stderr
        and "an error that racecheck found" in done.stderr
    )
    assert "check-gpu: synccheck 5.1: clean" in done.stdout


@pytest.mark.parametrize(
    "name, value", [("TOOLS", " "), ("TOOLS", "memchek"), ("DRIVERS", " "), ("JOBS", "0"), ("JOBS", "x")]
)
def test_a_choice_of_nothing_or_of_another_name_is_wrong_usage(folder, name, value):
    done = check(folder, **{name: value})
    assert (done.returncode, done.stdout, name in done.stderr) == (2, "", True)


def test_a_check_that_is_killed_fails(folder):
    """Its shell, too, so that nothing can say so."""
    write(folder / "build/bin/antbench", PROGRAM + "[[ $* == *--verify* ]] && kill -9 $PPID $$\nexit 0\n")
    write(folder / "bin/compute-sanitizer", SANITIZER)
    done = check(folder, TOOLS="memcheck racecheck", DRIVERS="5.1")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "check-gpu: 2 of 6 checks failed")


def test_a_gpu_that_is_gone_behind_a_tool_is_told(folder):
    write(folder / "build/bin/antbench", PROGRAM + "[[ $* == *u90* ]] || { echo 'no GPU is left'; exit 77; }\n")
    done = check(folder)
    assert done.returncode == 1
    assert "check-gpu: memcheck 5.1: exit code 77\nno GPU is left\n" in done.stderr


def test_a_setup_is_no_row_of_a_check(folder):
    """A machine with one GPU makes the neighbour lists of a row that needs two, and then leaves this row out."""
    unsupported = '[[ $* == *--brief* ]] && { sed -i s/end,ok/end,unsupported/ "${@: -1}"/*.csv; exit 77; }\nexit 0\n'
    write(folder / "build/bin/antbench", PROGRAM + unsupported)
    done = check(folder, TOOLS="racecheck", ROWS="lists,setup,ok\n")
    assert done.returncode == 0 and "check-gpu: racecheck 5.1 5.1/one: 1 row, all unsupported\n" in done.stdout


def test_a_kernel_that_the_inputs_do_not_suit_fails_only_if_it_was_asked_for(folder):
    unsupported = '[[ $* == *--brief* ]] && { sed -i s/ok/unsupported/ "${@: -1}"/*.csv; exit 77; }\nexit 0\n'
    write(folder / "build/bin/antbench", PROGRAM + unsupported)
    done = check(folder, TOOLS="racecheck")
    assert done.returncode == 0 and "check-gpu: racecheck 5.1 5.1/one: 2 rows, all unsupported\n" in done.stdout
    done = check(folder, TOOLS="racecheck", ID="mine/a")
    assert (done.returncode, done.stderr.splitlines()) == (
        1,
        ["check-gpu: mine/a: no tool ran a row of it: racecheck left all rows out, or the inputs suit none"],
    )
    one_row = unsupported.replace("--brief*", "*--rows*two*")
    write(folder / "build/bin/antbench", PROGRAM + one_row)
    done = check(folder, TOOLS="racecheck", ID="mine/a")
    assert (done.returncode, done.stderr) == (0, ""), "another row ran"
    write(folder / "build/bin/antbench", PROGRAM + unsupported.replace("--brief*", "--verify*"))
    done = check(folder, TOOLS="synccheck", ID="mine/a")
    assert done.returncode == 1 and "check-gpu: synccheck 5.1 mine/a: exit code 77\n" in done.stderr


def test_a_verification_that_runs_no_row_after_one_that_succeeded_fails(folder):
    """And the checks behind it are made."""
    patches = folder / "tests/planted/gpu_faults"
    write(patches / "G2.patch", "what: a fault\ngpu: 5.1 --instances u91\n--- a/x\n+++ b/x\n")
    write(
        folder / "build/bin/antbench", PROGRAM + "[[ $* == *u91* ]] && { echo 'too little memory'; exit 77; }\nexit 0\n"
    )
    done = check(folder)
    assert done.returncode == 1 and "check-gpu: memcheck 5.1: clean" in done.stdout
    assert done.stderr == (
        "check-gpu: verification 5.1: exit code 77\ntoo little memory\ncheck-gpu: 1 of 16 checks failed\n"
    )


@pytest.mark.parametrize("memory, at_once", [(81559, True), (4096, False)])
def test_checks_run_at_once_where_the_gpu_takes_several(folder, memory, at_once):
    """Each check waits until another one runs, for 5 s at most."""
    write(folder / "bin/nvidia-smi", f"#!/bin/bash\necho Default, {memory}\n")
    meet = "touch here-$$; for i in {1..%d}; do [ $(ls here-* | wc -l) -gt 1 ] && echo met >> met; sleep 0.1; done\n"
    write(folder / "build/bin/antbench", PROGRAM + meet % (50 if at_once else 2) + "rm here-$$\n")
    write(folder / "bin/compute-sanitizer", SANITIZER)
    done = run(folder, "check_gpu", PATH=f"{folder}/bin:{os.environ['PATH']}", BROKEN="", JOBS="16")
    assert (done.returncode, (folder / "met").exists()) == (0, at_once)
    workers = {line.split()[0] for line in (folder / "workers").read_text().splitlines()}
    assert (workers == {"--racecheck-num-workers"}) == at_once, "checks that run at once share the cores"


@pytest.mark.parametrize("test", ["tsp_choices", "tsp_cities"])
def test_choices_out_of_proportion_are_told(folder, test):
    write(folder / "build/bin/tests" / test, "#!/bin/bash\necho ok 1\necho '# p'\necho not ok 2 - biased\nexit 1\n")
    done = check(folder)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"check-gpu: {test}: exit code 1",
        "# p",
        "not ok 2 - biased",
        "check-gpu: 1 of 15 checks failed",
    ]


def test_without_a_gpu_nothing_is_checked(folder):
    write(folder / "build/bin/antbench", PROGRAM + "echo 'no CUDA device'\nexit 77\n")
    done = check(folder)
    assert (done.returncode, done.stdout) == (77, "no CUDA device\n")
