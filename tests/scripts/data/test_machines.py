"""A machine is a level of its own: who it is, what several of them give together, which cells are of other runs."""

import hashlib
import json
import math
import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from antbench.data import cells, code, machines, runs, spread
from antbench.show import claims, coverage, gpus, plots, predicates, printing, readme, report, times
from support import fake_nvml
from support.commands import PROGRAM, ROOT, environment_of
from synthetic_runs import measured_on

ADDRESS = "3.3/{}/d198?protocol=as-best"


def around(ms):
    return [0.999 * ms, ms, 1.001 * ms]


def gpu_row(ms, name="ds-roulette"):
    return {(name, "cuda"): around(ms)}


def found(source, row="ds-roulette", scope="iteration"):
    return cells.look_up(source, f"3.3/{row}/d198?scope={scope}")


# ---- Who a machine is ----


def fingerprint(kind, text):
    """The fingerprint of a text, as bench/clock/machine.c computes it."""
    return hashlib.sha256(f"antbench {kind} {text}".encode()).hexdigest()


def test_hosts_of_one_cpu_name_are_two_unless_a_fingerprint_says_otherwise():
    def host(gpu, started="2026-01-01T00:00:00Z", known=""):
        return machines.machine_of(measured_on(gpu, gpu_row(1), started=started, host=known), "cpu")

    assert host("a") != host("b") and host("") != host("", "2026-01-01T01:00:00Z")
    assert host("a", known="x") == host("b", "2026-02-01T00:00:00Z", known="x")


def test_a_gpu_is_known_by_its_fingerprint():
    one, other = (measured_on(gpu, gpu_row(1)) for gpu in "ab")
    again = measured_on("a", gpu_row(1), started="2026-02-01T00:00:00Z")
    assert machines.gpus_of(one) == machines.gpus_of(again) == ("a",) != machines.gpus_of(other)
    for run in (one, again, other):
        run.meta["machine"]["fingerprint"] = None
    assert machines.machine_of(one) == machines.machine_of(again) == ("a",) != machines.machine_of(other)
    one.meta["devices"][0]["fingerprint"] = fingerprint("device", UUID)
    assert machines.name_of(one) == f"GPU {fingerprint('device', UUID)[:8]}"
    in_c = (ROOT / "tests/bench/clock/test_nvml.c").read_text()
    assert f'"{fingerprint("device", UUID)}"' in in_c


def test_gpus_of_one_host_are_one_machine():
    """Two GPUs of a host agree better than those of two hosts do, most of all in short rows."""
    runs_ = [measured_on(gpu, gpu_row(ms), host="h") for gpu, ms in zip("ab", (1.0, 1.02))]
    assert machines.machine_of(runs_[0]) == machines.machine_of(runs_[1]) == machines.machine_of(runs_[0], "cpu")
    assert found(cells.Source(runs_)).machines == 1
    assert found(cells.Source([*runs_, measured_on("c", gpu_row(1.05), host="i")])).machines == 1  # too few rows
    runs_ = [measured_on(gpu, gpu_row(1), host=host) for gpu, host in zip("abcd", "hhij")]
    assert found(cells.Source(runs_)).machines == 3


UUID = "GPU-01234567-89ab-cdef-0123-456789abcdef"


def test_a_machine_without_a_fingerprint_is_known_by_its_run():
    run = measured_on("", gpu_row(1))
    assert machines.machine_of(run, "cpu") == ("host of", run.run_id) and machines.name_of(run) == ""


# ---- Whose code it is ----


def with_kernels(kernels):
    run = measured_on("a", gpu_row(1))
    run.meta["build"] = {"commit": "aaaaaaa", "kernels": kernels, "device_code_sha256": "of the paths"}
    return run


BEFORE = {"kernels/tsp/ds_roulette.cu": "1", "kernels/tsp/choice_info.cu": "2", "kernels/choice_info/powf.cu": "3"}
MOVED = {
    "kernels/tsp/rungs/ds_roulette.cu": "1",
    "kernels/tsp/steps/choice_info.cu": "2",
    "kernels/choice_info/powf.cu": "3",
}


def test_code_stays_known_where_a_file_moves():
    before, moved = with_kernels(BEFORE), with_kernels(MOVED)
    of_all = {run.device_code for run in (before, moved)}
    assert len(of_all) == 1 and "of the paths" not in of_all
    for run in (before, moved):
        assert machines.kernel_of(run, "tsp/ds-roulette") == "1" and machines.kernel_of(run, "choice-info/powf") == "3"
        (row,) = run.records
        assert machines.code_of(row) == "1"
    assert with_kernels({**BEFORE, "kernels/tsp/ds_roulette.cu": "4"}).device_code not in of_all


def test_files_of_one_name_are_told_apart_by_their_operation_or_are_unknown():
    apart = with_kernels({**BEFORE, "kernels/choice_info/ds_roulette.cu": "4"})
    assert machines.kernel_of(apart, "tsp/ds-roulette") == "1"
    swapped = with_kernels({**BEFORE, "kernels/tsp/ds_roulette.cu": "3", "kernels/choice_info/powf.cu": "1"})
    assert swapped.device_code != with_kernels(BEFORE).device_code
    twice = with_kernels({**BEFORE, "kernels/tsp/steps/ds_roulette.cu": "4"})
    assert (
        machines.kernel_of(twice, "tsp/ds-roulette") == "" and machines.code_of(twice.records[0]) == twice.device_code
    )


