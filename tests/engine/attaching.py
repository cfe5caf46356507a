"""Attaching at random moments, again and again: to a session that is open here, and to one of another process.

`python -m tests.engine.attaching` does it 1,000 times each, and kills the other process twenty times.
"""

import asyncio
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from holdfast import Attachment, Engine, ModelReplied, Request, Scripted, Text, Thinking, open_store
from tests.agent.troupe import PlainTool, calling, scripted, setup
from tests.engine.viewer import Viewer

KEY = "talk"
VIEWERS = 8


def _script(request: Request) -> Scripted:
    """Every other reply calls a tool."""
    told = len(request.messages)
    if told % 2:
        return calling(("look", '{"text":"around"}'), text="I look around, slowly, and tell of it while I go. " * 3)
    return Scripted(parts=(Thinking(text="Well, well, well. " * 5), Text(text=f"This is what I saw, {told}. " * 9)))


async def held(root: Path, times: int, seed: int = 1) -> list[Viewer]:
    """Attach so many times to a session that this process works in, and check what every viewer saw."""
    rolled = random.Random(seed)
    model = scripted(*[_script] * 100_000)
    async with Engine(open_store(root), setup(model, tools=[PlainTool("look")])) as engine:
        conversation = await engine.open(KEY)
        viewers = [Viewer(KEY) for _ in range(VIEWERS)]
        slow = Viewer(KEY)

        async def look(viewer: Viewer) -> None:
            while sum(each.attached for each in viewers) < times:
                await viewer.look(engine, rolled.randrange(40))

        async def talk() -> None:
            while True:
                await conversation.send("Go on.")
                await conversation.idle()

        async with await slow.attach(engine, limit=20_000) as asleep:
            talking = asyncio.create_task(talk())
            await asyncio.gather(*map(look, viewers))
            talking.cancel()
            await conversation.cancel()
            await conversation.idle()
            assert asleep.waiting <= 20_000
            await _seen_by_the_slow(slow, asleep, conversation.state.last)
        await _check(engine, [*viewers, slow])
    return [*viewers, slow]


async def _seen_by_the_slow(slow: Viewer, asleep: Attachment, last: int) -> None:
    while slow.after < last:
        slow.see(await anext(asleep))
    assert 1 == slow.resynced


async def elsewhere(root: Path, times: int, lives: int, seed: int = 2) -> list[Viewer]:
    """The same for a session of another process, which is killed and started again."""
    rolled = random.Random(seed)
    async with Engine(open_store(root), setup(scripted())) as engine:
        viewers = [Viewer(KEY) for _ in range(VIEWERS)]
        for life in range(1, lives + 1):
            talker = await asyncio.to_thread(_start, root)
            try:

                async def look(viewer: Viewer, until: int) -> None:
                    while sum(each.attached for each in viewers) < until:
                        await viewer.look(engine, rolled.randrange(12))

                await asyncio.gather(*(look(viewer, times * life // lives) for viewer in viewers))
            finally:
                talker.send_signal(signal.SIGKILL)
                await asyncio.to_thread(talker.communicate)
        await engine.open(KEY)  # what was broken off is settled, and those who watch see it
        await _check(engine, viewers)
    return viewers


def _start(root: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.engine.talker", str(root), KEY]
    talker = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert talker.stdout is not None
    assert b"ready\n" == talker.stdout.readline()
    return talker


async def _check(engine: Engine, viewers: list[Viewer]) -> None:
    """What every viewer saw is what the log says."""
    records = await engine.store.load(KEY)
    finals = [
        "".join(part.text for part in record.entry.parts if isinstance(part, Text | Thinking))
        for record in records
        if isinstance(record.entry, ModelReplied)
    ]
    for viewer in viewers:
        await viewer.catch_up(engine)
        assert [bytes(record.raw) for record in records] == viewer.raw
        assert finals == viewer.finals


async def _main() -> None:
    with tempfile.TemporaryDirectory() as root:
        for name, work in (
            ("here", held(Path(root) / "a", 1000)),
            ("elsewhere", elsewhere(Path(root) / "b", 1000, 20)),
        ):
            viewers = await work
            attached, amid = (sum(each) for each in zip(*((v.attached, v.amid) for v in viewers), strict=True))
            sys.stdout.write(
                f"{name}: attached {attached} times, {amid} of them in the middle of a reply: as the log says\n"
            )


if __name__ == "__main__":
    asyncio.run(_main())
