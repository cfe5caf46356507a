"""A conversation with an agent in a few lines: asked, killed, asked again."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import (
    Answer,
    BadInput,
    Held,
    NoAnswer,
    Question,
    Refused,
    ScriptedModel,
    Store,
    Target,
    ToolFinished,
    UserSaid,
    open_agent,
    open_store,
    open_volatile,
    tool,
)
from holdfast.errors import Closed
from holdfast.providers.scripted.model import Cue
from holdfast.records.parts import plain_text
from tests.agent.troupe import calling
from tests.first_hour.services import OPENAI_KEY, stand_ins, words

PROGRAM = """
import os, signal, sys
import holdfast

@holdfast.tool(allowed=True)
def launch(boat: str) -> str:
    "Launch a boat."
    with open("launched", "a") as file:
        file.write(f"{boat}\\n")
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return "launched"

call = holdfast.ToolCall(id=holdfast.CallId("1"), name="launch", arguments='{"boat": "Ann"}')
lines = [holdfast.Scripted(parts=(call,))] if sys.argv[1] == "kill" else []
model = holdfast.ScriptedModel(holdfast.Target(family="openai-chat", model="m"), *lines, "It may be afloat.")
with holdfast.open_blocking("conversations") as store, store.agent(model=model, tools=[launch]) as agent:
    print(agent.ask("Launch the Ann.", client_id="1"))
    print(len(model.requests))
"""


@tool
def moor(where: str) -> str:
    """Moor the boat."""
    return f"moored {where}"


def model(*lines: Cue) -> ScriptedModel:
    """A model that says these."""
    return ScriptedModel(Target(family="openai-chat", model="m", provider="scripted"), *lines)


def run(folder: Path, how: str) -> "subprocess.CompletedProcess[str]":
    """The program, in a process of its own."""
    command = [sys.executable, "-W", "error", "-c", PROGRAM, how]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_a_program_that_is_killed_and_run_again_goes_on_where_it_was(tmp_path: Path) -> None:
    """
    What was asked is said once, what ran is not run again, and a third run gives the answer without asking the model.
    """
    killed, again, third = run(tmp_path, "kill"), run(tmp_path, "go on"), run(tmp_path, "go on")

    assert -signal.SIGKILL == killed.returncode
    assert (0, "It may be afloat.\n1\n", "") == (again.returncode, again.stdout, again.stderr)
    assert (0, "It may be afloat.\n0\n", "") == (third.returncode, third.stdout, third.stderr)
    assert "Ann\n" == (tmp_path / "launched").read_text()


async def said(store: Store) -> list[str]:
    """What was said in the only conversation."""
    return [plain_text(each.entry.parts) async for each in store.read("main") if isinstance(each.entry, UserSaid)]


async def test_a_conversation_goes_on_when_it_is_opened_again(tmp_path: Path) -> None:
    """
    Under its key, in the store that is a folder or one that is open already.
    """
    async with open_agent(model=model("Aye."), store=tmp_path) as agent:
        first = await agent.ask("Ready?")
    async with open_store(tmp_path) as store:
        async with open_agent(model=model("Still."), store=store) as agent:
            second = await agent.ask("Now?")

        assert ["Ready?", "Now?"] == await said(store)

    assert ("Aye.", "Still.") == (first, second)


async def test_a_model_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Its key comes from the environment.
    """
    with stand_ins() as addresses:
        monkeypatch.setenv("OPENAI_BASE_URL", addresses["openai"])
        monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
        async with open_agent(model="openai:gpt-6.1-sol", store=tmp_path) as agent:
            answer = await agent.ask("Hello?")

    assert words("openai") == answer


@pytest.mark.parametrize(
    ("name", "why"), [("", "`model` is empty"), ("nobody:at-all", "No service is known that has the model")]
)
async def test_a_model_that_cannot_be_is_refused_when_it_is_opened(name: str, why: str, tmp_path: Path) -> None:
    """
    Not in the first answer, and nothing is written.
    """
    with pytest.raises(BadInput, match=why):
        async with open_agent(model=name, store=tmp_path / "store"):
            pass

    assert not (tmp_path / "store").exists()


async def test_a_bare_function_is_no_tool() -> None:
    """
    The error says what is missing.
    """

    def bare() -> None:
        """Do nothing."""

    with pytest.raises(BadInput, match="The function 'bare' is not a tool"):
        async with open_agent(model=model(), tools=[bare], store=open_volatile()):  # type: ignore[list-item]
            pass


