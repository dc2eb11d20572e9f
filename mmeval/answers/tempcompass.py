"""Which of two captions a reply names, as TempCompass reads it as far as its authors need no judge.

Source: llyx97/TempCompass `eval_caption_matching.py` @ e1b463166400. After its first line the question lists
two lines such as "Caption A: a man runs" (or Option 1, Sentence B), and the gold is one of them. The
end-of-sentence token `</s>` is removed and the reply stripped; it names an option if it is, letter for
letter:

1. the whole line;
2. its text, or a reply with ") " in it whose piece between the first two of those is the text;
3. its label, "Caption A" or "A", full stops in the reply left out.

The last of the three that holds counts. It is right if it is the gold's line, text or label. Everything else
goes to the authors' judge, so here it is not read. Lines of the question that have no ": " count for
nothing; if none is left, the gold is the only option that is known.

`exact` is the same.
"""

from __future__ import annotations

from typing import NamedTuple

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_END_TOKEN = "</s>"
_KINDS = ("Sentence ", "Option ", "Caption ")


class _Option(NamedTuple):
    """One line of the question: as it stands, its label, the label without its kind, its text."""

    line: str
    label: str
    short: str
    text: str


def _option(line: str) -> _Option:
    label, text = line.split(": ")[:2]
    short = label
    for kind in _KINDS:
        short = short.replace(kind, "")
    return _Option(line, label, short, text)


def _said(text: str, options: list[_Option]) -> tuple[str, str] | None:
    """What the reply names, and by which rule; the last rule that holds counts."""
    pieces = text.split(") ")
    bare = text.replace(".", "")
    said = None
    for option in options:
        said = (option.line, "whole-line") if option.line == text else said
    for option in options:
        if option.text == text or (len(pieces) > 1 and option.text == pieces[1]):
            said = option.text, "text-alone"
    for label in [*(each.label for each in options), *(each.short for each in options)]:
        if label in (text, bare):
            said = label, "bare-label"
    return said


def _grade(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    gold = sample.references[0].strip() if sample.references else ""
    if ": " not in gold:
        return Reading(Found(None, "no-option-found"), invalid="gold-not-an-option")
    options = [_option(line) for line in sample.question.split("\n")[1:] if ": " in line]
    said = _said(prediction.replace(_END_TOKEN, "").strip(), options or [_option(gold)])
    if said is None:
        return Reading(Found(None, "no-option-found"))
    value, name = said
    start = prediction.find(value)
    found = Found(value, name, (start, start + len(value)) if start >= 0 else None)
    line, label, _, text = _option(gold)
    words = label.split()
    return Reading(found, value in (line, label, text, words[1] if len(words) > 1 else label))


RULES = RuleSet("tempcompass", _grade, _grade)
