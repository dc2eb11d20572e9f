"""Lines of a batch's output and error files."""

from __future__ import annotations

import pytest

from mmeval.judge.providers._batch_lines import read_line


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", None),
        (b"[]", None),
        (b'{"custom_id": "k"}', "no response"),
        (b'{"custom_id": "k", "error": {"code": "x", "message": "it broke"}}', "it broke"),
        (b'{"custom_id": "k", "error": {"code": "x"}}', "x"),
        (
            b'{"custom_id": "k", "response": {"status_code": 200, "body": 3}}',
            "the reply is no chat completion: 3",
        ),
        (
            b'{"custom_id": "k", "response": {"status_code": 400, "body": {"error": {"message": "no"}}}}',
            "400: no",
        ),
    ],
)
def test_lines_of_any_kind_are_read(line: bytes, why: str | None) -> None:
    found = read_line(line)
    assert (found.why if found else None) == why
    assert found is None or found.completion is None
