"""Reads what the program plans: the rows of --dry-run."""

import csv

UNTIMED = ("functional", "quality")  # scopes of rows without a time


def rows(said):
    """The planned rows, each a dict by column. Lines below them tell how long all will take."""
    lines = said.splitlines() or [""]
    of_rows = [line for line in lines if line.count("\t") == lines[0].count("\t")]
    return list(csv.DictReader(of_rows, delimiter="\t", quoting=csv.QUOTE_NONE))


def is_timed(row):
    """True if a planned row will be timed. Rows of the host backend are only verified."""
    return row["scope"] not in UNTIMED
