"""What a judge may write, through the whole path: request, reply, contract, verdict.

The tables of replies are those on which the official parsers were run; where ours says something else, the
row says what the official code made of it. A reply that holds no verdict is never one: the row fails, and is
asked again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from judged_runs import judging

from mmeval.judge.wire import Request
from mmeval.protocol import Overrides
from mmeval.runner import Job, score_run

FAILED = "no verdict"
GOLD = "1889"


class Said(NamedTuple):
    """A reply, what it means here, and what the official code made of it where that differs."""

    reply: str
    means: str
    officially: str | None = None


def ruled(folder: Path, protocol: str, replies: Sequence[str], **columns: Any) -> list[dict[str, Any]]:
    """The samples of a run, one per reply; the judge never says anything else about its row."""
    rows = []
    for number, _ in enumerate(replies):
        ask = {"role": "user", "question": f"When was thing {number} built?", **columns.get("ask", {})}
        turns = [ask, {"role": "assistant", "response": ["It was finished late in the century."]}]
        rows.append({"eval-id": number, "messages": turns, "answer": GOLD, **columns.get("row", {})})
    path = folder / "result.json"
    path.write_text(json.dumps(rows))

    def reply(request: Request) -> str:
        return replies[int(request.sample)]

    overrides = Overrides(protocol=protocol, judge_prompt=columns.get("prompt"))
    with judging(reply, max_retry=1, prompt=columns.get("prompt")) as judge:
        document = json.loads(score_run(path, Job(overrides, force=True, judge=judge)).score.read_bytes())
    samples: list[dict[str, Any]] = document["samples"]
    return samples


def meant(sample: dict[str, Any]) -> str:
    """The label of a sample's ruling, or that it failed for want of one."""
    if sample["status"] == "ok":
        return str(sample["extracted"])
    assert sample["status"] == "llm_error"
    assert sample["reason"].startswith("judge-unreadable"), sample["reason"]
    return FAILED


# Vision-DeepResearch's reader (rllm/rllm/rewards/deepresearch_reward.py@bac38dc544bd) and OpenSearch-VL's
# (opensearch_vl/eval_with_gpt4o.py@c5c02a49780e), run on these replies.
VDR = [
    Said("correct: yes", "correct"),
    Said("correct: no", "incorrect"),
    Said("correct: [yes]", "correct", "OpenSearch-VL: incorrect"),
    Said("**correct:** yes", "correct", "OpenSearch-VL: incorrect"),
    Said("Correct: No, the report says yes to X", "incorrect", "Vision-DeepResearch: correct"),
    Said("incorrect: yes", FAILED, "both: correct"),
    Said("correct:\nyes", "correct", "Vision-DeepResearch: incorrect"),
    Said("correct: yes\nreasoning: the report says no such thing elsewhere", "correct"),
    Said("reasoning: it names 1889.\ncorrect: yes", "correct"),
    Said('{"reasoning": "it names 1889", "correct": "yes"}', "correct"),
    Said("<think>correct: no? It does say so.</think>correct: yes", "correct"),
    Said("correct: yes\ncorrect: no", FAILED, "Vision-DeepResearch: the first"),
    Said("correct: maybe", FAILED, "both: incorrect"),
    Said("not correct", FAILED, "both: undecided or incorrect"),
    Said("", FAILED, "both: undecided or incorrect"),
]
# VLMEvalKit's reader (vlmeval/dataset/utils/simplevqa.py@e8e78f05f308), run on these.
SIMPLEVQA = [
    Said("正确", "correct"),
    Said("**正确**", "correct"),
    Said("错误", "incorrect"),
    Said("错误。", "incorrect", "in no share"),
    Said("未尝试", "not-attempted"),
    Said('{"预测答案0": "正确"}', "correct"),
    Said('```json\n{"预测答案0": "未尝试"}\n```', "not-attempted"),
    Said('{"预测答案0": "**错误**"}', "incorrect"),
    Said('{"模型": "正确"}', FAILED, "correct: the first value of any object"),
    Said("结论：错误", "incorrect", "in no share"),
    Said("正确的回答", FAILED, "not attempted, since it is longer than three characters"),
    Said("不正确", FAILED, "in no share"),
    Said("A", FAILED, "in no share"),
    Said("", FAILED, "in no share"),
]
# VLMEvalKit's Verifier (vlmeval/dataset/utils/verifier.py@e8e78f05f308), run on these.
FREAK = [
    Said("A", "correct"),
    Said("B", "incorrect"),
    Said("C", "invalid"),
    Said("A: CORRECT", "correct", "incorrect"),
    Said("CORRECT", "correct", "incorrect"),
    Said("INCORRECT", "incorrect"),
    Said("INVALID", "invalid", "correct"),
    Said("C: INVALID", "invalid", "correct"),
    Said("\\boxed{A}", "correct"),
    Said("<think>B? No.</think>\nA", "correct"),
    Said("A or B", FAILED, "incorrect"),
    Said("A good reply, but wrong", FAILED, "incorrect"),
    Said("", FAILED, "incorrect"),
]
# MM-BrowseComp's reader (src/eval.py@af221ef85c57): brackets and markdown break it there.
CHECKLIST = [
    Said("CHECKLIST_SCORE: 1/2\nCHECKLIST_RESULT: [1,0]\nOVERALL_CORRECTNESS: YES", "correct"),
    Said("CHECKLIST_SCORE: 2/2\nCHECKLIST_RESULT: [1,1]\nOVERALL_CORRECTNESS: NO", "incorrect"),
    Said("**CHECKLIST_RESULT:** [1, 1]\n**OVERALL_CORRECTNESS:** [YES]", "correct", "no verdict"),
    Said("CHECKLIST_RESULT: [1,1]", FAILED),
    Said("CHECKLIST_RESULT: [1]\nOVERALL_CORRECTNESS: YES", FAILED, "correct: items are not counted"),
    Said("OVERALL_CORRECTNESS: YES AND NO", FAILED, "correct"),
]
# VisBrowse-Bench's reader (eval.py@10b95c0cd5ae): the reply `yes` in that spelling, all else is wrong.
VBB = [
    Said("yes", "correct"),
    Said("no", "incorrect"),
    Said("Yes", "correct", "incorrect"),
    Said("yes.", "correct", "incorrect"),
    Said("yes and no", FAILED, "incorrect"),
]

