"""A store with a few conversations, and a way to run the command on it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from holdfast import ManualClock, ModelReplied, Session, Store, Text, open_store
from holdfast.hosts.command import main

Work = Callable[[Store], Awaitable[None]]


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


class Shell:
    """Runs the command in this process, on one store."""

    def __init__(self, store: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.store, self._capture = store, capture

    def __call__(self, *words: str) -> Ran:
        """Run one command."""
        code = main(words)
        seen = self._capture.readouterr()
        return Ran(int(code), seen.out.decode(), seen.err.decode())

    def bytes_of(self, *words: str) -> bytes:
        """What a command prints, byte for byte."""
        assert main(words) == 0
        return self._capture.readouterr().out

    def prepare(self, work: Work, *, clock: ManualClock | None = None) -> None:
        """Write something into the store."""

        async def run() -> None:
            async with open_store(self.store, durability="os", clock=clock) as store:
                await work(store)

        asyncio.run(run())

    def say(self, key: str, *texts: str, clock: ManualClock | None = None) -> None:
        """Let a user and a model take turns, beginning with the user."""

        async def work(store: Store) -> None:
            async with store.session(key) as session:
                await _talk(session, texts)

        self.prepare(work, clock=clock)


async def _talk(session: Session, texts: tuple[str, ...]) -> None:
    for index, text in enumerate(texts):
        if index % 2:
            await session.append(ModelReplied(parts=(Text(text=text),), model="small"))
        else:
            await session.say(text)


@pytest.fixture
def shell(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command on an empty store that nothing in the environment of this run reaches."""
    for name in ("HOLDFAST_DURABILITY", "HOLDFAST_RETENTION_DAYS", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOLDFAST_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("TZ", "UTC")
    return Shell(tmp_path / "store", capsysbinary)


@pytest.fixture
def notes(shell: Shell) -> Shell:
    """The command on a store with one session, `notes`, of two turns."""
    shell.say("notes", "Where is the harbour?", "By the sea.", "And the boat?", "In the harbour.")
    return shell
