"""The judge in reports: who it was, how it went, what it replied; nothing where there was none."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.reports import judge_status
from mmeval.reports.reasons import sentence

CONFIG: dict[str, Any] = {
    "judge_provider": "openai",
    "judge_endpoint": "https://h/v1",
    "judge_model": "gpt-4o",
    "judge_model_answered": "gpt-4o-2024-05-13",
    "judge_temperature": 0.0,
    "judge_max_tokens": 2048,
    "judge_contract": "binary",
    "judge_prompt": "judge-vdr",
    "judge_prompt_sha256": "0123456789abcdef" * 4,
    "official_judge": False,
}
SUMMARY: dict[str, Any] = {
    "judge": {
        "asked": 171,
        "replies": 168,
        "failures": {"judge-failed: rate-limit": 1, "judge-unreadable: no-verdict": 2},
        "prompt_tokens": 12345,
        "completion_tokens": 678,
        "cost_usd": 0.5,
    }
}


UNREADABLE, UNREACHED = sentence("judge-unreadable"), sentence("judge-failed")


def changed(**changes: Any) -> dict[str, Any]:
    return {**CONFIG, **{f"judge_{name}": value for name, value in changes.items()}}


def test_the_judge_in_full() -> None:
    assert judge_status.block(CONFIG, SUMMARY).splitlines() == [
        "judge     openai at https://h/v1: asked gpt-4o, answered gpt-4o-2024-05-13 (not the official one)",
        "          prompt judge-vdr (SHA-256 0123456789ab), contract binary",
        "          temperature 0, at most 2048 tokens a reply",
        "          171 rows put to the judge, 168 replies counted",
        f"          2 rows failed: {UNREADABLE}: no-verdict",
        f"          1 row failed: {UNREACHED}: rate-limit",
        "          12,345 tokens sent, 678 received; 0.5000 US dollars",
    ]


@pytest.mark.parametrize(
    ("config", "says"),
    [
        pytest.param(changed(model_answered="gpt-4o"), "asked gpt-4o (not", id="the-same-answered"),
        pytest.param(changed(model_answered=None), "asked gpt-4o (not", id="nobody-says-who"),
        pytest.param(changed(model=["a", "b"], model_answered=["a", "b"]), "asked a, b (", id="panel"),
        pytest.param(changed(model=None, model_answered=None), "asked nobody", id="no-model"),
        pytest.param({**CONFIG, "official_judge": True}, "(official)", id="official"),
        pytest.param({**CONFIG, "official_judge": None}, "(no official one is known)", id="not-known"),
        pytest.param(changed(repeats=3), "3 replies of each model to each question", id="repeats"),
        pytest.param(
            changed(prompts={"judge-vdr": "0" * 64, "option-match": "a" * 64}),
            "contract binary; also option-match (SHA-256 aaaaaaaaaaaa)",
            id="several-prompts",
        ),
        pytest.param(changed(provider="none"), "rules only", id="none"),
    ],
)
def test_who_the_judge_is(config: dict[str, Any], says: str) -> None:
    assert says in "\n".join(judge_status.identity(config))


def test_without_a_judge_nothing_is_said() -> None:
    for config in ({}, dict.fromkeys(CONFIG)):
        assert judge_status.block(config, {}) == ""
        assert judge_status.brief(config, {}) == []
    assert judge_status.brief(CONFIG, {"judge": {**SUMMARY["judge"], "asked": 0}}) == []


def test_nobody_was_asked() -> None:
    judge = {
        "asked": 547,
        "replies": 0,
        "failures": {},
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cost_usd": 0.0,
    }
    assert judge_status.course({"judge": judge}) == ["547 rows left to a judge, and none was asked"]


def test_a_price_that_is_not_known_is_not_zero() -> None:
    summary = {"judge": {**SUMMARY["judge"], "cost_usd": None}}
    assert "price not known" in judge_status.course(summary)[-1]


def test_below_a_number_stands_who_made_it() -> None:
    assert judge_status.brief(CONFIG, SUMMARY) == [
        "judge: 171 rows, gpt-4o-2024-05-13, prompt judge-vdr (not the official one)",
        f"judge: 2 rows failed: {UNREADABLE}: no-verdict",
        f"judge: 1 row failed: {UNREACHED}: rate-limit",
    ]


CALL: dict[str, Any] = {
    "prompt": "judge-vdr",
    "asked": "gpt-4o",
    "model": "gpt-4o-2024-05-13",
    "reply": "correct:\n yes",
    "label": "correct",
    "replicate": 0,
    "attempt": 0,
    "logprob": None,
    "why": None,
}


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        pytest.param(
            {},
            [
                "judge:   asked gpt-4o (prompt judge-vdr, gpt-4o-2024-05-13 answered): ruled 'correct'",
                "replied: correct: yes",
            ],
            id="plain",
        ),
        pytest.param(
            {"model": "gpt-4o", "replicate": 1, "attempt": 2, "logprob": -0.25},
            [
                "judge:   asked gpt-4o (prompt judge-vdr, replicate 2, attempt 3): ruled 'correct' "
                "(log-probability -0.25)",
                "replied: correct: yes",
            ],
            id="again",
        ),
        pytest.param(
            {"model": None, "label": None, "why": "no-verdict", "reply": "hm"},
            ["judge:   asked gpt-4o (prompt judge-vdr): could not be read (no verdict)", "replied: hm"],
            id="unreadable",
        ),
    ],
)
def test_a_reply(changes: dict[str, Any], lines: list[str]) -> None:
    told = judge_status.replies([{**CALL, **changes}])
    assert told == lines


def test_a_long_reply_is_cut() -> None:
    (_, line) = judge_status.replies([{**CALL, "reply": "x" * 1000}])
    assert line.endswith("[... 200 characters more]")


@pytest.mark.parametrize(
    ("undecided", "says"),
    [
        pytest.param(10, "10 rows that the rules left open stay undecided", id="all"),
        pytest.param(
            4, "10 rows that the rules left open were read without one, 4 stay undecided", id="some"
        ),
    ],
)
def test_without_a_judge_it_says_what_stayed_undecided(undecided: int, says: str) -> None:
    summary = {"undecided": undecided, "judge": {"asked": 10, "failures": {}}}
    assert judge_status.brief({"judge_provider": "none"}, summary) == [f"judge: none; {says}"]


def test_ties_are_told_wherever_the_judge_is() -> None:
    judge = {"asked": 10, "replies": 20, "failures": {}, "tied": 3}
    says = "3 rows undecided: the judges are tied, so there is no ruling"
    assert f"judge: {says}" in judge_status.brief({"judge_model_answered": ["a", "b"]}, {"judge": judge})
    assert says in judge_status.course({"judge": judge})
    assert not any("tied" in line for line in judge_status.course({"judge": {**judge, "tied": 0}}))
