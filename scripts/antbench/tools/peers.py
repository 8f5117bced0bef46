"""make bench-peers PEERS=DIR: measures Ant System programs by others beside ours on this machine.

DIR has checkouts of the programs, under the names that `git clone` gives them. Nothing of them is bundled, built or
changed. First our own rows are measured: antbench frontier, and antbench improve with MAX-MIN Ant System for GPU-MMAS.
Then each program runs PROCESSES times on the same files, with as many ants as cities and without local search. A sample
is the mean time of an iteration in one process, as the program itself tells it. Programs for a GPU tell the time of
their kernels, ACOTSP the CPU's time. If a program offers a choice, such as its kernel or its grid, the fastest in short
runs is measured. The row names the choice.

The rows are in a run of their own: driver and table "peers", implementations "peer/...", each with its command. Their
output is not verified. meta.json names the checkouts under "peers". The report sets the rows beside ours
(report/peers.csv, which `make index` writes).
"""

import argparse
import csv
import hashlib
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from antbench.data import command, runs, validate
from antbench.data.command import BadInput, new_file, write_file

TABLE = "peers"
PROGRAM = command.ROOT / "build/bin/antbench"
INSTANCES = "d198,pcb442,pr1002,pr2392"
PROCESSES = 3
LIMIT_S = 300  # most seconds of a process
TRIAL = 5  # number of iterations for finding the fastest choice and its time
SECONDS = 0.5  # time that a process should iterate for
MOST = 100  # most iterations of a process
LONGEST = 120  # most characters of quoted output
# Our own rows by the rule of GPU-MMAS.
MAX_MIN = ["--implementations", "tsp/race,tsp/race-candidates", "--set", "protocol=mmas", "--set", "improve=none"]


@dataclass(frozen=True)
class Peer:
    """A program by others, and its row."""

    row: str
    label: str  # name in the report
    folder: str  # folder of the checkout
    program: str  # path in the checkout
    build: str  # command that builds it, run in the checkout
    source: str
    backend: str
    params: str  # parameters of the row, in our form
    arguments: str  # with {file}, {n}, {iterations}, {tours}, {seed}, {scratch} and the names of `choices`
    time: str  # pattern with the time in the program's output
    to_ms: callable  # function of that number and the iterations: ms per iteration
    # Function of the number of cities: [[{name: value}]]. Each inner list is tried on top of the fastest choice so far.
    choices: callable = lambda n: [[{}]]
    fault: str = ""  # pattern of output that shows a failure, even if the program ends well
    note: str = ""


def grids(n):
    """The values of AcoTsp's own choice: ants per block, and as many blocks as all ants need."""
    return [[{"warps": warps, "blocks": math.ceil(n / warps)} for warps in (1, 2, 4, 8, 16)]]


def kernels(suffix, warps):
    """The choices of GPU-MMAS: first its kernels with warps[0] warps per ant, then the other
    numbers for the fastest.
    """
    names = [f"mmas_{choice}_{tabu}{suffix}" for choice in ("rwm", "wrs") for tabu in ("lc", "ct", "bt")]
    return lambda n: [[{"alg": name, "warps": warps[0]} for name in names], [{"warps": other} for other in warps[1:]]]


