"""Reading segments: every good record, from either end and from any position, at the cost of what is looked at."""

import os
import tracemalloc
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.records.codec import Record
from holdfast.stores.files import blocks
from holdfast.stores.files.blocks import BLOCK
from holdfast.stores.files.segments import (
    Cursor,
    advance,
    cursor_at,
    first_position,
    read_backward,
    read_forward,
    segment_numbers,
)
from tests.contracts.talk import positions, texts
from tests.stores.files.trouble import Counting, line, lines, place, write_segments


def forwards(folder: Path, start: int = 0, stop: int | None = None) -> list[Record]:
    """Records from a position on."""
    return list(chain(*read_forward(folder, place(start), None if stop is None else place(stop))))


def backwards(folder: Path, before: int | None = None) -> list[Record]:
    """Records before a position, put into their order again."""
    found = chain(*read_backward(folder, None if before is None else place(before)))
    return list(found)[::-1]


def followed(folder: Path, after: Cursor | None = None) -> list[Record]:
    """What a follower is given."""
    return list(chain(*(found.records for found in advance(folder, after or Cursor()))))


def test_segments_are_numbered_files_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """
    A million segments are no end, and nothing else in the folder is taken for one.
    """
    for name in ("000002.jsonl", "000010.jsonl", "1000000.jsonl", "000003.jsonl.bak", "draft.jsonl", ".000004.new"):
        (tmp_path / name).touch()

    assert [2, 10, 1_000_000] == segment_numbers(tmp_path)
    assert [] == segment_numbers(tmp_path / "missing")
    assert [] == segment_numbers(tmp_path / "000002.jsonl")


