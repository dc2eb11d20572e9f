"""Pure functions from the settled rows of a run to named numbers, one file per family.

`REDUCERS` says which module holds each, so that only those which a protocol names are loaded.
"""

REDUCERS = {
    "all-correct": "groups",
    "box-ap": "box_ap",
    "box-counts": "boxes",
    "box-f1": "boxes",
    "calibration-error": "calibration",
    "checklist": "judged",
    "count-errors": "counts",
    "label-mean": "judged",
    "label-rates": "labels",
    "macro-mean": "groups",
    "maj@k": "attempts",
    "mean": "rates",
    "mean-of": "combine",
    "multi-label-mean": "labels",
    "pair-plus": "groups",
    "pass@k": "attempts",
    "prf1": "classification",
    "ratio-of-means": "ratios",
    "replicate-spread": "judged",
    "sum": "rates",
    "sum-of": "combine",
    "threshold-rate": "rates",
    "weighted-mean": "combine",
}
