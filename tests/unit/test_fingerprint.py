"""Canonical forms: one text per value, one hash per content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval.fingerprint import canonical, canonical_json, digest
from mmeval.types import Json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("", ""),
        ("1", "1"),
        (1, "1"),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e22, "10000000000000000000000"),
        (10**30, "1" + "0" * 30),
        (True, "true"),
        (False, "false"),
        ("True", "True"),
        ([], ()),
        ([1, "1", 1.0, True, None], ("1", "1", "1", "true", "null")),
        ([[1, 2], {"b": 1, "a": 2}], ("[1,2]", '{"a":2,"b":1}')),
        ({"b": 1, "a": [2]}, '{"a":[2],"b":1}'),
        ({}, "{}"),
    ],
)
def test_one_text_per_value(value: Json, text: object) -> None:
    assert canonical(value) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_still_a_text(value: float) -> None:
    assert isinstance(canonical(value), str)


def test_order_of_keys_leaves_no_trace() -> None:
    assert digest({"a": 1, "b": {"c": 1, "d": 2}}) == digest({"b": {"d": 2, "c": 1}, "a": 1})
    assert canonical_json({"b": 1, "a": "é"}) == '{"a":"é","b":1}'.encode()


@pytest.mark.parametrize("other", [{"a": 2}, {"a": "1"}, {"a": 1, "b": None}, {"A": 1}, {"a": [1]}, {}])
def test_other_content_has_another_hash(other: Json) -> None:
    assert digest(other) != digest({"a": 1})
    assert len(digest(other)) == 64


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(scalars, lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(), x, max_size=4))


@given(values)
def test_every_value_has_a_form(value: Json) -> None:
    made = canonical(value)
    assert made is None or isinstance(made, str | tuple)
    if isinstance(made, tuple):
        assert all(isinstance(part, str) for part in made)


@given(st.integers(min_value=-(2**53), max_value=2**53))
def test_whole_floats_are_integers(number: int) -> None:
    assert canonical(float(number)) == canonical(number) == str(number)
