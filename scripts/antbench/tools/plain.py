"""Checks the pages and the code against the countable rules of CONTRIBUTING.md.

The pages are README.md, CONTRIBUTING.md, CHANGELOG.md, docs/guide/ and generated pages. A sentence has at most 30 words,
and 18 in the mean of a page. README has at most 120 lines, a guide 150, not counting code. No line of prose is longer
than 120 columns. "that of" and "those of" are forbidden, and a rate is written with "per". Tables, code, headings,
quotations and paragraphs that list stored runs are not read.

Comments and messages of the code, apart from tests, keep the rules about words: the length of a sentence, "that of",
"per", and the idioms of rule 7. The mean of a file counts from ten sentences of comments on.

In report/, what pages, tables and figures take their words from is read for "per" alone.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from antbench.tools.plain_code import said

ROOT = next(folder for folder in Path(__file__).resolve().parents if (folder / "VERSION").is_file())
MOST_WORDS, MOST_MEAN, MOST_COLUMNS = 30, 18, 120
README_LINES, GUIDE_LINES, NOTES_LINES, RESULTS_LINES = 120, 150, 500, 400
NOTES = "results/published/NOTES.md"  # one section per source, to look up
RESULTS = ("docs/results.md", "docs/stands.md", "docs/faults.md")  # mostly generated from stored runs
CODE = re.compile(r"^```.*?^```$", re.S | re.M)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?: {4}.*(?:\n|\Z))+")
SPAN = re.compile(r"`[^`]+`")
BROKEN = re.compile(r"[^\s`-]-+\n")  # a line of code that ends with a hyphen: a reader copies a space there
COMMENT = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.S)
RUNS = "results/reference/"
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) +")
END = re.compile(r'(?<=[.!?])["”)]*\s+(?=["“(]*[A-Z`0-9])')
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|et al|vs|Fig)\.")
ONE = "thread|warp|block|lane|city|ant|row|core|GPU|rank|process|pixel|step|iteration|edge|picture|image|second|sample"
SOME = (
    "ms|GB|GiB|kB|times|steps|words|bytes|cycles|processes|threads|warps|lanes|numbers|tours|ants|rows|entries|"
    "instructions|membranes|operations|pixels|cities"
)
NO_PER = re.compile(rf"\b(?:(?:an?|one) (?:{ONE})|{SOME}) an? (?:{ONE}|side|run|machine|kernel|table|tour)\b")
NO_NOUN = re.compile(r"\bth(?:at|ose) of\b", re.I)
IDIOM = re.compile(r"\b(?:is|are) none\b|\b[Nn]obody\b|\b[Nn]othing but\b")  # None is a value of Python
NOT_READ = {".git", "build", "results", "tests"}  # folders whose files are not sources of the program
ENDINGS = (".c", ".h", ".cu", ".cpp", ".def", ".py")
FEWEST_FOR_MEAN = 10  # sentences of a file's comments


@dataclass(frozen=True)
class Page:
    name: str
    text: str
    most_lines: int


def blank(match):
    return re.sub(r"[^\n]", "", match[0])


def without_code(text):
    """The text with every line of code empty."""
    return INDENTED.sub(blank, CODE.sub(blank, text))


def paragraphs(text):
    """[(number of the first line, words in a line)] of prose: paragraphs, and items of lists."""
    found, lines, start = [], [], 0
    for number, line in enumerate([*COMMENT.sub(blank, without_code(text)).splitlines(), ""], start=1):
        ends = not line.strip() or line.lstrip().startswith(("|", "#", ">")) or ITEM.match(line)
        if ends and lines:
            found.append((start, " ".join(lines)))
            lines = []
        if line.strip() and not line.lstrip().startswith(("|", "#", ">")):
            start = start if lines else number
            lines.append(ITEM.sub("", line).strip())
    return [(number, words) for number, words in found if RUNS not in words]


def sentences(text):
    """[(line, sentence)] of a page; code in a sentence is a word, a link its text, a quotation a word."""
    found = []
    for line, words in paragraphs(text):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", words)
        words = re.sub(r"`[^`]*`", "Code", re.sub(r"“[^”]*”", "Quotation", words))
        words = ABBREVIATION.sub(r"\1", words.replace("**", "").replace("*", ""))
        found += [(line, sentence) for sentence in END.split(words) if words_of(sentence)]
    return found


def words_of(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def problems(page):
    """A line for each rule that the page breaks."""
    lines = page.text.splitlines()
    code_aside = sum(1 for line in without_code(page.text).splitlines() if line.strip())
    counted = len(lines) if page.name == "README.md" else min(len(lines), code_aside + blank_lines(lines))
    if counted > page.most_lines:
        yield f"{page.name}: {counted} lines, of which there may be {page.most_lines}: move a part to another page"
    yield from of_lines(page, without_code(re.sub(r"<!-- generated.*?<!-- end -->", blank, page.text, flags=re.S)))
    found = sentences(page.text)
    for number, sentence in found:
        if len(words_of(sentence)) > MOST_WORDS:
            yield f"{page.name}:{number}: {len(words_of(sentence))} words, at most {MOST_WORDS}: “{sentence[:60]}…”"
    mean = sum(len(words_of(sentence)) for _, sentence in found) / max(len(found), 1)
    if mean > MOST_MEAN:
        yield f"{page.name}: {mean:.1f} words per sentence in the mean, at most {MOST_MEAN}: divide the longest"


def blank_lines(lines):
    return sum(1 for line in lines if not line.strip())


def of_lines(page, prose):
    for number, line in enumerate(prose.splitlines(), start=1):
        if len(line) > MOST_COLUMNS and not line.lstrip().startswith("|"):
            yield f"{page.name}:{number}: {len(line)} columns, at most {MOST_COLUMNS}: break the line"
    for match in (match for match in SPAN.finditer(prose) if BROKEN.search(match[0])):
        yield f"{page.name}:{prose.count(chr(10), 0, match.start()) + 1}: {match[0]!r}: break code at a space"
    for number, words in paragraphs(prose):
        words = re.sub(r"“[^”]*”|`[^`]*`", "", words)
        for match in NO_NOUN.finditer(words):
            yield f"{page.name}:{number}: “{around(words, match)}”: repeat the noun"
        for match in NO_PER.finditer(words):
            yield f"{page.name}:{number}: “{around(words, match)}”: write “per”"


def of_code(name, text):
    """A line for each rule that a comment or a message of a source file breaks."""
    lengths = []
    for one in said(name, text):
        words = re.sub(r"“[^”]*”|`[^`]*`|\"[^\"]*\"", "", one.text.replace("\n", " "))
        for rule, advice in ((NO_NOUN, "repeat the noun"), (NO_PER, "write “per”"), (IDIOM, "say it positively")):
            for match in rule.finditer(words):
                yield f"{name}:{one.line}: “{around(words, match)}”: {advice}"
        counts = [(len(words_of(sentence)), sentence) for _, sentence in sentences(one.text)]
        for count, sentence in counts:
            if count > MOST_WORDS:
                yield f"{name}:{one.line}: {count} words, at most {MOST_WORDS}: “{sentence[:60]}…”"
        lengths += [] if one.is_message else [count for count, _ in counts]
    mean = sum(lengths) / max(len(lengths), 1)
    if mean > MOST_MEAN and len(lengths) >= FEWEST_FOR_MEAN:
        yield f"{name}: {mean:.1f} words per sentence in the mean, at most {MOST_MEAN}: divide the longest"


def sources(root=ROOT):
    """The source files of the program: C, CUDA, Python and shell, apart from tests."""
    folders = [each for each in root.iterdir() if each.is_dir() and each.name not in NOT_READ]
    found = [root / "Makefile", *(path for folder in folders for path in folder.rglob("*") if is_source(path))]
    return sorted(path for path in found if not NOT_READ & set(path.relative_to(root).parts))


def texts(root=ROOT):
    """What pages, tables and figures take their words from, apart from sentences of the sources and the history."""
    report = root / "report"
    told = [*report.glob("*.csv"), *report.rglob("*.j2"), *report.rglob("*.gp")]
    return sorted(path for path in told if path.stem not in ("claims", "verdicts", "prose"))


def of_text(name, text):
    for number, line in enumerate(text.splitlines(), start=1):
        words = re.sub(r"“[^”]*”|`[^`]*`", "", line)
        for match in NO_PER.finditer(words):
            yield f"{name}:{number}: “{around(words, match)}”: write “per”"


def is_source(path):
    """True for a program's text: by its ending, or by the first line of a script without one."""
    if path.suffix in ENDINGS or path.suffix or not path.is_file():
        return path.suffix in ENDINGS
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def around(words, match):
    return words[max(match.start() - 15, 0) : match.end() + 15].strip()


def pages(root=ROOT):
    """The pages that are held to the rules."""
    limits = {"README.md": README_LINES, NOTES: NOTES_LINES} | dict.fromkeys(RESULTS, RESULTS_LINES)
    paths = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", NOTES, *RESULTS)]
    paths += [*sorted((root / "docs/guide").glob("*.md"))]
    names = [path.relative_to(root).as_posix() for path in paths]
    return [
        Page(name, path.read_text(encoding="utf-8"), limits.get(name, GUIDE_LINES)) for name, path in zip(names, paths)
    ]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="plain", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="pages to read in place of the project's own")
    files = parser.parse_args(arguments).files
    read = [Page(str(path), path.read_text(encoding="utf-8"), GUIDE_LINES) for path in files] or pages()
    told = [problem for page in read for problem in problems(page)]
    code = [] if files else sources()
    for path in code:
        told += of_code(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    for path in [] if files else texts():
        told += of_text(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    print("\n".join(told) or f"{len(read)} pages{f' and {len(code)} source files' if code else ''} keep the rules")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
