"""Warnings about single calls: the first few of each kind."""

from __future__ import annotations

import pytest

from mmeval.judge.complaints import SHOWN, BatchNews, Complaints


def test_the_first_few_of_each_kind_then_one_word_and_silence(caplog: pytest.LogCaptureFixture) -> None:
    complaints = Complaints()
    for number in range(100):
        complaints.add("m: timeout", "sample %s: %s", number, "too late")
    complaints.add("m: server", "sample %s: %s", 100, "500")
    assert SHOWN == 5
    assert caplog.messages == [
        *(f"sample {number}: too late" for number in range(5)),
        "more of this kind (m: timeout) is not shown; the score file has it row by row",
        "sample 100: 500",
    ]


def test_of_a_batch_only_news_is_told(caplog: pytest.LogCaptureFixture) -> None:
    news = BatchNews("m")
    for done, total in ((0, 0), (0, 8), (0, 8), (3, 8), (3, 8), (8, 8)):
        news(done, total)
    assert [message[:27] for message in caplog.messages] == [
        f"batch: m has answered {done} of 8"[:27] for done in (0, 3, 8)
    ]
    assert [message.endswith("for the next call") for message in caplog.messages] == [True, False, False]