@pytest.mark.parametrize("sizes", [(BLOCK * 3,), (10, BLOCK * 2, 10), (BLOCK, BLOCK - 1, BLOCK + 1, 5)])
def test_a_line_may_be_longer_than_what_is_read_at_once(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    """
    However long, it is found whole from both ends.
    """
    words = ["x" * size for size in sizes]
    write_segments(tmp_path, b"".join(line(pos, word) for pos, word in enumerate(words)))

    assert words == texts(forwards(tmp_path))
    assert words == texts(backwards(tmp_path))
    assert words == texts(followed(tmp_path))


def test_a_position_is_found_without_reading_what_is_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    In a log of megabytes, a few blocks are read, wherever the position is.
    """
    write_segments(tmp_path, b"".join(line(pos, "y" * 1000) for pos in range(8000)))
    for start in (0, 1, 4321, 7999, 8000):
        for reading, expected in (
            (read_forward(tmp_path, place(start), None), start),
            (read_backward(tmp_path, place(start)), start - 1),
        ):
            with monkeypatch.context() as patch:
                pread = Counting(os.pread)
                patch.setattr(os, "pread", pread)
                first = next(reading, [])

            assert ([expected] if 0 <= expected < 8000 else []) == positions(first[:1])
            assert sum(map(len, pread.given)) < 4 * BLOCK


@pytest.mark.parametrize("torn", [0, BLOCK, 3 * BLOCK])
def test_a_position_is_found_in_front_of_a_long_torn_end(tmp_path: Path, torn: int) -> None:
    """
    However much of the last line a crash left, every good line before it has its place.
    """
    write_segments(tmp_path, line(0) + line(1, "y" * 2 * BLOCK) + line(2)[:-1] + b"z" * torn)

    assert [1, 2] == positions(forwards(tmp_path, 1))
    assert [0, 1] == positions(backwards(tmp_path, 2))


def test_reading_holds_a_block_in_memory_and_not_the_log(tmp_path: Path) -> None:
    """
    A log of twelve megabytes is read through, both ways, in a few.
    """
    write_segments(tmp_path, b"".join(line(pos, "z" * 1000) for pos in range(11_000)))
    tracemalloc.start()
    try:
        counts = [
            sum(map(len, reading))
            for reading in (read_forward(tmp_path, place(0), None), read_backward(tmp_path, None))
        ]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert [11_000, 11_000] == counts
    assert peak < 12 * BLOCK


def test_a_position_is_found_behind_damage_in_the_middle(tmp_path: Path) -> None:
    """
    Looking for a position lands in damaged lines, and goes on to the next good one.
    """
    good = [line(pos, "z" * 100) for pos in range(400)]
    written = [b"?" * (len(each) - 1) + b"\n" if 190 <= pos < 210 else each for pos, each in enumerate(good)]
    write_segments(tmp_path, b"".join(written))

    assert [[pos] for pos in (0, 189, 210, 399)] == [
        positions(forwards(tmp_path, pos, pos + 1)) for pos in (0, 189, 210, 399)
    ]
    assert 210 == forwards(tmp_path, 200)[0].pos


GOOD = [line(pos, "w" * (pos * 37 % 90)) for pos in range(60)]
HARM = st.lists(
    st.tuples(st.integers(0, sum(map(len, GOOD))), st.integers(1, 300), st.sampled_from([b"\0", b"\n", b"x"]))
)


def harmed(data: bytes, harm: list[tuple[int, int, bytes]]) -> bytes:
    """The same number of bytes, some of them overwritten."""
    for start, length, by in harm:
        data = (data[:start] + by * length)[: len(data)] + data[start + length :]
    return data


@given(HARM, st.lists(st.integers(1, 59), max_size=3), st.integers(0, 61), st.integers(0, 61))
def test_damage_anywhere_hides_no_good_record(
    harm: list[tuple[int, int, bytes]], cuts: list[int], start: int, stop: int
) -> None:
    """
    Every line whose bytes are untouched is found, from any position, forwards, backwards and by a follower.
    """
    data = harmed(b"".join(GOOD), harm)[:-1] + b"\n"  # without it, a follower takes the last line for unfinished
    untouched = [pos for pos, each in enumerate(GOOD) if each[:-1] in data]
    offsets = [0, *sorted(sum(map(len, GOOD[:cut])) for cut in set(cuts)), len(data)]
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 512)
        folder = Path(name)
        write_segments(folder, *(data[one:other] for one, other in pairwise(offsets)))

        assert untouched == positions(forwards(folder))
        assert [pos for pos in untouched if start <= pos < stop] == positions(forwards(folder, start, stop))
        assert [pos for pos in untouched if pos < stop] == positions(backwards(folder, stop))
        assert untouched == positions(backwards(folder))
        assert untouched == positions(followed(folder))
        assert [pos for pos in untouched if pos >= start] == positions(
            followed(folder, cursor_at(folder, place(start)))
        )


def test_what_stands_in_two_segments_counts_in_the_later_one(tmp_path: Path) -> None:
    """
    A segment that was given up may say something else from there on; nobody was told that it is so.
    """
    write_segments(
        tmp_path, lines(0, 1) + line(2, "given up") + line(3, "never said"), line(2, "said"), b"", line(3, "then")
    )

    for found in (forwards(tmp_path), backwards(tmp_path), followed(tmp_path)):
        assert ["word 0", "word 1", "said", "then"] == texts(found)
    assert ["said"] == texts(forwards(tmp_path, 2, 3))
    assert ["said"] == texts(backwards(tmp_path, 3)[2:])


def test_a_lost_segment_between_two_others_changes_nothing_about_that(tmp_path: Path) -> None:
    """
    Taken over twice, and the middle segment zeroed: what the first writer said too late is still no part of the log.
    """
    write_segments(tmp_path, lines(0, 1, 2) + line(3, "too late"), b"\0" * 500, line(3, "said") + line(4, "then"))

    for found in (forwards(tmp_path), backwards(tmp_path), followed(tmp_path)):
        assert ["word 0", "word 1", "word 2", "said", "then"] == texts(found)


@pytest.mark.parametrize("data", [b"", b"\0" * 2000, b"no entry\n" * 300, lines(4)[:-3]])
def test_a_segment_without_a_good_record_is_passed_over(tmp_path: Path, data: bytes) -> None:
    """
    What is good around it is read.
    """
    write_segments(tmp_path, lines(0, 1), data, lines(2))

    assert first_position(tmp_path, 2) is None
    for found in (forwards(tmp_path), backwards(tmp_path), followed(tmp_path)):
        assert [0, 1, 2] == positions(found)


def test_a_line_that_is_being_written_is_left_for_later(tmp_path: Path) -> None:
    """
    A follower that sees half a line gives it when it is whole, once.
    """
    path = write_segments(tmp_path, lines(0) + lines(1)[:40])
    (found,) = advance(tmp_path, Cursor())
    assert [0] == positions(found.records)
    assert [] == list(advance(tmp_path, found.cursor))

    path.write_bytes(lines(0, 1))
    assert [1] == positions(followed(tmp_path, found.cursor))


def test_a_follower_tells_the_damage_it_passed(tmp_path: Path) -> None:
    """
    Damage between good records is counted once; what ends the log may yet become an entry.
    """
    write_segments(tmp_path, lines(0) + b"what is this\n" + lines(1) + b"and this\n")
    (found,) = advance(tmp_path, Cursor())

    assert [0, 1] == positions(found.records)
    assert [(len(lines(0)), len(lines(0)) + 12)] == [(each.start, each.end) for each in found.damage]


def test_one_can_wait_in_front_of_a_log_that_is_not_there_yet(tmp_path: Path) -> None:
    """
    A cursor without a segment begins with the first one that comes.
    """
    cursor = cursor_at(tmp_path, place(0))
    write_segments(tmp_path, lines(0, 1))

    assert [0, 1] == positions(followed(tmp_path, cursor))


def test_each_position_counts_once(tmp_path: Path) -> None:
    """
    A stretch that repeats itself is read as if it did not.
    """
    write_segments(tmp_path, lines(0, 1, 2, 1, 2, 3, 0, 4))

    assert [0, 1, 2, 3, 4] == positions(forwards(tmp_path))
