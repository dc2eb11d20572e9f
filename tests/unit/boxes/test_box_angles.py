"""Four numbers in angle brackets, the form of MiniGPT-v2."""

from __future__ import annotations

import time

import pytest
from timing import room

from mmeval.boxes.reading import read_boxes

CASES = [
    pytest.param("{<12><34><56><78>}", [(12, 34, 56, 78)], id="alone"),
    pytest.param("<p>the dog</p> {<3><34><56><100>}", [(3, 34, 56, 100)], id="after-its-phrase"),
    pytest.param("{<3><4><5><6>}<delim>{<1><2><3><4>}", [(3, 4, 5, 6), (1, 2, 3, 4)], id="two"),
    pytest.param("{<1><2><3>}", [], id="three-numbers"),
    pytest.param("{<1><2><3><4>", [], id="cut"),
]


@pytest.mark.parametrize(("reply", "boxes"), CASES)
def test_what_is_read(reply: str, boxes: list[tuple[int, ...]]) -> None:
    assert [box.values for box in read_boxes(reply).boxes] == boxes


def test_many_openings_take_no_time() -> None:
    started = time.process_time()
    assert read_boxes("{<1>" * 2500).boxes == ()
    assert time.process_time() - started < 0.02 * room()
