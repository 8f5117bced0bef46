"""Lists the test programs that check an implementation; `make test-kernel ID=tsp/mine` builds and runs them.

A program checks it if it asks the registry for all implementations of its operation on its backend, or names it.
"""

import argparse
import difflib
import re

from antbench.data import command
from antbench.data.code import REGISTRY
from antbench.data.command import ROOT, BadInput

LINE = re.compile(r'^(CPU|GPU)\((\w+),\s*"([^"]+)"', re.M)
BACKENDS = {"CPU": "ON_CPU", "GPU": "ON_HOST"}  # where tests run implementations of each kind of registry line


def registered():
    """{implementation: ON_CPU or ON_HOST}"""
    lines = LINE.findall((ROOT / REGISTRY).read_text(encoding="utf-8"))
    return {f"{operation.replace('_', '-')}/{name}": BACKENDS[kind] for kind, operation, name in lines}


def checks(text, name, backend):
    """True if a test program with this source checks the implementation."""
    operation = name.split("/")[0]
    asks = re.search(rf'next_of\("{operation}", [A-Z_ |]*{backend}', text)
    asks_itself = "ab_registry(" in text and f'"{operation}"' in text
    return asks or asks_itself or ("support/registered.h" in text and f'"{name}"' in text)


def programs_of(name):
    known = registered()
    if "/" not in name:
        raise BadInput(f"ID={name}: no such implementation; build/bin/antbench --list shows all, such as ID=tsp/race")
    if name not in known:
        alike = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
        question = f"did you mean {alike[0]}?" if alike else "add its line there (README, Add a kernel)"
        raise BadInput(f"ID={name}: not in {REGISTRY}; {question}")
    sources = [*ROOT.glob("tests/**/test_*.c"), *ROOT.glob("tests/**/stat_test_*.c")]
    checking = [path.stem for path in sources if checks(path.read_text(encoding="utf-8"), name, known[name])]
    if not checking:
        raise BadInput(f"ID={name}: no test program in tests/ asks for implementations of {name.split('/')[0]}")
    return sorted(f"build/{'bin' if stem.startswith('stat_') else 'san'}/tests/{stem}" for stem in checking)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="make test-kernel", description=__doc__.splitlines()[0])
    parser.add_argument("id", help="operation/name, as antbench --list has it")
    print(*programs_of(parser.parse_args(arguments).id))
    return command.OK
