"""The two sides of a gate: each row with all processes that measured it, and whether the sides can be compared."""

from dataclasses import dataclass, field

import pandas as pd

from antbench.data import inference, runs
from antbench.data.command import BadInput

# Options that change what is measured.
OF_ONE_DRIVER = ("profile", "seed", "runs", "iterations", "set", "until_precise", "lock_clocks")
FAILED = ("timeout", "skipped", "unsupported", "error")


@dataclass(frozen=True, eq=False)
class Measured:
    """A row of one side."""

    row: object  # the row of the newest run, or a row with status wrong
    processes: list = field(default_factory=list)  # [samples in ms, NaN if discarded], in the order of time
    qualities: dict = field(default_factory=dict)  # {(seed's number, count of earlier values for this seed): quality}
    planned: int = 0  # number of processes that should have measured it
    faults: list = field(default_factory=list)  # rows of any process that are wrong or FAILED

    @property
    def timed(self):
        """The samples of each process that kept some."""
        return inference.timed(self.processes)

    @property
    def is_timed(self):
        return bool(self.timed)

    def lost(self, label):
        """The reason why processes of this side are missing; "" if all are there."""
        if not self.is_timed:
            return ""
        found = [f"{len(self.timed)} of {self.planned} processes of {label}"] if len(self.timed) < self.planned else []
        found += [f"{label}: {text}" for text in dict.fromkeys(f"{row['status']} {row['note']}" for row in self.faults)]
        return "; ".join(text.strip() for text in found)


class Side:
    """BASE or NEW: its runs. Runs of one driver are of one program with the same options."""

    def __init__(self, loaded, backend=None, name=""):
        self.runs = sorted(loaded, key=lambda run: run.started)
        expect_alike(self.runs, name)
        rows = pd.concat([run.rows for run in self.runs], ignore_index=True)
        if backend is not None:
            rows = rows[rows["backend"] == backend]
            if rows.empty:
                raise BadInput(f"{name}: no rows of backend {backend}")
        for which, devices in rows.groupby("backend")["device"].unique().items():
            if len(devices) > 1:
                raise BadInput(f"{name}: mixed devices: {which} rows of {', '.join(sorted(devices))}")
        self.rows = rows
        self.of_driver = {run.driver: run for run in self.runs}

    def measured(self, identity, other=None):
        """{identity: Measured}; `other` is the side that took turns with this one."""
        found = {}
        for row in runs.records_of(self.rows):
            found.setdefault(tuple(row[column] for column in identity), []).append(row)
        return {key: gather(rows, self.planned(rows, other)) for key, rows in found.items()}

    def shares(self, driver):
        """The runs of a driver that are one process of several each."""
        return [run for run in self.runs if run.driver == driver and run.meta.get("options", {}).get("process")]

    def planned(self, rows, other):
        """The number of processes that should have measured a row of this side."""
        if is_measured_once(rows[0]):
            return 1
        driver = rows[0]["run"].driver
        whole = [run for run in self.runs if run.driver == driver and run not in self.shares(driver)]
        of_row = {row["run"].path: row for row in rows}
        return sum(planned_by(run, of_row.get(run.path)) for run in whole) + self.planned_shares(driver, other)

    def planned_shares(self, driver, other):
        """The number that the other side has, if it took turns; else the number in the options."""
        mine, others = self.shares(driver), other.shares(driver) if other else []
        if mine and not others:
            return max(len(mine), mine[0].meta["options"].get("processes") or 0)
        return max(len(mine), len(others)) if mine else 0


def is_measured_once(row):
    """True for rows that only the first process measures: the GPU's start-up, and rows of the host backend."""
    return row["backend"] == "host" or (row["backend"] == "cuda" and row["scope"] == "setup")


def planned_by(run, row):
    """The number of processes of a run that should have measured a row. `row` is None if the run lacks it."""
    options = run.meta.get("options", {})
    if row is not None and options.get("until_precise") and row["stop_reason"] == "converged":
        return int(row["processes"])
    return max(len(run.meta.get("processes") or []), options.get("processes") or 0, 1)


def gather(rows, planned):
    """The Measured for rows of one identity, oldest first. The worst status among them counts."""
    worst = next((row for row in rows if row["status"] == "wrong"), rows[-1])
    processes = [samples for row in rows if row["samples"] > 0 for samples in runs.processes(row)]
    faults = [row for row in rows if row["status"] in ("wrong", *FAILED)]
    return Measured(worst, processes, by_seed(rows), planned, faults)


def by_seed(rows):
    """The qualities of a row's complete runs by seed. The processes of one run share out its seeds in turns."""
    found = {}
    for row in rows:
        options = row["run"].meta.get("options", {})
        process = options.get("process")
        first, step = (process - 1, options.get("processes") or 1) if process else (0, 1)
        for i, value in enumerate(qualities(row)):
            seed = first + i * step
            found[seed, sum(each == seed for each, _ in found)] = value
    return found


