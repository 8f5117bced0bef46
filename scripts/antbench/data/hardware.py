"""What a GPU has: multiprocessors (SMs), cores, clock and memory bandwidth. Of a measured GPU its driver says so, of a
published card the sources do: report/hardware.csv has the ids of the numbers in results/published/.
"""

import functools
import math
import re
from dataclasses import dataclass

from antbench.data import cells

# Single-precision cores of an SM by compute capability (CUDA C++ Programming Guide, "Arithmetic Instructions": additions
# a clock). An SM of another major capability has 128 from 5 on.
CORES_OF_SM = {60: 64, 70: 64, 72: 64, 75: 64, 80: 64}
FIRST_KNOWN = 50
LARGEST = 1e12  # of what is believed


@dataclass(frozen=True)
class Hardware:
    """NaN: not known."""

    sms: float = math.nan
    cores: float = math.nan
    ghz: float = math.nan  # of the cores
    gb_per_s: float = math.nan  # peak bandwidth of its memory

    @property
    def sm_ghz(self):
        return self.sms * self.ghz

    @property
    def core_ghz(self):
        """Half of its peak, in 10^9 operations a second: a multiply-add counts as two."""
        return self.cores * self.ghz


def of_device(device, sm_mhz=math.nan):
    """Of a GPU as meta.json has it, at this clock, or else at its highest. A foreign run may have anything there."""

    def known(name):
        value = device.get(name)
        return float(value) if isinstance(value, (int, float)) and abs(value) < LARGEST else math.nan

    sms, capability = known("sm_count"), known("compute_capability")
    cores = CORES_OF_SM.get(capability, 128) if capability >= FIRST_KNOWN else math.nan
    mhz = sm_mhz if sm_mhz > 0 else known("clock_mhz")
    # Two transfers a clock on every wire of the bus.
    return Hardware(sms, sms * cores, mhz / 1e3, 2 * known("memory_clock_mhz") * known("memory_bus_bits") / 8 / 1e3)


@functools.cache
def of_card(name):
    """Of a published card, "GTX 580". Where a source counts cores alone, the SMs are those of as many cores each as another
    card of its generation has."""
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
    """A published number, clocks in GHz; NaN for none."""
    row = cells.published_rows().get(published_id)
    return (row["value"] / 1e3 if row["unit"] == "MHz" else row["value"]) if row else math.nan


def known_as(text):
    """What names of a card are compared by: "NVIDIA GeForce GTX 580", "gtx580" and "GTX-580" are one."""
    return re.sub(r"[^a-z0-9]|nvidia|geforce|tesla", "", text.lower())


def cards():
    """The names of all published cards, those without a published time among them."""
    return [line["card"] for line in cells.read_layout("hardware.csv")]
