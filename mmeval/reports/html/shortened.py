"""Long answers with their middle left out, where a page would not open otherwise: their ends say the most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

ANSWERS = 90_000_000
"""Bytes of answers in a page: packed they take about four tenths of it, and a page is to stay below 60 MB."""
FEWEST = 300
"""Bytes of an answer that are always shown."""
GAP = "\n[... {} characters are left out of this page; mmeval explain shows them ...]\n"


class Answer(NamedTuple):
    """An answer as a page has it, and where a place of the whole answer lies in it."""

    text: str
    place: Callable[[Sequence[int] | None], list[int] | None]


def most(lengths: Sequence[int], budget: int = ANSWERS) -> int | None:
    """The most that each of these may keep to stay within the budget together; None if they do whole.

    >>> most([100, 100, 1000], 1200), most([100, 100, 1000], 800)
    (None, 600)
    """
    left, ordered = budget, sorted(lengths)
    for place, length in enumerate(ordered):
        share = left // (len(ordered) - place)
        if length > share:
            keep = max(FEWEST, share)
            return keep if ordered[-1] > keep else None
        left -= length
    return None


def size_of(row: Mapping[str, Any]) -> int:
    """How many bytes the answers of a row take."""
    told = [row.get("pred"), *(each.get("pred") for each in row.get("predictions") or ())]
    return sum(_bytes(text) for text in told if isinstance(text, str))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def cut(text: str, keep: int) -> Answer:
    """An answer with about `keep` characters: a third from its start, two thirds from its end."""
    if len(text) <= keep + len(GAP):
        return Answer(text, lambda span: None if span is None else list(span))
    start, end = keep // 3, len(text) - (keep - keep // 3)
    gap = GAP.format(f"{end - start:,}")
    shift = start + len(gap) - end

    def place(span: Sequence[int] | None) -> list[int] | None:
        if span is None or (span[0] < end and span[1] > start):
            return None
        return list(span) if span[1] <= start else [span[0] + shift, span[1] + shift]

    return Answer(text[:start] + gap + text[end:], place)


def shortened(row: dict[str, Any], keep: int | None) -> dict[str, Any]:
    """A row with its answers cut to about so many bytes; what was read in what is left out is not marked."""
    if keep is None:
        return row
    several = row.get("predictions") or ()
    share = max(FEWEST, keep // (1 + len(several)))
    told = _short(row, share)
    return {**told, "predictions": [_short(each, share) for each in several]} if several else told


def _short(row: dict[str, Any], keep: int) -> dict[str, Any]:
    if not isinstance(row.get("pred"), str):
        return row
    keep = keep * len(row["pred"]) // max(1, _bytes(row["pred"]))
    answer = cut(row["pred"], keep)
    steps = [_step(step, answer, keep) for step in row.get("trace") or ()]
    return {**row, "pred": answer.text, "extracted": _text(row.get("extracted"), keep), "trace": steps}


def _step(step: dict[str, Any], answer: Answer, keep: int) -> dict[str, Any]:
    told = {**step, "extracted": _text(step["extracted"], keep)} if "extracted" in step else dict(step)
    span = answer.place(step.get("span"))
    if span is None:
        told.pop("span", None)
        return told
    return {**told, "span": span}


def _text(value: Any, keep: int) -> Any:
    return cut(value, keep).text if isinstance(value, str) else value
