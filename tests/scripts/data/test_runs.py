"""The data layer: what is read, what is refused and in which words, which row is the best."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from antbench.data import cells, code, runs, validate
from antbench.data.command import BadInput
from antbench.gate import sides
from antbench.show import compare, report
from antbench.tools import results_check
from support.settle import settle

DATA = Path(__file__).resolve().parents[2] / "data/runs"


@pytest.fixture
def run_copy(tmp_path):
    shutil.copytree(DATA / "newer", tmp_path / "run")
    return tmp_path / "run"


def edit(path, line, change):
    """Puts change(line's text) into a file's line, or drops it for None."""
    lines = path.read_text().splitlines()
    changed = change(lines[line - 1])
    lines[line - 1 : line] = [] if changed is None else [changed]
    path.write_text("\n".join(lines) + "\n")


def cell(name, value):
    """A change of one cell of a table file's line."""

    def change(text):
        cells = text.split(",")
        cells[runs.HEADER.index(name)] = value
        return ",".join(cells)

    return change


def test_a_run_is_read():
    run = runs.load_run(DATA / "newer")
    row = run.rows.iloc[1]
    assert run.run_id == "nvidia-h100-80gb-hbm3/20261121T033625Z-a4f6415" and run.profile == "quick"
    assert runs.device_name(run) == "NVIDIA H100 80GB HBM3"
    assert (row["row"], row["instance"], row["status"], row["line"]) == ("i-roulette-warp", "d198", "ok", 3)
    assert np.isnan(run.rows.iloc[0]["sm_clock_mhz"]) and run.rows.iloc[0]["throttle"] == ""
    assert runs.param(row, "ants") == "198" and runs.param(row, "nn") is None
    assert runs.quality_of_runs(run.rows.iloc[0]) == [17450, 18126] and np.isnan(row["energy_j"])
    for _, each in run.rows.iterrows():
        assert np.median(runs.samples(each)) == pytest.approx(each["median_ms"], rel=1e-6)
    mean, low, high, n = runs.mean_interval(row)
    assert (
        n == row["samples"]
        and low < mean < high
        and mean - low == pytest.approx(1.984 * row["stddev_ms"] / 10, rel=1e-3)
    )


def test_samples_of_several_processes_are_counted_on(run_copy):
    lines = (run_copy / "samples.csv").read_text().splitlines()
    again = enumerate(line.split(",") for line in lines[101:201])  # of line 2, from sample 100 on
    second = [",".join([*cells[:3], "2", *cells[4:6], str(number), *cells[7:]]) for number, cells in again]
    (run_copy / "samples.csv").write_text("\n".join(lines[:101] + lines[201:] + second) + "\n")
    settle(run_copy)
    run, whole = runs.load_run(run_copy), runs.load_run(DATA / "newer")
    assert [len(samples) for samples in run.processes[2]] == [100, 100]
    assert runs.samples(run.rows.iloc[0]).tolist() == runs.samples(whole.rows.iloc[0]).tolist()
    edit(run_copy / "samples.csv", 601, lambda text: text.replace(",2,1,199,", ",1,1,199,"))
    with pytest.raises(BadInput, match="samples.csv:601: process 1 after process 2"):
        runs.samples(runs.load_run(run_copy).rows.iloc[0])


def test_too_few_samples_are_measured_all_the_same(run_copy):
    edit(run_copy / "table-3.3.csv", 3, lambda text: text.replace(",ok,", ",few,"))
    assert runs.load_run(run_copy).rows.iloc[1]["status"] == "few"
    edit(run_copy / "table-3.3.csv", 3, cell("quality_runs", "16231 x"))
    with pytest.raises(BadInput, match='table-3.3.csv:3: quality_runs is not a number: "x"'):
        runs.load_run(run_copy)


@pytest.mark.parametrize("schema", [0, 1, 4, 6])
def test_a_run_of_another_schema_is_refused(run_copy, schema):
    """Whatever else is in it."""
    (run_copy / "meta.json").write_text(json.dumps({"schema": schema, "run_id": "x"}))
    with pytest.raises(BadInput) as error:
        runs.load_run(run_copy)
    told = f"schema {schema}, but this program reads schema 5 only: measure again, and move this run elsewhere"
    assert str(error.value) == f"{run_copy}/meta.json:1: {told}"


@pytest.mark.parametrize(
    "line, driver", [(["build/bin/antbench", "3.3", "--quiet"], "3.3"), (["/x/antbench-mpi", "jpdc-4"], "jpdc-4")]
)
def test_the_driver_of_a_run(line, driver):
    assert runs.Run(DATA, {"command_line": line}, None).driver == driver


def test_discarded_samples_keep_their_numbers(run_copy):
    table, samples = run_copy / "table-3.3.csv", run_copy / "samples.csv"
    edit(samples, 206, lambda text: text + "power")  # sample 4 of line 3
    edit(settle(run_copy) / table.name, 3, cell("discarded", "1"))
    row = runs.load_run(run_copy).rows.iloc[1]
    assert np.flatnonzero(np.isnan(runs.all_samples(row))).tolist() == [4] and len(runs.samples(row)) == 99


def test_what_was_taken_again_has_the_number_of_what_it_replaces(tmp_path):
    """Iterations of a run are not alike: samples of two processes stand side by side by their numbers."""
    rows = pd.DataFrame([{"line": 2, "table": "3.3", "row": "race"}])
    told = [
        (1, 0, 9, "late"),
        (1, 1, 2, "late"),
        (1, 0, 3, ""),
        (1, 1, 2, ""),
        (1, 2, 8, "late"),
        (1, 3, 1, ""),
        (2, 0, 4, ""),
    ]
    lines = [f"3.3,race,2,{process},7,{i},{at},{ms},{why}" for i, (process, at, ms, why) in enumerate(told)]
    path = tmp_path / "samples.csv"
    path.write_text("\n".join([",".join(runs.SAMPLES_HEADER), *lines]) + "\n")
    for read in (runs.read_samples_at_once, runs.read_samples_by_line):
        samples, taken = read(path, rows)
        assert [[str(ms) for ms in of_process] for of_process in samples[2]] == [["3.0", "2.0", "nan", "1.0"], ["4.0"]]
        assert taken == {2: 7}
    right = path.read_text()
    for number, why in ((4, "4 comes after 3 samples"), (1, "1 is there twice, and the first was kept")):
        path.write_text(right.replace(",1,7,5,3,", f",1,7,5,{number},"))
        assert runs.read_samples_at_once(path, rows) is None
        with pytest.raises(BadInput, match=f"samples.csv:7: sample number {why}"):
            runs.read_samples_by_line(path, rows)


FORMS = (
    "1", "2", "+1", "-1", "1_0", "0x1", "1.", ".5", "1e", "1E0", "1e0", "1e+0", "1e-0", "1d0", "inf", "nan", "Infinity", "", "true", "tRUe",
    "False", "1e-400", "1e400", "1e31", "1e+31", "-1e31", "1e29", "99999999999999999999", " 1", "1 ", "\t1", "1\r", "1,000", "1,", ",1", "01", "1.0",
    "0.1.2", "1f", "\u0661", "1\u00a0", '"1"', "'1'", "1;", "#1", "1\0", "1\x0b", "None", "NA",
)  # fmt: skip


def read_in_both_ways(path, text):
    """What the faster way finds; the other one finds it too, or the faster one leaves the file to it."""
    path.write_text(",".join(runs.SAMPLES_HEADER) + f"\n{text}", encoding="utf-8", newline="")
    rows = pd.DataFrame([{"line": 2, "table": "3.3", "row": "1"}])
    found = runs.read_samples_at_once(path, rows)
    try:
        assert found is None or str(found) == str(runs.read_samples_by_line(path, rows)), text
    except BadInput as error:
        assert found is None, (text, error)
    return found


@pytest.mark.parametrize("name", runs.SAMPLES_HEADER)
@pytest.mark.filterwarnings("error")
def test_both_ways_of_reading_take_the_same_for_a_sample(tmp_path, name):
    """What pandas takes for a number, or leaves out, must not be a sample to one of them alone."""
    right = dict(zip(runs.SAMPLES_HEADER, ["3.3", "1", "2", "1", "7", "0", "0", "1", ""]))
    assert read_in_both_ways(tmp_path / "samples.csv", ",".join(right.values()) + "\n")
    for form in FORMS:
        for more in ({}, {"discard_reason": "late"}, {"line": "3"}):
            read_in_both_ways(tmp_path / "samples.csv", ",".join({**right, **more, name: form}.values()) + "\n")


@pytest.mark.parametrize(
    "numbers, is_read", [("012", True), ("0012", True), ("0102", True), ("10", False), ("0210", False)]
)
def test_both_ways_of_reading_take_the_same_order(tmp_path, numbers, is_read):
    """A sample that was taken again has the number of the one before it, or a later one is there already."""
    lines = [f"3.3,1,2,1,7,{i},{n},1,{'late' * (n in numbers[i + 1 :])}\n" for i, n in enumerate(numbers)]
    assert (read_in_both_ways(tmp_path / "samples.csv", "".join(lines)) is not None) == is_read


@pytest.mark.parametrize("line", ["3.3,1,2,1,7,1,1,1", "x,3.3,1,2,1,7,1,1,1,", "", "3.3,1,2,1,7,1,1,1,,"])
def test_both_ways_of_reading_refuse_lines_of_other_lengths(tmp_path, line):
    right = "3.3,1,2,1,7,0,0,1,\n"
    for text in (f"{right}{line}\n", f"{line}\n{right}", f"{line}\n", f"{right}{line}"):
        assert (read_in_both_ways(tmp_path / "samples.csv", text) is None) == (text != right)


def test_runs_are_read_again_only_where_a_file_has_changed(run_copy):
    (first,) = runs.load_below(run_copy)
    assert runs.load_below(run_copy) == [first] and sum(map(len, first.all_samples.values())) == 600
    edit(run_copy / "table-3.3.csv", 5, cell("mean_ms", repr(first.rows.iloc[3]["mean_ms"] * 1.001)))
    (second,) = runs.load_below(run_copy)
    assert second is not first and second.rows.iloc[3]["mean_ms"] == first.rows.iloc[3]["mean_ms"] * 1.001
    (run_copy / "samples.csv").write_text("")
    with pytest.raises(BadInput, match="samples.csv:1: empty"):
        _ = runs.load_below(run_copy)[0].processes


def test_samples_of_an_unfinished_row_are_left_out(run_copy):
    with open(run_copy / "samples.csv", "a") as file:
        file.write("3.3,ds-roulette,7,1,3,0,0,1.5,\n")
    assert len(runs.load_run(run_copy).rows) == 5
    assert sum(len(samples) for samples in runs.load_run(run_copy).all_samples.values()) == 600


@pytest.mark.parametrize(
    "line, change, message",
    [
        (1, lambda text: text.replace("median_ms", "median"), ":1: unknown header: expected 51 columns"),
        (3, lambda text: text + ",", ":3: expected 51 cells, got 52"),
        (3, lambda text: "", ":3: expected 51 cells, got 0"),
        (3, cell("schema", "4"), ':3: schema "4", but meta.json has schema 5'),
        (4, cell("run_id", "other/run"), ":4: belongs to the run other/run, but meta.json describes nvidia-h100"),
        (4, cell("device", "X"), ':4: mixed devices: cuda is "X" here and "NVIDIA H100 80GB HBM3" on line 3'),
        (4, cell("status", "fine"), ':4: unknown status "fine"'),
        (5, cell("median_ms", "0.1x"), ':5: median_ms is not a number: "0.1x"'),
        (5, cell("median_ms", "nan"), ':5: median_ms is not a number: "nan"'),
        (5, cell("median_ms", ""), ":5: has samples but no median_ms"),
        (5, cell("samples", ""), ":5: has median_ms but no samples"),
        (5, cell("median_ms", "0"), ':5: median_ms is not above 0: "0"'),
        (5, cell("mean_ms", "-1"), ':5: mean_ms is not above 0: "-1"'),
        (5, cell("stddev_ms", "-1"), ':5: stddev_ms is below 0: "-1"'),
        (5, cell("ci95_lo_ms", "9e9"), ":5: ci95_lo_ms is above median_ms"),
        (5, cell("samples", "1.5"), ':5: samples is no count: "1.5"'),
        (5, cell("note", "\x1b[1m"), ":5: note has a control character"),
        (5, cell("instance", "=HYPERLINK(x)"), ':5: instance begins like a formula of a spreadsheet: "=HYPERLINK(x)"'),
        (5, cell("note", '"never closed'), ":5: not CSV: unexpected end of data"),
        (5, cell("note", "x" * 200_000), None),
        (5, lambda text: text + "\n" + text, ":6: the same row as line 5"),
    ],
)
def test_a_malformed_table_is_one_line(run_copy, line, change, message):
    edit(run_copy / "table-3.3.csv", line, change)
    if message is None:
        assert len(runs.load_run(run_copy).rows) == 5
        return
    with pytest.raises(BadInput) as error:
        runs.load_run(run_copy)
    assert str(error.value).startswith(f"{run_copy}/table-3.3.csv{message}") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", ":1: empty; expected the header"),
        (",".join(runs.HEADER) + "\n", ":1: no rows, only the header"),
        (",".join(runs.HEADER) + "\n5,nvidia", ":2: cut short: the last line has no end"),
        ("\udcff", ":1: not a text file (UTF-8)"),
    ],
)
def test_an_empty_or_truncated_table_is_one_line(run_copy, text, message):
    (run_copy / "table-3.3.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput) as error:
        runs.load_run(run_copy)
    assert str(error.value).startswith(f"{run_copy}/table-3.3.csv{message}")


@pytest.mark.parametrize(
    "line, change, message",
    [
        (1, lambda text: "table,row", "samples.csv:1: unknown header"),
        (50, lambda text: text.replace(",2,", ",3,", 1), ':50: sample 48 of 3.3 acotsp-seq does not fit line "3"'),
        (50, lambda text: None, 'samples.csv:50: sample 49 of 3.3 acotsp-seq does not fit line "2" of the table'),
        (50, lambda text: "3.3,acotsp-seq,2,1,1,48,48,fast,", 'samples.csv:50: ms is not a number: "fast"'),
        (601, lambda text: None, "table-3.3.csv:6: says 100 samples, but samples.csv has 99 kept samples of it"),
        (50, lambda text: "3.3,acotsp-seq,2,1,1,48,48,0,", ':50: ms is "0", but a kept sample takes 1e-07 to 1e+10 ms'),
        (
            50,
            lambda text: "3.3,acotsp-seq,2,1,1,48,48,-1,",
            ':50: ms is "-1", but a kept sample takes 1e-07 to 1e+10 ms',
        ),
        (
            50,
            lambda text: "3.3,acotsp-seq,2,1,1,48,48,900,",
            "table-3.3.csv:2: median_ms is 7.54653, but its samples give 7.55",
        ),
    ],
)
def test_malformed_samples_are_one_line(run_copy, line, change, message):
    edit(run_copy / "samples.csv", line, change)
    run = runs.load_run(run_copy)
    with pytest.raises(BadInput) as error:
        runs.samples(run.rows.iloc[0])
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "meta.json:1: not JSON"),
        ('{\n  "run_id": }', "meta.json:2: not JSON"),
        ("[]", "meta.json:1: not the description of a run: it is no object"),
        ("[" * 100_000, "meta.json:1: not JSON"),
        ('{"run_id": NaN}', "meta.json:1: not JSON: NaN is no JSON"),
    ],
)
def test_malformed_metadata_is_one_line(run_copy, text, message):
    (run_copy / "meta.json").write_text(text)
    with pytest.raises(BadInput, match=message):
        runs.load_run(run_copy)


