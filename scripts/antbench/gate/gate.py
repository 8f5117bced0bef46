"""Judges results of other harnesses: is NEW slower than BASE? Each file is what one fresh process measured.

The rules are in antbench.gate.regress. No calibration of the machine is needed: how much the processes
within BASE and within NEW differ says how much a row and rows of its kind vary. So each side needs OWN processes or
more, and seven are best. Processes of BASE and NEW must take turns. With --base-command and --new-command the gate
starts them itself.

The gate says how often it errs. It deals the processes out again to two sides, after it has taken away what NEW changed
in each row. Gates of these sides should find nothing. It also makes NEW's rows slower, and counts what is found.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from antbench.data import command, harness, inference
from antbench.data.command import BadInput, CannotMeasure
from antbench.gate import calibration, changes, gate_rates, gate_report, regress, sides

OWN = 3  # fewest processes per side that can say how much they vary
ROUNDS = 5  # draws of gate_rates.DRAWS gates
GATES = 500  # number of gates of unchanged code (gate BASE without NEW)
IN_TURNS = 7  # default number of processes per side
ALLOWED = ("harness", "devices")  # what may differ between BASE and NEW if the user says so


class Side:
    """BASE or NEW, as regress.judge() takes it: sides.Side for files of other harnesses."""

    def __init__(self, processes, name=""):
        self.runs, self.name, self.of_driver = processes, name, {}
        self.rows = pd.DataFrame([row for each in processes for row, _ in each.rows])
        self.of_row = {}  # {identity: [(row, samples)]}
        for row, samples in (pair for each in processes for pair in each.rows):
            self.of_row.setdefault((*regress.identity_of(row), row["device"]), []).append((row, samples))
        self.errors = {
            regress.identity_of(row) for each in processes for row, _ in each.rows if row["status"] == "error"
        }

    def measured(self, identity, other):
        """{identity: sides.Measured}. A benchmark that reports an error is wrong, unless it does so on both sides."""
        planned = {}  # of a program: the most processes that one of its rows has
        for of_row in self.of_row.values():
            program = of_row[0][0]["run"].program
            planned[program] = max(planned.get(program, 0), len(of_row))
        found = {}
        for key, of_row in self.of_row.items():
            faults = [row for row, _ in of_row if row["status"] != "ok"]
            worst = faults[0] if faults else of_row[-1][0]
            if worst["status"] == "error" and regress.identity_of(worst) not in other.errors:
                worst = {**worst, "status": "wrong"}
            timed = [samples for row, samples in of_row if row["status"] == "ok"]
            found[key[: len(identity)]] = sides.Measured(worst, timed, {}, planned[worst["run"].program], faults)
        return found


def side(names: Iterable[str | os.PathLike[str]], time: str, label: str = "") -> Side:
    return Side(harness.load_all(names, time), label)


def differences(base, new):
    """A line if the two sides were measured by different versions or builds of a harness."""
    versions = [sorted({each.version for each in side.runs}) for side in (base, new)]
    return [] if versions[0] == versions[1] else [f"different harness: {' and '.join(map(', '.join, versions))}"]


# ---- How much the processes vary ----


def own_calibration(judgements):
    """What the processes within each side say of their kinds, as a Calibration."""
    kinds = {}
    for kind, values in values_of(judgements).items():
        squares = np.array([inference.squares(*of_row) for of_row in values])
        df = np.array([sum(map(len, of_row)) - 2 for of_row in values])
        variances = squares / df[:, None]
        kinds[kind] = {
            "prior": {name: calibration.prior(variances[:, i], df, 0) for i, name in enumerate(inference.STATISTICS)}
        }
    few = f"not judged by fewer than {OWN} processes per side"
    return calibration.Calibration(kinds, lack=few, remedy=f"measure {IN_TURNS} of each side", fewest=OWN)


def values_of(judgements):
    """{kind: the (BASE, NEW) of its rows with enough processes}, with all rows of a backend together as a kind."""
    found = {}
    for j in judgements:
        if j.processes >= OWN:
            found.setdefault(j.kind, []).append(j.values)
    for backend in {kind.split()[0] for kind in found}:
        rows = [j.values for j in regress.rows_together(judgements, backend)]
        if len(rows) >= calibration.MANY and min(map(len, rows[0])) >= OWN:
            both = inference.together(*(np.stack(of_side, axis=1) for of_side in zip(*rows)))
            found[f"{backend} {calibration.TOGETHER}"] = [tuple(of_side[:, 0] for of_side in both)]
    return found


def judge(base, new, least, confirmed=False, any_device=False):
    """(Judgements, Rules) of two Sides; the rules know what the sides' own processes say."""
    known = own_calibration(regress.judge(base, new, regress.Rules(least), any_device))
    rules = regress.Rules(least, known, confirmed)
    judgements = regress.judge(base, new, rules, any_device)
    return judgements, replace(rules, rows=regress.timed(judgements))


# ---- How often the gate errs ----


