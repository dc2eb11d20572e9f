from __future__ import annotations

import asyncio
import doctest
import importlib
import json
import math
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.errors import UsageError
from mmeval.judge import money, prices
from mmeval.judge.money import BudgetReached, Ledger, Rehearsal, Usage
from mmeval.judge.prices import PICTURE, UNCAPPED, Price, Prices, Tokens, estimate, most, text_tokens
from mmeval.judge.wire import Completion, Image, Message, Request, Text

CHEAP = Prices({"m": Price(1.0, 10.0, batch=0.5)})


def asked(text: str = "x" * 350, max_tokens: int | None = 100, **parts: object) -> Request:
    return msgspec.structs.replace(Request((Message("user", text),), max_tokens=max_tokens), **parts)


def reply(prompt: int | None = 1000, answer: int | None = 100, text: str = "yes") -> Completion:
    return Completion(text, "m", "stop", prompt, answer)


@pytest.mark.parametrize("module", [money, prices], ids=lambda module: module.__name__)
def test_examples_in_words_hold(module: ModuleType) -> None:
    assert doctest.testmod(importlib.import_module(module.__name__)).failed == 0


@pytest.mark.parametrize(
    ("model", "input_", "output"),
    [
        # https://platform.openai.com/docs/pricing, as litellm 1.110.2 and genai-prices 0.2.3 both have it.
        ("gpt-4o", 2.5, 10.0),
        ("gpt-4o-2024-05-13", 5.0, 15.0),
        ("gpt-4o-2024-08-06", 2.5, 10.0),
        ("gpt-4o-mini", 0.15, 0.6),
        ("gpt-4.1", 2.0, 8.0),
        ("gpt-4.1-mini", 0.4, 1.6),
        ("gpt-4-0613", 30.0, 60.0),
        ("gpt-3.5-turbo-1106", 1.0, 2.0),
        ("gpt-5", 1.25, 10.0),
        ("o3", 2.0, 8.0),
        ("o4-mini", 1.1, 4.4),
        ("claude-sonnet-4-5", 3.0, 15.0),
        ("gemini-2.5-flash", 0.3, 2.5),
    ],
)
def test_prices_of_common_judges(model: str, input_: float, output: float) -> None:
    price = Prices.load().of(model)
    assert price is not None
    assert (price.input, price.output) == (input_, output)


def test_every_price_says_where_it_is_from() -> None:
    table = json.loads(Path(prices.__file__).with_name("prices.json").read_bytes())["models"]
    assert list(table) == sorted(table)
    for name in table:
        price = Prices.load().of(name)
        assert price is not None
        assert price.source
        assert price.date
        assert 0 < price.input <= price.output
        assert price.batch in (0.5, 1.0)


def test_a_batch_price_is_declared_by_its_source() -> None:
    batch = {
        name: price.batch for name in ("gpt-4o", "gpt-3.5-turbo-1106") if (price := Prices.load().of(name))
    }
    assert batch == {"gpt-4o": 0.5, "gpt-3.5-turbo-1106": 1.0}


@pytest.mark.parametrize("model", ["gpt-4o-2099-01-01", "GPT-4o", "openai/gpt-4o", "Qwen/Qwen2.5-7B", ""])
def test_an_unknown_model_has_no_price(model: str) -> None:
    table = Prices.load()
    assert table.of(model) is None
    assert table.cost(model, Tokens(1, 1)) is None
    assert table.total({model: [1, 1], "gpt-4o": [1, 1]}) is None


@pytest.mark.parametrize("provider", ["local", "replay", "none"])
def test_who_is_not_paid_is_free(provider: str) -> None:
    table = Prices.load(provider=provider)
    assert table.total({"anything": [10**6, 10**6]}) == 0.0


def test_totals_do_not_depend_on_the_order() -> None:
    table = Prices({"a": Price(0.1, 0.2), "b": Price(0.3, 0.7)})
    one, two = {"a": [3, 7], "b": [11, 13]}, {"b": [11, 13], "a": [3, 7]}
    assert table.total(one) == table.total(two)
    assert table.total({}) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "models:\n  own: {input: 1, output: 2}\n  gpt-4o: {input: 9, output: 9}\n",
        "own: {input: 1, output: 2}\ngpt-4o: {input: 9, output: 9}\n",
        '{"models": {"own": {"input": 1, "output": 2}, "gpt-4o": {"input": 9, "output": 9}}}',
    ],
    ids=["yaml", "yaml-flat", "json"],
)
def test_a_users_table_goes_over_the_built_in_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    table = Prices.load(tmp_path / "prices.yaml")
    assert table.of("own") == Price(1.0, 2.0)
    assert table.of("gpt-4o") == Price(9.0, 9.0)
    assert table.of("gpt-4o-mini") is not None


