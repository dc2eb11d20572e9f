"""The normal form in which our own rules compare free text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from mmeval.text.fold import fold

_OUTER = " \t\r\n.,;:!?。，；：！？、…*_`\"'"
_COMMA = re.compile(r"\s*,(?!(?<=\d,)\d{3}(?!\d))\s*")


def normal(text: str) -> str:
    """The text as a reader takes it.

    Compatibility forms, case, kinds of quotes and white space do not matter, nor do quotes, emphasis and
    sentence punctuation at its ends. Brackets, signs, units and words in it do.

    >>> normal("“Tower  Bridge.”"), normal("５"), normal("(0,1)"), normal("...")
    ('tower bridge', '5', '(0, 1)', '...')
    """
    return _remembered(text) if len(text) <= 64 else _normal(text)


def _normal(text: str) -> str:
    if not text.isascii():
        text = fold(unicodedata.normalize("NFKC", text))
    text = " ".join(text.casefold().split())
    if "," in text:
        text = _COMMA.sub(", ", text).strip()
    return text.strip(_OUTER) or text


_remembered = lru_cache(8192)(_normal)
