"""The catalog stays right: behind the logs, whatever happened to its database, and without a trace of the deleted."""

import asyncio
import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, Generic, ParamSpec, TypeVar

import pytest

from holdfast import (
    CatalogBusy,
    Described,
    Drafted,
    Position,
    ReadOnly,
    SessionKey,
    Text,
    Unknown,
    Unreadable,
    UserSaid,
    open_store,
)
from holdfast.records.codec import encode_line, stamp
from holdfast.stores.files import segments
from holdfast.stores.files.catalog import backlog, schema
from holdfast.stores.files.catalog import file_catalog as catalog_module
from holdfast.stores.files.catalog.file_catalog import FileCatalog
from holdfast.stores.files.catalog.schema import transaction
from holdfast.stores.files.store import FileStore
from tests.stores.files.catalog.talk import bytes_below, found, keys, rows_in, say
from tests.stores.files.trouble import no_file_above

P = ParamSpec("P")
R = TypeVar("R")


async def test_a_writer_that_died_before_the_catalog_followed_is_caught_up_with(tmp_path: Path) -> None:
    """
    A crash between the log and the catalog loses nothing.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "one")
        assert ["a"] == await keys(store)
    catalog = FileCatalog(tmp_path)
    logs = FileStore(tmp_path, listener=catalog)
    writer = await logs.acquire(SessionKey("a"))
    await writer.append([UserSaid(parts=(Text(text="two"),))], expect=Position(writer.end + 1))
    del catalog  # it never follows, as if the process were gone

    async with open_store(tmp_path) as store:
        assert [("a", 2)] == await found(store, "two")
    await writer.release()


async def test_a_session_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    """
    The others are listed, found and followed; it is listed as damaged until it can be read again.
    """
    segment = tmp_path / "sessions" / "bad" / "000001.jsonl"
    async with open_store(tmp_path) as store:
        await say(store, "bad", "one")
        await say(store, "good", "one")
    schema.discard(tmp_path)
    segment.rename(tmp_path / "kept")
    segment.mkdir()  # reading it fails, also for root
    (segment.parent.parent / "loop").symlink_to("loop")  # and of this nothing can be known

    async with open_store(tmp_path) as store:
        assert {"good": 0, "bad": 1} == {each.key: each.damaged for each in (await store.list()).sessions}
        await say(store, "good", "two")
        assert [("good", 2)] == await found(store, "two")
        assert {"good", "bad", "loop"} == {progress.key async for progress in store.reindex()}
        assert ("bad", "good", "loop") == await store.keys()
        with pytest.raises(Unreadable):
            await store.verify("bad")
        segment.rmdir()
        (tmp_path / "kept").rename(segment)
        assert {("good", 1), ("bad", 1)} == set(await found(store, "one"))
        assert {"good": 0, "bad": 0} == {each.key: each.damaged for each in (await store.list()).sessions}


async def test_finds_that_cannot_be_read_hide_no_others(tmp_path: Path) -> None:
    """
    Where the best of them are in a session that cannot be read, the next best are shown, as many as were asked for.
    """
    async with open_store(tmp_path) as store:
        await say(store, "good", "word one", "word two")
        await say(store, "bad", *(f"word {number}" for number in range(120)))
        assert [("bad", 120), ("bad", 119)] == [(hit.key, hit.pos) for hit in await store.search("word", limit=2)]
        segment = tmp_path / "sessions" / "bad" / "000001.jsonl"
        segment.write_bytes(b"0" * segment.stat().st_size)

        assert [("good", 2), ("good", 1)] == [(hit.key, hit.pos) for hit in await store.search("word", limit=2)]
        assert [("good", 2)] == [(hit.key, hit.pos) for hit in await store.search("word", limit=1)]
        assert [("good", 2), ("good", 1)] == await found(store, "word")


async def test_what_is_known_of_a_session_stays_while_it_cannot_be_read(tmp_path: Path) -> None:
    """
    It is still listed by its name, and a find that cannot be shown is left out.
    """
    async with open_store(tmp_path) as store:
        await say(store, "bad", "one")
        await say(store, "good", "one")
        assert {"bad", "good"} == set(await keys(store))
        (tmp_path / "sessions" / "bad" / "000002.jsonl").mkdir()  # reading on fails, also for root
        FileCatalog(tmp_path).opened("bad")  # as if somebody had begun to write to it

        assert [("good", 1)] == await found(store, "one")
        assert ["one", "one"] == [each.preview for each in (await store.list()).sessions]


async def test_a_session_is_followed_once_it_is_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Nobody has to ask: the catalog looks by itself when appending pauses.
    """
    monkeypatch.setattr(catalog_module, "QUIET_SECONDS", 0.001)
    async with open_store(tmp_path) as store, store.session("a") as session:
        async with asyncio.timeout(20):
            while not await asyncio.to_thread(rows_in, tmp_path):
                await session.append(UserSaid(parts=(Text(text="hello"),)))
                await asyncio.sleep(0.002)


