"""Numbers as simple-mmeval reads and compares them.

Source: mm-evaluation/simple-mmeval `mmeval/scoring/stages/{exact_match,rule_match}.py` @ 3aa72c0, in our
own words. The numeric branch is active if `string_match` is `exact` or a tolerance is set; otherwise the
answer goes to the string comparator of `mmeval.answers.reference` (so `contains` without tolerances finds
42 in "2042").

`exact`: the whole reply is a number ("1,200", "24%" as 0.24, "1e3") that matches the *first* reference.
`rule`: the first number behind the last cue ("final answer", "answer is", "answer:", any equals sign),
else the first number of the whole reply, against every reference.

A match is equality, or an absolute difference within `numeric_abs_tol`, or a difference within
`numeric_rel_tol` of the gold; a gold of 0 has no relative tolerance.

Traps: in prose a number ends at its comma ("The answer is 1,500" reads as 1), a fraction at its slash;
24% and 24 never match; nan equals nothing.
"""

from __future__ import annotations

import re

from mmeval.answers import reference as strings
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.reference import last_match, open_normalise, parse_number
from mmeval.types import Found, Sample

_CUE = re.compile(r"final answer|answer is|answer\s?[:\-]|=")
_NUMBER = re.compile(r"-?(?:\d++(?:\.\d+)?|\.\d+)%?")


def active(knobs: Knobs) -> bool:
    """Whether numbers are compared as numbers."""
    return knobs.string_match == "exact" or knobs.numeric_rel_tol > 0 or knobs.numeric_abs_tol > 0


def matches(value: float, gold: float, knobs: Knobs) -> bool:
    """Equal, or within either tolerance, both inclusive."""
    if value == gold:
        return True
    difference = abs(value - gold)
    if knobs.numeric_abs_tol > 0 and difference <= knobs.numeric_abs_tol:
        return True
    return knobs.numeric_rel_tol > 0 and gold != 0 and difference / abs(gold) <= knobs.numeric_rel_tol


def _hit(value: float, references: tuple[str, ...], knobs: Knobs) -> bool:
    """Whether a number matches any of the references that are numbers."""
    golds = (parse_number(reference) for reference in references)
    return any(gold is not None and matches(value, gold, knobs) for gold in golds)


def first_number(text: str) -> tuple[float, str] | None:
    """The first number behind the last cue, else the first at all, and how it was found."""
    last = last_match(_CUE, text)
    behind = _NUMBER.search(text, last.end()) if last else None
    number = behind or _NUMBER.search(text)
    value = parse_number(number[0]) if number else None
    return None if value is None else (value, "after-cue" if behind else "first-number")


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The whole reply as a number, against the first reference."""
    if not active(knobs):
        return strings.exact(prediction, sample, knobs)
    value = parse_number(prediction)
    if value is None:
        return Reading(Found(None, "not-a-lone-number"))
    found = Found(repr(value), "lone-number", (0, len(prediction)))
    return Reading(found, _hit(value, sample.references[:1], knobs))


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The first number that the cues lead to, against every reference."""
    if not active(knobs):
        return strings.rule(prediction, sample, knobs)
    number = first_number(open_normalise(prediction))
    if number is None:
        return Reading(Found(None, "no-number-found"))
    value, name = number
    return Reading(Found(repr(value), name), _hit(value, sample.references, knobs))


RULES = RuleSet("reference", exact, rule)
