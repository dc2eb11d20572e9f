"""What a server sends back: completions in every shape, and what an error means."""

from __future__ import annotations

import time
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing import room

from mmeval.errors import JudgeError
from mmeval.judge.providers._replies import (
    Refusal,
    Remedies,
    failure,
    read_completion,
    read_refusal,
    redacted,
    retry_after,
    shortened,
)
from mmeval.judge.wire import Completion, Rejected, Transient

REMEDIES = Remedies("the judge at http://j/v1", "mend the key", "mend the model")


def reply(content: Any, finish: Any = "stop", **message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content, **message}, "finish_reason": finish}]}


@pytest.mark.parametrize(
    ("body", "text", "finish"),
    [
        pytest.param(reply("yes"), "yes", "stop", id="text"),
        pytest.param(reply(""), "", "stop", id="empty"),
        pytest.param(reply(None), "", "stop", id="null"),
        pytest.param(reply(None, "content_filter"), "", "content_filter", id="filtered"),
        pytest.param(reply("It is co", "length"), "It is co", "length", id="cut-off"),
        pytest.param(reply("yes", reasoning_content="no no no"), "yes", "stop", id="reasoning-is-no-reply"),
        pytest.param(reply(None, "length", reasoning_content="yes"), "", "length", id="only-reasoning"),
        pytest.param(reply(None, refusal="I cannot"), "", "refusal", id="refusal"),
        pytest.param(
            reply([{"type": "text", "text": "a"}, {"type": "thinking", "text": "b"}, {"text": "c"}, "d"]),
            "ac",
            "stop",
            id="parts",
        ),
        pytest.param(reply("yes", None), "yes", None, id="no-finish"),
        pytest.param({"choices": [{"message": {}}]}, "", None, id="no-content"),
    ],
)
def test_completions(body: dict[str, Any], text: str, finish: str | None) -> None:
    made = read_completion(orjson.dumps(body))
    assert isinstance(made, Completion)
    assert (made.text, made.finish) == (text, finish)


def test_model_tokens_and_logprobs_are_the_servers() -> None:
    body = {**reply("yes"), "model": "m-1", "usage": {"prompt_tokens": 9, "completion_tokens": 1}}
    body["choices"][0]["logprobs"] = {"content": [{"token": "yes", "logprob": -0.25, "bytes": [1]}]}
    assert read_completion(orjson.dumps(body)) == Completion("yes", "m-1", "stop", 9, 1, (("yes", -0.25),))


