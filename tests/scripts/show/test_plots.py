"""Figures: what gnuplot is given, that it draws, and what is said of figures that cannot be drawn."""

import math
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from antbench.data import cells, runs
from antbench.data.command import BadInput
from antbench.show import plots
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
    "6.5-lena",
    "6.5-salt-and-pepper",
]  # 3.6 and 3.9 need what the thesis does not print


@pytest.fixture(scope="module")
def thesis(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("runs") / "thesis")


def series(figure, sources):
    return plots.figure_series(figure, sources, cells.read_layout("figures.csv"))


needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")


def test_places_without_a_point_are_closed_up():
    """A run of stand-ins adds instances that a figure does not show. Its names would stand unevenly, some on others."""
    one, two = (
        plots.Series(label, 1, [(x, name, None) for x, name in points])
        for label, points in (("one", [(0, "d198"), (3, "lin318")]), ("two", [(3, "lin318"), (7, "pr2392")]))
    )
    assert [curve.points for curve in plots.closed_up([one, two])] == [
        [(0, "d198", None), (1, "lin318", None)],
        [(1, "lin318", None), (2, "pr2392", None)],
    ]


def test_every_figure_has_a_caption_and_every_curve_a_template():
    curves = {line["figure"] for line in cells.read_layout("figures.csv")}
    montages = {line["figure"] for line in cells.read_layout("montages.csv")}
    assert {
        line["figure"] for line in cells.read_layout("captions.csv")
    } == curves | montages | plots.ROOFLINES.keys() | {plots.HISTORY}
    assert all(
        (cells.REPORT / f"figures/{figure}.gp").is_file()
        for figure in curves | plots.ROOFLINES.keys() | {plots.HISTORY}
    )
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


def on_hosts(**means):
    """A CPU's time on hosts; three or more of them give the interval."""
    run_on = {host: SimpleNamespace(meta={"machine": {"fingerprint": host}}, run_id=host) for host in means}
    rows = tuple({"backend": "cpu", "run": run} for run in run_on.values())
    logs = {("host", host): math.log(mean) for host, mean in means.items()}
    value = math.exp(sum(logs.values()) / len(logs))
    several = logs if len(logs) > 2 else {}
    return cells.Estimate(value, value / 2, value * 2, rows=rows, machines=len(logs), by_machine=several)


def test_a_curve_with_a_cpu_is_of_the_same_hosts_throughout():
    """A host that measured some points only would give these another mean."""
    all_of_it = [(1, "d198", on_hosts(a=1, b=1, c=1)), (2, "a280", on_hosts(a=2, b=2, c=2, slow=40))]
    points = plots.of_same_hosts(all_of_it)
    assert [name for _, name, _ in points] == ["d198", "a280"]
    assert [found.value for *_, found in points] == pytest.approx([1, 2])
    assert [len(found.rows) for *_, found in points] == [3, 3]
    few = [(1, "d198", on_hosts(a=1, b=1)), (2, "a280", on_hosts(a=2, b=2)), (3, "lin318", on_hosts(a=1, c=1))]
    assert plots.of_same_hosts(few) == few[:2]
    two_common = [(1, "d198", on_hosts(a=1, b=1, c=1)), (2, "a280", on_hosts(a=1, b=1, d=1))]
    assert plots.of_same_hosts(two_common) == two_common[:1]
    pairs = [(x, f"u{x}", on_hosts(a=1, b=1)) for x in (3, 4, 5)]
    assert plots.of_same_hosts([*all_of_it, *pairs]) == pairs
    others = on_hosts(d=1, e=1, f=1)
    apart = [(1, "d198", on_hosts(a=1, b=1, c=1)), (2, "a280", others), (3, "lin318", others)]
    assert plots.of_same_hosts(apart) == apart[1:]
    alone = [(1, "d198", cells.Estimate(1.0, 0.9, 1.1, rows=({"backend": "cuda"},), machines=1))]
    assert plots.of_same_hosts(alone) == alone and plots.of_same_hosts([]) == []


