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

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{},"]', re.DOTALL)
_OPEN, _CLOSE = b"[{", b"]}"


def elements(data: Buffer, start: int) -> Iterator[tuple[int, int, bool]]:
    """The extents of the elements (members) of the array (object) whose bracket opens at `start`, in order.

    Yields begin, end, and whether the end is sure: an element that runs into the end of the data (or holds a
    string without an end) comes last and is not sure. The end of the last sure element is where the closing
    bracket lies. An array without any element yields one empty extent.
    """
    depth, begin = 0, start + 1
    for token in _TOKEN.finditer(data, start):
        mark = token.group()
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            depth -= 1
            if depth == 0:
                yield begin, token.start(), True
                return
        elif mark == b"," and depth == 1:
            yield begin, token.start(), True
            begin = token.end()
        elif mark == b'"':
            break
    yield begin, len(data), False


def line_of(data: Buffer, offset: int) -> int:
    """The line, counted from 1, that an offset lies in."""
    return data[:offset].count(b"\n") + 1
