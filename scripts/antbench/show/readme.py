"""make index: fills the generated blocks of README.md and of pages in docs/ (DOCS) with results of stored runs.

A block lies between `<!-- generated: NAME -->` and `<!-- end -->`. report/readme/NAME.md.j2 is its template. A template
picks runs with machine(), which takes each cell at its best, or newest(driver, profile). It asks these for numbers
(Measured).
"""

import functools
import os
import re
import statistics

from antbench.data import campaigns, cells, machines, runs
from antbench.data.command import ROOT, BadInput
from antbench.show import claims, compare, coverage, gains, gpus, plots, printing, roofline, stands
from antbench.show.printing import jinja, printed

DOCS = (
    "results",
    "stands",
    "faults",
    *(f"guide/{page}" for page in ("learn", "machines", "race-times", "peers", "improve", "pictures", "running")),
)
PAGES = (ROOT / "README.md", *(ROOT / f"docs/{page}.md" for page in DOCS))
TEMPLATES = cells.REPORT / "readme"
PLACE = re.compile("\0(\\d+)\0")
BLOCK = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)
REFERENCE = runs.RESULTS / "reference"


def in_table(found):
    """A number in a cell. If few samples make up most of a mean, the median follows: "~2.9 (median 0.099)".

    That happens if the host takes a time slice from threads that wait for each other.
    """
    median = printing.median_beside(found)
    return claims.in_table(found) + (f" ({median})" if median else "")


def judged(found, goal):
    """ "2.2 % under" or "3.1 % over" a goal. If the interval contains the goal, neither is known."""
    share = claims.short(100 * abs(1 - found.value / goal), 2)
    if found.low <= goal <= found.high:
        return f"undecided ({share} % {'under' if found.value <= goal else 'over'})"
    return f"{share} % {'under' if found.value < goal else 'over'}"


class Measured:
    """Answers a template's questions about some runs, and remembers the rows to name the sources.

    A number is a placeholder at first. When all numbers of a table are known, `marked` replaces it by the number and
    the mark of its runs. So all rows can be compared over the same first iterations.
    """

    def __init__(self, chosen, folder=ROOT):
        """`folder`: the folder of the page that links to the runs."""
        self.source, self.cells, self.folder = source(tuple(chosen)), [], folder
        self.asked = {}  # {number of a cell: (address, Estimate, its text)} for the cells with a number
        self.quotients = []  # texts of quotients so far
        self.gpu, self.label = self.source.device, self.source.label
        # The most frequent hosts; runs of several ranks are on larger ones.
        self.cores = statistics.mode(run.meta["machine"]["usable_cores"] for run in self.source.runs if run.device)

    @property
    def cpus(self):
        """The host's CPU, as far as its runs know it: "16 virtual CPUs (threads)"."""
        hosts = [run.meta["machine"] for run in self.source.runs if run.device]
        virtual = "virtual " if any(host.get("virtual") for host in hosts) else ""
        return f"{self.cores} {virtual}CPUs (threads)"

    def ms(self, address, text=in_table):
        """A mean time as text, as in the report; "–" without a time. The sign ~ marks a noisy time, or one without an
        interval.
        """
        found = cells.look_up(self.source, address)
        if not found:
            return claims.in_table(found)
        self.asked[len(self.cells)] = address, found, text
        return self.placed(found.sources)

    def against(self, address, goal):
        """A mean time and its relation to the goal in ms: "0.0489, 2.2 % under"."""
        return self.ms(address, lambda found: f"{in_table(found)}, {judged(found, goal)}")

    def times(self, slow, fast, names):
        """The time of `slow` over the time of `fast`: "~2.7 to 9.8". {x} runs through `names`. ~ is as in a cell,
        if any of them has it.
        """
        found = [[cells.look_up(self.source, address, x) for address in (slow, fast)] for x in names]
        first = cells.common_iterations([each for pair in found for each in pair])
        cut = [[cells.look_up(self.source, address, x, first) for address in (slow, fast)] for x in names]
        quotients = sorted((cells.divide(*pair) for pair in cut), key=lambda quotient: quotient.value)
        marks = self.placed({run for pair in cut for each in pair for run in each.sources})
        texts = [claims.in_table(each, 2) for each in quotients]
        self.quotients += texts
        ends = dict.fromkeys(text.lstrip("~") for text in (texts[0], texts[-1]))
        return "~" * any("~" in text for text in texts) + " to ".join(ends) + marks

    def above_optimum(self, address):
        """The distance of the mean of the runs' best tours from the optimum: "3.9 %"."""
        found = cells.look_up(self.source, f"{address}#quality")
        if not found:
            return claims.in_table(found)
        best = found.rows[0]["quality_reference"]
        return f"{100 * (found.value / best - 1):.1f} %{self.placed(found.sources)}"

    @property
    def first(self):
        """The number of first iterations that all numbers so far are compared over."""
        return cells.common_iterations([found for _, found, _ in self.asked.values()])

    def iterations(self):
        """The iterations of the numbers so far, in words (cells.told_iterations)."""
        return cells.told_iterations([found for _, found, _ in self.asked.values()], self.first)

    def if_noisy(self, told):
        """A text about ~ if one of the numbers so far has it, else ""."""
        return told if any("~" in number for number in (*self.numbers().values(), *self.quotients)) else ""

    def copied_in_ms(self, n_bytes):
        """The time in which a copy in the GPU's memory reads as many bytes."""
        return claims.short(n_bytes / roofline.roof(self.source)["copy"] / 1e6)

    def placed(self, runs):
        """The placeholder for the mark of a cell of these runs."""
        self.cells.append(tuple(sorted(runs, key=lambda run: (run.started, run.run_id))))
        return f"\0{len(self.cells) - 1}\0"

    @property
    def marks(self):
        return machines.Marks([self.cells])

    def numbers(self):
        """{place: the text of a number so far}: all are means over the same first iterations."""
        first = self.first
        return {
            i: as_text(cells.look_up(self.source, address, first=first))
            for i, (address, _, as_text) in self.asked.items()
        }

    def marked(self, text):
        """A table with its numbers and the marks of its cells."""
        marks, numbers = self.marks, self.numbers()
        return PLACE.sub(
            lambda place: numbers.get(int(place[1]), "") + marks.of(0, self.cells[int(place[1])]), text.strip()
        )

    def machines(self, of=None):
        """The GPUs of the numbers so far, or of these cells' runs: "one H200", "3 H200s".

        If some numbers so far are of fewer GPUs: "9 H200s (3 to 9 per number)".
        """
        each = [{machines.machine_of(run) for run in runs if run.device} for runs in of or self.cells]
        counts, found = sorted({len(gpus) for gpus in each if gpus}), set().union(*each)
        told = f"{len(found)} {self.label}s" if len(found) > 1 else f"one {self.label}"
        if of or set(counts) <= {len(found)}:
            return told
        return f"{told} ({' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} per number)"

    def runs(self):
        """The runs of the numbers so far, as Markdown: the main ones, then the runs of each mark."""
        marks = self.marks
        main_runs = next((runs for runs in self.cells if not marks.of(0, runs)), ())
        told, known = [described(main_runs, self.folder)], {"the unmarked cells'": main_runs}
        profiles = {run.profile for runs in self.cells for run in runs}
        profile = profiles.pop() if len(profiles) == 1 else ""  # the only one is told once
        for of_cells, mark in marks.letters.items():
            told.append(f"{mark} {described_by(known, of_cells, self.folder, profile)}")
            known[f"{mark}'s"] = of_cells
        return ";\n".join(filter(None, told))


