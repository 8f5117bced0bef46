"""The rooms of scripts/antbench: few, of a size that can be read, with imports in one direction and without a circle."""

import ast
import graphlib

import pytest

from support.commands import ROOT

PACKAGE = ROOT / "scripts/antbench"
ROOMS = ("data", "gate", "show", "tools")  # each imports from itself and from those before it
MOST_ROOMS, MOST_ENTRIES, LONGEST_INIT = 5, 20, 5


def imports(text):
    """The modules of the package that a file imports, as "data.runs", wherever in the file it does so."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in found]
    return {".".join(part[1:3]) for part in parts if part[0] == "antbench" and len(part) > 2}


def arrows(package):
    """{module: the modules that it imports} of a package's rooms."""
    return {
        f"{path.parent.name}.{path.stem}": imports(path.read_text(encoding="utf-8"))
        for path in package.glob("*/*.py")
        if path.stem != "__init__"
    }


def faults(graph, rooms=ROOMS):
    """What is wrong with these arrows, one text each."""
    found = []
    for module, imported in sorted(graph.items()):
        for other in sorted(imported - graph.keys()):
            found.append(f"{module} imports {other}, which is not there")
        for other in sorted(imported & graph.keys()):
            if rooms.index(other.split(".")[0]) > rooms.index(module.split(".")[0]):
                found.append(f"{module} imports {other}, of a later room")
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        found.append(f"circle: {' <- '.join(error.args[1])}")
    return found


def test_the_rooms_are_those_of_this_list():
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(ROOMS) and len(rooms) <= MOST_ROOMS


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_can_be_read_at_a_glance(room):
    assert len(list((PACKAGE / room).glob("*.py"))) <= MOST_ENTRIES
    assert len((PACKAGE / room / "__init__.py").read_text().splitlines()) <= LONGEST_INIT


def test_imports_go_one_way_and_in_no_circle():
    graph = arrows(PACKAGE)
    assert len(graph) > 40 and "data.command" in graph["data.runs"]
    assert faults(graph) == []


def test_an_import_inside_of_a_function_counts():
    assert imports("def f():\n    from antbench.show import report, stands\n    import antbench.data.runs\n") == {
        "show.report", "show.stands", "data.runs"
    }  # fmt: skip
    assert imports("from antbench.data.runs import load\nimport pandas") == {"data.runs"}


def test_a_later_room_and_a_circle_are_found():
    up = faults({"data.a": {"show.b"}, "show.b": set()})
    assert up == ["data.a imports show.b, of a later room"]
    (circle,) = faults({"data.a": {"data.b"}, "data.b": {"data.c"}, "data.c": {"data.a"}})
    assert circle.startswith("circle: ")
    assert faults({"data.a": {"data.b"}}) == ["data.a imports data.b, which is not there"]
