"""make claims: what becomes of each published claim here, with the numbers, their intervals, n and runs behind the
verdict.

report/claims.csv has a claim a line: the sentence of the source, what is tested of it, the predicate (a function
below), its threshold, and the cells that it is about (antbench.cells). A predicate is given the cases, one for each
{x}, and gives a verdict and the cases that decide. A verdict rests on 95 % intervals: where one crosses what it is held
against, or where a case that decides has none, being one sample or one run, or an open one, the claim is undecided.
"""

import argparse
import math
import textwrap
from dataclasses import dataclass

from antbench import cells
from antbench.cells import Estimate
from antbench.command import OK, SKIPPED, BadInput, run

HOLDS, EXCEEDED, TIE, FAILS, UNDECIDED, UNTESTED = "holds", "exceeded", "tie", "fails", "undecided", "not testable"
KINDS = (HOLDS, EXCEEDED, TIE, FAILS, UNDECIDED, UNTESTED)
COUNTED = {  # of one claim, of several
    HOLDS: ("holds", "hold"),
    EXCEEDED: ("is exceeded", "are exceeded"),
    TIE: ("is a tie", "are a tie"),
    FAILS: ("fails", "fail"),
    UNDECIDED: ("is undecided", "are undecided"),
    UNTESTED: ("cannot be tested here", "cannot be tested here"),
}
NEAR = 1.1  # a number in a sentence, "up to 82 times", is met within a tenth
AROUND = 1.25  # and "around 5 times" within a quarter
EQUAL = 1.03  # what differs by less is a tie: runs of one program differ by 1 to 5 %
INTERVAL_NOTE = (
    "An interval of several machines holds on another machine of their kind; n processes (of a quality, runs) are on one "
    "machine; “widened” is by how far two machines differ in other rows of the kind."
)
VAGUE, VAGUE_DIGITS = 0.05, 2  # a CPU's number with a wider interval, a share of it, has so many digits
NO_PREDICATE = "-"  # of a claim that no row can test: `needs` says what is missing


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    measured: Estimate

    @property
    def value(self):
        return self.measured.value

    @property
    def known(self):
        """Whether there is an interval."""
        return self.measured.low <= self.measured.high

    @property
    def open(self):
        """Whether it says nothing: the interval of a part reaches 0."""
        return self.measured.high == math.inf

    def above(self, limit):
        return self.known and self.measured.low > limit

    def below(self, limit):
        return self.known and self.measured.high < limit

    def within(self, low, high):
        return self.known and low <= self.measured.low and self.measured.high <= high


@dataclass(frozen=True)
class Verdict:
    claim: dict  # its line of claims.csv
    verdict: str
    measured: str  # "276 (270 to 282, n 10) at pr2392"
    threshold: str  # what the value is held against
    reason: str  # why it cannot be tested or decided, or which cases are missing
    runs: tuple = ()  # the runs behind it


# ---- Predicates: (verdict, the cases that decide) ----


def by_value(found):
    return sorted(found, key=lambda case: case.value)


def up_to(found, threshold):
    """As in "up to 82 times": the largest of the values is near it; where one is clearly larger it is exceeded."""
    limit, best = float(threshold), by_value(found)[-1]
    larger = [case for case in found if case.above(limit * NEAR)]
    if larger:
        return EXCEEDED, [by_value(larger)[-1]]
    if all(case.below(limit / NEAR) for case in found):
        return FAILS, [best]
    return HOLDS if best.within(limit / NEAR, limit * NEAR) else UNDECIDED, [best]


def average(found, threshold):
    """As in "the average gain is 2.00x": the mean of the values is near it, or clearly larger."""
    count = Estimate(*3 * [len(found)])
    return up_to([Case("the mean", cells.divide(cells.add([case.measured for case in found]), count))], threshold)


def around(found, threshold):
    """As in "around 5 times": every value, within a quarter."""
    limit = float(threshold)
    return in_range(found, limit / AROUND, limit * AROUND)


def from_to(found, threshold):
    """As in "4 to 8.5 times": every value, within a tenth of the ends."""
    low, high = map(float, threshold.split())
    return in_range(found, low / NEAR, high * NEAR)


