"""make calibrate: measures how much unchanged code varies on this machine.

The drivers run several times, in turns, without a change of code. For each kind of rows the differences between
processes are kept (antbench.gate.calibration). --from computes the same from runs that exist.
"""

import argparse
import json
import shutil
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

from antbench.data import command, inference, runs
from antbench.data.command import ROOT, BadInput, write_file
from antbench.gate import calibration, rerun

PROGRAM = f"build/bin/{runs.PROGRAM}"
DEFAULT = ["--profile", "quick"]


def all_drivers():
    done = subprocess.run([ROOT / PROGRAM, "--tables"], capture_output=True, text=True)
    if done.returncode != command.OK:
        raise BadInput(f"{PROGRAM} --tables: {done.stderr.strip()}")
    return list(dict.fromkeys(line.split("\t")[0] for line in done.stdout.splitlines()[1:]))


def repeat(drivers, options, repetitions, folder):
    """{driver: its runs, one per process}; the drivers take turns. An earlier calibration's folder is deleted first."""
    shutil.rmtree(folder, ignore_errors=True)
    found = {driver: [] for driver in drivers}
    for i in range(1, repetitions + 1):
        print(f"run {i} of {repetitions}", file=sys.stderr)
        for driver in drivers:
            out = folder / driver
            arguments = [str(ROOT / PROGRAM), driver, "--quiet", *options]
            arguments += ["--processes", str(repetitions), "--out", str(out)]
            found[driver] += rerun.share(arguments, command.written_of(ROOT), out, i)
    return found


def groups_of(names):
    """Stored runs by driver, device code and GPU model, oldest first. Each group measured the same code."""
    found = {}
    for run in sorted((run for name in names for run in runs.load_runs(name)), key=lambda run: run.started):
        found.setdefault((run.driver, run.device_code, runs.device_name(run)), []).append(run)
    return found


def observations(groups):
    """{kind: [the measurements of each group's processes]} for groups of runs of unchanged code."""
    of_kind, of_drivers = {}, []
    for group in groups:
        found = calibration.observations([run.rows for run in group])
        of_drivers.append({kind: values for kind, values in found.items() if len(values) >= calibration.ENOUGH})
        for kind, values in of_drivers[-1].items():
            of_kind.setdefault(kind, []).append(values)
    return {**of_kind, **calibration.all_rows(of_drivers)}


def describe(groups):
    """{kind: how much it varies} for groups of runs of unchanged code."""
    return {kind: calibration.describe(values, kind=kind) for kind, values in sorted(observations(groups).items())}


def keep(path, found):
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps(found, indent=1) + "\n")


def report(kinds, path):
    for kind, found in kinds.items():
        spread, rows = found["prior"]["median"]["spread_percent"], found["rows"]
        few = f"; fewer than {inference.LEAST_ROWS} rows do not tell how much other rows of this kind vary"
        print(
            f"{kind}: {rows} row{'s'[: rows != 1]}, {found['processes']} processes; "
            f"medians of a usual row differ by {spread:g} %" + (few if rows < inference.LEAST_ROWS else "")
        )
    print(f"kept in {path}")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="antbench-results calibrate", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--driver", action="append", choices=None, metavar="TABLE", help="driver to run; may be repeated (default: all)"
    )
    parser.add_argument(
        "--repetitions", type=int, default=10, metavar="N", help="number of processes; default 10, at least 6"
    )
    parser.add_argument("--calibration", metavar="FILE", help="file to write (default: in results/runs/MACHINE)")
    parser.add_argument(
        "--from", dest="stored", nargs="+", default=[], metavar="RUN", help="use these runs, do not measure"
    )
    parser.add_argument("options", nargs="*", help=f"options of the program, after --; default {' '.join(DEFAULT)}")
    options = parser.parse_args(arguments)
    if options.repetitions < calibration.ENOUGH:
        parser.error(f"--repetitions: expected {calibration.ENOUGH} or more")
    return options


def main(arguments=None):
    options = parse(arguments)
    if options.stored:
        groups = list(groups_of(options.stored).values())
        ran = [run.run_id for group in groups for run in group]
    else:
        if not (ROOT / PROGRAM).exists():
            raise BadInput(f"{PROGRAM}: not built; make build builds it")
        drivers = options.driver or all_drivers()
        folder = command.written_of(ROOT) / "build/calibrate"
        groups = list(repeat(drivers, options.options or DEFAULT, options.repetitions, folder).values())
        ran = [PROGRAM, *drivers, *(options.options or DEFAULT), f"{options.repetitions} times"]
    kinds = describe(groups)
    if not kinds:
        print(f"no row was timed by {calibration.ENOUGH} processes of the same code", file=sys.stderr)
        return command.SKIPPED
    path = Path(options.calibration) if options.calibration else calibration.path_for(groups[0][0])
    utc = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    keep(path, {"schema": calibration.SCHEMA, "utc": utc, "from": ran, "kinds": kinds})
    report(kinds, path)
    return command.OK
