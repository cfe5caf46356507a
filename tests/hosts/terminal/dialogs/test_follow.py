"""Watching what another process says, while it says it."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from holdfast import NoSession, open_store, open_volatile
from holdfast.agent.events import Appended, TextStreamed, ThinkingStreamed
from holdfast.engine.engine import Engine
from holdfast.hosts.terminal.dialogs.follow import EventLines, watch
from holdfast.hosts.terminal.draw.activity import Activity, Look
from holdfast.hosts.terminal.draw.streamed_reply import ANEW
from holdfast.hosts.terminal.draw.theme import NONE
from holdfast.hosts.terminal.draw.thinking import Mode
from holdfast.ids import CallId, Position
from holdfast.records.codec import encode
from holdfast.records.entries import Described, Drafted, Entry, ModelReplied, ToolFinished, UserSaid
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from holdfast.session.store import Store
from tests.agent.troupe import scripted, setup

REPLY = """# Boats

There are *many* of them, and each **floats** in a way that is its own, as long as `water` is below.

- a punt
- a [skiff](https://example.org/skiff), which
  is small

```python
def row(boat):
    return boat + 1
```

| boat | oars |
|------|------|
| punt | 0    |

That is all; \U0001f6f6 is a canoe."""
THOUGHT = "The person asks about boats.\nThere are many.\nSome are small.\nSome are not.\nI begin with the small ones."


def _said(text: str) -> UserSaid:
    return UserSaid(parts=(Text(text=text),))


def _replied(*parts: Part, **more: object) -> ModelReplied:
    return ModelReplied(parts=parts, **more)  # type: ignore[arg-type]


def _look(thinking: Mode = "dim", width: int = 60) -> Look:
    return Look(theme=NONE, width=width, thinking=thinking)


class Screen:
    """One who watches, and what stands on the screen."""

    def __init__(self, how: Look | None = None) -> None:
        self.lines: list[str] = []
        self.watcher = EventLines(how or _look(), self.lines.append)
        self._next = 0

    def write(self, *entries: Entry) -> None:
        for entry in entries:
            (record,), _ = encode([entry], Position(self._next), 0)
            self.watcher.take(Appended(record=record))
            self._next += 1

    def draft(self, text: str = "", thinking: str = "", *, reply: int | None = None) -> None:
        position = Position(self._next if reply is None else reply)
        for kind, words in ((ThinkingStreamed, thinking), (TextStreamed, text)):
            if words:
                self.watcher.take(kind(text=words, reply=position))


def _whole(*entries: Entry, how: Look | None = None) -> list[str]:
    """What stands there if nothing is drafted."""
    activity = Activity(how or _look())
    return [line for entry in entries for line in activity.spaced(entry)]


def _cut(parts: Sequence[Part], random: Random, *, most: int) -> Iterator[tuple[str, str]]:
    """Text and thinking of parts as they stream, in pieces of any length, and with characters cut in halves."""
    for part in parts:
        if isinstance(part, Text | Thinking):
            units = part.text.encode("utf-16-le")
            at = 0
            while at < len(units):
                size = 2 * random.randint(1, most)
                piece = units[at : at + size].decode("utf-16-le", "surrogatepass")
                yield ("", piece) if isinstance(part, Thinking) else (piece, "")
                at += size


@pytest.mark.parametrize("seed", range(40))
def test_the_same_stands_there_however_it_was_drafted(seed: int) -> None:
    """
    Cut into any pieces, and drafted as far as may be: in the end everything stands there once, as in the log.
    """
    random = Random(seed)
    modes: tuple[Mode, ...] = ("dim", "hide", "show")
    how = _look(random.choice(modes), random.choice((20, 60, 100)))
    call = ToolCall(id=CallId("1"), name="list_dir", arguments="{}")
    parts = (Thinking(text=THOUGHT), Text(text=REPLY), call, Thinking(text="Hm."), Text(text="Now *done*.\n"))
    pieces = list(_cut(parts, random, most=random.choice((1, 5, 60))))
    entries = (
        _said("Boats?"),
        _replied(*parts),
        ToolFinished(call=CallId("1"), name="list_dir"),
        _replied(Text(text="x")),
    )

    screen = Screen(how)
    screen.write(entries[0])
    for text, thinking in pieces[: random.randint(0, len(pieces))]:
        screen.draft(text, thinking)
    screen.write(*entries[1:])

    assert _whole(*entries, how=how) == screen.lines


def test_finished_lines_stand_there_before_the_entry() -> None:
    """
    Who watches reads along: the lines that no more words can change are there, the one that is begun is not.
    """
    screen = Screen()
    screen.write(_said("Boats?"))
    screen.draft("One boat.\n\nTwo bo")
    screen.draft("ats.\n\nThree")

    assert ["\u203a Boats?", "", "One boat.", "", "Two boats."] == screen.lines


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (
            "dim",
            ["  The person asks about boats.", "  There are many.", "  Some are small.", "  … 2 more lines (thought)"],
        ),
        ("hide", ["(thought)"]),
        ("show", [f"  {line}" for line in THOUGHT.splitlines()]),
    ],
)
def test_thinking_is_shown_as_the_setting_says(mode: Mode, expected: list[str]) -> None:
    """
    It stands there once it is over, apart from the words, before the reply is.
    """
    screen = Screen(_look(mode))
    screen.draft(thinking=THOUGHT[:40])
    screen.draft(thinking=THOUGHT[40:])
    assert [] == screen.lines
    screen.draft("One.\n\n")

    assert [*expected, "", "One."] == screen.lines


def test_each_reply_of_a_turn_is_shown() -> None:
    """
    A reply that broke off and is kept, and the one that goes on, are two; each is there once.
    """
    broken = _replied(Text(text="One.\n\nTwo bo"), stop="interrupted")
    entries = _said("Boats?"), broken, _replied(Text(text="ats.\n\nThree."))
    screen = Screen()
    screen.write(entries[0])
    screen.draft("One.\n\nTwo ")
    screen.write(entries[1])
    screen.draft("ats.\n\nThr")
    assert ["The reply broke off here.", "", "ats."] == screen.lines[-3:]
    screen.write(entries[2])

    assert _whole(*entries) == screen.lines


def test_a_reply_that_is_not_what_was_shown_is_shown_whole() -> None:
    """
    A program that began anew without saying so takes nothing away: what was shown stays, and the reply comes whole.
    """
    for words, thought in (("One.\n\nTwo", ""), ("", "Hm."), ("Other.\n\nMore than there is", "")):
        screen = Screen()
        screen.draft(words, thought)
        before = [each for each in (words.split("\n\n")[0], *words.split("\n\n")[1:], thought) if each]
        screen.write(_replied(Text(text="Other.")))

        shown = [line.strip() for line in screen.lines if line]
        assert [*before, ANEW, "Other."] == shown


def test_a_draft_that_nothing_came_of_is_ended_by_the_next() -> None:
    """
    Where a reply is never written, its words stay, and those of another are not joined to them.
    """
    screen = Screen()
    screen.draft("One bo")
    screen.write(_said("And?"))
    screen.draft("Two boats.\n\n")

    assert ["\u203a And?", "", "One bo", "", "Two boats."] == screen.lines


def test_what_is_written_while_a_reply_streams_breaks_no_word() -> None:
    """
    A message or a title stands between two lines, and the reply goes on below: code stays code.
    """
    screen = Screen()
    screen.draft("```text\none\ntwo\nthr", reply=0)
    screen.write(Described(title="Boats"))
    screen.draft("ee\nfour\n```\n", reply=0)
    screen.write(_replied(Text(text="```text\none\ntwo\nthree\nfour\n```\n")))

    note = _whole(Described(title="Boats"))
    assert ["```text", "one", "two", "", *note, "", "three", "four", "```"] == screen.lines


def test_attachments_and_cut_replies_are_shown_with_the_entry() -> None:
    """
    What no draft holds comes with the entry.
    """
    blob = Blob(blob="a" * 64, media_type="image/png", size=10, name="boat.png")  # type: ignore[arg-type]
    entry = _replied(Text(text="One.\n\nTwo."), blob, stop="length")
    screen = Screen()
    screen.draft("One.\n\n")
    screen.write(entry)

    assert _whole(entry) == screen.lines


def test_what_a_draft_has_no_place_for_comes_below_the_words_that_streamed() -> None:
    """
    An attachment between two texts is not known while they stream, and breaks no line of them afterwards.
    """
    blob = Blob(blob="a" * 64, media_type="image/png", size=10, name="boat.png")  # type: ignore[arg-type]
    screen = Screen()
    screen.draft("One bo")
    screen.draft("at.\n\nTwo bo")
    screen.write(_replied(Text(text="One boat.\n\n"), blob, Text(text="Two boats."), Text(text="Three.")))

    assert ["One boat.", "", "Two boats.", "", *_whole(_replied(blob)), "", "Three."] == screen.lines


class Lines:
    """What a watcher was shown, and somebody who waits for it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._news = asyncio.Event()

    def say(self, line: str) -> None:
        self.lines.append(line)
        self._news.set()

    async def holds(self, *lines: str) -> None:
        async with asyncio.timeout(20):
            while not set(lines) <= set(self.lines):
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def _watched(store: Store, begun: str = "") -> AsyncIterator[Lines]:
    seen = Lines()
    async with Engine(store, setup(scripted())) as engine:
        watching = asyncio.create_task(watch(engine, "talk", _look(), seen.say, begun=begun))
        try:
            yield seen
        finally:
            watching.cancel()
            await asyncio.wait([watching])


async def test_a_watcher_begins_with_the_newest() -> None:
    """
    Of a long session only the last entries are shown before what comes.
    """
    store = open_volatile()
    async with store.session("talk") as session:
        for number in range(100):
            await session.append(_said(f"number {number}"))

    async with _watched(store) as seen:
        await seen.holds("\u203a number 99")

    assert ["\u203a number 80", "", "\u203a number 81"] == seen.lines[:3]


async def test_a_reply_is_seen_while_another_store_writes_it(tmp_path: Path) -> None:
    """
    Lines of it are there before its entry, and in the end each once, also over a take-over; how to leave comes first.
    """
    async with open_store(tmp_path) as here, open_store(tmp_path) as there:
        session = await here.open("talk")
        await session.append(_said("Boats?"))
        await session.draft(Drafted(reply=Position(2), text="One.\n\nTwo bo"))
        async with _watched(there, "Leave like this.") as seen:
            await seen.holds("One.")
            await session.draft(Drafted(reply=Position(2), text="ats.\n\nThree"))
            await seen.holds("Two boats.")
            assert "Three" not in seen.lines
            other = await here.open("talk", take_over=True)
            await seen.holds("Three", "The reply broke off here.")
            await other.draft(Drafted(reply=Position(other.state.last + 1), text="Four.\n\n"))
            await seen.holds("Four.")
            await other.finish(_replied(Text(text="Four.\n\nFive.")))
            await seen.holds("Five.")
            await other.close()

    expected = ["One.", "Two boats.", "Three", "The reply broke off here.", "Four.", "Five."]
    assert ["Began", "\u203a Boats?", "Leave like this.", *expected] == [line for line in seen.lines if line]


async def test_a_watcher_is_told_when_the_session_is_deleted(tmp_path: Path) -> None:
    """
    Watching ends, and it is said once.
    """
    async with open_store(tmp_path) as here, open_store(tmp_path) as there:
        async with here.session("talk") as session:
            await session.append(_said("Boats?"))
        seen = Lines()
        async with Engine(there, setup(scripted())) as engine:
            watching = asyncio.create_task(watch(engine, "talk", _look(), seen.say))
            await seen.holds("\u203a Boats?")
            await here.delete("talk")

            with pytest.raises(NoSession):
                await watching
