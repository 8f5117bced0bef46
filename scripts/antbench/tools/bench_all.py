"""make bench-all: runs the driver of every table, even if earlier ones fail.

Drivers that time rows run one after another. Before that, if a GPU takes several programs at once, comes what takes no
times. Drivers that time nothing run at once, and beside them the others verify their rows (--verify). So one program
can use the CPU while another one uses the GPU. Without such a GPU each driver verifies its rows itself.

    OUT=DIR SAVE=DIR antbench-results bench-all OPTION...
        OUT   directory that gets a folder per driver (3.3, 4.2); without it each driver uses its default
        SAVE  directory that gets a folder of images per driver with images

First a line says what on this machine will spoil times, as `antbench doctor` does.
A line is printed when a driver has ended. V=1 in the environment shows everything that the drivers print. The table
at the end has all drivers. Below it stand the reasons of failures and the commands to repeat them.

The exit code is the drivers' worst: wrong output, error, regression, inconclusive, wrong usage, success; 77 if no
driver could run anything. A driver that a signal ends counts as an error.

Only the drivers print with --quiet, in one process of several, and with options that measure nothing (--dry-run).
"""

import csv
import fnmatch
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from antbench.data import command, plans
from antbench.data.command import BadInput

PROGRAM = "build/bin/antbench" if Path.cwd() == command.ROOT else str(command.ROOT / "build/bin/antbench")
WORST_FIRST = (
    command.WRONG,
    command.ERROR,
    command.REGRESSION,
    command.INCONCLUSIVE,
    command.USAGE,
    command.OK,
    command.SKIPPED,
)
UNTOLD = re.compile(r"--(quiet|process(=.*)?|dry-run|list|help|version)")
COLUMNS = {  # {column of the table at the end: statuses of the rows that it counts} (docs/guide/columns.md)
    "ok": ("ok",),
    "noisy": ("noisy",),
    "few": ("few",),
    "skipped": ("skipped", "timeout", "unsupported"),
    "wrong": ("wrong",),
    "error": ("error",),
}
PROGRESS = re.compile(r"(process \d+ of \d+: )?\[\d+/\d+\] ")  # lines that bench/program/progress.c prints
WRITING_TO = re.compile(r"\[0/\d+\] .*writing to (.*)")  # the run's directory, printed before its rows
WIDTH = 100  # most characters per line
GPU_MIB = 4096  # memory of a GPU that a driver may need
LEAST_TOLD = 0.05  # share of all estimates from which on what it took tells of the rest


class Interrupted(Exception):
    """Raised if the user, or the calling program, wants this to end."""

    def __init__(self, number):
        super().__init__()
        self.number = number


def is_complete(directory):
    """True if the run is complete, False if it can be resumed, None if there is no run."""
    try:
        return json.loads((Path(directory) / "meta.json").read_text())["complete"]
    except (OSError, ValueError, KeyError):
        return None


@dataclass
class Ran:
    """The result of running a driver."""

    driver: str
    out: str  # folder for its run; "" for the default
    arguments: list  # arguments of the program, without the folders
    verified: str = ""  # folder of the run that verified its rows, or ""
    code: int = command.ERROR  # negative: the number of the signal that ended it
    seconds: float = 0.0
    begun: bool = False  # True once the program was started
    directory: str = ""  # directory of its run; "" if no run was begun
    errors: list = field(default_factory=list)  # lines of error messages

    @cached_property
    def rows(self):
        """The finished rows of the run, each a dict by column."""
        try:
            [path] = Path(self.directory or "/nonexistent").glob("table-*.csv")
            with open(path, newline="", errors="replace") as file:
                return [row for row in csv.DictReader(file) if row.get("status")]
        except (OSError, ValueError, csv.Error):
            return []

    @property
    def why(self):
        """The first line that names an error."""
        for line in self.errors:
            return line.removeprefix(f"antbench {self.driver}: ")
        notes = [row.get("note") for row in self.rows if self.code == command.SKIPPED and row.get("note")]
        if notes:
            return f"nothing could run: {notes[0]}"
        return f"ended with {exit_text(self.code)} and said nothing"

    @property
    def again(self):
        """The command that repeats or resumes it."""
        there = ["--out", self.directory, "--resume"] if is_complete(self.directory) is False else []
        return shlex.join([PROGRAM, self.driver, *there, *(each for each in self.arguments if each != "--resume")])


