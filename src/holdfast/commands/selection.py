"""Which records of a log a person wants to see, and the gaps that damage left between them."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from holdfast.errors import BadInput, BeyondEnd, NoBlob
from holdfast.ids import BlobId, Position
from holdfast.records.codec import Record
from holdfast.session.branch import branches
from holdfast.session.state import PositionSpan, SessionState, on_path, path_to
from holdfast.session.store import Store


class Gap(NamedTuple):
    """Positions, both included, whose records cannot be read."""

    first: Position
    last: Position


Passage: TypeAlias = Record | Gap


class Selection(NamedTuple):
    """A stretch of one branch."""

    spans: tuple[PositionSpan, ...]
    start: int = 0
    newest: int | None = None
    """Only so many, counted from the end."""


def spans_of(state: SessionState, branch: str, *, whole: bool = False) -> tuple[PositionSpan, ...]:
    """The stretches that make up a branch: one by its tip, all of the log, or (with '') what is usual."""
    everything = (PositionSpan(first=Position(0), last=state.last),)
    if branch == "all" or (whole and not branch):
        return everything
    if not branch:
        return state.path
    if not branch.isdecimal():
        raise BadInput(f"There is no branch {branch!r}.", hint="Give the position it ends at, or `all`.")
    tip = Position(int(branch))
    if tip > state.last:
        raise BeyondEnd(tip, state.last)
    return path_to(tip, state.jumps)


def spans_with(state: SessionState, start: int, usual: tuple[PositionSpan, ...]) -> tuple[PositionSpan, ...]:
    """The usual branch, or the newest one that holds a position: whoever names a position wants to see it."""
    for each in reversed(branches(state)):
        spans = path_to(each.tip, state.jumps)
        if on_path(Position(start), spans):
            return usual if each.current else spans
    return usual


def left_out(state: SessionState) -> tuple[int, ...]:
    """The tips of the branches that are not shown unless asked for."""
    return tuple(each.tip for each in branches(state) if not each.current)


async def passages(store: Store, key: str, wanted: Selection) -> AsyncIterator[Passage]:
    """The records of a stretch, oldest first, and the gaps between them."""
    records = store.read(key, start=wanted.start) if wanted.newest is None else _newest(store, key, wanted)
    expected = wanted.start if wanted.newest is None else -1
    async for record in records:
        if 0 <= expected < record.pos and on_path(Position(expected), wanted.spans):
            yield Gap(Position(expected), Position(record.pos - 1))
        expected = record.pos + 1
        if on_path(record.pos, wanted.spans):
            yield record


async def content_of(store: Store, key: str, blobs: tuple[BlobId, ...]) -> dict[BlobId, bytes]:
    """The bytes of attachments, as far as they can be read; whoever shows them says what is missing."""
    content = {}
    for blob in blobs:
        with suppress(NoBlob):
            content[blob] = await store.get_blob(key, blob)
    return content


async def _newest(store: Store, key: str, wanted: Selection) -> AsyncIterator[Record]:
    """The last records of a stretch, oldest first, without reading what comes before them."""
    found: list[Record] = []
    left = wanted.newest or 0
    async for record in store.read_back(key):
        if left <= 0 or record.pos < wanted.start:
            break
        found.append(record)
        left -= on_path(record.pos, wanted.spans)
    for record in reversed(found):
        yield record
