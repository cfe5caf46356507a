"""A line that begins with a slash: found, run, refused, and written down."""

from importlib import import_module
from pathlib import Path

import pytest

from holdfast.commands.answers import Prose, Quit, Table
from holdfast.commands.chat_table import BY_NAME, IN_CHAT
from holdfast.commands.command import CHAT_GROUPS, SHELL_GROUPS, Command
from holdfast.commands.run import is_command, named
from holdfast.commands.shell_table import IN_SHELL
from holdfast.commands.text.plain_text import text_of
from holdfast.errors import BadInput, HoldfastError
from tests.commands.conversations import room

COMMANDS = tuple(dict.fromkeys((*IN_SHELL, *IN_CHAT)))


def called(command: Command) -> str:
    """A command by its name."""
    return f"{command.name} {command.handler}"


@pytest.mark.parametrize("command", COMMANDS, ids=called)
def test_every_command_is_whole(command: Command) -> None:
    """
    It has a handler that exists, or a host does it; it stands in a group, and says in one line what it does.
    """
    module, _, function = command.handler.partition(":")

    assert not module or callable(getattr(import_module(f"holdfast.commands.{module}"), function))
    assert module or command.reach == ("terminal",)
    assert command.shell.group in {"", *SHELL_GROUPS}
    assert command.chat.group in {"", *CHAT_GROUPS}
    assert command.shell.group or command.chat.group
    for said in (command.shell.help, command.chat.help):
        assert len(said) < 100
        assert not said.endswith(".")


def test_no_two_commands_have_one_name() -> None:
    """
    Aliases included.
    """
    assert sum(1 + len(each.chat.aliases) for each in IN_CHAT) == len(BY_NAME)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/help", True),
        ("/?", True),
        ("/rewind 2", True),
        ("/nonsense", True),
        ("/save /tmp/a.md", True),
        ("/", False),
        ("/ help", False),
        ("/\thelp", False),
        ("/steer one\ntwo", True),
        ("/compact\nthe tides", True),
        ("   ", False),
        ("// a comment", False),
        ("/etc/hosts has what?", False),
        ("what does /help do?", False),
        ("", False),
    ],
)
def test_words_that_begin_with_a_path_are_no_command(line: str, expected: bool) -> None:
    """
    A slash alone does not make one: paths and comments are said to the model.
    """
    assert expected == is_command(line)


@pytest.mark.parametrize(
    ("typed", "meant"), [("/exit", "quit"), ("/Q", "quit"), ("?", "help"), ("/cost", "usage"), ("/HELP", "help")]
)
def test_other_names_and_capitals_do(typed: str, meant: str) -> None:
    """
    What people type without looking is understood.
    """
    assert meant == named(typed).name


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("/reqind", "Did you mean /rewind?"),
        ("/contxt", "Did you mean /context?"),
        ("/comp", "Did you mean /compact?"),
        ("/zzzz", "/help lists what there is."),
    ],
)
async def test_an_unknown_command_suggests_the_nearest(tmp_path: Path, typed: str, hint: str) -> None:
    """
    And nothing is said to the model, or written down.
    """
    async with room(tmp_path) as here:
        last = here.context.conversation.state.last
        with pytest.raises(BadInput, match="There is no command") as refused:
            await here.typed(typed)

        assert hint == refused.value.hint
        assert last == here.context.conversation.state.last


@pytest.mark.parametrize(
    "line",
    [
        "/new now",
        "/session other",
        "/rename",
        "/tag -",
        "/delete other",
        "/steer",
        "/queue",
        "/rewind far",
        "/rewind @here",
        "/rewind @",
        f"/rewind {'9' * 5000}",
        "/undo twice",
        "/fork here",
        "/tree top",
        "/permissions allow",
        "/permissions allow shell:",
        "/permissions maybe shell",
        "/history all",
        "/search",
        "/search #2",
        "/copy everything",
        "/copy 0",
        "/save notes.pdf",
        "/theme pink",
    ],
)
async def test_wrong_usage_says_how_it_is_used(tmp_path: Path, line: str) -> None:
    """
    The hint is the line of usage, and nothing was done.
    """
    async with room(tmp_path) as here:
        last = here.context.conversation.state.last
        with pytest.raises(BadInput) as refused:
            await here.typed(line)

        assert f"Usage: {named(line.split(maxsplit=1)[0]).usage}" == refused.value.hint
        assert last == here.context.conversation.state.last