def described_by(known, runs, folder, profile):
    """Runs in words, by the runs that differ least among `known`, {name: runs}: "ᵃ's runs without GPU 9272df6f"."""
    name = min(known, key=lambda each: len(set(runs) ^ set(known[each])))
    more, less = ([run for run in a if run not in b] for a, b in ((runs, known[name]), (known[name], runs)))
    without, kept = list(map(machines.name_of, less)), {machines.name_of(run) for run in known[name] if run in runs}
    if len(more) + len(less) >= len(runs) or not all(without) or kept & set(without):
        return described(runs, folder, profile)
    without = f" without {', '.join(without)}" if less else ""
    others = f"{',' * bool(less)} and {described(more, folder, profile)}" if more else ""
    return f"{name} runs{without}{others}"


def described(runs, folder, before=""):
    """Runs in words, as Markdown: "profile `quick`, commit eb2dcaf on [GPU 9272df6f](results/...), [GPU ...](...)".

    A profile is told where it changes; `before` is the one that was told before. Where two runs of one machine are
    among them, the driver stands behind the machine.
    """
    names, alike = [machines.name_of(run) or "a machine unknown" for run in runs], {}
    several = len(set(names)) < len(names)
    for run, name in zip(runs, names):
        link = f"[{name}{f', {run.driver}' if several else ''}]({os.path.relpath(run.table, folder)})"
        alike.setdefault((run.profile, machines.commit_of(run)), []).append(link)
    texts = []
    for (profile, commit), links in alike.items():
        told = f"profile `{profile}`, " if profile and profile != before else ""
        texts.append(f"{told}commit {commit} on {', '.join(links)}")
        before = profile
    return " and ".join(texts)


@functools.cache
def source(chosen):
    return cells.Source(chosen)


@functools.cache
def stored():
    return runs.load_below(REFERENCE)


def machine():
    """The stored runs of the kind of GPU that has the most."""
    return cells.of_kind(cells.fullest_with_gpu(stored()), stored())


