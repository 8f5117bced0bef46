"""Reads runs, compares, plots, reports and judges them. The programs that measure are in C.

The package has four rooms: data, gate, show, tools. A room imports only from the rooms before it. __main__.py lists the
commands. All of them read runs through antbench.data.runs.
api.py is for programs in Python: antbench.load, antbench.regress, antbench.gate, antbench.ab, antbench.solve.
The room gate is imported before it, so that antbench.gate is the function.
"""

import antbench.gate  # noqa: F401
from antbench.api import BadInput, Comparison, Gate, Ratio, Runs, Tour, ab, gate, load, regress, solve

__all__ = ["BadInput", "Comparison", "Gate", "Ratio", "Runs", "Tour", "ab", "gate", "load", "regress", "solve"]
