"""The build: other flags build all objects again, and what meta.json says of the kernels does not depend on the folder."""

import os
import re
import shutil
import subprocess

import pytest

from antbench.data.command import BadInput
from antbench.tools import tests_of
from support.commands import ROOT


def make(folder, *arguments):
    done = subprocess.run(["make", "-C", folder, "--no-print-directory", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of what the objects below are made of."""
    folder = tmp_path_factory.mktemp("tree")
    for name in ("Makefile", "base", "bench", "kernels", "scripts", "images", "instances", "tours", "baselines", "mpi"):
        source = ROOT / name
        shutil.copytree(source, folder / name) if source.is_dir() else shutil.copy(source, folder / name)
    return folder


OBJECTS = ["build/obj/base/names.o", "build/obj/base/status.o"]


@pytest.mark.parametrize("change", ["CC=gcc -pipe", "CFLAGS=-std=c11 -O1 -D_GNU_SOURCE -I. -Ibuild/gen"])
def test_other_flags_build_again(tree, change):
    make(tree, *OBJECTS)
    assert "  cc\t" not in make(tree, *OBJECTS)
    assert len(re.findall(r"  cc\t", make(tree, *OBJECTS, change))) == len(OBJECTS)
    assert len(re.findall(r"  cc\t", make(tree, *OBJECTS))) == len(OBJECTS)  # and back


def test_a_new_line_of_the_registry_compiles_one_file_again():
    """Adding a kernel is a file and a line: what the line is part of is compiled again."""
    built = [path for path in ROOT.glob("build/*/**/*.d") if path.relative_to(ROOT).parts[1] not in ("dist", "gen")]
    if not built:
        pytest.skip("not built here")
    assert {path.stem for path in built if "bench/registry.def" in path.read_text()} == {"registry"}


def test_operations_are_known_in_every_locale(monkeypatch):
    """In Turkish, where it is installed, a range from a to z lacks i."""
    found = []
    for locale in ("C", "tr_TR.UTF-8"):
        monkeypatch.setenv("LC_ALL", locale)
        done = subprocess.run(["make", "-pn", "NVCC=", "help"], cwd=ROOT, capture_output=True, text=True)
        found.append(re.findall(r"^OPERATIONS := .*\bchoice_info\b.*", done.stdout, re.M))
    assert found[0] and found[0] == found[1]


def test_test_programs_share_a_library():
    found = [*ROOT.glob("build/san/tests/test_*"), *ROOT.glob("build/bin/tests/*"), *ROOT.glob("build/san/*.so")]
    programs = [path for path in found if path.is_file() and path.suffix in ("", ".so")]
    if not programs:
        pytest.skip("not built here")
    assert sum(path.stat().st_size for path in programs) < 400e6  # 2 GB without a shared library


@pytest.mark.skipif(
    not shutil.which("clang") or not (ROOT / "build/faults/inject.so").exists(), reason="no clang, or tests not built"
)
@pytest.mark.parametrize("reader", sorted(path.name for path in (ROOT / "tests/corpus").iterdir()))
def test_the_readers_are_built_for_libfuzzer_too(reader, tmp_path):
    done = subprocess.run(
        [ROOT / "build/fuzz/readers", "-runs=0", ROOT / "tests/corpus" / reader],
        cwd=tmp_path,
        env={**os.environ, "READER": reader},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and re.search(r"DONE +cov: [1-9]", done.stderr), done.stderr


def test_every_implementation_has_tests_of_its_own():
    ids = tests_of.registered()
    assert len(ids) > 50 and {tests_of.BACKENDS["CPU"], tests_of.BACKENDS["GPU"]} == set(ids.values())
    programs = {id: tests_of.programs_of(id) for id in ids}
    assert "build/san/tests/test_tsp_kernels" in programs["tsp/race"]
    assert "build/bin/tests/stat_test_tsp_choices" in programs["tsp/race"]
    assert "build/san/tests/test_baselines" in programs["tsp/cpu-rejection"]
    assert "build/san/tests/test_baselines" not in programs["tsp/race"]
    for wrong, said in {"tsp/raec": "did you mean tsp/race?", "sobel/mine": "Add a kernel", "tsp": "--list"}.items():
        with pytest.raises(BadInput, match=re.escape(said)):
            tests_of.programs_of(wrong)


@pytest.mark.parametrize("library", ["lib64", "lib", "lib/x86_64-linux-gnu", None])
def test_cudnn_is_used_where_header_and_library_are(tree, tmp_path, library):
    (tmp_path / "include").mkdir()
    (tmp_path / "include/cudnn.h").touch()
    if library:
        (tmp_path / library).mkdir(parents=True)
        (tmp_path / library / "libcudnn.so.9").touch()
    make(tree, "build/gen/config.h", "NVCC=true", f"CUDNN_HOME={tmp_path}")
    assert ("#define AB_WITH_CUDNN 1" in (tree / "build/gen/config.h").read_text()) == (library is not None)


def test_cudnns_version_is_of_its_header(tree, tmp_path):
    (tmp_path / "cudnn_version.h").write_text(
        "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 19\n#define CUDNN_PATCHLEVEL 1\n"
        "#define CUDNN_VERSION (CUDNN_MAJOR * 10000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)\n"
    )
    told = subprocess.run(
        ["scripts/build_info", "gcc", "", "", "", "", "", "", tmp_path], cwd=tree, capture_output=True, text=True
    )
    assert '#define AB_CUDNN_VERSION "9.19.1"' in told.stdout
    assert '#define AB_NPP_VERSION ""' in told.stdout


def nvcc():
    return shutil.which("nvcc") or next((str(path) for path in ROOT.glob("build/cuda-toolkit/nvidia/*/bin/nvcc")), None)


@pytest.mark.skipif(not nvcc(), reason="no nvcc")
def test_other_architectures_build_again_and_the_hash_is_the_same_in_every_folder(tree, tmp_path):
    objects, names = ["build/cuda/kernels/tsp/steps/evaporate.o", "build/cuda/kernels/canny/connect.o"], {}
    with_call = "build/cuda/kernels/tsp/race_each.o"  # of a device function that nvcc does not inline
    other = tmp_path / "a folder of another name"
    shutil.copytree(tree, other, ignore=shutil.ignore_patterns("build"))
    for folder in (tree, other):
        make(folder, *objects, with_call, "CUDA_ARCHS=80", f"NVCC={nvcc()}")
        names[folder] = hashes(folder, [*objects, with_call])
    assert names[tree] == names[other] and "kernels/tsp/steps/evaporate.cu" in names[tree]
    assert "nvcc" in make(tree, *objects, "CUDA_ARCHS=90", f"NVCC={nvcc()}")
    assert not names[tree].startswith(hashes(tree, objects))


def test_no_name_depends_on_the_folder():
    """nvcc puts a hash of the current folder into the names of static functions that it does not inline and of their
    arrays, but not of kernels.
    """
    sources = [path for suffix in ("cu", "h") for path in (ROOT / "kernels").rglob(f"*.{suffix}")]
    functions = [
        (path.name, *found)
        for path in sources
        for found in re.findall(r"^([^\n]*__device__ [^;{}]*)\{\n(.*?)^\}", path.read_text("utf-8"), re.M | re.S)
    ]
    named = [(name, head) for name, head, body in functions if "SHARED(" in body or "noinline" in head]
    assert len(functions) > 200 and {"labels.h", "runs.cu", "race_each.cu"} <= {name for name, _ in named}
    assert [(name, head) for name, head in named if "static " in head] == []


NVCC = """#!/bin/bash
case $1 in
    --list-gpu-arch) printf 'compute_%s\\n' 75 80 86 90 100 120 ;;
    --version | --dryrun) ;;
    *) touch "${@: -1}" ;;
