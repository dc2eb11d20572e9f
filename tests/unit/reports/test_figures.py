"""What an aggregate says, and how sure it is, in words."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval import library
from mmeval.metadata import Aggregate, Unsupported
from mmeval.registry import aggregate_modules, protocol_folders
from mmeval.reports import figures

SAID = [
    ({"reduce": "mean"}, "the mean score", figures.OF_ROWS),
    (
        {"reduce": "mean", "where": {"k": ["a", "b"]}, "by": "c", "cluster": ["i"], "scale": 100},
        "the mean score, over the rows whose k is a or b, times 100; parts by c",
        "Student's t over clusters, the rows of the same i",
    ),
    (
        {"reduce": "mean", "field": "evidence.rating", "over": ["x"], "where": {"k": ["a"]}},
        "the mean rating of the rows, over the rows whose k is a and whose subset is x",
        figures.OF_ROWS,
    ),
    (
        {"reduce": "all-correct", "by": ["a", "b"], "parts_by": "c"},
        "the share of groups of rows with the same a and b that are all right; parts by c",
        "Wilson's over groups, which are the unit",
    ),
    (
        {"reduce": "macro-mean", "by": ["ability", "task"]},
        "the unweighted mean over ability of those over task of the mean score; parts by ability and task",
        "a normal one from the errors of the groups, which share no rows",
    ),
    (
        {"reduce": "pair-plus", "pair": "image"},
        "the sum over all categories (category) of 100 x accuracy and 100 x the share of pairs (rows of the "
        "same image) of which both rows are right",
        "a normal one over pairs, which are the unit",
    ),
    ({"reduce": "mean-of", "of": ["a", "b"]}, "the unweighted mean of a and b", figures.SHARED),
    (
        {"reduce": "sum-of", "of": ["a", "b", "c"], "disjoint": True},
        "the sum of a, b and c",
        "a normal one from the errors of the figures, whose rows are different",
    ),
    ({"reduce": "weighted-mean", "of": ["a"]}, "the weighted mean of a", figures.SHARED),
    ({"reduce": "prf1", "positive": "no"}, "F1 for the label no", "Wilson's, carried over to F1"),
    ({"reduce": "prf1", "value": "recall"}, "recall for the label yes", "Wilson's over rows"),
    (
        {"reduce": "prf1", "by": "c", "macro": True},
        "F1 for the label yes, the unweighted mean over c; parts by c",
        "none",
    ),
    (
        {"reduce": "prf1", "by": "c", "explode_overall": True, "value": "yes_ratio", "interval": "bootstrap"},
        "the share of replies for the label yes, where a row enters once per category; parts by c",
        "a percentile bootstrap over rows, 2,000 draws with a fixed seed",
    ),
    ({"reduce": "count-errors"}, "the mean absolute error of the counts", "Student's t over rows"),
    ({"reduce": "count-errors", "value": "rmse"}, "the root of the mean squared error of the counts", "none"),
    (
        {"reduce": "count-errors", "value": "within5"},
        "the share of counts within 5 % of the gold",
        "Wilson's over rows",
    ),
    ({"reduce": "sum"}, "the sum of the score", f"n times that of the mean: {figures.OF_ROWS}"),
    (
        {"reduce": "ratio-of-means", "numerator": "score", "denominator": "base"},
        "the mean score over the mean base of the rows, averaged over the runs of the judge",
        "Student's t of the linearised ratio",
    ),
    (
        {
            "reduce": "ratio-of-means",
            "numerator": "score",
            "denominator": "base",
            "mean_digits": 3,
            "digits": 2,
        },
        "the mean score over the mean base of the rows, both rounded to 3 digits, "
        "the ratio rounded to 2 digits, averaged over the runs of the judge",
        "Student's t of the linearised ratio",
    ),
    (
        {"reduce": "threshold-rate", "op": "<", "threshold": 3},
        "the share of rows whose score is < 3",
        "Wilson's over rows",
    ),
    (
        {"reduce": "label-rates"},
        "the rate of correct among the labels correct, incorrect and not_attempted",
        "Wilson's over rows",
    ),
    (
        {"reduce": "label-rates", "value": "f"},
        "the rate of f among the labels correct, incorrect and not_attempted",
        "none",
    ),
    (
        {"reduce": "label-rates", "labels": ["correct", "incorrect"], "digits": 4},
        "the rate of correct among the labels correct and incorrect, made of rates rounded to 4 digits",
        "Wilson's over rows",
    ),
    (
        {"reduce": "multi-label-mean", "labels": "skills", "value": "macro"},
        "the mean score over rows and over their skills",
        "none",
    ),
    (
        {"reduce": "checklist", "value": "items", "by": "field"},
        "the mean share of a checklist's items that are met; parts by field",
        figures.OF_ROWS,
    ),
    (
        {"reduce": "label-mean", "values": {"better": 1, "worse": -0.5}},
        "the mean of 1 for better and -0.5 for worse, and 0 for anything else",
        figures.OF_ROWS,
    ),
    (
        {"reduce": "replicate-spread"},
        "the standard deviation of the mean score over the runs of the judge",
        "none",
    ),
    ({"reduce": "box-ap"}, "AP of boxes as COCOeval defines it", "none"),
    (
        {"reduce": "box-ap", "max_dets": [100, 300, 1000], "by": "domain", "group_decimals": 3},
        "AP of boxes as COCOeval defines it at 100, 300 and 1000 boxes per image and category, the "
        "unweighted mean over domain, each rounded to 3 decimals first; parts by domain",
        "none",
    ),
    (
        {"reduce": "box-ap", "evaluator": "lvis", "max_dets": 300},
        "AP of boxes as LVISEval defines it at 300 boxes per image",
        "none",
    ),
    (
        {"reduce": "box-ap", "evaluator": "lvis", "value": "APr", "mode": "constant", "by": "domain"},
        "APr of boxes as LVISEval defines it, with equal scores, the unweighted mean over domain; "
        "parts by domain",
        "none",
    ),
    (
        {"reduce": "box-ap", "interval": "bootstrap"},
        "AP of boxes as COCOeval defines it",
        "a percentile bootstrap over images, 1,000 draws with a fixed seed",
    ),
    (
        {"reduce": "box-counts", "value": "rmse"},
        "the root of the mean squared error of the counts of boxes",
        "none",
    ),
    (
        {"reduce": "box-f1"},
        "F1 of the boxes at IoU 0.5, whatever their scores",
        "Student's t of the ratio of sums over images",
    ),
    (
        {"reduce": "calibration-error"},
        "the root mean square distance between stated confidence and the share that is right, "
        "over bins of 100 rows without the last",
        "none",
    ),
    ({"reduce": "pass@k", "k": 2}, "the chance that any of 2 predictions is right", figures.OF_ROWS),
    ({"reduce": "maj@k"}, "the score of the answer that most of all predictions give", figures.OF_ROWS),
]


@pytest.mark.parametrize(
    ("declared", "what", "sure"), SAID, ids=[f"{n}-{row[0]['reduce']}" for n, row in enumerate(SAID)]
)
def test_in_words(declared: dict[str, Any], what: str, sure: str) -> None:
    spec = Aggregate.model_validate({"name": "x", **declared})
    assert (figures.figure(spec), figures.interval(spec)) == (what, sure)


def test_every_reducer_has_words_and_an_interval() -> None:
    assert set(figures.WHAT) == set(figures.INTERVALS) == set(aggregate_modules())
    assert {row[0]["reduce"] for row in SAID} == set(aggregate_modules())


def test_a_reducer_of_another_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(figures.WHAT, "sum")
    monkeypatch.delitem(figures.INTERVALS, "sum")
    spec = Aggregate(name="x", reduce="sum")
    assert (figures.figure(spec), figures.interval(spec)) == ("the reducer sum", "as its reducer says")


def test_every_aggregate_of_the_library_can_be_told() -> None:
    for folder in protocol_folders():
        for subset in library.load(folder).subsets.values():
            if not isinstance(subset.score_pipeline, Unsupported):
                for block in (subset, *subset.variants.values()):
                    assert all(
                        figures.figure(each) and figures.interval(each) for each in block.score_aggregates
                    )
