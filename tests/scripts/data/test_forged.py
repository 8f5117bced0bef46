"""Runs whose every number follows from their samples, and that no machine has measured: refused in one line."""

import json
import lzma
import os
import re
import shutil
from pathlib import Path

import pytest

from antbench.data import archive, hardware, plausible, runs, share
from antbench.data.command import CONTROL, ROOT, BadInput
from antbench.gate import calibration
from antbench.show import gains, plots
from antbench.tools import results_check

RUN = Path(__file__).resolve().parents[2] / "data/runs/newer"


@pytest.fixture
def run(tmp_path):
    return Path(shutil.copytree(RUN, tmp_path / "run"))


def change_meta(run, change):
    meta = json.loads((run / "meta.json").read_text())
    change(meta)
    (run / "meta.json").write_text(json.dumps(meta))


def change_cells(run, **cells):
    """Of each row; `times` is that of each statistic and sample."""
    time = cells.pop("times", None)
    table = run / "table-3.3.csv"
    header, *lines = [line.split(",") for line in table.read_text().splitlines()]
    if time:
        cells |= {name: time for name in runs.TIMES} | {"stddev_ms": "0"}
        samples = [line.split(",") for line in (run / "samples.csv").read_text().splitlines()]
        text = "\n".join(",".join([*line[:7], time if i else line[7], *line[8:]]) for i, line in enumerate(samples))
        (run / "samples.csv").write_text(text + "\n")
    for line in lines:
        for name, text in cells.items():
            line[header.index(name)] = text
    table.write_text("".join(",".join(line) + "\n" for line in [header, *lines]))


def refused(run):
    with pytest.raises(BadInput) as raised:
        for row in runs.records_of(runs.load_run(run).rows):
            runs.samples(row)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 1000
    return str(raised.value)


@pytest.mark.parametrize(
    "change, fault",
    [
        (lambda meta: meta.update(started_utc="0001-01-01T00:00:00Z"), "started_utc is "),
        (lambda meta: meta.update(ended_utc="9999-12-31T23:59:59Z"), "ended_utc is "),
        (lambda meta: meta.update(run_id="a/" + "b" * 200), "run_id is "),
        (lambda meta: meta["devices"][0].update(name="G" * 201), "devices[0].name is "),
        (lambda meta: meta["machine"].update(cpu="C" * 201), "machine.cpu is "),
        (lambda meta: meta["inputs"][0].update(name="d" * 201), "inputs[0].name is "),
        (lambda meta: meta["machine"].update(usable_cores=1 << 40), "machine.usable_cores is "),
        (lambda meta: meta["machine"].update(usable_cores=-1), "machine.usable_cores is "),
        (lambda meta: meta["machine"].update(effective_cores=1e300), "machine.effective_cores is "),
    ],
)
def test_metadata_that_no_machine_has(run, change, fault):
    change_meta(run, change)
    assert f"meta.json:1: not the description of a run: {fault}" in refused(run)


@pytest.mark.parametrize("time", ["5e-324", "9e-8", "1.1e10", "1e308"])
def test_times_that_nothing_takes(run, time):
    change_cells(run, times=time)
    told = refused(run)
    assert "is no time of a kernel" in told or "is not a number" in told


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("time", ["5e-324", "1e308"])
def test_a_sample_that_takes_no_such_time(run, time, fast, monkeypatch):
    """Hidden in a row of plausible statistics; read at once, or line by line."""
    if not fast:
        monkeypatch.setattr(runs, "read_samples_at_once", lambda *_: None)
    samples = (run / "samples.csv").read_text().splitlines()
    samples[1] = ",".join([*samples[1].split(",")[:7], time, ""])
    (run / "samples.csv").write_text("\n".join(samples) + "\n")
    told = refused(run)
    assert "but a kept sample takes 1e-07 to 1e+10 ms" in told or "is not a number" in told


@pytest.mark.parametrize("name", ["instance", "implementation", "device", "params"])
def test_a_name_of_thousands_of_letters(run, name):
    change_cells(run, **{name: "a" * 201})
    assert f"table-3.3.csv:2: {name} has more than 200 characters" in refused(run)


@pytest.mark.parametrize("column", ["quality_best", "quality_reference", "verify_value", "sm_clock_mhz"])
def test_a_number_whose_square_is_infinite(run, column):
    change_cells(run, **{column: "1e200"})
    assert f"{column} is not a number" in refused(run)


