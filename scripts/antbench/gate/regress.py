"""make regress: the regression gate. Is NEW slower than BASE, and is its output as good?

BASE and NEW are runs, best of several processes that took turns (scripts/bench_pairs). A row is slower if its median,
mean or 95th percentile is higher, and three things hold. It is higher by at least THRESHOLD %. It is higher by more
than the variance of its processes explains (antbench.data.inference), where the variance of its kind on this machine
counts too (antbench.gate.calibration). And all of NEW's processes are slower than three quarters of BASE's.

A row is unsteady if its median changed by THRESHOLD % or more, but that may be chance. With --rerun both sides of the
slower rows are measured again, in turns, and only rows that are slower again count. A row of a kind without a
calibration is inconclusive, never slower. A row is worse if its output is: longer tours, or maps less like the true
ones.
"""

import argparse
import math
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from antbench.data import command, inference, runs, selector
from antbench.data.command import BadInput
from antbench.gate import calibration, gate_report, history, rerun, sides
from antbench.gate.calibration import kind_of
from antbench.gate.gate_report import EXIT_CODES

ALPHA = 0.01  # error rate of a gate's times together, if processes are normal, and of its qualities
SUSPECT = 0.05  # the same rate for rows that are not called as good
FEW = 6  # fewest samples on a side with one process
SHORTER_IS_BETTER = ("best-tour", "mismatch")  # prefixes of metrics of quality; all but tours lie in [0, 1]
MORE_IS_BETTER = ("f", "f-of-runs", "best-f", "pratt", "precision", "recall", "agreement", "agreement-same-seeds")
WORSE_BY = 0.02  # least loss of quality over several runs, if a test tells it from chance
WORSE_BY_ONE = 0.05  # least loss of quality with one run per side
FEW_PROCESSES = 5  # number of processes below which the gate tells beforehand what it can find


@dataclass(frozen=True)
class Judgement:
    """What is said about one row: about its times, or about the quality of its output."""

    row: Mapping[str, Any]  # NEW's row, or BASE's if NEW has no such row
    verdict: str  # a key of EXIT_CODES
    reason: str = ""  # why, for a person
    base_ms: float = np.nan  # value of the statistic `of`; a quality if `of` is a metric
    new_ms: float = np.nan
    p: float = np.nan
    of: str = "median"
    seen: float = np.nan  # the least further slowdown of NEW that the gate would have found: 0.04 is 4 %
    processes: int = 0  # number per side
    kind: str = ""  # the kind that it was calibrated by
    values: tuple = field(default=(), repr=False, compare=False)  # (BASE, NEW): processes x statistics, logarithms

    @property
    def change(self):
        """The relative change: 0.1 is 10 % higher."""
        return self.new_ms / self.base_ms - 1 if self.base_ms else np.nan

    @property
    def is_quality(self):
        return self.of not in inference.STATISTICS

    @property
    def is_together(self):
        return self.kind.endswith(calibration.TOGETHER)

    @property
    def name(self):
        return " ".join(str(self.row[column]) for column in runs.KEY if self.row[column])


@dataclass(frozen=True)
class Rules:
    """The settings of the gate."""

    least: float = 0.03  # least slowdown that counts, as a fraction
    known: calibration.Calibration = calibration.Calibration()
    confirmed: bool = False  # true if slower rows are measured a second time
    rows: int = 0  # number of rows that the gate compares; 0: the rows that both sides have

    def limits(self, kind, sizes, squares=None):
        """The change of each statistic from which a row is slower. Each row has the same share of ALPHA (Bonferroni).

        If a row must exceed its limit twice, in separate processes, the two probabilities multiply.
        """
        together_ = kind.endswith(calibration.TOGETHER)
        p = ALPHA / (1 if together_ else max(self.rows, 1))
        least = self.least * (calibration.OF_LEAST_TOGETHER if together_ else 1)
        return self.known.limits(kind, sizes, least, math.sqrt(p) if self.confirmed else p, squares)


# ---- Judging ----


def judge(base, new, rules, allow_different_devices=False):
    """The Judgements on all rows of both Sides."""
    identity = runs.KEY if allow_different_devices else runs.KEY + ["device"]
    of_base, of_new = base.measured(identity, new), new.measured(identity, base)
    asked_for = AskedFor(new)
    n_rows = sum(old.is_timed and key in of_new and of_new[key].is_timed for key, old in of_base.items())
    rules = rules if rules.rows else replace(rules, rows=n_rows)
    judgements, quality = [], []
    for key, old in of_base.items():
        if key not in of_new:
            judgements.append(judge_missing(old.row, asked_for))
            continue
        judgements.append(judge_pair(old, of_new[key], rules))
        if old.qualities and judgements[-1].verdict != "wrong":
            quality.append((old, of_new[key]))
    judgements += [judge_new(now.row) for key, now in of_new.items() if key not in of_base]
    return judgements + judge_together(judgements, rules) + judge_qualities(quality)