@pytest.mark.parametrize("harm", ["missing", "garbage", "later version", "earlier version", "no tables", "replaced"])
async def test_a_catalog_that_is_not_right_is_made_anew(tmp_path: Path, harm: str) -> None:
    """
    Missing, damaged, of another version, emptied or an old copy: nobody has to mend it.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "needle")
        await store.list()
    old = (tmp_path / schema.FILE).read_bytes()
    async with open_store(tmp_path) as store:
        await say(store, "b", "needle too")
        await store.list()
    do_harm(tmp_path / schema.FILE, harm, old)

    async with open_store(tmp_path) as store:
        assert {"a", "b"} == set(await keys(store))
        assert {("a", 1), ("b", 1)} == set(await found(store, "needle"))


def do_harm(path: Path, harm: str, old: bytes) -> None:
    """Make the database wrong in one way."""
    if harm == "garbage":
        path.write_bytes(b"not a database, " * 1000)
    elif harm in {"missing", "replaced"}:
        path.unlink()
        if harm == "replaced":
            path.with_name("copy").write_bytes(old)
            path.with_name("copy").rename(path)
    else:
        db = sqlite3.connect(path)
        for statement in {
            "later version": ("pragma user_version = 99",),
            "earlier version": (
                "drop table search_runs",
                "drop trigger row_changed",
                "drop trigger row_removed",
                "drop index changes",
                "alter table sessions drop column changed",
                "alter table sessions drop column speaker",
                "alter table sessions drop column origin",
                "delete from facts where name in ('made', 'changes', 'removals')",
                "pragma user_version = 8",
            ),
            "no tables": ("drop table sessions",),
        }[harm]:
            db.execute(statement)
        db.commit()
        db.close()


async def test_the_list_of_an_earlier_version_stays(tmp_path: Path) -> None:
    """
    A new version of the search index reads the words again; the sessions are listed meanwhile, and nothing is missed.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "needle")
        await store.list()
    do_harm(tmp_path / schema.FILE, "earlier version", b"")
    before = schema.number(tmp_path)

    async with open_store(tmp_path) as store:
        assert ["a"] == await keys(store)
        assert [("a", 1)] == await found(store, "needle")
    assert before == schema.number(tmp_path)


