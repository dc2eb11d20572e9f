"""Any server that speaks OpenAI's chat-completions protocol: OpenAI itself, vLLM, llama.cpp ..."""

from __future__ import annotations

import os

from mmeval.judge.providers._chat import Address, ChatProvider, Place, basic, clean_key, read_address
from mmeval.judge.providers._replies import Remedies
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Identity

OPENAI = "https://api.openai.com/v1"
_KEY = "set OPENAI_API_KEY to a key that this server accepts"
_MODEL = "check the model (--judge_model) and the address (--judge_base_url or OPENAI_BASE_URL)"


def open_provider(settings: JudgeSettings, model: str) -> ChatProvider:
    """A client of one model.

    The address is `base_url`, else OPENAI_BASE_URL, else OpenAI's own. The key is `key`; else OPENAI_API_KEY,
    where the address is from the environment too, or OpenAI's: nobody else gets a key by accident.

    Without a key OpenAI itself is asked nothing; that is told when it has to be.

    Raises:
        JudgeError: the address is none.
    """
    address = read_address(settings.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI)
    official = address.host == "api.openai.com"
    own = official or settings.base_url is None
    key = clean_key(settings.key or (os.environ.get("OPENAI_API_KEY") if own else None), _KEY)
    keyless = "api.openai.com answers nobody without a key: set OPENAI_API_KEY"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if key is None and address.user is not None:
        headers["Authorization"] = basic(address.user)
    query = f"?{address.query}" if address.query else ""
    place = Place(
        url=f"{address.base}/chat/completions{query}",
        host=address.host,
        headers=headers,
        secrets=(*((key,) if key else ()), *address.secrets),
        remedies=Remedies(where=f"the judge at {address.base}", key=_KEY, model=_model(address)),
        timeout=settings.timeout,
        lacks=keyless if key is None and official else None,
    )
    return ChatProvider(Identity("openai", address.base, model), place)


def _model(address: Address) -> str:
    """What to check where the server has no such model, or no such address."""
    bare = address.base.count("/") == 2
    return f"{_MODEL}; most servers answer below /v1: {address.base}/v1" if bare else _MODEL
