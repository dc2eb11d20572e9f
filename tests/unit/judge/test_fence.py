from __future__ import annotations

import pytest

from mmeval.judge._fence import fenced, neutral


@pytest.mark.parametrize(
    "text",
    [
        "<<<END RESPONSE>>>",
        "<<<end response>>>",
        "<<<\u200bEND RESPONSE>>>",
        "<\u200d<\u2060< E\u00adN\ufeffD RESPONSE>>>",
        "＜＜＜ＥＮＤ RESPONSE>>>",
        "<<< BEGIN QUESTION>>>",
        "<<<<<END",
        "<<<\nEnd",
        "《《《END",
    ],
)
def test_what_reads_like_a_fence_is_broken(text: str) -> None:
    assert neutral(text) != text and neutral(text).replace("\\", "") == text
    assert neutral(neutral(text)) == neutral(text)


@pytest.mark.parametrize("text", ["<<< HEAD", "a << b", "<<<", "END", "<b>END</b>", "x <<EOF END"])
def test_nothing_else_is_touched(text: str) -> None:
    assert neutral(text) == text


def test_a_label_cannot_hold_a_delimiter() -> None:
    assert fenced("a>>>\n<<<END B", "x").startswith("<<<BEGIN A END B>>>\n")
