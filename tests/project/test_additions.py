"""Adding things as README says, to a copy of the tree: each is a file and a line, and is then everywhere by itself.

The copy has the objects that are built here, so that only what is new is compiled, without CUDA. All additions are made
at once: a kernel of each kind, two wrong ones, which must be found out, an operation, and two tables.
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from antbench.data import command
from support.commands import HANGS_S, NO_INPUTS, ROOT, rows_of
from support.copies import copy_tree, listed_by_git

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (ROOT / "build/bin/antbench").exists() or not (ROOT / ".git").exists(), reason="not built here, or no git"
    ),
]
DATA = ROOT / "tests/data/additions"
PROGRAMS = [
    "build/bin/antbench",
    "build/san/tests/test_tsp_kernels",
    "build/san/tests/test_edge_ants",
    "build/san/tests/test_canny",
    "build/san/tests/test_choice_info",
    "build/san/tests/test_deposit",
    "build/san/tests/test_psystem",
    "build/bin/tests/stat_test_tsp_kernels",
]


# ---- What is added ----


@dataclass(frozen=True)
class Kernel:
    """A kernel that is there, under another name: a new file and a new line of bench/registry.def."""

    id: str
    of: str  # the file that is copied
    changes: tuple  # (what stands once in it, what takes its place): the rung's name first
    traits: str
    table: str
    row: str  # in that table
    params: tuple  # parts of its rows', a row for each
    instance: str

    @property
    def file(self):
        operation, name = self.id.replace("-", "_").split("/")
        return f"kernels/{operation}/{name}.cu"

    def write(self, tree):
        text = (ROOT / self.of).read_text()
        for old, new in self.changes:
            assert text.count(old) == 1
            text = text.replace(old, new)
        assert not (tree / self.file).exists()
        (tree / self.file).write_text(text)
        operation, name = self.id.split("/")
        with open(tree / "bench/registry.def", "a") as registry:
            registry.write(
                f'GPU({operation.replace("-", "_")}, "{name}", {self.changes[0][1]}, "{self.file}", {self.traits}, '
                f'"a source", "what it does")\n'
            )


PROTOCOLS = ("protocol=as-best;", "protocol=as;")
EXAMPLE = "docs/example_rung.cu"
MINE = Kernel(
    "tsp/added-by-test",
    EXAMPLE,
    (("tsp_example", "tsp_added_by_test"),),
    "AB_EXACT",
    "3.3",
    "added-by-test",
    PROTOCOLS,
    "u30",
)
KERNELS = [
    MINE,
    Kernel(
        "tsp/added-by-test-nn",
        "kernels/tsp/cand_thread.cu",
        (("tsp_cand_thread", "tsp_added_by_test_nn"),),
        "AB_EXACT | TSP_CANDIDATES",
        "4.2",
        "added-by-test-nn",
        tuple(f"{protocol}ants=40;nn=32" for protocol in PROTOCOLS),
        "u40",
    ),
    Kernel(
        "edge-ants/added-by-test",
        "kernels/edge_ants/thread.cu",
        (("edge_ants_thread", "edge_ants_added_by_test"),),
        "AB_EXACT",
        "5.1",
        "added-by-test-128",
        ("block=128",),
        "shapes-37x29",
    ),
    Kernel(
        "canny/added-by-test",
        "kernels/canny/gpu.cu",
        (("canny_gpu", "canny_added_by_test"),),
        "AB_PARTIAL",
        "6.1",
        "canny-added-by-test",
        ("sigma=0",),
        "shapes-37x29",
    ),
    Kernel(
        "choice-info/added-by-test",
        "kernels/choice_info/multiply.cu",
        (("choice_info_multiply", "choice_info_added_by_test"),),
        "0",
        "jsc-1",
        "added-by-test",
        ("block=256",),
        "u30",
    ),
    Kernel(
        "deposit/added-by-test",
        "kernels/deposit/atomic_tiling.cu",
        (("deposit_atomic_tiling", "deposit_added_by_test"),),
        "0",
        "jpdc-4",
        "added-by-test",
        ("block=256",),
        "u30",
    ),
    Kernel(
        "psystem/added-by-test",
        "kernels/psystem/enhanced.cu",
        (("psystem_enhanced", "psystem_added_by_test"),),
        "0",
        "jsc-3",
        "added-by-test",
        ("",),
        "k3-n5-m7",
    ),
]
TWICE = Kernel(  # goes to a city twice: the one it leaves behind is not kept
    "tsp/added-twice",
    EXAMPLE,
    (("tsp_example", "tsp_added_twice"), ("tour[place] = tour[step]", "tour[place] = city")),
    *(MINE.traits, MINE.table, "added-twice", PROTOCOLS, "u30"),
)
BIASED = Kernel(  # valid tours, but the first cities are chosen too often
    "tsp/added-biased",
    EXAMPLE,
    (("tsp_example", "tsp_added_biased"), ("u * total", "u * u * total")),
    *(MINE.traits, MINE.table, "added-biased", PROTOCOLS, "u30"),
)
TABLES = {"table_9_9.c": "bench/tables/own", "thesis-9.9.csv": "results/published", "table_9_8.c": "bench/tables/own"}
OPERATION = {  # edges by Sobel's operator under another name
    "kernels/added_by_test/operation.c": "kernels/edges/sobel.c",
    "baselines/added_by_test.c": "baselines/edges/sobel.c",
}
OPERATION_LINES = """\
#define NAME_added_by_test "added-by-test"
OPERATION(added_by_test, NAME_added_by_test, ed_image, ed_params, ed_detector)
CPU(added_by_test, "seq", added_by_test_seq, "baselines/added_by_test.c", AB_REFERENCE, "a source", "what it does")
"""


# ---- The copy ----


class Tree:
    def __init__(self, path):
        self.path, self.seconds, self.copied, self.compiled = path, [], {}, set()
        self.registry = path / "bench/registry.def"

    @contextmanager
    def timed(self, what):
        begin = time.monotonic()
        yield
        self.seconds.append(f"{what} {time.monotonic() - begin:.1f} s")

    def run(self, *arguments, what="", **environment):
        with self.timed(what or " ".join(map(str, arguments[:2]))):
            return subprocess.run(
                [*map(str, arguments)],
                cwd=self.path,
                env=dict(os.environ, TSPLIB_DIR=str(NO_INPUTS), IMAGES_DIR=str(NO_INPUTS), **environment),
                capture_output=True,
                text=True,
                timeout=HANGS_S,
            )

    def make(self, *targets):
        return self.run("make", "NVCC=", f"PYTHON={sys.executable}", f"-j{os.cpu_count()}", *targets, what=targets[0])

    def ask(self, *arguments):
        done = self.run("build/bin/antbench", *arguments)
        assert done.returncode == command.OK, done.stderr
        return done.stdout

    def check(self, program, only, which):
        """(names of the tests that passed, of those that failed) of a C test, by a pattern, of one implementation."""
        done = self.run(program, which, what=f"{only} {program}", ANTBENCH_ONLY=only, CMOCKA_MESSAGE_OUTPUT="TAP")
        found = re.findall(r"^(not ok|ok) \d+ - (\w+)", done.stdout + done.stderr, re.M)
        assert found, done.stderr
        return {name for word, name in found if word == "ok"}, {name for word, name in found if word != "ok"}

    def drive(self, out, *arguments):
        """(exit code, rows) of a run."""
        done = self.run("build/bin/antbench", *arguments, "--quiet", "--out", out)
        assert (out / "meta.json").exists(), done.stderr
        return done.returncode, rows_of(out), done.stdout


def needs_config(dependencies):
    """Of an object whose source is still there: build/ may also have older ones."""
    files = dependencies.read_text().replace("\\\n", " ").split()
    return "build/gen/config.h" in files and (ROOT / files[1]).is_file()


@pytest.fixture(scope="module")
def tree(tmp_path_factory, request):
    made = Tree(tmp_path_factory.mktemp("additions"))
    with made.timed("copy"):
        copy_tree(made.path)
        made.copied = {
            name: (made.path / name).read_bytes() for name in listed_by_git() if (made.path / name).is_file()
        }
    # Without CUDA, which the build that is copied may have: what knows of it is compiled before anything is added.
    lists = [*(made.path / "build/obj").rglob("*.d"), *(made.path / "build/san").rglob("*.d")]
    configured = [str(file.with_suffix(".o").relative_to(made.path)) for file in lists if needs_config(file)]
    assert configured
    assert made.make(*configured).returncode == 0
    for kernel in (*KERNELS, TWICE, BIASED):
        kernel.write(made.path)
    for new, of in OPERATION.items():
        (made.path / new).parent.mkdir(exist_ok=True)
        text = (ROOT / of).read_text().replace('"sobel"', '"added-by-test"').replace("sobel", "added_by_test")
        (made.path / new).write_text(text)
    with open(made.registry, "a") as registry:
        registry.write(OPERATION_LINES)
    for name, folder in TABLES.items():
        shutil.copy(DATA / name, made.path / folder / name)
    built = made.make(*PROGRAMS)
    assert built.returncode == 0, built.stderr
    made.compiled = set(re.findall(r"^  (?:cc|c\+\+)\t(\S+)", built.stdout, re.M))
    yield made
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\ntest_additions: {', '.join(text for text in made.seconds if not text.endswith(' 0.0 s'))}")


@pytest.fixture(scope="module")
def indexed(tree):
    """The tree after `make index`: nothing else is edited."""
    done = tree.make("index")
    assert done.returncode == 0, done.stderr
    return tree


def test_what_is_there_already_is_not_compiled_again(tree):
    """But for the registry, the list of drivers and the build's own description."""
    kernels = {kernel.file.replace(".cu", ".host.o") for kernel in (*KERNELS, TWICE, BIASED)}
    others = [*OPERATION, *(f"{folder}/{name}" for name, folder in TABLES.items() if name.endswith(".c"))]
    lists = {"bench/registry.o", "bench/record/build_info.o", "bench/plan/driver.o"}
    expected = kernels | {name.replace(".c", ".o") for name in others} | lists
    assert {name.split("/", 2)[2] for name in tree.compiled if "/without_cuda/" not in name} == expected
    assert {name.split("/", 3)[3] for name in tree.compiled if "/without_cuda/" in name} <= lists


