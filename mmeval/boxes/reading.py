"""The boxes and points that a reply holds, as written."""

from __future__ import annotations

from mmeval.boxes.model import ReadBoxes, ReadMarks


def read_boxes(text: str) -> ReadBoxes:
    """Read the boxes of a reply, in its own order."""
    raise NotImplementedError


def read_marks(text: str) -> ReadMarks:
    """Read the boxes and points of a reply, in its own order."""
    raise NotImplementedError
