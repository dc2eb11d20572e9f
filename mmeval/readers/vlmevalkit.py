"""Prediction and verdict files of VLMEvalKit: one table a model and dataset, and beside it what a judge said.

Source of the layout: open-compass/VLMEvalKit `vlmeval/smp/file.py`, `vlmeval/inference.py`,
`vlmeval/smp/status_report.py` @ e8e78f0. A prediction file has the columns of the dataset but for `image`,
and `prediction`; `<predictions>_<judge>...` repeats it with verdict columns, which differ by family.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from mmeval import library
from mmeval.benchmarks.delimited import columns_shown
from mmeval.benchmarks.records import embedded
from mmeval.benchmarks.render import rendered
from mmeval.errors import ResultError, UsageError
from mmeval.readers.alike import same_answer, same_text
from mmeval.readers.decoding import Flaw
from mmeval.readers.foreign import OWN, RECORDED, Choice, Foreign, Left, flat, part, verdict
from mmeval.readers.glimpse import glimpse
from mmeval.readers.predictions import INDEX, PREDICTION, Predictions, Value, open_predictions
from mmeval.readers.statuses import Named, is_damaged, named, told
from mmeval.readers.tasks import identity, is_known
from mmeval.readers.texts import scalar_text
from mmeval.text.counted import many
from mmeval.types import Json

BY = "vlmevalkit"
ANSWER = "answer"
_QUESTION = "question"
# What stands in place of an answer that could not be had; its own protocols score it as wrong.
FAILED = "Failed to obtain answer"
SUFFIXES = (".xlsx", ".tsv", ".csv", ".json")
# Verdict columns, by the column that tells the family: the number, and where the reading stands.
_SCORES = ("hit", "verifier_score", "eval_score", "score")
_READINGS = ("extracted", "extract", "eval_pred", "res")
_JUDGED = frozenset(
    (*_SCORES, *_READINGS, "log", "GT", "eval_gt", "eval_match", "log_extract", "log_score", "verifier_match")
)
# `score` and `log` may be a dataset's own columns: beside one of these they are a verdict.
_SURE = frozenset(("hit", "verifier_score", "eval_score", "extracted", "log_extract", "log_score", "res"))


class Verdicts(NamedTuple):
    """The verdict columns of a file: by row's name, and which of them the number and the reading are."""

    table: Predictions
    score: str | None
    reading: str | None


def read(path: Path, choice: Choice) -> Foreign:
    """Read a file of predictions, with the verdicts in it or beside it.

    Raises:
        ResultError: it cannot be read, or holds no golds.
        UsageError: a filter or metric was chosen, of which there are none.
    """
    if choice.filter is not None or choice.metric is not None:
        raise UsageError(
            f"--filter and --metric: {path.name} is of VLMEvalKit, and has one verdict a row; leave them out"
        )
    table = open_predictions(path)
    if ANSWER not in table.columns:
        raise ResultError(
            f"{path}: holds predictions without golds (no column {ANSWER!r}; its columns are "
            f"{columns_shown(table.columns)}); name the benchmark's table with --data"
        )
    table.column(PREDICTION)
    left = Left()
    found, other = _verdicts(path, table, left)
    name = named(path)
    rows, flaws = _rows(table, found, name, left)
    parts = [part(path, len(table.rows), table.sha256)]
    if found is not None and found.table is not table:
        parts.append(part(found.table.path, len(found.table.rows), found.table.sha256))
    return Foreign(
        BY,
        rows,
        tuple(parts),
        (
            *table.warnings,
            *_names_warning(name),
            *other,
            *_unread(path),
            *_spreadsheet(table),
            *left.sentences,
        ),
        flaws,
        told(name),
    )


def is_verdicts(names: frozenset[str]) -> bool:
    """Whether a file with these columns holds verdicts."""
    return bool(names & _SURE) or {"score", "log"} <= names


def companions(path: Path) -> list[Path]:
    """The verdict files that belong to a file of predictions: beside it, its name and more."""
    there = {each: glimpse(each).names for each in _beside(path)}
    tables = {each: is_verdicts(names) for each, names in there.items() if {INDEX, PREDICTION} <= names}
    fronts = [path, *(each for each, judged in tables.items() if not judged)]
    return [each for each, judged in tables.items() if judged and front_of(each, fronts) == path]