@pytest.mark.parametrize(
    "odd", [None, 3, "x", [], {"content": 3}, {"content": [{"token": "x"}]}, {"content": [None]}]
)
def test_odd_extras_are_left_out(odd: Any) -> None:
    body = {**reply("yes"), "model": odd, "usage": odd}
    body["choices"][0]["logprobs"] = odd
    made = read_completion(orjson.dumps(body))
    assert isinstance(made, Completion)
    assert (made.text, made.prompt_tokens, made.logprobs) == ("yes", None, ())


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b'{"choices": [{"message"', id="cut-off"),
        pytest.param(b"<html>welcome</html>", id="html"),
        pytest.param(b"[]", id="list"),
        pytest.param(b'"yes"', id="string"),
        pytest.param(b"{}", id="no-choices"),
        pytest.param(b'{"choices": []}', id="empty-choices"),
        pytest.param(b'{"choices": [null]}', id="null-choice"),
        pytest.param(b'{"choices": [{"text": "yes"}]}', id="no-message"),
        pytest.param(b'{"choices": [{"message": {"content": 7}}]}', id="content-is-a-number"),
        pytest.param(b'{"choices": [{"message": {"content": "\\ud800"}}]}', id="half-a-character"),
        pytest.param(b"\xff\xfe", id="not-utf-8"),
    ],
)
def test_bodies_that_are_no_completion_are_malformed(data: bytes) -> None:
    with pytest.raises(Transient) as raised:
        read_completion(data)
    assert raised.value.kind == "malformed"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            {"choices": [{"message": {"content": "correct: y"}, "error": {"code": 502, "message": "gone"}}]},
            (502, "gone", "", ""),
            id="openrouter",
        ),
        pytest.param(
            {"choices": [{"message": {"content": "correct: y"}}], "error": "it broke down"},
            (502, "it broke down", "", ""),
            id="beside-the-choices",
        ),
    ],
)
def test_what_stands_beside_an_error_is_no_reply(body: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert read_completion(orjson.dumps(body)) == expected


@pytest.mark.parametrize(
    ("message", "finish"),
    [
        ({"content": None, "refusal": "I cannot help."}, "refusal"),
        ({"content": "yes", "refusal": None}, "stop"),
        ({"content": "yes", "refusal": ""}, "stop"),
    ],
)
def test_a_refusal_in_a_field_of_its_own_is_known(message: dict[str, Any], finish: str) -> None:
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    made = read_completion(orjson.dumps(body))
    assert isinstance(made, Completion) and made.finish == finish


def test_an_error_that_is_none_does_not_count() -> None:
    made = read_completion(orjson.dumps({**reply("yes"), "error": None}))
    assert isinstance(made, Completion) and made.text == "yes"


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "choices",
                        "message",
                        "content",
                        "error",
                        "usage",
                        "logprobs",
                        "code",
                        "text",
                        "type",
                        "detail",
                    ]
                ),
                inner,
            )
        ),
        max_leaves=20,
    )
)
def test_any_json_is_a_completion_a_refusal_or_malformed(body: Any) -> None:
    data = orjson.dumps(body)
    try:
        made = read_completion(data)
    except Transient as malformed:
        assert malformed.kind == "malformed"
    else:
        assert isinstance(made, Completion | Refusal)
    assert isinstance(failure(read_refusal(500, data), {}, REMEDIES), Exception)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        pytest.param(
            400, {"error": {"message": "m", "code": "c", "param": "p"}}, (400, "m", "c", "p"), id="openai"
        ),
        pytest.param(400, {"error": "m"}, (400, "m", "", ""), id="a-word"),
        pytest.param(
            429, {"error": {"message": "m", "code": 429, "type": "t"}}, (429, "m", "t", ""), id="type"
        ),
        pytest.param(400, {"object": "error", "message": "m", "code": 400}, (400, "m", "", ""), id="vllm"),
        pytest.param(
            422,
            {"detail": [{"loc": ["body", "seed"], "msg": "no", "input": "i"}]},
            (422, "body seed no", "", ""),
            id="fastapi",
        ),
        pytest.param(404, {"detail": "Not Found"}, (404, "Not Found", "", ""), id="starlette"),
        pytest.param(400, [{"error": {"code": 400, "message": "m"}}], (400, "m", "", ""), id="gemini"),
        pytest.param(200, {"error": {"code": 429, "message": "m"}}, (429, "m", "", ""), id="openrouter"),
        pytest.param(200, {"error": {"message": "m"}}, (502, "m", "", ""), id="error-in-a-200"),
        pytest.param(500, {}, (500, "", "", ""), id="says-nothing"),
    ],
)
def test_errors_are_read_in_every_shape(status: int, body: Any, expected: tuple[int, str, str, str]) -> None:
    assert tuple(read_refusal(status, orjson.dumps(body))) == expected


