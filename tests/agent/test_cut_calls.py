"""Calls that the limit of a reply cut: kept, told to the model, and not tried without end."""

import pytest
from msgspec.structs import replace

from holdfast import Budget, Scripted, ScriptedModel, Target, Text, ToolCall, Usage, open_volatile
from holdfast.agent.setup import AgentSetup
from holdfast.context.legal import families
from holdfast.ids import CallId
from holdfast.model.protocol import AssistantMessage, Family, ToolMessage
from holdfast.providers.scripted.model import Line
from holdfast.records.entries import ModelReplied, ToolFinished
from tests.agent.troupe import PlainTool, Troupe, calling, opened, scripted, setup, turn, volatile

BEGUN = '{"text": "line 1\\nline 2'
TOLD = "[not run: your call was cut at 4,096 tokens; write in parts: a shorter call now, the rest in further calls]"


def cut(arguments: str = BEGUN, *, name: str = "write", text: str = "I write it.") -> Scripted:
    """A reply that used up its limit within a call."""
    return replace(
        calling((name, arguments), text=text), stop="length", usage=Usage(input_tokens=50, output_tokens=4_096)
    )


def answering(family: Family, *script: Line) -> ScriptedModel:
    """A model of a family."""
    return ScriptedModel(Target(family=family, model="small", provider="scripted"), *script)


@pytest.mark.parametrize("family", ["openai-chat", "openai-responses", "anthropic", "gemini"])
async def test_a_cut_call_is_kept_and_the_model_is_told(family: Family) -> None:
    """
    The log has its text, the request has the call and one result, and both are legal for the family.
    """
    tool = PlainTool("write", reads_only=False)
    model = answering(family, cut(), "In parts, then.")
    async with await volatile(setup(model, tools=[tool])) as conversation:
        await turn(conversation, "write it")
        entries = [record.entry async for record in conversation.session.read()]
        request = model.requests[1]

    replies = [entry for entry in entries if isinstance(entry, ModelReplied)]
    results = [entry for entry in entries if isinstance(entry, ToolFinished)]
    call = ToolCall(id=CallId("c0"), name="write", arguments=BEGUN)
    assert (Text(text="I write it."), call) == replies[0].parts
    assert "length" == replies[0].stop
    assert [ToolFinished(call=CallId("c0"), name="write", outcome="error", parts=(Text(text=TOLD),))] == results
    assert [] == tool.ran
    assert () == tuple(families.check(family, families.render(request, {}).body))
    assert [TOLD] == [part.text for m in request.messages if isinstance(m, ToolMessage) for part in m.parts]  # type: ignore[union-attr]
    assert [BEGUN] == [
        part.arguments
        for message in request.messages
        if isinstance(message, AssistantMessage)
        for part in message.parts
        if isinstance(part, ToolCall)
    ]


async def test_a_second_cut_call_ends_the_turn_with_the_reason() -> None:
    """
    A file that is too long for one reply is not paid for fifty times, and the person is told what to do.
    """
    model = scripted(cut(), calling(("look", "{}")), cut(), "Never asked for.")
    async with await volatile(setup(model, tools=[PlainTool("look")])) as conversation:
        await turn(conversation, "write it")

        assert 3 == len(model.requests)
        ended = await conversation.idle()
        assert ended is not None
        assert ("limit", "cut") == (ended.why, ended.cause)
        assert (
            "The model's tool calls were cut 2 times by the limit of its reply. Ask for smaller pieces, "
            "or for a model that gives longer replies (context.output)"
        ) == ended.note
        assert () == conversation.session.state.open_calls


async def test_cuts_are_counted_in_one_turn() -> None:
    """
    A person who asks again, in other words, has both tries anew.
    """
    model = scripted(cut(), "Done.", cut(), "Done again.")
    async with await volatile(setup(model)) as conversation:
        await turn(conversation, "write it")
        await turn(conversation, "in parts")

        ended = await conversation.idle()
        assert ended is not None
        assert "answered" == ended.why


async def test_whole_calls_beside_a_cut_one_run() -> None:
    """
    What the model asked for in full is done.
    """
    tool = PlainTool("look")
    both = replace(calling(("look", '{"text": "a"}'), ("write", BEGUN)), stop="length")
    async with await volatile(setup(scripted(both, "Done."), tools=[tool])) as conversation:
        await turn(conversation, "go")

    assert ["a"] == tool.ran


async def test_a_call_without_a_name_is_answered() -> None:
    """
    Nobody could run it; the model is told, as of every call that is not run.
    """
    model = scripted(calling(("", "{}")), "Done.")
    async with await volatile(setup(model)) as conversation:
        await turn(conversation, "go")
        said = [part for m in model.requests[1].messages if isinstance(m, ToolMessage) for part in m.parts]

    assert (Text(text="[not run: your call has no name; call again, with the name of a tool]"),) == tuple(said)


async def test_a_service_that_calls_a_cut_reply_ended_is_not_believed() -> None:
    """
    A reply that used up its limit within a call was cut there, whatever the service says.
    """
    ended = replace(cut(), stop="called", usage=Usage(input_tokens=50, output_tokens=1_000))
    model = scripted(ended, "Done.")
    made = AgentSetup(models=Troupe(model, budget=Budget(tokens=100_000, output=1_000, reply=1_000)), titles=False)
    async with await opened(open_volatile(), made) as conversation:
        await turn(conversation, "go")
        said = [part for m in model.requests[1].messages if isinstance(m, ToolMessage) for part in m.parts]

    assert (Text(text=TOLD.replace("4,096", "1,000")),) == tuple(said)


async def test_a_service_that_reports_no_tokens_is_told_of_the_limit_that_was_sent() -> None:
    """
    The model learns how much it may write, from what it was allowed.
    """
    silent = replace(cut(), usage=Usage())
    model = scripted(silent, "Done.")
    made = AgentSetup(models=Troupe(model, budget=Budget(tokens=100_000, output=1_000, reply=2_000)), titles=False)
    async with await opened(open_volatile(), made) as conversation:
        await turn(conversation, "go")
        said = [part for m in model.requests[1].messages if isinstance(m, ToolMessage) for part in m.parts]

    assert (Text(text=TOLD.replace("4,096", "2,000")),) == tuple(said)
