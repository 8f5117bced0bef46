"""make claims: the verdict on each published sentence, with the numbers, intervals and runs behind it.

report/claims.csv quotes each sentence. report/cases.csv has a line per test of a sentence: a predicate
(antbench.show.predicates), its threshold, and the addresses of cells (antbench.data.cells), one case for each {x}.
`own_top` and `own_over` are the same cells in the source's own tables. {card} stands for each of the two Teslas of JPDC
and JSC.

Tests of a sentence with the same `reading` belong together: the sentence fails if one of them does. If a source allows
several readings, the first in the file gives the sentence's verdict. The others stand beside it.
"""

import argparse
import math
import textwrap
from collections import defaultdict
from dataclasses import dataclass, replace

from antbench.data import cells, machines
from antbench.data.command import OK, SKIPPED, BadInput
from antbench.show import predicates
from antbench.show.predicates import EXCEEDED, FAILS, HOLDS, TIE, UNDECIDED, Case

SO_FAR, NOT_BORNE_OUT = "holds so far", "not borne out by its own table"
MACHINES_DIFFER = "machines differ"
NOT_BY_MORE = "machines differ so much that more like them would not decide it"
NOT_MEASURED, CANNOT = "not measured yet", "cannot be tested here"
KINDS = (HOLDS, EXCEEDED, SO_FAR, TIE, FAILS, UNDECIDED, NOT_BORNE_OUT, NOT_MEASURED, CANNOT)
COUNTED = {  # {kind: (text for one sentence, text for several)}
    HOLDS: ("holds", "hold"),
    EXCEEDED: ("is exceeded", "are exceeded"),
    SO_FAR: ("holds in the cases measured so far", "hold in the cases measured so far"),
    TIE: ("is a tie", "are a tie"),
    FAILS: ("fails", "fail"),
    UNDECIDED: ("is undecided", "are undecided"),
    NOT_BORNE_OUT: ("is not borne out by its own table", "are not borne out by their own tables"),
    NOT_MEASURED: ("is not measured yet", "are not measured yet"),
    CANNOT: ("cannot be tested here", "cannot be tested here"),
}
UNTESTED = {
    "-": NOT_MEASURED,
    "cannot": CANNOT,
}  # entries in place of a predicate; the column `needs` tells what is missing
CARDS = ("c1060", "c2050")  # what {card} stands for; the newer one is last
TESTED_TOGETHER = (
    "All tests are corrected together (Benjamini and Hochberg). At most one verdict in twenty rests on chance, on "
    "average. A result that may well be chance is undecided."
)
INTERVAL_NOTE = (
    "An interval of several machines holds on another machine of their kind. An interval of n processes (of a quality: "
    "n runs) holds on one machine. “Widened” adds how far two machines differ in rows like it."
)
VAGUE, VAGUE_DIGITS = (
    0.05,
    2,
)  # share of a CPU's number from which its interval counts as wide; number of digits then printed


@dataclass(frozen=True)
class Test:
    """The result of a line of cases.csv."""

    line: dict
    verdict: str
    n_cases: int
    found: tuple = ()  # the cases that were measured
    deciding: tuple = ()
    reason: str = ""  # why it is not measured or undecided, or which cases are missing
    chance: float | None = None  # probability that chance alone gives the verdict; None if chance plays no part
    own: str = ""  # range of the source's own numbers, if they contradict the sentence
    differs: bool = False  # true if undecided, and more machines would not decide it, since they differ that much
    moved: tuple = ()  # for each side, the speed relative to the source's: "ds-roulette (GPU) 5.9 to 84 times"

    @property
    def measured(self):
        """ "276 (270 to 282, n 10) at pr2392"."""
        return " … ".join(map(case_text, self.deciding))

    @property
    def threshold(self):
        return threshold_text(self.line) if self.deciding else ""

    @property
    def runs(self):
        return tuple(dict.fromkeys(row["run"] for case in self.deciding for row in case.measured.rows))


