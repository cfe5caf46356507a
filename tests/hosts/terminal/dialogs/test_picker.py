"""Choosing a session or a branch."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import thread_time

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from holdfast import ManualClock, Store, open_store, open_volatile
from holdfast.clock import at_time
from holdfast.commands.answers import BranchChoice
from holdfast.hosts.terminal.dialogs.choose import List, choose
from holdfast.hosts.terminal.dialogs.io import DialogIO
from holdfast.hosts.terminal.dialogs.picker import Sessions, last_words, pick_branch
from holdfast.hosts.terminal.draw.theme import NONE
from holdfast.records.entries import Described, ModelReplied, UserSaid
from holdfast.records.parts import Text
from tests.stores.files.catalog.late import kept_behind

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
ENTER, ESCAPE, DOWN, CTRL_A = "\r", "\x1b", "\x1b[B", "\x01"


async def _said(
    store: Store, key: str, text: str, *, workspace: str = "here", title: str = "", answer: str = ""
) -> None:
    async with store.session(key) as session:
        await session.append(Described(workspace=workspace, title=title or None), UserSaid(parts=(Text(text=text),)))
        if answer:
            await session.append(ModelReplied(parts=(Text(text=answer),)))


async def _three() -> tuple[Store, ManualClock]:
    """Two sessions of a workspace, the older one first, and one of another."""
    clock = ManualClock()
    store = open_volatile(clock=clock)
    for key, text, workspace, title in (
        ("a", "about rivers", "here", ""),
        ("b", "about trees", "here", "Oaks and elms"),
        ("c", "about stars", "there", ""),
    ):
        await _said(store, key, text, workspace=workspace, title=title, answer=f"An answer {key} with zebra{key}.")
        clock.advance(3600)
    return store, clock


class Typist:
    """Lines that are typed one after the other."""

    def __init__(self, *typed: str) -> None:
        self._typed = list(typed)
        self.seen: list[str] = []

    def say(self, line: str) -> None:
        self.seen.append(line)

    async def ask(self, prompt: str) -> str | None:
        self.seen.append(prompt)
        return self._typed.pop(0) if self._typed else None


class Screen(DummyOutput):
    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self._size = Size(rows=rows, columns=columns)

    def get_size(self) -> Size:
        return self._size


@contextmanager
def _keys(*typed: str) -> Iterator[tuple[DialogIO, PipeInput]]:
    with create_pipe_input() as pipe:
        for each in typed:
            pipe.send_text(each)
        yield DialogIO(NONE, pipe, Screen()), pipe


@asynccontextmanager
async def _working(source: Sessions) -> AsyncIterator[None]:
    """Let a source work, as a list on a screen would."""
    work = asyncio.create_task(source.work(lambda: None))
    try:
        await source.settle()
        yield
    finally:
        work.cancel()
        await asyncio.wait([work])


async def _sessions() -> Sessions:
    store, clock = await _three()
    return Sessions(store, "here", at_time(clock.now_ns()))


async def test_the_newest_of_the_workspace_come_first() -> None:
    """
    Sessions of the workspace are offered, the last used first, each with what it is about and when it was used.
    """
    source = await _sessions()
    async with _working(source):
        assert ["b", "a"] == source.found()
        assert ["Oaks and elms", "about rivers"] == [source.row(key).text for key in source.found()]
        assert "2 messages     2 h ago" == source.row("b").note.strip()
        assert "Sessions of this workspace: 2" == source.heading


async def test_all_workspaces_are_one_key_away() -> None:
    """
    Ctrl-A offers the sessions of all workspaces, and the same key goes back.
    """
    source = await _sessions()
    async with _working(source):
        source.widened()
        await source.settle()
        assert ["c", "b", "a"] == source.found()
        source.widened()
        await source.settle()
        assert ["b", "a"] == source.found()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("OAKS", ["b"]),
        ("rivers about", ["a"]),
        ("zebraa", ["a"]),
        ("nothing like it", []),
        ('"half', []),
        ("zebrac", []),
    ],
)
async def test_typing_finds_titles_words_and_what_was_said(query: str, expected: list[str]) -> None:
    """
    What is typed is looked for in titles, first words and keys, and then in everything that was said there.
    """
    source = await _sessions()
    async with _working(source):
        source.typed(query)
        await source.settle()
        assert expected == source.found()


async def test_the_one_that_is_looked_at_tells_its_last_words() -> None:
    """
    Below the list stands how the conversation ended, or where the words were found.
    """
    source = await _sessions()
    async with _working(source):
        assert "model: An answer b with zebrab." == source.about("b")
        source.typed("zebraa")
        await source.settle()
        assert "An answer a with zebraa." == source.about("a")


async def test_last_words_are_looked_for_not_too_far_back() -> None:
    """
    A session that ends in a long row of other entries costs no long read.
    """
    store = open_volatile()
    async with store.session("a") as session:
        await session.append(UserSaid(parts=(Text(text="hello"),)), *[Described(title="x")] * 60)

    assert "" == await last_words(store.read_back("a"))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ((ENTER,), "b"),
        ((DOWN, ENTER), "a"),
        ((DOWN, DOWN, DOWN, ENTER), "a"),
        (("rivers", ENTER), "a"),
        ((ESCAPE,), None),
        (("\x03",), None),
    ],
)
async def test_keys_choose(typed: tuple[str, ...], expected: str | None) -> None:
    """
    Arrows move, letters search, Enter chooses, Esc and Ctrl-C leave.
    """
    source = await _sessions()
    async with _working(source):
        pass  # everything is loaded before the first key, as it is for a person
    with _keys(*typed) as (io, _):
        assert expected == await choose(source, io)


async def test_a_query_is_there_from_the_beginning() -> None:
    """
    What was asked for on the command line is what the search begins with.
    """
    store, clock = await _three()
    source = Sessions(store, "here", at_time(clock.now_ns()))
    async with _working(source):
        pass
    with _keys(ENTER) as (io, _):
        assert "a" == await choose(source, io, "rivers")


async def test_a_failing_store_ends_the_choice() -> None:
    """
    Where sessions cannot be listed, the failure is told and nobody waits.
    """

    class Failing(Sessions):
        async def work(self, changed: Callable[[], None]) -> None:
            raise OSError("the disk is gone")

    with _keys() as (io, _):
        for each in (io, io._replace(lines=Typist())):
            with pytest.raises(OSError, match="the disk is gone"):
                await choose(Failing(open_volatile(), "here", NOW), each)


async def test_without_a_screen_a_number_is_typed() -> None:
    """
    In a dumb terminal and for a screen reader, sessions are a numbered list, and words narrow it down.
    """
    store, clock = await _three()
    typist = Typist("rivers", "1")
    with _keys() as (io, _):
        source = Sessions(store, "here", at_time(clock.now_ns()))
        assert "a" == await choose(source, io._replace(lines=typist))

    assert ["Sessions of this workspace: 2", "  1  Oaks and elms  (2 h ago)"] == typist.seen[:2]
    assert "Sessions of this workspace: 1 of 2" in typist.seen


@pytest.mark.parametrize("typed", [(), ("",), ("nothing like it", "")])
async def test_without_a_screen_an_empty_line_leaves(typed: tuple[str, ...]) -> None:
    """
    Nothing typed, and no terminal any more, choose nothing.
    """
    store, clock = await _three()
    with _keys() as (io, _):
        source = Sessions(store, "here", at_time(clock.now_ns()))
        assert await choose(source, io._replace(lines=Typist(*typed))) is None


async def test_only_what_is_seen_is_loaded_and_drawn() -> None:
    """
    Of very many sessions a page is loaded; looking further down loads more, typing all of them.
    """
    store = open_volatile()
    for number in range(450):
        await _said(store, f"s{number:03}", f"number {number}")
    source = Sessions(store, "here", NOW)
    async with _working(source):
        assert "Sessions of this workspace: 200+" == source.heading
        seen = List(source)
        seen.move(190)
        await source.settle()
        assert "Sessions of this workspace: 400+" == source.heading
        source.typed("number 7")
        await source.settle()
        assert 11 == len([key for key in source.found() if source.row(key).text.startswith("number 7")])
        assert "of 450" in source.heading

    began = thread_time()
    assert 10 == len(List(source).lines(40, 10, NONE))
    assert 0.5 > thread_time() - began


async def test_the_list_follows_the_one_that_is_looked_at() -> None:
    """
    Moving down scrolls, moving up scrolls back, and every line fits.
    """
    store = open_volatile()
    for number in range(30):
        await _said(store, f"s{number:02}", f"number {number} " + "word " * 30)
    source = Sessions(store, "here", NOW)
    async with _working(source):
        seen = List(source)
        seen.move(12)
        lines = seen.lines(40, 10, NONE)
        assert (10, "▸ number 17") == (len(lines), lines[-1][:11])
        assert [40] * 9 == [len(line) for line in lines[:-1]]
        seen.move(-100)
        assert "▸ number 29" == seen.lines(40, 10, NONE)[0][:11]


async def test_a_branch_is_chosen_by_its_line() -> None:
    """
    The branches of a conversation are offered as its tree draws them; the number of one is given.
    """
    choices = (
        BranchChoice(number=1, line="what is the capital"),
        BranchChoice(number=2, line="└─ and of Spain", current=True),
    )
    with _keys(DOWN, ENTER) as (io, _):
        assert 2 == await pick_branch(choices, io)
    with _keys("capital", ENTER) as (io, _):
        assert 1 == await pick_branch(choices, io)
    with _keys(ESCAPE) as (io, _):
        assert await pick_branch(choices, io) is None


async def test_the_heading_says_how_many_have_yet_to_be_checked(tmp_path: Path) -> None:
    """
    Where the catalog is behind, the list may be incomplete.
    """
    async with open_store(tmp_path) as store, store.session("a") as session:
        await session.say("hello")
    with kept_behind(tmp_path):
        async with open_store(tmp_path) as store:
            source = Sessions(store, "", datetime.now(UTC))
            async with _working(source):
                assert "Sessions of all workspaces: 0 (1 still to be checked)" == source.heading
