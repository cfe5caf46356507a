"""A turn that runs, and one that was broken off."""

import asyncio
from pathlib import Path

import pytest

from holdfast.agent.events import TextStreamed
from holdfast.commands.answers import PickSession, Prose
from holdfast.commands.command import EVERYTHING
from holdfast.commands.permissions import APPROVED
from holdfast.commands.run import is_command
from holdfast.commands.steer import GO_ON
from holdfast.errors import BadInput
from holdfast.records.entries import CommandRan, TurnEnded, UserSaid
from holdfast.records.parts import Text, plain_text
from tests.commands.conversations import Room, room

ENDLESS = [{"say": "Once upon a time"}, {"fail": "silence", "after": 1}]


async def begin(here: Room, text: str) -> None:
    """Say something, and come back when the answer has begun."""
    with here.context.conversation.watch() as watch:
        await here.context.conversation.send(text)
        async for event in watch:
            if isinstance(event, TextStreamed):
                return


async def said(here: Room) -> list[tuple[str, str]]:
    """What was said, and when it was meant to be heard."""
    return [
        (plain_text(record.entry.parts), record.entry.enters)
        async for record in here.context.session.read()
        if isinstance(record.entry, UserSaid)
    ]


async def test_a_turn_is_stopped(tmp_path: Path) -> None:
    """
    At once, and what was said of it stays; where nothing runs that is said.
    """
    async with room(tmp_path, ENDLESS) as here:
        assert "Nothing runs." == await here.text("/stop")
        await begin(here, "Tell me a story.")
        assert here.context.conversation.busy
        assert "Stopped" in await here.text("/stop")
        ended = await here.context.conversation.idle()

        assert isinstance(ended, TurnEnded)
        assert "cancelled" == ended.why


async def test_words_enter_a_running_turn_or_wait_for_its_end(tmp_path: Path) -> None:
    """
    Both are written down at once, and the person is told when they are heard.
    """
    async with room(tmp_path, ENDLESS, "Fine.", "Fine.") as here:
        await begin(here, "Tell me a story.")
        assert "next step" in await here.text("/steer shorter, please")
        assert "end of the turn" in await here.text("/queue and then another")
        await here.context.conversation.cancel()
        await here.context.conversation.idle()

        assert [("Tell me a story.", "now"), ("shorter, please", "step"), ("and then another", "after")] == await said(
            here
        )


async def test_where_nothing_runs_they_are_simply_said(tmp_path: Path) -> None:
    """
    There is nothing to tell then: the answer comes.
    """
    async with room(tmp_path, "One.", "Two.") as here:
        for line in ("/steer first", "/queue second"):
            assert () == await here.typed(line)
            await here.context.conversation.idle()

        assert [("first", "now"), ("second", "now")] == await said(here)
        assert 2 == here.context.conversation.state.turns


async def test_what_is_said_may_have_several_lines(tmp_path: Path) -> None:
    """
    Everything after the name is said, as it was typed.
    """
    async with room(tmp_path, "One.") as here:
        await here.typed("/steer one\n  two\nthree")
        await here.context.conversation.idle()

        assert [("one\n  two\nthree", "now")] == await said(here)


async def test_a_broken_turn_is_gone_on_with(tmp_path: Path) -> None:
    """
    With one it goes on; without one there are sessions to choose from.
    """
    async with room(tmp_path, "Here I am.") as here:
        async with here.context.store.session("broken") as session:
            await session.append(UserSaid(parts=(Text(text="Are you there?"),)))
        broken = await here.another("broken")
        assert "Going on" in (await broken.one("/continue", Prose)).markdown
        await broken.context.conversation.idle()

        assert 1 == broken.context.conversation.state.turns
        assert PickSession() == await broken.one("/continue", PickSession)


async def test_commands_work_while_a_turn_runs(tmp_path: Path) -> None:
    """
    Looking does not wait; what would change the course under the turn is refused.
    """
    async with room(tmp_path, ENDLESS) as here:
        await begin(here, "Tell me a story.")
        for line in ("/status", "/context", "/session", "/usage", "/history", "/tree", "/help"):
            await asyncio.wait_for(here.typed(line), 20)
        assert "a turn runs" in await here.text("/status")
        for line in ("/rewind", "/compact"):
            with pytest.raises(BadInput, match="A turn runs"):
                await here.typed(line)


