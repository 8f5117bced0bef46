"""The order of measuring: drawn for each process and stored; files, printed tables and --dry-run keep the plan's."""

import pytest

from antbench.data import runs
from support.commands import drive, planned, rows_of, samples_of

SMALL = ["--instances", "u20,u24", "--backend", "cpu", "--implementations", "tsp/acotsp-seq,tsp/cpu-rejection", "--profile", "smoke",
         "--runs", 2, "--iterations", 2]  # fmt: skip
KEY = ("table", "row", "instance", "params")


def measure(out, *more):
    done = drive(*SMALL, *more, "--out", out)
    assert done.returncode == 0, done.stderr
    return done


def turns_of(out, process="1"):
    """{line of the table file: the row's turn in a process}, of rows that are no stages."""
    whole = {line for line, row in enumerate(rows_of(out), start=2) if row["scope"] != "stage"}
    found = {int(sample["line"]): int(sample["turn"]) for sample in samples_of(out) if sample["process"] == process}
    return {line: turn for line, turn in found.items() if line in whole}


def order_of(out, process="1"):
    """The lines in the order of their turns."""
    turns = turns_of(out, process)
    assert sorted(turns.values()) == list(range(1, len(turns) + 1))
    return sorted(turns, key=turns.get)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    out = tmp_path_factory.mktemp("order") / "run"
    return out, measure(out, "--processes", 2)


def test_each_process_has_an_order_of_its_own(two):
    first, second = (order_of(two[0], process) for process in "12")
    assert len(first) >= 8 and sorted(first) == sorted(second)
    assert first != second and sorted(first) not in (first, second)


def test_the_order_follows_from_the_seed(two, tmp_path):
    measure(tmp_path / "again", "--processes", 2)
    measure(tmp_path / "other", "--processes", 2, "--seed", 2)
    again, other = ([order_of(tmp_path / name, process) for process in "12"] for name in ("again", "other"))
    assert again == [order_of(two[0], process) for process in "12"]
    assert not any(order in again for order in other)


def test_files_and_tables_keep_the_order_of_the_plan(two):
    """Stages stand before their row, as they did when rows were measured one after another."""
    out, done = two
    whole = [tuple(row[name] for name in KEY) for row in rows_of(out) if row["scope"] != "stage"]
    assert whole == [tuple(row[name] for name in KEY) for row in planned(*SMALL)]
    lines = [line.split()[0] for line in done.stdout.split("\n\n")[0].splitlines() if ": protocol=" in line]
    assert lines == list(dict.fromkeys(row[1] for row in whole)) * 2
    assert runs.load_run(out).processes


def test_one_process_draws_too_and_sorts_in_the_end(tmp_path):
    measure(tmp_path / "run")
    order = order_of(tmp_path / "run")
    assert order != sorted(order)
    whole = [tuple(row[name] for name in KEY) for row in rows_of(tmp_path / "run") if row["scope"] != "stage"]
    assert whole == [tuple(row[name] for name in KEY) for row in planned(*SMALL)]
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["meta.json", "samples.csv", "table-3.3.csv"]


def test_rows_of_an_input_that_is_loaded_once_stay_together(two):
    names = {line: row["instance"] for line, row in enumerate(rows_of(two[0]), start=2)}
    for process in "12":
        visited = [names[line] for line in order_of(two[0], process)]
        changes = sum(a != b for a, b in zip(visited, visited[1:]))
        assert changes <= 2 * 2 - 1, "two inputs in two parts"


def test_what_is_set_up_stands_in_the_table_that_first_needs_it(tmp_path):
    """Whichever row has built it: u24's candidates are those of several rows."""
    asked = ["--instances", "u24", "--backend", "cpu", "--profile", "smoke", "--iterations", 1]
    seen = set()
    for seed in (1, 2, 3):
        out = tmp_path / str(seed)
        assert drive(*asked, "--seed", seed, "--out", out, driver="4.2").returncode == 0
        rows = [tuple(row[name] for name in (*KEY, "scope")) for row in rows_of(out)]
        setups = [i for i, row in enumerate(rows) if row[-1] == "setup"]
        assert setups and all(rows[i][0] == "4.2" and rows[i][3] in rows[i + 1][3] for i in setups)
        seen.add(tuple(rows))
    assert len(seen) == 1