@dataclass(frozen=True)
class Reading:
    """The tests of one reading of a sentence."""

    name: str
    tests: tuple

    @property
    def kind(self):
        return NOT_BORNE_OUT if any(test.own for test in self.tests) else self.here

    @property
    def here(self):
        """The reading without the verdict of the source's own table."""
        return together(self.tests)

    @property
    def differs(self):
        """True if it is undecided, and more machines would decide none of its open tests."""
        unclear = [test for test in self.tests if test.verdict in (UNDECIDED, NOT_MEASURED)]
        return self.here == UNDECIDED and bool(unclear) and all(test.differs for test in unclear)

    @property
    def verdict(self):
        """The kind of verdict with its details: "holds so far (3 of 8 cases)"."""
        if self.kind == NOT_BORNE_OUT:
            return f"{NOT_BORNE_OUT} (here: {self.told(self.here)})"
        return self.told(self.kind)

    def told(self, kind):
        n_found, n_cases = (sum(values) for values in zip(*((len(t.found), t.n_cases) for t in self.tests)))
        if kind == UNDECIDED and self.differs:
            return f"{kind} ({MACHINES_DIFFER})"
        return f"{kind} ({n_found} of {n_cases} cases)" if kind == SO_FAR else kind


@dataclass(frozen=True)
class Verdict:
    """The results of all readings of a sentence."""

    claim: dict  # its line of claims.csv
    readings: tuple

    kind = property(lambda self: self.readings[0].kind)
    verdict = property(lambda self: self.readings[0].verdict)
    differs = property(lambda self: self.kind == UNDECIDED and self.readings[0].differs)
    tests = property(lambda self: self.readings[0].tests)

    def joined(self, name):
        return "; ".join(dict.fromkeys(filter(None, (getattr(test, name) for test in self.tests))))

    @property
    def measured(self):
        """The deciding numbers of each test, with its verdict if there are several tests."""
        told = [(test.verdict, test.measured) for test in self.tests if test.measured]
        return "; ".join(f"{verdict}: {measured}" if len(self.tests) > 1 else measured for verdict, measured in told)

    @property
    def tested(self):
        """What each test compares, and its deciding numbers: ("DS-Roulette over one core: time. 8.31 at d198",)."""
        found = []
        for test in self.tests:
            verdict = f"{test.verdict.capitalize()}:" if len(self.tests) > 1 else ""
            if test.measured:
                found.append(" ".join(filter(None, (test.line["claim"], verdict, test.measured))))
        return tuple(found)

    threshold = property(lambda self: self.joined("threshold"))
    reason = property(lambda self: self.joined("reason"))
    moved = property(lambda self: ", ".join(dict.fromkeys(side for test in self.tests for side in test.moved)))
    own = property(lambda self: self.joined("own"))

    @property
    def runs(self):
        return tuple(dict.fromkeys(run for test in self.tests for run in test.runs))


def together(tests):
    """The verdict on tests that must all hold."""
    kinds = [test.verdict for test in tests]
    for kind in (CANNOT, FAILS, UNDECIDED):
        if kind in kinds:
            return kind
    if set(kinds) == {NOT_MEASURED}:
        return NOT_MEASURED
    if any(len(test.found) < test.n_cases for test in tests):
        return UNDECIDED if TIE in kinds else SO_FAR
    return next(kind for kind in (TIE, EXCEEDED, HOLDS) if kind in kinds)


# ---- Judging ----


def examine(line, source):
    """The Test of a line of cases.csv, judged alone."""
    if line["predicate"] in UNTESTED:
        return Test(line, UNTESTED[line["predicate"]], 1, reason=f"missing: {line['needs']}")
    if line["predicate"] not in predicates.PREDICATES or not line["set"]:
        raise BadInput(f'report/cases.csv: {line["test"]}: no predicate "{line["predicate"]}", or no set')
    names = cells.members(line["set"])
    every = [Case(name, cells.quotient(source, line["top"], line["over"], name)) for name in names]
    found = tuple(case for case in every if case.measured)
    missing = [case for case in every if not case.measured]
    made = Test(line, NOT_MEASURED, len(every), found, own=contradiction(line, names), moved=moved(line, source, names))
    needed = 2 if line["predicate"] in predicates.COMPARE_CASES else 1
    if len(found) < needed or line["threshold"] in [case.name for case in missing]:
        return replace(made, found=(), reason=f"needs {line['needs']}: {missing[0].measured.reason}")
    filled = predicates.fill(line["predicate"], found, missing, line["threshold"])
    verdict, deciding, chance = predicates.chance(line["predicate"], filled, line["threshold"])
    deciding = [case for case in dict.fromkeys(deciding) if case in found or case.name not in names]
    reasons = [f"without {', '.join(case.name for case in missing)}"] if missing else []
    if verdict == UNDECIDED:
        reasons.append(why_undecided(line, deciding))
    elif missing and verdict != predicates.FINAL.get(line["predicate"]) and verdict in (FAILS, TIE):
        reasons, verdict = [f"{verdict} so far", *reasons], UNDECIDED
    return replace(made, verdict=verdict, deciding=tuple(deciding), chance=chance, reason="; ".join(reasons))


