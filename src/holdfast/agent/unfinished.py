"""An unfinished turn, described for whoever comes back to it."""

from collections.abc import AsyncIterator, Mapping

from holdfast.records.entries import Entry, ModelReplied, ToolFinished, TurnEnded, UserSaid
from holdfast.records.parts import Value, plain_text
from holdfast.session.recovery import MAY_HAVE_RUN
from holdfast.session.state import SessionState, on_path
from holdfast.session.writer import Session

FAR = 2_000
"""How many entries back the beginning of the turn is looked for."""
_HOW: Mapping[str, str] = {
    "cancelled": "was stopped",
    "interrupted": "was broken off",
    "failed": "failed",
    "limit": "reached a limit",
}


class UnfinishedTurn(Value, frozen=True, kw_only=True):
    """What a turn had come to when it ended, or its process did."""

    said: str = ""
    """What a person had said."""
    steps: int = 0
    """Replies of the model in it."""
    begun: tuple[str, ...] = ()
    """Tools that were running: they may have done something."""
    waiting: tuple[str, ...] = ()
    """Tools that had not begun."""
    partial: str = ""
    """What had been shown of the reply that broke off."""
    queued: int = 0
    """Messages that wait for the end of the turn."""
    how: str = _HOW["interrupted"]
    """How it ended, in words."""
    note: str = ""
    """What is known of why."""

    @property
    def text(self) -> str:
        """In one line."""
        where = f"in step {max(1, self.steps)}" if self.steps or self.partial else "before the model answered"
        tools = f", while {', '.join(self.begun)} ran (it may have done something)" if self.begun else ""
        part = ", within a reply; what was shown of it is kept" if self.partial else ""
        why = f": {' '.join(self.note.split()).removesuffix('.')}" if self.note else ""
        more = f" {self.queued} more message{'s wait' if self.queued > 1 else ' waits'}." if self.queued else ""
        return f"The last turn {self.how} {where}{tools}{part}{why}.{more}"


def given_up(state: SessionState, entry: UserSaid) -> tuple[TurnEnded, ...]:
    """The end of a turn that broke off and is not gone on with, because something else is said instead."""
    resent = entry.client_id is not None and any(each.client_id == entry.client_id for each in state.said)
    return () if resent or not state.in_turn else (TurnEnded(why="interrupted"),)


async def unfinished_turn(session: Session) -> UnfinishedTurn | None:
    """The turn that is not over although nobody works on it; None if all is said and done."""
    state = session.state
    if not state.in_turn:
        return None
    said, partial, newest, ended = "", "", True, False
    async for entry in _newest_first(session):
        if isinstance(entry, ModelReplied) and newest:
            newest, partial = False, plain_text(entry.parts) if entry.stop == "interrupted" else ""
        elif isinstance(entry, UserSaid):
            # What waited for the end of the last turn stands before that end, and began this one.
            said = plain_text(entry.parts)
            if entry.enters == "now" or ended:
                break
        ended = ended or isinstance(entry, TurnEnded)
    return UnfinishedTurn(
        said=said,
        steps=state.steps,
        begun=tuple(call.name for call in state.open_calls if call.started),
        waiting=tuple(call.name for call in state.open_calls if not call.started),
        partial=partial,
        queued=len(state.queued),
    )


async def unanswered_turn(session: Session) -> UnfinishedTurn | None:
    """The last turn, if it is over and has no answer: it was stopped, it failed, or it reached a limit."""
    ended, replies, begun = None, list[ModelReplied](), list[str]()
    async for entry in _newest_first(session):
        if isinstance(entry, TurnEnded):
            if ended is not None:
                break
            ended = entry
        elif ended is None and isinstance(entry, UserSaid | ModelReplied):
            return None
        elif isinstance(entry, ModelReplied):
            replies.append(entry)
        elif isinstance(entry, ToolFinished) and plain_text(entry.parts).startswith(MAY_HAVE_RUN):
            begun.append(entry.name)
        elif isinstance(entry, UserSaid) and entry.enters == "now":
            break
    if ended is None or ended.why == "answered":
        return None
    cut = bool(replies) and replies[0].stop in {"cancelled", "interrupted"}
    return UnfinishedTurn(
        steps=len(replies),
        begun=tuple(reversed(begun)),
        partial=plain_text(replies[0].parts) if cut else "",
        how=_HOW[ended.why],
        note=ended.note,
    )


async def _newest_first(session: Session) -> AsyncIterator[Entry]:
    """The entries of the conversation as it is now, back from its end, not for ever."""
    state, seen = session.state, 0
    path = state.path
    async for record in session.read_back(before=state.head + 1):
        seen += 1
        if seen > FAR:
            return
        if on_path(record.pos, path):
            yield record.entry
