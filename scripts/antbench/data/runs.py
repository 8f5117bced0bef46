"""Reads runs (bench/record/run.h) and the published numbers. An error names the wrong line.

A row is a line of a table file: {column: value}. Absent text is "", an absent number is NaN.
row["run"] is the Run that the row belongs to, so that rows of several runs can stand in one DataFrame.
"""

import csv
import difflib
import functools
import io
import lzma
import math
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

from antbench.data import archive, machines, plausible, validate
from antbench.data.code import device_code_of, kernels_of
from antbench.data.command import ROOT, WORK, BadInput

# The columns of a table file and of samples.csv.
HEADER = (
    "schema,run_id,table,row,instance,size,implementation,backend,device,params,scope,seed,status,stop_reason,samples,"
    "processes,iterations,discarded,waited,median_ms,mean_ms,stddev_ms,min_ms,q1_ms,q3_ms,max_ms,ci95_lo_ms,ci95_hi_ms,bytes,flops,energy_j,"
    "quality_metric,quality_best,quality_mean,quality_runs,quality_reference,verify_metric,verify_value,kernels,block_threads,registers,"
    "shared_bytes,blocks_per_sm,occupancy,sm_clock_mhz,temperature_c,power_w,throttle,published_id,published_ms,note"
).split(",")
SAMPLES_HEADER = ["table", "row", "line", "process", "turn", "i", "number", "ms", "discard_reason"]
SAMPLE_NUMBERS = ["line", "process", "turn", "i", "number", "ms"]
LAUNCHED = [
    "kernels",
    "block_threads",
    "registers",
    "shared_bytes",
    "blocks_per_sm",
    "occupancy",
]  # columns with one value per kernel
COUNTS = (
    "size", "seed", "samples", "processes", "iterations", "discarded", "waited", "bytes", "flops", "energy_j", "temperature_c", "power_w",
)  # fmt: skip
NUMBER_ENDINGS = ("_ms", "_best", "_mean", "_reference", "_value", "_mhz")
NUMBERS = [name for name in HEADER if name.endswith(NUMBER_ENDINGS) or name in COUNTS]
TIMES = [name for name in HEADER if name.endswith("_ms") and name != "published_ms"]
PUBLISHED_HEADER = ["id", "source", "table", "section", "row", "instance", "metric", "unit", "value", "digits"]
MEASURED = plausible.MEASURED
STATUSES = (*MEASURED, "timeout", "skipped", "unsupported", "wrong", "error")
KEY = [
    "table",
    "row",
    "instance",
    "implementation",
    "backend",
    "params",
    "scope",
]  # columns that identify a row of a run
LARGEST_NUMBER = 1e30  # bound of the numbers in a table: their sums and squares stay finite
NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
PLAIN = bytes(range(ord("!"), ord("~") + 1)).replace(b'"', b"\n")  # the characters of samples.csv
ODD = b",true,", b",false,"  # pandas takes them for numbers, in any case; number() does not
REASON = re.compile("[a-z]*")
PROFILES = ("smoke", "quick", "thesis")  # the more telling, the later
RESULTS = ROOT / "results"
STORES = ("runs", "reference", "contributed")  # folders of RESULTS: yours, the kept runs, runs from others
LARGEST_TABLE = 1 << 22  # bytes; the table of the largest kept run has 0.3 MB
LARGEST_SAMPLES = 1 << 26  # bytes, unpacked; the samples of the largest kept run have 18 MB
LONGEST_LINE = 1 << 18  # bytes
UNPACKING = 1 << 27  # bytes of memory for xz: twice the dictionary of its highest level
NEWLINE = "\n"
SHARE = "process-"  # prefix of a process's folder, while a run of several processes lasts: DIR/process-1
STAGE = "stage"  # scope of rows whose samples are parts of the samples of the next row of another scope
PROGRAM = "antbench"  # program with all drivers


# ---- A run ----


