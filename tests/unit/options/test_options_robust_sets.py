"""Sets of letters, odd labels, unknown options, exact reading, and spans."""

import pytest

from mmeval.options.robust import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

FOUR = Options(("A", "B", "C", "D"), ("whale", "shark", "bat", "crow"), "options")
SIX = Options(tuple("ABCDEF"), ("v", "w", "x", "y", "z", "u"), "options")
UNKNOWN = Options(tuple("ABCDEF"))
NUMBERED = Options(tuple(map(str, range(1, 13))), tuple(f"item {n}" for n in range(1, 13)), "options")

SETS = [
    ("comma", FOUR, "A,C", "A,C", "A,C"),
    ("order", FOUR, "A,C", "C, A", "A,C"),
    ("and", FOUR, "A,C", "A and C", "A,C"),
    ("oxford", FOUR, "A,B,C", "A, B, and C", "A,B,C"),
    ("trailing-comma", FOUR, "A,C", "ANSWER: A, C,", "A,C"),
    ("brackets", FOUR, "A,C", "(A), (C)", "A,C"),
    ("cue", FOUR, "A,C", "The correct answers are A and C.", "A,C"),
    ("boxed", FOUR, "A,C", r"So \boxed{A, C}", "A,C"),
    ("tag", FOUR, "A,C", "<answer>A,C</answer>", "A,C"),
    ("compact", FOUR, "A,C", "AC", "A,C"),
    ("compact-word", SIX, "A,C,E,F", "FACE", "A,C,E,F"),
    ("compact-unknown-options", UNKNOWN, "B,D,E", "BED", None),
    ("compact-other-letters", FOUR, "A,C", "AX", None),
    ("compact-doubled", FOUR, "A,C", "AA", None),
    ("subset", FOUR, "A,C", "A", "A"),
    ("superset", FOUR, "A,C", "A, B, C", "A,B,C"),
    ("chinese", FOUR, "A,C", "答案：A、C", "A,C"),
    ("one-asked-two-given", FOUR, "A", "A, C", None),
    ("one-asked-two-announced", FOUR, "A", "The answers are A and C.", None),
    ("one-asked-compact", FOUR, "A", "AC", None),
]


def read(
    options: Options, gold: str, reply: str, question: str = "", exact: bool = False
) -> tuple[str | None, str]:
    sample = Sample(1, question, options, gold, (gold,), (reply,), "mcq")
    grade = RULES.exact if exact else RULES.rule
    found = grade(reply, sample, Knobs()).found
    return found.value, found.rule


@pytest.mark.parametrize(
    ("options", "gold", "reply", "value"), [row[1:] for row in SETS], ids=[row[0] for row in SETS]
)
def test_sets(options: Options, gold: str, reply: str, value: str | None) -> None:
    assert read(options, gold, reply)[0] == value


def test_a_question_that_asks_for_several_is_read_as_a_set_whatever_the_gold() -> None:
    assert read(FOUR, "A", "A, C", "Select all that apply: which are mammals?")[0] == "A,C"
    assert read(FOUR, "A", "A, C", "Which is a mammal?")[0] is None


ODD = [
    ("ten-is-not-one", NUMBERED, "1", "ANSWER: 10", "10"),
    ("bare-number", NUMBERED, "10", "10", "10"),
    ("number-with-text", NUMBERED, "10", "10. item 10", "10"),
    ("numbered-steps", NUMBERED, "1", "1. Look at the ears.\n2. Look at the tail.", None),
    ("decimal", NUMBERED, "3", "The answer is 3.5", None),
    ("gold-beyond-labels", FOUR, "E", "E", "E"),
    ("unknown-bracketed", UNKNOWN, "B", "(B) the third image", "B"),
    ("unknown-point", UNKNOWN, "B", "The mark corresponds to Point B in the picture.", "B"),
    ("unknown-box", UNKNOWN, "A", "Box A is more accurate than Box B.", "A"),
    ("unknown-word", UNKNOWN, "B", "Based on the view, the car moves.", None),
    ("unknown-best", UNKNOWN, "B", "The second picture (B) is most similar to the first.", "B"),
    (
        "unknown-labels-name-things",
        UNKNOWN,
        "B",
        "The third picture (C) is most similar to the first picture (A).",
        None,
    ),
]


@pytest.mark.parametrize(
    ("options", "gold", "reply", "value"), [row[1:] for row in ODD], ids=[row[0] for row in ODD]
)
def test_odd_labels(options: Options, gold: str, reply: str, value: str | None) -> None:
    assert read(options, gold, reply)[0] == value


EXACT = [
    ("B", "B", "bare-label"),
    ("(b)", "B", "bare-label"),
    ("**B.**", "B", "bare-label"),
    ("<answer>B</answer>", "B", "bare-label"),
    ("Shark.", "B", "option-text"),
    ("B. shark", "B", "label-and-text"),
    ("B. whale", None, "letter-text-conflict"),
    ("The answer is B", None, "not-a-bare-answer"),
    ("B because it swims", None, "not-a-bare-answer"),
    ("", None, "empty-answer"),
    ("<think>B", None, "reasoning-unclosed"),
    (r"\boxed{B", None, "box-unterminated"),
]


@pytest.mark.parametrize(("reply", "value", "rule"), EXACT, ids=[row[0] or "empty" for row in EXACT])
def test_exact(reply: str, value: str | None, rule: str) -> None:
    assert read(FOUR, "B", reply, exact=True) == (value, rule)


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("B", "B"),
        ("答案：Ｂ。", "Ｂ"),
        ("The answer is **C** since it flies.", "C"),
        ("<think>A</think> It is option D.", "D"),
        (r"Hence \boxed{\text{C}}.", "C"),
        ("The animal is a bat.", "bat"),
    ],
)
def test_the_span_shows_what_was_read(reply: str, shown: str) -> None:
    sample = Sample(1, "", FOUR, "B", ("B",), (reply,), "mcq")
    span = RULES.rule(reply, sample, Knobs()).found.span
    assert span is not None
    assert reply[slice(*span)] == shown


def test_a_gold_that_names_no_option_is_invalid() -> None:
    sample = Sample(1, "", FOUR, "horse", ("horse",), ("B",), "mcq")
    reading = RULES.rule("B", sample, Knobs())
    assert (reading.hit, reading.invalid) == (None, "gold-not-an-option")
