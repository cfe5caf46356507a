"""The units of a conversation from some position on, kept up to date record by record.

What is said while a turn runs enters where it is heard: at the next step, behind the
results of the calls before it, or after the turn. Everything here follows from the
records alone, so a session that is opened again comes to the same units.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Literal, TypeAlias, assert_never

from holdfast.context.units import Composer, Size, Unit, UnitRecords, messages_of, size_of
from holdfast.ids import Position
from holdfast.model.protocol import Message
from holdfast.records.codec import Record
from holdfast.records.entries import (
    Checkpointed,
    CommandRan,
    Compacted,
    CompactionUndone,
    Delivered,
    Described,
    Drafted,
    FileChanged,
    GoalAmended,
    GoalEnded,
    GoalProgressed,
    GoalSet,
    GoalStatusChanged,
    GoalVerified,
    HookRan,
    ModelReplied,
    Opened,
    PermissionAsked,
    PermissionDecided,
    Pinned,
    QuestionAnswered,
    QuestionAsked,
    Rewound,
    ScheduleChanged,
    ScheduleFired,
    ScheduleSet,
    Shortened,
    TakenBack,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Unknown,
    Unpinned,
    UserSaid,
    WakeEnded,
    WakeSet,
    WindowMoved,
)
from holdfast.records.facts import Consolidated, Forgotten, MemoryShown
from holdfast.records.slices import take_long

Unshown: TypeAlias = Literal["empty", "answers no call"]


class Timeline:
    """What can be in a window, oldest first."""

    def __init__(self, composer: Composer, start: Position = Position(0)) -> None:
        """Begin with nothing; the records from `start` on are added one by one."""
        self.start = start
        self._composer = composer
        self._sources: list[UnitRecords] = []
        self._units: list[Unit | None] = []
        self._flat: list[Message] = []
        self._flattened = 0
        """The messages of so many of the units, kept from request to request: a window has thousands of them."""
        self._stale: set[int] = set()
        """Which units are to be composed anew when somebody asks: counting tokens at every record would be slow."""
        self._reply: int | None = None
        self._queue: list[Record] = []
        self._late: set[Position] = set()
        """What was said while a turn ran and has entered since."""
        self._in_turn = False
        self._end = start
        self._shortened: dict[Position, Shortened] = {}
        self._held: dict[Position, Record] = {}
        self._tokens = self._messages = self._attachments = 0
        self._kept: dict[Position, Unit | None] = {}
        self._notes: dict[str, Unit] = {}
        self._unasked: list[Position] = []
        """Results that answer no call of the reply before them."""
        self._empty: set[Position] = set()
        """Words of a person in which there is nothing to show."""

    def unshown(self) -> list[tuple[Position, Unshown]]:
        """Entries from the start on that say something to nobody, and why, oldest first."""
        self._compose()
        found: list[tuple[Position, Unshown]] = [(pos, "answers no call") for pos in self._unasked]
        return sorted([*found, *((pos, "empty") for pos in self._empty)])

    def units(self) -> list[Unit]:
        """Everything that would be in the next request, had it room."""
        self._compose()
        return [*filter(None, self._units), *self._waiting()]

    @property
    def takes_long(self) -> bool:
        """Whether there is so much to compose that the event loop would wait for it."""
        records = [record for index in self._stale for record in self._sources[index].records()]
        return take_long([record.entry for record in (*records, *self._queue)])

    def messages(self) -> list[Message]:
        """The messages of these units."""
        self._compose()
        self._flat += messages_of(filter(None, self._units[self._flattened :]))
        self._flattened = len(self._units)
        return self._flat + messages_of(self._waiting())

    def _waiting(self) -> list[Unit]:
        """What was said for the next step, which is the next request."""
        found = (self._composer.unit(UnitRecords(record)) for record in self._queue if _at_step(record))
        return [unit for unit in found if unit is not None]

    def size(self) -> Size:
        """How much all of that is."""
        self._compose()
        composed = Size(tokens=self._tokens, messages=self._messages, attachments=self._attachments)
        return composed.plus(size_of(self._waiting()))

    @property
    def shortened(self) -> Mapping[Position, int]:
        """Entries that are shown cut, and how many characters of each."""
        return self._composer.keep

    def cost(self, message: Message) -> int:
        """How many tokens a message takes."""
        return self._composer.cost(message)

    def cuts(self) -> list[int]:
        """Where a window may begin: at which of the units.

        A session that is opened again reads from that unit's position on. So everything from
        the unit on must stand there in the log, and everything before it must not; and it must be
        clear whether a turn runs, which neither a delivery tells nor what waits for the next step, or
        entered later than it was said.
        """
        self._compose()
        lowest = min((record.pos for record in self._queue), default=self._end + 1)
        ends = list(accumulate((source.last for source in self._sources), max))
        index, found = sum(unit is not None for unit in self._units), []
        # Sources, not units: words with nothing in them to show keep a turn going too.
        for place in range(len(self._sources) - 1, 0, -1):
            source, unit = self._sources[place], self._units[place]
            lowest = min(lowest, source.head.pos)
            index -= unit is not None
            clear = unit is not None and unit.kind != "delivery" and unit.first not in self._late
            if clear and index and source.head.pos == lowest and ends[place - 1] < lowest:
                found.append(index)
        return found[::-1]

    def add(self, record: Record) -> None:
        """Take the next record of the branch."""
        entry = record.entry
        self._end = record.pos
        match entry:
            case UserSaid():
                self._user_said(record, entry)
            case ModelReplied():
                self._enter_heard(entry)
                self._push(record)
                self._reply, self._in_turn = len(self._sources) - 1, True
            case ToolStarted():
                self._tool_started(entry)
            case ToolFinished():
                self._tool_finished(record, entry)
            case TurnEnded():
                # What waited for the end of the turn begins the next one.
                self._in_turn = bool(self._queue)
                self._enter_all()
            case TakenBack():
                self._queue = [each for each in self._queue if each.pos != entry.message]
            case Delivered() | MemoryShown():
                self._push(record)
            case Shortened() | CompactionUndone():
                self._shorten(record.pos, entry)
            # All others by name, so that whoever adds a kind decides whether the model is shown it.
            case (
                Opened()
                | Described()
                | PermissionAsked()
                | PermissionDecided()
                | QuestionAsked()
                | QuestionAnswered()
                | CommandRan()
                | FileChanged()
                | HookRan()
                | Compacted()
                | Rewound()
                | ScheduleSet()
                | ScheduleFired()
                | ScheduleChanged()
                | WakeSet()
                | WakeEnded()
                | WindowMoved()
                | Pinned()
                | Unpinned()
                | GoalSet()
                | GoalAmended()
                | GoalStatusChanged()
                | GoalVerified()
                | GoalProgressed()
                | GoalEnded()
                | Consolidated()
                | Forgotten()
                | Checkpointed()
                | Drafted()
                | Unknown()
            ):
                pass
            case _:
                assert_never(entry)

    def _user_said(self, record: Record, entry: UserSaid) -> None:
        if self._in_turn and entry.enters != "now":
            self._queue.append(record)
            return
        self._enter_all()
        self._push(record)
        self._in_turn = True

    def _enter_heard(self, reply: ModelReplied) -> None:
        """Let in what a reply had heard; what was said for the next step while it spoke, it had not."""
        limit = self._end if reply.heard is None else reply.heard
        heard = [record for record in self._queue if _at_step(record) and record.pos <= limit]
        self._queue = [record for record in self._queue if record not in heard]
        self._enter(heard)

    def _enter_all(self) -> None:
        waiting, self._queue = self._queue, []
        self._enter(waiting)

    def _enter(self, records: Iterable[Record]) -> None:
        for record in records:
            self._late.add(record.pos)
            self._push(record)

    def _push(self, record: Record) -> None:
        self._sources.append(UnitRecords(record))
        self._units.append(None)
        self._stale.add(len(self._sources) - 1)

    def _compose(self) -> None:
        if self._stale and min(self._stale) < self._flattened:
            self._flatten_anew()
        for index in self._stale:
            self._count(self._units[index], -1)
            source = self._sources[index]
            unit = self._units[index] = self._composer.unit(source)
            self._count(unit, 1)
            # What a person said is empty for ever; a reply without words has nothing in it that could be missed.
            if unit is None and isinstance(source.head.entry, UserSaid):
                self._empty.add(source.head.pos)
        self._stale.clear()

    def _flatten_anew(self) -> None:
        self._flat, self._flattened = [], 0

    def _count(self, unit: Unit | None, times: int) -> None:
        if unit is not None:
            self._tokens += times * unit.tokens
            self._messages += times * len(unit.messages)
            self._attachments += times * unit.attachments

    def _tool_started(self, entry: ToolStarted) -> None:
        if self._reply is not None:
            index = self._sources[self._reply].call(entry.call, begun=True)
            if index is not None:
                self._sources[self._reply].started.add(index)
                self._stale.add(self._reply)

    def _tool_finished(self, record: Record, entry: ToolFinished) -> None:
        index = None if self._reply is None else self._sources[self._reply].call(entry.call)
        if self._reply is None or index is None:
            self._unasked.append(record.pos)
            return
        self._sources[self._reply].results[index] = record
        self._stale.add(self._reply)

    def _shorten(self, pos: Position, entry: Shortened | CompactionUndone) -> None:
        """Show entries cut, or whole again."""
        if isinstance(entry, Shortened):
            self._shortened[pos] = entry
            self._cut(entry.entries)
        else:
            undone = self._shortened.pop(entry.compaction, None)
            self._cut(undone.entries if undone else ())

    def _cut(self, positions: Iterable[Position]) -> None:
        """Show entries as short as the newest fact about each says, and what they are in is composed anew."""
        touched = set(positions)
        self._kept.clear()
        for pos in touched:
            keeps = [fact.keep for fact in self._shortened.values() if pos in fact.entries]
            if keeps:
                self._composer.keep[pos] = keeps[-1]
            else:
                self._composer.keep.pop(pos, None)
        for index, source in enumerate(self._sources):
            if any(record.pos in touched for record in source.records()):
                self._stale.add(index)

    def hold(self, record: Record) -> None:
        """Remember an entry from before the start, which is shown all the same."""
        self._held[record.pos] = record
        self._kept.clear()

    def knows(self, pos: Position) -> bool:
        """Whether an entry that is shown in front is at hand."""
        return self.kept(pos) is not None or pos in self._held

    def kept(self, pos: Position) -> Unit | None:
        """An entry as it is shown in front of everything else."""
        if pos not in self._kept:
            record = self._held.get(pos) or next((each for each in self._records() if each.pos == pos), None)
            self._kept[pos] = None if record is None else self._composer.kept(record)
        return self._kept[pos]

    def note(self, text: str) -> Unit:
        """Something we tell the model ourselves."""
        if text not in self._notes:
            self._notes[text] = self._composer.note(text)
        return self._notes[text]

    def _records(self) -> Iterator[Record]:
        for source in self._sources:
            yield from source.records()

    def move(self, start: Position, keep: Iterable[Position]) -> None:
        """Leave out what is before a position, but remember some of it."""
        wanted = set(keep)
        for record in list(self._records()):
            if record.pos in wanted and record.pos < start:
                self.hold(record)
        # Not simply those in front: what was said for after a turn stands behind replies that are younger.
        stays = [index for index, source in enumerate(self._sources) if source.head.pos >= start]
        for index in set(range(len(self._units))) - set(stays):
            self._count(self._units[index], -1)
        self._reply = stays.index(self._reply) if self._reply in stays else None
        self._sources, self._units = [self._sources[index] for index in stays], [self._units[index] for index in stays]
        self._stale = {now for now, before in enumerate(stays) if before in self._stale}
        self.start = start
        self._unasked = [pos for pos in self._unasked if pos >= start]
        self._empty = {pos for pos in self._empty if pos >= start}
        self._notes.clear()
        self._flatten_anew()
        # A fact about what is no longer here counts no longer: who opens the session anew never reads it.
        stale = [pos for pos in self._shortened if pos < start]
        self._cut([entry for pos in stale for entry in self._shortened.pop(pos).entries])


def _at_step(record: Record) -> bool:
    return isinstance(record.entry, UserSaid) and record.entry.enters == "step"
