"""The drivers of the image tables, end to end."""

import re

import pytest

from support import commands
from support.commands import HEADER, TIMES, implementations, one_line, params_of, rows_of, table_of, told

SMALL = ["--instances", "shapes-60x40,hue-32", "--runs", 2, "--iterations", 4]


def drive(*arguments, driver="5.1", **options):
    return commands.drive(*arguments, driver=driver, **options)


@pytest.fixture(scope="module")
def cpu_run(tmp_path_factory):
    out = tmp_path_factory.mktemp("ants")
    result = drive(*SMALL, "--backend", "cpu", "--out", out / "run", "--save", out / "images")
    assert result.returncode == 0, result.stderr
    return out, result


def test_cpu_runs_are_timed_and_verified(cpu_run):
    rows = rows_of(cpu_run[0] / "run")
    assert table_of(cpu_run[0] / "run").read_text().splitlines()[0] == HEADER
    timed = [row for row in rows if row["scope"] == "run"]
    assert {(row["row"], row["instance"]) for row in timed} == {
        (r, i) for r in ("seq", "omp") for i in ("shapes-60x40", "hue-32")
    }
    for row in timed:
        assert row["status"] in ("ok", "noisy", "few") and row["samples"] == "2" and float(row["mean_ms"]) > 0
        assert row["verify_metric"] == "valid-moves" and float(row["verify_value"]) > 0
        assert "iterations=4" in row["params"]


def test_quality_is_a_row_for_each_metric(cpu_run):
    rows = [row for row in rows_of(cpu_run[0] / "run") if row["table"] == "F5.5" and row["instance"] == "shapes-60x40"]
    values = {(row["row"], row["quality_metric"]): float(row["quality_mean"]) for row in rows}
    shared = {"f", "precision", "recall", "pratt", "thickness", "edge-share"}
    assert {m for r, m in values if r == "seq"} == shared | {
        "agreement", "f-sequential", "f-sequential-of-runs", "f-of-runs", "thickness-of-runs",
    }  # fmt: skip
    assert {m for r, m in values if r == "sobel"} == shared | {"agreement-canny"}
    for (row, metric), value in values.items():
        assert value > 0 and (metric.startswith("thickness") or value <= 1), (row, metric)
    assert all(row["params"].endswith(f"metric={row['quality_metric']}") and row["samples"] == "" for row in rows)
    by = {metric: values["sobel", metric] for metric in shared}
    assert by["f"] == pytest.approx(2 * by["precision"] * by["recall"] / (by["precision"] + by["recall"]))


