"""Laws of boxes: what is written is read, order and frame change nothing, nothing raises."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.boxes.geometry import corner_iou, frame, iou, to_corners, to_xywh
from mmeval.boxes.golds import Gold, read_golds
from mmeval.boxes.matching import match
from mmeval.boxes.model import Placed
from mmeval.boxes.reading import read_boxes, read_marks

coordinate = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
size = st.floats(0, 1e4).map(lambda value: round(value, 2))
box = st.tuples(coordinate, coordinate, size, size)
small = st.integers(0, 30)
tiny = st.tuples(small, small, st.integers(0, 12), st.integers(0, 12)).map(
    lambda values: (float(values[0]), float(values[1]), float(values[2]), float(values[3]))
)
label = st.text(min_size=1, max_size=12).map(str.strip).filter(bool)
labelled = st.lists(st.tuples(box, label), max_size=6)
scrap = st.sampled_from(
    [
        *(
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            '"',
            "'",
            ",",
            ":",
            "\\",
            " ",
            "\n",
            "1",
            "2.5",
            "-3",
            "1e308",
            "1e999",
        ),
        *(
            "null",
            "NaN",
            "None",
            "```",
            "```json\n",
            "<think>",
            "</think>",
            "<box>",
            "</box>",
            "<ref>",
            "dog",
        ),
        *(
            '"bbox_2d":',
            '"label":',
            "'box':",
            "[1,2,3,4]",
            '{"bbox":[1,2,3,4]}',
            "(1,2)",
            "<point x='1' y='2'>",
        ),
    ]
)


def as_json(rows: list[tuple[tuple[float, ...], str]]) -> str:
    return json.dumps([{"bbox_2d": list(values), "label": name} for values, name in rows])


@settings(max_examples=60, deadline=None)
@given(labelled, st.sampled_from(["{}", "```json\n{}\n```", "<think>[1,1,1,1]</think>{}", "So:\n```\n{}"]))
def test_what_is_written_is_read(rows: list[tuple[tuple[float, ...], str]], wrapping: str) -> None:
    read = read_boxes(wrapping.format("X").replace("X", as_json(rows)))
    if any("```" in name or "<" in name or "[/THINK]" in name for _, name in rows):
        return
    assert [(each.values, each.label) for each in read.boxes] == rows
    assert read.dropped == {}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(box, st.sampled_from(["dog", "it's", 'a "b"', "c\nd"])), min_size=1, max_size=5))
def test_python_says_what_json_says(rows: list[tuple[tuple[float, ...], str]]) -> None:
    written = repr([{"bbox": values, "name": name, "score": None} for values, name in rows])
    assert [(each.values, each.label) for each in read_boxes(written).boxes] == rows


@settings(max_examples=60, deadline=None)
@given(st.lists(box, min_size=1, max_size=5), st.data())
def test_a_reply_cut_anywhere_keeps_a_prefix_of_its_boxes(
    rows: list[tuple[float, ...]], data: st.DataObject
) -> None:
    whole = json.dumps([{"bbox": list(values), "label": "dog"} for values in rows])
    cut = data.draw(st.integers(0, len(whole)))
    found = [each.values for each in read_boxes(whole[:cut]).boxes]
    assert found == rows[: len(found)]
    assert len(found) >= whole[:cut].count("}")


@settings(max_examples=150, deadline=None)
@given(st.lists(scrap, max_size=40).map("".join))
def test_nothing_raises_and_only_finite_boxes_come_out(reply: str) -> None:
    for read in (read_boxes(reply), read_marks(reply)):
        marks = read.boxes if hasattr(read, "boxes") else read.marks
        assert all(math.isfinite(value) for mark in marks for value in mark.values)
        assert [mark.index for mark in marks] == list(range(len(marks)))
        assert (read.how == "none") == (not marks)
        assert all(count > 0 for count in read.dropped.values())


@settings(max_examples=80, deadline=None)
@given(tiny, tiny)
def test_overlap_is_a_share_and_symmetric(mine: tuple[float, ...], theirs: tuple[float, ...]) -> None:
    one, other = iou(mine, theirs), iou(theirs, mine)  # type: ignore[arg-type]
    assert 0 <= one <= 1
    assert one == other
    assert iou(mine, theirs, True) >= one  # type: ignore[arg-type]
    assert iou(mine, mine) == float(mine[2] * mine[3] > 0)  # type: ignore[arg-type]
    corners = [to_corners(each, frame("pixels", "xywh")) for each in (mine, theirs)]
    assert corner_iou(*corners) == one  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(tiny, st.sampled_from(["1000", "999", "100", "1"]), st.integers(1, 4000), st.integers(1, 4000))
def test_every_form_says_the_same_box(values: tuple[float, ...], grid: str, width: int, height: int) -> None:
    x, y, w, h = values
    forms = {
        "xywh": (x, y, w, h),
        "xyxy": (x, y, x + w, y + h),
        "yxyx": (y, x, y + h, x + w),
        "cxcywh": (x + w / 2, y + h / 2, w, h),
    }
    placed = [to_xywh(numbers, frame(grid, form, width, height)) for form, numbers in forms.items()]
    assert all(each == pytest.approx(placed[0], rel=1e-9, abs=1e-6) for each in placed)


@settings(max_examples=60, deadline=None)
@given(st.lists(tiny, max_size=7), st.lists(st.tuples(tiny, st.booleans()), max_size=5), st.randoms())
def test_no_order_changes_who_was_found(
    boxes: list[tuple[float, ...]], golds: list[object], dice: object
) -> None:
    preds = [Placed(each) for each in boxes]  # type: ignore[arg-type]
    there = [Gold(each, 1.0, None, None, crowd) for each, crowd in golds]  # type: ignore[misc]
    before = match(preds, there)
    order = list(range(len(preds)))
    dice.shuffle(order)  # type: ignore[attr-defined]
    after = match([preds[place] for place in order], there)
    assert sorted(pair[2] for pair in before.pairs) == sorted(pair[2] for pair in after.pairs)
    assert (len(before.absorbed), before.unmatched_golds) == (len(after.absorbed), after.unmatched_golds)
    assert len(before.pairs) + len(before.absorbed) + len(before.unmatched_preds) == len(preds)


@settings(max_examples=60, deadline=None)
@given(st.lists(box, max_size=5))
def test_golds_as_lists_objects_and_text_are_the_same(rows: list[tuple[float, ...]]) -> None:
    lists = [list(each) for each in rows]
    golds = read_golds(lists)
    assert golds == read_golds(json.dumps(lists)) == read_golds([{"bbox": each} for each in lists])
    assert isinstance(golds, tuple)
    assert [each.xywh for each in golds] == rows
