"""Whether a turn runs in a session, since when, and what it waits for: followed through the events of a viewer."""

from holdfast.agent.events import Answered, Appended, Asked, Event, TurnBegan, TurnOver
from holdfast.agent.snapshot import Snapshot
from holdfast.hosts.gateway.rows import goal_shown, time_text, wakes_at
from holdfast.records.entries import ModelReplied, ToolFinished, ToolStarted, TurnEnded, UserSaid
from holdfast.remote.server_frames import RunStatusFrame
from holdfast.session.state import fold

_AT_WORK = (UserSaid, ModelReplied, ToolStarted, ToolFinished, TurnEnded)
"""Entries of who works in a session; others may be written where nothing runs."""


class RunStatus:
    """The run status of one session, as its last frame said it."""

    def __init__(self, session: str, found: Snapshot) -> None:
        """Begin with what the viewer was told at first."""
        self._session, self._state, self._running = session, found.state, found.running
        self._questions = {each.id for each in found.questions}
        self._told = self.frame()

    def frame(self) -> RunStatusFrame:
        """What is so now."""
        return RunStatusFrame(
            session=self._session,
            running=self._running,
            since=time_text(self._state.since) if self._running else None,
            questions=len(self._questions),
            wakes_at=wakes_at(self._state),
            goal_state=goal_shown(self._state),
        )

    def after(self, event: Event) -> RunStatusFrame | None:
        """The frame to send after an event; None where nothing changed."""
        match event:
            case Appended(record=record):
                if record.pos <= self._state.last:
                    return None
                self._state = fold(self._state, record)
                if isinstance(record.entry, _AT_WORK):
                    self._running = self._state.in_turn
            case TurnBegan():
                self._running = True
            case TurnOver():
                self._running = False
            case Asked(question=question):
                self._questions.add(question.id)
            case Answered():
                self._questions.discard(event.id)
            case _:
                return None
        now = self.frame()
        if now == self._told:
            return None
        self._told = now
        return now
