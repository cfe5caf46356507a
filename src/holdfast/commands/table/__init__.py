"""Every command, once: running, help, completion and the reference pages of every host come from this table.

Handlers are named, not imported, so that help, completion and a prompt are there before any of them is loaded.
"""

from holdfast.commands.arguments import CHAT_GROUPS, SHELL_GROUPS, Command
from holdfast.commands.table import agent, care, looking, sessions, turns

COMMANDS: tuple[Command, ...] = (*turns.ROWS, *sessions.ROWS, *agent.ROWS, *looking.ROWS, *care.ROWS)
IN_SHELL = tuple(each for group in SHELL_GROUPS for each in COMMANDS if each.shell.group == group)
"""Those of a shell, in the order of its help."""
IN_CHAT = tuple(each for group in CHAT_GROUPS for each in COMMANDS if each.chat.group == group)
"""Those of a chat, in the order of its help."""
BY_NAME = {name: each for each in IN_CHAT for name in (each.name, *each.chat.aliases)}
"""Every command of a chat by its name and by its other names."""
DEFAULT = "chat"
"""The command that is meant in a shell where none is named."""