def test_a_further_machine_has_its_own_line_style(thesis):
    styles = [curve.style for curve in series("4.1", cells.choose(str(thesis), [str(thesis)]))]
    assert styles == [1, 11, 21]


def test_a_machine_alone_in_a_figure_is_not_named(thesis):
    (alone, *_) = series("6.5-gaussian", cells.choose(str(thesis)))
    (beside, *_) = series("6.5-gaussian", cells.choose(str(thesis), [str(thesis)]))
    assert (alone.label, beside.label) == ("colour edge, tuned", "colour edge, tuned, GTX 580")


def test_yours_and_stored_curves_of_hardware_with_one_name_are_told_apart(thesis, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "RESULTS", tmp_path)
    yours, stored = (shutil.copytree(thesis, tmp_path / store / "gtx/a") for store in ("runs", "reference"))
    (_, alone), both, (_, *named) = (
        [curve.label for curve in series("4.1", cells.choose(str(run), [str(other)] if other else []))]
        for run, other in ((yours, None), (yours, stored), (thesis, stored))
    )
    assert both[1:] == [f"{alone} (yours)", f"{alone} (stored)"] and both[0].endswith("(thesis)")
    assert named == [alone, f"{alone} (stored)"], "a path of the user's has no word"


def test_a_montage_leaves_out_what_has_no_image_and_keeps_the_order():
    tiles = [({"column": name}, path) for name, path in (("a", None), ("b", None), ("c", "x"), ("a", "y"))]
    assert plots.with_images(tiles, "column") == ["a", "c"]


