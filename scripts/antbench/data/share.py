"""make share RUN=RUN: packs a run into a small archive without personal data, and checks it.

The host's name, the GPU's UUID and bus address, and saved images are left out. Fingerprints stay, so that two runs of
one machine are known as such. Of every path in any text the last part stays. Samples are compressed. The archive is
then unpacked and read again. Its numbers must be the run's, and it must contain nothing of the above. Of two runs of a
folder with the same id, the second one gets a letter behind it.

`make results-check` asks `fault` about each run below results/contributed/.
"""

import argparse
import csv
import functools
import io
import json
import math
import re
import string
from pathlib import Path

import numpy as np

from antbench.data import archive, command, runs
from antbench.data.code import device_code_of, git
from antbench.data.command import WORK, BadInput

# Members of meta.json's machine and devices that are left out.
OF_HOST, OF_DEVICE = ("host_name",), ("uuid", "pci_bus_id")
UUID = re.compile(r"\b(GPU|MIG)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I)
# A path that begins at the root, a home or a parent folder, as a word or after an option's letter: -I/usr/include.
PLACE = re.compile(r"(?<![\w./~])(-[A-Za-z])?((?:~[\w-]*|\.\.?)?/[^\s\"',;:()|<>]*/[^\s\"',;:()|<>]*)")
UNNAMED = "host"
PLACES = ("--out", "--save", "--verified")  # options that name a folder


# ---- Scrubbing ----


def clean(text, secrets):
    """A text without paths, UUIDs and secrets."""
    text = PLACE.sub(lambda found: (found[1] or "") + last_part(found[2]), UUID.sub("GPU", text))
    for secret in (each for each in secrets if each in text):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", UNNAMED, text)
    return text


def last_part(path):
    return Path(path).name or UNNAMED


def clean_json(value, secrets):
    if isinstance(value, dict):
        return {key: clean_json(each, secrets) for key, each in value.items()}
    if isinstance(value, list):
        return [clean_json(each, secrets) for each in value]
    return clean(value, secrets) if isinstance(value, str) else value


def clean_meta(meta, secrets):
    """meta.json without what is left out."""
    meta = clean_json(meta, secrets)
    for name in OF_HOST:
        meta["machine"].pop(name, None)
    for device in meta["devices"]:
        for name in OF_DEVICE:
            device.pop(name, None)
    for given in meta["inputs"]:
        given["path"] = last_part(given.get("path") or given["name"])
    program, *options = meta["command_line"]
    return {**meta, "command_line": [last_part(program), *without_places(options)]}


def without_places(options):
    """The options, with the last part only of each folder that they name."""
    shown = []
    for option in options:
        name, equals, value = option.partition("=")
        if name in PLACES and equals:
            option = f"{name}={last_part(value)}"
        elif shown and shown[-1] in PLACES:
            option = last_part(option)
        elif option.startswith(("/", "~", "../", "./")):
            option = last_part(option)
        shown.append(option)
    return shown


def clean_csv(data, secrets, changed=None):
    """A CSV file with each cell cleaned. `changed`: {cell: what it becomes}."""
    cleaned = functools.cache(lambda cell: clean((changed or {}).get(cell, cell), secrets))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(cleaned, line) for line in csv.reader(io.StringIO(data.decode(), newline="")))
    return text.getvalue().encode()


# ---- What is fit to be given away ----


def secrets_of(meta):
    """The texts that an archive must not contain: the host's name, and the GPUs' UUIDs and bus addresses."""
    found = [meta["machine"].get(name) for name in OF_HOST]
    found += [device.get(name) for device in meta["devices"] for name in OF_DEVICE]
    return sorted({text for text in found if text}, key=len, reverse=True)


def unfit(run):
    """Why a run is useless to others, or None."""
    if not run.meta["complete"]:
        return "it is unfinished; RESUME=1 finishes it"
    if (run.meta["options"].get("process") or 1) > 1:
        return "it is one process's part of a run"
    if run.profile == "smoke":
        return "its profile is smoke; expected quick or thesis"
    if why := published_fault(run):
        return why
    if not archive.MEMBER.fullmatch(f"{run.run_id}/meta.json"):
        return f'its run_id is "{run.run_id}", not MACHINE/ID'
    return None


@functools.cache
def published_values():
    """{id of a published number: it}."""
    return dict(runs.published()[["id", "value"]].itertuples(index=False))


def published_fault(run):
    """A row that says of a source what it does not say, or None."""
    for row in runs.records_of(run.rows):
        told, known = row["published_ms"], published_values().get(row["published_id"], math.nan)
        if told == told and told != known:
            return f"line {row['line']}: published_ms is {told:.9g}, but results/published has {known:.9g} of it"
    return None


