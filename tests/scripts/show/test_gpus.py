"""Many GPUs: the list of runs, names that are nearly right, times of several GPUs by row, two rows of one run."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from antbench.data import cells, runs
from antbench.data.command import BadInput
from antbench.show import compare, gpus, times
from antbench.tools import list_runs

DATA = Path(__file__).resolve().parents[2] / "data/runs"


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder results/ with a stored run of an H100 and one of yours of another GPU, twice as slow."""
    stored, yours = tmp_path / "reference/nvidia-h100-80gb-hbm3/newer", tmp_path / "runs/nvidia-rtx-5090/mine"
    shutil.copytree(DATA / "newer", stored)
    shutil.copytree(DATA / "newer", yours)
    meta = json.loads((yours / "meta.json").read_text())
    meta["devices"][0]["name"] = "NVIDIA GeForce RTX 5090"
    (yours / "meta.json").write_text(json.dumps(meta))
    table, samples = yours / "table-3.3.csv", yours / "samples.csv"
    header, *lines = table.read_text().splitlines()
    names = header.split(",")
    table.write_text("\n".join([header, *(",".join(twice(line.split(","), names)) for line in lines)]) + "\n")
    header, *lines = samples.read_text().splitlines()
    at = header.split(",").index("ms")
    samples.write_text(
        "\n".join(
            [
                header,
                *(",".join([*c[:at], repr(2 * float(c[at])), *c[at + 1 :]]) for c in (s.split(",") for s in lines)),
            ]
        )
        + "\n"
    )
    monkeypatch.setattr(runs, "RESULTS", tmp_path)
    return tmp_path


def twice(line, names):
    """A line of a table file, all its times twice as long, of another GPU."""
    doubled = [repr(2 * float(text)) if name in runs.TIMES and text else text for name, text in zip(names, line)]
    return [text.replace("NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 5090") for text in doubled]


# ---- make list-runs ----


