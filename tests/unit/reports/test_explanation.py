"""One sample, explained: every kind of verdict in a sentence, long texts cut, spans marked."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.reports import explanation


def row(**changes: Any) -> dict[str, Any]:
    return {
        "eval-id": 1,
        "question_type": "mcq",
        "gt": "B",
        "pred": "so B",
        "extracted": "B",
        "score": 1.0,
        "decided_by": "rule-match",
        "status": "ok",
        "reason": "cue",
        "trace": [],
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({}, "right, score 1: rule-match read 'B' against the gold B", id="right"),
        pytest.param({"score": 0.0, "extracted": "C"}, "wrong, score 0: rule-match read 'C'", id="wrong"),
        pytest.param({"score": 0.5}, "partly right, score 0.5", id="partly"),
        pytest.param(
            {"score": 0.0, "extracted": None}, "wrong, score 0: rule-match read nothing", id="nothing"
        ),
        pytest.param(
            {"score": 0.0, "decided_by": None, "extracted": None, "reason": "two-options-found"},
            "undecided, score 0: no stage could decide",
            id="undecided",
        ),
        pytest.param({"score": None, "decided_by": "box-ap"}, "measured by box-ap", id="measured"),
        pytest.param(
            {"status": "invalid", "score": 0.0, "decided_by": None, "reason": "blank-reference"},
            "it counts as wrong and is reported apart",
            id="invalid",
        ),
        pytest.param(
            {"status": "error", "decided_by": None, "reason": "mra raised KeyError"},
            "not settled: mra raised KeyError",
            id="error",
        ),
        pytest.param(
            {"status": "llm_error", "decided_by": None, "reason": "timeout"}, "retries it", id="llm"
        ),
    ],
)
def test_a_verdict_in_one_sentence(changes: dict[str, Any], says: str) -> None:
    said = explanation.verdict(row(**changes))
    assert says in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("pred", "span", "marked"),
    [
        ("so B", (3, 4), "so >>B<<"),
        ("B", (0, 1), ">>B<<"),
        ("a\nb\n\nB", (5, 6), "a b >>B<<"),
        ("x" * 100 + "B" + "y" * 100, (100, 101), "..." + "x" * 60 + ">>B<<" + "y" * 60 + "..."),
        ("so B", None, ""),
        (None, (0, 1), ""),
        ("so B", (4, 4), "so B>><<"),
    ],
)
def test_what_was_read_is_marked(pred: str | None, span: Any, marked: str) -> None:
    assert explanation._marked(pred, span) == marked


def test_a_long_answer_is_cut_in_the_middle() -> None:
    cut = explanation._cut("a" * 5000 + "b" * 5000)
    assert cut.startswith("aaa")
    assert cut.endswith("bbb")
    assert "[... 8800 characters ...]" in cut
    assert len(cut) < 1300


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        ("pass", "passed on, read 'C'"),
        ("score", "decided, read 'C'"),
        ("measured", "measured, read 'C'"),
        ("invalid", "cannot grade this"),
        ("failed", "failed"),
    ],
)
def test_every_outcome_has_words(outcome: str, says: str) -> None:
    step = {"outcome": outcome, "extracted": "C", "reason": "cue", "stage": "s", "version": 1, "span": None}
    assert explanation._step(step).startswith(says)
