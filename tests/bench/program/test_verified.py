"""A run that only verifies (--verify), and the run that times what it verified (--verified)."""

import csv
import json

import pytest

from antbench.data import runs
from support.commands import drive, one_line, rows_of

SMALL = ["--instances", "u40", "--backend", "cpu", "--runs", 4, "--iterations", 3, "--time-budget", 0, "--processes", 2]
KEY = ("table", "row", "instance", "implementation", "params", "scope")
OF_TIMES = {"run_id", "status", "stop_reason", "samples", "discarded", "waited", "stddev_ms", "note"}


def run(out, *options, driver="4.2", code=0):
    done = drive(*options, "--out", out, driver=driver)
    assert done.returncode == code, done.stderr
    return done


def by_key(out):
    return {tuple(row[name] for name in KEY): row for row in rows_of(out)}


def change(out, column, value, **where):
    """Changes a cell of a run's table where another cell has a value; the key of its row in a timed run."""
    path = next(out.glob("table-*.csv"))
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    row = next(row for row in rows if all(row[name] == text for name, text in where.items()))
    row[column] = value
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return tuple(row[name] for name in KEY[:-1])


@pytest.fixture
def verified(tmp_path):
    run(tmp_path / "verified", *SMALL, "--verify")
    return tmp_path / "verified"


def test_rows_are_verified_and_none_is_timed(verified):
    rows = [row for row in rows_of(verified) if row["scope"] != "setup"]
    assert rows and {row["scope"] for row in rows} == {"functional"} and {row["status"] for row in rows} == {"ok"}
    assert {(row["verify_metric"], row["verify_value"]) for row in rows} == {("valid-tours", "40")}
    assert {row["samples"] for row in rows} == {""}
    meta = json.loads((verified / "meta.json").read_text())
    assert meta["complete"] and meta["processes"] == [] and meta["verification"] is None


@pytest.mark.parametrize("driver, options", [
    ("4.2", SMALL),
    ("6.1", ["--profile", "smoke", "--backend", "cpu", "--instances", "shapes-37x29,hue-128", "--processes", 2]),
    ("5.1", ["--profile", "smoke", "--backend", "cpu", "--instances", "ramp-128"]),
    ("frontier", ["--profile", "smoke", "--backend", "host", "--rows", "frontier-nn", "--instances", "u30"]),
])  # fmt: skip
def test_a_run_with_verified_rows_is_as_one_that_verifies_itself(tmp_path, driver, options):
    """In all that is not a time: with rows that are judged, those that accompany them, and setups."""
    run(tmp_path / "verified", *options, "--verify", driver=driver)
    run(tmp_path / "timed", *options, "--verified", tmp_path / "verified", driver=driver)
    run(tmp_path / "whole", *options, driver=driver)
    timed, whole = by_key(tmp_path / "timed"), by_key(tmp_path / "whole")
    assert list(timed) == list(whole)
    for key, row in timed.items():
        of_both = {name for name in row if name not in OF_TIMES and not name.endswith("_ms")}
        assert {name: row[name] for name in of_both} == {name: whole[key][name] for name in of_both}
        assert (row["samples"] == "") == (whole[key]["samples"] == "")
        assert row["samples"] or row["status"] == whole[key]["status"]
    of_verified, of_timed = (json.loads((tmp_path / name / "meta.json").read_text()) for name in ("verified", "timed"))
    assert of_timed["verification"] == {name: of_verified[name] for name in ("run_id", "started_utc", "ended_utc")}
    assert runs.load_run(tmp_path / "timed").rows["samples"].max() > 0  # of a setup, on the host backend


def test_what_was_verified_is_not_verified_again(verified, tmp_path):
    key = change(verified, "verify_value", "41", scope="functional")
    run(tmp_path / "timed", *SMALL, "--verified", verified)
    of_row = [row for each, row in by_key(tmp_path / "timed").items() if each[:-1] == key]
    assert {row["verify_value"] for row in of_row} == {"41"} and max(int(row["samples"]) for row in of_row) > 0


def test_a_wrong_row_stays_wrong(verified, tmp_path):
    key = change(verified, "status", "wrong", scope="functional")
    done = run(tmp_path / "timed", *SMALL, "--verified", verified, code=4)
    [row] = [row for each, row in by_key(tmp_path / "timed").items() if each[:-1] == key]
    assert row["status"] == "wrong" and row["samples"] == "" and row["scope"] == "iteration"
    assert "1 row failed" in done.stderr