# ---- Kernels ----


def lines_of(text):
    return [line.split("\t") for line in text.splitlines()]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_the_program_has_the_kernel(tree, kernel):
    assert [kernel.id, "host", kernel.file] in [line[:3] for line in lines_of(tree.ask("--list"))]
    rows = csv.DictReader(tree.ask("--rows").splitlines())
    of_table = [row for row in rows if row["table"] == kernel.table]
    assert [kernel.row] == [row["row"] for row in of_table if row["implementation"] == kernel.id]
    planned = lines_of(tree.ask(kernel.table, "--dry-run", "--instances", kernel.instance))
    mine = [line for line in planned if line[:2] == [kernel.table, kernel.row]]
    assert len(mine) == len(kernel.params) and all(line[3] == kernel.id for line in mine)
    assert all(any(part in line[5] for line in mine) for part in kernel.params)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_the_driver_verifies_the_kernel(tree, kernel, tmp_path):
    options = "--backend", "host", "--implementations", kernel.id, "--instances", kernel.instance
    code, rows, _ = tree.drive(tmp_path / "run", kernel.table, *options)
    assert code == command.OK
    mine = [row for row in rows if row["scope"] == "functional"]  # the others are candidate sets
    assert [row["row"] for row in mine] == [kernel.row] * len(kernel.params)
    assert all(row["status"] == "ok" for row in mine)


