"""A session that another process holds."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from wcwidth import wcswidth

from holdfast.assembly.agent import AgentRuntime, open_runtime
from holdfast.config.load import read
from holdfast.errors import Held
from holdfast.hosts.terminal.dialogs.held import HeldChoice, offer
from holdfast.hosts.terminal.dialogs.io import DialogIO
from holdfast.hosts.terminal.draw.theme import NONE
from holdfast.records.entries import Described, ModelReplied, UserSaid
from holdfast.records.parts import Text
from holdfast.session.writer import Session


class Screen(DummyOutput):
    """Keeps what was written, and says when that holds something."""

    def __init__(self, columns: int) -> None:
        self._size = Size(rows=24, columns=columns)
        self.text = ""
        self._news = asyncio.Event()

    def get_size(self) -> Size:
        return self._size

    def write_raw(self, data: str) -> None:
        self.text += data
        self._news.set()

    async def holds(self, words: str) -> None:
        while words not in self.text:
            self._news.clear()
            await self._news.wait()


class Typist:
    def __init__(self, *typed: str) -> None:
        self._typed = list(typed)
        self.seen: list[str] = []

    def say(self, line: str) -> None:
        self.seen.append(line)

    async def ask(self, prompt: str) -> str | None:
        self.seen.append(prompt)
        return self._typed.pop(0) if self._typed else None


@contextmanager
def _io(columns: int = 80) -> Iterator[tuple[DialogIO, PipeInput, Screen]]:
    with create_pipe_input() as pipe:
        screen = Screen(columns)
        yield DialogIO(NONE, pipe, screen), pipe, screen


@asynccontextmanager
async def _held(tmp_path: Path) -> AsyncIterator[tuple[AgentRuntime, Session, Held]]:
    """An agent, and a session that another store has open."""
    values = {"HOME": str(tmp_path), "HOLDFAST_STORE": str(tmp_path / "store"), "HOLDFAST_DURABILITY": "os"}
    agent, other = (open_runtime(read(values, where=tmp_path), environment=values) for _ in range(2))
    async with agent.engine, other.engine, other.engine.store.session("talk", doing="talking elsewhere") as session:
        await session.append(UserSaid(parts=(Text(text="hello"),)))
        with pytest.raises(Held) as raised:
            await agent.engine.open("talk")
        yield agent, session, raised.value


@pytest.mark.parametrize(
    ("pressed", "expected"),
    [
        ("t", HeldChoice.TAKE_OVER),
        ("F", HeldChoice.FORK),
        ("xxn", HeldChoice.NEW),
        ("q", HeldChoice.LEAVE),
        ("\x03", HeldChoice.LEAVE),
        ("\x1b", HeldChoice.LEAVE),
    ],
)
async def test_a_key_chooses(pressed: str, expected: HeldChoice, tmp_path: Path) -> None:
    """
    One key says what is to be done; others do nothing, and Ctrl-C and Esc leave.
    """
    async with _held(tmp_path) as (agent, _, held):
        with _io() as (io, pipe, screen):
            choosing = asyncio.create_task(offer(agent, "talk", held, io))
            await screen.holds("q  leave")
            pipe.send_text(pressed)
            assert expected == await choosing


@pytest.mark.parametrize("columns", [80, 40])
async def test_who_has_it_is_said(columns: int, tmp_path: Path) -> None:
    """
    The process that holds the session is named, with what it does, and what each way means; all of it fits.
    """
    async with _held(tmp_path) as (agent, session, held):
        with _io(columns) as (io, pipe, screen):
            pipe.send_text("q")
            await offer(agent, "talk", held, io)
            said = " ".join(screen.text.split())

    assert f"held by process {session.holder.pid} on {session.holder.host}" in said
    assert "talking elsewhere" in said
    assert "the other is told, and can write nothing more to it" in said
    assert [] == [line for line in screen.text.splitlines() if wcswidth(line) > columns]


async def test_it_is_called_by_its_title(tmp_path: Path) -> None:
    """
    Who has several sessions knows at once which of them is meant.
    """
    async with _held(tmp_path) as (agent, session, held):
        await session.append(Described(title="Boats\u202e"))
        with _io() as (io, pipe, screen):
            pipe.send_text("q")
            await offer(agent, "talk", held, io)
            assert screen.text.startswith("“Boats�” is held by process")


async def test_watching_shows_what_the_other_says_and_comes_back(tmp_path: Path) -> None:
    """
    A watcher sees what was said and what is said now, without taking anything; Ctrl-C goes back to the question.
    """
    async with _held(tmp_path) as (agent, session, held):
        with _io() as (io, pipe, screen):
            choosing = asyncio.create_task(offer(agent, "talk", held, io))
            await screen.holds("q  leave")
            pipe.send_text("w")
            await screen.holds("\u203a hello\n\nWatching; Ctrl-C goes back.\n")
            await session.append(ModelReplied(parts=(Text(text="Hello, **you**."),)))
            await screen.holds("Hello, you.")
            screen.text = ""
            pipe.send_text("\x03")
            await screen.holds("q  leave")
            pipe.send_text("q")
            assert HeldChoice.LEAVE == await choosing
        assert session.holder == await agent.engine.store.holder("talk")


async def test_a_holder_that_has_gone_is_said_to_be_gone(tmp_path: Path) -> None:
    """
    Who waited long enough learns that the session is free.
    """
    async with _held(tmp_path) as (agent, session, held):
        await session.close()
        with _io() as (io, pipe, screen):
            pipe.send_text("q")
            await offer(agent, "talk", held, io)
            assert "gone by now" in " ".join(screen.text.split())


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("huh?", "t"), HeldChoice.TAKE_OVER),
        (("fork",), HeldChoice.FORK),
        (("w", "", "n"), HeldChoice.NEW),
        ((), HeldChoice.LEAVE),
    ],
)
async def test_without_a_screen_a_letter_is_typed(typed: tuple[str, ...], expected: HeldChoice, tmp_path: Path) -> None:
    """
    In a dumb terminal the same is chosen by lines; the end of the input leaves.
    """
    async with _held(tmp_path) as (agent, _, held):
        with _io() as (io, _, _):
            assert expected == await offer(agent, "talk", held, io._replace(lines=Typist(*typed)))
