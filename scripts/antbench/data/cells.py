"""From the address of a cell to its number: the one grammar of the tables, figures and claims in report/*.csv.

    3.3/ds-roulette/d198?protocol=as-best          a measured row: table, row, instance, conditions; its mean time in ms
    3.3/ds-roulette/d198?protocol=as#quality       its quality instead: the mean of its runs, else the best
    3.3/ds-roulette/d198?protocol=as#best          the best of its runs
    6.1/npp/shapes-1024?scope=kernel#rate          the pixels of an image in that time, in Mpixel/s
    6.1/npp/shapes-1024?scope=kernel#bandwidth     its bytes by its time, as a share of a copy's in the GPU's memory
    6.1/npp/shapes-1024?scope=kernel#mismatch      the share of the pixels that differ from all of Canny's
    jsc-1/powf/d198#flops                          its operations by its time, in GFLOPS; #bytes: likewise in GB/s
    3.3/race/d198#energy                           the energy of an iteration, all of the GPU's board, in mJ
    jsc-1/powf/d198#error                          the largest relative error that its verification found, in millionths
    3.4/ds-roulette/d198?stage=construct#shared    the shared memory of a block, of the kernel that has the most, in bytes
    jsc-5.2-memory/generic/2^17#count                what was counted in place of a time: bytes of a GPU's memory, loads
    3.4/ds-roulette/d198?stage=choice+construct    the sum of two rows
    3.3/cpu-best-all,cpu-blocks-all/d198            the fastest of these rows, as measured for this instance; its time alone
    5.1/warp-128/lena|shapes-512                   the first of these instances that was measured; another than the first
                                                   is a stand-in for it
    =thesis-3.3/ds-roulette/d198                   a published number, by its id; of rows with commas the least
    kth-8/naive/random-{x} kth-9/tiling/random-{x} the product of what these addresses find

A condition names a parameter, or the columns scope or backend. {x} stands for what a table's lines, a figure's points
or a claim's cases run through. thesis-3.3 is the same table as 3.3. Rows of the host backend have no times and are
never found: they are the reason VERIFIED. Those of scope setup, stage or end-to-end are found where a condition names
the scope or the stage.

A stand-in has a line of its own name (`lines_of`) and never meets a published number, an optimum or another instance.
A tour's quality is found after as many iterations as the source of its table has, those of the driver in profile
thesis, and not after others: the name of the metric has the number.
"""

import csv
import functools
import math
import re
from dataclasses import dataclass, replace

from antbench.data import machines, plausible, runs, spread
from antbench.data.command import ROOT, BadInput
from antbench.data.runs import RESULTS

REPORT = ROOT / "report"


@dataclass(frozen=True, eq=False)
class Estimate:
    """A number with its 95 % interval, or the reason why there is none."""

    value: float = math.nan
    low: float = math.nan  # NaN where there is no interval: one sample, one run's quality; a published number is exact
    high: float = math.nan  # infinite where it is open: a quotient, one part of which may as well be 0
    reason: str = ""  # why value is NaN
    rows: tuple = ()  # the measured rows that it comes from
    instance: str = ""  # what was measured, where that is not what was asked for: a stand-in
    n: int = (
        0  # what an interval rests on, of the part that has the fewest: machines, processes, samples, a quality's runs
    )
    machines: int = 0  # of the part that has the fewest; 0 of what is the same on every machine
    widened: bool = False  # by how far machines differ, where one or two measured a part (antbench.data.spread)
    span: tuple = ()  # the least and the largest mean of a host, where several measured a CPU's part

    @property
    def iterations(self):
        """Of how many first iterations of a run the part is the mean that has the fewest; 0 where samples are alike."""
        return min(filter(None, map(runs.iterations, self.rows)), default=0)

    @property
    def run_ids(self):
        return list(dict.fromkeys(row["run_id"] for row in self.rows))

    @property
    def sources(self):
        """The runs that a number comes from, in order; () where there is none."""
        return machines.sources_of(self.rows) if self else ()

    def __bool__(self):
        return not math.isnan(self.value)


@dataclass(frozen=True)
class Address:
    table: str
    rows: tuple  # the fastest is taken
    instances: tuple  # the first that was measured is taken
    conditions: tuple  # (name, accepted values); several values are summed
    quantity: str  # "" or one of QUANTITIES
    first: float = math.inf  # iterations of a run that a mean time is of, at most


