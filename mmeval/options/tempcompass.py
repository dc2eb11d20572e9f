"""Option letters of TempCompass multiple choice, as far as its authors need no judge.

Source: llyx97/TempCompass `eval_multi-choice.py` @ e1b463166400. The end-of-sentence token `</s>` is
removed and the reply stripped; then, in order:

1. the reply equals the gold as written ("A. dunking a basketball");
2. the reply is one of A to D;
3. the reply begins with one of A to D and a full stop;
4. the same with a closing bracket.

What is read is compared with the first character of the gold. Everything else goes to the authors' judge,
so here it is not read. Traps: "(A)", "A: ..." and "Option A" are not read; the letters are A to D
whatever the question offers. A gold given as a bare letter together with option texts stands for "A.
text".

`exact` is rules 1 and 2.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample, Span

_LABELS = ("A", "B", "C", "D")
_END_TOKEN = "</s>"


def _written(sample: Sample) -> str:
    """The gold as the authors' file writes it, label and text."""
    gold = sample.references[0] if sample.references else ""
    options = sample.options
    if gold in options.labels and options.texts:
        return f"{gold}. {options.texts[options.labels.index(gold)]}"
    return gold


def _graded(label: str, name: str, prediction: str, gold: str) -> Reading:
    """Right if the letter is the first character of the gold."""
    start = prediction.find(label)
    span: Span | None = (start, start + len(label)) if start >= 0 else None
    return Reading(Found(label, name, span), label == gold[:1])


def _alone(text: str, prediction: str, sample: Sample) -> Reading | None:
    """Rules 1 and 2 on the cleaned reply."""
    gold = _written(sample)
    if gold and text == gold:
        return _graded(gold[:1], "whole-gold", prediction, gold)
    return _graded(text, "lone-option", prediction, gold) if text in _LABELS else None


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rules 1 to 4."""
    text = prediction.replace(_END_TOKEN, "").strip()
    alone = _alone(text, prediction, sample)
    if alone is not None:
        return alone
    if text[:1] in _LABELS and text[1:2] in (".", ")"):
        return _graded(text[0], "leading-label", prediction, _written(sample))
    return Reading(Found(None, "no-option-found"))


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rules 1 and 2."""
    text = prediction.replace(_END_TOKEN, "").strip()
    return _alone(text, prediction, sample) or Reading(Found(None, "not-a-lone-option"))


RULES = RuleSet("tempcompass", exact, rule)
