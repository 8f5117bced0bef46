"""What becomes of runs: reading them, comparing, plotting, reporting, judging. Nothing here measures.

Four rooms, of which each imports only from those before it: data, gate, show, tools. __main__.py has the commands.
All read runs through antbench.data.runs.
"""
