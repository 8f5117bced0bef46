"""How many times as fast one GPU (gpus.chosen) is as each published card and each other measured GPU, on one screen.

A line is a row of a published table: the least, the greatest and the geometric mean of published time over measured
time, over all instances that both have. Beside it stands this ratio per SM and GHz, per GB/s and, if both were metered,
per joule. There, 1 is what as much more of the same hardware would give. A measured GPU has one line for all its times
with the same code.
"""

import csv
import itertools
import math
import re
import textwrap
from dataclasses import dataclass

from antbench.data import cells, machines, rows
from antbench.data.command import new_file
from antbench.show import claims, gpus

NOTES = "¹²³⁴⁵⁶⁷⁸⁹"
MIXED = "‡"
NUMBERED = re.compile(r"^\d\. ")  # a row of JPDC's Table 4
SAME_CODE = "all rows of the same code"
WIDTH = 80  # characters of a line on the terminal
ROW_WIDTH = 34
HEADS = {"SM GHz": "per SM × GHz", "GB/s": "per GB/s", "joule": "per joule"}  # on the page
BESIDE = 2  # number of columns (from, to) under a heading that pairs of GPUs share
CSV_HEADER = "table,row,from,to,n,mean,low,low_at,high,high_at,per_sm_ghz,per_gb_s,per_joule,code".split(",")


@dataclass(frozen=True)
class Gain:
    """A line of the table. Ratios tell how many times as fast the second GPU is; NaN if unknown."""

    table: str  # name for a reader; "" for a line over all tables
    row: str
    start: object  # a gpus.Gpu
    to: object
    ratios: tuple  # ((case, ratio), ...) from the least to the greatest
    joules: float  # geometric mean of the ratios of energies
    code: str  # how the code of the two differs apart from being written anew; "" if it does not
    mixed: bool  # true if the times come from several versions of the code

    @property
    def mean(self):
        return geometric_mean([ratio for _, ratio in self.ratios])

    @property
    def per_sm_ghz(self):
        return self.mean / more(self.start, self.to, "sm_ghz")

    @property
    def per_gb_s(self):
        return self.mean / more(self.start, self.to, "gb_per_s")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def more(start, to, what):
    """The ratio of two GPUs' sm_ghz, core_ghz or gb_per_s."""
    return getattr(to.hardware, what) / getattr(start.hardware, what)


# ---- From the tables ----


def gains(tables, to=None):
    """The Gains of a GPU, by default the chosen one of these tables (gpus.tables): the thesis first, measured GPUs last."""
    to = to or gpus.chosen(all_gpus(tables))
    if to is None:
        return []
    found, seen = [], set()
    for made in tables.values():
        if to in made["gpus"]:
            found += of_table(made, to, seen)
    sources = list(dict.fromkeys(["thesis", *rows.SOURCES.values()]))
    return sorted(found, key=lambda gain: sources.index(gain.start.published)) + list(of_measured(tables, to))


def all_gpus(tables):
    return dict.fromkeys(gpu for made in tables.values() for gpu in made["gpus"])


def of_table(made, to, seen):
    """The lines of one table, without rows whose published numbers stood in an earlier table (`seen`)."""
    grouped = {}
    for line in made["lines"]:
        for gpu, published, id_ in zip(made["gpus"], line["cells"], line["ids"]):
            if id_:
                grouped.setdefault((row_of(line), gpu), []).append((line, published, id_))
    for (row, start), members in grouped.items():
        ids = {id_ for *_, id_ in members}
        pairs = [(case_of(line), line["cells"][made["gpus"].index(to)], published) for line, published, _ in members]
        if not ids <= seen and (known := [pair for pair in pairs if pair[1] and not cells.unlike(pair[1], pair[2])]):
            codes = {frozenset(gpus.versions(measured, machines.code_of)) for _, measured, _ in known}
            ratios = tuple(sorted(((case, b.value / a.value) for case, a, b in known), key=lambda each: each[1]))
            note = gpus.card_line(next(iter(ids)))["code"]
            yield Gain(table_name(made["layout"]), row, start, to, ratios, math.nan, note, len(codes) > 1)
        seen |= ids


def row_of(line):
    """The name of a line: its row, or the name of what ran on it if the row is an instance."""
    address = cells.parse(line["address"])
    if line["row"] in address.instances:
        return rows.expect("tables.csv", address.table, address.rows[0], rows.measured())[0].label
    return NUMBERED.sub("", line["row"])


def case_of(line):
    return f"{line['row']}, {line['line']}" if line["row"] in cells.parse(line["address"]).instances else line["line"]


