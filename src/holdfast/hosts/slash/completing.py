"""What can stand next in a line that begins with a slash."""

from collections.abc import Iterable
from typing import assert_never, get_args

from holdfast.errors import CatalogBusy
from holdfast.hosts.slash.answer import Theme
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.table import BY_NAME, COMMANDS, SlashCommand, Takes
from holdfast.records.parts import Value
from holdfast.records.safe import safe_line

MOST = 50
"""How many are offered."""
TITLE = 60


class Completion(Value, frozen=True, kw_only=True):
    """One thing that can stand there."""

    text: str
    help: str = ""
    """One line, safe to show."""
    replaces: int = 0
    """How many characters at the end of the line it takes the place of."""


async def complete(line: str, desk: SlashDesk) -> list[Completion]:
    """What can stand at the end of a line; nothing for a line that is no command."""
    if not line.startswith("/"):
        return []
    name, space, rest = line.partition(" ")
    if not space:
        return _fitting(name[1:], [(each.name, each.help) for each in COMMANDS]) or _fitting(name[1:], _aliases())
    command = BY_NAME.get(name[1:].lower())
    return [] if command is None else _fitting(rest.lstrip(), await _arguments(command, desk))


def _aliases() -> list[tuple[str, str]]:
    return [(alias, f"the same as /{each.name}") for each in COMMANDS for alias in each.aliases]


def _fitting(begun: str, known: Iterable[tuple[str, str]]) -> list[Completion]:
    """Those that begin as was begun, or else those that have it somewhere."""
    wanted = begun.casefold()
    offered = list(known)
    found = [each for each in offered if each[0].casefold().startswith(wanted)]
    found = found or [each for each in offered if wanted in f"{each[0]} {each[1]}".casefold()]
    return [Completion(text=text, help=said, replaces=len(begun)) for text, said in found[:MOST]]


async def _arguments(command: SlashCommand, desk: SlashDesk) -> list[tuple[str, str]]:
    # One arm for each thing that can be completed, so that a new one breaks the build here.
    takes: Takes = command.takes
    match takes:
        case "":
            return []
        case "command":
            return [(each.name, each.help) for each in COMMANDS]
        case "session":
            return await _sessions(desk)
        case "model":
            from holdfast.hosts.slash.models import choices

            return [(each.name, each.why) for each in await choices(desk)]
        case "theme":
            return [(name, "") for name in get_args(Theme)]
        case "setting":
            return [(each.key, "") for each in desk.agent.loaded.explained]
        case "format":
            return [("md", "to read"), ("html", "to read in a browser"), ("json", "for programs"), ("jsonl", "by line")]
        case "branch":
            from holdfast.hosts.slash.drawing import draw

            leaves = (await draw(desk.session)).leaves if desk.conversation.state.jumps else ()
            return [(str(number), leaf.line) for number, leaf in enumerate(leaves, 1)]
        case "tool":
            return [("allow", "run unasked"), ("ask", "ask first"), ("deny", "never run"), ("forget", "as it was")]
        case _:
            assert_never(takes)


async def _sessions(desk: SlashDesk) -> list[tuple[str, str]]:
    try:
        page = await desk.store.list(limit=MOST, workspace=desk.agent.identity)
    except CatalogBusy:
        return []  # a list that is late is of no use while somebody types
    return [
        (each.key, safe_line(each.title or each.preview, TITLE))
        for each in page.sessions
        if each.key != desk.conversation.key
    ]
