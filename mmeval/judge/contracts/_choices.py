"""Reading which option a judge names: its label, its text, or both, if they agree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mmeval.judge.contracts._words import CONTRADICTORY, OFF_MENU, Words
from mmeval.judge.contracts.base import Unreadable
from mmeval.text.fold import fold
from mmeval.text.wrappers import peel
from mmeval.types import Json

_BEFORE = re.compile(r"[\s*_`\"'(\[{$#]*(?:(?:option|choice)\s+|选项\s*)?[\s*_`\"'(\[{$]*", re.IGNORECASE)
_APART = re.compile(
    r"[*_`\"')\]}$~]{0,6}(?:\s*\Z|[ \t]*[.,;:)。，；：、][*_`\"')\]}$~]{0,4}|\s+[-–—]\s|[ \t]*\()"
)
_JOIN = re.compile(r"[\s*_`\"')\]}.;,/&、，；]*(?:(?:and|和)\b)?[\s*_`\"'(\[]*", re.IGNORECASE)
_RUN = re.compile(r"[A-Z]{2,26}")
_MARKED = re.compile(r"(?<![\w'])\(?([A-Za-z0-9]{1,12})[.)](?=\s)")
_NOT_ONE = re.compile(
    r"[\s*_`\"'(]{0,8}(?:none|neither|all|both|any)\s+of\s+(?:the|these|those|them)\b", re.IGNORECASE
)
_OUTER = " \t\r\n.,;:!?。，；：！？、*_`\"'()[]{}$~"


class Choices:
    """Reads one option, or with `several` a set of them ("A,C", in the options' order), or `nothing`.

    With `marked` labels count that are set off as a list of options sets them off ("A. red", "(A) red"): one
    is that option, whatever else is said; more than one, or none or all "of the options", are `nothing`.
    """

    def __init__(
        self, labels: Sequence[str], texts: Sequence[str], nothing: str, several: bool, marked: bool = False
    ) -> None:
        self._order = {label: at for at, label in enumerate(labels)}
        self._words = Words({label: [label] for label in (*labels, nothing)})
        self._texts = dict(zip(labels, map(_bare, texts), strict=False))
        self._nothing = nothing
        self._several = several
        self._marked = marked

    def at_start(self, text: str) -> str | Unreadable:
        """The option that a text begins with; prose may follow, if it names no other."""
        return self._set(text) if self._several else self._one(text, True)

    def whole(self, text: str) -> str | Unreadable:
        """The option that a text names and nothing else: by label, by text, or by both."""
        start, end = peel(text, 0, len(text))
        text = text[start:end]
        return self._set(text) if self._several else self._one(text, False)

    def scalar(self, value: Json) -> str | Unreadable:
        """The option in JSON; a list of labels where several may be right."""
        if isinstance(value, list) and self._several:
            read = [self.scalar(each) for each in value if not isinstance(each, list)]
            return self._joined(
                [each for label in read if isinstance(label, str) for each in label.split(",")], read
            )
        if isinstance(value, str):
            return self.at_start(fold(value))
        if isinstance(value, int) and not isinstance(value, bool):
            return self.at_start(str(value))
        return OFF_MENU

    def opens(self, text: str) -> tuple[()]:
        """Nothing: who reads an option out of an answer repeats it."""
        return ()

    def length(self, text: str) -> int:
        """How long the label is that a text begins with; all of it where it begins with none."""
        found = self._words.first(text)
        return found.end() if found and not self._several else len(text.rstrip(_OUTER))

    def _one(self, text: str, prose: bool) -> str | Unreadable:
        before = _BEFORE.match(text)
        decided = self._by_marks(text, before.end() if before else 0) if self._marked else None
        if decided is not None:
            return decided
        text = text[before.end() :] if before else text
        named = self._named(text)
        found = self._words.first(text)
        if found is None:
            return named or OFF_MENU
        label = self._words.label(found[0]) or OFF_MENU
        apart = _APART.match(text, found.end())
        rest = text[found.end() :] if apart is None else text[apart.end() :]
        said = self._named(rest)
        if said is not None and isinstance(label, str):
            return label if said == label else CONTRADICTORY
        if apart is None:
            return named or OFF_MENU
        return self._with_prose(label, found[0], rest, prose)

    def _by_marks(self, text: str, start: int) -> str | None:
        """What the marked labels of the first line come to; None where it has none, or not at its start."""
        line = text[:start] + text[start:].split("\n", 1)[0]
        if _NOT_ONE.match(line):
            return self._nothing
        labels = {found[1] for found in _MARKED.finditer(line) if found[1] in self._order}
        if len(labels) > 1:
            return self._nothing
        return next((label for label in labels if line.startswith(label, start)), None)

    def _with_prose(self, label: str | Unreadable, word: str, rest: str, prose: bool) -> str | Unreadable:
        """A label that something follows which is not an option's text."""
        if isinstance(label, Unreadable) or not rest.strip(_OUTER):
            return label
        if len(word) == 1 and word.islower():
            return OFF_MENU
        if self._begins(rest, label):
            return label
        if not prose and (self._texts or "\n" in rest):
            return OFF_MENU
        return OFF_MENU if self._mentions(rest) else label

    def _named(self, text: str) -> str | None:
        """The only option whose text this is."""
        bare = _bare(text)
        same = [label for label, other in self._texts.items() if other and other == bare]
        return same[0] if len(same) == 1 else None

    def _begins(self, rest: str, label: str) -> bool:
        """Whether what follows a label begins with that option's own text."""
        own = self._texts.get(label)
        return bool(own) and (_bare(rest[: 4 * len(own or "") + 40]) + " ").startswith(f"{own} ")

    def _mentions(self, rest: str) -> bool:
        """Whether prose names a label too: no telling which one it means."""
        tokens = re.findall(r"(?<![\w'])[A-Za-z0-9]{1,12}(?![\w'])", rest[:2_000])
        words = {label.casefold() for label in self._order if len(label) > 1}
        return any((token in self._order and token != "I") or token.casefold() in words for token in tokens)

    def _set(self, text: str) -> str | Unreadable:
        """Labels, each with its text or without, joined by commas or "and"; or run together ("AC")."""
        text = text.split("\n", 1)[0].strip(_OUTER)
        alone = self._named(text)
        if alone is not None:
            return alone
        if _RUN.fullmatch(text) and set(text) <= set(self._order) and len(set(text)) == len(text):
            return self._joined(list(text), [])
        labels: list[str] = []
        at = 0
        while at < len(text):
            step = self._step(text, at)
            if step is None:
                return OFF_MENU
            labels.append(step[0])
            if len(labels) > 2 * len(self._order):
                return OFF_MENU
            at = step[1]
        return self._joined(labels, [])

    def _step(self, text: str, at: int) -> tuple[str, int] | None:
        """The label at an offset, and where the next one would begin."""
        found = self._words.first(text[at : at + 64])
        label = self._words.label(found[0]) if found else None
        if found is None or label is None:
            return None
        at += found.end()
        apart = _APART.match(text, at)
        own = self._length_of(text, apart.end() if apart else at, label)
        at = own if own is not None else at
        joined = _JOIN.match(text, at)
        end = joined.end() if joined else at
        return (label, end) if end > at or at >= len(text) else None

    def _length_of(self, text: str, at: int, label: str) -> int | None:
        """Where the option's own text ends, if it stands at an offset."""
        own = self._texts.get(label)
        if not own:
            return None
        words = r"\W{1,8}".join(map(re.escape, own.split()))
        found = re.compile(rf"\W{{0,8}}{words}(?!\w)", re.IGNORECASE).match(text, at)
        return found.end() if found else None

    def _joined(self, labels: list[str], read: Sequence[str | Unreadable]) -> str | Unreadable:
        if not labels or any(isinstance(each, Unreadable) for each in read):
            return OFF_MENU
        if self._nothing in labels:
            return self._nothing if set(labels) == {self._nothing} else CONTRADICTORY
        return ",".join(sorted(set(labels), key=lambda label: self._order[label]))


def _bare(text: str) -> str:
    """The words of a text in lower case, for comparing what a judge copies with an option."""
    return " ".join(re.findall(r"[^\W_]+|[-+<>=%°$€£]", fold(text).casefold()))