BESIDE = ("setup", "stage", "end-to-end")  # scopes of rows that stand beside a row's own
NO_NOISE = "0"  # the level of noise, of rows that have one
TOURS = ("quality", "best")  # what a tour's length may be asked as
QUANTITIES = (*TOURS, "rate", "bandwidth", "bytes", "flops", "mismatch", "error", "energy", "shared", "count")
COUNTS = ("gpu-bytes", "loads-over-n4")  # qualities that are counted
MISMATCH = "mismatch-share"  # the quality of a map: the share of its pixels that differ from all of Canny's
VERIFIED = "verified, not timed"  # on the host backend: why there is no time


def parse(text):
    """The Address that a text like "3.4/ds-roulette/d198?stage=choice+construct" spells."""
    spelled = re.fullmatch(r"([^/?#=]+)/([^/?#]+)/([^/?#]+)(?:\?([^#]*))?(?:#(\w+))?", text)
    if not spelled or spelled[5] not in (None, *QUANTITIES):
        expected = f"table/row/instance?name=value;...#QUANTITY, of {' '.join(QUANTITIES)}"
        raise BadInput(f'"{text}" is no address of a cell: expected {expected}')
    table, row, instance, asked, quantity = spelled.groups()
    if "," in row and quantity:
        raise BadInput(f'"{text}" asks for the {quantity} of several rows: of them there is the fastest\'s time alone')
    return Address(
        runs.table_name(table), tuple(row.split(",")), tuple(instance.split("|")), conditions(asked), quantity or ""
    )


def conditions(text):
    """((name, accepted values), ...) of "stage=choice+construct;protocol=as"; () of none."""
    pairs = (pair.partition("=") for pair in (text or "").split(";") if pair)
    return tuple((name, tuple(value.split("+"))) for name, _, value in pairs)


# ---- Where measured numbers come from ----


class Source:
    """The runs of one kind of machine, each cell at its best, and of all machines that measured it with the same code."""

    def __init__(self, chosen, elsewhere=()):
        """`elsewhere`: runs of other machines, whose tours and maps are as good as this one's; their times are not."""
        self.runs = sorted(chosen, key=lambda run: run.started)
        gpus = [run for run in self.runs if run.device]
        self.has_gpu = bool(gpus)
        self.device = runs.device_name((gpus or self.runs)[-1])
        self.label = re.sub(r"^NVIDIA |GeForce |Tesla | \d+GB.*$", "", self.device)
        self.cpu_label = cpu_label((gpus or self.runs)[-1])
        self.cells, self.verified = {}, {}
        of_code = spread.grouped(row for run in self.runs if run.profile != "smoke" for row in run.records)
        between = spread.differences(of_code.values())
        several = {identity for identity, each in of_code.items() if len(each) >= spread.ENOUGH}
        self.rows = runs.best_rows(self.runs, lambda row: spread.identity(row) in several)
        for row in runs.records_of(self.rows):
            if of_machines := of_code.get(spread.identity(row)):
                row["alike"] = of_machines, between
            found = self.verified if row["backend"] == "host" else self.cells
            found.setdefault((row["table"], row["row"], row["instance"]), []).append(row)
        self.instances = {instance for _, _, instance in [*self.cells, *self.verified]}
        self.of_any_machine = {}
        for run in dict.fromkeys([*self.runs, *elsewhere]):
            for row in run.records:
                if is_of_any_machine(row):
                    place = (row["table"], row["row"], row["instance"])
                    self.of_any_machine.setdefault(place, []).append({**row, "rank": 0, "own": run in self.runs})

    def find(self, address):
        """The number at an address, as an Estimate."""
        found = [self.find_in_row(address, row) for row in address.rows]
        return min(filter(None, found), key=lambda each: (bool(each.instance), each.value), default=found[0])

    def find_in_row(self, address, row):
        for instance in address.instances:
            place = (address.table, row, instance)
            rows = [row for row in self.cells.get(place, ()) if is_meant(row, address.conditions)]
            if address.quantity in (*TOURS, "mismatch"):
                known = [row for row in self.of_any_machine.get(place, ()) if is_meant(row, address.conditions)]
                rows = [max(known, key=evidence_of_quality)] if known else rows
            if rows:
                found = total(rows, address)
                return found if instance == address.instances[0] else replace(found, instance=instance)
        verified = () if address.quantity else self.verified_as(address, row)
        reason = VERIFIED if verified else f"no row {address.table} {row} {'|'.join(address.instances)}"
        return Estimate(reason=reason, rows=verified)

    def verified_as(self, address, row):
        """The row that the host backend verified in the place of a timed one, as a tuple; () where it did not."""
        params = [(name, values) for name, values in address.conditions if name not in ("scope", "backend")]
        for instance in address.instances:
            for verified in self.verified.get((address.table, row, instance), ()):
                if verified["status"] in runs.MEASURED and is_meant(verified, params):
                    return (verified,)
        return ()