@dataclass(frozen=True, eq=False)
class Run:
    """A finished or unfinished run of one driver: its folder, read."""

    path: Path
    meta: dict  # the contents of meta.json
    rows: pd.DataFrame = field(repr=False)  # the table file, with the number of each `line`

    @property
    def run_id(self):
        return self.meta["run_id"]

    @property
    def profile(self):
        return self.meta.get("options", {}).get("profile", "")

    @property
    def started(self):
        """UTC, as text that sorts by time."""
        return self.meta.get("started_utc", "")

    @property
    def driver(self):
        """The driver's name as in `make bench-DRIVER`: "3.3"."""
        return self.meta["command_line"][1]

    @property
    def devices(self):
        """Each GPU as meta.json describes it; [] without a GPU."""
        return self.meta["devices"]

    @property
    def device(self):
        """The first GPU; {} without a GPU."""
        return next(iter(self.devices), {})

    @cached_property
    def device_code(self):
        """The SHA-256 of what all kernels were compiled to; it does not depend on the folders of their files."""
        return device_code_of(self.meta.get("build", {}))

    @cached_property
    def kernels(self):
        """{"tsp/race.cu": hash of the file's device code}; "" if two files have this name."""
        return kernels_of(self.meta.get("build", {}))

    @cached_property
    def records(self):
        """The rows, each a dict {column: value}."""
        return records_of(self.rows)

    @cached_property
    def processes(self):
        """{line of the table file: [the samples of each process in ms, each at its number; NaN if discarded]}."""
        found, taken = read_samples(samples_file(self.path), self.rows)
        table = self.table
        for row in self.records:
            of_row, of_whole = (found[int(each["line"])] for each in (row, self.whole_of[int(row["line"])]))
            known = validate.check_statistics(table, row, of_row, taken[int(row["line"])])
            validate.check_status(table, row, of_row, of_whole, known)
        return found

    @cached_property
    def whole_of(self):
        """{line of the table file: the row whose samples contain the samples of that line as parts}."""
        return {int(row["line"]): whole for row, whole in zip(self.records, wholes(self.records))}

    @property
    def table(self):
        """The path of the table file."""
        return next(self.path.glob("table-*.csv"))

    @cached_property
    def all_samples(self):
        """{line of the table file: the samples of all processes, one process after another}."""
        return {line: np.concatenate(of_line or [np.array([])]) for line, of_line in self.processes.items()}

    def samples(self, row):
        """The kept samples of one of this run's rows, in ms; empty if it was not timed."""
        values = self.all_samples[int(row["line"])]
        return values[~np.isnan(values)]


def records_of(rows):
    """What to_dict("records") gives, in a fifth of its time."""
    return [dict(zip(rows, cells)) for cells in zip(*(rows[name].tolist() for name in rows))]


def wholes(records):
    """For each row the row whose samples contain its own: itself, or for a stage the next row that is no stage."""
    found = []
    for row in reversed(records):
        found.append(found[-1] if found and row["scope"] == STAGE else row)
    return found[::-1]


def samples(row):
    """The kept samples of a row of any run, in ms."""
    return row["run"].samples(row)


def all_samples(row):
    """The samples of a row in the order of measuring; NaN if discarded. The index is the sample's number."""
    return row["run"].all_samples[int(row["line"])]


def processes(row):
    """The samples of each process that measured a row, NaN if discarded; [] without samples."""
    return row["run"].processes[int(row["line"])]


# ---- Iterations ----


def iterations(row):
    """The number of first iterations of a run that a row is the mean of, at most; 0 if its samples are alike or
    missing.
    """
    return int(row["iterations"]) if row["samples"] > 0 and row["iterations"] > 0 else 0


def complete_iterations(row):
    """The number of iterations of a row's complete runs; 0 if no run came to its end."""
    return plausible.iterations_of_quality(row["run"].whole_of[int(row["line"])]) or 0


def of_first(row, first):
    """A row as if its runs had only the first `first` iterations; the row itself if they have no more."""
    if iterations(row) <= first:
        return row
    kept = processes_of_first(row, first)
    n_samples = float(sum(np.count_nonzero(~np.isnan(samples)) for samples in kept))
    times = {
        **dict.fromkeys(TIMES, math.nan),
        **validate.summary(kept),
    }  # no times if all of these samples were discarded
    return {**row, **times, "samples": n_samples, "iterations": float(first)}


