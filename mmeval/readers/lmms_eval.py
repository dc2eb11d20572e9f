"""Samples of lmms-eval and lm-eval: one line per document (in lm-eval per filter too), the task in the name.

Sources: EvolvingLMMs-Lab/lmms-eval `lmms_eval/loggers/evaluation_tracker.py` (0.7.3);
EleutherAI/lm-evaluation-harness `lm_eval/loggers/evaluation_tracker.py`, `result_schema.py` @ 4e7e0d4. All
filters read the same answer: they are one run, and which filter's verdict is recorded is the user's choice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from mmeval.benchmarks.records import embedded
from mmeval.benchmarks.render import rendered
from mmeval.errors import ResultError
from mmeval.readers.chat import asked
from mmeval.readers.decoding import Flaw
from mmeval.readers.foreign import (
    RECORDED,
    Choice,
    Foreign,
    Left,
    Record,
    chosen,
    flat,
    number,
    part,
    records,
    verdict,
)
from mmeval.readers.layout import load
from mmeval.readers.tasks import dataset_name, identity
from mmeval.types import Json

_TASK = re.compile(
    r"samples_(?P<lm>.+)_\d{4}-\d\d-\d\dT[\d.:-]+|\d{8}_\d{6}_samples_(?P<lmms>.+)|[\dT_.:-]+_samples_(?P<other>.+)"
)
_LARGEST = 256 * 1024 * 1024
# What is no metric and no column of the document.
_FIXED = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "input",
        "token_counts",
        "input_media",
    ]
)
_SCORE = "score"
# What in the object of a metric is of the answer or its grading, and no column of the document.
_JUDGED = re.compile(
    r"(?i)score|^acc|correct|pred|parsed|extract|response|reply|ground_?truth|^gt$|review|judge|eval_|^content$"
)
_DROPPED = ("arguments", "doc_hash", "prompt_hash", "target_hash", "token_counts")


class _Results(msgspec.Struct):
    model_name: str | None = None
    model_source: str | None = None
    versions: dict[str, msgspec.Raw] = {}


def read_lm(path: Path, choice: Choice) -> Foreign:
    """Read lm-eval's samples of one task; see `_read`."""
    return _read(path, choice, "lm-eval")


def read_lmms(path: Path, choice: Choice) -> Foreign:
    """Read lmms-eval's samples of one task; early lm-eval wrote such lines too, under its own names."""
    return _read(path, choice, "lm-eval" if path.name.startswith("samples_") else "lmms-eval")


def _read(path: Path, choice: Choice, by: str) -> Foreign:
    """Read the samples of one task.

    Raises:
        ResultError: it cannot be read, or holds log-likelihoods and no answers.
        UsageError: the filter or metric that was chosen is not in it.
    """
    loaded = load(path)
    documents = _documents(records(loaded))
    left = Left()
    task, about = _about(path)
    filters = _filters(documents)
    picked, said = chosen("filter", choice.filter, filters, path)
    lines = [_line(each, picked if len(filters) > 1 else None) for each in documents]
    metrics = _metrics(lines)
    alone = choice.metric is None and _one_each(lines, metrics)
    metric, more = (None, ()) if alone else chosen("metric", choice.metric, metrics, path)
    said += more
    recording = len(filters) <= 1 or picked is not None
    rows, flaws = [], {}
    meta = identity(dataset_name([task]))
    for position, line in enumerate(lines):
        row, flaw = _row(path, line, meta, left, position)
        flat(row, _told(line.values, metrics), "doc_")
        its = metric or (next(name for name in metrics if name in line.values) if alone else None)
        if recording and its is not None and its in line.values:
            row[RECORDED] = _verdict(by, its, line.values, left)
        if flaw is not None:
            flaws[position] = flaw
        rows.append(row)
    if task is None:
        said += ("its name says no task; name the protocol with --protocol",)
    dropped = [name for name in _DROPPED if any(name in line.values for line in lines)]
    if dropped:
        left.whole(f"not carried: {', '.join(dropped)}")
    return Foreign(
        by,
        rows,
        (part(path, len(loaded.rows), loaded.sha256),),
        (*said, *left.sentences),
        flaws,
        {"task": task, **about, **({"filter": picked} if picked else {}), "metric": metric},
    )


