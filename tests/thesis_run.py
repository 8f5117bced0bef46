"""A run directory as if the thesis's machine had written it: its published times as means of samples with a deviation
of 1 %.

What the thesis has no numbers for (noise, thickness, runs without caching) is made up so that its claims hold.
"""

import csv
import json
import struct
import zlib

import numpy as np
from scipy import stats

from antbench.data import plausible, runs, validate

DEVICE, CPU = "NVIDIA GeForce GTX 580", "Intel Core i7 950"
RUN_ID = "geforce-gtx-580/20150901T000000Z-0000000"
PHOTOGRAPHS = ("lena", "mandrill", "peppers", "house", "cameraman")
MISSED = {"canny-h4": 262, "canny-h10": 26}  # pixels of all of Canny's
ON_CPU = ("acotsp", "seq", "opencv")


# Normal quantiles, of mean 0 and deviation 1 %.
DEVIATIONS = stats.norm.ppf((np.arange(100) + 0.5) / 100)
DEVIATIONS *= 0.01 / DEVIATIONS.std(ddof=1)


def samples_of(ms):
    return [float(f"{ms * (1 + each):.7g}") for each in DEVIATIONS]


def made_row(table, row, instance, ms, params="", scope="iteration", **more):
    """One line of a table file."""
    backend = "cpu" if row.startswith(ON_CPU) else "cuda"
    cells = dict.fromkeys(runs.HEADER, "")
    cells.update(
        schema=validate.SCHEMA,
        run_id=RUN_ID,
        table=table,
        row=row,
        instance=instance,
        size=1,
        implementation=f"x/{row}",
        backend=backend,
        device=CPU if backend == "cpu" else DEVICE,
        params=params,
        scope=scope,
        seed=1,
        status="ok",
        samples=100,
        processes=1,
        iterations=100 if scope in plausible.OF_RUNS else "",
        discarded=0,
        verify_metric="valid-tours",
        verify_value=1,
        **validate.summary([np.array(samples_of(ms))]),
        **{"own samples": samples_of(ms)},
    )
    cells.update(median_ms=ms, mean_ms=ms, stddev_ms=ms / 100)  # to all digits
    cells.update(more)
    return cells


def tsp_rows(published):
    for line in published.itertuples():
        if (
            line.table in ("3.3", "4.1", "4.2")
            and line.metric == "iteration"
            and (line.table, line.row) != ("4.1", "acotsp-seq-nn")
        ):
            yield made_row(line.table, line.row, line.instance, line.value, "protocol=as-best")
        elif line.table == "3.4":
            yield made_row("3.4", line.row, line.instance, line.value, f"protocol=as-best;stage={line.metric}", "stage")
    for name in ("d198", "pr2392"):
        yield made_row("3.4", "ds-roulette", name, 0.001, "protocol=as-best;stage=choice", "stage")


def image_rows(published):
    for line in published.itertuples():
        if line.table == "5.1" and line.metric == "run":
            for image in ("lena", "mandrill", "shapes-1024"):
                yield made_row("5.1", line.row, image, line.value, scope="run", size=1024**2)
            if line.row.startswith("warp"):
                yield made_row("F5.7", f"{line.row}-uncached", "lena", line.value * 1.5, scope="run")
        elif line.table == "6.1":
            row = "opencv-1" if line.row == "opencv" else line.row
            maps = dict(size=512**2, verify_metric="mismatched-pixels", verify_value=0)
            if row in MISSED:
                share = MISSED[row] / 512**2
                maps |= dict(quality_metric="mismatch-share", quality_best=share, quality_mean=share)
            yield made_row("6.1", row, line.instance, line.value, scope="kernel", **maps)
            yield made_row("6.1", row, line.instance, line.value * 3, scope="end-to-end")
    for row, ms in (("npp", 1.0), ("canny-gpu", 2.0)):
        yield made_row("6.1", row, "shapes-1024", ms, scope="kernel", size=1024**2, bytes=2 * 1024**2)
    copied = dict(implementation="device/copy", backend="cuda", device=DEVICE, bytes=8 * 1024**2)
    yield made_row("6.1", "copy", "8 MiB", 1.0, "bytes=4194304", "setup", **copied)


UNTIMED = dict.fromkeys([*runs.TIMES, "samples", "processes", "discarded", "own samples"], "")  # cells of such a row


def quality_row(table, row, instance, value, params):
    """A row that was looked at and not timed, after one run."""
    empty = {**UNTIMED, "verify_metric": "", "verify_value": ""}
    quality = dict(quality_metric="f", quality_best=value, quality_mean=value)
    return made_row(table, row, instance, 1, params, "quality", **empty, **quality)


