"""JSON from a service, read although its text is none.

Some servers cut what they stream between the halves of a character, or between its bytes. A reply is not
worth less for it: what cannot be read becomes a sign that can be seen.
"""

from typing import TypeVar

import msgspec

T = TypeVar("T")


class Unreadable(ValueError):
    """It is no JSON, or not of the expected kind."""


def read(decoder: "msgspec.json.Decoder[T]", data: bytes) -> T:
    """What the data says. Raises `Unreadable`."""
    try:
        data.decode()  # the decoder does not look at all of it
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return decoder.decode(_mended(data))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from error


def _mended(data: bytes) -> bytes:
    import json  # reads more than is right, and only where that is needed

    text = json.dumps(json.loads(data.decode("utf-8", "replace")), ensure_ascii=False)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