async def asked(answers: object) -> tuple[str, str]:
    """The outcome of a call that asks, and its result."""
    lines = calling(("moor", '{"where": "here"}'))
    async with (
        open_volatile() as store,
        open_agent(model=model(lines, "Done."), tools=[moor], store=store, answers=answers) as agent,  # type: ignore[arg-type]
    ):
        await agent.ask("Moor.")
        (found,) = [each.entry async for each in store.read("main") if isinstance(each.entry, ToolFinished)]
        return found.outcome, plain_text(found.parts)


async def test_a_call_that_asks_is_answered_by_the_program_or_refused() -> None:
    """
    By a function, with or without `async`; and where nobody answers, it does not run.
    """

    def yes(question: Question) -> Answer:
        return Answer(allowed=question.ask is not None and question.ask.subjects == ("here",))

    async def no(question: Question) -> Answer:
        return Answer(text=f"Not {question.id}.")

    assert ("ok", "moored here") == await asked(yes)
    assert ("denied", "[not run] The person said: Not 2.0.") == await asked(no)
    assert "denied" == (await asked(None))[0]


async def test_a_turn_without_an_answer_is_an_error_that_says_how_it_ended() -> None:
    """
    Asked again under the same client id it is the same error: nothing is asked of the model twice.
    """
    async with open_volatile() as store, open_agent(model=model(Refused("No.")), store=store) as agent:
        with pytest.raises(NoAnswer, match="without an answer: failed, ") as first:
            await agent.ask("Ready?", client_id="1")
        with pytest.raises(NoAnswer) as second:
            await agent.ask("Ready?", client_id="1")

        assert ("failed", str(first.value)) == (first.value.why, str(second.value))
        assert ["Ready?"] == await said(store)


async def test_whoever_asks_no_longer_stops_the_turn() -> None:
    """
    It is not paid for when nobody waits for it; and what it said before is kept.
    """
    waiting = asyncio.Event()

    async def wait(_: Question) -> Answer:
        waiting.set()
        await asyncio.Event().wait()
        return Answer()

    lines = calling(("moor", '{"where": "here"}'))
    async with (
        open_volatile() as store,
        open_agent(model=model(lines, "Moored."), tools=[moor], store=store, answers=wait) as agent,
    ):
        asking = asyncio.create_task(agent.ask("Moor.", client_id="1"))
        await waiting.wait()
        asking.cancel()
        await asyncio.wait([asking])

        assert asking.cancelled()
        assert not agent.conversation.busy
        with pytest.raises(NoAnswer, match="cancelled"):
            await agent.ask("Moor.", client_id="1")


async def test_a_turn_that_was_broken_off_is_gone_on_with() -> None:
    """
    If there is one.
    """
    async with open_volatile() as store:
        async with store.session("main") as session:
            await session.say("Ready?")
        async with open_agent(model=model("Aye."), store=store) as agent:
            assert "Aye." == await agent.resume()
            assert await agent.resume() is None


async def test_a_conversation_that_is_closed_meanwhile_is_an_error() -> None:
    """
    Whoever waits is told so.
    """
    answer = asyncio.Event()

    async def wait(_: Question) -> Answer:
        answer.set()
        await agent.conversation.close()
        return Answer()

    lines = calling(("moor", '{"where": "here"}'))
    async with (
        open_volatile() as store,
        open_agent(model=model(lines, "Moored."), tools=[moor], store=store, answers=wait) as agent,
    ):
        with pytest.raises((Closed, NoAnswer)):
            await agent.ask("Moor.")


async def test_a_conversation_has_one_writer(tmp_path: Path) -> None:
    """
    The second is told who has it.
    """
    async with open_agent(model=model(), store=tmp_path):
        with pytest.raises(Held):
            async with open_agent(model=model(), store=tmp_path):
                pass


async def test_the_agent_is_who_the_program_says() -> None:
    """
    The instructions stand at the beginning of what the model is told, and no folder is named.
    """
    asked_of = model("Aye.")
    async with (
        open_volatile() as store,
        open_agent(model=asked_of, instructions="You are a pilot.", store=store) as agent,
    ):
        await agent.ask("Ready?")
    (request,) = asked_of.requests

    assert request.system.startswith("You are a pilot.\n\nLook before you change")
    assert "Holdfast" not in request.system
