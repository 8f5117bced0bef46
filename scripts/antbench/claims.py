"""make claims: each published claim holds, fails or cannot be tested here, with the number behind the verdict.

report/claims.csv has a claim a line: the sentence in our words, the predicate (a function below), its threshold, and
the cells that it is about (antbench.cells). A predicate is given the cases, one for each {x}, and says whether the
claim holds and which cases decide. A verdict follows the value; the interval beside it shows how close it is.
"""

import argparse
import math
import textwrap
from dataclasses import dataclass

from antbench import cells
from antbench.cells import Estimate
from antbench.command import OK, SKIPPED, BadInput, run

HOLDS, FAILS, UNTESTED = "holds", "fails", "not testable here"


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    measured: Estimate

    @property
    def value(self):
        return self.measured.value


@dataclass(frozen=True)
class Verdict:
    claim: dict  # its line of claims.csv
    verdict: str
    measured: str  # "276 (270 to 282) on pr2392"
    threshold: str  # what the value is held against
    reason: str  # why it cannot be tested, or which cases are missing


# ---- Predicates: (holds, the cases that decide) ----


def best_at_least(found, threshold):
    """As in "up to 82 times": the largest value reaches it."""
    best = max(found, key=lambda case: case.value)
    return best.value >= float(threshold), [best]


def all_at_least(found, threshold):
    worst = min(found, key=lambda case: case.value)
    return worst.value >= float(threshold), [worst]


def all_at_most(found, threshold):
    worst = max(found, key=lambda case: case.value)
    return worst.value <= float(threshold), [worst]


def most_at_most(found, threshold):
    """In more than half of the cases; the middle one decides."""
    ordered = sorted(found, key=lambda case: case.value)
    middle = ordered[len(ordered) // 2]
    return middle.value <= float(threshold), [middle]


def from_to(found, threshold):
    """As in "4 to 8.5 times": nowhere less than the first, somewhere as much as the second."""
    low, high = map(float, threshold.split())
    ordered = sorted(found, key=lambda case: case.value)
    return ordered[0].value >= low and ordered[-1].value >= high, [ordered[0], ordered[-1]]


def all_between(found, threshold):
    low, high = map(float, threshold.split())
    ordered = sorted(found, key=lambda case: case.value)
    return low <= ordered[0].value and ordered[-1].value <= high, [ordered[0], ordered[-1]]


def largest_at(found, name):
    best = max(found, key=lambda case: case.value)
    return best.name == name, [best]


def smallest_at(found, name):
    best = min(found, key=lambda case: case.value)
    return best.name == name, [best]


def falls_after(found, name):
    """Beyond this case every value is less than the one before it."""
    names = [case.name for case in found]
    tail = found[names.index(name) :] if name in names else found
    falls = len(tail) > 1 and all(b.value < a.value for a, b in zip(tail, tail[1:]))
    return falls, [tail[0], tail[-1]]


def grows(found, _):
    """No value is less than the one before it, by more than their intervals; the last is more than the first."""
    steady = all(not clearly_less(b.measured, a.measured) for a, b in zip(found, found[1:]))
    return steady and found[-1].value > found[0].value, [found[0], found[-1]]


def clearly_less(a, b):
    """a's interval ends before b's begins."""
    highest = a.value if a.high != a.high else a.high
    lowest = b.value if b.low != b.low else b.low
    return highest < lowest


def spread_at_most(found, threshold):
    """The largest value is at most so many times the smallest."""
    ordered = sorted(found, key=lambda case: case.value)
    return ordered[-1].value / ordered[0].value <= float(threshold), [ordered[0], ordered[-1]]


PREDICATES = {
    predicate.__name__: predicate
    for predicate in (
        best_at_least,
        all_at_least,
        all_at_most,
        most_at_most,
        from_to,
        all_between,
        largest_at,
        smallest_at,
        falls_after,
        grows,
        spread_at_most,
    )
}
COMPARE_CASES = ("largest_at", "smallest_at", "falls_after", "grows", "spread_at_most")  # one case alone says nothing


# ---- Judging ----


def judge(claim, source):
    """The Verdict on one line of claims.csv."""
    if claim["predicate"] not in PREDICATES or claim["set"] not in cells.sets():
        raise BadInput(
            f"report/claims.csv: {claim['id']}: unknown predicate or set \"{claim['predicate']}\", "
            f"\"{claim['set']}\""
        )
    every = [
        Case(name, cells.quotient(source, claim["top"], claim["over"], name)) for name in cells.sets()[claim["set"]]
    ]
    found = [case for case in every if case.measured]
    missing = [case for case in every if not case.measured]
    needed = 2 if claim["predicate"] in COMPARE_CASES else 1
    if len(found) < needed or claim["threshold"] in [case.name for case in missing]:
        return Verdict(
            claim, UNTESTED, "", threshold_text(claim), f"needs {claim['needs']}: {missing[0].measured.reason}"
        )
    holds, deciding = PREDICATES[claim["predicate"]](found, claim["threshold"])
    without = f"without {', '.join(case.name for case in missing)}" if missing else ""
    return Verdict(
        claim,
        HOLDS if holds else FAILS,
        " … ".join(map(case_text, dict.fromkeys(deciding))),
        threshold_text(claim),
        without,
    )


def threshold_text(claim):
    """The predicate in words: "best at least 82"."""
    return f"{claim['predicate'].replace('_', ' ')} {claim['threshold'].replace(' ', ' … ')}".strip()


def case_text(case):
    return f"{with_interval(case.measured)} at {case.measured.instance or case.name}"


def with_interval(measured):
    """As "0.98 (0.97 to 0.99)": as many digits as tell the ends apart, three at least."""
    low, high = measured.low, measured.high
    if not low < high:
        return short(measured.value)
    digits = next((digits for digits in (3, 4, 5) if short(low, digits) != short(high, digits)), 5)
    return f"{short(measured.value, digits)} ({short(low, digits)} to {short(high, digits)})"


def short(value, digits=3):
    """So many significant digits, without an exponent."""
    before = math.floor(math.log10(abs(value))) + 1 if value else 1
    return f"{value:.{max(digits - before, 0)}f}"


def judge_all(source):
    return [judge(claim, source) for claim in cells.read_layout("claims.csv")]


def print_verdicts(verdicts, source):
    print(
        f"The claims on {source.device}: "
        + ", ".join(f"{sum(v.verdict == kind for v in verdicts)} {kind}" for kind in (HOLDS, FAILS, UNTESTED))
        + "\n"
    )
    for verdict in verdicts:
        claim = verdict.claim
        print(f"{verdict.verdict:<18}{claim['id']}  {claim['source']} {claim['section']}")
        print(textwrap.fill(claim["claim"], 110, initial_indent=" " * 18, subsequent_indent=" " * 18))
        numbers = f"{verdict.measured}; {verdict.threshold}" if verdict.measured else verdict.threshold
        print(f"{'':18}{numbers}" + (f" [{verdict.reason}]" if verdict.reason else ""))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="claims", description=__doc__.splitlines()[0])
    cells.add_options(parser)
    options = parser.parse_args(arguments)
    source = cells.choose(options.run, options.also)[0]
    verdicts = judge_all(source)
    print_verdicts(verdicts, source)
    return OK if any(verdict.verdict != UNTESTED for verdict in verdicts) else SKIPPED


if __name__ == "__main__":
    run(main)
