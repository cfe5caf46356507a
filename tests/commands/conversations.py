"""A real agent with a scripted model, in a folder of its own, and a way to type commands at it."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from holdfast.agent.events import TurnOver
from holdfast.assembly.agent import AgentRuntime, Wishes, open_runtime
from holdfast.commands.answers import Answers, CommandAnswer, Data
from holdfast.commands.context import ConversationContext
from holdfast.commands.run import run_line
from holdfast.commands.text.plain_text import text_of
from holdfast.commands.workspace_sessions import open_in
from holdfast.config import read
from holdfast.records.entries import CommandRan

A = TypeVar("A", bound=CommandAnswer)

QUIET = {"OLLAMA_HOST": "http://127.0.0.1:9"}
"""An environment without keys, in which nobody answers for Ollama."""


class Room:
    """A conversation that commands are typed into."""

    def __init__(self, agent: AgentRuntime, context: ConversationContext) -> None:
        self.agent, self.context = agent, context

    @property
    def root(self) -> Path:
        """The workspace."""
        return self.agent.root

    async def typed(self, line: str) -> Answers:
        """Type a line; what programs are given is left out."""
        answers = await run_line(line, self.context)
        return tuple(each for each in answers if not isinstance(each, Data))

    async def text(self, line: str, columns: int = 80) -> str:
        """What a line shows."""
        return text_of(await self.typed(line), columns)

    async def one(self, line: str, kind: type[A]) -> A:
        """The only answer to a line, which is of a kind."""
        answers = await self.typed(line)
        assert [kind] == [type(each) for each in answers]
        assert isinstance(answers[0], kind)
        return answers[0]

    async def say(self, *texts: str) -> None:
        """Say something, and wait for the answer, as often as need be."""
        for text in texts:
            with self.context.conversation.watch() as watch:
                await self.context.conversation.send(text)
                async for event in watch:
                    if isinstance(event, TurnOver):
                        break

    async def ran(self) -> list[CommandRan]:
        """What the log has of commands."""
        return [record.entry async for record in self.context.session.read() if isinstance(record.entry, CommandRan)]

    async def another(self, key: str) -> "Room":
        """The same agent in another conversation."""
        conversation = await open_in(self.agent.engine, key, self.agent.identity, doing="")
        await conversation.session.create()
        context = ConversationContext(agent=self.agent, conversation=conversation, environment=self.context.environment)
        return Room(self.agent, context)


def script(path: Path, *lines: object) -> str:
    """The name of a model that says lines: words, or what else a script can have."""
    said = [{"say": line} if isinstance(line, str) else line for line in lines]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in said))
    return f"scripted:{path}"


@asynccontextmanager
async def room(
    tmp_path: Path, *lines: object, config: str = "", environment: Mapping[str, str] | None = None
) -> AsyncIterator[Room]:
    """A room with a model that says these lines."""
    root = tmp_path / "harbour"
    (root / ".git").mkdir(parents=True, exist_ok=True)
    settings = tmp_path / "config.toml"
    settings.write_text(config)
    values = {
        **QUIET,
        "HOME": str(tmp_path),
        "HOLDFAST_CONFIG": str(settings),
        "HOLDFAST_STORE": str(tmp_path / "store"),
        "HOLDFAST_DURABILITY": "os",
        "PATH": "/usr/bin:/bin",
        **(environment or {}),
    }
    wishes = Wishes(model=script(tmp_path / "script.jsonl", *lines), titles=False)
    agent = open_runtime(read(values, where=root), wishes, environment=values)
    async with agent.engine:
        conversation = await open_in(agent.engine, "talk", agent.identity, doing="")
        await conversation.session.create()
        context = ConversationContext(
            agent=agent, conversation=conversation, environment=values, now=lambda: datetime.now(UTC)
        )
        yield Room(agent, context)
