"""`/history`: what was said, as Markdown; and clearing the list of what was typed."""

import asyncio
from typing import assert_never

from holdfast.commands.answers import Answers, Prose
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.past import newest_first
from holdfast.commands.text.times import clock
from holdfast.commands.typed_lines import clear_lines
from holdfast.errors import BeyondEnd
from holdfast.records.codec import Record
from holdfast.records.entries import CommandRan
from holdfast.records.printable import printable_line
from holdfast.session.export.readable import Attached, Piece, ReadableDetail, ReadableMessage, shown
from holdfast.session.export.readable import ReadableText as Said

MESSAGES = 10
MOST = 500
BEFORE, AFTER = 2, 6
"""How many messages are shown around a position."""
LINE = 100
"""How much is shown of what need not be read."""


async def history(given: Inputs, context: ConversationContext) -> Answers:
    """Show the last messages, or those around a position; or clear the list of what was typed."""
    if given.text("action") == "clear":
        return (await _cleared(context),)
    position, messages = given.number("position"), given.number("messages")
    if position is not None:
        return (await around(position, context),)
    wanted = min(MOST, MESSAGES if messages is None else messages)
    found: list[Record] = []
    if wanted:
        async for record in newest_first(context.session):
            if _is_message(record):
                found.append(record)
            if len(found) == wanted:
                break
    return (_told(found[::-1], "Nothing was said here yet."),)


async def _cleared(context: ConversationContext) -> Prose:
    folder = context.about(context.conversation.key).folder
    if folder is not None:
        await asyncio.to_thread(clear_lines, [folder])
    context.forget_typed()
    return Prose(markdown="The up key brings back nothing that was typed here before. The conversation is as it was.")


async def around(position: int, context: ConversationContext) -> Prose:
    """What was said around a position, on whatever branch it stands."""
    last = context.conversation.state.last
    if position > last:
        raise BeyondEnd(position, last)
    found: list[Record] = []
    async for record in context.session.read_back(before=position):
        if len(found) == BEFORE:
            break
        if _is_message(record):
            found.insert(0, record)
    async for record in context.session.read(start=position):
        if len(found) == BEFORE + AFTER:
            break
        if _is_message(record):
            found.append(record)
    return _told(found, "Nothing was said there.")


def _is_message(record: Record) -> bool:
    # A command is on the timeline too, and repeating what it showed says nothing new.
    seen = None if isinstance(record.entry, CommandRan) else shown(record.entry)
    return seen is not None and bool(seen.pieces)


def _told(records: list[Record], nothing: str) -> Prose:
    said, before = [], None
    for record in records:
        seen = shown(record.entry)
        if seen is not None:
            said.append(_message(record, seen, clock(record.when, before)))
            before = record.when
    return Prose(markdown="\n\n".join(said) or nothing)


def _message(record: Record, seen: ReadableMessage, at: str) -> str:
    note = f" ({seen.note})" if seen.note else ""
    words = "\n\n".join(text for piece in seen.pieces if (text := _text(piece)))
    return f"**{seen.who}**{note}, {at}, @{record.pos}\n\n{words}".rstrip()


def _text(piece: Piece) -> str:
    match piece:
        case Said():
            return piece.text
        case ReadableDetail():
            return f"*{piece.title}: {printable_line(piece.text, LINE)}*"
        case Attached():
            return f"*{piece.blob.name or piece.blob.media_type}: {printable_line(piece.blob.preview, LINE)}*"
        case _:
            assert_never(piece)
