"""How the tables of the contracts are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from mmeval.judge.contracts.base import Contract, Unreadable

Read = Callable[..., str]


@pytest.fixture
def read() -> Read:
    """`read(contract, reply)`: the label of the verdict, or `!` and why there is none."""

    def label(contract: Contract, reply: str, quoted: Sequence[str] = ()) -> str:
        parsed = contract.parse(reply, quoted)
        if isinstance(parsed, Unreadable):
            return f"!{parsed.reason}"
        assert parsed.span is None or 0 <= parsed.span[0] < parsed.span[1] <= len(reply)
        return parsed.ruling.label

    return label
