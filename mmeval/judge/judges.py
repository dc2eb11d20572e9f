"""The judges of one call of mmeval, whoever sets them up: flags, configuration files, the environment."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from mmeval.judge.session import Judging, Session
    from mmeval.judge.settings import JudgeSettings

# Settings that say who is asked or how.
ASKING = {
    "provider": "--judge_provider",
    "models": "--judge_model",
    "base_url": "--judge_base_url",
    "config": "--judge_config",
    "prompt": "--judge_prompt",
    "replies": "--judge_replies",
    "batch": "--judge_batch",
}


class Judges:
    """One session for all runs that are set up alike.

    `mmeval.judge.configuration.Flags` says what may be given.

    with Judges(models=("gpt-4o",), max_cost=1.0) as judges:
        score("runs/a/result.json", Job(judge=judges))
    """

    def __init__(self, **given: Any) -> None:
        self._given = given
        self._sessions: dict[JudgeSettings, Session] = {}

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Every session that was needed."""
        return tuple(self._sessions.values())

    @property
    def interrupted(self) -> bool:
        """Whether the user has stopped the judging."""
        return any(session.interrupted for session in self.sessions)

    def __call__(self, folder: Path) -> Judging:
        """The judge of a run in this folder.

        Raises:
            UsageError: a setting that cannot be.
        """
        from mmeval.judge.configuration import Flags, settings_from
        from mmeval.judge.session import Judging, Session

        configured = settings_from(Flags(**self._given), folder, os.environ)
        settings = configured.settings
        if settings not in self._sessions:
            self._sessions[settings] = Session(settings, partial(self._spent_besides, settings))
        return Judging(self._sessions[settings], configured.sources, configured.notes, configured.score_mode)

    def check(self) -> None:
        """Refuse settings that cannot be, before any run is looked at.

        Raises:
            UsageError: one of the flags, or the configuration that they name, cannot be used.
        """
        if any(value not in (None, False) for value in self._given.values()):
            from mmeval.judge.configuration import Flags, settings_from

            settings_from(Flags(**self._given), None, os.environ)

    def _spent_besides(self, settings: JudgeSettings) -> float:
        """US dollars that the other sessions have spent: one limit holds for all of them together."""
        if self._given.get("max_cost") is None:
            return 0.0
        return sum(session.cost for key, session in self._sessions.items() if key != settings)

    def remarks(self, scored: bool) -> list[str]:
        """What is to be said when all runs are done: what was paid, or that nobody was needed."""
        asking = [flag for name, flag in ASKING.items() if self._given.get(name) is not None]
        if asking and scored and not self._sessions:
            return [f"note: {asking[0]} has no effect: no stage of these runs asks a judge"]
        return [text for session in self.sessions if (text := session.spent())]

    def __enter__(self) -> Self:
        """Nothing to do yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of all sessions."""
        for session in self.sessions:
            session.close()
