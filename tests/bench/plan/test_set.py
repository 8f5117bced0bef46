"""--set NAME=VALUE: rows with other parameters than a driver says."""

import json

import pytest

from support.commands import CORES, drive, one_line, params_of, planned, rows_of

TINY = {
    "3.3": ["--instances", "u30", "--runs", 1, "--iterations", 2],
    "4.2": ["--instances", "u30", "--runs", 1, "--iterations", 2],
    "5.1": ["--instances", "shapes-20", "--runs", 1, "--iterations", 2],
    "6.1": ["--instances", "shapes-20", "--iterations", 2],
}
TIMED_TABLE = {"3.3": ("3.3",), "4.2": ("4.1", "4.2"), "5.1": ("5.1", "F5.7"), "6.1": ("6.1",)}


def sets_of(settings):
    return [text for setting in settings for text in ("--set", setting)]


def of_times(driver, rows):
    """The rows of the driver's tables of times."""
    return [row for row in rows if row["table"] in TIMED_TABLE[driver] and row["scope"] != "setup"]


def run(driver, backend, *settings, out):
    """The rows of the driver's tables of times, measured."""
    result = drive(*TINY[driver], *sets_of(settings), "--backend", backend, "--out", out, driver=driver)
    assert result.returncode == 0, result.stderr
    rows = of_times(driver, rows_of(out))
    assert {row["status"] for row in rows} <= {"ok", "noisy", "few", "unsupported"}
    assert json.loads((out / "meta.json").read_text())["options"]["set"] == list(settings)
    return rows


def plan(driver, backend, *settings):
    """The rows of the driver's tables of times, as a dry run lists them."""
    return of_times(driver, planned(*TINY[driver], *sets_of(settings), "--backend", backend, driver=driver))


@pytest.mark.parametrize("backend", ["cpu", "host"])
@pytest.mark.parametrize(
    "driver, setting",
    [
        ("3.3", "rho=0.3"),
        ("3.3", "beta=3"),
        ("3.3", "alpha=2"),
        ("3.3", "ants=20"),
        ("4.2", "nn=8"),
        ("6.1", "sigma=2"),
    ],
)
def test_every_row_has_the_value(driver, setting, backend):
    name, value = setting.split("=")
    rows = plan(driver, backend, setting)
    if name == "nn":  # which kernels without candidate sets have not
        rows = [row for row in rows if row["table"] == "4.2"]
    assert rows and all(params_of(row)[name] == value for row in rows)


@pytest.mark.parametrize("backend", ["cpu", "host"])
def test_a_measured_row_is_the_planned_one(backend, tmp_path):
    """With the value, in its table and in its file."""
    measured = run("6.1", backend, "sigma=2", out=tmp_path / "run")
    assert measured and all(params_of(row)["sigma"] == "2" for row in measured)
    told = {(row["table"], row["row"], row["params"]) for row in plan("6.1", backend, "sigma=2")}
    assert told == {(row["table"], row["row"], row["params"]) for row in measured}


def test_only_rows_of_an_operation_with_that_parameter_change(tmp_path):
    """Canny has a low threshold, colour edge detection has none."""
    rows = run("6.1", "cpu", "low=20", out=tmp_path / "run")
    of = {row["implementation"].partition("/")[0]: params_of(row).get("low") for row in rows}
    assert of == {"canny": "20", "colour-edge": None}


def test_another_value_is_another_row(tmp_path):
    """One seed, other tours; and a value that is the default is no other row."""
    usual, other = (run("3.3", "cpu", setting, out=tmp_path / setting) for setting in ("beta=2", "beta=3"))
    assert all("beta" not in row["params"] for row in usual)
    assert [row["row"] for row in usual] == [row["row"] for row in other]
    assert all(a["quality_best"] != b["quality_best"] for a, b in zip(usual, other))


def test_a_name_with_the_value_in_it_follows():
    names = {row["row"] for row in plan("5.1", "host", "block=96")}
    assert {"thread-96", "block-96", "warp-96", "octet-96", "warp-96-uncached"} <= names
    assert all("96" in name for name in names)


