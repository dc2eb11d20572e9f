"""Details of lighteval: one parquet file a task, one row a document.

Source of the layout: huggingface/lighteval `src/lighteval/logging/info_loggers.py`, `tasks/requests.py`,
`models/model_output.py` @ 3fd1526 (columns `doc`, `model_response`, `metric`), and @ ed08481 (`full_prompt`,
`predictions`, `choices`, `gold_index`, `metrics`), as it was until spring 2025.
"""

from __future__ import annotations

import re
from pathlib import Path

from mmeval.benchmarks.records import as_json, embedded, records
from mmeval.errors import ResultError, UsageError
from mmeval.readers.foreign import (
    RECORDED,
    Choice,
    Foreign,
    Left,
    chosen,
    flat,
    part,
    sha256_of,
    verdict,
)
from mmeval.readers.tasks import dataset_name, identity
from mmeval.types import Json

BY = "lighteval"
_NAME = re.compile(r"details_(?P<task>.+?)_\d{4}-\d\d-\d\dT[\d.:-]+")


def read(path: Path, choice: Choice) -> Foreign:
    """Read the details of one task.

    Raises:
        ResultError: it cannot be read, or nothing was answered in words.
        UsageError: the metric that was chosen is not in it, or pyarrow is not installed.
    """
    if choice.filter is not None:
        raise UsageError(f"--filter {choice.filter}: lighteval has none; --metric names a metric")
    # Columns that hold bytes (pictures in the documents) are not read.
    details = [_detail(record) for record in records(path, pictures=False)]
    if not details:
        raise ResultError(f"{path}: holds no rows; was the run finished?")
    if not any(detail["answers"] for detail in details):
        raise ResultError(
            f"{path}: holds log-likelihoods of the choices and no answer; there is no text to score"
        )
    left = Left()
    metric, said = chosen("metric", choice.metric, _metrics(details), path)
    task = _task(path, details)
    meta = identity(dataset_name([task]))
    rows = [_row(detail, position, metric, meta, left) for position, detail in enumerate(details)]
    left.whole("tokens, logits, reasonings and pictures were not carried")
    about: dict[str, Json] = {"task": task, "model": _model(path), "metric": metric}
    return Foreign(BY, rows, (part(path, len(rows), sha256_of(path)),), (*said, *left.sentences), {}, about)


def _detail(record: dict[str, Json]) -> dict[str, Json]:
    """The parts of a row that are needed, from either layout."""
    if "doc" in record:
        doc, response, metric = (_object(record.get(key)) for key in ("doc", "model_response", "metric"))
        return {
            "name": doc.get("id"),
            "task": doc.get("task_name"),
            "question": doc.get("query"),
            "choices": doc.get("choices"),
            "gold": doc.get("gold_index"),
            "answers": _list(response.get("text")),
            "read": response.get("text_post_processed"),
            "metrics": metric,
            "columns": _object(doc.get("specific")),
        }
    return {
        "name": None,
        "task": None,
        "question": record.get("example") or record.get("full_prompt"),
        "choices": as_json(record.get("choices")) or as_json(record.get("gold")),
        "gold": as_json(record.get("gold_index")) or list(range(len(_list(as_json(record.get("gold")))))),
        "answers": _list(as_json(record.get("predictions"))),
        "read": None,
        "metrics": _object(record.get("metrics")),
        "columns": _object(record.get("specifics")),
    }


def _object(cell: Json) -> dict[str, Json]:
    """A structure, or its JSON; the library writes structures whose keys differ between rows with nulls."""
    value = embedded(cell) if isinstance(cell, str) else as_json(cell)
    return {key: each for key, each in value.items() if each is not None} if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _task(path: Path, details: list[dict[str, Json]]) -> str | None:
    """The task as the documents name it (`community|pets|0`), else as the file does."""
    named = details[0]["task"]
    if isinstance(named, str) and named:
        return named
    found = _NAME.fullmatch(path.stem)
    return found["task"] if found else None


def _model(path: Path) -> str | None:
    """The folders between `details` and the time: organisation and name."""
    pieces = path.absolute().parts
    if "details" not in pieces[:-2]:
        return None
    begin = len(pieces) - 1 - pieces[::-1].index("details")
    return "/".join(pieces[begin + 1 : -2]) or None


def _metrics(details: list[dict[str, Json]]) -> list[str]:
    return list(dict.fromkeys(name for detail in details for name in _object(detail["metrics"])))


def _row(
    detail: dict[str, Json], position: int, metric: str | None, meta: dict[str, Json], left: Left
) -> dict[str, Json]:
    name = detail["name"]
    answers = _list(detail["answers"])
    golds, options = _golds(detail)
    turn: dict[str, Json] = {"role": "user", "question": detail["question"] or ""}
    if options:
        turn["choices"] = options
    response = answers[0] if len(answers) == 1 else answers or None
    row: dict[str, Json] = {"eval-id": name if isinstance(name, str) and name else position}
    row["messages"] = [turn, {"role": "assistant", "response": response}]
    row["answer"] = golds[0] if len(golds) == 1 else golds
    if meta:
        row["dataset_meta"] = dict(meta)
    flat(row, _object(detail["columns"]), "specific_")
    metrics = _object(detail["metrics"])
    if metric is not None and metric in metrics:
        if isinstance(metrics[metric], list | dict):
            left.note(f"the metric {metric} is a structure: no score recorded")
        read = _list(detail["read"])
        row[RECORDED] = verdict(BY, metric, metrics[metric], read[0] if read else None)
    return row


def _golds(detail: dict[str, Json]) -> tuple[list[Json], list[Json]]:
    """Golds and options: where every choice is a gold they are references and no options."""
    choices = [each.strip() if isinstance(each, str) else each for each in _list(detail["choices"])]
    places = [each for each in _list(detail["gold"]) if isinstance(each, int) and 0 <= each < len(choices)]
    golds = [choices[place] for place in places]
    return golds, choices if len(set(places)) < len(choices) else []
