"""Relaxed correctness, literally."""

from __future__ import annotations

import pytest

from mmeval.answers import chartqa as for_open
from mmeval.numbers import chartqa as for_numeric
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

CASES = [
    # target, prediction, hit: VLMEvalKit relaxed_correctness @ e8e78f05f308, run
    ("10", "10.5", True),
    ("10", "10.51", False),
    ("0", "0", True),
    ("0", "0.0", False),
    ("0", "0.04", False),
    ("0.05", "5%", True),
    ("5%", "0.05", True),
    ("5%", "5", False),
    ("1,000", "1000", False),
    ("1000", "1,000", False),
    ("1950", "2015", True),
    ("0.3", "0.315", False),
    ("100", "105.0", True),
    ("Yes", " yes\n", True),
    ("yes ", "yes", False),
    ("nan", "nan", False),
    ("-10", "-10.5", True),
]


@pytest.mark.parametrize(("target", "prediction", "hit"), CASES)
def test_hit(target: str, prediction: str, hit: bool) -> None:
    sample = Sample(1, "", Options(()), target, (target,), (), "numeric")
    for rules in (for_numeric.RULES, for_open.RULES):
        assert rules.rule(prediction, sample, Knobs()).hit is hit
        assert rules.exact(prediction, sample, Knobs()).hit is hit


def test_any_reference_and_another_tolerance() -> None:
    sample = Sample(1, "", Options(()), "10", ("red", "10"), (), "open")
    assert for_open.RULES.rule("11", sample, Knobs()).hit is False
    assert for_open.RULES.rule("11", sample, Knobs(numeric_rel_tol=0.1)).hit is True
    assert for_open.RULES.rule("RED", sample, Knobs()).hit is True


def test_what_was_read() -> None:
    sample = Sample(1, "", Options(()), "10", ("10",), (), "open")
    found = for_open.RULES.rule("<think>1</think> 10 ", sample, Knobs()).found
    assert (found.value, found.rule, found.span) == ("10", "whole-number", (17, 19))
    assert for_open.RULES.rule(" ", sample, Knobs()).found.rule == "blank"
    assert for_open.RULES.rule("<think>10", sample, Knobs()).found.rule == "reasoning-unclosed"
