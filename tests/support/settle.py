"""Runs whose samples a test has changed."""

import csv

import numpy as np

from antbench.data import runs, validate


def settle(folder):
    """Makes the statistics and the statuses in a run's table those of its samples again; the folder."""
    [table] = folder.glob("table-*.csv")
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    of_line = {line: {} for line in range(2, 2 + len(rows))}
    with open(folder / "samples.csv", newline="") as file:
        for sample in csv.DictReader(file):
            of_process = of_line[int(sample["line"])].setdefault(sample["process"], [])
            of_process.append(float("nan") if sample["discard_reason"] else float(sample["ms"]))
    measured = [
        {"scope": row["scope"], "processes": [np.array(samples) for samples in of_processes.values()]}
        for row, of_processes in zip(rows, of_line.values())
    ]
    for row, own, whole in zip(rows, measured, runs.wholes(measured)):
        processes = own["processes"]
        found = validate.summary(processes)
        kept = sum(np.count_nonzero(~np.isnan(samples)) for samples in processes)
        row.update({name: "" for name in runs.TIMES}, samples=str(kept) if kept else "")
        row["processes"] = str(len(processes)) if kept else ""
        if kept:
            row["status"] = validate.status_of(processes, whole["processes"], float(row["waited"] or "nan"))
        row.update({name: f"{value:.12g}" for name, value in found.items() if value == value})
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return folder
