"""A turn that was broken off, in words for whoever comes back to it."""

from holdfast.records.entries import ModelReplied, TurnEnded, UserSaid
from holdfast.records.parts import Value, plain_text
from holdfast.session.state import on_path
from holdfast.session.writer import Session

FAR = 2_000
"""How many entries back the beginning of the turn is looked for."""


class Broken(Value, frozen=True, kw_only=True):
    """What a turn had come to when its process ended."""

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

    @property
    def text(self) -> str:
        """In one line."""
        where = f"in step {max(1, self.steps)}" if self.steps or self.partial else "before the model answered"
        tools = f", while {', '.join(self.begun)} ran (it may have done something)" if self.begun else ""
        part = ", within a reply; what was shown of it is kept" if self.partial else ""
        more = f" {self.queued} more message{'s wait' if self.queued > 1 else ' waits'}." if self.queued else ""
        return f"The last turn was broken off {where}{tools}{part}.{more}"


async def broken_turn(session: Session) -> Broken | None:
    """The turn that is not over although nobody works on it; None if all is said and done."""
    state = session.state
    if not state.in_turn:
        return None
    said, partial, seen, newest, ended = "", "", 0, True, False
    async for record in session.read_back(before=state.head + 1):
        entry = record.entry
        seen += 1
        if seen > FAR:
            break
        if not on_path(record.pos, state.path):
            continue
        if isinstance(entry, ModelReplied) and newest:
            newest, partial = False, plain_text(entry.parts) if entry.stop == "interrupted" else ""
        elif isinstance(entry, UserSaid):
            # What waited for the end of the last turn stands before that end, and began this one.
            said = plain_text(entry.parts)
            if entry.enters == "now" or ended:
                break
        ended = ended or isinstance(entry, TurnEnded)
    return Broken(
        said=said,
        steps=state.steps,
        begun=tuple(call.name for call in state.open_calls if call.started),
        waiting=tuple(call.name for call in state.open_calls if not call.started),
        partial=partial,
        queued=len(state.queued),
    )
