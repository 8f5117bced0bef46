"""make share RUN=RUN: packs a run into a small archive without personal data, and checks it.

The host's name, the GPU's UUID and bus address, and saved images are left out. Fingerprints stay, so that two runs of
one machine are known as such. Of every path in meta.json and in notes the last part stays. The host's name and the like
are replaced in free texts alone: a host may be called "cuda". A run whose input is called like its host is refused.
Samples are compressed. The archive is then unpacked and read again. Its numbers and words must be the run's, and it
must contain nothing of the above. Of two runs of a folder with the same id, the second one gets a letter behind it.

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

from antbench.data import archive, command, runs, selector
from antbench.data.code import device_code_of, git
from antbench.data.command import ROOT, WORK, BadInput

# Members of meta.json's machine and devices that are left out.
OF_HOST, OF_DEVICE = ("host_name",), ("uuid", "pci_bus_id")
UUID = re.compile(r"\b(GPU|MIG)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I)
# A path that begins at the root, a home or a parent folder, as a word or after an option's letter: -I/usr/include.
# A slash after * or ] is of a pattern, as in --rows.
PLACE = re.compile(r"(?<![\w./~*\]])(-[A-Za-z])?((?:~[\w-]*|\.\.?)?/[^\s\"',;:()|<>]*/[^\s\"',;:()|<>]*)")
UNNAMED = "host"
PLACES = ("--out", "--save", "--verified")  # options that name a folder
# Members of meta.json with free texts: builders and users may name the host there, and no program reads them.
FREE = ("path", "kernel", "value", "advice", "reason", "cflags", "nvcc_flags", "source")
NOTE = "note"  # column with free text
OF_DATA = [name for name in runs.HEADER if name not in ("run_id", NOTE)]  # columns that stay as they are
OF_WORDS = [name for name in OF_DATA if name != "instance"]  # columns that users do not name


# ---- Scrubbing ----


def clean(text, secrets):
    """A text without paths, UUIDs and secrets."""
    text = PLACE.sub(lambda found: (found[1] or "") + last_part(found[2]), UUID.sub("GPU", text))
    for secret in (each for each in secrets if each in text):
        text = as_word(secret).sub(UNNAMED, text)
    return text


def as_word(secret):
    return re.compile(rf"(?<!\w){re.escape(secret)}(?!\w)")


def last_part(path):
    return Path(path).name or UNNAMED


def clean_json(value, secrets, name=""):
    """A member of meta.json without paths and UUIDs, and a free text without secrets."""
    if isinstance(value, dict):
        return {key: clean_json(each, secrets, key) for key, each in value.items()}
    if isinstance(value, list):
        return [clean_json(each, secrets, name) for each in value]
    return clean(value, secrets if name in FREE else ()) if isinstance(value, str) else value


def clean_meta(meta, secrets):
    """meta.json without what is left out."""
    meta = {**clean_json(meta, secrets), "options": clean_options(meta["options"])}
    for name in OF_HOST:
        meta["machine"].pop(name, None)
    for device in meta["devices"]:
        for name in OF_DEVICE:
            device.pop(name, None)
    for given in meta["inputs"]:
        given["path"] = last_part(given.get("path") or given["name"])
    program, *options = meta["command_line"]
    return {**meta, "command_line": [last_part(program), *without_places(options, secrets)]}


def clean_options(options):
    """The options of meta.json. Only instances may be paths; a selector of rows may look like one."""
    return {name: clean_json(value, ()) if name == "instances" else value for name, value in options.items()}


def without_places(options, secrets):
    """The options, with the last part only of each folder that they name."""
    shown = []
    for option in options:
        name, equals, value = option.partition("=")
        if name in PLACES and equals:
            option = f"{name}={clean(last_part(value), secrets)}"
        elif shown and shown[-1] in PLACES or option.startswith(("/", "~", "../", "./")):
            option = clean(last_part(option), secrets)
        shown.append(option)
    return shown


def clean_table(data, secrets, run_id):
    """A table file with its notes cleaned, of a run that is called `run_id`."""
    of_run, note = runs.HEADER.index("run_id"), runs.HEADER.index(NOTE)
    header, *lines = csv.reader(io.StringIO(data.decode(), newline=""))
    for line in lines:
        line[of_run], line[note] = run_id, clean(line[note], secrets)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *lines])
    return text.getvalue().encode()


# ---- What is fit to be given away ----


def secrets_of(meta):
    """The texts that an archive must not contain: the host's name, and the GPUs' UUIDs and bus addresses."""
    found = [meta["machine"].get(name) for name in OF_HOST]
    found += [device.get(name) for device in meta["devices"] for name in OF_DEVICE]
    return sorted({text for text in found if text}, key=len, reverse=True)


def names_of_user(run):
    """The texts of a run's data that its user may have chosen, without folders."""
    options = run.meta["options"]
    yield last_part(run.meta["command_line"][0])
    yield from (given["name"] for given in run.meta["inputs"])
    yield from map(last_part, options.get("instances") or ())
    yield from options.get("rows") or ()


