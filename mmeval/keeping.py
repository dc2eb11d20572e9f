"""A score that has a value is not given away for one that has none."""

from __future__ import annotations

from pathlib import Path

import msgspec

from mmeval.errors import Incomplete
from mmeval.text.counted import many
from mmeval.types import Json


class _Result(msgspec.Struct, frozen=True):
    sha256: str | None = None


class _Provenance(msgspec.Struct, frozen=True):
    result: _Result = _Result()


class _Headline(msgspec.Struct, frozen=True):
    value: float | None = None


class _Summary(msgspec.Struct, frozen=True):
    headline: _Headline = _Headline()


class _Score(msgspec.Struct, frozen=True):
    provenance: _Provenance
    summary: _Summary


def keep_better(target: Path, sha256: str, summary: dict[str, Json], force: bool) -> None:
    """Refuse to replace a score of the same predictions that has a value by one that has none.

    So it would go with a run that a judge has settled, and that is scored again where none can be asked.

    Args:
        target: where the score goes.
        sha256: of the predictions.
        summary: of the score that would be written.
        force: whether the user wants it all the same.

    Raises:
        Incomplete: the score that lies there is the better one.
    """
    headline = summary.get("headline")
    failed = sum(count for count in (summary["llm_errors"], summary["errors"]) if isinstance(count, int))
    if force or not failed or (isinstance(headline, dict) and headline.get("value") is not None):
        return
    try:
        old = msgspec.json.decode(target.read_bytes(), type=_Score)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return
    if old.provenance.result.sha256 == sha256 and old.summary.headline.value is not None:
        raise Incomplete(
            f"{target}: kept, for it has a value: {many(failed, 'row', 'rows')} failed this time; name a "
            "judge that answers, or replace it all the same with --force"
        )
