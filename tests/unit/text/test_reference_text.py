"""The normal forms of simple-mmeval: mm-evaluation/simple-mmeval mmeval/scoring/extraction.py @ 3aa72c0."""

from __future__ import annotations

import time

import pytest

from mmeval.text.reference import boxed, last_answer_element, normalise, open_normalise, parse_number

NORMALISED = [
    ("Ｂ：ｘ", "B:x", "NFKC"),
    ("so \\boxed{a{b}c} end", "a{b}c", "the box replaces the text"),
    ("\\boxed{A} no, \\boxed{B}", "A", "the first box wins"),
    ("\\boxed{A", "\\boxed{A", "an open box stays"),
    ("<think>A maybe</think><answer>D</answer>", "A maybeD", "tags go, content stays"),
    ("```\nx\n```", "x", "fences"),
    ("B</s>", "B", "end token"),
    ("<CONCLUSION>B</CONCLUSION>", "B", "conclusion tags"),
    ("Falcon: B", "B", "prefix"),
    ("\\left( \\text{C} \\right)", "( {C} )", "LaTeX; braces stay"),
    ("\\leftarrow", "\\leftarrow", "no command of the list"),
    ("24\\%", "24%", "percent"),
    ("−3 – 4", "-3 - 4", "minus and dashes"),
    ("2 × 3 · 4 ÷ 5", "2 * 3 * 4 / 5", "operators"),
    ("  a \n\t b ", "a b", "white space"),
    ("", "", "empty"),
]


@pytest.mark.parametrize(("text", "normal", "why"), NORMALISED, ids=[case[2] for case in NORMALISED])
def test_normalise(text: str, normal: str, why: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ('"Tower Bridge."', "tower bridge"),
        ("`x`", "x"),
        ("Yes!！。.", "yes"),
        ("The A.", "the a"),
        ("'", "'"),
        ("5 km", "5 km"),
    ],
)
def test_open_normalise(text: str, normal: str) -> None:
    assert open_normalise(text) == normal


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("24%", 0.24),
        ("1,200", 1200.0),
        ("1.5e3", 1500.0),
        ("-3.", -3.0),
        ("inf", float("inf")),
        ("$12", None),
        ("12 km", None),
        ("six", None),
        ("1/2", None),
        ("", None),
        ("%", None),
    ],
)
def test_parse_number(text: str, number: float | None) -> None:
    assert parse_number(text) == number


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("<answer>A</answer> <answer> B </answer>", "B"),
        ("<ANSWER>B</ANSWER>", "B"),
        ("<answer>B", None),
        ("</answer>B<answer>", None),
        ("<answer>A</answer><answer>", "A"),
        ("none", None),
        ("1 < 2", None),
    ],
)
def test_last_answer_element(text: str, content: str | None) -> None:
    assert last_answer_element(text) == content


@pytest.mark.parametrize(("text", "content"), [("\\boxed{}", ""), ("x", None), ("\\boxed{{}", None)])
def test_boxed(text: str, content: str | None) -> None:
    assert boxed(text) == content


@pytest.mark.parametrize("unit", ["<answer>", "\\boxed{", "<think>", "\\text", "。", "a ", "＠", "}"])
def test_linear(unit: str) -> None:
    text = unit * (10_000 // len(unit))

    def seconds() -> float:
        start = time.process_time()
        normalise.__wrapped__(text)
        last_answer_element(text)
        return time.process_time() - start

    # 10 ms, with room for a coverage run on a busy machine
    assert min(seconds() for _ in range(3)) < 0.100
