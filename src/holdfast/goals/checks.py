"""Checks of a goal: the commands that a person gave, run as the shell tool runs commands.

A check that fails, takes too long, is forbidden or cannot be run is not met. The agent cannot change them, and they
are run before any model is asked.
"""

import asyncio
import json
from collections.abc import Callable
from hashlib import sha256

from holdfast.agent.permissions import Permissions
from holdfast.agent.tool import Toolbox, ToolContext
from holdfast.errors import HoldfastError
from holdfast.records.entries import CheckRun
from holdfast.records.parts import plain_text

SHELL = "shell"
SHOWN = 2_000
"""Characters of the output of a failed check that the agent is shown, of its end."""


class Checks:
    """Runs checks."""

    def __init__(self, toolbox: Callable[[], Toolbox], permissions: Callable[[], Permissions], seconds: float) -> None:
        """Take the shell from a toolbox; each check may take so long."""
        self._toolbox, self._permissions, self._seconds = toolbox, permissions, seconds

    async def run(self, commands: tuple[str, ...], context: ToolContext) -> tuple[tuple[CheckRun, ...], str]:
        """Run checks, one after the other; gives how each went, and what the first failed one wrote."""
        runs, wrote = list[CheckRun](), ""
        for command in commands:
            context.tell(f"check: {command}")
            run, output = await self._one(command, context)
            runs.append(run)
            wrote = wrote or ("" if run.passed else f"$ {command}\n{output[-SHOWN:]}")
        return tuple(runs), wrote

    async def _one(self, command: str, context: ToolContext) -> tuple[CheckRun, str]:
        began = asyncio.get_running_loop().time()
        shell = next((tool for tool in await self._toolbox().tools() if tool.spec.name == SHELL), None)
        if shell is None:
            return CheckRun(command=command, passed=False, note="not run: there is no shell here"), ""
        try:
            arguments = json.dumps({"command": command, "seconds": self._seconds})
            action = await shell.understand(arguments, context)
            if self._permissions().denies(action.ask):
                return CheckRun(command=command, passed=False, note="not run: a rule of the settings forbids it"), ""
            output = await action.run()
        except HoldfastError as error:
            return CheckRun(command=command, passed=False, note=f"not run: {error}"[:300]), str(error)
        text = plain_text(output.parts)
        note, _, wrote = text.partition("\n")
        return CheckRun(
            command=command,
            passed=output.ok,
            note=note[:300],
            output=sha256(wrote.encode("utf-8", "replace")).hexdigest(),
            milliseconds=round((asyncio.get_running_loop().time() - began) * 1000),
        ), text
