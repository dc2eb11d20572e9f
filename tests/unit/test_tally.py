"""What the judging of a run came to, by its verdicts."""

from __future__ import annotations

import pytest

from mmeval.tally import Tally
from mmeval.types import Failed, Outcome, Pass, Score, Step, Verdict

READ = Pass("whole-answer-is-not-the-gold", "a cat")


def verdict(*outcomes: Outcome, decided_by: str | None = None, status: str = "ok") -> Verdict:
    """A verdict with this trace; its reason is that of the stage which read something, as in a pipeline."""
    trace = tuple(Step(f"stage-{number}", 1, outcome) for number, outcome in enumerate(outcomes))
    reason = next((each.reason for each in outcomes if isinstance(each, Pass) and each.extracted), None)
    return Verdict(0.0, status, decided_by, reason, None, None, None, trace)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "undecided", "tied"),
    [
        pytest.param(verdict(Pass("rules-only")), 1, 0, id="nobody-asked"),
        pytest.param(verdict(READ, Pass("rules-only")), 1, 0, id="nobody-asked-but-a-rule-read-something"),
        pytest.param(
            verdict(Pass("rules-only"), Score(1.0), decided_by="stage-1"), 0, 0, id="settled-behind-it"
        ),
        pytest.param(verdict(READ, Pass("judges-tied")), 0, 1, id="tied"),
        pytest.param(verdict(READ, Score(1.0), decided_by="stage-1"), 0, 0, id="decided"),
        pytest.param(verdict(Failed("no-judge", "llm_error"), status="llm_error"), 0, 0, id="failed"),
    ],
)
def test_what_stays_open_is_counted_by_the_trace(made: Verdict, undecided: int, tied: int) -> None:
    tally = Tally()
    tally.add(made)
    assert (tally.asked, tally.undecided, tally.tied) == (1, undecided, tied)
    assert ("tied" in tally.summary(None)) is bool(tied)


def test_a_row_counts_once_whatever_its_predictions() -> None:
    tally = Tally()
    tally.add(*[verdict(READ, Pass("rules-only"))] * 3)
    assert (tally.asked, tally.undecided) == (1, 1)
