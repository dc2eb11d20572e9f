"""box-ap: what it says of groups and images that are not what a reader takes them for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from box_evidence import AWAY, GOLD, evidence, gold, said

from mmeval.aggregates.box_ap import BoxAp
from mmeval.types import Row

pytest.importorskip("hotcoco")

Table = Callable[..., list[Row]]


GROUPS = [
    pytest.param(["a", "b"], (), [], id="no-groups-declared"),
    pytest.param(["a", "b"], ("a", "b"), [], id="all-there"),
    pytest.param(
        ["a", "a"],
        ("a", "b", "c"),
        ["the mean is over 1 of the 3 published groups; without a value: b, c"],
        id="two-lacking",
    ),
    pytest.param(
        ["a", "x"],
        ("a",),
        ["the mean counts groups that are none of the published ones: x"],
        id="strange-one",
    ),
]


@pytest.mark.parametrize(("there", "groups", "notes"), GROUPS)
def test_a_mean_over_other_groups_than_published_says_so(
    table: Table, there: list[str], groups: tuple[str, ...], notes: list[str]
) -> None:
    said_of = [evidence(str(i), [said(GOLD)], [gold()]) for i in range(2)]
    rows = table([None, None], evidence=said_of, domain=there)
    made = BoxAp(by="domain", groups=groups)(rows)
    assert [note for note in made.notes if note.startswith("the mean")] == notes
    assert made.value == pytest.approx(1.0)


def test_a_group_without_golds_is_lacking_too(table: Table) -> None:
    said_of = [evidence("0", [said(GOLD)], [gold()]), evidence("1", [said(GOLD)], [])]
    rows = table([None, None], evidence=said_of, domain=["a", "b"])
    notes = BoxAp(by="domain", groups=("a", "b"))(rows).notes
    assert "the mean is over 1 of the 2 published groups; without a value: b" in notes


def test_an_image_of_several_subsets_is_not_pooled_in_silence(table: Table) -> None:
    first = table([None], evidence=[evidence("7", [said(GOLD)], [gold()])], subset="val2014")
    second = table([None], evidence=[evidence("7", [said(AWAY)], [gold()])], subset="val2017")
    told = "1 image is in several subsets (first: 7): all boxes of one count together, its golds once"
    assert told in BoxAp()([*first, *second]).notes
    assert told not in BoxAp()([*first, *first]).notes
