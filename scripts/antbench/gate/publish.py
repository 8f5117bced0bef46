"""Publishes what a gate found (gate.json): as the one comment of a pull request, or as a page of history.

It runs where it may write, so it needs Python alone. Code of a fork may have written gate.json, so each member is
checked and each text escaped.
"""

import argparse
import html
import json
import subprocess
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

from antbench.data.command import OK, BadInput, CannotWrite, as_code, write_file

SCHEMA = 1
MARK = "<!-- antbench-gate -->"  # hidden mark of the gate's comment
CHANGED = ("wrong", "slower", "missing", "inconclusive", "faster")  # verdicts of rows that a comment lists, worst first
MOST_ROWS = 50  # most rows of a comment
LONGEST = 200  # characters of a text
LARGEST = 1 << 24  # bytes of gate.json
LARGEST_NUMBER = 1e30  # bound of a time in ms and of a change
MOST_POINTS = 1000  # most commits of a history
UNITS = (("s", 1e3), ("ms", 1.0), ("µs", 1e-3), ("ns", 0.0))  # with the least time in ms that is shown in it


def read(path):
    """gate.json, checked."""
    return read_json(path, "result of antbench-results gate --json", found_in, LARGEST)


def read_json(path, what, checked_of, most=None):
    """What checked_of() makes of a JSON file's content. `most`: number of bytes that are read."""
    try:
        text = Path(path).read_bytes()
        return checked_of(json.loads(text[:most]))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError, RecursionError):
        raise BadInput(f"{path}:1: no {what}") from None


def found_in(content):
    assert content["schema"] == SCHEMA
    return [checked(row) for row in content["rows"]]


def checked(row):
    texts = {name: cut(row[name]) for name in ("verdict", "row", "reason")}
    numbers = {name: number(row[name]) for name in ("base_ms", "new_ms", "change", "median_ms")}
    return {**texts, **numbers, "together": row["together"] is True}


def number(value):
    """A number of JSON as a float, or None. A whole number may have any number of digits."""
    assert value is None or type(value) in (int, float) and abs(value) <= LARGEST_NUMBER
    return None if value is None else float(value)


def cut(text):
    return utf8(text)[:LONGEST]


def utf8(text):
    """The text. Half a surrogate pair, which no file can hold, is a UnicodeEncodeError."""
    assert isinstance(text, str)
    text.encode()
    return text


def shown(ms):
    if ms is None:
        return ""
    unit, factor = next((name, of) for name, of in UNITS if abs(ms) >= of)
    return f"{ms / (factor or 1e-6):.4g} {unit}"


# ---- The comment ----


def comment(found, commit, url):
    """The comment's Markdown: the changed rows alone; None if no row changed.

    Each text of a row is code, where GitHub makes no links and sends no notifications.
    """
    rows = [row for verdict in CHANGED for row in found if row["verdict"] == verdict]
    if not rows:
        return None
    counts = Counter(row["verdict"] for row in rows)
    told = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    lines = [MARK, f"**Benchmarks: {told} of {len(found)} rows** ({commit[:7]}, [all rows]({url}))", ""]
    lines += ["| verdict | row | base | new | change | |", "|---|---|--:|--:|--:|---|"]
    for row in rows[:MOST_ROWS]:
        times = ("", "") if row["together"] else (shown(row["base_ms"]), shown(row["new_ms"]))
        change = "" if row["change"] is None else f"{100 * row['change']:+.1f} %"
        texts = [as_code(text) if text else "" for text in (row["row"], row["reason"])]
        lines.append(f"| {' | '.join((row['verdict'], texts[0], *times, change, texts[1]))} |")
    more = len(rows) - MOST_ROWS
    return "\n".join(lines + ([f"\n{more} more rows changed."] if more > 0 else [])) + "\n"


def nothing_changed(commit, url):
    return f"{MARK}\nBenchmarks: no row has changed ({commit[:7]}, [all rows]({url})).\n"


def gh(*arguments, body=None):
    """What GitHub's API answers, by the program gh."""
    given = ["--input", "-"] if body is not None else []
    done = subprocess.run(
        ["gh", "api", *arguments, *given],
        input=None if body is None else json.dumps(body),
        capture_output=True,
        text=True,
    )
    if done.returncode != OK:
        raise CannotWrite(f"gh api {' '.join(arguments)}: {done.stderr.strip()[:LONGEST]}")
    return json.loads(done.stdout)


def pull_requests(repository, head, commit):
    """The numbers of the open pull requests whose newest commit is `commit`. Only GitHub is asked, as forks may lie."""
    asked = ["-X", "GET", f"repos/{repository}/pulls", "-f", "state=open", "-f", f"head={head}"]
    return [each["number"] for each in gh(*asked) if each["head"]["sha"] == commit]


