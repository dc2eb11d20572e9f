"""Laws of the judge's contracts: what is rendered is read, two verdicts are none, and time is bounded."""

from __future__ import annotations

import dataclasses
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing import room

from mmeval.judge.contracts import build_contract
from mmeval.judge.contracts.base import Contract, Parsed, Unreadable

YES = {"correct": ["yes"], "incorrect": ["no"]}
LETTERS = {"correct": ["A", "CORRECT"], "incorrect": ["B", "INCORRECT"], "invalid": ["C", "INVALID"]}
CHINESE = {"correct": ["正确"], "incorrect": ["错误"], "not-attempted": ["未尝试"]}
LABELS = list("ABCDE")
TEXTS = ["cat", "dog", "red fox", "owl", "7 hens"]

CONTRACTS: dict[str, Contract] = {
    "binary": build_contract("binary", {}),
    "yes": build_contract("binary", {"key": "correct", "words": YES}),
    "letters": build_contract("three-way", {"words": LETTERS}),
    "spatial": build_contract("three-way", {"words": LETTERS, "extracted": True}),
    "chinese": build_contract("three-way", {"key": "conclusion", "words": CHINESE}),
    "scale": build_contract("scale", {"lo": 0, "hi": 10}),
    "partial": build_contract("partial-credit", {}),
    "option": build_contract("extract-option", {"labels": LABELS, "texts": TEXTS}),
    "several": build_contract("extract-option", {"labels": LABELS, "texts": TEXTS, "several": True}),
    "value": build_contract("extract-value", {}),
    "checklist": build_contract("checklist", {"items": 3}),
    "scores": build_contract("pairwise", {}),
    "preference": build_contract("pairwise", {"kind": "preference"}),
}
# Contract, the name of its field, and the words of two verdicts or more.
WORDED: dict[str, tuple[str, dict[str, list[str]]]] = {
    "binary": ("verdict", {"correct": ["correct", "Correct"], "incorrect": ["incorrect", "INCORRECT"]}),
    "yes": ("correct", {"correct": ["yes", "YES"], "incorrect": ["no", "No"]}),
    "letters": ("verdict", LETTERS),
    "chinese": ("conclusion", CHINESE),
    "scale": ("rating", {"0": ["0", "0.0", "0/10"], "7": ["7", "7/10", "7 out of 10"], "8.5": ["8.5"]}),
    "partial": ("score", {"0.3": ["0.3", ".3"], "1": ["1", "1.0"]}),
    "option": ("answer", {"A": ["A", "A. cat", "cat"], "C": ["C", "(C) red fox"], "Z": ["Z"]}),
    "preference": ("verdict", {"A>>B": ["A>>B", "A >> B"], "A=B": ["A=B"], "B>A": ["B>A"]}),
}
# Where {w} is the word and {k} the field's name. The last ones are without a name.
KEYED = (
    "{k}: {w}",
    "**{k}:** {w}",
    "**{k}: {w}**",
    "{k}: **{w}**",
    "{k}: [{w}]",
    "{k}：{w}",
    "{k} = {w}",
    "{k}:\n{w}",
    "- {k}: {w}",
    "### {k}: {w}",
    "{K}: {w}.",
    "It was compared with the reference.\n\n{k}: {w}\n",
    "{k}: {w}\nThe two agree in every point.",
    '{{"{k}": "{w}"}}',
    '{{"reason": "both \\"agree\\"", "{k}": "{w}"}}',
    '```json\n{{"{k}": "{w}"}}\n```',
    'Here it is:\n{{"{k}": "{w}"}}\nAs asked.',
    "<think>Is it {o}? {k}: {o}</think>{k}: {w}",
)
ALONE = (
    "{w}",
    " {w}\n",
    "**{w}**",
    "`{w}`",
    "({w})",
    "{w}.",
    "\\boxed{{{w}}}",
    "<think>{o}</think>{w}",
    "\u200b{w}",
)
SPELLINGS = KEYED + ALONE


