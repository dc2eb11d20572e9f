"""The gold of a multiple-choice sample as canonical letters, the same for every rule set."""

from __future__ import annotations

import re
from functools import lru_cache

from mmeval.text.fold import fold
from mmeval.types import Sample

_SEPARATOR = re.compile(r"\s*[,;/&|、]\s*(?:(?:and|or)\s+)?|\s+(?:and|&)\s+|\s+", re.IGNORECASE)
_BRACKETED = re.compile(r"[(\[]?([A-Za-z]|\d{1,3})[)\].:]*")
_LED = re.compile(r"[(\[]?([A-Za-z])[)\].:]\s+(\S.*)", re.DOTALL)
_LABEL_LIKE = re.compile(r"[A-Z]")


def gold_letters(sample: Sample) -> str | None:
    """The gold as "B", or "A,C" in the order of the options; None where it names no option.

    Read in this order: a label as it stands, the text of exactly one option (one may be called "(b)"), a
    label in brackets, with a full stop or in lower case, several labels set apart by comma, semicolon,
    slash, ampersand, "and" or space (or given as several references), a label before its option's text ("B.
    ice skating"; any text where the texts of the options are not known). A single capital letter beyond the
    known labels is a label too: the gold knows.
    """
    labels = sample.options.labels
    references = sample.references
    if len(references) == 1 and references[0] in labels:
        return references[0]
    return _read(references, labels, sample.options.texts)


@lru_cache(maxsize=4096)
def _read(references: tuple[str, ...], labels: tuple[str, ...], texts: tuple[str, ...]) -> str | None:
    written = [fold(reference).strip() for reference in references if reference.strip()]
    if not written:
        return None
    read = [_one(text, labels, texts) for text in written]
    if any(one is None for one in read):
        return None
    found = {label for one in read if one for label in one}
    order = {label: at for at, label in enumerate(labels)}
    return ",".join(sorted(found, key=lambda label: (order.get(label, len(order)), label)))


def _one(text: str, labels: tuple[str, ...], texts: tuple[str, ...]) -> list[str] | None:
    """The labels that one reference names."""
    if text in labels:
        return [text]
    same = [label for label, other in zip(labels, texts, strict=False) if fold(other).strip() == text]
    if len(same) == 1:
        return same
    single = _label(text, labels)
    if single is not None:
        return [single]
    several = [_label(piece, labels) for piece in _SEPARATOR.split(text) if piece]
    if len(several) > 1 and all(several):
        return [label for label in several if label]
    loose = " ".join(text.casefold().split())
    folded = (" ".join(fold(other).casefold().split()) for other in texts)
    same = [label for label, other in zip(labels, folded, strict=False) if other == loose]
    return same if len(same) == 1 else _led(text, labels, texts)


def _led(text: str, labels: tuple[str, ...], texts: tuple[str, ...]) -> list[str] | None:
    """The label that stands before its own option's text."""
    match = _LED.fullmatch(text)
    label = match[1] if match else ""
    if match is None or label not in labels:
        return None
    own = dict(zip(labels, texts, strict=False)).get(label)
    same = own is None or " ".join(fold(own).casefold().split()) == " ".join(match[2].casefold().split())
    return [label] if same else None


def _label(text: str, labels: tuple[str, ...]) -> str | None:
    """The label that a text is, with brackets or a full stop at most."""
    match = _BRACKETED.fullmatch(text)
    label = match[1].upper() if match else ""
    return label if label in labels or (_LABEL_LIKE.fullmatch(label) and text[:1] != label.lower()) else None