# ---- The drivers ----


def tables():
    """{driver: [its tables]} of the program."""
    if not os.access(PROGRAM, os.X_OK):
        print(f"bench-all: {PROGRAM} is not built; make build builds it", file=sys.stderr)
        sys.exit(command.ERROR)
    said = subprocess.run([PROGRAM, "--tables"], capture_output=True, text=True).stdout
    found = {}
    for line in csv.DictReader(said.splitlines(), delimiter="\t"):
        found.setdefault(line["driver"], []).append(line["table"])
    return found


def is_of(row, of_driver):
    """True if --rows, such as "3.*/race?block=64", may select a row in one of the tables."""
    pattern = re.split("[/?]", row)[0]
    return not pattern or any(fnmatch.fnmatchcase(table, pattern) for table in of_driver)


def options_of(of_driver, options):
    """The options for the driver of these tables, with its own --rows only; None if no row is selected there."""
    found, are_asked_for, i = [], [], 0
    while i < len(options):
        name, is_one_word, value = options[i].partition("=")
        i += 1
        if name != "--rows" or not (is_one_word or i < len(options)):
            found.append(options[i - 1])
            continue
        if not is_one_word:
            value = options[i]
            i += 1
        rows = [row for row in value.split(",") if is_of(row, of_driver)]
        found += ["--rows", ",".join(rows)] if rows else []
        are_asked_for.append(bool(rows))
    return found if any(are_asked_for) or not are_asked_for else None


def chosen(options):
    """{driver: its options} for the drivers with a selected row."""
    known = tables()
    found = {driver: options_of(of_driver, options) for driver, of_driver in known.items()}
    found = {driver: own for driver, own in found.items() if own is not None}
    if known and not found:
        raise BadInput(f"bench-all: --rows: there is no such table ({PROGRAM} --tables lists them)")
    return found


def save_option(driver, save):
    """[--save DIR] if the driver has images or tours."""
    if not save:
        return []
    help_text = subprocess.run([PROGRAM, driver, "--help"], capture_output=True, text=True).stdout
    return ["--save", f"{save}/{driver}"] if "--save" in help_text else []


# ---- Messages ----


def duration(seconds):
    """Seconds as text: 152 -> "3 min", as in bench/program/progress.c."""
    if not math.isfinite(seconds):
        return "unknown"
    if seconds <= 59:
        return f"{math.ceil(seconds)} s"
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


class Teller:
    """Prints messages on stderr while drivers run."""

    def __init__(self, shows_all):
        self.shows_all = shows_all
        self.is_terminal = sys.stderr.isatty()
        self.told = set()  # notes, with numbers removed

    def line(self, text):
        print(("\r\033[K" if self.is_terminal else "") + text, file=sys.stderr, flush=True)

    def in_place(self, text):
        if self.is_terminal:
            width = min(shutil.get_terminal_size().columns - 1, WIDTH)
            print("\r\033[K" + text[:width], end="", file=sys.stderr, flush=True)

    def note(self, text):
        """Prints a note once, even if several drivers give it."""
        key = re.sub(r"[\d.]+", "", text)
        if key not in self.told:
            self.told.add(key)
            for line in wrapped(f"bench-all: {text}"):
                self.line(line)

    def heard(self, line, ran):
        """Handles a line of a driver's stderr."""
        _, is_note, note = line.partition(": note: ")
        if is_note:
            self.note(note)
        elif PROGRESS.match(line):
            ran.directory = begun[1] if (begun := WRITING_TO.match(line)) else ran.directory
            (self.line if self.shows_all else self.in_place)(line)
        else:
            ran.errors.append(line)
            if self.shows_all:
                self.line(line)


@dataclass
class Planned:
    """What a driver is going to do, from its --dry-run."""

    driver: str
    options: list
    seconds: float  # estimate
    times: bool  # True if it times any row
    uses_gpu: bool