GPU_MMAS = Peer(
    row="gpu-mmas",
    label="GPU-MMAS",
    folder="GPU-based-MMAS",
    program="mmas",
    build="make CUDA_DIR=/usr/local/cuda COMPUTE_CAPABILITY=-arch=native",
    source="https://github.com/RSkinderowicz/GPU-based-MMAS",
    backend="cuda",
    params="protocol=mmas",
    arguments="--instance={file} --alg={alg} --block-warps={warps} --ants=0 --ls=0 --iter={iterations} --rho=0.9 --seed={seed}"
    " --results-dir={scratch}",
    time=r"^Mean iter\. time \[ms\]: (\S+)",
    to_ms=lambda told, iterations: told,
    choices=kernels("", (4, 1, 2, 8)),
    note="MAX-MIN Ant System: pheromone has limits",
)
PEERS = (
    Peer(
        row="acotsp",
        label="ACOTSP 1.03, 1 core",
        folder="ACOTSP",
        program="acotsp",
        build="make CC='gcc -fcommon' OPTIM_FLAGS=-O3",
        source="https://github.com/juherask/ACOTSP",
        backend="cpu",
        params="protocol=as;nn=20;threads=1",
        arguments="--as --ants {n} --nnants 20 --alpha 1 --beta 2 --rho 0.5 --localsearch 0 --tries 1 --tours {tours} --time 0"
        " --seed {seed} --quiet --tsplibfile {file}",
        time=r"^ ?t_avgtotal = (\S+)",
        to_ms=lambda told, iterations: 1e3 * told / iterations,
    ),
    GPU_MMAS,
    replace(GPU_MMAS, row="gpu-mmas-nn", label="GPU-MMAS, sets of 32", params="protocol=mmas;nn=32", arguments=GPU_MMAS.arguments + " --cand-list-size=32",
            choices=kernels("_cl", (1,))),  # it needs as many threads as candidates
    Peer(
        row="acotsp-gpu",
        label="AcoTsp",
        folder="AcoTsp",
        program="acogpu",
        build="NVCC_APPEND_FLAGS=-arch=native make acogpu",
        source="https://github.com/blackwut/AcoTsp",
        backend="cuda",
        params="protocol=as",
        arguments="{file} 1 2 1 0.5 {iterations} 128 {blocks} {warps}",
        time=r"^Compute time: \S+ ms (\d+) usec",
        to_ms=lambda told, iterations: 1e-3 * told / iterations,
        choices=grids,
        fault=r"^(?:cudaErrorAssert|Shared memory is not|Too many resources|Duplicate city|Illegal (?:FROM|TO) city).*",
    ),
)  # fmt: skip


def table():
    """The entry of this table, in the form of the program's --tables."""
    return {
        TABLE: {
            "driver": TABLE,
            "file": "scripts/antbench/tools/peers.py",
            "heading": "Ant System by others, by their own clocks",
            "published": "",
        }
    }


def as_csv(header):
    """The rows of this table, in the form of the program's --rows."""
    text = io.StringIO()
    writer = csv.DictWriter(text, header, lineterminator="\n")
    writer.writeheader()
    for peer in PEERS:
        told = {
            "driver": TABLE,
            "table": TABLE,
            "row": peer.row,
            "implementation": f"peer/{peer.row}",
            "params": peer.params,
        }
        writer.writerow(
            {
                **told,
                "instances": INSTANCES.replace(",", " "),
                "label": f"{peer.label}, by its own clock",
                "published": "",
                "iterations": MOST,
            }
        )
    return text.getvalue()


class Failed(Exception):
    """A process that printed no time: (status, reason)."""


# ---- Running ----


def tell(peer, folder, values):
    """ms per iteration, as the program tells it."""
    program = folder / peer.folder / peer.program
    spelled = [word.format(**values) for word in peer.arguments.split()]
    try:
        done = subprocess.run(
            [program, *spelled],
            cwd=program.parent,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_S,
            env=dict(os.environ, LC_ALL="C"),
        )  # the decimal point is a point
    except subprocess.TimeoutExpired:
        raise Failed("timeout", f"more than {LIMIT_S} s") from None
    except OSError as error:
        raise Failed("error", f"{program}: {error.strerror}") from None
    told, fault = re.search(peer.time, done.stdout, re.M), peer.fault and re.search(peer.fault, done.stdout, re.M)
    if done.returncode or not told or fault:
        ended = f"signal {-done.returncode}" if done.returncode < 0 else f"exit {done.returncode}"
        status = "unsupported" if done.returncode > 0 else "wrong" if fault else "error"
        raise Failed(
            status, ": ".join([ended, *lines_of(fault[0] if fault else done.stdout + "\n" + done.stderr)[-1:]])
        )
    ms = peer.to_ms(float(told[1]), values["iterations"])
    if not ms > 0:
        raise Failed("error", f"its output says that an iteration takes {ms:g} ms")
    return ms


def lines_of(text):
    """The lines with words, without control characters, each cut short for a table."""
    words = (re.sub(r"[^\x20-\x7e]+", " ", line).split() for line in text.splitlines())
    return [textwrap.shorten(" ".join(line), LONGEST, placeholder=" ...") for line in words if line]


