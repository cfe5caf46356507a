"""Copies that a person made of segments: nothing is repeated, nothing hidden, and it is told what is there."""

from itertools import chain, permutations
from pathlib import Path

import pytest

from holdfast.log.store import Repeated
from holdfast.stores.files.segments import Cursor, advance, in_order, read_backward, read_forward, segment_path
from holdfast.stores.files.store import FileStore
from holdfast.stores.files.verify import check
from tests.contracts.talk import FORK, KEY, all_of, at, filled, next_of, positions, say, texts, writing
from tests.stores.files.trouble import line, lines, place, write_segments

FIRST, SECOND, THIRD = lines(*range(10)), lines(*range(10, 20)), lines(*range(20, 25))


def seen(folder: Path) -> list[list[int]]:
    """The positions that are given forwards, backwards and to a follower."""
    back = positions(list(chain(*read_backward(folder, None))))[::-1]
    follow = chain(*(found.records for found in advance(folder, Cursor())))
    return [positions(list(chain(*read_forward(folder, place(0), None)))), back, positions(list(follow))]


@pytest.mark.parametrize(
    "segments",
    [
        (FIRST, FIRST),
        (FIRST, lines(*range(5))),
        (FIRST, lines(*range(5)) + line(5)[:30]),
        (lines(*range(5)), FIRST[: len(lines(0, 1, 2))], lines(*range(5, 10))),
        (lines(*range(5)), lines(*range(4, 10)), lines(*range(5))),
        (lines(*range(9)), line(9), lines(3, 4)),
    ],
)
def test_a_copied_segment_hides_and_repeats_nothing(tmp_path: Path, segments: tuple[bytes, ...]) -> None:
    """
    Whatever was copied to a later number, whole or in part, each position is there once, from either end.
    """
    write_segments(tmp_path, *segments)

    assert [list(range(10))] * 3 == seen(tmp_path)
    assert (10, True) == (check(tmp_path, KEY).entries, check(tmp_path, KEY).good)


@pytest.mark.parametrize("order", list(permutations((FIRST, SECOND, THIRD))))
def test_segments_under_each_others_numbers_are_put_in_order(tmp_path: Path, order: tuple[bytes, ...]) -> None:
    """
    Where originals are gone and their copies have other numbers, what the lines say counts.
    """
    write_segments(tmp_path, *order)

    assert [list(range(25))] * 3 == seen(tmp_path)


def test_a_new_writers_segment_counts_though_it_repeats_a_line(tmp_path: Path) -> None:
    """
    A segment of one line is no copy: it was begun after a take-over, and what the former writer adds does not count.
    """
    write_segments(tmp_path, lines(0) + line(1, "in vain"), lines(0))

    assert [1, 2] == in_order(tmp_path)
    assert [[0]] * 3 == seen(tmp_path)


def test_a_segment_that_goes_on_otherwise_counts(tmp_path: Path) -> None:
    """
    Two logs with the same beginning: the later one is right, however long the other is.
    """
    write_segments(tmp_path, lines(0, 1, 2) + line(3, "in vain") + line(4, "in vain"), lines(0, 1, 2, 3))

    assert [[0, 1, 2, 3]] * 3 == seen(tmp_path)


@pytest.mark.parametrize("copied", [FIRST, SECOND, SECOND[: len(line(10)) * 3], b"no line\n"])
async def test_a_log_with_a_copy_at_its_end_goes_on(tmp_path: Path, copied: bytes) -> None:
    """
    The next entry has the next position and is read, also by the one who opens after that, and by a fork.
    """
    async with FileStore(tmp_path) as store:
        folder = store.folder(KEY)
        path = write_segments(folder, FIRST, SECOND, copied)
        for number in (20, 21):
            async with writing(store) as writer:
                assert number - 1 == writer.end
                await say(writer, f"word {number}")
        await store.fork(KEY, FORK, at=at(21))

        assert [list(range(22))] * 3 == seen(folder)
        assert copied == path.read_bytes() or copied == SECOND
        assert list(range(23)) == positions(await all_of(store.read(FORK)))


@pytest.mark.parametrize("position", [3, 9, 12, 19])
async def test_a_fork_has_what_counts(tmp_path: Path, position: int) -> None:
    """
    A copy that lies beside the segments goes into no fork, wherever that ends.
    """
    async with FileStore(tmp_path) as store:
        write_segments(store.folder(KEY), FIRST, SECOND, FIRST)
        await store.fork(KEY, FORK, at=at(position))
        records = await all_of(store.read(FORK))

    assert [f"word {number}" for number in range(position + 1)] == texts(records)
    assert position + 1 == records[-1].pos


async def test_a_copy_made_while_a_writer_writes_hides_nothing(tmp_path: Path) -> None:
    """
    What is said after the copy was made is read, followed, and there for the next writer.
    """
    async with FileStore(tmp_path) as store:
        await filled(store, 3)
        folder = store.folder(KEY)
        source = store.follow(KEY)
        async with writing(store) as writer:
            segment_path(folder, 2).write_bytes(segment_path(folder, 1).read_bytes())
            early = await next_of(source, 3)
            await say(writer, "after the copy")
            late = await next_of(source, 1)
        async with writing(store) as writer:
            await say(writer, "later")
            late += await next_of(source, 1)

        assert [0, 1, 2, 3, 4] == positions(early + late)
        assert ["after the copy", "later"] == texts(late)
        assert [list(range(5))] * 3 == seen(folder)


async def test_lines_copied_within_a_file_are_one(tmp_path: Path) -> None:
    """
    A log to which its own beginning was added goes on after its highest position, and a fork has each entry once.
    """
    async with FileStore(tmp_path) as store:
        folder = store.folder(KEY)
        write_segments(folder, lines(*range(6), *range(3)))
        async with writing(store) as writer:
            await say(writer, "word 6")
        await store.fork(KEY, FORK, at=at(4))

        assert [list(range(7))] * 3 == seen(folder)
        assert [f"word {number}" for number in range(5)] == texts(await all_of(store.read(FORK)))


def test_a_check_tells_what_does_not_count(tmp_path: Path) -> None:
    """
    Copies are no damage; how many of their lines stand nowhere else is told.
    """
    write_segments(tmp_path, FIRST + line(10, "in vain"), lines(9, 10), lines(*range(4)))
    verdict = check(tmp_path, KEY)

    assert (11, True, ()) == (verdict.entries, verdict.good, verdict.damaged)
    assert (
        Repeated(where="000003.jsonl", first=place(0), last=place(3), lines=4, differing=0),
        Repeated(where="000001.jsonl", first=place(9), last=place(10), lines=2, differing=1),
    ) == verdict.repeated


def test_a_long_copy_is_told_as_one(tmp_path: Path) -> None:
    """
    However many blocks it takes to read it.
    """
    long = b"".join(line(pos, "x" * 1000) for pos in range(600))
    write_segments(tmp_path, long, long)

    assert (Repeated(where="000001.jsonl", first=place(0), last=place(599), lines=600, differing=0),) == (
        check(tmp_path, KEY).repeated
    )
