"""`/help`: what there is to type; and every command as data, for palettes and menus."""

from collections.abc import Iterable

from holdfast.commands.answers import Answers, Column, Prose, Table
from holdfast.commands.chat_table import IN_CHAT
from holdfast.commands.command import CHAT_GROUPS, Argument, Command
from holdfast.commands.context import CommandContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.own_commands import OwnCommand, own_commands
from holdfast.commands.run import is_granted, named

OWN = "Your own"
MORE = "`/help COMMAND` says more of one. Anything else you type is said to the model."


async def show_help(given: Inputs, context: CommandContext) -> Answers:
    """All commands, or one."""
    if asked := given.text("command"):
        own_one = own_commands(context.loaded, context.environment).get(asked.removeprefix("/").lower())
        return (Prose(markdown=_about_own(own_one) if own_one else about(named(asked))),)
    granted = [each for each in IN_CHAT if is_granted(each, context)]
    groups = [group for group in CHAT_GROUPS if any(each.chat.group == group for each in granted)]
    own = own_commands(context.loaded, context.environment).values()
    tables = tuple(_group(group, granted, note=MORE if group == groups[-1] else "") for group in groups)
    if not own:
        return tables
    rows = tuple((f"/{each.name}", each.help) for each in own)
    return (*tables[:-1], Table(title=OWN, columns=(Column(name=""), Column(name="")), rows=rows), *tables[-1:])


def _group(group: str, granted: Iterable[Command], note: str) -> Table:
    return Table(
        title=group,
        columns=(Column(name=""), Column(name="")),
        rows=tuple((f"/{each.name}", each.chat.help) for each in granted if each.chat.group == group),
        note=note,
    )


def _about_own(command: OwnCommand) -> str:
    """Everything there is to say of an own command, its text included."""
    needs = f"It needs {', '.join(f'`{each}`' for each in command.tools)}." if command.tools else ""
    usage = f"`/{command.name} {command.arguments}".rstrip()
    whose = "the project's" if command.project else "your"
    said = f"It is {whose} own, and says this to the model:"
    return "\n\n".join(part for part in (f"{usage}`", command.description, needs, said, command.text) if part)


def about(command: Command) -> str:
    """Everything there is to say of a command."""
    said = f"{command.chat.help[:1].upper()}{command.chat.help[1:]}."
    others = ", ".join(f"`/{each}`" for each in command.chat.aliases)
    parts = [f"`{command.usage}`", said, command.chat.details, f"Also: {others}." if others else ""]
    return "\n\n".join(part for part in parts if part)


def described(command: Command) -> dict[str, object]:
    """A command of a chat as data: for a palette, a menu, or another process."""
    chat = command.chat
    return {
        "name": command.name,
        "aliases": list(chat.aliases),
        "usage": command.usage,
        "help": chat.help,
        "details": chat.details,
        "group": chat.group,
        "reach": list(command.reach),
        "takes": chat.takes,
        "arguments": [_argument(each) for each in command.arguments if each.chat],
    }


def _argument(argument: Argument) -> dict[str, object]:
    return {
        "name": argument.name,
        "help": argument.help,
        "form": argument.chat,
        "number": argument.number,
        "choices": list(argument.choices),
        "reach": argument.reach,
    }
