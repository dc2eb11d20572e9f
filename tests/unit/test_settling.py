"""All samples of a run: filters, bad rows, several predictions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest

from mmeval.metadata import Derive
from mmeval.protocol import Overrides, resolve
from mmeval.readers import BadRow
from mmeval.scorefile import Spool
from mmeval.settling import Settled, group_of, settle_all, together, with_derived
from mmeval.types import Json, Options, Sample, Status, Verdict

LABELS = Options(("A", "B", "C", "D"), (), "options")


def sample(number: int, *predictions: str | None, answer: Json = "B", **fields: Json) -> Sample:
    references = (str(answer),) if answer is not None else ()
    return Sample(number, "q", LABELS, answer, references, predictions, "mcq", "s", "val", dict(fields))


class Run:
    """A settled run, and the rows that it spooled."""

    def __init__(self, settled: Settled, rows: list[dict[str, Any]]) -> None:
        self.settled = settled
        self.rows = rows
        self.counts = settled.counts


def settle(
    tmp_path: Path,
    samples: Iterable[Sample | BadRow],
    block: dict[str, Any] | None = None,
    fields: tuple[str, ...] = (),
    **overrides: Any,
) -> Run:
    declared = {"score_pipeline": ["exact-match", "rule-match"], **(block or {})}
    plan = resolve([declared], Overrides(**overrides), "run")
    told: list[int] = []
    spool = Spool(tmp_path)
    settled = settle_all(samples, plan, fields, spool, told.append)
    rows = [orjson.loads(line) for line in spool.lines()]
    spool.close()
    assert sum(told) == settled.counts.total
    return Run(settled, rows)


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        pytest.param({"is": ["1"]}, [1, 2, 3], id="is-canonical"),
        pytest.param({"not": ["1"]}, [4, 5, 6, 7], id="not-canonical"),
        pytest.param({"is": ["true"]}, [4], id="bool"),
        pytest.param({"is": ["1", "x"]}, [1, 2, 3, 5], id="several"),
        pytest.param({"not": ["1", "x", "true"]}, [6, 7], id="absent-and-null-are-no-value"),
    ],
)
def test_a_filter_keeps_by_canonical_text_and_counts_the_rest(
    tmp_path: Path, condition: dict[str, Any], kept: list[int]
) -> None:
    values: list[Json] = [1, 1.0, "1", True, "x", None]
    samples = [sample(n, "B", f=value) for n, value in enumerate(values, 1)] + [sample(7, "B")]
    run = settle(tmp_path, samples, {"score_filter": [{"field": "f", **condition}]})
    assert [row["eval-id"] for row in run.rows] == kept
    assert (run.counts.total, run.counts.filtered) == (len(kept), 7 - len(kept))


def test_all_filters_must_hold(tmp_path: Path) -> None:
    block = {"score_filter": [{"field": "a", "is": ["1"]}, {"field": "b", "not": ["2"]}]}
    samples = [sample(1, "B", a=1, b=1), sample(2, "B", a=1, b=2), sample(3, "B", a=2, b=1)]
    assert [row["eval-id"] for row in settle(tmp_path, samples, block).rows] == [1]


MODULO = {"from": "index", "modulo": 1000000, "into": ["group"]}
CUT = {"from": "index", "split": "_", "into": ["cat", "figure"]}


@pytest.mark.parametrize(
    ("derivations", "fields", "made"),
    [
        pytest.param([CUT], {"index": "VD_3"}, {"cat": "VD", "figure": "3"}, id="cut"),
        pytest.param([CUT], {"index": "VD_3", "cat": "VS"}, {"cat": "VS", "figure": "3"}, id="a-value-stays"),
        pytest.param(
            [CUT], {"index": "a_b", "cat": None}, {"cat": "a", "figure": "b"}, id="null-is-no-value"
        ),
        pytest.param([CUT], {"index": "VD_3_4"}, {}, id="too-many-pieces"),
        pytest.param([CUT], {"index": "VD"}, {}, id="too-few-pieces"),
        pytest.param([CUT], {}, {}, id="absent"),
        pytest.param([CUT], {"index": ["a", "b"]}, {}, id="a-list-is-no-text"),
        pytest.param([{"from": "type", "into": ["cat"]}], {"type": 7}, {"cat": "7"}, id="copied"),
        pytest.param([{"from": "eval-id", "into": ["cat"]}], {}, {"cat": "r_1"}, id="the-id"),
        pytest.param([MODULO], {"index": 3000241}, {"group": "241"}, id="remainder"),
        pytest.param([MODULO], {"index": "241"}, {"group": "241"}, id="remainder-of-a-text"),
        pytest.param([MODULO], {"index": "q241"}, {}, id="no-whole-number"),
        pytest.param([MODULO], {"index": 2.5}, {}, id="no-remainder-of-a-fraction"),
        pytest.param([MODULO], {"index": "9" * 19}, {}, id="no-index-is-that-long"),
        pytest.param(
            [{"from": "type", "into": ["index"]}, CUT],
            {"type": "x_y"},
            {"index": "x_y", "cat": "x", "figure": "y"},
            id="in-order",
        ),
    ],
)
def test_fields_are_derived(
    derivations: list[dict[str, Any]], fields: dict[str, Json], made: dict[str, Json]
) -> None:
    given = dict(fields)
    found = with_derived(fields, "r_1", tuple(Derive.model_validate(each) for each in derivations))
    assert found == {**given, **made}
    assert fields == given


def test_filters_routes_and_groups_see_derived_fields(tmp_path: Path) -> None:
    block = {
        "score_derive": [{"from": "index", "split": "-", "into": ["kind", "number"]}],
        "score_filter": [{"field": "number", "not": ["0"]}],
        "score_pipeline": {
            "route": ["kind"],
            "cases": [{"when": {"kind": ["x"]}, "pipeline": ["exact-match"]}],
        },
    }
    samples = [sample(1, "B", index="x-0"), sample(2, "B", index="x-1"), sample(3, "B", index="y-1")]
    bad = BadRow(4, "missing-prediction", "", {"index": "x-0"})
    run = settle(tmp_path, [*samples, bad], block, ("kind",))
    assert [(row["eval-id"], row["decided_by"]) for row in run.rows] == [(2, "exact-match"), (3, None)]
    assert [row["group"] for row in run.rows] == [{"kind": "x"}, {"kind": "y"}]
    assert run.counts.filtered == 2


def test_a_bad_row_is_invalid_where_it_stands(tmp_path: Path) -> None:
    bad = BadRow(2, "duplicate-id", "id 2 occurs 2 times", {"cat": "x"}, "s")
    run = settle(tmp_path, [sample(1, "B", cat="y"), bad, sample(3, "C", cat="x")], fields=("cat",))
    assert [row["eval-id"] for row in run.rows] == [1, 2, 3]
    assert run.rows[1]["status"] == "invalid"
    assert run.rows[1]["reason"] == "duplicate-id: id 2 occurs 2 times"
    assert run.rows[1]["group"] == {"cat": "x"}
    assert run.counts.by_reason["duplicate-id"] == 1
    assert run.counts.status["invalid"] == 1
    assert run.settled.rows[1].subset == "s"


def test_a_bad_row_can_be_filtered_out(tmp_path: Path) -> None:
    bad = BadRow(2, "missing-prediction", "", {"cat": "x"})
    run = settle(tmp_path, [sample(1, "B", cat="y"), bad], {"score_filter": [{"field": "cat", "is": ["y"]}]})
    assert (run.counts.total, run.counts.filtered) == (1, 1)


def test_group_fields_are_canonical() -> None:
    fields: dict[str, Json] = {"a": 1.0, "b": [1, "x"], "c": None, "d": True}
    assert group_of(fields, ("a", "b", "c", "d", "e")) == {
        "a": "1",
        "b": ("1", "x"),
        "c": None,
        "d": "true",
        "e": None,
    }


@pytest.mark.parametrize(
    ("fields", "names", "subset", "group"),
    [
        pytest.param({}, ("subset",), "s", {"subset": "s"}, id="the-place-of-the-row"),
        pytest.param(
            {"subset": "own"}, ("k", "subset"), "s", {"k": None, "subset": "own"}, id="its-own-field"
        ),
        pytest.param({"k": 1}, ("k",), "s", {"k": "1"}, id="nobody-asks"),
        pytest.param({}, ("subset",), None, {"subset": None}, id="nowhere"),
    ],
)
def test_a_group_says_the_subset(
    fields: dict[str, Json], names: tuple[str, ...], subset: str | None, group: dict[str, str | None]
) -> None:
    assert group_of(fields, names, subset) == group


@pytest.mark.parametrize("policy", ["first", "all"])
def test_one_prediction_is_the_same_under_both_policies(tmp_path: Path, policy: str) -> None:
    run = settle(tmp_path, [sample(1, "B"), sample(2, "C")], predictions=policy)
    assert [row["score"] for row in run.rows] == [1.0, 0.0]
    assert run.settled.several == 0


def test_the_first_prediction_counts_by_default(tmp_path: Path) -> None:
    run = settle(tmp_path, [sample(1, "C", "B")])
    assert (run.rows[0]["score"], run.rows[0]["pred"]) == (0.0, "C")
    assert "predictions" not in run.rows[0]
    assert run.settled.several == 1


def test_all_predictions_are_graded_and_averaged(tmp_path: Path) -> None:
    run = settle(tmp_path, [sample(1, "B", "C", "the answer is B", "B")], predictions="all")
    (row,) = run.rows
    assert row["score"] == 0.75
    assert row["is_correct"] == 0
    assert [each["score"] for each in row["predictions"]] == [1.0, 0.0, 1.0, 1.0]
    assert [attempt.score for attempt in run.settled.rows[0].attempts] == [1.0, 0.0, 1.0, 1.0]
    assert row["reason"] == "mean-of-4"


@pytest.mark.parametrize("policy", ["first", "all"])
def test_no_prediction_at_all_is_missing(tmp_path: Path, policy: str) -> None:
    run = settle(tmp_path, [sample(1)], predictions=policy)
    assert (run.rows[0]["status"], run.rows[0]["reason"]) == ("invalid", "missing-prediction")


def verdict(score: float | None, status: Status, decided_by: str | None) -> Verdict:
    return Verdict(score, status, decided_by, None, None, None, None, ())


OK = verdict(1.0, "ok", "rule-match")
MISS = verdict(0.0, "ok", "anls")
OPEN = verdict(0.0, "ok", None)
BAD = verdict(0.0, "invalid", None)
FAILED = verdict(0.0, "error", None)
UNASKED = verdict(0.0, "llm_error", None)
MEASURED = verdict(None, "ok", "box-ap")


@pytest.mark.parametrize(
    ("verdicts", "score", "status", "decided_by"),
    [
        pytest.param([OK, OK], 1.0, "ok", "rule-match", id="same-stage"),
        pytest.param([OK, MISS], 0.5, "ok", "anls+rule-match", id="two-stages"),
        pytest.param([OK, OPEN], 0.5, "ok", None, id="one-undecided"),
        pytest.param([OK, BAD], 0.5, "ok", None, id="one-invalid"),
        pytest.param([BAD, BAD], 0.0, "invalid", None, id="all-invalid"),
        pytest.param([OK, FAILED], 0.0, "error", None, id="one-failed"),
        pytest.param([OK, UNASKED], 0.0, "llm_error", None, id="one-unasked"),
        pytest.param([UNASKED, FAILED], 0.0, "error", None, id="worst-wins"),
        pytest.param([OK, MEASURED], None, "ok", "box-ap+rule-match", id="measured"),
    ],
)
def test_several_verdicts_make_one(
    verdicts: list[Verdict], score: float | None, status: str, decided_by: str | None
) -> None:
    made = together(verdicts)
    assert (made.score, made.status, made.decided_by) == (score, status, decided_by)


def test_a_sample_that_no_route_takes_is_invalid(tmp_path: Path) -> None:
    route = {"route": ["task"], "cases": [{"when": {"task": ["a"]}, "pipeline": ["exact-match"]}]}
    run = settle(tmp_path, [sample(1, "B", task="a"), sample(2, "B", task="b")], {"score_pipeline": route})
    assert [row["status"] for row in run.rows] == ["ok", "invalid"]
    assert run.rows[1]["reason"] == "no-route"


def test_counts_of_groups_sum_to_the_total(tmp_path: Path) -> None:
    samples = [sample(1, "B"), sample(2, "C"), sample(3, ""), sample(4, None), sample(5, "B or C")]
    counts = settle(tmp_path, samples).counts.summary()
    for table in (counts["by_stage"], counts["by_question_type"]):
        assert isinstance(table, dict)
        assert sum(cell["total"] for cell in table.values()) == 5
        assert sum(cell["correct"] for cell in table.values()) == counts["correct"] == 1
