"""Many conversations in one place: what a program imports to keep them."""

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from holdfast.assembly import open_store
from holdfast.clock import ManualClock
from holdfast.errors import AlreadyThere, BadInput, BadKey, BeyondEnd, Held, NoBlob, NoSession, NotThere
from holdfast.ids import SessionKey
from holdfast.records.entries import Described, Fork, Opened, Rewound
from holdfast.session.catalog import Progress
from holdfast.session.store import Store, session_key
from holdfast.stores.scan_catalog import ScanningCatalog
from holdfast.stores.volatile import VolatileStore
from tests.session.talk import KEY, all_of, at, called, next_of, positions, said, texts

DAY = 24 * 60 * 60


async def talked(store: Store, *words: str, key: str = KEY) -> None:
    """Make a session in which words were said."""
    async with store.session(key) as session:
        for word in words:
            await session.append(said(word))


@pytest.mark.parametrize("key", ["notes", "team:alice", "../up", " ", "\0", "日本"])
def test_any_text_is_a_key(key: str) -> None:
    """
    What a session is called is up to those who open it.
    """
    assert key == session_key(key)


async def test_only_the_empty_text_is_not(store: Store) -> None:
    """
    It is refused everywhere, with what to give instead.
    """
    with pytest.raises(BadKey, match="non-empty"):
        session_key("")
    with pytest.raises(BadKey, match="is a string, not 4711"):
        session_key(4711)  # type: ignore[arg-type]
    with pytest.raises(BadKey):
        await store.open("")
    with pytest.raises(BadKey):
        await store.fork(KEY, "")


async def drained(source: AsyncIterator[object]) -> None:
    """Read something to its end."""
    await all_of(source)


ASKING: dict[str, Callable[[Store], Awaitable[object]]] = {
    "open": lambda store: store.open("team:alcie", create=False),
    "state": lambda store: store.state("team:alcie"),
    "read": lambda store: drained(store.read("team:alcie")),
    "load": lambda store: store.load("team:alcie"),
    "read_back": lambda store: drained(store.read_back("team:alcie")),
    "follow": lambda store: drained(store.follow("team:alcie")),
    "fork": lambda store: store.fork("team:alcie", "copy"),
    "rewind": lambda store: store.rewind("team:alcie", 0),
    "delete": lambda store: store.delete("team:alcie"),
    "throw_away": lambda store: store.throw_away("team:alcie"),
    "verify": lambda store: store.verify("team:alcie"),
    "repair": lambda store: store.repair("team:alcie"),
}


@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)
async def test_a_missing_session_is_an_error_that_names_the_nearest(
    store: Store, asking: Callable[[Store], Awaitable[object]]
) -> None:
    """
    Nothing is made by asking for it, and who mistyped a key learns what there is.
    """
    await talked(store, "one")

    with pytest.raises(NoSession) as refused:
        await asking(store)

    assert ("team:alcie", (KEY,)) == (refused.value.key, refused.value.near)
    assert (KEY,) == await store.keys()


async def test_what_exists_can_be_asked(store: Store) -> None:
    """
    A session exists from its first entry on, and its holder is known.
    """
    assert not await store.exists(KEY)
    async with store.session(KEY, doing="testing"):
        assert await store.exists(KEY)
        holder = await store.holder(KEY)
        assert holder is not None
        assert "testing" == holder.doing
    assert await store.holder(KEY) is None


async def test_a_session_has_one_writer(store: Store) -> None:
    """
    The second one is told who holds it, waits for it, or takes it over.
    """
    async with store.session(KEY, doing="first"):
        with pytest.raises(Held, match="first"):
            await store.open(KEY)
        with pytest.raises(Held):
            await store.open(KEY, wait=0.05)
        latter = await store.open(KEY, take_over=True)
    await latter.close()


async def test_reading_goes_both_ways(store: Store) -> None:
    """
    From any position to the end, up to a position, and backwards from the end or from a position.
    """
    await talked(store, *(f"{number}" for number in range(1, 30)))

    assert list(range(30)) == positions(await all_of(store.read(KEY)))
    assert [3, 4, 5] == positions(await all_of(store.read(KEY, start=3, stop=6)))
    assert list(range(30)) == positions(await store.load(KEY))
    assert [5, 6] == positions(await store.load(KEY, start=5, stop=7))
    assert list(range(29, -1, -1)) == positions(await all_of(store.read_back(KEY)))
    assert [2, 1, 0] == positions(await all_of(store.read_back(KEY, before=3)))
    assert [29, 28] == positions(await next_of(store.read_back(KEY), 2))


async def test_following_goes_on_after_what_was_seen(store: Store) -> None:
    """
    A viewer that comes back gives the last position it has, and gets everything after it, once.
    """
    await talked(store, "1", "2")
    source = store.follow(KEY, after=1)
    first = await next_of(source, 1)
    await talked(store, "3", "4")

    assert [2, 3, 4] == positions(first + await next_of(source, 2))
    await source.aclose()  # type: ignore[attr-defined]
    with pytest.raises(BeyondEnd):
        await anext(store.follow(KEY, after=99))


