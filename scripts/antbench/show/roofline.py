"""The roofline of a GPU (Williams, Waterman and Patterson 2009): rows that know their bytes and operations against what
the GPU could do at most, measured in the same run (bench/clock/limits.c).

A row's limit is the longer of two times: that of its bytes at a copy's speed, and that of its operations at that of
multiply-adds in registers. Bytes are the fewest that any implementation must move, so that a row whose data stays in
the L2 cache can be beyond its limit. KTH's own intensities (eqs. 9 to 13) count what threads load.
"""

import math
from dataclasses import dataclass

from antbench.data import runs
from antbench.data.command import new_file

TILES = 21  # KTH's T
INTENSITIES = {  # of its rungs for filters of any rank, by the width of the filter: operations a byte
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
    bytes_a_second: float  # 1e9
    flops: float  # a second, 1e9; NaN where operations are not known
    intensity: float  # operations a byte
    by: str  # what limits it: "memory" or "operations"
    share: float  # of its limit

    @property
    def width(self):
        """Of a convolution's filter; 0 of anything else."""
        return int(dict(pair.partition("=")[::2] for pair in self.params.split(";") if pair).get("width", 0))


def limits_of(run):
    """{name: what the GPU does at most in a millisecond} of the rows that tell so: bytes of a "copy", operations "fma"."""
    found = {}
    for row in (row for row in run.records if row["scope"] == "setup"):
        name = row["implementation"].removeprefix("device/")
        amount = row["flops"] if name == "fma" else row["bytes"]
        if name != row["implementation"] and row["status"] in runs.MEASURED and amount == amount:
            found[name] = amount / row["mean_ms"]
    return found


def point(row, limits):
    """A row against the limits of its run; None where it does not know its bytes, or the run not what a copy does."""
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
    """The points of a machine, each row at its largest instance, tables in order."""
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
    """The parameters but the number of ants, which follows from the instance."""
    return ";".join(pair for pair in params.split(";") if not pair.startswith("ants="))


def roof(source):
    """{"copy": GB/s, "fma": GFLOPS ...} of the newest run that has both; {} where none has."""
    for run in reversed(source.runs):
        found = limits_of(run)
        if {"copy", "fma"} <= found.keys():
            return {name: amount / 1e6 for name, amount in found.items()}
    return {}


# ---- What the figures show: blocks for gnuplot, (label, [(x, y)]) ----


def write_data(path, blocks):
    with new_file(path) as file:
        for label, found in blocks:
            file.write(f'"{label}"\n' + "".join(f"{x:.6g} {y:.6g}\n" for x, y in found) + "\n\n")


def with_roof(found, limits):
    """The roof, then for each table the GFLOPS of its points by their operations a byte."""
    tables = {}
    for each in found:
        if each.flops == each.flops:
            tables.setdefault(each.table, []).append((each.intensity, each.flops))
    ends = (0.1, limits["fma"] / limits["copy"], 100)
    roof_line = [(x, min(x * limits["copy"], limits["fma"])) for x in ends]
    return [("copy in memory, multiply-adds", roof_line), *tables.items()] if tables else []


def of_kth(found, limits):
    """For each rung of the report that was measured its bound by the width of the filter, and its GFLOPS."""
    blocks = []
    for rung, intensity in INTENSITIES.items():
        reached = [(each.width, each.flops) for each in found if each.row == rung and each.table in ("kth-8", "kth-9")]
        bound = [(width, min(intensity(width) * limits["copy"], limits["fma"])) for width in range(3, 18, 2)]
        blocks += [(f"{rung}, bound", bound), (rung, reached)] if reached else []
    return blocks
