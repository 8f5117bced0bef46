"""The regression gate: is NEW slower than BASE, and is what it computes still right? `make regress`.

A row is slower when its median is at least THRESHOLD % higher, by no less than CUDA events resolve, and Mann and
Whitney's test tells the two apart at 1 % after Holm's correction over all rows compared (antbench.inference says how
samples become observations). With --rerun, the rows found slower are measured again, and only those that are slower
again count. Rows of a kind, such as the stages on a GPU, for which `make calibrate` found this machine to give too many
false alarms are never called slower, but inconclusive.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from antbench import command, inference, runs
from antbench.command import ROOT, BadInput

ALPHA = 0.01  # of the whole family of rows
EVENT_RESOLUTION_MS = 0.0005  # of CUDA events, as CUDA's documentation has it: what is less is no change
MAX_FALSE_POSITIVE_RATE = 0.05
FAILED = ("timeout", "skipped", "unsupported", "error")

# Verdicts, worst first, with the exit code that each asks for.
EXIT_CODES = {
    "wrong": command.WRONG,
    "slower": command.REGRESSION,
    "inconclusive": command.INCONCLUSIVE,
    "missing": command.INCONCLUSIVE,
    "unconfirmed": command.OK,
    "faster": command.OK,
    "same": command.OK,
    "verified": command.OK,
    "not timed": command.OK,
    "not asked for": command.OK,
    "new": command.OK,
}


@dataclass(frozen=True)
class Judgement:
    """What is said about one row."""

    row: object  # of NEW, or of BASE where NEW has none
    verdict: str  # a key of EXIT_CODES
    reason: str = ""  # why, for a person
    base_ms: float = np.nan  # medians of the samples that were compared
    new_ms: float = np.nan
    p: float = np.nan  # after Holm's correction

    @property
    def change(self):
        """0.1: the new median is 10 % higher."""
        return self.new_ms / self.base_ms - 1

    @property
    def name(self):
        return " ".join(str(self.row[column]) for column in runs.KEY if self.row[column])


# ---- Judging ----


def judge(base, new, threshold, allow_different_devices=False):
    """One Judgement for each row of either; `threshold` as a fraction."""
    identity = runs.KEY if allow_different_devices else runs.KEY + ["device"]
    of_base, of_new = by_identity(base, identity), by_identity(new, identity)
    asked_for = AskedFor(new)
    judgements = [
        judge_pair(row, of_new[key]) if key in of_new else judge_missing(row, asked_for) for key, row in of_base.items()
    ]
    judgements += [judge_new(row) for key, row in of_new.items() if key not in of_base]
    return decide(judgements, threshold)


def by_identity(rows, identity):
    records = rows.to_dict("records")
    return {tuple(row[column] for column in identity): row for row in records}


def judge_pair(base, new):
    """What can be said before all p-values are known; verdict "" where times are to be compared."""
    if new["status"] == "wrong":
        return Judgement(new, "wrong", new["note"])
    if is_timed(base) and new["status"] in FAILED:
        return Judgement(new, "inconclusive", f"{new['status']}: {new['note']}")
    if not (is_timed(base) and is_timed(new)):
        return Judgement(new, "verified" if new["status"] in runs.MEASURED else "not timed", new["note"])
    a, b = inference.matched(runs.all_samples(base), runs.all_samples(new))
    if len(a) == 0:
        return Judgement(new, "inconclusive", "no sample of BASE and NEW has the same number")
    return Judgement(new, "", same_code(base, new), np.median(a), np.median(b), inference.difference_p(a, b))


def is_timed(row):
    return row["samples"] > 0


def judge_new(row):
    return Judgement(row, "wrong", row["note"]) if row["status"] == "wrong" else Judgement(row, "new")


def judge_missing(row, asked_for):
    if asked_for(row):
        return Judgement(row, "missing", "in BASE, and not in NEW")
    return Judgement(row, "not asked for", "NEW's options leave it out")


class AskedFor:
    """Whether the options of NEW's runs ask for a row: a gate on the GPU alone does not miss the CPU's rows."""

    def __init__(self, rows):
        self.options = {run.meta.get("program"): run.meta.get("options", {}) for run in rows["run"].unique()}

    def __call__(self, row):
        options = self.options.get(row["run"].meta.get("program"))
        if options is None:
            return False
        return (
            options.get("profile") == row["run"].profile
            and options.get("backend", "auto") in ("auto", row["backend"])
            and row["instance"] in (options.get("instances") or [row["instance"]])
            and row["implementation"] in (options.get("implementations") or [row["implementation"]])
        )


def same_code(base, new):
    """Empty where the code may differ: the GPU's code is known by its hash, the CPU's by that of the whole program."""
    key = "device_code_sha256" if new["backend"] == "cuda" else "executable_sha256"
    hashes = [row["run"].meta.get("build", {}).get(key) for row in (base, new)]
    return "same code, different time: noise or the machine" if hashes[0] and hashes[0] == hashes[1] else ""


def decide(judgements, threshold):
    """Fills in the verdicts that wait for the p-values of the whole family."""
    waiting = [i for i, judgement in enumerate(judgements) if judgement.verdict == ""]
    corrected = inference.holm([judgements[i].p for i in waiting])
    for i, p in zip(waiting, corrected):
        judgements[i] = decide_one(replace(judgements[i], p=p), threshold)
    return judgements


def decide_one(judgement, threshold):
    resolution = EVENT_RESOLUTION_MS if judgement.row["backend"] == "cuda" else 0
    if abs(judgement.change) < threshold or abs(judgement.new_ms - judgement.base_ms) < resolution:
        return replace(judgement, verdict="same", reason="")
    if judgement.p < ALPHA:
        return replace(judgement, verdict="slower" if judgement.change > 0 else "faster")
    if judgement.change > 0:
        return replace(judgement, verdict="inconclusive", reason="its samples vary too much, or are too few, to say")
    return replace(judgement, verdict="same", reason="")


def exit_code(judgements):
    compared = [j for j in judgements if j.verdict not in ("missing", "not asked for", "new")]
    if not compared and not any(j.verdict == "wrong" for j in judgements):
        raise BadInput("nothing matched: BASE and NEW have no row in common")
    return next(code for verdict, code in EXIT_CODES.items() if any(j.verdict == verdict for j in judgements))


# ---- Refusing what cannot be compared ----


def expect_same_devices(base, new):
    """One line, rather than every row "missing", where the machines differ."""
    for backend in sorted(set(base["backend"]) & set(new["backend"])):
        old, now = (sorted(set(rows.loc[rows["backend"] == backend, "device"])) for rows in (base, new))
        if old != now:
            raise BadInput(
                f"different devices: BASE has {backend} rows of {', '.join(old)}, NEW of {', '.join(now)} "
                "(--allow-different-devices compares them nevertheless)"
            )


def expect_same_profile(base, new):
    """Profiles differ in how many iterations a run has, and the time of an iteration depends on its number."""
    profiles = [{run.profile for run in rows["run"].unique()} for rows in (base, new)]
    if "smoke" in profiles[0] ^ profiles[1]:
        raise BadInput(
            f"different profiles: BASE is {', '.join(sorted(profiles[0]))}, NEW is "
            f"{', '.join(sorted(profiles[1]))}; smoke has too few iterations to compare with others"
        )


# ---- Calibration ----


def calibration_file(run):
    """Where `make calibrate` leaves what it found of the machine that measured `run`."""
    return runs.RESULTS / "runs" / runs.machine_slug(run.meta.get("machine", {}).get("name", "")) / "calibration.json"


def read_calibration(path, threshold):
    """{kind of rows: {"once": rate, "confirmed": rate}} at a threshold no higher than the gate's."""
    try:
        calibration = json.loads(path.read_text())
        if calibration["threshold_percent"] / 100 > threshold + 1e-9:
            raise BadInput(
                f"{path}:1: calibrated for a threshold of {calibration['threshold_percent']:g} %: "
                f"make calibrate THRESHOLD={100 * threshold:g}"
            )
        return calibration["false_positive_rate"]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (json.JSONDecodeError, KeyError, TypeError):
        raise BadInput(f"{path}:1: not a calibration: make calibrate") from None


