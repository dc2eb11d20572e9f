"""Mean relative accuracy, and the number grammar before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mmeval.errors import UsageError
from mmeval.numbers._spatial import THRESHOLDS, mean_relative_accuracy, read_number
from mmeval.stages.mra import Mra
from mmeval.types import Case, Invalid, Pass, Score

VALUES = [
    # VLMEvalKit mean_relative_accuracy @ e8e78f05f308, run
    (1, 1, 1.0),
    (1.05, 1, 1.0),
    (1.1, 1, 0.9),
    (1.2, 1, 0.7),
    (1.25, 1, 0.6),
    (1.5, 1, 0.1),
    (2, 1, 0.0),
    (0, 0, 1.0),
    (0.3, 0, 0.5),
    (3, 2.5, 0.6),
    (6, 5, 0.6),
    (4, 5, 0.6),
    (float("inf"), 5, 0.0),
    (5, float("inf"), 0.0),
]


@pytest.mark.parametrize(("value", "gold", "score"), VALUES)
def test_value(value: float, gold: float, score: float) -> None:
    assert mean_relative_accuracy(value, gold) == score


def test_thresholds_are_numpy_doubles() -> None:
    assert (1 - np.linspace(0.5, 0.95, 10)).tolist() == list(THRESHOLDS)


TEXTS = [
    # VLMEvalKit can_match_na @ e8e78f05f308, run
    ("about 3 meters", 3.0),
    ("between 2 and 3", 3.0),
    ("1e3", 1000.0),
    ("[7, 8]", 7.0),
    ("1,200", 200.0),
    ("3-5", -5.0),
    ("twenty-one", -1.0),
    ("2.5.1", 0.1),
    ("<answer> 12 m</answer> 3", 12.0),
    ("<answer>x</answer><answer>4</answer>", 4.0),
    ("<think>5</think>", 5.0),
    ("<think>5</think> six", 6.0),
    ("[oops", None),
    ("[7, oops]", None),
    ("", None),
    ("none", None),
    ("①", None),
]


@pytest.mark.parametrize(("text", "value"), TEXTS, ids=[repr(row[0]) for row in TEXTS])
def test_grammar(text: str, value: float | None) -> None:
    assert read_number(text) == value


def test_reads_the_prediction(case: Callable[..., Case]) -> None:
    assert Mra()(case("1", "It is 1.2 m")) == Score(0.7, "1.2", None, "read")
    assert Mra()(case("1", "no idea")) == Score(0.0, None, None, "no-number")
    assert Mra()(case("1", "<think>1</think>2")).value == 0.0
    assert Mra()(case("1", "<think>1")).value == 0.0
    assert Mra(reasoning="keep")(case("1", "<think>1")).value == 1.0
    assert Mra()(case(["5", "6"], "6")).value == 1.0


def test_takes_what_an_earlier_stage_extracted(case: Callable[..., Case]) -> None:
    earlier = (Pass("extracted", "1.2"), Pass("no-number-found"))
    assert Mra()(case("1", "5", *earlier)) == Score(0.7, "1.2", None, "extracted")
    assert Mra(previous="ignore")(case("1", "1", *earlier)).value == 1.0
    text = Pass("extracted", "one metre")
    assert Mra()(case("1", "1", text)) == Score(0.0, "one metre", None, "extracted-is-no-number")


def test_reads_nothing_itself_where_an_earlier_stage_found_nothing(case: Callable[..., Case]) -> None:
    nothing = Pass("nothing-extracted")
    assert Mra()(case("1", "1", nothing)) == Score(0.0, None, None, "nothing-extracted")
    assert Mra(previous="ignore")(case("1", "1", nothing)) == Score(1.0, "1", None, "read")
    assert Mra()(case("1", "1", Pass("rules-only"))) == Score(1.0, "1", None, "read")


@pytest.mark.parametrize(
    ("gold", "reason"), [("", "blank-reference"), ("far", "unparsable-gold"), ("nan", "unparsable-gold")]
)
def test_unusable_golds(case: Callable[..., Case], gold: str, reason: str) -> None:
    assert Mra()(case(gold, "1")) == Invalid(reason)


@pytest.mark.parametrize("params", [{"previous": "text"}, {"reasoning": "drop"}])
def test_refused_parameters(params: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="choose one of"):
        Mra(**params)  # type: ignore[arg-type]
