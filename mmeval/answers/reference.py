"""Open answers as simple-mmeval compares them.

Source: mm-evaluation/simple-mmeval `mmeval/scoring/stages/{exact_match,rule_match}.py` @ 3aa72c0, in our
own words. Answer and references are brought to the normal form of `mmeval.text.reference` and compared by
the mode `string_match`:

* `exact`: equal to any reference;
* `contains`: any reference occurs inside the answer, word boundaries or not ("2042" holds "42");
* `anls`: 1 minus the normalised edit distance to the nearest reference; at or above the threshold it
  counts in full. A threshold of 0 reads as 0.5, as upstream's default swallows a zero.

`exact` compares the whole reply; `rule` first what follows "final answer", "answer is" or "the answer
is", then the whole. The numeric mode `percent` is no knob of the reference sets: 24% is always 0.24.
"""

from __future__ import annotations

import re

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.reference import last_match, open_normalise
from mmeval.types import Found, Sample

_CUE = re.compile(r"final\s+answer|(?:the\s+)?answer\s+is", re.IGNORECASE)
_DEFAULT_THRESHOLD = 0.5


def _similarity(answer: str, reference: str) -> float:
    """1 minus the edit distance over the longer length; 1 for two empty texts."""
    from rapidfuzz.distance.Levenshtein import normalized_similarity

    return normalized_similarity(answer, reference)


def agrees(answer: str, references: tuple[str, ...], knobs: Knobs) -> bool:
    """Whether an answer agrees with any reference by the mode `string_match`."""
    said = open_normalise(answer)
    golds = [gold for gold in map(open_normalise, references) if gold]
    if knobs.string_match == "contains":
        return any(gold in said for gold in golds)
    if knobs.string_match == "anls":
        threshold = knobs.anls_threshold or _DEFAULT_THRESHOLD
        return any(_similarity(said, gold) >= threshold for gold in golds)
    return said in golds


def after_cue(reply: str) -> tuple[str, int] | None:
    """What follows the last cue of an answer, colons and spaces aside, and where it begins."""
    last = last_match(_CUE, reply)
    if last is None:
        return None
    rest = reply[last.end() :].lstrip(" \t:")
    return (rest, len(reply) - len(rest)) if rest.strip() else None


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The whole reply."""
    if not open_normalise(prediction):
        return Reading(Found(None, "empty-answer"))
    found = Found(open_normalise(prediction), "whole-answer", (0, len(prediction)))
    return Reading(found, agrees(prediction, sample.references, knobs))


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """What follows a cue, then the whole reply; where neither agrees, what follows the cue was the answer."""
    cued = after_cue(prediction)
    if cued is None:
        return exact(prediction, sample, knobs)
    text, start = cued
    found = Found(open_normalise(text), "after-cue", (start, len(prediction)))
    if agrees(text, sample.references, knobs):
        return Reading(found, True)
    whole = exact(prediction, sample, knobs)
    return whole if whole.hit else Reading(found, False)


RULES = RuleSet("reference", exact, rule)
