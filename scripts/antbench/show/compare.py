"""make compare A=RUN B=RUN: two runs, two GPUs or two published cards side by side, cell for cell.

With RUN=RUN, A and B are two rows of one run: `make compare RUN=RUN A=3.3/ds-roulette B=3.3/i-roulette`. A side may
also be a published card, "GTX 580", or a source, "thesis". Then the cells are those in the report's tables that both
sides have.

The ratio is B's time over A's; below 1, B is faster. If several processes measured a row on both sides, the ratio is of
means, with the interval of a t-test on processes. Otherwise it is of medians, with a percentile bootstrap over
contiguous batches of samples. The bootstrap does not tell how processes differ (antbench.data.inference). Times of
iterations are over the first iterations that both sides have, since later ones may be faster.

Between different GPUs the ratio is also given per SM and GHz, and per GB/s of memory bandwidth. If one of these is near
1, that resource bounds the kernel. Between machines the summary has one mean for the GPU's rows of the same code and
profile. Rows of other code, and rows of CPUs, have means of their own.

For rows without times the qualities are compared, run by run: the ratio of means with Welch's interval on logarithms. A
p-value tells how often chance alone makes as large a difference, corrected for the number of cells (Holm). With --alike
the exit code is 4 if a p-value is below 0.01, since then two rungs do not choose alike.
"""

import argparse
import math
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import special

from antbench.data import cells, command, hardware, inference, layouts, machines, runs, selector
from antbench.data.command import BadInput, write_file
from antbench.show import gpus, printing

COLUMNS = runs.KEY + [
    "a_device",
    "b_device",
    "a_status",
    "b_status",
    "a_ms",
    "a_lo_ms",
    "a_hi_ms",
    "b_ms",
    "b_lo_ms",
    "b_hi_ms",
    "ratio",
    "ratio_lo",
    "ratio_hi",
    "ratio_per_sm_ghz",
    "ratio_per_gb_s",
    "a_energy_j",
    "b_energy_j",
    "first",
    "differs",
]


def hardware_of(row):
    """The Hardware that measured a row, at its clock then; unknown for a CPU."""
    return (
        hardware.of_device(row["run"].device, row["sm_clock_mhz"]) if row["backend"] == "cuda" else hardware.Hardware()
    )


def ratio_of(a, b, first):
    sides = [runs.processes_of_first(row, first) for row in (a, b)]
    if are_of_processes(a, b):
        return inference.process_ratio(*sides)
    return inference.ratio_interval(*(kept(side) for side in sides))


def are_of_processes(a, b):
    return runs.is_of_processes(a) and runs.is_of_processes(b)


def time_beside(row, other):
    """(value, low, high) of a row in ms, of what its quotient with another row is of: means, or medians of all samples."""
    if are_of_processes(row, other) or not runs.is_of_processes(row):
        return runs.own_interval(row)
    samples = kept(runs.processes_of_first(row, math.inf))
    return float(np.median(samples)) if len(samples) else math.nan, math.nan, math.nan


def kept(of_processes):
    """The samples of all processes, without the discarded ones."""
    samples = np.concatenate(of_processes or [np.array([])])
    return samples[~np.isnan(samples)]


def common_first(a, b):
    """The number of first iterations that two rows are compared over; inf if both have the same, or samples are alike."""
    counts = {runs.iterations(row) for row in (a, b)}
    return min(counts) if len(counts) == 2 and 0 not in counts else math.inf


def compare_rows(a, b):
    """One line of the comparison."""
    first = common_first(a, b)
    ratio, low, high = ratio_of(a, b, first)
    a, b = runs.of_first(a, first), runs.of_first(b, first)
    elsewhere = a["device"] != b["device"]
    of_a, of_b = hardware_of(a), hardware_of(b)
    return {
        **{name: a[name] for name in runs.KEY},
        "a_device": a["device"],
        "b_device": b["device"],
        "a_status": a["status"],
        "b_status": b["status"],
        **dict(zip(("a_ms", "a_lo_ms", "a_hi_ms"), time_beside(a, b))),
        **dict(zip(("b_ms", "b_lo_ms", "b_hi_ms"), time_beside(b, a))),
        "ratio": ratio,
        "ratio_lo": low,
        "ratio_hi": high,
        "ratio_per_sm_ghz": ratio * of_b.sm_ghz / of_a.sm_ghz if elsewhere else np.nan,
        "ratio_per_gb_s": ratio * of_b.gb_per_s / of_a.gb_per_s if elsewhere else np.nan,
        "a_energy_j": a["energy_j"],
        "b_energy_j": b["energy_j"],
        "first": first if first < math.inf else np.nan,
        "differs": " ".join(differences(a, b)),
    }


