"""Checks a row of a run for values that cannot be, whatever its samples say. runs.load_run calls them.

Columns that follow from others are computed again: the quality from the list of all runs' qualities, bytes and
operations from the operation, its size and its parameters. Tours are compared with the optimum of the catalogue, and
times with the least time that the GPU needs. Energy is compared with the power limit of the board, and clocks with the
GPU's own clock.

A GPU is what meta.json says of it. Bounds are generous: no honest row comes near them (docs/log/faults.md).
"""

import csv
import functools
import math
import re
from types import MappingProxyType

from antbench.data.command import ROOT

MEASURED = ("ok", "noisy", "few")  # statuses of a measurement; few: too few samples for an interval
OF_RUNS = ("iteration", "stage")  # scopes of rows whose samples are iterations of repeated runs
UNTIMED = ("functional", "quality")  # scopes whose rows have no times
UNVERIFIED = ("device", "peer")  # operations without a verification
TOURS = "best-tour"  # prefix of metrics that are better if smaller
BOOST = 1.5  # factor on the highest clock that a GPU reports: some GPUs exceed it
A_CLOCK = 128  # most multiply-adds, and most bytes of shared memory, per clock of a multiprocessor
LEAST_POWER, MOST_POWER = 0.01, 2.0  # power that a GPU may draw at work, as shares of its limit
MELTED_C = 130  # degrees Celsius: GPUs switch off at about 100
GAP_MS = 1.0  # longest gap between two samples while energy is measured
LARGEST_ERROR = (
    1e-3  # relative error; the operations' own bounds are far below (kernels/choice_info, kernels/convolution)
)
LISTED = 1e-9  # leeway as a share: lists of lengths have all digits
LISTED_SHORT = 1e-5  # lists of other qualities have six digits
DIGITS = 1e-9  # numbers of a table have twelve digits


def params_of(row):
    """{parameter: value}, which cannot be changed."""
    return params_in(row["params"])


@functools.cache
def params_in(text):
    return MappingProxyType(dict(pair.partition("=")[::2] for pair in text.split(";") if pair))


def listed_qualities(row):
    """The quality of each complete run."""
    return [float(value) for value in row["quality_runs"].split()]


def fault(row, meta):
    """What is impossible in a row, or None."""
    return (
        status_fault(row)
        or iterations_fault(row)
        or quality_fault(row)
        or optimum_fault(row)
        or verify_fault(row, meta)
        or work_fault(row)
        or (row["backend"] == "cuda" and device_fault(row, meta["devices"]))
        or None
    )


def status_fault(row):
    is_timed, is_measured = row["samples"] > 0, row["status"] in MEASURED
    if is_timed and not is_measured:
        return f"has samples, but its status is {row['status']}"
    if is_measured and not is_timed and not (row["status"] == "ok" and row["scope"] in UNTIMED):
        return f"status is {row['status']}, but there are no samples"
    return None


def iterations_of_quality(row):
    """The number of iterations after which a quality was taken, from the name of its metric; None without it."""
    found = re.search(r"after-(\d+)-iterations", row["quality_metric"])
    return int(found[1]) if found else None


def iterations_fault(row):
    """A wrong number of first iterations, or None.

    If a run came to its end the number is the one after which its quality is taken.
    """
    count, after = row["iterations"], iterations_of_quality(row)
    if math.isnan(count):
        return None
    if row["scope"] not in OF_RUNS:
        return f"iterations is {count:.0f}, but rows of scope {row['scope']} have no iterations"
    if count < 1 or after not in (None, count):
        return f"iterations is {count:.0f}, but a run has {after or '1 or more'}"
    return None


# ---- Quality ----


def same(a, b, share):
    return math.isnan(a) and math.isnan(b) or abs(a - b) <= share * max(abs(a), abs(b)) < math.inf


def quality_fault(row):
    """A contradiction between best, mean and the list of qualities, or None.

    Without a list there is one value, unless a note says that the list is too long.
    """
    best, mean, is_tour = row["quality_best"], row["quality_mean"], row["quality_metric"].startswith(TOURS)
    if not row["quality_metric"]:
        is_empty = math.isnan(best) and math.isnan(mean) and not row["quality_runs"]
        return None if is_empty else "has a quality, but no quality_metric"
    values = listed_qualities(row)
    if not values and "too many to list" in row["note"]:
        return None if best == mean or (best < mean) == is_tour else "quality_best is not as good as quality_mean"
    if not values:
        return None if same(best, mean, DIGITS) else f"quality_best is {best:.9g}, quality_mean {mean:.9g}, of one run"
    share = LISTED if is_tour else LISTED_SHORT
    least_or_most = min(values) if is_tour else max(values)
    if not same(best, least_or_most, share):
        return f"quality_best is {best:.9g}, but the list quality_runs gives {least_or_most:.9g}"
    if not same(mean, sum(values) / len(values), share):
        return f"quality_mean is {mean:.9g}, but the list quality_runs gives {sum(values) / len(values):.9g}"
    return None


