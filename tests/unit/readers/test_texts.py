"""JSON scalars as texts."""

import pytest

from mmeval.readers.texts import Written, is_flat, prediction_texts, reference_texts, scalar_text
from mmeval.types import Json

SCALARS = [
    ("text", " x ", " x "),
    ("integer", -5, "-5"),
    ("float", 0.1, "0.1"),
    ("whole-float", 5.0, "5.0"),
    ("true", True, "true"),
    ("false", False, "false"),
    ("null", None, ""),
    ("written-short", Written("2.50"), "2.5"),
    ("written-long", Written("0.12345678901234567891"), "0.12345678901234567891"),
    ("written-exponent", Written("1E3"), "1000.0"),
    ("written-beyond-range", Written("1e999"), "1e999"),
    ("written-tiny", Written("1e-999"), "1e-999"),
]


@pytest.mark.parametrize("value,text", [c[1:] for c in SCALARS], ids=[c[0] for c in SCALARS])
def test_scalars(value: bool | int | float | str | None, text: str) -> None:
    assert scalar_text(value) == text


FLAT = [
    (1, True),
    (None, True),
    ([], True),
    (["a", None, 1.5], True),
    ({}, False),
    ([[]], False),
    (["a", {"b": 1}], False),
]


@pytest.mark.parametrize("value,flat", FLAT, ids=repr)
def test_is_flat(value: Json, flat: bool) -> None:
    assert is_flat(value) is flat


def test_what_is_not_flat_has_no_texts() -> None:
    assert reference_texts([[1]]) == ()
    assert prediction_texts([[1]]) == (None,)
    assert prediction_texts({"a": 1}) == (None,)