def test_saved_images_are_png(cpu_run):
    names = {path.name for path in (cpu_run[0] / "images").iterdir()}
    for name in ("input", "truth", "seq-edges", "seq-pheromone", "sobel-edges", "seq-ants-6000-edges"):
        assert f"shapes-60x40-{name}.png" in names
    assert all((cpu_run[0] / "images" / name).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" for name in names)


def test_every_mapping_is_verified_on_the_host_backend(tmp_path):
    result = drive(
        "--instances", "shapes-40x25", "--runs", 1, "--iterations", 2, "--backend", "host", "--out", tmp_path / "run"
    )
    assert result.returncode == 0, result.stderr
    rows = [row for row in rows_of(tmp_path / "run") if row["scope"] == "functional"]
    assert {row["implementation"] for row in rows} == implementations("edge-ants", "host")
    names = {table: [row["row"] for row in rows if row["table"] == table] for table in ("5.1", "F5.7")}
    blocks = (64, 128, 256, 512, 768)
    assert {f"{mapping}-{block}" for mapping in ("thread", "block", "warp") for block in blocks} <= set(names["5.1"])
    assert names["F5.7"] == [f"warp-{block}-uncached" for block in blocks]
    assert all(
        row["row"].startswith(f"{row['implementation'].partition('/')[2]}-{params_of(row)['block']}") for row in rows
    )
    for row in rows:
        assert row["status"] == "ok" and all(row[name] == "" for name in TIMES), row


def test_the_host_backend_walks_as_the_cpu_does(tmp_path):
    """The same seeds give the same maps, up to the rounding of the order in which pheromone is added."""
    result = drive(
        "--instances",
        "shapes-64",
        "--runs",
        1,
        "--iterations",
        10,
        "--out",
        tmp_path / "run",
        "--implementations",
        "edge-ants/warp",
        "--backend",
        "host",
    )
    assert result.returncode == 0, result.stderr
    same = [row for row in rows_of(tmp_path / "run") if row["quality_metric"] == "agreement-same-seeds"]
    assert same and all(float(row["quality_mean"]) > 0.95 for row in same)


@pytest.mark.parametrize("size", ["1x1", "1x7", "9x1", "2x2"])
def test_the_smallest_images(tmp_path, size):
    result = drive("--instances", f"shapes-{size}", "--runs", 1, "--iterations", 2, "--out", tmp_path / "run")
    assert result.returncode == 0, result.stderr
    assert {row["status"] for row in rows_of(tmp_path / "run")} <= {"ok", "noisy", "few"}


def test_stand_ins_are_named(tmp_path):
    result = drive(
        "--instances",
        "cameraman",
        "--runs",
        1,
        "--iterations",
        2,
        "--implementations",
        "edge-ants/seq",
        "--out",
        tmp_path / "run",
    )
    assert result.returncode == 0, result.stderr
    assert (
        "shapes-512-3: drawn stand-in for cameraman; its file was not found (make instances, make images)"
        in result.stdout
    )
    assert all("drawn stand-in for cameraman" in row["note"] for row in rows_of(tmp_path / "run"))


@pytest.mark.parametrize(
    "content, expected", [(b"", "empty"), (b"\x89PNG\r\n\x1a\n", ""), (b"P5\n10 10\n255\nshort", ""), (b"no image", "")]
)
def test_broken_images_are_exit_2(tmp_path, content, expected):
    path = tmp_path / "broken.png"
    path.write_bytes(content)
    result = drive("--instances", path, "--out", tmp_path / "run")
    assert result.returncode == 2
    assert str(path) in one_line(result) and expected in one_line(result)


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["--instances", "lenna"], 'did you mean "lena"?'),
        (["--instances", "/nonexistent/x.png"], "no such file"),
        (["--instances", "shapes-0"], "shapes-0"),
        (["--implementations", "edge-ants/wrap"], "did you mean edge-ants/warp?"),
        (["--implementations", "tsp/ds-roulette"], "unknown implementation"),
        (["--save", ""], "--save: expected a directory"),
    ],
)
def test_wrong_usage_is_exit_2(arguments, expected):
    result = drive(*arguments)
    assert result.returncode == 2 and expected in one_line(result)
    assert one_line(result).startswith("antbench 5.1: ")


def test_unwritable_save(tmp_path):
    (tmp_path / "file").write_text("")
    result = drive(*SMALL, "--backend", "cpu", "--save", tmp_path / "file", "--out", tmp_path / "run")
    assert result.returncode == 1 and "file" in one_line(result)


def test_save_is_for_drivers_with_images_or_tours():
    result = drive("--save", "x", driver="jsc-3")
    assert result.returncode == 2 and "no images and no tours" in one_line(result)
    assert "--save" not in told("jsc-3", "--help") and "--save" in told("5.1", "--help")


def test_a_finished_run_is_not_measured_again(tmp_path):
    arguments = [
        "--instances",
        "shapes-20",
        "--runs",
        1,
        "--iterations",
        2,
        "--backend",
        "cpu",
        "--out",
        tmp_path / "run",
    ]
    assert drive(*arguments).returncode == 0
    before = table_of(tmp_path / "run").read_text()
    again = drive(*arguments, "--resume")
    assert again.returncode == 0, again.stderr
    assert table_of(tmp_path / "run").read_text() == before and "taken from the interrupted run" in again.stderr


# ---- Table 6.1 ----


