"""One row: what becomes of its gold, prediction, options and fields, and when it is a BadRow."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError
from mmeval.readers import BadRow, Fields, open_run

MISSING = object()


@pytest.fixture
def read(write: Callable[..., Path]) -> Callable[..., Any]:
    def one(*rows: Any, fields: Fields | None = None) -> Any:
        with open_run(write(list(rows))) as run:
            found = list(run.samples(fields or Fields()))
        return found[0] if len(found) == 1 else found

    return one


PREDICTIONS = [
    ("text", "B", ("B",)),
    ("list", ["B"], ("B",)),
    ("several", ["A", "B", "A"], ("A", "B", "A")),
    ("null", None, (None,)),
    ("null-member", ["A", None], ("A", None)),
    ("empty-list", [], (None,)),
    ("empty-text", "", ("",)),
    ("empty-member", [""], ("",)),
    ("integer", 5, ("5",)),
    ("big-integer", 123456789012345678901234567890, ("123456789012345678901234567890",)),
    ("float", [0.1], ("0.1",)),
    ("boolean", [True, False], ("true", "false")),
    ("na-texts", ["None", "NA", "null", "nan", "N/A", ""], ("None", "NA", "null", "nan", "N/A", "")),
    ("nul-character", "a\x00b", ("a\x00b",)),
    ("controls", "\x01\x1b[0m\u2028\x7f", ("\x01\x1b[0m\u2028\x7f",)),
    ("emoji", "👩‍👩‍👧 é\u0301", ("👩‍👩‍👧 é\u0301",)),
    ("quotes", 'say "yes" \\ no', ('say "yes" \\ no',)),
]


@pytest.mark.parametrize("given,expected", [c[1:] for c in PREDICTIONS], ids=[c[0] for c in PREDICTIONS])
def test_predictions(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]], given: Any, expected: Any
) -> None:
    assert read(make_row(response=given)).predictions == expected


GOLDS = [
    # id, answer, references, answer kept
    ("text", "B", ("B",)),
    ("list", ["a", "b"], ("a", "b")),
    ("integer", 5, ("5",)),
    ("float", 0.1, ("0.1",)),
    ("boolean", True, ("true",)),
    ("mixed-list", [1, 0.5, "x", False], ("1", "0.5", "x", "false")),
    ("big", 2**70, (str(2**70),)),
    ("blank", "  ", ()),
    ("null", None, ()),
    ("empty-list", [], ()),
    ("blank-list", ["", " "], ()),
    ("partly-blank-list", ["", "x"], ("", "x")),
    ("boxes", [{"bbox": [1.5, 2, 3, 4]}], ()),
    ("object", {"x": 1}, ()),
    ("nested-list", [[1, 2], [3]], ()),
]


@pytest.mark.parametrize("answer,references", [c[1:] for c in GOLDS], ids=[c[0] for c in GOLDS])
def test_golds(
    read: Callable[..., Any],
    make_row: Callable[..., dict[str, Any]],
    answer: Any,
    references: tuple[str, ...],
) -> None:
    sample = read(make_row(answer=answer))
    assert sample.references == references
    assert sample.answer == answer


WRITTEN = [
    # The shortest form of a float unless it loses digits.
    ("trailing-zero", "1.50", "1.5"),
    ("whole", "3.0", "3.0"),
    ("exponent", "1e5", "100000.0"),
    ("many-digits", "3.14159265358979323846", "3.14159265358979323846"),
    ("beyond-range", "1e400", "1e400"),
    ("big-integer", "9" * 40, "9" * 40),
    ("huge-integer", "9" * 5000, "9" * 5000),
]


@pytest.mark.parametrize("written,text", [c[1:] for c in WRITTEN], ids=[c[0] for c in WRITTEN])
def test_numbers_keep_their_digits(write: Callable[..., Path], written: str, text: str) -> None:
    path = write(f'[{{"eval-id":1,"messages":[{{}},{{"response":[{written}]}}],"answer":{written}}}]')
    with open_run(path) as run:
        (sample,) = run.samples(Fields())
    assert (sample.references, sample.predictions) == ((text,), (text,))


def drop(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in names}


def test_reference_response_stands_in_for_a_missing_or_blank_answer(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    row = make_row(reference_response="ref")
    assert read({**row, "answer": " "}).references == ("ref",)
    assert read({**row, "answer": None}).references == ("ref",)
    assert read(drop(row, "answer")).references == ("ref",)
    assert read(row).references == ("B",)


def test_a_named_gold_has_no_stand_in(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    assert read(make_row(gold=None, reference_response="ref"), fields=Fields(gt="gold")).references == ()


def test_a_missing_gold_is_left_to_the_engine(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    sample = read(drop(make_row(), "answer"))
    assert (sample.answer, sample.references) == (None, ())


def test_fields_are_the_other_columns(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    meta = {"dataset_name": "D", "subset": "s", "split": "test"}
    sample = read(make_row(media=["x.png"], category="c", pair=[1, 2], dataset_meta=meta))
    assert sample.fields == {"eval-id": 0, "media": ["x.png"], "category": "c", "pair": [1, 2]}
    assert (sample.subset, sample.split) == ("s", "test")


def test_question_comes_from_question_or_prompt(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    row = make_row()
    row["messages"][0] = {"prompt": "P?"}
    assert read(row).question == "P?"
    row["messages"][0]["question"] = "Q?"
    assert read(row).question == "Q?"


TYPES = [
    ("declared", "yes_no", None, "yes_no"),
    ("override", "yes_no", "open", "open"),
    ("foreign-name-is-ignored", "perception", None, "mcq"),
    ("not-a-text", 5, None, "mcq"),
    ("none", None, None, "mcq"),
]


@pytest.mark.parametrize("declared,override,expected", [c[1:] for c in TYPES], ids=[c[0] for c in TYPES])
def test_question_type(
    read: Callable[..., Any],
    make_row: Callable[..., dict[str, Any]],
    declared: Any,
    override: Any,
    expected: Any,
) -> None:
    fields = Fields(question_type=override)
    assert read(make_row(question_type=declared), fields=fields).question_type == expected


def test_inline_options_are_read_unless_declared_otherwise(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    row = make_row()
    row["messages"][0] = {"question": "(A) cat (B) dog"}
    assert read(row).options.source == "inline"
    assert read({**row, "question_type": "open"}).options.source == "none"
    assert read(row, fields=Fields(question_type="mcq")).options.source == "inline"


PRED_FIELDS = [
    ("top-level", "guess", ("G",)),
    ("render-field", "hint", ("H",)),
    ("letter", "A", ("flat",)),
]


@pytest.mark.parametrize("name,expected", [c[1:] for c in PRED_FIELDS], ids=[c[0] for c in PRED_FIELDS])
def test_named_prediction_field(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]], name: str, expected: Any
) -> None:
    row = make_row(guess="G", hint="top")
    row["messages"][0].update(hint="H", A="flat")
    assert read(row, fields=Fields(pred=name)).predictions == expected


BAD = [
    ("no-messages", {"messages": MISSING}, "missing-prediction"),
    ("empty-messages", {"messages": []}, "missing-prediction"),
    ("messages-not-a-list", {"messages": "x"}, "missing-prediction"),
    ("only-the-question", {"messages": [{"question": "?"}]}, "missing-prediction"),
    ("turn-not-an-object", {"messages": [{}, 5]}, "missing-prediction"),
    ("object", {"messages": [{}, {"response": {"x": 1}}]}, "prediction-not-a-text"),
    ("list-in-list", {"messages": [{}, {"response": ["a", ["b"]]}]}, "prediction-not-a-text"),
    ("object-in-list", {"messages": [{}, {"response": [{"x": 1}]}]}, "prediction-not-a-text"),
    ("nan", {"messages": [{}, {"response": [float("nan")]}]}, "prediction-not-a-text"),
    ("infinity", {"messages": [{}, {"response": float("-inf")}]}, "prediction-not-a-text"),
    ("surrogate", {"messages": [{}, {"response": ["x \ud800"]}]}, "unreadable-text"),
    ("nan-gold", {"answer": float("nan")}, "gold-not-usable"),
    ("nan-in-gold-list", {"answer": [1, float("inf")]}, "gold-not-usable"),
    ("null-in-gold-list", {"answer": ["a", None]}, "gold-not-usable"),
    ("surrogate-gold", {"answer": ["x", "\udfff"]}, "unreadable-text"),
]


@pytest.mark.parametrize("change,reason", [c[1:] for c in BAD], ids=[c[0] for c in BAD])
def test_bad_rows(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]], change: dict[str, Any], reason: str
) -> None:
    row = {**make_row(7, category="c", dataset_meta={"subset": "s"}), **change}
    row = {key: value for key, value in row.items() if value is not MISSING}
    bad = read(row)
    assert isinstance(bad, BadRow)
    assert (bad.id, bad.reason, bad.subset) == (7, reason, "s")
    assert bad.fields == {"eval-id": 7, "category": "c"}
    assert bad.detail


def test_damage_elsewhere_is_sanitised(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    sample = read(make_row(category="x\ud800", weight=float("nan"), far=float("inf")))
    assert sample.fields == {"eval-id": 0, "category": "x\ufffd", "weight": None, "far": "Infinity"}
    assert sample.predictions == ("B",)


def test_a_row_that_is_no_object_keeps_its_place(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    first, *others = read(5, None, [1], "x", make_row(9))
    assert (first.id, first.reason) == (0, "row-not-an-object")
    assert [other.reason for other in others[:3]] == ["row-not-an-object"] * 3
    assert others[3].id == 9


def test_old_layout_is_refused(read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]) -> None:
    row = drop(make_row(3), "answer")
    row["messages"][0]["answer"] = "B"
    with pytest.raises(ResultError, match=r"row 3 has 'answer' in messages\[0\].*mmeval import"):
        read(row)
    assert read({**row, "answer": "A"}).references == ("A",)
    assert read({**row, "reference_response": "A"}).references == ("A",)


@pytest.mark.parametrize("fields", [Fields(gt="gold"), Fields(pred="gold")], ids=["gt", "pred"])
def test_a_field_that_no_row_has_is_refused(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]], fields: Fields
) -> None:
    with pytest.raises(
        ResultError, match="no row has a field 'gold'; its fields are answer, category, eval-id"
    ):
        read(make_row(category="c"), fields=fields)


def test_a_named_field_that_some_rows_lack(
    read: Callable[..., Any], make_row: Callable[..., dict[str, Any]]
) -> None:
    found = read(make_row(0, guess="x"), make_row(1), fields=Fields(pred="guess"))
    assert found[0].predictions == ("x",)
    assert (found[1].reason, found[1].detail) == ("missing-prediction", "it has no field 'guess'")
