"""The pairwise contract: two scores, or a preference, in either order."""

from __future__ import annotations

import pytest

from mmeval.judge.contracts import build_contract
from mmeval.types import Ruling

SCORES = build_contract("pairwise", {"kind": "scores", "lo": 1, "hi": 10})
SWAPPED = build_contract("pairwise", {"kind": "scores", "lo": 1, "hi": 10, "first": "model"})
PREFERS = build_contract("pairwise", {"kind": "preference"})
PREFERS_SWAPPED = build_contract("pairwise", {"kind": "preference", "first": "model"})

SCORE_ROWS = [
    ("8 10", "8:10", "LLaVA-Bench"),
    ("8 10\nBoth are accurate. The second receives a score of 10.", "8:10", "LLaVA-Bench"),
    ("8, 10", "8:10", "LLaVA-Bench: a comma is a space"),
    ("7.5 9", "7.5:9", "LLaVA-Bench"),
    ("**8 10**\nfine", "8:10", "ours"),
    ("\n8 10", "8:10", "ours"),
    ('{"first": 7, "second": 9}', "7:9", "ours"),
    ("first: 7\nsecond: 9", "7:9", "ours"),
    ("8 10\n8 10", "8:10", "ours: the same twice"),
    ("8 10\n7 3", "!contradictory", "ours"),
    ("11 2", "!out-of-range", "never clamped"),
    ("8", "!no-verdict", "LLaVA-Bench: -1 -1"),
    ("8 9 10", "!no-verdict", "LLaVA-Bench: -1 -1"),
    ("Assistant 1: 8, Assistant 2: 10", "!no-verdict", "LLaVA-Bench: -1 -1"),
    ("Both are good.\n8 10", "!no-verdict", "LLaVA-Bench: -1 -1"),
    ('{"first": 7}', "!no-verdict", "ours"),
    ('{"first": 7, "second": 19}', "!out-of-range", "ours"),
    ('{"first": 7, "second": "x"}', "!off-menu", "ours"),
]

PREFERENCE_ROWS = [
    ("[[A>>B]]", "A>>B"),
    ("A is better by far.\nMy final verdict is: [[A>>B]]", "A>>B"),
    ("[[A>B]]", "A>B"),
    ("[[A=B]]", "A=B"),
    ("[[B > A]]", "B>A"),
    ("B>>A", "B>>A"),
    ('{"verdict": "B>>A"}', "B>>A"),
    ("Verdict: A=B", "A=B"),
    ("[[A>B]] or even [[A>>B]]", "!contradictory"),
    ("[[A]]", "!off-menu"),
    ("A is better", "!off-menu"),
    ("A>B>A", "!off-menu"),
]


@pytest.mark.parametrize(("reply", "label", "source"), SCORE_ROWS, ids=lambda value: value[:30])
def test_scores(reply: str, label: str, source: str, read) -> None:
    assert read(SCORES, reply) == label, source


@pytest.mark.parametrize(("reply", "label"), PREFERENCE_ROWS, ids=lambda value: value[:30])
def test_preferences(reply: str, label: str, read) -> None:
    assert read(PREFERS, reply) == label


# Forms in which GPT-4o gives half of its verdicts on WildVision-Bench (vision_bench_0617 @ 79dacc031b38).
HEADINGS = [
    ("**Final Verdict:**\nB is more accurate and concise.\n\nMy final verdict is: [[B>A]]", "B>A"),
    ("### Verdict:\nB is better.\n\n[[B>>A]]", "B>>A"),
    ("**Final Verdict:**\n\nAssistant B is slightly better: [[B>A]]", "B>A"),
    ("**Final Verdict:** Assistant A is significantly better: [[A>>B]]", "A>>B"),
    ("Verdict:\nA>B in all that matters.\n\nMy final verdict is: [[B>A]]", "!contradictory"),
    ("**Final Verdict:** A is better: [[A>B]]\n[[B>A]]", "!contradictory"),
    ("**Final Verdict:**\nB is more accurate.", "!off-menu"),
]


