"""make ab A=... B=...: which of two rows, or of two builds, is faster, measured in turns.

    make ab A=3.3/ds-roulette/pr1002 B=3.3/race/pr1002
    make ab A="3.3/race/pr1002?ants=512" B="3.3/race/pr1002?ants=1024"
    make ab A=../before B=. ROWS=3.3/race/pr1002

A and B are rows in the form of the program's --rows; a condition may set a parameter that no row of the driver has.
Or they are the roots of two built checkouts. Several fresh processes measure each, in turns; the side that begins
changes every time. The ratio is B's time over A's, with the interval of `make compare` over processes
(antbench.data.inference). B is slower or faster if 1 is outside of the interval. It is the same if the whole interval
is within THRESHOLD % of 1. Otherwise the result is open. The tables also give the difference that would have been seen.

Exit codes: 0 faster or the same, 3 slower, 5 open, 4 wrong output, 77 nothing was timed.
"""

import argparse
import csv
import math
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from antbench.data import cells, command, inference, runs, selector
from antbench.data.command import ROOT, BadInput
from antbench.gate import rerun, sides

PROGRAM = Path("build/bin") / runs.PROGRAM
PROCESSES = 7
CODES = {"slower": command.REGRESSION, "undecided": command.INCONCLUSIVE, "faster": command.OK, "same": command.OK}


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
    def verdict(self):
        if self.low > 1 or self.high < 1:
            return "slower" if self.low > 1 else "faster"
        return "same" if self.low >= 1 - self.threshold and self.high <= 1 + self.threshold else "undecided"

    @property
    def seen(self):
        """The least difference that would have been found, as a share: 0.004."""
        return math.sqrt(self.high / self.low) - 1

    def __str__(self):
        same = f"the same within {percent(self.threshold)} %"
        said = {"slower": "B is slower", "faster": "B is faster", "same": same, "undecided": "cannot say"}[self.verdict]
        by = f"{percent(abs(self.ratio - 1))} % {'more' if self.ratio > 1 else 'less'} time than A"
        interval = f"95 % interval {percent(self.low - 1, '+')} to {percent(self.high - 1, '+')} %"
        return (
            f"{self.name}: {said}: B takes {by} ({interval}), {self.b_ms:.4g} ms and {self.a_ms:.4g} ms; "
            f"{self.processes} processes each; {percent(self.seen)} % would have been seen"
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
    lines = said(program, driver, "--dry-run", *arguments).splitlines()
    rows = [
        line for line in lines if line.count("\t") == lines[0].count("\t")
    ]  # without the lines below about durations
    return list(csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))


def is_timed_here(row):
    """True if a planned row will be timed. Rows of the host backend are only verified."""
    return row["scope"] not in ("functional", "quality")


def command_of(text, options):
    """(the Selector, [(driver, checkout, arguments)]) of a row. Conditions that no row fulfils set parameters."""
    wanted = selector.parse(text)
    if not wanted.table or not wanted.row:
        raise BadInput(f'"{text}" {selector.EXPECTED}, or the root of a built checkout')
    program = ROOT / PROGRAM
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
    return wanted, commands_where_timed(ROOT, driver, arguments)


def commands_where_timed(root, driver, arguments):
    """[(driver, checkout, arguments)]; [] if no row would be timed, since later processes would then have no rows."""
    program = root / PROGRAM
    rows = planned(program, driver, *arguments)
    return [(driver, root, [str(program), driver, "--quiet", *arguments])] if any(map(is_timed_here, rows)) else []


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
    return [each for driver in asked for each in commands_where_timed(root, driver, [*options, *asked[driver]])]


def is_build(name):
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


def answer(a, b, threshold):
    """The Answer for two Measured."""
    of = [[samples for samples in side.processes if (~np.isnan(samples)).any()] for side in (a, b)]
    means = [float(np.mean([np.nanmean(samples) for samples in side])) for side in of]
    ratio, low, high = inference.process_ratio(*of)
    shown = ["table", "row", "instance", "backend", "params"] + (["scope"] if a.row["scope"] in cells.BESIDE else [])
    name = " ".join(filter(None, (selector.both((a.row, b.row), column) for column in shown)))
    return Answer(name, *means, ratio, low, high, min(map(len, of)), threshold)


def exit_code(measured, answers):
    if any(each.row["status"] == "wrong" for each in measured):
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
    return all(sum((~np.isnan(samples)).any() for samples in side.processes) > 1 for side in (a, b))


# ---- The program ----


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="antbench-results ab", description=__doc__.splitlines()[0], allow_abbrev=False,
        epilog="All other options are the program's: --profile thesis, --backend cuda, --lock-clocks base."
    )  # fmt: skip
    parser.add_argument("a", metavar="A", help="a row, such as 3.3/ds-roulette/pr1002, or the root of a built checkout")
    parser.add_argument("b", metavar="B", help="another")
    parser.add_argument("--rows", metavar="ROW,...", default="", help="rows to compare between two builds")
    parser.add_argument("--processes", type=int, default=PROCESSES, metavar="N", help=f"of each; default {PROCESSES}")
    parser.add_argument(
        "--threshold",
        type=float,
        default=3,
        metavar="PERCENT",
        help="differences within this count as the same; default 3",
    )
    options, others = parser.parse_known_args(arguments)
    if options.processes < 2:
        parser.error("--processes: expected 2 or more, since the interval is computed across processes")
    if not options.threshold > 0:
        parser.error("--threshold: expected a percentage above 0")
    return options, others


def prepare(options, others):
    """((what A and B select), (commands of A, of B)). Two builds select nothing."""
    if is_build(options.a) and is_build(options.b):
        wanted = [selector.parse(text) for text in options.rows.split(",") if text]
        return (None, None), tuple(commands_of(root, wanted, others) for root in (options.a, options.b))
    if options.rows:
        raise BadInput("--rows: expected two builds as A and B, but A and B name rows")
    if not is_build(ROOT):
        raise BadInput(f"{PROGRAM}: not built; make build builds it")
    found = [command_of(text, others) for text in (options.a, options.b)]
    return tuple(wanted for wanted, _ in found), tuple(commands for _, commands in found)


def main(arguments=None):
    options, others = parse(arguments)
    wanted, commands = prepare(options, others)
    if not all(commands):
        print("nothing was timed: there is no GPU here, and kernels on the host backend are verified and not timed")
        return command.SKIPPED
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    begin = time.monotonic()

    def told(done):
        left = (time.monotonic() - begin) / done * (options.processes - done)
        text = f", about {left:.0f} s left" if left else ""
        print(f"ab: {done} of {options.processes} processes of each{text}", file=sys.stderr)

    a, b = rerun.in_turns(commands, options.processes, f"build/ab/{stamp}", ("a", "b"), told)
    pairs = pairs_of(a, b, wanted)
    if not pairs:
        raise BadInput(f"nothing to compare: {options.a} and {options.b} have no row that is alike")
    answers = [answer(*pair, options.threshold / 100) for pair in pairs if is_timed(*pair)]
    tell(pairs, answers)
    unlike = sides.differences(a, b, ("options", "dirty"))
    for text in unlike:
        print(f"not alike: {text}")
    code = exit_code([each for pair in pairs for each in pair], answers)
    return command.INCONCLUSIVE if unlike and code in (command.OK, command.REGRESSION) else code