def why_undecided(line, deciding):
    single, unbounded = (
        [case.name for case in deciding if test(case)] for test in (lambda c: not c.known, lambda c: c.open)
    )
    if single:
        return f"no interval: one sample or run at {', '.join(single)}"
    if unbounded:
        return f"an open interval: the interval of a part reaches 0 at {', '.join(unbounded)}"
    if crossed := predicates.crossed(line["predicate"], deciding, line["threshold"]):
        bound, beyond = crossed
        return ", ".join(filter(None, (f"an interval crosses {round_number(bound)}", beyond)))
    return "too few cases differ clearly"


def judge_together(tests):
    """The tests again; verdicts that chance alone may have given become undecided.

    Those that more machines would not decide are marked.
    """
    chances = [test.chance for test in tests if test.chance is not None]
    limit = predicates.kept_below(chances)

    def kept(test):
        if test.chance is None or test.chance <= limit or test.verdict in (UNDECIDED, NOT_MEASURED):
            return test
        told = f"{test.verdict} but for chance, which gives it with probability {test.chance:.2g}: too likely in {len(chances)} tests"
        return replace(test, verdict=UNDECIDED, reason="; ".join(filter(None, (told, test.reason))))

    def is_kept_for(own):
        others = list(chances)
        others.remove(own)
        return lambda chance: chance <= predicates.kept_below([*others, chance])

    def marked(test):
        if test.verdict != UNDECIDED or len(test.found) < test.n_cases:
            return test
        line = test.line
        if predicates.machines_differ(line["predicate"], test.found, line["threshold"], is_kept_for(test.chance)):
            return replace(test, differs=True, reason=f"{test.reason}; {NOT_BY_MORE}")
        return test

    return [marked(kept(test)) for test in tests]


def judge_all(source):
    """[the Verdict on each sentence of claims.csv]."""
    sentences, lines = cells.read_layout("claims.csv"), cells.read_layout("cases.csv")
    of_sentence = {sentence["id"]: [] for sentence in sentences}
    for test in judge_together([examine(line, source) for line in lines]):
        if test.line["id"] not in of_sentence:
            raise BadInput(f"report/cases.csv: {test.line['test']}: no sentence {test.line['id']} in claims.csv")
        of_sentence[test.line["id"]].append(test)
    if untested := [name for name, tests in of_sentence.items() if not tests]:
        raise BadInput(f"report/claims.csv: {', '.join(untested)}: no line in cases.csv")
    return [Verdict(sentence, readings(of_sentence[sentence["id"]])) for sentence in sentences]


def readings(tests):
    by_name = {}
    for test in tests:
        by_name.setdefault(test.line["reading"], []).append(test)
    return tuple(Reading(name, tuple(each)) for name, each in by_name.items())


# ---- The source's own numbers ----


def contradiction(line, names):
    """The range of the source's own numbers if they contradict the test; else ""."""
    if not line["own_top"] or bool(line["over"]) != bool(line["own_over"]):
        return ""
    told = []
    for card in CARDS if "{card}" in line["own_top"] + line["own_over"] else CARDS[-1:]:
        every = [Case(name, own(line, card, name)) for name in names]
        found = [case for case in every if case.measured]
        verdict, _ = predicates.PREDICATES[line["predicate"]](found, line["threshold"])
        if verdict in (FAILS, EXCEEDED):
            ordered = predicates.by_value(found)
            least = f"the least at {ordered[0].name}" if line["predicate"] == "smallest_at" else ""
            of_card = f" on the {card.upper()}" if "{card}" in line["own_top"] + line["own_over"] else ""
            told.append(f"{least or in_range([case.value for case in ordered])}{of_card}")
    return f"its own table: {', '.join(told)}" if told else ""


