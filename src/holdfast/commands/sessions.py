"""Which conversation one is in: beginning, changing to another, naming, removing."""

import asyncio
from pathlib import Path
from typing import assert_never

from holdfast.commands.answers import (
    Answers,
    Cleared,
    Data,
    Fact,
    Facts,
    Note,
    PickSession,
    PlainLines,
    Prose,
    Quit,
    SwitchTo,
)
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs, number
from holdfast.commands.keys import word
from holdfast.commands.session_names import LAST, all_sessions, whole_name
from holdfast.commands.text.times import ago, clock, count, human_size
from holdfast.commands.usage import spent
from holdfast.commands.workspace_sessions import new_key
from holdfast.errors import NotThere
from holdfast.log.store import Durability
from holdfast.records.entries import Described, Fork, Import, Origin
from holdfast.session.branch import branches
from holdfast.session.catalog import Listed, Wanted
from holdfast.session.state import SessionState

MOST = 500
"""So many sessions are looked at together, and at most such a number can be given."""

PROMISES: dict[Durability, str] = {
    "always": "what was acknowledged survives a killed process and a power cut",
    "interval": "survives a killed process; a power cut can take the last second",
    "os": "survives a killed process; after a power cut it depends on the system",
}
"""What each kind of durability promises."""
IN_MEMORY = "in memory only: it is gone with this process (persistence is off)"


async def new(_: Inputs, context: ConversationContext) -> Answers:
    """Begin another conversation."""
    return (fresh(context),)


def fresh(context: ConversationContext) -> SwitchTo:
    """Another conversation, which does not exist yet."""
    return SwitchTo(key=new_key(context.agent.root, context.now()), create=True)


async def clear(given: Inputs, context: ConversationContext) -> Answers:
    """Begin another conversation, on an empty screen."""
    return (Cleared(), *await new(given, context))


async def leave(_: Inputs, __: CommandContext) -> Answers:
    """Leave."""
    return (Quit(),)


async def resume(given: Inputs, context: ConversationContext) -> Answers:
    """Go on with another conversation."""
    rest = given.text("name")
    if not rest:
        return (PickSession(),)
    if await context.store.exists(rest):
        return _switched(rest, context)
    wanted = number(rest)
    if wanted is not None:
        return _switched(await _numbered(wanted, context), context)
    if rest == LAST:
        return _switched(await whole_name(context.store, rest, context.identity), context)
    found = await _called(rest, context)
    if len(found) == 1:
        return _switched(found[0].key, context)
    if found:
        return (PickSession(query=rest),)
    raise NotThere(f"No conversation is called {rest!r}.", hint="/resume alone lists them; /search looks inside them.")


async def _called(words: str, context: ConversationContext) -> list[Listed]:
    """The sessions that some words mean; where there are several, not all of them. A whole title means that one."""
    found: list[Listed] = []
    async for each in all_sessions(context.store):
        found += [each] if matches(each, words) else []
    exact = [each for each in found if each.name.casefold() == words.casefold()]
    return exact if len(exact) == 1 else found


def matches(listed: Listed, words: str) -> bool:
    """Whether a session is meant by some words: all of them are in its key, its title or how it begins."""
    text = f"{listed.key} {listed.name} {' '.join(listed.tags)}".casefold()
    return all(word in text for word in words.casefold().split())


async def _numbered(wanted: int, context: ConversationContext) -> str:
    page = await context.store.page(Wanted(limit=MOST, workspace=context.agent.identity, scripts=False))
    others = [each.key for each in page.sessions if each.key != context.conversation.key]
    if not 0 < wanted <= len(others):
        known = count(len(others), "other conversation")
        raise NotThere(f"There is no number {wanted}: this workspace has {known}.", hint="/resume alone lists all.")
    return others[wanted - 1]


def _switched(key: str, context: ConversationContext) -> Answers:
    if key == context.conversation.key and not context.conversation.closed:
        return (Prose(markdown="That is the conversation you are in."),)
    return (SwitchTo(key=key),)