def is_of_any_machine(row):
    """Whether a row tells how long tours are, or how far a map is from Canny's: no machine changes that.

    Those of the host backend are of no complete run.
    """
    known = row["quality_best"] == row["quality_best"] and row["status"] in runs.MEASURED and row["backend"] != "host"
    return known and row["quality_metric"].startswith(("best-tour", MISMATCH))


def evidence_of_quality(row):
    """A tour is as long whatever the machine: what counts is after how many iterations, and of how many runs.

    Of a GPU your own run comes first: its kernels may not be those of the stored runs.
    """
    yours = row["own"] and row["backend"] == "cuda" and not row["run"].path.is_relative_to(RESULTS / "reference")
    right = plausible.iterations_of_quality(row) == iterations().get(row["table"])
    return right, yours, len(runs.quality_of_runs(row)), row["run"].started


def cpu_label(run):
    """ "Intel(R) Xeon(R) Gold 6150 CPU @ 2.70GHz" -> "Xeon Gold 6150"."""
    name = run.meta.get("machine", {}).get("cpu") or "CPU"
    name = re.sub(r"\([^)]*\)|@.*$|\b(CPU|Processor|Intel|AMD|\d+-Core)\b", " ", name)
    return " ".join(name.split()) or "CPU"


def stand_ins(name):
    """What drivers take where there is no file of an instance: u198 for d198."""
    size = re.fullmatch(r"[a-z]+(\d+)", name)
    return [kind + size[1] for kind in "uc" if kind + size[1] != name] if size else []


def lines_of(set_name, sources):
    """What {x} runs through where these machines are shown: the set, and the stand-ins measured for its members."""
    for name in members(set_name):
        yield name
        yield from (other for other in stand_ins(name) if any(other in source.instances for source in sources))


def is_stand_in(name, set_name):
    return name not in members(set_name)


def is_meant(row, conditions):
    if row["scope"] in BESIDE and not {"scope", "stage"} & {name for name, _ in conditions}:
        return False
    return all(condition_value(row, name) in values for name, values in conditions)


def condition_value(row, name):
    return row[name] if name in ("scope", "backend") else runs.param(row, name)


def total(rows, address):
    """The sum over the conditions with several values, of the best row for each."""
    several = next((pair for pair in address.conditions if len(pair[1]) > 1), None)
    if several is None:
        return estimate(newest(rows), address)
    name, values = several
    parts = [[row for row in rows if condition_value(row, name) == value] for value in values]
    if not all(parts):
        return Estimate(reason=f"no row {address.table} {','.join(address.rows)} with {name}={values[parts.index([])]}")
    return add([estimate(newest(part), address) for part in parts])


def newest(rows):
    """The row to show where only parameters that nobody asked for differ."""
    return max(
        rows, key=lambda row: (row["status"] == "ok", row["backend"] == "cpu" and runs.evidence(row), row["rank"])
    )


def estimate(row, address):
    quantity = address.quantity
    if row["status"] not in runs.MEASURED:
        return Estimate(reason=f"{row['status']}: {row['note']}".rstrip(": "), rows=(row,))
    expected, after = iterations().get(row["table"]), plausible.iterations_of_quality(row)
    if quantity in TOURS and after not in (None, expected):
        return Estimate(reason=f"after {after} iterations, not {expected}", rows=(row,))
    if quantity == "best":
        return unless_absent(row["quality_best"], row)
    return OTHER_QUANTITIES[quantity](row) if quantity in OTHER_QUANTITIES else mean_time(row, address.first)


