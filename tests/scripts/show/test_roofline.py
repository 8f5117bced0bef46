"""The roofline of a run: how near rows are to what its GPU can do, and the figures of it."""

import pytest

from antbench.data import cells, runs
from antbench.show import plots, report, roofline
from thesis_run import UNTIMED, made_row, write_run

H100 = {"sm_count": 132, "clock_mhz": 1980}
COPY = made_row(
    "kth-8", "device-copy", "", 2.0, "bytes=2000000000", "setup", implementation="device/copy", bytes=4e9
)  # 2000 GB/s
FMA = made_row(  # 20000 GFLOPS
    "kth-8", "device-fma", "", 1.0, "operations=20000000000", "setup", implementation="device/fma", flops=2e10
)


def convolved(row, size, ms, width=5, table="kth-8", **more):
    pixels = size**2
    work = dict(size=pixels, bytes=8 * pixels, flops=2 * width**2 * pixels, **more)
    return made_row(table, row, f"random-{size}", ms, f"filter=gaussian;width={width}", "kernel", **work)


def source_of(folder, rows):
    write_run(folder, rows, **H100)
    return cells.Source([runs.load_run(folder)])


def test_the_longer_of_two_times_is_the_limit(tmp_path):
    moved = made_row("jsc-1", "multiply", "d198", 1.0, bytes=1e9, flops=1e9)
    computed = made_row("jsc-1", "powf", "d198", 2.0, bytes=1e6, flops=2e10)
    first, second = roofline.points(source_of(tmp_path / "a", [COPY, FMA, moved, computed]))
    assert (first.row, first.by, first.intensity) == ("multiply", "memory", 1.0)
    assert first.share == pytest.approx(0.5) and first.bytes_a_second == pytest.approx(1000)
    assert (second.row, second.by) == ("powf", "operations")
    assert second.share == pytest.approx(0.5) and second.flops == pytest.approx(10000)


def test_rows_without_operations_are_held_against_a_copy(tmp_path):
    [found] = roofline.points(source_of(tmp_path / "a", [COPY, made_row("6.1", "npp", "lena", 1.0, bytes=1e9)]))
    assert found.by == "memory" and found.share == pytest.approx(0.5) and found.flops != found.flops
    assert roofline.with_roof([found], {"copy": 2000, "fma": 20000}) == []


def test_nothing_is_said_without_a_copy_or_bytes_or_of_a_cpu(tmp_path):
    cpu = made_row("6.1", "seq", "lena", 1.0, bytes=1e9)
    wrong = {**made_row("6.1", "wrong", "lena", 1.0, bytes=1e9, status="wrong"), **UNTIMED}
    source = source_of(tmp_path / "a", [COPY, FMA, cpu, wrong, made_row("6.1", "canny-gpu", "lena", 1.0)])
    assert roofline.points(source) == []
    assert roofline.points(source_of(tmp_path / "b", [made_row("6.1", "npp", "lena", 1.0, bytes=1e9)])) == []


def test_each_row_is_shown_at_its_largest_instance(tmp_path):
    rows = [convolved("naive", 512, 0.01), convolved("naive", 4096, 0.2), convolved("shared", 512, 0.01)]
    found = roofline.points(source_of(tmp_path / "a", [COPY, FMA, *rows]))
    assert [(point.row, point.instance) for point in found] == [("naive", "random-4096"), ("shared", "random-512")]


def test_the_number_of_ants_is_no_row_of_its_own(tmp_path):
    """It grows with the instance."""
    rows = [
        made_row("3.3", "race", name, 1.0, f"protocol=as;ants={n}", size=n, bytes=1e9)
        for name, n in (("d198", 198), ("pr1002", 1002))
    ]
    found = roofline.points(source_of(tmp_path / "a", [COPY, FMA, *rows]))
    assert [(point.instance, point.params) for point in found] == [("pr1002", "protocol=as;ants=1002")]


def test_kth_intensities_are_those_of_its_numbers():
    """Times the 80 GB/s of its card they are the bounds that it prints."""
    published = cells.published_rows()
    for row, width in (
        ("naive", 3),
        ("naive", 5),
        ("shared", 3),
        ("shared", 5),
        ("shared-constant", 3),
        ("shared-constant", 5),
    ):
        number = published[f"kth-4/{row}/{width}"]
        assert 80 * roofline.INTENSITIES[row](width) == pytest.approx(
            number["value"], abs=0.5 * 10 ** -number["digits"]
        )
    assert 80 * roofline.INTENSITIES["tiling"](3) == pytest.approx(164.35, abs=0.005)
    assert 80 * roofline.INTENSITIES["tiling"](5) == pytest.approx(456.52, abs=0.005)


def test_bounds_stand_beside_what_was_measured(tmp_path):
    source = source_of(
        tmp_path / "a", [COPY, FMA, *(convolved(row, 4096, 0.1) for row in ("naive", "tiling", "memcpy"))]
    )
    found, limits = roofline.points(source), roofline.roof(source)
    assert limits == {"copy": pytest.approx(2000), "fma": pytest.approx(20000)}
    roof, points = roofline.with_roof(found, limits)
    assert roof[1] == [(0.1, pytest.approx(200)), (10, pytest.approx(20000)), (100, pytest.approx(20000))]
    assert points == ("KTH, Figure 8", [(6.25, pytest.approx(8388.608))] * 2), "a copy computes nothing"
    labels = [label for label, _ in roofline.of_kth(found, limits)]
    assert labels == ["naive, bound", "naive", "tiling, bound", "tiling"]
    bounds = dict(roofline.of_kth(found, limits))
    assert bounds["naive, bound"] == [(width, pytest.approx(500)) for width in range(3, 18, 2)]
    assert bounds["tiling, bound"][-1] == (17, pytest.approx(20000)) and bounds["naive"] == [
        (5, pytest.approx(8388.608))
    ]


def test_figures_and_report_have_it(tmp_path):
    rows = [
        convolved("naive", 4096, 0.2),
        convolved("naive", 4096, 0.1, 3, "kth-9"),
        convolved("registers", 4096, 0.05),
    ]
    write_run(tmp_path / "run", [COPY, FMA, *rows], **H100)
    assert report.main(["--run", str(tmp_path / "run"), "--out", str(tmp_path / "out")]) == 0
    for figure in plots.ROOFLINES:
        assert (tmp_path / f"out/figures/{figure}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    page = (tmp_path / "out/rows-1.html").read_text(encoding="utf-8")
    assert "2000 GB/s, 20\u202f000 GFLOPS" in page and "How near each row is to its limit" in page
    told = (tmp_path / "out/report.md").read_text(encoding="utf-8")
    assert (
        "| kth-8 | registers | random-4096 filter=gaussian;width=5 | 2684 | 16\u202f777 | 6.25 | memory | 134 % |"
        in told
    )
