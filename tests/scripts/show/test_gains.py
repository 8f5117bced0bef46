"""How many times as fast the newest GPU is as each published card: one table, first of `make gpus` and of the page."""

import csv
import functools
import itertools
import json
import math
import re
import shutil

import pytest

from antbench.data import cells, hardware, runs
from antbench.show import gains, gpus, times
from support.commands import ROOT

REFERENCE = ROOT / "results/reference"
TABLE_33, TABLE_61 = (
    f"nvidia-h100-80gb-hbm3/{name}" for name in ("20261126T104056Z-c8d43aae-3.3", "20261127T170008Z-db8fbd81-6.1")
)
TABLES = ("3.3", "3.4", "4.1", "4.2", "5.1", "6.1")  # of the thesis, that have times of a GPU


@functools.cache
def stored():
    """The Gains of the stored runs."""
    measured = gpus.of_sources(gpus.in_store(REFERENCE))
    return gains.gains(gpus.tables(gpus.published_gpus() + measured))


def line(table, row, card):
    (found,) = [gain for gain in stored() if (gain.table, gain.row, gain.start.name) == (table, row, card)]
    return found


# ---- The screen ----


def test_the_first_screen_answers_for_every_table_of_the_thesis():
    """80 columns by 40 lines."""
    text = gains.as_text(stored()).splitlines()
    assert max(map(len, text)) <= 80
    screen = text[:40]
    for table in TABLES:
        assert [each for each in screen if each.startswith(f"{table} ") and " GTX 580 H100 " in each], table
    assert text[0] == "How many times as fast the H100 is as each other GPU"
    words = " ".join(map(str.strip, screen))
    assert "10.6 times the SM × GHz, 42.3 times the core × GHz (peak rate), 17.4 times" in words


def test_a_line_is_the_geometric_mean_of_all_instances():
    """By hand, of the cells of Table 3.3."""
    gain = line("3.3", "DS-Roulette", "GTX 580")
    ratios = {}
    for name in cells.members("tsp"):
        ours = gain.to.source.find(cells.parse(f"3.3/ds-roulette/{name}?protocol=as-best"))
        ratios[name] = cells.published_rows()[f"thesis-3.3/ds-roulette/{name}"]["value"] / ours.value
    assert dict(gain.ratios) == pytest.approx(ratios) and len(ratios) == 8
    assert gain.mean == pytest.approx(math.prod(ratios.values()) ** (1 / 8))
    assert (gain.ratios[0][0], gain.ratios[-1][0]) == ("d198", "pr2392")
    assert gain.per_gb_s == pytest.approx(gain.mean / (2 * 2619 * 5120 / 8e3 / 192.4))
    assert gain.per_sm_ghz == pytest.approx(gain.mean * 16 * 1.544 / (132 * 1.98))


def test_a_table_by_workers_is_one_line_over_instances_and_workers():
    gain = line("JPDC 3", "I-Roulette", "C2050")
    assert len(gain.ratios) > 25 and ("d198, 128") in dict(gain.ratios)


def test_numbers_that_stand_in_two_tables_are_counted_once():
    assert len([gain for gain in stored() if gain.table == "5.1" and gain.row == "ant per warp"]) == 1
    names = [(gain.table, gain.row, gain.start) for gain in stored()]
    assert len(names) == len(set(names))


def test_code_that_differs_is_marked_and_said():
    text = gains.as_text(stored())
    for row, said in (
        ("3.3 I-Roulette", "there the program of Cecilia et al."),
        ("6.1 GPU Canny, 4 passes", "there the Canny of Luo"),
    ):
        mark = re.search(rf"^{row}([¹²³⁴⁵⁶⁷⁸⁹])", text, re.M)[1]
        assert f"\n{mark} {said}" in text
    assert re.search(r"^6\.1 colour edge, GPU +GTX 580", text, re.M), "as the thesis describes it"


def test_what_no_source_says_is_said():
    text = gains.as_text(stored())
    assert "C1060 → H100: SM × GHz, core × GHz (peak rate), GB/s: not known from any source." in text
    assert line("JSC 2", "I-Roulette", "C1060").per_gb_s != line("JSC 2", "I-Roulette", "C1060").per_gb_s


