"""As `vlmevalkit`, without its traps in reading.

Source: our objection to open-compass/VLMEvalKit `vlmeval/utils/matching_util.py` (`can_infer`), PyPI
`ms-vlmeval` 0.0.20. The same rules in the same order, but:

* reasoning is cut off first;
* quotes, back-ticks, slashes, dollar signs, angle brackets and full-width marks set tokens apart too, so that
  none of them hides a letter;
* the text of an option counts as whole words only: "Not sure" holds no "no", and a blank text is nowhere.

The article "A" is still an option: no rule that looks at one letter treats all options alike.

`exact` is that of `vlmevalkit`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from mmeval.options.vlmevalkit import exact, first_rules, graded
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.reasoning import final_part
from mmeval.types import Found, Options, Sample

_MARKS = "\"'`/$<>\u201c\u201d\u2018\u2019（）【】，。：；！、"
_TO_SPACE = str.maketrans(_MARKS, " " * len(_MARKS))


@lru_cache(maxsize=2048)
def _words(texts: tuple[str, ...]) -> tuple[tuple[re.Pattern[str] | None, ...], int]:
    """What finds each option text as whole words, and the longest reply that the text rule reads."""
    patterns = (
        re.compile(rf"(?<!\w){re.escape(text.strip())}(?!\w)", re.IGNORECASE) if text.strip() else None
        for text in texts
    )
    return tuple(patterns), 2 * sum(map(len, texts))


def _by_text(text: str, options: Options) -> Found | None:
    """The one option whose text stands in a reply that is short enough."""
    patterns, longest = _words(options.texts)
    if len(text) > longest:
        return None
    found = zip(options.labels, (each and each.search(text) for each in patterns), strict=False)
    hits = [(label, match) for label, match in found if match]
    return Found(hits[0][0], "option-text", hits[0][1].span()) if len(hits) == 1 else None


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The rules of `vlmevalkit` on the reply behind its reasoning."""
    part = final_part(prediction)
    if part.kind == "reasoning-unclosed":
        return graded(Found(None, part.kind), sample)
    text = prediction[part.start : part.end]
    found = first_rules(text.translate(_TO_SPACE), sample.options)
    if found.value is None:
        found = _by_text(text, sample.options) or found
    if found.span is not None:
        found = Found(found.value, found.rule, (found.span[0] + part.start, found.span[1] + part.start))
    return graded(found, sample)


RULES = RuleSet("vlmevalkit-sane", exact, rule)
