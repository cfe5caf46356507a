"""`sessions`, `search` and `trash`: what there is, where something was said, and what can come back."""

import shlex

from holdfast.commands.answers import Answers, Data, Note, Table
from holdfast.commands.command import LIMIT
from holdfast.commands.list import shown_name
from holdfast.commands.text.times import ago, human_size
from holdfast.commands.text.width import clip, flat, pad, width, wrap
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.cli.output import print_answer
from holdfast.hosts.console import Console, Styled
from holdfast.log.store import Trashed
from holdfast.session.catalog import Hit, Listed, Page

NARROW = 64
"""Below this many columns a session takes two lines."""
PREVIEW = 60
"""How much of a title or preview is shown where lines may have any length."""
SHORTEST_KEY = 12
SHORTEST_MARK = 3
"""A tag of fewer letters says nothing."""


async def print_page(call: ShellCall, answers: Answers) -> None:
    """Print a list of sessions."""
    page = next(each.value for each in answers if isinstance(each, Data))
    if isinstance(page, Page) and page.sessions:
        _print_page(call, page)
    elif not (isinstance(page, Page) and page.waiting):
        _print_nothing(call)


def _print_nothing(call: ShellCall) -> None:
    if call.text("cursor") or call.text("tag") or call.flag("archived"):
        call.console.note("No session is like that. `holdfast sessions --all` lists every one.")
        return
    place = call.context.place
    missing = place.folder is not None and not place.folder.is_dir()
    call.console.note(f"There are no sessions in {place}{', which does not exist' if missing else ''}.")
    call.console.note("Somewhere else? Set HOLDFAST_STORE, or give --store PATH. Archived ones: --all.")
    call.console.note("To begin one: `holdfast` talks to the agent. From Python:")
    call.console.command(f"  import holdfast; store = holdfast.open_blocking({str(place)!r})")
    call.console.command("  with store.session('notes') as notes: notes.say('hello')")
    call.console.note("To see how it works: python -m holdfast.hosts.demo")


def _print_page(call: ShellCall, page: Page) -> None:
    console = call.console
    if console.width is not None and console.width < NARROW:
        for each in page.sessions:
            _print_narrow(call, each, console.width)
    else:
        _print_table(call, page)
    if page.cursor:
        console.command(f"There are more: {_next(call, page.cursor)}")


def _next(call: ShellCall, cursor: str) -> str:
    """The command that goes on with a list."""
    words = ["holdfast", "sessions", "--cursor", cursor]
    words += [f"--{name}" for name in ("all", "archived") if call.flag(name)]
    words += ["--tag", call.text("tag")] if call.text("tag") else []
    words += ["--limit", call.text("limit")] if call.number("limit") != LIMIT else []
    words += ["--store", call.text("store")] if call.text("store") else []
    return shlex.join(words)


def _print_table(call: ShellCall, page: Page) -> None:
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


def _print_narrow(call: ShellCall, each: Listed, columns: int) -> None:
    used = ago(each.updated, call.now)
    room = columns - len(used) - 1
    call.console.line(Styled(pad(clip(flat(each.key), room), room), "bold"), f" {used}")
    call.console.line("  ", *_about(each, columns - 2))


def _about(each: Listed, room: int) -> tuple[Styled | str, ...]:
    marks = "".join(f" #{tag}" for tag in each.tags) + (" (archived)" if each.archived else "")
    damaged = " DAMAGED" if each.damaged else ""
    room -= len(damaged)
    # The title gives way to tags, down to two thirds of the room; then tags give way.
    title = flat(shown_name(each))
    title = clip(title, max(room - width(flat(marks)), room * 2 // 3))
    left = room - width(title)
    marks = clip(flat(marks), left) if left > SHORTEST_MARK else ""
    return title, Styled(marks, "cyan"), Styled(damaged, "red")


async def print_hits(call: ShellCall, answers: Answers) -> None:
    """Print where something was said."""
    for each in answers:
        if isinstance(each, Note):
            await print_answer(call, each)
        elif isinstance(each, Data) and isinstance(each.value, tuple) and each.value:
            _print_hits(call, each.value)


def _print_hits(call: ShellCall, hits: tuple[Hit, ...]) -> None:
    console = call.console
    for hit in hits:
        place, note = f" {hit.pos}", f"  {hit.role}, {ago(hit.at, call.now)}"
        key = flat(hit.key)
        if console.width is not None:
            key = clip(key, max(SHORTEST_KEY, console.width - len(place) - len(note)))
        console.line(Styled(key, "bold"), Styled(place, "cyan"), Styled(note, "dim"))
        _indented(console, hit.snippet)
    first = hits[0]
    console.command(f"To read on: {call.context.line('show', first.key, f'--from {first.pos}')}")


def _indented(console: Console, text: str) -> None:
    for line in wrap(text, None if console.width is None else console.width - 2):
        console.line("  ", line)


async def print_trash(call: ShellCall, answers: Answers) -> None:
    """Print what lies in the trash, or what became of it."""
    for each in answers:
        if isinstance(each, Data) and call.text("action") == "list" and isinstance(each.value, tuple) and each.value:
            _print_trashed(call, each.value)
        elif not (isinstance(each, Table) and call.text("action") == "list"):
            await print_answer(call, each)


def _print_trashed(call: ShellCall, trashed: tuple[Trashed, ...]) -> None:
    from holdfast.commands.trash import label

    room = None if call.console.width is None else max(8, call.console.width - 24)
    labels = [flat(label(each, trashed)) for each in trashed]
    flats = labels if room is None else [clip(each, room) for each in labels]
    longest = max(map(width, flats))
    for each, name in zip(trashed, flats, strict=True):
        size = human_size(each.size)
        call.console.line(Styled(pad(name, longest), "bold"), f"  {ago(each.at, call.now):<10}  {size:>6}")
    call.console.note("`holdfast trash restore KEY` brings one back.", style="dim")