def in_range(found, low, high):
    ordered = by_value(found)
    smaller, larger = [case for case in ordered if case.below(low)], [case for case in ordered if case.above(high)]
    ends = [ordered[0], ordered[-1]]
    if smaller:
        return FAILS, ends
    if all(case.known and case.measured.low >= low for case in found):
        if larger:
            return EXCEEDED, ends
        if all(case.within(low, high) for case in found):
            return HOLDS, ends
    return UNDECIDED, undecided(found, lambda case: case.within(low, high) or case.above(high)) or ends


def all_above(found, threshold):
    """Every value is larger; within EQUAL of it all together are a tie."""
    limit, ordered = float(threshold), by_value(found)
    if all(case.within(limit / EQUAL, limit * EQUAL) for case in found):
        return TIE, [ordered[0], ordered[-1]]
    smaller = [case for case in ordered if case.below(limit / EQUAL)]
    if smaller:
        return FAILS, [ordered[0], ordered[-1]]
    if all(case.above(limit) for case in found):
        return HOLDS, [ordered[0]]
    return UNDECIDED, undecided(found, lambda case: case.above(limit))


def all_below(found, threshold):
    """Every value is smaller: the reverse."""
    limit, ordered = float(threshold), by_value(found)
    if limit and all(case.within(limit / EQUAL, limit * EQUAL) for case in found):
        return TIE, [ordered[0], ordered[-1]]
    if any(case.above(limit * EQUAL) for case in found):
        return FAILS, [ordered[0], ordered[-1]]
    if all(case.below(limit) for case in found):
        return HOLDS, [ordered[-1]]
    return UNDECIDED, undecided(found, lambda case: case.below(limit))


def all_within(found, threshold):
    """Every ratio is within this factor of 1: what is said to make no difference makes none."""
    limit, ordered = float(threshold), by_value(found)
    ends = [ordered[0], ordered[-1]]
    if any(case.below(1 / limit) or case.above(limit) for case in found):
        return FAILS, ends
    return (HOLDS if all(case.within(1 / limit, limit) for case in found) else UNDECIDED), ends


