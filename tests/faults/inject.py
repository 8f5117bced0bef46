"""Every allocation and every file operation of a small run of each driver, failing one at a time; and the process killed
before, half-way through and after each file operation. `make inject`.

    tests/faults/inject.py [--drivers 3.3,6.1] [--what memory,files,kill] [--every N] [--most N] [--jobs N] [--keep]

Of more than N calls, 4000, as many are tried, evenly spread. --keep: as lines of results/faults/injected.csv, of which
docs/faults.md is made. What must hold, whichever call it was (docs/guide/reliability.md has the
figures):

    memory  exit 0 and all rows, or exit 1 and one line that says that memory ran out; every row that is there is right
    files   exit 0 and all rows, or exit 1 and one line; every row that is there is right; resumed, the run is whole
    kill    resumed, the run is that of an unbroken one: the same rows in the same order, each stage's samples adding up to those
            of its iteration

A row is right where all but its times, and what is told of them, is as in a run without a fault; a run that saves images is whole
with all of them, bit for bit. Exit code 0 where all holds, 1 where not.
"""

import argparse
import csv
import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from antbench.data import campaigns  # noqa: E402
from antbench.tools.campaigns import write_page  # noqa: E402

LIBRARY = ROOT / "build/faults/inject.so"
PROGRAM = ROOT / "build/bin/antbench"
# The smallest runs that have a row of a CPU and one of the host backend, where a driver has both; and stages, where it has them.
# A kernel of one thread per ant is verified in a tenth of the time that a kernel of one block per ant takes.
# IMAGES is where images are saved, beside the run.
COMMANDS = {
    "3.2": "--backend cpu --instances u10 --runs 1 --iterations 1",
    "3.3": "--instances u10 --runs 1 --iterations 1 --set protocol=as --implementations tsp/acotsp-seq,tsp/task-thread",
    "4.2": "--instances u10 --runs 1 --iterations 1 --implementations tsp/cpu-vectors-nn,tsp/cand-thread",
    "5.1": "--instances shapes-8 --runs 1 --iterations 1 --set block=64 --implementations edge-ants/seq,edge-ants/warp",
    "5.1-save": "--instances shapes-8 --runs 1 --iterations 1 --backend cpu --implementations edge-ants/seq --save IMAGES",
    "5.4": "--instances shapes-8 --runs 1 --iterations 1 --implementations edge-ants/seq,edge-ants/search --set block=64",
    "6.1": "--instances shapes-8 --iterations 1 --backend host --implementations canny/gpu",
    "6.1-save": "--instances shapes-8 --iterations 1 --backend cpu --implementations canny/opencv --save IMAGES",
    "6.5": "--instances shapes-8 --iterations 1 --implementations colour-edge/gradient-global",
    "frontier": "--backend cpu --instances u10 --runs 1 --iterations 1 --implementations tsp/cpu-rejection",
    "frontier-tours": "--backend cpu --instances u10 --runs 1 --iterations 1",
    "improve": "--instances u10 --runs 1 --iterations 1 --rows improve/cpu-vectors-nn-best,improve/race-candidates-all",
    "jpdc-3": "--backend cpu --instances u10 --runs 1 --iterations 1 --implementations tsp/acotsp-seq",
    "jpdc-3.3": "--instances u10 --iterations 1 --implementations deposit/gather,deposit/gather-tiled",
    "jpdc-4": "--instances u10 --iterations 1 --implementations deposit/acotsp-seq,deposit/atomic",
    "jpdc-9": "--backend cpu --instances u10 --runs 1 --iterations 1",
    "jsc-1": "--instances u10 --iterations 1 --implementations choice-info/acotsp-seq,choice-info/powf",
    "jsc-3": "--instances k3-n4-m5 --iterations 1 --implementations psystem/cpu-bits,psystem/baseline",
    "jsc-4": "--instances k3-n4-m5 --iterations 1 --implementations psystem/cpu-bits",
    "jsc-5": "--instances k3-n4-m5 --iterations 1",
    "jsc-5.2": "--instances k1-n4-m1 --iterations 1 --implementations psystem/enhanced,psystem/generic",
    "kth-8": "--instances random-8 --iterations 1 --implementations convolution/serial,convolution/naive",
    "kth-10": "--instances shapes-8 --iterations 1 --implementations log-edges/seq,log-edges/gpu",
    "scaling": "--instances u40 --runs 1 --iterations 1 --rows scaling/cpu-split-1,scaling/islands-1,scaling-weak/cpu-islands-1",
}
FAULTS = {
    "memory": [str(errno.ENOMEM)],
    "files": [str(errno.ENOSPC), str(errno.EIO)],
    "kill": ["before", "half", "after"],
}
TIMED = (
    "run_id",
    "device",
    "status",
    "stop_reason",
    "samples",
    "discarded",
    "waited",
    "seed",
)  # with all times: what differs from run to run
OPENCV_FALLS_BACK = "[ WARN:"  # it lacks memory for one way of starting threads, says so itself, and takes another
SAYS_MEMORY = (
    "memory",
    "libgomp: Thread creation failed: Resource temporarily unavailable",
)  # the second is OpenMP's own
MEASURED = ("ok", "noisy", "few")
LIMIT_S = 120
# The loader divides LD_PRELOAD at spaces, which a checkout's path may have, and LD_LIBRARY_PATH at colons alone.
PRELOADED = {"LD_PRELOAD": LIBRARY.name, "LD_LIBRARY_PATH": str(LIBRARY.parent)}


