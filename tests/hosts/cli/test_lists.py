"""`sessions` and `search`."""

import json
import shlex

import pytest

from holdfast import Described, ManualClock, Store
from tests.hosts.conftest import Shell
from tests.stores.files.catalog.late import kept_behind


def describe(shell: Shell, key: str, described: Described) -> None:
    """Add what is known about a session."""

    async def work(store: Store) -> None:
        async with store.session(key) as session:
            await session.append(described)

    shell.prepare(work)


def test_the_list_shows_key_count_and_first_words(notes: Shell) -> None:
    """
    A session without a title is known by what was said first.
    """
    notes.say("other", "Good morning")
    describe(notes, "other", Described(title="The boat", tags=("sea",)))

    ran = notes("sessions")

    assert 0 == ran.code
    heading, first, second = ran.out.splitlines()
    assert ["KEY", "USED", "MESSAGES", "SIZE", "TITLE"] == heading.split()
    assert first.startswith("other  just now           1")
    assert first.endswith("The boat #sea")
    assert second.startswith("notes  just now           4")
    assert second.endswith("Where is the harbour?")


def test_the_list_is_readable_for_programs(notes: Shell) -> None:
    """
    With --json every field is there, in UTC and bytes, and nothing else is printed.
    """
    (session,) = notes.json_of("sessions")["sessions"]

    assert ("notes", "", "Where is the harbour?", 5, 4) == (
        session["key"],
        session["title"],
        session["preview"],
        session["entries"],
        session["messages"],
    )
    assert session["updated"].endswith("Z")
    assert (False, [], 0) == (session["archived"], session["tags"], session["damaged"])


def test_an_empty_store_is_explained_and_not_made(shell: Shell) -> None:
    """
    Who starts with nothing learns where it looks and how to begin; looking leaves no trace.
    """
    ran = shell("sessions")

    assert (0, "") == (ran.code, ran.out)
    assert f"There are no sessions in {shell.store}, which does not exist." in ran.err
    assert "HOLDFAST_STORE" in ran.err
    assert "To begin one: `holdfast` talks to the agent." in ran.err
    assert {"sessions": [], "cursor": "", "waiting": 0} == shell.json_of("sessions")
    assert not shell.store.exists()


def test_a_long_list_is_read_in_pages(shell: Shell) -> None:
    """
    The command that the list ends with shows the next page, of the same kind of sessions.
    """
    for number in range(3):
        shell.say(f"talk-{number}", "hello")
        describe(shell, f"talk-{number}", Described(tags=("sea",)))

    ran = shell("sessions", "--limit", "2", "--tag", "sea")
    words = ran.err.split("holdfast ")[1].split()

    assert ["sessions", "--cursor", "--tag", "sea", "--limit", "2"] == [words[0], words[1], *words[3:]]
    assert ["talk-0"] == [line.split()[0] for line in shell(*words).out.splitlines()[1:]]


def test_archived_sessions_are_listed_when_asked_for(notes: Shell) -> None:
    """
    --all and --archived bring back what was put away, and a list without hits says so.
    """
    describe(notes, "notes", Described(archived=True))

    assert "" == notes("sessions").out
    assert "(archived)" in notes("sessions", "--all").out
    assert "(archived)" in notes("sessions", "--archived").out
    assert "No session is like that" in notes("sessions", "--tag", "none").err


def test_retention_moves_idle_sessions_and_says_so(shell: Shell) -> None:
    """
    Old sessions go to the trash only when a setting says so, with a line that tells how to get them back.
    """
    shell.say("old", "hello", clock=ManualClock(10**18))
    shell.say("new", "hello")

    kept, moved = shell("sessions"), shell("sessions", HOLDFAST_RETENTION_DAYS="1")

    assert 3 == len(kept.out.splitlines())
    assert 2 == len(moved.out.splitlines())
    assert "1 session idle for more than 1 days went to the trash (old)" in moved.err
    assert "old is back." in shell("trash", "restore", "old").out


@pytest.mark.parametrize("columns", [80, 64, 63, 40])
def test_no_line_is_wider_than_the_terminal(shell: Shell, columns: int) -> None:
    """
    Whatever keys, titles and tags are, each session keeps to its lines.
    """
    titles = ("港口" * 40, "A long title " * 20, "e\u0301" * 90, "short")
    for number, title in enumerate(titles):
        key = f"{number}-{'字' * 30 if number % 2 else 'k' * 90}"
        shell.say(key, "hello")
        describe(shell, key, Described(title=title, tags=("t" * 30, "工作")))

    lines = shell.typed("sessions", columns=columns, NO_COLOR="1").text.splitlines()

    assert (5 if columns >= 64 else 8) == len(lines)
    for line in lines:
        wide = sum(1 + ("\u2e80" < char < "\ufb00") for char in line if char != "\u0301")
        assert columns >= wide, line


