"""What kind of question a sample asks, where nobody says so: inferred from the shape of its gold.

Source: mm-evaluation/simple-mmeval `mmeval/scoring/extraction.py` @ 3aa72c0, with two departures that its
own weak spots ask for: a lone letter beyond A to F is a free text where the sample offers no options
("I", "K"), and a list of the sample's own labels is multiple choice.
"""

from __future__ import annotations

import re

from mmeval.text.reference import open_normalise, parse_number
from mmeval.types import QUESTION_TYPES, Json, Options, QuestionType

_DROPPED = str.maketrans("", "", "()[]{}.:;* \t\r\n")
_SEPARATORS = re.compile(r"[,;/&\s]+(?:and[,;/&\s]+)?")
_LAST_LETTER = "H"


def strict_gold_letters(text: str) -> tuple[str, ...] | None:
    """The option letters that a gold consists of, sorted; None where it is anything else.

    One capital letter once brackets, dots, colons, semicolons, asterisks and white space are dropped; or at
    least two different letters A to H set apart by comma, semicolon, slash, ampersand, space or "and". A
    compact "AC" is refused: words such as BED would be letters too.

    >>> strict_gold_letters("(B)."), strict_gold_letters("C and A"), strict_gold_letters("AC")
    (('B',), ('A', 'C'), None)
    """
    bare = text.translate(_DROPPED)
    if len(bare) == 1:
        return (bare,) if "A" <= bare <= "Z" else None
    tokens = [token for token in _SEPARATORS.split(text.strip()) if token]
    if len(tokens) < 2 or len(set(tokens)) != len(tokens):
        return None
    if not all(len(token) == 1 and "A" <= token <= _LAST_LETTER for token in tokens):
        return None
    return tuple(sorted(tokens))


def infer(answer: Json, declared: str | None, options: Options) -> QuestionType:
    """The question type of a sample; the first that holds.

    1. `declared`, if it is one of the four words (a dataset's own names for its tasks are not).
    2. The gold is yes or no, case and a full stop aside: `yes_no`.
    3. The gold is option letters (`strict_gold_letters`), in either case where options are offered: `mcq`.
    4. The gold is a number as a whole ("24%", "1,200", "1e3", "nan"): `numeric`.
    5. Any other gold is `open`; without a gold it is `mcq`, which cannot matter: the sample is invalid.

    Of a list of golds the first decides, except that a list of the sample's own labels is `mcq`.
    """
    for known in QUESTION_TYPES:
        if declared == known:
            return known
    if isinstance(answer, list):
        if options.parsed and answer and all(one in options.labels for one in answer):
            return "mcq"
        answer = answer[0] if answer else None
        return _of_text(_written(answer), options, listed=True)
    return _of_text(_written(answer), options, listed=False)


def _written(answer: Json) -> str:
    """A gold as a text; true and false by their names."""
    if answer is None or isinstance(answer, dict | list):
        return ""
    return str(answer)


def _of_text(gold: str, options: Options, listed: bool) -> QuestionType:
    """Rules 2 to 5."""
    if not gold.strip():
        return "mcq"
    if open_normalise(gold) in ("yes", "no"):
        return "yes_no"
    if not listed and _is_letters(gold, options):
        return "mcq"
    return "open" if parse_number(gold) is None else "numeric"


def _is_letters(gold: str, options: Options) -> bool:
    """Rule 3."""
    letters = strict_gold_letters(gold)
    if options.parsed:
        return letters is not None or strict_gold_letters(gold.upper()) is not None
    return letters is not None and (len(letters) > 1 or letters[0] in (options.labels or "ABCDEF"))