def leak(run):
    """The personal data that a run contains, or None."""
    if secrets := secrets_of(run.meta):
        return f'meta.json names the host or the GPU: "{secrets[0]}"'
    texts = [run.table.read_text(encoding="utf-8"), *strings_of(run.meta)]
    found = next(filter(None, (UUID.search(text) or PLACE.search(text) for text in texts)), None)
    return f'it contains a path or a UUID: "{found[0]}"' if found else None


def fault(run):
    """Why a run is not fit for results/contributed/, or None."""
    return unfit(run) or leak(run)


def strings_of(value):
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings_of(each)


# ---- Whose code ----


def known_code():
    """{hash of device code: run_id of a stored run that has it}."""
    metas = [runs.read_meta(path / "meta.json") for path in runs.find_runs(runs.RESULTS / "reference")]
    known = {device_code_of(meta["build"]): meta["run_id"] for meta in metas}
    known.pop("", None)
    return known


def code_of(run, known):
    """What a run says of the program that measured it, without proof. `known`: known_code()."""
    build = run.meta["build"]
    commit = build["commit"] + " with changes" * build["dirty"]
    told = f"says that it is of commit {commit}, unverified"
    if not is_known(build["commit"]):
        told += " and unknown here"
    if not run.device:
        return told
    if not run.device_code:
        return f"{told}; does not name its device code"
    same = known.get(run.device_code)
    code = f"as in {same}" if same else f"{run.device_code[:12]}, of no stored run"
    return f"{told}; says that its device code is {code}"


def is_known(commit):
    """True if a commit is in this checkout's history."""
    return git("merge-base", "--is-ancestor", "--end-of-options", commit, "HEAD") is not None


def contributed():
    """A description of each run from others."""
    found = [runs.load_run(path) for path in runs.find_runs(runs.RESULTS / "contributed")]
    known = known_code() if found else {}
    return [
        {
            "run": run.run_id,
            "gpu": ", ".join(device["name"] for device in run.devices) or "no GPU",
            "cpu": run.meta["machine"]["cpu"],
            "tables": " ".join(run.rows["table"].unique()),
            "profile": run.profile,
            "date": run.started[:10],
            "code": code_of(run, known),
        }
        for run in found
    ]


# ---- The archive ----


def files_of(run, run_id):
    """{name in the archive: bytes} of a run, which is called `run_id` there."""
    secrets = secrets_of(run.meta)
    samples = clean_csv(runs.content(runs.samples_file(run.path)), secrets)
    meta = {**clean_meta(run.meta, secrets), "run_id": run_id}
    return {
        f"{run_id}/meta.json": (json.dumps(meta, indent=2, ensure_ascii=False) + "\n").encode(),
        f"{run_id}/{run.table.name}": clean_csv(run.table.read_bytes(), secrets, {run.run_id: run_id}),
        f"{run_id}/samples.csv.xz": archive.pack_samples(samples),
    }


def free_id(run, taken):
    """The run's id. If others have it, a letter is appended: two runs may begin in the same second, on two GPUs."""
    ids = [run.run_id, *(f"{run.run_id}-{letter}" for letter in string.ascii_lowercase[1:])]
    free = next((each for each in ids if each not in taken), None)
    if not free:
        raise BadInput(f"{run.path}: cannot be shared: {len(ids)} others are called {run.run_id}")
    return free


def check(path, of):
    """Reads an archive as its receiver will, and compares it with the run."""
    (again,) = runs.load_runs(path)
    if why := fault(again):
        raise BadInput(f"{of.path}: cannot be shared: {why}")
    numbers = [*runs.NUMBERS, "line"]
    samples = all(
        np.array_equal(of.all_samples[line], again.all_samples[line], equal_nan=True) for line in of.all_samples
    )
    if not (samples and of.rows[numbers].equals(again.rows[numbers])):
        raise BadInput(f"{of.path}: cannot be shared: its archive has different numbers")


def file_of(run_id):
    """The name of a run's archive."""
    return f"{run_id.replace('/', '-')}{archive.ENDING}"


def share(run, out, run_id):
    """The archive of one run: its path."""
    _ = run.processes  # reading the samples checks them
    if why := unfit(run):
        raise BadInput(f"{run.path}: cannot be shared: {why}")
    path = out / file_of(run_id)
    out.mkdir(parents=True, exist_ok=True)
    archive.pack(path, files_of(run, run_id))
    try:
        check(path, run)
    except BaseException:
        path.unlink()
        raise
    return path


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results share", description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a run: directory, or MACHINE/ID; a folder of runs gives one archive per run")
    parser.add_argument("--out", type=Path, default=WORK / "build/share")
    options = parser.parse_args(arguments)
    known, taken = known_code(), set()
    for run in runs.load_runs(options.run):
        taken.add(run_id := free_id(run, taken))
        path = share(run, options.out.resolve(), run_id)
        print(
            f"{command.shown(path)}: {path.stat().st_size / 1024:.0f} KiB, {len(run.rows)} rows; {code_of(run, known)}"
        )
    print("CONTRIBUTING.md tells how to send it")
    return command.OK
