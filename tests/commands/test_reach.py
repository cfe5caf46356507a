"""What a host grants, and what commands do without it."""

import json
from pathlib import Path

import msgspec
import pytest

from holdfast.commands.answers import DocumentFile, json_of
from holdfast.commands.chat_table import IN_CHAT
from holdfast.commands.command import EVERYTHING, Command, Reach
from holdfast.commands.complete import complete
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.help import described
from holdfast.commands.inputs import Inputs
from holdfast.commands.run import run
from holdfast.commands.shell_table import IN_SHELL
from holdfast.errors import BadInput
from tests.commands.conversations import Room, room

COMMANDS = tuple(dict.fromkeys((*IN_SHELL, *IN_CHAT)))

CANARY = "canary7731"


def granted(here: Room, *reach: Reach) -> Room:
    """The same conversation in a host that grants only this."""
    context = ConversationContext(
        agent=here.agent,
        conversation=here.context.conversation,
        environment=here.context.environment,
        reach=frozenset(reach),
    )
    return Room(here.agent, context)


@pytest.mark.parametrize("line", ["/save a.md", "/export a.md", "/export md ~/a.md", "/save /tmp/a.md --replace"])
async def test_without_own_files_a_path_is_refused(tmp_path: Path, line: str) -> None:
    """
    And no file is written.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(BadInput, match="From here no file on your machine can be reached"):
            await granted(here, "conversation", "store").typed(line)

        assert before == sorted(tmp_path.rglob("*"))


@pytest.mark.parametrize(("line", "begins"), [("/export", b"# "), ("/export html", b"<!doctype"), ("/save", b"# ")])
async def test_without_own_files_the_document_is_given_back(tmp_path: Path, line: str, begins: bytes) -> None:
    """
    With a name and a type, and no file is written.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        *_, document = await granted(here, "conversation").typed(line)
        assert isinstance(document, DocumentFile)
        written = b"".join([piece async for piece in document.pieces])

        assert written.lower().startswith(begins)
        assert b"By the sea." in written
        assert document.name in {"talk.md", "talk.html"}
        assert document.media_type in {"text/markdown", "text/html"}
        assert [] == [each for each in here.root.iterdir() if each.name != ".git"]


async def test_a_copy_needs_no_files(tmp_path: Path) -> None:
    """
    The text is given back; a path is no number of a block of code.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        channel = granted(here, "conversation")

        assert "By the sea." in str(await channel.typed("/copy"))
        with pytest.raises(BadInput, match="cannot take"):
            await channel.typed("/copy /tmp/a.md")


async def test_without_own_files_no_path_of_the_machine_is_told(tmp_path: Path) -> None:
    """
    Neither where the conversation lies nor where the workspace is.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        channel = granted(here, "conversation", "store")
        for line in ("/session", "/save", "/status", "/usage", "/context", "/history", "/search sea"):
            said = str(await channel.typed(line))
            assert str(here.root) not in said
            assert str(tmp_path / "store") not in said
        for line in ("/config", "/doctor"):
            with pytest.raises(BadInput, match="cannot do that here"):
                await channel.typed(line)


async def test_only_what_is_granted_is_offered_and_run(tmp_path: Path) -> None:
    """
    By help, completion, and for those who type it all the same.
    """
    async with room(tmp_path, "By the sea.") as here:
        channel = granted(here, "conversation")
        lacking = [each.name for each in IN_CHAT if not set(each.reach) <= {"conversation"}]
        shown = await channel.text("/help")
        offered = [each.text for each in await complete("/", channel.context)]

        assert {"clear", "config", "doctor", "init", "quit", "resume", "search", "shell", "theme"} == set(lacking)
        for name in lacking:
            assert f"/{name} " not in shown
            assert name not in offered
            with pytest.raises(BadInput, match="cannot do that here"):
                await channel.typed(f"/{name}")
        with pytest.raises(BadInput, match="It is for a terminal"):
            await channel.typed("!date")
        assert "Nothing was broken off" in str(await channel.typed("/continue"))


async def test_another_conversation_needs_the_store(tmp_path: Path) -> None:
    """
    A key is refused where only this conversation can be reached, whatever the command.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.another("other")
        context = granted(here, "conversation").context
        for command in IN_SHELL:
            if command.chat.group and any(each.name == "key" and each.reach for each in command.arguments):
                values = {"key": ["other"] if command.name == "delete" else "other", "title": CANARY, "yes": True}
                with pytest.raises(BadInput, match="cannot do that here"):
                    await run(command, Inputs(command, values), context)

        assert await here.context.store.exists("other")
        assert "" == (await here.context.store.state("other")).title


async def test_a_command_of_both_does_the_same_in_both(tmp_path: Path) -> None:
    """
    What is true of a session after the command of a shell is true after that of a chat, and programs get the same.
    """
    async with room(tmp_path, "By the sea.", "Red.") as here:
        await here.say("Where is the harbour?", "And the boat?")
        shell = CommandContext(lambda: here.agent.loaded, environment=here.context.environment)
        by_name = {each.name: each for each in IN_SHELL}
        await here.agent.engine.leave("talk")
        for name, values in (("rename", {"title": "The harbour"}), ("tag", {"changes": ["sea"]})):
            await run(by_name[name], Inputs(by_name[name], {"key": "talk", **values}), shell)
        await shell.close()
        again = await here.another("talk")
        state = again.context.conversation.state
        found = json_of(await run(by_name["tag"], Inputs(by_name["tag"], {}, line="/tag"), again.context))

        assert ("The harbour", ("sea",)) == (state.title, state.tags)
        assert {"key": "talk", "tags": ["sea"]} == found


def test_every_command_says_what_it_needs() -> None:
    """
    In words that hosts know, and nothing that is not needed by anybody.
    """
    needed = {each for command in COMMANDS for each in command.reach}
    needed |= {each.reach for command in COMMANDS for each in command.arguments if each.reach}

    assert EVERYTHING == needed


def called(command: Command) -> str:
    """A command by its name."""
    return command.name


@pytest.mark.parametrize("command", IN_CHAT, ids=called)
def test_every_command_is_described_as_data(command: Command) -> None:
    """
    For palettes and menus: JSON has it as it is, with each argument that can be typed.
    """
    found = described(command)

    assert found == json.loads(json.dumps(found))
    assert (command.name, command.usage, list(command.reach)) == (found["name"], found["usage"], found["reach"])
    assert [each.name for each in command.arguments if each.chat] == [
        each["name"] for each in msgspec.convert(found["arguments"], list[dict[str, object]])
    ]
