"""What goes into the places of a prompt: a case's question, options, references, prediction and fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mmeval.fingerprint import canonical
from mmeval.judge._prompt_file import Field, Response, Spec
from mmeval.text.reasoning import final_part
from mmeval.text.wrappers import boxed
from mmeval.types import Case, Json

AND_OR = (
    "In the reference, <AND> stands between parts that a fully right answer has to contain all of; <OR> "
    "stands between alternatives, any one of which is enough."
)
RESERVED = ("question", "options", "reference", "response", "extracted")
OPTIONAL = frozenset({"options", "more", "reference_syntax"})
"""Inputs whose line is left out where there is nothing to show."""
_DEFAULT = Field()
_OPEN = re.compile(r"<answer(?:\s[^<>]*)?>", re.IGNORECASE)
_CLOSE = re.compile(r"</answer\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of one case, by the names that prompts call them.

    Attributes:
        spec: how the prompt wants them.
        case: the case.
        names: fields of the sample that stand for inputs, as the benchmark declares them.
        and_or: whether references are composed with <AND> and <OR>.
    """

    spec: Spec
    case: Case
    names: Mapping[str, str]
    and_or: bool = False

    def get(self, name: str) -> str | None:
        """The text of an input; None where the case has none. A prediction without an answer is empty."""
        target = self.names.get(name)
        if target is not None and (target in self.case.sample.fields or target not in RESERVED):
            return self._field(name, target)
        return self._reserved(target or name) if (target or name) in RESERVED else self._field(name, None)

    def _reserved(self, name: str) -> str | None:
        sample = self.case.sample
        if name == "response":
            return shaped(self.case.prediction, self.spec.response)
        if name == "reference":
            return self._reference()
        if name == "options":
            pairs = zip(sample.options.labels, sample.options.texts, strict=False)
            return "\n".join(f"{label}. {text}" for label, text in pairs) or None
        if name == "extracted":
            return _extracted(self.case)
        return _present(_after(sample.question, self.spec.question.after))

    def _field(self, name: str, target: str | None) -> str | None:
        how = self.spec.fields.get(name, _DEFAULT)
        value = self.case.sample.fields.get(target or how.field or name)
        return _present(written(value, how))

    def optional(self, name: str) -> bool:
        """Whether the prompt can do without an input."""
        return name in OPTIONAL or self.spec.fields.get(name, _DEFAULT).optional

    def count(self, name: str) -> int | None:
        """How many items the list of an input has; None where it is no list."""
        how = self.spec.fields.get(name, _DEFAULT)
        value = self.case.sample.fields.get(self.names.get(name) or how.field or name)
        return len(value) if isinstance(value, list) else None

    def _reference(self) -> str | None:
        how, sample = self.spec.reference, self.case.sample
        texts = [*(sample.references or leaves(sample.answer))]
        if how.take == "first":
            texts = texts[:1]
        if how.with_option_text:
            texts = [self._with_option(text) for text in texts]
        joined = how.join.join(texts)
        if self.and_or:
            joined = joined.replace("<AND>", " <AND> ").replace("<OR>", " <OR> ")
        return _present(joined)

    def _with_option(self, text: str) -> str:
        options = self.case.sample.options
        texts = dict(zip(options.labels, options.texts, strict=False))
        label = text.strip().upper()
        return f"{label}. {texts[label]}" if label in texts else text


def shaped(prediction: str, how: Response) -> str:
    r"""The part of a prediction that a judge sees.

    >>> shaped(r"<think>1 or 2</think> So \boxed{2}", Response("final"))
    '2'
    """
    text = prediction
    if how.shape != "whole":
        part = final_part(prediction)
        text = prediction[part.start : part.end]
    if how.shape == "final":
        text = _final(text)
    return text if how.tail is None else text[-how.tail :]


def _final(text: str) -> str:
    """The first complete answer element, else the inside of the last box, else everything."""
    opened = _OPEN.search(text)
    closed = _CLOSE.search(text, opened.end()) if opened else None
    if opened and closed:
        return text[opened.end() : closed.start()].strip()
    box = boxed(text, 0, len(text))
    return text[box.start : box.end] if box is not None and box.problem is None else text


def leaves(value: Json) -> Iterator[str]:
    """The texts in a value of any depth; those of an object under their names."""
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield f"{name}: {', '.join(leaves(item))}"
    elif value is not None:
        yield str(canonical(value))


def written(value: Json, how: Field = _DEFAULT) -> str:
    """The text of a sample's field."""
    items = list(leaves(value))
    if how.listed == "numbered":
        return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))
    lines = how.listed == "lines" or isinstance(value, dict)
    return ("\n" if lines else ", ").join(items)


def texts_of(value: Json) -> Sequence[str]:
    """The texts that a parameter or a field lists; one that is no list is one text."""
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


def _extracted(case: Case) -> str | None:
    """What the last stage before read."""
    read = (getattr(outcome, "extracted", None) for outcome in reversed(case.previous))
    return next((text for text in read if text), None)


def _after(question: str, mark: str | None) -> str:
    return question if mark is None else question.rpartition(mark)[2]


def _present(text: str) -> str | None:
    return text if text.strip() else None
