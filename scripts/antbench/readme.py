"""The results in README.md, docs/results.md and docs/learn.md, between `<!-- generated: NAME -->` and `<!-- end -->`,
from the stored runs. `make index`.

What a block says stands in report/readme/NAME.md.j2. A template picks the runs with machine() (each cell at its best)
or newest(driver, profile), and asks these for numbers (Measured).
"""

import functools
import os
import re
import statistics

from antbench import cells, claims, roofline, runs
from antbench.command import ROOT, BadInput
from antbench.report import jinja, printed

PAGES = ROOT / "README.md", ROOT / "docs/results.md", ROOT / "docs/learn.md"
TEMPLATES = cells.REPORT / "readme"
BLOCK = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)
REFERENCE = runs.RESULTS / "reference"


class Measured:
    """What a template asks of some runs; remembers the rows, so that it can say where they are from."""

    def __init__(self, chosen, folder=ROOT):
        """`folder`: where the page is that links to the runs."""
        self.source, self.rows, self.folder = source(tuple(chosen)), [], folder
        self.gpu, self.label = self.source.device, self.source.label
        # Of most runs: those of several ranks are of larger hosts.
        self.cores = statistics.mode(run.meta["machine"]["usable_cores"] for run in self.source.runs if run.device)

    def ms(self, address):
        """A mean time as text, as the report has it; "–" where there is none. ~ marks what is noisy or has no interval."""
        return self._text(cells.look_up(self.source, address))

    def median_ms(self, address):
        """The median likewise: where threads that wait for each other take microseconds, a time slice that the host
        takes from one of them is most of the mean."""
        found = cells.look_up(self.source, address)
        return self._text(found, *(row["median_ms"] for row in found.rows))

    def _text(self, found, *values):
        self.rows += found.rows
        if not found:
            return "–"
        vague = any(row["status"] != "ok" or row["ci95_lo_ms"] != row["ci95_lo_ms"] for row in found.rows)
        (value,) = values or (found.value,)
        return ("~" if vague else "") + claims.short(value)

    def copied_in_ms(self, n_bytes):
        """How long a copy in the GPU's memory takes to read as much."""
        return claims.short(n_bytes / roofline.roof(self.source)["copy"] / 1e6)

    def runs(self):
        """Which runs the numbers so far are from, as Markdown; those of the GPU first where there are several."""
        backends = {}
        for row in self.rows:
            backends.setdefault(row["run"], set()).add({"cuda": "GPU"}.get(row["backend"], "CPU"))
        if len(backends) == 1:
            return described(*backends, self.folder)
        ordered = sorted(backends.items(), key=lambda pair: (max(pair[1]) != "GPU", pair[0].started))
        return ";\n".join(f"{' and '.join(sorted(names))}: {described(run, self.folder)}" for run, names in ordered)


def described(run, folder):
    """As "profile `quick`, commit eb2dcaf, [run](results/...)"."""
    (table,) = run.path.glob("table-*.csv")
    return f"profile `{run.profile}`, commit {run.meta['build']['commit']}, [run]({os.path.relpath(table, folder)})"


@functools.cache
def source(chosen):
    return cells.Source(chosen)


@functools.cache
def stored():
    return cells.stored(REFERENCE)


def machine():
    """The stored runs of the machine with a GPU of which the most is stored."""
    return cells.machine_of(cells.fullest_with_gpu(stored()), stored())


def newest(driver, profile):
    """That machine's newest run of a driver with a GPU and in this profile, alone."""
    found = [run for run in machine() if run.device and (run.driver, run.profile) == (driver, profile)]
    if not found:
        raise BadInput(f"no stored run of {driver} in profile {profile} on a GPU")
    return [max(found, key=lambda run: run.started)]


def counts():
    """{verdict: how many claims}."""
    return claims.counted(verdicts())


@functools.cache
def verdicts():
    return claims.judge_all(cells.Source(machine(), stored()))


def named():
    """{id: its Verdict}."""
    return {verdict.claim["id"]: verdict for verdict in verdicts()}


def templates(folder):
    made = jinja(TEMPLATES)
    made.globals.update(
        machine=lambda: Measured(machine(), folder),
        newest=lambda driver, profile: Measured(newest(driver, profile), folder),
        printed=printed,
        counts=counts,
        verdicts=named,
        sets=cells.sets(),
        short=claims.short,
    )
    return made


def generate(texts):
    """{page: its text with its blocks as they should be now}, of {page: its text}."""
    named = [name for text in texts.values() for _, name, _ in BLOCK.findall(text)]
    there = [path.name.removesuffix(".md.j2") for path in TEMPLATES.glob("*.md.j2")]
    if missing := sorted(set(there) ^ set(named)):
        pages = ", ".join(path.name for path in texts)
        raise BadInput(f"{pages}: {', '.join(missing)}: a block needs a template in report/readme/, and the reverse")
    return {path: filled(text, templates(path.parent)) for path, text in texts.items()}


def filled(text, found):
    return BLOCK.sub(lambda block: f"{block[1]}{found.get_template(f'{block[2]}.md.j2').render()}\n{block[3]}", text)
