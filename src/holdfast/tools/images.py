"""Which bytes are an image, and whether all of it is there.

Providers look into images and refuse a request with half of one. What was read stays in the conversation, so every
later request would be refused too: an image that is cut off is told in words and never attached.
"""

from collections.abc import Callable

_NONE = bytes(4)
_Fits = Callable[[bytes], bool]

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
    "image/jpeg": lambda data: b"\xff\xd9" in data[data.find(b"\xff\xda") :] and b"\xff\xda" in data,
    "image/gif": lambda data: any(data[6:8]) and any(data[8:10]) and b"\0;" in data,
    "image/webp": lambda data: 0 < int.from_bytes(data[4:8], "little") < len(data) - 6,  # it may be padded
}


def image_type(data: bytes) -> str:
    """The media type of an image by how it begins; '' for anything else."""
    return next((name for name, fits in _BEGINNINGS if fits(data)), "")


def is_whole(data: bytes, media_type: str) -> bool:
    """Whether an image has its beginning and its end."""
    return _WHOLE[media_type](data)
