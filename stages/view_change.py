"""The change between two views, as signed moves and turns on five axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from mmeval.errors import UsageError
from mmeval.fingerprint import canonical
from mmeval.numbers._spatial import mean_relative_accuracy
from mmeval.text.reasoning import final_part
from mmeval.types import Case, Invalid, Outcome, Score

Moves: TypeAlias = dict[str, float]
_AXES = (
    ("move_right", "move_left"),
    ("move_up", "move_down"),
    ("move_forward", "move_backward"),
    ("rotate_right", "rotate_left"),
    ("rotate_up", "rotate_down"),
)
_CHOICES = {
    "normalise_by": ("gold", "prediction"),
    "items": ("forgiving", "strict"),
    "unread": ("no-change", "wrong"),
    "reasoning": ("strip", "keep"),
}


@dataclass(frozen=True)
class ViewChange:
    """How close the described change of view comes to the gold, on five signed axes; always decides.

    Formula: the mean over five axes (right - left, up - down, forward - backward of the moves, right - left,
    up - down of the turns) of mean relative accuracy: the share of ten tolerances 0.5 .. 0.05 that hold
    |p - g| / |d|, or |p - g| where d is 0. d is the gold (`normalise_by: gold`) or the prediction
    (`normalise_by: prediction`). A name that is missing is 0. Unit: share, a multiple of 0.02 in 0..1. With
    several references the best counts.

    Reply and gold are items `name:value` set apart by commas. `items: forgiving` trims names and passes over
    what is no such item; `items: strict` takes names as they stand, and one bad item makes the reply wrong.

    Sources: `gold` and `forgiving` are VLMEvalKit vlmeval/dataset/sparbench.py @ e8e78f05f308
    (`_compute_vci_metric`), where a reply without any item says "no change" and scores on every axis whose
    gold is near 0 (`unread: no-change`; `unread: wrong` scores it 0). `prediction` and `strict` are the
    authors' fudan-zvg/spar lmms-eval/lmms_eval/tasks/sparbench_tiny/utils.py @ 167988589c2d
    (`compute_vci_metric`), which hands over its arguments swapped. arXiv:2503.22976.

    A gold without a readable item is no gold here (`unparsable-gold`); upstream reads it as "no change".
    `reasoning: strip` reads only what follows the reasoning, which both officials keep.
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True

    normalise_by: Literal["gold", "prediction"] = "gold"
    items: Literal["forgiving", "strict"] = "forgiving"
    unread: Literal["no-change", "wrong"] = "no-change"
    reasoning: Literal["strip", "keep"] = "strip"

    def __post_init__(self) -> None:
        """Refuse unknown names with the known ones."""
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise UsageError(f"{name} is {getattr(self, name)!r}; choose one of {', '.join(known)}")

    def __call__(self, case: Case) -> Outcome:
        """Score one prediction against the gold."""
        references = case.sample.references
        if not any(map(str.strip, references)):
            return Invalid("blank-reference")
        read = _READERS[self.items]
        golds = [gold for gold in map(read, references) if gold]
        if not golds:
            return Invalid("unparsable-gold")
        moves = read(self._answer(case.prediction))
        if moves is None:
            return Score(0.0, None, None, "item-without-a-value")
        if not moves and self.unread == "wrong":
            return Score(0.0, None, None, "no-item-found")
        best = max(self._score(_signed(moves), _signed(gold)) for gold in golds)
        return Score(best, _text(moves), None, "read" if moves else "read-as-no-change")

    def _answer(self, text: str) -> str:
        part = final_part(text) if self.reasoning == "strip" else None
        return text if part is None or part.kind == "plain" else text[part.start : part.end]

    def _score(self, moved: tuple[float, ...], gold: tuple[float, ...]) -> float:
        pairs = zip(moved, gold, strict=True)
        if self.normalise_by == "prediction":
            pairs = zip(gold, moved, strict=True)
        # Tenths are counted as whole numbers, so that the mean is the nearest double.
        return sum(round(10 * mean_relative_accuracy(*pair)) for pair in pairs) / 50


def _forgiving(text: str) -> Moves | None:
    """Every readable item; the last of a name counts."""
    moves: Moves = {}
    for item in text.split(","):
        name, colon, value = item.partition(":")
        number = _number(value) if colon else None
        if number is not None:
            moves[name.strip()] = number
    return moves


def _strict(text: str) -> Moves | None:
    """Every item, or None where one of them is none."""
    moves: Moves = {}
    for item in text.split(","):
        name, *values = item.split(":")
        number = _number(values[0]) if len(values) == 1 else None
        if number is None:
            return None
        moves[name] = number
    return moves


_READERS: dict[str, Callable[[str], Moves | None]] = {"forgiving": _forgiving, "strict": _strict}


def _signed(moves: Moves) -> tuple[float, ...]:
    """The five axes: one direction less its opposite."""
    return tuple(moves.get(plus, 0.0) - moves.get(minus, 0.0) for plus, minus in _AXES)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _text(moves: Moves) -> str | None:
    """The five axes as they were read."""
    if not moves:
        return None
    names = (plus for plus, _ in _AXES)
    return ",".join(f"{name}:{canonical(value)}" for name, value in zip(names, _signed(moves), strict=True))
