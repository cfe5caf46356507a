"""Going on with a log: on what is certainly on the disk, and never where someone else may still write."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.errors import ReadOnly
from holdfast.stores.files.lease import Doubt, FileLease, acquire
from holdfast.stores.files.segments import segment_numbers, segment_path
from holdfast.stores.files.takeover import resume
from tests.contracts.talk import KEY
from tests.stores.files.trouble import Refusing, lines, write_segments

GOOD = lines(0, 1, 2)


@pytest.fixture
def lease(tmp_path: Path) -> Iterator[FileLease]:
    """The lease of the session."""
    held = acquire(tmp_path, KEY, "", 0)
    yield held
    held.close()


def contents(folder: Path) -> list[bytes]:
    """What each segment holds."""
    return [segment_path(folder, number).read_bytes() for number in segment_numbers(folder)]


def test_a_sound_log_goes_on_where_it_is(tmp_path: Path, lease: FileLease) -> None:
    """
    No new segment without a reason.
    """
    write_segments(tmp_path, GOOD)
    end = resume(tmp_path, lease, fenced=False)

    assert (1, len(GOOD), 2, [GOOD]) == (end.segment, end.size, end.last, contents(tmp_path))


def test_after_a_take_over_the_log_goes_on_in_another_segment(tmp_path: Path, lease: FileLease) -> None:
    """
    The former holder may still write to the one it knows. The other one repeats its last line, and counts from there.
    """
    write_segments(tmp_path, GOOD)
    end = resume(tmp_path, lease, fenced=True)

    assert ([GOOD, lines(2)], 2, len(lines(2)), 2) == (contents(tmp_path), end.segment, end.size, end.last)


@pytest.mark.parametrize("fenced", [False, True])
def test_what_a_sync_failed_for_is_written_again(tmp_path: Path, lease: FileLease, fenced: bool) -> None:
    """
    It can be read and may yet be gone from the disk. Once it is written again, the doubt is over.
    """
    write_segments(tmp_path, GOOD)
    lease.write_doubt(Doubt(segment=1, offset=len(lines(0))))
    end = resume(tmp_path, lease, fenced=fenced)

    assert ([GOOD, lines(1, 2)], 2, 2) == (contents(tmp_path), end.segment, end.last)
    assert lease.doubt is None


def test_a_doubt_about_a_segment_that_was_left_behind_is_over(tmp_path: Path, lease: FileLease) -> None:
    """
    A later segment begins with what was in doubt.
    """
    write_segments(tmp_path, GOOD, lines(1, 2, 3))
    lease.write_doubt(Doubt(segment=1, offset=len(lines(0))))
    end = resume(tmp_path, lease, fenced=False)

    assert ([GOOD, lines(1, 2, 3)], 2, 3) == (contents(tmp_path), end.segment, end.last)
    assert lease.doubt is None


def test_a_log_whose_end_cannot_be_synced_is_read_only_and_the_next_one_is_warned(
    tmp_path: Path, lease: FileLease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The system tells of a failed sync once; the next holder writes everything of that segment again.
    """
    write_segments(tmp_path, GOOD)
    monkeypatch.setattr(os, "fdatasync", Refusing(os.fdatasync, errno.EIO))
    with pytest.raises(ReadOnly, match="Check the disk"):
        resume(tmp_path, lease, fenced=False)
    assert Doubt(segment=1, offset=0) == lease.doubt
    resume(tmp_path, lease, fenced=False)

    assert [GOOD, GOOD] == contents(tmp_path)


@pytest.mark.parametrize("fenced", [False, True])
def test_without_a_good_record_at_the_end_nothing_is_repeated(tmp_path: Path, lease: FileLease, fenced: bool) -> None:
    """
    An empty folder and a zeroed last segment go on in the next one.
    """
    assert 0 == resume(tmp_path, lease, fenced=fenced).segment
    write_segments(tmp_path, lines(0), b"\0" * 99)
    end = resume(tmp_path, lease, fenced=fenced)

    assert (2, 0, False, [lines(0), b"\0" * 99]) == (end.segment, end.last, end.usable, contents(tmp_path))
