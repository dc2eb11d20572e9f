"""Graders and number rules against the peers' own code, on thousands of generated inputs.

Needs `MMEVAL_PEERS_PYTHON` (see peer_oracle.py). No difference is tolerated but those named here:

* Blank references: the peers give them credit (one is near a short answer, and contained in every answer);
  we pass over them. The generator makes none.
* OCRBench: lmms-eval folds full-width characters, VLMEvalKit (our source) does not; compared on ASCII.
* lmms-eval's TextVQA takes the exact mean of fractions, m4c_evaluator.py (our source) sums doubles:
  compared to twelve decimals.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mmeval.answers import ocrbench
from mmeval.numbers._relaxed import relaxed
from mmeval.numbers._spatial import mean_relative_accuracy, read_number
from mmeval.reading import Knobs
from mmeval.stages.anls import Anls
from mmeval.stages.vqa_accuracy import VqaAccuracy
from mmeval.text.vqa import evalai, vlmevalkit
from mmeval.types import Case, Options, Sample, Score

Ask = Callable[[str, list[list[Any]]], list[Any]]
COUNT = 4000


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WORDS = _words(
    "a an the A The cat Dog none two ten Ten dont don't wont Im I'm its it's king's Kings' U.S.A. e.g. "
    "3.5 3. .5 5 "
    "1,000 1,0 1,,0 - -- _ / a/b (x) [y] {z} \"q\" 'q' ? ! ; : @ # $5 5% 100% * + = < > ` ~ \\ "
    "é ß İ ﬁ Ａ ５ 答案 "
    "yes No nOne oclock y'all'd've shouldnt've somebody'd"
)
NUMBERS = _words(
    "0 0.0 1 -1 +1 1.5 -2.5 .5 5. 1e3 1E-2 1,200 3-5 2.5.1 5% -5% 100% 1950 2015 nan inf -inf infinity 1_000 "
    "0.3 0.315 "
    "10 10.5 10.51 % 5%% twenty-one two Three ５ ² one1"
)
PIECES = (
    *NUMBERS,
    "<answer>",
    "</answer>",
    "< answer >",
    "<answer x=1>",
    "<think>",
    "</think>",
    "[",
    "]",
    "about",
    "m",
)
SPACES = (" ", " ", " ", "", "  ", "\n", "\t", "\u200b", "\u00a0")


def _text(rng: random.Random, words: tuple[str, ...] | list[str], most: int) -> str:
    parts = [rng.choice(words) + rng.choice(SPACES) for _ in range(rng.randint(1, most))]
    return rng.choice(SPACES) + "".join(parts)


def _references(rng: random.Random, most: int) -> list[str]:
    made = [_text(rng, WORDS, 3) for _ in range(rng.randint(1, most))]
    return [text if text.strip() else "x" for text in made]


def _near(rng: random.Random, text: str) -> str:
    """The text, or one that a slip or a habit of models made of it."""
    kind = rng.randrange(6)
    if kind == 0:
        at = rng.randrange(len(text) + 1)
        return text[:at] + rng.choice(WORDS) + text[at:]
    if kind == 1:
        return text.swapcase() + rng.choice([".", "", " ", "!"])
    if kind == 2:
        return text[: rng.randrange(len(text) + 1)]
    return text if kind == 3 else _text(rng, WORDS, 4)


def _rows(seed: int, most: int, least: int = 1) -> list[tuple[list[str], str]]:
    rng = random.Random(seed)
    rows = []
    for _ in range(COUNT):
        pool = _references(rng, most)
        references = [rng.choice(pool) for _ in range(10)] if least == 10 else pool
        rows.append((references, _near(rng, rng.choice(references))))
    return rows


def _score(stage: Callable[[Case], Any], references: list[str], prediction: str) -> float:
    sample = Sample("1", "", Options(()), list(references), tuple(references), (prediction,), "open")
    outcome = stage(Case(sample, prediction))
    assert isinstance(outcome, Score), outcome
    return outcome.value


def _differences(ours: list[Any], theirs: list[Any], inputs: list[Any]) -> list[Any]:
    assert len(ours) == len(theirs) == len(inputs)
    return [
        (given, our, their) for given, our, their in zip(inputs, ours, theirs, strict=True) if our != their
    ][:5]


def test_anls(ask_peer: Ask) -> None:
    rows = [row for row in _rows(1, 3) if row[1].strip()]
    stage = Anls(length="raw", reasoning="keep")
    ours = [_score(stage, *row) for row in rows]
    lmms = ask_peer("lmms.anls", [[references, [prediction]] for references, prediction in rows])
    assert not _differences(ours, [value["anls"] for value in lmms], rows)
    pairs = [[reference, prediction] for references, prediction in rows for reference in references]
    vlmeval = ask_peer("vlmeval.anls", pairs)
    near = Anls(length="raw", reasoning="keep", threshold=0.0)
    assert not _differences(
        [_score(near, [r], p) for r, p in pairs], [max(0.0, 1 - v) for v in vlmeval], pairs
    )


def test_vqa_accuracy_of_vlmevalkit(ask_peer: Ask) -> None:
    rows = _rows(2, 4, 10)
    lines = [[{"answer": repr(references), "prediction": given}, "vqa_score"] for references, given in rows]
    replies = ask_peer("vlmeval.process_line", lines)
    assert not _differences([vlmevalkit(given) for _, given in rows], [r["pred"] for r in replies], rows)
    stage = VqaAccuracy(mode="vlmevalkit", reasoning="keep")
    ours = [_score(stage, *row) for row in rows]
    assert not _differences(ours, [float(np.mean(reply["match"])) for reply in replies], rows)


def test_vqa_accuracy_of_evalai(ask_peer: Ask) -> None:
    rows = _rows(3, 4, 10)
    docs = [[{"answers": list(references), "question_id": 1}, [given]] for references, given in rows]
    replies = ask_peer("lmms.textvqa", docs)
    answers = [reply["submission"]["answer"] for reply in replies]
    assert not _differences([evalai(given) for _, given in rows], answers, rows)
    stage = VqaAccuracy(mode="evalai", reasoning="keep")
    ours = [round(_score(stage, *row), 12) for row in rows]
    assert not _differences(ours, [round(reply["exact_match"], 12) for reply in replies], rows)


def test_relaxed_correctness(ask_peer: Ask) -> None:
    rng = random.Random(4)
    pairs = [[rng.choice(NUMBERS), rng.choice(NUMBERS)] for _ in range(COUNT)]
    pairs += [
        [str(round(rng.uniform(-99, 99), 2)), str(round(rng.uniform(-99, 99), 1))] for _ in range(COUNT)
    ]
    pairs += [[str(gold), str(round(gold * rng.uniform(0.94, 1.06), 2))] for gold in range(1, COUNT)]
    ours = [relaxed(prediction, target) for target, prediction in pairs]
    assert not _differences(ours, ask_peer("vlmeval.relaxed", pairs), pairs)
    assert not _differences(ours, ask_peer("lmms.relaxed", [pair[::-1] for pair in pairs]), pairs)


def test_number_grammar(ask_peer: Ask) -> None:
    rng = random.Random(5)
    texts = [[_text(rng, PIECES, 7)] for _ in range(COUNT)]
    texts += [[f"[{rng.choice(NUMBERS)}, {rng.choice(NUMBERS)}]"] for _ in range(COUNT // 4)]
    ours = [read_number(text) for [text] in texts]
    assert not _differences(ours, ask_peer("vlmeval.spatial_number", texts), texts)


def test_mean_relative_accuracy(ask_peer: Ask) -> None:
    rng = random.Random(6)
    pairs = [[float(rng.randint(-20, 20)), float(rng.randint(-20, 20))] for _ in range(COUNT)]
    pairs += [
        [gold * (1 + rng.randint(-12, 12) / 20), gold]
        for gold in (1.0, 2.5, 5.0, 7.3, 0.1)
        for _ in range(200)
    ]
    ours = [mean_relative_accuracy(*pair) for pair in pairs]
    assert not _differences(ours, ask_peer("vlmeval.mra", pairs), pairs)


@pytest.mark.parametrize("dataset", ["HME100k", "other"])
def test_ocrbench(ask_peer: Ask, dataset: str) -> None:
    rows = [row for row in _rows(7, 3) if all(text.isascii() for text in (*row[0], row[1]))]
    docs = [[{"answer": golds, "dataset": dataset, "question_type": "x"}, [given]] for golds, given in rows]
    replies = ask_peer("lmms.ocrbench", docs)
    ours = []
    for golds, given in rows:
        sample = Sample(
            1, "", Options(()), list(golds), tuple(golds), (given,), "open", fields={"dataset": dataset}
        )
        ours.append(int(bool(ocrbench.RULES.rule(given, sample, Knobs()).hit)))
    assert not _differences(ours, [reply["ocrbench_accuracy"]["score"] for reply in replies], rows)
