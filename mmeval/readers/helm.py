"""Runs of HELM: `scenario_state.json`, which holds every request and its completions.

Source of the layout: stanford-crfm/helm, `benchmark_output/runs/<suite>/<run>/`. Its verdicts are statistics
by instance, in another file and under many names; they are not recorded.
"""

from __future__ import annotations

import json
from pathlib import Path

from mmeval.errors import ResultError, UsageError
from mmeval.readers.decoding import decode_row, sanitised
from mmeval.readers.foreign import Choice, Foreign, Left, flat, part, sha256_of
from mmeval.readers.tasks import dataset_name, identity
from mmeval.types import Json

BY = "helm"
_LARGEST = 2 * 1024 * 1024 * 1024


def read(path: Path, choice: Choice) -> Foreign:
    """Read one run.

    Raises:
        ResultError: it cannot be read, or holds no requests.
        UsageError: a filter or metric was chosen.
    """
    if choice.filter is not None or choice.metric is not None:
        raise UsageError("--filter and --metric: no verdicts of HELM are recorded; leave them out")
    state = _state(path)
    left = Left()
    spec = _object(state.get("adapter_spec"))
    name = path.absolute().parent.name.partition(":")[0] or None
    meta = identity(dataset_name([name]))
    requests = state.get("request_states")
    rows = [
        _row(_object(each), position, meta, left)
        for position, each in enumerate(requests if isinstance(requests, list) else [])
    ]
    if not rows:
        raise ResultError(f"{path}: holds no requests; was the run finished?")
    left.whole("statistics by instance, log-probabilities and annotations were not carried")
    about: dict[str, Json] = {"task": name, "model": spec.get("model"), "method": spec.get("method")}
    return Foreign(BY, rows, (part(path, len(rows), sha256_of(path)),), left.sentences, {}, about)


def _state(path: Path) -> dict[str, Json]:
    try:
        if path.stat().st_size > _LARGEST:
            raise ResultError(f"{path}: is larger than 2 GB, which is more than is read of one JSON document")
        columns = decode_row(path.read_bytes())
    except json.JSONDecodeError as error:
        raise ResultError(f"{path}: broken JSON ({error}); copy the file again") from None
    if columns.flaw is not None:
        raise ResultError(f"{path}: {columns.flaw.detail}; that is no run of HELM")
    return _object(columns.values if columns.sound else sanitised(columns.values))


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> Json:
    """A text, or the texts of multimedia content."""
    if isinstance(value, str) and value:
        return value
    media = _object(_object(value).get("multimedia_content")).get("media_objects")
    texts = [each.get("text") for each in media if isinstance(each, dict)] if isinstance(media, list) else []
    return "\n\n".join(each for each in texts if isinstance(each, str)) or _object(value).get("text")


def _list(value: Json) -> list[dict[str, Json]]:
    return [_object(each) for each in value] if isinstance(value, list) else []


def _row(state: dict[str, Json], position: int, meta: dict[str, Json], left: Left) -> dict[str, Json]:
    instance = _object(state.get("instance"))
    name, trial = instance.get("id"), state.get("train_trial_index")
    if trial:
        left.note("the request belongs to a further trial and has a row of its own")
    called = f"{name}-{trial}" if trial else name
    turn: dict[str, Json] = {"role": "user", "question": _text(instance.get("input")) or ""}
    golds = _golds(instance)
    mapping = state.get("output_mapping")
    if isinstance(mapping, dict) and mapping:
        turn["options"] = mapping
        golds = [letter for letter, text in mapping.items() if text in golds] or golds
    answers = [each.get("text") for each in _list(_object(state.get("result")).get("completions"))]
    response: Json = answers[0] if len(answers) == 1 else answers or None
    row: dict[str, Json] = {"eval-id": called if isinstance(called, str) else position}
    row["messages"] = [turn, {"role": "assistant", "response": response}]
    row["answer"] = golds[0] if len(golds) == 1 else golds
    if meta:
        row["dataset_meta"] = dict(meta)
    columns = {key: instance.get(key) for key in ("split", "sub_split", "perturbation") if instance.get(key)}
    flat(row, columns, "instance_")
    return row


def _golds(instance: dict[str, Json]) -> list[Json]:
    """The texts of the references that are tagged as correct."""
    marked = ((each, each.get("tags")) for each in _list(instance.get("references")))
    return [
        _text(each.get("output")) for each, tags in marked if isinstance(tags, list) and "correct" in tags
    ]
