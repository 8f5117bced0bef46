"""Who includes whom: the rooms of a folder, one above the other, and no way back."""

import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The rooms of a folder, and for each the rooms that its files may include, besides its own. Headers at the folder's top
# are a room, and so are the other files there: the floor and the roof, where there are rooms between them.
HEADERS, SOURCES, OTHERS = "*.h", "*.c", "*"
CONTRACTS = {HEADERS, "host", "cuda"}
ROOMS = {
    ".": {
        "base": set(),
        "instances": {"base"},
        "images": {"base"},
        "mpi": {"base"},
        "tours": {"base", "instances"},
        "kernels": {"base", "instances", "images", "mpi", "tours"},
        "baselines": {"base", "tours", "kernels"},
        "bench": {"base", "mpi", "tours", "kernels", "baselines"},
    },
    "kernels": {
        HEADERS: set(),
        SOURCES: {HEADERS},
        "host": {HEADERS},
        "cuda": {HEADERS, "host"},
        "edges": CONTRACTS,
        "choice_info": CONTRACTS | {"tsp"},
        "deposit": CONTRACTS | {"tsp"},
        "log_edges": {"edges", "convolution"},
        OTHERS: CONTRACTS | {"edges"},  # an operation
    },
    "kernels/tsp": {
        HEADERS: set(),
        "check": {HEADERS},
        "steps": {HEADERS, "check"},
        "team": {HEADERS},
        SOURCES: {HEADERS, "check", "steps", "team"},
    },
    "baselines": {HEADERS: set(), SOURCES: {HEADERS}, "edges": {HEADERS}, "tsp": {HEADERS}},
    "bench": {
        HEADERS: set(),
        "row": set(),
        "plan": {"row"},
        "clock": {"row", "plan"},
        "record": {"row", "plan", "clock"},
        "program": {"row", "plan", "clock", "record"},
        "tables": {"plan"},  # data, a folder per source and a file per driver
        SOURCES: {HEADERS, "plan", "clock", "record", "program"},
    },
}
MOST_ROOMS, MOST_FILES = 5, 20  # of a folder, besides data; of one kind, such as .h, in any folder of code
DATA = {"bench/tables"}
NO_PRODUCT = {"build", "docs", "packaging", "tests"}  # at the top: they include what they like
SUFFIXES = (".c", ".cpp", ".cu", ".cuh", ".h")


def code_in(folder):
    """Paths of the C files in a folder, from the root; of the product alone."""
    tops = [ROOT / top for top in ROOMS["."]] if folder == "." else [ROOT / folder]
    paths = [path.relative_to(ROOT) for top in tops for path in top.rglob("*")]
    return sorted(path for path in paths if path.suffix in SUFFIXES)


def includes_of(folder):
    """{file: files of the folder that it includes}, all by their paths from the root."""
    found = {}
    for path in code_in(folder):
        names = re.findall(r'^\s*#\s*include\s*"([^"]+)"', (ROOT / path).read_text(), re.M)
        found[str(path)] = {name for name in names if Path(name).is_relative_to(folder) and (ROOT / name).is_file()}
    return found


def room_of(file, folder):
    """bench/clock/sample.h is in the room clock of bench, bench/antbench.c among its sources."""
    first, *rest = Path(file).relative_to(folder).parts
    return first if rest else HEADERS if first.endswith(".h") else SOURCES


def arrows(includes, folder):
    """{(room, other): a file of the room that includes one of the other}."""
    found = {}
    for file, names in includes.items():
        room = room_of(file, folder)
        for name in names:
            if room_of(name, folder) != room:
                found[room, room_of(name, folder)] = f"{file} includes {name}"
    return found


def forbidden(found, rooms):
    """Of arrows those that a folder's rooms do not allow."""
    return [said for (room, other), said in found.items() if other not in rooms.get(room, rooms.get(OTHERS, set()))]


def needless(found, rooms):
    """The arrows that a folder's rooms allow and no file needs."""
    named = {(room if room in rooms else OTHERS, other) for room, other in found}
    return {(room, other) for room, others in rooms.items() for other in others} - named


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


def rooms_there(folder):
    return {path.relative_to(folder).parts[0] for path in code_in(folder) if path.parent != Path(folder)}