def test_make_gpus_begins_with_it_and_writes_it(tmp_path, capsys):
    assert times.main(["--run", TABLE_33, "--table", "3.3", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("How many times as fast the H100 is as each other GPU\n") and "gains.csv, times.csv" in said
    with open(tmp_path / "gains.csv", newline="") as file:
        found = {(each["table"], each["row"], each["from"]): each for each in csv.DictReader(file)}
    of_thesis = found["3.3", "DS-Roulette", "GTX 580 (thesis)"]
    assert (of_thesis["low_at"], of_thesis["high_at"], of_thesis["n"]) == ("d198", "pr2392", "8")
    with open(tmp_path / "times.csv", newline="") as file:
        codes = {bool(each["code"]) for each in csv.DictReader(file) if each["source"] == "measured"}
    assert codes == {True}


# ---- Measured GPUs ----


@pytest.fixture
def two_gpus(tmp_path):
    """Makes the Gpus of a stored run of an H100 and of the same as of another GPU, whose build may be another."""

    def made(**build):
        folder = tmp_path / f"other-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(REFERENCE / TABLE_61, folder)
        meta = json.loads((folder / "meta.json").read_text())
        meta["devices"][0].update(name="NVIDIA Other", fingerprint="f" * 64)
        meta["build"].update(build)
        (folder / "meta.json").write_text(json.dumps(meta))
        other = runs.load_run(folder)
        stored = runs.load_run(REFERENCE / TABLE_61)
        return gpus.published_gpus() + gpus.of_sources([cells.Source([stored]), cells.Source([other])])

    return made


OTHER_KERNELS = {"kernels": {"kernels/tsp/colony.cu": "f" * 64}}


@pytest.mark.parametrize(
    "build, is_same",
    [
        ({}, True),
        (OTHER_KERNELS, True),
        ({**OTHER_KERNELS, "commit": "1234567"}, False),
        ({**OTHER_KERNELS, "dirty": True}, False),
    ],
)
def test_times_of_other_code_are_marked(two_gpus, build, is_same):
    """Binaries of one clean commit may differ: they are built for two GPUs."""
    made = gpus.tables(two_gpus(**build), ["6.1"])["6.1"]
    marked = [mark for each in made["lines"] for mark in each["marks"]]
    assert any(gpus.OTHER_CODE in mark for mark in marked) != is_same
    assert any(text.startswith(gpus.OTHER_CODE) for text in made["legend"]) != is_same
    between = [gain for gain in gains.gains({"6.1": made}) if gain.row == gains.SAME_CODE]
    assert [round(gain.mean, 6) for gain in between] == ([1.0] if is_same else [])


def test_joules_have_a_column_where_both_were_metered(two_gpus):
    found = two_gpus()
    made = gpus.tables(found, ["6.1"])
    assert " joule" not in gains.as_text(gains.gains(made)).splitlines()[6]
    for gpu in [gpu for gpu in found if gpu.source]:
        for row in itertools.chain.from_iterable(gpu.source.cells.values()):
            row["energy_j"] = 3.0 if gpu.label == "Other" else 1.0
    (between,) = [gain for gain in gains.gains(made) if gain.row == gains.SAME_CODE]
    assert (between.start.label, between.to.label) == ("H100", "Other") and between.joules == pytest.approx(1 / 3)
    assert gains.as_text(gains.gains(made)).count(" joule\n") == 2  # of the thesis's part and of the measured GPU's


def test_the_chosen_gpu_is_yours_before_a_stored_and_that_before_a_contributed_one(monkeypatch):
    whose = {}
    monkeypatch.setattr(cells, "whose_is", lambda source: whose[source])
    run = runs.load_run(REFERENCE / TABLE_61)
    found = [gpus.Gpu(name, source=cells.Source([run])) for name in ("contributed", "stored", "yours")]
    whose.update({gpu.source: gpu.label for gpu in found})
    assert gpus.chosen(found).label == "yours" and gpus.chosen(found[:2]).label == "stored"
    assert gpus.chosen(gpus.published_gpus()) is None and gains.gains({}) == []


# ---- What cards have ----


def test_the_hardware_of_cards_is_the_sources():
    assert hardware.of_card("GTX 580") == hardware.Hardware(16, 512, 1.544, 192.4)
    assert hardware.of_card("C2050") == hardware.Hardware(14, 448, 1.15, 144)
    assert hardware.of_card("GTX 980") == hardware.Hardware(16, 2048, 1.126, 224.3)
    c1060 = hardware.of_card("C1060")
    assert c1060.sms == 30 and c1060.ghz != c1060.ghz and c1060.gb_per_s != c1060.gb_per_s


def test_every_number_of_hardware_csv_is_published_and_every_card_with_times_is_in_it():
    for each in cells.read_layout("hardware.csv"):
        ids = [each[name] for name in ("sms", "cores", "clock", "bandwidth") if each[name]]
        assert ids and [id_ for id_ in ids if id_ not in cells.published_rows()] == []
    assert {gpu.name for gpu in gpus.published_gpus()} <= set(hardware.cards())


def test_the_hardware_of_a_measured_gpu_is_its_drivers():
    device = runs.load_run(REFERENCE / TABLE_61).device
    found = hardware.of_device(device)
    assert (found.sms, found.cores, found.ghz) == (132, 132 * 128, 1.98) and found.gb_per_s == pytest.approx(
        3352.3, rel=1e-4
    )
    assert hardware.of_device(device, 990.0).ghz == 0.99
    assert hardware.of_device({**device, "compute_capability": 80}).cores == 132 * 64
    unknown = hardware.of_device({"sm_count": None})
    assert unknown.sm_ghz != unknown.sm_ghz and unknown.gb_per_s != unknown.gb_per_s


# ---- The page ----


def test_the_page_and_its_text_begin_with_it(thesis_report):
    """The thesis's own numbers as a run of a GTX 580: 1 times as fast as itself."""
    page, text = ((thesis_report / name).read_text(encoding="utf-8") for name in ("index.html", "report.md"))
    assert page.index('<section id="gains">') < page.index('<section id="claims">')
    assert page.index('<section id="gains">') < page.index('<section id="tables">')
    first = re.search(r"^## (.*)$", text, re.M)[1]
    assert first.startswith("How many times as fast the GTX 580 is")
    assert re.search(r"^\| 3\.3 DS-Roulette[¹²³] \| 1\.00 \| 1\.00–1\.00 \|", text, re.M)
