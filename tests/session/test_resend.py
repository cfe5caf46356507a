"""A message that is sent again is one message, however late."""

import pytest

from holdfast import BadInput, UserSaid, open_volatile
from holdfast.ids import ClientId, Position
from holdfast.records.parts import Text
from holdfast.session.state import CLIENT_IDS


def message(name: str, text: str = "Hello.") -> UserSaid:
    """A message of a client."""
    return UserSaid(parts=(Text(text=text),), client_id=ClientId(name))


async def test_a_resend_is_known_for_ever_to_who_says_since_when() -> None:
    """
    An id that is not among the newest any more is found behind the position that its client had.
    """
    async with open_volatile() as store, store.session("talk") as session:
        first = await session.append(message("old"))
        assert await session.said_at(message("new"), first) is None  # all ids are known as yet
        for number in range(CLIENT_IDS):
            await session.append(message(f"m{number}"))

        assert first == await session.said_at(message("old"), first - 1)
        assert await session.said_at(message("old")) is None
        assert await session.said_at(message("never"), Position(0)) is None
        assert session.state.said[3].pos == await session.said_at(message("m3"), first)
        with pytest.raises(BadInput, match=f"used before at position {first}, with other words"):
            await session.said_at(message("old", "Other words."), -1)
