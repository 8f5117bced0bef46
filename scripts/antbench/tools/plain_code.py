"""Extracts the comments and messages of a source file, so that `plain` can check them like pages.

A comment or docstring is a paragraph. A text of four words or more counts as a message or help text. Indented lines in
a comment are drawings or commands, and are skipped.
"""

import ast
import inspect
import io
import re
import tokenize
from dataclasses import dataclass

FEWEST_WORDS = 4  # fewest words of a text that counts as a message
C_TOKEN = re.compile(
    r"""(?P<text>(?:"(?:\\.|[^"\\\n])*"\s*)+)|'(?:\\.|[^'\\\n])*'|(?P<comment>/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)""",
    re.S,
)
TEXT = re.compile(r'"((?:\\.|[^"\\\n])*)"')
DRAWN = re.compile(r"^(?: {2,}|\||#|>>>).*$", re.M)
PLACE = re.compile(r"%[-+ #0]*[\d.*]*(?:hh|h|ll|l|z|j)?[a-zA-Z]|\{[^{}]*\}")
SHELL_COMMENT = re.compile(r"(?:^[ \t]*#(?!!)[^\n]*\n?)+", re.M)


@dataclass(frozen=True)
class Said:
    """A comment or message, with the number of its first line."""

    line: int
    text: str
    is_message: bool = False


def said(name, text):
    """The comments and messages of a source file: a list of Said."""
    if name.endswith((".c", ".h", ".cu", ".cpp", ".def")):
        return list(of_c(text))
    if name.endswith(".py"):
        return list(of_python(text))
    return [Said(line_of(text, m.start()), undrawn(uncommented(m[0], "#"))) for m in SHELL_COMMENT.finditer(text)]


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def undrawn(comment):
    return DRAWN.sub("", comment).strip()


def uncommented(comment, sign):
    return re.sub(rf"^[ \t]*{sign}+ ?", "", comment, flags=re.M)


def of_c(text):
    for match in C_TOKEN.finditer(text):
        if match["comment"]:
            comment = match["comment"]
            inner = re.sub(r"\n[ \t]*\* ?", "\n", comment[2:-2]) if comment[1] == "*" else uncommented(comment, "//")
            yield Said(line_of(text, match.start()), undrawn(inner.removeprefix(" ")))
        elif match["text"]:
            yield from message(line_of(text, match.start()), "".join(TEXT.findall(match["text"])))


def message(line, text):
    """A Said for a text that is long enough, with each value's place as a word."""
    text = PLACE.sub("x", text.replace("\\n", "\n").replace('\\"', '"'))
    if len(text.split()) >= FEWEST_WORDS and re.search(r"[a-z]{2,} [a-z]{2,} ", text):
        yield Said(line, undrawn(text), True)


def of_python(text):
    tree = ast.parse(text)
    docs = {id(doc) for doc in map(docstring, ast.walk(tree)) if doc}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) in docs:
            yield Said(node.lineno, undrawn(inspect.cleandoc(node.value)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from message(node.lineno, node.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            yield Said(token.start[0], token.string.lstrip("# "))


def docstring(node):
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        return body[0].value
    return None
