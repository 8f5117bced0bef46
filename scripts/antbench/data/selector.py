"""Selects rows by TABLE/ROW/INPUT?NAME=VALUE;..., as the program's --rows does (bench/plan/selector.h).

Each part and each value is a pattern with "*" and "[a-z]". A missing or empty part fits everything. A condition names a
parameter, or the columns backend or scope. If it has several values, block=64+128, one of them must fit.
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from antbench.data import cells, runs
from antbench.data.command import BadInput

EXPECTED = "names no row: expected TABLE/ROW/INPUT?name=value;..., such as 3.3/race/pr1002"
FORM = re.compile(r"([^/?]*)(?:/([^/?]*)(?:/([^/?]*))?)?(?:\?([^=;]+=[^;]+(?:;[^=;]+=[^;]+)*))?")
OF_ROWS = ("backend", "scope", "stage")  # conditions on finished rows, not on how to measure them


@dataclass(frozen=True)
class Selector:
    text: str
    table: str = ""
    row: str = ""
    input: str = ""
    conditions: tuple = ()  # ((name, accepted values), ...)

    def means(self, row):
        """True if this selects a row of a run."""
        return (
            is_of(self.table, row["table"])
            and is_of(self.row, row["row"])
            and any(is_of(self.input, name) for name in (row["instance"], *stood_for(row)))
            and all(self.holds(row, *condition) for condition in self.conditions)
        )

    @staticmethod
    def holds(row, name, values):
        value = cells.condition_value(row, name)
        return value is not None and any(fnmatchcase(value, each) for each in values)


def is_of(pattern, name):
    return not pattern or fnmatchcase(name, pattern)


def stood_for(row):
    """The instance that a row's stand-in replaces, from its note: ["d198"], or []."""
    return re.findall(r"(?:generated|drawn) stand-in for ([^\s;]+)", row["note"])


def names_input(asked, row):
    """True if `asked`, of --instances, names the row's input: by its name, by its file, or by what it stands in for."""
    return row["instance"] in (asked, Path(asked).stem) or asked in stood_for(row)


def parse(text):
    spelled = FORM.fullmatch(text)
    if not spelled or not text:
        raise BadInput(f'"{text}" {EXPECTED}')
    table, row, on, conditions = (part or "" for part in spelled.groups())
    return Selector(text, runs.table_name(table), row, on, cells.conditions(conditions))


OWN = ("threads", "workers", "block", "tile")


def is_alike(a, b, besides=()):
    """True if two rows have the same instance, the same scope and the same values of the parameters that both have.

    Parameters that divide the work into threads (OWN) and the parameters `besides` may differ.
    """
    params = [dict(pair.partition("=")[::2] for pair in row["params"].split(";") if pair) for row in (a, b)]
    return (
        a["instance"] == b["instance"]
        and a["scope"] == b["scope"]
        and all(
            params[1].get(name, value) == value for name, value in params[0].items() if name not in (*OWN, *besides)
        )
    )


def both(pair, name):
    """A column's value if both rows have the same one, else "one : other"."""
    return pair[0][name] if pair[0][name] == pair[1][name] else f"{pair[0][name]} : {pair[1][name]}"
