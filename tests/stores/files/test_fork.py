"""Forks in files: sealed segments and attachments are shared, and a fork is there whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from holdfast.errors import AlreadyThere, BeyondEnd, HoldfastError, NoSession, Unreadable
from holdfast.log.blobs import blob_id
from holdfast.records.entries import UserSaid
from holdfast.records.parts import Blob
from holdfast.stores.files.blob_files import BLOBS
from holdfast.stores.files.fork import ForkRequest, fork
from holdfast.stores.files.store import FileStore
from tests.contracts.talk import FORK, KEY, all_of, at, filled, positions, say, texts, writing
from tests.stores.files.trouble import Refusing, line, lines, no_file_above, place, write_segments


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {each.name: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def forked(root: Path, position: int) -> Path:
    """The folder of a fork of `source` below `root`."""
    request = ForkRequest(source=KEY, target=FORK, at=place(position), stamp="2026-11-16T00:00:00.000000Z")
    fork(root / "source", root / "target", root / "making", request)
    return root / "target"


def test_sealed_segments_are_shared_and_the_last_one_is_cut(tmp_path: Path) -> None:
    """
    A fork of a long log costs one segment, and the original keeps every byte and every file.
    """
    source = tmp_path / "source"
    write_segments(source, lines(0, 1), lines(2, 3), lines(4, 5, 6), lines(7))
    before = contents(source)
    target = forked(tmp_path, 5)

    same = [os.path.samefile(source / name, target / name) for name in ("000001.jsonl", "000002.jsonl")]
    assert ([True, True], before) == (same, contents(source))
    assert (target / "000003.jsonl").read_bytes().startswith(lines(4, 5))
    assert 3 == (target / "000003.jsonl").read_bytes().count(b"\n")
    assert ["000001.jsonl", "000002.jsonl", "000003.jsonl"] == sorted(os.listdir(target))
    assert [] == os.listdir(tmp_path / "making")


def test_what_a_segment_says_in_vain_is_not_forked(tmp_path: Path) -> None:
    """
    A position that stands in two segments is forked as it counts: in the later one.
    """
    write_segments(tmp_path / "source", lines(0, 1) + line(2, "in vain"), b"", line(2, "said") + lines(3))
    target = forked(tmp_path, 2)

    assert (target / "000003.jsonl").read_bytes().startswith(line(2, "said"))


@pytest.mark.parametrize("tail", [b"", b"\n"])
def test_a_last_line_may_lack_its_line_feed(tmp_path: Path, tail: bytes) -> None:
    """
    The fork's own beginning stands on a line of its own all the same.
    """
    write_segments(tmp_path / "source", lines(0, 1)[:-1] + tail)

    assert 3 == (forked(tmp_path, 1) / "000001.jsonl").read_bytes().count(b"\n")


def test_a_damaged_position_cannot_be_forked_from(tmp_path: Path) -> None:
    """
    What is not there cannot be shared; the last good position before it is named.
    """
    write_segments(tmp_path / "source", lines(0, 1) + line(2).replace(b"word", b"wOrd") + lines(3))
    with pytest.raises(BeyondEnd) as refused:
        forked(tmp_path, 2)

    assert (2, 1) == (refused.value.asked, refused.value.end)
    assert (False, []) == ((tmp_path / "target").exists(), os.listdir(tmp_path / "making"))


def test_what_vanishes_before_it_is_forked_is_no_session(tmp_path: Path) -> None:
    """
    A fork of nothing would be an empty session, which nobody said.
    """
    with pytest.raises(NoSession):
        forked(tmp_path, 0)

    assert (False, []) == ((tmp_path / "target").exists(), os.listdir(tmp_path / "making"))


def test_a_fork_overwrites_nothing_that_came_meanwhile(tmp_path: Path) -> None:
    """
    Between looking and moving another process may begin the same session.
    """
    write_segments(tmp_path / "source", lines(0))
    write_segments(tmp_path / "target", lines(0, 1))
    with pytest.raises(AlreadyThere):
        forked(tmp_path, 0)

    assert {"000001.jsonl": lines(0, 1)} == contents(tmp_path / "target")


def test_a_fork_that_cannot_be_moved_into_place_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A failing disk is told, and not taken for a session in the way.
    """
    write_segments(tmp_path / "source", lines(0))
    monkeypatch.setattr(Path, "rename", Refusing(Path.rename, errno.EIO))
    with pytest.raises(OSError, match="Input/output"):
        forked(tmp_path, 0)

    assert (False, []) == ((tmp_path / "target").exists(), os.listdir(tmp_path / "making"))


async def test_without_room_there_is_no_fork_and_no_trace_of_it(tmp_path: Path) -> None:
    """
    The kernel refuses the copy: the error says so, and the original is as it was.
    """
    async with FileStore(tmp_path) as store:
        await filled(store, 30)
        with no_file_above(500), pytest.raises(HoldfastError):
            await store.fork(KEY, FORK, at=at(20))

        assert (False, []) == (await store.exists(FORK), os.listdir(tmp_path / "making"))
        await store.fork(KEY, FORK, at=at(20))
        assert list(range(22)) == positions(await all_of(store.read(FORK)))


async def test_a_fork_is_untouched_by_what_a_fenced_writer_still_writes(tmp_path: Path) -> None:
    """
    A paused process that wakes up may append to a segment that is shared by now; in no log does that count.
    """
    async with FileStore(tmp_path) as store:
        former = await store.acquire(KEY)
        await say(former, "one", "two")
        latter = await store.acquire(KEY, take_over=True)
        await say(latter, "three")
        await store.fork(KEY, FORK, at=at(2))
        await say(former, "too late")
        await latter.release()
        await former.release()

        assert ["one", "two", "three"] == texts(await all_of(store.read(FORK)))
        assert ["one", "two", "three"] == texts(await all_of(store.read(KEY)))
        assert (await store.verify(FORK)).good


async def test_attachments_are_second_names_and_go_with_the_last_one(tmp_path: Path) -> None:
    """
    No byte is copied; the file system itself counts who has them. What is missing stays missing.
    """
    missing = blob_id(b"missing")
    async with FileStore(tmp_path) as store:
        async with writing(store) as writer:
            kept = await writer.put_blob(b"canary-bytes")
            parts = tuple(Blob(blob=name, media_type="text/plain", size=9) for name in (kept, missing))
            await writer.append([UserSaid(parts=parts)], expect=at(0))
        await store.fork(KEY, FORK, at=at(0))
        path = store.folder(FORK) / BLOBS / kept

        assert (2, (missing,)) == (path.stat().st_nlink, (await store.verify(FORK)).blobs_missing)
        await store.delete(KEY)
        assert (1, b"canary-bytes") == (path.stat().st_nlink, await store.get_blob(FORK, kept))
        await store.delete(FORK)
        assert b"canary" not in b"".join(contents(tmp_path).values())


async def test_a_session_that_cannot_be_read_is_not_forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The error names what cannot be read.
    """
    async with FileStore(tmp_path) as store:
        await filled(store, 3)
        monkeypatch.setattr(os, "pread", Refusing(os.pread, errno.EIO, times=99))
        with pytest.raises(Unreadable, match="Check the disk"):
            await store.fork(KEY, FORK, at=at(1))
