"""Hooks of the user: told what happens, able to stop or change a call, and never able to permit one."""

import asyncio
import json
from collections.abc import Callable

import msgspec
import pytest

from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Noticed
from holdfast.agent.permissions import Permissions, Rule
from holdfast.agent.tool import Action, ToolContext
from holdfast.agent.user_hooks import HOST, LONGEST, Happening, HookAnswer
from holdfast.errors import HoldfastError
from holdfast.records.entries import HookRan, ModelReplied, ToolFinished, ToolStarted, TurnEnded, UserSaid
from holdfast.records.parts import Source, plain_text
from holdfast.session.hooks import Occasion
from tests.agent.troupe import PlainAction, PlainTool, calling, entries, scripted, setup, turn, volatile

ALL = [Rule(tool="*", decision="allow")]
Say = Callable[[Happening], HookAnswer]


def raw(value: object) -> msgspec.Raw:
    """A value as JSON."""
    return msgspec.Raw(json.dumps(value).encode())


class Hook:
    """A hook that remembers what it was told and says what it was given."""

    def __init__(self, on: Occasion, say: Say | None = None, *, name: str = "guard") -> None:
        self.name, self._on, self._say = name, on, say
        self.told: list[Happening] = []
        self._heard = asyncio.Condition()

    async def heard(self, times: int) -> None:
        """Wait until it was told so often, where nobody waits for it."""
        async with self._heard:
            await self._heard.wait_for(lambda: len(self.told) >= times)

    def wants(self, on: Occasion, tool: str) -> bool:
        return on == self._on and tool != "other"

    async def run(self, happening: Happening) -> HookAnswer:
        async with self._heard:
            self.told.append(happening)
            self._heard.notify_all()
        return self._say(happening) if self._say else HookAnswer()


def fails(_: Happening) -> HookAnswer:
    """What a hook does that fails."""
    raise HoldfastError("It ended with 3.")


def says(**answer: object) -> Say:
    """What a hook says, whatever it is told."""
    return lambda _: HookAnswer(**answer)  # type: ignore[arg-type]


async def ran(conversation: Conversation) -> list[HookRan]:
    """What the log says of hooks."""
    return [entry for entry in await entries(conversation.session) if isinstance(entry, HookRan)]


async def result(conversation: Conversation) -> ToolFinished:
    """The only result."""
    (found,) = [entry for entry in await entries(conversation.session) if isinstance(entry, ToolFinished)]
    return found


@pytest.fixture
def tool() -> PlainTool:
    """A tool that changes something."""
    return PlainTool("write", reads_only=False)


async def made(
    tool: PlainTool, *hooks: Hook, rules: list[Rule] | None = None, text: str = "a", attended: bool = True
) -> Conversation:
    """A conversation whose model calls the tool once."""
    calls = calling(("write", json.dumps({"text": text})))
    rules = ALL if rules is None else rules
    return await volatile(
        setup(
            scripted(calls, "Done.", "Done."),
            tools=[tool],
            permissions=lambda: Permissions(rules),
            hooks=hooks,
            attended=attended,
        )
    )


async def test_a_hook_is_told_of_a_call_and_of_its_result(tool: PlainTool) -> None:
    """
    Everything that there is to decide by; one that has nothing to say leaves no entry.
    """
    before, after = Hook("before_tool"), Hook("after_tool")
    async with await made(tool, before, after) as conversation:
        await turn(conversation, "go")
        assert [] == await ran(conversation)
        assert "did a" == plain_text((await result(conversation)).parts)

    (told,), (then,) = before.told, after.told
    assert ("talk", "c0", "write", "write a", ("a",)) == (told.session, told.call, told.tool, told.title, told.subjects)
    assert {"text": "a"} == json.loads(bytes(told.arguments))
    assert ("ok", "did a", "c0") == (then.outcome, then.output, then.call)


@pytest.mark.parametrize(
    ("say", "outcome", "why"),
    [(says(deny="not today"), "denied", "not today"), (fails, "failed", "The hook guard failed: It ended with 3.")],
    ids=["denied", "failed"],
)
async def test_a_hook_that_denies_or_fails_stops_the_call(tool: PlainTool, say: Say, outcome: str, why: str) -> None:
    """
    It is not begun, nobody is asked, the model is told why, and the log says which hook it was.
    """
    after = Hook("after_tool")
    async with await made(tool, Hook("before_tool", say), after, rules=[]) as conversation:
        await turn(conversation, "go")
        finished, log = await result(conversation), await entries(conversation.session)
        (entry,) = await ran(conversation)

    assert ("denied", f"[not run] {why}") == (finished.outcome, plain_text(finished.parts))
    assert ([], []) == (tool.ran, after.told)
    assert not any(isinstance(each, ToolStarted) for each in log)
    assert ("before_tool", "guard", "c0", outcome) == (entry.on, entry.hook, entry.call, entry.outcome)
    assert log.index(entry) < log.index(finished)