async def test_marks_that_a_power_cut_took_are_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    After a restart of the machine every session is looked at, marked or not.
    """
    boot = tmp_path / "boot"
    boot.write_text("first")
    monkeypatch.setattr(backlog, "BOOT", boot)
    root = tmp_path / "store"
    async with open_store(root) as store:
        await say(store, "a", "one")
        await store.list()
    async with FileStore(root) as logs:  # a store without a catalog sets no marks
        writer = await logs.acquire(SessionKey("a"))
        await writer.append([UserSaid(parts=(Text(text="two"),))], expect=Position(writer.end + 1))
        await writer.release()
    async with open_store(root) as store:
        assert [] == await found(store, "two")
    boot.unlink()

    async with open_store(root) as store:
        assert [("a", 2)] == await found(store, "two")


async def test_sessions_that_came_or_went_by_hand_are_noticed(tmp_path: Path) -> None:
    """
    A folder restored from a backup is listed, one that was removed is not, without being told.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "one")
        await say(store, "b", "one")
        await store.list()
    shutil.copytree(tmp_path / "sessions" / "a", tmp_path / "sessions" / "c")
    shutil.rmtree(tmp_path / "sessions" / "b")

    async with open_store(tmp_path) as store:
        assert {"a", "c"} == set(await keys(store))
    shutil.rmtree(tmp_path / "sessions")
    async with open_store(tmp_path) as store:
        catalog = FileCatalog(tmp_path)
        await catalog.forget(SessionKey("a"))
        await catalog.close()
        assert 0 == rows_in(tmp_path)


@pytest.mark.parametrize("way", ["deleted", "thrown away, and the trash emptied"])
async def test_a_removed_session_leaves_no_byte(tmp_path: Path, way: str) -> None:
    """
    The words are in no file below the store: log, what was set aside, draft, attachments, catalog, index.
    """
    segment = tmp_path / "sessions" / "gone" / "000001.jsonl"
    async with open_store(tmp_path) as store:
        await say(store, "kept", "ordinary words")
        await say(store, "gone", "canaryword")
        segment.write_bytes(segment.read_bytes() + b"a torn canaryword")
        async with store.session("gone") as session:
            assert 1 == len(list((tmp_path / "sessions" / "gone" / "aside").iterdir()))
            await session.append(UserSaid(parts=(Text(text="the canaryword sings"),)))
            await session.append(Described(title="canaryword title", tags=("canaryword",)))
            blob = await session.attach(b"canaryword " * 5_000, media_type="text/plain")
            await session.append(UserSaid(parts=(blob,)))
            await session.draft(Drafted(reply=Position(9), text="canaryword"))
        await store.list()
        assert "canaryword" in str(await store.search("canaryword"))
        if way == "deleted":
            await store.delete("gone")
        else:
            await store.throw_away("gone")
            await store.empty_trash()
        assert [] == await found(store, "canaryword")
        assert b"canaryword" not in bytes_below(tmp_path)

    assert b"canaryword" not in bytes_below(tmp_path)


async def test_a_session_made_again_under_the_same_key_is_another_one(tmp_path: Path) -> None:
    """
    Nothing of a deleted session is found in its successor.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "old words")
        await store.list()
        await store.delete("a")
        await say(store, "a", "new words")

        assert [] == await found(store, "old")
        assert [("a", 1)] == await found(store, "new")


async def test_a_log_that_became_shorter_is_read_again(tmp_path: Path) -> None:
    """
    An older copy of a session put in its place shows what that copy says.
    """
    segment = tmp_path / "sessions" / "a" / "000001.jsonl"
    async with open_store(tmp_path) as store:
        await say(store, "a", "one")
        old = segment.read_bytes()
        await say(store, "a", "two")
        await store.list()
        segment.write_bytes(old)
        async with store.session("a") as session:
            assert 1 == session.state.last

        assert [] == await found(store, "two")
        assert [("a", 1)] == await found(store, "one")


async def test_a_damaged_log_shows_in_the_list(tmp_path: Path) -> None:
    """
    The user is told that something is wrong with a session.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "one", "two", "three")
    segment = tmp_path / "sessions" / "a" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes().replace(b"two", b"tWo"))
    (tmp_path / schema.FILE).unlink()

    async with open_store(tmp_path) as store:
        (row,) = (await store.list()).sessions
        assert (1, 3) == (row.damaged, row.entries)


async def test_a_catalog_made_anew_by_another_process_is_used(tmp_path: Path) -> None:
    """
    Two processes never keep two catalogs.
    """
    async with open_store(tmp_path) as one:
        await say(one, "a", "first")
        await one.list()
        async with open_store(tmp_path) as other:
            steps = [step async for step in other.reindex()]
        await say(one, "b", "second")

        assert [(1, 1, "a")] == [(step.done, step.total, step.key) for step in steps]
        assert {"a", "b"} == set(await keys(one))
    assert 2 == rows_in(tmp_path)


