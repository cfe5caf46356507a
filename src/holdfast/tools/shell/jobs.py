"""Commands that run, their output, and their end.

A job is one command with everything it started. It belongs to the agent's process: closing the table
of jobs ends them all. Output is kept up to a bound, its beginning and its end; what falls out between is
counted. Stopping asks first and, half a second later, does not; nobody has to wait for that.
"""

import asyncio
import codecs
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from holdfast.errors import ToolFailed
from holdfast.tools.shell.processes import MARK, signal_all

GRACE = 0.5
"""Seconds between the request to end and the end."""
MOST_JOBS = 16
"""Commands in the background at the same time."""
LAST_LINE = 1_000
"""Bytes of the last line that are shown while a command runs."""
KEPT_ENDED = 32
"""Ended ones whose output can still be read."""
_GUARD = (
    "read -r first </proc/1/comm; exec 3<&0; "
    '( { if ! read -r <&3 && [ "$first" = bwrap ]; then kill -9 -1; fi; } >/dev/null 2>&1 & ); '
    'read -t 0 <&3 2>/dev/null && exit 125; exec "$@" </dev/null 3<&-'
)


def guarded(shell: str, command: str) -> list[str]:
    """A command for a sandbox, which runs if we still live when the sandbox is ready, and ends with us.

    Bubblewrap's first process ends with us, but its second looks at the first one only from when the command has been
    started, and what is killed dies thread by thread: a command could begin between the two. So a process of
    its own waits beside it. The input is a pipe that we hold: at its end, which is ours, all in the sandbox is
    killed. A line in it says that the command is stopped, by us and in the usual way.
    """
    return [shell, "-c", _GUARD, "guard", shell, "-c", command]


class Ready(NamedTuple):
    """A command, and what is to be called when it has ended or could not be started."""

    command: Sequence[str]
    end: Callable[[], None] = lambda: None


class Kept:
    """The beginning and the end of what a command wrote."""

    def __init__(self, most: int) -> None:
        """Keep at most about so many bytes."""
        self._half = most // 2
        self._head, self._tail = bytearray(), bytearray()
        self.size = 0
        """How many bytes were written."""

    def add(self, data: bytes) -> None:
        """Keep more."""
        self.size += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._half:  # seldom, so that it costs nothing on the way
            del self._tail[: -self._half]

    def end(self, most: int) -> bytes:
        """The last bytes that were written, at most so many."""
        return bytes(self._head[-most:] + self._tail[-most:])[-most:]

    def since(self, start: int) -> tuple[bytes, int, bytes]:
        """What was written from a byte on: what is kept, how much is missing after that, and what comes then."""
        tail = self._tail[-self._half :] if self._half else bytearray()
        after = self.size - len(tail)
        head = bytes(self._head[start:])
        missing = max(0, after - max(start, len(self._head)))
        return head, missing, bytes(tail[max(0, start - after) :])


