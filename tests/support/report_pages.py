"""Scored runs for tests of reports, and what a page holds, read as a browser would."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from mmeval.runner import Job, score_run

# A picture of one pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
WORDS = (
    "answer",
    "found",
    "in",
    "one",
    "sees",
    "beside",
    "door",
    "window",
    "road",
    "tree",
    "dog",
    "cat",
    "here",
)


class Page(HTMLParser):
    """The elements of a page, its attributes, and the text of its script blocks by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.blocks: dict[str, str] = {}
        self._inside: str | None = None
        self.comments: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._inside = (dict(attrs).get("id") or tag) if tag in ("script", "style") else None

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.blocks[self._inside] = self.blocks.get(self._inside, "") + data

    @property
    def head(self) -> dict[str, Any]:
        """What the page says in plain JSON."""
        told: dict[str, Any] = json.loads(self.blocks["head"])
        return told

    def unpacked(self, name: str) -> Any:
        """A packed block."""
        return json.loads(gzip.decompress(base64.b64decode(self.blocks[name])))

    def rows(self, run: int = 0) -> list[dict[str, Any]]:
        """Every row of a run, in order."""
        names = [name for name in self.blocks if re.fullmatch(rf"rows-{run}-\d+", name)]
        return [row for name in names for row in self.unpacked(name)]


def sample(number: object, answer: Any, response: Any, **columns: Any) -> dict[str, Any]:
    """One row of a result file."""
    turn = {"role": "user", "question": columns.pop("question", "What is it?")}
    if "options" in columns:
        turn["options"] = columns.pop("options")
    made = {"eval-id": number, "answer": answer, **columns}
    return {**made, "messages": [turn, {"role": "assistant", "response": response}]}


def scored(
    folder: Path, samples: Sequence[dict[str, Any]], meta: dict[str, Any] | None = None, **job: Any
) -> Path:
    """A run in a folder, scored; the path of its score file."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [row if meta is None else {**row, "dataset_meta": meta} for row in samples]
    (folder / "result.json").write_text(json.dumps(made), encoding="utf-8")
    return score_run(folder / "result.json", Job(**job)).score


LETTERS = {
    "dataset_name": "Letters",
    "score_pipeline": ["exact-match", "rule-match"],
    "score_params": {"stages": {"rule-match": {"settle_misses": True}}},
    "score_aggregates": [{"name": "accuracy", "reduce": "mean", "by": "kind", "headline": True}],
}
OPTIONS = {"A": "a dog", "B": "a cat", "C": "a road", "D": "a tree"}
REPLIES = ("{}", "The answer is {}.", "Well, I see two of them. Final answer: {}", "It might be A or B.")


def _words(number: int) -> list[str]:
    return [WORDS[(number * 7 + step * 3) % len(WORDS)] for step in range(18)]


def letters(count: int, habit: int) -> list[dict[str, Any]]:
    """Rows of multiple choice; another `habit` gives other replies to the same questions."""
    return [
        sample(
            number,
            "ABCD"[number % 4],
            REPLIES[(number * habit) % len(REPLIES)].format("ABCD"[(number + habit * (number % 5 == 0)) % 4]),
            question=f"Question {number}: {' '.join(_words(number))}?",
            options=OPTIONS,
            kind=("near", "far", "beside")[number % 3],
        )
        for number in range(count)
    ]


def wordy(count: int) -> list[dict[str, Any]]:
    """Rows whose questions and replies hardly compress: some 120 characters of each, in invented words."""
    dice = random.Random(0)
    words = ["".join(dice.choices("aeioubdgklmnprst", k=dice.randint(2, 9))) for _ in range(4000)]
    return [
        sample(
            number,
            "ABCD"[number % 4],
            f"{' '.join(dice.choices(words, k=18))}. The answer is {dice.choice('ABCD')}.",
            question=f"{' '.join(dice.choices(words, k=18))}?",
            options=OPTIONS,
            kind=dice.choice(("near", "far", "beside")),
        )
        for number in range(count)
    ]