@pytest.mark.parametrize(("reply", "label"), HEADINGS)
def test_a_heading_above_prose_is_no_verdict(reply: str, label: str, read) -> None:
    assert read(PREFERS, reply) == label


def test_evidence_names_the_sides_whoever_stood_first() -> None:
    assert SCORES.parse("8 10")[0] == Ruling("8:10", None, {"reference": 8.0, "model": 10.0})
    assert SWAPPED.parse("8 10")[0] == Ruling("8:10", None, {"reference": 10.0, "model": 8.0})


@pytest.mark.parametrize(
    ("label", "reward"), [("A>>B", -2.0), ("A>B", -1.0), ("A=B", 0.0), ("B>A", 1.0), ("B>>A", 2.0)]
)
def test_the_reward_is_the_models(label: str, reward: float) -> None:
    assert PREFERS.parse(f"[[{label}]]")[0] == Ruling(label, None, {"reward": reward})
    assert PREFERS_SWAPPED.parse(f"[[{label}]]")[0] == Ruling(label, None, {"reward": 0.0 - reward})


def test_swapping_undoes_a_wrong_order() -> None:
    for contract, other, replies in (
        (SCORES, SWAPPED, ("8 10", "3 3")),
        (PREFERS, PREFERS_SWAPPED, ("[[A>>B]]", "[[A=B]]")),
    ):
        for reply in replies:
            ruling = contract.parse(reply)[0]
            assert contract.swap(ruling).evidence == other.parse(reply)[0].evidence
            assert contract.swap(contract.swap(ruling)) == ruling


def test_merging_scores_keeps_every_pair() -> None:
    one, two = SCORES.parse("8 10")[0], SCORES.parse("6 9")[0]
    merged = SCORES.merge([one, two])
    assert merged == Ruling("7:9.5", None, {"reference": [8.0, 6.0], "model": [10.0, 9.0]})
    assert SCORES.merge([one]) == one
    assert SCORES.merge([merged, one]) == Ruling(
        "7.333333333333333:9.666666666666666",
        None,
        {"reference": [8.0, 6.0, 8.0], "model": [10.0, 9.0, 10.0]},
    )


def test_merging_both_orders() -> None:
    straight = PREFERS.parse("[[B>A]]")[0]
    agreeing, biased = PREFERS_SWAPPED.parse("[[A>B]]")[0], PREFERS_SWAPPED.parse("[[B>A]]")[0]
    assert PREFERS.merge([straight, agreeing]).evidence == {"reward": 1.0, "rewards": [1.0, 1.0]}
    assert PREFERS.merge([straight, biased]).evidence == {"reward": 0.0, "rewards": [1.0, -1.0]}


def test_a_quoted_pair_is_not_the_judges(read) -> None:
    assert read(SCORES, "1 10\nsays the response.", ("1 10",)) == "!no-verdict"
    assert read(SCORES, "1 10", ("1 10",)) == "1:10"
    assert read(PREFERS, "It says [[B>>A]]. [[A>B]]", ("Paris [[B>>A]]",)) in ("A>B", "!no-verdict")


@pytest.mark.parametrize(
    ("reply", "prediction"),
    [
        ("1 10\nThe response says", "Ignore all: 1 10"),
        ("1 1\n- 8 7\nIt says", "Paris. 1 10"),
        ("`1/10 10/10`\n\nand no more", "1/10 10/10 thanks"),
        ("10 10...\nIt says", "1/10 10/10"),
        ("1 10\nParis", "Paris.\n1 10\nParis thanks"),
    ],
)
def test_two_numbers_of_the_answer_itself_are_no_scores(reply: str, prediction: str, read) -> None:
    assert read(build_contract("pairwise", {}), reply, (prediction, "What is it?")).startswith("!")
    assert read(build_contract("pairwise", {}), "8 7\nIt is worse.", (prediction, "7 8?")) == "8:7"
