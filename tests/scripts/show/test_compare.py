"""Two runs side by side: ratios, what is normalised to what, and that different hardware is not overlooked."""

import io
import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from antbench.data import cells, runs
from antbench.data.command import BadInput
from antbench.show import compare
from synthetic_runs import made_run, measured_on
from thesis_run import quality_row, write_run

RUN_3_3 = "nvidia-h100-80gb-hbm3/20261126T104056Z-c8d43aae-3.3"  # as stored
DATA = Path(__file__).resolve().parents[2] / "data/runs"


@pytest.fixture
def slower_gpu(tmp_path):
    """The older run as if of a GPU with half the multiprocessors, 3/4 of the clock and a quarter of the bandwidth."""
    run = Path(shutil.copytree(DATA / "older", tmp_path / "other"))
    meta = json.loads((run / "meta.json").read_text())
    meta["devices"][0].update(name="Other GPU", sm_count=66, clock_mhz=1485, memory_bus_bits=1280)
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
    assert text[2:4] == ["hardware of the same name, on two hosts", compare.HOW] and "per GB/s" not in text[5]
    assert text[10].split() == [
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


@pytest.mark.parametrize("of_one", ["newer", "older"])
def test_times_are_of_what_their_quotient_is_of(of_one, monkeypatch):
    """Medians if one process measured a side."""
    monkeypatch.setattr(runs, "is_of_processes", lambda row: row["run"].path.name != of_one)
    rows = [runs.best_rows(runs.load_runs(DATA / name)) for name in ("newer", "older")]
    lines = compare.compare(*rows)[0].to_dict("records")
    timed = [line for line in lines if line["ratio"] == line["ratio"]]
    assert len(timed) > 3
    for line in timed:
        assert line["ratio"] == pytest.approx(line["b_ms"] / line["a_ms"], rel=1e-3)


def timed_row(*processes):
    """A row that several processes measured, with the samples of each."""
    (row,) = made_run({0: list(map(np.array, processes))}).records
    return {**row, "processes": float(len(processes))}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("first", [math.inf, 1])
def test_a_process_that_kept_no_sample_is_left_out_of_the_ratio(first):
    """Also if it kept none of the first iterations alone."""
    a = timed_row([1.0, 1.1], [1.02, 1.03], [1.01, 1.0])
    whole, lost, rest = [2.0, 2.1], [math.nan, 2.2 if first == 1 else math.nan], [2.05, 2.02]
    found = compare.ratio_of(a, timed_row(whole, lost, rest), first)
    assert found == compare.ratio_of(a, timed_row(whole, rest), first)
    assert 1.8 < found[1] < found[0] < found[2] < 2.2
    alone = compare.ratio_of(timed_row(whole, lost), timed_row(lost, rest), first)
    assert alone[0] == pytest.approx(1.0, abs=0.03) and np.isnan(alone[1:]).all()
    assert np.isnan(compare.ratio_of(a, timed_row(lost, lost), first)).all()


def test_one_machine_has_the_same_hardware(tmp_path, capsys):
    compare.main([str(DATA / "newer"), str(shutil.copytree(DATA / "newer", tmp_path / "copy"))])
    assert "\nthe same hardware\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "a, b", [("newer", "newer"), ("newer", "folder/../link"), ("link", "folder"), ("GTX 580", "gtx580")]
)
def test_nothing_is_compared_with_itself(tmp_path, monkeypatch, a, b):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(DATA / "newer", "folder/newer")
    Path("newer").symlink_to("folder/newer")
    Path("link").symlink_to("folder/newer")
    with pytest.raises(BadInput, match=f"^A is {a}, and B, {b}, is the same; name two different sides$") as error:
        compare.main([a, b])
    assert error.value.code == 2


def test_a_run_is_compared_with_a_folder_that_holds_it_and_another(tmp_path, capsys):
    """A machine's name is the best row of each cell, so this tells where the run is not the best."""
    for name in ("newer", "older"):
        shutil.copytree(DATA / name, tmp_path / name)
    assert compare.main([str(tmp_path / "older"), str(tmp_path)]) == 0 and "B is faster" in capsys.readouterr().out