def processes_of_first(row, first):
    """The samples of each process, as processes() has them, of the first `first` iterations of its runs."""
    count = iterations(row)
    if count <= first:
        return processes(row)
    return [samples[np.arange(len(samples)) % count < first] for samples in processes(row)]


def param(row, name, default=None):
    """The value, as text, of one parameter of a row: param(row, "threads")."""
    return plausible.params_of(row).get(name, default)


def device_name(run):
    """The GPU's name, or the CPU's name without a GPU."""
    return run.device.get("name") or run.meta.get("machine", {}).get("cpu") or "unknown"


def machine_slug(name):
    """A machine's folder name: "Intel(R) Xeon(R) Processor" -> "intel-xeon-processor" (bench/clock/machine.c)."""
    without_marks = re.sub(r"\([^)]*\)?", "", name).lower()
    return re.sub(r"[^a-z0-9]+", "-", without_marks).strip("-") or "unknown"


# ---- Reading ----


def samples_file(path):
    """The samples of a run: samples.csv, or the compressed file in stored and shared runs."""
    plain, packed = path / archive.SAMPLES, path / archive.PACKED
    return packed if packed.is_file() and not plain.is_file() else plain


def content(path):
    """The bytes of a table or of samples, unpacked if the name ends with .xz. No line is longer than 2 LONGEST_LINE."""
    path = Path(path)
    most = LARGEST_TABLE if path.name.startswith("table-") else LARGEST_SAMPLES
    data = validate.bytes_of(path, most)
    if path.suffix == ".xz":
        data = unpack(path, data, most)
    if any(data.find(b"\n", at, at + LONGEST_LINE) < 0 for at in range(0, len(data) - LONGEST_LINE, LONGEST_LINE)):
        raise BadInput(f"{path}: has a line of more than {LONGEST_LINE >> 10} KiB")
    return data


def unpack(path, data, most):
    """The bytes that xz packed; an error after `most` bytes."""
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, UNPACKING)
    try:
        unpacked = unpacker.decompress(data, most + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise BadInput(f"{path}: not compressed by xz: {error}") from None
    if len(unpacked) > most:
        raise BadInput(f"{path}: holds more than {most >> 20} MiB")
    if not unpacker.eof or unpacker.unused_data:
        raise BadInput(f"{path}: not compressed by xz: it is cut short, or goes on behind its end")
    return unpacked


def read_lines(path, header):
    """Yields (line, {column: text}) for each line of a CSV file that has this header and ends with a whole line."""
    data = content(path)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{path}:1: not a text file (UTF-8)") from None
    if not data:
        raise BadInput(f'{path}:1: empty; expected the header "{",".join(header)[:40]}..."')
    if not data.endswith(b"\n"):
        raise BadInput(f"{path}:{data.count(NEWLINE.encode()) + 1}: cut short: the last line has no end")
    # Not splitlines(), which ends lines at other characters too, and not StringIO, which takes four times the memory.
    for number, line in enumerate(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=NEWLINE), start=1):
        cells = split_cells(path, number, line[:-1])
        if number == 1:
            expect_header(path, cells, header)
            continue
        if len(cells) != len(header):
            raise BadInput(f"{path}:{number}: expected {len(header)} cells, got {len(cells)}")
        yield number, dict(zip(header, cells))


def split_cells(path, number, line):
    """The cells of a line; antbench writes no line breaks in cells."""
    if '"' not in line:
        return line.split(",") if line else []
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error as error:
        raise BadInput(f"{path}:{number}: not CSV: {error}") from None


def expect_header(path, cells, header):
    if cells == header:
        return
    wrong = next((a for a, b in zip(cells, header) if a != b), f"{len(cells)} columns")
    raise BadInput(
        f'{path}:1: unknown header: expected {len(header)} columns "{",".join(header)[:40]}...", got "{wrong}"'
    )


def number(path, line, name, text):
    """A finite number as C writes it, or NaN for an empty cell. Other forms, such as 1_0, are refused."""
    if text == "":
        return math.nan
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not abs(value) < LARGEST_NUMBER:
        raise BadInput(f'{path}:{line}: {name} is not a number: "{text}"')
    return value


