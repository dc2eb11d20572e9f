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

_SETTING = re.compile(r"\\(?:left|right|displaystyle)(?![A-Za-z])|\\[!,;:]|\\\s|[\s$~]")
_FRACTION = re.compile(r"\\[dt]frac(?![A-Za-z])")
_BARE_FRACTION = re.compile(r"\\frac(\d)(\d)")
_DIVIDED = re.compile(r"(?<![\w}/.])(-?)(\d+)/(\d+)(?![\w{/.])")
_BARE_ROOT = re.compile(r"\\sqrt(\d)(?!\d)")


_TYPESET = re.compile(r"[\\^√π]|\d\s?:\s?\d")


def is_typeset(text: str) -> bool:
    r"""Whether a text is written as formulas are: `\frac`, `^`, a root, a ratio such as 1:2."""
    return _TYPESET.search(text) is not None


def formula(text: str) -> str:
    r"""A formula without what only sets it: dollar signs, spaces, `\left`; fractions and roots in one way.

    Letters keep their case. Two formulas that differ in anything else stay different, equal or not.

    >>> formula(r"$\dfrac{1}{2} + 5 \sqrt3$."), formula("24 + 4π") == formula(r"24+4\pi"), formula("3/4")
    ('\\frac{1}{2}+5\\sqrt{3}', True, '\\frac{3}{4}')
    """
    text = _SETTING.sub("", fold(unicodedata.normalize("NFC", text)).strip(_OUTER))
    text = text.replace("π", r"\pi").strip(_OUTER)
    text = _BARE_FRACTION.sub(r"\\frac{\1}{\2}", _FRACTION.sub(r"\\frac", text))
    return _BARE_ROOT.sub(r"\\sqrt{\1}", _DIVIDED.sub(r"\1\\frac{\2}{\3}", text))