MEANINGS = [
    (401, "Incorrect API key provided", "invalid_api_key", JudgeError, "mend the key"),
    (403, "Country not supported", "", JudgeError, "mend the key"),
    (403, "Input was flagged by moderation", "", Rejected, "flagged"),
    (400, "API key not valid. Please pass a valid API key.", "", JudgeError, "mend the key"),
    (402, "Insufficient Balance", "", JudgeError, "no credit"),
    (429, "You exceeded your current quota", "insufficient_quota", JudgeError, "no credit"),
    (429, "Please try again in 20s. Visit /account/billing to raise it", "", Transient, "rate-limit"),
    (429, "You exceeded your current quota, check plan and billing", "", Transient, "rate-limit"),
    (404, "The model `x` does not exist", "model_not_found", JudgeError, "mend the model"),
    (404, "Not Found", "", JudgeError, "mend the model"),
    (405, "Method Not Allowed", "", JudgeError, "mend the model"),
    (301, "", "", JudgeError, "mend the model"),
    (400, "Model Not Exist", "invalid_request_error", JudgeError, "mend the model"),
    (400, "Invalid model: x", "invalid_model", JudgeError, "mend the model"),
    (429, "Rate limit reached", "rate_limit_exceeded", Transient, "rate-limit"),
    (429, "Request too large for gpt-4o", "rate_limit_exceeded", Rejected, "too large"),
    (408, "", "", Transient, "timeout"),
    (409, "conflict", "", Transient, "server"),
    (500, "", "", Transient, "server"),
    (503, "overloaded", "", Transient, "server"),
    (504, "", "", Transient, "timeout"),
    (529, "overloaded", "", Transient, "server"),
    (400, "This model's maximum context length is 8192 tokens", "context_length_exceeded", Rejected, "8192"),
    (400, "The response was filtered", "content_filter", Rejected, "filtered"),
    (413, "Payload too large", "", Rejected, "large"),
    (422, "image could not be read", "", Rejected, "image"),
]


@pytest.mark.parametrize(
    ("status", "message", "code", "kind", "says"),
    [pytest.param(*each, id=f"{each[0]}-{each[1][:20]}") for each in MEANINGS],
)
def test_what_an_error_means(status: int, message: str, code: str, kind: type[Exception], says: str) -> None:
    made = failure(Refusal(status, message, code), {}, REMEDIES)
    assert type(made) is kind
    assert says in (made.kind if isinstance(made, Transient) else str(made))
    assert f"http://j/v1 answered {status}" in str(made)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({}, None, id="none"),
        pytest.param({"Retry-After": "7"}, 7.0, id="seconds"),
        pytest.param({"Retry-After": "0.5"}, 0.5, id="half"),
        pytest.param({"retry-after-ms": "250", "Retry-After": "1"}, 0.25, id="milliseconds-first"),
        pytest.param({"Retry-After": "-3"}, None, id="negative"),
        pytest.param({"Retry-After": "nan"}, None, id="nan"),
        pytest.param({"Retry-After": "inf"}, None, id="infinite"),
        pytest.param({"Retry-After": "soon"}, None, id="word"),
        pytest.param(
            {"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"},
            30.0,
            id="date",
        ),
        pytest.param({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0, id="date-long-ago"),
        pytest.param({"Retry-After": "Wed, 99 Oct 2015 07:28:00 GMT"}, None, id="no-such-date"),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds
    made = failure(Refusal(429, "slow"), headers, REMEDIES)
    assert isinstance(made, Transient)
    assert made.retry_after == seconds


@settings(deadline=None)
@given(
    st.text(max_size=40),
    st.dictionaries(st.sampled_from(["Retry-After", "Date", "retry-after-ms"]), st.text()),
)
def test_no_header_breaks_anything(text: str, headers: dict[str, str]) -> None:
    seconds = retry_after({"Retry-After": text, **headers})
    assert seconds is None or seconds >= 0


def test_messages_are_one_short_line() -> None:
    assert shortened("a\n b\t c") == "a b c"
    assert len(shortened("x " * 10_000)) <= 300


@pytest.mark.parametrize("filler", ["x", "*", "x*", " ", "model ", "api key ", "'temperature' "])
def test_long_messages_cost_no_time(filler: str) -> None:
    start = time.perf_counter()
    refusal = read_refusal(400, orjson.dumps({"error": {"message": filler * 300_000, "param": filler * 99}}))
    refusal = refusal._replace(message=shortened(redacted(refusal.message, ("sk-secret-1",))))
    assert isinstance(failure(refusal, {}, REMEDIES), Rejected)
    assert time.perf_counter() - start < 0.1 * room()


def test_keys_are_taken_out() -> None:
    says = "Incorrect API key provided: sk-ab***yz. You sent Bearer sk-secret-1."
    assert redacted(says, ("sk-secret-1",)) == "Incorrect API key provided: [key] You sent Bearer [key]."
