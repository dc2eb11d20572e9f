"""Groups of numbers in a text that is no data: `[1, 2, 3, 4]`, `(1,2),(3,4)`, and the tags around them.

The forms: four numbers in brackets (InternVL, CogVLM: leading zeros), two pairs in parentheses (Qwen-VL:
`<ref>dog</ref><box>(1,2),(3,4)</box>`), four numbers with commas, four in angle brackets (MiniGPT-v2:
`{<1><2><3><4>}`), four location tokens (PaliGemma: `<loc0001><loc0002><loc0003><loc0004> dog`, Florence-2:
`dog<loc_1><loc_2><loc_3><loc_4>`); several of one name with semicolons (CogVLM:
`[[1,2,3,4;5,6,7,8]]`); where points are wanted also one pair, and `<point x="1" y="2">` (Molmo).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from typing import NamedTuple

from mmeval.boxes._collect import Collector
from mmeval.types import Json

_NUMBER = r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+"
_FIND = re.compile(_NUMBER)
_DIGIT = re.compile("[0-9]")
_RUN = re.compile(
    rf"(?P<open>[\[(])\s*+{_NUMBER}(?:(?:\s*+,\s*+|\s++){_NUMBER})++\s*+[\])]"
    rf"|(?P<broken>[\[(]\s*+)?(?<![\w.])(?P<bare>{_NUMBER}(?:\s*+,\s*+{_NUMBER})++)"
    rf"|<point\s++x\s*+=\s*+[\"'](?P<x>{_NUMBER})[\"']\s++y\s*+=\s*+[\"'](?P<y>{_NUMBER})[\"']"
    r"|\{(?:<[0-9]{1,4}>){4}\}"
    r"|(?P<loc>(?:<loc(?P<under>_?)[0-9]{1,4}>){4})"
)
_BEHIND = re.compile(r"\s*+([^<;\n]{0,200}+)")
_NAME = 200
_REF = re.compile(
    r"<ref>([^<]*+)</ref>|<\|object_ref_start\|>([^<]*+)<\|object_ref_end\|>|<\|ref\|>([^<]*+)<\|/ref\|>"
)
_SEMICOLON = re.compile(r"(?<=[0-9]);[ ]?(?=[0-9])")
_BOX_TAGS = ("<box>", "<|box_start|>")
_LONGEST_GAP = 4


class _Pair(NamedTuple):
    """Two numbers in parentheses."""

    start: int
    end: int
    numbers: list[Json]


def collect_groups(text: str, collector: Collector) -> None:
    """Gather every group of numbers in the order of the text."""
    if _DIGIT.search(text) is None:
        return
    text = text.replace("\N{MINUS SIGN}", "-")
    if "[[" in text:
        text = _SEMICOLON.sub("],[", text)
    refs = [(found.end(), (found[1] or found[2] or found[3] or "").strip()) for found in _REF.finditer(text)]
    ends = [end for end, _ in refs]
    pairs: list[_Pair] = []
    label = ""

    def owner(at: int) -> dict[str, Json]:
        place = bisect_right(ends, at)
        return {"label": refs[place - 1][1]} if place else {}

    def flush() -> None:
        if pairs:
            _pairs(text, pairs, collector, owner(pairs[0].start))
            pairs.clear()

    for run in _RUN.finditer(text):
        numbers = _numbers(run)
        start, end = run.span()
        if run["open"] == "(" and len(numbers) == 2:
            if pairs and not _adjoin(text, pairs[-1].end, start):
                flush()
            pairs.append(_Pair(start, end, numbers))
            continue
        flush()
        if run["loc"]:
            label = _named(text, run) or label
            collector.numbers(numbers, {"label": label} if label else {})
            continue
        _single(run, numbers, collector, owner(start))
    flush()


def _named(text: str, run: re.Match[str]) -> str:
    """What four location tokens are of: the words behind those of PaliGemma, before those of Florence-2."""
    if not run["under"]:
        found = _BEHIND.match(text, run.end())
        return found[1].strip() if found else ""
    before = text[max(0, run.start() - _NAME) : run.start()]
    return before[1 + max(map(before.rfind, ">;\n")) :].strip()


def _single(run: re.Match[str], numbers: list[Json], collector: Collector, owner: dict[str, Json]) -> None:
    """A group that stands alone; without brackets it has to be exactly what is looked for."""
    if run["broken"]:
        collector.drop("truncated")
    elif run["open"] or len(numbers) == 4:
        collector.numbers(numbers, owner)
    elif run["x"] and not collector.points:
        collector.drop("point")
    elif collector.points and len(numbers) == 2:
        collector.numbers(numbers, owner)


def _pairs(text: str, pairs: list[_Pair], collector: Collector, owner: dict[str, Json]) -> None:
    """Two pairs side by side are the corners of a box, where boxes are wanted or a tag says so."""
    tagged = text.endswith(_BOX_TAGS, 0, pairs[0].start)
    if len(pairs) == 2 and (tagged or not collector.points):
        collector.numbers([*pairs[0].numbers, *pairs[1].numbers], owner)
        return
    for pair in pairs:
        collector.numbers(pair.numbers, owner)


def _adjoin(text: str, end: int, start: int) -> bool:
    return start - end <= _LONGEST_GAP and text[end:start].strip() in ("", ",")


def _numbers(run: re.Match[str]) -> list[Json]:
    """The numbers of a group; of a long one the first five, which tell that it is no box."""
    if run["x"]:
        return [float(run["x"]), float(run["y"])]
    return [float(each[0]) for each in islice(_FIND.finditer(run.string, run.start(), run.end()), 5)]
