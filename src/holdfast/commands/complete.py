"""What can stand next in a line that begins with a slash."""

from collections.abc import Iterable
from typing import assert_never, get_args

from holdfast.commands.answers import Theme
from holdfast.commands.chat_table import BY_NAME, IN_CHAT
from holdfast.commands.command import Command, Takes
from holdfast.commands.context import ConversationContext
from holdfast.commands.own_commands import own_commands
from holdfast.commands.run import is_granted
from holdfast.errors import CatalogBusy
from holdfast.records.parts import Value
from holdfast.records.printable import printable_line
from holdfast.session.catalog import Wanted

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


async def complete(line: str, context: ConversationContext) -> list[Completion]:
    """What can stand at the end of a line; nothing for a line that is no command."""
    if not line.startswith("/"):
        return []
    name, space, rest = line.partition(" ")
    if not space:
        known = [each for each in IN_CHAT if is_granted(each, context)]
        own = own_commands(context.loaded, context.environment).values()
        named = [(each.name, each.chat.help) for each in known] + [(each.name, each.help) for each in own]
        return _fitting(name[1:], named) or _fitting(name[1:], _aliases(known))
    command = BY_NAME.get(name[1:].lower())
    return [] if command is None else _fitting(rest.lstrip(), await _arguments(command, context))


def _aliases(known: Iterable[Command]) -> list[tuple[str, str]]:
    return [(alias, f"the same as /{each.name}") for each in known for alias in each.chat.aliases]


def _fitting(begun: str, known: Iterable[tuple[str, str]]) -> list[Completion]:
    """Those that begin as was begun, or else those that have it somewhere."""
    wanted = begun.casefold()
    offered = list(known)
    found = [each for each in offered if each[0].casefold().startswith(wanted)]
    found = found or [each for each in offered if wanted in f"{each[0]} {each[1]}".casefold()]
    return [Completion(text=text, help=said, replaces=len(begun)) for text, said in found[:MOST]]


async def _arguments(command: Command, context: ConversationContext) -> list[tuple[str, str]]:
    # One arm for each thing that can be completed, so that a new one breaks the build here.
    takes: Takes = command.chat.takes
    match takes:
        case "":
            return []
        case "command":
            return [(each.name, each.chat.help) for each in IN_CHAT]
        case "session":
            return await _sessions(context)
        case "model":
            from holdfast.commands.model_choice import choices

            return [(each.name, each.why) for each in await choices(context)]
        case "theme":
            return [(name, "") for name in get_args(Theme)]
        case "setting":
            return [(each.key, "") for each in context.agent.loaded.explained]
        case "format":
            return [("md", "to read"), ("html", "to read in a browser"), ("json", "for programs"), ("jsonl", "by line")]
        case "branch":
            from holdfast.commands.tree import draw

            leaves = (await draw(context.session)).leaves if context.conversation.state.jumps else ()
            return [(str(number), leaf.line) for number, leaf in enumerate(leaves, 1)]
        case "tool":
            return [("allow", "run unasked"), ("ask", "ask first"), ("deny", "never run"), ("forget", "as it was")]
        case _:
            assert_never(takes)


async def _sessions(context: ConversationContext) -> list[tuple[str, str]]:
    try:
        page = await context.store.page(Wanted(limit=MOST, workspace=context.agent.identity, scripts=False))
    except CatalogBusy:
        return []  # a list that is late is of no use while somebody types
    return [
        (each.key, printable_line(each.name, TITLE)) for each in page.sessions if each.key != context.conversation.key
    ]
