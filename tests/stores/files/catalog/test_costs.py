"""What a question costs: as much as it has to look at, whatever is open and however much is attached."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Concatenate, Generic, ParamSpec, TypeVar

import pytest

from holdfast import HoldfastError, Position, SessionKey, Store, Text, UserSaid, open_store
from holdfast.stores.files import segments
from holdfast.stores.files.catalog import catch_up as work_module
from holdfast.stores.files.catalog import follow_log, schema
from holdfast.stores.files.catalog.dirty import FOLDER
from holdfast.stores.files.catalog.file_catalog import FileCatalog
from holdfast.stores.files.segments import Cursor, ReadBlock
from holdfast.stores.files.store import FileStore
from tests.stores.files.catalog.talk import bytes_below, found, keys, say

P = ParamSpec("P")
R = TypeVar("R")


class Counting(Generic[P, R]):
    """A call of the system that keeps the paths it was given."""

    def __init__(self, call: Callable[Concatenate[str | Path, P], R], paths: list[Path]) -> None:
        self._call, self._paths = call, paths

    def __call__(self, path: str | Path, *args: P.args, **kwargs: P.kwargs) -> R:
        if isinstance(path, str | Path):
            self._paths.append(Path(path))
        return self._call(path, *args, **kwargs)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every path that is opened, listed or looked at from now on."""
    paths: list[Path] = []
    for name in ("open", "listdir", "stat", "lstat"):
        monkeypatch.setattr(os, name, Counting(getattr(os, name), paths))
    return paths


def aged(*folders: Path) -> None:
    """Let these folders have been changed long ago: what was changed just now may change again without showing."""
    for folder in folders:
        os.utime(folder, ns=(10**18, 10**18))


async def test_open_sessions_that_did_not_change_are_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    A question costs the same with many sessions open in this process as with none.
    """
    async with open_store(tmp_path) as store:
        open_now = [await store.open(f"s{number}") for number in range(20)]
        for session in open_now:
            await session.say("word")
        aged(tmp_path / FOLDER)
        assert 20 == len(await keys(store))
        with monkeypatch.context() as patch:
            looked_at = counted(patch)
            await keys(store)
            await store.search("elsewhere")
            assert [] == [path for path in looked_at if path.is_relative_to(tmp_path / "sessions" / "s7")]
        await open_now[7].say("needle")

        assert ([("s7", 2)], "s7") == (await found(store, "needle"), (await keys(store))[0])
        for session in open_now:
            await session.close()


async def test_sessions_that_others_hold_are_read_only_where_they_grew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What another process appends is in the next answer; what it left as it was is not read.
    """
    async with open_store(tmp_path) as store, FileStore(tmp_path, listener=FileCatalog(tmp_path)) as logs:
        writers = [await logs.acquire(SessionKey(key)) for key in ("a", "b")]
        for writer in writers:
            await writer.append([UserSaid(parts=(Text(text="one"),))], expect=Position(0))
        aged(tmp_path / FOLDER, *(tmp_path / "sessions").iterdir())
        assert {"a", "b"} == set(await keys(store))
        await writers[1].append([UserSaid(parts=(Text(text="two"),))], expect=Position(1))
        with monkeypatch.context() as patch:
            opened: list[Path] = []
            patch.setattr(os, "open", Counting(os.open, opened))
            assert [("b", 1)] == await found(store, "two")
            assert [] == [path for path in opened if path.is_relative_to(tmp_path / "sessions" / "a")]
        for writer in writers:
            await writer.release()


async def test_what_was_said_after_a_take_over_is_found(tmp_path: Path) -> None:
    """
    A session that this process held, and another one took, grows without this process being told.
    """
    async with open_store(tmp_path) as store, open_store(tmp_path) as other:
        mine = await store.open("a")
        await mine.say("mine")
        aged(tmp_path / FOLDER)
        assert [("a", 1)] == await found(store, "mine")
        async with other.session("a", take_over=True) as theirs:
            aged(tmp_path / FOLDER)
            os.utime(tmp_path / FOLDER)
            await theirs.say("theirs")
            assert [("a", "theirs")] == [(hit.key, hit.snippet) for hit in await store.search("theirs")]
            aged(tmp_path / "sessions" / "a")
            await theirs.say("again")
            assert ["again"] == [hit.snippet for hit in await store.search("again")]
        await mine.close()


