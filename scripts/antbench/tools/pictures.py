"""make pictures: writes the maps of edges in the docs and the report to results/pictures/, without a GPU.

The program computes the maps as a run with SAVE= does. The images that report/montages.csv names are kept. Photographs
are never kept, not even with noise, because their licence forbids it. If a photograph is missing, its old pictures
stay.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from antbench.data import cells, plans
from antbench.data.command import ERROR, OK, ROOT, USAGE, BadInput, shown, write_file

PROGRAM = ROOT / "build/bin/antbench"
STORED = ROOT / "results/pictures"
MOST_BYTES = 400_000  # limit for all pictures together
RUNS = (  # (driver, rows, input)
    ("5.1", "F5.5/seq", "lena"),
    ("5.1", "F5.5/seq", "shapes-512"),
    ("5.1", "F5.5/sobel", "shapes-512"),
    ("kth-10", "kth-F10/canny", "shapes-512"),
    ("5.1", "F5.6/seq-ants*", "lena"),
    ("6.1", "F6.5/*?noise=salt-and-pepper", "lena"),
    ("6.1", "F6.6/*", "hue-512"),
    ("kth-10", "kth-F10/log-seq", "lena"),
    ("kth-10", "kth-F10/log-seq", "photo_canyon_1024"),
    ("kth-10", "kth-F10/log-seq", "photo_walrus_2048x1536"),
)
WITHOUT = ("6.5-shapes",)  # figures whose images with noise are too large
GREY = re.compile(r"-pheromone\.png$")  # images with many levels of grey, ten times as large as a map
INPUT = re.compile(r"-input\.png$")
DRAWN = re.compile(r"(shapes|hue)-\d+-input\.png$")  # a generated input, not a photograph


def wanted():
    """The names of all images that a montage can show and that may be stored."""
    lines = [line for line in cells.read_layout("montages.csv") if line["figure"] not in WITHOUT]
    names = [name for line in lines for name in line["file"].split("|")]
    return sorted(
        name for name in set(names) if (DRAWN.match(name) or not INPUT.search(name)) and not GREY.search(name)
    )


def compute(folder, save):
    """Runs the program, which saves every image that it computes. What needs a photograph that is missing is left out."""
    missing = {}
    for number, (driver, rows, name) in enumerate(RUNS):
        options = [driver, "--backend", "cpu", "--rows", rows, "--instances", name]
        if is_missing(ask(options, "--dry-run"), name):
            missing[name] = True
        else:
            ask(options, "--quiet", "--save", save, "--out", folder / str(number))
    for name in missing:
        print(f"{name}: no such photograph in $IMAGES_DIR or images/standard; its pictures stay as they are")


def ask(options, *others):
    """What the program prints; if it does not know the input, None."""
    done = subprocess.run([PROGRAM, *options, *others], capture_output=True, text=True, cwd=ROOT)
    if done.returncode == USAGE and "no such file here" in done.stderr:
        return None
    if done.returncode != OK:
        raise BadInput(f"antbench {' '.join(map(str, options))}: {done.stderr.strip()}")
    return done.stdout


def is_missing(plan, name):
    """True if the program does not know the input, or if another stands in for it in its plan."""
    return plan is None or {row["instance"] for row in plans.rows(plan)} != {name}


def stale(names):
    """Pictures that no montage names."""
    return [path for path in STORED.glob("*.png") if path.name not in names]


def keep(save, names):
    """Copies the wanted images and returns their number."""
    STORED.mkdir(exist_ok=True)
    for path in stale(names):
        path.unlink()
    found = [save / name for name in names if (save / name).is_file()]
    for path in found:
        write_file(STORED / path.name, path.read_bytes())
    return len(found)


def size():
    return sum(path.stat().st_size for path in STORED.glob("*.png"))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="antbench-results pictures", description=__doc__.splitlines()[0])
    parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        save = Path(folder) / "save"
        compute(Path(folder), save)
        count = keep(save, wanted())
    print(f"{shown(STORED)}: {count} pictures computed, {size() / 1000:.0f} kB in all")
    if size() <= MOST_BYTES:
        return OK
    print(f"{shown(STORED)}: more than {MOST_BYTES / 1000:.0f} kB: store fewer pictures", file=sys.stderr)
    return ERROR
