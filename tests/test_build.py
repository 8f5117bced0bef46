"""The build: other flags build all objects again, and what meta.json says of the kernels does not depend on the folder."""

import re
import shutil
import subprocess

import pytest

from support.commands import ROOT


def make(folder, *arguments):
    done = subprocess.run(["make", "-C", folder, "--no-print-directory", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of what the objects below are made of."""
    folder = tmp_path_factory.mktemp("tree")
    for name in ("Makefile", "base", "bench", "kernels", "scripts", "images", "instances", "tours", "baselines"):
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
    objects, names = ["build/cuda/kernels/tsp/evaporate.o"], {}
    other = tmp_path / "a folder of another name"
    shutil.copytree(tree, other, ignore=shutil.ignore_patterns("build"))
    for folder in (tree, other):
        make(folder, *objects, "CUDA_ARCHS=80", f"NVCC={nvcc()}")
        names[folder] = hashes(folder, objects)
    assert names[tree] == names[other] and "kernels/tsp/evaporate.cu" in names[tree]
    assert "nvcc" in make(tree, *objects, "CUDA_ARCHS=90", f"NVCC={nvcc()}")
    assert hashes(tree, objects) != names[tree]


def hashes(folder, objects):
    text = subprocess.run(
        ["scripts/build_info", "gcc", "", nvcc(), "80", "", "", "", "", *objects],
        cwd=folder,
        capture_output=True,
        text=True,
    ).stdout
    return re.search(r'AB_KERNEL_HASHES "(.*)"', text)[1]
