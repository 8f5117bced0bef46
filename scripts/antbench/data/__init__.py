"""Runs and their numbers: reading, checking, naming rows and cells, the statistics over processes."""
