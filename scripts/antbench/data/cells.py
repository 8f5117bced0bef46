"""From the address of a cell to its number: the one grammar of the tables, figures and claims in report/*.csv.

    3.3/ds-roulette/d198?protocol=as-best          table, row, instance, conditions: the row's mean time in ms
    3.3/ds-roulette/d198?protocol=as#quality       the mean quality of its runs, or else the best
    3.3/ds-roulette/d198?protocol=as#best          the best quality of its runs
    6.1/npp/shapes-1024?scope=kernel#rate          pixels per time, in Mpixel/s
    6.1/npp/shapes-1024?scope=kernel#bandwidth     bytes per time, as a share of what a copy in the GPU's memory reaches
    6.1/npp/shapes-1024?scope=kernel#mismatch      share of the pixels that differ from Canny with full hysteresis
    jsc-1/powf/d198#flops                          operations per time, in GFLOPS; #bytes: bytes per time, in GB/s
    3.3/race/d198#energy                           energy of an iteration, of the GPU's whole board, in mJ
    jsc-1/powf/d198#error                          largest relative error that verification found, in millionths
    3.4/ds-roulette/d198?stage=construct#shared    shared memory per block, for the kernel with the most, in bytes
    scaling-stages/split-2/pr2392?stage=reduce;each=   a condition without a value: rows without this parameter
    jsc-5.2-memory/generic/2^17#count              a count in place of a time: bytes of a GPU's memory, or loads
    3.4/ds-roulette/d198?stage=choice+construct    the sum of two rows
    3.3/cpu-rejection-all,cpu-blocks-all/d198           the time of the fastest of these rows on this instance
    5.1/warp-128/lena|shapes-512                   the first of these instances that was measured; another one than the
                                                   first is its stand-in
    =thesis-3.3/ds-roulette/d198                   a published number, by its id; the least if rows stand with commas
    kth-8/naive/random-{x} kth-9/tiling/random-{x} the product of the numbers at these addresses

A condition names a parameter, or the columns scope or backend. The text {x} stands for each line of a table, point of a
figure or case of a claim. thesis-3.3 is the same table as 3.3. Rows of the host backend have no times and only
supply the reason VERIFIED. Rows of scope setup, stage or end-to-end are found if a condition names the scope or the
stage.

A stand-in has a line with its own name (`lines_of`). It is compared with no published number, no optimum and no other
instance. A tour's quality counts only after as many iterations as in the table's source. These are the iterations of
the driver in profile thesis, and the name of the metric contains their number.
"""

import csv
import functools
import math
import re
from dataclasses import dataclass, field, replace

from antbench.data import machines, plausible, runs, spread
from antbench.data.command import ROOT, BadInput
from antbench.data.runs import RESULTS

REPORT = ROOT / "report"


@dataclass(frozen=True, eq=False)
class Estimate:
    """A number with its 95 % interval, or the reason why there is no number."""

    value: float = math.nan
    low: float = math.nan  # NaN without an interval: one sample, or the quality of one run; a published number is exact
    high: float = math.nan  # infinite if the interval is open, as for a quotient whose divisor may be 0
    reason: str = ""  # why value is NaN
    rows: tuple = ()  # the measured rows behind the number
    instance: str = ""  # the stand-in that was measured in place of the instance that was asked for
    n: int = 0  # number of machines, processes, samples or runs behind the interval, for the part with the fewest
    machines: int = 0  # number for the part that has the fewest; 0 if the number is the same on every machine
    widened: bool = False  # true if the interval is widened, since one or two machines measured a part (spread.py)
    span: tuple = ()  # the least and the largest mean per host, if several hosts measured a CPU's part
    by_machine: dict = field(default_factory=dict)  # logarithm of the number on each machine, if three or more know it
    misses: float = spread.MISSES  # share of misses of the interval
    of_hosts: tuple = ()  # (degrees of freedom, variance) of other hosts, for a CPU's part (spread.py); () without one

    @property
    def iterations(self):
        """The number of first iterations of a run that a mean counts, for the part with the fewest; 0 if samples are
        alike.
        """
        return min(filter(None, map(runs.iterations, self.rows)), default=0)

    @property
    def run_ids(self):
        return list(dict.fromkeys(row["run_id"] for row in self.rows))

    @property
    def sources(self):
        """The runs that a number comes from, in order; () without a number."""
        return machines.sources_of(self.rows) if self else ()

    def __bool__(self):
        return not math.isnan(self.value)


