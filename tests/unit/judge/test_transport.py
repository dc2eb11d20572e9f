"""The transport: what is tried again, how long it waits, and when it stops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_time import run

from mmeval.errors import JudgeError
from mmeval.judge.transport import Patience, Transport, backoff
from mmeval.judge.wire import Completion, Identity, Message, Rejected, Request, Transient

REQUEST = Request((Message("user", "Is it so?"),))
DONE = Completion("yes")


class Scripted:
    """A provider that does what the script says, then answers."""

    identity = Identity("openai", "http://judge/v1", "judge")

    def __init__(self, script: Iterable[Exception | Completion] = (), seconds: float = 0.0) -> None:
        self.script = iter(script)
        self.seconds = seconds
        self.times: list[float] = []
        self.in_flight = self.peak = 0
        self.closed = False

    async def complete(self, request: Request) -> Completion:
        self.times.append(asyncio.get_running_loop().time())
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.in_flight -= 1
        step = next(self.script, DONE)
        if isinstance(step, Exception):
            raise step
        return step

    async def close(self) -> None:
        self.closed = True


def transport(provider: Scripted, concurrency: int = 4, max_retry: int = 3, jitter: float = 1.0) -> Transport:
    return Transport(provider, concurrency, max_retry, jitter=lambda: jitter)


def limited(retry_after: float | None = None) -> Transient:
    return Transient("rate-limit", "slow down", retry_after)


def ask(provider: Scripted, max_retry: int = 3) -> Completion:
    return run(transport(provider, max_retry=max_retry).call(REQUEST))


FAILURES = ["server", "connection", "timeout", "malformed"]


@pytest.mark.parametrize("kind", FAILURES)
def test_failures_have_max_retry_more_tries(kind: str) -> None:
    provider = Scripted(Transient(kind, f"{kind}!") for _ in range(4))
    with pytest.raises(Transient, match=f"{kind}!"):
        ask(provider)
    assert provider.times == [0, 1, 3, 7]
    assert ask(Scripted(Transient(kind, "!") for _ in range(3))) == DONE


def test_without_retries_there_is_one_try() -> None:
    provider = Scripted([Transient("server", "!")])
    with pytest.raises(Transient):
        ask(provider, max_retry=0)
    assert len(provider.times) == 1


def test_an_empty_reply_is_a_reply() -> None:
    assert ask(Scripted([Completion("")])) == Completion("")


def test_rate_limits_are_no_failures() -> None:
    provider = Scripted(limited() for _ in range(9))
    assert ask(provider, max_retry=0) == DONE
    waits = [after - before for before, after in zip(provider.times, provider.times[1:], strict=False)]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_a_rate_limit_that_never_ends_is_given_up_after_ten_minutes() -> None:
    provider = Scripted(limited() for _ in range(1000))
    with pytest.raises(Transient, match="slow down"):
        ask(provider)
    assert 600 <= provider.times[-1] <= 660


def test_once_ten_minutes_passed_in_silence_later_calls_give_up_at_their_first_429() -> None:
    provider = Scripted(limited() for _ in range(1000))
    way = transport(provider)

    async def main() -> int:
        for _ in range(3):
            with pytest.raises(Transient):
                await way.call(REQUEST)
        return len(provider.times)

    first = Scripted(limited() for _ in range(1000))
    with pytest.raises(Transient):
        ask(first)
    assert run(main()) == len(first.times) + 2


def test_a_limit_that_lasts_longer_than_anybody_waits_is_given_up_at_once() -> None:
    provider = Scripted([limited(86_400)])
    with pytest.raises(Transient):
        ask(provider)
    assert provider.times == [0]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param([5.0], [0, 5.5], id="as-asked-with-a-tenth"),
        pytest.param([0.01], [0, 0.011], id="short"),
        pytest.param([0.0, 0.0, 0.0], [0, 0, 1, 3], id="zero-is-believed-once"),
        pytest.param([None, 30.0], [0, 1, 34], id="asked-later"),
    ],
)
def test_retry_after_is_honoured(asked: list[float | None], expected: list[float]) -> None:
    provider = Scripted(limited(seconds) for seconds in asked)
    assert ask(provider) == DONE
    assert provider.times == pytest.approx(expected)


def test_retry_after_of_a_server_error_is_honoured_too() -> None:
    provider = Scripted([Transient("server", "busy", 20.0)])
    ask(provider)
    assert provider.times == pytest.approx([0, 22])


def test_rate_limits_and_failures_are_counted_apart() -> None:
    script = [limited(), Transient("server", "!"), limited(), Transient("server", "!"), limited()]
    assert ask(Scripted(script), max_retry=2) == DONE
    with pytest.raises(Transient):
        ask(Scripted(script), max_retry=1)


@pytest.mark.parametrize(
    "error",
    [pytest.param(Rejected("too long"), id="rejected"), pytest.param(JudgeError("no key"), id="auth")],
)
def test_what_no_try_mends_is_not_tried_again(error: Exception) -> None:
    provider = Scripted([error])
    with pytest.raises(type(error), match=str(error)):
        ask(provider)
    assert len(provider.times) == 1


def test_a_judge_error_stops_every_later_call_and_those_that_wait() -> None:
    provider = Scripted([JudgeError("no key")], seconds=1.0)
    way = transport(provider, concurrency=1)

    async def main() -> list[object]:
        found: list[object] = await asyncio.gather(
            *(way.call(REQUEST) for _ in range(5)), return_exceptions=True
        )
        with pytest.raises(JudgeError, match="no key"):
            await way.call(REQUEST)
        return found

    assert [str(each) for each in run(main())] == ["no key"] * 5
    assert len(provider.times) == 1


def test_a_rejected_request_stops_nobody_else() -> None:
    way = transport(Scripted([Rejected("too long")]))

    async def main() -> Completion:
        with pytest.raises(Rejected):
            await way.call(REQUEST)
        return await way.call(REQUEST)

    assert run(main()) == DONE


def breaker(
    script: Iterable[Exception | Completion], calls: int = 200, concurrency: int = 4
) -> tuple[int, list[str]]:
    """How often a provider was asked, and how the calls ended."""
    provider = Scripted(script)
    way = transport(provider, concurrency)

    async def main() -> list[str]:
        found = await asyncio.gather(*(way.call(REQUEST) for _ in range(calls)), return_exceptions=True)
        return [each.kind if isinstance(each, Transient) else type(each).__name__ for each in found]

    ended = run(main())
    return len(provider.times), ended


def broken(count: int) -> list[Exception | Completion]:
    return [Transient("connection", "refused") for _ in range(count)]


def test_where_nobody_ever_answers_calls_fail_at_once() -> None:
    asked, ended = breaker(broken(10_000))
    assert asked <= 24
    assert set(ended) <= {"unreachable", "connection"}
    assert ended.count("unreachable") >= 180


def test_the_breaker_knows_the_concurrency() -> None:
    assert 128 <= breaker(broken(10_000), calls=1000, concurrency=64)[0] <= 192


def test_a_server_that_goes_away_for_good_is_given_up_too() -> None:
    asked, ended = breaker([DONE, *broken(10_000)], calls=2000)
    assert 200 <= asked <= 260
    assert ended.count("unreachable") >= 1700


@pytest.mark.parametrize(
    "first",
    [
        pytest.param([DONE], id="once-answered"),
        pytest.param([*broken(19), Transient("server", "!")], id="interrupted"),
        pytest.param([*broken(19), Rejected("!")], id="rejected"),
    ],
)
def test_the_breaker_needs_failures_in_a_row_and_no_success(first: list[Exception | Completion]) -> None:
    _, ended = breaker([*first, *broken(15)])
    assert "unreachable" not in ended


def test_in_flight_stays_below_the_cap_and_backoff_holds_no_place() -> None:
    provider = Scripted([Transient("server", "!") for _ in range(4)], seconds=1.0)
    way = transport(provider, concurrency=4)

    async def main() -> float:
        await asyncio.gather(*(way.call(REQUEST) for _ in range(16)))
        return asyncio.get_running_loop().time()

    assert run(main()) == 5.0
    assert provider.peak == 4


def test_429s_shrink_the_window() -> None:
    provider = Scripted([limited() for _ in range(64)], seconds=0.1)
    way = transport(provider, concurrency=64, jitter=0.5)

    async def main() -> None:
        await asyncio.gather(*(way.call(REQUEST) for _ in range(64)))

    run(main())
    assert 32 < way.limiter.window.limit < 64
    assert max(provider.times.count(time) for time in provider.times[64:]) <= 34


def test_a_cancelled_call_gives_its_place_back() -> None:
    provider = Scripted(seconds=10.0)
    way = transport(provider, concurrency=1)

    async def main() -> Completion:
        first = asyncio.create_task(way.call(REQUEST))
        await asyncio.sleep(1)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        return await way.call(REQUEST)

    assert run(main()) == DONE


def test_stopping_ends_what_waits_and_lets_finish_what_is_in_flight() -> None:
    script = [limited(300.0), Transient("server", "!", 400.0), *(DONE for _ in range(9))]
    provider = Scripted(script, seconds=2.0)
    way = transport(provider, concurrency=2)

    async def main() -> tuple[float, list[str]]:
        calls = [asyncio.create_task(way.call(REQUEST)) for _ in range(6)]
        await asyncio.sleep(10)
        way.stop("interrupted")
        found = await asyncio.gather(*calls, return_exceptions=True)
        assert [str(each) for each in found] == ["interrupted"] * 6
        return asyncio.get_running_loop().time(), [each.kind for each in found if isinstance(each, Transient)]

    assert run(main()) == (10.0, ["stopped"] * 6)
    assert len(provider.times) == 2
    assert way.limiter.in_flight == 0


def test_what_is_in_flight_when_it_stops_still_arrives() -> None:
    provider = Scripted([DONE, limited(300.0)], seconds=5.0)
    way = transport(provider, concurrency=2)

    async def main() -> tuple[float, list[object]]:
        calls = [asyncio.create_task(way.call(REQUEST)) for _ in range(4)]
        await asyncio.sleep(1)
        way.stop("interrupted")
        found: list[object] = await asyncio.gather(*calls, return_exceptions=True)
        return asyncio.get_running_loop().time(), [each if each == DONE else str(each) for each in found]

    assert run(main()) == (5.0, [DONE, *["interrupted"] * 3])


def test_a_judge_error_wakes_those_that_wait_for_their_next_try() -> None:
    provider = Scripted([Transient("server", "!", 500.0), JudgeError("no key")])
    way = transport(provider)

    async def main() -> list[str]:
        calls = [asyncio.create_task(way.call(REQUEST)) for _ in range(2)]
        return [str(each) for each in await asyncio.gather(*calls, return_exceptions=True)]

    assert run(main()) == ["no key", "no key"]
    assert provider.times == [0, 0]


def test_closing_closes_the_provider() -> None:
    provider = Scripted()
    run(transport(provider).close())
    assert provider.closed


def test_backoff_doubles_up_to_a_minute() -> None:
    assert [backoff(tries) for tries in (1, 2, 3, 6, 7, 8, 1000)] == [1, 2, 4, 32, 60, 60, 60]


@settings(deadline=None)
@given(
    st.integers(0, 6),
    st.lists(
        st.tuples(st.sampled_from([*FAILURES, "rate-limit"]), st.none() | st.floats(0, 500)), max_size=40
    ),
    st.floats(0, 1),
)
def test_waits_are_bounded_and_tries_are_counted(
    max_retry: int, met: list[tuple[str, float | None]], jitter: float
) -> None:
    patience, now, failures = Patience(max_retry, lambda: jitter), 0.0, 0
    for kind, asked in met:
        failures += kind != "rate-limit"
        wait = patience.wait(Transient(kind, "", asked), now, 0.0)
        if kind != "rate-limit":
            assert (wait is None) == (failures > max_retry)
        if wait is None:
            return
        assert (asked or 0.0) <= wait <= max(60.0, 1.1 * (asked or 0.0))
        now += wait


def test_jitter_spreads_calls_over_half_of_the_wait() -> None:
    waits = [first_wait(lambda low=low: low) for low in (0.0, 0.5, 1.0)]
    assert waits == [0.5, 0.75, 1.0]


def first_wait(jitter: Callable[[], float]) -> float | None:
    return Patience(3, jitter).wait(Transient("server", ""), 0.0, 0.0)