def test_damage_stands_in_the_list(notes: Shell) -> None:
    """
    A damaged session is marked, also where its title is long.
    """
    describe(notes, "notes", Described(title="long " * 40))
    notes.damage("notes", 2)
    notes("reindex")

    assert "DAMAGED" in notes.typed("sessions", columns=80).text


def test_search_finds_words_and_says_where(notes: Shell) -> None:
    """
    A find has its session, its position, who said it, and the command that shows it.
    """
    ran = notes("search", "boat")

    assert (0, "notes 3  user, just now\n  And the boat?\n") == (ran.code, ran.out)
    assert "To read on: holdfast show notes --from 3\n" == ran.err
    (hit,) = notes.json_of("search", "boat")
    assert ("notes", 3, "user", "And the boat?") == (hit["key"], hit["pos"], hit["role"], hit["snippet"])


def test_search_finds_chinese_and_phrases(notes: Shell) -> None:
    """
    Scripts without spaces are searched by their characters, a phrase by its order.
    """
    notes.say("中文", "港口在哪里")

    assert "中文 1" in notes("search", "港口").out
    assert "notes 1" in notes("search", '"the harbour?"').out
    assert "" == notes("search", '"harbour the"').out


def test_search_in_one_session(notes: Shell) -> None:
    """
    --session looks in one session, and an unknown one is an error, not an empty answer.
    """
    notes.say("other", "Where is the harbour?")

    assert "other 1" in notes("search", "harbour", "--session", "other").out
    assert "notes" not in notes("search", "harbour", "--session", "other").out
    assert 3 == notes("search", "harbour", "--session", "othr").code


def test_finding_nothing_is_no_failure(shell: Shell) -> None:
    """
    A search without a find says what it looked for and ends well, on an empty store too.
    """
    ran = shell("search", "harbour", "light")

    assert (0, "") == (ran.code, ran.out)
    assert f"Nothing said in {shell.store} has any of: harbour light\n" == ran.err
    assert [] == shell.json_of("search", "harbour")


def test_what_is_suggested_is_about_the_same_store(notes: Shell) -> None:
    """
    A command that is there to be copied keeps the store and the number that were asked for.
    """
    notes.say("other", "hello")
    more = notes("sessions", "--store", str(notes.store), "--limit", "1").err
    found = notes("--store", str(notes.store), "search", "hello").err

    assert more.endswith(f" --limit 1 --store {notes.store}\n")
    assert f"To read on: holdfast show other --from 1 --store {notes.store}\n" == found


def test_signs_are_not_looked_for(notes: Shell) -> None:
    """
    Whoever searches for signs alone is told that only words are found, not that they were never said.
    """
    assert "Words are looked for; signs such as these are none." == notes("search", "?").err.splitlines()[1]


@pytest.mark.parametrize("text", ["", "  "])
def test_looking_for_nothing_is_a_mistake(notes: Shell, text: str) -> None:
    """
    An unset variable of a script is not answered as if something had been looked for.
    """
    ran = notes("search", text)

    assert (2, "holdfast: There is nothing to look for.") == (ran.code, ran.err.splitlines()[0])


def test_one_long_key_leaves_the_others_readable(notes: Shell) -> None:
    """
    In a pipe keys are whole, and one of any length does not push every line's columns away.
    """
    notes.say("l" * 300, "hello")
    lines = notes("sessions").out.splitlines()

    assert ["l" * 300] == [line.split()[0] for line in lines if line.startswith("l")]
    assert all(len(line) < 160 for line in lines if not line.startswith("l"))


@pytest.mark.parametrize("key", ["-dash", "with space 'and\"quotes", "a/../b", "中文", "ctrl\x1b[31m\x00", "l" * 300])
def test_the_command_to_read_on_works_as_it_stands(shell: Shell, key: str) -> None:
    """
    What is offered for copying leads to the find, whatever the key is.
    """
    shell.say(key, "harbour")

    offered = shell("search", "harbour").err.strip().removeprefix("To read on: holdfast ")

    assert "1  You" in shell(*shlex.split(offered)).out


def test_an_answer_that_is_not_complete_says_so(notes: Shell) -> None:
    """
    They come at once, with one line about what has yet to be checked; for programs it is beside the answer.
    """
    line = "This may be incomplete: 1 session still to be checked for changes."
    with kept_behind(notes.store):
        for words in (("sessions",), ("search", "harbour"), ("search", "harbour", "--json"), ("sessions", "--json")):
            ran = notes(*words)
            assert line in ran.err
            assert "There are no sessions" not in ran.err
        assert 1 == json.loads(notes("sessions", "--json").out)["waiting"]

    for words in (("sessions",), ("search", "harbour")):
        assert line not in notes(*words).err
    assert 0 == notes.json_of("sessions")["waiting"]