def front_of(path: Path, fronts: Iterable[Path]) -> Path | None:
    """The file of predictions whose verdicts a file holds: of those whose name it goes on, the longest.

    `m_MMBench_V11_gpt_result` goes on with `m_MMBench` too, and is of another dataset: none, if the library
    knows the longer name as that of a dataset.
    """
    longest = sorted((each for each in fronts if each != path), key=lambda each: -len(each.stem))
    found = next((each for each in longest if path.stem.startswith(f"{each.stem}_")), None)
    if found is None:
        return None
    mine, its = named(found).dataset, named(path).dataset
    other = mine is not None and its is not None and its.startswith(f"{mine}_") and is_known(its)
    return None if other else found


def _beside(path: Path) -> list[Path]:
    front = f"{path.stem}_"
    return [
        each
        for each in sorted(path.parent.iterdir())
        if each.name.startswith(front) and each.suffix.lower() in SUFFIXES and each.is_file()
    ]


def _unread(path: Path) -> tuple[str, ...]:
    """What is said of damaged files that may hold the verdicts of this one, or say which ones count."""
    lost = [each.name for each in _beside(path) if glimpse(each).kind == "damaged"]
    said = [f"{', '.join(lost)} beside it cannot be read: no verdict of it was recorded"] if lost else []
    if is_damaged(path.parent):
        said.append(
            "status.json beside it cannot be read: dataset and model are from names, the judge unknown"
        )
    return tuple(said)


def _verdicts(path: Path, table: Predictions, left: Left) -> tuple[Verdicts | None, tuple[str, ...]]:
    """The verdicts that count, and what is to be said of the choice."""
    if is_verdicts(frozenset(table.columns)):
        return _of(table), ()
    there = companions(path)
    if not there:
        return None, ()
    judge = named(path).judge
    if len(there) > 1 and judge:
        there = [each for each in there if judge in each.stem[len(path.stem) :]] or there
    if len(there) > 1:
        shown = ", ".join(each.name for each in there)
        return None, (
            f"several files of verdicts lie beside {path.name} ({shown}) and nothing says which one counts: "
            "none was recorded; import the one you mean",
        )
    found = _of(open_predictions(there[0]))
    missing = len(set(table.names) - set(found.table.names))
    if missing:
        left.whole(f"{many(missing, 'prediction has', 'predictions have')} no verdict in {there[0].name}")
    return found, ()


def _of(table: Predictions) -> Verdicts:
    score = next((name for name in _SCORES if name in table.columns), None)
    reading = next((name for name in _READINGS if name in table.columns), None)
    return Verdicts(table, score, reading)


def _rows(
    table: Predictions, found: Verdicts | None, name: Named, left: Left
) -> tuple[list[dict[str, Json]], dict[int, Flaw]]:
    recorded = {} if found is None else _recorded(found)
    others = set() if found is None or found.table is table else _of_others(table, found.table)
    own = _JUDGED & set(table.columns) if found is not None and found.table is table else frozenset()
    make = _Maker(table, name, left, frozenset((*own, "image")))
    rows: list[dict[str, Json]] = []
    flaws: dict[int, Flaw] = {}
    for number, cells in enumerate(table.rows):
        values = dict(zip(table.columns, cells, strict=True))
        flaw = _flaw(values)
        if flaw is not None:
            flaws[number] = flaw
        row = make.row(values, number)
        called = table.names[number]
        if called in recorded and called in others:
            left.note("the verdict beside it is of another question or answer, and was not recorded", called)
        elif called in recorded:
            row[RECORDED] = recorded[called]
        rows.append(row)
    unread = own - {found.score, found.reading} if found is not None else own
    if unread:
        left.whole(f"columns {', '.join(sorted(unread))} of the verdicts were not carried")
    return rows, flaws


def _of_others(table: Predictions, judged: Predictions) -> set[str | None]:
    """Rows that the file of verdicts holds under the same name, and that are not the same there."""
    shared = [name for name in (_QUESTION, ANSWER) if name in judged.columns and name in table.columns]
    pairs = [(table.column(name), judged.column(name)) for name in shared]
    answer, its = table.column(PREDICTION), judged.column(PREDICTION)
    theirs = dict(zip(judged.names, judged.rows, strict=True))
    return {
        name
        for name, cells in zip(table.names, table.rows, strict=True)
        if (judged_row := theirs.get(name)) is not None
        and not (
            same_answer(cells[answer], judged_row[its])
            and all(same_text(cells[our], judged_row[their]) for our, their in pairs)
        )
    }


