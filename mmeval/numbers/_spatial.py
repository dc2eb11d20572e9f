"""The number grammar of the spatial benchmarks' numeric answers, and their mean relative accuracy.

Source: open-compass/VLMEvalKit vlmeval/dataset/utils/spatial_bench/matching_func.py and cal_scores.py
@ e8e78f05f308. Its oddities are kept: no thousands separators ("1,200" is 200), a hyphen before a digit is
always a sign ("3-5" is -5), number words from zero to twenty only ("twenty-one" is -1).
"""

from __future__ import annotations

import ast
import re

from mmeval.text.spatial import CLOSE, ZERO_WIDTH, after_thinking, contents

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_VALUES = {word: str(value) for value, word in enumerate(_WORDS.split())}
_WORD = re.compile(rf"\b(?:{'|'.join(_VALUES)})\b", re.IGNORECASE)
_MAY_HOLD_WORD = re.compile("[zotfsen]", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?")
THRESHOLDS = (*(1 - (step * ((0.95 - 0.5) / 9) + 0.5) for step in range(9)), 1 - 0.95)
"""1 - theta for numpy's linspace(0.5, 0.95, 10), in the same doubles: the boundary cases depend on them."""


def read_number(text: str) -> float | None:
    """The number of a reply: in its answer tag, else the last one after the thinking, else the last one.

    >>> read_number("between 2 and 3"), read_number("[7, 8]"), read_number("1,200")
    (3.0, 7.0, 200.0)
    """
    first = _first_of_list(text)
    if first is None:
        return None
    plain = first.strip().translate(ZERO_WIDTH)
    if _MAY_HOLD_WORD.search(plain):
        plain = _WORD.sub(lambda word: _VALUES[word[0].lower()], plain)
    tagged = _tagged(plain) if "<" in plain else None
    if tagged is not None:
        return tagged
    part = after_thinking(plain)
    numbers = _NUMBER.findall(plain, *part) if part else []
    numbers = numbers or _NUMBER.findall(plain)
    return float(numbers[-1]) if numbers else None


def _first_of_list(text: str) -> str | None:
    """The first item where the text is a list written out; None where such a text cannot be read."""
    bare = text.strip()
    if not (bare.startswith("[") and bare.endswith("]")):
        return text
    try:
        items = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return str(items[0]) if isinstance(items, list) and items else text


def _tagged(text: str) -> float | None:
    """The number with which the first well-formed answer element begins, if any element begins with one."""
    for start in contents(text):
        number = _NUMBER.match(text, start)
        if number is None:
            continue
        close = text.find("<", number.end())
        if close >= 0 and CLOSE.match(text, close):
            return float(number[0])
    return None


def mean_relative_accuracy(value: float, gold: float) -> float:
    """The share of ten tolerances, 0.5 down to 0.05, that hold the relative error (absolute for gold 0).

    >>> mean_relative_accuracy(1.2, 1), mean_relative_accuracy(6, 5)
    (0.7, 0.6)
    """
    error = abs((value - gold) / gold) if gold else abs(value - gold)
    return sum(error <= tolerance for tolerance in THRESHOLDS) / 10
