"""docs/faults.md: what fuzzing, injected and planted faults have shown, of results/faults/*.csv.

make fuzz, make inject and make plant run this. With NAME and FILE, the lines of FILE are added to results/faults/NAME.csv first.
"""

import argparse
import csv
from pathlib import Path

from antbench.data import campaigns, command
from antbench.data.command import ROOT, BadInput, write_file
from antbench.show import readme

PAGE = ROOT / "docs/faults.md"


def write_page():
    text = PAGE.read_text(encoding="utf-8")
    new = readme.filled(text, readme.templates(PAGE.parent))
    if new != text:
        write_file(PAGE, new)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results campaigns", description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", choices=campaigns.COLUMNS, help="a campaign")
    parser.add_argument("file", nargs="?", type=Path, help="its new lines, as CSV without a header")
    options = parser.parse_args(arguments)
    if options.name and not options.file:
        parser.error("a campaign needs the file of its new lines")
    if options.name:
        with open(options.file, newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
        expected = len(campaigns.COLUMNS[options.name][1])
        if bad := next((line for line in lines if len(line) != expected), None):
            raise BadInput(f"{options.file}: a line of {expected} cells is expected, not {','.join(bad)}")
        campaigns.keep(options.name, lines)
    write_page()
    return command.OK
