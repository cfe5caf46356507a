"""Short words for writing lines, right ones and odd ones."""

from holdfast.clock import ManualClock
from holdfast.records.codec import encode_line, stamp, suffix
from holdfast.records.entries import Entry, UserSaid
from holdfast.records.parts import Text

NOW = ManualClock().now_ns()
AT = stamp(NOW)


def said(text: str) -> UserSaid:
    """Something to write."""
    return UserSaid(parts=(Text(text=text),))


def line_of(entry: Entry, pos: int = 0) -> bytes:
    """An entry's line."""
    return encode_line(pos, AT, entry)


def sealed(body: str) -> bytes:
    """A line with a right checksum, whatever it says."""
    data = body.encode()
    return data + suffix(data)
