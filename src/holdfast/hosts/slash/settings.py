"""The settings that count, and the colours."""

from typing import get_args

from holdfast.hosts.command.configuring import chosen, keys_in, parts
from holdfast.hosts.slash.answer import Answers, Column, Table, Theme, Themed, Words
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.run import misused


async def config(rest: str, desk: SlashDesk) -> Answers:
    """List settings with who said so; never what a secret is."""
    found = chosen(desk.agent.loaded.explained, rest)
    rows = [(each.key, text, origin.said) for each in found for text, origin in parts(each)]
    rows += [] if rest else [(name, "set", "in the environment") for name in keys_in(desk.environment)]
    files = ", ".join(str(each.path) for each in desk.agent.loaded.files)
    table = Table(
        columns=(Column(name="Setting"), Column(name="Value"), Column(name="Who said so")),
        rows=tuple(rows),
        note=f"Change them in: {files}. They are read when a chat begins.",
    )
    return (table,)


async def theme(rest: str, desk: SlashDesk) -> Answers:
    """Change the colours."""
    name = rest.lower()
    if not name:
        usual = desk.agent.settings.ui.theme
        return (Words(markdown=f"Themes: {', '.join(get_args(Theme))}. The settings say {usual}."),)
    for known in get_args(Theme):
        if name == known:
            said = f"The theme is {known} from here on. `ui.theme` in the settings is for every chat."
            return (Themed(name=known), Words(markdown=said))
    raise misused("theme", f"There is no theme {rest!r}.")
