"""Where numbers lie on an image, and how much boxes overlap."""

from __future__ import annotations

import pytest

from mmeval.boxes.geometry import (
    Frame,
    corner_iou,
    frame,
    frame_pair,
    iou,
    strange,
    to_corners,
    to_point,
    to_xywh,
)
from mmeval.boxes.model import Box
from mmeval.errors import UsageError

# An image of 200 by 100; the box of 20 by 20 at (10, 10).
PLACED = [
    ("pixels", "xywh", (10, 10, 20, 20)),
    ("pixels", "xyxy", (10, 10, 30, 30)),
    ("pixels", "cxcywh", (20, 20, 20, 20)),
    (1000, "xyxy", (50, 100, 150, 300)),
    ("1000", "xywh", (50, 100, 100, 200)),
    (100, "cxcywh", (10, 20, 10, 20)),
    (1, "xyxy", (0.05, 0.1, 0.15, 0.3)),
    (999, "xyxy", (49.95, 99.9, 149.85, 299.7)),
    (1000, "yxyx", (100, 50, 300, 150)),
    (1024, "yxyx", (102.4, 51.2, 307.2, 153.6)),
]


@pytest.mark.parametrize(("grid", "form", "values"), PLACED)
def test_one_box_in_every_reading(grid: str | int, form: str, values: tuple[float, ...]) -> None:
    where = frame(grid, form, 200, 100)
    assert to_xywh(values, where) == pytest.approx((10, 10, 20, 20))
    assert to_corners(values, where) == pytest.approx((10, 10, 30, 30))
    assert to_point(values, where) == pytest.approx((20, 20))


@pytest.mark.parametrize(
    ("form", "values", "reason"),
    [
        ("xyxy", (30, 10, 10, 30), "inverted"),
        ("xyxy", (10, 30, 30, 10), "inverted"),
        ("yxyx", (30, 10, 10, 30), "inverted"),
        ("xywh", (10, 10, -1, 20), "negative-size"),
        ("cxcywh", (10, 10, 20, -1), "negative-size"),
        ("xywh", (1e308, 0, 1e308, 1), "infinite"),
        ("xywh", (0, 0, 1e200, 1e200), "infinite"),
        ("xyxy", (-1e308, 0, 1e308, 1), "infinite"),
    ],
)
def test_what_is_no_box(form: str, values: tuple[float, ...], reason: str) -> None:
    where = frame("pixels", form)
    assert to_xywh(values, where) == to_corners(values, where) == to_point(values, where) == reason


def test_a_point_with_y_first() -> None:
    assert to_point((300, 50), frame(1000, "yxyx", 200, 100)) == (10, 30)
    assert to_point((50, 300), frame(1000, "xyxy", 200, 100)) == (10, 30)


def test_a_box_without_extent_is_one() -> None:
    assert to_xywh((5, 5, 5, 5), frame("pixels", "xyxy")) == (5, 5, 0, 0)


def test_corners_stay_as_written() -> None:
    assert to_corners((0.1, 0.2, 0.3, 0.4), frame("pixels", "xyxy")) == (0.1, 0.2, 0.3, 0.4)


def test_a_point_on_a_grid() -> None:
    assert to_point((500, 500), frame(1000, "xyxy", 200, 100)) == (100, 50)
    assert to_point((1e308, 0), frame(1, "xyxy", 200, 100)) == "infinite"


@pytest.mark.parametrize(
    ("grid", "form", "said"),
    [
        ("512", "xyxy", "choose one of 1000, 1024, 999, 100, 1, pixels"),
        ("1", "xxyy", "one of xyxy, yxyx, xywh, cxcywh"),
    ],
)
def test_unknown_readings(grid: str, form: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        frame(grid, form)


def test_a_grid_needs_a_size() -> None:
    assert frame("pixels", "xyxy").sized
    assert not frame(1000, "xyxy", 200).sized
    with pytest.raises(ValueError, match="width and height"):
        to_xywh((1, 2, 3, 4), frame(1000, "xyxy"))


def test_two_grids_need_none() -> None:
    mine, theirs = frame_pair((1000, "xyxy"), (1, "xywh"), None, None)
    assert to_xywh((100, 200, 300, 400), mine) == pytest.approx(to_xywh((0.1, 0.2, 0.2, 0.2), theirs))
    assert not frame_pair((1000, "xyxy"), ("pixels", "xywh"), None, None)[0].sized
    assert frame_pair((1000, "xyxy"), ("pixels", "xywh"), 200, 100)[0] == Frame("1000", "xyxy", 200, 100)


GOLD = (0.0, 0.0, 100.0, 100.0)
OVERLAPS = [
    ((0, 0, 100, 100), False, 1.0),
    ((100 / 3, 0, 100, 100), False, 0.5),
    ((25, 0, 100, 100), False, 0.6),
    ((20, 0, 100, 100), False, 0.6666666666666666),
    ((10, 0, 100, 100), False, 0.8181818181818182),
    ((100, 0, 100, 100), False, 0.0),
    ((50, 50, 0, 0), False, 0.0),
    ((50, 50, 10, 10), False, 0.01),
    ((50, 50, 10, 10), True, 1.0),
    ((95, 95, 10, 10), True, 0.25),
    ((5e-324, 0, 5e-324, 1), False, 0.0),
]


@pytest.mark.parametrize(("box", "crowd", "expected"), OVERLAPS)
def test_overlap(box: tuple[float, float, float, float], crowd: bool, expected: float) -> None:
    assert iou(box, GOLD, crowd) == pytest.approx(expected, abs=1e-15)
    if not crowd:
        corners = (box[0], box[1], box[0] + box[2], box[1] + box[3])
        assert corner_iou(corners, (0, 0, 100, 100)) == pytest.approx(expected, abs=1e-15)


def test_two_empty_boxes_do_not_overlap() -> None:
    assert corner_iou((5, 5, 5, 5), (5, 5, 5, 5)) == iou((5, 5, 0, 0), (5, 5, 0, 0)) == 0


@pytest.mark.parametrize(
    ("where", "values", "notes"),
    [
        (frame(1000, "xyxy", 200, 100), [(1, 2, 3, 4)], []),
        (frame(1000, "xyxy"), [(9, 2, 3, 4)], []),
        (frame("pixels", "xyxy"), [(9, 2, 3, 4), (1, 2, 3, 4)], ["1 of 2 boxes have a negative width"]),
        (frame("pixels", "xyxy", 200, 100), [(500, 2, 600, 4)], ["every box lies outside the image"]),
        (frame("pixels", "xywh", 200, 100), [(-50, 2, 10, 4)], ["every box lies outside the image"]),
        (frame("pixels", "xyxy", 200, 100), [(500, 2, 600, 4), (1, 2, 3, 4)], []),
        (frame(1000, "xyxy", 200, 100), [(0.1, 0.2, 0.3, 0.4)], ["every coordinate lies in 0..1"]),
        (frame(1, "xyxy", 200, 100), [(0.1, 0.2, 0.3, 0.4)], []),
        (frame("pixels", "xyxy", 200, 100), [(0, 0, 1, 1)], []),
        (frame("pixels", "xyxy", 200, 100), [], []),
    ],
)
def test_what_looks_wrong(where: Frame, values: list[tuple[float, ...]], notes: list[str]) -> None:
    said = strange([Box((a, b, c, d)) for a, b, c, d in values], where)
    assert len(said) == len(notes)
    assert all(note.startswith(start) for note, start in zip(said, notes, strict=True))
