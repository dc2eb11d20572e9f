"""Reading boxes: one table of replies, each with the boxes in it and what was dropped."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from timing import room

from mmeval.boxes.model import Box, Point
from mmeval.boxes.reading import read_boxes, read_marks

RUNS = Path(__file__).resolve().parents[4] / "shared" / "runs"
FACTS = "Qwen3-VL @ 96588727e44c, lmms-eval @ 75571cfe0fa3, as observed; ours differ on purpose"
COMPLAINTS = "lmms-eval #98, roboflow/inference #2930, openflipbook #127, ParseBench #73, midscene #2758"
A, B, C = (1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12)

# reply, boxes, dropped, how, source
REPLIES: list[Any] = [
    # what the peers read
    pytest.param('[{"bbox_2d":[1,2,3,4],"label":"dog"}]', [(A, "dog")], {}, "json", "Qwen3-VL", id="plain"),
    pytest.param(
        '[{"bbox_2d":[1,2,3,4],"label":"dog"},{"bbox_2d":[5,6,7,8],"label":"cat"},{"bbox_2d":[9,10',
        [(A, "dog"), (B, "cat")],
        {"truncated": 1},
        "objects",
        f"{FACTS}: Qwen3-VL reads none, lmms-eval reads cat before dog",
        id="truncated",
    ),
    pytest.param(
        'Here they are: [{"bbox_2d":[1,2,3,4],"label":"dog"}]',
        [(A, "dog")],
        {},
        "objects",
        f"{FACTS}: Qwen3-VL reads none",
        id="leading-prose",
    ),
    pytest.param(
        '{"bbox_2d":[1,2,3,4],"label":"dog"}',
        [(A, "dog")],
        {},
        "json",
        f"{FACTS}: Qwen3-VL reads none",
        id="single-object",
    ),
    pytest.param(
        '[{"bbox_2d":[1,2,3,4]},{"bbox_2d":[5,6,7,8],"label":null}]',
        [(A, None), (B, None)],
        {},
        "json",
        f"{FACTS}: Qwen3-VL reads none",
        id="missing-and-null-label",
    ),
    pytest.param(
        '[{"bbox_2d":[1,2,3],"label":"dog"},{"bbox_2d":[5,6,7,8],"label":"dog"}]',
        [(B, "dog")],
        {"three-numbers": 1},
        "json",
        "Qwen3-VL skips the box too",
        id="three-numbers",
    ),
    # wrappings
    pytest.param('```json\n[{"bbox_2d":[1,2,3,4]}]\n```', [(A, None)], {}, "json", COMPLAINTS, id="fenced"),
    pytest.param('```json\n[{"bbox_2d":[1,2,3,4]}]', [(A, None)], {}, "json", COMPLAINTS, id="open-fence"),
    pytest.param(
        "Sure.\n```\n[[1,2,3,4]]\n```\nand\n```json\n[[5,6,7,8]]\n```",
        [(A, None), (B, None)],
        {},
        "json",
        "all blocks in order",
        id="two-fences",
    ),
    pytest.param(
        '```python\nprint(1)\n```\n```json\n[{"box":[1,2,3,4]}]\n```',
        [(A, None)],
        {},
        "objects",
        "a block of code beside it",
        id="code-beside",
    ),
    pytest.param("<think>[9,9,9,9]</think>[1,2,3,4]", [(A, None)], {}, "json", "reasoning", id="reasoning"),
    pytest.param("[9,9,9,9]</think>[1,2,3,4]", [(A, None)], {}, "json", "reasoning", id="reasoning-open"),
    pytest.param("<think>[9,9,9,9]", [], {}, "none", "reasoning", id="reasoning-unclosed"),
    pytest.param("[9,9,9,9] <answer>[1,2,3,4]</answer>", [(A, None)], {}, "json", "answer", id="answer"),
    pytest.param("The box is \\boxed{[1, 2, 3, 4]}.", [(A, None)], {}, "numbers", "LaTeX", id="boxed"),
    # keys
    *(
        pytest.param(f'{{"{key}":[1,2,3,4]}}', [(A, None)], {}, "json", "keys", id=key)
        for key in ("bbox_2d", "bbox", "box_2d", "box")
    ),
    *(
        pytest.param(f'{{"box":[1,2,3,4],"{key}":" dog "}}', [(A, "dog")], {}, "json", "keys", id=key)
        for key in ("label", "class", "category", "name")
    ),
    pytest.param('{"box":[1,2,3,4],"label":7}', [(A, "7")], {}, "json", "a number", id="label-number"),
    pytest.param('{"box":[1,2,3,4],"label":"","name":"x"}', [(A, "x")], {}, "json", "blank", id="blank"),
    # nesting
    pytest.param(
        '{"objects":[{"box":[1,2,3,4]},{"box":[5,6,7,8]}],"n":2}',
        [(A, None), (B, None)],
        {},
        "json",
        "a list in an object",
        id="objects",
    ),
    pytest.param(
        '{"bbox_2d":[[1,2,3,4],[5,6,7,8]],"label":"dog"}',
        [(A, "dog"), (B, "dog")],
        {},
        "json",
        "several boxes of a label",
        id="boxes-of-one-label",
    ),
    pytest.param(
        "[[[1,2,3,4],[[5,6,7,8]]],[9,10,11,12]]",
        [(A, None), (B, None), (C, None)],
        {},
        "json",
        "",
        id="nested-lists",
    ),
    pytest.param(
        '{"objects":[{"box":[1,2,3,4],"at":{"x":1}},{"box":[5,6,7,8]},{"bo',
        [(A, None), (B, None)],
        {"truncated": 1},
        "objects",
        "an object in an object, cut off",
        id="nested-truncated",
    ),
    pytest.param('["a dog", [1,2,3,4]]', [(A, None)], {}, "json", "a text beside", id="text-beside"),
    # Python
    pytest.param(
        "[{'box': (1, 2, 3, 4), 'label': 'it\\'s \"x\"', 'score': None,},]",
        [(A, 'it\'s "x"')],
        {},
        "python",
        "single quotes, tuple, None, spare commas",
        id="python",
    ),
    pytest.param("(1, 2, 3, 4)", [(A, None)], {}, "python", "tuple", id="tuple"),
    pytest.param(
        "Found {'box': [1, 2, 3, 4], 'label': 'dog'} and {\"box\": [5,6,7,8]}.",
        [(A, "dog"), (B, None)],
        {},
        "objects",
        "both languages",
        id="mixed-languages",
    ),
    pytest.param("[__import__('os').getpid(), 2, 3, 4]", [], {}, "none", "nothing is run", id="no-eval"),
    # broken ones
    pytest.param(
        '[{"box":[1,2,3,4],"label":"5" pipe"},{"box":[5,6,7,8]}]',
        [(B, None)],
        {"unreadable": 1},
        "objects",
        "a broken quote costs one object",
        id="broken-quote",
    ),
    pytest.param(
        '[{"box":[1,2,3,4],"label":"a}b"}, x',
        [(A, None)],
        {},
        "numbers",
        "a brace in a label",
        id="brace-in-label",
    ),
    pytest.param(
        '{"bbox_2d":[1,2,3,4],"label":"the man i',
        [(A, None)],
        {},
        "numbers",
        "a whole box in an object that is cut off",
        id="cut-in-label",
    ),
    pytest.param('[{"a":1},{"box":[1,2,3,4]}]', [(A, None)], {"no-box": 1}, "json", "no key", id="no-box"),
    *(
        pytest.param(
            f'[{{"box":{value}}},{{"box":[1,2,3,4]}}]',
            [(A, None)],
            {reason: 1},
            "json",
            COMPLAINTS,
            id=f"{reason}-{value[:9]}",
        )
        for value, reason in (
            ("null", "null"),
            ("[1,null,3,4]", "null"),
            ("[1,NaN,3,4]", "not-a-number"),
            ("[1,2,Infinity,4]", "infinite"),
            ("[1,2,1e999,4]", "infinite"),
            (f"[1,2,{'9' * 400},4]", "infinite"),
            (f"[1,2,{2**1024 - 2**970},4]", "infinite"),
            ("[true,2,3,4]", "boolean"),
            ('["1","2","3","4"]', "text"),
            ('"[5,6,7,8]"', "text"),
            ("[5,6,7,8,9]", "not-four-numbers"),
            ("[]", "no-box"),
            ("7", "no-list"),
        )
    ),
    pytest.param('{"box":[[5,6],[7,8]]}', [], {"point": 2}, "none", "lmms-eval #892", id="points-for-a-box"),
    pytest.param(f'{{"box":[1,2,{"9" * 5000},4]}}', [], {"infinite": 1}, "none", "", id="5000-digits"),
    pytest.param('{"point_2d":[5,6],"label":"dog"}', [], {"point": 1}, "none", "lmms-eval #892", id="point"),
    # numbers
    pytest.param("10, 20, 30, 40", [((10, 20, 30, 40), None)], {}, "numbers", "", id="bare"),
    pytest.param("at [0.1, .25,3., -4e0]", [((0.1, 0.25, 3, -4), None)], {}, "numbers", "", id="decimals"),
    pytest.param("[012, 034,056 ,078]", [((12, 34, 56, 78), None)], {}, "numbers", "CogVLM", id="zeros"),
    pytest.param("array([1 2 3 4])", [(A, None)], {}, "numbers", "numpy", id="spaces"),
    pytest.param("[[1,2,3,4],[5,6,7,80", [(A, None)], {"truncated": 1}, "numbers", "", id="numbers-cut"),
    pytest.param("[1,2,3] or [1,2,3,4]", [(A, None)], {"three-numbers": 1}, "numbers", "", id="three-first"),
    pytest.param(
        "<ref>the dog</ref><box>(1,2),(3,4)</box><box>(5,6),(7,8)</box>",
        [(A, "the dog"), (B, "the dog")],
        {},
        "numbers",
        "Qwen-VL",
        id="qwen-vl",
    ),
    pytest.param(
        "<|object_ref_start|>dog<|object_ref_end|><|box_start|>(1,2),(3,4)<|box_end|>",
        [(A, "dog")],
        {},
        "numbers",
        "Qwen2-VL",
        id="qwen2-vl",
    ),
    pytest.param(
        "<ref>dog</ref><box>[[1, 2, 3, 4]]</box>", [(A, "dog")], {}, "numbers", "InternVL", id="internvl"
    ),
    pytest.param("(1,2)", [], {"point": 1}, "none", "a point", id="pair"),
    pytest.param("(1,2),(3,4),(5,6)", [], {"point": 3}, "none", "three points", id="three-pairs"),
    pytest.param('{"answer":"[1, 2, 3, 4]"}', [(A, None)], {}, "numbers", "a box in a text", id="in-a-text"),
    # nothing
    *(
        pytest.param(text, [], {}, "none", "nothing to read", id=f"nothing-{text[:12]!r}")
        for text in ("", " ", "no", "[]", "{}", "12", "in 2019, 3", "x1=10, y1=20", '["a","b"]', "\ud800")
    ),
]


@pytest.mark.parametrize(("reply", "boxes", "dropped", "how", "source"), REPLIES)
def test_reply(reply: str, boxes: list[Any], dropped: dict[str, int], how: str, source: str) -> None:
    read = read_boxes(reply)
    assert [(box.values, box.label) for box in read.boxes] == boxes
    assert [box.index for box in read.boxes] == list(range(len(boxes)))
    assert (read.dropped, read.how) == (dropped, how)


@pytest.mark.parametrize(
    ("fields", "score", "category"),
    [
        ('"score":0.5,"category_id":18', 0.5, 18),
        ('"confidence":1,"category_id":18.0', 1.0, 18),
        ('"score":"high","confidence":0.25,"category_id":"18"', 0.25, 18),
        ('"score":true,"category_id":true', None, None),
        ('"score":NaN,"category_id":1.5', None, None),
        ('"score":1e999', None, None),
    ],
)
def test_score_and_category(fields: str, score: float | None, category: int | None) -> None:
    assert read_boxes(f'[{{"bbox":[1,2,3,4],{fields}}}]').boxes == (Box(A, None, category, score, 0),)


@pytest.mark.parametrize(
    ("reply", "marks"),
    [
        pytest.param("Click at (120, 48).", [Point((120, 48))], id="pair"),
        pytest.param("120, 48", [Point((120, 48))], id="bare"),
        pytest.param('{"point_2d":[1,2],"label":"dog"}', [Point((1, 2), "dog")], id="point_2d"),
        pytest.param('{"x":1,"y":2.5}', [Point((1, 2.5))], id="x-and-y"),
        pytest.param('{"x":1,"y":2,"width":3,"height":4}', [], id="x-y-width-height"),
        pytest.param('<point x="63.5" y="44.2" alt="dog">dog</point>', [Point((63.5, 44.2))], id="molmo"),
        pytest.param("[[1,2],[1,2,3,4]]", [Point((1, 2)), Box(A, index=1)], id="both-in-order"),
        pytest.param("(1,2),(3,4)", [Point((1, 2)), Point((3, 4), None, 1)], id="two-pairs"),
        pytest.param("<box>(1,2),(3,4)</box>", [Box(A)], id="tagged-corners"),
        pytest.param("nowhere", [], id="nothing"),
    ],
)
def test_marks(reply: str, marks: list[Box | Point]) -> None:
    assert list(read_marks(reply).marks) == marks


@pytest.mark.parametrize(
    "run",
    ["coco_crowd_one_image__detector", "coco_val2014_100__fakebbox", "lvis_val_100__synthetic"],
)
def test_replies_of_real_runs(run: str) -> None:
    path = RUNS / run / "result.json"
    if not path.is_file():
        pytest.skip(f"the run {run} is not beside the repository")
    for row in json.loads(path.read_text()):
        (reply,) = row["messages"][-1]["response"]
        read, written = read_boxes(reply), json.loads(reply)
        assert [
            {"category_id": box.category_id, "bbox": list(box.values), "score": box.score}
            for box in read.boxes
        ] == written
        assert read.dropped == {}


def test_a_point_tag_is_no_box() -> None:
    assert read_boxes('<point x="1" y="2">').dropped == {"point": 1}


MILLION = 1_000_000
HOSTILE = {
    "brackets": "[" * MILLION,
    "pairs-of-brackets": "[]" * (MILLION // 2),
    "braces": "{" * MILLION,
    "pairs-of-braces": "{}" * (MILLION // 2),
    "keys": '{"a":' * (MILLION // 5),
    "quotes": "['" + "\\'" * (MILLION // 2) + "\\",
    "open-quotes": '{"' * (MILLION // 2),
    "spaces": "[" + " " * MILLION,
    "digits": "1" * MILLION,
    "numbers": "1," * (MILLION // 2),
    "points": "(1,2)" * (MILLION // 5),
    "deep": "[" * 10_000 + "]" * 10_000,
    "deep-objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "deep-broken": '{"a":{' * 50_000 + "x" + "}" * 100_000,
    "fences": "```" * (MILLION // 3),
    "tags": "<ref>" * (MILLION // 5),
    "thoughts": "<think>" * (MILLION // 7),
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_hostile_replies_hold_no_box_and_cost_little(reply: str) -> None:
    before = time.process_time()
    assert read_boxes(reply).boxes == ()
    assert time.process_time() - before < 0.4 * room(), "a million characters take about 0.2 s"


@pytest.mark.parametrize(
    ("reply", "count", "how"),
    [
        pytest.param("[" * 10_000 + "[1,2,3,4]" + "]" * 10_000, 1, "numbers", id="deep"),
        pytest.param("[" + ",".join(["[1,2,3,4]"] * 100_000) + "]", 100_000, "json", id="row"),
        pytest.param("[" + ",".join(['{"box":[1,2,3,4]}'] * 100_000), 100_000, "objects", id="row-cut"),
        pytest.param('{"bbox_2d":[1,2,3,4],' * 100_000, 100_000, "numbers", id="unclosed"),
        pytest.param("[" + ",".join(["[1e308,1e308,-1e308,1e308]"] * 1000) + "]", 1000, "json", id="huge"),
    ],
)
def test_many_boxes(reply: str, count: int, how: str) -> None:
    read = read_boxes(reply)
    assert (len(read.boxes), read.how) == (count, how)


def test_half_a_character_in_a_label_is_no_character() -> None:
    """Escaped inside a reply it is sound JSON, and no UTF-8 can hold it."""
    (box,) = read_boxes(r'[{"bbox": [1, 2, 3, 4], "label": "d\ud800g"}]').boxes
    assert box.label == "d?g"