def newest(driver):
    """The newest run of a driver on that kind of GPU, and the runs of its commit and profile on other machines."""
    found = [run for run in machine() if run.device and run.driver == driver and run.profile != "smoke"]
    if not found:
        raise BadInput(f"no stored run of {driver} on a GPU")
    newest_one = max(found, key=lambda run: run.started)
    alike = newest_one.profile, machines.commit_of(newest_one)
    return [run for run in found if (run.profile, machines.commit_of(run)) == alike]


def beside(card, driver, instance):
    """(name of the fullest run of a driver, its times on an instance beside a published card's as `compare` prints them)."""
    name = max(newest(driver), key=lambda run: (len(run.records), run.started)).run_id
    _, (lines, *_) = compare.read(compare.parse([card, name]))
    return name, compare.as_text(lines[lines["instance"] == instance])


def with_peers():
    """The newest run of others' programs, and our runs that were measured beside it."""
    theirs = max(newest("peers"), key=lambda run: run.started)
    return [theirs, *(run for run in machine() if run.run_id in theirs.meta["beside"])]


def iterations_of_peers(row=None):
    """How many iterations the means of others' programs cover, as their notes say: "5 to 100". `row` takes one program."""
    notes = [each["note"] for each in with_peers()[0].records if row in (None, each["row"])]
    counts = sorted({int(found[1]) for note in notes if (found := re.search(r"the mean of (\d+) iterations", note))})
    return " to ".join(dict.fromkeys(map(str, (counts[0], counts[-1]))))


@functools.cache
def evidence():
    """The runs that claims are judged by. A CPU's tours from other machines count too."""
    return cells.Source(machine(), stored())


@functools.cache
def verdicts():
    return claims.judge_all(evidence())


def others():
    """How many verdicts are of each kind but the four most frequent: "1 holds in the cases measured so far. 3 are a tie"."""
    usual = (claims.HOLDS, claims.EXCEEDED, claims.FAILS, claims.UNDECIDED)
    return ". ".join(text for kind, text in claims.tally(verdicts()).items() if kind not in usual and text[0] != "0")


def named():
    """{id: its Verdict}."""
    return {verdict.claim["id"]: verdict for verdict in verdicts()}


def times_as_fast(published):
    """The table of antbench.show.gains over one source's cards, in the form that a template takes."""
    made = gpus.tables([*gpus.published_gpus(), *gpus.of_sources([source(tuple(machine()))])])
    return gains.as_values([gain for gain in gains.gains(made) if gain.start.published == published])


def stored_pictures(figure, folder):
    """A montage as rows of (label, [links to stored pictures, "" without one]), below its columns."""
    lines = [line for line in cells.read_layout("montages.csv") if line["figure"] == figure]
    found = {(line["line"], line["column"]): plots.find_image(line["file"], [plots.PICTURES]) for line in lines}
    filled = {label for at, path in found.items() if path for label in at}
    rows, columns = ([label for label in dict.fromkeys(at[i] for at in found) if label in filled] for i in (0, 1))
    link = {at: os.path.relpath(path, folder) if path else "" for at, path in found.items()}
    return {"columns": columns, "rows": [(row, [link[row, column] for column in columns]) for row in rows]}


def templates(folder):
    made = jinja(TEMPLATES)
    made.globals.update(
        machine=lambda: Measured(machine(), folder),
        newest=lambda driver: Measured(newest(driver), folder),
        with_peers=lambda: Measured(with_peers(), folder),
        iterations_of_peers=iterations_of_peers,
        beside=beside,
        printed=printed,
        tally=lambda: claims.tally(verdicts()),
        others=others,
        verdicts=named,
        sets=cells.sets(),
        coverage=lambda: coverage.on_page(list(coverage.lines(stored()))),
        short=claims.short,
        stored_pictures=lambda figure: stored_pictures(figure, folder),
        times_as_fast=times_as_fast,
        chapters=lambda: stands.of_stored(stored(), evidence(), verdicts()),
        figure_of=lambda figure: f"figure-{figure}.png" if (folder / f"figure-{figure}.png").exists() else "",
        interval_note=claims.INTERVAL_NOTE,
        tested_together=claims.TESTED_TOGETHER,
        fuzzed=campaigns.fuzzed,
        injected=campaigns.injected,
        planted=campaigns.planted,
        measured_at=campaigns.measured_at,
    )
    return made


def generate(texts):
    """{page: its text with up-to-date blocks} for {page: its text}."""
    named = [name for text in texts.values() for _, name, _ in BLOCK.findall(text)]
    there = [path.name.removesuffix(".md.j2") for path in TEMPLATES.glob("*.md.j2")]
    if missing := sorted(set(there) ^ set(named)):
        pages = ", ".join(path.name for path in texts)
        raise BadInput(
            f"{pages}: {', '.join(missing)}: each block needs a template in report/readme/, and each template a block"
        )
    return {path: filled(text, templates(path.parent)) for path, text in texts.items()}


def filled(text, found):
    return BLOCK.sub(lambda block: f"{block[1]}{found.get_template(f'{block[2]}.md.j2').render()}\n{block[3]}", text)
