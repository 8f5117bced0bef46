"""make profile ROW=3.3/ds-roulette/pr1002: what the kernels of a row wait for, by Nsight Compute, and the roofline.

The row is measured as always, with the limits of the GPU (bench/clock/limits.c). Then ncu runs the program again and
profiles the kernels of one iteration, the first sample after warming up (bench/clock/gpu.h, gpu_profiler_begin). Clocks
and caches are left as they are. build/profile/ keeps ncu's report, which ncu-ui opens, and the numbers as CSV.
"""

import argparse
import csv
import io
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from antbench.data import command, rows, runs, selector
from antbench.data.command import ROOT, WORK, BadInput, new_file
from antbench.show import claims, roofline

PROGRAM = ROOT / f"build/bin/{runs.PROGRAM}"
# The places of ncu besides PATH. Of several versions the last is the newest.
PLACES = ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu", "/usr/local/cuda*/nsight-compute*/ncu")
DELAY = "wait_for_ns"  # the harness's own kernel before each iteration
MOST_KERNELS = 200  # most kernels of an iteration that are profiled, each in about a dozen passes
NO_NCU = """\
profile: no ncu on PATH, in CUDA_HOME, /usr/local/cuda or /opt/nvidia: install Nsight Compute, a part of NVIDIA's CUDA Toolkit
and the package nsight-compute"""
NOT_PERMITTED = """\
profile: this user may not read the GPU's counters (ERR_NVGPUCTRPERM): run it as root, or have the administrator write
  options nvidia NVreg_RestrictProfilingToAdminUsers=0
to /etc/modprobe.d/nvidia.conf and start the machine again; in a container: --cap-add SYS_ADMIN"""

TIME, DRAM, L2 = "gpu__time_duration.sum", "dram__bytes.sum", "lts__t_bytes.sum"
L2_PEAK = "lts__throughput.avg.pct_of_peak_sustained_elapsed"
ISSUE = "sm__inst_issued.avg.pct_of_peak_sustained_active"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
MOST_OCCUPANCY = "sm__maximum_warps_per_active_cycle_pct"
METRICS = (TIME, DRAM, L2, L2_PEAK, ISSUE, OCCUPANCY, MOST_OCCUPANCY)
STALLS = "WarpStateStats"  # the section of ncu with the stalls of each generation
STALL = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio")
NO_STALL = "selected"  # the warp issues
MS = {"ns": 1e-6, "nsecond": 1e-6, "us": 1e-3, "usecond": 1e-3, "ms": 1.0, "msecond": 1.0, "s": 1e3, "second": 1e3}
MEASURE = "--backend cuda --profile quick --processes 1".split()
# ncu must not change clocks or caches.
COLLECT = (
    "--profile-from-start off --target-processes all --clock-control none --cache-control none --force-overwrite "
    f"--launch-count {MOST_KERNELS} --section {STALLS} --metrics {','.join(METRICS)}"
).split()
SHOW = "--page raw --csv --print-units base --print-kernel-base function".split()


# ---- ncu ----


def find_ncu():
    """The path of ncu: on PATH, in the toolkit, or in NVIDIA's packages; None if it is missing."""
    found = shutil.which("ncu") or shutil.which("ncu", path=Path(os.environ.get("CUDA_HOME", "/nonexistent")) / "bin")
    if found:
        return found
    there = [sorted(Path("/").glob(place.lstrip("/"))) for place in PLACES]
    return next((str(paths[-1]) for paths in there if paths), None)


def profile(ncu, arguments, report, log):
    """Runs the program under ncu and returns its CSV: "" without a kernel, None if this user may not profile."""
    collect = [ncu, *COLLECT, "--export", str(report.with_suffix("")), *arguments]
    with new_file(log) as file:
        done = subprocess.run(collect, stdout=file, stderr=subprocess.STDOUT)
    said = log.read_text(encoding="utf-8", errors="replace")
    if "ERR_NVGPUCTRPERM" in said:
        return None
    if "No kernels were profiled" in said and "==ERROR==" not in said:
        return ""
    if done.returncode not in (command.OK, command.INCONCLUSIVE) or not report.exists():
        raise BadInput(f"profile: ncu ended with {done.returncode} and no report: {last_line(said)} (all of it: {log})")
    show = [ncu, "--import", str(report), *SHOW]
    return subprocess.run(show, capture_output=True, text=True, check=True, env=dict(os.environ, LC_ALL="C")).stdout


def last_line(text):
    return next((line for line in reversed(text.splitlines()) if line.strip()), "it said nothing")


# ---- Its numbers ----


@dataclass(frozen=True)
class Kernel:
    """All launches of one kernel in an iteration. Shares are in percent, as means weighted by time."""

    name: str
    launches: int
    ms: float  # sum over the launches
    dram_bytes: float
    l2_bytes: float
    l2_share: float  # share of the most that the L2 cache can do
    issue: float  # share of cycles in which a scheduler issued an instruction
    occupancy: float
    most_occupancy: float  # occupancy that registers, shared memory and blocks allow
    stalls: tuple  # ((reason, percent of the time between two instructions of a warp) ...), the longest first


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return float("nan")  # n/a, or empty


