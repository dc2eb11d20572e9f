"""Benchmark data: questions and golds without answers, from wherever a benchmark keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from mmeval.types import Json

__all__ = ["Benchmark"]


class Benchmark(Protocol):
    """One benchmark, opened. What was read is fixed: `rows` can be called again and gives the same."""

    @property
    def name(self) -> str:
        """The dataset's name, as the protocol library is asked for it."""

    @property
    def subset(self) -> str | None:
        """The subset of the dataset, where it has any."""

    @property
    def split(self) -> str | None:
        """The split of the dataset, where it has any."""

    @property
    def revision(self) -> str | None:
        """The revision of the data, where its source tells one."""

    @property
    def sha256(self) -> str:
        """Over what was read, in hex."""

    @property
    def source(self) -> str:
        """What to call the data in messages."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of a score over it should know, one sentence each."""

    @property
    def deviations(self) -> tuple[str, ...]:
        """Why it is not the data that the protocol library declares; a score over it is not official."""

    @property
    def n_rows(self) -> int:
        """How many rows it holds."""

    def rows(self) -> Iterator[dict[str, Json]]:
        """Every row as a sample in the layout of `result.json`, without an assistant turn; a fresh dict each.

        `eval-id`; `messages` with the user's turn alone, which holds what a prompt is made of (`question`,
        `options`, `choices`, `hint`); `answer`; the flat fields that filters, groups and graders read;
        `media` where it is known; `dataset_meta` with the dataset's identity and, where the data declares
        one, its protocol block.
        """
