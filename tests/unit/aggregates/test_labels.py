"""label-rates and multi-label-mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval import stats
from mmeval.aggregates.labels import LabelRates, MultiLabelMean
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]
SIMPLE = ["correct"] * 5 + ["incorrect"] * 3 + ["not_attempted"] * 2


def test_simpleqa_form(table: Table) -> None:
    """facts 8.4: 5, 3 and 2 of 10 give .5, .3, .2, CGA .625, f1 .5556."""
    reduced = LabelRates()(table([0.0] * 10, label=SIMPLE))
    assert reduced.parts == pytest.approx(
        {"correct": 0.5, "incorrect": 0.3, "not_attempted": 0.2, "given_attempted": 0.625, "f": 0.5555555555}
    )
    assert (reduced.value, reduced.ci95) == (0.5, stats.wilson(5, 10))


@pytest.mark.parametrize(
    ("value", "expected", "interval"),
    [
        ("f", 5 / 9, None),
        ("given_attempted", 0.625, stats.wilson(5, 8)),
        ("incorrect", 0.3, stats.wilson(3, 10)),
    ],
)
def test_the_headline_is_chosen(table: Table, value: str, expected: float, interval: Any) -> None:
    reduced = LabelRates(value=value)(table([0.0] * 10, label=SIMPLE))
    assert reduced.value == pytest.approx(expected)
    assert reduced.ci95 == interval


def test_unlabelled_rows_stay_in_the_denominator(table: Table) -> None:
    """facts 8.4, SimpleVQA: verdicts outside the vocabulary fall in no bucket but count in N."""
    said = ["Correct", " correct", "wrong.", None, "incorrect", None, "", "not_attempted"]
    reduced = LabelRates()(table([0.0] * 8, label=said))
    assert [reduced.parts[name] for name in ("correct", "incorrect", "not_attempted")] == [0.25, 0.125, 0.125]
    assert reduced.notes == ("4 of 8 rows carry none of the labels; they stay in the denominator",)


def test_labels_from_evidence_or_a_field(table: Table) -> None:
    rows = table([0.0] * 2, evidence=[{"grade": "A"}, {"grade": "B"}], g=["A", "A"])
    params: dict[str, Any] = {"labels": ("A", "B"), "correct": "A", "attempted": ("A", "B"), "value": "A"}
    assert LabelRates(source="evidence.grade", **params)(rows).value == 0.5
    assert LabelRates(source="g", **params)(rows).value == 1.0
    assert (LabelRates(source="g", **params).fields(), LabelRates().fields()) == (("g",), ())


def test_a_dash_in_a_label_is_an_underscore(table: Table) -> None:
    reduced = LabelRates()(table([0.0] * 2, label=["not-attempted", "Not_Attempted"]))
    assert reduced.parts["not_attempted"] == 1.0


def test_rates_are_rounded_before_anything_is_made_of_them(table: Table) -> None:
    """VLMEvalKit utils/simplevqa.py@e8e78f05: of 7 rows, 3 right and 2 wrong."""
    said = ["correct"] * 3 + ["incorrect"] * 2 + ["not_attempted"] * 2
    rows = table([0.0] * 7, label=said)
    right, wrong = 0.4286, 0.2857
    given = right / 0.7143
    assert LabelRates(digits=4)(rows).parts == {
        "correct": right,
        "incorrect": wrong,
        "not_attempted": wrong,
        "given_attempted": given,
        "f": 2 * given * right / (given + right),
    }
    assert LabelRates(digits=4, value="f")(rows).value != LabelRates(value="f")(rows).value
    with pytest.raises(MetadataError, match="digits must be at least 1, not 0"):
        LabelRates(digits=0)


def test_no_attempts_and_no_rows(table: Table) -> None:
    reduced = LabelRates(value="f")(table([0.0], label=["not_attempted"]))
    assert (reduced.value, reduced.parts["given_attempted"]) == (0.0, 0.0)
    assert LabelRates()([]).value is None


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"correct": "right"}, "'right' is not one of 'labels'"),
        ({"attempted": ("maybe",)}, "'maybe' is not one of 'labels'"),
        ({"value": "best"}, "value 'best' must be one of"),
        ({"labels": ("A", "B"), "correct": "A", "value": "A"}, "'attempted' must name"),
    ],
)
def test_unusable_parameters_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        LabelRates(**params)


CAPABILITIES = [("ocr", "math"), ("ocr",), ("rec",), ("math", "ocr", "ocr")]


def test_a_row_adds_to_each_of_its_labels_once(table: Table) -> None:
    reduced = MultiLabelMean(labels="cap", exact_sets=True)(table([1.0, 0.5, 0.0, 0.0], cap=CAPABILITIES))
    assert reduced.value == 0.375
    assert reduced.parts == {
        "math": 0.5,
        "ocr": 0.5,
        "rec": 0.0,
        "set:math+ocr": 0.5,
        "set:ocr": 0.5,
        "set:rec": 0.0,
    }


def test_macro_over_labels(table: Table) -> None:
    reduced = MultiLabelMean(labels="cap", value="macro")(table([1.0, 0.5, 0.0, 0.0], cap=CAPABILITIES))
    assert (reduced.value, reduced.ci95) == (pytest.approx(1 / 3), None)


def test_labels_in_one_text_are_split(table: Table) -> None:
    reduced = MultiLabelMean(labels="skill", explode=";")(table([1.0, 0.0], skill=["a; b", "b;"]))
    assert reduced.parts == {"a": 1.0, "b": 0.5}


def test_a_row_without_labels_counts_in_the_mean_and_is_told(table: Table) -> None:
    reduced = MultiLabelMean(labels="cap")(table([1.0, 0.0], cap=[("a",), ()]))
    assert (reduced.value, reduced.parts) == (0.5, {"a": 1.0})
    assert reduced.notes == ("1 of 2 rows carry no label",)


def test_missing_labels_are_refused_and_measured_rows_undefined(table: Table) -> None:
    with pytest.raises(MetadataError, match="1 of 1 rows lack a value in field 'cap'"):
        MultiLabelMean(labels="cap")(table([1.0], cap=[None]))
    assert MultiLabelMean(labels="cap")(table([None], cap=[("a",)])).value is None
    assert MultiLabelMean(labels="cap", field="f").fields() == ("f", "cap")