async def session(_: Inputs, context: ConversationContext) -> Answers:
    """Tell everything about this conversation."""
    state, now = context.conversation.state, context.now()
    others = len(branches(state)) - 1
    rows = [
        ("key", state.key),
        ("title", state.title),
        ("tags", ", ".join(state.tags)),
        ("where", await place(context)),
        ("safe", await promise(context)),
        ("since", f"{clock(state.created)} ({ago(state.created, now)})" if state.created else ""),
        ("began as", _origin(state.origin)),
        ("length", _length(state)),
        ("branches", f"{count(others, 'other way', 'other ways')} it went; /tree shows them" if others else ""),
        ("used", spent(state.usage)),
        ("model", state.model),
        ("held by", str(context.session.holder)),
    ]
    facts = tuple(Fact(name=name, value=value) for name, value in rows if value)
    return (Facts(title="This conversation", facts=facts),)


def _length(state: SessionState) -> str:
    messages, turns = count(state.messages, "message"), count(state.turns, "turn")
    return f"{messages}, {turns}, {count(state.last + 1, 'entry', 'entries')}"


def _origin(origin: Origin | None) -> str:
    match origin:
        case None:
            return ""
        case Fork():
            return f"a copy of {origin.key} up to {origin.pos}"
        case Import():
            return f"read from {origin.file}"
        case _:
            assert_never(origin)


async def place(context: ConversationContext) -> str:
    """Where this conversation lies, and how much room it takes there; '' where that is nobody's business."""
    about = context.about(context.conversation.key)
    if not about.kept:
        return IN_MEMORY
    if not context.may("own files"):
        return ""
    if about.folder is None:
        return about.place
    return f"{about.place} ({human_size(await asyncio.to_thread(_size, about.folder))})"


def _size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


async def promise(context: ConversationContext) -> str:
    """How safe everything is that was said so far; it is committed for this."""
    if not context.agent.settings.persistence:
        return "no: it is gone with this process"
    return PROMISES[(await context.session.commit()).durability]


async def rename(given: Inputs, context: CommandContext) -> Answers:
    """Give a session a title, or take it away."""
    key, title = given.text("key"), given.text("title")
    if not key and not title:
        raise given.refuse("A title is missing.")
    async with context.held(key, "renaming") as session:
        await session.describe(Described(title=title))
        data = Data(value={"key": session.state.key, "title": title})
    name = key or "This conversation"
    return (Prose(markdown=f"{name} is now called {title}." if title else f"{name} has no title now."), data)


async def tag(given: Inputs, context: CommandContext) -> Answers:
    """List the tags of a session, or change them."""
    key, changes = given.text("key"), given.texts("changes")
    if given.in_chat:
        changes = [each.removeprefix("#") for each in changes]
    if any(not each.lstrip("+-").strip() for each in changes):
        raise given.refuse("A tag is empty.", hint="Write +work to add a tag, -work to take it away.")
    if key and not changes:
        name, tags = key, (await (await context.opened()).state(key)).tags
    else:
        async with context.held(key, "tagging") as session:
            name, tags = session.state.key, tagged(session.state.tags, changes)
            if tags != session.state.tags:
                await session.describe(Described(tags=tags))
    data = Data(value={"key": name, "tags": tags})
    if not key:
        return (Prose(markdown=f"Tags: {', '.join(tags)}." if tags else "No tags. `/tag work` adds one."), data)
    first = "-- " if key.startswith("-") else ""
    none = Note(text=f"{key} has no tags. `holdfast tag {first}{word(key)} +work` adds one.")
    return (PlainLines(lines=tags) if tags else none, data)


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


async def archive(given: Inputs, context: CommandContext) -> Answers:
    """Leave sessions out of the list, or take that back."""
    keys, archived = given.names("key"), not given.flag("undo")
    store = await context.opened()
    for key in keys:
        await store.state(key)  # tells of an unknown key before anything is changed
    for key in keys:
        async with context.held(key, "archiving") as session:
            if session.state.archived != archived:
                await session.describe(Described(archived=archived))
    names = ", ".join(keys)
    said = f"Archived {names}; `holdfast sessions --all` lists it." if archived else f"{names}: on the list again."
    return (Prose(markdown=said), Data(value={"keys": keys, "archived": archived}))


async def where(given: Inputs, context: CommandContext) -> Answers:
    """Tell where a session lies, or the store."""
    key = given.text("key")
    if key:
        await (await context.opened()).state(key)  # tells of an unknown key, with those like it
    about = context.about(key or None)
    return (PlainLines(lines=(about.place,)), Data(value={"key": key or None, "folder": about.folder}))