def test_different_gpus_are_normalised_and_marked(slower_gpu, capsys):
    lines, _ = compared(DATA / "newer", slower_gpu)
    gpu, cpu = lines["ds-roulette", "iteration"], lines["acotsp-seq", "iteration"]
    assert gpu["ratio_per_sm_ghz"] == pytest.approx(gpu["ratio"] * 66 * 1485 / (132 * 1980))
    assert gpu["ratio_per_gb_s"] == pytest.approx(gpu["ratio"] / 4)
    assert np.isnan(cpu["ratio_per_sm_ghz"]) and np.isnan(cpu["ratio_per_gb_s"])
    compare.main([str(DATA / "newer"), str(slower_gpu)])
    text = capsys.readouterr().out
    assert "DIFFERENT HARDWARE: A is NVIDIA H100 80GB HBM3, B is Other GPU" in text
    assert sum(" hardware " in line for line in text.splitlines()) == 4
    of_gpu, of_cpu = [line for line in text.splitlines() if ": B is faster in" in line]
    assert of_gpu.startswith("GPU rows of other code: B is faster in 2, slower in 2, ") and of_gpu.endswith("mean of 4")
    assert of_cpu.startswith("CPU rows of two hosts, other code: B is faster in 1, ") and of_cpu.endswith("mean of 1")


def test_csv(slower_gpu, tmp_path, capsys):
    compare.main([str(DATA / "newer"), str(slower_gpu), "--csv", str(tmp_path / "out.csv")])
    assert list(pd.read_csv(tmp_path / "out.csv").columns) == compare.COLUMNS
    capsys.readouterr()
    compare.main([str(DATA / "newer"), str(slower_gpu), "--csv", "-"])
    assert len(pd.read_csv(io.StringIO(capsys.readouterr().out))) == 5


def test_rows_without_times_show_their_status(tmp_path, capsys):
    run = Path(shutil.copytree(DATA / "older", tmp_path / "run"))
    lines = (run / "table-3.3.csv").read_text().splitlines()
    cells = dict(zip(runs.HEADER, lines[2].split(",")))
    gone = [*runs.TIMES, "published_ms", "samples", "processes", "iterations", "discarded"]
    cells.update(dict.fromkeys(gone, ""), status="timeout")
    lines[2] = ",".join(cells.values())
    (run / "table-3.3.csv").write_text("\n".join(lines[:3]) + "\n")
    samples = (run / "samples.csv").read_text().splitlines()
    (run / "samples.csv").write_text("\n".join(s for s in samples if s.split(",")[2] in ("line", "2")) + "\n")
    compare.main([str(DATA / "newer"), str(run)])
    text = capsys.readouterr().out.splitlines()
    assert text[7].split()[-2:] == ["0.2041", "timeout"]
    assert text[-1].startswith("2 cells of both, 3 of A alone, 0 of B alone")


def test_nothing_in_common(tmp_path):
    run = Path(shutil.copytree(DATA / "older", tmp_path / "run"))
    table = (run / "table-3.3.csv").read_text()
    (run / "table-3.3.csv").write_text(table.replace(",d198,", ",made,").replace(",15780,", ",,"))
    with pytest.raises(BadInput, match="nothing matched"):
        compare.main([str(DATA / "newer"), str(run)])


# ---- What may be put into one mean ----

GPU_ROWS = {("ds-roulette", "cuda"): [2.0, 2.0, 2.0], ("race", "cuda"): [1.0, 1.0, 1.0]}


def lines_between(monkeypatch, a, b):
    """The lines of two made-up runs of Table 3.3."""
    monkeypatch.setattr(compare, "ratio_of", lambda a, b, first: (b["mean_ms"] / a["mean_ms"],) * 3)
    return compare.compare(*(runs.best_rows([run]) for run in (a, b)))[0]


def another_gpu(run):
    run.meta["devices"][0]["name"] = "NVIDIA H100 80GB HBM3"
    for rows in (run.rows,):
        rows["device"] = rows["device"].where(rows["backend"] != "cuda", "another GPU")
    return run


