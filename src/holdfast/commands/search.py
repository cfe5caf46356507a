"""`search`: where something was said."""

from collections.abc import Sequence
from datetime import datetime

from holdfast.commands.answers import Answers, Column, Data, Note, SwitchTo, Table
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.history import around
from holdfast.commands.incomplete import incomplete
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import ago, count
from holdfast.errors import NotThere
from holdfast.ids import Position
from holdfast.records.entries import Fork
from holdfast.session.catalog import Hit, Hits
from holdfast.session.store import Store

FINDS = 10


async def search(given: Inputs, context: CommandContext) -> Answers:
    """Find words in all sessions or in one, or go to one of the finds."""
    words, key = " ".join(given.texts("text")), given.text("session") or None
    if not words.strip():
        raise given.refuse("There is nothing to look for.", hint='Give a word, a part of one, or a "phrase in quotes".')
    found = await _found(given, context, words, key)
    hits, notes = tuple(found), incomplete(found.waiting, given, context)
    number = given.number("find")
    if not hits:
        where = "that was said" if given.in_chat else f"said in {key or context.place}"
        return (*_nothing(words, where), *notes, Data(value=()))
    if number is not None and isinstance(context, ConversationContext):
        return await _at(number, hits, context)
    return (_listed(words, hits, context), *notes, Data(value=hits))


async def _found(given: Inputs, context: CommandContext, words: str, key: str | None) -> Hits:
    if not context.has_sessions():
        return Hits()
    store, limit = await context.opened(), given.number("limit") or FINDS
    if key is not None:
        await store.state(key)  # tells of an unknown key, with those like it
    # What a command showed was said elsewhere too, and this search itself would be the best find. A fork repeats what
    # it shares with the session that it is a copy of.
    hits = await store.search(words, limit=limit * 3, key=key)
    said = [each for each in hits if each.role != "command"]
    return Hits((await _each_once(said, store))[:limit], waiting=hits.waiting)


async def _each_once(hits: Sequence[Hit], store: Store) -> list[Hit]:
    """Each message once: where it was said, and not in the forks that share it."""
    same: dict[tuple[Position, datetime, str], list[Hit]] = {}
    for each in hits:
        same.setdefault((each.pos, each.at, each.role), []).append(each)
    return [each[0] if len(each) == 1 else await _original(each, store) for each in same.values()]


async def _original(hits: Sequence[Hit], store: Store) -> Hit:
    for each in hits:
        origin = (await store.state(each.key)).origin
        if not isinstance(origin, Fork) or each.pos > origin.pos:
            return each
    return hits[0]  # the session that they share it with is gone


def _nothing(words: str, where: str) -> tuple[Note, ...]:
    said = Note(text=f"Nothing {where} has any of: {words}")
    if words.isascii() and not any(map(str.isalnum, words)):
        return (said, Note(text="Words are looked for; signs such as these are none."))
    return (said,)


def _listed(words: str, hits: tuple[Hit, ...], context: CommandContext) -> Table:
    rows = tuple(
        (f"#{index}", _where(each, context), f"{each.role}, {ago(each.at, context.now())}", each.snippet)
        for index, each in enumerate(hits, 1)
    )
    return Table(
        columns=(Column(name=""), Column(name="Where"), Column(name="Who and when"), Column(name="What")),
        rows=rows,
        note=f"`/search {words} #1` goes to the first of them.",
    )


def _where(hit: Hit, context: CommandContext) -> str:
    here = isinstance(context, ConversationContext) and hit.key == context.conversation.key
    return f"here @{hit.pos}" if here else f"{hit.key} @{hit.pos}"


async def _at(number: int, hits: tuple[Hit, ...], context: ConversationContext) -> Answers:
    if not 0 < number <= len(hits):
        raise NotThere(
            f"There is no find #{number}; there {'is' if len(hits) == 1 else 'are'} {count(len(hits), 'find')}.",
            hint="Give a number from 1 on, as the list shows them.",
        )
    hit = hits[number - 1]
    if hit.key == context.conversation.key:
        return (await around(hit.pos, context),)
    return (SwitchTo(key=hit.key, at=hit.pos),)
