"""One step of DS-Roulette (kernels/tsp/ds_roulette.cu) by hand: 12 cities in sub-blocks of 4, where the kernel has 32.

    python3 docs/ds_step.py [U V [FILE.svg]]

Prints what the three stages compute with the random numbers U and V, and draws it.
"""

import argparse
import itertools
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scripts"), str(HERE.parents[2] / "antbench/scripts")]  # of a checkout, or installed

from antbench.data.command import BadInput, write_file  # noqa: E402

WEIGHTS = 0, 3, 1, 0.5, 2, 0, 4, 1, 0, 0, 0, 0  # choice_info of the row of the ant's city; 0: visited
SIZE = 4
LEFT, WIDTH, SCALE = 120, 620, 50  # pixels: of the drawing, and of a weight of 1 in its stages
COLOURS = "#0b3c6f", "#d1682a", "#3d9a6b"


def spin(weights, target):
    """The first place whose running sum reaches the target: the lowest bit of the ballot in warp_spin (kernels/cuda/warp.h)."""
    return next(i for i, upto in enumerate(itertools.accumulate(weights)) if weights[i] > 0 and upto >= target)


def step(u, v):
    """Everything that a step computes."""
    blocks = [WEIGHTS[i : i + SIZE] for i in range(0, len(WEIGHTS), SIZE)]
    sums = [sum(block) for block in blocks]
    chosen = spin(sums, u * sum(sums))
    place = spin(blocks[chosen], v * sums[chosen])
    return blocks, sums, u * sum(sums), chosen, v * sums[chosen], place


def told(u, v):
    blocks, sums, target, chosen, inside, place = step(u, v)
    city = chosen * SIZE + place
    for i, block in enumerate(blocks):
        scan = " ".join(f"{value:g}" for value in itertools.accumulate(block)) if any(block) else "exhausted: skipped"
        yield f"stage 1, sub-block {i}: weights {' '.join(f'{w:g}' for w in block)}, scan {scan}"
    yield f"stage 2: sums {' '.join(f'{value:g}' for value in sums)}, u = {u:g} of {sum(sums):g} is {target:.3g}: sub-block {chosen}"
    yield f"stage 3: v = {v:g} of {sums[chosen]:g} is {inside:.3g}: city {city}"
    yield (
        f"chance of city {city}: {sums[chosen]:g}/{sum(sums):g} × {WEIGHTS[city]:g}/{sums[chosen]:g} = "
        f"{WEIGHTS[city]:g}/{sum(sums):g} = {WEIGHTS[city] / sum(sums):.3f}"
    )


# ---- The drawing ----


def text(x, y, what, anchor="middle", more=""):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{what}</text>'


def bar(x, y, width, what, colour):
    """A part of a wheel, with its name."""
    box = f'<rect x="{x:g}" y="{y}" width="{width:g}" height="30" fill="{colour}" stroke="#fff" stroke-width="2"/>'
    return box + text(x + width / 2, y + 20, what, more=' fill="#fff"')


def wheel(y, label, parts, target, what):
    """A wheel unrolled: its parts side by side from 0 on, and an arrow where the random number points."""
    at = LEFT
    yield text(LEFT - 12, y + 20, label, "end")
    for name, weight, colour in parts:
        if weight:
            yield bar(at, y, weight * SCALE, name, colour)
        at += weight * SCALE
    x = LEFT + target * SCALE
    yield f'<path d="M{x:g} {y + 56} V{y + 34} m-5 8 l5 -8 l5 8" fill="none" stroke="#222" stroke-width="2"/>'
    yield text(x, y + 72, what)


def drawing(u, v):
    blocks, sums, target, chosen, inside, place = step(u, v)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH} 372" font-family="Helvetica, Arial, sans-serif" font-size="14">'
    yield f"<title>A step of DS-Roulette</title><desc>{'; '.join(told(u, v))}</desc>"
    yield '<rect width="100%" height="100%" fill="#fff"/>'
    yield text(LEFT - 12, 90, "weights", "end")
    for city, weight in enumerate(WEIGHTS):
        x = LEFT + 14 + city * 48 + city // SIZE * 16
        yield f'<rect x="{x}" y="{110 - weight * 22:g}" width="32" height="{weight * 22:g}" fill="{COLOURS[city // SIZE]}"/>'
        yield f'<path d="M{x} 110 h32" stroke="#222"/>'
        yield text(
            x + 16,
            106 - weight * 22,
            f"{weight:g}" if weight else "visited",
            more="" if weight else ' font-size="10" fill="#555"',
        )
        yield text(x + 16, 128, f"{city}")
    for i, block in enumerate(blocks):
        what = f"sub-block {i}: {sums[i]:g}" if any(block) else f"sub-block {i}: exhausted"
        yield text(LEFT + 14 + i * 208 + 88, 150, what, more=f' fill="{COLOURS[i]}" font-weight="bold"')
    parts = [(f"sub-block {i}", value, COLOURS[i]) for i, value in enumerate(sums)]
    yield from wheel(178, "stage 2", parts, target, f"u = {u:g}: {target:.3g} of {sum(sums):g}")
    parts = [(f"city {chosen * SIZE + i}", weight, COLOURS[chosen]) for i, weight in enumerate(blocks[chosen])]
    yield from wheel(
        278, "stage 3", parts, inside, f"v = {v:g}: {inside:.3g} of {sums[chosen]:g}, city {chosen * SIZE + place}"
    )
    yield "</svg>"


def share(text):
    """A random number as curand_uniform's."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no number above 0 and at most 1, as curand_uniform's are")
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("u", nargs="?", type=share, default=0.62, metavar="U", help="default 0.62")
    parser.add_argument("v", nargs="?", type=share, default=0.35, metavar="V", help="default 0.35")
    parser.add_argument("file", nargs="?", metavar="FILE.svg", help="where the drawing is written (default: nowhere)")
    options = parser.parse_args()
    print("\n".join(told(options.u, options.v)))
    if not options.file:
        return 0
    try:
        write_file(options.file, "\n".join(drawing(options.u, options.v)) + "\n")
    except BadInput as error:
        print(f"ds_step: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
