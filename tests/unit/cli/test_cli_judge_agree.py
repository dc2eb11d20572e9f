"""`judge agree`: a judge against labels, other judges and itself; what does not match is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Mmeval = Callable[..., Any]


def call(label: str | None, asked: str = "m", replicate: int = 0) -> dict[str, Any]:
    return {
        **{"prompt": "judge-vdr", "asked": asked, "model": asked, "reply": "...", "label": label},
        **{"replicate": replicate, "attempt": 0, "why": None if label else "no-verdict"},
    }


def judged(
    number: int, score: float | None, label: str | None = None, calls: Sequence[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """A row that a judge decided."""
    word = label or ("correct" if score == 1 else "incorrect")
    made = [call(word)] if calls is None else list(calls)
    step = {"stage": "llm-judge", "version": 1, "outcome": "score", "extracted": word, "span": None}
    return {
        **{"eval-id": number, "score": score, "extracted": word, "status": "ok", "decided_by": "llm-judge"},
        **{"reason": "judged", "trace": [{**step, "reason": "judged", "judge": made}]},
    }


def ruled(number: int, score: float) -> dict[str, Any]:
    """A row that rules decided."""
    row = judged(number, score)
    return {**row, "decided_by": "rule-match", "trace": [{**row["trace"][0], "judge": []}]}


def failed(number: int) -> dict[str, Any]:
    row = judged(number, 0.0, calls=[])
    return {**row, "status": "llm_error", "decided_by": None, "reason": "judge-failed: timeout"}


@pytest.fixture
def score(tmp_path: Path) -> Callable[..., Path]:
    def write(rows: Sequence[dict[str, Any]], name: str = "score.json", **config: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        head = {"schema_version": 1, "judge_provider": "openai", "judge_model": "m", **config}
        path.write_text(
            json.dumps({"config": head, "provenance": {}, "summary": {}, "samples": rows}), encoding="utf-8"
        )
        return path

    return write


@pytest.fixture
def labels(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str, name: str = "labels.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


ROWS = [
    judged(1, 1.0),
    judged(2, 0.0),
    judged(3, 1.0),
    judged(4, 1.0),
    ruled(5, 1.0),
    failed(6),
    judged(8, 0.0),
]
LABELS = "id,label\n1,correct\n2,incorrect\n3,wrong\n4,right\n5,wrong\n6,correct\n7,correct\n"


def test_a_judge_against_labels(mmeval: Mmeval, score: Any, labels: Any) -> None:
    ran = mmeval("judge", "agree", score(ROWS), "--labels", labels(LABELS))
    assert ran.code == 0
    told = " ".join(ran.out.split())
    for says in (
        "openai: asked m",
        "4 samples, compared by right or wrong",
        "agreement 0.7500",
        "3 of 4",
        "Cohen's kappa 0.5000",
        "correct 2 0 1.0000",
        "incorrect 1 1 0.5000",
        "correct 0.5000 0.7500",
        "labels.csv: 2: 5, 7",
        "score.json: 1: 8",
        "without a verdict: 1: 6 (judge-failed: timeout)",
        "not seen by a judge, left out: 1 (--all compares them too)",
    ):
        assert says in told, says


def test_all_rows_on_demand(mmeval: Mmeval, score: Any, labels: Any) -> None:
    ran = mmeval("judge", "agree", score(ROWS), "--labels", labels(LABELS), "--all", "--json")
    (found,) = json.loads(ran.out)["comparisons"]
    assert found["words"]["agreement"]["n"] == 5
    assert found["words"]["table"] == {
        "correct": {"correct": 2, "incorrect": 0},
        "incorrect": {"correct": 2, "incorrect": 1},
    }
    assert (found["only_first"], found["only_second"], found["unseen"]) == (["7"], ["8"], 0)


# What is compared, judging by what the sides hold: (score and label of two rows, labels, by).
CHOICES: list[Any] = [
    pytest.param([(1.0, None), (0.0, None)], ["1", "0"], "verdict", id="zero-and-one"),
    pytest.param([(1.0, None), (0.0, None)], ["true", "False"], "verdict", id="true-and-false"),
    pytest.param([(1.0, None), (0.0, None)], ["yes", "no"], "verdict", id="yes-for-right"),
    pytest.param([(0.5, "0.5"), (0.0, "0.0")], ["0.7", "0"], "score", id="scores"),
    pytest.param([(0.25, "2"), (1.0, "5")], ["3", "5"], "rating", id="ratings"),
    pytest.param([(1.0, "B"), (0.0, "Z")], ["b", "A"], "label", id="letters"),
    pytest.param(
        [(1.0, "correct"), (0.0, "not-attempted")], ["correct", "Not attempted"], "label", id="words"
    ),
    pytest.param([(None, "8:10"), (None, "7:7")], ["8:10", "6:7"], "label", id="pairs"),
]


@pytest.mark.parametrize(("said", "told", "by"), CHOICES)
def test_what_is_compared(
    mmeval: Mmeval, score: Any, labels: Any, said: list[Any], told: list[str], by: str
) -> None:
    rows = [judged(number, *each) for number, each in enumerate(said)]
    text = "id,label\n" + "".join(f"{number},{label}\n" for number, label in enumerate(told))
    ran = mmeval("judge", "agree", score(rows), "--labels", labels(text), "--json")
    (found,) = json.loads(ran.out)["comparisons"]
    assert found["by"] == by
    assert (found["numbers"] is None) == (by in ("verdict", "label"))


def test_it_can_be_said_what_is_compared(mmeval: Mmeval, score: Any, labels: Any) -> None:
    path = score([judged(1, 1.0, "yes"), judged(2, 0.0, "no")])
    told = labels("id,label\n1,yes\n2,yes\n")
    ran = mmeval("judge", "agree", path, "--labels", told)
    assert (ran.code, "say --by verdict or --by label" in ran.err) == (2, True)
    found = json.loads(mmeval("judge", "agree", path, "--labels", told, "--by", "label", "--json").out)
    assert found["comparisons"][0]["words"]["labels"] == ["no", "yes"]


def test_what_is_not_there_is_not_compared(mmeval: Mmeval, score: Any, labels: Any) -> None:
    ran = mmeval("judge", "agree", score(ROWS), "--labels", labels(LABELS), "--by", "rating")
    assert ran.code == 2
    assert "4 of 4 rows have no rating on one side; try --by verdict" in ran.err


def test_numbers_in_full(mmeval: Mmeval, score: Any, labels: Any) -> None:
    rows = [judged(number, value / 4, str(value)) for number, value in enumerate([1, 1, 4, 4])]
    text = "id,rating\n0,1\n1,2\n2,3\n3,4\n"
    told = " ".join(mmeval("judge", "agree", score(rows), "--labels", labels(text)).out.split())
    for says in (
        "by the judge's own numbers",
        "weighted kappa 0.8571",
        "mean abs. error 0.5000",
        "Spearman 0.8944",
    ):
        assert says in told, says


def test_two_judges(mmeval: Mmeval, score: Any, tmp_path: Path) -> None:
    one = score([judged(1, 1.0), judged(2, 0.0), judged(3, 0.0)], "a/score.json")
    score([judged(1, 1.0), judged(2, 1.0), judged(4, 0.0)], "b/score.json")
    ran = mmeval("judge", "agree", one, tmp_path / "b")
    assert f"{tmp_path / 'b' / 'score.json'} against {one}: 2 samples" in ran.out
    assert "score.json: 1: 3" in ran.out
    assert "kappa says nothing" in ran.out


def test_another_score_may_be_the_reference(mmeval: Mmeval, score: Any) -> None:
    one = score([judged(1, 1.0), judged(2, 0.0)], "one.score.json")
    other = score([judged(1, 1.0), judged(2, 1.0)], "other.json")
    found = json.loads(mmeval("judge", "agree", one, "--labels", other, "--json").out)["comparisons"]
    assert [(each["first"], each["words"]["agreement"]["n"]) for each in found] == [(str(other), 2)]


def test_flips_over_repeats(mmeval: Mmeval, score: Any) -> None:
    rows = [
        judged(1, 1.0, calls=[call("correct", replicate=r) for r in range(3)]),
        judged(2, 1.0, calls=[call("correct"), call("incorrect", replicate=1), call("correct", replicate=2)]),
        judged(3, 1.0, calls=[call("correct"), call(None, replicate=1), call("correct", replicate=2)]),
    ]
    path = score(rows)
    told = " ".join(mmeval("judge", "agree", path).out.split())
    assert "samples on which it changes its mind 0.3333" in told
    assert "1 of 3" in told
    assert "pairs of replies that differ 0.2857 2 of 7" in told
    (flips,) = json.loads(mmeval("judge", "agree", path, "--json").out)["flips"].values()
    assert flips["m"]["by_pair"]["0-1"]["hits"] == 1


def test_a_panel(mmeval: Mmeval, score: Any) -> None:
    rows = [
        judged(1, 1.0, calls=[call("correct", "a"), call("correct", "b")]),
        judged(2, 0.0, calls=[call("correct", "a"), call("incorrect", "b")]),
        judged(3, 0.0, calls=[call("incorrect", "a"), call("incorrect", "b")]),
    ]
    told = mmeval("judge", "agree", score(rows)).out
    assert "score.json: b against" in told
    assert "2 of 3" in told


def test_a_panel_that_was_asked_several_times_is_compared_by_its_first_replies(
    mmeval: Mmeval, score: Any
) -> None:
    said = [call("correct", "a", 0), call("incorrect", "a", 1), call("correct", "b", 0)]
    told = mmeval("judge", "agree", score([judged(1, 1.0, calls=said)])).out
    assert "score.json: a, first replies" in told and "score.json: b, first replies" not in told
    assert "1 of 1" in told


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        pytest.param([judged(1, 1.0)], "nothing to compare", id="one-judge-alone"),
        pytest.param([judged(1, 1.0), judged(1, 0.0)], "two rows have the id 1", id="one-id-twice"),
    ],
)
def test_what_cannot_be_compared(mmeval: Mmeval, score: Any, rows: list[Any], says: str) -> None:
    ran = mmeval("judge", "agree", score(rows))
    assert (ran.code, says in ran.err) == (2, True)


def test_nothing_in_common_is_an_error(mmeval: Mmeval, score: Any, labels: Any) -> None:
    ran = mmeval("judge", "agree", score(ROWS), "--labels", labels("id,label\nx,correct\n"))
    assert (ran.code, "no sample has a verdict in both" in ran.err) == (2, True)


def test_a_damaged_score_is_to_blame(mmeval: Mmeval, score: Any, labels: Any) -> None:
    ran = mmeval("judge", "agree", score([{"eval-id": 1}]), "--labels", labels(LABELS))
    assert (ran.code, "is damaged" in ran.err) == (2, True)


def test_labels_that_are_a_table_of_many_words(mmeval: Mmeval, score: Any, labels: Any) -> None:
    rows = [judged(number, None, f"w{number}") for number in range(15)]
    text = "id,label\n" + "".join(f"{number},w{number}\n" for number in range(15))
    ran = mmeval("judge", "agree", score(rows), "--labels", labels(text))
    assert "15 different labels; --json has the table" in ran.out
