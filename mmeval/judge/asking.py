"""One question to a judge, or to a panel of them: from a case to a ruling."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from mmeval.judge.contracts.base import Contract, Parsed
from mmeval.judge.desk import UNRECORDED, Desk, Seat
from mmeval.judge.endings import broken_off
from mmeval.judge.orders import swapped
from mmeval.judge.templates import Prompt, Rendered
from mmeval.judge.wire import Completion, Message, Request
from mmeval.types import Call, Case, Failed, Json, Outcome, Pass, Ruling, Score, Span

# What a judge is told after a reply that could not be read; part of the request and of its key.
HINT = "Your reply could not be read. Answer the same question again. {instruction}"
BRIEFLY = "Your reply was cut off before its end. Answer the same question again, in few words. {instruction}"
SHOWN = 2000


class Court:
    """The hearings of one run; see `mmeval.judging.Court`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def window(self) -> int:
        """Cases in hand at once, at most."""
        return self._desk.window

    @property
    def stopped(self) -> str | None:
        """Why no further case is begun."""
        return self._desk.stopped

    def hearing(self, stage: str) -> Hearing:
        """A hearing for one question of a stage."""
        return Hearing(self._desk, stage)


class Vote(NamedTuple):
    """What one seat says, and the reply that it lies in."""

    ruling: Ruling | Failed
    call: Call | None


class Hearing:
    """One question of a stage; remembers the replies that counted."""

    def __init__(self, desk: Desk, stage: str) -> None:
        self._desk = desk
        self._stage = stage
        self.calls: tuple[Call, ...] = ()

    async def ask(self, case: Case, prompt: str, params: dict[str, Json]) -> Ruling | Outcome:
        """Put a prompt about a case to every seat; see `mmeval.types.Judge`.

        Raises:
            JudgeError: no seat can be asked at all.
        """
        desk = self._desk
        if desk.rules_only:
            return Pass("rules-only")
        if not desk.seats:
            return Failed("no-judge", "llm_error")
        await desk.turn()
        text = desk.prompt(prompt)
        contract = desk.contract(text, case, params)
        if not case.prediction.strip() and not text.measured:
            return Score(0.0, None, None, "empty-prediction")
        asked = self._questions(case, text, contract, params)
        if not isinstance(asked, list):
            return asked
        return self._ruled(contract, await self._votes(asked))

    def _questions(
        self, case: Case, prompt: Prompt, contract: Contract, params: dict[str, Json]
    ) -> list[_Question] | Outcome:
        """The question; with `orders: both` the same with the two answers the other way round, too."""
        given = self._desk.inputs(params)
        shown = [(case, contract, False)]
        if params.get("orders") == "both" and (turned := swapped(case, prompt, given)) is not None:
            shown.append((turned, self._desk.contract(prompt, case, {**params, "first": "model"}), True))
        found = []
        for each, reading, other in shown:
            rendered = prompt.render(each, given, reading.instruction(), self._desk.load(case.sample))
            if not isinstance(rendered, Rendered):
                return rendered
            found.append(_Question(each, self._stage, prompt, reading, rendered, other))
        return found

    async def _votes(self, questions: Sequence[_Question]) -> list[Vote]:
        votes = [
            self._vote(question, seat, number)
            for seat in self._desk.seats
            for number in range(self._desk.repeats)
            for question in questions
        ]
        return [await votes[0]] if len(votes) == 1 else list(await asyncio.gather(*votes))

    def _ruled(self, contract: Contract, votes: Sequence[Vote]) -> Ruling | Outcome:
        """One ruling of all votes. One that failed fails the question: the panel is not whole."""
        self.calls = tuple(vote.call for vote in votes if vote.call is not None)
        rulings: list[Ruling] = []
        for vote in votes:
            if isinstance(vote.ruling, Failed):
                return vote.ruling
            rulings.append(vote.ruling)
        if len(rulings) == 1:
            return rulings[0]
        return contract.merge(rulings) or Pass("judges-tied")

    async def _vote(self, question: _Question, seat: Seat, replicate: int) -> Vote:
        """Ask one seat until a reply can be read; replies that are known already do not count as tries.

        Recorded replies are all known: they are read to the last one.
        """
        desk = self._desk
        request = question.request(desk, replicate)
        asked: list[Request] = []
        fresh = 0
        while True:
            key, known = desk.known(seat, request)
            if known is None and fresh > desk.max_retry and seat.remembered:
                break
            fresh += known is None
            completion = known if known is not None else await desk.call(seat, request, key)
            if isinstance(completion, Failed):
                if request.attempt and completion.reason == UNRECORDED:
                    break  # nothing else was ever said
                return Vote(completion, None)
            why, parsed = read(question.contract, completion, question.rendered.quoted, request.max_tokens)
            call = _call(question, seat, request, completion, parsed, why)
            if parsed is not None:
                return Vote(parsed.ruling, call)
            desk.complain(seat, request, "unreadable", f"could not be read: {why}")
            asked.append(request)
            request = question.again(asked, completion, str(why))
        return Vote(Failed(f"judge-unreadable: {why}", "llm_error"), call)


