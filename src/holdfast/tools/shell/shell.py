"""The shell, and what runs in its background.

A command always asks unless a rule allows it: what it is about is told by `commands`, what keeps it
in by `sandbox`, and how it runs and ends by `jobs`. The person sees the command to the letter,
with everything that would be invisible made visible.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Action, Ask, Output, ToolContext, ToolHelp, said
from holdfast.errors import ToolFailed
from holdfast.model.protocol import ToolSpec
from holdfast.records.printable import printable
from holdfast.tools.shell.jobs import MOST_JOBS, Job, Jobs, Ready, guarded
from holdfast.tools.shell.lexer import Word
from holdfast.tools.shell.sandbox import Sandbox, cleared
from holdfast.tools.shell.subjects import understood
from holdfast.tools.titles import title

SECONDS = 120.0
MOST_SECONDS = 590.0
"""A little less than the longest any tool may run, so that what was written by then is still told."""
TELL_SECONDS = 0.25
"""How often the last line of a running command is told."""
MOST_OUTPUT = 4_000_000
MOST_BACKGROUND = 1_000_000
LONGEST = 32_000
"""Bytes of a command; a longer one is a script, which a person can read better as a file."""
_SHELL = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
_TITLE = 100
_MARGIN = 5.0


class _Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    command: Annotated[str, msgspec.Meta(description="What to run, as bash takes it.")]
    seconds: Annotated[
        float, msgspec.Meta(ge=0, le=MOST_SECONDS, description="How long it may run before it is stopped; 0 is usual.")
    ] = 0.0
    background: Annotated[
        bool, msgspec.Meta(description="Start it and go on; shell_read gives its output, shell_stop ends it.")
    ] = False
    folder: Annotated[str, msgspec.Meta(description="Where to run it: a folder of the workspace.")] = "."


class Shell:
    """Runs commands."""

    def __init__(
        self,
        root: Path,
        sandbox: Sandbox,
        *,
        network: bool = False,
        seconds: float = SECONDS,
        environment: Mapping[str, str],
    ) -> None:
        """Begin in a workspace; `environment` is what a small, harmless part is taken from."""
        self._root, self._sandbox, self._network, self._limit = root.resolve(), sandbox, network, seconds
        self._environment = cleared(environment)
        self.jobs = Jobs()
        """Everything that runs; close it with the agent."""
        self.spec: ToolSpec = spec_of("shell", self._description(), _Command)
        self.help = ToolHelp(
            limits=(
                sandbox.said,
                f"{seconds:g} seconds, or up to {MOST_SECONDS:g} if the call says so; then all it started is stopped.",
                f"{MOST_OUTPUT // 1_000_000} MB of output, the beginning and the end. Nothing can be typed in.",
                f"{MOST_JOBS} commands in the background; they end with the agent.",
            ),
            errors=(
                "The command is empty or too long, or the folder is not in the workspace.",
                "The command fails; the result says its exit code, with its output.",
            ),
        )

    def _description(self) -> str:
        inside = "Only the workspace can be written, and /tmp is empty at every call." if self._sandbox.confines else ""
        net = "" if self._network or not self._sandbox.confines else "There is no network."
        text = f"""Run a command in the workspace with bash; the result is its exit code and what it wrote.
            Each call starts anew: a changed folder or variable does not stay. {inside} {net}
            A command that does not end by itself belongs in the background."""
        return " ".join(text.split())

    @property
    def seconds(self) -> float:
        """A little more than a command may take, so that its output is told when it is stopped."""
        return max(self._limit, MOST_SECONDS) + _MARGIN

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Take the command apart; nothing is run."""
        call = parsed(arguments, _Command)
        _check(call.command)
        folder = self._folder(call.folder)
        about = understood(call.command)
        moved = () if folder == self._root else (f"cd {_written(folder.relative_to(self._root))}",)
        first, *others = call.command.strip().splitlines()
        lines = f"(and {len(others)} more lines)" if others else ""
        ask = Ask(
            tool=self.spec.name,
            subjects=(*moved, *about.subjects),
            title=title(self.spec.name, first, lines),
            detail="\n".join([printable(call.command), *self._notes(call, folder, about.surprises)]),
            form="command",
            opaque=bool(about.surprises),
            started=about.started,
        )
        return _Run(ask, self, call, folder, context.tell)

    def _notes(self, call: _Command, folder: Path, surprises: tuple[str, ...]) -> list[str]:
        """What a person should know besides the command; comments, so that it still reads as one."""
        notes = [] if folder == self._root else [f"in the folder {printable(str(folder.relative_to(self._root)))}"]
        notes += ["in the background"] if call.background else []
        notes += [f"may do more than it says: {', '.join(surprises)}"] if surprises else []
        notes += [] if self._sandbox.confines else [self._sandbox.said]
        notes += ["with the network"] if self._network and self._sandbox.confines else []
        return [f"# {note}" for note in notes]

    def _folder(self, text: str) -> Path:
        try:
            folder = (self._root / text).resolve(strict=True)
        except (OSError, ValueError, RuntimeError) as error:
            raise ToolFailed(f"There is no folder {text!r}.", hint="Give one of the workspace.") from error
        if not folder.is_dir() or not folder.is_relative_to(self._root):
            raise ToolFailed(
                f"{text!r} is not a folder of the workspace.", hint="Leave it out to run in the workspace."
            )
        return folder

    async def start(self, command: str, folder: Path, *, most: int) -> Job:
        """Start a command in a folder of the workspace."""
        inner = guarded(_SHELL, command) if self._sandbox.confines else [_SHELL, "-c", command]

        def ready() -> Ready:
            end = self._sandbox.hold(self._root)
            try:
                return Ready(self._sandbox.around(inner, root=self._root, folder=folder, network=self._network), end)
            except BaseException:
                end()
                raise

        return await self.jobs.start(
            ready, folder=folder, environment=self._environment, confined=self._sandbox.confines, most=most
        )

    async def finish(self, job: Job, seconds: float, tell: Callable[[str], None]) -> Output:
        """Wait for the end of a command, or of its time; meanwhile its last line is told."""
        limit = seconds or self._limit
        late = False
        try:
            async with asyncio.timeout(limit):
                await _told_to_the_end(job, tell)
        except TimeoutError:
            late = True
            job.stop()
            await job.ended.wait()
        finally:
            job.stop()
        text = job.news().rstrip("\n") or "(no output)"
        how = f"stopped after {limit:g} seconds, the time limit" if late else ending(job.code)
        return said(f"{how}\n{text}", ok=not late and job.code == 0)


