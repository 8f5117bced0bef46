"""Checks a run before it is used: regress, compare, claims, report and `make results-check RUN=DIR` share this.

A run may come from others, so everything that can be checked is checked. META says what meta.json must hold. Times must
be finite and above 0. A table's statistics must follow from its samples, as bench/row/stats.c computes them. So must
its status. plausible.py checks everything else. A fault is a BadInput that names the file and the line.
"""

import functools
import json
import math
import re
from datetime import datetime

import numpy as np
from scipy import special

from antbench.data.command import CONTROL, BadInput

# ---- meta.json ----

SCHEMA = 5  # of meta.json and the tables (bench/record/meta.c)


def is_text(value):
    """True for text without control characters, which would break a line, a terminal or an XML file."""
    return isinstance(value, str) and not CONTROL.search(value)


def is_word(value):
    return is_text(value) and re.fullmatch(r"[A-Za-z0-9][\w.+-]*", value) is not None


def is_number(value):
    return is_whole(value) or isinstance(value, float) and math.isfinite(value)


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


LONGEST_NAME = 200  # characters: the longest kept one has 46, and a file of its name must fit a folder


def is_name(value):
    return is_text(value) and len(value) <= LONGEST_NAME


def is_flag(value):
    return isinstance(value, bool)


def is_time(value):
    """True for a time of this century such as 2026-01-31T23:59:59Z."""
    try:
        return is_text(value) and value.startswith("20") and bool(datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return False


def is_commit(value):
    """True for a commit as git prints it, short or whole, and for "unknown", which a build without git has."""
    return value == "unknown" or isinstance(value, str) and bool(re.fullmatch(r"[0-9a-f]{7,40}", value))


def is_fingerprint(value):
    """True for a SHA-256 as hexadecimal text."""
    return isinstance(value, str) and bool(re.fullmatch(r"[0-9a-f]{64}", value))


def up_to(most):
    """A test for numbers from 0, which stands for unknown, to `most`."""
    return lambda value: is_number(value) and 0 <= value <= most


MOST_CORES = 1 << 20


def is_cores(value):
    return is_whole(value) and 0 <= value <= MOST_CORES


def is_command(value):
    """True for a program, its driver and options."""
    return isinstance(value, list) and len(value) > 1 and all(map(is_text, value))


def is_hashes(value):
    """True for {file: its hash}."""
    return isinstance(value, dict) and all(map(is_text, (*value, *value.values())))


def is_outlook(value):
    """A verdict of the doctor (bench/clock/doctor.c)."""
    return value in ("ok", "will spoil", "cannot tell")


def is_budget(value):
    return value == "none" or is_number(value)


# {member: what it must be}: a function, a list with one form for all items, or a dictionary for an object. A member
# with ? may be absent or null. Other members are allowed.
DEVICE = {
    "name": is_name,
    "uuid?": is_text,
    "fingerprint?": is_fingerprint,
    "other_processes?": is_whole,
    "driver?": is_text,
    "sm_count?": up_to(1 << 12),
    "clock_mhz?": up_to(10_000),
    "memory_clock_mhz?": up_to(100_000),
    "memory_bus_bits?": up_to(1 << 15),
    "l2_bytes?": up_to(1 << 36),
    "cuda_runtime?": up_to(1_000_000),
    "power_limit_w?": up_to(20_000),
    "ecc?": is_flag,
}
META = {
    "schema": is_whole,
    "run_id": is_name,
    "program": is_word,
    "command_line": is_command,
    "options": {
        "profile": is_word,
        "backend?": is_word,
        "device?": is_whole,
        "processes?": is_whole,
        "process?": is_whole,
        "verify?": is_flag,
        "runs?": is_whole,
        "iterations?": is_whole,
        "time_budget_s?": is_budget,
        "energy_s?": is_number,
        "seed?": is_whole,
        "instances?": [is_text],
        "implementations?": [is_text],
        "rows?": [is_text],
        "set?": [is_text],
    },
    "started_utc": is_time,
    "resumed_utc?": [is_time],
    "ended_utc?": is_time,
    "complete": is_flag,
    "exit_code?": is_whole,
    "processes?": [{"started_utc?": is_time, "ended_utc?": is_time}],
    "verification?": {"run_id": is_name, "started_utc": is_time, "ended_utc": is_time},
    "inputs": [{"name": is_name, "sha256": is_text, "path?": is_text}],
    "machine": {
        "name": is_name,
        "fingerprint?": is_fingerprint,
        "cpu": is_name,
        "os?": is_text,
        "logical_cores?": is_cores,
        "usable_cores?": is_cores,
        "virtual?": is_flag,
        "hypervisor?": is_text,
        "threads_per_core?": is_cores,
        "effective_cores?": up_to(MOST_CORES),
    },
    "devices": [DEVICE],
    "doctor?": [{"what": is_text, "verdict": is_outlook, "value": is_text, "advice?": is_text}],
    "build": {
        "commit": is_commit,
        "dirty": is_flag,
        "cc?": is_text,
        "nvcc?": is_text,
        "kernels?": is_hashes,
        "device_code_sha256?": is_text,
        "cpu_code_sha256?": is_text,
        "executable_sha256?": is_text,
    },
}


def fault_of(value, form, name):
    """What is wrong with a value, or None."""
    if isinstance(form, list):
        if not isinstance(value, list):
            return f"{name} is no list"
        return next(filter(None, (fault_of(item, form[0], f"{name}[{i}]") for i, item in enumerate(value))), None)
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return f"{name or 'it'} is no object"
        return next(filter(None, (fault_of_member(value, *member, name) for member in form.items())), None)
    return None if form(value) else f"{name} is {shown(value)}"


def fault_of_member(parent, name, form, above):
    key = name.removesuffix("?")
    path = f"{above}.{key}" if above else key
    if parent.get(key) is None:
        return None if name.endswith("?") else f"there is no {path}"
    return fault_of(parent[key], form, path)


def shown(value):
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def each_once(pairs):
    """An object. Readers do not agree on which of two members of one name holds."""
    found = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{shown(name)} is there twice")
        found[name] = value
    return found


def bytes_of(path, most):
    """The bytes of a run's file. Pipes and devices, which may have no end, are refused."""
    try:
        if not path.is_file():
            raise BadInput(f"{path}: {'not a regular file' if path.exists() else 'No such file or directory'}")
        if path.stat().st_size > most:
            raise BadInput(f"{path}: holds more than {most >> 20} MiB")
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None


LARGEST_JSON = 1 << 20  # bytes; the largest kept meta.json has 16 kB


def read_json(path, most=LARGEST_JSON, strict=True):
    """A JSON file of any form. If not `strict`, NaN and infinite numbers, and a name that is there twice, may be in it."""
    rules = {"parse_constant": refuse_constant, "object_pairs_hook": each_once} if strict else {}
    try:
        return json.loads(bytes_of(path, most).decode("utf-8"), **rules)
    except UnicodeDecodeError:
        raise BadInput(f"{path}:1: not a text file (UTF-8)") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}:1: not JSON: {error}") from None


