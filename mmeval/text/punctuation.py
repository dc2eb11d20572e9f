"""The VQA evaluation's punctuation cleaning, shared by its many descendants.

Facts from GT-Vision-Lab/VQA `PythonEvaluationTools/vqaEvaluation/vqaEval.py` @ a013f0043c1e and VLMEvalKit
`vlmeval/smp/misc.py` (PyPI `ms-vlmeval` 0.0.20). Oddities that are part of the rule:

* A mark is *deleted* if the text has it anywhere next to a space, or has digit-comma-digit anywhere (then all
  21 marks are deleted); otherwise it becomes a space. So "Yes/No" splits in two but "a / b c/d" gives "cd".
* Colon, apostrophe, asterisk, percent and dollar are no marks; neither is anything outside ASCII.
* Only the first 32 removable periods go: a regex flag sits where the count belongs.
* The authors' look-behind for "digit before the period" is misspelt, so they shorten "3." to "3"; VLMEvalKit
  repaired it and keeps "3.".
"""

from __future__ import annotations

import re
from functools import lru_cache

MARKS = ';/[]"{}()=+\\_-><@`,?!'
"""The 21 marks; the period is treated apart."""

PERIOD_LIMIT = 32
"""How many removable periods the official code removes (the value of `re.UNICODE`)."""

_CLASS = "[" + re.escape(MARKS) + "]"
_ANY = re.compile(_CLASS)
_BESIDE_SPACE = re.compile(rf"(?<= ){_CLASS}|{_CLASS}(?= )")
_DIGIT_GROUP = re.compile(r"\d,\d")
_LONE_PERIOD = re.compile(r"(?<!\d)\.(?!\d)")
_ANY_PERIOD = re.compile(r"\.(?!\d)")


@lru_cache(maxsize=1024)
def _table(deleted: frozenset[str]) -> dict[int, str | None]:
    """A translation table that deletes some marks and turns the others into spaces."""
    return {ord(mark): None if mark in deleted else " " for mark in MARKS}


_DELETE_ALL = _table(frozenset(MARKS))


def _clean_marks(text: str) -> str:
    """Delete or replace the 21 marks, as the whole text decides."""
    if _ANY.search(text) is None:
        return text
    if "," in text and _DIGIT_GROUP.search(text) is not None:
        return text.translate(_DELETE_ALL)
    return text.translate(_table(frozenset(_BESIDE_SPACE.findall(text))))


def process_punctuation(text: str, *, keep_after_digit: bool = True) -> str:
    """The text without punctuation, byte for byte as the VQA family cleans it.

    Args:
        text: Any text; it is not stripped or lower-cased here.
        keep_after_digit: True keeps the period of "3." (VLMEvalKit); False drops it unless a digit follows
            (the VQA authors and lmms-eval).

    Returns:
        The cleaned text. A period between two digits always stays.
    """
    cleaned = _clean_marks(text)
    if "." not in cleaned:
        return cleaned
    period = _LONE_PERIOD if keep_after_digit else _ANY_PERIOD
    return period.sub("", cleaned, count=PERIOD_LIMIT)