def launches(text):
    """[(name of the kernel, {metric: value})] from ncu's CSV: a header, a line of units, and a line per launch."""
    if not text:
        return []
    lines = list(csv.reader(io.StringIO("\n".join(line for line in text.splitlines() if not line.startswith("==")))))
    if len(lines) < 2 or "Kernel Name" not in lines[0]:
        raise BadInput("profile: ncu's CSV lacks the lines of headings and units")
    header, units = lines[0], dict(zip(*lines[:2]))
    missing = [metric for metric in METRICS if metric not in header]
    if missing:
        raise BadInput(f"profile: this ncu does not know {' '.join(missing)}")
    if units[TIME] not in MS or units[DRAM] != "byte" or units[L2] != "byte":
        raise BadInput(f"profile: ncu's CSV has unknown units: {units[TIME]!r}, {units[DRAM]!r}, {units[L2]!r}")
    found = []
    for line in lines[2:]:
        cells = dict(zip(header, line))
        values = {metric: number(cells[metric]) for metric in header if "__" in metric}
        found.append((cells["Kernel Name"], {**values, TIME: values[TIME] * MS[units[TIME]]}))
    return [(name, values) for name, values in found if name != DELAY]


def kernels(found):
    """A Kernel for each name, longest total time first."""
    of_name = {}
    for name, values in found:
        of_name.setdefault(name, []).append(values)
    return sorted((together(name, each) for name, each in of_name.items()), key=lambda kernel: -kernel.ms)


def together(name, each):
    ms = sum(values[TIME] for values in each)

    def mean(metric):
        return sum(values[metric] * values[TIME] for values in each) / ms

    waits = {STALL.fullmatch(metric)[1]: mean(metric) for metric in each[0] if STALL.fullmatch(metric)}
    whole = sum(waits.values())
    stalls = sorted(
        ((why, 100 * wait / whole) for why, wait in waits.items() if why != NO_STALL and wait > 0),
        key=lambda one: -one[1],
    )
    return Kernel(
        *(name, len(each), ms, sum(values[DRAM] for values in each), sum(values[L2] for values in each)),
        *(mean(metric) for metric in (L2_PEAK, ISSUE, OCCUPANCY, MOST_OCCUPANCY)),
        tuple(stalls),
    )


# ---- Printing ----

HEADINGS = (
    *("kernel", "launches", "ms", "of the time", "issue slots", "DRAM GB/s", "of a copy", "L2 GB/s", "of its peak"),
    *("occupancy", "warps wait for"),
)


def percent(share):
    return "–" if share != share else f"{share:.0f} %" if share >= 1 else f"{share:.1f} %"


def line_of(kernel, whole_ms, copy):
    """The cells of a kernel; `copy` is the bandwidth of a copy in GB/s."""
    dram, l2 = (1e-6 * count / kernel.ms for count in (kernel.dram_bytes, kernel.l2_bytes))
    return (
        *(kernel.name, str(kernel.launches), claims.short(kernel.ms)),
        *(percent(100 * kernel.ms / whole_ms), percent(kernel.issue)),
        *(claims.short(dram), percent(100 * dram / copy), claims.short(l2), percent(kernel.l2_share)),
        f"{percent(kernel.occupancy)} of {percent(kernel.most_occupancy)}",
        ", ".join(f"{why} {percent(share)}" for why, share in kernel.stalls[:3]),
    )


