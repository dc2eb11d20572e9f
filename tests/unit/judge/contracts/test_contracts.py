"""Building a contract from its name and parameters, and what every one of them gives."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from mmeval.errors import MetadataError
from mmeval.judge.contracts import NAMES, build_contract

MINIMAL = {
    "binary": {},
    "three-way": {},
    "scale": {"lo": 0, "hi": 10},
    "partial-credit": {},
    "extract-option": {"labels": ["A", "B"]},
    "extract-value": {},
    "checklist": {"items": 2},
    "pairwise": {},
}

REFUSED = [
    ("binry", {}, "did you mean 'binary'?"),
    ("nothing-like-it", {}, "known: binary, checklist"),
    ("binary", {"word": {}}, "no parameter 'word'; did you mean 'words'?"),
    ("binary", {"reason": True}, "no parameter 'reason'"),
    ("binary", {"words": {"correct": ["yes"]}}, "2 labels"),
    ("binary", {"words": {"yes": ["y"], "no": ["n"]}}, "correct and incorrect"),
    ("binary", {"words": {"correct": ["yes"], "incorrect": ["YES"]}}, "'yes' stands for two labels"),
    ("binary", {"words": {"correct": [], "incorrect": ["no"]}}, "words.correct"),
    ("binary", {"words": {"correct": [" "], "incorrect": ["no"]}}, "words.correct"),
    ("binary", {"key": "reason"}, "another field"),
    ("binary", {"key": "has space"}, "key"),
    ("binary", {"key": 3}, "key"),
    ("three-way", {"words": {"correct": ["A"], "incorrect": ["B"]}}, "3 labels"),
    ("three-way", {"extracted": "yes"}, "extracted"),
    ("scale", {}, "lo"),
    ("scale", {"lo": 5, "hi": 5}, "lo must be below hi"),
    ("scale", {"lo": 0, "hi": "10"}, "hi"),
    ("scale", {"lo": 0, "hi": 10, "high": 3}, "did you mean 'hi'?"),
    ("extract-option", {}, "labels"),
    ("extract-option", {"labels": []}, "labels"),
    ("extract-option", {"labels": ["A", "a"]}, "labels must differ"),
    ("extract-option", {"labels": ["A", "B"], "texts": ["x"]}, "1 for 2"),
    ("checklist", {"items": -1}, "items"),
    ("checklist", {"items": True}, "items"),
    ("pairwise", {"kind": "score"}, "kind"),
    ("pairwise", {"lo": 3, "hi": 1}, "lo must be below hi"),
    ("pairwise", {"first": "baseline"}, "first"),
]


@pytest.mark.parametrize(("name", "params", "says"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_cannot_be_built_is_refused_with_the_nearest_name(name, params, says) -> None:
    with pytest.raises(MetadataError, match=r".") as caught:
        build_contract(name, params)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parameters_must_be_json() -> None:
    with pytest.raises(MetadataError, match="must be JSON"):
        build_contract("binary", {"words": object()})  # type: ignore[dict-item]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_those_of_the_contracts(name: str) -> None:
    assert build_contract(name, MINIMAL[name]).name == name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reason", [False, True])
def test_instruction_and_schema_name_the_same_fields(name: str, reason: bool) -> None:
    contract = build_contract(name, MINIMAL[name], reason)
    schema = contract.schema()
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"])
    assert all(f'"{key}"' in contract.instruction() for key in schema["required"])
    assert ("reason" in schema["properties"]) is reason
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize("name", NAMES)
def test_a_reply_that_is_the_instruction_is_no_verdict(name: str, read) -> None:
    contract = build_contract(name, MINIMAL[name])
    assert read(contract, contract.instruction()).startswith("!")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("\u200b\ufeff", "empty"),
        ("<think>It could be", "reasoning-only"),
        ("<think>It could be.</think>", "reasoning-only"),
        ("> quoted\n> only", "no-verdict"),
        ("{}", "no-verdict"),
        ('{"reason": "cut off here', "malformed-json"),
    ],
)
def test_replies_without_an_answer(name: str, reply: str, why: str, read) -> None:
    assert read(build_contract(name, MINIMAL[name]), reply) == f"!{why}"


def test_the_same_parameters_give_the_same_contract() -> None:
    assert build_contract("scale", {"lo": 0, "hi": 6}) is build_contract("scale", {"lo": 0, "hi": 6})


def test_the_package_alone_loads_no_pydantic() -> None:
    code = "import sys, mmeval.judge.contracts; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
