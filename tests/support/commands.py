"""Running the drivers and reading what they leave, for the end-to-end tests."""
import csv
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADER = (
    "schema,run_id,table,row,instance,size,implementation,backend,device,params,scope,seed,status,stop_reason,samples,"
    "discarded,median_ms,mean_ms,stddev_ms,min_ms,q1_ms,q3_ms,max_ms,ci95_lo_ms,ci95_hi_ms,quality_metric,quality_best,"
    "quality_mean,quality_reference,verify_metric,verify_value,sm_clock_mhz,throttle,published_id,published_ms,note"
)
TIMES = [name for name in HEADER.split(",") if name.endswith("_ms") and name != "published_ms"]


def drive(driver, *arguments, tsplib="/nonexistent", images="/nonexistent", **options):
    """Runs a driver where no TSPLIB file and no image can be found, unless `tsplib` or `images` says where."""
    environment = dict(os.environ, TSPLIB_DIR=str(tsplib), IMAGES_DIR=str(images))
    return subprocess.run([driver, *map(str, arguments)], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=120, **options)


def table_of(directory):
    """The one table file of a run."""
    [table] = directory.glob("table-*.csv")
    return table


def rows_of(directory):
    with open(table_of(directory), newline="") as file:
        return list(csv.DictReader(file))


def samples_of(directory):
    with open(directory / "samples.csv", newline="") as file:
        return list(csv.DictReader(file))


def one_line(result):
    """The only line on stderr."""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]
