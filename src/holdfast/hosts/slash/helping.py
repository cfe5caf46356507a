"""`/help`: what there is to type."""

from holdfast.hosts.slash.answer import Answers, Column, Table, Words
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.run import named
from holdfast.hosts.slash.table import COMMANDS, GROUPS, SlashCommand

MORE = "`/help COMMAND` says more of one. Anything else you type is said to the model."


async def show_help(rest: str, _: SlashDesk) -> Answers:
    """All commands, or one."""
    if rest:
        return (Words(markdown=about(named(rest))),)
    return tuple(_group(group, note=MORE if group == GROUPS[-1] else "") for group in GROUPS)


def _group(group: str, note: str) -> Table:
    return Table(
        title=group,
        columns=(Column(name=""), Column(name="")),
        rows=tuple((f"/{each.name}", each.help) for each in COMMANDS if each.group == group),
        note=note,
    )


def about(command: SlashCommand) -> str:
    """Everything there is to say of a command."""
    said = f"{command.help[:1].upper()}{command.help[1:]}."
    others = ", ".join(f"`/{each}`" for each in command.aliases)
    parts = [f"`{command.usage}`", said, command.details, f"Also: {others}." if others else ""]
    return "\n\n".join(part for part in parts if part)
