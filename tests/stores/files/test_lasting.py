"""What a failing disk or a dead process leaves halfway, and who comes next."""

import errno
import os
from pathlib import Path

import pytest

from holdfast.stores.files import disk
from holdfast.stores.files.lease import acquire
from holdfast.stores.files.repair import mend
from tests.contracts.talk import KEY
from tests.stores.files.trouble import Refusing, lines, write_segments

TORN = b'{"v":1,"pos":2,"at":'


def test_a_name_that_cannot_be_made_to_last_is_not_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Who is told that a file was not made does not find it later.
    """
    (tmp_path / "new").write_bytes(b"bytes")
    monkeypatch.setattr(os, "fsync", Refusing(os.fsync, errno.EIO))

    with pytest.raises(OSError, match="Input/output"):
        disk.publish(tmp_path / "new", tmp_path / "name")
    assert [] == os.listdir(tmp_path)


def test_a_first_name_that_stays_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A file that has its name is made, whether or not the name it was built under goes.
    """
    (tmp_path / "new").write_bytes(b"bytes")
    monkeypatch.setattr(os, "unlink", Refusing(os.unlink, errno.EIO))
    disk.publish(tmp_path / "new", tmp_path / "name")

    assert b"bytes" == (tmp_path / "name").read_bytes()


def test_a_lease_that_could_not_be_written_down_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A full disk does not lock a process out of its own session.
    """
    monkeypatch.setattr(os, "pwrite", Refusing(os.pwrite, errno.ENOSPC))
    with pytest.raises(OSError, match="No space"):
        acquire(tmp_path, KEY, "", 1)
    lease = acquire(tmp_path, KEY, "", 1)

    assert lease.held
    lease.close()


def test_torn_bytes_are_kept_aside_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Who dies between the copy and the cut leaves a copy that the next one uses.
    """
    path = write_segments(tmp_path, lines(0, 1) + TORN)
    monkeypatch.setattr(os, "ftruncate", Refusing(os.ftruncate, errno.EIO))
    with pytest.raises(OSError, match="Input/output"):
        mend(tmp_path)
    mend(tmp_path)

    assert lines(0, 1) == path.read_bytes()
    assert [TORN] == [copy.read_bytes() for copy in (tmp_path / "aside").iterdir()]
