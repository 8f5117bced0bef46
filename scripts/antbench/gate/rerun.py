"""Measuring rows of BASE and NEW again, taking turns, by the commands that their meta.json record."""

import hashlib
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from antbench.data import command, runs
from antbench.data.command import ROOT, BadInput
from antbench.gate import sides

# What a recorded option may be: nothing else of a meta.json gets into a command.
PROGRAMS, DRIVER = re.compile(rf"{runs.PROGRAM}|table_\w+"), re.compile(r"[a-z0-9][\w.-]*")
WORD, NUMBER = re.compile(r"[A-Za-z0-9][\w./+-]*"), re.compile(r"\d+")
PATTERN = re.compile(r"[A-Za-z0-9*?][\w./+*?-]*")  # given to the program, never to a shell
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
ROWS = re.compile(r"[\w./+*?=;^\[\]-]+")
LISTS = {"instances": WORD, "implementations": PATTERN, "rows": ROWS}
SWEEP = re.compile(r"[a-z][\w-]*=[\w.+-]+(,[\w.+-]+)*")  # one --set


class Programs:
    """The programs of both sides, each in the checkout that it was built in."""

    def __init__(self, base, new, base_root=None, new_root=None):
        self.sides = ((base, Path(base_root or ROOT).resolve()), (new, Path(new_root or ROOT).resolve()))

    def measure(self, rows, processes):
        """(BASE, NEW) as Sides: these rows alone, `processes` times, the side that is first changing every time.

        The seed is another than the first time, the same on both sides: what was chance in a tour is not repeated.
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
        program, *first = program_of(run)
        expect_same_program(root, program, run)
        options = dict(run.meta.get("options", {}))
        options["seed"] = int(options.get("seed") or 1) + 1
        options.pop("processes", None)  # as many as in_turns says
        options["instances"] = sorted({row["instance"] for row in rows if row["run"].driver == driver})
        wanted = sorted({row["implementation"] for row in rows if row["run"].driver == driver})
        if known_implementations(root / program) >= set(wanted):  # rows of scope setup are in no registry
            options["implementations"] = wanted
        return root, [str(root / program), *first, "--quiet", *arguments_of(options, run)]


def in_turns(commands, processes, folder, names, tell=lambda done: None):
    """Two Sides, each measured by its commands, (driver, checkout, arguments), in so many processes; the side that is first
    changes every time. What they leave is in a new `folder` of the checkout; `tell` hears how many processes of each are done.
    """
    found = ([], [])
    roots = {root for of_side in commands for _, root, _ in of_side}
    folders = {root: command.new_folder(command.written_of(root) / folder) for root in roots}
    for i in range(processes):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            for driver, root, arguments in commands[which]:
                out = folders[root] / names[which] / driver
                arguments = [*arguments, "--processes", str(processes), "--out", str(out)]
                found[which].append(share(arguments, command.written_of(root), out, i + 1))
        tell(i + 1)
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
        raise BadInput(f"{run.run_id}: its meta.json has an option {name} that is none: {text[:40]!r}")
    return text


def program_of(run):
    """(the program that measured a run, how it is told which driver): older programs had one driver each."""
    name = Path(run.meta["command_line"][0]).name
    if not PROGRAMS.fullmatch(name) or not DRIVER.fullmatch(run.driver):
        raise BadInput(f"{run.run_id}: its meta.json names no program of ours: {name[:40]!r}")
    return (Path("build/bin") / name, run.driver) if name == runs.PROGRAM else (Path("build/bin") / name,)


def expect_same_program(root, program, run):
    """A re-run by another program would confirm or clear the wrong code."""
    if not (root / program).exists():
        raise BadInput(f"{program} is not built in {root}")
    if hashlib.sha256((root / program).read_bytes()).hexdigest() != run.meta.get("build", {}).get("executable_sha256"):
        raise BadInput(f"{root / program} is not the program that measured {run.run_id} (--base-root, --new-root)")


def known_implementations(program):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return {line.split("\t")[0] for line in listed.splitlines()[1:]}


def share(arguments, root, out, process):
    """Starts the process of this number, from 1, of a run of several: the share of the run that it has measured."""
    arguments = [*arguments, "--process", str(process)]
    done = subprocess.run(arguments, cwd=root, stdout=subprocess.DEVNULL)
    if done.returncode not in (command.OK, command.WRONG):
        raise BadInput(f"{' '.join(arguments)} ended with {done.returncode}")
    return runs.load_run(out / f"{runs.SHARE}{process}")