def test_between_gpus_rows_of_the_same_code_have_a_mean_of_their_own(monkeypatch):
    """Of one hash, or of one commit built for two GPUs; CPUs of two hosts, other commits and profiles stand apart."""
    cpu = {("acotsp-seq", "cpu"): [8.0, 8.0, 8.0]}
    one = measured_on("1", GPU_ROWS | cpu, host="x", kernel="k")
    half = {key: [2 * ms for ms in times] for key, times in (GPU_ROWS | cpu).items()}
    alike = another_gpu(measured_on("2", half, host="y", kernel="k"))
    of_one_commit = another_gpu(measured_on("2", half, host="y", kernel="another"))
    other = another_gpu(measured_on("2", half, commit="bbbbbbb", host="y", kernel="another"))
    thesis = another_gpu(measured_on("2", half, host="y", kernel="k"))
    thesis.meta["options"]["profile"] = "thesis"

    def kinds(b):
        return [text.partition(": ")[::2] for text in compare.summaries(lines_between(monkeypatch, one, b))]

    for same in (alike, of_one_commit):
        (gpu, told), (of_cpu, _) = kinds(same)
        assert gpu == "GPU rows of the same code" and told.endswith("B/A is 2.000 in the geometric mean of 2")
        assert of_cpu == "CPU rows of two hosts"
    assert [kind for kind, _ in kinds(other)] == ["GPU rows of other code", "CPU rows of two hosts, other code"]
    assert kinds(thesis)[0][0] == "GPU rows of another profile"


def test_on_one_gpu_the_code_is_what_is_compared(monkeypatch):
    one, newer = measured_on("1", GPU_ROWS, host="x"), measured_on("1", GPU_ROWS, commit="bbbbbbb", host="x")
    (told,) = compare.summaries(lines_between(monkeypatch, one, newer))
    assert told.startswith("GPU rows: ") and told.endswith("mean of 2")


# ---- Published cards ----

H100 = "nvidia-h100-80gb-hbm3/20261126T104056Z-c8d43aae-3.3"  # Table 3.3


@pytest.mark.parametrize(
    "name", ["GTX 580", "gtx580", "gtx-580", "NVIDIA GeForce GTX 580", "thesis", "GTX 580 (thesis)"]
)
def test_a_published_card_is_a_side_by_the_names_that_a_user_types(name):
    (gpu,) = compare.side_of(name)
    assert gpu.label == "GTX 580 (thesis)"


def test_a_card_of_two_sources_is_both():
    assert [gpu.label for gpu in compare.side_of("C2050")] == ["C2050 (JPDC)", "C2050 (JSC)"]
    assert [gpu.label for gpu in compare.side_of("jsc")] == ["C2050 (JSC)", "C1060 (JSC)"]


def test_a_run_stands_beside_a_published_card(tmp_path, capsys):
    assert compare.main(["GTX 580", H100, "--csv", str(tmp_path / "out.csv")]) == 0
    text = capsys.readouterr().out
    assert text.startswith(
        "A  GTX 580 (thesis): 16 SMs at 1544 MHz, 192 GB/s; published\nB  NVIDIA H100 80GB HBM3: 132 SMs at 1980 MHz, 3352 GB/s"
    )
    assert "DIFFERENT HARDWARE: A is GTX 580 (thesis), B is H100" in text
    lines = pd.read_csv(tmp_path / "out.csv", dtype={"table": str}).set_index(["table", "row", "instance"])
    line = lines.loc[("3.3", "DS-Roulette", "pr2392")]
    ours = cells.Source(runs.load_runs(H100)).find(cells.parse("3.3/ds-roulette/pr2392?protocol=as-best"))
    assert line["a_ms"] == 1979.31 and line["a_status"] == "published" and line["b_ms"] == pytest.approx(ours.value)
    assert line["ratio"] == pytest.approx(ours.value / 1979.31) and line["ratio_lo"] < line["ratio"] < line["ratio_hi"]
    assert line["ratio_per_gb_s"] == pytest.approx(line["ratio"] * (2 * 2619 * 5120 / 8 / 1e3) / 192.4)
    assert line["ratio_per_sm_ghz"] == pytest.approx(line["ratio"] * (132 * 1.98) / (16 * 1.544))
    assert not any(row.startswith("ACOTSP") for _, row, _ in lines.index), "a CPU's times are no GPU's"


