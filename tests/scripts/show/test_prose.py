"""Every measured number in the prose of README.md, docs/ and the report is of a stored run, a source or a log entry."""

import pytest

from antbench.data.cells import read_layout
from antbench.data.command import ROOT
from antbench.show import prose

COLUMNS = "page,quote,kind,top,over,set,run,over_run,says,note".split(",")
STORED = "nvidia-h100-80gb-hbm3/20261126T104056Z-c8d43aae-3.3"
BY = "{x}?protocol=as-best"
SPEEDUP = {"top": f"3.3/i-roulette/{BY}", "over": f"3.3/ds-roulette/{BY}", "set": "d198 pr2392"}
LOG = """# Times

## The tests

Log, 2026-11-23. Commit: abc1234. Machine: a virtual machine with 2 CPUs.
Command: `make test`.

They took 6 min, or 360 s.

## No entry

They took 7 min.
"""


def line(quote, kind="run", page="README.md", says="is", **others):
    named = {"page": page, "quote": quote, "kind": kind, "says": says, "run": STORED}
    return {**dict.fromkeys(COLUMNS, ""), **named, **others}


def told(text, *account, root=ROOT):
    return prose.problems({"README.md": text}, list(account), root)


def found(text):
    return [quantity.text for quantity in prose.quantities(text)]


# ---- The pages ----


def test_every_number_is_accounted_for():
    assert prose.problems(prose.pages(), prose.account()) == []


def test_a_wrong_number_in_the_pages_is_found():
    """Each number that the account holds against a run or a source, made larger in its place, or a limit smaller."""
    pages, checked = prose.pages(), [each for each in prose.account() if each["kind"] in ("run", "meta", "claim")]
    assert len(checked) > 15
    for each in checked:
        text = pages[each["page"]]
        ((start, end),) = prose.spans_of(text, each["quote"])
        quantity = [q for q in prose.quantities(text) if prose.is_in((start, end), q)][-1]
        last = text.rindex(quantity.numbers[-1], quantity.start, quantity.end)
        wrong = {"within": "0.01"}.get(each["says"], f"9{quantity.numbers[-1]}")
        planted = text[:last] + wrong + text[last + len(quantity.numbers[-1]) :]
        quote = planted[start : end + len(planted) - len(text)]
        (problem,) = prose.of_page(each["page"], planted, [(2, {**each, "quote": quote})], ROOT)[:1]
        assert problem.startswith(f"{each['page']}:{prose.line_of(text, start)}: “") and "write what" in problem, each


def test_readme_and_results_have_no_whole_section_given():
    sections = [each["page"] for each in prose.account() if each["quote"].startswith("#")]
    assert not {"README.md", "docs/results.md"} & set(sections)


def test_the_account_has_its_columns():
    assert all(list(each) == COLUMNS for each in read_layout(prose.ACCOUNT))


# ---- What is a quantity ----


@pytest.mark.parametrize(
    "text, quantities",
    [
        ("takes 2.1 to 5.3 times as long", ["2.1 to 5.3 times"]),
        ("within 1 % of the optimum in 0.05 s", ["1 %", "0.05 s"]),
        ("an 82x speedup, 23 and\n240 times", ["82x", "23 and 240 times"]),
        ("334 GB/s, 62.9 MB, 40–46 ms", ["334 GB/s", "62.9 MB", "40–46 ms"]),
        ("12\u202f000 ms", ["12\u202f000 ms"]),
        ("| 3.3 | 0.055 | 3 | ~0.1 / 0.2 |", ["0.055", "~0.1 / 0.2"]),
        ("from -0.5 % to +0.7 %, n-1 times", ["0.5 %", "0.7 %"]),
        ("pr2392 at 512 x 512, Table 3.3, H100s, n - 1 times, 3 processes, 16 cores", []),
        ("half of the 95 % interval is 4 %, the rest {{ two(5 % 3) }} %", ["4 %"]),
        ("`--set l2=5 s`, [a](b 5 s), <img alt='5 s'>, ![5 s](a.png)", []),
        ("# In 5 s\n\n```\n5 s\n```\n\n    5 s\n", []),
        ("<!-- generated: a -->\n5 s\n<!-- end -->\n", []),
        ("| a | in 5 s |\n|---|--:|\n| b | 1.5 |", ["1.5"]),
    ],
)
def test_quantities(text, quantities):
    assert found(text) == quantities


