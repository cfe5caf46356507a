"""What a person does with memory: seeing it, correcting it, forgetting it, in one conversation and the next."""

from pathlib import Path

import pytest

from holdfast.commands.answers import Confirm, Prose
from holdfast.errors import BadInput, NotThere
from holdfast.session.facts import Scope
from tests.commands.conversations import Room, room, script
from tests.memory.remembering import adding, answer


def drawing(tmp_path: Path, *answers: object) -> str:
    """Settings in which a scripted model draws facts."""
    return f'memory.model = "{script(tmp_path / "drawer.jsonl", *answers)}"\n'


async def drawn(here: Room) -> None:
    """Draw facts from what was said."""
    memory = here.agent.engine.setup.memory
    assert memory is not None
    await memory.background.before_compaction(here.context.session)


async def test_what_was_said_is_known_in_another_conversation_after_a_restart(tmp_path: Path) -> None:
    """
    In its system text, with its date; `why` shows the quote and where it stands.
    """
    said = answer(adding("Lives in Rome.", 2, "I live in Rome"), day="Said hello.")
    async with room(tmp_path, "Hello.", config=drawing(tmp_path, said)) as here:
        await here.say("I live in Rome.")
        await drawn(here)
        assert "Lives in Rome." in await here.text("/memory")

    async with room(tmp_path, "Yes.", config=drawing(tmp_path)) as here:
        other = await here.another("another")
        await other.say("Do you know me?")
        told = await other.text("/memory")
        (fact,) = (await here.context.store.memory(here_scope(here))).current
        why = await other.text(f"/memory why {fact.id}")

        assert ("Lives in Rome." in told, "Said hello." in told) == (True, True)
        assert ("“I live in Rome”" in why, "talk @2" in why) == (True, True)
        assert (fact.id,) == (other.context.session.state.shown or pytest.fail("nothing shown")).core


def here_scope(here: Room) -> Scope:
    """Whose memory it is."""
    return Scope(owner=here.context.conversation.state.owner)


async def test_remember_and_forget_work_without_any_model(tmp_path: Path) -> None:
    """
    At once, also in a conversation that is open; forgetting asks first and says how much.
    """
    async with room(tmp_path, "Noted.", "Hm.") as here:
        other = await here.another("other")
        await other.say("hello")
        told = await here.one("/remember I am allergic to peanuts.", Prose)
        assert told.markdown.startswith("Remembered: I am allergic to peanuts. (F")
        await other.say("What do you know?")
        notes = [each async for each in other.context.session.read() if "memory_shown" in str(each.raw)]
        assert 1 == len(notes)

        asked = await here.one("/forget peanuts", Confirm)
        assert asked.question.startswith("Forget 1 fact?")
        assert "/forget peanuts --yes" == asked.then
        assert "Forgotten: 1 fact" in await here.text(asked.then)
        assert "Nothing is remembered yet." in await here.text("/memory")
        with pytest.raises(NotThere, match="Nothing that is remembered or was said has 'peanuts'"):
            await here.typed("/forget peanuts")


async def test_a_correction_replaces_and_both_are_shown(tmp_path: Path) -> None:
    """
    The old fact keeps the time until which it held.
    """
    async with room(tmp_path) as here:
        await here.typed("/remember I live in Rome.")
        store = here.context.store
        (rome,) = (await store.memory(here_scope(here))).current
        memory = here.agent.engine.setup.memory
        assert memory is not None
        await memory.notebook(here_scope(here)).replace(rome, "I live in Bern.")
        (bern,) = (await store.memory(here_scope(here))).current
        why = await here.text(f"/memory why {bern.id}")

        assert ("I live in Rome." in why, "I live in Bern." in why) == (True, True)
        assert "Taken back: I live in Bern." in await here.text("/memory undo")
        assert "I live in Rome." in await here.text("/memory")


