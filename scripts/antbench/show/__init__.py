"""What is shown of runs: tables, figures, verdicts on claims, the report, the documents' generated blocks."""
