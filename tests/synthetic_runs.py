"""Runs made up for the tests of the gate, with the noise that the stored runs on an H100 show.

Measured there, in percent of the median: spread within a run 0.05 to 1.2; correlation of neighbouring iterations up to
0.4; drift over 100 iterations -15 to +3; medians of two starts of a program differ by 0.14 or less in three rows of
four and by up to 1.3; and now and then a sample takes a tenth longer.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.signal import lfilter

from antbench.data import validate
from antbench.data.runs import HEADER, NUMBERS, Run

ITERATIONS = 100


class Machine:
    """The rows of a benchmark with their own levels of noise, measured as often as one likes."""

    def __init__(self, random, n_rows=10):
        self.random, self.n_rows = random, n_rows
        self.median_ms = np.exp(random.uniform(np.log(0.005), np.log(50), n_rows))
        self.spread = random.uniform(0.0005, 0.012, n_rows)
        self.correlation = random.uniform(0, 0.4, n_rows)
        self.drift = random.uniform(-0.15, 0.03, n_rows)
        self.between_starts = np.exp(random.uniform(np.log(0.0005), np.log(0.009), n_rows))

    def samples(self, i, slower):
        """Row i, whose code takes `slower` (0.1: a tenth) longer than at first."""
        a, random = self.correlation[i], self.random
        noise = lfilter([np.sqrt(1 - a * a)], [1, -a], random.normal(size=ITERATIONS + 20))[20:] * self.spread[i]
        settled = self.drift[i] * (1 - np.exp(-np.arange(ITERATIONS) / 25))
        hiccups = np.where(random.random(ITERATIONS) < 0.01, random.exponential(0.1, ITERATIONS), 0)
        start = random.normal() * self.between_starts[i]
        return self.median_ms[i] * (1 + slower) * np.exp(noise + settled + hiccups + start)

    def measure(self, processes=1, slower=None, started="2026"):
        """A run of so many processes; slower = {row: 0.1}."""
        slower = slower or {}
        rows = range(self.n_rows)
        return made_run({i: [self.samples(i, slower.get(i, 0)) for _ in range(processes)] for i in rows}, started)


def made_run(samples, started="2026", quality=None, **options):
    """A run of Table 3.3 on a made-up GPU.

    samples = {line: [those of each process]}; quality = {line: (metric, text of the runs)}.
    """
    meta = {
        "run_id": f"made-up/{started}",
        "program": "antbench",
        "command_line": ["build/bin/antbench", "3.3"],
        "options": {"profile": "quick", **options},
        "started_utc": started,
        "build": {"kernels": {"kernels/tsp/all.cu": started}, "executable_sha256": "of-all"},
        "machine": {"name": "Made up"},
        "devices": [],
    }
    run = Run(Path(meta["run_id"]), meta, pd.DataFrame())
    run.__dict__["processes"] = samples  # what a Run reads from samples.csv
    quality = quality or {}
    rows = [made_row(i, sum(map(len, each)), run, quality.get(i, ("", ""))) for i, each in samples.items()]
    object.__setattr__(run, "rows", pd.DataFrame(rows))
    return run


def made_row(i, n, run, quality):
    row = dict.fromkeys(HEADER, "")
    row.update({name: float("nan") for name in NUMBERS})
    row.update(
        table="3.3",
        row=f"row-{i}",
        instance="d198",
        implementation="tsp/ds-roulette",
        backend="cuda",
        scope="iteration",
        device="GPU",
        status="ok",
        samples=float(n),
        iterations=float(ITERATIONS),
        quality_metric=quality[0],
        quality_runs=quality[1],
        run_id=run.run_id,
        line=i,
        run=run,
    )
    return row


def measured_on(gpu, times, commit="aaaaaaa", started="2026-01-01T00:00:00Z", host="", kernel="", cpu="Same name"):
    """A run on a GPU, and its host, of the rows {(row, backend): the means of its processes in ms}; `gpu` "": on none.

    Rows of a CPU whose name ends with -1 are of one core.
    """
    meta = {
        "run_id": f"{gpu or cpu}/{started}-{commit}",
        "program": "antbench",
        "command_line": ["antbench", "3.3"],
        "options": {"profile": "quick"},
        "started_utc": started,
        "build": {"commit": commit, "kernels": {"kernels/tsp/all.cu": kernel or commit}},
        "machine": {"name": "Made up", "cpu": cpu, "logical_cores": 16, "usable_cores": 16, "fingerprint": host or gpu},
        "devices": [{"name": "NVIDIA H200", "fingerprint": gpu}] if gpu else [],
    }
    run = Run(Path("made-up"), meta, pd.DataFrame())
    rows = []
    for line, ((name, backend), means) in enumerate(times.items(), start=2):
        row = made_row(line, 10 * len(means), run, ("", ""))
        half = 4.303 * np.std(means, ddof=1) / len(means) ** 0.5
        numbers = {"mean_ms": np.mean(means), "median_ms": np.mean(means), "processes": float(len(means))}
        ends = dict(zip(("ci95_lo_ms", "ci95_hi_ms"), validate.on_logarithms(np.mean(means), half)))
        threads = f"threads={1 if name.endswith('-1') else 16}"
        params = {"params": ";".join(filter(None, (row["params"], threads)))} if backend == "cpu" else {}
        rows.append({**row, "row": name, "backend": backend, **params, **numbers, **ends})
    object.__setattr__(run, "rows", pd.DataFrame(rows))
    return run