def table_name(layout):
    """A table's shortest name: "3.3", "JPDC 4"."""
    source, _, number, rest = rows.TITLE.fullmatch(layout).groups()
    return " ".join(filter(None, (rows.SOURCES.get(source, source), number or rest)))


def of_measured(tables, to):
    """A line for each other measured GPU. Each time with the same code counts once."""
    pairs = {}
    for made in tables.values():
        for line in made["lines"] if to in made["gpus"] else ():
            measured = line["cells"][made["gpus"].index(to)]
            for gpu, other, differs in zip(made["gpus"], line["cells"], line["other_code"]):
                if (
                    gpu.source
                    and gpu is not to
                    and measured
                    and other
                    and not differs
                    and not cells.unlike(measured, other)
                ):
                    pairs.setdefault(gpu, {})[line["address"]] = (line, other, measured)
    for gpu, found in pairs.items():
        ratios = [(f"{line['row']}, {line['line']}", a.value / b.value) for line, a, b in found.values()]
        joules = [energy(a) / energy(b) for _, a, b in found.values()]
        metered = [ratio for ratio in joules if ratio == ratio]
        yield Gain(
            "", SAME_CODE, gpu, to, tuple(sorted(ratios, key=lambda each: each[1])), geometric_mean(metered), "", False
        )


def energy(estimate):
    """Joules per sample of the first row of a time."""
    return estimate.rows[0]["energy_j"]


# ---- Telling ----


def cards(found):
    """The hardware of each GPU, in words."""
    pairs = {(start_name(gain), gain.to.source.label): gain for gain in found}
    return [f"{start} → {to}: {what_it_has(gain.start, gain.to)}." for (start, to), gain in pairs.items()]


def notes(found, every):
    """The explanations of the marks in some lines."""
    told = [f"{NOTES[codes(every).index(code)]} {code}." for code in codes(found)]
    return told + [f"{MIXED} measured with several versions of the code."] * any(gain.mixed for gain in found)


def what_it_has(start, to):
    """The ratios of hardware in words: "10.6 times the SM × GHz, 42 times the core × GHz (peak rate), 25 times the GB/s".

    It names the numbers that the source does not give.
    """
    told = {
        name: more(start, to, what)
        for name, what in (("SM × GHz", "sm_ghz"), ("core × GHz (peak rate)", "core_ghz"), ("GB/s", "gb_per_s"))
    }
    known = [f"{claims.short(ratio)} times the {name}" for name, ratio in told.items() if ratio == ratio]
    missing = [name for name, ratio in told.items() if ratio != ratio]
    return "; ".join(
        filter(None, (", ".join(known), f"{', '.join(missing)}: not known from any source" if missing else ""))
    )


def codes(found):
    """The texts that the notes explain, in order."""
    return list(dict.fromkeys(gain.code for gain in found if gain.code))


def mark(gain, found):
    return (NOTES[codes(found).index(gain.code)] if gain.code else "") + (MIXED if gain.mixed else "")


def title(found):
    return f"How many times as fast the {found[0].to.source.label} is as each other GPU"


INTRODUCTION = (
    "A ratio is of GPU and code together, because all kernels are written anew. “SM GHz” divides it by how many times as "
    "many multiprocessors × clock the GPU has, “GB/s” by how many times the bandwidth. Above 1, it gained more than "
    "that. `make compare` has the inverse."
)


def columns(found):
    """[(heading, function from a Gain to text)] after the row. The column of joules is there only if some are known."""
    shown = [
        ("from", start_name),
        ("to", lambda gain: gain.to.source.label),
        ("mean", lambda gain: claims.short(gain.mean)),
        ("range", lambda gain: f"{claims.short(gain.ratios[0][1])}–{claims.short(gain.ratios[-1][1])}"),
        ("SM GHz", lambda gain: optional(gain.per_sm_ghz)),
        ("GB/s", lambda gain: optional(gain.per_gb_s)),
    ]
    return shown + [("joule", lambda gain: optional(gain.joules))] * any(gain.joules == gain.joules for gain in found)


def start_name(gain):
    """The name of the other GPU; measured GPUs with one name are told apart."""
    return gain.start.label if gain.start.source else gain.start.name


def optional(value):
    return claims.short(value, 2) if value == value else "–"


