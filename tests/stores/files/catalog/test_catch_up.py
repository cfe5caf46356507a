"""A catalog that is far behind: it answers at once, says so, hides nothing of its own, and catches up by itself."""

import asyncio
import os
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from holdfast import ManualClock, Position, SessionKey, Store, Text, UserSaid, open_store
from holdfast.session.catalog import Progress, Wanted
from holdfast.stores.files.catalog import backlog, catch_up, follow_log, forget, index, schema
from holdfast.stores.files.catalog import file_catalog as catalog_module
from holdfast.stores.files.catalog.database import Database
from holdfast.stores.files.catalog.dirty import DirtyMarks
from holdfast.stores.files.catalog.file_catalog import FileCatalog
from holdfast.stores.files.segments import Cursor, ReadBlock, advance
from holdfast.stores.files.store import FileStore
from tests.stores.files.catalog.talk import bytes_below, found, keys, say

ALL = ("a", "b", "c")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions that wait for nothing, and nothing that goes on behind the answers."""
    monkeypatch.setattr(catalog_module, "OTHERS_SECONDS", 0.0)
    monkeypatch.setattr(catalog_module, "PAUSE_SECONDS", 86_400.0)


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    """A store of three sessions whose catalog knows them all."""
    root = tmp_path / "store"
    async with open_store(root) as store:
        for key in ALL:
            await say(store, key, f"needle {key}")
        await store.list()
    return root


@asynccontextmanager
async def behind(root: Path) -> AsyncIterator[Store]:
    """The same store without its catalog."""
    schema.discard(root)
    async with open_store(root) as store:
        yield store


@pytest.mark.usefixtures("hurried")
async def test_an_answer_that_is_not_complete_says_so(root: Path) -> None:
    """
    It comes at once, from what the catalog has, with the number of sessions that wait.
    """
    async with behind(root) as store:
        page = await store.list()
        assert ((), 3) == (page.sessions, page.waiting)
        hits = await store.search("needle")
        assert (True, 3) == (len(hits) < 3, hits.waiting)
        steps = [step async for step in store.catch_up()]
        assert Progress(done=steps[-1].total, total=steps[-1].total, key=SessionKey("c")) == steps[-1]
        page, hits = await store.list(), await store.search("needle")

        assert (set(ALL), 0) == ({each.key for each in page.sessions}, page.waiting)
        assert (3, 0) == (len(hits), hits.waiting)
        assert [] == [step async for step in store.catch_up()]


async def test_it_catches_up_behind_the_answers(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Nobody has to ask for it.
    """
    monkeypatch.setattr(catalog_module, "OTHERS_SECONDS", 0.0)
    monkeypatch.setattr(catalog_module, "PAUSE_SECONDS", 0.001)
    async with behind(root) as store:
        assert 3 == (await store.list()).waiting
        monkeypatch.setattr(catalog_module, "OTHERS_SECONDS", -1.0)
        async with asyncio.timeout(20):
            while await asyncio.to_thread(pending_in, root):
                pass

        assert set(ALL) == set(await keys(store))


def pending_in(root: Path) -> int:
    """How many sessions the catalog has yet to look at."""
    db = sqlite3.connect(root / schema.FILE)
    try:
        return backlog.count(db, words=True)
    finally:
        db.close()


@pytest.mark.usefixtures("hurried")
async def test_what_this_process_wrote_and_what_is_named_is_right_while_the_rest_waits(root: Path) -> None:
    """
    They come first, and are read whole.
    """
    async with behind(root) as store:
        await say(store, "mine", "needle of mine")
        assert (["mine"], [("mine", 1)]) == (await keys(store), await found(store, "needle"))
        hits = await store.search("needle", key="b")

        assert ([("b", 1)], True) == ([(hit.key, hit.pos) for hit in hits], hits.waiting > 0)


@pytest.mark.usefixtures("hurried")
async def test_each_process_goes_on_where_the_one_before_it_stopped(root: Path) -> None:
    """
    However short it lives, and however it ended.
    """
    schema.discard(root)
    waiting: list[int] = []
    while not waiting or waiting[-1]:
        async with open_store(root) as store:
            waiting.append((await store.list()).waiting)
        assert len(waiting) < 10

    assert waiting == sorted(waiting, reverse=True)
    async with open_store(root) as store:
        assert set(ALL) == set(await keys(store))


@pytest.mark.usefixtures("hurried")
async def test_one_process_at_a_time_looks_at_what_is_pending(root: Path) -> None:
    """
    The others answer from what there is; when it is gone, the next one goes on.
    """
    async with open_store(root) as other:
        async with behind(root) as store:
            assert 3 == (await store.list()).waiting
            assert [3, 3, 3, 3] == [(await other.list()).waiting for _ in range(4)]
        async for _ in other.catch_up():
            pass

        assert set(ALL) == set(await keys(other))