async def test_a_catalog_in_use_for_too_long_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Waiting ends with an error that says what to do, and nothing is thrown away.
    """
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.01)
    async with open_store(tmp_path) as store:
        await say(store, "a", "one")
        await store.list()
        await say(store, "a", "two")
        blocker = sqlite3.connect(tmp_path / schema.FILE, isolation_level=None)
        blocker.execute("begin immediate")
        with pytest.raises(CatalogBusy, match="Try again"):
            await store.list()
        blocker.execute("rollback")
        blocker.close()

        assert [("a", 2)] == await found(store, "two")


async def test_words_left_behind_a_reader_are_removed_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    While another process reads the old catalog, a delete says so; the next use finishes it.
    """
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.01)
    async with open_store(tmp_path) as store:
        await say(store, "a", "canaryword")
        await store.list()
        reader = sqlite3.connect(tmp_path / schema.FILE, isolation_level=None)
        reader.execute("begin")
        reader.execute("select * from sessions").fetchall()
        with pytest.raises(CatalogBusy):
            await store.delete("a")
        reader.execute("rollback")
        reader.close()
        await store.list()

        assert b"canaryword" not in bytes_below(tmp_path)


async def test_where_no_catalog_can_be_one_is_made_in_memory(tmp_path: Path) -> None:
    """
    Listing and searching go on; only who wants the catalog itself made anew is told what stands in the way.
    """
    async with open_store(tmp_path) as store:
        (tmp_path / schema.FILE).mkdir()
        await say(store, "a", "one")
        assert (["a"], [("a", 1)]) == (await keys(store), await found(store, "one"))
        with pytest.raises(Unreadable, match="Is a directory"):
            await anext(aiter(store.reindex()))
        (tmp_path / schema.FILE).rmdir()
        with no_file_above(1000), pytest.raises(ReadOnly, match="conversations themselves are safe"):
            await anext(aiter(store.reindex()))

        assert ["a"] == await keys(store)


async def test_a_catalog_that_cannot_be_written_any_more_is_gone_on_with_in_memory(tmp_path: Path) -> None:
    """
    As on a full disk: what is in it is copied, and what was said, begun and removed since is known.
    """
    async with open_store(tmp_path) as store:
        for key in ("old", "kept", "gone", "thrown"):
            await say(store, key, f"canaryword {key}")
        await store.list()
    in_the_way = tmp_path / f"{schema.FILE}-shm"
    in_the_way.mkdir()
    async with open_store(tmp_path) as store:
        await say(store, "old", "more")
        await say(store, "new", "first")
        await store.throw_away("thrown")
        with pytest.raises(ReadOnly, match="session is gone, but words of it are left"):
            await store.delete("gone")
        assert ["new", "old", "kept"] == await keys(store)
        assert {("kept", 1), ("old", 1)} == set(await found(store, "canaryword"))
        assert [("old", 2)] == await found(store, "more")
    in_the_way.rmdir()

    async with open_store(tmp_path) as store:
        assert ["new", "old", "kept"] == await keys(store)
        await store.delete("old")
        await store.delete("kept")
        await store.empty_trash()
        assert b"canaryword" not in bytes_below(tmp_path)


async def test_closing_does_not_fail_for_the_catalog(tmp_path: Path) -> None:
    """
    Everything said is safe, and the catalog catches up when it can.
    """
    async with open_store(tmp_path) as store:
        (tmp_path / schema.FILE).mkdir()
        await say(store, "a", "one")
    (tmp_path / schema.FILE).rmdir()

    async with open_store(tmp_path) as store:
        assert [("a", 1)] == await found(store, "one")


