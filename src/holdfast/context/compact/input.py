"""What a summary is made of: entries as they stand in the log, and perhaps an earlier summary."""

from collections.abc import AsyncIterator

from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.requirements import Requirements, requirements
from holdfast.context.compact.summary import named
from holdfast.context.prefix import Prefix
from holdfast.context.timeline import Timeline
from holdfast.context.units import Composer, Cost, Unit
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import Compacted
from holdfast.records.parts import Value
from holdfast.session.writer import Session


class SummaryInput(Value, frozen=True, kw_only=True):
    """What is summed up."""

    first: Position
    last: Position
    """The entries that the summary will stand for, both included."""
    units: tuple[Unit, ...]
    earlier: str = ""
    """An earlier summary, which stands for what was said before the units."""
    must: Requirements
    skipped: str = ""
    """What is neither in the units nor in the earlier summary, in words; empty if that is nothing."""


async def gather(
    session: Session, prefix: Prefix, cost: Cost, stop: Position, settings: CompactionSettings
) -> SummaryInput:
    """Everything that was said before a position and is not in an earlier summary, or everything at all."""
    earlier = None
    if prefix.summary is not None and not settings.from_originals:
        earlier = await _summary(session, prefix.summary)
    begin = Position(0) if earlier is None else Position(earlier.last + 1)
    start = max(begin, stop - settings.entries)
    timeline = Timeline(Composer(cost), Position(start))
    async for record in _branch(session, start, stop):
        timeline.add(record)
    units = _newest(timeline.units(), settings.reads)
    reached = units[0].first if units else stop
    left_out = start > begin or len(units) < len(timeline.units())
    return SummaryInput(
        first=begin if earlier is None else earlier.first,
        last=Position(stop - 1),
        units=tuple(units),
        earlier="" if earlier is None else earlier.summary,
        must=requirements(units, Requirements() if earlier is None else named(earlier.summary)),
        skipped=f"[What was said from {begin} to {reached - 1} was too long to be summed up.]" if left_out else "",
    )


async def _summary(session: Session, pos: Position) -> Compacted | None:
    found = [record.entry async for record in session.read(start=pos, stop=pos + 1)]
    # If it is damaged, what was said is still there, and is summed up anew.
    return next((entry for entry in found if isinstance(entry, Compacted)), None)


async def _branch(session: Session, start: int, stop: int) -> AsyncIterator[Record]:
    for span in session.state.path:
        if span.last >= start and span.first < stop:
            async for record in session.read(start=max(start, span.first), stop=min(stop, span.last + 1)):
                yield record


def _newest(units: list[Unit], tokens: int) -> list[Unit]:
    """The newest units within a bound."""
    used = 0
    for index in range(len(units) - 1, -1, -1):
        used += units[index].tokens
        if used > tokens:
            return units[index + 1 :]
    return units
