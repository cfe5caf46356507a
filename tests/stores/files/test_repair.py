"""Mending the end of a log: nothing is cut away before a copy is on the disk, and sealed segments never change."""

import errno
import os
from pathlib import Path

import pytest

from holdfast.errors import NotWritten
from holdfast.log.store import Damaged, Verdict
from holdfast.stores.files import disk
from holdfast.stores.files.repair import ASIDE, mend, with_copies
from holdfast.stores.files.verify import check
from tests.contracts.talk import KEY
from tests.stores.files.trouble import Refusing, line, lines, no_file_above, place, write_segments

GOOD = lines(0, 1, 2)
TORN = [
    lines(3)[:1],
    lines(3)[:60],
    lines(3)[:-2],
    b"\0" * 4096,
    b"\xff\xfe not text",
    b"\n\n\n",
    lines(3)[:30] + b"\0" * 500 + b"\n",
]


def copies(folder: Path) -> dict[str, bytes]:
    """What was set aside."""
    return {each.name: each.read_bytes() for each in (folder / ASIDE).iterdir()} if (folder / ASIDE).exists() else {}


def test_a_log_that_ends_well_is_left_alone(tmp_path: Path) -> None:
    """
    Where it ends, and nothing else.
    """
    path = write_segments(tmp_path, lines(0), lines(1, 2))
    end = mend(tmp_path)

    assert (2, len(lines(1, 2)), 2, len(lines(1)), ()) == (
        end.segment,
        end.size,
        end.last,
        end.last_start,
        end.repaired,
    )
    assert lines(1, 2) == path.read_bytes()
    assert ["000001.jsonl", "000002.jsonl"] == sorted(os.listdir(tmp_path))


def test_an_empty_folder_ends_before_its_first_entry(tmp_path: Path) -> None:
    """
    A session without a word has no segment.
    """
    end = mend(tmp_path)

    assert (0, 0, -1, ()) == (end.segment, end.size, end.last, end.repaired)


@pytest.mark.parametrize("torn", TORN)
def test_torn_bytes_are_set_aside_and_the_log_goes_on_on_a_clean_line(tmp_path: Path, torn: bytes) -> None:
    """
    Every good line stays, the rest is kept in a file of its own, and its place is told.
    """
    path = write_segments(tmp_path, GOOD + torn)
    end = mend(tmp_path)

    (found,) = end.repaired
    assert GOOD == path.read_bytes()
    assert (1, len(GOOD), 2, len(lines(0, 1)), True) == (end.segment, end.size, end.last, end.last_start, end.usable)
    assert ("000001.jsonl", len(GOOD), len(torn), 2) == (found.where, found.offset, found.length, found.after)
    assert torn == (tmp_path / found.aside).read_bytes()
    assert 0o600 == (tmp_path / found.aside).stat().st_mode & 0o777


def test_torn_bytes_were_never_acknowledged_and_whole_lines_may_have_been(tmp_path: Path) -> None:
    """
    A line that ends and does not verify counts as missing; one that does not end was never said.
    """
    spoiled = line(3).replace(b"word", b"wOrd") + line(4).replace(b"word", b"wOrd")
    write_segments(tmp_path, GOOD + spoiled + lines(5)[:20])

    assert [2] == [each.missing for each in mend(tmp_path).repaired]


def test_a_last_line_without_its_line_feed_is_good(tmp_path: Path) -> None:
    """
    Only the line feed is added; nothing has to be set aside.
    """
    path = write_segments(tmp_path, GOOD[:-1])
    end = mend(tmp_path)

    assert (GOOD, len(GOOD), 2, ()) == (path.read_bytes(), end.size, end.last, end.repaired)
    assert len(lines(0, 1)) == end.last_start


def test_a_last_line_glued_to_torn_bytes_is_good(tmp_path: Path) -> None:
    """
    When the line feed itself is damaged, the record before it still counts.
    """
    path = write_segments(tmp_path, GOOD[:-1] + b"\0\0\0\n")
    end = mend(tmp_path)

    assert (GOOD, 2) == (path.read_bytes(), end.last)
    assert [b"\0\0\0\n"] == list(copies(tmp_path).values())


@pytest.mark.parametrize("before", [(), (lines(0, 1),)])
@pytest.mark.parametrize("last", [b"", b"\0" * 700])
def test_a_last_segment_without_a_good_record_is_left_as_it_is(
    tmp_path: Path, before: tuple[bytes, ...], last: bytes
) -> None:
    """
    The log ends in the segment before it, and goes on in one after it.
    """
    path = write_segments(tmp_path, *before, last)
    end = mend(tmp_path)

    assert (len(before) + 1, 2 * len(before) - 1, False) == (end.segment, end.last, end.usable)
    assert (last, [last]) == (path.read_bytes(), list(copies(tmp_path).values()))


