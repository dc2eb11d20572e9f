"""The flags of `mmeval score` that set up a judge."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Providers(StrEnum):
    """Where a judge lives."""

    openai = "openai"
    azure_openai = "azure_openai"
    local = "local"
    replay = "replay"
    none = "none"


Provider = Annotated[
    Providers | None,
    typer.Option(
        "--judge_provider",
        help="openai (any compatible server), azure_openai, local (vLLM here), replay, none (rules only).",
    ),
]
Model = Annotated[
    str | None,
    typer.Option("--judge_model", help="Model to ask; several, comma-separated, are a panel."),
]
BaseUrl = Annotated[
    str | None, typer.Option("--judge_base_url", help="Address of an OpenAI-compatible server, up to /v1.")
]
Temperature = Annotated[float | None, typer.Option("--judge_temperature", min=0.0, max=2.0)]
MaxTokens = Annotated[
    int | None, typer.Option("--judge_max_tokens", min=1, help="Longest reply; 2048 unless the prompt says.")
]
MaxRetry = Annotated[
    int | None,
    typer.Option("--judge_max_retry", min=0, help="Further tries after a failed or unreadable reply; 3."),
]
Concurrency = Annotated[
    int | None, typer.Option("--judge_concurrency", min=1, help="Calls in flight, at most; 32.")
]
Timeout = Annotated[float | None, typer.Option("--judge_timeout", min=0.1, help="Seconds for one call; 120.")]
Reason = Annotated[
    bool | None, typer.Option("--judge_include_reason", help="Ask for a sentence of explanation too.")
]
Repeats = Annotated[
    int | None,
    typer.Option("--judge_repeats", min=1, help="Ask each question so often; the majority counts."),
]
Prompt = Annotated[
    str | None, typer.Option("--judge_prompt", help="A prompt that the benchmark takes, or a file with one.")
]
Config = Annotated[
    Path | None, typer.Option("--judge_config", help="YAML file with these settings, or OpenVLHarness' form.")
]
CacheFolder = Annotated[
    Path | None, typer.Option("--judge_cache", help="Folder of the reply cache; else MMEVAL_CACHE_DIR.")
]
Replies = Annotated[
    Path | None, typer.Option("--judge_replies", help="Recorded replies, for --judge_provider replay.")
]
PriceTable = Annotated[
    Path | None, typer.Option("--judge_prices", help="Prices per model, over the built-in table.")
]
MaxCost = Annotated[
    float | None, typer.Option("--max_cost", min=0.0, help="US dollars that the judge may cost, at most.")
]
Batch = Annotated[bool, typer.Option("--judge_batch", help="Ask through the provider's batch interface.")]
DryRun = Annotated[bool, typer.Option("--dry_run", help="Ask nobody: say what would be asked and cost.")]
