"""make results-check: checks that statistics match the samples, in one run or in all runs of the repository.

Stored runs have compressed samples: --compress compresses each run without a fault.
"""

import argparse

from antbench.data import archive, command, runs, share
from antbench.data.command import BadInput


def main(arguments=None):
    """Checks the named runs, or all in the repository. Runs from others must also be free of personal data."""
    parser = argparse.ArgumentParser(prog="antbench-results results-check", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", metavar="RUN", help="default: every stored and contributed run")
    parser.add_argument("--compress", action="store_true", help="replace a run's samples.csv by samples.csv.xz")
    options = parser.parse_args(arguments)
    names = options.runs
    given, kept = runs.RESULTS / "contributed", runs.RESULTS / "reference"
    found = [(runs.resolve(name), name) for name in names] or [(kept, kept), (given, given)]
    paths = [(path, root, name) for root, name in found for path in runs.find_runs(root)]
    known = share.known_code() if any(runs.is_given(path) for path, *_ in paths) else {}
    broken = 0
    for path, root, name in paths:
        shown = f"{name}: {path.relative_to(root)}" if str(name).endswith(archive.ENDING) else path
        try:
            run = runs.load_run(path)
            # Reading the samples checks them.
            told = f"{shown}: {len(run.rows)} rows, {sum(map(len, run.all_samples.values()))} samples"
            if why := share.published_fault(run):
                raise BadInput(f"{shown}: {why}")
            if runs.is_given(path):
                if why := share.fault(run) or misplaced(run, path):
                    raise BadInput(f"{shown}: {why}")
                told += f"; {share.code_of(run, known)}"
            if options.compress and (path / archive.SAMPLES).is_file() and not str(name).endswith(archive.ENDING):
                archive.compress(path)
                told += "; samples compressed"
            print(told)
        except BadInput as error:
            broken += 1
            print(error)
    print(f"{len(paths)} runs, {broken} broken")
    return command.USAGE if broken else command.OK


def misplaced(run, path):
    """The fault of a run whose run_id does not fit its folder, or None."""
    place = "/".join(path.parts[-2:])
    return None if place == run.run_id else f"its run_id is {run.run_id}, but it lies in {place}"
