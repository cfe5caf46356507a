"""What a failing disk or a dead process leaves halfway, and who comes next."""

import errno
import os
from pathlib import Path

import pytest

from holdfast.errors import Fenced, Held
from holdfast.stores.files import disk
from holdfast.stores.files.lease import acquire, take_over
from holdfast.stores.files.repair import mend
from holdfast.stores.files.segments import segment_numbers
from holdfast.stores.files.takeover import alone, resume
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


def test_a_take_over_that_was_not_finished_is_finished_by_the_next(tmp_path: Path) -> None:
    """
    The fenced writer may still be alive when the one who fenced it is dead, so the log leaves its segment all the same.
    """
    write_segments(tmp_path, lines(0, 1))
    paused = acquire(tmp_path, KEY, "", 1)
    take_over(tmp_path, "", 2).close()
    lease = acquire(tmp_path, KEY, "", 3)
    resume(tmp_path, lease, fenced=False)

    assert [1, 2] == segment_numbers(tmp_path)
    assert not lease.fenced
    paused.close()
    lease.close()


def test_one_who_was_fenced_before_it_began_touches_nothing(tmp_path: Path) -> None:
    """
    What looks torn to a paused writer may be what the next one is just writing.
    """
    path = write_segments(tmp_path, lines(0, 1) + TORN)
    paused = acquire(tmp_path, KEY, "", 1)
    take_over(tmp_path, "", 2).close()

    with pytest.raises(Fenced):
        resume(tmp_path, paused, fenced=False)
    assert lines(0, 1) + TORN == path.read_bytes()
    paused.close()


def test_a_segment_that_a_fenced_writer_began_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A name taken at the last moment is looked at again, not an error.
    """
    write_segments(tmp_path, lines(0, 1))
    lease = take_over(tmp_path, "", 1)
    monkeypatch.setattr(os, "link", Refusing(os.link, errno.EEXIST))

    assert 2 == resume(tmp_path, lease, fenced=True).segment
    lease.close()


def test_one_who_was_fenced_may_not_remove_the_session(tmp_path: Path) -> None:
    """
    A deletion that slept over a take-over does not take the next writer's words away.
    """
    paused = acquire(tmp_path, KEY, "removing it", 1)
    with alone(tmp_path, paused):
        take_over(tmp_path, "", 2).close()

    with pytest.raises(Fenced), alone(tmp_path, paused):
        pass
    paused.close()


def test_whoever_waits_for_one_who_stopped_halfway_is_told_who_that_is(tmp_path: Path) -> None:
    """
    One that is paused in the middle of opening a session is named to all who come after, until it is out of the way.
    """
    write_segments(tmp_path, lines(0, 1))
    stopped = acquire(tmp_path, KEY, "dreaming", 1)
    with alone(tmp_path, stopped):
        told = []
        for again in (False, True, False):
            lease = acquire(tmp_path, KEY, "", 3) if again else take_over(tmp_path, "", 2)
            with pytest.raises(Held) as held:
                resume(tmp_path, lease, fenced=True, patience=0.05)
            told.append((held.value.holder.partition(";")[0], str(stopped.holder.pid) in held.value.hint))
            lease.close()
    lease = acquire(tmp_path, KEY, "", 5)
    former = [lease.former]
    end = resume(tmp_path, lease, fenced=True, patience=0)
    former.append(lease.former)

    assert [(str(stopped.holder), True)] * 3 == told
    assert ([stopped.holder, None], 2) == (former, end.segment)
    lease.close()
    stopped.close()


def test_without_a_name_it_is_another_process(tmp_path: Path) -> None:
    """
    A lock file that a crash cut off names nobody.
    """
    stopped = acquire(tmp_path, KEY, "", 1)
    with alone(tmp_path, stopped):
        (tmp_path / "lock").write_bytes(b"")
        lease = take_over(tmp_path, "", 2)
        with pytest.raises(Held, match="held by another process"):
            resume(tmp_path, lease, fenced=True, patience=0)
    lease.close()
    stopped.close()
