"""One row's bytes to its columns: repeated keys, depth, damage."""

import json

import pytest

from mmeval.readers.decoding import MAX_DEPTH, damage, decode_row, sanitised


def nested(depth: int) -> bytes:
    return b'{"id":1,"x":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


REPEATED = [
    ("top", b'{"a":1,"b":2,"a":1}', "a"),
    ("nested", b'{"m":[{"response":"A","response":"B"}]}', "response"),
    ("escaped-quotes", rb'{"a":"say \"x\"","a":2}', "a"),
    ("escaped-differently", rb'{"a":"say \u0022x\u0022","b":1,"b":2}', "b"),
    ("escape-hides-the-count", rb'{"b":"\u0022\u0022","b":1,"c":""}', "b"),
    ("escaped-key", b'{"a":1,"\\u0061":2}', "a"),
    ("damaged-row", b'{"a":NaN,"a":1}', "a"),
    ("empty-key", b'{"":1,"":2}', ""),
]


@pytest.mark.parametrize("data,key", [c[1:] for c in REPEATED], ids=[c[0] for c in REPEATED])
def test_repeated_keys_are_found(data: bytes, key: str) -> None:
    flaw = decode_row(data).flaw
    assert flaw is not None
    assert (flaw.reason, flaw.detail) == ("duplicate-key", f"the key {key!r} occurs twice")


NOT_REPEATED = [
    ("same-key-in-two-objects", b'{"a":{"x":1},"b":{"x":1}}'),
    ("quotes-in-text", rb'{"a":"\"\"\"","b":"\u0022"}'),
    ("escaped-slash", rb'{"a":"\/\u00e9\\"}'),
    ("key-in-text", rb'{"a":"\"a\":1,\"a\":2"}'),
]


@pytest.mark.parametrize("data", [c[1] for c in NOT_REPEATED], ids=[c[0] for c in NOT_REPEATED])
def test_nothing_else_is_taken_for_a_repeated_key(data: bytes) -> None:
    columns = decode_row(data)
    assert (columns.flaw, columns.sound) == (None, True)
    assert columns.values == json.loads(data)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 950, 10_000, 200_000])
def test_deep_rows_keep_what_is_shallow(depth: int) -> None:
    columns = decode_row(nested(depth))
    assert columns.flaw is not None
    assert columns.flaw.reason == "too-deep"
    assert columns.values == {"id": 1}


def test_the_depth_limit_is_exact() -> None:
    assert decode_row(nested(MAX_DEPTH)).flaw is None


def test_deep_rows_that_are_damaged_too() -> None:
    data = b'{"a":NaN,"id":1,"x":' + b"[" * 5000 + b"]" * 5000 + b"}"
    columns = decode_row(data)
    assert columns.flaw is not None
    assert (columns.flaw.reason, columns.values["id"]) == ("too-deep", 1)


def test_many_brackets_are_not_deep() -> None:
    data = json.dumps({"boxes": [[n, n] for n in range(1000)]}).encode()
    assert decode_row(data).flaw is None


DAMAGE = [
    ("sound", {"a": ["x", 1, None]}, None),
    ("half-character", ["x", "ab\ud800"], "unreadable-text"),
    ("in-a-key", {"\udc80": 1}, "unreadable-text"),
    ("nan", [1.5, float("nan")], "not-a-number"),
    ("infinity", {"x": float("inf")}, "not-a-number"),
]


@pytest.mark.parametrize("value,reason", [c[1:] for c in DAMAGE], ids=[c[0] for c in DAMAGE])
def test_damage(value: object, reason: str | None) -> None:
    found = damage(value)
    assert (found and found.reason) == reason
    assert damage(sanitised(value)) is None


def test_emoji_by_escapes_are_whole() -> None:
    columns = decode_row(rb'{"a":"\ud83d\ude00","b":NaN}')
    assert columns.values["a"] == "\U0001f600"
    assert damage(columns.values["a"]) is None
