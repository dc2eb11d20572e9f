"""What tokens cost, and how many a request will take before it is sent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mmeval.errors import UsageError
from mmeval.fingerprint import canonical_json
from mmeval.judge.wire import Message, Request, Text

# Characters of ASCII per token. English has about 4, code and JSON about 3.
_ASCII_PER_TOKEN = 3.5
# Bytes in UTF-8 per token beyond ASCII: a CJK character (3 bytes) counts 1.5 tokens, a Cyrillic one (2) 1.
_BYTES_PER_TOKEN = 2
# What the chat format adds to each message.
_MESSAGE = 4
# A picture at high detail: OpenAI counts 85 + 170 per tile of 512 x 512, at most 6 tiles for 1,024 x 1,536.
PICTURE = 1105
# A verdict is a few words, with a sentence of explanation some more.
_VERDICT, _EXPLAINED = 64, 256
# What a model that reasons before it answers takes besides: a guess, for servers count it among the output.
_REASONED = 1024
_EXPLANATIONS = frozenset({"reason", "reasoning", "explanation"})
# What a reply may take at most where nothing caps it.
UNCAPPED = 16_384


class Price(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Of one model: US dollars per million tokens, and the factor for its batch interface."""

    input: float
    output: float
    batch: float = 1.0
    source: str | None = None
    date: str | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1e6


class Tokens(NamedTuple):
    """How many go in and how many come out."""

    input: int
    output: int


FREE = Price(0.0, 0.0)
_FREE_PROVIDERS = frozenset({"local", "replay", "none"})


class Prices:
    """A table of prices. A model that it does not name has none: unknown, never free.

    Attributes:
        free: whether nobody is paid, because the model is the user's own or its replies are recorded.
    """

    def __init__(self, table: Mapping[str, Price], free: bool = False) -> None:
        self._table = dict(table)
        self.free = free

    @classmethod
    def load(cls, path: Path | None = None, provider: str = "openai") -> Prices:
        """The built-in table, with a user's own over it.

        Args:
            path: JSON or YAML: `{model: {input: 2.5, output: 10}}`, or the same below `models`.
            provider: with `local` and `replay` everything is free.

        Raises:
            UsageError: the user's table cannot be read.
        """
        own = {} if path is None else _read(path)
        return cls({**_built_in(), **own}, provider in _FREE_PROVIDERS)

    def of(self, model: str) -> Price | None:
        """The price of a model by its exact name, for snapshots of one model differ; None if unknown."""
        return FREE if self.free else self._table.get(model)

    def cost(self, model: str, tokens: Tokens) -> float | None:
        """US dollars for some tokens of a model; None where its price is not known."""
        price = self.of(model)
        return None if price is None else price.cost(*tokens)

    def total(self, tokens: Mapping[str, Sequence[int]]) -> float | None:
        """US dollars for tokens (in, out) by model; None where the price of one of them is not known."""
        costs = [self.cost(model, Tokens(*used)) for model, used in sorted(tokens.items())]
        known = [cost for cost in costs if cost is not None]
        return math.fsum(known) if len(known) == len(costs) else None


@cache
def _built_in() -> dict[str, Price]:
    return _table(msgspec.json.decode(resources.files("mmeval.judge").joinpath("prices.json").read_bytes()))


def _table(content: Any) -> dict[str, Price]:
    models = content.get("models", content) if isinstance(content, dict) else content
    return msgspec.convert(models, dict[str, Price])


def _read(path: Path) -> dict[str, Price]:
    import yaml

    try:
        # JSON is YAML.
        table = _table(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"--judge_prices {path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise UsageError(
            f"--judge_prices {path}: {' '.join(str(error).split())}; write JSON or YAML: model name, then "
            "input and output in US dollars per million tokens"
        ) from None
    wrong = [name for name, price in table.items() if not _sane(price)]
    if wrong:
        raise UsageError(f"--judge_prices {path}: {wrong[0]}: a price is a number, 0 or more")
    return table


def _sane(price: Price) -> bool:
    return all(math.isfinite(value) and value >= 0 for value in (price.input, price.output, price.batch))


def estimate(request: Request, reasons: bool = False) -> Tokens:
    """Tokens that a request is likely to take: the prompt on the safe side, and a typical reply.

    Without a tokenizer: 3.5 characters of ASCII are a token, 2 bytes in UTF-8 beyond it, a picture is 1,105.
    A verdict takes 64 tokens, with an explanation 256, and 1,024 more where the model `reasons` first; or the
    cap if that is less.
    """
    typical = (_EXPLAINED if _explains(request) else _VERDICT) + reasons * _REASONED
    return Tokens(
        _prompt(request), typical if request.max_tokens is None else min(request.max_tokens, typical)
    )


def most(request: Request) -> Tokens:
    """Tokens that a request may take at most: as `estimate`, and a reply as long as its cap."""
    return Tokens(_prompt(request), UNCAPPED if request.max_tokens is None else request.max_tokens)


def text_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few.

    >>> text_tokens("The answer is B."), text_tokens("正确的回答")
    (5, 8)
    """
    if text.isascii():
        return math.ceil(len(text) / _ASCII_PER_TOKEN)
    plain = len(text.encode("ascii", "ignore"))
    wide = len(text.encode("utf-8", "replace")) - plain
    return math.ceil(plain / _ASCII_PER_TOKEN + wide / _BYTES_PER_TOKEN)


def _prompt(request: Request) -> int:
    schema = 0 if request.schema is None else text_tokens(canonical_json(request.schema).decode())
    return schema + sum(_MESSAGE + _content(message) for message in request.messages)


def _content(message: Message) -> int:
    if isinstance(message.content, str):
        return text_tokens(message.content)
    return sum(text_tokens(part.text) if isinstance(part, Text) else PICTURE for part in message.content)


def _explains(request: Request) -> bool:
    fields = (request.schema or {}).get("properties", {})
    return not _EXPLANATIONS.isdisjoint(fields)
