"""HallusionBench, AMBER, POPE and MME through the whole engine: the worked figures of their official code.

"run" in a source says that the code was run on the very rows of this file: AMBER's `inference.py`@534babf
and HallusionBench's `utils.py`@744007c, with their third-party imports replaced by empty modules.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from judged_runs import by_rules

Fields = dict[str, Any]


def scored(folder: Path, protocol: str, rows: Iterable[tuple[str, str, Fields]]) -> dict[str, Any]:
    """The score of rows (gold, reply, fields) under a protocol."""
    samples = [
        {
            "eval-id": fields.get("index", number),
            "messages": [
                {"role": "user", "question": f"question {number}"},
                {"role": "assistant", "response": reply},
            ],
            "answer": gold,
            **fields,
            "dataset_meta": {"dataset_name": protocol.partition("@")[0], "subset": None, "split": "test"},
        }
        for number, (gold, reply, fields) in enumerate(rows)
    ]
    path = folder / "result.json"
    path.write_text(json.dumps(samples))
    document: dict[str, Any] = json.loads(by_rules(path, protocol, force=True).score.read_bytes())
    return document


def values(document: dict[str, Any]) -> dict[str, Any]:
    return {name: each["value"] for name, each in document["summary"]["aggregates"].items()}


# HallusionBench: rows of set 0 as (key, right). VLMEvalKit's Hallusion_rating, run.
WORKED = (
    ("VD_ocr_1_0_0_0", True),
    ("VD_ocr_1_0_1_0", False),
    ("VD_ocr_1_0_0_1", True),
    ("VS_ocr_1_0_1_0", True),
    ("VS_ocr_2_0_2_0", True),
    ("VS_ocr_0_0_0_0", False),
)
KEYS = ("category", "subcategory", "visual_input", "set_id", "figure_id", "question_id")
FORMS = {
    "index of a table": lambda key: {
        "index": key,
        "category": key[:2],
        "l2-category": key[:6],
        "image_path": "1.png",
    },
    "fields": lambda key: dict(zip(KEYS, key.split("_"), strict=True)),
    "numbers": lambda key: {
        name: int(text) if text.isdigit() else text for name, text in zip(KEYS, key.split("_"), strict=True)
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_hallusionbench_worked_example(form: str, tmp_path: Path) -> None:
    rows = [("Yes", "Yes, it is." if right else "No.", FORMS[form](key)) for key, right in WORKED]
    document = scored(tmp_path, "HallusionBench", rows)
    found = values(document)
    assert found["aAcc"] == pytest.approx(80)
    assert found["fAcc"] == pytest.approx(75)
    assert found["qAcc"] == pytest.approx(200 / 3)
    assert document["summary"]["headline"]["value"] == pytest.approx((80 + 75 + 200 / 3) / 3)
    assert document["summary"]["filtered"] == 1
    assert document["summary"]["groups"]["fAcc"] == {"VD/ocr": 50, "VS/ocr": 100}
    assert found["VD_aAcc"] == pytest.approx(200 / 3) and found["VS_score"] == pytest.approx(100)


def hallusion() -> list[tuple[str, str, Fields]]:
    """Six sets of three figures and two questions, some replies wrong and some unclear."""
    rows = []
    for number in range(36):
        group, figure, question = number // 6, number // 2 % 3, number % 2
        category, subcategory = (("VD", "ocr"), ("VS", "ocr"), ("VD", "math"))[group % 3]
        visual = ("0", "1", "2")[figure] if category == "VS" else ("1", "2", "2")[figure]
        gold, other = ("Yes", "No") if (group + figure + question) % 2 else ("No", "Yes")
        unclear = (group * 7 + figure * 3 + question) % 11 == 5
        said = other if (group * 5 + figure * 2 + question) % 7 == 3 else gold
        key = (category, subcategory, visual, str(group), str(figure), str(question))
        rows.append((gold, "It may be." if unclear else said, dict(zip(KEYS, key, strict=True))))
    return rows


def test_hallusionbench_of_its_authors(tmp_path: Path) -> None:
    document = scored(tmp_path, "HallusionBench@authors", hallusion())
    wanted = {"aAcc": 29 / 36, "qAcc": 6 / 12, "fAcc": 9 / 16, "easy": 11 / 12, "hard": 7 / 12}  # run
    assert values(document) == pytest.approx({name: 100 * share for name, share in wanted.items()})
    assert document["summary"]["filtered"] == 0
    assert document["summary"]["headline"]["name"] == "qAcc"


KINDS = (
    "discriminative-attribute-state",
    "discriminative-attribute-number",
    "discriminative-attribute-action",
    "discriminative-hallucination",
    "discriminative-relation",
    "relation",
)
SAID = ("Yes", "No", "No", "yes", "Yes", "No", "No.")
# run; accuracy, precision, recall and F1 as the script prints them, with one decimal
PRINTED = {
    "f1": (36.7, 50.0, 43.3, 46.4),
    "existence": (50.0, 100.0, 50.0, 66.6),
    "attribute": (33.3, 30.8, 33.3, 32.0),
    "state": (20.0, 25.0, 25.0, 25.0),
    "number": (30.0, 25.0, 25.0, 25.0),
    "action": (50.0, 40.0, 50.0, 44.4),
    "relation": (35.0, 50.0, 50.0, 50.0),
}


@pytest.mark.parametrize("field", ["category", "type"])
def test_amber_of_its_authors(field: str, tmp_path: Path) -> None:
    rows = [
        (
            "no" if KINDS[i % 6].endswith("hallucination") or i % 5 in (0, 3) else "yes",
            SAID[i % 7],
            {field: KINDS[i % 6]},
        )
        for i in range(60)
    ]
    summary = scored(tmp_path, "AMBER", [*rows, ("a dog", "A dog.", {field: "generative"})])["summary"]
    assert (summary["total"], summary["filtered"]) == (60, 1)
    for name, (accuracy, precision, recall, f1) in PRINTED.items():
        parts = summary["groups"][name]
        for figure, printed in {"accuracy": accuracy, "precision": precision, "recall": recall}.items():
            assert parts[figure] == pytest.approx(printed, abs=0.0501), (name, figure)
        assert parts["f1"] == pytest.approx(f1, abs=0.2)  # of rounded figures, and with 0.0001 or 0.001 added
    assert summary["aggregates"]["accuracy"]["value"] == pytest.approx(100 * 22 / 60)


def test_amber_of_vlmevalkit(tmp_path: Path) -> None:
    """VLMEvalKit's AMBER_rating, run: 2 of 3, 2 of 2, 1 of 2 give 72.22."""
    rights = {"attribute-state": (True, True), "attribute-action": (False,), "hallucination": (True, True)}
    rows = [
        ("yes", "yes." if right else "Unclear", {"category": f"discriminative-{kind}"})
        for kind, all_of_it in rights.items()
        for right in all_of_it
    ]
    rows += [("no", "no", {"category": "relation"}), ("no", "Yes", {"category": "discriminative-relation"})]
    document = scored(tmp_path, "AMBER@vlmevalkit", rows)
    assert document["summary"]["headline"]["value"] == pytest.approx((200 / 3 + 100 + 50) / 3)
    assert values(document) == pytest.approx(
        {"Attribute": 200 / 3, "Existence": 100, "Relation": 50, "avg_acc": 650 / 9}
    )