async def test_a_stopped_turn_is_gone_on_with(tmp_path: Path) -> None:
    """
    The model is told to, and answers; after an answer there is nothing to go on with.
    """
    async with room(tmp_path, ENDLESS, "The end.") as here:
        await begin(here, "Tell me a story.")
        await here.context.conversation.cancel()
        assert "Going on with the turn that was stopped" in await here.text("/continue")
        ended = await here.context.conversation.idle()

        assert ended is not None
        assert "answered" == ended.why
        assert [("Tell me a story.", "now"), (GO_ON, "now")] == await said(here)
        assert PickSession() == await here.one("/continue", PickSession)


async def test_a_plan_is_approved(tmp_path: Path) -> None:
    """
    The mode is told and switched; approving leaves plan mode and tells the model; without plan mode it is refused.
    """
    async with room(tmp_path, "Done.", "Done.") as here:
        assert "Mode ask" in await here.text("/mode")
        with pytest.raises(BadInput, match="plan mode is off"):
            await here.typed("/approve")
        with pytest.raises(BadInput, match="cannot take 'yolo'"):
            await here.typed("/mode yolo")
        for words, mode in (("", "ask"), ("edits", "edits")):
            assert "only reading" in await here.text("/mode plan")
            assert "The plan is approved" in await here.text(f"/approve {words}")
            assert mode == here.context.conversation.permissions.mode
            await here.context.conversation.idle()

        assert [(APPROVED, "now")] * 2 == await said(here)


async def test_a_mode_belongs_to_the_open_conversation(tmp_path: Path) -> None:
    """
    A fork, another conversation and the same one opened again begin with `ask`.
    """
    async with room(tmp_path, "Fine.") as here:
        await here.say("Hello")
        await here.typed("/mode edits")
        await here.agent.engine.store.fork(here.context.conversation.key, "copy")
        others = [await here.another("copy"), await here.another("else")]
        assert ["ask", "ask"] == [each.context.conversation.permissions.mode for each in others]
        await here.agent.engine.leave(here.context.conversation.key)
        again = await here.another(here.context.conversation.key)

        assert "ask" == again.context.conversation.permissions.mode


async def test_a_typed_command_is_run_and_told(tmp_path: Path) -> None:
    """
    What it wrote is said to the model, also while a plan is made; that it was typed is in the log before it runs.
    """
    async with room(tmp_path, "I see.") as here:
        (here.root / "boats.txt").write_text("```\nblue\n```\n")
        await here.typed("/mode plan")
        assert () == await here.typed("!cat boats.txt; echo password=aB3dE6gH9jK2mN5pQ8 | head -1")
        await here.context.conversation.idle()
        log = [record.entry async for record in here.context.session.read()]
        ran = next(index for index, each in enumerate(log) if isinstance(each, CommandRan) and "!cat" in each.command)
        ((text, _),) = await said(here)

        assert any(isinstance(each, UserSaid) for each in log[ran:])
        assert "\n````\n$ cat boats.txt; echo" in text
        assert "exit code 0\n```\nblue\n```\n" in text
        assert text.endswith("\n````")


async def test_a_typed_command_that_is_denied_is_not_run(tmp_path: Path) -> None:
    """
    A rule that denies wins; an empty command is refused; and only a terminal can run one.
    """
    async with room(tmp_path, "I see.") as here:
        await here.typed("/permissions deny shell:touch *")
        with pytest.raises(BadInput, match="A rule denies this command"):
            await here.typed("!touch x")
        with pytest.raises(BadInput, match="No command is given"):
            await here.typed("/shell")
        here.context.reach = EVERYTHING - {"terminal"}
        with pytest.raises(BadInput, match="cannot do that here"):
            await here.typed("!echo x")

        assert not (here.root / "x").exists()
        assert [] == await said(here)


def test_only_a_single_line_is_a_typed_command() -> None:
    """
    What has several lines is words for the model, and so is a mark by itself.
    """
    assert [True, True, False, False] == [is_command(each) for each in ("!ls", "! ls -l\n", "!ls\nand then", "! ")]
