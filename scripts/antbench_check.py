"""A ReFrame check: runs make bench-all on the nodes of a site, one job per driver (docs/guide/fleet.md).

Usage: reframe -c scripts/antbench_check.py -r -n 'antbench_driver.*3.3' -S profile=quick

Each timed row is a performance variable: its median in milliseconds. Its reference is the median in the newest stored
run of the same GPU (results/reference). A row without a reference is reported, not judged. The tolerance covers
differences between the nodes of a fleet. `make regress` tells whether code became slower.
"""

import csv
import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.builtins import parameter, run_before, sanity_function, variable

ROOT = Path(__file__).resolve().parent.parent
KEY = ("table", "row", "instance", "implementation", "backend", "params", "scope")


def driver_of(path):
    """The driver in a file: 3.3 in bench/tables/thesis/table_3_3.c, jpdc-3 in bench/tables/jpdc/table_jpdc_3.c."""
    name = path.stem.removeprefix("table_")
    return name.replace("_", "." if name[0].isdigit() else "-")


def timed(path):
    """{key: row} of the timed rows of a table file."""
    with open(path, newline="") as file:
        return {tuple(row[name] for name in KEY): row for row in csv.DictReader(file) if row.get("median_ms")}


def stored(references, driver, device):
    """{key: row} of one GPU, or CPU, from the newest stored run of a driver that it took part in."""
    files = sorted(Path(references).glob(f"*/*/table-{driver}.csv"), key=lambda path: path.parent.name)
    for path in reversed(files):
        rows = {key: row for key, row in timed(path).items() if row["device"] == device}
        if rows:
            return rows
    return {}


def name_of(row):
    """The name of a performance variable: "3.3/race/pr1002?protocol=as;ants=1002#iteration"."""
    return f"{row['table']}/{row['row']}/{row['instance']}?{row['params']}#{row['scope']}"


@rfm.simple_test
class antbench_driver(rfm.RunOnlyRegressionTest):
    driver = parameter(sorted(map(driver_of, (ROOT / "bench/tables").glob("*/table_*.c"))))
    profile = variable(str, value="quick")
    options = variable(typ.List[str], value=[])  # more options of antbench
    references = variable(str, value=str(ROOT / "results/reference"))
    tolerance = variable(float, value=0.1)  # share by which a median may exceed its reference
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    time_limit = "2h"
    num_tasks = 1
    num_gpus_per_node = 1
    executable = str(ROOT / "build/bin/antbench")

    @run_before("run")
    def say_what(self):
        self.executable_opts = [self.driver, "--profile", self.profile, "--out", "run", "--quiet", *self.options]

    @sanity_function
    def is_complete(self):
        meta = Path(self.stagedir) / "run/meta.json"
        complete = meta.exists() and json.loads(meta.read_text()).get("complete")
        return sn.all(
            [
                sn.assert_true(complete, "the run is not complete"),
                sn.assert_eq(self.job.exitcode, 0, "exit code {0}: wrong output is 4, an error 1"),
            ]
        )

    @run_before("performance")
    def compare(self):
        rows = timed(Path(self.stagedir) / f"run/table-{self.driver}.csv")
        known = {
            device: stored(self.references, self.driver, device) for device in {row["device"] for row in rows.values()}
        }
        self.perf_variables = {
            name_of(row): sn.make_performance_function(sn.defer(float(row["median_ms"])), "ms") for row in rows.values()
        }
        self.reference = {
            "*": {
                name_of(row): (float(known[row["device"]][key]["median_ms"]), None, self.tolerance, "ms")
                for key, row in rows.items()
                if key in known[row["device"]]
            }
        }
