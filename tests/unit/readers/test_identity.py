"""Ids and dataset_meta over a whole file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import MetadataError
from mmeval.readers import BadRow, Fields, RunFile, open_run


def read(path: Path) -> tuple[RunFile, list[Any]]:
    with open_run(path) as run:
        return run, list(run.samples(Fields()))


NAMES = [
    # id, eval-id, id column, name of the row
    ("integer", 5, "x", 5),
    ("text", "q-1", None, "q-1"),
    ("falls-to-id", None, "x", "x"),
    ("blank-falls-to-id", " ", 7, 7),
    ("zero", 0, 7, 0),
    ("float", 1.0, None, "1"),
    ("boolean", True, None, "true"),
    ("list", ["a", 1], None, '["a",1]'),
    ("object", {"b": 1, "a": 2}, None, '{"a":2,"b":1}'),
    ("big", 2**80, None, 2**80),
    ("none", None, None, 0),
    ("blank", "", "", 0),
    ("nan", float("nan"), "x", "x"),
    ("half-character", "a\ud800", None, "a\ufffd"),
]


@pytest.mark.parametrize("eval_id,id_,name", [c[1:] for c in NAMES], ids=[c[0] for c in NAMES])
def test_names(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]], eval_id: Any, id_: Any, name: str
) -> None:
    run, (sample,) = read(write([make_row(eval_id, id=id_)]))
    assert sample.id == name
    assert run.rows_without_id == (name == 0 and eval_id != 0)


def test_rows_without_any_id_get_their_position(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]
) -> None:
    rows = [make_row("a"), make_row(None), make_row(3), make_row(None), make_row(None)]
    run, samples = read(write(rows))
    assert [sample.id for sample in samples] == ["a", 1, 3, "row-3", 4]
    assert run.rows_without_id == 3
    assert not run.duplicate_ids


def test_duplicates_are_reported_and_none_counts(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]
) -> None:
    run, samples = read(write([make_row(1), make_row("1"), make_row(2), make_row(1.0)]))
    assert run.duplicate_ids == {"1": 3}
    assert [type(sample) is BadRow for sample in samples] == [True, True, False, True]
    assert samples[0].reason == "duplicate-id"
    assert samples[0].detail == "id 1 occurs 3 times"


def test_a_duplicate_among_damaged_rows_is_found(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]
) -> None:
    run, samples = read(write([make_row(1, x=float("nan")), make_row(1, x="\ud800")]))
    assert run.duplicate_ids == {"1": 2}
    assert {sample.reason for sample in samples} == {"duplicate-id"}


META = {
    "dataset_name": "D",
    "subset": "a",
    "split": "test",
    "task_type": "t",
    "score_pipeline": ["exact-match"],
}


def test_metas_may_differ_in_subset_split_and_task_type(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]
) -> None:
    other = {**META, "subset": "b", "split": "dev", "task_type": "u"}
    rows = [make_row(0, dataset_meta=META), make_row(1, dataset_meta=other), make_row(2, dataset_meta=META)]
    run, samples = read(write(rows))
    assert [(meta.block, meta.first_row, meta.rows) for meta in run.metas] == [(META, 0, 2), (other, 1, 1)]
    assert [(s.subset, s.split) for s in samples] == [("a", "test"), ("b", "dev"), ("a", "test")]
    assert run.warnings == ()


def test_the_same_block_written_differently_is_one(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]
) -> None:
    turned = dict(reversed(META.items()))
    run, _ = read(write([make_row(0, dataset_meta=META), make_row(1, dataset_meta=turned)]))
    assert [(meta.first_row, meta.rows) for meta in run.metas] == [(0, 2)]


@pytest.mark.parametrize("extra", [{}, {"dataset_meta": None}], ids=["absent", "null"])
def test_rows_without_a_block_are_tolerated_and_told(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]], extra: dict[str, Any]
) -> None:
    run, _ = read(write([make_row(0, dataset_meta=META), make_row(1, **extra)]))
    assert len(run.metas) == 1
    assert run.warnings == ("1 of 2 rows carry no dataset_meta; the block of the others holds for them",)


def test_no_block_at_all(write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]) -> None:
    run, _ = read(write([make_row(0), make_row(1)]))
    assert (run.metas, run.warnings) == ((), ())


CLASHES = [
    ("name", {"dataset_name": "E"}, "dataset_name"),
    ("pipeline", {"score_pipeline": ["llm-judge"]}, "score_pipeline"),
    ("new-key", {"score_params": {"numeric_rel_tol": 0.05}}, "score_params"),
    ("zero-is-a-value", {"score_params": 0}, "score_params"),
]


@pytest.mark.parametrize("change,key", [c[1:] for c in CLASHES], ids=[c[0] for c in CLASHES])
def test_blocks_that_disagree_are_refused(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]], change: dict[str, Any], key: str
) -> None:
    rows = [make_row(0, dataset_meta=META), make_row(1), make_row(2, dataset_meta={**META, **change})]
    with pytest.raises(MetadataError, match=f"rows 0 and 2 disagree on dataset_meta.{key};.*separate files"):
        open_run(write(rows))


def test_a_null_is_no_disagreement(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]
) -> None:
    rows = [make_row(0, dataset_meta=META), make_row(1, dataset_meta={**META, "score_params": None})]
    assert len(read(write(rows))[0].metas) == 2


def test_score_type_is_refused_with_the_remedy(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]
) -> None:
    rows = [make_row(0), make_row(1, dataset_meta={"score_type": "mcq"})]
    with pytest.raises(MetadataError, match=r"row 1: .*re-push the dataset with 'score_pipeline', then run"):
        open_run(write(rows))


@pytest.mark.parametrize("block", ["x", 5, [], True], ids=["text", "number", "list", "boolean"])
def test_a_block_that_is_no_object_is_refused(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]], block: Any
) -> None:
    with pytest.raises(MetadataError, match=r"row 0: dataset_meta is a .*, not an object"):
        open_run(write([make_row(0, dataset_meta=block)]))


def test_a_damaged_block_still_speaks(
    write: Callable[..., Path], make_row: Callable[..., dict[str, Any]]
) -> None:
    run, _ = read(write([make_row(0, dataset_meta={**META, "note": "\ud800", "x": float("nan")})]))
    assert run.metas[0].block == {**META, "note": "\ufffd", "x": None}
