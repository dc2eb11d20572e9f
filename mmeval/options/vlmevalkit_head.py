"""Option letters as VLMEvalKit's development branch infers them: one rule more than the release.

Source: open-compass/VLMEvalKit `vlmeval/utils/matching_util.py` @ e8e78f05f308. Where the token rules of
`vlmevalkit` read nothing and no API failure was recorded, the letter A to D right after "answer is"
counts, in either case and with asterisks before it, if it is an option. Then follows the text rule.

Trap: no word need end after the letter. "The answer is clearly blue because of B and C" reads as C, "The
answer is dog" as D if there is a D, and "The answer is a long story ..." as A.

`exact` is that of `vlmevalkit`.
"""

from __future__ import annotations

import re

from mmeval.options.vlmevalkit import exact, first_rules, graded, read_text
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Options, Sample

_PHRASE = re.compile(r"answer\s+is\s+\**([A-D])", re.IGNORECASE)


def _read_phrase(text: str, options: Options) -> Found | None:
    """The letter after the first "answer is"."""
    phrase = _PHRASE.search(text)
    label = phrase[1].upper() if phrase else None
    if phrase is None or label not in options.labels:
        return None
    return Found(label, "answer-is", phrase.span(1))


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The token rules, the phrase, the option texts."""
    found = first_rules(prediction, sample.options)
    if found.value is None and found.rule != "api-failure":
        found = _read_phrase(prediction, sample.options) or found
    if found.value is None:
        by_text = read_text(prediction, sample.options)
        found = by_text if by_text.value is not None else found
    return graded(found, sample)


RULES = RuleSet("vlmevalkit-head", exact, rule)
