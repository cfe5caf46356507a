"""Copies of the demo model's file that say other things of the model in it."""

import struct
from collections.abc import Mapping
from pathlib import Path

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_TEXT, _ARRAY, _NUMBER = 8, 9, 4
_ALIGNED = 32


def text(value: str) -> bytes:
    """A text as the format has it."""
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(name: str, value: str | int) -> bytes:
    """A key with its value."""
    if isinstance(value, int):
        return text(name) + struct.pack("<II", _NUMBER, value)
    return text(name) + struct.pack("<I", _TEXT) + text(value)


def rewritten(source: Path, target: Path, changes: Mapping[str, str | int | None]) -> Path:
    """A copy with other metadata; None leaves a key out. The weights are the same."""
    data = source.read_bytes()
    version, tensors, count = struct.unpack_from("<IQQ", data, 4)
    at, kept = 24, []
    for _ in range(count):
        begin = at
        name, at = _text_at(data, at)
        (kind,) = struct.unpack_from("<I", data, at)
        at = _after(data, at + 4, kind)
        if name not in changes:
            kept.append(data[begin:at])
    begin = at
    for _ in range(tensors):
        _, at = _text_at(data, at)
        (dimensions,) = struct.unpack_from("<I", data, at)
        at += 4 + 8 * dimensions + 4 + 8
    added = [entry(name, value) for name, value in changes.items() if value is not None]
    head = b"GGUF" + struct.pack("<IQQ", version, tensors, len(kept) + len(added)) + b"".join([*kept, *added])
    head += data[begin:at]
    target.write_bytes(head + bytes(-len(head) % _ALIGNED) + data[at + -at % _ALIGNED :])
    return target


def _text_at(data: bytes, at: int) -> tuple[str, int]:
    (size,) = struct.unpack_from("<Q", data, at)
    return data[at + 8 : at + 8 + size].decode(), at + 8 + size


def _after(data: bytes, at: int, kind: int) -> int:
    """Where a value ends."""
    if kind == _TEXT:
        return _text_at(data, at)[1]
    if kind != _ARRAY:
        return at + _SIZES[kind]
    of, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if of != _TEXT:
        return int(at + count * _SIZES[of])
    for _ in range(count):
        at = _text_at(data, at)[1]
    return at
