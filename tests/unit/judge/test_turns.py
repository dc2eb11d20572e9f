"""Work in turns: in order, one per round of the loop, and never lost."""

from __future__ import annotations

import asyncio

from scripted_judge import run

from mmeval.judge.turns import Turns


def test_turns_come_in_order_and_one_at_a_time() -> None:
    async def main() -> tuple[list[int], list[int]]:
        turns, done, rounds = Turns(), [], [0]
        loop = asyncio.get_running_loop()

        def count() -> None:
            rounds[0] += 1
            if len(done) < 20:
                loop.call_soon(count)

        loop.call_soon(count)
        seen = []

        async def work(number: int) -> None:
            await turns.next()
            done.append(number)
            seen.append(rounds[0])

        await asyncio.gather(*(work(number) for number in range(20)))
        return done, seen

    done, seen = run(main())
    assert done == list(range(20))
    assert len(set(seen)) == 20, "two had their turn in one round of the loop"


def test_who_gave_up_costs_nobody_a_turn() -> None:
    async def main() -> list[int]:
        turns, done = Turns(), []

        async def work(number: int) -> None:
            await turns.next()
            done.append(number)

        tasks = [asyncio.ensure_future(work(number)) for number in range(5)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await work(9)
        return done

    assert run(main()) == [0, 3, 4, 9]
