"""The self-tests that every protocol block of the library must pass, and the declared exceptions.

Gold against itself reaches the best attainable score; shuffled gold is near chance; scoring twice gives the
same bytes; the order of samples and of options does not matter; counts add up; an empty prediction is never
right; no prediction raises or takes long.
"""

from __future__ import annotations

import importlib.util
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import box_items
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_runs import Reply, judging

from mmeval import library
from mmeval.judge.wire import Request
from mmeval.metadata import Unsupported
from mmeval.params import Stage
from mmeval.protocol import Overrides, Plan, resolve
from mmeval.readers import Fields, open_run
from mmeval.registry import protocol_folders
from mmeval.runner import Job, score_run
from mmeval.types import Case, Failed, Options, Outcome, Sample

HERE = Path(__file__).resolve().parent
ROWS = 168  # whole groups of every benchmark: 3, 4, 14 x 2, 6 and 8 divide it


def _made_up() -> Any:
    """The module beside this file (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("protocol_samples", HERE / "protocol_samples.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = _made_up()


class Target(NamedTuple):
    """One block of the library."""

    folder: str
    subset: str
    variant: str | None

    @property
    def name(self) -> str:
        place = self.folder if self.subset == "*" else f"{self.folder}:{self.subset}"
        return place if self.variant is None else f"{place}@{self.variant}"

    @property
    def mcq(self) -> bool:
        return all(item.kind == "mcq" for item in made.items_of(self.folder, self.subset, 2))


def _targets() -> list[Target]:
    found = []
    for folder in filter(made.ITEMS.__contains__, protocol_folders()):
        for subset, block in library.load(folder).subsets.items():
            own = () if isinstance(block.score_pipeline, Unsupported) else (None,)
            found += [Target(folder, subset, variant) for variant in (*own, *block.variants)]
    return found


TARGETS = _targets()
every_block = pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])


def test_every_benchmark_has_made_up_questions() -> None:
    assert sorted(set(protocol_folders()) - set(made.ITEMS)) == []


# Where repeating the gold does not give the full score, and what it gives, by folder: the headline's value.
VQA = 95.0  # half of the made-up rows have 3 of 10 annotators behind the gold: (3 * 2/3 + 7) / 10 = 0.9
BEST = {
    "VizWiz-VQA": (VQA, "vqaEval.py: leave-one-out over ten annotators"),
    "OK-VQA": (VQA, "vqaEval.py: leave-one-out over ten annotators"),
    "VQAv2": (VQA, "vqaEval.py: leave-one-out over ten annotators"),
    "TextVQA": (VQA, "m4c_evaluator.py: leave-one-out over ten annotators"),
    "TextVQA_VAL": (VQA, "vqa_eval.py: leave-one-out over ten annotators"),
    "MME": (2000.0, "calculation.py: 10 perception categories of 200"),
    "OCRBench": (float(ROWS), "ocrbench.py: the number of hits"),
}
# Blocks that read an empty reply as an answer: the golds for which it then scores, and the source.
POPE_EMPTY = ({"yes"}, "evaluate.py@08d957b917e5 reads every reply without a negation as yes")
SPAR_EMPTY = ({"move"}, "sparbench.py@e8e78f05f308 reads every reply without a move as no change")
EMPTY_SCORES = {
    "POPE": POPE_EMPTY,
    **dict.fromkeys(("SparBench_tiny", "SparBench_tiny@literal", "SparBench_tiny@judge"), SPAR_EMPTY),
}


def write(folder: Path, target: Target, replies: Sequence[str | None], order: Sequence[int] = ()) -> Path:
    items = made.items_of(target.folder, target.subset, len(replies))
    rows = [made.row(i, target.folder, items[i], replies[i]) for i in order or range(len(replies))]
    path = folder / "result.json"
    path.write_text(json.dumps(rows))
    box_items.beside(folder, rows)
    return path


def honest(path: Path) -> Reply:
    """A judge that knows every row of a run, and rules as it ought to."""
    rows = {str(row["eval-id"]): row for row in json.loads(path.read_text())}

    def reply(request: Request) -> str:
        ruling: str = made.ruled(request.prompt, rows[request.sample])
        return ruling

    return reply


def score(path: Path, target: Target, out: str = "out") -> dict[str, Any]:
    with judging(honest(path)) as judge:
        job = Job(Overrides(protocol=target.name), path.parent / out, force=True, judge=judge)
        document: dict[str, Any] = json.loads(score_run(path, job).score.read_bytes())
    return document


def golds(target: Target) -> list[str]:
    items = made.items_of(target.folder, target.subset, ROWS)
    return [box_items.on_grid(item.reply, target.variant) for item in items]


@every_block
def test_gold_against_itself_is_the_best_attainable_score(target: Target, tmp_path: Path) -> None:
    summary = score(write(tmp_path, target, golds(target)), target)["summary"]
    best = BEST.get(target.folder, (summary["headline"]["scale"], ""))[0]
    assert summary["headline"]["value"] == pytest.approx(best)
    assert summary["undecided"] == summary["invalid"] == summary["errors"] == 0


# Their rows have no score of their own: the number is made over the whole run.
MEASURED = {"LLaVA-Bench-in-the-Wild", "COCO", "LVIS", "FSCD_147_bbox_val", "FSCD_LVIS_bbox_val"} | {
    "LVIS_bbox_val_federated",
    "LVISMask",
    "ODinW13_bbox_val_qwen3",
}
every_scored_block = pytest.mark.parametrize(
    "target",
    [target for target in TARGETS if target.folder not in MEASURED],
    ids=lambda target: target.name,
)


@every_scored_block
def test_shuffled_gold_is_near_chance(target: Target, tmp_path: Path) -> None:
    replies = golds(target)
    chance = sum(count * count for count in Counter(replies).values()) / len(replies) ** 2
    random.Random(11).shuffle(replies)
    found = score(write(tmp_path, target, replies), target)["summary"]["mean_score"]
    assert found == pytest.approx(chance, abs=0.12)


@every_block
def test_scoring_twice_gives_the_same_bytes(target: Target, tmp_path: Path) -> None:
    path = write(tmp_path, target, golds(target)[:28])
    score(path, target, "one")
    score(path, target, "two")
    one, two = ((tmp_path / out / "score.json").read_bytes() for out in ("one", "two"))
    assert one == two


@every_block
def test_the_order_of_samples_changes_nothing_else(target: Target, tmp_path: Path) -> None:
    replies = golds(target)
    random.Random(5).shuffle(replies)
    order = list(range(ROWS))
    random.Random(3).shuffle(order)
    straight = score(write(tmp_path, target, replies), target)
    mixed = score(write(tmp_path, target, replies, order), target)
    assert mixed["summary"] == straight["summary"]
    assert sorted(mixed["samples"], key=lambda line: line["eval-id"]) == straight["samples"]


REPLIES = (
    "{L}",
    "({L})",
    "{L}. {text}",
    "The answer is {L}.",
    "Answer: {L}",
    "It must be {text}",
    "{L} or {M}",
    "none of them",
)


# An A among other words may be an article to this rule, and no other letter may: the guard of VERBOSE.
ORDER_MATTERS = {"vlmevalkit-verbose": "matching_util.py@e8e78f05f308"}


@pytest.mark.parametrize(
    "target",
    [t for t in TARGETS if t.mcq and t.variant not in ORDER_MATTERS],
    ids=lambda target: target.name,
)
def test_the_order_of_options_changes_no_verdict(target: Target, tmp_path: Path) -> None:
    items = made.items_of(target.folder, target.subset, ROWS)
    rng = random.Random(13)
    runs: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for number, item in enumerate(items):
        letters = list(item.options)
        shuffled = rng.sample(letters, len(letters))
        new = dict(zip(letters, shuffled, strict=True))
        mine, other = rng.sample(letters, 2)
        if rng.random() < 0.5:
            mine = item.answer
        said = REPLIES[number % len(REPLIES)]
        text = item.options[mine]
        before = said.format(L=mine, M=other, text=text)
        after = said.format(L=new[mine], M=new[other], text=text)
        moved = {new[letter]: item.options[letter] for letter in letters}
        turned = item._replace(
            answer=new[item.answer], options={letter: moved[letter] for letter in sorted(moved)}
        )
        runs[0].append(made.row(number, target.folder, item, before))
        runs[1].append(made.row(number, target.folder, turned, after))
    verdicts = []
    for number, rows in enumerate(runs):
        path = tmp_path / f"{number}" / "result.json"
        path.parent.mkdir()
        path.write_text(json.dumps(rows))
        verdicts.append(
            [(line["decided_by"], line["score"], line["reason"]) for line in score(path, target)["samples"]]
        )
    assert verdicts[0] == verdicts[1]


@every_scored_block
def test_the_counts_add_up(target: Target, tmp_path: Path) -> None:
    replies: list[str | None] = list(golds(target))
    replies[::4] = ["no idea, really"] * len(replies[::4])
    replies[::28] = [None] * len(replies[::28])
    summary = score(write(tmp_path, target, replies), target)["summary"]
    assert summary["total"] == ROWS == summary["valid"] + summary["invalid"]
    assert summary["invalid"] == len(replies[::28])
    assert summary["decided"] + summary["undecided"] == summary["valid"]
    for table in ("by_stage", "by_question_type"):
        assert sum(cell["total"] for cell in summary[table].values()) == ROWS
        assert sum(cell["correct"] for cell in summary[table].values()) == summary["correct"]
    assert sum(summary["by_reason"].values()) == ROWS - summary["decided"]


# Breakdowns whose groups share out all rows (or, where the unit is a group of rows, all groups).
BREAKDOWNS = [
    # folder, field of the breakdown, values per aggregate, unit
    ("MMMU", "subject", "one", 1),
    ("MMMU", "subject", "several", 1),
    ("MMMU-Pro", "subject", "one", 1),
    ("MMMU-Pro", "subject", "several", 1),
    ("MMBench", "l2-category", "one", 4),
    ("MMEvalPro", "source", "one", 3),
    ("MMStar", "category", "one", 1),
    ("OCRBench", "category", "one", 1),
    ("VStarBench", "category", "one", 1),
    ("FREAK_MCQ", "category", "several", 1),
    ("MMSIBench_wo_circular", "category", "one", 1),
    ("ERQA", "question_type", "one", 1),
    ("EmbSpatialBench", "data_source", "one", 1),
    ("MindCubeBench_tiny_raw_qa", "category", "one", 1),
    ("TempCompass:multi-choice", "aspect", "one", 1),
    ("TempCompass:multi-choice", "fine_grained_aspect", "one", 1),
    ("VQAv2", "answer_type", "one", 1),
]


@pytest.mark.parametrize(("name", "field", "values", "unit"), BREAKDOWNS)
def test_the_groups_of_a_breakdown_share_out_the_rows(
    name: str, field: str, values: str, unit: int, tmp_path: Path
) -> None:
    target = next(each for each in TARGETS if each.name == name)
    aggregates = score(write(tmp_path, target, golds(target)), target)["summary"]["aggregates"]
    specs = library.load(target.folder).subsets[target.subset].score_aggregates
    chosen = [
        spec.name
        for spec in specs
        if set(spec.where) == {field} and (len(spec.where[field]) == 1) is (values == "one")
    ]
    assert sum(aggregates[each]["n"] for each in chosen) == ROWS // unit


@every_block
@pytest.mark.parametrize("blank", ["", " \n"], ids=["empty", "space"])
def test_an_empty_prediction_is_never_right(target: Target, blank: str, tmp_path: Path) -> None:
    document = score(write(tmp_path, target, [blank] * ROWS), target)
    right = {line["gt"].partition("_")[0] for line in document["samples"] if line["score"]}
    assert right == EMPTY_SCORES.get(target.name, (set(), ""))[0]
    assert document["summary"]["invalid"] == document["summary"]["errors"] == 0


class Part(NamedTuple):
    """One stage of one block, and the made-up sample that it is asked about."""

    target: Target
    stage: int
    sample: int


def _stages(plan: Plan, item: Any) -> tuple[Stage, ...]:
    """The stages that a made-up sample goes through."""
    fields = dict(item.fields)
    return plan.steps.of(Sample(0, "", Options(()), item.answer, (), (), item.kind, fields=fields)) or ()


def _parts() -> dict[str, Part]:
    """Every stage of the library with every set of parameters once, by a name for it."""
    found: dict[str, Part] = {}
    seen = set()
    for target in TARGETS:
        plan = resolve([], Overrides(protocol=target.name), target.name)
        for number, item in enumerate(made.items_of(target.folder, target.subset, 8)):
            kind = plan.question_type or item.kind
            # A stage that asks a judge is held by tests of its own: tests/unit/stages, tests/unit/judge.
            ruled = [(at, stage) for at, stage in enumerate(_stages(plan, item)) if not stage.asks]
            for at, stage in ruled:
                key = (stage.name, repr(stage.call), kind)
                if key not in seen:
                    seen.add(key)
                    found[f"{target.name}-{stage.name}-{kind}"] = Part(target, at, number)
    return found


PARTS = _parts()
every_stage = pytest.mark.parametrize("part", PARTS.values(), ids=PARTS.keys())


def prepared(part: Part, folder: Path) -> tuple[Callable[[Case], Outcome], Sample]:
    """The stage, and the made-up sample."""
    path = write(folder, part.target, golds(part.target)[:28])
    with open_run(path) as run:
        plan = resolve([meta.block for meta in run.metas], Overrides(protocol=part.target.name), "test")
        samples = list(run.samples(Fields(plan.gt_field, plan.pred_field, plan.question_type)))
    sample = samples[part.sample]
    return (plan.steps.of(sample) or ())[part.stage].call, sample


# 10 ms is the aim and what bench/ measures; a test on a shared machine only tells linear from worse.
LIMIT = 0.1


@every_stage
def test_hostile_predictions_neither_raise_nor_stall(part: Part, tmp_path: Path) -> None:
    call, sample = prepared(part, tmp_path)
    call(Case(sample, "warm"))
    cases = {name: Case(sample, text()) for name, text in made.HOSTILE.items()}
    slow = [name for name, case in cases.items() if _seconds(call, case) > LIMIT]
    # Whatever was slow gets five more chances: the machine may have been busy.
    assert [name for name in slow if min(_seconds(call, cases[name]) for _ in range(5)) > LIMIT] == []


def _seconds(call: Callable[[Case], Outcome], case: Case) -> float:
    started = time.process_time()
    outcome = call(case)
    took = time.process_time() - started
    assert not isinstance(outcome, Failed)
    return took


@every_stage
def test_no_text_makes_a_stage_raise(part: Part, tmp_path_factory: pytest.TempPathFactory) -> None:
    call, sample = prepared(part, tmp_path_factory.mktemp("laws"))

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(text=st.text(max_size=200))
    def never_raises(text: str) -> None:
        assert not isinstance(call(Case(sample, text)), Failed)

    never_raises()
