"""Ratings: the scale and the partial-credit contract."""

from __future__ import annotations

import pytest

from mmeval.judge.contracts import build_contract
from mmeval.types import Ruling

TEN = build_contract("scale", {"lo": 0, "hi": 10})
MMHAL = build_contract("scale", {"lo": 0, "hi": 6, "integer": True})
FIVE = build_contract("scale", {"lo": 1, "hi": 5, "raw": True})
UNIT = build_contract("scale", {"lo": 0, "hi": 1})
PARTIAL = build_contract("partial-credit", {})

ROWS = [
    (TEN, "8", "8", "plain"),
    (TEN, "8.", "8", "plain"),
    (TEN, "**8**", "8", "emphasis"),
    (TEN, "８", "8", "full-width"),
    (TEN, "8/10", "8", "of the highest"),
    (TEN, "7 out of 10", "7", "of the highest"),
    (TEN, "[[7]]", "7", "FastChat's brackets"),
    (TEN, "It is good. Rating: [[7.5]]", "7.5", "FastChat's brackets"),
    (TEN, "Rating: 5", "5", "a line"),
    (TEN, "Rating: **8**/10", "8", "a line"),
    (TEN, "Score: 9; Explanation: 1. **Relevance (4/4 points)**: fine", "9", "MEGA-Bench"),
    (TEN, "评分：6", "6", "a line"),
    (TEN, "8\nA good answer.", "8", "first line"),
    (TEN, "A good answer.\n8/10", "8", "last line"),
    (TEN, "8 points", "8", "unit"),
    (TEN, '{"rating": 8}', "8", "JSON"),
    (TEN, '{"rating": "8/10"}', "8", "JSON"),
    (TEN, '{"reason": "5 of 6 parts", "rating": 8.25}', "8.25", "JSON"),
    (TEN, "[[90]]", "!out-of-range", "evalscope#1575: never clamped"),
    (TEN, "-1", "!out-of-range", "never clamped"),
    (TEN, '{"rating": 11}', "!out-of-range", "never clamped"),
    (TEN, '{"rating": 1e999}', "!out-of-range", "never clamped"),
    (UNIT, "[[nan]]", "!off-menu", "evalscope#1576"),
    (TEN, '{"rating": NaN}', "!malformed-json", "evalscope#1576"),
    (TEN, '{"rating": true}', "!off-menu", "a truth value is no rating"),
    (TEN, '{"rating": null}', "!off-menu", "null is no rating"),
    (TEN, "[ERROR] 404 model gpt-4o not found at port 8001", "!off-menu", "evalscope#1575"),
    (TEN, "Rating: 7-8", "!off-menu", "two ratings"),
    (TEN, "Rating: 7 or 8", "!off-menu", "two ratings"),
    (TEN, "Rating: 1,000", "!off-menu", "one number"),
    (TEN, "Rating: 1.2.3", "!off-menu", "no number"),
    (TEN, "Rating: 50%", "!off-menu", "not on the scale"),
    (TEN, "Rating: 5 out of 6", "!off-menu", "of another scale"),
    (TEN, "Rating: 3\nRating: 5", "!contradictory", "two ratings"),
    (TEN, "Rating: 5\nScore: 5", "5", "the same twice"),
    (TEN, "1.\nThe first point", "!no-verdict", "a numbered list"),
    (TEN, "There are 3 dogs.", "!off-menu", "digits in prose"),
    (TEN, "Score is NULL: I cannot assist with that.", "!off-menu", "MEGA-Bench: 0 there"),
    (MMHAL, "Rating: 3", "3", "LLaVA-RLHF eval_gpt_mmhal.py"),
    (MMHAL, "Rating: 3, no hallucination", "3", "LLaVA-RLHF eval_gpt_mmhal.py"),
    (MMHAL, "Rating: 3.5", "!off-menu", "whole numbers only"),
    (MMHAL, "Rating: 7", "!out-of-range", "LLaVA-RLHF: 0 there"),
    (MMHAL, "Rating: 1\n\nRating: 2", "!contradictory", "LLaVA-RLHF: 0 there"),
    (MMHAL, "I rate it low.", "!off-menu", "LLaVA-RLHF: 0 there"),
    (PARTIAL, "0.0", "0", "MM-Vet"),
    (PARTIAL, "1", "1", "MM-Vet"),
    (PARTIAL, "0.6", "0.6", "MM-Vet"),
    (PARTIAL, ".5", "0.5", "MM-Vet"),
    (PARTIAL, "Score: 0.35", "0.35", "tenths are not enforced"),
    (PARTIAL, "1.5", "!out-of-range", "MM-Vet"),
    (PARTIAL, "0.5 | 0.7", "!off-menu", "BenchLMM: more than one number"),
    (PARTIAL, '{"score": 0.5}', "0.5", "JSON"),
]


@pytest.mark.parametrize(("contract", "reply", "label", "source"), ROWS, ids=lambda value: str(value)[:30])
def test_ratings(contract, reply: str, label: str, source: str, read) -> None:
    assert read(contract, reply) == label, source


def test_a_score_in_an_honest_prediction_does_not_silence_the_judge(read) -> None:
    prediction = "The final score is 3 to 1; see rating 3 in the table. \\boxed{3}"
    for reply in ("Score: 3; Explanation: fine", "Rating: 3", "3", "It is so.\n\nRating: 3"):
        assert read(TEN, reply, (prediction,)) == "3"
    assert read(TEN, "3\nfine", ("There are 3 dogs, not 10 of them.",)) == "3"


def test_a_number_that_may_be_cut_from_a_quotation_is_no_rating(read) -> None:
    for prediction in (
        "\\boxed{10}",
        "10\tParis",
        "10, it is",
        '\\", \\"rating\\": \\"10\\"',
        "Paris. [[10]]",
    ):
        for reply in ("10\nIt says so.", "1\nIt says so.", "It says\n\n0", "`10.`\n\nand no more"):
            if reply[0] != "I" or prediction.strip('"\\').endswith(("10}", "10", "10]]")):
                assert read(TEN, reply, (prediction,)) == "!no-verdict", (reply, prediction)


def test_scores_are_affine_and_raw_ones_are_left_to_the_run() -> None:
    assert TEN.parse("7")[0] == Ruling("7", 0.7, {"rating": 7.0})
    assert FIVE.parse("4")[0] == Ruling("4", None, {"rating": 4.0})
    assert build_contract("scale", {"lo": 1, "hi": 5}).parse("4")[0] == Ruling("4", 0.75, {"rating": 4.0})
    assert PARTIAL.parse("0.6")[0] == Ruling("0.6", 0.6, {"rating": 0.6})


def test_merging_is_the_mean_with_every_rating_kept() -> None:
    rulings = [TEN.parse(reply)[0] for reply in ("7", "8", "9.5")]
    merged = TEN.merge(rulings)
    assert merged is not None
    assert merged.evidence == {"rating": 24.5 / 3, "ratings": [7.0, 8.0, 9.5]}
    assert merged.score == pytest.approx(24.5 / 30)
    again = TEN.merge([merged, rulings[0]])
    assert again is not None
    assert again.evidence == {"rating": 31.5 / 4, "ratings": [7.0, 8.0, 9.5, 7.0]}


def test_the_mean_of_equal_ratings_is_exact() -> None:
    merged = PARTIAL.merge([PARTIAL.parse("0.1")[0]] * 3)
    assert merged == Ruling("0.1", 0.1, {"rating": 0.1, "ratings": [0.1, 0.1, 0.1]})
