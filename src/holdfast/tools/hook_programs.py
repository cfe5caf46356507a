"""Hooks that are programs of this machine: JSON in, JSON out, and a time that each may take.

A program is the user's own and named in the user's settings, so it runs outside of the sandbox, in the workspace, with
the user's environment. Whatever it starts ends with it.
"""

import asyncio
import signal
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from uuid import uuid4

import msgspec

from holdfast.agent.tasks import shielded
from holdfast.agent.user_hooks import Happening, HookAnswer
from holdfast.errors import HoldfastError
from holdfast.records.printable import printable_line
from holdfast.session.hooks import Occasion
from holdfast.tools.shell.processes import MARK, signal_all

MOST_BYTES = 256_000
"""The longest answer."""
PATIENCE = 1.0
"""Seconds that pipes may take to close after all processes were killed."""
COMPLAINT = 300
"""Characters of what a program that failed wrote to its error output."""


class HookProgram:
    """A program that is run at one occasion."""

    def __init__(
        self,
        on: Occasion,
        command: tuple[str, ...],
        *,
        tools: Iterable[str] = ("*",),
        seconds: float,
        folder: Path,
        environment: Mapping[str, str],
    ) -> None:
        """Run a command in a folder; `tools` are names and patterns of the tools that it is about."""
        script = (each for each in command[1:] if Path(each).suffix and not each.startswith("-"))
        self.name = Path(next(script, command[0])).name  # `python3 guard.py` is guard.py
        program = str(Path(command[0]).expanduser()) if command[0].startswith("~/") else command[0]
        self._on, self._command, self._tools, self._seconds = on, (program, *command[1:]), tuple(tools), seconds
        self._folder, self._environment = folder, environment

    def wants(self, on: Occasion, tool: str) -> bool:
        """Whether it is to be told."""
        return on == self._on and (not tool or any(fnmatchcase(tool, each) for each in self._tools))

    async def run(self, happening: Happening) -> HookAnswer:
        """Run it, and take what it says."""
        mark = uuid4().hex
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=self._folder,
                env={**self._environment, MARK: mark},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise HoldfastError(f"It cannot be started: {error}.", hint="Check `hooks` in your settings.") from error
        try:
            async with asyncio.timeout(self._seconds):
                said, complaint, _ = await asyncio.gather(
                    _read(process.stdout), _read(process.stderr), _write(process.stdin, msgspec.json.encode(happening))
                )
                code = await process.wait()
        except TimeoutError:
            raise HoldfastError(f"It took more than {self._seconds:g} s.") from None
        finally:
            signal_all(process.pid, mark, confined=False, number=signal.SIGKILL)
            await shielded(_ended(process))
        if code:
            last = printable_line(complaint.decode(errors="replace").strip(), COMPLAINT)
            raise HoldfastError(f"It ended with {code}{f': {last}' if last else ''}".removesuffix(".") + ".")
        return _answer(said)


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    """What a program writes; of one that writes too much, a little more than the bound."""
    said = b""
    while stream is not None and (piece := await stream.read(65_536)):
        said = said if len(said) > MOST_BYTES else said + piece
    return said


async def _write(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    """Give a program its input; one that does not read it is free to."""
    if stream is not None:
        with suppress(ConnectionError):
            stream.write(data)
            await stream.drain()
        stream.close()


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Wait for the end of a program that was killed, and of its pipes, unless something out of reach holds them."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await process.communicate()


def _answer(said: bytes) -> HookAnswer:
    """What a program said; nothing is nothing."""
    if not said.strip():
        return HookAnswer()
    if len(said) > MOST_BYTES:
        raise HoldfastError(f"It wrote more than {MOST_BYTES:,} bytes.")
    try:
        answer = msgspec.json.decode(said.decode(), type=HookAnswer)  # all of it: what is kept raw is not looked at
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HoldfastError(
            f"Its answer is not understood: {error}.", hint="It is one JSON object with `deny`, `context`, `arguments`."
        ) from error
    arguments = bytes(answer.arguments)
    if arguments and not arguments.lstrip().startswith(b"{"):
        raise HoldfastError("Its `arguments` are not an object.")
    return answer
