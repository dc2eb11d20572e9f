"""Pure functions from the settled rows of a run to named numbers, one file per family."""