def test_code_without_kernels_of_its_own_is_known_by_those_of_its_operation():
    """psystem/enhanced and enhanced-begun have the same device code, since their kernels are in one header."""
    shared = {"kernels/psystem/enhanced.cu": "5", "kernels/psystem/enhanced_begun.cu": "5"}
    others = {}, {"kernels/tsp/race_each.cu": "of another build"}, {"kernels/psystem/bits.cu": "6"}
    rows = [with_kernels({**BEFORE, **shared, **other}).records[0] for other in others]
    codes = [machines.code_of({**row, "implementation": "psystem/enhanced"}) for row in rows]
    assert codes[0] == codes[1] != codes[2]
    other = with_kernels({**BEFORE, **shared})
    by_library = []
    for version in ("13.1", "13.2"):
        other.meta["build"]["npp_version"] = version
        of_canny = ({**other.records[0], "implementation": f"canny/{name}"} for name in ("npp", "gpu"))
        by_library.append(list(map(machines.code_of, of_canny)))
    assert by_library[0][0] != by_library[1][0] and by_library[0][1] == by_library[1][1]


def test_the_program_says_of_its_device_code_what_scripts_make_of_its_kernels(tmp_path):
    """scripts/build_info, of objects that hold some bytes as their device code."""
    kernels, objects = {}, []
    for path in BEFORE:
        (folder := tmp_path / "build/cuda" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "code").write_text(path)
        made = folder.with_suffix(".o")
        subprocess.run(["gcc", "-x", "c", "-c", "/dev/null", "-o", made], check=True)
        section = "--add-section=.nv_fatbin=" + str(tmp_path / "code")
        subprocess.run(["objcopy", section, "--set-section-flags", ".nv_fatbin=alloc", made], check=True)
        objects.append(made.relative_to(tmp_path))
        kernels[path] = hashlib.sha256(path.encode()).hexdigest()
    asked = [ROOT / "scripts/build_info", "gcc", "", tmp_path / "nvcc", "90", "", "", "", "", *objects]
    (tmp_path / "nvcc").write_text("#!/bin/sh\necho release 1\n")
    (tmp_path / "nvcc").chmod(0o755)
    told = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert f'AB_KERNEL_HASHES "{" ".join(f"{path} {digest}" for path, digest in kernels.items())}"' in told
    assert f'AB_DEVICE_CODE_SHA256 "{code.device_code_of({"kernels": kernels})}"' in told


def test_a_cpus_code_is_known_by_its_sources_where_the_run_has_their_hash():
    def code_of(**build):
        run = measured_on("a", {("cpu-blocks-1", "cpu"): around(1)})
        run.meta["build"] = {"commit": "aaaaaaa", **build}
        return machines.code_of(run.records[0])

    assert code_of(cpu_code_sha256="1") == code_of(cpu_code_sha256="1", commit="bbbbbbb", dirty=True) == "1"
    assert code_of(cpu_code_sha256="2") != code_of(cpu_code_sha256="1")
    assert code_of() == "aaaaaaa" and code_of(dirty=True, executable_sha256="x") == "x"


def test_the_hash_of_cpu_code_changes_with_sources_compiler_and_flags_alone(tmp_path):
    """scripts/build_info, in a folder with a source of a CPU program and files that no CPU program runs."""

    def hashed(path=None, cc="gcc", flags="-O3"):
        if path:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(path + cc + flags)
        asked = [ROOT / "scripts/build_info", cc, flags, "", "", "", "", "", ""]
        told = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        return re.search(r'AB_CPU_CODE_SHA256 "(\w{64})"', told)[1]

    first = hashed("baselines/tsp/a.c")
    assert first == hashed("kernels/tsp/race.cu") == hashed("kernels/host/execution.cpp") == hashed("scripts/x.py")
    assert first == hashed("kernels/tsp/check/wheel.c") == hashed("kernels/edge_ants/verify.c"), "they only verify"
    changed = {hashed("baselines/tsp/b.h"), hashed("baselines/c.cpp"), hashed("bench/clock/d.c"), hashed(flags="-O2")}
    assert len(changed | {first, hashed(cc="g++")}) == 6


def test_a_cpu_is_told_by_what_it_amounts_to():
    known = {"cpu": "Xeon", "usable_cores": 16, "virtual": True, "hypervisor": "KVMKVMKVM", "effective_cores": 8.217}
    assert (
        machines.processors_of({"machine": known}) == "Xeon, 16 threads that amount to 8.22 cores, virtual (KVMKVMKVM)"
    )
    assert machines.processors_of({"machine": {"cpu": "Xeon", "usable_cores": 16}}) == "Xeon, 16 cores"


