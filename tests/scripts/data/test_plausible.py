"""Forged runs: what cannot be is refused, and what a run merely says of itself is told as that."""

import csv
import json
import lzma
import math
import os
import shutil

import pytest

from antbench.data import archive, code, plausible, runs, share
from antbench.data.command import USAGE, BadInput
from antbench.show import compare
from antbench.tools import list_runs, results_check

H100 = runs.RESULTS / "reference/nvidia-h100-80gb-hbm3"
ITERATIONS = H100 / "20261126T104904Z-c8d43aae-4.2"  # table 4.2
WEIGHTS = H100 / "20261127T114048Z-c8d43aae-jsc-1"  # table jsc-1
ANTS = H100 / "20261127T034714Z-68121b9f-5.1"  # table 5.1


def copied(stored, folder):
    """A copy whose samples can be edited."""
    run = shutil.copytree(stored, folder / "run")
    (run / "samples.csv").write_bytes(runs.content(run / "samples.csv.xz"))
    (run / "samples.csv.xz").unlink()
    return run


def table_of(run):
    return next(run.glob("table-*.csv"))


def change_rows(run, change):
    """change(cells) of each row."""
    with open(table_of(run), newline="") as file:
        lines = list(csv.DictReader(file))
    for cells in lines:
        change(cells)
    with open(table_of(run), "w", newline="") as file:
        writer = csv.DictWriter(file, lines[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def change_one(run, is_it, **changes):
    """Of the first row that is it; its cells."""
    found = []

    def change(cells):
        if not found and is_it(cells):
            found.append(cells)
            cells.update(changes)

    change_rows(run, change)
    return found[0]


def change_meta(run, change):
    meta = json.loads((run / "meta.json").read_text())
    change(meta)
    (run / "meta.json").write_text(json.dumps(meta))


def refusal(run, capsys):
    """What results-check says of a run, which share refuses as well."""
    assert results_check.main([str(run)]) == USAGE
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "1 runs, 1 broken" and len(told) == 2
    with pytest.raises(BadInput):
        share.main([str(run), "--out", str(run.parent / "out")])
    return told[0]


def has_tour(cells):
    return cells["quality_metric"].startswith("best-tour") and cells["instance"] == "d198" and cells["samples"]


def is_timed(cells):
    return cells["samples"] and cells["backend"] == "cuda" and cells["bytes"] and cells["scope"] != "setup"


# ---- The six forgeries of numbers ----


@pytest.mark.parametrize("stored", [ITERATIONS, WEIGHTS, ANTS])
def test_times_divided_by_ten(tmp_path, capsys, stored):
    """Samples and all: the GPU copies no faster than its memory allows."""
    run = copied(stored, tmp_path)
    header, *lines = (run / "samples.csv").read_text().splitlines()
    parts = [line.rsplit(",", 2) for line in lines]
    lines = [f"{start},{float(ms) / 10:.7g},{reason}" for start, ms, reason in parts]
    (run / "samples.csv").write_text("\n".join([header, *lines]) + "\n")
    names = [name for name in runs.TIMES if name != "published_ms"]
    change_rows(run, lambda cells: cells.update({n: f"{float(cells[n]) / 10:.12g}" for n in names if cells[n]}))
    assert "but the GPU needs" in refusal(run, capsys)


def test_tours_below_the_optimum(tmp_path, capsys):
    run = copied(ITERATIONS, tmp_path)

    def shorten(cells):
        if cells["quality_metric"]:
            n = len(cells["quality_runs"].split())
            cells.update(quality_best="15000", quality_mean="15000", quality_runs=" ".join(["15000"] * n))

    change_rows(run, shorten)
    assert "quality_best is 15000, below the optimum of" in refusal(run, capsys)


@pytest.mark.parametrize("changes", [{"quality_best": "999999999"}, {"quality_mean": "3"}])
def test_a_quality_that_is_not_that_of_its_runs(tmp_path, capsys, changes):
    run = copied(ITERATIONS, tmp_path)
    change_one(run, has_tour, **changes)
    ((name, value),) = changes.items()
    assert f"{name} is {value}, but the list quality_runs gives " in refusal(run, capsys)


@pytest.mark.parametrize(
    "changes, told",
    [
        ({"bytes": "1e18"}, "bytes is 1e+18, but choice-info/"),
        ({"bytes": "1"}, "bytes is 1, but choice-info/"),
        ({"flops": "1e18"}, "flops is 1e+18, but choice-info/"),
        ({"sm_clock_mhz": "1e9"}, "sm_clock_mhz is 1e+09, but the GPU says that its highest is 1980"),
        ({"sm_clock_mhz": "0"}, "sm_clock_mhz is 0"),
        ({"energy_j": "1e-9"}, "energy_j is 1e-09, less than the GPU draws when idle"),
        ({"energy_j": "-1"}, "energy_j is -1, not above 0"),
    ],
)
def test_work_clocks_and_energy_that_cannot_be(tmp_path, capsys, changes, told):
    run = copied(WEIGHTS, tmp_path)
    change_one(run, is_timed, **changes)
    assert told in refusal(run, capsys)


@pytest.mark.parametrize(
    "changes, told",
    [
        ({"verify_metric": "", "verify_value": ""}, "but verify_metric and verify_value are empty"),
        ({"verify_metric": ""}, 'verify_metric is "", expected largest-relative-error'),
        ({"verify_metric": "valid-moves"}, 'verify_metric is "valid-moves", expected largest-relative-error'),
        ({"verify_value": ""}, "verify_value is nan"),
        ({"verify_value": "0.5"}, "verify_value is 0.5, an error that is never accepted"),
        ({"verify_value": "-1"}, "verify_value is -1, an error that is never accepted"),
    ],
)
def test_rows_that_nobody_verified(tmp_path, capsys, changes, told):
    run = copied(WEIGHTS, tmp_path)
    change_one(run, is_timed, **changes)
    assert told in refusal(run, capsys)


@pytest.mark.parametrize(
    "text", ["12.3_0", " 12", "12 ", "0x10", "inf", "nan", "1e400", "TRUE", "+1", "1\u00a0", "\u0661"]
)
def test_numbers_that_c_does_not_write(tmp_path, text):
    for name in ("energy_j", "quality_best"):
        run = copied(ITERATIONS, tmp_path / name)
        change_one(run, has_tour, **{name: text})
        with pytest.raises(BadInput, match=f"{name} is not a number"):
            runs.load_run(run)
    run = copied(ITERATIONS, tmp_path / "samples")
    lines = (run / "samples.csv").read_text().splitlines()
    start, _, reason = lines[1].rsplit(",", 2)
    (run / "samples.csv").write_text("\n".join([lines[0], f"{start},{text},{reason}", *lines[2:]]) + "\n")
    with pytest.raises(BadInput, match="samples.csv:2: ms is not a number"):
        _ = runs.load_run(run).processes


# ---- What else follows from a row ----


@pytest.mark.parametrize(
    "changes, told",
    [
        ({"discarded": "7"}, "discarded is 7, but its samples give "),
        ({"processes": "99"}, "processes is 99, but its samples give "),
        ({"status": "error"}, "has samples, but its status is error"),
        ({"quality_reference": "15000"}, "quality_reference is 15000, but the optimum of the catalogue is 15780"),
        ({"quality_metric": ""}, "has a quality, but no quality_metric"),
        ({"verify_value": "0"}, "verify_value is 0, which is no number of valid tours"),
        ({"verify_value": "1.5"}, "verify_value is 1.5, which is no number of valid tours"),
    ],
)
def test_columns_that_contradict_a_row(tmp_path, capsys, changes, told):
    run = copied(ITERATIONS, tmp_path)
    change_one(run, has_tour, **changes)
    assert told in refusal(run, capsys)


def test_a_row_without_samples_was_not_measured(tmp_path, capsys):
    run = copied(ITERATIONS, tmp_path)
    empty = dict.fromkeys([*runs.TIMES, "samples", "processes", "discarded"], "")
    change_one(run, lambda cells: has_tour(cells) and cells["status"] == "ok", **empty)
    assert "status is ok, but there are no samples" in refusal(run, capsys)


def test_energy_is_above_0_and_within_the_power_limit():
    device = {"power_limit_w": 700.0}
    row = {"min_ms": 1.0, "max_ms": 2.0}
    assert plausible.energy_fault({**row, "energy_j": 0.5}, [device]) is None
    assert "more than its power limit of 700 W" in plausible.energy_fault({**row, "energy_j": 5.0}, [device])
    assert "not above 0" in plausible.energy_fault({**row, "energy_j": 0.0}, [device])


def test_conditions_that_no_gpu_has():
    device = {"power_limit_w": 700.0}
    right = {"power_w": 650.0, "temperature_c": 61.0}
    assert plausible.conditions_fault(right, [device]) is None
    assert plausible.conditions_fault({"power_w": math.nan, "temperature_c": math.nan}, [device]) is None
    for name, value in (("power_w", 0.0), ("power_w", 1500.0), ("temperature_c", 0.0), ("temperature_c", 400.0)):
        assert f"{name} is {value:g}" in plausible.conditions_fault({**right, name: value}, [device])


def test_no_stored_row_is_near_a_bound():
    """The nearest rows measure the limit itself; those of the H100 and H200 are at two thirds of what is refused."""
    nearest = {}
    for run in runs.load_below(runs.RESULTS / "reference"):
        for row in run.records:
            if row["backend"] == "cuda" and row["samples"] > 0:
                kind = row["scope"] == "setup"
                share_ = plausible.least_ms(row, run.devices)[0] / row["median_ms"]
                nearest[kind] = max(nearest.get(kind, 0), share_)
    assert 0.6 < nearest[True] < 0.7 and nearest[False] < 0.2


@pytest.mark.parametrize("device, bound", [({}, 0), ({"sm_count": 0, "clock_mhz": 0, "memory_bus_bits": 0}, 0)])
def test_a_gpu_that_is_not_known_has_no_bound(device, bound):
    row = {"implementation": "device/copy", "bytes": 1e12, "flops": 1e12, "params": ""}
    assert plausible.least_ms(row, [device])[0] == bound and plausible.least_ms(row, [])[0] == bound


def test_a_gpu_says_nothing_beyond_reason_of_itself(tmp_path):
    for name in ("sm_count", "clock_mhz", "memory_clock_mhz", "memory_bus_bits", "l2_bytes", "power_limit_w"):
        run = copied(ITERATIONS, tmp_path / name)
        change_meta(run, lambda meta: meta["devices"][0].update({name: 10**15}))
        with pytest.raises(BadInput, match=rf"devices\[0\].{name} is 1000000000000000"):
            runs.load_run(run)


def test_a_share_of_a_run_is_not_given_away(tmp_path):
    run = copied(ITERATIONS, tmp_path)
    change_meta(run, lambda meta: meta["options"].update(process=2))
    with pytest.raises(BadInput, match="it is one process's part of a run"):
        share.main([str(run), "--out", str(tmp_path / "out")])


# ---- What a run says of itself ----


@pytest.mark.parametrize("commit", ["--output=/tmp/x", "HEAD", "abc", "ABCDEF1", "0" * 41, "abcdef1\n", ""])
def test_a_commit_is_a_commit(tmp_path, commit):
    run = copied(ITERATIONS, tmp_path)
    change_meta(run, lambda meta: meta["build"].update(commit=commit))
    with pytest.raises(BadInput, match="build.commit is"):
        runs.load_run(run)


def test_git_takes_no_commit_for_an_option(tmp_path):
    """Whoever asks, and whatever was checked before."""
    (tmp_path / "x:kernels").mkdir()
    code.files(f"--output={tmp_path}/x")
    assert not list((tmp_path / "x:kernels").iterdir())


def test_what_a_run_says_of_its_code_is_told_as_that(tmp_path, capsys):
    share.main([str(ITERATIONS), "--out", str(tmp_path)])
    told = capsys.readouterr().out
    assert "says that it is of commit c8d43aae, unverified" in told and "; says that its device code is as in " in told
    (path,) = tmp_path.glob(f"*{archive.ENDING}")
    assert results_check.main([str(path)]) == 0
    assert "says that it is of commit c8d43aae, unverified" in capsys.readouterr().out
    assert list_runs.main([str(path)]) == 0 and "c8d43aae, unverified" in capsys.readouterr().out
    assert compare.main([str(path), str(ITERATIONS)]) == 0
    a, b = [line for line in capsys.readouterr().out.splitlines() if "commit c8d43aae" in line]
    assert "commit c8d43aae, unverified (" in a and "commit c8d43aae (" in b


# ---- Files that are none ----


@pytest.mark.parametrize("name", ["meta.json", "table-4.2.csv", "samples.csv", "samples.csv.xz"])
def test_a_pipe_or_a_device_is_no_file_of_a_run(tmp_path, name):
    def refused(make, folder):
        run = copied(ITERATIONS, folder)
        (run / name.removesuffix(".xz")).unlink()
        make(run / name)
        with pytest.raises(BadInput, match=f"{name.removesuffix('.xz')}.*: (not a regular file|No such file)"):
            _ = runs.load_run(run).processes

    refused(os.mkfifo, tmp_path / "pipe")
    refused(lambda path: path.symlink_to("/dev/full"), tmp_path / "device")


def test_samples_that_unpack_to_much_are_refused(tmp_path):
    run = copied(ITERATIONS, tmp_path)
    (run / "samples.csv").unlink()
    (run / "samples.csv.xz").write_bytes(lzma.compress(bytes(runs.LARGEST_SAMPLES + 1)))
    with pytest.raises(BadInput, match="samples.csv.xz: holds more than 64 MiB"):
        _ = runs.load_run(run).processes
    largest = max(len(runs.content(path)) for path in (runs.RESULTS / "reference").rglob("samples.csv.xz"))
    assert runs.LARGEST_SAMPLES > 3 * largest


def test_a_median_below_the_bound_is_no_time_though_one_sample_is_slow():
    row = {"implementation": "device/copy", "bytes": 1e12, "flops": math.nan, "params": "", "backend": "cuda"}
    device = {"memory_clock_mhz": 3201.0, "memory_bus_bits": 6144, "l2_bytes": 0, "sm_count": 132, "clock_mhz": 1980.0}
    least, _ = plausible.least_ms(row, [device])
    assert least > 0
    assert plausible.time_fault({**row, "median_ms": least / 2, "max_ms": 2 * least}, [device])
    assert plausible.time_fault({**row, "median_ms": 1.1 * least, "max_ms": 2 * least}, [device]) is None
