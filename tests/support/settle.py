"""Stored runs whose samples a test has changed."""

import csv

import numpy as np

from antbench.data import runs, validate


def settle(folder):
    """Makes the statistics in a run's table those of its samples again; the folder."""
    [table] = folder.glob("table-*.csv")
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    of_line = {line: {} for line in range(2, 2 + len(rows))}
    with open(folder / "samples.csv", newline="") as file:
        for sample in csv.DictReader(file):
            of_process = of_line[int(sample["line"])].setdefault(sample.get("process", "1"), [])
            of_process.append(float("nan") if sample["discard_reason"] else float(sample["ms"]))
    for line, row in enumerate(rows, start=2):
        processes = [np.array(of_process) for of_process in of_line[line].values()]
        found = validate.summary(processes, row["schema"])
        kept = sum(np.count_nonzero(~np.isnan(samples)) for samples in processes)
        row.update({name: "" for name in runs.TIMES}, samples=str(kept) if kept else "")
        row.update({name: f"{value:.12g}" for name, value in found.items() if value == value})
        if "processes" in row:
            row["processes"] = str(len(processes)) if kept else ""
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return folder