@pytest.mark.parametrize("folder", ROOMS)
def test_rooms_are_few_and_known(folder):
    there, named = rooms_there(folder), ROOMS[folder].keys() - {HEADERS, SOURCES, OTHERS}
    assert named <= there and (there == named or OTHERS in ROOMS[folder])
    operations = {room for room in there if (ROOT / folder / room / "operation.c").is_file()}
    data = {room for room in there if f"{folder}/{room}" in DATA}
    assert folder == "." or len(there - operations - data) <= MOST_ROOMS


def test_all_code_is_in_a_room():
    tops = {path for path in ROOT.iterdir() if path.is_dir() and path.name not in NO_PRODUCT | set(ROOMS["."])}
    assert [path for top in tops for path in top.rglob("*") if path.suffix in SUFFIXES] == []


def crowded(paths):
    """{(folder, suffix): how many}, where a folder has too many files of one kind."""
    kinds = Counter((str(path.parent), path.suffix) for path in paths)
    return {kind: n for kind, n in kinds.items() if n > MOST_FILES}


def test_every_folder_of_code_can_be_overlooked():
    assert crowded(code_in(".")) == {}
    assert crowded([Path(f"a/{i}.c") for i in range(21)]) == {("a", ".c"): 21}


@pytest.mark.parametrize("folder", ROOMS)
def test_rooms_include_what_is_below_them(folder):
    found, rooms = arrows(includes_of(folder), folder), ROOMS[folder]
    assert forbidden(found, rooms) == []
    assert needless(found, rooms) == set(), "an arrow is allowed that no file needs"
    graph = {}
    for room, other in found:
        graph.setdefault(room, set()).add(other)
    assert circle(graph) is None


@pytest.mark.parametrize("folder", ["bench", "kernels", "baselines"])
def test_no_module_includes_itself_in_a_circle(folder):
    graph = modules(includes_of(folder))
    assert len(graph) > 10 and circle(graph) is None


def test_what_is_wrong_is_found():
    wrong = {"bench/row/row.h": {"bench/plan/plan.h"}, "bench/plan/plan.c": {"bench/plan/plan.h", "bench/row/row.h"}}
    assert arrows(wrong, "bench") == {
        ("row", "plan"): "bench/row/row.h includes bench/plan/plan.h",
        ("plan", "row"): "bench/plan/plan.c includes bench/row/row.h",
    }
    assert forbidden(arrows(wrong, "bench"), ROOMS["bench"]) == ["bench/row/row.h includes bench/plan/plan.h"]
    assert set(circle(modules(wrong))) == {"bench/row/row", "bench/plan/plan"}
    assert circle({"row": {"plan"}, "plan": {"row"}}) and circle({"row": set(), "plan": {"row"}}) is None


@pytest.mark.parametrize(
    ("folder", "file", "name"),
    [
        (".", "kernels/operation.h", "bench/plan/plan.h"),
        (".", "base/text.c", "instances/text.h"),
        (".", "kernels/tsp/operation.c", "baselines/trails.h"),
        ("kernels", "kernels/operation.h", "kernels/cuda/warp.h"),
        ("kernels", "kernels/host/device.h", "kernels/cuda/warp.h"),
        ("kernels", "kernels/edges/edges.h", "kernels/canny/canny.h"),
        ("kernels", "kernels/canny/gpu.cu", "kernels/tsp/tsp.h"),
        ("kernels", "kernels/mine/operation.c", "kernels/tsp/tsp.h"),
        ("kernels/tsp", "kernels/tsp/tsp.h", "kernels/tsp/check/wheel.h"),
        ("kernels/tsp", "kernels/tsp/check/wheel.c", "kernels/tsp/steps/leaves.h"),
        ("baselines", "baselines/trails.c", "baselines/tsp/cpu_blocks.h"),
    ],
)
def test_a_wrong_include_is_found(folder, file, name):
    assert forbidden(arrows({file: {name}}, folder), ROOMS[folder]) == [f"{file} includes {name}"]


def test_files_at_the_top_of_a_folder_are_its_floor_and_its_roof():
    assert room_of("bench/antbench.c", "bench") == room_of("bench/registry.def", "bench") == SOURCES
    assert room_of("kernels/tsp/tsp.h", "kernels/tsp") == HEADERS
    assert room_of("kernels/tsp/tsp.h", "kernels") == "tsp" and room_of("kernels/tsp/tsp.h", ".") == "kernels"
    assert arrows({"kernels/mine/mine.cu": {"kernels/edges/edges.h"}}, "kernels").keys() == {("mine", "edges")}
