"""The first stage: old tool results are shown short.

It costs no request, and what an old result said has mostly been said again by the
model. The oldest go first, no more than it takes; the newest are not touched.
"""

from collections.abc import Collection, Iterator

from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.select import NOTE_CHARACTERS, length
from holdfast.context.shorten import shortened
from holdfast.context.timeline import Timeline
from holdfast.context.units import Unit
from holdfast.ids import Position
from holdfast.model.protocol import ToolMessage
from holdfast.records.entries import Shortened
from holdfast.records.parts import Value


class Shortening(Value, frozen=True, kw_only=True):
    """What could be written down, and how many tokens it would free."""

    entry: Shortened
    freed: int


def shortening(
    timeline: Timeline, excess: int, settings: CompactionSettings, pins: Collection[Position] = ()
) -> Shortening | None:
    """Shorten the oldest results until `excess` tokens are freed, or all that may be; None if that gains nothing."""
    keep, freed, chosen = settings.characters, 0, list[Position]()
    for message in old_results(timeline.units(), timeline, settings.protected):
        if freed >= excess:
            break
        shown = timeline.shortened.get(message.pos)
        if message.pos in pins or (shown is not None and shown <= keep) or length(message) <= keep + NOTE_CHARACTERS:
            continue
        gain = timeline.cost(message) - timeline.cost(shortened(message, keep))
        if gain > 0:
            chosen.append(message.pos)
            freed += gain
    return Shortening(entry=Shortened(entries=tuple(chosen), keep=keep, why="old"), freed=freed) if chosen else None


def old_results(units: list[Unit], timeline: Timeline, protected: int) -> Iterator[ToolMessage]:
    """The results with at least so many tokens after them, oldest first."""
    after = sum(unit.tokens for unit in units)
    for unit in units:
        for message in unit.messages:
            after -= timeline.cost(message)
            if after < protected:
                return
            if isinstance(message, ToolMessage) and message.pos >= 0:
                yield message