# ---- What is wrong with one ----


def test_a_number_without_an_account():
    (problem,) = told("One.\n\nIt takes 0.05 s here.\n")
    assert problem.startswith("README.md:3: “0.05 s” in “One. It takes 0.05 s here.”: name its run or log entry in ")


def test_a_quote_that_the_page_no_longer_has():
    (problem,) = told("It takes long.\n", line("It takes 0.05 s"))
    assert problem.startswith("report/prose.csv:2: README.md: “It takes 0.05 s” stands there 0 times, not once: ")


def test_a_quote_that_stands_twice():
    """Which of the two is meant matters to a measurement."""
    twice = "in 5 s, and in 5 s\n"
    assert "stands there 2 times" in told(twice, line("in 5 s"))[0]
    assert told(twice, line("in 5 s", "given", note="a limit")) == []


def test_a_page_that_nobody_checks():
    (problem,) = told("", line("5 s", page="docs/none.md"))
    assert problem.startswith("report/prose.csv:2: no page docs/none.md")


@pytest.mark.parametrize(
    "printed, right",
    [
        ("2.1 to 4.1 times", True),
        ("2 to 4 times", True),
        ("2.1 to 4.2 times", False),
        ("2.0 to 4.1 times", False),
        ("4.1 times", False),
    ],
)
def test_a_range_is_that_of_the_stored_runs(printed, right):
    """I-Roulette over DS-Roulette: 2.11 at d198, 4.07 at pr2392."""
    problems = told(f"It takes {printed} as long.\n", line(f"It takes {printed}", **SPEEDUP))
    wrong = f"README.md:1: “It takes {printed}”: the stored runs have 2.11 to 4.072 (is): write what they have"
    assert problems == ([] if right else [wrong])


def test_the_cells_of_a_row():
    """A number for each instance."""
    rows = {"| 2.11 | 4.07 |": 0, "| 2.11 | 4.19 |": 1, "| 4.07 | 2.11 |": 2, "| 2.11 | 4.07 | 5.5 |": 1}
    for row, wrong in rows.items():
        assert len(told(f"| a {row}\n", line(f"| a {row}", **SPEEDUP))) == wrong


def test_a_time_in_its_unit():
    slow = {"top": "3.3/task-thread/pr2392?protocol=as-best"}  # 831.4 ms
    for printed in ("0.8 s", "0.83 s", "831 ms", "830 ms"):
        assert told(f"{printed}\n", line(printed, **slow)) == []
    for printed in ("0.9 s", "0.8 ms", "832 ms"):
        assert len(told(f"{printed}\n", line(printed, **slow))) == 1


def test_limits():
    """With compression over without, in Table 4.2 of the thesis at pr1002: 26.34 / 19.76 ms, 1.333."""
    same = {"top": "=thesis-4.2/cand-block-compress/pr1002", "over": "=thesis-4.2/cand-block/pr1002"}
    right = {"within": "34 %", "most": "1.4 times", "least": "1.3 times", "above": "33 %", "is": "1.3 times"}
    wrong = {"within": "33 %", "most": "1.3 times", "least": "1.4 times", "below": "33 %", "is": "1.4 times"}
    for says, printed in right.items():
        assert told(f"{printed}\n", line(printed, says=says, **same)) == [], says
    for says, printed in wrong.items():
        assert len(told(f"{printed}\n", line(printed, says=says, **same))) == 1, says