@pytest.mark.parametrize(
    "kernel, program, test",
    [
        (KERNELS[0], "build/san/tests/test_tsp_kernels", "test_every_size_and_order"),
        (KERNELS[0], "build/bin/tests/stat_test_tsp_kernels", "test_cities_are_chosen_in_proportion"),
        (KERNELS[1], "build/san/tests/test_tsp_kernels", "test_candidate_steps_follow_the_rule"),
        (KERNELS[2], "build/san/tests/test_edge_ants", "test_every_size_of_image"),
        (KERNELS[3], "build/san/tests/test_canny", "test_every_step_size_and_order"),
        (KERNELS[4], "build/san/tests/test_choice_info", "test_every_size_block_and_order"),
        (KERNELS[5], "build/san/tests/test_deposit", "test_every_size_block_and_order"),
        (KERNELS[6], "build/san/tests/test_psystem", "test_every_order_tile_piece_and_block"),
    ],
    ids=lambda value: getattr(value, "id", None),
)
def test_the_common_tests_check_the_kernel(tree, kernel, program, test):
    assert tree.check(program, kernel.id, test) == ({test}, set())


def test_a_program_without_the_kernel_says_once_what_to_do(tree):
    done = tree.run("build/san/tests/test_tsp_kernels", ANTBENCH_ONLY="tsp/none")
    (said,) = [line for line in done.stderr.splitlines() if "tsp/none" in line]
    assert done.returncode == command.USAGE and "make test-kernel ID=tsp/none" in said
    assert "Sanitizer" not in done.stderr


