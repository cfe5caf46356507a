"""The units of a conversation, kept up to date record by record."""

from holdfast.context.timeline import Timeline
from holdfast.context.units import Composer, Size, size_of
from holdfast.ids import CallId, Position
from holdfast.model.protocol import Message
from holdfast.records.entries import CommandRan, CompactionUndone, Entry, Shortened, ToolStarted, TurnEnded
from holdfast.session.recovery import MAY_HAVE_RUN, NOT_RUN
from tests.context.words import asked, composer, delivered, gave, queued, shown, timeline
from tests.session.talk import at, records_of, replied, said


def starts(made: Timeline) -> list[int]:
    """Where a window may begin, by position."""
    return [made.units()[cut].first for cut in made.cuts()]


def test_what_was_said_and_done_is_shown_in_its_order() -> None:
    """
    What is no message (commands, marks of turns) is not there.
    """
    made = timeline(
        said("list"), asked("a"), ToolStarted(call=CallId("a"), name="shell"), gave("a"), replied("so"), TurnEnded(),
        CommandRan(command="/help"), delivered("by the way"),
    )  # fmt: skip

    assert ["user: list", "assistant: shell!", "tool: done", "assistant: so", "assistant: by the way"] == shown(made)


def test_a_result_belongs_to_the_reply_that_asked_for_it() -> None:
    """
    A result that nobody asked for is nowhere, and so is the start of such a call.
    """
    orphans: list[Entry] = [gave("a"), ToolStarted(call=CallId("a"), name="shell")]

    assert [] == shown(timeline(*orphans))
    assert ["assistant: no"] == shown(timeline(replied("no"), *orphans))


def test_an_id_that_is_used_again_in_a_later_turn_is_another_call() -> None:
    """
    The result of the later call is not mistaken for one of the earlier.
    """
    made = timeline(asked("a"), gave("a", "first"), asked("a"), gave("a", "second"))
    calls = [message.call for unit in made.units() for message in unit.messages if hasattr(message, "call")]

    assert ["assistant: shell!", "tool: first", "assistant: shell!", "tool: second"] == shown(made)
    assert ["call_0_0", "call_2_0"] == calls


def test_a_call_without_a_result_has_one_that_says_so() -> None:
    """
    It is there as soon as the call is, and says whether the call had begun.
    """
    begun = timeline(asked("a"), ToolStarted(call=CallId("a"), name="shell"))

    assert f"tool: {NOT_RUN}" == shown(timeline(asked("a")))[-1]
    assert f"tool: {MAY_HAVE_RUN}" == shown(begun)[-1]


def test_what_is_said_for_the_next_step_enters_behind_the_results() -> None:
    """
    It is in the very next request, and stays where it was heard.
    """
    facts: list[Entry] = [said("go"), asked("a"), queued("stop that", "step"), gave("a")]
    waiting = timeline(*facts)
    heard = timeline(*facts, replied("I stop."))

    assert ["user: go", "assistant: shell!", "tool: done", "user: stop that"] == shown(waiting)
    assert [*shown(waiting), "assistant: I stop."] == shown(heard)


def test_what_is_said_for_after_the_turn_enters_after_the_turn() -> None:
    """
    The running turn does not see it; the next one begins with it.
    """
    facts: list[Entry] = [said("go"), queued("and then", "after"), replied("gone")]

    assert ["user: go", "assistant: gone"] == shown(timeline(*facts))
    assert ["user: go", "assistant: gone", "user: and then"] == shown(timeline(*facts, TurnEnded()))
    assert ["user: go", "assistant: gone", "user: and then", "user: hey"] == shown(timeline(*facts, said("hey")))


def test_what_is_said_for_later_while_no_turn_runs_enters_at_once() -> None:
    """
    There is nothing to wait for.
    """
    assert ["user: hello"] == shown(timeline(queued("hello", "after")))


def test_a_message_is_counted_when_somebody_asks_and_not_at_every_record() -> None:
    """
    A reply that calls many tools is as quick to read as many replies.
    """
    counted: list[Message] = []

    def cost(message: Message) -> int:
        counted.append(message)
        return 1

    made = Timeline(Composer(cost))
    calls = [f"c{number}" for number in range(50)]
    for record in records_of(said("go"), asked(*calls), *(gave(call) for call in calls)):
        made.add(record)

    assert 52 == made.size().tokens
    assert 52 == sum(len(unit.messages) for unit in made.units())
    assert 52 == len(counted)


def test_the_size_is_that_of_all_units() -> None:
    """
    It is kept up to date and not counted anew, and what waits for the next step counts.
    """
    made = timeline(said("go"), asked("a"), queued("stop that", "step"), gave("a", "one two three"))

    assert size_of(made.units()) == made.size()
    assert Size(tokens=11, messages=4) == made.size()


def test_a_window_may_begin_where_the_log_can_be_read_from() -> None:
    """
    Everything from there on stands behind that position, everything else before it, and it is no delivery.
    """
    made = timeline(
        said("a"), asked("x"), gave("x"), replied("b"), TurnEnded(), delivered("c"), said("d"), replied("e")
    )

    assert [1, 3, 6, 7] == starts(made)


