"""A store with a few conversations, and a way to run the command on it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from holdfast import ManualClock, ModelReplied, Session, Store, Text, open_store
from tests.hosts.processes import Answer, Seen, run, type_at

Work = Callable[[Store], Awaitable[None]]


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


class Shell:
    """Runs the command, each time in a process of its own, on one store."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __call__(self, *words: str, **environment: str) -> Ran:
        """Run one command through pipes."""
        ran = run(self.store, *words, **environment)
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def bytes_of(self, *words: str) -> bytes:
        """What a command prints, byte for byte."""
        ran = run(self.store, *words)
        assert (0, b"") == (ran.returncode, ran.stderr)
        return ran.stdout

    def json_of(self, *words: str) -> Any:  # noqa: ANN401
        """What a command says to programs, and nothing else."""
        return json.loads(self.bytes_of(*words, "--json"))

    def typed(self, *words: str, columns: int = 80, answers: Sequence[Answer] = (), **environment: str) -> Seen:
        """Run one command on a terminal."""
        return type_at(self.store, *words, columns=columns, answers=answers, **environment)

    def prepare(self, work: Work, *, clock: ManualClock | None = None) -> None:
        """Write something into the store."""

        async def go() -> None:
            async with open_store(self.store, durability="os", clock=clock) as store:
                await work(store)

        asyncio.run(go())

    def say(self, key: str, *texts: str, clock: ManualClock | None = None) -> None:
        """Let a user and a model take turns, beginning with the user."""

        async def work(store: Store) -> None:
            async with store.session(key) as session:
                await _talk(session, texts)

        self.prepare(work, clock=clock)

    def segment(self, key: str) -> Path:
        """The file that holds a short session."""
        return self.store / "sessions" / key / "000001.jsonl"

    def damage(self, key: str, position: int) -> None:
        """Change one byte within an entry."""
        lines = self.segment(key).read_bytes().split(b"\n")
        lines[position] = lines[position].replace(b'"kind"', b'"kinD"')
        self.segment(key).write_bytes(b"\n".join(lines))


async def _talk(session: Session, texts: tuple[str, ...]) -> None:
    for index, text in enumerate(texts):
        if index % 2:
            await session.append(ModelReplied(parts=(Text(text=text),), model="small"))
        else:
            await session.say(text)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The command on an empty store that nothing in the environment of this run reaches."""
    return Shell(tmp_path / "store")


@pytest.fixture
def notes(shell: Shell) -> Shell:
    """The command on a store with one session, `notes`, of two turns."""
    shell.say("notes", "Where is the harbour?", "By the sea.", "And the boat?", "In the harbour.")
    return shell
