"""What must be written down before the next window fits.

The window's start moves in jumps: over a bound it goes to where about three quarters of
the bound are used, and stays there until the bound is reached again. A turn too big
by itself is shortened where it hurts least: long results first, then its own older steps are left
out, then all that is left is cut. Each of these is a fact in the log, so a
session that is opened again shows the same window.
"""

import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from msgspec.structs import replace

from holdfast.context.budget import Budget
from holdfast.context.prefix import BEGINNING, GO_ON, Prefix, prefix_messages
from holdfast.context.shorten import shortened
from holdfast.context.timeline import Timeline
from holdfast.context.units import Size, Unit, size_of
from holdfast.errors import TooSmall
from holdfast.ids import Position
from holdfast.model.protocol import Message, ToolMessage
from holdfast.records.entries import Shortened, WindowMoved
from holdfast.records.parts import Blob, Text, Thinking

RESULT_LADDER = (16_000, 4_000, 1_000)
"""To how many characters long results are cut, one after the other."""
LAST_LADDER = (1_024_000, 256_000, 64_000, 16_000, 4_000, 1_000, 250, 60, 0)
"""And everything, if nothing else helps; in steps, because it may be the very thing that was asked about."""
FRONT_PART = 2
"""What is kept in front may take one part in so many of the room: more, and it is cut before newer turns go."""
NOTE_CHARACTERS = 100
"""What a note about what was cut takes; cutting less than that gains nothing."""
PICTURE_CHARACTERS = 6_000
"""What a picture counts as, beside text."""

Fact = WindowMoved | Shortened