def test_a_published_number():
    source = {"top": "=thesis-3.3/acotsp-seq/{x}", "over": "=thesis-3.3/ds-roulette/{x}", "set": "tsp"}
    assert told("42 to 82 times\n", line("42 to 82 times", **source)) == []
    assert len(told("42 to 85 times\n", line("42 to 85 times", **source))) == 1


def test_a_number_of_a_sentence():
    assert told("8.5x\n", line("8.5x", "claim", top="cpu-82x")) == []
    (problem,) = told("9.5x\n", line("9.5x", "claim", top="cpu-82x"))
    assert "sentence cpu-82x of report/claims.csv has no 9.5" in problem


def test_what_a_run_says_of_its_machine():
    size = {"top": "devices.0.l2_bytes"}
    assert told("52 MB, 52.4 MB\n", line("52 MB", "meta", **size), line("52.4 MB", "meta", **size)) == []
    (problem,) = told("50 MB\n", line("50 MB", "meta", **size))
    assert problem.endswith("the stored runs have 52.43 (is): write what they have")


def test_an_address_that_finds_nothing():
    (problem,) = told("5 ms\n", line("5 ms", top="3.3/ds-roulette/none"))
    assert "no number: no row 3.3 ds-roulette none; mend the address" in problem


@pytest.mark.parametrize(
    "each, wrong",
    [
        (line("5 ms", "guess"), 'kind "guess"'),
        (line("5 ms", "given"), "note: say what"),
        (line("words"), "no quantity there"),
        (line("5 ms, 6 ms"), "2 quantities"),
        (line("5 ms", says="about"), 'says "about"'),
        (line("# Heading"), "a whole section"),
    ],
)
def test_a_line_that_says_nothing(each, wrong):
    assert wrong in told("# Heading\n\nwords 5 ms, 6 ms\n", each)[0]


# ---- Log entries ----


def test_a_log_entry_has_the_number(tmp_path):
    (tmp_path / "log.md").write_text(LOG)
    tests = line("6 min", "log", top="log.md#the-tests")
    assert told("in 6 min\n", tests, root=tmp_path) == []
    (problem,) = told("in 8 min\n", {**tests, "quote": "8 min"}, root=tmp_path)
    assert problem == "README.md:1: “8 min”: log.md#the-tests has no 8: write what it has"


@pytest.mark.parametrize("place", ["log.md#no-entry", "log.md#none", "log.md", "none.md#the-tests"])
def test_what_is_no_log_entry(tmp_path, place):
    (tmp_path / "log.md").write_text(LOG)
    (problem,) = told("7 min\n", line("7 min", "log", top=place), root=tmp_path)
    assert f"{place} is no log entry" in problem


PARTS = ("Log, 2026-11-23.", "Commit: abc1234.", "Machine: a virtual machine with 2 CPUs.", "Command: `make test`.")


@pytest.mark.parametrize("part", PARTS)
def test_a_log_entry_accounts_for_its_own_numbers(part):
    """And for none where one of its parts is missing, nor for those of the next section."""
    assert [problem.partition(" in ")[0] for problem in told(LOG)] == ["README.md:12: “7 min”"]
    assert len(told(LOG.replace(part, ""))) == 3


def test_limits_of_a_range_are_its_ends():
    source = {"top": "=thesis-3.3/acotsp-seq/{x}", "over": "=thesis-3.3/ds-roulette/{x}", "set": "tsp"}
    for says, right in {"most": "83 times", "least": "41 times"}.items():
        assert told(f"{right}\n", line(right, says=says, **source)) == []
        assert len(told("50 times\n", line("50 times", says=says, **source))) == 1
    below = {"top": "=thesis-4.2/cand-block/pr1002", "over": "=thesis-4.2/cand-block-compress/pr1002"}
    assert len(told("24 %\n", line("24 %", says="within", **below))) == 1, "it is 25 % below"
