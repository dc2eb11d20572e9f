"""Judges: how a model is asked about a sample, what it costs, and what its reply means."""
