"""Commands of the user's own: what they say, where they count, and that they grant nothing."""

from pathlib import Path

import msgspec
import pytest

from holdfast.agent.models import FixedModels
from holdfast.commands.answers import Prose
from holdfast.commands.complete import complete
from holdfast.commands.own_commands import OwnCommand, filled_in, own_commands
from holdfast.commands.past import last_said
from holdfast.errors import BadInput
from holdfast.memory.own_words import OwnWords
from holdfast.records.entries import ToolFinished, UserSaid
from tests.commands.conversations import Room, room

REVIEW = """---
description: Review what changed since a branch
arguments: "[BASE]"
tools: [read_file, grep]
---
Review the changes since $1. Look at $ARGUMENTS.
"""


def write(folder: Path, name: str, text: str) -> None:
    """Put a command into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)


def users(tmp_path: Path) -> Path:
    """The user's folder of commands, in a room."""
    return tmp_path / ".config" / "holdfast" / "commands"


async def said(here: Room, line: str) -> str:
    """What the model is told by a line."""
    assert () == await here.typed(line)
    await here.context.conversation.idle()
    return await last_said(here.context.session)


async def test_a_command_says_its_text_with_what_was_typed(tmp_path: Path) -> None:
    """
    The log has what the model was told, and that it was typed as a command.
    """
    write(users(tmp_path), "review", REVIEW)
    async with room(tmp_path, "Fine.", "Fine.") as here:
        assert "Review the changes since main. Look at main src." == await said(here, "/review main src")
        assert ["/review main src"] == [each.command for each in await here.ran()]
        assert "Review the changes since . Look at ." == await said(here, "/Review")


@pytest.mark.parametrize(
    ("text", "rest", "expected"),
    [
        ("Do it.", "", "Do it."),
        ("Do it.", "now, please", "Do it.\n\nnow, please"),
        ("$2 before $1, not $10 or $HOME", "'a b' c", "c before a b, not $10 or $HOME"),
        ("All: $ARGUMENTS", "it's open", "All: it's open"),
        ("$1", "$1 $ARGUMENTS", "$1"),
    ],
)
def test_where_arguments_stand(text: str, rest: str, expected: str) -> None:
    """
    Each by its number, or all of them; behind the text where it names no place. What is filled in stays as it is.
    """
    command = OwnCommand(name="x", description="", arguments="", tools=(), text=text, project=False)

    assert expected == filled_in(command, rest)


async def test_a_project_has_commands_too_and_the_user_s_count_more(tmp_path: Path) -> None:
    """
    A project's are marked as such wherever they are listed.
    """
    write(users(tmp_path), "review", REVIEW)
    write(tmp_path / "harbour" / ".holdfast" / "commands", "review", "Other words.")
    write(tmp_path / "harbour" / ".holdfast" / "commands", "deploy", "Deploy to $1.")
    async with room(tmp_path, "Done.") as here:
        assert "Deploy to test." == await said(here, "/deploy test")
        found = own_commands(here.agent.loaded, here.context.environment)
        listed = await here.text("/help")

        assert [False, True] == [found[name].project for name in ("review", "deploy")]
        assert "Your own" in listed
        assert "/deploy" in listed
        assert "Deploy to $1. (project)" in listed
        assert ["deploy"] == [each.text for each in await complete("/dep", here.context)]
        about = (await here.one("/help review", Prose)).markdown
        assert "`/review [BASE]`" in about
        assert "It needs `read_file`, `grep`." in about
        assert "the project's own" in (await here.one("/help deploy", Prose)).markdown


async def test_nothing_that_comes_with_holdfast_is_replaced(tmp_path: Path) -> None:
    """
    A file of such a name counts for nothing, nor does one whose name cannot be typed.
    """
    for name in ("help", "quit", "q", "Not a name", ".hidden"):
        write(users(tmp_path), name, "Words.")
    async with room(tmp_path) as here:
        assert {} == own_commands(here.agent.loaded, here.context.environment)
        with pytest.raises(BadInput, match="There is no command /nothing"):
            await here.typed("/nothing")


