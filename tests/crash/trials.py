"""Stories for bad times: a call fails, the place is full, the power goes.

They go on as a person would: what was refused is said again, and a session that
became read-only is opened again. Each complaint of the store is marked, with its
hint; an error that is not one of ours ends the process.
"""

import resource
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from holdfast.errors import HoldfastError, NotWritten
from holdfast.session.writer import Session
from tests.crash.marks import Complained, Deleted, Finished, WillDelete, WillFork
from tests.crash.speaker import Speaker
from tests.crash.workloads import A, Workload

TURNS: Final = 6
"""Messages that the story about faults wants to get said."""
PATIENCE: Final = 15
"""How often it tries."""
BALLAST: Final = "ballast"


def _complain(speaker: Speaker, error: HoldfastError) -> None:
    speaker.mark(Complained(key=A, error=f"{type(error).__name__}: {error.message}", hint=error.hint))


async def faulted(speaker: Speaker) -> None:
    """Six messages and a fork, whatever happens."""
    said = tries = 0
    while tries < PATIENCE:
        try:
            async with speaker.store.session(A) as session:
                while said < TURNS and tries < PATIENCE:
                    tries += 1
                    said += await _tried(speaker, session, (40, 300, 600)[said % 3])
            await _branch_off(speaker)
            speaker.mark(Finished(key=A))
            return
        except HoldfastError as error:
            tries += 1
            _complain(speaker, error)


async def _tried(speaker: Speaker, session: Session, size: int) -> bool:
    """Say something; if it was not written, the session is as it was and can be used again."""
    try:
        await speaker.say(session, size)
    except NotWritten as error:
        _complain(speaker, error)
        return False
    await speaker.safe(session)
    return True


async def _branch_off(speaker: Speaker) -> None:
    for target in ("first", "second"):
        if not await speaker.store.exists(target):
            speaker.mark(WillFork(key=target, source=A, records=await speaker.records(A, 2)))
            await speaker.store.fork(A, target, at=2)
    if await speaker.store.exists("first"):
        speaker.mark(WillDelete(key="first"))
        await speaker.store.delete("first")
        speaker.mark(Deleted(key="first"))


async def _cram(speaker: Speaker, free: Callable[[], object]) -> None:
    """Say things until the place is full, make room, and go on in the same session."""
    async with speaker.store.session(A) as session:
        for _ in range(2_000):
            try:
                await speaker.say(session, 3_000)
                await speaker.safe(session)
            except NotWritten as error:
                _complain(speaker, error)
                break
        for _ in range(3):  # full is full: the same again, and nothing is worse for it
            with suppress(NotWritten):
                await speaker.say(session, 5_000)
                await speaker.safe(session)
        free()
        await speaker.say(session, 3_000)
        await speaker.safe(session)
    speaker.mark(Finished(key=A))


async def crammed(speaker: Speaker) -> None:
    """The file system is full until a file that takes up space goes."""
    ballast = Path(BALLAST)
    ballast.write_bytes(bytes(200_000))
    await _cram(speaker, ballast.unlink)


async def limited(speaker: Speaker) -> None:
    """The system refuses files beyond a size, then no longer does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, hard))
    await _cram(speaker, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard)))


async def endless(speaker: Speaker) -> None:
    """Sessions come, grow, are forked and go, until the process ends."""
    number = 0
    while True:
        number += 1
        key = f"s{number}"
        async with speaker.store.session(key) as session:
            for turn in range(60):
                await speaker.say(session, (40, 700, 200, 5_000)[turn % 4])
                if turn % 3:
                    await speaker.safe(session)
            await speaker.safe(session)
        speaker.mark(WillFork(key=f"{key}-fork", source=key, records=await speaker.records(key, 20)))
        await speaker.store.fork(key, f"{key}-fork", at=20)
        if number > 3:
            old = f"s{number - 3}"
            speaker.mark(WillDelete(key=old))
            await speaker.store.delete(old)
            speaker.mark(Deleted(key=old))


TRIALS: Final = {
    "faulted": Workload(play=faulted, segment_bytes=1_200),
    "crammed": Workload(play=crammed),
    "limited": Workload(play=limited),
    "endless": Workload(play=endless, segment_bytes=20_000),
}
