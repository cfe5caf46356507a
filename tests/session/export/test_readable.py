"""What a person sees of each kind of entry."""

from datetime import UTC, datetime

import msgspec
import pytest

from holdfast.ids import BlobId, CallId, FactId, Position, SessionKey
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
    Fork,
    GoalAmended,
    GoalEnded,
    GoalProgressed,
    GoalSet,
    GoalStatusChanged,
    GoalVerified,
    HookRan,
    Import,
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
from holdfast.records.facts import AddFact, Consolidated, Forgotten, MemoryShown, RetractFact
from holdfast.records.parts import Blob, Source, Text, Thinking, ToolCall
from holdfast.session.export.readable import Attached, ReadableDetail, ReadableMessage, ReadableText, blobs_of, shown

BLOB = Blob(blob=BlobId("a" * 64), media_type="text/plain", size=3)
HELLO = (Text(text="hello"),)
SAID = (ReadableText(text="hello"),)
KEY = SessionKey("notes")
CALL = CallId("c1")
AT = Position(4)
WHEN = datetime(2026, 11, 20, 8, tzinfo=UTC)
DUE = datetime(2026, 11, 19, 9, tzinfo=UTC)

SHOWN: tuple[tuple[Entry, ReadableMessage | None], ...] = (
    (UserSaid(parts=HELLO), ReadableMessage(who="You", pieces=SAID)),
    (UserSaid(parts=HELLO, source=Source(host="web")), ReadableMessage(who="You", note="web", pieces=SAID)),
    (
        UserSaid(parts=HELLO, source=Source(host="web", sender="bob")),
        ReadableMessage(who="You", note="web bob", pieces=SAID),
    ),
    (ModelReplied(parts=HELLO, model="m"), ReadableMessage(who="Model", note="m", pieces=SAID)),
    (ModelReplied(parts=HELLO, stop="called"), ReadableMessage(who="Model", pieces=SAID)),
    (ModelReplied(parts=HELLO, stop="interrupted"), ReadableMessage(who="Model", note="interrupted", pieces=SAID)),
    (
        ModelReplied(parts=(Thinking(text="hm"), ToolCall(id=CALL, name="ls", arguments="{}"), BLOB)),
        ReadableMessage(
            who="Model",
            pieces=(
                ReadableDetail(title="thinking", text="hm"),
                ReadableDetail(title="calls ls", text="{}"),
                Attached(blob=BLOB),
            ),
        ),
    ),
    (
        ToolFinished(call=CALL, name="ls", parts=(*HELLO, BLOB), milliseconds=9),
        ReadableMessage(
            who="Tool ls", note="ok, 9 ms", pieces=(ReadableDetail(title="result", text="hello"), Attached(blob=BLOB))
        ),
    ),
    (ToolFinished(call=CALL, name="ls", outcome="denied"), ReadableMessage(who="Tool ls", note="denied")),
    (Delivered(parts=HELLO), ReadableMessage(who="Model", note="unasked", pieces=SAID)),
    (
        Delivered(parts=HELLO, to=Source(host="mail")),
        ReadableMessage(who="Model", note="unasked, to mail", pieces=SAID),
    ),
    (CommandRan(command="/x"), ReadableMessage(who="Command", note="/x")),
    (
        CommandRan(command="/x", output="y"),
        ReadableMessage(who="Command", note="/x", pieces=(ReadableDetail(title="output", text="y"),)),
    ),
    (
        Compacted(summary="s", first=Position(1), last=AT, verbatim_from=Position(5)),
        ReadableMessage(who="Summary", note="stands for 1 to 4", pieces=(ReadableDetail(title="summary", text="s"),)),
    ),
    (
        WakeSet(due=WHEN, why="look again"),
        ReadableMessage(who="To be woken at 2026-11-20 08:00 UTC", note="look again"),
    ),
    (WakeEnded(wake=AT), ReadableMessage(who="Woken")),
    (WakeEnded(wake=AT, why="cancelled"), ReadableMessage(who="Not to be woken any more: 4")),
    (HookRan(on="turn_end", hook="h"), ReadableMessage(who="Hook h", note="turn_end")),
    (
        HookRan(on="before_tool", hook="h", call=CALL, outcome="denied", text="no", arguments="{}"),
        ReadableMessage(
            who="Hook h",
            note="before_tool, denied",
            pieces=(ReadableDetail(title="said", text="no"), ReadableDetail(title="arguments", text="{}")),
        ),
    ),
    (FileChanged(call=CALL, path="a", before=BLOB, after=BLOB.blob), ReadableMessage(who="Changed a")),
    (FileChanged(call=CALL, path="a", after=BLOB.blob), ReadableMessage(who="Created a")),
    (FileChanged(path="a", before=BLOB), ReadableMessage(who="Removed a", note="by a rewind")),
    (PermissionAsked(call=CALL, question="1.0", tool="ls", title="ls /"), ReadableMessage(who="Asked", note="ls /")),
    (
        PermissionDecided(
            call=CALL, question="1.0", allowed=True, always="session", by=Source(host="web", sender="bob")
        ),
        ReadableMessage(who="Allowed", note="for this session, by web bob"),
    ),
    (
        PermissionDecided(call=CALL, question="1.0", allowed=False, text="look first"),
        ReadableMessage(who="Not allowed", note="look first"),
    ),
    (QuestionAsked(call=CALL, question="1.0.1", text="Which?"), ReadableMessage(who="Asked", note="Which?")),
    (QuestionAnswered(call=CALL, question="1.0.1", text="red"), ReadableMessage(who="Answered", note="red")),
    (
        QuestionAnswered(call=CALL, question="1.0.1", text="red", by=Source(host="web", sender="bob")),
        ReadableMessage(who="Answered", note="by web bob, red"),
    ),
    (TurnEnded(), None),
    (TurnEnded(why="failed", note="500"), ReadableMessage(who="Turn ended: failed", note="500")),
    (Opened(key=KEY), ReadableMessage(who="Began")),
    (Opened(key=KEY, origin=Fork(key=KEY, pos=AT)), ReadableMessage(who="Forked from notes at 4")),
    (Opened(key=KEY, origin=Import(file="a.json", format="old")), ReadableMessage(who="Imported from a.json (old)")),
    (Described(), ReadableMessage(who="Described")),
    (Described(title="T", tags=("a", "b")), ReadableMessage(who="Renamed to T; Tagged a, b")),
    (Described(title="", tags=()), ReadableMessage(who="Title taken away; Tags taken away")),
    (Described(model="m", archived=True), ReadableMessage(who="Model set to m; Archived")),
    (Described(effort="low"), ReadableMessage(who="Thinking set to low")),
    (Described(effort=""), ReadableMessage(who="Thinking left to the model")),
    (Described(workspace="w-1"), ReadableMessage(who="Belongs to a workspace")),
    (Described(workspace=""), ReadableMessage(who="Belongs to no workspace")),
    (Described(owner="alice"), ReadableMessage(who="Belongs to alice")),
    (Described(owner=""), ReadableMessage(who="Belongs to the person of this machine")),
    (Described(archived=False), ReadableMessage(who="Back from the archive")),
    (CompactionUndone(compaction=AT), ReadableMessage(who="Compaction 4 taken back")),
    (Shortened(entries=(AT, Position(5)), keep=400), ReadableMessage(who="Shown shorter to the model: 2")),
    (WindowMoved(start=AT), ReadableMessage(who="The model sees from 4 on")),
    (Pinned(target=AT), ReadableMessage(who="Pinned 4")),
    (Unpinned(target=AT), ReadableMessage(who="Unpinned 4")),
    (TakenBack(message=AT), ReadableMessage(who="Taken back 4")),
    (Rewound(to=AT), ReadableMessage(who="Went back to 4")),
    (GoalSet(objective="win"), ReadableMessage(who="Goal", pieces=(ReadableText(text="win"),))),
    (
        GoalProgressed(notes="n"),
        ReadableMessage(who="Goal", note="progress", pieces=(ReadableDetail(title="notes", text="n"),)),
    ),
    (GoalEnded(verdict="given_up"), ReadableMessage(who="Goal", note="given up")),
    (
        GoalAmended(text="in blue"),
        ReadableMessage(who="Goal", note="amended", pieces=(ReadableDetail(title="amendment", text="in blue"),)),
    ),
    (ScheduleSet(text="Look.", due=DUE), ReadableMessage(who="Scheduled", note="from 2026-11-19 09:00 UTC, Look.")),
    (ScheduleFired(schedule=AT, slot=DUE, late=90), ReadableMessage(who="Schedule 4 said", note="90 s late")),
    (ScheduleFired(schedule=AT, slot=DUE, outcome="skipped"), ReadableMessage(who="Schedule 4 skipped")),
    (ScheduleChanged(schedule=AT, status="paused"), ReadableMessage(who="Schedule 4 paused")),
    (GoalAmended(tokens=5), ReadableMessage(who="Goal", note="amended")),
    (GoalStatusChanged(status="paused", why="budget"), ReadableMessage(who="Goal paused", note="budget")),
    (GoalVerified(verdict="not_met"), ReadableMessage(who="Goal looked at", note="not met")),
    (Described(memory=False), ReadableMessage(who="Memory off")),
    (Described(memory=True), ReadableMessage(who="Memory on")),
    (Consolidated(upto=AT), ReadableMessage(who="Remembered up to 4")),
    (
        Consolidated(upto=AT, facts=(AddFact(section="person", text="a"), RetractFact(fact=FactId("F1")))),
        ReadableMessage(who="Remembered: a"),
    ),
    (Forgotten(facts=(FactId("F1"),)), ReadableMessage(who="Forgotten: 1 facts, 0 passages")),
    (MemoryShown(core=(FactId("F1"),)), ReadableMessage(who="Memory shown to the model: 1 facts")),
    (Unknown(kind="acme.vote"), ReadableMessage(who="Entry acme.vote")),
    (
        Unknown(kind="acme.vote", fields={"n": "é"}),
        ReadableMessage(who="Entry acme.vote", pieces=(ReadableDetail(title="fields", text='{"n": "é"}'),)),
    ),
    (Checkpointed(format=1, state=msgspec.Raw(b"{}")), None),
    (Drafted(reply=AT), None),
    (ToolStarted(call=CALL, name="ls"), None),
)


@pytest.mark.parametrize(("entry", "seen"), SHOWN, ids=[kind_of(entry) for entry, _ in SHOWN])
def test_an_entry_is_shown_in_words(entry: Entry, seen: ReadableMessage | None) -> None:
    """
    Each kind says in a few words what happened, and what only the program needs is left out.
    """
    assert seen == shown(entry)


def test_no_kind_is_forgotten() -> None:
    """
    Every kind that a log can have stands in the examples above.
    """
    assert set(KINDS) <= {kind_of(entry) for entry, _ in SHOWN}


def test_attachments_of_an_entry_are_found() -> None:
    """
    An export knows which attachments it needs before it draws anything.
    """
    assert (BLOB,) == blobs_of(UserSaid(parts=(*HELLO, BLOB)))
    assert () == blobs_of(TurnEnded())