def mean_time(row, first=math.inf):
    """Over all iterations of its runs, or the first so many."""
    if "alike" in row:
        of_machines, between = row["alike"]
        cut = {machine: [of_first(each, first) for each in rows] for machine, rows in of_machines.items()}
        made = spread.result(of_first(row, first), cut, between)
        told = made.machines, made.widened, made.span
        return Estimate(made.value, made.low, made.high, "", made.rows, "", made.n, *told)
    row = of_first(row, first)
    value, low, high, n = runs.mean_interval(row)
    if math.isnan(value):
        return Estimate(reason="not timed", rows=(row,))
    return Estimate(value, low, high, rows=(row,), n=n, machines=1)


def of_first(row, first):
    return row if first == math.inf else runs.of_first(row, first)


def quality(row):
    """The mean quality of a row's runs, with Student's interval where that of each run is known.

    Without noise there is one image and nothing of chance: its F is exact.
    """
    values = runs.quality_of_runs(row)
    if len(values) > 1:
        return Estimate(*runs.student(values), rows=(row,), n=len(values))
    value = row["quality_best"] if math.isnan(row["quality_mean"]) else row["quality_mean"]
    found = unless_absent(value, row)
    if runs.param(row, "level") == NO_NOISE:
        return replace(found, low=value, high=value, n=0)
    return found


def bandwidth(row):
    """What a row reads and writes in its mean time, over a copy's in the same run; schema 1 has it as a quality."""
    if row["quality_metric"] == "bandwidth-share":
        return unless_absent(row["quality_mean"], row)
    copy = next(filter(is_copy, row["run"].records), None)
    if copy is None:
        return Estimate(reason=f"no copy in the GPU's memory in {row['run_id']}", rows=(row,))
    share = (row["bytes"] / row["mean_ms"]) / (copy["bytes"] / copy["mean_ms"])
    return unless_absent(share, row, "no bytes or no time")


def a_second(column, unit=1e6):
    """What a row moves or computes in its mean time: GB/s of its bytes, GFLOPS of its operations."""
    return lambda row: divide(counted(row[column] / unit, row, f"no {column}"), mean_time(row))


def error(row):
    """The largest relative error that verification found, in millionths."""
    found = 1e6 * row["verify_value"] if row["verify_metric"] == "largest-relative-error" else math.nan
    return counted(found, row, "verified otherwise")


def energy(row):
    return unless_absent(1e3 * runs.energy(row), row, "its energy was not measured: --energy")


def shared(row):
    values = [float(value) for value in str(row.get("shared_bytes") or "").split()]
    return counted(max(values, default=math.nan), row, "its run does not tell the shared memory of kernels")


def count(row):
    value = row["quality_mean"] if row["quality_metric"] in COUNTS else math.nan
    return counted(value, row, "nothing was counted")


def is_copy(row):
    return row["scope"] == "setup" and row["implementation"] == "device/copy" and row["status"] in runs.MEASURED


def mismatch(row):
    """How far a map is from all of Canny's. Verification knows it only of rows that are to be all of Canny."""
    value = math.nan
    if row["quality_metric"] == MISMATCH:
        value = row["quality_best"]
    elif row["verify_metric"] == "mismatched-pixels" and runs.param(row, "hysteresis") == "all":
        value = row["verify_value"] / row["size"]
    return counted(value, row, "not compared with all of Canny")


OTHER_QUANTITIES = {
    "quality": quality,
    "rate": a_second("size", unit=1e3),
    "bandwidth": bandwidth,
    "bytes": a_second("bytes"),
    "flops": a_second("flops"),
    "mismatch": mismatch,
    "error": error,
    "energy": energy,
    "shared": shared,
    "count": count,
}


def counted(value, row, reason):
    """What is the same whenever it is counted."""
    return replace(unless_absent(value, row, reason), low=value, high=value, n=0)


def unless_absent(value, row, reason="no quality"):
    return Estimate(value, reason=reason if math.isnan(value) else "", rows=(row,), n=0 if math.isnan(value) else 1)


# ---- Arithmetic: the parts are independent measurements ----


def add(parts):
    for part in parts:
        if not part:
            return part
    value = sum(part.value for part in parts)
    below, above = (math.hypot(*(part.value * error for part, error in zip(parts, errors))) / (value or math.nan)
                    for errors in zip(*map(relative_errors, parts)))  # fmt: skip
    rows = tuple(row for part in parts for row in part.rows)
    ends = [part.span or (part.value, part.value) for part in parts]
    span = tuple(map(sum, zip(*ends))) if any(part.span for part in parts) else ()
    return Estimate(value, value * math.exp(-below), value * math.exp(above), rows=rows, span=span, **rests_on(*parts))