def run(driver, out, into=None, at=0, how="0", resume=False):
    """The driver's small run; with a fault where `into` says into what."""
    hidden = dict.fromkeys(("TSPLIB_DIR", "IMAGES_DIR"), str(Path(__file__).parent))  # it has no inputs
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", **hidden)
    environment["CUDA_VISIBLE_DEVICES"] = ""  # a GPU's rows take seconds
    environment.update(PRELOADED, INJECT_COUNT=f"{out}.count")
    if into:
        environment.update(INJECT_INTO="memory" if into == "memory" else "files", INJECT_AT=str(at), INJECT_HOW=how)
    options = COMMANDS[driver].replace("IMAGES", f"{out}-images").split()
    command = [
        PROGRAM,
        driver.split("-save")[0],
        "--quiet",
        "--profile",
        "smoke",
        "--processes",
        "1",
        *options,
        "--out",
        str(out),
    ]
    return subprocess.run(
        command + (["--resume"] if resume else []),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )


# ---- What a run left ----


def rows_of(out):
    """The finished rows; a last line without an end is none."""
    tables = list(out.glob("table-*.csv"))
    text = tables[0].read_text() if tables else ""
    return list(csv.DictReader(text[: text.rfind("\n") + 1].splitlines()))


def right(row):
    """What of a row is the same in every run."""
    return {
        name: text for name, text in row.items() if name not in TIMED and not name.endswith("_ms") and name != "note"
    }


def stages_add_up(out):
    """Whether the samples of the stages before an iteration are its parts."""
    if not (out / "samples.csv").exists():
        return True
    samples = {}
    with open(out / "samples.csv", newline="") as file:
        for sample in csv.DictReader(file):
            samples.setdefault(int(sample["line"]), []).append(float(sample["ms"]))
    parts = []
    for line, row in enumerate(rows_of(out), start=2):
        if row["scope"] == "stage":
            parts.append(samples.get(line, []))
            continue
        if parts and row["scope"] == "iteration":
            sums = [sum(each) for each in zip(*parts)]
            whole = samples.get(line, [])
            if len(sums) != len(whole) or any(abs(a - b) > 1e-5 * b for a, b in zip(sums, whole)):
                return False
        parts = []
    return not parts


def images_of(out):
    """{name: digest} of what was saved."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(f"{out}-images").glob("*")}


def differs(out, unbroken, images=None):
    """Why a run is not whole, or None; `images` are an unbroken one's."""
    found = rows_of(out)
    saved = images_of(out)
    if bad := next((name for name, digest in (images or {}).items() if saved.get(name) != digest), None):
        return f"the image {bad} is {'another' if bad in saved else 'missing'}"
    if len(found) != len(unbroken):
        return f"{len(found)} rows, not the {len(unbroken)} of an unbroken run"
    for row, expected in zip(map(right, found), map(right, unbroken)):
        if name := next((name for name in expected if row[name] != expected[name]), None):
            return f'{row["row"]} {row["scope"]}: {name} is "{row[name]}", not "{expected[name]}"'
    if bad := next((row for row in found if row["status"] not in MEASURED), None):
        return f"a row is {bad['status']}: {bad['note']}"
    return None if stages_add_up(out) else "stages and iterations of different measurements"


# ---- One fault ----


