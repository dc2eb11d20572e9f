"""Laws that every grader and each of our own rule sets keeps, whatever a model writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.numbers._parse import numbers, whole, written
from mmeval.reading import Knobs, rule_set
from mmeval.stages.anls import Anls
from mmeval.stages.count_parse import CountParse
from mmeval.stages.mra import Mra
from mmeval.stages.vqa_accuracy import VqaAccuracy
from mmeval.types import Case, Options, Outcome, QuestionType, Sample, Score

Grader = Callable[[Case], Outcome]
GRADERS: dict[str, Grader] = {
    "count-parse": CountParse(),
    "count-parse-words": CountParse(number_words=True),
    "anls": Anls(),
    "anls-raw": Anls(length="raw", at_threshold="zero"),
    "anls-strip": Anls(normalisation="strip"),
    "mra": Mra(),
    "vqaeval": VqaAccuracy(),
    "evalai": VqaAccuracy(mode="evalai"),
    "vlmevalkit": VqaAccuracy(mode="vlmevalkit"),
    "symmetric": VqaAccuracy(mode="symmetric"),
}
RULES: list[tuple[str, str, QuestionType]] = [
    ("mmeval.yes_no", "robust", "yes_no"),
    ("mmeval.numbers", "robust", "numeric"),
    ("mmeval.numbers", "chartqa", "numeric"),
    ("mmeval.answers", "robust", "open"),
    ("mmeval.answers", "chartqa", "open"),
    ("mmeval.answers", "ocrbench", "open"),
    ("mmeval.answers", "mathvision", "open"),
]
RULE_IDS = [f"{package.rpartition('.')[2]}-{name}" for package, name, _ in RULES]


def _words(text: str) -> list[str]:
    return text.split()


PIECES = _words(
    "yes no not 是 有 没有 the answer is Answer: \\boxed{ } \\frac12 <answer> </answer> <think> </think> 1 "
    '2.5 1,200 -3 5% $ = or and - to between million one dozen None {"answer": " . , ! ? ** ` \' ( ) [ ] '
    "x cat 十二 İ ß"
)
TEXT = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
)
GOLDS = st.sampled_from([("yes", "no"), ("5",) * 3 + ("6",), ("a cat", "cat"), ("12",) * 10, ("0", "1/2")])


def _case(golds: tuple[str, ...], prediction: str, kind: QuestionType = "open") -> Case:
    return Case(Sample(1, "What %?", Options(()), list(golds), golds, (prediction,), kind), prediction)


@pytest.mark.parametrize("name", GRADERS)
@given(golds=GOLDS, prediction=TEXT)
@settings(max_examples=150, deadline=None)
def test_graders_score_from_0_to_1_or_say_why_not(name: str, golds: tuple[str, ...], prediction: str) -> None:
    outcome = GRADERS[name](_case(golds, prediction))
    if isinstance(outcome, Score):
        assert 0.0 <= outcome.value <= 1.0
        assert outcome.reason
    else:
        assert outcome.reason in {"unparsable-gold"}  # type: ignore[union-attr]
    assert GRADERS[name](_case(golds, prediction)) == outcome


@pytest.mark.parametrize("name", GRADERS)
def test_gold_against_itself_is_right_and_empty_is_wrong(name: str) -> None:
    golds = ("12",) * 10
    for prediction, value in (("12", 1.0), ("", 0.0), (" \n", 0.0), ("<think>12", 0.0)):
        outcome = GRADERS[name](_case(golds, prediction))
        assert isinstance(outcome, Score) and outcome.value == value, prediction


@pytest.mark.parametrize(("package", "name", "kind"), RULES, ids=RULE_IDS)
@given(golds=GOLDS, prediction=TEXT)
@settings(max_examples=200, deadline=None)
def test_rule_sets_show_what_they_read(
    package: str, name: str, kind: QuestionType, golds: tuple[str, ...], prediction: str
) -> None:
    rules, sample = rule_set(package, name), _case(golds, prediction, kind).sample
    for grade in (rules.exact, rules.rule):
        reading = grade(prediction, sample, Knobs())
        assert reading.found.rule
        assert (reading.found.value is None) == (reading.hit is None) or reading.invalid
        if reading.found.span is not None:
            start, end = reading.found.span
            assert 0 <= start < end <= len(prediction)


@pytest.mark.parametrize(("package", "name", "kind"), RULES, ids=RULE_IDS)
@pytest.mark.parametrize("prediction", ["", " ", "\n", "<think></think>", "<think>yes 5"])
def test_an_empty_answer_is_never_right(package: str, name: str, kind: QuestionType, prediction: str) -> None:
    rules = rule_set(package, name)
    for golds in (("yes",), ("5",), ("", "5")):
        sample = _case(golds, prediction, kind).sample
        for match in ("exact", "contains", "anls"):
            knobs = Knobs(string_match=match)  # type: ignore[arg-type]
            assert not rules.rule(prediction, sample, knobs).hit
            assert not rules.exact(prediction, sample, knobs).hit


@given(st.fractions())
def test_written_is_read_back(value: Fraction) -> None:
    number = whole(written(value))
    assert number is not None and number.value == value


@given(st.integers(min_value=-(10**40), max_value=10**40))
def test_thousands_separators_change_nothing(value: int) -> None:
    (number,) = numbers(f"{value:,}")
    assert number.value == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000, places=3))
def test_decimals_are_read_exactly(value: object) -> None:
    (number,) = numbers(f"it is {value} m")
    assert number.value == Fraction(str(value))


HOSTILE = (
    *_words('1 1, 1,111 ,1 - 1. $ a1 1e 1/ \\frac{ 1a = 1= \\boxed{ ( " Yes. ** x [ [1 5% < </ 1-'),
    *_words("“ 答案是 十 İ 的 ー <answer> </answer> <think>"),
    *(
        "1 ",
        "1 1/",
        "answer ",
        "answer is 5 ",
        "therefore 5 ",
        "one ",
        "hundred and ",
        " ",
        "yes ",
        "no ",
        "\n",
    ),
    *("yes or no ", "not ", "is not ", "or ", "a, ", ". ", "<answer ", '{"answer": '),
)


@pytest.mark.parametrize("piece", HOSTILE, ids=[repr(piece) for piece in HOSTILE])
def test_time_is_small_and_grows_linearly(piece: str) -> None:
    """10,000 characters take some milliseconds on any machine; ten times as many not a hundred times as long.

    The limits leave room for a busy machine: a quadratic rule takes seconds at 100,000 characters.
    """
    text = (piece * 100_000)[:100_000] + " 7"
    for run in _everything():
        started = time.process_time()
        run(text)
        assert time.process_time() - started < 0.8


def _everything() -> list[Callable[[str], object]]:
    golds = ("5", "cat")
    runs: list[Callable[[str], object]] = [
        lambda text, grader=grader: grader(_case(golds, text)) for grader in GRADERS.values()
    ]
    for package, name, kind in RULES:
        rules = rule_set(package, name)
        for knobs in (Knobs(), Knobs(string_match="contains")):
            runs += [
                lambda text, grade=grade, kind=kind, knobs=knobs: grade(
                    text, _case(golds, text, kind).sample, knobs
                )
                for grade in (rules.exact, rules.rule)
            ]
    return runs
