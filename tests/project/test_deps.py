"""make deps on machines of other kinds: what it calls is stood in for by scripts that say so."""

import re
import shutil
import subprocess

import pytest

from support.commands import ROOT

TOOLS = ("bash", "sed", "awk", "grep", "cut", "tr", "head", "dirname", "rm", "cp", "env", "mkdir", "chmod")


@pytest.fixture
def machine(tmp_path):
    """Runs scripts/deps where there is nothing but what is named: machine(sudo="exec \"$@\"", ...) is (exit code, all that it said)."""
    tree, path = tmp_path / "tree", tmp_path / "bin"
    (tree / "scripts").mkdir(parents=True)
    path.mkdir()
    script = (
        (ROOT / "scripts/deps").read_text().replace("/usr/local/cuda", str(tmp_path / "cuda"))
    )  # this machine may have one
    (tree / "scripts/deps").write_text(script)
    (tree / "scripts/deps").chmod(0o755)
    shutil.copy(ROOT / "packages.txt", tree)
    for tool in TOOLS:
        (path / tool).symlink_to(shutil.which(tool))

    def run(user=1000, environment=None, terminal_says=None, **programs):
        for name, script in {"id": f"echo {user}", "python3": "exit 1", "dpkg-query": "false", **programs}.items():
            file = path / name.replace("_", "-")
            file.write_text(f"#!{shutil.which('bash')}\n{script}\n")
            file.chmod(0o755)
        command = [tree / "scripts/deps"]
        if terminal_says is not None:
            command = [shutil.which("script"), "-qec", str(command[0]), "/dev/null"]
        done = subprocess.run(
            command,
            env={"PATH": str(path), "SHELL": shutil.which("bash"), **(environment or {})},
            input=terminal_says or "",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout

    return run


APT = 'echo "apt-get of $(id -u): $*" >&2'
SUDO = 'echo sudo was called >&2; exec "$@"'


def test_unattended_it_installs_with_sudo(machine):
    code, said = machine(apt_get=APT, sudo=SUDO)
    assert code == 0 and "apt-get of 1000: update -qq" in said
    assert "install -y -qq --no-install-recommends gcc g++ make" in said and said.count("sudo was called") == 2
    assert said.index("deps: to be installed: gcc g++ make") < said.index("sudo was called")


def test_root_needs_no_sudo(machine):
    code, said = machine(user=0, apt_get=APT)
    assert code == 0 and "install -y -qq --no-install-recommends gcc" in said and "sudo was called" not in said


def test_what_is_installed_is_not_installed_again(machine):
    has_all_but_patch = '[ "${!#}" = patch ] || echo "install ok installed"'
    _, said = machine(apt_get=APT, sudo=SUDO, dpkg_query=has_all_but_patch)
    assert "--no-install-recommends patch\n" in said
    _, said = machine(apt_get=APT, sudo=SUDO, dpkg_query='echo "install ok installed"')
    assert "deps: all packages of packages.txt are installed" in said and "sudo was called" not in said


def test_without_sudo_it_says_what_root_would_do_and_goes_on(machine):
    code, said = machine(apt_get=APT)
    assert code == 0 and "deps: not installed; as root: apt-get install --no-install-recommends gcc g++" in said
    assert "apt-get of" not in said and "installing CUDA 13.0 from NVIDIA's wheels" in said


@pytest.mark.skipif(not shutil.which("script"), reason="no script(1), which makes a terminal")
@pytest.mark.parametrize(
    "answer, environment, installs",
    [("n\n", {}, False), ("\n", {}, True), ("y\n", {}, True), ("n\n", {"YES": "1"}, True)],
)
def test_on_a_terminal_it_asks(machine, answer, environment, installs):
    code, said = machine(apt_get=APT, sudo=SUDO, environment=environment, terminal_says=answer)
    assert code == 0 and ("sudo was called" in said) == installs
    assert ("install them with sudo? [Y/n]" in said) == (not environment)


def test_elsewhere_it_names_the_packages(machine):
    code, said = machine(dnf="exit 1")
    assert code == 0 and "deps: dnf install gcc gcc-c++ make" in said and "jansson-devel" in said and " - " not in said
    assert "deps: and, where it has them: cadical" in said
    assert "installing CUDA 13.0" in said  # which needs no root


def test_on_arch_likewise(machine):
    _, said = machine(pacman="exit 1")
    assert "deps: pacman -S --needed gcc make git" in said and "where it has them: libcsv-dev cadical" in said


def test_where_nothing_is_known(machine):
    code, said = machine()
    assert code == 0 and "deps: no apt-get, dnf or pacman here" in said


@pytest.mark.parametrize("driver, is_old", [("550.54.14", True), ("580.65.06", False)])
def test_an_old_driver_gets_no_compiler_that_it_cannot_run(machine, driver, is_old):
    code, said = machine(user=0, apt_get=APT, nvidia_smi=f"echo {driver}")
    assert code == 0
    assert ("deps: driver 550 runs programs of CUDA 12" in said) == is_old and (
        "installing CUDA 13.0" in said
    ) != is_old
    assert "built without the CUDA backend" in said


def test_an_nvcc_that_is_there_is_taken(machine):
    _, said = machine(user=0, apt_get=APT, nvcc="exit 0")
    assert "deps: nvcc is " in said and "installing CUDA" not in said


# ---- compute-sanitizer ----

# A pip that leaves the program of the wheel in the folder after --target, and a python3 -m venv FOLDER that leaves this
# pip.
PIP = f"""#!{shutil.which("bash")}
echo "pip: $*" >&2
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/nvidia/cu13/bin"
echo > "$2/nvidia/cu13/bin/compute-sanitizer"
"""
VENV = f"""mkdir -p "$3/bin"; printf %s '{PIP}' > "$3/bin/pip"; chmod +x "$3/bin/pip" """


def test_a_gpu_without_compute_sanitizer_gets_nvidias(machine):
    with_gpu = {"user": 0, "apt_get": APT, "nvcc": "exit 0", "nvidia_smi": "echo 580.65.06", "python3": VENV}
    code, said = machine(**with_gpu)
    assert code == 0 and "--require-hashes" in said and "scripts/wheels/sanitizer.txt" in said
    assert "deps: compute-sanitizer is build/cuda-toolkit/nvidia/cu13/bin/compute-sanitizer" in said
    _, said = machine(**with_gpu)
    assert "pip: " not in said and "deps: compute-sanitizer is build/cuda-toolkit" in said


def test_one_that_is_there_is_taken(machine):
    _, said = machine(
        user=0, apt_get=APT, nvcc="exit 0", nvidia_smi="echo 580.65.06", compute_sanitizer="exit 0", python3=VENV
    )
    assert "pip: " not in said and "/bin/compute-sanitizer" in said


@pytest.mark.parametrize("nvidia_smi", ["exit 9", "echo NVIDIA-SMI has failed; exit 9", "echo 550.54.14"])
def test_without_a_gpu_that_can_use_it_there_is_none(machine, nvidia_smi):
    code, said = machine(user=0, apt_get=APT, nvcc="exit 0", nvidia_smi=nvidia_smi, python3=VENV)
    assert code == 0 and "compute-sanitizer" not in said


def test_where_it_cannot_be_had_that_is_said(machine):
    code, said = machine(user=0, apt_get=APT, nvcc="exit 0", nvidia_smi="echo 580.65.06")
    assert code == 0 and "deps: compute-sanitizer could not be installed: make check-gpu will not run" in said


def test_packages_have_a_name_everywhere():
    lines = [line.partition("#")[0].split() for line in (ROOT / "packages.txt").read_text().splitlines()]
    assert all(len(line) in (0, 3) for line in lines)


# ---- Wheels ----


@pytest.mark.parametrize("path", sorted((ROOT / "scripts/wheels").glob("*.txt")), ids=lambda path: path.stem)
def test_each_wheel_has_a_version_and_the_hashes_of_two_processors(path):
    wheels = path.read_text().replace("\\\n", " ").splitlines()[1:]
    assert wheels
    for wheel in wheels:
        assert re.fullmatch(r"nvidia-[a-z-]+==[\d.]+( +--hash=sha256:[0-9a-f]{64}){2}", wheel), wheel
