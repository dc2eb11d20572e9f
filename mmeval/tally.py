"""What the judging of a run came to, counted from its verdicts."""

from __future__ import annotations

from mmeval.types import Call, Json, Pass, Verdict

RULES_ONLY = "rules-only"
TIED = "judges-tied"


class Tally:
    """What the judging of a run came to; made of its verdicts alone, so that no order and no cache shows.

    Attributes:
        asked: rows that went to a stage which asks.
        unasked: those of them that needed no reply: an empty prediction, an input that is missing.
        undecided: those that stay open, since nobody is to be asked.
        tied: those on which the judges were tied.
        replies: that counted.
        failures: rows, by why they failed.
    """

    def __init__(self) -> None:
        self.asked = 0
        self.unasked = 0
        self.undecided = 0
        self.tied = 0
        self.replies = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.failures: dict[str, int] = {}
        self.models: dict[str, set[str]] = {}
        self.prompts: set[str] = set()
        self.tokens: dict[str, list[int]] = {}

    def add(self, *verdicts: Verdict) -> None:
        """Count a row, by the verdicts on those of its predictions that went to the judge."""
        self.asked += 1
        failed = next((each.reason or "unknown" for each in verdicts if each.status == "llm_error"), None)
        if failed is not None:
            self.failures[failed] = self.failures.get(failed, 0) + 1
        self.undecided += any(each.decided_by is None and _passed(each, RULES_ONLY) for each in verdicts)
        self.tied += any(_passed(each, TIED) for each in verdicts)
        calls = [call for each in verdicts for step in each.trace for call in step.judge]
        self.unasked += failed is None and not calls
        for call in calls:
            self._add_call(call)

    def _add_call(self, call: Call) -> None:
        self.replies += 1
        self.prompts.add(call.prompt)
        self.models.setdefault(call.asked, set()).add(call.model or call.asked)
        spent = (call.prompt_tokens or 0, call.completion_tokens or 0)
        self.prompt_tokens += spent[0]
        self.completion_tokens += spent[1]
        seat = self.tokens.setdefault(call.asked, [0, 0])
        seat[0] += spent[0]
        seat[1] += spent[1]

    @property
    def answered(self) -> list[str]:
        """The models that say they answered, sorted."""
        return sorted(set().union(*self.models.values())) if self.models else []

    def summary(self, cost: float | None) -> dict[str, Json]:
        """As the score file has it; the cost is that of these replies, paid now or before."""
        return {
            "asked": self.asked,
            **({"tied": self.tied} if self.tied else {}),
            "replies": self.replies,
            "failures": dict(sorted(self.failures.items())),
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost_usd": cost,
        }


def _passed(verdict: Verdict, reason: str) -> bool:
    """Whether a stage passed for this reason; the verdict has that of the stage which read something."""
    return any(isinstance(step.outcome, Pass) and step.outcome.reason == reason for step in verdict.trace)
