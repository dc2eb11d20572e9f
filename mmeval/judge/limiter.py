"""How many calls may be in flight: as many as configured, fewer where the server says that it is too many."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Literal, Protocol, TypeAlias

Ending: TypeAlias = Literal["ok", "limited", "server", "other"]

# A success adds this share of a call; below 32 calls in flight, one call for every round of them.
GROWTH = 1 / 32
# A server that asks for more patience than this is not waited for.
LONGEST_HOLD = 600.0


class Clock(Protocol):
    """Time, as tests may replace it."""

    def now(self) -> float:
        """Seconds since some start."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class RealClock:
    """The running event loop's."""

    def now(self) -> float:
        """Seconds since some start."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class Alarm:
    """A clock whose sleepers can be woken, all at once and for good."""

    def __init__(self, clock: Clock) -> None:
        self.now = clock.now
        self._clock = clock
        self._rung = False
        self._asleep: set[asyncio.Future[None]] = set()

    async def sleep(self, seconds: float) -> None:
        """Wait, unless woken."""
        if self._rung:
            return
        nap = asyncio.ensure_future(self._clock.sleep(seconds))
        self._asleep.add(nap)
        try:
            await asyncio.wait({nap})
        finally:
            nap.cancel()
            self._asleep.discard(nap)

    def ring(self) -> None:
        """Wake everybody."""
        self._rung = True
        for nap in self._asleep:
            nap.cancel()


class Window:
    """The rule, without waiting: additive growth, multiplicative cuts.

    It starts at the cap. A 429 halves it, but only once for all calls that were in flight together: those
    that started before a cut cannot know of it. A success adds max(1/limit, 1/32) of a call. After a 5xx it
    does not grow until as many calls have succeeded as may be in flight. It stays within 1..cap.
    """

    def __init__(self, cap: int) -> None:
        self.cap = max(1, cap)
        self.limit = float(self.cap)
        self.started = 0
        self._cut_at = 0
        self._pause = 0
        self._held_until = 0.0

    def start(self) -> int:
        """The number of a call that starts now."""
        self.started += 1
        return self.started

    def end(self, number: int, ending: Ending) -> None:
        """What a call's end says about the server."""
        if ending == "ok":
            self._grow()
        elif ending == "server":
            self._pause = int(self.limit)
        elif ending == "limited" and number > self._cut_at:
            self.limit = max(1.0, self.limit / 2)
            self._cut_at = self.started

    def hold(self, until: float) -> None:
        """Start no call before this moment."""
        self._held_until = max(self._held_until, until)

    def held(self, now: float) -> float:
        """Seconds until calls may start again."""
        return max(0.0, self._held_until - now)

    def _grow(self) -> None:
        if self._pause > 0:
            self._pause -= 1
        else:
            self.limit = min(float(self.cap), self.limit + max(1 / self.limit, GROWTH))


class Limiter:
    """Lets calls pass one after the other, first come first served, as many at once as the window allows."""

    def __init__(self, cap: int, clock: Clock | None = None) -> None:
        self.window = Window(cap)
        self.in_flight = 0
        self._clock = clock or RealClock()
        self._holds = True
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> int:
        """Wait for a place, and give the number of the call. Every `enter` needs its `leave`."""
        if self._waiting or not self._free():
            await self._queue()
        else:
            self.in_flight += 1
        try:
            while self._holds and (seconds := self.window.held(self._clock.now())) > 0:
                await self._clock.sleep(seconds)
        except asyncio.CancelledError:
            self._let_go()
            raise
        return self.window.start()

    def leave(self, number: int, ending: Ending, retry_after: float | None = None) -> None:
        """Give the place back, and say how the call ended.

        Args:
            number: what `enter` gave.
            ending: `ok`, `limited` (429), `server` (5xx) or `other`.
            retry_after: seconds that the server asks everybody to wait; above ten minutes it is not heard.
        """
        self.window.end(number, ending)
        if retry_after is not None and retry_after <= LONGEST_HOLD:
            self.window.hold(self._clock.now() + retry_after)
        self._let_go()

    def hold_nobody(self) -> None:
        """Let pass, from now on, who would have to wait because a server asked for it."""
        self._holds = False

    def _free(self) -> bool:
        return self.in_flight < int(self.window.limit)

    async def _queue(self) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._let_go()
            raise

    def _let_go(self) -> None:
        self.in_flight -= 1
        while self._waiting and self._free():
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)
