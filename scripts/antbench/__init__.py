"""Reads runs, compares, plots, reports and judges them. The programs that measure are in C.

The package has four rooms: data, gate, show, tools. A room imports only from the rooms before it. __main__.py lists the
commands. All of them read runs through antbench.data.runs.
api.py is for programs in Python: antbench.load, antbench.regress, antbench.ab, antbench.solve.
"""

from antbench.api import BadInput, Comparison, Gate, Ratio, Runs, Tour, ab, load, regress, solve

__all__ = ["BadInput", "Comparison", "Gate", "Ratio", "Runs", "Tour", "ab", "load", "regress", "solve"]
