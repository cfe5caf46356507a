"""What the model is told of what is remembered, and when that changes."""

from holdfast import (
    Budget,
    CallId,
    Described,
    Fork,
    ManualClock,
    ModelReplied,
    Session,
    Store,
    Target,
    ToolFinished,
    TurnEnded,
    UserSaid,
)
from holdfast.context.prepare import open_view
from holdfast.ids import FactId, Position
from holdfast.memory.settings import MemorySettings
from holdfast.memory.shown import ShownMemory
from holdfast.records.entries import Compacted
from holdfast.records.facts import Consolidated, Forgotten, ForgottenWords, MemoryShown, RetractFact
from holdfast.records.parts import Text, ToolCall
from tests.memory.remembering import ME, drawer, remembering, turn
from tests.session.remembering import adds, changes, replaces

BUDGET = Budget(tokens=100_000, output=1_000)


async def remember(store: Store, *texts: str) -> list[FactId]:
    """Facts from another session."""
    await store.note(ME, adds(*texts))
    return [fact.id for fact in (await store.memory(ME)).current]


def look(store: Store, session: Session, clock: ManualClock, settings: MemorySettings | None = None) -> ShownMemory:
    """What a session shows."""
    return remembering(store, drawer(), clock, settings).shown(session)


async def entries(session: Session) -> list[MemoryShown]:
    """What the log says of it."""
    return [record.entry async for record in session.read() if isinstance(record.entry, MemoryShown)]


async def test_the_core_stays_as_it_was_and_changes_come_behind(store: Store, clock: ManualClock) -> None:
    """
    A provider's cache begins with the system text, so that stays to the byte; a restart gives the same.
    """
    (rome,) = await remember(store, "Lives in Rome.")
    async with store.session("a") as session:
        shown = look(store, session, clock)
        await shown.refresh()
        text = shown.text
        await store.note(ME, changes(replaces(rome, "Lives in Bern.")), adds("Has a cat."))
        await shown.refresh()
        await shown.refresh()
        first, second = await entries(session)
        told = shown.told(second)
    assert "- Lives in Rome. (2026-11-16)" in text
    assert (text, (rome,), None) == (shown.text, first.core, second.core)
    assert told.startswith("[Memory changed.\nRemembered since:\n- ")
    assert told.endswith("\nNo longer so:\n- Lives in Rome.]")
    assert ("- Lives in Bern.\n" in told, "- Has a cat.\n" in told) == (True, True)

    async with store.session("a") as session:
        again = look(store, session, clock)
        await again.refresh()
        assert (text, told, 2) == (again.text, again.told(second), len(await entries(session)))


async def test_the_system_text_takes_changes_up_when_the_cache_is_cold_anyway(store: Store, clock: ManualClock) -> None:
    """
    After a compaction, a rewind, or a long pause, also one over a restart.
    """
    await remember(store, "One.")
    async with store.session("a") as session:
        await turn(session, "hello")
        shown = look(store, session, clock)
        await shown.refresh()
        await remember(store, "Two.")
        await session.append(Compacted(summary="s", first=Position(1), last=Position(2), verbatim_from=Position(3)))
        await shown.refresh()
        assert "Two." in shown.text
        await remember(store, "Three.")
        await session.rewind(4)
        await shown.refresh()
        assert "Three." in shown.text
        await remember(store, "Four.")
        clock.advance(4_000)
        await shown.refresh()
        assert "Four." in shown.text
        await turn(session, "hello again")
        await remember(store, "Five.")
        clock.advance(4_000)
        await session.append(UserSaid(parts=(Text(text="back"),)))
        later = look(store, session, clock)
        await later.refresh()
        assert "Five." in later.text


async def test_what_is_forgotten_leaves_at_once(store: Store, clock: ManualClock) -> None:
    """
    Whatever the cache costs; where it was said, models are shown that something was.
    """
    one, two = await remember(store, "One.", "Two.")
    async with store.session("a") as session:
        pos = await turn(session, "One.")
        shown = look(store, session, clock)
        await shown.refresh()
        await store.note(ME, Forgotten(facts=(one,), words=(ForgottenWords(key=session.key, pos=Position(pos)),)))
        await shown.refresh()

        assert ("One." in shown.text, "Two." in shown.text, {pos}) == (False, True, set(shown.hidden))
        assert two == (await entries(session))[-1].core[0]  # type: ignore[index]