async def test_changed_arguments_are_what_runs(tool: PlainTool) -> None:
    """
    The next hook is told of them, the model that they were changed, and the log what they are.
    """
    first = Hook("before_tool", says(arguments=raw({"text": "b"})), name="first")
    second = Hook("before_tool", says(context="Well."), name="second")
    async with await made(tool, first, second) as conversation:
        await turn(conversation, "go")
        text = plain_text((await result(conversation)).parts)
        log = await ran(conversation)

    assert ["b"] == tool.ran
    assert ("b",) == second.told[0].subjects
    assert text.startswith("did b")
    assert '[the hook first changed the arguments to {"text": "b"}]' in text
    assert text.endswith("[hook second] Well.")
    assert [("ok", '{"text": "b"}', ""), ("ok", "", "Well.")] == [(e.outcome, e.arguments, e.text) for e in log]


async def test_changed_arguments_are_validated_like_new_ones(tool: PlainTool) -> None:
    """
    What the tool does not take is an error that the model is told, and nothing runs.
    """
    hook, other = Hook("before_tool", says(arguments=raw({"txet": "b"}))), Hook("before_tool")
    async with await made(tool, hook, other) as conversation:
        await turn(conversation, "go")
        finished = await result(conversation)

    assert "error" == finished.outcome
    assert "txet" in plain_text(finished.parts)
    assert ([], []) == (tool.ran, other.told)


async def test_changed_arguments_are_permitted_like_new_ones(tool: PlainTool) -> None:
    """
    No hook permits anything: a rule that denies what they are denies the call, and so does nobody being there to ask.
    """
    for rules in (
        [*ALL, Rule(tool="write", pattern="secret", decision="deny")],
        [Rule(tool="write", pattern="a", decision="allow")],
    ):
        hook = Hook("before_tool", says(arguments=raw({"text": "secret"})))
        async with await made(tool, hook, rules=rules, attended=False) as conversation:
            await turn(conversation, "go")
            assert "denied" == (await result(conversation)).outcome
    assert [] == tool.ran


async def test_a_call_that_is_forbidden_is_told_to_no_hook(tool: PlainTool) -> None:
    """
    There is nothing left to decide.
    """
    hook = Hook("before_tool")
    async with await made(tool, hook, rules=[Rule(tool="*", decision="deny")]) as conversation:
        await turn(conversation, "go")

    assert [] == hook.told


async def test_a_hook_after_a_tool_adds_to_its_result() -> None:
    """
    Also to an error; one that fails is told and changes nothing, and none sees a secret.
    """
    key = "sk-ant-api03-" + "aB3" * 31 + "AA"

    async def work(_: str, __: ToolContext) -> str:
        return f"key {key}"

    failing, adding = Hook("after_tool", fails, name="failing"), Hook("after_tool", says(context=f"Remember {key}."))
    async with await made(PlainTool("write", work, reads_only=False), failing, adding) as conversation:
        seen = [event.text for event in await turn(conversation, "go") if isinstance(event, Noticed)]
        text = plain_text((await result(conversation)).parts)
        log = await ran(conversation)

    assert ["The hook failing (after_tool) failed: It ended with 3."] == seen
    assert key not in adding.told[0].output
    assert "[hook guard] Remember [redacted" in text
    assert ["failed", "ok"] == [each.outcome for each in log]
    assert key not in log[1].text


async def test_a_stop_while_a_hook_runs_after_a_tool_keeps_the_result(tool: PlainTool) -> None:
    """
    The tool has run, and what came of it is known.
    """
    waiting = asyncio.Event()

    class Slow(Hook):
        async def run(self, happening: Happening) -> HookAnswer:
            waiting.set()
            return await asyncio.Future()

    async with await made(tool, Slow("after_tool")) as conversation:
        await conversation.send("go")
        await waiting.wait()
        await conversation.cancel()
        finished = await result(conversation)

    assert ("ok", "did a") == (finished.outcome, plain_text(finished.parts))