def kind_of(row):
    """What is calibrated apart: "cuda iteration". Stages last microseconds and vary more between starts."""
    return f"{row['backend']} {row['scope']}"


def distrust(judgements, rates, measured):
    """Slower rows of a kind with too many false alarms, measured "once" or "confirmed", become inconclusive."""

    def judged(judgement):
        rate = (rates or {}).get(kind_of(judgement.row), {}).get(measured, 0)
        if judgement.verdict != "slower" or rate <= MAX_FALSE_POSITIVE_RATE:
            return judgement
        reason = f"slower, but {100 * rate:.0f} % of the gates on {kind_of(judgement.row)} rows here are false alarms"
        return replace(judgement, verdict="inconclusive", reason=reason)

    return [judged(judgement) for judgement in judgements]


# ---- Measuring again ----


def confirm(judgements, base, measure, threshold):
    """Judges the slower rows by a second measurement; measure(rows) gives its rows."""
    suspects = [j for j in judgements if j.verdict == "slower"]
    if not suspects:
        return judgements
    try:
        again = measure([j.row for j in suspects])
    except BadInput as error:
        return [
            replace(j, verdict="inconclusive", reason=f"slower, but could not be measured again: {error}")
            if j.verdict == "slower"
            else j
            for j in judgements
        ]
    keys = {identity_of(j.row) for j in suspects}
    base = base[[identity_of(row) in keys for row in base.to_dict("records")]]
    second = {identity_of(j.row): j for j in judge(base, again, threshold, allow_different_devices=True)}
    return [confirm_one(j, second[identity_of(j.row)]) if j.verdict == "slower" else j for j in judgements]


