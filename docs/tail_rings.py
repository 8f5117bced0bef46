"""How often the tail of rung race rings (docs/guide/race.md), counted: all ants take a step together, by the rules of race.h.

    python3 docs/tail_rings.py FILE.tsp [--protocol as] [--iterations 20] [--print 1,20] [--seed 1]

Prints a row per iteration, in percent. Doubles take the place of floats, and no clock goes on; probabilities are the same.
"""

import argparse
from pathlib import Path

import numpy as np

NEAR, LAST, ODD, RINGS = 31, 128, 12, 32  # near cities; race_steps.h: FEW * 32 last cities; ODD; rings of a round
COUNTS = "tail", "last cities", "first ring visited", "near clock rings", "second round", "wheel"


def distances(text):
    """The rounded distances of TSPLIB's type EUC_2D."""
    lines = text.partition("NODE_COORD_SECTION")[2].partition("EOF")[0].split()
    x, y = np.array(lines, float).reshape(-1, 3)[:, 1:].T
    return np.floor(np.hypot(x[:, None] - x, y[:, None] - y) + 0.5)


def alias_table(weights):
    """(threshold, alias) of each row, as race.cu fills buckets: a light city's by the heavy city that has excess left."""
    n = len(weights)
    threshold, alias = np.ones((n, n), np.float32), np.tile(np.arange(n, dtype=np.int32), (n, 1))
    for row, part in enumerate(weights * (n / np.maximum(weights.sum(1, keepdims=True), 1e-300))):
        light, heavy = np.flatnonzero(part <= 1), np.flatnonzero(part > 1)
        if len(heavy):
            lack, excess = np.cumsum(1 - part[light]), np.cumsum(part[heavy] - 1)
            by = np.searchsorted(excess, lack - (1 - part[light]), "right").clip(max=len(heavy) - 1)
            threshold[row, light], alias[row, light] = part[light], heavy[by]
            taken = lack[np.searchsorted(lack, excess).clip(max=len(light) - 1)] - excess
            threshold[row, heavy], alias[row, heavy] = 1 - taken.clip(0, 1), np.append(heavy[1:], heavy[-1])
    return threshold, alias


def walk(weights, near, ants, random, steps=None):
    """(tours, {count: number of steps}) of so many ants; `steps`: only the first ones."""
    n, everyone = len(weights), np.arange(ants)
    rows = np.arange(n)[:, None]
    near_weights, far = weights[rows, near], weights.copy()
    far[rows, near] = 0
    tail, (threshold, alias) = far.sum(1), alias_table(far)
    count = dict.fromkeys(COUNTS, 0)
    unvisited, tours = np.ones((ants, n), bool), np.empty((ants, n), int)
    odd, finishing = np.zeros(ants, int), np.zeros(ants, bool)
    tours[:, 0] = here = random.integers(n, size=ants)
    unvisited[everyone, here] = False
    for p in range(1, n if steps is None else steps + 1):
        left = n - p
        if (p - 1) % 32 == 0:
            finishing |= (odd >= ODD) & (left <= LAST)
            odd[:] = 0
        sums = np.cumsum(near_weights[here] * unvisited[everyone[:, None], near[here]], axis=1)
        of_near = sums[:, -1]
        all_ = of_near + tail[here]
        target = random.random(ants) * all_
        rings = ~finishing & (target >= of_near)
        count["tail"] += rings.sum()
        count["last cities"] += finishing.sum()
        odd += rings
        following, by_near = np.full(ants, -1), ~finishing & ~rings
        open_ = np.flatnonzero(rings)  # ants whose rings have not decided
        for first, many in enumerate((1, 7, RINGS - 8, RINGS, RINGS, RINGS)[: 6 if 4 * left > n else 3]):  # of a round
            count["second round"] += len(open_) if first == 3 else 0
            size, at = (len(open_), many), here[open_, None]
            bucket = random.integers(n, size=size)
            city = np.where(random.random(size, np.float32) < threshold[at, bucket], bucket, alias[at, bucket])
            counts = unvisited[open_[:, None], city]
            wins = (random.random(size, np.float32) * all_[open_, None] < of_near[open_, None]) & (first > 0)
            decided = counts | wins
            place, some = decided.argmax(1), decided.any(1)
            near_wins, each = wins[np.arange(len(open_)), place] & some, np.arange(len(open_))
            count["first ring visited"] += (~some).sum() if first == 0 else 0
            count["near clock rings"] += near_wins.sum()
            by_near[open_[near_wins]] = True
            target[open_[near_wins]] = random.random(near_wins.sum()) * of_near[open_[near_wins]]
            following[open_[some & ~near_wins]] = city[each, place][some & ~near_wins]
            open_ = open_[~some]
        count["wheel"] += len(open_)
        chosen = np.minimum((sums[by_near] <= target[by_near, None]).sum(1), near.shape[1] - 1)
        following[by_near] = near[here[by_near], chosen]
        spin = np.flatnonzero(following < 0)
        cities = np.nonzero(unvisited[spin])[1].reshape(len(spin), left)
        wheel = np.cumsum(weights[here[spin, None], cities], axis=1)
        place = (wheel <= random.random((len(spin), 1)) * wheel[:, -1:]).sum(1)
        following[spin] = cities[np.arange(len(spin)), place]
        tours[:, p] = here = following
        unvisited[everyone, here] = False
    return tours, count


def nearest_tour(distance):
    """The length of the nearest neighbour's tour from city 0."""
    here, length, unvisited = 0, 0.0, np.arange(len(distance)) > 0
    while unvisited.any():
        following = np.where(unvisited, distance[here], np.inf).argmin()
        length, here, unvisited[following] = length + distance[here, following], following, False
    return length + distance[here, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, metavar="FILE.tsp", help="instance of type EUC_2D")
    parser.add_argument("--protocol", choices=("as", "as-best"), default="as-best")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--print", default="", metavar="1,20", help="iterations to print (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    shown = {int(number) for number in options.print.split(",") if number}
    distance, random = distances(options.file.read_text()), np.random.default_rng(options.seed)
    n, rho = len(distance), 0.5 if options.protocol == "as" else 0.1
    eta = (distance + 0.1) ** -2
    np.fill_diagonal(eta, 0)
    near = np.argsort(distance + np.diag(np.full(n, np.inf)), axis=1, kind="stable")[:, : min(NEAR, n - 1)]
    pheromone = np.full((n, n), 1 / (rho * nearest_tour(distance)))
    print("protocol iteration", *COUNTS, "(% of steps; from the third on, % of tail)", sep=" | ")
    for iteration in range(1, options.iterations + 1):
        tours, count = walk(pheromone * eta, near, n, random)
        after = np.roll(tours, -1, axis=1)
        lengths = distance[tours, after].sum(1)
        if options.protocol == "as-best":
            tours, after, lengths = (each[[lengths.argmin()]] for each in (tours, after, lengths))
        edges = np.bincount((tours * n + after).ravel(), np.repeat(1 / lengths, n), n * n).reshape(n, n)
        pheromone = (1 - rho) * pheromone + edges + edges.T
        of = [n * (n - 1)] * 2 + [max(count["tail"], 1)] * 4
        if not shown or iteration in shown:
            shares = (f"{100 * number / every:.3f}" for number, every in zip(count.values(), of))
            print(options.protocol, iteration, *shares, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
