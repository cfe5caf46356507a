"""The built-in tools, in the order in which the model is told of them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from holdfast.agent.tool import Tool
from holdfast.records.parts import Value
from holdfast.tools.ask import AskUser
from holdfast.tools.files.edit import EditFile
from holdfast.tools.files.find import Find
from holdfast.tools.files.grep import Grep
from holdfast.tools.files.list import ListDir
from holdfast.tools.files.read import ReadFile
from holdfast.tools.files.workspace import WorkspaceFiles
from holdfast.tools.files.write import WriteFile
from holdfast.tools.shell.jobs import Jobs
from holdfast.tools.shell.sandbox import Sandbox
from holdfast.tools.shell.shell import SECONDS, Shell, ShellRead, ShellStop
from holdfast.tools.skills import ReadSkill, Skill
from holdfast.tools.stored_output import ReadOutput
from holdfast.tools.todo import Todo
from holdfast.tools.web.addresses import Network
from holdfast.tools.web.fetch import WebFetch


class ToolReach(Value, frozen=True, kw_only=True):
    """How far tools reach."""

    shell_network: bool = False
    """Whether commands in a sandbox have a network."""
    shell_seconds: float = SECONDS
    """How long a command may run, unless the call says otherwise."""
    web_allowed: tuple[Network, ...] = ()
    """Networks that pages may be read from besides the public web."""
    folders: tuple[Path, ...] = ()
    """Further folders, or files, that file tools never write to, and read only after asking: Holdfast's own."""
    private: tuple[str, ...] = ()
    """Patterns of further paths, as rules of permission have them, that are read only after asking."""


USUAL = ToolReach()
"""How far tools reach where nothing else is set."""


class Builtin(msgspec.Struct, frozen=True, kw_only=True):
    """The tools of one workspace, and what they have started."""

    tools: tuple[Tool, ...]
    notes: tuple[str, ...] = ()
    """What a person should know of them."""
    jobs: Jobs | None = None

    async def close(self) -> None:
        """End what the tools have started."""
        if self.jobs is not None:
            await self.jobs.close()


def built_in(
    root: Path,
    *,
    sandbox: Sandbox | None,
    environment: Mapping[str, str],
    reach: ToolReach = USUAL,
    skills: Iterable[Skill] = (),
    further: Iterable[Tool] = (),
) -> Builtin:
    """The tools for a workspace; without a sandbox there is no shell, and without skills nothing to read them with.

    `further` are those that need more than a workspace: the agent's goal.
    """
    workspace = WorkspaceFiles(root, folders=reach.folders, private=reach.private)
    files: tuple[Tool, ...] = (
        ReadFile(workspace),
        WriteFile(workspace),
        EditFile(workspace),
        ListDir(workspace),
        Find(workspace),
        Grep(workspace),
    )
    shell = None
    if sandbox is not None:
        shell = Shell(root, sandbox, network=reach.shell_network, seconds=reach.shell_seconds, environment=environment)
    commands: tuple[Tool, ...] = (shell, ShellRead(shell.jobs), ShellStop(shell.jobs)) if shell else ()
    web = WebFetch(allowed=reach.web_allowed)
    listed = tuple(skills)
    reading: tuple[Tool, ...] = (ReadSkill(listed),) if listed else ()
    return Builtin(
        tools=(*files, *commands, web, Todo(), AskUser(), ReadOutput(), *reading, *further),
        notes=(sandbox.said,) if sandbox is not None and not sandbox.confines else (),
        jobs=shell.jobs if shell else None,
    )
