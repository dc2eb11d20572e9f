"""Yes and no: each public module is one rule set (see mmeval.reading)."""
