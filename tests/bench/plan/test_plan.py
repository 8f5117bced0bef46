"""What the drivers plan, and that the harness around them knows none of their names.

tests/data/keys/<driver>-<profile>-<host|gpu>.tsv hold the keys of every row (table, row, instance, implementation,
backend, params, scope) that were planned, without a file of TSPLIB and without an image, by the four programs which
came before `antbench DRIVER`, and for later drivers when they were added. Stored runs have those keys, and runs are
compared by them: a row that is called otherwise than before is compared with nothing. What was called i-roulette by
those programs stands there as i-roulette-warp, and what was called data-rw as data-rw-warp; task-thread, data-rw-warp,
race, race-candidates and the i-roulette of today were added when stored runs had them. "asked" in the place of a
profile means profile quick with --instances, ASKED below; "threads=all" stands for the number of usable cores; "gpu" is
what is planned where there is a GPU. Kernels that came later are in none of the files and may be planned besides.
"""

import re
import subprocess
import sys

import pytest

from support.commands import CORES, PROGRAM, ROOT, WITH_GPU, environment_of, implementations, planned, told

KEYS = sorted((ROOT / "tests/data/keys").glob("*.tsv"))
KEY = ["table", "row", "instance", "implementation", "backend", "params", "scope"]
TOURS, IMAGES, FORMULAS = "u60,c300", "lena,hue-128,shapes-37x29", "2^13,k3-n5-m7"
ASKED = {
    **dict.fromkeys(("3.2", "3.3", "4.2", "jpdc-3", "jpdc-4", "jpdc-9", "jsc-1", "improve", "scaling"), TOURS),
    **dict.fromkeys(("5.1", "6.1", "kth-8", "kth-10"), IMAGES),
    **dict.fromkeys(("jsc-3", "jsc-4", "jsc-5"), FORMULAS),
}


def keys_of(path):
    text = path.read_text().replace("threads=all", f"threads={CORES}")
    return [tuple(line.split("\t")) for line in text.splitlines()]


@pytest.fixture(scope="module")
def known():
    """The implementations that there were then."""
    return {key[KEY.index("implementation")] for path in KEYS for key in keys_of(path)}


@pytest.mark.parametrize("path", KEYS, ids=lambda path: path.stem)
def test_rows_are_called_what_they_were_called(path, known, monkeypatch):
    driver, profile, machine = path.stem.rsplit("-", 2)
    if machine == "gpu" and not implementations(backend="cuda"):
        pytest.skip("built without CUDA")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    what = ["--instances", ASKED[driver]] if profile == "asked" else ["--profile", profile]
    rows = planned(*what, driver=driver, program=WITH_GPU if machine == "gpu" else PROGRAM)
    keys = sorted(tuple(row[name] for name in KEY) for row in rows if row["implementation"] in known)
    assert keys == sorted(keys_of(path))


def test_the_keys_are_of_every_driver_and_kernel(known):
    drivers = {line.split("\t")[0] for line in told("--tables").splitlines()[1:]}
    assert {path.stem for path in KEYS} == {
        f"{driver}-{profile}-{machine}"
        for driver in ASKED
        for profile in ("smoke", "quick", "thesis", "asked")
        for machine in ("host", "gpu")
    }
    assert set(ASKED) <= drivers and known <= implementations()


def test_no_two_rows_share_a_key():
    for driver in (line.split("\t")[0] for line in told("--tables").splitlines()[1:]):
        keys = [tuple(row[name] for name in KEY) for row in planned(driver=driver)]
        assert len(set(keys)) == len(keys)


# The child of a small process: what a process was before exec counts as its own, and pytest is large.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)
"""


@pytest.mark.parametrize("profile", ["quick", "thesis"])
def test_a_plan_loads_nothing(profile):
    """Table 6.1 has images of up to 8192 x 8192 pixels, 268 MB each."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", MEASURE, PROGRAM, "6.1", "--dry-run", "--profile", profile],
        cwd=ROOT,
        env=environment_of(),
        capture_output=True,
        text=True,
        check=True,
    )
    code, mebibytes, seconds = map(float, done.stdout.split())
    assert code == 0 and mebibytes < 50 and seconds < 1


# ---- The sources ----