def _documents(lines: Iterable[Record]) -> list[list[Record]]:
    """The lines by document, in order of appearance. Two lines of one document and filter are two rows."""
    found: dict[str, list[Record]] = {}
    for position, line in enumerate(lines):
        name = line.values.get("doc_id")
        key = f"{name!r}" if name is not None else f"row {position}"
        if key in found and any(
            line.values.get("filter") == each.values.get("filter") for each in found[key]
        ):
            key = f"{key} again {position}"
        found.setdefault(key, []).append(line)
    return list(found.values())


def _filters(documents: list[list[Record]]) -> list[str]:
    names = (line.values.get("filter") for lines in documents for line in lines)
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def _metrics(lines: list[Record]) -> list[str]:
    """The metrics of the lines, those first that the lines themselves declare to be some."""
    found: dict[str, None] = {}
    for line in lines:
        declared = line.values.get("metrics")
        names = declared if isinstance(declared, list) else [n for n in line.values if n not in _FIXED]
        found.update(dict.fromkeys(name for name in names if isinstance(name, str)))
    return list(found)


def _one_each(lines: list[Record], metrics: list[str]) -> bool:
    """Whether the metrics share the rows out among them, as those of MME do: nothing is to be chosen."""
    return len(metrics) > 1 and all(sum(name in line.values for name in metrics) == 1 for line in lines)


def _told(values: dict[str, Json], metrics: list[str]) -> dict[str, Json]:
    """What the objects of metrics repeat of the document: lmms-eval keeps its columns nowhere else.

    Texts and numbers on which the objects agree, but for what they say of the answer.
    """
    found: dict[str, Json] = {}
    unlike: set[str] = set()
    for metric in metrics:
        told = values.get(metric)
        for name, value in told.items() if isinstance(told, dict) else ():
            if isinstance(value, str | int | float) and not _JUDGED.search(name):
                unlike.update([name] if found.setdefault(name, value) != value else [])
    known = values.get("doc")
    columns = known if isinstance(known, dict) else {}
    return {name: found[name] for name in found if name not in unlike and name not in columns}


def _line(lines: list[Record], filter_: str | None) -> Record:
    if filter_ is None:
        return lines[0]
    return next((line for line in lines if line.values.get("filter") == filter_), lines[0])


def _row(
    path: Path, line: Record, meta: dict[str, Json], left: Left, position: int
) -> tuple[dict[str, Json], Flaw | None]:
    values = line.values
    response, flaw = _response(values)
    if flaw is not None and flaw.reason == "log-likelihoods":
        raise ResultError(
            f"{path}: row {position}: holds log-likelihoods of the choices and no answer; there is no text "
            "to score, and its own numbers stand in the results file beside it"
        )
    document = values.get("doc")
    columns = dict(document) if isinstance(document, dict) else {}
    name = values.get("doc_id")
    sample: dict[str, Json] = {"eval-id": name if isinstance(name, int | str) else position}
    sample["messages"] = [_turn(values, columns), {"role": "assistant", "response": response}]
    sample["answer"] = _target(values.get("target"))
    if meta:
        sample["dataset_meta"] = dict(meta)
    media = values.get("input_media")
    if isinstance(media, list):
        sample["media"] = [each for each in media if isinstance(each, str)]
    flat(sample, columns, "doc_")
    return sample, line.flaw_in("resps", "filtered_resps", "target") or flaw