def test_a_window_may_not_begin_behind_what_still_waits() -> None:
    """
    What was said in a turn and is shown later would be lost to who reads from there.
    """
    made = timeline(said("a"), queued("late", "after"), replied("b"), replied("c"))

    assert [] == starts(made)
    made.add(records_of(TurnEnded(), first=4)[0])
    assert [] == starts(made)
    made.add(records_of(said("d"), first=5)[0])
    assert [5] == starts(made)


def test_a_window_may_not_begin_at_what_entered_later_than_it_was_said() -> None:
    """
    Who reads from there lets it in at once, and does not know that it began the turn after the one it was said in.
    """
    made = timeline(said("a"), replied("b"), queued("late", "after"), TurnEnded(), replied("c"), TurnEnded())

    assert ["user: a", "assistant: b", "user: late", "assistant: c"] == shown(made)
    assert [1, 4] == starts(made)


def test_a_window_may_not_begin_behind_words_that_entered_later_and_show_nothing() -> None:
    """
    They keep the turn going, which who reads from there would not know.
    """
    made = timeline(said("a"), replied("b"), queued("", "after"), replied("c"), TurnEnded(), said("d"), TurnEnded())

    assert ["user: a", "assistant: b", "assistant: c", "user: d"] == shown(made)
    assert [1, 5] == starts(made)


def test_a_window_may_not_begin_at_what_waits_for_the_next_step() -> None:
    """
    Who reads from there does not know that a turn runs, and would show it before what comes next.
    """
    made = timeline(said("a"), replied("b"), queued("now then", "step"))

    assert ["user: a", "assistant: b", "user: now then"] == shown(made)
    assert [1] == starts(made)


def test_what_is_shortened_is_shown_cut_and_undone_shown_whole() -> None:
    """
    The newest fact about an entry counts; undoing it lets the one before it count again.
    """
    made = timeline(said("x" * 50), asked("a"), gave("a", "y" * 50))
    whole = shown(made)
    facts = [Shortened(entries=(at(2),), keep=30), Shortened(entries=(at(2), at(0)), keep=0)]
    undone = [
        CompactionUndone(compaction=at(4)),
        CompactionUndone(compaction=at(3)),
        CompactionUndone(compaction=at(9)),
    ]
    seen = []
    for record in records_of(*facts, *undone, first=3):
        made.add(record)
        seen.append((dict(made.shortened), shown(made)))

    assert [{2: 30}, {2: 0, 0: 0}, {2: 30}, {}, {}] == [keep for keep, _ in seen]
    assert "20 characters are not shown" in seen[0][1][2]
    assert "50 characters are not shown" in seen[1][1][2]
    assert seen[0][1] == seen[2][1]
    assert whole == seen[3][1] == seen[4][1]
    assert size_of(made.units()) == made.size()


def test_leaving_out_what_is_before_a_position_forgets_it() -> None:
    """
    Units, size and what was shortened there are those of a session that is read from that position on.
    """
    facts: list[Entry] = [said("one"), replied("two"), Shortened(entries=(at(0),), keep=1), said("three"), asked("a")]
    made = timeline(*facts, gave("a"))
    made.move(at(3), (at(0), at(4)))
    [held] = [unit for pos in (0, 1) if (unit := made.kept(at(pos))) is not None]

    assert ["user: three", "assistant: shell!", "tool: done"] == shown(made)
    assert size_of(made.units()) == made.size()
    assert (3, {}) == (made.start, dict(made.shortened))
    assert "one" in str(held.messages)
    assert [True, False] == [made.knows(at(0)), made.knows(at(1))]


def test_results_still_find_their_reply_after_the_start_moved() -> None:
    """
    A window may move while a call runs; a reply that is left out takes its results with it.
    """
    made = timeline(said("one"), said("two"), asked("a"))
    made.move(at(1), ())
    made.add(records_of(gave("a", "found"), first=3)[0])
    left_out = timeline(asked("a"), said("later"))
    left_out.move(at(1), ())
    left_out.add(records_of(gave("a", "found"), first=2)[0])

    assert ["user: two", "assistant: shell!", "tool: found"] == shown(made)
    assert ["user: later"] == shown(left_out)


def test_an_entry_from_before_the_start_can_be_held() -> None:
    """
    It is known from then on, also if there is nothing in it that can be shown.
    """
    made = Timeline(composer(), at(5))
    for record in records_of(said("first"), TurnEnded()):
        made.hold(record)

    assert [True, True, False] == [made.knows(Position(pos)) for pos in range(3)]
    assert None is made.kept(at(1))


def test_what_we_say_ourselves_is_made_once() -> None:
    """
    The same words cost their counting once.
    """
    made = timeline()

    assert made.note("Go on.") is made.note("Go on.")
    assert made.note("Go on.").tokens == made.cost(made.note("Go on.").messages[0])