def dry_runs(asked, at_once):
    """The result of --dry-run for each (driver, options). So many drivers run at once; each may start the GPU."""

    def dry_run(driver, options):
        command_line = [PROGRAM, driver, *options, "--dry-run"]
        return subprocess.run(command_line, capture_output=True, text=True, errors="replace")

    threads = ThreadPoolExecutor(at_once)
    try:
        return list(threads.map(dry_run, *zip(*asked)))
    finally:
        threads.shutdown(cancel_futures=True)


def seconds_of(done):
    """The estimate on the last line of a dry run."""
    name, _, seconds = (done.stdout.splitlines() or [""])[-1].partition("\t")
    return float(seconds) if name == "seconds" else 0.0


def planned(drivers, at_once, teller):
    """[Planned] of {driver: its options}."""
    for (driver, options), done in zip(drivers.items(), dry_runs(drivers.items(), at_once)):
        for line in done.stderr.splitlines():
            if (found := line.partition(": note: "))[1]:
                teller.note(found[2])
        rows = plans.rows(done.stdout)
        times = not rows or any(map(plans.is_timed, rows))
        yield Planned(driver, options, seconds_of(done), times, any(row["backend"] == "cuda" for row in rows))


def most_at_once():
    """How many programs may use the GPUs at once. In compute mode Exclusive_Process a second one finds no GPU."""
    command_line = ["nvidia-smi", "--query-gpu=compute_mode,memory.total", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command_line, capture_output=True, text=True, errors="replace")
    except OSError:
        return 1
    found = re.findall(r"^Default, *(\d+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found or len(found) < len(done.stdout.splitlines()):
        return 1
    return max(1, min(map(int, found)) // GPU_MIB)


OF_MACHINE = ("--backend", "--device", "--lock-clocks")  # options of a run that the doctor takes too


def options_of_machine(options, out):
    """The options that say what machine the drivers will see."""
    found = ["--out", out] if out else []
    for i, option in enumerate(options):
        name, is_one_word, _ = option.partition("=")
        if name in OF_MACHINE:
            found += [option] if is_one_word else options[i : i + 2]
    return found


def examine(options, out, teller):
    """Tells in a line what will spoil times."""
    command_line = [PROGRAM, "doctor", "--brief", *options_of_machine(options, out)]
    done = subprocess.run(command_line, capture_output=True, text=True, errors="replace")
    found = next((line for line in done.stdout.splitlines() if line.startswith("doctor: ")), "")
    if not found and done.returncode:
        found = (done.stderr.splitlines() or [f"doctor: ended with {exit_text(done.returncode)}"])[0]
    for line in wrapped(f"bench-all: {found}") if found else ():
        teller.line(line)


# ---- Running ----


class Running:
    """A driver while it runs."""

    def __init__(self, ran, room, teller):
        self.ran, self.room, self.teller = ran, room, teller
        self.process, self.started = None, 0.0
        self.threads = [threading.Thread(target=each) for each in (self.listen, self.follow)]

    def start(self, environment):
        ran = self.ran
        ran.begun, self.started = True, time.monotonic()
        self.process = subprocess.Popen(
            [
                *[PROGRAM, ran.driver],
                *(["--out", ran.out] if ran.out else []),
                *(["--verified", ran.verified] if ran.verified else []),
                *ran.arguments,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **environment},
        )
        for thread in self.threads:
            thread.start()

    def listen(self):
        for line in self.process.stderr:
            if line.strip():
                self.teller.heard(line.rstrip("\n"), self.ran)

    def follow(self):
        """Follows the driver to its end. Its tables are printed as a whole, since another driver may print some, too."""
        tables = self.process.stdout.read()
        self.ran.code = self.process.wait()
        self.ran.seconds = time.monotonic() - self.started
        self.room.release()
        if self.teller.shows_all:
            print(tables, end="", flush=True)

    def wait(self):
        """Waits for its end. An interrupted join would take the thread for ended, so the process is waited for first."""
        if self.process:
            self.process.wait()
        for thread in self.threads:
            if thread.ident:  # it has been started
                thread.join()


def run(together, at_once, teller):
    """Runs drivers to their ends, so many at once. The threads of several must not keep each other's cores busy while
    they wait."""
    environment = {"OMP_WAIT_POLICY": "passive"} if len(together) > 1 else {}
    room = threading.Semaphore(at_once)
    running = [Running(ran, room, teller) for ran in together]
    try:
        for each in running:
            room.acquire()
            each.start(environment)
        for each in running:
            each.wait()
    except Interrupted as why:
        for each in running:
            if each.process:
                each.process.send_signal(why.number)
        raise
    finally:
        for each in running:
            each.wait()


@dataclass
class Turn:
    """Drivers that run at the same time."""

    plans: list
    seconds: float  # estimate
    verifying: list = field(default_factory=list)  # plans of drivers that only verify beside them
    at_once: int = 1  # most programs at once


def turns(all_plans, at_once):
    """The turns, one after another. With one program at once, each is of one driver."""
    timed, untimed = ([plan for plan in all_plans if plan.times == times] for times in (True, False))
    alone = [Turn([plan], plan.seconds) for plan in timed + untimed]
    verifying = [plan for plan in timed if plan.uses_gpu]
    together = [plan for plan in untimed if plan.uses_gpu]
    if at_once == 1 or len(together + verifying) < 2:
        return alone
    answers = dry_runs([(plan.driver, [*plan.options, "--verify"]) for plan in verifying], at_once) if verifying else []
    to_verify = dict(zip((plan.driver for plan in verifying), map(seconds_of, answers)))
    seconds = [plan.seconds for plan in together] + list(to_verify.values())
    first = Turn(together, max(*seconds, sum(seconds) / at_once), verifying, at_once)
    for turn in alone:
        turn.seconds -= to_verify.get(turn.plans[0].driver, 0.0)
    return [first] + [turn for turn in alone if turn.plans[0] not in together]


def run_all(drivers, out, save, done, teller):
    """Runs the drivers and tells how long the rest will take. `done` gets the result of each."""
    names = {option.partition("=")[0] for options in drivers.values() for option in options}
    at_once = most_at_once()
    verifies = not names & {"--resume", "--verified"}  # else that may be done already
    in_turn = turns(list(planned(drivers, at_once, teller)), at_once if verifies else 1)
    estimates = [turn.seconds for turn in in_turn]
    teller.line(f"bench-all: {len(drivers)} drivers, about {duration(sum(estimates))}")
    estimated, took = 0.0, 0.0  # of the turns of one driver: what several at once take tells nothing of these
    with tempfile.TemporaryDirectory(prefix="antbench-verified-") as folder:
        for i, turn in enumerate(in_turn):
            before, started, left = len(done), time.monotonic(), sum(estimates[i + 1 :])
            run_turn(turn, Path(folder), out, save, done, teller)
            if turn.at_once == 1:
                estimated, took = estimated + turn.seconds, took + time.monotonic() - started
            # A resumed run has done a part of its estimate already, so its ratio of time to estimate is unknown. The
            # ratio of a small part tells of the start of a program alone.
            is_told = math.isfinite(estimated) and estimated > LEAST_TOLD * sum(estimates)
            if is_told and "--resume" not in names:
                left *= took / estimated
            text = f", about {duration(left)} left" if i + 1 < len(in_turn) else ""
            if turn.verifying:
                count = len([plan for plan in turn.verifying if is_complete(Path(folder) / plan.driver)])
                teller.line(f"bench-all: {count} of the others have verified their rows{text}")
            for number, ran in enumerate(done[before:], before + 1):
                code = exit_text(ran.code)
                teller.line(f"bench-all: {ran.driver} ended with {code}, {number} of {len(drivers)}{text}")


def run_turn(turn, folder, out, save, done, teller):
    """Runs a turn. What its drivers verify goes to a folder each, where later turns find it."""

    def result_of(plan, **more):
        return Ran(plan.driver, arguments=[*save_option(plan.driver, save), *plan.options], **more)

    names = ", ".join(plan.driver for plan in turn.plans + turn.verifying)
    teller.in_place(f"{names}, about {duration(turn.seconds)}")
    together = [result_of(plan, out=f"{out}/{plan.driver}" if out else "") for plan in turn.plans]
    for ran in together:
        ran.verified = str(folder / ran.driver) if is_complete(folder / ran.driver) else ""
    beside = [result_of(plan, out=str(folder / plan.driver)) for plan in turn.verifying]
    for ran in beside:
        ran.arguments.append("--verify")
    try:
        run(together + beside, turn.at_once, teller)
    finally:
        done += [ran for ran in together if ran.begun]
    for ran in beside:
        if not is_complete(ran.out):
            why = f"{ran.driver} verifies its rows later: --verify ended with {exit_text(ran.code)}: {ran.why}"
            for line in wrapped(f"bench-all: {why}"):
                teller.line(line)


def worst(codes):
    known = [code if code in WORST_FIRST else command.ERROR for code in codes]
    return min(known, key=WORST_FIRST.index)


# ---- The table at the end ----


def exit_text(code):
    return str(code) if code >= 0 else signal.Signals(-code).name.removeprefix("SIG")


def row_of(name, width, code, counts, seconds):
    numbers = "".join(f"{counts[column]:>9}" for column in COLUMNS)
    return f"{name:<{width}}{code:>7}{numbers}{duration(seconds):>13}"


def summary(done, drivers, seconds):
    """The lines of the table. `seconds` is from begin to end: less than the drivers' sum if some ran at the same time."""
    width = max(map(len, ["driver", *drivers]))
    yield f"{'driver':<{width}}{'exit':>7}{''.join(f'{column:>9}' for column in COLUMNS)}{'time':>13}"
    total = Counter()
    for ran in done:
        statuses = Counter(row["status"] for row in ran.rows)
        counts = Counter({column: sum(statuses[each] for each in of) for column, of in COLUMNS.items()})
        total.update(counts)
        yield row_of(ran.driver, width, exit_text(ran.code), counts, ran.seconds)
    if len(done) > 1:
        yield row_of("all", width, exit_text(worst(ran.code for ran in done)), total, seconds)


def wrapped(text):
    lines = textwrap.wrap(text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return lines or [""]


def reasons(done):
    """The reasons why drivers failed. Drivers with the same reason stand together, with one command."""
    same = {}
    for ran in done:
        if ran.code != command.OK:
            same.setdefault(ran.why, []).append(ran)
    for why, of in same.items():
        yield from wrapped(f"{', '.join(ran.driver for ran in of)}: {why}")
        if of[0].code != command.SKIPPED:
            yield f"    again: {of[0].again}"


def tell_end(done, drivers, out, seconds):
    print("", *summary(done, drivers, seconds), sep="\n")
    left = set(drivers) - {ran.driver for ran in done}
    left = [driver for driver in drivers if driver in left]
    lines = [*reasons(done), *(wrapped(f"not run: {', '.join(left)}") if left else [])]
    print(*(["", *lines] if lines else []), sep="\n", end="\n" if lines else "")
    if any(row["status"] in ("ok", "noisy", "few") for ran in done for row in ran.rows):
        print(f"next: make report{f' RUN={shlex.quote(out)}' if out else ''}")
    sys.stdout.flush()


# ---- The program ----


def pass_on(drivers, out, save):
    """Runs drivers whose output is passed on unchanged; the exit codes."""
    codes = []
    for driver, options in drivers.items():
        arguments = [*(["--out", f"{out}/{driver}"] if out else []), *save_option(driver, save), *options]
        codes.append(subprocess.run([PROGRAM, driver, *arguments]).returncode)
    return codes


def interrupt(number, _):
    raise Interrupted(number)


def main(arguments):
    out, save, options = os.environ.get("OUT", ""), os.environ.get("SAVE", ""), arguments
    for name, folder in (("OUT", out), ("SAVE", save)):
        if folder and os.path.exists(folder) and not os.path.isdir(folder):
            print(f"bench-all: {name}={folder}: not a folder", file=sys.stderr)
            return command.USAGE
    drivers = chosen(options)
    if not drivers:
        print(f"bench-all: {PROGRAM} --tables lists no driver", file=sys.stderr)
        return command.ERROR
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    done, started = [], time.monotonic()
    try:
        if any(UNTOLD.fullmatch(option) for option in options):
            return worst(pass_on(drivers, out, save))
        teller = Teller(bool(os.environ.get("V")))
        examine(options, out, teller)
        run_all(drivers, out, save, done, teller)
    except Interrupted as why:
        if done:
            tell_end(done, drivers, out, time.monotonic() - started)
        signal.signal(why.number, signal.SIG_DFL)
        os.kill(os.getpid(), why.number)
    tell_end(done, drivers, out, time.monotonic() - started)
    return worst(ran.code for ran in done)