def table_name(text):
    """The name of a table. The thesis's tables stand without "thesis-": "thesis-3.3" is "3.3"."""
    return text.removeprefix("thesis-")


def read_table(path, run_id):
    """The rows of a table file, with line numbers."""
    rows, first_device, keys = [], {}, {}
    for line, cells in read_lines(path, HEADER):
        check_row(path, line, cells, run_id)
        expect_one_device(path, line, cells, first_device)
        key = tuple(cells[name] for name in KEY)
        if keys.setdefault(key, line) != line:
            raise BadInput(f"{path}:{line}: the same row as line {keys[key]}")
        numbers = {name: number(path, line, name, cells[name]) if cells[name] else math.nan for name in NUMBERS}
        if fault := validate.row_fault(cells, numbers, KEY):
            raise BadInput(f"{path}:{line}: {fault}")
        rows.append({**cells, **numbers, "line": line})
    if not rows:
        raise BadInput(f"{path}:1: no rows, only the header")
    return pd.DataFrame(rows)


def check_row(path, line, cells, run_id):
    if cells["schema"] != str(validate.SCHEMA):
        raise BadInput(f'{path}:{line}: schema "{cells["schema"]}", but meta.json has schema {validate.SCHEMA}')
    if cells["run_id"] != run_id:
        raise BadInput(f"{path}:{line}: belongs to the run {cells['run_id']}, but meta.json describes {run_id}")
    if cells["status"] not in STATUSES:
        raise BadInput(f'{path}:{line}: unknown status "{cells["status"]}"; expected one of {" ".join(STATUSES)}')
    for value in cells["quality_runs"].split():
        number(path, line, "quality_runs", value)


def expect_one_device(path, line, cells, first):
    """Refuses rows of a second machine: a run has one GPU and one CPU."""
    device, since = first.setdefault(cells["backend"], (cells["device"], line))
    if cells["device"] != device:
        raise BadInput(
            f'{path}:{line}: mixed devices: {cells["backend"]} is "{cells["device"]}" here and '
            f'"{device}" on line {since}'
        )


def read_samples(path, rows):
    """({line of the table file: [samples per process]}, {line: number of samples taken}).

    Samples after the last row belong to a row that was never finished, and are left out. `i` counts the samples of a
    line over all processes. Each process's samples are in the order of their numbers. A sample that was taken again
    counts once.
    """
    found = read_samples_at_once(path, rows)
    return read_samples_by_line(path, rows) if found is None else found


def read_samples_at_once(path, rows):
    """As read_samples(), several times as fast; None if something is wrong, or written in another form."""
    frame = samples_frame(content(path))
    if frame is None:
        return None
    frame = frame[(frame["line"] <= rows["line"].max()).to_numpy()]
    frame = frame.iloc[np.argsort(frame["line"].to_numpy(), kind="stable")]
    if frame.empty or not fits(frame, rows):
        return None
    ms = np.where(frame["discard_reason"] == "", frame["ms"], math.nan)
    parts = by_process(*(frame[name].to_numpy() for name in ("line", "process", "number")), ms)
    if parts is None:
        return None
    lines = [int(line) for line in rows["line"]]
    found = {line: [] for line in lines}
    taken = dict.fromkeys(lines, 0) | frame["line"].value_counts(sort=False).to_dict()
    for line, samples in parts:
        found[line].append(samples)
    return found, taken


def samples_frame(text):
    """The lines of samples.csv; None if one is not in the form that the program writes, or no sample is there."""
    is_plain = not text.translate(None, PLAIN) and text.count(b"+") == text.count(b"e+")
    lower, header = text.lower(), f"{','.join(SAMPLES_HEADER)}\n".encode()
    if not is_plain or any(odd in lower for odd in ODD) or not text.startswith(header):
        return None
    counts = {name: "int64" for name in SAMPLE_NUMBERS if name != "ms"}
    try:
        with np.errstate(all="raise"):
            frame = pd.read_csv(
                io.BytesIO(text),
                dtype={name: "category" for name in SAMPLES_HEADER} | counts | {"ms": float},
                keep_default_na=False,
                skip_blank_lines=False,
                float_precision="round_trip",
            )
    except (ValueError, ArithmeticError):  # ValueError is the base of pandas' own errors
        return None
    lines = len(frame) + 1
    is_whole = text.endswith(b"\n") and text.count(b"\n") == lines and text.count(b",") == header.count(b",") * lines
    if frame.empty or not is_whole or not (frame["ms"].abs() < LARGEST_NUMBER).all():
        return None
    return frame if all(map(REASON.fullmatch, frame["discard_reason"].cat.categories)) else None


