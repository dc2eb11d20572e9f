"""Typographic variants of ASCII, folded one character to one character.

Models write the same answer with a full-width letter, a curly quote, a unicode minus or a no-break space.
Readers fold first and look for plain ASCII afterwards. Because every character becomes exactly one
character, an offset in the folded text is the same offset in the original.
"""

from __future__ import annotations

import unicodedata
from functools import cache

_SPACES = "\u00a0\u1680\u180e\u202f\u205f\u3000\u200b\u200c\u200d\u2060\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_DIRECTIONS = "\u061c\u200e\u200f" + "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u02bc\u300e\u300f"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d"
_LEFT_BRACKETS, _RIGHT_BRACKETS = "\u3010\u3014\u3016", "\u3011\u3015\u3017"
_STYLED = ((0xFF01, 0xFF5F), (0x1D400, 0x1D800), (0x2460, 0x2469), (0x24B6, 0x24EA))
"""Full-width forms, mathematical letters and digits, circled digits 1 to 9, circled letters."""


@cache
def _table() -> dict[int, str]:
    """Code point to ASCII stand-in; compatibility forms longer than one character stay as they are."""
    table: dict[int, str] = {}
    for first, end in _STYLED:
        for code in range(first, end):
            plain = unicodedata.normalize("NFKC", chr(code))
            if len(plain) == 1 and plain.isascii():
                table[code] = plain
    groups = (
        (_SPACES + _DIRECTIONS, " "),
        (_DASHES, "-"),
        (_SINGLE_QUOTES, "'"),
        (_DOUBLE_QUOTES, '"'),
        (_LEFT_BRACKETS, "["),
        (_RIGHT_BRACKETS, "]"),
    )
    for characters, plain in groups:
        table.update(dict.fromkeys(map(ord, characters), plain))
    return table


def fold(text: str) -> str:
    """The text with typographic variants of ASCII characters replaced, of the same length.

    Full-width, circled and mathematical letters and digits, dashes and minus signs, exotic and zero-width
    spaces, marks of writing direction, curly and corner quotes, and lenticular brackets become their ASCII
    stand-ins. Everything else stays.

    >>> fold("答案：Ｂ")
    '答案:B'
    >>> fold("\u2212 12\u00a0°")
    '- 12 °'
    """
    return text if text.isascii() else text.translate(_table())
