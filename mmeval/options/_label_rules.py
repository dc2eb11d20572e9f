"""The rules that read a label out of prose, each a small function; `mmeval.options.robust` has them in order.

A rule takes the reply and all that was explicitly said in it, and returns what it read, why nothing may be
read, or None where it has nothing to say.
"""

from __future__ import annotations

import re
from itertools import pairwise

from msgspec import structs

from mmeval.options import _vocabulary as words
from mmeval.options._cues import Commitment, further, lists, past_text
from mmeval.options._scan import Mark, Reply, hits, holds, marks, present
from mmeval.options._settle import TWO, commits, rejected_labels, settled, skip
from mmeval.types import Found

_MOST_LINES = 64
_NEAR = 24
_LIST_BEFORE = re.compile(r"\(?\b[A-Z]\)?(?:,\s*(?:and|or)?|\s+(?:and|or))\s+\Z")
_BREAK = re.compile(r"\s*(?:\n|\Z|\s-)")
_COMMA = re.compile(r"[,，]\s")
_SMALL = re.compile(r"\s?[,，]\s?(?:(?:and|or)\s)?(?P<label>[a-z])\s?(?=[,，.]|\s(?:and|or)\b|\Z)")


def by_cue(reply: Reply, said: list[Commitment]) -> Found | None:
    """The last explicit commitment wins over every position ("Note that A is a common distractor")."""
    letters = [one for one in said if commits(one)]
    if not letters:
        return None
    last = letters[-1]
    if _contradict(reply, letters):
        return Found(None, TWO, last.span)
    label = last.labels[0]
    for one in said:
        if one.span[0] > last.end and len(last.labels) == 1:
            if not one.positive and label in one.labels:
                return Found(None, "withdrawn", last.span)
            if one.positive and label not in one.labels:
                return Found(None, "letter-text-conflict" if one.rule.endswith("-text") else TWO, last.span)
    return settled(reply, last)


def _contradict(reply: Reply, letters: list[Commitment]) -> bool:
    """Whether "the answer is" is said of different labels and nothing said between revises the first.

    Such a reply answers several questions, or none.
    """
    if len({one.labels for one in letters}) < 2:
        return False
    answers = [one for one in letters if "answer" in reply.lowered[max(0, one.span[0] - _NEAR) : one.span[0]]]
    for one, other in pairwise(answers):
        between = reply.text[one.span[1] : other.span[0]]
        if one.labels != other.labels and not words.REVISED.search(between):
            return True
    return False


def by_declaration(reply: Reply, said: list[Commitment]) -> Found | None:
    """Reads "Option B is correct": said of exactly one option."""
    right = [one for one in said if one.positive and one.rule == "declared-right"]
    distinct = {one.labels for one in right}
    if len(distinct) != 1:
        return None
    last = right[-1]
    after = [one for one in said if one.span[0] > last.end and not one.positive and one.labels == last.labels]
    return Found(None, "withdrawn", last.span) if after else settled(reply, last)


def by_line(reply: Reply, said: list[Commitment]) -> Found | None:
    """A label that begins the reply or a line of its own, or a closing line after a list."""
    lead = _lead(reply)
    lines = reply.lines
    first = reply.alphabet.lead.match(reply.text, reply.start, reply.end)
    if (
        first is not None
        and not reply.several
        and (further(reply, first.end())[0] or _lists_on(reply, first.end("label")))
    ):
        return Found(None, TWO, first.span("label"))
    distinct = {line["label"] for line in lines}
    if lead is not None:
        distinct.add(lead["label"])
    if len(distinct) == 1:
        one = lead or lines[0]
        if (
            one["label"] in rejected_labels(said)
            or (lead is None and (one["label"] == "I" or _is_speech(reply, one)))
            or _restates(reply, one)
        ):
            return None
        return settled(reply, _commitment(one, "lead-label" if lead else "own-line"))
    if len(distinct) > 1 and len(lines) > 1 and not _continues(reply, lines[-2]["label"], lines[-1]["label"]):
        return settled(reply, _commitment(lines[-1], "closing-line"))
    return None


def _lists_on(reply: Reply, at: int) -> bool:
    """Whether a list of labels goes on in small letters: "A, b, c"."""
    small = _SMALL.match(reply.text, at, reply.end)
    return small is not None and small["label"].upper() in reply.alphabet.labels


def _commitment(match: re.Match[str], name: str) -> Commitment:
    return Commitment((match["label"],), name, match.span("label"), match.end())


