from __future__ import annotations

import base64
import hashlib
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.judge.keys import key, key_of, picture, portable, portable_identity
from mmeval.judge.wire import Identity, Image, Message, Request, Text

JUDGE = Identity("openai", "https://api.openai.com/v1", "gpt-4o", "r1")
ASKED = Request(
    (Message("system", "Grade."), Message("user", (Text("What?"), Image("data:image/png;base64,AAAA")))),
    temperature=0.0,
    max_tokens=64,
    schema={"type": "object"},
    seed=1,
    replicate=0,
    attempt=0,
    sample="17",
    stage="llm-judge",
    prompt="hle",
)


def test_a_key_never_changes_between_versions() -> None:
    """Another key is a cache that nobody finds again: this one may change only with the file's format."""
    assert key(JUDGE, ASKED) == "07de17539aa697224740d11c2256ce60efcd73f3a3eb793594403ed67f16bdec"


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("provider", "azure_openai"),
        ("endpoint", None),
        ("endpoint", "https://api.openai.com/v2"),
        ("model", "gpt-4o-mini"),
        ("revision", None),
    ],
)
def test_another_judge_is_another_request(part: str, other: Any) -> None:
    assert key(msgspec.structs.replace(JUDGE, **{part: other}), ASKED) != key(JUDGE, ASKED)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("messages", (Message("user", "What?"),)),
        ("messages", (ASKED.messages[1], ASKED.messages[0])),
        ("messages", (Message("user", "Grade."), ASKED.messages[1])),
        (
            "messages",
            (
                ASKED.messages[0],
                Message("user", (Text("What?"), Image("data:image/png;base64,AAAB"))),
            ),
        ),
        (
            "messages",
            (
                ASKED.messages[0],
                Message("user", (Text("What?"), Image("data:image/jpeg;base64,AAAA"))),
            ),
        ),
        ("temperature", None),
        ("temperature", 0.5),
        ("max_tokens", None),
        ("max_tokens", 128),
        ("schema", None),
        ("schema", {"type": "array"}),
        ("seed", None),
        ("seed", 2),
        ("replicate", 1),
        ("attempt", 1),
    ],
)
def test_whatever_determines_the_reply_changes_the_key(part: str, other: Any) -> None:
    assert key(JUDGE, msgspec.structs.replace(ASKED, **{part: other})) != key(JUDGE, ASKED)


@pytest.mark.parametrize("part", ["sample", "stage", "prompt"])
def test_what_it_is_about_does_not(part: str) -> None:
    assert key(JUDGE, msgspec.structs.replace(ASKED, **{part: "other"})) == key(JUDGE, ASKED)


def test_every_field_of_a_request_is_covered_above() -> None:
    keyed = set(portable(ASKED))
    assert keyed | {"sample", "stage", "prompt"} == {field.name for field in msgspec.structs.fields(Request)}
    assert set(portable_identity(JUDGE)) == {field.name for field in msgspec.structs.fields(Identity)}


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
contents = st.one_of(
    texts,
    st.lists(
        st.one_of(
            st.builds(Text, texts),
            st.binary(max_size=8).map(
                lambda raw: Image("data:image/png;base64," + base64.b64encode(raw).decode())
            ),
        ),
        max_size=3,
    ).map(tuple),
)
requests = st.builds(
    Request,
    messages=st.lists(
        st.builds(Message, st.sampled_from(["system", "user", "assistant"]), contents), max_size=3
    ).map(tuple),
    temperature=st.one_of(st.none(), st.floats(0, 2)),
    max_tokens=st.one_of(st.none(), st.integers(1, 9)),
    seed=st.one_of(st.none(), st.integers(0, 3)),
    replicate=st.integers(0, 2),
    attempt=st.integers(0, 2),
)


@settings(deadline=None)
@given(requests, requests)
def test_equal_keys_are_equal_requests(one: Request, two: Request) -> None:
    assert (key(JUDGE, one) == key(JUDGE, two)) is (one == two)


@settings(deadline=None)
@given(requests)
def test_the_portable_form_gives_the_key_back(request: Request) -> None:
    stored = msgspec.json.decode(msgspec.json.encode(portable(request)))
    assert key_of(portable_identity(JUDGE), stored) == key(JUDGE, request)


def test_a_whole_number_as_temperature_is_the_same_request() -> None:
    assert key(JUDGE, msgspec.structs.replace(ASKED, temperature=0)) == key(JUDGE, ASKED)


AAAA = hashlib.sha256(base64.b64decode("AAAA")).hexdigest()


@pytest.mark.parametrize(
    ("url", "is_called"),
    [
        pytest.param("https://a.org/x.png", "https://a.org/x.png", id="an-address"),
        pytest.param("data:image/png;base64,AAAA", f"image/png;sha256,{AAAA}", id="base64"),
        pytest.param(
            "data:image/png;base64,no base64",
            f"image/png;base64;sha256,{hashlib.sha256(b'no base64').hexdigest()}",
            id="no-base64",
        ),
        pytest.param(
            "data:text/plain,hi", f"text/plain;sha256,{hashlib.sha256(b'hi').hexdigest()}", id="plain"
        ),
        pytest.param("data:", f";sha256,{hashlib.sha256(b'').hexdigest()}", id="nothing"),
    ],
)
def test_pictures_go_by_the_hash_of_their_bytes(url: str, is_called: str) -> None:
    assert picture(url) == is_called


def test_a_large_picture_is_hashed_too() -> None:
    raw = bytes(2_000_000)
    url = "data:image/png;base64," + base64.b64encode(raw).decode()
    assert picture(url) == f"image/png;sha256,{hashlib.sha256(raw).hexdigest()}"
