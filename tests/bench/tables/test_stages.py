"""The drivers of single operations, end to end: what is verified and timed, and what would take too long."""

import pytest

from antbench.data import cells, command, runs
from support.commands import drive, rows_of
from thesis_run import made_row, write_run


def measure(out, driver, *arguments):
    """(exit code, {row: its row}) of a run on a small instance, in one process."""
    done = drive("--quiet", "--instances", "u60", "--processes", "1", *arguments, "--out", out, driver=driver)
    assert (out / "meta.json").exists(), done.stderr
    return done.returncode, {row["row"]: row for row in rows_of(out)}


def test_every_strategy_is_verified_and_the_cpu_is_timed(tmp_path):
    code, rows = measure(tmp_path / "run", "jpdc-4", "--iterations", "5")
    assert code == command.OK and all(row["verify_metric"] == "valid-deposits" for row in rows.values())
    timed = {name for name, row in rows.items() if row["backend"] == "cpu"}
    assert timed == {"acotsp-seq", "cpu-rows-1", "cpu-rows-all"}
    assert all(rows[name]["status"] in runs.MEASURED and float(rows[name]["mean_ms"]) > 0 for name in timed)
    assert all(float(row["verify_value"]) == 60 * 60 for row in rows.values())
    assert rows["acotsp-seq"]["bytes"] == str(8 * 60 * 60 + 4 * 60 * 61)


def test_the_error_of_weights_is_recorded(tmp_path):
    code, rows = measure(tmp_path / "run", "jsc-1", "--iterations", "5")
    assert code == command.OK
    for row in rows.values():
        assert row["verify_metric"] == "largest-relative-error" and 0 < float(row["verify_value"]) < 1e-5
    assert float(rows["cpu-simd-1"]["flops"]) == 3 * 60 * 60


@pytest.mark.parametrize("set_, refused", [("beta=3", True), ("beta=2", False)])
def test_multiply_has_two_exponents(tmp_path, set_, refused):
    _, rows = measure(
        tmp_path / "run",
        "jsc-1",
        "--set",
        set_,
        "--backend",
        "host",
        "--implementations",
        "choice-info/powf,choice-info/multiply",
    )
    assert rows["powf"]["status"] == "ok"
    assert rows["multiply"]["status"] == ("unsupported" if refused else "ok")
    assert not refused or "needs alpha = 1 and beta = 2, not 1 and 3" in rows["multiply"]["note"]


# ---- Rows that would take too long ----


def test_a_row_that_would_pass_its_limit_is_not_run(tmp_path):
    """The limit is a microsecond: told from one ant's deposit, ACOTSP's way passes it; where no stage is told of, a row is
    run and ends with its budget."""
    code, rows = measure(tmp_path / "run", "jpdc-4", "--backend", "cpu", "--time-budget", "0.000001")
    assert code == command.OK
    late = rows["acotsp-seq"]
    assert late["status"] == "timeout" and not late["mean_ms"] and not late["verify_metric"]
    assert "a sample needs about " in late["note"] and "its limit is 1e-06 s" in late["note"]
    assert rows["cpu-rows-1"]["samples"] == "1" and rows["cpu-rows-1"]["stop_reason"] == "budget"


def test_the_host_backend_goes_by_its_estimate(tmp_path):
    arguments = "--backend", "host", "--implementations", "deposit/gather"
    code, rows = measure(tmp_path / "late", "jpdc-4", *arguments, "--time-budget", "0.001")
    assert code == command.SKIPPED and rows["gather"]["status"] == "timeout"
    assert "the row needs about " in rows["gather"]["note"]
    code, rows = measure(tmp_path / "unlimited", "jpdc-4", *arguments, "--time-budget", "0")
    assert code == command.OK and rows["gather"]["status"] == "ok"


# ---- What the report shows of them ----


def test_rates_and_errors_have_addresses(tmp_path):
    made = made_row(
        "jsc-1", "powf", "d198", 0.5, bytes=2e6, flops=1e6, verify_metric="largest-relative-error", verify_value=3e-7
    )
    source = cells.choose(str(write_run(tmp_path / "run", [made])))[0]
    assert cells.look_up(source, "jsc-1/powf/d198#bytes").value == pytest.approx(4.0)
    assert cells.look_up(source, "jsc-1/powf/d198#flops").value == pytest.approx(2.0)
    assert cells.look_up(source, "jsc-1/powf/d198#error").value == pytest.approx(0.3)


def test_what_is_not_known_has_a_reason(tmp_path):
    made = made_row("jpdc-4", "atomic", "d198", 0.5, bytes="", verify_metric="valid-deposits", verify_value=3)
    source = cells.choose(str(write_run(tmp_path / "run", [made])))[0]
    assert cells.look_up(source, "jpdc-4/atomic/d198#bytes").reason == "no bytes"
    assert cells.look_up(source, "jpdc-4/atomic/d198#error").reason == "verified otherwise"


def test_every_convolution_is_verified_and_knows_its_work(tmp_path):
    code, rows = measure(tmp_path / "run", "kth-8", "--iterations", "5", "--instances", "shapes-37x29")
    assert code == command.OK and {row["verify_metric"] for row in rows.values()} >= {"largest-relative-error"}
    for row in rows.values():
        if row["implementation"] in ("convolution/npp", "convolution/cudnn") and row["backend"] == "host":
            assert row["status"] == "unsupported"
        else:
            assert row["status"] in (*runs.MEASURED, "ok") and float(row["verify_value"]) < 1e-6
    assert float(rows["serial"]["bytes"]) == 8 * 37 * 29  # of its last table, 3 x 3
    assert float(rows["serial"]["flops"]) == 2 * 9 * 37 * 29


def test_widths_and_filters_that_a_rung_has_not(tmp_path):
    code, rows = measure(
        tmp_path / "a", "kth-8", "--backend", "host", "--instances", "shapes-37x29", "--set", "filter=laplacian"
    )
    assert code == command.OK
    assert {name for name, row in rows.items() if row["status"] == "unsupported"} == {
        *("separable", "tiling-separable", "tiling-straight", "registers-separable", "npp", "cudnn", "memcpy")
    }
    even = drive("--dry-run", "--set", "width=4", driver="kth-8")
    assert even.returncode != command.OK and "must be odd" in even.stderr
