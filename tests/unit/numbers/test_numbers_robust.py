"""Our reading of numbers: exact, and only where a reply commits itself to one."""

from __future__ import annotations

import pytest

from mmeval.numbers.robust import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample


def _sample(*golds: str, question: str = "How many?") -> Sample:
    return Sample(1, question, Options(()), golds[0], golds, (), "numeric")


RULE = [
    # prediction, value, rule
    ("5", "5", "bare-number"),
    ("$5$", "5", "bare-number"),
    ("-5.", "-5", "bare-number"),
    (r"\boxed{\frac12}", "0.5", "boxed"),
    (r"First \boxed{3}. Then \boxed{5}.", "5", "boxed"),
    (r"\boxed{3 + 4 = 7}", "7", "boxed"),
    (r"\boxed{28 percent}", "28", "boxed"),
    ("<answer>12 km</answer>", "12", "answer-tag"),
    ('{"answer": 12}', "12", "json"),
    ("The answer is 25", "25", "cue"),
    ("The answer is 1/2.", "0.5", "cue"),
    ("Answer: m+n = 256+37 = 293", "293", "cue"),
    ("Final answer: 082", "82", "cue"),
    ("There are 3 rows and 4 columns, so the answer is 12", "12", "cue"),
    ("The answer is 42, since 6*7 = 43", "42", "cue"),
    ("The answer is approximately 3.5 m/s.", "3.5", "cue"),
    ("The final answer is\n\n42", "42", "cue"),
    ("答案是42", "42", "cue"),
    ("m+n = 256+37 = 293", "293", "after-equals"),
    ("There are 3 rows and 4 columns, thus 12 in total.", "12", "conclusion"),
    ("So x=2. It grows by 4. Therefore, it is 47.7%.", "47.7", "conclusion"),
    ("The total cost of the order is $29.00.", "29", "only-number"),
    ("about 33.14", "33.14", "only-number"),
    ("six", "6", "number-word"),
    ("There are six of them.", "6", "number-word"),
    ("one", "1", "number-word"),
    ("One of them", None, "no-number-found"),
    ("nan", None, "no-number-found"),
    ("There are 3 rows and 4 columns", None, "several-numbers-found"),
    ("10 or 20", None, "several-numbers-found"),
    ("Answer: 3.5 or 4.5", None, "several-numbers-found"),
    (r"\boxed{3} or \boxed{3, 4}", None, "several-numbers-found"),
    ("Therefore, x = 5 or x = 7", None, "several-numbers-found"),
    ("3-5", None, "range-or-date"),
    ("between 10 and 20", None, "range-or-date"),
    ("The answer is 2020-2021", None, "range-or-date"),
    ("It is 10:30", None, "range-or-date"),
    ("The answer is not 5", None, "denied-number"),
    ("It isn't 5.", None, "denied-number"),
    ("minus 5", None, "sign-in-words"),
    (r"I thought \boxed{5}. The final answer is \boxed{", None, "box-unterminated"),
    ("<think>5", None, "reasoning-unclosed"),
    ("", None, "empty-answer"),
]


@pytest.mark.parametrize(("prediction", "value", "rule"), RULE, ids=[repr(row[0]) for row in RULE])
def test_rule(prediction: str, value: str | None, rule: str) -> None:
    reading = RULES.rule(prediction, _sample("42"), Knobs())
    assert (reading.found.value, reading.found.rule) == (value, rule)
    assert reading.hit == (None if value is None else value == "42")


HITS = [
    # golds, prediction, knobs, hit
    (("0",), "0.04", {"numeric_rel_tol": 0.05}, False),
    (("0",), "0.04", {"numeric_abs_tol": 0.05}, True),
    (("0",), "-0.0", {}, True),
    (("100",), "105", {"numeric_rel_tol": 0.05}, True),
    (("100",), "105.1", {"numeric_rel_tol": 0.05}, False),
    (("0.3",), "0.315", {"numeric_rel_tol": 0.05}, True),
    (("9007199254740992",), "9007199254740993", {}, False),
    (("1/3",), r"\frac{1}{3}", {}, True),
    (("0.3333",), "1/3", {}, False),
    (("2.54",), "2.5454545454545454", {}, False),
    (("1.73",), "1.75", {}, False),
    (("-5",), "5", {}, False),
    (("11",), "ANSWER: 711", {}, False),
    (("24",), "24%", {}, True),
    (("24%",), "24", {}, True),
    (("0.24",), "24%", {"percent": "fraction"}, True),
    (("24%",), "24%", {"percent": "fraction"}, True),
    (("24",), "24%", {"percent": "refuse"}, None),
    (("1200000",), "$1.2 million", {}, True),
    (("7", "8"), "8", {}, True),
    (("3 days",), "3", {}, True),
    (("many",), "Many.", {}, True),
    (("many", "3"), "3", {}, True),
    (("many", "3"), "Many", {}, True),
    (("many", "3"), "4", {}, False),
]


@pytest.mark.parametrize(("golds", "prediction", "knobs", "hit"), HITS)
def test_hit(golds: tuple[str, ...], prediction: str, knobs: dict[str, object], hit: bool | None) -> None:
    sample, made = _sample(*golds), Knobs(**knobs)  # type: ignore[arg-type]
    assert RULES.rule(prediction, sample, made).hit is hit
    assert RULES.exact(prediction, sample, made).hit in (hit, None)


def test_the_one_percentage_where_the_question_asks_for_one() -> None:
    text = "Out of 100 people asked, the share that agreed is 20%."
    asked = RULES.rule(text, _sample("20", question="What percentage agreed?"), Knobs())
    assert (asked.found.value, asked.found.rule, asked.hit) == ("20", "only-percentage", True)
    assert RULES.rule(text, _sample("20"), Knobs()).found.rule == "several-numbers-found"


def test_exact_reads_no_prose() -> None:
    assert RULES.exact("It is 42", _sample("42"), Knobs()).found.rule == "not-a-bare-number"
    assert RULES.exact("42 cats", _sample("42"), Knobs()).hit is True


def test_span_is_where_the_number_stood() -> None:
    text = "<think>9</think> The answer is **1,024**."
    reading = RULES.rule(text, _sample("1024"), Knobs())
    assert reading.found.span is not None and text[slice(*reading.found.span)] == "1,024"
