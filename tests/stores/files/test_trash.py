"""Removing folders: whole or not at all, to the last byte, and finished after a crash."""

import errno
import os
from pathlib import Path

import pytest

from holdfast.errors import Unreadable
from holdfast.ids import SessionKey
from holdfast.records.entries import Opened
from holdfast.stores.files.folder_names import folder_name
from holdfast.stores.files.store import FileStore
from holdfast.stores.files.trash import finish_removing, in_trash, key_in
from tests.contracts.talk import KEY, all_of, filled
from tests.stores.files.trouble import Refusing, line, lines, write_segments

LONG = SessionKey("a key that is too long for a folder " * 20)


def test_what_a_crash_left_half_removed_is_finished(tmp_path: Path) -> None:
    """
    It was gone for everyone before; its bytes go with the next opening.
    """
    write_segments(tmp_path / "removing" / "0123" / "inner", lines(0))
    (tmp_path / "removing" / "4567").mkdir()
    finish_removing(tmp_path / "removing")
    finish_removing(tmp_path / "removing")
    finish_removing(tmp_path / "missing")

    assert [] == os.listdir(tmp_path / "removing")


async def test_a_removal_that_fails_halfway_is_finished_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The session is gone at once; whoever comes next takes the rest away, and the key is free.
    """
    async with FileStore(tmp_path) as store:
        await filled(store, 3)
        with monkeypatch.context() as patch:
            patch.setattr(os, "rmdir", Refusing(os.rmdir, errno.EIO))
            with pytest.raises(Unreadable):
                await store.delete(KEY)
        assert (False, 1) == (await store.exists(KEY), len(os.listdir(tmp_path / "removing")))
        await filled(store, 1)

        assert (1, []) == (len(await all_of(store.read(KEY))), os.listdir(tmp_path / "removing"))


def test_only_what_was_thrown_away_is_in_the_trash(tmp_path: Path) -> None:
    """
    Other things in that folder are not ours to list, or to empty.
    """
    write_segments(tmp_path / "1794787200000000000+notes", lines(0))
    for name in ("notes", "x+notes", "+notes"):
        (tmp_path / name).mkdir()

    assert [("notes", len(lines(0)))] == [(each.key, each.size) for each in in_trash(tmp_path)]


@pytest.mark.parametrize("opened", [True, False])
def test_a_key_that_its_folder_cannot_tell_is_told_by_the_log(tmp_path: Path, opened: bool) -> None:
    """
    Of several beginnings, as in a fork of a fork, the one that belongs to the folder counts; without one, its name.
    """
    name = folder_name(LONG)
    own = line(2, entry=Opened(key=LONG)) if opened else lines(2)
    write_segments(tmp_path / name, line(0, entry=Opened(key=KEY)) + lines(1) + own)

    assert (LONG if opened else name) == key_in(tmp_path / name, name)


async def test_a_long_key_comes_back_from_the_trash_under_its_own_name(tmp_path: Path) -> None:
    """
    However its folder is called there.
    """
    async with FileStore(tmp_path) as store:
        writer = await store.acquire(LONG)
        await writer.append([Opened(key=LONG)], expect=writer.end + 1)  # type: ignore[arg-type]
        await writer.release()
        await store.throw_away(LONG)
        (trashed,) = await store.trash()

        assert (LONG, LONG) == (trashed.key, await store.bring_back(trashed.name))
        assert [LONG] == await all_of(store.sessions())


async def test_where_no_folder_can_be_made_sessions_can_still_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Who removes a session to free space on a full disk needs none for it.
    """
    async with FileStore(tmp_path) as store:
        await filled(store, 3)
        monkeypatch.setattr(os, "mkdir", Refusing(os.mkdir, errno.ENOSPC, times=100))
        await store.delete(KEY)

        assert (False, []) == (await store.exists(KEY), os.listdir(tmp_path / "removing"))
