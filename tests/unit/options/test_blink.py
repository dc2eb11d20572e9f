"""BLINK's letters; the cases follow eval/test_benchmark.py of zeyofu/BLINK_Benchmark at 2d6a779be4aa."""

from __future__ import annotations

import pytest

from mmeval.options.blink import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

TWO = Options(("A", "B"), ("the second image", "the third image"), "choices")
UNTOLD = Options(("A", "B", "C", "D", "E", "F"))
CASES = [
    # prediction, options, gold, read, rule, hit
    ("B", TWO, "B", "B", "lone-option", True),
    ("(B)", TWO, "(B)", "B", "lone-option", True),
    ("E", TWO, "B", "E", "lone-option", False),
    ("The third image (B) is closer.", TWO, "B", "B", "last-paragraph", True),
    ("(A) is wrong\n\nso it is (B) then", TWO, "(B)", "B", "last-paragraph", True),
    ("It must be (A)\n\nas I said.", TWO, "B", "A", "sole-bracketed", False),
    ("either (A) or (B)", TWO, "B", None, "two-options-found", None),
    ("(A) here\n\n(A) or (B)", TWO, "B", None, "two-options-found", None),
    ("the answer is (B).", TWO, "B", None, "no-option-found", None),
    ("**(B)** it is", TWO, "B", None, "no-option-found", None),
    ("The image (C) is it, or (B)", TWO, "B", "B", "last-paragraph", True),
    ("The image (C) is it", TWO, "B", None, "no-option-found", None),
    ("The image (C) is it", UNTOLD, "C", "C", "last-paragraph", True),
    ("", TWO, "B", None, "no-option-found", None),
]


@pytest.mark.parametrize(("prediction", "options", "gold", "read", "rule", "hit"), CASES)
def test_reads_as_the_authors_do(
    prediction: str, options: Options, gold: str, read: str | None, rule: str, hit: bool | None
) -> None:
    sample = Sample("0", "", options, gold, (gold,), (prediction,), "mcq")
    reading = RULES.rule(prediction, sample, Knobs())
    assert (reading.found.value, reading.found.rule, reading.hit) == (read, rule, hit)
    if reading.found.span is not None:
        start, end = reading.found.span
        assert prediction[start:end] == read


def test_exact_reads_the_letter_alone() -> None:
    sample = Sample("0", "", TWO, "B", ("B",), ("",), "mcq")
    assert RULES.exact("(B)", sample, Knobs()).hit
    assert RULES.exact("(B) it is", sample, Knobs()).found.value is None