class _Question(NamedTuple):
    """All that does not depend on who is asked."""

    case: Case
    stage: str
    prompt: Prompt
    contract: Contract
    rendered: Rendered
    swapped: bool = False

    def request(self, desk: Desk, replicate: int) -> Request:
        """The first request to a seat."""
        return Request(
            messages=self.rendered.messages,
            temperature=desk.temperature(self.prompt),
            max_tokens=desk.max_tokens(self.prompt),
            schema=self.contract.schema() if self.prompt.schema_allowed else None,
            replicate=replicate,
            sample=str(self.case.sample.id),
            stage=self.stage,
            prompt=self.prompt.id,
        )

    def again(self, asked: Sequence[Request], completion: Completion, why: str) -> Request:
        """The next request: more room after a reply that was cut off, else the reply and what is wrong.

        Only the last reply is shown again. Where that makes the words of an earlier request, which would get
        the same reply again, the last exchange stays in sight as well.
        """
        last, messages, room = asked[-1], self.rendered.messages, asked[-1].max_tokens
        if why == "truncated" and room is not None:
            room *= 2
        else:
            hint = BRIEFLY if why == "truncated" else HINT
            told = Message("assistant", completion.text[:SHOWN] or "(empty)")
            again = Message("user", hint.format(instruction=self.contract.instruction()))
            messages = (*messages, told, again)
            if any((each.messages, each.max_tokens) == (messages, room) for each in asked):
                messages = (*last.messages, told, again)
        return msgspec.structs.replace(last, messages=messages, max_tokens=room, attempt=last.attempt + 1)


def read(
    contract: Contract, completion: Completion, quoted: Sequence[str], room: int | None = None
) -> tuple[str | None, Parsed | None]:
    """Why a reply cannot be read, or what it says. A reply that did not come to its own end is never read.

    Args:
        contract: what a reply is.
        completion: the reply.
        quoted: texts that the judge was shown as data.
        room: tokens that the reply could have, at most.
    """
    why = broken_off(completion, room)
    if why is not None:
        return why, None
    parsed = contract.parse(completion.text, quoted)
    return (None, parsed) if isinstance(parsed, Parsed) else (parsed.reason, None)


def _call(
    question: _Question,
    seat: Seat,
    request: Request,
    completion: Completion,
    parsed: Parsed | None,
    why: str | None,
) -> Call:
    return Call(
        prompt=question.prompt.id,
        asked=seat.name,
        model=completion.model,
        reply=completion.text,
        label=None if parsed is None else parsed.ruling.label,
        replicate=request.replicate,
        attempt=request.attempt,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        logprob=None if parsed is None else logprob(completion, parsed.span),
        why=why,
        swapped=question.swapped,
    )


def logprob(completion: Completion, span: Span | None) -> float | None:
    """The log-probability of the tokens that the verdict's word lies in; None where it is not known."""
    if span is None or not completion.logprobs:
        return None
    at, total = 0, 0.0
    for token, value in completion.logprobs:
        if at < span[1] and at + len(token) > span[0]:
            total += value
        at += len(token)
    return round(total, 6) if at == len(completion.text) else None
