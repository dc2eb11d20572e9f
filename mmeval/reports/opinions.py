"""Opinions about the same samples, from scores and from files of labels, and how far two of them agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from mmeval.errors import ResultError, UsageError
from mmeval.fingerprint import canonical
from mmeval.judge.agreement import Categorical, Flips, Numeric, categorical, flips, numeric
from mmeval.judge.labels import Label, read_labels
from mmeval.reports import scorefile_reader
from mmeval.reports.scorefile_reader import Document

By: TypeAlias = Literal["verdict", "score", "rating", "label"]
BYS: tuple[By, ...] = get_args(By)
RIGHT = frozenset({"correct", "right", "true", "yes", "1"})
WRONG = frozenset({"incorrect", "wrong", "false", "no", "0"})
YES_NO = frozenset({"yes", "no"})
# Values up to which numbers are also shown as a table of how often which met which.
FEW = 11


class Said(NamedTuple):
    """What a side says of one sample: a number, where it is one or means one, and a word."""

    score: float | None
    label: str | None


class Side(NamedTuple):
    """One opinion on many samples.

    Attributes:
        name: how it is called.
        said: by id, where it has a verdict.
        silent: by id, why it has none (invalid, failed, judges tied).
        unseen: rows of a score that no judge saw, and that are left out.
    """

    name: str
    said: Mapping[str, Said]
    silent: Mapping[str, str] = {}
    unseen: int = 0


class Comparison(NamedTuple):
    """How far two sides agree.

    Attributes:
        first: the side that the other is held against: labels, where there are any.
        second: the other side.
        by: what was compared: `verdict` (right, wrong or partly), `score` (0..1), `rating` (the judge's
            number as it gave it) or `label` (its word).
        words: agreement on labels; None for numbers of many values.
        numbers: agreement on numbers; None for words.
        only_first: ids of which the second says nothing at all.
        only_second: ids of which the first says nothing.
        silent: ids that either side knows and has no verdict on, and why.
        unseen: rows left out because no judge saw them.
    """

    first: str
    second: str
    by: By
    words: Categorical | None
    numbers: Numeric | None
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    silent: Mapping[str, str]
    unseen: int


def of_labels(path: Path, id_field: str | None, label_field: str | None) -> Side:
    """The labels of a file; see `mmeval.judge.labels.read_labels`."""
    labels = read_labels(path, id_field, label_field)
    return Side(str(path), {name: _labelled(label) for name, label in labels.items()})


def _labelled(label: Label) -> Said:
    word = folded(str(canonical(label)))
    meant = 1.0 if word in RIGHT else 0.0 if word in WRONG else _number(word)
    return Said(meant, word)


def folded(text: str) -> str:
    """A label as it is compared: without case, with dashes."""
    return "-".join(text.casefold().replace("_", " ").split())


def _number(word: str | None) -> float | None:
    try:
        value = float(word) if word is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def score_at(path: Path) -> Document | None:
    """The score that a path means; None where it is a file of another kind.

    Raises:
        UsageError: there is no such file.
    """
    if not path.is_dir() and path.suffix.lower() != ".json":
        return None
    try:
        return scorefile_reader.load(path)
    except ResultError:
        return None


def rows(document: Document) -> list[dict[str, Any]]:
    """Every row of a score.

    Raises:
        ResultError: the file is damaged.
    """
    with scorefile_reader.intact(document):
        return [dict(msgspec.json.decode(raw)) for raw in scorefile_reader.samples(document)]


def of_score(document: Document, found: Sequence[Mapping[str, Any]], every: bool) -> Side:
    """The verdicts of a score: those on rows that a judge saw, or all.

    Raises:
        ResultError: the file is damaged, or two rows have one id.
    """
    said: dict[str, Said] = {}
    silent: dict[str, str] = {}
    unseen = 0
    with scorefile_reader.intact(document):
        for row in found:
            name = str(canonical(row["eval-id"]))
            if name in said or name in silent:
                raise ResultError(f"{document.path}: two rows have the id {name}; they cannot be told apart")
            if not every and not any(True for _ in calls(row)) and row["status"] != "llm_error":
                unseen += 1
            elif row["status"] != "ok" or (row["decided_by"] is None and not every):
                silent[name] = str(row["reason"] or row["status"])
            else:
                label = row["extracted"]
                said[name] = Said(row["score"], None if label is None else folded(str(label)))
    return Side(str(document.path), said, silent, unseen)


def calls(row: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every reply of a judge about a row, each with the question that it belongs to."""
    several = row.get("predictions") or ()
    traces = [each["trace"] for each in several] or [row["trace"]]
    for number, trace in enumerate(traces):
        for step in trace:
            for call in step.get("judge") or ():
                yield f"{row['eval-id']}/{number}/{step['stage']}/{call['prompt']}", call


