"""The draft file: what a crash leaves of it, and what a full disk does to it."""

import os
from pathlib import Path

import pytest

from holdfast.clock import ManualClock
from holdfast.errors import Fenced, NotWritten
from holdfast.records.entries import Drafted
from holdfast.session.writer import open_session
from holdfast.stores.files.drafts import DRAFT, DraftFile, DraftReader, read_drafts
from holdfast.stores.files.store import FileStore
from tests.contracts.talk import KEY
from tests.stores.files.trouble import no_file_above, place

AT = "2026-11-16T00:00:00.000000Z"


def piece(text: str) -> Drafted:
    """A piece of a reply."""
    return Drafted(reply=place(3), text=text)


def test_a_piece_that_a_crash_tore_costs_only_itself(tmp_path: Path) -> None:
    """
    The whole pieces before it are found, and the next writer's pieces after it.
    """
    draft = DraftFile(tmp_path)
    for text in ("one", "two", "three"):
        draft.add(piece(text), AT)
    draft.close()
    os.truncate(tmp_path / DRAFT, (tmp_path / DRAFT).stat().st_size - 7)
    assert (piece("one"), piece("two")) == read_drafts(tmp_path)
    after = DraftFile(tmp_path)
    after.add(piece("four"), AT)
    after.close()

    assert (piece("one"), piece("two"), piece("four")) == read_drafts(tmp_path)


def test_a_piece_that_does_not_fit_is_not_half_there(tmp_path: Path) -> None:
    """
    The kernel takes part of it: that part is taken back, and when there is room again the draft goes on.
    """
    draft = DraftFile(tmp_path)
    draft.add(piece("one"), AT)
    size = (tmp_path / DRAFT).stat().st_size
    with no_file_above(size + 20), pytest.raises(NotWritten, match="only 20 of"):
        draft.add(piece("two"), AT)
    assert size == (tmp_path / DRAFT).stat().st_size
    draft.add(piece("three"), AT)
    draft.close()

    assert (piece("one"), piece("three")) == read_drafts(tmp_path)


def test_a_draft_is_for_its_owner_alone_and_can_be_dropped_at_any_time(tmp_path: Path) -> None:
    """
    What streams is as private as what was said; dropping what is not there is fine.
    """
    draft = DraftFile(tmp_path)
    draft.drop()
    draft.add(piece("one"), AT)
    assert 0o600 == (tmp_path / DRAFT).stat().st_mode & 0o777
    draft.drop()

    assert ((), False) == (read_drafts(tmp_path), (tmp_path / DRAFT).exists())


def test_a_watcher_reads_whole_pieces_and_each_once(tmp_path: Path) -> None:
    """
    A piece that is half written is read when its other half is there; of one that a crash tore, nothing is.
    """
    path, draft = tmp_path / DRAFT, DraftFile(tmp_path)
    with DraftReader(tmp_path) as reader:
        assert () == reader.fresh()
        draft.add(piece("one"), AT)
        draft.add(piece("two"), AT)
        draft.close()
        whole = path.read_bytes()
        os.truncate(path, len(whole) - 7)
        assert (piece("one"),) == reader.fresh()
        assert () == reader.fresh()
        path.write_bytes(whole)
        assert (piece("two"),) == reader.fresh()
        path.write_bytes(whole + whole[:20])
        assert () == reader.fresh()
        after = DraftFile(tmp_path)
        after.add(piece("three"), AT)
        after.close()
        assert (piece("three"),) == reader.fresh()


def test_a_watcher_reads_a_draft_to_its_end_although_it_was_dropped(tmp_path: Path) -> None:
    """
    What was added before the file went is given, and then what stands in the next one.
    """
    draft = DraftFile(tmp_path)
    draft.add(piece("one"), AT)
    with DraftReader(tmp_path) as reader:
        assert (piece("one"),) == reader.fresh()
        draft.add(piece("two"), AT)
        draft.drop()
        assert (piece("two"),) == reader.fresh()
        assert () == reader.fresh()
        draft.add(piece("three"), AT)
        assert (piece("three"),) == reader.fresh()
        draft.add(piece("four"), AT)
        draft.drop()
        draft.add(piece("five"), AT)
        assert (piece("four"), piece("five")) == reader.fresh()
    draft.close()


async def test_a_fenced_writer_drafts_into_a_file_that_nobody_reads(tmp_path: Path) -> None:
    """
    It looks at its lease now and then, not for each piece; whoever took over reads only their own draft meanwhile.
    """
    clock = ManualClock()
    logs = FileStore(tmp_path, clock=clock)
    former = await logs.acquire(KEY)
    await former.draft(piece("one"))
    latter = await logs.acquire(KEY, take_over=True)
    async with await open_session(logs, latter, KEY) as session:
        assert () == await logs.drafts(KEY)
        await former.draft(piece("two"))
        await session.draft(piece("three"))
        await former.draft(piece("four"))

        assert (piece("three"),) == await logs.drafts(KEY)
        clock.advance(0.2)
        with pytest.raises(Fenced, match="Another writer took this session over"):
            await former.draft(piece("five"))


async def test_a_clock_that_is_set_back_does_not_keep_a_writer_from_looking(tmp_path: Path) -> None:
    """
    The time since the last look is not known then.
    """
    clock = ManualClock()
    logs = FileStore(tmp_path, clock=clock)
    former = await logs.acquire(KEY)
    await former.draft(piece("one"))
    latter = await logs.acquire(KEY, take_over=True)
    clock.advance(-3600.0)

    with pytest.raises(Fenced):
        await former.draft(piece("two"))
    await latter.release()
    await former.release()
