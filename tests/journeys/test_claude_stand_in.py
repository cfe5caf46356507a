"""Claude and the real loop, at a stand-in that refuses what the API refuses."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from msgspec.structs import replace

from holdfast import ModelReplied, Thinking, ToolCall, TurnEnded
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Retrying, TextStreamed, ThinkingStreamed, TurnOver
from holdfast.agent.limits import RetryPolicy
from holdfast.agent.models import ChatModel
from holdfast.errors import BadInput
from holdfast.providers.anthropic import AnthropicModel
from holdfast.records.parts import plain_text
from tests.agent.troupe import PlainTool, setup, turn, volatile
from tests.journeys.afterwards import entries, is_in_order
from tests.providers.anthropic_server import (
    KEY,
    anthropic,
    begun,
    end,
    error,
    event,
    message,
    text,
    thinking,
    tool_use,
)
from tests.providers.claude import OPUS, SONNET
from tests.providers.stand_in import Answer, Json, StandIn, said

SIGNED = thinking("The tide table ", "will know.", signature="c2lnbmVk")
CALLS = message(
    SIGNED,
    text("Let me look."),
    tool_use("toolu_01", "tides", '{"text": ', '"today"}'),
    tool_use("toolu_02", "tides", '{"text": "tomorrow"}'),
    stop="tool_use",
)


class Claudes:
    """Claude in several sizes, all at one address."""

    def __init__(self, there: StandIn) -> None:
        self._models = {name: AnthropicModel(name, key=KEY, base_url=there.url) for name in (OPUS, SONNET)}

    async def named(self, name: str) -> ChatModel:
        if name not in self._models:
            raise BadInput(f"There is no {name}.")
        return ChatModel(name=name, model=self._models[name])

    async def usual(self) -> ChatModel:
        return await self.named(OPUS)

    async def close(self) -> None:
        for model in self._models.values():
            await model.close()


@asynccontextmanager
async def talking(*answers: Answer, tool: PlainTool | None = None) -> AsyncIterator[tuple[Conversation, StandIn]]:
    """A conversation with Claude."""
    async with anthropic(*answers) as there:
        claudes = Claudes(there)
        tools = [tool or PlainTool("tides", lambda text, _: f"{text}: 14:10")]
        made = replace(setup(tools=tools, retry=RetryPolicy(idle=5.0)), models=claudes)
        async with asyncio.timeout(60), await volatile(made) as conversation:
            yield conversation, there
        await claudes.close()


def kinds(body: Json, index: int) -> list[str]:
    """The kinds of blocks of a message."""
    return [block["type"] for block in body["messages"][index]["content"]]


def signatures(body: Json) -> list[str]:
    """Every signature that was sent."""
    return [block["signature"] for each in body["messages"] for block in each["content"] if block["type"] == "thinking"]


def whys(log: Sequence[object]) -> list[str]:
    """How turns ended."""
    return [entry.why for entry in log if isinstance(entry, TurnEnded)]


async def test_thinking_is_signed_calls_are_run_and_the_signature_goes_back() -> None:
    """
    As the API demands within a turn: thinking first and unchanged, then the calls, then all results at once.
    """
    async with talking(CALLS, message(text("At ", "14:10."))) as (conversation, there):
        seen = await turn(conversation, "When is high water?")
        log = await entries(conversation)
        (first, _) = [entry for entry in log if isinstance(entry, ModelReplied)]

        assert "The tide table will know." == "".join(e.text for e in seen if isinstance(e, ThinkingStreamed))
        assert "Let me look.At 14:10." == "".join(e.text for e in seen if isinstance(e, TextStreamed))
        assert "c2lnbmVk" == next(part.signature for part in first.parts if isinstance(part, Thinking))
        assert ["tides", "tides"] == [part.name for part in first.parts if isinstance(part, ToolCall)]
        second = there.bodies[1]
        assert ["thinking", "text", "tool_use", "tool_use"] == kinds(second, 1)
        assert ["tool_result", "tool_result"] == kinds(second, 2)
        assert ["c2lnbmVk"] == signatures(second)
        assert ["answered"] == whys(log)
        await is_in_order(conversation)


async def test_another_model_is_not_sent_what_it_did_not_sign() -> None:
    """
    After a change of model the conversation goes on, legal, without the signature; it comes back with its signer.
    """
    answers = (CALLS, message(text("At 14:10.")), message(text("Yes.")), message(text("Again.")))
    async with talking(*answers) as (conversation, there):
        await turn(conversation, "When is high water?")
        await conversation.use_model(SONNET)
        await turn(conversation, "Sure?")

        assert [OPUS, OPUS, SONNET] == [body["model"] for body in there.bodies]
        assert [] == signatures(there.bodies[2])
        assert "Yes." == plain_text([e for e in await entries(conversation) if isinstance(e, ModelReplied)][-1].parts)
        await conversation.use_model(OPUS)
        await turn(conversation, "And now?")
        assert ["answered"] * 3 == whys(await entries(conversation))
        await is_in_order(conversation)


async def test_a_stream_that_breaks_off_is_kept_and_asked_for_again() -> None:
    """
    The thinking that was cut has no signature and is not sent back; the words that were shown are.
    """
    broken = Answer([*begun(thinking("Hm", signature="x")[:-2], text("Once upon a")[:-1]), "break"])
    async with talking(broken, message(text("The end."))) as (conversation, there):
        seen = await turn(conversation, "tell me")
        log = await entries(conversation)

        assert 1 == sum(isinstance(each, Retrying) for each in seen)
        assert ["interrupted", "ended"] == [entry.stop for entry in log if isinstance(entry, ModelReplied)]
        assert [] == signatures(there.bodies[1])
        assert "Once upon a" in str(there.bodies[1]["messages"])
        await is_in_order(conversation)


async def test_overloaded_is_waited_out() -> None:
    """
    Before the stream and within it.
    """
    within = Answer([*begun(), event(error("overloaded_error", "Overloaded"))])
    async with talking(said(529, error("overloaded_error", "Overloaded")), within, message(text("Here."))) as (
        conversation,
        there,
    ):
        seen = await turn(conversation, "go")

        assert 2 == sum(isinstance(each, Retrying) for each in seen)
        assert 3 == len(there.asked)
        assert ["answered"] == whys(await entries(conversation))


async def test_a_stop_hangs_up_at_the_service() -> None:
    """
    What was shown is kept, and the next turn is legal.
    """
    hanging = Answer([*begun(SIGNED, text("Once upon")[:-1]), "hang"])
    async with talking(hanging, message(text("Gladly."))) as (conversation, there):
        with conversation.watch() as watch:
            await conversation.send("tell me")
            await there.hanging.wait()
            async for each in watch:
                if isinstance(each, TextStreamed):
                    break
            await conversation.cancel()
        await there.left.wait()
        await turn(conversation, "go on")

        assert ["cancelled", "answered"] == whys(await entries(conversation))
        await is_in_order(conversation)


async def test_the_reply_is_bounded_as_the_service_says() -> None:
    """
    A reply that was cut at its bound says so, and its half call is not run.
    """
    tool = PlainTool("tides")
    cut = Answer(
        [*begun(text("Let me"), tool_use("toolu_01", "tides", '{"text": "to')), *(event(e) for e in end("max_tokens"))]
    )
    async with talking(cut, message(text("Shorter.")), tool=tool) as (conversation, _):
        seen = await turn(conversation, "go")

        assert [] == tool.ran
        assert isinstance(seen[-1], TurnOver)
        assert ["answered"] == whys(await entries(conversation))
        await is_in_order(conversation)
