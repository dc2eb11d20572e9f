"""Where judges live, one module each: `openai`, `azure_openai`, `local`, `replay`."""

from __future__ import annotations

import importlib

from mmeval.errors import JudgeError
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Provider


def open_provider(settings: JudgeSettings, model: str) -> Provider:
    """The provider that the settings name, for one model. Nothing is sent yet.

    Raises:
        JudgeError: the provider cannot be used: no key, no address, a library that is not installed.
    """
    if settings.provider == "none":
        raise JudgeError("no judge is configured, so none can be asked; name one with --judge_provider")
    try:
        module = importlib.import_module(f"mmeval.judge.providers.{settings.provider}")
    except ModuleNotFoundError as missing:
        if missing.name != "aiohttp":
            raise
        raise JudgeError(
            "a judge is asked over HTTP with aiohttp, which is not installed: "
            "pip install 'mmeval-score[judge]'"
        ) from None
    provider: Provider = module.open_provider(settings, model)
    return provider
