"""A rewind with files, and its undo, in processes that die at each step of it, by SIGKILL.

A step is a record that was written, or a name below the folder that is opened, made, linked, renamed or removed. One
process loads everything and makes a child of itself for each step, so that a hundred of them take seconds. It prints
what was found after each, for the test to judge.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from holdfast.commands.rewound_files import files_left
from tests.commands.conversations import Room, room

ALLOWED = '[[permissions]]\ntool = "*"\ndecision = "allow"\n'
EVENTS = {"open", "os.mkdir", "os.link", "os.rename", "os.remove"}
OLD = {"a.txt": "one\n", "b.bin": "\0one\n"}
NEW = {"a.txt": "two\n", "b.bin": "\0two\n", "new/c.txt": "made\n"}
"""What the files hold before the agent changed them, and after."""
LINES = {"rewind": "/rewind 1 --files", "undo": "/undo"}


class Death:
    """Kills this process at one of its steps; with 0, counts them."""

    def __init__(self, root: Path, at: int) -> None:
        self.steps, self._at, self._root, self._armed = 0, at, str(root), False

    def arm(self) -> None:
        """Begin to count."""
        self._armed = True
        sys.addaudithook(self._audit)

    def disarm(self) -> None:
        """Count no longer."""
        self._armed = False

    def step(self) -> None:
        """Something happens, or has happened."""
        self.steps += self._armed
        if self._armed and self.steps == self._at:
            os.kill(os.getpid(), signal.SIGKILL)

    def _audit(self, event: str, given: tuple[object, ...]) -> None:
        # A name without a folder is one that file tools use, in a folder that they have open.
        if event in EVENTS and isinstance(given[0], str | os.PathLike):
            path = os.fspath(given[0])
            if isinstance(path, str) and (path.startswith(self._root) or not path.startswith("/")):
                self.step()


def here(root: Path) -> AbstractAsyncContextManager[Room]:
    """The conversation in a folder, and its workspace in it."""
    calls = [{"call": {"name": "write_file", "arguments": {"path": p, "content": c}}} for p, c in NEW.items()]
    return room(root, *calls, "Written.", config=ALLOWED)


async def prepare(root: Path, what: str) -> None:
    """Let the agent change the files; for an undo, take them back as well."""
    async with here(root) as place:
        for path, content in OLD.items():
            (place.root / path).write_text(content)
        await place.say("Change the files")
        if what == "undo":
            await place.typed(LINES["rewind"])


async def act(root: Path, what: str, at: int) -> int:
    """Do it, in a process that dies at a step; gives how many there are."""
    async with here(root) as place:
        death = Death(root, at)
        place.context.session.listen(lambda _: death.step())
        death.arm()
        await place.typed(LINES[what])
        death.disarm()
        return death.steps


def files(root: Path) -> dict[str, str]:
    """What the files of the workspace hold; what a killed process was just writing beside one is left out."""
    below = root / "harbour"
    found = {path.relative_to(below).as_posix(): path for path in below.rglob("*") if path.is_file()}
    return {
        name: path.read_text()
        for name, path in found.items()
        if not name.startswith(".git") and not path.name.startswith(".holdfast-")
    }


async def look(root: Path) -> dict[str, object]:
    """What the next start finds and says, and what comes of going on with it."""
    async with here(root) as place:
        session, agent = place.context.session, place.agent
        found: dict[str, object] = {"files": files(root), "jumps": len(session.state.jumps)}
        found["told"] = await files_left(session, agent, place.context.environment)
        if found["told"]:
            await place.typed("/rewind --finish")
        found["finished"] = files(root)
        found["verified"] = (await agent.engine.store.verify("talk")).good
        return found


def child(work: Callable[[], Coroutine[object, object, object]]) -> str:
    """Do something in a child; gives what came of it, or '' if it was killed."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        try:
            os.write(writing, json.dumps(asyncio.run(work())).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(pid, 0)
    return said


def campaign(root: Path, what: str) -> None:
    """Kill at every step, from the same beginning, and print what was found after each."""
    root.mkdir()
    assert "null" == child(lambda: prepare(root, what))
    kept = root.with_name(f"{root.name}-kept")
    shutil.copytree(root, kept, symlinks=True)
    steps = int(child(lambda: act(root, what, 0)))
    for at in range(1, steps + 1):
        shutil.rmtree(root)
        shutil.copytree(kept, root, symlinks=True)
        assert "" == child(partial(act, root, what, at)), f"nothing died at step {at} of {steps}"
        sys.stdout.write(child(lambda: look(root)) + "\n")


if __name__ == "__main__":
    campaign(Path(sys.argv[1]), sys.argv[2])
