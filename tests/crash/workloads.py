"""What the explorer records: small stories, one for each thing a store does.

A story has a preparation, which is not recorded and taken as durable, and the part
that is. Segments are kept tiny so that few records fill several.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from holdfast.errors import Fenced
from holdfast.records.entries import UserSaid
from holdfast.stores.files.store import SEGMENT_BYTES
from tests.crash.marks import Acked, Deleted, Restored, Trashed, WillDelete, WillFork, WillRestore, WillTrash
from tests.crash.speaker import Speaker, saying

A: Final = "alice"
B: Final = "copy"
GOING_ON: Final = "going on"
SMALL: Final = 700
"""Bytes after which a segment is sealed, in stories about several segments."""

Story = Callable[[Speaker], Awaitable[None]]


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A story and what comes before it."""

    play: Story
    prepare: Story | None = None
    spoil: Callable[[Path], None] | None = None
    """What is done to the files between the two: damage to be repaired."""
    segment_bytes: int = SEGMENT_BYTES
    inject: tuple[str, ...] = ()
    """Faults for strace to make while it is recorded."""
    then: str = GOING_ON
    """What another process does when this one was killed at one of its points; '' for nothing."""


async def _talk(speaker: Speaker, *sizes: int, each: bool = True) -> None:
    async with speaker.store.session(A) as session:
        for size in sizes:
            await speaker.say(session, size)
            if each:
                await speaker.safe(session)
        if not each:
            await speaker.safe(session)


async def create(speaker: Speaker) -> None:
    """A first session with one message."""
    await _talk(speaker, 40)


async def append(speaker: Speaker) -> None:
    """Messages, each acknowledged before the next."""
    await _talk(speaker, 40, 200, 700)


async def persist(speaker: Speaker) -> None:
    """More messages, through a sync that fails: strace counts the calls of each thread on its own."""
    await _talk(speaker, 40, 200, 700, 90, 300)


async def commit(speaker: Speaker) -> None:
    """Several messages, sectors and pages long, under one acknowledgement."""
    await _talk(speaker, 60, 700, 5_000, 90, each=False)


async def long_lines(speaker: Speaker) -> None:
    """Lines over many sectors and pages, several of them on their way to the disk at once."""
    await _talk(speaker, 3_000, 700, 9_000, 200, 6_000, each=False)


async def drafts(speaker: Speaker) -> None:
    """A reply streams and is finished, another one is spoken into, a third only begins."""
    async with speaker.store.session(A) as session:
        await speaker.say(session)
        await speaker.safe(session)
        await speaker.finish(session, await speaker.stream(session, 3))
        token = await speaker.stream(session, 1)
        await speaker.say(session)
        await speaker.safe(session)
        await speaker.finish(session, token)
        await speaker.stream(session, 2)


async def seal(speaker: Speaker) -> None:
    """Messages that fill three segments."""
    await _talk(speaker, 300, 300, 300, 300, 300, 300)


async def attach(speaker: Speaker) -> None:
    """A message with an attachment, which lies beside the log."""
    async with speaker.store.session(A) as session:
        for data in (b"one" * 300, b"two" * 2_000, b"one" * 300):
            token = speaker.token(A)
            blob = await session.attach(data, media_type="text/plain", name=token)
            await session.append(UserSaid(parts=(blob,)))
            await speaker.safe(session)


async def fork(speaker: Speaker) -> None:
    """A session is forked, and both go on."""
    speaker.mark(WillFork(key=B, source=A, records=await speaker.records(A, 3)))
    await speaker.store.fork(A, B, at=3)
    speaker.mark(Acked(key=B, records=await speaker.records(B, 4)))
    async with speaker.store.session(B) as session:
        await speaker.say(session)
        await speaker.safe(session)
    await _talk(speaker, 80)


async def rewind(speaker: Speaker) -> None:
    """The conversation goes back two messages, on from there, and the rewind is taken back."""
    async with speaker.store.session(A) as session:
        await session.rewind(1)
        await speaker.safe(session)
        await speaker.say(session)
        await speaker.safe(session)
        await session.undo_rewind()
        await speaker.safe(session)


async def delete(speaker: Speaker) -> None:
    """One of two sessions is removed for good; the other one goes on."""
    await fork(speaker)
    speaker.mark(WillDelete(key=B))
    await speaker.store.delete(B)
    speaker.mark(Deleted(key=B))
    await _talk(speaker, 80)


