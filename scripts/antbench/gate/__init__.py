"""The regression gate: is new code slower or worse than old, beside how much unchanged code varies."""
