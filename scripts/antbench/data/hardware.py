"""What a GPU has: multiprocessors (SMs), cores, clock and memory bandwidth.

For a measured GPU its driver says so. For a published card report/hardware.csv names the numbers in results/published/.
"""

import functools
import math
import re
from dataclasses import dataclass

from antbench.data import cells

# Single-precision cores per SM by compute capability (CUDA C++ Programming Guide, "Arithmetic Instructions"). From
# capability 5.0 on, every other SM has 128.
CORES_OF_SM = {60: 64, 70: 64, 72: 64, 75: 64, 80: 64}
FIRST_KNOWN = 50
LARGEST = 1e12  # larger numbers are not believed


@dataclass(frozen=True)
class Hardware:
    """A GPU's numbers; NaN if unknown."""

    sms: float = math.nan
    cores: float = math.nan
    ghz: float = math.nan  # clock of the cores
    gb_per_s: float = math.nan  # peak bandwidth of the memory

    @property
    def sm_ghz(self):
        return self.sms * self.ghz

    @property
    def core_ghz(self):
        """Half of the peak rate in 10^9 operations per second, because a multiply-add counts as two operations."""
        return self.cores * self.ghz


def of_device(device, sm_mhz=math.nan):
    """The Hardware of a GPU as meta.json describes it, at this clock, or else at its highest clock.

    A foreign run may have anything in meta.json, so that each number is checked.
    """

    def known(name):
        value = device.get(name)
        return float(value) if isinstance(value, (int, float)) and 0 < value < LARGEST else math.nan

    sms, capability = known("sm_count"), known("compute_capability")
    cores = CORES_OF_SM.get(capability, 128) if capability >= FIRST_KNOWN else math.nan
    mhz = sm_mhz if sm_mhz > 0 else known("clock_mhz")
    # Each wire of the bus transfers two bits per clock.
    return Hardware(sms, sms * cores, mhz / 1e3, 2 * known("memory_clock_mhz") * known("memory_bus_bits") / 8 / 1e3)


@functools.cache
def of_card(name):
    """The Hardware of a published card, such as "GTX 580".

    If a source counts the cores only, the number of SMs follows from another card of the same generation.
    """
    lines = {line["card"]: line for line in cells.read_layout("hardware.csv")}
    line = lines.get(name)
    if line is None:
        return Hardware()
    sms, cores, ghz, gb_per_s = (published(line[column]) for column in ("sms", "cores", "clock", "bandwidth"))
    if math.isnan(sms):
        others = [each for each in lines.values() if each["generation"] == line["generation"]]
        counted = [published(each["cores"]) / published(each["sms"]) for each in others]
        sms = cores / next((each for each in counted if each == each), math.nan)
    return Hardware(sms, cores, ghz, gb_per_s)


def published(published_id):
    """A published number, clocks in GHz; NaN if there is no such number."""
    row = cells.published_rows().get(published_id)
    return (row["value"] / 1e3 if row["unit"] == "MHz" else row["value"]) if row else math.nan


def known_as(text):
    """The form in which names of cards are compared: "NVIDIA GeForce GTX 580", "gtx580" and "GTX-580" are one."""
    return re.sub(r"[^a-z0-9]|nvidia|geforce|tesla", "", text.lower())


def cards():
    """The names of all published cards, also of cards without a published time."""
    return [line["card"] for line in cells.read_layout("hardware.csv")]
