"""How a judge is set up: everything that flags, a configuration file and the environment may say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

ProviderName: TypeAlias = Literal["openai", "azure_openai", "local", "replay", "none"]


@dataclass(frozen=True)
class JudgeSettings:
    """A judge, or a panel of judges.

    Attributes:
        provider: where it lives; `none` is rules only: what they leave open stays undecided.
        models: who is asked; more than one is a panel, whose majority counts.
        base_url: of an OpenAI-compatible server, without `/chat/completions`.
        key: the API key; never written anywhere.
        temperature: None leaves it to the prompt (0 unless it says otherwise).
        max_tokens: of a reply; None leaves it to the prompt (2048 unless it says otherwise).
        max_retry: tries after the first, for failed calls and for unreadable replies each.
        concurrency: calls in flight, at most.
        timeout: seconds that one call may take.
        include_reason: whether the judge is asked for a sentence of explanation too.
        repeats: how often each judge is asked the same; the majority, or the mean, counts.
        prompt: a prompt of the library by id, instead of the protocol's.
        prompt_file: a prompt of the user's, instead of the protocol's.
        cache: the folder of the reply cache; None is the user's cache folder.
        replies: recorded replies, for `replay`.
        prices: a price table over the built-in one.
        max_cost: US dollars; no call is begun that could exceed it.
        batch: whether to use the provider's batch interface.
        dry_run: whether to count only, and ask nobody.
    """

    provider: ProviderName = "openai"
    models: tuple[str, ...] = ()
    base_url: str | None = None
    key: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    max_retry: int = 3
    concurrency: int = 32
    timeout: float = 120.0
    include_reason: bool = False
    repeats: int = 1
    prompt: str | None = None
    prompt_file: Path | None = None
    cache: Path | None = None
    replies: Path | None = None
    prices: Path | None = None
    max_cost: float | None = None
    batch: bool = False
    dry_run: bool = False

    def __repr__(self) -> str:
        """Without the key."""
        return f"JudgeSettings({self.provider}, {', '.join(self.models)})"
