"""JSON scalars as texts: golds and predictions are compared as texts, and no digit is lost on the way."""

from __future__ import annotations

from mmeval.types import Json


class Written(float):
    """A float that remembers how it was written."""

    __slots__ = ("written",)
    written: str

    def __new__(cls, written: str) -> Written:
        """Made from the JSON text of a number."""
        made = super().__new__(cls, written)
        made.written = written
        return made


def is_flat(value: Json) -> bool:
    """Whether a value is a scalar or a list of scalars."""
    if isinstance(value, list):
        return not any(isinstance(item, list | dict) for item in value)
    return not isinstance(value, dict)


def scalar_text(value: bool | int | float | str | None) -> str:
    """The text of a JSON scalar: text as it is, a number or boolean as JSON writes it.

    A float is written in its shortest form (1.50 is "1.5") unless that loses digits; then as the file has it.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Written):
        from decimal import Decimal

        short = float.__repr__(value)
        return short if Decimal(short) == Decimal(value.written) else value.written
    return "" if value is None else repr(value)


def reference_texts(gold: Json) -> tuple[str, ...]:
    """The references of a gold: one for a scalar, one each for a list of scalars, none otherwise.

    A gold that is blank as a whole has none either.
    """
    if type(gold) is str:
        return (gold,) if gold.strip() else ()
    texts = tuple(text for text in prediction_texts(gold) if text is not None)
    return texts if any(text.strip() for text in texts) else ()


def prediction_texts(prediction: Json) -> tuple[str | None, ...]:
    """The predictions of a response: one for a scalar, one each for a list, None for anything else."""
    if type(prediction) is str:
        return (prediction,)
    items = prediction if isinstance(prediction, list) else [prediction]
    if not is_flat(items):
        return (None,)
    return tuple(None if item is None else scalar_text(item) for item in items) or (None,)  # type: ignore[arg-type]
