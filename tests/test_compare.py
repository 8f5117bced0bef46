"""Two runs side by side: ratios, what is normalised to what, and that different hardware is not overlooked."""

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from antbench import compare, runs
from antbench.command import BadInput
from thesis_run import quality_row, write_run

DATA = Path(__file__).resolve().parent / "data/runs"


@pytest.fixture
def slower_gpu(tmp_path):
    """The older run as if of a GPU with half the multiprocessors, 3/4 of the clock and a quarter of the bandwidth."""
    run = Path(shutil.copytree(DATA / "older", tmp_path / "other"))
    meta = json.loads((run / "meta.json").read_text())
    meta["device"].update(name="Other GPU", sm_count=66, clock_mhz=1485, memory_bus_bits=1280)
    (run / "meta.json").write_text(json.dumps(meta))
    table = run / "table-3.3.csv"
    table.write_text(table.read_text().replace("NVIDIA H100 80GB HBM3", "Other GPU").replace(",1980,", ",1485,"))
    return run


def compared(a, b):
    lines, _, *alone = compare.compare(*(runs.best_rows(runs.load_runs(path)) for path in (a, b)))
    return {(line["row"], line["scope"]): line for line in lines.to_dict("records")}, alone


def test_ratios_of_one_gpu(capsys):
    lines, alone = compared(DATA / "newer", DATA / "older")
    iteration = lines["ds-roulette", "iteration"]
    assert alone == [0, 0]
    assert iteration["ratio"] == pytest.approx(0.2295 / 0.1988, rel=1e-3)
    assert 1.15 < iteration["ratio_lo"] < iteration["ratio"] < iteration["ratio_hi"] < 1.16
    assert all(np.isnan(line["ratio_per_sm_ghz"]) for line in lines.values())
    assert compare.main([str(DATA / "newer"), str(DATA / "older")]) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0].startswith("A  NVIDIA H100 80GB HBM3: 132 SMs at 1980 MHz, 3352 GB/s; quick, commit a4f6415")
    assert text[2] == "the same hardware" and "per GB/s" not in text[4]
    assert text[9].split() == [
        "3.3",
        "ds-roulette",
        "d198",
        "cuda",
        "iteration",
        "protocol=as-best;ants=198",
        "0.1988",
        "0.2295",
        "1.154",
        "1.153",
        "-",
        "1.156",
    ]


def test_different_gpus_are_normalised_and_marked(slower_gpu, capsys):
    lines, _ = compared(DATA / "newer", slower_gpu)
    gpu, cpu = lines["ds-roulette", "iteration"], lines["acotsp-seq", "iteration"]
    assert gpu["ratio_per_sm_ghz"] == pytest.approx(gpu["ratio"] * 66 * 1485 / (132 * 1980))
    assert gpu["ratio_per_gb_s"] == pytest.approx(gpu["ratio"] / 4)
    assert np.isnan(cpu["ratio_per_sm_ghz"]) and np.isnan(cpu["ratio_per_gb_s"])
    compare.main([str(DATA / "newer"), str(slower_gpu)])
    text = capsys.readouterr().out
    assert "DIFFERENT HARDWARE: A is NVIDIA H100 80GB HBM3, B is Other GPU" in text
    assert sum(line.endswith("different") for line in text.splitlines()) == 4


def test_csv(slower_gpu, tmp_path, capsys):
    compare.main([str(DATA / "newer"), str(slower_gpu), "--csv", str(tmp_path / "out.csv")])
    assert list(pd.read_csv(tmp_path / "out.csv").columns) == compare.COLUMNS
    capsys.readouterr()
    compare.main([str(DATA / "newer"), str(slower_gpu), "--csv", "-"])
    assert len(pd.read_csv(io.StringIO(capsys.readouterr().out))) == 5