TABLES: dict[str, tuple[str, str | None, list[Said]]] = {
    "judge-vdr": ("MMSearch", None, VDR),
    "hle": ("hle@authors", None, VDR),
    "realxbench": ("RealXBench", "realxbench", [VDR[0], VDR[1], VDR[-1]]),
    "simplevqa": ("SimpleVQA", None, SIMPLEVQA),
    "freak-vqa": ("FREAK_VQA", None, FREAK),
    "mmbrowsecomp": ("MMBrowseComp@authors", None, CHECKLIST),
    "vbb": ("VisBrowseBench@authors", None, VBB),
}


@pytest.mark.parametrize("name", TABLES)
def test_replies_and_what_they_mean(name: str, tmp_path: Path) -> None:
    protocol, prompt, table = TABLES[name]
    fields = {"row": {"checklist": ["one", "two"]}}
    samples = ruled(tmp_path, protocol, [each.reply for each in table], prompt=prompt, **fields)
    found = {each.reply: meant(sample) for each, sample in zip(table, samples, strict=True)}
    assert found == {each.reply: each.means for each in table}
    right = [each.means == "correct" for each in table]
    assert [sample["score"] == 1.0 for sample in samples] == right


# The spatial grader (vlmeval/dataset/utils/spatial_bench/llm_extract.py@e8e78f05f308), run on these replies.
# reply, grade, extracted
GRADES = [
    ("A\tB", "correct", "B"),
    ("A | B", "correct", "B"),
    ("A\\tB", "correct", "B"),
    ("A\t3.5\nmore\nlines", "correct", "3.5"),
    ("B,3", "incorrect", "3"),
    ("C\tN/A", "invalid", "N/A"),
    ("A", "correct", "N/A"),
    ("CORRECT\tB", "correct", "B"),  # officially asked again, then C
    ("a\tB", FAILED, None),
    ("Answer A", FAILED, None),
    ("AB\tC", FAILED, None),
    ("", FAILED, None),  # officially an IndexError
]


@pytest.mark.parametrize("protocol", ["ERQA@judge", "MMSIBench_wo_circular@judge", "EmbSpatialBench@judge"])
def test_grades_of_the_spatial_judge(protocol: str, tmp_path: Path) -> None:
    options = {"A": "left", "B": "right", "C": "above"}
    replies = [reply for reply, *_ in GRADES]
    samples = ruled(tmp_path, protocol, replies, ask={"options": options}, row={"answer": "B"})
    found = [
        (reply, meant(sample), (sample["evidence"] or {}).get("extracted"))
        for reply, sample in zip(replies, samples, strict=True)
    ]
    assert found == GRADES


# A number that the judge reads goes through mean relative accuracy, whatever the grade; gold 2.5.
VALUES = [
    ("A\t2.5", 1.0),
    ("B\t3", 0.6),  # cal_scores.py@e8e78f05f308, run: (3, 2.5) -> 0.6
    ("A\t5", 0.0),
    ("A\tthree", 0.0),
    ("C\tN/A", 0.0),
    ("C\t2.5", 0.0),  # sparbench: a grade of C scores 0
    ("a\t2.5", None),
]


def test_values_of_the_spatial_judge(tmp_path: Path) -> None:
    fields = {"row": {"answer": "2.5", "task": "depth_prediction_oc", "question_type": "numeric"}}
    samples = ruled(tmp_path, "SparBench_tiny@judge", [reply for reply, _ in VALUES], **fields)
    found = [sample["score"] if sample["status"] == "ok" else None for sample in samples]
    assert found == [value for _, value in VALUES]
    assert [step["stage"] for step in samples[0]["trace"]] == ["llm-extract", "mra"]


def test_the_change_of_view_is_never_judged(tmp_path: Path) -> None:
    fields = {"row": {"answer": "move_right:0.3", "task": "view_change_infer", "question_type": "open"}}
    (sample,) = ruled(tmp_path, "SparBench_tiny@judge", ["A\tanything"], **fields)
    assert [step["stage"] for step in sample["trace"]] == ["view-change"]
