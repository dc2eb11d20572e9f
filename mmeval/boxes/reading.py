"""The boxes and points that a reply holds, as written.

One place for every stage. What the numbers mean (grid, corners or sizes) is declared and applied later, by
`mmeval.boxes.geometry`; here nothing is scaled, put in order or clipped.
"""

from __future__ import annotations

from collections.abc import Callable

from mmeval.boxes._collect import Collector
from mmeval.boxes._decode import blocks, decode, objects
from mmeval.boxes._groups import collect_groups
from mmeval.boxes.model import Box, How, ReadBoxes, ReadMarks
from mmeval.text.reasoning import final_part
from mmeval.text.wrappers import answer_tag, strip

# Not a box that went wrong: the next way of reading may still find one.
_SOFT = frozenset({"no-box", "truncated", "unreadable"})


def read_boxes(text: str) -> ReadBoxes:
    """The boxes of a reply, in its own order.

    Reasoning is left out, and of an `<answer>` element only the inside counts. Then the first of these that
    finds anything: the reply (or every fenced block in it) as JSON; as a Python literal, which is never
    evaluated; each object whose braces are closed, so that of a reply that breaks off every whole element
    counts; groups of four numbers. Boxes are lists of four numbers, or objects with `bbox_2d`, `bbox`,
    `box_2d` or `box`, a label (`label`, `class`, `category`, `name`), a `category_id` and a `score` or
    `confidence`, nested however deep. A malformed box is dropped alone, and counted.

    >>> read_boxes('Here: [{"bbox_2d": [1, 2, 3, 4], "label": "dog"}, {"bbox_2d": [5, 6')
    ReadBoxes(boxes=(Box(values=(1.0, 2.0, 3.0, 4.0), label='dog', category_id=None, score=None, index=0),), \
dropped={'truncated': 1}, how='objects')
    """
    found, how = _read(text, points=False)
    boxes = tuple(mark for mark in found.marks if isinstance(mark, Box))
    return ReadBoxes(boxes, dict(found.dropped), how)


def read_marks(text: str) -> ReadMarks:
    """The points and boxes of a reply, in its own order, read as `read_boxes` does.

    Points are lists of two numbers, objects with `point_2d`, `point`, `coordinate`, `coordinates` or with
    `x` and `y`, pairs in brackets, and `<point x="1" y="2">`.

    >>> read_marks("Click at (120, 48).").marks
    (Point(values=(120.0, 48.0), label=None, index=0),)
    """
    found, how = _read(text, points=True)
    return ReadMarks(tuple(found.marks), dict(found.dropped), how)


def _read(text: str, points: bool) -> tuple[Collector, How]:
    """The first way of reading that finds a box, or one that went wrong."""
    body = answer_part(text)
    first: Collector | None = None
    ways: tuple[Callable[[str, Collector], How], ...] = (_documents, _objects, _groups)
    for way in ways if body else ():
        found = Collector(points)
        how = way(body, found)
        if found.marks:
            return found, how
        if found.dropped.keys() - _SOFT:
            return found, "none"
        first = first or (found if found.dropped else None)
    return first or Collector(points), "none"


def answer_part(text: str) -> str:
    """The part of a reply that holds its answer: no reasoning, and of an `<answer>` element the inside."""
    part = final_part(text)
    start, end = strip(text, part.start, part.end)
    if "<" in text:
        start, end = answer_tag(text, start, end) or (start, end)
    return text[start:end].strip()


def _documents(body: str, found: Collector) -> How:
    """The whole reply, or all of its fenced blocks, as data."""
    decoded = []
    for block in blocks(body):
        value = decode(block)
        if value is None:
            return "none"
        decoded.append(value)
    for each in decoded:
        found.walk(each.value)
    return "python" if any(each.language == "python" for each in decoded) else "json"


def _objects(body: str, found: Collector) -> How:
    """Each object of a reply that is no data as a whole."""
    values, unreadable, cut = objects(body)
    for value in values:
        found.walk(value)
    if unreadable:
        found.dropped["unreadable"] += unreadable
    if cut:
        found.drop("truncated")
    return "objects"


def _groups(body: str, found: Collector) -> How:
    """Numbers in brackets, pairs, or commas."""
    collect_groups(body, found)
    return "numbers"
