"""What one run's questions need: who is asked, with which prompts, and what is known already."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mmeval.errors import JudgeError, MetadataError, UsageError
from mmeval.fingerprint import canonical_json
from mmeval.judge import cache, templates
from mmeval.judge.contracts import build_contract
from mmeval.judge.contracts.base import Contract
from mmeval.judge.declared import check, refuse_misfits
from mmeval.judge.money import BudgetReached, Rehearsal
from mmeval.judge.pictures import Load, loader
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.templates import Prompt
from mmeval.judge.wire import Completion, Provider, Rejected, Request, Transient
from mmeval.pipeline import Open
from mmeval.types import Case, Failed, Json, Sample, Verdict

if TYPE_CHECKING:
    from mmeval.judge.session import Session
    from mmeval.protocol import Plan

MAX_TOKENS = 2048
SHIPPED = "score_judge.prompt_text"
INTERRUPTED = "interrupted"
UNRECORDED = "judge-unrecorded"
# The stage that passes what it reads on to a next one, which may ask as well.
EXTRACTS = "llm-extract"
# What a stage says about the reply's contract; everything else that it says is for the prompt.
CONTRACT_PARAMS = frozenset({"labels", "texts", "several", "lo", "hi", "first"})


class Seat(NamedTuple):
    """One judge of a panel: the model that is asked, and where. Recorded replies are not stored again."""

    name: str
    provider: Provider

    @property
    def remembered(self) -> bool:
        """Whether its replies go into the cache."""
        return self.provider.identity.provider != "replay"


class Desk:
    """The judging of one run.

    Raises:
        UsageError: a prompt that does not exist, or one of another contract than the benchmark's.
    """

    def __init__(self, session: Session, plan: Plan, home: Callable[[str], Path]) -> None:
        self._session = session
        self._settings: JudgeSettings = session.settings
        self._plan = plan
        self._contracts: dict[bytes, Contract] = {}
        self._home = home
        self._loaders: dict[Path, Load] = {}
        self.rehearsal = Rehearsal(session.prices)
        self.wanted: dict[Seat, dict[str, Request]] | None = None
        self.seats: tuple[Seat, ...] = session.seats
        self.rules_only = self._settings.provider == "none"
        self.provider = self._settings.provider if self.seats or self.rules_only else None
        self.include_reason = self._settings.include_reason
        self.repeats = self._settings.repeats
        self.max_retry = self._settings.max_retry
        if plan.block.score_judge is not None:
            check(plan.block.score_judge, self._where)
        self._prompts = {name: self._resolved(name) for name in plan.prompts}
        refuse_misfits(plan, self._prompts)

    @property
    def _where(self) -> str:
        """What to call the benchmark's block in messages."""
        plan = self._plan
        return "dataset_meta at $" if plan.source == "dataset_meta" else f"protocol {plan.name} at $"

    @property
    def window(self) -> int:
        """Cases in hand at once: enough for every seat to be busy."""
        return self._session.window

    @property
    def stopped(self) -> str | None:
        """Why no further case is begun. Where money ran out, what is known already still counts."""
        return self._session.stopped if self._session.interrupted else None

    @property
    def prompts(self) -> dict[str, Prompt]:
        """Every prompt that may be put, by the id that stages know it by."""
        return self._prompts

    def hear(self, cases: Sequence[Open], progress: Callable[[int], None]) -> list[Verdict]:
        """Put the open cases of the run to the judge; their verdicts, in the same order."""
        return self._session.hear(self, cases, progress)

    def cost(self, tokens: dict[str, list[int]]) -> float | None:
        """What these tokens cost per model, in US dollars; None where a price is not known."""
        return self._session.prices.total(tokens)

    def load(self, sample: Sample) -> Load:
        """What finds the pictures of a sample: those beside the file that it stands in."""
        folder = self._home(str(sample.id))
        if folder not in self._loaders:
            self._loaders[folder] = loader(folder)
        return self._loaders[folder]

    def official(self, name: str) -> bool:
        """Whether the prompt of this id (as it was put) is the official text."""
        return any(prompt.official for prompt in self._prompts.values() if prompt.id == name)

    async def turn(self) -> None:
        """Wait for the next turn; see `mmeval.judge.turns`."""
        await self._session.turns.next()

    def prompt(self, name: str) -> Prompt:
        """The prompt that a stage means."""
        return self._prompts[name]

    def _resolved(self, name: str) -> Prompt:
        declared = self._plan.block.score_judge
        prompt = templates.prompt(name)
        if self._is_main(name):
            prompt = self._substituted(prompt)
            free = declared is None or name in declared.prompts or self._settings.prompt is None
            if declared is not None and not free and prompt.contract != declared.contract:
                raise UsageError(
                    f"--judge_prompt {name}: its contract is {prompt.contract}, the benchmark's is "
                    f"{declared.contract}; choose one of {', '.join(declared.prompts) or declared.prompt}"
                )
        return prompt

    def _substituted(self, prompt: Prompt) -> Prompt:
        """The prompt; or in its place the user's own text, or else the one that the dataset brings along."""
        file, declared = self._settings.prompt_file, self._plan.block.score_judge
        fields = () if declared is None else tuple(declared.inputs)
        places = None if declared is None else declared.placeholders
        if file is not None:
            return self._stamped(templates.from_file(file, prompt, fields, places), file.read_bytes())
        if declared is None or declared.prompt_text is None or self._settings.prompt is not None:
            return prompt
        text = declared.prompt_text
        made = templates.from_text(text, SHIPPED, prompt, places, fields, SHIPPED)
        return self._stamped(made, text.encode())

    def _stamped(self, made: Prompt, text: bytes) -> Prompt:
        """A prompt is official too where its text has the hash that the benchmark itself declares."""
        declared = self._plan.block.score_judge
        known = declared.official_prompt_sha256 if declared is not None else None
        own = known is not None and hashlib.sha256(text).hexdigest() in known
        return replace(made, official=True) if own else made

    def _is_main(self, name: str) -> bool:
        """Whether it is the benchmark's own prompt: the one that flags are about."""
        return name == self.main

    @property
    def main(self) -> str:
        """The prompt that the benchmark names, if it is put; else the first one that is."""
        declared = self._plan.block.score_judge
        wanted = self._settings.prompt or (declared.prompt if declared is not None else None)
        return wanted if wanted in self._plan.prompts else self._plan.prompts[0]

    def contract(self, prompt: Prompt, case: Case, params: dict[str, Json]) -> Contract:
        """The contract of the reply, with what the stage says about it.

        Raises:
            MetadataError: the stage's settings do not fit the contract.
        """
        own = {name: value for name, value in params.items() if name in CONTRACT_PARAMS}
        given = {**prompt.contract_params, **own, **prompt.counted(case, self.inputs(params))}
        key = canonical_json([prompt.contract, given])
        found = self._contracts.get(key)
        if found is None:
            try:
                found = build_contract(prompt.contract, given, self._settings.include_reason)
            except MetadataError as error:
                raise MetadataError(f"prompt {prompt.id}: {error}") from None
            self._contracts[key] = found
        return found

    def inputs(self, params: dict[str, Json]) -> dict[str, Json]:
        """What the stage and the benchmark say about the fields of the prompt."""
        declared = self._plan.block.score_judge
        given = {name: value for name, value in params.items() if name not in CONTRACT_PARAMS}
        return given if declared is None else {"inputs": dict(declared.inputs), **given}

    def temperature(self, prompt: Prompt) -> float | None:
        """The user's, else the prompt's, else 0."""
        if self._settings.temperature is not None:
            return self._settings.temperature
        return 0.0 if prompt.temperature is None else prompt.temperature

    def max_tokens(self, prompt: Prompt) -> int | None:
        """The user's, else the prompt's (which may have no cap), else 2048."""
        if self._settings.max_tokens is not None:
            return self._settings.max_tokens
        if prompt.max_tokens == "none":
            return None
        return MAX_TOKENS if prompt.max_tokens is None else int(prompt.max_tokens)

    def known(self, seat: Seat, request: Request) -> tuple[str, Completion | None]:
        """The key of a request, and its reply if somebody has paid for it before."""
        key = cache.key(seat.provider.identity, request)
        if not seat.remembered:
            return key, None
        found = self._session.cache.get(key)
        # What is looked for batches is looked at again when it is read, and counts then.
        if found is not None and self.wanted is None and key not in self._session.batched:
            self._session.ledger.add(seat.name, found, cached=True)
        return key, found

    async def call(self, seat: Seat, request: Request, key: str) -> Completion | Failed:
        """Ask, once for all who have the same question, and keep the reply before anything is made of it.

        Raises:
            JudgeError: no request to this seat can work.
        """
        session = self._session
        if session.broken is not None:
            raise JudgeError(str(session.broken))
        if session.stopped is not None:
            return Failed(session.stopped, "llm_error")
        if self._settings.dry_run:
            self.rehearsal.add(seat.name, request, 1 + self._following(request.stage))
            return Failed("dry-run", "llm_error")
        if self.wanted is not None:
            self.wanted.setdefault(seat, {})[key] = request
            return Failed("not-asked", "llm_error")
        if self._settings.batch:
            return Failed("judge-failed: batch", "llm_error")
        if not seat.remembered:
            return await self._send(seat, request, key)
        if key not in session.asking:
            task = asyncio.ensure_future(self._send(seat, request, key))
            session.asking[key] = task
            task.add_done_callback(lambda done: session.answered(key, done))
        return await asyncio.shield(session.asking[key])

    def _following(self, stage: str) -> int:
        """How many questions follow from an answer: what is extracted may have to be judged, too."""
        if stage != EXTRACTS:
            return 0
        pipelines = [[each.name for each in stages if each.asks] for stages in self._plan.steps.all]
        return max(len(names) - names.index(stage) - 1 for names in pipelines if stage in names)

    async def _send(self, seat: Seat, request: Request, key: str) -> Completion | Failed:
        session = self._session
        try:
            async with session.ledger.reserved(seat.name, request):
                completion = await session.transport(seat).call(request)
                if seat.remembered:
                    completion = self._kept(seat, request, key, completion)
                session.ledger.add(seat.name, completion, cached=False)
        except BudgetReached:
            session.stop("max-cost-reached")
            return Failed("max-cost-reached", "llm_error")
        except Transient as error:
            if session.interrupted and error.kind == "stopped":
                return Failed(INTERRUPTED, "llm_error")
            if error.kind != "stopped":
                self.complain(seat, request, error.kind, f"failed: {error}")
            return Failed(f"judge-failed: {error.kind}", "llm_error")
        except Rejected as error:
            if seat.remembered or not request.attempt:
                self.complain(seat, request, "refused", f"refused: {error}")
            return Failed("judge-rejected" if seat.remembered else UNRECORDED, "llm_error")
        await session.turns.next()
        return completion

    def _kept(self, seat: Seat, request: Request, key: str, completion: Completion) -> Completion:
        """The reply that stands in the cache.

        Raises:
            JudgeError: it cannot be kept, so that nothing more may be asked.
        """
        try:
            return self._session.cache.put(key, seat.provider.identity, request, completion)
        except JudgeError as error:
            self._session.give_up(error)
            raise

    def complain(self, seat: Seat, request: Request, kind: str, what: str) -> None:
        """Say what went wrong with one call."""
        self._session.complaints.add(
            f"{seat.name}: {kind}", "sample %s: %s %s", request.sample, seat.name, what
        )