def own(line, card, name):
    top, over = (line[part].replace("{card}", card) for part in ("own_top", "own_over"))
    return cells.quotient(None, top, over, name)


def moved(line, source, names):
    """For each side of a quotient of times, its speed relative to the source's, if the source prints the times."""
    told = []
    for ours, theirs in ((line["top"], line["own_top"]), (line["over"], line["own_over"])):
        if theirs and ours and not set("#, ") & set(ours):
            pairs = [
                (cells.look_up(None, theirs.replace("{card}", CARDS[-1]), x), cells.look_up(source, ours, x))
                for x in names
            ]
            known = [(their, our) for their, our in pairs if their and our and our.rows]
            if known:
                where = "CPU" if of_cpu(known[0][1]) else "GPU"
                ratios = sorted(their.value / our.value for their, our in known)
                told.append(f"{side_name(ours)} ({where}) {in_range(ratios)} times")
    return tuple(told)


def side_name(address):
    """A side's name: "warp" for 5.1/warp-{x}/lena, "ds-roulette's update" for a stage."""
    parsed = cells.parse(address)
    stage = "".join(f"'s {' and '.join(values)}" for name, values in parsed.conditions if name == "stage")
    return parsed.rows[0].replace("-{x}", "") + stage


def in_range(values):
    """Sorted numbers as a range: "5.9 to 84"."""
    ends = [short(value, VAGUE_DIGITS if value >= 1 else 3) for value in (values[0], values[-1])]
    return " to ".join(dict.fromkeys(ends))


# ---- Numbers as text ----


def threshold_text(line):
    """The predicate in words: "the largest is near 82"."""
    joined = " and " if line["predicate"] == "between" else " to "
    return predicates.WORDS[line["predicate"]].format(line["threshold"].replace(" ", joined))


def case_text(case):
    """A case in words. It may be an instance with a condition: "shapes-512?level=20"."""
    return f"{with_interval(case.measured)} at {(case.measured.instance or case.name).replace('?', ' with ')}"


def with_interval(measured):
    """A number with its interval: "0.98 (0.97 to 0.99, n 10)". It has enough digits to tell the ends apart.

    A CPU's number with a wide interval is printed as "about 200 (...)".
    """
    inside = interval(measured)
    about = "about " if digits_of(measured) == VAGUE_DIGITS else ""
    return about + short(measured.value, digits_of(measured)) + (f" ({inside})" if inside else "")


def interval(measured):
    """The text in the brackets: "0.97 to 0.99, n 10", or "0.97 to 0.99, 3 machines"; "" without an interval."""
    low, high, digits = measured.low, measured.high, digits_of(measured)
    n = resting_on(measured) if measured.n and low != high else ""
    ends = "open" if high == math.inf else f"{short(low, digits)} to {short(high, digits)}" if low < high else ""
    return ", ".join(filter(None, (ends, f"hosts: {span(measured)}" if measured.span else "", n)))


def resting_on(measured):
    """What an interval rests on, in words. The heading of a page explains n and widening."""
    told = f"{measured.machines} machines" if measured.machines > 1 else f"n {measured.n}"
    return f"{told}, widened" if measured.widened else told


def span(measured):
    """The range over hosts: "190 to 320"."""
    return " to ".join(short(end, VAGUE_DIGITS) for end in measured.span)


def digits_of(measured):
    """The number of digits of a number: two for a CPU's number with a wide interval or without one."""
    if of_cpu(measured) and not measured.high - measured.low <= 2 * VAGUE * abs(measured.value):
        return VAGUE_DIGITS
    if not measured.low < measured.high < math.inf:
        return 3
    return next((digits for digits in (3, 4, 5) if short(measured.low, digits) != short(measured.high, digits)), 5)


def in_table(measured, digits=3):
    """A time or a ratio in a cell; "–" without a number.

    A CPU's number is a range over its hosts, such as "190 to 320". The sign ~ marks a noisy number, and one of few
    samples. A CPU's number then has two digits.
    """
    if not measured:
        return "–"
    if measured.span:
        return span(measured)
    unsure = any(row["status"] in ("noisy", "few") for row in measured.rows)
    return f"~{short(measured.value, min(digits, digits_of(measured)))}" if unsure else short(measured.value, digits)


def of_cpu(measured):
    """True if a host's CPU has a part in a measured time."""
    return measured.machines > 0 and any(row["backend"] == "cpu" for row in measured.rows)


