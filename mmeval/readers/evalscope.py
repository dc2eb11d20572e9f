"""Predictions of evalscope, and the reviews of the same name: one line per sample and generation.

Source of the layout: modelscope/evalscope `api/evaluator/cache.py`, `api/metric/scorer.py` (1.14.1):
`predictions/<model>/<benchmark>_<subset>.jsonl` and `reviews/<model>/` with the same name.
"""

from __future__ import annotations

from pathlib import Path

from mmeval.errors import ResultError, UsageError
from mmeval.readers.chat import answered, asked
from mmeval.readers.decoding import Flaw
from mmeval.readers.foreign import (
    RECORDED,
    Choice,
    Foreign,
    Left,
    Record,
    flat,
    number,
    part,
    records,
    verdict,
)
from mmeval.readers.glimpse import form_of, glimpse
from mmeval.readers.layout import load
from mmeval.readers.tasks import dataset_name, identity, is_known
from mmeval.types import Json

BY = "evalscope"
_PREDICTIONS, _REVIEWS = "predictions", "reviews"


def reviews_of(path: Path) -> Path | None:
    """Where the reviews of a file of predictions lie, if they do."""
    return _twin(path, _PREDICTIONS, _REVIEWS)


def predictions_of(path: Path) -> Path | None:
    """Where the predictions of a file of reviews lie, if they do."""
    return _twin(path, _REVIEWS, _PREDICTIONS)


def _twin(path: Path, own: str, other: str) -> Path | None:
    pieces = list(path.absolute().parts)
    places = [place for place, name in enumerate(pieces[:-1]) if name == own]
    if not places:
        return None
    pieces[places[-1]] = other
    found = Path(*pieces)
    return found if found.is_file() else None


def read(path: Path, choice: Choice) -> Foreign:
    """Read a file of predictions with its reviews, or a file of reviews that stands alone.

    Raises:
        ResultError: it cannot be read, or there are no reviews, which hold the golds.
        UsageError: a filter was chosen, of which there are none.
    """
    if choice.filter is not None:
        raise UsageError(f"--filter {choice.filter}: evalscope has none; --metric names a score")
    if form_of(glimpse(path)) == "evalscope-reviews":
        beside = predictions_of(path)
        return _joined(path if beside is None else beside, None if beside is None else path, choice)
    reviews = reviews_of(path)
    if reviews is None:
        raise ResultError(
            f"{path}: holds predictions of evalscope without golds; these stand in the reviews, under "
            f"{_REVIEWS}/ beside {_PREDICTIONS}/: copy both, or run the review"
        )
    return _joined(path, reviews, choice)


def _joined(first: Path, second: Path | None, choice: Choice) -> Foreign:
    """The rows of the first file, with the reviews of the second; or reviews alone."""
    loaded = load(first)
    others = None if second is None else load(second)
    lines = list(records(loaded))
    reviews = {_index(line): line for line in (lines if others is None else records(others))}
    left = Left()
    task, subset = _task(first)
    meta = identity(dataset_name([task]))
    rows: list[dict[str, Json]] = []
    flaws: dict[int, Flaw] = {}
    for group in _groups(lines, reviews):
        flaw = next((each for line in group if (each := line.flaw_in("model_output", "target"))), None)
        if flaw is not None:
            flaws[len(rows)] = flaw
        rows.append(_row(group, [reviews.get(_index(line)) for line in group], meta, choice, left))
    left.whole("traces of agents, usage and timing were not carried")
    about = {"task": task, "subset": subset, "model": first.absolute().parent.name, "metric": choice.metric}
    parts = [part(first, len(loaded.rows), loaded.sha256)]
    if second is not None and others is not None:
        parts.append(part(second, len(others.rows), others.sha256))
    return Foreign(BY, rows, tuple(parts), left.sentences, flaws, about)


def _index(line: Record) -> str:
    return str(line.values.get("index"))


def _score_of(review: Record | None) -> dict[str, Json]:
    found = review.values.get("sample_score") if review is not None else None
    return found if isinstance(found, dict) else {}


