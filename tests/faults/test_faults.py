"""A few faults of each kind, of the thousands that `make faults` injects (tests/faults/inject.py), and the planted ones by form."""

import subprocess
import sys
from pathlib import Path

import pytest

from antbench.data import runs

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/faults"))

import inject  # noqa: E402
import plant  # noqa: E402
import plant_gpu  # noqa: E402


@pytest.mark.parametrize(
    "driver, what, every",
    [
        ("3.3", "kill", 11),  # between stages and their iteration, among others
        ("4.2", "files", 13),  # what cannot be written is no row's fault
        ("5.1-save", "files", 29),  # nor is an image
        ("5.1", "memory", 199),
        ("jsc-3", "memory", 97),
        ("scaling", "kill", 101),  # one when the candidate sets of the next table are there already
    ],
)
def test_faults_cost_no_row(driver, what, every, capsys):
    code = inject.main(["--drivers", driver, "--what", what, "--every", str(every)])
    told = capsys.readouterr().out
    assert code == 0, told
    assert " 0 wrong" in told.splitlines()[-1] and not told.splitlines()[-1].startswith("0 faults")


def test_every_driver_has_its_faults():
    listed = subprocess.run(
        [inject.PROGRAM, "--tables"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[1:]
    assert {name.split("-save")[0] for name in inject.COMMANDS} == {line.split("\t")[0] for line in listed}


def test_a_run_that_ends_before_the_call_must_be_whole(tmp_path):
    """A process that is disturbed less has fewer calls."""
    calls, rows, images = inject.calls_of("jpdc-3", "kill", tmp_path)
    late = "jpdc-3", "kill", "before", 100 * calls, tmp_path
    assert inject.inject(*late, rows, images)[2:] == ("ended before", None)
    assert "rows, not the" in inject.inject(*late, rows[:-1], images)[3]


def test_a_fault_that_costs_a_row_is_seen(tmp_path):
    """The judge itself: a row is missing, differs, or has another's stages."""
    done = inject.run("jpdc-3", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    unbroken = inject.rows_of(tmp_path / "run")
    assert inject.differs(tmp_path / "run", unbroken) is None
    assert "rows, not the" in inject.differs(tmp_path / "run", unbroken[:-1])
    changed = [{**row, "verify_value": "7"} for row in unbroken]
    assert "verify_value" in inject.differs(tmp_path / "run", changed)
    samples = (tmp_path / "run/samples.csv").read_text().splitlines()
    cells = samples[1].split(",")
    ms = runs.SAMPLES_HEADER.index("ms")
    cells[ms] = str(2 * float(cells[ms]))
    (tmp_path / "run/samples.csv").write_text("\n".join([samples[0], ",".join(cells), *samples[2:]]) + "\n")
    assert "different measurements" in inject.differs(tmp_path / "run", unbroken)
    for code, said in ((4, "wrong"), (1, "one\ntwo"), (1, "disk full"), (-6, "")):
        ended = subprocess.CompletedProcess([], code, "", said)
        assert inject.judge_failure("memory", ended, tmp_path / "run", unbroken)


def test_every_planted_fault_fits_the_sources():
    """Each says what it is and who looks at it, and can be put in."""
    patches = sorted((ROOT / plant.PATCHES).glob("*.patch"))
    assert len(patches) >= 60
    programs = {path.stem for path in (ROOT / "tests").rglob("*test_*.c")}
    for patch in patches:
        head = plant.head_of(patch)
        assert {"what", "driver", "tests"} <= head.keys() and plant.implementations_of(head), patch
        assert set(head["tests"].split()) <= programs, patch
        done = subprocess.run(
            ["patch", "-p1", "--dry-run", "-s", "-i", patch], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{patch}: {done.stdout}"


def test_every_fault_of_a_gpu_fits_the_sources():
    """Each can be put in, and there is one of each thing that the host backend does not compile."""
    patches = sorted(plant_gpu.PATCHES.glob("*.patch"))
    for patch in patches:
        arguments = plant_gpu.run_of(patch)
        assert "--implementations" in arguments and "--backend" not in arguments, patch
        done = subprocess.run(
            ["patch", "-p1", "--dry-run", "-s", "-i", patch], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{patch}: {done.stdout}"
    said = " ".join(patch.read_text() for patch in patches)
    assert all(word in said for word in ("assembler:", "clusters:", "grid's barrier:", "early launches:"))


def test_programs_for_a_gpu_are_built_from_new_copies(tmp_path, monkeypatch):
    """No object of an earlier build in the same folder is used: it may be of a patch, and newer than the sources."""
    stale = tmp_path / "project/build/obj/stale.o"
    stale.parent.mkdir(parents=True)
    stale.touch()
    found = []
    monkeypatch.setattr(plant_gpu, "make", lambda project, program: found.append((project, stale.exists())))
    assert plant_gpu.build(tmp_path, [])
    assert found == [(tmp_path / "project", False)]
    assert (tmp_path / "project/Makefile").read_bytes() == (ROOT / "Makefile").read_bytes()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of one program, which the fixture's function writes, and a patch, which changes its Makefile."""
    monkeypatch.setattr(plant, "make", lambda *_: None)
    (tmp_path / "clean/build/bin/tests").mkdir(parents=True)
    (tmp_path / "clean/Makefile").write_text("right\n")
    (tmp_path / "clean" / plant.PATCHES).mkdir(parents=True)
    (tmp_path / "clean" / plant.PATCHES / "X1.patch").write_text(
        "what: wrong\ndriver: 3.3 --implementations tsp/a,tsp/b\ntests: stat_test\n"
        "--- a/Makefile\n+++ b/Makefile\n@@ -1 +1 @@\n-right\n+wrong\n"
    )

    def says(text, where="clean"):
        program = tmp_path / where / "build/bin/tests/stat_test"
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)

    says.folder = tmp_path
    return says


RUNS, FAILS = "echo '[ RUN      ] a'", "echo '[  FAILED  ] a'; exit 1"


@pytest.mark.parametrize(
    "text, found",
    [
        (RUNS, "passes"),
        (f"{RUNS}; {FAILS}", "[  FAILED  ] a"),
        (f"{RUNS}; exit 3", "ended with 3"),
        ("echo 'ok 1 - a'; echo 'not ok 2 - b'; exit 1", "not ok 2 - b"),
        (f"{RUNS}; sleep 9", "ran over 1 s"),
        ("exit 1", None),
    ],
)
def test_a_program_that_passes_or_does_not_run_catches_nothing(project, text, found):
    project(text)
    if found:
        assert plant.ask_test(project.folder / "clean", 1, "stat_test", limit_s=1) == found
    else:
        with pytest.raises(RuntimeError, match="does not run"):
            plant.ask_test(project.folder / "clean", 1, "stat_test", limit_s=1)


def find(folder):
    campaign = plant.Campaign(folder, 1)
    (patch,) = campaign.patches()
    return plant.find_test(campaign, patch.stem, plant.head_of(patch))


def test_a_test_that_fails_without_the_fault_catches_nothing(project):
    project(f"{RUNS}; {FAILS}")
    with pytest.raises(RuntimeError, match="stat_test fails without the fault too"):
        find(project.folder)


@pytest.mark.parametrize(
    "only, found", [("tsp/b", "stat_test (tsp/b): [  FAILED  ] a"), ("", "stat_test: [  FAILED  ] a")]
)
def test_the_implementations_of_the_driver_are_asked_first(project, only, found):
    project(f'{RUNS}; grep -q right Makefile || [ "$ANTBENCH_ONLY" != "{only}" ] || {{ {FAILS}; }}')
    assert find(project.folder) == found


def test_a_campaign_goes_on_from_its_answers(project):
    """What was asked is not asked again, though it would say otherwise now."""
    project(f"{RUNS}; grep -q right Makefile || {{ {FAILS}; }}")
    first = find(project.folder)
    project("exit 1")
    assert find(project.folder) == first
    (project.folder / "answers.csv").unlink()
    with pytest.raises(RuntimeError, match="does not run"):
        find(project.folder)
