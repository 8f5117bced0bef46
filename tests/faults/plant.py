"""Planted faults: each patch of tests/planted/faults put into the real kernels, one at a time, in a copy of the
project. Who catches it: the driver's own verification, the tests, or nobody? `make plant`.

    tests/faults/plant.py [--only T03,C1] [--ask driver,tests] [--folder DIR] [--jobs N]

A patch says in its first lines what is wrong, `driver:` the run whose verification looks at it, on the host backend
unless it names another (exit code 4 or 1 is caught), `tests:` the programs to try in turn, the first that fails ends
it, and `note: equivalent` where the patch changes nothing that can be seen. The programs are asked about the
implementations of the driver's run first (ANTBENCH_ONLY), which takes seconds, and about all only where that finds
nothing. What fails, or does not start, without the fault too catches nothing.

The copies are built without the CUDA backend. DIR keeps them and every answer (answers.csv): the same command goes on
from there, with the sources as they were when it began. Each answer is a line of results/faults/planted.csv, of which
docs/faults.md is made (antbench.data.campaigns). Exit code 0 where every real fault was caught by a test and no
equivalent one by anything, else 1; with `--ask driver`, minutes instead of hours, where all could be tried.
"""

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from antbench.data import campaigns  # noqa: E402
from antbench.data.campaigns import PASSES, PATCHES, head_of, implementations_of, is_real, operation_of  # noqa: E402
from antbench.data.command import new_file, write_file  # noqa: E402
from antbench.tools.campaigns import write_page  # noqa: E402

LEAST_LIMIT_S, LIMIT_FACTOR = 60, 10  # a program may take so many times as long as without the fault
CLEAN_LIMIT_S = 900  # on a busy machine too
BEGUN = re.compile(r"\[ RUN|^(not )?ok \d")  # cmocka's output, or TAP
FAILURE = re.compile(r"\[  FAILED  \]|^not ok|ERROR: AddressSanitizer|runtime error:")
CLEAN = ""  # the patch that is none
NO_INPUTS = str(Path(__file__).parent)  # a folder without inputs
RUN = "--quiet --profile smoke --processes 1 --runs 1 --iterations 2 --out"


# ---- Programs ----


def make(project, jobs, target):
    done = subprocess.run(["make", "NVCC=", f"-j{jobs}", target], cwd=project, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"make {target}: {done.stderr.strip().splitlines()[-1:]}")


def environment(**more):
    """Without inputs or a GPU. The address sanitizer must not mind that stdbuf's library is loaded before it."""
    hidden = {"TSPLIB_DIR": NO_INPUTS, "IMAGES_DIR": NO_INPUTS, "CUDA_VISIBLE_DEVICES": ""}
    others = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "ASAN_OPTIONS": "verify_asan_link_order=0"}
    return {**os.environ, **hidden, **others, **more}


