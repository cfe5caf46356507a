"""Builds what the measurements of Holdfast start from.

One long session is built by its own appends. Very many sessions are built by writing their lines with the codec,
because a hundred thousand durable beginnings would take longer than everything else here; the catalog then finds them
by itself, as after a restore from a backup.
"""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count as numbers
from itertools import islice
from pathlib import Path

import holdfast
from bench.child import Job
from bench.texts import texts
from holdfast.ids import SessionKey
from holdfast.records.codec import encode_line
from holdfast.stores.files.catalog import file_catalog
from holdfast.stores.files.folder_names import folder_name

KEY = "team:alice"
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_STAMP = "%Y-%m-%dT%H:%M:%S.%fZ"


def user(text: str) -> holdfast.UserSaid:
    """A person says something."""
    return holdfast.UserSaid(parts=(holdfast.Text(text=text),))


def dialogue(words: Iterable[str]) -> Iterable[holdfast.UserSaid | holdfast.ModelReplied]:
    """A person and a model in turns."""
    for number, text in enumerate(words):
        yield (
            holdfast.ModelReplied(parts=(holdfast.Text(text=text),), model="example-model")
            if number % 2
            else user(text)
        )


def store_in(folder: str | Path) -> Path:
    """Where a build leaves its store."""
    return Path(folder) / "store"


def leave_catalog_behind() -> None:
    """Keep the catalog from following while this process lives.

    It follows a session once that is quiet, which between two rounds it always is, and following a million messages
    takes minutes. What an append does for the catalog is still done, and measured.
    """
    file_catalog.QUIET_SECONDS = 86_400.0


class BuildMessages:
    """One session of `size` messages, said one by one."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def round(self, count: int, seconds: float) -> list[float]:
        """Write it once."""
        del count, seconds
        asyncio.run(self._fill())
        return []

    def close(self) -> None:
        """Nothing is open."""

    async def _fill(self) -> None:
        # The store stays open, because closing it would wait for its catalog.
        leave_catalog_behind()
        store = holdfast.open_store(store_in(self._job.folder), durability="os")
        async with store.session(KEY) as session:
            for entry in dialogue(islice(texts(1), self._job.size)):
                await session.append(entry)


class BuildSessions:
    """Many sessions of equal length, as files; then the catalog is brought up to date."""

    def __init__(self, job: Job, words: Iterable[str], sessions: int) -> None:
        self._job, self._words, self._sessions = job, iter(words), sessions
        self._length = max(2, job.size // sessions)

    def round(self, count: int, seconds: float) -> list[float]:
        """Write them once."""
        del count, seconds
        clock = (_BEGAN + timedelta(seconds=second) for second in numbers())
        for number in range(self._sessions):
            key = SessionKey(f"team:{number}")
            folder = store_in(self._job.folder) / "sessions" / folder_name(key)
            folder.mkdir(parents=True, mode=0o700)
            entries = [holdfast.Opened(key=key), *dialogue(islice(self._words, self._length))]
            lines = [encode_line(pos, f"{next(clock):{_STAMP}}", entry) for pos, entry in enumerate(entries)]
            (folder / "000001.jsonl").write_bytes(b"\n".join([*lines, b""]))
        asyncio.run(self._catch_up())
        return []

    def close(self) -> None:
        """Nothing is open."""

    async def _catch_up(self) -> None:
        async with holdfast.open_store(store_in(self._job.folder)) as store:
            async for _ in store.reindex():
                pass
