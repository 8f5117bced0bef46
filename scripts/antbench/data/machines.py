"""The machine that a run was measured on, the code of a row, and the marks of cells from other runs.

A machine is known by a fingerprint, not by the name of its CPU: hosts with the same CPU name differ by up to a half.
"""

import functools
from collections import Counter

from antbench.data import code

VERSIONS = {"npp": "npp_version", "cudnn": "cudnn_version"}  # of the libraries that do an implementation's work
LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"


def machine_of(run, backend="cuda"):
    """What identifies the machine of a run's rows: its host, or the GPUs of rows of a GPU if the host is unknown.

    GPUs of one host are one machine: what the host adds to a time is the same for all. Hosts that are not known to be
    the same count as different.
    """
    if host := host_of(run):
        return "host", host
    return (gpus_of(run) if backend == "cuda" else ()) or ("host of", run.run_id)


def gpus_of(run):
    """The fingerprints of a run's GPUs; () if one of them has no fingerprint."""
    found = [device.get("fingerprint") for device in run.devices]
    return tuple(sorted(found)) if all(found) else ()


def host_of(run):
    """The fingerprint of a run's host; None if it has none."""
    return run.meta.get("machine", {}).get("fingerprint")


def name_of(run):
    """A machine's short name for a legend: "GPU 9272df6f", or its host's name without a GPU; "" if unknown."""
    gpus, host = "+".join(gpu[:8] for gpu in gpus_of(run)), host_of(run)
    return f"GPU {gpus}" if gpus else f"host {host[:8]}" if host else ""


def code_of(row):
    """What identifies the code of a row.

    For a GPU it is the hash of the kernels in the implementation's file. If the file lacks kernels, or another file has
    the same, it is the hash of the operation's kernels, else of all device code. A library's version is added. For a
    CPU it is the hash of its sources. Some stored runs lack this hash: their commit stands for it, or the hash of the
    program if the tree had changes.
    """
    build = row["run"].meta.get("build", {})
    if row["backend"] == "cuda":
        run, implementation = row["run"], row["implementation"]
        found = kernel_of(run, implementation) or operation_of(run, implementation) or run.device_code or row["run_id"]
        return found + (build.get(VERSIONS.get(implementation.partition("/")[2])) or "")
    if known := build.get("cpu_code_sha256"):
        return known
    return build.get("executable_sha256") if build.get("dirty") else build.get("commit") or row["run_id"]


def kernel_of(run, implementation):
    """The hash of the kernels in an implementation's file; "" if unknown or if several files have the same hash."""
    found = run.kernels.get(code.name_of_kernel(files().get(implementation, "")), "")
    return found if list(run.kernels.values()).count(found) == 1 else ""


def operation_of(run, implementation):
    """The hash of the kernels in an operation's folder; "" if it has none, or two files of one name."""
    folder = files().get(implementation, "").removeprefix("kernels/").split("/")[0] + "/"
    found = {name: digest for name, digest in run.kernels.items() if name.startswith(folder)}
    return code.digest_of(found) if all(found.values()) else ""


@functools.cache
def files():
    """{implementation: its file} in this tree."""
    return code.files("")


def processors_of(meta):
    """A run's CPU in words, such as "Intel Xeon Processor, 16 cores".

    A run that measured its cores knows more: "..., 16 threads that amount to 8.2 cores, virtual (KVMKVMKVM)".
    """
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
    """The marks of a table's cells. Cells of the main runs, which most cells come from, have no mark."""

    def __init__(self, columns):
        """`columns`: for each part of the table with main runs of its own, the runs of each cell (`sources_of`)."""
        self.columns, self.letters = [list(filter(None, column)) for column in columns], {}
        for column in self.columns:
            main = most_frequent(column)
            for runs in column:
                if runs != main:
                    self.letters.setdefault(runs, letter(len(self.letters)))

    def of(self, column, runs):
        """The mark of a cell of these runs; `column` is the number of its part."""
        return "" if runs == self.main(column) else self.letters.get(runs, "")

    def main(self, column):
        return most_frequent(self.columns[column])

    def legend(self):
        """One line per mark: "ᵃ nvidia-h200/20261122T191522Z-7a4bb66 (commit 7a4bb66, GPU 9272df6f)"; [] without marks.

        If the table has one part, the first line names the main runs, whose cells have no mark.
        """
        unmarked = {self.main(0): "unmarked:"} if self.letters and len(self.columns) == 1 else {}
        return [f"{mark} {', '.join(map(described, runs))}" for runs, mark in {**unmarked, **self.letters}.items()]


def most_frequent(values):
    return Counter(values).most_common(1)[0][0] if values else ()


def letter(i):
    return LETTERS[i % len(LETTERS)] * (1 + i // len(LETTERS))


def described(run):
    return f"{run.run_id} ({details_of(run)})"


def details_of(run):
    return ", ".join(filter(None, (f"commit {commit_of(run)}", name_of(run))))


def commit_of(run):
    build = run.meta.get("build", {})
    return build.get("commit", "unknown") + (" with changes" if build.get("dirty") else "")
