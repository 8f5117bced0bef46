"""What a project's visitors expect: workflows that are pinned, scripts that linters pass, files that say the same."""

import os
import re
import shutil
import subprocess

import pytest

from support.commands import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "docs/workflows").glob("*.yml"))
# What the jobs of a workflow may write: what deploying takes, and a draft of a release.
MAY_WRITE = {"pages": ["pages", "id-token"], "release": ["contents"]}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_pinned_and_may_read_alone(path):
    text = path.read_text()
    used = re.findall(r"uses: (.*)", text)
    assert used and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action) for action in used)
    assert re.search(r"^permissions:\n  contents: read\n\n", text, re.M)
    assert re.findall(r"([\w-]+): write", text) == MAY_WRITE.get(path.stem, []) and "write-all" not in text
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")
    assert text.count("timeout-minutes:") == len(re.findall(r"^  \w+:\n(?:    .*\n)*?    runs-on:", text, re.M))


@pytest.mark.parametrize(
    "command",
    [
        ["actionlint"],
        ["actionlint", *EXAMPLES],
        ["zizmor", "--offline", "-q", ".github", "action.yml", *EXAMPLES],
        ["ruff", "check", "packaging", "scripts", "tests"],
        ["mypy"],
    ],
)
def test_linters_that_are_here_have_nothing_to_say(command):
    if not shutil.which(command[0]):
        pytest.skip(f"no {command[0]}")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="no shellcheck")
