"""make export RUN=RUN FORMAT=google-benchmark: writes a run for other tools, to FILE or to stdout.

google-benchmark is the JSON of Google Benchmark's --benchmark_out, which its compare.py and several dashboards read. An
entry is a timed row in one process, with the process's mean. If there are several processes, aggregates follow: mean,
median, standard deviation and coefficient of variation. real_time and cpu_time are the same time, from the clock that
measured the row. All times are in ns, because compare.py prints whole units and pairs entries of equal units.
"""

import argparse
import json
import statistics
import sys

import numpy as np

from antbench.data import command, runs
from antbench.data.command import BadInput, write_file

NS = 1e6  # ns per ms


def google_benchmark(loaded):
    """The document of one run or several."""
    first = loaded[0]
    machine, build = first.meta["machine"], first.meta["build"]
    entries = [entry for run in loaded for row in run.records if row["samples"] > 0 for entry in of_row(run, row)]
    if not entries:
        raise BadInput(f"{first.path}: no timed row")
    family = {}  # {row: its number}
    for entry in entries:
        entry["family_index"] = family.setdefault(entry["run_name"], len(family))
    return {
        "context": {
            "date": first.started,
            "host_name": "",
            "executable": "antbench",
            "num_cpus": machine.get("usable_cores", 0),
            "mhz_per_cpu": 0,
            "cpu_scaling_enabled": machine.get("governor") not in (None, "", "performance"),
            "caches": [],
            "load_avg": [machine["load_average"]] if machine.get("load_average") is not None else [],
            "library_build_type": "release",
            "json_schema_version": 1,
            "antbench_version": build.get("version", ""),
            "antbench_commit": build["commit"],
            "antbench_runs": " ".join(run.run_id for run in loaded),
            "device": runs.device_name(first),
            "cpu": machine["cpu"],
        },
        "benchmarks": entries,
    }


def of_row(run, row):
    """An entry per process, then the aggregates."""
    name = "/".join(filter(None, [row["table"], row["row"], row["instance"], row["scope"], row["params"]]))
    kept = [samples[~np.isnan(samples)] for samples in runs.processes(row)]
    kept = [samples for samples in kept if len(samples)]
    means = [float(samples.mean()) for samples in kept]
    common = {"per_family_instance_index": 0, "run_name": name, "repetitions": len(kept), "threads": 1}
    for i, (samples, mean) in enumerate(zip(kept, means)):
        yield {
            "name": name,
            **common,
            "run_type": "iteration",
            "repetition_index": i,
            **timed(len(samples), NS * mean),
            **counters(row, mean),
        }
    if len(kept) > 1:
        spread = statistics.stdev(means)
        for which, value in (
            ("mean", statistics.mean(means)),
            ("median", statistics.median(means)),
            ("stddev", spread),
        ):
            yield aggregate(name, common, which, "time", len(kept), NS * value)
        yield aggregate(name, common, "cv", "percentage", len(kept), spread / statistics.mean(means))


def timed(iterations, value):
    return {"iterations": iterations, "real_time": value, "cpu_time": value, "time_unit": "ns"}


def counters(row, mean):
    """The row's counts per second."""
    rates = {"bytes_per_second": row["bytes"], "flops_per_second": row["flops"]}
    return {name: 1e3 * value / mean for name, value in rates.items() if value == value}


def aggregate(name, common, which, unit, n, value):
    kind = {"run_type": "aggregate", "aggregate_name": which, "aggregate_unit": unit}
    return {"name": f"{name}_{which}", **common, **kind, **timed(n, value)}


FORMATS = {"google-benchmark": google_benchmark}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results export", description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a run: directory, archive, or MACHINE/ID; a folder of runs gives one document")
    parser.add_argument("--format", choices=FORMATS, default="google-benchmark")
    parser.add_argument("--out", default="-", metavar="FILE", help="default: stdout")
    options = parser.parse_args(arguments)
    text = json.dumps(FORMATS[options.format](runs.load_runs(options.run)), indent=2) + "\n"
    if options.out == "-":
        sys.stdout.write(text)
        return command.OK
    write_file(options.out, text)
    return command.OK
