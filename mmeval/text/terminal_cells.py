"""Text as a terminal shows it: nothing that commands it, and how many columns it takes."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

# C0 and C1 controls but for the line feed, separators of lines, and marks that turn around what follows: an
# answer may hold escape sequences, and may show as what it is not. The form is also JSON's.
_UNSEEN = (*range(32), *range(127, 160), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = {code: f"\\u{code:04x}" for code in _UNSEEN if code != 10}
# Categories of characters that take no column: accents that sit on a letter, joiners, variation selectors.
_NO_COLUMN = ("Mn", "Me", "Cf")
_SOFT_HYPHEN = "\u00ad"
LONGEST_CELL = 200


def visible(text: str) -> str:
    r"""The same text with every character that commands a terminal spelled out.

    >>> visible("a\x1b[31m\nb")
    'a\\u001b[31m\nb'
    """
    return text.translate(_CONTROLS)


def columns(text: str) -> int:
    """How many columns a terminal takes for a visible text of one line (Unicode Standard Annex 11).

    >>> columns("abc"), columns("漢字"), columns("e\u0301")
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if char != _SOFT_HYPHEN and unicodedata.category(char) in _NO_COLUMN:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cell(text: str) -> str:
    r"""A text as a cell of a table: on one line, visible, and not so long that nothing else is seen.

    >>> cell("two\nlines")
    'two\\u000alines'
    """
    told = text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 3] + "..."
    return visible(told).replace("\n", "\\u000a")


def aligned(rows: Sequence[Sequence[str]], rule: bool = False) -> list[str]:
    """Rows of texts as lines whose columns stand below each other; with a rule below the first, if asked.

    >>> aligned([["a", "b"], ["漢字", "c"]], rule=True)
    ['a     b', '----  -', '漢字  c']
    """
    cells = [[cell(text) for text in row] for row in rows]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
    if rule:
        cells.insert(1, ["-" * width for width in widths])
    return [_padded(row, widths) for row in cells]


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    shown = (text + " " * (width - columns(text)) for text, width in zip(row, widths, strict=True))
    return "  ".join(shown).rstrip()
