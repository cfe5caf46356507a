"""Frames to bytes and back, the version of the frames, and how long either side waits for the other.

Everything that a gateway and its clients say to each other is in `client_frames` and `server_frames`; this module is
the only one that meets their bytes. `make docs` writes the TypeScript types and the reference page from them.
"""

import msgspec

from holdfast.errors import BadInput
from holdfast.records.codec import Record
from holdfast.remote.client_frames import FromClient
from holdfast.remote.server_frames import FromServer

PROTOCOL = 1
"""The version of the frames. It grows when a client of an earlier version would misread them."""
PATIENCE = 20.0
"""After so many seconds without a frame, a client takes its connection for lost."""
HEARTBEAT = PATIENCE / 2
"""A gateway lets no more seconds pass without a frame."""
FRAME_BYTES = 1_000_000
"""The longest frame of a client."""

_ENCODER = msgspec.json.Encoder()
_FROM_CLIENT = msgspec.json.Decoder(FromClient)
_FROM_SERVER = msgspec.json.Decoder(FromServer)


def encoded(frame: FromClient | FromServer) -> bytes:
    """A frame as JSON; characters that are none become question marks."""
    try:
        return _ENCODER.encode(frame)
    except UnicodeEncodeError:
        return _ENCODER.encode(_speakable(msgspec.to_builtins(frame)))


def _speakable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {name: _speakable(each) for name, each in value.items()}
    return [_speakable(each) for each in value] if isinstance(value, list | tuple) else value


def from_client(data: bytes) -> FromClient:
    """A frame of a client. Raises `BadInput`."""
    try:
        frame: FromClient = _FROM_CLIENT.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"This is no frame: {error}.", hint="docs/reference/frames.md lists them.") from error
    return frame


def from_server(data: bytes) -> FromServer | None:
    """A frame of a gateway; None for a kind that this version does not know."""
    try:
        frame: FromServer = _FROM_SERVER.decode(data)
    except msgspec.ValidationError:
        return None
    return frame


def entry_json(record: Record) -> msgspec.Raw:
    """The line of an entry as JSON. It may have lone surrogates, as escapes: so does any JSON."""
    return msgspec.Raw(record.raw)