def _turn(values: dict[str, Json], columns: dict[str, Json]) -> dict[str, Json]:
    """What the model was asked: the prompt itself, and the options where the document has them as data."""
    question = _prompt(values, columns)
    offered = {key: columns.pop(key) for key in ("options", "choices") if _texts(columns.get(key))}
    if not offered:
        return {"role": "user", "question": question}
    made, _ = next(rendered(dict(offered), 0, {}))
    turns = made["messages"]
    turn = turns[0] if isinstance(turns, list) else {}
    return {"role": "user", "question": question, **{key: turn[key] for key in turn if key != "role"}}


def _texts(value: Json) -> bool:
    items = list(value.values()) if isinstance(value, dict) else value
    return isinstance(items, list) and all(isinstance(item, str) for item in items)


def _prompt(values: dict[str, Json], columns: dict[str, Json]) -> str:
    given = values.get("input")
    arguments = values.get("arguments")
    if given is None and isinstance(arguments, dict):
        first = arguments.get("gen_args_0")
        given = first.get("arg_0") if isinstance(first, dict) else None
    if given is None and isinstance(arguments, list) and arguments:
        given = arguments[0][0] if isinstance(arguments[0], list) and arguments[0] else arguments[0]
    return asked(given)[0] or asked(columns.get("question"))[0]


def _response(values: dict[str, Json]) -> tuple[Json, Flaw | None]:
    """The answers of the model, before any filter; the filtered one where no other was written.

    One request a document, possibly repeated: `[[text, ...]]`, `[text, ...]` or `text`.
    """
    given = values.get("resps", values.get("filtered_resps"))
    while isinstance(given, list) and len(given) == 1 and isinstance(given[0], list):
        if _is_likelihood(given[0]):
            return None, Flaw("log-likelihoods", "")
        given = given[0]
    if isinstance(given, list) and any(isinstance(each, list) for each in given):
        if any(_is_likelihood(each) or (each and _is_likelihood(each[0])) for each in given):
            return None, Flaw("log-likelihoods", "")
        return None, Flaw("prediction-not-a-text", "several requests were made for this document")
    return given, None


def _is_likelihood(value: Json) -> bool:
    """Whether it is the log-probability of a continuation, and whether that was the likeliest one."""
    if not isinstance(value, list) or len(value) != 2 or str(value[1]) not in ("True", "False"):
        return False
    return str(value[0]) == "-inf" or ("." in str(value[0]) and (number(value[0]) or 0) <= 0)


def _target(target: Json) -> Json:
    """The gold. Both harnesses write `str(target)`; a list of texts is read back."""
    if isinstance(target, str) and target[:1] == "[":
        value = embedded(target)
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            return value
    return target


def _verdict(by: str, metric: str, values: dict[str, Json], left: Left) -> Json:
    filtered = values.get("filtered_resps")
    while isinstance(filtered, list) and len(filtered) == 1:
        filtered = filtered[0]
    value = values[metric]
    if isinstance(value, dict):
        if number(value.get(_SCORE)) is None:
            left.note(f"the metric {metric} is an object without a number under 'score': no score recorded")
        value = value.get(_SCORE)
    elif isinstance(value, list):
        left.note(f"the metric {metric} is a list: no score recorded")
        value = None
    return verdict(by, metric, value, filtered if isinstance(filtered, str) else None)


def _about(path: Path) -> tuple[str | None, dict[str, Json]]:
    """The task, from the file's name; the model and the task's version, from the results file beside it."""
    found = _TASK.fullmatch(path.stem)
    task = next((name for name in found.groupdict().values() if name), None) if found else None
    stamp = path.stem.replace(f"samples_{task}", "").strip("_") if task else ""
    for each in (f"results_{stamp}.json", f"{stamp}_results.json"):
        results = _results(path.parent / each)
        if results is not None:
            version = results.versions.get(task or "")
            told: Json = json.loads(bytes(version)) if version is not None else None
            return task, {"model": results.model_name or results.model_source, "task_version": told}
    return task, {"model": path.parent.name or None}


def _results(path: Path) -> _Results | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        return msgspec.json.decode(path.read_bytes(), type=_Results)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
