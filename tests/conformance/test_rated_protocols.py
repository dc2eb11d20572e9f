"""Judged benchmarks whose judge rates, extracts or comes last, end to end against a server over HTTP.

The rows are made up. What the judge replies to each is known, so verdicts, figures and provenance are, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from judge_server import JudgeServer, prompt_text
from judged_runs import court

from mmeval.judge.templates import prompt
from mmeval.protocol import Overrides
from mmeval.runner import Job, score_run

ITEM = re.compile(r"item (\d+)\b")
OPTIONS = {"A": "red", "B": "green", "C": "blue", "D": "grey"}
Replies = Mapping[int, Sequence[str]]


def row(number: int, prediction: str | None, gold: Any, kind: str = "open", **fields: Any) -> dict[str, Any]:
    """One sample as inference writes it; the question says which it is, for the server."""
    ask: dict[str, Any] = {"role": "user", "question": f"About item {number}: what is it?"}
    if "options" in fields:
        ask["options"] = fields.pop("options")
    said = {"role": "assistant", "response": [prediction]}
    return {"eval-id": number, "messages": [ask, said], "answer": gold, "question_type": kind, **fields}


class Scored(NamedTuple):
    """A score document, and how many questions the server answered."""

    document: dict[str, Any]
    asked: int

    @property
    def scores(self) -> list[float | None]:
        return [line["score"] for line in self.document["samples"]]

    @property
    def reasons(self) -> list[str | None]:
        return [line["reason"] for line in self.document["samples"]]

    def value(self, name: str) -> float | None:
        figure: float | None = self.document["summary"]["aggregates"][name]["value"]
        return figure

    def parts(self, name: str) -> dict[str, float]:
        return dict(self.document["summary"]["groups"][name])


def scored(
    folder: Path, protocol: str, rows: Sequence[dict[str, Any]], replies: Replies, **settings: Any
) -> Scored:
    """A run scored by a judge that gives each item its replies in turn, and then the last one again."""
    left = {number: list(own) for number, own in replies.items()}

    def reply(body: dict[str, Any]) -> str:
        found = ITEM.search(prompt_text(body))
        assert found is not None, "the prompt does not show the item"
        own = left[int(found[1])]
        return own.pop(0) if len(own) > 1 else own[0]

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "result.json"
    path.write_text(json.dumps(rows))
    with JudgeServer(reply) as server, court(server.url, folder / "cache", **settings) as judge:
        done = score_run(path, Job(Overrides(protocol=protocol), force=True, judge=judge))
        return Scored(json.loads(done.score.read_bytes()), server.completed)


def mmvet() -> list[dict[str, Any]]:
    return [
        row(0, "five", "5", capability=["ocr", "math"]),
        row(1, "a cat", "cat<AND>dog", capability=["rec"]),
        row(2, " ", "left", capability=["spat"]),
        row(3, "right", "left", capability=["ocr", "math"]),
    ]


def test_mmvet(tmp_path: Path) -> None:
    replies = {0: ["1.0"], 1: ["0.5"], 3: ['{"score": 0}']}
    found = scored(tmp_path, "MMVet", mmvet(), replies)
    assert (found.scores, found.asked) == ([1.0, 0.5, 0.0, 0.0], 3)
    assert found.reasons[2] == "empty-prediction"
    assert found.value("total") == 37.5
    assert found.parts("total") == {
        **{"math": 50.0, "ocr": 50.0, "rec": 50.0, "spat": 0.0},
        **{"set:math+ocr": 50.0, "set:rec": 50.0, "set:spat": 0.0},
    }
    assert found.value("std") is None
    config = found.document["config"]
    assert (config["judge_contract"], config["judge_prompt_sha256"]) == (
        "partial-credit",
        prompt("mm-vet").sha256,
    )


def test_mmvet_asked_three_times(tmp_path: Path) -> None:
    replies = {0: ["1.0", "0.4", "0.4"], 1: ["0.5"], 3: ["0.0"]}
    found = scored(tmp_path, "MMVet", mmvet(), replies, repeats=3, concurrency=1)
    assert found.scores == [pytest.approx(0.6), 0.5, 0.0, 0.0]
    assert sorted(found.parts("std").values()) == pytest.approx([22.5, 22.5, 37.5])
    assert found.value("std") == pytest.approx(100 * 0.0707107, abs=1e-4)
    assert found.value("total") == pytest.approx(27.5)


@pytest.mark.parametrize("reply", ["", "1.5", "0.5 or 0.7", "I cannot say."])
def test_mmvet_has_no_total_where_a_grade_is_missing(reply: str, tmp_path: Path) -> None:
    found = scored(tmp_path, "MMVet", mmvet(), {0: ["1.0"], 1: ["0.5"], 3: [reply]})
    assert found.document["summary"]["llm_errors"] == 1
    headline = found.document["summary"]["headline"]
    assert (headline["value"], headline["bounds"]) == (None, [37.5, 62.5])


def wild(prediction: str, number: int, kind: str) -> dict[str, Any]:
    return row(number, prediction, "the reference", category=f"llava_bench_{kind}", caption="a street")


def test_llava_bench(tmp_path: Path) -> None:
    rows = [wild("good", 0, "conv"), wild("bad", 1, "conv"), wild("", 2, "detail")]
    replies = {0: ["8 10\nBoth are fine."], 1: ["9 4.5"], 2: ["9, 1\nThe second says nothing."]}
    found = scored(tmp_path, "LLaVA-Bench-in-the-Wild", rows, replies)
    # An empty answer is rated too: 15.5 / 26 by means that are rounded to three digits.
    assert (found.scores, found.asked) == ([None] * 3, 3)
    assert round(100 * 5.167 / 8.667, 1) == 59.6
    assert found.value("relative") == pytest.approx(59.6)
    parts = found.parts("relative")
    assert parts["llava_bench_conv"] == pytest.approx(85.3)
    assert parts["llava_bench_detail"] == pytest.approx(11.1)
    assert (found.value("model_x10"), found.value("reference_x10")) == pytest.approx((51.666667, 86.666667))
    assert found.document["summary"]["accuracy"] is None
    sane = scored(tmp_path / "sane", "LLaVA-Bench-in-the-Wild@sane", rows, replies)
    assert sane.value("relative") == pytest.approx(100 * 15.5 / 26)


def test_llava_bench_without_a_caption_is_not_asked(tmp_path: Path) -> None:
    rows = [wild("good", 0, "conv"), {**wild("bad", 1, "conv"), "caption": ""}]
    found = scored(tmp_path, "LLaVA-Bench-in-the-Wild", rows, {0: ["8 8"]})
    assert found.document["summary"]["invalid"] == 1
    assert str(found.reasons[1]).startswith("judge-input-missing")


def test_megabench(tmp_path: Path) -> None:
    rows = [
        row(0, "a", "x", eval_type="llm", task_name="humor"),
        row(1, "b", {"text": "y"}, eval_type="llm", task_name="humor", criteria="wit counts"),
        row(2, "c", "z", eval_type="llm", task_name="ascii"),
        row(3, "d", "z", eval_type="rule", task_name="maths"),
    ]
    found = scored(tmp_path, "MEGA-Bench", rows, {0: ["Score: 9"], 1: ["4/10"], 2: ["Score: 0"]})
    assert found.scores == [0.9, 0.4, 0.0]
    assert found.value("micro") == pytest.approx(100 * 1.3 / 3)
    assert found.value("macro") == pytest.approx(32.5)
    assert found.parts("macro") == {"ascii": 0.0, "humor": 65.0}
    assert found.document["summary"]["filtered"] == 1


def test_mathvista(tmp_path: Path) -> None:
    rows = [
        row(0, "So it is green.", "green", "mcq", options=OPTIONS, answer_type="text"),
        row(1, "Sorry!", "green", "mcq", options=OPTIONS, answer_type="text"),
        row(2, "3.4 birds", "3", "numeric", answer_type="integer", skills=["arithmetic reasoning"]),
        row(3, "about 1.24 m", "1.2", "numeric", answer_type="float", precision=1),
        row(4, "who knows", "7", "numeric", answer_type="integer"),
    ]
    replies = {0: ["B"], 1: ["greenish"], 2: ["3.4"], 3: ["1.24"], 4: ["NONE"]}
    found = scored(tmp_path, "MathVista", rows, replies)
    assert found.scores == [1.0, 0.0, 1.0, 1.0, 0.0]
    assert [found.reasons[1], found.reasons[4]] == ["not-an-option", "nothing-extracted"]
    assert found.value("accuracy") == 60.0
    assert (found.value("multi_choice"), found.value("integer_answers")) == (50.0, 50.0)
    assert found.value("arithmetic reasoning") == 100.0
    assert scored(tmp_path / "near", "MathVista@nearest", rows, replies).scores == [1.0, 1.0, 1.0, 1.0, 0.0]


def test_mathverse_asks_twice_but_not_about_nothing(tmp_path: Path) -> None:
    rows = [
        row(0, "item 0: it is 5 cm", "5", problem_version="Text Lite"),
        row(1, "item 1: it is 6 cm", "5", problem_version="Vision Only"),
        row(2, "item 2: hm", "5", problem_version="Vision Only"),
        row(3, "", "5", problem_version="Vision Only"),
    ]
    replies = {0: ["5 cm", "1"], 1: ["6 cm", "Judgement: 0"], 2: ["null"]}
    found = scored(tmp_path, "MathVerse", rows, replies, concurrency=1)
    assert (found.scores, found.asked) == ([1.0, 0.0, 0.0, 0.0], 5)
    assert found.value("accuracy") == 25.0
    assert (found.value("Text Lite"), found.value("Vision Only")) == (100.0, 0.0)
    first = found.document["samples"][0]
    assert [step["judge"][0]["prompt"] for step in first["trace"]] == ["mathverse-extract", "mathverse-match"]


def task(subset: str, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    meta = {"dataset_name": "TempCompass", "subset": subset, "split": "test"}
    return [{**each, "aspect": "speed", "dataset_meta": meta} for each in rows]


CAPTIONS = "About item {}: which caption?\nCaption A: it runs\nCaption B: it walks"
TASKS = {
    "multi-choice": [
        row(0, "B. green", "B", "mcq", options=OPTIONS),
        row(1, "the green one", "B", "mcq", options=OPTIONS),
        row(2, "the red one", "B", "mcq", options=OPTIONS),
    ],
    "yes_no": [
        row(0, "Yes, slowly.", "yes", "yes_no"),
        row(1, "It does.", "yes", "yes_no"),
        row(2, "It does.", "no", "yes_no"),
    ],
    "caption_matching": [
        row(0, "Caption A", "Caption A: it runs"),
        row(1, "It runs, I think.", "Caption A: it runs"),
        row(2, "Neither.", "Caption B: it walks"),
    ],
}


@pytest.mark.parametrize("subset", TASKS)
def test_tempcompass_reads_by_rule_first(subset: str, tmp_path: Path) -> None:
    rows = task(subset, TASKS[subset])
    if subset == "caption_matching":
        for number, each in enumerate(rows):
            each["messages"][0]["question"] = CAPTIONS.format(number)
    found = scored(tmp_path, f"TempCompass:{subset}", rows, {1: ["Correct"], 2: ["Incorrect."]})
    assert (found.scores, found.asked) == ([1.0, 1.0, 0.0], 2)
    assert [line["decided_by"] for line in found.document["samples"]] == [
        "rule-match",
        "llm-judge",
        "llm-judge",
    ]
    assert found.value("avg") == found.value("speed") == pytest.approx(200 / 3)


def test_tempcompass_captions(tmp_path: Path) -> None:
    asked = "About item {}: what happens?\nA. it runs\nB. it walks"
    rows = [row(at, "It runs.", "A. it runs", mc_question=asked.format(at)) for at in range(5)]
    replies = {
        0: ["Reasoning: it says so.\nAnswer: A. it runs"],
        1: ["Answer: B"],
        2: ["Answer: A. it runs, B. it walks"],
        3: ["Answer: None of the choices are correct."],
        4: ['{"answer": "A"}'],
    }
    found = scored(tmp_path, "TempCompass:captioning", task("captioning", rows), replies)
    assert found.scores == [1.0, 0.0, 0.0, 0.0, 1.0]
    assert found.value("avg") == 40.0


@pytest.mark.parametrize(
    ("protocol", "model"), [("BLINK", "gpt-3.5-turbo"), ("MMStar", "gpt-3.5-turbo-0125")]
)
def test_what_rules_do_not_read_goes_to_the_judge(protocol: str, model: str, tmp_path: Path) -> None:
    meta = {"dataset_name": protocol, "subset": "Counting", "split": "val"}
    rows = [
        {**row(0, "B", "B", "mcq", options=OPTIONS), "dataset_meta": meta},
        {**row(1, "like grass", "B", "mcq", options=OPTIONS), "dataset_meta": meta},
        {**row(2, "the hidden one", "B", "mcq", options=OPTIONS), "dataset_meta": meta},
    ]
    found = scored(tmp_path, protocol, rows, {1: ["(B)"], 2: ["(Z)"]})
    assert (found.scores, found.asked) == ([1.0, 1.0, 0.0], 2)
    assert found.reasons[2] == "judge-found-none"
    assert (
        f"the judge was gpt-4o-2024-05-13, the official one is {model}"
        in found.document["config"]["deviations"]
    )