def fits(frame, rows):
    """Whether samples, sorted by `line`, belong to these rows, follow one another, and take times that a kernel takes."""
    line, process = frame["line"].to_numpy(), frame["process"].to_numpy()
    begin = beginnings(line)
    names = [frame[name].cat.codes.to_numpy() for name in ("table", "row")]
    named = frame[["line", "table", "row"]].iloc[begin].itertuples(index=False, name=None)
    kept = frame["ms"].to_numpy()[(frame["discard_reason"] == "").to_numpy()]
    return (
        len(beginnings(line, *names)) == len(begin)
        and set(named) <= set(rows[["line", "table", "row"]].itertuples(index=False, name=None))
        and (frame["i"].to_numpy() == places(begin, len(line))).all()
        and (process >= 1).all()
        and not ((process[1:] < process[:-1]) & ~changes(line)).any()
        and ((kept >= validate.LEAST_MS) & (kept <= validate.MOST_MS)).all()
    )


def by_process(line, process, number, ms):
    """(line, samples) of each process, of each number the last one. None if numbers do not follow one another, or if
    one that was kept is there again.
    """
    order = np.lexsort((number, process, line))
    line, process, number, ms = (each[order] for each in (line, process, number, ms))
    first = order[beginnings(line, process, number)]
    is_last = np.append(changes(line, process, number), True)
    if not np.isnan(ms[~is_last]).all():
        return None
    line, process, number, ms = (each[is_last] for each in (line, process, number, ms))
    begin = beginnings(line, process)
    is_after = (first[1:] > first[:-1]) | changes(line, process)
    if (number != places(begin, len(line))).any() or not is_after.all():
        return None
    return zip(line[begin].tolist(), np.split(ms, begin[1:]))


def changes(*columns):
    """Whether each place but the first differs from the one before it, in any column."""
    return np.any([each[1:] != each[:-1] for each in columns], axis=0)


def beginnings(*columns):
    """The place of the first of each group of neighbours that are equal in all columns."""
    return np.append(0, 1 + np.flatnonzero(changes(*columns)))


def places(begin, count):
    """The place of each element in its group, for the groups that begin there."""
    return np.arange(count) - np.repeat(begin, np.diff(begin, append=count))


def read_samples_by_line(path, rows):
    of_line = {int(row.line): row for row in rows.itertuples()}
    values, last_process = {line: [] for line in of_line}, dict.fromkeys(of_line, 1)
    counts = dict.fromkeys(of_line, 0)
    for line, cells in read_lines(path, SAMPLES_HEADER):
        of, process, _, i, at, ms = (number(path, line, name, cells[name]) for name in SAMPLE_NUMBERS)
        if of > max(of_line):
            continue
        row = of_line.get(of)
        if row is None or (row.table, row.row) != (cells["table"], cells["row"]) or i != counts[of]:
            raise BadInput(
                f"{path}:{line}: sample {cells['i']} of {cells['table']} {cells['row']} does not fit "
                f'line "{cells["line"]}" of the table'
            )
        if not cells["discard_reason"] and not validate.LEAST_MS <= ms <= validate.MOST_MS:
            bounds = f"{validate.LEAST_MS:g} to {validate.MOST_MS:g} ms"
            raise BadInput(f'{path}:{line}: ms is "{cells["ms"]}", but a kept sample takes {bounds}')
        if process < last_process[of]:
            raise BadInput(f"{path}:{line}: process {cells['process']} after process {last_process[of]}")
        if process != last_process[of] or not values[of]:
            values[of].append({})
        of_process, last_process[of] = values[of][-1], process
        if at not in range(len(of_process) + 1):
            raise BadInput(f"{path}:{line}: sample number {cells['number']} comes after {len(of_process)} samples")
        if not math.isnan(of_process.get(at, math.nan)):
            raise BadInput(f"{path}:{line}: sample number {cells['number']} is there twice, and the first was kept")
        of_process[at] = math.nan if cells["discard_reason"] else ms
        counts[of] += 1
    found = {line: [np.array(list(of_process.values())) for of_process in of_row] for line, of_row in values.items()}
    return found, counts