async def test_sessions_are_listed_and_searched(store: Store, clock: ManualClock) -> None:
    """
    Newest first, by tag, archived or not; words are found in all sessions or in one.
    """
    for key in ("first", "second", "third"):
        await talked(store, f"{key} harbour", key=key)
        clock.advance(1)
    async with store.session("second") as session:
        await session.append(Described(archived=True, tags=("sea",)))

    assert ["third", "first"] == [each.key for each in (await store.list()).sessions]
    assert ["second"] == [each.key for each in (await store.list(archived=True)).sessions]
    assert ["second"] == [each.key for each in (await store.list(archived=None, tag="sea")).sessions]
    page = await store.list(limit=1)
    assert ["first"] == [each.key for each in (await store.list(cursor=page.cursor)).sessions]
    assert 3 == len(await store.search("harbour"))
    assert 2 == len(await store.search("harbour", limit=2))
    assert [("third", 1)] == [(hit.key, hit.pos) for hit in await store.search("harbour", key="third")]


async def test_a_fork_goes_its_own_way(store: Store) -> None:
    """
    It shares everything up to a position, says where it came from, and the original never learns of it.
    """
    await talked(store, "1", "2", "3")
    await store.fork(KEY, "copy", at=2)
    await talked(store, "other", key="copy")

    assert ["1", "2", "other"] == texts(await all_of(store.read("copy")))
    assert ["1", "2", "3"] == texts(await all_of(store.read(KEY)))
    assert ("copy", Fork(key=SessionKey(KEY), pos=at(2))) == (
        (await store.state("copy")).key,
        (await store.state("copy")).origin,
    )


async def test_a_fork_from_nowhere_in_particular_is_of_all_there_is(store: Store) -> None:
    """
    Also right after a rewind: the copy is where the original is.
    """
    await talked(store, "1", "2", "3")
    await store.rewind(KEY, 1)
    await store.fork(KEY, "copy")
    records = await all_of(store.read("copy"))

    assert Rewound(to=at(1)) == records[-2].entry
    assert Opened(key=SessionKey("copy"), origin=Fork(key=SessionKey(KEY), pos=at(4))) == records[-1].entry
    assert ["1"] == texts([record for record in records if record.pos in {0, 1, 5}])
    assert [(0, 1), (5, 5)] == [(span.first, span.last) for span in (await store.state("copy")).path]


async def test_a_fork_needs_a_place_and_a_name(store: Store) -> None:
    """
    Neither beyond the end nor onto another session.
    """
    await talked(store, "1")

    with pytest.raises(BeyondEnd):
        await store.fork(KEY, "copy", at=9)
    with pytest.raises(AlreadyThere):
        await store.fork(KEY, KEY)
    assert (KEY,) == await store.keys()


async def test_a_deleted_session_is_gone(store: Store) -> None:
    """
    From the logs, the list, and the search.
    """
    await talked(store, "harbour")
    await talked(store, "harbour", key="other")
    await store.delete(KEY)

    assert ("other",) == await store.keys()
    assert ["other"] == [each.key for each in (await store.list()).sessions]
    assert ["other"] == [hit.key for hit in await store.search("harbour")]
    assert () == await store.trash()


async def test_what_was_thrown_away_comes_back_or_goes_for_good(store: Store) -> None:
    """
    The trash is looked through, restored from, and emptied.
    """
    for key in (KEY, "other", "third"):
        await talked(store, "harbour", key=key)
        await store.throw_away(key)
    names = {each.key: each.name for each in await store.trash()}
    assert () == await store.keys()

    assert KEY == await store.bring_back(names[SessionKey(KEY)])
    assert ["harbour"] == texts(await all_of(store.read(KEY)))
    assert 1 == await store.empty_trash(names[SessionKey("other")])
    assert 1 == await store.empty_trash()
    assert () == await store.trash()


async def test_sessions_that_nobody_used_can_be_put_away(store: Store, clock: ManualClock) -> None:
    """
    Only those idle for longer than was said, archived ones too, are told and moved into the trash.
    """
    await talked(store, "old", key="old")
    async with store.session("archived") as session:
        await session.append(Described(archived=True))
    clock.advance(10 * DAY)
    await talked(store, "new", key="new")
    clock.advance(DAY)

    assert {"old", "archived"} == {each.key for each in await store.outdated(10.5)}
    assert () == await store.outdated(11.5)
    assert () == await store.outdated(10**9)
    assert {"old", "archived"} == {each.key for each in await store.retain(10.5)}
    assert ("new",) == await store.keys()
    assert {"old", "archived"} == {each.key for each in await store.trash()}


@pytest.mark.parametrize("days", [0, -1, math.nan])
async def test_a_time_that_cannot_be_puts_nothing_away(store: Store, days: float) -> None:
    """
    Whoever means "never" by 0 is told so, and does not find everything in the trash.
    """
    await talked(store)

    with pytest.raises(BadInput, match="Give a number above 0"):
        await store.retain(days)
    assert (KEY,) == await store.keys()