async def take_over(speaker: Speaker) -> None:
    """A living holder is fenced, and goes on writing until it notices."""
    first = await speaker.store.open(A)
    await speaker.say(first)
    await speaker.safe(first)
    await speaker.say(first)
    async with speaker.store.session(A, take_over=True) as second:
        with suppress(Fenced):
            await speaker.safe(first)
        await speaker.say(second)
        with suppress(Fenced):
            await first.append(saying(speaker.token(A), 60))
            await speaker.safe(first)
        await speaker.safe(second)
    with suppress(Fenced):
        await first.close()


async def going_on(speaker: Speaker) -> None:
    """Open each session, acknowledge what is there, say one thing more."""
    for key in sorted({A, *await speaker.store.keys()}):
        async with speaker.store.session(key) as session:
            await speaker.safe(session)
            await speaker.say(session, 120)
            await speaker.safe(session)


async def _throw_away(speaker: Speaker) -> None:
    speaker.mark(WillTrash(key=B))
    await speaker.store.throw_away(B)
    speaker.mark(Trashed(key=B))


async def _bring_back(speaker: Speaker, name: str) -> None:
    speaker.mark(WillRestore(key=B))
    await speaker.store.bring_back(name)
    speaker.mark(Restored(key=B))


async def trash(speaker: Speaker) -> None:
    """A session is thrown away, comes back, goes on, is thrown away again and removed from the trash."""
    await _throw_away(speaker)
    await _bring_back(speaker, (await speaker.store.trash())[0].name)
    async with speaker.store.session(B) as session:
        await speaker.say(session)
        await speaker.safe(session)
    await _throw_away(speaker)
    speaker.mark(WillDelete(key=B))
    await speaker.store.empty_trash()
    speaker.mark(Deleted(key=B))
    await _talk(speaker, 80)


async def trash_again(speaker: Speaker) -> None:
    """What is there is thrown away; what was thrown away comes back and goes on. The other session goes on too."""
    if await speaker.store.exists(B):
        await _throw_away(speaker)
    else:
        for each in await speaker.store.trash():
            await _bring_back(speaker, each.name)
    await going_on(speaker)


async def _two_prepared(speaker: Speaker) -> None:
    await _prepared(speaker)
    await fork(speaker)


async def _prepared(speaker: Speaker) -> None:
    await _talk(speaker, 100, 150, 120, 90, 200)


def _last_segment(root: Path) -> Path:
    return max((root / "sessions" / A).glob("[0-9]*.jsonl"))


def torn(root: Path) -> None:
    """The last line was cut, and zeros follow it."""
    path = _last_segment(root)
    line = path.read_bytes().splitlines(keepends=True)[-1].replace(b'"pos":5', b'"pos":6')
    path.write_bytes(path.read_bytes() + line[:-30] + bytes(600))


def holed(root: Path) -> None:
    """Bytes that are no record lie before the last good one; a line with a letter changed comes after it."""
    path = _last_segment(root)
    lines = path.read_bytes().splitlines(keepends=True)
    changed = lines[-1].replace(b'"pos":5', b'"pos":6').replace(b"before5", b"before9")
    path.write_bytes(b"".join([*lines[:-1], bytes(300), b"\n", lines[-1], changed, b'{"v":1,"pos"']))


WORKLOADS: Final = {
    "create": Workload(play=create),
    "append": Workload(play=append, prepare=create),
    "commit": Workload(play=commit),
    "long lines": Workload(play=long_lines, prepare=create),
    "drafts": Workload(play=drafts),
    "seal": Workload(play=seal, segment_bytes=SMALL),
    "fork": Workload(play=fork, prepare=_prepared, segment_bytes=SMALL),
    "attach": Workload(play=attach, prepare=create),
    "rewind": Workload(play=rewind, prepare=_prepared),
    "delete": Workload(play=delete, prepare=_prepared, segment_bytes=SMALL),
    "repair": Workload(play=going_on, prepare=_prepared, spoil=torn, segment_bytes=SMALL),
    "repair a hole": Workload(play=going_on, prepare=_prepared, spoil=holed),
    "trash": Workload(play=trash, prepare=_two_prepared, segment_bytes=SMALL, then="trash again"),
    "take over": Workload(play=take_over, prepare=create),
    "failed sync": Workload(play=persist, prepare=create, inject=("fdatasync:error=EIO:when=3",), then=""),
    GOING_ON: Workload(play=going_on, segment_bytes=SMALL),
    "trash again": Workload(play=trash_again, prepare=_two_prepared, segment_bytes=SMALL, then=""),
}
