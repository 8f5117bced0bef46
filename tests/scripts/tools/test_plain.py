"""The rules of CONTRIBUTING.md that can be counted: README, CONTRIBUTING and the guides keep them, and a breach is named."""

import re

import pytest

from antbench.data.command import ROOT
from antbench.show import prose
from antbench.tools import plain
from antbench.tools.plain import Page, problems


def told(text, name="docs/guide/x.md", most_lines=150):
    return list(problems(Page(name, text, most_lines)))


@pytest.mark.parametrize("page", plain.pages(), ids=lambda page: page.name)
def test_the_pages_keep_the_rules(page):
    assert list(problems(page)) == []


@pytest.mark.parametrize("path", plain.texts(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_pages_are_made_from_keeps_them_too(path):
    assert list(plain.of_text(path.name, path.read_text(encoding="utf-8"))) == []


def test_a_heading_is_told_where_it_stands():
    (line,) = plain.of_text("x.csv", "a,b\n5,time by membranes a block\n5,“12 ms a block”\n")
    assert line == "x.csv:2: “5,time by membranes a block”: write “per”"


def test_every_guide_is_held():
    names = [page.name for page in plain.pages()]
    assert names[:3] == ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] and "docs/guide/terms.md" in names


def documents():
    """Every page that a reader may come to."""
    return [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
        (ROOT / "docs").rglob("*.md")
    )


def test_every_run_that_a_page_names_is_stored():
    """Logs and the changelog tell of older runs, too."""
    pages = [path for path in documents() if "log" not in path.relative_to(ROOT).parts and path.stem != "CHANGELOG"]
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    named = set(
        re.findall(r"\b[a-z][a-z0-9-]+/\d{8}T\d{6}Z-[0-9a-f]{7,8}-[\w.-]*\w|\b[a-z][a-z0-9-]+/\d{8}T\d{6}Z-\w+", text)
    )
    assert len(named) > 50
    assert [name for name in sorted(named) if not (ROOT / "results/reference" / name / "meta.json").is_file()] == []


@pytest.mark.parametrize(
    "text, breaks",
    [
        ('`make x ARGS="--\nset a=1"`', True),
        ("`3.3/ds-\nroulette`", True),
        ("`a b --\n--c`", False),
        ("`a` well-\nknown `b`", False),
    ],
)
def test_code_is_not_broken_after_a_hyphen(text, breaks):
    assert [each for each in told(f"Type\n{text} now.\n") if "break code" in each] == (
        [f"docs/guide/x.md:2: {text!r}: break code at a space"] if breaks else []
    )


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(path):
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        name, _, place = link.partition("#")
        target = path.parent / name if name else path
        if "://" not in link:
            there = target.exists() and (not place or place in headings(target))
            dead += [] if there else [link]
    assert dead == []


def headings(path):
    return [prose.anchor(heading) for _, _, heading in prose.sections(path.read_text(encoding="utf-8"))]


def test_the_changelog_is_short():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert len(text.partition("## Unreleased\n\n")[2].partition("\n\n## ")[0].splitlines()) <= 25


def words(n, word="w"):
    return " ".join([word] * n) + "."


def test_a_long_sentence_is_named_with_its_line():
    assert told(f"# A\n\nShort.\n\n{words(30)} Short. Short. Short.\n") == []
    (problem,) = told(f"# A\n\nShort.\n\n{words(31)} Short. Short. Short.\n")
    assert problem.startswith("docs/guide/x.md:5: 31 words, at most 30: “w")


def test_the_mean_of_a_page():
    assert told(f"{words(18, 'W')}\n{words(18, 'W')}\n") == []
    (problem,) = told(f"{words(18, 'W')}\n{words(19, 'W')}\n")
    assert "18.5 words per sentence in the mean" in problem


def test_lines_of_a_page():
    text = "One.\n" * 120
    assert told(text, "README.md", 120) == []
    (problem,) = told(f"{text}One.\n", "README.md", 120)
    assert problem.startswith("README.md: 121 lines, of which there may be 120")


def test_code_is_no_line_of_a_guide():
    code = "```sh\n" + "make\n" * 50 + "```\n\n"
    assert told("One.\n" * 140 + "\n" + code) == []
    assert len(told("One.\n" * 152 + "\n" + code)) == 1


def test_columns():
    line = " ".join(["Word."] * 20)[:-1]
    assert told(f"{line}.\n") == [] and told(f"| {line} {line} |\n") == [] and told(f"\n\n    {line} {line}\n") == []
    (problem,) = told(f"{line} a.\n")
    assert problem == "docs/guide/x.md:1: 121 columns, at most 120: break the line"


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("The time is that of a row.", "repeat the noun"),
        ("Those of a row.", "repeat the noun"),
        ("It runs a warp an ant.", "write “per”"),
        ("Seven processes a side.", "write “per”"),
        ("It takes 5 ms an iteration.", "write “per”"),
        ("It runs a warp per ant.", ""),
        ("It gives each ant one city.", ""),
        ("It prints `processes a side`, as “that of a row”.", ""),
        ("| that of a row | processes a side |", ""),
    ],
)
def test_words(text, wrong):
    found = told(f"{text}\n")
    assert len(found) == bool(wrong) and wrong in "".join(found)


