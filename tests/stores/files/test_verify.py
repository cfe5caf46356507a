"""Checking a session: what is damaged, where, how much is missing, and never more or less than that."""

import os
from pathlib import Path

import pytest

from holdfast.ids import BlobId
from holdfast.log.blobs import blob_id
from holdfast.records.entries import UserSaid
from holdfast.records.parts import Blob
from holdfast.stores.files.blob_files import BLOBS, put_blob
from holdfast.stores.files.repair import mend, with_copies
from holdfast.stores.files.verify import check
from tests.contracts.talk import KEY
from tests.stores.files.trouble import Counting, line, lines, write_segments


def damage(folder: Path) -> list[tuple[str, int, int, int, int]]:
    """File, offset, length, the position before, and how many are missing."""
    return [(each.where, each.offset, each.length, each.after, each.missing) for each in check(folder, KEY).damaged]


def spoiled(pos: int) -> bytes:
    """A line with one changed byte."""
    return line(pos).replace(b"word", b"wOrd")


def test_each_damaged_stretch_is_told_with_its_place(tmp_path: Path) -> None:
    """
    File and offset for a person, positions for a program.
    """
    write_segments(tmp_path, lines(0) + spoiled(1) + lines(2), lines(3) + b"noise\n" + lines(4))
    size = len(line(1)) - 1

    assert [
        ("000001.jsonl", len(line(0)), size, 0, 1),
        ("000002.jsonl", len(line(3)), 5, 3, 0),
    ] == damage(tmp_path)
    verdict = check(tmp_path, KEY)
    assert (4, 0, 4, False) == (verdict.entries, verdict.first, verdict.last, verdict.good)


@pytest.mark.parametrize("flip", [0x01, 0x20, 0x80])
def test_no_changed_byte_of_a_line_goes_unseen(tmp_path: Path, flip: int) -> None:
    """
    Text, position, time, the checksum and the braces around it: each byte counts, and its neighbours stay good.
    """
    before, good, after = line(0), line(1), line(2)
    for index in range(len(good) - 1):
        write_segments(tmp_path, before + good[:index] + bytes([good[index] ^ flip]) + good[index + 1 :] + after)
        verdict = check(tmp_path, KEY)

        assert (2, 0, 2, 1) == (verdict.entries, verdict.first, verdict.last, sum(e.missing for e in verdict.damaged))


def test_several_stretches_in_a_row_miss_what_lies_between_two_good_records(tmp_path: Path) -> None:
    """
    The number of missing positions is counted once.
    """
    write_segments(tmp_path, lines(0) + spoiled(1) + b"noise\n" + spoiled(2) + lines(5))

    assert [4, 0, 0] == [missing for *_, missing in damage(tmp_path)]


def test_the_beginning_may_be_missing(tmp_path: Path) -> None:
    """
    The first position there is, is told.
    """
    write_segments(tmp_path, spoiled(0) + lines(1))
    verdict = check(tmp_path, KEY)

    assert (1, 1, [("000001.jsonl", 0, len(line(0)) - 1, -1, 1)]) == (verdict.entries, verdict.first, damage(tmp_path))


def test_positions_that_are_not_there_are_missing_even_without_a_trace(tmp_path: Path) -> None:
    """
    A segment that someone deleted is a gap in the next one.
    """
    write_segments(tmp_path, lines(0, 1), lines(2), lines(3))
    (tmp_path / "000002.jsonl").unlink()

    assert [("000003.jsonl", 0, 0, 1, 1)] == damage(tmp_path)


@pytest.mark.parametrize(
    ("tail", "missing"),
    [
        (lines(1)[:-5], 0),
        (b"\0" * 300, 0),
        (spoiled(1), 1),
        (b"x" + lines(1)[1:], 0),
    ],
)
def test_what_ends_a_log_is_lost_only_if_it_looks_like_a_whole_entry(tmp_path: Path, tail: bytes, missing: int) -> None:
    """
    A torn line was never acknowledged; one that is whole but for a byte may have been.
    """
    write_segments(tmp_path, lines(0) + tail)

    assert [missing] == [each[-1] for each in damage(tmp_path)]
    assert bool(missing) != check(tmp_path, KEY).good


def test_what_was_lost_at_the_end_is_told_after_the_log_went_on(tmp_path: Path) -> None:
    """
    Whole lines that went bad may have been acknowledged. Their positions are given again: only the copy tells of them.
    """
    path = write_segments(tmp_path, lines(0, 1) + spoiled(2) + spoiled(3))
    end, lost = len(lines(0, 1)), len(spoiled(2) + spoiled(3))
    mend(tmp_path)
    path.write_bytes(path.read_bytes() + lines(2))
    told = [("000001.jsonl", end, lost, 1, 2)]
    kept = with_copies(tmp_path, check(tmp_path, KEY), ()).damaged

    assert (told, 3) == (damage(tmp_path), check(tmp_path, KEY).entries)
    assert [f"aside/000001-{end}.bin"] == [each.aside for each in kept]
    assert [f"000001-{end}.bin"] == os.listdir(tmp_path / "aside")
    write_segments(tmp_path, lines(0, 1), lines(2))
    assert told == damage(tmp_path)
    path.unlink()
    assert (*told[0][:3], 2, 2) in damage(tmp_path)


