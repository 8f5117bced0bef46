"""The rooms of scripts/antbench: few, of a size that can be read, with imports in one direction and without a circle.
The rooms of tests: of the same size."""

import ast
import graphlib
from collections import Counter

import pytest

from support.commands import ROOT

PACKAGE = ROOT / "scripts/antbench"
ROOMS = ("data", "gate", "show", "tools")  # each imports from itself and from those before it
MOST_ROOMS, MOST_ENTRIES, LONGEST_INIT = 5, 20, 5
TESTS = ROOT / "tests"
INPUTS = ("corpus", "data", "planted/faults")  # of tests: what they read, in as many files as it takes


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


def crowded(top, excepted=()):
    """{folder: kinds with too many entries}, of all folders below `top`; a kind is a suffix, or the folders."""
    found = {}
    for folder in (top, *(path for path in top.rglob("*") if path.is_dir())):
        name = folder.relative_to(top).as_posix()
        if folder.name != "__pycache__" and not any(f"{name}/".startswith(f"{other}/") for other in excepted):
            entries = [path for path in folder.iterdir() if path.name != "__pycache__"]
            kinds = Counter("folder" if path.is_dir() else path.suffix for path in entries)
            if many := {kind for kind, n in kinds.items() if n > MOST_ENTRIES}:
                found[name] = many
    return found


def test_a_room_of_tests_can_be_read_at_a_glance():
    assert crowded(TESTS, INPUTS) == {}
    assert not list(TESTS.glob("*test_*")), "a test is in a room"


def test_two_tests_of_one_kind_have_two_names():
    """A program has its file's name, and so has a module of Python, whatever the room."""
    names = Counter(path.name for path in TESTS.rglob("*test_*") if path.suffix in (".c", ".py"))
    assert len(names) > 100 and [name for name, n in names.items() if n > 1] == []


def test_a_crowded_room_is_found(tmp_path):
    (tmp_path / "a/data").mkdir(parents=True)
    for i in range(MOST_ENTRIES + 1):
        for name in (f"a/{i}.c", f"a/data/{i}.tsv"):
            (tmp_path / name).touch()
        if i < MOST_ENTRIES:
            (tmp_path / f"a/{i}.py").touch()
    assert crowded(tmp_path) == {"a": {".c"}, "a/data": {".tsv"}}
    assert crowded(tmp_path, ["a/data"]) == {"a": {".c"}}
    assert crowded(tmp_path, ["a"]) == {}
