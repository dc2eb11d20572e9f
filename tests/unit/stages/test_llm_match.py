"""llm-match: which option a prediction means, by a judge that never sees the gold."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs
from scripted_judge import Scripted, case, run

from mmeval.stages.llm_match import LlmMatch
from mmeval.types import Case, Failed, Invalid, Json, Options, Outcome, Pass, QuestionType, Ruling, Score

OPTIONS: dict[str, Any] = {"labels": ["A", "B", "C"], "several": False, "texts": ["red", "green", "blue"]}

CASES = [
    # kind, gold, ruling, outcome, outcome with settle_misses
    ("mcq", "B", Ruling("B"), Score(1.0, "B", None, "judge-read"), None),
    ("mcq", "green", Ruling("B"), Score(1.0, "B", None, "judge-read"), None),
    (
        "mcq",
        "B",
        Ruling("A"),
        Pass("judge-read-is-not-the-gold", "A"),
        Score(0.0, "A", None, "judge-read"),
    ),
    ("mcq", "B", Ruling("Z"), Pass("judge-found-none"), Score(0.0, None, None, "judge-found-none")),
    ("mcq", "A,C", Ruling("A,C"), Score(1.0, "A,C", None, "judge-read"), None),
    ("mcq", "A,C", Ruling("A"), Pass("judge-read-is-not-the-gold", "A"), Score(0.0, "A", None, "judge-read")),
    ("yes_no", "Yes", Ruling("yes"), Score(1.0, "yes", None, "judge-read"), None),
    ("yes_no", "no.", Ruling("no"), Score(1.0, "no", None, "judge-read"), None),
    (
        "yes_no",
        "Yes",
        Ruling("no"),
        Pass("judge-read-is-not-the-gold", "no"),
        Score(0.0, "no", None, "judge-read"),
    ),
    (
        "yes_no",
        "No",
        Ruling("unknown"),
        Pass("judge-found-none"),
        Score(0.0, None, None, "judge-found-none"),
    ),
    ("mcq", "B", Failed("judge-failed: server", "llm_error"), None, None),
    ("mcq", "purple", Ruling("B"), Invalid("gold-not-an-option"), None),
    ("yes_no", "maybe", Ruling("yes"), Invalid("gold-not-yes-or-no"), None),
    ("open", "green", Ruling("B"), Pass("not-applicable"), None),
    ("numeric", "3", Ruling("B"), Pass("not-applicable"), None),
]


@pytest.mark.parametrize(
    ("field", "gold", "labels"),
    [
        (
            "Which is faster?\nA. the near one\nB. both\nC. none\nD. the far one",
            "D. the far one",
            ["A", "B", "C", "D"],
        ),
        ("Which?\n(A) x\n(B) y", "B. another text", ["A", "B"]),
        ("Which one?", "B", ["A", "B", "C"]),
        (None, "B", ["A", "B", "C"]),
    ],
)
def test_the_options_of_another_question(field: Json, gold: str, labels: list[str]) -> None:
    """llyx97/TempCompass eval_captioning.py puts the question of its multiple choice."""
    asked = case("a caption", gold)
    sample = structs.replace(asked.sample, fields={"mc_question": field})
    judge = Scripted(Ruling(gold[0]))
    stage = LlmMatch(prompt="tempcompass-captioning", options_field="mc_question")
    assert run(stage(Case(sample, asked.prediction), judge)) == Score(1.0, gold[0], None, "judge-read")
    assert judge.asked[-1][1]["labels"] == labels


def test_an_option_called_z_is_an_option() -> None:
    asked = case("the last one", "Z")
    options = Options(("A", "Z"), ("red", "blue"), "options")
    asked = Case(structs.replace(asked.sample, options=options), asked.prediction)
    assert run(LlmMatch()(asked, Scripted(Ruling("Z")))) == Score(1.0, "Z", None, "judge-read")
    assert run(LlmMatch()(asked, Scripted(Ruling("none")))) == Pass("judge-found-none")


@pytest.mark.parametrize(("kind", "gold", "said", "outcome", "settled"), CASES)
def test_what_the_judge_read_is_compared_with_the_gold(
    kind: QuestionType, gold: Json, said: Ruling | Outcome, outcome: Outcome | None, settled: Outcome | None
) -> None:
    asked = case("the middle one", gold, kind)
    wanted = outcome or said
    assert run(LlmMatch()(asked, Scripted(said))) == wanted
    assert run(LlmMatch(settle_misses=True)(asked, Scripted(said))) == (settled or wanted)


@pytest.mark.parametrize(
    ("kind", "question", "prompt", "params"),
    [
        ("mcq", "Which one?", "option-match", OPTIONS),
        ("mcq", "哪一个？", "option-match-cn", OPTIONS),
        ("yes_no", "Is it?", "yes-no-match", {}),
    ],
)
def test_the_prompt_follows_the_question(
    kind: QuestionType, question: str, prompt: str, params: dict[str, Json]
) -> None:
    judge = Scripted(Ruling("B"))
    run(LlmMatch()(case("x", "B" if kind == "mcq" else "yes", kind, question), judge))
    assert judge.asked == [(prompt, params)]


def test_a_declared_prompt_is_put_whatever_the_question() -> None:
    judge = Scripted(Ruling("B"))
    stage = LlmMatch(prompt="my-match")
    run(stage(case("x", question="哪一个？"), judge))
    assert [prompt for prompt, _ in judge.asked] == ["my-match"] == list(stage.prompts)


@pytest.mark.parametrize(
    ("settle", "outcome"),
    [(False, Pass("empty-prediction")), (True, Score(0.0, None, None, "empty-prediction"))],
)
def test_an_empty_prediction_costs_nothing(settle: bool, outcome: Outcome) -> None:
    judge = Scripted(Ruling("B"))
    assert run(LlmMatch(settle_misses=settle)(case(" "), judge)) == outcome
    assert judge.asked == []


def test_several_right_options_may_be_named() -> None:
    judge = Scripted(Ruling("A,C"))
    run(LlmMatch()(case("red and blue", ["A", "C"]), judge))
    assert judge.asked[0][1]["several"] is True
