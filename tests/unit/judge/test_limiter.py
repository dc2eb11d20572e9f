"""The limiter: never above its cap, halved once per round of 429s, grown back, held by Retry-After."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_time import run

from mmeval.judge.limiter import Ending, Limiter, Window

ENDINGS: tuple[Ending, ...] = ("ok", "limited", "server", "other")


def started(window: Window, count: int) -> list[int]:
    return [window.start() for _ in range(count)]


def test_it_starts_at_the_cap() -> None:
    assert Window(64).limit == 64
    assert Window(0).limit == 1


def test_a_round_of_429s_halves_once() -> None:
    window = Window(64)
    calls = started(window, 64)
    for call in calls:
        window.end(call, "limited")
    assert window.limit == 32


def test_calls_started_after_a_cut_halve_again() -> None:
    window = Window(64)
    first = started(window, 64)
    window.end(first[0], "limited")
    later = started(window, 1)
    for call in [*first[1:], *later]:
        window.end(call, "limited")
    assert window.limit == 16


def test_it_never_falls_below_one() -> None:
    window = Window(8)
    for _ in range(20):
        window.end(window.start(), "limited")
    assert window.limit == 1


@pytest.mark.parametrize(
    ("cap", "rounds"), [pytest.param(32, 16, id="one-call-a-round"), pytest.param(256, 23, id="by-share")]
)
def test_successes_grow_it_back(cap: int, rounds: int) -> None:
    window = Window(cap)
    window.end(window.start(), "limited")
    count = 0
    while window.limit < cap:
        count += 1
        for call in started(window, int(window.limit)):
            window.end(call, "ok")
    assert count in (rounds, rounds + 1)


def test_a_server_error_pauses_growth_for_a_round() -> None:
    window = Window(64)
    window.end(window.start(), "limited")
    window.end(window.start(), "server")
    for call in started(window, 32):
        window.end(call, "ok")
    assert window.limit == 32
    window.end(window.start(), "ok")
    assert window.limit > 32


def test_other_endings_say_nothing() -> None:
    window = Window(64)
    window.end(window.start(), "limited")
    window.end(window.start(), "other")
    assert window.limit == 32


@settings(deadline=None)
@given(st.integers(1, 300), st.lists(st.sampled_from(ENDINGS), max_size=200))
def test_the_limit_stays_between_one_and_the_cap(cap: int, endings: list[Ending]) -> None:
    window = Window(cap)
    for ending in endings:
        before = window.limit
        window.end(window.start(), ending)
        assert 1 <= window.limit <= cap
        assert window.limit >= before / 2
        assert ending == "ok" or window.limit <= before


@settings(deadline=None)
@given(st.integers(1, 100), st.data())
def test_a_batch_of_429s_is_one_cut_in_any_order(cap: int, data: st.DataObject) -> None:
    window = Window(cap)
    for call in data.draw(st.permutations(started(window, cap))):
        window.end(call, "limited")
    assert window.limit == max(1, cap / 2)


async def crowd(limiter: Limiter, plan: list[tuple[float, Ending]]) -> tuple[int, list[int]]:
    """Calls of given lengths: the most at once, and the order in which they started."""
    most, order = 0, []

    async def one(index: int, seconds: float, ending: Ending) -> None:
        nonlocal most
        number = await limiter.enter()
        order.append(index)
        most = max(most, limiter.in_flight)
        await asyncio.sleep(seconds)
        limiter.leave(number, ending)

    await asyncio.gather(*(one(index, *each) for index, each in enumerate(plan)))
    return most, order


@settings(deadline=None)
@given(
    st.integers(1, 8),
    st.lists(st.tuples(st.floats(0, 5, allow_nan=False), st.sampled_from(ENDINGS)), max_size=40),
)
def test_never_above_the_cap_and_first_come_first_served(cap: int, plan: list[tuple[float, Ending]]) -> None:
    limiter = Limiter(cap)
    most, order = run(crowd(limiter, plan))
    assert most <= cap
    assert order == list(range(len(plan)))
    assert limiter.in_flight == 0


@settings(deadline=None)
@given(st.integers(1, 4), st.lists(st.booleans(), min_size=1, max_size=30))
def test_cancelled_calls_leave_no_hole(cap: int, cancelled: list[bool]) -> None:
    async def main() -> int:
        limiter = Limiter(cap)

        async def one() -> None:
            number = await limiter.enter()
            try:
                await asyncio.sleep(1)
            finally:
                limiter.leave(number, "ok")

        tasks = [asyncio.create_task(one()) for _ in cancelled]
        await asyncio.sleep(0.5)
        for task, gone in zip(tasks, cancelled, strict=True):
            if gone:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert [task.cancelled() for task in tasks] == cancelled
        return limiter.in_flight

    assert run(main()) == 0


def test_who_is_cancelled_in_the_moment_of_its_turn_passes_it_on() -> None:
    async def main() -> int:
        limiter = Limiter(1)
        first = await limiter.enter()
        unlucky, last = asyncio.create_task(limiter.enter()), asyncio.create_task(limiter.enter())
        await asyncio.sleep(1)
        limiter.leave(first, "ok")
        unlucky.cancel()
        return await last

    assert run(main()) == 2


def test_retry_after_holds_new_calls() -> None:
    async def main() -> list[float]:
        limiter, loop, starts = Limiter(4), asyncio.get_running_loop(), []

        async def one() -> None:
            number = await limiter.enter()
            starts.append(loop.time())
            limiter.leave(number, "ok")

        limiter.leave(await limiter.enter(), "limited", retry_after=7.0)
        await asyncio.gather(*(one() for _ in range(6)))
        return starts

    assert run(main()) == [7.0] * 6


def test_a_shorter_wait_does_not_shorten_a_longer_one() -> None:
    window = Window(4)
    window.hold(10)
    window.hold(5)
    assert [window.held(0), window.held(9), window.held(11)] == [10, 1, 0]


def test_a_server_that_asks_for_an_hour_does_not_hold_everybody() -> None:
    async def main() -> float:
        limiter = Limiter(1)
        limiter.leave(await limiter.enter(), "limited", retry_after=3600)
        return limiter.window.held(asyncio.get_running_loop().time())

    assert run(main()) == 0


def test_who_is_cancelled_while_held_gives_its_place_back() -> None:
    async def main() -> int:
        limiter = Limiter(1)
        limiter.leave(await limiter.enter(), "limited", retry_after=5)
        waiting = asyncio.create_task(limiter.enter())
        await asyncio.sleep(1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return limiter.in_flight

    assert run(main()) == 0
