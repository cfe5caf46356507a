"""The search of `grep`, in a process that can be killed: a regular expression may never come to an end.

It answers one line for each line of a file that is shown, and at the end what was left out.
"""

import codecs
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from holdfast.errors import ToolFailed
from holdfast.tools.files.globs import matches
from holdfast.tools.files.text import lines_of, visible, written
from holdfast.tools.files.walk import walk
from holdfast.tools.files.workspace import WorkspaceFiles, open_file
from holdfast.tools.shell.child import answer, job_of

MOST_MATCHES = 200
"""Lines that match, in one answer."""
LARGEST_FILE = 16 << 20
"""Bytes of a file that is searched."""
LONGEST_LINE = 400
"""Characters of a line that are shown."""
MOST_SECONDS = 20.0
MOST_MEMORY = 2 << 30

_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Left:
    """What was left out of a search."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.secret = self.large = 0
        self.full = False


class GrepLine(NamedTuple):
    """A line that is shown."""

    number: int
    text: str
    hit: bool


def search(job: dict[str, Any], left: Left) -> Iterator[tuple[str, GrepLine]]:
    """Every line to show, with the path of its file."""
    pattern = compiled(job["pattern"], literal=job["literal"], ignore_case=job["ignore_case"])
    needle = needle_of(job["pattern"], literal=job["literal"], ignore_case=job["ignore_case"])
    hits = 0
    for path, opened in _files(job, left):
        data = opened.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            left.large += 1
            continue
        if needle not in data and not data.startswith(_WIDE):
            continue
        for line in _shown(data, pattern, job["context"]):
            hits += line.hit
            if hits > MOST_MATCHES:
                left.full = True
                return
            yield path, line


def compiled(pattern: str, *, literal: bool, ignore_case: bool) -> re.Pattern[str]:
    """A pattern ready to search with. Raises `ToolFailed` if it is none."""
    try:
        return re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ToolFailed(
            f"{pattern!r} is not a regular expression: {error}.",
            hint="Mend it, or set `literal` to look for it as it is.",
        ) from error


def needle_of(pattern: str, *, literal: bool, ignore_case: bool) -> bytes:
    """Bytes without which no line can match, so that most files need no closer look; none where that cannot be told."""
    plain = literal or not _SPECIAL.search(pattern)
    return pattern.encode() if plain and pattern.isascii() and not ignore_case else b""


def _files(job: dict[str, Any], left: Left) -> Iterator[tuple[str, BinaryIO]]:
    """The files to search, one after the other."""
    workspace = WorkspaceFiles(Path(job["root"]), folders=map(Path, job["folders"]), private=job["private"])
    if job["kind"] == "file":
        with workspace.file(job["path"]) as opened:
            yield job["path"], opened
        return
    above = 0 if job["path"] == "." else len(job["path"]) + 1
    for found in walk(workspace, job["path"]):
        fits = not job["glob"] or matches(job["glob"], found.path[above:])
        if found.kind != "file" or found.skipped or not fits:
            continue
        if workspace.sensitive(found.path) and not job["secrets"]:
            left.secret += 1
            continue
        with _opened(found.name, found.folder) as opened:
            if opened is not None:
                yield found.path, opened


@contextmanager
def _opened(name: str, folder: int) -> Iterator[BinaryIO | None]:
    """A file, or nothing if it cannot be opened, or is gone."""
    try:
        opened = open_file(name, folder)
    except (OSError, ToolFailed):
        yield None
        return
    with opened:
        yield opened


def _shown(data: bytes, pattern: re.Pattern[str], context: int) -> Iterator[GrepLine]:
    """The lines of a file that match, and those around them."""
    found = written(data)
    if found is None:
        return
    lines = lines_of(found.text)
    last = -1
    for index, line in enumerate(lines):
        if not pattern.search(line):
            continue
        yield from (GrepLine(at + 1, lines[at], hit=False) for at in range(max(last + 1, index - context), index))
        yield GrepLine(index + 1, line, hit=True)
        last = index
        for at in range(index + 1, min(len(lines), index + 1 + context)):
            if pattern.search(lines[at]):
                break
            yield GrepLine(at + 1, lines[at], hit=False)
            last = at


def _main() -> None:
    job = job_of(sys.argv, seconds=MOST_SECONDS * 2, memory=MOST_MEMORY)
    left = Left()
    try:
        for path, line in search(job, left):
            text = line.text.encode(errors="backslashreplace").decode()
            cut = f"{text[:LONGEST_LINE]}[…]" if len(text) > LONGEST_LINE else text
            answer(path=visible(path), number=line.number, text=cut, hit=line.hit)
        answer(done=True, secret=left.secret, large=left.large, full=left.full)
    except ToolFailed as failure:
        answer(failed=str(failure))
    except MemoryError:
        answer(failed="The search needs more memory than it may use.")


if __name__ == "__main__":
    _main()
