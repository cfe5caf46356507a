"""The prefix of a window, in front of its units: what was kept, what was summarized, what was left out.

It changes only when the window moves, so a provider's prompt cache goes on hitting.
"""

from msgspec.structs import replace

from holdfast.context.timeline import Timeline
from holdfast.context.units import Unit
from holdfast.ids import Position
from holdfast.model.protocol import AssistantMessage, Message, UserMessage
from holdfast.records.parts import Value
from holdfast.session.state import SessionState, on_path

BEGINNING = "[The conversation begins with something you said unasked.]"
GO_ON = "[Nothing new was said. Go on from where you are.]"


class Prefix(Value, frozen=True, kw_only=True):
    """Which entries are shown although they are before the window's start, and what stands for the others."""

    start: Position | None = None
    """Where the window starts; None if that was never settled."""
    keep: tuple[Position, ...] = ()
    pins: tuple[Position, ...] = ()
    first: Position | None = None
    """The first thing a user said on this branch."""
    summary: Position | None = None
    """The entry with the summary that counts."""
    covered: Position = Position(-1)
    """Up to where the summary stands for what was said."""

    def before(self, start: Position) -> tuple[Position, ...]:
        """The entries that are shown in front of a window, wherever they stand."""
        kept = {pos for pos in (*self.keep, *self.pins) if pos < start}
        return tuple(sorted(kept if self.summary is None else {*kept, self.summary}))


def prefix_of(state: SessionState) -> Prefix:
    """What a session's state says of its window."""
    path = state.path
    first = next((each for each in state.firsts if on_path(each, path)), None)
    pins = [
        pin.target
        for pin in state.pins
        if on_path(pin.pos, path) and on_path(pin.target, path) and not any(on_path(at, path) for at in pin.unpinned)
    ]
    moves = [move for move in state.moves if on_path(move.pos, path)]
    summaries = [
        each
        for each in state.compactions
        if on_path(each.pos, path) and not any(on_path(at, path) for at in each.undone)
    ]
    prefix = Prefix(first=first, pins=tuple(sorted(set(pins))))
    if summaries:
        summary = summaries[-1]
        # The newest one has the earlier ones in it.
        prefix = replace(prefix, summary=summary.pos, covered=summary.last, start=summary.verbatim_from)
    # A summary that came later stands for what the move left out as well.
    if moves and (prefix.summary is None or moves[-1].pos > prefix.summary):
        prefix = replace(prefix, start=moves[-1].start, keep=moves[-1].keep)
    return prefix


def prefix_messages(timeline: Timeline, prefix: Prefix, start: Position) -> list[Unit]:
    """What is shown in front of the units from a position on, in order."""
    kept = [pos for pos in sorted({*prefix.keep, *prefix.pins}) if pos < start]
    # The first words come before the summary: they say what all of it is about.
    before = [kept.pop(0)] if kept and kept[0] == prefix.first else []
    units = [timeline.kept(pos) for pos in before]
    if prefix.summary is not None:
        units.append(timeline.kept(prefix.summary))
    hidden = gap(prefix, start)
    if hidden is not None:
        units.append(
            timeline.note(f"[What was said from {hidden[0]} to {hidden[1]} in the log is not shown here, to fit.]")
        )
    units += [timeline.kept(pos) for pos in kept]
    return [unit for unit in units if unit is not None]


def gap(prefix: Prefix, start: Position) -> tuple[Position, Position] | None:
    """The positions before the start that no summary stands for."""
    first = Position(prefix.covered + 1)
    return (first, Position(start - 1)) if first < start else None


def opening(messages: list[Message], timeline: Timeline) -> list[Unit]:
    """What must come before the first message, so that a person speaks first."""
    return [timeline.note(BEGINNING)] if messages and not isinstance(messages[0], UserMessage) else []


def closing(messages: list[Message], timeline: Timeline) -> list[Unit]:
    """What must come after the last message, so that it is the model's turn."""
    return [timeline.note(GO_ON)] if messages and isinstance(messages[-1], AssistantMessage) else []
