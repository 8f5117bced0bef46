"""The roofline of a GPU (Williams, Waterman and Patterson, 2009): rows against the most that the GPU can do.

The limits are measured in the same run (bench/clock/limits.c). A row needs time to move its bytes, at the speed of a
copy. It needs time for its operations, at the speed of multiply-adds in registers. The longer of the two is its limit.
The bytes are the least that any implementation must move. So a row can exceed its limit if its data stay in the L2
cache. KTH's own intensities (equations 9 to 13) count what threads load.
"""

import math
from dataclasses import dataclass

from antbench.data import rows, runs
from antbench.data.command import new_file

COPY = "memcpy"  # a row that computes nothing, though its operation counts operations
TILES = 21  # KTH's tile size T
INTENSITIES = {  # operations per byte of KTH's rungs for filters of any rank, by the filter's width
    "naive": lambda width: 0.25,
    "shared": lambda width: 2 * width**2 / (16 + 4 * width**2),
    "shared-constant": lambda width: 2 * width**2 / 16,
    "tiling": lambda width: 2 * width**2 * TILES / (4 * (8 + 2 * (TILES - 2))),
}


@dataclass(frozen=True)
class Point:
    table: str
    row: str
    instance: str
    params: str
    bytes_a_second: float  # in 10^9
    flops: float  # per second, in 10^9; NaN if operations are unknown
    intensity: float  # operations per byte
    by: str  # limiting part: "memory" or "operations"
    share: float  # share of the limit that the row reaches

    @property
    def width(self):
        """The width of a convolution's filter; 0 for other operations."""
        return int(dict(pair.partition("=")[::2] for pair in self.params.split(";") if pair).get("width", 0))


def limits_of(run):
    """{name: most work per millisecond}, from the rows that measure it: bytes for "copy", operations for "fma"."""
    found = {}
    for row in (row for row in run.records if row["scope"] == "setup"):
        name = row["implementation"].removeprefix("device/")
        amount = row["flops"] if name == "fma" else row["bytes"]
        if name != row["implementation"] and row["status"] in runs.MEASURED and amount == amount:
            found[name] = amount / row["mean_ms"]
    return found


def point(row, limits):
    """A row against the limits of its run; None if the row's bytes or the speed of a copy are unknown."""
    known = row["bytes"] / row["mean_ms"] if row["status"] in runs.MEASURED else math.nan
    if not (known > 0 and "copy" in limits):
        return None
    counted = row["flops"] == row["flops"] and "fma" in limits
    moving, computing = row["bytes"] / limits["copy"], row["flops"] / limits["fma"] if counted else 0.0
    return Point(
        *(row["table"], row["row"], row["instance"], row["params"]),
        bytes_a_second=known / 1e6,
        flops=row["flops"] / row["mean_ms"] / 1e6,
        intensity=row["flops"] / row["bytes"],
        by="operations" if computing > moving else "memory",
        share=max(moving, computing) / row["mean_ms"],
    )


def points(source):
    """The points of a machine: each row at its largest instance, in the order of tables."""
    limits = {run.run_id: limits_of(run) for run in source.runs}
    largest = {}
    for row in runs.records_of(source.rows):
        if row["backend"] == "cuda" and row["scope"] not in ("setup", "end-to-end"):
            place = (row["table"], row["row"], of_all_sizes(row["params"]), row["scope"])
            found = point(row, limits.get(row["run_id"], {}))
            if found and row["size"] >= largest.get(place, (0,))[0]:
                largest[place] = (row["size"], found)
    return [found for _, (_, found) in sorted(largest.items())]


def of_all_sizes(params):
    """The parameters without the number of ants, which follows from the instance."""
    return ";".join(pair for pair in params.split(";") if not pair.startswith("ants="))


def roof(source):
    """{"copy": GB/s, "fma": GFLOPS ...} of the newest run that has both; {} without such a run."""
    for run in reversed(source.runs):
        found = limits_of(run)
        if {"copy", "fma"} <= found.keys():
            return {name: amount / 1e6 for name, amount in found.items()}
    return {}


# ---- The blocks of the figures for gnuplot: (label, [(x, y)]) ----


def write_data(path, blocks):
    with new_file(path) as file:
        for label, found in blocks:
            file.write(f'"{label}"\n' + "".join(f"{x:.6g} {y:.6g}\n" for x, y in found) + "\n\n")


def with_roof(found, limits):
    """The roof, then for each table the GFLOPS of its points by their operations per byte."""
    tables = {}
    for each in found:
        if each.flops == each.flops and each.row != COPY:
            tables.setdefault(rows.title(each.table), []).append((each.intensity, each.flops))
    ends = (0.1, limits["fma"] / limits["copy"], 100)
    roof_line = [(x, min(x * limits["copy"], limits["fma"])) for x in ends]
    return [("copy in memory, multiply-adds", roof_line), *tables.items()] if tables else []


def of_kth(found, limits):
    """For each measured rung of the report its bound by the width of the filter, and its GFLOPS."""
    blocks = []
    for rung, intensity in INTENSITIES.items():
        reached = [(each.width, each.flops) for each in found if each.row == rung and each.table in ("kth-8", "kth-9")]
        bound = [(width, min(intensity(width) * limits["copy"], limits["fma"])) for width in range(3, 18, 2)]
        blocks += [(f"{rung}, bound", bound), (rung, reached)] if reached else []
    return blocks
