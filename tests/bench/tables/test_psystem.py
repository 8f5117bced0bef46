"""The drivers of P systems for SAT, end to end: formulas by name and from files, what is verified, timed and refused."""

import csv

import pytest

from antbench.data import command
from support.commands import ROOT, drive, rows_of


def measure(out, driver, instance, *arguments):
    """(exit code, {(row, backend): its row}, what it says) of a run on one formula, in one process."""
    done = drive(
        "--quiet",
        "--processes",
        "1",
        "--profile",
        "smoke",
        "--instances",
        instance,
        *arguments,
        "--out",
        out,
        driver=driver,
    )
    rows = rows_of(out) if (out / "meta.json").exists() else []
    return done.returncode, {row["row"]: row for row in rows}, done.stderr


def test_every_simulator_is_verified_and_the_cpu_is_timed(tmp_path):
    code, rows, _ = measure(tmp_path / "run", "jsc-3", "k3-n5-m12-sat")
    assert code == command.OK
    assert {"cpu-seq", "cpu-bits-1", "cpu-bits-all", "generic", "baseline", "enhanced", "bits"} <= rows.keys()
    assert {row["verify_metric"] for row in rows.values()} == {"satisfying-membranes"}
    assert len({row["verify_value"] for row in rows.values()}) == 1 and float(rows["bits"]["verify_value"]) >= 1
    assert all(float(rows[name]["mean_ms"]) > 0 for name in ("cpu-seq", "cpu-bits-1", "cpu-bits-all"))


def test_a_file_is_read_and_what_is_odd_in_it_told(tmp_path):
    formula = tmp_path / "odd.cnf"
    formula.write_text("c\np cnf 4 3\n1 1 -2 0\n3 -3 0\n-1 4 0\n")
    code, rows, _ = measure(tmp_path / "run", "jsc-4", str(formula))
    assert code == command.OK and {row["instance"] for row in rows.values()} == {"odd"}
    assert "3 clauses, 6 literals, 1 repeated, 1 tautologies" in rows["tiled"]["note"]
    assert float(rows["tiled"]["verify_value"]) == 8


@pytest.mark.parametrize(
    "text, says",
    [
        ("p cnf 4 1\n5 0\n", "bad.cnf:2: a literal must be a whole number from -4 to 4, not 5"),
        ("p cnf 4 1\n1 2\n", "bad.cnf:2: the last clause does not end with 0"),
    ],
)
def test_a_bad_file_is_refused_by_line(tmp_path, text, says):
    (tmp_path / "bad.cnf").write_text(text)
    code, _, said = measure(tmp_path / "run", "jsc-3", str(tmp_path / "bad.cnf"))
    assert code == command.USAGE and says in said


def test_too_many_variables_are_unsupported(tmp_path):
    _, rows, _ = measure(tmp_path / "run", "jsc-4", "k3-n33-m40")
    reason = "33 variables are 2^33 membranes; up to 32 variables are simulated"
    assert rows["cpu-bits-all"]["status"] == "unsupported" and reason in rows["cpu-bits-all"]["note"]


def test_published_times_stand_beside_rows_named_by_a_parameter():
    """rows.csv is made of what the program says; an id is one of results/published, {tile} standing for a number."""
    with open(ROOT / "report/rows.csv") as file:
        rows = {(row["table"], row["row"]): row for row in csv.DictReader(file)}
    assert rows["jsc-5", "tiled-{tile}"]["published"] == "jsc-5/sat-tiled-{tile}-c2050"
    assert rows["jsc-3", "cpu-seq"]["published"] == "jsc-3/sat-cpu"


def test_a_timed_row_has_its_published_time(tmp_path):
    _, rows, _ = measure(tmp_path / "run", "jsc-3", "2^13", "--backend", "cpu")
    assert rows["cpu-seq"]["published_id"] == "jsc-3/sat-cpu/2^13" and float(rows["cpu-seq"]["published_ms"]) == 800.47
    assert rows["cpu-bits-1"]["published_id"] == ""