esac
"""


def test_architectures_are_remembered_without_a_gpu_too(tree, tmp_path):
    """What was built for 90 alone is not built again for all GPUs by the next command that builds."""
    fake = tmp_path / "nvcc"
    fake.write_text(NVCC)
    fake.chmod(0o755)

    def built(*arguments):
        """(what was compiled, for what) by make."""
        told = make(
            tree, "build/cuda/kernels/tsp/steps/evaporate.o", f"NVCC={fake}", "GPU_ARCHS=", "CUDA_ARCHS=", *arguments
        )
        return "  nvcc" in told, (tree / "build/gen/archs").read_text().split()

    assert built("CUDA_ARCHS=100 90") == (True, ["90", "100"])
    assert built() == (False, ["90", "100"])
    assert built("CUDA_ARCHS=default") == (True, ["75", "80", "90"])
    assert built() == (False, ["75", "80", "90"])
    assert built("GPU_ARCHS=86") == (True, ["75", "80", "86", "90"])


def hashes(folder, objects):
    text = subprocess.run(
        ["scripts/build_info", "gcc", "", nvcc(), "80", "", "", "", "", *objects],
        cwd=folder,
        capture_output=True,
        text=True,
    ).stdout
    return re.search(r'AB_KERNEL_HASHES "(.*)"', text)[1]
