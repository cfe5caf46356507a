"""What somebody has missed who begins to watch now."""

from holdfast import (
    Appended,
    CallStreamed,
    ModelReplied,
    Noticed,
    RunningReply,
    SessionState,
    StepBegan,
    Text,
    Thinking,
    ToolTold,
    UserSaid,
)
from holdfast.agent.snapshot import Present
from holdfast.ids import CallId, Position
from holdfast.records.codec import encode
from holdfast.records.entries import Entry


def written(entry: Entry) -> Appended:
    """An entry, as it is shown."""
    records, _ = encode([entry], Position(3), 0)
    return Appended(record=records[0])


def test_calls_that_are_being_written_count_until_their_reply_is() -> None:
    """
    Each with how far it is; other notices are of the moment and are not repeated.
    """
    present = Present()
    one, two = (CallStreamed(index=0, name="look", characters=each) for each in (1, 2))
    step = StepBegan(step=1, model="small", tokens=1, room=2)
    for event in (step, one, two, Noticed(text="by the way"), ToolTold(call=CallId("c9"), text="of nobody")):
        present.take(event)
    amid = present.snapshot(SessionState(), running=True)
    present.take(written(UserSaid(parts=(Text(text="and"),))))
    still = present.snapshot(SessionState(), running=True)
    present.take(written(ModelReplied(parts=(Text(text="Well."),))))

    assert (step, two) == amid.moments == still.moments
    assert (step,) == present.snapshot(SessionState(), running=True).moments


def test_a_reply_that_runs_is_cut_where_the_viewer_has_it() -> None:
    """
    In the middle of a part, between parts, or beyond its end; and its events begin there.
    """
    reply = RunningReply(reply=Position(4), parts=(Thinking(text="ab"), Text(text="cd")))

    assert 4 == reply.length
    assert (Thinking(text="b"), Text(text="cd")) == reply.after(1).parts
    assert (Text(text="cd"),) == reply.after(2).parts
    assert (4, ()) == (reply.after(4).offset, reply.after(4).parts)
    assert [("b", 1), ("cd", 2)] == [(event.text, event.offset) for event in reply.after(1).streamed()]