def judge_pair(old, now, rules):
    row = now.row
    if row["status"] == "wrong":
        return Judgement(row, "wrong", row["note"])
    lost = "; ".join(filter(None, (old.lost("BASE"), now.lost("NEW"))))
    if old.is_timed and now.is_timed:
        told = judge_times(old, now, rules)
        return told if not lost or told.verdict == "slower" else replace(told, verdict="inconclusive", reason=lost)
    failed = next((each for each in now.faults if old.is_timed or each["status"] != row["status"]), None)
    if failed is not None or old.is_timed:
        worst = failed if failed is not None else row
        return Judgement(
            row, "inconclusive", f"{worst['status']}: {worst['note']}" if failed is not None else "not timed"
        )
    return Judgement(row, "verified" if row["status"] in runs.MEASURED else "not timed", row["note"])


def judge_times(old, now, rules):
    row = now.row
    base, new = inference.matched(old.timed, now.timed)
    processes = min(len(base), len(new))
    values = [inference.log_statistics(side) for side in (base, new)]
    if any(np.isnan(side[:, 0]).any() for side in values):
        return Judgement(row, "inconclusive", "no sample of BASE and NEW has the same number")
    kind = kind_of(row, math.exp(np.median(values[0][:, 0])))
    sizes = [len(side) for side in values]
    limits = rules.limits(kind, sizes, inference.squares(*values))
    change, gap = inference.compare(*values)
    over = inference.surely(change, gap) >= limits
    of = int(over.argmax() if over.any() else np.nanargmax(change / limits))
    needed = np.maximum(limits - change, -gap)  # further change of NEW that would exceed the limit
    told = Judgement(
        row,
        "same",
        same_code(old, now),
        *(math.exp(np.median(side[:, of])) for side in values),
        of=inference.STATISTICS[of],
        seen=math.expm1(np.nanmin(needed)) if rules.known.knows(kind, processes) and not over.any() else np.nan,
        processes=processes,
        kind=kind,
        values=tuple(values),
    )
    if over.any():
        return decide_slower(told, rules, few=too_few(base, new))
    base_ms, new_ms = (math.exp(np.median(side[:, 0])) for side in values)
    medians = {"base_ms": base_ms, "new_ms": new_ms, "of": "median", "reason": ""}
    if (inference.surely(*inference.compare(*reversed(values)))[:2] >= limits[:2]).all():
        return replace(told, **medians, verdict="faster")
    if abs(change[0]) >= math.log1p(rules.least):
        slower = change[0] > 0
        reason = "its processes vary too much to say that it is " + ("slower" if slower else "faster")
        if slower and gap[0] <= 0:
            reason = "not slower in all of NEW's processes"
        return replace(told, **{**medians, "verdict": "unsteady", "reason": reason})
    return replace(told, reason="")


def judge_together(judgements, rules):
    """A Judgement on all rows of a backend as one, if that is calibrated. It finds what no single row can show.

    Only rows with the most frequent number of processes take part.
    """
    found = []
    for backend in sorted({j.row["backend"] for j in judgements if j.values}):
        kind, rows = f"{backend} {calibration.TOGETHER}", rows_together(judgements, backend)
        if len(rows) >= calibration.MANY and rules.known.knows(kind, rows[0].processes):
            found.append(judge_as_one(kind, [j.values for j in rows], rules))
    return found


def rows_together(judgements, backend):
    """The judgements of a backend that take part, all with the same numbers of processes."""
    rows = [j for j in judgements if j.values and j.row["backend"] == backend and j.verdict != "inconclusive"]
    sizes = Counter(tuple(map(len, j.values)) for j in rows)
    return [j for j in rows if tuple(map(len, j.values)) == max(sizes, key=sizes.get)]


def judge_as_one(kind, values, rules):
    values = inference.together(*(np.stack(of_side, axis=1) for of_side in zip(*values)))
    sizes = [len(side) for side in values]
    limits = rules.limits(kind, sizes, inference.squares(*values)[0])
    change, gap = (of_all[0] for of_all in inference.compare(*values))
    over = inference.surely(change, gap) >= limits
    of = int(over.argmax() if over.any() else 0)
    return Judgement(
        {**dict.fromkeys(runs.KEY, ""), "row": calibration.TOGETHER, "backend": kind.split()[0]},
        "slower" if over.any() else "same",
        base_ms=1.0,
        new_ms=math.exp(change[of]),
        of=inference.STATISTICS[of],
        seen=math.nan if over.any() else math.expm1(np.nanmin(np.maximum(limits - change, -gap))),
        processes=min(sizes),
        kind=kind,
    )