@dataclass(frozen=True)
class Address:
    table: str
    rows: tuple  # names; the fastest row is taken
    instances: tuple  # names; the first that was measured is taken
    conditions: tuple  # (name, accepted values); several values are summed
    quantity: str  # "" or one of QUANTITIES
    first: float = math.inf  # number of first iterations of a run that a mean time counts, at most


BESIDE = ("setup", "stage", "end-to-end")  # scopes of rows that stand beside a row's own
NO_NOISE = "0"  # value of the parameter `level` without noise
WITHOUT_CHANCE = ("canny/", "colour-edge/", "log-edges/", "sobel/")  # operations whose maps no random number changes
TOURS = ("quality", "best")  # quantities of a tour's length
QUANTITIES = (*TOURS, "rate", "bandwidth", "bytes", "flops", "mismatch", "error", "energy", "shared", "count")
COUNTS = ("gpu-bytes", "loads-over-n4")  # qualities that are counted
MISMATCH = "mismatch-share"  # quality of a map: the share of its pixels that differ from Canny with full hysteresis
VERIFIED = "verified, not timed"  # why a row of the host backend has no time


def parse(text):
    """The Address that a text like "3.4/ds-roulette/d198?stage=choice+construct" spells."""
    spelled = re.fullmatch(r"([^/?#=]+)/([^/?#]+)/([^/?#]+)(?:\?([^#]*))?(?:#(\w+))?", text)
    if not spelled or spelled[5] not in (None, *QUANTITIES):
        expected = f"table/row/instance?name=value;...#QUANTITY, of {' '.join(QUANTITIES)}"
        raise BadInput(f'"{text}" is no address of a cell: expected {expected}')
    table, row, instance, asked, quantity = spelled.groups()
    if "," in row and quantity:
        raise BadInput(f'"{text}" asks for the {quantity} of several rows: only a time may name several rows')
    return Address(
        runs.table_name(table), tuple(row.split(",")), tuple(instance.split("|")), conditions(asked), quantity or ""
    )


def conditions(text):
    """ "stage=choice+construct;protocol=as" as ((name, accepted values), ...); () for an empty text."""
    pairs = (pair.partition("=") for pair in (text or "").split(";") if pair)
    return tuple((name, tuple(value.split("+"))) for name, _, value in pairs)


# ---- Where measured numbers come from ----


class Source:
    """The best measurement of each cell by one kind of machine.

    It also knows the rows of all machines of this kind that measured the same code: they widen or narrow the interval.
    """

    def __init__(self, chosen, elsewhere=()):
        """`elsewhere`: runs of other machines. Their tours and maps count here too, their times do not.

        The times of a CPU that is also here count in one way: they tell how much hosts with this CPU differ.
        """
        self.runs = sorted(chosen, key=lambda run: run.started)
        gpus = [run for run in self.runs if run.device]
        self.has_gpu = bool(gpus)
        self.device = runs.device_name((gpus or self.runs)[-1])
        self.label = re.sub(r"^NVIDIA |GeForce |Tesla | \d+GB.*$", "", self.device)
        self.cpu_label = cpu_label((gpus or self.runs)[-1])
        self.cells, self.verified = {}, {}
        others = [run for run in elsewhere if run not in self.runs]
        timed = [row for run in self.runs if run.profile != "smoke" for row in run.records]
        of_code = spread.grouped(timed)
        between = spread.differences(spread.grouped([*timed, *on_same_cpus(timed, others)]).values())
        several = {identity for identity, each in of_code.items() if len(each) >= spread.ENOUGH}
        self.rows = runs.best_rows(self.runs, lambda row: spread.identity(row) in several)
        for row in runs.records_of(self.rows):
            if of_machines := of_code.get(spread.identity(row)):
                row["alike"] = of_machines, between
            found = self.verified if row["backend"] == "host" else self.cells
            found.setdefault((row["table"], row["row"], row["instance"]), []).append(row)
        self.instances = {instance for _, _, instance in [*self.cells, *self.verified]}
        self.of_any_machine = {}
        for run in (*self.runs, *others):
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
        """The row that the host backend verified in place of a missing timed row, as a tuple; () without one."""
        params = [(name, values) for name, values in address.conditions if name not in ("scope", "backend")]
        for instance in address.instances:
            for verified in self.verified.get((address.table, row, instance), ()):
                if verified["status"] in runs.MEASURED and is_meant(verified, params):
                    return (verified,)
        return ()