def test_mending_twice_keeps_one_copy(tmp_path: Path) -> None:
    """
    After a crash between the copy and the cut, the copy that is there is enough.
    """
    path = write_segments(tmp_path, GOOD + b"torn")
    mend(tmp_path)
    path.write_bytes(GOOD + b"torn")
    mend(tmp_path)

    assert {f"000001-{len(GOOD)}.bin": b"torn"} == copies(tmp_path)


def test_two_tears_at_one_place_are_both_kept(tmp_path: Path) -> None:
    """
    No copy takes another one's place.
    """
    path = write_segments(tmp_path, GOOD)
    for torn in (b"first", b"second", b"third", b"second"):
        path.write_bytes(GOOD + torn)
        mend(tmp_path)

    assert {b"first", b"second", b"third"} == set(copies(tmp_path).values())
    assert 3 == len(copies(tmp_path))


def test_without_room_for_the_copy_nothing_is_cut(tmp_path: Path) -> None:
    """
    The kernel refuses the copy: the log is as it was, and no half copy stays.
    """
    path = write_segments(tmp_path, GOOD + b"x" * 500)
    with no_file_above(300), pytest.raises(OSError, match="File too large"):
        mend(tmp_path)

    assert (GOOD + b"x" * 500, {}) == (path.read_bytes(), copies(tmp_path))
    mend(tmp_path)
    assert [b"x" * 500] == list(copies(tmp_path).values())


def test_a_copy_that_a_crash_left_unfinished_is_made_anew(tmp_path: Path) -> None:
    """
    What stands under a name that nobody reads is in nobody's way.
    """
    write_segments(tmp_path, GOOD + b"torn")
    (tmp_path / ASIDE).mkdir()
    (tmp_path / ASIDE / f".000001-{len(GOOD)}.bin.new").write_bytes(b"to")
    mend(tmp_path)

    assert {f"000001-{len(GOOD)}.bin": b"torn"} == copies(tmp_path)


def test_a_line_feed_that_does_not_fit_is_told(tmp_path: Path) -> None:
    """
    A full disk keeps the log from being mended, and changes nothing.
    """
    path = write_segments(tmp_path, GOOD[:-1])
    with no_file_above(len(GOOD) - 1), pytest.raises(NotWritten):
        mend(tmp_path)

    assert GOOD[:-1] == path.read_bytes()


def test_a_cut_that_is_not_on_the_disk_is_no_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The sync after it must succeed before anyone writes on.
    """
    write_segments(tmp_path, GOOD + b"torn")
    mend(tmp_path)
    write_segments(tmp_path, GOOD + b"torn")
    monkeypatch.setattr(os, "fdatasync", Refusing(os.fdatasync, errno.EIO))

    with pytest.raises(OSError, match="Input/output"):
        mend(tmp_path)


def test_damage_in_the_middle_is_kept_aside_and_told_with_its_place(tmp_path: Path) -> None:
    """
    The log itself stays as it is; each stretch has its copy, and what was mended before comes first.
    """
    middle = line(1).replace(b"word", b"wOrd")
    path = write_segments(tmp_path, lines(0) + middle + lines(2), lines(4))
    mended = Damaged(where="000009.jsonl", offset=1, length=2, after=place(9), missing=0)
    verdict = with_copies(tmp_path, check(tmp_path, KEY), (mended,))

    first, damaged, gap = verdict.damaged
    assert mended == first
    assert ("000001.jsonl", len(lines(0)), 0, 1) == (damaged.where, damaged.offset, damaged.after, damaged.missing)
    assert middle[:-1] == (tmp_path / damaged.aside).read_bytes()
    assert ("000002.jsonl", 0, 0, 2, 1, "") == (gap.where, gap.offset, gap.length, gap.after, gap.missing, gap.aside)
    assert [lines(4), lines(0) + middle + lines(2)] == [path.read_bytes(), (tmp_path / "000001.jsonl").read_bytes()]


def test_a_sound_log_has_nothing_to_keep_aside(tmp_path: Path) -> None:
    """
    No damage, no folder for it.
    """
    write_segments(tmp_path, GOOD)
    verdict = check(tmp_path, KEY)

    assert verdict == with_copies(tmp_path, verdict, ())
    assert Verdict(key=KEY, entries=3, first=place(0), last=place(2), size=disk.size_below(tmp_path)) == verdict
    assert ["000001.jsonl"] == os.listdir(tmp_path)
