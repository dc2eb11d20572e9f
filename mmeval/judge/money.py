"""What was spent, what is being spent, and the line that is not crossed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import msgspec

from mmeval.errors import UsageError
from mmeval.fingerprint import digest
from mmeval.judge.keys import portable
from mmeval.judge.prices import Price, Prices, Tokens, estimate, most, text_tokens
from mmeval.judge.providers._dialect import Dialect
from mmeval.judge.wire import Completion, Request
from mmeval.types import Json

__all__ = [
    "BudgetReached",
    "Ledger",
    "Price",
    "Prices",
    "Rehearsal",
    "Totals",
    "Usage",
    "dollars",
    "estimate",
]


class BudgetReached(Exception):
    """One more call could cost more than `--max_cost` leaves."""


class Usage(msgspec.Struct, frozen=True):
    """Replies of one model, or of all.

    `unmetered` replies came without the server's count of tokens; theirs are estimated. `cost` is in US
    dollars; None where the price of the model is not known.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unmetered: int = 0
    cost: float | None = 0.0

    def plus(self, other: Usage) -> Usage:
        """Both together."""
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.unmetered + other.unmetered,
            cost,
        )


class Totals(msgspec.Struct, frozen=True):
    """What a call of mmeval used: paid for now (`fresh`) and before (`cached`), per model and in all."""

    fresh: dict[str, Usage]
    cached: dict[str, Usage]

    @property
    def paid(self) -> Usage:
        """All that was paid for now."""
        return _sum(self.fresh)

    @property
    def saved(self) -> Usage:
        """All that the cache had."""
        return _sum(self.cached)


def dollars(cost: float | None) -> str:
    """A sum for people; what is not known is said to be so.

    >>> dollars(None), dollars(0.0), dollars(0.00042), dollars(12.5)
    ('cost unknown (--judge_prices)', '$0', '$0.0004', '$12.50')
    """
    if cost is None:
        return "cost unknown (--judge_prices)"
    if cost == 0:
        return "$0"
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"


def _sum(used: Mapping[str, Usage]) -> Usage:
    total = Usage()
    for _, each in sorted(used.items()):
        total = total.plus(each)
    return total