def on_same_cpus(rows, others):
    """The CPU rows of other runs on CPUs that `rows` are of."""
    cpus = {spread.processor_of(row) for row in rows if row["backend"] == "cpu"}
    for run in others:
        if run.profile != "smoke":
            yield from (row for row in run.records if row["backend"] == "cpu" and spread.processor_of(row) in cpus)


def is_of_any_machine(row):
    """True if a row's tour lengths, or its map's difference from Canny's, hold on every machine.

    Rows of the host backend are left out: their runs are never complete.
    """
    known = row["quality_best"] == row["quality_best"] and row["status"] in runs.MEASURED and row["backend"] != "host"
    return known and row["quality_metric"].startswith(("best-tour", MISMATCH))


def evidence_of_quality(row):
    """A key that is larger the better a row supports a quality.

    The length of tours does not depend on the machine. It depends on the number of iterations, so the right number
    comes first. For a GPU your own run comes next, because its kernels may differ from the stored runs' kernels. Then
    more runs are better, and then a run of the machine that is shown.
    """
    yours = row["own"] and row["backend"] == "cuda" and not row["run"].path.is_relative_to(RESULTS / "reference")
    right = plausible.iterations_of_quality(row) == iterations().get(row["table"])
    return right, yours, len(runs.quality_of_runs(row)), row["own"], row["run"].started


WHOSE = {"runs": "yours", "contributed": "contributed", "reference": "stored"}


def whose_is(source):
    """The word for the store that holds all runs of a machine; "" for a path of the user's."""
    stores = set(map(runs.store_of, source.runs))
    return WHOSE.get(stores.pop(), "") if len(stores) == 1 else ""


def cpu_label(run):
    """ "Intel(R) Xeon(R) Gold 6150 CPU @ 2.70GHz" -> "Xeon Gold 6150"."""
    name = run.meta.get("machine", {}).get("cpu") or "CPU"
    name = re.sub(r"\([^)]*\)|@.*$|\b(CPU|Processor|Intel|AMD|\d+-Core)\b", " ", name)
    return " ".join(name.split()) or "CPU"


def stand_ins(name):
    """The names of generated instances that drivers take if the file of an instance is missing: u198 for d198."""
    size = re.fullmatch(r"[a-z]+(\d+)", name)
    return [kind + size[1] for kind in "uc" if kind + size[1] != name] if size else []


def lines_of(set_name, sources):
    """What {x} runs through in a table of these machines: the set, and the stand-ins measured for its members."""
    for name in members(set_name):
        yield name
        without = [source.instances for source in sources if name not in source.instances]
        yield from (other for other in stand_ins(name) if any(other in instances for instances in without))


def is_stand_in(name, set_name):
    return name not in members(set_name)


def is_meant(row, conditions):
    if row["scope"] in BESIDE and not {"scope", "stage"} & {name for name, _ in conditions}:
        return False
    return all((condition_value(row, name) or "") in values for name, values in conditions)


def condition_value(row, name):
    return row[name] if name in ("scope", "backend") else runs.param(row, name)


def total(rows, address):
    """The sum over the values of the condition that has several, each taken from its best row."""
    several = next((pair for pair in address.conditions if len(pair[1]) > 1), None)
    if several is None:
        return estimate(newest(rows), address)
    name, values = several
    parts = [[row for row in rows if condition_value(row, name) == value] for value in values]
    if not all(parts):
        return Estimate(reason=f"no row {address.table} {','.join(address.rows)} with {name}={values[parts.index([])]}")
    return add([estimate(newest(part), address) for part in parts])


