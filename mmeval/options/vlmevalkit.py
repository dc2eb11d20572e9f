"""Option letters as VLMEvalKit infers them without a judge: the release on PyPI.

Source: open-compass/VLMEvalKit `vlmeval/utils/matching_util.py` (`can_infer`), PyPI `ms-vlmeval` 0.0.20.
Rules in upstream's order, the first that reads something wins:

1. a recorded API failure has no letter (the text rule still runs on it);
2. four refusal sentences read as `Z`, which is wrong for every gold;
3. exactly one option letter stands as a token, and its first occurrence is among the last four tokens;
   tokens are set apart by white space and 13 marks, so `B`, "B" in quotes or back-ticks,
   <answer>B</answer> and B/C hide it;
4. no option letter, but the token `Z`: reads as `Z`;
5. the text of exactly one option occurs in the reply, case aside, as a mere substring; only where the
   reply is at most twice as long as all option texts together.

Traps: the article "A" is option A ("A red apple"); "Not sure" is option B of {A: Yes, B: No}; an option
whose text is empty occurs in every reply. Upstream's guard against "A" as an article is off unless the
environment variable VERBOSE is set; `vlmevalkit-verbose` is the rule with it. Where a judge fails upstream
draws a letter; here nothing is drawn. Without option texts the text rule is silent.

`exact` reads only a reply that is the letter alone, with the 13 marks around it at most.
"""

from __future__ import annotations

from functools import lru_cache

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Options, Sample, Span

FAILURE = "Failed to obtain answer via API"
"""What VLMEvalKit records where the model could not be reached."""

REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
"""The refusals that upstream knows (facts of matching_util.py)."""

_MARKS = ".()[],:;!*#{}"
_TO_SPACE = str.maketrans(_MARKS, " " * len(_MARKS))
_TAIL = 4
_BARE = 3
_REFUSED = Found("Z", "refusal")
_API_FAILURE = Found(None, "api-failure")


def _token_span(spaced: str, token: str) -> Span | None:
    """Where the first occurrence of a token lies in a text whose tokens are set apart by white space."""
    size, at = len(token), spaced.find(token)
    while at >= 0:
        end = at + size
        if (at == 0 or spaced[at - 1].isspace()) and (end == len(spaced) or spaced[end].isspace()):
            return at, end
        at = spaced.find(token, end)
    return None


def read_token(text: str, labels: tuple[str, ...], guard: bool = False) -> Found:
    """Rules 3 and 4: the one option letter among the tokens, if it comes late enough.

    With `guard` a token A in more than three is an article, and nothing is read from the tokens.
    """
    spaced = text.translate(_TO_SPACE)
    tokens = spaced.split()
    known = set(tokens)
    present = [label for label in labels if label in known]
    if len(present) > 1:
        return Found(None, "two-options-found")
    if not present:
        return Found("Z", "letter-z") if "Z" in known else Found(None, "no-option-found")
    label = present[0]
    if guard and "A" in known and len(tokens) > _BARE:
        return Found(None, "perhaps-an-article")
    if tokens.index(label) < len(tokens) - _TAIL:
        return Found(None, "option-too-early")
    return Found(label, "late-token", _token_span(spaced, label))


@lru_cache(maxsize=2048)
def _folded_texts(texts: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The option texts in lower case, and the longest reply that the text rule reads."""
    return tuple(text.lower() for text in texts), 2 * sum(map(len, texts))


def read_text(text: str, options: Options) -> Found:
    """Rule 5: the one option whose text occurs in a reply that is short enough."""
    if not options.texts:
        return Found(None, "no-option-found")
    texts, longest = _folded_texts(options.texts)
    lowered = text.lower()
    if len(lowered) > longest:
        return Found(None, "no-option-found")
    present = [at for at, option in enumerate(texts) if option in lowered]
    if len(present) != 1:
        return Found(None, "two-options-found" if present else "no-option-found")
    at = present[0]
    start = lowered.find(texts[at])
    span = (start, start + len(texts[at])) if len(lowered) == len(text) else None
    return Found(options.labels[at], "option-text", span)


def first_rules(text: str, options: Options, guard: bool = False) -> Found:
    """Rules 1 to 4; `guard` as in `read_token`."""
    if FAILURE in text:
        return _API_FAILURE
    for refusal in REFUSALS:
        if refusal in text:
            return _REFUSED
    return read_token(text, options.labels, guard)


def graded(found: Found, sample: Sample) -> Reading:
    """A letter is right if it is the gold as written, upper and lower case told apart."""
    return Reading(found, None if found.value is None else found.value in sample.references)


def read(prediction: str, options: Options, guard: bool = False) -> Found:
    """Rules 1 to 5; `guard` as in `read_token`."""
    found = first_rules(prediction, options, guard)
    if found.value is not None:
        return found
    by_text = read_text(prediction, options)
    return by_text if by_text.value is not None else found


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rules 1 to 5 on the whole reply."""
    return graded(read(prediction, sample.options), sample)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The letter alone."""
    spaced = prediction.translate(_TO_SPACE)
    label = spaced.strip()
    if label not in sample.options.labels:
        return Reading(Found(None, "not-a-lone-option"))
    return graded(Found(label, "lone-option", _token_span(spaced, label)), sample)


RULES = RuleSet("vlmevalkit", exact, rule)
