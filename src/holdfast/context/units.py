"""Units: what is in a window whole or not at all.

A unit is something a person said, or a reply with the result of each of its calls. A call
that never finished gets a result that says so; it depends on nothing but the log, so
saying it again does not change a byte.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Literal, Protocol, TypeGuard

import msgspec

from holdfast.context import messages
from holdfast.context.shorten import M, shortened
from holdfast.ids import Position
from holdfast.model.protocol import AssistantMessage, Message, ToolMessage, UserMessage
from holdfast.records.codec import Record
from holdfast.records.entries import Compacted, Delivered, ModelReplied, ToolFinished, UserSaid
from holdfast.records.facts import MemoryShown
from holdfast.records.parts import Blob, Part, Text, ToolCall, Value
from holdfast.session.export.content import is_text
from holdfast.session.recovery import MAY_HAVE_RUN, NOT_RUN

FORGOTTEN = "[forgotten]"
Cost = Callable[[Message], int]
"""How many tokens a message takes."""


class Remembering(Protocol):
    """What is remembered, as far as a window shows it."""

    @property
    def hidden(self) -> frozenset[Position]:
        """Entries in whose place `[forgotten]` is shown."""
        ...

    def told(self, entry: MemoryShown) -> str:
        """What the model is told by an entry; '' for nothing."""
        ...


class Unit(Value, frozen=True, kw_only=True):
    """Messages that belong together, and what they cost."""

    first: Position
    last: Position
    """The entries it is made of lie between these, both included."""
    messages: tuple[Message, ...]
    tokens: int
    attachments: int = 0
    """How many of their parts are attachments that are no text."""
    kind: Literal["user", "reply", "delivery", "note"] = "note"


class Size(Value, frozen=True, kw_only=True):
    """How much there is, or may be."""

    tokens: int = 0
    messages: int = 0
    attachments: int = 0

    def plus(self, other: "Size") -> "Size":
        """Both together."""
        return Size(
            tokens=self.tokens + other.tokens,
            messages=self.messages + other.messages,
            attachments=self.attachments + other.attachments,
        )

    def within(self, other: "Size") -> bool:
        """Whether it fits."""
        return self.tokens <= other.tokens and self.messages <= other.messages


def size_of(units: Iterable[Unit]) -> Size:
    """How much some units are."""
    tokens = messages = attachments = 0
    for unit in units:
        tokens += unit.tokens
        messages += len(unit.messages)
        attachments += unit.attachments
    return Size(tokens=tokens, messages=messages, attachments=attachments)


def messages_of(units: Iterable[Unit]) -> list[Message]:
    """The messages of some units, in order."""
    return [message for unit in units for message in unit.messages]


def attached(messages: Iterable[Message]) -> list[tuple[Position, Blob]]:
    """What a person or a tool gave that is not text, oldest first; a reply carries none."""
    return [
        (message.pos, part)
        for message in messages
        if not isinstance(message, AssistantMessage)
        for part in message.parts
        if is_attached(part)
    ]


def is_attached(part: Part) -> TypeGuard[Blob]:
    """Whether a part is an attachment that is no text."""
    return isinstance(part, Blob) and not is_text(part)


class UnitRecords:
    """The records a unit is made of, as they come in."""

    def __init__(self, head: Record) -> None:
        """Begin with what was said, or with a reply."""
        self.head = head
        parts = head.entry.parts if isinstance(head.entry, ModelReplied) else ()
        self.calls = tuple(part for part in parts if isinstance(part, ToolCall))
        self.started: set[int] = set()
        self.results: dict[int, Record] = {}

    def call(self, id_: str, *, begun: bool = False) -> int | None:
        """Which of its calls that is: the first of that name that is open."""
        for index, call in enumerate(self.calls):
            if call.id == id_ and index not in self.results and not (begun and index in self.started):
                return index
        return None

    @property
    def last(self) -> Position:
        """The last entry it is made of."""
        return max((record.pos for record in self.results.values()), default=self.head.pos)

    def records(self) -> tuple[Record, ...]:
        """All of them."""
        return (self.head, *self.results.values())


class Composer:
    """Makes units out of records, for one way of showing them."""

    def __init__(
        self, cost: Cost, *, timestamps: bool = False, since: datetime | None = None, memory: Remembering | None = None
    ) -> None:
        """Show a person's words with or without their time; those of other days than `since` always with it."""
        self.cost, self._timestamps, self._since, self._memory = cost, timestamps, since, memory
        self.keep: dict[Position, int] = {}
        """Entries that are shown shorter, and how many characters of each."""

    def unit(self, source: UnitRecords) -> Unit | None:
        """The unit of some records; None if there is nothing in it to show."""
        head = self._shown(source.head)
        if head is None:
            return None
        messages = (head, *(self._result(source, index) for index in range(len(source.calls))))
        unit = self._unit(source.head.pos, source.last, messages)
        return msgspec.structs.replace(unit, kind=_kind(source.head))

    def kept(self, record: Record) -> Unit | None:
        """An entry that is shown away from where it was said: words, without the calls that would want results."""
        entry = record.entry
        if isinstance(entry, ModelReplied):
            # A call without its result is refused by every provider, and the result stays where it was.
            text = tuple(part for part in entry.parts if isinstance(part, Text))
            record = msgspec.structs.replace(record, known=msgspec.structs.replace(entry, parts=text))
        message: Message | None = self._shown(record)
        if isinstance(entry, ToolFinished):
            said = (Text(text=f"[kept result of {entry.name}]"), *messages.returned(entry.parts))
            message = self._short(UserMessage(parts=said, pos=record.pos), record.pos)
        return None if message is None else self._unit(record.pos, record.pos, (message,))

    def note(self, text: str) -> Unit:
        """Something we tell the model ourselves."""
        return self._unit(Position(-1), Position(-1), (UserMessage(parts=(Text(text=text),)),))

    def _unit(self, first: Position, last: Position, messages: tuple[Message, ...]) -> Unit:
        return Unit(
            first=first,
            last=last,
            messages=messages,
            tokens=sum(map(self.cost, messages)),
            attachments=len(attached(messages)),
        )

    def _shown(self, record: Record) -> UserMessage | AssistantMessage | None:
        entry, pos = record.entry, record.pos
        message: UserMessage | AssistantMessage
        match entry:
            case UserSaid():
                parts = messages.said(entry.parts)
                parts = messages.stamped(parts, record.when) if parts and self._is_stamped(record) else parts
                message = UserMessage(parts=parts, pos=pos)
            case ModelReplied() | Delivered():
                message = AssistantMessage(parts=messages.numbered(messages.replied(entry.parts), pos), pos=pos)
            case Compacted():
                message = UserMessage(parts=(Text(text=summary_text(entry)),), pos=pos)
            case MemoryShown() if self._memory is not None and (told := self._memory.told(entry)):
                message = UserMessage(parts=(Text(text=told),), pos=pos)
            case _:
                return None
        message = self._forgotten(message, pos)
        return self._short(message, pos) if message.parts else None

    def _is_stamped(self, record: Record) -> bool:
        # Compared with a day that never changes, so that what a model was shown once is shown the same to the byte.
        return self._timestamps or (self._since is not None and record.when.date() != self._since.date())

    def _result(self, source: UnitRecords, index: int) -> ToolMessage:
        call, pos = source.calls[index], source.head.pos
        id_ = messages.call_id(pos, index)
        record = source.results.get(index)
        if record is None or not isinstance(record.entry, ToolFinished):
            # From the log alone, so it is the same text each time and a provider's cache goes on hitting.
            text = MAY_HAVE_RUN if index in source.started else NOT_RUN
            return ToolMessage(call=id_, name=call.name, parts=(Text(text=text),), ok=False)
        entry = record.entry
        parts = messages.said(entry.parts) if entry.outcome != "ok" else messages.returned(entry.parts)
        parts = parts or (Text(text=f"({entry.outcome})"),)
        message = ToolMessage(call=id_, name=call.name, parts=parts, ok=entry.outcome == "ok", pos=record.pos)
        return self._short(self._forgotten(message, record.pos), record.pos)

    def _forgotten(self, message: M, pos: Position) -> M:
        """The message without its words, where they are forgotten; calls stay, because their results do."""
        if self._memory is None or pos not in self._memory.hidden:
            return message
        calls = (msgspec.structs.replace(part, arguments="{}") for part in message.parts if isinstance(part, ToolCall))
        return msgspec.structs.replace(message, parts=(Text(text=FORGOTTEN), *calls))

    def _short(self, message: M, pos: Position) -> M:
        keep = self.keep.get(pos)
        return message if keep is None else shortened(message, keep)


def _kind(record: Record) -> Literal["user", "reply", "delivery"]:
    if isinstance(record.entry, UserSaid):
        return "user"
    return "reply" if isinstance(record.entry, ModelReplied) else "delivery"


def summary_text(entry: Compacted) -> str:
    """A summary as the model is shown it."""
    return f"[Summary of {entry.first} to {entry.last}; the log keeps every word.]\n\n{entry.summary}"
