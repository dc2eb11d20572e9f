"""VLMEvalKit's and lmms-eval's own aggregates, unchanged from PyPI, give our figures on generated tables.

Runs where `MMEVAL_PEERS_PYTHON` names a Python with the peers; peer_ratings.py is their side.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mmeval.aggregates.classification import Prf1
from mmeval.aggregates.combine import MeanOf
from mmeval.aggregates.groups import AllCorrect, PairPlus
from mmeval.aggregates.rates import Mean
from mmeval.types import Row

Tables = dict[str, list[dict[str, Any]]]

SEED = 20260101
CATEGORIES = ("existence", "count", "position", "OCR", "code_reasoning", "text_translation")


def tables(seed: int) -> Tables:
    """MME, POPE and HallusionBench tables of yes/no rows with unread answers among them."""
    dice = random.Random(seed)

    def answered(row: dict[str, Any]) -> dict[str, Any]:
        gold, said = dice.choice(("Yes", "No")), dice.choice(("Yes", "No", "Yes", "No", "Unknown"))
        return {**row, "answer": gold, "extracted": said, "score": int(gold == said)}

    mme = [
        {"category": c, "image_path": f"{c}/{i}.jpg"} for c in CATEGORIES for i in range(9) for _ in (0, 1)
    ]
    splits = ("random", "popular", "adversarial")
    pope = [{"category": ",".join(dice.sample(splits, dice.choice((1, 1, 2, 3))))} for _ in range(120)]
    hallusion = [
        {"category": c, "l2-category": f"{c}_{k}", "set_id": s, "figure_id": f, "question_id": q}
        for c in ("VD", "VS")
        for k in ("chart", "ocr")
        for s in range(4)
        for f in range(1, 3)
        for q in range(2)
        if dice.random() < 0.8
    ]
    made = {"mme": mme, "pope": pope, "hallusion": hallusion}
    return {name: [answered(row) for row in rows] for name, rows in made.items()}


PERCEPTION = ("existence", "count", "position", "OCR")
REASONING = ("code_reasoning", "text_translation")


@pytest.fixture(scope="module", params=[SEED, SEED + 1, SEED + 2])
def both(request: pytest.FixtureRequest) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """Our rows, and what the peers say of the same tables."""
    python = os.environ.get("MMEVAL_PEERS_PYTHON")
    if not python:
        pytest.skip("MMEVAL_PEERS_PYTHON does not name a Python with the peers")
    data = tables(request.param)
    environment = {**os.environ, "OPENAI_API_KEY": "unused", "HF_HUB_OFFLINE": "1", "PRED_FORMAT": "tsv"}
    done = subprocess.run(
        [python, "-W", "ignore", str(Path(__file__).with_name("peer_ratings.py"))],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: [_row(i, row) for i, row in enumerate(rows)] for name, rows in data.items()}, json.loads(
        done.stdout
    )


def _row(number: int, row: dict[str, Any]) -> Row:
    read = row["extracted"] != "Unknown"
    label = row["extracted"].lower() if read else None
    fields = {name: str(value) for name, value in row.items()}
    return Row(str(number), float(row["score"]), "ok", read, label, row["answer"].lower(), None, dict(fields))


def _same(mine: float | None, theirs: float) -> None:
    assert mine is not None and math.isclose(mine, theirs, rel_tol=1e-12, abs_tol=1e-12)


def test_mme_rating(both: tuple[dict[str, list[Row]], dict[str, Any]]) -> None:
    rows, said = both
    theirs = said["mme"][0]
    for name, categories in {"perception": PERCEPTION, "reasoning": REASONING}.items():
        mine = PairPlus(pair="image_path", categories=categories)(rows["mme"])
        _same(mine.value, float(theirs[name]))
        for category in categories:
            _same(mine.parts[category], float(theirs[category]))


def test_mme_of_lmms_eval(both: tuple[dict[str, list[Row]], dict[str, Any]]) -> None:
    rows, said = both
    for kind, categories in {"mme_perception_score": PERCEPTION, "mme_cognition_score": REASONING}.items():
        _same(PairPlus(pair="image_path", categories=categories)(rows["mme"]).value, said["lmms"][kind])


def test_pope_rating(both: tuple[dict[str, list[Row]], dict[str, Any]]) -> None:
    rows, said = both
    parts = Prf1(by="category", explode=",", explode_overall=True)(rows["pope"]).parts
    names = {"Overall": "f1", "acc": "accuracy", "precision": "precision", "recall": "recall"}
    assert {row["split"] for row in said["pope"]} == {"Overall", "random", "popular", "adversarial"}
    for row in said["pope"]:
        for theirs, ours in names.items():
            mine = parts[ours if row["split"] == "Overall" else f"{row['split']}.{ours}"]
            _same((mine or 0.0) * 100, row[theirs])


def test_hallusion_rating(both: tuple[dict[str, list[Row]], dict[str, Any]]) -> None:
    rows, said = both
    figure, question = ("l2-category", "set_id", "figure_id"), ("l2-category", "set_id", "question_id")
    for row in said["hallusion"]:
        only = [each for each in rows["hallusion"] if row["split"] in ("Overall", *each.fields.values())]
        made = {
            "aAcc": Mean()(only),
            "fAcc": AllCorrect(by=figure)(only),
            "qAcc": AllCorrect(by=question)(only),
        }
        for name, mine in made.items():
            _same((mine.value or 0.0) * 100, row[name])
        _same((MeanOf(of=tuple(made))(made).value or 0.0) * 300, row["aAcc"] + row["fAcc"] + row["qAcc"])


def test_all_correct_parts_are_the_peers_rows(both: tuple[dict[str, list[Row]], dict[str, Any]]) -> None:
    rows, said = both
    figure = ("l2-category", "set_id", "figure_id")
    parts = AllCorrect(by=figure, parts_by="category")(rows["hallusion"]).parts
    for row in said["hallusion"]:
        if row["split"] in parts:
            _same((parts[row["split"]] or 0.0) * 100, row["fAcc"])