async def test_a_find_that_is_gone_from_the_log_is_not_shown(tmp_path: Path) -> None:
    """
    What the index still has and the log no longer has is left out.
    """
    segment = tmp_path / "sessions" / "a" / "000001.jsonl"
    async with open_store(tmp_path) as store:
        await say(store, "a", "needle", "other")
        await store.list()
        segment.write_bytes(segment.read_bytes().replace(b"needle", b"NEEDLE"))

        assert [] == await found(store, "needle")


async def test_a_find_whose_session_is_gone_is_not_shown(tmp_path: Path) -> None:
    """
    Another process may drop the session between the find and the look at it.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "needle")
        await say(store, "b", "needle too")
        await store.list()
        db = sqlite3.connect(tmp_path / schema.FILE)
        db.execute("delete from sessions where folder = 'a'")
        db.commit()
        db.close()

        assert [("b", 1)] == await found(store, "needle")


async def test_a_find_that_says_something_else_by_now_is_not_shown(tmp_path: Path) -> None:
    """
    A position whose entry has no words any more, in a log that was changed by hand, leads nowhere.
    """
    segment = tmp_path / "sessions" / "a" / "000001.jsonl"
    async with open_store(tmp_path) as store:
        await say(store, "a", "needle" * 20)
        await store.list()
        first, second = segment.read_bytes().splitlines(keepends=True)
        other = encode_line(1, stamp(0), Unknown(kind="acme.vote", fields={"for": ""}))
        padded = encode_line(
            1, stamp(0), Unknown(kind="acme.vote", fields={"for": "x" * (len(second) - 1 - len(other))})
        )
        segment.write_bytes(first + padded + b"\n")

        assert [] == await found(store, "needle")


async def test_a_writer_that_outlives_its_catalog_is_not_disturbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What is appended after the catalog was closed is followed by the next one.
    """
    monkeypatch.setattr(catalog_module, "QUIET_SECONDS", 0.001)
    complaints: list[object] = []
    loop, looked = asyncio.get_running_loop(), asyncio.Event()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    catalog = FileCatalog(tmp_path)
    async with FileStore(tmp_path, listener=catalog) as logs:
        writer = await logs.acquire(SessionKey("a"))
        await catalog.close()
        await writer.append([UserSaid(parts=(Text(text="late"),))], expect=Position(0))
        await writer.release()
        loop.call_later(0.01, looked.set)  # after the catalog would have looked
        await looked.wait()

    assert [] == complaints
    async with open_store(tmp_path) as store:
        assert [("a", 0)] == await found(store, "late")


def half_a_change(db: sqlite3.Connection) -> None:
    """Fail between two changes."""
    with transaction(db):
        schema.note(db, "half", "done")
        db.execute("no such thing")


def test_half_a_catch_up_is_none(tmp_path: Path) -> None:
    """
    A row and the words behind it change together, or not at all.
    """
    db = schema.connect(tmp_path)
    with pytest.raises(sqlite3.OperationalError):
        half_a_change(db)
    with transaction(db):
        schema.note(db, "other", "done")

    assert ("", "done") == (schema.fact(db, "half"), schema.fact(db, "other"))
    db.close()


async def test_settling_waits_for_nothing_where_nothing_is(tmp_path: Path) -> None:
    """
    An empty place is caught up with, and nothing is made there.
    """
    catalog = FileCatalog(tmp_path / "none")
    await catalog.settle()
    await catalog.close()

    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("followed", [True, False])
async def test_a_repair_that_finds_damage_is_followed(tmp_path: Path, followed: bool) -> None:
    """
    What the catalog read before it was damaged is read again, and counted once, whether or not it had been read.
    """
    async with open_store(tmp_path) as store:
        await say(store, "b", "before")
        assert ["b"] == await keys(store)
        await say(store, "a", "one", "two", "three")
        if followed:
            assert ["a", "b"] == await keys(store)
        path = tmp_path / "sessions" / "a" / "000001.jsonl"
        path.write_bytes(path.read_bytes().replace(b"two", b"owt"))
        await store.repair("a")

        listed, _ = (await store.list()).sessions
        assert (1, 3, 2) == (listed.damaged, listed.entries, listed.messages)
        assert ([], [("a", 3)]) == (await found(store, "two"), await found(store, "three"))


