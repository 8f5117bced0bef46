"""Planted faults that only a GPU can show: each patch of tests/planted/gpu_faults put into the real kernels, one at a
time. They are in what the host backend does not compile: assembler, clusters, the grid's barrier, early launches.

    tests/faults/plant_gpu.py build FOLDER [--only G1,G2]    with nvcc; needs no GPU
    tests/faults/plant_gpu.py run FOLDER [--only G1,G2]      on a machine with a GPU; needs no compiler

A patch says in its first lines what is wrong, and `gpu:` the run whose verification must see it. FOLDER/bin gets a
program without a fault, `clean`, and one per fault. FOLDER/project becomes a new copy of the project. `build` takes
CUDA_ARCHS and NVCC as make does, and asks each program on the host backend, which must find nothing. `run` asks each on
the GPU: `clean` must pass, and every other program must end with exit code 4. scripts/check_gpu makes the same runs, and
reports the same exit code.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATCHES = ROOT / "tests/planted/gpu_faults"
CLEAN, PROGRAM = "clean", "build/bin/antbench"
RIGHT, WRONG, NO_GPU = 0, 4, 77
RUN = ["--quiet", "--profile", "smoke", "--processes", "1", "--runs", "1", "--iterations", "2", "--out"]
LIMIT_S = 120


def run_of(patch):
    """The arguments of the run that must see the fault."""
    head = patch.read_text(encoding="utf-8").split("\n--- ", 1)[0].splitlines()
    return dict(line.split(": ", 1) for line in head)["gpu"].split()


def ask(program, arguments, backend):
    """The exit code of a program's run; None if the run takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program.absolute(), *arguments, "--backend", backend, *RUN, f"{folder}/run"]
        try:
            return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=LIMIT_S).returncode
        except subprocess.TimeoutExpired:
            return None


def copy_project(to):
    listing = ["git", "ls-files", "-co", "--exclude-standard"]
    for name in subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
        if not name.startswith("results/") and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)  # temporary: a new folder


def make(project, program):
    given = [f"{name}={os.environ[name]}" for name in ("NVCC", "CUDA_ARCHS") if os.environ.get(name)]
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", *given, PROGRAM], cwd=project, check=True)
    shutil.copy2(project / PROGRAM, program)  # temporary: the folder of builds


def build(folder, patches):
    """Whether the host backend finds nothing in any program."""
    project, right = folder / "project", True
    if project.exists():  # objects of the last patch would be newer than the copied sources
        shutil.rmtree(project)
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    copy_project(project)
    make(project, folder / "bin" / CLEAN)
    for patch in patches:
        subprocess.run(["patch", "-p1", "-s", "-i", patch], cwd=project, check=True)
        try:
            make(project, folder / "bin" / patch.stem)
        finally:
            subprocess.run(["patch", "-p1", "-s", "-R", "-i", patch], cwd=project, check=True)
        code = ask(folder / "bin" / patch.stem, run_of(patch), "host")
        right &= code == RIGHT
        print(f"{patch.stem}: on the host backend exit code {code}, expected {RIGHT}", flush=True)
    return right


def run(folder, patches):
    """Whether the GPU shows every fault, and nothing without one."""
    right = True
    for patch in patches:
        for program, expected in ((CLEAN, RIGHT), (patch.stem, WRONG)):
            code = ask(folder / "bin" / program, run_of(patch), "cuda")
            if code == NO_GPU:
                sys.exit(NO_GPU)
            right &= code == expected
            print(f"{patch.stem}: {program} exit code {code}, expected {expected}", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("build", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="names of patches (default: all)")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else []
    patches = [patch for patch in sorted(PATCHES.glob("*.patch")) if not only or patch.stem in only]
    right = (build if options.what == "build" else run)(options.folder.absolute(), patches)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
