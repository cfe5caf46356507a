"""What can stand next in a line."""

from pathlib import Path

from holdfast.commands.chat_table import IN_CHAT
from holdfast.commands.complete import complete
from holdfast.records.entries import Described
from tests.commands.conversations import Room, room


async def texts(here: Room, line: str) -> list[str]:
    """What a line may become."""
    found = await complete(line, here.context)
    assert all(line.endswith(line[len(line) - each.replaces :]) for each in found)
    return [line[: len(line) - each.replaces] + each.text for each in found]


async def test_commands_are_completed(tmp_path: Path) -> None:
    """
    By how they begin, or else by what they say of themselves; other names only where no name fits.
    """
    async with room(tmp_path) as here:
        assert [f"/{each.name}" for each in IN_CHAT] == await texts(here, "/")
        assert ["/resume", "/rename", "/rewind", "/remember", "/remind"] == await texts(here, "/re")
        assert ["/exit"] == await texts(here, "/exi")
        assert "/compact" in await texts(here, "/room")
        assert [] == await texts(here, "/xyzzy")


async def test_what_is_no_command_is_not_completed(tmp_path: Path) -> None:
    """
    Neither words for the model nor what stands after an unknown command, or after one that takes nothing.
    """
    async with room(tmp_path) as here:
        for line in ("", "hello", "/nonsense x", "/stop x", "/new "):
            assert [] == await texts(here, line)


async def test_arguments_are_completed(tmp_path: Path) -> None:
    """
    With what there is at the moment.
    """
    async with room(tmp_path, environment={"OPENAI_API_KEY": "sk-something"}) as here:
        assert ["/help rewind"] == await texts(here, "/help rew")
        assert ["/model openai:gpt-6.1-sol"] == await texts(here, "/model gpt")
        assert ["/theme dark"] == await texts(here, "/theme d")
        assert ["/export md", "/export html", "/export json", "/export jsonl"] == await texts(here, "/export ")
        assert ["/config ui.theme"] == await texts(here, "/config ui.the")
        assert ["/permissions allow", "/permissions ask"] == await texts(here, "/permissions a")


async def test_sessions_are_completed_by_key_and_title(tmp_path: Path) -> None:
    """
    Those of this workspace, without this one, made safe to show.
    """
    async with room(tmp_path) as here:
        other = await here.another("notes")
        await other.context.conversation.describe(Described(title="Tides\x1b[31m of spring"))
        found = await complete("/resume tides", here.context)

        assert [("notes", 5)] == [(each.text, each.replaces) for each in found]
        assert found[0].help.isprintable()
        assert ["/resume notes"] == await texts(here, "/resume ")


async def test_branches_are_completed_with_what_was_said(tmp_path: Path) -> None:
    """
    As /tree numbers them.
    """
    async with room(tmp_path, *"abc") as here:
        assert [] == await texts(here, "/tree ")
        await here.say("root", "left")
        await here.typed("/rewind")
        await here.say("right")
        found = await complete("/tree ", here.context)

        assert [("1", True), ("2", False)] == [(each.text, "left" in each.help) for each in found]
