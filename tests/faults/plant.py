"""Planted faults: each patch of tests/planted/faults put into the real kernels, one at a time, in a copy of the project. Who
catches it: the driver's own verification, the tests, or nobody? `make faults`.

    tests/faults/plant.py [--only T03,C1] [--driver-only] [--copy DIR] [--jobs N]

A patch says in its first lines what is wrong, `driver:` the run whose verification looks at it (exit code 4 or 1 is caught),
`tests:` the programs to try in turn, the first that fails ends it, and `note: equivalent` where the patch changes nothing that
can be seen. The copy is built without the CUDA backend. Exit code 0 where every real fault was caught by a test and no
equivalent one was, else 1; with --driver-only, minutes instead of hours, where all could be tried.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATCHES = ROOT / "tests/planted/faults"
LIMIT_S = 900  # of one program, on a busy machine too
FAILURE = re.compile(r"\[  FAILED  \]|ERROR: AddressSanitizer|runtime error:|ran over")
RUN = "--quiet --profile smoke --processes 1 --backend host --runs 1 --iterations 2 --out"


def head_of(patch):
    """{what, driver, tests, note}."""
    lines = patch.read_text().split("\n--- ", 1)[0].splitlines()
    return {"note": "", **dict(line.split(": ", 1) for line in lines)}


def copy_project(to):
    """The project with what is built of it, times and all, so that make goes on from there."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if not name.startswith("results/reference") and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    if (ROOT / "build").is_dir():
        subprocess.run(["cp", "-a", ROOT / "build", to / "build"], check=True)


def make(project, jobs, *targets):
    done = subprocess.run(["make", "NVCC=", f"-j{jobs}", *targets], cwd=project, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"make {' '.join(targets)}: {done.stderr.strip().splitlines()[-1:]}")


def environment():
    """Without inputs or a GPU. The address sanitizer must not mind that stdbuf's library is loaded before it."""
    hidden = {"TSPLIB_DIR": "/nonexistent", "IMAGES_DIR": "/nonexistent", "CUDA_VISIBLE_DEVICES": ""}
    return dict(os.environ, **hidden, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", ASAN_OPTIONS="verify_asan_link_order=0")


def ask_driver(project, jobs, head, out):
    """What the driver's verification says: "exit 4"."""
    make(project, jobs, "build/bin/antbench")
    shutil.rmtree(out, ignore_errors=True)
    command = ["build/bin/antbench", *head["driver"].split(), *RUN.split(), str(out)]
    try:
        done = subprocess.run(command, cwd=project, env=environment(), capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return "hangs"
    return f"exit {done.returncode}"


def ask_test(project, jobs, name):
    """The first failure of a test program, or None. It is ended there. A program that does not run is no failure of a test."""
    program = f"build/{'bin' if name.startswith('stat_') else 'san'}/tests/{name}"
    make(project, jobs, program)
    begin = time.monotonic()
    process = subprocess.Popen(
        ["stdbuf", "-oL", program], cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace",
    )
    found, began, line = None, False, ""
    for line in process.stdout:
        began |= "[ RUN" in line
        if FAILURE.search(line) or time.monotonic() - begin > LIMIT_S:
            found = line.strip()
            process.kill()
            break
    process.wait()
    if not began:
        raise RuntimeError(f"{name} does not run: {line.strip()}")
    return found or (f"ended with {process.returncode}" if process.returncode else None)


def try_patch(project, jobs, patch, with_tests):
    """(what the driver says, the test that failed and where, or "")."""
    head = head_of(patch)
    subprocess.run(["patch", "-p1", "-s", "-i", patch], cwd=project, check=True, capture_output=True)
    try:
        driver = ask_driver(project, jobs, head, project / "build/planted-run")
        for name in head["tests"].split() if with_tests else []:
            if found := ask_test(project, jobs, name):
                return driver, f"{name}: {found}"
        return driver, ""
    finally:
        subprocess.run(["patch", "-R", "-p1", "-s", "-i", patch], cwd=project, check=True, capture_output=True)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="names of patches, such as T03,C1 (default: all)")
    parser.add_argument("--driver-only", action="store_true", help="do not ask the tests")
    parser.add_argument("--copy", type=Path, help="folder for the copy, which is kept (default: a temporary one)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    only = options.only.split(",") if options.only else []
    patches = [patch for patch in sorted(PATCHES.glob("*.patch")) if not only or patch.stem in only]
    counts = {"tests": 0, "driver": 0, "real": 0, "not tried": 0, "wrongly": 0}
    with tempfile.TemporaryDirectory() as name:
        project = options.copy or Path(name)
        if not (project / "Makefile").exists():
            project.mkdir(parents=True, exist_ok=True)
            copy_project(project)
        for patch in patches:
            head = head_of(patch)
            try:
                driver, test = try_patch(project, options.jobs, patch, not options.driver_only)
            except (RuntimeError, subprocess.CalledProcessError) as error:
                print(f"{patch.stem}: NOT TRIED: {error}", flush=True)
                counts["not tried"] += 1
                continue
            is_real = not head["note"].startswith("equivalent")
            by_driver = driver not in ("exit 0", "exit 77")
            counts["real"] += is_real
            counts["tests"] += is_real and bool(test)
            counts["driver"] += is_real and by_driver
            counts["wrongly"] += not is_real and (bool(test) or by_driver)
            by_test = "" if options.driver_only else f"{test or ('NO TEST' if is_real else 'no test, being equivalent')}; "
            print(f"{patch.stem}: {head['what']}: {by_test}driver: {driver}", flush=True)
    by_tests = "" if options.driver_only else f"{counts['tests']} caught by the tests, "
    print(f"{counts['real']} real faults: {by_tests}{counts['driver']} by the driver's verification; {counts['not tried']} not tried")
    all_found = options.driver_only or counts["tests"] == counts["real"]
    return 0 if all_found and not counts["not tried"] and not counts["wrongly"] else 1


if __name__ == "__main__":
    sys.exit(main())
