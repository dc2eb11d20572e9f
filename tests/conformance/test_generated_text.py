"""TextVQA_VAL, DocVQA_VAL and ChartQA_TEST through our whole engine, on generated replies, against the peers.

Per benchmark one run: our protocol scores it from file to figures; VLMEvalKit reads the same rows
(process_line) and makes its hits of them (hit_calculate). Every row and the mean must be the same. More than
three rows in ten are ones on which VLMEvalKit and another peer disagree.

Two differences have names. We cut off what a reasoning model wrote before its answer: TextVQA_VAL and
DocVQA_VAL are compared with `reasoning: keep`; for ChartQA_TEST, whose rule has no such parameter, rows with
reasoning tags are asked of the peer without their reasoning, and only such rows may differ from what it says
of the raw reply. And a blank reply is never right: ANLS over raw lengths gives one credit for a short gold.
"""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mmeval.numbers._relaxed import relaxed
from mmeval.protocol import Overrides
from mmeval.runner import Job, score_run
from mmeval.text.reasoning import final_part
from mmeval.types import Json

HERE = Path(__file__).resolve().parent
Ask = Callable[..., list[Any]]


def _generated() -> Any:
    """The module beside this file (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("generated", HERE / "generated.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = _generated()
ROWS = made.rows()


class Row(NamedTuple):
    """One question with its golds, and a reply."""

    golds: list[str]
    reply: str


def _rows(
    kinds: tuple[str, ...],
    golds: Callable[[random.Random, str], list[str]],
    edge: Callable[[random.Random, str], str],
    seed: int,
) -> list[Row]:
    """Replies to several kinds of questions in equal parts.

    Two in ten are a gold, at most a slip of the pen away; five in ten are a gold made an edge case of.
    """
    draw = random.Random(seed)
    found = []
    for kind in kinds:
        for reply in made.generated(kind, ROWS // len(kinds) + 1, seed=seed):
            own = golds(draw, reply.gold)
            near = draw.choice(own)
            at = draw.randrange(len(near) + 1)
            slip = draw.choice((near, near.swapcase(), near[:at] + draw.choice("xe5. ,-'") + near[at:]))
            text = draw.choices((edge(draw, near), slip, reply.text), (5, 2, 3))[0]
            found.append(Row(own, text))
    return found[:ROWS]


OTHERS = (
    "coca cola",
    "Coke",
    "the Coke",
    "pepsi!",
    "a dog",
    "10:30",
    "None",
    "two",
    "1,000",
    "isnt",
    "U.S.A.",
)


def annotators(draw: random.Random, gold: str) -> list[str]:
    """Ten annotators, some of whom agree."""
    pool = (gold, gold, draw.choice(OTHERS), draw.choice(OTHERS))
    return [draw.choice(pool) for _ in range(10)]


def spelt(draw: random.Random, gold: str) -> str:
    """What VLMEvalKit and lmms-eval bring to two forms: a full stop behind a digit, 's, a comma in a word."""
    return draw.choice((f"{gold} {draw.randrange(9)}.", f"{gold}'s", f"{gold},x", f"{draw.randrange(9)}."))


def padded(draw: random.Random, gold: str) -> str:
    """The gold or nearly so, between blanks; they count in lengths, and where nobody strips."""
    near = gold if draw.random() < 0.5 else gold[:-1] + "x"
    return draw.choice((f"  {near}", f"\n{near} ", f"{near}\t", f"   {near}   "))


def few(draw: random.Random, gold: str) -> list[str]:
    """One to three golds."""
    return [gold, *draw.sample(OTHERS, draw.choice((0, 0, 1, 2)))]


def scored(folder: Path, protocol: str, rows: list[Row], **params: Json) -> dict[str, Any]:
    """Our score of these rows."""
    samples = [
        {
            "eval-id": number,
            "messages": [
                {"role": "user", "question": f"question {number}"},
                {"role": "assistant", "response": row.reply},
            ],
            "answer": row.golds,
            "split": ("test_human", "test_augmented")[number % 2],
        }
        for number, row in enumerate(rows)
    ]
    path = folder / "result.json"
    path.write_text(json.dumps(samples))
    job = Job(Overrides(protocol=protocol, params=params), force=True)
    document: dict[str, Any] = json.loads(score_run(path, job).score.read_bytes())
    assert document["summary"]["invalid"] == document["summary"]["errors"] == 0
    return document


