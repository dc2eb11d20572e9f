"""Which figures are better the larger they are, and which parts of a headline are groups of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mmeval.reports.figures import WHAT

# A reducer whose parts are several figures, by default the first one; scores leave the default out.
FIGURES = {
    "box-ap": ("AP",),
    "box-counts": ("mae", "rmse", "nae", "exact", "within5", "within10"),
    "box-f1": ("f1", "precision", "recall"),
    "calibration-error": ("error", "all_bins", "confidence", "right"),
    "checklist": ("overall", "strict", "items"),
    "count-errors": ("mae", "rmse", "nae", "exact", "within5", "within10"),
    "pair-plus": ("", "acc", "acc_plus"),
    "prf1": ("f1", "accuracy", "precision", "recall", "yes_ratio"),
    "ratio-of-means": ("", "numerator", "denominator"),
    "replicate-spread": ("std", "mean", "min", "max"),
}
# AP50, APs, AR100, ARs@300: the numbers of a detector, of which a category is no one (`AP:person`).
BOX_FIGURE = re.compile(r"A[PR][a-z0-9@]*")
SMALLER = {"mae", "rmse", "nae", "error"}
NEITHER = {("prf1", "yes_ratio"), *(("replicate-spread", name) for name in FIGURES["replicate-spread"])}
# Shares of one label each, single runs, and means behind an error: no groups.
NO_GROUPS = ("calibration-error", "label-rates", "replicate-spread")


def headline(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The aggregate that is the headline, as the score has it."""
    specs = config.get("score_aggregates") or ()
    return next((each for each in specs if each.get("headline")), {})


def better(spec: Mapping[str, Any]) -> int:
    """1 where more is better, -1 where less is, 0 where neither is or nobody has said."""
    reduce, value = spec.get("reduce"), _value(spec)
    if reduce not in WHAT or (reduce, value) in NEITHER:
        return 0
    if reduce == "label-rates":
        good = (spec.get("correct", "correct"), "f", "given_attempted")
        return int((value or "correct") in good)
    return -1 if reduce in FIGURES and value in SMALLER else 1


def _value(spec: Mapping[str, Any]) -> Any:
    """The figure that was chosen, or the one that is taken where none was."""
    return spec.get("value") or FIGURES.get(str(spec.get("reduce")), (None,))[0]


def groups(spec: Mapping[str, Any], parts: Mapping[str, float | None]) -> dict[str, float]:
    """The parts that are the headline's figure of one group each; other figures do not compare with them."""
    reduce = str(spec.get("reduce"))
    if reduce in NO_GROUPS:
        return {}
    own = f".{_value(spec)}"
    return {
        name: value
        for name, value in parts.items()
        if value is not None and (not _figure(reduce, name) or name.endswith(own))
    }


def _figure(reduce: str, name: str) -> bool:
    """Whether a part is called as a figure of its reducer is."""
    last = name.rpartition(".")[2]
    return last in FIGURES.get(reduce, ()) or (reduce == "box-ap" and BOX_FIGURE.fullmatch(last) is not None)
