r"""Whether a number is only a part of a formula: 24 in 24\pi, 3 in \sqrt{3}, 158 in 158 + k.

Such a number is not what the reply says, and reading it would be a guess. Units are no part of a formula
(5 m, 3.5 m/s, 12 cm^2), and an exponent or an index (cm^2, x_{1}) is no number of its own.
"""

from __future__ import annotations

import re

_LETTER = r"(?<![A-Za-z0-9'’])[b-zB-HJ-Z]"
_CONSTANT = r"(?:π|\\pi(?![A-Za-z])|pi(?![A-Za-z])|√|∛|\\sqrt|sqrt(?![A-Za-z]))"
_COMMAND = r"\\(?!text|math|mbox|q?quad|left|right|[dt]?frac|times|cdot|div|approx|pm)[a-z]+"
_VARIABLE = r"[xyznkpqrtuvw](?![A-Za-z0-9_'’])"
# A letter right behind a number that is no unit (2x, 3a, 5i); with a space only where the formula ends.
_JOINED = r"(?:[abdeijnqruvwxyzDXYZαβγθλμφω](?![A-Za-z0-9])|\s[xyz](?=\s?(?:[-+*/=^)$}\]]|[.,]?\s*\Z)))"
_OPERAND = (
    rf"(?:{_CONSTANT}|{_COMMAND}"
    r"|(?!(?:a|I|an|as|at|by|if|in|is|it|no|of|on|or|so|to|up|we|he|us|me|my|be|do|go|km|cm|mm|kg|mg|ml|hr)\b)"
    r"[A-Za-z]{1,2}(?![A-Za-z'’]))"
)
_BEHIND = re.compile(
    rf"[⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ]|(?<=\}})[A-Za-z]|{_JOINED}"
    rf"|\s?(?:\*(?!\*)|·|×|\\cdot|\\times)?\s?{_CONSTANT}"
    r"|\s?\^(?!\s?\{?\s?(?:\\circ|\\degree|∘|°|o(?![A-Za-z])))|!(?=\s?[}$\\+*/^=)-])"
    rf"|\s?(?:\+|×|·|÷|\\times|\\cdot|\\div)\s?{_OPERAND}"
    rf"|\s?(?:[-−/]|\*(?!\*))\s?(?:{_CONSTANT}|{_COMMAND}|{_VARIABLE})"
    r"|\s?/\s?\("
)
_BEFORE = re.compile(
    r"(?:√|∛|\\sqrt\s?(?:\[[^\]]{0,8}\])?\s?\{?\s?|(?<![A-Za-z])sqrt\s?\(?\s?"
    r"|(?<![A-Za-z])(?:ln|log|sin|cos|tan|cot|sec|csc|exp)\s?(?:_?\{?\d{0,3}\}?)?\s?[({]?\s?"
    r"|(?<![A-Za-z])[A-Za-z]\(\s?"
    r"|(?:\\[dt]?frac\s?\{|\}\s?\{)\s?"
    r"|(?:π|\\pi)\s?[-+*·×/]?\s?"
    rf"|(?<![A-Za-z0-9'’])[xyznk]\s?[-−+*/]\s?|{_LETTER}\s?[+/]\s?)-?\Z"
)
_RAISED = re.compile(r"[\^_]\s?\{?\s?-?\Z")
_NEAR = 24


def is_exponent(text: str, start: int) -> bool:
    """Whether the number that begins at `start` is an exponent or an index."""
    return _RAISED.search(text[max(0, start - 5) : start]) is not None


def is_part(text: str, start: int, end: int) -> bool:
    r"""Whether the number at `start`, `end` goes on as a formula, or is the rest of one.

    >>> is_part("24\\pi", 0, 2), is_part("24 km", 0, 2), is_part("k + 5", 4, 5)
    (True, False, True)
    """
    if _BEHIND.match(text, end) is not None:
        return True
    return _BEFORE.search(text[max(0, start - _NEAR) : start]) is not None