def test_what_a_fenced_writer_added_while_the_log_was_mended_is_not_lost(tmp_path: Path) -> None:
    """
    It is whole, and only in a copy: nobody was told that it was safe, and its position is given again.
    """
    write_segments(tmp_path, lines(0, 1, 2))
    (tmp_path / "aside").mkdir()
    (tmp_path / "aside" / f"000001-{len(lines(0, 1))}.bin").write_bytes(lines(2).replace(b"2", b"1"))
    told = damage(tmp_path)
    (tmp_path / "aside" / f"000001-{len(lines(0, 1))}.bin").write_bytes(lines(3))

    assert (1, []) == (len(told), damage(tmp_path))


def test_a_torn_end_is_not_told_again(tmp_path: Path) -> None:
    """
    Nothing of it was ever acknowledged; nor is damage told twice that a repair has copied.
    """
    path = write_segments(tmp_path, lines(0) + spoiled(1) + lines(2) + line(3)[:20])
    mend(tmp_path)
    path.write_bytes(path.read_bytes() + lines(3))
    (tmp_path / "aside" / "notes.txt").write_bytes(spoiled(4))
    before = damage(tmp_path)
    with_copies(tmp_path, check(tmp_path, KEY), ())

    assert [("000001.jsonl", len(line(0)), len(line(1)) - 1, 0, 1)] == before == damage(tmp_path)


@pytest.mark.parametrize(("content", "missing"), [(b"", 1), (b"\0" * 99, 1), (spoiled(0) + spoiled(1), 2)])
def test_a_log_that_had_to_begin_anew_is_not_good(tmp_path: Path, content: bytes, missing: int) -> None:
    """
    Its first position is given again, and hides no loss.
    """
    write_segments(tmp_path, content, lines(0, 1))

    assert missing == sum(lost for *_, lost in damage(tmp_path))


@pytest.mark.parametrize("content", [spoiled(0), b"", b"\n\n", b"\0" * 300])
def test_a_log_without_any_good_record_is_not_good(tmp_path: Path, content: bytes) -> None:
    """
    Nothing is there, and that is told, never taken for an empty session: a log is never made without an entry.
    """
    write_segments(tmp_path, content)
    verdict = check(tmp_path, KEY)

    assert (0, -1, -1, False) == (verdict.entries, verdict.first, verdict.last, verdict.good)
    assert [("000001.jsonl", 0, 1)] == [(each.where, each.offset, each.missing) for each in verdict.damaged]


def test_a_session_that_was_never_written_is_empty(tmp_path: Path) -> None:
    """
    Where there is no log, nothing is missing.
    """
    assert (0, True) == (check(tmp_path, KEY).entries, check(tmp_path, KEY).good)


def test_repeated_lines_are_no_damage(tmp_path: Path) -> None:
    """
    What a segment that was given up says again, or says in vain, is neither counted nor missed.
    """
    write_segments(tmp_path, lines(0, 1) + line(2, "in vain"), lines(1, 2), b"", lines(3))
    verdict = check(tmp_path, KEY)

    assert (4, True, ()) == (verdict.entries, verdict.good, verdict.damaged)


def test_a_log_that_changed_hands_often_is_checked_as_quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Each take-over begins a segment that may repeat a line; four times as many cost four times as much, not sixty-four.
    """
    opens = []
    for name, count in (("few", 10), ("many", 40)):
        folder = tmp_path / name
        folder.mkdir()
        write_segments(folder, *(lines(*range(5 * number, 5 * number + 6)) for number in range(count)))
        with monkeypatch.context() as patched:
            patched.setattr(os, "open", counting := Counting(os.open))
            assert 5 * count + 1 == check(folder, KEY).entries
        opens.append(len(counting.given))

    assert opens[1] <= 4.1 * opens[0]


def test_attachments_are_read_to_their_last_byte(tmp_path: Path) -> None:
    """
    Missing ones and damaged ones are told; those that nobody names any more are not looked for.
    """
    names = [put_blob(tmp_path, data) for data in (b"kept", b"spoiled", b"unnamed")]
    missing = blob_id(b"missing")
    (tmp_path / BLOBS / names[1]).write_bytes(b"spoilt")
    (tmp_path / BLOBS / names[2]).unlink()
    parts = tuple(Blob(blob=BlobId(name), media_type="text/plain", size=4) for name in (*names[:2], missing))
    write_segments(tmp_path, line(0, entry=UserSaid(parts=parts)))

    assert tuple(sorted([names[1], missing])) == check(tmp_path, KEY).blobs_missing
