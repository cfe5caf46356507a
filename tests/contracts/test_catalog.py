"""What every catalog answers: the list with its filters and pages, the search, near names, and what was removed."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast import (
    BadInput,
    Beginning,
    Described,
    Fork,
    GoalSet,
    Import,
    Listed,
    ManualClock,
    ModelReplied,
    NoSession,
    Position,
    RowChanges,
    SessionKey,
    Source,
    Store,
    Text,
    TurnEnded,
    Unknown,
    UserSaid,
    WakeSet,
    open_store,
    open_volatile,
)
from holdfast.session.catalog import SCRIPT, Wanted
from tests.contracts.sqlite_store import SqliteCatalog, SqliteStore
from tests.stores.files.catalog.talk import found, keys, say


@pytest.fixture(params=["memory", "files", "rows"])
async def store(request: pytest.FixtureRequest, clock: ManualClock, tmp_path: Path) -> AsyncIterator[Store]:
    """Each kind of store, with its catalog."""
    if request.param == "memory":
        opened = open_volatile(clock=clock)
    elif request.param == "files":
        opened = open_store(tmp_path / "store", clock=clock)
    else:
        logs = SqliteStore(tmp_path / "store.db", clock=clock)
        scopes = SqliteStore(tmp_path / "scopes.db", clock=clock)
        opened = Store(logs, SqliteCatalog(logs, scopes), clock, scopes)
    async with opened:
        yield opened


async def test_the_list_has_the_most_recently_used_session_first(store: Store, clock: ManualClock) -> None:
    """
    People look for what they did last.
    """
    for key in ("a", "b", "c"):
        await say(store, key, "hello")
        clock.advance(1)
    await say(store, "a", "again")

    assert ["a", "c", "b"] == await keys(store)


async def test_pages_give_every_session_once(store: Store, clock: ManualClock) -> None:
    """
    A cursor continues where the page before it ended, also among sessions of the same instant.
    """
    for number in range(7):
        await say(store, f"s{number}", "hello")
        clock.advance(number % 2)

    seen, cursor = [], ""
    while True:
        page = await store.list(limit=3, cursor=cursor)
        seen += [each.key for each in page.sessions]
        cursor = page.cursor
        if not cursor:
            break

    assert sorted(seen) == [f"s{number}" for number in range(7)]


async def test_runs_of_scripts_are_apart_from_what_a_person_said(store: Store) -> None:
    """
    A session counts as a script's until somebody else speaks in it; one in which nothing was said is nobody's.
    """
    run = UserSaid(parts=(Text(text="hello"),), source=Source(host=SCRIPT))
    async with store.session("run") as session:
        await session.append(run)
    async with store.session("both") as session:
        await session.append(run)
        await session.append(UserSaid(parts=(Text(text="and I"),), source=Source(host="terminal")))
        await session.append(run)
    async with store.session("library") as session:
        await session.say("hello")
    async with store.session("empty"):
        pass

    rows = {each.key: each.speaker for each in (await store.list()).sessions}
    assert {"run": "script", "both": "person", "library": "person", "empty": ""} == rows
    assert {"both", "library", "empty"} == {each.key for each in (await store.page(Wanted(scripts=False))).sessions}


async def test_a_fork_is_called_one_and_says_where_it_left(store: Store) -> None:
    """
    With the title of the other session, with its first words, or with its key; a fork of a fork is called the same.
    """
    async with store.session("boat") as session:
        await session.say("hello")
    await store.fork("boat", "untitled", at=1)
    async with store.session("boat") as session:
        await session.append(Described(title="The boat"))
    await store.fork("boat", "titled")
    await store.fork("titled", "again")
    async with store.session("again") as session:
        await session.say("more")

    rows = {str(each.key): each for each in (await store.list()).sessions}
    names = {"boat": "The boat", "titled": "The boat (fork)", "again": "The boat (fork)", "untitled": "hello (fork)"}
    assert names == {key: each.name for key, each in rows.items()}
    assert Fork(key=SessionKey("boat"), pos=Position(1)) == rows["untitled"].origin
    assert "The boat (fork)" == (await store.state("titled")).title
    assert rows["boat"].origin is None


async def test_an_import_says_where_it_is_from(store: Store) -> None:
    """
    The file, its format and its id there are in the list, so that nothing is imported twice.
    """
    origin = Import(file="a.jsonl", format="other", id="42")
    async with store.session("a", begins=Beginning(origin=origin, about=Described(title="t"))):
        pass

    (row,) = (await store.list()).sessions
    assert (origin, "t", "t") == (row.origin, row.title, row.name)


async def test_a_foreign_cursor_is_refused(store: Store) -> None:
    """
    A cursor that no list gave is an error, not an empty page.
    """
    await say(store, "a", "hello")

    for cursor in ("page two", "-1", "1.5"):
        with pytest.raises(BadInput, match="Begin without one"):
            await store.list(cursor=cursor)


async def test_limits_may_be_any_number(store: Store) -> None:
    """
    Who asks for more than there is gets all, and who asks for nothing or less is told so.
    """
    await say(store, "a", "hello")

    for limit in (10**30, 1):
        assert 1 == len((await store.list(limit=limit)).sessions) == len(await store.search("hello", limit=limit))
    for limit in (0, -3):
        with pytest.raises(BadInput):
            await store.list(limit=limit)
        with pytest.raises(BadInput):
            await store.search("hello", limit=limit)


async def test_what_a_session_is_can_be_seen_in_the_list(store: Store) -> None:
    """
    Title, preview, counts, tags and archived come from the entries.
    """
    async with store.session("a") as session:
        await session.append(UserSaid(parts=(Text(text="first \x1b[31mred\nline"),)))
        await session.append(ModelReplied(parts=(Text(text="yes"),)), TurnEnded())
        await session.append(Described(title="On \ud800 red", tags=("x", "y"), archived=True))

    (row,) = (await store.list(archived=True)).sessions
    assert ("On \ud800 red", ("x", "y"), True) == (row.title, row.tags, row.archived)
    assert ("first ␛[31mred line", 5, 2, 1) == (row.preview, row.entries, row.messages, row.turns)
    assert row.size > 0


async def test_a_preview_is_what_a_person_said_or_the_goal(store: Store) -> None:
    """
    A message of a goal or a timer is no person's word.
    """
    async with store.session("a") as session:
        await session.append(GoalSet(objective="Build the boat"))
        await session.append(UserSaid(parts=(Text(text="[Goal step 1]"),), source=Source(host="goal")))
    async with store.session("b") as session:
        await session.append(UserSaid(parts=(Text(text="[It is time]"),), source=Source(host="timer")))
        await session.append(UserSaid(parts=(Text(text="thanks"),)))

    previews = {row.key: row.preview for row in (await store.list()).sessions}
    assert {"a": "Build the boat", "b": "thanks"} == previews


async def test_archived_sessions_and_tags_filter_the_list(store: Store) -> None:
    """
    Archived ones are shown only when asked for; a tag narrows the list.
    """
    await say(store, "plain", "hello")
    for key, described in {"old": Described(archived=True), "work": Described(tags=("job",))}.items():
        async with store.session(key) as session:
            await session.append(described)

    assert {"plain", "work"} == set(await keys(store))
    assert {"plain", "work", "old"} == {each.key for each in (await store.list(archived=None)).sessions}
    assert ["work"] == [each.key for each in (await store.list(tag="job")).sessions]


@pytest.mark.parametrize("name", ["half \ud800", "half \udc00 a pair", "nul \0 inside", ", ", 'a "quoted" one', "ä 😀"])
async def test_any_text_can_be_a_tag_and_a_workspace(store: Store, name: str) -> None:
    """
    No text in one session keeps the others from being listed, and each tag and workspace is found by itself alone.
    """
    for key, described in {
        "named": Described(tags=("x", name, "y"), workspace=name),
        "near": Described(tags=(f"{name}.", f".{name}", "x", "y"), workspace=f"{name}."),
    }.items():
        async with store.session(key) as session:
            await session.append(described)

    (row,) = (await store.list(tag=name)).sessions
    assert ("named", ("x", name, "y"), name) == (row.key, row.tags, row.workspace)
    assert ["named"] == [each.key for each in (await store.list(workspace=name)).sessions]
    assert {"named", "near"} == set(await keys(store))


async def test_a_list_can_be_about_one_workspace(store: Store) -> None:
    """
    By the identity that a session was described with; the others are left out, page by page.
    """
    for number in range(4):
        async with store.session(f"s{number}") as session:
            await session.append(Described(workspace="here" if number % 2 else "there"))

    first = await store.list(workspace="here", limit=1)
    rest = await store.list(workspace="here", cursor=first.cursor)
    assert ["s3", "s1"] == [each.key for each in (*first.sessions, *rest.sessions)]
    assert ["here", "here"] == [each.workspace for each in (*first.sessions, *rest.sessions)]
    assert [] == [each.key for each in (await store.list(workspace="nowhere")).sessions]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The launch is on Friday", "launch friday"),
        ("Holdfast keeps it", "ldfas"),
        ("今天我们讨论数据库的设计", "数据库"),
        ("今天我们讨论数据库的设计", "数"),
        ("データベースの設計", "設計"),
        ("said by nobody else", '"by nobody"'),
    ],
)
async def test_what_was_said_is_found_at_its_position(store: Store, said: str, asked: str) -> None:
    """
    Words, parts of words, phrases, Chinese and Japanese lead to the entry that holds them.
    """
    await say(store, "other", "nothing of the kind")
    await say(store, "here", "before", said)

    assert [("here", 2)] == (await found(store, asked))[:1]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("my sister marries her friend in Lisbon", "When did my sister get married?"),
        ("我的妹妹下周六要结婚了", "我妹妹什么时候结婚"),
        ("会議は金曜日に東京です", "会議はいつですか"),
        ("회의는 금요일에 서울에서 합니다", "회의는 언제 합니까"),
        ("ประชุมวันศุกร์ที่กรุงเทพ", "ประชุมที่ไหนวันไหน"),
        ("the kettle is broken", "what about the kettle and all the other things we own"),
    ],
)
async def test_a_question_finds_its_answer_in_other_words(store: Store, said: str, asked: str) -> None:
    """
    In a question everything counts and nothing is required: other forms, scripts without spaces, words nobody said.
    """
    await say(store, "other", "nothing of the kind", "没有这样的事", "何もない")
    await say(store, "here", "before", said)

    assert [("here", 2)] == (await found(store, asked))[:1]
    (best, *_) = await store.search(asked)
    assert said[:6] in best.snippet


async def test_the_answer_that_follows_a_question_is_found(store: Store) -> None:
    """
    An answer often has none of the words; it stands beside them.
    """
    await say(store, "a", "something else", "what is the name of your dog?", "Biscuit", "and so on")

    assert {2, 3} == {pos for _, pos in (await found(store, "what is the name of the dog"))[:2]}


async def test_whom_a_question_names_is_preferred(store: Store) -> None:
    """
    Of two people who said the same, the one who is named is meant; who names two asks about neither's own words.
    """
    async with store.session("a") as session:
        for name in ("Ada Byron", "Grace", ""):
            await session.append(
                UserSaid(parts=(Text(text="I repaired an engine"),), source=Source(host="chat", sender=name))
            )

    assert ("a", 1) == (await found(store, "which engine did ada repair"))[0]
    assert ("a", 1) == (await found(store, "which engine did Ada Byron repair"))[0]
    assert ("a", 2) == (await found(store, "which engine did Grace repair"))[0]
    assert {1, 2, 3} == {pos for _, pos in await found(store, "which engine did Ada and Grace repair")}


async def test_a_question_about_a_day_prefers_what_was_said_then(store: Store, clock: ManualClock) -> None:
    """
    Days that a question names are relative to when it is asked.
    """
    for number in range(60):
        await say(store, f"day {number}", "we walked the dog")
        clock.advance(86_400)

    (near, *_) = await found(store, "where did we walk the dog two weeks ago")
    assert near[0] in {f"day {number}" for number in range(45, 50)}
    (early, *_) = await found(store, "where did we walk the dog in November")
    assert early[0] in {f"day {number}" for number in range(18)}


@pytest.mark.parametrize(
    ("asked", "first", "last"), [("last month", 15, 45), ("先月", 15, 45), ("two days ago", 58, 58)]
)
async def test_a_time_alone_lists_what_was_said_then(
    store: Store, clock: ManualClock, asked: str, first: int, last: int
) -> None:
    """
    In the order in which it was said; a single word is a word, although it may name a time.
    """
    for number in range(60):
        await say(store, f"day {number}", "hello", "and bye")
        clock.advance(86_400)

    expected = [(f"day {number}", pos) for number in range(first, last + 1) for pos in (1, 2)]
    assert expected == [(hit.key, hit.pos) for hit in await store.search(asked, limit=500)]
    assert expected[:10] == await found(store, asked)
    assert [] == await found(store, "yesterday")


async def test_a_find_shows_the_words_around_it_safely(store: Store) -> None:
    """
    A snippet is one line without control sequences, around the words that were asked for.
    """
    await say(store, "a", "padding " * 60 + "the \x1b]52;c;evil\x07needle here")

    (hit,) = await store.search("needle")
    assert "needle here" in hit.snippet
    assert "\x1b" not in hit.snippet
    assert hit.snippet.startswith("…")
    assert "user" == hit.role


async def test_a_search_can_stay_inside_one_session(store: Store) -> None:
    """
    The same words in other sessions do not count, and an unknown session has none.
    """
    await say(store, "a", "needle")
    await say(store, "b", "needle")

    assert ["b"] == [hit.key for hit in await store.search("needle", key="b")]
    assert () == await store.search("needle", key="unknown")


async def test_titles_are_found(store: Store) -> None:
    """
    Renaming a session makes it findable by its new name.
    """
    async with store.session("a") as session:
        await session.append(Described(title="Quarterly plan"))

    assert [("a", 1)] == await found(store, "quarterly")


async def test_entries_without_words_are_counted_and_not_found(store: Store) -> None:
    """
    An application's own entries are part of the session but say nothing.
    """
    async with store.session("a") as session:
        await session.append(Unknown(kind="acme.vote", fields={"for": "needle"}))

    (row,) = (await store.list()).sessions
    assert (2, 0, "") == (row.entries, row.messages, row.preview)
    assert [] == await found(store, "needle")


async def test_a_typing_error_leads_to_the_session_that_was_meant(store: Store) -> None:
    """
    The nearest names are suggested, whatever the case of their letters.
    """
    await say(store, "team:alice", "hello")

    for near in ("team:alcie", "TEAM:ALICE"):
        with pytest.raises(NoSession, match="team:alice"):
            await store.state(near)


@pytest.mark.parametrize("text", ["", '  "" ', "nowhere"])
async def test_asking_for_nothing_finds_nothing(store: Store, text: str) -> None:
    """
    No words are not every entry.
    """
    await say(store, "a", "the launch is on Friday")

    assert () == await store.search(text)


async def test_what_is_appended_is_listed_and_found_at_once(store: Store) -> None:
    """
    What was acknowledged before a question is in its answer, also while the session is open.
    """
    async with store.session("a") as session:
        await session.say("the needle")
        assert [("a", 1)] == await found(store, "needle")
        await session.append(Described(title="Found"))
        await session.commit()
        (row,) = (await store.list()).sessions
    assert ("Found", 3) == (row.title, row.entries)


async def test_what_is_removed_is_neither_listed_nor_found(store: Store) -> None:
    """
    Deleted for good or in the trash; from the trash it comes back with its words.
    """
    for key in ("gone", "thrown", "kept"):
        await say(store, key, "needle")
    await store.delete("gone")
    await store.throw_away("thrown")

    assert ["kept"] == await keys(store)
    assert [("kept", 1)] == await found(store, "needle")
    (thrown,) = await store.trash()
    await store.bring_back(thrown.name)
    assert {"thrown", "kept"} == set(await keys(store))
    assert {"thrown", "kept"} == {key for key, _ in await found(store, "needle")}


async def test_a_fork_is_listed_with_what_it_shares(store: Store) -> None:
    """
    A fork is a session of its own, as long as what it shares and its beginning.
    """
    await say(store, "a", "one", "two")
    await store.fork("a", "b", at=1)

    rows = {row.key: row for row in (await store.list()).sessions}
    assert (3, 3, "one") == (
        rows[SessionKey("a")].entries,
        rows[SessionKey("b")].entries,
        rows[SessionKey("b")].preview,
    )


async def test_making_it_anew_names_every_session_and_changes_nothing(store: Store) -> None:
    """
    It says how far it has come, and the answers stay as they were.
    """
    for key in ("a", "b", "c"):
        await say(store, key, "hello")
    before = await store.list()

    steps = [step async for step in store.reindex()]
    assert {"a", "b", "c"} == {step.key for step in steps}
    assert [3] == sorted({step.total for step in steps})
    assert before == await store.list()


async def test_an_empty_store_has_an_empty_list(store: Store) -> None:
    """
    Nothing was said, so there is nothing to list, find or make anew.
    """
    assert () == (await store.list()).sessions
    assert () == await store.search("x")
    assert [] == [step async for step in store.reindex()]


async def test_a_list_can_be_of_one_owner(store: Store) -> None:
    """
    Nobody else's sessions are in it; '' is the person of this machine, and not everybody.
    """
    for number, owner in enumerate(("alice", "", "bob\ud800", "alice")):
        async with store.session(f"s{number}") as session:
            await session.append(Described(owner=owner) if owner else Described(title="mine"))

    assert {"s0", "s3"} == {each.key for each in (await store.list(owner="alice")).sessions}
    assert {"s2"} == {each.key for each in (await store.list(owner="bob\ud800")).sessions}
    assert {"s1"} == {each.key for each in (await store.list(owner="")).sessions}
    assert 4 == len((await store.list()).sessions)
    assert ["bob\ud800"] == [each.owner for each in (await store.list(owner="bob\ud800")).sessions]


async def test_a_session_is_as_new_as_what_was_said_in_it_last(store: Store) -> None:
    """
    A message from elsewhere was said before it was written; what is noted behind it makes it no newer.
    """
    past = datetime(2020, 1, 2, tzinfo=UTC)
    async with store.session("imported") as session:
        await session.append(UserSaid(parts=(Text(text="harbour"),), said_at=past))
        listed = [(await store.list()).sessions[0].updated]
        await session.append(TurnEnded())
        listed.append((await store.list()).sessions[0].updated)
        (found,) = await store.search("harbour")
        await session.append(UserSaid(parts=(Text(text="now"),)))
        now = (await store.list()).sessions[0].updated

    assert [past, past] == listed
    assert past == found.at
    assert past < now


async def test_finds_are_as_a_tuple_of_them(store: Store) -> None:
    """
    They have a length, an order and parts, and are equal to the same finds; and a catalog is never far behind here.
    """
    await say(store, "a", "needle", "needle")
    hits, again = await store.search("needle"), await store.search("needle")
    assert (2, hits[:1], 0) == (len(hits), (hits[0],), hits.waiting)
    assert hits == again
    assert hash(hits) == hash(again)
    assert hits != [hits[0]]
    assert repr(hits).startswith("Hits((Hit(")
    assert [] == [step async for step in store.catch_up()]


async def test_a_search_of_one_owner_finds_nothing_of_another(store: Store, clock: ManualClock) -> None:
    """
    Words, phrases, parts of words, questions and days: what others said is in the way of nothing, however much it is.
    """
    text = Text(text="The heron stands near the harbour wall at noon")
    for owner, times in (("alice", 1), ("bob", 2_100), ("", 1)):
        async with store.session(f"of-{owner}") as session:
            await session.append(Described(owner=owner))
            await session.append(*[UserSaid(parts=(text,))] * times)
        clock.advance(1)

    question, day = "where does the heron stand near noon", "what was said today"
    for asked in ("heron", "heron harbour", '"harbour wall"', "hero", question, day):
        for owner in ("alice", ""):
            hits = await store.search(asked, limit=1, owner=owner)
            assert (asked, [f"of-{owner}"]) == (asked, [hit.key for hit in hits])
        assert () == await store.search(asked, owner="carol")
        assert () == await store.search(asked, owner="alice", key="of-bob")
        assert 1 == len(await store.search(asked, owner="alice", key="of-alice"))


async def test_what_is_due_is_told_in_order(store: Store) -> None:
    """
    Nothing of a store without sessions; then the earliest first, of one workspace where that is asked for.
    """
    assert () == await store.due()
    for key, seconds in (("late", 2), ("soon", 1)):
        async with store.session(key) as session:
            due = datetime(2030, 1, 1, 0, 0, seconds, tzinfo=UTC)
            await session.append(Described(workspace=f"at {key}"), WakeSet(due=due))

    assert ["soon", "late"] == [each.key for each in await store.due()]
    assert ["late"] == [each.key for each in await store.due(workspace="at late")]


async def test_changes_give_each_row_that_changed(store: Store, clock: ManualClock) -> None:
    """
    What is there already is no change; what is begun, said, described or removed is told once, as it is by then.
    """
    for key in ("old", "gone", "still"):
        await say(store, key, "hello")
    changes = await store.changes()
    assert ((), ()) == await told(changes)

    clock.advance(1)
    await say(store, "new", "one", "two")
    async with store.session("old") as session:
        await session.append(Described(title="Now with a title", tags=("x",), archived=True))
    await store.throw_away("gone")
    rows, removed = await told(changes)

    assert {("new", "", 3), ("old", "Now with a title", 3)} == {(row.key, row.title, row.entries) for row in rows}
    assert ("gone",) == removed
    assert ((), ()) == await told(changes)


async def test_changes_come_in_pieces_of_a_limit(store: Store) -> None:
    """
    No more rows are given at once than were asked for, and the rest is given by the next looks.
    """
    changes = await store.changes()
    for number in range(5):
        await say(store, f"s{number}", "hello")

    sizes, seen, more = [], set[str](), True
    while more:
        found = await changes.take(2)
        sizes.append(len(found.rows))
        seen |= {row.key for row in found.rows}
        more = found.more

    assert ([2, 2, 1], {f"s{number}" for number in range(5)}) == (sizes, seen)


async def test_a_session_that_comes_back_is_a_change(store: Store) -> None:
    """
    Whoever was told that a session is gone is told when it is there again.
    """
    await say(store, "a", "hello")
    changes = await store.changes()
    await store.throw_away("a")
    assert ((), ("a",)) == await told(changes)

    await store.bring_back((await store.trash())[0].name)
    rows, removed = await told(changes)

    assert (["a"], ()) == ([row.key for row in rows], removed)


async def told(changes: RowChanges) -> tuple[tuple[Listed, ...], tuple[str, ...]]:
    """What changed: rows, and keys that are gone."""
    found = await changes.take()
    assert (False, False) == (found.lost, found.more)
    return found.rows, found.removed
