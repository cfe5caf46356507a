"""What one person has seen and pinned: the same on all of their devices, and after a restart.

It is about the list and not about the conversation, so it stands beside the logs: one line a change, in a file of the
gateway's folder, written anew when most of its lines are old.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from holdfast.config.own_files import append_own, read_own, write_own
from holdfast.ids import Position
from holdfast.records.parts import Value
from holdfast.stores.files.disk import make_folder

FILE = "marks.jsonl"
SPARE = 10_000
"""So many lines more than there are marks are kept."""


class SessionMark(Value, frozen=True, kw_only=True):
    """What a person has seen of a session."""

    person: str = ""
    session: str
    seen: Position = Position(-1)
    pinned: bool = False


class Marks:
    """The marks of all persons."""

    def __init__(self, folder: Path) -> None:
        """Keep them in a file of a folder, which is made when the first one is."""
        self._file = folder / FILE
        self._marks: dict[tuple[str, str], SessionMark] = {}
        self._lines = 0
        self._told: list[Callable[[SessionMark], None]] = []
        self._read()

    def of(self, person: str, session: str) -> SessionMark:
        """What a person has seen of a session."""
        return self._marks.get((person, session)) or SessionMark(person=person, session=session)

    def see(self, person: str, session: str, position: int) -> None:
        """Take note that a person has seen a session up to a position; what was seen stays seen."""
        before = self.of(person, session)
        if position > before.seen:
            self._put(replace(before, seen=Position(position)))

    def pin(self, person: str, session: str, *, pinned: bool) -> None:
        """Pin a session for a person, or take that back."""
        before = self.of(person, session)
        if before.pinned != pinned:
            self._put(replace(before, pinned=pinned))

    def listen(self, told: Callable[[SessionMark], None]) -> Callable[[], None]:
        """Have every change told; gives what ends that."""
        self._told.append(told)
        return lambda: self._told.remove(told)

    def _put(self, mark: SessionMark) -> None:
        self._marks[mark.person, mark.session] = mark
        make_folder(self._file.parent)
        if self._lines > len(self._marks) + SPARE:
            write_own(self._file, b"".join(map(_line, self._marks.values())), synced=False)
            self._lines = len(self._marks)
        else:
            append_own(self._file, _line(mark))
            self._lines += 1
        for told in list(self._told):
            told(mark)

    def _read(self) -> None:
        try:
            lines = read_own(self._file).splitlines()
        except FileNotFoundError:
            return
        self._lines = len(lines)
        for line in lines:
            try:
                mark = msgspec.json.decode(line, type=SessionMark)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue  # half a line of a process that was killed: that mark is the one before
            self._marks[mark.person, mark.session] = mark


def _line(mark: SessionMark) -> bytes:
    return msgspec.json.encode(mark) + b"\n"
