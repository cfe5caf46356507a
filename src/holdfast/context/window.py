"""The messages of the next request, and what they leave out."""

from itertools import chain
from typing import Literal

from holdfast.context.prefix import Prefix, closing, gap, opening, prefix_messages
from holdfast.context.timeline import Timeline
from holdfast.context.units import messages_of, size_of
from holdfast.ids import Position
from holdfast.model.protocol import Message
from holdfast.records.parts import Value


class LeftOut(Value, frozen=True, kw_only=True):
    """Something the model is not shown, or not whole."""

    first: Position
    last: Position
    """Between these positions, both included."""
    why: Literal["to fit", "summarised", "shortened", "empty", "answers no call"]


class Window(Value, frozen=True, kw_only=True):
    """What a model is shown."""

    messages: tuple[Message, ...]
    tokens: int
    start: Position
    """From here on entries are shown as they are."""
    left_out: tuple[LeftOut, ...] = ()
    attachments: int = 0
    """How many attachments that are no text the messages have."""


def build_window(timeline: Timeline, prefix: Prefix) -> Window:
    """Everything the timeline holds, as one request; `select` sees to it that it fits."""
    before = prefix_messages(timeline, prefix, timeline.start)
    shown = messages_of(before) + timeline.messages()
    ends = opening(shown, timeline), closing(shown, timeline)
    # The timeline has its own size at hand: nothing long is gone through for it.
    size = timeline.size().plus(size_of(chain(before, *ends)))
    return Window(
        messages=(*messages_of(ends[0]), *shown, *messages_of(ends[1])),
        tokens=size.tokens,
        start=timeline.start,
        left_out=tuple(left_out(timeline, prefix)),
        attachments=size.attachments,
    )


def left_out(timeline: Timeline, prefix: Prefix) -> list[LeftOut]:
    """What is not shown, or not whole."""
    found: list[LeftOut] = []
    if prefix.summary is not None:
        found.append(LeftOut(first=Position(0), last=prefix.covered, why="summarised"))
    hidden = gap(prefix, timeline.start)
    if hidden is not None:
        found.append(LeftOut(first=hidden[0], last=hidden[1], why="to fit"))
    found += [LeftOut(first=pos, last=pos, why="shortened") for pos in sorted(timeline.shortened)]
    return found + [LeftOut(first=pos, last=pos, why=why) for pos, why in timeline.unshown()]