def most_below(found, threshold):
    """In more than half of the cases the value is smaller; in half of them, or where the rest is not told, undecided."""
    limit, half = float(threshold), len(found) / 2
    below, above = (
        [case for case in found if one(case)] for one in (lambda c: c.below(limit), lambda c: c.above(limit))
    )
    middle = by_value(found)[len(found) // 2]
    if len(below) > half:
        return HOLDS, [middle]
    return (FAILS if len(above) >= half else UNDECIDED), [by_value(found)[0], middle, by_value(found)[-1]]


def smallest_at(found, name):
    best = by_value(found)[0]
    named = next(case for case in found if case.name == name)
    return best_of(found, named, best, lambda a, b: clearly_less(a.measured, b.measured))


def best_of(found, named, best, beats):
    """The named case, if it beats all others by more than EQUAL; a tie if others are as good."""
    deciding = list(dict.fromkeys([named, best]))
    rivals = [case for case in found if case is not named]
    close = [c for c in rivals if max(c.value, named.value) <= min(c.value, named.value) * EQUAL]
    if best is not named and best not in close:
        return (FAILS if beats(best, named) else UNDECIDED), deciding
    if close:
        return TIE, list(dict.fromkeys([named, best, *close[:1]]))
    return (HOLDS if all(beats(named, case) for case in rivals) else UNDECIDED), deciding


def falls_after(found, name):
    """Beyond this case every value is less than the one before it, and there are two such steps or more."""
    names = [case.name for case in found]
    tail = found[names.index(name) :]
    steps = list(zip(tail, tail[1:]))
    ends = [tail[0], tail[-1]]
    if any(clearly_less(a.measured, b.measured) for a, b in steps):
        return FAILS, ends
    falls = len(steps) > 1 and all(clearly_less(b.measured, a.measured) for a, b in steps)
    return (HOLDS if falls else UNDECIDED), ends


def grows(found, _):
    """No value is less than the one before it, by more than their intervals; the last is more than the first."""
    ends = [found[0], found[-1]]
    if any(clearly_less(b.measured, a.measured) for a, b in zip(found, found[1:])):
        return FAILS, ends
    if clearly_less(found[0].measured, found[-1].measured):
        return HOLDS, ends
    return UNDECIDED, ends


def clearly_less(a, b):
    """a's interval ends before b's begins; without intervals nothing is clear."""
    return a.high < b.low


def spread_at_most(found, threshold):
    """The largest value is at most so many times the smallest."""
    low, *_, high = by_value(found)
    ratio = Case("", cells.divide(high.measured, low.measured))
    limit = float(threshold)
    return (HOLDS if ratio.below(limit) else FAILS if ratio.above(limit) else UNDECIDED), [low, high]


def undecided(found, clear):
    """The cases that leave it open."""
    return [case for case in found if not clear(case)][:2]


PREDICATES = {
    predicate.__name__: predicate
    for predicate in (
        up_to,
        average,
        around,
        from_to,
        all_above,
        all_below,
        all_within,
        most_below,
        smallest_at,
        falls_after,
        grows,
        spread_at_most,
    )
}
COMPARE_CASES = ("average", "smallest_at", "falls_after", "grows", "spread_at_most")  # one case alone says nothing
WORDS = {
    "up_to": "the largest is near {}",
    "average": "their mean is near {}",
    "around": "each is around {}",
    "from_to": "each is from {}",
    "all_above": "each is above {}",
    "all_below": "each is below {}",
    "all_within": "each is within a factor of {}",
    "most_below": "most are below {}",
    "smallest_at": "the smallest is at {}",
    "falls_after": "they fall from {} on",
    "grows": "they grow",
    "spread_at_most": "the largest is at most {} times the smallest",
}


# ---- Judging ----


def judge(claim, source):
    """The Verdict on one line of claims.csv."""
    if claim["predicate"] == NO_PREDICATE:
        return Verdict(claim, UNTESTED, "", "", f"missing: {claim['needs']}")
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
    verdict, deciding = PREDICATES[claim["predicate"]](found, claim["threshold"])
    deciding = list(dict.fromkeys(deciding))
    reasons = [f"without {', '.join(case.name for case in missing)}"] if missing else []
    if verdict == UNDECIDED:
        reasons.append(why_undecided(deciding))
    return Verdict(
        claim,
        verdict,
        " … ".join(map(case_text, deciding)),
        threshold_text(claim),
        "; ".join(reasons),
        tuple(dict.fromkeys(row["run"] for case in deciding for row in case.measured.rows)),
    )


def why_undecided(deciding):
    single, unbounded = (
        [case.name for case in deciding if test(case)] for test in (lambda c: not c.known, lambda c: c.open)
    )
    if single:
        return f"no interval: one sample or run at {', '.join(single)}"
    if unbounded:
        return f"an open interval: that of a part reaches 0 at {', '.join(unbounded)}"
    return "an interval crosses it"


def threshold_text(claim):
    """The predicate in words: "the largest is near 82"."""
    return WORDS[claim["predicate"]].format(claim["threshold"].replace(" ", " to "))


def case_text(case):
    """A case may be an instance with a condition: "shapes-512?level=20"."""
    return f"{with_interval(case.measured)} at {(case.measured.instance or case.name).replace('?', ' with ')}"


def with_interval(measured):
    """As "0.98 (0.97 to 0.99, n 10)": as many digits as tell the ends apart; "about 200 (…)" of a CPU's vague number."""
    inside = interval(measured)
    about = "about " if digits_of(measured) == VAGUE_DIGITS else ""
    return about + short(measured.value, digits_of(measured)) + (f" ({inside})" if inside else "")


def interval(measured):
    """What stands in the brackets: "0.97 to 0.99, n 10"; "0.97 to 0.99, 3 machines"; "" where there is none."""
    low, high, digits = measured.low, measured.high, digits_of(measured)
    n = resting_on(measured) if measured.n and low != high else ""
    ends = "open" if high == math.inf else f"{short(low, digits)} to {short(high, digits)}" if low < high else ""
    return ", ".join(filter(None, (ends, f"hosts: {span(measured)}" if measured.span else "", n)))


def resting_on(measured):
    """What an interval rests on, for its reader; the heading of a page says what n is of and what widens."""
    told = f"{measured.machines} machines" if measured.machines > 1 else f"n {measured.n}"
    return f"{told}, widened" if measured.widened else told


def span(measured):
    """From host to host, as "190 to 320"."""
    return " to ".join(short(end, VAGUE_DIGITS) for end in measured.span)


def digits_of(measured):
    """A CPU's number has two where its interval, or its lack of one, says no more."""
    if of_cpu(measured) and not measured.high - measured.low <= 2 * VAGUE * abs(measured.value):
        return VAGUE_DIGITS
    if not measured.low < measured.high < math.inf:
        return 3
    return next((digits for digits in (3, 4, 5) if short(measured.low, digits) != short(measured.high, digits)), 5)


def in_table(measured, digits=3):
    """A time or a ratio in a cell: a CPU's over its hosts, "190 to 320", else "~" before one that is noisy or of few
    samples, and a CPU's of two digits then; "–" for none."""
    if not measured:
        return "–"
    if measured.span:
        return span(measured)
    unsure = any(row["status"] in ("noisy", "few") for row in measured.rows)
    return f"~{short(measured.value, min(digits, digits_of(measured)))}" if unsure else short(measured.value, digits)


def of_cpu(measured):
    """Whether a host's CPU has a part in a measured time."""
    return measured.machines > 0 and any(row["backend"] == "cpu" for row in measured.rows)


def short(value, digits=3):
    """So many significant digits, without an exponent; thousands apart from 10 000 on, as in all that is printed here."""
    if not value:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")  # 0.09998 is 0.100, not 0.1000
    before = math.floor(math.log10(abs(rounded))) + 1
    return apart(f"{rounded if digits < 3 else value:.{max(digits - before, 0)}f}")


def apart(text):
    """A number's digits in threes, where it has five or more before the point: a narrow space between."""
    whole, point, rest = text.partition(".")
    return (f"{int(whole):,}".replace(",", "\u202f") if len(whole.lstrip("-")) > 4 else whole) + point + rest


def judge_all(source):
    return [judge(claim, source) for claim in cells.read_layout("claims.csv")]


def counted(verdicts):
    """{verdict: how many}."""
    return {kind: sum(verdict.verdict == kind for verdict in verdicts) for kind in KINDS}


def tally(verdicts):
    """{verdict: "30 hold"}."""
    return {kind: f"{n} {COUNTED[kind][n != 1]}" for kind, n in counted(verdicts).items()}


def print_verdicts(verdicts, source):
    print(f"The claims on {source.device}: {', '.join(tally(verdicts).values())}")
    print(textwrap.fill(INTERVAL_NOTE, 120) + "\n")
    indent = " " * 14
    for verdict in verdicts:
        claim = verdict.claim
        print(f"{verdict.verdict:<14}{claim['id']}  {claim['source']} {claim['section']}")
        quote = f"“{claim['quote']}”" if claim["quote"] else ""
        for text in filter(None, (quote, claim["claim"])):
            print(textwrap.fill(text, 114, initial_indent=indent, subsequent_indent=indent))
        numbers = f"{verdict.measured}; {verdict.threshold}" if verdict.measured else verdict.threshold
        print(indent + " ".join(filter(None, (numbers, f"[{verdict.reason}]" if verdict.reason else ""))))
        if verdict.runs:
            print(f"{indent}runs: {', '.join(run.run_id for run in verdict.runs)}")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="claims", description=__doc__.splitlines()[0])
    cells.add_options(parser)
    options = parser.parse_args(arguments)
    source = cells.on_gpu(cells.chosen(options))
    verdicts = judge_all(source)
    print_verdicts(verdicts, source)
    return OK if any(verdict.verdict != UNTESTED for verdict in verdicts) else SKIPPED


if __name__ == "__main__":
    run(main)
