"""Files of labels: every form that is read, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import MmevalError
from mmeval.judge.labels import read_labels

FORMS: list[Any] = [
    pytest.param("x.csv", "eval-id,label\n1,correct\n2,wrong\n", {"1": "correct", "2": "wrong"}, id="csv"),
    pytest.param("x.tsv", "id\tscore\n1\t0.5\n2\t\n", {"1": "0.5"}, id="tsv-one-not-labelled"),
    pytest.param("x.csv", "index,question,hit\n7,why?,1\n", {"7": "1"}, id="other-columns"),
    pytest.param("x.json", '[{"eval-id": 1, "label": true}]', {"1": True}, id="array"),
    pytest.param(
        "x.jsonl", '{"id": "a", "rating": 4}\n\n{"id": 2, "rating": 5}\n', {"a": 4, "2": 5}, id="lines"
    ),
    pytest.param("x.json", '{"1": 1, "2": 0, "3": null}', {"1": 1, "2": 0}, id="mapping"),
    pytest.param("x.json", '{"per_sample": {"1": 0.5}, "n": 1}', {"1": 0.5}, id="per-sample"),
    pytest.param("x.json", '{"1": {"score": 3, "who": "me"}}', {"1": 3}, id="mapping-of-objects"),
    pytest.param("x.csv", "id,label\n1,a\n1,a\n", {"1": "a"}, id="the-same-twice"),
    pytest.param("x.json", '[{"id": 1.0, "label": "a"}]', {"1": "a"}, id="canonical-ids"),
]


@pytest.mark.parametrize(("name", "text", "wanted"), FORMS)
def test_labels_by_id(tmp_path: Path, name: str, text: str, wanted: dict[str, Any]) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_labels(tmp_path / name) == wanted


def test_columns_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("key,id,score,label\nk1,1,0.5,good\n", encoding="utf-8")
    assert read_labels(path, label_field="label") == {"1": "good"}
    assert read_labels(path, "key", "score") == {"k1": "0.5"}


REFUSED: list[Any] = [
    pytest.param(
        "x.csv", "id,score,label\n1,1,a\n", "label and score may both hold the label", id="two-labels"
    ),
    pytest.param("x.csv", "id,opinion\n1,a\n", "no column holds a label", id="no-label-column"),
    pytest.param("x.csv", "name,label\n1,a\n", "name it with --id_field", id="no-id-column"),
    pytest.param("x.csv", "id,label\n1,a\n1,b\n", "1 has two labels", id="two-opinions"),
    pytest.param("x.csv", "id,label\n,a\n", "row 1 has no id", id="no-id"),
    pytest.param("x.csv", "id,label\n1,\n", "holds no label", id="nothing-labelled"),
    pytest.param("x.json", '[{"id": 1, "label": [1]}]', "is no single value", id="list-as-label"),
    pytest.param("x.json", "[1]", "a row is not an object", id="no-objects"),
    pytest.param("x.json", "3", "holds neither rows nor ids", id="number"),
    pytest.param("x.json", '{"per_sample": [1]}', "per_sample is not an object", id="per-sample-list"),
    pytest.param("x.json", '{"1": {"score": 1}, "2": 1}', "some labels are objects", id="mixed"),
    pytest.param("x.json", '{"1": {"tp": 1}}', "no column holds a label", id="objects-without-label"),
    pytest.param("x.json", "{", "is no JSON", id="broken"),
    pytest.param("y.json", None, "cannot be read", id="missing"),
]


@pytest.mark.parametrize(("name", "text", "says"), REFUSED)
def test_what_is_refused(tmp_path: Path, name: str, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(MmevalError, match=says):
        read_labels(tmp_path / name)


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,label\n1,a\n", encoding="utf-8")
    with pytest.raises(MmevalError, match="--label_field 'nope': there is no such column"):
        read_labels(tmp_path / "x.csv", label_field="nope")
