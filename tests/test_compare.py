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
    lines, *alone = compare.compare(*(runs.best_rows(runs.load_runs(path)) for path in (a, b)))
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
    (run / "table-3.3.csv").write_text(table.replace(",d198,", ",a280,"))
    with pytest.raises(BadInput, match="nothing matched"):
        compare.main([str(DATA / "newer"), str(run)])
