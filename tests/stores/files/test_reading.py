"""Reading a session that goes away meanwhile, or is none."""

import os
from pathlib import Path

import pytest

from holdfast.errors import NoSession, Unreadable
from holdfast.stores.files.segments import segment_path
from holdfast.stores.files.store import FileStore
from tests.contracts.talk import KEY, filled, next_of, positions


async def test_who_reads_a_session_is_told_that_it_was_deleted(tmp_path: Path) -> None:
    """
    It is not the disk that is at fault, and nobody is sent to look for that.
    """
    async with FileStore(tmp_path, segment_bytes=1) as store:
        await filled(store, 3)
        source = store.read(KEY)
        await next_of(source, 1)
        await store.delete(KEY)

        with pytest.raises(NoSession, match="There is no session"):
            await next_of(source, 2)


async def test_a_segment_that_goes_away_alone_is_a_matter_of_the_disk(tmp_path: Path) -> None:
    """
    The rest of the session is there, so the file is named.
    """
    async with FileStore(tmp_path, segment_bytes=1) as store:
        await filled(store, 3)
        source = store.read(KEY)
        await next_of(source, 1)
        segment_path(store.folder(KEY), 2).unlink()

        with pytest.raises(Unreadable, match=r"000002\.jsonl"):
            await next_of(source, 2)


async def test_a_follower_is_told_that_another_session_was_begun(tmp_path: Path) -> None:
    """
    The key leads to a session, so the error does not say that there is none.
    """
    async with FileStore(tmp_path) as store:
        await filled(store, 3)
        source = store.follow(KEY)
        assert [0, 1] == positions(await next_of(source, 2))
        await store.delete(KEY)
        await filled(store, 9)
        await next_of(source, 1)  # it was read before

        with pytest.raises(NoSession, match="another one begun there"):
            await next_of(source, 1)


async def test_a_pipe_in_the_place_of_a_segment_keeps_nobody_waiting(tmp_path: Path) -> None:
    """
    It cannot be read, like all else that is no file; waiting for it, one session would hold up the list of all.
    """
    async with FileStore(tmp_path) as store:
        folder = store.folder(KEY)
        folder.mkdir(parents=True)
        os.mkfifo(segment_path(folder, 1))

        with pytest.raises(Unreadable):
            await store.acquire(KEY)
        with pytest.raises(Unreadable):
            await store.verify(KEY)
