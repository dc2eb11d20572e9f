"""Two scored runs of the same samples, or two scorings of the same predictions: how far apart, and why."""