@pytest.fixture(scope="module")
def detector_run(tmp_path_factory):
    out, rows = tmp_path_factory.mktemp("detectors"), []
    for backend in ("cpu", "host"):
        result = drive(
            "--instances",
            "shapes-48x40",
            "--iterations",
            3,
            "--backend",
            backend,
            "--out",
            out / backend,
            "--save",
            out / "images",
            driver="6.1",
        )
        assert result.returncode == 0, result.stderr
        rows += rows_of(out / backend)
    return rows, {path.name for path in (out / "images").iterdir()}


PIXEL_BYTES = {"canny": 2, "colour-edge": 5}  # read and written by a detector


def test_detectors_are_timed_on_the_cpu(detector_run):
    rows = [row for row in detector_run[0] if row["table"] == "6.1" and row["backend"] == "cpu"]
    assert {row["row"] for row in rows} >= {
        "opencv-1",
        "opencv-all",
        "opencv-blur-1",
        "colour-edge-seq",
        "colour-edge-omp",
    }
    for row in rows:
        assert row["scope"] == "kernel" and row["samples"] == "3" and float(row["mean_ms"]) > 0
        assert float(row["bytes"]) == 48 * 40 * PIXEL_BYTES[row["implementation"].partition("/")[0]]
        assert (row["flops"], row["energy_j"], row["quality_runs"]) == ("", "", "")


def test_detectors_are_verified_everywhere(detector_run):
    """Their maps are the reference's, but for hysteresis that is cut short, and for those by other rules."""
    rows = [row for row in detector_run[0] if row["table"] == "6.1"]
    others = implementations(have=["other-rules"])
    ids = {row["implementation"] for row in rows if row["backend"] == "host"}
    assert ids == implementations("canny", "host", lack=["several"]) | implementations("colour-edge", "host")
    for row in (row for row in rows if row["backend"] == "host" and row["implementation"] not in others):
        assert (row["status"], row["scope"], row["mean_ms"], row["bytes"]) == ("ok", "functional", "", "")
    for row in (row for row in rows if row["implementation"] in others):
        told = {"unsupported": "", "ok": "mismatch-share"}  # a GPU's library; a kernel of ours
        assert row["quality_metric"] == told[row["status"]] and row["note"]
    equal = [
        row for row in rows if row["implementation"] not in others and params_of(row).get("hysteresis", "all") == "all"
    ]
    assert {(row["verify_metric"], row["verify_value"]) for row in equal} == {("mismatched-pixels", "0")}
    cut_short = {row["row"] for row in rows if params_of(row).get("hysteresis", "all") != "all"}
    assert {"canny-h4", "canny-h10"} <= cut_short and not cut_short & {row["row"] for row in equal}


def test_a_library_by_other_rules_is_never_wrong(tmp_path):
    """The program, linked with a Canny that is none in the place of NPP's (tests/planted_driver)."""
    result = commands.drive("--backend", "host", "--instances", "shapes-60x40", "--implementations", "canny/npp", "--out",
                            tmp_path / "run", driver="6.1", program=commands.PLANTED)  # fmt: skip
    assert result.returncode == 0, result.stderr
    [row] = rows_of(tmp_path / "run")
    missing, edges, others = map(
        int, re.search(r"misses (\d+) of (\d+) edges and has (\d+) others", row["note"]).groups()
    )
    assert (row["status"], row["verify_metric"], row["quality_metric"]) == ("ok", "mismatched-pixels", "mismatch-share")
    assert float(row["verify_value"]) == missing + others and edges > missing > 0
    for name in ("quality_best", "quality_mean"):
        assert float(row[name]) == pytest.approx((missing + others) / (60 * 40))


def noise_rows(rows, metric):
    """{(row, noise, level, tuning): its row} of Figure 6.5."""
    found = [(row, params_of(row)) for row in rows if row["table"] == "F6.5"]
    return {(row["row"], p["noise"], p["level"], p["tuning"]): row for row, p in found if p["metric"] == metric}