def _groups(lines: list[Record], reviews: dict[str, Record]) -> list[list[Record]]:
    """Generations of one sample together, in their order; what no review groups stands alone."""
    groups: dict[str, list[tuple[float, Record]]] = {}
    for position, line in enumerate(lines):
        score = _score_of(reviews.get(_index(line)))
        group, place = score.get("group_id"), number(score.get("generation_index"))
        key = f"line {position}" if group is None or place is None else f"group {group!r}"
        groups.setdefault(key, []).append((place or 0, line))
    return [[line for _, line in sorted(group, key=lambda each: each[0])] for group in groups.values()]


def _row(
    group: list[Record], reviews: list[Record | None], meta: dict[str, Json], choice: Choice, left: Left
) -> dict[str, Json]:
    values, review = group[0].values, reviews[0]
    score = _score_of(review)
    name = score.get("group_id") if len(group) > 1 else values.get("index")
    question, media = asked(values.get("messages") or (review.values.get("messages") if review else None))
    answers: list[Json] = [_answer(line, each) for line, each in zip(group, reviews, strict=True)]
    row: dict[str, Json] = {"eval-id": name if isinstance(name, int | str) else None}
    turn = {"role": "user", "question": question}
    row["messages"] = [turn, {"role": "assistant", "response": answers[0] if len(answers) == 1 else answers}]
    if review is None:
        left.note("no review belongs to the prediction: it has no gold", name)
    else:
        target = review.values.get("target")
        row["answer"] = target[0] if isinstance(target, list) and len(target) == 1 else target
        row[RECORDED] = _verdict([_score_of(each) for each in reviews], choice, left)
    if meta:
        row["dataset_meta"] = dict(meta)
    if media:
        row["media"] = media
    columns = values.get("metadata") or score.get("sample_metadata")
    flat(row, columns if isinstance(columns, dict) else {}, "metadata_")
    return row


def _answer(line: Record, review: Record | None) -> Json:
    """What the model said; of reviews alone what they repeat of it."""
    if "model_output" in line.values:
        return answered(line.values["model_output"])
    score = _score_of(review).get("score")
    return score.get("prediction") if isinstance(score, dict) else None


def _verdict(found: list[dict[str, Json]], choice: Choice, left: Left) -> Json:
    """The main score (or the one that was chosen), its mean where there are several generations."""
    scores = [score if isinstance(score := each.get("score"), dict) else {} for each in found]
    metric = choice.metric or _main(scores[0])
    tables = [value if isinstance(value := each.get("value"), dict) else {} for each in scores]
    values = [number(table.get(metric or "")) for table in tables]
    given = [value for value in values if value is not None]
    if len(given) < len(values):
        left.note("the review has no number (it failed, or another score was chosen): no score recorded")
    mean = sum(given) / len(given) if len(given) == len(values) else None
    return verdict(BY, metric, mean, scores[0].get("extracted_prediction"), values)


def _main(score: dict[str, Json]) -> str | None:
    """The score that counts there: the one that is named, else the first."""
    value, named = score.get("value"), score.get("main_score_name")
    if not isinstance(value, dict) or not value:
        return None
    return named if isinstance(named, str) and named in value else next(iter(value))


def _task(path: Path) -> tuple[str, str | None]:
    """Benchmark and subset: the report of the benchmark tells where one ends and the other begins."""
    pieces = list(path.absolute().parts)
    for place in reversed(
        [place for place, name in enumerate(pieces[:-1]) if name in (_PREDICTIONS, _REVIEWS)]
    ):
        reports = Path(*pieces[:place], "reports", *pieces[place + 1 : -1])
        names = sorted((each.stem for each in reports.glob("*.json")), key=len, reverse=True)
        for name in names:
            if path.stem.startswith(f"{name}_"):
                return name, path.stem[len(name) + 1 :]
    words = path.stem.split("_")
    for end in range(len(words), 0, -1):
        if is_known("_".join(words[:end])):
            return "_".join(words[:end]), "_".join(words[end:]) or None
    return path.stem, None
