"""Which conversation one is in."""

from pathlib import Path

import pytest

from holdfast.commands.answers import Cleared, Confirm, Facts, PickSession, Prose, SwitchTo
from holdfast.errors import NotThere
from holdfast.records.entries import Described
from tests.commands.conversations import Room, room


async def facts(here: Room, line: str) -> dict[str, str]:
    """What a line tells, by name."""
    return {each.name: each.value for each in (await here.one(line, Facts)).facts}


async def test_a_new_conversation_has_a_key_of_its_own(tmp_path: Path) -> None:
    """
    It is named after the folder, and the host makes it; this one is not touched.
    """
    async with room(tmp_path) as here:
        last = here.context.conversation.state.last
        first, second = await here.one("/new", SwitchTo), await here.one("/new", SwitchTo)

        assert first.key.startswith("harbour-")
        assert first.key != second.key
        assert first.create
        assert last == here.context.conversation.state.last
        assert not await here.context.store.exists(first.key)


async def test_clear_is_a_new_conversation_on_an_empty_screen(tmp_path: Path) -> None:
    """
    As in other agents; nothing is deleted.
    """
    async with room(tmp_path) as here:
        cleared, switched = await here.typed("/clear")

        assert Cleared() == cleared
        assert isinstance(switched, SwitchTo)
        assert switched.create
        assert await here.context.store.exists("talk")


async def test_another_conversation_is_found_by_its_name(tmp_path: Path) -> None:
    """
    By its key, or by words of its title; where several could be meant, the person chooses.
    """
    async with room(tmp_path) as here:
        for key, title in (("a", "The tides of spring"), ("b", "The tides of autumn"), ("c", "Boats")):
            await (await here.another(key)).context.conversation.describe(Described(title=title))

        assert SwitchTo(key="a") == await here.one("/resume a", SwitchTo)
        assert SwitchTo(key="b") == await here.one("/resume AUTUMN tides", SwitchTo)
        assert SwitchTo(key="c") == await here.one("/resume boats", SwitchTo)
        assert PickSession(query="tides") == await here.one("/resume tides", PickSession)
        assert PickSession() == await here.one("/resume", PickSession)
        assert "you are in" in (await here.one("/resume talk", Prose)).markdown
        with pytest.raises(NotThere, match="No conversation is called 'mountains'"):
            await here.typed("/resume mountains")


async def test_a_name_is_found_among_many(tmp_path: Path) -> None:
    """
    Also when more conversations were used since than are looked at together.
    """
    async with room(tmp_path, config="persistence = false\n") as here:
        await (await here.another("old")).context.conversation.describe(Described(title="Lighthouses"))
        for number in range(600):
            async with here.context.store.session(f"notes {number}") as session:
                await session.commit()

        assert SwitchTo(key="old") == await here.one("/resume lighthouses", SwitchTo)
        assert PickSession(query="notes") == await here.one("/resume notes", PickSession)


async def test_a_number_counts_the_others_of_this_workspace(tmp_path: Path) -> None:
    """
    1 is the one that was used last; this one is not counted.
    """
    async with room(tmp_path) as here:
        for key in ("older", "newer"):
            await here.another(key)

        assert [SwitchTo(key="newer"), SwitchTo(key="older")] == [
            await here.one(f"/resume {number}", SwitchTo) for number in (1, 2)
        ]
        for number in (0, 3):
            with pytest.raises(NotThere, match="this workspace has 2 other conversations"):
                await here.typed(f"/resume {number}")


async def test_a_session_is_told_with_where_it_is_and_how_safe(tmp_path: Path) -> None:
    """
    Everything one wants to know of it; what there is nothing to say of is left out.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        told = await facts(here, "/session")

        assert "talk" == told["key"]
        assert str(tmp_path / "store" / "sessions" / "talk") in told["where"]
        assert "2 messages, 1 turn, 5 entries" == told["length"]
        assert "survives a killed process" in told["safe"]
        assert "just now" in told["since"]
        assert "tokens in" in told["used"]
        assert {"title", "tags", "began as", "branches"}.isdisjoint(told)


async def test_a_session_tells_what_became_of_it(tmp_path: Path) -> None:
    """
    Its title, tags, where it came from, and that it went several ways.
    """
    async with room(tmp_path, "By the sea.", "Red.", "Blue.") as here:
        await here.say("Where is the harbour?")
        switched = (await here.typed("/fork"))[-1]
        assert isinstance(switched, SwitchTo)
        copy = await here.another(switched.key)
        await copy.typed("/rename The harbour")
        await copy.typed("/tag sea +work")
        await copy.say("And the boat?")
        await copy.typed("/rewind")
        await copy.say("And the flag?")
        told = await facts(copy, "/session")

        assert ("The harbour", "sea, work") == (told["title"], told["tags"])
        assert "a copy of talk up to 4" == told["began as"]
        assert "1 other way it went" in told["branches"]


async def test_what_is_only_in_memory_says_so(tmp_path: Path) -> None:
    """
    Nobody should learn it afterwards.
    """
    async with room(tmp_path, config="persistence = false\n") as here:
        told = await facts(here, "/session")

        assert "gone with this process" in told["where"]
        assert "gone with this process" in told["safe"]
        assert "gone with this process" in await here.text("/save")


async def test_a_title_is_given(tmp_path: Path) -> None:
    """
    It is an entry like everything else.
    """
    async with room(tmp_path) as here:
        await here.typed("/rename  Tides of spring ")

        assert "Tides of spring" == here.context.conversation.state.title


async def test_tags_are_added_and_taken_away(tmp_path: Path) -> None:
    """
    With a sign in front or none; what changes nothing writes nothing but the command.
    """
    async with room(tmp_path) as here:
        assert "No tags" in await here.text("/tag")
        await here.typed("/tag sea #work +old")
        await here.typed("/tag -old")
        last = here.context.conversation.state.last
        assert "Tags: sea, work." == await here.text("/tag sea")

        assert ("sea", "work") == here.context.conversation.state.tags
        assert last + 1 == here.context.conversation.state.last


async def test_deleting_asks_and_goes_into_the_trash(tmp_path: Path) -> None:
    """
    The question names what goes; afterwards a new conversation begins, and the old one can come back.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        asked = await here.one("/delete", Confirm)
        assert "talk (2 messages)" in asked.question
        assert await here.context.store.exists("talk")

        said, switched = await here.typed(asked.then)

        assert isinstance(said, Prose)
        assert "holdfast trash restore talk" in said.markdown
        assert isinstance(switched, SwitchTo)
        assert switched.create
        assert not await here.context.store.exists("talk")
        assert ["talk"] == [each.key for each in await here.context.store.trash()]


async def test_what_cannot_be_deleted_stays_open(tmp_path: Path) -> None:
    """
    The reason is told, and the host opens the same conversation again.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        trash = tmp_path / "store" / "trash"
        trash.write_text("in the way")
        said, switched = await here.typed("/delete --yes")

        assert isinstance(said, Prose)
        assert "It was not deleted." in said.markdown
        assert SwitchTo(key="talk") == switched
        assert "By the sea." in await (await here.another("talk")).text("/history")
