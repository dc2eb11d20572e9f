"""What every reader of another harness's files shares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import UsageError
from mmeval.readers.chat import answered, asked, said
from mmeval.readers.foreign import Left, chosen, encoded, flat, number, verdict
from mmeval.readers.tasks import dataset_name

NUMBERS: list[tuple[Any, Any]] = [
    (True, 1),
    (False, 0),
    ("True", 1),
    (" false ", 0),
    ("1.0", 1),
    ("0.5", 0.5),
    (0.25, 0.25),
    (7, 7),
    (None, None),
    ("", None),
    ("nan", None),
    ("inf", None),
    (float("nan"), None),
    ([1], None),
]


@pytest.mark.parametrize(("value", "wanted"), NUMBERS, ids=[repr(value) for value, _ in NUMBERS])
def test_numbers(value: Any, wanted: Any) -> None:
    assert number(value) == wanted


@pytest.mark.parametrize(
    ("given", "text"), [("B", "B"), (None, None), (2.5, "2.5"), (True, "true"), (["B"], None)]
)
def test_what_was_read_is_a_text(given: Any, text: str | None) -> None:
    assert verdict("x", "m", 1.0, given) == {"score": 1, "extracted": text, "by": "x", "metric": "m"}


@pytest.mark.parametrize(
    "row",
    [{"a": 10**40}, {"a": "\ud800"}, {"a": float("nan")}, {"a": [float("inf"), {"b": 2**70}]}],
    ids=["huge", "half-a-character", "nan", "nested"],
)
def test_any_row_can_be_written(row: Any) -> None:
    assert isinstance(json.loads(encoded(row)), dict)
    assert b"NaN" not in encoded(row)


def test_columns_never_overwrite_ours() -> None:
    row: dict[str, Any] = {"answer": 1, "x": 1}
    flat(row, {"answer": 2, "x": 2, "recorded": 3, "y": 4}, "doc_")
    assert row == {"answer": 1, "x": 1, "doc_answer": 2, "doc_x": 2, "doc_recorded": 3, "y": 4}


def test_what_is_left_is_named_once() -> None:
    left = Left()
    for name in range(7):
        left.note("a thing was left", name)
        left.whole("b was left")
    assert left.sentences == ("b was left", "7 rows: a thing was left (0, 1, 2, 3, 4, ...)")


def test_choices() -> None:
    path = Path("x")
    assert chosen("filter", None, ["a"], path) == ("a", ())
    assert chosen("filter", None, [], path) == (None, ())
    assert chosen("filter", "b", ["a", "b"], path) == ("b", ())
    assert chosen("filter", None, ["a", "b"], path)[0] is None
    with pytest.raises(UsageError, match="--filter c: x has a, b"):
        chosen("filter", "c", ["a", "b"], path)


TALKS: list[tuple[str, Any, tuple[str, list[str]]]] = [
    ("text", "hi", ("hi", [])),
    ("texts", ["a", "b"], ("a\n\nb", [])),
    ("roles", [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}], ("u", [])),
    (
        "pieces",
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": "u"}}],
            }
        ],
        ("t", ["u"]),
    ),
    ("odd", [3, None, {"role": "user", "content": None}, {"role": "user", "content": [7]}], ("", [])),
    ("nothing", None, ("", [])),
]


@pytest.mark.parametrize(("talk", "wanted"), [t[1:] for t in TALKS], ids=[t[0] for t in TALKS])
def test_what_was_asked(talk: Any, wanted: Any) -> None:
    assert asked(talk) == wanted


def test_what_was_said() -> None:
    pieces = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    assert said(pieces) == "a\nb"
    assert said(None) is None
    assert answered({"choices": []}) is None
    assert answered({"choices": [{"message": {"content": ""}}]}) == ""


NAMES = [
    (["POPE"], "POPE"),
    (["pope"], "pope"),
    (["lighteval|pope|0"], "pope"),
    (["inspect_evals/MMMU"], "MMMU"),
    (["new", "POPE"], "POPE"),
    (["new_task"], "new_task"),
    ([None, ""], None),
]


@pytest.mark.parametrize(("names", "wanted"), NAMES, ids=[str(names) for names, _ in NAMES])
def test_dataset_names(names: Any, wanted: str | None) -> None:
    assert dataset_name(names) == wanted
