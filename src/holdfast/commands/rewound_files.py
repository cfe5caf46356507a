"""Files that a rewind takes back: what it offers, what it leaves alone, and what one that broke off has left to do.

The rewind and what it does to files is in the log, in one write, before a file is touched. So a process that is killed
leaves each file as it was or as it was to be, and whoever comes back is told which.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from holdfast.assembly.agent import AgentRuntime, own_folders
from holdfast.commands.text.times import count
from holdfast.config import Loaded
from holdfast.errors import HoldfastError
from holdfast.records.entries import CommandRan, FileChanged, ToolStarted, UserSaid
from holdfast.records.printable import printable_line
from holdfast.session.file_history import file_changed, intended, past_files
from holdfast.session.writer import Session
from holdfast.tools.files.take_back import FoundFile, compared, take_back
from holdfast.tools.files.workspace import WorkspaceFiles
from holdfast.tools.step import in_thread

MOST = 20
"""Files that an offer names."""
NAME = 200
"""Characters of a path."""


class FilePlan(NamedTuple):
    """What going back to a position means for files."""

    found: tuple[FoundFile, ...] = ()
    """The files that are not as they were."""
    commands: int = 0
    """Commands that ran since: what they changed is not known."""

    @property
    def ours(self) -> tuple[FoundFile, ...]:
        """Those that only the agent changed."""
        return tuple(each for each in self.found if each.standing == "ours")

    @property
    def theirs(self) -> tuple[FoundFile, ...]:
        """Those that somebody else changed too."""
        return tuple(each for each in self.found if each.standing == "theirs")

    @property
    def words(self) -> str:
        """The plan for a person, a line for each file."""
        lines = [f"  {_verb(each):<9}  {_name(each)}" for each in self.found[:MOST]]
        if len(self.found) > MOST:
            lines.append(f"  … and {count(len(self.found) - MOST, 'more file')}")
        if self.commands:
            lines.append(f"{count(self.commands, 'command')} ran since; what commands changed stays as it is.")
        return "\n".join(lines)


def workspace_files(loaded: Loaded, environment: Mapping[str, str]) -> WorkspaceFiles:
    """The files of a workspace that may be taken back: those that file tools may write."""
    return WorkspaceFiles(loaded.root, folders=own_folders(loaded, environment))


async def planned(session: Session, workspace: WorkspaceFiles, position: int) -> FilePlan:
    """What going back to where the log ended at a position means for files."""
    changes, commands = list[FileChanged](), 0
    async for record in session.read(start=position + 1):
        match record.entry:
            case FileChanged():
                changes.append(record.entry)
            case ToolStarted(name="shell"):
                commands += 1
            case CommandRan(command=line) if line.startswith("!"):
                commands += 1
            case _:
                pass
    past = past_files(changes)
    found = await in_thread(lambda _: compared(workspace, past))
    return FilePlan(tuple(each for each in found if each.standing != "same"), commands)


async def announced(session: Session, files: Iterable[FoundFile]) -> list[FileChanged]:
    """The entries that say what is about to happen to files, with what they hold now kept beside the log."""
    return [await _announced(session, each) for each in files]


async def _announced(session: Session, found: FoundFile) -> FileChanged:
    past, now = found.past, found.now
    return await file_changed(session, past.path, now.data, past.then, mode=now.mode or past.mode)


async def done(session: Session, workspace: WorkspaceFiles, files: Sequence[FoundFile]) -> list[str]:
    """Take files back; gives what went wrong, a line for each file that stays as it is."""
    failed: list[str] = []
    for each in files:
        try:
            data = None if each.past.then is None else await session.get_blob(each.past.then)
            await in_thread(partial(take_back, workspace, each, data))
        except HoldfastError as error:
            failed.append(f"{printable_line(each.past.path, NAME)} stays as it is: {error.message}")
    return failed


async def unfinished(session: Session, workspace: WorkspaceFiles) -> tuple[FilePlan, int]:
    """What the last rewind has still to do with files, if nothing was said since; and how many files are done."""
    changes = list[FileChanged]()
    if session.state.jumps:
        async for record in session.read(start=session.state.jumps[-1].at + 1):
            if isinstance(record.entry, UserSaid):
                return FilePlan(), 0
            if isinstance(record.entry, FileChanged) and record.entry.call is None:
                changes.append(record.entry)
    found = await in_thread(lambda _: compared(workspace, map(intended, changes)))
    left = [each for each in found if each.standing == "ours"]
    return FilePlan(tuple(left)), len([each for each in found if each.standing == "same"])


async def files_left(session: Session, agent: AgentRuntime, environment: Mapping[str, str]) -> str:
    """What a rewind that was broken off did to files and what not; '' if nothing is left to do."""
    if session.state.workspace != agent.identity:
        return ""
    left, finished = await unfinished(session, workspace_files(agent.loaded, environment))
    if not left.found:
        return ""
    names = ", ".join(_name(each) for each in left.found[:MOST])
    more = f" and {count(len(left.found) - MOST, 'more file')}" if len(left.found) > MOST else ""
    before = f" {count(finished, 'file')} {'is' if finished == 1 else 'are'} taken back." if finished else ""
    return (
        f"The last rewind was broken off before it was done with files.{before} Still as before it: {names}{more}. "
        "/rewind --finish takes the rest back."
    )


def _verb(found: FoundFile) -> str:
    if found.standing != "ours":
        return "leave"
    if found.past.then is None:
        return "remove"
    return "take back" if found.now.data is not None else "make again"


def _name(found: FoundFile) -> str:
    name = printable_line(found.past.path, NAME)
    return f"{name} ({found.why})" if found.why else name
