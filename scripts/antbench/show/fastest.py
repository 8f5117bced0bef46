"""The fastest kernel for each task of report/fastest.csv, beside the source's kernel and the fastest CPU program.

A line of the file names the candidates of a task by their addresses (antbench.data.cells). All times of a task are
means over the same first iterations, on every machine.
"""

from dataclasses import dataclass

from antbench.data import cells, rows

PARTS = ("fastest", "source", "cpu")  # columns of fastest.csv that hold addresses


@dataclass(frozen=True)
class Time:
    """A time on one machine."""

    measured: cells.Estimate
    label: str  # the row's name for a reader
    slower: cells.Estimate  # this time over the fastest; the fastest itself has no such number


def tasks(sources):
    """[{task, iterations, lines}]. A line has the times of one machine, by part. Machines without a
    time are left out.
    """
    return [made for line in cells.read_layout("fastest.csv") if (made := of_task(line, sources))]


def of_task(line, sources):
    names = cells.members(line["set"])
    first = cells.common_iterations(
        [cells.look_up(source, line[part], x) for source in sources for part in PARTS if line[part] for x in names]
    )
    lines = [{"input": x, "machines": [times(line, x, source, first) for source in sources]} for x in names]
    kept = [each for each in lines if any(found["fastest"].measured for found in each["machines"])]
    every = [time.measured for each in kept for found in each["machines"] for time in found.values()]
    told = cells.told_iterations(every, first)
    return {"task": line["task"], "iterations": told, "lines": kept} if kept else None


def times(line, name, source, first):
    """{part: its Time} on one machine."""
    found = {part: cells.look_up(source, line[part], name, first) if line[part] else cells.Estimate() for part in PARTS}
    return {
        part: Time(each, label(each), cells.Estimate() if part == "fastest" else cells.divide(each, found["fastest"]))
        for part, each in found.items()
    }


def label(estimate):
    """The name of a time's row for a reader; "" without a row."""
    if not estimate:
        return ""
    row = estimate.rows[0]
    return rows.expect("report/fastest.csv", row["table"], row["row"], rows.measured())[0].label
