"""make pictures: what it keeps, and that the stored pictures fill the figures."""

import subprocess

import pytest

from antbench.data import cells
from antbench.show import plots
from antbench.tools import pictures

FIGURES = {"5.5", "5.6", "6.5", "6.6", "kth-F10"}


def test_the_program_has_the_rows_that_are_run():
    for driver, rows, name in pictures.RUNS:
        drawn = name if name.startswith(("shapes", "hue")) else "shapes-512"
        command = [pictures.PROGRAM, driver, "--backend", "cpu", "--dry-run", "--rows", rows, "--instances", drawn]
        done = subprocess.run(command, capture_output=True, text=True)
        photographs_alone = driver == "6.1" and name == "lena"
        assert done.returncode == 0 or photographs_alone, done.stderr


def test_what_needs_a_missing_photograph_is_left_out(tmp_path, monkeypatch, capsys):
    """A drawn image must not take its place, and a photograph that is in no catalogue must not end it all."""
    monkeypatch.setenv("IMAGES_DIR", str(tmp_path))
    runs = [run for run in pictures.RUNS if run[0] == "kth-10"]
    assert [name for _, _, name in runs] == ["shapes-512", "lena", "photo_canyon_1024", "photo_walrus_2048x1536"]
    monkeypatch.setattr(pictures, "RUNS", runs)
    pictures.compute(tmp_path, tmp_path / "save")
    missing = ["photo_canyon_1024", "photo_walrus_2048x1536"]
    if not list((pictures.ROOT / "images/standard").glob("lena.*")):
        missing.insert(0, "lena")
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == missing
    assert (tmp_path / "save/shapes-512-input.png").is_file()


def test_photographs_and_what_no_montage_shows_are_not_kept(tmp_path, monkeypatch):
    save, stored = tmp_path / "save", tmp_path / "stored"
    save.mkdir(), stored.mkdir()
    monkeypatch.setattr(pictures, "STORED", stored)
    kept = ["lena-seq-edges.png", "shapes-512-input.png"]
    for name in [*kept, "lena-input.png", "lena-salt-and-pepper-20-input.png", "lena-seq-pheromone.png", "x-edges.png"]:
        (save / name).write_bytes(b"new")
    (stored / "of-an-old-montage-edges.png").write_bytes(b"old")
    (stored / "lena-sobel-edges.png").write_bytes(b"stays: its photograph is not there now")
    assert pictures.keep(save, pictures.wanted()) == len(kept)
    assert sorted(path.name for path in stored.iterdir()) == sorted([*kept, "lena-sobel-edges.png"])


def test_too_much_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "STORED", tmp_path)
    monkeypatch.setattr(pictures, "compute", lambda *_: None)
    (tmp_path / "lena-seq-edges.png").write_bytes(bytes(pictures.MOST_BYTES + 1))
    assert pictures.main([]) == 1 and "store fewer pictures" in capsys.readouterr().err


def test_the_stored_pictures_are_small_and_none_is_a_photograph():
    stored = {path.name: path.read_bytes() for path in pictures.STORED.glob("*.png")}
    assert stored.keys() <= set(pictures.wanted()) and sum(map(len, stored.values())) <= pictures.MOST_BYTES
    for name, content in stored.items():
        depth = content[24]
        assert depth == 1 or pictures.DRAWN.match(name), f"{name}: {depth} bits per pixel"


@pytest.mark.parametrize("figure", sorted(FIGURES))
def test_the_stored_pictures_fill_the_figures(figure):
    """Every map has its picture, but for drawn shapes in Figure 5.6 and pheromone, which the thesis does not show."""
    lines = [line for line in cells.read_layout("montages.csv") if line["figure"] == figure]
    maps = [line for line in lines if "-edges" in line["file"] and (figure, line["line"]) != ("5.6", "drawn shapes")]
    missing = [line for line in maps if not plots.find_image(line["file"], [plots.PICTURES])]
    assert maps and not missing
