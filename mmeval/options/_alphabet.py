"""How the labels of one question look in a text: patterns, compiled once per set of labels."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

_MACRO = r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|sf|it)|mbox|bf|rm|boldsymbol|boxed|fbox)\s*\{"
SYMBOLS = "\u2022\u00b7\u2190-\u21ff\u2234\u2500-\u27bf\u2b00-\u2bff\ufe0f\U0001f300-\U0001faff"
"""Arrows, "therefore" signs, check marks and emoji that a reply may set before its answer."""
OPEN = rf"(?:[*_`\"'$({{\[<}}\])~#>|{SYMBOLS}]|\\[(\[]|{_MACRO}|\s){{0,10}}"
"""What may stand between a cue and the answer: space, emphasis, quotes, opening brackets, LaTeX."""
_CLOSE = r"(?:[)\]}\"'*_`$>]|\\[)\]]){0,8}"
_NOUN = (
    r"(?:(?:(?:most\s+)?likely|probably|clearly|definitely|certainly|indeed|therefore|thus|simply|"
    r"donc)\s+)?"
    r"(?:(?:the|la|el|le|die)\s+)?(?:(?:(?:correct|right|best|final|closest)\s+)?"
    r"(?:option|choice|answer|letter|alternative|caption|sentence|statement|description|opci[oó]n|opção|opzione|опция|вариант|选项|選項|"
    r"選択肢)\s*:?\s*)?"
)
_LABELLED = r"(?:option|choice|answer|caption|sentence|statement|description)"
"""What a question may call its options: "Caption B"."""
_NOT_WORD = r"(?![A-Za-z0-9\u00c0-\u024f]|'[a-z]|-[A-Za-z0-9])"
_NOT_IN_WORD = r"(?<![A-Za-z0-9\u00c0-\u024f\\])(?<![A-Za-z]['-])"
_LINE_START = rf"[ \t>*#_|\"'{SYMBOLS}-]{{0,8}}"
_LISTED = r"(?=\s*(?:\Z|\n|[.,;:!?)\]}*\"'&/、。$\\]|(?:and|or|are|both|because|since|if)\b|和|或))"
_IS = (
    r"\b(?:is|be|was)\s+(?:(?:the\s+)?(?!not\b|never\b|either\b|neither\b|only\b|like\b|near\b|than\b|from\b)"
    r"[a-z]{3,10}\s+)?"
)
_AND = r"(?:,|;|/|&|、|\band\b|\bor\b|和|或|与)"


class Alphabet:
    """The labels of a question and the patterns that find them, each compiled when it is first used.

    Longer labels are tried first, so "10" is never read as "1".
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        self.labels = labels
        self.numeric = not all(len(label) == 1 and label.isalpha() for label in labels)
        longest_first = sorted(labels, key=len, reverse=True)
        self._upper = "|".join(map(re.escape, longest_first)) if self.numeric else f"[{''.join(labels)}]"
        self._lower = self._upper if self.numeric else self._upper.lower()
        self._token = rf"{_NOT_IN_WORD}(?:{self._upper}){_NOT_WORD}"

    @cached_property
    def bare(self) -> re.Pattern[str]:
        """A whole reply that is one label."""
        return re.compile(rf"\s*[(\[*\"'`$]{{0,4}}({self._upper})[)\].:,*\"'`$]{{0,6}}\s*")

    @cached_property
    def announced(self) -> re.Pattern[str]:
        """A sentence that announces one label, up to that label ("The correct answer is (B")."""
        return re.compile(
            r"\s*[*]{0,2}(?i:(?P<so>(?:so|thus|therefore|hence),?\s+)?(?:(?:the|my)\s+)?"
            r"(?:(?:final|correct|best)\s+){0,2}(?:answer|option|choice)(?:\s+is|[*]{0,2}:|\s+is:)[*]{0,2}\s+"
            rf"(?:option\s+)?)[*(\[$]{{0,4}}(?P<label>{self._upper}){_NOT_WORD}[)\]*$]{{0,4}}"
        )

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """A reply that begins with a label (`B.`, `(B)`, `B:`)."""
        return re.compile(
            rf"[\s*#_\"'`>{SYMBOLS}-]{{0,6}}(?i:(?:the\s+)?{_LABELLED}\s*)?"
            rf"[*_(\[\"'`]{{0,4}}(?P<label>{self._upper}){_NOT_WORD}"
            r"(?P<mark>[)\]\"'`*_]{0,4}[.:)]?[*_]{0,3})"
        )

    @cached_property
    def lower_lead(self) -> re.Pattern[str]:
        """A reply that begins with a bracketed label in lower case (`(b)`)."""
        return re.compile(rf"\s*\(?(?P<label>{self._lower})\)\s*[:.]?")

    @cached_property
    def anchor(self) -> re.Pattern[str]:
        """A label at a place where one is expected, with its wrapping; lower case only where marked."""
        label = rf"(?:{self._upper}){_NOT_WORD}"
        if not self.numeric:
            label += rf"|(?<=[(\[*]){self._lower}(?=[)\]*])|{self._lower}(?=[.)*\"'}}\s]{{0,4}}\Z)"
        return re.compile(rf"(?P<pre>{OPEN}(?i:{_NOUN}){OPEN})(?P<label>{label})(?P<post>{_CLOSE})")

    @cached_property
    def more(self) -> re.Pattern[str]:
        """A further label of a list."""
        joined = rf"\s*{_AND}\s*(?:and\s+|or\s+)?"
        return re.compile(rf"{joined}[(\[*]{{0,3}}(?P<label>{self._token})[)\]*]{{0,3}}{_LISTED}")

    @cached_property
    def joined(self) -> re.Pattern[str]:
        """A further label, up to its own text."""
        return re.compile(
            rf"\s*{_AND}\s*(?:and\s+|or\s+)?[(\[*]{{0,3}}(?P<label>{self._token})[)\]*.:]{{0,3}}"
        )

    @cached_property
    def line(self) -> re.Pattern[str]:
        """A label that begins a line, from the beginning of the line."""
        return re.compile(
            rf"{_LINE_START}(?i:{_LABELLED}\s+)?[*(\[]{{0,3}}(?P<label>{self._upper})"
            r"(?:[)\]*]{0,3}[.:)]|[)\]*]+|\s*\|)(?=[\s*]|\Z)"
        )

    @cached_property
    def token(self) -> re.Pattern[str]:
        """A label that is no part of a word; single letters are looked for first, which is faster."""
        if self.numeric:
            return re.compile(self._token)
        one = self._upper
        inside = rf"(?<![A-Za-z0-9\u00c0-\u024f\\]{one})(?<![A-Za-z]['-]{one})"
        return re.compile(one + inside + _NOT_WORD)

    @cached_property
    def closing(self) -> re.Pattern[str]:
        """A label that a reply ends with, as a line or sentence of its own or after "is" ("it is B.")."""
        return re.compile(
            rf"(?:\n|[.!?:,]\s|[:。，]|{_IS})\s*[*(\[]{{0,3}}(?P<label>{self._token})[)\]*]{{0,3}}[.!。]?\s*\Z"
        )

    @cached_property
    def subject(self) -> re.Pattern[str]:
        """A label of which a comparison is said ("Point A is closer")."""
        return re.compile(
            r"(?i:(?:the\s+)?(?:point|image|picture|object|circle|box|line)\s+)?[(*]{0,3}"
            rf"(?P<label>{self._token})[)*]{{0,3}}\s+(?:is|appears|seems|looks)(?:\s+to\s+be)?\s+"
            r"(?:slightly\s+|much\s+|clearly\s+|the\s+)?(?P<more>(?:more|most)\s+\w+|"
            r"(?!(?:other|under|over|after|either|neither|never|rather|another|together|rest|best|test)\b)"
            r"[a-z]{3,9}(?:er|est))\b"
        )

    @cached_property
    def compact(self) -> re.Pattern[str] | None:
        """Letters run together (`AC`)."""
        return None if self.numeric else re.compile(rf"{self._lower}{{2,}}|{self._upper}{{2,}}")


@lru_cache(maxsize=1024)
def alphabet(labels: tuple[str, ...]) -> Alphabet:
    """The patterns for these labels, made once."""
    return Alphabet(labels)
