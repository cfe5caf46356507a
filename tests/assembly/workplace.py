"""An agent put together as the command does it, in a home and a workspace of its own, with a scripted model."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Asked, TurnOver
from holdfast.agent.permissions import Answer
from holdfast.assembly.agent import AgentRuntime, Wishes, open_runtime
from holdfast.config.load import Loaded, read
from holdfast.records.entries import ToolFinished

NO, YES = Answer(), Answer(allowed=True)


def writes(path: str = "note.txt", content: str = "hello") -> dict[str, object]:
    """A call that changes something."""
    return {"call": {"name": "write_file", "arguments": {"path": path, "content": content}}}


def runs(command: str) -> dict[str, object]:
    """A call of the shell."""
    return {"call": {"name": "shell", "arguments": {"command": command}}}


class Workplace:
    """Somewhere to work."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "home" / "work"
        self.root.mkdir(parents=True)
        store = str(folder / "store")
        self.environment = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "HOLDFAST_STORE": store}
        self._script = folder / "script.jsonl"

    def user(self, text: str) -> None:
        """Write the user's settings."""
        self._write(self.home / ".config" / "holdfast" / "config.toml", text)

    def project(self, text: str) -> None:
        """Write the project's settings."""
        self._write(self.root / ".holdfast" / "config.toml", text)

    def _write(self, file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def loaded(self, root: Path | None = None) -> Loaded:
        """The settings that count here."""
        return read(self.environment, where=root or self.root)

    def agent(
        self, *script: object, wishes: Mapping[str, object] | None = None, root: Path | None = None
    ) -> AgentRuntime:
        """An agent that says its lines."""
        self._script.write_text("".join(f"{json.dumps(line)}\n" for line in script))
        asked = Wishes(model=f"scripted:{self._script}", titles=False, **(wishes or {}))  # type: ignore[arg-type]
        return open_runtime(self.loaded(root), asked, environment=self.environment)


async def asked(conversation: Conversation, text: str = "go", answers: Sequence[Answer] = ()) -> list[str]:
    """Say something and answer what is asked, with no where nothing else is given; what was asked about."""
    titles, left = [], list(answers)
    with conversation.watch() as watch:
        await conversation.send(text)
        async for event in watch:
            if isinstance(event, Asked):
                assert event.question.ask is not None
                titles.append(event.question.ask.title)
                conversation.answer(event.question.id, left.pop(0) if left else NO)
            if isinstance(event, TurnOver):
                break
    return titles


async def outcomes(conversation: Conversation) -> list[str]:
    """What came of every call."""
    entries = [record.entry async for record in conversation.session.read()]
    return [entry.outcome for entry in entries if isinstance(entry, ToolFinished)]
