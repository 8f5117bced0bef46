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
    found = list(map(runs.resolve, options.runs)) or [runs.RESULTS / "reference", runs.RESULTS / "contributed"]
    paths = [path for root in found for path in runs.find_runs(root)]
    known = share.known_code() if any(map(runs.is_given, paths)) else {}
    broken, seen = 0, {}
    for path in paths:
        shown = in_archive(path)
        try:
            run = runs.load_run(path)
            # Reading the samples checks them.
            told = f"{shown}: {len(run.rows)} rows, {sum(map(len, run.all_samples.values()))} samples"
            if why := share.published_fault(run):
                raise BadInput(f"{shown}: {why}")
            if runs.is_given(path):
                if why := share.fault(run) or misplaced(run, path) or repeated(run, seen):
                    raise BadInput(f"{shown}: {why}")
                told += f"; {share.code_of(run, known)}"
            if options.compress and (path / archive.SAMPLES).is_file() and runs.place_of(path) == path:
                archive.compress(path)
                told += "; samples compressed"
            print(told)
        except BadInput as error:
            broken += 1
            print(in_archive(error))
    print(f"{len(paths)} runs, {broken} broken")
    return command.USAGE if broken else command.OK


def in_archive(text):
    """A path, or a message with paths; a path in a temporary folder becomes ARCHIVE/MACHINE/ID."""
    for folder, source in archive.FOLDERS.items():
        text = str(text).replace(str(folder), str(source))
    return text


def misplaced(run, path):
    """The fault of a run whose run_id does not fit its folder or its archive's name, or None."""
    place, source = "/".join(path.parts[-2:]), runs.place_of(path)
    if place != run.run_id:
        return f"its run_id is {run.run_id}, but it lies in {place}"
    if source.parent == runs.RESULTS / "contributed" and source.name != share.file_of(run.run_id):
        return f"its archive is {source.name}; expected {share.file_of(run.run_id)}"
    return None


def repeated(run, seen):
    """The fault of a run that is there already, or None; `seen`: {run_id: path} of the runs before it."""
    first = seen.setdefault(run.run_id, run.path)
    return None if first == run.path else f"it is there twice; the other one is {in_archive(first)}"
