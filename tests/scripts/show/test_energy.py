"""The energy of a row: what is read of it, in tables, figures and comparisons."""

import math
import shutil

import pytest

from antbench.data import cells, runs
from antbench.show import compare, plots
from thesis_run import made_row, write_run

JOULES = {"i-roulette": 2.5, "ds-roulette": 0.04}


@pytest.fixture
def run(tmp_path):
    """On a GPU, two rows whose energy was measured, and one on the CPU."""
    rows = [made_row("3.3", row, "d198", 10.0, "protocol=as-best", energy_j=joules) for row, joules in JOULES.items()]
    return write_run(tmp_path / "run", [*rows, made_row("3.3", "acotsp-seq", "d198", 10.0, "protocol=as-best")])


def found(folder, row="ds-roulette"):
    return cells.look_up(cells.choose(str(folder))[0], f"3.3/{row}/d198?protocol=as-best#energy")


def test_it_is_in_millijoules(run):
    assert found(run).value == pytest.approx(40) and found(run, "i-roulette").value == pytest.approx(2500)
    assert math.isnan(found(run).low)  # of one process: nothing is known of the next
    assert found(run, "acotsp-seq").reason == "its energy was not measured: --energy"


def test_no_stored_run_has_more_than_its_board_draws():
    for loaded in runs.load_below(runs.RESULTS / "reference"):
        for row in loaded.records:
            watts = 1e3 * row["energy_j"] / row["median_ms"]
            assert not watts > 1.5 * loaded.device.get("power_limit_w", 0), (
                f"{loaded.path}: {row['row']} {row['instance']}: {watts:.0f} W"
            )


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_it_is_drawn(run, tmp_path, capsys):
    assert plots.draw_curves("3.3-energy", cells.choose(str(run)), tmp_path, cells.read_layout("figures.csv"))
    assert capsys.readouterr().out == "Figure 3.3-energy: no rows for I-Roulette in registers, race\n"
    assert (tmp_path / "3.3-energy.svg").exists()
    assert "0 d198 2500 2500 2500" in (tmp_path / "3.3-energy.dat").read_text()


def test_comparisons_have_it_where_it_is_known(run, tmp_path, capsys):
    assert compare.main(["3.3/i-roulette", "3.3/ds-roulette", "--run", str(run)]) == 0
    header, line = (text.split() for text in capsys.readouterr().out.splitlines()[4:6])
    assert header[-4:] == ["A,", "J", "B,", "J"] and line[-2:] == ["2.5", "0.04"]
    unmetered = write_run(tmp_path / "unmetered", [made_row("3.3", row, "d198", 10.0) for row in JOULES])
    compare.main(["3.3/i-roulette", "3.3/ds-roulette", "--run", str(unmetered)])
    assert ", J" not in capsys.readouterr().out
