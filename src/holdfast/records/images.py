"""Detects images: which bytes are one, and whether all of it is there.

Providers look into pictures and refuse a request with half of one. What was said stays in the conversation, so
every later request would be refused too: half a picture is told in words, never attached and never sent.
"""

from collections.abc import Callable

_Fits = Callable[[bytes], bool]


def _scan(data: bytes) -> int:
    """Where the points of a JPEG begin, 0 if they never do; a small copy of it in front has an end of its own."""
    at = 2
    while data[at : at + 1] == b"\xff":
        if data[at + 1 : at + 2] == b"\xda":
            return at
        at += 1 if data[at + 1 : at + 2] == b"\xff" else 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0


_NONE = bytes(4)
_BEGINNINGS: tuple[tuple[str, _Fits], ...] = (
    ("image/png", lambda data: data.startswith(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", lambda data: data.startswith(b"\xff\xd8\xff")),
    ("image/gif", lambda data: data.startswith((b"GIF87a", b"GIF89a"))),
    ("image/webp", lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP"),
)
_WHOLE: dict[str, _Fits] = {
    # Something may follow each of these ends: cameras and editors put their own things there.
    "image/png": lambda data: (
        data[12:16] == b"IHDR" and data[16:20] > _NONE < data[20:24] and b"IEND\xaeB`\x82" in data
    ),
    "image/jpeg": lambda data: 0 < _scan(data) < data.rfind(b"\xff\xd9"),
    "image/gif": lambda data: any(data[6:8]) and any(data[8:10]) and b"\0;" in data,
    "image/webp": lambda data: 0 < int.from_bytes(data[4:8], "little") < len(data) - 6,  # it may be padded
}


def image_type(data: bytes) -> str:
    """The media type of a picture by how it begins; '' for everything else. None of them can carry a program."""
    return next((name for name, fits in _BEGINNINGS if fits(data)), "")


def is_half(data: bytes) -> bool:
    """Whether bytes begin as a picture does and are not all of it."""
    kind = image_type(data)
    return bool(kind) and not _WHOLE[kind](data)
