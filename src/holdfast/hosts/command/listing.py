"""`sessions` and `search`: what there is, and where something was said."""

import shlex

from holdfast.commands.text.times import ago, count, human_size
from holdfast.commands.text.width import clip, pad, width, wrap
from holdfast.errors import BadInput
from holdfast.hosts.command.arguments import LIMIT
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.console import Console, Styled, flat
from holdfast.hosts.command.exits import Exit
from holdfast.session.catalog import Hit, Listed, Page
from holdfast.session.store import Store

NARROW = 64
"""Below this many columns a session takes two lines."""
PREVIEW = 60
"""How much of a title or preview is shown where lines may have any length."""
SHORTEST_KEY = 12
SHORTEST_MARK = 3
"""A tag of fewer letters says nothing."""


async def sessions(call: Call) -> Exit:
    """List sessions."""
    page = Page(sessions=())
    if call.has_sessions():
        async with call.open() as store:
            await _retain(call, store)
            page = await _page(call, store)
    if call.flag("json"):
        call.print_json(page)
    elif page.sessions:
        _print_page(call, page)
    else:
        _print_nothing(call)
    return Exit.OK


async def _page(call: Call, store: Store) -> Page:
    archived = None if call.flag("all") else call.flag("archived")
    limit, cursor, tag = call.number("limit") or 1, call.text("cursor"), call.text("tag")
    return await store.list(limit=limit, cursor=cursor, archived=archived, tag=tag)


async def _retain(call: Call, store: Store) -> None:
    days = call.settings.retention_days
    if days <= 0:
        return
    moved = await store.retain(days)
    if moved:
        names = clip(", ".join(each.key for each in moved), PREVIEW)
        call.console.note(
            f"{count(len(moved), 'session')} idle for more than {days:g} days went to the trash ({names}); "
            "`holdfast trash restore KEY` brings one back."
        )


def _print_nothing(call: Call) -> None:
    if call.text("cursor") or call.text("tag") or call.flag("archived"):
        call.console.note("No session is like that. `holdfast sessions --all` lists every one.")
        return
    call.console.note(
        f"There are no sessions in {call.store}{'' if call.store.is_dir() else ', which does not exist'}."
    )
    call.console.note("Somewhere else? Set HOLDFAST_STORE, or give --store PATH. Archived ones: --all.")
    call.console.note("To begin one: `holdfast` talks to the agent. From Python:")
    call.console.command(f"  import holdfast; store = holdfast.open_blocking({str(call.store)!r})")
    call.console.command("  with store.session('notes') as notes: notes.say('hello')")
    call.console.note("To see how it works: python -m holdfast.hosts.demo")


def _print_page(call: Call, page: Page) -> None:
    console = call.console
    if console.width is not None and console.width < NARROW:
        for each in page.sessions:
            _print_narrow(call, each, console.width)
    else:
        _print_table(call, page)
    if page.cursor:
        console.command(f"There are more: {_next(call, page.cursor)}")


def _next(call: Call, cursor: str) -> str:
    """The command that goes on with a list."""
    words = ["holdfast", "sessions", "--cursor", cursor]
    words += [f"--{name}" for name in ("all", "archived") if call.flag(name)]
    words += ["--tag", call.text("tag")] if call.text("tag") else []
    words += ["--limit", call.text("limit")] if call.number("limit") != LIMIT else []
    words += ["--store", call.text("store")] if call.text("store") else []
    return shlex.join(words)


def _print_table(call: Call, page: Page) -> None:
    console, keys = call.console, [flat(each.key) for each in page.sessions]
    longest = max(map(width, (*keys, "KEY")))
    longest = min(longest, PREVIEW if console.width is None else max(SHORTEST_KEY, console.width // 3))
    rest = PREVIEW if console.width is None else console.width - longest - 33
    console.line(Styled(f"{pad('KEY', longest)}  {'USED':<10}  {'MESSAGES':>8}  {'SIZE':>6}  TITLE", "dim"))
    for each, key in zip(page.sessions, keys, strict=True):
        used, size = ago(each.updated, call.now), human_size(each.size)
        console.line(
            Styled(pad(key if console.width is None else clip(key, longest), longest), "bold"),
            f"  {used:<10}  {each.messages:>8,}  {size:>6}  ",
            *_about(each, rest),
        )


def _print_narrow(call: Call, each: Listed, columns: int) -> None:
    used = ago(each.updated, call.now)
    room = columns - len(used) - 1
    call.console.line(Styled(pad(clip(flat(each.key), room), room), "bold"), f" {used}")
    call.console.line("  ", *_about(each, columns - 2))


def _about(each: Listed, room: int) -> tuple[Styled | str, ...]:
    marks = "".join(f" #{tag}" for tag in each.tags) + (" (archived)" if each.archived else "")
    damaged = " DAMAGED" if each.damaged else ""
    room -= len(damaged)
    # The title gives way to tags, down to two thirds of the room; then tags give way.
    title = flat(each.title or each.preview)
    title = clip(title, max(room - width(flat(marks)), room * 2 // 3))
    left = room - width(title)
    marks = clip(flat(marks), left) if left > SHORTEST_MARK else ""
    return title, Styled(marks, "cyan"), Styled(damaged, "red")


async def search(call: Call) -> Exit:
    """Find what was said."""
    text = " ".join(call.texts("text"))
    if not text.strip():
        raise BadInput("There is nothing to look for.", hint='Give a word, a part of one, or a "phrase in quotes".')
    hits: tuple[Hit, ...] = ()
    key = call.text("session") or None
    if call.has_sessions():
        async with call.open() as store:
            if key is not None:
                await store.state(key)  # tells of an unknown key, with those like it
            hits = await store.search(text, limit=call.number("limit") or 1, key=key)
    if call.flag("json"):
        call.print_json(hits)
    elif hits:
        _print_hits(call, hits)
    else:
        call.console.note(f"Nothing said in {key or call.store} has any of: {text}")
        if text.isascii() and not any(map(str.isalnum, text)):
            call.console.note("Words are looked for; signs such as these are none.")
    return Exit.OK


def _print_hits(call: Call, hits: tuple[Hit, ...]) -> None:
    console = call.console
    for hit in hits:
        place, note = f" {hit.pos}", f"  {hit.role}, {ago(hit.at, call.now)}"
        key = flat(hit.key)
        if console.width is not None:
            key = clip(key, max(SHORTEST_KEY, console.width - len(place) - len(note)))
        console.line(Styled(key, "bold"), Styled(place, "cyan"), Styled(note, "dim"))
        _indented(console, hit.snippet)
    first = hits[0]
    console.command(f"To read on: {call.line('show', first.key, f'--from {first.pos}')}")


def _indented(console: Console, text: str) -> None:
    for line in wrap(text, None if console.width is None else console.width - 2):
        console.line("  ", line)