def rates(judgements, rules):
    """{slowdown: rate} of gates whose processes are dealt out again, of gates with an alarm for 0, else of rows found.

    The processes of all rows are dealt out alike, as rows of one process belong together.
    """
    single = [j for j in judgements if j.values and j.processes >= OWN]
    whole = max((tuple(map(len, j.values)) for j in single), default=None)
    of_kind = {}
    for j in single:
        if tuple(map(len, j.values)) == whole:
            of_kind.setdefault(j.kind, []).append(centred(*j.values))
    alarms, found = [], []
    for seed in range(ROUNDS if whole else 0):
        of_seed = [
            gate_rates.rates(np.stack(values, axis=1), rules, min(whole), np.random.default_rng(seed), kind)
            for kind, values in of_kind.items()
        ]
        which = "confirmed" if rules.confirmed else "once"
        alarms.append(np.hstack([each[0.0, which] for each in of_seed]).any(axis=1))
        found.append([np.hstack([each[p, which] for each in of_seed]).mean() for p in gate_rates.PLANTED[1:]])
    if not whole:
        return {}
    return {0.0: np.mean(alarms), **dict(zip(gate_rates.PLANTED[1:], np.mean(found, axis=0)))}


def centred(base, new):
    """The processes of both sides without the difference of the sides. The scale keeps their variance."""
    n = len(base) + len(new)
    return np.sqrt(n / (n - 2)) * np.concatenate([side - side.mean(axis=0) for side in (base, new)])


def shown_rates(found, gates, of):
    """The rates as a line."""
    rest = ", ".join(
        f"{100 * rate:.0f} % of rows {100 * slower:g} % slower" for slower, rate in found.items() if slower
    )
    return f"{gates} gates {of}: {100 * found[0.0]:.1f} % call a row of unchanged code slower; they find {rest}"


def rates_of_unchanged(processes, least, k, rerun=False):
    """The rates of gates of `k` processes per side, drawn from many processes of unchanged code."""
    random, needed = np.random.default_rng(1), (4 if rerun else 2) * k
    found = {planted: [] for planted in gate_rates.PLANTED}
    for _ in range(GATES):
        drawn = [processes[i] for i in random.permutation(len(processes))[:needed]]
        for planted, of_planted in found.items():
            judgements = judge_drawn(drawn, k, least, planted)
            slower = [j.verdict == "slower" for j in judgements if not planted or j.processes and not j.is_together]
            of_planted.append(np.mean(slower) if planted else any(slower))
    return {planted: np.mean(each) for planted, each in found.items()}


def judge_drawn(drawn, k, least, slower):
    """The Judgements on BASE and NEW of `k` processes each, and on both again if there are so many."""
    parts = [drawn[i : i + k] for i in range(0, len(drawn), k)]
    base, new, *again = [Side([slowed(each, slower * (i % 2)) for each in part]) for i, part in enumerate(parts)]
    judgements, rules = judge(base, new, least, confirmed=bool(again))
    return regress.confirm(judgements, lambda rows, processes: again, rules, 0) if again else judgements


def slowed(process, by):
    return replace(process, rows=[(row, samples * (1 + by)) for row, samples in process.rows])


# ---- Measuring ----


def in_turns(commands, folders, n):
    """Starts both commands `n` times in turns; each writes the file $OUT. The side that begins changes every time."""
    expect_apart(folders)
    for folder in folders:
        if any(Path(folder).glob("*.json")):
            raise BadInput(f"{folder}: holds results already; name a new folder")
        Path(folder).mkdir(parents=True, exist_ok=True)
    for i in range(1, n + 1):
        for which in (0, 1) if i % 2 else (1, 0):
            start(commands[which], Path(folders[which]).resolve() / f"process-{i}.json", i)
        print(f"process {i} of {n}", file=sys.stderr)


def expect_apart(folders):
    """Refuses folders of which one holds the other, since the files there are read as one side."""
    base, new = (Path(folder).resolve() for folder in folders)
    if base.is_relative_to(new) or new.is_relative_to(base):
        raise BadInput(f"{new}: BASE and NEW share this folder; name two folders, neither within the other")


def start(line, out, process):
    environment = {**os.environ, "OUT": str(out), "PROCESS": str(process)}
    done = subprocess.run(["bash", "-c", line], env=environment, stdout=subprocess.DEVNULL)
    if done.returncode != command.OK:
        raise CannotMeasure(f"{line}: ended with {done.returncode} as process {process}, so nothing is judged")
    if not out.is_file():
        raise CannotMeasure(f"{line}: did not write $OUT, {out}; --benchmark_out=$OUT or --json $OUT does")


def again(options):
    """A function that measures both sides anew, in folders beside BASE and NEW, for regress.confirm()."""

    def measure(rows, processes):
        folders = [f"{name.rstrip('/')}-again" for name in (options.base, options.new)]
        in_turns((options.base_command, options.new_command), folders, options.processes)
        wanted = {regress.identity_of(row) for row in rows}
        return tuple(of_rows(side([folder], options.time), wanted) for folder in folders)

    return measure


def of_rows(whole, wanted):
    """A Side that has the wanted rows only."""

    def those(process):
        return replace(process, rows=[pair for pair in process.rows if regress.identity_of(pair[0]) in wanted])

    return Side([those(process) for process in whole.runs])