def render(spelling: str, key: str, word: str, other: str) -> str:
    return spelling.format(k=key, K=key.upper(), w=word, o=other)


def label(parsed: Parsed | Unreadable) -> str | None:
    return None if isinstance(parsed, Unreadable) else parsed.ruling.label


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", WORDED)
def test_what_is_rendered_is_read(name: str, spelling: str) -> None:
    key, labels = WORDED[name]
    for expected, words in labels.items():
        other = next(spelled[0] for each, spelled in labels.items() if each != expected)
        for word in words:
            reply = render(spelling, key, word, other)
            assert label(CONTRACTS[name].parse(reply)) == expected, reply
            assert label(CONTRACTS[name].parse(reply, ("A brown dog.", "What is it?"))) == expected, reply


@st.composite
def two_verdicts(draw: st.DrawFn) -> tuple[str, str]:
    """(contract, a reply that gives two different verdicts, each after a key or in JSON)."""
    name = draw(st.sampled_from(sorted(WORDED)))
    key, labels = WORDED[name]
    one, two = draw(st.lists(st.sampled_from(sorted(labels)), min_size=2, max_size=2, unique=True))
    first, second = draw(st.sampled_from(KEYED[:-1])), draw(st.sampled_from(KEYED[:-1]))
    words = draw(st.sampled_from(labels[one])), draw(st.sampled_from(labels[two]))
    between = draw(st.sampled_from(["\n", "\n\nOn second thought:\n", "\n---\n"]))
    return name, render(first, key, words[0], "") + between + render(second, key, words[1], "")


@given(two_verdicts())
@settings(max_examples=300, deadline=None)
def test_two_different_verdicts_are_none(case: tuple[str, str]) -> None:
    name, reply = case
    assert isinstance(CONTRACTS[name].parse(reply), Unreadable), reply


PIECES = [
    *("verdict", "correct", "incorrect", "yes", "no", "A", "B", "7", "0.5", "answer", "rating", "not", "or"),
    *(
        ":",
        "：",
        "\n",
        " ",
        '"',
        "'",
        "{",
        "}",
        "[",
        "]",
        "[[",
        "]]",
        ",",
        "/",
        "**",
        "```",
        "> ",
        "\\boxed{",
    ),
    *(
        "<think>",
        "</think>",
        "正确",
        "错误",
        "结论",
        "\u200b",
        '{"verdict": "correct"}',
        "correct: yes",
        "=",
        "\t",
    ),
    *("CHECKLIST_RESULT: [1, 0, 1]", "first: 8", "8 10", "A>>B", "x", "cat", "the final verdict is ", "NONE"),
]
soup = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=60)


@given(st.sampled_from(sorted(CONTRACTS)), soup, st.lists(soup, max_size=2))
@settings(max_examples=600, deadline=None)
def test_any_reply_is_read_or_not_and_never_raises(name: str, reply: str, quoted: list[str]) -> None:
    contract = CONTRACTS[name]
    parsed = contract.parse(reply, quoted)
    assert contract.parse(reply, quoted) == parsed
    if isinstance(parsed, Unreadable):
        return
    ruling, span = parsed
    assert span is None or 0 <= span[0] < span[1] <= len(reply)
    assert ruling.score is None or 0.0 <= ruling.score <= 1.0
    assert label(contract.parse(reply)) == ruling.label or quoted
    assert contract.merge([ruling, ruling, ruling]) is not None
    json.dumps(ruling.evidence, allow_nan=False)


