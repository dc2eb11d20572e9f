"""Cases from public bug reports, read where they lie beside the repository."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.aggregates.classification import Prf1
from mmeval.aggregates.combine import MeanOf, WeightedMean
from mmeval.aggregates.groups import AllCorrect, MacroMean, PairPlus
from mmeval.aggregates.rates import Mean
from mmeval.stats import mcnemar, proportion
from mmeval.types import Reduced, Row

CASES = Path(__file__).resolve().parents[3].parent / "shared" / "cases" / "reported-cases.jsonl"
# Denominators, bounds and coverage are counted by the engine, over all aggregates alike.
ENGINE = {"I237", "I250"}


def read() -> dict[str, dict[str, Any]]:
    if not CASES.is_file():
        return {}
    cases = (json.loads(line) for line in CASES.read_text().splitlines() if line.strip())
    return {case["id"]: case for case in cases if case["stage"] == "aggregate" and case["id"] not in ENGINE}


def row(score: Any, label: str | None = None, gold: str | None = None, **fields: Any) -> Row:
    decided = score is not None
    return Row(
        "x", float(score or 0), "ok", decided, label, gold, None, {k: str(v) for k, v in fields.items()}
    )


def percent(reduced: Reduced) -> float:
    assert reduced.value is not None
    return round(reduced.value * 100, 4)


def hallusion(data: Any) -> dict[str, Any]:
    rows = [row(each["ok"], **each) for each in data]
    made = {"aAcc": Mean()(rows), "fAcc": AllCorrect(by=("set", "figure"))(rows)}
    made["qAcc"] = AllCorrect(by=("set", "question"))(rows)
    return {name: percent(each) for name, each in made.items()} | {
        "Avg": percent(MeanOf(of=tuple(made))(made))
    }


def no_figure(data: Any) -> dict[str, Any]:
    rows = [row(each["ok"], **each) for each in data]
    with_figure = [
        each for each in rows if each.fields["figure"] != "0"
    ]  # where: {"figure": [...]} in a protocol
    return {
        "aAcc": percent(Mean()(rows)),
        "fAcc": percent(AllCorrect(by=("category", "set", "figure"))(with_figure)),
        "qAcc": percent(AllCorrect(by=("category", "set", "question"))(rows)),
    }


def flat(data: Any, key: str, listed: str) -> list[Row]:
    return [row(ok, **{key: each[key], "category": "c"}) for each in data for ok in each[listed]]


def mme(data: Any) -> dict[str, Any]:
    parts = PairPlus(pair="image")(flat(data, "image", "ok")).parts
    return {"acc": parts["c.acc"], "acc_plus": parts["c.acc_plus"], "score": parts["c"]}


def mme_half(data: Any) -> dict[str, Any]:
    reduced = PairPlus(pair="image")(flat(data, "image", "ok"))
    return {"acc_plus": reduced.parts["c.acc_plus"], "told": len(reduced.notes)}


def pope(data: Any) -> dict[str, Any]:
    rows = [row(each["pred"] and each["pred"] == each["gold"], each["pred"], each["gold"]) for each in data]
    parts = Prf1()(rows).parts
    names = {"acc": "accuracy", "precision": "precision", "recall": "recall", "f1": "f1"}
    undecided = int(Prf1()(rows).notes[0].split()[0])
    return {name: round(parts[ours] or 0.0, 4) for name, ours in names.items()} | {"undecided": undecided}


def circular(data: Any) -> dict[str, Any]:
    rows = flat(data, "qid", "passes")
    unread = AllCorrect(by="qid", expected_size=4)(rows)
    absent = AllCorrect(by="qid", expected_size=4)([each for each in rows if each.decided])
    told = "1 of 4 rows have no verdict" in unread.notes[0] and "1 rows missing" in absent.notes[0]
    return {"unread": unread.value, "absent": absent.value, "told": told}


def pairs(data: Any) -> dict[str, Any]:
    rows = flat(data, "pair", "ok")
    return {"pair_acc": percent(AllCorrect(by="pair")(rows)), "question_acc": percent(Mean()(rows))}


def micro_macro(data: Any) -> dict[str, Any]:
    rows = [row(int(i < each["right"]), task=each["task"]) for each in data for i in range(each["n"])]
    return {"micro": percent(Mean()(rows)), "macro": percent(MacroMean(by="task")(rows))}


def overall(data: Any) -> float:
    done = {each["task"]: Reduced(each["acc"], each["n"]) for each in data}
    return round(WeightedMean(of=tuple(done))(done).value or 0.0, 4)


def splits(data: Any) -> dict[str, Any]:
    rows = [row(int(i < each["right"]), split=each["split"]) for each in data for i in range(each["n"])]
    apart = Mean(by="split")(rows)
    return {name: (value or 0) * 100 for name, value in apart.parts.items()} | {"pooled": percent(apart)}


def denominator(data: Any) -> dict[str, Any]:
    return {"accuracy": Mean()([row(each) for each in data]).value}


def dropped(data: Any) -> dict[str, Any]:
    reduced = Mean(by="category")([row(each["ok"], category=each["category"]) for each in data])
    return {"categories": len(reduced.parts), "n": reduced.n}


def ci_zero(data: Any) -> list[Any]:
    interval = proportion(data["right"], data["n"])
    return [interval.stderr, *(round(end, 4) for end in interval.ci95 or ())]


def paired(data: Any) -> float:
    return round(mcnemar(data["only_a_right"], data["only_b_right"]), 4)


EXPECTED: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "I224": (hallusion, {"aAcc": 75.0, "fAcc": 50.0, "qAcc": 50.0, "Avg": 58.3333}),
    "I225": (no_figure, {"aAcc": 50.0, "fAcc": 100.0, "qAcc": 0.0}),
    "I226": (mme, {"acc": 75, "acc_plus": 50, "score": 125}),
    "I227": (mme_half, {"acc_plus": 50, "told": 1}),
    "I228": (pope, {"acc": 0.5, "precision": 1.0, "recall": 0.5, "f1": 0.6667, "undecided": 2}),
    "I231": (circular, {"unread": 0.0, "absent": 0.0, "told": True}),
    "I232": (pairs, {"pair_acc": 50.0, "question_acc": 75.0}),
    "I233": (micro_macro, {"micro": 28.5714, "macro": 42.5}),
    "I234": (overall, 0.8374),
    "I235": (splits, {"dev": 50.0, "val": 60.0, "pooled": 58.5714}),
    "I236": (denominator, {"accuracy": 0.5}),
    "I244": (paired, 0.0386),
    "I245": (ci_zero, [None, 0.0, 0.1611]),
    "I247": (dropped, {"categories": 2, "n": 2}),
}


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_reported_case(case: str) -> None:
    cases = read()
    if not cases:
        pytest.skip("the reported cases are not beside the repository")
    reducer, expected = EXPECTED[case]
    assert reducer(cases[case]["prediction"]) == expected, cases[case]["why"]


def test_every_reported_case_is_here() -> None:
    cases = read()
    if not cases:
        pytest.skip("the reported cases are not beside the repository")
    assert set(cases) == set(EXPECTED)