class _Pipe(asyncio.Protocol):
    """Fills what is kept, and says when there is more."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self.closed, self.more = asyncio.Event(), asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self._kept.add(data)
        self.more.set()

    def connection_lost(self, _: Exception | None) -> None:
        self.closed.set()


class Job:
    """One command, with everything it started."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, *, most: int, confined: bool, mark: str) -> None:
        """Hold a process that leads a session of its own; `Jobs.start` gives one."""
        self.name, self._read = name, 0
        self.code: int | None = None
        """How it ended: the exit code, or the signal below 0; None while it runs."""
        self.ended = asyncio.Event()
        self._process, self._confined, self._mark = process, confined, mark
        self._held: int | None = None
        self._kept = Kept(most)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._pipe = _Pipe(self._kept)
        self._stopping: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self.at_end: Callable[[], None] = lambda: None
        """Called, in a thread, before it counts as ended."""

    async def listen(self, reading: int, held: int | None) -> None:
        """Take the output from a pipe, from now on and until the end; `held` is closed then, or when it is stopped."""
        self._held = held
        channel, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: self._pipe, os.fdopen(reading, "rb", 0))
        self._watching = asyncio.create_task(self._watch(channel))

    async def _watch(self, channel: asyncio.ReadTransport) -> None:
        code = await self._process.wait()
        if not self._confined:
            self._signal(signal.SIGKILL)  # what it left behind ends with it
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await self._pipe.closed.wait()
        channel.close()
        self._let_go()
        await asyncio.to_thread(self.at_end)
        self.code = code
        self.ended.set()
        self._pipe.more.set()

    def news(self) -> str:
        """What it wrote since the last time this was asked."""
        head, missing, tail = self._kept.since(self._read)
        self._read = self._kept.size
        cut = f"\n[… {missing:,} bytes left out …]\n" if missing else ""
        final = self.ended.is_set()
        self._pipe.more.clear()
        return self._decode(head, final and not tail) + cut + self._decode(tail, final)

    @property
    def size(self) -> int:
        """How many bytes it has written."""
        return self._kept.size

    def last_line(self) -> str:
        """The last line that it wrote, or the end of it; what it wrote stays news."""
        text = self._kept.end(LAST_LINE).decode("utf-8", "replace").rstrip()
        return text.replace("\r", "\n").rpartition("\n")[2]

    async def wait_for_news(self, seconds: float) -> None:
        """Wait until it writes or ends, no longer than some seconds."""
        if self._kept.size > self._read or self.ended.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._pipe.more.wait()

    def stop(self) -> None:
        """Ask it to end, and make it end half a second later; comes back at once."""
        if self._stopping is None and not self.ended.is_set():
            self._let_go()
            self._signal(signal.SIGTERM)
            self._stopping = asyncio.create_task(self._end())

    async def _end(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await self.ended.wait()
        if not self.ended.is_set():
            self._signal(signal.SIGKILL)
            await self.ended.wait()

    def _let_go(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            with suppress(BrokenPipeError):  # it has ended
                os.write(held, b"\n")
            os.close(held)

    def _signal(self, number: signal.Signals) -> None:
        signal_all(self._process.pid, self._mark, confined=self._confined, number=number)


class Jobs:
    """The commands of one agent."""

    def __init__(self) -> None:
        """Begin with none."""
        self._running: set[Job] = set()
        self._named: dict[str, Job] = {}
        self._count, self._closed = 0, False
        self._tasks: set[asyncio.Task[object]] = set()

    async def start(
        self,
        command: Sequence[str] | Callable[[], Ready],
        *,
        folder: Path,
        environment: Mapping[str, str],
        confined: bool,
        most: int,
    ) -> Job:
        """Start a command in a session of its own. Cancelled, it leaves no process behind.

        What gives a command is called in a thread, and what it gives with it is called whatever happens.
        """
        if self._closed:
            raise ToolFailed("The agent is closing; nothing is started any more.")
        starting = asyncio.create_task(self._start(command, folder, environment, confined=confined, most=most))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._remember(asyncio.create_task(_stop_when_started(starting)))
            raise

    async def _start(
        self,
        command: Sequence[str] | Callable[[], Ready],
        folder: Path,
        environment: Mapping[str, str],
        *,
        confined: bool,
        most: int,
    ) -> Job:
        ready = await asyncio.to_thread(command) if callable(command) else Ready(command)
        mark = uuid4().hex
        reading, writing = os.pipe()
        watched, held = os.pipe() if confined else (asyncio.subprocess.DEVNULL, None)
        try:
            process = await asyncio.create_subprocess_exec(
                *ready.command,
                cwd=folder,
                env={**environment, MARK: mark},
                stdin=watched,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        except OSError as error:
            _close(reading, held)
            await asyncio.to_thread(ready.end)
            raise ToolFailed(f"The command cannot be started: {error.strerror}.") from error
        finally:
            _close(writing, watched if confined else None)
        job = Job("", process, most=most, confined=confined, mark=mark)
        job.at_end = ready.end
        self._running.add(job)
        await job.listen(reading, held)
        self._remember(asyncio.create_task(self._forget(job)))
        return job

    async def _forget(self, job: Job) -> None:
        await job.ended.wait()
        self._running.discard(job)

    def _remember(self, task: "asyncio.Task[None]") -> None:
        """Hold on to a task; an event loop does not."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def check_room(self) -> None:
        """Refuse one more in the background where there are too many."""
        running = [job.name for job in self._named.values() if not job.ended.is_set()]
        if len(running) >= MOST_JOBS:
            raise ToolFailed(
                f"{len(running)} commands run in the background already.", hint=f"Stop one of {', '.join(running)}."
            )

    def name(self, job: Job) -> str:
        """Let a job run in the background, under a name."""
        self._count += 1
        job.name = f"job-{self._count}"
        self._named[job.name] = job
        ended = [each.name for each in self._named.values() if each.ended.is_set()]
        for old in ended[:-KEPT_ENDED]:
            del self._named[old]
        return job.name

    def find(self, name: str) -> Job:
        """The job of a name. Raises `ToolFailed`."""
        if job := self._named.get(name):
            return job
        known = ", ".join(self._named) or "none; start one with `background`"
        raise ToolFailed(f"There is no job {name!r}.", hint=f"Jobs of this agent: {known}.")

    async def close(self) -> None:
        """End every command, and wait until they have ended. Closing twice is once."""
        self._closed = True
        while self._running or self._tasks:
            for job in self._running:
                job.stop()
            tasks = set(self._tasks)
            await asyncio.gather(*(job.ended.wait() for job in self._running), *tasks)
            # From Python 3.12 on, waiting for what is done gives the event loop no turn to take it out.
            self._tasks -= tasks


def _close(*pipes: int | None) -> None:
    for pipe in pipes:
        if pipe is not None:
            os.close(pipe)


async def _stop_when_started(starting: "asyncio.Task[Job]") -> None:
    with suppress(ToolFailed):
        (await starting).stop()