def code_of(path):
    """A C source without its comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(), flags=re.DOTALL)


def literals_of(path):
    code = re.sub(r"^#include.*$", "", code_of(path), flags=re.MULTILINE)
    return re.findall(r'"((?:[^"\\]|\\.)*)"', code)


def harness_files():
    named = {ROOT / "bench/antbench.c", *(ROOT / "bench/tables").glob("*/table_*.c"), *(ROOT / "bench").glob("*")}
    return [path for path in (ROOT / "bench").rglob("*") if path.suffix in (".c", ".h", ".cu") and path not in named]


def test_the_harness_names_no_operation_implementation_or_table():
    ids = implementations()
    operations = {id_.partition("/")[0] for id_ in ids}
    tables = [line.split("\t") for line in told("--tables").splitlines()[1:]]
    names = {*ids, *operations, *(id_.partition("/")[2] for id_ in ids)}
    names |= {line[column] for line in tables for column in (0, 1, 3, 5)} - {""}
    names -= set(re.findall(r"--([a-z-]+)", told("3.3", "--help")))  # canny/runs, and the option --runs
    files = harness_files()
    assert len(files) > 20 and len(names) > 50
    found = [
        (str(path.relative_to(ROOT)), literal)
        for path in files
        for literal in literals_of(path)
        if literal in names or literal.partition("/")[0] in operations
    ]
    assert found == []


DRIVERS = sorted((ROOT / "bench/tables").glob("*/table_*.c")) + sorted(
    (ROOT / "tests/data/additions").glob("table_*.c")
)
TABLE = re.compile(r"static const ab_(set|line|heading|block) \w+\[\] = \{\n(.*?)^\};$", re.DOTALL | re.MULTILINE)
TEXT = r'"(?:[^"\\]|\\.)*"'


def slips_of(source):
    """What in the code of a driver is not data, or not a row a line with its members by name."""
    found = [
        f"runs: {word}"
        for word in re.findall(r"\b(\w*printf|puts|putchar|for|while|do|if|switch|goto)\b", re.sub(TEXT, "", source))
    ]
    defined = re.findall(r"^#define (\w+)((?:.*\\\n)*.*)$", source, re.MULTILINE)
    texts = re.compile(rf"(?:\s|\\\n|{TEXT}|{'|'.join(name for name, _ in defined) or TEXT})+")
    found += [f"a macro that is no text: {name}" for name, value in defined if not texts.fullmatch(value)]
    tables = TABLE.findall(source)
    if len(tables) != len(re.findall(r"\bab_(?:set|line|heading|block) \w+\[\]", source)):
        found.append("a table that does not begin and end with a line of its own")
    for _, rows in tables:
        *lines, last = (line for line in rows.splitlines() if line.strip())
        found += [f"not a row with its members by name: {line}" for line in lines if not is_row(line)]
        found += ["the last row is not {NULL}"] * (last != "    {NULL},")
    return found


def is_row(line):
    """{.row = "race", .implementation = "tsp/race"}, by itself on its line."""
    bare = re.sub(r"\{[^{}]*\}|\([^()]*\)", "x", re.sub(TEXT, "x", line.strip()).removeprefix("{").removesuffix("},"))
    named = all(re.fullmatch(r"\s*\.\w+ = [^=]+", member) for member in bare.split(","))
    return line.startswith("    {.") and line.endswith("},") and named and "{" not in bare


@pytest.mark.parametrize("path", DRIVERS, ids=lambda path: path.name)
def test_a_driver_is_data(path):
    source = code_of(path)
    assert slips_of(source) == [] and len(TABLE.findall(source)) > 2
    assert re.search(rf"^const ab_driver {path.stem} = ", source, re.MULTILINE)


ROW = '    {.row = "race", .implementation = "tsp/race"},'


@pytest.mark.parametrize(
    "before, after, slip",
    [
        (ROW, '    {"race", .implementation = "tsp/race"},', "not a row"),
        (ROW, '    {.row = "race", "tsp/race"},', "not a row"),
        (ROW, f"{ROW} {ROW}", "not a row"),
        (ROW, "    RACE,", "not a row"),
        ("static", '#define RACE {.row = "race"}\nstatic', "a macro"),
        ("static", '#define NN "nn=32"\n#define ROW(x) x\nstatic', "a macro"),
        ("= {\n", "= {", "a table"),
        ("    {NULL},\n", "", "the last row"),
        ("};", "};\nint rows(void) { for (;;) ; }", "runs"),
    ],
)
def test_a_driver_that_is_not_data_is_found(before, after, slip):
    table = f"static const ab_line lines[] = {{\n{ROW}\n    {{NULL}},\n}};\n"
    assert slips_of(table) == [] and slips_of('#define NN "nn=32"\n#define ALL NN \\\n    ";x=1"\n' + table) == []
    assert before in table and any(said.startswith(slip) for said in slips_of(table.replace(before, after, 1)))
