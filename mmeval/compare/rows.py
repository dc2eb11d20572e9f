"""The rows of a score file as a comparison needs them, and two files joined on their samples' ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from mmeval.fingerprint import canonical, canonical_json
from mmeval.readers.texts import reference_texts
from mmeval.reports.scorefile_reader import Document, intact, load, samples
from mmeval.types import Attempt, Json, Row, Status

FAILED = ("llm_error", "error")
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """What another harness made of the same answer."""

    score: float | None = None
    extracted: str | None = None
    by: str | None = None
    scores: tuple[float | None, ...] = ()


class Line(msgspec.Struct, frozen=True, gc=False):
    """One row of a score file; its trace stays undecoded until somebody looks at it."""

    eval_id: str | int | float | None = msgspec.field(name="eval-id", default=None)
    question_type: str | None = None
    gt: Json = None
    pred: str | None = None
    extracted: str | None = None
    score: Share | None = None
    decided_by: str | None = None
    status: Status = "ok"
    reason: str | None = None
    group: dict[str, Json] = {}
    evidence: Json = None
    trace: msgspec.Raw = msgspec.Raw(b"[]")
    predictions: tuple[dict[str, Json], ...] = ()
    recorded: Recorded | None = None

    @property
    def id(self) -> str:
        """The sample's id as text: 1, 1.0 and "1" are the same."""
        return str(canonical(self.eval_id))

    @property
    def theirs(self) -> float | None:
        """The recorded score of what was graded here: of several predictions their mean, or the first's."""
        if self.recorded is None:
            return None
        return self.recorded.scores[0] if self.first_of_several else self.recorded.score

    @property
    def first_of_several(self) -> bool:
        """Whether another harness graded several predictions of which the first alone was graded here."""
        return self.recorded is not None and bool(self.recorded.scores) and not self.predictions

    @property
    def failed(self) -> bool:
        """Whether our side could not settle it."""
        return self.status in FAILED

    @property
    def code(self) -> str:
        """The reason's code, without its particulars."""
        return (self.reason or "no-reason").partition(": ")[0]


class Side(NamedTuple):
    """One score file: what it says of itself, its rows by id, and ids that stand for several rows."""

    document: Document
    lines: dict[str, Line]
    ambiguous: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self.document.path

    @property
    def config(self) -> dict[str, Any]:
        """What was run."""
        return self.document.config

    @property
    def summary(self) -> dict[str, Any]:
        """What came of it."""
        return self.document.summary

    @property
    def failed(self) -> bool:
        """Whether rows failed on our side."""
        return bool(self.summary.get("llm_errors") or self.summary.get("errors"))


def read_side(path: Path) -> Side:
    """Read a score file with its rows.

    Raises:
        UsageError: there is no such file.
        ResultError: it is not a score file of mmeval, or a damaged one.
    """
    document = load(path)
    decode = msgspec.json.Decoder(Line).decode
    with intact(document):
        lines = [decode(raw) for raw in samples(document)]
    counts = Counter(line.id for line in lines)
    once = {line.id: line for line in lines if counts[line.id] == 1}
    return Side(document, once, tuple(sorted(name for name, count in counts.items() if count > 1)))


class Pairs(NamedTuple):
    """Two files joined: the ids that both have, in the order of the first, and all that does not match.

    `ambiguous` are ids that stand for several rows of one file: nobody knows which one counts. `golds` are
    ids whose gold differs, `questions` those whose question does.
    """

    ids: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    ambiguous: tuple[str, ...]
    golds: tuple[str, ...]
    questions: tuple[str, ...] = ()


def join(a: Side, b: Side, asked: Callable[[Side], Mapping[str, str] | None] = lambda side: None) -> Pairs:
    """Join two files on their samples' ids.

    Args:
        a: the first file.
        b: the second.
        asked: gives the questions of a file by id, or None where they are not to be had.
    """
    unclear = set(a.ambiguous) | set(b.ambiguous)
    ids = tuple(name for name in a.lines if name in b.lines)
    only_a = tuple(name for name in a.lines if name not in b.lines and name not in unclear)
    only_b = tuple(name for name in b.lines if name not in a.lines and name not in unclear)
    golds = tuple(name for name in ids if _differ(a.lines[name].gt, b.lines[name].gt))
    questions = _questions(ids, asked(a), asked(b))
    return Pairs(ids, only_a, only_b, tuple(sorted(unclear)), golds, questions)


def _differ(first: Json, second: Json) -> bool:
    """Whether two golds are not the same; a bad row keeps none, which says nothing."""
    if first is None or second is None or first == second:
        return False
    return canonical_json(canonical(first)) != canonical_json(canonical(second))


def _questions(
    ids: Sequence[str], first: Mapping[str, str] | None, second: Mapping[str, str] | None
) -> tuple[str, ...]:
    if first is None or second is None:
        return ()
    return tuple(name for name in ids if name in first and name in second and first[name] != second[name])


def table_row(line: Line, config: Mapping[str, Any]) -> Row:
    """A row as an aggregate sees it."""
    fields = {name: _text(value) for name, value in line.group.items()}
    references = reference_texts(line.gt)
    subset = fields.get("subset") or config.get("subset")
    return Row(
        id=line.id,
        score=line.score,
        status=line.status,
        decided=line.decided_by is not None,
        label=line.extracted,
        gold=references[0] if references else None,
        subset=subset if isinstance(subset, str) else None,
        fields=fields,
        evidence=line.evidence,
        attempts=tuple(map(_attempt, line.predictions)),
    )


def _text(value: Json) -> str | tuple[str, ...] | None:
    return tuple(map(str, value)) if isinstance(value, list) else None if value is None else str(value)


def _attempt(told: Mapping[str, Any]) -> Attempt:
    return Attempt(told.get("score"), told.get("extracted"))
