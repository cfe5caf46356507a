"""Killing what writes memory, at every append and every request, and at random times: nothing doubled, nothing skipped.

The child draws facts from sessions in files, takes what a person says, and forgets. It kills itself with SIGKILL at one
of the moments it counts; then it is started again without, and what is remembered must be what a run without a kill
leaves.
"""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from holdfast import ManualClock, Position, Store, open_store
from holdfast.memory.forget import forget, matching
from holdfast.memory.notebook import Notebook
from holdfast.model.protocol import Request, UserMessage
from holdfast.records.facts import Consolidated
from holdfast.records.parts import plain_text
from tests.memory.campaigns import UNBOUND, Result
from tests.memory.remembering import ME, answer, drawer, is_secret, remembering, turn

SESSIONS = 3
NEVER = 10**9


class Moments:
    """Counts what happens, and kills the process at one of them."""

    def __init__(self, at: int, asked: Path) -> None:
        self._left, self._asked = at, asked

    def happened(self, *_: object) -> None:
        """One more."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def answer(self, request: Request) -> str:
        """What the model proposes: every sentence that says "I have"."""
        self.happened()
        with self._asked.open("a") as file:
            file.write("x")
        (message,) = request.messages
        assert isinstance(message, UserMessage)
        proposals = []
        for line in plain_text(message.parts).splitlines():
            place, _, said = line.partition(" person: ")
            if said.startswith("I have"):
                pos = int(place.split()[0].removeprefix("@"))
                proposals.append({"op": "add", "text": said, "quote": said, "at": [pos]})
        return answer(*proposals, day="Spoke of things.")


async def prepare(root: Path) -> None:
    """Sessions in which facts were told."""
    async with open_store(root, durability="os") as store:
        for number in range(SESSIONS):
            async with store.session(f"s{number}") as session:
                for thing in range(3):
                    await turn(session, f"I have the thing {number}{thing} of wood.")


async def work(root: Path, moments: Moments) -> None:
    """Everything that writes memory; done again, it goes on where it was."""
    async with open_store(root, durability="os") as store:
        model = drawer(*[moments.answer] * 50)
        consolidation = remembering(store, model, ManualClock(), UNBOUND).consolidation
        for number in range(SESSIONS):
            async with store.session(f"s{number}") as session:
                session.listen(moments.happened)
                while (await consolidation.draw(session.key, session)).more:
                    pass
        moments.happened()
        await Notebook(store, ME, is_secret).remember("I have a boat.")
        moments.happened()
        matches = await matching(store, ME, "thing 11")
        moments.happened()
        if matches.total:
            await forget(store, ME, matches)
        moments.happened()


async def left(root: Path) -> tuple[list[str], list[tuple[str, Position]], list[str]]:
    """The facts, the cursors and their number, and the days."""
    async with open_store(root, durability="os") as store:
        memory = await store.memory(ME)
        texts = sorted(fact.text for fact in memory.current)
        cursors = [(key, (await store.state(key)).consolidated) for key in await store.keys()]
        entries = [f"{key}: {await _drawn(store, key)}" for key in await store.keys()]
        return texts, cursors, [*entries, *sorted(day.key for day in memory.days)]


async def _drawn(store: Store, key: str) -> int:
    return sum([1 async for record in store.read(key) if isinstance(record.entry, Consolidated)])


async def child(root: Path, at: int) -> int:
    """A run in a process of its own, killed at a moment; its exit code."""
    command = (sys.executable, "-m", "tests.memory.kills", str(root), str(at))
    process = await asyncio.create_subprocess_exec(*command)
    return await process.wait()


async def kills(step: int = 1) -> Result:
    """Killed at every moment, each time in a fresh copy of the same store."""
    wrong, done = list[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        begun, whole = Path(folder, "begun"), Path(folder, "whole")
        await prepare(begun)
        shutil.copytree(begun, whole)
        assert 0 == await child(whole, NEVER)
        expected, calls = await left(whole), _calls(whole)
        for at in range(1, NEVER, step):
            root = Path(folder, f"at{at}")
            shutil.copytree(begun, root)
            code = await child(root, at)
            if code == 0:
                break
            assert 0 == await child(root, NEVER)
            found = await left(root)
            wrong += [] if found == expected else [f"killed at {at}: {found} instead of {expected}"]
            wrong += [f"killed at {at}: {_calls(root)} requests"] if _calls(root) > calls + 1 else []
            done += 1
            shutil.rmtree(root)
    return Result(name="kills", done=done, figures={"kills": done, "requests of a run": calls}, wrong=tuple(wrong))


def _calls(root: Path) -> int:
    return len((root / "asked").read_text())


def main() -> None:
    """One run of a child."""
    root, at = Path(sys.argv[1]), int(sys.argv[2])
    asyncio.run(work(root, Moments(at, root / "asked")))


if __name__ == "__main__":
    main()
