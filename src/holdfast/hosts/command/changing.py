"""`fork`, `rewind`, `rename`, `tag`, `archive`: each adds a fact to a log, or a log."""

from holdfast.errors import BadInput
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.command.naming import word
from holdfast.records.entries import Described
from holdfast.session.writer import Session

WAIT = 2.0
"""Seconds to wait for a process that is just finishing with the session."""


async def fork(call: Call) -> Exit:
    """Begin a new session as a copy of another one."""
    key, new, at = call.text("key"), call.text("new"), call.number("at")
    async with call.open() as store:
        await store.fork(key, new, at=at)
        state = await store.state(new)
    shared = state.last - 1
    return _done(call, {"key": new, "forked_from": key, "at": shared}, f"{new} begins as {key} up to {shared}.")


async def rewind(call: Call) -> Exit:
    """Go back to a position, or take that back."""
    key, position, undo = call.text("key"), call.number("position"), call.flag("undo")
    if undo == (position is not None):
        raise BadInput("A rewind goes to a position, or takes the last one back.", hint="Give POSITION or --undo.")
    async with call.open() as store, store.session(key, create=False, doing="rewinding", wait=WAIT) as session:
        if position is None:
            await session.undo_rewind()
        else:
            await session.rewind(position)
        head = session.state.head
    back = "" if undo else f" `{call.line('rewind', key, '--undo')}` takes it back."
    return _done(call, {"key": key, "head": head}, f"{key} goes on from {head}.{back}")


async def rename(call: Call) -> Exit:
    """Give a session a title."""
    key, title = call.text("key"), call.text("title")
    async with call.open() as store, store.session(key, create=False, doing="renaming", wait=WAIT) as session:
        await _describe(session, Described(title=title))
    said = f"{key} is now called {title}." if title else f"{key} has no title now."
    return _done(call, {"key": key, "title": title}, said)


async def tag(call: Call) -> Exit:
    """List a session's tags, or change them."""
    key, changes = call.text("key"), call.texts("changes")
    if any(not each.lstrip("+-").strip() for each in changes):
        raise BadInput("A tag is empty.", hint="Write +work to add a tag, -work to take it away.")
    async with call.open() as store:
        if not changes:
            tags = (await store.state(key)).tags
        else:
            async with store.session(key, create=False, doing="tagging", wait=WAIT) as session:
                tags = tagged(session.state.tags, changes)
                if tags != session.state.tags:
                    await _describe(session, Described(tags=tags))
    if call.flag("json"):
        call.print_json({"key": key, "tags": tags})
        return Exit.OK
    for each in tags:
        call.console.line(each)
    if not tags:
        first = "-- " if key.startswith("-") else ""
        call.console.note(f"{key} has no tags. `holdfast tag {first}{word(key)} +work` adds one.")
    return Exit.OK


def tagged(tags: tuple[str, ...], changes: list[str]) -> tuple[str, ...]:
    """Tags after changes, in the order they were given."""
    kept = dict.fromkeys(tags)
    for change in changes:
        name = change.removeprefix("+")
        if change.startswith("-"):
            kept.pop(change[1:], None)
        else:
            kept[name] = None
    return tuple(kept)


async def archive(call: Call) -> Exit:
    """Leave sessions out of the list, or take that back."""
    keys, archived = call.names("key"), not call.flag("undo")
    async with call.open() as store:
        for key in keys:
            await store.state(key)  # tells of an unknown key before anything is changed
        for key in keys:
            async with store.session(key, create=False, doing="archiving", wait=WAIT) as session:
                if session.state.archived != archived:
                    await _describe(session, Described(archived=archived))
    names = ", ".join(keys)
    said = f"Archived {names}; `holdfast sessions --all` lists it." if archived else f"{names}: on the list again."
    return _done(call, {"keys": keys, "archived": archived}, said)


async def _describe(session: Session, entry: Described) -> None:
    await session.append(entry)
    await session.commit()


def _done(call: Call, answer: dict[str, object], said: str) -> Exit:
    if call.flag("json"):
        call.print_json(answer)
    else:
        call.console.prose(said)
    return Exit.OK
