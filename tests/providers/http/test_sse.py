"""Server-sent events: the same events, wherever the bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import Unavailable
from holdfast.providers.http.sse import MOST, ServerSentEvent, SseParser

STREAM = (
    b'\xef\xbb\xbf: a comment\r\n\r\ndata: {"one": 1}\n\nevent: error\ndata:two\r\rid: 7\nretry: 5\n\n'
    b"data: three\r\ndata:  and a half\r\n\r\n: keep-alive\n\ndata\n\nnonsense\nerror: four\n\ndata: f\xc3\xbcnf"
)
EVENTS = [
    ServerSentEvent(data=b'{"one": 1}'),
    ServerSentEvent(data=b"two", name="error"),
    ServerSentEvent(data=b"three\n and a half"),
    ServerSentEvent(data=b""),
    ServerSentEvent(data=b"four", name="error"),
    ServerSentEvent(data="fünf".encode()),
]


def read(*chunks: bytes) -> list[ServerSentEvent]:
    """Every event of a stream."""
    events = SseParser()
    return [*(event for chunk in chunks for event in events.feed(chunk)), *events.close()]


@pytest.mark.parametrize("at", range(len(STREAM) + 1))
def test_a_stream_cut_anywhere_is_the_same_stream(at: int) -> None:
    """
    No byte is a bad one to be the last of a packet: line ends of every kind are read over a cut.
    """
    assert EVENTS == read(STREAM[:at], STREAM[at:])


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_so_is_one_cut_in_many_places(cuts: list[int]) -> None:
    """
    However many packets there are.
    """
    ends = [0, *sorted(cuts), len(STREAM)]

    assert EVENTS == read(*(STREAM[a:b] for a, b in pairwise(ends)))


def test_a_stream_byte_by_byte_is_the_same_stream() -> None:
    """
    As slow servers send it.
    """
    assert EVENTS == read(*(STREAM[at : at + 1] for at in range(len(STREAM))))


def test_an_event_comes_with_its_last_byte() -> None:
    """
    Nothing waits for the next event.
    """
    assert [ServerSentEvent(data=b"now")] == list(SseParser().feed(b"data: now\n\n"))


def test_an_event_without_an_end_does_not_fill_the_memory() -> None:
    """
    A server that sends one endless line is given up.
    """
    endless = [b"data: ", *([b"x" * (MOST // 16)] * 20)]

    with pytest.raises(Unavailable, match="without the end of an event"):
        read(*endless)


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(noise: bytes) -> None:
    """
    Noise holds no events, or odd ones, and never breaks the reader.
    """
    assert all(isinstance(event, ServerSentEvent) for event in read(noise))
