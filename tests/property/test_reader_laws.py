"""Laws of the reader, over generated files: nothing crashes, nothing is lost, what is written is read."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmeval.errors import MmevalError
from mmeval.option_labels import read_options
from mmeval.readers import BadRow, Fields, open_run
from mmeval.readers.decoding import decode_row
from mmeval.types import Sample

CALM = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

text = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
scalar = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
wild_scalar = scalar | st.floats() | st.text(st.characters(), max_size=8)
value = st.recursive(
    scalar, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4)
)
wild = st.recursive(
    wild_scalar, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4)
)
turn = st.fixed_dictionaries(
    {}, optional={"question": wild, "options": wild, "choices": wild, "A": wild, "response": wild}
)
wild_row = st.fixed_dictionaries(
    {},
    optional={
        "eval-id": wild,
        "id": wild,
        "messages": wild | st.lists(turn, max_size=3),
        "answer": wild,
        "reference_response": wild,
        "question_type": wild,
        "category": wild,
    },
)


def read(content: bytes, name: str = "result.json", fields: Fields | None = None) -> list[Sample | BadRow]:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        with open_run(path) as run:
            found = list(run.samples(fields or Fields()))
            assert len(found) == run.n_rows
            return found


def as_json(rows: object) -> bytes:
    return json.dumps(rows).encode()


@CALM
@given(st.lists(wild_row | wild, min_size=1, max_size=5))
def test_any_json_gives_one_result_per_row_that_can_be_written(rows: list[object]) -> None:
    try:
        found = read(as_json(rows))
    except MmevalError as refused:
        assert "\n" not in str(refused)
        return
    assert len(found) == len(rows)
    assert len({str(row.id) for row in found if isinstance(row, Sample)}) == sum(
        isinstance(row, Sample) for row in found
    )
    for row in found:
        json.dumps([row.id, row.fields], allow_nan=False, ensure_ascii=False).encode("utf-8")
        if isinstance(row, Sample):
            said = [
                row.question,
                row.options.labels,
                row.options.texts,
                row.answer,
                row.references,
                row.predictions,
            ]
            json.dumps(said, allow_nan=False, ensure_ascii=False).encode("utf-8")


@CALM
@given(st.binary(max_size=60) | st.text('[]{},:"\\ 01aeEnNu.-\n', max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_in_one_sentence(content: bytes) -> None:
    for name in ("result.json", "run.jsonl"):
        try:
            read(content, name)
        except MmevalError as refused:
            assert "\n" not in str(refused)


@CALM
@given(st.lists(st.tuples(text, text), min_size=1, max_size=5), st.sampled_from(["result.json", "run.jsonl"]))
def test_what_is_written_is_read(pairs: list[tuple[str, str]], name: str) -> None:
    rows = [
        {"eval-id": n, "messages": [{"question": gold}, {"response": [said]}], "answer": gold}
        for n, (gold, said) in enumerate(pairs)
    ]
    content = as_json(rows) if name == "result.json" else b"\n".join(map(as_json, rows))
    found = read(content, name)
    assert [row.predictions for row in found if isinstance(row, Sample)] == [(said,) for _, said in pairs]
    assert [row.answer for row in found if isinstance(row, Sample)] == [gold for gold, _ in pairs]


@CALM
@given(st.lists(wild_row, min_size=1, max_size=4))
def test_array_and_lines_say_the_same(rows: list[dict[str, object]]) -> None:
    said = []
    for name, content in (("result.json", as_json(rows)), ("run.jsonl", b"\n".join(map(as_json, rows)))):
        try:
            said.append(repr(read(content, name)))
        except MmevalError as refused:
            said.append(str(refused).partition(name)[2])
    assert said[0] == said[1]


@CALM
@given(st.lists(wild_row, min_size=2, max_size=5), st.randoms())
def test_order_changes_nothing_but_order(rows: list[dict[str, object]], random) -> None:  # type: ignore[no-untyped-def]
    named = [{**row, "eval-id": f"row {n}"} for n, row in enumerate(rows)]
    turned = list(named)
    random.shuffle(turned)
    try:
        first, second = read(as_json(named)), read(as_json(turned))
    except MmevalError:
        return
    assert sorted(map(repr, first)) == sorted(map(repr, second))


@CALM
@given(st.dictionaries(text, value, max_size=5))
def test_a_sound_row_decodes_as_json_says(row: dict[str, object]) -> None:
    columns = decode_row(as_json(row))
    assert columns.values == row
    assert columns.flaw is None


@CALM
@given(st.dictionaries(text, value, min_size=1, max_size=5), st.data())
def test_a_repeated_key_is_always_found(row: dict[str, object], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(row)))
    again = json.dumps({key: data.draw(value)}, ensure_ascii=data.draw(st.booleans()))
    columns = decode_row((json.dumps(row)[:-1] + "," + again[1:]).encode())
    assert columns.flaw is not None
    assert columns.flaw.reason == "duplicate-key"


@CALM
@given(st.dictionaries(st.sampled_from(["options", "choices", "question", *"ABCD"]), value), text)
def test_options_run_parallel(turn: dict[str, object], question: str) -> None:
    found = read_options(turn, question, scan_inline=True)  # type: ignore[arg-type]
    assert found.labels
    assert found.texts == () or len(found.texts) == len(found.labels)
