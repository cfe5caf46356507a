"""The second reader, on bytes made by hand."""

import zlib

from tests.crash.marks import Acked, AnyMark, Deleted, WillDelete, WillFork, WillSay, decoded, encoded, promised
from tests.crash.witness import segment, tokens, visible


def line(pos: int, text: str = "x") -> bytes:
    """A line as the log has it, without the line feed."""
    body = f'{{"v":1,"pos":{pos},"at":"2026-11-16T00:00:00.000000Z","kind":"user_said","text":"{text}"'.encode()
    return body + b',"crc":"%08x"}' % zlib.crc32(body)


def test_whole_records_are_found_between_junk() -> None:
    """
    A record counts wherever it stands, even with its line feed gone.
    """
    content = line(0) + b"\n" + bytes(20) + line(1) + line(2) + b"\n" + line(3)[:-4]

    found = segment("a", 1, content)

    assert [0, 1, 2] == [record.pos for record in found.records]
    assert (bytes(20), line(3)[:-4]) == found.junk


def test_a_record_that_does_not_verify_is_junk() -> None:
    """
    One changed letter makes a line no record.
    """
    found = segment("a", 1, line(0).replace(b"x", b"y") + b"\n")

    assert () == found.records
    assert 1 == len(found.junk)


def test_a_later_segment_takes_the_place_of_what_it_begins_again() -> None:
    """
    Records at or after the beginning of a later segment need not be visible in the earlier one.
    """
    log = [
        segment("a", 1, line(0) + b"\n" + line(1) + b"\n" + line(2) + b"\n"),
        segment("a", 2, line(2, "again") + b"\n"),
    ]

    assert [line(0), line(1), line(2, "again")] == [record.raw for record in visible(log)]


def test_tokens_are_found_in_a_line() -> None:
    """
    What a workload said is recognised by its tokens.
    """
    assert ["#w1#", "#again1#"] == tokens(line(0, "#w1# and #again1#"))


def test_promises_grow_with_what_is_said() -> None:
    """
    Acknowledged stays acknowledged; a fork may hold what its source said; deleted is gone.
    """
    marks: list[AnyMark] = [
        WillSay(key="a", token="#w1#"),
        Acked(key="a", records={0: "f"}),
        WillFork(key="b", source="a", records={0: "f"}),
        WillDelete(key="a"),
        Deleted(key="a"),
    ]

    promises = promised(decoded([b"".join(map(encoded, marks)), b'{"half']))

    assert {0: "f"} == promises["a"].acked
    assert promises["a"].gone
    assert {"#w1#"} == promises["b"].said
    assert {0: "f"} == promises["b"].whole
    assert not promises["b"].gone
