"""Option letters of BLINK, as far as its authors need no judge.

Source: zeyofu/BLINK_Benchmark `eval/test_benchmark.py` (`analyze_answer`) @ 2d6a779be4aa. In order:

1. the whole reply is one of A to E, or one of them in round brackets;
2. exactly one of the question's options, as "(B)", stands as a word of the last paragraph (after the last
   blank line);
3. exactly one of them stands as a word of the whole reply.

Words are set apart by white space alone. Everything else goes to the authors' judge, so here it is not read.
Traps: "(B)." and "**(B)**" are not words, nor is "B." anything; "(C)" is nothing where the question has two
options, and (A) to (E) all count where the sample does not tell its options. A gold is "B" or "(B)".

`exact` is rule 1.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Options, Sample

_LABELS = ("A", "B", "C", "D", "E")
_WORDS = {f"({label})": label for label in _LABELS}
_PARAGRAPH = "\n\n"


def _graded(found: Found, sample: Sample) -> Reading:
    """Right if the letter is the gold, in brackets or not."""
    return Reading(
        found, any(reference in (found.value, f"({found.value})") for reference in sample.references)
    )


def _present(text: str, options: Options) -> list[str]:
    """The options that are words of a text, in brackets."""
    words = set(text.split())
    return [
        word
        for word, label in _WORDS.items()
        if word in words and (label in options.labels or not options.parsed)
    ]


def _at(word: str, prediction: str, start: int) -> tuple[int, int]:
    """Where the letter of a word stands, the word itself before one that is glued to others."""
    at = start
    while (at := prediction.find(word, at)) >= 0:
        end = at + len(word)
        before, behind = prediction[at - 1 : at], prediction[end : end + 1]
        if (at == 0 or before.isspace()) and (not behind or behind.isspace()):
            break
        at = end
    return at + 1, at + 2


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rules 1 to 3."""
    alone = exact(prediction, sample, knobs)
    if alone.found.value is not None:
        return alone
    present = _present(prediction, sample.options)
    tail = prediction.rfind(_PARAGRAPH) + len(_PARAGRAPH) if _PARAGRAPH in prediction else 0
    last = _present(prediction[tail:], sample.options) if tail else present
    if len(last) == 1:
        return _graded(Found(_WORDS[last[0]], "last-paragraph", _at(last[0], prediction, tail)), sample)
    if len(present) == 1:
        return _graded(Found(_WORDS[present[0]], "sole-bracketed", _at(present[0], prediction, 0)), sample)
    return Reading(Found(None, "two-options-found" if present else "no-option-found"))


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rule 1."""
    if prediction in _LABELS:
        return _graded(Found(prediction, "lone-option", (0, 1)), sample)
    if prediction in _WORDS:
        return _graded(Found(_WORDS[prediction], "lone-option", (1, 2)), sample)
    return Reading(Found(None, "not-a-lone-option"))


RULES = RuleSet("blink", exact, rule)
