"""Checks that measured numbers in README.md, docs/guide/ and the report come from stored runs, sources or log entries.

A quantity is a number or a range with a unit: "2.1 to 5.3 times", "12 %", "0.05 s". Also a decimal number alone in a
table's cell is one, unless the cell is in the first column. Generated blocks, code, headings, pictures and targets of links are skipped.
Numbers in words ("twice") are not checked.

Each line of report/prose.csv quotes a page, or names a section by its heading. Its `kind` tells the origin of the
quantities in the quote:

    run    stored runs or published tables. `top` and `over` are addresses (antbench.data.cells) or plain numbers; the
           value is `top` / `over`. {x} runs through `set`. `run` and `over_run` name stored runs if they are not the
           ones that the tables show
    meta   the meta.json of the stored run `run`; `top` is the path in it, such as devices.0.l2_bytes
    claim  a sentence of a source; `top` is its id in report/claims.csv
    log    the log entry `top`, such as docs/log/times-2026-11.md#the-tests, which has the same numbers
    given  no measurement; `note` says what it is. Such a quote may stand on a page several times

For a run, `says` tells how the printed number relates to the values. `is`: their least and largest are its ends, to the
last digit printed. `above` and `below`: they differ from 1 by so many percent. `within`: they differ from 1 by at most
so many percent. `most` and `least` are bounds.

A log entry is a section that begins with "Log, 2026-11-23. Commit: … Machine: … Command: …". It accounts for its own
quantities.
"""

import argparse
import functools
import re
from dataclasses import dataclass

from antbench.data import cells, runs
from antbench.data.command import ERROR, OK, ROOT, BadInput
from antbench.show import readme