def identity_of(row):
    return tuple(row[column] for column in runs.KEY)


def confirm_one(first, second):
    if second.verdict in ("wrong", "slower"):
        return replace(first, verdict=second.verdict, reason=second.reason or "confirmed by a second measurement")
    if second.verdict in ("same", "faster"):
        return replace(first, verdict="unconfirmed", reason=f"{100 * second.change:+.1f} % when measured again")
    return replace(first, verdict="inconclusive", reason=f"slower, but measured again: {second.reason}")


def measure_again(rows):
    """Runs the commands that measured these rows, for their instances and implementations alone."""
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    again = []
    for run in {id(row["run"]): row["run"] for row in rows}.values():
        out = ROOT / "build" / "regress" / stamp / run.meta["program"]
        arguments = rerun_command(run, [row for row in rows if row["run"] is run], out)
        done = subprocess.run(arguments, cwd=ROOT, stdout=subprocess.DEVNULL)
        if done.returncode not in (command.OK, command.WRONG):
            raise BadInput(f"{' '.join(map(str, arguments))} ended with {done.returncode}")
        again.append(runs.load_run(out))
    return runs.best_rows(again)


def rerun_command(run, rows, out):
    """The command line that NEW's meta.json records, narrowed to these rows."""
    program, driver = program_of(run)
    expect_same_program(program, run)
    options = {
        **run.meta["options"],
        "instances": sorted({row["instance"] for row in rows}),
        "implementations": sorted({row["implementation"] for row in rows}),
        "out": out,
    }
    if not known_implementations(program) >= set(options["implementations"]):  # rows of scope setup are in no registry
        options["implementations"] = run.meta["options"].get("implementations")
    arguments = [str(ROOT / program), *driver, "--quiet"]
    for name, value in options.items():
        if value is not None:
            name = "time-budget" if name == "time_budget_s" else name.replace("_", "-")
            value = {"none": 0}.get(value, value) if name == "time-budget" else value
            if isinstance(value, list) and name != "set":  # several --set, whose commas are their own
                value = ",".join(value)
            for one in value if isinstance(value, list) else [value]:
                arguments += [f"--{name}", str(one)]
    return arguments


