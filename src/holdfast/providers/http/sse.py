"""Parser for server-sent events (SSE): bytes, cut anywhere, to events.

Only what services that stream replies make of the format is read: the data of an
event and its name. Comments, which keep a line open, fall away. An event that was
never closed by an empty line is given at the end, as some servers leave that out.
"""

from collections.abc import Iterator

from holdfast.errors import Unavailable
from holdfast.records.parts import Value

MOST = 16 * 1024 * 1024
"""The longest event in bytes; a stream that sends more without an end is not a reply."""

_MARK = b"\xef\xbb\xbf"


class ServerSentEvent(Value, frozen=True, kw_only=True):
    """One event."""

    data: bytes
    name: str = ""
    """What it is called; `error` also where a server sends its error as a field of that name."""


class SseParser:
    """Takes the bytes of one stream."""

    def __init__(self) -> None:
        self._rest = b""
        self._begun = False
        self._data: list[bytes] = []
        self._name = ""

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """The events that end within these bytes."""
        self._rest += chunk
        if not self._begun:
            if len(self._rest) < len(_MARK) and _MARK.startswith(self._rest):
                return
            self._rest, self._begun = self._rest.removeprefix(_MARK), True
        # A carriage return at the end may be the first half of a line end.
        ready = len(self._rest) - self._rest.endswith(b"\r")
        end = max(self._rest.rfind(b"\n", 0, ready), self._rest.rfind(b"\r", 0, ready)) + 1
        if end:
            lines, self._rest = self._rest[:end], self._rest[end:]
            for line in lines.splitlines():
                yield from self._line(line)
        if len(self._rest) + sum(map(len, self._data)) > MOST:
            raise Unavailable(f"The stream sent more than {MOST:,} bytes without the end of an event.")

    def close(self) -> Iterator[ServerSentEvent]:
        """What was left open when the stream ended."""
        for line in self._rest.splitlines():
            yield from self._line(line)
        self._rest = b""
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[ServerSentEvent]:
        if not line:
            if self._data:
                yield ServerSentEvent(data=b"\n".join(self._data), name=self._name)
            self._data, self._name = [], ""
            return
        # A comment begins with the colon, so its field is empty and it falls away below.
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        elif field == b"error":
            self._data, self._name = [value], "error"