def read_meta(path):
    meta = validate.read_json(path)
    validate.check_meta(path, meta)
    return meta


def load_run(path):
    """The run in the directory `path`."""
    path = Path(path)
    meta = read_meta(path / "meta.json")
    tables = sorted(path.glob("table-*.csv"))
    if len(tables) != 1:
        raise BadInput(f"{path}: expected one file table-*.csv, found {len(tables)}")
    run = Run(path, meta, read_table(tables[0], meta["run_id"]))
    for row in records_of(run.rows):
        if fault := plausible.fault(row, meta):
            raise BadInput(f"{tables[0]}:{row['line']}: {fault}")
    run.rows["run"] = [run] * len(run.rows)
    return run


# ---- Finding runs ----


def stores():
    return [yours() if name == STORES[0] else RESULTS / name for name in STORES]


def yours():
    """The folder of your runs; for an installed copy it is below the current directory (base/root.h)."""
    return (WORK / "results" if RESULTS == ROOT / "results" else RESULTS) / STORES[0]


def find_runs(*roots):
    """The directories of all runs below these folders (default: yours and the stored ones), oldest first.

    The time is the one in meta.json. Runs whose meta.json does not say it come before all others.

    If a run of several processes is unfinished, its processes' folders are found in its place. An archive in
    results/contributed/ counts as the folder that it was packed from.
    """
    folders = [*map(Path, roots or stores()[:2])]
    folders += [archive.unpacked(path) for root in folders for path in archives_in(root)]
    found = {meta.parent for folder in folders for meta in folder.rglob("meta.json")}
    shown = [path for path in found if not is_hidden(path, found)]
    return sorted(shown, key=lambda path: (started_of(path), in_turn(path.name), str(path)))


def started_of(path):
    """When the run in a directory began: UTC, as text that sorts by time; "" if its meta.json does not say it."""
    try:
        state = (path / "meta.json").stat()
        return started_once(path / "meta.json", state.st_size, state.st_mtime_ns)
    except (BadInput, OSError):
        return ""


@functools.cache
def started_once(path, size, changed):
    """The time in a meta.json. It is read once, and again only if it has changed; load_run() checks the rest of it."""
    meta = validate.read_json(path, strict=False)
    started = meta.get("started_utc") if isinstance(meta, dict) else None
    return started if validate.is_time(started) else ""


def archives_in(folder):
    """The archives in results/contributed/, if this is the folder; else []."""
    given = RESULTS / STORES[2]
    is_given = given.is_dir() and folder.is_dir() and folder.samefile(given)
    return sorted(given.glob(f"*{archive.ENDING}")) if is_given else []


def place_of(path):
    """Where a run lies for its user: its folder, or the archive that it was unpacked from."""
    return next((source for folder, source in archive.FOLDERS.items() if path.is_relative_to(folder)), path)


def places_of(loaded):
    """The places of runs, or of files of other harnesses, by which the same ones are known; links are followed."""
    return {place_of(each.path).resolve() for each in loaded}


def store_of(run):
    """The name of the folder of STORES that a run lies in; "" for another place."""
    return next((root.name for root in stores() if place_of(run.path).is_relative_to(root)), "")


def load_below(*roots):
    """The runs of find_runs(). Each is read once, and again only if one of its files has changed."""
    return [load_once(path, state_of(path)) for path in find_runs(*roots)]


@functools.cache
def load_once(path, state):
    return load_run(path)


def state_of(path):
    """{(name, size, time of the last change)} of a run's files."""
    found = [(file.name, file.stat()) for file in path.iterdir()]
    return frozenset((name, state.st_size, state.st_mtime_ns) for name, state in found)