async def test_where_nothing_can_be_marked_nothing_is_made(tmp_path: Path) -> None:
    """
    Forking and bringing back are refused in our words, like opening.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "one")
        await say(store, "b", "two")
        await store.throw_away("b")
        assert ["a"] == await keys(store)
    (tmp_path / "dirty").rmdir()
    (tmp_path / "dirty").write_bytes(b"")

    async with open_store(tmp_path) as store:
        (trashed,) = await store.trash()
        for work in (store.fork("a", "c"), store.bring_back(trashed.name), store.open("a")):
            with pytest.raises(Unreadable, match="dirty"):
                await work
        assert ("a",) == await store.keys()


class Denying(Generic[P, R]):
    """A call of the system that is not allowed for a folder and what is in it."""

    def __init__(self, call: Callable[Concatenate[Path, P], R], folder: Path) -> None:
        self._call, self._folder = call, folder

    def __call__(self, path: Path, *args: P.args, **kwargs: P.kwargs) -> R:
        if Path(path).is_relative_to(self._folder):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return self._call(path, *args, **kwargs)


async def test_a_session_of_another_user_keeps_nobody_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    It is listed as damaged, no find leads into it, and once it can be read all is as it should be.
    """
    async with open_store(tmp_path) as store:
        await say(store, "theirs", "word one")
        await say(store, "ours", "word two")
        assert 2 == len(await found(store, "word"))
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", Denying(os.open, tmp_path / "sessions" / "theirs"))
            assert [("ours", 1)] == await found(store, "word")
            patch.setattr(os, "listdir", Denying(os.listdir, tmp_path / "sessions" / "theirs"))
            assert 2 == len([each async for each in store.reindex()])
            assert {"theirs": 1, "ours": 0} == {each.key: each.damaged for each in (await store.list()).sessions}

        assert {"theirs": 0, "ours": 0} == {each.key: each.damaged for each in (await store.list()).sessions}
        assert 2 == len(await found(store, "word"))


async def test_what_vanishes_while_it_is_looked_at_keeps_nobody_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Another process removes sessions, empties the trash or brings something back just then.
    """
    async with open_store(tmp_path) as store:
        for key in ("a", "b", "c"):
            await say(store, key, "word")
        await store.throw_away("c")
        looked = segments.in_order

        def removed_first(folder: Path) -> list[int]:
            if folder.name[-1] in "bc" and folder.exists():
                shutil.rmtree(folder, ignore_errors=True)
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
            return looked(folder)

        monkeypatch.setattr(segments, "in_order", removed_first)
        assert [("a", 1)] == await found(store, "word")
        assert ["a"] == await keys(store)
        (trashed,) = await store.trash()
        shutil.rmtree(tmp_path / "trash" / trashed.name)

        assert (0, ()) == (await store.empty_trash(), await store.trash())


async def test_a_catalog_that_is_made_anew_elsewhere_in_the_middle_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    SQLite speaks of a failing disk when its files are replaced under it.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "word")
        await store.list()
        times, plan = iter("xx"), backlog.plan

        def replaced_first(db: sqlite3.Connection, root: Path) -> None:
            if next(times, None):
                schema.discard(root)
                schema.connect(root).close()
                raise sqlite3.OperationalError("disk I/O error")
            plan(db, root)

        monkeypatch.setattr(backlog, "plan", replaced_first)
        (tmp_path / schema.FILE).unlink()

        assert [("a", 1)] == await found(store, "word")


async def test_a_catalog_that_is_damaged_again_and_again_is_made_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    As by a disk that keeps nothing; whoever wants the file itself is told.
    """

    def damaged(*_: object) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    async with open_store(tmp_path) as store:
        await say(store, "a", "word")
        monkeypatch.setattr(schema, "connect", damaged)
        assert [("a", 1)] == await found(store, "word")
        with pytest.raises(ReadOnly, match="malformed"):
            [each async for each in store.reindex()]
