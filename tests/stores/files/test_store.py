"""The file store as a whole: two processes, a session that is looked at, and what opening one costs."""

import asyncio
import errno
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from holdfast import open_store
from holdfast.clock import ManualClock
from holdfast.errors import BadEntry, BeyondEnd, Closed, Held, NotWritten, ReadOnly, Unreadable
from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.store import LogStore
from holdfast.records.codec import Record
from holdfast.records.decode import HIGHEST
from holdfast.stores.files import filesystems, lease, takeover
from holdfast.stores.files import store as store_module
from holdfast.stores.files.store import FileStore
from tests.contracts.talk import FORK, KEY, all_of, at, filled, next_of, positions, said, say, texts, writing
from tests.stores.files.neighbour import neighbour
from tests.stores.files.trouble import Counting, Refusing, lines, no_more_files, write_segments


@pytest.fixture
async def quick(tmp_path: Path) -> AsyncIterator[FileStore]:
    """A store that does not really wait."""
    async with FileStore(tmp_path, clock=ManualClock()) as opened:
        yield opened


async def test_two_processes_take_turns_and_the_second_is_told_who_holds_the_session(tmp_path: Path) -> None:
    """
    Neither interleaves with the other, and each goes on where the other one ended.
    """
    async with FileStore(tmp_path) as store:
        await filled(store, 1)
        with neighbour(tmp_path) as other:
            assert "done 0" == other.asked("hold thinking")
            with pytest.raises(Held, match=f"process {other.pid} on {socket.gethostname()} since .*, thinking"):
                await store.acquire(KEY)
            assert "done 1" == other.asked("say theirs")
            assert "done 1" == other.asked("release")
            async with writing(store) as writer:
                assert other.asked("hold").startswith(
                    f"Held: The session 'team:alice' is held by process {os.getpid()}"
                )
                await say(writer, "ours")

        assert ["word 0", "theirs", "ours"] == texts(await all_of(store.read(KEY)))


async def test_a_killed_process_leaves_everything_it_acknowledged(tmp_path: Path) -> None:
    """
    And the session free.
    """
    async with FileStore(tmp_path) as store:
        with neighbour(tmp_path) as other:
            other.asked("hold")
            assert "done 0" == other.asked("say last words")
            other.kill()
        async with writing(store) as writer:
            assert (0, ()) == (writer.end, writer.repaired)

        assert ["last words"] == texts(await all_of(store.read(KEY)))


async def test_a_torn_end_is_mended_by_the_next_writer_and_by_no_reader(quick: FileStore) -> None:
    """
    Readers change no byte; the writer sets the rest aside, says so, and the log goes on.
    """
    torn = lines(0, 1) + lines(2)[:50]
    path = write_segments(quick.folder(KEY), torn)
    assert [0, 1] == positions(await all_of(quick.read(KEY)))
    assert [1, 0] == positions(await all_of(quick.read_back(KEY)))
    assert [0, 1] == positions(await next_of(quick.follow(KEY), 2))
    await quick.verify(KEY)
    assert (torn, ["000001.jsonl"]) == (path.read_bytes(), os.listdir(quick.folder(KEY)))
    async with writing(quick) as writer:
        (repaired,) = writer.repaired
        await say(writer, "clean")

    assert torn[repaired.offset :] == (quick.folder(KEY) / repaired.aside).read_bytes()
    assert [0, 1, 2] == positions(await all_of(quick.read(KEY)))


async def test_repair_keeps_every_damaged_stretch_aside(quick: FileStore) -> None:
    """
    Middle and end, each with its copy; every good record before and after is there, and nothing is cut in the middle.
    """
    path = write_segments(quick.folder(KEY), lines(0) + b"noise\n" + lines(1) + b"torn")
    verdict = await quick.repair(KEY)

    assert {b"torn", b"noise"} == {(quick.folder(KEY) / each.aside).read_bytes() for each in verdict.damaged}
    assert (lines(0) + b"noise\n" + lines(1), True) == (path.read_bytes(), verdict.good)
    assert await quick.holder(KEY) is None


async def test_a_log_without_one_good_record_is_an_error_to_look_at_and_never_overwritten(quick: FileStore) -> None:
    """
    It exists, it is not empty, its bytes stay; who follows it waits for what comes.
    """
    path = write_segments(quick.folder(KEY), b"\0" * 500)
    assert (True, []) == (await quick.exists(KEY), await all_of(quick.read(KEY)))
    follower = asyncio.ensure_future(next_of(quick.follow(KEY), 1))
    await asyncio.sleep(0)
    async with writing(quick) as writer:
        assert 1 == len(writer.repaired)
        await say(writer, "again")

        assert ["again"] == texts(await follower)
    assert b"\0" * 500 == path.read_bytes()