def test_shellcheck_has_nothing_to_say():
    candidates = [path for path in [*ROOT.glob("scripts/*"), *ROOT.glob("*/fetch"), ROOT / ".ci/run"] if path.is_file()]
    scripts = [
        path for path in candidates if path.read_bytes()[:40].startswith(b"#!") and b"sh\n" in path.read_bytes()[:40]
    ]
    assert len(scripts) > 8
    done = subprocess.run(["shellcheck", *scripts, ROOT / "scripts/completion.bash"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def make_says(what, *arguments):
    """What a variable of the Makefile is, whatever the one who runs the tests has set."""
    own = {
        name: value for name, value in os.environ.items() if name not in ("CUDA_ARCHS", "MAKEFLAGS", "MAKEOVERRIDES")
    }
    text = f"include Makefile\nshow:;@echo '{what}'\n"
    done = subprocess.run(
        ["make", "-s", "--no-print-directory", "-f", "-", "show", *arguments],
        cwd=ROOT,
        env=own,
        input=text,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def tool(path, script):
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
    return path


def test_a_warning_is_an_error_where_that_is_asked_for():
    assert "-Werror" not in make_says("$(CFLAGS) $(CXXFLAGS)", "WERROR=")[0]
    assert make_says("$(CFLAGS) $(CXXFLAGS)", "WERROR=1")[0].count("-Werror") == 2
    assert "WERROR=1" in (ROOT / ".ci/run").read_text()


def test_libraries_are_shared_where_there_is_no_archive(tmp_path):
    assert "-l:libjansson.a" in make_says("$(DATA_LIBS)")[0]
    compiler = tool(
        tmp_path / "c++", 'echo "${1#-print-file-name=}"'
    )  # what a compiler says of a file that it does not find
    assert make_says("$(DATA_LIBS)", f"CXX={compiler}")[0].split() == [
        "-ljansson",
        "-lcsv",
        "-lboost_context",
        "-lnettle",
        "-lpng16",
        "-ljpeg",
        "-lz",
    ]


def test_only_architectures_that_nvcc_knows(tmp_path):
    knows = "printf 'compute_%s\\n' {}"
    nvcc = tool(tmp_path / "nvcc", f'[ "$1" != --list-gpu-arch ] || {knows.format("60 75 80 86 89 90")}')
    elsewhere = "GPU_ARCHS=", "BUILT_ARCHS="
    assert make_says("$(ARCHS)", f"NVCC={nvcc}", *elsewhere)[0] == "75 80 90"
    assert make_says("$(ARCHS)", f"NVCC={nvcc}", "CUDA_ARCHS=61")[0] == "61"  # who names one knows
    of_gpu, said = make_says("$(ARCHS)", f"NVCC={nvcc}", "GPU_ARCHS=80", "BUILT_ARCHS=90")
    assert (of_gpu, said) == ("80 90", "")
    other, said = make_says("$(ARCHS)", f"NVCC={nvcc}", "GPU_ARCHS=120", "BUILT_ARCHS=")
    assert other == "75 80 90" and "does not know compute capability 120 of the GPU here" in said
    old = tool(tmp_path / "old", "exit 1")  # one that cannot be asked
    assert make_says("$(ARCHS)", f"NVCC={old}", *elsewhere)[0] == "75 80 90"


def test_the_container_takes_what_make_deps_takes():
    """Its first stage runs scripts/deps without the part that installs nvcc."""
    text = (ROOT / "Containerfile").read_text()
    (cut,) = re.findall(r"sed -i '(.*?)' scripts/deps", text)
    short = subprocess.run(["sed", cut, ROOT / "scripts/deps"], capture_output=True, text=True, check=True).stdout
    assert (
        short.rstrip().endswith("\ninstall_packages")
        and subprocess.run(["bash", "-n"], input=short, text=True).returncode == 0
    )
    assert all(target in text for target in ("AS cpu", "AS cuda", "make install"))


def test_every_target_that_documents_name_is_there():
    targets = set(re.findall(r"^([\w.%-]+):", (ROOT / "Makefile").read_text(), re.M))
    for name in (
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/guide/ci.md",
        "docs/guide/running.md",
        "docs/guide/features.md",
    ):
        commands = re.findall(r"(?:`|^    )make ((?:[a-z][\w.-]* ?)+)(?=[`A-Z\n=]|$)", (ROOT / name).read_text(), re.M)
        named = {target for command in commands for target in command.split()}
        assert named, name
        assert not {target for target in named - targets if not target.startswith("bench-")}, name


def features():
    """{feature: its other cells} of both tables of docs/guide/features.md."""
    own, others = (
        [
            line.removeprefix("| ").removesuffix(" |").split(" | ")
            for line in table.partition("\n\n")[0].splitlines()[1:]
        ]
        for table in re.split(r"^\|(?:---\|){3,7}$", (ROOT / "docs/guide/features.md").read_text(), flags=re.M)[1:3]
    )
    assert [line[0] for line in own] == [line[0] for line in others]
    return {line[0]: [*line[1:], *beside[1:]] for line, beside in zip(own, others)}


def test_every_feature_has_a_word_on_every_harness_and_what_shows_it():
    found = features()
    assert len(found) == 32 and all(len(cells) == 8 for cells in found.values())
    for feature, (own, shown, *others) in found.items():
        assert all(re.match(r"(yes|partly|no)\b|\?$", cell) for cell in (own, *others)), feature
        assert own.startswith("no") or shown, feature


def test_what_shows_a_feature_is_there():
    targets = set(re.findall(r"^([\w.%-]+):", (ROOT / "Makefile").read_text(), re.M))
    for feature, (_, shown, *_) in features().items():
        for command in re.findall(r"`(make [^`]*)`", shown):
            target = command.split()[1]
            assert target in targets or target.startswith("bench-"), feature
            for arguments in re.findall(r'ARGS="?([^"]*)', command) if target.startswith("bench-") else []:
                driver = [
                    "build/bin/antbench",
                    target.removeprefix("bench-"),
                    *arguments.split(),
                    "--dry-run",
                    "--quiet",
                    "--instances",
                ]
                drawn = "shapes-128" if target == "bench-5.1" else "u30"
                assert subprocess.run([*driver, drawn], cwd=ROOT, capture_output=True).returncode in (0, 77), command
        for path in re.findall(r"`(scripts/\w+)", shown):
            assert (ROOT / path).is_file(), feature
        for column in re.findall(r"`(\w+)`(?=.* in the table)", shown):
            assert column in (ROOT / "docs/guide/columns.md").read_text(), feature


MOST_HEADER_LINES = 15
HEADER = re.compile(r"/\*.*?\*/", re.S)
COMMIT = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b|(?<=commit )[0-9a-f]{7,40}\b")


def is_contract(path):
    """A header named like its folder says what an operation is: it is as long as that takes."""
    return path.name == f"{path.parent.name}.h"


def header_problems(path, text):
    """What is wrong with the first comment of a file."""
    header = HEADER.match(text)
    if not header:
        return ["begins with no comment: write what the file does"]
    lines = header[0].count("\n") + 1
    too_long = lines > MOST_HEADER_LINES and not is_contract(path)
    found = [f"header of {lines} lines, {MOST_HEADER_LINES} at most: move what is past to docs/log"] if too_long else []
    return found + [f"header names commit {commit}: move it to docs/log" for commit in COMMIT.findall(header[0])]


def test_headers_of_kernels_and_baselines_are_short_and_name_no_commit():
    paths = [path for room in ("kernels", "baselines") for path in sorted((ROOT / room).rglob("*.*"))]
    paths = [path for path in paths if path.suffix in (".c", ".h", ".cu")]
    assert len(paths) > 150
    named = {path.relative_to(ROOT).as_posix(): header_problems(path, path.read_text("utf-8")) for path in paths}
    assert {name: found for name, found in named.items() if found} == {}


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("tsp/race.cu", "/* A race.\n" + " *\n" * 13 + " */\n", None),
        ("tsp/race.cu", "/* A race.\n" + " *\n" * 14 + " */\n", "header of 16 lines"),
        ("tsp/race.h", "/* A race.\n" + " *\n" * 14 + " */\n", "header of 16 lines"),
        ("tsp/tsp.h", "/* Ant System.\n" + " *\n" * 14 + " */\n", None),
        ("tsp/tsp.h", "/* Ant System.\n * Kernels of 16554f9.\n */\n", "names commit 16554f9"),
        ("tsp/race.cu", "/* Since commit 1234567. */\n", "names commit 1234567"),
        ("tsp/race.cu", "/* 1234567 cities, 0x12ab34cd, sfc32. */\n", None),
        ("tsp/race.cu", "/* A race. */\n/* Of 16554f9. */\n", None),
        ("tsp/race.cu", "#include <math.h>\n/* A race. */\n", "begins with no comment"),
    ],
)
def test_a_long_header_and_one_with_a_commit_are_named(name, text, says):
    found = header_problems(ROOT / "kernels" / name, text)
    assert [says in problem for problem in found] == [True] * len(found) if says else found == []
    assert bool(found) == bool(says)


MOST_STORED = 70_000_000  # bytes of results/, as git lists them; a machine of profile thesis has 5 million


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no git, which lists the files")
def test_stored_results_are_small_and_their_samples_compressed():
    listed = subprocess.run(["git", "ls-files", "-z", "results"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]
    assert len(paths) > 100 and sum(path.stat().st_size for path in paths) < MOST_STORED
    assert [path for path in paths if path.name == "samples.csv"] == []


def test_kernels_that_draw_are_those_whose_numbers_a_test_hears():
    drawing = r'#include "kernels/(?:cuda/cuda_random|host/philox|philox)\.h"|SplitMix64|splitmix64'
    kernels = [*ROOT.glob("kernels/*/*.cu"), *ROOT.glob("kernels/*/*/*.cu"), *ROOT.glob("kernels/*/*.h")]
    draw = {path.parts[len(ROOT.parts) + 1] for path in kernels if re.search(drawing, path.read_text())}
    heard = re.findall(r'next_of\("([\w-]+)", ON_HOST', (ROOT / "tests/kernels/test_streams.c").read_text())
    assert draw - {"cuda", "host"} == {operation.replace("-", "_") for operation in heard}
