"""The strict counting protocol, and its lenient reading of number words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval.errors import UsageError
from mmeval.stages.count_parse import CountParse
from mmeval.types import Case, Invalid, Score

BIG = "1" + "0" * 5000

STRICT = [
    # OpenVLHarness counting protocol, table of its description
    ("Row 1 has 3, row 2 has 4. Total: 7", "7", "parsed"),
    ("3-5", "5", "parsed"),
    ("1,234", "1234", "parsed"),
    ("1,234,567 items", "1234567", "parsed"),
    ("-5", None, "negative"),
    ("12,34", "34", "parsed"),
    ("x-5", "5", "parsed"),
    (r"\boxed{8} and then 9", "8", "parsed"),
    (r"\boxed{3} or \boxed{4}", "4", "parsed"),
    (r"\boxed{}", None, "blank"),
    ("five", None, "no-number"),
    ("", None, "blank"),
    (" \n", None, "blank"),
    ("about 5.5", None, "non-integer"),
    ("The answer is 7.", "7", "parsed"),
    ("between 10 and 20", "20", "parsed"),
    ("20 - 30", "30", "parsed"),
    ("1/2", "2", "parsed"),
    ("5%", "5", "parsed"),
    ("10 000", "0", "parsed"),
    ("1e3", "3", "parsed"),
    ("5.0", "5", "parsed"),
    # ours: the same rule at its edges
    ("1,234,5", "5", "parsed"),
    ("1,2345", "2345", "parsed"),
    ("3,000.50", None, "non-integer"),
    ("-1,234", None, "negative"),
    ("-0", "0", "parsed"),
    ("2,-3", None, "negative"),
    ("−5", None, "negative"),
    ("共５个", "5", "parsed"),
    ("٣", "3", "parsed"),
    ("007", "7", "parsed"),
    (BIG, BIG, "parsed"),
    (r"I see 4. \boxed{", None, "box-unterminated"),
    ("<think>5, maybe 6</think>7", "7", "parsed"),
    ("<think>5, maybe 6", None, "reasoning-unclosed"),
    ("Failed to obtain answer via API. code 429", None, "failure-message"),
]


@pytest.mark.parametrize(("text", "value", "rule"), STRICT, ids=[repr(row[0][:30]) for row in STRICT])
def test_strict_parse(text: str, value: str | None, rule: str) -> None:
    found = CountParse().parse(text)
    assert (found.value, found.rule) == (value, rule)


WORDS = [
    ("There are three dogs on the grass.", "3"),
    ("twenty-one", "21"),
    ("two hundred and five", "205"),
    ("one thousand two hundred thirty-four", "1234"),
    ("two dozen", "24"),
    ("a dozen", "12"),
    ("十二个", "12"),
    ("两万三千", "23000"),
    ("一百零五", "105"),
    ("None", "0"),
    ("没有。", "0"),
    ("three or four", None),
    ("二〇二四", None),
    ("no idea", None),
    ("seventeen twenty", None),
    ("three dogs and 4 cats", "4"),
]


@pytest.mark.parametrize(("text", "value"), WORDS, ids=[row[0] for row in WORDS])
def test_number_words_only_where_asked_for(text: str, value: str | None) -> None:
    assert CountParse(number_words=True).parse(text).value == value
    if value != "4":
        assert CountParse().parse(text).value is None


def test_verdicts(case: Callable[..., Case]) -> None:
    stage = CountParse()
    assert stage(case("7", "It is 7.")) == Score(1.0, "7", (6, 7), "parsed")
    assert stage(case("7.0", "7")).value == 1.0
    assert stage(case("1,024", "1024")).value == 1.0
    assert stage(case("7", "8")) == Score(0.0, "8", (0, 1), "parsed")
    assert stage(case("0", "")) == Score(0.0, None, None, "blank")
    assert stage(case(["6", "7"], "7")).value == 1.0


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        ("", "blank-reference"),
        (" ", "blank-reference"),
        ("many", "unparsable-gold"),
        ("2.5", "unparsable-gold"),
    ],
)
def test_unusable_golds(case: Callable[..., Case], gold: str, reason: str) -> None:
    assert CountParse()(case(gold, "7")) == Invalid(reason)


def test_reasoning_may_be_kept() -> None:
    assert CountParse(reasoning="keep").parse("7<think>8</think>").value == "8"


def test_failure_messages_are_a_parameter() -> None:
    assert CountParse(failure_messages=()).parse("Failed to obtain answer via API: 429").value == "429"
    with pytest.raises(UsageError, match="empty text"):
        CountParse(failure_messages=("",))
    with pytest.raises(UsageError, match="choose one of"):
        CountParse(reasoning="drop")  # type: ignore[arg-type]


def test_span_is_where_the_number_stood() -> None:
    text = "<think>1</think> so \\boxed{ 1,234 } "
    found = CountParse().parse(text)
    assert found.span is not None and text[slice(*found.span)] == "1,234"