def qualities(row):
    values = runs.quality_of_runs(row)
    return values or ([row["quality_mean"]] if row["quality_mean"] == row["quality_mean"] else [])


def counts(base, new):
    """A line for each driver whose runs are single processes: their number, and the number that was planned."""
    for driver in sorted(base.of_driver.keys() & new.of_driver.keys()):
        if not any((run.rows["samples"] > 0).any() for side in (base, new) for run in side.shares(driver)):
            continue  # the first process alone has such rows
        planned = [[run.meta["options"].get("processes") or 0 for run in side.shares(driver)] for side in (base, new)]
        told = [
            f"{label} {len(of)} of {max(len(of), *of, len(others))} processes"
            for label, of, others in zip(("BASE", "NEW"), planned, reversed(planned))
            if of
        ]
        if told:
            yield f"{driver}: {', '.join(told)}"


def named(loaded):
    """Names of runs; of more than two the first one and the number of others."""
    ids = [run.run_id for run in loaded]
    return ", ".join(ids) if len(ids) < 3 else f"{ids[0]} and {len(ids) - 1} more"


def side(names, backend=None):
    """The Side that a user's RUNs name."""
    loaded = {run.path.resolve(): run for name in names for run in runs.load_runs(name)}
    return Side(loaded.values(), backend, " ".join(map(str, names)))


def expect_alike(loaded, name):
    """Refuses runs of one driver on one side that differ in options, program or device."""
    first = {}
    for run in loaded:
        other = first.setdefault(run.driver, run)
        for what, of_run in (("options", options_of), ("program", program_hash), ("device", device_of)):
            if of_run(run) != of_run(other):
                raise BadInput(
                    f"{name}: {other.run_id} and {run.run_id} differ in {what}: "
                    "the runs of a side must be of one program with the same options"
                )


def options_of(run):
    return {name: run.meta.get("options", {}).get(name) for name in OF_ONE_DRIVER}


def program_hash(run):
    return run.meta.get("build", {}).get("executable_sha256")


def device_of(run):
    return [device.get("name") for device in run.devices]


# ---- Conditions ----


def differences(base, new, allowed=()):
    """The reasons why times or qualities of the two sides cannot be compared, one line each."""
    found = []
    for driver in base.of_driver.keys() & new.of_driver.keys():
        old, now = base.of_driver[driver], new.of_driver[driver]
        found += [("input", text) for text in of_inputs(old, now)]
        found += [("options", f"{driver}: {text}") for text in of_options(old, now)]
        found += [("driver", text) for text in of_devices(old, now)]
    for label, which in (("BASE", base), ("NEW", new)):
        dirty = [run for run in which.runs if run.meta.get("build", {}).get("dirty")]
        told = f"{label} was built from a changed tree: {named(dirty)} (commit, build and measure, or --allow dirty)"
        found += [("dirty", told)] if dirty else []
    return [text for kind, text in dict.fromkeys(found) if kind not in allowed]


def of_inputs(old, now):
    before, after = ({each["name"]: each.get("sha256") for each in run.meta.get("inputs", [])} for run in (old, now))
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            hashes = [(of_run[name] or "unknown")[:12] for of_run in (before, after)]
            yield f"different files {name}: sha256 {hashes[0]} and {hashes[1]}"


def of_options(old, now):
    before, after = options_of(old), options_of(now)
    for name, value in before.items():
        if value != after[name]:
            yield f"different {name}: {shown(value)} and {shown(after[name])}"


def shown(value):
    return "default" if value is None else value


def of_devices(old, now):
    for before, after in zip(old.devices, now.devices):
        for name, label in (("driver", "driver"), ("power_limit_w", "power limit"), ("cuda_runtime", "CUDA runtime")):
            if before.get(name) != after.get(name):
                yield f"different {label}: {before.get(name)} and {after.get(name)}"


def expect_two(base, new):
    """Refuses sides that share a run or a file: what is judged against itself never differs."""
    of_base, of_new = (runs.places_of(side.runs) for side in (base, new))
    if shared := sorted(of_base & of_new):
        raise BadInput(
            f"{shared[0]}: is in BASE and in NEW, so it would be judged against itself; name another BASE or NEW"
        )


def expect_same_devices(base, new, option="--allow-different-devices"):
    """Refuses sides from different machines with one line. Otherwise every row would be "missing"."""
    for backend in sorted(set(base.rows["backend"]) & set(new.rows["backend"])):
        old, now = (sorted(set(side.rows.loc[side.rows["backend"] == backend, "device"])) for side in (base, new))
        if old != now:
            raise BadInput(
                f"different devices: BASE has {backend} rows of {', '.join(old)}, NEW of {', '.join(now)} "
                f"({option} compares them nevertheless)"
            )
