"""Words: what of an entry can be found again."""

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given

from holdfast.ids import BlobId, CallId, FactId, SessionKey
from holdfast.records.entries import (
    KINDS,
    Checkpointed,
    CommandRan,
    Compacted,
    CompactionUndone,
    Delivered,
    Described,
    Drafted,
    Entry,
    FileChanged,
    GoalAmended,
    GoalEnded,
    GoalProgressed,
    GoalSet,
    GoalStatusChanged,
    GoalVerified,
    HookRan,
    ModelReplied,
    Opened,
    PermissionAsked,
    PermissionDecided,
    Pinned,
    QuestionAnswered,
    QuestionAsked,
    Rewound,
    ScheduleChanged,
    ScheduleFired,
    ScheduleSet,
    Shortened,
    TakenBack,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Unknown,
    Unpinned,
    UserSaid,
    WakeEnded,
    WakeSet,
    WindowMoved,
    kind_of,
)
from holdfast.records.facts import Consolidated, Forgotten, MemoryShown
from holdfast.records.parts import Blob, Text, Thinking, ToolCall
from holdfast.session.search_text import SearchText, words
from tests.records.drawn import ENTRIES
from tests.session.talk import at, said

TEXT = (Text(text="words"),)
FOUND: list[tuple[Entry, str, str]] = [
    (UserSaid(parts=TEXT), "user", "words"),
    (ModelReplied(parts=TEXT), "model", "words"),
    (ToolFinished(call=CallId("1"), name="t", parts=TEXT), "tool", "words"),
    (Delivered(parts=TEXT), "delivered", "words"),
    (CommandRan(command="/model", output="m"), "command", "/model\nm"),
    (Described(title="words"), "title", "words"),
    (Compacted(summary="words", first=at(0), last=at(0), verbatim_from=at(1)), "summary", "words"),
    (GoalSet(objective="words"), "goal", "words"),
    (GoalProgressed(notes="words"), "goal", "words"),
    (GoalAmended(text="words"), "goal", "words"),
    (ScheduleSet(text="words", due=datetime(2026, 11, 19, tzinfo=UTC)), "schedule", "words"),
    (GoalEnded(verdict="reached", notes="words"), "goal", "words"),
]
SILENT: list[Entry] = [
    Opened(key=SessionKey("k")),
    TurnEnded(note="words"),
    Described(tags=("words",)),
    Unknown(kind="acme.vote", fields={"text": "words"}),
    said(" \n"),
    UserSaid(parts=()),
    ToolStarted(call=CallId("1"), name="words"),
    FileChanged(path="words"),
    GoalStatusChanged(status="paused", note="words"),
    GoalVerified(verdict="met", why="words"),
    HookRan(on="turn_start", hook="h", text="words"),
    PermissionAsked(call=CallId("1"), question="1.0", tool="t", title="words"),
    PermissionDecided(call=CallId("1"), question="1.0", allowed=False, text="words"),
    QuestionAsked(call=CallId("1"), question="1.0.1", text="words"),
    QuestionAnswered(call=CallId("1"), question="1.0.1", text="words"),
    Shortened(entries=(at(0),), keep=1),
    CompactionUndone(compaction=at(0)),
    WindowMoved(start=at(0)),
    Pinned(target=at(0)),
    Unpinned(target=at(0)),
    TakenBack(message=at(0)),
    Rewound(to=at(0)),
    WakeSet(due=datetime(2026, 11, 19, tzinfo=UTC)),
    WakeEnded(wake=at(0)),
    ScheduleFired(schedule=at(0), slot=datetime(2026, 11, 19, tzinfo=UTC)),
    ScheduleChanged(schedule=at(0), status="paused"),
    Consolidated(upto=at(0), day="words"),
    Forgotten(facts=(FactId("F1"),)),
    MemoryShown(core=()),
    Checkpointed(format=1, state=msgspec.Raw(b"{}")),
    Drafted(reply=at(0), text="words"),
]


@pytest.mark.parametrize(("entry", "role", "text"), FOUND)
def test_everything_said_has_its_words_and_its_speaker(entry: Entry, role: str, text: str) -> None:
    """
    Whoever said it, it can be found, and it is known who said it.
    """
    assert SearchText(role=role, text=text) == words(entry)


@pytest.mark.parametrize("entry", SILENT)
def test_the_rest_says_nothing(entry: Entry) -> None:
    """
    What has no words is not in the index.
    """
    assert words(entry) is None


def test_no_kind_is_forgotten() -> None:
    """
    Every kind that a log can have stands in the examples above.
    """
    assert set(KINDS) <= {kind_of(entry) for entry in (*(entry for entry, _, _ in FOUND), *SILENT)}


def test_every_part_is_found() -> None:
    """
    Thinking, calls with their arguments, file names and previews are words too.
    """
    blob = Blob(blob=BlobId("0" * 64), media_type="text/plain", size=1, name="tide.txt", preview="14:10")
    picture = Blob(blob=BlobId("0" * 64), media_type="image/png", size=1)
    call = ToolCall(id=CallId("1"), name="read", arguments='{"path":"x"}')
    entry = ModelReplied(parts=(Thinking(text="hm"), call, blob, picture))

    assert SearchText(role="model", text='hm\nread {"path":"x"}\ntide.txt 14:10\n') == words(entry)


@given(ENTRIES)
def test_words_are_never_empty(entry: Entry) -> None:
    """
    Whatever an entry says, there are words in it or there is nothing.
    """
    found = words(entry)

    assert found is None or (found.role != "" and found.text.strip() != "")
