"""The catalog of a file store: always right, whatever happened to its database."""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast import (
    BadInput,
    CatalogBusy,
    Closed,
    Described,
    ManualClock,
    ModelReplied,
    Position,
    ReadOnly,
    SessionKey,
    Store,
    Text,
    TurnEnded,
    Unknown,
    UserSaid,
    open_store,
)
from holdfast.session.catalog import Wanted
from holdfast.stores.files.catalog import catalog as catalog_module
from holdfast.stores.files.catalog import schema, sweep
from holdfast.stores.files.catalog.catalog import FileCatalog
from holdfast.stores.files.names import folder_name
from holdfast.stores.files.store import FileStore
from holdfast.stores.scanning import ScanningCatalog


@pytest.fixture
def clock() -> ManualClock:
    """Time that the test moves."""
    return ManualClock()


@pytest.fixture
async def store(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Store]:
    """A store in a folder of its own."""
    async with open_store(tmp_path, clock=clock, durability="os") as opened:
        yield opened


async def say(store: Store, key: str, *texts: str) -> None:
    """Open a session, say some texts, and close it."""
    async with store.session(key) as session:
        for text in texts:
            await session.append(UserSaid(parts=(Text(text=text),)))


async def keys(store: Store) -> list[str]:
    """The keys of the list, in its order."""
    return [each.key for each in (await store.list()).sessions]


async def found(store: Store, text: str) -> list[tuple[str, int]]:
    """Where a search leads to."""
    return [(hit.key, hit.pos) for hit in await store.search(text)]


def bytes_below(root: Path) -> bytes:
    """Every byte in every file."""
    return b"".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file())


async def test_the_list_has_the_most_recently_used_session_first(store: Store, clock: ManualClock) -> None:
    """
    People look for what they did last.
    """
    for key in ("a", "b", "c"):
        await say(store, key, "hello")
        clock.advance(1)
    await say(store, "a", "again")

    assert ["a", "c", "b"] == await keys(store)


async def test_pages_give_every_session_once(store: Store, clock: ManualClock) -> None:
    """
    A cursor continues where the page before it ended, also among sessions of the same instant.
    """
    for number in range(7):
        await say(store, f"s{number}", "hello")
        clock.advance(number % 2)

    seen, cursor = [], ""
    while True:
        page = await store.list(limit=3, cursor=cursor)
        seen += [each.key for each in page.sessions]
        cursor = page.cursor
        if not cursor:
            break

    assert sorted(seen) == [f"s{number}" for number in range(7)]


async def test_a_foreign_cursor_is_refused(store: Store) -> None:
    """
    A cursor that no list gave is an error, not an empty page.
    """
    await say(store, "a", "hello")

    with pytest.raises(BadInput, match="Begin without one"):
        await store.list(cursor="page two")


async def test_what_a_session_is_can_be_seen_in_the_list(store: Store) -> None:
    """
    Title, preview, counts, tags and archived come from the entries.
    """
    async with store.session("a") as session:
        await session.append(UserSaid(parts=(Text(text="first \x1b[31mred\nline"),)))
        await session.append(ModelReplied(parts=(Text(text="yes"),)), TurnEnded())
        await session.append(Described(title="On \ud800 red", tags=("x", "y"), archived=True))

    (row,) = (await store.list(archived=True)).sessions
    assert ("On \ud800 red", ("x", "y"), True) == (row.title, row.tags, row.archived)
    assert ("first ␛[31mred line", 5, 2, 1) == (row.preview, row.entries, row.messages, row.turns)
    assert row.size > 0


async def test_archived_sessions_and_tags_filter_the_list(store: Store) -> None:
    """
    Archived ones are shown only when asked for; a tag narrows the list.
    """
    await say(store, "plain", "hello")
    for key, described in {"old": Described(archived=True), "work": Described(tags=("job",))}.items():
        async with store.session(key) as session:
            await session.append(described)

    assert {"plain", "work"} == set(await keys(store))
    assert {"plain", "work", "old"} == {each.key for each in (await store.list(archived=None)).sessions}
    assert ["work"] == [each.key for each in (await store.list(tag="job")).sessions]


async def test_the_list_is_what_reading_every_log_would_give(tmp_path: Path, clock: ManualClock) -> None:
    """
    The file catalog and the one that keeps nothing agree, row by row.
    """
    async with open_store(tmp_path, clock=clock) as store:
        for number in range(5):
            await say(store, f"key {number}", *[f"text {number} {n}" for n in range(number)])
            clock.advance(1)
        await store.fork("key 4", "fork", at=2)
        rows = (await store.list(archived=None)).sessions
    async with FileStore(tmp_path) as logs:
        expected = (await ScanningCatalog(logs).page(Wanted(archived=None))).sessions

    assert [row.key for row in expected] == [row.key for row in rows]
    for one, other in zip(expected, rows, strict=True):
        assert (one.preview, one.created, one.updated, one.entries, one.messages) == (
            other.preview,
            other.created,
            other.updated,
            other.entries,
            other.messages,
        )


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The launch is on Friday", "launch friday"),
        ("Holdfast keeps it", "ldfas"),
        ("今天我们讨论数据库的设计", "数据库"),
        ("今天我们讨论数据库的设计", "数"),
        ("データベースの設計", "設計"),
        ("said by nobody else", '"by nobody"'),
    ],
)
async def test_what_was_said_is_found_at_its_position(store: Store, said: str, asked: str) -> None:
    """
    Words, parts of words, phrases, Chinese and Japanese lead to the entry that holds them.
    """
    await say(store, "other", "nothing of the kind")
    await say(store, "here", "before", said)

    assert [("here", 2)] == (await found(store, asked))[:1]


