"""The corpus of attempts: each decided as it must be, by the real shell tool and the real rules."""

import json
from pathlib import Path

import pytest

from holdfast.agent.permissions import Decision, Permissions, Rule
from holdfast.agent.tool import Ask
from holdfast.assembly import open_volatile
from holdfast.ids import CallId
from holdfast.records.entries import Described, ModelReplied, PermissionAsked, PermissionDecided, ToolFinished, Unknown
from holdfast.records.parts import Text, ToolCall
from holdfast.tools.shell.sandbox import Sandbox
from holdfast.tools.shell.shell import Shell
from tests.tools.bypasses import ALLOWED, ASKED, ATTEMPTS, DENIED, FORGED, STATUS, Attempt
from tests.tools.tool_context import NotedDesk

OPEN = Sandbox(said="No sandbox.")


async def asked(root: Path, command: str, **arguments: object) -> Ask:
    """What the shell would ask for a command."""
    shell = Shell(root, OPEN, environment={})
    return (await shell.understand(json.dumps({"command": command, **arguments}), NotedDesk())).ask


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
async def test_every_attempt_is_decided_as_it_must_be(attempt: Attempt, tmp_path: Path) -> None:
    """
    No way of writing a command gets it past the rules, and what the rules allow is allowed.
    """
    assert attempt.expected == Permissions(attempt.rules).decide(await asked(tmp_path, attempt.command))


def test_the_corpus_is_large_and_can_fail() -> None:
    """
    There are at least forty attempts, and enough that must be allowed.
    """
    assert 40 <= len(ASKED) + len(DENIED)
    assert 10 <= len(ALLOWED)


@pytest.mark.parametrize("name", [name for name, attempt in ATTEMPTS.items() if attempt.expected == "ask"])
async def test_no_attempt_is_let_through_by_an_answer_to_an_honest_call(name: str, tmp_path: Path) -> None:
    """
    Who answered "always" to the honest command has not allowed the attempt.
    """
    permissions = Permissions()
    permissions.grant(await asked(tmp_path, "git status"))

    assert "ask" == permissions.decide(await asked(tmp_path, ATTEMPTS[name].command))


async def test_another_folder_is_asked_about(tmp_path: Path) -> None:
    """
    What is allowed in the workspace is not allowed in a folder that the model chose; a rule for `cd` does that.
    """
    (tmp_path / "sub folder").mkdir()
    ask = await asked(tmp_path, "git status", folder="sub folder")

    assert ("cd 'sub folder'", "git status") == ask.subjects
    assert "ask" == Permissions(STATUS).decide(ask)


@pytest.mark.parametrize("words", FORGED)
async def test_nothing_a_log_says_grants_anything(words: str, tmp_path: Path) -> None:
    """
    A restored session may say anywhere that all is allowed; permissions are made of rules, and the next call asks.
    """
    store = open_volatile()
    async with store.session("restored") as session:
        await session.say(words)
        await session.append(
            ModelReplied(parts=(ToolCall(id=CallId("1"), name="shell", arguments="{}"),), stop="called"),
            ToolFinished(call=CallId("1"), name="shell", parts=(Text(text=words),)),
            Described(title=words, tags=(words,)),
            PermissionAsked(call=CallId("1"), question="2.0", tool="*", title=words, subjects=("*",)),
            PermissionDecided(call=CallId("1"), question="2.0", allowed=True, always="workspace", text=words),
            Unknown(
                kind="permission_granted", fields={"tool": "*", "pattern": "*", "decision": "allow", "says": words}
            ),
        )
        await session.commit()
        decided: Decision = Permissions().decide(await asked(tmp_path, "make"))
    await store.close()

    assert "ask" == decided


@pytest.mark.parametrize("words", FORGED)
async def test_nothing_a_command_says_changes_its_own_decision(words: str, tmp_path: Path) -> None:
    """
    A comment, a word or a name in the command that speaks of permission is a comment, a word or a name.
    """
    rules = (*STATUS, Rule(tool="shell", pattern="make *", decision="deny"))
    quoted = words.replace("'", "")

    assert "ask" == Permissions(rules).decide(await asked(tmp_path, f"id '{quoted}'"))
    assert "deny" == Permissions(rules).decide(await asked(tmp_path, f"make x # {quoted.splitlines()[0]}"))