def in_turn(name):
    """A key that sorts names by time, numbers as numbers: "...-10" comes after "...-9"."""
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name)]


def is_hidden(path, found):
    """True for a process's folder within a complete run, and for an unfinished run that has such folders."""
    is_share = path.name.startswith(SHARE) and path.parent in found
    of_shares = is_share or (path / f"{SHARE}1") in found
    return of_shares and is_share == is_complete(path.parent if is_share else path)


def is_complete(path):
    try:
        return bool(read_meta(path / "meta.json").get("complete"))
    except BadInput:
        return False


def is_given(path):
    """True if a run comes from others: from results/contributed/, or from an archive."""
    return any(path.is_relative_to(folder) for folder in (RESULTS / STORES[2], *archive.FOLDERS))


def commit_of(run):
    """The commit that a run names, and whether that can be trusted."""
    build = run.meta["build"]
    return build["commit"] + " (changed)" * build["dirty"] + ", unverified" * is_given(run.path)


def name_of(path):
    """A run's name for RUN=: its path below results/runs or reference, contributed/MACHINE/ID, or its whole path.

    For a run in an archive it is the archive's: contributed/MACHINE-ID.tar.gz.
    """
    path = place_of(path)
    roots = [root for root in (*stores()[:2], RESULTS) if path.is_relative_to(root)]
    return path.relative_to(roots[0]) if roots else path


def resolve(name):
    """The directory that RUN names: a path, or "<machine>/<id>" or "<machine>" among your runs and the stored ones."""
    if not str(name):
        raise BadInput(
            "expected a run, got nothing (make compare A=RUN B=RUN, make regress BASE=RUN, make share RUN=RUN)"
        )
    for candidate in (Path(name), *(root / name for root in (*stores()[:2], RESULTS))):
        if candidate.name.endswith(archive.ENDING) and candidate.is_file():
            return archive.unpacked(candidate)
        if candidate.is_dir() and find_runs(candidate):
            return candidate
    meant = nearest(str(name), run_names())
    question = f"; did you mean {meant}?" if meant else ""
    raise BadInput(f"{name}: no run there; a run is a directory with meta.json{question} (make list-runs shows all)")


def run_names():
    """All names that RUN= may have in results/: machines, folders of runs and runs."""
    found = [name_of(path) for path in find_runs(*stores())]
    return list(dict.fromkeys(str(name) for run in found for name in (*list(run.parents)[-2::-1], run)))


def nearest(name, names):
    """The name that was probably meant, or None: the shortest that contains the text, else one spelt much alike."""
    having = [each for each in names if name.lower() in each.lower()]
    alike = difflib.get_close_matches(name, names, n=1) if not having else []
    return min(having, key=len) if having else next(iter(alike), None)


def load_runs(name: str | os.PathLike[str]) -> list[Run]:
    """All runs below a directory, newest last. bench-all makes a folder with one run per driver."""
    return [load_run(path) for path in find_runs(resolve(name))]


def newest_run(root=None):
    """The directory of your newest run, or else of the newest stored one."""
    for folder in (root,) if root else stores()[:2]:
        found = find_runs(folder)
        if found:
            return found[-1]
    raise BadInput("no run found; make bench-all measures one")


