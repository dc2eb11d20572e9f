"""The protocol library: names, aliases, subsets, variants."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval import library
from mmeval.errors import MetadataError, UsageError

Protocols = Callable[..., None]
TWO = {
    "dataset_name": "Two",
    "aliases": ["org/Two", "two_old"],
    "subsets": {
        "val": {"score_pipeline": ["exact-match"], "variants": {"loose": {"score_pipeline": ["rule-match"]}}},
        "test": {"score_pipeline": ["anls"]},
    },
}
STAR = {"dataset_name": "Star", "subsets": {"*": {"score_pipeline": ["mra"]}}}
ONE = {"subsets": {"main": {"score_pipeline": ["count-parse"]}}}


@pytest.fixture(autouse=True)
def _some(protocols: Protocols) -> None:
    protocols(two=TWO, star=STAR, One=ONE)


@pytest.mark.parametrize("name", ["Two", "two", "TWO", "org/Two", "ORG/two", "two_old"])
def test_names_and_aliases_in_any_case(name: str) -> None:
    entry = library.find(name, "test")
    assert entry is not None
    assert (entry.name, entry.block.score_pipeline) == ("Two", ("anls",))


def test_an_unknown_name_is_nothing() -> None:
    assert library.find("Three", None) is None


@pytest.mark.parametrize(
    ("reference", "subset", "name", "variant", "pipeline"),
    [
        pytest.param("Two", "val", "Two", None, ("exact-match",), id="subset-of-the-run"),
        pytest.param("Two:test", "val", "Two", None, ("anls",), id="subset-said"),
        pytest.param("Two@loose", "val", "Two", "loose", ("rule-match",), id="variant"),
        pytest.param("two_old:val@loose", None, "Two", "loose", ("rule-match",), id="all-three"),
        pytest.param("Star", "anything", "Star", None, ("mra",), id="star"),
        pytest.param("Star", None, "Star", None, ("mra",), id="star-without-subset"),
        pytest.param("One", None, "One", None, ("count-parse",), id="only-subset"),
    ],
)
def test_a_reference_names_one_block(
    reference: str, subset: str | None, name: str, variant: str | None, pipeline: tuple[str, ...]
) -> None:
    entry = library.named(reference, subset)
    assert (entry.name, entry.variant) == (name, variant)
    assert entry.block.score_pipeline == pipeline


@pytest.mark.parametrize(
    ("reference", "subset", "says"),
    [
        pytest.param("Tow", None, "no protocol 'Tow' in the library; did you mean 'Two'?", id="name"),
        pytest.param("Two", None, "no subset None; known: test, val", id="two-subsets"),
        pytest.param("Two:tset", None, "did you mean 'test'?", id="subset"),
        pytest.param("Two@lose", "val", "no variant 'lose'; did you mean 'loose'?", id="variant"),
        pytest.param("Two:test@loose", None, "no variant 'loose'; known: none", id="variant-of-the-other"),
        pytest.param("One", "other", "no subset 'other'", id="only-subset-is-another"),
    ],
)
def test_what_is_not_there_is_told_with_what_is(reference: str, subset: str | None, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        library.named(reference, subset)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"dataset_name": "TWO", "subsets": {}}, id="name"),
        pytest.param({"aliases": ["Org/TWO"], "subsets": {}}, id="alias"),
    ],
)
def test_two_folders_may_not_claim_one_name(protocols: Protocols, claims: dict[str, object]) -> None:
    protocols(other=claims)
    with pytest.raises(MetadataError, match="both claim the name"):
        library.index()


@pytest.mark.parametrize("content", ["{", "[]", '"x"', '{"aliases": 3, "subsets": {}}'])
def test_a_broken_folder_is_named(protocols: Protocols, content: str) -> None:
    protocols(broken=content)
    with pytest.raises(MetadataError, match=r"protocols/broken/metadata\.json"):
        library.index()


@pytest.mark.parametrize("reference", ["POPE@", "POPE:", "POPE:@vlmevalkit", "POPE:coco@"])
def test_a_mark_is_followed_by_a_name(reference: str) -> None:
    with pytest.raises(UsageError, match="a name must follow"):
        library.named(reference, None)
