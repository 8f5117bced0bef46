"""make animations: the moving drawings of docs/guide/, as SVG that a browser plays.

    python3 docs/animations.py [FOLDER]

The drawing race-step.svg shows one step of `race`. A clock per city rings after an exponential time, and the first
clock picks its city.
The drawing edge-ants.svg shows ants on a picture of 32 x 32 pixels, by the rules of kernels/edge_ants with fewer ants.
"""

import argparse
import math
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scripts"), str(HERE.parents[2] / "antbench/scripts")]  # of a checkout, or installed

from antbench.data.command import BadInput, write_file  # noqa: E402

BLUE, ORANGE, GREY = "#0b3c6f", "#d1682a", "#8c8c8c"
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="Helvetica, Arial, sans-serif" font-size="14">'


def text(x, y, what, more=""):
    return f'<text x="{x:g}" y="{y:g}"{more}>{what}</text>'


# ---- A step of race ----

WEIGHTS = {"B": 6, "C": 3, "E": 1, "F": 2}  # of the edges to the unvisited cities
SEED = 5
SECONDS, RACE = 8, 0.6  # of the loop, and the share of it until the first clock rings
FIRST, ROW = 72, 34  # pixels: the top of the first row, and a row
AT, LONG = 190, 330  # pixels: where clocks begin, and how far the slowest goes


def clocks(rng):
    """{city: when its clock rings}, exponential with the weight as its rate."""
    return {city: -math.log(1 - rng.random()) / weight for city, weight in WEIGHTS.items()}


def grows(width, until):
    """A bar's width from 0 on, until a share of the loop."""
    return (
        f'<animate attributeName="width" values="0;{width:.1f};{width:.1f}" keyTimes="0;{until:g};1" '
        f'dur="{SECONDS}s" repeatCount="indefinite"/>'
    )


def appears(at):
    return (
        f'<animate attributeName="opacity" values="0;0;1;1" keyTimes="0;{at:g};{min(at + 0.01, 0.99):g};1" '
        f'dur="{SECONDS}s" repeatCount="indefinite"/>'
    )


def race_step():
    rings = clocks(random.Random(SEED))
    winner = min(rings, key=rings.get)
    speed = LONG / max(rings.values())  # pixels per unit of time
    first = rings[winner] * speed
    yield HEAD.format(560, 270)
    yield f"<title>A step of race</title><desc>The clock of {winner} rings first: the ant goes to {winner}.</desc>"
    yield '<rect width="100%" height="100%" fill="#fff"/>'
    yield text(20, 28, "A clock per unvisited city. Its rate is the weight of the edge.", ' font-weight="bold"')
    yield text(20, 52, "city", f' fill="{GREY}"') + text(70, 52, "weight = rate", f' fill="{GREY}"')
    yield text(AT, 52, "time →", f' fill="{GREY}"')
    for i, (city, weight) in enumerate(WEIGHTS.items()):
        y, colour = FIRST + i * ROW, ORANGE if city == winner else BLUE
        yield text(24, y + 17, city, ' font-weight="bold"') + text(100, y + 17, f"{weight}")
        yield (  # where the clock would ring
            f'<rect x="{AT}" y="{y}" width="{rings[city] * speed:.1f}" height="22" fill="none" stroke="{GREY}" stroke-dasharray="3 3"/>'
        )
        yield f'<rect x="{AT}" y="{y}" width="{first:.1f}" height="22" fill="{colour}">{grows(first, RACE)}</rect>'
        if city == winner:
            yield f'<g opacity="1">{appears(RACE)}{text(AT + first + 8, y + 16, "rings first", f" fill={chr(34)}{ORANGE}{chr(34)} font-weight={chr(34)}bold{chr(34)}")}</g>'
    total = sum(WEIGHTS.values())
    yield f'<g opacity="1">{appears(RACE)}'
    yield text(20, 232, f"The ant goes to {winner}. In the long run it does so in {WEIGHTS[winner]} of {total} steps.")
    yield text(20, 254, "Dashed: when the other clocks would ring.", f' fill="{GREY}"') + "</g>"
    yield "</svg>"


# ---- Ants on a picture ----

SIDE, PIXEL = 32, 12  # pixels of the picture, and of the drawing for each of them
ANTS, STEPS, MEMORY = 60, 60, 32
FRAMES = 6  # in which pheromone is shown
ALPHA, BETA, RHO = 2.5, 2, 0.04  # the thesis's, §5.5.2
PLAY = 15  # seconds of the loop
LEFT = 20
WHAT_ANTS_DO = "An ant prefers neighbours with contrast and pheromone. It leaves pheromone where there is contrast."


def picture():
    """[y][x] of grey from 0 to 1: a disc and a square on a darker ground."""
    rows = [[0.25] * SIDE for _ in range(SIDE)]
    for y in range(SIDE):
        for x in range(SIDE):
            if math.hypot(x - 11, y - 11.5) < 7.5:
                rows[y][x] = 0.85
            if 17 <= x < 28 and 16 <= y < 27:
                rows[y][x] = 0.6
    return rows


