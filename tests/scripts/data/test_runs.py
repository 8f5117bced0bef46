"""The data layer: what is read, what is refused and in which words, which row is the best."""

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from antbench.data import cells, runs, validate
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
        cells[runs.SCHEMAS["1"][0].index(name)] = value
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
    for _, each in run.rows.iterrows():
        assert np.median(runs.samples(each)) == pytest.approx(each["median_ms"], rel=1e-6)
    mean, low, high, n = runs.mean_interval(row)
    assert (
        n == row["samples"]
        and low < mean < high
        and mean - low == pytest.approx(1.984 * row["stddev_ms"] / 10, rel=1e-3)
    )


@pytest.fixture
def schema_2(run_copy):
    """The same run as schema 2 has it."""
    meta = json.loads((run_copy / "meta.json").read_text())
    meta.update(schema=2, devices=[meta.pop("device")] * 2)
    (run_copy / "meta.json").write_text(json.dumps(meta))
    for name, header, more in (
        ("table-3.3.csv", runs.SCHEMAS["2"][0], {"schema": "2"}),
        ("samples.csv", runs.SCHEMAS["2"][1], {"process": "1"}),
    ):
        with open(run_copy / name, newline="") as file:
            lines = list(csv.DictReader(file))
        for line in lines:
            of_tours = line.get("quality_best")
            if of_tours:
                line.update(bytes="470448", quality_runs=f"{line['quality_mean']} {line['quality_mean']}")
                line.update(quality_best=line["quality_mean"])
        with open(run_copy / name, "w", newline="") as file:
            writer = csv.DictWriter(file, header, lineterminator="\n")
            writer.writeheader()
            writer.writerows({**dict.fromkeys(header, ""), **line, **more} for line in lines)
    return run_copy


def test_a_run_of_schema_2_is_read(schema_2):
    old, new = runs.load_run(DATA / "newer"), runs.load_run(schema_2)
    row = new.rows.iloc[1]
    assert (row["bytes"], row["quality_runs"]) == (470448, "16231 16231") and np.isnan(row["energy_j"])
    assert new.device == old.device and len(new.devices) == 2 and len(old.devices) == 1
    assert runs.samples(row).tolist() == runs.samples(old.rows.iloc[1]).tolist()
    assert list(new.rows.columns) == list(old.rows.columns)
    assert old.rows.iloc[1]["quality_runs"] == "" and np.isnan(old.rows.iloc[1]["bytes"])


def test_earlier_schemas_are_the_newest_without_what_is_new():
    table, samples = runs.SCHEMAS["1"]
    since_5 = {"iterations", "temperature_c", "power_w", *runs.LAUNCHED}
    assert set(runs.HEADER) - set(runs.SCHEMAS["2"][0]) == {"processes", "waited", *since_5}
    assert set(runs.HEADER) - set(runs.SCHEMAS["3"][0]) == {"waited", *since_5}
    assert set(runs.HEADER) - set(runs.SCHEMAS["4"][0]) == since_5 and runs.SCHEMAS["5"][0] == runs.HEADER
    assert len(table) == 36 and samples == ["table", "row", "line", "i", "ms", "discard_reason"]


def test_a_table_of_the_thesis_may_be_called_so(schema_2):
    for name in ("table-3.3.csv", "samples.csv"):
        text = (schema_2 / name).read_text()
        (schema_2 / name).write_text(text.replace("\n3.", "\nthesis-3.").replace(",3.3,", ",thesis-3.3,"))
    run = runs.load_run(schema_2)
    assert run.rows["table"].tolist() == runs.load_run(DATA / "newer").rows["table"].tolist()
    assert len(runs.samples(run.rows.iloc[0])) == 200


def test_samples_of_several_processes_are_counted_on(schema_2):
    lines = (schema_2 / "samples.csv").read_text().splitlines()
    second = [line.replace(",1,", ",2,", 1) for line in lines[101:201]]  # of line 2, from sample 100 on
    (schema_2 / "samples.csv").write_text("\n".join(lines[:101] + lines[201:] + second) + "\n")
    settle(schema_2)
    run = runs.load_run(schema_2)
    assert runs.samples(run.rows.iloc[0]).tolist() == runs.samples(runs.load_run(DATA / "newer").rows.iloc[0]).tolist()
    edit(schema_2 / "samples.csv", 601, lambda text: text.replace(",2,199,", ",1,199,"))
    with pytest.raises(BadInput, match="samples.csv:601: process 1 after process 2"):
        runs.samples(runs.load_run(schema_2).rows.iloc[0])


