"""`sessions`: the list of conversations."""

from holdfast.commands.answers import Answers, Column, Data, Note, Table
from holdfast.commands.context import CommandContext
from holdfast.commands.incomplete import incomplete
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import ago, count, human_size
from holdfast.commands.text.width import clip
from holdfast.records.entries import Fork
from holdfast.records.printable import printable_line
from holdfast.session.catalog import Listed, Page, Wanted

NAMES = 60
"""How much is told of the names of those that went into the trash."""


async def sessions(given: Inputs, context: CommandContext) -> Answers:
    """List sessions, the last used first; what a setting makes outdated goes into the trash before."""
    page = Page(sessions=())
    if context.has_sessions():
        await _retain(context)
        every = given.flag("all")
        wanted = Wanted(
            limit=given.number("limit") or 1,
            cursor=given.text("cursor"),
            archived=None if every else given.flag("archived"),
            tag=given.text("tag"),
            scripts=every,
        )
        page = await (await context.opened()).page(wanted)
    columns = (
        Column(name="Conversation"),
        Column(name="Used"),
        Column(name="Messages", right=True),
        Column(name="Size", right=True),
        Column(name="Title"),
    )
    rows = tuple(_row(each, context) for each in page.sessions)
    shown = Table(columns=columns, rows=rows) if rows else Note(text="There are no conversations like that.")
    return (shown, *incomplete(page.waiting, given, context), Data(value=page))


def _row(each: Listed, context: CommandContext) -> tuple[str, ...]:
    used, size = ago(each.updated, context.now()), human_size(each.size)
    return (each.key, used, f"{each.messages:,}", size, shown_name(each))


def shown_name(each: Listed) -> str:
    """The title or the first words of a session; a fork also says where it left the session that it is a copy of."""
    name = printable_line(each.name, NAMES) if each.title or each.preview else ""
    if not isinstance(each.origin, Fork):
        return name
    return f"{name} · forked from {printable_line(each.origin.key, NAMES)} at {each.origin.pos}"


async def _retain(context: CommandContext) -> None:
    """Move what is outdated into the trash, and say so."""
    days = context.settings.retention_days
    moved = await (await context.opened()).retain(days) if days > 0 else ()
    if not moved:
        return
    names = clip(", ".join(each.key for each in moved), NAMES)
    said = f"{count(len(moved), 'session')} idle for more than {days:g} days went to the trash ({names}); "
    context.progress(Note(text=f"{said}`holdfast trash restore KEY` brings one back."))
