"""Commands beside the report: measuring, comparing builds, listing, exporting, what make index writes."""
