"""antbench in Python (docs/guide/python.md).

load() and regress() read runs, gate() judges results of other harnesses, ab() measures, solve() finds a tour. A wrong
file, run or argument is a BadInput. Its text is the line that the command would print. All but solve() import pandas.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from antbench.data.command import OK, ROOT, BadInput

if TYPE_CHECKING:
    import pandas as pd

PROGRAM = "antbench"
UNITS = {"_ms": "ms", "_mhz": "MHz", "_w": "W", "_c": "°C", "_j": "J", "bytes": "B"}  # of columns with these endings


@dataclass(frozen=True)
class Runs:
    """One run, or all runs of a folder. DataFrame.attrs["units"] has the unit of each column that has one."""

    rows: pd.DataFrame  # a line per row; docs/guide/columns.md describes the columns
    samples: pd.DataFrame  # a line per sample: run_id, line (of the row), process, number, ms; NaN if discarded
    meta: pd.DataFrame  # a line per run; build.commit is the member commit of build in meta.json


@dataclass(frozen=True)
class Gate:
    """What regress() or gate() found."""

    verdict: str  # the worst verdict of a row; inconclusive if the sides were not measured alike
    code: int  # the exit code of the command: 0, 3, 4 or 5
    rows: pd.DataFrame  # a line per row: its key, verdict, reason, of, base, new and change
    unlike: tuple[str, ...]  # reasons why the sides cannot be compared


@dataclass(frozen=True)
class Ratio:
    """B's time over A's in one row."""

    name: str  # what A and B share, and where they differ
    ratio: float
    low: float  # 95 % interval of the ratio
    high: float
    verdict: str  # of B: slower, faster, same (within the threshold) or undecided
    processes: int  # number that measured each side
    a_ms: float
    b_ms: float


@dataclass(frozen=True)
class Comparison:
    """What ab() found."""

    code: int  # the exit code of the command: 0, 3, 4, 5, or 77 if nothing was timed
    rows: tuple[Ratio, ...]
    unlike: tuple[str, ...]  # reasons why the sides cannot be compared


@dataclass(frozen=True)
class Tour:
    """A closed tour of all cities."""

    tour: list[int]  # indices of the cities, from 0
    length: float
    unit: str  # "km", or "the unit of the coordinates"
    bound: float | None = None  # a length that no tour is below; None if not asked for, or if none was found in time


def load(run: str | os.PathLike[str]) -> Runs:
    """Reads and checks a run: a folder, MACHINE/ID of a stored run, or an archive. A folder may hold several runs."""
    import numpy as np
    import pandas as pd

    from antbench.data import runs

    loaded = runs.load_runs(run)
    rows = pd.concat([each.rows.drop(columns="run") for each in loaded], ignore_index=True)
    taken = [
        (each.run_id, line, process, number, ms)
        for each in loaded
        for line, of_line in each.processes.items()
        for process, of_process in enumerate(of_line, start=1)
        for number, ms in enumerate(np.asarray(of_process).tolist())
    ]
    samples = pd.DataFrame(taken, columns=["run_id", "line", "process", "number", "ms"])
    rows.attrs["units"] = {name: unit for name in rows for end, unit in UNITS.items() if str(name).endswith(end)}
    samples.attrs["units"] = {"ms": "ms"}
    return Runs(rows, samples, pd.json_normalize([each.meta for each in loaded]))


def regress(
    base: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    threshold: float = 3,
    calibration: str | os.PathLike[str] | None = None,
    allow: Sequence[str] = (),
) -> Gate:
    """Judges runs as the command regress does, without --rerun. `threshold` is in percent; `allow` as in --allow."""
    from antbench.gate import regress as gate

    if not threshold > 0:
        raise BadInput("threshold: expected a percentage above 0")
    return _found(*gate.judge_runs(base, new, threshold / 100, calibration, allow))


def gate(
    base: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    new: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    threshold: float = 3,
    time: Literal["real", "cpu"] = "real",
    allow: Sequence[Literal["harness", "devices"]] = (),
) -> Gate:
    """Judges JSON of Google Benchmark or nvbench as the command gate does: files or folders, a file per process."""
    from antbench.gate import gate as gate_

    if not threshold > 0:
        raise BadInput("threshold: expected a percentage above 0")
    names = [[each] if isinstance(each, str | os.PathLike) else list(each) for each in (base, new)]
    of_base, of_new = (gate_.side(of_side, time) for of_side in names)
    judgements, unlike, code, _ = gate_.judge_sides(of_base, of_new, threshold / 100, allow)
    return _found(judgements, unlike, code)


def _found(judgements: Sequence[Any], unlike: Sequence[str], code: int) -> Gate:
    import pandas as pd

    from antbench.data import runs
    from antbench.gate import gate_report

    rows = pd.DataFrame(
        {**{name: each.row[name] for name in runs.KEY}, "verdict": each.verdict, "reason": each.reason, "of": each.of}
        | {"base": each.base_ms, "new": each.new_ms, "change": each.change}
        for each in judgements
    )
    rows.attrs["units"] = {"base": "ms, or of a quality's metric", "new": "ms, or of a quality's metric", "change": "1"}
    worst = next(verdict for verdict in gate_report.EXIT_CODES if (rows["verdict"] == verdict).any())
    return Gate("inconclusive" if unlike and gate_report.EXIT_CODES[worst] == OK else worst, code, rows, tuple(unlike))


def ab(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    rows: str = "",
    processes: int | None = None,
    threshold: float = 3,
    decide: bool = False,
    options: Sequence[str] = (),
    program: str | os.PathLike[str] | None = None,
) -> Comparison:
    """Measures two rows, or two builds, in turns, as the command ab does. `threshold` is in percent.

    `options` are the program's, as ["--profile", "thesis"]. Two builds have programs of their own. For two rows the
    program is found as solve() finds it. The runs lie in build/ab, in the current folder or in the source tree.
    """
    from antbench.tools import ab as tool

    wanted = tool.Options(os.fspath(a), os.fspath(b), rows, processes, threshold, decide)
    builds = tool.is_build(a) and tool.is_build(b)
    _, answers, unlike, code = tool.compare(wanted, options, Path() if builds else Path(found(program)).absolute())
    ratios = (Ratio(x.name, x.ratio, x.low, x.high, x.verdict, x.processes, x.a_ms, x.b_ms) for x in answers)
    return Comparison(code, tuple(ratios), tuple(unlike))


def solve(
    xy: Iterable[Sequence[float]],
    seconds: float = 1,
    *,
    metric: str = "plane",
    seed: int = 1,
    threads: int | None = None,
    bound: bool = False,
    program: str | os.PathLike[str] | None = None,
) -> Tour:
    """Searches for a short tour of the cities (x, y) with `antbench solve`.

    With `bound` it also looks for a lower bound, for at most as many seconds again. With metric "geo" x is the longitude and y the latitude, in degrees. The program is `program`, else the one that
    the variable ANTBENCH names, else build/bin/antbench of this source tree, else the one on PATH.
    """
    if not seconds > 0:
        raise BadInput("seconds: expected a number above 0")
    try:
        cities = "".join(f"{float(x)!r},{float(y)!r}\n" for x, y in xy)
    except (TypeError, ValueError):
        raise BadInput("xy: expected two numbers per city") from None
    options = ["--seconds", str(seconds), "--metric", metric, "--seed", str(seed), "--quiet"]
    options += [] if threads is None else ["--threads", str(threads)]
    options += ["--bound"] if bound else []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "x.tour"
        try:
            done = subprocess.run(
                [found(program), "solve", "-", *options, "--out", out],
                input=f"x,y\n{cities}", capture_output=True, text=True, encoding="utf-8"
            )  # fmt: skip
        except OSError as error:
            raise BadInput(f"{error.filename}: {error.strerror}") from None
        length = re.search(r"^length: (\S+) (?:in )?(.+)$", done.stdout, re.M)
        if done.returncode != OK or not length:
            lines = done.stderr.strip().splitlines()
            raise BadInput(lines[-1] if lines else f"antbench solve ended with {done.returncode}")
        numbers = out.read_text(encoding="utf-8").partition("TOUR_SECTION")[2].split("-1")[0].split()
    least = re.search(r"^bound: (\d[\d.]*)", done.stdout, re.M)
    tour = [int(number) - 1 for number in numbers]
    return Tour(tour, float(length[1]), length[2], float(least[1]) if least else None)


def found(program: str | os.PathLike[str] | None) -> str:
    """The path of the program."""
    built = ROOT / "build/bin" / PROGRAM
    path = program or os.environ.get("ANTBENCH") or (built if built.is_file() else shutil.which(PROGRAM))
    if not path:
        raise BadInput("antbench: not found; make build builds it, and the variable ANTBENCH names it")
    return os.fspath(path)
