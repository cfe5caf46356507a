"""Forgetting reaches everything that is shown, and nothing brings it back."""

import asyncio

import pytest

from holdfast import BadInput, Described, ManualClock, ModelReplied, Store, Text, open_volatile
from holdfast.ids import Position
from holdfast.memory.forget import forget, matching, matching_before, matching_fact, matching_session
from holdfast.memory.notebook import Notebook
from holdfast.records.entries import Compacted
from holdfast.records.facts import Consolidated
from tests.agent.troupe import opened, scripted, setup
from tests.memory.remembering import ME, adding, answer, drawer, facts, is_secret, remembering, turn
from tests.session.remembering import adds


async def told(store: Store, key: str, text: str) -> None:
    """A session with something said in it."""
    async with store.session(key) as session:
        await turn(session, text)


async def test_words_are_forgotten_wherever_they_are_shown(store: Store, clock: ManualClock) -> None:
    """
    Facts, lines of days, summaries, titles, previews, finds, and forks that share the words.
    """
    async with store.session("a") as session:
        await turn(session, "My  DEBT is large.")
        await session.append(Described(title="About the debt"))
        await session.append(adds("Has a debt."), Consolidated(upto=Position(0), day="Spoke of the debt."))
        await session.append(
            Compacted(summary="A debt.", first=Position(1), last=Position(1), verbatim_from=Position(2))
        )
    await store.fork("a", "b")
    await told(store, "c", "Something else.")
    clock.advance(10)

    matches = await matching(store, ME, "debt")
    assert (1, 2, 2, ("a", "b"), 2) == (
        len(matches.facts),
        len(matches.days),
        len(matches.summaries),
        tuple(sorted(matches.titles)),
        len(matches.passages),
    )
    clock.advance(10)
    await forget(store, ME, matches)

    memory = await store.memory(ME)
    assert ((), ()) == (memory.facts, memory.days)
    assert [] == list(await store.search("debt"))
    listed = {each.key: (each.title, each.preview) for each in (await store.list()).sessions}
    assert {"a": ("", "[forgotten]"), "b": ("", "[forgotten]"), "c": ("", "Something else.")} == listed
    assert 0 == (await matching(store, ME, "debt")).total
    await store.fork("a", "later")
    assert [] == list(await store.search("debt"))


async def test_it_stays_forgotten_in_a_rebuild_and_when_facts_are_drawn_again(store: Store, clock: ManualClock) -> None:
    """
    Neither the logs nor a copy of what was said before bring it back; who says it anew wants it remembered.
    """
    async with store.session("a") as session:
        pos = await turn(session, "I have a debt.")
        proposal = adding("Has a debt.", pos, "I have a debt")
        memory = remembering(store, drawer(answer(proposal), answer(proposal), answer(proposal)), clock)
        await memory.consolidation.draw("a", session)
        clock.advance(10)
        await forget(store, ME, await matching_fact(store, ME, (await store.memory(ME)).current[0]))
        async for _ in store.reindex():
            pass
        assert [] == await facts(store)
        await session.rewind(3)
        await memory.consolidation.draw("a", session)
        assert [] == await facts(store)
    clock.advance(10)
    await Notebook(store, ME, is_secret).remember("Has a debt.")

    assert ["Has a debt."] == await facts(store)


async def test_a_fact_goes_with_what_it_replaced(store: Store, clock: ManualClock) -> None:
    """
    Its history says the same.
    """
    book = Notebook(store, ME, is_secret)
    rome = await book.remember("I live in Rome.")
    clock.advance(1)
    bern = await book.replace(await book.named(rome.fact), "I live in Bern.")
    clock.advance(1)

    matches = await matching_fact(store, ME, await book.named(bern.fact))
    await forget(store, ME, matches)

    assert (2, ()) == (len(matches.facts), (await book.facts()).facts)