def differences(a, b):
    """The differences between two rows besides the GPU: "host" (for a CPU), "code" and "profile"."""
    of_gpu = a["backend"] == b["backend"] == "cuda"
    if not of_gpu and machines.machine_of(a["run"], "cpu") != machines.machine_of(b["run"], "cpu"):
        yield "host"
    if machines.code_of(a) != machines.code_of(b) and gpus.clean_commit(a) != gpus.clean_commit(b):
        yield "code"
    if a["run"].profile != b["run"].profile:
        yield "profile"


def compare(a, b):
    """(the cells of both in A's order, their rows in pairs, the number of A's other cells, the number of B's)."""
    in_b = {tuple(row[name] for name in runs.KEY): row for row in runs.records_of(b)}
    found = [(row, in_b.pop(tuple(row[name] for name in runs.KEY), None)) for row in runs.records_of(a)]
    pairs = [(row, other) for row, other in found if other is not None]
    return pd.DataFrame([compare_rows(*pair) for pair in pairs], columns=COLUMNS), pairs, len(a) - len(pairs), len(in_b)


# ---- Two rows of one run ----


def rows_named(rows, name):
    """The rows of these that "3.3/ds-roulette/d198?protocol=as" names."""
    wanted = selector.parse(name)
    if not wanted.table or not wanted.row:
        raise BadInput(f'"{name}" {selector.EXPECTED}')
    of_row = [row for row in runs.records_of(rows) if replace(wanted, input="", conditions=()).means(row)]
    if not of_row:
        meant = runs.nearest(f"{wanted.table}/{wanted.row}", list(dict.fromkeys(rows["table"] + "/" + rows["row"])))
        raise BadInput(f"{name}: no such row in this run" + (f"; did you mean {meant}?" if meant else ""))
    found = [row for row in of_row if wanted.means(row)]
    if not found:
        raise BadInput(f"{name}: of {len(of_row)} rows {wanted.table}/{wanted.row} in this run none is so")
    return found


def compare_two(rows, a, b):
    """As compare(), for two rows. The counts are of cells that the other row lacks."""
    of_a, of_b = rows_named(rows, a), rows_named(rows, b)
    pairs = [(row, other) for row in of_a for other in of_b if selector.is_alike(row, other)]
    lines = [{**compare_rows(*pair), **{name: selector.both(pair, name) for name in runs.KEY}} for pair in pairs]
    paired = [{row["line"] for row in side} for side in zip(*pairs)] or [set(), set()]
    return pd.DataFrame(lines, columns=COLUMNS), pairs, len(of_a) - len(paired[0]), len(of_b) - len(paired[1])


# ---- Published cards ----


def published_side(name):
    """The Gpus of report/cards.csv with a name such as "GTX 580", "gtx580" or "thesis"; [] for
    other names and paths.
    """
    asked = hardware.known_as(name)
    known = [] if "/" in name else gpus.published_gpus()
    found = [
        gpu
        for gpu in known
        if asked in (hardware.known_as(gpu.name), gpu.published.lower(), hardware.known_as(gpu.label))
    ]
    if (
        not found
        and "/" not in name
        and (card := next((each for each in hardware.cards() if hardware.known_as(each) == asked), ""))
    ):
        raise BadInput(f"{name}: the sources have no time of a {card}; they have times of {', '.join(names_of(known))}")
    return found


def names_of(published):
    return list(dict.fromkeys(gpu.name for gpu in published))


def loaded(name):
    """The runs with a name; the error for an unknown name also lists the published cards."""
    try:
        return runs.load_runs(name)
    except BadInput as error:
        known = names_of(gpus.published_gpus())
        meant = (
            runs.nearest(hardware.known_as(name), list(map(hardware.known_as, known)))
            if name and "no run there" in str(error)
            else None
        )
        if meant is None:
            raise
        card = next(each for each in known if hardware.known_as(each) == meant)
        raise BadInput(
            f"{name}: no run there, nor a published card; did you mean {card}? (published: {', '.join(known)}; make list-runs lists runs)"
        ) from None


def side_of(name):
    """What a user's name stands for: a list of published Gpus, or else of runs."""
    return published_side(name) or loaded(name)


def is_published(side):
    return isinstance(side[0], gpus.Gpu)


