"""What stands of the thesis and the papers, chapter by chapter: what each found, what becomes of its sentences on each GPU, and
why what changed did.

report/chapters.csv has the chapters, with the sections and the figure of each. report/stands.csv has the sentences about
them: `found`, what the source found, and `why`. A sentence is a Jinja text whose numbers are computed (`Numbers`); it is
left out where one of them is missing, or where its condition `only_if` is not true of the runs shown.
"""

import functools
import math
import re

from antbench.data import cells, hardware, runs
from antbench.show import claims, printing

OPEN = ("not testable", "not measured yet", "cannot be tested here")  # verdicts that are none


class Missing(Exception):
    """A number of a sentence is not measured."""


class Numbers:
    """What a sentence asks of the runs of one kind of machine. A ratio's cases are those of a set that have both its parts."""

    def __init__(self, source):
        self.source = source
        self.run = cells.newest_with_gpu(source.runs)
        self.gpu = source.label

    @functools.cache
    def cases(self, top, over, set_names):
        """{case: its ratio}, or the numbers at `top` where `over` is ""."""
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
        """The least and the greatest, "5.9 to 84": with three digits where two would be one number."""
        ends = self.least(top, over, set_names), self.most(top, over, set_names)
        digits = 2 if ends[1] / ends[0] > 1.2 else 3
        return " to ".join(dict.fromkeys(claims.short(end, digits) for end in ends))

    def device(self, name):
        """A number of the GPU's driver."""
        value = (self.run.device if self.run else {}).get(name)
        if value is None:
            raise Missing(name)
        return value

    @property
    def bandwidth(self):
        """GB/s of the GPU's memory at most."""
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
    """Two significant digits."""
    return claims.short(value, 2)


# ---- Chapters ----


def chapters():
    """The lines of chapters.csv, each with the patterns of its sections."""
    return [{**line, "sections": line["sections"].split()} for line in cells.read_layout("chapters.csv")]


def is_of(claim, chapter):
    """Whether a claim stands in a chapter: the first of its sections decides."""
    first = claim["section"].split(",")[0].strip()
    of_section = any(re.match(rf"{re.escape(section)}(\.|$)", first) for section in chapter["sections"])
    return claim["source"] == chapter["source"] and of_section


def sentences(chapter, kind, numbers):
    """The texts of stands.csv that are true of these runs."""
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
    """What this page knows of a claims.Verdict."""
    claim = verdict.claim
    return {
        "id": claim["id"],
        "section": claim["section"],
        "quote": claim["quote"],
        "claim": claim.get("claim") or claim.get("note", ""),
        "kind": getattr(verdict, "kind", verdict.verdict),
        "verdict": verdict.verdict,
        "measured": verdict.measured,
        "reason": verdict.reason,
        "moved": getattr(verdict, "moved", ""),
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
    """The counts of the kinds that there are: ["18 hold", "1 fails"]."""
    return [text for text in claims.tally(verdicts).values() if not text.startswith("0 ")]


def tallies(verdicts):
    """{chapter: its tally}."""
    return {
        chapter["chapter"]: tally([verdict for verdict in verdicts if is_of(verdict.claim, chapter)])
        for chapter in chapters()
    }


def differing(mine, elsewhere):
    """[(GPU, verdict)] of the other GPUs whose verdict is another one."""
    theirs = [(label, by_id.get(mine["id"], {"kind": mine["kind"]})) for label, by_id in elsewhere]
    return [
        (label, each["kind"]) for label, each in theirs if each["kind"] != mine["kind"] and each["kind"] not in OPEN
    ]


def of_stored(stored, source, verdicts):
    """The same of the stored runs: every kind of GPU among them beside the one of `source`."""
    kinds = dict.fromkeys(runs.device_name(run) for run in stored if run.device)
    others = [
        cells.Source([run for run in stored if runs.device_name(run) == kind])
        for kind in kinds
        if kind != source.device
    ]
    return values(source, verdicts, [(other.label, claims.judge_all(other)) for other in others])
