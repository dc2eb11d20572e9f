"""Our reading of yes and no: one commitment, or none."""

from __future__ import annotations

import pytest

from mmeval.reading import Knobs, Reading
from mmeval.types import Found, Options, Sample
from mmeval.yes_no.robust import RULES

KNOBS = Knobs()


def _sample(*golds: str) -> Sample:
    return Sample(1, "Is there a dog?", Options(()), golds[0], golds, (), "yes_no")


RULE = [
    # prediction, word, rule
    ("Yes", "yes", "bare-word"),
    ("no.", "no", "bare-word"),
    ("**Yes**", "yes", "bare-word"),
    ("N", "no", "bare-word"),
    ("True", "yes", "bare-word"),
    ("是的", "yes", "bare-word"),
    ("有的。", "yes", "bare-word"),
    ("没有", "no", "bare-word"),
    ("否", "no", "bare-word"),
    (r"\boxed{yes}", "yes", "boxed"),
    ("<answer>Yes</answer>", "yes", "answer-tag"),
    ('{"answer": "no"}', "no", "json"),
    ('The answer is "yes".', "yes", "cue"),
    ("Answer: Yes", "yes", "cue"),
    ("Final answer: **No**", "no", "cue"),
    ("Question: yes or no? Answer: no", "no", "cue"),
    ("Yes, the answer is no.", "no", "cue"),
    ("答案是：否", "no", "cue"),
    ("The answer is yes. There is no doubt.", "yes", "cue"),
    ("Yes, but there is no leash.", "yes", "leading-word"),
    ("Yes, the photo shows a gravestone with a death notice.", "yes", "leading-word"),
    ("Yes—it is", "yes", "leading-word"),
    ("Yes (there is no doubt)", "yes", "leading-word"),
    ("No, there is no dog", "no", "leading-word"),
    ("No it is not", "no", "leading-word"),
    ("Well, no.", "no", "leading-word"),
    ("So, yes, it is there.", "yes", "leading-word"),
    ("No.\n\nThe reason: yes-men", "no", "leading-word"),
    ("<think>yes</think>No, it is not.", "no", "leading-word"),
    ("I would say no.", "no", "only-word"),
    ("Based on the image, yes.", "yes", "only-word"),
    ("Yes and no: it is half full.", None, "yes-and-no-found"),
    ("Yes/No", None, "yes-and-no-found"),
    ("No, yes... unclear", None, "yes-and-no-found"),
    ("Yes. Wait. No.", None, "yes-and-no-found"),
    ("Yes, but the animal is in fact a cat, so no.", None, "yes-and-no-found"),
    ("No, it looks like one at first; actually, yes.", None, "yes-and-no-found"),
    ("Yes, there are two of them and so no empty seat.", "yes", "leading-word"),
    ("It is not possible to say no", None, "denied-word"),
    ("I see no reason to say yes.", None, "denied-word"),
    ("It is hard to answer yes.", None, "denied-word"),
    ("I would say no.", "no", "only-word"),
    ("No. 5 is the one with a dog: yes", None, "yes-and-no-found"),
    ("The answer is yes and no.", None, "yes-and-no-found"),
    ("Maybe, I'm not sure.", None, "no-yes-or-no-found"),
    ("It is hard to tell from the picture.", None, "no-yes-or-no-found"),
    ("There isn't a dog in the picture.", None, "no-yes-or-no-found"),
    ("There is no dog", None, "no-yes-or-no-found"),
    ("No dogs are visible.", None, "no-yes-or-no-found"),
    ("No one is there", None, "no-yes-or-no-found"),
    ("I know it is nothing", None, "no-yes-or-no-found"),
    ("Not at all", None, "no-yes-or-no-found"),
    ("没有狗", None, "no-yes-or-no-found"),
    ("是否", None, "no-yes-or-no-found"),
    ('It says "yes" on the sign', None, "no-yes-or-no-found"),
    ("The answer is not yes.", None, "denied-word"),
    ("", None, "empty-answer"),
    ("<think>yes", None, "reasoning-unclosed"),
    (r"\boxed{", None, "box-unterminated"),
]


@pytest.mark.parametrize(("prediction", "word", "rule"), RULE, ids=[repr(row[0]) for row in RULE])
def test_rule(prediction: str, word: str | None, rule: str) -> None:
    reading = RULES.rule(prediction, _sample("yes"), KNOBS)
    assert (reading.found.value, reading.found.rule) == (word, rule)
    assert reading.hit == (None if word is None else word == "yes")
    if word is not None:
        assert reading.found.span is not None
        assert prediction[slice(*reading.found.span)].strip("\"'*.").casefold() in (
            "yes", "no", "true", "n", "是的", "有的", "没有", "否",
        )  # fmt: skip


@pytest.mark.parametrize("prediction", ["Yes, it is.", "The answer is yes.", "Yes and no", "maybe"])
def test_exact_reads_no_prose(prediction: str) -> None:
    assert RULES.exact(prediction, _sample("yes"), KNOBS).found.value is None


GOLDS = [
    (("Yes",), "yes", True),
    (("no.",), "No", True),
    (("true",), "yes", True),
    (("False",), "No, it is not.", True),
    (("False",), "True", False),
    (("1",), "yes", True),
    (("是",), "Yes", True),
    (("没有",), "no", True),
    (("yes", "no"), "no", True),
]


@pytest.mark.parametrize(("golds", "prediction", "hit"), GOLDS)
def test_golds(golds: tuple[str, ...], prediction: str, hit: bool) -> None:
    assert RULES.rule(prediction, _sample(*golds), KNOBS).hit is hit


def test_a_gold_that_is_neither_is_invalid() -> None:
    assert RULES.rule("yes", _sample("perhaps"), KNOBS) == Reading(
        Found("yes", "bare-word", (0, 3)), None, "unparsable-gold"
    )
