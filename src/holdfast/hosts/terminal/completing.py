"""What Tab completes: slash commands, files after an `@`, and sessions where a command takes one."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from holdfast.hosts.terminal.pasting import mention
from holdfast.records.safe import safe_line

MOST = 50
LOOKED_AT = 5_000
"""How many files are looked at, so that a key press never waits for a disk."""
_SKIPPED = frozenset({".git", ".holdfast", "node_modules", "__pycache__", ".venv"})


class Offered(NamedTuple):
    """Something to choose."""

    word: str
    about: str = ""


class Source(NamedTuple):
    """What there is to complete."""

    root: Path
    commands: Callable[[], Sequence[Offered]]
    sessions: Callable[[str], Awaitable[Sequence[Offered]]]
    takes_session: Callable[[str], bool]
    """Whether a command, such as `/resume`, is followed by a session."""


class Words(Completer):
    """Completes what stands before the cursor."""

    def __init__(self, source: Source) -> None:
        """Complete from a source."""
        self._source = source

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Commands and files; sessions take a moment, and come from `get_completions_async`."""
        before = document.text_before_cursor
        if before.startswith("/") and " " not in before:
            return _matching(self._source.commands(), before)
        word = before.split()[-1] if before and not before[-1].isspace() else ""
        return _files(self._source.root, word[1:]) if word.startswith("@") else ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """Everything there is to choose from."""
        command, space, rest = document.text_before_cursor.partition(" ")
        found = self.get_completions(document, complete_event)
        if space and command.startswith("/") and self._source.takes_session(command):
            found = _matching(await self._source.sessions(rest), rest)
        for each in found:
            yield each


def wanted(before: str) -> bool:
    """Whether a choice opens by itself while one types."""
    word = before.split()[-1] if before and not before[-1].isspace() else ""
    return (before.startswith("/") and " " not in before) or (word.startswith("@") and len(word) > 1)


def _matching(offered: Iterable[Offered], begun: str) -> Iterator[Completion]:
    for each in offered:
        if each.word.startswith(begun):
            yield Completion(each.word, start_position=-len(begun), display_meta=safe_line(each.about, 60))


def _files(root: Path, begun: str) -> Iterator[Completion]:
    """Files below the workspace whose path begins so, or whose name does."""
    paths = (path for path in islice(_walk(root), LOOKED_AT) if _fits(path, begun.lower()))
    for path in sorted(islice(paths, MOST), key=lambda path: (path.count("/"), path)):
        yield Completion(mention(path), start_position=-len(begun) - 1, display=safe_line(path, 60))


def _fits(path: str, begun: str) -> bool:
    low = path.lower()
    return low.startswith(begun) or low.rsplit("/", 1)[-1].startswith(begun)


def _walk(root: Path) -> Iterator[str]:
    """Paths of files below a folder, those at the top first."""
    folders = [""]
    while folders:
        inner: list[str] = []
        for folder in folders:
            try:
                with os.scandir(root / folder) as found:
                    entries = sorted(found, key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                path = f"{folder}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    inner += [f"{path}/"] if entry.name not in _SKIPPED else []
                else:
                    yield path
        folders = inner
