"""The settings of a judge one by one: what each may be, whoever gives it.

Flags, configuration files and the environment all give text, numbers or nothing; here each is read once, the
same for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

from mmeval.errors import UsageError
from mmeval.judge.settings import ProviderName
from mmeval.registry import nearest

PROVIDERS: tuple[str, ...] = get_args(ProviderName)
SUFFIX = "/chat/completions"
# What people write where a server wants no key; vLLM's own examples say EMPTY.
NO_KEY = frozenset({"", "empty", "none"})
# No server takes a higher temperature.
HOTTEST = 2.0


@dataclass(frozen=True, repr=False)
class Given:
    """What one source says of each setting; None where it says nothing.

    `prompt` is as written: a prompt of the library, or a file.
    """

    provider: ProviderName | None = None
    models: tuple[str, ...] | None = None
    base_url: str | None = None
    key: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    max_retry: int | None = None
    concurrency: int | None = None
    timeout: float | None = None
    include_reason: bool | None = None
    repeats: int | None = None
    prompt: str | None = None
    cache: Path | None = None
    replies: Path | None = None
    prices: Path | None = None
    max_cost: float | None = None
    batch: bool | None = None


NAMES: tuple[str, ...] = tuple(each.name for each in fields(Given))


def read(values: Mapping[str, object], called: Mapping[str, str]) -> Given:
    """The settings that a source gives, checked.

    Args:
        values: by name; None says nothing.
        called: how the source calls each of them, for messages (`--judge_model`, `x.yaml: model`).

    Raises:
        UsageError: one of them cannot be what it says. The message never holds a key.
    """
    made: dict[str, Any] = {}
    for name, value in values.items():
        if value is None:
            continue
        try:
            made[name] = READERS[name](value)
        except ValueError as error:
            raise UsageError(f"{called.get(name, name)} {error}") from None
    return Given(**made)


def _shown(value: object) -> str:
    """A value in a message; `what` it is has been said before."""
    return f"not {value!r:.80}"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text, {_shown(value)}; put it into quotes")
    if not value.strip():
        raise ValueError("is empty; leave it out, or say something")
    return value.strip()


def _provider(value: object) -> str:
    text = _text(value)
    if text not in PROVIDERS:
        raise ValueError(f"must be one of {', '.join(PROVIDERS)}, {_shown(text)}; {nearest(text, PROVIDERS)}")
    return text


def _models(value: object) -> tuple[str, ...]:
    """One name, or several for a panel: in a list, or in a text with commas."""
    listed = value if isinstance(value, list | tuple) else _text(value).split(",")
    named = tuple(map(_text, listed))
    if not named:
        raise ValueError("is an empty list; name a model")
    odd = next((name for name in named if not name.isprintable()), None)
    if odd is not None:
        raise ValueError(f"names {odd!r}, which holds a line break or another character that no name has")
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"names {twice!r} twice; ask one model several times with repeats")
    return named


def address(value: object) -> str:
    """A server's address without the path of one call; what may be a password in it is never shown.

    Raises:
        ValueError: it is no address.
    """
    text = _text(value)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.fragment:
        raise ValueError("must be an address such as https://host/v1")
    path = parts.path.rstrip("/").removesuffix(SUFFIX).rstrip("/")
    return parts._replace(path=path).geturl()


def _key(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text; put it into quotes, or better write ${NAME} of the environment")
    return "" if value.strip().casefold() in NO_KEY else value.strip()


def _number(value: object) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise ValueError(f"must be a number, {_shown(value)}") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"must be a number, {_shown(value)}")
    return float(value)


def _at_least(low: float, unit: str) -> Callable[[object], float]:
    def reader(value: object) -> float:
        number = _number(value)
        if number < low:
            raise ValueError(f"must be at least {low:g}{unit}, {_shown(value)}")
        return number

    return reader


def _temperature(value: object) -> float:
    number = _at_least(0.0, "")(value)
    if number > HOTTEST:
        raise ValueError(f"must be at most {HOTTEST:g}, {_shown(value)}")
    return number


def _above_zero(value: object) -> float:
    number = _number(value)
    if number <= 0:
        raise ValueError(f"must be more than 0 seconds, {_shown(value)}")
    return number


def _whole(low: int) -> Callable[[object], int]:
    def reader(value: object) -> int:
        number = _number(value)
        if not number.is_integer() or number < low:
            raise ValueError(f"must be a whole number of at least {low}, {_shown(value)}")
        return int(number)

    return reader


def truth(value: object) -> bool:
    """Yes or no.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().casefold() in ("true", "false"):
        return value.strip().casefold() == "true"
    raise ValueError(f"must be true or false, {_shown(value)}")


def _path(value: object) -> Path:
    return value if isinstance(value, Path) else Path(_text(value))


READERS: dict[str, Callable[[object], Any]] = {
    "provider": _provider,
    "models": _models,
    "base_url": address,
    "key": _key,
    "temperature": _temperature,
    "max_tokens": _whole(1),
    "max_retry": _whole(0),
    "concurrency": _whole(1),
    "timeout": _above_zero,
    "include_reason": truth,
    "repeats": _whole(1),
    "prompt": _text,
    "cache": _path,
    "replies": _path,
    "prices": _path,
    "max_cost": _at_least(0.0, " US dollars"),
    "batch": truth,
}
