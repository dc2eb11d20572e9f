"""Conversations as harnesses record them: a list of messages, each with a role and a content of pieces."""

from __future__ import annotations

from mmeval.types import Json

_MEDIA = ("image", "video", "audio", "image_url", "url", "path")


def asked(given: Json) -> tuple[str, list[Json]]:
    """What the user said, as one text, and the media that were shown (paths, addresses, data URLs).

    Args:
        given: a text, a list of texts, or a list of messages; other roles than the user's are left out.
    """
    if isinstance(given, str):
        return given, []
    texts: list[str] = []
    media: list[Json] = []
    for message in given if isinstance(given, list) else []:
        if isinstance(message, str):
            texts.append(message)
        elif isinstance(message, dict) and message.get("role", "user") == "user":
            content = message.get("content")
            for piece in content if isinstance(content, list) else [content]:
                _add(piece, texts, media)
    return "\n\n".join(texts), media


def said(content: Json) -> str | None:
    """The text of an answer: a text, or the pieces that are text (reasoning is none); None without any."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    pieces = [
        piece.get("text") for piece in content if isinstance(piece, dict) and piece.get("type") == "text"
    ]
    return "\n".join(piece for piece in pieces if isinstance(piece, str))


def answered(output: Json) -> str | None:
    """The first choice of a model's output; None where there is none."""
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return said(message.get("content")) if isinstance(message, dict) else None


def _add(piece: Json, texts: list[str], media: list[Json]) -> None:
    if isinstance(piece, str):
        texts.append(piece)
    elif isinstance(piece, dict) and isinstance(piece.get("text"), str):
        texts.append(piece["text"])
    elif isinstance(piece, dict):
        found = (piece.get(key) for key in _MEDIA)
        inner = [each.get("url") if isinstance(each, dict) else each for each in found]
        media += [each for each in inner if isinstance(each, str)]