def expect_two(sides, names):
    """Refuses two sides that are the same: all ratios would be 1."""
    a, b = ({gpu.label for gpu in side} if is_published(side) else runs.places_of(side) for side in sides)
    if a == b:
        raise BadInput(f"A is {names[0]}, and B, {names[1]}, is the same; name two different sides")


def as_gpus(side, name):
    """A side as Gpus."""
    found = side if is_published(side) else gpus.of_sources([cells.Source(side)])
    if not found:
        raise BadInput(f"{name}: no run on a GPU to compare with a published card")
    return found


def compare_published(a, b):
    """One line per cell of the report's tables of times that both sides, lists of Gpus, have."""
    lines, seen = [], set()
    columns = layouts.columns()
    for name, layout in layouts.layouts().items():
        if layout["unit"] != "ms":
            continue
        for address, (label, published) in gpus.rows_of(columns[name]).items():
            for x in cells.members(layout["set"]):
                pair = [first_number(side, address, published, x) for side in (a, b)]
                place = tuple(id_ or address.replace("{x}", x) for _, _, id_ in pair)
                if all(estimate for _, estimate, _ in pair) and place not in seen:
                    seen.add(place)
                    lines.append(published_line(name, label, x, address, pair))
    return pd.DataFrame(lines, columns=COLUMNS)


def first_number(side, address, published, x):
    """(Gpu, its time, the published id or "") for the first GPU of a side with a time."""
    for gpu in side:
        estimate, id_ = gpus.number(gpu, address, published, x)
        if estimate and not estimate.instance:
            return gpu, estimate, id_
    return None, cells.Estimate(), ""


def published_line(name, label, x, address, pair):
    (of_a, a, _), (of_b, b, _) = pair
    ratio = cells.divide(b, a)
    ends = [[each.low, each.high] if each.rows else [np.nan, np.nan] for each in (a, b)]
    key = {"table": name, "row": label, "instance": x, "implementation": "", "backend": "cuda", "scope": ""}
    told = [printing.status(each) or "published" for each in (a, b)]
    values = {
        **key,
        "params": address.partition("?")[2],
        **dict(zip(("a_device", "b_device"), (of_a.label, of_b.label))),
        **dict(zip(("a_status", "b_status"), told)),
        **dict(
            zip(("a_ms", "a_lo_ms", "a_hi_ms", "b_ms", "b_lo_ms", "b_hi_ms"), (a.value, *ends[0], b.value, *ends[1]))
        ),
        **dict(zip(("ratio", "ratio_lo", "ratio_hi"), (ratio.value, ratio.low, ratio.high))),
        "ratio_per_sm_ghz": ratio.value * of_b.hardware.sm_ghz / of_a.hardware.sm_ghz,
        "ratio_per_gb_s": ratio.value * of_b.hardware.gb_per_s / of_a.hardware.gb_per_s,
    }
    return {**dict.fromkeys(COLUMNS, np.nan), **values, "differs": "code"}


# ---- Qualities ----

TOO_RARE = 0.01  # p-value, corrected for the family of cells, below which a difference is not chance


def compare_qualities(lines, pairs):
    """The rows of `lines` that have a quality of at least two runs on both sides, with both. `pairs`: the rows
    themselves.
    """
    found = []
    for line, pair in zip(lines.to_dict("records"), pairs):
        a, b = (np.array(runs.quality_of_runs(row)) for row in pair)
        if line["ratio"] == line["ratio"] or min(len(a), len(b)) < 2 or min(a.min(), b.min()) <= 0:
            continue
        found.append(
            {
                **{name: line[name] for name in runs.KEY},
                "a": a.mean(),
                "b": b.mean(),
                **dict(zip(("ratio", "lo", "hi", "p"), welch(a, b))),
            }
        )
    for each, corrected in zip(found, inference.holm([each["p"] for each in found])):
        each["p"] = corrected
    return pd.DataFrame(found)


def welch(a, b):
    """(ratio of the means b / a, low, high, p) of two sets of independent values above 0."""
    sides = [np.log(side) for side in (a, b)]
    parts = [side.var(ddof=1) / len(side) for side in sides]
    change, error = sides[1].mean() - sides[0].mean(), math.sqrt(sum(parts))
    if error == 0:
        return *3 * [math.exp(change)], float(change == 0)
    df = error**4 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, sides))
    half = special.stdtrit(df, 0.975) * error
    return *np.exp([change, change - half, change + half]), 2 * float(special.stdtr(df, -abs(change) / error))