def too_few(base, new):
    return any(len(side) < 3 and max(np.count_nonzero(~np.isnan(s)) for s in side) < FEW for side in (base, new))


def decide_slower(told, rules, few):
    """The verdict on a row one of whose statistics exceeds its limit."""
    if not rules.known.knows(told.kind, told.processes):
        return replace(told, verdict="inconclusive", reason=f"slower, but {told.kind} rows are {rules.known.lack}")
    if few:
        return replace(told, verdict="inconclusive", reason=f"slower, but fewer than {FEW} samples of one process")
    return replace(told, verdict="slower")


def judge_new(row):
    return Judgement(row, "wrong", row["note"]) if row["status"] == "wrong" else Judgement(row, "new")


def judge_missing(row, asked_for):
    if asked_for(row):
        return Judgement(row, "missing", "in BASE, but not in NEW")
    return Judgement(row, "not asked for", "NEW's options leave it out")


class AskedFor:
    """Tells whether the options of NEW's runs ask for a row. A gate on the GPU alone does not miss the CPU's rows.

    If NEW has no run of a driver its rows count as asked for.
    """

    def __init__(self, new):
        self.options = {driver: run.meta.get("options", {}) for driver, run in new.of_driver.items()}

    def __call__(self, row):
        options = self.options.get(row["run"].driver)
        return options is None or (
            options.get("backend", "auto") in ("auto", row["backend"])
            and any(selector.names_input(each, row) for each in options.get("instances") or [row["instance"]])
            and any(fnmatchcase(row["implementation"], wanted) for wanted in options.get("implementations") or "*")
            and any(is_selected(wanted, row) for wanted in options.get("rows") or "*")
        )


def is_selected(wanted, row):
    """True if `wanted`, of --rows, selects the row. A row's stages come with it, in a table of their own."""
    of_row = selector.parse(wanted)
    return of_row.means(row) or (row["scope"] == "stage" and replace(of_row, table="").means(row))


def same_code(old, now):
    """A reason if the code is the same, else "". A hash tells: of the device code for a GPU, of the
    program for a CPU.
    """
    measured = [each.row["run"] for each in (old, now)]
    of_gpu = now.row["backend"] == "cuda"
    hashes = [run.device_code if of_gpu else run.meta.get("build", {}).get("executable_sha256") for run in measured]
    return "same code, different time: noise, or the machine" if hashes[0] and hashes[0] == hashes[1] else ""


# ---- Quality ----


def direction(metric):
    """1 if more is worse, -1 if less is worse, None for other metrics."""
    if metric.startswith(SHORTER_IS_BETTER):
        return 1
    return -1 if metric in MORE_IS_BETTER else None


def metric_of(row):
    return row["quality_metric"] or runs.param(row, "metric", "")


def judge_qualities(pairs):
    """A Judgement for each row with a quality, over the runs whose seeds both sides have."""
    compared = [Quality.of_pair(old, now) for old, now in pairs if direction(metric_of(now.row)) is not None]
    p_values = worse_p(compared)
    corrected = inference.holm([1.0 if math.isnan(p) else p for p in p_values])
    return [each.judge(p, q) for each, p, q in zip(compared, p_values, corrected)]


@dataclass(frozen=True, eq=False)
class Quality:
    """The qualities of a row on both sides."""

    row: Mapping[str, Any]  # NEW's row
    metric: str
    then: str  # BASE's metric
    base: np.ndarray  # value for each seed that both sides have
    new: np.ndarray

    @classmethod
    def of_pair(cls, old, now):
        both = sorted(old.qualities.keys() & now.qualities.keys())
        values = [np.array([side.qualities[seed] for seed in both]) for side in (old, now)]
        return cls(now.row, metric_of(now.row), metric_of(old.row), *values)

    @property
    def worse(self):
        """The loss of NEW for each seed; None if the sides cannot be compared."""
        if self.metric != self.then or len(self.base) == 0:
            return None
        by = np.log(self.new / self.base) if self.metric.startswith("best-tour") else self.new - self.base
        return by * direction(self.metric)

    def judge(self, p, corrected):
        worse = self.worse
        if worse is None:
            reason = f"the quality was {self.then}, now {self.metric}"
            return Judgement(self.row, "inconclusive", reason, of=self.metric)
        a, b = float(self.base.mean()), float(self.new.mean())
        told = Judgement(self.row, "as good", "", a, b, math.nan if math.isnan(p) else corrected, self.metric)
        by = worse.mean()
        if math.isnan(p):
            return replace(told, verdict="worse", reason="one run per side") if by >= WORSE_BY_ONE else told
        if by >= WORSE_BY and corrected < ALPHA:
            return replace(told, verdict="worse", reason=f"over {len(worse)} runs")
        if by >= WORSE_BY_ONE and corrected < SUSPECT:
            reason = f"worse, but its {len(worse)} runs vary too much to say"
            return replace(told, verdict="inconclusive", reason=reason)
        return told


