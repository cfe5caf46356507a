"""Events as JSON: every event, with every field, for any encoder."""

import json
from typing import get_args

import pytest

from holdfast import Text, TurnEnded, Usage, UserSaid, open_volatile
from holdfast.agent.events import (
    Answered,
    Appended,
    Asked,
    CallStreamed,
    Compacting,
    ConversationClosed,
    Event,
    FellBack,
    Noticed,
    Resync,
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
from holdfast.hosts.json_events import frame, name_of
from holdfast.ids import CallId, Position

CALL = CallId("c1")
EVENTS: dict[type[object], Event] = {
    type(event): event
    for event in (
        TurnBegan(model="small"),
        StepBegan(step=1, model="small", tokens=10, room=100, notes=("left out",)),
        TextStreamed(text="words"),
        ThinkingStreamed(text="hm"),
        CallStreamed(index=0, name="look", characters=3),
        Retrying(attempt=1, attempts=5, seconds=1.5, why="503"),
        FellBack(model="other", why="503"),
        Compacting(why="asked"),
        WindowCompacted(stage="summary", before=10, after=5),
        ToolBegan(call=CALL, name="look", title="look around"),
        ToolTold(call=CALL, text="looking"),
        Asked(question=Question(id="1", ask=Ask(tool="look", subjects=("a", "b"), title="look"))),
        Answered(id="1"),
        Noticed(text="by the way"),
        ConversationClosed(why="taken_over", holder="process 7"),
        Resync(position=Position(7)),
        TurnOver(ended=TurnEnded(why="answered", usage=Usage(input_tokens=1))),
    )
}


@pytest.mark.parametrize("kind", [each for each in get_args(Event) if each is not Appended])
def test_every_event_can_be_sent_with_all_its_fields(kind: type[object]) -> None:
    """
    A new event fails here until somebody has seen what becomes of it.
    """
    event = EVENTS[kind]
    sent = json.loads(json.dumps(frame(event)))

    assert name_of(type(event)) == sent.pop("event")
    assert set(event.__struct_fields__) == set(sent)


def test_what_is_inside_is_an_object_too() -> None:
    """
    A question has its call, a turn's end what it used.
    """
    asked = json.loads(json.dumps(frame(EVENTS[Asked])))
    over = json.loads(json.dumps(frame(EVENTS[TurnOver])))

    assert ["a", "b"] == asked["question"]["ask"]["subjects"]
    assert ("answered", 1) == (over["ended"]["why"], over["ended"]["usage"]["input_tokens"])


async def test_an_entry_is_sent_as_it_stands_in_the_log() -> None:
    """
    With its position and kind.
    """
    async with open_volatile().session("talk") as session:
        await session.append(UserSaid(parts=(Text(text="hello"),)))
        records = [record async for record in session.read()]
    sent = frame(Appended(record=records[-1]))

    assert "appended" == sent["event"]
    assert json.loads(records[-1].raw) == sent["entry"]


def test_names_are_words() -> None:
    """
    In the usual form of JSON.
    """
    assert "turn_began" == name_of(TurnBegan)
    assert len(get_args(Event)) == len({name_of(each) for each in get_args(Event)})
