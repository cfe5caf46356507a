"""Units: what is in a window whole or not at all."""

from holdfast.context.units import Size, Unit, UnitRecords, size_of
from holdfast.ids import CallId
from holdfast.model.protocol import AssistantMessage, ToolMessage, UserMessage
from holdfast.records.codec import Record
from holdfast.records.entries import (
    CommandRan,
    Compacted,
    Entry,
    ModelReplied,
    ToolFinished,
    ToolStarted,
    UserSaid,
)
from holdfast.records.parts import Text, Thinking, ToolCall
from holdfast.session.recovery import MAY_HAVE_RUN, NOT_RUN
from tests.context.words import PICTURE, asked, composer, delivered, gave, spoken
from tests.session.talk import at, called, records_of, replied, said


def record_of(entry: Entry, pos: int = 3) -> Record:
    """An entry somewhere in a log."""
    return records_of(entry, first=pos)[0]


def unit_of(entry: Entry, *, timestamps: bool = False) -> Unit | None:
    """The unit of an entry alone."""
    return composer(timestamps=timestamps).unit(UnitRecords(record_of(entry)))


def lines(unit: Unit | None) -> list[str]:
    """What a unit says."""
    return [] if unit is None else spoken(unit.messages)


def test_a_unit_knows_its_kind_its_place_and_its_cost() -> None:
    """
    Who chooses what fits looks at these alone.
    """
    expected = Unit(
        first=at(3),
        last=at(3),
        messages=(UserMessage(parts=(Text(text="one two"),), pos=at(3)),),
        tokens=3,
        kind="user",
    )

    assert expected == unit_of(said("one two"))
    assert ["reply", "delivery"] == [unit.kind for each in (replied("a"), delivered("b")) if (unit := unit_of(each))]


def test_command_rows_are_skipped() -> None:
    """
    What a slash command showed is on the timeline for people, and hidden from the model.
    """
    assert None is unit_of(CommandRan(command="/help", output="secret"))
    assert None is composer().kept(record_of(CommandRan(command="/help", output="secret")))


def test_user_turns_have_time_stamps_on_request_and_assistant_turns_never() -> None:
    """
    A model that saw stamps on its own words would begin to write them.
    """
    assert ["user: hello"] == lines(unit_of(said("hello")))
    assert ["user: [2026-11-16 00:00 UTC] hello"] == lines(unit_of(said("hello"), timestamps=True))
    assert ["assistant: hello"] == lines(unit_of(replied("hello"), timestamps=True))
    assert ["assistant: hello"] == lines(unit_of(delivered("hello"), timestamps=True))
    assert [] == lines(unit_of(said(" "), timestamps=True))


def test_an_image_only_message_is_a_message() -> None:
    """
    It is shown as the picture, and where that cannot be shown, as a line that names it.
    """
    maker = composer()
    source = UnitRecords(record_of(UserSaid(parts=(PICTURE,))))
    whole = maker.unit(source)
    maker.keep[at(3)] = 100

    assert ["user: <boat.png>"] == lines(whole)
    assert ["user: [image: boat.png, 2,000 bytes, not shown]"] == lines(maker.unit(source))


def test_an_empty_assistant_turn_vanishes_unless_it_carries_calls_or_reasoning() -> None:
    """
    No provider takes an empty message, and a call or a thought makes it none.
    """
    assert None is unit_of(ModelReplied(parts=()))
    assert None is unit_of(replied("[2026-01-01 00:00 UTC] "))
    assert ["assistant: (hm)"] == lines(unit_of(ModelReplied(parts=(Thinking(text="hm"),))))
    assert ["assistant: shell!", f"tool: {NOT_RUN}"] == lines(unit_of(asked("c")))


def test_a_reply_is_whole_with_exactly_one_result_for_each_call() -> None:
    """
    A result follows for each call, in the order of the calls, whenever they ended.
    """
    reply, first, second = records_of(called("a", "b"), gave("b", "second"), gave("a", "first"), first=3)
    source = UnitRecords(reply)
    source.results = {1: first, 0: second}
    unit = composer().unit(source)

    assert unit is not None
    assert ["assistant: tool! tool!", "tool: first", "tool: second"] == lines(unit)
    assert (3, 5) == (unit.first, unit.last)
    assert ["call_3_0", "call_3_1"] == [each.call for each in unit.messages if isinstance(each, ToolMessage)]


def test_a_call_that_never_finished_gets_the_same_result_every_time() -> None:
    """
    It says whether the call may have run, and depends on nothing but the log, so a cache goes on hitting.
    """
    source = UnitRecords(record_of(called("a", "b")))
    source.started.add(0)
    unit = composer().unit(source)

    assert [f"tool: {MAY_HAVE_RUN}", f"tool: {NOT_RUN}"] == lines(unit)[1:]
    assert unit is not None
    assert [False, False] == [each.ok for each in unit.messages if isinstance(each, ToolMessage)]
    assert unit == composer().unit(source)


