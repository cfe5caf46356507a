"""Drawing facts: one stretch after the other, each once, whatever the model answers."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from holdfast import ManualClock, ModelError, Refused, Store, Target, Text, Unavailable, UserSaid
from holdfast.errors import Held
from holdfast.ids import CallId, Position
from holdfast.memory.consolidation import OverDailyBudget
from holdfast.memory.settings import MemorySettings
from holdfast.model.protocol import Delta, Request, UserMessage
from holdfast.records.entries import Described, ModelReplied, ToolFinished, TurnEnded
from holdfast.records.facts import Forgotten, ForgottenWords
from holdfast.records.parts import ToolCall, plain_text
from holdfast.session.facts import Scope
from tests.memory.remembering import ME, adding, answer, drawer, facts, remembering, turn


def shown(request: Request) -> str:
    """What the model was shown."""
    (message,) = request.messages
    assert isinstance(message, UserMessage)
    return plain_text(message.parts)


async def test_what_a_person_said_becomes_a_fact_with_its_source(store: Store, clock: ManualClock) -> None:
    """
    The entry has the cursor, the line of the day, the fact with its quote, and what it cost.
    """
    async with store.session("a") as session:
        pos = await turn(session, "Hello! I live in Rome, by the way.")
        model = drawer(answer(adding("Lives in Rome.", pos, "I live in Rome"), day="Said hello."))
        done = await remembering(store, model, clock).consolidation.draw("a", session)

    memory = await store.memory(ME)
    (fact,) = memory.current
    assert ("Lives in Rome.", "I live in Rome", "a", (pos,)) == (fact.text, fact.quote, fact.key, fact.at)
    assert (["Said hello."], False) == ([day.text for day in memory.days], done.more)
    assert memory.used_on(fact.said.date()) > 0
    assert "Entries:\n@1 2026-11-16 00:00 person: Hello!" in shown(model.requests[0])


async def test_each_entry_is_looked_at_once(store: Store, clock: ManualClock) -> None:
    """
    The next stretch begins behind the cursor, with the facts that are known.
    """
    async with store.session("a") as session:
        first = await turn(session, "I live in Rome.")
        model = drawer(answer(adding("Lives in Rome.", first, "I live in Rome")), answer())
        memory = remembering(store, model, clock)
        await memory.consolidation.draw("a", session)
        await turn(session, "And what is the time?")
        await memory.consolidation.draw("a", session)
        nothing = await memory.consolidation.draw("a", session)

    later = shown(model.requests[1])
    assert ("Lives in Rome." in later, "I live in Rome" in later, nothing.entry) == (True, False, None)
    assert 2 == len(model.requests)


async def test_long_stretches_are_taken_in_pieces_of_whole_turns(store: Store, clock: ManualClock) -> None:
    """
    No request is much longer than a piece, and none begins in the middle of a turn.
    """
    async with store.session("a") as session:
        for number in range(6):
            await turn(session, f"{number}: " + "some words " * 1_200)
        model = drawer(*[answer()] * 6)
        memory = remembering(store, model, clock)
        calls = 1
        while (await memory.consolidation.draw("a", session)).more:
            calls += 1

    assert calls == len(model.requests) == 3
    assert ["0: ", "2: ", "4: "] == [shown(each).split("person: ")[1][:3] for each in model.requests]


async def test_what_tools_returned_is_shortened_and_empty_stretches_ask_nobody(
    store: Store, clock: ManualClock
) -> None:
    """
    Context costs little, and where no person said anything the cursor moves alone.
    """
    async with store.session("a") as session:
        await session.append(UserSaid(parts=(Text(text="Look."),)))
        call = ToolCall(id=CallId("1"), name="ls")
        await session.append(ModelReplied(parts=(call,), stop="called"))
        await session.append(ToolFinished(call=CallId("1"), name="ls", parts=(Text(text="x" * 5_000),)))
        await session.append(TurnEnded(), Described(title="t"), TurnEnded())
        model = drawer(answer())
        memory = remembering(store, model, clock)
        await memory.consolidation.draw("a", session)
        await session.append(ModelReplied(parts=(Text(text="Unasked."),)), TurnEnded())
        await memory.consolidation.draw("a", session)

    assert "tool ls: xxx" in shown(model.requests[0])
    assert len(shown(model.requests[0])) < 500
    assert 1 == len(model.requests)
    assert 9 == (await store.state("a")).consolidated


BROKEN = ["no JSON", "[1]", '{"facts": 7}', '```json\n{"facts": \n```', "[" * 100_000, "x" * 300_000]


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[:12])
async def test_an_answer_that_cannot_be_read_is_told_once_and_changes_nothing(
    store: Store, clock: ManualClock, text: str
) -> None:
    """
    The second answer counts; if that is no better, the cursor stays and the next time asks again.
    """
    async with store.session("a") as session:
        pos = await turn(session, "I live in Rome.")
        good = answer(adding("Lives in Rome.", pos, "I live in Rome"))
        model = drawer(text, text, text, f"<think>hm</think>```json\n{good}\n```")
        memory = remembering(store, model, clock)
        with pytest.raises(Unavailable, match="no answer that can be used"):
            await memory.consolidation.draw("a", session)
        assert (-1, []) == (session.state.consolidated, await facts(store))
        await memory.consolidation.draw("a", session)

    assert "Your last answer was not used" in shown(model.requests[1])
    assert ["Lives in Rome."] == await facts(store)


async def test_proposals_fail_one_by_one_with_their_reasons(store: Store, clock: ManualClock) -> None:
    """
    What is not accepted is counted and shown; what is good stands. A secret is not written down again.
    """
    async with store.session("a") as session:
        pos = await turn(session, "I live in Rome. My key is sk-12345.")
        proposals: list[dict[str, object]] = [
            adding("Lives in Rome.", pos, "I live in Rome"),
            adding("Key: sk-12345.", pos, "My key is sk-12345"),
            adding("Lives in Bern.", pos, "I live in Bern"),
            {"op": "retract", "fact": "F0", "quote": "I live in Rome", "at": [pos]},
            {"op": "dance"},
        ]
        model = drawer(answer(*proposals, day="Gave sk-12345."))
        await remembering(store, model, clock).consolidation.draw("a", session)

    memory = await store.memory(ME)
    assert (["Lives in Rome."], ()) == ([fact.text for fact in memory.current], memory.days)
    assert [
        ("it holds what looks like a secret", ""),
        ("the quote is not in the person's own words", "Lives in Bern."),
        ("there is no fact F0", ""),
        ("1 were not written as asked", ""),
    ] == [(each.refused.why, each.refused.text) for each in memory.refusals]


async def test_a_budget_for_the_day_is_kept(store: Store, clock: ManualClock) -> None:
    """
    Before each request its tokens are reserved; what is used up comes back the next day.
    """
    async with store.session("a") as session:
        await turn(session, "I live in Rome.")
        model = drawer("no JSON", "no JSON", answer())
        memory = remembering(store, model, clock, MemorySettings(tokens_per_day=2_800))
        with pytest.raises(Unavailable):
            await memory.consolidation.draw("a", session)
        with pytest.raises(OverDailyBudget, match="tokens that it may use in a day"):
            await memory.consolidation.draw("a", session)
        clock.advance(86_400)
        await memory.consolidation.draw("a", session)

    assert 3 == len(model.requests)
    assert (await store.state("a")).consolidated > 0


async def test_the_model_is_asked_without_the_lease(store: Store, clock: ManualClock) -> None:
    """
    Somebody else may have the session meanwhile; if they went on with it, the answer is for what was there.
    """
    async with store.session("a") as session:
        pos = await turn(session, "I live in Rome.")
    model = drawer(answer(adding("Lives in Rome.", pos, "I live in Rome")))
    memory = remembering(store, model, clock)
    async with store.session("a"):
        with pytest.raises(Held):
            await memory.consolidation.draw("a")
    model = drawer(answer(adding("Lives in Rome.", pos, "I live in Rome")))
    await remembering(store, model, clock).consolidation.draw("a")

    assert ["Lives in Rome."] == await facts(store)


async def test_an_answer_for_a_session_that_went_another_way_is_dropped(store: Store, clock: ManualClock) -> None:
    """
    If the cursor moved or the branch was left, nothing is written, and the next time looks again.
    """
    async with store.session("a") as session:
        await turn(session, "Hello.")
        pos = await turn(session, "I live in Rome.")
        asked, go_on = asyncio.Event(), asyncio.Event()
        model = Waiting(asked, go_on, answer(adding("Lives in Rome.", pos, "I live in Rome")))
        drawing = asyncio.create_task(remembering(store, model, clock).consolidation.draw("a", session))
        await asked.wait()
        await session.rewind(3)
        go_on.set()
        done = await drawing

    assert (None, []) == (done.entry, await facts(store))
    assert -1 == (await store.state("a")).consolidated


class Waiting:
    """A model that answers when it is told to."""

    def __init__(self, asked: asyncio.Event, go_on: asyncio.Event, text: str) -> None:
        self._asked, self._go_on, self._model = asked, go_on, drawer(text)

    @property
    def target(self) -> Target:
        return self._model.target

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        self._asked.set()
        await self._go_on.wait()
        async for delta in self._model.stream(request):
            yield delta


async def test_without_a_model_nothing_is_drawn(store: Store, clock: ManualClock) -> None:
    """
    The cursor stays, so that a model that comes later finds everything.
    """
    async with store.session("a") as session:
        await turn(session, "I live in Rome.")
        done = await remembering(store, None, clock).consolidation.draw("a", session)

    assert (None, -1) == (done.entry, (await store.state("a")).consolidated)


async def test_a_failing_model_raises_what_it_says(store: Store, clock: ManualClock) -> None:
    """
    Whoever asked decides when to try again.
    """
    async with store.session("a") as session:
        await turn(session, "I live in Rome.")
        with pytest.raises(ModelError, match="no credit"):
            await remembering(store, drawer(Refused("no credit")), clock).consolidation.draw("a", session)


async def test_each_scope_has_its_own_facts(store: Store, clock: ManualClock) -> None:
    """
    What one person said is neither shown nor known when facts are drawn for another.
    """
    model = drawer(answer(adding("Lives in Rome.", 2, "I live in Rome")), answer())
    memory = remembering(store, model, clock)
    for key, owner in (("a", "ann"), ("b", "")):
        async with store.session(key) as session:
            await session.append(Described(owner=owner))
            await turn(session, "I live in Rome.")
            await memory.consolidation.draw(key, session)

    assert (["Lives in Rome."], []) == (await facts(store, Scope(owner="ann")), await facts(store))
    assert "Known facts:\n(none)" in shown(model.requests[1])


async def test_a_rewound_branch_is_looked_at_anew(store: Store, clock: ManualClock) -> None:
    """
    A rewind takes the facts out with their entry; what is on the branch that is left is drawn again.
    """
    async with store.session("a") as session:
        pos = await turn(session, "I live in Rome.")
        await turn(session, "I have a cat.")
        end = session.state.last
        proposals = [adding("Lives in Rome.", pos, "I live in Rome"), adding("Has a cat.", 4, "I have a cat")]
        model = drawer(answer(*proposals), answer(proposals[0]))
        memory = remembering(store, model, clock)
        await memory.consolidation.draw("a", session)
        assert 2 == len(await facts(store))
        await session.rewind(end - 3)
        assert [] == await facts(store)
        await memory.consolidation.draw("a", session)

    assert ["Lives in Rome."] == await facts(store)


async def test_the_price_of_a_session_is_known_before(store: Store, clock: ManualClock) -> None:
    """
    Requests and tokens, as a person is asked about them.
    """
    async with store.session("a") as session:
        await turn(session, "word " * 8_000)
        await turn(session, "word " * 8_000)
    memory = remembering(store, drawer(), clock)

    price = await memory.consolidation.price("a")

    assert 2 == price.calls
    assert 14_000 < price.tokens < 30_000


async def test_a_session_that_was_closed_meanwhile_is_drawn_from_once(store: Store, clock: ManualClock) -> None:
    """
    The next stretch begins where the log says, and not where the session was when it was closed.
    """
    async with store.session("a") as session:
        first = await turn(session, f"I live in Rome. {'word ' * 8_000}")
        second = await turn(session, f"I have a cat. {'word ' * 8_000}")
    rome, cat = adding("Lives in Rome.", first, "I live in Rome"), adding("Has a cat.", second, "I have a cat")
    model = drawer(answer(rome), answer(cat))
    consolidation = remembering(store, model, clock).consolidation

    done = [await consolidation.draw("a", session), await consolidation.draw("a", session)]

    assert ([True, False], ["Lives in Rome.", "Has a cat."]) == ([each.more for each in done], await facts(store))


async def test_what_is_forgotten_is_not_shown_to_the_model(store: Store, clock: ManualClock) -> None:
    """
    Else its line of the day would say it again.
    """
    async with store.session("a") as session:
        pos = await turn(session, "My debt is large.")
        await turn(session, "I live in Rome.")
        await store.note(ME, Forgotten(words=(ForgottenWords(key=session.key, pos=Position(pos)),)))
        model = drawer(answer())
        await remembering(store, model, clock).consolidation.draw("a", session)

    assert ("debt" in shown(model.requests[0]), "Rome" in shown(model.requests[0])) == (False, True)