def worse_p(compared):
    """One-sided p-values; NaN for a single run. A row's variance is moderated by the rows of the same metric."""
    found = np.full(len(compared), math.nan)
    for metric in {each.metric for each in compared}:
        of = [i for i, each in enumerate(compared) if each.metric == metric and len(each.base) > 1]
        of = [i for i in of if compared[i].worse is not None]
        found[of] = inference.moderated_p([compared[i].worse for i in of])
    return found


# ---- The whole gate ----


def exit_code(judgements, unlike=()):
    compared = [j for j in judgements if j.verdict not in ("missing", "not asked for", "new")]
    if not compared:
        raise BadInput("BASE and NEW have no row in common")
    code = next(code for verdict, code in EXIT_CODES.items() if any(j.verdict == verdict for j in judgements))
    return command.INCONCLUSIVE if unlike and code == command.OK else code


def without_grounds(judgements, unlike):
    """The judgements; if the sides cannot be compared, "inconclusive" in place of "slower" and "worse"."""
    if not unlike:
        return judgements
    return [
        replace(j, verdict="inconclusive", reason=f"{j.verdict}, but BASE and NEW were not measured alike")
        if j.verdict in ("slower", "worse")
        else j
        for j in judgements
    ]


def confirm(judgements, measure, rules, processes):
    """Judges slower and worse rows again by a second measurement of both sides, which `measure` makes."""
    suspects = [j for j in judgements if j.verdict in ("slower", "worse")]
    if not suspects:
        return judgements
    try:
        base, new = measure(rows_of(suspects, judgements), processes)
    except BadInput as error:
        reason = f"could not be measured again: {error}"
        return [
            replace(j, verdict="inconclusive", reason=f"{j.verdict}, but {reason}") if j in suspects else j
            for j in judgements
        ]
    again = judge(base, new, replace(rules, rows=timed(judgements)), allow_different_devices=True)
    second = {(identity_of(j.row), j.is_quality): j for j in again}
    return [
        confirm_one(j, second.get((identity_of(j.row), j.is_quality), Judgement(j.row, "missing", "not there")))
        if j in suspects
        else j
        for j in judgements
    ]


def timed(judgements):
    """The number of rows that were compared by their times."""
    return sum(j.processes > 0 and not j.is_together for j in judgements)


def rows_of(suspects, judgements):
    """The rows to measure again; if all rows together are a suspect, all that were compared."""
    backends = [j.row["backend"] for j in suspects if j.is_together]
    return [
        j.row for j in judgements if not j.is_together and (j in suspects or j.values and j.row["backend"] in backends)
    ]


def identity_of(row):
    return tuple(row[column] for column in runs.KEY)


def confirm_one(first, second):
    if second.verdict == "wrong" or second.verdict == first.verdict:
        return replace(first, verdict=second.verdict, reason="confirmed by a second measurement of both")
    if second.verdict in ("same", "unsteady", "faster", "as good"):
        return replace(
            first,
            verdict="unconfirmed",
            reason=f"measured again {100 * second.change:+.1f} %, {second.verdict}"
            + (f": {second.reason}" if second.reason else ""),
        )
    return replace(first, verdict="inconclusive", reason=f"{first.verdict}, but measured again: {second.reason}")


def judge_runs(
    base: str | os.PathLike[str],
    new: str | os.PathLike[str],
    least: float = 0.03,
    calibrated: str | os.PathLike[str] | None = None,
    allow: Sequence[str] = (),
) -> tuple[list[Judgement], list[str], int]:
    """(judgements, reasons why the sides are not alike, exit code) of two RUNs, each measured once."""
    base, new = (sides.side([name]) for name in (base, new))
    sides.expect_two(base, new)
    sides.expect_same_devices(base, new)
    unlike = sides.differences(base, new, allow)
    judgements = without_grounds(judge(base, new, Rules(least, known_of(new, calibrated))), unlike)
    return judgements, unlike, exit_code(judgements, unlike)