def newest(rows):
    """The row to show among rows that differ only in parameters the address leaves open."""
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
    """The mean time over all iterations of a row's runs, or over the first `first` iterations."""
    if "alike" in row:
        of_machines, between = row["alike"]
        cut = {machine: [of_first(each, first) for each in rows] for machine, rows in of_machines.items()}
        made = spread.result(of_first(row, first), cut, between)
        told = made.machines, made.widened, made.span, made.by_machine
        return Estimate(made.value, made.low, made.high, "", made.rows, "", made.n, *told, of_hosts=made.of_hosts)
    row = of_first(row, first)
    value, low, high, n = runs.mean_interval(row)
    if math.isnan(value):
        return Estimate(reason="not timed", rows=(row,))
    return Estimate(value, low, high, rows=(row,), n=n, machines=1)


def of_first(row, first):
    return row if first == math.inf else runs.of_first(row, first)


def quality(row):
    """The mean quality of a row's runs, with Student's interval if the quality of each run is known.

    A detector's map of an image without noise has no chance in it: its quality is exact.
    """
    values = runs.quality_of_runs(row)
    if len(values) > 1:
        return Estimate(*runs.student(values), rows=(row,), n=len(values))
    value = row["quality_best"] if math.isnan(row["quality_mean"]) else row["quality_mean"]
    found = unless_absent(value, row)
    level = runs.param(row, "level")
    if level == NO_NOISE or (level is None and row["implementation"].startswith(WITHOUT_CHANCE)):
        return replace(found, low=value, high=value, n=0)
    return found


def bandwidth(row):
    """The bytes per second of a row, as a share of the bytes per second of a copy in the same run."""
    copy = next(filter(is_copy, row["run"].records), None)
    if copy is None:
        return Estimate(reason=f"no row device/copy in the run {row['run_id']}", rows=(row,))
    share = (row["bytes"] / row["mean_ms"]) / (copy["bytes"] / copy["mean_ms"])
    return unless_absent(share, row, "no bytes or no time")


def a_second(column, unit=1e6):
    """A function from a row to its rate: GB/s from its bytes, GFLOPS from its operations."""
    return lambda row: divide(counted(row[column] / unit, row, f"no {column}"), mean_time(row))


def error(row):
    """The largest relative error that verification found, in millionths."""
    found = 1e6 * row["verify_value"] if row["verify_metric"] == "largest-relative-error" else math.nan
    return counted(found, row, "verified otherwise")


def energy(row):
    return unless_absent(1e3 * row["energy_j"], row, "its energy was not measured: --energy")


def shared(row):
    values = [float(value) for value in str(row.get("shared_bytes") or "").split()]
    return counted(max(values, default=math.nan), row, "its run has no column shared_bytes")


def count(row):
    value = row["quality_mean"] if row["quality_metric"] in COUNTS else math.nan
    return counted(value, row, "nothing was counted")


def is_copy(row):
    return row["scope"] == "setup" and row["implementation"] == "device/copy" and row["status"] in runs.MEASURED


def mismatch(row):
    """The share of pixels in which a map differs from Canny with full hysteresis.

    Verification knows it only for rows whose hysteresis is `all`.
    """
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
    """An exact number: counting again gives the same."""
    return replace(unless_absent(value, row, reason), low=value, high=value, n=0)


def unless_absent(value, row, reason="no quality"):
    return Estimate(value, reason=reason if math.isnan(value) else "", rows=(row,), n=0 if math.isnan(value) else 1)


# ---- Arithmetic: on each machine, if three or more measured all parts; else the parts are independent ----


