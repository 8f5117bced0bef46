"""make ab A=... B=...: which of two rows, or of two builds, is faster, measured in turns.

    make ab A=3.3/ds-roulette/pr1002 B=3.3/race/pr1002
    make ab A="3.3/race/pr1002?ants=512" B="3.3/race/pr1002?ants=1024"
    make ab A=../before B=. ROWS=3.3/race/pr1002
    make ab A=../before B=. ROWS=3.3/race/pr1002 ARGS=--decide

A and B are rows in the form of the program's --rows; a condition may set a parameter that no row of the driver has.
Or they are the roots of two built checkouts. Several fresh processes measure each, in turns; the side that begins
changes every time. The ratio is B's time over A's, with the interval of `make compare` over processes
(antbench.data.inference). B is slower or faster if 1 is outside of the interval. It is the same if the whole interval
is within THRESHOLD % of 1. Otherwise the result is open. The tables also give the difference that would have been seen.

--decide is a sequential test. It measures pair after pair of processes until every row is slower, faster or the same,
and at most --processes. Its interval is wider, so that it holds at whichever pair it stops
(inference.at_any_time). docs/log/gate.md says how often it errs.

Exit codes: 0 faster or the same, 3 slower, 5 open, 4 wrong output, 77 nothing was timed.
"""

import argparse
import csv
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from antbench.data import cells, command, inference, plans, runs, selector
from antbench.data.command import ROOT, BadInput
from antbench.gate import rerun, sides

PROGRAM = Path("build/bin") / runs.PROGRAM
PROCESSES, MOST = 7, 20  # of each side by default: without and with --decide
CODES = {"slower": command.REGRESSION, "undecided": command.INCONCLUSIVE, "faster": command.OK, "same": command.OK}


@dataclass(frozen=True)
class Options:
    """What is compared, and how."""

    a: str
    b: str
    rows: str = ""
    processes: int | None = None  # number of each; None: the default
    threshold: float = 3  # in percent
    decide: bool = False  # true if the measurement ends as soon as every row is decided

    def __post_init__(self):
        if self.most < (3 if self.decide else 2):
            raise BadInput(
                "--processes: expected 3 or more, since two of each decide nothing"
                if self.decide
                else "--processes: expected 2 or more, since the interval is computed across processes"
            )
        if not self.threshold > 0:
            raise BadInput("--threshold: expected a percentage above 0")

    @property
    def most(self):
        """The largest number of processes of each side."""
        return self.processes if self.processes is not None else MOST if self.decide else PROCESSES


@dataclass(frozen=True)
class Answer:
    """The comparison of one row of A with one of B."""

    name: str
    a_ms: float
    b_ms: float
    ratio: float
    low: float
    high: float
    processes: int  # number on the side with fewer
    threshold: float  # as a share: 0.03

    @property
    def verdict(self) -> str:
        return str(inference.verdict(self.low, self.high, self.threshold))

    @property
    def seen(self):
        """The least difference that would have been found, as a share: 0.004."""
        return math.sqrt(self.high / self.low) - 1 if self.low > 0 else math.inf

    def __str__(self):
        same = f"the same within {percent(self.threshold)} %"
        said = {"slower": "B is slower", "faster": "B is faster", "same": same, "undecided": "cannot say"}[self.verdict]
        by = f"{percent(abs(self.ratio - 1))} % {'more' if self.ratio > 1 else 'less'} time than A"
        interval = f"95 % interval {percent(self.low - 1, '+')} to {percent(self.high - 1, '+')} %"
        return (
            f"{self.name}: {said}: B takes {by} ({interval}), {self.b_ms:.4g} ms and {self.a_ms:.4g} ms; "
            f"{self.processes} processes each; a difference of {percent(self.seen)} % would have been seen"
        )


def percent(share, sign=""):
    """A share in percent, with two digits or to a tenth: 0.00123 -> "0.12", 0.4567 -> "45.7"."""
    return f"{100 * share:{sign}.{1 if abs(share) >= 0.01 else 2}f}"


# ---- What is to be measured ----