def qualities_as_text(found):
    shown = found[["table", "row", "instance", "params"]].assign(
        **{
            "A": found["a"].map("{:.6g}".format),
            "B": found["b"].map("{:.6g}".format),
            "B/A": found["ratio"].map("{:.4f}".format),
            "95 % interval": [f"{low:.4f} - {high:.4f}" for low, high in zip(found["lo"], found["hi"])],
            "by chance": found["p"].map("{:.2g}".format),
        }
    )
    return shown.to_string(index=False, max_colwidth=60)


# ---- Telling ----


def describe(name, rows):
    """The hardware of a side: "A  NVIDIA H100 80GB HBM3: 132 SMs at 1980 MHz, 3352 GB/s; quick, commit a4f6415"."""
    run = rows["run"].iloc[0]
    device = run.device
    gpu = ""
    if device:
        gpu = (
            f": {device.get('sm_count', '?')} SMs at {device.get('clock_mhz', '?')} MHz, "
            f"{hardware.of_device(device).gb_per_s:.0f} GB/s"
        )
    ids = ", ".join(sorted(each.run_id for each in rows["run"].unique()))
    return f"{name}  {runs.device_name(run)}{gpu}; {run.profile}, commit {runs.commit_of(run)} ({ids})"


def describe_published(name, side):
    """As describe(), for cards: "A  GTX 580 (thesis): 16 SMs at 1544 MHz, 192 GB/s; published"; "?" if unknown."""

    def known(value):
        return "?" if value != value else f"{value:.0f}"

    told = [
        f"{gpu.label}: {known(of.sms)} SMs at {known(1e3 * of.ghz)} MHz, {known(of.gb_per_s)} GB/s"
        for gpu, of in ((gpu, gpu.hardware) for gpu in side)
    ]
    return f"{name}  {'; '.join(told)}; published"


def as_text(lines):
    """The comparison for a terminal: a time, or else the row's status."""

    def time(line, side):
        return f"{line[side + '_ms']:.4g}" if line[side + "_ms"] == line[side + "_ms"] else line[side + "_status"]

    def optional(value):
        return f"{value:.3f}" if np.isfinite(value) else ""

    def joules(value):
        return f"{value:.3g}" if np.isfinite(value) else ""

    across = lines["ratio_per_sm_ghz"].notna().any()
    elsewhere = lines["a_device"] != lines["b_device"]
    differing = np.where(elsewhere, "hardware " + lines["differs"], lines["differs"].str.replace("code", ""))
    metered = lines[["a_energy_j", "b_energy_j"]].notna().any(axis=None)
    shown = pd.DataFrame(
        {
            "table": lines["table"],
            "row": lines["row"],
            "instance": lines["instance"],
            "backend": lines["backend"],
            "scope": lines["scope"],
            "params": lines["params"],
            "A, ms": [time(line, "a") for _, line in lines.iterrows()],
            "B, ms": [time(line, "b") for _, line in lines.iterrows()],
            "B/A": lines["ratio"].map(optional),
            "95 % interval": [
                f"{low:.3f} - {high:.3f}" if np.isfinite(low) else ""
                for low, high in zip(lines["ratio_lo"], lines["ratio_hi"])
            ],
            **(
                {
                    "per SM GHz": lines["ratio_per_sm_ghz"].map(optional),
                    "per GB/s": lines["ratio_per_gb_s"].map(optional),
                }
                if across
                else {}
            ),
            **(
                {"first": lines["first"].map(lambda count: "" if count != count else f"{count:.0f}")}
                if lines["first"].notna().any()
                else {}
            ),
            **({"differs": differing} if any(text.strip() for text in differing) else {}),
            **({"A, J": lines["a_energy_j"].map(joules), "B, J": lines["b_energy_j"].map(joules)} if metered else {}),
        }
    )
    return shown.to_string(index=False, max_colwidth=60)


def hardware_remark(lines):
    """A remark on the ratios per SM and GHz and per GB/s, or None if all names of devices are alike."""
    pairs = {(a, b) for a, b in zip(lines["a_device"], lines["b_device"]) if a != b}
    if not pairs:
        return None
    return "DIFFERENT HARDWARE: " + "; ".join(f"A is {a}, B is {b}" for a, b in sorted(pairs))


def same_hardware(lines):
    two_hosts = any("host" in differences.split() for differences in lines["differs"])
    return "hardware of the same name, on two hosts" if two_hosts else "the same hardware"


HOW = "times are means, with a t-test on processes; medians, with the bootstrap, where one process measured a side"
OTHERWISE = {"host": "two hosts", "code": "other code", "profile": "another profile"}


