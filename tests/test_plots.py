"""Figures: what gnuplot is given, that it draws, and what is said of figures that cannot be drawn."""

import shutil

import pytest

from antbench import cells, plots
from antbench.command import BadInput
from thesis_run import made_row, write_png, write_run

CURVES = [
    "3.7",
    "3.8",
    "4.1",
    "4.2",
    "4.5",
    "5.1-sizes",
    "5.6-share",
    "5.6-thickness",
    "5.7",
    "6.1-sizes",
    "6.5-gaussian",
    "6.5-salt-and-pepper",
]  # 3.6 and 3.9 need what the thesis does not print


@pytest.fixture(scope="module")
def thesis(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("runs") / "thesis")


def series(figure, sources):
    return plots.figure_series(figure, sources, cells.read_layout("figures.csv"))


needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")


def test_every_figure_has_a_caption_and_every_curve_a_template():
    curves = {line["figure"] for line in cells.read_layout("figures.csv")}
    montages = {line["figure"] for line in cells.read_layout("montages.csv")}
    assert {line["figure"] for line in cells.read_layout("captions.csv")} == curves | montages
    assert all((cells.REPORT / f"figures/{figure}.gp").is_file() for figure in curves)
    asked = {"3.6", "3.7", "3.8", "3.9", "4.1", "4.2", "4.5", "5.6", "5.7", "6.5", "6.6"}
    assert asked <= curves | montages


def test_published_and_measured_curves_stand_beside_each_other(thesis):
    published, measured = series("3.8", cells.choose(str(thesis)))
    assert (published.label, published.style) == ("GTX 580 (thesis)", 1)
    assert (measured.label, measured.style) == ("GTX 580", 11)
    assert [name for _, name, _ in measured.points][:2] == ["d198", "a280"]
    assert [point.value for *_, point in measured.points] == pytest.approx(
        [point.value for *_, point in published.points]
    )
    assert all(point.low < point.value < point.high for *_, point in measured.points)


def test_a_further_machine_has_its_own_line_style(thesis):
    styles = [curve.style for curve in series("4.1", cells.choose(str(thesis), [str(thesis)]))]
    assert styles == [1, 11, 21]


def test_a_machine_alone_in_a_figure_is_not_named(thesis):
    (alone, *_) = series("6.5-gaussian", cells.choose(str(thesis)))
    (beside, *_) = series("6.5-gaussian", cells.choose(str(thesis), [str(thesis)]))
    assert (alone.label, beside.label) == ("colour edge, tuned", "colour edge, tuned, GTX 580")


def test_a_montage_leaves_out_what_has_no_image_and_keeps_the_order():
    tiles = [({"column": name}, path) for name, path in (("a", None), ("b", None), ("c", "x"), ("a", "y"))]
    assert plots.with_images(tiles, "column") == ["a", "c"]


def test_a_folder_of_images_that_does_not_exist_is_refused(thesis, tmp_path):
    with pytest.raises(BadInput, match="nowhere: no folder of images"):
        plots.image_folders(cells.choose(str(thesis)), str(tmp_path / "nowhere"))


def test_a_point_that_was_not_measured_leaves_a_gap(tmp_path):
    rows = [
        made_row("3.3", row, name, 1.0, "protocol=as-best")
        for row in ("i-roulette", "ds-roulette")
        for name in ("d198", "pr2392")
    ]
    measured = series("3.8", cells.choose(str(write_run(tmp_path / "run", rows))))[1]
    assert [(x, name) for x, name, _ in measured.points] == [(0, "d198"), (7, "pr2392")]


def test_the_data_file_has_a_block_for_each_curve(tmp_path):
    point = cells.Estimate(2.0, 1.5, 2.5)
    plots.write_data(
        tmp_path / "f.dat",
        [plots.Series("first", 1, [(0, "a", point)]), plots.Series("second", 11, [(1, "b", cells.Estimate(3.0))])],
    )
    assert (tmp_path / "f.dat").read_text() == '"first"\n0 a 2 1.5 2.5\n\n\n"second"\n1 b 3 3 3\n\n\n'


@needs_gnuplot
def test_all_figures_of_a_whole_run_are_drawn(thesis, tmp_path, capsys):
    images = tmp_path / "images"  # as SAVE= leaves it: a folder for each driver
    for folder, name in (
        ("5.1", "lena-ants-1500-edges"),
        ("5.1", "lena-ants-6000-edges"),
        ("5.1", "lena-sobel-edges"),
        ("6.1", "shapes-512-salt-and-pepper-20-colour-edge-best-edges"),
        ("6.1", "hue-512-input"),
    ):
        (images / folder).mkdir(parents=True, exist_ok=True)
        write_png(images / folder / f"{name}.png", 120)
    assert plots.main(["--run", str(thesis), "--images", str(images), "--out", str(tmp_path / "out")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines if ": no rows in the runs of NVIDIA GeForce GTX 580" in line] == [
        "3.6:",
        "3.9:",
    ]
    for figure in CURVES + ["5.5", "5.6", "6.5", "6.6"]:
        assert (tmp_path / f"out/{figure}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert "</svg>" in (tmp_path / f"out/{figure}.svg").read_text(encoding="utf-8")


@needs_gnuplot
def test_a_run_without_any_figure_is_skipped(tmp_path, capsys):
    folder = write_run(tmp_path / "run", [made_row("9.9", "other", "d198", 1.0)])
    assert plots.main(["--run", str(folder), "--out", str(tmp_path / "out")]) == 77
    assert "Figure 5.5: no images in the runs of NVIDIA GeForce GTX 580" in capsys.readouterr().out
