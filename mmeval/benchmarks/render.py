"""One row of benchmark data to samples in the layout of `result.json`, without an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import ascii_uppercase
from typing import NamedTuple

from mmeval.benchmarks.records import Cell, Record, as_json, embedded
from mmeval.option_labels import read_options
from mmeval.readers.identity import row_name
from mmeval.types import Json

# Columns that hold pictures or other media, or say where they lie.
_MEDIA = re.compile(r"(?:decoded_)?(?:image|img|media|video|audio)s?(?:_(?:path|url|file)s?)?(?:_?\d+)?")
_TURN = ("question", "hint", "prompt")
_OPTIONS = ("options", "choices")
_PAIRS = ("questions", "answers")


class Rendered(NamedTuple):
    """A sample, and the cells that hold its media: column name to cell, in the order of the columns."""

    sample: dict[str, Json]
    media: dict[str, Cell]


def rendered(record: Record, position: int, meta: Mapping[str, Json]) -> Iterator[Rendered]:
    """The samples of a row: one, or one per question where the row has `questions` and `answers` as lists.

    The prompt's inputs go into the user's turn, every other column stays flat at the top. `eval-id` is the
    row's `eval-id`, `index` or `id`, else its position; of several questions `<id>-<number>`, from 0.
    """
    media = {name: cell for name, cell in record.items() if is_media(name, cell)}
    flat = _flat({name: as_json(cell) for name, cell in record.items() if name not in media})
    name = _name(flat, position)
    pairs = _pairs(flat)
    if pairs is None:
        yield Rendered(_sample(flat, name, meta), media)
        return
    rest = {key: value for key, value in flat.items() if key not in _PAIRS}
    for number, (question, answer) in enumerate(pairs):
        one = {**rest, "question": question, "answer": answer}
        yield Rendered(_sample(one, f"{name}-{number}", meta), media)


def is_media(name: str, cell: Cell) -> bool:
    """Whether a cell is a picture or tells where one is: by its column's name, or by bytes in it."""
    if isinstance(cell, dict) and cell.keys() == {"bytes", "path"}:
        return True
    if isinstance(cell, bool):
        return False
    return isinstance(cell, bytes) or _MEDIA.fullmatch(name.lower()) is not None


def _flat(columns: dict[str, Json]) -> dict[str, Json]:
    """Columns but for those that a sample makes itself; of samples as data, with their user's turn."""
    messages = columns.pop("messages", None)
    columns.pop("dataset_meta", None)
    turn = messages[0] if isinstance(messages, list) and messages else None
    if isinstance(turn, dict):
        columns = {**{key: value for key, value in turn.items() if key != "role"}, **columns}
    return columns


def _name(flat: Mapping[str, Json], position: int) -> str | int:
    for key in ("eval-id", "index", "id"):
        name = row_name({"id": flat.get(key)})
        if name is not None:
            return name
    return position


def _pairs(flat: Mapping[str, Json]) -> list[tuple[Json, Json]] | None:
    """The questions of a row that has several, each with its gold."""
    questions, answers = (flat.get(key) for key in _PAIRS)
    if not isinstance(questions, list) or not isinstance(answers, list) or "question" in flat:
        return None
    return list(zip(questions, answers, strict=True)) if len(questions) == len(answers) else None


def _sample(flat: Mapping[str, Json], name: str | int, meta: Mapping[str, Json]) -> dict[str, Json]:
    turn, used = _turn(flat)
    sample: dict[str, Json] = {"eval-id": name, "messages": [turn]}
    if "answer" in flat:
        sample["answer"] = flat["answer"]
    sample.update({key: value for key, value in flat.items() if key not in used and key != "eval-id"})
    sample["dataset_meta"] = dict(meta)
    return sample


def _turn(flat: Mapping[str, Json]) -> tuple[dict[str, Json], frozenset[str]]:
    """The user's turn, and the columns that went into it. Options become one mapping of label to text."""
    turn: dict[str, Json] = {"role": "user"}
    turn.update({key: flat[key] for key in _TURN if flat.get(key) is not None})
    offered = {key: _offered(flat[key]) for key in _OPTIONS if flat.get(key)}
    letters = {key: flat[key] for key in ascii_uppercase if flat.get(key) is not None}
    letters = letters if "A" in letters else {}
    question = turn.get("question", turn.get("prompt"))
    scan = flat.get("question_type", "mcq") == "mcq"
    # A mapping, for columns by themselves end at the first gap, and at H.
    given = {**offered, **letters} if offered or not letters else {"options": _filled(letters)}
    options = read_options(given, question if isinstance(question, str) else "", scan)
    if options.texts:
        turn["options"] = dict(zip(options.labels, options.texts, strict=True))
    else:
        turn.update(offered)
    return turn, frozenset((*_TURN, *offered, *letters))


def _filled(letters: Mapping[str, Json]) -> dict[str, Json]:
    return {letter: text for letter, text in letters.items() if not isinstance(text, str) or text.strip()}


def _offered(value: Json) -> Json:
    return embedded(value) if isinstance(value, str) else value