class Chooser:
    """Looks at one timeline for one budget."""

    def __init__(self, timeline: Timeline, prefix: Prefix, budget: Budget, room: int) -> None:
        """`room` is what the budget leaves for messages, in tokens."""
        self._timeline, self._prefix, self._budget = timeline, prefix, budget
        ends = size_of((timeline.note(BEGINNING), timeline.note(GO_ON)))
        most = budget.messages if budget.messages is not None else sys.maxsize
        # Whether a window needs words of ours at its ends is known once it is chosen; they always have room.
        self._bound = Size(tokens=room - ends.tokens, messages=most)
        self._goal = Size(tokens=int(self._bound.tokens * budget.target), messages=max(1, int(most * budget.target)))
        self._front = prefix_messages(timeline, prefix, timeline.start)
        self._now = size_of(self._front).plus(timeline.size())

    @cached_property
    def _units(self) -> list[Unit]:
        return self._timeline.units()

    @property
    def fits(self) -> bool:
        """Whether the window fits as it is."""
        return self._now.within(self._bound)

    def fact(self) -> Fact:
        """The next thing to write down, where it does not fit. Raises `TooSmall` if nothing makes it fit."""
        fact = self._cut_front()
        if fact is not None:
            return fact
        cuts = self._timeline.cuts()
        # A window that begins with a person's words needs nothing else to be understood.
        turns = [cut for cut in cuts if self._units[cut].kind == "user"]
        # To three quarters if any turn allows it, so that it does not move again at once; else to the newest turn.
        for wanted in (turns, turns[-1:]):
            bound = self._goal if wanted is turns else self._bound
            for cut in wanted:
                if self._size_from(cut).within(bound):
                    return self._move(cut)
        return self._move(turns[-1]) if turns else self._within_turn(cuts)

    def _within_turn(self, cuts: Sequence[int]) -> Fact:
        """The newest turn is too big by itself."""
        if self._now.tokens > self._bound.tokens:
            fact = self._cut_results()
            if fact is not None:
                return fact
        for cut in cuts:
            if self._size_from(cut).within(self._goal):
                return self._move(cut)
        if cuts:
            return self._move(cuts[-1])
        return self._cut_all()

    def _size_from(self, cut: int) -> Size:
        prefix = replace(self._prefix, keep=self._keep(cut))
        before = size_of(prefix_messages(self._timeline, prefix, self._units[cut].first))
        # Where it would take more than its part, it is cut once the start has moved.
        before = Size(tokens=min(before.tokens, self._bound.tokens // FRONT_PART), messages=before.messages)
        return before.plus(self._sizes[cut])

    @cached_property
    def _sizes(self) -> list[Size]:
        """How much there is from each unit on."""
        sizes = accumulate((size_of((unit,)) for unit in reversed(self._units)), Size.plus)
        return list(sizes)[::-1]

    def _keep(self, cut: int) -> tuple[Position, ...]:
        """What is shown of what is before a cut: the first thing said, and what the first unit answers."""
        units, start = self._units, self._units[cut].first
        keep = set()
        first = self._prefix.first
        if self._budget.keep_first and first is not None and self._prefix.covered < first < start:
            keep.add(first)
        if not any(unit.kind == "user" for unit in units[cut:]):
            said = [unit.first for unit in units[:cut] if unit.kind == "user"]
            # The turn goes on from these words, although the window begins behind them.
            keep |= set(said[-1:] or self._prefix.keep[-1:])
        before = cut
        # Somebody answers what was said unasked: without it the answer would hang in the air.
        while units[cut].kind == "user" and before and units[before - 1].kind == "delivery":
            before -= 1
            keep.add(units[before].first)
        return tuple(sorted(keep))

    def _move(self, cut: int) -> WindowMoved:
        over = self._now.tokens > self._bound.tokens
        return WindowMoved(start=self._units[cut].first, keep=self._keep(cut), why="tokens" if over else "messages")

    def _cut_front(self) -> Shortened | None:
        """Cut what is kept in front, if it takes more than its part and can be brought down to it."""
        kept = [message for unit in self._front for message in unit.messages if message.pos >= 0]
        part = self._bound.tokens // FRONT_PART
        if sum(map(self._tokens, kept)) <= part:
            return None
        for keep in LAST_LADDER:
            chosen = [message for message in kept if self._gains(message, keep)]
            left = [self._tokens(shortened(each, keep) if each in chosen else each) for each in kept]
            if chosen and sum(left) <= part:
                return Shortened(entries=_positions(chosen), keep=keep)
        return None

    def _cut_results(self) -> Shortened | None:
        """Cut the longest results, as few as it takes and no more than it takes."""
        results = sorted(self._messages(ToolMessage), key=length, reverse=True)
        for keep in RESULT_LADDER:
            chosen = [message for message in results if self._gains(message, keep)]
            gains = [_share(message, self._tokens(message), keep) for message in chosen]
            # Estimated, because counting every result at every length would take longer than the request.
            left = [self._now.tokens - gain for gain in accumulate(gains)]
            enough = next((n for n, tokens in enumerate(left, 1) if tokens <= self._goal.tokens), len(left))
            if left and left[enough - 1] <= self._bound.tokens:
                return Shortened(entries=_positions(chosen[:enough]), keep=keep)
        return None

    def _cut_all(self) -> Shortened:
        messages = list(self._messages(object))
        for keep in LAST_LADDER if self._now.tokens > self._bound.tokens else ():
            chosen = [message for message in messages if self._gains(message, keep)]
            if chosen:
                return Shortened(entries=_positions(chosen), keep=keep)
        if self._now.tokens > self._bound.tokens:
            raise TooSmall(self._now.tokens, self._bound.tokens)
        # Cutting shortens messages and never removes one, so a bound on their number cannot be met by it.
        raise TooSmall(self._now.messages, self._bound.messages, unit="messages")

    def _gains(self, message: Message, keep: int) -> bool:
        """Whether cutting a message makes it shorter, and it is not cut as short already."""
        shown = self._timeline.shortened.get(message.pos)
        if length(message) <= keep or (shown is not None and shown <= keep):
            return False
        return self._tokens(shortened(message, keep)) < self._tokens(message)

    def _messages(self, kind: type) -> Iterable[Message]:
        shown = (*self._front, *self._units)
        return (each for unit in shown for each in unit.messages if isinstance(each, kind) and each.pos >= 0)

    def _tokens(self, message: Message) -> int:
        return self._timeline.cost(message)


def _share(message: Message, tokens: int, keep: int) -> int:
    """About how many tokens cutting a message gains."""
    return tokens - tokens * (keep + NOTE_CHARACTERS) // length(message)


def _positions(messages: Iterable[Message]) -> tuple[Position, ...]:
    return tuple(sorted({message.pos for message in messages}))


def length(message: Message) -> int:
    """About how many characters a message has."""
    total = 0
    for part in message.parts:
        if isinstance(part, Text | Thinking):
            total += len(part.text)
        elif isinstance(part, Blob):
            total += PICTURE_CHARACTERS
        else:
            total += len(part.arguments)
    return total