async def test_hooks_around_a_session_and_its_turns(tool: PlainTool) -> None:
    """
    The session begins with its first turn in this process and ends when it is closed; the model is told what they say.
    """
    begun, started = Hook("session_start", says(context="It is Friday.")), Hook("turn_start", says(context="Be brief."))
    ended, over = Hook("turn_end"), Hook("session_end")
    conversation = await made(tool, begun, started, ended, over)
    async with conversation:
        await turn(conversation, "go")
        await turn(conversation, "again")
        await asyncio.wait_for(ended.heard(2), 20)
        said = [entry for entry in await entries(conversation.session) if isinstance(entry, UserSaid)]
        assert [] == over.told
    await conversation.close()

    assert (1, ["go", "again"], 1) == (len(begun.told), [each.said for each in started.told], len(over.told))
    assert ["answered", "answered"] == [each.why for each in ended.told]
    assert ["go", "[hook guard] It is Friday.", "[hook guard] Be brief.", "again", "[hook guard] Be brief."] == [
        plain_text(entry.parts) for entry in said
    ]
    assert Source(host=HOST).is_engine  # no person's words: nothing is remembered or granted because of them
    assert [None, HOST, HOST, None, HOST] == [entry.source.host if entry.source else None for entry in said]


async def test_a_session_without_a_turn_neither_begins_nor_ends(tool: PlainTool) -> None:
    """
    Looking at a conversation runs no program.
    """
    begun, over = Hook("session_start"), Hook("session_end")
    async with await made(tool, begun, over):
        pass

    assert ([], []) == (begun.told, over.told)


async def test_a_hook_stops_a_turn(tool: PlainTool) -> None:
    """
    The model is not asked; the end of the turn says which hook it was, apart from other failures.
    """
    async with await made(tool, Hook("turn_start", says(deny="Outside working hours."))) as conversation:
        await turn(conversation, "go")
        log = await entries(conversation.session)
        (ended,) = [entry for entry in log if isinstance(entry, TurnEnded)]

    assert ("failed", "hook") == (ended.why, ended.cause)
    assert "The hook guard stopped the turn: Outside working hours." == ended.note


async def test_a_turn_that_nobody_said_anything_for(tool: PlainTool) -> None:
    """
    A log from elsewhere may have one; the hook is told of no words.
    """
    hook = Hook("turn_start")
    async with await volatile(setup(scripted("Well."), tools=[tool], hooks=[hook])) as conversation:
        await conversation.session.append(ModelReplied(parts=()))
        await conversation.resume()
        await conversation.idle()

    assert [""] == [each.said for each in hook.told]


async def test_only_a_hook_before_a_tool_stops_by_failing(tool: PlainTool) -> None:
    """
    Any other is told, and ends nothing; a denial where nothing can be denied is written down and does nothing.
    """
    hooks = [Hook(on, fails) for on in ("session_start", "turn_start")] + [Hook("after_tool", says(deny="no"))]
    async with await made(tool, *hooks) as conversation:
        await turn(conversation, "go")
        assert "ok" == (await result(conversation)).outcome
        assert ["failed", "failed", "denied"] == [each.outcome for each in await ran(conversation)]


async def test_hooks_before_a_compaction(tool: PlainTool) -> None:
    """
    They are waited for, and one that fails holds up nothing.
    """
    hook = Hook("before_compaction", fails)
    async with await made(tool, hook) as conversation:
        await turn(conversation, "go")
        await conversation.compact()

        assert ["before_compaction"] == [each.on for each in hook.told]
        assert ["failed"] == [each.outcome for each in await ran(conversation)]


async def test_what_a_hook_says_is_bounded(tool: PlainTool) -> None:
    """
    So that one that writes without end does not fill the window.
    """
    async with await made(tool, Hook("before_tool", says(context="x" * 3 * LONGEST))) as conversation:
        await turn(conversation, "go")
        (entry,) = await ran(conversation)

    assert LONGEST == len(entry.text)


class TextTool(PlainTool):
    """A tool that takes any text."""

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        return PlainAction(self, arguments, context)


async def test_arguments_that_are_no_json_are_told_as_text() -> None:
    """
    A tool may take what JSON does not.
    """
    hook = Hook("before_tool")
    script = scripted(calling(("write", "words")), "Done.")
    async with await volatile(setup(script, tools=[TextTool("write")], hooks=[hook])) as conversation:
        await turn(conversation, "go")

    assert "words" == json.loads(bytes(hook.told[0].arguments))
