"""OpenAI's models at Azure: the deployment is the model, and the environment is the official SDK's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import quote

from mmeval.errors import JudgeError
from mmeval.judge.providers._chat import Address, ChatProvider, Place, clean_key, read_address
from mmeval.judge.providers._replies import Remedies
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Identity

_KEY = "set AZURE_OPENAI_API_KEY (or AZURE_OPENAI_AD_TOKEN) to one that this resource accepts"
_MODEL = "check the deployment (--judge_model), AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION"


def open_provider(settings: JudgeSettings, model: str) -> ChatProvider:
    """A client of one deployment.

    The address is `base_url`, else AZURE_OPENAI_ENDPOINT. The key is `key`; else AZURE_OPENAI_API_KEY or the
    token AZURE_OPENAI_AD_TOKEN, where the address is the environment's. Nobody else gets them, not even other
    resources at Azure, whose names anybody may give. The version of the interface is OPENAI_API_VERSION.

    Raises:
        JudgeError: the address or the version is missing. A missing key is told when somebody is asked.
    """
    named = os.environ.get("AZURE_OPENAI_ENDPOINT") or None
    given = settings.base_url or named
    if not given:
        raise JudgeError("which Azure resource? set AZURE_OPENAI_ENDPOINT (https://NAME.openai.azure.com)")
    address = read_address(given)
    own = named is not None and read_address(named) == address
    headers, secret = _credentials(settings.key, os.environ if own else {})
    lacks = f"Azure answers nobody without a key: {_KEY}, and its address as AZURE_OPENAI_ENDPOINT"
    place = Place(
        url=_url(address, model),
        host=address.host,
        headers=headers,
        secrets=(*((secret,) if secret else ()), *address.secrets),
        remedies=Remedies(where=f"the judge at {address.base}", key=_KEY, model=_MODEL),
        timeout=settings.timeout,
        lacks=None if headers else lacks,
    )
    return ChatProvider(Identity("azure_openai", address.base, model), place)


def _credentials(given: str | None, environ: Mapping[str, str]) -> tuple[dict[str, str], str]:
    key = clean_key(given or environ.get("AZURE_OPENAI_API_KEY"), _KEY)
    if key is not None:
        return {"api-key": key}, key
    token = clean_key(environ.get("AZURE_OPENAI_AD_TOKEN"), _KEY)
    if token is not None:
        return {"Authorization": f"Bearer {token}"}, token
    return {}, ""


def _url(address: Address, model: str) -> str:
    """Of the deployment; or of the newer interface, without versions, if the address ends in `/openai/v1`."""
    version = os.environ.get("OPENAI_API_VERSION", "").strip()
    query = address.query or (f"api-version={quote(version)}" if version else "")
    if address.base.endswith("/openai/v1"):
        return f"{address.base}/chat/completions{'?' if query else ''}{query}"
    if not query:
        raise JudgeError("which version of Azure's interface? set OPENAI_API_VERSION (such as 2024-10-21)")
    base = address.base.removesuffix("/openai")
    return f"{base}/openai/deployments/{quote(model, safe='')}/chat/completions?{query}"
