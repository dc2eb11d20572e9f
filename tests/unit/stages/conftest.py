"""What the tests of graders share: one case, from a gold and a prediction."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval.types import Case, Options, Outcome, Sample


@pytest.fixture
def case() -> Callable[..., Case]:
    """`case(gold, prediction, *previous)`; the gold is one reference or a list of them."""

    def make(gold: str | list[str], prediction: str, *previous: Outcome) -> Case:
        references = tuple(gold) if isinstance(gold, list) else (gold,)
        sample = Sample("1", "How many?", Options(()), list(references), references, (prediction,), "open")
        return Case(sample, prediction, previous)

    return make
