"""Runs every test, or the programs that are named, and ends with one line, "N passed, N failed".

C tests are cmocka programs; their TAP output is counted: build/san/tests/test_* under AddressSanitizer and UBSan,
build/bin/tests/stat_test_* without. pytest runs the tests of the scripts and of the commands end to end beside them, in
parts. One more of all these runs at once than there are cores, since commands wait now and then. A program that crashes
or reports no test counts as a failure. Exit code 0 when nothing failed, 1 otherwise.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = "build/san/tests/test_*", "build/bin/tests/stat_test_*"
BUILDING = "test_additions", "test_learn"  # they build copies of the project, for a minute or two
# Of the C programs those that take longest, the longest first.
LONGEST = [
    "stat_test_tsp_choices",
    "stat_test_tsp_kernels",
    "test_tables",
    "test_plans",
    "test_geometry",
    "test_tsp_kernels",
    "stat_test_tsp_cities",
    "test_search",
    "test_edges_verify",
    "stat_test_edge_ants",
    "test_candidate_sets",
    "test_improve_moves",
    "test_baselines",
]
PARTS = 3  # of the other Python tests
HUNG_S = 300  # without a second of CPU time, a program hangs; on a busy machine the longest takes as long as it takes
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
# Threads that spin while they wait take the cores from what runs beside them.
os.environ["OMP_WAIT_POLICY"] = "passive"


def cpu_s(pid):
    """Seconds of CPU time that a process has had."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / CLOCK_TICKS


def ends(process):
    """Waits for a process; False where it hangs, and was killed."""
    while True:
        before = cpu_s(process.pid)
        try:
            process.wait(HUNG_S)
            return True
        except subprocess.TimeoutExpired:
            if cpu_s(process.pid) - before < 1:
                process.kill()
                process.wait()
                return False


def run_program(program):
    """(name, passed, failed, skipped, seconds, output) of one cmocka program."""
    begin = time.monotonic()
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", ASAN_OPTIONS="detect_leaks=1", OMP_NUM_THREADS="2")
    with tempfile.TemporaryFile("w+", errors="replace") as told:
        process = subprocess.Popen([program], cwd=ROOT, env=environment, stdout=told, stderr=subprocess.STDOUT)
        hung = not ends(process)
        told.seek(0)
        output = told.read() + (f"\nno second of CPU time in {HUNG_S} s" if hung else "")
    crashed = process.returncode < 0 or process.returncode > 125
    skipped = len(re.findall(r"^(?:not )?ok \d+.*# SKIP", output, re.M | re.I))
    passed = len(re.findall(r"^ok \d+", output, re.M)) - len(re.findall(r"^ok \d+.*# SKIP", output, re.M | re.I))
    failed = len(re.findall(r"^not ok \d+", output, re.M)) - len(
        re.findall(r"^not ok \d+.*# SKIP", output, re.M | re.I)
    )
    if crashed or passed + failed + skipped == 0 or (failed == 0 and "ERROR: " in output and "Sanitizer" in output):
        failed += 1
    return program.name, passed, failed, skipped, time.monotonic() - begin, output


def run_pytest(name, *which):
    """(name, passed, failed, skipped, seconds, output) of Python tests."""
    begin = time.monotonic()
    report = ROOT / f"build/{name}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *which]
    output = subprocess.run(
        command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ).stdout
    if not report.exists():
        return name, 0, 1, 0, time.monotonic() - begin, output
    suite = xml.parse(report).getroot().find("testsuite")
    count = {key: int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")}
    failed = count["failures"] + count["errors"]
    return name, count["tests"] - failed - count["skipped"], failed, count["skipped"], time.monotonic() - begin, output


def python_parts():
    """[(name, files)]: those that build are each a part, the others are divided evenly. Files of a folder stay together,
    as they share reports.
    """
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    others = [path for path in files if path.stem not in BUILDING]
    parts = [(path.stem, [path]) for path in files if path.stem in BUILDING]
    for i in range(PARTS):
        of_part = others[len(others) * i // PARTS : len(others) * (i + 1) // PARTS]
        parts.append((f"pytest-{of_part[0].stem}-to-{of_part[-1].stem}", of_part))
    return parts


def print_result(name, passed, failed, skipped, seconds, output):
    """Prints what ran, and what it said where something failed; (passed, failed, skipped)."""
    print(f"{name}: {passed} passed, {failed} failed, {skipped} skipped ({seconds:.1f} s)", flush=True)
    if failed:
        print(output, flush=True)
    return passed, failed, skipped


def main():
    named = [ROOT / name for name in sys.argv[1:]]
    programs = named or sorted(p for pattern in PROGRAMS for p in ROOT.glob(pattern) if p.suffix == "")
    python = [] if named else python_parts()
    longest = [program for name in LONGEST for program in programs if program.name == name]
    print(f"{len(programs)} test programs{' and the Python tests' if python else ''}", flush=True)
    counts = 0, 0, 0
    with ThreadPoolExecutor(os.cpu_count() + 1) as pool:
        # What takes longest begins first, so that no core waits at the end: the parts of the Python tests wait too.
        running = [pool.submit(run_pytest, name, *files) for name, files in python]
        running += [pool.submit(run_program, program) for program in longest]
        running += [pool.submit(run_program, program) for program in programs if program not in longest]
        for done in as_completed(running):
            name, *result = done.result()
            counts = [a + b for a, b in zip(counts, print_result(name, *result))]
    passed, failed, skipped = counts
    if skipped:
        print(f"skipped: {skipped} (they need files or a device that this machine lacks)")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
