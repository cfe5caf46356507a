"""What every catalog keeps of memory: the fold of what the sessions of a scope say."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast import ManualClock, Store, open_store, open_volatile
from holdfast.ids import Position
from holdfast.records.entries import Described
from holdfast.records.facts import Forgotten, ForgottenWords, RetractFact
from holdfast.session.facts import MemoryFact, Scope
from tests.contracts.sqlite_store import SqliteCatalog, SqliteStore
from tests.session.remembering import adds, changes, named, replaces

ME = Scope(owner="")
ANN = Scope(owner="ann")


@pytest.fixture(params=["memory", "files", "rows"])
async def store(request: pytest.FixtureRequest, clock: ManualClock, tmp_path: Path) -> AsyncIterator[Store]:
    """Each kind of store, with its catalog."""
    if request.param == "memory":
        opened = open_volatile(clock=clock)
    elif request.param == "files":
        opened = open_store(tmp_path / "store", clock=clock)
    else:
        logs, scopes = (SqliteStore(tmp_path / f"{name}.db", clock=clock) for name in ("store", "scopes"))
        opened = Store(logs, SqliteCatalog(logs, scopes), clock, scopes)
    async with opened:
        yield opened


async def held(store: Store, scope: Scope = ME) -> list[str]:
    """The facts that hold in a scope."""
    return [fact.text for fact in (await store.memory(scope)).current]


async def test_nothing_is_remembered_in_an_empty_store(store: Store) -> None:
    """
    Asking makes nothing, and finds nothing.
    """
    assert ([], (), ()) == (await held(store), (await store.core(ME, 5)).facts, await store.facts(ME, [named(1)]))


async def test_facts_of_all_sessions_of_a_scope_are_found_at_once(store: Store, clock: ManualClock) -> None:
    """
    Whatever was appended before the question is in its answer, and each scope has its own.
    """
    for key, owner in (("a", ""), ("b", ""), ("c", "ann")):
        async with store.session(key) as session:
            await session.append(Described(owner=owner), adds(f"Of {key}."))
            clock.advance(1)

    assert ["Of a.", "Of b."] == await held(store)
    assert ["Of c."] == await held(store, ANN)
    async with store.session("a") as session:
        await session.append(changes(RetractFact(fact=named(2, key="b"))))
    assert ["Of a."] == await held(store)


async def test_a_session_that_changes_its_owner_takes_its_facts_along(store: Store) -> None:
    """
    Facts are those of the scope that the session is in now.
    """
    async with store.session("a") as session:
        await session.append(adds("One."))
        assert ["One."] == await held(store)
        await session.append(Described(owner="ann"))

    assert ([], ["One."]) == (await held(store), await held(store, ANN))


async def test_a_rewind_takes_facts_out_and_its_undo_brings_them_back(store: Store) -> None:
    """
    Facts follow their branch, as compactions do.
    """
    async with store.session("a") as session:
        await session.say("hello")
        await session.append(adds("One."))
        await session.append(changes(replaces(named(2), "Two.")))
        await session.rewind(2)
        assert ["One."] == await held(store)
        await session.rewind(1)
        assert [] == await held(store)
        await session.undo_rewind()

    assert ["One."] == await held(store)


async def test_a_fork_shares_facts_and_adds_its_own(store: Store, clock: ManualClock) -> None:
    """
    What both have counts once, under one id, and stays while one of them stays.
    """
    async with store.session("a") as session:
        await session.append(adds("Shared."))
        await session.append(adds("Only in the first."))
    await store.fork("a", "b", at=1)
    clock.advance(1)
    async with store.session("b") as session:
        await session.append(adds("Only in the fork."))
    await store.fork("b", "c")

    assert ["Shared.", "Only in the first.", "Only in the fork."] == await held(store)
    await store.delete("a")
    assert ["Shared.", "Only in the fork."] == await held(store)
    assert named(1) == (await store.memory(ME)).facts[0].id


async def test_the_trash_says_nothing_until_it_is_restored(store: Store) -> None:
    """
    Facts of a session in the trash are hidden.
    """
    async with store.session("a") as session:
        await session.append(adds("One."))
    await store.throw_away("a")
    assert [] == await held(store)
    await store.bring_back((await store.trash())[0].name)

    assert ["One."] == await held(store)


async def test_what_is_said_outside_of_sessions_counts_too(store: Store, clock: ManualClock) -> None:
    """
    The log of a scope is one of its sources; it is in no list.
    """
    await store.note(ME, adds("Typed."))
    clock.advance(1)
    assert ["Typed."] == await held(store)
    async with store.session("a") as session:
        await session.append(adds("Said."))
    clock.advance(1)
    await store.note(ME, Forgotten(facts=(named(1),)))

    assert (["Typed."], []) == (await held(store), await held(store, ANN))
    assert ["a"] == [each.key for each in (await store.list()).sessions]


async def test_facts_are_found_by_their_ids_and_the_best_first(store: Store) -> None:
    """
    A system text asks for the few that it shows; one that holds no longer is found by its id alone.
    """
    async with store.session("a") as session:
        await session.append(adds("One.", "Two."))
        await session.append(changes(RetractFact(fact=named(1))))

    core = await store.core(ME, 5)
    assert (["Two."], 1) == ([fact.text for fact in core.facts], core.total)
    found: tuple[MemoryFact, ...] = await store.facts(ME, [named(1), named(7)])
    assert ["One."] == [fact.text for fact in found]


async def test_writing_down_a_fact_makes_a_session_no_newer(store: Store, clock: ManualClock) -> None:
    """
    What happens by itself behind a conversation does not move it in the list.
    """
    for key in ("a", "b"):
        async with store.session(key) as session:
            await session.say("hello")
        clock.advance(10)
    before = (await store.list()).sessions
    async with store.session("a") as session:
        await session.append(adds("One."))
    after = (await store.list()).sessions

    assert ["b", "a"] == [each.key for each in after]
    assert [each.updated for each in before] == [each.updated for each in after]


async def test_a_rebuild_gives_the_same_facts(store: Store, clock: ManualClock) -> None:
    """
    The logs are the truth: made anew from them, the facts are the same.
    """
    for key in ("a", "b"):
        async with store.session(key) as session:
            await session.append(adds(f"Of {key}.", "Both."))
        clock.advance(1)
    await store.note(ME, adds("Typed."))
    before = await store.memory(ME)
    async for _ in store.reindex():
        pass

    assert before == await store.memory(ME)


async def test_a_deleted_session_leaves_replaced_what_it_had_replaced(store: Store, clock: ManualClock) -> None:
    """
    Its own facts are gone, and no older ones come back; they can be kept, without their quotes.
    """
    async with store.session("a") as session:
        await session.append(adds("Lives in Rome."))
    clock.advance(1)
    for key in ("b", "c"):
        async with store.session(key) as session:
            await session.append(changes(replaces(named(1), f"Lives in {key}."), RetractFact(fact=named(9))))
        clock.advance(1)
    await store.delete("b", keep_memory=True)
    kept = (await store.memory(ME)).current
    assert ["Lives in c.", "Lives in b."] == [fact.text for fact in kept]
    assert ["Lives in c.", ""] == [fact.quote for fact in kept]
    clock.advance(1)
    await store.delete("c")

    assert ["Lives in b."] == await held(store)


async def test_what_retention_removes_keeps_its_facts(store: Store, clock: ManualClock) -> None:
    """
    Nobody asked for them to be forgotten.
    """
    async with store.session("a") as session:
        await session.append(adds("Lives in Rome."))
    clock.advance(86_400 * 3)
    await store.retain(2)

    assert ["Lives in Rome."] == await held(store)


async def test_forgotten_passages_are_named_for_all_scopes(store: Store) -> None:
    """
    A search of the whole store leaves them out too.
    """
    async with store.session("a") as session:
        await session.say("needle")
    words = ForgottenWords(key=session.key, pos=Position(1))
    changes = await store.changes()
    async with store.session("a") as session:
        await session.say("and more")
    await store.note(ANN, Forgotten(words=(words,)))

    async with store.session("b") as other:
        await other.say("a needle too")
    async with store.session("c") as titled:
        title = await titled.append(Described(title="t"))
    await store.note(ANN, Forgotten(words=(ForgottenWords(key=titled.key, pos=title),)))

    changed = {str(each.key): each.preview for each in (await changes.take()).rows}
    assert ("[forgotten]", "a needle too") == (changed["a"], changed["b"])
    assert ["b"] == [hit.key for hit in await store.search("needle")]
    assert {"a": "[forgotten]", "b": "a needle too", "c": ""} == {
        each.key: each.preview for each in (await store.list()).sessions
    }
