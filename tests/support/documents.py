"""The commands that documents tell a reader to run."""

import re
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FIRST_WORD = re.compile(r"(\w+=\S* )*(make|git|cd|sed|echo|sudo|python3|scripts/\w+|build/bin/[\w/]+|\.ci/\w+)( |$)")


@dataclass(frozen=True)
class Block:
    kind: str  # sh: commands; text: what they print
    lines: tuple


def blocks(path):
    """The fenced blocks of a document."""
    text = Path(path).read_text(encoding="utf-8")
    return [Block(kind, tuple(filter(None, content.splitlines()))) for kind, content in BLOCK.findall(text)]


def commands(path):
    """Every command of a document: lines of its blocks, fenced or indented, and code in its text that begins like one."""
    text = Path(path).read_text(encoding="utf-8")
    fenced = [line for block in blocks(path) if block.kind != "text" for line in block.lines]
    rest = BLOCK.sub("", text)
    indented = re.findall(r"^(?: {4}|\t)(.*)$", rest, re.M)
    found = [re.sub(r"\s+#.*", "", line).strip() for line in fenced + indented + SPAN.findall(rest)]
    return list(dict.fromkeys(line for line in found if FIRST_WORD.match(line)))