def test_too_few_samples_are_measured_all_the_same(schema_2):
    edit(schema_2 / "table-3.3.csv", 3, lambda text: text.replace(",ok,", ",few,"))
    assert runs.load_run(schema_2).rows.iloc[1]["status"] == "few"
    edit(schema_2 / "table-3.3.csv", 3, lambda text: text.replace(",16231 16231,", ",16231 x,"))
    with pytest.raises(BadInput, match='table-3.3.csv:3: quality_runs is not a number: "x"'):
        runs.load_run(schema_2)


def test_an_unknown_schema_is_refused(schema_2):
    meta = (schema_2 / "meta.json").read_text()
    (schema_2 / "meta.json").write_text(meta.replace('"schema": 2', '"schema": 6'))
    with pytest.raises(BadInput, match="meta.json:1: schema 6; this program reads schemas 1, 2, 3, 4, 5"):
        runs.load_run(schema_2)
    (schema_2 / "meta.json").write_text(meta.replace('"schema": 2', '"schema": 1'))
    with pytest.raises(BadInput, match="table-3.3.csv:1: unknown header: expected 36 columns"):
        runs.load_run(schema_2)


@pytest.mark.parametrize(
    "program, line, driver",
    [
        ("table_3_3", ["build/bin/table_3_3", "--quiet"], "3.3"),
        ("table_3_3", ["build/bin/antbench", "3.3", "--quiet"], "3.3"),
        ("table_jpdc_4", ["/x/antbench", "jpdc-4"], "jpdc-4"),
    ],
)
def test_the_driver_of_a_run(program, line, driver):
    assert runs.Run(DATA, {"program": program, "command_line": line}, None).driver == driver


def test_discarded_samples_keep_their_numbers(run_copy):
    table, samples = run_copy / "table-3.3.csv", run_copy / "samples.csv"
    edit(samples, 206, lambda text: text + "power")  # sample 4 of line 3
    edit(settle(run_copy) / table.name, 3, cell("discarded", "1"))
    row = runs.load_run(run_copy).rows.iloc[1]
    assert np.flatnonzero(np.isnan(runs.all_samples(row))).tolist() == [4] and len(runs.samples(row)) == 99


def test_what_was_taken_again_has_the_number_of_what_it_replaces(tmp_path):
    """Iterations of a run are not alike: samples of two processes stand side by side by their numbers."""
    rows = pd.DataFrame([{"line": 2, "table": "3.3", "row": "race", "row_then": "race"}])
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
    for found in (
        runs.read_samples_at_once(path, rows, runs.SAMPLES_HEADER),
        runs.read_samples_by_line(path, rows, "5"),
    ):
        samples, taken = found
        assert [[str(ms) for ms in of_process] for of_process in samples[2]] == [["3.0", "2.0", "nan", "1.0"], ["4.0"]]
        assert taken == {2: 7}
    right = path.read_text()
    for number, why in ((4, "4 comes after 3 samples"), (1, "1 is there twice, and the first was kept")):
        path.write_text(right.replace(",1,7,5,3,", f",1,7,5,{number},"))
        assert runs.read_samples_at_once(path, rows, runs.SAMPLES_HEADER) is None
        with pytest.raises(BadInput, match=f"samples.csv:7: sample number {why}"):
            runs.read_samples_by_line(path, rows, "5")


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
        file.write("3.3,ds-roulette,7,0,1.5,\n")
    assert len(runs.load_run(run_copy).rows) == 5
    assert sum(len(samples) for samples in runs.load_run(run_copy).all_samples.values()) == 600


