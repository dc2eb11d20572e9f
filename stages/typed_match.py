"""typed-match: an answer that is wanted as an option, an integer or a decimal, and compared as that."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from mmeval.types import Case, Invalid, Json, Outcome, Pass, Sample, Score

_MEASURE = re.compile(r"([+-]?\d{1,15}(?:\.\d{1,15})?)\s?(°|%|[a-zA-Z]{1,12}|)", re.ASCII)
_BRACKETED = re.compile(r"\(([a-zA-Z])\)")


class _Read(NamedTuple):
    """An answer in its canonical form, None where it is none of its type; and the rule, or why."""

    value: str | None
    rule: str


@dataclass(frozen=True)
class TypedMatch:
    """Compares an extracted answer with the gold, as the type of answer that the sample asks for.

    What is compared is what an earlier stage extracted, else the whole prediction. Multiple choice: the first
    bracketed letter ("(C) 145 degrees"), a letter alone, or an option's text as it stands (or in other case,
    where one option alone has it) is that option, and so is its number without the unit, where no other
    option has that number ("145" for "145°"). `integer`: the number, cut at the decimal point. `float`:
    the number, rounded to the sample's decimal places. Anything else (`list`, `text`): as it stands.

    Formula:
        score = 1 if canonical(answer) = canonical(gold); otherwise 0 with `settle_misses`, else it passes on
        with `extracted`. What cannot be read as its type passes on too.

    Range:
        0 or 1.

    Parameters:
        type_field, precision_field: the sample's fields that say which type is wanted, and how many decimal
            places a `float` has.
        nearest: an answer that is no option counts as the option at the least edit distance, the first of
            several, as MathVista's script has it. That is a guess ("Sorry, I can't help with that" comes out
            as some option), so it is off unless a protocol says so.
        settle_misses: see above.

    Source:
        lupantech/MathVista evaluation/calculate_score.py @ 53d525874bdd (normalize_extracted_answer,
        safe_equal). Golds are read as answers are; upstream compares texts, so "2.0" is no gold there.
    """

    version: ClassVar[int] = 2

    type_field: str = "answer_type"
    precision_field: str = "precision"
    nearest: bool = False
    settle_misses: bool = False

    def __call__(self, case: Case) -> Outcome:
        """Compare one answer with the gold."""
        sample = case.sample
        if not any(map(str.strip, sample.references)):
            return Invalid("blank-reference")
        reader = self._reader(sample)
        if isinstance(reader, Invalid):
            return reader
        gold = self._gold(sample, reader)
        if gold is None:
            return Invalid("gold-not-an-option" if sample.question_type == "mcq" else "unparsable-gold")
        answer = _answer(case)
        if answer is None or not answer.strip():
            return Pass("nothing-extracted" if case.previous else "blank-prediction")
        read = reader(answer)
        if read.value is None:
            return Pass(read.rule, answer)
        if read.value == gold:
            return Score(1.0, read.value, None, read.rule)
        if self.settle_misses:
            return Score(0.0, read.value, None, read.rule)
        return Pass(f"{read.rule}-is-not-the-gold", read.value)

    def _reader(self, sample: Sample) -> Callable[[str], _Read] | Invalid:
        """How an answer of the sample's type is read."""
        if sample.question_type == "mcq":
            if not sample.options.texts:
                return Invalid("options-not-parsed")
            return lambda text: _option(sample, text, self.nearest)
        wanted = str(sample.fields.get(self.type_field) or "text").strip().casefold()
        if wanted == "integer":
            return _integer
        if wanted != "float":
            return lambda text: _Read(text, "whole-text")
        places = _places(sample.fields.get(self.precision_field))
        return Invalid("no-precision") if places is None else lambda text: _decimal(text, places)

    def _gold(self, sample: Sample, reader: Callable[[str], _Read]) -> str | None:
        """The first reference in canonical form; an option may be named by its text or its label."""
        gold = sample.references[0]
        return _named(sample, gold.strip()) if sample.question_type == "mcq" else reader(gold).value


def _answer(case: Case) -> str | None:
    """What the latest stage that looked for an answer found (None: nothing), else the prediction."""
    for outcome in reversed(case.previous):
        if isinstance(outcome, Pass) and outcome.reason == "nothing-extracted":
            return None
        if isinstance(outcome, Pass) and outcome.extracted is not None:
            return outcome.extracted
    return case.prediction


def _named(sample: Sample, text: str) -> str | None:
    """The text of the option that a text or a label names."""
    if text in sample.options.texts:
        return text
    return dict(zip(sample.options.labels, sample.options.texts, strict=False)).get(text)


def _option(sample: Sample, answer: str, nearest: bool) -> _Read:
    text = answer.strip()
    bracketed = _BRACKETED.search(text)
    if bracketed:
        text = bracketed[1].upper()
    by_label = dict(zip(sample.options.labels, sample.options.texts, strict=False))
    if text in by_label:
        return _Read(by_label[text], "bracketed" if bracketed else "bare-label")
    if text in sample.options.texts:
        return _Read(text, "text-alone")
    if nearest:
        return _Read(_nearest(text, sample.options.texts), "nearest-option")
    alike = [each for each in sample.options.texts if each.casefold() == text.casefold()]
    if len(alike) == 1:
        return _Read(alike[0], "text-alone")
    same = _same_number(text, sample.options.texts)
    return _Read(None, "not-an-option") if same is None else _Read(same, "unit-left-out")


def _same_number(text: str, options: tuple[str, ...]) -> str | None:
    """The one option that is this number and a unit, or the number without its unit ("40" for "40°")."""
    said = _MEASURE.fullmatch(text)
    if said is None:
        return None
    amounts = [(option, _MEASURE.fullmatch(option.strip())) for option in options]
    same = [(option, each) for option, each in amounts if each and float(each[1]) == float(said[1])]
    if len(same) != 1:
        return None
    option, found = same[0]
    return option if "" in (said[2], found[2]) else None


def _nearest(text: str, texts: tuple[str, ...]) -> str:
    """The text at the least edit distance (insertions, deletions, substitutions); the first of several."""
    from rapidfuzz.distance import Levenshtein

    return min(texts, key=lambda each: Levenshtein.distance(text, each))


def _integer(text: str) -> _Read:
    value = _number(text)
    return _Read(None, "not-a-number") if value is None else _Read(str(int(value)), "whole-number")


def _decimal(text: str, places: int) -> _Read:
    value = _number(text)
    if value is None:
        return _Read(None, "not-a-number")
    # A zero has no sign here; upstream tells "-0.0" from "0.0".
    return _Read(str(round(value, places) + 0.0), "whole-number")


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _places(said: Json) -> int | None:
    """Decimal places from a field; None for what is no small whole number."""
    value = _number(str(said)) if isinstance(said, int | float | str) and not isinstance(said, bool) else None
    return int(value) if value is not None and value.is_integer() and 0 <= value <= 15 else None
