"""Runs of HELM: `scenario_state.json`, which holds every request and its completions.

Source of the layout: stanford-crfm/helm (0.5.16) `src/helm/benchmark/runner.py`,
`adaptation/request_state.py`, `scenarios/scenario.py`, `metrics/metric.py`; the folder of a run is
`benchmark_output/runs/<suite>/<run>/`. Its verdicts are statistics by instance, in `per_instance_stats.json`
beside it and under many names: which one is recorded is the user's choice.
"""

from __future__ import annotations

import json
from pathlib import Path

from mmeval.errors import ResultError, UsageError
from mmeval.readers.decoding import decode_row, sanitised
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
from mmeval.readers.helm_statistics import STATISTICS, Statistics, items, members
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
    if choice.filter is not None:
        raise UsageError(f"--filter {choice.filter}: HELM has none; --metric names a statistic")
    state = _state(path)
    left = Left()
    spec = members(state.get("adapter_spec"))
    name = path.absolute().parent.name.partition(":")[0] or None
    meta = identity(dataset_name([name]))
    requests = items(state.get("request_states"))
    if not requests:
        raise ResultError(f"{path}: holds no requests; was the run finished?")
    if any(each.get("reference_index") is not None for each in requests):
        raise ResultError(
            f"{path}: asked for the likelihood of each reference (adapter {spec.get('method')}) and for no "
            "answer; there is no text to score, and its own numbers stand in stats.json beside it"
        )
    statistics = Statistics(path.with_name(STATISTICS))
    metric, said = chosen("metric", choice.metric, statistics.names, path)
    rows = [_row(each, position, meta, left) for position, each in enumerate(requests)]
    if metric is not None:
        for each, row in zip(requests, rows, strict=True):
            row[RECORDED] = verdict(BY, metric, statistics.value(metric, each), None)
    left.whole("log-probabilities, reasoning and annotations were not carried")
    about: dict[str, Json] = {"task": name, "model": spec.get("model"), "method": spec.get("method")}
    parts = (part(path, len(rows), sha256_of(path)), *statistics.parts)
    return Foreign(BY, rows, parts, (*said, *left.sentences), {}, {**about, "metric": metric})


def _state(path: Path) -> dict[str, Json]:
    try:
        if path.stat().st_size > _LARGEST:
            raise ResultError(f"{path}: is larger than 2 GB, which is more than is read of one JSON document")
        columns = decode_row(path.read_bytes())
    except json.JSONDecodeError as error:
        raise ResultError(f"{path}: broken JSON ({error}); copy the file again") from None
    if columns.flaw is not None:
        raise ResultError(f"{path}: {columns.flaw.detail}; that is no run of HELM")
    return members(columns.values if columns.sound else sanitised(columns.values))


def _text(value: Json) -> Json:
    """A text, or the texts of multimedia content."""
    if isinstance(value, str) and value:
        return value
    media = members(members(value).get("multimedia_content")).get("media_objects")
    texts = [each.get("text") for each in media if isinstance(each, dict)] if isinstance(media, list) else []
    return "\n\n".join(each for each in texts if isinstance(each, str)) or members(value).get("text")


def _pictures(value: Json) -> list[Json]:
    """Where the media of multimedia content lie."""
    media = items(members(members(value).get("multimedia_content")).get("media_objects"))
    return [each["location"] for each in media if each.get("location")]


def _row(state: dict[str, Json], position: int, meta: dict[str, Json], left: Left) -> dict[str, Json]:
    instance = members(state.get("instance"))
    called = _called(state, instance, left)
    turn: dict[str, Json] = {"role": "user", "question": _text(instance.get("input")) or ""}
    golds = _golds(instance)
    mapping = state.get("output_mapping")
    if isinstance(mapping, dict) and mapping:
        turn["options"] = mapping
        golds = [letter for letter, text in mapping.items() if text in golds] or golds
    answers = [each.get("text") for each in items(members(state.get("result")).get("completions"))]
    response: Json = answers[0] if len(answers) == 1 else answers or None
    row: dict[str, Json] = {"eval-id": called if isinstance(called, str) else position}
    row["messages"] = [turn, {"role": "assistant", "response": response}]
    row["answer"] = golds[0] if len(golds) == 1 else golds
    if meta:
        row["dataset_meta"] = dict(meta)
    if media := _pictures(instance.get("input")):
        row["media"] = media
    if members(state.get("result")).get("success") is False:
        left.note("the request failed and has no answer", row["eval-id"])
    columns = {key: instance.get(key) for key in ("split", "sub_split", "perturbation") if instance.get(key)}
    flat(row, {**columns, **members(instance.get("extra_data"))}, "instance_")
    return row


def _called(state: dict[str, Json], instance: dict[str, Json], left: Left) -> Json:
    """The instance's name; further trials and perturbed copies of it have rows of their own."""
    name, trial = instance.get("id"), state.get("train_trial_index")
    changed = members(instance.get("perturbation")).get("name")
    if trial:
        left.note("the request belongs to a further trial and has a row of its own")
    if changed:
        left.note("the instance is a perturbed copy of another and has a row of its own")
    return "-".join(str(each) for each in (name, changed, trial) if each) if trial or changed else name


def _golds(instance: dict[str, Json]) -> list[Json]:
    """The texts of the references that are tagged as correct."""
    marked = ((each, each.get("tags")) for each in items(instance.get("references")))
    return [
        _text(each.get("output")) for each, tags in marked if isinstance(tags, list) and "correct" in tags
    ]
