"""The default option rules on recorded runs, against the verdicts that came with them, and on reported cases.

`robust` is not an official rule: the figures say how often it reads an option, and how often a reading agrees
with the recorded verdict. What disagrees is named in `DISAGREEMENTS`, with a text of our own in its manner.
"""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from mmeval.options.robust import RULES
from mmeval.reading import Knobs, Reading
from mmeval.types import Options, Sample

SHARED = Path(__file__).resolve().parents[3] / "shared"
RUNS = SHARED / "runs"
CASES = SHARED / "cases" / "reported-cases.jsonl"
NAMES = (
    "mmmu_pro_standard10__gpt-4o-direct",
    "mmmu_val__llava1.5-13b",
    "scienceqa_test__llava-v1.5-13b",
    "tempcompass_multi-choice__gemini",
    "mathvista_testmini__bard",
    "blink_val__gpt4o",
)
READ, AGREE = 0.93, 0.99

# Run, class of disagreement, rows, and a reply of our own in its manner. All commit themselves.
DISAGREEMENTS = (
    ("mmmu_pro", "official takes a capital letter out of an option's text or a formula", 30, "C. point D."),
    (
        "mathvista",
        "official maps a worked-out value that contradicts the letter",
        4,
        "The answer is (D). So x = 115.",
    ),
    ("tempcompass", "recorded judge contradicts the letter", 1, "**C. raining** Then it snows."),
    (
        "blink",
        "recorded extraction takes an earlier mention",
        19,
        "The second one (B) fits. So: **(A) the second one**",
    ),
    ("blink", "reply labels the pictures shown, not the options", 1, "The third picture (C) is most alike."),
)


class Figures(NamedTuple):
    rows: int
    read: int
    agree: int


def samples(folder: Path) -> list[tuple[Sample, str | None, bool]]:
    """The multiple-choice rows of a run and their recorded verdicts, without those officially guessed."""
    official = json.loads((folder / "official.json").read_text())
    guessed = official.get("random_guess_ids") or []
    if isinstance(guessed, dict):
        guessed = [one for ids in guessed.values() for one in ids]
    left_out = {str(one) for one in guessed}
    rows = []
    for row in json.loads((folder / "result.json").read_text()):
        if row["question_type"] != "mcq" or str(row["eval-id"]) in left_out:
            continue
        question, reply = row["messages"]
        given = question.get("options")
        options = Options(tuple("ABCDEF"))
        if given:
            options = Options(tuple(key.upper() for key in given), tuple(map(str, given.values())), "options")
        response = reply["response"]
        text = response[0] if isinstance(response, list) else response
        gold = str(row["answer"])
        sample = Sample(row["eval-id"], question["question"], options, gold, (gold,), (text,), "mcq")
        rows.append((sample, text, official["per_sample"][str(row["eval-id"])] == 1))
    return rows


def figures(name: str) -> Figures:
    rows = samples(RUNS / name)
    readings = [
        (RULES.rule(text, sample, Knobs()), right) for sample, text, right in rows if text is not None
    ]
    decided: list[tuple[Reading, bool]] = [(one, right) for one, right in readings if one.hit is not None]
    return Figures(len(rows), len(decided), sum(one.hit == right for one, right in decided))


@pytest.mark.skipif(
    not all((RUNS / name).is_dir() for name in NAMES), reason="the recorded runs are not here"
)
def test_reads_most_rows_and_agrees_where_it_reads(capsys: pytest.CaptureFixture[str]) -> None:
    table = {name: figures(name) for name in NAMES}
    pooled = Figures(*(sum(column) for column in zip(*table.values(), strict=True)))
    with capsys.disabled():
        print()
        for name, one in {**table, "pooled": pooled}.items():
            print(
                f"{name:38} {one.rows:5} rows  read {one.read / one.rows:.4f}  agree "
                f"{one.agree / one.read:.4f}"
            )
    assert pooled.read / pooled.rows >= READ
    assert pooled.agree / pooled.read >= AGREE
    for name, one in table.items():
        named = sum(rows for run, _, rows, _ in DISAGREEMENTS if name.startswith(run))
        assert one.read - one.agree <= named, f"{name}: a disagreement without a name"


def reported() -> list[dict[str, object]]:
    if not CASES.exists():
        return []
    cases = [json.loads(line) for line in CASES.read_text().splitlines() if line.strip()]
    stages = ("rule-match", "exact-match")
    return [
        one
        for one in cases
        if one["question_type"] == "mcq" and one["stage"] in stages and one["prediction"] is not None
    ]


FITS = {
    "correct": lambda hit: hit is True,
    "wrong": lambda hit: hit is False,
    "undecided": lambda hit: hit is None,
    "invalid": lambda hit: hit is None,
    "not correct": lambda hit: hit is not True,
    "correct or undecided": lambda hit: hit is not False,
}


@pytest.mark.skipif(not CASES.exists(), reason="the reported cases are not here")
@pytest.mark.parametrize("case", reported(), ids=lambda case: str(case["id"]))
def test_reported_cases(case: dict) -> None:
    options = Options(tuple(case["options"]), tuple(case["options"].values()), "options")
    text, gold = case["prediction"], case["answer"]
    sample = Sample(case["id"], case["question"], options, gold, (gold,), (text,), "mcq")
    assert FITS[case["expected"]](RULES.rule(text, sample, Knobs()).hit), case["why"]