def test_a_name_that_says_another_value_is_not_kept():
    """cpu-rejection-all is for threads=all, acotsp-seq has one thread whatever is set."""
    rows = planned(
        "--instances",
        "u30",
        "--backend",
        "cpu",
        "--set",
        "threads=2",
        "--set",
        "protocol=as",
        "--implementations",
        "tsp/acotsp-seq,tsp/acotsp-omp,tsp/cpu-rejection",
    )
    assert [(row["row"], row["implementation"], params_of(row)["threads"]) for row in rows] == [
        ("acotsp-seq", "tsp/acotsp-seq", "1"),
        ("tsp-cpu-rejection-threads-2", "tsp/cpu-rejection", "2"),
        ("tsp-acotsp-omp-threads-2", "tsp/acotsp-omp", "2"),
    ]
    names = {
        row["row"]
        for row in planned(
            "--instances",
            "shapes-20",
            "--backend",
            "host",
            "--implementations",
            "canny/gpu",
            "--set",
            "hysteresis=6",
            driver="6.1",
        )
    }
    assert names == {"canny-gpu", "canny-gpu-hysteresis-6", "canny-gpu-blur"}


def test_several_values_are_a_row_each():
    rows = plan("5.1", "host", "block=64,96")
    of = {
        block: {row["row"].replace(block, "") for row in rows if params_of(row)["block"] == block}
        for block in ("64", "96")
    }
    assert of["64"] == of["96"] and sum(map(len, of.values())) == len(rows)
    combined = planned(
        "--instances",
        "u30",
        "--backend",
        "cpu",
        "--implementations",
        "tsp/acotsp-seq",
        "--set",
        "rho=0.1,0.3",
        "--set",
        "beta=3,4",
        "--set",
        "protocol=as",
    )
    assert [(params_of(row)["beta"], params_of(row)["rho"]) for row in combined] == [
        ("3", "0.1"),
        ("4", "0.1"),
        ("3", "0.3"),
        ("4", "0.3"),
    ]


def test_workers_are_of_the_kernels_that_have_them():
    """The others have one row, whatever the values, and none of them in it."""

    def workers_of(implementation, *setting):
        rows = planned(
            "--instances",
            "u30",
            "--backend",
            "host",
            "--implementations",
            implementation,
            "--set",
            "protocol=as",
            *setting,
        )
        return [params_of(row).get("workers") for row in rows]

    for implementation in ("tsp/i-roulette", "tsp/data-rw", "tsp/data-rw-warp"):
        assert workers_of(implementation) == ["128"]
        assert workers_of(implementation, "--set", "workers=32,64") == ["32", "64"]
    assert workers_of("tsp/i-roulette,tsp/ds-roulette", "--set", "workers=32,64") == ["32", "64", None]
    rows = planned(
        "--instances",
        "u30",
        "--backend",
        "host",
        "--implementations",
        "tsp/task-thread,tsp/ds-roulette",
        "--set",
        "protocol=as",
        "--set",
        "block=8,32",
    )
    assert {(row["implementation"], params_of(row).get("block")) for row in rows} == {
        ("tsp/task-thread", "8"),
        ("tsp/task-thread", "32"),
        ("tsp/ds-roulette", None),
    } and len(rows) == 3
    result = drive("--instances", "u30", "--backend", "host", "--set", "workers=48")
    assert (result.returncode, one_line(result)) == (2, "antbench 3.3: workers must be a power of two, not 48")


@pytest.mark.parametrize("rows", [["--implementations", "tsp/ds-roulette"], ["--rows", "3.3/ds-roulette"]])
def test_a_parameter_of_another_kernel_is_refused_by_name(rows):
    done = drive("--dry-run", *rows, "--set", "near=5", driver="3.3")
    assert done.returncode == 2 and one_line(done) == (
        "antbench 3.3: --set near=5: no selected row has this parameter, but rows of tsp/race have it"
    )
    both = {row["implementation"]: row["params"] for row in planned("--set", "near=5", "--instances", "u30")}
    assert "near=5" in both["tsp/race"] and "near" not in both["tsp/ds-roulette"]


@pytest.mark.parametrize(
    ("driver", "implementation", "setting", "owner"),
    [
        ("3.3", "tsp/cpu-rejection", "ranks=2", "tsp/cpu-split"),
        ("scaling", "tsp/cpu-split", "exchange=5", "tsp/cpu-islands"),
        ("scaling", "tsp/islands", "transfer=nccl", "tsp/split"),
    ],
)
def test_what_ranks_agree_on_belongs_to_the_rungs_of_several(driver, implementation, setting, owner):
    done = drive("--dry-run", "--implementations", implementation, "--set", setting, driver=driver)
    said = f"--set {setting}: no selected row has this parameter, but rows of {owner} have it"
    assert (done.returncode, one_line(done)) == (2, f"antbench {driver}: {said}")