async def _told_to_the_end(job: Job, tell: Callable[[str], None]) -> None:
    """Wait for the end of a job; its last line is told now and then, however much it writes."""
    seen = 0
    while not job.ended.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(TELL_SECONDS):
                await job.ended.wait()
        if job.size > seen and not job.ended.is_set():
            seen = job.size
            tell(job.last_line())


class _Run:
    """A command to be run."""

    def __init__(self, ask: Ask, shell: Shell, call: _Command, folder: Path, tell: Callable[[str], None]) -> None:
        self.ask = ask
        self._shell, self._call, self._folder, self._tell = shell, call, folder, tell
        self._job: Job | None = None

    def so_far(self) -> str:
        """What the command has written."""
        return "" if self._job is None else self._job.news().rstrip("\n")

    async def run(self) -> Output:
        """Run it, or let it run."""
        if not self._call.background:
            self._job = await self._shell.start(self._call.command, self._folder, most=MOST_OUTPUT)
            return await self._shell.finish(self._job, self._call.seconds, self._tell)
        self._shell.jobs.check_room()
        job = await self._shell.start(self._call.command, self._folder, most=MOST_BACKGROUND)
        name = self._shell.jobs.name(job)
        return said(f"Started in the background as {name}. shell_read gives its output, shell_stop ends it.")


class _Read(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    job: Annotated[str, msgspec.Meta(description="The name that shell gave, such as job-1.")]
    seconds: Annotated[
        float, msgspec.Meta(ge=0, le=60, description="How long to wait for output if there is none yet.")
    ] = 0.0


class ShellRead:
    """Reads what a command in the background wrote."""

    seconds = 60.0 + _MARGIN

    def __init__(self, jobs: Jobs) -> None:
        """Read the jobs of a shell."""
        self._jobs = jobs
        self.spec: ToolSpec = spec_of(
            "shell_read",
            "What a command in the background wrote since the last time, and whether it has ended.",
            _Read,
        )
        self.help = ToolHelp(
            limits=(f"Of more than {MOST_BACKGROUND // 1_000_000} MB between two reads the middle is left out.",),
            errors=("There is no such job.",),
        )

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Find the job."""
        del context  # nothing of the session is needed
        call = parsed(arguments, _Read)
        return _Reading(self._jobs.find(call.job), call.seconds, tool=self.spec.name)


class _Reading:
    """A look at a job."""

    def __init__(self, job: Job, seconds: float, *, tool: str) -> None:
        self._job, self._seconds = job, seconds
        self.ask = Ask(tool=tool, subjects=(job.name,), title=title(tool, job.name), reads_only=True)

    async def run(self) -> Output:
        """Wait for news, and tell them."""
        await self._job.wait_for_news(self._seconds)
        return said(_told(self._job))


class _Stop(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    job: Annotated[str, msgspec.Meta(description="The name that shell gave, such as job-1.")]


class ShellStop:
    """Ends a command in the background."""

    seconds = _MARGIN

    def __init__(self, jobs: Jobs) -> None:
        """End jobs of a shell."""
        self._jobs = jobs
        self.spec: ToolSpec = spec_of("shell_stop", "End a command in the background, and read the rest of it.", _Stop)
        self.help = ToolHelp(
            limits=("It is asked to end, and half a second later made to.",), errors=("There is no such job.",)
        )

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Find the job."""
        del context  # nothing of the session is needed
        return _Stopping(self._jobs.find(parsed(arguments, _Stop).job), tool=self.spec.name)


class _Stopping:
    """The end of a job. It undoes what a person allowed and touches nothing else, so it needs no permission."""

    def __init__(self, job: Job, *, tool: str) -> None:
        self._job = job
        self.ask = Ask(tool=tool, subjects=(job.name,), title=title(tool, job.name), reads_only=True)

    async def run(self) -> Output:
        """End it, and tell what it still wrote."""
        self._job.stop()
        await self._job.ended.wait()
        return said(_told(self._job))


def _told(job: Job) -> str:
    state = f"{job.name} has ended: {ending(job.code)}" if job.ended.is_set() else f"{job.name} is running"
    return f"{state}\n{job.news().rstrip() or '(no new output)'}"


def ending(code: int | None) -> str:
    """How a command ended, in words."""
    if code is None or code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _written(folder: Path) -> str:
    return Word(text=os.fspath(folder), raw="").shown


def _check(command: str) -> None:
    if not command.strip():
        raise ToolFailed("The command is empty.", hint="Send what to run as `command`.")
    try:
        size = len(command.encode())
    except UnicodeEncodeError as error:
        raise ToolFailed("The command has characters that cannot be written.", hint="Send plain text.") from error
    if "\0" in command or size > LONGEST:
        raise ToolFailed(
            f"The command has a NUL character or more than {LONGEST:,} bytes.",
            hint="Write a script to a file, and run that.",
        )
