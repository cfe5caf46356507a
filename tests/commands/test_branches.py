"""Going back, taking that back, copies, and the branches there are."""

from pathlib import Path

import pytest

from holdfast.commands.answers import Confirm, Moved, PickBranch, Prose, SwitchTo, Typed
from holdfast.commands.past import newest_first
from holdfast.errors import BadInput, BeyondEnd, NotThere
from holdfast.records.entries import CommandRan, ModelReplied, Rewound, TurnEnded, UserSaid
from holdfast.records.parts import Text, plain_text
from tests.commands.conversations import Room, room

TIDES = ("When is high water?", "And low water?", "And at night?")


async def path(here: Room) -> list[str]:
    """What the person said in the conversation as it is now."""
    found = [record.entry async for record in newest_first(here.context.session)]
    return [plain_text(entry.parts) for entry in reversed(found) if isinstance(entry, UserSaid)]


async def test_a_rewind_goes_back_before_a_turn(tmp_path: Path) -> None:
    """
    Before the last one, or further; what was said is put into the input, to be said differently.
    """
    async with room(tmp_path, "Noon.", "Six.", "Seven.") as here:
        await here.say(*TIDES)
        moved, typed = await here.typed("/rewind")

        assert isinstance(moved, Moved)
        assert moved.head == here.context.conversation.state.head
        assert Typed(text=TIDES[2]) == typed
        assert list(TIDES[:2]) == await path(here)
        assert Typed(text=TIDES[0]) == (await here.typed("/rewind 2"))[1]
        assert [] == await path(here)


async def test_a_rewind_goes_to_a_position(tmp_path: Path) -> None:
    """
    Any that the log has.
    """
    async with room(tmp_path, "Noon.", "Six.") as here:
        await here.say(*TIDES[:2])

        assert 4 == (await here.one("/rewind @4", Moved)).head
        assert [TIDES[0]] == await path(here)
        with pytest.raises(BeyondEnd):
            await here.typed("/rewind @4000")


@pytest.mark.parametrize("line", ["/rewind 0", "/rewind 3", "/rewind"])
async def test_nobody_goes_back_further_than_the_beginning(tmp_path: Path, line: str) -> None:
    """
    The error says how far one can go, and nothing is changed.
    """
    async with room(tmp_path, "Noon.", "Six.") as here:
        if line != "/rewind":
            await here.say(*TIDES[:2])
        last = here.context.conversation.state.last
        with pytest.raises(BadInput):
            await here.typed(line)

        assert last == here.context.conversation.state.last


async def test_going_back_never_ends_inside_a_turn(tmp_path: Path) -> None:
    """
    What was said while a turn ran is part of it, or begins its own; it is no place to go back to.
    """
    async with room(tmp_path) as here:
        await here.context.session.append(
            UserSaid(parts=(Text(text="one"),)),
            UserSaid(parts=(Text(text="steered"),), enters="step"),
            ModelReplied(parts=(Text(text="1"),)),
            UserSaid(parts=(Text(text="queued"),), enters="after"),
            TurnEnded(),
            ModelReplied(parts=(Text(text="2"),)),
            TurnEnded(),
        )
        ended = here.context.conversation.state.last - 2

        assert ended == (await here.one("/rewind", Moved)).head
        await here.typed("/undo")
        assert Typed(text="one") == (await here.typed("/rewind 2"))[1]
        assert [] == await path(here)


async def test_undo_takes_a_rewind_back_and_forth(tmp_path: Path) -> None:
    """
    As long as nothing was said since; looking around in between does not matter.
    """
    async with room(tmp_path, "Noon.", "Six.") as here:
        await here.say(*TIDES[:2])
        await here.typed("/rewind")
        await here.typed("/context")
        assert isinstance((await here.typed("/undo"))[0], Moved)
        assert list(TIDES[:2]) == await path(here)
        await here.typed("/undo")

        assert [TIDES[0]] == await path(here)


async def test_undo_offers_to_go_back_where_nothing_is_rewound(tmp_path: Path) -> None:
    """
    It asks first and names what goes, also when a rewind is long ago; nothing is changed by asking.
    """
    async with room(tmp_path, "Noon.", "Six.", "Seven.") as here:
        with pytest.raises(BadInput, match="Nothing was said here yet"):
            await here.typed("/undo")
        await here.say(*TIDES[:2])
        await here.typed("/rewind")
        await here.say(TIDES[2])
        last = here.context.conversation.state.last
        asked = await here.one("/undo", Confirm)

        assert TIDES[2] in asked.question
        assert last == here.context.conversation.state.last
        assert Typed(text=TIDES[2]) == (await here.typed(asked.then))[1]
        assert [TIDES[0]] == await path(here)


