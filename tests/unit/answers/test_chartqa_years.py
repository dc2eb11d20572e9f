"""The official relaxed rule with years held apart."""

from __future__ import annotations

import pytest

from mmeval.answers.chartqa_years import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

CASES = [
    ("2015", ("1950",), False),
    ("2015", ("2015",), True),
    ("2015.0", ("2015",), True),
    ("41", ("40.5",), True),
    ("10.5", ("10",), True),
    ("5%", ("0.05",), True),
    ("2016", ("2018", "2016"), True),
    ("3100", ("3000",), True),
    ("Yes", ("yes",), True),
]


@pytest.mark.parametrize(("prediction", "golds", "hit"), CASES)
def test_a_year_is_that_year(prediction: str, golds: tuple[str, ...], hit: bool) -> None:
    sample = Sample("0", "", Options(()), list(golds), golds, (prediction,), "open")
    assert RULES.rule(prediction, sample, Knobs()).hit is hit


def test_blank_is_not_read() -> None:
    sample = Sample("0", "", Options(()), "2015", ("2015",), (" ",), "open")
    assert RULES.rule(" ", sample, Knobs()).found.value is None
