"""OCRBench's containment rule."""

from __future__ import annotations

import pytest

from mmeval.answers.ocrbench import RULES
from mmeval.reading import Knobs
from mmeval.types import Json, Options, Sample

MATHS = "Handwritten Mathematical Expression Recognition"
CASES: list[tuple[dict[str, Json], tuple[str, ...], str, bool | None]] = [
    # VLMEvalKit ocrbench.py @ e8e78f05f308
    ({}, ("OPEN",), "The sign says: Open 24h", True),
    ({}, ("5",), "25", True),
    ({}, ("a b",), "A\nB", True),
    ({}, ("a  b",), "a b", False),
    ({}, ("Ｏpen",), "open", False),
    ({"category": MATHS}, ("x + y",), "$x+y$", True),
    ({"category": MATHS}, ("X",), "x", False),
    ({"question_type": MATHS}, ("x ^ 2",), "x^2", True),
    ({"dataset": "HME100k"}, ("x ^ 2",), "x^2", True),
    ({"category": "Doc-oriented VQA"}, ("x + y",), "x+y", False),
    ({}, ("red", "blue"), "It is blue", True),
    ({}, ("", "blue"), "It is red", False),
    ({}, ("red",), "", None),
    ({}, ("red",), "<think>red", None),
    ({}, ("red",), "<think>red</think>blue", False),
]


@pytest.mark.parametrize(("fields", "golds", "prediction", "hit"), CASES)
def test_hit(fields: dict[str, Json], golds: tuple[str, ...], prediction: str, hit: bool | None) -> None:
    sample = Sample(1, "", Options(()), golds[0], golds, (), "open", fields=fields)
    assert RULES.rule(prediction, sample, Knobs()).hit is hit
    assert RULES.exact(prediction, sample, Knobs()).hit is hit
