"""Edits fitted to a text: where each stands, and what is wrong if it does not."""

from difflib import get_close_matches
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.errors import ToolFailed

MOST_COMPARED = 5000
"""Lines that are compared to find the nearest."""
SHOWN = 160
"""Characters of a line that is near."""
MOST_NAMED = 5


class Edit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One piece to replace."""

    old: Annotated[str, Meta(min_length=1, description="The text to replace, exactly as it stands, with its indent.")]
    new: Annotated[str, Meta(description="What to put in its place.")]
    all: Annotated[bool, Meta(description="Replace it wherever it stands.")] = False


def edited(text: str, edits: tuple[Edit, ...], path: str) -> str:
    """A text with all edits made. Raises `ToolFailed` if one does not fit."""
    windows = "\r\n" in text and text.count("\n") == text.count("\r\n")
    spans = []
    for number, edit in enumerate(edits, 1):
        old, new = (_ended(each) if windows else each for each in (edit.old, edit.new))
        which = f"Edit {number}" if len(edits) > 1 else "The edit"
        if old == new:
            raise ToolFailed(f"{which} changes nothing: `old` and `new` are the same.")
        starts = _starts(text, old, len(old) if edit.all else 1)
        if not starts:
            raise _not_found(text, old, f"{which} does not fit {path}")
        if len(starts) > 1 and not edit.all:
            raise _too_often(text, starts, f"{which} does not fit {path}")
        spans += [(start, start + len(old), new, number) for start in starts]
    return _replaced(text, sorted(spans))


def _ended(text: str) -> str:
    """A text with the line ends of Windows, as the file has them."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _starts(text: str, old: str, step: int) -> list[int]:
    starts, at = [], text.find(old)
    while at >= 0:
        starts.append(at)
        at = text.find(old, at + step)
    return starts


def _replaced(text: str, spans: list[tuple[int, int, str, int]]) -> str:
    pieces, end, last = [], 0, 0
    for start, stop, new, number in spans:
        if start < end:
            raise ToolFailed(f"Edits {last} and {number} overlap.", hint="Make one edit of them.")
        pieces += [text[end:start], new]
        end, last = stop, number
    return "".join([*pieces, text[end:]])


def _not_found(text: str, old: str, what: str) -> ToolFailed:
    lines = [line[:SHOWN].rstrip("\r") for line in text.split("\n")]
    wanted = next((line for line in old.splitlines() if line.strip()), old)[:SHOWN]
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines[:MOST_COMPARED], 1):
        numbers.setdefault(line, number)
    near = get_close_matches(wanted, [line for line in numbers if line.strip()], n=3)
    shown = "".join(f"\n{numbers[line]:>6}\t{line}" for line in near)
    hint = f"The nearest lines are:{shown}" if near else "Read the file and copy the text exactly, with its spaces."
    return ToolFailed(f"{what}: `old` was found 0 times.", hint=hint)


def _too_often(text: str, starts: list[int], what: str) -> ToolFailed:
    numbers = [str(text.count("\n", 0, start) + 1) for start in starts[:MOST_NAMED]]
    more = ", …" if len(starts) > MOST_NAMED else ""
    return ToolFailed(
        f"{what}: `old` was found {len(starts)} times, in lines {', '.join(numbers)}{more}.",
        hint="Give more of the text around it, or set `all`.",
    )
