"""Tables 3.3 and 4.2 on small TSPLIB files of every type of distances, with distances by another program's rules."""

import random

import pytest

from support.commands import drive, rows_of
from support.distances import RULES

N = 34  # more than a warp

# Which columns a row has: those before the diagonal, the diagonal, those after it. The columns of one triangle are the
# rows of the other.
FORMS = {
    "FULL_MATRIX": (True, True, True),
    "UPPER_ROW": (False, False, True),
    "LOWER_ROW": (True, False, False),
    "UPPER_DIAG_ROW": (False, True, True),
    "LOWER_DIAG_ROW": (True, True, False),
    "UPPER_COL": (True, False, False),
    "LOWER_COL": (False, False, True),
    "UPPER_DIAG_COL": (True, True, False),
    "LOWER_DIAG_COL": (False, True, True),
}


def write(path, kind, section, lines):
    head = f"TYPE : TSP\nDIMENSION : {N}\nEDGE_WEIGHT_TYPE : {kind}\n{section}\n"
    path.write_text(head + "\n".join(lines) + "\nEOF\n")


def instances(folder):
    """{name: the distances}, each written to a file."""
    draw = random.Random(1)
    points = [(draw.randrange(-600, 600) / 10, draw.randrange(-1500, 1500) / 10) for _ in range(N)]
    found = {}
    for kind, rule in RULES.items():
        nodes = [f"{i} {x} {y}" for i, (x, y) in enumerate(points, 1)]
        write(folder / f"{kind}.tsp", kind, "NODE_COORD_SECTION", nodes)
        found[kind] = [[rule(a, b) for b in points] for a in points]
    weights = [[draw.randrange(1, 1000) for _ in range(N)] for _ in range(N)]
    matrix = [[weights[min(i, j)][max(i, j)] * (i != j) for j in range(N)] for i in range(N)]
    for form, parts in FORMS.items():
        lines = [" ".join(str(matrix[i][j]) for j in range(N) if parts[(j >= i) + (j > i)]) for i in range(N)]
        write(folder / f"{form}.tsp", "EXPLICIT", f"EDGE_WEIGHT_FORMAT : {form}\nEDGE_WEIGHT_SECTION", lines)
        found[form] = matrix
    return found


def bounds(matrix):
    """Of a tour's length: half the sum of each city's two shortest edges, and of its two longest."""
    others = [sorted(row[:i] + row[i + 1 :]) for i, row in enumerate(matrix)]
    return sum(row[0] + row[1] for row in others) / 2, sum(row[-1] + row[-2] for row in others) / 2


def measured(folder, driver, distances, *options):
    """The rows of a short run on instances, each with a tour that can be."""
    names = ",".join(str(folder / f"{name}.tsp") for name in distances)
    short = ("--profile", "smoke", "--runs", 1, "--iterations", 1)
    result = drive(*short, "--instances", names, *options, "--out", folder / "run", driver=driver)
    assert result.returncode == 0, result.stderr
    rows = rows_of(folder / "run")
    assert {row["instance"] for row in rows} == set(distances)
    assert {row["status"] for row in rows} <= {"ok", "few", "noisy"}
    found = [row for row in rows if row["quality_best"]]
    assert {row["instance"] for row in found} == set(distances)
    for row in found:
        low, high = bounds(distances[row["instance"]])
        assert low <= float(row["quality_best"]) <= high, row
    return found


@pytest.mark.parametrize("driver", ["3.3", "4.2"])
def test_every_rule_and_a_matrix(driver, tmp_path):
    """But for EUC_2D, which other tests have."""
    distances = instances(tmp_path)
    measured(tmp_path, driver, {name: distances[name] for name in (*RULES, "FULL_MATRIX") if name != "EUC_2D"})


def test_one_matrix_in_nine_forms_has_the_same_tours(tmp_path):
    distances = instances(tmp_path)
    of_forms = {name: distances[name] for name in FORMS}
    best = {form: set() for form in FORMS}
    for row in measured(tmp_path, "3.3", of_forms, "--implementations", "tsp/race,tsp/acotsp-seq"):
        best[row["instance"]].add((row["row"], row["params"], row["quality_best"]))
    assert all(found == best["FULL_MATRIX"] and len(found) > 1 for found in best.values())
