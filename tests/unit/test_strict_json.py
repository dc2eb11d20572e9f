"""JSON that a protocol is written in."""

from __future__ import annotations

import pytest

from mmeval.errors import MetadataError
from mmeval.strict_json import loads


def test_what_is_sound_is_decoded() -> None:
    assert loads(b'{"a": [1, -9223372036854775808, 18446744073709551615, 0.5]}', "x") == {
        "a": [1, -(2**63), 2**64 - 1, 0.5]
    }


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a": 1, "a": 1}', "x: the key 'a' occurs twice in one object"),
        (b'{"b": [{"a": 1, "a": 2}]}', "x: the key 'a' occurs twice"),
        (b'{"a": 18446744073709551616}', "x: holds a whole number beyond 64 bits"),
        (b'{"a": NaN}', "x: not JSON"),
        (b'{"a": "\\ud800"}', "x: not JSON"),
        (b'{"a": 1', "x: not JSON"),
        (b"\xff", "x: not JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "x: "),
        (b"[" * 1_000 + b"]" * 1_000, "x: "),
    ],
)
def test_what_is_not_is_told(data: bytes, says: str) -> None:
    with pytest.raises(MetadataError, match=says):
        loads(data, "x")