def check_meta(path, meta):
    """The schema comes first: a run of another one may have other members."""
    fault = fault_of(meta, {"schema": META["schema"]}, "")
    if not fault and meta["schema"] != SCHEMA:
        told = f"schema {meta['schema']}, but this program reads schema {SCHEMA} only"
        raise BadInput(f"{path}:1: {told}: measure again, and move this run elsewhere")
    if fault := fault or fault_of(meta, META, ""):
        raise BadInput(f"{path}:1: not the description of a run: {fault}")


# ---- A row ----

LEAST_MS, MOST_MS = 1e-7, 1e10  # of a sample: less than a clock of a GPU, and four months
ABOVE_0 = ("median_ms", "mean_ms", "min_ms", "q1_ms", "q3_ms", "max_ms")
IN_ORDER = ("min_ms", "q1_ms", "median_ms", "q3_ms", "max_ms")
WHOLE = ("size", "seed", "samples", "processes", "iterations", "discarded")
FORMULA = "=+-@"  # first characters of a formula in a spreadsheet
LEEWAY = 1e-9  # numbers of a table have twelve digits


def row_fault(cells, numbers, key):
    """What is wrong with a row alone, or None."""
    if not is_text("".join(cells.values())):
        return f"{next(name for name, text in cells.items() if not is_text(text))} has a control character"
    if name := next((name for name in key if cells[name][:1] in FORMULA and cells[name]), None):
        return f'{name} begins like a formula of a spreadsheet: "{cells[name]}"'
    if name := next((name for name in (*key, "device") if len(cells[name]) > LONGEST_NAME), None):
        return f"{name} has more than {LONGEST_NAME} characters"
    if name := next((name for name in WHOLE if numbers[name] < 0 or numbers[name] % 1 > 0), None):
        return f'{name} is no count: "{cells[name]}"'
    if name := next((name for name in ABOVE_0 if numbers[name] <= 0), None):
        return f'{name} is not above 0: "{cells[name]}"'
    if name := next((name for name in ABOVE_0 if numbers[name] < LEAST_MS or numbers[name] > MOST_MS), None):
        return f'{name} is no time of a kernel: "{cells[name]}"'
    if name := next((name for name in ("stddev_ms", "waited") if numbers[name] < 0), None):
        return f'{name} is below 0: "{cells[name]}"'
    is_timed = numbers["samples"] > 0
    if name := next((name for name in ABOVE_0 if math.isnan(numbers[name]) == is_timed), None):
        return f"has samples but no {name}" if is_timed else f"has {name} but no samples"
    return order_fault(numbers) if is_timed else None