def said(program, *arguments, codes=(command.OK,)):
    """What the program prints. If it ends with another exit code its last message is the error."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode not in codes:
        lines = done.stderr.strip().splitlines()
        raise BadInput(lines[-1] if lines else f"{program} ended with {done.returncode}")
    return done.stdout


def drivers(program):
    """{table: driver}, also for drivers with a fault."""
    listed = said(program, "--tables", codes=(command.OK, command.USAGE, command.ERROR))
    lines = csv.DictReader(listed.splitlines(), delimiter="\t")
    return {runs.table_name(line["table"]): line["driver"] for line in lines}


def driver_of(wanted, program):
    known = drivers(program)
    if wanted.table not in known:
        meant = runs.nearest(wanted.table, list(known))
        question = f"; did you mean {meant}?" if meant else ""
        raise BadInput(f"{wanted.text}: there is no table {wanted.table}{question}")
    return known[wanted.table]


def planned(program, driver, *arguments):
    """The rows that would be measured."""
    return plans.rows(said(program, driver, "--dry-run", *arguments))


def command_of(text, options, program=ROOT / PROGRAM):
    """(the Selector, [(driver, checkout, arguments)]) of a row. Conditions that no row fulfils set parameters."""
    wanted = selector.parse(text)
    if not wanted.table or not wanted.row:
        raise BadInput(f'"{text}" {selector.EXPECTED}, or the root of a built checkout')
    driver = driver_of(wanted, program)
    rows = planned(program, driver, *options, "--rows", address(wanted, ()))
    filters, settings = [], []
    for name, values in wanted.conditions:
        if name in selector.OF_ROWS:
            filters += [(name, values)] if name == "backend" else []
        elif any(wanted.holds(row, name, values) for row in rows):
            filters.append((name, values))
        else:
            settings += ["--set", f"{name}={','.join(values)}"]
    arguments = [*options, *settings, "--rows", address(wanted, filters)]
    return wanted, commands_where_timed(ROOT, program, driver, arguments)


def commands_where_timed(root, program, driver, arguments):
    """[(driver, checkout, arguments)]; [] if no row would be timed, since later processes would then have no rows."""
    rows = planned(program, driver, *arguments)
    return [(driver, root, [str(program), driver, "--quiet", *arguments])] if any(map(plans.is_timed, rows)) else []


def address(wanted, conditions):
    path = "/".join(filter(None, (wanted.table, wanted.row, wanted.input)))
    return path + ("?" + ";".join(f"{name}={'+'.join(values)}" for name, values in conditions) if conditions else "")


def commands_of(root, wanted, options):
    """[(driver, checkout, arguments)] for the wanted rows of a build, or for all rows if none is named."""
    root = Path(root).resolve()
    program = root / PROGRAM
    rows = {}
    for each in wanted:
        rows.setdefault(driver_of(each, program), []).append(each.text)
    chosen = rows or dict.fromkeys(drivers(program).values(), [])
    asked = {driver: ["--rows", ",".join(texts)] if texts else [] for driver, texts in chosen.items()}
    return [
        each for driver in asked for each in commands_where_timed(root, program, driver, [*options, *asked[driver]])
    ]


def is_build(name: str | os.PathLike[str]) -> bool:
    return (Path(name) / PROGRAM).is_file()


# ---- What came of it ----


def rows_of(side, wanted=None):
    """The Measured rows of a side. Rows beside them, such as stages, are left out unless asked for."""
    found = [each for each in side.measured(runs.KEY).values() if wanted is None or is_wanted(each.row, wanted)]
    asked = wanted and {name for name, _ in wanted.conditions} & {"scope", "stage"}
    own = [each for each in found if each.row["scope"] not in cells.BESIDE]
    return found if asked else own or found


def is_wanted(row, wanted):
    of_rows = tuple(each for each in wanted.conditions if each[0] in selector.OF_ROWS)
    return replace(wanted, row="", input="", conditions=of_rows).means(row)


def pairs_of(a, b, wanted):
    """[(A's row, B's row)] that differ only in what A and B name."""
    of_a, of_b = (rows_of(side, each) for side, each in zip((a, b), wanted))
    named = [name for each in wanted if each for name, _ in each.conditions]
    if wanted[0] is None:
        by_key = {tuple(each.row[name] for name in runs.KEY): each for each in of_b}
        keys = [(each, by_key.get(tuple(each.row[name] for name in runs.KEY))) for each in of_a]
        return [pair for pair in keys if pair[1] is not None]
    return [(x, y) for x in of_a for y in of_b if selector.is_alike(x.row, y.row, named)]


def answer(a, b, threshold, errors=inference.at_end):
    """The Answer for two Measured."""
    of = [side.timed for side in (a, b)]
    means = [float(np.mean([np.nanmean(samples) for samples in side])) for side in of]
    ratio, low, high = inference.process_ratio(*of, errors)
    shown = ["table", "row", "instance", "backend", "params"] + (["scope"] if a.row["scope"] in cells.BESIDE else [])
    name = " ".join(filter(None, (selector.both((a.row, b.row), column) for column in shown)))
    return Answer(name, *means, ratio, low, high, min(map(len, of)), threshold)


def answers_of(pairs, options):
    """The Answer for each pair that is timed."""
    errors = inference.at_any_time if options.decide else inference.at_end
    return [answer(*pair, options.threshold / 100, errors) for pair in pairs if is_timed(*pair)]


def is_wrong(measured):
    return any(each.row["status"] == "wrong" for each in measured)


def open_rows(a, b, wanted, options):
    """The number of rows that more processes may decide. A wrong output decides all."""
    pairs = pairs_of(a, b, wanted)
    answers = [] if is_wrong(sum(pairs, ())) else answers_of(pairs, options)
    return sum(each.verdict == "undecided" for each in answers)


def exit_code(measured, answers):
    if is_wrong(measured):
        return command.WRONG
    if not answers:
        return command.SKIPPED
    found = {each.verdict for each in answers}
    return next(code for verdict, code in CODES.items() if verdict in found)


def tell(pairs, answers):
    """Prints a line per pair, and for several pairs how many were faster, slower and open."""
    by_pair = iter(answers)
    for a, b in pairs:
        if is_timed(a, b):
            print(next(by_pair))
            continue
        row = b.row if a.is_timed else a.row
        name = " ".join(row[column] for column in runs.KEY if row[column])
        print(f"{name}: {row['status']}, not timed. {row['note']}".rstrip())
    if len(answers) > 1:
        count = {verdict: sum(each.verdict == verdict for each in answers) for verdict in CODES}
        mean = math.exp(np.mean([math.log(each.ratio) for each in answers]))
        print(
            f"B is faster in {count['faster']}, slower in {count['slower']}, the same in {count['same']}, and nothing can "
            f"be said in {count['undecided']}; it takes {mean:.3f} of A's time in the geometric mean of {len(answers)}"
        )


def is_timed(a, b):
    return all(len(side.timed) > 1 for side in (a, b))


# ---- The program ----


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="antbench-results ab", description=__doc__.splitlines()[0], allow_abbrev=False,
        epilog="All other options are the program's: --profile thesis, --backend cuda, --lock-clocks base."
    )  # fmt: skip
    parser.add_argument("a", metavar="A", help="a row, such as 3.3/ds-roulette/pr1002, or the root of a built checkout")
    parser.add_argument("b", metavar="B", help="another")
    parser.add_argument("--rows", metavar="ROW,...", default="", help="rows to compare between two builds")
    parser.add_argument(
        "--processes", type=int, metavar="N", help=f"of each; default {PROCESSES}, or at most {MOST} with --decide"
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=3,
        metavar="PERCENT",
        help="differences within this count as the same; default 3",
    )
    parser.add_argument("--decide", action="store_true", help="stop as soon as every row is faster, slower or the same")
    options, others = parser.parse_known_args(arguments)
    return Options(**vars(options)), others


def prepare(options, others, program):
    """((what A and B select), (commands of A, of B)). Two builds select nothing."""
    command.expect("make ab A=3.3/ds-roulette/pr1002 B=3.3/race/pr1002, or A=DIR B=DIR", A=options.a, B=options.b)
    if is_build(options.a) and is_build(options.b):
        wanted = [selector.parse(text) for text in options.rows.split(",") if text]
        return (None, None), tuple(commands_of(root, wanted, others) for root in (options.a, options.b))
    if is_build(options.a) != is_build(options.b):
        other = options.a if is_build(options.b) else options.b
        raise BadInput(f"{other}: no build/bin/antbench there; A and B name two built checkouts, or two rows")
    if options.rows:
        raise BadInput("--rows: expected two builds as A and B, but A and B name rows")
    if not program.is_file():
        raise BadInput(f"{command.shown(program)}: not built; make build builds it")
    found = [command_of(text, others, program) for text in (options.a, options.b)]
    return tuple(wanted for wanted, _ in found), tuple(commands for _, commands in found)


def progress(done, most, seconds, at_most, decided):
    """The line that a user reads after each turn."""
    limit = "at most " if at_most else ""
    left = ", all rows are decided" if decided else f", {limit or 'about '}{seconds:.0f} s left" if seconds else ""
    return f"{done} of {limit}{most} processes of each{left}"


def compare(
    options: Options,
    others: Sequence[str],
    program: Path = ROOT / PROGRAM,
    tell: Callable[[str], None] = lambda text: None,
) -> tuple[list[tuple[sides.Measured, sides.Measured]], list[Answer], list[str], int]:
    """(pairs of rows, Answers, reasons why the sides are not alike, exit code); no pairs if nothing would be timed.

    `others` are options of the program. `tell` gets a line after each turn.
    """
    wanted, commands = prepare(options, others, program)
    if not all(commands):
        return [], [], [], command.SKIPPED
    if not options.rows and wanted == (None, None):
        n = len(commands[0])
        tell(f"measures all rows of {n} driver{'s'[: n != 1]}; ROWS=3.3/race takes these rows alone")
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    begin = time.monotonic()

    def enough(*found):
        done = len(found[0]) // len(commands[0])
        decided = options.decide and done > 1 and not open_rows(*map(sides.Side, found), wanted, options)
        seconds = (time.monotonic() - begin) / done * (options.most - done)
        tell(progress(done, options.most, seconds, options.decide, decided))
        return decided

    a, b = rerun.in_turns(commands, options.most, f"build/ab/{stamp}", ("a", "b"), enough)
    pairs = pairs_of(a, b, wanted)
    if not pairs:
        raise BadInput(f"nothing to compare: {options.a} and {options.b} have no row that is alike")
    answers, unlike = answers_of(pairs, options), sides.differences(a, b, ("options", "dirty"))
    code = exit_code(sum(pairs, ()), answers)
    unsure = unlike and code in (command.OK, command.REGRESSION)
    return pairs, answers, unlike, command.INCONCLUSIVE if unsure else code


def main(arguments=None):
    options, others = parse(arguments)
    pairs, answers, unlike, code = compare(options, others, tell=lambda text: print(f"ab: {text}", file=sys.stderr))
    if not pairs:
        print("nothing was timed: there is no GPU here, and kernels on the host backend are verified and not timed")
    tell(pairs, answers)
    for text in unlike:
        print(f"not alike: {text}")
    return code