@pytest.mark.parametrize(
    "text",
    [
        "own: {input: 1}",
        "own: {input: -1, output: 2}",
        "own: {input: .nan, output: 2}",
        "own: {input: one, output: 2}",
        "own: {input: 1, output: 2, bacth: 0.5}",
        "own: 3",
        "- own",
        "",
        "{",
        "\x00",
        "[" * 50_000,
    ],
)
def test_a_users_table_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(UsageError, match=r"--judge_prices .*prices\.yaml"):
        Prices.load(tmp_path / "prices.yaml")


def test_a_users_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        Prices.load(tmp_path / "prices.yaml")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # At least one token for an English word or a CJK character, half a one for a Cyrillic letter.
        ("The quick brown fox jumps over the lazy dog", 9),
        ("The answer is B.", 5),
        ("这张图片显示了一只猫和一只狗", 14),
        ("Правильный ответ", 8),
    ],
)
def test_tokens_are_rather_too_many(text: str, tokens: int) -> None:
    assert tokens <= text_tokens(text) <= 2 * tokens


@settings(deadline=None)
@given(st.text(), st.text())
def test_more_text_is_not_fewer_tokens(one: str, two: str) -> None:
    assert text_tokens(one + two) >= max(text_tokens(one), text_tokens(two))
    assert text_tokens(one + two) <= text_tokens(one) + text_tokens(two)


@pytest.mark.parametrize(
    ("request_", "reasons", "tokens"),
    [
        pytest.param(asked(), False, Tokens(104, 64), id="text"),
        pytest.param(asked(max_tokens=8), False, Tokens(104, 8), id="a-low-cap"),
        pytest.param(asked(max_tokens=None), False, Tokens(104, 64), id="no-cap"),
        pytest.param(asked(max_tokens=2048), True, Tokens(104, 1088), id="a-reasoning-model"),
        pytest.param(
            asked(schema={"properties": {"reason": {}, "verdict": {}}}, max_tokens=2048),
            False,
            Tokens(104 + 12, 256),
            id="an-explanation",
        ),
        pytest.param(
            Request((Message("user", (Text("x" * 7), Image("data:,"))),)),
            False,
            Tokens(4 + 2 + PICTURE, 64),
            id="a-picture",
        ),
    ],
)
def test_a_request_is_estimated(request_: Request, reasons: bool, tokens: Tokens) -> None:
    assert estimate(request_, reasons) == tokens


def test_the_most_is_the_cap() -> None:
    assert most(asked(max_tokens=2048)) == (104, 2048)
    assert most(asked(max_tokens=None)) == (104, UNCAPPED)


def test_fresh_and_cached_are_counted_apart_and_by_model() -> None:
    ledger = Ledger(Prices({"m": Price(1.0, 10.0), "n": Price(2.0, 20.0)}))
    ledger.add("m", reply(), cached=False)
    ledger.add("m", reply(), cached=True)
    ledger.add("n", reply(), cached=False)
    totals = ledger.totals
    assert totals.fresh == {"m": Usage(1, 1000, 100, 0, 0.002), "n": Usage(1, 1000, 100, 0, 0.004)}
    assert totals.cached == {"m": Usage(1, 1000, 100, 0, 0.002)}
    assert (totals.paid.calls, totals.paid.cost) == (2, 0.006)
    assert totals.saved == Usage(1, 1000, 100, 0, 0.002)
    assert ledger.line() == "judge: 2 calls, 1 from the cache; 2000 tokens in, 200 out; $0.0060"


def test_an_unknown_price_makes_the_sum_unknown() -> None:
    ledger = Ledger(CHEAP)
    assert ledger.line() == ""
    ledger.add("m", reply(), cached=False)
    ledger.add("mystery", reply(), cached=False)
    assert ledger.totals.paid.cost is None
    assert "cost unknown (--judge_prices)" in ledger.line()


