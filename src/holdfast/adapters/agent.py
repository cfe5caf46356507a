"""One conversation with an agent, for programs that want no more than to ask and be answered.

It is a `Conversation` with everything around it put together: the store, the model by its name, the tools. Whatever
is asked is in the log before the model sees it, so a program that is killed and asks again goes on where it was.
"""

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from os import PathLike
from typing import TypeAlias

from holdfast.agent.broadcast import Subscription
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import Asked, ConversationClosed, TurnOver
from holdfast.agent.function_tool import FunctionTool
from holdfast.agent.models import ChatModel, FixedModels, Models
from holdfast.agent.permissions import Answer, Permissions, Question
from holdfast.agent.redact import Redactor, secret_values
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tasks import aside
from holdfast.agent.tool import FixedTools, Tool
from holdfast.assembly.stores import open_store
from holdfast.config.key_storage import with_kept
from holdfast.config.settings import ContextSettings
from holdfast.context.system_text import Briefing
from holdfast.errors import BadInput, Closed, NoAnswer
from holdfast.ids import Position
from holdfast.model.protocol import Model
from holdfast.providers.choose.pool import ModelPool
from holdfast.providers.local.weights import default_cache
from holdfast.providers.services import SERVICES
from holdfast.records.entries import ModelReplied, TurnEnded
from holdfast.records.parts import Part, plain_text
from holdfast.session.store import Store

Answers: TypeAlias = Callable[[Question], Answer | Awaitable[Answer]]
"""Answers a question of a turn. A function without `async` runs in a thread, so it may wait for a person."""


class Agent:
    """A conversation that is asked and answers; `open_agent` gives one."""

    def __init__(self, conversation: Conversation, answers: Answers | None) -> None:
        """Take an open conversation, and who answers its questions."""
        self.conversation = conversation
        """The conversation behind this one: its events, its log, and everything that is not offered here."""
        self._answers = answers
        self._one = asyncio.Lock()

    async def ask(self, said: str | tuple[Part, ...], *, client_id: str | None = None) -> str:
        """Say something, let the agent work, and give its answer.

        With a client id it is said once: asked again, also by another process, it goes on with the turn if that was
        broken off, and gives the answer that there is if it was not. Without one, a turn that was broken off is given
        up. Raises `NoAnswer` if the turn ends without one. Cancelling it stops the turn.
        """
        async with self._one:
            # A turn of somebody else's words may run; what is said now begins one of its own.
            await self.conversation.idle()
            with self.conversation.watch() as watch:
                position = await self.conversation.send(said, client_id=client_id)
                return await self._answer(position, watch)

    async def resume(self) -> str | None:
        """Go on with the turn that was broken off before this process, and give its answer; None if there is none."""
        async with self._one:
            if not self.conversation.state.in_turn:
                return None
            with self.conversation.watch() as watch:
                return await self._answer(Position(self.conversation.state.last + 1), watch)

    async def _answer(self, position: Position, watch: Subscription) -> str:
        text, ended = await self._came_of(position)
        if ended is None:
            try:
                await self.conversation.resume()
                await self._over(watch)
            except BaseException:  # nobody waits for the turn any more
                await self.conversation.cancel()
                raise
            text, ended = await self._came_of(position)
        if ended is None:
            raise Closed("The conversation was closed before the turn ended.", hint="Open it again.")
        if ended.why != "answered":
            raise NoAnswer(ended.why, ended.note)
        return text

    async def _over(self, watch: Subscription) -> None:
        """Wait for the end of the turn; answer its questions meanwhile."""
        async for event in watch:
            if isinstance(event, TurnOver | ConversationClosed):
                return
            if isinstance(event, Asked) and self._answers is not None:
                made = await aside(self._answers, event.question)
                answer = await made if inspect.isawaitable(made) else made
                self.conversation.answer(event.question.id, answer)

    async def _came_of(self, position: Position) -> tuple[str, TurnEnded | None]:
        """The last reply after a position, and the end of the turn, if it has ended."""
        text = ""
        async for record in self.conversation.session.read(start=position):
            if isinstance(record.entry, ModelReplied):
                text = plain_text(record.entry.parts)
            if isinstance(record.entry, TurnEnded):
                return text, record.entry
        return text, None


@asynccontextmanager
async def open_agent(
    key: str = "main",
    *,
    model: str | Model,
    tools: Iterable[Tool] = (),
    instructions: str = "",
    store: str | PathLike[str] | Store = "conversations",
    answers: Answers | None = None,
) -> AsyncIterator[Agent]:
    """A conversation with an agent, for a block of code; it is kept under its key, and opened again goes on.

    `model` is a name such as `anthropic:claude-sonnet-5-5`, or a model of your own. Keys come from the environment or
    from `holdfast key add`. `tools` are functions under `@tool`, or any other `Tool`. `instructions` say who the agent
    is and what it does. `store` is a folder, or a store that stays open. `answers` answers the questions of tools
    that ask before they run; without it, their calls are refused. Raises `Held` if another process has it open.
    """
    async with AsyncExitStack() as stack:
        offered, models, name = _tools(tools), *_models(model)
        stack.push_async_callback(models.close)
        await models.named(name)  # a name or a key that cannot be right is said here, not in the first answer
        if not isinstance(store, Store):
            store = await stack.enter_async_context(open_store(store))
        setup = AgentSetup(
            models=models,
            model=name,
            permissions=lambda: Permissions(
                rule for each in offered if isinstance(each, FunctionTool) for rule in each.rules
            ),
            briefing=Briefing(identity=instructions),
            toolbox=FixedTools(offered),
            dated=True,
            titles=False,
            attended=answers is not None,
            redactor=Redactor(secret_values(os.environ)),
        )
        conversation = await open_conversation(await store.open(key), setup)
        yield Agent(await stack.enter_async_context(conversation), answers)


def _tools(given: Iterable[Tool]) -> tuple[Tool, ...]:
    tools = tuple(given)
    for each in list[object](tools):
        if inspect.isroutine(each):
            name = getattr(each, "__name__", "it")
            raise BadInput(f"The function {name!r} is not a tool.", hint="Write `@holdfast.tool` above it.")
    return tools


def _models(model: str | Model) -> tuple[Models, str]:
    """Where the model comes from, and its name there."""
    if not isinstance(model, str):
        name = ":".join(filter(None, (model.target.provider, model.target.model)))
        return FixedModels(ChatModel(name=name, model=model)), name
    if not model.strip():
        raise BadInput("`model` is empty.", hint="Name one, such as 'anthropic:claude-sonnet-5-5'.")
    environment = with_kept(os.environ, [each.keys for each in SERVICES.values() if each.keys])
    pool = ModelPool(
        configured=model,
        environment=environment,
        cache=default_cache(environment),
        endpoints={},
        budget=ContextSettings().budget,
    )
    return pool, model
