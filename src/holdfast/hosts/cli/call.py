"""One call of the command: what it was given, where it writes, which store it is about."""

from collections.abc import Callable, Coroutine, Mapping
from typing import TypeAlias

from holdfast.commands.command import Command
from holdfast.commands.context import CommandContext
from holdfast.commands.inputs import Inputs
from holdfast.hosts.console import Console
from holdfast.hosts.exits import Exit


class ShellCall(Inputs):
    """What a command of the shell works on."""

    def __init__(
        self, command: Command, values: Mapping[str, object], console: Console, context: CommandContext
    ) -> None:
        """Join what was parsed, the console and the store."""
        super().__init__(command, values)
        self.console, self.context = console, context
        self.now = context.now()


OwnHandler: TypeAlias = Callable[[ShellCall], Coroutine[object, object, Exit]]
"""Does what a command of a host is for."""
