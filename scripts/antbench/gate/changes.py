"""What a gate of another harness found, for a machine to read: gate.json, and GitHub's annotations at lines of code.

A map names the code of rows. Each line has a pattern of rows and a place, FILE:LINE or FILE:TEXT. The place is then the
first line that holds TEXT, so that it need not follow each change. FILE is named from the folder of the map, which is
the top of the repository, as GitHub needs it:

    sort/*          src/sort.cu:sort_kernel
    copy N=2^10     src/copy.cu:42
"""

import json
import math
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from antbench.data.command import BadInput, write_file
from antbench.gate import gate_report

SCHEMA = 1
ANNOTATED = {"wrong": "error", "slower": "error", "missing": "warning", "inconclusive": "warning"}
ESCAPED = {"%": "%25", "\r": "%0D", "\n": "%0A"}  # in a message of a workflow command
IN_PROPERTY = {**ESCAPED, ":": "%3A", ",": "%2C"}


def row_name(row):
    return " ".join(filter(None, (row["row"], row["params"])))


def rows_of(judgements):
    """The rows as gate.json has them; an absent number is None."""
    for j in judgements:
        yield {
            "verdict": j.verdict,
            "row": j.name if j.is_together else row_name(j.row),
            "of": j.of,
            "base_ms": known(j.base_ms),
            "new_ms": known(j.new_ms),
            "change": known(j.change),
            "would_be_seen": known(j.seen),
            "median_ms": math.exp(np.median(j.values[1][:, 0])) if j.values else None,
            "together": j.is_together,
            "reason": j.reason,
        }


def known(value):
    return float(value) if math.isfinite(value) else None


def write(path, judgements, code):
    found = {"schema": SCHEMA, "code": code, "rows": list(rows_of(judgements))}
    write_file(path, json.dumps(found, indent=1) + "\n")


def read_map(path):
    """[(pattern, file, line)] of a map."""
    found = []
    for number, text in enumerate(text_of(Path(path)), start=1):
        if not text.strip() or text.startswith("#"):
            continue
        pattern, _, place = text.strip().rpartition(" ")
        file, _, at = place.partition(":")
        if not pattern or not at:
            raise BadInput(f"{path}:{number}: expected PATTERN FILE:LINE or PATTERN FILE:TEXT")
        found.append(
            (
                pattern.strip(),
                file,
                int(at) if at.isdigit() else line_with(Path(path).parent / file, at, f"{path}:{number}"),
            )
        )
    return found


def line_with(file, text, place):
    for number, line in enumerate(text_of(file), start=1):
        if text in line:
            return number
    raise BadInput(f"{place}: {file} has no line with {text}")


def text_of(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None


def annotations(judgements, places):
    """A workflow command of GitHub for each row that fails the gate and that the map knows."""
    for j in judgements:
        level = ANNOTATED.get(j.verdict)
        at = next(((file, line) for pattern, file, line in places if fnmatchcase(row_name(j.row), pattern)), None)
        if level and at and not j.is_together:
            message = "; ".join(filter(None, (gate_report.sentence(j), j.reason)))
            title = escaped(f"{j.verdict}: {row_name(j.row)}", IN_PROPERTY)
            place = f"file={escaped(at[0], IN_PROPERTY)},line={at[1]},title={title}"
            yield f"::{level} {place}::{escaped(message, ESCAPED)}"


def escaped(text, table):
    return text.translate(str.maketrans(table))