def program_of(run):
    """(the program that measured a run, how it is told which driver): older programs had one driver each."""
    name = Path(run.meta["command_line"][0]).name
    return Path("build/bin") / name, [run.driver] if name == runs.PROGRAM else []


def expect_same_program(program, run):
    """A re-run by another program would confirm or clear the wrong code."""
    if not (ROOT / program).exists():
        raise BadInput(f"{program} is not built")
    if hashlib.sha256((ROOT / program).read_bytes()).hexdigest() != run.meta.get("build", {}).get("executable_sha256"):
        raise BadInput(f"{program} is not the program that measured {run.run_id}")


def known_implementations(program):
    listed = subprocess.run([ROOT / program, "--list"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {line.split("\t")[0] for line in listed.splitlines()[1:]}


# ---- Telling ----


def headline(judgements):
    code = exit_code(judgements)
    said = {
        command.OK: "no regression",
        command.REGRESSION: "slower",
        command.WRONG: "WRONG OUTPUT",
        command.INCONCLUSIVE: "inconclusive",
    }[code]
    counts = Counter(j.verdict for j in judgements)
    return f"{said}: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in EXIT_CODES if counts[verdict])


def notable(judgements):
    """What a person should read, worst first."""
    order = list(EXIT_CODES)
    told = [j for j in judgements if order.index(j.verdict) <= order.index("faster")]
    return sorted(told, key=lambda j: (order.index(j.verdict), -np.nan_to_num(j.change)))


def cells(judgement):
    """(verdict, row, base, new, change, p, reason) as text."""

    def shown(value, form):
        return "" if np.isnan(value) else form.format(value)

    return (
        judgement.verdict,
        judgement.name,
        shown(judgement.base_ms, "{:.4g}"),
        shown(judgement.new_ms, "{:.4g}"),
        shown(100 * judgement.change, "{:+.1f} %"),
        shown(judgement.p, "{:.1g}"),
        judgement.reason,
    )


def print_text(judgements, remarks):
    for judgement in notable(judgements):
        verdict, name, base, new, change, p, reason = cells(judgement)
        times = f": {base} -> {new} ms, {change}, p {p}" if change else ""
        print(f"{verdict:12} {name}{times}" + (f" ({reason})" if reason else ""))
    for remark in remarks:
        print(remark)
    print(headline(judgements))


def markdown(judgements, remarks):
    lines = [f"## Regression gate: {headline(judgements)}", ""]
    if told := notable(judgements):
        lines += ["| verdict | row | base, ms | new, ms | change | p | |", "|---|---|--:|--:|--:|--:|---|"]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells(j)) + " |" for j in told] + [""]
    return "\n".join(lines + [f"- {remark}" for remark in remarks]) + "\n"


def junit(judgements):
    """A test case for each row that was asked for; what is not known is skipped, what is bad has failed."""
    cases = [j for j in judgements if j.verdict not in ("not asked for", "new")]
    suite = xml.Element(
        "testsuite",
        name="regress",
        tests=str(len(cases)),
        errors="0",
        failures=str(sum(j.verdict in ("wrong", "slower") for j in cases)),
        skipped=str(sum(is_skipped(j) for j in cases)),
    )
    for j in cases:
        case = xml.SubElement(suite, "testcase", classname=f"table {j.row['table']}", name=j.name)
        verdict, _, base, new, change, p, reason = cells(j)
        message = f"{verdict}: {base} -> {new} ms, {change}, p {p}; {reason}" if change else f"{verdict}: {reason}"
        if j.verdict in ("wrong", "slower"):
            xml.SubElement(case, "failure", message=message)
        elif is_skipped(j):
            xml.SubElement(case, "skipped", message=message)
    return xml.ElementTree(suite)


