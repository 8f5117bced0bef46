"""Which rows a user means: TABLE/ROW/INPUT?NAME=VALUE;..., as the program's --rows has it (bench/plan/selector.h).

Each part and each value is a pattern, of "*" and "[a-z]"; a part that is left out or empty is anything. A condition
names a parameter, or the columns backend or scope; of several values, block=64+128, one is enough.
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from antbench.data import cells, runs
from antbench.data.command import BadInput

EXPECTED = "names no row: expected TABLE/ROW/INPUT?name=value;..., such as 3.3/race/pr1002"
FORM = re.compile(r"([^/?]*)(?:/([^/?]*)(?:/([^/?]*))?)?(?:\?([^=;]+=[^;]+(?:;[^=;]+=[^;]+)*))?")
OF_ROWS = ("backend", "scope", "stage")  # conditions on what a row came to be, and not on how it is to be measured


@dataclass(frozen=True)
class Selector:
    text: str
    table: str = ""
    row: str = ""
    input: str = ""
    conditions: tuple = ()  # ((name, accepted values), ...)

    def means(self, row):
        """Whether it means a row of a run."""
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
    """What a row's instance is a stand-in for, as its note says: ["d198"], or nothing."""
    return re.findall(r"(?:generated|drawn) stand-in for ([^\s;]+)", row["note"])


def parse(text):
    spelled = FORM.fullmatch(text)
    if not spelled or not text:
        raise BadInput(f'"{text}" {EXPECTED}')
    table, row, on, conditions = (part or "" for part in spelled.groups())
    return Selector(text, runs.table_name(table), row, on, cells.conditions(conditions))


OWN = ("threads", "workers", "block", "tile")


def is_alike(a, b, besides=()):
    """Whether two rows did the same: on the same instance, in the same scope, by the same parameters where both have one,
    but for how they are cut into threads, which is their own affair, and the parameters `besides`."""
    params = [dict(pair.partition("=")[::2] for pair in row["params"].split(";") if pair) for row in (a, b)]
    return (
        a["instance"] == b["instance"]
        and a["scope"] == b["scope"]
        and all(
            params[1].get(name, value) == value for name, value in params[0].items() if name not in (*OWN, *besides)
        )
    )


def both(pair, name):
    """What the two have in common, or one and the other."""
    return pair[0][name] if pair[0][name] == pair[1][name] else f"{pair[0][name]} : {pair[1][name]}"
