"""The agent: who answers, what it may do, what is set, how it stands."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast.agent.permissions import Rule
from holdfast.agent.tool import Ask
from holdfast.commands.answers import Facts, Prose, Table, Themed
from holdfast.config.grants import add_grants, load_grants
from holdfast.config.places import state_folder
from holdfast.errors import BadInput, BadSetting
from tests.commands.conversations import Room, room, script

CONFIG = """
[[permissions]]
tool = "shell"
pattern = "rm *"
decision = "deny"

[[permissions]]
tool = "web_fetch"
decision = "allow"
"""


def git(command: str) -> Ask:
    """A command that wants to run."""
    return Ask(tool="shell", subjects=(command,), title=command)


async def rows(here: Room, line: str) -> list[tuple[str, ...]]:
    """The rows of the first table that a line shows."""
    answers = await here.typed(line)
    assert isinstance(answers[0], Table)
    return list(answers[0].rows)


async def test_who_answers_and_who_else_could(tmp_path: Path) -> None:
    """
    The first row is the one that answers, and why; a key in the environment and the built-in demo model follow.
    """
    async with room(tmp_path, environment={"OPENAI_API_KEY": "sk-something"}) as here:
        name = (await here.context.conversation.chat_model()).name
        found = await rows(here, "/model")

        assert (name, "asked for when this was started") == found[0]
        assert ("openai:gpt-6.1-sol", "has a key: OPENAI_API_KEY") in found
        assert "local:smollm2" == found[-1][0]


async def test_where_there_is_little_to_choose_it_is_said_how_to_get_more(tmp_path: Path) -> None:
    """
    Nobody should have to look for it.
    """
    async with room(tmp_path) as here:
        assert "OPENAI_API_KEY" in await here.text("/model")


async def test_the_usual_model_says_why_it_was_taken(tmp_path: Path) -> None:
    """
    From the settings, where they name it.
    """
    config = f'model = "{script(tmp_path / "other.jsonl", "Hello.")}"\n'
    async with room(tmp_path, config=config) as here:
        setup = replace(here.agent.engine.setup, model="")
        here.agent.engine.setup = setup
        other = await here.another("other")

        assert "from the settings" == (await rows(other, "/model"))[0][1]


async def test_another_model_answers_from_now_on(tmp_path: Path) -> None:
    """
    The session remembers it; one that nobody knows is refused, and nothing changes.
    """
    async with room(tmp_path, "I am the first.") as here:
        other = script(tmp_path / "other.jsonl", "I am the other.")
        assert f"{other} answers, in this conversation." == (await here.one(f"/model {other}", Prose)).markdown
        with pytest.raises(BadInput, match="No service is known"):
            await here.typed("/model nonsense")
        await here.say("Who are you?")

        assert "I am the other." in await here.text("/history 1")
        assert (other, "chosen for this conversation") == (await rows(here, "/model"))[0]


async def test_tools_are_listed_with_what_they_do(tmp_path: Path) -> None:
    """
    In one sentence each; those that the settings leave out are not there.
    """
    async with room(tmp_path, config='[tools]\ndisabled = ["web_fetch"]\n') as here:
        found = {row[0]: row[1] for row in await rows(here, "/tools")}

        assert found["edit_file"].startswith("Replace exact pieces")
        assert "web_fetch" not in found


async def test_a_model_that_is_offered_no_tools_is_named(tmp_path: Path) -> None:
    """
    Nobody should wonder why it uses none.
    """
    pytest.importorskip("xllamacpp")
    async with room(tmp_path) as here:
        await here.typed("/model local:smollm2")

        assert "local:smollm2 is offered none of them" in await here.text("/tools")


async def test_no_tools_is_said(tmp_path: Path) -> None:
    """
    An empty table would look like a mistake.
    """
    async with room(tmp_path, config='[tools]\ndisabled = ["*"]\n') as here:
        assert "No tools" in await here.text("/tools")


async def test_skills_are_listed_with_whose_they_are(tmp_path: Path) -> None:
    """
    And what is wrong with those that cannot be used; without any, how to have one.
    """
    folder = tmp_path / "harbour" / ".holdfast" / "skills"
    async with room(tmp_path) as here:
        assert str(folder) in (await here.one("/skills", Prose)).markdown
    (folder / "tides").mkdir(parents=True)
    (folder / "tides" / "SKILL.md").write_text("---\nname: tides\ndescription: Reads tide tables.\n---\nLook.\n")
    (folder / "broken").mkdir()
    (folder / "broken" / "SKILL.md").write_text("nothing")
    async with room(tmp_path) as here:
        assert [("tides", "the project", "Reads tide tables.")] == await rows(here, "/skills")
        assert "is left out" in await here.text("/skills")


async def test_rules_are_listed_with_who_said_so(tmp_path: Path) -> None:
    """
    Those of the settings by their line, those of the workspace and of this session as such.
    """
    async with room(tmp_path, config=CONFIG) as first:
        values, identity = first.context.environment, first.agent.identity
        kept = Rule(tool="shell", pattern="make test", decision="allow")
        add_grants(state_folder(values), identity, first.root, [kept])
    async with room(tmp_path, config=CONFIG) as here:
        await here.typed("/permissions ask shell:git push*")
        found = await rows(here, "/permissions")

        file = tmp_path / "config.toml"
        assert [
            ("deny", "shell", "rm *", f"{file}:2"),
            ("allow", "web_fetch", "*", f"{file}:7"),
            ("allow", "shell", "make test", "allowed in this workspace"),
            ("ask", "shell", "git push*", "this session"),
        ] == found


async def test_a_rule_counts_for_this_session(tmp_path: Path) -> None:
    """
    At once, and nowhere else: neither another session nor the next start has it.
    """
    async with room(tmp_path) as here:
        said = await here.one("/permissions allow shell:git status*", Prose)
        other = await here.another("other")

        assert "`shell` about `git status*` runs unasked, in this session." == said.markdown
        assert "allow" == here.context.conversation.permissions.decide(git("git status -s"))
        assert "ask" == other.context.conversation.permissions.decide(git("git status -s"))
        assert () == load_grants(state_folder(here.context.environment), here.agent.identity, here.root)


async def test_nothing_lifts_a_denial(tmp_path: Path) -> None:
    """
    Who tries is told that it still counts.
    """
    async with room(tmp_path, config=CONFIG) as here:
        said = await here.one("/permissions allow shell", Prose)

        assert "A denial still wins" in said.markdown
        assert "deny" == here.context.conversation.permissions.decide(git("rm -r ."))


async def test_a_rule_names_a_tool_that_there_can_be(tmp_path: Path) -> None:
    """
    A slip forbids nothing, so it is told.
    """
    async with room(tmp_path) as here:
        with pytest.raises(BadInput, match=r"There is no tool 'shel'\. Did you mean `shell`"):
            await here.typed("/permissions deny shel")

        assert () == here.context.conversation.permissions.granted


async def test_what_was_allowed_is_forgotten(tmp_path: Path) -> None:
    """
    For this session and for the workspace, for good; the settings stay.
    """
    async with room(tmp_path, config=CONFIG) as first:
        kept = Rule(tool="shell", pattern="make test", decision="allow")
        state = state_folder(first.context.environment)
        add_grants(state, first.agent.identity, first.root, [kept])
    async with room(tmp_path, config=CONFIG) as here:
        await here.typed("/permissions allow shell:git status*")
        assert "Forgot 2 rules" in await here.text("/permissions forget")
        decide = here.context.conversation.permissions.decide

        assert ["ask", "ask", "deny"] == [decide(git(each)) for each in ("make test", "git status", "rm -r .")]
        assert () == load_grants(state, here.agent.identity, here.root)
        assert "Nothing was allowed" in await here.text("/permissions forget")


async def test_settings_are_told_with_who_said_so(tmp_path: Path) -> None:
    """
    All, those of a table, or one; a secret is only said to be there.
    """
    secret = "sk-very-secret"
    async with room(tmp_path, config="[ui]\nbell = true\n", environment={"MISTRAL_API_KEY": secret}) as here:
        assert ("MISTRAL_API_KEY", "set", "in the environment") in await rows(here, "/config")
        assert secret not in await here.text("/config")
        assert [("ui.bell", "true", f"{tmp_path / 'config.toml'}:2")] == await rows(here, "/config ui.bell")
        assert all(row[0].startswith("ui.") for row in await rows(here, "/config ui"))
        with pytest.raises(BadSetting, match=r"There is no setting `ui\.bel`"):
            await here.typed("/config ui.bel")


async def test_colours_are_changed_by_the_host(tmp_path: Path) -> None:
    """
    Without a name, the names there are.
    """
    async with room(tmp_path) as here:
        themed, said = await here.typed("/theme Dark")
        assert Themed(name="dark") == themed
        assert isinstance(said, Prose)
        assert "dark from here on" in said.markdown
        assert "auto, light, dark, none" in await here.text("/theme")


async def test_status_is_one_screen(tmp_path: Path) -> None:
    """
    Model, session, store, sandbox and servers, with what waits.
    """
    async with room(tmp_path, "By the sea.", config='[mcp.tides]\nurl = "http://127.0.0.1:9/"\n') as here:
        await here.say("Where is the harbour?")
        told = {each.name: each.value for each in (await here.one("/status", Facts)).facts}

        assert "scripted:" in told["model"]
        assert "talk, 2 messages, begun just now" == told["session"]
        assert "nothing runs" == told["now"]
        assert "tides" == told["servers"]
        assert str(here.root) == told["workspace"]
        assert "(2 %)" in told["context"]
        assert {"model", "session", "kept in", "safe", "sandbox", "servers"} <= set(told)
        assert len((await here.text("/status")).splitlines()) <= 24


async def test_the_doctor_looks_at_everything(tmp_path: Path) -> None:
    """
    As the command does; the model is not asked.
    """
    async with room(tmp_path) as here:
        table = await here.one("/doctor", Table)
        areas = {row[0] for row in table.rows} - {""}

        assert {"environment", "settings", "store", "model", "sandbox", "servers", "packages"} == areas
        assert {row[1] for row in table.rows} <= {"ok", "warning", "problem"}


async def test_the_doctor_looks_at_the_model_that_answers_here(tmp_path: Path) -> None:
    """
    And not at another one that would answer in a new chat.
    """
    async with room(tmp_path) as here:
        other = script(tmp_path / "other.jsonl", "Hello.")
        for name in (here.agent.engine.setup.model, other):
            await here.typed(f"/model {name}")
            found = [row[2] for row in (await here.one("/doctor", Table)).rows if "would answer" in row[2]]
            assert [f"{name} would answer: asked for"] == found