def test_the_kernels_own_tests_are_built_and_run_by_one_command(tree):
    done = tree.make("test-kernel", "ID=choice-info/added-by-test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_choice_info: 5 passed" in done.stdout and "test_canny" not in done.stdout
    missing = tree.make("test-kernel", "ID=choice-info/added-by-tset")
    assert missing.returncode != 0 and "choice-info/added-by-tset: not in bench/registry.def" in missing.stderr


# ---- Wrong kernels ----


def test_a_city_twice_is_found(tree, tmp_path):
    every = "test_every_size_and_order"
    assert every in tree.check("build/san/tests/test_tsp_kernels", TWICE.id, every)[1]
    code, rows, _ = tree.drive(
        tmp_path / "run", "3.3", "--backend", "host", "--implementations", TWICE.id, "--instances", "u30"
    )
    assert code == command.WRONG
    assert [row["status"] for row in rows] == ["wrong"] * 2 and "is visited twice" in rows[0]["note"]


def test_a_biased_choice_is_found(tree):
    found = {"test_cities_are_chosen_in_proportion", "test_two_cities_of_weights_two_and_one"}
    assert all(test in tree.check("build/bin/tests/stat_test_tsp_kernels", BIASED.id, test)[1] for test in found)


# ---- A table ----


def test_a_new_table_is_measured_beside_what_was_published(tree, tmp_path):
    assert ["9.9", "table_9_9", "bench/tables/own/table_9_9.c", "9.9"] in [
        line[:4] for line in lines_of(tree.ask("--tables"))
    ]
    planned = lines_of(tree.ask("9.9", "--dry-run"))
    assert planned[1][:4] == ["9.9", "cpu-rejection", "u30", "tsp/cpu-rejection"]
    commands = tree.run("make", "NVCC=", "-n", "bench-9.9")
    assert commands.returncode == 0 and "build/bin/antbench '9.9' --profile 'quick'" in commands.stdout
    code, (row,), shown = tree.drive(tmp_path / "run", "9.9", "--implementations", "tsp/cpu-rejection")
    assert code == command.OK and row["status"] in ("ok", "noisy", "few")
    assert (row["published_id"], row["published_ms"]) == ("thesis-9.9/cpu-rejection/u30", "12.34")
    assert re.search(r"published +12\.34$", shown, re.M)


def test_a_new_table_has_no_limits_but_those_it_names(tree, tmp_path):
    """It leaves out .sets, and .host_steps: the host backend verifies its kernel."""
    code, (row,), _ = tree.drive(tmp_path / "run", "9.9", "--implementations", MINE.id, "--backend", "host")
    assert (code, row["scope"], row["status"]) == (command.OK, "functional", "ok")


def test_a_slip_in_a_table_is_one_line(tree):
    """Of that driver and of what goes over all of them; the others run."""
    mine = tree.path / "bench/tables/own/table_9_7.c"
    text = (DATA / "table_9_9.c").read_text().replace('"9.9"', '"9.7"').replace("table_9_9", "table_9_7")
    mine.write_text(text.replace('"tsp/cpu-rejection"', '"tsp/cpu-rejecton"'))
    said = "bench/tables/own/table_9_7.c: table 9.7, row cpu-rejection: there is no implementation tsp/cpu-rejecton"
    said += "; did you mean tsp/cpu-rejection?"
    try:
        assert tree.make("build/bin/antbench").returncode == 0
        for arguments, prefix in ((["9.7"], "antbench 9.7"), (["--rows"], "antbench"), (["--sets"], "antbench")):
            done = tree.run("build/bin/antbench", *arguments)
            assert (done.returncode, done.stdout, done.stderr) == (command.USAGE, "", f"{prefix}: {said}\n")
        done = tree.run("build/bin/antbench", "--tables")
        assert (done.returncode, done.stderr) == (command.USAGE, f"antbench: {said}\n")
        assert {"3.3", "9.7", "9.9"} <= {line[0] for line in lines_of(done.stdout)}
        tree.ask("9.9", "--dry-run")
        tree.ask("--help")
    finally:
        mine.unlink()
        assert tree.make("build/bin/antbench").returncode == 0


def test_a_kernel_under_another_operation_does_not_link(tree):
    """It would be called with the structs of that operation."""
    lines = tree.registry.read_text()
    assert lines.count('GPU(deposit, "added-by-test"') == 1
    tree.registry.write_text(lines.replace('GPU(deposit, "added-by-test"', 'GPU(choice_info, "added-elsewhere"'))
    try:
        done = tree.make("build/bin/antbench")
        assert done.returncode != 0 and "choice_info_rung_deposit_added_by_test_host" in done.stderr
    finally:
        tree.registry.write_text(lines)
        assert tree.make("build/bin/antbench").returncode == 0


def test_a_new_operation_is_measured(tree, tmp_path):
    assert ["added-by-test/seq", "cpu", "baselines/added_by_test.c"] in [
        line[:3] for line in lines_of(tree.ask("--list"))
    ]
    code, (row,), _ = tree.drive(tmp_path / "run", "9.8")
    assert code == command.OK and row["status"] in ("ok", "noisy", "few")
    assert row["implementation"] == "added-by-test/seq" and "threshold=auto" in row["params"]
    assert "threshold=40" in tree.ask("9.8", "--dry-run", "--set", "threshold=40")


# ---- Index and report ----


def test_nothing_else_is_edited(indexed):
    """What is not ignored and differs: the new files, the registry, and what `make index` writes."""
    changed = {name for name, text in indexed.copied.items() if text != (indexed.path / name).read_bytes()}
    assert changed == {"bench/registry.def", "INDEX.md", "report/rows.csv"}
    registry = "bench/registry.def"
    before, after = indexed.copied[registry].count(b"\n"), (indexed.path / registry).read_bytes().count(b"\n")
    assert after - before == len(KERNELS) + 2 + 3  # the two wrong kernels, the operation


def test_the_index_has_all_of_it(indexed):
    text = (indexed.path / "INDEX.md").read_text()
    listed = (indexed.path / "report/rows.csv").read_text()
    for kernel in KERNELS:
        (line,) = re.findall(rf"^\| {kernel.row} \| {kernel.table}.*{kernel.id} .*$", text, re.M)
        assert f"({kernel.file})" in line and "not measured yet" in line
        assert f",{kernel.table},{kernel.row},{kernel.id}," in listed
    section = text.split("## Table 9.9: Ant System on one core")[1].split("## ")[0]
    assert "(bench/tables/own/table_9_9.c)" in section and "(results/published/thesis-9.9.csv)" in section
    assert "| cpu-rejection | 9.9: fastest CPU | tsp/cpu-rejection |" in section


@contextmanager
def with_the_newest_runs(stored):
    """Of each driver one stored run alone: a report of all is slow, and has the same rows."""
    every = stored.rename(stored.with_name("every"))
    newest = {path.name.split("-", 2)[-1]: path for path in sorted(every.glob("nvidia-h100*/*/"))}
    assert {"3.3", "4.2", "5.1", "6.1"} <= newest.keys()
    for path in newest.values():
        shutil.copytree(path, stored / path.relative_to(every))
    try:
        yield
    finally:
        shutil.rmtree(stored)
        every.rename(stored)


def test_the_report_has_all_of_it(indexed):
    pytest.importorskip("jinja2")
    if not shutil.which("gnuplot"):
        pytest.skip("no gnuplot")
    with with_the_newest_runs(indexed.path / "results/reference"):
        done = indexed.make("report")
    assert done.returncode == 0, done.stderr
    text = (indexed.path / "build/report/report.md").read_text()
    for kernel, section in zip(KERNELS, ("Table 3.3: time", "Table 4.2: an", "§5.5.5: edge", "Table 6.1: edge")):
        (left_out,) = re.findall(
            "Left out, since nothing of them was measured: .*", text.split(section)[1].split("\n###")[0]
        )
        assert f"“{kernel.id.split('/')[1]}”" in left_out, kernel.id
    assert "Table 9.9 (ms) (`make bench-9.9`)" in text  # among those that no run has
    assert "Table 9.9 (ms)" in (indexed.path / "build/report/index.html").read_text()


def test_no_test_of_what_is_written_needs_an_edit(indexed):
    tests = [f"tests/{name}.py" for name in ("scripts/tools/test_index", "scripts/data/test_layouts")]
    tests += ["tests/project/test_published_arithmetic.py"]
    tests += ["tests/scripts/show/test_report.py::test_every_published_cell_of_the_layouts_exists"]
    # `make index` has just written what that one compares.
    tests += ["--deselect", "tests/scripts/tools/test_index.py::test_everything_that_is_generated_is_up_to_date"]
    done = indexed.run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, what="pytest")
    assert done.returncode == 0, done.stdout[-3000:]
