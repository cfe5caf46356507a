"""Pages of a long text: numbered lines, bounded, with what is left and how to go on.

A page stays below the size from which a log keeps a result beside its line and shows the model only
the beginning (`SPILL_BYTES`), so that what a tool says it shows is what the model sees.
"""

from collections.abc import Sequence

from holdfast.errors import ToolFailed

MOST_LINES = 2000
"""Lines of one page."""
MOST_BYTES = 15_000
"""Bytes of one answer, about."""
LONGEST_LINE = 2000
"""Characters of a line that are shown."""


class PageRoom:
    """How much more fits into an answer."""

    def __init__(self) -> None:
        """Begin with all of it."""
        self.left = MOST_BYTES

    def takes(self, row: str) -> bool:
        """Whether a row still fits; it is counted either way."""
        self.left -= len(row.encode(errors="replace")) + 1
        return self.left >= 0


def cut_to(text: str, most: int) -> str:
    """The beginning of a text, of at most so many bytes."""
    data = text.encode(errors="replace")
    return text if len(data) <= most else data[: max(0, most)].decode(errors="ignore")


def paged(lines: Sequence[str], start: int, count: int, *, what: str) -> str:
    """Lines from `start` on, counted from one. Raises `ToolFailed` beyond the end."""
    if not lines and start == 1:
        return f"[{what} is empty]"
    if start > len(lines):
        raise ToolFailed(f"{what} has {len(lines):,} lines.", hint=f"Give a `start` from 1 to {max(1, len(lines))}.")
    shown: list[str] = []
    room = PageRoom()
    for number, line in enumerate(lines[start - 1 : start - 1 + min(count, MOST_LINES)], start):
        row = f"{number:>6}\t{_cut(line)}"
        if not room.takes(row) and shown:
            break
        shown.append(row)
    end = start + len(shown) - 1
    if end < len(lines):
        shown.append(f"[lines {start:,} to {end:,} of {len(lines):,}; go on with start={end + 1}]")
    return "\n".join(shown)


def folded_lines(lines: Sequence[str]) -> list[str]:
    """Lines of which none is too long to be shown: a longer one goes on in the next."""
    return [line[at : at + LONGEST_LINE] for line in lines for at in range(0, max(1, len(line)), LONGEST_LINE)]


def _cut(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}[… {len(line) - LONGEST_LINE:,} more characters]"