@pytest.mark.parametrize(
    "line, change, message",
    [
        (1, lambda text: text.replace("median_ms", "median"), ":1: unknown header: expected 36 columns"),
        (3, lambda text: text + ",", ":3: expected 36 cells, got 37"),
        (3, lambda text: "", ":3: expected 36 cells, got 0"),
        (3, cell("schema", "2"), ':3: schema "2", but meta.json has schema 1'),
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
        (",".join(runs.SCHEMAS["1"][0]) + "\n", ":1: no rows, only the header"),
        (",".join(runs.SCHEMAS["1"][0]) + "\n1,nvidia", ":2: cut short: the last line has no end"),
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
        (50, lambda text: "3.3,acotsp-seq,2,48,fast,", 'samples.csv:50: ms is not a number: "fast"'),
        (601, lambda text: None, "table-3.3.csv:6: says 100 samples, but samples.csv has 99 kept samples of it"),
        (50, lambda text: "3.3,acotsp-seq,2,48,0,", ':50: ms is "0", but a kept sample takes 1e-07 to 1e+10 ms'),
        (50, lambda text: "3.3,acotsp-seq,2,48,-1,", ':50: ms is "-1", but a kept sample takes 1e-07 to 1e+10 ms'),
        (
            50,
            lambda text: "3.3,acotsp-seq,2,48,900,",
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
        (lambda meta: meta.update(command_line=[]), "command_line is empty"),
        (lambda meta: meta.update(started_utc="yesterday"), 'started_utc is "yesterday"'),
        (lambda meta: meta["options"].update(profile="quick\n"), r'options.profile is "quick\\n"'),
        (lambda meta: meta["inputs"][0].update(name=[1]), r"inputs\[0\].name is \[1\]"),
        (lambda meta: meta["device"].update(clock_mhz=True), "device.clock_mhz is true"),
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


def test_a_kernel_that_has_another_name_today_has_it_in_stored_runs(run_copy):
    def one(run):
        (found,) = (row for _, row in run.rows.iterrows() if row["row"].startswith("i-roulette"))
        return found

    then = one(runs.load_run(run_copy))
    assert (then["row"], then["implementation"], then["row_then"]) == (
        "i-roulette-warp",
        "tsp/i-roulette-warp",
        "i-roulette",
    )
    assert then["published_id"] == "" and len(runs.samples(then)) == then["samples"]
    edit(run_copy / "table-3.3.csv", 3, cell("params", "protocol=as-best;ants=198;workers=128"))
    today = one(runs.load_run(run_copy))
    assert (today["row"], today["implementation"], today["row_then"]) == ("i-roulette", "tsp/i-roulette", "i-roulette")
    assert len(runs.samples(today)) == today["samples"]


def test_the_wheel_of_older_runs_is_that_of_warps():
    """No stored time of what is data-rw-warp today stands as the literal data-rw's."""

    def cells(schema, row="data-rw-128", implementation="tsp/data-rw"):
        told = {"row": row, "implementation": implementation, "params": "protocol=as;workers=128"}
        found = runs.named_today({**told, "published_id": "p", "published_ms": "1"}, schema)
        return found["row"], found["implementation"], found["published_id"]

    for schema in "1234":
        assert cells(schema) == ("data-rw-warp-128", "tsp/data-rw-warp", "")
    assert cells("5") == ("data-rw-128", "tsp/data-rw", "p")
    assert cells("4", "ds-roulette", "tsp/ds-roulette") == ("ds-roulette", "tsp/ds-roulette", "p")
    stored = runs.load_run(runs.RESULTS / "reference/nvidia-h200/20261123T015056Z-675ded5").rows
    assert "tsp/data-rw" not in set(stored["implementation"])
    assert (stored["row"] == "data-rw-warp").any() and not (stored["row"] == "data-rw").any()


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
    meta["build"].update(kernels={}, device_code_sha256="newest")
    (run_copy / "meta.json").write_text(json.dumps(meta))
    newer = runs.load_run(DATA / "newer")
    newer.meta["options"]["profile"] = "thesis"
    assert {run.path.name for run in runs.best_rows([runs.load_run(run_copy), newer])["run"]} == {best}


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


def test_every_stored_run_can_be_read():
    for path in runs.find_runs(runs.RESULTS / "reference"):
        run = runs.load_run(path)
        for last in run.rows[run.rows["samples"] > 0].tail(1).to_dict("records"):  # a table of tours has no times
            assert np.median(runs.samples(last)) == pytest.approx(last["median_ms"], rel=1e-6)


def test_runs_are_in_the_order_they_began_in(tmp_path):
    """Also those of one second, of which there may be ten."""
    second, later = "20261123T104720Z-b6e0915", "20261123T104721Z-0000000"
    names = [f"{second}-3.3", *(f"{second}-3.3-{i}" for i in range(2, 12)), f"{later}-3.3"]
    for name in reversed(names):
        (tmp_path / name).mkdir()
        (tmp_path / name / "meta.json").write_text("{}")
    assert [path.name for path in runs.find_runs(tmp_path)] == names
    assert runs.newest_run(tmp_path).name == names[-1]