async def test_a_fork_hides_what_its_original_hides(store: Store, clock: ManualClock) -> None:
    """
    What they share is forgotten in both.
    """
    async with store.session("a") as session:
        pos = await turn(session, "One.")
    await store.fork("a", "b")
    await store.note(ME, Forgotten(words=(ForgottenWords(key=session.key, pos=Position(pos)),)))
    async with store.session("b") as fork:
        assert isinstance(fork.state.origin, Fork)
        shown = look(store, fork, clock)
        await shown.refresh()

    assert {pos} == set(shown.hidden)


async def test_over_the_bound_the_text_says_how_many_more_there_are(store: Store, clock: ManualClock) -> None:
    """
    The least confirmed leave, and can be found.
    """
    await remember(store, *(f"Fact number {number} has some more words." for number in range(60)))
    async with store.session("a") as session:
        shown = look(store, session, clock, MemorySettings(core_tokens=300))
        await shown.refresh()
        (entry,) = await entries(session)

    assert f"{entry.more} more facts are remembered" in shown.text
    assert 60 == entry.more + len(entry.core or ())
    assert entry.more > 30


async def test_a_session_that_is_left_out_shows_nothing(store: Store, clock: ManualClock) -> None:
    """
    In both directions: nothing from it, nothing in it.
    """
    await remember(store, "One.")
    async with store.session("a") as session:
        await session.append(Described(memory=False))
        shown = look(store, session, clock)
        await shown.refresh()

        assert ("", []) == (shown.text, await entries(session))


async def test_a_session_that_takes_part_says_so_before_anything_is_known(store: Store, clock: ManualClock) -> None:
    """
    So that what it leaves is looked at later; without a model that draws facts it does not take part.
    """
    async with store.session("a") as session:
        await look(store, session, clock).refresh()
        assert [MemoryShown(core=())] == await entries(session)
    async with store.session("b") as session:
        await remembering(store, None, clock).shown(session).refresh()
        assert [] == await entries(session)


async def test_what_was_said_in_the_session_itself_is_not_told_again(store: Store, clock: ManualClock) -> None:
    """
    The model has read it there.
    """
    async with store.session("a") as session:
        await turn(session, "Has a cat.")
        shown = look(store, session, clock)
        await shown.refresh()
        await session.append(adds("Has a cat."))
        await shown.refresh()
        assert [MemoryShown(core=())] == await entries(session)
        (cat,) = [fact.id for fact in (await store.memory(ME)).current]
        await session.append(Consolidated(upto=Position(1), facts=(RetractFact(fact=cat),)))
        await shown.refresh()

        assert 1 == len(await entries(session))


async def test_a_window_has_changes_behind_and_hides_what_is_forgotten(store: Store, clock: ManualClock) -> None:
    """
    Messages stay in their places; calls keep their results, without what they said.
    """
    async with store.session("a") as session:
        await turn(session, "hello")
        shown = look(store, session, clock)
        await shown.refresh()
        view = open_view(session, Target(family="openai-chat", model="m"), memory=shown)
        call = ToolCall(id=CallId("1"), name="note", arguments='{"text": "secret"}')
        secret = await session.append(ModelReplied(parts=(Text(text="secret"), call), stop="called"))
        result = ToolFinished(call=CallId("1"), name="note", parts=(Text(text="secret"),))
        await session.append(result, TurnEnded())
        assert "secret" in str((await view.window(BUDGET)).messages)
        places = (secret, secret + 1)
        await store.note(ME, Forgotten(words=tuple(ForgottenWords(key=session.key, pos=Position(at)) for at in places)))
        await remember(store, "Has a cat.")
        await shown.refresh()
        window = str((await view.window(BUDGET)).messages)

    assert ("secret" in window, window.count("[forgotten]"), "- Has a cat." in window) == (False, 2, True)


async def test_a_fork_of_a_fork_hides_what_they_share_and_nothing_of_its_own(store: Store, clock: ManualClock) -> None:
    """
    What its original said after the fork stands at the same positions as what it says itself.
    """
    async with store.session("a") as session:
        pos = await turn(session, "One.")
    await store.fork("a", "b")
    await store.fork("b", "c")
    async with store.session("a") as session:
        later = await turn(session, "Two.")
    gone = tuple(ForgottenWords(key=session.key, pos=Position(each)) for each in (pos, later))
    await store.note(ME, Forgotten(words=gone))
    async with store.session("c") as fork:
        while fork.state.last < later:
            await turn(fork, "Three.")
        shown = look(store, fork, clock)
        await shown.refresh()

    assert {pos} == set(shown.hidden)
