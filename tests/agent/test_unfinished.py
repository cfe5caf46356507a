"""A turn that has no answer, in words for whoever comes back to it."""

import pytest

from holdfast import CommandRan, ModelReplied, Text, ToolCall, ToolFinished, TurnEnded, UserSaid, open_volatile
from holdfast.agent.unfinished import FAR, UnfinishedTurn, unanswered_turn, unfinished_turn
from holdfast.ids import CallId
from holdfast.records.entries import Entry
from holdfast.session.recovery import MAY_HAVE_RUN, NOT_RUN

GO, AGAIN = UserSaid(parts=(Text(text="go"),)), UserSaid(parts=(Text(text="again"),))
OFF = "The last turn was broken off"
PART = ModelReplied(parts=(Text(text="Once"),), stop="interrupted")


@pytest.mark.parametrize(
    ("unfinished", "expected"),
    [
        (UnfinishedTurn(said="go"), "The last turn was broken off before the model answered."),
        (UnfinishedTurn(steps=2), "The last turn was broken off in step 2."),
        (
            UnfinishedTurn(steps=1, begun=("shell", "look"), waiting=("write",)),
            "The last turn was broken off in step 1, while shell, look ran (it may have done something).",
        ),
        (
            UnfinishedTurn(partial="Once", queued=20),
            f"{OFF} in step 1, within a reply; what was shown of it is kept. 20 more messages wait.",
        ),
        (UnfinishedTurn(queued=1), "The last turn was broken off before the model answered. 1 more message waits."),
        (
            UnfinishedTurn(steps=3, how="failed", note="No key.\nSet one."),
            "The last turn failed in step 3: No key. Set one.",
        ),
    ],
)
def test_it_is_told_in_one_line(unfinished: UnfinishedTurn, expected: str) -> None:
    """
    Where it stopped, what may have run, what was kept, what waits.
    """
    assert expected == unfinished.text


async def test_a_reply_that_nobody_asked_for_is_a_turn_too() -> None:
    """
    There is nothing to say of what was said.
    """
    async with open_volatile().session("talk") as session:
        await session.append(PART)

        assert UnfinishedTurn(steps=1, partial="Once") == await unfinished_turn(session)


async def test_what_was_gone_back_from_does_not_count() -> None:
    """
    Only the branch that is gone on with.
    """
    async with open_volatile().session("talk") as session:
        await session.append(GO)
        here = session.state.head
        await session.append(ModelReplied(parts=(Text(text="Gone."),)), TurnEnded(), AGAIN, PART)
        await session.rewind(here)
        await session.append(PART)

        assert UnfinishedTurn(said="go", steps=1, partial="Once") == await unfinished_turn(session)


async def test_the_beginning_of_a_turn_is_not_looked_for_for_ever() -> None:
    """
    What was said very long ago is not told.
    """
    async with open_volatile().session("talk") as session:
        await session.append(GO, *[CommandRan(command="/x", output="")] * FAR)

        assert UnfinishedTurn() == await unfinished_turn(session)


def _result(text: str) -> ToolFinished:
    return ToolFinished(call=CallId("c"), name="shell", outcome="interrupted", parts=(Text(text=text),))


LATER = UserSaid(parts=(Text(text="faster"),), enters="step")
CUT = ModelReplied(parts=(Text(text="Once"),), stop="cancelled")
STEP = ModelReplied(parts=(Text(text="Let me see."), ToolCall(id=CallId("c"), name="shell")))


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ((), None),
        ((GO,), None),
        ((GO, STEP, TurnEnded()), None),
        ((GO, TurnEnded(why="cancelled"), AGAIN, STEP, TurnEnded()), None),
        ((GO, STEP, TurnEnded(), AGAIN, STEP), None),
        (
            (GO, TurnEnded(why="cancelled", note="told to leave")),
            UnfinishedTurn(how="was stopped", note="told to leave"),
        ),
        (
            (GO, STEP, LATER, CUT, TurnEnded(why="cancelled"), CommandRan(command="/x", output="")),
            UnfinishedTurn(how="was stopped", steps=2, partial="Once"),
        ),
        (
            (AGAIN, STEP, TurnEnded(), GO, STEP, _result(MAY_HAVE_RUN), _result(NOT_RUN), TurnEnded(why="failed")),
            UnfinishedTurn(how="failed", steps=1, begun=("shell",)),
        ),
        (
            (GO, STEP, TurnEnded(), CUT, TurnEnded(why="limit")),
            UnfinishedTurn(how="reached a limit", steps=1, partial="Once"),
        ),
    ],
)
async def test_the_end_of_the_last_turn_is_told(entries: tuple[Entry, ...], expected: UnfinishedTurn | None) -> None:
    """
    Unless it was answered; a turn that is not over has no end, and one before it does not count.
    """
    async with open_volatile().session("talk") as session:
        await session.append(*entries, CommandRan(command="/status", output=""))

        assert expected == await unanswered_turn(session)
