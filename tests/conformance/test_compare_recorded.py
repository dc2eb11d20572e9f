"""Official verdicts as another harness's: where the protocol is the official one, agreement is whole.

Runs and verdicts lie in ../shared/runs and never in this repository; where they are absent the tests skip.
Under another protocol the same verdicts disagree, and every disagreement is listed with our reason.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmeval import Job, Overrides, score
from mmeval.compare.recorded import Agreement, agreement
from mmeval.compare.rows import read_side

RUNS = Path(__file__).resolve().parents[2].parent / "shared" / "runs"


def beside(folder: str, protocol: str | None, target: Path) -> Agreement:
    """The agreement with the official verdicts, written beside ours as a reader would."""
    run = RUNS / folder
    if not (run / "official.json").is_file():
        pytest.skip(f"the run {folder} is not there")
    made = score(run / "result.json", Job(Overrides(protocol=protocol), out=target))
    official = json.loads((run / "official.json").read_text(encoding="utf-8"))["per_sample"]
    told = json.loads(made.score.read_bytes())
    for row in told["samples"]:
        row["recorded"] = {"score": official[str(row["eval-id"])], "by": "official"}
    made.score.write_text(json.dumps(told), encoding="utf-8")
    return agreement(read_side(made.score))


@pytest.mark.parametrize(
    ("folder", "protocol"),
    [("pope_coco__llava-v1.5-13b", "POPE"), ("scienceqa_test__llava-v1.5-13b", "ScienceQA")],
)
def test_the_official_protocol_agrees(folder: str, protocol: str, tmp_path: Path) -> None:
    found = beside(folder, protocol, tmp_path / "score.json")
    random = [each for each in found.disagreements if "official-guesses" in each.our_reason]
    assert found.by == ("official",)
    assert found.agreeing + len(random) == found.compared > 1000


def test_another_protocol_disagrees_and_says_where(tmp_path: Path) -> None:
    found = beside("blink_val__gpt4o", None, tmp_path / "score.json")
    assert found.compared - found.agreeing == len(found.disagreements) == sum(found.reasons.values())
    assert sum(sum(cells.values()) for cells in found.table.values()) == found.compared
