"""All judging of one call of mmeval: one window, one budget, one cache, one event loop for every run."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Self, TypeVar

from mmeval.errors import JudgeError, MmevalError
from mmeval.judge.asking import Court
from mmeval.judge.batch import run_batch
from mmeval.judge.cache import Cache
from mmeval.judge.complaints import BatchNews, Complaints
from mmeval.judge.desk import INTERRUPTED, Desk, Seat
from mmeval.judge.money import Ledger, Prices
from mmeval.judge.providers import open_provider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.transport import Transport
from mmeval.judge.turns import Turns
from mmeval.judge.wire import Completion, Provider, Request
from mmeval.judging import judge_all
from mmeval.pipeline import Open
from mmeval.types import Failed, Verdict

if TYPE_CHECKING:
    from mmeval.protocol import Plan

log = logging.getLogger("mmeval")

P = ParamSpec("P")
T = TypeVar("T")

# Stages of one pipeline that ask one after the other, at most; seconds between two looks for Ctrl-C.
ROUNDS = 3
GLANCE = 0.2


def apart(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Do work that runs a loop: in its own thread where this one has a loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work(*given, **named)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work, *given, **named).result()


class Judging(NamedTuple):
    """The judge of one run: whose session, who decided its settings, and what a reader must know of it."""

    session: Session
    sources: Mapping[str, str] = MappingProxyType({})
    notes: tuple[str, ...] = ()
    score_mode: str | None = None


def _names(providers: Sequence[Provider]) -> list[str]:
    """What the members of a panel are called: by their models, never by a path of this machine."""
    models = [each.identity.model for each in providers]
    return [
        model if models.count(model) == 1 else f"{model} ({each.identity.revision or number})"
        for number, (model, each) in enumerate(zip(models, providers, strict=True), 1)
    ]


@contextlib.contextmanager
def _out_of_sight() -> Iterator[None]:
    """Keep the rows of the run from the garbage collector meanwhile: going over them takes long."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class Session:
    """Judges for every run of one call. Nothing is opened before it is needed, and all is closed at the end.

    Args:
        settings: how the judge is set up.
        elsewhere: what other sessions have spent of the same `max_cost`, in US dollars.

    Attributes:
        settings: how the judge is set up.
        asking: the questions on their way, by key.
        turns: in which questions are rendered and replies read.
        broken: why replies cannot be kept; nothing more is asked then.
        complaints: what is said about single calls.
        batched: the questions that went into batches, whose replies are no old ones when they are read.
    """

    def __init__(self, settings: JudgeSettings, elsewhere: Callable[[], float] = float) -> None:
        self.settings = settings
        self._elsewhere = elsewhere
        self.asking: dict[str, asyncio.Future[Completion | Failed]] = {}
        self.broken: JudgeError | None = None
        self.complaints = Complaints()
        self.batched: set[str] = set()
        self.turns = Turns()
        self._transports: dict[str, Transport] = {}
        self._stopped: str | None = None
        self._runner: asyncio.Runner | None = None
        self._hearing: asyncio.Task[Any] | None = None

    @cached_property
    def prices(self) -> Prices:
        """What models cost."""
        return Prices.load(self.settings.prices, self.settings.provider)

    @cached_property
    def ledger(self) -> Ledger:
        """What was spent."""
        return Ledger(self.prices, self.settings.max_cost, self._elsewhere)

    @property
    def cost(self) -> float:
        """US dollars that it has spent."""
        return self.ledger.spent if "ledger" in self.__dict__ else 0.0

    @cached_property
    def cache(self) -> Cache:
        """What was paid for before."""
        return Cache.open(self.settings.cache)

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """Who is asked; nobody where no model is named."""
        settings = self.settings
        if settings.provider == "none":
            return ()
        providers = [open_provider(settings, model) for model in settings.models]
        return tuple(Seat(name, each) for name, each in zip(_names(providers), providers, strict=True))

    @property
    def window(self) -> int:
        """Cases in hand at once: those whose calls are in flight, and as many that are ready to be sent."""
        return 2 * self.settings.concurrency

    @property
    def stopped(self) -> str | None:
        """Why no further question is begun: `interrupted`, `max-cost-reached`; None while it goes on."""
        return self._stopped

    @property
    def interrupted(self) -> bool:
        """Whether the user has stopped it."""
        return self._stopped == INTERRUPTED

    def stop(self, why: str) -> None:
        """Begin no further question; what is in flight is finished.

        An interrupt ends waiting too: for a place, for the next try. It outranks a limit that was reached.
        """
        self._stopped = why if why == INTERRUPTED else self._stopped or why
        if self.interrupted:
            self._hush(INTERRUPTED)

    def give_up(self, error: JudgeError) -> None:
        """Ask nothing more, for any run: replies cannot be kept."""
        self.broken = self.broken or error
        self._hush(str(error))

    def _hush(self, why: str) -> None:
        for transport in self._transports.values():
            transport.stop(why)

    def answered(self, key: str, sent: asyncio.Future[Completion | Failed]) -> None:
        """A question is on its way no longer; its error is known, even where nobody waits for it any more."""
        self.asking.pop(key, None)
        if not sent.cancelled():
            sent.exception()

    def desk(self, plan: Plan, home: Callable[[str], Path]) -> Desk:
        """The judging of one run; `home` says for a sample's id in which folder its pictures lie."""
        return Desk(self, plan, home)

    def transport(self, seat: Seat) -> Transport:
        """The way to a seat, one for all runs; the seats of a panel share the calls in flight."""
        if seat.name not in self._transports:
            settings = self.settings
            share = max(1, settings.concurrency // len(self.seats))
            self._transports[seat.name] = Transport(seat.provider, share, settings.max_retry)
        return self._transports[seat.name]

    def hear(self, desk: Desk, cases: Sequence[Open], progress: Callable[[int], None]) -> list[Verdict]:
        """Put open cases to the judge.

        Raises:
            JudgeError: no question can be asked at all.
            KeyboardInterrupt: the user did not want to wait for what is in flight.
        """
        if self._runner is None:
            self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        with self._interruptible(self._runner.get_loop()), _out_of_sight():
            try:
                return apart(self._runner.run, self._heard(desk, cases, progress))
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None

    async def _heard(
        self, desk: Desk, cases: Sequence[Open], progress: Callable[[int], None]
    ) -> list[Verdict]:
        self._hearing = asyncio.current_task()
        try:
            if self.settings.batch and desk.seats and not self.settings.dry_run:
                await self._in_batches(desk, cases)
            return await judge_all(cases, Court(desk), progress)
        except MmevalError:
            await self._finish()
            raise

    async def _finish(self) -> None:
        """Begin nothing more, and wait for what is in flight: it is paid for, and goes into the cache."""
        sent = set(self.asking.values())
        for task in asyncio.all_tasks() - sent - {asyncio.current_task()}:
            task.cancel()
        await asyncio.gather(*sent, return_exceptions=True)

    async def _in_batches(self, desk: Desk, cases: Sequence[Open]) -> None:
        """Have all answered that can be, round by round: what is asked may follow from earlier replies."""
        given_up: set[str] = set()
        for _ in range(ROUNDS * (self.settings.max_retry + 1)):
            desk.wanted = {}
            await judge_all(cases, Court(desk), lambda rows: None)
            asked = {
                seat: [each for key, each in found.items() if key not in given_up]
                for seat, found in desk.wanted.items()
            }
            self.batched |= {key for found in desk.wanted.values() for key in found}
            if self._stopped or not any(asked.values()):
                break
            for seat, requests in asked.items():
                given_up |= await self._batch(seat, requests) if requests else set()
        desk.wanted = None

    async def _batch(self, seat: Seat, requests: Sequence[Request]) -> set[str]:
        """One round of one seat; the keys of what got no answer. An interrupt leaves the batch on record."""
        told = BatchNews(seat.name)
        work = asyncio.ensure_future(
            run_batch(requests, seat.provider, self.cache, progress=told, ledger=self.ledger)
        )
        while not work.done():
            await asyncio.wait({work}, timeout=GLANCE)
            if self._stopped:
                work.cancel()
                await asyncio.wait({work})
                return set()
        report = work.result()
        if report.over_budget:
            self.stop("max-cost-reached")
        return {*report.failed, *report.unanswered}

    @contextlib.contextmanager
    def _interruptible(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """A first interrupt finishes what is in flight, a second one leaves it; a third is a real one."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: Any = signal.getsignal(signal.SIGINT)

        def heard(*_: object) -> None:
            signal.signal(signal.SIGINT, heard_again)
            loop.call_soon_threadsafe(self._interrupt)

        def heard_again(*_: object) -> None:
            signal.signal(signal.SIGINT, before)
            loop.call_soon_threadsafe(self._leave)

        signal.signal(signal.SIGINT, heard)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupt(self) -> None:
        self.stop(INTERRUPTED)
        if self.asking:
            log.warning("interrupted: finishing what is in flight; once more leaves at once")

    def _leave(self) -> None:
        """End the hearing now."""
        if self._hearing is not None:
            self._hearing.cancel()

    def spent(self) -> str:
        """What this call paid for, in a line; empty where nobody was asked."""
        if "ledger" not in self.__dict__ or self.settings.provider == "replay":
            return ""
        totals = self.ledger.totals
        paid, saved = totals.paid, totals.saved
        if not paid.calls and not saved.calls:
            return ""
        cost = "at an unknown price" if paid.cost is None else f"for ${paid.cost:.4f}"
        tokens = f"{paid.prompt_tokens:,} tokens in, {paid.completion_tokens:,} out"
        calls = "call" if paid.calls == 1 else "calls"
        replies = "reply" if saved.calls == 1 else "replies"
        return f"judge: {paid.calls:,} {calls} {cost} ({tokens}); {saved.calls:,} {replies} from the cache"

    def close(self) -> None:
        """Let go of everything that was opened."""
        if self._runner is not None:
            apart(self._runner.run, self._close())
            apart(self._runner.close)
            self._runner = None
        if "cache" in self.__dict__:
            self.cache.close()

    async def _close(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for seat in self.seats:
            await seat.provider.close()

    def __enter__(self) -> Self:
        """Nothing to do yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()
