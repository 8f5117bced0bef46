"""Reads results of other harnesses: JSON of Google Benchmark (--benchmark_out), and of nvbench (--json or --jsonbin).

A file is what one process measured. Its rows have the columns of runs.KEY, so that the gate judges them as it judges
rows of antbench. A repetition of Google Benchmark is a sample. nvbench gives its samples with --jsonbin, else their mean,
which then counts as one sample.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from antbench.data import runs, validate
from antbench.data.command import BadInput

LARGEST = 1 << 26  # bytes of a file
GOOGLE, NVBENCH = "gbench", "nvbench"
TIMES = ("real", "cpu")  # what is judged; the real time of nvbench is the GPU's, except for a benchmark of the CPU
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}  # in ms
FITS = ("BigO", "RMS")  # aggregates over several rows
SAMPLES = "nv/json/bin:nv/cold/sample_times"
MEANS = {
    "real": {"nv/cold/time/gpu/mean": "gpu", "nv/batch/time/gpu/mean": "gpu batch", "nv/cpu_only/time/cpu/mean": "cpu"},
    "cpu": {"nv/cold/time/cpu/mean": "cpu", "nv/cpu_only/time/cpu/mean": "cpu"},
}  # {tag of a summary: scope of the row}; the first that a state has counts


@dataclass(frozen=True, eq=False)
class Process:
    """A file. For the gate it is a run of unknown device code."""

    path: Path
    program: str  # file name of the program that wrote it
    version: str  # version and build of the harness
    rows: list = field(repr=False)  # [(row, its samples in ms)]
    device_code = ""
    meta = {}

    @property
    def run_id(self):
        return str(self.path)

    @property
    def driver(self):
        return self.program


def load(path, time):
    """The Process that wrote a file."""
    path = Path(path)
    found = validate.read_json(path, LARGEST, strict=False)
    try:
        process = (google if "context" in found else nvbench)(path, found, time)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadInput(
            f"{path}:1: no result of Google Benchmark or nvbench ({type(error).__name__}: {error})"
        ) from None
    seen = set()
    for row, samples in process.rows:
        row["run"] = process
        key = tuple(row[name] for name in (*runs.KEY, "device"))
        if key in seen:
            raise BadInput(
                f"{path}:1: {row['row']} {row['params']} is there twice; give each benchmark a name of its own"
            )
        seen.add(key)
        if not all(validate.is_text(row[name]) for name in (*runs.KEY, "device", "note")):
            raise BadInput(f"{path}:1: {row['row']!r} holds a control character")
        if not (np.isfinite(samples).all() and (samples > 0).all()):
            raise BadInput(
                f"{path}:1: {row['row']}: its {time} time is {samples[~(samples > 0)][:1]}, expected above 0"
            )
    return process


def load_all(names, time):
    """The Processes of files, and of all *.json in folders and the folders below, in the order of their names."""
    paths = []
    for name in map(Path, names):
        inside = sorted(name.rglob("*.json"), key=lambda path: runs.in_turn(str(path))) if name.is_dir() else [name]
        if not inside:
            raise BadInput(f"{name}: no file *.json is there")
        paths += inside
    return [load(path, time) for path in dict.fromkeys(paths)]


def made_row(backend, name, params, scope, device, status="ok", note=""):
    empty = dict.fromkeys(runs.KEY, "")
    known = {"row": name, "backend": backend, "params": params, "scope": scope, "device": device}
    return {**empty, **known, "status": status, "note": note}


# ---- Google Benchmark ----


def google(path, found, time):
    context, repetitions, aggregated = found["context"], {}, []
    for each in found["benchmarks"]:
        name = each.get("run_name", each["name"])
        if each.get("run_type", "iteration") == "iteration":
            repetitions.setdefault(name, []).append(each)
        elif each.get("aggregate_name") not in FITS:
            aggregated.append(name)
    for name in aggregated:
        if name not in repetitions:
            raise BadInput(
                f"{path}:1: {name} has aggregates only, and the gate needs each repetition: "
                "measure without --benchmark_report_aggregates_only"
            )
    if not repetitions:
        raise BadInput(f"{path}:1: holds no benchmark")
    device = f"{context.get('host_name', 'a host')}, {context['num_cpus']} CPUs"
    rows = [google_row(path, name, of_row, time, device) for name, of_row in repetitions.items()]
    version = f"Google Benchmark {context.get('library_version', '')} {context.get('library_build_type', '')}"
    return Process(path, PurePosixPath(context.get("executable", "")).name, version, rows)


def google_row(path, name, repetitions, time, device):
    numbers = [each.get("repetition_index", i) for i, each in enumerate(repetitions)]
    if len(set(numbers)) < len(numbers):
        raise BadInput(f"{path}:1: several benchmarks are named {name}; give each a name of its own")
    for each in repetitions:
        if each.get("error_occurred"):
            return made_row(GOOGLE, name, "", time, device, "error", each.get("error_message", "")), np.array([])
        if each.get("skipped"):
            return made_row(GOOGLE, name, "", time, device, "skipped", each.get("skip_message", "")), np.array([])
    ordered = [each for _, each in sorted(zip(numbers, repetitions), key=lambda pair: pair[0])]
    samples = [float(each[f"{time}_time"]) * UNITS[each["time_unit"]] for each in ordered]
    return made_row(GOOGLE, name, "", time, device), np.array(samples)


# ---- nvbench ----


def nvbench(path, found, time):
    devices = {device["id"]: device["name"] for device in found["devices"]}
    rows = [
        nvbench_row(path, benchmark["name"], state, time, devices)
        for benchmark in found["benchmarks"]
        for state in benchmark["states"] or []
    ]
    if not rows:
        raise BadInput(f"{path}:1: holds no benchmark")
    version = found["meta"].get("version", {}).get("nvbench", {})
    told = " ".join(str(version.get(name, "")) for name in ("string", "git_sha"))
    return Process(path, PurePosixPath(found["meta"]["argv"][0]).name, f"nvbench {told}", rows)


def nvbench_row(path, name, state, time, devices):
    words = state["name"].split()
    params = " ".join(word for word in words if len(devices) > 1 or not word.startswith("Device="))
    device = devices.get(state.get("device"), "CPU")
    if state.get("is_skipped"):
        scope = "gpu" if time == "real" and state.get("device") in devices else "cpu"
        return made_row(NVBENCH, name, params, scope, device, "skipped", state.get("skip_reason", "")), np.array([])
    summaries = {each["tag"]: {data["name"]: data["value"] for data in each["data"]} for each in state["summaries"]}
    tag = next((tag for tag in MEANS[time] if tag in summaries), None)
    if tag is None:
        raise BadInput(f"{path}:1: {name} {params} has none of {', '.join(MEANS[time])}")
    scope = MEANS[time][tag]
    if scope == "gpu" and SAMPLES in summaries:
        samples = read_samples(path, summaries[SAMPLES])
    else:
        samples = np.array([float(summaries[tag]["value"])])
    return made_row(NVBENCH, name, params, scope, device), 1e3 * samples


def read_samples(path, told: Mapping):
    """The times of a state in seconds. nvbench writes them as float32 into a folder beside its file."""
    name, size = Path(told["filename"]), int(told["size"])
    file = path.parent / name.parent.name / name.name
    values = np.frombuffer(validate.bytes_of(file, LARGEST), dtype="<f4").astype(float)
    if len(values) != size or math.isnan(values.sum()):
        raise BadInput(f"{file}: expected {size} times, found {len(values)}")
    return values