# ---- The program ----


def parse(arguments):
    parser = argparse.ArgumentParser(prog="antbench-results gate", description=__doc__.splitlines()[0])
    parser.add_argument(
        "base", metavar="BASE", help="a file, or a folder of files: JSON of Google Benchmark or nvbench"
    )
    parser.add_argument(
        "new",
        metavar="NEW",
        nargs="?",
        help="the same; without it: how often gates of BASE's files err, as unchanged code",
    )
    parser.add_argument("--also-base", nargs="+", default=[], metavar="FILE", help="more processes of BASE")
    parser.add_argument("--also-new", nargs="+", default=[], metavar="FILE", help="more processes of NEW")
    parser.add_argument(
        "--time",
        choices=harness.TIMES,
        default="real",
        help="which time is judged; default real (of nvbench: the GPU's)",
    )
    parser.add_argument(
        "--threshold", type=float, default=3, metavar="PERCENT", help="least slowdown that counts; default 3"
    )
    parser.add_argument("--base-command", metavar="LINE", help="measure: start this for BASE; it writes the file $OUT")
    parser.add_argument("--new-command", metavar="LINE", help="the same for NEW")
    parser.add_argument(
        "--processes",
        type=int,
        default=IN_TURNS,
        metavar="N",
        help=f"processes per side to measure; default {IN_TURNS}",
    )
    parser.add_argument("--rerun", action="store_true", help="measure again if a row is slower, to confirm it")
    parser.add_argument(
        "--allow", action="append", default=[], choices=ALLOWED, help="compare even if the sides differ in this"
    )
    parser.add_argument("--map", metavar="FILE", help="the code of rows, for annotations of GitHub: docs/guide/gate.md")
    parser.add_argument("--json", metavar="FILE", help="write JSON, for antbench-results publish")
    parser.add_argument("--junit", metavar="FILE", help="write JUnit XML")
    parser.add_argument("--summary", metavar="FILE", help="write Markdown, for instance to $GITHUB_STEP_SUMMARY")
    options = parser.parse_args(arguments)
    if not options.threshold > 0:
        parser.error("--threshold: expected a percentage above 0")
    if options.processes < 1:
        parser.error("--processes: expected 1 or more")
    if bool(options.base_command) != bool(options.new_command) or (options.base_command and not options.new):
        parser.error("--base-command and --new-command go together, with BASE and NEW")
    if options.rerun and options.new and not options.base_command:
        parser.error("--rerun needs --base-command and --new-command")
    return options


def remarks_on(base, new, judgements, rules):
    found = rates(judgements, rules)
    return [
        *(f"{label}: {len(side.runs)} processes in {side.name}" for label, side in (("BASE", base), ("NEW", new))),
        gate_report.rule(rules),
        *gate_report.known_of(rules, judgements),
        *([shown_rates(found, ROUNDS * gate_rates.DRAWS, "of these processes, dealt out again")] if found else []),
        *gate_report.together(rules, judgements),
    ]


def judge_sides(
    base: Side,
    new: Side,
    least: float,
    allow: Sequence[str] = (),
    measure: Callable[..., tuple[Side, Side]] | None = None,
) -> tuple[list[regress.Judgement], list[str], int, regress.Rules]:
    """(judgements, reasons why the sides are not alike, exit code, rules) of two Sides."""
    sides.expect_two(base, new)
    if "devices" not in allow:
        sides.expect_same_devices(base, new, "--allow devices")
    unlike = [] if "harness" in allow else differences(base, new)
    judgements, rules = judge(base, new, least, measure is not None, "devices" in allow)
    judgements = regress.without_grounds(judgements, unlike)
    if measure:
        judgements = regress.confirm(judgements, measure, rules, 0)
    return judgements, unlike, regress.exit_code(judgements, unlike), rules


def main(arguments=None):
    options = parse(arguments)
    places = changes.read_map(options.map) if options.map else []
    if options.new is None:
        processes = harness.load_all([options.base, *options.also_base], options.time)
        k, needed = options.processes, (4 if options.rerun else 2) * options.processes
        if k < OWN or len(processes) < needed:
            raise BadInput(f"{options.base}: {len(processes)} processes; gates of {k} per side need {needed} or more")
        found = rates_of_unchanged(processes, options.threshold / 100, k, options.rerun)
        print(shown_rates(found, GATES, f"of {k} of {len(processes)} processes per side"))
        return command.OK
    if options.base_command:
        in_turns((options.base_command, options.new_command), (options.base, options.new), options.processes)
    base = side([options.base, *options.also_base], options.time, options.base)
    new = side([options.new, *options.also_new], options.time, options.new)
    measure = again(options) if options.rerun else None
    judgements, unlike, code, rules = judge_sides(base, new, options.threshold / 100, options.allow, measure)
    regress.tell_what_is_found(judgements, rules)
    gate_report.tell(judgements, unlike, remarks_on(base, new, judgements, rules), code, options)
    if options.json:
        changes.write(options.json, judgements, code)
    for line in changes.annotations(judgements, places):
        print(line)
    return code
