"""antbench doctor, end to end: on a machine whose files, GPU and driver say what a test wants."""

import json
import os
import subprocess

import pytest

from antbench.data import runs
from support import fake_nvml, fake_system
from support.commands import PROGRAM, ROOT, WITH_GPU, drive, one_line

GPU = ["driver", "clock", "persistence", "ECC", "MIG", "power", "processes", "PCIe", "temperature", "slowdown", "NUMA"]
MACHINE = ["governor", "virtual", "steal", "load", "memory", "disk"]
WELL = {
    "FAKE_SM_MHZ": "1410", "FAKE_MOST_SM_MHZ": "1980", "FAKE_THROTTLE": "0x2", "FAKE_PERSISTENCE": "1",
    "FAKE_ECC": "1", "FAKE_ECC_NEXT": "1", "FAKE_MEMORY_ERRORS": "0", "FAKE_MIG": "0",
    "FAKE_LIMIT_MILLIWATT": "700000", "FAKE_DEFAULT_MILLIWATT": "700000", "FAKE_PROCESSES": "1",
    "FAKE_PCIE": "5", "FAKE_MOST_PCIE": "5", "FAKE_LANES": "16", "FAKE_MOST_LANES": "16",
    "FAKE_CELSIUS": "40", "FAKE_MARGIN": "45",
}  # fmt: skip


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A function that puts a text into a file of a system that spoils nothing, beside a GPU that is well."""
    fake_nvml.put_first(tmp_path, monkeypatch)
    for name, value in {**fake_system.preloaded(FAKE_ALONE="1"), "FAKE_ROOT": str(tmp_path / "root"), **WELL}.items():
        monkeypatch.setenv(name, value)

    def tell(path, text):
        there = tmp_path / "root" / path
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(text)

    for core in os.sched_getaffinity(0):
        tell(f"sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor", "performance\n")
    tell("sys/devices/system/node/online", "0\n")
    tell("proc/stat", "cpu  1 1 1 9 0 0 0 0 0 0\n" + "".join(f"cpu{i} 1 1 1 9 0 0 0 5 0 0\n" for i in range(64)))
    tell("proc/meminfo", "MemAvailable: 16777216 kB\n")
    return tell


def doctor(*arguments, program=PROGRAM):
    return subprocess.run(
        [program, "doctor", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def findings(done):
    """{what: (verdict, value, advice)} of what is printed."""
    found, what = {}, ""
    for line in done.stdout.splitlines():
        if line.startswith(" " * 25 + " -> "):
            found[what] = (*found[what][:2], line.split("-> ", 1)[1])
        else:
            what, verdict, value = line[:12].strip(), line[13:25].strip(), line[26:]
            found[what] = (verdict, value, "")
    return found


def test_a_machine_that_spoils_nothing(machine):
    done = doctor("--backend", "cpu")
    found = findings(done)
    assert (done.returncode, done.stderr) == (0, "") and list(found) == MACHINE
    assert found["governor"] == ("ok", "performance", "") and found["memory"] == ("ok", "16.0 GiB free", "")
    assert all(verdict == "ok" and not advice for verdict, _, advice in found.values()), found


def test_a_gpu_that_is_well_but_for_its_driver_of_which_the_fake_does_not_tell(machine):
    done = doctor(program=WITH_GPU)
    found = findings(done)
    assert done.returncode == 0 and list(found) == [*GPU, *MACHINE]
    assert {what for what, (verdict, *_) in found.items() if verdict != "ok"} == {"driver"}
    assert found["clock"] == ("ok", "held at 1410 of 1980 MHz", "")


@pytest.mark.parametrize(
    "what, name, value",
    [
        ("clock", "FAKE_SM_MHZ", "1980"), ("persistence", "FAKE_PERSISTENCE", "0"), ("ECC", "FAKE_ECC_NEXT", "0"),
        ("ECC", "FAKE_MEMORY_ERRORS", "2"), ("MIG", "FAKE_MIG", "1"), ("power", "FAKE_LIMIT_MILLIWATT", "500000"),
        ("processes", "FAKE_PROCESSES", "2"), ("PCIe", "FAKE_PCIE", "3"), ("PCIe", "FAKE_LANES", "8"),
        ("temperature", "FAKE_MARGIN", "3"), ("slowdown", "FAKE_THROTTLE", "0x42"),
    ],
)  # fmt: skip
def test_what_spoils_the_gpus_times_is_found(machine, monkeypatch, what, name, value):
    monkeypatch.setenv(name, value)
    done = doctor(program=WITH_GPU)
    verdicts = {each: found[0] for each, found in findings(done).items()}
    assert done.returncode == 5 and findings(done)[what][2]
    assert [each for each, verdict in verdicts.items() if verdict == "will spoil"] == [what]


@pytest.mark.parametrize(
    "what, path, text",
    [
        (
            "governor",
            f"sys/devices/system/cpu/cpu{max(os.sched_getaffinity(0))}/cpufreq/scaling_governor",
            "powersave\n",
        ),
        ("memory", "proc/meminfo", "MemAvailable: 1048576 kB\n"),
        ("load", "proc/loadavg", "7.50 3.00 1.00 9/99 4242\n"),
    ],
)
def test_what_spoils_the_cpus_times_is_found(machine, what, path, text):
    machine(path, text)
    done = doctor("--backend", "host")
    found = findings(done)
    assert done.returncode == 5 and found[what][2]
    assert [each for each, (verdict, *_) in found.items() if verdict == "will spoil"] == [what]
    brief = doctor("--backend", "host", "--brief")
    assert brief.returncode == 5
    assert brief.stdout == (
        f"doctor: 5 ok, 1 will spoil: {what} {found[what][1]} — antbench doctor tells what to type\n"
    )


def test_without_a_gpu_the_reason_is_a_line(machine, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    for backend in ("auto", "cuda"):
        done = doctor("--backend", backend)
        assert done.returncode == 0 and list(findings(done)) == ["GPU", *MACHINE]
        assert findings(done)["GPU"][0] == "cannot tell"


def test_a_lock_is_tried_and_given_back(machine, monkeypatch, tmp_path):
    refused = doctor("--lock-clocks", "base", program=WITH_GPU)
    assert refused.returncode == 0 and findings(refused)["clock"][1] == "held at 1410 of 1980 MHz"
    monkeypatch.setenv("FAKE_SM_MHZ", "1980")
    refused = doctor("--lock-clocks", "base", program=WITH_GPU)
    assert refused.returncode == 5
    assert findings(refused)["clock"][1] == "not locked: NVML says: Insufficient Permissions"
    monkeypatch.setenv("FAKE_CLOCK", str(tmp_path / "clock"))
    locked = doctor("--lock-clocks", "1410", program=WITH_GPU)
    assert locked.returncode == 0 and findings(locked)["clock"] == ("ok", "locked by --lock-clocks", "")
    assert (tmp_path / "clock").read_text() == "locked 1410 1410\nfree\n"


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--device", "x"], '--device: expected a whole number from 0 to 1023, got "x"'),
        (["--backend", "gpu"], '--backend: expected one of auto, cuda, host, cpu, got "gpu"'),
        (["--lock-clocks", "fast"], '--lock-clocks: expected MHz, base or none, got "fast"'),
        (["--out", ""], '--out: expected a directory, got ""'),
        (["3.3"], 'unexpected argument "3.3"'),
        (["--breif"], "did you mean --brief?"),
    ],
)
def test_wrong_usage_is_one_line(arguments, said):
    done = doctor(*arguments)
    assert done.returncode == 2 and said in one_line(done) and one_line(done).startswith("antbench doctor: ")


def test_help_has_every_option_and_exit_code():
    done = doctor("--help")
    assert done.returncode == 0
    assert all(f"--{name}" in done.stdout for name in ("brief", "backend", "device", "lock-clocks", "out", "help"))
    assert "antbench doctor" in subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout


def test_what_cannot_be_written_is_an_error(machine):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "doctor", "--backend", "cpu"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "cannot write to stdout: No space left on device" in done.stderr


# ---- In a run ----

ROW = ["--rows", "3.3/acotsp-seq/u30?protocol=as", "--iterations", "2", "--quiet"]


def test_a_run_has_the_same_lines(machine, monkeypatch, tmp_path):
    monkeypatch.setenv("FAKE_SM_MHZ", "1980")
    done = drive(*ROW, "--out", tmp_path / "run", program=WITH_GPU)
    assert done.returncode == 0, done.stderr
    found = runs.load_run(tmp_path / "run").meta["doctor"]
    assert [set(each) for each in found] == [{"what", "verdict", "value", "advice"}] * len([*GPU, *MACHINE])
    printed = findings(doctor("--out", tmp_path, program=WITH_GPU))
    stored = {each["what"]: (each["verdict"], each["value"], each["advice"] or "") for each in found}
    assert printed.pop("disk")[0] == stored.pop("disk")[0] == "ok"
    assert stored == printed and stored["clock"][0] == "will spoil"


def test_profile_smoke_does_not_make_the_machine_work(machine, tmp_path):
    assert drive(*ROW, "--profile", "smoke", "--out", tmp_path / "run", program=WITH_GPU).returncode == 0
    found = {each["what"]: each["verdict"] for each in runs.load_run(tmp_path / "run").meta["doctor"]}
    assert found["clock"] == "cannot tell" and found["steal"] in ("ok", "cannot tell")


def test_a_part_of_a_run_has_none_and_the_run_has_one(machine, tmp_path):
    part = tmp_path / "part"
    assert drive(*ROW, "--out", part, "--processes", 2, "--process", 1).returncode == 0
    [meta] = part.rglob("meta.json")
    assert json.loads(meta.read_text())["doctor"] is None
    assert drive(*ROW, "--out", tmp_path / "run", "--processes", 2, "--backend", "cpu").returncode == 0
    assert [each["what"] for each in runs.load_run(tmp_path / "run").meta["doctor"]] == MACHINE