async def test_opening_reads_back_to_the_last_checkpoint_and_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    A session of thousands of messages opens by reading about as much as one of a few hundred.
    """
    read: dict[int, int] = {}
    for count in (400, 8_000):
        async with open_store(tmp_path / f"{count}", durability="os") as store:
            async with store.session("long") as session:
                for number in range(count):
                    await session.append(said(f"message {number} " + "x" * 100))
            with monkeypatch.context() as patch:
                pread = Counting(os.pread)
                patch.setattr(os, "pread", pread)
                async with store.session("long") as session:
                    assert count == session.state.messages
            read[count] = sum(map(len, pread.given))

    assert read[8_000] < 2 * read[400] < 1_000_000


class Remembering:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.fails = False

    def opened(self, folder: str) -> None:
        if self.fails:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.heard.append(f"opened {folder}")

    def expected(self, folder: str) -> None:
        self.heard.append(f"expected {folder}")

    def changed(self, folder: str) -> None:
        self.heard.append(f"changed {folder}")

    def released(self, folder: str) -> None:
        self.heard.append(f"released {folder}")


async def test_a_listener_hears_of_a_session_before_its_first_append_and_after_its_last(tmp_path: Path) -> None:
    """
    So the catalog knows what to look at, whenever the process dies.
    """
    listener = Remembering()
    async with FileStore(tmp_path, listener=listener) as store:
        writer = await store.acquire(KEY)
        assert ["opened team%3aalice", "changed team%3aalice"] == listener.heard
        await say(writer, "one", "two")
        await writer.release()

    assert {"changed team%3aalice"} == set(listener.heard[1:-1])
    assert "released team%3aalice" == listener.heard[-1]


@pytest.mark.parametrize("act", ["acquire", "delete"])
async def test_a_session_that_could_not_be_marked_is_not_held(tmp_path: Path, act: str) -> None:
    """
    When the catalog's mark does not fit on the disk, the error says so, and the lease is free.
    """
    listener = Remembering()
    async with FileStore(tmp_path, listener=listener) as store:
        await filled(store, 1)
        listener.fails = True
        with pytest.raises(NotWritten):
            await (store.acquire(KEY) if act == "acquire" else store.delete(KEY))
        listener.fails = False
        async with writing(store) as writer:
            assert 0 == writer.end


async def test_an_opening_that_fails_gives_the_lease_back(quick: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Whatever could not be read or opened: the next one who tries is not told that we hold it.
    """
    await filled(quick, 1)
    segment, away = (quick.folder(KEY) / name for name in ("000001.jsonl", "away"))
    segment.rename(away)
    segment.mkdir()
    with pytest.raises(Unreadable):
        await quick.acquire(KEY)
    segment.rmdir()
    away.rename(segment)
    resume = takeover.resume

    def then_vanish(folder: Path, *args: object, **kwargs: object) -> object:
        end = resume(folder, *args, **kwargs)  # type: ignore[arg-type]
        segment.rename(away)
        return end

    with monkeypatch.context() as patch:
        patch.setattr(store_module, "resume", then_vanish)
        with pytest.raises(Unreadable):
            await quick.acquire(KEY)
    away.rename(segment)

    async with writing(quick) as writer:
        assert 0 == writer.end


async def test_a_cancelled_opening_gives_the_lease_back(quick: FileStore) -> None:
    """
    Once its thread is done with the files, and not before.
    """
    await filled(quick, 1)
    opening = asyncio.ensure_future(quick.acquire(KEY))
    await asyncio.sleep(0)
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
    writer = await quick.acquire(KEY, wait=1e9)

    assert (True, 0) == (opening.cancelled(), writer.end)
    await writer.release()


