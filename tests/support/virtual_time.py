"""An event loop whose clock jumps to the next timer: an hour of waiting takes no time, and always the same.

    from virtual_time import run

    assert run(main()) == ...

For code that only computes and sleeps; a loop that waits for sockets would jump past them.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """Adds what it should have waited to its clock."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = 0.0

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None, "everything waits for something that never comes"
        self.clock += timeout
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.waited = _Selector()
        super().__init__(self.waited)

    def time(self) -> float:
        return self.waited.clock


def run(main: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns, in virtual time that starts at 0."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)