@functools.cache
def catalogue():
    """{name: (cities, optimum)} of TSPLIB's instances. A stand-in has a name of its own."""
    with open(ROOT / "instances/catalogue.csv", newline="", encoding="utf-8") as file:
        return {line["name"]: (int(line["n"]), int(line["optimum"])) for line in csv.DictReader(file)}


def optimum_fault(row):
    cities, optimum = catalogue().get(row["instance"], (0, math.nan))
    reference = row["quality_reference"]
    if not math.isnan(reference) and (reference != optimum or row["size"] != cities):
        return f"quality_reference is {reference:.9g}, but the optimum of the catalogue is {optimum:.9g}"
    if row["size"] == cities and row["quality_metric"].startswith(TOURS) and row["quality_best"] < optimum:
        return f"quality_best is {row['quality_best']:.9g}, below the optimum of {row['instance']}, {optimum}"
    return None


# ---- Verification, bytes and operations ----


class Parameters(dict):
    """A row's parameters as numbers; 1 if a parameter is missing or is no number."""

    def __init__(self, row):
        super().__init__(params_of(row))

    def __getattr__(self, name):
        text = self.get(name, "")
        return int(text) if text.isascii() and text.isdigit() else 1


def of_tours(n, p):
    """The bytes of a tour construction. Instances with very many cities have candidate sets in place of a matrix."""
    return 12.0 * n * n, 12.0 * n * p.nn


