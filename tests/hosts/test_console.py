"""What reaches the terminal: colours of ours, and no control sequence of anybody else."""

import re

import pytest

from holdfast import (
    Blob,
    CommandRan,
    Described,
    ModelReplied,
    Source,
    Store,
    Text,
    Thinking,
    ToolCall,
    ToolFinished,
    TurnEnded,
    Unknown,
    UserSaid,
)
from holdfast.commands.text.width import flat
from holdfast.hosts.console import escaped
from holdfast.ids import BlobId, CallId
from tests.hosts.conftest import Shell
from tests.hosts.processes import Answer

EVIL = "\x1b[31mA\x1b]52;c;aGFjaw==\x07\x9b31mB\u202eC\u2066D\x00E\x7fF\x85G\u2028H\rI\bJ\U000e0041K"
LONE = f"{EVIL}\ud800"
OURS = re.compile(r"\x1b\[(?:0|1|2|31|32|33|36)m|\r\x1b\[K")
ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")


def harmless(text: str) -> str:
    """A text that is shown only to fail the test when something in it acts."""
    found = ACTING.findall(OURS.sub("", text))
    assert [] == found
    return text


@pytest.fixture
def evil(shell: Shell) -> Shell:
    """A store with one session in which everything that can be said is hostile, its key included."""

    async def work(store: Store) -> None:
        async with store.session(LONE) as session:
            await session.append(Described(title=LONE, tags=(LONE,), model=LONE))
            await session.append(UserSaid(parts=(Text(text=f"harbour {LONE}"),), source=Source(host=EVIL, sender=EVIL)))
            call = ToolCall(id=CallId(EVIL), name=EVIL, arguments=LONE)
            await session.append(ModelReplied(parts=(Thinking(text=LONE), Text(text=LONE), call), model=EVIL))
            await session.append(ToolFinished(call=CallId(EVIL), name=EVIL, parts=(Text(text=LONE),)))
            blob = Blob(blob=BlobId("a" * 64), media_type=EVIL, size=9, name=EVIL, preview=EVIL)
            await session.append(UserSaid(parts=(blob,)), TurnEnded(why="failed", note=EVIL))
            await session.append(CommandRan(command=EVIL, output=LONE), Unknown(kind="acme.x", fields={EVIL: EVIL}))
            await session.rewind(2)
            await session.undo_rewind()

    shell.prepare(work)
    return shell


def name_of(shell: Shell) -> str:
    """What the hostile session is called on a command line."""
    (folder,) = (shell.store / "sessions").iterdir()
    return folder.name


LOOKING = [
    ["sessions"],
    ["sessions", "--json"],
    ["show", "KEY", "--full"],
    ["show", "KEY", "--branch", "all"],
    ["show", "KEY", "--raw"],
    ["show", "KEY", "--json"],
    ["search", "harbour"],
    ["search", "harbour", "--json"],
    ["search", EVIL.replace("\x00", "")],
    ["export", "KEY"],
    ["export", "KEY", "--format", "html"],
    ["export", "KEY", "--format", "json"],
    ["export", "KEY", "--format", "jsonl"],
    ["export", "KEY", "--output", f"/none/{EVIL}".replace("\x00", "")],
    ["where", "KEY"],
    ["verify"],
    ["verify", "--json"],
    ["stats"],
    ["stats", "--json"],
    ["reindex"],
    ["tag", "KEY"],
    ["rewind", "KEY", "3"],
    ["fork", "KEY", f"new{EVIL}".replace("\x00", "")],
    ["repair", "KEY"],
    ["show", f"nope{EVIL}".replace("\x00", "")],
    ["show", f"{EVIL}x".replace("\x00", "")],
    ["show", "KEY", f"--{EVIL}".replace("\x00", "")],
    ["show", "KEY", "--branch", EVIL.replace("\x00", "")],
    [EVIL.replace("\x00", "")],
    ["--store", f"/none/{EVIL}".replace("\x00", ""), "sessions"],
    ["delete", "KEY", "--trash"],
]


@pytest.mark.parametrize("words", LOOKING, ids=lambda words: " ".join(words).encode("unicode_escape").decode()[:40])
def test_nothing_said_reaches_the_terminal(evil: Shell, words: list[str]) -> None:
    """
    No view, answer or error message lets a key, title, tag, text or argument act on the terminal.
    """
    seen = evil.typed(*(name_of(evil) if word == "KEY" else word for word in words), columns=60)

    assert harmless(seen.text)
    assert "Traceback" not in seen.text


def test_no_question_carries_a_control_sequence(evil: Shell) -> None:
    """
    Asking shows the key, so it is made safe as well; the trash and its list too.
    """
    seen = evil.typed("delete", name_of(evil), answers=[Answer("[y/N]", "n\n")])
    assert 6 == seen.code
    harmless(seen.text)
    evil("delete", name_of(evil), "--trash")
    harmless(evil.typed("trash").text)
    seen = evil.typed("trash", "empty", answers=[Answer("[y/N]", "y\n")])

    assert 0 == seen.code
    harmless(seen.text)


def test_colours_are_for_terminals(notes: Shell) -> None:
    """
    A terminal gets colours; a pipe, NO_COLOR and a dumb terminal get none.
    """
    assert "\x1b[1mnotes\x1b[0m" in notes.typed("sessions").text
    assert "\x1b[31mholdfast:\x1b[0m" in notes.typed("show", "nope").text
    for plain in (notes.typed("sessions", NO_COLOR="1").text, notes.typed("sessions", TERM="dumb").text):
        assert "\x1b" not in plain
        assert "notes" in plain
    assert "\x1b" not in notes("show", "notes").out


def test_sentences_break_between_words(notes: Shell) -> None:
    """
    On a narrow terminal a message is broken where a space is.
    """
    seen = notes.typed("show", "notes", "--from", "99", columns=40, NO_COLOR="1")

    assert [
        "holdfast: Position 99 is beyond the end",
        "of the log, which is at 4.",
        "Give one up to 4. What a viewer showed",
        "after that was never acknowledged.",
    ] == seen.text.splitlines()


@pytest.mark.parametrize(("text", "shown"), [("a\nb\tc", "a␊b␉c"), ("\x1b", "␛"), ("\u202e", "\ufffd"), ("日", "日")])
def test_flat_text_is_one_line(text: str, shown: str) -> None:
    """
    What goes into a line cannot end it.
    """
    assert shown == flat(text)


def test_escapes_in_json_mean_the_same() -> None:
    """
    JSON on a terminal is still that JSON.
    """
    assert r'"\u009b\u202e\ud800 \udb40\udc41 日"' == escaped('"\x9b\u202e\ud800 \U000e0041 日"')
