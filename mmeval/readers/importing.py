"""Runs of other harnesses, to be written as files of our own layout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mmeval.errors import ResultError, UsageError
from mmeval.readers.discover import PICKLES, files_below, is_own, pickles_said
from mmeval.readers.elsewhere import foreign_runs
from mmeval.readers.foreign import Choice, Foreign, encoded
from mmeval.readers.opening import read_foreign
from mmeval.text.counted import many

_KNOWN = "VLMEvalKit, lmms-eval, lm-eval, Inspect, lighteval, evalscope, HELM and older simple-mmeval"


def importable(root: Path) -> list[Path]:
    """Every run of another harness below a folder, sorted; a file is one by itself.

    Raises:
        UsageError: nothing is there, or no such run.
    """
    if not root.exists():
        raise UsageError(f"{root}: no such file or folder")
    if not root.is_dir():
        return [root]
    found = foreign_runs([path for path in files_below(root) if not is_own(path.name)])
    if not found.runs:
        raise UsageError(
            f"{root}: no run of another harness lies below it; {_KNOWN} are known by their content"
            + "".join(f"; {text}" for text in unopened(root))
        )
    return sorted(found.runs, key=lambda path: path.parts)


def unopened(root: Path) -> tuple[str, ...]:
    """What is said of the pickles below a folder: VLMEvalKit leaves some beside its tables."""
    if not root.is_dir():
        return ()
    names = [path.name for path in files_below(root) if path.suffix.lower() in PICKLES]
    return (pickles_said(names),) if names else ()


def imported(path: Path, choice: Choice) -> Foreign:
    """What a file holds, in our layout.

    Raises:
        ResultError: it cannot be read, or there is nothing to import from it.
        UsageError: a filter or metric was chosen that it has not.
    """
    found = read_foreign(path, choice)
    if found is not None:
        return found
    from mmeval.readers.older import read

    try:
        return read(path, choice)
    except ResultError as error:
        raise ResultError(f"{error}. Known by their content are {_KNOWN}") from None


def lines(found: Foreign) -> Iterator[bytes]:
    """The rows as JSON, one each. What cannot be trusted is missing: its prediction is null."""
    for position, row in enumerate(found.rows):
        messages = row.get("messages")
        last = messages[-1] if isinstance(messages, list) and messages else None
        if position in found.flaws and isinstance(last, dict):
            last["response"] = None
        yield encoded(row)


def flawed(found: Foreign) -> tuple[str, ...]:
    """What is said of rows whose prediction was left out for that."""
    reasons: dict[str, int] = {}
    for flaw in found.flaws.values():
        reasons[flaw.reason] = reasons.get(flaw.reason, 0) + 1
    return tuple(
        f"{many(count, 'prediction', 'predictions')} not to be trusted ({reason}): null in what was written"
        for reason, count in sorted(reasons.items())
    )
