"""VLMEvalKit's yes/no family through our whole engine, on generated replies, against the peers' own code.

Per benchmark one run: our protocol's VLMEvalKit reading scores it from file to figures; the peers read
the same replies (YOrN_Extraction), score them as their `evaluate` does without a judge, and rate the
table (MME_rating, POPE_rating, Hallusion_rating, AMBER_rating). Every row and every figure must be the
same. No difference is known, so none is named.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from judged_runs import by_rules

from mmeval.reading import Knobs, rule_set
from mmeval.text.punctuation import process_punctuation
from mmeval.types import Options, Sample

HERE = Path(__file__).resolve().parent


def _generated() -> Any:
    """The module beside this file (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("generated", HERE / "generated.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = _generated()
ROWS = made.rows() // 2 * 2
Fields = dict[str, str]
PERCEPTION = (
    *("existence", "count", "position", "color", "posters"),
    *("celebrity", "scene", "landmark", "artwork", "OCR"),
)
REASONING = ("commonsense_reasoning", "numerical_calculation", "text_translation", "code_reasoning")
HALLUSION = ("VD_figure", "VD_illusion", "VD_math", "VD_ocr", "VD_video", "VS_chart", "VS_map", "VS_ocr")
AMBER = {
    "discriminative-attribute-state": "Attribute",
    "discriminative-attribute-number": "Attribute",
    "discriminative-attribute-action": "Attribute",
    "discriminative-hallucination": "Existence",
    "discriminative-relation": "Relation",
    "relation": "Relation",
}


def mme(number: int, draw: random.Random) -> Fields:
    category = (*PERCEPTION, *REASONING)[number // 2 % 14]
    return {"category": category, "image_path": f"{category}/{number // 2}.jpg"}


def pope(number: int, draw: random.Random) -> Fields:
    splits = ("random", "popular", "adversarial")
    return {"category": ",".join(draw.sample(splits, draw.choice((1, 1, 2, 3))))}


def hallusion(number: int, draw: random.Random) -> Fields:
    kind = HALLUSION[number // 5 % len(HALLUSION)]
    index = f"{kind}_{draw.choice('12')}_{number // 40}_{number % 3}_{number % 2}"
    return {"index": f"{index}", "category": kind[:2], "l2-category": kind}


def amber(number: int, draw: random.Random) -> Fields:
    return {"category": list(AMBER)[number % 6], "image_path": f"{number // 7}.jpg"}


class Bench(NamedTuple):
    """One benchmark: our protocol, and how its rows look in VLMEvalKit's table."""

    protocol: str
    fields: Callable[[int, random.Random], Fields]


BENCHES = {
    "mme": Bench("MME@vlmevalkit", mme),
    "pope": Bench("POPE@vlmevalkit", pope),
    "hallusion": Bench("HallusionBench", hallusion),
    "amber": Bench("AMBER@vlmevalkit", amber),
}


class Row(NamedTuple):
    """A row of a table, with the reply of a model."""

    reply: str
    gold: str
    fields: Fields


def table(name: str) -> list[Row]:
    """Generated replies, with the fields of one benchmark; golds as its table writes them."""
    draw = random.Random(name)
    replies = made.generated("yes_no", ROWS, seed=sorted(BENCHES).index(name))
    write = str.lower if name == "amber" else str
    return [
        Row(reply.text, write(reply.gold), BENCHES[name].fields(number, draw))
        for number, reply in enumerate(replies)
    ]


class Both(NamedTuple):
    """What our engine and the peers say of one table."""

    ours: dict[str, Any]
    extracted: list[str]
    rating: list[dict[str, Any]]

    def value(self, name: str) -> float:
        return float(self.ours["summary"]["aggregates"][name]["value"])

    def part(self, name: str, part: str) -> float:
        return float(self.ours["summary"]["groups"][name][part])


@pytest.fixture(scope="module")
def tables() -> dict[str, list[Row]]:
    return {name: table(name) for name in BENCHES}


@pytest.fixture(scope="module")
def said(tables: dict[str, list[Row]]) -> dict[str, Any]:
    """The peers' readings and ratings; skips where no peers are installed."""
    python = os.environ.get("MMEVAL_PEERS_PYTHON")
    if not python:
        pytest.skip("MMEVAL_PEERS_PYTHON does not name a Python with the peers")
    data = {
        name: [{"prediction": row.reply, "answer": row.gold, **row.fields} for row in rows]
        for name, rows in tables.items()
    }
    environment = {**os.environ, "OPENAI_API_KEY": "unused", "HF_HUB_OFFLINE": "1", "PRED_FORMAT": "tsv"}
    done = subprocess.run(
        [python, "-W", "ignore", str(HERE / "peer_ratings.py")],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def both(
    tables: dict[str, list[Row]], said: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Both]:
    folder = tmp_path_factory.mktemp("yes-no")
    found = {}
    for name, rows in tables.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps([_sample(number, row) for number, row in enumerate(rows)]))
        scored = by_rules(path, BENCHES[name].protocol, force=True)
        ours = json.loads(scored.score.read_bytes())
        found[name] = Both(ours, said["extracted"][name], said[name])
    return found


def _sample(number: int, row: Row) -> dict[str, Any]:
    turns = [
        {"role": "user", "question": f"question {number}"},
        {"role": "assistant", "response": row.reply},
    ]
    return {"eval-id": number, "messages": turns, "answer": row.gold, **row.fields}


def _same(mine: float, theirs: float) -> None:
    assert mine == pytest.approx(float(theirs), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", BENCHES)
def test_every_row_is_read_and_scored_alike(name: str, both: dict[str, Both]) -> None:
    found = both[name]
    rows = found.ours["samples"]
    assert len(rows) == len(found.extracted) == ROWS
    assert found.ours["summary"]["filtered"] == found.ours["summary"]["invalid"] == 0
    ours = [((row["extracted"] or "unknown"), row["score"]) for row in rows]
    theirs = [
        (word.lower(), float(word.lower() == str(row["gt"]).lower()))
        for word, row in zip(found.extracted, rows, strict=True)
    ]
    assert [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]] == []
    shares = [found.extracted.count(word) / ROWS for word in ("Yes", "No", "Unknown")]
    assert min(shares) > 0.1


def test_mme_rating(both: dict[str, Both]) -> None:
    found, (rating,) = both["mme"], both["mme"].rating
    _same(found.value("perception"), rating["perception"])
    _same(found.value("cognition"), rating["reasoning"])
    for name, categories in {"perception": PERCEPTION, "cognition": REASONING}.items():
        for category in categories:
            _same(found.part(name, category), rating[category])


def test_pope_rating(both: dict[str, Both]) -> None:
    found = both["pope"]
    names = {"Overall": "f1", "acc": "accuracy", "precision": "precision", "recall": "recall"}
    assert {row["split"] for row in found.rating} == {"Overall", "random", "popular", "adversarial"}
    for row in found.rating:
        before = "" if row["split"] == "Overall" else f"{row['split']}."
        for theirs, ours in names.items():
            _same(found.part("f1", f"{before}{ours}"), row[theirs])
        if not before:
            _same(found.value("f1"), row["Overall"])


def test_hallusion_rating(both: dict[str, Both]) -> None:
    found = both["hallusion"]
    assert len(found.rating) == 1 + 2 + len(HALLUSION)
    for row in found.rating:
        for figure in ("aAcc", "fAcc", "qAcc"):
            if row["split"] == "Overall":
                mine = found.value(figure)
            elif row["split"] in ("VD", "VS"):
                mine = found.value(f"{row['split']}_{figure}")
            else:
                mine = found.part(figure, row["split"].replace("_", "/"))
            _same(mine, row[figure])
    overall = next(row for row in found.rating if row["split"] == "Overall")
    assert 0 < overall["fAcc"] < overall["aAcc"]
    _same(found.value("score"), (overall["aAcc"] + overall["fAcc"] + overall["qAcc"]) / 3)


def test_amber_rating(both: dict[str, Both]) -> None:
    found, (rating,) = both["amber"], both["amber"].rating
    assert set(rating) == {"Attribute", "Existence", "Relation", "Avg ACC"}
    for name, theirs in rating.items():
        _same(found.value("avg_acc" if name == "Avg ACC" else name), theirs)


def _texts() -> list[str]:
    quarter = ROWS // 4
    counts = {"yes_no": ROWS - 3 * quarter, "option": quarter, "number": quarter, "text": quarter}
    return [reply.text for kind, count in counts.items() for reply in made.generated(kind, count)]


def test_yes_no_of_every_kind_of_reply(ask_peer: Callable[..., list[Any]]) -> None:
    texts = _texts()
    theirs = ask_peer("vlmeval.yes_no", [[text] for text in texts], 600)
    rules = rule_set("mmeval.yes_no", "vlmevalkit")
    sample = Sample(1, "", Options(()), "Yes", ("Yes",), (), "yes_no")
    ours = [rules.rule(text, sample, Knobs()).found.value or "unknown" for text in texts]
    rows = zip(texts, theirs, ours, strict=True)
    assert [row for row in rows if row[1].lower() != row[2]] == []


def test_the_peers_themselves_disagree_on_many_of_these_rows(ask_peer: Callable[..., list[Any]]) -> None:
    texts = [reply.text for reply in made.generated("yes_no", ROWS)]
    whole = [word.lower() for word in ask_peer("vlmeval.yes_no", [[text] for text in texts], 600)]
    start = [{"other": "unknown"}.get(word, word) for word in ask_peer("lmms.mme", [[t] for t in texts], 600)]
    assert made.disagreement(whole, start) > 0.3


def test_punctuation_of_every_kind_of_reply(ask_peer: Callable[..., list[Any]]) -> None:
    texts = _texts()
    theirs = ask_peer("vlmeval.punctuation", [[text] for text in texts], 600)
    rows = zip(texts, theirs, map(process_punctuation, texts), strict=True)
    assert [row for row in rows if row[1] != row[2]] == []


def test_mme_of_its_authors_apart_from_the_ends(ask_peer: Callable[..., list[Any]]) -> None:
    """lmms-eval strips the reply, deletes full stops and reads a lone y or n, which the authors do not."""
    texts = _texts()
    theirs = ask_peer("lmms.mme", [[text] for text in texts], 600)
    rules = rule_set("mmeval.yes_no", "mme")
    sample = Sample(1, "", Options(()), "Yes", ("Yes",), (), "yes_no")
    ours = [rules.rule(text, sample, Knobs()).found.value or "other" for text in texts]
    different = [text for text, their, our in zip(texts, theirs, ours, strict=True) if their != our]
    assert [
        text
        for text in different
        if text.lower().strip().replace(".", "") not in ("y", "n")
        and not text[:1].isspace()
        and "." not in text[:5]
    ] == []
    assert len(different) < len(texts) / 10