@pytest.mark.parametrize("status", ["error", "timeout", "unsupported"])
def test_a_row_that_failed_otherwise_is_verified_again(verified, tmp_path, status):
    """It may have failed because other programs ran beside it."""
    key = change(verified, "status", status, scope="functional")
    run(tmp_path / "timed", *SMALL, "--verified", verified)
    [row] = [row for each, row in by_key(tmp_path / "timed").items() if each == (*key, "iteration")]
    assert row["verify_value"] == "40" and int(row["samples"]) > 0


def test_a_resumed_run_says_who_verified_it(verified, tmp_path):
    run(tmp_path / "timed", *SMALL, "--verified", verified)
    meta = json.loads((tmp_path / "timed/meta.json").read_text())
    (tmp_path / "timed/meta.json").write_text(json.dumps(meta | {"complete": False}))
    run(tmp_path / "timed", *SMALL, "--resume")
    resumed = json.loads((tmp_path / "timed/meta.json").read_text())
    assert resumed["complete"] and resumed["verification"] == meta["verification"]


@pytest.mark.parametrize("changed, why", [
    (["--seed", 2], "cannot be taken as verified: options.seed was 1 and is now 2; run it again with --verify"),
    (["--iterations", 4], "cannot be taken as verified: options.iterations was 3 and is now 4"),
])  # fmt: skip
def test_another_run_is_refused(verified, tmp_path, changed, why):
    refused = run(tmp_path / "timed", *SMALL, *changed, "--verified", verified, code=2)
    assert f"{verified}: {why}" in one_line(refused)


def test_an_unfinished_run_is_refused_and_so_is_none(verified, tmp_path):
    meta = json.loads((verified / "meta.json").read_text())
    (verified / "meta.json").write_text(json.dumps(meta | {"complete": False}))
    refused = run(tmp_path / "timed", *SMALL, "--verified", verified, code=2)
    assert "cannot be taken as verified: it is not complete; run it again with --verify" in one_line(refused)
    refused = run(tmp_path / "other", *SMALL, "--verified", tmp_path / "nowhere", code=2)
    assert "nowhere/meta.json" in one_line(refused)


@pytest.mark.parametrize("other", [["--verified", "DIR"], ["--process", 1, "--out", "DIR"]])
def test_nothing_is_timed_beside_verifying(tmp_path, other):
    refused = drive(*SMALL, "--verify", *(tmp_path if each == "DIR" else each for each in other))
    assert refused.returncode == 2 and f"--verify: times nothing, so {other[0]} has no meaning" in one_line(refused)


def test_the_plan_of_a_run_that_only_verifies_has_no_times():
    done = drive(*SMALL, "--verify", "--dry-run")
    scopes = {line.split("\t")[6] for line in done.stdout.splitlines()[1:-2]}
    assert scopes == {"functional"}


def test_a_run_that_has_times_is_refused(tmp_path):
    """Its times would be taken for this run's."""
    run(tmp_path / "timed", *SMALL)
    refused = run(tmp_path / "again", *SMALL, "--verified", tmp_path / "timed", code=2)
    assert "cannot be taken as verified: it is a run without --verify; run it again with --verify" in one_line(refused)


def test_a_brief_verification_has_fewer_ants_and_is_not_taken_over(tmp_path):
    options = ["--profile", "smoke", "--backend", "cpu", "--rows", "3.3/acotsp-seq/u300"]
    for name, given, ants in (("whole", [], "300"), ("brief", ["--brief"], "33")):
        run(tmp_path / name, *options, "--verify", *given, driver="3.3")
        assert {(row["status"], f"ants={ants};" in row["params"]) for row in rows_of(tmp_path / name)} == {("ok", True)}
    refused = run(tmp_path / "timed", *options, "--verified", tmp_path / "brief", driver="3.3", code=2)
    assert "cannot be taken as verified: options.brief was true and is now false" in one_line(refused)


@pytest.mark.parametrize("before, after", [(["--verify"], []), ([], ["--verify"])])
def test_a_run_is_resumed_with_verify_or_without_as_it_began(tmp_path, before, after):
    run(tmp_path / "run", *SMALL, *before)
    refused = run(tmp_path / "run", *SMALL, *after, "--resume", code=2)
    assert "cannot be resumed: options.verify was " in one_line(refused)


def test_a_row_of_the_host_backend_keeps_its_time_limit(tmp_path):
    """Where --verify gave up on it, so does the run that is to take it over."""
    options = ["--profile", "smoke", "--backend", "host", "--rows", "jsc-4", "--time-budget", 1e-6]
    run(tmp_path / "verified", *options, "--verify", driver="jsc-4", code=77)
    run(tmp_path / "timed", *options, "--verified", tmp_path / "verified", driver="jsc-4", code=77)
    for name in ("verified", "timed"):
        assert {row["status"] for row in rows_of(tmp_path / name)} == {"timeout"}
