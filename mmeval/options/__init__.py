"""Option letters and texts: each public module is one rule set (see mmeval.reading)."""
