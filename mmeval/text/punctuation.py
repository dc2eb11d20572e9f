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

MARKS = ';/[]"{}()=+\\_-><@`,?!'
"""The 21 marks; the period is treated apart."""

PERIOD_LIMIT = 32
"""How many removable periods the official code removes (the value of `re.UNICODE`)."""

_BESIDE_SPACE = {mark: (f"{mark} ", f" {mark}") for mark in MARKS}
_LONE_PERIOD = re.compile(r"\.(?<!\d\.)(?!\d)")
_ANY_PERIOD = re.compile(r"\.(?!\d)")


def _has_digit_group(text: str) -> bool:
    """Whether a comma stands between two digits (decimal digits of any script)."""
    at = text.find(",", 1)
    while at >= 0:
        if text[at - 1].isdecimal() and text[at + 1 : at + 2].isdecimal():
            return True
        at = text.find(",", at + 1)
    return False


def _clean_marks(text: str) -> str:
    """Delete or replace the marks, as the whole text decides; few occur in one, so each is asked for."""
    present = [mark for mark in MARKS if mark in text]
    if not present:
        return text
    grouped = "," in present and _has_digit_group(text)
    cleaned = text
    for mark in present:
        behind, before = _BESIDE_SPACE[mark]
        deleted = grouped or behind in text or before in text
        cleaned = cleaned.replace(mark, "" if deleted else " ")
    return cleaned


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