def values_of(instance, iterations, seed, scratch, choice):
    n = instance["n"]
    return {
        "file": instance["path"],
        "n": n,
        "iterations": iterations,
        "tours": n * iterations,
        "seed": seed,
        "scratch": scratch,
        **choice,
    }


def fastest(peer, folder, instance, scratch):
    """(ms per iteration, the choice) of the fastest choice that runs."""
    found, failure = [], None
    for turn in filter(None, peer.choices(instance["n"])):
        best = fewest_ms(found)[1] if found else {}
        for change in turn:
            choice = {**best, **change}
            try:
                found.append((tell(peer, folder, values_of(instance, TRIAL, 1, scratch, choice)), choice))
            except Failed as failed:
                failure = failed
        if not found:
            raise failure
    return fewest_ms(found)


def fewest_ms(found):
    return min(found, key=lambda pair: pair[0])


def measure(peer, folder, instance):
    """(status, reason, params, iterations, [ms per process])."""
    params = ";".join([*peer.params.split(";")[:1], f"ants={instance['n']}", *peer.params.split(";")[1:]])
    if fault := missing(peer, folder):
        return "skipped", fault, params, 0, []
    with tempfile.TemporaryDirectory() as scratch:
        try:
            ms, choice = fastest(peer, folder, instance, scratch)
            params = ";".join([params, *(f"{name}={value}" for name, value in choice.items())])
            iterations = min(max(round(1e3 * SECONDS / ms), TRIAL), MOST)
            seeds = range(1, PROCESSES + 1)
            return (
                "ok",
                "",
                params,
                iterations,
                [tell(peer, folder, values_of(instance, iterations, seed, scratch, choice)) for seed in seeds],
            )
        except Failed as failed:
            return *failed.args, params, 0, []


def missing(peer, folder):
    """What the user has to do first, or None."""
    checkout = folder / peer.folder
    if not checkout.is_dir():
        return f"no checkout: git clone {peer.source} {checkout}"
    if not (checkout / peer.program).is_file():
        return f"not built: cd {checkout} && {peer.build}"
    return None


# ---- The run ----


def row_of(peer, instance, measured, run_id, device):
    """A row as text for the table file, and its samples."""
    status, why, params, iterations, times = measured
    times = [float(f"{ms:.7g}") for ms in times]
    processes = [np.array([ms]) for ms in times]
    summary = validate.summary(processes)
    if times:
        status = validate.status_of(processes, processes, known=summary)
    told = (
        f"the program's own time, the mean of {iterations} iterations per process; not verified here" if times else why
    )
    row = {
        **dict.fromkeys(runs.HEADER, ""),
        "schema": validate.SCHEMA, "run_id": run_id, "table": TABLE, "row": peer.row, "instance": instance["name"],
        "size": instance["n"], "implementation": f"peer/{peer.row}", "backend": peer.backend, "device": device, "params": params,
        "scope": "iteration", "seed": 1, "status": status, "samples": len(times), "processes": len(times), "discarded": 0,
        "note": "; ".join(filter(None, (told, peer.note if times else ""))),
        **{name: "" if math.isnan(value) else f"{value:.12g}" for name, value in summary.items()},
    }  # fmt: skip
    return row, times


def checkout_of(peer, folder):
    """The code that was measured."""
    place = folder / peer.folder
    program = place / peer.program

    def git(*arguments):
        try:
            done = subprocess.run(["git", "-C", place, *arguments], capture_output=True, text=True, check=False)
        except OSError:  # git is not installed
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    return {
        "source": peer.source,
        "commit": git("rev-parse", "HEAD"),
        "dirty": bool(git("status", "--porcelain", "--untracked-files=no")),
        "executable_sha256": hashlib.sha256(program.read_bytes()).hexdigest() if program.is_file() else "",
        "arguments": f"{peer.program} {peer.arguments}",
    }


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def write(path, meta, lines):
    """Writes what is known so far; `lines`: [(row, samples)]."""
    path.mkdir(parents=True, exist_ok=True)
    write_file(path / "meta.json", json.dumps(meta, indent=2) + "\n")
    with new_file(path / "table-peers.csv") as file:
        writer = csv.DictWriter(file, runs.HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for row, _ in lines)
    with new_file(path / "samples.csv") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(runs.SAMPLES_HEADER)
        for line, (row, times) in enumerate(lines, start=2):
            writer.writerows(
                [row["table"], row["row"], line, i + 1, line - 1, i, 0, f"{ms:.7g}", ""] for i, ms in enumerate(times)
            )


