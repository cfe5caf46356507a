"""Which conversation one is in: beginning, changing to another, naming, removing."""

import asyncio
from pathlib import Path
from typing import assert_never

from holdfast.assembly import folder_of
from holdfast.commands.text.times import ago, clock, count, human_size
from holdfast.commands.workspace_sessions import new_key
from holdfast.errors import HoldfastError, NotThere
from holdfast.hosts.command.changing import tagged
from holdfast.hosts.slash.answer import (
    Answers,
    Cleared,
    Confirm,
    Fact,
    Facts,
    PickSession,
    Quit,
    SwitchTo,
    Words,
)
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.money import spent
from holdfast.hosts.slash.run import misused, number
from holdfast.log.store import Durability
from holdfast.records.entries import Described, Fork, Import, Origin
from holdfast.session.branch import branches
from holdfast.session.catalog import Listed
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


async def new(rest: str, desk: SlashDesk) -> Answers:
    """Begin another conversation."""
    if rest:
        raise misused("new", "A new conversation begins with nothing; say your words when it is there.")
    return (_fresh(desk),)


def _fresh(desk: SlashDesk) -> SwitchTo:
    return SwitchTo(key=new_key(desk.agent.root, desk.now()), create=True)


async def clear(rest: str, desk: SlashDesk) -> Answers:
    """Begin another conversation, on an empty screen."""
    return (Cleared(), *await new(rest, desk))


async def leave(_: str, __: SlashDesk) -> Answers:
    """Leave."""
    return (Quit(),)


async def resume(rest: str, desk: SlashDesk) -> Answers:
    """Go on with another conversation."""
    if not rest:
        return (PickSession(),)
    if await desk.store.exists(rest):
        return _switched(rest, desk)
    wanted = number(rest)
    if wanted is not None:
        return _switched(await _numbered(wanted, desk), desk)
    found = await _called(rest, desk)
    if len(found) == 1:
        return _switched(found[0].key, desk)
    if found:
        return (PickSession(query=rest),)
    raise NotThere(f"No conversation is called {rest!r}.", hint="/resume alone lists them; /search looks inside them.")


async def _called(words: str, desk: SlashDesk) -> list[Listed]:
    """The sessions that some words mean; where there are several, not all of them."""
    found: list[Listed] = []
    cursor = ""
    while True:
        page = await desk.store.list(limit=MOST, cursor=cursor, archived=None)
        found += [each for each in page.sessions if matches(each, words)]
        cursor = page.cursor
        if len(found) > 1 or not cursor:
            return found


def matches(listed: Listed, words: str) -> bool:
    """Whether a session is meant by some words: all of them are in its key, its title or how it begins."""
    text = f"{listed.key} {listed.title or listed.preview} {' '.join(listed.tags)}".casefold()
    return all(word in text for word in words.casefold().split())


async def _numbered(wanted: int, desk: SlashDesk) -> str:
    page = await desk.store.list(limit=MOST, workspace=desk.agent.identity)
    others = [each.key for each in page.sessions if each.key != desk.conversation.key]
    if not 0 < wanted <= len(others):
        known = count(len(others), "other conversation")
        raise NotThere(f"There is no number {wanted}: this workspace has {known}.", hint="/resume alone lists all.")
    return others[wanted - 1]


def _switched(key: str, desk: SlashDesk) -> Answers:
    if key == desk.conversation.key and not desk.conversation.closed:
        return (Words(markdown="That is the conversation you are in."),)
    return (SwitchTo(key=key),)


async def session(rest: str, desk: SlashDesk) -> Answers:
    """Tell everything about this conversation."""
    if rest:
        raise misused("session", "/session tells of the conversation you are in; /resume goes to another.")
    state, now = desk.conversation.state, desk.now()
    others = len(branches(state)) - 1
    rows = [
        ("key", state.key),
        ("title", state.title),
        ("tags", ", ".join(state.tags)),
        ("where", await place(desk)),
        ("safe", await promise(desk)),
        ("since", f"{clock(state.created)} ({ago(state.created, now)})" if state.created else ""),
        ("began as", _origin(state.origin)),
        ("length", _length(state)),
        ("branches", f"{count(others, 'other way', 'other ways')} it went; /tree shows them" if others else ""),
        ("used", spent(state.usage)),
        ("model", state.model),
        ("held by", str(desk.session.holder)),
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


async def place(desk: SlashDesk) -> str:
    """Where this conversation lies, and how much room it takes there."""
    settings = desk.agent.settings
    if not settings.persistence:
        return IN_MEMORY
    folder = folder_of(settings.store, desk.conversation.key).absolute()
    return f"{folder} ({human_size(await asyncio.to_thread(_size, folder))})"


def _size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


async def promise(desk: SlashDesk) -> str:
    """How safe everything is that was said so far; it is committed for this."""
    if not desk.agent.settings.persistence:
        return "no: it is gone with this process"
    return PROMISES[(await desk.session.commit()).durability]


async def rename(rest: str, desk: SlashDesk) -> Answers:
    """Give this conversation a title."""
    if not rest:
        raise misused("rename", "A title is missing.")
    await desk.conversation.describe(Described(title=rest))
    return (Words(markdown=f"This conversation is now called {rest}."),)


async def tag(rest: str, desk: SlashDesk) -> Answers:
    """List tags, or change them."""
    changes = [each.removeprefix("#") for each in rest.split()]
    if any(not each.lstrip("+-") for each in changes):
        raise misused("tag", "A tag is empty.")
    before = desk.conversation.state.tags
    after = tagged(before, changes)
    if after != before:
        await desk.conversation.describe(Described(tags=after))
    listed = ", ".join(after)
    return (Words(markdown=f"Tags: {listed}." if after else "No tags. `/tag work` adds one."),)


async def delete(rest: str, desk: SlashDesk) -> Answers:
    """Move this conversation into the trash, once that was confirmed."""
    state = desk.conversation.state
    if rest not in {"", "--yes"}:
        raise misused("delete", "Only the conversation you are in can be deleted here.")
    if not rest:
        name = state.title or state.key
        question = f"Move {name} ({count(state.messages, 'message')}) into the trash?"
        return (Confirm(question=question, then="/delete --yes"),)
    await desk.agent.engine.leave(state.key)
    try:
        await desk.store.throw_away(state.key)
    except HoldfastError as error:
        return (Words(markdown=f"It was not deleted. {error}"), SwitchTo(key=state.key))
    back = f"`holdfast trash restore {state.key}` brings it back."
    return (Words(markdown=f"{state.key} is in the trash. {back}"), _fresh(desk))
