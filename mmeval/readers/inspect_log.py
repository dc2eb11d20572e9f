"""Logs of Inspect: `.eval` archives, and the same as one JSON document.

Source of the layout: UKGovernmentBEIS/inspect_ai `src/inspect_ai/log/_log.py`, `log/_recorders/eval.py`
(checked with logs of version 0.3.285). Of scores (`scorer/_metric.py`) C is 1, P is 0.5, I and N are 0.
Epochs are several predictions of one sample, in their order. Long texts stand apart (`attachment://<hash>`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from mmeval.errors import ResultError, UsageError
from mmeval.readers.archives import Archive, opened
from mmeval.readers.chat import answered, asked
from mmeval.readers.decoding import decode_row, sanitised
from mmeval.readers.foreign import (
    RECORDED,
    Choice,
    Foreign,
    Left,
    chosen,
    flat,
    number,
    part,
    sha256_of,
    verdict,
)
from mmeval.readers.glimpse import glimpse
from mmeval.readers.tasks import dataset_name, identity, is_known
from mmeval.types import Json

BY = "inspect"
_SAMPLE = re.compile(r"samples/.+_epoch_\d+\.json")
_ATTACHED = "attachment://"
_GRADES = {"C": 1, "I": 0, "P": 0.5, "N": 0}
_LARGEST = 2 * 1024 * 1024 * 1024
_LETTER = re.compile(r"[A-Z]")


def read(path: Path, choice: Choice) -> Foreign:
    """Read a log.

    Raises:
        ResultError: it cannot be read, or holds no samples.
        UsageError: the scorer that was chosen is not in it, or a library is missing.
    """
    if glimpse(path).kind == "zip":
        with opened(path) as archive:
            spec, said = _head(path, archive)
            return _made(path, choice, spec, _entries(archive), said)
    if path.stat().st_size > _LARGEST:
        raise ResultError(f"{path}: is larger than 2 GB; let Inspect convert it to an .eval log")
    log = _decoded(path, path.read_bytes(), "the log")
    samples = log.get("samples")
    listed = [each for each in samples if isinstance(each, dict)] if isinstance(samples, list) else []
    return _made(path, choice, log, iter(listed), _unfinished(log.get("status")))


def _decoded(path: Path, data: bytes, what: str) -> dict[str, Json]:
    try:
        columns = decode_row(data)
    except json.JSONDecodeError as error:
        raise ResultError(f"{path}: {what} is broken JSON ({error}); copy the file again") from None
    if columns.flaw is not None:
        raise ResultError(f"{path}: {what}: {columns.flaw.detail}; that is no log of Inspect")
    clean = columns.values if columns.sound else sanitised(columns.values)
    return clean if isinstance(clean, dict) else {}


def _head(path: Path, archive: Archive) -> tuple[dict[str, Json], tuple[str, ...]]:
    """The log without its samples; of a run that did not finish, its beginning."""
    if "header.json" in archive.names:
        log = _decoded(path, archive.read("header.json"), "header.json")
        return log, _unfinished(log.get("status"))
    log = _decoded(path, archive.read("_journal/start.json"), "_journal/start.json")
    return log, _unfinished("started")


def _unfinished(status: Json) -> tuple[str, ...]:
    if status == "success":
        return ()
    return (f"the log says of its run: {status}; samples may be missing",)


def _entries(archive: Archive) -> Iterator[dict[str, Json]]:
    # An entry that was written twice is the later one, and one sample.
    for name in dict.fromkeys(archive.names):
        if _SAMPLE.fullmatch(name):
            yield _decoded(archive.path, archive.read(name), name)


def _made(
    path: Path,
    choice: Choice,
    log: dict[str, Json],
    samples: Iterable[dict[str, Json]],
    said: tuple[str, ...],
) -> Foreign:
    left = Left()
    groups: dict[str, list[dict[str, Json]]] = {}
    scorers: dict[str, None] = {}
    for sample in samples:
        kept = _kept(sample)
        groups.setdefault(repr(sample.get("id")), []).append(kept)
        scores = kept.get("scores")
        scorers.update(dict.fromkeys(scores if isinstance(scores, dict) else {}))
    if not groups:
        raise ResultError(f"{path}: holds no samples; was the run started, and the log written with samples?")
    if choice.filter is not None:
        raise UsageError(f"--filter {choice.filter}: a log of Inspect has none; --metric names a scorer")
    scorer, more = chosen("metric", choice.metric, list(scorers), path)
    spec = _spec(log)
    name = dataset_name([_dataset(spec), _text_or_none(spec.get("task"))])
    rows = [_row(epochs, scorer, identity(name), left) for epochs in _ordered(groups, spec)]
    about = {"task": spec.get("task"), "model": spec.get("model"), "task_version": spec.get("task_version")}
    left.whole("messages between question and answer, events and usage of models were not carried")
    count = sum(len(epochs) for epochs in groups.values())
    return Foreign(
        BY,
        rows,
        (part(path, count, sha256_of(path)),),
        (*said, *more, *left.sentences),
        {},
        {**about, "metric": scorer},
    )


def _ordered(groups: dict[str, list[dict[str, Json]]], spec: dict[str, Json]) -> list[list[dict[str, Json]]]:
    """The samples in the order of the dataset, not in that in which they were done; others behind them."""
    dataset = spec.get("dataset")
    names = dataset.get("sample_ids") if isinstance(dataset, dict) else None
    first = [repr(name) for name in names] if isinstance(names, list) else []
    return [groups[name] for name in dict.fromkeys((*first, *groups)) if name in groups]


def _kept(sample: dict[str, Json]) -> dict[str, Json]:
    """What is needed of a sample, its attachments put in their places."""
    attached = sample.get("attachments")
    texts = attached if isinstance(attached, dict) else {}
    wanted = ("id", "epoch", "input", "choices", "target", "output", "scores", "metadata", "error")
    return {key: _resolved(sample.get(key), texts) for key in wanted}


def _resolved(value: Json, texts: dict[str, Json]) -> Json:
    if isinstance(value, str):
        if not value.startswith(_ATTACHED):
            return value
        return texts.get(value.removeprefix(_ATTACHED), value)
    if isinstance(value, list):
        return [_resolved(each, texts) for each in value]
    if isinstance(value, dict):
        return {key: _resolved(each, texts) for key, each in value.items()}
    return value


def _spec(log: dict[str, Json]) -> dict[str, Json]:
    spec = log.get("eval")
    return spec if isinstance(spec, dict) else {}


def _dataset(spec: dict[str, Json]) -> str | None:
    dataset = spec.get("dataset")
    name = _text_or_none(dataset.get("name")) if isinstance(dataset, dict) else None
    return name if is_known(dataset_name([name]) or "") else None


def _text_or_none(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _row(
    epochs: list[dict[str, Json]], scorer: str | None, meta: dict[str, Json], left: Left
) -> dict[str, Json]:
    epochs = sorted(epochs, key=lambda sample: number(sample.get("epoch")) or 0)
    sample = epochs[0]
    name = sample.get("id")
    if len({repr(each.get("epoch")) for each in epochs}) < len(epochs):
        left.note("an epoch occurs twice: both are among the predictions", name)
    turn, media = _turn(sample)
    answers: list[Json] = [answered(each.get("output")) for each in epochs]
    row: dict[str, Json] = {"eval-id": name if isinstance(name, int | str) else None}
    row["messages"] = [turn, {"role": "assistant", "response": answers[0] if len(answers) == 1 else answers}]
    row["answer"] = _gold(sample.get("target"), "choices" in turn)
    if meta:
        row["dataset_meta"] = dict(meta)
    if media:
        row["media"] = media
    if any(each.get("error") for each in epochs):
        left.note("the sample ended in an error", name)
    columns = sample.get("metadata")
    flat(row, columns if isinstance(columns, dict) else {}, "metadata_")
    if scorer is not None:
        row[RECORDED] = _verdict(scorer, epochs, left)
    return row


def _turn(sample: dict[str, Json]) -> tuple[dict[str, Json], list[Json]]:
    """The question (of a conversation the user's texts) with the choices, and the pictures in it."""
    question, media = asked(sample.get("input"))
    turn: dict[str, Json] = {"role": "user", "question": question}
    if isinstance(sample.get("choices"), list) and sample["choices"]:
        turn["choices"] = sample["choices"]
    return turn, media


def _gold(target: Json, offered: bool) -> Json:
    """The gold. With choices several letters are one gold (all must be chosen), else any of them will do."""
    if offered and isinstance(target, list) and len(target) > 1:
        letters = [each for each in target if isinstance(each, str) and _LETTER.fullmatch(each)]
        if len(letters) == len(target):
            return ", ".join(letters)
    return target[0] if isinstance(target, list) and len(target) == 1 else target


def _verdict(scorer: str, epochs: list[dict[str, Json]], left: Left) -> Json:
    """The mean over the epochs, and what was read in the first of them."""
    found = [_score(scorer, each, left) for each in epochs]
    values = [value for value, _ in found if value is not None]
    mean = sum(values) / len(values) if len(values) == len(found) else None
    return verdict(BY, scorer, mean, found[0][1], [value for value, _ in found])


def _score(scorer: str, sample: dict[str, Json], left: Left) -> tuple[float | None, Json]:
    scores = sample.get("scores")
    score = scores.get(scorer) if isinstance(scores, dict) else None
    if not isinstance(score, dict):
        return None, None
    value = score.get("value")
    if isinstance(value, list | dict):
        left.note(f"the value of {scorer} is a structure: no score recorded")
        return None, score.get("answer")
    if isinstance(value, str) and value in _GRADES:
        return _GRADES[value], score.get("answer")
    if value is None:
        left.note(f"{scorer} left the sample unscored", sample.get("id"))
    return number(value), score.get("answer")
