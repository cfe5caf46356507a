"""What strace wrote, as calls.

Owns the text format of `strace -f -xx`: every string is hexadecimal, so no quote,
comma or bracket inside data can confuse the reader. A call that another thread
interrupted in the text is put together again; it keeps the line on which it began
as well as the one on which it ended, because a sync covers only what was
finished before it began.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

_WHOLE: Final = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+|\?)(.*)", re.DOTALL)
_RESUMED: Final = re.compile(r"<\.\.\. (\w+) resumed>(.*)", re.DOTALL)
_STRING: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_OPENERS: Final = "([{"
_CLOSERS: Final = ")]}"
_UNFINISHED: Final = " <unfinished ...>"


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One system call that returned."""

    task: int
    """The thread that made it."""
    name: str
    args: tuple[str, ...]
    """As strace wrote them; `text` turns a quoted one into bytes."""
    result: int
    """What it returned; -1 for an error."""
    began: int
    """Number of the line on which it began."""
    ended: int
    """Number of the line on which it returned."""


class UnreadableTraceError(ValueError):
    """The trace holds something this reader would have to guess."""


def text(argument: str) -> bytes:
    """The bytes of a quoted argument; refused when strace cut it short."""
    found = _STRING.fullmatch(argument)
    if found is None or found[2]:
        raise UnreadableTraceError(f"not a whole string: {argument[:60]}")
    return bytes.fromhex(found[1].replace("\\x", ""))


def texts(argument: str) -> bytes:
    """All quoted strings inside an argument, joined: the buffers of a `writev`."""
    return b"".join(text(found[0]) for found in _STRING.finditer(argument))


def calls(lines: Iterable[str]) -> Iterator[Call]:
    """Every call that returned, in the order in which they returned."""
    waiting: dict[int, tuple[int, str]] = {}
    for number, line in enumerate(lines):
        task_text, _, rest = line.rstrip("\n").partition(" ")
        task, rest = int(task_text), rest.lstrip()
        if rest.startswith(("+++", "---")):
            continue
        if rest.endswith(_UNFINISHED):
            waiting[task] = number, rest.removesuffix(_UNFINISHED)
            continue
        began = number
        resumed = _RESUMED.fullmatch(rest)
        if resumed is not None:
            began, head = waiting.pop(task)
            rest = head + resumed[2]
        call = _call(task, rest, began, number)
        if call is not None:
            yield call


def _call(task: int, line: str, began: int, ended: int) -> Call | None:
    found = _WHOLE.fullmatch(line)
    if found is None:
        raise UnreadableTraceError(f"line {ended}: not a call: {line[:80]}")
    name, args, result, _ = found.groups()
    if result == "?":  # the process died inside the call
        return None
    return Call(
        task=task,
        name=name,
        args=tuple(_split(args)),
        result=int(result, 0),
        began=began,
        ended=ended,
    )


def _split(args: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, char in enumerate(args):
        if char in _OPENERS:
            depth += 1
        elif char in _CLOSERS:
            depth -= 1
        elif char == "," and depth == 0:
            yield args[start:at].strip()
            start = at + 1
    if args:
        yield args[start:].strip()