def test_ids_are_unique_where_a_provider_used_one_twice() -> None:
    """
    Each of two calls of the same id gets a result of its own, in the order they ended.
    """
    source = UnitRecords(record_of(called("same", "same")))

    assert [0, 0] == [source.call("same"), source.call("same", begun=True)]
    source.started.add(0)
    assert [0, 1] == [source.call("same"), source.call("same", begun=True)]
    source.results[0] = record_of(gave("same"), 4)
    assert [1, 1] == [source.call("same"), source.call("same", begun=True)]
    source.results[1] = record_of(gave("same"), 5)
    assert None is source.call("same")
    assert None is source.call("other")


def test_a_result_that_says_nothing_says_how_the_call_ended() -> None:
    """
    The model must not take silence for success.
    """
    source = UnitRecords(record_of(called("a", "b", "c")))
    source.results = {
        0: record_of(ToolFinished(call=CallId("a"), name="tool"), 4),
        1: record_of(ToolFinished(call=CallId("b"), name="tool", outcome="denied"), 5),
        2: record_of(ToolFinished(call=CallId("c"), name="tool", outcome="error", parts=(Text(text="no disk"),)), 6),
    }
    unit = composer().unit(source)

    assert ["tool: (no output)", "tool: (denied)", "tool: no disk"] == lines(unit)[1:]
    assert unit is not None
    assert [True, False, False] == [each.ok for each in unit.messages if isinstance(each, ToolMessage)]


def test_what_is_shown_away_from_its_place_carries_no_calls() -> None:
    """
    A pinned reply is shown by its words, and a pinned result as something we tell the model.
    """
    maker = composer()
    maker.keep[at(4)] = 0
    kept = [
        maker.kept(record_of(asked("a", text="Let me look."))),
        maker.kept(record_of(asked("a"))),
        maker.kept(record_of(gave("a", "a b c"), 5)),
        maker.kept(record_of(gave("a", "a b c"), 4)),
        maker.kept(record_of(said("hello"))),
        maker.kept(record_of(ToolStarted(call=CallId("a"), name="shell"))),
    ]

    assert ["assistant: Let me look."] == lines(kept[0])
    assert [] == lines(kept[1])
    assert ["user: [kept result of shell] a b c"] == lines(kept[2])
    assert 1 == " ".join(lines(kept[3])).count("5 characters are not shown")
    assert ["user: hello"] == lines(kept[4])
    assert [] == lines(kept[5])


def test_a_summary_says_what_it_stands_for() -> None:
    """
    The model is told which part of the log it reads in other words.
    """
    unit = unit_of(Compacted(summary="A boat was built.", first=at(0), last=at(2), verbatim_from=at(3)))

    assert ["user: [Summary of 0 to 2; the log keeps every word.]\n\nA boat was built."] == lines(unit)


def test_what_we_tell_the_model_ourselves_stands_nowhere_in_the_log() -> None:
    """
    It is told in the place of a user, because every provider takes that anywhere.
    """
    [message] = composer().note("Go on.").messages

    assert UserMessage(parts=(Text(text="Go on."),)) == message
    assert at(-1) == message.pos


def test_an_entry_that_is_shortened_is_shown_cut_wherever_it_stands() -> None:
    """
    A person's words, a reply and a result are each cut to as many characters as the log says.
    """
    maker = composer()
    reply, result = records_of(asked("a", text="x" * 90), gave("a", "y" * 90), first=3)
    source = UnitRecords(reply)
    source.results[0] = result
    maker.keep = {at(3): 20, at(4): 0}
    unit = maker.unit(source)

    assert unit is not None
    assert [AssistantMessage, ToolMessage] == [type(message) for message in unit.messages]
    assert "[… 80 characters are not shown …]" in lines(unit)[0]
    assert "tool: [… 90 characters are not shown …]" == lines(unit)[1]
    assert [ToolCall] == [type(part) for part in unit.messages[0].parts if not isinstance(part, Text)]


def test_sizes_add_up_and_fit_in_both_measures() -> None:
    """
    Tokens and messages are bounds together.
    """
    unit = composer().note("one two")
    size = size_of([unit, unit])

    assert Size(tokens=6, messages=2) == size
    assert Size(tokens=7, messages=5) == size.plus(Size(tokens=1, messages=3))
    assert size.within(Size(tokens=6, messages=2))
    assert not size.within(Size(tokens=5, messages=2))
    assert not size.within(Size(tokens=6, messages=1))