PAGES = tuple(dict.fromkeys((*readme.PAGES, *sorted((ROOT / "docs/guide").glob("*.md")))))
ACCOUNT = "prose.csv"
WORDS = {
    "captions": "caption",
    "claims": "note",
    "cases": "claim",
    "stands": "text",
}  # columns of report/*.csv with our own words
TEMPLATES = tuple(path for folder in ("readme", "templates") for path in sorted((cells.REPORT / folder).glob("*.j2")))
NUMBER = r"\d+(?:\u202f\d{3})*(?:\.\d+)?"
UNITS = "times core-seconds seconds minutes min hours ms us µs ns s cycles GFLOPS MHz GHz [kKMGT]i?B(?:/s)?"
UNIT = rf"\s?%|x|\s(?:{UNITS.replace(' ', '|')})"
AND = r"(?:\s?%)?(?:\s?–\s?|\s(?:to|and|or)\s)"
QUANTITY = re.compile(rf"(?<![\w.^/])(?<![\w)]-)(?<! - )({NUMBER})(?:{AND}({NUMBER}))?({UNIT})(?![\w/]|\sinterval)")
CELL = re.compile(rf"(?<=.\|) *[~*+-]*{NUMBER}(?: ?[/,:·] [~*]*{NUMBER})*[~*]* *(?=\|)")
NO_PROSE = (
    re.compile(r"<!-- generated: .*?<!-- end -->", re.S),
    re.compile(r"^```.*?^```", re.S | re.M),
    re.compile(r"(?:(?<=\n\n)|\A)(?: {4}.*(?:\n|\Z))+"),  # code
    re.compile(r"^#.*$|^\|.*\n(?=\|[-:| ]+\|$)", re.M),  # headings, also headings of tables
    re.compile(r"\{[{%].*?[%}]\}"),  # what a template fills in
    re.compile(r"</?[A-Za-z!][^<>]*>|!\[[^\]]*\]|`[^`]*`|(?<=\])\([^)]*\)"),
)
HEADING = re.compile(r"^#+ (.*)$", re.M)
ENTRY = re.compile(r"Log, \d{4}-\d\d-\d\d\. Commit: .+ Machine: .+ Command: .+")
IN_MS = {"ms": 1, "s": 1e3, "us": 1e-3, "µs": 1e-3, "seconds": 1e3, "min": 6e4, "minutes": 6e4}
BYTES = {"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True)
class Quantity:
    start: int
    end: int
    text: str
    numbers: tuple  # as printed, without thin spaces
    unit: str = ""


def prose_of(text):
    """The text with everything but prose blanked, each character at its place."""
    for pattern in NO_PROSE:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def quantities(text):
    """The quantities of a page, in their order."""
    prose = prose_of(text)
    found = [
        Quantity(*match.span(), squeezed(match[0]), tuple(bare(n) for n in match.group(1, 2) if n), match[3].strip())
        for match in QUANTITY.finditer(prose)
    ]
    found += [
        Quantity(*match.span(), match[0].strip(), tuple(numbers_of(match[0])))
        for match in CELL.finditer(prose)
        if "." in match[0]
    ]
    return sorted(found, key=lambda quantity: quantity.start)


def squeezed(text):
    return re.sub(r"[ \n]+", " ", text).strip()


def bare(number):
    return number.replace("\u202f", "")


def numbers_of(text):
    return [bare(number) for number in re.findall(NUMBER, text)]


# ---- Sections and log entries ----


def sections(text):
    """[(start, end, heading)] of a page. The first section has no heading."""
    headings = list(HEADING.finditer(prose_free_of_code(text)))
    starts = [0, *(heading.start() for heading in headings)]
    return list(zip(starts, [*starts[1:], len(text)], ["", *(heading[1] for heading in headings)]))


def prose_free_of_code(text):
    return NO_PROSE[1].sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def is_entry(text, section):
    """True if a section begins as a log entry does."""
    start, end, heading = section
    body = text[start:end].removeprefix(f"{text[start:end].splitlines()[0]}\n") if heading else text[start:end]
    return bool(ENTRY.match(squeezed(body.strip().split("\n\n")[0])))


def anchor(heading):
    """A heading's anchor as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def entry(place, root=ROOT):
    """The text of the log entry at a place like docs/log/times-2026-11.md#the-tests."""
    page, _, name = place.partition("#")
    path = root / page
    text = path.read_text(encoding="utf-8") if page and path.is_file() else ""
    for section in sections(text):
        if anchor(section[2]) == name and is_entry(text, section):
            return text[section[0] : section[1]]
    return ""


# ---- What a printed number may be ----


def off_by(number):
    """The largest distance of a value from a printed number: half of its last digit. For "200" two digits count."""
    if "." in number:
        return 0.5 * 10 ** -len(number.partition(".")[2])
    zeros = len(number) - len(number.rstrip("0"))
    return 0.5 * 10 ** max(min(zeros, len(number) - 2), 0)


def is_printed_as(value, number):
    return abs(value - float(number)) <= off_by(number) * (1 + 1e-9)


def stated(quantity, says, values):
    """True if the values agree with the quantity, in its unit."""
    numbers = quantity.numbers
    if says == "within":
        return all(100 * abs(value - 1) <= float(numbers[0]) for value in values)
    if says in ("above", "below"):
        values = [100 * (value - 1) * (1 if says == "above" else -1) for value in values]
    if says == "most":
        return max(values) <= float(numbers[-1])
    if says == "least":
        return min(values) >= float(numbers[0])
    least, largest = min(values), max(values)
    return is_printed_as(least, numbers[0]) and is_printed_as(largest, numbers[-1])


SAYS = ("is", "above", "below", "within", "most", "least")


@functools.cache
def source(name):
    return cells.Source(runs.load_runs(name)) if name else readme.evidence()


def number_at(name, address, x):
    plain = re.fullmatch(NUMBER, address)
    return cells.Estimate(*3 * [float(address)]) if plain else cells.look_up(source(name.replace("{x}", x)), address, x)


def values_of(line, unit):
    """The stored runs' numbers for a line of the account, in the unit; BadInput if one is missing."""
    found = []
    for x in cells.members(line["set"]) if line["set"] else [""]:
        measured = number_at(line["run"], line["top"], x)
        if measured and line["over"]:
            measured = cells.divide(measured, number_at(line["over_run"] or line["run"], line["over"], x))
        if not measured:
            raise BadInput(f"no number{f' for {x}' if x else ''}: {measured.reason}")
        found.append(measured.value / (1 if line["over"] else IN_MS.get(unit, 1)))
    return found


def value_in_meta(line, unit):
    loaded = runs.load_runs(line["run"])[0].meta
    for key in line["top"].split("."):
        loaded = loaded[int(key) if key.isdigit() else key]
    return [float(loaded) / BYTES.get(unit, 1)]


# ---- Holding pages against the account ----


def problems(texts, account, root=ROOT):
    """A line for each quantity without an account, each quote missing on its page, and each wrong number.

    `texts` is {page as the account names it: its text}.
    """
    found = []
    for number, line in enumerate(account, start=2):
        if line["page"] not in texts:
            found.append(f"report/{ACCOUNT}:{number}: no page {line['page']}; name one of {', '.join(texts)}")
    for page, text in texts.items():
        lines = [(number, line) for number, line in enumerate(account, start=2) if line["page"] == page]
        found += of_page(page, text, lines, root)
    return found


def of_page(page, text, lines, root):
    told, free = [], quantities(text)
    spans = [(section[0], section[1]) for section in sections(text) if is_entry(text, section)]
    for number, line in lines:
        place = f"report/{ACCOUNT}:{number}: {page}: “{line['quote']}”"
        matches = spans_of(text, line["quote"])
        if not matches or len(matches) > 1 and line["kind"] != "given":
            told.append(f"{place} stands there {len(matches)} times, not once: quote it as it is, or delete the line")
            continue
        spans += matches
        inside = [quantity for quantity in free if any(is_in(span, quantity) for span in matches)]
        at = f"{page}:{line_of(text, matches[0][0])}: “{line['quote']}”"
        told += [f"{place}: {wrong}" for wrong in malformed(line, inside)] or [
            f"{at}: {wrong}" for wrong in false(line, inside, root)
        ]
    for quantity in free:
        if not any(is_in(span, quantity) for span in spans):
            near = squeezed(text[max(quantity.start - 40, 0) : quantity.end + 20])
            told.append(
                f"{page}:{line_of(text, quantity.start)}: “{quantity.text}” in “{near}”: "
                f"name its run or log entry in report/{ACCOUNT}, or delete it"
            )
    return told


def is_in(span, quantity):
    return span[0] <= quantity.start and quantity.end <= span[1]


def spans_of(text, quote):
    """The places of these words, whatever their line breaks; for a heading ("## How") its section."""
    if quote.startswith("#"):
        return [(start, end) for start, end, _ in sections(text) if text[start:end].startswith(f"{quote}\n")]
    return [match.span() for match in re.finditer(r"\s+".join(map(re.escape, quote.split())), text)]


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def malformed(line, inside):
    """The faults of a line of the account itself; [] without one."""
    if line["kind"] not in CHECKS:
        return [f'kind "{line["kind"]}": expected one of {", ".join(CHECKS)}']
    if not inside:
        return ["no quantity there: delete the line, or quote the number with its unit"]
    if line["quote"].startswith("#") and line["kind"] != "given":
        return ["a whole section is no measurement, or a log entry by its first line: quote words"]
    one_each = line["kind"] == "run" and line["set"] and len(inside) == len(cells.members(line["set"]))
    if line["kind"] in ("run", "meta", "claim") and len(inside) > 1 and not one_each:
        return [f"{len(inside)} quantities: give each a line of its own"]
    if line["kind"] == "run" and line["says"] not in SAYS:
        return [f'says "{line["says"]}": expected one of {", ".join(SAYS)}']
    if line["kind"] == "given" and not line["note"]:
        return ["note: say what these numbers are, since they are no measurement"]
    return []


def false(line, inside, root):
    try:
        return CHECKS[line["kind"]](line, inside, root)
    except BadInput as error:
        return [f"{error}; mend the address in report/{ACCOUNT} or delete the number"]


def check_run(line, inside, root):
    values = values_of(line, inside[0].unit)
    if len(inside) == 1:
        return compared(inside[0], line["says"], values)
    return [wrong for each, value in zip(inside, values) for wrong in compared(each, line["says"], [value])]


def check_meta(line, inside, root):
    return compared(inside[0], "is", value_in_meta(line, inside[0].unit))


def compared(quantity, says, values):
    if stated(quantity, says, values):
        return []
    ends = " to ".join(dict.fromkeys(f"{value:.4g}" for value in (min(values), max(values))))
    return [f"the stored runs have {ends} ({says}): write what they have"]


def check_claim(line, inside, root):
    quote = {claim["id"]: claim["quote"] for claim in cells.read_layout("claims.csv")}.get(line["top"], "")
    return lacking(inside, quote, f"sentence {line['top']} of report/claims.csv")


def check_log(line, inside, root):
    text = entry(line["top"], root)
    if not text:
        return [f"{line['top']} is no log entry: its first line has date, commit, machine and command"]
    return lacking(inside, text, line["top"])


def lacking(inside, text, name):
    there = set(numbers_of(text))
    return [f"{name} has no {n}: write what it has" for quantity in inside for n in quantity.numbers if n not in there]


CHECKS = {
    "run": check_run,
    "meta": check_meta,
    "claim": check_claim,
    "log": check_log,
    "given": lambda line, inside, root: [],
}


def pages():
    """{name: text} of all pages. For the report: its templates, and the words of report/*.csv, line by line."""
    found = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in (*PAGES, *TEMPLATES)}
    for name, column in WORDS.items():
        words = [line[column].replace("\n", " ") for line in cells.read_layout(f"{name}.csv")]
        found[f"report/{name}.csv"] = "\n".join(["", *words, ""])
    return found


def account():
    return cells.read_layout(ACCOUNT)


def main(arguments=None):
    argparse.ArgumentParser(prog="antbench-results prose", description=__doc__.splitlines()[0]).parse_args(arguments)
    told = problems(pages(), account())
    print("\n".join(told) or f"{sum(len(quantities(text)) for text in pages().values())} numbers are accounted for")
    return ERROR if told else OK
