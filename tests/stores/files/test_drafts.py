"""The draft file: what a crash leaves of it, and what a full disk does to it."""

import os
from pathlib import Path

import pytest

from holdfast.errors import NotWritten
from holdfast.records.entries import Drafted
from holdfast.stores.files.drafts import DRAFT, DraftFile, read_drafts
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
