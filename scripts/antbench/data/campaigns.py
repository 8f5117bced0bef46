"""What the campaigns of faults have measured: results/faults/NAME.csv, of which docs/faults.md is made.

`make fuzz`, `make inject` and `make plant` write them, each line as soon as it is measured. A line says at which commit; a `+`
behind it stands for changes that were not committed. A line replaces the older one of the same fault.
"""

import contextlib
import csv
import datetime
import fcntl
import io
import os
import re

from antbench.data import code, runs
from antbench.data.command import ROOT, BadInput, write_file

FOLDER = runs.RESULTS / "faults"
PATCHES = "tests/planted/faults"
PASSES = "passes"
OWN = ":!results/faults", ":!docs/faults.md"  # what campaigns write
MEASURED = ("commit", "date")
COLUMNS = {  # of each campaign, and how many of them name the line
    "fuzzed": (1, ("reader", "inputs", "parts", "found")),
    "injected": (2, ("driver", "into", "calls", "tried", "whole", "ended", "wrong")),
    "planted": (2, ("fault", "asked", "operation", "real", "answer")),
}


# ---- Results ----


def now():
    """(commit, date): what a line says of when it was measured."""
    commit = (code.git("rev-parse", "--short=7", "HEAD") or "").strip()
    changes = code.git("status", "--porcelain", "--untracked-files=no", "--", ".", *OWN)
    return f"{commit}{'+' if changes else ''}", datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def columns(name):
    return (*COLUMNS[name][1], *MEASURED)


def read(name):
    """[{column: text}] of a campaign; none where nothing is measured yet."""
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != columns(name):
            raise BadInput(f"{path}: its header must be {','.join(columns(name))}")
        return list(reader)


def in_order(key):
    """T9 before T10."""
    return [[int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)] for text in key]


@contextlib.contextmanager
def alone():
    """No other campaign writes meanwhile."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    handle = os.open(FOLDER, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def keep(name, lines, measured=None):
    """Adds lines, tuples of COLUMNS' order; `measured` is now() of their sources."""
    n_key, _ = COLUMNS[name]
    with alone():
        there = [tuple(line.values()) for line in read(name)]
        new = [(*map(str, line), *(measured or now())) for line in lines]
        found = {line[:n_key]: line for line in [*there, *new]}
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([columns(name), *(found[key] for key in sorted(found, key=in_order))])
        write_file(FOLDER / f"{name}.csv", text.getvalue())


# ---- Planted faults ----


def head_of(patch):
    """{what, driver, tests, note}."""
    lines = patch.read_text(encoding="utf-8").split("\n--- ", 1)[0].splitlines()
    return {"note": "", **dict(line.split(": ", 1) for line in lines)}


def is_real(head):
    return not head["note"].startswith("equivalent")


def implementations_of(head):
    """What the driver's run measures: ["tsp/ds-roulette"]."""
    return re.search(r"--implementations (\S+)", head["driver"]).group(1).split(",")


def operation_of(head):
    return implementations_of(head)[0].split("/")[0]


# ---- Tables ----


def fuzzed():
    """The lines, and the sums of their counts."""
    lines = read("fuzzed")
    return {"lines": lines, **{name: sum(int(line[name]) for line in lines) for name in ("inputs", "found")}}


def injected():
    lines = read("injected")
    return {"lines": lines, **{name: sum(int(line[name]) for line in lines) for name in ("tried", "wrong")}}


def tally(operation, lines, patches):
    """A line of the table of planted faults: {who: [asked, caught, names of the real ones that pass]}."""
    of = [line for line in lines if operation in ("together", line["operation"])]
    asked = {}
    for who in ("tests", "driver"):
        real = [line for line in of if line["asked"] == who and line["real"] == "yes"]
        passed = [line["fault"] for line in real if line["answer"] == PASSES]
        asked[who] = {"asked": len(real), "caught": len(real) - len(passed), "passed": passed}
    heads = [head for head in patches.values() if operation in ("together", operation_of(head))]
    wrongly = [line["fault"] for line in of if line["real"] == "no" and line["answer"] != PASSES]
    return {
        "operation": operation,
        "real": sum(map(is_real, heads)),
        "equivalent": sum(not is_real(head) for head in heads),
        "wrongly": wrongly,
        **asked,
    }


def planted():
    """A line for each operation and one for all. Only patches that are there count, and real ones where they are asked."""
    patches = {path.stem: head_of(path) for path in (ROOT / PATCHES).glob("*.patch")}
    lines = [line for line in read("planted") if line["fault"] in patches]
    operations = sorted({operation_of(head) for head in patches.values()})
    return [tally(operation, lines, patches) for operation in [*operations, "together"]]


def measured_at(name):
    """As "1d46dc1 (2026-11-24), cc4edcf (2026-11-24)": of which commits a campaign's lines are."""
    return ", ".join(
        dict.fromkeys(
            f"{line['commit']} ({line['date']})" for line in sorted(read(name), key=lambda line: line["date"])
        )
    )
