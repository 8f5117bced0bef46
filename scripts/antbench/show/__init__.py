"""Shows runs: tables, figures, verdicts on claims, the report, and the documents' generated blocks."""
