"""Recorded verdicts of real runs against the rule set that is official for each, row by row.

The runs lie outside the repository (`official_run` skips where they are absent). No difference is tolerated.
"""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.reading import Knobs, rule_set
from mmeval.types import Options, QuestionType, Sample

KNOBS = Knobs()
PACKAGES = {"mcq": "mmeval.options", "yes_no": "mmeval.yes_no", "open": "mmeval.answers"}


def _sample(row: dict[str, Any], kind: QuestionType) -> Sample:
    options = row["messages"][0].get("options") or {}
    known = (
        Options(tuple(options), tuple(options.values()), "options") if options else Options(tuple("ABCDEF"))
    )
    golds = row["answer"] if isinstance(row["answer"], list) else [row["answer"]]
    return Sample(row["eval-id"], "", known, row["answer"], tuple(map(str, golds)), (), kind)


def _hit(row: dict[str, Any], rules: str, kind: QuestionType) -> tuple[int, str | None, str]:
    """The verdict 0 or 1, what was read, and by which rule."""
    response = row["messages"][-1]["response"]
    prediction = response[0] if isinstance(response, list) else response
    if prediction is None:
        return 0, None, "no-prediction"
    reading = rule_set(PACKAGES[kind], rules).rule(prediction, _sample(row, kind), KNOBS)
    return int(bool(reading.hit)), reading.found.value, reading.found.rule


RUNS = [
    # folder, rule set, kind, rows
    ("mmmu_pro_standard10__gpt-4o-direct", "mmmu-pro", "mcq", 700),
    ("scienceqa_test__llava-v1.5-13b", "scienceqa", "mcq", 4241),
    ("pope_coco__llava-v1.5-13b", "pope", "yes_no", 3925),
    ("mme__llava-v1.5-13b", "mme", "yes_no", 2374),
    ("mmevalpro__demo-model", "letter", "mcq", 6414),
    ("mmbench_dev_20230712__llava-v1.5-13b", "letter", "mcq", 4377),
]


@pytest.mark.parametrize(("folder", "rules", "kind", "count"), RUNS, ids=[run[0] for run in RUNS])
def test_every_row(official_run, folder: str, rules: str, kind: QuestionType, count: int) -> None:
    rows, official = official_run(folder)
    assert len(rows) == count
    different = {
        row["eval-id"]: found
        for row in rows
        if (found := _hit(row, rules, kind))[0] != official["per_sample"][str(row["eval-id"])]
    }
    assert not different


NOT_BY_THE_SCRIPT = {"mmmu_pro_standard10__gpt-4o-direct": {81}}
"""The reply is the letter C alone; recorded is A, which the script shipped beside the record does not give
either. The verdict is the same (wrong)."""
UNREAD = {"scienceqa": "FAILED", "mme": "other"}


@pytest.mark.parametrize(("folder", "rules", "kind", "count"), RUNS[:4], ids=[run[0] for run in RUNS[:4]])
def test_every_extraction(official_run, folder: str, rules: str, kind: QuestionType, count: int) -> None:
    """Not only the verdict: what was read is what the official code recorded (its guesses apart)."""
    rows, official = official_run(folder)
    different = {}
    for row in rows:
        _, value, name = _hit(row, rules, kind)
        recorded = official["extracted"][str(row["eval-id"])]
        if row["eval-id"] in NOT_BY_THE_SCRIPT.get(folder, ()):
            continue
        if name != "official-guesses" and (value or UNREAD.get(rules)) != recorded:
            different[row["eval-id"]] = (value, recorded)
    assert not different


def test_mmmu_apart_from_the_official_guesses(official_run) -> None:
    """Rows where the official parser draws a letter are not read here, and no other row is different."""
    rows, official = official_run("mmmu_val__llava1.5-13b")
    guessed, different = set(), {}
    for row in rows:
        kind: QuestionType = "mcq" if row["official_question_type"] == "multiple-choice" else "open"
        found = _hit(row, "mmmu", kind)
        if found[2] == "official-guesses":
            guessed.add(row["eval-id"])
        elif found[0] != official["per_sample"][str(row["eval-id"])]:
            different[row["eval-id"]] = found
    assert not different
    assert guessed == set(official["random_guess_ids"])


def test_tempcompass_where_the_authors_rule_matched(official_run) -> None:
    """The rule reads exactly the rows that the authors' rule matched; the others went to their judge."""
    rows, official = official_run("tempcompass_multi-choice__gemini")
    read, different = 0, {}
    for row in rows:
        name = str(row["eval-id"])
        found = _hit(row, "tempcompass", "mcq")
        matched = official["judge"][name]["match_success"]
        read += matched
        if matched != (found[1] is not None) or (matched and found[0] != official["per_sample"][name]):
            different[name] = (found, row["messages"][-1]["response"], official["judge"][name])
    assert not different
    assert read > 1000


@pytest.mark.parametrize("rules", ["vlmevalkit", "vlmevalkit-head"])
def test_lone_letters_read_the_same_in_the_vlmevalkit_family(official_run, rules: str) -> None:
    """Every MMBench reply of this run is a lone letter, so the harness's rule gives the same verdicts."""
    rows, official = official_run("mmbench_dev_20230712__llava-v1.5-13b")
    assert all(_hit(row, rules, "mcq")[0] == official["per_sample"][str(row["eval-id"])] for row in rows)
