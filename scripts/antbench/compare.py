"""Two runs, or two GPUs, side by side, cell for cell. `make compare A=RUN B=RUN`. Or two rows of one run, on each of their
instances: `make compare RUN=RUN A=3.3/ds-roulette B=3.3/i-roulette`.

The ratio is B's time over A's: below 1, B is faster. Where several processes measured a row on both sides it is of the
means, with the interval of a t-test on processes; else of the medians, with the percentile bootstrap over contiguous
batches of samples, which says nothing of how processes differ (antbench.inference). Between different GPUs the ratio is also given per SM and GHz, as if both had
as many multiprocessors at the same clock, and per GB/s, as if both had the same memory bandwidth: near 1, the kernel
is bound by that.

Of rows that are not timed the qualities are compared, run by run: the ratio of their means with Welch's interval, on
logarithms, and how often chance alone would make as large a difference, corrected for the number of cells (Holm). With --alike
the exit code is 4 where any is rarer than 1 in 100: two rungs that are to choose alike do not.
"""

import argparse
import math
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats

from antbench import command, inference, runs, selector
from antbench.command import BadInput

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
]


def of_device(row, name):
    """A number of the GPU that measured a row; NaN for a CPU or where it is not known."""
    value = row["run"].device.get(name) if row["backend"] == "cuda" else None
    return np.nan if value is None else value


def sm_ghz(row):
    """Multiprocessors x GHz while the row was measured; NaN for a CPU or where it is not known."""
    mhz = row["sm_clock_mhz"] if row["sm_clock_mhz"] > 0 else of_device(row, "clock_mhz")
    return of_device(row, "sm_count") * mhz / 1e3


def gb_per_s(row):
    """Peak memory bandwidth: two transfers a clock on every wire of the bus; NaN for a CPU or where it is not known."""
    return 2 * of_device(row, "memory_clock_mhz") * of_device(row, "memory_bus_bits") / 8 / 1e3


def ratio_of(a, b):
    if runs.is_of_processes(a) and runs.is_of_processes(b):
        return inference.process_ratio(runs.processes(a), runs.processes(b))
    return inference.ratio_interval(runs.samples(a), runs.samples(b))


def compare_rows(a, b):
    """One line of the comparison."""
    ratio, low, high = ratio_of(a, b)
    elsewhere = a["device"] != b["device"]
    return {
        **{name: a[name] for name in runs.KEY},
        "a_device": a["device"],
        "b_device": b["device"],
        "a_status": a["status"],
        "b_status": b["status"],
        **dict(zip(("a_ms", "a_lo_ms", "a_hi_ms"), runs.own_interval(a))),
        **dict(zip(("b_ms", "b_lo_ms", "b_hi_ms"), runs.own_interval(b))),
        "ratio": ratio,
        "ratio_lo": low,
        "ratio_hi": high,
        "ratio_per_sm_ghz": ratio * sm_ghz(b) / sm_ghz(a) if elsewhere else np.nan,
        "ratio_per_gb_s": ratio * gb_per_s(b) / gb_per_s(a) if elsewhere else np.nan,
        "a_energy_j": runs.energy(a),
        "b_energy_j": runs.energy(b),
    }


def compare(a, b):
    """(the cells of both, in A's order; their rows, in pairs; how many are A's alone; how many are B's alone)."""
    in_b = {tuple(row[name] for name in runs.KEY): row for row in b.to_dict("records")}
    found = [(row, in_b.pop(tuple(row[name] for name in runs.KEY), None)) for row in a.to_dict("records")]
    pairs = [(row, other) for row, other in found if other is not None]
    return pd.DataFrame([compare_rows(*pair) for pair in pairs], columns=COLUMNS), pairs, len(a) - len(pairs), len(in_b)


# ---- Two rows of one run ----


