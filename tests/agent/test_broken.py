"""A turn that was broken off, in words for whoever comes back to it."""

import pytest

from holdfast import CommandRan, ModelReplied, Text, TurnEnded, UserSaid, open_volatile
from holdfast.agent.broken import FAR, Broken, broken_turn

GO, AGAIN = UserSaid(parts=(Text(text="go"),)), UserSaid(parts=(Text(text="again"),))
OFF = "The last turn was broken off"
PART = ModelReplied(parts=(Text(text="Once"),), stop="interrupted")


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (Broken(said="go"), "The last turn was broken off before the model answered."),
        (Broken(steps=2), "The last turn was broken off in step 2."),
        (
            Broken(steps=1, begun=("shell", "look"), waiting=("write",)),
            "The last turn was broken off in step 1, while shell, look ran (it may have done something).",
        ),
        (
            Broken(partial="Once", queued=20),
            f"{OFF} in step 1, within a reply; what was shown of it is kept. 20 more messages wait.",
        ),
        (Broken(queued=1), "The last turn was broken off before the model answered. 1 more message waits."),
    ],
)
def test_it_is_told_in_one_line(broken: Broken, expected: str) -> None:
    """
    Where it stopped, what may have run, what was kept, what waits.
    """
    assert expected == broken.text


async def test_a_reply_that_nobody_asked_for_is_a_turn_too() -> None:
    """
    There is nothing to say of what was said.
    """
    async with open_volatile().session("talk") as session:
        await session.append(PART)

        assert Broken(steps=1, partial="Once") == await broken_turn(session)


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

        assert Broken(said="go", steps=1, partial="Once") == await broken_turn(session)


async def test_the_beginning_of_a_turn_is_not_looked_for_for_ever() -> None:
    """
    What was said very long ago is not told.
    """
    async with open_volatile().session("talk") as session:
        await session.append(GO, *[CommandRan(command="/x", output="")] * FAR)

        assert Broken() == await broken_turn(session)