def as_text(found):
    """The table for a terminal of 80 columns, with a part for each source."""
    head = ["times as fast, by row", *(name for name, _ in columns(found))]
    lines = [head] + [[name_of(gain, found), *(text(gain) for _, text in columns(found))] for gain in found]
    widths = [max(map(len, column)) for column in zip(*lines)]
    heading, *aligned = [
        " ".join([*map(str.ljust, line[:3], widths), *map(str.rjust, line[3:], widths[3:])]) for line in lines
    ]
    told = [title(found), INTRODUCTION]
    for _, part in itertools.groupby(zip(found, aligned), key=lambda each: each[0].start.published):
        of_part, lines_of_part = zip(*part)
        told += ["", *cards(of_part), heading, *lines_of_part, *notes(of_part, found)]
    return "\n".join(
        text if text in (heading, *aligned) else textwrap.fill(text, WIDTH, subsequent_indent="  ") for text in told
    )


def name_of(gain, found):
    """The name of a row, cut to fit into the terminal."""
    sign = mark(gain, found)
    text = f"{gain.table} {gain.row}".strip()
    room = ROW_WIDTH - len(sign)
    return (text if len(text) <= room else text[: room - 1] + "…") + sign


def as_values(found):
    """The values for the templates, lines grouped by pairs of GPUs; None without lines."""
    if not found:
        return None
    pairs = {}
    for gain in found:
        pairs.setdefault(gain.start, []).append(gain)
    return {
        "title": title(found),
        "introduction": INTRODUCTION,
        "heads": [name for name, _ in columns(found)[BESIDE:]],
        "pairs": [
            {"cards": cards(of_pair)[0], "lines": [line(gain, found) for gain in of_pair]} for of_pair in pairs.values()
        ],
        "notes": notes(found, found),
    }


def line(gain, found):
    return {
        "row": f"{gain.table} {gain.row}".strip() + mark(gain, found),
        "cells": [text(gain) for _, text in columns(found)[BESIDE:]],
    }


def beside(tables):
    """The values for the page: gains over each other GPU, side by side for all measured GPUs; None without gains."""
    known = all_gpus(tables)
    chosen = gpus.chosen(known)
    if chosen is None:
        return None
    targets = [chosen, *(gpu for gpu in known if gpu.source and gpu is not chosen)]
    found = {to: gains(tables, to) for to in targets}
    found = {to: of_target for to, of_target in found.items() if any(gain.start.published for gain in of_target)}
    every = [gain for of_target in found.values() for gain in of_target]
    if not every:
        return None
    starts = list(dict.fromkeys(gain.start for gain in every if gain.start.published))
    between = [gain for gain in found.get(chosen, ()) if not gain.start.published]
    return {
        "to": [to.label for to in found],
        "heads": [HEADS.get(name, name) for name, _ in columns(every)[BESIDE:]],
        "over": [over(start, found, every) for start in starts],
        "between": [{**line(gain, every), "start": start_name(gain), "cards": cards([gain])[0]} for gain in between],
        "chosen": chosen.label,
        "notes": notes(every, every),
    }


def over(start, found, every):
    """The gains over one published GPU: a line per row with a cell per measured GPU, and dashes without a number."""
    of_start = {to: {name_on_page(gain, every): gain for gain in of_to if gain.start == start}
                for to, of_to in found.items()}  # fmt: skip
    names = list(dict.fromkeys(name for of_to in of_start.values() for name in of_to))
    texts = [text for _, text in columns(every)[BESIDE:]]
    return {
        "start": start.name,
        "source": start.published,
        "cards": list(dict.fromkeys(cards(list(of_to.values())[:1])[0] for of_to in of_start.values() if of_to)),
        "lines": [
            {"row": name, "gpus": [cells_of(of_to.get(name), texts) for of_to in of_start.values()]} for name in names
        ],
    }


def cells_of(gain, texts):
    """The cells of a gain. The first has a mark if its times come from several versions of the code."""
    if gain is None:
        return ["–"] * len(texts)
    first, *others = [text(gain) for text in texts]
    return [first + MIXED * gain.mixed, *others]


def name_on_page(gain, every):
    return f"{gain.table} {gain.row}".strip() + (NOTES[codes(every).index(gain.code)] if gain.code else "")


def write_csv(path, found):
    with new_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CSV_HEADER)
        for gain in found:
            (low_at, low), (high_at, high) = gain.ratios[0], gain.ratios[-1]
            numbers = (gain.per_sm_ghz, gain.per_gb_s, gain.joules)
            told = ["" if value != value else f"{value:.6g}" for value in numbers]
            names = gain.table, gain.row, gain.start.label, gain.to.label, len(gain.ratios)
            writer.writerow(
                [*names, f"{gain.mean:.6g}", f"{low:.6g}", low_at, f"{high:.6g}", high_at, *told, gain.code]
            )