def seats(document: Document, found: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, dict[int, str]]]:
    """What each model of a score's panel said: by model, by question, by number of the replicate."""
    said: dict[str, dict[str, dict[int, str]]] = {}
    with scorefile_reader.intact(document):
        for row in found:
            for question, call in calls(row):
                if call["label"] is not None:
                    own = said.setdefault(call["asked"], {}).setdefault(question, {})
                    own[call["replicate"]] = folded(call["label"])
    return said


def repeatability(said: Mapping[str, Mapping[str, Mapping[int, str]]]) -> dict[str, Flips]:
    """How often each model changes its mind; models that were asked once only are left out."""
    made = {model: flips(list(questions.values())) for model, questions in said.items()}
    return {model: found for model, found in sorted(made.items()) if found.samples.n}


def panel(name: str, said: Mapping[str, Mapping[str, Mapping[int, str]]]) -> list[Side]:
    """The models of a panel as sides: what each said first of every question."""
    sides = []
    for model, questions in sorted(said.items()):
        firsts = {question: replicates[min(replicates)] for question, replicates in questions.items()}
        words = {question: Said(None, word) for question, word in firsts.items()}
        several = any(len(replicates) > 1 for replicates in questions.values())
        sides.append(Side(f"{name}: {model}{', first replies' if several else ''}", words))
    return sides


def compare(first: Side, second: Side, by: By | None) -> Comparison:
    """How far two sides agree on the samples that both have a verdict on.

    Raises:
        UsageError: they share none, or what is to be compared is not there or not clear.
    """
    shared = [name for name in second.said if name in first.said]
    if not shared:
        raise UsageError(
            f"{first.name} and {second.name}: no sample has a verdict in both; "
            f"ids there are {_some(first.said)}, here {_some(second.said)}"
        )
    pairs = [(first.said[name], second.said[name]) for name in shared]
    chosen = by or _chosen(pairs, second.name)
    words, numbers = _measured(pairs, chosen, second.name)
    return Comparison(
        *(first.name, second.name, chosen, words, numbers),
        tuple(name for name in first.said if name not in second.said and name not in second.silent),
        tuple(name for name in second.said if name not in first.said and name not in first.silent),
        {**first.silent, **second.silent},
        first.unseen + second.unseen,
    )


def _some(names: Mapping[str, Said]) -> str:
    return ", ".join(list(names)[:3]) or "none"


def _chosen(pairs: Sequence[tuple[Said, Said]], name: str) -> By:
    """What two sides can be compared by, judging by what they hold.

    Raises:
        UsageError: labels of yes and no may be verdicts, or answers.
    """
    scores = [each.score for pair in pairs for each in pair]
    if (
        any(score is not None for score in scores)
        and {each.label for pair in pairs for each in pair} <= YES_NO
    ):
        raise UsageError(f"{name}: yes and no may be verdicts or answers; say --by verdict or --by label")
    if all(score in (0.0, 1.0) for score in scores):
        return "verdict"
    if all(score is not None and 0.0 <= score <= 1.0 for score in scores):
        return "score"
    if all(_number(each.label) is not None for pair in pairs for each in pair):
        return "rating"
    return "label"


def _measured(
    pairs: Sequence[tuple[Said, Said]], by: By, name: str
) -> tuple[Categorical | None, Numeric | None]:
    made = [(READ[by](a), READ[by](b)) for a, b in pairs]
    absent = sum(a is None or b is None for a, b in made)
    if absent:
        others = " or ".join(f"--by {each}" for each in BYS if each != by)
        raise UsageError(f"{name}: {absent} of {len(made)} rows have no {by} on one side; try {others}")
    if by in ("verdict", "label"):
        return categorical([(str(a), str(b)) for a, b in made]), None
    values = [(float(a or 0), float(b or 0)) for a, b in made]
    few = len({value for pair in values for value in pair}) <= FEW
    words = categorical([(f"{a:g}", f"{b:g}") for a, b in values]) if few else None
    return words, numeric(values)


def _verdict(said: Said) -> str | None:
    if said.score is None or not 0.0 <= said.score <= 1.0:
        return None
    return "correct" if said.score == 1.0 else "incorrect" if said.score == 0.0 else "partly"


READ: dict[By, Callable[[Said], str | float | None]] = {
    "verdict": _verdict,
    "score": lambda said: said.score,
    "rating": lambda said: _number(said.label),
    "label": lambda said: said.label,
}