def put_comment(repository, number, text, otherwise):
    """Updates the gate's comment, or makes one. Without a `text` only an old comment is updated, by `otherwise`."""
    pages = gh("--paginate", "--slurp", f"repos/{repository}/issues/{number}/comments?per_page=100")
    ours = [each for page in pages for each in page if each["user"]["type"] == "Bot" and each["body"].startswith(MARK)]
    if ours:
        gh("-X", "PATCH", f"repos/{repository}/issues/comments/{ours[0]['id']}", body={"body": text or otherwise})
    elif text:
        gh("-X", "POST", f"repos/{repository}/issues/{number}/comments", body={"body": text})


# ---- The history ----


def append(folder, found, commit):
    """Adds a commit to the folder's history.json and writes its page. Both texts are ready before a file is written."""
    path = Path(folder) / "history.json"
    points = read_json(path, "history of antbench-results publish", points_in) if path.exists() else []
    rows = {row["row"]: row["median_ms"] for row in found if row["median_ms"] is not None and not row["together"]}
    point = {"commit": commit, "utc": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "rows": rows}
    points = [*(each for each in points if each["commit"] != commit), point][-MOST_POINTS:]
    texts = {path.with_name("index.html"): page(points), path: json.dumps(points, separators=(",", ":")) + "\n"}
    data = {path: text.encode() for path, text in texts.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    for path, each in data.items():
        write_file(path, each)


def points_in(content):
    """The points of history.json, checked."""
    return [
        {
            **{name: cut(point[name]) for name in ("commit", "utc")},
            "rows": {cut(name): float(number(ms)) for name, ms in point["rows"].items()},
        }
        for point in content
    ]


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Benchmarks</title>
<style>body{{font:15px sans-serif;margin:2em auto;max-width:60em}}td,th{{padding:.2em .8em;text-align:left}}
svg{{background:#f4f4f4}}polyline{{fill:none;stroke:#06c;stroke-width:1.5}}</style>
<h1>Benchmarks</h1>
<p>Medians of {count} commits, the newest {newest}. A picture begins at 0. Its points are the commits that have the row.</p>
<table><tr><th>row<th>newest<th>change of the last commit<th>all commits</tr>
{rows}
</table>
</html>
"""


def page(points):
    names = sorted({name for point in points for name in point["rows"]})
    rows = "\n".join(
        line_of(name, [(p["commit"], p["rows"][name]) for p in points if name in p["rows"]]) for name in names
    )
    newest = f"{points[-1]['commit'][:7]} of {points[-1]['utc']}"
    return PAGE.format(count=len(points), newest=html.escape(newest), rows=rows)


def line_of(name, series):
    values = [ms for _, ms in series]
    change = f"{100 * (values[-1] / values[-2] - 1):+.1f} %" if len(values) > 1 and values[-2] else ""
    top, step = max(values) or 1, 300 / max(len(values) - 1, 1)
    line = " ".join(f"{step * i:.1f},{38 - 36 * ms / top:.1f}" for i, ms in enumerate(values))
    told = html.escape(f"{shown(min(values))} to {shown(max(values))}, from {series[0][0][:7]}")
    picture = f'<svg width="300" height="40"><title>{told}</title><polyline points="{line}"/></svg>'
    return f"<tr><td>{html.escape(name)}<td>{shown(values[-1])}<td>{change}<td>{picture}</tr>"


# ---- The program ----


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results publish", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("comment", "history"), metavar="comment|history")
    parser.add_argument("gate", metavar="GATE.json", help="what antbench-results gate --json wrote")
    parser.add_argument("--commit", required=True, type=utf8, metavar="SHA", help="the commit that was measured as NEW")
    parser.add_argument(
        "--url", default="", type=utf8, metavar="URL", help="where all rows are to be seen: the run's address"
    )
    parser.add_argument(
        "--repository", metavar="OWNER/NAME", help="comment there, by gh; without it the comment is printed"
    )
    parser.add_argument("--head", metavar="OWNER:BRANCH", help="the branch that was measured")
    parser.add_argument("--folder", metavar="DIR", help="folder of the history: history.json and index.html")
    options = parser.parse_args(arguments)
    found = read(options.gate)
    if options.what == "history":
        if not options.folder:
            parser.error("history needs --folder")
        append(options.folder, found, options.commit)
        return OK
    text = comment(found, options.commit, options.url)
    if not options.repository:
        print(text or "", end="")
        return OK
    if not options.head:
        parser.error("--repository needs --head")
    for number in pull_requests(options.repository, options.head, options.commit):
        put_comment(options.repository, number, text, nothing_changed(options.commit, options.url))
    return OK
