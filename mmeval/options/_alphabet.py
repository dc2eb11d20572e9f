"""How the labels of one question look in a text: patterns, compiled once per set of labels."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

_MACRO = r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|sf|it)|mbox|bf|rm|boldsymbol|boxed|fbox)\s*\{"
SYMBOLS = "\u2190-\u21ff\u2234\u2500-\u27bf\u2b00-\u2bff\ufe0f\U0001f300-\U0001faff"
"""Arrows, "therefore" signs, check marks and emoji that a reply may set before its answer."""
OPEN = rf"(?:[*_`\"'$({{\[<}}\])~#>|{SYMBOLS}]|\\[(\[]|{_MACRO}|\s){{0,10}}"
"""What may stand between a cue and the answer: space, emphasis, quotes, opening brackets, LaTeX."""
_CLOSE = r"(?:[)\]}\"'*_`$>]|\\[)\]]){0,8}"
_NOUN = (
    r"(?:(?:(?:most\s+)?likely|probably|clearly|definitely|certainly|indeed|therefore|thus|simply|"
    r"donc)\s+)?"
    r"(?:(?:the|la|el|le|die)\s+)?(?:(?:(?:correct|right|best|final|closest)\s+)?"
    r"(?:option|choice|answer|letter|alternative|opci[oó]n|opção|opzione|опция|вариант|选项|選項|"
    r"選択肢)\s*:?\s*)?"
)
_NOT_WORD = r"(?![A-Za-z0-9\u00c0-\u024f]|'[a-z]|-[A-Za-z0-9])"
_NOT_IN_WORD = r"(?<![A-Za-z0-9\u00c0-\u024f\\])(?<![A-Za-z]['-])"
_LINE_START = rf"^[ \t>*#_|\"'{SYMBOLS}-]{{0,8}}"
_AND = r"(?:,|;|/|&|、|\band\b|\bor\b|和|或|与)"


class Alphabet(msgspec.Struct, frozen=True):
    """The labels of a question and the patterns that find them.

    `bare` matches a whole reply that is one label; `lead` a reply that begins with one (`B.`, `(B)`, `B:`);
    `anchor` a label at a place where one is expected, `more` the further labels of a list after it; `line`
    every line that begins with a label; `token` every capital label that is no part of a word; `closing` one
    that a reply ends with, as a sentence or line of its own; `compact` letters run together (`AC`).
    """

    labels: tuple[str, ...]
    numeric: bool
    bare: re.Pattern[str]
    lead: re.Pattern[str]
    anchor: re.Pattern[str]
    more: re.Pattern[str]
    label: re.Pattern[str]
    line: re.Pattern[str]
    token: re.Pattern[str]
    closing: re.Pattern[str]
    compact: re.Pattern[str] | None


@lru_cache(maxsize=1024)
def alphabet(labels: tuple[str, ...]) -> Alphabet:
    """The patterns for these labels; longer labels are tried first, so "10" is never read as "1"."""
    upper = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    letters = all(len(label) == 1 and label.isalpha() for label in labels)
    if letters:
        upper = f"[{''.join(labels)}]"
    lower = f"[{''.join(labels).lower()}]" if letters else upper
    token = rf"{_NOT_IN_WORD}(?:{upper}){_NOT_WORD}"
    anchored = rf"(?:{upper}){_NOT_WORD}"
    if letters:
        anchored += rf"|(?<=[(\[*]){lower}(?=[)\]*])|{lower}(?=[.)*\"'}}\s]{{0,4}}\Z)"
    listed = r"(?=\s*(?:\Z|\n|[.,;:!?)\]}*\"'&/、。$\\]|(?:and|or|are|both|because|since|if)\b|和|或))"
    quick = rf"{upper}(?<![A-Za-z0-9\u00c0-\u024f\\]{upper})(?<![A-Za-z]['-]{upper}){_NOT_WORD}"
    return Alphabet(
        labels=labels,
        numeric=not letters,
        bare=re.compile(rf"\s*[(\[*\"'`$]{{0,4}}({upper})[)\].:,*\"'`$]{{0,6}}\s*"),
        lead=re.compile(
            rf"[\s*#_\"'`>{SYMBOLS}-]{{0,6}}(?i:(?:the\s+)?(?:option|"
            rf"choice)\s*)?[*_(\[\"'`]{{0,4}}(?P<label>{upper}){_NOT_WORD}"
            rf"(?P<mark>[)\]\"'`*_]{{0,4}}[.:)]?[*_]{{0,3}})"
        ),
        anchor=re.compile(rf"(?P<pre>{OPEN}(?i:{_NOUN}){OPEN})(?P<label>{anchored})(?P<post>{_CLOSE})"),
        more=re.compile(rf"\s*{_AND}\s*(?:and\s+|or\s+)?[(\[*]{{0,3}}{token}[)\]*]{{0,3}}{listed}"),
        label=re.compile(token),
        line=re.compile(
            rf"{_LINE_START}(?i:(?:option|"
            rf"choice)\s+)?[*(\[]{{0,3}}(?P<label>{upper})(?:[)\]*]{{0,3}}[.:)]|[)\]*]+|\s*\|)"
            rf"(?=[\s*]|$)",
            re.MULTILINE,
        ),
        token=re.compile(quick if letters else token),
        closing=re.compile(
            rf"(?:\n|[.!?:,]\s|[:。，])\s*[*(\[]{{0,3}}(?P<label>{token})[)\]*]{{0,3}}[.!。]?\s*\Z"
        ),
        compact=re.compile(rf"{lower}{{2,}}|{upper}{{2,}}") if letters else None,
    )