def test_a_folder_of_images_that_does_not_exist_is_refused(thesis, tmp_path):
    with pytest.raises(BadInput, match="nowhere: no such folder of images"):
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
        "3.3-energy:",
        "3.6:",
        "3.9:",
        "history:",
        "jpdc-3:",
        "jpdc-F6:",
        "jpdc-F7:",
        "jpdc-F8:",
        "jpdc-F9:",
        "jsc-3:",
        "jsc-5:",
        "jsc-F2:",
        "kth-F5:",
        "kth-F8:",
        "kth-F8-time:",
        "kth-F9:",
        "kth-F9-time:",
        "roofline:",
        "scaling:",
    ]
    for figure in CURVES + ["5.5", "5.6", "6.5", "6.6"]:
        assert (tmp_path / f"out/{figure}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        drawing = (tmp_path / f"out/{figure}.svg").read_text(encoding="utf-8")
        assert "</svg>" in drawing and f"<title>Figure {figure}</title>" in drawing and "Gnuplot" not in drawing


@needs_gnuplot
def test_tours_are_drawn_as_bars(tmp_path):
    """Figure 9 of JPDC: the mean of a row's runs over the optimum, and Student's interval of it."""
    tours = {
        "quality_metric": "best-tour-after-1000-iterations",
        "quality_best": 17298,
        "quality_mean": 17358,
        "quality_runs": "17298 17358 17418",
    }
    rows = [
        made_row("jpdc-F9", row, "d198", 1.0, "protocol=as", "quality", **tours) for row in ("data-rw", "ds-roulette")
    ]
    sources = cells.choose(str(write_run(tmp_path / "run", rows)))
    assert plots.draw_curves("jpdc-F9", sources, tmp_path, cells.read_layout("figures.csv"))
    (bar, _) = series("jpdc-F9", sources)
    (_, _, point) = bar.points[0]
    assert point.value == pytest.approx(1.1) and point.high / point.value == pytest.approx(
        1 + 4.303 * 60 / 3**0.5 / 17358, 1e-4
    )
    assert (tmp_path / "jpdc-F9.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@needs_gnuplot
def test_a_run_without_any_figure_is_skipped(tmp_path, capsys):
    folder = write_run(tmp_path / "run", [made_row("9.9", "other", "d198", 1.0)])
    assert plots.main(["--run", str(folder), "--out", str(tmp_path / "out")]) == 77
    assert "Figure 5.5: no images in the runs of NVIDIA GeForce GTX 580" in capsys.readouterr().out


@needs_gnuplot
def test_no_figure_of_another_machine_is_left(thesis, tmp_path, capsys):
    """A run without the CPU's rows has no Figure 3.7, and what is not a figure of ours is not touched."""
    out = tmp_path / "out"
    assert plots.main(["--run", str(thesis), "--out", str(out)]) == 0 and (out / "3.7.png").exists()
    (out / "mine.png").write_bytes(b"")
    rows = [made_row("3.3", row, "d198", 1.0, "protocol=as-best") for row in ("i-roulette", "ds-roulette")]
    assert plots.main(["--run", str(write_run(tmp_path / "run", rows)), "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "3.8.dat",
        "3.8.phone.svg",
        "3.8.png",
        "3.8.svg",
        "figure-3-8.pdf",
        "mine.png",
    ]
    assert "Figure 3.7: no rows in the runs of" in capsys.readouterr().out


def test_what_a_figure_lacks_is_said(tmp_path, capsys):
    rows = [made_row("F5.6", "ants-1500", "lena", 1.0, "metric=thickness", "quality", quality_metric="thickness",
                     quality_best=1.6, quality_mean=1.6)]  # fmt: skip
    (tmp_path / "out").mkdir()
    sources = cells.choose(str(write_run(tmp_path / "run", rows)))
    lines = cells.read_layout("figures.csv")
    assert list(plots.absent_curves("5.6-thickness", sources, lines)) == ["drawn shapes"]


def test_a_cpu_has_its_own_name(thesis, tmp_path):
    sources = cells.choose(str(thesis), [str(thesis)])
    point = (0, "d198", cells.look_up(sources[0], "3.3/acotsp-seq/d198?protocol=as-best"))
    of_gpu = (0, "d198", cells.look_up(sources[0], "3.3/ds-roulette/d198?protocol=as-best"))
    assert plots.label_of("CPU, 1 core", sources[0], [point]) == "CPU, 1 core, Core i7 950"
    assert plots.label_of("ours", sources[0], [of_gpu]) == "ours, GTX 580"


@pytest.mark.parametrize(
    "name, short",
    [
        ("Intel(R) Xeon(R) Processor", "Xeon"),
        ("Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz", "Core i7-9700K"),
        ("AMD EPYC 7B13 64-Core Processor", "EPYC 7B13"),
    ],
)
def test_names_of_cpus(name, short):
    run = type("Run", (), {"meta": {"machine": {"cpu": name}}})
    assert cells.cpu_label(run) == short


def test_a_stand_in_has_a_place_of_its_own(tmp_path):
    rows = [
        made_row("3.3", row, name, 1.0, "protocol=as-best")
        for row in ("i-roulette", "ds-roulette")
        for name in ("u198", "a280")
    ]
    published, measured = series("3.8", cells.choose(str(write_run(tmp_path / "run", rows))))
    assert [name for _, name, _ in measured.points] == ["u198", "a280"]
    assert [name for _, name, _ in published.points][:2] == ["d198", "a280"]


def test_gaussian_noise_is_no_share_of_the_pixels():
    template = (cells.REPORT / "figures/6.5-gaussian.gp").read_text(encoding="utf-8")
    assert "standard deviation, % of the range" in template and "pixels" not in template


def test_curves_of_noise_have_intervals_over_seeds(thesis):
    sources = cells.choose(str(thesis))
    curves = series("6.5-gaussian", sources) + series("6.5-salt-and-pepper", sources) + series("6.5-lena", sources)
    assert [curve.label for curve in curves].count("colour edge, both planes on") == 2 and len(curves) == 7 + 7 + 9
    for curve in curves:
        for _, name, point in curve.points:
            assert point.n == (0 if name == "0" else 10) and (point.low < point.high) == (name != "0")
    said = {line["figure"]: line["caption"] for line in cells.read_layout("captions.csv")}
    for figure in ("6.5-gaussian", "6.5-salt-and-pepper", "6.5-lena"):
        assert "95 % intervals of the mean of 10 seeds" in said[figure]
    assert "without, with the parameters of our rows of Table 6.1" in said["6.5-lena"], "what the map is held against"


def test_it_is_said_which_maps_are_of_one_run():
    said = {line["figure"]: line["caption"] for line in cells.read_layout("captions.csv")}
    assert "means of 10 runs" in said["5.5"] and "single run" in said["5.6"]
    for line in cells.read_layout("montages.csv"):
        if line["figure"] == "5.6" or (line["figure"], line["column"].split(",")[0]) in (
            ("5.5", "ants"),
            ("5.5", "pheromone"),
        ):
            assert "one run" in line["column"] or "mean of 10" in line["column"]


def test_a_name_is_a_name_to_gnuplot(tmp_path):
    """A quote in it ended the text that gnuplot ran, and what followed was a command."""
    folder = tmp_path / f"e'; system('touch {tmp_path}/planted'); a='"
    run = write_run(folder / "run")
    (run / "images").mkdir()
    write_png(run / "images/lena-input.png", 99)
    assert plots.main(["--run", str(run), "--out", str(folder / "out")]) == 0
    assert (folder / "out/3.7.png").exists() and not (tmp_path / "planted").exists()
    for text in ("it's", "'", "''1", "'; system 'x", 'it\'s "é" `x` \\t %d', '"$x"', "`touch x`", "@x"):
        told = subprocess.run(["gnuplot", "-e", f"print {plots.quoted(text)}"], capture_output=True, text=True)
        assert told.stderr == text + "\n", text
    with pytest.raises(BadInput, match="control characters"):
        plots.quoted("a\nb")


def curve(label, style, values):
    """Of {(place, name): value}."""
    found = [(x, name, cells.Estimate(value, value, value)) for (x, name), value in values.items()]
    return plots.Series(label, style, found)


def test_a_line_ends_where_a_curve_lacks_a_point(tmp_path):
    """Only where another curve has one: place 1 is a stand-in's, which no curve has."""
    all_of_them = {(0, "d198"): 1.0, (2, "pcb442"): 2.0, (3, "pr1002"): 3.0}
    without_one = {(0, "d198"): 1.0, (3, "pr1002"): 3.0}
    plots.write_data(tmp_path / "x.dat", [curve("whole", 1, all_of_them), curve("gap", 11, without_one)])
    whole, gap = (tmp_path / "x.dat").read_text().strip().split("\n\n\n")
    assert whole.splitlines() == ['"whole"', "0 d198 1 1 1", "2 pcb442 2 2 2", "3 pr1002 3 3 3"]
    assert gap.splitlines() == ['"gap"', "0 d198 1 1 1", "", "3 pr1002 3 3 3"]


def test_stages_are_stacked_to_the_whole_iteration():
    """A bar per source, side by side; an instance that lacks a stage has no bar."""
    places = (0, "d198"), (1, "a280")
    stages = [
        curve("tours (thesis)", 1, dict(zip(places, (9.0, 3.0)))),
        curve("update (thesis)", 2, dict(zip(places, (1.0, 1.0)))),
        curve("tours", 11, {places[0]: 3.0}),
        curve("update", 12, dict(zip(places, (1.0, 1.0)))),
    ]
    bars = [[(x, name, at.low, at.high) for x, name, at in each.points] for each in plots.stacked(stages)]
    left, right = -plots.BAR / 2, plots.BAR / 2
    assert bars[0] == [(left, "d198", 0.0, 90.0), (1 + left, "a280", 0.0, 75.0)]
    assert bars[1] == [(left, "d198", 90.0, 100.0), (1 + left, "a280", 75.0, 100.0)]
    assert bars[2:] == [[(right, "d198", 0.0, 75.0)], [(right, "d198", 75.0, 100.0)]]


def test_stored_pictures_stand_in_where_their_rows_were_measured(thesis, tmp_path):
    sources = cells.choose(str(thesis))
    assert plots.stored_for("5.5", sources) == [plots.PICTURES] and plots.stored_for("kth-F10", sources) == []
