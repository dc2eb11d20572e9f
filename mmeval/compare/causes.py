"""Where a difference comes from: the sum of per-row differences by what happened to the rows on each side.

The likely cause is the smallest thing that explains most of it: a status (failed, invalid, undecided), a
stage and reason that one side has and the other lacks, or a group. Nothing is claimed of less than half.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from mmeval.compare.rows import Line
from mmeval.reports.reasons import MISS

# The share of a difference from which on something is called its likely cause.
MOST = 0.5
# A group stands out where its share of the difference is so many times its share of the rows.
DENSER = 1.5
SHOWN = 8
# The reason of a row that is measured by boxes and whose reply has none that could be read.
NO_BOX = "no-box-read"


class Kind(NamedTuple):
    """What happened to a row: its status (`decided`, `undecided`, or one of the file's), stage and reason."""

    status: str
    stage: str | None
    reason: str

    def __str__(self) -> str:
        """`llm-match: judged` of a decided row, `undecided: two-options-found`, `llm_error: judge-failed`."""
        return f"{self.stage if self.status == 'decided' else self.status}: {self.reason}"


class Cause(msgspec.Struct, frozen=True):
    """One part of a difference.

    `kind` is `status`, `reading`, `group` or `question_type`; `side` the file (`a`, `b`) in which the rows
    are of this kind and in the other not, None for a group. `points` is what these rows add to the
    difference, in its unit; `share` the same over the whole difference (it may exceed 1, since other rows may
    point the other way), None where that is 0. `other` says what the rows are on the other side, most first.
    """

    kind: str
    name: str
    side: str | None
    rows: int
    points: float
    share: float | None
    other: dict[str, int] = {}
    ids: tuple[str, ...] = ()


class Move(msgspec.Struct, frozen=True):
    """Rows that were one thing in A and are another in B, and what they add to the difference."""

    a: str
    b: str
    rows: int
    better: int
    worse: int
    points: float


class Causes(msgspec.Struct, frozen=True):
    """A difference taken apart; `points` is what is taken apart, in the unit that `of` names."""

    of: str
    points: float
    moves: tuple[Move, ...]
    causes: tuple[Cause, ...]
    groups: tuple[Cause, ...]

    @property
    def likely(self) -> Cause | None:
        """The one part that explains most, if it explains half; a group only where nothing else does."""
        for pool in (self.causes, self.groups):
            if pool and (pool[0].share or 0.0) >= MOST:
                return pool[0]
        return None


class Pair(NamedTuple):
    """One sample on both sides and its difference B - A, in points of the whole."""

    a: Line
    b: Line
    points: float


class _Step(msgspec.Struct, frozen=True, gc=False):
    stage: str
    reason: str | None = None


_steps = msgspec.json.Decoder(list[_Step]).decode


def kind_of(line: Line) -> Kind:
    """What happened to a row.

    An answer that was read and is not the gold is one that was read, though the pipeline calls the row
    undecided: a rule that does not settle misses leaves it to later stages.
    """
    if line.status != "ok":
        return Kind(line.status, None, line.code)
    if line.decided_by is not None:
        return Kind("decided", line.decided_by, _boxes(line) or line.code)
    if line.code.endswith(MISS):
        stage = next((step.stage for step in _steps(line.trace) if step.reason == line.reason), None)
        return Kind("decided", stage, line.code.removesuffix(MISS))
    return Kind("undecided", None, line.code)


def _boxes(line: Line) -> str | None:
    """How the boxes of a row were read off its reply; None of rows that are not measured by boxes."""
    if line.reason is not None or not isinstance(line.evidence, dict):
        return None
    how = line.evidence.get("how")
    return None if how is None else NO_BOX if line.extracted is None else f"boxes-by-{how}"


def causes(pairs: Sequence[Pair], of: str) -> Causes:
    """Take a difference apart.

    Args:
        pairs: all joined samples with their differences.
        of: what the points are points of.
    """
    total = math.fsum(pair.points for pair in pairs)
    found = [*_sided(pairs, "a", total), *_sided(pairs, "b", total)]
    groups = _groups(pairs, total)
    return Causes(of, total, tuple(_moves(pairs)), tuple(_ranked(found)), tuple(_ranked(groups)))


def _ranked(found: Sequence[Cause]) -> list[Cause]:
    """The parts that point the way of the whole, the largest first; a kind of failure before a reading."""
    return sorted(found, key=lambda each: (-(each.share or 0.0), each.kind != "status", each.rows, each.name))


def _sided(pairs: Sequence[Pair], side: str, total: float) -> list[Cause]:
    """Kinds of rows that one side has where the other has another kind, if that side is the worse there.

    A way of reading counts only where that side has more of it than the other: rules that name what was
    answered (yes, no) change with the answers, to and fro.
    """
    pools: dict[Kind, list[tuple[Pair, Kind]]] = defaultdict(list)
    opposite: dict[Kind, int] = defaultdict(int)
    for pair in pairs:
        kinds = kind_of(pair.a), kind_of(pair.b)
        own, other = kinds if side == "a" else kinds[::-1]
        if own != other:
            pools[own].append((pair, other))
            opposite[other] += 1
    found = []
    for kind, members in pools.items():
        points = math.fsum(pair.points for pair, _ in members)
        if kind.status == "decided" and len(members) - opposite[kind] < MOST * len(members):
            continue
        if (points > 0) == (side == "a") and points:
            ids = tuple(pair.a.id for pair, _ in members if pair.points)
            word = "reading" if kind.status == "decided" else "status"
            others = _counted([str(other) for _, other in members])
            found.append(
                Cause(word, str(kind), side, len(members), points, _share(points, total), others, ids)
            )
    return found


def _share(points: float, total: float) -> float | None:
    return points / total if total else None


def _counted(names: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for name in names:
        counts[name] += 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _moves(pairs: Sequence[Pair]) -> list[Move]:
    """Every change of kind with what it adds, and what the same kind adds by other answers."""
    pools: dict[tuple[Kind, Kind], list[float]] = defaultdict(list)
    for pair in pairs:
        pools[kind_of(pair.a), kind_of(pair.b)].append(pair.points)
    moves = [
        Move(
            str(first),
            str(second),
            len(points),
            sum(each > 0 for each in points),
            sum(each < 0 for each in points),
            math.fsum(points),
        )
        for (first, second), points in pools.items()
    ]
    return sorted(moves, key=lambda move: (-abs(move.points), -move.rows, move.a, move.b))


def _groups(pairs: Sequence[Pair], total: float) -> list[Cause]:
    """Values of group fields, and question types, that hold more of the difference than of the rows."""
    found = []
    names = dict.fromkeys(name for pair in pairs for name in pair.a.group)
    readers: list[tuple[str, str, Callable[[Line], object]]] = [
        ("group", name, _field(name)) for name in names
    ]
    readers.append(("question_type", "question type", lambda line: line.question_type))
    for kind, name, read in readers:
        for value, members in _split(pairs, read).items():
            points = math.fsum(pair.points for pair in members)
            share, rows = _share(points, total), len(members)
            if share is not None and rows < len(pairs) and share >= DENSER * rows / len(pairs):
                ids = tuple(pair.a.id for pair in members if pair.points)
                found.append(Cause(kind, f"{name} = {value}", None, rows, points, share, {}, ids))
    return [each for each in found if len(each.ids) > 1]


def _field(name: str) -> Callable[[Line], object]:
    return lambda line: line.group.get(name)


def _split(pairs: Sequence[Pair], read: Callable[[Line], object]) -> Mapping[object, list[Pair]]:
    pools: dict[object, list[Pair]] = defaultdict(list)
    for pair in pairs:
        value = read(pair.a)
        if value is not None:
            pools[tuple(value) if isinstance(value, list) else _plain(value)].append(pair)
    return pools


def _plain(value: object) -> Hashable:
    return value if isinstance(value, Hashable) else str(value)


def statuses(pairs: Sequence[Pair]) -> dict[str, tuple[int, int]]:
    """How many rows are not decided, by what became of them, in A and in B; only what occurs."""
    counts: dict[str, list[int]] = {}
    for pair in pairs:
        for side, line in enumerate((pair.a, pair.b)):
            kind = kind_of(line)
            if kind.status != "decided":
                counts.setdefault(str(kind), [0, 0])[side] += 1
    return {name: (both[0], both[1]) for name, both in sorted(counts.items())}