async def test_a_session_deleted_while_it_is_opened_is_begun_anew(
    quick: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Between making its folder and locking it another process may take the folder away.
    """
    taken = lease.acquire

    def too_late(folder: Path, *args: object) -> object:
        monkeypatch.undo()
        folder.rmdir()
        return taken(folder, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(store_module, "acquire", too_late)
    async with writing(quick) as writer:
        await say(writer, "one")

    assert ["one"] == texts(await all_of(quick.read(KEY)))


async def test_on_a_network_file_system_one_can_read_and_not_write(
    quick: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    One writer cannot be guaranteed there, so none is let in, and the hint says where to go.
    """
    await filled(quick, 2)
    kind = filesystems.file_system(quick.root.resolve(), filesystems.MOUNTS.read_text())
    monkeypatch.setattr(filesystems, "NETWORK", frozenset({kind}))

    with pytest.raises(ReadOnly, match="local disk"):
        await quick.acquire(KEY)
    assert [0, 1] == positions(await all_of(quick.read(KEY)))


async def test_a_place_where_nothing_can_be_made_is_an_error(tmp_path: Path) -> None:
    """
    A link that leads nowhere looks like a folder that another process keeps deleting; nobody tries for ever.
    """
    (tmp_path / "store").symlink_to(tmp_path / "gone" / "away")
    async with open_store(tmp_path / "store") as store:
        with pytest.raises(Unreadable, match="No such file"):
            await store.open("s")


async def test_every_name_on_the_way_to_the_first_entry_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    A segment that survives a power cut in a folder that does not is lost: each folder is synced in the one above it.
    """
    root, synced = tmp_path / "new" / "store", set()
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    async with FileStore(root) as store, writing(store) as writer:
        await say(writer, "one")
        await writer.commit()
        folder = store.folder(KEY)

    assert {each.stat().st_ino for each in (folder, *folder.parents[:4])} <= synced


async def test_files_are_for_their_owner_alone(quick: FileStore, tmp_path: Path) -> None:
    """
    Conversations are private, whatever the umask says.
    """
    before = os.umask(0)
    try:
        async with writing(quick) as writer:
            await say(writer, "secret")
            await writer.put_blob(b"secret")
        await quick.fork(KEY, FORK, at=at(0))
    finally:
        os.umask(before)

    below = list(tmp_path.rglob("*"))
    assert {0o600} == {each.stat().st_mode & 0o777 for each in below if each.is_file()}
    assert {0o700} == {each.stat().st_mode & 0o777 for each in below if each.is_dir()}


async def test_what_cannot_be_read_is_an_error_and_no_empty_session(
    quick: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Reading, following and checking say which file it is.
    """
    await filled(quick, 2)
    monkeypatch.setattr(os, "pread", Refusing(os.pread, errno.EIO, times=99))

    async def first(source: AsyncIterator[Record]) -> Record:
        return await anext(source)

    for attempt in (
        first(quick.read(KEY)),
        first(quick.read_back(KEY)),
        first(quick.follow(KEY)),
        quick.verify(KEY),
    ):
        with pytest.raises(Unreadable, match="team%3aalice"):
            await attempt


async def test_a_process_that_may_open_no_more_files_is_told_in_our_words(quick: FileStore) -> None:
    """
    Whatever is asked of the store: the error is one of ours and says what to do, and it passes.
    """
    await filled(quick, 2)
    await quick.fork(KEY, FORK, at=at(1))
    await quick.throw_away(FORK)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: quick.exists(KEY),
        lambda: quick.holder(KEY),
        lambda: quick.drafts(KEY),
        lambda: quick.get_blob(KEY, BlobId("0" * 64)),
        lambda: all_of(quick.read(KEY)),
        lambda: all_of(quick.read_back(KEY)),
        lambda: all_of(quick.follow(KEY)),
        lambda: all_of(quick.follow_draft(KEY)),
        lambda: all_of(quick.sessions()),
        lambda: quick.acquire(KEY),
        lambda: quick.fork(KEY, FORK, at=at(1)),
        lambda: quick.delete(KEY),
        lambda: quick.verify(KEY),
        lambda: quick.repair(KEY),
        quick.trash,
        quick.empty_trash,
    ]
    for call in calls:
        with no_more_files(), pytest.raises(Unreadable, match="Too many open files"):
            await call()

    assert [0, 1] == positions(await all_of(quick.read(KEY)))


async def test_a_follower_may_not_begin_beyond_what_was_acknowledged(quick: FileStore) -> None:
    """
    A viewer that saw more than there is learns where to begin again.
    """
    await filled(quick, 2)

    with pytest.raises(BeyondEnd):
        await anext(quick.follow(KEY, after=at(2)))


async def test_a_closed_store_opens_nothing(quick: FileStore, tmp_path: Path) -> None:
    """
    Its threads are gone, and it says so; it keeps nobody else from opening.
    """
    await quick.close()
    with pytest.raises(Closed):
        await quick.acquire(KEY)

    async with FileStore(tmp_path) as other, writing(other) as writer:
        assert -1 == writer.end


def stores_are_alike(store: FileStore) -> LogStore:
    """The type checker's proof that the file store fulfils the contract."""
    return store


async def test_a_log_at_the_highest_position_takes_no_entry_that_nobody_could_read(quick: FileStore) -> None:
    """
    Another program may give a line the highest position. The next entry is refused, and the log can be forked.
    """
    write_segments(quick.folder(KEY), lines(0, 1, HIGHEST))
    async with writing(quick) as writer:
        with pytest.raises(BadEntry, match="the highest that a log can have"):
            await writer.append([said("lost")], expect=Position(HIGHEST + 1))

    await quick.fork(KEY, FORK, at=at(1))
    async with writing(quick, FORK) as writer:
        await say(writer, "kept")
    assert "kept" == texts(await all_of(quick.read(FORK)))[-1]


async def test_a_folder_with_a_log_is_not_taken_away_by_who_wrote_nothing(quick: FileStore) -> None:
    """
    Whatever put a segment there meanwhile, its words stay.
    """
    await filled(quick, 1)
    fresh = SessionKey("fresh")
    writer = await quick.acquire(fresh)
    copied = quick.folder(fresh) / "000001.jsonl"
    copied.write_bytes((quick.folder(KEY) / "000001.jsonl").read_bytes())
    await writer.release(discard=True)

    assert copied.is_file()
