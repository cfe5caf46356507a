"""What an entry names must be there, and a message must say something."""

import pytest

from holdfast.errors import BadInput
from holdfast.ids import BlobId, CallId, ClientId, Position
from holdfast.records.entries import ModelReplied, Pinned, Rewound, ToolFinished, TurnEnded, Unpinned, UserSaid
from holdfast.records.parts import Blob, Text, ToolCall
from holdfast.session.references import must_say_something
from holdfast.session.store import Store
from tests.session.talk import KEY, all_of, said

CALL = ModelReplied(parts=(Text(text="I look."), ToolCall(id=CallId("a"), name="look")), stop="called")
RESULT = ToolFinished(call=CallId("a"), name="look")


async def test_a_client_id_used_again_with_other_words_is_an_error(store: Store) -> None:
    """
    At once, after the session was opened again, and among entries that are written together; nothing is written.
    """
    async with store.session(KEY) as session:
        await session.say("hello", client_id="m-1")
        with pytest.raises(BadInput, match="'m-1' was used before at position 1, with other words"):
            await session.say("goodbye", client_id="m-1")
    async with store.session(KEY) as session:
        with pytest.raises(BadInput, match="used before"):
            await session.append(said("one"), UserSaid(parts=(), client_id=ClientId("m-1")))
        twice = [UserSaid(parts=(Text(text=text),), client_id=ClientId("m-2")) for text in ("a", "b")]
        with pytest.raises(BadInput, match="'m-2' was used before, with other words"):
            await session.append(*twice)
        assert 1 == session.state.last


async def test_the_same_message_twice_among_others_is_one(store: Store) -> None:
    """
    Entries that are written together hold each client id once, and the answer is where it stands.
    """
    message = UserSaid(parts=(Text(text="hello"),), client_id=ClientId("m-1"))
    async with store.session(KEY) as session:
        assert 1 == await session.append(message, said("more"), message)
        assert 2 == session.state.last


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
async def test_an_empty_text_is_refused_where_it_is_said(store: Store, text: str) -> None:
    """
    No provider takes a message without words, so it never gets into the log; an attachment is enough.
    """
    async with store.session(KEY) as session:
        with pytest.raises(BadInput, match="the text is empty"):
            await session.say(text)
        assert 0 == session.state.last
        must_say_something((Text(text=text), await session.attach(b"x", media_type="image/png")))


async def test_a_pin_of_what_does_not_exist_is_refused(store: Store) -> None:
    """
    Beyond the end, below 0, and in entries written together: what comes later is not there yet.
    """
    async with store.session(KEY) as session:
        await session.append(said("one"), Pinned(target=Position(1)), Unpinned(target=Position(1)))
        for entry in (Pinned(target=Position(9)), Pinned(target=Position(-1)), Unpinned(target=Position(9))):
            with pytest.raises(BadInput, match="Positions go from 0 to 3 here"):
                await session.append(entry)
        with pytest.raises(BadInput, match="no entry at position 4"):
            await session.append(Pinned(target=Position(4)), said("two"))
        assert 4 == await session.append(Pinned(target=Position(0)))


async def test_a_result_of_a_call_that_nobody_made_is_refused(store: Store) -> None:
    """
    A result that is late, that comes twice, or whose call stands on another branch has a call in the log.
    """
    async with store.session(KEY) as session:
        with pytest.raises(BadInput, match="no call 'a' that 'look' could have answered"):
            await session.append(RESULT)
        assert [0] == [record.pos for record in await all_of(session.read())]
        await session.append(CALL, RESULT)
        await session.append(TurnEnded())
        await session.append(RESULT)
        await session.append(Rewound(to=Position(0)), RESULT)


async def test_nothing_can_be_answered_in_a_log_without_entries(store: Store) -> None:
    """
    The first entry of a session cannot be a result either.
    """
    async with store.session(KEY) as session:
        with pytest.raises(BadInput, match="no call"):
            await session.append(said("go"), ToolFinished(call=CallId("b"), name="look"))


def test_an_attachment_alone_says_something() -> None:
    """
    A picture needs no words.
    """
    must_say_something((Blob(blob=BlobId("0" * 64), media_type="image/png", size=1),))
    with pytest.raises(BadInput):
        must_say_something(())
