r"""Open answers of MMMU as its authors parse and compare them.

Source: MMMU-Benchmark/MMMU `mmmu/utils/eval_utils.py` (`parse_open_response`, `eval_open`) @
bb0b95a94599.

1. The reply is stripped, freed of full stops at its ends, lower-cased, and cut into lines.
2. Of each line the shortest rest behind a cue ("is ", "so ", "answer ", ...; "=" from the last line on)
   is a key part, unless it is empty or a lone punctuation mark. No key part at all: the whole reply is
   one.
3. Candidates are the key parts and the numbers inside them. A candidate or gold that parses as a number
   without its commas becomes that number, rounded to two decimals; a single character becomes two texts,
   with a space before and behind it; all else stays text in lower case.
4. A text candidate is right if a text gold occurs inside it, a number if it equals a number gold.

Traps: sentences are never told apart (the authors look for a capital after lower-casing); short golds hit
by accident, inside any word; "1,234.5" holds the numbers 1234 and 234.5, "2e3" also 3; "5%" holds 5, but a
gold "5%" does not hit "5"; the cue "is " is found inside "this ". Any of several golds counts.

`exact` reads the whole reply as one candidate, and only where the full rule reads the same verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

Value: TypeAlias = "str | float"

_CUES = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
_TRIVIAL = frozenset({":", ",", ".", "!", "?", ";", "'"})
_GROUPED = re.compile(r"-?\b\d{1,3}(?:,\d{3})+\b")
_SCIENTIFIC = re.compile(r"-?(?<!\d)\d++(?:\.\d++)?+[eE][+-]?\d+")
_SIMPLE = re.compile(r"-?(?:(?<!\d)\d++\.\d++|\.\d++|(?<!\d)\d++\b)(?![eE][+-]?\d)(?![,\d])")


def normalised(text: str) -> list[Value]:
    """A number, or the text in lower case; a single character with a space before, and with one behind."""
    text = text.strip()
    try:
        return [round(float(text.replace(",", "")), 2)]
    except ValueError:
        text = text.lower()
        return [f" {text}", f"{text} "] if len(text) == 1 else [text]


def _key_part(line: str, cues: tuple[str, ...]) -> str | None:
    """The shortest rest behind the last occurrence of any cue; an empty one gives way to the next."""
    shortest: str | None = None
    for cue in cues:
        if cue in line:
            rest = line.rpartition(cue)[2].strip()
            if not shortest or len(rest) < len(shortest):
                shortest = rest
    return shortest if shortest and shortest not in _TRIVIAL else None


def key_parts(reply: str) -> list[str]:
    """Steps 1 and 2."""
    text = reply.strip().strip(".").lower()
    *lines, last = text.split("\n")
    parts = [_key_part(line, _CUES) for line in lines]
    parts.append(_key_part(last, (*_CUES, "=")))
    return [part for part in parts if part] or [text]


def _numbers(part: str) -> Iterator[str]:
    """The numbers inside a key part: grouped by commas, scientific, plain."""
    for pattern in (_GROUPED, _SCIENTIFIC, _SIMPLE):
        yield from pattern.findall(part)


def candidates(reply: str) -> list[Value]:
    """Steps 1 to 3: the key parts first, then the numbers inside them."""
    parts = key_parts(reply)
    written = [*parts, *(number for part in parts for number in _numbers(part))]
    return [value for one in dict.fromkeys(written) for value in normalised(one)]


@lru_cache(maxsize=2048)
def _golds(references: tuple[str, ...]) -> tuple[Value, ...]:
    """Every reference, normalised."""
    return tuple(value for one in references for value in normalised(one))


def _hits(candidate: Value, golds: tuple[Value, ...]) -> bool:
    """Step 4."""
    if isinstance(candidate, str):
        return any(isinstance(gold, str) and gold in candidate for gold in golds)
    return candidate in golds


def _shown(value: Value) -> str:
    """A candidate as a text for people."""
    return value.strip() if isinstance(value, str) else repr(value)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Right if any candidate hits; shown is that candidate, else the last key part."""
    values, golds = candidates(prediction), _golds(sample.references)
    for value in values:
        if _hits(value, golds):
            name = "key-part" if isinstance(value, str) else "number"
            return Reading(Found(_shown(value), name), True)
    shown = key_parts(prediction)[-1]
    if not shown:
        return Reading(Found(None, "empty-answer"))
    return Reading(Found(shown, "no-candidate-hits"), False)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Right if the whole reply is a gold, and the full rule finds it too."""
    golds = _golds(sample.references)
    whole = normalised(prediction.strip().strip("."))
    if not any(value in golds for value in whole) or not rule(prediction, sample, knobs).hit:
        return Reading(Found(None, "not-the-whole-answer"))
    start = len(prediction) - len(prediction.lstrip())
    return Reading(Found(_shown(whole[0]), "whole-answer", (start, len(prediction.rstrip()))), True)


RULES = RuleSet("mmmu", exact, rule)
