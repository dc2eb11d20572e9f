"""What goes wrong with single calls, told while it happens: the first few of each kind, not ten thousand."""

from __future__ import annotations

import logging
from collections import Counter

log = logging.getLogger("mmeval")

SHOWN = 5


class Complaints:
    """Warnings of one session. The score file has the reason of every row; the log need not repeat them."""

    def __init__(self) -> None:
        self._told: Counter[str] = Counter()

    def add(self, kind: str, message: str, *args: object) -> None:
        """Warn, unless there have been enough warnings of this kind."""
        self._told[kind] += 1
        if self._told[kind] <= SHOWN:
            log.warning(message, *args)
        elif self._told[kind] == SHOWN + 1:
            log.warning("more of this kind (%s) is not shown; the score file has it row by row", kind)


class BatchNews:
    """How a batch comes along: told at first, and whenever something has come in."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._known: tuple[int, int] | None = None

    def __call__(self, done: int, total: int) -> None:
        """What a look at it has shown: how many of how many questions are done."""
        if not total or (done, total) == self._known:
            return
        hint = (
            "" if self._known else "; this may take a day, and Ctrl-C leaves it on record for the next call"
        )
        self._known = done, total
        log.warning("batch: %s has answered %d of %d%s", self._model, done, total, hint)
