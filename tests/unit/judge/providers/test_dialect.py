"""What a server takes: known by the model's name, learned from its refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.judge.providers._dialect import Dialect
from mmeval.judge.wire import Image, Message, Request, Text

SCHEMA = {"type": "object"}
REQUEST = Request((Message("user", "q"),), schema=SCHEMA, seed=7)
PLAIN = {"temperature": 0.0, "max_tokens": 2048, "logprobs": True, "seed": 7}


def without(body: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in body.items() if name not in ("model", "messages", "response_format")
    }


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        *(
            pytest.param(model, PLAIN, id=model)
            for model in (
                *("gpt-4o-2024-05-13", "gpt-4-0613", "gpt-4.1", "gpt-5-chat-latest", "gpt-5.1-chat-latest"),
                *("Qwen/Qwen2.5-7B-Instruct", "gpt-oss-120b", "openai/gpt-oss-20b", "deepseek-chat"),
                *("foo-o1", "olmo-1", "o1mo"),
            )
        ),
        *(
            pytest.param(model, {"max_completion_tokens": 2048, "seed": 7}, id=model)
            for model in (
                *("o1", "o1-mini", "o3", "o3-pro", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "GPT-5.2"),
                *("openai/gpt-5-nano", "openai/o3-mini"),
            )
        ),
        *(
            pytest.param(model, {"max_tokens": 2048, "seed": 7}, id=model)
            for model in ("deepseek-reasoner", "deepseek-ai/DeepSeek-R1")
        ),
    ],
)
def test_models_are_known_by_name(model: str, expected: dict[str, Any]) -> None:
    assert without(Dialect(model).body(REQUEST)) == expected


def test_a_request_is_sent_whole() -> None:
    parts = (Text("Look:"), Image("data:image/png;base64,AAAA"))
    request = Request((Message("system", "Be fair."), Message("user", parts)), schema=SCHEMA)
    body = Dialect("judge").body(request)
    assert body["model"] == "judge"
    assert body["messages"] == [
        {"role": "system", "content": "Be fair."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
        },
    ]
    assert body["response_format"]["json_schema"] == {"name": "verdict", "strict": True, "schema": SCHEMA}


def test_what_is_not_asked_is_not_sent() -> None:
    body = Dialect("judge").body(Request((), temperature=None, max_tokens=None))
    assert body == {"model": "judge", "messages": [], "logprobs": True}


TEACHES = [
    (
        "openai-max-tokens",
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
        "instead.",
        "max_tokens",
    ),
    (
        "openai-temperature",
        400,
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is "
        "supported.",
        "temperature",
    ),
    (
        "tgi-temperature",
        422,
        "Input validation error: `temperature` must be strictly positive",
        "temperature",
    ),
    ("openai-logprobs", 403, "You are not allowed to request logprobs from this model", "logprobs"),
    ("openai-reasoning", 400, "logprobs are not supported with reasoning models", "logprobs"),
    ("azure-seed", 400, "Unrecognized request argument supplied: seed", "seed"),
    ("mistral-seed", 422, "body seed Extra inputs are not permitted", "seed"),
    ("gemini-seed", 400, 'Invalid JSON payload received. Unknown name "seed": Cannot find field.', "seed"),
    (
        "openai-json-schema",
        400,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "json_schema",
    ),
    ("deepseek-json-schema", 400, "This response_format type is unavailable now", "json_schema"),
    (
        "llama-cpp-json-schema",
        500,
        "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be "
        "'text' or 'json_object'\"}]",
        "json_schema",
    ),
    (
        "openai-schema",
        400,
        "Invalid schema for response_format 'verdict': 'oneOf' is not permitted.",
        "json_schema",
    ),
]


@pytest.mark.parametrize(
    ("status", "says", "refused"), [pytest.param(*rest, id=name) for name, *rest in TEACHES]
)
def test_refusals_teach(status: int, says: str, refused: str) -> None:
    dialect = Dialect("judge")
    sent = dialect.body(REQUEST)
    assert dialect.learn(status, says, sent)
    assert dialect.refused == {refused}
    again = dialect.body(REQUEST)
    assert again.get("response_format", {}).get("type") == (
        "json_object" if refused == "json_schema" else "json_schema"
    )
    assert refused not in again


@pytest.mark.parametrize(
    ("status", "says"),
    [
        pytest.param(
            400,
            "This model's maximum context length is 8192 tokens, however you requested 9000",
            id="context",
        ),
        pytest.param(
            400, "max_tokens is too large: 5000. This model supports at most 4096", id="cap-too-large"
        ),
        pytest.param(
            400,
            "'max_tokens' or 'max_completion_tokens' must be at most 4096, invalid",
            id="cap-out-of-range",
        ),
        pytest.param(400, "temperature must be between 0 and 2", id="temperature-out-of-range"),
        pytest.param(400, "Your request was rejected by our safety system", id="policy"),
        pytest.param(403, "temperature is not allowed", id="forbidden"),
        pytest.param(500, "unknown error while applying temperature", id="server-error"),
        pytest.param(500, "internal server error", id="nothing-named"),
        pytest.param(400, "top_p is not supported", id="not-sent"),
    ],
)
def test_other_refusals_teach_nothing(status: int, says: str) -> None:
    dialect = Dialect("judge")
    assert not dialect.learn(status, says, dialect.body(REQUEST))
    assert dialect.refused == set()


def test_formats_are_tried_from_the_strictest_to_none() -> None:
    dialect, forms = Dialect("judge"), []
    while (form := dialect.body(REQUEST).get("response_format")) is not None:
        forms.append(form)
        assert dialect.learn(400, "unknown response_format", dialect.body(REQUEST))
    assert [form["type"] for form in forms] == ["json_schema", "json_object"]
    assert forms[1]["schema"] == SCHEMA


def test_both_spellings_of_the_cap_are_tried() -> None:
    dialect = Dialect("judge")
    assert dialect.learn(400, "max_tokens is not supported", dialect.body(REQUEST))
    assert dialect.body(REQUEST)["max_completion_tokens"] == 2048
    assert dialect.learn(400, "max_completion_tokens is not supported", dialect.body(REQUEST))
    assert {"max_tokens", "max_completion_tokens"} & dialect.body(REQUEST).keys() == set()


def test_calls_in_flight_together_learn_the_same_once() -> None:
    dialect = Dialect("judge")
    sent = dialect.body(REQUEST)
    for _ in range(5):
        assert dialect.learn(400, "response_format json_schema is not supported", sent)
    assert dialect.refused == {"json_schema"}


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([400, 403, 422, 500]), st.sampled_from([each[2] for each in TEACHES])))
)
def test_learning_ends(refusals: list[tuple[int, str]]) -> None:
    dialect = Dialect("judge")
    learned = [dialect.learn(status, says, dialect.body(REQUEST)) for status, says in refusals]
    assert sum(learned) == len(dialect.refused) <= 7


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_message_makes_it_forget_the_question(says: str) -> None:
    dialect = Dialect("judge")
    dialect.learn(400, says, dialect.body(REQUEST))
    body = dialect.body(REQUEST)
    assert body["messages"] == [{"role": "user", "content": "q"}]
    assert body["model"] == "judge"
