"""One sample, explained: every kind of verdict in a sentence, long texts cut, spans marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.reports import beside, explanation


def turn(question: str, **columns: Any) -> str:
    messages = [{"question": question}, {"response": "B"}]
    return json.dumps({**columns, "messages": messages}, ensure_ascii=False)


def array(*turns: str) -> str:
    return "[" + ",".join(turns) + "]"


@pytest.mark.parametrize(
    ("name", "text", "wanted", "question"),
    [
        pytest.param("result.json", array(turn("a", **{"eval-id": 5})), "5", "a", id="eval-id"),
        pytest.param("result.json", array(turn("a", id="x")), "x", "a", id="id"),
        pytest.param("result.json", array(turn("a"), turn("b")), "1", "b", id="position"),
        pytest.param("result.json", array(turn("a", **{"eval-id": None})), "0", "a", id="null-id"),
        pytest.param("result.json", array(turn("a", id=1), turn("b")), "row-1", "b", id="position-taken"),
        pytest.param("result.json", array(turn("a", **{"eval-id": 2.0})), "2", "a", id="canonical-id"),
        pytest.param("result.json", array(turn("a", id=1)), "2", None, id="nobody"),
        pytest.param("result.json", '[{"id": 1, "messages": []}]', "1", None, id="no-turn"),
        pytest.param("result.json", '[{"id": 1, "messages": 3}]', "1", None, id="messages-number"),
        pytest.param("result.json", array(turn("a", id=1, x="?")).replace('"?"', "NaN"), "1", "a", id="nan"),
        pytest.param("result.json", array(turn("?", id=1)).replace("?", "a\tb"), "1", "a\tb", id="control"),
        pytest.param("result.json", "\ufeff" + array(turn("a", id=1)), "1", "a", id="byte-order-mark"),
        pytest.param("p.jsonl", turn("a", id=1) + "\n" + turn("u\u2028v", id=2), "2", "u\u2028v", id="jsonl"),
        pytest.param("P.JSON", array(turn("a", id=1)), "1", "a", id="upper-case"),
    ],
)
def test_the_question_is_found_again(
    tmp_path: Path, name: str, text: str, wanted: str, question: str | None
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = beside.turn_of(beside.find_row(tmp_path / name, wanted))
    assert (None if found is None else found["question"]) == question


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
    assert explanation._step(step, last=False).startswith(says)


def test_the_last_stage_has_nobody_to_pass_on_to() -> None:
    step = {"outcome": "pass", "extracted": "C", "reason": "cue-is-not-the-gold"}
    assert explanation._step(step, last=True) == (
        "could not decide, read 'C': it follows an announcement such as 'the answer is'; it is not the gold"
    )


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        pytest.param(
            {"score": 1, "extracted": "B", "by": "vlmevalkit", "metric": "hit"},
            "recorded  vlmevalkit: score 1 by hit, read 'B'",
            id="whole",
        ),
        pytest.param(
            {"score": None, "extracted": None, "by": "inspect", "metric": None},
            "recorded  inspect: no score",
            id="without-a-score",
        ),
        pytest.param(None, "", id="nothing"),
    ],
)
def test_what_another_harness_recorded(recorded: Any, said: str) -> None:
    assert explanation._recorded(recorded) == said
