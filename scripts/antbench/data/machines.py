"""Which machine a run was measured on, which code a row is of, and the marks of cells that are of other runs.

A machine is known by what it is, never by the name of its CPU: hosts of one name differ by a half.
"""

import functools
import hashlib
from collections import Counter

from antbench.data import code

LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"


def machine_of(run, backend="cuda"):
    """What tells the machine of a run's rows from others: its GPUs for rows of a GPU, else its host.

    A run without a fingerprint of its host has that of its GPU and day, else its own name: what is not known to be one
    host counts as two.
    """
    if backend == "cuda" and (gpus := gpus_of(run)):
        return gpus
    fingerprint = run.meta.get("machine", {}).get("fingerprint")
    if fingerprint:
        return ("host", fingerprint)
    gpus = gpus_of(run)
    return ("host beside", *gpus, run.started[:10]) if gpus else ("host of", run.run_id)


def gpus_of(run):
    """The fingerprints of a run's GPUs; () where one of them has none."""
    found = tuple(map(fingerprint_of, run.devices))
    return tuple(sorted(found)) if all(found) else ()


def fingerprint_of(device):
    """A GPU's, which a run has since schema 5, shared or not; "" of one that is not known."""
    return device.get("fingerprint") or (fingerprint("device", device["uuid"]) if device.get("uuid") else "")


def fingerprint(kind, text):
    """As bench/clock/machine.c makes it."""
    return hashlib.sha256(f"antbench {kind} {text}".encode()).hexdigest()


def name_of(run):
    """A machine's short name for a legend: "GPU 9272df6f"; its host's without a GPU; "" of an unknown one."""
    gpus = sorted((device.get("uuid") or fingerprint_of(device)).removeprefix("GPU-")[:8] for device in run.devices)
    host = (run.meta.get("machine", {}).get("fingerprint") or "")[:8]
    return "GPU " + "+".join(gpus) if gpus and all(gpus) else f"host {host}" if host else ""


def code_of(row):
    """What tells the code of a row from other code.

    For a GPU it is the hash of its kernel; of a file without kernels of its own, all device code. For a CPU it is the
    commit, and the program where that has changes.
    """
    build = row["run"].meta.get("build", {})
    if row["backend"] == "cuda":
        return kernel_of(row["run"], row["implementation"]) or row["run"].device_code or row["run_id"]
    return build.get("executable_sha256") if build.get("dirty") else build.get("commit") or row["run_id"]


def kernel_of(run, implementation):
    """The hash of the kernels in an implementation's file; "" where it is not stored, or is that of no kernel."""
    found = run.kernels.get(code.name_of_kernel(files().get(implementation, "")), "")
    return found if list(run.kernels.values()).count(found) == 1 else ""


@functools.cache
def files():
    """{implementation: its file} today: what git has depends on the checkout."""
    return code.files("")


def processors_of(meta):
    """A run's CPU in words: "Intel Xeon Processor, 16 cores"; of a run that knows more of it "..., 16 threads that
    amount to 8.2 cores, virtual (KVMKVMKVM)"."""
    machine = meta.get("machine", {})
    cpu, threads, cores = (machine.get(name) for name in ("cpu", "usable_cores", "effective_cores"))
    told = [
        cpu or "",
        f"{threads or '?'} cores" if cores is None else f"{threads} threads that amount to {cores:.3g} cores",
    ]
    if machine.get("virtual"):
        told.append(f"virtual ({machine['hypervisor']})" if machine.get("hypervisor") else "virtual")
    return ", ".join(told)


# ---- Marks ----


def sources_of(rows):
    """The runs of a cell's rows, in order."""
    return tuple(sorted({row["run"] for row in rows}, key=lambda run: (run.started, run.run_id)))


class Marks:
    """The marks of a table's cells: none for those of its main runs, the ones that most cells are of."""

    def __init__(self, columns):
        """`columns`: of each part of the table that has main runs of its own, the runs of each cell (`sources_of`)."""
        self.columns, self.letters = [list(filter(None, column)) for column in columns], {}
        for column in self.columns:
            main = most_frequent(column)
            for runs in column:
                if runs != main:
                    self.letters.setdefault(runs, letter(len(self.letters)))

    def of(self, column, runs):
        """The mark of a cell of these runs in one of the columns, by its number."""
        return "" if runs == self.main(column) else self.letters.get(runs, "")

    def main(self, column):
        return most_frequent(self.columns[column])

    def legend(self):
        """As "ᵃ nvidia-h200/20261122T191522Z-7a4bb66 (commit 7a4bb66, GPU 9272df6f)", of each mark, and first of no mark
        where a table has one part; [] where all cells are of the same runs."""
        unmarked = {self.main(0): "unmarked:"} if self.letters and len(self.columns) == 1 else {}
        return [f"{mark} {', '.join(map(described, runs))}" for runs, mark in {**unmarked, **self.letters}.items()]


def most_frequent(values):
    return Counter(values).most_common(1)[0][0] if values else ()


def letter(i):
    return LETTERS[i % len(LETTERS)] * (1 + i // len(LETTERS))


def described(run):
    told = ", ".join(filter(None, (f"commit {commit_of(run)}", name_of(run))))
    return f"{run.run_id} ({told})"


def commit_of(run):
    build = run.meta.get("build", {})
    return build.get("commit", "unknown") + (" with changes" if build.get("dirty") else "")