def _continues(reply: Reply, one: str, other: str) -> bool:
    """Whether a label follows another in the order of the options, as in a list."""
    labels = reply.alphabet.labels
    return labels.index(other) == labels.index(one) + 1


def _lead(reply: Reply) -> re.Match[str] | None:
    """The label that a reply begins with, if it stands there as one."""
    lead = reply.alphabet.lead.match(reply.text, reply.start, reply.end)
    if lead is None or further(reply, lead.end("label"))[0]:
        return None
    mark = lead["mark"]
    if mark == ":" and lead["label"] == "A" and _is_speech(reply, lead):
        return None
    if lead["label"] != "I" and _COMMA.match(reply.text, lead.end(), reply.end):
        return lead
    if reply.alphabet.numeric or not mark.strip("*_\"'`"):
        text = reply.texts.at(reply.lowered, skip(reply, lead.end()), reply.end)
        if text is not None and lead["label"] in text.labels:
            return lead
        marked = mark and not reply.alphabet.numeric
        return lead if marked or _BREAK.match(reply.text, lead.end(), reply.end) else None
    return lead


def _is_speech(reply: Reply, lead: re.Match[str]) -> bool:
    """Whether "A:" stands for "answer", as it may where the option's own text does not follow."""
    known = bool(reply.texts.same) and lead[0].strip() == "A:"
    return known and past_text(reply, "A", lead.end()) == lead.end()


def by_elimination(reply: Reply, said: list[Commitment]) -> Found | None:
    """All known options but one are rejected, and the question asks for one."""
    labels, out = reply.alphabet.labels, rejected_labels(said)
    left = [label for label in labels if label not in out]
    if not reply.sample.options.parsed or len(labels) < 3 or len(left) != 1 or reply.several:
        return None
    last = max((one for one in said if not one.positive), key=lambda one: one.span)
    return Found(left[0], "by-elimination", last.span)


def _restates(reply: Reply, line: re.Match[str]) -> bool:
    """Whether the line goes on with the next label and its own text: the options, not an answer."""
    labels = reply.alphabet.labels
    at = labels.index(line["label"]) + 1
    end = reply.text.find("\n", line.end(), reply.end)
    for token in reply.alphabet.token.finditer(reply.text, line.end(), end if end >= 0 else reply.end):
        if at < len(labels) and token[0] == labels[at]:
            text = reply.texts.at(reply.lowered, skip(reply, token.end()), reply.end)
            if text is not None and token[0] in text.labels:
                return True
    return False


def by_box(reply: Reply) -> Found | None:
    r"""Reads `\boxed{\text{(B) } 12}`: a box that begins with the one label it has in brackets."""
    label = reply.alphabet.anchor.match(reply.text, reply.start, reply.end)
    if label is None or "(" not in label["pre"] or ")" not in label["post"]:
        return None
    name = label["label"].upper()
    if any(one.label != name for one in marks(reply)):
        return Found(None, TWO, label.span("label"))
    return settled(reply, Commitment((name,), "boxed", label.span("label"), label.end()))


def by_closing_label(reply: Reply, said: list[Commitment]) -> Found | None:
    """A label that is all of the last line or sentence (below a blank line, or after a full stop)."""
    start = max(reply.start, reply.end - 40)
    closing = reply.alphabet.closing.search(reply.text, start, reply.end)
    if closing is None or closing["label"] in rejected_labels(said) - {closing["label"]}:
        return None
    before = reply.text[max(reply.start, closing.start() - 24) : closing.start()]
    listed = closing[0][0] in ",，" and reply.alphabet.token.match(before[-1:])
    if listed or (closing[0][0] in "ibw" and (closing["label"] == "I" or words.BEFORE_NOT.search(before))):
        return None
    if _offered(reply, before, closing["label"]):
        return Found(None, TWO, closing.span("label"))
    return settled(reply, _commitment(closing, "closing-label"))


def _offered(reply: Reply, before: str, label: str) -> bool:
    """Whether a label that "could be" stands beside another: "it could be B or it could be D"."""
    others = [
        other
        for other in reply.alphabet.token.finditer(reply.text, reply.start, reply.end)
        if other[0] != label
    ]
    if words.OR_IT.search(before):
        return bool(others)
    return words.POSSIBLY.search(before) is not None and any(
        words.POSSIBLY_BE.search(reply.text[max(reply.start, other.start() - 24) : other.start()])
        for other in others
    )


