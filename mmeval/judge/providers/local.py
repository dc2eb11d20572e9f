"""A judge in this process: an open model under vLLM's asynchronous engine.

The engine batches whatever is asked at the same time, so the window of requests that any server gets serves
it, too. It starts with the first request that must be asked: a run whose replies are all cached starts none.
There is no time limit for a reply, for a long queue is no failure. At temperature 0 it decodes greedily; the
same requests in the same batches give the same replies, and the cache gives the same ones in any case.

A model that needs several devices, or runs elsewhere, is served by vLLM's server and named with
`--judge_base_url`. The engine starts processes of its own by `spawn`, so a script that uses it has to keep
its work below `if __name__ == "__main__":`, as the command does.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from mmeval.errors import JudgeError
from mmeval.judge.providers._vllm import Engine, require_vllm
from mmeval.judge.providers._weights import Weights, find_weights
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Identity, Image, Message, Rejected, Request

log = logging.getLogger("mmeval")


def open_provider(settings: JudgeSettings, model: str) -> LocalProvider:
    """A judge of one model: a folder with its weights, or its name on the Hugging Face Hub.

    Raises:
        JudgeError: vLLM is not installed, or there is no such model.
    """
    require_vllm()
    return LocalProvider(find_weights(model))


class LocalProvider:
    """One model in this process."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._engine: Engine | None = None
        self._starting = asyncio.Lock()

    @property
    def identity(self) -> Identity:
        """Who answers: the model's name, and the commit or content hash of its weights."""
        return Identity("local", None, self._weights.name, self._weights.revision)

    async def complete(self, request: Request) -> Completion:
        """Generate one reply.

        Raises:
            Transient: the engine failed at this request.
            Rejected: it is too long, its pictures cannot be looked at, or the chat template refuses it.
            JudgeError: the engine cannot be started, or died.
        """
        engine = await self._started()
        if not engine.sees and any(_has_picture(message) for message in request.messages):
            raise Rejected(f"{self._weights.name} takes text only, and the request has pictures")
        output = await engine.generate(await engine.prompt(request.messages), request)
        reply = output.outputs[0]
        return Completion(
            text=reply.text,
            model=self._weights.name,
            finish=reply.finish_reason,
            prompt_tokens=len(output.prompt_token_ids),
            completion_tokens=len(reply.token_ids),
            logprobs=tuple(_chosen(reply)),
        )

    async def close(self) -> None:
        """End the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
            # The engine's own tasks end with the next turn of the loop.
            await asyncio.sleep(0)

    async def _started(self) -> Engine:
        async with self._starting:
            if self._engine is None:
                log.info("loading %s into vLLM", self._weights.name)
                engine = Engine(self._weights)
                try:
                    await engine.prompt((Message("user", "?"),))
                except Rejected as refusal:
                    engine.close()
                    raise JudgeError(f"{refusal}; a judge has to be a model with a chat template") from None
                self._engine = engine
            return self._engine


def _has_picture(message: Message) -> bool:
    return not isinstance(message.content, str) and any(isinstance(part, Image) for part in message.content)


def _chosen(reply: Any) -> list[tuple[str, float]]:
    """The tokens of the reply's text with their log-probabilities; the one that ends it is no part of it."""
    steps = list(zip(reply.token_ids, reply.logprobs or (), strict=False))
    if reply.finish_reason == "stop":
        steps = steps[:-1]
    return [(str(step[token].decoded_token), float(step[token].logprob)) for token, step in steps]