def test_pope_of_vlmevalkit(tmp_path: Path) -> None:
    """VLMEvalKit's POPE_rating, run: a row of two categories enters twice, an unread one is no yes."""
    golds, said = ("Yes", "Yes", "No", "No", "Yes", "No"), ("Yes", "No", "Yes", "No", "Unclear", "Unclear")
    rows = [
        (gold, reply, {"category": "random,popular" if number == 0 else "random"})
        for number, (gold, reply) in enumerate(zip(golds, said, strict=True))
    ]
    parts = scored(tmp_path, "POPE@vlmevalkit", rows)["summary"]["groups"]["f1"]
    wanted = {"accuracy": 300 / 7, "precision": 200 / 3, "recall": 50, "f1": 400 / 7}
    assert {name: parts[name] for name in wanted} == pytest.approx(wanted)


@pytest.mark.parametrize("protocol", ["POPE", "POPE@sane"])
def test_a_pope_row_of_two_splits_counts_in_each(protocol: str, tmp_path: Path) -> None:
    """The authors score one file per split; a table may keep a question of two splits once."""
    golds, said = ("Yes", "No", "Yes", "No"), ("Yes", "Yes", "No", "No")
    splits = ("random,popular", "random", "popular", "random,popular")
    rows = [
        (*pair, {"category": split})
        for pair, split in zip(zip(golds, said, strict=True), splits, strict=True)
    ]
    apart = [(*row[:2], {"category": one}) for row in rows for one in row[2]["category"].split(",")]
    found = [scored(tmp_path, protocol, each)["summary"]["groups"]["f1"] for each in (rows, apart)]
    names = [f"{split}.{figure}" for split in ("random", "popular") for figure in ("f1", "accuracy")]
    assert [found[0][name] for name in names] == [found[1][name] for name in names]
    assert (found[0]["random.f1"], found[0]["popular.accuracy"]) == (
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )


MME = {
    "perception": (
        *("existence", "count", "position", "color", "posters"),
        *("celebrity", "scene", "landmark", "artwork", "OCR"),
    ),
    "cognition": ("commonsense_reasoning", "numerical_calculation", "text_translation", "code_reasoning"),
}


@pytest.mark.parametrize("field", ["image_path", "image_id"])
@pytest.mark.parametrize("protocol", ["MME", "MME@vlmevalkit"])
def test_mme_by_either_name_of_the_image(protocol: str, field: str, tmp_path: Path) -> None:
    """VLMEvalKit's MME_rating, run: one image both right, one half right: 75 + 50 per category."""
    rows = [
        (gold, said, {"category": category, field: image})
        for category in (*MME["perception"], *MME["cognition"])
        for image, gold, said in (
            ("1", "Yes", "Yes"),
            ("1", "No", "No"),
            ("2", "Yes", "Yes"),
            ("2", "No", "Yes"),
        )
    ]
    found = values(scored(tmp_path, protocol, rows))
    assert (found["perception"], found["cognition"], found["total"]) == (1250, 500, 1750)