def summaries(lines):
    """Summaries of the parts that may be combined to one mean: rows of the GPU, rows of CPUs, rows with other
    differences.

    On one machine the code is what is compared.
    """
    across = bool(hardware_remark(lines))
    parts = {}
    for i, line in enumerate(lines.to_dict("records")):
        of_gpu, words = line["backend"] == "cuda", line["differs"].split()
        relevant = [OTHERWISE[word] for word in words if word != "code" or across or "host" in words]
        kind = f"{'GPU' if of_gpu else 'CPU'} rows of {', '.join(relevant)}" if relevant else ""
        same = " of the same code" if across and of_gpu else ""
        parts.setdefault(kind or f"{'GPU' if of_gpu else 'CPU'} rows{same}", []).append(i)
    return [
        f"{kind}: {summary(lines.iloc[places])}"
        for kind, places in sorted(parts.items(), key=lambda part: (part[0][0] != "G", len(part[0])))
    ]


def summary(lines):
    """How B did: in how many cells it is faster, slower or undecided, by each cell's 95 % interval, and by how much."""
    told, timed = lines.dropna(subset=["ratio_lo", "ratio_hi"]), lines.dropna(subset=["ratio"])
    faster, slower = (told["ratio_hi"] < 1).sum(), (told["ratio_lo"] > 1).sum()
    text = f"B is faster in {faster}, slower in {slower}, the same within its interval in {len(told) - faster - slower}"
    if len(timed) > len(told):
        text += f", without an interval in {len(timed) - len(told)}"
    if len(lines) > len(timed):
        text += f", not timed in {len(lines) - len(timed)}"
    if not timed.empty:
        text += f"; B/A is {np.exp(np.log(timed['ratio']).mean()):.3f} in the geometric mean of {len(timed)}"
    return text


def parse(arguments):
    parser = argparse.ArgumentParser(prog="antbench-results compare", description=__doc__.splitlines()[0])
    parser.add_argument(
        "a",
        metavar="A",
        help='a run: directory, or MACHINE/ID of yours or the stored ones; a published card, "GTX 580"; with --run a row',
    )
    parser.add_argument("b", metavar="B", help="the other side; MACHINE alone is the best stored row of each cell")
    parser.add_argument(
        "--run", metavar="RUN", help="compare two rows of this run: A and B are TABLE/ROW/INPUT?protocol=as"
    )
    parser.add_argument("--alike", action="store_true", help="exit with code 4 if qualities differ by more than chance")
    parser.add_argument("--csv", metavar="FILE", help="write the comparison as CSV; - for stdout")
    return parser.parse_args(arguments)


def read(options):
    """(who was measured, a line each; the comparison), for these options."""
    if options.run:
        rows = runs.best_rows(runs.load_runs(options.run))
        return [describe(f"{options.a} and {options.b} of", rows)], compare_two(rows, options.a, options.b)
    names = options.a, options.b
    command.expect("make compare A=RUN B=RUN", A=options.a, B=options.b)
    sides = [side_of(name) for name in names]
    expect_two(sides, names)
    rows = [None if is_published(side) else runs.best_rows(side) for side in sides]
    head = [
        describe_published(label, side) if of_side is None else describe(label, of_side)
        for label, side, of_side in zip("AB", sides, rows)
    ]
    if any(map(is_published, sides)):
        return head, (compare_published(*map(as_gpus, sides, names)), [], 0, 0)
    return head, compare(*rows)


def main(arguments=None):
    options = parse(arguments)
    head, (lines, pairs, only_a, only_b) = read(options)
    if lines.empty:
        raise BadInput(f"nothing matched: {options.a} and {options.b} have no cell in common")
    if options.csv:
        text = lines.to_csv(index=False)
        sys.stdout.write(text) if options.csv == "-" else write_file(options.csv, text)
    qualities = compare_qualities(lines, pairs)
    if options.alike and qualities.empty:
        raise BadInput(f"{options.a} and {options.b} have no quality of two runs in common")
    if options.csv != "-":
        told = [summary(lines)] if options.run else summaries(lines)
        times = [] if (lines["scope"] == "quality").all() else ["", as_text(lines), "", *told]
        of_runs = [] if qualities.empty else ["", "Qualities, means of the runs:", qualities_as_text(qualities), ""]
        print(
            "\n".join(
                [
                    *head,
                    hardware_remark(lines) or same_hardware(lines),
                    *([HOW] if times else []),
                    *times,
                    *of_runs,
                    f"{len(lines)} cells of both, {only_a} of A alone, {only_b} of B alone",
                ]
            )
        )
    return command.WRONG if options.alike and (qualities["p"] < TOO_RARE).any() else command.OK
