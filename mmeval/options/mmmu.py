r"""Option letters of MMMU as its authors parse them.

Source: MMMU-Benchmark/MMMU `mmmu/utils/eval_utils.py` (`parse_multi_choice_response`,
`eval_multi_choice`) @ bb0b95a94599. Commas, full stops, exclamation and question marks, semicolons,
colons and apostrophes are stripped from the ends, one kind after the other in that order, and one space
is put on either side. Then, in order:

1. letters in round brackets, "(B)";
2. letters with a space on either side, " B ";
3. option texts, case aside, as substrings; only in replies of more than five words.

Of several candidates of the rule that fired, the one that occurs last wins.

Traps: the article "A" is a candidate of rule 2 ("A dog is on the left" reads as A); "B." inside a
sentence and "B\n" are not; `**B**`, `\boxed{B}` and "b" are not read. An option with an empty text
occurs everywhere. Where nothing is read upstream draws a letter at random; here nothing is read
(`official-guesses`).

`exact` reads only a reply that is the letter, in brackets or not, once the marks are stripped.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Options, Sample, Span

_STRIPPED = ",.!?;:'"
_WORDS = 5
GUESSES = Reading(Found(None, "official-guesses"))
"""What stands for upstream's random letter."""


def padded(prediction: str) -> tuple[str, int]:
    """The reply between two spaces, and how far its offsets are from those of the reply as given.

    The marks are stripped one kind after the other, so "B.,": the comma, then the full stop; but "B,." keeps
    its comma.
    """
    text, start = prediction, 0
    for mark in _STRIPPED:
        right = text.rstrip(mark)
        text = right.lstrip(mark)
        start += len(right) - len(text)
    return f" {text} ", start - 1


def last_of(text: str, patterns: Iterable[tuple[str, str]]) -> tuple[str, int] | None:
    """The label whose pattern occurs last in the text, and where; the first of equals."""
    best: tuple[str, int] | None = None
    for label, pattern in patterns:
        at = text.rfind(pattern)
        if at >= 0 and (best is None or at > best[1]):
            best = label, at
    return best


@lru_cache(maxsize=2048)
def _lowered(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The option texts in lower case."""
    return tuple(text.lower() for text in texts)


def by_bracket(text: str, labels: tuple[str, ...]) -> tuple[str, int] | None:
    """Rule 1, the position being that of the bracket."""
    if "(" not in text:
        return None
    return last_of(text, ((label, f"({label})") for label in labels))


def by_text(text: str, options: Options, shift: int) -> Found | None:
    """Rule 3 on a reply between spaces."""
    if len(text.split()) <= _WORDS or not options.texts:
        return None
    lowered = text.lower()
    texts = _lowered(options.texts)
    last = last_of(lowered, zip(options.labels, texts, strict=False))
    if last is None:
        return None
    label, at = last
    size = len(texts[options.labels.index(label)])
    inside = len(lowered) == len(text) and at + size < len(text)
    return Found(label, "option-text", span_of(at, size, shift) if inside else None)


def span_of(at: int, size: int, shift: int) -> Span | None:
    """Offsets in the reply as given; None where the find leans on an added space."""
    start = at + shift
    return (start, start + size) if start >= 0 else None


def graded(found: Found, sample: Sample) -> Reading:
    """Right if the letter is one of the golds, compared as written."""
    return Reading(found, found.value in sample.references)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rules 1 to 3; the last candidate wins."""
    text, shift = padded(prediction)
    options = sample.options
    bracketed = by_bracket(text, options.labels)
    if bracketed is not None:
        label, at = bracketed
        return graded(Found(label, "bracketed", span_of(at + 1, len(label), shift)), sample)
    spaced = last_of(text, ((label, f" {label} ") for label in options.labels))
    if spaced is not None:
        label, at = spaced
        return graded(Found(label, "spaced", span_of(at + 1, len(label), shift)), sample)
    found = by_text(text, options, shift)
    return GUESSES if found is None else graded(found, sample)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The letter alone."""
    text, shift = padded(prediction)
    inner = text[1:-1]
    bracketed = inner[:1] == "(" and inner[-1:] == ")"
    label = inner[1:-1] if bracketed else inner
    if label not in sample.options.labels:
        return Reading(Found(None, "not-a-lone-option"))
    return graded(Found(label, "lone-option", span_of(1 + bracketed, len(label), shift)), sample)


RULES = RuleSet("mmmu", exact, rule)