def rows_named(rows, name):
    """What "3.3/ds-roulette/d198?protocol=as" names of these rows."""
    wanted = selector.parse(name)
    if not wanted.table or not wanted.row:
        raise BadInput(f'"{name}" {selector.EXPECTED}')
    of_row = [row for row in rows.to_dict("records") if replace(wanted, input="", conditions=()).means(row)]
    if not of_row:
        meant = runs.nearest(f"{wanted.table}/{wanted.row}", list(dict.fromkeys(rows["table"] + "/" + rows["row"])))
        raise BadInput(f"{name}: no such row in this run" + (f"; did you mean {meant}?" if meant else ""))
    found = [row for row in of_row if wanted.means(row)]
    if not found:
        raise BadInput(f"{name}: of {len(of_row)} rows {wanted.table}/{wanted.row} in this run none is so")
    return found


def is_alike(a, b, besides=()):
    """Whether two rows did the same: on the same instance, in the same scope, by the same parameters where both have one,
    but for how they are cut into threads, which is their own affair, and the parameters `besides`."""
    params = [dict(pair.partition("=")[::2] for pair in row["params"].split(";") if pair) for row in (a, b)]
    return (
        a["instance"] == b["instance"]
        and a["scope"] == b["scope"]
        and all(params[1].get(name, value) == value for name, value in params[0].items() if name not in (*OWN, *besides))
    )


OWN = ("threads", "workers", "block", "tile")


def compare_two(rows, a, b):
    """The same as compare() of two rows: how many are of one alone counts those that nothing of the other is like."""
    of_a, of_b = rows_named(rows, a), rows_named(rows, b)
    pairs = [(row, other) for row in of_a for other in of_b if is_alike(row, other)]
    lines = [{**compare_rows(*pair), **{name: both(pair, name) for name in runs.KEY}} for pair in pairs]
    paired = [{row["line"] for row in side} for side in zip(*pairs)] or [set(), set()]
    return pd.DataFrame(lines, columns=COLUMNS), pairs, len(of_a) - len(paired[0]), len(of_b) - len(paired[1])


def both(pair, name):
    """What the two have in common, or one and the other."""
    return pair[0][name] if pair[0][name] == pair[1][name] else f"{pair[0][name]} : {pair[1][name]}"


# ---- Qualities ----

TOO_RARE = 0.01  # of a family of cells: a difference that chance is not believed to have made


def compare_qualities(lines, pairs):
    """The rows of `lines` that have a quality of two runs or more on both sides, with that; `pairs`: the rows themselves."""
    found = []
    for line, pair in zip(lines.to_dict("records"), pairs):
        a, b = (np.array(runs.quality_of_runs(row)) for row in pair)
        if line["ratio"] == line["ratio"] or min(len(a), len(b)) < 2 or min(a.min(), b.min()) <= 0:
            continue
        found.append({**{name: line[name] for name in runs.KEY}, "a": a.mean(), "b": b.mean(), **dict(zip(("ratio", "lo", "hi", "p"), welch(a, b)))})
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
    half = stats.t.ppf(0.975, df) * error
    return *np.exp([change, change - half, change + half]), 2 * float(stats.t.sf(abs(change) / error, df))


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
    """Who was measured: "A  NVIDIA H100 80GB HBM3: 132 SMs at 1980 MHz, 3352 GB/s; quick, commit a4f6415"."""
    run = rows["run"].iloc[0]
    device = run.device
    gpu = ""
    if device:
        gpu = (
            f": {device.get('sm_count', '?')} SMs at {device.get('clock_mhz', '?')} MHz, "
            f"{gb_per_s({'run': run, 'backend': 'cuda'}):.0f} GB/s"
        )
    ids = ", ".join(sorted(each.run_id for each in rows["run"].unique()))
    return f"{name}  {runs.device_name(run)}{gpu}; {run.profile}, commit {runs.commit_of(run)} ({ids})"


