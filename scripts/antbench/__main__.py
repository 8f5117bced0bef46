"""The commands that read runs or measure with the program: antbench-results COMMAND ...

`pip install .` and `make install` install them. In the source tree they are python3 scripts/antbench COMMAND ...
"""

import importlib
import sys
from pathlib import Path

if not __package__:  # as python3 scripts/antbench
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from antbench.data import command
from antbench.data.command import BadInput

READING = {  # commands that need stored runs only
    "claims": "show.claims",
    "compare": "show.compare",
    "coverage": "show.coverage",
    "decide-rates": "tools.decide_rates",
    "drift": "tools.drift",
    "export": "tools.export",
    "gate": "gate.gate",
    "gate-rates": "gate.gate_rates",
    "gpus": "show.times",
    "list-runs": "tools.list_runs",
    "plots": "show.plots",
    "precise-rates": "tools.precise_rates",
    "publish": "gate.publish",
    "regress": "gate.regress",
    "report": "show.report",
    "results-check": "tools.results_check",
    "share": "data.share",
    "site": "show.site",
}
MEASURING = {
    "ab": "tools.ab",
    "bench-all": "tools.bench_all",
    "bench-peers": "tools.peers",
    "calibrate": "gate.calibrate",
    "profile": "tools.profile",
    "solve-peers": "tools.solve_peers",
    "time-to-target": "tools.time_to_target",
    "tours": "tools.tours",
}
OF_THE_TREE = {  # these write or check files of the source tree
    "campaigns": "tools.campaigns",
    "index": "tools.index",
    "pictures": "tools.pictures",
    "plain": "tools.plain",
    "prose": "show.prose",
    "tests-of": "tools.tests_of",
    "verdicts": "show.verdicts",
}
COMMANDS = {**READING, **MEASURING, **OF_THE_TREE}
USAGE = f"""usage: antbench-results COMMAND [options]     COMMAND --help says more
reading runs:            {" ".join(READING)}
measuring with antbench: {" ".join(MEASURING)}
for the source tree:     {" ".join(OF_THE_TREE)}"""


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    name = arguments[0] if arguments else ""
    if name in ("-h", "--help", "help", ""):
        print(USAGE, file=sys.stdout if name else sys.stderr)
        return command.OK if name else command.USAGE
    module = COMMANDS.get(name)
    if not module:
        raise BadInput(f"antbench-results: there is no command {name}; antbench-results help lists all")
    if name in OF_THE_TREE and not (command.ROOT / "Makefile").is_file():
        raise BadInput(f"antbench-results {name}: needs the source tree; run it there")
    if name in MEASURING and command.ROOT == command.OF_PACKAGE:
        raise BadInput(
            f"antbench-results {name}: needs the program; run it in the source tree, or where make install put it"
        )
    return imported(f"antbench.{module}").main(arguments[1:])


def imported(module):
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "antbench":
            raise
        raise BadInput(
            f"antbench-results: {sys.executable} has no {error.name}; `make deps` installs it for /usr/bin/python3, and "
            "`pip install .` for another Python"
        ) from None


def run():
    command.run(main)


if __name__ == "__main__":
    run()
