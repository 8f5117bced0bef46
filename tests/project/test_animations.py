"""make animations: what moves is what the guides say, and the committed drawings are what it makes."""

import importlib.util
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs/animations.py"
SPEC = importlib.util.spec_from_file_location("animations", SCRIPT)
animations = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(animations)


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True)


def test_the_committed_drawings_are_as_it_makes_them(tmp_path):
    assert run(tmp_path).returncode == 0
    for name in animations.DRAWINGS:
        made = (tmp_path / name).read_text()
        assert made == (ROOT / "docs" / name).read_text() and len(made) < 80_000
        assert any(name in page.read_text() for page in (ROOT / "docs/guide").glob("*.md")), f"{name}: on no page"


def test_every_movement_has_a_value_per_time():
    for draw in animations.DRAWINGS.values():
        moves = [each for each in ET.fromstring("\n".join(draw())).iter() if each.tag.endswith("animate")]
        for move in moves:
            times = [float(time) for time in move.get("keyTimes", "0;1").split(";")]
            assert times == sorted(times) and (times[0], times[-1]) == (0, 1)
            assert "keyTimes" not in move.attrib or len(times) == move.get("values").count(";") + 1
        assert moves and all(move.get("repeatCount") == "indefinite" for move in moves)


def test_clocks_choose_in_proportion():
    """Each city's share of 20,000 races is within 0.02 of its weight's: six standard deviations."""
    rng, n = random.Random(1), 20_000
    won = Counter(min(rings, key=rings.get) for rings in (animations.clocks(rng) for _ in range(n)))
    for city, weight in animations.WEIGHTS.items():
        assert abs(won[city] / n - weight / sum(animations.WEIGHTS.values())) < 0.02


def test_the_drawn_race_is_won_by_the_shortest_clock():
    drawn = "\n".join(animations.race_step())
    until = [float(width) for width in re.findall(r'width="([\d.]+)" height="22" fill="none"', drawn)]
    winner = list(animations.WEIGHTS)[until.index(min(until))]
    assert f"The ant goes to {winner}." in drawn and len(until) == len(animations.WEIGHTS)


def test_ants_walk_from_pixel_to_pixel_and_find_the_edges():
    steps, frames = animations.walk(random.Random(1))
    side = animations.SIDE
    assert all(0 <= x < side and 0 <= y < side for step in steps for x, y in step)
    visible = animations.heuristic(animations.picture())
    pairs = [(a, b) for before, after in zip(steps, steps[1:]) for a, b in zip(before, after)]
    near = [max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1 for a, b in pairs]
    assert sum(near) / len(near) > 0.5
    on_edge = [value for row, bright in zip(frames[-1], visible) for value, v in zip(row, bright) if v > 0]
    elsewhere = [value for row, bright in zip(frames[-1], visible) for value, v in zip(row, bright) if v == 0]
    assert sum(on_edge) / len(on_edge) > 2 * max(elsewhere)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    done = run(tmp_path / "none")
    assert done.returncode == 1 and "No such file" in done.stderr
