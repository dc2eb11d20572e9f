"""Work in turns: one piece per round of the event loop, so that the network never waits for more than one."""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """A queue for work that can wait while calls cannot: rendering a question, reading a reply.

    Replies tend to come in bursts. Were each one read at once, the last of a burst would wait for all before
    it, and the places that they leave free would stay empty for as long.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._running = False

    async def next(self) -> None:
        """Wait for a turn."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._running:
            self._running = True
            loop.call_soon(self._give, loop)
        await turn

    def _give(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                break
        self._running = bool(self._waiting)
        if self._running:
            loop.call_soon(self._give, loop)