def test_an_endless_list_of_qualities_is_no_list(run):
    """9999... with 500 digits is infinity: every difference from it was a small share of it."""
    change_cells(run, quality_runs="9" * 500)
    assert 'table-3.3.csv:2: quality_runs is not a number: "999' in refused(run)
    assert not plausible.same(1.0, float("inf"), 1e-9) and not plausible.same(float("inf"), float("inf"), 1e-9)


@pytest.mark.parametrize(
    "cells, fault",
    [
        ({"published_ms": "1e-9"}, "published_ms is 1e-09, but results/published has 48.37 of it"),
        ({"published_id": "../../x"}, "published_ms is 48.37, but results/published has nan of it"),
    ],
)
def test_a_published_number_that_was_not_published(run, cells, fault, capsys):
    change_cells(run, **cells)
    assert share.fault(runs.load_run(run)) == f"line 2: {fault}"
    assert results_check.main([str(run)]) == 2 and f"{run}: line 2: {fault}\n" in capsys.readouterr().out


def test_a_member_that_is_there_twice(run):
    text = (run / "meta.json").read_text()
    (run / "meta.json").write_text(text.replace('"complete": true', '"complete": false, "complete": true'))
    assert 'meta.json:1: not JSON: "complete" is there twice' in refused(run)


def test_samples_behind_the_end_of_samples(run):
    (run / "samples.csv.xz").write_bytes(2 * lzma.compress((run / "samples.csv").read_bytes()))
    (run / "samples.csv").unlink()
    assert "goes on behind its end" in refused(run)


def test_an_archive_with_samples_of_two_kinds(run, tmp_path):
    files = {f"m/r/{path.name}": path.read_bytes() for path in run.iterdir()}
    archive.pack(tmp_path / "x.tar.gz", files | {"m/r/samples.csv.xz": b"others"})
    with pytest.raises(BadInput, match="x.tar.gz: r has samples twice, in samples.csv and samples.csv.xz"):
        archive.unpacked(tmp_path / "x.tar.gz")
    archive.pack(tmp_path / "y.tar.gz", files)
    assert archive.unpacked(tmp_path / "y.tar.gz").is_dir()


def test_a_pipe_is_no_calibration(tmp_path):
    os.mkfifo(tmp_path / "calibration.json")
    with pytest.raises(BadInput, match="calibration.json: not a regular file"):
        calibration.read(tmp_path / "calibration.json")


def test_what_a_gpu_does_not_know_divides_nothing(run):
    """0 SMs, clocks or wires."""
    for name in ("sm_count", "clock_mhz", "memory_bus_bits"):
        change_meta(run, lambda meta: meta["devices"][0].update({name: 0}))
    of = hardware.of_device(runs.load_run(run).device)
    assert of.sm_ghz != of.sm_ghz and of.gb_per_s != of.gb_per_s

    class Card:
        pass

    card, known = Card(), Card()
    card.hardware, known.hardware = of, hardware.Hardware(1, 1, 1, 1)
    assert gains.more(card, known, "sm_ghz") != gains.more(card, known, "sm_ghz")


def test_a_name_that_no_archive_holds_is_one_line(tmp_path):
    with pytest.raises(BadInput, match="x.tar.gz: 'aaaa.*' does not fit an archive: name is too long"):
        archive.pack(tmp_path / "x.tar.gz", {"a" * 101: b""})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "head, is_one",
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (2048).to_bytes(4, "big") * 2, True),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (20_000).to_bytes(4, "big") * 2, False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\xff" * 8, False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(8), False),
        (b"GIF89a" + b"\0" * 30, False),
        (b"\x89PNG", False),
    ],
)
def test_a_picture_that_is_a_bomb_is_no_picture(tmp_path, head, is_one):
    """400 megapixels of one colour are 400 kB, of which gnuplot takes GiB."""
    (tmp_path / "lena-input.png").write_bytes(head)
    assert (plots.find_image("lena-input.png", [tmp_path]) is not None) == is_one


def test_the_program_and_the_scripts_refuse_the_same_characters():
    """base/text.c has ranges, antbench.data.command a class. The program's texts end at NUL and hold no surrogate."""
    text = (ROOT / "base/text.c").read_text(encoding="utf-8")
    ranges = re.findall(r"\{(0x[0-9a-f]+), (0x[0-9a-f]+)\}", text.partition("controls[][2]")[2].partition(";")[0])
    refused_by_program = {code for low, high in ranges for code in range(int(low, 16), int(high, 16) + 1)}
    only_here = {0, 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)}
    refused_here = {code for code in range(0x110000) if CONTROL.match(chr(code))}
    assert refused_here == refused_by_program | only_here and len(ranges) == 8