async def test_a_find_shows_the_words_around_it_safely(store: Store) -> None:
    """
    A snippet is one line without control sequences, around the words that were asked for.
    """
    await say(store, "a", "padding " * 60 + "the \x1b]52;c;evil\x07needle here")

    (hit,) = await store.search("needle")
    assert "needle here" in hit.snippet
    assert "\x1b" not in hit.snippet
    assert hit.snippet.startswith("…")
    assert "user" == hit.role


async def test_a_search_can_stay_inside_one_session(store: Store) -> None:
    """
    The same words in other sessions do not count, and an unknown session has none.
    """
    await say(store, "a", "needle")
    await say(store, "b", "needle")

    assert ["b"] == [hit.key for hit in await store.search("needle", key="b")]
    assert () == await store.search("needle", key="unknown")


async def test_titles_are_found(store: Store) -> None:
    """
    Renaming a session makes it findable by its new name.
    """
    async with store.session("a") as session:
        await session.append(Described(title="Quarterly plan"))

    assert [("a", 1)] == await found(store, "quarterly")


async def test_an_empty_store_is_listed_without_making_anything(tmp_path: Path) -> None:
    """
    Looking is not writing.
    """
    async with open_store(tmp_path / "none") as store:
        assert () == (await store.list()).sessions
        assert () == await store.search("x")
        assert () == (await FileCatalog(tmp_path / "none").near("x"))
        assert [] == [step async for step in store.reindex()]

    assert [] == [path.name for path in tmp_path.rglob("*") if path.name not in {"none", "catalog.db"}]


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


def rows_in(root: Path) -> int:
    """How many sessions the database has."""
    if not (root / schema.FILE).exists():
        return 0
    db = sqlite3.connect(root / schema.FILE)
    try:
        return int(db.execute("select count(*) from sessions").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not made yet
    finally:
        db.close()


@pytest.mark.parametrize("harm", ["missing", "garbage", "later version", "no tables", "replaced"])
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
        db.execute("pragma user_version = 99" if harm == "later version" else "drop table sessions")
        db.commit()
        db.close()


async def test_marks_that_a_power_cut_took_are_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    After a restart of the machine every session is looked at, marked or not.
    """
    boot = tmp_path / "boot"
    boot.write_text("first")
    monkeypatch.setattr(sweep, "BOOT", boot)
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


async def test_a_deleted_session_leaves_no_byte(tmp_path: Path) -> None:
    """
    After a delete the words are in no file below the store: log, attachments, catalog, index.
    """
    async with open_store(tmp_path) as store:
        await say(store, "kept", "ordinary words")
        async with store.session("gone") as session:
            await session.append(UserSaid(parts=(Text(text="the canaryword sings"),)))
            await session.append(Described(title="canaryword title", tags=("canaryword",)))
            blob = await session.attach(b"canaryword " * 5_000, media_type="text/plain")
            await session.append(UserSaid(parts=(blob,)))
        await store.list()
        assert "canaryword" in str(await store.search("canaryword"))
        await store.delete("gone")
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


async def test_a_place_where_no_catalog_can_be_is_said(tmp_path: Path) -> None:
    """
    The conversations are safe; the error says what stands in the way.
    """
    async with open_store(tmp_path) as store:
        (tmp_path / schema.FILE).mkdir()
        await say(store, "a", "one")
        with pytest.raises(ReadOnly, match="conversations themselves are safe"):
            await store.list()
        (tmp_path / schema.FILE).rmdir()

        assert ["a"] == await keys(store)


async def test_a_closed_store_answers_no_more(tmp_path: Path) -> None:
    """
    Closing twice is once; asking afterwards is an error.
    """
    store = open_store(tmp_path)
    await say(store, "a", "one")
    await store.close()
    await store.close()

    with pytest.raises(Closed):
        await store.list()


async def test_names_like_the_one_asked_for_are_suggested(tmp_path: Path) -> None:
    """
    A typing error leads to the session that was meant.
    """
    async with open_store(tmp_path) as store:
        await say(store, "team:alice", "hello")
        catalog = FileCatalog(tmp_path)
        assert ("team:alice",) == await catalog.near("team:alcie")
        await catalog.settle()
        await catalog.close()


async def test_keys_that_only_the_log_can_tell_are_listed(tmp_path: Path) -> None:
    """
    A key too long for a folder name is shown as it is.
    """
    key = "x" * 300
    async with open_store(tmp_path) as store:
        await say(store, key, "hello")
        assert [key] == await keys(store)
    assert folder_name(SessionKey(key)) != key


async def test_entries_without_words_are_counted_and_not_found(store: Store) -> None:
    """
    An application's own entries are part of the session but say nothing.
    """
    async with store.session("a") as session:
        await session.append(Unknown(kind="acme.vote", fields={"for": "needle"}))

    (row,) = (await store.list()).sessions
    assert (2, 0, "") == (row.entries, row.messages, row.preview)
    assert [] == await found(store, "needle")


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