async def test_who_waits_for_another_process_sees_it_come(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Catching up ends when all is there, whoever did it.
    """
    monkeypatch.setattr(catalog_module, "OTHERS_SECONDS", 0.0)
    async with open_store(root) as other, behind(root) as store:
        assert 3 == (await store.list()).waiting
        async with asyncio.timeout(20):
            async for _ in other.catch_up():
                pass

        assert set(ALL) == set(await keys(other))


def read_from(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sessions whose logs are read on from now on, and from where."""
    read: list[str] = []

    def noted(folder: Path, cursor: Cursor, at_first: int) -> Iterator[ReadBlock]:
        for each in advance(folder, cursor, at_first):
            read.append(f"{folder.name} {cursor.offset > 0}")
            yield each

    monkeypatch.setattr(follow_log, "advance", noted)
    return read


@pytest.mark.parametrize("way", ["copied", "restarted"])
async def test_logs_that_are_as_they_were_are_not_read_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """
    After a store was copied, and after the machine was restarted; what differs is read.
    """
    if way == "copied":
        shutil.copytree(root, tmp_path / "copy")
        root = tmp_path / "copy"
    else:
        monkeypatch.setattr(backlog, "BOOT", tmp_path / "another")
    longer = root / "sessions" / "b" / "000001.jsonl"
    async with FileStore(root) as logs:  # a store without a catalog sets no marks
        writer = await logs.acquire(SessionKey("b"))
        await writer.append([UserSaid(parts=(Text(text="more"),))], expect=Position(writer.end + 1))
        await writer.release()
    read = read_from(monkeypatch)

    async with open_store(root) as store:
        assert [("b", 2)] == await found(store, "more")
        assert 3 == len(await found(store, "needle"))
    assert (["b True"], True) == (read, longer.exists())


async def test_a_log_that_another_one_replaced_is_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    It is as long, and says something else.
    """
    log = root / "sessions" / "b" / "000001.jsonl"
    other = (root / "sessions" / "c" / "000001.jsonl").read_bytes()
    log.unlink()
    log.with_name("new").write_bytes(other)
    log.with_name("new").rename(log)
    monkeypatch.setattr(backlog, "BOOT", root / "another")

    async with open_store(root) as store:
        assert {"needle a", "needle c"} == {hit.snippet for hit in await store.search("needle")}


async def test_a_copied_log_of_several_segments_is_read_on(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Not again from its beginning.
    """
    async with FileStore(root, segment_bytes=500) as logs:
        writer = await logs.acquire(SessionKey("long"))
        for number in range(9):
            await writer.append([UserSaid(parts=(Text(text=f"word {number}" * 9),))], expect=Position(writer.end + 1))
        await writer.release()
    async with open_store(root) as store:
        assert 9 == len(await found(store, "word"))
    shutil.copytree(root, tmp_path / "copy")
    read = read_from(monkeypatch)

    async with open_store(tmp_path / "copy") as store:
        assert 9 == len(await found(store, "word"))
    assert [] == read


async def test_a_catalog_of_an_earlier_version_knows_its_logs_after_a_copy(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What it needs to know them by is found out once, while they are still in their place.
    """
    db = sqlite3.connect(root / schema.FILE)
    db.execute("update sessions set proof = ''")
    db.execute("insert into pending select folder, 0, 0 from sessions")
    db.commit()
    db.close()
    async with open_store(root) as store:
        assert 0 == (await store.list()).waiting
    shutil.copytree(root, tmp_path / "copy")
    read = read_from(monkeypatch)

    async with open_store(tmp_path / "copy") as store:
        assert set(ALL) == set(await keys(store))
    assert [] == read


@pytest.mark.usefixtures("hurried")
async def test_the_list_has_a_long_log_before_the_search(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What the list shows of it is read in a tenth of the time that its words take.
    """
    monkeypatch.setattr(follow_log, "MUCH", 100)
    async with behind(root) as store:
        waiting: list[tuple[int, int]] = []
        while not waiting or waiting[-1][0]:
            waiting.append(((await store.list()).waiting, pending_in(root)))
            assert len(waiting) < 20
        assert (0, 3) == waiting[-1]
        assert set(ALL) == set(await keys(store))
        assert 0 < (await store.search("needle")).waiting
        await say(store, "a", "more")
        async for _ in store.catch_up():
            pass

        assert {("a", 1), ("b", 1), ("c", 1)} == set(await found(store, "needle"))


@pytest.mark.usefixtures("hurried")
async def test_a_list_waits_for_no_words_of_a_message_just_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Megabytes of them take seconds; the search waits for them, and the list is complete before.
    """
    async with open_store(root) as store:
        assert set(ALL) == set(await keys(store))
        monkeypatch.setattr(follow_log, "MUCH", 100)
        await say(store, "d", "harbour " * 100)
        page = await store.list()

        assert (("d", 0), {"harbour": 0}) == ((page.sessions[0].key, page.waiting), counted(root, "harbour"))
        assert [("d", 1)] == await found(store, "harbour")
        assert {"harbour": 1} == counted(root, "harbour")


def counted(root: Path, term: str) -> dict[str, int]:
    """How many messages the search index has of a word."""
    db = sqlite3.connect(root / schema.FILE)
    try:
        return {term: len(db.execute("select 1 from search_terms where term = ?", (term,)).fetchall())}
    finally:
        db.close()


async def test_words_that_two_processes_read_at_once_are_found_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Also where the row of a long log came first.
    """
    monkeypatch.setattr(follow_log, "MUCH", 100)
    reads = 0

    def overtaken(folder: Path, cursor: Cursor, at_first: int) -> Iterator[ReadBlock]:
        nonlocal reads
        reads += 1
        for each in advance(folder, cursor, at_first):
            if reads == 2 and folder.name == "a":
                monkeypatch.setattr(follow_log, "advance", advance)
                db = schema.connect(root)
                follow_log.catch_up(db, root / "sessions", "a")
                db.close()
            yield each

    schema.discard(root)
    db = schema.connect(root)
    monkeypatch.setattr(follow_log, "advance", overtaken)
    follow_log.catch_up(db, root / "sessions", "a")

    assert [(1,)] == db.execute("select df from search_terms where term = 'needle'").fetchall()
    db.close()


@pytest.mark.usefixtures("hurried")
async def test_an_answer_does_not_wait_for_a_process_that_writes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Where it is about the sessions of others: it says that they wait.
    """
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.01)
    async with behind(root) as store:
        await store.list()
        blocker = sqlite3.connect(root / schema.FILE, isolation_level=None)
        blocker.execute("begin immediate")
        assert 3 == (await store.list()).waiting
        blocker.execute("rollback")
        blocker.close()


@pytest.mark.usefixtures("hurried")
async def test_a_session_that_was_used_since_is_not_outdated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The log itself says when it was last used, where the catalog may be behind.
    """
    clock = ManualClock()
    async with open_store(tmp_path, clock=clock) as store:
        for key in ("idle", "used"):
            await say(store, key, "hello")
        await store.list()
    clock.advance(9 * 86_400)
    async with FileStore(tmp_path, clock=clock) as logs:
        writer = await logs.acquire(SessionKey("used"))
        await writer.append([UserSaid(parts=(Text(text="again"),))], expect=Position(writer.end + 1))
        await writer.release()
    monkeypatch.setattr(backlog, "BOOT", tmp_path / "another")
    monkeypatch.setattr(backlog, "give_times", lambda *_: True)  # so nothing is looked at

    async with open_store(tmp_path, clock=clock) as store:
        assert {"idle", "used"} == {each.key for each in (await store.list()).sessions}
        assert ["idle"] == [each.key for each in await store.outdated(5)]
        (tmp_path / "sessions" / "idle" / "000001.jsonl").write_bytes(b"")
        assert ["idle"] == [each.key for each in await store.outdated(5)]


async def test_a_folder_whose_name_is_no_text_hides_no_session(root: Path) -> None:
    """
    Nothing that this program makes has such a name.
    """
    os.mkdir(os.fsencode(root / "sessions") + b"/\xff")

    async with open_store(root) as store:
        assert set(ALL) == set(await keys(store))


async def test_the_search_index_is_rearranged_after_much_was_added(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    In parts, after everything was read, and what was said is found as before.
    """
    monkeypatch.setattr(backlog, "MANY", 1)
    monkeypatch.setattr(index, "MERGED", 1)
    async with behind(root) as store:
        async for _ in store.catch_up():
            pass
        db = sqlite3.connect(root / schema.FILE)
        assert "" == schema.fact(db, backlog.UNSETTLED)
        db.close()

        assert 3 == len(await found(store, "needle"))


async def test_a_large_catalog_is_cleaned_behind_the_answers(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Where a session was removed by hand, no question waits until all is written anew.
    """
    monkeypatch.setattr(forget, "QUICK_BYTES", 0)
    async with open_store(root) as store:
        await say(store, "gone", "canaryword")
        await store.list()
    shutil.rmtree(root / "sessions" / "gone")

    async with open_store(root) as store:
        await store.list()
        async for _ in store.catch_up():
            pass
        assert b"canaryword" not in bytes_below(root)


async def test_a_session_removed_before_it_was_read_leaves_no_name(root: Path) -> None:
    """
    Not in the list of those that wait either.
    """
    schema.discard(root)
    schema.connect(root).close()
    async with open_store(root) as store:
        await store.delete("b")
        assert {"a", "c"} == set(await keys(store))


async def test_a_session_that_is_removed_while_it_is_read_stays_removed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Its words are not written after the one who removed it looked for them.
    """
    schema.discard(root)
    db = schema.connect(root)

    def removed(folder: Path, cursor: Cursor, at_first: int) -> Iterator[ReadBlock]:
        for each in advance(folder, cursor, at_first):
            shutil.rmtree(folder, ignore_errors=True)
            yield each

    monkeypatch.setattr(follow_log, "advance", removed)
    follow_log.catch_up(db, root / "sessions", "b")

    assert [] == db.execute("select folder from sessions").fetchall()
    db.close()


def test_patience_ends_by_the_time_that_passed_only_after_some_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A slow disk ends it; a busy machine, on which nothing was done yet, does not.
    """
    times: dict[str, float] = {"monotonic": 0.0, "thread_time": 0.0}

    def reading(name: str) -> Callable[[], float]:
        return lambda: times[name]

    for name in times:
        monkeypatch.setattr(f"holdfast.stores.files.catalog.catch_up.time.{name}", reading(name))
    patience = catch_up.Patience(1.0)
    seen = []
    for passed, worked in ((0.5, 0.5), (9.0, 0.01), (9.0, 0.5), (0.5, 1.5)):
        times.update(monotonic=passed, thread_time=worked)
        seen.append(patience.over)

    assert [False, False, True, True] == seen


@pytest.mark.usefixtures("hurried")
async def test_sessions_that_others_write_wait_as_well(root: Path) -> None:
    """
    Where a moment is not enough for them, they are counted among those that wait.
    """
    async with open_store(root) as store, open_store(root) as other, other.session("a") as session:
        await store.list()
        await session.say("more")
        page = await store.list()
        assert ("needle a", 1) == (min(each.preview for each in page.sessions), page.waiting)
        async for _ in store.catch_up():
            pass

        assert [("a", 2)] == [(hit.key, hit.pos) for hit in await other.search("more")]


class Steps(catch_up.Patience):
    """Patience for a number of looks at it."""

    def __init__(self, looks: int) -> None:
        super().__init__(0.0)
        self._looks = looks

    @property
    def over(self) -> bool:
        self._looks -= 1
        return self._looks < 0


def test_a_session_that_was_not_finished_is_left(root: Path) -> None:
    """
    What was read of it stays, and the next one goes on from there.
    """
    marks = DirtyMarks(root)
    database = Database(root, marks.forget_looks)
    work = catch_up.CatchUp(root, marks, database)
    schema.discard(root)

    assert {"a", "b"} == database.run(lambda db: work.settle(db, ["a", "b"], Steps(1)))
    assert set() == database.run(lambda db: work.settle(db, ["a", "b"], Steps(9)))
    database.close()


def test_only_waiting_for_others_is_left_out() -> None:
    """
    What is wrong with the database itself is told.
    """
    db = sqlite3.connect(":memory:")
    with pytest.raises(sqlite3.OperationalError, match="syntax"), catch_up.suppress_busy(db):
        db.execute("no such thing")
    db.close()


async def test_making_it_anew_goes_on_step_by_step(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Each session is named when it is done, however little is done at a time.
    """
    monkeypatch.setattr(catalog_module, "SLICE_SECONDS", 0.0)
    async with open_store(root) as store:
        assert set(ALL) == {step.key async for step in store.reindex()}
        assert 0 == (await store.list()).waiting


@pytest.mark.usefixtures("hurried")
async def test_settling_waits_for_all_of_it(root: Path) -> None:
    """
    Whatever a question would not wait for.
    """
    schema.discard(root)
    catalog = FileCatalog(root)
    await catalog.settle()
    page = await catalog.page(Wanted())
    await catalog.close()

    assert (set(ALL), 0) == ({each.key for each in page.sessions}, page.waiting)


async def test_what_fails_behind_the_answers_is_tried_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    By the next question, and nothing is lost by it.
    """
    monkeypatch.setattr(catalog_module, "QUIET_SECONDS", 0.001)
    tried = threading.Event()

    def failing(_: Path) -> sqlite3.Connection:
        tried.set()
        raise sqlite3.DatabaseError("database disk image is malformed")

    async with open_store(root) as store:
        with monkeypatch.context() as patch:
            patch.setattr(schema, "connect", failing)
            await say(store, "a", "more")
            assert await asyncio.to_thread(tried.wait, 20)
            assert [("a", 2)] == await found(store, "more")

        assert [("a", 2)] == await found(store, "more")
