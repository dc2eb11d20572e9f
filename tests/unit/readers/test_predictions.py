"""Files of predictions by index: every kind, and what each does to texts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError
from mmeval.readers.decoding import Flaw
from mmeval.readers.predictions import ANSWERS, Predictions, name_of, open_predictions

CUT = 32_767


def opened(folder: Path, name: str, text: str | bytes) -> Predictions:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_predictions(path)


def answers(found: Predictions) -> list[Any]:
    return [row[found.column("prediction")] for row in found.rows]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1, "1"),
        (1.0, "1"),
        ("1", "1"),
        ("1.0", "1"),
        ("-3.00", "-3"),
        (" 7 ", "7"),
        ("1.5", "1.5"),
        (1.5, "1.5"),
        ("1.", "1."),
        ("a.0", "a.0"),
        ("a_1", "a_1"),
        ("007", "007"),
        ("", None),
        ("  ", None),
        (None, None),
        (float("nan"), None),
        (True, "true"),
        (Flaw("cell-date", ""), None),
        ([1], None),
    ],
)
def test_a_row_is_called_the_same_however_it_is_written(value: Any, name: str | None) -> None:
    assert name_of(value) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.tsv", "index\tprediction\n1\tA\n2\tNone\n3\tNA\n4\t\n"),
        ("p.csv", "index,prediction\n1,A\n2,None\n3,NA\n4,\n"),
        (
            "p.json",
            '[{"index":1,"prediction":"A"},{"index":2.0,"prediction":"None"},'
            '{"index":"3","prediction":"NA"},{"index":4,"prediction":NaN}]',
        ),
        (
            "p.jsonl",
            '{"index":1,"prediction":"A"}\n{"index":2,"prediction":"None"}\n'
            '{"index":3,"prediction":"NA"}\n{"index":4}\n',
        ),
    ],
)
def test_every_kind_is_read_alike(tmp_path: Path, name: str, text: str) -> None:
    found = opened(tmp_path, name, text)
    assert found.names == ("1", "2", "3", "4")
    assert answers(found) == ["A", "None", "NA", None]
    assert found.form == name.partition(".")[2]
    assert found.sha256 == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('""', ""),
        ("5", 5),
        ("1.50", "1.5"),
        ("0.10000000000000000001", "0.10000000000000000001"),
        ("true", True),
        ('["A", "B"]', ["A", "B"]),
        ("null", None),
        ("Infinity", "Infinity"),
    ],
)
def test_json_keeps_what_it_says(tmp_path: Path, written: str, read: Any) -> None:
    found = opened(tmp_path, "p.json", f'[{{"index": 1, "prediction": {written}}}]')
    assert answers(found) == [read]


def test_half_a_character_costs_its_row(tmp_path: Path) -> None:
    found = opened(
        tmp_path, "p.json", '[{"index": 1, "prediction": "\\ud800"}, {"index": 2, "prediction": "A"}]'
    )
    bad, good = answers(found)
    assert (bad.reason, good) == ("unreadable-text", "A")


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("x" * CUT, True),
        ("\u732b" * CUT, True),
        ("\U0001f600" + "x" * (CUT - 2), True),
        ("x" * (CUT - 1), False),
        ("x" * (CUT + 1), False),
    ],
    ids=["ascii", "characters", "utf-16-units", "shorter", "longer"],
)
def test_a_text_of_the_length_that_spreadsheets_cut_to_is_not_trusted(
    tmp_path: Path, text: str, cut: bool
) -> None:
    (answer,) = answers(opened(tmp_path, "p.tsv", f"index\tprediction\n1\t{text}\n"))
    assert (answer.reason if isinstance(answer, Flaw) else None) == ("cell-truncated" if cut else None)
    (answer,) = answers(opened(tmp_path, "p.json", json.dumps([{"index": 1, "prediction": text}])))
    assert answer == text


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("p.pkl", b"\x80\x04", "is a pickle, which can run code"),
        ("p.xls", b"\xd0\xcf", "save it as .xlsx"),
        ("p.parquet", b"PAR1", "is of no kind that is known here (.parquet)"),
        ("p", b"", "it has no ending"),
        ("p.tsv", "id_\tanswer\n1\tA\n", "no column 'index'; its columns are id_, answer"),
        ("p.json", '[{"number": 1, "text": "A"}]', "no column 'index'; its columns are number, text"),
        ("p.json", "[1]", "row 0: the row is a number, not an object"),
        ("p.json", '{"1": "A"}', "the top level is an object"),
        ("p.json", '[{"index": 1, "index": 2}]', "the key 'index' occurs twice"),
        ("p.json", "[", "cut off"),
    ],
)
def test_what_is_no_file_of_predictions_is_told(tmp_path: Path, name: str, text: Any, says: str) -> None:
    with pytest.raises(ResultError) as caught:
        opened(tmp_path, name, text)
    assert says in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)


def test_a_missing_column_is_told_when_it_is_asked_for(tmp_path: Path) -> None:
    found = opened(tmp_path, "p.tsv", "index\tanswer\n1\tA\n")
    with pytest.raises(ResultError, match="no column 'prediction'; its columns are index, answer"):
        found.column("prediction")


def test_repeated_names_and_short_rows_are_counted(tmp_path: Path) -> None:
    found = opened(tmp_path, "p.tsv", "index\tprediction\n1\tA\n1.0\tB\n2\n")
    assert found.repeated == {"1": 2}
    assert "1 rows of p.tsv have fewer cells" in found.warnings[0]


def test_a_result_file_beside_data_is_told_to_need_none(tmp_path: Path) -> None:
    row = '[{"eval-id": 1, "messages": [{"question": "q"}, {"role": "assistant", "response": "A"}]}]'
    found = opened(tmp_path, "result.json", row)
    with pytest.raises(ResultError, match="holds whole samples: score it without --data"):
        found.first(ANSWERS)
