"""Another process that uses the same store, does what it is told and says what came of it.

`python -m tests.stores.files.neighbour ROOT`: one order a line, one answer a line.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.errors import HoldfastError
from holdfast.ids import Position
from holdfast.stores.files.store import FileStore
from holdfast.stores.files.writer import FileWriter
from tests.contracts.talk import KEY, said

HOME = Path(__file__).parents[3]


class Neighbour:
    """The process, seen from the test."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = process.pid

    def order(self, what: str) -> None:
        """Tell it what to do."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """What came of it."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def asked(self, what: str) -> str:
        """Tell it what to do, and hear what came of it."""
        self.order(what)
        return self.answer()

    def pause(self) -> None:
        """Stop it where it is, as a suspended machine does."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def wake(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()


@contextmanager
def neighbour(root: Path) -> Iterator[Neighbour]:
    """Another process, for a block of code."""
    command = [sys.executable, "-m", "tests.stores.files.neighbour", str(root)]
    with subprocess.Popen(
        command, cwd=HOME, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        try:
            yield Neighbour(process)
        finally:
            process.kill()


async def obey(store: FileStore) -> None:
    """Do what is ordered, one after the other."""
    writer: FileWriter | None = None
    while order := await asyncio.to_thread(sys.stdin.readline):
        what, _, text = order.strip().partition(" ")
        try:
            if what == "hold":
                writer = await store.acquire(KEY, doing=text)
            elif writer is not None and what == "say":
                await writer.append([said(text)], expect=Position(writer.end + 1))
                await writer.commit()
            elif writer is not None:
                await writer.release()
            answer = f"done {writer.end if writer else ''}"
        except HoldfastError as error:
            answer = f"{type(error).__name__}: {error}"
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


async def main(root: Path) -> None:
    """Open the store and obey."""
    async with FileStore(root) as store:
        await obey(store)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
