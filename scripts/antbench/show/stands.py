"""What still holds of the thesis and the papers, chapter by chapter, on each GPU, and why changes happened.

report/chapters.csv lists the chapters, each with its sections and its figure. report/stands.csv has sentences about
them: `found`, the source's result, and `why`. A sentence is a Jinja text with computed numbers (`Numbers`). It is left
out if a number is missing, or if its condition `only_if` is false for the runs shown.
"""

import functools
import math
import re

from antbench.data import cells, hardware, runs
from antbench.show import claims, printing

OPEN = ("not testable", "not measured yet", "cannot be tested here")  # verdicts that leave a sentence open


class Missing(Exception):
    """Raised if a number of a sentence was not measured."""


class Numbers:
    """Supplies a sentence with numbers from one kind of machine.

    A ratio's cases are the members of a set for which both its parts were measured.
    """

    def __init__(self, source):
        self.source = source
        self.run = cells.newest_with_gpu(source.runs)
        self.gpu = source.label

    @functools.cache
    def cases(self, top, over, set_names):
        """{case: its ratio}; {case: the number at `top`} if `over` is ""."""
        found = {x: cells.quotient(self.source, top, over, x) for x in cells.members(set_names)}
        known = {x: each.value for x, each in found.items() if each and not each.instance}
        if not known:
            raise Missing(top)
        return known

    def least(self, top, over, set_names):
        return min(self.cases(top, over, set_names).values())

    def most(self, top, over, set_names):
        return max(self.cases(top, over, set_names).values())

    def mean(self, top, over, set_names):
        values = self.cases(top, over, set_names).values()
        return math.exp(sum(map(math.log, values)) / len(values))

    def at(self, top, over, set_names, case):
        if case not in (known := self.cases(top, over, set_names)):
            raise Missing(f"{top} at {case}")
        return known[case]

    def span(self, top, over, set_names):
        """The least and the greatest: "5.9 to 84". They have three digits if two would make them equal."""
        ends = self.least(top, over, set_names), self.most(top, over, set_names)
        digits = 2 if ends[1] / ends[0] > 1.2 else 3
        return " to ".join(dict.fromkeys(claims.short(end, digits) for end in ends))

    def device(self, name):
        """A number that the GPU's driver tells."""
        value = (self.run.device if self.run else {}).get(name)
        if value is None:
            raise Missing(name)
        return value

    @property
    def bandwidth(self):
        """The peak bandwidth of the GPU's memory in GB/s."""
        return hardware.of_device(self.run.device).gb_per_s

    def names(self):
        functions = {name: getattr(self, name) for name in ("least", "most", "mean", "at", "span", "device")}
        return {
            **functions,
            "gpu": self.gpu,
            "bandwidth": self.bandwidth if self.run else math.nan,
            "two": two,
            "printed": printing.printed,
        }


def two(value):
    """A number with two significant digits."""
    return claims.short(value, 2)


# ---- Chapters ----


def chapters():
    """The lines of chapters.csv, each with the patterns of its sections."""
    return [{**line, "sections": line["sections"].split()} for line in cells.read_layout("chapters.csv")]


def is_of(claim, chapter):
    """True if a claim belongs to a chapter. The first of its sections decides."""
    first = claim["section"].split(",")[0].strip()
    of_section = any(re.match(rf"{re.escape(section)}(\.|$)", first) for section in chapter["sections"])
    return claim["source"] == chapter["source"] and of_section


def sentences(chapter, kind, numbers):
    """The texts of stands.csv that hold for these runs."""
    env = printing.jinja(printing.TEMPLATES)
    for line in cells.read_layout("stands.csv"):
        if (line["chapter"], line["kind"]) == (chapter, kind):
            try:
                if not line["only_if"] or env.compile_expression(line["only_if"])(**numbers.names()):
                    yield env.from_string(line["text"]).render(numbers.names())
            except Missing:
                continue


# ---- Verdicts ----


def told(verdict):
    """What the page shows of a claims.Verdict."""
    claim = verdict.claim
    return {
        "id": claim["id"],
        "section": claim["section"],
        "quote": claim["quote"],
        "claim": claim.get("claim") or claim.get("note", ""),
        "kind": verdict.kind,
        "verdict": verdict.verdict,
        "measured": verdict.measured,
        "tested": verdict.tested,
        "reason": verdict.reason,
        "moved": verdict.moved,
    }


def values(source, verdicts, others=()):
    """[chapter with its sentences and verdicts] of a machine; `others`: [(label, its verdicts)] of other GPUs."""
    numbers, elsewhere = (
        Numbers(source),
        [(label, {each.claim["id"]: told(each) for each in theirs}) for label, theirs in others],
    )
    found = []
    for chapter in chapters():
        of_chapter = [verdict for verdict in verdicts if is_of(verdict.claim, chapter)]
        found.append(
            {
                **chapter,
                "found": " ".join(sentences(chapter["chapter"], "found", numbers)),
                "why": list(sentences(chapter["chapter"], "why", numbers)),
                "tally": tally(of_chapter),
                "verdicts": [
                    {**told(verdict), "elsewhere": differing(told(verdict), elsewhere)} for verdict in of_chapter
                ],
            }
        )
    return found


def tally(verdicts):
    """The numbers of verdicts of each kind: ["18 hold", "1 fails"]."""
    return [text for text in claims.tally(verdicts).values() if not text.startswith("0 ")]


def tallies(verdicts):
    """{chapter: its tally}."""
    return {
        chapter["chapter"]: tally([verdict for verdict in verdicts if is_of(verdict.claim, chapter)])
        for chapter in chapters()
    }


def differing(mine, elsewhere):
    """[(GPU, verdict)] of the other GPUs that have a different verdict."""
    theirs = [(label, by_id.get(mine["id"], {"kind": mine["kind"]})) for label, by_id in elsewhere]
    return [
        (label, each["kind"]) for label, each in theirs if each["kind"] != mine["kind"] and each["kind"] not in OPEN
    ]


def of_stored(stored, source, verdicts):
    """As values(), for the stored runs: every stored kind of GPU stands beside the GPU of `source`."""
    kinds = dict.fromkeys(runs.device_name(run) for run in stored if run.device)
    others = [
        cells.Source([run for run in stored if runs.device_name(run) == kind], stored)
        for kind in kinds
        if kind != source.device
    ]
    return values(source, verdicts, [(other.label, claims.judge_all(other)) for other in others])
