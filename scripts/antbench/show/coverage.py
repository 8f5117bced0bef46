"""How often a printed 95 % interval holds on another machine: python3 scripts/antbench coverage [FOLDER...]

Each machine is left out in turn. The rows that it shares with other machines get their intervals from these alone
(antbench.data.spread). Its own mean is inside the interval or outside. So are the quotients of rows of one instance,
of one kind or of a CPU's row over a GPU's.

The runs are the ones in results/reference and in the folders given. These may hold runs that only git has: git archive
COMMIT results/reference | tar -x -C FOLDER.
"""

import argparse
import functools
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from antbench.data import code, machines, runs, spread
from antbench.data.command import OK, SKIPPED
from antbench.show import claims

LEAST_ROWS = 30  # fewest rows of a kind from which its coverage is judged
GOAL = 0.9
HEADER = (
    "processor",
    "rows of",
    "scope",
    "time",
    "rows",
    "machines",
    "held out",
    "inside",
    "half interval, median",
    "of processes: inside",
)


@dataclass(frozen=True)
class Line:
    """How often intervals of a kind of rows hold the mean of a machine that was left out."""

    processor: str
    rows_of: str
    scope: str
    time: str  # "under 50 µs", or ""
    rows: int
    machines: int
    held_out: int
    inside: float  # share of those held out; NaN if none was
    half: float  # median of half the interval over its number; NaN if none was
    of_processes: float  # share that one run's processes alone would hold; NaN for quotients

    @property
    def is_judged(self):
        return self.rows >= LEAST_ROWS

    @property
    def is_below(self):
        return self.inside < GOAL

    @property
    def cells(self):
        """The texts below HEADER."""
        missed = " (missed)" if self.is_judged and self.is_below else ""
        # A share below GOAL is not rounded up to it.
        inside = math.floor(round(1000 * self.inside, 6)) / 1000 if self.is_below else self.inside
        half = "–" if math.isnan(self.half) else f"{claims.short(100 * self.half, 2)} %"
        counts = (str(each) for each in (self.rows, self.machines, self.held_out))
        shares = (percent(inside) + missed, half, percent(self.of_processes))
        return (self.processor, self.rows_of, self.scope, self.time, *counts, *shares)


def without_each(groups):
    """Each machine of the groups, the groups without it, and what these tell of differences."""
    of_rows = spread.kinds_and_logs(groups.values())
    for machine in sorted({machine for of_machines in groups.values() for machine in of_machines}):
        others = {id_: without(machine, each) for id_, each in groups.items()}
        yield machine, others, spread.differences_of([without(machine, each) for each in of_rows])


def without(machine, of_machines):
    return {each: found for each, found in of_machines.items() if each != machine}


def held_out(groups):
    """{kind: [(identity, machine, inside, half, inside the interval of processes)]}.

    `inside` is None without an interval for another machine. `half` is half the interval's width.
    """
    found = defaultdict(list)
    for machine, others, known in without_each(groups):
        for id_, each in groups.items():
            if machine in each and others[id_]:
                row = max((row for rows in others[id_].values() for row in rows), key=lambda row: row["run"].started)
                mean = math.exp(spread.log_means({machine: each[machine]})[0])
                made = spread.result(row, others[id_], known)
                _, low, high, _ = runs.mean_interval(row)
                told = made.widened or made.machines >= spread.ENOUGH
                inside = made.low <= mean <= made.high if told and made.low == made.low else None
                half = (made.high - made.low) / 2 / made.value if inside is not None else math.nan
                found[spread.kind_of(row)].append((id_, machine, inside, half, low <= mean <= high))
    return found


def held_out_quotients(groups):
    """{kind: [(identities, machine, inside, half, None)]} of a row over the row before it, both of the same instance."""
    found, before = defaultdict(list), {}
    for id_, each in groups.items():
        row, logs = next(iter(each.values()))[0], spread.by_machine(each)
        kind, place = spread.kind_of(row), (row["table"], row["instance"], *spread.kind_of(row))
        other, known = before.get(place, ("", {}))
        before[place] = id_, logs
        quotients = quotients_of(logs, known)
        for machine in quotients:
            found[kind] += held_out_quotient((other, id_), quotients, machine)
    return {kind: each for kind, each in found.items() if each}


def held_out_speed_ups(groups, of_cpu):
    """The same of a CPU's row over the first GPU row of its table and instance.

    `groups` are of one GPU and its hosts, and `of_cpu` of all hosts.
    """
    found, of_gpu, pairs = defaultdict(list), {}, []
    rows = {id_: next(iter(each.values()))[0] for id_, each in groups.items()}
    for id_, row in rows.items():
        if row["backend"] == "cuda" and not runs.has_cpu_time(row):
            of_gpu.setdefault((row["table"], row["instance"]), id_)
    for id_, row in rows.items():
        if row["backend"] == "cpu" and (other := of_gpu.get((row["table"], row["instance"]))):
            quotients = quotients_of(spread.by_machine(groups[id_]), spread.by_machine(groups[other]))
            pairs.append((row, (id_, other), quotients))
    for machine, others, known in without_each(of_cpu):
        for row, ids, quotients in pairs:
            if machine in quotients:
                of_hosts = spread.of_other_hosts(row, others[ids[0]], spread.of_kind(row, known))
                found[spread.kind_of(row)] += held_out_quotient(ids, quotients, machine, of_hosts)
    return {kind: each for kind, each in found.items() if each}