def test_what_is_a_sentence():
    text = """# A heading without an end

One `code with. A stop`, e.g. this. “Two. Quoted.” (It ends.) 5 ms is a third
- four, an item
- five

| six. Seven |

<!-- generated: x -->
Of [run](results/reference/x.csv). Listed.
<!-- end -->
"""
    assert [sentence for _, sentence in plain.sentences(text)] == [
        "One Code, e.g this.",
        "Quotation (It ends.",
        "5 ms is a third",
        "four, an item",
        "five",
    ]


def test_main(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("A time is that of a row.\n")
    assert plain.main([str(page)]) == 1 and "repeat the noun" in capsys.readouterr().out
    page.write_text("A time is here.\n")
    assert plain.main([str(page)]) == 0 and capsys.readouterr().out == "1 pages keep the rules\n"


def of_code(text, name="bench/x.c"):
    return list(plain.of_code(name, text))


@pytest.mark.parametrize("path", plain.sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_code_keeps_the_rules(path):
    assert of_code(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()) == []


def test_sources_are_all_programs_of_the_tree(tmp_path):
    made = [
        "Makefile",
        "a/x.c",
        "a/b/x.cu",
        ".ci/run",
        "a/tests/x.c",
        "build/x.c",
        "tests/x.py",
        "a/data.csv",
        "a/text",
    ]
    for name in made:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" if name.endswith("run") else "\n")
    found = [path.relative_to(tmp_path).as_posix() for path in plain.sources(tmp_path)]
    assert found == [".ci/run", "Makefile", "a/b/x.cu", "a/x.c"]
    names = {path.relative_to(ROOT).as_posix() for path in plain.sources()}
    assert {"kernels/tsp/race.cu", "bench/registry.def", "scripts/lint", "scripts/antbench/data/runs.py"} <= names


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("/* The time is that of a row. */", "x.c:1: “The time is that of a row.”: repeat the noun"),
        ("int n; /* a thread a city */", "write “per”"),
        ("\n// What the tables\n// leave out is none.\n", "leave out is none.”: say it positively"),
        ('puts("the file is that of " "nobody here");', "repeat the noun"),
        (f"/* {words(31)} */", "31 words, at most 30"),
        (f'fail("{words(31, "word")}");', "31 words, at most 30"),
        (f"/* {(words(19, 'W') + ' ') * 10}*/", "19.0 words per sentence in the mean"),
        ("int a = 1; /* number of ants per block */", ""),
        ("/* Drawn:\n *\n *   that of a row\n */", ""),
        ('puts("%s: a thread per city, `that of`");', ""),
        (f"/* {(words(19, 'W') + ' ') * 9}*/", ""),
        ("const char c = '\"'; int that_of; /* fine */", ""),
    ],
)
def test_comments_and_messages_of_c(text, wrong):
    found = of_code(text)
    assert bool(found) == bool(wrong) and wrong in "".join(found)


@pytest.mark.parametrize(
    "text, wrong",
    [
        ('"""The time is that of a row."""\n', "x.py:1: "),
        ("a = 1  # the time is that of a row\n", "x.py:1: "),
        ('import sys\n\nsys.exit(f"the time is {1} and that of a row")\n', "x.py:3: "),
        ('def f():\n    """Returns the time of a row."""\n', ""),
        ('a = "that of"\n', ""),
    ],
)
def test_comments_and_messages_of_python(text, wrong):
    found = of_code(text, "scripts/x.py")
    assert bool(found) == bool(wrong) and wrong in "".join(found)


def test_comments_of_a_makefile():
    text = "# The time is\n# that of a row.\nall:\n\techo that of\n"
    assert of_code(text, "Makefile") == ["Makefile:1: “The time is that of a row.”: repeat the noun"]