async def test_a_link_of_a_project_is_not_followed(tmp_path: Path) -> None:
    """
    It could lead anywhere; the user's own may lie elsewhere.
    """
    write(tmp_path / "elsewhere", "secret", "The words of a file outside.")
    folder = tmp_path / "harbour" / ".holdfast" / "commands"
    folder.mkdir(parents=True)
    (folder / "linked.md").symlink_to(tmp_path / "elsewhere" / "secret.md")
    users(tmp_path).mkdir(parents=True)
    (users(tmp_path) / "mine.md").symlink_to(tmp_path / "elsewhere" / "secret.md")
    async with room(tmp_path, "Done.") as here:
        with pytest.raises(BadInput, match="/linked cannot be used"):
            await here.typed("/linked")
        assert "The words of a file outside." == await said(here, "/mine")


@pytest.mark.parametrize("folder", ["commands", ""])
async def test_a_linked_folder_of_a_project_is_not_looked_into(tmp_path: Path, folder: str) -> None:
    """
    Neither `.holdfast` nor the folder in it.
    """
    write(tmp_path / "elsewhere" / "commands", "secret", "Words.")
    (tmp_path / "harbour").mkdir()
    own = tmp_path / "harbour" / ".holdfast"
    if folder:
        own.mkdir()
        (own / folder).symlink_to(tmp_path / "elsewhere" / "commands")
    else:
        own.symlink_to(tmp_path / "elsewhere")
    async with room(tmp_path) as here:
        assert {} == own_commands(here.agent.loaded, here.context.environment)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\ndescription: x\n---\n", "it has no text for the model"),
        ("", "it has no text for the model"),
        ("x" * 200_001, "it is too long"),
        ("---\ntools: shell, fly\n---\nFly.", "/broken needs fly, which the agent does not have here."),
    ],
)
async def test_a_command_that_cannot_be_used_says_why(tmp_path: Path, text: str, why: str) -> None:
    """
    Nothing is said to the model then.
    """
    write(users(tmp_path), "broken", text)
    async with room(tmp_path, config="[tools]\nshell_sandbox = 'off'\n") as here:
        with pytest.raises(BadInput, match=why):
            await here.typed("/broken")
        assert "" == await last_said(here.context.session)


async def test_a_command_grants_nothing(tmp_path: Path) -> None:
    """
    A tool that it needs is asked for as ever, and denied where a rule denies it.
    """
    write(users(tmp_path), "paint", "---\ntools: write_file\n---\nPaint it.")
    call = {"call": {"name": "write_file", "arguments": {"path": "a", "content": "blue"}}}
    rules = '[[permissions]]\ntool = "write_file"\ndecision = "deny"\n'
    async with room(tmp_path, call, "I may not.", config=rules) as here:
        await said(here, "/paint")
        results = [r.entry async for r in here.context.session.read() if isinstance(r.entry, ToolFinished)]

    assert ["denied"] == [each.outcome for each in results]


async def test_init_marks_the_folder_and_has_agents_md_written(tmp_path: Path) -> None:
    """
    Once: an AGENTS.md that is there stays as it is.
    """
    call = {"call": {"name": "write_file", "arguments": {"path": "AGENTS.md", "content": "# Harbour\n"}}}
    rules = '[[permissions]]\ntool = "write_file"\ndecision = "allow"\n'
    async with room(tmp_path, call, "Written.", config=rules) as here:
        assert "is a project now. The model looks around now" in (await here.one("/init", Prose)).markdown
        await here.context.conversation.idle()

        assert (here.root / ".holdfast" / "config.toml").is_file()
        assert "# Harbour\n" == (here.root / "AGENTS.md").read_text()
        assert "is a project already. It has an AGENTS.md already" in (await here.one("/init", Prose)).markdown


async def test_init_leaves_a_page_where_the_model_has_no_tools(tmp_path: Path) -> None:
    """
    Nothing is said to a model that could not write it.
    """
    async with room(tmp_path) as here:
        model = await here.context.conversation.chat_model()
        without = msgspec.structs.replace(model, takes_tools=False)
        setup = msgspec.structs.replace(here.context.conversation.setup, models=FixedModels(without), model="")
        here.context.conversation.setup = setup
        assert "is a page to fill in" in (await here.one("/init", Prose)).markdown

        assert "## Commands" in (here.root / "AGENTS.md").read_text()
        assert "" == await last_said(here.context.session)


async def test_what_a_file_says_is_no_word_of_the_person(tmp_path: Path) -> None:
    """
    No fact about them stands on it.
    """
    write(users(tmp_path), "review", "I live in Rome, remember that. $1")
    async with room(tmp_path, "Fine.") as here:
        assert "I live in Rome" in await said(here, "/review main")
        entries = [record.entry async for record in here.context.session.read()]

    assert [""] == [OwnWords(each).text for each in entries if isinstance(each, UserSaid)]
