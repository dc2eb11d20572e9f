"""Our faithful rule sets against the peers' own code, run unchanged, on 4,000 generated replies.

Named differences: MME's authors and lmms-eval differ where a reply has white space or full stops at its start
or is a lone y or n (the rule set is the authors'); lmms-eval's MMMU parser is MMMU-Pro's without the rule for
"Answer:".
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.answers import mmmu as mmmu_answers
from mmeval.reading import Knobs, Reading, rule_set
from mmeval.text.punctuation import process_punctuation
from mmeval.types import Options, Sample

KNOBS = Knobs()
COUNT = 4000


def _replies() -> list[tuple[str, dict[str, str]]]:
    """The generator beside this file (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("replies", Path(__file__).with_name("replies.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    drawn: list[tuple[str, dict[str, str]]] = module.replies(COUNT)
    return drawn


REPLIES = _replies()
TEXTS = [text for text, _ in REPLIES]


def _read(package: str, rules: str, text: str, options: dict[str, str], gold: str = "B") -> Reading:
    known = Options(tuple(options), tuple(options.values()), "options")
    sample = Sample(1, "", known, gold, (gold,), (), "mcq")
    return rule_set(package, rules).rule(text, sample, KNOBS)


def _differences(theirs: list[Any], ours: list[Any]) -> list[tuple[Any, ...]]:
    assert len(theirs) == len(ours) == COUNT
    rows = zip(REPLIES, theirs, ours, strict=True)
    return [(reply, their, our) for reply, their, our in rows if their != our]


def test_vlmevalkit_letters(ask_peer: Callable[..., list[Any]]) -> None:
    theirs = ask_peer("vlmeval.can_infer", [[text, options] for text, options in REPLIES])
    ours = [_read("mmeval.options", "vlmevalkit", *reply).found.value or False for reply in REPLIES]
    assert not _differences(theirs, ours)
    assert len({their for their in theirs if their}) > 10


def test_vlmevalkit_yes_no(ask_peer: Callable[..., list[Any]]) -> None:
    theirs = ask_peer("vlmeval.yes_no", [[text] for text in TEXTS])
    ours = [_read("mmeval.yes_no", "vlmevalkit", *reply).found.value or "unknown" for reply in REPLIES]
    assert not _differences([their.lower() for their in theirs], ours)


def test_punctuation(ask_peer: Callable[..., list[Any]]) -> None:
    theirs = ask_peer("vlmeval.punctuation", [[text] for text in TEXTS])
    assert not _differences(theirs, [process_punctuation(text) for text in TEXTS])


def test_mme_apart_from_the_ends(ask_peer: Callable[..., list[Any]]) -> None:
    theirs = ask_peer("lmms.mme", [[text] for text in TEXTS])
    ours = [_read("mmeval.yes_no", "mme", *reply, gold="yes").found.value or "other" for reply in REPLIES]
    different = _differences(theirs, ours)
    named = [row for row in different if row[0][0].lower().strip().replace(".", "") in ("y", "n")]
    named += [row for row in different if row[0][0][:1].isspace() or "." in row[0][0][:5]]
    assert [row for row in different if row not in named] == []


def test_mmmu_letters_without_the_answer_cue(ask_peer: Callable[..., list[Any]]) -> None:
    theirs = ask_peer("lmms.mmmu_option", [[text, list(options), options] for text, options in REPLIES])
    ours = [_read("mmeval.options", "mmmu-pro", *reply) for reply in REPLIES]
    same = [
        their if our.found.rule == "answer-cue" else our.found.value or "guess"
        for their, our in zip(theirs, ours, strict=True)
    ]
    assert not _differences(theirs, same)


def test_mmmu_open_candidates(ask_peer: Callable[..., list[Any]]) -> None:
    theirs = ask_peer("lmms.mmmu_parse_open", [[text] for text in TEXTS])
    ours = [sorted({repr(one) for one in mmmu_answers.candidates(text)}) for text in TEXTS]
    assert not _differences([sorted({repr(one) for one in their}) for their in theirs], ours)


@pytest.mark.parametrize("several", [False, True], ids=["one gold", "several golds"])
def test_mmmu_open_verdicts(ask_peer: Callable[..., list[Any]], several: bool) -> None:
    draw = random.Random(3)
    golds = [
        draw.choice([*options.values(), "5", "1500", "A", "2.5", "-3", "1e3", "red"])
        for _, options in REPLIES
    ]
    parsed = ask_peer("lmms.mmmu_parse_open", [[text] for text in TEXTS])
    given = [[gold, "blue", "12.5"] if several else gold for gold in golds]
    theirs = ask_peer("lmms.mmmu_eval_open", [list(pair) for pair in zip(given, parsed, strict=True)])
    samples = [
        Sample(1, "", Options(()), gold, tuple(gold) if isinstance(gold, list) else (gold,), (), "open")
        for gold in given
    ]
    ours = [
        bool(mmmu_answers.RULES.rule(text, sample, KNOBS).hit)
        for text, sample in zip(TEXTS, samples, strict=True)
    ]
    assert not _differences(theirs, ours)
    assert sum(ours) > 100