async def test_going_back_leaves_no_command_on_a_branch(tmp_path: Path) -> None:
    """
    The log says that it was rewound; a command beside it would begin a branch of its own.
    """
    async with room(tmp_path, "Noon.") as here:
        await here.say(TIDES[0])
        await here.typed("/rewind")
        await here.typed("/undo")
        kinds = [type(record.entry) async for record in here.context.session.read()]

        assert 2 == kinds.count(Rewound)
        assert CommandRan not in kinds


async def test_a_fork_goes_on_elsewhere(tmp_path: Path) -> None:
    """
    The copy has what was said up to now, or up to a position; this one stays as it is.
    """
    async with room(tmp_path, "Noon.", "Six.") as here:
        await here.say(*TIDES[:2])
        for line, expected in (("/fork", TIDES[:2]), ("/fork 4", TIDES[:1]), ("/fork @4", TIDES[:1])):
            said, switched = await here.typed(line)
            assert isinstance(said, Prose)
            assert isinstance(switched, SwitchTo)
            assert list(expected) == await path(await here.another(switched.key))

        assert list(TIDES[:2]) == await path(here)
        with pytest.raises(BeyondEnd):
            await here.typed("/fork 4000")


async def test_one_way_is_no_tree(tmp_path: Path) -> None:
    """
    Then it is said how there could be more; going back and forth makes none.
    """
    async with room(tmp_path, "Noon.", "Six.") as here:
        assert "one way only" in (await here.one("/tree", Prose)).markdown
        await here.say(*TIDES[:2])
        await here.typed("/rewind")
        await here.typed("/session")
        await here.typed("/undo")

        assert "one way only" in (await here.one("/tree", Prose)).markdown


async def test_a_tree_shows_what_was_said_where(tmp_path: Path) -> None:
    """
    What branches share stands once; each branch has a number, and the one that one is on is marked.
    """
    async with room(tmp_path, *"abcdefgh") as here:
        await here.say("root", "left")
        await here.typed("/rewind")
        await here.say("right", "right on")
        await here.typed("/rewind")
        await here.say("right off")
        picked = await here.one("/tree", PickBranch)

        lines = [line.split("  (@")[0] for line in picked.drawing.splitlines()]
        assert [
            "root",
            "├─ 1  left",
            "└─ right",
            "   ├─ 2  right on",
            "   └─ 3 (here)  right off",
        ] == lines
        assert [(1, False), (2, False), (3, True)] == [(each.number, each.current) for each in picked.choices]


async def test_a_tree_shows_where_one_stands_with_nothing_said(tmp_path: Path) -> None:
    """
    Right after going back, the place is a branch of its own, also before everything.
    """
    async with room(tmp_path, *"abc") as here:
        await here.say("one", "two")
        await here.typed("/rewind")
        assert "├─ 1 (here)  nothing more was said" in (await here.one("/tree", PickBranch)).drawing
        await here.typed("/rewind")

        assert "1 (here)  nothing more was said" in (await here.one("/tree", PickBranch)).drawing


async def test_another_answer_is_another_branch(tmp_path: Path) -> None:
    """
    Where only the model said something else, that is shown.
    """
    async with room(tmp_path) as here:
        session = here.context.session
        said = await session.append(UserSaid(parts=(Text(text="Heads or tails?"),)))
        for words in ("Heads.", "Tails."):
            await session.append(ModelReplied(parts=(Text(text=words),)), TurnEnded())
            if words == "Heads.":
                await session.rewind(said)
        drawing = (await here.one("/tree", PickBranch)).drawing

        assert "1  answered: Heads." in drawing
        assert "2 (here)  answered: Tails." in drawing


async def test_a_branch_is_chosen_by_its_number(tmp_path: Path) -> None:
    """
    The numbers stay the same; the way back is /undo.
    """
    async with room(tmp_path, *"abcd") as here:
        await here.say("root", "left")
        await here.typed("/rewind")
        await here.say("right")
        await here.one("/tree 1", Moved)
        assert ["root", "left"] == await path(here)
        assert "you are on" in (await here.one("/tree 1", Prose)).markdown
        await here.typed("/undo")
        assert ["root", "right"] == await path(here)

        with pytest.raises(NotThere, match="the conversation has 2 branches"):
            await here.typed("/tree 3")


async def test_a_long_conversation_is_drawn(tmp_path: Path) -> None:
    """
    Thousands of messages are one line as long as nothing parts.
    """
    async with room(tmp_path) as here:
        session = here.context.session
        for number in range(0, 3_000, 500):
            await session.append(
                *(UserSaid(parts=(Text(text=f"message {number + each}"),)) for each in range(500)), TurnEnded()
            )
        await session.rewind(2_000)
        await session.append(UserSaid(parts=(Text(text="elsewhere"),)), TurnEnded())

        assert 3 == len((await here.one("/tree", PickBranch)).drawing.splitlines())