def rests_on(*parts):
    """What the interval of the part rests on that has the fewest; what was counted or published has none."""
    fewest = min(
        (part for part in parts if part.n), key=lambda part: (part.machines or math.inf, part.n), default=Estimate()
    )
    narrow = [
        part for part in parts if 0 < part.machines < spread.ENOUGH
    ]  # which hold on their machine alone, unless widened
    return {
        "n": fewest.n,
        "machines": fewest.machines,
        "widened": bool(narrow) and all(part.widened for part in narrow),
    }


def unlike(a, b):
    """Why two numbers are not to be divided: published ones, which have no rows, are of what was asked for alone."""
    stand_in = a.instance or b.instance
    if stand_in and not (a.rows and b.rows):
        return f"{stand_in} is a stand-in: nothing was published of it"
    if a.rows and b.rows and a.instance != b.instance:
        return f"one was measured on {stand_in}, the other was not"
    return ""


def relative_errors(part):
    """How far the ends of the interval are below and above the value on a logarithmic scale; NaN without an interval.

    Infinite both where the interval reaches 0, as that of a quality may: nothing is known then.
    """
    if part.value == 0:
        return (0.0, 0.0) if part.low == part.high == 0 else (math.nan, math.nan)
    if part.low <= 0:
        return math.inf, math.inf
    return math.log(part.value / part.low), math.log(part.high / part.value)


def divide(top, bottom):
    """A quotient with its interval: relative errors add in quadrature, those below of one with those above of the other."""
    if not top or not bottom:
        return bottom if top else top
    if reason := unlike(top, bottom):
        return Estimate(reason=reason, rows=top.rows + bottom.rows, instance=top.instance or bottom.instance)
    if bottom.value == 0:
        return Estimate(reason="divided by 0", rows=top.rows + bottom.rows)
    value, (top_below, top_above), (below, above) = top.value / bottom.value, *map(relative_errors, (top, bottom))
    return Estimate(
        value,
        value * math.exp(-math.hypot(top_below, above)),
        value * math.exp(math.hypot(top_above, below)),
        rows=top.rows + bottom.rows,
        instance=top.instance or bottom.instance,
        span=span_of_quotient(top, bottom),
        **rests_on(top, bottom),
    )


def multiply(a, b):
    """A product likewise."""
    return divide(a, divide(Estimate(1, 1, 1), b))


def span_of_quotient(top, bottom):
    """From host to host; () where no part has a span."""
    if not top.span and not bottom.span:
        return ()
    (least, most), (low, high) = (part.span or (part.value, part.value) for part in (top, bottom))
    return least / high, most / low


# ---- What report/*.csv asks for ----


@functools.cache
def published_rows():
    """{id: line of the published tables}."""
    return runs.published().set_index("id").to_dict("index")


def look_up(source, text, x="", first=math.inf):
    """The number at an address, published where it begins with "=", else measured; of several their product.

    A mean time is over the first so many iterations of its runs.
    """
    text = text.replace("{x}", x)
    if " " in text:
        return functools.reduce(multiply, [look_up(source, each, first=first) for each in text.split()])
    if not text.startswith("="):
        return source.find(replace(parse(text), first=first))
    table, row, instance = text[1:].split("/")
    found = [published_rows().get(f"{table}/{name}/{instance}") for name in row.split(",")]
    values = [line["value"] for line in found if line]
    return Estimate(*3 * [min(values)]) if values else Estimate(reason=f"no published number {text[1:]}")


def quotient(source, top, over, x="", first=math.inf):
    """The number at `top`, over the one at `over` where there is such an address."""
    above = look_up(source, top, x, first)
    return divide(above, look_up(source, over, x, first)) if over else above


# ---- Over how many iterations ----


def common_iterations(found):
    """The first iterations that numbers beside each other are means of: as many as all of their rows have whose runs came
    to their end, without those of a smoke test beside others. inf where samples are alike."""
    rows = [row for estimate in found for row in estimate.rows if runs.iterations(row)]
    rows = [row for row in rows if row["run"].profile != "smoke"] or rows
    complete = list(filter(None, map(runs.complete_iterations, rows)))
    return min(complete) if complete else max(map(runs.iterations, rows), default=math.inf)


