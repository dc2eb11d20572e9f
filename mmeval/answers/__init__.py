"""Free-text answers: each public module is one rule set (see mmeval.reading)."""
