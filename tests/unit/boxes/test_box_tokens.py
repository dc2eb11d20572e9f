"""Location tokens: PaliGemma names a thing behind its four tokens (y before x), Florence-2 before them.

Sources of the forms: arXiv:2407.07726 (PaliGemma), arXiv:2311.06242 (Florence-2), arXiv:2311.03079 (CogVLM),
arXiv:2412.10302 (DeepSeek-VL2).
"""

from __future__ import annotations

import time

import pytest
from timing import room

from mmeval.boxes.reading import read_boxes, read_marks

CASES = [
    pytest.param("<loc0200><loc0100><loc0400><loc0300> dog", [((200, 100, 400, 300), "dog")], id="one"),
    pytest.param(
        "<loc0001><loc0002><loc0003><loc0004> red car ; <loc0005><loc0006><loc0007><loc1023> red car",
        [((1, 2, 3, 4), "red car"), ((5, 6, 7, 1023), "red car")],
        id="several",
    ),
    pytest.param("<loc0001><loc0002><loc0003><loc0004>", [((1, 2, 3, 4), None)], id="without-a-name"),
    pytest.param("dog<loc_1><loc_2><loc_3><loc_4>", [((1, 2, 3, 4), "dog")], id="name-first"),
    pytest.param(
        "</s><s>dog<loc_1><loc_2><loc_3><loc_4><loc_5><loc_6><loc_7><loc_8>cat<loc_9><loc_9><loc_9><loc_9></s>",
        [((1, 2, 3, 4), "dog"), ((5, 6, 7, 8), "dog"), ((9, 9, 9, 9), "cat")],
        id="several-of-one-name",
    ),
    pytest.param("<loc0200><loc0100><loc0400>", [], id="cut-off"),
    pytest.param(
        "[[010,020,110,220;030,040,130,240]]",
        [((10, 20, 110, 220), None), ((30, 40, 130, 240), None)],
        id="cogvlm-several",
    ),
    pytest.param(
        "<|ref|>dog<|/ref|><|det|>[[1, 2, 3, 4], [5, 6, 7, 8]]<|/det|>",
        [((1, 2, 3, 4), "dog"), ((5, 6, 7, 8), "dog")],
        id="deepseek-vl2",
    ),
    pytest.param("[\N{MINUS SIGN}10, 20, 110, 220]", [((-10, 20, 110, 220), None)], id="minus-sign"),
    pytest.param("<loc12345><loc1><loc2><loc3>", [], id="too-long"),
]


@pytest.mark.parametrize(("reply", "boxes"), CASES)
def test_tokens(reply: str, boxes: list[tuple[tuple[float, ...], str | None]]) -> None:
    assert [(each.values, each.label) for each in read_boxes(reply).boxes] == boxes


def test_tokens_are_boxes_where_points_are_wanted_too() -> None:
    (mark,) = read_marks("<loc0200><loc0100><loc0400><loc0300> dog").marks
    assert mark.values == (200, 100, 400, 300)


@pytest.mark.parametrize("unit", ["<loc0001>", "<loc_1>dog", "<loc", "><loc_1><loc_2><loc_3><loc_4>"])
def test_hostile_tokens_cost_little(unit: str) -> None:
    began = time.process_time()
    read_boxes((unit * 200_000)[:1_000_000])
    assert time.process_time() - began < 2 * room()