async def test_the_agent_remembers_what_it_is_asked_to(tmp_path: Path) -> None:
    """
    By its tool, in the same turn; what the person did not ask for in this turn is not accepted.
    """
    good = {"text": "Is allergic to peanuts.", "quote": "I am allergic to peanuts"}
    bad = {"text": "Prefers Acme.", "quote": "Prefers Acme"}
    calls = [{"call": {"name": "remember", "arguments": each}} for each in (good, bad)]
    async with room(tmp_path, calls, "Done.") as here:
        await here.say("Please remember that I am allergic to peanuts.")
        results = [str(each.raw) async for each in here.context.session.read() if '"tool_finished"' in str(each.raw)]

        accepted = ["Remembered: Is allergic to peanuts. (F" in each for each in results]
        refused = ["It was not accepted" in each for each in results]
        assert ([False, True], [False, True]) == (sorted(accepted), sorted(refused))
        assert "Is allergic to peanuts." in await here.text("/memory")


async def test_a_conversation_can_be_left_out(tmp_path: Path) -> None:
    """
    In both directions, and taken in again.
    """
    async with room(tmp_path, "Yes.") as here:
        await here.typed("/remember I like tea.")
        assert "left out" in await here.text("/memory off")
        await here.say("hello")
        assert None is here.context.session.state.shown
        assert "`/memory on` takes it in again" in await here.text("/memory", 200)
        assert "takes part" in await here.text("/memory on")


async def test_bad_input_is_told_and_changes_nothing(tmp_path: Path) -> None:
    """
    Each with what to do.
    """
    async with room(tmp_path) as here:
        for line in (
            "/memory remember",
            "/memory forget",
            "/memory retract",
            "/remember",
            f"/remember {'x' * 301}",
            "/forget",
            "/forget x",
            "/memory why",
            "/memory why Fzz",
        ):
            with pytest.raises((BadInput, NotThere)):
                await here.typed(line)
        with pytest.raises(NotThere, match="nothing to take back"):
            await here.typed("/memory undo")


async def test_every_quote_is_read_again(tmp_path: Path) -> None:
    """
    `check` says whether each stands where it was said; `rebuild` folds the same again, and `export` prints it all.
    """
    said = answer(adding("Lives in Rome.", 2, "I live in Rome"))
    async with room(tmp_path, "Hello.", config=drawing(tmp_path, said)) as here:
        await here.say("I live in Rome.")
        await drawn(here)

        assert "every quote stands" in await here.text("/memory check")
        assert "Folded anew: 1 fact" in await here.text("/memory rebuild")
        exported = await here.text("/memory export")
        assert exported.startswith("# What is remembered\n\n## The person\n\n- [F")


async def test_sessions_are_looked_at_when_asked_and_the_price_is_told_first(tmp_path: Path) -> None:
    """
    How many requests and tokens, before anything is sent.
    """
    said = answer(adding("Lives in Rome.", 2, "I live in Rome"))
    async with room(tmp_path, "Hello.", config=drawing(tmp_path, said)) as here:
        await here.say("I live in Rome.")
        asked = await here.one("/memory consolidate", Confirm)
        assert asked.question.startswith("Look at 1 session in 1 request, about ")
        assert "Looked at 1 session: 1 change of memory." in await here.text(f"{asked.then}")
        assert "Every session was looked at." in await here.text("/memory consolidate")


async def test_with_a_model_that_draws_nothing_it_says_so(tmp_path: Path) -> None:
    """
    The state says why, and what works all the same.
    """
    async with room(tmp_path, "Hello.") as here:
        await here.say("I live in Rome.")

        assert "`/remember` works all the same" in await here.text("/memory", 200)
        with pytest.raises(BadInput, match="No model finds facts here"):
            await here.typed("/memory consolidate")
    async with room(tmp_path, config="memory.enabled = false\n") as here:
        assert "switched off" in await here.text("/memory", 200)
    async with room(tmp_path, config="persistence = false\n") as here:
        assert "nothing is remembered" in await here.text("/memory", 200)


async def test_the_title_of_the_conversation_one_is_in_is_forgotten_too(tmp_path: Path) -> None:
    """
    It is open, and nobody has to leave it; a title that somebody else has open is told of.
    """
    async with room(tmp_path, "Hm.", "Hm.") as here:
        await here.say("My debt is large.")
        await here.typed("/title My debt")
        other = await here.another("other")
        await other.say("A debt.")
        await other.typed("/title A debt too")

        said = await here.text("/forget debt --yes")

        assert "Forgotten: 1 title, 4 passages" in said
        assert "other is open elsewhere, so its title stays" in said
        assert ("", "A debt too") == (here.context.session.state.title, other.context.session.state.title)