def short(value, digits=3):
    """A number with so many significant digits, without an exponent. From 10 000 on, a space sets thousands apart."""
    if not value:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")  # 0.09998 is 0.100, not 0.1000
    before = math.floor(math.log10(abs(rounded))) + 1
    return apart(f"{rounded if digits < 3 else value:.{max(digits - before, 0)}f}")


def round_number(value):
    """A number as in short(), without zeros at its end: "1.1"."""
    text = short(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def apart(text):
    """A number with its digits in groups of three, if five or more stand before the point."""
    whole, point, rest = text.partition(".")
    return (f"{int(whole):,}".replace(",", "\u202f") if len(whole.lstrip("-")) > 4 else whole) + point + rest


def held(verdicts):
    """{name: verdict} of each sentence and of its further readings, as report/verdicts.csv holds them."""
    found = {verdict.claim["id"]: verdict.verdict for verdict in verdicts}
    further = ((verdict.claim["id"], reading) for verdict in verdicts for reading in verdict.readings[1:])
    return found | {f"{name}: {reading.name}": reading.verdict for name, reading in further}


def history(folder=cells.REPORT):
    """{name: [the lines of report/verdicts.csv on it, in their order]}; [] for other names."""
    found = defaultdict(list)
    for line in cells.read_layout("verdicts.csv", folder):
        found[line["id"]].append(line)
    return found


def counted(verdicts):
    """{kind: number of sentences}."""
    return {kind: sum(verdict.kind == kind for verdict in verdicts) for kind in KINDS}


def tally(verdicts):
    """{kind: "30 hold"}."""
    return {kind: f"{n} {COUNTED[kind][n != 1]}" for kind, n in counted(verdicts).items()}


# ---- Printing ----


def numbered_runs(verdicts):
    """{run: its number from 1 on} of the runs behind all verdicts, in the order of their start."""
    tests = (test for verdict in verdicts for reading in verdict.readings for test in reading.tests)
    found = {run for test in tests for run in test.runs}
    return {run: i for i, run in enumerate(sorted(found, key=lambda run: (run.started, run.run_id)), start=1)}


def print_verdicts(verdicts, source):
    numbered = numbered_runs(verdicts)
    print(f"{len(verdicts)} published sentences on {source.device}: {', '.join(tally(verdicts).values())}")
    where = "Runs are numbered; their list is at the end."
    print(textwrap.fill(f"{INTERVAL_NOTE} {TESTED_TOGETHER} {where}", 120) + "\n")
    for verdict in verdicts:
        claim = verdict.claim
        print(f"{verdict.verdict}: {claim['id']}, {claim['source']} {claim['section']}")
        print_indented(f"“{claim['quote']}”" if claim["quote"] else "", claim["note"], indent=4)
        for i, reading in enumerate(verdict.readings):
            if reading.name:
                print_indented(reading.name + (f": {reading.verdict}" if i else ""), indent=4)
            for test in reading.tests:
                print_test(test, numbered)
    if numbered:
        print("\nRuns:")
    for run, number in numbered.items():
        print(f"{number:5} {machines.described(run)}")


def print_test(test, numbered):
    measured = "; ".join(filter(None, (test.measured, test.threshold)))
    reason = f"[{test.reason}]" if test.reason else ""
    numbers = ", ".join(map(str, sorted(numbered[run] for run in test.runs)))
    runs = f"runs: {numbers}" if numbers else ""
    name = f"{test.verdict}: {test.line['test']}" + (f", {test.line['claim']}" if test.line["claim"] else "")
    as_fast = f"as fast as the source's: {', '.join(test.moved)}" if test.moved else ""
    print_indented(name, " ".join(filter(None, (measured, reason))), test.own, as_fast, runs, indent=8)


def print_indented(*texts, indent):
    for text in filter(None, texts):
        print(textwrap.fill(text, 120, initial_indent=" " * indent, subsequent_indent=" " * indent))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results claims", description=__doc__.splitlines()[0])
    cells.add_options(parser)
    options = parser.parse_args(arguments)
    source = cells.on_gpu(cells.chosen(options))
    verdicts = judge_all(source)
    print_verdicts(verdicts, source)
    return OK if any(test.found for verdict in verdicts for test in verdict.tests) else SKIPPED