def by_option_verdicts(reply: Reply, said: list[Commitment]) -> Found | None:
    """Reads "Option A: ... Incorrect. Option B: ... Correct.", where one is right."""
    lines = reply.lines[:_MOST_LINES]
    if len(lines) < 2 or reply.alphabet.numeric:
        return None
    ends = [line.start() for line in lines[1:]] + [reply.end]
    right, wrong = [], 0
    for line, end in zip(lines, ends, strict=True):
        verdicts = list(words.JUDGED.finditer(reply.text, line.end(), end))
        if verdicts and verdicts[-1]["right"]:
            right.append(line)
        wrong += bool(verdicts and not verdicts[-1]["right"])
    return settled(reply, _commitment(right[0], "judged-right")) if len(right) == 1 and wrong else None


def _open_marks(reply: Reply, said: list[Commitment]) -> list[Mark]:
    """The labels that are marked as such and not rejected.

    Where the options are not known, the label of a thing shown ("point B") is marked too.
    """
    rejected = rejected_labels(said)
    return [
        mark for mark in marks(reply, things=not reply.sample.options.parsed) if mark.label not in rejected
    ]


def _only(reply: Reply, found: list[Mark], name: str) -> Found | None:
    """The one label of these marks, if it is one."""
    if len({mark.label for mark in found}) != 1 or any(
        further(reply, mark.end, mark.label)[0] or lists(reply, mark.label, mark.end) for mark in found
    ):
        return None
    last = found[-1]
    return settled(reply, Commitment((last.label,), name, (last.start, last.end), last.end))


def by_mark(reply: Reply, said: list[Commitment]) -> Found | None:
    """Labels that are marked as such: what fits one, what one does best, or the only one there is."""
    found = _open_marks(reply, said)
    return (_fits(reply, found) or _best(reply, found) or _sole(reply, found)) if found else None


def _fits(reply: Reply, found: list[Mark]) -> Found | None:
    """Reads "This matches option B", "the one most alike is (C)": something fits a marked label."""
    text, start = reply.text, reply.start
    fit = [
        one
        for one in found
        if words.BEFORE_FIT.search(text[max(start, one.start - 40) : one.start]) and not _heads(reply, one)
    ]
    return _only(reply, fit, "fits")


def _heads(reply: Reply, one: Mark) -> bool:
    """Whether a label heads a line of its own that says something of it ("Box A: ...")."""
    line = reply.text[reply.text.rfind("\n", reply.start, one.start) + 1 : one.start]
    return reply.text.startswith(":", one.end) and not line.strip(" *#-")


def _best(reply: Reply, found: list[Mark]) -> Found | None:
    """Reads "The third image (B) is most similar": a marked label said to do better than the others.

    "(C) is most similar to the first image (A)" labels the things shown, what is asked about among them, and
    need not use the options' labels: nothing is read.
    """
    best = []
    near = present(reply, words.BETTER_STEMS)
    for mark in found:
        better = words.BETTER.match(reply.text, mark.end, reply.end) if holds(reply, mark.end, near) else None
        compared = words.COMPARED.match(reply.text, better.end(), reply.end) if better else None
        if compared and reply.alphabet.token.match(reply.text, compared.end() + 1, reply.end):
            return Found(None, "labels-name-things", (mark.start, mark.end))
        if better and not _LIST_BEFORE.search(reply.text[max(reply.start, mark.start - 12) : mark.start]):
            best.append(mark)
    if best and any(True for _ in hits(structs.replace(reply, start=best[-1].end), words.UNDECIDED)):
        return None
    return _only(reply, best, "declared-best")


def by_subject(reply: Reply, said: list[Commitment]) -> Found | None:
    """Reads "Point A is closer": a reply that begins by comparing one thing, where things bear the labels.

    They do where the options are not known, or have no other texts than their labels.
    """
    options = reply.sample.options
    if options.parsed and options.texts != options.labels:
        return None
    first = reply.alphabet.subject.match(reply.text, reply.start, reply.end)
    if first is None or refuses(reply) or first["label"] in rejected_labels(said):
        return None
    others = (one for one in reply.alphabet.subject.finditer(reply.text, first.end(), reply.end))
    if any(one["more"] == first["more"] and one["label"] != first["label"] for one in others):
        return Found(None, TWO, first.span("label"))
    return settled(reply, Commitment((first["label"],), "subject", first.span("label"), first.end()))


def _sole(reply: Reply, found: list[Mark]) -> Found | None:
    """The one label that is marked as such anywhere in the reply and not rejected."""
    sole = [mark for mark in found if mark.label != "I"]
    return None if not sole or refuses(reply) else _only(reply, sole, "sole-label")


def refuses(reply: Reply) -> bool:
    return any(True for _ in hits(reply, words.REFUSAL))
