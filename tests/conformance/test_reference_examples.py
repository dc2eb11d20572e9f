"""The 46 worked examples of simple-mmeval's rules: which stage decides each, if any does.

Source: mm-evaluation/simple-mmeval `mmeval/scoring` @ 3aa72c0, checked against an independent model of them.
A stage decides only where it reads the gold; `exact-match` is asked before `rule-match`.
"""

from __future__ import annotations

import pytest

from mmeval.questions import infer
from mmeval.reading import Knobs, rule_set
from mmeval.types import Options, Sample

O = Options(("A", "B", "C", "D"), ("cat", "dog", "bird", "fish"), "options")  # noqa: E741
NONE = Options(tuple("ABCDEF"))
PACKAGES = {
    "mcq": "mmeval.options",
    "yes_no": "mmeval.yes_no",
    "numeric": "mmeval.numbers",
    "open": "mmeval.answers",
}
FIVE = {"numeric_rel_tol": 0.05}

EXAMPLES = [
    # number, prediction, options, gold, knobs, declared type, type, deciding stage
    (1, "B", O, "B", {}, None, "mcq", "exact-match"),
    (2, "b", O, "B", {}, None, "mcq", "exact-match"),
    (3, "(C)", O, "C", {}, None, "mcq", "rule-match"),
    (4, "B. dog", O, "B", {}, None, "mcq", "exact-match"),
    (5, "The answer is C.", O, "C", {}, None, "mcq", "exact-match"),
    (6, "the answer is b", O, "B", {}, None, "mcq", "exact-match"),
    (7, "the answer is a teddy bear", O, "A", {}, None, "mcq", None),
    (8, "A teddy bear", O, "A", {}, None, "mcq", "rule-match"),
    (9, "It shows a dog", O, "B", {}, None, "mcq", "rule-match"),
    (10, "cat.", O, "A", {}, None, "mcq", "rule-match"),
    (11, "A or B? I think **B**", O, "B", {}, None, "mcq", None),
    (
        12,
        "I considered A first, but the correct option: (C) because of the beak",
        O,
        "C",
        {},
        None,
        "mcq",
        "rule-match",
    ),
    (13, "<think>A maybe</think><answer>D</answer>", O, "D", {}, None, "mcq", "exact-match"),
    (14, "So $\\boxed{\\text{C}}$", O, "C", {}, None, "mcq", "rule-match"),
    (15, "\\boxed{A} ... no, \\boxed{B}", O, "B", {}, None, "mcq", None),
    (16, "最终答案：D", O, "D", {}, None, "mcq", "rule-match"),
    (17, "**B**", O, "B", {}, None, "mcq", "rule-match"),
    (18, "option b", O, "B", {}, None, "mcq", None),
    (19, "Answer: B) dog", O, "B", {}, None, "mcq", "exact-match"),
    (20, "A, C", O, "A, C", {}, None, "mcq", "exact-match"),
    (21, "AC", O, "A, C", {}, None, "mcq", "exact-match"),
    (22, "C and A", O, "AC", {}, "mcq", "mcq", "exact-match"),
    (23, "A", O, "AC", {}, None, "open", None),
    (24, "the answers are A and C", O, "C, A", {}, None, "mcq", "exact-match"),
    (25, "A and C are both right", O, "A, C", {}, None, "mcq", None),
    (26, "BED", NONE, "BED", {}, None, "open", "exact-match"),
    (27, "BED", NONE, "BED", {}, "mcq", "mcq", None),
    (28, "G", O, "G", {}, None, "mcq", "exact-match"),
    (29, "Yes", NONE, "yes", {}, None, "yes_no", "exact-match"),
    (30, "Yes, it is.", NONE, "yes", {}, None, "yes_no", "rule-match"),
    (31, "No, yes... unclear", NONE, "no", {}, None, "yes_no", None),
    (32, "Not at all", NONE, "no", {}, None, "yes_no", None),
    (33, "24%", NONE, "0.24", {}, None, "numeric", "exact-match"),
    (34, "24%", NONE, "24", {}, None, "numeric", None),
    (34, "24", NONE, "24%", {}, None, "numeric", None),
    (35, "1,200", NONE, "1200", {}, None, "numeric", "exact-match"),
    (36, "The answer is 1,500", NONE, "1500", {}, None, "numeric", None),
    (37, "$12", NONE, "12", {}, None, "numeric", "rule-match"),
    (38, "104", NONE, "100", FIVE, None, "numeric", "exact-match"),
    (38, "106", NONE, "100", FIVE, None, "numeric", None),
    (39, "0.04", NONE, "0", FIVE, None, "numeric", None),
    (39, "0.04", NONE, "0", {"numeric_abs_tol": 0.05}, None, "numeric", "exact-match"),
    (
        40,
        "There are 3 rows and 4 columns, so the answer is 12",
        NONE,
        "12",
        {},
        None,
        "numeric",
        "rule-match",
    ),
    (41, "x = \\boxed{\\frac{1}{2}}", NONE, "0.5", {}, None, "numeric", None),
    (42, "six", NONE, "6", {}, None, "numeric", None),
    (43, '"Tower Bridge."', NONE, "tower bridge", {}, None, "open", "exact-match"),
    (43, "The tower bridge.", NONE, "tower bridge", {}, None, "open", None),
    (44, "It says 2042", NONE, "42", {"string_match": "contains"}, None, "numeric", "exact-match"),
    (45, "Micheal Jordan", NONE, "michael jordan", {"string_match": "anls"}, None, "open", "exact-match"),
    (46, "No", NONE, "false", {}, None, "open", None),
]


@pytest.mark.parametrize(
    ("number", "prediction", "options", "gold", "knobs", "declared", "kind", "stage"),
    EXAMPLES,
    ids=[f"{row[0]}-{row[1][:24]}" for row in EXAMPLES],
)
def test_deciding_stage(number, prediction, options, gold, knobs, declared, kind, stage) -> None:
    assert infer(gold, declared, options) == kind
    sample = Sample(number, "", options, gold, (gold,), (prediction,), kind)
    rules = rule_set(PACKAGES[kind], "reference")
    tolerances = Knobs(**knobs)
    decided = None
    if rules.exact(prediction, sample, tolerances).hit:
        decided = "exact-match"
    elif rules.rule(prediction, sample, tolerances).hit:
        decided = "rule-match"
    assert decided == stage


def test_all_46_are_here() -> None:
    assert {row[0] for row in EXAMPLES} == set(range(1, 47))
