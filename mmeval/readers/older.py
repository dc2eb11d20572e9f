"""Files of simple-mmeval, older ones too: golds inside `messages[0]`, the retired `score_type`, scores.

Source of the layouts: mm-evaluation/simple-mmeval `docs/en/USAGE.md`, `docs/en/SCORING.md` @ b10e70b and
0d2abcf. A score file of theirs (`score.json`, of any generation) beside the result gives recorded verdicts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from mmeval.errors import ResultError, UsageError
from mmeval.fingerprint import canonical
from mmeval.readers.decoding import Flaw
from mmeval.readers.foreign import RECORDED, Choice, Foreign, Left, part, records, sha256_of, verdict
from mmeval.readers.identity import row_name
from mmeval.readers.layout import load
from mmeval.readers.parts import Part
from mmeval.types import Json

BY = "simple-mmeval"
SCORE = "score.json"
_GOLD = "answer"
_RETIRED = "score_type"
_LARGEST = 2 * 1024 * 1024 * 1024


class _Score(msgspec.Struct):
    config: dict[str, Any] = {}
    samples: list[dict[str, Any]] = []


def read(path: Path, choice: Choice) -> Foreign:
    """Read a result file of any generation, with the verdicts beside it.

    Raises:
        ResultError: it cannot be read, or is of today's layout, without verdicts: nothing is to be done.
        UsageError: a filter or metric was chosen.
    """
    if choice.filter is not None or choice.metric is not None:
        raise UsageError("--filter and --metric: files of simple-mmeval have none; leave them out")
    loaded = load(path)
    left = Left()
    verdicts, beside = _verdicts(path)
    rows: list[dict[str, Json]] = []
    flaws: dict[int, Flaw] = {}
    changed = bool(verdicts)
    for position, record in enumerate(records(loaded)):
        row = dict(record.values)
        changed = _modern(row, left) or changed
        name = row_name(row)
        found = verdicts.get(str(position if name is None else name))
        if found is not None:
            row[RECORDED] = found
        if record.flaw is not None:
            flaws[position] = record.flaw
        rows.append(row)
    if not changed:
        raise ResultError(
            f"{path}: is of the layout that mmeval reads, and no score of simple-mmeval lies beside it: "
            "there is nothing to import; score it as it is"
        )
    parts = (part(path, len(rows), loaded.sha256), *beside)
    return Foreign(BY, rows, parts, left.sentences, flaws, {})


def _modern(row: dict[str, Json], left: Left) -> bool:
    """Bring one row into today's layout; whether anything was to be done."""
    done = False
    messages = row.get("messages")
    turn = messages[0] if isinstance(messages, list) and messages else None
    if isinstance(turn, dict) and _GOLD in turn and _GOLD not in row:
        row[_GOLD] = turn.pop(_GOLD)
        done = True
    meta = row.get("dataset_meta")
    if isinstance(meta, dict) and _RETIRED in meta:
        meta.pop(_RETIRED)
        left.note(
            f"dataset_meta.{_RETIRED} is retired and was not carried; name the protocol with --protocol, or "
            "re-push the dataset with score_pipeline and run the inference again"
        )
        done = True
    return done


def _verdicts(path: Path) -> tuple[dict[str, Json], tuple[Part, ...]]:
    """The verdicts of simple-mmeval beside a result, by the sample's name; a score of ours is none."""
    beside = path.with_name(SCORE)
    try:
        if beside.stat().st_size > _LARGEST:
            return {}, ()
        score = msgspec.json.decode(beside.read_bytes(), type=_Score)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return {}, ()
    if "schema_version" in score.config or not score.samples:
        return {}, ()
    found = {str(canonical(each.get("eval-id"))): _verdict(each) for each in score.samples}
    return found, (part(beside, len(score.samples), sha256_of(beside)),)


def _verdict(sample: dict[str, Any]) -> Json:
    """The verdict of one sample; rows that failed, or could not be graded, have no score."""
    failed = str(sample.get("reason") or "").startswith("llm_error") or sample.get("status") == "invalid"
    score = sample.get("score", sample.get("is_correct"))
    stage = sample.get("decided_by", sample.get("matcher_used"))
    return verdict(
        BY, stage if isinstance(stage, str) else None, None if failed else score, sample.get("matched")
    )