def ant_rows():
    for ants, thickness in ((1500, 1.2), (3000, 1.6), (4500, 2.1), (6000, 2.4)):
        for image in ("lena", "shapes-512"):
            yield quality_row("F5.6", f"ants-{ants}", image, thickness, "metric=thickness")
            yield quality_row("F5.6", f"ants-{ants}", image, thickness / 10, "metric=edge-share")
    for image in ("lena", "shapes-512", "14085"):
        yield quality_row("F5.5", "warp-128", image, 0.9, "metric=f")
        yield quality_row("F5.5", "warp-128", image, 1, "metric=agreement-same-seeds")
        yield quality_row("F5.5", "sobel", image, 0.8, "metric=f")


def seeds_row(row, instance, params, value, metric="f", n=10):
    """A row of Figure 6.5, of n seeds that differ by half a percent; without noise there is one image."""
    made = quality_row("F6.5", row, instance, value, f"{params};metric={metric}")
    runs_ = [] if "level=0;" in params else [value * (1 + 0.005 * (-1) ** i) for i in range(n)]
    known = runs_ or [value]
    quality = {"quality_best": max(known), "quality_mean": sum(known) / len(known)}
    listed = " ".join(f"{each:.6g}" for each in runs_)
    return {**made, **quality, "quality_metric": metric, "quality_runs": listed}


def noise_rows():
    for row, values in (
        ("colour-edge", (0.9, 0.87, 0.85)),
        ("canny-opencv", (0.92, 0.6, 0.3)),
        ("sobel", (0.8, 0.4, 0.2)),
    ):
        for noise in ("salt-and-pepper", "gaussian"):
            for level, f in zip((0, 20, 40), values):
                at = f"noise={noise};level={level}"
                for picture in ("shapes-512", "ramp-512", "shapes-512-2"):
                    for tuning in ("fixed", "best") + ("planes",) * (row == "colour-edge"):
                        yield seeds_row(row, picture, f"{at};tuning={tuning}", f)
                for photograph in PHOTOGRAPHS if level else ():
                    for tuning in ("thesis", "best"):
                        yield seeds_row(row, photograph, f"{at};tuning={tuning}", f + 0.1, "agreement")
        yield quality_row("F6.6", row, "hue-512", 0.9 if row == "colour-edge" else 0, "tuning=best;metric=f")


def all_rows():
    published = runs.published()
    thesis = published[published["source"] == "thesis"]
    return [*tsp_rows(thesis), *image_rows(thesis), *ant_rows(), *noise_rows()]


def write_run(folder, rows=None, **device):
    """A run directory; its folder. `device`: members of its GPU."""
    folder.mkdir(parents=True)
    meta = {
        "schema": validate.SCHEMA,
        "run_id": RUN_ID,
        "program": "table_3_3",
        "command_line": [
            "build/bin/antbench",
            "3.3",
            "--profile",
            "thesis",
            "--backend",
            "cuda",
            "--out",
            "/somewhere",
        ],
        "options": {"profile": "thesis"},
        "started_utc": "2015-09-01T00:00:00Z",
        "ended_utc": "2015-09-01T00:03:30Z",
        "complete": True,
        "inputs": [],
        "machine": {"name": DEVICE, "cpu": CPU, "logical_cores": 8, "usable_cores": 8, "os": "Ubuntu 12.10"},
        "devices": [
            {
                **{"name": DEVICE, "sm_count": 16, "clock_mhz": 1544, "driver": "304"},
                **{"power_limit_w": 244.0, "ecc": False},
                **device,
            }
        ],
        "build": {"commit": "0000000", "dirty": False, "nvcc": "5.0", "cc": "gcc"},
    }
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    rows = all_rows() if rows is None else rows
    with open(folder / "table-3.3.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, runs.HEADER, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    with open(folder / "samples.csv", "w", encoding="utf-8") as file:
        file.write(",".join(runs.SAMPLES_HEADER) + "\n")
        for line, row in enumerate(rows, start=2):
            for i, ms in enumerate(row["own samples"]):
                file.write(f"{row['table']},{row['row']},{line},1,1,{i},{i},{ms:.7g},\n")
    return folder


def write_png(path, shade, side=64):
    """A grey image of one shade with a black frame."""
    frame = bytes(side)
    lines = [
        b"\0" + (frame if y in (0, side - 1) else b"\0" + bytes([shade]) * (side - 2) + b"\0") for y in range(side)
    ]

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"".join(lines)))
        + chunk(b"IEND", b"")
    )