def test_noise_curves(detector_run):
    rows = noise_rows(detector_run[0], "f")
    for name in ("colour-edge", "canny-opencv", "sobel"):
        tunings = ["fixed", "best", "thesis"] + ["planes"] * (name == "colour-edge")
        for kind in ("salt-and-pepper", "gaussian"):
            assert {key[2:] for key in rows if key[:2] == (name, kind)} == {
                (level, tuning) for level in ("0", "10", "20", "30", "40") for tuning in tunings
            }
            f = {key[2:]: float(row["quality_mean"]) for key, row in rows.items() if key[:2] == (name, kind)}
            assert all(0 <= value <= 1 for value in f.values()) and f["0", "best"] > f["40", "best"]
            assert f["0", "best"] == max(value for (level, _), value in f.items() if level == "0")
            assert len({row["note"] for key, row in rows.items() if key[:2] == (name, kind) and key[3] == "fixed"}) == 1


def test_noise_is_judged_on_several_seeds(detector_run):
    """Two where few samples are asked for; without noise there are none."""
    for metric in ("f", "agreement"):
        for (*_, level, _), row in noise_rows(detector_run[0], metric).items():
            runs = [float(value) for value in row["quality_runs"].split()]
            assert len(runs) == (2 if level != "0" else 0) and row["note"]
            assert not runs or float(row["quality_mean"]) == pytest.approx(sum(runs) / 2, abs=1e-5)
            assert not runs or float(row["quality_best"]) == pytest.approx(max(runs), abs=1e-5)


def test_both_planes_of_tuning_planes_are_on(detector_run):
    chosen = [row["note"] for key, row in noise_rows(detector_run[0], "f").items() if key[3] == "planes"]
    assert len(chosen) == 10
    for note in chosen:
        assert re.search(r"volume=([0-9.]+);intensity=\1;", note) and "1e+06" not in note


def test_the_noise_of_photographs_is_measured_on_photographs_alone(tmp_path):
    """Figure 6.5 has those of Table 6.1 where their files are; nothing drawn is taken for one."""
    (tmp_path / "cameraman.ppm").write_bytes(b"P6\n8 8\n255\n" + bytes(3 * 8 * 8))
    found = {}
    for images in (tmp_path, commands.NO_INPUTS):
        rows = commands.planned("--profile", "smoke", "--backend", "cpu", driver="6.1", images=images)
        found[images] = {row["instance"] for row in rows if row["table"] == "F6.5"}
    assert found[tmp_path] == {"shapes-128", "shapes-512", "cameraman"}, (
        "shapes-512, lena's stand-in, is one of its own"
    )
    assert found[commands.NO_INPUTS] == {"shapes-128", "shapes-512"}


def test_detectors_save_their_maps(detector_run):
    for name in (
        "input",
        "truth",
        "opencv-1-edges",
        "colour-edge-edges",
        "gaussian-20-input",
        "salt-and-pepper-40-sobel-best-edges",
    ):
        assert f"shapes-48x40-{name}.png" in detector_run[1]


@pytest.mark.parametrize("size", ["1x1", "1x9", "3x5"])
def test_detectors_on_the_smallest_images(tmp_path, size):
    result = drive("--instances", f"shapes-{size}", "--iterations", 2, "--out", tmp_path / "run", driver="6.1")
    assert result.returncode == 0, result.stderr
    assert {row["status"] for row in rows_of(tmp_path / "run")} <= {"ok", "noisy", "few", "unsupported"}


def test_hue_alone_is_seen_by_colour_edge_alone(tmp_path):
    result = drive(
        "--instances", "hue-128", "--iterations", 1, "--backend", "cpu", "--out", tmp_path / "run", driver="6.1"
    )
    assert result.returncode == 0, result.stderr
    f = {
        row["row"]: float(row["quality_mean"])
        for row in rows_of(tmp_path / "run")
        if row["table"] == "F6.6" and "tuning=best" in row["params"]
    }
    assert f["colour-edge"] > 0.95 and f["canny-opencv"] == f["sobel"] == 0
