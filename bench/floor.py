"""The floor: bare system calls on the very bytes that Holdfast wrote.

No locks, no event loop, no recovery, no types: what is left is what the machine itself costs.
"""

import asyncio
import heapq
import os
import shutil
import socket
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from itertools import count as numbers
from itertools import cycle
from operator import itemgetter
from pathlib import Path
from queue import SimpleQueue

import msgspec

from bench.child import SHORT, Job, Task, bytes_written, serve, timed, timed_async
from bench.command_time import bare_interpreter
from bench.corpus import questions
from bench.headless import bare
from bench.on_terminal import bare as bare_terminal
from bench.texts import said
from holdfast.records.entries import Known

_TAIL = 65_536
_SEAM = b',"crc":"'


def segments(session: Path) -> list[Path]:
    """The files of one session of ours, oldest first."""
    return sorted(session.glob("[0-9]*.jsonl"))


def _bodies(job: Job) -> list[bytes]:
    """Lines of ours without their checksums, from the end of the log."""
    with segments(Path(job.lines))[-1].open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 4 * _TAIL))
        lines = file.read().split(b"\n")
    return [line[: line.rindex(_SEAM)] for line in lines if line.startswith(b"{") and _SEAM in line]


class Append:
    """A write of one line with its CRC, at the end of a copy of ours; with `sync`, on the disk before the next."""

    def __init__(self, job: Job, *, sync: bool) -> None:
        self._job, self._sync = job, sync
        self._bodies = cycle(_bodies(job))
        self._copies = numbers()
        self._fd = self._copy()

    def _copy(self) -> int:
        path = self._job.path(f"bare-{next(self._copies)}.jsonl")
        shutil.copyfile(segments(Path(self._job.lines))[-1], path)
        return os.open(path, os.O_WRONLY | os.O_APPEND)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each append."""
        if self._job.size <= SHORT:
            os.close(self._fd)
            self._fd = self._copy()
        return timed(self.acknowledged if self._sync else self.append, count, seconds)

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)

    def acknowledged(self) -> None:
        """Append and sync."""
        self.append()
        os.fdatasync(self._fd)

    @property
    def descriptor(self) -> int:
        """What is written to."""
        return self._fd

    def append(self) -> None:
        """Write one line."""
        body = next(self._bodies)
        os.write(self._fd, body + b',"crc":"%08x"}\n' % zlib.crc32(body))


class Parallel:
    """Many threads, each with a file of its own, each append on the disk before the next."""

    def __init__(self, job: Job, writers: int) -> None:
        self._files = []
        for number in range(writers):
            os.mkdir(job.path(str(number)))
            self._files.append(Append(_inside(job, str(number)), sync=True))

    def round(self, count: int, seconds: float) -> list[float]:
        """Acknowledged appends per second, all threads together."""
        del seconds
        threads = [threading.Thread(target=self._work, args=(file, count)) for file in self._files]
        before = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return [len(self._files) * count / (time.perf_counter() - before)]

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _work(self, file: Append, count: int) -> None:
        for _ in range(count):
            file.acknowledged()


def _inside(job: Job, name: str) -> Job:
    return Job(task=job.task, size=job.size, folder=str(job.path(name)), template=job.template, lines=job.lines)


class Syncs:
    """Threads that sync files and tell the event loop, with as little in between as Python allows."""

    def __init__(self, threads: int) -> None:
        self._queue: SimpleQueue[tuple[int, asyncio.Future[None]] | None] = SimpleQueue()
        self._done: deque[asyncio.Future[None]] = deque()
        self._bell, self._button = socket.socketpair()
        self._threads = [threading.Thread(target=self._work) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Be heard in a loop."""
        loop.add_reader(self._bell, self._take)

    async def sync(self, descriptor: int) -> None:
        """Wait for the disk, while the loop goes on."""
        future = asyncio.get_running_loop().create_future()
        self._queue.put((descriptor, future))
        await future

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            os.fdatasync(job[0])
            self._done.append(job[1])
            self._button.send(b"!")

    def _take(self) -> None:
        self._bell.recv(64)
        while self._done:
            self._done.popleft().set_result(None)

    def close(self) -> None:
        """End the threads."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()
        self._bell.close()
        self._button.close()


class OffLoop:
    """The same calls where an event loop stays free: it writes, a thread syncs, the loop is told."""

    def __init__(self, job: Job, *, writers: int) -> None:
        self._files = []
        for number in range(writers):
            os.mkdir(job.path(str(number)))
            self._files.append(Append(_inside(job, str(number)), sync=True))
        self._syncs = Syncs(writers)
        self._runner = asyncio.Runner()
        self._syncs.watch(self._runner.get_loop())
        self._together = writers > 1

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each append; of many files, acknowledged appends per second."""
        if not self._together:
            return self._runner.run(timed_async(lambda: self._acknowledged(self._files[0]), count, seconds))
        before = time.perf_counter()
        self._runner.run(self._all(count))
        return [len(self._files) * count / (time.perf_counter() - before)]

    def close(self) -> None:
        """Close the files."""
        self._runner.close()
        self._syncs.close()
        for file in self._files:
            file.close()

    async def _all(self, count: int) -> None:
        await asyncio.gather(*(self._work(file, count) for file in self._files))

    async def _work(self, file: Append, count: int) -> None:
        for _ in range(count):
            await self._acknowledged(file)

    async def _acknowledged(self, file: Append) -> None:
        file.append()
        await self._syncs.sync(file.descriptor)