def order_fault(numbers):
    """A contradiction between statistics of the same times, or None."""
    leeway = LEEWAY * numbers["max_ms"]
    ends = ("ci95_lo_ms", "ci95_hi_ms")
    inside = "mean_ms" if numbers["processes"] > 1 else "median_ms"  # the number that the interval belongs to
    chains = [IN_ORDER, ("min_ms", "mean_ms", "max_ms"), (ends[0], inside, ends[1])]
    for below, above in (pair for chain in chains for pair in zip(chain, chain[1:])):
        if numbers[below] > numbers[above] + leeway:
            return f"{below} is above {above}"
    if math.isnan(numbers[ends[0]]) != math.isnan(numbers[ends[1]]):
        return "an interval has one end"
    return None


# ---- Its samples ----

SAMPLE_DIGITS = 1e-6  # as a share of the largest sample: samples have seven digits
INTERVAL_DIGITS = 3e-5  # Student's interval of two processes is 12.7 times as wide as their differences


def quantile(ordered, share):
    """A quantile of sorted samples as numpy.quantile interpolates it, which takes twenty times as long for a few."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def summary(processes):
    """{column: value} of the kept samples of each process, as bench/row/stats.c computes them."""
    kept = [samples[~np.isnan(samples)] for samples in processes]
    kept = [samples for samples in kept if len(samples)]
    if not kept:
        return {}
    everything = np.sort(np.concatenate(kept))
    n = len(everything)
    found = {
        "median_ms": quantile(everything, 0.5),
        "mean_ms": everything.sum() / n,
        "stddev_ms": everything.std(ddof=1) if n > 1 else math.nan,
        "min_ms": everything[0],
        "q1_ms": quantile(everything, 0.25),
        "q3_ms": quantile(everything, 0.75),
        "max_ms": everything[-1],
    }
    if len(kept) == 1:
        low, high = median_interval(everything)
    else:
        means = np.array([samples.sum() / len(samples) for samples in kept])
        half = student(len(kept) - 1) * means.std(ddof=1) / math.sqrt(len(kept))
        found["mean_ms"] = means.mean()
        low, high = on_logarithms(means.mean(), half)
    return {**found, "ci95_lo_ms": low, "ci95_hi_ms": high}


def on_logarithms(mean, half):
    """(low, high): the interval mean ± half, carried over to logarithms to stay above 0 (bench/row/stats.h)."""
    return mean * math.exp(-half / mean), mean * math.exp(half / mean)


@functools.cache
def student(df):
    return special.stdtrit(df, 0.975)


@functools.cache
def median_rank(n):
    near = int(special.bdtrik(0.025, n, 0.5))
    return next(rank for rank in range(max(near - 1, 0), n) if special.bdtr(rank, n, 0.5) >= 0.025)


def median_interval(ordered):
    """The 95 % interval of the median from order statistics; NaN below 6 samples."""
    n, rank = len(ordered), median_rank(len(ordered))
    return (ordered[rank - 1], ordered[n - rank]) if rank > 0 else (math.nan, math.nan)


def check_statistics(path, row, processes, taken):
    """Compares a row's statistics with its samples, and returns summary() of these. `path`: the table file. `taken`:
    number of samples, discarded ones too.
    """
    expected = summary(processes)
    kept = sum(np.count_nonzero(~np.isnan(samples)) for samples in processes)
    of = f"{path}:{int(row['line'])}"
    if kept != (0 if math.isnan(row["samples"]) else row["samples"]):
        raise BadInput(f"{of}: says {row['samples']:.0f} samples, but samples.csv has {kept} kept samples of it")
    counts = {"discarded": taken - kept, "processes": sum(not np.isnan(samples).all() for samples in processes)}
    for name, count in counts.items():
        if count != (0 if math.isnan(row[name]) else row[name]):
            raise BadInput(f"{of}: {name} is {row[name]:.0f}, but its samples give {count}")
    longest = max(map(len, processes), default=0)
    if row["iterations"] > longest:
        raise BadInput(f"{of}: iterations is {row['iterations']:.0f}, but a process has {longest} samples at most")
    for name, value in expected.items():
        digits = INTERVAL_DIGITS if name.startswith("ci95") else SAMPLE_DIGITS
        size = max(value, expected["max_ms"])  # an interval on logarithms may end far above the samples
        if math.isnan(value) != math.isnan(row[name]) or abs(value - row[name]) > digits * size:
            raise BadInput(f"{of}: {name} is {row[name]:.9g}, but its samples give {value:.9g}")
    return expected


# ---- Its status ----

FAR, RAISED, APART = 3.0, 0.05, 0.5  # the same numbers as in bench/row/stats.h
NOISY, WAITED = 0.05, 0.05  # the same numbers as in bench/row/judge.h
NEAR_A_LIMIT = 1e-4  # the program judged samples with more digits than it wrote


def shape(processes, wholes, far=FAR):
    """(raised, apart) as ab_find_shape computes them, from the kept samples and the whole samples that these are parts
    of.

    `raised` is the share by which far samples raise the mean of the processes' means. `apart` is the share by which the
    mean of the other whole samples lies above the median.
    """
    near = [whole <= far * quantile(np.sort(whole), 0.25) for whole in wholes]
    raised, near_wholes = 0.0, wholes
    if not all(which.all() for which in near):
        raised = mean_of_means(processes) / mean_of_means([part[which] for part, which in zip(processes, near)]) - 1
        near_wholes = [whole[which] for whole, which in zip(wholes, near)]
    return raised, mean_of_means(near_wholes) / np.median(np.concatenate(wholes)) - 1


def mean_of_means(processes):
    return sum(samples.sum() / len(samples) for samples in processes) / len(processes)


def status_of(processes, wholes, waited=math.nan, leeway=1.0, known=None):
    """The status that follows from the times alone (ab_judge_times), with every limit multiplied by `leeway`. `known`:
    what summary() gives.
    """
    kept = [~np.isnan(samples) for samples in processes]
    wholes, processes = (
        [samples[which] for samples, which in zip(each, kept) if which.any()] for each in (wholes, processes)
    )
    if not processes:
        return "timeout"
    found = known or summary(processes)
    low, high = found["ci95_lo_ms"], found["ci95_hi_ms"]
    if math.isnan(low):
        return "few"
    error = (high - low) / 2 / found["mean_ms" if len(processes) > 1 else "median_ms"]
    if error > NOISY * leeway or waited > WAITED * leeway:
        return "noisy"
    raised, apart = shape(processes, wholes, FAR * leeway)
    return "noisy" if raised > RAISED * leeway or abs(apart) > APART * leeway else "ok"


def check_status(path, row, processes, wholes, known):
    """Compares a timed row's status with its samples, and for a stage with the whole samples too. `known`: what
    summary() gives.
    """
    if row["samples"] > 0:
        if [len(samples) for samples in wholes] != [len(samples) for samples in processes]:
            wholes = processes
        found = None
        for leeway in (-NEAR_A_LIMIT, NEAR_A_LIMIT):
            if found != row["status"]:
                found = status_of(processes, wholes, row["waited"], 1 + leeway, known)
        if found != row["status"]:
            raise BadInput(f"{path}:{int(row['line'])}: status is {row['status']}, but its samples give {found}")
