r"""The three-way contract: correct, incorrect, or a third thing that is neither."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._field import NO_VERDICT
from mmeval.judge.contracts._json import objects
from mmeval.judge.contracts._making import CONFIG, Flag, Slot
from mmeval.judge.contracts._quotes import Quoted
from mmeval.judge.contracts._reply import Body, body, lines
from mmeval.judge.contracts._verdicts import Verdicts
from mmeval.judge.contracts._words import CONTRADICTORY
from mmeval.judge.contracts.base import Parsed, Unreadable
from mmeval.types import Ruling, Span

_EXTRACTED = Slot(
    "extracted", '"..."', 'is the final answer that the response gives, or "N/A"', {"type": "string"}
)
_SEPARATOR = re.compile(r"(?:[ ]{0,8}(?:\t|\\t|\||[,:.)])|[ ]{2,8})(?:[ \t|,:]|\\t){0,16}|\Z")
_EXTRACTED_LINE = re.compile(
    r"^[ \t*_]{0,8}(?:extracted|extracted answer)[*_]{0,4}[ \t]?:[*_ \t]{0,8}([^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN = re.compile(r"[^\s,;:]{1,40}")
_NOTHING = "N/A"


class _Row(NamedTuple):
    """A first line `GRADE<TAB>EXTRACTED`: `head` is the grade up to the first word of the extraction."""

    label: str
    word: Span
    extracted: str
    text: str
    head: str


@dataclass(frozen=True, config=CONFIG)
class ThreeWay(Verdicts):
    r"""One word of three: `correct` scores 1, `incorrect` and the third label (by default `not-attempted`) 0.

    Parameters: as for binary; `extracted`, whether the judge also says which answer it read in the response
    (evidence `{"extracted": ...}`, `N/A` where it says none). A plain reply then is `GRADE<TAB>EXTRACTED` in
    its first line; of other lines nothing is read.

    Source: OpenVLHarness's optional grader of the spatial benchmarks (upper-case A, B or C at the beginning
    of the first line; what follows, without separators, is the extracted answer).

    >>> words = {"correct": ["A"], "incorrect": ["B"], "invalid": ["C"]}
    >>> ThreeWay(words=words, extracted=True).parse("A\t3.5\nmore").ruling
    Ruling(label='correct', score=1.0, evidence={'extracted': '3.5'})
    """

    name: ClassVar[str] = "three-way"
    sizes: ClassVar[tuple[int, ...]] = (3,)

    extracted: Flag = False

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The one verdict in a reply, and the extracted answer where one is asked for."""
        if not self.extracted:
            return super().parse(reply, quoted)
        answer = body(reply, quoted)
        if isinstance(answer, Unreadable):
            return answer
        row = self._row(answer)
        keyed = self._keyed(reply, answer, quoted)
        if row is None:
            return keyed
        if not isinstance(keyed, Unreadable) and keyed.ruling.label != row.label:
            return CONTRADICTORY
        return self._first_line(answer, row, Quoted(quoted))

    def _keyed(self, reply: str, answer: Body, quoted: Sequence[str]) -> Parsed | Unreadable:
        """A reply in JSON, or with keys."""
        parsed = super().parse(reply, quoted)
        if isinstance(parsed, Unreadable):
            return parsed
        return Parsed(_with(parsed.ruling, _beside(answer)), parsed.span)

    def _row(self, answer: Body) -> _Row | None:
        """A first line `GRADE<TAB>EXTRACTED`."""
        at, row = next(iter(lines(answer.plain)), (0, ""))
        lead = len(row) - len(row.lstrip("*_`"))
        found = self.reads.first(row[lead:])
        if found is None or answer.raw[:at].strip() or (len(found[0]) == 1 and found[0].islower()):
            return None
        end = lead + found.end()
        closed = row[end:].removeprefix(row[:lead]) if lead else row[end:]
        apart = _SEPARATOR.match(row, len(row) - len(closed))
        label = self.reads.label(found[0])
        if apart is None or label is None:
            return None
        token = _TOKEN.match(row, apart.end())
        extracted = answer.raw[at:][apart.end() : len(row)].strip()
        return _Row(
            label,
            (at + lead, at + end),
            extracted,
            row,
            row[lead : token.end() if token else end].rstrip("."),
        )

    def _first_line(self, answer: Body, row: _Row, shown: Quoted) -> Parsed | Unreadable:
        """The grade of the first line, unless the line may be one of a shown text.

        Where a shown text has the grade and what follows it, the line counts only if there is nothing else.
        """
        start, end = (at + answer.start for at in row.word)
        repeated = shown.is_line(row.text) or shown.repeats(answer.text[:end], (start, end))
        repeated = repeated or (bool(row.extracted) and any(row.head in text for text in shown.plain))
        repeated = repeated or self.field.keyed(self.field.claims(shown), row.label)
        repeated = repeated or (shown.exposes(answer.text[start:end]) and not shown.holds(row.extracted))
        if repeated and not (answer.trusted and answer.plain.strip(" \n.") == row.head):
            return NO_VERDICT
        return Parsed(_with(self.ruling(row.label), row.extracted), answer.place(*row.word))

    def _default(self) -> dict[str, list[str]]:
        return {"correct": ["correct"], "incorrect": ["incorrect"], "not-attempted": ["not attempted"]}

    def _slots(self) -> list[Slot]:
        slots = super()._slots()
        return [_EXTRACTED, *slots] if self.extracted else slots


def _with(ruling: Ruling, extracted: str) -> Ruling:
    return Ruling(ruling.label, ruling.score, {"extracted": extracted or _NOTHING})


def _beside(answer: Body) -> str:
    """The extraction of a reply in JSON or with keys: empty where there is not exactly one."""
    things = objects(answer.raw)
    values = (
        []
        if isinstance(things, Unreadable)
        else [v for t in things for v in t.values(frozenset({"extracted"}))]
    )
    texts = [str(value) for value in values if isinstance(value, str | int | float)]
    texts = texts or [found[1].strip() for found in _EXTRACTED_LINE.finditer(answer.plain)]
    return texts[0].strip() if len(texts) == 1 else ""