def test_every_run_is_listed_by_the_name_that_RUN_takes(results, capsys):
    assert list_runs.main([]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert re.split("  +", header) == ["run", "whose", "measured on", "tables", "profile", "commit", "date", "rows"]
    listed = {line.split()[0]: line for line in lines}
    assert set(listed) == {"nvidia-h100-80gb-hbm3/newer", "nvidia-rtx-5090/mine"}
    assert all(runs.resolve(name) for name in listed)
    assert re.split("  +", listed["nvidia-rtx-5090/mine"])[1:3] == ["runs", "NVIDIA GeForce RTX 5090"]


def test_runs_are_listed_in_the_order_they_began_in(results, capsys):
    """Not in the order of their folders' names."""
    meta = results / "runs/nvidia-rtx-5090/mine/meta.json"
    for started, order in (("2001-01-01", ["mine", "newer"]), ("2099-01-01", ["newer", "mine"])):
        meta.write_text(json.dumps({**json.loads(meta.read_text()), "started_utc": f"{started}T00:00:00Z"}))
        list_runs.main(["--csv"])
        lines = csv.DictReader(capsys.readouterr().out.splitlines())
        assert [line["run"].rpartition("/")[2] for line in lines] == order


def test_runs_of_a_table_or_a_machine_are_listed_alone(results, capsys):
    assert (
        list_runs.main(["--table", "9.9"]) == 77
        and capsys.readouterr().out == "no run of table 9.9 found; antbench --tables lists all tables\n"
    )
    assert list_runs.main(["nvidia-rtx-5090", "--table", "thesis-3.3", "--csv"]) == 0
    (line,) = csv.DictReader(capsys.readouterr().out.splitlines())
    assert line["run"] == "nvidia-rtx-5090/mine" and "3.3" in line["tables"].split() and line["rows"] == "5"


def test_a_broken_run_is_told_and_the_others_are_listed(results, capsys):
    (results / "runs/nvidia-rtx-5090/mine/meta.json").write_text("{")
    assert list_runs.main([]) == 2
    said = capsys.readouterr()
    assert "nvidia-h100-80gb-hbm3/newer" in said.out and "mine/meta.json:1: not JSON" in said.err


@pytest.mark.parametrize(
    "name, meant",
    [
        ("nvidia-h100", "nvidia-h100-80gb-hbm3"),
        ("nvidia-rtx-509O", "nvidia-rtx-5090"),
        ("nvidia-rtx-5090/mien", "nvidia-rtx-5090/mine"),
        ("newer", "nvidia-h100-80gb-hbm3/newer"),
    ],
)
def test_a_name_that_is_nearly_right(results, name, meant):
    with pytest.raises(
        BadInput, match=rf"^{name}: no run there; .*; did you mean {meant}\? \(make list-runs shows all\)$"
    ):
        runs.load_runs(name)


def test_a_name_like_no_other(results):
    with pytest.raises(BadInput, match=r"^xyz: no run there; a run is a directory with meta.json \(make list-runs"):
        runs.resolve("xyz")


# ---- make gpus ----


def test_times_of_published_stored_and_own_gpus_stand_beside_each_other(results, tmp_path, capsys):
    assert times.main(["--out", str(tmp_path / "out"), "--table", "3.3"]) == 0
    table = capsys.readouterr().out.partition("\nTable 3.3: ")[2].splitlines()
    assert table[1].split("  ")[-3:] == ["GTX 580 (thesis)", " H100", "RTX 5090 (yours)"]
    with open(tmp_path / "out/times.csv", newline="") as file:
        found = {(line["row"], line["line"], line["gpu"]): line for line in csv.DictReader(file)}
    thesis, h100, own = (found["DS-Roulette", "d198", gpu] for gpu in ("GTX 580 (thesis)", "H100", "RTX 5090 (yours)"))
    assert (thesis["ms"], thesis["published_id"], thesis["source"]) == ("1.16", "thesis-3.3/ds-roulette/d198", "thesis")
    assert float(own["ms"]) == pytest.approx(2 * float(h100["ms"]), rel=1e-5)
    assert float(own["ci95_lo_ms"]) < float(own["ms"]) < float(own["ci95_hi_ms"]) and own["run_id"]
    assert not any("CPU" in row or "core" in row for row, *_ in found)  # a CPU's times are no GPU's
    if shutil.which("gnuplot"):
        drawn = (tmp_path / "out/gpus-3.3.svg").read_text()
        assert all(text in drawn for text in ("DS-Roulette (ms)", "GTX 580 (thesis)", "H100", "RTX 5090 (yours)"))


def test_a_table_that_one_gpu_has_is_left_out(results):
    h100 = [gpu for gpu in gpus.measured_gpus() if gpu.label == "H100"]
    assert gpus.tables(h100, ["3.3"]) == {}
    with pytest.raises(BadInput, match="^3.33: no such table; did you mean 3.3?"):
        gpus.tables(h100, ["3.33"])


def test_every_pattern_of_cards_meets_published_times_of_a_gpu_and_no_cpu():
    times = {id_ for id_, row in cells.published_rows().items() if row["unit"] == "ms"}
    cpu = {id_ for id_ in times if gpus.card_of(id_) is None}
    assert {id_.rsplit("/", 1)[0] for id_ in cpu} == {
        *("thesis-3.3/acotsp-seq", "thesis-4.1/acotsp-seq", "thesis-4.1/acotsp-seq-nn", "thesis-4.2/acotsp-seq-nn"),
        *("thesis-5.1/seq", "thesis-6.1/opencv", "jsc-2/acotsp-seq", "jsc-3/sat-cpu"),
    }
    assert gpus.card_of("jsc-3/sat-baseline-c1060/2^13") == "C1060 (JSC)"
    assert gpus.card_of("jpdc-4/slowdown/d198") is None


# ---- Two rows of one run ----


def test_two_rows_of_a_run(capsys):
    assert compare.main(["3.3/acotsp-seq", "3.3/ds-roulette", "--run", str(DATA / "newer")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("3.3/acotsp-seq and 3.3/ds-roulette of  NVIDIA H100")
    (line,) = (line for line in said if "acotsp-seq : ds-roulette" in line)
    assert "cpu : cuda" in line and " d198 " in line
    slow, fast = (
        row
        for _, row in runs.load_run(DATA / "newer").rows.iterrows()
        if row["table"] == "3.3" and "i-r" not in row["row"]
    )
    ratio = fast["median_ms"] / slow["median_ms"]
    expected = f"B is faster in 1, slower in 0, the same within its interval in 0; B/A is {ratio:.3f} in the geometric mean of 1"
    assert said[-2] == expected


@pytest.mark.parametrize(
    "name, error",
    [
        ("3.3/ds-rouletta", "3.3/ds-rouletta: no such row in this run; did you mean 3.3/ds-roulette?"),
        ("ds-roulette", '"ds-roulette" names no row: expected TABLE/ROW'),
        ("3.3/ds-roulette?protocol=none", "of 1 rows 3.3/ds-roulette in this run none is so"),
        ("3.3/ds-roulette/a280", "of 1 rows 3.3/ds-roulette in this run none is so"),
    ],
)
def test_rows_that_are_not_there(name, error):
    with pytest.raises(BadInput, match=re.escape(error)):
        compare.main(["3.3/acotsp-seq", name, "--run", str(DATA / "newer")])


def test_the_summary_counts(capsys):
    said = []
    for sides in (("newer", "older"), ("older", "newer")):
        compare.main([str(DATA / side) for side in sides])
        text = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("GPU rows: "))
        said.append(
            re.search(
                r"faster in (\d), slower in (\d), the same within its interval in 0; B/A is ([\d.]+)", text
            ).groups()
        )
    (faster, slower, ratio), (slower_again, faster_again, inverse) = said
    assert (faster, slower) == (faster_again, slower_again) == ("2", "2") and float(ratio) * float(
        inverse
    ) == pytest.approx(1, rel=1e-3)
