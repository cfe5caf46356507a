"""Models and tools for tests of the agent: scripted, shipped or plain, never mocked."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast import Budget, ManualClock, Scripted, ScriptedModel, Session, Store, Target, Text, ToolCall, open_volatile
from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.broadcast import Subscription
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import Event, TurnOver
from holdfast.agent.models import ChatModel
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tool import Action, Ask, FixedTools, Output, Tool, ToolContext, ToolHelp, said
from holdfast.errors import BadInput
from holdfast.ids import CallId
from holdfast.model.protocol import ToolSpec
from holdfast.providers.scripted.model import Cue
from holdfast.records.entries import Entry

TARGET = Target(family="openai-chat", model="small", provider="scripted")


def scripted(*script: Cue, name: str = "small", window: int = 200_000) -> ScriptedModel:
    """A model that says its lines."""
    return ScriptedModel(Target(family="openai-chat", model=name, provider="scripted"), *script, window=window)


def calling(*calls: tuple[str, str] | tuple[str, str, str], text: str = "") -> Scripted:
    """A reply that calls tools: name and arguments, and an id where it matters."""
    made = [
        ToolCall(id=CallId(each[2] if len(each) > 2 else f"c{number}"), name=each[0], arguments=each[1])
        for number, each in enumerate(calls)
    ]
    return Scripted(parts=(*((Text(text=text),) if text else ()), *made))


class Troupe:
    """Models by their names; the first is the usual one."""

    def __init__(self, *models: ScriptedModel, budget: Budget | None = None) -> None:
        self._models = {model.target.model: model for model in models}
        self._budget = budget or Budget(tokens=100_000, output=1_000)
        self.closed = False

    async def named(self, name: str) -> ChatModel:
        if name not in self._models:
            raise BadInput(f"There is no model {name!r}.", hint="Take another.")
        return ChatModel(name=name, model=self._models[name], budget=self._budget)

    async def usual(self) -> ChatModel:
        return await self.named(next(iter(self._models)))

    async def close(self) -> None:
        self.closed = True


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the tools here take."""

    text: Annotated[str, Meta(description="Anything.")] = ""


class PlainTool:
    """A tool that does what a function does, and remembers what it did."""

    def __init__(
        self,
        name: str,
        work: Callable[[str, ToolContext], object] | None = None,
        *,
        reads_only: bool = True,
        seconds: float = 60.0,
    ) -> None:
        self.name, self._work, self._reads_only, self._seconds = name, work, reads_only, seconds
        self.ran: list[str] = []

    @property
    def spec(self) -> ToolSpec:
        return spec_of(self.name, f"Does what {self.name} does.", Arguments)

    @property
    def help(self) -> ToolHelp:
        return ToolHelp()

    @property
    def seconds(self) -> float:
        return self._seconds

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        return PlainAction(self, parsed(arguments, Arguments).text, context)

    @property
    def reads_only(self) -> bool:
        return self._reads_only

    async def do(self, text: str, context: ToolContext) -> Output:
        """Do it once more."""
        self.ran.append(text)
        made = self._work(text, context) if self._work else None
        if asyncio.iscoroutine(made):
            made = await made
        if isinstance(made, Output):
            return made
        return said(f"did {text}" if made is None else str(made))


class PlainAction:
    """A call of a plain tool."""

    def __init__(self, tool: PlainTool, text: str, context: ToolContext) -> None:
        self._tool, self._text, self._context = tool, text, context

    @property
    def ask(self) -> Ask:
        return Ask(
            tool=self._tool.name,
            subjects=(self._text,),
            title=f"{self._tool.name} {self._text}",
            reads_only=self._tool.reads_only,
        )

    async def run(self) -> Output:
        return await self._tool.do(self._text, self._context)


def setup(*models: ScriptedModel, tools: Sequence[Tool] = (), **more: object) -> AgentSetup:
    """An agent with scripted models and plain tools; waits pass at once."""
    given: Mapping[str, object] = {"clock": ManualClock(), "titles": False, "draw": lambda: 1.0, **more}
    return AgentSetup(models=Troupe(*models), toolbox=FixedTools(tools), **given)  # type: ignore[arg-type]


async def opened(store: Store, made: AgentSetup, key: str = "talk") -> Conversation:
    """A conversation on a store."""
    return await open_conversation(await store.open(key), made)


async def volatile(made: AgentSetup) -> Conversation:
    """A conversation in memory."""
    return await opened(open_volatile(), made)


async def turn(conversation: Conversation, said_: str) -> list[Event]:
    """Say something, and give what could be seen until the turn was over."""
    with conversation.watch() as watch:
        await conversation.send(said_)
        return await until_over(watch)


async def until_over(watch: Subscription) -> list[Event]:
    """The events up to the end of a turn."""
    seen: list[Event] = []
    async for event in watch:
        seen.append(event)
        if isinstance(event, TurnOver):
            break
    return seen


async def entries(session: Session) -> list[Entry]:
    """What the log says."""
    return [record.entry async for record in session.read()]