def on_each_machine(parts, combine, of_hosts):
    """The combination of the parts, or None if too few machines measured them all.

    What slows a machine down slows all its parts, so they are combined on each machine. `combine` makes one logarithm
    of several. An exact number is the same on every machine. `of_hosts` is what other hosts tell of the combination.
    """
    known = set().union(*(part.by_machine for part in parts))
    logs = [part.by_machine or as_exact(part, known) for part in parts]
    shared = sorted(machine for machine in known if all(machine in each for each in logs))
    if len(shared) < spread.ENOUGH:
        return None
    of_machines = {machine: combine([each[machine] for each in logs]) for machine in shared}
    rows = (
        row for part in parts for row in part.rows if not part.by_machine or machines.machine_of(row["run"]) in shared
    )
    ends = math.exp(min(of_machines.values())), math.exp(max(of_machines.values()))
    misses = min(part.misses for part in parts)
    center, half = spread.for_one_more(list(of_machines.values()), misses, of_hosts)
    return Estimate(
        *(math.exp(end) for end in (center, center - half, center + half)),
        rows=tuple(rows),
        n=len(shared),
        machines=len(shared),
        span=ends if any(part.span for part in parts) else (),
        by_machine=of_machines,
        misses=misses,
        of_hosts=of_hosts,
    )


def on_machines(found, chosen):
    """A number on these of its machines alone; None if they are fewer than three."""
    logs = {machine: log for machine, log in found.by_machine.items() if machine in chosen}
    made = on_each_machine([replace(found, by_machine=logs)], lambda logs: logs[0], found.of_hosts)
    return made and replace(made, instance=found.instance)


def as_exact(part, known):
    return dict.fromkeys(known, math.log(part.value)) if part.low == part.high and part.value > 0 else {}


def add(parts):
    for part in parts:
        if not part:
            return part
    rows = tuple(row for part in parts for row in part.rows)
    if made := on_each_machine(parts, lambda logs: math.log(sum(map(math.exp, logs))), of_hosts_of_sum(parts)):
        return made
    value = sum(part.value for part in parts)
    below, above = (math.hypot(*(part.value * error for part, error in zip(parts, errors))) / (value or math.nan)
                    for errors in zip(*map(relative_errors, parts)))  # fmt: skip
    ends = value, value * math.exp(-below), value * math.exp(above)
    return Estimate(*ends, rows=rows, span=span_of_sum(parts), **rests_on(*parts))


def of_hosts_of_sum(parts):
    """What other hosts tell of a sum: it differs no more than the part that differs most."""
    known = [part.of_hosts for part in parts if part.of_hosts]
    return spread.UNKNOWN if spread.UNKNOWN in known else max(known, key=lambda each: each[1], default=())


def span_of_sum(parts):
    """The least and the largest sum over hosts; () if no part has a span."""
    ends = [part.span or (part.value, part.value) for part in parts]
    return tuple(map(sum, zip(*ends))) if any(part.span for part in parts) else ()


def rests_on(*parts):
    """What the interval rests on, for the part with the fewest measurements. Counted and published numbers have no part
    in it.
    """
    fewest = min(
        (part for part in parts if part.n), key=lambda part: (part.machines or math.inf, part.n), default=Estimate()
    )
    # These hold on their own machine only, unless widened.
    narrow = [part for part in parts if 0 < part.machines < spread.ENOUGH]
    return {
        "n": fewest.n,
        "machines": fewest.machines,
        "widened": bool(narrow) and all(part.widened for part in narrow),
    }


def unlike(a, b):
    """Why two numbers must not be divided, or "". A published number, which has no rows, belongs to the instance
    itself.
    """
    stand_in = a.instance or b.instance
    if stand_in and not (a.rows and b.rows):
        return f"{stand_in} is a stand-in: nothing was published of it"
    if a.rows and b.rows and a.instance != b.instance:
        return f"only one of the two was measured on {stand_in}"
    return ""


def relative_errors(part):
    """The distances of the interval's ends below and above the value, on a logarithmic scale; NaN without an interval.

    Both are infinite if the interval reaches 0, as the interval of a quality may. Then the number says nothing.
    """
    if part.value == 0:
        return (0.0, 0.0) if part.low == part.high == 0 else (math.nan, math.nan)
    if part.low <= 0:
        return math.inf, math.inf
    return math.log(part.value / part.low), math.log(part.high / part.value)


def quotient_of_machines(top, bottom):
    """The quotient, taken on each machine; None if fewer than three machines measured both parts.

    Other hosts tell how much one CPU's part differs. How much two of them differ together, only their quotient tells.
    """
    both = top.of_hosts and bottom.of_hosts
    of_hosts = spread.UNKNOWN if both else top.of_hosts or bottom.of_hosts
    return on_each_machine([top, bottom], lambda logs: logs[0] - logs[1], of_hosts)