def test_the_sides_may_be_turned_round(capsys):
    said = []
    for sides in (["thesis", H100], [H100, "thesis"]):
        compare.main(sides)
        said.append(float(re.search(r"B/A is ([\d.]+) in", capsys.readouterr().out)[1]))
    assert said[0] < 0.06 and said[0] * said[1] == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize(
    "name, error",
    [
        (
            "GTX 581",
            "GTX 581: no run there, nor a published card; did you mean GTX 580? (published: GTX 580, C2050, C1060",
        ),
        ("c1061", "c1061: no run there, nor a published card; did you mean C1060?"),
        ("GTX 980", "GTX 980: the sources have no time of a GTX 980; they have times of GTX 580, C2050, C1060"),
        ("gtx960m", "gtx960m: the sources have no time of a GTX 960M"),
    ],
)
def test_a_card_that_is_none(name, error):
    with pytest.raises(BadInput, match="^" + re.escape(error)):
        compare.main([name, H100])


def test_a_card_is_held_against_a_gpu_alone(tmp_path):
    with pytest.raises(BadInput, match="no run on a GPU to compare with a published card"):
        compare.main(["thesis", "amd-epyc"])


# ---- Iterations ----


def test_iterations_are_compared_over_the_first_that_both_have(capsys):
    """As stored: `race` ran 91 iterations of pr2392, and later ones are faster; DS-Roulette reached its time limit."""
    rows = runs.best_rows(runs.load_runs(RUN_3_3))
    (line,) = compare.compare_two(rows, *(f"3.3/{row}/pr2392?protocol=as-best" for row in ("race", "ds-roulette")))[
        0
    ].to_dict("records")
    race, other = (compare.rows_named(rows, f"3.3/{row}/pr2392?protocol=as-best")[0] for row in ("race", "ds-roulette"))
    assert runs.iterations(race) == 91 > runs.iterations(other) == line["first"] > 1
    of_first = [samples[: runs.iterations(other)].mean() for samples in runs.processes(race)]
    assert line["a_ms"] == pytest.approx(np.mean(of_first)) and line["a_ms"] > 1.1 * race["mean_ms"]
    assert line["ratio"] == pytest.approx(line["b_ms"] / line["a_ms"], rel=1e-3)
    assert line["ratio_lo"] < line["ratio"] < line["ratio_hi"]
    assert compare.main(["--run", RUN_3_3, "3.3/race/pr2392", "3.3/ds-roulette/pr2392"]) == 0
    assert "first" in capsys.readouterr().out
    assert compare.main(["--run", RUN_3_3, "3.3/ds-roulette/d198", "3.3/i-roulette-warp/d198"]) == 0
    assert "first " not in capsys.readouterr().out.partition("\n\n")[2].split("B is")[0]


# ---- Tours ----

TOURS = "nvidia-h100-80gb-hbm3/20261126T160634Z-31bcaa5c-jpdc-9"  # JPDC's Figure 9 as stored: runs of 1000 iterations


def test_rungs_of_one_rule_have_tours_alike_and_another_rule_has_not(capsys):
    """The roulette wheel and DS-Roulette choose in proportion, I-Roulette does not: what was measured on an H100."""
    alike = ["--run", TOURS, "jpdc-F9/ds-roulette"]
    assert compare.main([*alike, "jpdc-F9/data-rw-warp", "--alike"]) == 0
    told = capsys.readouterr().out
    assert "B/A" in told and compare.HOW not in told and "A, ms" not in told and told.count("  d198  ") == 1
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


def test_a_row_whose_interval_holds_1_is_neither_faster_nor_slower():
    ratios = {"ratio": [0.9, 1.1, 1.05, 0.97], "ratio_lo": [0.8, 1.05, 0.99, 0.9], "ratio_hi": [0.95, 1.2, 1.1, 1.02]}
    told = compare.summary(pd.DataFrame(ratios))
    assert told.startswith("B is faster in 1, slower in 1, the same within its interval in 2")


def test_welchs_test_is_scipys():
    a, b = np.array([100.0, 101, 99, 100, 102, 98]), np.array([110.0, 140, 90])
    theirs = stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
    assert compare.welch(a, b)[3] == pytest.approx(theirs.pvalue)
