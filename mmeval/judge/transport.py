"""Calls that arrive: a provider's completions, with patience for what passes and none for what does not."""

from __future__ import annotations

import random
from collections.abc import Callable

from mmeval.errors import JudgeError
from mmeval.judge.limiter import LONGEST_HOLD, Alarm, Clock, Ending, Limiter, RealClock
from mmeval.judge.wire import Completion, Provider, Rejected, Request, Transient

LONGEST_WAIT = 60.0
# A 429 is no failure: only who met it so often, and for so long, gives up.
LIMITED_TRIES = 10
LIMITED_SECONDS = 600.0
# Fewer connection failures than this in a row prove nothing.
FEWEST_FAILURES = 20
# Where somebody has answered before, the network may come back: so many times as many.
LASTING = 10

_ENDINGS: dict[str, Ending] = {"rate-limit": "limited", "server": "server"}


def backoff(tries: int) -> float:
    """Seconds after so many failed tries: 1, 2, 4 ... 60."""
    return min(LONGEST_WAIT, 2.0 ** (min(tries, 10) - 1))


class Patience:
    """What one call has met, and how long it waits for the next try."""

    def __init__(self, max_retry: int, jitter: Callable[[], float]) -> None:
        self._left = max(0, max_retry)
        self._jitter = jitter
        self._failed = 0
        self._limited = 0
        self._limited_since: float | None = None

    def wait(self, failure: Transient, now: float, silent: float) -> float | None:
        """Seconds until the next try; None where there is none.

        Failures (5xx, connection, timeout, malformed) have `max_retry` more tries. A rate limit has as many
        as it takes: it ends where this call has met it 10 times over 10 minutes, where nothing at all has
        come through for 10 minutes, or where the server itself names a longer time.

        Args:
            failure: what was met.
            now: the time.
            silent: seconds for which every call has met a rate limit and none was answered.
        """
        if failure.kind != "rate-limit":
            if self._failed >= self._left:
                return None
            self._failed += 1
            return self._spread(backoff(self._failed), failure.retry_after)
        self._limited += 1
        self._limited_since = now if self._limited_since is None else self._limited_since
        patient = self._limited < LIMITED_TRIES or now - self._limited_since < LIMITED_SECONDS
        if not patient or silent >= LIMITED_SECONDS or (failure.retry_after or 0.0) > LONGEST_HOLD:
            return None
        steps = self._limited if failure.retry_after is None else self._limited - 1
        return self._spread(backoff(steps) if steps else 0.0, failure.retry_after)

    def _spread(self, seconds: float, asked: float | None) -> float:
        """Half to all of the time, so that calls do not return together; never before the server asks."""
        own = seconds * (1 + self._jitter()) / 2
        return own if asked is None else max(own, asked * (1 + self._jitter() / 10))


class Transport:
    """One way to one provider, shared by all runs of a call: limits, retries, and knows when to stop."""

    def __init__(
        self,
        provider: Provider,
        concurrency: int,
        max_retry: int,
        *,
        clock: Clock | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.provider = provider
        self._clock = Alarm(clock or RealClock())
        self.limiter = Limiter(concurrency, self._clock)
        self._max_retry = max_retry
        self._jitter = jitter
        self._enough = max(FEWEST_FAILURES, 2 * concurrency)
        self._unreached = 0
        self._ever = False
        self._halted: JudgeError | Transient | None = None
        self._limited_since: float | None = None

    async def call(self, request: Request) -> Completion:
        """The completion of a request.

        Raises:
            Transient: the last failure, when all tries are used up; `unreachable` at once where very
                many connections in a row have failed (ten times as many where something has come through
                before); `stopped` after `stop`.
            Rejected: the server refuses this request.
            JudgeError: no request can work; every later call raises it too, without asking.
        """
        patience = Patience(self._max_retry, self._jitter)
        while True:
            try:
                return await self._once(request)
            except Transient as failure:
                now = self._clock.now()
                silent = 0.0 if self._limited_since is None else now - self._limited_since
                hopeless = failure.kind in ("unreachable", "stopped")
                seconds = None if hopeless else patience.wait(failure, now, silent)
                if seconds is None:
                    raise
            await self._clock.sleep(seconds)

    def stop(self, why: str) -> None:
        """Begin no further try: what is in flight ends, what waits for its turn or its next try fails now."""
        self._halt(Transient("stopped", why))

    async def close(self) -> None:
        """Close the provider."""
        await self.provider.close()

    async def _once(self, request: Request) -> Completion:
        """One try, in its place in the queue."""
        self._refuse()
        number = await self.limiter.enter()
        ending: Ending = "other"
        asked: float | None = None
        try:
            self._refuse()
            completion = await self.provider.complete(request)
            ending = "ok"
        except Transient as failure:
            ending, asked = _ENDINGS.get(failure.kind, "other"), failure.retry_after
            self._met(failure)
            raise
        except JudgeError as error:
            self._halt(error)
            raise
        except Rejected:
            self._answered()
            raise
        finally:
            self.limiter.leave(number, ending, asked)
        self._ever = True
        self._answered()
        return completion

    def _halt(self, why: JudgeError | Transient) -> None:
        self._halted = self._halted or why
        self.limiter.hold_nobody()
        self._clock.ring()

    def _refuse(self) -> None:
        """Ask nobody where it is known that nobody answers."""
        if isinstance(self._halted, JudgeError):
            raise JudgeError(str(self._halted))
        if self._halted is not None:
            raise Transient(self._halted.kind, str(self._halted))
        if self._unreached >= (self._enough * LASTING if self._ever else self._enough):
            raise Transient(
                "unreachable",
                f"nobody has ever answered at {self.provider.identity.endpoint}: {self._unreached} "
                "connections in a row have failed; check the address and the network",
            )

    def _met(self, failure: Transient) -> None:
        if failure.kind in ("unreachable", "stopped"):
            return
        self._unreached = self._unreached + 1 if failure.kind == "connection" else 0
        if failure.kind == "rate-limit" and self._limited_since is None:
            self._limited_since = self._clock.now()

    def _answered(self) -> None:
        self._unreached = 0
        self._limited_since = None