def divide(top, bottom):
    """A quotient with its interval. Relative errors of independent parts add in quadrature: the lower one of one part
    and the upper one of the other.
    """
    if not top or not bottom:
        return bottom if top else top
    if reason := unlike(top, bottom):
        return Estimate(reason=reason, rows=top.rows + bottom.rows, instance=top.instance or bottom.instance)
    if bottom.value == 0:
        return Estimate(reason="divided by 0", rows=top.rows + bottom.rows)
    if made := quotient_of_machines(top, bottom):
        return replace(made, instance=top.instance or bottom.instance)
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
    """A product with its interval, as in divide()."""
    return divide(a, divide(Estimate(1, 1, 1), b))


def span_of_quotient(top, bottom):
    """The least and the largest quotient over hosts; () if no part has a span."""
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
    """The number at an address. An address that begins with "=" is of a published number; several addresses are
    multiplied.

    A mean time counts the first `first` iterations of each run.
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
    """The number at `top`, divided by the number at `over` if that address is given."""
    above = look_up(source, top, x, first)
    return divide(above, look_up(source, over, x, first)) if over else above


# ---- Over how many iterations ----


def common_iterations(found):
    """The number of first iterations that all numbers of a line can be means of; inf if samples are alike.

    It is the least number among the rows whose runs came to their end. Smoke tests do not count if other rows are
    there.
    """
    rows = [row for estimate in found for row in estimate.rows if runs.iterations(row)]
    rows = [row for row in rows if row["run"].profile != "smoke"] or rows
    complete = list(filter(None, map(runs.complete_iterations, rows)))
    return min(complete) if complete else max(map(runs.iterations, rows), default=math.inf)


def told_iterations(found, first):
    """The iterations in words: "the first 100 iterations (2 to 35 in rows that reached their time limit)"; "" if samples are
    alike.
    """
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
    """{name: members}: the sets of the drivers and of report/sets.csv. A name may stand in one of them only."""
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
    """{table: the number of iterations after which its source looks at tours}."""
    return {runs.table_name(row["table"]): int(row["iterations"]) for row in read_layout("rows.csv")}


def members(names):
    """The members of sets and single names, each once: "images shapes-1024"."""
    return list(dict.fromkeys(member for name in names.split() for member in sets().get(name, [name])))


# ---- Which machines ----


def of_kind(run, others):
    """The runs on the same kind of machine as `run`: the same GPU, or the same CPU if it has no GPU.

    A run without a GPU never counts as the host of a GPU, since a CPU's name does not identify a host.
    """
    return [other for other in others if runs.device_name(other) == runs.device_name(run)]


def newest_with_gpu(candidates):
    return max((run for run in candidates if run.device), key=lambda run: run.started, default=None)


def fullest_with_gpu(candidates):
    """The newest run on the GPU that has measured the most drivers; None if no run has a GPU."""
    with_gpu = [run for run in candidates if run.device]
    drivers = {}
    for run in with_gpu:
        drivers.setdefault(runs.device_name(run), set()).add(run.driver)
    return max(with_gpu, key=lambda run: (len(drivers[runs.device_name(run)]), run.started), default=None)


def of_name(name):
    """The Source of a run or folder that the user names. It is judged by itself, but a stored machine as on its pages."""
    stored, place = RESULTS / "reference", runs.resolve(name).resolve()
    if place.parent == stored.resolve():
        return Source(runs.load_below(stored / place.name), runs.load_below(stored))
    return Source(runs.load_runs(name))


def choose(run="", also=()):
    """The sources: first the one to show, then the ones beside it.

    Without a name the first source is the machine of your newest run with a GPU. If none of your runs has a GPU it is
    the machine of your newest run, and the stored GPU stands beside it. Without any run of yours it is the stored GPU
    alone.
    """
    named = [of_name(name) for name in also]
    if run:
        return [of_name(run)] + named
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
    """The source that claims are judged by: the first one with a GPU, or else the first one."""
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