async def test_what_a_command_showed_is_written_down(tmp_path: Path) -> None:
    """
    The log has the line and what was shown; of some only the line, of those that show nothing lasting nothing.
    """
    async with room(tmp_path, "Hello.") as here:
        await here.say("Hi.")
        told = await here.text("/tag sea")
        for line in ("/history", "/copy", "/theme dark", "/stop", "/quit"):
            await here.typed(line)

        assert [("/tag sea", told), ("/history", "")] == [(each.command, each.output) for each in await here.ran()]


async def test_no_secret_is_written_down(tmp_path: Path) -> None:
    """
    Neither one that was typed nor one that was shown.
    """
    secret = "sk-proj-a8K2mQ9xV4nR7tB1wE5yU3iO6pL0sD2f"
    async with room(tmp_path, environment={"OPENAI_API_KEY": secret}) as here:
        await here.typed(f"/rename my key is {secret}")
        await here.typed("/config")

        assert secret not in " ".join(f"{each.command} {each.output}" for each in await here.ran())


async def test_the_model_sees_nothing_of_commands(tmp_path: Path) -> None:
    """
    They are on the timeline, and not in the window.
    """
    async with room(tmp_path, "Hello.") as here:
        before = await here.context.conversation.shares()
        await here.typed("/session")

        assert before == await here.context.conversation.shares()


async def test_help_names_every_command(tmp_path: Path) -> None:
    """
    In groups, and each command says more of itself, also by another name.
    """
    async with room(tmp_path) as here:
        answers = await here.typed("/help")
        rows = [row[0] for each in answers if isinstance(each, Table) for row in each.rows]
        more = await here.one("/help /exit", Prose)

        assert sorted(f"/{each.name}" for each in IN_CHAT) == sorted(rows)
        assert all(word in more.markdown for word in ("/quit", "everything is kept", "/exit"))
        with pytest.raises(BadInput, match="There is no command /nonsense"):
            await here.typed("/help nonsense")


@pytest.mark.parametrize("columns", [40, 80])
async def test_everything_fits_and_is_plain(tmp_path: Path, columns: int) -> None:
    """
    Whatever a command shows fits into 80 columns and into 40, and has no control characters.
    """
    lines = [f"/{each.name}" for each in IN_CHAT if each.name not in {"delete", "quit", "new", "clear"}]
    async with room(tmp_path, "By the sea.\x1b]0;x\x07", "In the harbour, where it always was and will be.") as here:
        await here.say("Where is the harbour?\x1b[31m", "And the boat?")
        await here.typed("/rewind")
        await here.say("And the lighthouse?")
        for line in [*lines, "/search harbour", "/help rewind"]:
            try:
                text = text_of(await here.typed(line), columns)
            except HoldfastError:
                continue  # those that want to be given something

            assert [] == [each for each in text.split("\n") if len(each) > columns]
            assert text.replace("\n", "").isprintable()


async def test_leaving_is_for_the_host(tmp_path: Path) -> None:
    """
    The command only says so.
    """
    async with room(tmp_path) as here:
        assert (Quit(),) == await here.typed("/exit")


async def test_what_is_kept_stands_indented_in_a_terminal(tmp_path: Path) -> None:
    """
    Nothing of it is broken once more, two columns from the margin.
    """
    async with room(tmp_path) as here:
        await here.typed("/tools")
        lines = (await here.ran())[-1].output.splitlines()

    assert 70 < max(map(len, lines)) <= 78