def known_of(new, calibrated=None):
    """The Calibration in a file, or else of the machine that measured NEW."""
    path = Path(calibrated) if calibrated else calibration.path_for(new.runs[0])
    return calibration.read(path) if calibrated or path.exists() else calibration.Calibration()


# ---- The program ----


def tell_what_is_found(judgements, rules):
    """Prints the limits of usual rows if the gate has few processes."""
    known = [j for j in judgements if j.processes and rules.known.knows(j.kind, j.processes)]
    few = {j.kind: j.processes for j in known if j.processes < FEW_PROCESSES}
    if few:
        limits = {kind: rules.limits(kind, (k, k))[0] for kind, k in few.items()}
        told = ", ".join(f"{gate_report.percent(limit)} of {kind}" for kind, limit in sorted(limits.items()))
        print(
            f"{min(few.values())} processes per side miss a slowdown of a usual row below {told}; "
            f"{FEW_PROCESSES} or more, or --rerun, find smaller ones",
            file=sys.stderr,
        )


def parse(arguments):
    parser = argparse.ArgumentParser(prog="antbench-results regress", description=__doc__.splitlines()[0])
    parser.add_argument("base", metavar="BASE", help="a run, or a folder of runs: directory, or MACHINE/ID")
    parser.add_argument("new", metavar="NEW", nargs="?", help="run to judge (default: the newest of yours)")
    parser.add_argument("--also-base", action="append", default=[], metavar="RUN", help="one more process of BASE")
    parser.add_argument("--also-new", action="append", default=[], metavar="RUN", help="one more process of NEW")
    parser.add_argument(
        "--history", action="store_true", help="find where times changed over BASE, runs of one machine"
    )
    parser.add_argument(
        "--threshold", type=float, default=3, metavar="PERCENT", help="least slowdown that counts; default 3"
    )
    parser.add_argument("--backend", choices=("cpu", "cuda", "host"), help="judge rows of this backend only")
    parser.add_argument("--rerun", action="store_true", help="measure both sides of slower rows again to confirm them")
    parser.add_argument("--base-root", metavar="DIR", help="checkout that BASE's program was built in (--rerun)")
    parser.add_argument("--new-root", metavar="DIR", help="the same for NEW (default for both: this one)")
    parser.add_argument("--calibration", metavar="FILE", help="file of make calibrate (default: its own place)")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=("input", "options", "driver", "dirty"),
        help="compare even if the sides differ in this; may be repeated",
    )
    parser.add_argument("--allow-different-devices", action="store_true")
    parser.add_argument("--junit", metavar="FILE", help="write JUnit XML")
    parser.add_argument("--summary", metavar="FILE", help="write Markdown, for instance to $GITHUB_STEP_SUMMARY")
    options = parser.parse_args(arguments)
    if not options.threshold > 0:
        parser.error("--threshold: expected a percentage above 0")
    return options


def newest_of_yours():
    try:
        return runs.newest_run(runs.yours())
    except BadInput as error:
        raise BadInput(f"NEW is not named, so your newest run is meant: {error}") from error


def main(arguments=None, measure=None):
    options = parse(arguments)
    if options.history:
        command.expect("make regress-history RUNS=FOLDER", RUNS=options.base)
        return history.main([options.base, *([options.new] if options.new else [])], options)
    command.expect("make regress BASE=RUN NEW=RUN", BASE=options.base)
    base = sides.side([options.base, *options.also_base], options.backend)
    new = options.new or newest_of_yours()
    new = sides.side([new, *options.also_new], options.backend)
    sides.expect_two(base, new)
    if not options.allow_different_devices:
        sides.expect_same_devices(base, new)
    rules = Rules(options.threshold / 100, known_of(new, options.calibration), options.rerun)

    unlike = sides.differences(base, new, options.allow)
    judgements = without_grounds(judge(base, new, rules, options.allow_different_devices), unlike)
    rules = replace(rules, rows=timed(judgements))
    tell_what_is_found(judgements, rules)
    if options.rerun:
        again = measure or rerun.Programs(base, new, options.base_root, options.new_root).measure
        judgements = confirm(judgements, again, rules, max((j.processes for j in judgements), default=1) or 1)

    code = exit_code(judgements, unlike)
    gate_report.tell(judgements, unlike, gate_report.remarks_on(base, new, rules, judgements), code, options)
    return code
