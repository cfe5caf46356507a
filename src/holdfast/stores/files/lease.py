"""One writer per session: `flock` on a lock file.

Not a POSIX lock: those drop when any code of the process opens and closes the
file. The lock ends with its process, so nothing has to be cleaned up after a crash.
Taking over from a living holder puts a new lock file in place of the old one, which
its holder sees before it acknowledges anything; what other names the old file has
does not count, as copies may share it. A forked child closes its copy, or the lock would outlive the parent.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from weakref import WeakSet

import msgspec

from holdfast.clock import at_time
from holdfast.errors import Closed, Fenced, Held
from holdfast.log.lease import Holder
from holdfast.records.parts import Value
from holdfast.records.printable import printable_line
from holdfast.stores.files.disk import open_file


# A forked child has the parent's objects and none of its threads: what it gave them to do would be waited for without
# end.
class Home:
    """The process in which something was opened."""

    def __init__(self) -> None:
        """It is this one."""
        self._pid = os.getpid()

    @property
    def here(self) -> bool:
        """Whether we are still in it, and not in a child of it."""
        return os.getpid() == self._pid

    def check(self) -> None:
        """Raise `Closed` in a child."""
        if not self.here:
            raise Closed("The store belongs to the parent of this process.", hint="Open it again here.")


LOCK = "lock"
_SHOWN = 200
"""How much is told of what a holder does."""


class Doubt(Value, frozen=True, kw_only=True):
    """From here on a segment holds bytes whose sync failed: they must be written again."""

    segment: int
    offset: int


class LockFile(Value, frozen=True, kw_only=True):
    """What stands in a lock file."""

    holder: Holder
    doubt: Doubt | None = None
    fenced: bool = False
    """Whether a former holder may still write to the segment it knows, and the log has not left that yet."""
    former: Holder | None = None
    """Who was taken over, and may be in the middle of opening the session or removing it."""


_decode = msgspec.json.Decoder(LockFile).decode
_held: "WeakSet[FileLease]" = WeakSet()


def let_go() -> None:
    """Close every lease of this process: a child's first deed, or its copies would keep the parent's locks."""
    for lease in tuple(_held):
        lease.close()


os.register_at_fork(after_in_child=let_go)


class FileLease:
    """The right to write into one session folder."""

    def __init__(self, path: Path, descriptor: int, content: LockFile) -> None:
        """Hold an already locked descriptor; use `acquire` or `take_over` to get one."""
        self._descriptor, self._content = descriptor, content
        self._path, own = os.fspath(path), os.fstat(descriptor)
        self._file = own.st_ino, own.st_dev
        self.held = True
        """Whether this process holds it: not after closing, and not in a child of the one that does."""
        _held.add(self)

    @property
    def holder(self) -> Holder:
        """Who we are, as others see it."""
        return self._content.holder

    @property
    def taken_over(self) -> bool:
        """Whether the lock file in its place is not ours: another writer has put its own there, or it is gone."""
        try:
            there = os.stat(self._path)
            return self._file != (there.st_ino, there.st_dev)
        except FileNotFoundError:
            return True

    @property
    def doubt(self) -> Doubt | None:
        """What the holder before us could not make durable."""
        return self._content.doubt

    @property
    def fenced(self) -> bool:
        """Whether someone was fenced, by us or by a holder who died before the log went on elsewhere."""
        return self._content.fenced

    @property
    def former(self) -> Holder | None:
        """Who was taken over, and was not seen to be out of the way since."""
        return self._content.former

    def check(self) -> None:
        """Raise `Fenced` if another writer has taken over since."""
        if not self.held:
            raise Closed("The session was closed, or belongs to the parent of this process.", hint="Open it again.")
        # Not `taken_over`: each piece of a reply comes through here.
        try:
            there = os.stat(self._path)
        except FileNotFoundError:
            there = None
        if there is None or self._file != (there.st_ino, there.st_dev):
            taken = os.path.exists(self._path)
            what = "Another writer took this session over" if taken else "The session was removed or moved"
            raise Fenced(
                f"{what}; what was not acknowledged may not be part of it.",
                hint="Read the session again, and open it anew to go on.",
            )

    def write_doubt(self, doubt: Doubt | None) -> None:
        """Leave word for the next holder; it need not survive a power cut, after which the disk tells the truth."""
        self._content = msgspec.structs.replace(self._content, doubt=doubt)
        _write(self._descriptor, self._content)

    def write_alone(self) -> None:
        """Note that no former holder is in the middle of anything."""
        if self.former is not None:
            self._content = msgspec.structs.replace(self._content, former=None)
            _write(self._descriptor, self._content)

    def settle(self) -> None:
        """Note that the log went on where no former holder writes and no sync failed."""
        self._content = LockFile(holder=self._content.holder)
        _write(self._descriptor, self._content)

    def close(self) -> None:
        """Give the lease back."""
        if self.held:
            self.held = False
            os.close(self._descriptor)
            self._descriptor = -1
            _held.discard(self)


def acquire(folder: Path, key: str, doing: str, now_ns: int) -> FileLease:
    """Take the lease of a session folder, or raise `Held`."""
    path = folder / LOCK
    while True:
        descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            content, looked_at = _read(descriptor), _only_looked_at(descriptor)
            os.close(descriptor)
            if looked_at:
                continue
            raise Held(key, str(content.holder) if content else "a process that has just taken it") from None
        if _same_file(descriptor, path):
            break
        os.close(descriptor)  # taken over between opening and locking
    with _closed_if_it_fails(descriptor):
        before = _read(descriptor)
        holder = _us(before, doing, now_ns)
        content = msgspec.structs.replace(before, holder=holder) if before else LockFile(holder=holder)
        _write(descriptor, content)
    return FileLease(path, descriptor, content)


def _only_looked_at(descriptor: int) -> bool:
    """Whether the lock is not held, but shared for a moment by someone who asks for its holder."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def take_over(folder: Path, doing: str, now_ns: int) -> FileLease:
    """Take the lease, fencing whoever holds it."""
    path = folder / LOCK
    before = _content(path)
    holder = _us(before, doing, now_ns)
    content = LockFile(holder=holder, fenced=True)
    if before is not None:
        content = msgspec.structs.replace(content, doubt=before.doubt, former=before.former or before.holder)
    new = folder / f".{LOCK}.{token_hex(8)}"
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with _closed_if_it_fails(descriptor):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _write(descriptor, content)
        new.rename(path)
    return FileLease(path, descriptor, content)


