"""When a window is compacted, and to what size.

Everything is measured as the window itself is: in tokens of one counter, and in messages.
"""

import sys
from typing import Literal

from holdfast.context.budget import Budget
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.units import Size
from holdfast.errors import Overflow
from holdfast.records.parts import Value

Why = Literal["share", "messages", "asked", "overflow"]
"""The window takes too much of its budget, has too many messages, someone asked, or the provider refused."""

CAUTION = 900
"""Of what a provider is thought to take after an overflow, so many thousandths are used."""


class Trigger(Value, frozen=True, kw_only=True):
    """What makes a compaction happen."""

    why: Why = "asked"
    focus: str = ""
    """What a summary should pay special attention to, in the words of whoever asked."""
    taken: int = 1000
    """After an overflow: what the provider takes, in thousandths of what it was sent."""


def overflowed(error: Overflow, focus: str = "") -> Trigger:
    """The trigger for a provider's answer that a request is too long."""
    taken = 1000
    if error.limit is not None and error.asked:
        taken = max(1, min(1000, error.limit * 1000 // error.asked))
    return Trigger(why="overflow", focus=focus, taken=taken)


def threshold(budget: Budget, room: int, settings: CompactionSettings) -> Size:
    """The largest window that need not be compacted; `room` is what the budget leaves for messages."""
    messages = settings.messages
    if messages is None:
        messages = sys.maxsize if budget.messages is None else max(1, int(budget.messages * settings.share))
    return Size(tokens=int(room * settings.share), messages=messages)


def due(size: Size, largest: Size) -> Trigger | None:
    """Whether a window of that size is to be compacted, and why."""
    if size.tokens > largest.tokens:
        return Trigger(why="share")
    return Trigger(why="messages") if size.messages > largest.messages else None


def bearable(trigger: Trigger, size: Size, largest: Size) -> Size:
    """To what size a window must come, if need be by leaving out."""
    if trigger.why != "overflow":
        return largest
    taken = size.tokens * trigger.taken // 1000 * CAUTION // 1000
    return Size(tokens=min(largest.tokens, taken), messages=largest.messages)


def aim(bound: Size, settings: CompactionSettings) -> Size:
    """To what size a window should come, so that it can grow for a while."""
    return Size(tokens=int(bound.tokens * settings.target), messages=max(1, int(bound.messages * settings.target)))
