"""box-ap: rows to numbers, the ways to score, groups, and what it says of rows without boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from box_evidence import AWAY, GOLD, evidence, gold, said

from mmeval.aggregates.box_ap import TIES, BoxAp
from mmeval.errors import MetadataError, StageError
from mmeval.metadata import Aggregate
from mmeval.summary import aggregate_summary, reducers
from mmeval.types import Row

pytest.importorskip("hotcoco")

Table = Callable[..., list[Row]]
NEAR = [110.0, 100.0, 100.0, 100.0]


def ap(rows: Sequence[Row], **params: Any) -> float | None:
    return BoxAp(**params)(rows).value


def test_all_numbers_are_parts_and_the_backend_is_told(table: Table) -> None:
    made = BoxAp()(table([None], evidence=[evidence("a", [said(GOLD)], [gold()])]))
    assert list(made.parts) == [
        *("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")
    ]
    assert (made.value, made.n, made.parts["APs"]) == (pytest.approx(1.0), 1, None)
    assert made.notes[0].startswith("backend hotcoco 1.")
    assert (made.ci95, made.method) == (None, None)


def test_lvis_has_13_numbers_and_says_what_it_lacks(table: Table) -> None:
    rows = table([None], evidence=[evidence("1", [said(GOLD)], [gold()])])
    made = BoxAp(evaluator="lvis")(rows)
    assert list(made.parts) == [
        *("AP", "AP50", "AP75", "APs", "APm", "APl", "APr", "APc", "APf", "AR@300", "ARs", "ARm", "ARl")
    ]
    assert "APr, APc and APf need the frequency" in " ".join(made.notes)
    known = BoxAp(evaluator="lvis", frequencies={"1": "c"})(rows)
    assert (known.parts["APr"], known.parts["APc"]) == (None, pytest.approx(1.0))
    other = BoxAp(evaluator="lvis", frequencies={"2": "c"})(rows)
    assert other.parts["APc"] is None
    assert "1 of 1 categories have no frequency" in " ".join(other.notes)


@pytest.mark.parametrize(
    "resource",
    [
        {"1": "f"},
        {"1": {"name": "cat", "frequency": "f"}},
        [{"id": 1, "name": "cat", "frequency": "f"}],
        {"categories": [{"id": 1, "name": "cat", "frequency": "f"}], "images": []},
    ],
    ids=["groups", "by-id", "list", "file"],
)
def test_frequencies_come_from_a_resource(table: Table, resource: Any) -> None:
    rows = table([None], evidence=[evidence("1", [said(GOLD)], [gold()])])
    made = BoxAp(evaluator="lvis").with_resources({"categories": resource})(rows)
    assert made.parts["APf"] == pytest.approx(1.0)
    assert BoxAp(evaluator="coco").with_resources({"categories": resource}) == BoxAp()


def test_declared_frequencies_stand_above_a_resource() -> None:
    declared = BoxAp(evaluator="lvis", frequencies={"1": "r"})
    assert declared.with_resources({"categories": {"1": "f"}}) == declared
    assert BoxAp(evaluator="lvis").with_resources({}) == BoxAp(evaluator="lvis")


def test_a_resource_without_categories_is_named() -> None:
    with pytest.raises(MetadataError, match="resource 'categories' lists no categories"):
        BoxAp(evaluator="lvis").with_resources({"categories": "r"})
    with pytest.raises(MetadataError, match="resource 'categories' lists no categories"):
        BoxAp(evaluator="lvis").with_resources({"categories": [{"frequency": "r"}]})


def test_rows_of_one_image_are_pooled_and_golds_taken_once(table: Table) -> None:
    """Each row asks for one category of an image; all tell its golds, by id or without."""
    golds = [gold(category="1", id=5), gold(AWAY, "2", id=6)]
    bare = [{key: value for key, value in each.items() if key != "id"} for each in golds]
    for told in (golds, bare):
        rows = table(
            [None, None],
            evidence=[
                evidence("a", [said(GOLD, category="1")], told),
                evidence("a", [said(AWAY, category="2")], told),
            ],
        )
        made = BoxAp(per_category=True)(rows)
        assert (made.n, made.parts["AP:1"], made.parts["AP:2"]) == (1, pytest.approx(1), pytest.approx(1))
        assert made.parts["AR1"] == 1.0


def test_equal_golds_of_one_row_are_two(table: Table) -> None:
    rows = table([None], evidence=[evidence("a", [said(GOLD)], [gold(), gold()])])
    assert BoxAp()(rows).parts["AR100"] == 0.5


def test_one_id_of_two_golds_is_refused(table: Table) -> None:
    rows = table([None], evidence=[evidence("a", [], [gold(id=5), gold(AWAY, id=5)])])
    with pytest.raises(StageError, match="image a: two different gold boxes have the id 5"):
        BoxAp()(rows)


def test_the_cap_of_lvis_is_over_all_rows_of_an_image(table: Table) -> None:
    golds = [gold(category="1"), gold(category="2")]
    rows = table(
        [None, None],
        evidence=[
            evidence("a", [said(GOLD, 0.9, "1")], golds),
            evidence("a", [said(GOLD, 0.5, "2")], golds),
        ],
    )
    assert ap(rows, evaluator="lvis", max_dets=1) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("images", "expected"),
    [(("2", "10"), 1.0), (("10", "2"), 0.5), (("x", "a"), 1.0), (("a", "x"), 1.0)],
    ids=["numbers", "numbers-reversed", "names", "names-as-they-come"],
)
def test_ties_keep_the_order_of_images(table: Table, images: tuple[str, str], expected: float) -> None:
    rows = table(
        [None, None],
        evidence=[evidence(images[0], [said(GOLD)], [gold()]), evidence(images[1], [said(AWAY)], [])],
    )
    made = BoxAp()(rows)
    assert made.value == pytest.approx(expected)
    assert TIES in made.notes


LENT = {
    "constant": [1.0, 1.0],
    "original": {"scores": [0.5, 0.9], "boxes": [AWAY, GOLD]},
}
MODES = [
    ("response", "response", 0.5, False),
    ("constant", "constant", 0.5, True),
    ("original", "original", 1.0, False),
    ("primary", "primary", 1.0, False),
]


@pytest.mark.parametrize(
    ("mode", "expected", "tied"), [each[1:] for each in MODES], ids=[each[0] for each in MODES]
)
def test_the_ways_to_score(table: Table, mode: Any, expected: float, tied: bool) -> None:
    boxes = [said(AWAY, 0.8), said(GOLD, 0.7)]
    made = BoxAp(mode=mode)(table([None], evidence=[evidence("a", boxes, [gold()], modes=LENT)]))
    assert made.value == pytest.approx(expected)
    assert (TIES in made.notes) is tied


def test_constant_needs_no_list_and_primary_takes_the_reply_where_nothing_is_lent(table: Table) -> None:
    boxes = [said(AWAY, 0.1), said(GOLD, 0.7)]
    rows = table([None], evidence=[evidence("a", boxes, [gold()])])
    assert ap(rows, mode="constant") == pytest.approx(0.5)
    assert ap(rows, mode="primary") == pytest.approx(1.0)


def test_original_without_a_tool_is_no_number(table: Table) -> None:
    rows = table([None, None], evidence=[evidence("a", [said(GOLD)], [gold()]), evidence("b", [], [])])
    made = BoxAp(mode="original")(rows)
    assert made.value is None
    assert made.notes == ("1 of 2 rows have no detections of a tool to lend scores (first: sample 0)",)


def test_lent_scores_have_to_be_one_per_box(table: Table) -> None:
    rows = table([None], evidence=[evidence("a", [said(GOLD)], [gold()], modes=LENT)])
    with pytest.raises(StageError, match="image a: 1 boxes, but 2 scores or boxes"):
        BoxAp(mode="original")(rows)


def test_groups_are_averaged_unweighted_and_without_the_undefined(table: Table) -> None:
    small = [10.0, 10.0, 5.0, 5.0]
    rows = table(
        [None] * 4,
        evidence=[
            evidence("a", [said(GOLD)], [gold()]),
            evidence("b", [said(AWAY)], [gold()]),
            evidence("a", [said(small)], [gold(small)]),
            evidence("c", [said(GOLD)], []),
        ],
        domain=["x", "x", "y", "z"],
    )
    made = BoxAp(by="domain")(rows)
    x = made.parts["x.AP"]
    assert x is not None
    assert made.parts["y.AP"] == pytest.approx(1.0)
    assert (made.parts["z.AP"], made.n) == (None, 4)
    assert made.value == pytest.approx((x + 1) / 2)
    assert made.parts["APs"] == made.parts["y.APs"] == pytest.approx(1.0)
    assert "1 of 3 groups have no AP: z" in made.notes


def test_only_declared_categories_count(table: Table) -> None:
    boxes = [said(GOLD, 1.0, "cat"), said(GOLD, 1.0, "dog")]
    rows = table([None], evidence=[evidence("a", boxes, [gold(category="cat"), gold(AWAY, "dog")])])
    assert ap(rows) == pytest.approx(0.5)
    made = BoxAp(categories=("cat",))(rows)
    assert made.value == pytest.approx(1.0)
    assert "categories without any gold box" not in " ".join(made.notes)


def test_boxes_of_unknown_categories_are_told(table: Table) -> None:
    boxes = [said(GOLD, 1.0, "kitten"), said(GOLD, 1.0, "cat")]
    made = BoxAp()(table([None], evidence=[evidence("a", boxes, [gold(category="cat")])]))
    assert made.value == pytest.approx(1.0)
    assert "1 predicted boxes are of categories without any gold box, which count nowhere" in made.notes


def test_no_gold_is_no_number_and_no_box_is_zero(table: Table) -> None:
    nothing = BoxAp()(table([None], evidence=[evidence("a", [said(GOLD)], [])]))
    assert (nothing.value, nothing.parts["AP50"]) == (None, None)
    assert "no gold box: nothing can be measured" in nothing.notes
    assert ap(table([None], evidence=[evidence("a", [], [gold()])])) == 0.0
    assert BoxAp()([]).value is None


def test_rows_without_a_reply_find_nothing_and_rows_without_a_gold_are_left_out(table: Table) -> None:
    rows = table(
        [None, 0.0, 0.0],
        status=["ok", "invalid", "invalid"],
        evidence=[evidence("a", [said(GOLD)], [gold()]), evidence("b", [], [gold()]), None],
    )
    made = BoxAp()(rows)
    assert (made.n, made.parts["AR100"]) == (2, 0.5)
    assert made.notes[1:] == (
        "1 of 3 rows have no reply and find nothing (first: sample 1)",
        "1 of 3 rows without usable boxes are left out (first: sample 2)",
    )


def test_a_row_that_counts_and_carries_no_boxes_leaves_no_number(table: Table) -> None:
    rows = table([None, 0.0], decided=[True, False], evidence=[evidence("a", [], [gold()]), None])
    made = BoxAp()(rows)
    assert made.value is None
    assert made.notes == (
        "1 of 2 rows carry no boxes (first: sample 1); the pipeline has to end in a stage that reads them, "
        "and of several predictions one counts (--score_predictions first)",
    )
    assert made.parts["AP50"] is None


def test_failed_rows_leave_bounds_that_nobody_knows(table: Table) -> None:
    rows = table([None, 0.0], status=["ok", "error"], evidence=[evidence("a", [said(GOLD)], [gold()]), None])
    made = reducers([Aggregate(name="AP", reduce="box-ap", headline=True)], "test")
    headline: Any = aggregate_summary(made, rows, 0.0)["headline"]
    assert (headline["value"], headline["bounds"]) == (None, [None, None])
    accepted: Any = aggregate_summary(made, rows, 1.0)["headline"]
    assert accepted["value"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rating": 3}, "sample 0: its evidence is not that of boxes"),
        (evidence("a", [said(GOLD[:3])], []), r"at `\$.boxes\[0\].box`"),
        (
            evidence("a", [said([float("nan"), 0, 1, 1])], [gold()]),
            "image a: a predicted box is not a finite",
        ),
        (evidence("a", [said(GOLD, float("inf"))], [gold()]), "image a: the score of a predicted box"),
        (evidence("a", [], [gold([0, 0, 1, float("inf")])]), "image a: a gold box is not a finite"),
        (evidence("a", [], [{**gold(), "area": float("nan")}]), "image a: the area of a gold box"),
    ],
    ids=["no-boxes", "three-numbers", "nan-box", "inf-score", "inf-gold", "nan-area"],
)
def test_broken_evidence_is_named(table: Table, wrong: Any, message: str) -> None:
    with pytest.raises(StageError, match=message):
        BoxAp()(table([None], evidence=[wrong]))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"value": "AP60"}, "value 'AP60' must be one of AP, AP50"),
        ({"value": "APr"}, "value 'APr' must be one of"),
        ({"max_dets": 0}, r"max_dets \[1, 10, 0\]|max_dets \[0\]"),
        ({"max_dets": ()}, r"max_dets \[\] must be different positive numbers"),
        ({"max_dets": (5, 5)}, "must be different positive numbers"),
        ({"evaluator": "lvis", "max_dets": (100, 300)}, "must be one number for the evaluator lvis"),
    ],
)
def test_what_cannot_be_asked_is_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        BoxAp(**params)


def test_the_bootstrap_is_seeded_and_over_images(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mmeval.aggregates.box_ap.DRAWS", 50)
    rows = table(
        [None] * 12,
        evidence=[evidence(str(n), [said(GOLD if n % 3 else AWAY)], [gold()]) for n in range(12)],
    )
    made, again = (BoxAp(interval="bootstrap")(rows) for _ in range(2))
    assert made == again
    assert made.method == "bootstrap"
    assert made.ci95 is not None and made.value is not None
    assert 0 <= made.ci95[0] < made.value < made.ci95[1] <= 1
    assert BoxAp(interval="bootstrap")(rows[:1]).ci95 is None
    perfect = table([None] * 3, evidence=[evidence(str(n), [said(GOLD)], [gold()]) for n in range(3)])
    assert BoxAp(interval="bootstrap")(perfect).ci95 is None


def test_fields_are_those_of_the_groups() -> None:
    assert BoxAp(by=("domain", "split")).fields() == ("domain", "split")
    assert BoxAp().fields() == ()


def test_the_numbers_of_groups_as_a_script_prints_them(table: Table) -> None:
    """Source: QwenLM/Qwen3-VL evaluation/ODinW-13 @ 96588727e44c rounds to 3, and averages -1."""
    small = [10.0, 10.0, 20.0, 20.0]
    rows = table(
        [None, None],
        evidence=[
            evidence("a", [said(AWAY), said(GOLD)], [gold(), gold(AWAY), gold(NEAR)]),
            evidence("b", [said(small)], [gold(small)]),
        ],
        domain=["x", "y"],
    )
    exact, printed = BoxAp(by="domain")(rows), BoxAp(by="domain", group_decimals=3)(rows)
    first = exact.parts["x.AP"]
    assert first is not None and round(first, 3) != first
    assert printed.value == (round(first, 3) + 1.0) / 2
    assert (exact.parts["APs"], printed.parts["APs"]) == (pytest.approx(1.0), 0.0)
    assert printed.parts["x.AP"] == first


def test_rows_without_a_file_of_the_tool_are_told(table: Table) -> None:
    lent = {"scores": [0.5], "boxes": [GOLD]}
    rows = table(
        [None, None],
        evidence=[
            evidence("a", [said(GOLD)], [gold()], modes={"original": lent}),
            evidence("b", [said(GOLD)], [gold()], modes={"original": {**lent, "missing": True}}),
        ],
    )
    told = "1 of 2 rows have no file of the tool: their boxes score 0.5 (first: sample 1)"
    assert told in BoxAp()(rows).notes
    assert told not in BoxAp(mode="constant")(rows).notes
