"""What becomes of runs: reading them, comparing, plotting, reporting, judging. Nothing here measures.

Programs are modules: PYTHONPATH=scripts python3 -m antbench.compare A B. All read runs through antbench.runs.
"""
