"""make verdicts: shows verdicts on stored runs that differ from report/verdicts.csv; REASON= writes them there.

report/verdicts.csv has a line for each verdict that a sentence, or one of its readings, was ever given: name, verdict,
date, reason. The last line holds. `make report` shows the lines as a sentence's history.
"""

import argparse
import csv
from datetime import datetime, timezone

from antbench.data import cells
from antbench.data.command import ERROR, OK, BadInput, new_file
from antbench.show import claims, readme

GONE = "gone"  # the verdict on a sentence that was removed from claims.csv


def changes(now, history):
    """{name: (the verdict that holds, the verdict now)} where the two differ; "" for a new sentence."""
    before = {name: lines[-1]["verdict"] for name, lines in history.items()}
    both = {name: (before.get(name, ""), now.get(name, GONE)) for name in [*now, *before]}
    return {name: (old, new) for name, (old, new) in both.items() if old != new}


def acknowledge(changed, reason, path):
    """Appends the changes, with today's date."""
    today = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    before = path.read_text(encoding="utf-8")
    with new_file(path) as file:
        file.write(before)
        csv.writer(file, lineterminator="\n").writerows(
            [name, new, today, reason] for name, (_, new) in changed.items()
        )


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results verdicts", description=__doc__.splitlines()[0])
    parser.add_argument("--reason", default="", help="reason for the changes; write them to report/verdicts.csv")
    options = parser.parse_args(arguments)
    if any(character in options.reason for character in "\r\n"):
        raise BadInput("--reason: give the reason in one line")
    changed = changes(claims.held(readme.verdicts()), claims.history())
    for name, (old, new) in changed.items():
        print(f"{name}: {old or 'new'} -> {new}")
    if changed and not options.reason:
        print('report/verdicts.csv holds other verdicts; make verdicts REASON="why they have changed" updates it')
        return ERROR
    acknowledge(changed, options.reason, cells.REPORT / "verdicts.csv")
    return OK
