"""The slash commands that can be run over a socket, for those who offer them while one types."""

from starlette.responses import Response

from holdfast.commands.chat_table import IN_CHAT
from holdfast.hosts.gateway.resource import Call, Resource, json
from holdfast.records.parts import Value

REACHED = frozenset({"conversation", "store"})
"""A client has no terminal and no files on this machine."""


class SlashCommand(Value, frozen=True, kw_only=True, omit_defaults=False):
    """A command."""

    name: str
    usage: str
    help: str
    aliases: tuple[str, ...]


class SlashCommands(Value, frozen=True, kw_only=True, omit_defaults=False):
    """All of them, in the order of the help."""

    commands: tuple[SlashCommand, ...]


async def _commands(_call: Call) -> Response:
    offered = tuple(
        SlashCommand(name=each.name, usage=each.usage, help=each.chat.help, aliases=each.chat.aliases)
        for each in IN_CHAT
        if REACHED.issuperset(each.reach)
    )
    return json(SlashCommands(commands=offered))


RESOURCES = (Resource("GET", "/commands", _commands, "The slash commands.", answer=SlashCommands),)