def test_a_batch_costs_what_its_price_says() -> None:
    ledger = Ledger(CHEAP)
    ledger.add("m", reply(), cached=False, batch=True)
    assert ledger.spent == pytest.approx(0.001)


def test_replies_without_a_count_are_estimated_and_told() -> None:
    ledger = Ledger(CHEAP, max_cost=1.0)
    for text in ("x" * 350, "x" * 3500):
        with ledger.reserved("m", asked(text)):
            ledger.add("m", reply(None, None, "y" * 35), cached=False)
    assert ledger.totals.paid == Usage(2, 104 + (104 + 1004) // 2, 20, 2, ledger.spent)
    assert ledger.spent > 0
    assert "tokens estimated" in ledger.line()


def test_no_call_begins_that_could_cost_too_much() -> None:
    """104 tokens in and 100 out cost at most $0.001104."""
    ledger = Ledger(CHEAP, max_cost=0.0025)
    with ledger.reserved("m", asked()), ledger.reserved("m", asked()):
        with (
            pytest.raises(BudgetReached, match=r"\$0\.00 of \$0\.00 are spent"),
            ledger.reserved("m", asked()),
        ):
            pass
        ledger.add("m", reply(104, 100), cached=False)
    with ledger.reserved("m", asked()):
        pass
    ledger.add("m", reply(104, 100), cached=False)
    with pytest.raises(BudgetReached), ledger.reserved("m", asked()):
        pass


def test_a_call_that_failed_gives_its_money_free() -> None:
    ledger = Ledger(CHEAP, max_cost=0.0012)
    for _ in range(5):
        with pytest.raises(TimeoutError), ledger.reserved("m", asked()):
            raise TimeoutError
    assert ledger.spent == 0.0


def test_what_the_cache_had_costs_nothing_now() -> None:
    ledger = Ledger(CHEAP, max_cost=0.0012)
    ledger.add("m", reply(10**6, 10**6), cached=True)
    with ledger.reserved("m", asked()):
        pass


def test_a_limit_needs_a_price() -> None:
    with pytest.raises(UsageError, match=r"--max_cost: the price of mystery is not known; .*--judge_prices"):
        Ledger(CHEAP, max_cost=1.0).reserved("mystery", asked())
    with Ledger(CHEAP).reserved("mystery", asked()):
        pass


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 100), st.integers(0, 3)), min_size=1, max_size=40),
    st.floats(0.0005, 0.02),
)
def test_the_limit_is_never_crossed_and_mostly_used(calls: list[tuple[int, int]], limit: float) -> None:
    """Many calls at once, each as long as its cap at most: waiting uses what the ones before left."""
    ledger = Ledger(CHEAP, max_cost=limit)
    refused: list[float] = []

    async def call(answer: int, pause: int) -> None:
        try:
            async with ledger.reserved("m", asked()):
                for _ in range(pause):
                    await asyncio.sleep(0)
                ledger.add("m", reply(104, answer), cached=False)
        except BudgetReached:
            refused.append(ledger.spent)

    async def run() -> None:
        await asyncio.gather(*(call(*each) for each in calls))

    asyncio.run(run())
    assert ledger.spent <= limit
    assert len(refused) + ledger.totals.paid.calls == len(calls)
    assert all(limit - spent < 0.001104 + 1e-9 for spent in refused), "refused, though there was room"


def test_a_dry_run_counts_each_question_once() -> None:
    rehearsal = Rehearsal(CHEAP)
    for attempt in (0, 0, 1):
        rehearsal.add("m", asked(attempt=attempt, sample=str(attempt)))
    rehearsal.add("mystery", asked())
    told = rehearsal.summary()
    assert told["calls"] == 3
    assert told["cost"] is None
    models = told["by_model"]
    assert isinstance(models, dict)
    assert models["m"] == {
        "calls": 2,
        "prompt_tokens": 208,
        "completion_tokens": 128,
        "cost": pytest.approx(0.001488),
    }


@pytest.mark.parametrize(("model", "reasons"), [("o3", True), ("gpt-5-mini", True), ("gpt-4o", False)])
def test_who_reasons_first(model: str, reasons: bool) -> None:
    assert money.reasons(model) is reasons


def test_a_sum_of_nothing_is_nothing() -> None:
    assert Rehearsal(CHEAP).total == Usage()
    assert math.isclose(Usage(cost=1.0).plus(Usage(cost=2.0)).cost or 0, 3.0)