def test_rows_without_times_show_their_status(tmp_path, capsys):
    run = Path(shutil.copytree(DATA / "older", tmp_path / "run"))
    lines = (run / "table-3.3.csv").read_text().splitlines()
    cells = dict(zip(runs.SCHEMAS["1"][0], lines[2].split(",")))
    cells.update({name: "" for name in [*runs.TIMES, "published_ms"]}, status="timeout", samples="")
    lines[2] = ",".join(cells.values())
    (run / "table-3.3.csv").write_text("\n".join(lines[:3]) + "\n")
    samples = (run / "samples.csv").read_text().splitlines()
    (run / "samples.csv").write_text("\n".join(s for s in samples if s.split(",")[2] in ("line", "2")) + "\n")
    compare.main([str(DATA / "newer"), str(run)])
    text = capsys.readouterr().out.splitlines()
    assert text[6].split()[-2:] == ["0.2041", "timeout"]
    assert text[-1].startswith("2 cells of both, 3 of A alone, 0 of B alone")


def test_nothing_in_common(tmp_path):
    run = Path(shutil.copytree(DATA / "older", tmp_path / "run"))
    table = (run / "table-3.3.csv").read_text()
    (run / "table-3.3.csv").write_text(table.replace(",d198,", ",made,").replace(",15780,", ",,"))
    with pytest.raises(BadInput, match="nothing matched"):
        compare.main([str(DATA / "newer"), str(run)])


# ---- Tours ----

TOURS = "nvidia-h100-80gb-hbm3/20261122T064013Z-8445075"  # JPDC's Figure 9 as stored: five runs of 1000 iterations


def test_rungs_of_one_rule_have_tours_alike_and_another_rule_has_not(capsys):
    """The roulette wheel and DS-Roulette choose in proportion, I-Roulette does not: what was measured on an H100."""
    alike = ["--run", TOURS, "jpdc-F9/ds-roulette"]
    assert compare.main([*alike, "jpdc-F9/data-rw", "--alike"]) == 0
    told = capsys.readouterr().out
    assert "B/A of" in told and "A, ms" not in told and told.count("  d198  ") == 1
    assert compare.main([*alike, "jpdc-F9/i-roulette", "--alike"]) == 4
    assert compare.main([*alike, "jpdc-F9/i-roulette"]) == 0  # told, and no failure: nobody asked


@pytest.mark.parametrize("longer, code", [(1, 0), (1.004, 0), (1.03, 4), (0.97, 4)])
def test_a_planted_difference_of_tours_is_found(tmp_path, longer, code):
    """Ten runs a row with the spread of pr1002's: a rung whose tours are 3 % longer, or shorter, chooses otherwise."""
    lengths = 330000 * np.exp(np.random.default_rng(7).normal(0, 0.01, (2, 10)))
    lengths[1] *= longer * lengths[0].mean() / lengths[1].mean()
    rows = [
        {
            **quality_row("frontier-tours", row, "pr1002", of.mean(), "protocol=as"),
            "quality_best": of.max(),
            "quality_runs": " ".join(map(str, of)),
        }
        for row, of in zip(("ds-roulette", "race"), lengths)
    ]
    run = write_run(tmp_path / "run", rows)
    assert compare.main(["--run", str(run), "frontier-tours/ds-roulette", "frontier-tours/race", "--alike"]) == code


def test_tours_are_alike_only_where_there_are_any(capsys):
    with pytest.raises(BadInput, match="have no quality of two runs in common"):
        compare.main([str(DATA / "newer"), str(DATA / "older"), "--alike"])


def test_differences_are_corrected_for_the_number_of_cells():
    """Of 12 cells of one rule a difference of p 0.01 is no surprise."""
    found = compare.inference.holm([0.005] + 11 * [0.5])
    assert found[0] == pytest.approx(0.06)


def test_runs_that_do_not_vary():
    assert compare.welch(np.array([5.0, 5.0]), np.array([5.0, 5.0])) == (1, 1, 1, 1)
    assert compare.welch(np.array([5.0, 5.0]), np.array([6.0, 6.0]))[3] == 0
