"""The regression gate: tells whether new code is slower or worse than old, given how much unchanged code varies."""