def of_pictures(bytes_a_pixel):
    """The bytes of a batch of pictures, for the GPU that has the most of them."""
    return lambda n, p: (bytes_a_pixel * n * -(-p.pictures // p.ranks),)


# {operation: (metrics of its verification, bytes per sample, operations per sample)}, as `size` in
# kernels/*/operation.c and bench/clock/limits.c have them.
OPERATIONS = {
    "tsp": (("valid-tours", "valid-sets"), of_tours, None),
    "choice-info": (("largest-relative-error",), lambda n, p: (12.0 * n * n,), lambda n, p: 3.0 * n * n),
    "deposit": (("valid-deposits",), lambda n, p: (8.0 * n * n + 4.0 * p.ants * (n + 1.0),), None),
    "convolution": (("largest-relative-error",), lambda n, p: (8.0 * n,), lambda n, p: 2.0 * p.width * p.width * n),
    "edge-ants": (("valid-moves",), lambda n, p: (8.0 * n * p.iterations,), None),
    "canny": (("mismatched-pixels",), of_pictures(2.0), None),
    "sobel": (("mismatched-pixels",), of_pictures(2.0), None),
    "log-edges": (("mismatched-pixels",), of_pictures(2.0), None),
    "colour-edge": (("mismatched-pixels",), of_pictures(5.0), None),
    "psystem": (("satisfying-membranes",), None, None),
    "device/copy": ((), lambda n, p: (2.0 * p.bytes,), None),
    "device/shared-memory": ((), lambda n, p: (1.0 * p.bytes,), None),
    "device/fma": ((), None, lambda n, p: 1.0 * p.operations),
}


def operation_of(row):
    """The operation of a row: "tsp" for "tsp/race". Each limit of a device is an operation of its own."""
    name = row["implementation"]
    return name if name in OPERATIONS else name.partition("/")[0]


def verify_fault(row, meta):
    """A missing or wrong verification, or None. The first process verifies a row before it times it."""
    metric, value, operation = row["verify_metric"], row["verify_value"], operation_of(row)
    is_due = row["samples"] > 0 or row["quality_metric"].startswith(TOURS)
    if row["status"] not in MEASURED or operation.partition("/")[0] in UNVERIFIED:
        return None
    if not metric and math.isnan(value):
        is_first = (meta["options"].get("process") or 1) == 1
        return (
            f"status is {row['status']}, but verify_metric and verify_value are empty" if is_due and is_first else None
        )
    known = OPERATIONS.get(operation, ((metric,),))[0]
    if not metric or metric not in known:
        return f'verify_metric is "{metric}", expected {" or ".join(known)}'
    if metric == "largest-relative-error":
        return None if 0 <= value <= LARGEST_ERROR else f"verify_value is {value:.9g}, an error that is never accepted"
    is_count = value >= metric.startswith("valid-") and value % 1 == 0
    return None if is_count else f"verify_value is {value:.9g}, which is no number of {metric.replace('-', ' ')}"


def work_fault(row):
    found = OPERATIONS.get(operation_of(row))
    for name, of in zip(("bytes", "flops"), found[1:] if found else ()):
        expected = of(row["size"], Parameters(row)) if of else ()
        expected = expected if isinstance(expected, tuple) else (expected,)
        if not math.isnan(row[name]) and not any(same(row[name], each, DIGITS) for each in expected):
            told = " or ".join(f"{each:.9g}" for each in expected) or "not known"
            return f"{name} is {row[name]:.9g}, but {row['implementation']} of this size has {told}"
    return next((f"{name} is not above 0" for name in ("bytes", "flops") if row[name] <= 0), None)


# ---- What a GPU can do ----


def device_fault(row, devices):
    return (
        clock_fault(row, devices)
        or conditions_fault(row, devices)
        or time_fault(row, devices)
        or energy_fault(row, devices)
    )


def clock_fault(row, devices):
    clock = row["sm_clock_mhz"]
    most = BOOST * max((device.get("clock_mhz") or math.inf for device in devices), default=math.inf)
    if clock <= 0 or clock > most:
        return f"sm_clock_mhz is {clock:.9g}, but the GPU says that its highest is {most / BOOST:.9g}"
    return None


def conditions_fault(row, devices):
    limit_w = sum(device.get("power_limit_w") or math.inf for device in devices)
    if row["power_w"] <= 0 or row["power_w"] > MOST_POWER * limit_w:
        return f"power_w is {row['power_w']:.9g}, but the GPU's power limit is {limit_w:.9g} W"
    if not MELTED_C > row["temperature_c"] > 0 and not math.isnan(row["temperature_c"]):
        return f"temperature_c is {row['temperature_c']:.9g}, at which no GPU works"
    return None


def in_all(devices, *names):
    """The product of members of meta.json, summed over the devices; infinity if one is unknown."""
    return sum(math.prod(device.get(name) or math.inf for name in names) for device in devices) or math.inf


def least_ms(row, devices):
    """(milliseconds, what takes them): the least time for a sample's bytes and operations, whatever caches hold.

    All bytes pass through the multiprocessors. The bytes of a pass that do not fit twice into the L2 cache pass through
    memory. Operations of a convolution are not bounded, since an implementation may need fewer than its row counts.
    """
    clocks_a_ms = 1e3 * BOOST * A_CLOCK * in_all(devices, "sm_count", "clock_mhz")
    bound = {"bytes through its multiprocessors": row["bytes"] / clocks_a_ms}
    operation, memory = operation_of(row), in_all(devices, "memory_clock_mhz", "memory_bus_bits")
    if operation != "convolution":
        bound["operations"] = row["flops"] / (2 * clocks_a_ms)
    if operation != "device/shared-memory":
        passes = Parameters(row).iterations if operation == "edge-ants" else 1
        moved = row["bytes"] - 2 * passes * in_all(devices, "l2_bytes")
        bound["bytes through its memory"] = moved / (1e3 * BOOST * 2 * memory / 8)
    return max(((ms, name) for name, ms in bound.items() if math.isfinite(ms)), default=(0.0, ""))


def time_fault(row, devices):
    ms, by = least_ms(row, devices)
    if row["median_ms"] < ms:
        return f"median_ms is {row['median_ms']:.9g}, but the GPU needs {ms:.3g} ms for its {by}"
    return None


def energy_fault(row, devices):
    """An impossible energy, or None."""
    joules, limit_w = row["energy_j"], sum(device.get("power_limit_w") or math.nan for device in devices)
    if joules <= 0:
        return f"energy_j is {joules:.9g}, not above 0"
    if joules < LEAST_POWER * limit_w * row["min_ms"] / 1e3:
        return f"energy_j is {joules:.9g}, less than the GPU draws when idle"
    if joules > MOST_POWER * limit_w * (row["max_ms"] + GAP_MS) / 1e3:
        return f"energy_j is {joules:.9g}, more than its power limit of {limit_w:.9g} W allows"
    return None
