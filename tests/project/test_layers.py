"""Who includes whom: the rooms of a folder, one above the other, and no way back."""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The rooms of a folder, and for each the rooms that its files may include, besides its own.
ROOMS = {
    "bench": {
        "row": set(),
        "plan": {"row"},
        "clock": {"row", "plan"},
        "record": {"row", "plan", "clock"},
        "program": {"row", "plan", "clock", "record"},
        "tables": {"plan"},  # data, a file per driver
    }
}
MOST_ROOMS, MOST_FILES = 5, 20  # of a folder, besides data; of one kind, such as .h, in a room of code
DATA = {"bench/tables"}
SUFFIXES = (".c", ".cpp", ".cu", ".cuh", ".h")


def includes_of(folder):
    """{file: files of the folder that it includes}, all by their paths from the root."""
    found = {}
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in SUFFIXES:
            names = re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)
            found[str(path.relative_to(ROOT))] = {name for name in names if name.startswith(f"{folder}/")}
    return found


def room_of(file, folder):
    """bench/clock/sample.h is in the room clock of bench, bench/antbench.c in none."""
    rest = file.removeprefix(f"{folder}/")
    return rest.partition("/")[0] if "/" in rest else None


def arrows(includes, folder):
    """{(room, other): a file of the room that includes one of the other}."""
    found = {}
    for file, names in includes.items():
        room = room_of(file, folder)
        for name in names:
            if room and room_of(name, folder) != room:
                found[room, room_of(name, folder)] = f"{file} includes {name}"
    return found


def circle(graph):
    """The members of a circle in {node: nodes}, or None."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def modules(includes):
    """Of {file: files} the same of modules: x.c, x.cu and x.h are one."""
    graph = {}
    for file, names in includes.items():
        module = file.rpartition(".")[0]
        graph.setdefault(module, set()).update({name.rpartition(".")[0] for name in names} - {module})
    return graph


@pytest.mark.parametrize("folder", ROOMS)
def test_rooms_are_few_and_known(folder):
    there = {room_of(file, folder) for file in includes_of(folder)} - {None}
    assert there == set(ROOMS[folder])
    assert len({f"{folder}/{room}" for room in there} - DATA) <= MOST_ROOMS


@pytest.mark.parametrize("folder", ROOMS)
def test_a_room_can_be_overlooked(folder):
    for room in ROOMS[folder]:
        files = list((ROOT / folder / room).iterdir())
        kinds = {path.suffix: sum(other.suffix == path.suffix for other in files) for path in files}
        assert f"{folder}/{room}" in DATA or max(kinds.values()) <= MOST_FILES, kinds


@pytest.mark.parametrize("folder", ROOMS)
def test_rooms_include_what_is_below_them(folder):
    rooms = ROOMS[folder]
    found = arrows(includes_of(folder), folder)
    up = [said for (room, other), said in found.items() if other not in rooms[room]]
    assert up == []
    allowed = {(room, other) for room, others in rooms.items() for other in others}
    assert allowed == set(found), "an arrow is allowed that nobody needs"
    assert circle(rooms) is None


@pytest.mark.parametrize("folder", ROOMS)
def test_no_module_includes_itself_in_a_circle(folder):
    graph = modules(includes_of(folder))
    assert len(graph) > 10 and circle(graph) is None


def test_what_is_wrong_is_found():
    wrong = {"bench/row/row.h": {"bench/plan/plan.h"}, "bench/plan/plan.c": {"bench/plan/plan.h", "bench/row/row.h"}}
    assert arrows(wrong, "bench") == {
        ("row", "plan"): "bench/row/row.h includes bench/plan/plan.h",
        ("plan", "row"): "bench/plan/plan.c includes bench/row/row.h",
    }
    assert set(circle(modules(wrong))) == {"bench/row/row", "bench/plan/plan"}
    assert circle({"row": {"plan"}, "plan": {"row"}}) and circle({"row": set(), "plan": {"row"}}) is None
    assert room_of("bench/antbench.c", "bench") is None
