"""Letters, numbers and changes of view on generated replies, against the peers' own code run unchanged.

Of every rule set all rows must be read alike, and on at least 30 % of them two peers must disagree, so that
the rows are hard ones. No difference is known but those that a test names: a gold that the official rule
cannot read makes a row invalid here.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judged_runs import by_rules

from mmeval.numbers._spatial import read_number
from mmeval.reading import Knobs, Reading, rule_set
from mmeval.stages.mra import Mra
from mmeval.stages.view_change import ViewChange
from mmeval.types import Case, Invalid, Options, Sample, Score

HERE = Path(__file__).resolve().parent
KNOBS = Knobs()
HARD = 0.3
Ask = Callable[..., list[Any]]


def _generated() -> Any:
    """The module beside this file (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("generated", HERE / "generated.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = _generated()
COUNT = made.rows() // 4 * 4
LETTERS = made.generated("option", COUNT)
NUMBERS = made.generated("number", COUNT)


def _sample(gold: str, options: dict[str, str], kind: Any = "mcq") -> Sample:
    known = Options(tuple(options), tuple(options.values()), "columns")
    return Sample(1, "", known, gold, (gold,), (), kind)


def _reading(rules: str, reply: Any) -> Reading:
    sample = _sample(reply.gold, reply.options)
    return rule_set("mmeval.options", rules).rule(reply.text, sample, KNOBS)


def _differences(rows: list[Any], ours: list[Any], theirs: list[Any]) -> list[tuple[Any, ...]]:
    assert len(rows) == len(ours) == len(theirs)
    return [each for each in zip(rows, ours, theirs, strict=True) if each[1] != each[2]]


@pytest.mark.parametrize(
    ("rules", "variables"),
    [("vlmevalkit", {}), ("vlmevalkit-verbose", {"VERBOSE": "1"})],
    ids=["", "VERBOSE"],
)
def test_can_infer(ask_peer: Ask, rules: str, variables: dict[str, str]) -> None:
    arguments = [[reply.text, reply.options] for reply in LETTERS]
    theirs = ask_peer("vlmeval.can_infer", arguments, variables=variables)
    readings = [_reading(rules, reply) for reply in LETTERS]
    assert not _differences(LETTERS, [each.found.value or False for each in readings], theirs)
    hits = [letter == reply.gold for letter, reply in zip(theirs, LETTERS, strict=True)]
    assert not _differences(LETTERS, [bool(each.hit) for each in readings], hits)
    others = ask_peer("lmms.option", [[reply.text, list(reply.options)] for reply in LETTERS])
    assert made.disagreement([letter or "" for letter in theirs], others) >= HARD


def test_the_guard_makes_a_difference() -> None:
    plain, guarded = ([_reading(rules, each).found for each in LETTERS] for rules in GUARDED)
    assert sum(found.rule == "perhaps-an-article" for found in guarded) > COUNT / 200
    assert plain != guarded


GUARDED = ("vlmevalkit", "vlmevalkit-verbose")


def test_can_match_option(ask_peer: Ask) -> None:
    theirs = ask_peer("vlmeval.spatial", [[reply.text] for reply in LETTERS])
    readings = [_reading("spatial", reply) for reply in LETTERS]
    assert not _differences(LETTERS, [each.found.value or False for each in readings], theirs)
    others = ask_peer("vlmeval.can_infer", [[reply.text, reply.options] for reply in LETTERS])
    assert made.disagreement(theirs, others) >= HARD


def test_every_place_of_the_spatial_rule_is_met() -> None:
    rules = [_reading("spatial", reply).found.rule for reply in LETTERS]
    places = (
        "answer-element",
        "before-closing-tag",
        "own-line",
        "labelled-line",
        "sole-in-line",
        "cue",
        "sole-label",
    )
    assert {name: rules.count(name) for name in (*places, "two-options-found") if rules.count(name) < 3} == {}


def test_the_golds_of_the_spatial_rule(ask_peer: Ask) -> None:
    """Golds are replies, too, as often as not without a letter; upstream's comparison is of texts."""
    golds = [reply.text for reply in made.generated("option", COUNT, seed=8)]
    pairs = [(reply, gold) for reply, gold in zip(LETTERS, golds, strict=True) if gold.strip()]
    theirs = ask_peer("vlmeval.spatial", [[reply.text] for reply, _ in pairs])
    known = ask_peer("vlmeval.spatial", [[gold.strip()] for _, gold in pairs])
    upstream = [str(letter).lower() == str(gold).lower() for letter, gold in zip(theirs, known, strict=True)]
    rows = [reply._replace(gold=gold) for reply, gold in pairs]
    literal = [bool(_reading("spatial-literal", row).hit) for row in rows]
    assert not _differences(rows, literal, upstream)
    ours = [_reading("spatial", row) for row in rows]
    assert [each.invalid is not None for each in ours] == [gold is False for gold in known]
    valid = [at for at, gold in enumerate(known) if gold is not False]
    assert [bool(ours[at].hit) for at in valid] == [upstream[at] for at in valid]
    trapped = sum(upstream[at] for at, gold in enumerate(known) if gold is False)
    assert trapped > len(rows) / 50


def test_can_match_na(ask_peer: Ask) -> None:
    texts = [[reply.text] for reply in NUMBERS]
    theirs = ask_peer("vlmeval.spatial_number", texts)
    assert not _differences(texts, [read_number(text) for (text,) in texts], theirs)
    assert made.disagreement(theirs, ask_peer("lmms.number", texts)) >= HARD


def _measured() -> list[tuple[str, str]]:
    """Replies with one more number in half of them, and golds near one, so that it matters which is read."""
    draw = random.Random(12)
    rows = []
    for reply in NUMBERS:
        more = draw.choice(("{0}", "{0}", "{0}\nso {1}", "between {1} and {0}", "{0} of {1} m"))
        text = more.format(reply.text, draw.randint(1, 30))
        told = re.findall(r"\d+(?:\.\d+)?", text, re.ASCII)
        near = float(draw.choice(told or [reply.gold])) * (1 + draw.randint(-10, 10) / 20)
        rows.append((text, draw.choice((f"{near:g}", f"{near:g}", reply.gold))))
    return rows


def _mra(
    ask_peer: Ask, peer: str, rows: list[tuple[str, str]], numbers: list[float | None], more: list[float]
) -> list[float]:
    """The score that a peer gives numbers it has read; one that it has not read scores 0."""
    read = [at for at, number in enumerate(numbers) if number is not None]
    said = ask_peer(peer, [[numbers[at], float(rows[at][1]), *more] for at in read])
    scores = [0.0] * len(numbers)
    for at, score in zip(read, said, strict=True):
        scores[at] = float(score)
    return scores


def test_mean_relative_accuracy(ask_peer: Ask) -> None:
    rows = _measured()
    texts = [[text] for text, _ in rows]
    theirs = _mra(ask_peer, "vlmeval.mra", rows, ask_peer("vlmeval.spatial_number", texts), [])
    stage = Mra(reasoning="keep")
    ours = []
    for text, gold in rows:
        outcome = stage(Case(_sample(gold, {}, "numeric"), text))
        assert isinstance(outcome, Score)
        ours.append(outcome.value)
    assert not _differences(rows, ours, theirs)
    others = _mra(ask_peer, "lmms.mra", rows, ask_peer("lmms.number", texts), [0.5, 0.95, 0.05])
    assert made.disagreement(theirs, others) >= HARD
    assert len(set(theirs)) == 11


MOVES = tuple(
    f"{verb}_{way}"
    for verb, ways in {"move": "right left up down forward backward", "rotate": "right left up down"}.items()
    for way in ways.split()
)


def _view_changes() -> list[tuple[str, str]]:
    """Replies and golds: the gold's own moves, near ones, others, oddly written ones, and none at all."""
    draw = random.Random(9)
    rows = []
    for reply in NUMBERS:
        chosen = draw.sample(MOVES, draw.randint(1, 5))
        gold = {name: draw.choice((0.0, 0.3, 1.5, 30.0, -2.0)) for name in chosen}
        items = [_item(draw, name, value, reply) for name, value in gold.items()]
        text = draw.choice((",", ",", ",", ", ", ",\n", ";", ",,")).join(items)
        if draw.random() < 0.15:
            text = reply.text
        rows.append((text, ",".join(f"{name}:{value}" for name, value in gold.items())))
    return rows


def _item(draw: random.Random, name: str, value: float, reply: Any) -> str:
    if draw.random() < 0.1:
        return str(
            draw.choice((reply.text, f"{name}:{reply.text}", f"{name} {value}", f"{name}:{value}:{value}"))
        )
    name = draw.choice((name, name, name, name, draw.choice(MOVES), f" {name} ", name.title()))
    near = value * (1 + draw.randint(-12, 12) / 20)
    colon = draw.choice((":", ":", ":", ": "))
    return f"{name}{colon}{draw.choice((value, near, round(near, 2), 'nan', 'inf'))}"


@pytest.mark.parametrize("peer", ["vlmeval.view_change", "lmms.view_change"])
def test_view_change(ask_peer: Ask, peer: str) -> None:
    """The second peer is the authors' code (lmms-eval has theirs); what makes it stop scores 0 there."""
    rows = _view_changes()
    said = {
        name: ask_peer(name, [list(row) for row in rows])
        for name in ("vlmeval.view_change", "lmms.view_change")
    }
    scores = {name: [_score(each) for each in given] for name, given in said.items()}
    stage = ViewChange(reasoning="keep")
    if peer == "lmms.view_change":
        stage = ViewChange(normalise_by="prediction", items="strict", reasoning="keep")
    ours = []
    for text, gold in rows:
        outcome = stage(Case(_sample(gold, {}, "open"), text))
        assert isinstance(outcome, Score)
        ours.append(round(outcome.value, 9))
    assert not _differences(rows, ours, scores[peer])
    assert made.disagreement(*scores.values()) >= HARD


def _score(said: Any) -> float:
    return 0.0 if isinstance(said, dict) else round(float(said), 9)


ABILITIES = {
    "coarse_perception": "coarse_perception",
    "finegrained_perception (instance-level)": "instance_perception",
    "logic_reasoning": "logic_reasoning",
}
TURNS = 4


def _circular() -> list[dict[str, Any]]:
    """Questions with four rotations of their options; in half of them every reply says the gold."""
    draw = random.Random(10)
    rows = []
    for group in range(COUNT // TURNS):
        texts = draw.sample(("a cat", "dogs", "one bird", "fish", "the cow", "2 hens", "None"), TURNS)
        right, good = draw.choice(texts), draw.random() < 0.5
        for turn in range(TURNS):
            options = dict(zip("ABCD", texts[turn:] + texts[:turn], strict=True))
            gold = next(letter for letter, text in options.items() if text == right)
            reply = (
                draw.choice((gold, f"({gold})", right, f"Answer: {gold}"))
                if good
                else _said(draw, gold, options)
            )
            rows.append(
                {
                    "index": group + turn * 10**6,
                    "prediction": reply,
                    "answer": gold,
                    **options,
                    "l2-category": list(ABILITIES)[group % 3],
                }
            )
    return rows


def _said(draw: random.Random, gold: str, options: dict[str, str]) -> str:
    def said(draw: random.Random) -> Any:
        x = draw.choice((gold, gold, gold, *options))
        y = draw.choice(list(options))
        return made.Said(x, y, options[x], options[y], options, gold)

    return str(made.drawn(draw, draw.choice(made.SHAPES), said).text)


def _peer_circular(rows: list[dict[str, Any]]) -> dict[str, Any]:
    environment = {**os.environ, "OPENAI_API_KEY": "unused", "HF_HUB_OFFLINE": "1", "PRED_FORMAT": "tsv"}
    environment.pop("VERBOSE", None)
    done = subprocess.run(
        [os.environ["MMEVAL_PEERS_PYTHON"], "-W", "ignore", str(HERE / "peer_circular.py")],
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        env=environment,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_circular_mmbench(ask_peer: Ask, tmp_path: Path) -> None:
    rows = _circular()
    letters = [[row["prediction"], {letter: row[letter] for letter in "ABCD"}] for row in rows]
    read = ask_peer("vlmeval.can_infer", letters)
    said = _peer_circular(rows)
    path = tmp_path / "result.json"
    path.write_text(json.dumps([_turn(row) for row in rows]))
    scored = by_rules(path, "MMBench@vlmevalkit", force=True)
    document = json.loads(scored.score.read_bytes())
    samples = document["samples"]
    assert not _differences(rows, [line["extracted"] or False for line in samples], read)
    others = ask_peer("lmms.option", [[row["prediction"], list("ABCD")] for row in rows])
    assert made.disagreement([letter or "" for letter in read], others) >= HARD
    ours: dict[str, int] = {}
    for line in samples:
        group = line["group"]["g_index"]
        ours[group] = min(ours.get(group, 1), int(line["score"]))
    assert ours == said["hits"]
    assert 0.3 < sum(ours.values()) / len(ours) < 0.9
    found = {
        name: each["value"] / 100 for name, each in document["summary"]["aggregates"].items() if each["n"]
    }
    assert found["circular_accuracy"] == pytest.approx(said["figures"]["Overall"], abs=1e-12)
    by_ability = {
        name: sum(ours[str(at)] for at in range(first, len(ours), 3)) / len(range(first, len(ours), 3))
        for first, name in enumerate(ABILITIES.values())
    }
    assert {name: found[name] for name in by_ability} == pytest.approx(by_ability, abs=1e-12)
    assert sorted(by_ability.values()) == pytest.approx(sorted(_abilities(said["figures"])), abs=1e-12)


def _abilities(figures: dict[str, Any]) -> list[float]:
    return [value for name, value in figures.items() if name not in ("Overall", "split")]


def _turn(row: dict[str, Any]) -> dict[str, Any]:
    ask = {"role": "user", "question": "which?", "options": {letter: row[letter] for letter in "ABCD"}}
    return {
        "eval-id": row["index"],
        "messages": [ask, {"role": "assistant", "response": row["prediction"]}],
        "answer": row["answer"],
        "l2-category": row["l2-category"],
    }


def test_invalid_golds_of_the_graders() -> None:
    """Upstream scores a gold that is no number 0, and reads one without a move as no change."""
    assert isinstance(Mra()(Case(_sample("far", {}, "numeric"), "3")), Invalid)
    assert isinstance(ViewChange()(Case(_sample("far", {}, "open"), "move_up:1")), Invalid)