class Ledger:
    """Counts what replies cost, and holds money back for calls on their way.

    Args:
        prices: per model.
        max_cost: US dollars that fresh calls may cost together; None is no limit.
        elsewhere: what else was spent of the same sum, by other ledgers.
    """

    def __init__(
        self, prices: Prices, max_cost: float | None = None, elsewhere: Callable[[], float] = float
    ) -> None:
        self.prices = prices
        self.max_cost = max_cost
        self._elsewhere = elsewhere
        self._used: dict[bool, dict[str, Usage]] = {False: {}, True: {}}
        self._spent = 0.0
        self._held = 0.0
        self._prompts: dict[str, tuple[int, int]] = {}
        self._freed = asyncio.Event()

    @property
    def spent(self) -> float:
        """US dollars for fresh calls so far, without those whose price is not known."""
        return self._spent

    @property
    def totals(self) -> Totals:
        """The count so far."""
        return Totals(dict(self._used[False]), dict(self._used[True]))

    def line(self) -> str:
        """The count so far, in words; empty where no reply came."""
        paid, saved = self.totals.paid, self.totals.saved
        if not paid.calls + saved.calls:
            return ""
        cached = f", {saved.calls} from the cache" if saved.calls else ""
        tokens = f"{paid.prompt_tokens} tokens in, {paid.completion_tokens} out"
        about = ", tokens estimated" if paid.unmetered else ""
        return f"judge: {paid.calls} calls{cached}; {tokens}{about}; {dollars(paid.cost)}"

    def reserved(self, model: str, request: Request, batch: bool = False) -> Reserved:
        """Hold back what a call may cost at most, as `with` or `async with`, until it is counted or fails.

        `with` raises `BudgetReached` where what was spent and held leaves too little; `async with` first
        waits for calls on their way, which mostly cost less than was held back for them. A `batch` costs
        what its price says.

        Raises:
            UsageError: there is a limit, and the price of the model is not known.
        """
        self._remember(model, request)
        return Reserved(self, self._most(model, request) * self._factor(model, batch))

    def add(self, model: str, completion: Completion, cached: bool, batch: bool = False) -> None:
        """Count a reply.

        Args:
            model: that was asked, by the name of its price.
            completion: the reply.
            cached: whether it was paid for before.
            batch: whether it came through the provider's batch interface.
        """
        tokens, metered = self._tokens(model, completion)
        known = self.prices.cost(model, tokens)
        cost = None if known is None else known * self._factor(model, batch)
        used = Usage(1, tokens.input, tokens.output, int(not metered), cost)
        book = self._used[cached]
        book[model] = book.get(model, Usage()).plus(used)
        if not cached:
            self._spent += cost or 0.0

    def _factor(self, model: str, batch: bool) -> float:
        price = self.prices.of(model)
        return price.batch if price is not None and batch else 1.0

    def _tokens(self, model: str, completion: Completion) -> tuple[Tokens, bool]:
        told = completion.prompt_tokens, completion.completion_tokens
        if told[0] is not None and told[1] is not None:
            return Tokens(told[0], told[1]), True
        calls, tokens = self._prompts.get(model, (1, 0))
        return Tokens(told[0] or tokens // calls, told[1] or text_tokens(completion.text)), False

    def _remember(self, model: str, request: Request) -> None:
        """The usual length of a prompt, for servers that do not count tokens."""
        calls, tokens = self._prompts.get(model, (0, 0))
        self._prompts[model] = (calls + 1, tokens + estimate(request).input)

    def _most(self, model: str, request: Request) -> float:
        if self.max_cost is None:
            return 0.0
        cost = self.prices.cost(model, most(request))
        if cost is None:
            raise UsageError(
                f"--max_cost: the price of {model} is not known; give it with --judge_prices FILE "
                f"({model}: {{input: 2.5, output: 10}}, in US dollars per million tokens)"
            )
        return cost

    def _fits(self, cost: float) -> bool:
        if self.max_cost is None:
            return True
        return self._elsewhere() + self._spent + self._held + cost <= self.max_cost

    def _take(self, cost: float) -> None:
        """Hold it back.

        Raises:
            BudgetReached: it does not fit.
        """
        if not self._fits(cost):
            spent = self._elsewhere() + self._spent
            raise BudgetReached(
                f"${spent:.2f} of ${self.max_cost:.2f} are spent, the next call may cost ${cost:.4f}"
            )
        self._held += cost

    async def _take_in_time(self, cost: float) -> None:
        """Hold it back as soon as calls on their way leave enough.

        Raises:
            BudgetReached: it does not fit, and nothing is on its way.
        """
        while not self._fits(cost) and self._held > 0:
            self._freed.clear()
            await self._freed.wait()
        self._take(cost)

    def _release(self, cost: float) -> None:
        # No remainder of rounding may look like a call on its way.
        self._held = self._held - cost if self._held - cost > 1e-12 else 0.0
        self._freed.set()


@dataclass(frozen=True)
class Reserved:
    """Money that is held back for one call; see `Ledger.reserved`."""

    ledger: Ledger
    cost: float

    def __enter__(self) -> Self:
        """Hold it back now, or raise `BudgetReached`."""
        self.ledger._take(self.cost)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give it free."""
        self.ledger._release(self.cost)

    async def __aenter__(self) -> Self:
        """Hold it back as soon as it fits, or raise `BudgetReached`."""
        await self.ledger._take_in_time(self.cost)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give it free."""
        self.ledger._release(self.cost)


def reasons(model: str) -> bool:
    """Whether a model is known to reason before it answers: it takes no temperature then."""
    return "temperature" in Dialect(model).refused


class Rehearsal:
    """What a dry run would ask, and what that would cost: estimates, per model."""

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self.asked: dict[str, Usage] = {}
        self._seen: set[str] = set()

    def add(self, model: str, request: Request, calls: int = 1) -> None:
        """Count a request that would be sent; the same one again would not be.

        Args:
            model: who would be asked.
            request: the question.
            calls: with those that follow from its reply: they are not known yet, and taken to be as long.
        """
        name = digest([model, portable(request)])
        if name in self._seen:
            return
        self._seen.add(name)
        tokens = estimate(request, reasons(model))
        tokens = Tokens(calls * tokens.input, calls * tokens.output)
        used = Usage(calls, tokens.input, tokens.output, calls, self.prices.cost(model, tokens))
        self.asked[model] = self.asked.get(model, Usage()).plus(used)

    @property
    def total(self) -> Usage:
        """All models together."""
        return _sum(self.asked)

    def summary(self) -> dict[str, Json]:
        """Calls, estimated tokens and cost (None: a price is not known), in all and by model."""
        models = {name: _told(used) for name, used in sorted(self.asked.items())}
        return {**_told(self.total), "by_model": models}


def _told(used: Usage) -> dict[str, Json]:
    return {
        "calls": used.calls,
        "prompt_tokens": used.prompt_tokens,
        "completion_tokens": used.completion_tokens,
        "cost": used.cost,
    }
