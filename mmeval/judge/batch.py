"""Questions by the thousand through OpenAI's batch interface: half the price, within a day.

A batch is put on record before it is sent. Whoever runs again, after a kill, a lost connection or Ctrl-C,
goes on with what is on record: nothing is sent twice. Replies go into the cache as all others do.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from mmeval.errors import JudgeError, UsageError
from mmeval.judge.cache import Cache, Stored
from mmeval.judge.keys import key
from mmeval.judge.money import BudgetReached, Ledger
from mmeval.judge.providers._batch_lines import Remote, read_line
from mmeval.judge.submissions import Submission, Submissions
from mmeval.judge.wire import Provider, Rejected, Request, Transient

if TYPE_CHECKING:
    from mmeval.judge.providers._batches import BatchApi

log = logging.getLogger("mmeval")

# OpenAI's limits: 50,000 requests and 200 MB a file.
MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000
# Seconds that another process may take between its record and the server's answer.
GRACE = 600
# How often questions are sent whose batch never reached the server.
ROUNDS = 3
# Tries before a server that cannot be reached is given up for now, and the seconds between them.
PATIENCE = 12
PAUSE, LONGEST_PAUSE = 1.0, 120.0

Progress: TypeAlias = Callable[[int, int], None]
_Got = TypeVar("_Got")


@dataclass
class BatchReport:
    """What became of the questions.

    Attributes:
        cached: were answered before.
        sent: were sent now; again where a batch never reached the server.
        resumed: were with a batch already, of an earlier call or of another process.
        answered: replies that came into the cache, also of questions that nobody asks any more.
        failed: key to reason; the server answered with an error, nothing is stored.
        unanswered: keys that no line came for: the batch expired or was cancelled.
        over_budget: were not sent, for they could exceed --max_cost.
    """

    cached: int = 0
    sent: int = 0
    resumed: int = 0
    answered: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    unanswered: list[str] = field(default_factory=list)
    over_budget: int = 0


def batch_api(provider: Provider) -> BatchApi:
    """The batch interface of a provider.

    Raises:
        UsageError: it has none that is known here.
    """
    if provider.identity.provider == "openai":
        # These stand on aiohttp, which whoever asks nobody may lack.
        from mmeval.judge.providers._batches import BatchApi
        from mmeval.judge.providers._chat import ChatProvider

        if isinstance(provider, ChatProvider):
            return BatchApi(provider)
    raise UsageError(
        f"--judge_batch: {provider.identity.provider} is asked call by call; the batch interface is that of "
        "--judge_provider openai"
    )


async def run_batch(
    requests: Sequence[Request],
    provider: Provider,
    cache: Cache,
    poll: float = 30.0,
    progress: Progress = lambda done, total: None,
    ledger: Ledger | None = None,
) -> BatchReport:
    """Have questions answered by batches, and the replies put into the cache.

    Args:
        requests: the questions; those that are in the cache, or with a batch already, are not sent.
        provider: `openai`, or a server with the same interface.
        cache: for the replies and the record.
        poll: seconds between two looks at a batch.
        progress: told how many of how many questions are done.
        ledger: counts what it costs; its limit holds for what is sent.

    Raises:
        UsageError: the provider has no batch interface.
        JudgeError: the server refuses, or is not to be reached; running again goes on.
    """
    judge = provider.identity
    work = _Work(batch_api(provider), cache, Submissions(cache, judge), judge.model, ledger)
    wanted = {key(judge, request): request for request in requests}
    report = BatchReport()
    for _ in range(ROUNDS):
        with ExitStack() as held:
            await work.send(wanted, held, report)
            lost = await work.watch(poll, progress, report)
        if not lost:
            return report
    report.unanswered += lost
    return report


def _parts(asked: Mapping[str, Request], api: BatchApi) -> Iterator[dict[str, tuple[Request, bytes]]]:
    """The questions in files that the server takes."""
    part: dict[str, tuple[Request, bytes]] = {}
    size = 0
    for name, request in asked.items():
        line = api.line(name, request)
        if part and (len(part) == MOST_REQUESTS or size + len(line) > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[name] = (request, line)
        size += len(line)
    if part:
        yield part


async def _patiently(call: Callable[[], Awaitable[_Got]], mended: Collection[str] = ()) -> _Got:
    """Call again while the server cannot be reached.

    Args:
        call: what to do; doing it twice does no harm.
        mended: the kinds of failure after which to call again; all where none is named.

    Raises:
        Transient: it failed in another way than `mended` names.
        JudgeError: the server refuses, or is not to be reached for long.
    """
    for number in range(PATIENCE):
        try:
            return await call()
        except Transient as error:
            if mended and error.kind not in mended:
                raise
            last = error
            await asyncio.sleep(error.retry_after or min(PAUSE * 2**number, LONGEST_PAUSE))
        except Rejected as error:
            raise JudgeError(f"--judge_batch: {error}") from None
        except JudgeError as error:
            raise JudgeError(f"--judge_batch: {error}") from None
    raise JudgeError(f"--judge_batch: {last}; what was sent is on record, run again to go on") from None


@dataclass
class _Work:
    """One judge's batches, and where their replies go."""

    api: BatchApi
    cache: Cache
    submissions: Submissions
    model: str
    ledger: Ledger | None

    def affordable(
        self, fresh: Mapping[str, Request], held: ExitStack, report: BatchReport
    ) -> dict[str, Request]:
        """The questions that the limit leaves room for; their money is held back until the end."""
        if self.ledger is None:
            return dict(fresh)
        taken: dict[str, Request] = {}
        for name, request in fresh.items():
            try:
                held.enter_context(self.ledger.reserved(self.model, request, batch=True))
            except BudgetReached:
                break
            taken[name] = request
        report.over_budget = len(fresh) - len(taken)
        return taken

    async def send(self, wanted: Mapping[str, Request], held: ExitStack, report: BatchReport) -> None:
        """Send what is neither known nor on its way.

        Raises:
            JudgeError: the server does not take it.
        """
        fresh = {name: request for name, request in wanted.items() if self.cache.get(name) is None}
        taken = self.submissions.taken(list(fresh))
        if not report.sent:
            report.cached, report.resumed = len(wanted) - len(fresh), len(taken)
        open_ = {name: request for name, request in fresh.items() if name not in taken}
        for part in _parts(self.affordable(open_, held, report), self.api):
            report.sent += await self.submit(part)

    async def submit(self, part: Mapping[str, tuple[Request, bytes]]) -> int:
        """Record a batch, then send it; how many questions it holds.

        Raises:
            JudgeError: the server does not take it.
        """
        record, mine = self.submissions.record({name: request for name, (request, _) in part.items()})
        if not mine:
            return 0
        with ExitStack() as undo:
            undo.callback(self.submissions.forget, record)
            with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
                file.writelines(part[name][1] for name in mine)
                file.flush()
                path, name = Path(file.name), f"mmeval-{record.id}.jsonl"
                uploaded = await _patiently(lambda: self.api.upload(path, name))
            undo.pop_all()
        await self._begin(record, uploaded)
        return len(mine)

    async def _begin(self, record: Submission, uploaded: str) -> None:
        """Have the server begin a batch that is on record.

        Raises:
            JudgeError: it does not take it.
        """
        try:
            remote = await _patiently(lambda: self.api.create(uploaded, record.id), ("rate-limit",))
        except JudgeError:
            self.submissions.forget(record)
            raise
        except Transient as error:
            # Whether the server has it is not known; it will be looked for by its mark.
            log.warning("batch %s: the answer did not come (%s)", record.id, error)
        else:
            self.submissions.known(record, remote.id)

    async def watch(self, poll: float, progress: Progress, report: BatchReport) -> list[str]:
        """Look at every batch on record until its replies are in the cache.

        Returns:
            The questions of batches that were recorded and never sent.

        Raises:
            JudgeError: the server cannot be reached for long.
        """
        counts: dict[str, tuple[int, int]] = {}
        lost: list[str] = []
        while pending := self.submissions.open():
            for submission in pending:
                remote = await self._remote(submission, lost)
                if remote is None:
                    continue
                counts[submission.id] = (
                    remote.counts.completed + remote.counts.failed,
                    self.submissions.size(submission),
                )
                if remote.over:
                    await self._collect(submission, remote, report)
            progress(sum(done for done, _ in counts.values()), sum(total for _, total in counts.values()))
            if self.submissions.open():
                await asyncio.sleep(poll)
        return lost

    async def _remote(self, submission: Submission, lost: list[str]) -> Remote | None:
        """How a batch stands; None while somebody may still be sending it, or if it was never sent."""
        name = submission.remote
        if name is not None:
            return await _patiently(lambda: self.api.get(name))
        found = await _patiently(lambda: self.api.find(submission.id))
        if found is not None:
            self.submissions.known(submission, found.id)
        elif time.time() - submission.created >= GRACE:
            log.warning("batch %s was recorded and never sent", submission.id)
            lost += self.submissions.questions(submission)
            self.submissions.forget(submission)
        return found

    async def _collect(self, submission: Submission, remote: Remote, report: BatchReport) -> None:
        """Put the replies of a batch that is over into the cache, then strike it from the record."""
        questions = self.submissions.questions(submission)
        told: set[str] = set()
        for file in (remote.output_file_id, remote.error_file_id):
            if file is not None:
                told |= await _patiently(partial(self._fetch, file, questions, report))
        missing = [name for name in questions if name not in told]
        if remote.status == "failed":
            report.failed.update(dict.fromkeys(missing, remote.why))
        else:
            report.unanswered += missing
        if missing:
            log.warning("batch %s is %s: %d questions without a reply", remote.id, remote.why, len(missing))
        self.submissions.forget(submission)

    async def _fetch(self, file: str, questions: Mapping[str, Stored], report: BatchReport) -> set[str]:
        """Read one file of replies; the questions that it has a line for."""
        told: set[str] = set()
        async for raw in self.api.content(file):
            answered = read_line(raw) if raw.strip() else None
            if answered is None or answered.name not in questions:
                continue
            told.add(answered.name)
            if answered.completion is None:
                report.failed[answered.name] = answered.why or "error"
            elif self.cache.get(answered.name) is None:
                self.cache.put_stored(questions[answered.name], answered.completion)
                report.answered += 1
                if self.ledger is not None:
                    self.ledger.add(self.model, answered.completion, cached=False, batch=True)
        return told
