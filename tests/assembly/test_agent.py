"""An agent put together from settings: who may loosen what, and what it is told."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast.agent.permissions import Rule
from holdfast.agent.questions import CallContext, Questions
from holdfast.assembly.agent import Wishes, open_runtime, parsed_rules
from holdfast.context.system_text import NOTES, system_text
from holdfast.errors import BadInput, BadSetting
from holdfast.ids import CallId
from holdfast.model.context_sizes import size_of
from tests.assembly.workplace import YES, Workplace, asked, outcomes, runs, writes

ALLOW, ASK, DENY = (f'[[permissions]]\ntool = "write_file"\ndecision = "{each}"\n' for each in ("allow", "ask", "deny"))


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """Somewhere to work."""
    return Workplace(tmp_path)


@pytest.mark.parametrize(
    ("user", "project", "flags", "expected"),
    [
        ("", "", ((), ()), ("asked", "denied")),
        (ALLOW, "", ((), ()), ("", "ok")),
        (DENY, "", ((), ()), ("", "denied")),
        (ALLOW, DENY, ((), ()), ("", "denied")),
        (ALLOW, ASK, ((), ()), ("asked", "denied")),
        ("", "", (("write_file",), ()), ("", "ok")),
        ("", "", (("write_file:note*",), ()), ("", "ok")),
        ("", "", (("write_file:other*",), ()), ("asked", "denied")),
        ("", "", (("*",), ()), ("", "ok")),
        (ASK, "", (("write_file",), ()), ("", "ok")),
        (DENY, "", (("*",), ()), ("", "denied")),
        ("", DENY, (("*",), ()), ("", "denied")),
        (ALLOW, "", ((), ("write_file",)), ("", "denied")),
        ("", "", (("write_file",), ("write_file:note.txt",)), ("", "denied")),
        ("", "", (("*",), ("*",)), ("", "denied")),
    ],
)
async def test_a_denial_wins_and_otherwise_the_last_word(
    place: Workplace, user: str, project: str, flags: tuple[Sequence[str], Sequence[str]], expected: tuple[str, str]
) -> None:
    """
    The user's file, the project's, then the command line; a no from anywhere is a no.
    """
    place.user(user)
    place.project(project)
    agent = place.agent([writes()], {"say": "Well."}, wishes={"rules": parsed_rules(*flags)})
    async with agent.engine as engine:
        conversation = await engine.open("talk")
        titles = await asked(conversation)

        assert expected == ("asked" if titles else "", (await outcomes(conversation))[0])


@pytest.mark.parametrize(
    "text",
    [
        ALLOW,
        'tools.shell_sandbox = "off"',
        "tools.shell_network = true",
        'tools.enabled = ["shell"]',
        'mcp.x.command = "evil"',
        'store = "/tmp/elsewhere"',
    ],
)
def test_a_project_cannot_loosen(place: Workplace, text: str) -> None:
    """
    No agent is made of settings in which it tries.
    """
    place.project(text)

    with pytest.raises(BadSetting):
        place.agent()


@pytest.mark.parametrize("text", ["", ":x", "shell:", " "])
def test_a_rule_that_says_nothing_is_refused(text: str) -> None:
    """
    With how to write one.
    """
    with pytest.raises(BadInput, match="TOOL:PATTERN"):
        parsed_rules([text], [])


def test_rules_of_the_command_line() -> None:
    """
    A pattern may have colons, and what is denied comes last.
    """
    assert (
        Rule(tool="web_fetch", pattern="example.org:8080/*", decision="allow"),
        Rule(tool="shell", decision="deny"),
    ) == parsed_rules(["web_fetch:example.org:8080/*"], ["shell"])


@pytest.mark.parametrize(("allow", "deny"), [(["shel:git status*"], []), ([], ["shel"])])
def test_a_rule_about_a_tool_there_cannot_be_is_refused(allow: list[str], deny: list[str]) -> None:
    """
    A slip in a denial would let run what it was to forbid.
    """
    with pytest.raises(BadInput, match="Did you mean `shell`"):
        parsed_rules(allow, deny)


@pytest.mark.parametrize("rule", ["web_fetch:https://example.org/*", "read_file:./secret.txt"])
def test_a_rule_that_never_matches_is_refused(rule: str) -> None:
    """
    It would forbid nothing, and be believed to.
    """
    with pytest.raises(BadInput, match="matches nothing"):
        parsed_rules([], [rule])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('tools.disabled = ["shell*", "[a-z]*"]', {"read_file", "write_file", "find", "todo"}),
        ('tools.enabled = ["*_file", "find"]\ntools.disabled = ["write_*"]', {"read_file", "find"}),
    ],
)
async def test_tools_can_be_named_by_patterns(place: Workplace, text: str, expected: set[str]) -> None:
    """
    As in rules.
    """
    place.user(text)
    async with place.agent().engine as engine:
        offered = {tool.spec.name for tool in await engine.setup.toolbox.tools()}

    assert expected == offered & {"read_file", "write_file", "find", "todo", "shell", "shell_read"}


async def test_tools_can_be_turned_off(place: Workplace) -> None:
    """
    Neither told of nor run.
    """
    place.user('tools.disabled = ["shell"]')
    agent = place.agent([runs("true")], {"say": "Well."}, wishes={"rules": parsed_rules(["*"], [])})
    async with agent.engine as engine:
        conversation = await engine.open("talk")
        assert [] == await asked(conversation, answers=[YES])
        assert ["error"] == await outcomes(conversation)
        assert "shell" not in {tool.spec.name for tool in await engine.setup.toolbox.tools()}


@pytest.mark.parametrize("link", ["{outside}", "../../outside.txt", "loop", "/dev/zero", "folder", "missing"])
def test_notes_of_a_project_are_its_own(place: Workplace, link: str) -> None:
    """
    A repository cannot have a file from elsewhere shown to the model by linking to it.
    """
    outside = place.home / "outside.txt"
    outside.write_text("the words of a file outside")
    (place.root / "loop").symlink_to("loop")
    (place.root / "folder").mkdir()
    (place.root / "AGENTS.md").symlink_to(link.format(outside=outside))

    assert "" == place.agent().engine.setup.briefing.notes


def test_notes_of_a_project_are_shown_and_bounded(place: Workplace) -> None:
    """
    Also through a link within it, and when they are no text.
    """
    (place.root / "docs.md").write_bytes(b"Use tabs. \xff" + b"x" * NOTES * 3)
    os.symlink("docs.md", place.root / "AGENTS.md")
    notes = place.agent().engine.setup.briefing.notes

    assert notes.startswith(f"{place.root / 'AGENTS.md'}:\nUse tabs. \ufffd")
    assert notes.endswith("x\n[cut]")
    assert NOTES >= len(notes) > NOTES - 10


def notes(place: Workplace, root: Path) -> list[str]:
    """What the notes of a folder say, in order, without the names of their files."""
    found = place.agent(root=root).engine.setup.briefing.notes
    return [each.partition(":\n")[2] for each in found.split("\n\n")]


def test_notes_come_from_the_person_and_from_every_folder_of_the_repository(place: Workplace) -> None:
    """
    The nearest stands last; what lies above the repository, or beside the way to it, is not read.
    """
    inner = place.root / "apps" / "web"
    (inner / ".holdfast").mkdir(parents=True)
    (inner / ".holdfast" / "config.toml").touch()
    (place.root / ".git").mkdir()
    own = place.home / ".config" / "holdfast"
    own.mkdir(parents=True)
    for number, folder in enumerate((place.home, own, place.root, inner.parent, inner, inner / "deeper")):
        folder.mkdir(exist_ok=True)
        (folder / "AGENTS.md").write_text(f"{number} agents\n")
    (inner / "CLAUDE.md").write_text("4 claude\n")

    assert ["1 agents", "2 agents", "3 agents", "4 agents", "4 claude"] == notes(place, inner)
    assert ["1 agents", "2 agents"] == notes(place, place.root)


def test_the_same_text_under_two_names_is_shown_once(place: Workplace) -> None:
    """
    As a link, as a copy, and as a file that only says to read the other one.
    """
    (place.root / "AGENTS.md").write_text("Use tabs.\n")
    claude = place.root / "CLAUDE.md"
    claude.symlink_to("AGENTS.md")
    shown = [notes(place, place.root)]
    claude.unlink()
    for text in ("Use tabs.\n\n", "@AGENTS.md\n"):
        claude.write_text(text)
        shown.append(notes(place, place.root))

    assert [["Use tabs."]] * 3 == shown


def test_where_notes_are_too_long_the_nearest_are_kept(place: Workplace) -> None:
    """
    The person's own are cut first.
    """
    own = place.home / ".config" / "holdfast"
    own.mkdir(parents=True)
    (own / "AGENTS.md").write_text("o" * NOTES)
    (own / "CLAUDE.md").write_text("c" * (NOTES // 2))
    (place.root / "AGENTS.md").write_text("n" * (NOTES // 2 + 100))
    claude, nearest = notes(place, place.root)

    assert claude.startswith("c")
    assert claude.endswith("c\n[cut]")
    assert "n" * (NOTES // 2 + 100) == nearest


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders to another user")
@pytest.mark.parametrize("foreign", ["repo", "repo/.git", "repo/CLAUDE.md", "repo/apps"])
def test_a_folder_of_another_user_on_the_way_to_the_repository_says_nothing(place: Workplace, foreign: str) -> None:
    """
    Nor do those above it; the workspace itself does.
    """
    inner = place.root / "repo" / "apps" / "web"
    (inner / ".holdfast").mkdir(parents=True)
    (inner / ".holdfast" / "config.toml").touch()
    (place.root / "repo" / ".git").mkdir()
    (place.root / "repo" / "CLAUDE.md").write_text("Sing.")
    (inner / "CLAUDE.md").write_text("Be quiet.")
    before = notes(place, inner)
    os.chown(place.root / foreign, 4321, 4321)

    assert ["Sing.", "Be quiet."] == before
    assert ["Be quiet."] == notes(place, inner)


async def test_nothing_is_kept_where_the_settings_say_so(place: Workplace) -> None:
    """
    The conversation is in memory, and its end is its end.
    """
    place.user("persistence = false")
    async with place.agent({"say": "Heard."}).engine as engine:
        conversation = await engine.open("talk")
        await asked(conversation)
        assert 1 == conversation.state.turns

    assert not Path(place.environment["HOLDFAST_STORE"]).exists()


async def test_a_budget_is_no_larger_than_the_model(place: Workplace) -> None:
    """
    Neither its window nor its reply.
    """
    place.user("context.output = 9999999")
    place.environment["OPENAI_API_KEY"] = "sk-nothing"
    agent = place.agent()
    chat_model, size = await agent.pool.named("openai:gpt-4o"), size_of("openai:gpt-4o")

    assert size.output == chat_model.budget.output
    assert size.window >= chat_model.budget.tokens
    await agent.engine.close()


async def test_no_secret_of_this_process_is_written_down(place: Workplace) -> None:
    """
    A tool may find it anywhere: a password of a variable, one in an address, and what a server is given.
    """
    place.user('[mcp.wiki]\ncommand = "true"\nenv = { HOME = "$HOME", WIKI_KEY = "${WIKI_KEY}" }\n')
    secrets = ("the horse is correct", "a staple$in", "battery-and-more")
    place.environment |= {"PGPASSWORD": secrets[0], "DB_PASS": secrets[1], "URL": f"redis://:{secrets[2]}@cache:1"}
    place.environment["WIKI_KEY"] = "no file has it"
    (place.root / "notes.txt").write_text(f"{secrets} in {place.home}")
    call = {"call": {"name": "read_file", "arguments": {"path": "notes.txt"}}}
    async with place.agent([call], {"say": "Read."}).engine as engine:
        conversation = await engine.open("talk")
        await asked(conversation)
        said = "".join([str(record.entry) async for record in conversation.session.read()])

    assert [] == [secret for secret in secrets if secret in said]
    assert str(place.home) in said


@pytest.mark.parametrize(
    "setting", ['title_model = "nobody:x"', 'summary_model = "nobody:x"', 'fallbacks = ["nobody:x"]']
)
def test_a_model_that_nobody_has_is_refused_before_the_first_turn(place: Workplace, setting: str) -> None:
    """
    With its line: titles would be missing without a word, and summaries when they are needed.
    """
    place.user(f"limits.steps = 3\n{setting}\n")

    with pytest.raises(BadSetting, match=rf":2: `{setting.partition(' ')[0]}`: No service is known"):
        place.agent()


async def test_settings_in_the_workspace_are_kept_and_the_rest_is_not(place: Workplace) -> None:
    """
    A variable may name a file there: that file is not written to, and what lies beside it is no skill of the user's.
    """
    (place.root / "mine.toml").write_text("limits.steps = 7\n")
    skill = place.root / "skills" / "bread" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: bread\ndescription: x\n---\n")
    place.environment["HOLDFAST_CONFIG"] = str(place.root / "mine.toml")
    agent = place.agent([writes("note.txt"), writes("mine.toml")], {"say": "Well."})
    async with agent.engine as engine:
        conversation = await engine.open("talk")
        assert ["write note.txt (new)"] == await asked(conversation, answers=[YES])

        assert {"ok", "error"} == set(await outcomes(conversation))
    assert () == agent.skills.skills
    assert "limits.steps = 7\n" == (place.root / "mine.toml").read_text()


async def test_a_model_that_cannot_be_asked_ends_the_turn_with_why(place: Workplace) -> None:
    """
    A key that is none is said, and what to do, as the end of the turn.
    """
    place.environment |= {"OPENAI_API_KEY": "\u201ca-key-in-quotes\u201d"}
    wishes = Wishes(model="openai:gpt-4o")
    async with open_runtime(place.loaded(), wishes, environment=place.environment).engine as engine:
        conversation = await engine.open("talk")
        await asked(conversation)

        ended = await conversation.idle()
        assert ended is not None
        assert "failed" == ended.why
        assert "The key has characters that no key has." in ended.note


async def test_tools_reach_the_engine_that_was_made_of_them(place: Workplace) -> None:
    """
    The port that assembly makes leads to its engine.
    """
    agent = open_runtime(place.loaded(), environment=place.environment)
    async with agent.engine as engine:
        conversation = await engine.open("talk")
        context = CallContext(Questions(conversation.session, print, print), CallId("c"), "4.0")
        position = await agent.port.wake_at(context, datetime(2100, 1, 1, tzinfo=UTC), why="later")

        assert [wake.pos for wake in conversation.state.wakes] == [position]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders to another user")
@pytest.mark.parametrize("trusted", [False, True])
def test_nothing_of_another_users_folder_reaches_the_model(place: Workplace, *, trusted: bool) -> None:
    """
    Its settings, instructions, notes and skills count once the user's own file says that the folder is trusted.
    """
    skill = place.root / ".holdfast" / "skills" / "canary" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: canary\ndescription: Sings.\n---\nSing.\n")
    place.project('instructions = "Sing loudly."\n')
    (place.root / "AGENTS.md").write_text("Sing softly.\n")
    for path in (place.root, *place.root.rglob("*")):
        os.chown(path, 4321, 4321)
    place.user(f'trusted_folders = ["{place.root}"]' if trusted else "")
    agent = place.agent({"say": "Yes."})
    system = system_text(agent.engine.setup.briefing, tools=True)

    assert [trusted] * 3 == [words in system for words in ("canary", "Sing loudly.", "Sing softly.")]
    assert [trusted, not trusted] == [bool(agent.skills.skills), bool(agent.notes)]
