"""What tests of file tools share: a desk, a workspace with files, and how a call is made."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from holdfast.agent.tool import Ask, Output, Tool
from holdfast.errors import ToolFailed
from holdfast.ids import Position, SessionKey
from holdfast.log.blobs import blob_id
from holdfast.records.entries import Entry
from holdfast.records.parts import Blob, plain_text
from holdfast.session.state import SessionState

SECRET = "the words of a file outside"


class Desk:
    """Keeps what is attached and written; nobody answers."""

    key, state = SessionKey("talk"), SessionState()

    def __init__(self) -> None:
        self.written: list[Entry] = []
        self.blobs: dict[str, bytes] = {}
        self.told: list[str] = []
        self.changed: list[tuple[str, bytes | None, bytes | None, int]] = []
        """Files that were about to change: path, before, after and mode."""

    async def write(self, *facts: Entry) -> Position:
        self.written += facts
        return Position(len(self.written) - 1)

    async def attach(self, data: bytes, *, media_type: str, name: str = "") -> Blob:
        blob = blob_id(data)
        self.blobs[blob] = data
        return Blob(blob=blob, media_type=media_type, size=len(data), name=name)

    async def keep_before(self, path: str, before: bytes | None, after: bytes | None, mode: int = 0) -> None:
        self.changed.append((path, before, after, mode))

    async def kept(self, prefix: str) -> bytes:
        for name, data in self.blobs.items():
            if name.startswith(prefix):
                return data
        raise ToolFailed(f"Nothing is kept as {prefix}.")

    async def question(self, text: str, options: Sequence[str] = ()) -> str:
        raise ToolFailed("Nobody is there.")

    def tell(self, text: str) -> None:
        self.told.append(text)


async def asked(tool: Tool, **arguments: object) -> Ask:
    """What a call would do."""
    return (await tool.understand(json.dumps(arguments), Desk())).ask


async def output(tool: Tool, context: Desk | None = None, /, **arguments: object) -> Output:
    """What comes of a call."""
    return await (await tool.understand(json.dumps(arguments), context or Desk())).run()


async def text(tool: Tool, context: Desk | None = None, /, **arguments: object) -> str:
    """The words that come of a call."""
    return plain_text((await output(tool, context, **arguments)).parts)


async def failure(tool: Tool, context: Desk | None = None, /, **arguments: object) -> str:
    """Why a call cannot be done."""
    with pytest.raises(ToolFailed) as failed:
        await output(tool, context, **arguments)
    return str(failed.value)


def fill(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Make files below a folder, with their folders."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def paths_below(root: Path) -> set[str]:
    """All files below a folder."""
    return {os.path.relpath(Path(folder) / name, root) for folder, _, names in os.walk(root) for name in names}
