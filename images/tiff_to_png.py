"""Makes a PNG of every TIFF of the catalogue that images/fetch has downloaded.

Usage: tiff_to_png.py CATALOGUE DIRECTORY

The bytes of a PNG depend on the program that compresses it, so the catalogue has a checksum of the pixels. A PNG gets
its name only if they are right. One line is printed per file. Exit code: 0, or 1 if a PNG could not be made, 2 for
wrong usage.
"""

import argparse
import csv
import hashlib
import secrets
import sys
from pathlib import Path

from PIL import Image


def pixels_sha256(image):
    """The SHA-256 of 8-bit pixels, row by row, as the benchmarks compute it; None for what is not 8-bit grey or RGB."""
    return hashlib.sha256(image.tobytes()).hexdigest() if image.mode in ("L", "RGB") else None


def is_right(png, expected):
    try:
        with Image.open(png) as image:
            return pixels_sha256(image) == expected
    except OSError:
        return False


def convert(tiff, png, expected):
    """Raises OSError or ValueError with the reason if the PNG cannot be made."""
    with Image.open(tiff) as image:
        if pixels_sha256(image) != expected:
            raise ValueError("these are not the pixels of the catalogue")
        part = png.with_suffix(f".png.{secrets.token_hex(4)}.part")
        try:
            with open(part, "xb") as file:  # temporary: no link is followed, and no other process writes it
                image.save(file, "PNG")  # temporary: `part`
            part.replace(png)
        finally:
            part.unlink(missing_ok=True)


def entries_of(catalogue):
    """The rows of the catalogue; OSError or KeyError for another file."""
    with open(catalogue, newline="", encoding="utf-8") as file:
        return [{column: row[column] for column in ("name", "pixels_sha256")} for row in csv.DictReader(file)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalogue", metavar="CATALOGUE", help="CSV with columns name and pixels_sha256")
    parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="folder of the TIFFs, which gets the PNGs")
    options = parser.parse_args()
    try:
        entries = entries_of(options.catalogue)
    except (OSError, KeyError, UnicodeError, csv.Error) as error:
        print(f"{options.catalogue}: cannot be read: {error}", file=sys.stderr)
        return 1
    failed = False
    for entry in entries:
        png = options.directory / f"{entry['name']}.png"
        tiff = png.with_suffix(".tiff")
        if is_right(png, entry["pixels_sha256"]) or not tiff.exists():
            continue
        try:
            convert(tiff, png, entry["pixels_sha256"])
            print(f"{png.name}: made of {tiff.name}")
        except (OSError, ValueError) as error:
            print(f"{png.name}: FAILED: {error}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
