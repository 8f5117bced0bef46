"""Measures rows of BASE and NEW again, in turns, with the commands that their meta.json record."""

import hashlib
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from antbench.data import command, runs, selector
from antbench.data.command import ROOT, BadInput
from antbench.gate import sides

# The allowed form of each recorded option. Everything else in a meta.json is kept out of the command.
DRIVER = re.compile(r"[a-z0-9][\w.-]*")
WORD, NUMBER = re.compile(r"[A-Za-z0-9][\w./+-]*"), re.compile(r"\d+")
PATTERN = re.compile(r"[A-Za-z0-9*?][\w./+*?-]*")  # passed to the program without a shell
OPTIONS = {
    "profile": WORD,
    "backend": WORD,
    "device": NUMBER,
    "processes": NUMBER,
    "runs": NUMBER,
    "iterations": NUMBER,
    "time_budget_s": re.compile(r"none|[\d.]+"),
    "lock_clocks": WORD,
    "seed": NUMBER,
}
INPUT = re.compile(r"/?[A-Za-z0-9.][\w./+-]*")  # a name or a file
ROWS = re.compile(r"[\w./+*?=;^\[\]-]+")
LISTS = {"instances": INPUT, "implementations": PATTERN, "rows": ROWS}
SWEEP = re.compile(r"[a-z][\w-]*=[\w.+-]+(,[\w.+-]+)*")  # the value of one --set


class Programs:
    """The programs of both sides, each in the checkout that it was built in."""

    def __init__(self, base, new, base_root=None, new_root=None):
        self.sides = ((base, Path(base_root or ROOT).resolve()), (new, Path(new_root or ROOT).resolve()))

    def measure(self, rows, processes):
        """(BASE, NEW) as Sides: these rows only, `processes` times. The side that begins changes every time.

        Both sides use a new seed, so that chance in the first measurement's tours is not repeated.
        """
        stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        drivers = sorted({row["run"].driver for row in rows})
        commands = [
            [(each, *self.command(side, root, each, rows, processes)) for each in drivers if each in side.of_driver]
            for side, root in self.sides
        ]
        return in_turns(commands, processes, f"build/regress/{stamp}", ("base", "new"))

    def command(self, side, root, driver, rows, processes):
        run = side.of_driver[driver]
        program = program_of(run)
        expect_same_program(root, program, run)
        options = dict(run.meta.get("options", {}))
        options["seed"] = int(options.get("seed") or 1) + 1
        options.pop("processes", None)  # in_turns gives their number
        instances = {row["instance"] for row in rows if row["run"].driver == driver}
        files = [each for each in options.get("instances") or [] if each not in instances]
        options["instances"] = [
            next((each for each in files if Path(each).stem == name), name) for name in sorted(instances)
        ]
        wanted = sorted({row["implementation"] for row in rows if row["run"].driver == driver})
        if known_implementations(root / program) >= set(wanted):  # rows of scope setup are not in the registry
            options["implementations"] = wanted
        again = [row for row in run.records if row["instance"] in instances and row["implementation"] in wanted]
        patterns = [checked(str(each), ROWS, "rows", run) for each in options.get("rows") or []]
        meant = [each for each in patterns if any(map(selector.parse(each).means, again))]
        options["rows"] = meant or patterns  # none means a row of scope setup
        return root, [str(root / program), driver, "--quiet", *arguments_of(options, run)]


def in_turns(commands, processes, folder, names, enough=lambda *found: False):
    """Measures two Sides in turns, each in at most `processes` processes. The side that begins changes every time.

    A command is (driver, checkout, arguments). The results lie in a new `folder` of each checkout. After each turn
    `enough` gets the runs of both sides. If it returns true, the measurement ends.
    """
    found = ([], [])
    roots = {root for of_side in commands for _, root, _ in of_side}
    folders = {root: command.new_folder(command.written_of(root) / folder) for root in roots}
    for i in range(processes):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            for driver, root, arguments in commands[which]:
                out = folders[root] / names[which] / driver
                arguments = [*arguments, "--processes", str(processes), "--out", str(out)]
                found[which].extend(share(arguments, command.written_of(root), out, i + 1))
        if enough(*found):
            break
    return tuple(sides.Side(loaded) for loaded in found)


def arguments_of(options, run):
    for name, form in OPTIONS.items():
        value = options.get(name)
        if value is not None:
            option = name.removesuffix("_s").replace("_", "-")
            yield from (f"--{option}", "0" if value == "none" else checked(str(value), form, name, run))
    for name, form in LISTS.items():
        if options.get(name):
            yield from (f"--{name}", ",".join(checked(str(value), form, name, run) for value in options[name]))
    for sweep in options.get("set") or []:
        yield from ("--set", checked(str(sweep), SWEEP, "set", run))


def checked(text, form, name, run):
    if not form.fullmatch(text):
        raise BadInput(f"{run.run_id}: its meta.json has a wrong option {name}: {text[:40]!r}")
    return text


def program_of(run):
    """The program that measured a run."""
    name = Path(run.meta["command_line"][0]).name
    if name != runs.PROGRAM or not DRIVER.fullmatch(run.driver):
        raise BadInput(f"{run.run_id}: its meta.json names a program other than antbench: {name[:40]!r}")
    return Path("build/bin") / name


def expect_same_program(root, program, run):
    """Refuses a program that was rebuilt since: measuring it again would judge the wrong code."""
    if not (root / program).exists():
        raise BadInput(f"{program} is not built in {root}")
    if hashlib.sha256((root / program).read_bytes()).hexdigest() != run.meta.get("build", {}).get("executable_sha256"):
        raise BadInput(f"{root / program} is not the program that measured {run.run_id} (--base-root, --new-root)")


def known_implementations(program):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return {line.split("\t")[0] for line in listed.splitlines()[1:]}


def share(arguments, root, out, process):
    """Runs one process of a run, number `process` from 1: [its part of the run], [] if the first one alone has rows."""
    arguments = [*arguments, "--process", str(process)]
    done = subprocess.run(arguments, cwd=root, stdout=subprocess.DEVNULL)
    if done.returncode not in (command.OK, command.WRONG):
        raise BadInput(f"{' '.join(arguments)} ended with {done.returncode}")
    part = out / f"{runs.SHARE}{process}"
    return [runs.load_run(part)] if process == 1 or part.exists() else []
