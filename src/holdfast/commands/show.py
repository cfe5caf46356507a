"""`show`: one conversation, for reading or for programs."""

from collections.abc import AsyncIterator

from holdfast.commands.answers import Answers, Transcript
from holdfast.commands.context import CommandContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.selection import (
    Gap,
    Passage,
    Selection,
    content_of,
    left_out,
    passages,
    spans_of,
    spans_with,
)
from holdfast.errors import BeyondEnd
from holdfast.session.export.content import Content, worth_reading
from holdfast.session.state import SessionState
from holdfast.session.store import Store


async def show(given: Inputs, context: CommandContext) -> Answers:
    """The records that are asked for, then each new one for who follows."""
    if given.flag("raw") and given.flag("json"):
        raise given.refuse("--raw and --json are two ways to say it.", hint="Give one of them.")
    key, branch, store = given.text("key"), given.text("branch"), await context.opened()
    state = await store.state(key)
    start = given.number("from") or 0
    if start > max(0, state.last):
        raise BeyondEnd(start, state.last)
    spans = spans_of(state, branch, whole=given.flag("raw"))
    if start and not branch and not given.flag("raw"):
        spans = spans_with(state, start, spans)
    selection = Selection(spans, start, given.number("last"))
    reader = _Reader(given, store, state, selection)
    following = reader.following() if given.flag("follow") else None
    older = () if branch else left_out(state)
    return (Transcript(state=state, passages=reader.passages(), following=following, older=older),)


class _Reader:
    """Reads a stretch of a conversation, and goes on where it ended."""

    def __init__(self, given: Inputs, store: Store, state: SessionState, selection: Selection) -> None:
        self._key, self._full, self._store = given.text("key"), given.flag("full"), store
        self._selection, self._last = selection, max(selection.start - 1, state.last)

    async def passages(self) -> AsyncIterator[tuple[Passage, Content]]:
        async for passage in passages(self._store, self._key, self._selection):
            yield passage, await self._content(passage)
            self._last = max(self._last, passage.last if isinstance(passage, Gap) else passage.pos)

    async def following(self) -> AsyncIterator[tuple[Passage, Content]]:
        async for record in self._store.follow(self._key, after=self._last):
            yield record, await self._content(record)

    async def _content(self, passage: Passage) -> Content:
        if isinstance(passage, Gap) or not self._full:
            return {}
        return await content_of(self._store, self._key, worth_reading(passage.entry, pictures=False))
