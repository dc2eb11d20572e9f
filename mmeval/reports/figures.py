"""What an aggregate says and how sure it is, as a sentence: its declared parameters in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from mmeval.metadata import Aggregate
from mmeval.registry import aggregate_class, build

Words: TypeAlias = Callable[[Any], str]

ERRORS = {
    "mae": "the mean absolute error of the counts",
    "rmse": "the root of the mean squared error of the counts",
    "nae": "the mean of the counts' errors over their golds, without golds of 0",
    "exact": "the share of exact counts",
    "within5": "the share of counts within 5 % of the gold",
    "within10": "the share of counts within 10 % of the gold",
}
NO_INTERVAL = "none"
OF_ROWS = "Wilson's for scores of 0 and 1, Student's t for graded ones"
SHARED = "none, since the figures share rows"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as a sentence lists them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _names(by: str | tuple[str, ...]) -> str:
    return listed([by] if isinstance(by, str) else list(by))


def _of(field: str) -> str:
    return "score" if field == "score" else f"{field.removeprefix('evidence.')} of the rows"


def _pairs(made: Any) -> str:
    where = f"{len(made.categories)} categories" if made.categories else "all categories"
    return (
        f"the sum over {where} ({made.category}) of 100 x accuracy and 100 x the share of pairs (rows of the "
        f"same {_names(made.pair)}) of which both rows are right"
    )


def _nested(made: Any) -> str:
    names = [made.by] if isinstance(made.by, str) else list(made.by)
    return f"the unweighted mean over {' of those over '.join(names)} of the mean {_of(made.field)}"


def _prf1(made: Any) -> str:
    figure = {"f1": "F1", "yes_ratio": "the share of replies"}.get(made.value, made.value)
    spread = f", the unweighted mean over {made.by}" if made.macro else ""
    again = ", where a row enters once per category" if made.explode_overall else ""
    return f"{figure} for the label {made.positive}{spread}{again}"


def _ratio(made: Any) -> str:
    rounded = "" if made.mean_digits is None else f", both rounded to {made.mean_digits} digits"
    each = "" if made.digits is None else f", the ratio rounded to {made.digits} digits"
    means = f"the mean {_of(made.numerator)} over the mean {_of(made.denominator)}"
    return f"{means}{rounded}{each}, averaged over the runs of the judge"


def _label_rates(made: Any) -> str:
    rounded = f", made of rates rounded to {made.digits} digits" if made.digits is not None else ""
    return f"the rate of {made.value} among the labels {listed(made.labels)}{rounded}"


CHECKLIST = {
    "overall": "the share of rows that the judge finds right",
    "strict": "the share of rows that the judge finds right and that meet every item of their checklist",
    "items": "the mean share of a checklist's items that are met",
}
SPREAD = {"std": "standard deviation", "mean": "mean", "min": "lowest", "max": "highest"}


def _label_mean(made: Any) -> str:
    worth = [f"{value:g} for {label}" for label, value in made.values.items()]
    return f"the mean of {listed(worth)}, and {made.otherwise:g} for anything else"


BOXES = {
    "f1": "F1 of the boxes at IoU 0.5, whatever their scores",
    "precision": "the share of predicted boxes that are right at IoU 0.5",
    "recall": "the share of gold boxes that are found at IoU 0.5",
}
SCORED = {
    "primary": "",
    "response": ", with the reply's own scores",
    "constant": ", with equal scores",
    "original": ", with the scores and boxes of a tool's detections",
}


def _box_ap(made: Any) -> str:
    official, unit = {"coco": ("COCOeval", "image and category"), "lvis": ("LVISEval", "image")}[
        made.evaluator
    ]
    caps = [made.max_dets] if isinstance(made.max_dets, int) else list(made.max_dets or ())
    capped = f" at {listed([str(cap) for cap in caps])} boxes per {unit}" if caps else ""
    spread = f", the unweighted mean over {_names(made.by)}" if made.by else ""
    places = made.group_decimals
    rounded = f", each rounded to {places} decimals first" if made.by and places is not None else ""
    return f"{made.value} of boxes as {official} defines it{capped}{SCORED[made.mode]}{spread}{rounded}"


WHAT: dict[str, Words] = {
    "box-ap": _box_ap,
    "box-counts": lambda made: f"{ERRORS[made.value]} of boxes",
    "box-f1": lambda made: BOXES[made.value],
    "calibration-error": lambda made: (
        "the root mean square distance between stated confidence and the share that is right, "
        f"over bins of {made.bin_size} rows without the last"
    ),
    "checklist": lambda made: CHECKLIST[made.value],
    "label-mean": _label_mean,
    "replicate-spread": lambda made: f"the {SPREAD[made.value]} of the mean score over the runs of the judge",
    "mean": lambda made: f"the mean {_of(made.field)}",
    "sum": lambda made: f"the sum of the {_of(made.field)}",
    "ratio-of-means": _ratio,
    "threshold-rate": lambda made: (
        f"the share of rows whose {_of(made.field)} is {made.op} {made.threshold:g}"
    ),
    "macro-mean": _nested,
    "all-correct": lambda made: (
        f"the share of groups of rows with the same {_names(made.by)} that are all right"
    ),
    "pair-plus": _pairs,
    "prf1": _prf1,
    "label-rates": _label_rates,
    "multi-label-mean": lambda made: f"the mean {_of(made.field)} over rows and over their {made.labels}",
    "count-errors": lambda made: ERRORS[made.value],
    "pass@k": lambda made: f"the chance that {made.need} of {made.k} predictions is right",
    "maj@k": lambda made: f"the score of the answer that most of {made.k or 'all'} predictions give",
    "mean-of": lambda made: f"the unweighted mean of {listed(made.of)}",
    "sum-of": lambda made: f"the sum of {listed(made.of)}",
    "weighted-mean": lambda made: f"the weighted mean of {listed(made.of)}",
}


def _of_mean(made: Any) -> str:
    if not made.cluster:
        return OF_ROWS
    return f"Student's t over clusters, the rows of the same {_names(made.cluster)}"


def _of_prf1(made: Any) -> str:
    if made.interval == "bootstrap":
        return "a percentile bootstrap over rows, 2,000 draws with a fixed seed"
    if made.macro or made.explode_overall:
        return NO_INTERVAL
    return "Wilson's, carried over to F1" if made.value == "f1" else "Wilson's over rows"


def _of_figures(made: Any) -> str:
    return (
        "a normal one from the errors of the figures, whose rows are different" if made.disjoint else SHARED
    )


def _of_counts(made: Any) -> str:
    if made.value == "rmse":
        return NO_INTERVAL
    return "Student's t over rows" if made.value in ("mae", "nae") else "Wilson's over rows"


def _of_box_ap(made: Any) -> str:
    if made.interval == "none":
        return NO_INTERVAL
    return "a percentile bootstrap over images, 1,000 draws with a fixed seed"


INTERVALS: dict[str, Words] = {
    "box-ap": _of_box_ap,
    "box-counts": _of_counts,
    "box-f1": lambda made: "Student's t of the ratio of sums over images",
    "calibration-error": lambda made: NO_INTERVAL,
    "checklist": lambda made: OF_ROWS,
    "label-mean": lambda made: OF_ROWS,
    "replicate-spread": lambda made: NO_INTERVAL,
    "mean": _of_mean,
    "sum": lambda made: f"n times that of the mean: {OF_ROWS}",
    "ratio-of-means": lambda made: "Student's t of the linearised ratio",
    "threshold-rate": lambda made: "Wilson's over rows",
    "macro-mean": lambda made: "a normal one from the errors of the groups, which share no rows",
    "all-correct": lambda made: "Wilson's over groups, which are the unit",
    "pair-plus": lambda made: "a normal one over pairs, which are the unit",
    "prf1": _of_prf1,
    "label-rates": lambda made: NO_INTERVAL if made.value == "f" else "Wilson's over rows",
    "multi-label-mean": lambda made: OF_ROWS if made.value == "micro" else NO_INTERVAL,
    "count-errors": _of_counts,
    "pass@k": lambda made: OF_ROWS,
    "maj@k": lambda made: OF_ROWS,
    "mean-of": _of_figures,
    "sum-of": _of_figures,
    "weighted-mean": _of_figures,
}


def figure(spec: Aggregate) -> str:
    """What one aggregate is, as a clause: the reducer, the rows that count, the scale, the parts."""
    made = build(aggregate_class(spec.reduce), spec.params, f"aggregate {spec.name}")
    words = WHAT.get(spec.reduce)
    said = f"the reducer {spec.reduce}" if words is None else words(made)
    scale = f", times {spec.scale:g}" if spec.scale != 1 else ""
    return f"{said}{_where(spec)}{scale}{_parts(made)}"


def _where(spec: Aggregate) -> str:
    said = [f"{field} is {listed(values, 'or')}" for field, values in spec.where.items()]
    said += [f"subset is {listed(spec.over, 'or')}"] if spec.over else []
    return f", over the rows whose {' and whose '.join(said)}" if said else ""


def _parts(made: Any) -> str:
    by = made.parts_by if hasattr(made, "parts_by") else getattr(made, "by", None)
    return f"; parts by {_names(by)}" if by else ""


def interval(spec: Aggregate) -> str:
    """How the 95 % interval of an aggregate is made, as a clause."""
    words = INTERVALS.get(spec.reduce)
    if words is None:
        return "as its reducer says"
    return words(build(aggregate_class(spec.reduce), spec.params, f"aggregate {spec.name}"))
