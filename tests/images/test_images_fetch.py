"""images/fetch against a local server: PNG with the catalogue's pixels, or a line that says why not."""

import csv
import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from support.file_server import server  # noqa: F401 (a fixture)

ROOT = Path(__file__).resolve().parents[2]
FETCH = ROOT / "images/fetch"


def picture(mode, seed):
    """A small image with its TIFF."""
    channels = len(Image.new(mode, (1, 1)).getbands())
    image = Image.frombytes(mode, (7, 5), bytes((i * i + seed) % 256 for i in range(7 * 5 * channels)))
    file = io.BytesIO()
    image.save(file, "TIFF")
    return image, file.getvalue()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def fetch(tmp_path, entries):
    """Runs images/fetch for entries of (name, url, TIFF, pixels) and returns (exit code, lines, directory)."""
    catalogue, directory = tmp_path / "catalogue.csv", tmp_path / "standard"
    with open(catalogue, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["name", "pixels_sha256", "url", "sha256"])
        rows.writerows([name, sha256(pixels), url, sha256(tiff)] for name, url, tiff, pixels in entries)
    clean = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    clean.update(MIRRORS="", PYTHON=sys.executable)
    done = subprocess.run(
        [FETCH, catalogue, directory],
        env=clean,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    return done.returncode, done.stdout.splitlines(), directory


@pytest.fixture
def two(server):  # noqa: F811
    """A colour and a grey image on the server: their entries and pixels."""
    images = {"colour": picture("RGB", 1), "grey": picture("L", 2)}
    server.files = {f"/{name}.tiff": tiff for name, (_, tiff) in images.items()}
    return [(name, f"{server.base}/{name}.tiff", tiff, image.tobytes()) for name, (image, tiff) in images.items()]


def test_makes_png_of_what_it_downloads_once(server, two, tmp_path):  # noqa: F811
    code, lines, directory = fetch(tmp_path, two)
    assert code == 0
    assert lines == [
        f"colour.tiff: downloaded from {server.base}/colour.tiff",
        f"grey.tiff: downloaded from {server.base}/grey.tiff",
        f"{directory}: 2 downloaded, 0 already there, 0 failed",
        "colour.png: made of colour.tiff",
        "grey.png: made of grey.tiff",
    ]
    assert sorted(path.name for path in directory.iterdir()) == ["colour.png", "colour.tiff", "grey.png", "grey.tiff"]
    for name, _, _, pixels in two:
        with Image.open(directory / f"{name}.png") as png:
            assert png.tobytes() == pixels

    server.requests.clear()
    before = (directory / "grey.png").stat().st_mtime_ns
    code, lines, _ = fetch(tmp_path, two)
    assert code == 0 and server.requests == []
    assert lines == [
        "colour.tiff: already there",
        "grey.tiff: already there",
        f"{directory}: 0 downloaded, 2 already there, 0 failed",
    ]
    assert (directory / "grey.png").stat().st_mtime_ns == before


def test_wrong_pixels_make_no_png(two, tmp_path):
    name, url, tiff, _ = two[0]
    code, lines, directory = fetch(tmp_path, [(name, url, tiff, b"others"), two[1]])
    assert code == 1
    assert lines[3:] == ["colour.png: FAILED: these are not the pixels of the catalogue", "grey.png: made of grey.tiff"]
    assert sorted(path.name for path in directory.iterdir()) == ["colour.tiff", "grey.png", "grey.tiff"]


def test_a_file_that_cannot_be_had_stops_no_other(server, two, tmp_path):  # noqa: F811
    del server.files["/colour.tiff"]
    code, lines, directory = fetch(tmp_path, two)
    assert code == 1 and "404" in lines[0] and lines[-1] == "grey.png: made of grey.tiff"
    assert not (directory / "colour.png").exists()


def test_another_png_of_that_name_is_replaced(two, tmp_path):
    (tmp_path / "standard").mkdir()
    picture("L", 9)[0].save(tmp_path / "standard/grey.png")
    (tmp_path / "standard/colour.png").write_text("no image")
    code, _, directory = fetch(tmp_path, two)
    assert code == 0
    for name, _, _, pixels in two:
        with Image.open(directory / f"{name}.png") as png:
            assert png.tobytes() == pixels


def test_a_link_in_the_way_is_not_followed(two, tmp_path):
    (tmp_path / "standard").mkdir()
    (tmp_path / "mine").write_text("mine")
    for name in ("grey.png", "grey.png.part"):
        (tmp_path / "standard" / name).symlink_to(tmp_path / "mine")
    code, _, directory = fetch(tmp_path, two)
    assert code == 0 and (tmp_path / "mine").read_text() == "mine"
    assert not (directory / "grey.png").is_symlink() and (directory / "grey.png").stat().st_size > 0


def test_a_tiff_that_is_none(server, two, tmp_path):  # noqa: F811
    server.files["/grey.tiff"] = b"not a TIFF"
    code, lines, _ = fetch(tmp_path, [two[0], (*two[1][:2], b"not a TIFF", two[1][3])])
    assert code == 1 and lines[-1].startswith("grey.png: FAILED: cannot identify image file")


def test_without_pillow_it_says_what_to_install(tmp_path, monkeypatch):
    """Every Python that the script would try is one that finds no PIL."""
    python = tmp_path / "bin/python3"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{python.parent}:{os.environ['PATH']}")
    script = FETCH.read_text().replace("/usr/bin/python3", str(python))
    here = tmp_path / "images"
    here.mkdir()
    (here / "fetch").write_text(script)
    done = subprocess.run(
        ["bash", here / "fetch", tmp_path / "catalogue.csv", tmp_path / "standard"],
        text=True,
        env={**os.environ, "PYTHON": str(python)},
        capture_output=True,
    )
    assert done.returncode == 1 and not (tmp_path / "standard").exists()
    assert done.stderr == "images/fetch needs Pillow, the package python3-pil (make deps installs it)\n"


def test_the_catalogue_is_whole():
    with open(ROOT / "images/catalogue.csv", newline="", encoding="utf-8") as file:
        entries = list(csv.DictReader(file))
    assert [entry["name"] for entry in entries[:5]] == ["lena", "mandrill", "peppers", "house", "cameraman"]
    for entry in entries:
        assert len(entry["sha256"]) == len(entry["pixels_sha256"]) == 64
        assert entry["url"].startswith("https://") and entry["url"].endswith(".tiff")
        assert int(entry["width"]) > 0 and int(entry["height"]) > 0 and entry["channels"] in ("1", "3")