def told_iterations(found, first):
    """As "the first 100 iterations (2 to 35 in rows that reached their time limit)", of such numbers; "" where samples are alike."""
    counts = [estimate.iterations for estimate in found if estimate and estimate.iterations]
    if not counts:
        return ""
    fewer = sorted(count for count in counts if count < first)
    ends = dict.fromkeys(map(str, fewer[:1] + fewer[-1:]))
    told = "the first iteration" if first == 1 else f"the first {first} iterations"
    return told + (f" ({' to '.join(ends)} in rows that reached their time limit)" if fewer else "")


def read_layout(name, folder=REPORT):
    """The lines of report/<name> as dictionaries."""
    path = folder / name
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for line, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise BadInput(f"{path}:{line}: expected {len([key for key in row if key])} cells")
    return rows


@functools.cache
def sets():
    """{name: what {x} runs through}: the sets of the drivers, and those of the report alone; a name is of one set."""
    found, places = {}, {}
    for name in ("driver_sets.csv", "sets.csv"):
        for line, row in enumerate(read_layout(name), start=2):
            place = f"{REPORT / name}:{line}"
            if row["set"] in found:
                raise BadInput(f"{place}: the set {row['set']} stands in {places[row['set']]} too")
            found[row["set"]], places[row["set"]] = row["members"].split(), f"{name}:{line}"
    return found


@functools.cache
def iterations():
    """{table: after how many its source looks at tours}."""
    return {runs.table_name(row["table"]): int(row["iterations"]) for row in read_layout("rows.csv")}


def members(names):
    """What sets and single names stand for, each once: "images shapes-1024"."""
    return list(dict.fromkeys(member for name in names.split() for member in sets().get(name, [name])))


# ---- Which machines ----


def of_kind(run, others):
    """The runs of the kind of machine of `run`: its GPU, or its CPU where it has none.

    A run without a GPU is of no GPU's host: a CPU's name does not say so.
    """
    return [other for other in others if runs.device_name(other) == runs.device_name(run)]


def newest_with_gpu(candidates):
    return max((run for run in candidates if run.device), key=lambda run: run.started, default=None)


def fullest_with_gpu(candidates):
    """The newest run of the GPU that has runs of the most drivers; None where no run has one."""
    with_gpu = [run for run in candidates if run.device]
    drivers = {}
    for run in with_gpu:
        drivers.setdefault(runs.device_name(run), set()).add(run.driver)
    return max(with_gpu, key=lambda run: (len(drivers[runs.device_name(run)]), run.started), default=None)


def choose(run="", also=()):
    """The sources: first the one to show, then those beside it.

    Without a name it is the machine of your newest run with a GPU. Where none of yours has one it is the machine of your
    newest run, and the stored GPU stands beside it; without runs of yours it is the stored GPU alone.
    """
    named = [Source(runs.load_runs(name)) for name in also]
    if run:
        return [Source(runs.load_runs(run))] + named
    yours, reference = runs.load_below(runs.yours()), runs.load_below(RESULTS / "reference")
    found = newest_with_gpu(yours)
    if found:
        return [Source(of_kind(found, yours), yours + reference)] + named
    newest, kept = max(yours, key=lambda run: run.started, default=None), fullest_with_gpu(reference)
    shown = [Source(of_kind(newest, yours))] if newest else []
    shown += [Source(of_kind(kept, reference), yours + reference)] if kept else []
    if not shown:
        raise BadInput("no run in results/: make bench-all; RUN= names a run elsewhere")
    return shown + named


def on_gpu(sources):
    """The source that claims are judged on: the first with a GPU, or else the first."""
    return next((source for source in sources if source.has_gpu), sources[0])


def chosen(options):
    """The sources that a command line names, each run checked against its samples (antbench.data.validate)."""
    sources = choose(options.run, options.also)
    for source in sources:
        for run in source.runs:
            _ = run.processes
    return sources


def add_options(parser):
    parser.add_argument("--run", default="", help="run or machine to show (default: yours, else the stored)")
    parser.add_argument("--also", action="append", default=[], help="run or machine to show beside it; may be repeated")
