"""Numbers as simple-mmeval compares them: mm-evaluation/simple-mmeval mmeval/scoring @ 3aa72c0."""

from __future__ import annotations

import pytest

from mmeval.numbers.reference import RULES, first_number, matches
from mmeval.reading import Knobs
from mmeval.types import Options, Sample


def _sample(*golds: str) -> Sample:
    return Sample(1, "", Options(()), list(golds), golds, (), "numeric")


MATCHES = [
    (104.0, 100.0, {"numeric_rel_tol": 0.05}, True),
    (105.0, 100.0, {"numeric_rel_tol": 0.05}, True),
    (106.0, 100.0, {"numeric_rel_tol": 0.05}, False),
    (-104.0, -100.0, {"numeric_rel_tol": 0.05}, True),
    (0.04, 0.0, {"numeric_rel_tol": 0.05}, False),
    (0.04, 0.0, {"numeric_abs_tol": 0.05}, True),
    (0.0, 0.0, {}, True),
    (1.0, 1.1, {}, False),
    (float("inf"), float("inf"), {}, True),
    (float("nan"), float("nan"), {"numeric_rel_tol": 0.5}, False),
]


@pytest.mark.parametrize(("value", "gold", "knobs", "same"), MATCHES, ids=[str(case[:3]) for case in MATCHES])
def test_matches(value: float, gold: float, knobs: dict[str, float], same: bool) -> None:
    assert matches(value, gold, Knobs(**knobs)) is same


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("x = 3, y = 4 and 5", (4.0, "after-cue")),
        ("3 rows, so the answer is: 12", (12.0, "after-cue")),
        ("1,500", (1.0, "first-number")),
        ("about -.5%", (-0.005, "first-number")),
        ("7; the answer is unknown", (7.0, "first-number")),
        ("none", None),
    ],
)
def test_first_number(text: str, number: tuple[float, str] | None) -> None:
    assert first_number(text) == number


def test_exact_asks_the_first_reference_only() -> None:
    assert RULES.exact("5", _sample("4", "5"), Knobs()).hit is False
    assert RULES.rule("5", _sample("4", "5"), Knobs()).hit is True


def test_contains_without_tolerance_compares_texts() -> None:
    assert RULES.exact("It says 2042", _sample("42"), Knobs(string_match="contains")).hit is True
    assert RULES.rule("It says 2042", _sample("42"), Knobs(string_match="contains")).hit is True
    both = Knobs(string_match="contains", numeric_rel_tol=0.05)
    assert RULES.rule("It says 2042", _sample("42"), both).hit is False


def test_nothing_to_read() -> None:
    assert RULES.exact("six", _sample("6"), Knobs()).found.value is None
    assert RULES.rule("six", _sample("6"), Knobs()).hit is None
    assert RULES.rule("6", _sample("six"), Knobs()).hit is False
