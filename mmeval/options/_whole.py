"""Answers that are nothing else: a label, a set of labels, a label with its option's text, such a text."""

from __future__ import annotations

from mmeval.options._cues import further
from mmeval.options._scan import Reply
from mmeval.options._settle import asks_for_several, set_of
from mmeval.types import Found

_NOUNS = ("", "选项", "项", "選項", "です", "입니다")
"""What may follow a label that is the whole answer: "B选项"."""


def whole(reply: Reply) -> Found | None:
    """A content that is one label, a set of labels, a label with an option's text, or an option's text."""
    for reader in (_whole_label, _whole_set, _whole_pair, _whole_text):
        found = reader(reply)
        if found is not None:
            return found
    return None


def _whole_label(reply: Reply) -> Found | None:
    start, end = reply.start, reply.end
    if end - start > 24:
        return None
    label = reply.alphabet.anchor.match(reply.text, start, end)
    if label is None or reply.text[label.end() : end].strip(" .,:;!*。，\n\t") not in _NOUNS:
        return None
    value = label["label"].upper()
    if label["label"].islower() and value not in reply.texts.of_letter(label["label"]):
        return Found(None, "letter-text-conflict", label.span("label"))
    return Found(value, "bare-label", label.span("label"))


def _whole_set(reply: Reply) -> Found | None:
    """Reads "A, C", "A and C", and "AC" where the options are known and the sample asks for several."""
    text = reply.text[reply.start : reply.end].strip(" .")
    if len(text) > 120:
        return None
    span = (reply.start, reply.end)
    first = reply.alphabet.anchor.match(reply.text, reply.start, reply.end)
    if first is not None:
        more, end = further(reply, first.end())
        if more and reply.texts.labels_of(text):
            return None
        if more and not reply.text[end : reply.end].strip(" .,;!)*"):
            return set_of(reply, (first["label"].upper(), *more), span)
    compact = reply.alphabet.compact
    if (
        compact is None
        or not reply.sample.options.parsed
        or not compact.fullmatch(text)
        or len(set(text)) < len(text)
    ):
        return None
    return (
        None
        if reply.texts.labels_of(text) or not asks_for_several(reply)
        else set_of(reply, tuple(text.upper()), span)
    )


def _whole_pair(reply: Reply) -> Found | None:
    """Reads "B. dog": a label and the text of an option, which must be the same one."""
    lead = reply.alphabet.lead.match(reply.text, reply.start, reply.end)
    if lead is None:
        return _whole_lower_pair(reply)
    named = reply.texts.labels_of(reply.text[lead.end() : reply.end])
    if not named or (not lead["mark"] and lead["label"] not in named):
        return None
    if reply.texts.labels_of(reply.text[reply.start : reply.end]):
        return None
    agrees = lead["label"] in named
    return Found(
        lead["label"] if agrees else None,
        "label-and-text" if agrees else "letter-text-conflict",
        lead.span("label"),
    )


def _whole_lower_pair(reply: Reply) -> Found | None:
    """Reads "(b) dog": a bracketed lower-case label counts only with its own text."""
    label = reply.alphabet.lower_lead.match(reply.text, reply.start, reply.end)
    if label is None:
        return None
    named = reply.texts.labels_of(reply.text[label.end() : reply.end])
    name = label["label"].upper()
    return Found(name, "label-and-text", label.span("label")) if name in named else None


def _whole_text(reply: Reply) -> Found | None:
    named = reply.texts.labels_of(reply.text[reply.start : reply.end])
    if not named:
        return None
    one = len(named) == 1
    return Found(
        named[0] if one else None,
        "option-text" if one else "duplicate-option-texts",
        (reply.start, reply.end),
    )