def valid(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a JSON Schema of a contract allows."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema["type"]
    if kind == "object":
        return st.fixed_dictionaries({name: valid(each) for name, each in schema["properties"].items()})
    if kind == "array":
        most = schema.get("maxItems", 3)
        return st.lists(valid(schema["items"]), min_size=schema.get("minItems", 1), max_size=most)
    if kind == "number":
        return st.floats(schema["minimum"], schema["maximum"], allow_nan=False)
    if kind == "integer":
        return st.integers(schema["minimum"], schema["maximum"])
    return st.booleans() if kind == "boolean" else st.text(max_size=40)


MODES = [
    (name, reason)
    for name in sorted(CONTRACTS)
    if name not in ("value", "several")
    for reason in (False, True)
]


def with_reason(name: str, reason: bool) -> Contract:
    contract = CONTRACTS[name]
    if not reason:
        return contract
    fields = {each.name: getattr(contract, each.name) for each in dataclasses.fields(contract)}
    del fields["reason"]
    return build_contract(contract.name, fields, True)


@given(st.sampled_from(MODES), st.data(), st.booleans())
@settings(max_examples=400, deadline=None)
def test_what_the_schema_allows_is_always_read(
    mode: tuple[str, bool], data: st.DataObject, ascii_only: bool
) -> None:
    contract = with_reason(*mode)
    value = data.draw(valid(contract.schema()))
    reply = json.dumps(value, ensure_ascii=ascii_only, indent=data.draw(st.sampled_from([None, 2])))
    assert isinstance(contract.parse(reply), Parsed), reply


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_a_set_of_options_is_read_in_their_order(labels: list[str]) -> None:
    reply = json.dumps({"answer": labels})
    assert label(CONTRACTS["several"].parse(reply)) == ",".join(sorted(set(labels)))


@given(st.text(min_size=1, max_size=40).filter(lambda text: text.strip(" .…*`'\"")))
@settings(max_examples=200, deadline=None)
def test_a_value_is_read_as_it_was_written(text: str) -> None:
    read = label(CONTRACTS["value"].parse(json.dumps({"answer": f"= {text} ="})))
    assert read == f"= {text} ="


HOSTILE = [
    *(
        "{",
        '{"',
        '{"a":',
        "[",
        "[[",
        "[[1]]",
        "\\boxed{",
        "(",
        "*",
        "**",
        "`",
        "```\n",
        '"',
        "' ",
        " ",
        "\n",
        "\t",
    ),
    *(
        "> ",
        "<think>",
        "</think>",
        "A ",
        "A, ",
        "A\n",
        "A. cat, ",
        "((A",
        "8 ",
        "1/",
        "0,1,",
        "= ",
        "| ",
        "A>>B ",
    ),
    *(
        "verdict: ",
        "verdict: correct\n",
        "answer: B\n",
        "rating: 3\n",
        "first: 8\n",
        "correct ",
        "not ",
        "正确",
        "。",
    ),
    *(
        "CHECKLIST_RESULT: [1,0]\n",
        "the final verdict is ",
        "\u200b",
        '"verdict" :',
        '"verdict": "correct",',
        "</",
    ),
    *("x" * 50 + "\n", "-", "_", "~", " or ", "}", ")", "https://a.b/c?d=e&"),
]


def seconds(contract: Contract, reply: str, quoted: tuple[str, ...], enough: float) -> float:
    """The least processor time of some tries; none follows one that is short enough."""
    best = 1.0
    for _ in range(8):
        begun = time.thread_time()
        contract.parse(reply, quoted)
        best = min(best, time.thread_time() - begun)
        if best < enough:
            break
    return best


@pytest.mark.parametrize("name", CONTRACTS)
def test_long_hostile_replies_take_no_time(name: str) -> None:
    contract = CONTRACTS[name]
    for piece in HOSTILE:
        for before in ("", "verdict: ", "answer: A"):
            reply = (before + piece * 10_000)[:10_000]
            for quoted in ((), (reply,)):
                took = seconds(contract, reply, quoted, 0.01)
                assert took < 0.01 * room(), (before, piece, bool(quoted))


@pytest.mark.parametrize("name", CONTRACTS)
def test_time_grows_linearly(name: str) -> None:
    contract = CONTRACTS[name]
    for piece in HOSTILE:
        long = (piece * 40_000)[:40_000]
        assert seconds(contract, long, (long,), 0.04) < 0.04 * room(), piece