def test_words_stand_for_values():
    def values(setting):
        name = setting.partition("=")[0]
        return {params_of(row).get(name) for row in planned("--instances", "u30", "--backend", "cpu", "--set", setting)}

    assert values("threads=all") == {"1", str(CORES)} and values("ants=n") == {"30"} and values("rho=auto") == {None}


def test_the_last_of_two_counts():
    rows = planned("--instances", "u30", "--backend", "cpu", "--set", "rho=0.2,0.4", "--set", "rho=0.3")
    assert rows and {params_of(row)["rho"] for row in rows} == {"0.3"}


@pytest.mark.parametrize(
    "driver, setting, expected",
    [
        (
            "3.3",
            "rh0=0.3",
            "--set rh0=0.3: no row here has this parameter; did you mean rho? (--help lists all parameters)",
        ),
        (
            "3.3",
            "rh=0.3",
            "--set rh=0.3: no row here has this parameter; did you mean rho? (--help lists all parameters)",
        ),
        (
            "3.3",
            "l3=cold",
            "--set l3=cold: no row here has this parameter; did you mean l2? (--help lists all parameters)",
        ),
        ("3.3", "cached=0", "--set cached=0: no row here has this parameter (--help lists all parameters)"),
        ("3.3", "rho", '--set: expected NAME=VALUE, got "rho"'),
        ("3.3", "rho=", '--set: expected NAME=VALUE, got "rho="'),
        ("3.3", "=3", '--set: expected NAME=VALUE, got "=3"'),
        ("3.3", "rho=2", 'rho must be 1e-09 to 1, or auto, not "2"'),
        ("3.3", "rho=0", 'rho must be 1e-09 to 1, or auto, not "0"'),
        ("3.3", "rho=nan", 'rho must be 1e-09 to 1, or auto, not "nan"'),
        ("3.3", "rho=0.3,x", 'rho must be 1e-09 to 1, or auto, not "x"'),
        ("3.3", "ants=0", 'ants must be a whole number from 1 to 2147483647, or n, not "0"'),
        ("3.3", "ants=2.5", 'ants must be a whole number from 1 to 2147483647, or n, not "2.5"'),
        ("3.3", "protocol=best", 'protocol must be as, as-best or mmas, not "best"'),
        ("3.3", "l2=warm", 'l2 must be hot or cold, not "warm"'),
        ("5.1", "cached=2", 'cached must be 0 or 1, not "2"'),
        ("6.1", "hysteresis=0", 'hysteresis must be a whole number from 1 to 10000, or all, not "0"'),
        ("6.1", "nn=8", "--set nn=8: no row here has this parameter (--help lists all parameters)"),
    ],
)
def test_wrong_names_and_values_are_exit_2(driver, setting, expected, tmp_path):
    result = drive(*TINY[driver], "--set", setting, "--out", tmp_path / "run", driver=driver)
    assert (result.returncode, one_line(result)) == (2, f"antbench {driver}: {expected}")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("driver", ["3.3", "6.1"])
def test_a_cpu_has_no_l2_to_flush(driver, tmp_path):
    implementations = {"3.3": "tsp/acotsp-seq", "6.1": "colour-edge/seq"}
    result = drive(
        *TINY[driver],
        "--backend",
        "cpu",
        "--implementations",
        implementations[driver],
        "--set",
        "l2=cold",
        "--out",
        tmp_path / "run",
        driver=driver,
    )
    assert result.returncode == 77
    rows = rows_of(tmp_path / "run")
    assert rows and {row["status"] for row in rows} == {"unsupported"}
    assert all(
        params_of(row)["l2"] == "cold" and "l2=cold is only possible for rows on a GPU" in row["note"] for row in rows
    )


def test_a_hot_l2_is_the_rule():
    arguments = ["--instances", "u30", "--backend", "cpu"]
    assert planned(*arguments, "--set", "l2=hot") == planned(*arguments)


@pytest.mark.parametrize("before, after", [([], ["rho=0.3"]), (["rho=0.3"], []), (["rho=0.3"], ["rho=0.4"])])
def test_resuming_with_another_set_is_refused(before, after, tmp_path):
    arguments = [*TINY["3.3"], "--backend", "cpu", "--out", tmp_path / "run"]
    assert drive(*arguments, *sets_of(before)).returncode == 0
    refused = drive(*arguments, *sets_of(after), "--resume")
    assert refused.returncode == 2 and "cannot be resumed: options.set was " in one_line(refused)
    assert drive(*arguments, *sets_of(before), "--resume").returncode == 0
