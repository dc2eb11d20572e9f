"""Files of predictions in, samples out."""