def is_skipped(judgement):
    return judgement.verdict in ("inconclusive", "missing", "unconfirmed", "not timed")


def remarks_on(base, new, rates, threshold, calibration):
    base_ids, new_ids = (", ".join(sorted(run.run_id for run in rows["run"].unique())) for rows in (base, new))
    rule = (
        f"slower: median at least {100 * threshold:g} % higher, and p < {ALPHA:g} after Holm's correction "
        "(Mann-Whitney, medians of batches)"
    )
    if rates is None:
        known = "this machine is not calibrated: make calibrate tells how often its gate is wrong"
    else:
        known = (
            "false-positive rate here: "
            + ", ".join(
                f"{kind} {100 * rate['once']:.0f} %, confirmed {100 * rate['confirmed']:.0f} %"
                for kind, rate in rates.items()
            )
            + f" ({calibration})"
        )
    return [f"BASE {base_ids}; NEW {new_ids}", rule, known]


# ---- The program ----


def parse(arguments):
    parser = argparse.ArgumentParser(prog="antbench.regress", description=__doc__.splitlines()[0])
    parser.add_argument("base", metavar="BASE", help="a run: directory, or MACHINE/ID of yours or the stored ones")
    parser.add_argument("new", metavar="NEW", nargs="?", help="another (default: the newest of yours)")
    parser.add_argument("--threshold", type=float, default=5, metavar="PERCENT", help="default 5")
    parser.add_argument("--backend", choices=("cpu", "cuda", "host"), help="judge these rows alone")
    parser.add_argument("--rerun", action="store_true", help="measure rows found slower again, and believe it then")
    parser.add_argument("--calibration", metavar="FILE", help="what make calibrate found (default: where it keeps it)")
    parser.add_argument("--allow-different-devices", action="store_true")
    parser.add_argument("--junit", metavar="FILE", help="write JUnit XML")
    parser.add_argument("--summary", metavar="FILE", help="write Markdown, for instance to $GITHUB_STEP_SUMMARY")
    options = parser.parse_args(arguments)
    if not options.threshold > 0:
        parser.error("--threshold: expected a percentage above 0")
    return options


def load(name, backend):
    loaded = runs.load_runs(name)
    rows = runs.best_rows(loaded)
    for which, devices in rows.groupby("backend")["device"].unique().items():
        if len(devices) > 1:
            raise BadInput(f"{name}: mixed devices: {which} rows of {', '.join(sorted(devices))}")
    if backend is not None:
        rows = rows[rows["backend"] == backend]
        if rows.empty:
            raise BadInput(f"{name}: nothing matched: no rows of backend {backend}")
    return rows


def write(path, text):
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None


def main(arguments=None, measure=measure_again):
    options = parse(arguments)
    threshold = options.threshold / 100
    base = load(options.base, options.backend)
    new = load(options.new or runs.newest_run(runs.RESULTS / "runs"), options.backend)
    if not options.allow_different_devices:
        expect_same_devices(base, new)
    expect_same_profile(base, new)
    calibration = Path(options.calibration) if options.calibration else calibration_file(new["run"].iloc[0])
    rates = read_calibration(calibration, threshold) if options.calibration or calibration.exists() else None

    judgements = judge(base, new, threshold, options.allow_different_devices)
    if options.rerun:
        judgements = confirm(judgements, base, measure, threshold)
    judgements = distrust(judgements, rates, "confirmed" if options.rerun else "once")

    code = exit_code(judgements)
    remarks = remarks_on(base, new, rates, threshold, calibration)
    print_text(judgements, remarks)
    if options.summary:
        write(options.summary, markdown(judgements, remarks))
    if options.junit:
        write(options.junit, xml.tostring(junit(judgements).getroot(), encoding="unicode"))
    return code


if __name__ == "__main__":
    command.run(lambda: main(sys.argv[1:]))