def as_text(lines):
    """The comparison for a terminal: a time where there is one, else the row's status."""

    def time(line, side):
        return f"{line[side + '_ms']:.4g}" if line[side + "_ms"] == line[side + "_ms"] else line[side + "_status"]

    def optional(value):
        return f"{value:.3f}" if np.isfinite(value) else ""

    def joules(value):
        return f"{value:.3g}" if np.isfinite(value) else ""

    across = lines["ratio_per_sm_ghz"].notna().any()
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
                    "hardware": np.where(lines["a_device"] == lines["b_device"], "", "different"),
                }
                if across
                else {}
            ),
            **({"A, J": lines["a_energy_j"].map(joules), "B, J": lines["b_energy_j"].map(joules)} if metered else {}),
        }
    )
    return shown.to_string(index=False, max_colwidth=60)


def hardware_remark(lines):
    """The line that must not be missed, or None."""
    pairs = {(a, b) for a, b in zip(lines["a_device"], lines["b_device"]) if a != b}
    if not pairs:
        return None
    return "DIFFERENT HARDWARE: " + "; ".join(f"A is {a}, B is {b}" for a, b in sorted(pairs))


def summary(lines):
    """How B did: in how many cells it is faster, slower or not told apart, by the 95 % interval of each; and by how much."""
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
    parser = argparse.ArgumentParser(prog="antbench.compare", description=__doc__.splitlines()[0])
    parser.add_argument("a", metavar="A", help="a run: directory, or MACHINE/ID of yours or the stored ones; with --run a row, 3.3/ds-roulette")
    parser.add_argument("b", metavar="B", help="another; MACHINE alone is the best stored row of each cell")
    parser.add_argument("--run", metavar="RUN", help="compare two rows of this run: A and B are TABLE/ROW/INPUT?protocol=as")
    parser.add_argument("--alike", action="store_true", help="fail where qualities differ by more than chance: exit code 4")
    parser.add_argument("--csv", metavar="FILE", help="write the comparison as CSV, - for stdout alone")
    return parser.parse_args(arguments)


def read(options):
    """(rows of A, rows of B, the comparison) as the options ask for it."""
    if options.run:
        rows = runs.best_rows(runs.load_runs(options.run))
        return rows, rows, compare_two(rows, options.a, options.b)
    a, b = (runs.best_rows(runs.load_runs(name)) for name in (options.a, options.b))
    return a, b, compare(a, b)


def main(arguments=None):
    options = parse(arguments)
    a, b, (lines, pairs, only_a, only_b) = read(options)
    if lines.empty:
        raise BadInput(f"nothing matched: {options.a} and {options.b} have no cell in common")
    if options.csv:
        try:
            lines.to_csv(sys.stdout if options.csv == "-" else options.csv, index=False)
        except OSError as error:
            raise BadInput(f"{options.csv}: {error.strerror}") from None
    qualities = compare_qualities(lines, pairs)
    if options.alike and qualities.empty:
        raise BadInput(f"{options.a} and {options.b} have no quality of two runs in common")
    if options.csv != "-":
        head = [describe(f"{options.a} and {options.b} of", a)] if options.run else [describe("A", a), describe("B", b)]
        times = [] if (lines["scope"] == "quality").all() else ["", as_text(lines), "", summary(lines)]
        of_runs = [] if qualities.empty else ["", "Qualities, means of the runs:", qualities_as_text(qualities), ""]
        print(
            "\n".join(
                [
                    *head,
                    hardware_remark(lines) or "the same hardware",
                    *times,
                    *of_runs,
                    f"{len(lines)} cells of both, {only_a} of A alone, {only_b} of B alone; "
                    "B/A of means and a t-test on processes, or of medians and the bootstrap where one process measured it",
                ]
            )
        )
    return command.WRONG if options.alike and (qualities["p"] < TOO_RARE).any() else command.OK


if __name__ == "__main__":
    command.run(lambda: main(sys.argv[1:]))