def facts_of(out, cores=None):
    cores = cores or os.sched_getaffinity(0)
    asked = [
        "--rows",
        "3.3/acotsp-seq/u20?protocol=as",
        "--runs",
        "1",
        "--iterations",
        "1",
        "--quiet",
        "--backend",
        "cpu",
    ]
    done = subprocess.run([PROGRAM, "3.3", *asked, "--out", out], cwd=ROOT, env=environment_of(), capture_output=True, text=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads((out / "meta.json").read_text())["machine"]


def test_a_run_says_what_its_machine_is(tmp_path, monkeypatch):
    fake_nvml.put_first(tmp_path, monkeypatch)
    monkeypatch.setenv("FAKE_UUIDS", "GPU-b GPU-a")  # of which a run of the CPU uses none
    first, second = (facts_of(tmp_path / name) for name in "ab")
    stable = ("fingerprint", "virtual", "hypervisor", "threads_per_core", "caches", "cpu", "usable_cores")
    assert [first[name] for name in stable] == [second[name] for name in stable]
    assert 0 < first["effective_cores"] <= first["usable_cores"]
    assert set(first["caches"]) == {"l1i_bytes", "l1d_bytes", "l2_bytes", "l3_bytes"}
    assert first["virtual"] in (True, False, None) and (first["hypervisor"] is None or first["virtual"])
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    if flags:
        assert first["virtual"] == ("hypervisor" in flags.split())
    is_own = Path("/proc/1/comm").read_text().strip() == "systemd" and Path("/etc/machine-id").exists()
    known = is_own and Path("/etc/machine-id").read_text().strip()
    assert first["fingerprint"] == fingerprint("host", known or "GPU-a")
    if not known:
        monkeypatch.delenv("FAKE_UUIDS")
        assert facts_of(tmp_path / "c")["fingerprint"] is None


def test_one_core_is_one_core(tmp_path):
    facts = facts_of(tmp_path / "run", {min(os.sched_getaffinity(0))})
    assert (facts["usable_cores"], facts["effective_cores"]) == (1, 1)


def test_a_run_without_a_gpu_is_of_no_gpus_host():
    with_gpu, without = measured_on("a", gpu_row(1)), measured_on("", {("acotsp-seq", "cpu"): around(9)})
    assert cells.of_kind(with_gpu, [with_gpu, without]) == [with_gpu]


def test_a_curve_joins_no_two_hosts():
    def run(gpu, names, commit):
        made = measured_on(gpu, {("acotsp-seq", "cpu"): around(9)}, commit=commit)
        line = made.rows.iloc[0].to_dict()
        rows = [{**line, "instance": name, "line": i} for i, name in enumerate(names, start=2)]
        object.__setattr__(made, "rows", pd.DataFrame(rows))
        return made

    source = cells.Source([run("a", ["d198", "a280"], "aaaaaaa"), run("b", ["lin318"], "bbbbbbb")])
    line = {"set": "tsp", "top": "3.3/acotsp-seq/{x}", "over": "", "label": "x", "style": "1"}
    (curve,) = plots.series_of(line, [source], True, [source])
    assert [name for _, name, _ in curve.points] == ["d198", "a280"]


# ---- Several machines, one result ----


def test_three_machines_give_the_interval_of_one_more():
    means = [1.0, 1.02, 1.05]
    source = cells.Source([measured_on(gpu, gpu_row(ms)) for gpu, ms in zip("abc", means)])
    time, logs = found(source), np.log(means)
    half = stats.t.ppf(0.975, 2) * logs.std(ddof=1) * math.sqrt(4 / 3)
    assert (time.value, time.low, time.high) == pytest.approx(tuple(np.exp(logs.mean() + x * half) for x in (0, -1, 1)))
    assert time.machines == 3 and len(time.sources) == 3 and claims.interval(time).endswith(", 3 machines")


def test_a_machine_measured_twice_is_one():
    days = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z")
    time = found(cells.Source([measured_on("a", gpu_row(ms), started=day) for ms, day in zip((1, 2, 3), days)]))
    assert time.machines == 1 and len(time.sources) == 1 and claims.interval(time).endswith(", n 3")


def test_other_code_is_another_result():
    runs_ = [measured_on(gpu, gpu_row(1), kernel=gpu, started=f"2026-01-0{i}") for i, gpu in enumerate("abc", start=1)]
    assert found(cells.Source(runs_)).machines == 1
    by_commit = [measured_on(gpu, {("cpu", "cpu"): around(1)}, commit=gpu * 7) for gpu in "abc"]
    assert found(cells.Source(by_commit), "cpu").machines == 1


def test_a_time_that_includes_the_cpus_part_is_another_result():
    """A run tells of a GPU's row how long its process waited for a core only if the CPU took part in the time."""
    runs_ = [measured_on(gpu, gpu_row(ms)) for gpu, ms in zip("abcd", (1.0, 1.02, 1.05, 3.0))]
    runs_[3].rows["waited"] = 0.0
    time = found(cells.Source(runs_))
    assert time.machines == 3 and time.high < 1.3 and runs_[3] not in time.sources
    assert found(cells.Source(runs_[3:])).value == pytest.approx(3.0)
    newer = measured_on("a", gpu_row(2), started="2026-02-01T00:00:00Z")
    newer.rows["waited"] = 0.0
    assert found(cells.Source([runs_[0], newer])).value == pytest.approx(1.0)
    other_code = measured_on("a", gpu_row(2), started="2026-02-01T00:00:00Z", kernel="2")
    other_code.rows["waited"] = 0.0
    assert found(cells.Source([runs_[0], other_code])).value == pytest.approx(2.0), "the newest code is shown"


def test_of_one_machine_the_interval_is_widened_by_how_machines_differ_in_its_kind():
    rows = {(f"row-{i}", "cuda"): around(1) for i in range(spread.MIN_ROWS)}
    slower = {key: around(1.02) for key in rows}
    alone = {("alone", "cuda"): around(1)}
    widened = found(cells.Source([measured_on("a", {**rows, **alone}), measured_on("b", slower)]), "alone")
    assert (
        widened.widened
        and widened.machines == 1
        and widened.high > 1.02
        and claims.interval(widened).endswith("n 3, widened")
    )
    fewer = dict(list(slower.items())[1:])
    narrow = found(cells.Source([measured_on("a", {**rows, **alone}), measured_on("b", fewer)]), "alone")
    assert not narrow.widened and narrow.high < 1.01


def test_rows_of_a_few_machines_tell_no_more_than_one_row_of_them():
    """A hundred rows of two machines differ alike, so they have one degree of freedom."""
    rows = {(f"row-{i}", "cuda"): around(1) for i in range(100)}
    of = [measured_on(gpu, {key: around(ms) for key in rows}) for gpu, ms in zip("abc", (1, 1.02, 1))]
    for n in (2, 3):
        known = spread.differences(spread.grouped([row for run in of[:n] for row in run.records]).values())
        [difference] = {each.difference for each in known.values()}
        larger = stats.t.ppf(0.975, n - 1) / stats.norm.ppf(0.975)
        assert difference == pytest.approx(math.log(1.02) * larger, rel=1e-6)


def test_rows_of_any_time_widen_an_interval_where_those_of_its_time_are_few():
    long, short = ({(f"row-{i}-{ms}", "cuda"): around(ms) for i in range(spread.MIN_ROWS - 1)} for ms in (1, 0.01))
    here = {**long, **short, ("alone", "cuda"): around(1)}
    there = {key: [1.02 * ms for ms in times] for key, times in {**long, **short}.items()}
    found_alone = found(cells.Source([measured_on("a", here), measured_on("b", there)]), "alone")
    assert found_alone.widened and found_alone.high > 1.02


def test_a_row_of_one_core_is_not_widened_by_rows_of_all_cores():
    """Other work on a host takes some of its cores."""
    one, every = ([(f"row-{i}-{cores}", "cpu") for i in range(spread.MIN_ROWS)] for cores in ("1", "all"))
    here = {key: around(1) for key in (*one, *every, ("alone-1", "cpu"), ("alone-all", "cpu"))}
    there = {**{key: around(1.02) for key in one}, **{key: around(3) for key in every}}
    source = cells.Source([measured_on("a", here), measured_on("b", there)])
    assert 1.02 < found(source, "alone-1").high < 1.3 and found(source, "alone-all").high > 3


def test_a_row_of_a_gpu_alone_is_not_widened_by_rows_with_the_cpus_part():
    alike, unlike = ({(f"row-{i}-{of}", "cuda"): around(1) for i in range(spread.MIN_ROWS)} for of in ("gpu", "both"))
    here = measured_on("a", {**alike, **unlike, ("alone-gpu", "cuda"): around(1), ("alone-both", "cuda"): around(1)})
    there = measured_on("b", {**{key: around(1.02) for key in alike}, **{key: around(3) for key in unlike}})
    for run in (here, there):
        run.rows.loc[run.rows["row"].str.endswith("-both"), "waited"] = 0.0
    source = cells.Source([here, there])
    assert 1.02 < found(source, "alone-gpu").high < 1.3 and found(source, "alone-both").high > 3


def test_hosts_of_other_gpus_tell_how_hosts_with_this_cpu_differ():
    rows = {(f"row-{i}-all", backend): around(1) for i in range(spread.MIN_ROWS) for backend in ("cpu", "cuda")}
    slower = {key: around(1.5) for key in rows}
    here = measured_on("a", {**rows, ("alone", "cpu"): around(1), ("alone-gpu", "cuda"): around(1)})

    def there(cpu):
        return [measured_on(gpu, times, cpu=cpu) for gpu, times in (("b", rows), ("c", slower))]

    time = found(cells.Source([here], there("Same name")), "alone")
    assert time.widened and time.machines == 1 and time.high > 1.5, "how far the two others differ"
    assert len(time.sources) == 1 and time.value == pytest.approx(1, rel=1e-3), "their times do not count"
    assert not found(cells.Source([here], there("Other name")), "alone").widened
    assert not found(cells.Source([here], there("Same name")), "alone-gpu").widened, "a GPU's rows count here alone"


def on_hosts(hosts, deviation, seed=1):
    """Runs on these hosts with enough CPU rows of a kind; each row has its own time on each host."""
    random = np.random.default_rng(seed)
    rows = [(f"row{i}", "cpu") for i in range(2 * spread.MIN_ROWS)]
    return [measured_on(host, {row: around(math.exp(random.normal(0, deviation))) for row in rows}) for host in hosts]


def of_three_hosts(elsewhere=(), times_=(1.0, 1.2, 1.4)):
    """The Source of a CPU's rows on three hosts, which also have a GPU's row."""
    rows = [
        {("cpu", "cpu"): around(ms), ("other", "cpu"): around(1), ("ds-roulette", "cuda"): around(1)} for ms in times_
    ]
    return cells.Source([measured_on(gpu, each) for gpu, each in zip("abc", rows)], elsewhere)


def half_of(estimate):
    return math.log(estimate.high / estimate.low) / 2


def test_other_hosts_join_the_variance_of_three():
    """They count for four degrees of freedom at most."""
    logs = np.log([1.0, 1.2, 1.4])
    alone, known = of_three_hosts(), of_three_hosts(on_hosts("efghijklm", 0.2))
    assert half_of(found(alone, "cpu")) == pytest.approx(stats.t.ppf(0.975, 2) * logs.std(ddof=1) * math.sqrt(4 / 3))
    cpu = found(known, "cpu")
    df, variance = cpu.of_hosts
    assert df == 4 and 0.15 < math.sqrt(variance) < 0.25
    joined = math.sqrt((2 * logs.var(ddof=1) + 4 * variance) / 6)
    assert half_of(cpu) == pytest.approx(stats.t.ppf(0.975, 6) * joined * math.sqrt(4 / 3))
    assert cpu.value == pytest.approx(found(alone, "cpu").value) and cpu.machines == 3
    alike = of_three_hosts(on_hosts("efghijklm", 0.2), (1, 1.001, 1.002))
    assert found(alike, "cpu").high > 1.3, "three hosts may agree by chance"
    few = found(of_three_hosts(on_hosts("de", 0.2)), "cpu")
    assert few.of_hosts[0] == 1, "two hosts beyond the three"


def test_a_rows_own_hosts_do_not_count_as_others():
    """What is slow on a host in one row is slow in others."""
    unlike = on_hosts("abc", 2.0, 2)
    assert found(cells.Source(unlike), "row0").of_hosts == spread.UNKNOWN
    joined = found(of_three_hosts(on_hosts("efghijklm", 0.2) + unlike), "cpu")
    assert joined.of_hosts == found(of_three_hosts(on_hosts("efghijklm", 0.2)), "cpu").of_hosts
    some = [
        measured_on(host, {(f"row{i}", "cpu"): around(ms + i) for i in range(9)}) for host, ms in (("e", 1), ("f", 1.1))
    ]
    assert found(of_three_hosts(some + unlike), "cpu").of_hosts == spread.UNKNOWN, "too few rows are left"


def test_a_row_about_as_long_as_a_kind_ends_has_an_interval():
    """It is of one kind on some hosts, and of the other kind on others."""
    short = {(f"row{i}", "cpu"): around(0.02 + 0.001 * i) for i in range(12)}
    runs_ = [measured_on(host, short) for host in "xy"]
    runs_ += [measured_on(host, {("cpu", "cpu"): around(ms)}) for host, ms in zip("abcde", (0.0515, *4 * [0.049]))]
    assert found(cells.Source(runs_), "cpu").machines == 5


def test_gpus_do_not_join():
    runs_ = on_hosts("abcdefgh", 0.2)
    for run in runs_:
        run.rows["backend"] = "cuda"
    few = [measured_on(gpu, gpu_row(ms)) for gpu, ms in zip("abc", (1.0, 1.2, 1.4))]
    gpu, logs = found(cells.Source(few + runs_)), np.log([1.0, 1.2, 1.4])
    assert gpu.of_hosts == ()
    assert half_of(gpu) == pytest.approx(stats.t.ppf(0.975, 2) * logs.std(ddof=1) * math.sqrt(4 / 3))


def test_other_hosts_tell_of_a_quotient_with_one_cpus_part():
    source = of_three_hosts(on_hosts("efghijklm", 0.2))
    cpu, other, gpu = (found(source, row) for row in ("cpu", "other", "ds-roulette"))
    assert gpu.of_hosts == () and half_of(cells.divide(cpu, gpu)) == pytest.approx(half_of(cpu), rel=1e-3)
    both = cells.divide(cpu, other)
    assert both.of_hosts == spread.UNKNOWN and half_of(both) == pytest.approx(half_of(found(of_three_hosts(), "cpu")))
    assert cells.divide(cells.add([cpu, other]), gpu).of_hosts == cpu.of_hosts
    less, more = (cells.replace(cpu, of_hosts=(df, variance)) for df, variance in ((4.0, 0.01), (1.0, 0.04)))
    assert cells.add([less, more]).of_hosts == cells.add([more, less, gpu]).of_hosts == (1.0, 0.04)
    assert cells.add([cpu, cells.divide(cpu, other)]).of_hosts == spread.UNKNOWN
    exact = cells.Estimate(2, 2, 2)
    assert cells.divide(cpu, exact).of_hosts == cpu.of_hosts == cells.on_machines(cpu, set(cpu.by_machine)).of_hosts
    with_cpu = [measured_on(gpu, gpu_row(1)) for gpu in "abc"]
    for run in with_cpu:
        run.rows["waited"] = 0.0
    assert cells.divide(cpu, found(cells.Source(with_cpu))).of_hosts == spread.UNKNOWN


@pytest.mark.parametrize("share", (0.5, 0.01, 1e-4))
def test_an_interval_of_any_share_of_misses_counts_the_other_hosts(share):
    cpu = found(of_three_hosts(on_hosts("efghijklm", 0.2)), "cpu")
    center, half = spread.for_one_more(list(cpu.by_machine.values()), share, cpu.of_hosts)
    case = predicates.Case("case0", cpu).missing_in(share).measured
    assert (math.log(case.low), math.log(case.high)) == pytest.approx((center - half, center + half))
    endless = math.sqrt((2 * np.var(np.log([1.0, 1.2, 1.4]), ddof=1) + 4 * cpu.of_hosts[1]) / 6) * 1.96
    assert half_of(predicates.Case("case0", cpu).of_endless.measured) == pytest.approx(endless, rel=1e-3)
    two = found(cells.Source([measured_on("a", {("cpu", "cpu"): around(1)})], on_hosts("efghijklm", 0.2)), "cpu")
    case = predicates.Case("case0", two).missing_in(share).measured
    of_processes = stats.t.ppf(1 - share / 2, 2) / stats.t.ppf(0.975, 2)
    assert two.widened and half_of(case) == pytest.approx(half_of(two) * of_processes)


def test_a_quotient_is_widened_only_where_all_its_parts_are():
    wide = cells.Estimate(2.0, 1.9, 2.1, n=3, machines=1, widened=True)
    narrow, many = (cells.Estimate(1.0, 0.99, 1.01, n=n, machines=n) for n in (1, 3))
    assert not cells.divide(wide, narrow).widened and cells.divide(wide, many).widened
    assert cells.divide(many, many).machines == 3 and not cells.divide(many, many).widened


def of_machines(speeds, gains=(1.10, 1.11, 1.12, 1.11)):
    """The times of two rows on machines of these speeds, and what the one takes over the other on each machine."""
    rows = [
        {("ds-roulette", "cuda"): around(gain * speed), ("race", "cuda"): around(speed)}
        for speed, gain in zip(speeds, gains)
    ]
    source = cells.Source([measured_on(gpu, row) for gpu, row in zip("abcd", rows)])
    return found(source), found(source, "race"), list(gains[: len(speeds)])


def test_a_quotient_is_taken_on_each_machine():
    top, bottom, gains = of_machines((1, 2, 4))
    assert top.low < bottom.value < top.value < bottom.high  # apart the intervals say nothing
    quotient, logs = cells.divide(top, bottom), np.log(gains)
    half = stats.t.ppf(0.975, 2) * logs.std(ddof=1) * math.sqrt(4 / 3)
    assert (quotient.low, quotient.high) == pytest.approx((math.exp(logs.mean() - half), math.exp(logs.mean() + half)))
    assert quotient.machines == quotient.n == 3 and len(quotient.sources) == 3
    for again in (cells.multiply(quotient, bottom), cells.divide(cells.divide(top, cells.Estimate(2, 2, 2)), bottom)):
        assert again.machines == 3
    assert cells.divide(cells.multiply(quotient, bottom), top).high == pytest.approx(1)


def test_a_quotient_tells_the_machines_that_measured_both_its_parts():
    times_ = [{("cpu", "cpu"): around(50 * speed), **gpu_row(speed)} for speed in (1, 2, 4)]
    alone = measured_on("d", {("cpu", "cpu"): around(900)})
    source = cells.Source([*(measured_on(gpu, each) for gpu, each in zip("abc", times_)), alone])
    cpu, gpu = found(source, "cpu"), found(source)
    assert cpu.machines == 4 and len(cpu.sources) == 4 and cpu.span == pytest.approx((50, 900))
    quotient = cells.divide(cpu, gpu)
    assert quotient.machines == 3 and len(quotient.sources) == 3 and quotient.span == pytest.approx((50, 50))
    assert cells.divide(gpu, gpu).span == ()


def test_a_sum_is_taken_on_each_machine():
    _, race, _ = of_machines((1, 2, 4))
    twice = cells.add([race, race])
    assert [twice.value, twice.low, twice.high] == pytest.approx([2 * race.value, 2 * race.low, 2 * race.high])
    assert cells.divide(twice, race).low == pytest.approx(2) == cells.divide(twice, race).high


def test_a_quotient_of_two_machines_is_of_independent_parts():
    top, bottom, _ = of_machines((1, 2))
    assert cells.quotient_of_machines(top, bottom) is None
    top, _, _ = of_machines((1, 2, 4))
    assert cells.quotient_of_machines(top, bottom) is None and cells.divide(top, bottom)


def test_a_cpus_time_is_paired_with_that_of_the_gpu_beside_it():
    times_ = [{("cpu", "cpu"): around(50 * speed), **gpu_row(speed)} for speed in (1, 2, 4)]
    source = cells.Source([measured_on(gpu, each) for gpu, each in zip("abc", times_)])
    assert cells.divide(found(source, "cpu"), found(source)).high == pytest.approx(50)
    one_host = cells.Source([measured_on(gpu, each, host="x") for gpu, each in zip("abc", times_)])
    assert cells.divide(found(one_host, "cpu"), found(one_host)).machines == 1


def test_cases_are_compared_on_each_machine():
    top, bottom, _ = of_machines((1, 2, 4))
    cases = [predicates.Case(name, each) for name, each in (("a", bottom), ("b", top))]
    assert predicates.grows(cases, "")[0] == predicates.HOLDS
    verdict, _, chance = predicates.chance("grows", cases, "")
    logs = np.log([1.10, 1.11, 1.12])
    assert verdict == predicates.HOLDS
    assert chance == pytest.approx(2 * stats.t.sf(logs.mean() / logs.std(ddof=1) / math.sqrt(4 / 3), 2), rel=0.01)


def test_a_cpus_row_prints_as_a_range_over_hosts_with_the_digits_it_has():
    runs_ = [measured_on(gpu, {("cpu", "cpu"): around(ms), **gpu_row(1)}) for gpu, ms in zip("abc", (186.4, 222, 318))]
    cpu = found(cells.Source(runs_), "cpu")
    assert claims.in_table(cpu) == "190 to 320" == printing.measured_text(cpu, "ms")
    ratio = cells.divide(cpu, found(cells.Source(runs_)))
    assert claims.with_interval(ratio).startswith(
        "about 240 ("
    ) and "hosts: 190 to 320, 3 machines" in claims.with_interval(ratio)
    assert claims.short(147, 2) == "150" and claims.short(0.0446, 2) == "0.045" and claims.short(1447, 2) == "1400"


def test_three_hosts_come_before_more_processes():
    of_three = [measured_on(gpu, {("cpu", "cpu"): around(1)}) for gpu in "abc"]
    alone = measured_on("d", {("cpu", "cpu"): around(2) + [2.0]}, commit="bbbbbbb", started="2026-02-01T00:00:00Z")
    assert found(cells.Source([*of_three, alone]), "cpu").machines == 3


# ---- Marks ----


def two_commits():
    old = measured_on("a", {("i-roulette", "cuda"): around(4)}, commit="aaaaaaa", started="2026-01-01T00:00:00Z")
    new = measured_on(
        "b", {**gpu_row(1), ("i-roulette-warp", "cuda"): around(2)}, commit="bbbbbbb", started="2026-02-01T00:00:00Z"
    )
    for run in (old, new):
        run.rows["params"] = "protocol=as-best"
    return cells.Source([old, new])


LEGEND = "ᵃ a/2026-01-01T00:00:00Z-aaaaaaa (commit aaaaaaa, GPU a)"


def test_a_table_marks_cells_of_other_runs():
    (table,) = (table for table in report.tables_of(two_commits())[0] if table["layout"] == "3.3")
    marks = {column["label"]: cell["mark"] for column, cell in zip(table["columns"], table["lines"][0]["cells"])}
    assert {label: mark for label, mark in marks.items() if mark} == {"I-Roulette": "ᵃ"} and table["legend"][1:] == [
        LEGEND
    ]
    assert table["legend"][0] == "unmarked: b/2026-02-01T00:00:00Z-bbbbbbb (commit bbbbbbb, GPU b)"


def test_times_over_gpus_mark_cells_of_other_runs_of_a_gpu():
    made = gpus.tables(gpus.published_gpus() + gpus.of_sources([two_commits()]), ["3.3"])["3.3"]
    text = times.as_text(made)
    assert "4.00ᵃ" in text and "1.00ᵃ" not in text and text.splitlines()[-1] == LEGEND


def test_a_generated_table_marks_cells_of_other_runs(monkeypatch):
    source = two_commits()
    for run in source.runs:
        monkeypatch.setattr(type(run), "table", "table-3.3.csv")
    monkeypatch.setattr(readme, "source", lambda chosen: source)
    measured = readme.Measured(source.runs)
    text = " ".join(measured.ms(ADDRESS.format(row)) for row in ("ds-roulette", "i-roulette-warp", "i-roulette"))
    assert measured.marked(text) == "1.00 2.00 4.00ᵃ" and measured.machines() == "2 H200s (1 per number)"
    assert measured.runs().splitlines()[1] == "ᵃ commit aaaaaaa on [GPU a](table-3.3.csv)"


# ---- Coverage ----


def test_coverage_of_machines_that_differ_as_assumed():
    random = np.random.default_rng(1)
    names = [f"row-{i}" for i in range(60)]
    runs_ = [
        measured_on(gpu, {(name, "cuda"): around(math.exp(random.normal(0, 0.01))) for name in names}) for gpu in "abcd"
    ]
    told, quotients = (dict(zip(coverage.HEADER, line.cells)) for line in coverage.lines(runs_))
    assert (told["rows"], told["machines"], told["held out"]) == ("60", "4", "240")
    assert float(told["inside"].split()[0]) >= 90 > 60 > float(told["of processes: inside"].split()[0])
    assert (quotients["rows of"], quotients["rows"], quotients["held out"]) == ("GPU, quotients", "59", "236")
    assert float(quotients["inside"].split()[0]) >= 90 and quotients["of processes: inside"] == "–"


def on_hosts_with_and_without_gpus():
    """Runs on four hosts with a GPU, and on six without. Rows of the others tell how much hosts differ."""
    random = np.random.default_rng(3)

    def run_on(gpu, host, more):
        of = {"a": ("row", "other"), "": ("other",)}.get(gpu, ("row",))
        names = [f"{name}{i}" for name in of for i in range(60)]
        times_ = {(name, "cpu"): around(math.exp(random.normal(0, 0.2))) for name in names}
        return measured_on(gpu, {**times_, **more}, host=host)

    return [run_on(gpu, gpu, gpu_row(1)) for gpu in "abcd"] + [run_on("", host, {}) for host in "efghij"]


def test_coverage_of_a_cpus_row_over_a_gpus():
    runs_ = on_hosts_with_and_without_gpus()
    told = {
        each["rows of"]: each for each in (dict(zip(coverage.HEADER, line.cells)) for line in coverage.lines(runs_))
    }
    line = told["CPU, all cores, over GPU"]
    assert (line["processor"], line["rows"], line["machines"], line["held out"]) == ("H200", "60", "4", "240")
    assert float(line["inside"].split()[0]) >= 90 and line["of processes: inside"] == "–"
    of_three = stats.t.ppf(0.975, 2) * 0.2 * math.sqrt(4 / 3)
    assert float(line["half interval, median"].split()[0]) < 75 < 100 * math.sinh(of_three)
    with_cpu = on_hosts_with_and_without_gpus()
    for run in with_cpu:
        run.rows.loc[run.rows["backend"] == "cuda", "waited"] = 0.0
    assert not any("over GPU" in line.rows_of for line in coverage.lines(with_cpu))


def test_a_host_that_is_held_out_tells_nothing(monkeypatch):
    told = []

    def keep(ids, quotients, machine, of_hosts=()):
        told.append((machine, of_hosts))
        return []

    runs_ = on_hosts_with_and_without_gpus()
    of_cpu = spread.grouped([row for run in runs_ for row in run.records if row["backend"] == "cpu"])
    with_gpu = spread.grouped([row for run in runs_[:4] for row in run.records])
    monkeypatch.setattr(coverage, "held_out_quotient", keep)
    coverage.held_out_speed_ups(with_gpu, of_cpu)
    assert {machine[1] for machine, _ in told} == set("abcd") and told[0][0][1] == "a"
    held_out, of_hosts = told[0]
    rest = [{machine: rows for machine, rows in each.items() if machine != held_out} for each in of_cpu.values()]
    [known] = {each.machines: each for each in spread.differences(rest).values()}.values()
    own = {machine for each in rest for machine in each if machine[1] in "abcd"}
    assert of_hosts == known.without(own) and of_hosts[0] == 4 and len(known.machines) == 9


def test_hosts_of_one_cpu_are_of_one_kind_whatever_gpu_they_have():
    """Rows of a GPU stay apart, and hosts with another number of threads too."""
    runs_ = [
        measured_on(gpu, {("cpu-blocks-1", "cpu"): around(1), ("ds-roulette", "cuda"): around(1)}, host=gpu)
        for gpu in "abcd"
    ]
    runs_[1].meta["devices"][0]["name"] = "NVIDIA H100 80GB HBM3"
    runs_[3].meta["machine"]["usable_cores"] = 2
    told = [dict(zip(coverage.HEADER, line.cells)) for line in coverage.lines(runs_)]
    assert [(each["processor"], each["rows of"], each["machines"]) for each in told] == [
        ("H200", "GPU", "3"),
        ("Same name, 16 threads", "CPU, one core", "3"),
    ]


def test_a_page_shows_the_kinds_that_are_judged_and_counts_the_others():
    def line(rows, inside):
        return coverage.Line("H200", "GPU", "kernel", "", rows, 4, rows, inside, 0.01, 0.5)

    text = coverage.on_page([line(30, 0.89), line(31, 0.8999), line(29, 0.899), line(10, 0.9), line(9, math.nan)])
    assert text.splitlines()[2:] == [
        "| H200 | GPU | kernel |  | 30 | 4 | 30 | 89 % (missed) | 1.0 % | 50 % |",
        "| H200 | GPU | kernel |  | 31 | 4 | 31 | 89.9 % (missed) | 1.0 % | 50 % |",
        "",
        "Not shown: 3 kinds of fewer than 30 rows. 1 of them are inside in less than 90 %. The command prints them too.",
    ]


def test_smoke_tests_have_no_part_in_the_coverage():
    runs_ = [measured_on(gpu, gpu_row(1)) for gpu in "abc"]
    assert list(coverage.lines(runs_))
    for run in runs_:
        run.meta["options"]["profile"] = "smoke"
    assert list(coverage.lines(runs_)) == []


def test_two_machines_cannot_be_left_out():
    runs_ = [measured_on(gpu, gpu_row(1)) for gpu in "ab"]
    (line,) = coverage.lines(runs_)
    assert line.cells[6:8] == ("0", "–") and not line.is_below


def test_the_difference_of_machines_adds_to_the_interval_of_one():
    row = measured_on("a", {("alone", "cuda"): around(1)}).records[0]
    between = SimpleNamespace(difference=0.1, without=lambda own: (0.0, 0.0))
    _, low, high, _ = runs.mean_interval(row)
    made = spread.result(row, {"a": [row]}, {spread.kind_of(row): between})
    assert math.log(made.high / made.value) == pytest.approx(math.hypot(math.log(high / low) / 2, 0.1))