async def test_attachments_are_looked_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A list costs the same however much is attached, and each attachment counts once.
    """
    async with store.session("a") as session:
        for number in range(20):
            blob = await session.attach(b"%d" % number * 100, media_type="text/plain")
            await session.append(UserSaid(parts=(blob,)))
        assert ["a"] == await keys(store)
        again = await session.attach(b"0" * 100, media_type="text/plain")
        await session.append(UserSaid(parts=(again,)))
        with monkeypatch.context() as patch:
            looked_at = counted(patch)
            await keys(store)
            assert [] == [path for path in looked_at if "blobs" in path.parts]

        (row,) = (await store.list()).sessions
        assert (await store.verify("a")).size == row.size


@pytest.mark.parametrize("count", [3, 0])
async def test_attachments_that_an_earlier_version_read_are_counted(tmp_path: Path, count: int) -> None:
    """
    A catalog of an earlier version says nothing of them: they are looked at once, when their session grows.
    """
    async with open_store(tmp_path) as store, store.session("a") as session:
        for number in range(count):
            blob = await session.attach(b"%d" % number * 100, media_type="text/plain")
            await session.append(UserSaid(parts=(blob,)))
        await store.list()
    made_earlier(tmp_path)

    async with open_store(tmp_path) as store:
        await say(store, "a", "more")
        (row,) = (await store.list()).sessions
        assert (await store.verify("a")).size == row.size


def made_earlier(root: Path) -> None:
    """Leave the catalog as if a version that counted no attachments had read everything."""
    db = sqlite3.connect(root / schema.FILE)
    db.execute("delete from attachments")
    db.execute("update sessions set attached = -1")
    db.commit()
    db.close()


@pytest.mark.parametrize("known", [True, False])
async def test_what_two_processes_read_at_once_is_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """
    Each begins where the catalog was, and the slower one goes on from where the other got to.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "canaryword")
        if known:
            await store.list()
        await say(store, "a", "canaryword", "canaryword")
        read = segments.advance

        def overtaken(folder: Path, cursor: Cursor, at_first: int) -> Iterator[ReadBlock]:
            for each in read(folder, cursor, at_first):
                monkeypatch.setattr(follow_log, "advance", read)
                assert ["a"] == asyncio.run(keys_elsewhere(tmp_path))
                yield each

        monkeypatch.setattr(follow_log, "advance", overtaken)
        assert [("a", 3), ("a", 2), ("a", 1)] == await found(store, "canaryword")
        assert [4] == [row.entries for row in (await store.list()).sessions]
        await store.delete("a")
        assert b"canaryword" not in bytes_below(tmp_path)


async def keys_elsewhere(root: Path) -> list[str]:
    """The keys as another process lists them."""
    async with open_store(root) as store:
        return await keys(store)


async def test_sessions_that_are_removed_by_hand_while_they_are_held_are_noticed(tmp_path: Path) -> None:
    """
    Whoever holds them, and whether or not they were looked at before.
    """
    async with open_store(tmp_path) as store, open_store(tmp_path) as other:
        mine, theirs = await store.open("mine"), await other.open("theirs")
        await mine.say("one")
        await theirs.say("one")
        aged(tmp_path / FOLDER, *(tmp_path / "sessions").iterdir())
        assert {"mine", "theirs"} == set(await keys(store))
        for key in ("mine", "theirs"):
            shutil.rmtree(tmp_path / "sessions" / key)
        os.utime(tmp_path / FOLDER)

        assert [] == await keys(store)
        for session in (mine, theirs):
            with suppress(HoldfastError):
                await session.close()


async def test_a_session_is_read_again_if_its_catalog_was_replaced_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What was written into the one that is gone does not count as read.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "one")
        assert ["a"] == await keys(store)
        read = follow_log.catching_up

        def replaced_then(db: sqlite3.Connection, sessions: Path, name: str, *, rows_first: bool) -> Iterator[None]:
            monkeypatch.setattr(work_module, "catching_up", read)
            yield from read(db, sessions, name, rows_first=rows_first)
            schema.discard(tmp_path)
            schema.connect(tmp_path).close()

        async with store.session("a") as session:
            await session.say("two")
            monkeypatch.setattr(work_module, "catching_up", replaced_then)
            await store.list()
            assert [("a", 2)] == await found(store, "two")
