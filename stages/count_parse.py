"""Exact counting: the last whole number of a reply against the gold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from mmeval.errors import UsageError
from mmeval.numbers._words import spelt
from mmeval.text.fold import fold
from mmeval.text.reasoning import final_part
from mmeval.text.wrappers import boxed
from mmeval.types import Case, Found, Invalid, Outcome, Score, Span

_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER = re.compile(r"(?:(?<!\w)-)?\d[\d,]*(?:\.\d+)?")
_ZERO = re.compile(r"\W*(?:none|nothing|无|没有)\W*", re.IGNORECASE)


@dataclass(frozen=True)
class CountParse:
    r"""Whether the count that a reply ends with is exactly the gold; always decides.

    Formula: 1 if the parsed integer equals the gold, else 0. Unit: share, 0 or 1. The strict parse, in order:
    blank or a failure message is no count; only the last `\boxed{}` counts where there is one; commas between
    a digit and exactly three digits go; the last number is taken, with a minus only where no word character
    precedes it; a negative or fractional number is no count (5.0 is 5). So "3-5" is 5, "1/2" is 2, "12,34" is
    34. Typographic variants of digits and minus signs are folded to ASCII first. A last box that is never
    closed is no count.
    Source: the counting protocol of OpenVLHarness (FSC147_val, CountQA, PixmoCount_val), from its
    description; its code is not public.

    Number words are no count, unless `number_words`: then, in a reply without a digit, exactly one distinct
    number in words (English, Chinese, dozens) is read, and an answer that is only "none" is 0.
    `failure_messages` are the texts that a failed inference leaves; they hold digits, so they are looked for
    first. `extracted` is the parsed integer, for count errors; the reason is `parsed`, `number-word`, or why
    nothing was.
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True

    number_words: bool = False
    failure_messages: tuple[str, ...] = ("Failed to obtain answer via API",)
    reasoning: Literal["strip", "keep"] = "strip"

    def __post_init__(self) -> None:
        """Refuse an empty failure message, which every reply would contain."""
        if not all(self.failure_messages):
            raise UsageError("failure_messages holds an empty text, which every reply contains; take it out")
        if self.reasoning not in ("strip", "keep"):
            raise UsageError(f"reasoning is {self.reasoning!r}; choose one of strip, keep")

    def __call__(self, case: Case) -> Outcome:
        """Score one prediction against the gold count."""
        references = case.sample.references
        if not any(map(str.strip, references)):
            return Invalid("blank-reference")
        golds = {gold for gold in map(_gold, references) if gold is not None}
        if not golds:
            return Invalid("unparsable-gold")
        found = self.parse(case.prediction)
        return Score(float(found.value in golds), found.value, found.span, found.rule)

    def parse(self, prediction: str) -> Found:
        """The count in a reply, as the digits of an integer, and the rule that read it or why none did."""
        if any(message in prediction for message in self.failure_messages):
            return Found(None, "failure-message")
        start, end = 0, len(prediction)
        if self.reasoning == "strip":
            part = final_part(prediction)
            start, end = part.start, part.end
            if part.kind == "reasoning-unclosed":
                return Found(None, part.kind)
        if "boxed" in prediction:
            box = boxed(prediction, start, end)
            if box is not None:
                if box.problem:
                    return Found(None, box.problem)
                start, end = box.start, box.end
        text = prediction[start:end]
        if not text.strip():
            return Found(None, "blank")
        return self._last_number(fold(text), start)

    def _last_number(self, text: str, offset: int) -> Found:
        last = None
        for last in _NUMBER.finditer(text):  # noqa: B007
            pass
        if last is None:
            return self._in_words(text, offset)
        digits, span = _last_group(last[0], last.start() + offset)
        whole, _, fraction = digits.partition(".")
        value = _integer(whole.removeprefix("-"))
        if fraction.strip("0"):
            return Found(None, "non-integer", span)
        if digits.startswith("-") and value != "0":
            return Found(None, "negative", span)
        return Found(value, "parsed", span)

    def _in_words(self, text: str, offset: int) -> Found:
        if not self.number_words:
            return Found(None, "no-number")
        if _ZERO.fullmatch(text):
            return Found("0", "number-word", (offset, offset + len(text)))
        numbers = list(spelt(text))
        if len({value for value, _ in numbers}) != 1:
            return Found(None, "several-number-words" if numbers else "no-number")
        value, (start, end) = numbers[-1]
        return Found(str(value), "number-word", (start + offset, end + offset))


def _last_group(written: str, start: int) -> tuple[str, Span]:
    """Thousands separators out; where a comma is left ("12,34") the last part is a number of its own."""
    tail = written.rstrip(",")
    joined = _GROUPED.sub("", tail)
    if "," not in joined:
        return joined, (start, start + len(tail))
    end = start + len(tail)
    last = joined.rpartition(",")[2]
    return last, (end - len(last), end)


def _integer(digits: str) -> str:
    """Any script's decimal digits as ASCII, leading zeros off; no size limit."""
    plain = digits if digits.isascii() else "".join(str(int(digit)) for digit in digits)
    return plain.lstrip("0") or "0"


def _gold(reference: str) -> str | None:
    """The gold count; None where it is not a whole number of at least 0."""
    whole, _, fraction = _GROUPED.sub("", reference.strip()).partition(".")
    if not whole.isdecimal() or fraction.strip("0"):
        return None
    return _integer(whole)
