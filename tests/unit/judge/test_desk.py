"""What one run's questions need: prompts, contracts, settings, what is known, and what may be asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from desks import RIGHT, WRONG, Model, ask, desk, hear, seated, session
from scripted_judge import case, run

from mmeval.errors import JudgeError, UsageError
from mmeval.judge import templates
from mmeval.judge._official import sha256
from mmeval.judge._prompt_file import Official
from mmeval.judge.asking import Court
from mmeval.judge.cache import Cache
from mmeval.judge.desk import Desk
from mmeval.judge.record import described, stamp
from mmeval.judge.wire import Completion, Identity, Rejected, Request
from mmeval.protocol import Overrides, resolve
from mmeval.tally import Tally
from mmeval.types import Case, Failed, Json, Ruling

CORRECT = Ruling("correct", 1.0)
THEIRS = "Question {question}, reference {reference}, response {response}: verdict?"
OWN = "Q: {question}\nR: {reference}\nA: {response}\nIs A right? {instruction}"
PRICES = '{"m": {"input": 1.0, "output": 1000.0}}'


def given(prediction: str = "a red cat", **fields: Any) -> Case:
    return case(prediction, "red", "open", **fields)


def judged(prompt: str | None = None, /, **declared: Json) -> dict[str, Json]:
    """A block with a judge of its own, and a prompt for its stage."""
    block: dict[str, Json] = {"dataset_name": "mine", "score_pipeline": ["llm-judge"]}
    if prompt is not None:
        block["score_params"] = {"stages": {"llm-judge": {"prompt": prompt}}}
    if declared:
        block["score_judge"] = declared
    return block


def texts(request: Request) -> str:
    return "\n".join(str(each.content) for each in request.messages)


def test_the_text_of_the_user_stands_in_place_of_the_main_prompt(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text(OWN, encoding="utf-8")
    model = Model("m", RIGHT)
    with desk(tmp_path, model, prompt_file=file) as found:
        ruling, hearing = hear(found, given())
        shown = described(found)
        assert (found.prompt("default-binary").id, found.official("own.txt")) == ("own.txt", False)
    assert ruling == CORRECT
    assert texts(model.asked[0]).count("Is A right?") == 1
    assert (hearing.calls[0].prompt, model.asked[0].prompt) == ("own.txt", "own.txt")
    assert shown["judge_prompt"] == "own.txt"
    assert shown["judge_prompts"] == {"default-binary": shown["judge_prompt_sha256"]}


def test_a_text_without_a_place_for_the_contract_gets_no_schema(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text(OWN.replace("{instruction}", "Answer `verdict: correct` or `verdict: incorrect`."))
    model = Model("m", "verdict: correct")
    with desk(tmp_path, model, prompt_file=file) as found:
        assert ask(found, given()) == CORRECT
    assert model.asked[0].schema is None


def test_another_text_is_another_question(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    for text in (OWN, OWN + "\nThink first."):
        file.write_text(text, encoding="utf-8")
        model = Model("m", RIGHT)
        with desk(tmp_path / "cache", model, prompt_file=file) as found:
            ask(found, given())
        assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("Is it right? {question}", "response", id="no-place-for-the-prediction"),
        pytest.param(OWN + "{nothing}", "nothing", id="a-place-that-nobody-fills"),
    ],
)
def test_a_text_that_cannot_be_used_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "own.txt"
    file.write_text(text, encoding="utf-8")
    with session(tmp_path, Model("m", RIGHT), prompt_file=file) as found, pytest.raises(UsageError) as error:
        seated(found)
    assert said in str(error.value) and "own.txt" in str(error.value)


def test_only_the_main_prompt_is_replaced(tmp_path: Path) -> None:
    """What a benchmark extracts with stays the library's, what it grades with is the user's."""
    file = tmp_path / "own.txt"
    file.write_text(OWN, encoding="utf-8")
    block: dict[str, Json] = {"dataset_name": "mine", "score_pipeline": ["llm-extract", "llm-judge"]}
    block["score_judge"] = {"contract": "binary", "prompt": "default-binary"}
    with desk(tmp_path, Model("m", RIGHT), block=block, prompt_file=file) as found:
        assert (found.main, sorted(found.prompts)) == (
            "default-binary",
            ["default-binary", "default-extract"],
        )
        assert found.prompt("default-extract").id == "default-extract"
        assert found.prompt("default-binary").id == "own.txt"


@pytest.mark.parametrize(
    ("model", "text", "official", "says"),
    [
        pytest.param("official-1", THEIRS, True, [], id="both"),
        pytest.param(
            "mini", THEIRS, False, ["the judge was mini, the official one is official-1"], id="model"
        ),
        pytest.param(
            "official-1",
            THEIRS + "!",
            False,
            ["default-binary is worded by us, not the official"],
            id="prompt",
        ),
    ],
)
def test_the_stamp_of_the_judge(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    text: str,
    official: bool,
    says: list[str],
) -> None:
    """Official by the hash of the text and the name of the model that answered."""
    like = templates.prompt("default-binary")
    known = replace(like, spec=_with_official(like.spec, THEIRS))
    monkeypatch.setattr(templates, "prompt", lambda name: known)
    file = tmp_path / "default-binary"
    file.write_text(text, encoding="utf-8")
    block = judged(contract="binary", prompt="default-binary", official_model="official-1")
    told = Model("m", Completion("verdict: correct", model, "stop"))
    with desk(tmp_path, told, block=block, prompt_file=file) as found:
        _, hearing = hear(found, given())
        tally = Tally()
        for call in hearing.calls:
            tally._add_call(call)
        assert tally.replies == 1
        stamped, deviations = stamp(found, resolve([block], Overrides(), "run"), tally)
    assert stamped is official and len(deviations) == len(says)
    for line, part in zip(deviations, says, strict=True):
        assert part in line


def _with_official(spec: Any, text: str) -> Any:
    places = {name: name for name in ("question", "reference", "response")}
    return msgspec.structs.replace(spec, official=(Official(sha256(text), "o/r p@c", placeholders=places),))


def test_a_prompt_of_another_contract_is_refused(tmp_path: Path) -> None:
    block = judged("default-scale", contract="binary", prompt="default-binary")
    refused = pytest.raises(UsageError, match="contract is scale, the benchmark's is binary")
    with session(tmp_path, Model("m", RIGHT), prompt="default-scale") as found, refused:
        seated(found, block)


def test_a_verdict_is_no_answer(tmp_path: Path) -> None:
    """Who extracts with the prompt that the benchmark grades with would compare `correct` with the gold."""
    block = judged(contract="binary", prompt="default-binary")
    block["score_pipeline"] = ["llm-extract", "exact-match"]
    refused = pytest.raises(UsageError, match=r"asks for a verdict.*llm-extract.prompt=default-extract")
    with session(tmp_path, Model("m", RIGHT)) as found, refused:
        seated(found, block)
    with desk(tmp_path, Model("m", RIGHT), block={**block, **_prompted("default-extract")}) as found:
        assert list(found.prompts) == ["default-extract"]
    with desk(tmp_path, Model("m", RIGHT), block={**block, **_prompted("spatial-value")}) as found:
        assert list(found.prompts) == ["spatial-value"]


def test_an_answer_is_no_verdict(tmp_path: Path) -> None:
    """Who grades with a prompt that extracts would pay for numbers that nobody makes."""
    block = judged("default-extract")
    refused = pytest.raises(UsageError, match=r"llm-judge: prompt default-extract asks for an answer")
    with session(tmp_path, Model("m", RIGHT)) as found, refused:
        seated(found, block)
    block["score_pipeline"] = ["llm-match"]
    block["score_params"] = {"stages": {"llm-match": {"prompt": "hle"}}}
    refused = pytest.raises(UsageError, match=r"asks for a verdict .*llm-match.prompt=option-match")
    with session(tmp_path, Model("m", RIGHT)) as found, refused:
        seated(found, block)


def _prompted(name: str) -> dict[str, Json]:
    return {"score_params": {"stages": {"llm-extract": {"prompt": name}}}}


def test_labels_and_bounds_are_for_the_contract_the_rest_for_the_prompt(tmp_path: Path) -> None:
    model = Model("m", "8")
    with desk(tmp_path, model, block=judged("default-scale")) as found:
        ruling = ask(found, given(caption="two cats"), "default-scale", lo=1, hi=9, judge_inputs=["caption"])
    assert isinstance(ruling, Ruling) and ruling.score == (8 - 1) / (9 - 1)
    assert "two cats" in texts(model.asked[0]) and "from 1 to 9" in texts(model.asked[0])


def test_inputs_of_the_benchmark_name_the_fields(tmp_path: Path) -> None:
    declared: dict[str, Json] = {"contract": "binary", "prompt": "default-binary"}
    model = Model("m", RIGHT)
    block = judged(**declared, inputs={"question": "asked"})
    with desk(tmp_path, model, block=block) as found:
        ask(found, given(asked="How many legs?"))
    assert "How many legs?" in texts(model.asked[0])


@pytest.mark.parametrize(
    ("settings", "temperature", "room"),
    [
        pytest.param({}, 0.0, 2048, id="defaults"),
        pytest.param({"temperature": 0.7, "max_tokens": 16}, 0.7, 16, id="given"),
        pytest.param({"temperature": 0.0}, 0.0, 2048, id="zero-is-a-value"),
    ],
)
def test_decoding(tmp_path: Path, settings: dict[str, Any], temperature: float, room: int) -> None:
    model = Model("m", RIGHT)
    with desk(tmp_path, model, **settings) as found:
        ask(found, given())
        shown = described(found)
    (request,) = model.asked
    assert (request.temperature, request.max_tokens) == (temperature, room)
    assert (shown["judge_temperature"], shown["judge_max_tokens"]) == (temperature, room)


def together(found: Desk, *cases: Case) -> list[Any]:
    """The rulings of cases that are heard at the same time."""

    async def main() -> list[Any]:
        court = Court(found)
        return await asyncio.gather(*(court.hearing("s").ask(each, "default-binary", {}) for each in cases))

    return run(main())


def test_equal_questions_are_asked_once(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    with desk(tmp_path, model) as found:
        assert together(found, *[given()] * 5, given("other")) == [CORRECT] * 6
    assert len(model.asked) == 2


def test_equal_questions_fail_together_and_are_free_again(tmp_path: Path) -> None:
    model = Model("m", Rejected("no"), RIGHT)
    with desk(tmp_path, model) as found:
        assert together(found, given(), given()) == [Failed("judge-rejected", "llm_error")] * 2
        assert ask(found, given()) == CORRECT
    assert len(model.asked) == 2


def test_recorded_replies_are_not_stored_again(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    model.identity = Identity("replay", None, "m")
    with desk(tmp_path / "cache", model) as found:
        assert together(found, given(), given()) == [CORRECT] * 2
    assert len(model.asked) == 2 and not (tmp_path / "cache").exists()


def test_the_first_reply_in_the_cache_counts(tmp_path: Path) -> None:
    """Another process was quicker: what is read is what a later run will read."""

    def overtaken(request: Request) -> str:
        from mmeval.judge.cache import key

        with Cache.open(tmp_path) as other:
            other.put(key(model.identity, request), model.identity, request, Completion(WRONG, "m-1"))
        return RIGHT

    model = Model("m", overtaken)
    with desk(tmp_path, model) as found:
        assert ask(found, given()) == Ruling("incorrect", 0.0)


def test_a_dry_run_asks_nobody_and_counts_each_question_once(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    with desk(tmp_path, model) as found:
        ask(found, given("known"))
    with desk(tmp_path, model, dry_run=True) as found:
        rulings = together(found, given("known"), given(), given(), given("other"))
        total = found.rehearsal.total
    assert rulings == [CORRECT, *[Failed("dry-run", "llm_error")] * 3]
    assert (len(model.asked), total.calls) == (1, 2)
    assert total.prompt_tokens > 100


@pytest.mark.parametrize(
    ("pipeline", "calls"),
    [
        (["llm-extract", "llm-judge"], 2),
        (["llm-extract", "mra"], 1),
        (["rule-match", "llm-judge"], 1),
        (["llm-match", "llm-judge"], 1),
    ],
    ids=str,
)
def test_a_dry_run_counts_the_questions_that_follow_from_an_answer(
    tmp_path: Path, pipeline: list[str], calls: int
) -> None:
    asking = next(name for name in pipeline if name.startswith("llm-"))
    prompt = {"llm-extract": "default-extract", "llm-match": "yes-no-match"}.get(asking, "default-binary")
    block: Any = {"dataset_name": "mine", "score_pipeline": pipeline}
    with desk(tmp_path, Model("m", RIGHT), block=block, dry_run=True) as found:
        run(Court(found).hearing(asking).ask(given(), prompt, {}))
        assert found.rehearsal.total.calls == calls


def test_no_call_is_begun_that_could_pass_the_limit(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(PRICES)
    model = Model("m", RIGHT)
    with desk(tmp_path, model) as found:
        ask(found, given("known"))
    settings = {"max_cost": 0.005, "prices": prices, "max_tokens": 3}
    model = Model("m", RIGHT)
    with desk(tmp_path, model) as found:
        ask(found, given("known"))
    with session(tmp_path, model, **settings) as open_:
        found = seated(open_)
        first = ask(found, given("one"))
        second = ask(found, given("two"))
        third = ask(found, given("three"))
        assert open_.stopped == "max-cost-reached" and found.stopped is None
    assert first == CORRECT
    assert second == third == Failed("max-cost-reached", "llm_error")


def test_what_is_known_counts_though_the_money_is_spent(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    with session(tmp_path, model) as open_:
        found = seated(open_)
        ask(found, given("known"))
        open_.stop("max-cost-reached")
        assert ask(found, given("known")) == CORRECT
        assert ask(found, given("new")) == Failed("max-cost-reached", "llm_error")
    assert len(model.asked) == 1


def test_a_reply_that_cannot_be_kept_ends_all_asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any) -> None:
        raise JudgeError("the disk is full")

    model = Model("m", RIGHT)
    with session(tmp_path, model) as open_:
        for block in ({"dataset_name": "a", "score_pipeline": ["llm-judge"]}, judged()):
            with monkeypatch.context() as patch:
                patch.setattr(Cache, "put", full)
                with pytest.raises(JudgeError, match="the disk is full"):
                    ask(seated(open_, block), given())
    assert len(model.asked) == 1


def test_what_replies_cost(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(PRICES)
    with desk(tmp_path, Model("m", RIGHT), prices=prices) as found:
        assert found.cost({"m": [1_000_000, 1_000]}) == pytest.approx(2.0)
        assert found.cost({"nobody-knows": [1, 1]}) is None


def test_who_judges_is_in_the_config(tmp_path: Path) -> None:
    with desk(tmp_path, Model("a", RIGHT), Model("b", RIGHT), repeats=2) as found:
        shown = described(found)
    assert (shown["judge_model"], shown["judge_repeats"]) == (["a", "b"], 2)
    assert shown["judge_endpoint"] == "http://models.invalid/v1"
    with desk(tmp_path) as found:
        shown = described(found)
    assert (shown["judge_provider"], shown["judge_model"]) == ("none", None)