def ask_driver(project, jobs, arguments, limit_s=CLEAN_LIMIT_S):
    """PASSES, or what the driver's verification says: "exit 4"."""
    make(project, jobs, "build/bin/antbench")
    out = project / "build/planted-run"
    shutil.rmtree(out, ignore_errors=True)
    backend = [] if "--backend" in arguments else ["--backend", "host"]
    command = ["build/bin/antbench", *arguments.split(), *backend, *RUN.split(), str(out)]
    try:
        done = subprocess.run(command, cwd=project, env=environment(), capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return f"ran over {limit_s:.0f} s"
    return PASSES if done.returncode in (0, 77) else f"exit {done.returncode}"


def ask_test(project, jobs, name, only="", limit_s=CLEAN_LIMIT_S):
    """The first failure of a test program, which is ended there, or PASSES. One that does not run is an error."""
    program = f"build/{'bin' if name.startswith('stat_') else 'san'}/tests/{name}"
    make(project, jobs, program)
    command = ["timeout", "--signal=KILL", f"{limit_s:.0f}", "stdbuf", "-oL", program]
    with subprocess.Popen(
        command,
        cwd=project,
        env=environment(ANTBENCH_ONLY=only),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        begun, line = False, ""
        for line in process.stdout:
            begun |= BEGUN.search(line) is not None
            if FAILURE.search(line):
                os.killpg(process.pid, 9)
                return line.strip()
    if not begun:
        raise RuntimeError(f"{name} does not run: {line.strip()}")
    if process.returncode in (-9, 137):  # timeout's
        return f"ran over {limit_s:.0f} s"
    return f"ended with {process.returncode}" if process.returncode else PASSES


# ---- The campaign ----


class Campaign:
    """The project as it is, folder/clean; a fresh copy with a fault in it, folder/planted; and every answer so far."""

    def __init__(self, folder, jobs):
        self.clean, self.planted, self.answers_file = folder / "clean", folder / "planted", folder / "answers.csv"
        self.jobs, self.patch, self.answers = jobs, None, {}
        copied_at = folder / "commit.csv"
        if not (self.clean / "Makefile").exists():
            measured = ",".join(campaigns.now())
            copy_project(self.clean)
            write_file(copied_at, measured)
        self.measured = copied_at.read_text().split(",") if copied_at.exists() else campaigns.now()
        if self.answers_file.exists():
            with open(self.answers_file, newline="") as file:
                for name, question, answer, seconds in csv.reader(file):
                    self.answers[name, question] = answer, float(seconds)

    def patches(self):
        return sorted((self.clean / PATCHES).glob("*.patch"))

    def project(self, patch):
        if patch == CLEAN:
            return self.clean
        if patch != self.patch:
            self.patch = None
            shutil.rmtree(self.planted, ignore_errors=True)
            subprocess.run(["cp", "-a", self.clean, self.planted], check=True)
            put = ["patch", "-p1", "-s", "-i", f"{PATCHES}/{patch}.patch"]
            subprocess.run(put, cwd=self.planted, check=True, capture_output=True)
            self.patch = patch
        return self.planted

    def answer(self, patch, question, limit_s):
        """(the answer, the seconds that it took, building included), from the file where it is there."""
        key = patch, " ".join(question)
        if key not in self.answers:
            project, (kind, *arguments) = self.project(patch), question
            begin = time.monotonic()
            answer = (ask_driver if kind == "driver" else ask_test)(project, self.jobs, *arguments, limit_s=limit_s)
            self.answers[key] = answer, time.monotonic() - begin
            with new_file(self.answers_file) as file:
                csv.writer(file).writerows([*asked, *given] for asked, given in self.answers.items())
        return self.answers[key]

    def ask(self, patch, *question):
        """What catches the fault, or PASSES; None where that fails without the fault too, and so catches nothing."""
        without, seconds = self.answer(CLEAN, question, CLEAN_LIMIT_S)
        if without != PASSES:
            return None
        return self.answer(patch, question, max(LEAST_LIMIT_S, LIMIT_FACTOR * seconds))[0]


def copy_project(to):
    """The project with the objects that are built, times and all, so that make goes on from there."""
    listing = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    built = [path for kind in ("gen", "obj", "san") for path in (ROOT / "build" / kind).rglob("*.*")]
    for name in listed + [str(path.relative_to(ROOT)) for path in built]:
        if not name.startswith("results/reference") and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)  # temporary: a new folder


def find_test(campaign, patch, head):
    """The test that fails with the fault and passes without it, and how it fails, or PASSES."""
    for only in [*implementations_of(head), ""]:
        for name in head["tests"].split():
            found = campaign.ask(patch, "test", name, only)
            if found is None and not only:
                raise RuntimeError(f"{name} fails without the fault too")
            if found not in (None, PASSES):
                return f"{name}{f' ({only})' if only else ''}: {found}"
    return PASSES


def try_patch(campaign, patch, asked):
    """{who: what it says} of one patch."""
    head, found = head_of(patch), {}
    if "tests" in asked:
        found["tests"] = find_test(campaign, patch.stem, head)
    if "driver" in asked:
        found["driver"] = campaign.ask(patch.stem, "driver", head["driver"])
        if found["driver"] is None:
            raise RuntimeError(f"the driver's run fails without the fault too: {head['driver']}")
    return found


def lines_of(patch, head, found):
    """Of results/faults/planted.csv."""
    of = operation_of(head), "yes" if is_real(head) else "no"
    return [(patch, who, *of, answer) for who, answer in found.items()]


def report(results, asked):
    """A line for each operation, and one for all."""
    for operation in [*sorted({operation_of(head) for head, _ in results}), "all"]:
        of = [(head, found) for head, found in results if operation in ("all", operation_of(head))]
        real = [found for head, found in of if is_real(head)]
        caught = ", ".join(f"{sum(found[who] != PASSES for found in real)} by {who}" for who in asked)
        print(f"{operation}: {len(of)} tried, {len(real)} real, caught {caught}")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="names of patches (default: all)")
    parser.add_argument("--ask", default="driver,tests", help="who is asked (default: driver,tests)")
    parser.add_argument("--folder", type=Path, help="keeps copies and answers, and goes on from them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    asked = options.ask.split(",")
    only = options.only.split(",") if options.only else []
    results, not_tried = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        campaign = Campaign((options.folder or Path(temporary)).absolute(), options.jobs)
        for patch in campaign.patches():
            if only and patch.stem not in only:
                continue
            head = head_of(patch)
            try:
                found = try_patch(campaign, patch, asked)
            except (RuntimeError, subprocess.CalledProcessError) as error:
                print(f"{patch.stem}: NOT TRIED: {error}", flush=True)
                not_tried += 1
                continue
            results.append((head, found))
            campaigns.keep("planted", lines_of(patch.stem, head, found), campaign.measured)
            told = "; ".join(f"{who}: {found[who]}" for who in asked)
            print(f"{patch.stem}: {head['what']}: {told}", flush=True)
    write_page()
    report(results, asked)
    missed = sum(found.get("tests") == PASSES for head, found in results if is_real(head))
    wrongly = sum(set(found.values()) != {PASSES} for head, found in results if not is_real(head))
    print(f"{not_tried} not tried, {missed} missed by the tests, {wrongly} caught that change nothing")
    return 1 if not_tried or missed or wrongly else 0


if __name__ == "__main__":
    sys.exit(main())