class Amplification:
    """The words alone, one per line: no position, no time, no checksum."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._fd = os.open(job.path("words.txt"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def round(self, count: int, seconds: float) -> list[float]:
        """Bytes written per byte said."""
        del count, seconds
        words = [text.encode() for text in said()[: self._job.size]]
        before = bytes_written()
        for text in words:
            os.write(self._fd, text + b"\n")
        return [(bytes_written() - before) / sum(map(len, words))]

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


class Read:
    """Reading the log of one session: its last 64 KiB, or all of it with each line's CRC."""

    def __init__(self, job: Job, *, whole: bool) -> None:
        self._files = segments(Path(job.lines))
        self._whole = whole

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each reading."""
        return timed(self._load if self._whole else self._tail, count, seconds)

    def close(self) -> None:
        """Nothing is open."""

    def _tail(self) -> None:
        fd = os.open(self._files[-1], os.O_RDONLY)
        os.pread(fd, _TAIL, max(0, os.fstat(fd).st_size - _TAIL))
        os.close(fd)

    def _load(self) -> list[int]:
        return [zlib.crc32(line) for file in self._files for line in file.read_bytes().split(b"\n")]


class Decoded:
    """Reading the whole log with each line's CRC, and each line made into what a program works with, by one call."""

    def __init__(self, job: Job) -> None:
        self._files = segments(Path(job.lines))
        self._entries: msgspec.json.Decoder[Known] = msgspec.json.Decoder(Known)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each loading."""
        return timed(self._load, count, seconds)

    def close(self) -> None:
        """Nothing is open."""

    def _load(self) -> list[tuple[bytes, Known]]:
        found: list[tuple[bytes, Known]] = []
        for path in self._files:
            with path.open("rb") as file:
                while data := file.read(4 * _TAIL) + file.readline():
                    lines = data.split(b"\n")
                    for line in lines:
                        zlib.crc32(line)
                    found += zip(lines, self._entries.decode_lines(data), strict=False)
        return found


class Newest:
    """The newest fifty sessions without a catalog: look at the time of each file, read the start of fifty."""

    def __init__(self, job: Job) -> None:
        self._folder = Path(job.lines).parent

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each listing."""
        return timed(self._list, count, seconds)

    def close(self) -> None:
        """Nothing is open."""

    def _list(self) -> list[bytes]:
        firsts = (f"{entry.path}/000001.jsonl" for entry in os.scandir(self._folder))
        newest = heapq.nlargest(50, ((os.stat(path).st_mtime_ns, path) for path in firsts), key=itemgetter(0))
        starts = []
        for _, path in newest:
            fd = os.open(path, os.O_RDONLY)
            starts.append(os.pread(fd, 4096, 0))
            os.close(fd)
        return starts


class Scan:
    """Looking for one word in every byte of every log: no index, no ranking."""

    def __init__(self, job: Job) -> None:
        self._files = [file for session in Path(job.lines).parent.iterdir() for file in segments(session)]
        self._words = cycle([query.split()[-1].encode() for _, query in questions(60)])

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each scan."""
        del count, seconds
        return timed(self._scan, 1, 0)

    def close(self) -> None:
        """Nothing is open."""

    def _scan(self) -> int:
        word = next(self._words)
        return sum(file.read_bytes().count(word) for file in self._files)


def _append(job: Job) -> Task:
    return Append(job, sync=False)


def _ack(job: Job) -> Task:
    return Append(job, sync=True)


def _ack_off_loop(job: Job) -> Task:
    return OffLoop(job, writers=1)


def _parallel(writers: int) -> dict[str, Callable[[Job], Task]]:
    return {
        f"parallel{writers}": lambda job: Parallel(job, writers),
        f"parallel{writers} off the loop": lambda job: OffLoop(job, writers=writers),
    }


def _open(job: Job) -> Task:
    return Read(job, whole=False)


def _load(job: Job) -> Task:
    return Read(job, whole=True)


if __name__ == "__main__":
    serve(
        {
            "append": _append,
            "ack": _ack,
            "ack off the loop": _ack_off_loop,
            **_parallel(8),
            **_parallel(64),
            "amplification": Amplification,
            "open": _open,
            "load": _load,
            "load decoded": Decoded,
            "list": Newest,
            "search": Scan,
            "help": bare_interpreter,
            "headless_start": lambda _: bare("start"),
            "agent_memory": lambda _: bare("memory"),
            "prompt": lambda job: bare_terminal("wall", job.folder),
            "idle_memory": lambda job: bare_terminal("memory", job.folder),
        }
    )
