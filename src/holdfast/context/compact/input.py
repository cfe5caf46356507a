"""What a summary is made of: entries as they stand in the log, as text in pieces that a model can take."""

from collections.abc import AsyncIterator, Callable
from typing import assert_never

from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.requirements import Requirements, requirements
from holdfast.context.compact.summary import named
from holdfast.context.messages import breadcrumb
from holdfast.context.prefix import Prefix
from holdfast.context.shorten import cut
from holdfast.context.timeline import Timeline
from holdfast.context.units import Composer, Cost, Unit
from holdfast.ids import Position
from holdfast.model.protocol import AssistantMessage, Message, ToolMessage, UserMessage
from holdfast.records.codec import Record
from holdfast.records.entries import Compacted
from holdfast.records.facts import MemoryShown
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall, Value
from holdfast.session.writer import Session


class SummaryInput(Value, frozen=True, kw_only=True):
    """What is summarized."""

    first: Position
    last: Position
    """The entries that the summary will stand for, both included."""
    units: tuple[Unit, ...]
    earlier: str = ""
    """An earlier summary, which stands for what was said before the units."""
    must: Requirements
    skipped: str = ""
    """What is neither in the units nor in the earlier summary, in words; empty if that is nothing."""


class _Forgotten(Value, frozen=True, kw_only=True):
    """What a summary has of memory: no facts, and no words that were forgotten."""

    hidden: frozenset[Position]

    def told(self, entry: MemoryShown) -> str:
        """Nothing: facts are told anew where they hold."""
        del entry
        return ""


async def gather(
    session: Session,
    prefix: Prefix,
    cost: Cost,
    stop: Position,
    settings: CompactionSettings,
    *,
    hidden: frozenset[Position] = frozenset(),
) -> SummaryInput:
    """Everything that was said before a position and is not in an earlier summary, or everything at all.

    The entries that are `hidden` were forgotten: a summary must not say their words again.
    """
    earlier = None
    if prefix.summary is not None and prefix.summary not in hidden and not settings.from_originals:
        earlier = await _summary(session, prefix.summary)
    begin = Position(0) if earlier is None else Position(earlier.last + 1)
    start = max(begin, stop - settings.entries)
    timeline = Timeline(Composer(cost, memory=_Forgotten(hidden=hidden)), Position(start))
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
        skipped=f"[What was said from {begin} to {reached - 1} was too long to be summarized.]" if left_out else "",
    )


async def _summary(session: Session, pos: Position) -> Compacted | None:
    found = [record.entry async for record in session.read(start=pos, stop=pos + 1)]
    # If it is damaged, what was said is still there, and is summarized anew.
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


# It is told, not replayed: a model that is shown calls and questions answers them, and one that is told of them sums
# them up. Thinking is left out, and long results are cut.
Count = Callable[[str], int]
"""How many tokens a text takes."""

RESULT, ARGUMENTS = 2_000, 600
"""How many characters of a result and of a call's arguments a summary is made of."""


def told(unit: Unit) -> str:
    """A unit in words."""
    return "\n".join(_told(message) for message in unit.messages)


def take(units: tuple[Unit, ...], room: int, count: Count) -> tuple[str, tuple[Unit, ...]]:
    """As many units as fit, in words, and those that are left; at least one, cut if it must be."""
    pieces, used = list[str](), 0
    for unit in units:
        text = told(unit)
        tokens = count(text) + 1
        if pieces and used + tokens > room:
            break
        pieces.append(fitted(text, room, count))
        used += tokens
    return "\n".join(pieces), units[len(pieces) :]


def fitted(text: str, room: int, count: Count) -> str:
    """A text, cut until it fits."""
    keep, shown = len(text), text
    while keep and count(shown) > room:
        keep //= 2
        shown = cut(text, keep)
    return shown


def _told(message: Message) -> str:
    body = "\n".join(words for part in message.parts if (words := _words(part)))
    match message:
        case UserMessage():
            return f"User: {body}"
        case AssistantMessage():
            return f"Agent: {body}"
        case ToolMessage():
            return f"Result of {message.name}{'' if message.ok else ' (failed)'}: {cut(body, RESULT)}"
        case _:
            assert_never(message)


def _words(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case ToolCall():
            return f"(calls {part.name}: {cut(part.arguments, ARGUMENTS)})"
        case Thinking():
            return ""
        case Blob():
            return breadcrumb(part)
        case _:
            assert_never(part)