def judge_failure(what, done, out, unbroken, images=None):
    """What is wrong with how a run ended in which a call failed, or None."""
    lines = [
        line for line in done.stderr.strip().splitlines() if what != "memory" or not line.startswith(OPENCV_FALLS_BACK)
    ]
    if done.returncode == 0:
        return f"exit 0, and on stderr: {lines[0]}" if lines else differs(out, unbroken, images)
    if done.returncode != 1:
        return f"exit {done.returncode}: {' / '.join(lines)}"
    if len(lines) != 1 or (what == "memory" and not any(word in lines[0] for word in SAYS_MEMORY)):
        return f"exit 1: {' / '.join(lines) or 'nothing is said'}"
    expected = [right(row) for row in unbroken]
    if wrong := next((row for row in rows_of(out) if row["status"] in MEASURED and right(row) not in expected), None):
        return f"exit 1, and a wrong row: {wrong['row']} {wrong['instance']}"
    return None


def judge_resumed(driver, out, unbroken, images):
    done = run(driver, out, resume=True)
    if done.returncode != 0:
        return f"resumed: exit {done.returncode}: {done.stderr.strip()}"
    why = differs(out, unbroken, images)
    return f"resumed: {why}" if why else None


def inject(driver, what, how, at, folder, unbroken, images):
    """(driver, what, how it ended, what is wrong or None) of one fault."""
    out = Path(tempfile.mkdtemp(dir=folder))
    try:
        done = run(driver, out / "run", what, at, how)
        fault = None if what == "kill" else judge_failure(what, done, out / "run", unbroken, images)
        # A run that the machine disturbs less has fewer calls: of samples that are taken again. It must be whole then.
        has_ended = what == "kill" and done.returncode == 0 and int(Path(f"{out}/run.count").read_text()) < at
        if has_ended:
            fault = differs(out / "run", unbroken, images)
        elif what == "kill" and done.returncode != -9:
            fault = f"exit {done.returncode} though it was to be killed"
        # Where a row failed the run is whole with it: nothing is left to resume.
        if not fault and done.returncode != 0 and what != "memory":
            fault = judge_resumed(driver, out / "run", unbroken, images)
        ended = "ended before" if has_ended else "killed" if what == "kill" else f"exit {done.returncode}"
    except subprocess.TimeoutExpired:
        ended, fault = "hung", f"still running after {LIMIT_S} s"
    finally:
        shutil.rmtree(out, ignore_errors=True)
    return driver, what, ended, fault and f"{driver} {what} {how} at {at}: {fault}"


# ---- All ----


def calls_of(driver, what, folder):
    """(how many calls there are, the rows and the images of the run without a fault)."""
    out = folder / f"{driver}-{what}"
    done = run(driver, out, what)
    if done.returncode != 0:
        sys.exit(f"{driver}: the run without a fault ends with {done.returncode}: {done.stderr}")
    return int(Path(f"{out}.count").read_text()), rows_of(out), images_of(out)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drivers", default=",".join(COMMANDS), help="default: all")
    parser.add_argument("--what", default=",".join(FAULTS), help="default: memory,files,kill")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th call alone")
    parser.add_argument("--most", type=int, default=4000, metavar="N", help="of more calls so many (default: 4000)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--keep", action="store_true", help="keeps the counts in results/faults/ and docs/faults.md")
    return parser.parse_args(arguments)


def line_of(driver, what, calls, done):
    """Of results/faults/injected.csv: how many runs were whole, ended as they must, and did not."""
    whole = sum(not fault and ended in ("exit 0", "ended before") for _, _, ended, fault in done)
    wrong = sum(bool(fault) for *_, fault in done)
    return driver, what, calls, len(done), whole, len(done) - whole - wrong, wrong


def main(arguments=None):
    options = parse(arguments)
    results = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name, ThreadPoolExecutor(options.jobs) as pool:
        folder = Path(name)
        for driver in options.drivers.split(","):
            for what in options.what.split(","):
                calls, *unbroken = calls_of(driver, what, folder)
                every = max(options.every, -(-calls // options.most))
                faults = [(how, at) for how in FAULTS[what] for at in range(1, calls + 1, every)]
                done = list(pool.map(lambda fault: inject(driver, what, *fault, folder, *unbroken), faults))
                results += done
                ends = Counter(ended for _, _, ended, _ in done)
                wrong = [fault for *_, fault in done if fault]
                told = ", ".join(f"{count} {ended}" for ended, count in sorted(ends.items()))
                print(f"{driver} {what}: {calls} calls, {len(faults)} faults: {told}; {len(wrong)} wrong", flush=True)
                for fault in wrong:
                    print(f"  {fault}", flush=True)
                if options.keep:
                    campaigns.keep("injected", [line_of(driver, what, calls, done)])
    if options.keep:
        write_page()
    broken = sum(1 for *_, fault in results if fault)
    print(f"{len(results)} faults, {broken} wrong")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
