"""Where the elements of a JSON array or object lie, found without decoding them.

Only used where the fast decoder refuses a file: it tells which element is to blame, and lets the others live.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from typing import TypeAlias

Buffer: TypeAlias = bytes | mmap.mmap
Extent: TypeAlias = tuple[int, int]

# Each swallows texts and whatever else is of no structure, and ends on one mark. Commas count outside only. A
# lone quote is a text without an end.
_REST = rb'(?:[^"\[\]{},]++|"(?:[^"\\]++|\\.)*+")*+'
_OUTSIDE = re.compile(_REST + rb'[\[\]{},"]', re.DOTALL)
_INSIDE = re.compile(_REST.replace(b",", b"") + rb'[\[\]{}"]', re.DOTALL)


def elements(data: Buffer, start: int) -> Iterator[tuple[int, int, bool]]:
    """The extents of the elements (members) of the array (object) whose bracket opens at `start`, in order.

    Yields begin, end, and whether the end is sure: an element that runs into the end of the data (or holds a
    string without an end) comes last and is not sure. The end of the last sure element is where the closing
    bracket lies. An array without any element yields one empty extent.
    """
    depth, begin, at = 0, start + 1, start
    while found := (_INSIDE if depth > 1 else _OUTSIDE).match(data, at):
        at = found.end()
        mark = data[at - 1 : at]
        if mark in (b"[", b"{"):
            depth += 1
        elif mark == b",":
            yield begin, at - 1, True
            begin = at
        elif mark == b'"':
            break
        else:
            depth -= 1
            if depth == 0:
                yield begin, at - 1, True
                return
    yield begin, len(data), False


def line_of(data: Buffer, offset: int) -> int:
    """The line, counted from 1, that an offset lies in."""
    return data[:offset].count(b"\n") + 1