def _recorded(found: Verdicts) -> dict[str | None, Json]:
    """The verdict on each row, by its name; names that occur twice have none."""
    table = found.table
    score = None if found.score is None else table.column(found.score)
    reading = None if found.reading is None else table.column(found.reading)
    repeated = table.repeated
    return {
        name: verdict(
            BY,
            found.score,
            None if score is None else _plain(cells[score]),
            None if reading is None else _plain(cells[reading]),
        )
        for name, cells in zip(table.names, table.rows, strict=True)
        if name is not None and name not in repeated
    }


def _flaw(values: Mapping[str, Value]) -> Flaw | None:
    """What is wrong with prediction or gold."""
    prediction, gold = values[PREDICTION], values[ANSWER]
    if isinstance(prediction, Flaw):
        return prediction
    return Flaw("gold-not-usable", f"gold: {gold.detail}") if isinstance(gold, Flaw) else None


def _plain(value: Value) -> Json:
    return None if isinstance(value, Flaw) else value


class _Maker:
    """Rows of one file in our layout."""

    def __init__(self, table: Predictions, name: Named, left: Left, dropped: frozenset[str]) -> None:
        self._table = table
        self._meta = identity(name.dataset)
        self._left = left
        self._dropped = dropped
        declared = library.data_file(name.dataset) if name.dataset else None
        self._lists = frozenset(declared.lists if declared else ())
        self._whole = all(each is None or (each.isdecimal() and len(each) < 19) for each in table.names)

    def row(self, values: Mapping[str, Value], number: int) -> dict[str, Json]:
        """One sample."""
        cells = {name: self._cell(name, value, number) for name, value in values.items()}
        prediction = cells.pop(PREDICTION)
        called = self._table.names[number]
        record = {
            name: value
            for name, value in cells.items()
            if name not in self._dropped and not (len(name) == 1 and name.isupper() and value is None)
        }
        columns = {name: record.pop(name) for name in OWN if name in record and name != ANSWER}
        record["eval-id"] = f"row-{number}" if called is None else int(called) if self._whole else called
        sample, media = next(rendered(record, number, self._meta))
        if not self._meta:
            del sample["dataset_meta"]
        turns = sample["messages"]
        assert isinstance(turns, list)
        turns.append({"role": "assistant", "response": prediction})
        flat(sample, columns, "source_")
        places = [place for cell in media.values() if cell for place in _places(cell)]
        if places:
            sample["media"] = places
        if isinstance(prediction, str) and FAILED in prediction:
            self._left.note(
                f"the answer is VLMEvalKit's mark of a failed inference ({FAILED!r}); its text stays, and is "
                "an answer, and wrong, there and here",
                sample["eval-id"],
            )
        return sample

    def _cell(self, name: str, value: Value, number: int) -> Json:
        """A cell as JSON; what cannot be trusted is null, and named where it is no prediction or gold."""
        if isinstance(value, Flaw):
            self._left.note(f"{name} is not carried: {value.detail}", self._table.names[number] or number)
            return None
        if name in self._lists and isinstance(value, str):
            return embedded(value)
        if name == PREDICTION and isinstance(value, bool | int | float):
            return scalar_text(value)
        return value


def _places(cell: Json) -> list[Json]:
    """The paths in a cell of `image_path`: one, or a list that is written as text."""
    value = embedded(cell) if isinstance(cell, str) else cell
    return value if isinstance(value, list) else [value]


def _names_warning(name: Named) -> tuple[str, ...]:
    if name.dataset is not None:
        return ()
    return ("neither status.json nor the name says which dataset this is; name its protocol with --protocol",)


def _spreadsheet(table: Predictions) -> tuple[str, ...]:
    """What spreadsheets and tables do to answers without a trace."""
    column = table.column(PREDICTION)
    empty = sum(cells[column] is None for cells in table.rows)
    said = []
    if empty and table.form == "xlsx":
        said.append(
            f"{many(empty, 'cell', 'cells')} of {PREDICTION!r} without a text: an empty answer looks so in a "
            "spreadsheet, and so does an address of more than 2,079 characters, which its writer drops; they "
            "are missing"
        )
    golds = [cells[table.column(ANSWER)] for cells in table.rows]
    texts = [gold for gold in golds if isinstance(gold, str)]
    if texts and len(texts) < len(golds) and all(text.endswith(".0") for text in texts):
        said.append(
            f"every {ANSWER!r} ends in .0 and some are empty: tables write whole numbers so if one is empty"
        )
    return tuple(said)
