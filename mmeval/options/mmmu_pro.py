"""Option letters of MMMU-Pro as its authors parse them.

Source: MMMU-Benchmark/MMMU `mmmu-pro/evaluate.py` (`parse_multi_choice_response`) @ bb0b95a94599. As
`mmmu`, but:

0. first, if exactly one option letter occurs anywhere, glued or not, after the last "Answer:", it is the
   answer;
2. letters with a space behind them, glued to what is before them or not;
3. letters with a full stop behind them, likewise; then the option texts.

Of several candidates of rules 2 and 3 the one that occurs last *between spaces* wins, and the first in
the order of the options where none does.

Traps: rule 0 reads "Answer: The Cat" as C, and "ANSWER B" not at all; rule 2 reads the last letter of any
word in capitals ("NASA is right" is A). Where nothing is read upstream
draws a letter; here nothing is read (`official-guesses`).

`exact` reads only a reply that is the letter, in brackets or not, once the marks are stripped, as in
`mmmu`.
"""

from __future__ import annotations

from mmeval.options.mmmu import GUESSES, by_bracket, by_text, exact, graded, last_of, padded, span_of
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_CUE = "Answer:"


def _after_cue(prediction: str, labels: tuple[str, ...]) -> Found | None:
    """Rule 0 on the reply as given."""
    cue = prediction.rfind(_CUE)
    if cue < 0:
        return None
    tail = prediction[cue + len(_CUE) :].strip()
    present = [label for label in labels if label in tail]
    if len(present) != 1:
        return None
    at = prediction.index(present[0], cue + len(_CUE))
    return Found(present[0], "answer-cue", (at, at + len(present[0])))


def _glued(text: str, labels: tuple[str, ...], shift: int) -> Found | None:
    """Rules 2 and 3 on a reply between spaces."""
    for behind, name in ((" ", "before-space"), (".", "before-period")):
        present = [label for label in labels if label + behind in text]
        if present:
            spaced = last_of(text, ((label, f" {label} ") for label in present)) if len(present) > 1 else None
            label = spaced[0] if spaced else present[0]
            at = spaced[1] + 1 if spaced else text.rindex(label + behind)
            return Found(label, name, span_of(at, len(label), shift))
    return None


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rules 0 to 3 and the option texts."""
    options = sample.options
    found = _after_cue(prediction, options.labels)
    if found is not None:
        return graded(found, sample)
    text, shift = padded(prediction)
    bracketed = by_bracket(text, options.labels)
    if bracketed is not None:
        label, at = bracketed
        return graded(Found(label, "bracketed", span_of(at + 1, len(label), shift)), sample)
    found = _glued(text, options.labels, shift) or by_text(text, options, shift)
    return GUESSES if found is None else graded(found, sample)


RULES = RuleSet("mmmu-pro", exact, rule)