def as_text(lines):
    """Columns of text. The first and the last are aligned left, numbers right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    sides = [str.ljust, *[str.rjust] * (len(widths) - 2), str.ljust]
    return "\n".join("  ".join(map(aligned, sides, line, widths)).rstrip() for line in lines)


def aligned(side, cell, width):
    return side(cell, width)


def of_limit(row, limits):
    """The distance of the measured row from its limit, in words."""
    point, ms = roofline.point(row, limits), row["mean_ms"]
    if not point:
        return f"{claims.short(ms)} ms; the fewest bytes that it must move are unknown"
    moved = f"at least {claims.short(1e-6 * row['bytes'])} MB to move"
    counted = f", {claims.short(1e-9 * row['flops'])} GFLOP" if row["flops"] == row["flops"] else ""
    limit = {"memory": "a copy's speed", "operations": "the speed of multiply-adds"}[point.by]
    least = f"{claims.short(ms * point.share)} ms at {limit}, {percent(100 * point.share)} of what was measured"
    return f"{claims.short(ms)} ms, {moved}{counted}: {least}"


def report(row, found, limits):
    """The output for one row."""
    head = f"{address(row)}: {of_limit(row, limits)}\n"
    if not found:
        return f"{head}no kernel: ncu does not profile copies\n"
    every = kernels(found)
    whole_ms, copy = sum(kernel.ms for kernel in every), limits["copy"] / 1e6
    moved = claims.short(1e-6 * sum(kernel.dram_bytes for kernel in every))
    lines = [HEADINGS, *(line_of(kernel, whole_ms, copy) for kernel in every)]
    cut = f" (its first {MOST_KERNELS} kernels)" if len(found) >= MOST_KERNELS - 1 else ""
    under = f"under ncu: {claims.short(whole_ms)} ms in kernels, {moved} MB to and from DRAM{cut}"
    return f"{head}{under}\n\n{as_text(lines)}\n"


NOTES = """\
Issue slots: share of an SM's cycles in which it issued an instruction.
Of a copy: share of the {copy} GB/s that a copy reads and writes here.
Occupancy: share of the warps that an SM can hold; then the share that registers, shared memory and blocks allow.
Warps wait for: share of the time between two instructions of a warp, in Nsight Compute's words.
{out}: kernels.csv has all numbers, ncu-ui opens report-*.ncu-rep."""


def write_csv(path, profiled):
    names = [name for name in Kernel.__dataclass_fields__ if name != "stalls"]
    with new_file(path) as file:
        out = csv.writer(file)
        out.writerow(["row", *names, "stalls"])
        for row, found in profiled:
            for kernel in kernels(found):
                stalls = " ".join(f"{why}={share:.2f}" for why, share in kernel.stalls)
                out.writerow([row, *(getattr(kernel, name) for name in names), stalls])


# ---- The command ----


def driver_of(wanted):
    """The driver of the table that a Selector names."""
    known = rows.measured()
    found = [row.driver for row in known if row.table == wanted.table]
    if not found:
        meant = runs.nearest(wanted.table, sorted({row.table for row in known})) if wanted.table else None
        hint = f"; did you mean {meant}?" if meant else "; a row is 3.3/ds-roulette/pr1002"
        raise BadInput(f"{wanted.text}: no such table{hint}")
    return found[0]


def chosen(run, wanted):
    """The selected rows that were timed on a GPU."""
    found = [row for row in run.records if row["backend"] == "cuda" and row["status"] in runs.MEASURED]
    return [row for row in found if row["scope"] not in ("setup", "end-to-end", "stage") and wanted.means(row)]


def address(row):
    return f"{row['table']}/{row['row']}/{row['instance']}" + (f"?{row['params']}" if row["params"] else "")


def parse(arguments):
    """(options, the words after --)."""
    parser = argparse.ArgumentParser(
        prog="antbench-results profile",
        description=__doc__.splitlines()[0],
        epilog="Words after -- are options of the program: -- --set l2=cold",
    )
    parser.add_argument(
        "row", metavar="ROW", help="row in the form of --rows: 3.3/ds-roulette/pr1002, 3.3/*/pr1002?protocol=as"
    )
    parser.add_argument("--program", default=PROGRAM, metavar="FILE", help="default: build/bin/antbench")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: build/profile/ROW")
    own = arguments.index("--") if "--" in arguments else len(arguments)
    return parser.parse_args(arguments[:own]), arguments[own + 1 :]


def main(arguments):
    options, of_program = parse(arguments)
    command.expect("make profile ROW=3.3/ds-roulette/pr1002", ROW=options.row)
    wanted = selector.parse(options.row)
    driver, ncu = driver_of(wanted), find_ncu()
    if not ncu:
        print(NO_NCU, file=sys.stderr)
        return command.SKIPPED
    out = options.out or WORK / "build/profile" / re.sub(r"[^\w.-]+", "-", options.row)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    start = [str(options.program), driver, *MEASURE, *of_program]
    done = subprocess.run([*start, "--rows", options.row, "--out", str(out / "run")], stdout=subprocess.DEVNULL)
    if done.returncode not in (command.OK, command.INCONCLUSIVE):
        return done.returncode
    run = runs.load_run(out / "run")
    lines, limits = chosen(run, wanted), roofline.limits_of(run)
    if not lines or "copy" not in limits:
        print(f"profile: {options.row} was not timed on a GPU here: {out / 'run'}", file=sys.stderr)
        return command.SKIPPED
    print(f"on {runs.device_name(run)}, commit {run.meta['build']['commit']}\n")
    profiled = []
    for i, row in enumerate(lines, start=1):
        again = [*start, "--rows", address(row), "--quiet", "--out", str(out / f"under-ncu-{i}")]
        text = profile(ncu, again, out / f"report-{i}.ncu-rep", out / f"ncu-{i}.log")
        if text is None:
            print(NOT_PERMITTED, file=sys.stderr)
            return command.SKIPPED
        profiled.append((address(row), launches(text)))
        print(report(row, profiled[-1][1], limits), flush=True)
    write_csv(out / "kernels.csv", profiled)
    if any(found for _, found in profiled):
        print(NOTES.format(copy=claims.short(limits["copy"] / 1e6), out=out))
    return command.OK
