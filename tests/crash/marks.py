"""What a workload says about itself while it runs, and what that obliges the store to.

A workload writes a mark before it says something and after it was told that it is
safe. The marks stand in the trace between the system calls, so at each point it is
known what was promised.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256

import msgspec


class Mark(msgspec.Struct, frozen=True, kw_only=True, tag_field="mark"):
    """One remark of the workload, about the session `key`."""

    key: str


class WillSay(Mark, frozen=True, tag="will_say"):
    """From here on this token may be in the log."""

    token: str


class Appended(Mark, frozen=True, tag="appended"):
    """The append (or draft) returned: the token survives the death of the process."""

    token: str


class Refused(Mark, frozen=True, tag="refused"):
    """The append said that it did not happen: the token is not in the log."""

    token: str


class Acked(Mark, frozen=True, tag="acked"):
    """The commit returned: these records survive a power cut."""

    records: dict[int, str]
    """Position to the fingerprint of the line."""


class WillFork(Mark, frozen=True, tag="will_fork"):
    """From here on the session may exist, and then it holds all of these records."""

    source: str
    records: dict[int, str]


class WillDelete(Mark, frozen=True, tag="will_delete"):
    """From here on the session may be gone, and if it is not, it is whole."""


class Deleted(Mark, frozen=True, tag="deleted"):
    """The delete returned: the session is gone, with every byte of it."""


class WillTrash(Mark, frozen=True, tag="will_trash"):
    """From here on the session may be in the trash, whole."""


class Trashed(Mark, frozen=True, tag="trashed"):
    """It is in the trash, and nowhere else."""


class WillRestore(Mark, frozen=True, tag="will_restore"):
    """From here on it may be back, whole."""


class Restored(Mark, frozen=True, tag="restored"):
    """It is back."""


class Complained(Mark, frozen=True, tag="complained"):
    """The store raised an error."""

    error: str
    hint: str


class Finished(Mark, frozen=True, tag="finished"):
    """The workload did all it wanted."""


AnyMark = (
    WillSay
    | Appended
    | Refused
    | Acked
    | WillFork
    | WillDelete
    | Deleted
    | WillTrash
    | Trashed
    | WillRestore
    | Restored
    | Complained
    | Finished
)
_decoder = msgspec.json.Decoder(AnyMark)


class Promise(msgspec.Struct, kw_only=True):
    """What the store owes for one session."""

    said: set[str] = msgspec.field(default_factory=set)
    """Tokens that may be in it, each once."""
    appended: set[str] = msgspec.field(default_factory=set)
    """Tokens that the death of the process must not lose."""
    acked: dict[int, str] = msgspec.field(default_factory=dict)
    """Records that nothing may lose."""
    whole: dict[int, str] = msgspec.field(default_factory=dict)
    """Records that it must have if it exists at all."""
    leaving: bool = False
    gone: bool = False
    there: bool = True
    """Whether it may be among the sessions."""
    trashed: bool = False
    """Whether it may be in the trash."""


def fingerprint(raw: bytes) -> str:
    """What tells one line from another."""
    return sha256(raw).hexdigest()[:20]


def encoded(mark: AnyMark) -> bytes:
    """A mark as the workload writes it."""
    return msgspec.json.encode(mark) + b"\n"


def decoded(data: Iterable[bytes]) -> Iterator[AnyMark]:
    """Marks as they were written, one or several in each piece; half a mark at the end is left out."""
    for line in b"".join(data).splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield _decoder.decode(line)


def promised(marks: Iterable[AnyMark]) -> dict[str, Promise]:
    """What the store owes after these marks."""
    promises: dict[str, Promise] = {}
    for mark in marks:
        promise = promises.setdefault(mark.key, Promise())
        match mark:
            case WillSay(token=token):
                promise.said.add(token)
            case Appended(token=token):
                promise.appended.add(token)
            case Refused(token=token):
                promise.said.discard(token)
            case Acked(records=records):
                promise.acked.update(records)
            case WillFork(source=source, records=records):
                promise.whole.update(records)
                promise.said |= promises.setdefault(source, Promise()).said
            case _:
                _go(promise, mark)
    return promises


def _go(promise: Promise, mark: AnyMark) -> None:
    """What is owed of a session that is on its way."""
    match mark:
        case WillDelete():
            promise.leaving = True
        case Deleted():
            promise.gone = True
        case WillTrash() | WillRestore():
            promise.there = promise.trashed = True
        case Trashed():
            promise.there = False
        case Restored():
            promise.trashed = False
