"""Completion with Tab: slash commands, files after an `@`, and sessions where a command takes one."""

import os
from collections.abc import AsyncGenerator, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Protocol

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from holdfast.agent.conversation import Conversation
from holdfast.assembly.agent import AgentRuntime
from holdfast.hosts.terminal.input.paste import mention
from holdfast.records.printable import printable_line

MOST = 50
LOOKED_AT = 5_000
"""How many files are looked at, so that a key press never waits for a disk."""
_SKIPPED = frozenset({".git", ".holdfast", "node_modules", "__pycache__", ".venv"})


class CompletionScope(Protocol):
    """Where the person is."""

    agent: AgentRuntime
    conversation: Conversation


class InputCompleter(Completer):
    """Completes what stands before the cursor."""

    def __init__(self, scope: CompletionScope) -> None:
        """Complete what can be meant where the person is."""
        self._scope = scope

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002
        """Files of the workspace."""
        word = _word(document.text_before_cursor)
        return _files(self._scope.agent.root, word[1:]) if word.startswith("@") else ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """Everything there is to choose from."""
        from holdfast.commands.complete import complete
        from holdfast.commands.context import ConversationContext

        context = ConversationContext(agent=self._scope.agent, conversation=self._scope.conversation)
        for each in await complete(document.text_before_cursor, context):
            about = printable_line(each.help, 60)
            yield Completion(each.text, start_position=-each.replaces, display_meta=about)
        for found in self.get_completions(document, complete_event):
            yield found


def wanted(before: str) -> bool:
    """Whether a choice opens by itself while one types."""
    return (before.startswith("/") and " " not in before) or (_word(before).startswith("@") and len(_word(before)) > 1)


def _word(before: str) -> str:
    return before.rsplit(maxsplit=1)[-1] if before and not before[-1].isspace() else ""


def _files(root: Path, begun: str) -> Iterator[Completion]:
    """Files below the workspace whose path begins so, or whose name does."""
    paths = (path for path in islice(_walk(root), LOOKED_AT) if _fits(path, begun.lower()))
    for path in sorted(islice(paths, MOST), key=lambda path: (path.count("/"), path)):
        yield Completion(mention(path), start_position=-len(begun) - 1, display=printable_line(path, 60))


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