def quotients_of(top, bottom):
    """{machine: logarithm of the quotient} of the machines that measured both."""
    return {machine: top[machine] - bottom[machine] for machine in sorted(top.keys() & bottom.keys())}


def held_out_quotient(ids, quotients, machine, of_hosts=()):
    """[(identities, machine, inside, half, None)] if the other machines give an interval, else []."""
    rest = [each for name, each in quotients.items() if name != machine]
    if len(rest) < spread.ENOUGH:
        return []
    center, half = spread.for_one_more(rest, of_hosts=of_hosts)
    return [(ids, machine, abs(quotients[machine] - center) <= half, math.sinh(half), None)]


def code_by_file(row):
    """What identifies a CPU row's code: its file at the run's commit. The file's headers may differ."""
    if row["backend"] != "cpu":
        return machines.code_of(row)
    commit = row["run"].meta["build"].get("commit", "")
    file = code.files(commit).get(row["implementation"])
    return blob(commit, file) or machines.code_of(row)


@functools.cache
def blob(commit, file):
    return file and code.git("rev-parse", "--verify", "--end-of-options", f"{commit}:{file}")


def lines(stored, code_of=machines.code_of):
    """A Line for each GPU or CPU and each kind of row that several machines measured."""
    by_processor, on_hosts_of, of_cpus = defaultdict(list), defaultdict(list), []
    for each in stored:
        if each.profile != "smoke":
            for row in each.records:
                by_processor[spread.processor_of(row)].append(row)
                if row["backend"] == "cpu":
                    on_hosts_of[runs.device_name(each)].append(row)
                    of_cpus.append(row)
    for processor, rows in sorted(by_processor.items()):
        groups = spread.grouped(rows, code_of)
        tables = [("", held_out(groups)), (", quotients", held_out_quotients(groups))]
        if on_hosts := on_hosts_of.get(processor):
            both = spread.grouped([*rows, *on_hosts], code_of)
            tables.append((", over GPU", held_out_speed_ups(both, spread.grouped(of_cpus, code_of))))
        for what, by_kind in tables:
            for (backend, cores, scope, short), found in sorted(by_kind.items()):
                of = ", ".join(filter(None, ({"cuda": "GPU", "cpu": "CPU"}.get(backend, backend), cores))) + what
                time = "under 50 µs" if short else ""
                yield line_of(found, re.sub(r"NVIDIA |\(R\)", "", processor), of, scope, time)


def line_of(found, *kind):
    """The Line of all that was held out of a kind."""
    inside, halves = ([each[i] for each in found if each[2] is not None] for i in (2, 3))
    of_processes = [each[4] for each in found if each[4] is not None]
    rows, machines_ = (len({each[i] for each in found}) for i in (0, 1))
    median = float(np.median(halves)) if halves else math.nan
    return Line(*kind, rows, machines_, len(inside), share(inside), median, share(of_processes))


def share(are_inside):
    return fmean(are_inside) if are_inside else math.nan


def percent(value):
    return "–" if math.isnan(value) else f"{100 * value:.3g} %"


def as_markdown(made):
    text = ["| " + " | ".join(line.cells) + " |" for line in made]
    return "\n".join([f"| {' | '.join(HEADER)} |", "|---|---|---|---|--:|--:|--:|--:|--:|--:|", *text])


def on_page(made):
    """The table of the kinds that are judged, and a sentence that counts the others."""
    judged, few = ([line for line in made if line.is_judged == is_judged] for is_judged in (True, False))
    return (
        f"{as_markdown(judged)}\n\n"
        f"Not shown: {len(few)} kinds of fewer than {LEAST_ROWS} rows. {sum(line.is_below for line in few)} of them are "
        f"inside in less than {100 * GOAL:.0f} %. The command prints them too."
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results coverage", description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", help="folders of runs to add to the stored ones")
    parser.add_argument(
        "--cpu-by-file", action="store_true", help="identify a CPU's code by its file in git, not by the commit"
    )
    options = parser.parse_args(arguments)
    folders = [runs.RESULTS / "reference", *options.folders]
    stored = {each.run_id: each for each in runs.load_below(*folders)}
    made = list(lines(stored.values(), code_by_file if options.cpu_by_file else machines.code_of))
    print(as_markdown(made) if made else "no row was measured on two machines with the same code")
    return OK if made else SKIPPED
