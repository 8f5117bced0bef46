"""Other commands: measuring, comparing builds, listing, exporting, and writing what `make index` writes."""