@functools.cache
def names_of_catalogue():
    """The names of the inputs that come with the benchmark."""
    found = set()
    for kind in ("instances", "images"):
        with open(ROOT / kind / "catalogue.csv", newline="", encoding="utf-8") as file:
            found |= {line["name"] for line in csv.DictReader(file)}
    return found


def words_of_benchmark(run):
    """The texts of a run that no user chooses."""
    generated = {given["name"] for given in run.meta["inputs"] if given.get("path") == "generated"}
    cells = run.rows[[name for name in OF_WORDS if name not in runs.NUMBERS]]
    return {runs.PROGRAM, run.meta["program"], *generated, *names_of_catalogue(), *cells.to_numpy().ravel()}


def told_by_name(run):
    """Why a run's data would name its host or GPU, or None. A word of the benchmark, such as "cuda", tells nothing."""
    for secret in map(as_word, secrets_of(run.meta)):
        told = next(filter(secret.search, names_of_user(run)), None)
        if told and not any(map(secret.search, words_of_benchmark(run))):
            return f'"{told}" names the host or the GPU; give the input or program another name and measure again'
    return None


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
    meta = {**clean_meta(run.meta, secrets), "run_id": run_id}
    return {
        f"{run_id}/meta.json": (json.dumps(meta, indent=2, ensure_ascii=False) + "\n").encode(),
        f"{run_id}/{run.table.name}": clean_table(run.table.read_bytes(), secrets, run_id),
        f"{run_id}/samples.csv.xz": archive.pack_samples(runs.content(runs.samples_file(run.path))),
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
    samples = all(
        np.array_equal(of.all_samples[line], again.all_samples[line], equal_nan=True) for line in of.all_samples
    )
    columns = [*OF_DATA, "line"]
    stood_for = [[selector.stood_for(row) for row in each.records] for each in (of, again)]  # told by notes
    if not (samples and of.rows[columns].equals(again.rows[columns]) and stood_for[0] == stood_for[1]):
        raise BadInput(f"{of.path}: cannot be shared: its archive has different numbers or words in its table")
    if data_of(again.meta) != data_of(clean_meta({**of.meta, "run_id": again.run_id}, ())):
        raise BadInput(f"{of.path}: cannot be shared: its archive has different data in meta.json")


def data_of(value):
    """What secrets must not change in meta.json: all but free texts and the command line."""
    if isinstance(value, dict):
        return {name: data_of(each) for name, each in value.items() if name not in (*FREE, "command_line")}
    return [data_of(each) for each in value] if isinstance(value, list) else value


def file_of(run_id):
    """The name of a run's archive."""
    return f"{run_id.replace('/', '-')}{archive.ENDING}"


def share(run, out, run_id):
    """The archive of one run: its path."""
    _ = run.processes  # reading the samples checks them
    if why := unfit(run) or told_by_name(run):
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
