"""The drivers of sentences that have no table: 5.4 and 6.5 of ants and colour edges, jsc-5.2 of P systems, jpdc-3.3 of loads."""

import pytest

from support import commands
from support.commands import params_of, rows_of


def run(driver, out, *arguments):
    result = commands.drive("--out", out, *arguments, driver=driver)
    assert result.returncode == 0, result.stderr
    return rows_of(out)


def test_ants_in_parts_and_otherwise(tmp_path):
    rows = run("5.4", tmp_path / "run", "--instances", "shapes-64", "--profile", "smoke")
    verified = [row for row in rows if row["verify_metric"]]
    assert {row["row"] for row in verified} >= {"apart-all", "apart-update", "search-128", "search-128-uncached"}
    assert {(row["status"], row["verify_metric"]) for row in verified} == {("ok", "valid-moves")}
    found = {(row["table"], row["row"], row["quality_metric"]): row for row in rows if row["quality_metric"]}
    assert {"f", "f-sequential"} <= {metric for table, row, metric in found if (table, row) == ("5.5.2", "original")}
    original = params_of(found["5.5.2", "original", "f"])
    assert original["iterations"] == "512" and original["ants"] == "8"  # 512 on 512 x 512 pixels
    ours, other = found["5.5.2", "original", "f-of-runs"], found["5.5.2", "original", "f-sequential-of-runs"]
    assert [len(row["quality_runs"].split()) for row in (ours, other)] == [5, 5]
    assert ours["quality_runs"] != other["quality_runs"]  # other seeds
    crowds = [found["5.5.4", f"seq-ants-{ants}", "thickness-of-runs"] for ants in (1500, 3000, 4500, 6000)]
    assert {params_of(row)["threshold"] for row in crowds} == {"intensity"}
    assert [len(row["quality_runs"].split()) for row in crowds] == [5] * 4


def test_the_cut_at_the_intensity_does_not_grow_with_the_ants(tmp_path):
    """What is above it does: more ants find more edges, where a cut at the mean pheromone may find fewer."""
    rows = run(
        "5.4", tmp_path / "run", "--instances", "shapes-64", "--implementations", "edge-ants/seq", "--set", "runs=2"
    )
    shares = [
        float(row["quality_mean"]) for row in rows if row["table"] == "5.5.4" and row["quality_metric"] == "edge-share"
    ]
    assert len(shares) == 4 and shares == sorted(shares) and shares[0] < shares[3]


@pytest.fixture(scope="module")
def colours(tmp_path_factory):
    return run("6.5", tmp_path_factory.mktemp("colours") / "run", "--instances", "shapes-64")


def test_steps_of_colour_edges_are_verified_whole(colours):
    steps = {row["row"]: row for row in colours if row["table"] == "6.5.2"}
    assert {name: params_of(row)["step"] for name, row in steps.items()} == {
        "gradient": "gradient", "gradient-global": "gradient", "blur": "blur", "blur-acos": "blur"}  # fmt: skip
    assert {row["status"] for row in steps.values()} == {"ok"}
    assert {row["verify_value"] for name, row in steps.items() if name != "blur-acos"} == {"0"}
    assert steps["blur-acos"]["quality_metric"] == "mismatch-share" and float(steps["blur-acos"]["quality_mean"]) < 0.01


def test_maps_are_set_beside_cannys(colours):
    agreement = {
        row["row"]: float(row["quality_mean"]) for row in colours if row["quality_metric"] == "agreement-canny"
    }
    assert agreement.keys() == {"colour-edge", "sobel"} and all(0 < value < 1 for value in agreement.values())


def test_the_memory_of_the_generic_simulator_is_counted(tmp_path):
    """A variable more is twice the membranes, of a larger alphabet."""
    rows = run("jsc-5.2", tmp_path / "run", "--instances", "k3-n4-m5,k3-n5-m5", "--implementations", "psystem/generic")
    taken = [float(row["quality_mean"]) for row in rows if row["quality_metric"] == "gpu-bytes"]
    assert len(taken) == 2 and 1.5 * taken[0] < taken[1] < 3 * taken[0]


def test_generations_of_one_literal_are_of_as_many_iterations():
    planned = commands.planned("--profile", "thesis", driver="jsc-5.2")
    of = {name: [row["instance"] for row in planned if (row["table"], row["row"]) == ("jsc-5.2-sync", name)]
          for name in ("baseline", "baseline-grouped", "enhanced")}  # fmt: skip
    assert of["baseline"] == of["baseline-grouped"] == of["enhanced"] == [f"k1-n{n}-m1" for n in range(13, 22)]


def test_loads_are_counted_as_the_kernels_have_them(tmp_path):
    """A thread of gather reads two cities a step, a length an ant and its entry; one of tiles of 256 cities a city and a
    length an ant, its block one city more, and its entry."""
    n, ants = 20, 20
    rows = run("jpdc-3.3", tmp_path / "run", "--instances", f"u{n}")
    counted = {row["row"]: float(row["quality_mean"]) for row in rows if row["quality_metric"] == "loads"}
    share = {row["row"]: float(row["quality_mean"]) for row in rows if row["quality_metric"] == "loads-over-n4"}
    blocks, half_blocks = -(-n * n // 256), -(-n * n // 2 // 256)
    assert counted == {
        "gather": n * n * (2 * ants * n + ants + 1),
        "gather-tiled": blocks * ants * (2 * 256 + 1) + n * n,
        "gather-tiled-reduction": half_blocks * ants * (2 * 256 + 1) + n * (n - 1),
    }
    assert share == {name: pytest.approx(value / (ants * n**3), rel=1e-3) for name, value in counted.items()}