def current_holder(folder: Path) -> Holder | None:
    """Who holds the lease now, if anyone."""
    try:
        descriptor = open_file(folder / LOCK, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        content = _read(descriptor)
        return content.holder if content else None
    finally:
        os.close(descriptor)
    return None


def _us(before: LockFile | None, doing: str, now_ns: int) -> Holder:
    epoch = before.holder.epoch + 1 if before else 1
    since = at_time(now_ns)
    return Holder(
        pid=os.getpid(), host=socket.gethostname(), since=since, doing=printable_line(doing, _SHOWN), epoch=epoch
    )


def _same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _content(path: Path) -> LockFile | None:
    try:
        descriptor = open_file(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return _read(descriptor)
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> LockFile | None:
    try:
        return _decode(os.pread(descriptor, 65_536, 0))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None  # empty, or cut off by a crash: whoever locks it next writes it anew


def _write(descriptor: int, content: LockFile) -> None:
    data = msgspec.json.encode(content) + b"\n"
    os.pwrite(descriptor, data, 0)
    os.ftruncate(descriptor, len(data))


@contextmanager
def _closed_if_it_fails(descriptor: int) -> Iterator[None]:
    """Let go of a lock that does not become a lease, or this process would lock itself out."""
    try:
        yield
    except BaseException:
        os.close(descriptor)
        raise