def heuristic(grey):
    """[y][x]: the largest difference between opposite neighbours, over the largest of all."""
    at = lambda x, y: grey[min(max(y, 0), SIDE - 1)][min(max(x, 0), SIDE - 1)]  # noqa: E731
    pairs = ((-1, -1), (0, -1), (1, -1), (-1, 0))
    found = [
        [max(abs(at(x + u, y + v) - at(x - u, y - v)) for u, v in pairs) for x in range(SIDE)] for y in range(SIDE)
    ]
    most = max(map(max, found))
    return [[value / most for value in row] for row in found]


def neighbours(x, y):
    around = [(x + u, y + v) for u in (-1, 0, 1) for v in (-1, 0, 1) if u or v]
    return [(u, v) for u, v in around if 0 <= u < SIDE and 0 <= v < SIDE]


def walk(rng):
    """([step][ant] = (x, y), [frame][y][x] = pheromone): an ant whose neighbours all weigh 0 begins elsewhere."""
    visible = heuristic(picture())
    pheromone = [[0.1] * SIDE for _ in range(SIDE)]
    anywhere = lambda: (rng.randrange(SIDE), rng.randrange(SIDE))  # noqa: E731
    ants = [anywhere() for _ in range(ANTS)]
    memory = [[at] for at in ants]
    steps, frames = [list(ants)], []
    for step in range(1, STEPS + 1):
        for i, (x, y) in enumerate(ants):
            free = [at for at in neighbours(x, y) if at not in memory[i]]
            weights = [pheromone[v][u] ** ALPHA * visible[v][u] ** BETA for u, v in free]
            ants[i] = rng.choices(free, weights)[0] if sum(weights) > 0 else anywhere()
            memory[i] = [*memory[i], ants[i]][-MEMORY:]
        pheromone = [[(1 - RHO) * value for value in row] for row in pheromone]
        for x, y in ants:
            pheromone[y][x] += RHO * visible[y][x]
        steps.append(list(ants))
        if step % (STEPS // FRAMES) == 0:
            frames.append([list(row) for row in pheromone])
    return steps, frames


def plays(name, values, discrete=False):
    mode = ' calcMode="discrete"' if discrete else ""
    return f'<animate attributeName="{name}" values="{";".join(values)}" dur="{PLAY}s" repeatCount="indefinite"{mode}/>'


def trails(frames):
    """A square per pixel that has more pheromone at the end than the mean: how dark it is in each frame."""
    last = frames[-1]
    mean, most = sum(map(sum, last)) / SIDE**2, max(map(max, last))
    for y in range(SIDE):
        for x in range(SIDE):
            if last[y][x] > mean:
                shown = [f"{min(1, frame[y][x] / most * 1.5):.2f}".lstrip("0") for frame in frames]
                opacity = plays("opacity", ["0", *shown])
                yield f'<rect x="{x}" y="{y}" width="1" height="1" opacity="{shown[-1]}">{opacity}</rect>'


def edge_ants():
    steps, frames = walk(random.Random(1))
    wide = SIDE * PIXEL
    yield HEAD.format(2 * wide + 3 * LEFT, wide + 70)
    yield "<title>Ants on a picture</title><desc>Ants walk along edges, and their pheromone draws the edges.</desc>"
    yield '<rect width="100%" height="100%" fill="#fff"/>'
    yield text(LEFT, 26, f"{ANTS} ants on a picture of {SIDE} × {SIDE} pixels", ' font-weight="bold"')
    yield text(2 * LEFT + wide, 26, "the pheromone that they leave", ' font-weight="bold"')
    yield f'<g transform="translate({LEFT} 40) scale({PIXEL})"><rect width="{SIDE}" height="{SIDE}" fill="#404040"/>'
    yield '<circle cx="11.5" cy="12" r="7.5" fill="#d9d9d9"/><rect x="17" y="16" width="11" height="11" fill="#999"/>'
    yield '<g transform="translate(.5 .5)">'  # the middle of a pixel
    for ant in range(ANTS):
        path = [step[ant] for step in steps]
        x, y = ([f"{at[i]}" for at in path] for i in (0, 1))
        yield f'<circle cx="{x[-1]}" cy="{y[-1]}" r=".35" fill="{ORANGE}">{plays("cx", x, True)}{plays("cy", y, True)}</circle>'
    yield f'</g></g><g transform="translate({2 * LEFT + wide} 40) scale({PIXEL})" fill="{BLUE}">'
    yield f'<rect width="{SIDE}" height="{SIDE}" fill="#eef2f7"/>'
    yield from trails(frames)
    yield f"</g>{text(LEFT, wide + 62, WHAT_ANTS_DO)}</svg>"


DRAWINGS = {"race-step.svg": race_step, "edge-ants.svg": edge_ants}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=HERE, help="where the drawings go (default: docs/)")
    folder = parser.parse_args().folder
    for name, draw in DRAWINGS.items():
        try:
            write_file(folder / name, "\n".join(draw()) + "\n")
        except BadInput as error:
            print(f"animations: {error}", file=sys.stderr)
            return 1
        print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
