"""What happened, as lines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from holdfast.agent.events import (
    Appended,
    Asked,
    CallStreamed,
    Compacting,
    Event,
    FellBack,
    Noticed,
    Retrying,
    StepBegan,
    TextStreamed,
    ThinkingStreamed,
    ToolBegan,
    ToolTold,
    TurnBegan,
    TurnOver,
    WindowCompacted,
)
from holdfast.agent.permissions import Question
from holdfast.agent.tool import Ask
from holdfast.hosts.terminal.draw.activity import Activity, Look
from holdfast.hosts.terminal.draw.spinner import Spinner
from holdfast.hosts.terminal.draw.theme import DARK, NONE
from holdfast.hosts.terminal.draw.thinking import Mode, ThinkingStream, thinking_lines
from holdfast.ids import BlobId, CallId, Position, SessionKey
from holdfast.records.codec import Record
from holdfast.records.entries import (
    CommandRan,
    Compacted,
    Delivered,
    Entry,
    ModelReplied,
    Opened,
    Rewound,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    UserSaid,
)
from holdfast.records.parts import Blob, Source, Text, Thinking, ToolCall
from holdfast.tools.files.diffs import diff
from holdfast.tools.titles import call_title

ONE = CallId("1")


def _look(width: int = 60, thinking: Mode = "dim") -> Look:
    return Look(theme=NONE, width=width, thinking=thinking)


def _shown(*things: Event | Entry, width: int = 60) -> list[str]:
    activity = Activity(_look(width))
    return [line for thing in things for line in activity.lines_of(thing)]


def _live(entry: Entry) -> Appended:
    return Appended(record=Record(Position(0), b"", entry))


def _said(text: str) -> tuple[Text, ...]:
    return (Text(text=text),)


def _began(title: str, detail: str = "", form: str = "text") -> ToolBegan:
    return ToolBegan(call=ONE, name="tool", title=title, detail=detail, form=form)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (ToolFinished(call=ONE, name="t", milliseconds=300), ["✓ run make test  0.3 s"]),
        (ToolFinished(call=ONE, name="t", milliseconds=20), ["✓ run make test"]),
        (
            ToolFinished(call=ONE, name="t", outcome="error", parts=_said("\nexit code 2\nmore"), milliseconds=1_200),
            ["✗ run make test — exit code 2  1.2 s", "  more"],
        ),
        (
            ToolFinished(call=ONE, name="t", outcome="denied", parts=_said("[not run] The person did not allow it.")),
            ["⊘ run make test — The person did not allow it."],
        ),
        (
            ToolFinished(call=ONE, name="t", outcome="interrupted", parts=_said("[interrupted: not begun]")),
            ["‖ run make test — not begun"],
        ),
        (ToolFinished(call=ONE, name="t", outcome="error"), ["✗ run make test — error"]),
    ],
)
def test_a_call_is_one_line_with_how_it_went(entry: ToolFinished, expected: list[str]) -> None:
    """
    A finished call says what it did, how it ended and how long it took.
    """
    assert expected == _shown(_began("run make test"), _live(entry))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exit code 0\none\n\n\tthree", ["  one", "", "      three"]),
        ("exit code 0\n(no output)", []),
        ("1\n2\n3\n4\n5\n6\n", ["  1", "  2", "  3", "  4", "  5", "  6"]),
        ("1\n2\n3\n4\n5\n6\n7", ["  1", "  2", "  3", "  4", "  5", "  6", "  … 1 more line; /output shows all"]),
        ("\x1b[2Jx" + "y" * 9_000, [f"  \u241b[2Jx{'y' * 32}…"]),
    ],
)
def test_below_a_call_stand_the_first_lines_of_what_it_returned(text: str, expected: list[str]) -> None:
    """
    Six lines, cut to the width, nothing in them obeyed, and how many more there are; none where nothing was written.
    """
    entry = ToolFinished(call=ONE, name="shell", parts=_said(text))

    shown = _shown(_began("run make"), _live(entry), width=40)
    assert ["✓ run make", *expected] == [line.rstrip() for line in shown]


def test_at_forty_columns_a_failure_still_says_why() -> None:
    """
    What failed and why are both said, in two lines where one is too short.
    """
    entry = ToolFinished(call=ONE, name="t", outcome="error", parts=_said("exit code 2 of something"), milliseconds=500)

    assert ["✗ run a command with many words  0.5 s", "  exit code 2 of something"] == _shown(
        _began("run a command with many words"), _live(entry), width=40
    )


def test_an_edit_shows_what_it_changed() -> None:
    """
    A change is counted and shown below its line, once it is made.
    """
    change = diff("a\nb\n", "a\nc\n", "notes.md")
    done = _live(ToolFinished(call=ONE, name="edit_file", parts=_said("Edited.")))

    assert ["✓ edit notes.md  +1 -1", "  1   a", "  2 - b", "  2 + c"] == _shown(
        _began("edit notes.md", change, "diff"), done
    )


def test_a_change_that_was_asked_about_is_not_shown_twice() -> None:
    """
    Who just allowed a change has seen it.
    """
    change = diff("a\n", "b\n", "x")
    ask = Ask(tool="edit_file", subjects=("x",), title="edit x", detail=change, form="diff")
    done = _live(ToolFinished(call=ONE, name="edit_file"))

    assert ["✓ edit x  +1 -1"] == _shown(
        Asked(question=Question(id="q", ask=ask)), _began("edit x", change, "diff"), done
    )


def test_a_call_of_the_past_is_named_by_its_arguments() -> None:
    """
    The log has no titles, so a call of the past says its tool and what it was about.
    """
    reply = ModelReplied(parts=(ToolCall(id=ONE, name="read_file", arguments='{"lines": 3, "path": "a.txt"}'),))

    assert ["✓ read a.txt"] == _shown(reply, ToolFinished(call=ONE, name="read_file"))
    assert "x" == call_title(ToolCall(id=ONE, name="x", arguments="no json"))
    assert "x" == call_title(ToolCall(id=ONE, name="x", arguments="[1]"))


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Retrying(attempt=2, attempts=5, seconds=3.0, why="503"), ["retrying in 3 s: 503 (2 of 5)"]),
        (FellBack(model="b:c", why="503"), ["asking b:c instead: 503"]),
        (Compacting(why="the window is full"), ["making room: the window is full"]),
        (
            WindowCompacted(stage="summary", before=120_000, after=40_000),
            ["made room (summarized): 120k → 40k tokens"],
        ),
        (WindowCompacted(stage="", before=1, after=1), ["no room had to be made"]),
        (WindowCompacted(stage="", before=1, after=1, failure="no model"), ["no room was made: no model"]),
        (
            WindowCompacted(stage="truncation", before=120_000, after=40_000, failure="No model."),
            ["made room (the oldest left out): 120k → 40k tokens;", "  nothing was summarized: No model."],
        ),
        (Noticed(text="Two skills are damaged."), ["Two skills are damaged."]),
        (TurnOver(ended=TurnEnded()), []),
        (TurnOver(ended=TurnEnded(why="cancelled")), ["■ stopped by you"]),
        (TurnOver(ended=TurnEnded(why="cancelled", milliseconds=3_000)), ["■ stopped by you after 3 s"]),
        (TurnOver(ended=TurnEnded(why="cancelled", note="told to leave")), ["■ stopped: told to leave"]),
        (TurnOver(ended=TurnEnded(why="failed", note="no route")), ["✗ the turn failed: no route"]),
        (TurnOver(ended=TurnEnded(why="limit", note="40 steps")), ["■ stopped at a limit: 40 steps"]),
        (TurnOver(ended=TurnEnded(why="interrupted")), ["‖ the turn was broken off"]),
        (TurnBegan(model="m"), []),
        (TextStreamed(text="x"), []),
        (ToolTold(call=ONE, text="x"), []),
    ],
)
def test_what_happens_in_a_turn_is_said(event: Event, expected: list[str]) -> None:
    """
    Waits, other models, compactions and ends are said as they happen; an answer needs no comment.
    """
    assert expected == _shown(event)


def test_what_is_not_in_a_request_is_said_once() -> None:
    """
    A note that every step of a turn repeats is shown with the first.
    """
    step = StepBegan(step=1, model="m", tokens=1, room=2, notes=("a picture: the model takes none",))

    assert ["not sent: a picture: the model takes none"] == _shown(step, step)


def test_a_message_is_echoed_with_what_came_along() -> None:
    """
    A message shows its lines, what is attached, when it will be heard and from whom it came.
    """
    blob = Blob(blob=BlobId("0"), media_type="image/png", size=12_000, name="cat.png")
    said = UserSaid(parts=(Text(text="one\ntwo"), blob), enters="after", source=Source(host="web", sender="alice"))

    assert ["\u203a one", "  two", "  + cat.png (image/png, 12 KB)", "  (queued, from web alice)"] == _shown(said)


def test_a_pasted_file_is_folded() -> None:
    """
    Of a very long message the beginning is echoed.
    """
    lines = _shown(UserSaid(parts=_said("line\n" * 100)))

    assert (25, "  … 77 more lines") == (len(lines), lines[-1])


def test_what_was_streamed_is_not_said_twice() -> None:
    """
    A reply that is written down while one watches was shown already; of the past it is shown whole.
    """
    reply = ModelReplied(parts=(Thinking(text="hm"), Text(text="**Hello**")))

    assert [] == _shown(_live(reply))
    assert ["  hm", "", "Hello"] == _shown(reply)


@pytest.mark.parametrize("stop", ["length", "refused"])
def test_a_reply_that_is_no_whole_one_says_so(stop: str) -> None:
    """
    A reply that was cut or refused is not taken for a whole one.
    """
    reply = ModelReplied(parts=_said("x"), stop="length" if stop == "length" else "refused")

    assert [] != _shown(_live(reply))
    assert ["x", *_shown(_live(reply))] == _shown(reply)


def test_other_entries_are_remarks_of_the_past() -> None:
    """
    Everything in the log that concerns a person can be shown; what only the program needs is not.
    """
    command = CommandRan(command="/context", output="\n".join(map(str, range(12))))

    assert ["/context", "  0"] == _shown(command)[:2]
    assert "  … 4 more lines" == _shown(command)[-1]
    assert ["Went back to 3"] == _shown(Rewound(to=Position(3)))
    assert ["Hello"] == _shown(Delivered(parts=_said("Hello")))
    assert ["Summary (stands for 1 to 2)"] == _shown(
        Compacted(summary="s", first=Position(1), last=Position(2), verbatim_from=Position(3))
    )
    assert [] == _shown(ToolStarted(call=ONE, name="x"))
    assert [] == _shown(_live(command), _live(Opened(key=SessionKey("k"))), _live(TurnEnded(why="failed")))


def test_calls_stand_below_each_other_and_words_apart() -> None:
    """
    An empty line stands between words, and none between calls.
    """
    activity = Activity(_look())
    done = ToolFinished(call=ONE, name="a")
    things: list[Entry] = [
        UserSaid(parts=_said("x")),
        done,
        done,
        ToolStarted(call=ONE, name="a"),
        ModelReplied(parts=_said("y")),
    ]

    assert ["\u203a x", "", "✓ a", "✓ a", "", "y"] == [line for each in things for line in activity.spaced(each)]


hostile = st.text(max_size=60) | st.sampled_from(["\x1b]0;x\x07" * 9, "\u202e", "\x9b2J", "日本語" * 30, "w" * 200])


@given(hostile, st.integers(20, 90))
def test_every_line_fits_and_nothing_is_obeyed(text: str, width: int) -> None:
    """
    Whatever models, tools and logs say, lines fit and move no cursor.
    """
    things: list[Event | Entry] = [
        UserSaid(parts=_said(text), source=Source(host="web", sender=text)),
        ModelReplied(parts=(Text(text=text), Thinking(text=text), ToolCall(id=ONE, name=text, arguments=text))),
        ToolFinished(call=ONE, name=text, outcome="error", parts=_said(text), milliseconds=500),
        _began(text, text, "diff"),
        ToolFinished(call=ONE, name=text),
        CommandRan(command=text, output=text),
        Noticed(text=text),
        Retrying(attempt=1, attempts=2, seconds=1, why=text),
    ]
    lines = _shown(*things, width=width)
    spinner = Spinner()
    spinner.note(_began(text), 0)
    spinner.note(ToolTold(call=ONE, text=text), 0)
    lines.append(spinner.line(100, width, NONE))

    assert [] == [line for line in lines if wcswidth(line) > width]
    assert [] == re.findall("[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e]", "".join(lines))


def test_thinking_is_folded_after_its_first_lines() -> None:
    """
    Of a long thought the beginning is shown, with how much there is and how long it took.
    """
    text = "\n\n".join(f"thought {n}" for n in range(37))

    assert ["  thought 0", "  thought 1", "  thought 2", "  … 34 more lines (thought 12 s)"] == thinking_lines(
        text, 60, NONE, "dim", seconds=12
    )
    assert ["(thought 12 s)"] == thinking_lines(text, 60, NONE, "hide", seconds=12)
    assert 37 == len(thinking_lines(text, 60, NONE, "show"))
    assert [] == thinking_lines(" \n", 60, NONE, "show")


def test_thinking_streams_in_a_few_lines() -> None:
    """
    While a model thinks, the end of it is seen; once it is over, what stays is folded.
    """
    stream = ThinkingStream(60, DARK, "dim")
    for n in range(400):
        stream.feed(f"thought {n}\n")

    assert [DARK.painted("  thought 399", "thinking")] == stream.tail(1)
    assert ([], True) == (stream.tail(0), bool(stream))
    assert DARK.painted("  … 397 more lines (thought 3 s)", "dim") == stream.end(3)[-1]
    assert ([], False) == (stream.end(), bool(stream))


def test_hidden_thinking_is_not_streamed() -> None:
    """
    Who hides thinking sees that it happened, afterwards.
    """
    stream = ThinkingStream(60, NONE, "hide")
    stream.feed("secret")

    assert ([], ["(thought)"]) == (stream.tail(3), stream.end())


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([TurnBegan(model="m")], "waiting for the model 12 s"),
        ([ThinkingStreamed(text="a")], "thinking 12 s"),
        ([TextStreamed(text="a")], "writing 12 s"),
        (
            [CallStreamed(index=0, name="edit_file", characters=2_310)],
            "writing a call to edit_file, 2,310 characters 12 s",
        ),
        ([_began("run make")], "run make 12 s"),
        ([_began("run make"), ToolTold(call=ONE, text="3 of 9")], "run make 12 s · 3 of 9"),
        ([Compacting(why="full")], "making room 12 s"),
        ([Asked(question=Question(id="q"))], "waiting for your answer 12 s"),
        ([Retrying(attempt=1, attempts=5, seconds=3, why="503")], "waiting to ask again: 503 12 s"),
    ],
)
def test_the_spinner_says_what_is_going_on(events: list[Event], expected: str) -> None:
    """
    At any moment one line says what is done, and since when.
    """
    spinner = Spinner()
    for event in events:
        spinner.note(event, 100.0)

    assert expected == spinner.line(112.0, 80, NONE)[2:]
    assert " 12 s" in spinner.line(112.0, 40, NONE)


def test_the_spinner_counts_from_the_beginning_of_a_thing() -> None:
    """
    More of the same does not begin anew; something else does, and calls at the same time are counted.
    """
    spinner = Spinner()
    spinner.note(TurnBegan(model="m"), 0)
    for now in range(1, 10):
        spinner.note(CallStreamed(index=0, name="x", characters=now), now)
    assert "writing a call to x, 9 characters 9 s" == spinner.line(10, 80, NONE)[2:]

    spinner.note(ToolBegan(call=ONE, name="a", title="read a"), 10)
    spinner.note(ToolBegan(call=CallId("2"), name="b", title="read b"), 10)
    assert "read a and 1 more 2 s" == spinner.line(12, 80, NONE)[2:]

    spinner.note(_live(ToolFinished(call=ONE, name="a")), 13)
    assert "read b" == spinner.line(13, 80, NONE)[2:]
    assert 13 == spinner.elapsed(13)


def test_what_a_tool_told_has_a_line_of_its_own_where_it_must() -> None:
    """
    At 40 columns the last line of a command is not pushed out by the command itself.
    """
    spinner = Spinner()
    for event in (TurnBegan(model="m"), _began("run a command with many words"), ToolTold(call=ONE, text="half done")):
        spinner.note(event, 0.0)

    assert ["⠋ run a command with many words · half done"] == spinner.lines(0.0, 80, NONE)
    assert ["  · half done"] == spinner.lines(0.0, 34, NONE)[1:]