def best_rows(runs, of_several=lambda row: False):
    """The best row of each cell over several runs, with a column `rank`: the larger, the better.

    A timed row comes first, then a row that is not from a smoke test. Of a CPU's rows, code that several hosts measured
    (`of_several`) comes next, then more processes. Then comes the newest code of a table, the hash of all CPU programs
    or of all device code, so that no column of a GPU mixes versions. A faster host takes more samples in its time
    limit, so a CPU's row of more samples or runs only comes first among the same code. So does a time of the GPU alone
    (`has_cpu_time`). Last come the profile and the time of the run.
    """
    if not runs:
        return pd.DataFrame(columns=HEADER + ["line", "run", "rank"])
    rows, every = pd.concat([run.rows for run in runs], ignore_index=True), [row for run in runs for row in run.records]
    order = pd.DataFrame(
        {
            "timed": rows["median_ms"].notna(),
            "more_than_smoke": [run.profile != "smoke" for run in rows["run"]],
            "gpu_alone": [not has_cpu_time(row) for row in every],
            "profile": [PROFILES.index(run.profile) if run.profile in PROFILES else -1 for run in rows["run"]],
            "started": [run.started for run in rows["run"]],
        }
    )
    of_cpu = [evidence(row) if row["backend"] == "cpu" else (0, 0) for row in every]
    order["processes"], order["samples"] = zip(*of_cpu)
    order["several"] = [row["backend"] == "cpu" and of_several(row) for row in every]
    newest = order.sort_values(["timed", "more_than_smoke", "started"], kind="stable").index
    code = pd.Series([machines.code_of(row) if row["backend"] == "cpu" else row["run"].device_code for row in every])
    of_table = [rows[name] for name in ("table", "backend")]
    order["current"] = code == code[newest].groupby([each[newest] for each in of_table]).transform("last").sort_index()
    ranked = order.sort_values(
        ["timed", "more_than_smoke", "several", "processes", "current", "samples", "gpu_alone", "profile", "started"],
        kind="stable",
    ).index
    best = rows.loc[ranked].assign(rank=range(len(rows))).drop_duplicates(KEY, keep="last")
    return best.sort_index().reset_index(drop=True)


def has_cpu_time(row):
    """True if a GPU row's time includes the CPU's part of the work in at least one process: only then it says how long
    the process waited for a core.
    """
    return row["backend"] == "cuda" and row["waited"] == row["waited"]


def evidence(row):
    """(number of processes, number of samples, or of runs with a known quality if the row has no samples)."""
    processes = row["processes"] if row["processes"] > 0 else 0
    return processes, row["samples"] if row["samples"] > 0 else len(quality_of_runs(row))


def for_device(device, *roots):
    """The best stored row of each cell for a GPU or CPU, named in full or as its folder. No run holds all tables."""
    runs = load_below(*roots)
    chosen = [run for run in runs if machine_slug(device_name(run)) == machine_slug(device)]
    if not chosen:
        known = sorted({machine_slug(device_name(run)) for run in runs})
        raise BadInput(f"{device}: no run of this device; there are {', '.join(known) or 'none'}")
    return best_rows(chosen)


# ---- Published numbers ----


def published(folder=RESULTS / "published"):
    """All numbers of the thesis and the papers, from results/published/*.csv."""
    rows = [
        {
            **cells,
            "value": number(path, line, "value", cells["value"]),
            "digits": number(path, line, "digits", cells["digits"]),
        }
        for path in sorted(Path(folder).glob("*.csv"))
        for line, cells in read_lines(path, PUBLISHED_HEADER)
    ]
    return pd.DataFrame(rows, columns=PUBLISHED_HEADER)


# ---- Intervals ----


def is_of_processes(row):
    """True if several processes measured a row. Then its interval is an interval of their means (bench/row/stats.h)."""
    return row["processes"] > 1


def own_interval(row):
    """(value, low, high) of a row in ms: the mean of several processes with its interval, or one process's median."""
    low, high = row["ci95_lo_ms"], row["ci95_hi_ms"]
    if not is_of_processes(row):
        return row["median_ms"], low, high
    return row["mean_ms"], low, high


def mean_interval(row):
    """(mean, low, high, n) of a row in ms: the 95 % interval of the mean, from its n processes.

    For one process it is Student's interval of its n samples; NaN below 2. It does not tell how processes differ.
    """
    if is_of_processes(row):
        return *own_interval(row), int(row["processes"])
    n, mean, stddev = row["samples"], row["mean_ms"], row["stddev_ms"]
    half = special.stdtrit(n - 1, 0.975) * stddev / math.sqrt(n) if n > 1 else math.nan
    return mean, *validate.on_logarithms(mean, half), int(n) if n == n else 0


def student(values):
    """(mean, low, high): Student's 95 % interval of the mean of independent values."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return values.mean(), math.nan, math.nan
    half = special.stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / math.sqrt(len(values))
    return values.mean(), values.mean() - half, values.mean() + half


def quality_of_runs(row):
    """The quality of each complete run."""
    return plausible.listed_qualities(row)