async def test_a_session_or_all_that_is_old_is_forgotten(store: Store, clock: ManualClock) -> None:
    """
    By its key, or by a day.
    """
    for key in ("a", "b"):
        async with store.session(key) as session:
            await turn(session, f"Of {key}.")
            await session.append(adds(f"Of {key}."))
        clock.advance(86_400)
    middle = (await store.state("b")).created
    assert middle is not None

    old = await matching_before(store, ME, middle)
    assert (["Of a."], 2) == ([fact.text for fact in old.facts], len(old.passages))
    await forget(store, ME, await matching_session(store, ME, "b"))

    assert ["Of a."] == await facts(store)


async def test_too_little_and_nothing_are_errors(store: Store) -> None:
    """
    One letter is in everything, and forgetting nothing is no success.
    """
    with pytest.raises(BadInput, match="too short"):
        await matching(store, ME, " x ")
    with pytest.raises(BadInput, match="nothing to forget"):
        await forget(store, ME, await matching(store, ME, "debt"))


async def test_the_tombstone_does_not_say_what_was_forgotten() -> None:
    """
    It has positions, and hashes with a key of their own.
    """
    async with open_volatile() as store:
        await told(store, "a", "My debt is large.")
        async with store.session("a") as session:
            await session.append(adds("Has a debt."), ModelReplied(parts=(Text(text="Oh."),)))
        entry, _ = await forget(store, ME, await matching(store, ME, "debt"))
        again = await matching(store, ME, "Oh.")

    assert "debt" not in str(entry)
    assert (1, 1, 2) == (len(entry.facts), len(entry.words), len(entry.hashes))
    assert 1 == again.total


async def test_a_title_is_forgotten_with_its_session_whatever_it_says(store: Store, clock: ManualClock) -> None:
    """
    It need not have the words of a fact.
    """
    async with store.session("a") as session:
        await turn(session, "I live in Rome.")
        await session.append(adds("Lives in Rome."), Described(title="Moving house"))
    clock.advance(10)
    await forget(store, ME, await matching_session(store, ME, "a"))

    assert [] == list(await store.search("moving"))


async def test_a_session_that_others_have_open_keeps_its_title_and_all_else_is_forgotten(
    store: Store, clock: ManualClock
) -> None:
    """
    It is named, and found again once it can be written.
    """
    await told(store, "b", "My debt.")
    async with store.session("a") as session:
        await turn(session, "My debt.")
        await session.append(Described(title="Debt"))
        clock.advance(10)
        entry, held = await forget(store, ME, await matching(store, ME, "debt"))
        assert (("a",), 2) == (held, len(entry.words))
    again = await matching(store, ME, "debt")

    assert (("a",), 1) == (again.titles, again.total)


async def test_no_new_title_is_drawn_from_what_was_forgotten(store: Store, clock: ManualClock) -> None:
    """
    Its old one was taken away, and whoever goes on with the conversation gives it another.
    """
    await told(store, "talk", "My debt is large.")
    await forget(store, ME, await matching(store, ME, "debt"))
    titler = scripted("Ebb and flow", name="titler")
    memory = remembering(store, None, clock)
    made = setup(scripted("At noon."), titler, titles=True, title_model="titler", memory=memory)
    async with await opened(store, made) as conversation:
        named = asyncio.Event()
        conversation.session.listen(lambda record: named.set() if isinstance(record.entry, Described) else None)
        await conversation.send("When is high water?")
        async with asyncio.timeout(30):
            await named.wait()

    assert ("debt" in str(titler.requests), "high water" in str(titler.requests)) == (False, True)


async def test_no_summary_is_made_of_what_was_forgotten(store: Store, clock: ManualClock) -> None:
    """
    A compaction reads the log anew, and its summary stays.
    """
    await told(store, "talk", "My debt is large.")
    for number in range(8):
        await told(store, "talk", f"{number}: when is high water? " + "Tell me more. " * 200)
    await forget(store, ME, await matching(store, ME, "debt"))
    model = scripted("Nothing.", "Nothing.", "Nothing.")
    made = setup(model, memory=remembering(store, None, clock))
    async with await opened(store, made) as conversation:
        await conversation.compact()

    assert model.requests
    assert not any("debt" in str(request) for request in model.requests)
