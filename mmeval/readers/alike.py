"""Whether a verdict that lies beside a prediction is of that very answer: files are made again."""

from __future__ import annotations

from mmeval.readers.decoding import Flaw
from mmeval.readers.foreign import number
from mmeval.types import Json


def same_text(ours: Json | Flaw, theirs: Json | Flaw) -> bool:
    """Whether two cells may hold one question or gold; space and case do not count.

    What is missing or cannot be read says nothing.
    """
    first, second = _words(ours).casefold(), _words(theirs).casefold()
    return not first or not second or first == second or _one_number(first, second)


def same_answer(ours: Json | Flaw, theirs: Json | Flaw) -> bool:
    """Whether two cells may hold one answer.

    Judges repeat it whole, or the part behind its reasoning; a spreadsheet makes a number of `5.0`, and what
    reads like a missing value (`None`) is empty there. What is missing or cannot be read says nothing.
    """
    first, second = _words(ours), _words(theirs)
    if not first or not second or second in first:
        return True
    return _one_number(first, second)


def _one_number(first: str, second: str) -> bool:
    value = number(first)
    return value is not None and value == number(second)


def _words(value: Json | Flaw) -> str:
    return "" if value is None or isinstance(value, Flaw) else " ".join(str(value).split())
