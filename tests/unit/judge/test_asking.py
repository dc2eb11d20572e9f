"""One question to one judge or several: tries, hints, votes, and what is remembered of the replies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from desks import RIGHT, WRONG, Model, Said, ask, desk, hear
from scripted_judge import case

from mmeval.errors import JudgeError, MetadataError
from mmeval.judge.asking import logprob
from mmeval.judge.wire import Completion, Message, Rejected, Request, Transient
from mmeval.types import Case, Failed, Invalid, Pass, Ruling, Score

CUT = Completion('{"verdict": "corr', "m-1", "length", 10, 2048)
FILTERED = Completion(RIGHT, "m-1", "content_filter", 10, 2)
CORRECT = Ruling("correct", 1.0)


def given(prediction: str = "a red cat", **fields: Any) -> Case:
    return case(prediction, "red", "open", **fields)


def test_one_reply_that_can_be_read(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    with desk(tmp_path, model) as found:
        ruling, hearing = hear(found, given())
    assert ruling == CORRECT
    (call,) = hearing.calls
    assert (call.prompt, call.asked, call.model, call.reply) == ("default-binary", "m", "m-1", RIGHT)
    assert (call.label, call.attempt, call.replicate, call.why) == ("correct", 0, 0, None)
    assert (call.prompt_tokens, call.completion_tokens) == (10, 2)
    (request,) = model.asked
    assert (request.temperature, request.max_tokens, request.attempt) == (0.0, 2048, 0)
    assert (request.sample, request.stage, request.prompt) == ("7", "llm-judge", "default-binary")
    assert request.schema is not None


@pytest.mark.parametrize(
    ("first", "why"),
    [
        pytest.param("who knows", "off-menu", id="off-menu"),
        pytest.param("", "empty", id="empty"),
        pytest.param(f"{RIGHT} {WRONG}", "contradictory", id="contradictory"),
        pytest.param(FILTERED, "content-filter", id="content-filter"),
    ],
)
def test_an_unreadable_reply_is_asked_again_with_a_hint(tmp_path: Path, first: Said, why: str) -> None:
    model = Model("m", first, RIGHT)
    with desk(tmp_path, model, max_retry=1) as found:
        ruling, hearing = hear(found, given())
    assert ruling == CORRECT
    before, after = model.asked
    assert after.messages[: len(before.messages)] == before.messages
    told, hint = after.messages[len(before.messages) :]
    text = first.text if isinstance(first, Completion) else first
    assert told == Message("assistant", text or "(empty)")
    assert hint.role == "user" and "could not be read" in str(hint.content)
    assert "correct or incorrect" in str(hint.content) or '"verdict"' in str(hint.content)
    assert (after.attempt, after.temperature, after.max_tokens) == (1, 0.0, 2048)
    assert [(call.attempt, call.label) for call in hearing.calls] == [(1, "correct")]


def test_a_reply_that_was_cut_off_gets_twice_the_room_and_no_hint(tmp_path: Path) -> None:
    model = Model("m", CUT, CUT, RIGHT)
    with desk(tmp_path, model, max_retry=2, max_tokens=100) as found:
        assert ask(found, given()) == CORRECT
    assert [each.max_tokens for each in model.asked] == [100, 200, 400]
    assert [each.attempt for each in model.asked] == [0, 1, 2]
    assert len({each.messages for each in model.asked}) == 1


def test_a_cut_off_verdict_is_never_read(tmp_path: Path) -> None:
    whole = Completion(RIGHT, "m-1", "length", 10, 2)
    with desk(tmp_path, Model("m", whole)) as found:
        ruling, hearing = hear(found, given())
    assert ruling == Failed("judge-unreadable: truncated", "llm_error")
    assert [(call.label, call.why, call.reply) for call in hearing.calls] == [(None, "truncated", RIGHT)]


def test_no_cap_stays_no_cap(tmp_path: Path) -> None:
    model = Model("m", CUT, "A")
    block: Any = {"dataset_name": "mine", "score_pipeline": ["llm-judge"]}
    block["score_judge"] = {"contract": "three-way", "prompt": "simplevqa"}
    block["score_params"] = {"stages": {"llm-judge": {"prompt": "simplevqa"}}}
    with desk(tmp_path, model, block=block, max_retry=1) as found:
        ask(found, given(), "simplevqa")
    assert [each.max_tokens for each in model.asked] == [None, None]
    told, hint = model.asked[1].messages[-2:]
    assert told == Message("assistant", CUT.text)
    assert "cut off" in str(hint.content) and "in few words" in str(hint.content)


SAME = [
    pytest.param("who knows", {}, id="off-menu"),
    pytest.param("", {}, id="empty"),
    pytest.param(FILTERED, {}, id="content-filter"),
    pytest.param(CUT, {"max_tokens": 10}, id="truncated"),
]


@pytest.mark.parametrize(("said", "settings"), SAME)
def test_no_question_is_put_twice_in_the_same_words(
    tmp_path: Path, said: Said, settings: dict[str, Any]
) -> None:
    """A judge at temperature 0 gives the same reply to the same words; and it is paid for each of them."""
    model = Model("m", said)
    with desk(tmp_path, model, max_retry=3, **settings) as found:
        ask(found, given())
    assert len({(each.messages, each.max_tokens) for each in model.asked}) == 4


@pytest.mark.parametrize("said", ["ab", "aba", "abab", "aabb"])
def test_a_judge_that_goes_in_circles_sees_where_it_has_been(tmp_path: Path, said: str) -> None:
    model = Model("m", *(f"perhaps {letter}" for letter in said), "no idea")
    with desk(tmp_path, model, max_retry=5) as found:
        ask(found, given())
    assert len({each.messages for each in model.asked}) == 6


@pytest.mark.parametrize(
    "said", [Completion(RIGHT, "m-1", "abort", 10, 2), Completion(RIGHT, "m-1", None, 10, 10)]
)
def test_a_reply_that_did_not_come_to_its_end_is_not_read(tmp_path: Path, said: Completion) -> None:
    with desk(tmp_path, Model("m", said, RIGHT), max_retry=1, max_tokens=10) as found:
        ruling, hearing = hear(found, given())
    assert (ruling, hearing.calls[0].attempt) == (CORRECT, 1)


def test_a_long_reply_is_not_sent_back_whole(tmp_path: Path) -> None:
    model = Model("m", "x" * 10_000, RIGHT)
    with desk(tmp_path, model, max_retry=1) as found:
        ask(found, given())
    assert len(str(model.asked[1].messages[-2].content)) == 2000


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_the_last_reply_says_why(tmp_path: Path, retries: int) -> None:
    model = Model("m", "", "who knows")
    with desk(tmp_path, model, max_retry=retries) as found:
        ruling, hearing = hear(found, given())
    code = "off-menu" if retries else "empty"
    assert ruling == Failed(f"judge-unreadable: {code}", "llm_error")
    assert len(model.asked) == retries + 1
    assert [call.attempt for call in hearing.calls] == [retries]


def test_known_replies_are_read_first_and_are_no_tries(tmp_path: Path) -> None:
    """Three unreadable replies are paid for; the next run reads them again, and has all its tries left."""
    with desk(tmp_path, Model("m", "who knows"), max_retry=2) as found:
        assert isinstance(ask(found, given()), Failed)
    later = Model("m", "who knows", RIGHT)
    with desk(tmp_path, later, max_retry=2) as found:
        ruling, hearing = hear(found, given())
    assert ruling == CORRECT
    assert [each.attempt for each in later.asked] == [3, 4]
    assert hearing.calls[0].attempt == 4
    silent = Model("m", AssertionError("nobody is to be asked"))
    with desk(tmp_path, silent) as found:
        assert ask(found, given()) == CORRECT


def test_a_parser_that_has_learned_needs_no_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk(tmp_path, Model("m", "thumbs up")) as found:
        assert isinstance(ask(found, given()), Failed)
    from mmeval.judge.contracts.base import Parsed
    from mmeval.judge.contracts.binary import Binary

    monkeypatch.setattr(Binary, "parse", lambda *_: Parsed(CORRECT))
    with desk(tmp_path, Model("m", AssertionError("asked"))) as found:
        ruling, hearing = hear(found, given())
    assert (ruling, hearing.calls[0].reply) == (CORRECT, "thumbs up")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        pytest.param(Transient("malformed", "no JSON"), "judge-failed: malformed", id="transient"),
        pytest.param(Rejected("too long"), "judge-rejected", id="rejected"),
    ],
)
def test_a_call_that_fails_fails_the_row_and_is_not_kept(
    tmp_path: Path, error: Exception, reason: str
) -> None:
    with desk(tmp_path, Model("m", error)) as found:
        ruling, hearing = hear(found, given())
    assert (ruling, hearing.calls) == (Failed(reason, "llm_error"), ())
    with desk(tmp_path, Model("m", RIGHT)) as found:
        assert ask(found, given()) == CORRECT


def test_a_judge_that_nobody_can_ask_is_an_error(tmp_path: Path) -> None:
    with desk(tmp_path, Model("m", JudgeError("no key"))) as found, pytest.raises(JudgeError, match="no key"):
        ask(found, given())


VOTES = [
    pytest.param([RIGHT, RIGHT, WRONG], CORRECT, id="two-of-three"),
    pytest.param([WRONG, RIGHT, WRONG], Ruling("incorrect", 0.0), id="two-of-three-against"),
    pytest.param([RIGHT, WRONG], Pass("judges-tied"), id="tied"),
    pytest.param([RIGHT, RIGHT], CORRECT, id="of-one-mind"),
    pytest.param([RIGHT, "who knows", RIGHT], Failed("judge-unreadable: off-menu", "llm_error"), id="unread"),
    pytest.param([RIGHT, Rejected("no"), RIGHT], Failed("judge-rejected", "llm_error"), id="refused"),
]


@pytest.mark.parametrize(("says", "expected"), VOTES)
def test_a_panel(tmp_path: Path, says: list[Said], expected: object) -> None:
    models = [Model(f"m{number}", said) for number, said in enumerate(says)]
    with desk(tmp_path, *models) as found:
        ruling, hearing = hear(found, given())
    assert ruling == expected
    assert [call.asked for call in hearing.calls] == [
        f"m{number}" for number, said in enumerate(says) if not isinstance(said, Exception)
    ]


@pytest.mark.parametrize(("says", "expected"), VOTES)
def test_repeats(tmp_path: Path, says: list[Said], expected: object) -> None:
    model = Model("m", lambda request: says[request.replicate])
    with desk(tmp_path, model, repeats=len(says)) as found:
        assert ask(found, given()) == expected
    assert sorted(each.replicate for each in model.asked) == list(range(len(says)))


def test_a_panel_that_repeats_has_every_vote(tmp_path: Path) -> None:
    models = [Model("a", RIGHT), Model("b", WRONG)]
    with desk(tmp_path, *models, repeats=3) as found:
        ruling, hearing = hear(found, given())
    assert ruling == Pass("judges-tied")
    assert [(call.asked, call.replicate) for call in hearing.calls] == [
        (name, number) for name in "ab" for number in range(3)
    ]


def test_nobody_is_asked_about_an_empty_prediction(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    with desk(tmp_path, model) as found:
        assert ask(found, given(" \n")) == Score(0.0, None, None, "empty-prediction")
    assert model.asked == []


def test_an_empty_prediction_is_asked_about_where_the_number_is_made_over_the_run(tmp_path: Path) -> None:
    model = Model("m", "8 7")
    block: Any = {"dataset_name": "mine", "score_pipeline": ["llm-judge"]}
    block["score_params"] = {"stages": {"llm-judge": {"prompt": "llava-bench"}}}
    with desk(tmp_path, model, block=block) as found:
        ask(found, given(" ", caption="c"), "llava-bench")
    assert len(model.asked) == 1


def test_rules_only_passes_and_no_judge_fails(tmp_path: Path) -> None:
    with desk(tmp_path) as found:
        assert ask(found, given()) == Pass("rules-only")
    with desk(tmp_path, provider="openai") as found:
        assert ask(found, given()) == Failed("no-judge", "llm_error")
    assert not list(tmp_path.iterdir()), "a cache was opened for nobody"


def test_a_field_that_the_row_lacks_is_a_refusal(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    with desk(tmp_path, model) as found:
        outcome = ask(found, given(), judge_inputs=["caption"])
    assert isinstance(outcome, Invalid | Failed) and outcome.reason.startswith("judge-input-missing")
    assert model.asked == []


def test_what_a_stage_says_of_the_contract_is_checked(tmp_path: Path) -> None:
    with desk(tmp_path, Model("m", RIGHT)) as found, pytest.raises(MetadataError, match="default-binary"):
        ask(found, given(), lo=0, hi=5)


def test_the_log_probability_of_the_verdict_is_kept(tmp_path: Path) -> None:
    tokens = (('{"verdict": "', -0.5), ("cor", -0.25), ("rect", -0.125), ('"}', 0.0))
    told = Completion(RIGHT, "m-1", "stop", 10, 4, tokens)
    with desk(tmp_path, Model("m", told)) as found:
        _, hearing = hear(found, given())
    assert hearing.calls[0].logprob == -0.375


@pytest.mark.parametrize(
    ("tokens", "span", "expected"),
    [
        pytest.param([("yes", -1.0)], (0, 3), -1.0, id="whole"),
        pytest.param([("y", -1.0), ("es", -2.0)], (0, 3), -3.0, id="two-tokens"),
        pytest.param([("y", -1.0), ("es", -2.0)], (1, 3), -2.0, id="the-second"),
        pytest.param([("y", -1.0)], (0, 3), None, id="not-the-text"),
        pytest.param([], (0, 3), None, id="none-given"),
        pytest.param([("yes", -1.0)], None, None, id="no-place"),
    ],
)
def test_which_tokens_the_verdict_lies_in(tokens: Any, span: Any, expected: float | None) -> None:
    assert logprob(Completion("yes", logprobs=tuple(tokens)), span) == expected


def test_the_hint_of_each_attempt_follows_the_last_reply(tmp_path: Path) -> None:
    """Only the last reply is shown again: the question does not grow with the number of tries."""
    model = Model("m", "first", CUT, "third", RIGHT)
    with desk(tmp_path, model, max_retry=3) as found:
        assert ask(found, given()) == CORRECT

    def told(request: Request) -> list[str]:
        return [str(each.content) for each in request.messages if each.role == "assistant"]

    assert [told(each) for each in model.asked] == [[], ["first"], [], ["third"]]
    assert [each.max_tokens for each in model.asked] == [2048, 2048, 4096, 4096]