@pytest.mark.parametrize("days", [1e6, 1e300, math.inf])
async def test_nothing_is_older_than_the_calendar(store: Store, days: float) -> None:
    """
    A time longer than any date can tell is as good as never.
    """
    await talked(store)

    assert () == await store.outdated(days)


async def test_a_limit_below_one_is_a_mistake(store: Store) -> None:
    """
    A list or a search of nothing is not answered as if there were nothing.
    """
    await talked(store)

    for limit in (0, -1):
        with pytest.raises(BadInput, match="Give a limit from 1"):
            await store.list(limit=limit)
        with pytest.raises(BadInput, match="Give a limit from 1"):
            await store.search("hello", limit=limit)


async def test_positions_of_forks_count_from_zero(store: Store) -> None:
    """
    A negative position is called what it is.
    """
    await talked(store)

    with pytest.raises(BadInput, match="There is no position -1"):
        await store.fork(KEY, "other", at=-1)


async def test_what_is_damaged_cannot_be_forked_at(tmp_path: Path) -> None:
    """
    It is called damaged, not beyond an end that is further on; nor is there anything to fork of a log without entries.
    """
    async with open_store(tmp_path) as store:
        await talked(store, "one", "two", "three")
        (log,) = tmp_path.glob("sessions/*/000001.jsonl")
        log.write_bytes(log.read_bytes().replace(b"two", b"tow"))
        with pytest.raises(NotThere, match="Position 2 is damaged"):
            await store.fork(KEY, "other", at=2)
        with pytest.raises(BeyondEnd):
            await store.fork(KEY, "other", at=4)
        log.write_bytes(b"")
        with pytest.raises(NotThere, match=r"Nothing of .* can be read"):
            await store.fork(KEY, "other")
        log.unlink()
        with pytest.raises(NoSession, match="`holdfast sessions` lists"):
            await store.state(KEY)  # the list knows it still, but that would be no help
        assert () == await store.keys()


async def test_what_is_in_use_is_not_put_away(store: Store, clock: ManualClock) -> None:
    """
    A session that is open somewhere stays, however old its last entry is.
    """
    await talked(store, "old", key="old")
    async with store.session(KEY):
        clock.advance(10 * DAY)

        assert ["old"] == [each.key for each in await store.retain(1)]
    assert (KEY,) == await store.keys()


async def test_every_outdated_session_is_found(clock: ManualClock) -> None:
    """
    Also when there are more than one page of a list shows.
    """
    logs = VolatileStore(clock=clock)
    store = Store(logs, ScanningCatalog(logs), clock)
    for number in range(1001):
        writer = await logs.acquire(SessionKey(f"{number}"))
        await writer.append([said("old")], expect=at(0))
        await writer.release()
    clock.advance(10 * DAY)

    assert 1001 == len(await store.outdated(1))


async def test_a_session_can_be_checked_and_mended(store: Store) -> None:
    """
    Both tell the same of a sound session.
    """
    await talked(store, "1", "2")

    for verdict in (await store.verify(KEY), await store.repair(KEY)):
        assert (KEY, 3, True) == (verdict.key, verdict.entries, verdict.good)


async def test_keys_are_given_in_order(store: Store) -> None:
    """
    Whatever order the store keeps them in.
    """
    for key in ("b", "c", "a"):
        await talked(store, key=key)

    assert ("a", "b", "c") == await store.keys()


async def test_a_rebuild_says_how_far_it_is(store: Store) -> None:
    """
    Each step names a session, until all are done.
    """
    for key in ("a", "b"):
        await talked(store, "word", key=key)
    steps = await all_of(store.reindex())

    assert {"a", "b"} == {step.key for step in steps}
    assert Progress(done=2, total=2, key=steps[-1].key) == steps[-1]


async def test_content_that_is_not_there_is_an_error(store: Store) -> None:
    """
    Neither in a session nor in none.
    """
    await talked(store, "1")

    with pytest.raises(NoBlob):
        await store.get_blob(KEY, "0" * 64)


async def test_closing_twice_is_once(store: Store) -> None:
    """
    Whoever closes last finds it closed.
    """
    await store.close()
    await store.close()


async def test_only_some_kinds_are_read(store: Store) -> None:
    """
    The newest of a kind is found from the end, and what was rewound is left out of the branch, without the lease.
    """
    async with store.session(KEY) as session:
        await session.append(said("1"), called("1"), said("2"), Described(title="a"))
        await session.rewind(1)
        await session.append(said("3"))

        assert ["1", "2", "3"] == texts(await all_of(store.read(KEY, kinds=("user_said",))))
        assert ["described", "rewound"] == [
            each.kind for each in await all_of(store.read(KEY, start=2, kinds={"described", "rewound"}))
        ]
        newest = await store.last(KEY, "user_said")
        assert newest is not None
        assert ["3"] == texts([newest])
        assert await store.last(KEY, "compacted") is None
        assert await all_of(session.branch()) == await all_of(store.branch(KEY))
        await session.rewind(0)
        assert ["opened"] == [each.kind for each in await all_of(store.branch(KEY))]
