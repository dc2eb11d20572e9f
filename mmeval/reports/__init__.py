"""Score files for people."""