FINDING = {"what": "clock", "verdict": "will spoil", "value": "not locked, 1980 MHz", "advice": "type this"}


@pytest.mark.parametrize(
    "change, fault",
    [
        (lambda meta: meta.pop("schema"), "there is no schema"),
        (lambda meta: meta.update(schema="1"), 'schema is "1"'),
        (lambda meta: meta.pop("command_line"), "there is no command_line"),
        (lambda meta: meta.update(command_line=["antbench"]), r'command_line is \["antbench"\]'),
        (lambda meta: meta.update(started_utc="yesterday"), 'started_utc is "yesterday"'),
        (lambda meta: meta["options"].update(profile="quick\n"), r'options.profile is "quick\\n"'),
        (lambda meta: meta["inputs"][0].update(name=[1]), r"inputs\[0\].name is \[1\]"),
        (lambda meta: meta.pop("devices"), "there is no devices"),
        (lambda meta: meta["devices"][0].update(clock_mhz=True), r"devices\[0\].clock_mhz is true"),
        (lambda meta: meta["build"].update(dirty=None), "there is no build.dirty"),
        (lambda meta: meta.update(doctor={"what": "clock"}), "doctor is no list"),
        (lambda meta: meta.update(doctor=["clock"]), r"doctor\[0\] is no object"),
        (lambda meta: meta.update(doctor=[FINDING, FINDING | {"verdict": "fine"}]), r'doctor\[1\].verdict is "fine"'),
        (lambda meta: meta.update(doctor=[FINDING | {"verdict": ["ok"]}]), r"doctor\[0\].verdict is \[.ok.\]"),
        (lambda meta: meta.update(doctor=[FINDING | {"value": None}]), r"there is no doctor\[0\].value"),
        (lambda meta: meta.update(doctor=[FINDING | {"value": "\x1b[2J"}]), r"doctor\[0\].value is"),
        (lambda meta: meta.update(doctor=[FINDING | {"what": "a\u202eb"}]), r"doctor\[0\].what is"),
        (lambda meta: meta.update(doctor=[FINDING | {"advice": "x\nsudo y"}]), r"doctor\[0\].advice is"),
        *(
            (lambda meta, commit=commit: meta["build"].update(commit=commit), "build.commit is ")
            for commit in (
                "--output=x",
                "HEAD",
                "-1234567",
                "abc123",
                "../../x",
                "abc1234:x",
                "abc1234\n",
                "A" * 40,
                "a" * 41,
            )
        ),
    ],
)
def test_what_meta_json_must_hold(run_copy, change, fault):
    meta = json.loads((run_copy / "meta.json").read_text())
    change(meta)
    (run_copy / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(BadInput, match=f"meta.json:1: not the description of a run: {fault}"):
        runs.load_run(run_copy)


def test_runs_with_and_without_a_doctor_are_read(run_copy):
    meta = json.loads((run_copy / "meta.json").read_text())
    assert "doctor" not in meta
    for found in (None, [], [FINDING, {**FINDING, "advice": None}, {**FINDING, "verdict": "cannot tell"}]):
        (run_copy / "meta.json").write_text(json.dumps({**meta, "doctor": found}))
        assert runs.load_run(run_copy).meta["doctor"] == found


STRANGE = (None, True, 10**400, "", "x\n", [[1]], {"a": 1})


def members(value, path=()):
    """The path of each member of a JSON document."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, key)
        yield from members(value[key], (*path, key))


def test_no_member_of_another_type_gives_a_traceback(run_copy):
    """Each member, and strange values in its place: refused, or of no consequence to those that read it."""
    loaded = runs.load_run(run_copy)
    loaded.meta["doctor"] = [FINDING]
    whole, refused = json.dumps(loaded.meta), 0
    for path in list(members(loaded.meta)):
        for value in STRANGE:
            meta = json.loads(whole)
            parent = meta
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = value
            try:
                validate.check_meta("meta.json", meta)
            except BadInput as error:
                refused += 1
                assert "\n" not in str(error)
                continue
            run = runs.Run(run_copy, meta, loaded.rows.assign(run=None))
            run.rows["run"] = [run] * len(run.rows)
            report.describe(run), compare.describe("A", run.rows), cells.Source([run]), sides.Side([run]).of_driver
            assert sides.differences(sides.Side([run]), sides.Side([loaded])) is not None
    assert refused > 200


def test_results_check_reads_every_run_it_is_given(run_copy, capsys):
    assert results_check.main([str(run_copy)]) == 0 and "5 rows, 600 samples" in capsys.readouterr().out
    mean = runs.load_run(run_copy).rows.iloc[3]["mean_ms"]
    edit(run_copy / "table-3.3.csv", 5, cell("mean_ms", repr(mean * 1.001)))
    assert results_check.main([str(run_copy)]) == 2
    assert f"table-3.3.csv:5: mean_ms is {mean * 1.001:.9g}, but its samples give {mean:.6g}" in capsys.readouterr().out


def test_a_directory_without_one_table_is_refused(run_copy):
    (run_copy / "table-4.2.csv").write_text("")
    with pytest.raises(BadInput, match="expected one file table-.*found 2"):
        runs.load_run(run_copy)


def test_names_of_runs():
    stored = runs.RESULTS / "reference/nvidia-h100-80gb-hbm3/20261126T112914Z-c8d43aae-jsc-5"
    assert runs.resolve("nvidia-h100-80gb-hbm3/20261126T112914Z-c8d43aae-jsc-5") == stored
    assert [run.path for run in runs.load_runs(stored)] == [stored]
    assert [run.path.name for run in runs.load_runs(DATA)] == ["older", "newer"]  # by their start, not their names
    for name in ("", "nowhere"):
        with pytest.raises(BadInput):
            runs.resolve(name)


def test_the_best_row_of_each_cell(run_copy):
    meta = json.loads((run_copy / "meta.json").read_text())
    meta["options"]["profile"], meta["started_utc"] = "thesis", "2026-11-01T00:00:00Z"
    (run_copy / "meta.json").write_text(json.dumps(meta))
    samples = run_copy / "samples.csv"
    samples.write_text("".join(line for line in samples.read_text().splitlines(True) if line.split(",")[2] != "3"))
    edit(settle(run_copy) / "table-3.3.csv", 3, cell("status", "timeout"))
    best = runs.best_rows([runs.load_run(DATA / "newer"), runs.load_run(DATA / "older"), runs.load_run(run_copy)])
    source = dict(zip(best["row"] + " " + best["scope"], [run.path.name for run in best["run"]]))
    assert len(best) == 5
    assert source["ds-roulette iteration"] == "run"  # profile thesis, though the oldest
    assert source["i-roulette-warp iteration"] == "newer"  # timed, and newer than the other


@pytest.mark.parametrize("profile, best", [("thesis", "run"), ("quick", "run"), ("smoke", "newer")])
def test_newer_device_code_comes_before_a_better_profile(run_copy, profile, best):
    meta = json.loads((run_copy / "meta.json").read_text())
    meta["options"]["profile"], meta["started_utc"] = profile, "2026-12-01T00:00:00Z"
    meta["build"].update(kernels={"kernels/tsp/colony.cu": "newest"})
    (run_copy / "meta.json").write_text(json.dumps(meta))
    newer = runs.load_run(DATA / "newer")
    newer.meta["options"]["profile"] = "thesis"
    rows = runs.best_rows([runs.load_run(run_copy), newer])
    assert {run.path.name for run in rows["run"][rows["backend"] == "cuda"]} == {best}


def test_rows_of_a_device():
    named, by_folder = (runs.for_device(name, DATA) for name in ("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3"))
    assert len(named) == len(by_folder) == 5
    with pytest.raises(BadInput, match="gtx-580: no run of this device; there are nvidia-h100-80gb-hbm3"):
        runs.for_device("gtx-580", DATA)


@pytest.mark.parametrize(
    "name, slug",
    [
        ("Intel(R) Xeon(R) Processor", "intel-xeon-processor"),
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3"),
        ("  ", "unknown"),
        ("CPU (never closed", "cpu"),
    ],
)
def test_machine_slug(name, slug):
    assert runs.machine_slug(name) == slug


def test_published_numbers():
    published = runs.published().set_index("id")
    assert published.loc["thesis-3.3/ds-roulette/d198", "value"] == 1.16 and published.index.is_unique


def test_each_stored_row_is_of_an_implementation_of_today():
    """A page leaves out a row whose name is gone. If that was the fastest CPU's, the GPU looks better than it is."""
    stored = runs.load_below(runs.RESULTS / "reference", runs.RESULTS / "contributed")
    rows = [row for run in stored if run.driver != "peers" for row in run.records if row["scope"] != "setup"]
    assert len(rows) > 10000
    gone = {(row["run_id"], row["implementation"]) for row in rows if row["implementation"] not in code.files("")}
    assert gone == set(), "measure these again, or delete the runs"


def test_runs_are_in_the_order_they_began_in(tmp_path):
    """Also those of one second, of which there may be ten."""
    second, later = "20261123T104720Z-b6e0915", "20261123T104721Z-0000000"
    names = [f"{second}-3.3", *(f"{second}-3.3-{i}" for i in range(2, 12)), f"{later}-3.3"]
    for name in reversed(names):
        (tmp_path / name).mkdir()
        (tmp_path / name / "meta.json").write_text("{}")
    assert [path.name for path in runs.find_runs(tmp_path)] == names
    assert runs.newest_run(tmp_path).name == names[-1]


def began(folder, name, meta):
    """A directory whose meta.json has this text."""
    (folder / name).mkdir(parents=True)
    (folder / name / "meta.json").write_text(meta)


def test_the_newest_run_is_the_one_that_began_last(tmp_path):
    """Whatever its folder is called: OUT=results/runs/mine has folders such as 3.3."""
    began(tmp_path, "mine/3.3", '{"started_utc": "2026-11-24T00:00:00Z"}')
    began(tmp_path, "mine/3.2", '{"started_utc": "2026-11-22T00:00:00Z"}')
    began(tmp_path, "intel-xeon-processor/20261123T104720Z-b6e0915-3.3", '{"started_utc": "2026-11-23T10:47:20Z"}')
    found = runs.find_runs(tmp_path)
    assert [path.name for path in found] == ["3.2", "20261123T104720Z-b6e0915-3.3", "3.3"]
    assert runs.newest_run(tmp_path) == tmp_path / "mine/3.3"
    began(tmp_path, "mine/3.3/again", '{"started_utc": "2026-11-20T00:00:00Z"}')
    (tmp_path / "mine/3.2/meta.json").write_text('{"started_utc": "2026-11-25T00:00:00Z", "more": 0}')
    assert [path.name for path in runs.find_runs(tmp_path)][::3] == ["again", "3.2"]


@pytest.mark.parametrize("meta", ["", "{", "[]", '"2027"', "{}", '{"started_utc": 7}', '{"started_utc": "yesterday"}'])
def test_a_run_that_does_not_say_when_it_began_is_found_and_is_not_the_newest(tmp_path, meta):
    began(tmp_path, "a", '{"started_utc": "2026-11-23T10:47:20Z"}')
    began(tmp_path, "z", meta)
    assert [path.name for path in runs.find_runs(tmp_path)] == ["z", "a"]
    assert runs.newest_run(tmp_path).name == "a"


@pytest.mark.parametrize("waited, status", [(0.04, "ok"), (0.06, "noisy")])
def test_threads_that_waited_make_a_row_noisy(waited, status):
    samples = [np.linspace(1.0, 1.01, 20)]
    assert validate.status_of(samples, samples, waited=waited) == status
