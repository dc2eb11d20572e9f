"""One decoded row to a Sample, or to a BadRow that says why it cannot be one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from mmeval.errors import ResultError
from mmeval.option_labels import read_options
from mmeval.questions import infer
from mmeval.readers.decoding import Columns, Flaw, damage, kind, sanitised, with_written_numbers
from mmeval.readers.texts import is_flat, prediction_texts, reference_texts
from mmeval.types import QUESTION_TYPES, Json, QuestionType, Sample

Block: TypeAlias = dict[str, Json]
RENDER = frozenset(("question", "options", "choices", "hint", "prompt", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


@dataclass(frozen=True)
class Fields:
    """Which fields carry gold, prediction and question type.

    By default the gold is the top-level `answer`, or `reference_response` where that is missing or blank, and
    the prediction is `messages[-1].response`. Any other prediction field is one of `messages[0]` where it is
    something a prompt is made of (`question`, `options`, `A` ...), else a top-level one.
    """

    gt: str | None = None
    pred: str | None = None
    question_type: QuestionType | None = None


class BadRow(msgspec.Struct, frozen=True):
    """A row that cannot be graded: a short code, the particulars, and what is known of it all the same."""

    id: str | int
    reason: str
    detail: str
    fields: dict[str, Json] = {}
    subset: str | None = None


class _Pair(NamedTuple):
    gold: Json
    prediction: Json


class RowReader:
    """Rows of one file to samples. Remembers whether any row has the fields that were asked for by name."""

    def __init__(self, path: Path, fields: Fields) -> None:
        self.path = path
        self.fields = fields
        self.unmet = {name for name in (fields.gt, fields.pred) if name is not None}

    def read(self, data: bytes, columns: Columns, name: str | int, flaw: Flaw | None) -> Sample | BadRow:
        """Read one row.

        Args:
            data: its bytes.
            columns: the same, decoded.
            name: its id.
            flaw: what is wrong with it beside its own bytes (a duplicate id).

        Raises:
            ResultError: the gold lies in `messages[0]`, as old inference code wrote it.
        """
        row = columns.values
        turn, last = _turns(row)
        subset, split = _place(row.get("dataset_meta"))
        pair = columns.flaw or flaw or self._pair(row, turn, last, name)
        if isinstance(pair, _Pair):
            pair = _unusable(pair, columns.sound) or pair
        if not columns.sound:
            row, turn = _sound(row), _sound(turn)
        if isinstance(pair, Flaw):
            return BadRow(name, pair.reason, pair.detail, _rest(row), subset)
        exact = self._exactly(data, pair, columns.sound)
        return self._sample(name, row, turn, (subset, split), (pair, exact))

    def _sample(
        self,
        name: str | int,
        row: Block,
        turn: Block,
        place: tuple[str | None, str | None],
        pairs: tuple[_Pair, _Pair],
    ) -> Sample:
        """The sample of a row; `pairs` are gold and prediction as decoded, then as written."""
        declared = self.fields.question_type or row.get("question_type")
        if declared not in QUESTION_TYPES:
            declared = None
        question = _question(turn)
        options = read_options(turn, question, declared is None or declared == "mcq")
        gold = pairs[0].gold
        return Sample(
            id=name,
            question=question,
            options=options,
            answer=gold,
            references=reference_texts(pairs[1].gold),
            predictions=prediction_texts(pairs[1].prediction),
            question_type=infer(gold, declared, options),
            subset=place[0],
            split=place[1],
            fields=_rest(row),
        )

    def _pair(self, row: Block, turn: Block, last: Block, name: str | int) -> _Pair | Flaw:
        gold = self._gold(row, turn, name)
        field = self.fields.pred
        if field is None:
            if "response" not in last:
                return Flaw("missing-prediction", "messages[-1] has no response")
            return _Pair(gold, last["response"])
        source = turn if field in RENDER else row
        if field not in source:
            return Flaw("missing-prediction", f"it has no field {field!r}")
        self.unmet.discard(field)
        return _Pair(gold, source[field])

    def _gold(self, row: Block, turn: Block, name: str | int) -> Json:
        field = self.fields.gt or "answer"
        gold = row.get(field)
        if field in row:
            self.unmet.discard(field)
        if self.fields.gt is None and (gold is None or (isinstance(gold, str) and not gold.strip())):
            other = row.get("reference_response")
            gold = gold if other is None else other
        if gold is None and field not in row and field in turn:
            raise ResultError(
                f"{self.path}: non-conforming result format: row {name} has {field!r} in messages[0], not at "
                "the top level; mmeval import FILE -o NEW moves it there"
            )
        return gold

    def _exactly(self, data: bytes, pair: _Pair, sound: bool) -> _Pair:
        """The pair with its numbers as written, where a float could have lost digits."""
        if not sound or not (_has_float(pair.gold) or _has_float(pair.prediction)):
            return pair
        row = with_written_numbers(data)
        turn, last = _turns(row)
        exact = self._pair(row, turn, last, "")
        return exact if isinstance(exact, _Pair) else pair


def _turns(row: Block) -> tuple[Block, Block]:
    """The first and the last message; empty where there is none or it is not an object."""
    messages = row.get("messages")
    if not isinstance(messages, list) or not messages:
        return {}, {}
    first, last = messages[0], messages[-1]
    return first if isinstance(first, dict) else {}, last if isinstance(last, dict) else {}


def _unusable(pair: _Pair, sound: bool) -> Flaw | None:
    if not sound and (found := damage(pair.prediction)):
        reason = "prediction-not-a-text" if found.reason == "not-a-number" else found.reason
        return Flaw(reason, f"prediction: {found.detail}")
    if not sound and (found := damage(pair.gold)):
        reason = "gold-not-usable" if found.reason == "not-a-number" else found.reason
        return Flaw(reason, f"gold: {found.detail}")
    if type(pair.prediction) is not str and not is_flat(pair.prediction):
        return Flaw("prediction-not-a-text", f"the prediction is or holds {_odd(pair.prediction)}")
    if isinstance(pair.gold, list) and None in pair.gold and is_flat(pair.gold):
        return Flaw("gold-not-usable", f"reference {pair.gold.index(None)} of the list is null")
    return None


def _odd(value: Json) -> str:
    if isinstance(value, list):
        return next((kind(item) for item in value if isinstance(item, list | dict)), "a list")
    return kind(value)


def _has_float(value: Json) -> bool:
    return type(value) is float or (type(value) is list and any(type(item) is float for item in value))


def _sound(block: Block) -> Block:
    clean = sanitised(block)
    return clean if isinstance(clean, dict) else {}


def _place(block: Json) -> tuple[str | None, str | None]:
    """Subset and split of a row, from its dataset_meta."""
    if not isinstance(block, dict):
        return None, None
    subset, split = block.get("subset"), block.get("split")
    return subset if isinstance(subset, str) else None, split if isinstance(split, str) else None


def _question(turn: Block) -> str:
    for name in ("question", "prompt"):
        value = turn.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _rest(row: Block) -> Block:
    """The dataset's own columns. Consumes the row."""
    for name in ("messages", "dataset_meta", "answer"):
        row.pop(name, None)
    return row
