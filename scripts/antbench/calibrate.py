"""How often is the gate wrong on this machine? `make calibrate`.

Runs one driver several times, unchanged, and passes every pair of runs through the gate (antbench.regress): whatever it
finds slower is a false alarm. A gate is one pair of runs and all their rows, so the rate is that of whole gates, not of
rows. It is kept for each backend and scope, since a GPU's iterations may be steady where its stages of microseconds and
the CPU are not, and twice: for gates that measure once, and for those that measure slower rows again.
"""

import argparse
import itertools
import json
import shutil
import subprocess
import sys
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

from antbench import command, regress, runs
from antbench.command import ROOT, BadInput

PROGRAM = f"build/bin/{runs.PROGRAM}"
SHORT = ["--profile", "quick", "--instances", "d198"]  # about half a minute on 2 cores


def repeat(driver, options, repetitions, folder):
    """Runs the driver so many times; what an earlier calibration left is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    for i in range(1, repetitions + 1):
        print(f"run {i} of {repetitions}", file=sys.stderr)
        arguments = [str(ROOT / PROGRAM), driver, "--quiet", *options, "--out", str(folder / str(i))]
        done = subprocess.run(arguments, cwd=ROOT, stdout=subprocess.DEVNULL)
        if done.returncode != command.OK:
            raise BadInput(f"{' '.join(arguments)} ended with {done.returncode}")
    return [runs.load_run(folder / str(i)) for i in range(1, repetitions + 1)]


def alarms(judgements):
    """{(kind, name of the row)} of the rows called slower."""
    return {(regress.kind_of(j.row), j.name) for j in judgements if j.verdict == "slower"}


def false_alarms(tables, threshold):
    """(of every ordered pair, of every ordered triple whose third run is the second measurement): sets of alarms."""
    once, confirmed = [], []
    for base, new in itertools.permutations(tables, 2):
        judgements = regress.judge(base, new, threshold)
        once.append(alarms(judgements))
        for again in tables:
            if again is not base and again is not new:
                confirmed.append(alarms(regress.confirm(judgements, base, lambda _, rows=again: rows, threshold)))
    return once, confirmed


def rates(once, confirmed, kinds):
    """{kind: {"once": rate, "confirmed": rate}}."""

    def rate(gates, kind):
        return sum(any(alarm[0] == kind for alarm in gate) for gate in gates) / len(gates)

    return {kind: {"once": rate(once, kind), "confirmed": rate(confirmed, kind)} for kind in kinds}


def timed_kinds(tables):
    return sorted({regress.kind_of(row) for table in tables for row in table[table["samples"] > 0].to_dict("records")})


def keep(path, found):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=2) + "\n")


def report(rate_of, once, threshold, path):
    for kind, rate in rate_of.items():
        verdict = (
            "trusted"
            if rate["once"] <= regress.MAX_FALSE_POSITIVE_RATE
            else (
                "trusted with a second measurement (RERUN=1) alone"
                if rate["confirmed"] <= regress.MAX_FALSE_POSITIVE_RATE
                else "inconclusive"
            )
        )
        print(
            f"{kind}: {100 * rate['once']:.0f} % of gates at {100 * threshold:g} % are false alarms, "
            f"{100 * rate['confirmed']:.0f} % with a second measurement: slower rows are {verdict}"
        )
    for (_, name), count in Counter(alarm for gate in once for alarm in gate).most_common(5):
        print(f"  {count} of {len(once)} gates: {name}")
    print(f"kept in {path}")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="antbench.calibrate", description=__doc__.splitlines()[0])
    parser.add_argument("--driver", default="3.3", help="default 3.3")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N", help="default 5; 3 at least")
    parser.add_argument("--threshold", type=float, default=5, metavar="PERCENT", help="default 5")
    parser.add_argument("--calibration", metavar="FILE", help="where to keep it (default: results/runs/MACHINE)")
    parser.add_argument("options", nargs="*", help=f"of the program, after --; default {' '.join(SHORT)}")
    options = parser.parse_args(arguments)
    if options.repetitions < 3 or not options.threshold > 0:
        parser.error("expected 3 repetitions or more, and a threshold above 0")
    return options


def main(arguments=None):
    options = parse(arguments)
    if not (ROOT / PROGRAM).exists():
        raise BadInput(f"{PROGRAM}: not built: make build")
    folder = ROOT / "build" / "calibrate" / options.driver
    repeated = repeat(options.driver, options.options or SHORT, options.repetitions, folder)
    threshold = options.threshold / 100
    tables = [run.rows for run in repeated]
    once, confirmed = false_alarms(tables, threshold)
    rate_of = rates(once, confirmed, timed_kinds(tables))
    if not rate_of:
        print("nothing was timed", file=sys.stderr)
        return command.SKIPPED
    path = Path(options.calibration) if options.calibration else regress.calibration_file(repeated[0])
    keep(
        path,
        {
            "schema": 1,
            "utc": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "threshold_percent": options.threshold,
            "repetitions": options.repetitions,
            "command_line": [PROGRAM, options.driver, *(options.options or SHORT)],
            "false_positive_rate": rate_of,
        },
    )
    report(rate_of, once, threshold, path)
    return command.OK


if __name__ == "__main__":
    command.run(lambda: main(sys.argv[1:]))
