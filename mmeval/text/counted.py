"""So many of something, in a sentence."""

from __future__ import annotations


def many(count: int, one: str, more: str) -> str:
    """So many of them.

    >>> many(1, "row has", "rows have"), many(2000, "row has", "rows have")
    ('1 row has', '2000 rows have')
    """
    return f"{count} {one if count == 1 else more}"
