"""Attachments in files: named by content, shared by forks, gone with the last reference."""

import os
from pathlib import Path

import pytest

from holdfast.errors import NoBlob
from holdfast.log.blobs import blob_id
from holdfast.records.entries import UserSaid
from holdfast.records.parts import Blob
from holdfast.stores.files.blob_files import BLOBS, get_blob, put_blob, references
from tests.stores.files.trouble import line, no_file_above


def test_damaged_content_is_never_given_out(tmp_path: Path) -> None:
    """
    One changed byte, and it is no longer what its name says; keeping it again mends it.
    """
    name = put_blob(tmp_path, b"original")
    (tmp_path / BLOBS / name).write_bytes(b"originaL")
    with pytest.raises(NoBlob, match="damaged"):
        get_blob(tmp_path, name)
    put_blob(tmp_path, b"original")

    assert b"original" == get_blob(tmp_path, name)


def test_content_is_for_its_owner_alone(tmp_path: Path) -> None:
    """
    An attachment is as private as the log; nothing but the attachment is left in its folder.
    """
    name = put_blob(tmp_path, b"secret")

    assert (0o700, 0o600) == (
        (tmp_path / BLOBS).stat().st_mode & 0o777,
        (tmp_path / BLOBS / name).stat().st_mode & 0o777,
    )
    assert [name] == os.listdir(tmp_path / BLOBS)


def test_content_that_does_not_fit_leaves_nothing_behind(tmp_path: Path) -> None:
    """
    The kernel takes part of it: no name is given to a part.
    """
    with no_file_above(100), pytest.raises(OSError, match="File too large"):
        put_blob(tmp_path, b"x" * 1000)

    assert [] == os.listdir(tmp_path / BLOBS)
    with pytest.raises(NoBlob):
        get_blob(tmp_path, blob_id(b"x" * 1000))


def test_only_real_references_count() -> None:
    """
    A text that looks like a reference is a text: its quotes are escaped.
    """
    real, quoted = blob_id(b"real"), blob_id(b"quoted")
    entry = UserSaid(parts=(Blob(blob=real, media_type="text/plain", size=4),))

    assert {real} == references(line(0, entry=entry) + line(1, f'"blob":"{quoted}"'))