def peer(ask: Ask, rows: list[Row], method: str, dataset: str) -> list[float]:
    """VLMEvalKit's hits on these rows."""
    lines = [[{"answer": repr(row.golds), "prediction": row.reply}, method] for row in rows]
    results = ask("vlmeval.process_line", lines, 600)
    (hits,) = ask("vlmeval.hits", [[results, dataset]], 600)
    return [float(hit == "True") if isinstance(hit, str) else float(hit) for hit in hits]


def compare(document: dict[str, Any], headline: str, rows: list[Row], hits: list[float]) -> None:
    """Every row, and the mean in per cent; a blank reply scores 0."""
    assert len(hits) == len(document["samples"]) == len(rows) == ROWS
    hits = [hit if row.reply.strip() else 0.0 for row, hit in zip(rows, hits, strict=True)]
    ours = [sample["score"] for sample in document["samples"]]
    assert [each for each in zip(rows, ours, hits, strict=True) if each[1] != each[2]] == []
    value = document["summary"]["headline"]["value"]
    assert document["summary"]["headline"]["name"] == headline
    assert value == pytest.approx(100 * sum(hits) / ROWS, rel=1e-12)
    assert 2 < value < 90


def test_textvqa(ask_peer: Ask, tmp_path: Path) -> None:
    rows = _rows(("text", "number", "yes_no"), annotators, spelt, 1)
    document = scored(tmp_path, "TextVQA_VAL", rows, reasoning="keep")
    compare(document, "vqa_accuracy", rows, peer(ask_peer, rows, "vqa_score", "TextVQA_VAL"))
    assert len({sample["score"] for sample in document["samples"]}) >= 5
    lines = [[{"answer": repr(row.golds), "prediction": row.reply}, "vqa_score"] for row in rows]
    docs = [[{"answers": list(row.golds), "question_id": 1}, [row.reply]] for row in rows]
    here = [each["pred"] for each in ask_peer("vlmeval.process_line", lines, 600)]
    there = [each["submission"]["answer"] for each in ask_peer("lmms.textvqa", docs, 600)]
    assert made.disagreement(here, there) > 0.3


def test_docvqa(ask_peer: Ask, tmp_path: Path) -> None:
    rows = _rows(("text", "number"), few, padded, 2)
    document = scored(tmp_path, "DocVQA_VAL", rows, reasoning="keep")
    hits = peer(ask_peer, rows, "anls", "DocVQA_VAL")
    compare(document, "anls", rows, hits)
    pairs = [[row.golds[0], row.reply] for row in rows]
    raw = [1 - distance for distance in ask_peer("vlmeval.anls", pairs, 600)]
    assert made.disagreement(raw, ask_peer("star.anls", pairs, 600)) > 0.3


def test_chartqa(ask_peer: Ask, tmp_path: Path) -> None:
    rows = _rows(("number", "text", "text"), few, padded, 3)
    document = scored(tmp_path, "ChartQA_TEST", rows)
    parts = [final_part(row.reply) for row in rows]
    cut = [
        row._replace(reply=row.reply[part.start : part.end]) for row, part in zip(rows, parts, strict=True)
    ]
    hits = peer(ask_peer, cut, "relaxed_accuracy", "ChartQA_TEST")
    compare(document, "overall", cut, hits)
    for place, split in enumerate(("human", "augmented")):
        own = hits[place::2]
        value = document["summary"]["aggregates"][split]["value"]
        assert value == pytest.approx(100 * sum(own) / len(own), rel=1e-12)
    raw = peer(ask_peer, rows, "relaxed_accuracy", "ChartQA_TEST")
    changed = [part.kind for part, one, two in zip(parts, hits, raw, strict=True) if one != two]
    assert "plain" not in changed


def test_relaxed_correctness(ask_peer: Ask) -> None:
    """Row by row without our engine's trimming: lmms-eval compares the reply as it stands."""
    rows = _rows(("text",), lambda draw, gold: [gold], lambda draw, gold: f" {gold}\n", 4)
    pairs = [[row.golds[0], row.reply] for row in rows]
    lmms = ask_peer("lmms.relaxed", [pair[::-1] for pair in pairs], 600)
    assert lmms == [relaxed(reply, gold) for gold, reply in pairs]
    stripped = ask_peer("vlmeval.relaxed", [[gold, reply.strip()] for gold, reply in pairs], 600)
    assert stripped == [relaxed(reply.strip(), gold) for gold, reply in pairs]
    assert made.disagreement(lmms, stripped) > 0.3
