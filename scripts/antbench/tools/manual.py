"""The manual page of antbench, made of what the program says of itself: --help of the program and of each of its
tables.

    python3 scripts/antbench manual PROGRAM > antbench.1      (make man, make install)
"""

import re
import subprocess

from antbench.data import command
from antbench.data.command import BadInput

ENTRY = re.compile(r"^  (\S.*?)(?:  +(.*))?$")  # "  --runs N    independent runs", "  rho         evaporation rate"


def said(program, *arguments):
    try:
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(f"{program}: {error}") from None


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def entries(text):
    """[(what is described, description)] of the indented lines of a help text; a line without a description goes on with the last."""
    return [(found[1], found[2] or "") for line in text.splitlines() if (found := ENTRY.match(line)) and found[2]]


def listed(pairs):
    return "".join(f".TP\n.B {escaped(name)}\n{escaped(help_text)}\n" for name, help_text in pairs)


def drivers(text):
    """The tables that --help lists: {"3.3": summary}."""
    return {
        name.split()[1]: help_text
        for name, help_text in entries(text)
        if name.startswith("antbench ") and "--" not in name
    }


def page(program):
    text, version = said(program, "--help"), said(program, "--version").split()[1]
    tables = drivers(text)
    helps = {name: said(program, name, "--help") for name in tables}
    first = next(iter(helps.values()))
    options = dict(entries(first.partition("\nparameters of")[0]))
    for each in helps.values():  # some tables have more
        options |= {
            name: help_text for name, help_text in entries(each.partition("\nparameters of")[0]) if name not in options
        }
    options = {name: help_text for name, help_text in options.items() if name.startswith("--")}
    general = [
        (name.removeprefix("antbench "), help_text)
        for name, help_text in entries(text)
        if name.startswith("antbench --")
    ]
    codes = re.sub(r"\s+", " ", first.partition("exit codes: ")[2]).strip()
    return "".join(
        [
            f'.TH ANTBENCH 1 "" "antbench {version}" "User Commands"\n',
            ".SH NAME\n" + escaped(text.splitlines()[0]).replace(":", " \\-", 1) + "\n",
            ".SH SYNOPSIS\n.B antbench\n.I TABLE\n[\\fIoption\\fR]...\n",
            ".SH DESCRIPTION\nMeasures the rows of a published table on this machine, beside the published numbers, and leaves a run: a\n"
            "directory with a table, its samples and what it was measured on.\n.SS Tables\n",
            listed(tables.items()),
            ".SS Without a table\n" + listed(general),
            ".SH OPTIONS\n" + listed(options.items()),
            ".SH PARAMETERS\n" + "".join(parameters(helps)),
            ".SH EXIT STATUS\n" + listed(pair.strip().split(" ", 1) for pair in re.split(r", (?=\d)", codes)),
            ".SH ENVIRONMENT\n",
            listed(
                [
                    ("TSPLIB_DIR", "folder of .tsp files, searched before that of make instances"),
                    ("IMAGES_DIR", "folder of images, searched before that of make images"),
                    (
                        "ANTBENCH_ROOT",
                        "folder of the catalogues and published numbers, in place of that which came with the program",
                    ),
                ]
            ),
        ]
    )


def parameters(helps):
    """What may be --set, under the headings that --help has, each once."""
    told = set()
    for text in helps.values():
        for heading, body in re.findall(r"^(parameters of [^:]*|of all rows[^:]*):\n((?:  .*\n)+)", text, re.M):
            if heading not in told:
                told.add(heading)
                yield f".SS {escaped(re.sub(r' [(].*', '', heading))}\n{listed(entries(body))}"


def main(arguments):
    if len(arguments) != 1:
        raise BadInput("usage: antbench.tools.manual PROGRAM")
    print(page(arguments[0]), end="")
    return command.OK