def ours(options):
    """[the runs of our own rows], measured now on the same machine. Their meta.json names the machine and the files."""
    return [run_own(options, "frontier", implementations_of(options)), run_own(options, "improve", MAX_MIN)]


def implementations_of(options):
    return ["--implementations", options.implementations] if options.implementations else []


def run_own(options, driver, more):
    path = options.out / driver
    asked = [PROGRAM, driver, "--instances", options.instances, "--profile", options.profile, "--out", path, *more]
    done = subprocess.run(asked, check=False)
    if done.returncode not in (command.OK, command.SKIPPED):
        sys.exit(done.returncode)
    return runs.load_run(path)


def instances_of(run):
    """[{"name", "n", "path"}] of the files that our rows were measured on."""
    sizes = dict(zip(run.rows["instance"], run.rows["size"]))
    found = [{**each, "n": int(sizes[each["name"]])} for each in run.meta["inputs"] if each["name"] in sizes]
    read = [each for each in found if each.get("path") not in (None, "", "generated")]
    for each in (each for each in found if each not in read):
        print(
            f"{each['name']}: generated, but the peers read files; make instances downloads them, or set TSPLIB_DIR=DIR",
            file=sys.stderr,
        )
    return read


def folder_of_checkouts(folder):
    if not folder:
        raise argparse.ArgumentTypeError("name the folder with the checkouts: make bench-peers PEERS=DIR")
    return Path(folder)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="antbench-results bench-peers", description=__doc__.splitlines()[0])
    parser.add_argument("peers", type=folder_of_checkouts, metavar="DIR", help="folder with the programs' checkouts")
    parser.add_argument("--out", type=Path, help="default: results/runs/peers/TIME")
    parser.add_argument("--instances", default=INSTANCES, metavar="NAMES", help=f"default {INSTANCES}")
    parser.add_argument("--profile", default="quick", help="profile of our own rows (default quick)")
    parser.add_argument(
        "--implementations",
        metavar="NAMES",
        help="our own rows to measure, as antbench frontier takes them (default all)",
    )
    options = parser.parse_args(arguments)
    if not options.peers.is_dir():
        raise BadInput(
            f"PEERS={options.peers}: no such folder; expected a folder with checkouts of {', '.join(sorted({peer.source for peer in PEERS}))}"
        )
    options.peers = options.peers.resolve()
    options.out = options.out or command.new_folder(runs.yours() / "peers" / now().replace(":", ""))
    return options


def main(arguments):
    options = parse(arguments)
    beside, *others = ours(options)
    known = {name: beside.meta[name] for name in ("machine", "devices", "inputs", "build")}
    stamp = now().replace("-", "").replace(":", "")
    meta = {
        "schema": validate.SCHEMA,
        "run_id": f"{runs.machine_slug(runs.device_name(beside))}/{stamp}-peers",
        "program": runs.PROGRAM,
        "command_line": [runs.PROGRAM, "peers"],
        "options": {"profile": options.profile, "processes": PROCESSES},
        "started_utc": now(),
        "complete": False,
        **known,
        "beside": [run.run_id for run in (beside, *others)],
        "peers": {peer.row: checkout_of(peer, options.peers) for peer in PEERS},
    }
    devices, lines = {"cpu": beside.meta["machine"]["cpu"], "cuda": beside.device.get("name", "no GPU")}, []
    for instance in instances_of(beside):
        for peer in PEERS:
            measured = measure(peer, options.peers, instance)
            lines.append(row_of(peer, instance, measured, meta["run_id"], devices[peer.backend]))
            row, times = lines[-1]
            print(
                f"{peer.label:24} {instance['name']:8} {row['params']:50} {row['mean_ms'] or row['status']}  {row['note']}"
            )
            write(options.out / "peers", meta, lines)
    if not lines:
        return command.SKIPPED
    write(options.out / "peers", {**meta, "ended_utc": now(), "complete": True}, lines)
    return command.OK if any(times for _, times in lines) else command.SKIPPED
